//! The end of a run: what its rows replaced, and AWS refused to delete while others hung on it, is deleted now.
//!
//! It goes in rounds, for one old resource may hang on another, and goes on as long as a round gets rid of anything.
//! What stays is told; it is listed with its alias, and every later write on that tries again.

use serde::{Deserialize, Serialize};

use super::{DeploymentWork, Leftover, Row, RowTarget};
use crate::Timestamp;

/// No chain of resources is longer.
const MOST_ROUNDS: u32 = 32;

/// How far a run is with what was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tidying {
    /// Counts from 1; 0 is before the first.
    pub round: u32,
    /// When the round began.
    pub round_at: Timestamp,
    /// How many resources there were to delete when it began.
    pub before: usize,
    /// The rows that are tidied up in it, by their places.
    pub rows: Vec<usize>,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broom {
    /// Another round begins.
    Begin(Tidying),
    /// The round goes on.
    Wait,
    /// There is nothing more to do; this stays.
    Done(Vec<Leftover>),
}

impl DeploymentWork {
    /// The rows after which something may be left that they replaced, by their places: those that are done, and all
    /// that rest on them, too.
    pub fn untidy(&self) -> Vec<usize> {
        let is_untidy =
            |row: &Row| row.retires && row.is_done() && matches!(row.target, RowTarget::Managed(_));
        let untidy: Vec<usize> =
            (0..self.rows.len()).filter(|index| is_untidy(&self.rows[*index])).collect();
        if untidy.is_empty() {
            return untidy;
        }
        // What rests on something that is not done holds on to what that was before.
        let mut held = vec![false; self.rows.len()];
        let mut open: Vec<usize> =
            (0..self.rows.len()).filter(|index| !self.rows[*index].is_done()).collect();
        while let Some(next) = open.pop() {
            for &before in &self.rows[next].depends_on {
                if let Some(is_held) = held.get_mut(before)
                    && !std::mem::replace(is_held, true)
                {
                    open.push(before);
                }
            }
        }
        untidy.into_iter().filter(|index| !held[*index]).collect()
    }
}

/// What comes next; `left` is what there still is of what the rows replaced, by their places, and `is_under_way`
/// tells whether anything of the round has not ended.
pub fn tidy(
    work: &DeploymentWork,
    left: &[(usize, Vec<String>)],
    is_under_way: bool,
    now: Timestamp,
) -> Broom {
    if is_under_way {
        return Broom::Wait;
    }
    let Tidying { round, before, .. } = work.tidying;
    let count: usize = left.iter().map(|(_, identifiers)| identifiers.len()).sum();
    let goes_on = round == 0 || (count < before && round < MOST_ROUNDS);
    if count > 0 && goes_on && !work.cancel_requested {
        let rows = left.iter().filter(|it| !it.1.is_empty()).map(|(index, _)| *index).collect();
        return Broom::Begin(Tidying { round: round + 1, round_at: now, before: count, rows });
    }
    let stays = left.iter().flat_map(|(index, identifiers)| {
        let address = work.rows.get(*index).map(|row| row.address.clone()).unwrap_or_default();
        identifiers.iter().map(move |identifier| Leftover {
            address: address.clone(),
            identifier: identifier.clone(),
        })
    });
    Broom::Done(stays.collect())
}
