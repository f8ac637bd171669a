//! The string literals of a Rust file that may reach a user: not those of tests, comments, assertions and `expect`.
//!
//! It reads characters, not a syntax tree: enough to find a phrase and its line.

use crate::prose::{CODE, Sentence, split_sentences};

/// A text with the line on which it starts, from 1.
pub(super) struct Literal {
    pub(super) text: String,
    pub(super) line: usize,
}

impl Literal {
    /// The sentences of the text without code in backticks. A database query has none, and neither have indented lines,
    /// which are examples and lists.
    pub(super) fn sentences(&self) -> Vec<Sentence> {
        if QUERIES.iter().any(|word| self.text.trim_start().starts_with(word)) {
            return Vec::new();
        }
        let paragraphs = prose(&self.text);
        let sentences = paragraphs.iter().flat_map(|paragraph| split_sentences(paragraph));
        sentences.map(|text| Sentence { text: without_code(text), line: self.line }).collect()
    }
}

/// How a query begins.
const QUERIES: [&str; 9] =
    ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ", "CREATE ", "ALTER ", "MERGE ", "DROP "];

/// The paragraphs of a text, without indented lines.
fn prose(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        // A line that starts with a tag of HTML is a block of its own.
        let is_block = line.is_empty() || line.starts_with('<');
        let is_indented = line.starts_with([' ', '\t']) && !paragraphs[0].is_empty();
        if is_block || is_indented {
            paragraphs.push(String::new());
        }
        if let Some(last) = paragraphs.last_mut().filter(|_| !is_indented) {
            last.push_str(line);
            last.push(' ');
        }
    }
    paragraphs
}

/// The text with one word for each piece of code.
fn without_code(text: &str) -> String {
    let mut parts = text.split('`');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(after) => kept.extend([CODE, after]),
            None => kept.push_str(code),
        }
    }
    kept
}

/// Code before a literal that no user reads.
const INTERNAL: [&str; 9] = [
    "expect(",
    "expect_err(",
    "reason = ",
    "unreachable!(",
    "assert!(",
    "debug_assert!(",
    "panic!(",
    "todo!(",
    "prepare(",
];

/// The literals with at least two words, without those of `#[cfg(test)]` items.
pub(super) fn messages(source: &str) -> Vec<Literal> {
    let source = before_tests(source);
    let mut found = Vec::new();
    let mut rest = source;
    let mut before = String::new();
    while let Some(c) = rest.chars().next() {
        let at = source.len() - rest.len();
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some(hashes) = raw_start(rest, &before) {
            let open = 2 + hashes;
            let end = format!("\"{}", "#".repeat(hashes));
            let length = rest[open..].find(&end).unwrap_or(rest.len() - open);
            add(&mut found, &before, &rest[open..open + length], line_of(source, at));
            rest = rest.get(open + length + end.len()..).unwrap_or("");
            before.clear();
        } else if c == '"' {
            let length = end_of_string(&rest[1..]);
            add(&mut found, &before, &unescaped(&rest[1..=length]), line_of(source, at));
            rest = rest.get(length + 2..).unwrap_or("");
            before.clear();
        } else if let Some(length) = character(rest) {
            rest = &rest[length..];
        } else {
            before.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

fn line_of(source: &str, at: usize) -> usize {
    source[..at].matches('\n').count() + 1
}

fn add(found: &mut Vec<Literal>, before: &str, text: &str, line: usize) {
    let before = before.trim_end();
    let is_internal = INTERNAL.iter().any(|code| before.ends_with(code.trim_end()));
    if !is_internal && text.trim().contains(' ') {
        found.push(Literal { text: without_placeholders(text), line });
    }
}

/// The text without `{names}`, which are code.
fn without_placeholders(text: &str) -> String {
    let mut kept = String::new();
    for part in text.split('{') {
        kept.push_str(part.split_once('}').map_or(part, |(_, after)| after));
        kept.push(' ');
    }
    kept.trim_end().to_owned()
}

/// The source up to the tests at its end.
fn before_tests(source: &str) -> &str {
    source.find("\n#[cfg(test)]\nmod tests {").map_or(source, |end| &source[..end])
}

/// How many `#` a raw string has that starts here.
fn raw_start(text: &str, before: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then_some(hashes)
}

/// The length of a string's content.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// The text with continued lines joined, and each line break a paragraph. Other escapes are left as they are.
fn unescaped(text: &str) -> String {
    let mut whole = String::new();
    let mut parts = text.split("\\\n");
    whole.push_str(parts.next().unwrap_or_default());
    for part in parts {
        whole.push_str(part.trim_start());
    }
    whole.replace("\\n", "\n\n").replace("\\\"", "\"")
}

/// The length of a character literal, such as `'"'`, so that its quote opens no string.
fn character(text: &str) -> Option<usize> {
    let after = text.strip_prefix('\'')?;
    let content = if after.starts_with('\\') { 2 } else { after.chars().next()?.len_utf8() };
    after.get(content..)?.starts_with('\'').then_some(content + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<(usize, String)> {
        messages(source).into_iter().map(|it| (it.line, it.text)).collect()
    }

    #[test]
    fn messages_are_found_and_what_no_user_reads_is_not() {
        let source = "// a \"comment here\"\nlet a = \"one two\";\nb.expect(\"never read\");\nlet c = '\"';\n\
                      let d = r#\"raw \"text\"\"#;\nlet e = \"word\";\nlet f = \"long \\\n    line\";\n\
                      #[cfg(test)]\nmod tests { const A: &str = \"in tests\"; }\n";
        let found = texts(source);
        let expected = [(2, "one two"), (5, "raw \"text\""), (7, "long line")];
        assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
    }
}
