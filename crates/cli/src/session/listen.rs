//! Listens to one operation, and says what happens: its events, why it waits, and now and then that it goes on.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hangar_engine::AwsOutage;
use hangar_plan::operation::OperationId;
use tokio::time::{sleep, sleep_until};

use super::{CallError, Link, Session};
use crate::client::instant::Instant as WallTime;
use crate::client::shape::Operation;
use crate::client::stream::{self, Heard, News};
use crate::client::waiting::Waiting;
use crate::follow::vigil::{Vigil, rounded};
use crate::printer::Printer;

/// What was said of an operation so far.
#[derive(Debug)]
pub(crate) struct Hearing {
    /// The last event that was printed.
    said: u64,
    began: Instant,
    waiting: Option<Waiting>,
    /// The last distinct messages: a retried call repeats its message.
    recent: VecDeque<String>,
    /// Whether a reason for a wait was printed.
    has_reason: bool,
    vigil: Vigil,
}

/// How long an outage of AWS lasts before a line reports it, and how often the session checks for one.
const OUTAGE_TOLD_AFTER: Duration = Duration::from_secs(4);
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// As many messages as one try of a call has.
const RECENT: usize = 2;

impl Hearing {
    /// Nothing was said yet.
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let (waiting, recent) = (None, VecDeque::new());
        Self { said: 0, began: now, waiting, recent, has_reason: false, vigil: Vigil::new(now) }
    }

    /// Prints what a status has that was not printed yet.
    pub(crate) fn tell(&mut self, printer: &mut Printer, operation: &Operation) {
        for event in &operation.events {
            if event.sequence > self.said {
                self.said = event.sequence;
                self.say(printer, &event.message);
            }
        }
        if let Some(counts) = &operation.counts {
            printer.moved(counts.done, &counts.told());
        }
        if let Some(waiting) = &operation.waiting {
            self.waits(printer, waiting.clone());
        }
        self.beat(printer);
    }

    fn hear(&mut self, printer: &mut Printer, news: News) {
        match news {
            News::Event(event) if event.sequence > self.said => {
                self.said = event.sequence;
                // The operation made progress; if it still waits, the next frame reports it.
                self.waiting = None;
                self.say(printer, &event.message);
            }
            News::Event(_) => {}
            News::Counts(counts) => printer.moved(counts.done, &counts.told()),
            News::Waiting(waiting) => self.waits(printer, waiting),
        }
    }

    /// Prints a message; where lines are printed, not one of the last ones again.
    fn say(&mut self, printer: &mut Printer, message: &str) {
        self.has_reason |= message.starts_with("waiting");
        let is_repeated = self.recent.iter().any(|recent| recent == message);
        if !is_repeated {
            self.recent.push_back(message.to_owned());
            if self.recent.len() > RECENT {
                self.recent.pop_front();
            }
        }
        if !is_repeated || printer.is_lively() {
            printer.happened(message);
        }
    }

    /// Shows on a terminal why it waits; elsewhere the event of it was printed, and the next sign of life has it.
    fn waits(&mut self, printer: &mut Printer, waiting: Waiting) {
        if printer.is_lively() && waiting.is_worth_telling(WallTime::now()) {
            printer.happened(&waiting.told());
        }
        self.waiting = Some(waiting);
    }

    /// Says that AWS has not answered for a while, if the operation itself gave no reason for its wait: what asks for
    /// many things at once learns of it with the end of a call.
    fn is_out_of_reach(&mut self, printer: &mut Printer, outage: &AwsOutage) {
        if self.has_reason || outage.since.elapsed() < OUTAGE_TOLD_AFTER {
            return;
        }
        // What was known before, such as a place in a queue, is not the reason any more.
        self.waiting = None;
        self.say(printer, &format!("waiting: {}", outage.cause));
    }

    /// Says that it goes on, if lines are printed and it is time.
    fn beat(&mut self, printer: &mut Printer) {
        let now = Instant::now();
        if !self.vigil.beats(now) || printer.is_lively() {
            return;
        }
        let lasted = rounded(now.duration_since(self.began));
        let waiting = self.waiting.as_ref().filter(|it| it.is_worth_telling(WallTime::now()));
        match waiting {
            Some(waiting) => {
                printer.happened(&format!("still waiting ({lasted}): {}", waiting.told()));
            }
            None => printer.happened(&format!("still running ({lasted})")),
        }
    }
}

impl Session<'_> {
    /// Listens to an operation for as long as the connection lasts.
    pub(crate) async fn listen(
        &mut self,
        id: OperationId,
        hearing: &mut Hearing,
    ) -> Result<Heard, CallError> {
        self.find_token().await;
        let client = self.link.client()?.clone();
        let after = hearing.said;
        let mut next_beat = hearing.vigil.beat_at();
        let outlook = Arc::clone(&self.outlook);
        let telling = RefCell::new((&mut *self.printer, hearing));
        let mut listening = pin!(stream::listen(&client, id, after, |news| {
            let (printer, hearing) = &mut *telling.borrow_mut();
            hearing.hear(printer, news);
        }));
        let heard = loop {
            tokio::select! {
                heard = &mut listening => break heard,
                () = sleep_until(next_beat.into()) => {
                    let (printer, hearing) = &mut *telling.borrow_mut();
                    hearing.beat(printer);
                    next_beat = hearing.vigil.beat_at();
                }
                () = sleep(LOOK_EVERY) => {
                    if let Some(outage) = outlook.outage() {
                        let (printer, hearing) = &mut *telling.borrow_mut();
                        hearing.is_out_of_reach(printer, &outage);
                    }
                }
            }
        };
        if let (Heard::End(..), Link::Server { was_reached, .. }) = (&heard, &mut self.link) {
            *was_reached = true;
        }
        Ok(heard)
    }
}
