//! Where a recipe's module comes from, as its user typed it.
//!
//! The forms are those of Terraform's module sources. What is not understood is refused here, where the
//! mistake can be told, and not by a download that fails.

use std::fmt;

use thiserror::Error;

/// A module source that Terraform will take.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    /// What kind of place it names.
    pub kind: SourceKind,
    /// The text for the module block, credentials included.
    text: String,
    /// The version constraint, of a registry's module only.
    version: Option<String>,
}

/// The kinds of places that modules come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceKind {
    /// A directory of this machine, absolute or relative.
    Local,
    /// A module of a registry.
    Registry {
        /// The registry, where it is not the public one.
        host: Option<String>,
    },
    /// A Git repository, by any spelling.
    Git,
    /// A Mercurial repository.
    Mercurial,
    /// An archive over HTTP.
    Http,
    /// An archive in Amazon S3.
    S3,
    /// An archive in Google Cloud Storage.
    Gcs,
}

/// Why a text is no source.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SourceError {
    /// Nothing was typed.
    #[error("the source is empty")]
    Empty,
    /// A registry source ends in a version.
    #[error("`{source_text}` contains a version; use `{module}` with `--version {version}`")]
    VersionInside {
        /// What was typed.
        source_text: String,
        /// The same without the version.
        module: String,
        /// The version.
        version: String,
    },
    /// A version was given for what has none.
    #[error("`--version` applies only to registry modules, and `{shown}` is not one{}", hint(*is_git))]
    VersionWithoutRegistry {
        /// The source as it may be shown.
        shown: String,
        /// Whether `?ref=` would do.
        is_git: bool,
    },
    /// It is none of the forms.
    #[error(
        "`{shown}` is not a module source: expected a directory (`./module`, `/srv/module`), \
         `namespace/name/provider`, `git::…`, `https://….zip`, `s3::…` or `gcs::…`"
    )]
    Unknown {
        /// The source as it may be shown.
        shown: String,
    },
    /// It holds characters that no source has.
    #[error("the source contains an invalid character: {0:?}")]
    Character(char),
}

fn hint(is_git: bool) -> &'static str {
    if is_git { " (set the revision with `?ref=` in the source)" } else { "" }
}

/// Reads a source and the version typed beside it.
pub fn parse(typed: &str, version: Option<&str>) -> Result<Source, SourceError> {
    let text = typed.trim();
    if text.is_empty() {
        return Err(SourceError::Empty);
    }
    if let Some(odd) = text.chars().find(|c| c.is_control()) {
        return Err(SourceError::Character(odd));
    }
    let kind = kind_of(text)?;
    let version = version.map(str::trim).filter(|version| !version.is_empty());
    if version.is_some() && !matches!(kind, SourceKind::Registry { .. }) {
        let is_git = kind == SourceKind::Git;
        return Err(SourceError::VersionWithoutRegistry { shown: shown(text), is_git });
    }
    Ok(Source { kind, text: text.to_owned(), version: version.map(str::to_owned) })
}

impl Source {
    /// The text for `source` in a module block, with whatever credentials were typed in it.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The version constraint.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// What of the text is a credential, for whoever must keep it out of messages.
    pub fn credentials(&self) -> Vec<String> {
        credentials(&self.text)
    }

    /// Whether credentials are in the text.
    pub fn has_credentials(&self) -> bool {
        shown(&self.text) != self.text
    }
}

/// The source without credentials.
impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&shown(&self.text))
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Source")
            .field("kind", &self.kind)
            .field("text", &shown(&self.text))
            .field("version", &self.version)
            .finish()
    }
}

fn kind_of(text: &str) -> Result<SourceKind, SourceError> {
    let unknown = || SourceError::Unknown { shown: shown(text) };
    if text == "." || text == ".." || text.starts_with("./") || text.starts_with("../") {
        return Ok(SourceKind::Local);
    }
    if text.starts_with('/') {
        return Ok(SourceKind::Local);
    }
    if let Some((forced, rest)) = text.split_once("::") {
        if rest.is_empty() {
            return Err(unknown());
        }
        return match forced {
            "git" => Ok(SourceKind::Git),
            "hg" => Ok(SourceKind::Mercurial),
            "s3" => Ok(SourceKind::S3),
            "gcs" => Ok(SourceKind::Gcs),
            "http" | "https" => Ok(SourceKind::Http),
            "file" => Ok(SourceKind::Local),
            _ => Err(unknown()),
        };
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        if rest.is_empty() || rest.starts_with('/') && scheme != "file" {
            return Err(unknown());
        }
        return match scheme {
            "http" | "https" => Ok(SourceKind::Http),
            "ssh" | "git" => Ok(SourceKind::Git),
            "file" => Ok(SourceKind::Local),
            _ => Err(unknown()),
        };
    }
    // The scp-like form, `git@host:owner/repository.git`.
    if let Some((user, rest)) = text.split_once('@')
        && !user.contains('/')
        && rest.split_once(':').is_some_and(|(host, path)| is_host(host) && !path.is_empty())
    {
        return Ok(SourceKind::Git);
    }
    let first = text.split('/').next().unwrap_or_default();
    if matches!(first, "github.com" | "bitbucket.org" | "gitlab.com") {
        return match text.split('/').filter(|part| !part.is_empty()).count() {
            0..3 => Err(unknown()),
            _ => Ok(SourceKind::Git),
        };
    }
    registry(text)
}

