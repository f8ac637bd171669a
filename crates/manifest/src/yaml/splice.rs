//! Some scalars of a text written anew, and every other byte as it was.

use std::borrow::Cow;
use std::ops::Range;

use hangar_diag::{Code, Diagnostic, Span};
use serde_json::Value;

use super::codes;
use super::guard::{self, Wanted};
use super::scalar::Place;
use super::stream::Stream;

mod text;
mod whole;

/// How deep a value that is written into a text may be nested.
const MAX_VALUE_DEPTH: usize = 100;

/// One change of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Which scalar, by its place in [`Stream::scalars`].
    pub scalar: usize,
    /// What it becomes.
    pub with: With,
}

/// What a scalar becomes.
#[derive(Debug, Clone, PartialEq)]
pub enum With {
    /// The text that it has, with parts replaced: ranges of bytes of [`super::Scalar::text`], ascending. The
    /// result is a text, whatever it looks like.
    Parts(Vec<(Range<usize>, String)>),
    /// This value, of this type.
    Whole(Value),
}

/// Why a text cannot be changed as asked. Nothing of it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// An edit names what is not there, or overlaps another one.
    #[error("an edit of scalar {scalar} does not fit the text: {reason}")]
    Edit {
        /// Which scalar.
        scalar: usize,
        /// What is wrong with the edit.
        reason: &'static str,
    },
    /// A key became something that no key can be.
    #[error("the key at `{pointer}` of {object} cannot be {found}")]
    Key {
        /// The object.
        object: String,
        /// The way to the key.
        pointer: String,
        /// The key.
        span: Span,
        /// What it was to become.
        found: &'static str,
    },
    /// A value that nobody wrote, where none can be put.
    #[error("no value is written at `{pointer}` of {object}, so it cannot be replaced")]
    Unwritten {
        /// The object.
        object: String,
        /// The way to the value.
        pointer: String,
        /// Where it would be.
        span: Span,
    },
    /// A value that is nested too deeply.
    #[error(
        "the value for `{pointer}` of {object} is nested more than {MAX_VALUE_DEPTH} levels deep"
    )]
    TooDeep {
        /// The object.
        object: String,
        /// The way to the value.
        pointer: String,
        /// The value.
        span: Span,
    },
    /// The result would not mean what was asked for.
    #[error(
        "the value for `{pointer}` of {object} cannot be written there without changing the meaning of the text"
    )]
    Guard {
        /// The object.
        object: String,
        /// The way to the value.
        pointer: String,
        /// The value.
        span: Span,
    },
}

impl SpliceError {
    /// The code of this kind of error.
    pub fn code(&self) -> Code {
        match self {
            Self::Key { .. } => codes::KEY,
            Self::Unwritten { .. } => codes::UNWRITTEN,
            Self::Guard { .. } => codes::GUARD,
            Self::Edit { .. } | Self::TooDeep { .. } => codes::EDIT,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Edit { .. } => "nothing was written; this is a bug in Hangar, please report it",
            Self::Key { .. } => "use a string, a number or a boolean as a key",
            Self::Unwritten { .. } => "write `null` there first",
            Self::TooDeep { .. } => "use a part of the value",
            Self::Guard { .. } => {
                "nothing was written; put the value on a separate line, in double quotes and without a tag"
            }
        }
    }

    /// The error as people are told of it.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string()).hint(self.hint());
        match self {
            Self::Edit { .. } => diagnostic,
            Self::Key { pointer, span, .. }
            | Self::Unwritten { pointer, span, .. }
            | Self::TooDeep { pointer, span, .. }
            | Self::Guard { pointer, span, .. } => diagnostic.at(*span, "here").pointer(pointer),
        }
    }
}

