//! The body of a Query call: `application/x-www-form-urlencoded`.

use std::collections::BTreeMap;

use super::error::QueryError;
use crate::wire::percent;

/// A list may have so many members.
const MAX_MEMBERS: usize = 1000;

/// The parameters of a form, each at most once.
#[derive(Debug)]
pub(super) struct Form(BTreeMap<String, String>);

impl Form {
    /// Reads a form. A name given twice is refused: one of its values would be lost in silence.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, QueryError> {
        let mut parameters = BTreeMap::new();
        for pair in bytes.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            let name = decode(&pair[..at])?;
            let value = decode(pair.get(at + 1..).unwrap_or_default())?;
            if parameters.insert(name, value).is_some() {
                return Err(QueryError::Malformed);
            }
        }
        Ok(Self(parameters))
    }

    /// The number of members of a list, `Name.member.1` and so on.
    pub(super) fn count(&self, list: &str) -> usize {
        let prefix = format!("{list}.member.");
        let number = |name: &String| {
            let rest = name.strip_prefix(&prefix)?;
            rest.split('.').next()?.parse::<usize>().ok()
        };
        // What is beyond any list that AWS takes is not looked for one by one.
        self.0.keys().filter_map(number).max().unwrap_or(0).min(MAX_MEMBERS)
    }

    /// The value of a parameter, which may be empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

fn decode(text: &[u8]) -> Result<String, QueryError> {
    let spaced: Vec<u8> =
        text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent::decode(&spaced)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or(QueryError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded() {
        let form = Form::parse(b"a=1+2%2B3&&b=&c&d%3D=%C3%A9=x").unwrap();
        assert_eq!(form.get("a"), Some("1 2+3"));
        assert_eq!((form.get("b"), form.get("c")), (Some(""), Some("")));
        assert_eq!(form.get("d="), Some("é=x"));
        assert_eq!(form.get("e"), None);
        assert!(Form::parse(b"").unwrap().0.is_empty());
    }

    #[test]
    fn broken_escapes_bytes_that_are_no_text_and_repeated_names_are_refused() {
        for form in [&b"a=%"[..], b"a=%zz", b"a=%FF", b"\xff=1", b"a=1&a=1"] {
            assert_eq!(Form::parse(form).unwrap_err(), QueryError::Malformed, "{form:?}");
        }
    }
}
