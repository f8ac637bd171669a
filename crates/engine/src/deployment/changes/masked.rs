//! Documents with a sign in the place of each secret: the same sign where the secrets are the same, and nothing of them.
//!
//! An array may come in another order than it is stated in, so what is secret in one element is taken for secret in all,
//! but for values that are known not to be: those that are stated beside it, and where all secrets on record are found
//! in live, all others there.

use hangar_schema::{Recorded, SecretRecord};
use serde_json::Value;

/// What a sign begins with: no text of a person has it.
const SIGN: &str = "\u{f8ff}secret\u{f8ff}";

/// What is told in the place of a sign.
const SHOWN: &str = "«secret»";

/// A value is looked into so deep; what lies deeper is hidden.
const MAX_DEPTH: usize = 256;

/// What is known of the secrets of one resource.
pub(super) struct Known<'a> {
    /// Where secrets are, as RFC 6901 pointers.
    pub(super) hidden: &'a [String],
    /// What the template states, and what of it it calls secret.
    pub(super) stated: &'a Value,
    pub(super) stated_secrets: &'a [String],
    /// What AWS says now.
    pub(super) live: &'a Value,
    /// Where the secrets were that are on record and that AWS returns.
    pub(super) recorded: &'a [&'a str],
    pub(super) record: &'a dyn SecretRecord,
}

/// The secrets of one resource, each with a sign of its own.
pub(super) struct Masks {
    places: Vec<Place>,
    /// The texts of the secrets that have a sign.
    signs: Vec<String>,
}

/// Where a secret may lie, in whatever element of an array.
struct Place {
    segments: Vec<String>,
    /// What may lie there and is none.
    public: Vec<Value>,
}

impl Masks {
    pub(super) fn of(known: &Known<'_>) -> Self {
        let mut places: Vec<Place> = Vec::new();
        for path in known.hidden {
            let segments = pattern(path);
            if !places.iter().any(|place| place.segments == segments) {
                let public = public(known, &segments);
                places.push(Place { segments, public });
            }
        }
        Self { places, signs: Vec::new() }
    }

    /// A document with signs.
    pub(super) fn mask(&mut self, document: &Value) -> Value {
        let Self { places, signs } = self;
        let mut masked = document.clone();
        for place in places {
            visit(&mut masked, &place.segments, &mut String::new(), 0, &mut |value, _| {
                if !place.public.contains(value) && !value.is_null() && !is_sign(value) {
                    *value = sign(signs, value);
                }
            });
        }
        masked
    }
}

/// Whether a value stands for a secret.
pub(super) fn is_sign(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with(SIGN))
}

/// Whether a value stands for a secret, or holds one that does.
pub(super) fn holds_sign(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(SIGN),
        Value::Array(items) => items.iter().any(holds_sign),
        Value::Object(members) => {
            members.iter().any(|(name, it)| name.contains(SIGN) || holds_sign(it))
        }
        _ => false,
    }
}

/// A text with no sign in it.
pub(super) fn without_signs(text: &str) -> String {
    let mut parts = text.split(SIGN);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str(SHOWN);
        shown.push_str(part.trim_start_matches(|it: char| it.is_ascii_digit()));
    }
    shown
}

/// Whether two values differ in nothing but in their secrets.
pub(super) fn are_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        _ if is_sign(one) && is_sign(other) => true,
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| are_alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_in = |(name, value): (&String, &Value)| {
                other.get(name).is_some_and(|other| are_alike(value, other))
            };
            one.len() == other.len() && one.iter().all(is_in)
        }
        _ => one == other,
    }
}

fn sign(signs: &mut Vec<String>, value: &Value) -> Value {
    // A number and its text are the same secret.
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let at = signs.iter().position(|it| *it == text).unwrap_or_else(|| {
        signs.push(text);
        signs.len() - 1
    });
    format!("{SIGN}{at}").into()
}

fn pattern(path: &str) -> Vec<String> {
    let segments = path.split('/').skip(1);
    let any = |it: &str| if is_index(it) { ANY.to_owned() } else { unescaped(it) };
    segments.map(any).collect()
}

/// In the place of the number of an element. A member of an object that is called by a number is meant by it, too.
const ANY: &str = "\u{f8ff}any";

fn is_index(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|it| it.is_ascii_digit())
}

fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// What may lie at a place and is no secret.
fn public(known: &Known<'_>, segments: &[String]) -> Vec<Value> {
    // What was once secret stays so, but an element that was may be another one by now.
    let is_element = segments.iter().any(|it| it == ANY);
    let hidden = if is_element { known.stated_secrets } else { known.hidden };
    let is_hidden = |path: &str| hidden.iter().any(|it| it == path);
    let (secret, mut public): (Vec<_>, Vec<_>) =
        all(known.stated, segments).into_iter().partition(|(path, _)| is_hidden(path));
    let shown = all(known.live, segments);
    let recorded: Vec<&str> =
        known.recorded.iter().copied().filter(|it| pattern(it) == segments).collect();
    let is_of = |path: &str, value: &Value| known.record.compare(path, value) == Recorded::Same;
    let is_recorded = |value: &Value| recorded.iter().any(|path| is_of(path, value));
    let are_found = !recorded.is_empty()
        && recorded.iter().all(|path| shown.iter().any(|(_, value)| is_of(path, value)));
    if are_found {
        public.extend(shown);
    }
    let public = public.into_iter().map(|(_, value)| value);
    public
        .filter(|value| !is_recorded(value) && !secret.iter().any(|(_, secret)| secret == value))
        .collect()
}

