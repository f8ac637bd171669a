//! Paths in an object as people write them: `a.b`, `a.0`, `a[0]`, `a["b.c"]`.

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Between dots: it may be a part of a name that has dots itself.
    Plain(String),
    /// In brackets: the whole name, or the number of an element.
    Whole(String),
}

impl Step {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Whole(text) => text,
        }
    }
}

/// Steps of a path; none that anybody wrote has more.
const MOST_STEPS: usize = 100;

/// The steps, or what is wrong.
pub(super) fn parse(path: &str) -> Result<Vec<Step>, &'static str> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if steps.len() == MOST_STEPS {
            return Err("it has too many steps");
        }
        if let Some(behind) = rest.strip_prefix('[') {
            let (name, behind) = bracketed(behind)?;
            steps.push(Step::Whole(name));
            rest = behind;
            if let Some(behind) = rest.strip_prefix('.') {
                if behind.is_empty() {
                    return Err("it ends with a dot");
                }
                rest = behind;
            } else if !rest.is_empty() && !rest.starts_with('[') {
                return Err("`]` must be followed by a dot or another bracket");
            }
            continue;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        if end == 0 {
            return Err("a name is missing next to a dot");
        }
        steps.push(Step::Plain(rest[..end].to_owned()));
        rest = &rest[end..];
        if let Some(behind) = rest.strip_prefix('.') {
            if behind.is_empty() {
                return Err("it ends with a dot");
            }
            rest = behind;
        }
    }
    Ok(steps)
}

/// What is in a bracket, and what is behind it.
fn bracketed(text: &str) -> Result<(String, &str), &'static str> {
    let Some(inner) = text.strip_prefix('"') else {
        let (name, behind) = text.split_once(']').ok_or("a bracket is not closed")?;
        if name.is_empty() {
            return Err("a bracket is empty");
        }
        return Ok((name.to_owned(), behind));
    };
    let mut name = String::new();
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some((_, escaped @ ('"' | '\\'))) => name.push(escaped),
                _ => return Err("`\\` must be followed by a quote or another `\\`"),
            },
            '"' => {
                let behind = inner[at + 1..].strip_prefix(']');
                return behind.map(|behind| (name, behind)).ok_or("a bracket is not closed");
            }
            _ => name.push(letter),
        }
    }
    Err("a quote is not closed")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_are_read_in_every_way_of_writing_them() {
        let read = |path: &str| {
            let steps = parse(path).unwrap_or_else(|problem| panic!("{path}: {problem}"));
            steps.iter().map(|step| format!("{step:?}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(read(""), "");
        assert_eq!(read("a.0.b-c"), r#"Plain("a") Plain("0") Plain("b-c")"#);
        assert_eq!(read("a[0][x].b"), r#"Plain("a") Whole("0") Whole("x") Plain("b")"#);
        assert_eq!(read(r#"["a.b"]["c]\"\\"]"#), r#"Whole("a.b") Whole("c]\"\\")"#);
        for path in [
            ".",
            "a.",
            ".a",
            "a..b",
            "a[",
            "a[]",
            "a[\"b]",
            "a[0]b",
            "a[\"b\"",
            "a[\"\\n\"]",
            "[0].",
        ] {
            assert!(parse(path).is_err(), "{path}");
        }
        assert!(parse(&"a.".repeat(1000)).is_err());
    }

    proptest! {
        #[test]
        fn no_path_panics(path in any::<String>(), other in "[a.\\[\\]\"\\\\0]{0,20}") {
            let _ = (parse(&path), parse(&other));
        }
    }
}
