//! What a run came to: counts, outputs, what was not begun and why.

use std::fmt::Write as _;
use std::time::Duration;

use clap::builder::styling::Style;
use serde_json::{Map, Value};

use super::rows::outcome;
use crate::client::deployment::{Deployment, DeploymentProperties, Member, Row, RowState};
use crate::client::instant::felt;
use crate::render::wrap::wrap_message;
use crate::render::{counted, printable};

/// The words of what can become of a row, in the order in which they are counted.
const OUTCOMES: [&str; 14] = [
    "deployed",
    "created",
    "imported",
    "updated",
    "replaced",
    "deleted",
    "detached",
    "taken over",
    "unchanged",
    "read",
    "absent",
    "failed",
    "skipped",
    "canceled",
];

/// How many rows came to what, without those that nothing came to.
pub(crate) fn counts(rows: &[Row]) -> Vec<(&str, usize)> {
    let mut counts: Vec<(&str, usize)> = OUTCOMES.iter().map(|word| (*word, 0)).collect();
    for row in rows.iter().filter(|row| row.state.is_ended()) {
        let word = outcome(row);
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.retain(|(_, count)| *count > 0);
    counts
}

/// All of it, for people. Sentences are wrapped to `columns`, the width of a terminal.
pub(crate) fn text(deployment: &Deployment, columns: Option<usize>) -> String {
    let properties = &deployment.properties;
    let mut text = wrap_message(&not_begun(&properties.resources), columns);
    let took = properties.ended_at.zip(properties.timestamp).map(|(end, start)| end.since(start));
    let _ = writeln!(text, "{}", headline(deployment, took));
    text.push_str(&wrap_message(&left(properties), columns));
    text.push_str(&outputs(&properties.outputs));
    text
}

fn headline(deployment: &Deployment, took: Option<Duration>) -> String {
    let rows = &deployment.properties.resources;
    let name = printable(&deployment.name);
    let took = took.map(|took| format!(" in {}", felt(took))).unwrap_or_default();
    let is_quiet = rows.iter().all(|row| matches!(outcome(row), "unchanged" | "read" | "absent"));
    let counts = joined(&counts(rows));
    match (rows.len(), is_quiet) {
        (0, _) => format!("{name}: no resources{took}"),
        (_, true) => format!("{name}: no changes ({counts}){took}"),
        (_, false) => format!("{name}: {counts}{took}"),
    }
}

/// `3 created, 1 updated`.
fn joined(counts: &[(&str, usize)]) -> String {
    let counts = counts.iter().map(|(word, count)| format!("{count} {word}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// So many of those that were not begun are named.
const MOST_NAMED: usize = 8;

/// The rows that were not begun, a line for each reason.
fn not_begun(rows: &[Row]) -> String {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for row in rows {
        let Some(why) = why_not_begun(row) else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, addresses)) => addresses.push(&row.address),
            None => reasons.push((why, vec![&row.address])),
        }
    }
    let mut text = String::new();
    for (why, addresses) in reasons {
        let named = addresses.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
        let were = match addresses.len() {
            1 => format!("{named} was"),
            count @ 2..=MOST_NAMED => format!("{count} resources ({named}) were"),
            count => format!("{count} resources ({named}, …) were"),
        };
        let style = Style::new().dimmed();
        let line = format!("{were} not started: {why}");
        let _ = writeln!(text, "{style}·{style:#}   {}", printable(&line));
    }
    text
}

fn why_not_begun(row: &Row) -> Option<String> {
    Some(match (row.state, &row.because, &row.error) {
        (RowState::Canceled, _, _) => "the deployment was canceled".to_owned(),
        (RowState::Skipped, Some(other), _) => format!("{other} failed"),
        (RowState::Skipped, None, Some(error)) if !error.message.is_empty() => {
            error.message.trim_end_matches('.').to_owned()
        }
        (RowState::Skipped, None, _) => "a dependency failed".to_owned(),
        _ => return None,
    })
}

/// What the template does not name any more and is still there, what another deployment took, and what was replaced
/// and stays.
pub(crate) fn left(properties: &DeploymentProperties) -> String {
    let mut text = String::new();
    let DeploymentProperties { left_resources, retiring_resources, .. } = properties;
    let kept: Vec<&Member> = left_resources.iter().filter(|it| it.managed_by.is_none()).collect();
    let plain: Vec<&Member> = kept.iter().copied().filter(|it| it.reason.is_none()).collect();
    if !plain.is_empty() {
        let (are, them) = if plain.len() == 1 { ("is", "it") } else { ("are", "them") };
        let line = format!(
            "{} {are} no longer in the template and {} kept: {}; to remove {them}, deploy with `--on-remove delete` \
             or `--on-remove detach`",
            counted(plain.len(), "resource"),
            if plain.len() == 1 { "was" } else { "were" },
            named(&plain)
        );
        let _ = writeln!(text, "{}", printable(&line));
    }
    for member in kept {
        if let Some(reason) = &member.reason {
            let line =
                format!("{} is no longer in the template and was kept: {reason}", named(&[member]));
            let _ = writeln!(text, "{}", printable(&line));
        }
    }
    for member in left_resources {
        if let Some(by) = &member.managed_by {
            let by = by.rsplit('/').next().unwrap_or(by);
            let line = format!("{} was taken over by deployment {by}", named(&[member]));
            let _ = writeln!(text, "{}", printable(&line));
        }
    }
    for Member { address, identifier, .. } in retiring_resources {
        let identifier = identifier.as_deref().unwrap_or_default();
        let line = format!(
            "{identifier} of {address} was replaced but could not be deleted; each later write tries again"
        );
        let _ = writeln!(text, "{}", printable(&line));
    }
    text
}

/// `AWS.EC2/VPC net, AWS.SQS/Queue jobs`.
pub(crate) fn named(members: &[&Member]) -> String {
    let shown: Vec<String> = members
        .iter()
        .take(MOST_NAMED)
        .map(|member| format!("{} {}", member.type_name, member.key()))
        .collect();
    let more = if members.len() > MOST_NAMED { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// The outputs, a line each; secrets are not shown.
pub(crate) fn outputs(outputs: &Map<String, Value>) -> String {
    let width = outputs.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = if outputs.is_empty() { "" } else { "outputs:\n" }.to_owned();
    for (name, output) in outputs {
        let value = shown(output);
        let _ = writeln!(text, "  {:width$}  {}", printable(name), printable(&value));
    }
    text
}

fn shown(output: &Value) -> String {
    let is_secure = output
        .get("type")
        .and_then(Value::as_str)
        .is_some_and(|word| word.to_ascii_lowercase().starts_with("secure"));
    match (output.get("value"), output.get("unknown").and_then(Value::as_str)) {
        _ if is_secure || output.get("secret") == Some(&Value::Bool(true)) => "«secret»".to_owned(),
        (_, Some(unknown)) => format!("({unknown})"),
        (Some(Value::String(text)), None) => text.clone(),
        (Some(value), None) => value.to_string(),
        (None, None) => "(not known)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(resources: &Value, outputs: &Value) -> String {
        let deployment: Deployment = serde_json::from_value(json!({
            "id": "/x", "name": "app", "properties": {
                "provisioningState": "Succeeded", "timestamp": "2026-01-02T03:04:05Z",
                "endedAt": "2026-01-02T03:04:09.2Z", "resources": resources, "outputs": outputs,
            },
        }))
        .unwrap();
        anstream::adapter::strip_str(&text(&deployment, None)).to_string()
    }

    fn row(address: &str, state: &str, action: Option<&str>) -> Value {
        json!({"address": address, "type": "AWS.EC2/VPC", "state": state, "action": action, "because": "a"})
    }

    #[test]
    fn what_was_done_is_counted_and_secrets_are_not_shown() {
        let rows = json!([
            row("a", "Succeeded", Some("created")),
            row("b", "Succeeded", Some("created")),
            row("c", "Succeeded", Some("unchanged"))
        ]);
        let outputs = json!({"vpcId": {"type": "string", "value": "vpc-1"}, "key": {"type": "securestring"},
            "zones": {"type": "array", "value": ["a", "b"]}});
        insta::assert_snapshot!(told(&rows, &outputs), @r#"
        app: 2 created, 1 unchanged in 4.2s
        outputs:
          key    «secret»
          vpcId  vpc-1
          zones  ["a","b"]
        "#);
    }

    #[test]
    fn nothing_done_is_no_changes() {
        let rows =
            json!([row("a", "Succeeded", Some("unchanged")), row("b", "Succeeded", Some("read"))]);
        insta::assert_snapshot!(told(&rows, &json!({})), @"app: no changes (1 unchanged, 1 read) in 4.2s");
    }

    #[test]
    fn what_was_not_begun_says_why() {
        let rows = json!([
            row("a", "Failed", None),
            row("b", "Skipped", None),
            row("c", "Canceled", None),
            row("d", "Skipped", None)
        ]);
        insta::assert_snapshot!(told(&rows, &json!({})), @"
        ·   2 resources (b, d) were not started: a failed
        ·   c was not started: the deployment was canceled
        app: 1 failed, 2 skipped, 1 canceled in 4.2s
        ");
    }
}
