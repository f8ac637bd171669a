//! `api-version`: any that is well formed is taken, because there is one behaviour.

use crate::error::{ApiError, Code};
use crate::query::Query;

/// A well-formed version: `2023-10-01` or `2023-10-01-preview`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiVersion(String);

impl ApiVersion {
    /// The version that a request names, if it names one.
    pub(crate) fn of(query: &Query) -> Result<Option<Self>, ApiError> {
        match query.one("api-version")? {
            None => Ok(None),
            Some(text) if is_well_formed(text) => Ok(Some(Self(text.to_owned()))),
            Some(text) => Err(ApiError::new(
                Code::InvalidApiVersionParameter,
                format!(
                    "the api-version `{text}` is not of the form `2023-10-01` or `2023-10-01-preview`"
                ),
            )),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a write that must name one is told when it does not.
pub(crate) fn missing() -> ApiError {
    ApiError::new(
        Code::MissingApiVersionParameter,
        "the query parameter `api-version` is missing; add `?api-version=2023-10-01-preview`",
    )
}

const SUFFIXES: [&str; 5] = ["preview", "alpha", "beta", "rc", "privatepreview"];

fn is_well_formed(text: &str) -> bool {
    let mut parts = text.splitn(4, '-');
    let mut number = |digits: usize, least: u32, most: u32| {
        parts.next().is_some_and(|part| {
            part.len() == digits
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && part.parse().is_ok_and(|value: u32| (least..=most).contains(&value))
        })
    };
    let is_date = number(4, 1, 9999) && number(2, 1, 12) && number(2, 1, 31);
    let known = |suffix: &str| SUFFIXES.iter().any(|known| known.eq_ignore_ascii_case(suffix));
    is_date && parts.next().is_none_or(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_with_and_without_a_suffix_are_versions() {
        for text in ["2023-10-01", "2023-10-01-preview", "2022-01-31-Alpha", "2021-04-01-rc"] {
            assert!(is_well_formed(text), "{text}");
        }
        for text in
            ["", "1", "v1", "2023-13-01", "2023-1-01", "2023-10-01-", "2023-10-01-x", "+023-10-01"]
        {
            assert!(!is_well_formed(text), "{text}");
        }
    }

    #[test]
    fn an_empty_one_is_malformed_and_none_is_none() {
        let of = |text| ApiVersion::of(&Query::parse(Some(text)).unwrap());
        assert_eq!(of("x=1").unwrap(), None);
        assert_eq!(of("api-version=").unwrap_err().code(), "InvalidApiVersionParameter");
        assert_eq!(of("Api-Version=2023-10-01").unwrap().unwrap().as_str(), "2023-10-01");
    }
}
