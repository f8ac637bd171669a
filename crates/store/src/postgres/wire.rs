//! Word between replicas: what one has committed the others hear of, by LISTEN and NOTIFY.
//!
//! It is not sent in the transactions that write, because the server lines up those that do; a task sends
//! what has gathered, over a session of its own. What is lost here only makes somebody wait for the
//! next look.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hangar_plan::operation::OperationId;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_postgres::AsyncMessage;

use super::session::Address;
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
const NOTIFY: &str = "SELECT pg_notify($1, $2)";

/// A word that is no operation's id.
const DUE: &str = "due";

/// How long to wait before the next try to connect, at first and at most.
const AGAIN_AFTER: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// The task that tells and hears; it ends with this.
pub(super) struct Wire {
    notices: Arc<Notices>,
    waiting: mpsc::Sender<Notice>,
    task: JoinHandle<()>,
}

impl Wire {
    pub(super) fn start(address: Address) -> Self {
        let notices = Arc::new(Notices::default());
        let (waiting, queue) = mpsc::channel(KEPT);
        let task = tokio::spawn(run(address, Arc::clone(&notices), queue));
        Self { notices, waiting, task }
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

/// Connects, again and again, and talks for as long as that lasts.
async fn run(address: Address, notices: Arc<Notices>, mut queue: mpsc::Receiver<Notice>) {
    let mut dice = [0; 8];
    // Without dice it hears itself as well: it looks more often than it must.
    let _ = getrandom::fill(&mut dice);
    let own = crate::hex::encode(&dice);
    let mut wait = AGAIN_AFTER.0;
    loop {
        match talk(&address, &own, &notices, &mut queue).await {
            Ended::Dropped => return,
            Ended::Lost => wait = AGAIN_AFTER.0,
            Ended::NeverBegun => wait = (wait * 2).min(AGAIN_AFTER.1),
        }
        tokio::time::sleep(wait).await;
    }
}

enum Ended {
    /// The store is gone.
    Dropped,
    /// The session broke.
    Lost,
    /// There was no session.
    NeverBegun,
}

async fn talk(
    address: &Address,
    own: &str,
    notices: &Notices,
    queue: &mut mpsc::Receiver<Notice>,
) -> Ended {
    let Ok((client, mut connection)) = address.connect().await else { return Ended::NeverBegun };
    let hear = async {
        // The session's own work is done here too: nothing is sent or heard unless this is polled.
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
        if client.batch_execute(LISTEN).await.is_err() {
            return Ended::NeverBegun;
        }
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
