//! Signature Version 4 in the `Authorization` header: read it, and check it against the request.
//!
//! Who may sign is the caller's business: it looks the access key up and brings the secret.

mod canonical;
mod key;
mod problem;

use sha2::{Digest, Sha256};

pub use problem::{JSON_NAMESPACE, Refusal, SignatureProblem, Unsigned};

use crate::core::instant;

/// The one algorithm of header authentication.
const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// What ends every credential scope.
const TERMINATOR: &str = "aws4_request";
/// How far a request's time may be from ours, both ways.
const TOLERANCE: u64 = 15 * 60;

/// A request as it came over the wire, nothing decoded.
#[derive(Debug, Clone, Copy)]
pub struct SignedRequest<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// The path, still encoded.
    pub path: &'a str,
    /// The query string without its question mark, still encoded; empty if there is none.
    pub query: &'a str,
    /// The headers in order, names in any case, a repeated name repeated.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body.
    pub body: &'a [u8],
}

impl<'a> SignedRequest<'a> {
    /// The first header of a name.
    fn header(&self, name: &str) -> Option<&'a str> {
        self.headers
            .iter()
            .find(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }
}

/// What an `Authorization` header states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// The access key that says who calls.
    pub access_key: String,
    /// The day of the credential scope, `20261115` if it is well formed.
    pub date: String,
    /// The region of the scope.
    pub region: String,
    /// The service of the scope, by its signing name.
    pub service: String,
    /// The last word of the scope.
    pub terminator: String,
    /// The names of the signed headers, in lower case.
    pub signed_headers: Vec<String>,
    /// The signature, in hex.
    pub signature: String,
    /// A digest of the whole header, which some refusals repeat in its place.
    digest: String,
}

impl Authorization {
    /// Reads the header's value; parameters may come in any order, parted by commas or spaces.
    ///
    /// ```
    /// # use hangar_simulator::wire::signature::Authorization;
    /// let header = "AWS4-HMAC-SHA256 Credential=AKID/20261115/us-east-1/sts/aws4_request, \
    ///               SignedHeaders=host;x-amz-date, Signature=abc1";
    /// let authorization = Authorization::parse(header)?;
    /// assert_eq!(authorization.access_key, "AKID");
    /// assert_eq!(authorization.service, "sts");
    /// # Ok::<(), hangar_simulator::wire::signature::Unsigned>(())
    /// ```
    pub fn parse(header: &str) -> Result<Self, Unsigned> {
        let mut words = header.split([',', ' ', '\t']).filter(|word| !word.is_empty());
        let algorithm = words.next().unwrap_or_default();
        // Another scheme is no malformed signature but none at all.
        if !algorithm.starts_with("AWS4-") {
            return Err(Unsigned::Missing);
        }
        let digest = key::base64(&Sha256::digest(header));
        let (mut credential, mut signature, mut signed_headers) = (None, None, None);
        for word in words {
            match word.split_once('=') {
                Some(("Credential", value)) => credential = Some(value),
                Some(("Signature", value)) => signature = Some(value),
                Some(("SignedHeaders", value)) => signed_headers = Some(value),
                Some(_) => {}
                None => return Err(Unsigned::NotAPair { digest }),
            }
        }
        let (Some(credential), Some(signature), Some(signed_headers)) =
            (credential, signature, signed_headers)
        else {
            let given = [
                ("Credential", credential),
                ("Signature", signature),
                ("SignedHeaders", signed_headers),
            ];
            let missing =
                given.iter().filter(|(_, value)| value.is_none()).map(|(name, _)| *name).collect();
            return Err(Unsigned::Incomplete { missing, digest });
        };
        if algorithm != ALGORITHM {
            return Err(Unsigned::Algorithm { algorithm: algorithm.to_owned() });
        }
        let scope: Vec<&str> = credential.split('/').collect();
        let [access_key, date, region, service, terminator] = scope.as_slice() else {
            return Err(Unsigned::Credential { credential: credential.to_owned() });
        };
        Ok(Self {
            access_key: (*access_key).to_owned(),
            date: (*date).to_owned(),
            region: (*region).to_owned(),
            service: (*service).to_owned(),
            terminator: (*terminator).to_owned(),
            signed_headers: signed_headers
                .split(';')
                .filter(|name| !name.is_empty())
                .map(str::to_ascii_lowercase)
                .collect(),
            signature: signature.to_owned(),
            digest,
        })
    }

    /// Holds the scope to the service that was called, by its signing name (`cloudcontrolapi`).
    pub fn check_service(&self, called: &'static str) -> Result<(), SignatureProblem> {
        if self.service == called {
            return Ok(());
        }
        Err(SignatureProblem::WrongService { service: called })
    }

    fn signs(&self, header: &str) -> bool {
        self.signed_headers.iter().any(|name| name == header)
    }
}

/// Checks that the owner of `secret` signed this request within a quarter of an hour of `now`, in
/// seconds since 1970.
///
/// What is wrong is told in the order in which AWS looks: the time, the scope, the signature.
pub fn verify(
    request: &SignedRequest<'_>,
    authorization: &Authorization,
    secret: &str,
    now: u64,
) -> Result<(), SignatureProblem> {
    let (name, quoted, stated) = match (request.header("x-amz-date"), request.header("date")) {
        (Some(stated), _) => ("x-amz-date", "'X-Amz-Date'", stated),
        (None, Some(stated)) => ("date", "'Date'", stated),
        (None, None) => {
            return Err(SignatureProblem::NoDate { digest: authorization.digest.clone() });
        }
    };
    let stated = stated.trim();
    let signed_at = instant::read_basic(stated)
        .or_else(|| instant::read_http_date(stated))
        .ok_or_else(|| SignatureProblem::BadDate { date: stated.to_owned() })?;
    check_time(signed_at, now)?;
    if !authorization.signs("host") {
        return Err(SignatureProblem::NotSigned { header: "'Host' or ':authority'" });
    }
    if !authorization.signs(name) {
        return Err(SignatureProblem::NotSigned { header: quoted });
    }
    check_scope(authorization, signed_at)?;
    let payload = canonical::payload(request).ok_or(SignatureProblem::Mismatch)?;
    let text = canonical::request(request, authorization, &payload);
    let to_sign = canonical::string_to_sign(&text, authorization, signed_at);
    if key::is_signed(&to_sign, authorization, secret) {
        Ok(())
    } else {
        Err(SignatureProblem::Mismatch)
    }
}

fn check_time(signed_at: u64, now: u64) -> Result<(), SignatureProblem> {
    let (earliest, latest) = (now.saturating_sub(TOLERANCE), now.saturating_add(TOLERANCE));
    if signed_at < earliest {
        return Err(SignatureProblem::Expired { signed_at, earliest, now });
    }
    if signed_at > latest {
        return Err(SignatureProblem::NotYetCurrent { signed_at, latest, now });
    }
    Ok(())
}

fn check_scope(authorization: &Authorization, signed_at: u64) -> Result<(), SignatureProblem> {
    if authorization.terminator != TERMINATOR {
        let terminator = authorization.terminator.clone();
        return Err(SignatureProblem::WrongTerminator { terminator });
    }
    if instant::basic(signed_at).split('T').next() != Some(authorization.date.as_str()) {
        let date = authorization.date.clone();
        return Err(SignatureProblem::WrongDay { date, signed_at });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
