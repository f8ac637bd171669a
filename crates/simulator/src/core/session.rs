//! Sessions of roles: the temporary credentials that STS gives, for as long as they last.
//!
//! A role need not be defined: its ARN says all that is asked of it here.

use std::fmt;
use std::time::Duration;

use hangar_ids::Arn;

use super::random::Random;
use super::time::Timestamp;

/// What every access key of a session begins with, so that one which is unknown is told from a key
/// of somebody's real account.
const MARK: &str = "ASIAHANGAR";

/// The letters of access keys, which are digits of the session's number too.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// So many letters at the end of an access key are the session's number.
const DIGITS: usize = 6;

/// A session is remembered so long after its end, to be told as expired and not as unknown.
pub const REMEMBERED_FOR: Duration = Duration::from_hours(7 * 24);

/// A role, as its ARN names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role(
    // Invariant: it is one of a role.
    Arn,
);

impl Role {
    /// Reads `arn:aws:iam::123456789012:role/path/name`.
    pub fn parse(text: &str) -> Option<Self> {
        Arn::parse(text).ok().filter(|arn| arn.role().is_some()).map(Self)
    }

    /// The whole ARN.
    pub fn arn(&self) -> &str {
        self.0.as_str()
    }

    /// Its account, twelve digits.
    pub fn account(&self) -> &str {
        self.0.account()
    }

    /// Its name, without its path.
    pub fn name(&self) -> &str {
        self.0.role().map_or("", |role| role.name)
    }
}

/// A session that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption {
    /// Of this role.
    pub role: Role,
    /// Named so.
    pub session_name: String,
    /// For so long.
    pub lasts: Duration,
}

/// Who asks for a session, as far as STS cares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Proof<'a> {
    /// One who signed with a lasting key.
    Key,
    /// One who signed with the key of another session.
    Session,
    /// One who shows this token of an identity provider.
    WebIdentity(&'a str),
}

/// A session of a role. `Debug` does not show what signs.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// The access key; begins as that of every session and ends in its number.
    pub access_key: Box<str>,
    /// Signs.
    pub secret: Box<str>,
    /// Goes with every call.
    pub token: Box<str>,
    /// Whose session it is; its account is the one that calls act in.
    pub role: Role,
    /// What its caller called it.
    pub name: Box<str>,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// Why the credentials of a session are not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lapse {
    /// The token is not that of the session.
    Invalid,
    /// The session is over.
    Expired,
}

impl Session {
    /// The session of this number.
    pub fn draw(ask: &Assumption, number: u64, seed: u64, now: Timestamp) -> Self {
        const ANY: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let purpose = ["session", &number.to_string(), ask.role.arn(), &ask.session_name];
        let mut random = Random::new(seed, &purpose);
        let drawn = random.text(LETTERS, 20 - MARK.len() - DIGITS);
        Self {
            access_key: format!("{MARK}{drawn}{}", digits(number)).into(),
            secret: random.text(ANY, 40).into(),
            token: format!("IQoJb3JpZ2luX2Vj{}", random.text(ANY, 160)).into(),
            role: ask.role.clone(),
            name: ask.session_name.as_str().into(),
            expires_at: now.after(ask.lasts),
        }
    }

    /// Whether a call with this token may be made with it.
    pub fn admit(&self, token: Option<&str>, now: Timestamp) -> Result<(), Lapse> {
        match token {
            Some(token) if *token == *self.token && now < self.expires_at => Ok(()),
            Some(token) if *token == *self.token => Err(Lapse::Expired),
            _ => Err(Lapse::Invalid),
        }
    }

    /// The ARN of whoever has it.
    pub fn arn(&self) -> String {
        let partition = self.role.0.partition();
        let (account, role, name) = (self.role.account(), self.role.name(), &self.name);
        format!("arn:{partition}:sts::{account}:assumed-role/{role}/{name}")
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("access_key", &self.access_key)
            .field("role", &self.role)
            .field("name", &self.name)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// Whether an access key is that of a session, known or not.
pub fn is_temporary(access_key: &str) -> bool {
    access_key.starts_with(MARK)
}

/// The number that the access key of a session ends in.
pub(super) fn number_in(access_key: &str) -> Option<u64> {
    let rest = access_key.strip_prefix(MARK)?;
    let digits = rest.get(rest.len().checked_sub(DIGITS)?..)?;
    digits.chars().try_fold(0, |number, letter| {
        let digit = LETTERS.find(letter)?;
        Some(number << 5 | u64::try_from(digit).ok()?)
    })
}

/// The lowest bits of a number, five a letter.
fn digits(number: u64) -> String {
    let letters = LETTERS.as_bytes();
    let letter = |place: usize| {
        let digit = number >> (5 * place) & 31;
        char::from(letters[usize::try_from(digit).unwrap_or(0)])
    };
    (0..DIGITS).rev().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(role: &str) -> Assumption {
        Assumption {
            role: Role::parse(role).unwrap(),
            session_name: "me".to_owned(),
            lasts: Duration::from_mins(15),
        }
    }

    const ROLE: &str = "arn:aws-cn:iam::123456789012:role/team/deploy";

    #[test]
    fn a_role_is_what_an_arn_of_iam_names() {
        let role = Role::parse(ROLE).unwrap();
        assert_eq!((role.account(), role.name()), ("123456789012", "deploy"));
        for text in ["deploy", "arn:aws:iam::42:role/deploy", "arn:aws:iam::123456789012:user/me"] {
            assert_eq!(Role::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_access_key_ends_in_the_number_of_its_session() {
        for number in [0, 1, 31, 32, (1 << 30) - 1] {
            let session = Session::draw(&ask(ROLE), number, 7, Timestamp::default());
            assert_eq!(session.access_key.len(), 20);
            assert!(is_temporary(&session.access_key));
            assert_eq!(number_in(&session.access_key), Some(number));
        }
        for other in ["", "ASIAIOSFODNN7EXAMPLE", "ASIAHANGAR", "ASIAHANGARéé", "ASIAHANGAR1"] {
            assert_eq!(number_in(other), None, "{other}");
        }
    }

    #[test]
    fn the_same_session_has_the_same_secrets_and_another_has_others() {
        let draw = |role, number, seed| {
            let session = Session::draw(&ask(role), number, seed, Timestamp::default());
            (session.secret, session.token)
        };
        let other = "arn:aws:iam::123456789012:role/other";
        assert_eq!(draw(ROLE, 1, 7), draw(ROLE, 1, 7));
        for another in [draw(other, 1, 7), draw(ROLE, 2, 7), draw(ROLE, 1, 8)] {
            assert_ne!(draw(ROLE, 1, 7), another);
        }
    }

    #[test]
    fn a_session_is_taken_with_its_token_until_it_ends() {
        let at = Timestamp::from_millis;
        let session = Session::draw(&ask(ROLE), 1, 7, at(1000));
        let token = Some(&*session.token);
        assert_eq!(session.arn(), "arn:aws-cn:sts::123456789012:assumed-role/deploy/me");
        assert_eq!(session.admit(token, at(900_999)), Ok(()));
        assert_eq!(session.admit(token, at(901_000)), Err(Lapse::Expired));
        for wrong in [None, Some(""), Some("x")] {
            assert_eq!(session.admit(wrong, at(1000)), Err(Lapse::Invalid));
            // Whoever lacks the token does not learn whether it has expired.
            assert_eq!(session.admit(wrong, at(901_000)), Err(Lapse::Invalid));
        }
        let shown = format!("{session:?}");
        assert!(!shown.contains(&*session.secret) && !shown.contains(&*session.token));
    }
}
