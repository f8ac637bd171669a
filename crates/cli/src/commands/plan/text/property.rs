//! One property of a change: what becomes of it, and behind that what the values alone do not say.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use console::measure_text_width;

use super::value::{pair, single};
use super::{DIM, View, lines};
use crate::client::deployment::{Action, Changed};
use crate::render::printable;

/// So many parts of one property are shown; `-o json` has all.
const MOST_PARTS: usize = 20;

const MARK: Style = AnsiColor::Magenta.on_default();

/// Writes the lines of a property.
pub(super) fn tell(text: &mut String, changed: &Changed, action: Action, view: View<'_>) {
    tell_at(text, changed, action, view, 6);
}

fn tell_at(text: &mut String, changed: &Changed, action: Action, view: View<'_>, indent: usize) {
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
    for part in changed.parts.iter().take(MOST_PARTS) {
        tell_at(text, part, action, view, below);
    }
    if let Some(more @ 1..) = changed.parts.len().checked_sub(MOST_PARTS) {
        let path = printable(&changed.path);
        let _ = writeln!(text, "{:below$}{DIM}… {more} more in {path}{DIM:#}", "");
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
        // What it was is a secret, too, and whether it was there.
        _ if *secret => {
            let is_new = matches!(action, Action::Create | Action::Run);
            (if is_new { Sign::None } else { Sign::Change }, format!("{path}: «secret»"))
        }
        (Some(before), Some(after)) => {
            if let Some(found) = lines::between(before, after) {
                write(text, indent, Sign::Change, &format!("{path}:"), &tail, view);
                return lines::tell(text, &found, indent + 4, view.width);
            }
            let (narrow, wide) = (pair(before, after, room), pair(before, after, below));
            // Where both do not fit behind the path, they have more room below it.
            let gap =
                if narrow == wide { " ".to_owned() } else { format!("\n{:1$}", "", indent + 4) };
            (Sign::Change, format!("{path}:{gap}{wide}"))
        }
        (None, Some(after)) => {
            let is_new = matches!(action, Action::Create | Action::Run);
            let sign = if is_new { Sign::None } else { Sign::Add };
            (sign, format!("{path}: {}", single(after, room)))
        }
        (Some(before), None) => (Sign::Remove, format!("{path}: {}", single(before, room))),
        (None, None) => (Sign::Change, path),
    };
    write(text, indent, sign, &line, &tail, view);
}

/// What is said behind a property, each in its style.
type Tail = Vec<(String, Style)>;

fn tail(changed: &Changed, view: View<'_>) -> Tail {
    let mut tail = Tail::new();
    let reason = changed.reason.as_deref().map(|reason| printable(reason).into_owned());
    if changed.requires_replacement {
        let reason = reason.unwrap_or_else(|| "only a new resource can have it".to_owned());
        tail.push((format!("({reason})"), MARK));
    } else {
        tail.extend(
            reason.filter(|_| says_more(changed)).map(|reason| (format!("({reason})"), DIM)),
        );
        if changed.may_replace {
            tail.push(("(may replace: AWS decides by it)".to_owned(), MARK));
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