/// What a document has at a place, by pointers.
fn all(document: &Value, segments: &[String]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut document = document.clone();
    visit(&mut document, segments, &mut String::new(), 0, &mut |value, path| {
        found.push((path.to_owned(), value.clone()));
    });
    found
}

/// Shows `see` whatever a document has at a place, in all elements of arrays. What ought to hold something and is a text
/// instead is shown whole.
fn visit(
    value: &mut Value,
    segments: &[String],
    path: &mut String,
    depth: usize,
    see: &mut dyn FnMut(&mut Value, &str),
) {
    let Some((first, rest)) = segments.split_first() else { return see(value, path) };
    if depth > MAX_DEPTH {
        return see(value, path);
    }
    let length = path.len();
    let mut within = |name: &str, value: &mut Value, segments: &[String]| {
        path.push('/');
        path.push_str(&super::property::escaped(name));
        visit(value, segments, path, depth + 1, see);
        path.truncate(length);
    };
    match value {
        Value::Null => {}
        Value::Object(members) if first == ANY => {
            let mut is_one = true;
            for (name, member) in members.iter_mut().filter(|(name, _)| is_index(name)) {
                is_one = false;
                within(name, member, rest);
            }
            // One element may be written without its array.
            if is_one {
                visit(value, rest, path, depth + 1, see);
            }
        }
        Value::Object(members) => {
            if let Some(member) = members.get_mut(first) {
                within(first, member, rest);
            }
        }
        Value::Array(items) => {
            let below = if first == ANY { rest } else { segments };
            for (index, item) in items.iter_mut().enumerate() {
                within(&index.to_string(), item, below);
            }
        }
        _ => see(value, path),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Knows one secret.
    struct Record(&'static str);

    impl SecretRecord for Record {
        fn compare(&self, _: &str, value: &Value) -> Recorded {
            if value == self.0 { Recorded::Same } else { Recorded::Different }
        }
    }

    fn shown(live: &Value, stated: &Value, secrets: &[&str], recorded: &[&str]) -> [String; 2] {
        let own: Vec<String> = secrets.iter().map(|it| (*it).to_owned()).collect();
        let hidden: Vec<String> =
            secrets.iter().chain(recorded).map(|it| (*it).to_owned()).collect();
        let record = Record("old");
        let mut masks = Masks::of(&Known {
            hidden: &hidden,
            stated,
            stated_secrets: &own,
            live,
            recorded,
            record: &record,
        });
        [live, stated].map(|it| masks.mask(it).to_string().replace(SIGN, "#"))
    }

    #[test]
    fn a_secret_is_hidden_in_whatever_element_it_lies_and_the_others_are_not() {
        let of = |values: &[&str]| -> Value { values.iter().map(|it| json!({"D": it})).collect() };
        let (live, stated) = (json!({"L": of(&["a", "old"])}), json!({"L": of(&["new", "b"])}));
        assert_eq!(
            shown(&live, &stated, &["/L/0/D"], &["/L/0/D"]),
            [r##"{"L":[{"D":"a"},{"D":"#0"}]}"##, r##"{"L":[{"D":"#1"},{"D":"b"}]}"##]
        );
        // What was applied is not there any more: whatever is there may be secret.
        let live = json!({"L": of(&["a", "other", "b"])});
        assert_eq!(
            shown(&live, &stated, &["/L/0/D"], &["/L/0/D"])[0],
            r##"{"L":[{"D":"#0"},{"D":"#1"},{"D":"b"}]}"##
        );
        // A value that is stated as a secret and as none is one.
        let stated = json!({"L": of(&["old", "old"])});
        assert_eq!(
            shown(&live, &stated, &["/L/0/D"], &[])[1],
            r##"{"L":[{"D":"#3"},{"D":"#3"}]}"##
        );
    }

    #[test]
    fn a_secret_is_hidden_however_what_holds_it_is_written() {
        let stated = json!({"P": {"Statement": [{"Sid": "new", "Effect": "Allow"}]}});
        for (live, masked) in [
            (
                json!({"P": {"Statement": {"Sid": "x", "Effect": "Allow"}}}),
                r##"{"P":{"Statement":{"Effect":"Allow","Sid":"#0"}}}"##,
            ),
            (json!({"P": "{\"Statement\": 1}"}), r##"{"P":"#0"}"##),
            (
                json!({"P": {"Statement": [[{"Sid": "x"}]]}}),
                r##"{"P":{"Statement":[[{"Sid":"#0"}]]}}"##,
            ),
            (json!({"P": null}), r#"{"P":null}"#),
        ] {
            assert_eq!(shown(&live, &stated, &["/P/Statement/0/Sid"], &[])[0], masked);
        }
        assert_eq!(without_signs(&format!("/L/[Sid={SIGN}12]/Sid")), "/L/[Sid=«secret»]/Sid");
    }
}
