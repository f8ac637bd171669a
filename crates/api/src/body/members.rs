//! An object taken apart member by member; what nobody took is a mistake, and says what was meant.

use hangar_diag::nearest;
use serde_json::{Map, Value};

use crate::error::{ApiError, Code};

/// The members of an object that are left, and where the object stands.
pub(super) struct Members {
    at: String,
    left: Map<String, Value>,
    taken: Vec<&'static str>,
}

impl Members {
    /// The members of a whole body.
    pub(super) fn of(body: Value) -> Result<Self, ApiError> {
        Self::at(String::new(), body)
    }

    /// The members of an object that stands somewhere in a body.
    pub(super) fn at(at: String, value: Value) -> Result<Self, ApiError> {
        match value {
            Value::Object(left) => Ok(Self { at, left, taken: Vec::new() }),
            _ => Err(wrong(&at, "is not an object")),
        }
    }

    /// Whether a member is there; a null counts as not there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.left.get(name).is_some_and(|value| !value.is_null())
    }

    /// A member as it is; a null counts as not there.
    pub(super) fn take(&mut self, name: &'static str) -> Option<Value> {
        self.taken.push(name);
        self.left.remove(name).filter(|value| !value.is_null())
    }

    /// A member as it is, even a null.
    pub(super) fn take_stated(&mut self, name: &'static str) -> Option<Value> {
        self.taken.push(name);
        self.left.remove(name)
    }

    pub(super) fn take_object(
        &mut self,
        name: &'static str,
    ) -> Result<Option<Map<String, Value>>, ApiError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(members)),
            Some(_) => Err(wrong(&self.place(name), "is not an object")),
        }
    }

    /// A member that is itself to be taken apart.
    pub(super) fn take_members(&mut self, name: &'static str) -> Result<Option<Self>, ApiError> {
        let place = self.place(name);
        self.take(name).map(|value| Self::at(place, value)).transpose()
    }

    pub(super) fn take_text(&mut self, name: &'static str) -> Result<Option<String>, ApiError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(wrong(&self.place(name), "is not a string")),
        }
    }

    pub(super) fn take_flag(&mut self, name: &'static str) -> Result<Option<bool>, ApiError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(wrong(&self.place(name), "is neither `true` nor `false`")),
        }
    }

    /// A list of strings; an empty one where there is none.
    pub(super) fn take_texts(&mut self, name: &'static str) -> Result<Vec<String>, ApiError> {
        let place = self.place(name);
        let refused = || wrong(&place, "is not an array of strings");
        let values = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) => values,
            Some(_) => return Err(refused()),
        };
        let texts = values.into_iter().map(|value| match value {
            Value::String(text) => Ok(text),
            _ => Err(refused()),
        });
        texts.collect()
    }

    /// Drops what we ourselves put into answers: callers send it back.
    pub(super) fn ignore(&mut self, names: &[&'static str]) {
        self.left.retain(|name, _| !names.contains(&name.as_str()));
    }

    /// All that nobody took, for bodies that may hold anything.
    pub(super) fn rest(self) -> Map<String, Value> {
        self.left
    }

    /// Refuses what nobody took.
    pub(super) fn end(self) -> Result<(), ApiError> {
        let Some(name) = self.left.keys().next() else { return Ok(()) };
        let hint = nearest(name, self.taken.iter().copied()).map_or_else(
            || format!("known members: `{}`", self.taken.join("`, `")),
            |near| format!("did you mean `{near}`?"),
        );
        Err(wrong(&self.place(name), &format!("is not known here; {hint}")))
    }

    /// A refusal of what a member says, or of its absence.
    pub(super) fn refuse(&self, name: &str, why: &str) -> ApiError {
        wrong(&self.place(name), why)
    }

    /// Where a member stands, as an RFC 6901 pointer.
    pub(super) fn place(&self, name: &str) -> String {
        below(&self.at, name)
    }
}

/// Where a member of what stands at `at` stands.
pub(super) fn below(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A refusal of what stands at a place; a place that is long beyond reason is cut.
pub(super) fn wrong(place: &str, why: &str) -> ApiError {
    let place = match place.char_indices().nth(LONGEST_PLACE) {
        None => place,
        Some((end, _)) => &format!("{}…", &place[..end]),
    };
    let what = if place.is_empty() { String::from("the body") } else { format!("`{place}`") };
    let error = ApiError::new(Code::InvalidRequestContent, format!("{what} {why}"));
    if place.is_empty() { error } else { error.with_target(place) }
}

/// A name can be as long as a body, and would be told twice.
const LONGEST_PLACE: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_left_over_is_refused_with_the_near_name() {
        let mut members = Members::of(json!({"propertys": {}})).unwrap();
        assert_eq!(members.take("properties"), None);
        let error = members.end().unwrap_err();
        assert_eq!(error.message(), "`/propertys` is not known here; did you mean `properties`?");
    }

    #[test]
    fn a_wrong_kind_is_refused_where_it_stands() {
        let mut members = Members::of(json!({"a": {"b": 1, "c": ["x", 1]}})).unwrap();
        let mut inner = members.take_members("a").unwrap().unwrap();
        assert_eq!(inner.take_text("b").unwrap_err().message(), "`/a/b` is not a string");
        let texts = inner.take_texts("c").unwrap_err();
        assert_eq!(texts.message(), "`/a/c` is not an array of strings");
        assert!(Members::of(json!([])).is_err());
    }

    #[test]
    fn a_long_name_is_not_told_whole() {
        let error = Members::of(json!({"é".repeat(10_000): 1})).unwrap().end().unwrap_err();
        assert!(error.message().len() < 1000);
    }

    #[test]
    fn null_is_not_there() {
        let mut members = Members::of(json!({"a": null})).unwrap();
        assert_eq!(members.take_flag("a").unwrap(), None);
        assert!(members.end().is_ok());
    }
}
