//! The absolute URLs that are given out: from the configured public URL, never from a request.
//!
//! A client follows them with its token attached; a URL made of `Host` or `Referer` would let
//! whoever writes those headers collect tokens.

use std::net::SocketAddr;

use hangar_plan::operation::OperationId;
use http::Uri;

use crate::api_version::ApiVersion;
use crate::query;
use crate::route::{SHAPE, Shape};
use crate::settings::ServeError;

/// Makes absolute URLs.
#[derive(Debug, Clone)]
pub(crate) struct Urls {
    /// Scheme, host and port, and what a proxy puts before our paths; no slash at the end.
    public: String,
    base: String,
    host: String,
}

impl Urls {
    pub(crate) fn new(
        public_url: Option<&str>,
        base_path: &str,
        address: SocketAddr,
    ) -> Result<Self, ServeError> {
        let listen = format!("http://{address}");
        let public = public_url.unwrap_or(&listen).trim_end_matches('/').to_owned();
        let wrong = || ServeError::PublicUrl { url: public.clone() };
        let uri: Uri = public.parse().map_err(|_| wrong())?;
        let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
        let host = uri.host().filter(|_| is_web && uri.query().is_none()).ok_or_else(wrong)?;
        let host = host.to_owned();
        Ok(Self { public, base: base_path.to_owned(), host })
    }

    /// The public URL's host, which requests may name.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// What all URLs begin with, before the base path.
    pub(crate) fn public(&self) -> &str {
        &self.public
    }

    /// Scheme, host and port, as a browser's `Origin` has them.
    pub(crate) fn origin(&self) -> &str {
        let after_scheme = self.public.find("://").map_or(0, |at| at + 3);
        let end = self.public[after_scheme..].find('/').map(|at| after_scheme + at);
        &self.public[..end.unwrap_or(self.public.len())]
    }

    /// The URL of an id, with the parameters given.
    pub(crate) fn of(&self, id: &str, parameters: &[(&str, &str)]) -> String {
        let mut url = format!("{}{}{}", self.public, self.base, path(id));
        for (index, (name, value)) in parameters.iter().enumerate() {
            url.push(if index == 0 { '?' } else { '&' });
            url.push_str(&query::encode(name));
            url.push('=');
            url.push_str(&query::encode(value));
        }
        url
    }

    /// Where an operation tells how it is doing.
    pub(crate) fn status(&self, id: OperationId, version: Option<&ApiVersion>) -> String {
        self.of(&status_id(id), &with_version(version))
    }

    /// Where an operation gives what the call would have answered.
    pub(crate) fn result(
        &self,
        id: OperationId,
        version: Option<&ApiVersion>,
        shape: Shape,
    ) -> String {
        let mut parameters = with_version(version);
        if shape != Shape::Resource {
            parameters.push((SHAPE, shape.word()));
        }
        self.of(&format!("{OPERATIONS}/operationResults/{id}"), &parameters)
    }
}

const OPERATIONS: &str = "/planes/radius/local/providers/System.Resources";

/// The id of an operation as a resource.
pub(crate) fn status_id(id: OperationId) -> String {
    format!("{OPERATIONS}/operationStatuses/{id}")
}

pub(crate) fn with_version(version: Option<&ApiVersion>) -> Vec<(&'static str, &str)> {
    version.iter().map(|version| ("api-version", version.as_str())).collect()
}

/// An id as the path of a URL: what ids leave as it is and URLs cannot hold is encoded.
fn path(id: &str) -> String {
    query::percent_encode(
        id,
        |byte| matches!(byte, b'!' | b'$'..=b';' | b'=' | b'@'..=b'Z' | b'_' | b'a'..=b'z' | b'~'),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(public: Option<&str>) -> Result<Urls, ServeError> {
        Urls::new(public, "/base", "127.0.0.1:7700".parse().unwrap())
    }

    #[test]
    fn urls_are_absolute_and_on_the_configured_host() {
        let local = urls(None).unwrap();
        assert_eq!(
            local.of("/planes/a b|é%2F", &[]),
            "http://127.0.0.1:7700/base/planes/a%20b%7C%C3%A9%2F"
        );
        let public = urls(Some("https://h.example/up/")).unwrap();
        assert_eq!(
            public.of("/x", &[("$top", "5"), ("a", "b c")]),
            "https://h.example/up/base/x?$top=5&a=b%20c"
        );
        assert_eq!((public.host(), public.origin()), ("h.example", "https://h.example"));
    }

    #[test]
    fn a_result_url_remembers_the_shape() {
        let urls = urls(None).unwrap();
        let id = OperationId::from_u128(1);
        assert!(urls.result(id, None, Shape::Reference).ends_with("01?shape=reference"));
        assert!(urls.result(id, None, Shape::Resource).ends_with("01"));
    }

    #[test]
    fn a_public_url_that_is_none_is_refused() {
        for url in ["", "h.example", "ftp://h.example", "http://", "http://h/?a=b"] {
            assert!(urls(Some(url)).is_err(), "{url}");
        }
    }
}
