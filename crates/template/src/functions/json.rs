//! JSON as templates have it: comments and single quotes are fine, and a path can pick a part of it.

use serde_json::Value as Json;

/// Reads a document. What is no JSON is read once more with its comments left out and its single quotes
/// turned into double ones: .NET reads both, and templates and the files they load rely on it.
///
/// The error says where, never what: the text may be secret.
pub(super) fn parse(text: &str) -> Result<Json, String> {
    let wrong = match serde_json::from_str(text) {
        Ok(document) => return Ok(document),
        Err(wrong) => wrong,
    };
    relaxed(text).and_then(|it| serde_json::from_str(&it).ok()).ok_or_else(|| {
        let what = match wrong.classify() {
            serde_json::error::Category::Eof => "unexpected end",
            _ => "syntax error",
        };
        format!("{what} at line {}, column {}", wrong.line(), wrong.column())
    })
}

/// The same as JSON proper, or nothing if a quote or a comment has no end.
fn relaxed(text: &str) -> Option<String> {
    let mut proper = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("/*") {
            rest = &rest[rest.find("*/")? + 2..];
            proper.push(' ');
        } else if character == '"' || character == '\'' {
            rest = quoted(&rest[1..], character, &mut proper)?;
        } else {
            proper.push(character);
            rest = &rest[character.len_utf8()..];
        }
    }
    Some(proper)
}

/// Copies what stands between quotes; gives what is behind them.
fn quoted<'a>(text: &'a str, quote: char, proper: &mut String) -> Option<&'a str> {
    proper.push('"');
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => match characters.next()?.1 {
                '\'' => proper.push('\''),
                escaped => proper.extend(['\\', escaped]),
            },
            it if it == quote => {
                proper.push('"');
                return Some(&text[at + 1..]);
            }
            '"' => proper.push_str("\\\""),
            it => proper.push(it),
        }
    }
    None
}

/// Why a path picks nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PathFault {
    /// It uses more of the language of paths than members and indices.
    NotSupported,
    /// There is no such part; the step that leads nowhere.
    Nowhere(String),
}

/// The part of a document at a path of members and indices: `$.a.b[0]['c d']`, `.a`, `a`.
pub(super) fn pick<'a>(document: &'a Json, path: &str) -> Result<&'a Json, PathFault> {
    let mut here = document;
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    while !rest.is_empty() {
        let (step, behind) = step(rest).ok_or(PathFault::NotSupported)?;
        let next = match &step {
            Step::Member(name) => here.get(name),
            Step::Index(index) => here.get(index),
        };
        here = next.ok_or_else(|| PathFault::Nowhere(rest[..rest.len() - behind.len()].into()))?;
        rest = behind;
    }
    Ok(here)
}

enum Step {
    Member(String),
    Index(usize),
}

fn step(path: &str) -> Option<(Step, &str)> {
    if let Some(inner) = path.strip_prefix('[') {
        if let Some(quote) = inner.chars().next().filter(|it| matches!(it, '\'' | '"')) {
            let (name, behind) = inner[1..].split_once(quote)?;
            let is_plain = !name.contains('\\');
            return Some((Step::Member(name.to_owned()), behind.strip_prefix(']')?))
                .filter(|_| is_plain);
        }
        let (index, behind) = inner.split_once(']')?;
        let is_number = !index.is_empty() && index.bytes().all(|it| it.is_ascii_digit());
        return Some((Step::Index(index.parse().ok()?), behind)).filter(|_| is_number);
    }
    let name = path.strip_prefix('.').unwrap_or(path);
    let (name, behind) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
    let is_plain =
        !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || "_-".contains(it));
    is_plain.then(|| (Step::Member(name.to_owned()), behind))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_single_quotes_are_read() {
        let text = "{'a': 'it\\'s \"x\"', /* 'no' */ \"b\": 'http://x', // end\n \"c\": 0.50}";
        let read = parse(text).unwrap();
        assert_eq!(read["a"], json!("it's \"x\""));
        assert_eq!(read["b"], json!("http://x"));
        assert_eq!(read["c"].to_string(), "0.50");
    }

    #[test]
    fn a_mistake_is_told_by_its_place_alone() {
        assert_eq!(parse("{\"canary\": x}"), Err("syntax error at line 1, column 12".into()));
        assert_eq!(parse("[1,"), Err("unexpected end at line 1, column 3".into()));
        assert!(parse("'open").is_err() && parse("/* open").is_err());
    }

    #[test]
    fn a_path_picks_members_and_indices() {
        let document = json!({"a": {"b c": [10, {"d": 1}]}});
        for (path, expected) in [
            ("$", Ok(document.clone())),
            ("", Ok(document.clone())),
            ("$.a['b c'][0]", Ok(json!(10))),
            (".a[\"b c\"][1].d", Ok(json!(1))),
            ("a", Ok(document["a"].clone())),
            ("$.a.x", Err(PathFault::Nowhere(".x".into()))),
            ("$.a['b c'][7]", Err(PathFault::Nowhere("[7]".into()))),
            ("$..d", Err(PathFault::NotSupported)),
            ("$.a[?(@.d > 3)]", Err(PathFault::NotSupported)),
            ("$.*", Err(PathFault::NotSupported)),
            ("$.a[-1]", Err(PathFault::NotSupported)),
        ] {
            assert_eq!(pick(&document, path).cloned(), expected, "{path}");
        }
    }
}
