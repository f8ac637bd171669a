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
use crate::render::printable;

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

/// What stands beside the columns: the sign, the outcome, an identifier, a time.
const BESIDES: usize = 48;

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
        let mut text = format!("{style}{sign:<3}{style:#} ");
        let mut line = format!("{}{word}", self.columns(row));
        let changed = (!row.changed.is_empty()).then(|| row.changed.join(", "));
        let more = [row.identifier.clone(), took(row).map(felt), changed];
        for part in more.into_iter().flatten() {
            let longer = format!("{line}  {part}");
            if self.is_too_wide(&longer) {
                // An id is not broken at the edge of the terminal: it has a line of its own.
                let _ = writeln!(text, "{}", printable(&line));
                let _ = write!(text, "{:MARGIN$}", "");
                line = format!("  {part}");
            } else {
                line = longer;
            }
        }
        if let Some(error) = &row.error {
            line.push_str(": ");
            line.push_str(&clause(&error.code, &error.message));
        }
        text.push_str(&printable(&line));
        text
    }

    fn is_too_wide(&self, line: &str) -> bool {
        self.width.is_some_and(|width| MARGIN + measure_text_width(line) > width)
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
        +   orders                           created
              https://sqs.us-east-1.amazonaws.com/000000000000/the-queue-of-the-orders
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
