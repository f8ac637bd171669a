//! The outputs of a plan: what each will be, and which are other ones than after the last run.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use serde_json::Value;

use super::value::{Layout, layout, pair_on_line};
use super::{DIM, View, lines};
use crate::client::deployment::PlanProperties;
use crate::render::printable;

/// Those that change; all of them where all is asked for.
pub(super) fn outputs(properties: &PlanProperties, view: View<'_>) -> String {
    let mut text = String::new();
    if let Some(problem) = &properties.output_problem {
        let style = AnsiColor::Red.on_default().bold();
        let place = view.place(problem.source.as_ref()).unwrap_or_default();
        let message = printable(&problem.message);
        let _ = writeln!(
            text,
            "{style}!{style:#}   outputs  would fail: {message}  {DIM}{place}{DIM:#}"
        );
    }
    let is_shown = |output: &Value| view.all || output["change"] != "no-op";
    let shown: Vec<(&String, &Value)> =
        properties.outputs.iter().filter(|(_, output)| is_shown(output)).collect();
    if shown.is_empty() {
        return text;
    }
    let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    text.push_str("outputs:\n");
    for (name, output) in shown {
        let (sign, style) = match output["change"].as_str() {
            Some("create") => ('+', AnsiColor::Green.on_default()),
            Some("update") => ('~', AnsiColor::Yellow.on_default()),
            Some("delete") => ('-', AnsiColor::Red.on_default()),
            Some("unknown") => ('?', AnsiColor::Cyan.on_default()),
            _ => (' ', Style::new()),
        };
        let name = printable(name);
        let _ = write!(text, "  {style}{sign}{style:#} {name:width$}  ");
        let room = view.width.map(|room| room.saturating_sub(width + 6).max(16));
        match (output.get("before"), output.get("value"), &output["unknown"]) {
            _ if output["secret"] == true => text.push_str("«secret»\n"),
            (_, _, Value::String(unknown)) => {
                let _ = writeln!(text, "({})", printable(unknown));
            }
            (Some(before), Some(after), _) => {
                if let Some(pair) = pair_on_line(before, after, room) {
                    let _ = writeln!(text, "{pair}");
                } else {
                    text.push('\n');
                    lines::write_lines(&mut text, &lines::between(before, after), 6);
                }
            }
            (Some(value), None, _) | (None, Some(value), _) => match layout(value, room) {
                Layout::Line(line) => {
                    let _ = writeln!(text, "{line}");
                }
                Layout::Block(lines) => {
                    text.push('\n');
                    for line in lines {
                        let _ = writeln!(text, "      {line}");
                    }
                }
            },
            (None, None, _) => text.push_str("«secret»\n"),
        }
    }
    text
}
