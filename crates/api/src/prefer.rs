//! `Prefer`: how long a write may wait for its end before it answers.

use std::time::Duration;

use http::HeaderMap;

/// How long a write waits where nobody says, and never longer than [`LONGEST`].
const USUAL: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(30);

/// How long a write waits for its end. What cannot be read is no preference (RFC 7240).
pub(crate) fn wait(headers: &HeaderMap) -> Duration {
    let mut at_once = false;
    for value in headers.get_all("prefer") {
        for preference in value.to_str().unwrap_or_default().split([',', ';']).map(str::trim) {
            let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
            let name = name.trim();
            if name.eq_ignore_ascii_case("respond-async") {
                at_once = true;
            } else if name.eq_ignore_ascii_case("wait")
                && let Ok(seconds) = value.trim().trim_matches('"').parse()
            {
                return Duration::from_secs(seconds).min(LONGEST);
            }
        }
    }
    if at_once { Duration::ZERO } else { USUAL }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_wait_is_what_is_preferred_within_limits() {
        for (given, seconds) in [
            ("", 2),
            ("respond-async", 0),
            ("Respond-Async, wait=5", 5),
            ("wait=5", 5),
            ("wait=\"7\"", 7),
            ("wait=999999999", 30),
            ("wait=0", 0),
            ("wait=-1", 2),
            ("wait=soon", 2),
            ("return=minimal; wait=3", 3),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("prefer", HeaderValue::from_static(given));
            assert_eq!(wait(&headers), Duration::from_secs(seconds), "{given}");
        }
        assert_eq!(wait(&HeaderMap::new()), USUAL);
    }
}
