//! The table of all functions, put together from the files that hold them.

use super::{
    Function, aws, cidr, convert, date, encode, format, hash, lambda, load, number, scope,
    sequence, set, text, uri,
};

const TABLE: &[&[Function]] = &[
    sequence::FUNCTIONS,
    text::FUNCTIONS,
    format::FUNCTIONS,
    convert::FUNCTIONS,
    number::FUNCTIONS,
    set::FUNCTIONS,
    lambda::FUNCTIONS,
    hash::FUNCTIONS,
    encode::FUNCTIONS,
    uri::FUNCTIONS,
    date::FUNCTIONS,
    cidr::FUNCTIONS,
    load::FUNCTIONS,
    scope::FUNCTIONS,
    aws::FUNCTIONS,
];

pub(super) fn all() -> impl Iterator<Item = &'static Function> {
    TABLE.iter().flat_map(|part| part.iter())
}
