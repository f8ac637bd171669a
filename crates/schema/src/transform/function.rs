//! The functions that transforms call, as `JSONata` defines them. A wrong argument gives nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use fancy_regex::Captures;
use serde_json::Number;

use super::evaluate::{Evaluation, Term, integer};
use super::text::Text;
use super::tree::{Argument, Function};
use crate::pattern::Pattern;

/// A replacement or match that is found more often than this is given up.
const MAX_MATCHES: usize = 1_000;

/// Calls a function; the parser has counted its arguments.
pub(super) fn call<'a>(
    evaluation: &mut Evaluation<'a>,
    function: Function,
    arguments: &[Argument],
) -> Option<Term<'a>> {
    let mut value = |place: usize| match arguments.get(place)? {
        Argument::Value(expression) => evaluation.term(expression),
        Argument::Regex(_) => None,
    };
    if let Some(Argument::Regex(source)) = arguments.get(1) {
        let subject = text(&value(0)?)?;
        let replacement = value(2).and_then(|term| text(&term));
        return with_regex(function, &subject, source, replacement);
    }
    match function {
        Function::Exists => Some(Term::Bool(value(0).is_some())),
        Function::Count => {
            let count = value(0).map_or(0, |term| term.items().map_or(1, |items| items.len()));
            Some(Term::Number(Number::from(count)))
        }
        Function::Lowercase => Some(Term::Text(text(&value(0)?)?.recased(str::to_lowercase))),
        Function::Uppercase => Some(Term::Text(text(&value(0)?)?.recased(str::to_uppercase))),
        Function::String => value(0)?.to_text().map(Term::Text),
        Function::Join => {
            let separator = match arguments.len() {
                1 => Text::default(),
                _ => text(&value(1)?)?,
            };
            join(&value(0)?.items()?, &separator).map(Term::Text)
        }
        Function::Split => {
            let limit = match arguments.len() {
                2 => usize::MAX,
                _ => usize::try_from(integer(&value(2)?)?).ok()?,
            };
            split(&text(&value(0)?)?, &text(&value(1)?)?, limit)
        }
        Function::SubstringAfter => {
            let (subject, marker) = (text(&value(0)?)?, text(&value(1)?)?.flat());
            let found = subject.flat().find(&marker).map(|at| at + marker.len());
            Some(Term::Text(subject.slice(found.unwrap_or(0)..usize::MAX)))
        }
        Function::SubstringBefore => {
            let (subject, marker) = (text(&value(0)?)?, text(&value(1)?)?.flat());
            let found = subject.flat().find(&marker);
            Some(Term::Text(subject.slice(0..found.unwrap_or(usize::MAX))))
        }
        Function::Contains => {
            let (subject, part) = (text(&value(0)?)?, text(&value(1)?)?);
            Some(Term::Bool(subject.flat().contains(&part.flat())))
        }
        Function::Replace => {
            let (subject, wanted) = (text(&value(0)?)?, text(&value(1)?)?.flat());
            let replacement = text(&value(2)?)?;
            if wanted.is_empty() {
                return None;
            }
            let flat = subject.flat();
            let places = flat.match_indices(&wanted).map(|(at, found)| at..at + found.len());
            replace(&subject, places.map(|place| (place, replacement.clone()))).map(Term::Text)
        }
        Function::Lookup => value(0)?.member(&text(&value(1)?)?.flat()),
        Function::Merge => {
            let mut merged = BTreeMap::new();
            for item in value(0)?.items()? {
                merged.extend(item.members()?);
            }
            Some(Term::Object(merged))
        }
        Function::Match => None,
    }
}

