//! Who the caller is, as STS tells it: a user for a lasting key, a role's session for a passing one.

use sha2::{Digest, Sha256};

use super::caller::Caller;
use super::xml::Document;

/// The user or role that every key of an account belongs to.
const NAME: &str = "simulator";
/// The session of the role.
const SESSION: &str = "session";

/// Writes the members of `GetCallerIdentityResult`.
pub(super) fn write(caller: &Caller<'_>, document: &mut Document) {
    let (partition, account) = (caller.partition(), caller.account);
    let is_session = caller.access_key.starts_with("ASIA");
    let (arn, user_id) = if is_session {
        let arn = format!("arn:{partition}:sts::{account}:assumed-role/{NAME}/{SESSION}");
        (arn, format!("{}:{SESSION}", unique_id("AROA", account)))
    } else {
        (format!("arn:{partition}:iam::{account}:user/{NAME}"), unique_id("AIDA", account))
    };
    document.leaf("Arn", &arn);
    document.leaf("UserId", &user_id);
    document.leaf("Account", account);
}

/// An id of IAM's form, always the same for an account: the kind's prefix and 17 characters.
fn unique_id(prefix: &str, account: &str) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let digest = Sha256::digest(format!("{prefix}/{account}"));
    let letters = digest.iter().take(17).map(|byte| char::from(ALPHABET[usize::from(byte & 31)]));
    prefix.chars().chain(letters).collect()
}
