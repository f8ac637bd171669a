//! A manifest on its way: what resolvers made of its scalars so far, and the text that comes of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use hangar_diag::{Cause, Diagnostic, Span};
use serde_json::Value;

use super::resolver::{Context, Resolution, Resolver};
use super::{Need, Problem, Reason, codes};
use crate::token;
use crate::yaml::{self, Edit, Place, Scalar, Stream, With, YamlError};

/// One text of YAML, with what will be changed in it. Nothing is changed before [`Draft::finish`].
#[derive(Debug)]
pub struct Draft<'t> {
    stream: Stream<'t>,
    edits: BTreeMap<usize, With>,
}

/// What an offer of all scalars to one resolver came to.
#[derive(Debug, Default)]
pub struct Offered {
    /// Questions that must be answered first.
    pub needs: BTreeSet<Need>,
    /// What cannot be written, each with its place in the text.
    pub problems: Vec<Diagnostic>,
}

impl<'t> Draft<'t> {
    /// Reads a text.
    pub fn read(text: &'t str) -> Result<Self, YamlError> {
        Ok(Self { stream: yaml::read(text)?, edits: BTreeMap::new() })
    }

    /// What was read.
    pub fn stream(&self) -> &Stream<'t> {
        &self.stream
    }

    /// The texts of all scalars.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.stream.scalars().iter().map(|scalar| &*scalar.text)
    }

    /// Offers every scalar to a resolver, and takes what it replaces. A resolver that wants answers first should be
    /// [probed](Draft::probe) until it wants none.
    pub fn offer(&mut self, resolver: &mut dyn Resolver, which: Which) -> Offered {
        let (offered, replaced) = self.walked(resolver, which);
        self.edits.extend(replaced);
        offered
    }

    /// The same without taking anything: what a resolver lacks, and what is wrong.
    pub fn probe(&self, resolver: &mut dyn Resolver, which: Which) -> Offered {
        self.walked(resolver, which).0
    }

    fn walked(&self, resolver: &mut dyn Resolver, which: Which) -> (Offered, Vec<(usize, With)>) {
        let (mut offered, mut replaced) = (Offered::default(), Vec::new());
        for (index, scalar) in self.stream.scalars().iter().enumerate() {
            let before = match self.edits.get(&index) {
                Some(With::Whole(value)) => Some(value),
                Some(With::Parts(_)) => continue,
                None => None,
            };
            if !which.includes(scalar, before) {
                continue;
            }
            let context = Context::new(&self.stream, scalar);
            let value = before.cloned().unwrap_or_else(|| which.meant(scalar));
            match resolver.resolve(&context, &value) {
                Resolution::Keep => {}
                // Of a text that is not in the manifest no part has a place there.
                Resolution::Replace(With::Parts(parts)) if before.is_some() => {
                    replaced.push((index, With::Whole(Value::String(joined(&value, &parts)))));
                }
                Resolution::Replace(with) => replaced.push((index, with)),
                Resolution::Wait(needs) => offered.needs.extend(needs),
                Resolution::Refuse(problem) => {
                    offered.problems.push(self.placed(scalar, &problem));
                }
            }
        }
        (offered, replaced)
    }

    /// A problem with its place: the object, the pointer in it, the bytes of the text.
    fn placed(&self, scalar: &Scalar<'_>, problem: &Problem) -> Diagnostic {
        let (object, key) = (self.stream.object(scalar), self.stream.key(scalar));
        let pointer = key.pointer();
        let name = self.stream.item_name(scalar).map(|name| format!(" ({})", shortened(name)));
        let place = format!("{object}, {pointer}{}", name.unwrap_or_default());
        let reason = problem.reason.as_deref().cloned();
        let reason = reason.unwrap_or_else(|| Reason::of(&problem.message));
        let Reason { key, message, general, detail } = reason;
        let mut diagnostic =
            Diagnostic::error(problem.code, format!("{place}: {}", problem.message))
                .pointer(pointer)
                .because(Cause { key, message, general, detail, place });
        if !scalar.is_unwritten() {
            let label = problem.stack.as_ref().map(|stack| format!("stack `{stack}`"));
            let span = self.shown(scalar, problem.written.as_deref());
            diagnostic = diagnostic.at(span, label.unwrap_or_default());
        }
        problem.hints.iter().fold(diagnostic, |diagnostic, hint| diagnostic.hint(hint.clone()))
    }

    /// What of a scalar is shown: the reference in it, where it stands there as it is, else its first line.
    fn shown(&self, scalar: &Scalar<'_>, written: Option<&str>) -> Span {
        let span = scalar.span;
        let slice = self.stream.text().get(span.start..span.end).unwrap_or_default();
        match written.and_then(|written| Some((slice.find(written)?, written))) {
            Some((at, written)) => Span::new(span.start + at, span.start + at + written.len()),
            None => first_line(self.stream.text(), span),
        }
    }

    /// Tokens of the CDK or of CDKTF that stand in the text, or would stand there with the changes, and that nobody can resolve any more.
    pub fn raw_tokens(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (index, scalar) in self.stream.scalars().iter().enumerate() {
            let texts = match self.edits.get(&index) {
                None => vec![Cow::Borrowed(&*scalar.text)],
                Some(With::Whole(value)) => {
                    texts_in(value).into_iter().map(Cow::Borrowed).collect()
                }
                Some(With::Parts(parts)) => {
                    let before = Value::String(scalar.text.clone().into_owned());
                    vec![Cow::Owned(joined(&before, parts))]
                }
            };
            let tokens = texts.iter().flat_map(|text| {
                token::find(text).into_iter().map(|raw| (raw.range.clone(), raw, &**text))
            });
            for (range, raw, text) in tokens {
                let shown = &text[range];
                let what = format!("`{}` is an unresolved token", shortened(shown));
                let problem = Problem::new(codes::RAW_TOKEN, what).hint(raw.explanation());
                found.push(self.placed(scalar, &problem));
            }
        }
        found
    }

    /// How many scalars are changed.
    pub fn changes(&self) -> usize {
        self.edits.len()
    }

    /// The text with all changes, or none.
    pub fn finish(&self) -> Result<String, Box<Diagnostic>> {
        let edit = |(scalar, with): (&usize, &With)| Edit { scalar: *scalar, with: with.clone() };
        let edits: Vec<Edit> = self.edits.iter().map(edit).collect();
        let text =
            yaml::splice(&self.stream, &edits).map_err(|error| Box::new(error.diagnostic()))?;
        self.check_keys(&text)?;
        Ok(text)
    }

    /// A key that became another one may be there already; of two that are the same a reader takes one.
    fn check_keys(&self, text: &str) -> Result<(), Box<Diagnostic>> {
        let scalars = self.stream.scalars();
        let mut changed = self.edits.keys().filter_map(|index| scalars.get(*index));
        if !changed.any(|scalar| scalar.place == Place::Key) {
            return Ok(());
        }
        let after = yaml::read(text).map_err(|error| Box::new(error.diagnostic()))?;
        let mut before = twice(&self.stream);
        for (place, count) in twice(&after) {
            if before.remove(&place).unwrap_or(1) < count {
                let (_, pointer) = place;
                let message = format!("two keys would be the same: {pointer}");
                let hint = "one of them is a reference: change its value, or remove the other key";
                let diagnostic = Diagnostic::error(codes::MISPLACED, message).pointer(pointer);
                return Err(Box::new(diagnostic.hint(hint)));
            }
        }
        Ok(())
    }
}

