//! What a schema finds, put into the words of templates: code, message, hints.

use hangar_diag::{Code, nearest};
use hangar_schema::finding::{Basis, Choice, Counted, Limit, Problem, Shown, Suggestion};
use hangar_schema::{Kind, Kinds, TypeSchema};
use serde_json::Value as Json;

use super::subject::{Aspect, Subject};
use super::{codes, instead};

/// What is said of one finding.
pub(super) struct Words {
    pub(super) code: Code,
    pub(super) aspect: Aspect,
    pub(super) message: String,
    pub(super) label: &'static str,
    pub(super) hints: Vec<String>,
    /// Who states the rule that is broken.
    pub(super) basis: Basis,
}

impl Words {
    fn of_value(code: Code, message: String, hint: impl Into<String>) -> Self {
        Self {
            code,
            aspect: Aspect::Value,
            message,
            label: "",
            hints: vec![hint.into()],
            basis: Basis::Schema,
        }
    }

    fn of_name(code: Code, message: String, label: &'static str, hint: impl Into<String>) -> Self {
        Self {
            code,
            aspect: Aspect::Name,
            message,
            label,
            hints: vec![hint.into()],
            basis: Basis::Schema,
        }
    }

    fn of_lack(code: Code, message: String, hint: impl Into<String>) -> Self {
        let label = "in this object";
        Self {
            code,
            aspect: Aspect::Lack,
            message,
            label,
            hints: vec![hint.into()],
            basis: Basis::Schema,
        }
    }
}

/// A finding in words; `type_name` is how templates write the type. What is missing is not said here
/// but gathered by `missing`.
pub(super) fn words(
    type_name: &str,
    subject: &Subject,
    problem: &Problem<'_>,
    schema: &TypeSchema,
) -> Words {
    let name = named(type_name, subject);
    match problem {
        Problem::Unknown { suggestion, .. } => unknown(type_name, subject, suggestion),
        Problem::ReadOnly => Words::of_name(
            codes::READ_ONLY,
            format!("{name} is read-only: AWS sets it"),
            "set by AWS",
            "remove it; its value can be read from the resource",
        ),
        Problem::Deprecated => Words::of_name(
            codes::DEPRECATED,
            format!("{name} is deprecated"),
            "deprecated",
            "it is still accepted; the AWS documentation of the type names its replacement",
        ),
        Problem::Missing { name: member } => Words::of_lack(
            codes::MISSING,
            format!("{name} lacks the required property `{member}`"),
            format!("add `{member}`"),
        ),
        Problem::MissingBeside { name: member, because } => Words::of_lack(
            codes::MISSING_BESIDE,
            format!("{name} sets `{because}` without `{member}`"),
            format!("add `{member}`, or remove `{because}`"),
        ),
        Problem::WrongType { expected, found } => {
            wrong_type(&name, subject, *expected, found, schema)
        }
        Problem::NotAllowed { found, allowed } => not_allowed(&name, subject, *found, allowed),
        Problem::Pattern { found, pattern } => Words::of_value(
            codes::PATTERN,
            format!("{name} is {}, which does not match its pattern", shown(subject, *found)),
            format!("write a value that matches `{}`", cut(pattern, MAX_PATTERN)),
        ),
        Problem::Format { found, format } => Words::of_value(
            codes::FORMAT,
            format!("{name} is {}, which does not look like a `{format}`", shown(subject, *found)),
            format!("check that the value is a `{format}`"),
        ),
        Problem::Count { what, count, limit } => counted(&name, subject, *what, *count, *limit),
        Problem::Range { found, limit } => {
            let code = if is_upper(limit) { codes::TOO_LARGE } else { codes::TOO_SMALL };
            let extreme = if is_upper(limit) { "too large" } else { "too small" };
            let limit = limited(limit);
            let message = format!("{name} is {}, which is {extreme}", shown(subject, *found));
            Words::of_value(code, message, format!("write a number of {limit}"))
        }
        Problem::Multiple { found, step } => Words::of_value(
            codes::MULTIPLE,
            format!("{name} is {}, which is not a multiple of {step}", shown(subject, *found)),
            format!("write a multiple of {step}"),
        ),
        Problem::Duplicate { first } => Words::of_value(
            codes::DUPLICATE_ITEM,
            format!("{name} equals the item at index {first}, but all items must differ"),
            "remove one of the two",
        ),
        Problem::NoAlternative { groups, stated, choice } => {
            no_alternative(&name, groups, stated, *choice)
        }
        Problem::SeveralAlternatives { groups, count } => several(&name, groups, *count),
        Problem::OtherAlternative => Words::of_name(
            codes::ALTERNATIVES,
            format!("{name} cannot be set together with its sibling properties"),
            "belongs to another alternative",
            "the schema has alternatives here; set the properties of only one of them",
        ),
        Problem::InPart => Words::of_lack(
            codes::CHECKED_IN_PART,
            format!("{name} is too deep or too large to check completely"),
            "AWS checks the rest",
        ),
    }
}

