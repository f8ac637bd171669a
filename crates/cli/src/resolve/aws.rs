//! Which AWS CloudFormation is asked in: a filter must not need a control plane that runs.
//!
//! What is meant is decided from what was said and what a directory knows, without touching anything;
//! a simulator is started only where a directory's is meant and nobody runs it.

mod decide;

use hangar_diag::Diagnostic;
use hangar_provider_aws::{AwsProvider, Endpoint, EndpointUrl};
use hangar_simulator::server::Running;

use crate::aws::Aws;
use crate::aws::client::AwsClient;
use crate::client::endpoint::Endpoint as Server;
use crate::codes;
use crate::connection::DirectoryOrigin;
use crate::control_plane::{note_of, start_simulator};
use crate::embedded::data_dir::{AwsFileError, DataDir};
use crate::embedded::find::{FindError, PATIENCE, take_over};
use crate::embedded::lock::Lock;
use crate::embedded::server_file::ServerFile;
use crate::failure::Failure;
use crate::session::explain;
pub(crate) use decide::{Asked, Undecided, Wanted, decide};

/// An AWS that can be called, for as long as this is kept.
#[derive(Debug)]
pub(crate) struct Reached {
    aws: Aws,
    endpoint: Endpoint,
    /// What a person should know of it, where it is not AWS itself.
    note: Option<String>,
    // Invariant: the simulator ends before the lock is let go.
    simulator: Option<Running>,
    _lock: Option<Lock>,
}

/// What becomes of a directory whose simulator has no state yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trace {
    /// It stays as it is: what is only read leaves nothing behind.
    None,
    /// It gets a state, and knows from then on that its AWS is the simulator.
    State,
}

/// What was said, with what the data directory knows. The server of the directory is asked whether it is
/// still that one.
pub(crate) async fn asked(
    aws: Option<&Aws>,
    server: Option<&Server>,
    (dir, origin): (&DataDir, DirectoryOrigin),
    client: &AwsClient,
) -> Result<Wanted, Failure> {
    let file = match server {
        Some(_) => ServerFile::find(&dir.server()),
        None => None,
    };
    let file = match file {
        Some(file) if file.is_live().await => Some(file),
        _ => None,
    };
    let asked = Asked {
        aws,
        server,
        served: file.as_ref(),
        noted: dir.read_aws(),
        was_used: dir.was_used(),
        origin,
        environment: client.environment_choice(),
    };
    decide(asked).map_err(|undecided| explain_undecided(dir, &undecided))
}

impl Wanted {
    /// Reaches it; a directory's simulator is started where no other process runs it.
    pub(crate) async fn reach(self, dir: &DataDir, trace: Trace) -> Result<Reached, Failure> {
        match self {
            Self::Real => Ok(Reached::at(Aws::Real, Endpoint::Real, None)),
            Self::Endpoint(url) => {
                let aws = Aws::Custom(url.clone());
                let note = note_of(dir, &aws);
                Ok(Reached::at(aws, custom(&url)?, note))
            }
            Self::Simulator => reach_simulator(dir, trace).await,
        }
    }
}

async fn reach_simulator(dir: &DataDir, trace: Trace) -> Result<Reached, Failure> {
    let note = note_of(dir, &Aws::Simulator);
    // A directory that is not there is not made for a question.
    if trace == Trace::None && !dir.simulator().exists() && !dir.lock().exists() {
        return Reached::running(None, None, note).await;
    }
    let lock = match take_over(dir, PATIENCE).await {
        Ok(lock) => lock,
        Err(FindError::Served(file)) => return joined(dir, &file, note),
        Err(error @ FindError::Held { .. }) => {
            // A command that takes its time lets others use what it runs.
            return match ServerFile::find(&dir.server()) {
                Some(file) if file.is_live().await => joined(dir, &file, note),
                _ => Err(explain::not_found(dir, &error)),
            };
        }
        Err(error) => return Err(explain::not_found(dir, &error)),
    };
    let state = match trace {
        Trace::None if !dir.simulator().exists() => None,
        Trace::None | Trace::State => Some(dir.simulator()),
    };
    let reached = Reached::running(state, Some(lock), note).await?;
    if trace == Trace::State && matches!(dir.read_aws(), Ok(None)) {
        dir.write_aws(&Aws::Simulator).map_err(|error| explain::unusable(dir, &error))?;
    }
    Ok(reached)
}

/// The simulator of another process of this machine.
fn joined(dir: &DataDir, file: &ServerFile, note: Option<String>) -> Result<Reached, Failure> {
    if file.aws.parse() != Ok(Aws::Simulator) {
        return Err(explain::served_with_another_aws(dir, file, &Aws::Simulator));
    }
    if let Some(url) = file.simulator() {
        return Ok(Reached::at(Aws::Simulator, custom(url)?, note));
    }
    let message = format!(
        "the server of `{dir}` at {} does not report the address of its simulator",
        file.url
    );
    let hint = "the server is an older version: stop it and start this version";
    Err(Diagnostic::error(codes::DATA_DIR_SERVED, message).hint(hint).into())
}

impl Reached {
    fn at(aws: Aws, endpoint: Endpoint, note: Option<String>) -> Self {
        Self { aws, endpoint, note, simulator: None, _lock: None }
    }

    async fn running(
        state: Option<std::path::PathBuf>,
        lock: Option<Lock>,
        note: Option<String>,
    ) -> Result<Self, Failure> {
        let simulator = start_simulator(state).await.map_err(|error| error.explain())?;
        let endpoint = custom(&simulator.url())?;
        let aws = Aws::Simulator;
        Ok(Self { aws, endpoint, note, simulator: Some(simulator), _lock: lock })
    }

    /// Where calls go.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Which AWS it is.
    pub(crate) fn aws(&self) -> &Aws {
        &self.aws
    }

    /// What a person should know of it, where it is not AWS itself.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Calls it with the caller's credentials; a simulator as whatever account is meant.
    pub(crate) fn provider(&self, client: &AwsClient) -> AwsProvider {
        AwsProvider::new(client.options(&self.aws, self.endpoint.clone()))
    }

    /// Ends what was started for it. Dropping it ends that too, without waiting for open calls.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        let Some(simulator) = self.simulator else { return Ok(()) };
        let stopped = simulator.stop().await;
        stopped.map_err(|error| crate::commands::simulator::explain_state(&error).into())
    }
}

fn custom(url: &str) -> Result<Endpoint, Failure> {
    let url: EndpointUrl = url.parse().map_err(|error| {
        Failure::from(
            Diagnostic::error(codes::USAGE, format!("{error}"))
                .hint("write `simulator`, `real`, or an endpoint such as http://127.0.0.1:4566"),
        )
    })?;
    Ok(Endpoint::Custom(url))
}

fn explain_undecided(dir: &DataDir, undecided: &Undecided) -> Failure {
    let why = match undecided {
        Undecided::Forgotten => "the file is missing, but the directory has been used".to_owned(),
        Undecided::Unreadable(AwsFileError::Damaged) => {
            "it contains neither `simulator`, `real` nor an endpoint".to_owned()
        }
        Undecided::Unreadable(AwsFileError::Unreadable(error)) => error.to_string(),
    };
    let message =
        format!("cannot determine which AWS to use from `{}`: {why}", dir.aws().display());
    Diagnostic::error(codes::AWS_LOST, message)
        .hint("pass it: --aws simulator, --aws real or --aws http://HOST:PORT")
        .into()
}

#[cfg(test)]
mod tests;
