//! The way in to a Terraform state: the token as everywhere, and HTTP Basic, which is all that Terraform knows.
//!
//! A run of a recipe shows its own word there, and is let in to the state of its recipe only. Who is refused is not
//! told what was wrong.

use hangar_engine::RunId;
use hangar_plan::operation::OperationId;
use hangar_plan::record::RecipeName;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::body::decode_base64;
use crate::error::ApiError;
use crate::failure::of_refusal;
use crate::shared::Shared;

/// Lets a request in to the state of a recipe: the operation whose run it is, if it is one.
pub(crate) async fn enter(
    shared: &Shared,
    recipe: &RecipeName,
    headers: &HeaderMap,
) -> Result<Option<OperationId>, ApiError> {
    let refused = |_| ApiError::unknown_to_state();
    match Shown::of(headers) {
        Shown::Else => shared.guard.check_token(headers).map(|()| None).map_err(refused),
        Shown::Unreadable => Err(ApiError::unknown_to_state()),
        Shown::Basic { user, password } => {
            if shared.guard.is_token(&password) {
                return Ok(None);
            }
            let run = shared.reads.state_admitted(recipe, &user, &password).await;
            match run.map_err(|failure| of_refusal(&failure))? {
                Some(operation) => Ok(Some(operation)),
                // Where anybody may ask, a run that is over still may not: another one has taken its place.
                None if shared.guard.is_open() && RunId::parse(&user).is_none() => Ok(None),
                None => Err(ApiError::unknown_to_state()),
            }
        }
    }
}

/// What a request shows of itself.
#[derive(PartialEq, Eq)]
enum Shown {
    Basic {
        user: String,
        password: String,
    },
    /// More than one, or what claims to be Basic and is not.
    Unreadable,
    /// What the guard knows how to judge.
    Else,
}

const BASIC: &[u8] = b"Basic ";

impl Shown {
    fn of(headers: &HeaderMap) -> Self {
        let mut all = headers.get_all(AUTHORIZATION).iter();
        let (Some(given), None) = (all.next(), all.next()) else {
            return if headers.contains_key(AUTHORIZATION) { Self::Unreadable } else { Self::Else };
        };
        let given = given.as_bytes();
        let (scheme, credentials) = given.split_at(given.len().min(BASIC.len()));
        if !scheme.eq_ignore_ascii_case(BASIC) {
            return Self::Else;
        }
        Self::basic(credentials.trim_ascii()).unwrap_or(Self::Unreadable)
    }

    /// RFC 7617: `user:password` in base64; the first colon divides them.
    fn basic(credentials: &[u8]) -> Option<Self> {
        let decoded = decode_base64(std::str::from_utf8(credentials).ok()?).ok()?;
        let text = String::from_utf8(decoded).ok()?;
        let (user, password) = text.split_once(':')?;
        Some(Self::Basic { user: user.to_owned(), password: password.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn shown(given: &[&'static str]) -> Shown {
        let mut headers = HeaderMap::new();
        for value in given {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        Shown::of(&headers)
    }

    #[test]
    fn basic_is_read_and_what_only_claims_to_be_is_not() {
        let basic = |user: &str, password: &str| Shown::Basic {
            user: user.to_owned(),
            password: password.to_owned(),
        };
        assert!(shown(&["Basic YTpiOmM="]) == basic("a", "b:c"));
        assert!(shown(&["basic  Og=="]) == basic("", ""));
        for given in ["Basic ", "Basic YQ==", "Basic YTpi!", "Basic YTr/", "Basic YTpiOmM"] {
            assert!(shown(&[given]) == Shown::Unreadable, "{given}");
        }
        assert!(shown(&["Basic YTpiOmM=", "Basic YTpiOmM="]) == Shown::Unreadable);
        assert!(shown(&["Bearer x", "Basic YTpiOmM="]) == Shown::Unreadable);
        for given in [&[][..], &["Bearer x"], &["Basic"], &[""]] {
            assert!(shown(given) == Shown::Else, "{given:?}");
        }
    }
}