/// The property with its type: `` `Tags[0].Key` of AWS.EC2/VPC ``.
pub(super) fn named(type_name: &str, subject: &Subject) -> String {
    let part = if subject.is_name_secret { "a part of " } else { "" };
    match subject.path.as_str() {
        "" => format!("{part}{type_name}"),
        path => format!("{part}`{path}` of {type_name}"),
    }
}

fn unknown(type_name: &str, subject: &Subject, suggestion: &Suggestion<'_>) -> Words {
    if subject.is_name_secret {
        let name = named(type_name, subject);
        let message = format!("{name} has a name that the schema does not know");
        let hint = "its name is not shown: it is part of a secret";
        return Words::of_value(codes::UNKNOWN_PROPERTY, message, hint);
    }
    let message = match suggestion {
        Suggestion::Matching(_) => {
            format!("`{}` is not a name that {type_name} allows there", subject.path)
        }
        _ => format!("`{}` is not a property of {type_name}", subject.path),
    };
    let (code, hint) = match suggestion {
        Suggestion::Near(near) => (codes::NEAR_PROPERTY, did_you_mean(near)),
        Suggestion::NearTaken(near) => {
            let hint = format!("{} It is already set; keep one of the two", did_you_mean(near));
            (codes::NEAR_PROPERTY, hint)
        }
        Suggestion::Elsewhere(pointer) => {
            let at = pointer.trim_start_matches('/').replace('/', ".");
            (codes::UNKNOWN_PROPERTY, format!("the schema has `{at}`; move it there"))
        }
        Suggestion::Matching(patterns) => {
            let patterns = patterns.iter().map(|it| format!("`{}`", cut(it, MAX_PATTERN)));
            (codes::UNKNOWN_PROPERTY, format!("names here must match {}", listed(patterns, "or")))
        }
        Suggestion::Valid(names) if names.is_empty() => {
            (codes::UNKNOWN_PROPERTY, "remove it".to_owned())
        }
        Suggestion::Valid(names) => {
            let names = listed(names.iter().map(|name| format!("`{name}`")), "and");
            (codes::UNKNOWN_PROPERTY, format!("remove it; the properties here are {names}"))
        }
    };
    Words::of_name(code, message, "not a property here", hint)
}

fn wrong_type(
    name: &str,
    subject: &Subject,
    expected: Kinds,
    found: &Json,
    schema: &TypeSchema,
) -> Words {
    let code = type_code(subject);
    let kind = kind_of(found, expected);
    let wanted = wanted(expected);
    let message = format!("{name} is {kind}, but its schema expects {wanted}");
    let hint = match found {
        Json::String(text) if !subject.is_secret && is_literal(text, expected) => {
            "write it without quotes".to_owned()
        }
        // The value itself may be a secret, so it is not repeated.
        Json::Number(_) | Json::Bool(_) if expected.has(Kind::String) => {
            "write it in single quotes, or as `string(…)`".to_owned()
        }
        _ => match instead::hint(schema, subject, found) {
            Some(hint) => hint,
            None if expected.has(Kind::Array) && !found.is_array() => {
                format!("write {wanted}: put `[` and `]` around it")
            }
            None => format!("write {wanted}"),
        },
    };
    Words::of_value(code, message, hint)
}

/// Whether a text, without its quotes, would be what is wanted.
fn is_literal(text: &str, expected: Kinds) -> bool {
    (expected.has_numeric() && text.parse::<i64>().is_ok())
        || (expected.has(Kind::Boolean) && matches!(text, "true" | "false"))
}

/// A list's items have a code of their own.
fn type_code(subject: &Subject) -> Code {
    if subject.is_item { codes::WRONG_ITEM } else { codes::WRONG_TYPE }
}

/// The kinds in the language's words, with an article: `a string or an object`.
pub(super) fn wanted(kinds: Kinds) -> String {
    // Whole numbers are numbers: both words would say one thing twice.
    let is_said = |kind: &Kind| *kind != Kind::Integer || !kinds.has(Kind::Number);
    let words: Vec<&str> = kinds.iter().filter(is_said).map(with_article).collect();
    words.join(" or ")
}

const fn with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a bool",
        Kind::Integer => "an int",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

fn kind_of(found: &Json, expected: Kinds) -> &'static str {
    match found {
        Json::Number(_) if expected.has(Kind::Integer) => "a decimal number",
        Json::Number(number) if number.as_i64().is_some() => "an int",
        _ => with_article(Kind::of(found)),
    }
}

fn not_allowed(name: &str, subject: &Subject, found: Shown<'_>, allowed: &[Json]) -> Words {
    let message = format!("{name} is {}, which is not allowed", shown(subject, found));
    let texts = allowed.iter().filter_map(Json::as_str);
    let near = match found {
        Shown::Value(Json::String(text)) if !subject.is_secret => nearest(text, texts),
        _ => None,
    };
    let values = listed(allowed.iter().map(|value| format!("`{}`", literal(value))), "and");
    let all = match allowed.len() {
        1 => format!("the only allowed value is {values}"),
        _ => format!("the allowed values are {values}"),
    };
    match near {
        Some(near) => {
            let mut words =
                Words::of_value(codes::NEAR_VALUE, message, format!("did you mean `'{near}'`?"));
            words.hints.push(all);
            words
        }
        None => Words::of_value(type_code(subject), message, all),
    }
}

