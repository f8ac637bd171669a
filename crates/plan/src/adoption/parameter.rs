//! Parameters for required values that AWS never returns. Without a value they state nothing, so that what exists
//! stays as it is; whoever makes it anew gives one.

use std::collections::BTreeSet;

use hangar_schema::{Kind, Unseen};
use hangar_template::write::{self, Replacements, symbol_for};
use serde_json::Value;

use super::Existing;

/// One of them.
pub(super) struct Parameter {
    name: String,
    /// The type as the language writes it.
    type_text: &'static str,
    pointer: String,
    property: String,
    of: String,
}

impl Parameter {
    pub(super) fn of(
        unseen: &Unseen,
        existing: &Existing,
        symbol: &str,
        taken: &mut BTreeSet<String>,
    ) -> Self {
        let pointer = unseen.pointer.clone();
        let property = pointer.trim_start_matches('/').replace('/', ".");
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let name = symbol_for(&format!("{symbol}-{last}"), taken);
        let has = |kind| unseen.kinds.has(kind);
        let type_text = match () {
            () if has(Kind::String) => "string",
            () if has(Kind::Object) => "object",
            () if has(Kind::Array) => "array",
            () if has(Kind::Integer) => "int",
            () if has(Kind::Boolean) => "bool",
            () => "object",
        };
        let of = format!("{} `{}`", existing.type_name.ucp(), existing.alias);
        Self { name, type_text, pointer, property, of }
    }

    /// Puts it where its value belongs.
    pub(super) fn stand_in(&self, properties: &mut Value, replacements: &mut Replacements) {
        let Some((holder, last)) = self.pointer.rsplit_once('/') else { return };
        let last = last.replace("~1", "/").replace("~0", "~");
        if let Some(members) = properties.pointer_mut(holder).and_then(Value::as_object_mut) {
            members.insert(last, Value::Null);
            replacements.insert(self.pointer.clone(), self.name.clone());
        }
    }

    pub(super) fn statement(&self) -> String {
        let Self { name, type_text, property, of, .. } = self;
        let told = write::comment(&format!(
            "{property} of {of}: required, and AWS never returns it. Without a value it stays as it is; a value \
             that is given is sent."
        ));
        // Only texts and objects can be marked secret.
        let secure = if matches!(*type_text, "string" | "object") { "@secure()\n" } else { "" };
        format!("{told}{secure}param {name} {type_text}?\n")
    }
}
