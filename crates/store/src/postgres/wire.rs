//! Word between replicas: what one has committed the others hear of, by LISTEN and NOTIFY.
//!
//! It is not sent in the transactions that write, because the server lines up those that do; a task sends
//! what has gathered, over a session of its own. What is lost here only makes somebody wait for the
//! next look. That session also says, for as long as it lives, that the store is in use.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hangar_plan::operation::OperationId;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client};

use super::fault::fault;
use super::session::{Address, Connection};
use crate::StoreError;
use crate::notice::{Notice, Notices};

/// As much as waits to be sent; what comes on top is lost.
const KEPT: usize = 8192;

/// What gathers for this long goes together.
const GATHER_FOR: Duration = Duration::from_millis(20);

/// PostgreSQL takes less than 8,000 bytes.
const LONGEST: usize = 7900;

const CHANNEL: &str = "hangar_notice";
// What is told here is not worth a wait for the disk.
const LISTEN: &str = "SET synchronous_commit = off; LISTEN hangar_notice";
// The number says `hangar.u` in letters. One who used the store until just now is waited for.
const USE_SHARED: &str = "SELECT pg_advisory_lock_shared(x'68616e6761722e75'::bigint)";
const USE_ALONE: &str =
    "SET lock_timeout = '1s'; SELECT pg_advisory_lock(x'68616e6761722e75'::bigint)";
const NOTIFY: &str = "SELECT pg_notify($1, $2)";

/// A word that is no operation's id.
const DUE: &str = "due";

/// How long to wait before the next try to connect, at first and at most.
const AGAIN_AFTER: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Who else may use the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Other replicas.
    Shared,
    /// Nobody.
    Alone,
}

/// The task that tells and hears; it ends with this.
pub(super) struct Wire {
    notices: Arc<Notices>,
    waiting: mpsc::Sender<Notice>,
    task: JoinHandle<()>,
}

impl Wire {
    /// Opens the session; it is opened again when it breaks.
    pub(super) async fn start(address: Address, as_what: Use) -> Result<Self, StoreError> {
        let first = open(&address, as_what).await?;
        let notices = Arc::new(Notices::default());
        let (waiting, queue) = mpsc::channel(KEPT);
        let task = tokio::spawn(run(address, as_what, first, Arc::clone(&notices), queue));
        Ok(Self { notices, waiting, task })
    }

    pub(super) fn notices(&self) -> &Notices {
        &self.notices
    }

