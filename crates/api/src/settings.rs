//! What a server is told when it starts, and why it does not start.

use std::fmt;
use std::sync::Arc;

use hangar_store::keys::Keys;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;

/// The base path of the API where nobody says otherwise: Radius's.
pub const DEFAULT_BASE_PATH: &str = "/apis/api.ucp.dev/v1alpha3";

/// What a server is told when it starts.
pub struct Settings {
    /// Where it listens.
    pub listener: TcpListener,
    /// What all paths but health's come after; empty, or with a slash before and none behind.
    pub base_path: String,
    /// What URLs that are given out begin with; the listener's address where there is none.
    pub public_url: Option<String>,
    /// What callers must show; nothing is asked where there is none.
    pub token: Option<String>,
    /// Tells this process from another on the same data directory.
    pub instance: String,
    /// The program's version.
    pub version: String,
    /// Seal page tokens and hash repeated requests.
    pub keys: Arc<Keys>,
    /// What others have registered (the engine's counters); the server's own are added.
    pub registry: Registry,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The token stays out of logs.
        f.debug_struct("Settings")
            .field("listener", &self.listener)
            .field("base_path", &self.base_path)
            .field("public_url", &self.public_url)
            .field("instance", &self.instance)
            .finish_non_exhaustive()
    }
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The listener does not say where it listens.
    #[error("cannot read the address of the server")]
    Address(#[source] std::io::Error),
    /// The public URL cannot be the beginning of a URL.
    #[error(
        "the public URL `{url}` does not have the form `http://host[:port][/path]` or `https://…`"
    )]
    PublicUrl {
        /// What was given.
        url: String,
    },
    /// The base path cannot be the beginning of a path.
    #[error(
        "the base path `{path}` must start with `/`, must not end with it, and must not contain \
         `?` or `#`"
    )]
    BasePath {
        /// What was given.
        path: String,
    },
}

/// Checks a base path; one slash at the end is taken off.
pub(crate) fn base_path(path: &str) -> Result<String, ServeError> {
    let trimmed = path.strip_suffix('/').unwrap_or(path);
    let is_good = trimmed.is_empty()
        || (trimmed.starts_with('/') && !trimmed.ends_with('/') && !trimmed.contains(['?', '#']));
    if is_good {
        Ok(trimmed.to_owned())
    } else {
        Err(ServeError::BasePath { path: path.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_empty_or_begins_with_a_slash() {
        for (given, expected) in [("", ""), ("/", ""), ("/a/b", "/a/b"), ("/a/", "/a")] {
            assert_eq!(base_path(given).unwrap(), expected);
        }
        for given in ["a", "a/b", "/a//", "/a?b"] {
            assert!(base_path(given).is_err(), "{given}");
        }
    }
}
