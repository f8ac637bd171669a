//! The table of habits: what is known of single types, each row with its source.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

use super::sibling::SiblingRule;
use super::spelling::{PolicyForm, Spelling};

/// A habit at one place of a type.
#[derive(Debug)]
pub(super) struct Row {
    /// The names from the root; `*` is any element of an array or any member of a map.
    pub(super) steps: Vec<String>,
    /// What the service does there.
    pub(super) habit: Habit,
}

/// What a service does at a place.
#[derive(Debug)]
pub(super) enum Habit {
    /// Fills in a value if the caller states none.
    Default(Value),
    /// Adds an element to an array.
    Element(Element),
    /// Returns the elements of an array in this order.
    Order(ItemOrder),
    /// Spells a value in its own way.
    Spelling(Spelling),
    /// Writes policy documents in this form.
    Policy(PolicyForm),
    /// Accepts a removal and keeps the value.
    KeepsRemoved,
    /// Does not return the value.
    NotReturned,
    /// Shows the resource as an element of another resource.
    ShownIn,
}

/// An element that a service adds.
#[derive(Debug, Deserialize)]
pub(super) struct Element {
    /// The members that identify an element.
    pub(super) keys: Vec<String>,
    /// The element.
    pub(super) value: Value,
}

/// In which order a service returns the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ItemOrder {
    /// By their JSON text.
    Sorted,
    /// In no recognizable order.
    Shuffled,
    /// As the caller sent them: the service executes them in order.
    Kept,
}

const TABLE: &str = include_str!("../../../data/habits.tsv");

struct Table {
    by_type: HashMap<&'static str, Vec<Row>>,
    by_target: HashMap<String, Vec<SiblingRule>>,
}

fn table() -> &'static Table {
    static KNOWN: OnceLock<Table> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut table = Table { by_type: HashMap::new(), by_target: HashMap::new() };
        for line in lines() {
            let Some(Line { type_name, row, shown_in }) = read_line(line) else { continue };
            table.by_type.entry(type_name).or_default().push(row);
            if let Some((target, rule)) = shown_in {
                table.by_target.entry(target).or_default().push(rule);
            }
        }
        table
    })
}

/// The lines of the table without comments.
pub(super) fn lines() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// The rows of a type, in the order of the table.
pub(super) fn of_type(type_name: &str) -> &'static [Row] {
    table().by_type.get(type_name).map_or(&[], Vec::as_slice)
}

/// The rules that show other resources as elements of resources of this type.
pub(super) fn siblings_of(target: &str) -> &'static [SiblingRule] {
    table().by_target.get(target).map_or(&[], Vec::as_slice)
}

/// A line of the table.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// The type.
    pub(super) type_name: &'t str,
    /// What the service does.
    pub(super) row: Row,
    /// The type whose reads show resources of this type, and how.
    pub(super) shown_in: Option<(String, SiblingRule)>,
}

/// Reads a line; none if it is malformed.
pub(super) fn read_line(line: &str) -> Option<Line<'_>> {
    let mut columns = line.split('\t');
    let (type_name, pointer, word, value) =
        (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
    let steps = pointer.split('/').skip(1).map(str::to_owned).collect();
    let mut shown_in = None;
    let habit = match word {
        "default" => Habit::Default(serde_json::from_str(value).ok()?),
        "element" => Habit::Element(serde_json::from_str(value).ok()?),
        "order" => Habit::Order(serde_json::from_str(value).ok()?),
        "policy" => Habit::Policy(serde_json::from_str(value).ok()?),
        "keeps-removed" => Habit::KeepsRemoved,
        "not-returned" => Habit::NotReturned,
        "shown-in" => {
            shown_in = Some(SiblingRule::read(type_name, pointer, value)?);
            Habit::ShownIn
        }
        _ => Habit::Spelling(Spelling::read(word, value)?),
    };
    Some(Line { type_name, row: Row { steps, habit }, shown_in })
}