    /// Tells those who listen here at once, and the others soon.
    pub(super) fn tell(&self, notices: impl IntoIterator<Item = Notice>) {
        for notice in notices {
            self.notices.tell([notice]);
            // A full queue loses it.
            let _ = self.waiting.try_send(notice);
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A session that listens, and its work, which is done only when that is polled.
type Link = (Client, Connection);

/// Connects, listens, and says that the store is in use.
async fn open(address: &Address, as_what: Use) -> Result<Link, StoreError> {
    let (client, mut connection) = address.connect().await?;
    let say = async {
        client.batch_execute(LISTEN).await.map_err(|error| fault(&error))?;
        let hold = match as_what {
            Use::Shared => USE_SHARED,
            Use::Alone => USE_ALONE,
        };
        client.batch_execute(hold).await.map_err(|error| match error.code() {
            Some(&SqlState::LOCK_NOT_AVAILABLE) => in_use(as_what),
            _ => fault(&error),
        })
    };
    // What is heard before all is said is nothing to us yet.
    let work = async {
        loop {
            match std::future::poll_fn(|context| connection.poll_message(context)).await {
                Some(Ok(_)) => {}
                Some(Err(error)) => return fault(&error),
                None => return StoreError::Unavailable("the session was closed".to_owned()),
            }
        }
    };
    tokio::select! {
        said = say => said?,
        error = work => return Err(error),
    }
    Ok((client, connection))
}

fn in_use(as_what: Use) -> StoreError {
    StoreError::Unavailable(match as_what {
        Use::Shared => {
            "another process uses it exclusively to change its key: wait until that has ended"
                .to_owned()
        }
        Use::Alone => "another replica uses it: stop all replicas first".to_owned(),
    })
}

/// Talks for as long as a session lasts, and opens the next one.
async fn run(
    address: Address,
    as_what: Use,
    first: Link,
    notices: Arc<Notices>,
    mut queue: mpsc::Receiver<Notice>,
) {
    let mut dice = [0; 8];
    // Without dice it hears itself as well: it looks more often than it must.
    let _ = getrandom::fill(&mut dice);
    let own = crate::hex::encode(&dice);
    let mut link = Ok(first);
    let mut wait = AGAIN_AFTER.0;
    loop {
        match link {
            Ok(link) => match talk(link, &own, &notices, &mut queue).await {
                Ended::Dropped => return,
                Ended::Lost => wait = AGAIN_AFTER.0,
            },
            Err(_) => wait = (wait * 2).min(AGAIN_AFTER.1),
        }
        tokio::time::sleep(wait).await;
        link = open(&address, as_what).await;
    }
}

enum Ended {
    /// The store is gone.
    Dropped,
    /// The session broke.
    Lost,
}

async fn talk(
    (client, mut connection): Link,
    own: &str,
    notices: &Notices,
    queue: &mut mpsc::Receiver<Notice>,
) -> Ended {
    let hear = async {
        loop {
            match std::future::poll_fn(|context| connection.poll_message(context)).await {
                Some(Ok(AsyncMessage::Notification(told))) if told.channel() == CHANNEL => {
                    notices.tell(heard(own, told.payload()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Ended::Lost,
            }
        }
    };
    let say = async {
        let Ok(notify) = client.prepare(NOTIFY).await else { return Ended::Lost };
        // What happened before we listened is worth a look.
        notices.tell([Notice::Due]);
        loop {
            let Some(first) = queue.recv().await else { return Ended::Dropped };
            tokio::time::sleep(GATHER_FOR).await;
            let mut gathered = HashSet::from([first]);
            while let Ok(more) = queue.try_recv() {
                gathered.insert(more);
            }
            for payload in payloads(own, gathered) {
                if client.execute(&notify, &[&CHANNEL, &payload]).await.is_err() {
                    return Ended::Lost;
                }
            }
        }
    };
    let (hear, say) = (pin!(hear), pin!(say));
    tokio::select! {
        ended = hear => ended,
        ended = say => ended,
    }
}

/// What is sent: who tells it, then what, as often as it takes.
fn payloads(own: &str, notices: impl IntoIterator<Item = Notice>) -> Vec<String> {
    let mut payloads = Vec::new();
    let mut payload = own.to_owned();
    for notice in notices {
        let word = match notice {
            Notice::Due => DUE.to_owned(),
            Notice::Moved(id) => id.to_string(),
        };
        if payload.len() + 1 + word.len() > LONGEST {
            payloads.push(std::mem::replace(&mut payload, own.to_owned()));
        }
        payload.push(' ');
        payload.push_str(&word);
    }
    payloads.push(payload);
    payloads
}

/// What was told by another; nothing where it was us, or is no word of ours.
fn heard(own: &str, payload: &str) -> Vec<Notice> {
    let mut words = payload.split(' ');
    if words.next().is_none_or(|teller| teller == own) {
        return Vec::new();
    }
    let notice = |word: &str| match word {
        DUE => Some(Notice::Due),
        id => OperationId::parse(id).map(Notice::Moved),
    };
    words.filter_map(notice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_heard_by_others_however_much_it_is() {
        let ids = (1..=1000).map(|bits| Notice::Moved(OperationId::from_u128(bits)));
        let told: Vec<Notice> = ids.chain([Notice::Due]).collect();
        let payloads = payloads("one", told.clone());
        assert!(payloads.len() > 1 && payloads.iter().all(|it| it.len() <= LONGEST));
        let all: Vec<Notice> = payloads.iter().flat_map(|it| heard("two", it)).collect();
        assert_eq!(all, told);
        assert!(payloads.iter().all(|it| heard("one", it).is_empty()), "not by who told it");
    }

    #[test]
    fn what_is_no_word_of_ours_is_passed_over() {
        assert_eq!(heard("one", ""), []);
        assert_eq!(heard("one", "two nonsense due"), [Notice::Due]);
    }
}
