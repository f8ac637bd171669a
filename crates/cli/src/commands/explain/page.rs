//! The page of all codes, taken apart: a row of a table is a code, a block with a code in it is an example.

use std::sync::OnceLock;

/// The page for people.
const PAGE: &str = include_str!("../../../../../docs/errors.md");

/// Templates that raise a code, each after a line with `== ` and the code.
const TEMPLATES: &str = include_str!("examples.txt");

/// What is known of one code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) code: String,
    /// The section of the page that it is in.
    pub(crate) area: String,
    /// How a link into the page names that section.
    pub(crate) anchor: String,
    pub(crate) meaning: String,
    pub(crate) action: String,
    pub(crate) examples: Vec<String>,
}

impl Entry {
    /// Whether no command raises it.
    pub(super) fn is_of_library(&self) -> bool {
        self.meaning.contains("Library only:")
    }
}

/// Every code in the order of the page.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| read(PAGE, TEMPLATES))
}

fn read(page: &str, templates: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut heading = "";
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            heading = title;
        }
        let Some((code, meaning, action)) = row(line) else { continue };
        // Where two sections explain one, the first does it at length.
        if entries.iter().any(|it| it.code == code) {
            continue;
        }
        let (area, anchor) = (heading.replace('`', ""), anchor(heading));
        entries.push(Entry { code, area, anchor, meaning, action, examples: Vec::new() });
    }
    let shown = page.split("```text\n").skip(1).filter_map(|it| it.split("```").next());
    for block in shown.filter(|it| it.starts_with("$ ")) {
        let raised = |code: &str| block.contains(&format!("[{code}]"));
        if let Some(entry) = entries.iter_mut().find(|it| raised(&it.code)) {
            entry.examples.push(block.trim_end().to_owned());
        }
    }
    for (code, text) in examples(templates) {
        if let Some(entry) = entries.iter_mut().find(|it| it.code == code) {
            entry.examples.push(text.to_owned());
        }
    }
    entries
}

/// The examples of a file, each with its code.
fn examples(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let blocks = text.split("\n== ").skip(1);
    blocks
        .filter_map(|block| block.split_once('\n'))
        .map(|(code, text)| (code.trim(), text.trim_end()))
}

/// `| `CODE` | what it means | what to do |`.
fn row(line: &str) -> Option<(String, String, String)> {
    let line = line.strip_prefix("| `")?.strip_suffix(" |")?;
    let (code, rest) = line.split_once("` | ")?;
    let mut cells = rest.split(" | ");
    let (meaning, action) = (cells.next()?, cells.next()?);
    let is_code = code.chars().all(|it| it.is_ascii_alphanumeric() || it == '-');
    let plain = |cell: &str| cell.trim().replace("\\|", "|");
    (is_code && cells.next().is_none()).then(|| (code.to_owned(), plain(meaning), plain(action)))
}

