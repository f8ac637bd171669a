//! The rows of a run in words: what moved since the last look, what goes on, what waits for what.

use std::fmt::Write as _;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Style};
use console::measure_text_width;

use super::failed::clause;
use super::waits;
use crate::client::deployment::{Row, RowState};
use crate::client::instant::{Instant, felt};
use crate::printer::{Glance, Running};
use crate::render::line::cut_by;
use crate::render::printable;
use crate::render::wrap::wrap;

/// What was told of the rows so far, and how wide their columns are.
#[derive(Debug, Default)]
pub(super) struct Told {
    states: Vec<RowState>,
    address: usize,
    /// Nothing if the terminal has no room for types.
    type_name: Option<usize>,
    /// The width of the terminal, if it is one.
    width: Option<usize>,
}

/// A column that is wider than this is not made up for by blanks in all other lines.
const WIDEST: usize = 40;

/// The sign before each line.
const MARGIN: usize = 4;

/// The space next to the columns: the sign, the outcome, an identifier, a duration.
const BESIDES: usize = 48;

/// The space between two columns.
const GAP: usize = 2;

/// An identifier keeps so much before other parts of its line are shortened.
const READABLE: usize = 20;

/// No part is cut to less than this.
const MIN_WIDTH: usize = 12;

impl Told {
    /// The rows that moved since the last look, by their places. `width` is that of the terminal, if it is one.
    pub(super) fn moved(&mut self, rows: &[Row], width: Option<usize>) -> Vec<usize> {
        if self.states.len() != rows.len() {
            self.states = vec![RowState::Waiting; rows.len()];
            let widest = |of: fn(&Row) -> &str| {
                rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0).min(WIDEST)
            };
            let (address, type_name) = (widest(|row| &row.address), widest(|row| &row.type_name));
            let has_room = width.is_none_or(|width| address + type_name + BESIDES <= width);
            self.address = address;
            self.type_name = has_room.then_some(type_name);
            self.width = width;
        }
        let moved =
            rows.iter().zip(&mut self.states).enumerate().filter_map(|(place, (row, told))| {
                (std::mem::replace(told, row.state) != row.state).then_some(place)
            });
        moved.collect()
    }

    /// A row that began: `… vpc  AWS.EC2/VPC`.
    pub(super) fn begun(&self, row: &Row) -> String {
        printable(&format!("…   {}running", self.columns(row))).into_owned()
    }

    /// The address and, if there is room, the type.
    fn columns(&self, row: &Row) -> String {
        let address = self.address;
        match self.type_name {
            Some(width) => format!("{:address$}  {:width$}  ", row.address, row.type_name),
            None => format!("{:address$}  ", row.address),
        }
    }

    /// A row that is over: `+   vpc  AWS.EC2/VPC  created  vpc-123  1.2s`.
    pub(super) fn over(&self, row: &Row) -> String {
        let Mark { sign, style, word } = Mark::of(row);
        let took = took(row).map(felt);
        let changed = (!row.changed.is_empty()).then(|| row.changed.join(", "));
        let error = row.error.as_ref().map(|error| clause(&error.code, &error.message));
        let mut cells = Cells {
            columns: printable(&self.columns(row)).into_owned(),
            word: printable(word).into_owned(),
            identifier: row.identifier.as_deref().map(|it| printable(it).into_owned()),
            took,
            changed: changed.map(|it| printable(&it).into_owned()),
            error: error.map(|it| printable(&it).into_owned()),
        };
        let mut below = String::new();
        if let Some(room) = self.width.map(|width| width.saturating_sub(MARGIN)) {
            // A reason and the changed properties are never cut: they have lines of their own below the row.
            if let Some(text) = cells.take_what_does_not_fit(room) {
                for line in wrap(&text, room.saturating_sub(GAP), "").lines() {
                    let _ = write!(below, "\n{:MARGIN$}{:GAP$}{line}", "", "");
                }
            }
            cells.fit(room, &row.address);
        }
        format!("{style}{sign:<3}{style:#} {}{below}", cells.line())
    }
}

