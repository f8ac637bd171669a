//! The budgets of a store that one process has to itself: in memory, as there is nobody to share them with.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use hangar_plan::Timestamp;
use hangar_plan::budget::{Budget, BudgetAsk, Grant, Rate};

/// Budgets by place.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<HashMap<String, Budget>>);

impl Ledger {
    pub(crate) fn take(&self, place: &str, ask: &BudgetAsk, now: Timestamp) -> Grant {
        self.change(place, ask.rate, now, |budget| budget.take(ask, now))
    }

    pub(crate) fn throttled(&self, place: &str, rate: Rate, now: Timestamp) {
        self.change(place, rate, now, |budget| (budget.throttled(rate, now), ()));
    }

    fn change<T>(
        &self,
        place: &str,
        rate: Rate,
        now: Timestamp,
        deed: impl FnOnce(Budget) -> (Budget, T),
    ) -> T {
        // A budget is replaced whole: a panic under the lock leaves the one before.
        let mut budgets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = budgets.get(place).copied().unwrap_or_else(|| Budget::new(rate, now));
        let (after, answer) = deed(before);
        budgets.insert(place.to_owned(), after);
        answer
    }
}
