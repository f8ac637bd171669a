//! A diagnostic as rustc would show it, and as JSON.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use clap::builder::styling::{AnsiColor, Style};
use hangar_diag::{Code, Diagnostic, Label, Severity, Span, position_of};
use serde::Serialize;

use super::wrap::wrap_message;
use super::{printable, printable_lines};
use crate::failure::{Cause, Report};
use crate::input::Source;

/// Every diagnostic in turn, an empty line between two; colored, for a stream that strips. Those with the same cause
/// are one, with the first of their places. Messages and hints are wrapped to `columns`, the width of a terminal.
pub(crate) fn to_text(reports: &[Report], columns: Option<usize>) -> String {
    let (mut texts, mut causes, mut beyond) = (Vec::new(), 0, Vec::new());
    for group in groups(each(reports)) {
        causes += usize::from(group.first().1.cause.is_some());
        if causes > MOST_CAUSES {
            beyond.push(group);
        } else {
            texts.push(group.to_text(columns));
        }
    }
    if let Some(group) = beyond.first() {
        let more: usize = beyond.iter().map(|group| group.all.len()).sum();
        let more = Diagnostic::error(group.first().1.code, format!("and {more} more"))
            .hint("`-o json` lists all of them");
        texts.push(with_notes(None, &more, &[], columns));
    }
    texts.join("\n\n")
}

/// `{"error": {…}}`: the first error, and under `details` all when there are several; under `cause`
/// what a control plane answered, where it was asked.
pub(crate) fn error_to_json(reports: &[Report], cause: Option<&Cause>) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        error: Option<WithDetails<'a>>,
    }
    let all: Vec<Entry<'_>> =
        each(reports).map(|(source, found)| Entry::new(source, found)).collect();
    let first = all.iter().find(|entry| entry.severity == Severity::Error.as_str()).or(all.first());
    let details = if all.len() > 1 { all.clone() } else { Vec::new() };
    let error = first.map(|entry| WithDetails { entry: entry.clone(), cause, details });
    to_json(&Document { error })
}

/// `{"warnings": […]}`.
pub(crate) fn warnings_to_json(reports: &[Report]) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        warnings: Vec<Entry<'a>>,
    }
    to_json(&Document { warnings: each(reports).map(|(s, found)| Entry::new(s, found)).collect() })
}

fn each(reports: &[Report]) -> impl Iterator<Item = (Option<&Source>, &Diagnostic)> {
    reports.iter().flat_map(|report| {
        report.diagnostics.iter().map(|diagnostic| (report.source.as_ref(), diagnostic))
    })
}

#[derive(Serialize)]
struct WithDetails<'a> {
    #[serde(flatten)]
    entry: Entry<'a>,
    cause: Option<&'a Cause>,
    details: Vec<Entry<'a>>,
}

/// One diagnostic on the wire. Members are never left out: absent is `null`.
#[derive(Clone, Serialize)]
struct Entry<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    span: Option<Bytes>,
    pointer: Option<&'a str>,
    hint: Option<&'a str>,
    hints: &'a [String],
}

/// A half-open range of bytes.
#[derive(Clone, Serialize)]
struct Bytes {
    start: usize,
    end: usize,
}

impl<'a> Entry<'a> {
    fn new(source: Option<&'a Source>, found: &'a Diagnostic) -> Self {
        let span = found.span();
        let position = source.zip(span).map(|(source, span)| position_of(&source.text, span.start));
        Self {
            code: found.code.as_str(),
            severity: found.severity.as_str(),
            message: &found.message,
            file: source.and_then(|source| source.name.as_deref()),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            span: span.map(|Span { start, end }| Bytes { start, end }),
            pointer: found.pointer.as_deref(),
            hint: found.hints.first().map(String::as_str),
            hints: &found.hints,
        }
    }
}

/// A diagnostic that shares its cause with no other, or all of one cause.
struct Group<'a> {
    all: Vec<(Option<&'a Source>, &'a Diagnostic)>,
}

/// What comes after so many causes is counted; nobody reads more.
const MOST_CAUSES: usize = 100;

