//! `hangar serve` and `hangar simulator` as they are started here, and the requests that they are sent.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::client::Connection;
use super::drive::Aim;
use super::process::Process;

/// What comes before every path.
const BASE: &str = "/apis/api.ucp.dev/v1alpha3";
const VERSION: &str = "api-version=2023-10-01-preview";

/// An endpoint where nobody is: for a server that drives nothing.
pub(crate) const NO_AWS: &str = "http://127.0.0.1:9";

/// A control plane that answers.
#[derive(Debug)]
pub(crate) struct Server {
    process: Process,
    pub(crate) caller: Caller,
}

/// What a caller knows: where it answers, and what it must be shown.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) address: SocketAddr,
    token: String,
}

impl Server {
    /// Starts `hangar serve`; ready when it said so.
    pub(crate) fn start(arguments: &[String], listen: &str, log: &Path) -> Result<Self> {
        let process = Process::start(&serve(arguments, listen), log)?;
        let token = process.ready["tokenFile"].as_str().context("no token file was told")?;
        let token = std::fs::read_to_string(token).context("cannot read the token")?;
        let caller =
            Caller { address: address_of(&process.ready)?, token: token.trim().to_owned() };
        Ok(Self { process, caller })
    }

    pub(crate) fn aim(&self) -> Aim {
        Aim { address: self.caller.address, pid: self.process.pid() }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Ends it politely.
    pub(crate) fn stop(self) -> Result<()> {
        self.process.stop()
    }
}

/// The arguments of a server.
pub(crate) fn serve(arguments: &[String], listen: &str) -> Vec<String> {
    let mut all: Vec<String> =
        ["serve", "--listen", listen, "-o", "json"].map(str::to_owned).to_vec();
    all.extend(arguments.iter().cloned());
    all
}

impl Caller {
    pub(crate) fn new(address: SocketAddr, token: &str) -> Self {
        Self { address, token: token.trim().to_owned() }
    }

    pub(crate) fn health(&self) -> Vec<u8> {
        format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", self.address).into_bytes()
    }

    /// A read of a path below the base path, with its query.
    pub(crate) fn get(&self, path: &str) -> Vec<u8> {
        let (address, token) = (self.address, &self.token);
        let line = format!("GET {BASE}{path} HTTP/1.1\r\nhost: {address}\r\n");
        format!("{line}authorization: Bearer {token}\r\n\r\n").into_bytes()
    }

    /// A read of a path that has no base path before it.
    pub(crate) fn get_outside(&self, path: &str) -> Vec<u8> {
        let (address, token) = (self.address, &self.token);
        let line = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n");
        format!("{line}authorization: Bearer {token}\r\n\r\n").into_bytes()
    }

    /// A write, and how long it is waited for: `respond-async`, `wait=30`.
    pub(crate) fn write(&self, method: &str, path: &str, prefer: &str, body: &Value) -> Vec<u8> {
        let (address, token, body) = (self.address, &self.token, body.to_string());
        let line = format!("{method} {BASE}{path}?{VERSION} HTTP/1.1\r\nhost: {address}\r\n");
        let length = body.len();
        format!(
            "{line}authorization: Bearer {token}\r\nprefer: {prefer}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    pub(crate) async fn connect(&self) -> Result<Connection> {
        Connection::open(self.address).await.context("the server does not take a connection")
    }
}

/// Sends a request that must be answered with a status below 300, and reads the answer.
pub(crate) async fn ask(connection: &mut Connection, request: &[u8]) -> Result<Value> {
    let answer = connection.send(request).await.context("the server did not answer")?;
    if answer.status >= 300 {
        let line = String::from_utf8_lossy(request);
        let line = line.lines().next().unwrap_or_default();
        bail!("{line}: {} {}", answer.status, String::from_utf8_lossy(answer.body));
    }
    if answer.body.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(answer.body).context("an answer is not JSON")
}

/// The token of the next page, if there is one.
pub(crate) fn next_token(page: &Value) -> Option<&str> {
    let (_, rest) = page["nextLink"].as_str()?.split_once("skipToken=")?;
    rest.split('&').next()
}

/// A simulator that answers.
#[derive(Debug)]
pub(crate) struct Simulator {
    process: Process,
    address: SocketAddr,
}

impl Simulator {
    pub(crate) fn start(arguments: &[&str], log: &Path) -> Result<Self> {
        let mut all = vec!["simulator", "--listen", "127.0.0.1:0", "-o", "json"];
        all.extend(arguments);
        let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
        let process = Process::start(&all, log)?;
        let address = address_of(&process.ready)?;
        Ok(Self { process, address })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Reads what its control API says.
    pub(crate) async fn control(&self, path: &str) -> Result<Value> {
        let mut connection = Connection::open(self.address).await.context("no simulator")?;
        let line = format!("GET /_simulator/{path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address);
        ask(&mut connection, line.as_bytes()).await
    }
}

fn address_of(ready: &Value) -> Result<SocketAddr> {
    let url = ready["url"].as_str().unwrap_or_default();
    let authority = url.trim_start_matches("http://").split('/').next().unwrap_or_default();
    authority.parse().with_context(|| format!("`{url}` has no address"))
}
