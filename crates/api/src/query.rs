//! The query of a URL: names and values, decoded exactly once; a name given twice is a mistake.

use hangar_ids::decode;

use crate::error::{ApiError, Code};

/// The parameters of a URL. Names compare without case, as everywhere in ARM.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, ApiError> {
        let mut parameters = Vec::new();
        for pair in text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            parameters.push((decoded(name)?, decoded(value)?));
        }
        Ok(Self(parameters))
    }

    /// The value of a parameter, if it is given; an error if it is given twice.
    pub(crate) fn one(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(given, _)| given.eq_ignore_ascii_case(name));
        let first = values.next();
        if values.next().is_some() {
            return Err(wrong(name, "is set twice"));
        }
        Ok(first.map(|(_, value)| value.as_str()))
    }

    /// What a `true` or `false` parameter says; `false` where it is not given.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, ApiError> {
        match self.one(name)? {
            None => Ok(false),
            Some(value) if value.eq_ignore_ascii_case("true") => Ok(true),
            Some(value) if value.eq_ignore_ascii_case("false") => Ok(false),
            Some(_) => Err(wrong(name, "is neither `true` nor `false`")),
        }
    }

    /// The parameters whose name begins with `prefix`, under the rest of their names.
    pub(crate) fn with_prefix(&self, prefix: &str) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(move |(name, value)| {
            let begins = name.get(..prefix.len())?.eq_ignore_ascii_case(prefix);
            begins.then(|| (&name[prefix.len()..], value.as_str()))
        })
    }
}

/// A parameter that cannot be used.
pub(crate) fn wrong(name: &str, why: &str) -> ApiError {
    ApiError::new(Code::InvalidQueryParameter, format!("the query parameter `{name}` {why}"))
        .with_target(name)
}

fn decoded(text: &str) -> Result<String, ApiError> {
    decode(&text.replace('+', " "))
        .map_err(|found| ApiError::diagnosed(Code::InvalidQueryParameter, &found))
}

/// Encodes a name or a value of a query: all but RFC 3986's unreserved characters, `$` and `:`.
pub(crate) fn encode(text: &str) -> String {
    percent_encode(text, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'$' | b':')
    })
}

/// Encodes every byte but those that may stay.
pub(crate) fn percent_encode(text: &str, may_stay: impl Fn(u8) -> bool) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if may_stay(byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_once_and_found_in_any_case() {
        let query = Query::parse(Some("%24Top=5&parent.RestApiId=a%2520+b&x")).unwrap();
        assert_eq!(query.one("$top").unwrap(), Some("5"));
        assert_eq!(query.one("x").unwrap(), Some(""));
        assert_eq!(query.one("y").unwrap(), None);
        assert_eq!(query.with_prefix("parent.").collect::<Vec<_>>(), [("RestApiId", "a%20 b")]);
    }

    #[test]
    fn what_is_given_twice_or_cannot_be_decoded_is_refused() {
        let twice = Query::parse(Some("a=1&A=1")).unwrap().one("a").unwrap_err();
        assert_eq!(twice.code(), "InvalidQueryParameter");
        for text in ["a=%00", "a=%zz", "a=%ff", "%00=a"] {
            assert_eq!(Query::parse(Some(text)).unwrap_err().code(), "InvalidQueryParameter");
        }
    }

    #[test]
    fn what_is_encoded_reads_back() {
        let text = "a b+c&d=e/é%\u{1F600}";
        let query = Query::parse(Some(&format!("k={}", encode(text)))).unwrap();
        assert_eq!(query.one("k").unwrap(), Some(text));
    }
}
