//! Pages of type names. A token says where a page ended and for which filters, so that the server
//! remembers nothing.

use sha2::{Digest, Sha256};

use crate::wire::hex;
use crate::wire::query::call::ListTypes;
use crate::wire::query::error::QueryError;

/// How many bytes of the digest keep a token from being made up.
const SEAL: usize = 8;

/// A page.
pub(super) struct Page {
    /// The names on it.
    pub(super) names: Vec<&'static str>,
    /// What to give for the page after it, if there is one.
    pub(super) next_token: Option<String>,
}

/// Cuts the asked-for page out of all the names that pass the filters.
pub(super) fn cut(
    call: &ListTypes,
    mut names: impl Iterator<Item = &'static str>,
) -> Result<Page, QueryError> {
    if let Some(token) = &call.next_token {
        let invalid = || QueryError::InvalidToken { token: token.clone() };
        let last = open(token, call).ok_or_else(invalid)?;
        names.find(|name| *name == last).ok_or_else(invalid)?;
    }
    let mut on_page: Vec<&str> = names.take(call.max_results + 1).collect();
    let has_more = on_page.len() > call.max_results;
    on_page.truncate(call.max_results);
    let next_token = on_page.last().filter(|_| has_more).map(|last| token(last, call));
    Ok(Page { names: on_page, next_token })
}

fn token(last: &str, call: &ListTypes) -> String {
    hex::encode(&[&seal(last, call)[..], last.as_bytes()].concat())
}

/// The name that a token holds, if it was made for this call.
fn open(token: &str, call: &ListTypes) -> Option<String> {
    let bytes = hex::decode(token)?;
    let (given, last) = bytes.split_at_checked(SEAL)?;
    let last = String::from_utf8(last.to_vec()).ok()?;
    (given == seal(&last, call)).then_some(last)
}

/// The size of a page may change on the way, the filters may not.
fn seal(last: &str, call: &ListTypes) -> [u8; SEAL] {
    let ListTypes {
        visibility,
        provisioning,
        deprecated_status,
        kind,
        category,
        publisher,
        prefix,
        max_results: _,
        next_token: _,
    } = call;
    let filters = (visibility, provisioning, deprecated_status, kind, category, publisher, prefix);
    let digest = Sha256::digest(format!("{filters:?} {last}"));
    std::array::from_fn(|index| digest[index])
}
