//! AWS's forms of values, as the API lists them and as `hangar diff` reads them from a file.

use hangar_plan::Timestamp;
use hangar_plan::normal_form::FormHashes;
use hangar_plan::record::{FormValue, NormalForm};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::instant::Instant;

/// A value that AWS returns in another form than it was sent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LearnedForm {
    pub(crate) path: String,
    /// Missing if the property was not there, or is secret.
    #[serde(default, deserialize_with = "some")]
    pub(crate) sent: Option<Value>,
    #[serde(default, deserialize_with = "some")]
    pub(crate) seen: Option<Value>,
    #[serde(default)]
    pub(crate) secret: bool,
    #[serde(default)]
    pub(crate) learned_at: Option<Instant>,
}

/// A value that is there, also if it is null.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl LearnedForm {
    /// The form as a comparison uses it. The values of a secret are known to the control plane only.
    pub(crate) fn to_normal_form(&self) -> Option<NormalForm> {
        let value = |side: &Option<Value>| side.clone().map_or(FormValue::Absent, FormValue::Plain);
        (!self.secret).then(|| NormalForm {
            path: self.path.clone(),
            sent: value(&self.sent),
            seen: value(&self.seen),
            learned_at: Timestamp::default(),
        })
    }

    /// `/Name: "Main" → "main"`.
    pub(crate) fn line(&self) -> String {
        if self.secret {
            return format!("{}: «secret»", self.path);
        }
        let side = |value: &Option<Value>| value.as_ref().map_or("(not there)".to_owned(), brief);
        format!("{}: {} → {}", self.path, side(&self.sent), side(&self.seen))
    }
}

/// A value on one line, cut if it is long.
pub(crate) fn brief(value: &Value) -> String {
    const MAX_LENGTH: usize = 100;
    let text = value.to_string();
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Knows no hash: for comparisons without the keys of a control plane.
pub(crate) struct NoHashes;

impl FormHashes for NoHashes {
    fn hash(&self, _: &str, _: &Value) -> String {
        String::new()
    }

    fn is_hash_of(&self, _: &str, _: &str, _: &Value) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_is_read_as_the_api_writes_it() {
        let form: LearnedForm = serde_json::from_value(
            json!({"path": "/A", "sent": null, "seen": ["x"], "learnedAt": "2026-11-19T10:00:00Z"}),
        )
        .unwrap();
        assert_eq!(form.line(), r#"/A: null → ["x"]"#);
        assert_eq!(form.to_normal_form().unwrap().sent, FormValue::Plain(Value::Null));
        let form: LearnedForm = serde_json::from_value(json!({"path": "/A", "sent": 1})).unwrap();
        assert_eq!(form.to_normal_form().unwrap().seen, FormValue::Absent);
        assert_eq!(form.line(), "/A: 1 → (not there)");
        let form: LearnedForm =
            serde_json::from_value(json!({"path": "/A", "secret": true})).unwrap();
        assert_eq!((form.line().as_str(), form.to_normal_form()), ("/A: «secret»", None));
    }
}
