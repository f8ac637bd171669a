//! What can be wrong with a signature, and how each protocol says so.
//!
//! The messages are AWS's own sentences, since they go over the wire as they are: SDKs and people
//! look for them.

use super::TOLERANCE;
use crate::core::instant::basic;
use crate::core::session::Lapse;

/// The namespace of the JSON exceptions named here, `com.amazon.coral.service#…` in `__type`.
pub const JSON_NAMESPACE: &str = "com.amazon.coral.service";

/// Why a header states no signature that could be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsigned {
    /// There is no header, or one of another scheme.
    #[error("Request is missing Authentication Token")]
    Missing,
    /// A parameter has no value.
    #[error(
        "Invalid key=value pair (missing equal-sign) in Authorization header \
         (hashed with SHA-256 and encoded with Base64): '{digest}'."
    )]
    NotAPair {
        /// The digest of the header.
        digest: String,
    },
    /// Parameters are missing.
    #[error(
        "{}(Hashed with SHA-256 and encoded with Base64) Authorization={digest}",
        required(missing)
    )]
    Incomplete {
        /// Their names.
        missing: Vec<&'static str>,
        /// The digest of the header.
        digest: String,
    },
    /// The algorithm is another one.
    #[error("Unsupported AWS 'algorithm': '{algorithm}' (only AWS4-HMAC-SHA256 for now). ")]
    Algorithm {
        /// What is stated.
        algorithm: String,
    },
    /// The credential is not an access key and a scope.
    #[error(
        "Credential must have exactly 5 slash-delimited elements, \
         e.g. keyid/date/region/service/term, got '{credential}'"
    )]
    Credential {
        /// What is stated.
        credential: String,
    },
}

/// Why a request is refused before it is looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureProblem {
    /// There is no signature.
    #[error(transparent)]
    Unsigned(#[from] Unsigned),
    /// No header says when the request was signed.
    #[error(
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. \
         (Hashed with SHA-256 and encoded with Base64) Authorization={digest}"
    )]
    NoDate {
        /// The digest of the header.
        digest: String,
    },
    /// The time of signing cannot be read.
    #[error(
        "Date must be in ISO-8601 'basic format'. Got '{date}'. \
         See http://en.wikipedia.org/wiki/ISO_8601"
    )]
    BadDate {
        /// What is stated.
        date: String,
    },
    /// It was signed too long ago; times in seconds since 1970.
    #[error(
        "Signature expired: {} is now earlier than {} ({} - {} min.)",
        basic(*signed_at), basic(*earliest), basic(*now), TOLERANCE / 60
    )]
    Expired {
        /// When it was signed.
        signed_at: u64,
        /// When it could have been signed at the earliest.
        earliest: u64,
        /// What time it is.
        now: u64,
    },
    /// It was signed in the future; times in seconds since 1970.
    #[error(
        "Signature not yet current: {} is still later than {} ({} + {} min.)",
        basic(*signed_at), basic(*latest), basic(*now), TOLERANCE / 60
    )]
    NotYetCurrent {
        /// When it was signed.
        signed_at: u64,
        /// When it could have been signed at the latest.
        latest: u64,
        /// What time it is.
        now: u64,
    },
    /// A header that must be signed is not.
    #[error("{header} must be a 'SignedHeader' in the AWS Authorization.")]
    NotSigned {
        /// The header as the message spells it, in its quotes.
        header: &'static str,
    },
    /// The scope names another service than the one called.
    #[error("Credential should be scoped to correct service: '{service}'. ")]
    WrongService {
        /// The signing name of the service called.
        service: &'static str,
    },
    /// The scope does not end as it must.
    #[error(
        "Credential should be scoped with a valid terminator: 'aws4_request', not '{terminator}'. "
    )]
    WrongTerminator {
        /// How it ends.
        terminator: String,
    },
    /// The scope is for another day than the request.
    #[error(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from \
         HTTP: '{date}' != '{}', from '{}'.",
        &basic(*signed_at).split('T').next().unwrap_or_default(), basic(*signed_at)
    )]
    WrongDay {
        /// The day of the scope.
        date: String,
        /// When the request was signed, in seconds since 1970.
        signed_at: u64,
    },
    /// Nobody has this access key.
    #[error("The security token included in the request is invalid.")]
    UnknownKey,
    /// The session that the key belongs to is over.
    #[error("The security token included in the request is expired")]
    ExpiredToken,
    /// The signature is not that of this request and this secret.
    #[error(
        "The request signature we calculated does not match the signature you provided. \
         Check your AWS Secret Access Key and signing method. \
         Consult the service documentation for details."
    )]
    Mismatch,
}

/// A problem as one of the protocols states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The exception's name or the error's code.
    pub code: &'static str,
    /// The sentence.
    pub message: String,
    /// The HTTP status.
    pub status: u16,
}

impl From<Lapse> for SignatureProblem {
    fn from(lapse: Lapse) -> Self {
        match lapse {
            Lapse::Invalid => Self::UnknownKey,
            Lapse::Expired => Self::ExpiredToken,
        }
    }
}

impl SignatureProblem {
    /// As AWS JSON 1.0 states it, where every exception of the client's making is a 400. The code
    /// stands in `__type`, after [`JSON_NAMESPACE`].
    pub fn in_json(&self) -> Refusal {
        let code = match self.family() {
            Family::Absent => "MissingAuthenticationTokenException",
            Family::Incomplete => "IncompleteSignatureException",
            Family::Invalid => "InvalidSignatureException",
            Family::Unknown => "UnrecognizedClientException",
            Family::Expired => "ExpiredTokenException",
        };
        Refusal { code, message: self.to_string(), status: 400 }
    }

    /// As the Query protocol states it.
    pub fn in_query(&self) -> Refusal {
        let (code, status) = match self.family() {
            Family::Absent => ("MissingAuthenticationToken", 403),
            Family::Incomplete => ("IncompleteSignature", 400),
            Family::Invalid => ("SignatureDoesNotMatch", 403),
            Family::Unknown => ("InvalidClientTokenId", 403),
            Family::Expired => ("ExpiredToken", 403),
        };
        Refusal { code, message: self.to_string(), status }
    }

    fn family(&self) -> Family {
        match self {
            Self::Unsigned(Unsigned::Missing) => Family::Absent,
            Self::Unsigned(_) | Self::NoDate { .. } | Self::BadDate { .. } => Family::Incomplete,
            Self::UnknownKey => Family::Unknown,
            Self::ExpiredToken => Family::Expired,
            Self::Expired { .. }
            | Self::NotYetCurrent { .. }
            | Self::NotSigned { .. }
            | Self::WrongService { .. }
            | Self::WrongTerminator { .. }
            | Self::WrongDay { .. }
            | Self::Mismatch => Family::Invalid,
        }
    }
}

/// The names that either protocol has.
enum Family {
    Absent,
    Incomplete,
    Invalid,
    Unknown,
    Expired,
}

/// One sentence for each missing parameter, each with the space that follows it.
fn required(missing: &[&str]) -> String {
    missing.iter().fold(String::new(), |text, name| {
        text + "Authorization header requires '" + name + "' parameter. "
    })
}
