//! Budgets, one row for a place, from which all replicas take in turn.
//!
//! What a crash of the server loses of it is a few calls: the commit does not wait for the disk.

use hangar_plan::Timestamp;
use hangar_plan::budget::{Budget, BudgetAsk, Grant, Rate};

use super::database::Database;
use super::lock::Locks;
use super::row::Table;
use super::writing::{InDoubt, Job, NOW, Writing, given};
use crate::StoreError;
use crate::column::to_json;

const BUDGET: Table = Table { name: "budget", key: &["place"] };

// A place that is new has a full one: what that is depends on the rate, and is made by who is first.
const MAKE: &str =
    "INSERT INTO budget (place, body) VALUES ($1, '') ON CONFLICT (place) DO NOTHING";
pub(super) const FIND: &str = "SELECT * FROM budget WHERE place = $1 FOR UPDATE";
const SAVE: &str = "UPDATE budget SET body = $2 WHERE place = $1";

/// Takes calls.
pub(super) struct Take<'p> {
    pub(super) place: &'p str,
    pub(super) ask: BudgetAsk,
}

impl Job for Take<'_> {
    type Output = Grant;
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[NOW, FIND];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Grant, StoreError> {
        let (budget, now) = find(writing, self.place, self.ask.rate).await?;
        let (after, grant) = budget.take(&self.ask, now);
        save(writing, self.place, &after);
        Ok(grant)
    }
}

/// Slows a place down.
pub(super) struct Throttled<'p> {
    pub(super) place: &'p str,
    pub(super) rate: Rate,
}

impl Job for Throttled<'_> {
    type Output = ();
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[NOW, FIND];
    // Twice within a second slows down once.
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<(), StoreError> {
        let (budget, now) = find(writing, self.place, self.rate).await?;
        save(writing, self.place, &budget.throttled(self.rate, now));
        Ok(())
    }
}

/// The budget of a place, held until the end, and the time.
async fn find(
    writing: &Writing<'_>,
    place: &str,
    rate: Rate,
) -> Result<(Budget, Timestamp), StoreError> {
    let locks = Locks::default();
    let database = &writing.database;
    // The time of before the row was ours will do: a budget takes no time twice.
    let (now, found) = tokio::join!(biased; writing.begin_lightly(&locks), read(database, place));
    let (now, mut found) = (now?, found?);
    if found.is_none() {
        database.change(MAKE, &[&place]).await?;
        found = read(database, place).await?;
    }
    let budget: Option<Budget> = found.flatten();
    Ok((budget.unwrap_or_else(|| Budget::new(rate, now)), now))
}

/// A place that is there; it has none where nobody has taken from it yet.
async fn read(database: &Database<'_>, place: &str) -> Result<Option<Option<Budget>>, StoreError> {
    database
        .find(&BUDGET, FIND, &[&place], |row| match row.get::<&str>("body")? {
            "" => Ok(None),
            _ => row.json("body").map(Some),
        })
        .await
}

fn save(writing: &mut Writing<'_>, place: &str, budget: &Budget) {
    writing.put(SAVE, given![place.to_owned(), to_json(budget)]);
}
