//! Corrections to schemas, as data: arrays that are ordered in truth, removals that a service
//! ignores, write-only values that must not be sent again. Each line names its source.

use serde_json::Value;

/// What an override says of a place.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// The array is ordered, whatever the schema says.
    Ordered,
    /// A removal is ignored by the service; this value is written instead.
    RemovalIgnored(Value),
    /// The write-only value is not sent again while it is unchanged.
    NoResend,
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
        .filter(move |line| line.split('\t').next() == Some(type_name))
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
    let rule = match rule {
        "ordered" => Rule::Ordered,
        "no-resend" => Rule::NoResend,
        "removal-ignored" => Rule::RemovalIgnored(serde_json::from_str(value).ok()?),
        _ => return None,
    };
    Some(Override { type_name, pointer, rule, source })
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