/// So many places of one cause are shown.
const SHOWN_PLACES: usize = 5;

/// So many different details of one cause are shown.
const SHOWN_DETAILS: usize = 12;

/// Diagnostics in their order, those with the same cause together where the first of them is.
fn groups<'a>(each: impl Iterator<Item = (Option<&'a Source>, &'a Diagnostic)>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: BTreeMap<(Code, &'a str), usize> = BTreeMap::new();
    for (source, found) in each {
        let at = match &found.cause {
            Some(cause) => *known.entry((found.code, cause.key.as_str())).or_insert(groups.len()),
            None => groups.len(),
        };
        match groups.get_mut(at) {
            Some(group) => group.all.push((source, found)),
            None => groups.push(Group { all: vec![(source, found)] }),
        }
    }
    groups
}

impl<'a> Group<'a> {
    fn first(&self) -> (Option<&'a Source>, &'a Diagnostic) {
        self.all[0]
    }

    fn to_text(&self, columns: Option<usize>) -> String {
        let (source, first) = self.first();
        let (Some(cause), true) = (&first.cause, self.all.len() > 1) else {
            return with_notes(source, first, &[], columns);
        };
        let causes = || self.all.iter().filter_map(|(_, found)| found.cause.as_deref());
        let is_same = causes().all(|it| it.message == cause.message);
        let message = if is_same { &cause.message } else { &cause.general };
        let notes = if is_same { self.places() } else { self.details() };
        let shown = Diagnostic {
            message: format!("{message} ({} places)", self.all.len()),
            hints: self.hints(),
            cause: None,
            ..first.clone()
        };
        with_notes(source, &shown, &notes, columns)
    }

    /// The first places.
    fn places(&self) -> Vec<String> {
        let mut notes: Vec<String> = self
            .all
            .iter()
            .take(SHOWN_PLACES)
            .map(|(source, found)| place_of(*source, found))
            .collect();
        if let Some(more @ 1..) = self.all.len().checked_sub(SHOWN_PLACES) {
            notes.push(format!("{more} more places; `-o json` lists all of them"));
        }
        notes
    }

    /// What differs between the places, each once with its first place. Without such, the first places.
    fn details(&self) -> Vec<String> {
        let mut details: Vec<(&str, usize, String)> = Vec::new();
        for (source, found) in &self.all {
            let detail = found.cause.as_deref().and_then(|cause| cause.detail.as_deref());
            let Some(detail) = detail else { return self.places() };
            match details.iter_mut().find(|(known, ..)| *known == detail) {
                Some((_, count, _)) => *count += 1,
                None => details.push((detail, 1, place_of(*source, found))),
            }
        }
        let beyond = details.len().saturating_sub(SHOWN_DETAILS);
        details.truncate(SHOWN_DETAILS);
        let mut notes: Vec<String> = details
            .into_iter()
            .map(|(detail, count, place)| match count {
                1 => format!("{detail}: {place}"),
                _ => format!("{detail} ({count} places): {place}"),
            })
            .collect();
        if beyond > 0 {
            notes.push(format!("{beyond} more names; `-o json` lists all of them"));
        }
        notes
    }

    /// The hints that hold in every place; those of the first one if there are none.
    fn hints(&self) -> Vec<String> {
        let (_, first) = self.first();
        let is_common =
            |hint: &&String| self.all.iter().all(|(_, found)| found.hints.contains(hint));
        let common: Vec<String> = first.hints.iter().filter(is_common).cloned().collect();
        if common.is_empty() { first.hints.clone() } else { common }
    }
}

/// The place of a cause, with its position in the text.
fn place_of(source: Option<&Source>, found: &Diagnostic) -> String {
    let place = found.cause.as_deref().map(|cause| cause.place.clone()).unwrap_or_default();
    match source.zip(found.span()) {
        Some((source, span)) => format!("{place} ({})", position(source, span)),
        None => place,
    }
}