/// The parts of a line about a row that is over.
struct Cells {
    columns: String,
    word: String,
    identifier: Option<String>,
    took: Option<String>,
    changed: Option<String>,
    error: Option<String>,
}

impl Cells {
    fn line(&self) -> String {
        let mut line = format!("{}{}", self.columns, self.word);
        for part in [&self.identifier, &self.took, &self.changed].into_iter().flatten() {
            line.push_str("  ");
            line.push_str(part);
        }
        if let Some(error) = &self.error {
            line.push_str(": ");
            line.push_str(error);
        }
        line
    }

    fn excess(&self, room: usize) -> usize {
        measure_text_width(&self.line()).saturating_sub(room)
    }

    /// Takes the reason or the list of changed properties out of a line that is too long for it even with a shortened
    /// identifier.
    fn take_what_does_not_fit(&mut self, room: usize) -> Option<String> {
        let excess = self.excess(room);
        if let Some(error) = self.error.take_if(|_| excess > 0) {
            self.word.push(':');
            return Some(error);
        }
        let identifier = self.identifier.as_deref().map(measure_text_width).unwrap_or_default();
        self.changed.take_if(|_| excess > identifier.saturating_sub(READABLE))
    }

    /// Makes the line fit on a terminal: the type is gone already, so the identifier is shortened in the middle, then
    /// the address.
    fn fit(&mut self, room: usize, address: &str) {
        self.cut_identifier(room, READABLE);
        let excess = self.excess(room);
        if excess > 0 {
            let bare = measure_text_width(self.columns.trim_end());
            let padding = measure_text_width(&self.columns) - bare - GAP;
            let address = cut_by(&printable(address), excess.saturating_sub(padding), READABLE);
            self.columns = format!("{address}{:1$}", "", GAP + padding.saturating_sub(excess));
        }
        self.cut_identifier(room, MIN_WIDTH);
    }

    fn cut_identifier(&mut self, room: usize, least: usize) {
        let excess = self.excess(room);
        if let Some(identifier) = self.identifier.as_mut().filter(|_| excess > 0) {
            *identifier = cut_by(identifier, excess, least);
        }
    }
}

/// How a row that is over is marked.
struct Mark<'a> {
    sign: &'static str,
    style: Style,
    word: &'a str,
}

impl<'a> Mark<'a> {
    fn of(row: &'a Row) -> Self {
        let (sign, style) = match (row.state, row.action.as_deref()) {
            (RowState::Failed, _) => ("!", AnsiColor::Red.on_default().bold()),
            (RowState::Skipped | RowState::Canceled, _) => ("-", Style::new().dimmed()),
            (_, Some("created" | "imported")) => ("+", AnsiColor::Green.on_default()),
            (_, Some("updated")) => ("~", AnsiColor::Yellow.on_default()),
            (_, Some("replaced")) => ("-/+", AnsiColor::Magenta.on_default()),
            (_, Some("deployed")) => (">", AnsiColor::Yellow.on_default()),
            (_, Some("deleted")) => ("-", AnsiColor::Red.on_default()),
            (_, Some("detached")) => ("-", AnsiColor::Yellow.on_default()),
            (_, Some("read" | "absent")) => ("<=", AnsiColor::Cyan.on_default()),
            _ => ("=", Style::new().dimmed()),
        };
        Self { sign, style, word: outcome(row) }
    }
}

/// What a row came to, in one word.
pub(super) fn outcome(row: &Row) -> &str {
    match (row.state, row.action.as_deref()) {
        (RowState::Succeeded, Some(action)) => action,
        (state, _) => state.as_str(),
    }
}

/// Whether nothing was done: such rows are counted, and printed one by one only on request.
pub(super) fn is_quiet(row: &Row) -> bool {
    matches!(outcome(row), "unchanged" | "read" | "absent" | "skipped" | "canceled")
}

fn took(row: &Row) -> Option<Duration> {
    Some(row.ended_at?.since(row.started_at?))
}

