//! What a function is given, taken as what it needs.

use std::collections::BTreeMap;

use super::super::decimal::Decimal;
use super::super::value::{Data, Datum};
use super::{MOST_TEXT, Problem};

/// The arguments of a call. Those that are asked for by number are there: their count is checked before.
pub(super) struct Arguments(Vec<Datum>);

impl Arguments {
    pub(super) fn new(arguments: Vec<Datum>) -> Self {
        Self(arguments)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Takes all.
    pub(super) fn all(&mut self) -> Vec<Datum> {
        std::mem::take(&mut self.0)
    }

    pub(super) fn get(&self, at: usize) -> Option<&Datum> {
        self.0.get(at)
    }

    /// Takes one, and leaves null in its place.
    pub(super) fn take(&mut self, at: usize) -> Datum {
        self.0.get_mut(at).map_or_else(Datum::null, |it| std::mem::replace(it, Datum::null()))
    }

    pub(super) fn wrong(&self, at: usize, wanted: &str) -> Problem {
        wrong(at, wanted, self.0.get(at).map_or("absent", Datum::noun))
    }

    pub(super) fn text(&self, at: usize) -> Result<String, Problem> {
        let text = self.0.get(at).and_then(Datum::to_text);
        text.ok_or_else(|| self.wrong(at, "a string"))
    }

    pub(super) fn number(&self, at: usize) -> Result<Decimal, Problem> {
        let number = self.0.get(at).and_then(Datum::to_decimal);
        number.ok_or_else(|| self.wrong(at, "a number"))
    }

    pub(super) fn integer(&self, at: usize) -> Result<i64, Problem> {
        let integer = self.number(at)?.to_integer();
        integer.ok_or_else(|| Problem::Wrong(format!("argument {} must be a whole number", at + 1)))
    }

    /// The elements of a list or a set.
    pub(super) fn list(&mut self, at: usize) -> Result<Vec<Datum>, Problem> {
        match self.take(at).data {
            Data::List(items) | Data::Set(items) => Ok(items),
            data => Err(wrong(at, "a list", Datum::new(data).noun())),
        }
    }

    pub(super) fn map(&mut self, at: usize) -> Result<BTreeMap<String, Datum>, Problem> {
        match self.take(at).data {
            Data::Map(members) => Ok(members),
            data => Err(wrong(at, "an object", Datum::new(data).noun())),
        }
    }

    /// The elements of a list as texts.
    pub(super) fn texts(&mut self, at: usize) -> Result<Vec<String>, Problem> {
        let items = self.list(at)?;
        items
            .iter()
            .map(|item| {
                item.to_text().ok_or_else(|| {
                    wrong(at, "a list of strings", &format!("a list that contains {}", item.noun()))
                })
            })
            .collect()
    }
}

fn wrong(at: usize, wanted: &str, found: &str) -> Problem {
    Problem::Wrong(format!("argument {} must be {wanted}, not {found}", at + 1))
}

/// A text of bounded length.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn push(&mut self, text: &str) -> Result<(), Problem> {
        if self.0.len() + text.len() > MOST_TEXT {
            return Err(Problem::TooMuch);
        }
        self.0.push_str(text);
        Ok(())
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }

    pub(super) fn into_datum(self) -> Datum {
        Datum::text(self.0)
    }
}

/// Elements of one type, as those of a Terraform list are: beside a text all are texts.
pub(super) fn unified(mut items: Vec<Datum>) -> Vec<Datum> {
    if items.iter().any(|item| matches!(item.data, Data::Text(_))) {
        for item in &mut items {
            if let Data::Number(_) | Data::Bool(_) = item.data
                && let Some(text) = item.to_text()
            {
                item.data = Data::Text(text);
            }
        }
    }
    items
}
