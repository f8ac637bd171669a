//! What proves that a key is this store's: written once, and moved with all that is sealed for good.

use super::credential;
use super::database::Database;
use super::lock::{Alone, Locks, TAKE};
use super::row::Table;
use super::writing::{InDoubt, Job, Writing, given};
use crate::{Resealed, StaleError, StoreError, rules};

const KEY_CHECK: Table = Table { name: "key_check", key: &[] };

pub(super) const FIND: &str = "SELECT value FROM key_check WHERE id = 1";
const PUT: &str = "INSERT INTO key_check (id, value) VALUES (1, $1)";
pub(super) const MOVE: &str = "UPDATE key_check SET value = $1 WHERE id = 1";

pub(super) async fn find(database: &Database<'_>) -> Result<Option<String>, StoreError> {
    database.find(&KEY_CHECK, FIND, &[], |row| row.get("value")).await
}

/// Keeps a proof if there is nothing yet; gives what is kept.
pub(super) struct Put<'k>(pub(super) &'k str);

impl Job for Put<'_> {
    type Output = String;
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, FIND];
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<String, StoreError> {
        let locks = Locks::default().key(Alone::Yes);
        let (begun, kept) = tokio::join!(biased; writing.begin(&locks), find(&writing.database));
        begun?;
        if let Some(kept) = kept? {
            return Ok(kept);
        }
        writing.put(PUT, given![self.0.to_owned()]);
        Ok(self.0.to_owned())
    }
}

/// Keeps `new` in the place of `old`, with every credential sealed anew.
pub(super) struct Rotate<'k> {
    pub(super) old: &'k str,
    pub(super) new: &'k str,
    pub(super) resealed: &'k [Resealed],
}

impl Job for Rotate<'_> {
    type Output = ();
    type Error = StaleError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, FIND, credential::LIST];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<(), StaleError> {
        // Nobody writes a credential meanwhile, or reads one and writes it.
        let locks = Locks::default().key(Alone::Yes);
        let database = &writing.database;
        let (begun, check, present) = tokio::join!(
            biased;
            writing.begin(&locks),
            find(database),
            credential::list(database, None),
        );
        begun?;
        let (check, present) = (check?, present?);
        rules::may_rotate(check.as_deref(), self.old, &present, self.resealed)?;
        writing.put(MOVE, given![self.new.to_owned()]);
        for credential in self.resealed {
            let row = given![credential.name.key(), credential.sealed.clone()];
            writing.put(credential::RESEAL, row);
        }
        Ok(())
    }
}
