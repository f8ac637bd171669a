//! What is written down while a load runs: what callers were told, what hands did, what AWS was called, when
//! something died.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::ReferenceName;
use hangar_simulation::history::collect::CallLog;
use hangar_simulation::history::{Deed, Hand, Told, Word};
use serde_json::Value;

use super::Shared;
use super::kept::Running;
use crate::http::Connection;
use crate::serve::Client;

/// So many operations are asked after while they run, and once more at the end.
const FOLLOWED: usize = 40;
const ASKED_AT_LAST: usize = 1500;

#[derive(Default)]
pub(super) struct Book {
    pub(super) told: Vec<Told>,
    pub(super) hands: Vec<Hand>,
    pub(super) calls: CallLog,
    pub(super) mishaps: Vec<Timestamp>,
    /// What ran when something died.
    pub(super) struck: Vec<(Timestamp, Running)>,
    /// When operations were seen to have moved.
    pub(super) moved: BTreeSet<(OperationId, Timestamp)>,
    epochs: BTreeMap<OperationId, i64>,
    followed: VecDeque<OperationId>,
}

impl Book {
    /// Notes what is under way, which ran when something last died.
    pub(super) fn strike(&mut self, running: Vec<Running>) {
        self.glimpse(&running);
        let Some(at) = self.mishaps.last().copied() else { return };
        self.struck.extend(running.into_iter().map(|running| (at, running)));
    }

    /// Notes when what is under way has moved: when a step of it was written, and that somebody has taken it up
    /// since it was last looked at, who may be dead by now.
    pub(super) fn glimpse(&mut self, running: &[Running]) {
        for Running { operation, moved_at, epoch, .. } in running {
            self.moved.insert((*operation, *moved_at));
            if self.epochs.insert(*operation, *epoch).is_some_and(|before| before != *epoch) {
                self.moved.insert((*operation, now()));
            }
        }
    }

    pub(super) fn mishap(&mut self) {
        self.mishaps.push(now());
    }

    pub(super) fn accepted(&mut self, id: OperationId, name: Option<ReferenceName>) {
        self.tell(name, Word::Accepted(id));
        self.followed.push_back(id);
        if self.followed.len() > FOLLOWED {
            self.followed.pop_front();
        }
    }

    pub(super) fn refused(&mut self, code: &str, name: Option<ReferenceName>) {
        self.tell(name, Word::Refused(code.to_owned()));
    }

    pub(super) fn made(&mut self, type_name: &str, identifier: &str) {
        let (type_name, identifier) = (type_name.to_owned(), identifier.to_owned());
        self.hands.push(Hand { type_name, identifier, deed: Deed::Made, at: now() });
    }

    fn tell(&mut self, name: Option<ReferenceName>, what: Word) {
        self.told.push(Told { at: now(), name, what });
    }

    /// How the last operations are told in the end.
    pub(super) fn ask_once_more(&mut self, client: &mut Client) {
        let accepted = self.told.iter().rev().filter_map(|told| match told.what {
            Word::Accepted(id) => Some(id),
            _ => None,
        });
        let asked: Vec<_> = accepted.take(ASKED_AT_LAST).collect();
        for id in asked {
            match status(client, id) {
                Some(word) => self.tell(None, word),
                None => self.tell(None, Word::Status(id, "Lost".to_owned(), None)),
            }
        }
    }
}

/// Now, by the clock that the store and AWS have too.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap())
}

/// Asks after the latest operations, one after the other, until it is over.
pub(super) fn observe(shared: &Shared) {
    while !shared.is_over() {
        let next = shared.book.lock().unwrap().followed.pop_front();
        if let Some(id) = next
            && let Some(word) = status(&mut shared.client(), id)
        {
            let mut book = shared.book.lock().unwrap();
            book.tell(None, word);
            book.followed.push_back(id);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// How an operation is told; nothing where nobody answers.
fn status(client: &mut Client, id: OperationId) -> Option<Word> {
    let path = format!("/planes/radius/local/providers/System.Resources/operationStatuses/{id}");
    let answer = client.call("GET", &path, &[], &Value::Null).ok().filter(|it| it.status == 200)?;
    let word = answer.body["status"].as_str()?.to_owned();
    let has_ended = answer.body["endTime"].is_string();
    // What became of an unknown one later is told with it.
    let mut body = answer.body;
    body["events"].take();
    Some(Word::Status(id, word, has_ended.then(|| body.to_string())))
}

/// Reads the simulator's log before it forgets, until it is over.
pub(super) fn read_calls(shared: &Shared) {
    let mut connection = Connection::open(shared.simulator).unwrap();
    while !shared.is_over() {
        let path = shared.book.lock().unwrap().calls.path();
        let page = connection.control("GET", &path, &Value::Null).unwrap().body;
        shared.book.lock().unwrap().calls.add(&page);
        std::thread::sleep(Duration::from_millis(300));
    }
}
