//! `If-Match` and `If-None-Match`: what must be true of a thing before it is written or shown.

use hangar_engine::Condition;
use http::HeaderMap;
use http::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};

use crate::error::{ApiError, Code};
use crate::etag::ETag;

/// What a request says must be true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Conditions {
    None,
    Match(Tags),
    NoneMatch(Tags),
}

/// Entity tags with their quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tags {
    /// `*`: any that exists.
    Any,
    List(Vec<String>),
}

impl Tags {
    fn hold(&self, current: Option<&ETag>) -> bool {
        match (self, current) {
            (_, None) => false,
            (Self::Any, Some(_)) => true,
            (Self::List(tags), Some(current)) => tags.iter().any(|tag| tag == current.as_str()),
        }
    }
}

impl Conditions {
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        match (tags(headers, &IF_MATCH)?, tags(headers, &IF_NONE_MATCH)?) {
            (None, None) => Ok(Self::None),
            (Some(tags), None) => Ok(Self::Match(tags)),
            (None, Some(tags)) => Ok(Self::NoneMatch(tags)),
            (Some(_), Some(_)) => Err(ApiError::new(
                Code::InvalidHeader,
                "`If-Match` and `If-None-Match` are both set; send only one of them",
            )),
        }
    }

    /// Refuses where what is there is not what the caller says.
    pub(crate) fn check(&self, current: Option<&ETag>) -> Result<(), ApiError> {
        let holds = match self {
            Self::None => true,
            Self::Match(tags) => tags.hold(current),
            Self::NoneMatch(tags) => !tags.hold(current),
        };
        if holds { Ok(()) } else { Err(self.failed(current)) }
    }

    /// Refuses a read of something else than the caller says.
    ///
    /// `If-None-Match` changes nothing on a read: an etag tells of what its owner can change, and an
    /// answer also of what runs, so the same etag does not mean the same answer.
    pub(crate) fn check_read(&self, current: &ETag) -> Result<(), ApiError> {
        match self {
            Self::None | Self::NoneMatch(_) => Ok(()),
            Self::Match(_) => self.check(Some(current)),
        }
    }

    /// What the engine checks, in the transaction that reserves.
    pub(crate) fn for_engine(&self) -> Result<Condition, ApiError> {
        match self {
            Self::None => Ok(Condition::None),
            Self::Match(Tags::Any) => Ok(Condition::Matches(Vec::new())),
            Self::Match(Tags::List(tags)) => Ok(Condition::Matches(tags.clone())),
            Self::NoneMatch(Tags::Any) => Ok(Condition::Absent),
            Self::NoneMatch(Tags::List(_)) => Err(ApiError::new(
                Code::ConditionNotSupported,
                "a write accepts only `If-None-Match: *`; use `If-Match` with the tag that you read",
            )),
        }
    }

    /// Refuses any condition where there is nothing that it could be about.
    pub(crate) fn refuse(&self) -> Result<(), ApiError> {
        let why = "AWS resources have no entity tag; write through a reference to use `If-Match`";
        self.refuse_because(why)
    }

    /// Refuses any condition where none is checked.
    pub(crate) fn refuse_because(&self, why: &str) -> Result<(), ApiError> {
        match self {
            Self::None => Ok(()),
            _ => Err(ApiError::new(Code::ConditionNotSupported, why)),
        }
    }

    fn failed(&self, current: Option<&ETag>) -> ApiError {
        let message = match (self, current) {
            (Self::NoneMatch(_), _) => {
                "it already exists, but `If-None-Match` requires that it does not"
            }
            (_, None) => "it does not exist, but `If-Match` requires that it does",
            (_, Some(_)) => {
                "it has changed since then; read it again, and send its `etag` in `If-Match`"
            }
        };
        ApiError::new(Code::PreconditionFailed, message)
    }
}

fn tags(headers: &HeaderMap, name: &HeaderName) -> Result<Option<Tags>, ApiError> {
    let wrong = || {
        let message = format!("the header `{name}` contains neither `*` nor entity tags");
        ApiError::new(Code::InvalidHeader, message)
    };
    let mut list = Vec::new();
    for value in headers.get_all(name) {
        for tag in value.to_str().map_err(|_| wrong())?.split(',').map(str::trim) {
            match tag {
                "" => return Err(wrong()),
                "*" => return Ok(Some(Tags::Any)),
                // A weak tag is never equal in a strong comparison; kept with its mark it is not.
                weak if weak.starts_with("W/") => list.push(weak.to_owned()),
                // Tags without quotes are no tags, and what people send.
                tag => list.push(format!("\"{}\"", tag.trim_matches('"'))),
            }
        }
    }
    Ok((!list.is_empty()).then_some(Tags::List(list)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use serde_json::json;

    fn conditions(given: &[(HeaderName, &'static str)]) -> Result<Conditions, ApiError> {
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.append(name.clone(), HeaderValue::from_static(value));
        }
        Conditions::of(&headers)
    }

    #[test]
    fn conditions_hold_as_the_table_says() {
        let tag = ETag::test("\"a\"");
        let table = [
            (IF_MATCH, "\"a\"", true, false),
            (IF_MATCH, "a", true, false),
            (IF_MATCH, "\"b\"", false, false),
            (IF_MATCH, "\"b\", \"a\"", true, false),
            (IF_MATCH, "W/\"a\"", false, false),
            (IF_MATCH, "*", true, false),
            (IF_NONE_MATCH, "*", false, true),
            (IF_NONE_MATCH, "\"a\"", false, true),
            (IF_NONE_MATCH, "\"b\"", true, true),
        ];
        for (name, value, when_present, when_absent) in table {
            let conditions = conditions(&[(name.clone(), value)]).unwrap();
            assert_eq!(conditions.check(Some(&tag)).is_ok(), when_present, "{name} {value}");
            assert_eq!(conditions.check(None).is_ok(), when_absent, "{name} {value} absent");
        }
        assert!(Conditions::None.check(None).is_ok());
    }

    #[test]
    fn what_cannot_be_checked_is_refused() {
        assert!(conditions(&[(IF_MATCH, "*"), (IF_NONE_MATCH, "*")]).is_err());
        assert!(conditions(&[(IF_MATCH, "a,,b")]).is_err());
        let listed = conditions(&[(IF_NONE_MATCH, "\"a\"")]).unwrap();
        assert_eq!(listed.for_engine().unwrap_err().code(), "ConditionNotSupported");
        assert!(listed.refuse().is_err());
        assert!(Conditions::None.refuse().is_ok());
    }

    #[test]
    fn the_engine_is_told_what_to_check() {
        let engine = |name, value| conditions(&[(name, value)]).unwrap().for_engine().unwrap();
        assert_eq!(engine(IF_MATCH, "*"), Condition::Matches(vec![]));
        assert_eq!(engine(IF_MATCH, "\"a\""), Condition::Matches(vec!["\"a\"".into()]));
        assert_eq!(engine(IF_NONE_MATCH, "*"), Condition::Absent);
    }

    #[test]
    fn a_failed_condition_is_412() {
        let error = conditions(&[(IF_MATCH, "\"x\"")]).unwrap().check(None).unwrap_err();
        assert_eq!(error.status(), 412);
        assert_eq!(error.body()["error"]["code"], json!("PreconditionFailed"));
    }
}
