//! The simulator that stacks are put into: one that answers on this machine, and nothing else that
//! speaks like AWS.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::{AccountId, Region};
use hangar_provider::Place;
use hangar_provider_aws::{AwsProvider, Endpoint, Whereabouts};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use serde_json::Value;

use super::assembly::asset::Object;
use crate::aws::client::AwsClient;
use crate::client::endpoint::Endpoint as Address;
use crate::client::exchange::{self, Answer};
use crate::codes;
use crate::connection::Environment;
use crate::embedded::data_dir::DataDir;
use crate::failure::Failure;
use crate::input::Source;
use crate::resolve::aws::{Reached, Trace, Wanted};

/// A call of the control API is quick; a template may be a megabyte.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
const MOST: usize = 16 << 20;

/// Where `hangar simulator` listens by default.
const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:4566";

/// Which simulator, and where in it.
#[derive(Debug, Args)]
pub(super) struct TargetArgs {
    /// URL of the simulator, on this machine
    ///
    /// [default: `AWS_ENDPOINT_URL`, else `http://127.0.0.1:4566`]
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Use the simulator of this data directory
    ///
    /// The simulator is started if no process runs it.
    #[arg(long, value_name = "DIR", conflicts_with = "endpoint")]
    data_dir: Option<PathBuf>,
    /// AWS account, 1 to 12 digits
    ///
    /// [default: the account of your credentials, else 000000000000]
    #[arg(long, value_name = "ACCOUNT")]
    account: Option<String>,
    /// AWS region
    ///
    /// [default: `AWS_REGION` or the region of your profile, else us-east-1]
    #[arg(long, value_name = "REGION")]
    region: Option<String>,
}

/// A simulator that answers.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) provider: AwsProvider,
    address: Address,
    reached: Reached,
    note: Option<String>,
    usual: Whereabouts,
}

impl TargetArgs {
    /// Refuses what is no account or no region; to be called before anything is asked.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let wrong = |text: &str, mistake| Failure::in_source(Source::argument(text), vec![mistake]);
        if let Some(account) = &self.account {
            AccountId::parse(account).map_err(|mistake| wrong(account, mistake))?;
        }
        if let Some(region) = &self.region {
            Region::parse(region).map_err(|mistake| wrong(region, mistake))?;
        }
        Ok(())
    }

    /// Finds the simulator and makes sure that it is one; `trace` is for a directory without one.
    pub(super) async fn reach(
        &self,
        environment: &Environment,
        trace: Trace,
    ) -> Result<Target, Failure> {
        let client = AwsClient::from_environment(&environment.variables)?;
        let (wanted, dir) = if let Some(dir) = &self.data_dir {
            (Wanted::Simulator, DataDir::new(dir))
        } else {
            let named = client.environment_aws().map(|aws| aws.to_string());
            let url = self.endpoint.clone().or(named);
            let url = url.unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
            (Wanted::Endpoint(local(&url)?.to_string()), DataDir::new(""))
        };
        let reached = wanted.reach(&dir, trace).await?;
        let Endpoint::Custom(url) = reached.endpoint() else {
            return Err(anyhow::anyhow!("a simulator without an endpoint").into());
        };
        let address = local(url.as_str())?;
        is_simulator(&address).await?;
        let provider = reached.provider(&client);
        let usual = provider.whereabouts().await.map_err(|error| {
            Diagnostic::error(codes::USAGE, error.message).hint("pass one: --region REGION")
        })?;
        let note = self.data_dir.as_ref().and_then(|_| reached.note().map(str::to_owned));
        Ok(Target { provider, address, reached, note, usual })
    }

    /// A place: what is known of it, else what was typed, else what a simulator calls its own.
    pub(super) fn place(
        &self,
        target: &Target,
        account: Option<&str>,
        region: Option<&str>,
    ) -> Result<Place, Failure> {
        let account = account.or(self.account.as_deref()).unwrap_or(&target.usual.account);
        let region = region.or(self.region.as_deref()).or(target.usual.region.as_deref());
        let region = region.unwrap_or("us-east-1");
        let wrong = |text: &str, mistake| Failure::in_source(Source::argument(text), vec![mistake]);
        Ok(Place {
            plane: "aws".to_owned(),
            account: AccountId::parse(account).map_err(|mistake| wrong(account, mistake))?,
            region: Region::parse(region).map_err(|mistake| wrong(region, mistake))?,
        })
    }
}

