//! The token of an identity provider, a JWT: what it claims. Nobody's signature is checked.

use serde_json::Value;

use super::refusal::{Exception, Refusal};
use super::time::Timestamp;

/// What a token claims of its bearer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebIdentity {
    /// Whom it is about.
    pub subject: Option<String>,
    /// Whom it is for.
    pub audience: Option<String>,
    /// Who says so.
    pub issuer: Option<String>,
}

impl WebIdentity {
    /// Reads a token that is still good.
    pub fn read(token: &str, now: Timestamp) -> Result<Self, Refusal> {
        let claims = claims(token).ok_or_else(|| {
            invalid(
                "The ID Token provided is not a valid JWT. \
                 (You may see this error if you sent an Access Token)",
            )
        })?;
        let expires_at =
            seconds(&claims["exp"]).ok_or_else(|| invalid("Missing a required claim: exp"))?;
        let now = now.millis() / 1000;
        if expires_at <= now {
            let message = format!(
                "Token expired: current date/time {now} must be before the expiration \
                 date/time {expires_at}"
            );
            return Err(Refusal::new(Exception::ExpiredToken, message));
        }
        let text = |claim: &Value| claim.as_str().map(str::to_owned);
        // A token may be for several; the party that asked for it is then the one.
        let audience = text(&claims["azp"])
            .or_else(|| text(&claims["aud"]))
            .or_else(|| text(&claims["aud"][0]));
        let (subject, issuer) = (text(&claims["sub"]), text(&claims["iss"]));
        Ok(Self { subject, audience, issuer })
    }
}

fn invalid(message: &str) -> Refusal {
    Refusal::new(Exception::InvalidIdentityToken, message)
}

/// The middle one of three parts, if all are what they must be.
fn claims(token: &str) -> Option<Value> {
    let parts: Vec<&str> = token.split('.').collect();
    let [header, claims, signature] = parts.as_slice() else { return None };
    let object = |part: &str| {
        let document: Value = serde_json::from_slice(&base64url(part)?).ok()?;
        document.is_object().then_some(document)
    };
    object(header)?;
    base64url(signature)?;
    object(claims)
}

/// A date of a claim, which may have a fraction.
fn seconds(claim: &Value) -> Option<u64> {
    let written = claim.as_number()?.to_string();
    let whole = written.split_once('.').map_or(written.as_str(), |(whole, _)| whole);
    whole.parse().ok()
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64 of the alphabet for URLs, without padding.
fn base64url(text: &str) -> Option<Vec<u8>> {
    if text.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for chunk in text.as_bytes().chunks(4) {
        let group = chunk.iter().try_fold(0_u32, |group, letter| {
            let value = ALPHABET.iter().position(|known| known == letter)?;
            Some(group << 6 | u32::try_from(value).ok()?)
        })?;
        let [_, first, second, third] = (group << (6 * (4 - chunk.len()))).to_be_bytes();
        bytes.extend_from_slice(&[first, second, third][..chunk.len() - 1]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_999);

    /// `{}`, the claims, and three bytes.
    fn token(claims: &str) -> String {
        format!("e30.{}.AAAA", encode(claims.as_bytes()))
    }

    /// Bit by bit, unlike the reader.
    fn encode(bytes: &[u8]) -> String {
        let bit = |at: usize| {
            usize::from(bytes.get(at / 8).is_some_and(|it| it >> (7 - at % 8) & 1 == 1))
        };
        let letters = (bytes.len() * 8).div_ceil(6);
        let value = |letter| (0..6).fold(0, |value, place| value << 1 | bit(6 * letter + place));
        (0..letters).map(|letter| char::from(ALPHABET[value(letter)])).collect()
    }

    #[test]
    fn base64_for_urls_is_read_as_it_is_written() {
        for text in ["", "f", "fo", "foo", "foob", "ÿþ~?>é"] {
            assert_eq!(base64url(&encode(text.as_bytes())).as_deref(), Some(text.as_bytes()));
        }
        for text in ["A", "AAAAA", "AA==", "AA+A", "AA/A", "é"] {
            assert_eq!(base64url(text), None, "{text}");
        }
    }

    #[test]
    fn the_claims_of_a_token_are_read() {
        let claims = r#"{"exp": 1800000001, "sub": "system:serviceaccount:a:b",
                         "iss": "https://oidc.example", "aud": ["sts.amazonaws.com"]}"#;
        let identity = WebIdentity::read(&token(claims), NOW).unwrap();
        assert_eq!(identity.subject.as_deref(), Some("system:serviceaccount:a:b"));
        assert_eq!(identity.issuer.as_deref(), Some("https://oidc.example"));
        assert_eq!(identity.audience.as_deref(), Some("sts.amazonaws.com"));
        for (claims, audience) in [
            (r#"{"exp": 1800000001.5, "aud": "a"}"#, Some("a")),
            (r#"{"exp": 1800000001, "aud": "a", "azp": "b"}"#, Some("b")),
            (r#"{"exp": 1800000001}"#, None),
        ] {
            let identity = WebIdentity::read(&token(claims), NOW).unwrap();
            assert_eq!(identity.audience.as_deref(), audience, "{claims}");
        }
    }

    #[test]
    fn what_is_no_token_or_no_longer_one_is_refused() {
        let refused = |token: &str| WebIdentity::read(token, NOW).unwrap_err();
        for token in [
            "",
            "token",
            "a.b",
            "e30.e30",
            "e30.e30.",
            "e30.e30.AA.AA",
            "e30.W10.AA",
            "W10.e30.AA",
            "e30.!.AA",
            "e30.e30.A",
            "e30.eyJleHAiOiAiMSJ9.AA",
        ] {
            assert_eq!(refused(token).exception, Exception::InvalidIdentityToken, "{token}");
        }
        let expired = refused(&token(r#"{"exp": 1800000000}"#));
        assert_eq!(expired.exception, Exception::ExpiredToken);
        assert_eq!(
            expired.message,
            "Token expired: current date/time 1800000000 must be before the expiration date/time \
             1800000000"
        );
    }
}
