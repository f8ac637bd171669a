//! What is not known yet, taken to be as it is: only what is known can be told to differ.

use hangar_plan::deployment::Stating;
use serde_json::Value;

/// What is stated, with what is not known yet as live has it.
pub(super) fn assumed(stated: &Stating, live: &Value) -> Value {
    let mut assumed = stated.properties.clone();
    for (path, _) in &stated.unknown {
        let Some(value) = counterpart(&stated.properties, live, path) else { continue };
        put_at(&mut assumed, path, value.clone());
    }
    assumed
}

/// What live has where a path of the stated document leads; an element is the one that shows what is stated of it.
fn counterpart<'a>(stated: &Value, live: &'a Value, path: &str) -> Option<&'a Value> {
    let (mut stated, mut live) = (Some(stated), live);
    for segment in path.split('/').skip(1) {
        match live {
            Value::Object(members) => {
                let name = segment.replace("~1", "/").replace("~0", "~");
                live = members.get(&name)?;
                stated = stated.and_then(|it| it.get(&name));
            }
            Value::Array(items) => {
                let index: usize = segment.parse().ok()?;
                stated = stated.and_then(|it| it.get(index));
                let known = stated.and_then(Value::as_object).filter(|it| !it.is_empty());
                let shows = |item: &&Value| {
                    known.is_some_and(|known| {
                        known.iter().all(|(name, value)| item.get(name) == Some(value))
                    })
                };
                live = items.iter().find(shows).or_else(|| items.get(index))?;
            }
            _ => return None,
        }
    }
    Some(live)
}

fn put_at(document: &mut Value, path: &str, value: Value) {
    let Some((parent, name)) = path.rsplit_once('/') else { return };
    let name = name.replace("~1", "/").replace("~0", "~");
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => drop(members.insert(name, value)),
        Some(Value::Array(items)) => {
            if let Some(item) = name.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                *item = value;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hangar_template::value::{Because, Unknown};
    use serde_json::json;

    use super::*;

    #[test]
    fn an_element_of_which_something_is_not_known_is_the_one_that_shows_the_rest() {
        let unknown = Arc::new(Unknown { kind: None, because: Because::Moment });
        let stated = Stating {
            properties: json!({"Tags": [{"Key": "a"}, {"Key": "b", "Value": "2"}], "Ids": [null]}),
            secret_paths: Vec::new(),
            unknown: vec![
                ("/Tags/0/Value".to_owned(), unknown.clone()),
                ("/Ids/0".to_owned(), unknown.clone()),
                ("/Gone".to_owned(), unknown),
            ],
        };
        let live =
            json!({"Tags": [{"Key": "b", "Value": "2"}, {"Key": "a", "Value": "1"}], "Ids": ["x"]});
        assert_eq!(
            assumed(&stated, &live),
            json!({"Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}], "Ids": ["x"]})
        );
    }
}
