//! How an event is written: lines of fields, and an empty one behind them.

use std::fmt::Write as _;

use hangar_plan::record::{EventRecord, OperationRecord};
use serde_json::Value;

use crate::render::{self, Detail};

/// The beginning of a stream: how soon to come back, in milliseconds, where it is cut off.
pub(super) const BEGIN: &str = "retry: 1000\n\n";

/// What is sent so that a quiet stream is seen to be alive: a comment, which nobody is told of.
pub(super) const KEEP_ALIVE: &str = ": quiet\n\n";

/// One line of an operation's log.
pub(super) fn progress(event: &EventRecord) -> String {
    let mut text = format!("id: {}\n", event.sequence);
    text.push_str(&named("progress", &render::event(event)));
    text
}

/// How far an operation on a group is.
pub(super) fn counts(counts: &Value) -> String {
    named("counts", counts)
}

/// Why an operation waits; `null` when it goes on.
pub(super) fn waiting(waiting: Option<&Value>) -> String {
    named("waiting", waiting.unwrap_or(&Value::Null))
}

/// The end, with the status as it is from now on.
pub(super) fn end(record: &OperationRecord, events: &[EventRecord]) -> String {
    named("end", &render::operation(record, Detail::Whole(events)))
}

/// JSON has no line break outside of its strings, and none in them, so that it is one line.
fn named(name: &str, data: &Value) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "event: {name}\ndata: {data}\n\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_plan::Timestamp;
    use hangar_plan::operation::OperationId;

    #[test]
    fn an_event_is_one_line_of_data_whatever_it_says() {
        let event = EventRecord {
            operation: OperationId::from_u128(1),
            sequence: 7,
            at: Timestamp::from_micros(1_500_000),
            message: "one\ntwo\r\n\ndata: three".into(),
            waiting: None,
        };
        assert_eq!(
            progress(&event),
            "id: 7\nevent: progress\ndata: {\"at\":\"1970-01-01T00:00:01.5Z\",\
             \"message\":\"one\\ntwo\\r\\n\\ndata: three\",\"sequence\":7}\n\n"
        );
    }
}
