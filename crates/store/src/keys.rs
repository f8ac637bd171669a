//! The root key and what is derived from it: sealed envelopes, keyed hashes, page tokens, the API token.

/// Keys.
#[derive(Debug)]
pub struct Keys;
