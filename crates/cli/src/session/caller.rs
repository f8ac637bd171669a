//! One of several calls at once: it asks the control plane that its session has found, and leaves it
//! to the session to find another one.

use std::time::{Duration, Instant};

use hangar_plan::operation::OperationId;
use serde::de::DeserializeOwned;

use super::patience::Patience;
use super::{chance, is_pass, pause_before_again};
use crate::client::Client;
use crate::client::arm_error::Refusal;
use crate::client::exchange::ExchangeError;
use crate::client::ids;
use crate::client::reply::Reply;
use crate::client::request::Request;
use crate::client::shape::{Operation, Page};
use crate::client::stream::{self, Heard, News};

/// How long to wait before an operation is asked for again.
const POLL_EVERY: Duration = Duration::from_millis(300);

/// As many as a page of AWS resources holds.
const PAGE: &str = "100";

/// Asks a control plane, many at once.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    client: Client,
    host: Host,
}

/// What becomes of the control plane when it does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// It is being restarted: waited for here.
    Named,
    /// It ends with the command that runs it: the session finds another one.
    Passing,
}

/// Why there is nothing to go on with.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// The control plane said no.
    Refused(Refusal),
    /// It did not answer.
    Lost(ExchangeError),
}

impl From<ExchangeError> for Unanswered {
    fn from(error: ExchangeError) -> Self {
        Self::Lost(error)
    }
}

impl Caller {
    pub(super) fn new(client: Client, host: Host) -> Self {
        Self { client, host }
    }

    /// Sends a request until there is an answer, or no hope of one here.
    pub(crate) async fn send(&self, request: &Request) -> Result<Reply, Unanswered> {
        let mut patience = Patience::new(Instant::now(), true);
        loop {
            let answer = self.client.send(request).await;
            let may_pass = match &answer {
                Ok(reply) => is_pass(request, reply),
                Err(error) => self.host == Host::Named && error.may_pass(),
            };
            let pause = patience.pause(Instant::now(), chance()).filter(|_| may_pass);
            match (answer, pause) {
                (Ok(reply), Some(pause)) => {
                    tokio::time::sleep(pause_before_again(&reply, pause)).await;
                }
                (Err(_), Some(pause)) => tokio::time::sleep(pause).await,
                (Ok(reply), None) => return reply.accepted().map_err(Unanswered::Refused),
                (Err(error), None) => return Err(Unanswered::Lost(error)),
            }
        }
    }

    /// Sends a read and gives the document in its shape.
    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        request: &Request,
    ) -> Result<T, Unanswered> {
        Ok(self.send(request).await?.read_as()?)
    }

    /// Every resource of a list of AWS, over all its pages.
    pub(crate) async fn list(
        &self,
        request: Request,
    ) -> Result<Vec<serde_json::Value>, Unanswered> {
        let mut all = Vec::new();
        let mut next = Some(request.query("$top", PAGE));
        while let Some(request) = next {
            let page: Page = self.read(&request).await?;
            all.extend(page.value);
            let endpoint = self.client.endpoint();
            next = page.next_link.and_then(|link| Request::follow_link(&link, endpoint));
        }
        Ok(all)
    }

    /// How an operation ended, once it has.
    pub(crate) async fn ended(&self, id: OperationId) -> Result<Operation, Unanswered> {
        let request = Request::get(ids::operation(id));
        let mut heard = 0;
        let mut listens = true;
        loop {
            if listens {
                let last = heard;
                let noted = |news| {
                    if let News::Event(event) = news {
                        heard = event.sequence;
                    }
                };
                match stream::listen(&self.client, id, last, noted).await {
                    Heard::End(_, operation) => return Ok(*operation),
                    Heard::Broken => {}
                    Heard::Nothing => listens = false,
                }
            }
            let operation: Operation = self.read(&request).await?;
            if operation.status.is_ended() {
                return Ok(operation);
            }
            tokio::time::sleep(POLL_EVERY).await;
        }
    }
}
