//! Which crate may know which: the map of the workspace, as a test.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::workspace::{Kind, Metadata, Package, Root};

/// One crate of the map and the crates of ours that it may name.
struct Crate {
    package: &'static str,
    uses: &'static [&'static str],
    /// Those that its tests may name besides.
    tests_use: &'static [&'static str],
}

/// Data flows one way: parse → plan → execute → record → present. An edge added here is a change of
/// the architecture: say why in ARCHITECTURE.md in the same commit.
const MAP: &[Crate] = &[
    Crate { package: "hangar-diag", uses: &[], tests_use: &[] },
    Crate { package: "hangar-ids", uses: &["diag"], tests_use: &[] },
    Crate { package: "hangar-schema", uses: &["diag", "ids"], tests_use: &[] },
    Crate { package: "hangar-template", uses: &["diag", "ids"], tests_use: &["schema"] },
    Crate { package: "hangar-manifest", uses: &["diag", "ids"], tests_use: &[] },
    Crate { package: "hangar-plan", uses: &["diag", "ids", "schema", "template"], tests_use: &[] },
    Crate { package: "hangar-provider", uses: &["diag", "ids", "schema"], tests_use: &[] },
    Crate {
        package: "hangar-provider-aws",
        uses: &["diag", "ids", "schema", "provider"],
        tests_use: &["simulator"],
    },
    Crate {
        package: "hangar-simulator",
        uses: &["ids", "schema", "manifest"],
        tests_use: &["diag"],
    },
    Crate { package: "hangar-store", uses: &["diag", "ids", "schema", "plan"], tests_use: &[] },
    Crate {
        package: "hangar-engine",
        uses: &["diag", "ids", "schema", "template", "manifest", "plan", "provider", "store"],
        tests_use: &["provider-aws", "simulator"],
    },
    // It never calls a provider: reads of AWS go through the engine.
    Crate {
        package: "hangar-api",
        uses: &["diag", "ids", "schema", "template", "manifest", "plan", "store", "engine"],
        tests_use: &["provider", "provider-aws", "simulator"],
    },
    Crate {
        package: "hangar",
        uses: &[
            "diag",
            "ids",
            "schema",
            "template",
            "manifest",
            "plan",
            "provider",
            "provider-aws",
            "simulator",
            "store",
            "engine",
            "api",
        ],
        tests_use: &["simulation"],
    },
    // It proves things of the others: nothing but tests and measurements may name it.
    Crate {
        package: "hangar-simulation",
        uses: &[
            "ids",
            "schema",
            "template",
            "plan",
            "provider",
            "provider-aws",
            "simulator",
            "store",
            "engine",
        ],
        tests_use: &[],
    },
    Crate { package: "xtask", uses: &["schema", "template", "simulator"], tests_use: &[] },
];

/// Dependencies that only some crates may name, by the beginning of their name; tests apart.
const CONFINED: &[(&str, &[&str])] = &[
    ("aws-", &["hangar-provider-aws"]),
    ("rusqlite", &["hangar-store"]),
    ("tokio-postgres", &["hangar-store"]),
    ("deadpool", &["hangar-store"]),
    ("annotate-snippets", &["hangar"]),
    ("anstream", &["hangar"]),
    ("anyhow", &["hangar", "xtask"]),
    ("comfy-table", &["hangar"]),
    ("console", &["hangar"]),
    ("indicatif", &["hangar"]),
    ("mimalloc", &["hangar"]),
];

pub(crate) fn check(root: &Root) -> Result<String> {
    let metadata = Metadata::read(root)?;
    let faults: Vec<String> = metadata.own().flat_map(faults_of).collect();
    if !faults.is_empty() {
        bail!("{}\nthe dependency map is in xtask/src/edges.rs", faults.join("\n"));
    }
    Ok(format!("{} crates", metadata.members.len()))
}

fn faults_of(package: &Package) -> Vec<String> {
    let Some(known) = MAP.iter().find(|known| known.package == package.name) else {
        return vec![format!(
            "crate `{}` is not in the dependency map; add a crate only to keep a heavy dependency out of others, to \
             separate pure code from IO, or to publish it",
            package.name
        )];
    };
    let ours: BTreeSet<&str> = MAP.iter().map(|other| other.package).collect();
    let mut faults = Vec::new();
    for (name, kind) in &package.asks {
        let (from, to) = (known.package, name.as_str());
        if ours.contains(to) && !allows(known, to, *kind) {
            faults.push(format!(
                "`{from}` must not depend on `{to}`: dependencies go one way; move the shared part to the \
                 left of both, or pass the value as an argument"
            ));
        }
        let confined = CONFINED.iter().find(|(prefix, _)| to.starts_with(prefix));
        if let Some((_, holders)) = confined
            && *kind == Kind::Normal
            && !holders.contains(&from)
        {
            let holders = holders.join("`, `");
            faults.push(format!("`{from}` must not depend on `{to}`: only `{holders}` may"));
        }
    }
    faults
}

fn allows(known: &Crate, to: &str, kind: Kind) -> bool {
    let short = to.strip_prefix("hangar-").unwrap_or(to);
    known.uses.contains(&short) || (kind == Kind::Dev && known.tests_use.contains(&short))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, asks: &[(&str, Kind)]) -> Package {
        Package {
            name: name.to_owned(),
            version: String::new(),
            licence: None,
            roots: Vec::new(),
            asks: asks.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect(),
            links: Vec::new(),
        }
    }

    #[test]
    fn the_map_has_no_cycle() {
        // Invariant: a crate stands on the map after all that it uses.
        for (place, known) in MAP.iter().enumerate() {
            for used in known.uses {
                let before = MAP[..place].iter().any(|other| {
                    other.package.strip_prefix("hangar-").unwrap_or(other.package) == *used
                });
                assert!(before, "{} uses {used}", known.package);
            }
        }
    }

    #[test]
    fn an_edge_to_the_right_is_refused() {
        assert_eq!(faults_of(&package("hangar-ids", &[("hangar-schema", Kind::Normal)])).len(), 1);
        assert_eq!(faults_of(&package("hangar-schema", &[("hangar-ids", Kind::Normal)])).len(), 0);
    }

    #[test]
    fn a_test_edge_is_for_tests_only() {
        let edge = |kind| faults_of(&package("hangar-engine", &[("hangar-simulator", kind)])).len();
        assert_eq!((edge(Kind::Dev), edge(Kind::Normal)), (0, 1));
    }

    #[test]
    fn an_unknown_crate_and_a_confined_dependency_are_refused() {
        assert_eq!(faults_of(&package("hangar-utils", &[])).len(), 1);
        assert_eq!(faults_of(&package("hangar-api", &[("aws-config", Kind::Normal)])).len(), 1);
        assert_eq!(faults_of(&package("hangar-api", &[("aws-config", Kind::Dev)])).len(), 0);
    }
}