/// `[host/]namespace/name/provider[//directory]`.
fn registry(text: &str) -> Result<SourceKind, SourceError> {
    let unknown = || SourceError::Unknown { shown: shown(text) };
    let (address, directory) = match text.split_once("//") {
        Some((address, directory)) => (address, Some(directory)),
        None => (text, None),
    };
    let parts: Vec<&str> = address.split('/').collect();
    let (host, names) = match parts.as_slice() {
        [host, names @ ..] if names.len() == 3 && is_host(host) => (Some(*host), names),
        names if names.len() == 3 => (None, names),
        _ => return Err(unknown()),
    };
    let last = names[2];
    let bare = last.split([':', '@', '?']).next().unwrap_or_default();
    let version = last[bare.len()..]
        .trim_start_matches([':', '@', '?'])
        .trim_start_matches("version=")
        .trim_start_matches("ref=");
    let names_are_good = names[..2].iter().all(|name| is_name(name)) && is_name(bare);
    if !names_are_good {
        return Err(unknown());
    }
    if bare.len() < last.len() {
        let head = &address[..address.len() - (last.len() - bare.len())];
        let tail = directory.map(|it| format!("//{it}")).unwrap_or_default();
        return Err(SourceError::VersionInside {
            source_text: text.to_owned(),
            module: format!("{head}{tail}"),
            version: version.to_owned(),
        });
    }
    if directory.is_some_and(|it| it.is_empty() || it.contains(['?', ':', '@'])) {
        return Err(unknown());
    }
    Ok(SourceKind::Registry { host: host.map(str::to_owned) })
}

fn is_host(text: &str) -> bool {
    let name = text.split(':').next().unwrap_or_default();
    let is_dotted = name.contains('.') || name == "localhost";
    is_dotted && name.split('.').all(is_name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Names of query arguments that are credentials, or signatures that stand for them.
const SECRET_WORDS: &[&str] = &[
    "token",
    "key",
    "secret",
    "password",
    "passwd",
    "pwd",
    "auth",
    "sig",
    "signature",
    "credential",
];

/// The text with what may be a credential left out: the user information of a URL and the values of
/// arguments that are named like secrets.
fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (place, query) = match text.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (text, None),
    };
    match place.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            out.push_str(scheme);
            out.push_str("://");
            match authority.rsplit_once('@') {
                // `ssh://git@host` names who everyone is there; a password is never shown.
                Some((user, host)) if scheme.ends_with("ssh") && !user.contains(':') => {
                    out.push_str(user);
                    out.push('@');
                    out.push_str(host);
                }
                Some((_, host)) => {
                    out.push_str("***@");
                    out.push_str(host);
                }
                None => out.push_str(authority),
            }
            out.push_str(path);
        }
        None => out.push_str(&scp_shown(place)),
    }
    if let Some(query) = query {
        for (index, argument) in query.split('&').enumerate() {
            out.push(if index == 0 { '?' } else { '&' });
            match argument.split_once('=') {
                Some((name, _)) if is_secret_word(name) => {
                    out.push_str(name);
                    out.push_str("=***");
                }
                _ => out.push_str(argument),
            }
        }
    }
    out
}

/// The parts of an address that [`shown`] leaves out.
fn credentials(text: &str) -> Vec<String> {
    let (place, query) = text.split_once('?').unwrap_or((text, ""));
    let bare = place.split_once("://").map_or(place, |(_, rest)| rest);
    let authority = bare.split('/').next().unwrap_or_default();
    let authority = authority.rsplit_once("::").map_or(authority, |(_, rest)| rest);
    let mut found = Vec::new();
    if let Some((user, _)) = authority.rsplit_once('@') {
        match user.split_once(':') {
            Some((_, password)) => found.push(password.to_owned()),
            // A token may stand alone; `git` is who everyone is.
            None if user != "git" => found.push(user.to_owned()),
            None => {}
        }
    }
    let arguments = query.split('&').filter_map(|argument| argument.split_once('='));
    found.extend(arguments.filter(|(name, _)| is_secret_word(name)).map(|(_, it)| it.to_owned()));
    found.retain(|it| !it.is_empty());
    found
}

/// `user:password@host:path` without the user; no other text without a scheme has a place for secrets.
fn scp_shown(place: &str) -> String {
    let (forced, bare) = match place.split_once("::") {
        Some((forced, bare)) => (format!("{forced}::"), bare),
        None => (String::new(), place),
    };
    match bare.split_once('@') {
        Some((user, rest)) if user.contains(':') => format!("{forced}***@{rest}"),
        _ => place.to_owned(),
    }
}

fn is_secret_word(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}