fn counted(name: &str, subject: &Subject, what: Counted, count: u64, limit: Limit<u64>) -> Words {
    let is_upper = is_upper(&limit);
    let code = match what {
        Counted::Members => codes::MEMBER_COUNT,
        _ if is_upper => codes::TOO_LONG,
        _ => codes::TOO_SHORT,
    };
    let extreme = match (what, is_upper) {
        (Counted::Members, true) => "has too many properties",
        (Counted::Members, false) => "has too few properties",
        (_, true) => "is too long",
        (_, false) => "is too short",
    };
    // How long a secret is helps to guess it.
    let has = if subject.is_secret {
        String::new()
    } else {
        format!(": it has {count} {}", unit(what, count))
    };
    let hint = format!("write {} {}", limited(&limit), unit(what, *bound_of(&limit)));
    Words::of_value(code, format!("{name} {extreme}{has}"), hint)
}

fn no_alternative(name: &str, groups: &[&[Box<str>]], stated: &[&str], choice: Choice) -> Words {
    let wanted = match choice {
        Choice::ExactlyOne => "exactly one of",
        Choice::AtLeastOne => "at least one of",
    };
    let groups = grouped(groups);
    let stated = listed(stated.iter().map(|it| format!("`{it}`")), "and");
    let message = format!("{name} sets {stated}, but its schema expects {wanted} {groups}");
    Words::of_lack(codes::ALTERNATIVES, message, format!("set {wanted} {groups}"))
}

fn several(name: &str, groups: &[&[Box<str>]], count: usize) -> Words {
    if groups.is_empty() {
        return Words::of_lack(
            codes::ALTERNATIVES,
            format!("{name} matches {count} alternatives of its schema, which allows exactly one"),
            "AWS may reject it; set only the properties of one alternative",
        );
    }
    let groups = grouped(groups);
    Words::of_lack(
        codes::ALTERNATIVES,
        format!("{name} sets all of {groups}, but its schema allows exactly one"),
        format!("set exactly one of {groups}"),
    )
}

/// Groups of names: `` `A`, `B` with `C` ``.
pub(super) fn grouped(groups: &[&[Box<str>]]) -> String {
    let group = |names: &&[Box<str>]| {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" with ")
    };
    let mut shown: Vec<String> = groups.iter().take(MAX_LISTED).map(group).collect();
    if groups.len() > MAX_LISTED {
        shown.push(format!("{} more", groups.len() - MAX_LISTED));
    }
    shown.join(", ")
}

fn unit(what: Counted, count: u64) -> &'static str {
    let (one, many) = match what {
        Counted::Characters => ("character", "characters"),
        Counted::Items => ("item", "items"),
        Counted::Members => ("property", "properties"),
    };
    if count == 1 { one } else { many }
}

const fn bound_of<T>(limit: &Limit<T>) -> &T {
    let (Limit::AtLeast(bound)
    | Limit::AtMost(bound)
    | Limit::MoreThan(bound)
    | Limit::LessThan(bound)) = limit;
    bound
}

const fn is_upper<T>(limit: &Limit<T>) -> bool {
    matches!(limit, Limit::AtMost(_) | Limit::LessThan(_))
}

fn limited<T: std::fmt::Display>(limit: &Limit<T>) -> String {
    match limit {
        Limit::AtLeast(bound) => format!("at least {bound}"),
        Limit::AtMost(bound) => format!("at most {bound}"),
        Limit::MoreThan(bound) => format!("more than {bound}"),
        Limit::LessThan(bound) => format!("less than {bound}"),
    }
}

pub(super) fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// More than this many only hide the one that was looked for.
const MAX_LISTED: usize = 8;

/// Things joined for a sentence: `a, b and c`, or the first of them and how many there are more.
pub(super) fn listed(things: impl ExactSizeIterator<Item = String>, word: &str) -> String {
    let count = things.len();
    let mut shown: Vec<String> = things.take(MAX_LISTED).collect();
    if count > MAX_LISTED {
        return format!("{} and {} more", shown.join(", "), count - MAX_LISTED);
    }
    match shown.pop() {
        Some(last) if !shown.is_empty() => format!("{} {word} {last}", shown.join(", ")),
        Some(only) => only,
        None => String::new(),
    }
}

/// A value in a message, short, and never a secret: `` `'abc'` ``.
fn shown(subject: &Subject, found: Shown<'_>) -> String {
    match found {
        Shown::Value(value) if !subject.is_secret => {
            format!("`{}`", cut(&literal(value), MAX_SHOWN))
        }
        _ => "a hidden value".to_owned(),
    }
}

/// A value as a template writes it.
pub(super) fn literal(value: &Json) -> String {
    match value {
        Json::String(text) => {
            format!("'{}'", text.escape_debug().to_string().replace("\\\"", "\""))
        }
        other => other.to_string(),
    }
}

const MAX_SHOWN: usize = 60;
const MAX_PATTERN: usize = 200;

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