fn text(term: &Term<'_>) -> Option<Text> {
    match term {
        Term::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn join(items: &[Term<'_>], separator: &Text) -> Option<Text> {
    let mut joined = Text::default();
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            joined.push(separator.clone())?;
        }
        joined.push(text(item)?)?;
    }
    Some(joined)
}

/// At most `limit` parts; what is behind them is dropped.
fn split<'a>(subject: &Text, separator: &Text, limit: usize) -> Option<Term<'a>> {
    let (flat, separator) = (subject.flat(), separator.flat());
    if separator.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for part in flat.split(&separator).take(limit.min(MAX_MATCHES)) {
        parts.push(Term::Text(subject.slice(start..start + part.len())));
        start += part.len() + separator.len();
    }
    Some(Term::List(parts))
}

/// Puts texts in place of ranges, which come in order.
fn replace(subject: &Text, changes: impl Iterator<Item = (Range<usize>, Text)>) -> Option<Text> {
    let mut replaced = Text::default();
    let mut start = 0;
    for (count, (place, replacement)) in changes.enumerate() {
        if count >= MAX_MATCHES {
            return None;
        }
        replaced.push(subject.slice(start..place.start))?;
        replaced.push(replacement)?;
        start = place.end;
    }
    replaced.push(subject.slice(start..usize::MAX))?;
    Some(replaced)
}

fn with_regex<'a>(
    function: Function,
    subject: &Text,
    source: &str,
    replacement: Option<Text>,
) -> Option<Term<'a>> {
    let pattern = Pattern::compile(source);
    let regex = pattern.regex()?;
    let flat = subject.flat();
    match function {
        Function::Contains => regex.is_match(&flat).ok().map(Term::Bool),
        Function::Match => {
            let mut matches = Vec::new();
            for found in regex.captures_iter(flat.as_str()).take(MAX_MATCHES) {
                matches.push(describe(subject, &found.ok()?));
            }
            match matches.len() {
                0 | 1 => matches.pop(),
                _ => Some(Term::List(matches)),
            }
        }
        Function::Replace => {
            let template = replacement?.flat();
            let mut changes = Vec::new();
            for found in regex.captures_iter(flat.as_str()).take(MAX_MATCHES) {
                let found = found.ok()?;
                let place = group(&found, 0)?;
                // JSONata refuses a match of nothing.
                if place.is_empty() {
                    return None;
                }
                changes.push((place, fill(&template, subject, &found)?));
            }
            replace(subject, changes.into_iter()).map(Term::Text)
        }
        _ => None,
    }
}

fn group(captures: &Captures<'_, str>, number: usize) -> Option<Range<usize>> {
    captures.get(number).map(|found| found.start()..found.end())
}

/// A match as `JSONata` describes it; a group that took no part is an empty text.
fn describe<'a>(subject: &Text, captures: &Captures<'_, str>) -> Term<'a> {
    let part = |number| {
        let range = group(captures, number).unwrap_or(0..0);
        Term::Text(subject.slice(range))
    };
    let groups = (1..captures.len()).map(part).collect();
    Term::Object(BTreeMap::from([
        ("match".to_owned(), part(0)),
        ("groups".to_owned(), Term::List(groups)),
    ]))
}

/// Fills `$1` in a replacement with what the group matched, and `$$` with a dollar sign.
fn fill(template: &str, subject: &Text, captures: &Captures<'_, str>) -> Option<Text> {
    let mut filled = Text::default();
    let mut pieces = template.split('$');
    filled.push(Text::written(pieces.next().unwrap_or_default()))?;
    let mut after_dollar = false;
    for piece in pieces {
        let digit = piece.chars().next().and_then(|c| c.to_digit(10));
        match digit {
            _ if after_dollar => {
                after_dollar = false;
                filled.push(Text::written(piece))?;
            }
            Some(digit) => {
                if let Some(range) = group(captures, digit as usize) {
                    filled.push(subject.slice(range))?;
                }
                filled.push(Text::written(&piece[1..]))?;
            }
            None if piece.is_empty() => {
                after_dollar = true;
                filled.push(Text::given("$"))?;
            }
            None => filled.push(Text::written(&format!("${piece}")))?,
        }
    }
    Some(filled)
}
