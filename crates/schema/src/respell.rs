//! Texts that mean the same although a service spells them in another way.

use serde_json::Value;

use crate::class::{Class, ClassSet};

/// What may differ between two spellings of a value that can only be set at creation: AWS cannot
/// change it, so another spelling is AWS's own.
pub(crate) const OF_CREATE_ONLY: [Class; 4] =
    [Class::LetterCase, Class::TrailingMark, Class::WhiteSpace, Class::NameOrArn];

/// Whether `live` is `desired` in another spelling, of the kinds that `allowed` names.
pub(crate) fn is_respelled(allowed: ClassSet, desired: &Value, live: &Value) -> bool {
    match (text(desired), text(live)) {
        (Some(desired), Some(live)) => is_respelled_text(allowed, &desired, &live),
        _ => false,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn is_respelled_text(allowed: ClassSet, desired: &str, live: &str) -> bool {
    let (desired, live) = (normal_form(allowed, desired), normal_form(allowed, live));
    desired == live
        || (allowed.has(Class::NameOrArn)
            && (names_the_same(&desired, &live) || names_the_same(&live, &desired)))
        || (allowed.has(Class::VersionPrefix) && is_version_prefix(&desired, &live))
        || (allowed.has(Class::WhiteSpace) && is_same_public_key(&desired, &live))
}

fn normal_form(allowed: ClassSet, text: &str) -> String {
    let mut normal = text.to_owned();
    if allowed.has(Class::WhiteSpace) {
        normal = normal.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if allowed.has(Class::TrailingMark) {
        normal.truncate(normal.trim_end_matches(['.', '/']).len());
    }
    if allowed.has(Class::LetterCase) {
        normal = normal.to_lowercase();
    }
    if allowed.has(Class::BooleanDigit) {
        match normal.as_str() {
            "true" => "1".clone_into(&mut normal),
            "false" => "0".clone_into(&mut normal),
            _ => {}
        }
    }
    if allowed.has(Class::Interval)
        && let Some(minutes) = minutes_of(&normal)
    {
        normal = format!("rate({minutes} minutes)");
    }
    normal
}

/// Whether an ARN ends with a name: `arn:aws:kms:…:key/1a2b` and `1a2b`.
fn names_the_same(arn: &str, name: &str) -> bool {
    let rest = arn.strip_suffix(name).filter(|_| !name.is_empty());
    arn.starts_with("arn:") && rest.is_some_and(|rest| rest.ends_with([':', '/']))
}

fn is_version_prefix(desired: &str, live: &str) -> bool {
    let rest = live.strip_prefix(desired).filter(|_| !desired.is_empty());
    rest.is_some_and(|rest| rest.starts_with('.') || desired.ends_with('.'))
}

/// An SSH public key is its type and its data; what follows is a comment.
fn is_same_public_key(one: &str, other: &str) -> bool {
    let key = |text: &str| -> Option<(String, String)> {
        let mut words = text.split_whitespace();
        let (kind, data) = (words.next()?, words.next()?);
        let is_key = kind.starts_with("ssh-") || kind.starts_with("ecdsa-");
        is_key.then(|| (kind.to_owned(), data.to_owned()))
    };
    key(one).is_some_and(|one| key(other) == Some(one))
}

/// Whether both texts are the same key or certificate in PEM form, which allows any line breaks.
pub(crate) fn is_same_pem(one: &Value, other: &Value) -> bool {
    match (one.as_str(), other.as_str()) {
        (Some(one), Some(other)) => {
            one.trim_start().starts_with("-----BEGIN ")
                && one.split_whitespace().eq(other.split_whitespace())
        }
        _ => false,
    }
}

/// Whether AWS put the key in place of the KMS alias that names it.
pub(crate) fn is_resolved_alias(desired: &Value, live: &Value) -> bool {
    match (desired.as_str(), live.as_str()) {
        (Some(desired), Some(live)) => {
            let is_alias = desired.starts_with("alias/")
                || (desired.starts_with("arn:") && desired.contains(":alias/"));
            is_alias && live.starts_with("arn:") && live.contains(":kms:") && live.contains(":key/")
        }
        _ => false,
    }
}

/// The minutes of `rate(2 hours)`.
fn minutes_of(text: &str) -> Option<u64> {
    let inner = text.strip_prefix("rate(")?.strip_suffix(')')?;
    let (count, unit) = inner.split_once(' ')?;
    let factor = match unit.trim_end_matches('s') {
        "minute" => 1,
        "hour" => 60,
        "day" => 24 * 60,
        _ => return None,
    };
    count.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_of_spelling_is_allowed_where_it_is_named() {
        let cases = [
            (Class::LetterCase, json!("managed"), json!("MANAGED")),
            (Class::TrailingMark, json!("example.org"), json!("example.org.")),
            (Class::WhiteSpace, json!("a  b"), json!("a b\n")),
            (Class::WhiteSpace, json!("ssh-rsa AAAA"), json!("ssh-rsa AAAA me@host\n")),
            (
                Class::NameOrArn,
                json!("service-role/Job"),
                json!("arn:aws:iam::1:role/service-role/Job"),
            ),
            (Class::NameOrArn, json!("arn:aws:kms:us-east-1:1:key/1a2b"), json!("1a2b")),
            (Class::VersionPrefix, json!("8.0"), json!("8.0.35")),
            (Class::Interval, json!("rate(60 minutes)"), json!("rate(1 hour)")),
            (Class::BooleanDigit, json!(true), json!("1")),
        ];
        for (class, desired, live) in cases {
            let allowed = ClassSet::of(&[class]);
            assert!(is_respelled(allowed, &desired, &live), "{desired} {live}");
            assert!(!is_respelled(ClassSet::NONE, &desired, &live), "{desired} {live}");
        }
    }

    #[test]
    fn another_value_is_no_spelling() {
        let all: Vec<Class> = OF_CREATE_ONLY.into_iter().chain([Class::VersionPrefix]).collect();
        for (desired, live) in [
            ("a", "b"),
            ("8.0", "8.10"),
            ("8.0", "8"),
            ("", "arn:aws:s3:::a/"),
            ("b", "arn:aws:s3:::ab"),
            ("ssh-rsa AAAA", "ssh-rsa BBBB"),
        ] {
            assert!(
                !is_respelled(ClassSet::of(&all), &json!(desired), &json!(live)),
                "{desired} {live}"
            );
        }
    }
}