/// A place as editors take it: `deploy.yaml:3:7`.
fn position(source: &Source, span: Span) -> String {
    let position = position_of(&source.text, span.start);
    let name = source.name.as_deref().unwrap_or("<argument>");
    format!("{name}:{}:{}", position.line, position.column)
}

fn to_json(document: &impl Serialize) -> String {
    // Strings and numbers cannot fail to be written; were it so, the words are still shown.
    serde_json::to_string_pretty(document).unwrap_or_else(|error| error.to_string())
}

/// A diagnostic with a line for each note.
fn with_notes(
    source: Option<&Source>,
    found: &Diagnostic,
    notes: &[String],
    columns: Option<usize>,
) -> String {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = printable_lines(&found.message);
    let title_lines = message.lines().count().max(1);
    let mut group = level
        .primary_title(message)
        .id(found.code.as_str())
        .elements(source.and_then(|source| place(source, &found.labels)));
    // An empty pointer is the whole document, which needs no pointing at.
    let pointer = found.pointer.as_deref().filter(|pointer| !pointer.is_empty());
    for note in notes {
        group = group.element(Level::NOTE.with_name("at").message(printable(note)));
    }
    if let Some(pointer) = pointer.filter(|_| found.labels.is_empty() && notes.is_empty()) {
        group = group.element(Level::NOTE.with_name("at").message(printable(pointer)));
    }
    let rendered = Renderer::styled().render(&[group]);
    // The title comes first. The lines of the source below it are never broken.
    let lines = rendered.split('\n').enumerate().map(|(at, line)| {
        let columns = columns.filter(|_| at < title_lines);
        wrap_message(line, columns)
    });
    let mut text = lines.collect::<Vec<_>>().join("\n");
    let style = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
    let hints = found.hints.iter().map(|hint| printable(hint));
    text.extend(hints.map(|hint| {
        let hint = format!("{style}hint{style:#}: {hint}");
        format!("\n{}", wrap_message(&hint, columns))
    }));
    text
}

/// The lines that the labels are on, or only the place's name where a line is too long to show.
fn place<'a>(source: &'a Source, labels: &'a [Label]) -> Option<Element<'a>> {
    let name = source.name.as_deref().map(printable);
    let spans: Vec<Range<usize>> =
        labels.iter().map(|label| within(&source.text, label.span)).collect();
    let Some(main) = spans.first() else {
        return name.map(|name| Origin::path(name).into());
    };
    let Some(shown) = shown_lines(&source.text, main, &spans) else {
        let position = position_of(&source.text, main.start);
        let origin = Origin::path(name.unwrap_or("<argument>".into()));
        return Some(origin.line(position.line).char_column(position.column).into());
    };
    let mut snippet = Snippet::source(&source.text[shown.clone()])
        .line_start(position_of(&source.text, shown.start).line)
        .path(name);
    let mut kind = AnnotationKind::Primary;
    for (span, label) in spans.iter().zip(labels) {
        if shown.start <= span.start && span.end <= shown.end {
            let text = Some(printable(&label.text)).filter(|text| !text.is_empty());
            let span = span.start - shown.start..span.end - shown.start;
            snippet = snippet.annotation(kind.span(span).label(text));
        }
        kind = AnnotationKind::Context;
    }
    Some(snippet.into())
}

/// The lines of all spans, or those of the main one, or none when even they are too long.
fn shown_lines(text: &str, main: &Range<usize>, spans: &[Range<usize>]) -> Option<Range<usize>> {
    let first = spans.iter().map(|span| span.start).min()?;
    let last = spans.iter().map(|span| span.end).max()?;
    [first..last, main.clone()]
        .into_iter()
        .map(|span| lines_around(text, span))
        .find(|lines| lines.len() <= MAX_SHOWN)
}

/// More source than this is not shown: a minified file is one line.
const MAX_SHOWN: usize = 8 << 10;

/// The span cut to the text and widened to whole characters.
fn within(text: &str, span: Span) -> Range<usize> {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

fn lines_around(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |newline| span.end + newline);
    start..end
}

#[cfg(test)]
mod tests;
