//! The calls into the crates that a control plane is made of; nothing is decided here.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use hangar_simulator::core::settings::Settings as Behaviour;
use hangar_simulator::server::{self as simulator, Exposure, Options, Signatures};
use tokio::net::TcpListener;

use super::{Settings, StartError, aws_of};
use crate::aws::Aws;
use crate::embedded::data_dir::DataDir;

/// What runs.
#[derive(Debug)]
pub(super) struct Parts {
    simulator: Option<simulator::Running>,
}

impl Parts {
    /// Starts each part with those before it; gives the token that callers must show, and the AWS.
    pub(super) async fn start(
        settings: &Settings,
        listener: TcpListener,
        instance: &str,
    ) -> Result<(Self, Option<String>, Aws), StartError> {
        let unreadable = |source| StartError::Directory { dir: settings.dir.clone(), source };
        let used = settings.dir.read_aws().map_err(unreadable)?;
        let aws = aws_of(&settings.dir, settings.aws.as_ref(), used, false)?;
        settings.dir.write_aws(&aws).map_err(unreadable)?;
        let simulator = match aws {
            Aws::Simulator => Some(start_simulator(&settings.dir).await?),
            _ => None,
        };
        let _ = (listener, instance, settings.authentication, &settings.public_url);
        let _ = (&settings.store, &settings.key_file);
        let parts = Self { simulator };
        parts.stop().await;
        Err(StartError::Setup("this build has no engine and no API yet".to_owned()))
    }

    /// Stops each part before those that it needs.
    pub(super) async fn stop(self) {
        if let Some(simulator) = self.simulator {
            // What could not be written was told to the engine, call by call.
            let _ = simulator.stop().await;
        }
    }
}

/// The built-in simulator: a real socket, so that the SDK talks to it as to AWS.
async fn start_simulator(dir: &DataDir) -> Result<simulator::Running, StartError> {
    let options = Options {
        listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
        exposure: Exposure::Loopback,
        state: Some(dir.simulator()),
        settings: Behaviour::default(),
        signatures: Signatures::Read,
        faults: Vec::new(),
    };
    simulator::start(options).await.map_err(StartError::Simulator)
}
