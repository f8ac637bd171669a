//! Attempts, one row each, for look-ups by request token and for people: the machine has its own copy.

use hangar_plan::operation::{Attempt, OperationId};
use hangar_plan::record::OperationRecord;

use super::database::Database;
use super::row::{Table, to_text};
use super::writing::{Value, Writing};
use crate::StoreError;
use crate::column::{to_micros, to_word};

const ATTEMPT: Table = Table { name: "attempt", key: &["operation", "number"] };

pub(super) const FIND_BY_REQUEST: &str =
    "SELECT operation, number FROM attempt WHERE request_token = $1 LIMIT 1";
// Most of them are as they were.
const SAVE: &str = "INSERT INTO attempt (operation, number, unanswered, sent_at, request_token, begun,
        identifier, outcome, verb, client_token, born_at, marked)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[],
        $6::boolean[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::boolean[])
    ON CONFLICT (operation, number) DO UPDATE SET
        unanswered = excluded.unanswered, sent_at = excluded.sent_at,
        request_token = excluded.request_token, begun = excluded.begun,
        identifier = excluded.identifier, outcome = excluded.outcome
    WHERE (attempt.unanswered, attempt.sent_at, attempt.request_token, attempt.begun,
            attempt.identifier, attempt.outcome)
        IS DISTINCT FROM (excluded.unanswered, excluded.sent_at, excluded.request_token,
            excluded.begun, excluded.identifier, excluded.outcome)";
// Attempts of earlier operations, which may be gone.
pub(super) const SETTLE: &str = "UPDATE attempt SET unanswered = answer.unanswered,
        sent_at = answer.sent_at, request_token = answer.request_token, begun = answer.begun,
        identifier = answer.identifier, outcome = answer.outcome
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[],
        $7::text[], $8::text[]) AS answer
        (operation, number, unanswered, sent_at, request_token, begun, identifier, outcome)
    WHERE attempt.operation = ANY($1::text[])
        AND attempt.operation = answer.operation AND attempt.number = answer.number";

pub(super) async fn find_by_request(
    database: &Database<'_>,
    request_token: &str,
) -> Result<Option<OperationId>, StoreError> {
    database
        .find(&ATTEMPT, FIND_BY_REQUEST, &[&request_token], |row| row.operation("operation"))
        .await
}

/// Writes the attempts that a record names.
pub(super) fn save(writing: &mut Writing<'_>, record: &OperationRecord) {
    let (own, earlier): (Vec<&Attempt>, Vec<&Attempt>) =
        record.attempts().iter().partition(|attempt| attempt.operation == record.id());
    if !own.is_empty() {
        let mut given = answer(&own);
        given.push(column(&own, |it| to_word(&it.verb)));
        given.push(column(&own, |it| it.client_token.clone()));
        given.push(column(&own, |it| it.born_at.as_micros()));
        given.push(column(&own, |it| it.marked));
        writing.put(SAVE, given);
    }
    if !earlier.is_empty() {
        writing.put(SETTLE, answer(&earlier));
    }
}

/// What moves in an attempt, with its key.
fn answer(attempts: &[&Attempt]) -> Vec<Value> {
    vec![
        column(attempts, |it| it.operation.to_string()),
        column(attempts, |it| i64::from(it.number)),
        column(attempts, |it| i64::from(it.unanswered)),
        column(attempts, |it| to_micros(it.sent_at)),
        column(attempts, |it| it.request_token.as_deref().map(to_text)),
        column(attempts, |it| it.begun),
        column(attempts, |it| it.identifier.as_deref().map(to_text)),
        column(attempts, |it| to_word(&it.outcome)),
    ]
}

fn column<T>(attempts: &[&Attempt], part: impl Fn(&Attempt) -> T) -> Value
where
    Vec<T>: tokio_postgres::types::ToSql + Sync + Send + 'static,
{
    Box::new(attempts.iter().map(|attempt| part(attempt)).collect::<Vec<T>>())
}
