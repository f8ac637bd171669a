//! Facts about AWS that schemas do not state, as data: how a service orders and spells values, what
//! it adds, which removals it ignores. Each line names its source.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::class::Class;

/// What an override says of a place.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// A property of the place.
    Mark(Class),
    /// A removal is ignored by the service; this value is written instead, where it is known.
    RemovalIgnored(Option<Value>),
    /// The service replaces this word by a value: `LATEST` becomes a version.
    Keyword(Value),
    /// The update handler refuses the value that the read handler returned.
    DropOnUpdate(RefusedRepeat),
}

/// A value that an update must not repeat.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedRepeat {
    /// The names that lead to it; `*` is any element, and [`Self::ANY_DEPTH`] any way down.
    pub(crate) steps: Vec<String>,
    /// The members beside it that must be there, with one of these values, or with any if there are none.
    beside: Vec<(String, Vec<Value>)>,
}

impl RefusedRepeat {
    pub(crate) const ANY_DEPTH: &'static str = "**";

    fn read(pointer: &str, value: &str) -> Option<Self> {
        let steps = pointer.strip_prefix("/properties/")?.split('/').map(str::to_owned).collect();
        let beside: BTreeMap<String, Vec<Value>> = match value {
            "-" => BTreeMap::new(),
            value => serde_json::from_str(value).ok()?,
        };
        Some(Self { steps, beside: beside.into_iter().collect() })
    }

    /// Whether an object that holds the value has the members that make the handler refuse it.
    pub(crate) fn applies_in(&self, holder: &Value) -> bool {
        self.beside.iter().all(|(name, values)| {
            let member = holder.get(name).filter(|member| !member.is_null());
            member.is_some_and(|member| values.is_empty() || values.contains(member))
        })
    }
}

/// The words of the file that mark a place.
const MARKS: [(&str, Class); 13] = [
    ("ordered", Class::Ordered),
    ("unordered", Class::Unordered),
    ("no-resend", Class::NoResend),
    ("shared", Class::Shared),
    ("letter-case", Class::LetterCase),
    ("trailing-mark", Class::TrailingMark),
    ("white-space", Class::WhiteSpace),
    ("name-or-arn", Class::NameOrArn),
    ("version-prefix", Class::VersionPrefix),
    ("interval", Class::Interval),
    ("boolean-digit", Class::BooleanDigit),
    ("not-returned", Class::NotReturned),
    ("drop-if-invalid", Class::DropIfInvalid),
];

impl Rule {
    fn read(word: &str, pointer: &str, value: &str) -> Option<Self> {
        match word {
            "drop-on-update" => Some(Self::DropOnUpdate(RefusedRepeat::read(pointer, value)?)),
            "removal-ignored" if value == "-" => Some(Self::RemovalIgnored(None)),
            "removal-ignored" => Some(Self::RemovalIgnored(serde_json::from_str(value).ok()?)),
            "keyword" => Some(Self::Keyword(serde_json::from_str(value).ok()?)),
            _ => MARKS.iter().find(|(it, _)| *it == word).map(|(_, class)| Self::Mark(*class)),
        }
    }

    /// The word in the file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::RemovalIgnored(_) => "removal-ignored",
            Self::Keyword(_) => "keyword",
            Self::DropOnUpdate(_) => "drop-on-update",
            Self::Mark(class) => {
                MARKS.iter().find(|(_, it)| it == class).map_or("", |(word, _)| word)
            }
        }
    }
}

/// One line of the override file.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The type in CloudFormation's spelling.
    pub type_name: &'static str,
    /// The place, as schemas write pointers.
    pub pointer: &'static str,
    /// What holds there.
    pub rule: Rule,
    /// Where this is known from.
    pub source: &'static str,
}

const FILE: &str = include_str!("../data/overrides.tsv");

/// The overrides of one type.
pub fn of_type(type_name: &str) -> impl Iterator<Item = Override> {
    // The file is small: reading the lines of one type costs a few microseconds and no start-up.
    FILE.lines()
        .filter(move |line| line.strip_prefix(type_name).is_some_and(|rest| rest.starts_with('\t')))
        .filter_map(read_line)
}

/// Every override.
pub fn all() -> impl Iterator<Item = Override> {
    FILE.lines().filter_map(read_line)
}

fn read_line(line: &'static str) -> Option<Override> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = line.split('\t');
    let (type_name, pointer, rule, value, source) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    Some(Override { type_name, pointer, rule: Rule::read(rule, pointer, value)?, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_names_its_source() {
        let lines = FILE.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count();
        let read: Vec<_> = all().collect();
        assert_eq!(read.len(), lines, "a line of overrides.tsv is malformed");
        assert!(read.iter().all(|entry| entry.source.len() > 10));
    }
}