/// What goes on right now.
pub(super) fn glance(rows: &[Row], now: Instant) -> Glance {
    let running = rows.iter().filter(|row| row.state == RowState::Running);
    let running = running.map(|row| Running {
        text: waits::behind(format!("{} {}", row.address, row.type_name), row, now),
        since: row.started_at.map(|at| now.since(at)).unwrap_or_default(),
    });
    let running: Vec<Running> = running.collect();
    let done = rows.iter().filter(|row| row.state.is_ended()).count();
    Glance { done, total: None, running, waiting: waiting(rows) }
}

/// More than these do not fit on a line anyway.
const MOST_WAITING: usize = 20;

/// `subnets[0] on vpc, routes on igw`.
fn waiting(rows: &[Row]) -> String {
    let waiting = rows.iter().filter(|row| row.state == RowState::Waiting);
    let told: Vec<String> = waiting
        .take(MOST_WAITING)
        .map(|row| match row.waits_on.as_slice() {
            [] => row.address.clone(),
            on => format!("{} on {}", row.address, on.join(" and ")),
        })
        .collect();
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(address: &str, state: &str, more: &serde_json::Value) -> Row {
        let mut document = json!({"address": address, "type": "AWS.EC2/VPC", "state": state});
        for (name, value) in more.as_object().unwrap() {
            document[name] = value.clone();
        }
        serde_json::from_value(document).unwrap()
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_row_is_told_once_for_each_move() {
        let mut told = Told::default();
        let rows = |first: &str, second: &str| {
            vec![row("a", first, &json!({})), row("b", second, &json!({}))]
        };
        assert!(told.moved(&rows("Waiting", "Waiting"), None).is_empty());
        assert_eq!(told.moved(&rows("Running", "Waiting"), None), [0]);
        assert_eq!(told.moved(&rows("Succeeded", "Running"), None), [0, 1]);
        assert!(told.moved(&rows("Succeeded", "Running"), None).is_empty());
    }

    #[test]
    fn what_is_over_says_what_was_done_to_what_and_how_long_it_took() {
        let times =
            json!({"startedAt": "2026-01-02T03:04:05Z", "endedAt": "2026-01-02T03:04:06.2Z"});
        let with = |more: serde_json::Value| {
            let mut all = times.clone();
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            all
        };
        let rows = [
            row("vpc", "Succeeded", &with(json!({"action": "created", "identifier": "vpc-1"}))),
            row(
                "subnets[0]",
                "Succeeded",
                &with(
                    json!({"action": "updated", "identifier": "s-1", "changed": ["/Tags", "/A"]}),
                ),
            ),
            row(
                "odd",
                "Failed",
                &with(json!({"error": {"code": "X", "message": "no such thing."}})),
            ),
            row("late", "Skipped", &json!({})),
            row("same", "Succeeded", &json!({"action": "unchanged"})),
        ];
        let mut told = Told::default();
        told.moved(&rows, None);
        let lines: Vec<String> = rows.iter().map(|row| plain(&told.over(row))).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        +   vpc         AWS.EC2/VPC  created  vpc-1  1.2s
        ~   subnets[0]  AWS.EC2/VPC  updated  s-1  1.2s  /Tags, /A
        !   odd         AWS.EC2/VPC  failed  1.2s: no such thing
        -   late        AWS.EC2/VPC  skipped
        =   same        AWS.EC2/VPC  unchanged
        ");
    }

    #[test]
    fn a_narrow_terminal_loses_the_types_and_breaks_no_id() {
        let id = "rtbassoc-b63605a65342a648a";
        let url = "https://sqs.us-east-1.amazonaws.com/000000000000/the-queue-of-the-orders";
        let done = |id: &str| json!({"action": "created", "identifier": id, "type": "AWS.EC2/SubnetRouteTableAssociation"});
        let rows = [
            row("publicRouteTableAssociations[0]", "Succeeded", &done(id)),
            row("orders", "Succeeded", &done(url)),
        ];
        let mut told = Told::default();
        told.moved(&rows, Some(80));
        let lines: Vec<String> = rows.iter().map(|row| plain(&told.over(row))).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        +   publicRouteTableAssociations[0]  created  rtbassoc-b63605a65342a648a
        +   orders                           created  https://sqs.us-e…eue-of-the-orders
        ");
        let mut told = Told::default();
        told.moved(&rows, None);
        assert!(rows.iter().all(|row| !plain(&told.over(row)).contains('…')));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_reason_is_cut() {
        let url = "https://sqs.us-east-1.amazonaws.com/000000000000/the-queue-of-the-orders";
        let changed = ["/DelaySeconds", "/MaximumMessageSize", "/VisibilityTimeout"];
        let updated = json!({"action": "updated", "identifier": url, "changed": changed});
        let reason =
            "the queue cannot be created because a queue of this name was deleted a moment ago";
        let failed = json!({"error": {"code": "QueueDeletedRecently", "message": reason}});
        let rows = [
            row("aVeryLongSymbolicNameOfAQueueForTheOrders", "Succeeded", &updated),
            row("jobs", "Succeeded", &updated),
            row("orders", "Failed", &failed),
        ];
        let mut told = Told::default();
        told.moved(&rows, Some(80));
        let text: Vec<String> = rows.iter().map(|row| plain(&told.over(row))).collect();
        let text = text.join("\n");
        assert!(text.lines().all(|line| measure_text_width(line) <= 80), "{text}");
        insta::assert_snapshot!(text, @"
        ~   aVeryLongSymbolicNameOfAQueueForTheOrders  updated  https://sqs…f-the-orders
              /DelaySeconds, /MaximumMessageSize, /VisibilityTimeout
        ~   jobs                                      updated  https://sqs.…f-the-orders
              /DelaySeconds, /MaximumMessageSize, /VisibilityTimeout
        !   orders                                    failed:
              the queue cannot be created because a queue of this name was deleted a
              moment ago
        ");
    }

    #[test]
    fn a_list_of_properties_is_never_cut_while_the_identifier_is_whole() {
        let changed = json!(["/CidrBlock", "/EnableDnsHostnames", "/EnableDnsSupport", "/Tags"]);
        let updated =
            json!({"action": "updated", "identifier": "vpc-0baaa0e2675526660", "changed": changed});
        let few = json!({"action": "updated", "identifier": "vpc-0baaa0e2675526660", "changed": ["/Tags"]});
        let rows = [row("net", "Succeeded", &updated), row("other", "Succeeded", &few)];
        let mut told = Told::default();
        told.moved(&rows, Some(80));
        let text: Vec<String> = rows.iter().map(|row| plain(&told.over(row))).collect();
        insta::assert_snapshot!(text.join("\n"), @"
        ~   net    AWS.EC2/VPC  updated  vpc-0baaa0e2675526660
              /CidrBlock, /EnableDnsHostnames, /EnableDnsSupport, /Tags
        ~   other  AWS.EC2/VPC  updated  vpc-0baaa0e2675526660  /Tags
        ");
    }

    #[test]
    fn a_glance_tells_what_runs_and_what_waits_for_what() {
        let rows = [
            row("vpc", "Running", &json!({"startedAt": "2026-01-02T03:04:05Z"})),
            row("subnets[0]", "Waiting", &json!({"waitsOn": ["vpc"]})),
            row("routes", "Waiting", &json!({"waitsOn": ["igw", "table"]})),
            row("queue", "Succeeded", &json!({"action": "created"})),
        ];
        let now = Instant::try_from("2026-01-02T03:04:08Z".to_owned()).unwrap();
        let glance = glance(&rows, now);
        assert_eq!((glance.done, glance.running.len()), (1, 1));
        assert_eq!(glance.running[0].since, Duration::from_secs(3));
        assert_eq!(glance.waiting, "subnets[0] on vpc, routes on igw and table");
    }
}
