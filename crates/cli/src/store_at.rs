//! Where the store of a control plane is: a file, or a database that several replicas share.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use hangar_diag::Diagnostic;

use crate::codes;
use crate::connection::Environment;
use crate::failure::Failure;

/// Where a store is.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum StoreAt {
    /// A SQLite file, for one process.
    Sqlite(PathBuf),
    /// A PostgreSQL database, for as many as there are. Its URL may hold a password.
    Postgres(String),
}

impl StoreAt {
    /// The store that was meant: as it was typed, else as `HANGAR_STORE` says. What is no store is not
    /// shown: it may hold a password.
    pub(crate) fn chosen(
        typed: Option<&String>,
        environment: &Environment,
    ) -> Result<Option<Self>, Failure> {
        let (name, text) = match (typed, &environment.store) {
            (Some(text), _) => ("--store", text),
            (None, Some(text)) => ("HANGAR_STORE", text),
            (None, None) => return Ok(None),
        };
        text.parse().map(Some).map_err(|hint: String| {
            Diagnostic::error(codes::USAGE, format!("{name} is not a valid store"))
                .hint(hint)
                .into()
        })
    }

    /// Whether other replicas may work on it.
    pub(crate) const fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }
}

impl FromStr for StoreAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(PathBuf::from(path))),
            Some(("postgres" | "postgresql", rest))
                if rest.strip_prefix("//").is_some_and(|rest| !rest.is_empty()) =>
            {
                Ok(Self::Postgres(text.to_owned()))
            }
            _ => Err("write sqlite:FILE or postgres://USER@HOST:PORT/DATABASE".to_owned()),
        }
    }
}

/// For people and logs: without the password.
impl fmt::Display for StoreAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(f),
            Self::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

impl fmt::Debug for StoreAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreAt({self})")
    }
}

/// A URL as it may be shown: user, host, port and database. All else may hold a password, or a part of one
/// that was not written as a URL wants it.
fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", ""));
    // A password that holds a slash and is not written as a URL wants it.
    if rest.split_once(['/', '?', '#']).is_some_and(|(_, after)| after.contains('@')) {
        return format!("{scheme}://…");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user.split(':').next().unwrap_or_default()), place),
        None => (None, authority),
    };
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|it| it.is_ascii_digit()) => (host, Some(port)),
        Some((host, _)) => (host, None),
        None => (place, None),
    };
    let database = rest[authority.len()..].split(['?', '#', '@']).next().unwrap_or_default();
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{user}{host}{port}{database}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_a_file_or_a_database() {
        let sqlite: StoreAt = "sqlite:a/b.db".parse().unwrap();
        assert_eq!(sqlite, StoreAt::Sqlite(PathBuf::from("a/b.db")));
        assert!("postgres://h/d".parse::<StoreAt>().unwrap().is_shared());
        for text in
            ["", "sqlite:", "a.db", "postgres:", "postgres://", "mysql://h/d", "postgres:/h"]
        {
            assert!(text.parse::<StoreAt>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        for (url, shown) in [
            ("postgres://h:5432/d", "postgres://h:5432/d"),
            ("postgres://u@h/d", "postgres://u@h/d"),
            ("postgresql://u:secret@h/d?sslmode=disable", "postgresql://u@h/d"),
            ("postgres://u:se@cret@h/d", "postgres://u@h/d"),
            ("postgres://u:sec?ret@h/d", "postgres://…"),
            ("postgres://u:123/secret@h/d", "postgres://…"),
            ("postgres://u:sec/ret@h/d", "postgres://…"),
            ("postgres://h/d?user=u&password=secret", "postgres://h/d"),
        ] {
            let store: StoreAt = url.parse().unwrap();
            assert_eq!(store.to_string(), shown);
            assert!(!format!("{store:?}").contains("secret"), "{store:?}");
        }
    }
}
