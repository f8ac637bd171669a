//! What to write in place of a value that does not fit: one clause, computed from the type and the value.

use super::{Table, Type};
use crate::near::near;
use crate::value::{Data, Kind, Value};

/// How many literals or members are listed.
const MOST_LISTED: usize = 12;

/// How many characters of a text are repeated.
const MOST_SHOWN: usize = 40;

/// What to do about a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Advice {
    /// A whole clause.
    Clause(String),
    /// The text to write before and after the expression.
    Around(&'static str, &'static str),
}

impl Advice {
    fn clause(text: impl Into<String>) -> Self {
        Self::Clause(text.into())
    }

    /// As a hint; `written` is the text of the expression.
    pub(crate) fn hint(&self, written: &str) -> String {
        match self {
            Self::Clause(text) => text.clone(),
            Self::Around(before, after) => {
                let is_short = written.chars().count() <= MOST_SHOWN && !written.contains('\n');
                let is_known = is_short && !written.is_empty();
                let written = if is_known { written } else { "…" };
                format!("write `{before}{written}{after}`")
            }
        }
    }
}

/// How to get a value of a kind from one of another kind.
pub(crate) fn advice_for_kind(wanted: Kind, value: &Value) -> Option<Advice> {
    if matches!(value.data, Data::Decimal(_)) {
        return Some(Advice::clause("write a whole number"));
    }
    let found = value.kind()?;
    // A secret is never repeated.
    let constant =
        (!value.secret && !matches!(value.data, Data::Unknown(_))).then_some(&value.data);
    Some(match (wanted, found, constant) {
        (Kind::String, Kind::Int | Kind::Bool, Some(Data::Int(number))) => {
            Advice::clause(format!("write it as a string: `'{number}'`"))
        }
        (Kind::String, _, Some(Data::Bool(truth))) => {
            Advice::clause(format!("write it as a string: `'{truth}'`"))
        }
        (Kind::String, Kind::Array, _) => Advice::Around("join(", ", ',')"),
        (Kind::String, Kind::Object, Some(Data::Object(members))) if !members.is_empty() => {
            let names: Vec<_> =
                members.keys().take(MOST_LISTED).map(|it| format!("`.{it}`")).collect();
            Advice::clause(format!("read one of its properties: {}", names.join(", ")))
        }
        (Kind::String, Kind::Int | Kind::Bool | Kind::Object, _) => Advice::Around("string(", ")"),
        (Kind::Int, Kind::String, Some(Data::String(text))) if text.parse::<i64>().is_ok() => {
            Advice::clause(format!("write `{text}` without quotes"))
        }
        (Kind::Int, Kind::String, None) => Advice::Around("int(", ")"),
        (Kind::Int, Kind::Array, _) => Advice::Around("length(", ")"),
        (Kind::Int, _, _) => Advice::clause("write a number, such as `1`"),
        (Kind::Bool, Kind::String, Some(Data::String(text)))
            if matches!(&**text, "true" | "false") =>
        {
            Advice::clause(format!("write `{text}` without quotes"))
        }
        (Kind::Bool, Kind::String | Kind::Int, Some(_)) => {
            Advice::clause("write `true` or `false`")
        }
        (Kind::Bool, Kind::String, _) => Advice::Around("", " == 'true'"),
        (Kind::Bool, Kind::Int, _) => Advice::Around("", " != 0"),
        (Kind::Bool, Kind::Array | Kind::Object, _) => Advice::Around("!empty(", ")"),
        (Kind::Bool, Kind::Null, _) => Advice::clause("write `true` or `false`"),
        (Kind::Array, Kind::Object, _) => Advice::Around("items(", ")"),
        (Kind::Array, _, _) => Advice::Around("[", "]"),
        (Kind::Object, _, _) => Advice::clause("write an object in braces: `{ name: value }`"),
        (Kind::String, Kind::Null, _) => Advice::clause("write a string, such as `'logs'`"),
        _ => return None,
    })
}

impl Table<'_> {
    /// How to get a value of a type from one that is not.
    pub(crate) fn advice(self, wanted: &Type, value: &Value) -> Option<Advice> {
        let resolved = self.resolve(wanted)?;
        if matches!(value.data, Data::Null) {
            let nullable = Type::Nullable(Box::new(wanted.clone()));
            let hint = format!("write a value, or allow null in the type: `{nullable}`");
            return Some(Advice::clause(hint));
        }
        match resolved {
            Type::Literal(_) | Type::Union(_) => {
                let mut literals = Vec::new();
                collect_literals(resolved, &mut literals);
                advice_for_literals(&literals, value).or_else(|| {
                    let kind = self.kind(resolved)?;
                    advice_for_kind(kind, value)
                })
            }
            Type::Tuple(items) => match &value.data {
                Data::Array(found) if found.len() < items.len() => {
                    let missing = count(items.len() - found.len(), "item");
                    Some(Advice::clause(format!("add {missing}")))
                }
                Data::Array(found) => {
                    let spare = count(found.len() - items.len(), "item");
                    Some(Advice::clause(format!("remove {spare}")))
                }
                _ => advice_for_kind(Kind::Array, value),
            },
            other => advice_for_kind(self.kind(other)?, value),
        }
    }

    /// A value of a type, as it may be written.
    pub(crate) fn example(self, wanted: &Type) -> String {
        match self.resolve(wanted) {
            Some(Type::Literal(value)) => Type::Literal(value.clone()).to_string(),
            Some(Type::Union(members)) => {
                members.first().map_or_else(|| "…".to_owned(), |it| self.example_of_member(it))
            }
            Some(other) => example_of_kind(self.kind(other)).to_owned(),
            None => "…".to_owned(),
        }
    }

    fn example_of_member(self, member: &Type) -> String {
        match self.resolve(member) {
            Some(Type::Literal(value)) => Type::Literal(value.clone()).to_string(),
            _ => "…".to_owned(),
        }
    }
}

/// The literals that a type is made of, as far as they are listed.
fn collect_literals<'v>(wanted: &'v Type, found: &mut Vec<&'v Value>) {
    match wanted {
        Type::Literal(value) => found.push(value),
        Type::Union(members) => {
            for member in members.iter().take(MOST_LISTED + 1) {
                if let Type::Literal(value) = member {
                    found.push(value);
                }
            }
        }
        _ => {}
    }
}

const fn example_of_kind(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(Kind::String) => "'…'",
        Some(Kind::Int) => "1",
        Some(Kind::Bool) => "true",
        Some(Kind::Array) => "[ … ]",
        Some(Kind::Object) => "{ … }",
        _ => "…",
    }
}

/// Which of a few literals to write.
fn advice_for_literals(literals: &[&Value], value: &Value) -> Option<Advice> {
    if literals.is_empty() {
        return None;
    }
    if let Data::String(text) = &value.data
        && !value.secret
    {
        let texts = literals.iter().filter_map(|it| match &it.data {
            Data::String(text) => Some(&**text),
            _ => None,
        });
        if let Some(near) = near(text, texts) {
            return Some(Advice::clause(format!("did you mean `'{near}'`?")));
        }
    }
    let more = if literals.len() > MOST_LISTED { ", …" } else { "" };
    let shown: Vec<String> = literals
        .iter()
        .take(MOST_LISTED)
        .map(|it| format!("`{}`", Type::Literal((*it).clone())))
        .collect();
    let one_of = if shown.len() > 1 { "one of " } else { "" };
    Some(Advice::clause(format!("write {one_of}{}{more}", shown.join(", "))))
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
