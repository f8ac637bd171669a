//! Wakes whoever follows an operation as soon as something happens to it, and now and then where that is not told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hangar_plan::operation::OperationId;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::{CallError, Session};
use crate::client::stream::{self, Heard, News};

/// A look costs the server as much as the deployment is long: no more often than this.
const LOOK_AFTER: Duration = Duration::from_millis(250);

/// Where the server tells what happens, a look without a word of it is only for safety.
const LOOK_ANYWAY: Duration = Duration::from_secs(2);

/// A server that did not tell is asked to after so long again: it may have had too many who listen.
const LISTEN_AGAIN: Duration = Duration::from_secs(10);

/// Hears of one operation, for as long as it is followed.
#[derive(Debug)]
pub(crate) struct Wakes {
    id: OperationId,
    /// The last event that was heard: listening goes on after it.
    heard: Arc<AtomicU64>,
    news: Arc<Notify>,
    listening: JoinSet<Heard>,
    listen_at: Instant,
    looked_at: Instant,
}

impl Wakes {
    /// Of an operation at which somebody looks for the first time right now.
    pub(crate) fn new(id: OperationId) -> Self {
        let now = Instant::now();
        Self {
            id,
            heard: Arc::default(),
            news: Arc::default(),
            listening: JoinSet::new(),
            listen_at: now,
            looked_at: now,
        }
    }

    /// Waits until it is time to look again.
    pub(crate) async fn next(&mut self, session: &mut Session<'_>) -> Result<(), CallError> {
        if self.listening.is_empty() && Instant::now() >= self.listen_at {
            self.listen(session).await?;
        }
        let earliest = self.looked_at + LOOK_AFTER;
        let latest = self.looked_at + LOOK_ANYWAY;
        let mut is_news = self.listening.is_empty();
        loop {
            let until = if is_news { earliest } else { latest };
            tokio::select! {
                Some(ended) = self.listening.join_next() => match ended {
                    Ok(Heard::End(..)) => {
                        // There is nothing more to hear.
                        self.listen_at = Instant::now() + LISTEN_AGAIN;
                        break;
                    }
                    Ok(Heard::Broken) => is_news = true,
                    Ok(Heard::Nothing) | Err(_) => {
                        self.listen_at = Instant::now() + LISTEN_AGAIN;
                        is_news = true;
                    }
                },
                () = self.news.notified() => is_news = true,
                () = sleep_until(until) => break,
            }
        }
        self.looked_at = Instant::now();
        Ok(())
    }

    async fn listen(&mut self, session: &mut Session<'_>) -> Result<(), CallError> {
        session.find_token().await;
        let client = session.link.client()?.clone();
        let (id, heard, news) = (self.id, Arc::clone(&self.heard), Arc::clone(&self.news));
        self.listening.spawn(async move {
            let after = heard.load(Ordering::SeqCst);
            let told = |what: News| {
                if let News::Event(event) = what {
                    heard.fetch_max(event.sequence, Ordering::SeqCst);
                }
                news.notify_one();
            };
            stream::listen(&client, id, after, told).await
        });
        Ok(())
    }
}
