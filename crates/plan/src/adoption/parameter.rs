//! Parameters for values that no read shows.
//!
//! A required value that AWS never returns: without a value the parameter states nothing, so that the resource stays as
//! it is, and a new resource needs one. A secret that was applied and is hidden: the parameter needs the value, because a
//! property that is no longer stated would be removed.

use std::collections::BTreeSet;

use hangar_schema::{Kind, Kinds, PropertyPointer, Step, Unseen};
use hangar_template::write::{self, Replacements, symbol_for};
use serde_json::{Map, Value};

use super::Existing;

/// One of them.
pub(super) struct Parameter {
    name: String,
    kind: ParameterKind,
    cause: Cause,
    pointer: String,
    property: String,
    of: String,
}

/// Why a value is not in the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// AWS never returns it.
    Unseen,
    /// It is a secret that was applied.
    Hidden,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterKind {
    String,
    Object,
    Array,
    Int,
    Bool,
}

impl ParameterKind {
    fn of(kinds: Kinds, otherwise: Self) -> Self {
        let has = |kind| kinds.has(kind);
        match () {
            () if has(Kind::String) => Self::String,
            () if has(Kind::Object) => Self::Object,
            () if has(Kind::Array) => Self::Array,
            () if has(Kind::Integer) => Self::Int,
            () if has(Kind::Boolean) => Self::Bool,
            () => otherwise,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Object => "object",
            Self::Array => "array",
            Self::Int => "int",
            Self::Bool => "bool",
        }
    }

    /// Only texts and objects can be marked secret.
    const fn may_be_secure(self) -> bool {
        matches!(self, Self::String | Self::Object)
    }
}

impl Parameter {
    /// For a required value that AWS never returns.
    pub(super) fn of(
        unseen: &Unseen,
        existing: &Existing,
        symbol: &str,
        taken: &mut BTreeSet<String>,
    ) -> Self {
        let kind = ParameterKind::of(unseen.kinds, ParameterKind::Object);
        Self::new(&unseen.pointer, kind, Cause::Unseen, existing, symbol, taken)
    }

    /// For a secret that was applied and is not shown.
    pub(super) fn hidden(
        pointer: &str,
        existing: &Existing,
        symbol: &str,
        taken: &mut BTreeSet<String>,
    ) -> Self {
        let is_index = |name: &str| !name.is_empty() && name.bytes().all(|it| it.is_ascii_digit());
        let steps = names_of(pointer).into_iter().map(|name| {
            if is_index(&name) { Step::Each } else { Step::Member(name.as_str().into()) }
        });
        let kinds = existing.schema.kinds_at(&steps.collect::<PropertyPointer>());
        let kind = ParameterKind::of(kinds, ParameterKind::String);
        Self::new(pointer, kind, Cause::Hidden, existing, symbol, taken)
    }

    fn new(
        pointer: &str,
        kind: ParameterKind,
        cause: Cause,
        existing: &Existing,
        symbol: &str,
        taken: &mut BTreeSet<String>,
    ) -> Self {
        let last = pointer.rsplit('/').next().unwrap_or_default();
        Self {
            name: symbol_for(&format!("{symbol}-{last}"), taken),
            kind,
            cause,
            pointer: pointer.to_owned(),
            property: pointer.trim_start_matches('/').replace('/', "."),
            of: format!("{} `{}`", existing.type_name.ucp(), existing.alias),
        }
    }

    /// Its name, if a deployment needs a value for it.
    pub(super) fn needed(&self) -> Option<String> {
        (self.cause == Cause::Hidden).then(|| self.name.clone())
    }

    /// Whether its value is a member of a secure object, because its own type cannot be secure.
    fn is_wrapped(&self) -> bool {
        self.cause == Cause::Hidden && !self.kind.may_be_secure()
    }

    /// Puts it where its value belongs.
    pub(super) fn stand_in(&self, properties: &mut Value, replacements: &mut Replacements) {
        let names = names_of(&self.pointer);
        let Some((last, holders)) = names.split_last() else { return };
        let mut at = properties;
        for name in holders {
            at = match at {
                Value::Array(items) => {
                    let Some(item) = name.parse().ok().and_then(|it: usize| items.get_mut(it))
                    else {
                        return;
                    };
                    item
                }
                Value::Object(members) => {
                    if self.cause == Cause::Unseen && !members.contains_key(name) {
                        return;
                    }
                    members.entry(name).or_insert_with(|| Value::Object(Map::new()))
                }
                _ => return,
            };
        }
        let Value::Object(members) = at else { return };
        members.insert(last.clone(), Value::Null);
        let expression =
            if self.is_wrapped() { format!("{}.value", self.name) } else { self.name.clone() };
        replacements.insert(self.pointer.clone(), expression);
    }

    pub(super) fn statement(&self) -> String {
        let Self { name, kind, property, of, .. } = self;
        match self.cause {
            Cause::Unseen => {
                let comment = write::comment(&format!(
                    "{property} of {of}: required, but AWS never returns it. Without a value, the \
                     deployed value stays; a value that you pass is sent to AWS."
                ));
                let secure = if kind.may_be_secure() { "@secure()\n" } else { "" };
                format!("{comment}{secure}param {name} {}?\n", kind.as_str())
            }
            Cause::Hidden => {
                let form = if self.is_wrapped() {
                    format!(" Pass an object whose member `value` is the {}.", kind.as_str())
                } else {
                    String::new()
                };
                let comment = write::comment(&format!(
                    "{property} of {of}: secret, so its value is not shown. Pass the deployed \
                     value to keep it; any other value is sent to AWS.{form}"
                ));
                let kind = if self.is_wrapped() { ParameterKind::Object } else { *kind };
                format!("{comment}@secure()\nparam {name} {}\n", kind.as_str())
            }
        }
    }
}

/// The names in a pointer, unescaped.
fn names_of(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect()
}
