//! One property of a change: what becomes of it, and behind that what the values alone do not say.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use console::measure_text_width;

use super::value::{Layout, layout, pair_on_line};
use super::{DIM, View, lines};
use crate::client::deployment::{Action, Changed};
use crate::render::printable;

const MARK: Style = AnsiColor::Magenta.on_default();

/// Writes the lines of a property.
pub(in crate::commands) fn tell(
    text: &mut String,
    changed: &Changed,
    action: Action,
    view: View<'_>,
) {
    tell_at(text, changed, action, view, 6);
}

/// The same, so far from the margin.
pub(super) fn tell_at(
    text: &mut String,
    changed: &Changed,
    action: Action,
    view: View<'_>,
    indent: usize,
) {
    if changed.parts.is_empty() {
        return one(text, changed, action, view, indent);
    }
    let is_told_by_parts = changed.parts.iter().any(|part| part.may_replace);
    let is_marked = changed.requires_replacement || (changed.may_replace && !is_told_by_parts);
    let mut below = indent;
    if is_marked {
        below += 2;
        let sign = Sign::Change;
        write(
            text,
            indent,
            sign,
            &format!("{}:", printable(&changed.path)),
            &tail(changed, view),
            view,
        );
    }
    for part in &changed.parts {
        tell_at(text, part, action, view, below);
    }
}

#[derive(Clone, Copy)]
enum Sign {
    None,
    Add,
    Remove,
    Change,
    Unknown,
}

impl Sign {
    const fn shown(self) -> (char, Style) {
        match self {
            Self::None => (' ', Style::new()),
            Self::Add => ('+', AnsiColor::Green.on_default()),
            Self::Remove => ('-', AnsiColor::Red.on_default()),
            Self::Change => ('~', AnsiColor::Yellow.on_default()),
            Self::Unknown => ('?', AnsiColor::Cyan.on_default()),
        }
    }
}

/// `~ /CidrBlock: "10.0.0.0/16" → "10.1.0.0/16"`.
fn one(text: &mut String, changed: &Changed, action: Action, view: View<'_>, indent: usize) {
    let Changed { before, after, unknown, secret, .. } = changed;
    let path = printable(changed.keyed.as_deref().unwrap_or(&changed.path)).into_owned();
    let tail = tail(changed, view);
    let room = view
        .width
        .map(|width| width.saturating_sub(indent + measure_text_width(&path) + 4).max(16));
    let below = view.width.map(|width| width.saturating_sub(indent + 4).max(16));
    let (sign, line) = match (before, after) {
        _ if unknown.is_some() => {
            let unknown = unknown.as_deref().unwrap_or_default();
            let sign = match (action, before) {
                (Action::Create | Action::Run, None) => Sign::None,
                (Action::Unknown, _) => Sign::Unknown,
                (_, Some(_)) => Sign::Change,
                (_, None) if changed.requires_replacement => Sign::Change,
                (_, None) => Sign::Unknown,
            };
            (sign, format!("{path}: ({})", printable(unknown)))
        }
        _ if *secret => (secret_sign(changed, action), format!("{path}: «secret»")),
        (Some(before), Some(after)) => {
            if let Some(pair) = pair_on_line(before, after, room) {
                (Sign::Change, format!("{path}: {pair}"))
            } else if let Some(pair) = pair_on_line(before, after, below) {
                // Both have more room on a line of their own.
                (Sign::Change, format!("{path}:\n{:1$}{pair}", "", indent + 4))
            } else {
                write(text, indent, Sign::Change, &format!("{path}:"), &tail, view);
                return lines::write_lines(text, &lines::between(before, after), indent + 4);
            }
        }
        (None, Some(value)) | (Some(value), None) => {
            let sign = match (action, before) {
                (_, Some(_)) => Sign::Remove,
                (Action::Create | Action::Run, None) => Sign::None,
                (_, None) => Sign::Add,
            };
            match layout(value, below) {
                Layout::Line(line) => (sign, format!("{path}: {line}")),
                Layout::Block(lines) => {
                    write(text, indent, sign, &format!("{path}:"), &tail, view);
                    for line in lines {
                        let _ = writeln!(text, "{:1$}{line}", "", indent + 4);
                    }
                    return;
                }
            }
        }
        (None, None) => (Sign::Change, path),
    };
    write(text, indent, sign, &line, &tail, view);
}

/// A secret shows no value; its sign shows whether it is added, changed or removed.
fn secret_sign(changed: &Changed, action: Action) -> Sign {
    match (action, changed.cause.as_deref()) {
        (Action::Create | Action::Run, _) => Sign::None,
        (_, Some("no-longer-stated")) => Sign::Remove,
        (_, Some("first-stated")) => Sign::Add,
        _ => Sign::Change,
    }
}

/// What is said behind a property, each in its style.
type Tail = Vec<(String, Style)>;

fn tail(changed: &Changed, view: View<'_>) -> Tail {
    let mut tail = Tail::new();
    let reason = changed.reason.as_deref().map(|reason| printable(reason).into_owned());
    if changed.requires_replacement {
        let reason = reason.unwrap_or_else(|| "requires a new resource".to_owned());
        tail.push((format!("({reason})"), MARK));
    } else {
        tail.extend(
            reason.filter(|_| says_more(changed)).map(|reason| (format!("({reason})"), DIM)),
        );
        if changed.may_replace {
            tail.push(("(may replace: AWS decides)".to_owned(), MARK));
        }
    }
    if changed.requires_replacement || changed.may_replace {
        tail.extend(view.place(changed.source.as_ref()).map(|place| (place, DIM)));
    }
    tail
}

/// Whether the reason says what the values do not.
fn says_more(changed: &Changed) -> bool {
    !matches!(changed.cause.as_deref(), None | Some("stated" | "first-stated" | "no-record"))
}

/// A line and what is said behind it, on lines of its own where there is no room.
fn write(
    text: &mut String,
    indent: usize,
    sign: Sign,
    line: &str,
    tail: &[(String, Style)],
    view: View<'_>,
) {
    let (sign, style) = sign.shown();
    let _ = write!(text, "{:indent$}{style}{sign}{style:#} {line}", "");
    let last = line.lines().last().unwrap_or_default();
    let mut plain =
        if last == line { format!("{:indent$}{sign} {line}", "") } else { last.to_owned() };
    for (said, style) in tail {
        let longer = format!("{plain}  {said}");
        plain = if view.is_too_wide(&longer) {
            let alone = format!("{:1$}{said}", "", indent + 4);
            let _ = write!(text, "\n{:1$}", "", indent + 4);
            alone
        } else {
            text.push_str("  ");
            longer
        };
        let _ = write!(text, "{style}{said}{style:#}");
    }
    text.push('\n');
}
