//! The canonical request: the one spelling that signer and checker both arrive at.
//!
//! After AWS's "Create a signed AWS API request", for every service but S3: the path is normalized
//! and encoded once more than on the wire.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::{ALGORITHM, Authorization, SignedRequest, TERMINATOR};
use crate::core::instant;
use crate::wire::{hex, percent};

/// The signer's word that the body is not part of the signature.
const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// What stands for the body: its hash, or the word that it is not signed. Nothing if a hash is
/// stated and is not the body's.
pub(super) fn payload(request: &SignedRequest<'_>) -> Option<String> {
    let hash = hex::encode(&Sha256::digest(request.body));
    match request.header("x-amz-content-sha256").map(str::trim) {
        None => Some(hash),
        Some(UNSIGNED) => Some(UNSIGNED.to_owned()),
        Some(stated) => (stated == hash).then_some(hash),
    }
}

/// The canonical request.
pub(super) fn request(
    request: &SignedRequest<'_>,
    authorization: &Authorization,
    payload: &str,
) -> String {
    // Sorted whatever the header says: a signer must sort, so another order cannot match.
    let names: BTreeSet<&str> = authorization.signed_headers.iter().map(String::as_str).collect();
    let mut headers = String::new();
    for name in &names {
        headers.push_str(name);
        headers.push(':');
        headers.push_str(&values(request, name));
        headers.push('\n');
    }
    let names = names.into_iter().collect::<Vec<_>>().join(";");
    let (path, query) = (path(request.path), query(request.query));
    format!("{}\n{path}\n{query}\n{headers}\n{names}\n{payload}", request.method)
}

/// The text whose keyed hash is the signature.
pub(super) fn string_to_sign(
    canonical: &str,
    authorization: &Authorization,
    signed_at: u64,
) -> String {
    let Authorization { date, region, service, .. } = authorization;
    let at = instant::basic(signed_at);
    let hash = hex::encode(&Sha256::digest(canonical));
    format!("{ALGORITHM}\n{at}\n{date}/{region}/{service}/{TERMINATOR}\n{hash}")
}

/// Dot segments and empty ones removed, then each segment encoded as it stands on the wire.
fn path(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    if kept.is_empty() {
        return "/".to_owned();
    }
    let mut text = String::with_capacity(path.len());
    for segment in kept {
        text.push('/');
        text.push_str(&percent::encode(segment.as_bytes()));
    }
    if path.ends_with('/') {
        text.push('/');
    }
    text
}

/// The parameters re-encoded to one spelling and sorted by name, then by value.
fn query(query: &str) -> String {
    let spelling = |text: &str| {
        // A stray `%` can only have been meant as one.
        percent::encode(&percent::decode(text.as_bytes()).unwrap_or_else(|| text.into()))
    };
    let mut pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (spelling(name), spelling(value)))
        .collect();
    pairs.sort();
    let pairs: Vec<String> =
        pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

/// All values of a header, joined in the order of the request.
fn values(request: &SignedRequest<'_>, name: &str) -> String {
    let values: Vec<String> = request
        .headers
        .iter()
        .filter(|(given, _)| given.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    values.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_normalized_and_encoded_once_more() {
        for (wire, canonical) in [
            ("", "/"),
            ("/", "/"),
            ("//", "/"),
            ("/./", "/"),
            ("/example/..", "/"),
            ("/../../a", "/a"),
            ("/./example", "/example"),
            ("/a//b/", "/a/b/"),
            ("/a%20b/../c//%C3%A9%3A/", "/c/%25C3%25A9%253A/"),
            ("/-._~0Az", "/-._~0Az"),
        ] {
            assert_eq!(path(wire), canonical, "{wire}");
        }
    }

    #[test]
    fn a_query_is_sorted_and_spelled_one_way() {
        for (wire, canonical) in [
            ("", ""),
            ("b=2&a=%20x&a=1&empty", "a=%20x&a=1&b=2&empty="),
            ("Param2=value2&Param1=value1", "Param1=value1&Param2=value2"),
            ("a=~%7e&A=%2f/", "A=%2F%2F&a=~~"),
            ("a=100%&&b=c=d", "a=100%25&b=c%3Dd"),
        ] {
            assert_eq!(query(wire), canonical, "{wire}");
        }
    }

    #[test]
    fn header_values_are_trimmed_collapsed_and_joined() {
        let headers = [("My-Header", "  a   b "), ("other", "x"), ("my-header", "c")];
        let request =
            SignedRequest { method: "GET", path: "/", query: "", headers: &headers, body: b"" };
        assert_eq!(values(&request, "my-header"), "a b,c");
        assert_eq!(values(&request, "absent"), "");
    }
}