impl Target {
    /// What a person should know of it, where that is not plain from what was typed.
    pub(super) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Puts a file where templates look for it.
    pub(super) async fn put_asset(&self, object: &Object, text: &str) -> Result<(), Failure> {
        let path =
            format!("/_simulator/assets/{}/{}", encoded(&object.bucket), encoded(&object.key));
        let body = Bytes::copy_from_slice(text.as_bytes());
        let answer = call(&self.address, Method::PUT, &path, body).await?;
        if answer.status.is_success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&answer.body).into_owned();
        let said = serde_json::from_str::<Value>(&said)
            .ok()
            .and_then(|document| document["error"]["message"].as_str().map(str::to_owned))
            .unwrap_or(said);
        let message = format!(
            "cannot put {}/{} into the simulator: {said} (status {})",
            object.bucket,
            object.key,
            answer.status.as_u16()
        );
        Err(Diagnostic::error(codes::SIMULATOR_NOT_THERE, message)
            .hint("the simulator may be an older version: start one of this version")
            .into())
    }

    /// Ends what was started for it.
    pub(super) async fn close(self) -> Result<(), Failure> {
        self.reached.close().await
    }
}

/// An address on this machine. A stack that goes elsewhere by a slip of the finger could be a real one.
fn local(text: &str) -> Result<Address, Failure> {
    let wrong = |why: &str| {
        let message = format!("cannot use `{text}` as a simulator: {why}");
        Failure::from(
            Diagnostic::error(codes::SIMULATOR_NOT_LOCAL, message)
                .hint("write a URL such as http://127.0.0.1:4566; `hangar simulator` starts a simulator there"),
        )
    };
    match Address::parse(text) {
        Ok(address) if address.is_loopback() => Ok(address),
        Ok(_) => Err(wrong("it is not on this machine")),
        Err(error) => Err(wrong(&error.to_string())),
    }
}

/// Makes sure that the control API of a simulator of ours is there.
async fn is_simulator(address: &Address) -> Result<(), Failure> {
    let answer = call(address, Method::GET, "/_simulator/", Bytes::new()).await?;
    let document: Option<Value> = serde_json::from_slice(&answer.body).ok();
    let routes = document.as_ref().and_then(|document| document["routes"].as_array());
    if answer.status.is_success() && routes.is_some_and(|routes| !routes.is_empty()) {
        return Ok(());
    }
    let message = format!("the server at {address} is not a Hangar simulator");
    Err(Diagnostic::error(codes::SIMULATOR_NOT_THERE, message)
        .hint("start one: `hangar simulator`, on another port if that one is in use")
        .into())
}

async fn call(
    address: &Address,
    method: Method,
    path: &str,
    body: Bytes,
) -> Result<Answer, Failure> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, address.authority())
        .header(CONTENT_TYPE, "application/octet-stream")
        .body(Full::new(body))
        .map_err(anyhow::Error::from)?;
    exchange::perform(address, request, ANSWER_WITHIN, MOST).await.map_err(|error| {
        let message = format!("cannot reach a simulator at {address}: {error}");
        Diagnostic::error(codes::SIMULATOR_NOT_THERE, message)
            .hint("start one: `hangar simulator`; or pass a data directory: --data-dir .hangar")
            .into()
    })
}

/// A part of a path; slashes stay.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes().fold(String::new(), |all, byte| match byte {
        byte if is_plain(byte) => all + char::from(byte).encode_utf8(&mut [0; 4]),
        byte => all + &format!("%{byte:02X}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_has_simulators() {
        for url in ["http://127.0.0.1:4566", "http://localhost:1/", "http://[::1]:4566"] {
            assert!(local(url).is_ok(), "{url}");
        }
        for url in [
            "http://10.0.0.1:4566",
            "http://aws.example",
            "https://127.0.0.1:4566",
            "127.0.0.1",
            "",
        ] {
            assert!(format!("{:?}", local(url).unwrap_err()).contains("SIM0008"), "{url}");
        }
    }

    #[test]
    fn the_name_of_a_file_is_encoded_but_for_its_slashes() {
        assert_eq!(encoded("a/b c?é.json"), "a/b%20c%3F%C3%A9.json");
    }
}
