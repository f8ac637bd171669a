//! A value of a template as the document of a put: JSON, with the places of what is secret and of what is not
//! known yet; and how that is told.

use std::cmp::Ordering;
use std::sync::Arc;

use hangar_template::value::{Data, Unknown, Value};
use serde_json::{Map, Value as Json};

/// What the properties of a body state.
#[derive(Debug, Clone)]
pub struct Stating {
    /// All that is known.
    pub properties: Json,
    /// Where secrets are, as RFC 6901 pointers: the outermost ones.
    pub secret_paths: Vec<String>,
    /// Where something is not known yet; it is missing in the properties.
    pub unknown: Vec<(String, Arc<Unknown>)>,
}

/// What properties state.
pub fn stating(properties: &Value) -> Stating {
    let mut stating =
        Stating { properties: Json::Null, secret_paths: Vec::new(), unknown: Vec::new() };
    let known = walk(properties, "", false, &mut stating);
    stating.properties = known.unwrap_or_else(|| Json::Object(Map::new()));
    stating
}

fn walk(value: &Value, pointer: &str, within_secret: bool, found: &mut Stating) -> Option<Json> {
    if value.secret && !within_secret {
        found.secret_paths.push(pointer.to_owned());
    }
    let secret = within_secret || value.secret;
    Some(match &value.data {
        Data::Null => Json::Null,
        Data::Bool(truth) => Json::Bool(*truth),
        Data::Int(number) => (*number).into(),
        Data::Decimal(number) => Json::Number(number.clone()),
        Data::String(text) => Json::String(text.to_string()),
        Data::Array(items) => {
            let items = items.iter().enumerate();
            // An item that is not known keeps its place, so that the others keep theirs.
            let items = items.map(|(index, item)| {
                walk(item, &format!("{pointer}/{index}"), secret, found).unwrap_or(Json::Null)
            });
            Json::Array(items.collect())
        }
        Data::Object(members) => {
            let mut known = Map::new();
            for (name, member) in members.iter() {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                if let Some(it) = walk(member, &format!("{pointer}/{escaped}"), secret, found) {
                    known.insert(name.to_string(), it);
                }
            }
            Json::Object(known)
        }
        Data::Unknown(unknown) => {
            found.unknown.push((pointer.to_owned(), unknown.clone()));
            return None;
        }
    })
}

impl Stating {
    /// All that is stated, as parts that are each known (`after`), secret or not known yet, in the order of their paths;
    /// what is so as a whole is one. `hidden` is where secrets are, as RFC 6901 pointers.
    pub fn parts(&self, hidden: &[String]) -> Vec<Map<String, Json>> {
        let mut all: Vec<Map<String, Json>> = self
            .unknown
            .iter()
            .map(|(path, it)| part(path, "unknown", it.because.to_string().into()))
            .collect();
        if let Json::Object(members) = &self.properties {
            for (name, value) in members {
                self.describe(&format!("/{}", escaped(name)), value, hidden, &mut all);
            }
        }
        all.sort_by(|one, other| in_order(&one["path"], &other["path"]));
        all
    }

    fn describe(
        &self,
        path: &str,
        value: &Json,
        hidden: &[String],
        all: &mut Vec<Map<String, Json>>,
    ) {
        if self.unknown.iter().any(|(unknown, _)| unknown == path) {
            return;
        }
        if hidden.iter().any(|secret| path == secret || is_below(path, secret)) {
            return all.push(part(path, "secret", true.into()));
        }
        let holds_secret = hidden.iter().any(|secret| is_below(secret, path));
        match value {
            Json::Object(members) if holds_secret || self.is_unknown_below(path) => {
                for (name, member) in members {
                    self.describe(&format!("{path}/{}", escaped(name)), member, hidden, all);
                }
            }
            Json::Array(items) if holds_secret || self.is_unknown_below(path) => {
                for (index, item) in items.iter().enumerate() {
                    self.describe(&format!("{path}/{index}"), item, hidden, all);
                }
            }
            _ if holds_secret => all.push(part(path, "secret", true.into())),
            _ => all.push(part(path, "after", value.clone())),
        }
    }

    /// Whether something below a place is not known yet.
    pub fn is_unknown_below(&self, path: &str) -> bool {
        self.unknown.iter().any(|(unknown, _)| is_below(unknown, path))
    }
}

fn part(path: &str, name: &str, value: Json) -> Map<String, Json> {
    Map::from_iter([("path".to_owned(), path.into()), (name.to_owned(), value)])
}

/// Whether a place is strictly below another.
fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Segment by segment, items by their numbers.
fn in_order(one: &Json, other: &Json) -> Ordering {
    let segments = |path: &Json| {
        let path = path.as_str().unwrap_or_default().to_owned();
        let segment = |it: &str| (it.parse::<usize>().ok(), it.to_owned());
        path.split('/').map(segment).collect::<Vec<_>>()
    };
    segments(one).cmp(&segments(other))
}

#[cfg(test)]
mod tests {
    use hangar_template::value::{Because, Members};
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_and_unknowns_are_told_by_their_places() {
        let inner = Members::from([
            ("a/b".into(), Value::string("x").tainted(true)),
            ("later".into(), Value::unknown(None, Because::Moment)),
        ]);
        let list = Value::array(vec![Value::int(1), Value::unknown(None, Because::Moment)]);
        let whole = Members::from([("In".into(), Value::object(inner)), ("List".into(), list)]);
        let stated = stating(&Value::object(whole));
        assert_eq!(stated.properties, json!({"In": {"a/b": "x"}, "List": [1, null]}));
        assert_eq!(stated.secret_paths, ["/In/a~1b"]);
        let unknown: Vec<&str> = stated.unknown.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(unknown, ["/In/later", "/List/1"]);
    }

    #[test]
    fn what_is_not_known_or_secret_is_told_where_it_is() {
        let later = || Value::unknown(None, Because::Moment);
        let tags = Value::array(vec![Value::object(Members::from([("Value".into(), later())]))]);
        let code = Members::from([("Zip".into(), Value::string("canary-1"))]);
        let stated = stating(&Value::object(Members::from([
            ("Cidr".into(), Value::string("10")),
            ("Code".into(), Value::object(code)),
            ("Password".into(), Value::string("canary-2").tainted(true)),
            ("Tags".into(), tags),
        ])));
        let hidden = [&stated.secret_paths[..], &["/Code/Zip".to_owned()]].concat();
        let told: Vec<Json> = stated.parts(&hidden).into_iter().map(Json::Object).collect();
        assert_eq!(
            Json::from(told),
            json!([
                {"path": "/Cidr", "after": "10"},
                {"path": "/Code/Zip", "secret": true},
                {"path": "/Password", "secret": true},
                {"path": "/Tags/0/Value", "unknown": "evaluated when it is deployed, then kept"},
            ])
        );
    }

    #[test]
    fn a_secret_in_a_secret_is_told_once() {
        let inner = Members::from([("b".into(), Value::int(1).tainted(true))]);
        let whole = Members::from([("a".into(), Value::object(inner).tainted(true))]);
        assert_eq!(stating(&Value::object(whole)).secret_paths, ["/a"]);
    }
}
