//! The documentation as a book: every page is in its table of contents, and every link leads somewhere.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::prose::Page;
use crate::workspace::{Root, stream};

const CONTENTS: &str = "docs/SUMMARY.md";

/// Checks links and anchors always, and builds the book if mdBook is installed.
pub(crate) fn check(root: &Root) -> Result<String> {
    let pages = read_pages(root)?;
    let mut faults = Vec::new();
    let mut links = 0;
    for (name, page) in &pages {
        for link in page.links() {
            links += 1;
            if let Some(fault) = fault_of(root, &pages, name, &link.target) {
                faults.push(format!("{name}:{}: {fault}", link.line));
            }
        }
    }
    faults.extend(missing_pages(&pages));
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    let built = match root.command("mdbook", &["--version"]).output() {
        Ok(_) => {
            stream(root.command("mdbook", &["build", "--dest-dir", "target/book"]))?;
            "built by mdBook"
        }
        Err(_) => "not built, mdbook is not installed",
    };
    Ok(format!("{} pages, {links} links; {built}", pages.len()))
}

/// The Markdown files at the root and in docs/, by their path.
fn read_pages(root: &Root) -> Result<BTreeMap<String, Page>> {
    let mut pages = BTreeMap::new();
    for folder in ["", "docs", "npm"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "md") {
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                pages.insert(root.relative(&path).display().to_string(), Page::parse(&text));
            }
        }
    }
    Ok(pages)
}

/// Why a link leads nowhere. Links to the web are not followed.
fn fault_of(
    root: &Root,
    pages: &BTreeMap<String, Page>,
    from: &str,
    target: &str,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let name = if path.is_empty() { from.to_owned() } else { joined(from, path) };
    if !root.join(&name).exists() {
        return Some(format!("the link `{target}` leads to no file"));
    }
    let page = pages.get(&name);
    let is_known = anchor.is_empty() || page.is_none_or(|page| page.has_anchor(anchor));
    (!is_known).then(|| format!("the link `{target}` leads to no heading"))
}

/// A relative path from a page, without `.` and `..`.
fn joined(from: &str, path: &str) -> String {
    let mut whole = Path::new(from).parent().map(Path::to_owned).unwrap_or_default();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole.display().to_string()
}

/// Pages of docs/ that the table of contents does not name.
fn missing_pages(pages: &BTreeMap<String, Page>) -> Vec<String> {
    let Some(contents) = pages.get(CONTENTS) else { return vec![format!("{CONTENTS} is missing")] };
    let named: Vec<String> =
        contents.links().iter().map(|link| joined(CONTENTS, &link.target)).collect();
    let is_missing =
        |name: &&String| name.starts_with("docs/") && *name != CONTENTS && !named.contains(name);
    pages.keys().filter(is_missing).map(|name| format!("{CONTENTS} does not name {name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_the_contents_do_not_name_is_reported() {
        let page = |name: &str, text: &str| (name.to_owned(), Page::parse(text));
        let pages = BTreeMap::from([
            page(CONTENTS, "- [A](a.md)\n"),
            page("docs/a.md", "# A\n"),
            page("docs/b.md", "# B\n"),
            page("README.md", "# R\n"),
        ]);
        assert_eq!(missing_pages(&pages), ["docs/SUMMARY.md does not name docs/b.md"]);
    }

    #[test]
    fn paths_are_joined_from_the_folder_of_a_page() {
        assert_eq!(joined("docs/a.md", "../README.md"), "README.md");
        assert_eq!(joined("docs/a.md", "./b.md"), "docs/b.md");
    }
}