/// Which scalars a resolver is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every value, as what it means: a number is a number.
    Values,
    /// Texts that may hold a reference, keys of maps too, as texts.
    References,
}

impl Which {
    fn includes(self, scalar: &Scalar<'_>, before: Option<&Value>) -> bool {
        match self {
            Self::Values => scalar.place == Place::Value,
            Self::References => match before {
                Some(Value::String(text)) => crate::reference::might_hold(text),
                Some(_) => false,
                None => crate::reference::might_hold(&scalar.text),
            },
        }
    }

    fn meant(self, scalar: &Scalar<'_>) -> Value {
        match self {
            Self::Values => scalar.value(),
            Self::References => Value::String(scalar.text.clone().into_owned()),
        }
    }
}

/// Keys that are there more than once, each with how often: by the place of their object in the text, and their way.
fn twice(stream: &Stream<'_>) -> BTreeMap<(usize, String), usize> {
    // Objects of a text begin at places of their own, but edits move them: their order stays.
    let mut order: BTreeMap<usize, usize> = BTreeMap::new();
    for object in stream.objects() {
        let next = order.len();
        order.entry(object.span.start).or_insert(next);
    }
    let mut counts: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for scalar in stream.scalars().iter().filter(|scalar| scalar.place == Place::Key) {
        let object = stream.object(scalar).span.start;
        let at = order.get(&object).copied().unwrap_or_default();
        *counts.entry((at, stream.key(scalar).pointer())).or_default() += 1;
    }
    counts.retain(|_, count| *count > 1);
    counts
}

/// The texts of a value, those in lists and objects too.
fn texts_in(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(members) => members.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

/// A text with parts of it replaced.
fn joined(value: &Value, parts: &[(std::ops::Range<usize>, String)]) -> String {
    let text = value.as_str().unwrap_or_default();
    let (mut made, mut at) = (String::new(), 0);
    for (range, with) in parts {
        made.push_str(&text[at..range.start]);
        made.push_str(with);
        at = range.end;
    }
    made.push_str(&text[at..]);
    made
}

/// The part of a span that is on its first line: enough to show the place.
fn first_line(text: &str, span: Span) -> Span {
    let slice = text.get(span.start..span.end).unwrap_or_default();
    let length = slice.find(['\r', '\n']).unwrap_or(slice.len());
    Span::new(span.start, span.start + length)
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
