//! The language of texts for users: words to avoid, long sentences, lengths of pages, and names of machines.
//!
//! Covers the documentation, the output that it shows, and the string literals of the crates that ship. Help is also
//! checked through docs/cli.md, which is generated from it.

mod literals;
mod machine;
mod phrases;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use self::phrases::Phrases;
use crate::prose::{Page, Sentence};
use crate::workspace::Root;

/// The words of one sentence.
const MAX_SENTENCE_WORDS: usize = 35;
const MAX_README_LINES: usize = 150;
/// Pages outside docs/.
const OTHER_PAGES: [&str; 8] = [
    "AGENTS.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "npm/README.md",
    "npm/python/README.md",
];
/// Crates without texts for users, code that only tests run, and texts of earlier versions.
const NOT_FOR_USERS: [&str; 7] = [
    "crates/simulation/",
    "/laws.rs",
    "/conformance/",
    "/src/gate/",
    "/src/postgres/cluster",
    "crates/plan/src/deployment/earlier_reason.rs",
    "crates/schema/src/sample/",
];

pub(crate) fn check(root: &Root) -> Result<String> {
    let files = machine::check(root)?;
    let list = root.join("xtask/words.txt");
    let list = std::fs::read_to_string(&list)
        .with_context(|| format!("cannot read {}", list.display()))?;
    let phrases = Phrases::parse(&list)?;
    let mut faults = Vec::new();
    let mut words = 0;
    for path in pages(root)? {
        let text = std::fs::read_to_string(&path)?;
        let name = root.relative(&path).display().to_string();
        if name == "README.md" && text.lines().count() > MAX_README_LINES {
            faults.push(format!("{name}: has more than {MAX_README_LINES} lines"));
        }
        let page = Page::parse(&text);
        words += page.count_words();
        faults.extend(faults_of(&name, &page, &phrases));
    }
    let mut texts = 0;
    for path in sources(root)? {
        let name = root.relative(&path).display().to_string();
        let source = std::fs::read_to_string(&path)?;
        for literal in literals::messages(&source) {
            texts += 1;
            let place = format!("{name}:{}", literal.line);
            let text = literal.text.replace('\n', " ");
            faults.extend(phrases.find(&text).map(|found| format!("{place}: {found}")));
            for sentence in literal.sentences() {
                faults.extend(faults_of_sentence(&place, &sentence));
            }
        }
    }
    if !faults.is_empty() {
        bail!("{}\n{} places; xtask/words.txt has the list", faults.join("\n"), faults.len());
    }
    Ok(format!("{files} files; {words} words in the documentation, {texts} texts in the crates"))
}

fn faults_of(name: &str, page: &Page, phrases: &Phrases) -> Vec<String> {
    let mut faults = Vec::new();
    for sentence in page.sentences() {
        let place = format!("{name}:{}", sentence.line);
        faults.extend(phrases.find(&sentence.text).map(|found| format!("{place}: {found}")));
        faults.extend(faults_of_sentence(&place, sentence));
    }
    for line in page.outputs() {
        let place = format!("{name}:{}", line.line);
        faults.extend(phrases.find(&line.text).map(|found| format!("{place}: {found}")));
    }
    faults
}

/// A sentence that opens without a noun, or that is too long.
fn faults_of_sentence(place: &str, sentence: &Sentence) -> Vec<String> {
    let mut faults = Vec::new();
    if opens_without_noun(&sentence.text) {
        faults.push(format!(
            "{place}: name the thing instead of opening with `{}`",
            first_words(&sentence.text)
        ));
    }
    let count = sentence.count_words();
    if count > MAX_SENTENCE_WORDS {
        faults.push(format!(
            "{place}: split this sentence of {count} words (at most {MAX_SENTENCE_WORDS}): {}…",
            first_words(&sentence.text)
        ));
    }
    faults
}

