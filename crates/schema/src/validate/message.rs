//! Problems put into words: what is wrong, with which value, and what to do next.

use hangar_diag::{Code, Diagnostic, Severity, nearest};
use serde_json::Value;

use super::place::Place;
use crate::codes;
use crate::finding::{Basis, Choice, Counted, Finding, Limit, Problem, Shown, Suggestion};
use crate::kind::{Kind, Kinds};
use crate::number;

/// The diagnostic of a finding.
pub(super) fn diagnostic(finding: &Finding<'_>) -> Diagnostic {
    let Finding { place, severity, problem, basis } = finding;
    let Words { mut code, message, mut hints } = words(place, problem);
    if *basis == Basis::CfnLint {
        code = codes::ADVISED;
        hints.push(format!(
            "according to {}; the AWS schema does not have this rule",
            Basis::CFN_LINT_EDITION
        ));
    }
    let diagnostic = match severity {
        Severity::Error => Diagnostic::error(code, message),
        Severity::Warning => Diagnostic::warning(code, message),
    };
    hints.into_iter().fold(diagnostic.pointer(place.pointer()), Diagnostic::hint)
}

struct Words {
    code: Code,
    message: String,
    hints: Vec<String>,
}

impl Words {
    fn new(code: Code, message: String, hint: impl Into<String>) -> Self {
        Self { code, message, hints: vec![hint.into()] }
    }
}

fn words(place: &Place, problem: &Problem<'_>) -> Words {
    let name = place.name();
    match problem {
        Problem::Unknown { name: key, suggestion } => {
            let message = format!("the property {name} does not exist in the schema");
            Words::new(codes::UNKNOWN_PROPERTY, message, suggested(key, suggestion))
        }
        Problem::ReadOnly => Words::new(
            codes::READ_ONLY_PROPERTY,
            format!("{name} is read-only: AWS sets it"),
            "remove it from the document",
        ),
        Problem::Deprecated => Words::new(
            codes::DEPRECATED_PROPERTY,
            format!("{name} is deprecated"),
            "AWS still accepts it; see the type's documentation for its replacement",
        ),
        Problem::Missing { name: key } => Words::new(
            codes::MISSING_PROPERTY,
            format!("{name} lacks the required property `{key}`"),
            format!("add `{key}`"),
        ),
        Problem::MissingBeside { name: key, because } => Words::new(
            codes::MISSING_DEPENDENCY,
            format!("{name} sets `{because}` without `{key}`"),
            format!("add `{key}`, or remove `{because}`"),
        ),
        Problem::WrongType { expected, found } => wrong_type(&name, *expected, found),
        Problem::NotAllowed { found, allowed } => not_allowed(&name, *found, allowed),
        Problem::Pattern { found, pattern } => Words::new(
            codes::PATTERN,
            format!("{name} is {}, which does not match the pattern `{pattern}`", shown(*found)),
            "write a value that matches the pattern",
        ),
        Problem::Count { what, count, limit } => counted(&name, *what, *count, *limit),
        Problem::Duplicate { first } => Words::new(
            codes::DUPLICATE_ITEM,
            format!("{name} equals item {first} of an array whose items must differ"),
            "remove one of them",
        ),
        Problem::Range { found, limit } => {
            let limit = limited(*limit);
            let message = format!("{name} is {}, but the schema allows {limit}", shown(*found));
            Words::new(codes::RANGE, message, format!("write a number that is {limit}"))
        }
        Problem::Multiple { found, step } => Words::new(
            codes::MULTIPLE,
            format!("{name} is {}, which is not a multiple of {step}", shown(*found)),
            format!("write a multiple of {step}"),
        ),
        Problem::Format { found, format } => Words::new(
            codes::FORMAT,
            format!("{name} is {}, which does not look like a `{format}`", shown(*found)),
            format!("check that the value is a `{format}`"),
        ),
        Problem::NoAlternative { groups, stated, choice } => {
            no_alternative(&name, groups, stated, *choice)
        }
        Problem::SeveralAlternatives { groups, count } => several(&name, groups, *count),
        Problem::OtherAlternative => Words::new(
            codes::OTHER_ALTERNATIVE,
            format!("{name} cannot be set together with its sibling properties"),
            "the schema has alternatives here; set the properties of only one of them",
        ),
        Problem::InPart => Words::new(
            codes::CHECKED_IN_PART,
            format!("{name} is too deep or too large to check completely"),
            "AWS checks the rest",
        ),
    }
}

fn suggested(name: &str, suggestion: &Suggestion<'_>) -> String {
    match suggestion {
        Suggestion::Near(near) => format!("did you mean `{near}`?"),
        Suggestion::NearTaken(near) => {
            format!(
                "did you mean `{near}`? The document already has that property; keep one of them"
            )
        }
        Suggestion::Elsewhere(pointer) => {
            format!("`{name}` is a property at `{pointer}`; move it there")
        }
        Suggestion::Matching(patterns) => {
            format!("a property name must match {} here", listed(patterns.iter().copied(), "or"))
        }
        Suggestion::Valid(names) if names.is_empty() => "remove it".to_owned(),
        Suggestion::Valid(names) => {
            format!("remove it, or use {}", one_of(names.iter().copied()))
        }
    }
}

