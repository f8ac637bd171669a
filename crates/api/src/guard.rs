//! Who may come in: the right host, no foreign page, the right token. Pure, and before all else.

use std::net::IpAddr;

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, Uri};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::{ApiError, Code};
use crate::urls::Urls;

/// What a caller must show.
pub(crate) struct Guard {
    /// The hash of the token; nothing is asked where there is none.
    token: Option<[u8; 32]>,
    /// The public URL's host.
    host: String,
    /// The public URL's origin.
    origin: String,
    /// Where we listen: loopback names with this port are our own pages.
    port: u16,
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").field("host", &self.host).finish_non_exhaustive()
    }
}

impl Guard {
    pub(crate) fn new(token: Option<&str>, urls: &Urls, port: u16) -> Self {
        Self {
            token: token.map(|token| Sha256::digest(token.as_bytes()).into()),
            host: urls.host().to_ascii_lowercase(),
            origin: urls.origin().to_ascii_lowercase(),
            port,
        }
    }

    /// Refuses requests that a browser was tricked into: DNS rebinding shows in `Host`, a page of
    /// another site in `Origin`.
    pub(crate) fn check_place(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let hosts = headers.get_all(HOST);
        let mut named = hosts.iter().map(|value| value.to_str().unwrap_or_default());
        let written = uri.authority().map(Authority::as_str);
        let (first, second) = (named.next().or(written), named.next());
        let is_ours = |authority: &str| self.is_our_host(authority);
        let all = second.is_none() && first.is_some_and(is_ours) && written.is_none_or(is_ours);
        if !all {
            let message = format!(
                "this server does not serve the host `{}`; use a loopback name, or the host of its \
                 public URL",
                first.unwrap_or_default().escape_debug()
            );
            return Err(ApiError::new(Code::MisdirectedRequest, message));
        }
        let foreign = headers
            .get_all(ORIGIN)
            .iter()
            .find(|origin| !self.is_our_origin(origin.to_str().unwrap_or_default()));
        match foreign {
            None => Ok(()),
            Some(_) => Err(ApiError::new(
                Code::ForeignOrigin,
                "pages of other sites are not allowed to use this server",
            )),
        }
    }

    /// Refuses requests without the token. The comparison takes as long for a wrong one as for a right one.
    pub(crate) fn check_token(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let Some(expected) = &self.token else { return Ok(()) };
        let mut all = headers.get_all(AUTHORIZATION).iter();
        let Some(given) = all.next() else {
            return Err(ApiError::unauthenticated(
                "the request has no token; send `Authorization: Bearer <token>` with the token \
                 from the file `token` in the data directory",
            ));
        };
        if all.next().is_some() {
            // Which of them counts would be anybody's guess.
            return Err(ApiError::unauthenticated("the request has more than one token; send one"));
        }
        let given = given.as_bytes();
        let (scheme, token) = given.split_at(given.len().min(BEARER.len()));
        let hash: [u8; 32] = Sha256::digest(token.trim_ascii()).into();
        if scheme.eq_ignore_ascii_case(BEARER) && bool::from(hash.ct_eq(expected)) {
            return Ok(());
        }
        Err(ApiError::unauthenticated(
            "the token does not belong to this server; its token is in the file `token` in the \
             data directory",
        ))
    }

    /// Whether a text is the token; it never is where none is asked for. Takes as long for any text.
    pub(crate) fn is_token(&self, text: &str) -> bool {
        let hash: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        self.token.as_ref().is_some_and(|expected| bool::from(hash.ct_eq(expected)))
    }

    /// Whether anybody may ask.
    pub(crate) fn is_open(&self) -> bool {
        self.token.is_none()
    }

    fn is_our_host(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<Authority>() else { return false };
        // User information in a host is a trick.
        if authority.as_str().contains('@') {
            return false;
        }
        is_loopback(authority.host()) || authority.host().eq_ignore_ascii_case(&self.host)
    }

    fn is_our_origin(&self, origin: &str) -> bool {
        if origin.eq_ignore_ascii_case(&self.origin) {
            return true;
        }
        let Some(authority) = origin.strip_prefix("http://") else { return false };
        authority.parse::<Authority>().is_ok_and(|authority| {
            is_loopback(authority.host()) && authority.port_u16().unwrap_or(80) == self.port
        })
    }
}

const BEARER: &[u8] = b"Bearer ";

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn guard() -> Guard {
        let urls =
            Urls::new(Some("https://hangar.example/x"), "", "127.0.0.1:7700".parse().unwrap());
        Guard::new(Some("secret"), &urls.unwrap(), 7700)
    }

    fn place(host: Option<&str>, origin: Option<&str>) -> u16 {
        let mut headers = HeaderMap::new();
        for (name, value) in [(HOST, host), (ORIGIN, origin)] {
            if let Some(value) = value {
                headers.insert(name, HeaderValue::from_str(value).unwrap());
            }
        }
        let checked = guard().check_place(&Uri::from_static("/x"), &headers);
        checked.map_or_else(|error| error.status().as_u16(), |()| 200)
    }

    #[test]
    fn only_our_own_names_are_answered_for() {
        for host in [
            "127.0.0.1:7700",
            "127.9.9.9",
            "localhost:1",
            "LOCALHOST",
            "[::1]:7700",
            "hangar.example",
        ] {
            assert_eq!(place(Some(host), None), 200, "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "10.0.0.1",
            "",
            "evil@localhost",
            "localhost@evil.example",
            "0.0.0.0",
        ] {
            assert_eq!(place(Some(host), None), 421, "{host}");
        }
        assert_eq!(place(None, None), 421);
        let uri = Uri::from_static("http://evil.example/x");
        let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("localhost"))]);
        assert!(guard().check_place(&uri, &headers).is_err());
    }

    #[test]
    fn only_our_own_pages_may_call() {
        for origin in ["http://127.0.0.1:7700", "http://localhost:7700", "https://hangar.example"] {
            assert_eq!(place(Some("localhost"), Some(origin)), 200, "{origin}");
        }
        for origin in [
            "null",
            "http://localhost:3000",
            "https://evil.example",
            "http://hangar.example",
            "http://localhost",
        ] {
            assert_eq!(place(Some("localhost"), Some(origin)), 403, "{origin}");
        }
    }

    #[test]
    fn the_token_is_asked_for_and_must_be_right() {
        let checked = |given: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            if let Some(given) = given {
                headers.insert(AUTHORIZATION, HeaderValue::from_static(given));
            }
            guard().check_token(&headers)
        };
        for given in ["Bearer secret", "bearer secret", "Bearer  secret "] {
            assert!(checked(Some(given)).is_ok(), "{given}");
        }
        for given in [
            None,
            Some(""),
            Some("Bearer"),
            Some("Bearer "),
            Some("Bearer secre"),
            Some("Basic secret"),
            Some("secret"),
        ] {
            let error = checked(given).unwrap_err();
            assert_eq!(error.status(), 401, "{given:?}");
            assert!(error.headers()[0].1.as_bytes().starts_with(b"Bearer"));
        }
        let open = Guard { token: None, ..guard() };
        assert!(open.check_token(&HeaderMap::new()).is_ok());
    }
}
