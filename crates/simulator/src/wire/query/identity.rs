//! Who the caller is, as STS tells it: a user for a lasting key, a role's session for a passing one.

use sha2::{Digest, Sha256};

use super::caller::Caller;
use super::xml::Document;
use crate::core::session::Session;

/// The user or role that every key of an account belongs to.
const NAME: &str = "simulator";
/// The session of the role.
const SESSION: &str = "session";

/// Writes the members of `GetCallerIdentityResult`.
pub(super) fn write(caller: &Caller<'_>, document: &mut Document) {
    let (partition, account) = (caller.partition(), caller.account);
    // A key of somebody's real session is nobody's here.
    let is_session = caller.access_key.starts_with("ASIA");
    let (arn, user_id) = match caller.session {
        Some(session) => (session.arn(), id_of(session)),
        None if is_session => {
            let arn = format!("arn:{partition}:sts::{account}:assumed-role/{NAME}/{SESSION}");
            (arn, format!("{}:{SESSION}", unique_id("AROA", account)))
        }
        None => (format!("arn:{partition}:iam::{account}:user/{NAME}"), unique_id("AIDA", account)),
    };
    document.leaf("Arn", &arn);
    document.leaf("UserId", &user_id);
    document.leaf("Account", account);
}

/// The id of a session: that of its role, and its name.
pub(super) fn id_of(session: &Session) -> String {
    format!("{}:{}", unique_id("AROA", session.role.arn()), session.name)
}

/// An id of IAM's form, always the same for an account or a role: the kind's prefix and 17
/// characters.
fn unique_id(prefix: &str, of: &str) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let digest = Sha256::digest(format!("{prefix}/{of}"));
    let letters = digest.iter().take(17).map(|byte| char::from(ALPHABET[usize::from(byte & 31)]));
    prefix.chars().chain(letters).collect()
}