/// Whether a sentence opens with "What is …" and the like as its subject; questions are fine.
fn opens_without_noun(sentence: &str) -> bool {
    const VERBS: [&str; 14] = [
        "is", "was", "are", "were", "has", "have", "must", "can", "may", "cannot", "left",
        "leaves", "stays", "remains",
    ];
    let mut words = sentence.split_whitespace();
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("what"))
        && words.next().is_some_and(|verb| VERBS.contains(&verb))
        && !sentence.trim_end().ends_with('?')
}

fn first_words(sentence: &str) -> String {
    sentence.split_whitespace().take(6).collect::<Vec<_>>().join(" ")
}

/// README, the book, the examples and the pages for contributors that users read.
fn pages(root: &Root) -> Result<Vec<PathBuf>> {
    let mut pages: Vec<PathBuf> = OTHER_PAGES.map(|name| root.join(name)).to_vec();
    for folder in ["docs", "examples"] {
        pages.extend(with_ending(&root.join(folder), "md")?);
    }
    pages.sort();
    Ok(pages)
}

/// The Rust files of the crates that ship, without their tests.
fn sources(root: &Root) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let folder = entry?.path().join("src");
        if folder.is_dir() {
            sources.extend(with_ending(&folder, "rs")?);
        }
    }
    sources.retain(|path| {
        let name = root.relative(path).display().to_string();
        !name.ends_with("/tests.rs")
            && !name.contains("/tests/")
            && !NOT_FOR_USERS.iter().any(|part| name.contains(part))
    });
    sources.sort();
    Ok(sources)
}

/// All files below a folder with this ending.
fn with_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(with_ending(&path, ending)?);
        } else if path.extension().is_some_and(|it| it == ending) {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let phrases = Phrases::parse("\\btold\\b -> reported\n").unwrap();
        faults_of("a.md", &Page::parse(text), &phrases)
    }

    #[test]
    fn a_discouraged_word_is_reported_with_its_place_and_the_wording_to_use() {
        assert_eq!(
            faults("# Title\n\nOne.\nThe caller is told.\n"),
            ["a.md:4: `told`: write reported"]
        );
        assert_eq!(faults("`told` in code\n\n```sh\necho told\n```\n"), [""; 0]);
    }

    #[test]
    fn a_long_sentence_and_a_headless_one_are_reported() {
        let long = format!("{} end.\n", "word ".repeat(35));
        assert_eq!(
            faults(&long),
            [
                "a.md:1: split this sentence of 36 words (at most 35): word word word word word word…"
            ]
        );
        assert_eq!(faults(&format!("{} end.\n", "word ".repeat(34))), [""; 0]);
        assert_eq!(faults("What is left stays.\n").len(), 1);
        assert_eq!(faults("What is a plane?\n"), [""; 0]);
    }

    #[test]
    fn output_that_a_page_shows_is_covered() {
        let page = "# A\n\n```text\n$ hangar told\nnote: the caller is told\n```\n";
        assert_eq!(faults(page), ["a.md:5: `told`: write reported"]);
    }

    #[test]
    fn sentences_of_a_literal_are_measured_without_its_code_and_queries() {
        let faults = |source: &str| -> Vec<String> {
            let sentences: Vec<_> =
                literals::messages(source).iter().flat_map(literals::Literal::sentences).collect();
            sentences.iter().flat_map(|it| faults_of_sentence("a.rs:1", it)).collect()
        };
        let long = "word ".repeat(36);
        assert_eq!(faults(&format!("let a = \"{long}\";")).len(), 1);
        assert_eq!(faults(&format!("let a = \"SELECT {long}\";")), [""; 0]);
        assert_eq!(faults(&format!("let a = \"One `{long}` two. {{x}} three.\";")), [""; 0]);
        assert_eq!(faults("let a = \"what is left stays\";").len(), 1);
        assert_eq!(faults("let a = \"A list:\n  - what is left\n\nMore.\";").len(), 0);
    }
}
