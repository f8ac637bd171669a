//! A body as the document that a schema is held against, with what is not known yet marked.

use std::sync::Arc;

use hangar_schema::Holes;
use hangar_template::value::{Data, Value};
use serde_json::Value as Json;

/// A body's properties as JSON.
pub(super) struct Document {
    pub(super) json: Json,
    /// What stands where nothing is known; none where all is known.
    mark: Option<String>,
}

impl Document {
    pub(super) fn of(properties: &Value) -> Self {
        if let Some(json) = properties.to_json() {
            return Self { json, mark: None };
        }
        let mark = mark_for(properties);
        Self { json: marked(properties, &mark), mark: Some(mark) }
    }

    pub(super) fn holes(&self) -> Holes<'_> {
        self.mark.as_deref().map_or(Holes::NONE, Holes::marked)
    }
}

const MARK: &str = "\0not known";

/// A text that is no value of the properties: longer than all of them that begin as it does.
fn mark_for(properties: &Value) -> String {
    fn longest(value: &Value) -> usize {
        match &value.data {
            Data::String(text) if text.starts_with(MARK) => text.len() + 1,
            Data::Array(items) => items.iter().map(longest).max().unwrap_or(0),
            Data::Object(members) => members.values().map(longest).max().unwrap_or(0),
            _ => 0,
        }
    }
    let mut mark = MARK.to_owned();
    mark.extend(std::iter::repeat_n('\0', longest(properties).saturating_sub(MARK.len())));
    mark
}

fn marked(value: &Value, mark: &str) -> Json {
    match &value.data {
        Data::Unknown(_) => Json::String(mark.to_owned()),
        Data::Array(items) => Json::Array(items.iter().map(|item| marked(item, mark)).collect()),
        Data::Object(members) => {
            let member = |(name, it): (&Arc<str>, &Value)| (name.to_string(), marked(it, mark));
            Json::Object(members.iter().map(member).collect())
        }
        _ => value.to_json().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use hangar_template::value::{Because, Members};

    use super::*;

    #[test]
    fn no_known_text_is_taken_for_one_that_is_not_known() {
        let unknown = Value::unknown(None, Because::Moment);
        let texts = [MARK.to_owned(), format!("{MARK}\0"), format!("{MARK}\0\0\0"), String::new()];
        let mut members = Members::from([("u".into(), unknown)]);
        for (index, text) in texts.iter().enumerate() {
            members.insert(index.to_string().into(), Value::string(text.as_str()));
        }
        let document = Document::of(&Value::object(members));
        let mark = document.mark.as_deref().unwrap();
        assert!(texts.iter().all(|text| text != mark));
        assert_eq!(document.json["u"], mark);
        assert_eq!(document.json["1"], texts[1].as_str());
    }
}