/// How a link names a section.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use hangar_template::deployment::{Inputs, MissingParameter};
    use hangar_template::lint::{Config, lint};
    use hangar_template::program::compile;
    use hangar_template::source::Sources;
    use hangar_template::syntax::Dialect;

    use super::*;

    /// The codes of all crates.
    fn codes() -> BTreeSet<&'static str> {
        let own = include_str!("../../codes.rs").split("Code::new(\"").skip(1);
        let own = own.filter_map(|it| it.split('"').next());
        let listed = [
            hangar_ids::codes::ALL,
            hangar_schema::codes::ALL,
            hangar_template::codes::ALL,
            hangar_manifest::state::codes::ALL,
            hangar_manifest::deployed::codes::ALL,
            hangar_manifest::yaml::codes::ALL,
            hangar_manifest::resolve::codes::ALL,
        ];
        let listed = listed.into_iter().flatten().map(|(code, _)| code.as_str());
        let checked = include_str!("../../../../plan/src/template_check/codes.rs");
        let checked = checked.split("Code::new(\"").skip(1).filter_map(|it| it.split('"').next());
        listed.chain(own).chain(checked).collect()
    }

    /// The codes of the HTTP API: those of its own, and those that operations fail with.
    fn answered() -> BTreeSet<&'static str> {
        let page = include_str!("../../../../../docs/api.md");
        let table =
            page.split("\n| status | when |\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let words = table.split('`').skip(1).step_by(2);
        let is_code = |it: &&str| {
            it.starts_with(|it: char| it.is_ascii_uppercase())
                && it.chars().all(|it| it.is_ascii_alphanumeric())
                && *it != "Allow"
        };
        words.filter(is_code).collect()
    }

    #[test]
    fn every_code_is_explained() {
        let explained: BTreeSet<&str> = entries().iter().map(|it| it.code.as_str()).collect();
        let missing: Vec<_> = codes().into_iter().filter(|it| !explained.contains(it)).collect();
        assert!(missing.is_empty(), "docs/errors.md has no row for {missing:?}");
        let missing: Vec<_> = answered().into_iter().filter(|it| !explained.contains(it)).collect();
        assert!(missing.is_empty(), "docs/errors.md has no row for {missing:?} of docs/api.md");
        assert!(answered().len() > 60 && codes().len() > 300);
    }

    #[test]
    fn every_row_is_of_a_code_that_is_there() {
        let (codes, answered) = (codes(), answered());
        // What runs of recipes fail with, and old names, are told in prose there.
        let page = include_str!("../../../../../docs/api.md");
        let is_known = |code: &str| {
            codes.contains(code) || answered.contains(code) || page.contains(&format!("`{code}`"))
        };
        let stale: Vec<&str> =
            entries().iter().map(|it| it.code.as_str()).filter(|it| !is_known(it)).collect();
        assert!(stale.is_empty(), "no crate has {stale:?}");
    }

    #[test]
    fn every_row_says_what_it_means_and_what_to_do() {
        for entry in entries() {
            assert!(entry.meaning.len() > 5 && entry.action.len() > 3, "{entry:?}");
            assert!(!entry.area.is_empty() && !entry.anchor.contains('`'), "{entry:?}");
        }
    }

    #[test]
    fn every_example_raises_its_code() {
        let (mut tried, mut wrong) = (0, Vec::new());
        for (code, text) in examples(TEMPLATES) {
            tried += 1;
            let found = raised(text);
            if !found.iter().any(|it| it == code) {
                wrong.push((code, found));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(tried >= hangar_template::lint::RULES.len(), "{tried}");
        let have: BTreeSet<&str> = examples(TEMPLATES).map(|(code, _)| code).collect();
        for rule in hangar_template::lint::RULES {
            assert!(have.contains(rule.as_str()), "{rule} has no example");
        }
    }

    /// The codes that a template raises by its text, when it is started, by its schemas, or by the rules.
    fn raised(text: &str) -> Vec<String> {
        let sources = Sources::of("main.bicep", text.as_bytes());
        let compiled = compile(&sources, "main.bicep");
        let mut problems = compiled.problems;
        if let Some(program) = compiled.program {
            let inputs = Inputs { missing: MissingParameter::Refused, ..Inputs::default() };
            let started = program.start(&inputs);
            problems.extend(started.problems);
            if let Some(deployment) = started.deployment {
                let catalog = hangar_schema::Catalog::bundled();
                let schema = |name: &hangar_ids::TypeName| {
                    catalog.get(&name.cloud_formation()).ok().map(Arc::new)
                };
                problems.extend(hangar_plan::template_check::check(&deployment, &schema));
            }
        }
        let rules = lint(text, Dialect::Template, &Config::default());
        let codes =
            problems.iter().map(|it| it.diagnostic.code).chain(rules.iter().map(|it| it.code));
        codes.map(|it| it.as_str().to_owned()).collect()
    }

    #[test]
    fn a_row_is_taken_apart() {
        let page = "## `A` and B: c d\n\n| code | x | y |\n| `A1` | What \\| it. | Do `x`. |\n| `a`, `b` | two | no |\n| `x` | two |\n";
        let found = read(page, "\n== A1\nvar a\n");
        assert_eq!(found.len(), 1);
        let Entry { code, area, anchor, meaning, action, examples } = found[0].clone();
        assert_eq!((&*code, &*area, &*anchor), ("A1", "A and B: c d", "a-and-b-c-d"));
        assert_eq!((&*meaning, &*action), ("What | it.", "Do `x`."));
        assert_eq!(examples, ["var a"]);
    }
}
