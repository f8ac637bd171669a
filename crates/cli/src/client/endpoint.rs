//! Where a control plane answers: the host, the port and the base path of an `http://` URL.

use std::fmt;
use std::net::IpAddr;

use hyper::Uri;

/// What comes before the path of every resource, unless the server was told otherwise.
pub(crate) const BASE_PATH: &str = "/apis/api.ucp.dev/v1alpha3";

/// Where a control plane answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    host: String,
    port: u16,
    base_path: String,
}

/// Why a text is no server's URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndpointError {
    /// It is encrypted, which is not supported yet.
    Encrypted,
    /// It holds a user or a password.
    HasUser,
    /// Anything else.
    Malformed(&'static str),
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encrypted => "https is not supported yet",
            Self::HasUser => "it must not contain a user or a password",
            Self::Malformed(why) => why,
        })
    }
}

impl Endpoint {
    /// Reads `http://HOST[:PORT][/BASE/PATH]`; without a path the usual base path is meant.
    pub(crate) fn parse(text: &str) -> Result<Self, EndpointError> {
        let malformed = EndpointError::Malformed;
        let uri: Uri = text.parse().map_err(|_| malformed("it is not a valid URL"))?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => return Err(EndpointError::Encrypted),
            _ => return Err(malformed("it must start with http://")),
        }
        let authority = uri.authority().ok_or(malformed("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(EndpointError::HasUser);
        }
        if uri.query().is_some() {
            return Err(malformed("it must not contain a query"));
        }
        let port = match authority.port_u16() {
            Some(port) => port,
            // A port that is no number is not seen as one.
            None if authority.host().len() == authority.as_str().len() => 80,
            None => return Err(malformed("its port is not a number")),
        };
        let base_path = match uri.path().trim_end_matches('/') {
            "" => BASE_PATH,
            path => path,
        };
        Ok(Self { host: authority.host().to_owned(), port, base_path: base_path.to_owned() })
    }

    /// The same host and port with another base path.
    pub(crate) fn with_base_path(mut self, base_path: &str) -> Self {
        base_path.clone_into(&mut self.base_path);
        self
    }

    /// What comes before the path of every resource.
    pub(crate) fn base_path(&self) -> &str {
        &self.base_path
    }

    /// What a socket is opened to.
    pub(crate) fn address(&self) -> (&str, u16) {
        (self.host.trim_start_matches('[').trim_end_matches(']'), self.port)
    }

    /// What the `Host` header says.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Whether it means the same host and port as another one, which is on this machine.
    pub(crate) fn means(&self, other: &Self) -> bool {
        let is_local = self.host.eq_ignore_ascii_case("localhost");
        self.port == other.port && (is_local || self.host.eq_ignore_ascii_case(&other.host))
    }

    /// Whether it is on this machine for certain.
    pub(crate) fn is_loopback(&self) -> bool {
        let (host, _) = self.address();
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

impl fmt::Display for Endpoint {
    /// The URL without its base path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.authority())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_a_host_a_port_and_a_base_path() {
        for (text, shown, base_path) in [
            ("http://127.0.0.1:7700", "http://127.0.0.1:7700", BASE_PATH),
            ("http://localhost:7700/", "http://localhost:7700", BASE_PATH),
            ("http://[::1]:7700/ucp/", "http://[::1]:7700", "/ucp"),
            ("http://hangar.example", "http://hangar.example:80", BASE_PATH),
        ] {
            let endpoint = Endpoint::parse(text).unwrap();
            assert_eq!(endpoint.to_string(), shown);
            assert_eq!(endpoint.base_path(), base_path, "{text}");
        }
    }

    #[test]
    fn what_is_no_http_url_is_refused() {
        for text in ["", "127.0.0.1:7700", "ftp://a", "/x", "http://", "http://a?b", "http://a:x"] {
            assert!(matches!(Endpoint::parse(text), Err(EndpointError::Malformed(_))), "{text}");
        }
        assert_eq!(Endpoint::parse("https://a"), Err(EndpointError::Encrypted));
        assert_eq!(Endpoint::parse("http://me:secret@a"), Err(EndpointError::HasUser));
    }

    #[test]
    fn only_this_machine_is_loopback() {
        let is_loopback = |text: &str| Endpoint::parse(text).unwrap().is_loopback();
        assert!(is_loopback("http://localhost:1") && is_loopback("http://127.9.0.1"));
        assert!(is_loopback("http://[::1]:7700"));
        assert!(!is_loopback("http://10.0.0.1") && !is_loopback("http://localhost.example"));
    }
}