fn wrong_type(name: &str, expected: Kinds, found: &Value) -> Words {
    let kind = kind_in_words(found, expected);
    let (article, wanted) = (article(expected), expected.describe());
    let message = format!("{name}: expected {article} {wanted}, found {kind}");
    let hint = match found {
        Value::String(_) if expected.has_numeric() || expected.has(Kind::Boolean) => {
            format!("write it as {article} {wanted}, without quotes")
        }
        // The value itself may be a secret, so it is not repeated.
        Value::Number(_) | Value::Bool(_) if expected.has(Kind::String) => {
            "write it in double quotes".to_owned()
        }
        _ => format!("write {article} {wanted}"),
    };
    Words::new(codes::WRONG_TYPE, message, hint)
}

fn kind_in_words(found: &Value, expected: Kinds) -> &'static str {
    match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if expected.has(Kind::Integer) && !number::is_integer(number) => {
            "a decimal number"
        }
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn article(kinds: Kinds) -> &'static str {
    match kinds.iter().next() {
        Some(Kind::Integer | Kind::Array | Kind::Object) => "an",
        _ => "a",
    }
}

fn not_allowed(name: &str, found: Shown<'_>, allowed: &[Value]) -> Words {
    let message = format!("{name} is {}, which is not an allowed value", shown(found));
    let texts: Vec<String> = allowed.iter().map(plain).collect();
    let mut hints = Vec::new();
    if let Shown::Value(Value::String(text)) = found
        && let Some(near) = nearest(text, texts.iter().map(String::as_str))
    {
        hints.push(if near.eq_ignore_ascii_case(text) {
            format!("write `{near}`: the value is case-sensitive")
        } else {
            format!("did you mean `{near}`?")
        });
    }
    hints.push(format!("use {}", one_of(texts.iter().map(String::as_str))));
    Words { code: codes::NOT_ALLOWED, message, hints }
}

fn counted(name: &str, what: Counted, count: u64, limit: Limit<u64>) -> Words {
    let (code, unit) = match what {
        Counted::Characters => (codes::LENGTH, "character"),
        Counted::Items => (codes::ITEM_COUNT, "item"),
        Counted::Members => (codes::MEMBER_COUNT, "property"),
    };
    let limit = limited(limit);
    let units = match (count, what) {
        (1, _) => unit,
        (_, Counted::Members) => "properties",
        (_, Counted::Items) => "items",
        (_, Counted::Characters) => "characters",
    };
    let message = format!("{name} has {count} {units}, but the schema allows {limit}");
    Words::new(code, message, format!("change it to have {limit}"))
}

fn limited<T: std::fmt::Display>(limit: Limit<T>) -> String {
    match limit {
        Limit::AtLeast(bound) => format!("at least {bound}"),
        Limit::AtMost(bound) => format!("at most {bound}"),
        Limit::MoreThan(bound) => format!("more than {bound}"),
        Limit::LessThan(bound) => format!("less than {bound}"),
    }
}

fn no_alternative(name: &str, groups: &[&[Box<str>]], stated: &[&str], choice: Choice) -> Words {
    let wanted = match choice {
        Choice::ExactlyOne => "exactly one of",
        Choice::AtLeastOne => "at least one of",
    };
    let groups = grouped(groups);
    let message = if stated.is_empty() {
        format!("{name} sets none of {groups}")
    } else {
        let stated = listed(stated.iter().copied(), "and");
        format!("{name} sets {stated}, but the schema expects {wanted} {groups}")
    };
    Words::new(codes::NO_ALTERNATIVE, message, format!("set {wanted} {groups}"))
}

fn several(name: &str, groups: &[&[Box<str>]], count: usize) -> Words {
    if groups.is_empty() {
        return Words::new(
            codes::SEVERAL_ALTERNATIVES,
            format!(
                "{name} matches {count} alternatives of the schema, but must match exactly one"
            ),
            "AWS may reject it; set the properties of only one alternative",
        );
    }
    let groups = grouped(groups);
    Words::new(
        codes::SEVERAL_ALTERNATIVES,
        format!("{name} sets all of {groups}, but the schema allows exactly one"),
        format!("set exactly one of {groups}"),
    )
}

/// Groups of names: `` `A`, `B` with `C` ``.
fn grouped(groups: &[&[Box<str>]]) -> String {
    let group = |names: &&[Box<str>]| {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" with ")
    };
    groups.iter().map(group).collect::<Vec<_>>().join(", ")
}

/// More names than this only hide the one that was looked for.
const MAX_LISTED: usize = 12;

fn one_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let prefix = if names.len() > 1 { "one of " } else { "" };
    format!("{prefix}{}", listed(names, "or"))
}

fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>, word: &str) -> String {
    let count = names.len();
    let mut quoted: Vec<String> = names.take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    if count > MAX_LISTED {
        return format!("{} and {} more", quoted.join(", "), count - MAX_LISTED);
    }
    match quoted.pop() {
        Some(last) if !quoted.is_empty() => format!("{} {word} {last}", quoted.join(", ")),
        Some(only) => only,
        None => String::new(),
    }
}

/// A value in a message: short, and never one that reads do not return.
fn shown(found: Shown<'_>) -> String {
    match found {
        Shown::Value(value) => format!("`{}`", shortened(&plain(value))),
        Shown::Hidden => "a hidden value".to_owned(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

const MAX_SHOWN: usize = 60;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
