//! Where references stand in a text.

use std::ops::Range;

use super::{Reference, ReferenceError, source, tfstate};

/// What was found at a place of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Occurrence {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it is.
    pub found: Found,
}

/// What stands at a place of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A reference.
    Reference(Box<Reference>),
    /// `$${cfn:…}`: the text without its first `$` is meant.
    Escaped,
    /// It begins like a reference and is none.
    Wrong(ReferenceError),
}

/// Whether a text can hold a reference: no, for nearly all texts, at the price of one look.
pub fn might_hold(text: &str) -> bool {
    text.contains("${") || text.contains(tfstate::PREFIX)
}

/// All references of a text, in order.
pub fn find(text: &str) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let mut starts = Starts { text, tfstate: text.find(tfstate::PREFIX) };
    let mut at = 0;
    while let Some(start) = starts.next_from(at) {
        let occurrence = occurrence(text, start);
        at = occurrence.as_ref().map_or(start + 2, |occurrence| occurrence.range.end);
        found.extend(occurrence);
    }
    found
}

/// Where references could begin. What is far ahead is looked for once: a text may hold thousands.
struct Starts<'t> {
    text: &'t str,
    tfstate: Option<usize>,
}

impl Starts<'_> {
    fn next_from(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        if self.tfstate.is_some_and(|tfstate| tfstate < at) {
            self.tfstate = rest.find(tfstate::PREFIX).map(|found| at + found);
        }
        let braces = rest.find("${").map(|found| at + found);
        braces.into_iter().chain(self.tfstate).min()
    }
}

fn occurrence(text: &str, start: usize) -> Option<Occurrence> {
    let rest = &text[start..];
    if rest.starts_with(tfstate::PREFIX) {
        // In the middle of a word it is no reference.
        if text[..start].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            return None;
        }
        let end = start + tfstate::length(rest);
        let found = reference(&text[start..end]);
        return Some(Occurrence { range: start..end, found });
    }
    let inner = &rest[2..];
    let (scheme, body) = inner.split_once(':')?;
    if !source::SCHEMES.contains(&scheme) || !is_body(body) {
        return None;
    }
    // A line end inside is no part of a reference; what runs to the end of the text never ends.
    let length = rest
        .find(['}', '\n'])
        .map_or(rest.len(), |end| if rest[end..].starts_with('}') { end + 1 } else { end });
    let end = start + length;
    if text[..start].ends_with('$') {
        return Some(Occurrence { range: start - 1..end, found: Found::Escaped });
    }
    Some(Occurrence { range: start..end, found: reference(&text[start..end]) })
}

fn reference(text: &str) -> Found {
    match Reference::parse(text) {
        Ok(reference) => Found::Reference(Box::new(reference)),
        Err(error) => Found::Wrong(error),
    }
}

/// Whether what follows a scheme can be ours. A shell's `${tf:-none}`, `${cfn:=x}`, `${expr:0:5}` and `${tf:?gone}`
/// are not: no name of ours begins so.
fn is_body(body: &str) -> bool {
    body.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '.' | '_' | '%' | '~'))
}
