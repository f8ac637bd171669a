//! What a run says while its rows wait: each new reason, and every half minute that it goes on.

use std::time::Instant;

use serde_json::{Value, json};

use crate::client::deployment::{Deployment, Row, RowState};
use crate::client::instant::Instant as WallTime;
use crate::client::waiting::Waiting;
use crate::failure::Failure;
use crate::follow::vigil::{UnderWay, Vigil, Word, listed};
use crate::printer::Printer;
use crate::render::printable;

/// Says what there is to say of the waits of a run. A terminal shows them in its moving lines.
pub(super) fn tell(
    vigil: &mut Vigil,
    printer: &mut Printer,
    document: &Value,
    deployment: &Deployment,
) -> Result<(), Failure> {
    let properties = &deployment.properties;
    if properties.provisioning_state.is_ended() {
        return Ok(());
    }
    let wall = WallTime::now();
    let rows = properties.resources.iter().filter(|row| row.state == RowState::Running);
    let mut under_way: Vec<UnderWay<'_>> = rows.map(|row| under_way(row, wall)).collect();
    if under_way.is_empty()
        && let Some(waiting) = &properties.waiting
    {
        under_way.push(of_run(deployment, waiting, wall));
    }
    for word in vigil.words(&under_way, Instant::now(), wall) {
        match word {
            Word::Waits { names, waiting } => {
                let shown = wait_of(document, names.first().copied(), &deployment.name);
                printer
                    .event(|| json!({"event": "waiting", "resources": names, "waiting": shown}))?;
                let line = format!("…   waiting: {}: {}", listed(&names), waiting.told());
                printer.progress_line(&printable(&line));
            }
            Word::Beats { text, names } => {
                printer.event(|| json!({"event": "running", "resources": names}))?;
                printer.progress_line(&printable(&format!("…   {text}")));
            }
        }
    }
    Ok(())
}

fn under_way(row: &Row, now: WallTime) -> UnderWay<'_> {
    let doing = match row.verb.as_deref() {
        Some("create") => "creating",
        Some("update") => "updating",
        Some("delete") => "deleting",
        _ if row.left => "deleting",
        _ if row.existing => "reading",
        _ => "deploying",
    };
    let lasted = row.started_at.map(|at| now.since(at)).unwrap_or_default();
    UnderWay { name: &row.address, doing, lasted, waiting: row.waiting.as_ref() }
}

/// The run itself, before its first row.
fn of_run<'a>(deployment: &'a Deployment, waiting: &'a Waiting, now: WallTime) -> UnderWay<'a> {
    let lasted = deployment.properties.timestamp.map(|at| now.since(at)).unwrap_or_default();
    UnderWay { name: &deployment.name, doing: "deploying", lasted, waiting: Some(waiting) }
}

/// The wait of a row, or of the run, as the server sent it.
fn wait_of<'a>(document: &'a Value, name: Option<&str>, run: &str) -> Option<&'a Value> {
    let properties = document.get("properties")?;
    let rows = properties.get("resources").and_then(Value::as_array);
    let is_named = |row: &&Value| row.get("address").and_then(Value::as_str) == name;
    let of_row =
        rows.and_then(|rows| rows.iter().find(is_named)).and_then(|row| row.get("waiting"));
    of_row.or_else(|| properties.get("waiting").filter(|_| name == Some(run)))
}

/// The reason for a row's wait, behind what the row is: for the moving lines of a terminal.
pub(super) fn behind(text: String, row: &Row, now: WallTime) -> String {
    match row.waiting.as_ref().filter(|waiting| waiting.is_worth_telling(now)) {
        Some(waiting) => format!("{text}: {}", waiting.told()),
        None => text,
    }
}
