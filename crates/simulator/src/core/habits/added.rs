//! Habits that a user adds to those of the table: what a type of theirs does, or what a test needs.

use std::collections::HashMap;
use std::sync::Arc;

use super::rows::{Line, Row, read_line};

/// Habits by type; cheap to copy.
#[derive(Debug, Clone, Default)]
pub struct AddedHabits {
    text: String,
    by_type: Arc<HashMap<String, Vec<Row>>>,
}

impl PartialEq for AddedHabits {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for AddedHabits {}

/// A line that states no habit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} states no habit: write `TYPE<tab>POINTER<tab>HABIT<tab>VALUE`, as in crates/simulator/data/habits.tsv"
)]
pub struct HabitError {
    /// Which line, from 1.
    pub line: usize,
}

impl AddedHabits {
    /// Reads lines of the form of `data/habits.tsv`. The source may be left out, and `shown-in` is not possible.
    ///
    /// # Errors
    ///
    /// The first line that states no habit.
    pub fn read(text: &str) -> Result<Self, HabitError> {
        let mut by_type: HashMap<String, Vec<Row>> = HashMap::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            match read_line(line) {
                Some(Line { type_name, row, shown_in: None }) => {
                    by_type.entry(type_name.to_owned()).or_default().push(row);
                }
                _ => return Err(HabitError { line: index + 1 }),
            }
        }
        Ok(Self { text: text.to_owned(), by_type: Arc::new(by_type) })
    }

    pub(super) fn of_type(&self, type_name: &str) -> &[Row] {
        self.by_type.get(type_name).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_a_habit_is_refused_by_its_number() {
        let text = "# mine\n\nAWS::SQS::Queue\t/QueueName\tcase\t\"lower\"\n";
        assert_eq!(AddedHabits::read(text).unwrap().of_type("AWS::SQS::Queue").len(), 1);
        let wrong = AddedHabits::read(&format!("{text}AWS::SQS::Queue\t/QueueName\tbend\t-\n"));
        assert_eq!(wrong.unwrap_err(), HabitError { line: 4 });
    }
}
