//! Small facts about the store, by name.

use super::database::Database;
use super::lock::{Alone, Locks, TAKE};
use super::row::{Table, to_text};
use super::writing::{InDoubt, Job, Writing, given};
use crate::StoreError;

const NOTE: Table = Table { name: "note", key: &["name"] };

pub(super) const FIND: &str = "SELECT * FROM note WHERE name = $1";
const PUT: &str = "INSERT INTO note (name, text) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET text = excluded.text";

pub(super) async fn find(
    database: &Database<'_>,
    name: &str,
) -> Result<Option<String>, StoreError> {
    database.find(&NOTE, FIND, &[&name], |row| row.get("text")).await
}

/// Keeps a fact if there is none yet; gives what is kept.
pub(super) struct Keep<'n> {
    pub(super) name: &'n str,
    pub(super) text: &'n str,
}

impl Job for Keep<'_> {
    type Output = String;
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, FIND];
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<String, StoreError> {
        // Facts are as few and as seldom written as the key: one lock serves both.
        let locks = Locks::default().key(Alone::Yes);
        let kept = find(&writing.database, self.name);
        let (begun, kept) = tokio::join!(biased; writing.begin(&locks), kept);
        begun?;
        if let Some(kept) = kept? {
            return Ok(kept);
        }
        writing.put(PUT, given![to_text(self.name), to_text(self.text)]);
        Ok(self.text.to_owned())
    }
}

/// Keeps a fact.
pub(super) struct Put<'n> {
    pub(super) name: &'n str,
    pub(super) text: &'n str,
}

impl Job for Put<'_> {
    type Output = ();
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[];
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<(), StoreError> {
        writing.begin(&Locks::default()).await?;
        writing.put(PUT, given![to_text(self.name), to_text(self.text)]);
        Ok(())
    }
}
