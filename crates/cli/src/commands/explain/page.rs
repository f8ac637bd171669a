//! Parses the page of all codes: a table row with four cells is an entry, a block that shows a code is an example.

use std::sync::OnceLock;

/// The page in the documentation.
const PAGE: &str = include_str!("../../../../../docs/errors.md");

/// Templates and commands that raise a code, each after a line with `== ` and the code.
const TEMPLATES: &str = include_str!("examples.txt");

/// The part of a heading above codes that no command raises.
const NOT_RAISED: &str = "that no command raises";

/// The explanation of one code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) code: String,
    /// The heading of its section on the page.
    pub(crate) area: String,
    /// The anchor of that section.
    pub(crate) anchor: String,
    /// Whether a command raises it; others are raised by the libraries, or were raised by earlier releases.
    pub(super) is_raised: bool,
    pub(crate) meaning: String,
    pub(crate) cause: String,
    pub(crate) fix: String,
    pub(crate) examples: Vec<String>,
}

/// Returns all codes in the order of the page.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| read(PAGE, TEMPLATES))
}

fn read(page: &str, templates: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut heading, mut is_raised) = ("", true);
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            (heading, is_raised) = (title, true);
        } else if line.starts_with("### ") {
            is_raised = !line.ends_with(NOT_RAISED);
        }
        let Some((code, [meaning, cause, fix])) = row(line) else { continue };
        let (area, anchor) = (heading.replace('`', ""), anchor(heading));
        let examples = Vec::new();
        entries.push(Entry { code, area, anchor, is_raised, meaning, cause, fix, examples });
    }
    let shown = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    for block in shown.filter(|block| block.starts_with("$ ")) {
        let raised = |code: &str| block.contains(&format!("[{code}]"));
        if let Some(entry) = entries.iter_mut().find(|entry| raised(&entry.code)) {
            entry.examples.push(block.trim_end().to_owned());
        }
    }
    for (code, text) in examples(templates) {
        if let Some(entry) = entries.iter_mut().find(|entry| entry.code == code) {
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

/// Reads `| `CODE` | meaning | cause | fix |`.
fn row(line: &str) -> Option<(String, [String; 3])> {
    let line = line.strip_prefix("| `")?.strip_suffix(" |")?;
    let (code, rest) = line.split_once("` | ")?;
    let cells: Vec<String> = rest.split(" | ").map(plain).collect();
    let is_code = code.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let cells = <[String; 3]>::try_from(cells).ok()?;
    is_code.then(|| (code.to_owned(), cells))
}

/// The text of a cell without escapes and links.
fn plain(cell: &str) -> String {
    let mut text = cell.trim().replace("\\|", "|");
    while let Some((label, target)) = first_link(&text) {
        let link = format!("[{label}]({target})");
        let named = match target.rsplit_once('.') {
            Some((_, "md")) => format!("docs/{target}"),
            _ => label,
        };
        text = text.replacen(&link, &named, 1);
    }
    text
}

/// The label and the target of the first link.
fn first_link(text: &str) -> Option<(String, String)> {
    let (before, after) = text.split_once("](")?;
    let (_, label) = before.rsplit_once('[')?;
    let (target, _) = after.split_once(')')?;
    Some((label.to_owned(), target.to_owned()))
}

/// The anchor that Markdown renderers give to a heading.
fn anchor(heading: &str) -> String {
    let kept =
        heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-'));
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

    /// The diagnostic codes of all crates.
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

    /// The codes in the table of the HTTP API.
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

    /// Whether the source of a crate that answers requests contains a code.
    fn is_answered(code: &str) -> bool {
        static SOURCES: OnceLock<String> = OnceLock::new();
        let sources = SOURCES.get_or_init(|| {
            let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
            let folders = ["api", "engine", "plan"].map(|name| format!("{crates}/{name}/src"));
            folders.iter().map(|folder| read_all(folder.as_ref())).collect()
        });
        // A code of the API is a variant, one of an operation a text.
        sources.contains(&format!("\"{code}\"")) || sources.contains(&format!("Self::{code}"))
    }

    /// The text of all Rust files of a folder.
    fn read_all(folder: &std::path::Path) -> String {
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        files
            .map(|path| match path.extension() {
                None => read_all(&path),
                Some(_) => std::fs::read_to_string(path).unwrap(),
            })
            .collect()
    }

    #[test]
    fn every_entry_is_of_an_existing_code() {
        let codes = codes();
        let stale: Vec<&str> = entries()
            .iter()
            .map(|entry| entry.code.as_str())
            .filter(|code| !codes.contains(code) && !is_answered(code))
            .collect();
        assert!(stale.is_empty(), "no crate has {stale:?}");
        assert!(!is_answered("NotACode") && is_answered("StateDamaged"));
    }

    #[test]
    fn every_code_is_explained_once() {
        let mut seen = BTreeSet::new();
        let twice: Vec<_> = entries().iter().filter(|entry| !seen.insert(&entry.code)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn every_entry_is_complete_in_whole_sentences() {
        for entry in entries() {
            for text in [&entry.meaning, &entry.cause, &entry.fix] {
                assert!(text.len() > 10 && text.ends_with('.'), "{entry:?}");
                let is_link = text.contains("](") || text.contains("\\|");
                assert!(!is_link && text.matches('`').count() % 2 == 0, "{entry:?}");
            }
            // An entry is read by itself.
            let refers = ["As `", "See `", "As for `", "the same.", "The same."];
            let refers = refers.iter().any(|words| entry.fix.starts_with(words));
            assert!(!refers && !entry.meaning.starts_with("As "), "{entry:?}");
            assert!(!entry.area.is_empty() && !entry.anchor.contains('`'), "{entry:?}");
        }
    }

    #[test]
    fn codes_that_no_command_raises_are_marked() {
        let hidden: Vec<&str> =
            entries().iter().filter(|it| !it.is_raised).map(|it| it.code.as_str()).collect();
        let expected =
            ["ID0016", "ID0060", "SCHEMA0120", "SCHEMA0121", "PATCH0001", "PATCH0002", "TMPL0007"];
        assert_eq!(hidden, expected);
    }

    #[test]
    fn every_example_raises_its_code() {
        let (mut tried, mut wrong) = (0, Vec::new());
        // Commands are run by the tests of the command line.
        for (code, text) in examples(TEMPLATES).filter(|(_, text)| !text.starts_with("$ ")) {
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
    fn a_row_with_four_cells_is_an_entry() {
        let page = "## `A` and B: c d\n\n| code | x | y | z |\n| `A1` | What \\| it. | Why, [a](a.md). | Do `x` \
                    ([b](#b)). |\n| `a`, `b` | two | no | x |\n| `x` | two | no |\n\n### B codes that no command \
                    raises\n| `B1` | m | c | f |\n\n## C\n| `C1` | m | c | f |\n";
        let found = read(page, "\n== A1\nvar a\n");
        assert_eq!(found.len(), 3);
        let Entry { code, area, anchor, meaning, cause, fix, examples, .. } = found[0].clone();
        assert_eq!((&*code, &*area, &*anchor), ("A1", "A and B: c d", "a-and-b-c-d"));
        assert_eq!((&*meaning, &*cause, &*fix), ("What | it.", "Why, docs/a.md.", "Do `x` (b)."));
        assert_eq!(examples, ["var a"]);
        assert_eq!(found.iter().map(|it| it.is_raised).collect::<Vec<_>>(), [true, false, true]);
    }
}
