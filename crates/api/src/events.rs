//! What happens to an operation, as a stream of server-sent events that goes on where another left off.
//!
//! Everything that is told is read from the store: word of a change (`Engine::watch`) only shortens the wait, and
//! what is lost of it is found at the next look. So a stream may end anywhere and go on at another server.

mod frame;
mod stream;
mod watch;

pub(crate) use stream::EventBody;
pub(crate) use watch::{Terms, Watch};

use http::HeaderMap;

use crate::error::{ApiError, Code};
use crate::query::{self, Query};

/// The media type of a stream of events.
pub(crate) const MEDIA: &str = "text/event-stream";

/// The parameter that says after which event to begin.
pub(crate) const AFTER: &str = "after";

const LAST_EVENT_ID: &str = "last-event-id";

/// The event after which a caller wants to be told more, by the query alone.
pub(crate) fn asked_after(query: &Query) -> Result<u64, ApiError> {
    match query.one(AFTER)? {
        None => Ok(0),
        Some(text) => sequence(text).ok_or_else(|| query::wrong(AFTER, NOT_A_SEQUENCE)),
    }
}

/// The event that a caller heard last. A browser that was cut off repeats its URL and says in a header how far it
/// had come, so that the header counts.
pub(crate) fn heard_last(headers: &HeaderMap, asked: u64) -> Result<u64, ApiError> {
    let mut all = headers.get_all(LAST_EVENT_ID).iter();
    let Some(value) = all.next() else { return Ok(asked) };
    let found = value.to_str().ok().and_then(sequence).filter(|_| all.next().is_none());
    found.ok_or_else(|| {
        let message = format!("the header `Last-Event-ID` {NOT_A_SEQUENCE}");
        ApiError::new(Code::InvalidHeader, message)
    })
}

const NOT_A_SEQUENCE: &str = "is not the `id` of an event: a whole number";

fn sequence(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_header_counts_and_what_is_no_number_is_refused() {
        let query = Query::parse(Some("after=3")).unwrap();
        let asked = asked_after(&query).unwrap();
        assert_eq!(asked, 3);
        assert_eq!(heard_last(&HeaderMap::new(), asked).unwrap(), 3);
        let with = |text: &str| {
            let value = HeaderValue::from_str(text).unwrap();
            heard_last(&HeaderMap::from_iter([("last-event-id".parse().unwrap(), value)]), asked)
        };
        assert_eq!(with("7").unwrap(), 7);
        for wrong in ["", "-1", "+1", "x", "1.5", "99999999999999999999"] {
            assert_eq!(with(wrong).unwrap_err().code(), "InvalidHeader", "{wrong}");
            let query = Query::parse(Some(&format!("after={}", query::encode(wrong)))).unwrap();
            assert_eq!(asked_after(&query).unwrap_err().code(), "InvalidQueryParameter", "{wrong}");
        }
    }
}
