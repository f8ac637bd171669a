//! Names that are there where another was asked for: few enough to be told.

use std::fmt::Write as _;

use hangar_diag::nearest;

/// Names that are kept to look for the nearest.
const MOST_KEPT: usize = 200;

/// Names that are told where none is near.
const MOST_TOLD: usize = 10;

/// Some of the names that are there, and how many there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    kept: Vec<String>,
    count: usize,
}

impl Names {
    pub(crate) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self::of_owned(names.into_iter().map(str::to_owned))
    }

    pub(super) fn of_owned(names: impl IntoIterator<Item = String>) -> Self {
        let mut all = Self::default();
        for name in names {
            if all.kept.len() < MOST_KEPT {
                all.kept.push(name);
            }
            all.count += 1;
        }
        all
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The one nearest to what was asked for.
    pub fn nearest(&self, asked: &str) -> Option<&str> {
        // No number is meant for another.
        if asked.parse::<u64>().is_ok() {
            return None;
        }
        nearest(asked, self.kept.iter().map(String::as_str))
    }

    /// A few of them: `a`, `b` and 3 more.
    pub(super) fn told(&self) -> String {
        let mut text = String::new();
        let told = self.kept.iter().take(MOST_TOLD);
        let rest = self.count - told.len();
        for (at, name) in told.enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(text, "{comma}`{name}`").expect("a text takes what is written");
        }
        if rest > 0 {
            write!(text, " and {rest} more").expect("a text takes what is written");
        }
        text
    }

    /// What to say behind "there is no such name".
    pub(crate) fn told_for(&self, asked: &str) -> String {
        match self.nearest(asked) {
            _ if self.is_empty() => String::new(),
            Some(near) => format!("; did you mean `{near}`?"),
            None => format!("; available: {}", self.told()),
        }
    }
}
