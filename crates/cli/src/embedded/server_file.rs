//! `DIR/server.json`: where the process that holds the lock answers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::private;
use crate::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::request::Request;
use crate::client::shape::Health;

/// A server on this machine says how it is in less, unless it is stopped or gone.
const HEALTH_WITHIN: Duration = Duration::from_secs(1);

/// Where a process answers, and which one it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerFile {
    pub(crate) url: String,
    pub(crate) pid: u32,
    /// What `/healthz` must say: another process may have the port by now.
    pub(crate) instance: String,
    pub(crate) base_path: String,
    /// The AWS that it works on, as `--aws` spells it.
    pub(crate) aws: String,
    pub(crate) role: Role,
    /// Where its built-in simulator answers, if that is its AWS. Older ones do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) simulator: Option<String>,
}

/// How long a process means to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Until it is told to stop: `hangar serve`.
    Serve,
    /// Until its command is done.
    Command,
}

impl ServerFile {
    /// What a file says; nothing where there is none, or none of ours.
    pub(crate) fn find(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Whether the process that wrote it still answers.
    pub(crate) async fn is_live(&self) -> bool {
        let Some(endpoint) = self.endpoint() else { return false };
        // Nothing proves yet who answers there, so it gets no token.
        let asked = Client::new(endpoint, None).send(&Request::health(HEALTH_WITHIN)).await;
        let health = asked.ok().filter(|reply| reply.status == 200);
        let health = health.and_then(|reply| reply.read_as::<Health>().ok());
        health.is_some_and(|health| health.instance == self.instance)
    }

    /// Where it answers. A file can only speak for this machine.
    pub(crate) fn endpoint(&self) -> Option<Endpoint> {
        let endpoint = Endpoint::parse(&self.url).ok().filter(Endpoint::is_loopback)?;
        Some(endpoint.with_base_path(&self.base_path))
    }

    /// Where its simulator answers. A file can only speak for this machine.
    pub(crate) fn simulator(&self) -> Option<&str> {
        let url = self.simulator.as_deref()?;
        Endpoint::parse(url).is_ok_and(|endpoint| endpoint.is_loopback()).then_some(url)
    }

    /// Leaves it for others to find, until the guard is dropped.
    pub(crate) fn publish(&self, path: PathBuf) -> io::Result<Published> {
        let document = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        private::write(&path, &document)?;
        Ok(Published { path })
    }
}

/// A file that others find; dropping it takes it away.
#[derive(Debug)]
pub(crate) struct Published {
    path: PathBuf,
}

impl Drop for Published {
    fn drop(&mut self) {
        // One that stays behind is found out by its instance.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_an_older_version_is_read_and_names_no_simulator() {
        let text = r#"{"url": "http://127.0.0.1:1", "pid": 1, "instance": "i", "basePath": "/b",
                       "aws": "simulator", "role": "serve"}"#;
        let old: ServerFile = serde_json::from_str(text).unwrap();
        assert_eq!(old.simulator(), None);
        let kept = serde_json::to_string(&old).unwrap();
        assert!(!kept.contains("simulator\":"), "{kept}");
        let new = |url: &str| ServerFile { simulator: Some(url.to_owned()), ..old.clone() };
        let here = new("http://127.0.0.1:4567");
        let read: ServerFile =
            serde_json::from_str(&serde_json::to_string(&here).unwrap()).unwrap();
        assert_eq!(read.simulator(), Some("http://127.0.0.1:4567"));
        assert_eq!(new("http://10.0.0.1:4567").simulator(), None);
    }
}
