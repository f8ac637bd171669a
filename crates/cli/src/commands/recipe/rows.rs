//! The rows of a run in words: what moved since the last look, and what goes on.

use std::time::Duration;

use clap::builder::styling::{AnsiColor, Style};

use hangar_manifest::recipe::module::MODULE_KEY;

use crate::client::recipe::{Progress, RecipeProperties, RecipeRow};
use crate::follow::vigil::rounded;
use crate::printer::{Glance, Running};
use crate::render::printable;

/// As many resources as one heartbeat names.
const NAMED: usize = 5;

/// What was told of the rows so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    rows: Vec<(String, Progress)>,
}

impl Told {
    /// The rows that moved since the last look. A run that was begun again tells its rows anew.
    pub(super) fn moved<'a>(&mut self, rows: &'a [RecipeRow]) -> Vec<&'a RecipeRow> {
        let mut moved = Vec::new();
        for row in rows {
            match self.rows.iter_mut().find(|(address, _)| *address == row.address) {
                Some((_, told)) if *told == row.progress => {}
                Some((_, told)) => {
                    *told = row.progress;
                    moved.push(row);
                }
                None => {
                    self.rows.push((row.address.clone(), row.progress));
                    if row.progress != Progress::Planned {
                        moved.push(row);
                    }
                }
            }
        }
        moved
    }
}

/// A row that began: `…   aws_vpc.main  creating`.
pub(super) fn begun(row: &RecipeRow) -> String {
    format!("…   {}  {}", printable(&address(row)), under_way(row))
}

/// A row that is over: `+   aws_vpc.main  created`.
pub(super) fn over(row: &RecipeRow) -> String {
    let (sign, style, word) = match (row.progress, row.action.as_str()) {
        (Progress::Failed, action) => {
            let word = match action {
                "create" => "not created",
                "update" => "not updated",
                "delete" => "not deleted",
                "replace" => "not replaced",
                _ => "failed",
            };
            ("!", AnsiColor::Red.on_default().bold(), word)
        }
        (_, "create") => ("+", AnsiColor::Green.on_default(), "created"),
        (_, "update") => ("~", AnsiColor::Yellow.on_default(), "updated"),
        (_, "delete") => ("-", AnsiColor::Red.on_default(), "deleted"),
        (_, "replace") => ("-/+", AnsiColor::Magenta.on_default(), "replaced"),
        (_, "read") => ("<=", AnsiColor::Cyan.on_default(), "read"),
        (_, action) => ("=", Style::new().dimmed(), action),
    };
    format!("{style}{sign:<3}{style:#} {}  {}", printable(&address(row)), printable(word))
}

/// Terraform's address as the author of the recipe knows it: we run a recipe as one module of ours.
fn address(row: &RecipeRow) -> String {
    shown_address(&row.address).to_owned()
}

/// The same of any address.
pub(crate) fn shown_address(address: &str) -> &str {
    let own = address.strip_prefix("module.").and_then(|it| it.strip_prefix(MODULE_KEY));
    own.and_then(|it| it.strip_prefix('.')).unwrap_or(address)
}

fn under_way(row: &RecipeRow) -> &str {
    match row.action.as_str() {
        "create" => "creating",
        "update" => "updating",
        "delete" => "deleting",
        "replace" => "replacing",
        "read" => "reading",
        action => action,
    }
}

/// A line that shows that a run goes on: the resources that are being changed, else the stage.
pub(super) fn heartbeat(
    properties: &RecipeProperties,
    since: impl Fn(&str) -> Duration,
    in_stage: Duration,
) -> String {
    let is_running = |row: &&RecipeRow| row.progress == Progress::Running;
    let running: Vec<String> = properties
        .rows
        .iter()
        .filter(is_running)
        .map(|row| {
            let lasted = rounded(since(&row.address));
            format!("{} {} ({lasted})", printable(under_way(row)), printable(&address(row)))
        })
        .collect();
    if running.is_empty() {
        return format!("…   still {} ({})", stage_in_words(properties), rounded(in_stage));
    }
    let named = running.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match running.len().saturating_sub(NAMED) {
        0 => format!("…   still {named}"),
        more => format!("…   still {named} and {more} more"),
    }
}

