//! Many things of one kind, worked on at once and told one by one as they end.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::caller::{Caller, Host, Unanswered};
use super::{Link, MAX_MOVES, Session, explain};
use crate::client::arm_error::Refusal;
use crate::failure::Failure;

/// How many are worked on at once: enough to hide the way to the server, few enough to leave it
/// room for others.
const AT_ONCE: usize = 8;

impl Session<'_> {
    /// Works on every item, several at once, and says of each how it ended, in the order in which
    /// they end. What is lost with a control plane that ends is begun again with the next one, so
    /// that `work` must come to the same when it is done twice.
    pub(crate) async fn each<I, T, F>(
        &mut self,
        items: Vec<I>,
        work: impl Fn(Caller, Arc<I>) -> F,
        mut told: impl FnMut(&mut Session<'_>, &I, Result<T, Refusal>) -> Result<(), Failure>,
    ) -> Result<(), Failure>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        F: Future<Output = Result<T, Unanswered>> + Send + 'static,
    {
        let mut waiting: VecDeque<Arc<I>> = items.into_iter().map(Arc::new).collect();
        let mut running = JoinSet::new();
        let mut moves = 0;
        let mut caller = self.caller().await?;
        loop {
            while running.len() < AT_ONCE
                && let Some(item) = waiting.pop_front()
            {
                let (begun, work) = (moves, work(caller.clone(), Arc::clone(&item)));
                running.spawn(async move { (begun, item, work.await) });
            }
            let Some(joined) = running.join_next().await else { return Ok(()) };
            let (begun, item, ended) = joined.map_err(anyhow::Error::from)?;
            match ended {
                Ok(value) => told(self, &item, Ok(value))?,
                Err(Unanswered::Refused(refusal)) => told(self, &item, Err(refusal))?,
                Err(Unanswered::Lost(error)) => {
                    // Others may have lost the same one meanwhile: it is looked for once. Which one is
                    // asked by now says nothing of those.
                    if begun == moves {
                        let is_hopeless = !error.may_pass() || moves == MAX_MOVES;
                        if is_hopeless || !matches!(self.link, Link::Neighbour { .. }) {
                            let client = self.link.client()?;
                            return Err(explain::unanswered(client, &error));
                        }
                        self.connect().await?;
                        caller = self.caller().await?;
                        moves += 1;
                    }
                    waiting.push_front(item);
                }
            }
        }
    }

    /// Notes that what goes on now writes: an interruption may leave some of it behind.
    pub(crate) fn writes(&mut self) {
        self.stage = super::Stage::Writing;
    }

    /// Notes that all of it has been told.
    pub(crate) fn has_written(&mut self) {
        self.stage = super::Stage::Reading;
    }

    async fn caller(&mut self) -> Result<Caller, Failure> {
        self.find_token().await;
        let host = match &self.link {
            Link::Server { .. } => Host::Named,
            _ => Host::Passing,
        };
        Ok(Caller::new(self.link.client()?.clone(), host))
    }
}
