//! The table of all functions, put together from the files that hold them.

use super::{Function, number};

const TABLE: &[&[Function]] = &[number::FUNCTIONS];

pub(super) fn all() -> impl Iterator<Item = &'static Function> {
    TABLE.iter().flat_map(|part| part.iter())
}