/// What goes on right now; `since` tells for how long a row has been under way.
pub(super) fn glance(
    properties: &RecipeProperties,
    since: impl Fn(&str) -> Duration,
    in_stage: Duration,
) -> Glance {
    let rows = &properties.rows;
    let mut running: Vec<Running> = rows
        .iter()
        .filter(|row| row.progress == Progress::Running)
        .map(|row| Running {
            text: format!("{} {}", address(row), under_way(row)),
            since: since(&row.address),
        })
        .collect();
    if running.is_empty() {
        running.push(Running { text: stage_in_words(properties).to_owned(), since: in_stage });
    }
    let is_over = |row: &&RecipeRow| matches!(row.progress, Progress::Done | Progress::Failed);
    let planned = rows.iter().filter(|row| row.progress == Progress::Planned);
    let waiting: Vec<String> = planned.take(MOST_WAITING).map(address).collect();
    let done = rows.iter().filter(is_over).count();
    Glance { done, total: Some(rows.len()), running, waiting: waiting.join(", ") }
}

/// More than these do not fit on a line anyway.
const MOST_WAITING: usize = 20;

/// What a run does while no resource of it moves.
pub(super) fn stage_in_words(properties: &RecipeProperties) -> &'static str {
    match properties.stage.as_deref() {
        Some("preparing") => "fetching the module and its providers",
        Some("applying") if properties.rows.is_empty() => "planning",
        Some("applying") => "applying",
        Some("stopping") => "stopping: Terraform finishes the changes in progress",
        Some("recording") => "recording the results",
        _ => "waiting for its turn",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(address: &str, action: &str, progress: Progress) -> RecipeRow {
        RecipeRow { address: address.to_owned(), action: action.to_owned(), progress }
    }

    #[test]
    fn a_heartbeat_names_the_running_resources_or_the_stage() {
        let mut properties =
            RecipeProperties { stage: Some("preparing".to_owned()), ..RecipeProperties::default() };
        let since = |_: &str| Duration::from_secs(90);
        let line = |properties: &_| heartbeat(properties, since, Duration::from_secs(30));
        assert_eq!(line(&properties), "…   still fetching the module and its providers (30s)");
        properties.stage = Some("applying".to_owned());
        properties.rows = vec![
            row("aws_vpc.main", "create", Progress::Done),
            row("aws_db_instance.main", "create", Progress::Running),
            row("aws_eip.old", "delete", Progress::Running),
        ];
        let expected =
            "…   still creating aws_db_instance.main (1m 30s), deleting aws_eip.old (1m 30s)";
        assert_eq!(line(&properties), expected);
    }

    #[test]
    fn a_row_is_told_once_for_each_move() {
        let mut told = Told::default();
        let rows = |first, second| vec![row("a", "create", first), row("b", "delete", second)];
        let (planned, running, done) = (Progress::Planned, Progress::Running, Progress::Done);
        assert!(told.moved(&rows(planned, planned)).is_empty());
        assert_eq!(told.moved(&rows(running, planned)).len(), 1);
        assert_eq!(told.moved(&rows(done, running)).len(), 2);
        assert!(told.moved(&rows(done, running)).is_empty());
    }

    #[test]
    fn what_is_over_says_what_was_done_by_the_address_of_its_author() {
        let lines = [
            over(&row("module.recipe.aws_vpc.main", "create", Progress::Done)),
            over(&row("module.recipe.module.x.aws_vpc.main[0]", "replace", Progress::Done)),
            over(&row("aws_vpc.old", "delete", Progress::Failed)),
        ];
        let lines = lines.map(|line| anstream::adapter::strip_str(&line).to_string());
        insta::assert_snapshot!(lines.join("\n"), @"
        +   aws_vpc.main  created
        -/+ module.x.aws_vpc.main[0]  replaced
        !   aws_vpc.old  not deleted
        ");
    }

    #[test]
    fn a_glance_tells_what_runs_or_else_the_stage() {
        let properties = |stage: &str, rows| RecipeProperties {
            stage: Some(stage.to_owned()),
            rows,
            ..RecipeProperties::default()
        };
        let at = glance(&properties("preparing", vec![]), |_| Duration::ZERO, Duration::ZERO);
        assert_eq!(at.running[0].text, "fetching the module and its providers");
        let rows = vec![
            row("a", "create", Progress::Done),
            row("b", "update", Progress::Running),
            row("c", "create", Progress::Planned),
        ];
        let at = glance(&properties("applying", rows), |_| Duration::ZERO, Duration::ZERO);
        assert_eq!((at.done, &*at.running[0].text, &*at.waiting), (1, "b updating", "c"));
    }
}