/// Writes the text of a stream with some scalars changed.
///
/// Every byte outside of them stays. A scalar keeps its style where its value can stand in it, else it is put in
/// double quotes. The result is read again before it is given: what was not edited is as it was, and what was
/// edited means just what was asked for.
///
/// ```
/// use hangar_manifest::yaml::{Edit, With, read, splice};
///
/// let stream = read("port: \"${port}\" # the port\nhost: ${host}\n").unwrap();
/// let edits = [
///     Edit { scalar: 1, with: With::Whole(8080.into()) },
///     Edit { scalar: 3, with: With::Parts(vec![(0..7, "012".to_owned())]) },
/// ];
/// assert_eq!(splice(&stream, &edits).unwrap(), "port: 8080 # the port\nhost: \"012\"\n");
/// ```
pub fn splice(stream: &Stream<'_>, edits: &[Edit]) -> Result<String, SpliceError> {
    if edits.is_empty() {
        return Ok(stream.text().to_owned());
    }
    let changes = changes(stream, edits)?;
    let wanted: Vec<Wanted<'_>> = changes
        .iter()
        .map(|change| Wanted { scalar: change.scalar, value: &change.value })
        .collect();
    let mut failed = 0;
    // In place changes the fewest bytes, and rests on finding them; anew is plainer.
    for manner in [Manner::InPlace, Manner::Anew] {
        let result = write(stream, &changes, manner)?;
        match guard::check(stream, &wanted, &result) {
            Ok(()) => return Ok(result),
            Err(scalar) => failed = scalar,
        }
    }
    let culprit = changes.iter().rfind(|change| change.scalar <= failed).unwrap_or(&changes[0]);
    let (object, pointer, span) = named(stream, culprit.scalar);
    Err(SpliceError::Guard { object, pointer, span })
}

/// How a scalar is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Only the bytes of the parts that are replaced, where they can be found.
    InPlace,
    /// The scalar as a whole.
    Anew,
}

/// An edit that fits, and what the scalar must mean after it.
struct Change<'e> {
    scalar: usize,
    /// The parts to replace, of an edit by parts.
    parts: &'e [(Range<usize>, String)],
    value: Cow<'e, Value>,
}

/// Bytes of the text and what stands there instead.
struct Patch {
    range: Range<usize>,
    text: String,
}

fn changes<'e>(stream: &Stream<'_>, edits: &'e [Edit]) -> Result<Vec<Change<'e>>, SpliceError> {
    let mut changes = Vec::with_capacity(edits.len());
    for edit in edits {
        let wrong = |reason| SpliceError::Edit { scalar: edit.scalar, reason };
        let Some(scalar) = stream.scalars().get(edit.scalar) else {
            return Err(wrong("there is no such scalar"));
        };
        let (parts, value) = match &edit.with {
            With::Parts(parts) => {
                let text = replaced(&scalar.text, parts).map_err(wrong)?;
                (&parts[..], Cow::Owned(Value::String(text)))
            }
            With::Whole(value) => (&[][..], Cow::Borrowed(value)),
        };
        let found = match &*value {
            Value::Null => "null",
            Value::Array(_) => "a list",
            Value::Object(_) => "a map",
            _ => "",
        };
        if scalar.place == Place::Key && !found.is_empty() {
            let (object, pointer, span) = named(stream, edit.scalar);
            return Err(SpliceError::Key { object, pointer, span, found });
        }
        changes.push(Change { scalar: edit.scalar, parts, value });
    }
    changes.sort_by_key(|change| change.scalar);
    if let Some(pair) = changes.windows(2).find(|pair| pair[0].scalar == pair[1].scalar) {
        return Err(SpliceError::Edit { scalar: pair[0].scalar, reason: "it is edited twice" });
    }
    Ok(changes)
}

fn replaced(text: &str, parts: &[(Range<usize>, String)]) -> Result<String, &'static str> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, with) in parts {
        let kept =
            text.get(done..range.start).ok_or("a part is out of order, or not of the text")?;
        text.get(range.clone()).ok_or("a part is not of the text")?;
        out.push_str(kept);
        out.push_str(with);
        done = range.end;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

fn write(
    stream: &Stream<'_>,
    changes: &[Change<'_>],
    manner: Manner,
) -> Result<String, SpliceError> {
    let mut patches = Vec::with_capacity(changes.len());
    for change in changes {
        whole::patches(stream, change, manner, &mut patches)?;
    }
    let text = stream.text();
    let grown: usize = patches.iter().map(|patch| patch.text.len()).sum();
    let mut out = String::with_capacity(text.len() + grown);
    let mut done = 0;
    for patch in &patches {
        // Scalars stand one after the other; what does not is left for the guard to refuse.
        out.push_str(text.get(done..patch.range.start).unwrap_or(""));
        out.push_str(&patch.text);
        done = patch.range.end;
    }
    out.push_str(text.get(done..).unwrap_or(""));
    Ok(out)
}

/// A scalar as messages name it: its object, the way to it, and its place.
fn named(stream: &Stream<'_>, scalar: usize) -> (String, String, Span) {
    let scalar = &stream.scalars()[scalar];
    (stream.object(scalar).to_string(), stream.key(scalar).pointer(), scalar.span)
}
