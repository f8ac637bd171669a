//! Every package that we build from has a licence that `deny.toml` allows.
//!
//! `cargo deny` checks the same and more where it is installed; this check is always there.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use crate::workspace::{Metadata, Root};

pub(crate) fn check(root: &Root) -> Result<String> {
    let text = std::fs::read_to_string(root.join("deny.toml")).context("cannot read deny.toml")?;
    let allowed = allowed_in(&text);
    if allowed.is_empty() {
        bail!("deny.toml has no `allow = […]` under [licenses]");
    }
    let metadata = Metadata::read(root)?;
    let mut faults = Vec::new();
    for package in metadata.packages.values() {
        let licence = package.licence.as_deref().unwrap_or("none");
        if !is_allowed(licence, &allowed) {
            let (name, version) = (&package.name, &package.version);
            faults
                .push(format!("{name} {version}: license `{licence}` is not allowed by deny.toml"));
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(format!("{} packages", metadata.packages.len()))
}

/// The quoted words of `allow` in the section `[licenses]`.
fn allowed_in(deny: &str) -> BTreeSet<String> {
    let section = deny.split("\n[").find(|section| section.starts_with("licenses]"));
    let list = section
        .and_then(|section| section.split_once("\nallow = ["))
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or("", |(list, _)| list);
    list.lines()
        .filter_map(|line| line.split('#').next())
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

/// Whether the SPDX expression can be met with allowed licences only.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    either(&mut words, allowed) == Some(true) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> Option<bool> {
    let mut met = both(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        met |= both(words, allowed)?;
    }
    Some(met)
}

fn both(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> Option<bool> {
    let mut met = term(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        met &= term(words, allowed)?;
    }
    Some(met)
}

fn term(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> Option<bool> {
    let word = words.next()?;
    if word == "(" {
        let met = either(words, allowed)?;
        return words.next_if_eq(&")").map(|_| met);
    }
    if words.next_if_eq(&"WITH").is_some() {
        return Some(allowed.contains(&format!("{word} WITH {}", words.next()?)));
    }
    Some(allowed.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> BTreeSet<String> {
        allowed_in(
            "[graph]\nx = 1\n\n[licenses]\nallow = [\n    \"MIT\", # why \"not\"\n    \"Apache-2.0\",\n]\n",
        )
    }

    #[test]
    fn the_list_is_read_without_its_comments() {
        assert_eq!(allowed().into_iter().collect::<Vec<_>>(), ["Apache-2.0", "MIT"]);
    }

    #[test]
    fn an_expression_is_met_by_allowed_licences_only() {
        let allowed = allowed();
        for met in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND Apache-2.0"] {
            assert!(is_allowed(met, &allowed), "{met}");
        }
        for unmet in
            ["", "none", "GPL-3.0", "MIT AND GPL-3.0", "MIT WITH Odd", "(MIT", "MIT MIT", "MIT OR"]
        {
            assert!(!is_allowed(unmet, &allowed), "{unmet}");
        }
    }
}
