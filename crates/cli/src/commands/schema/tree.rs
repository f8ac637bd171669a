//! The properties of a type as a tree: members, types, limits, to a depth that is asked for.

use hangar_schema::outline::{Limits, Outline, OutlineId};
use hangar_schema::{Class, Kind};
use serde_json::{Map, Value, json};

use crate::render::table::Table;

/// One property with its place in the tree.
#[derive(Debug)]
pub(super) struct Branch<'s> {
    /// From the root, `*` for any item or member: `/Tags/*/Key`.
    pub(super) path: String,
    /// Its name, or `*`.
    name: String,
    level: usize,
    is_required: bool,
    outline: Outline<'s>,
    /// Whether it has members that are not listed.
    hides: Hidden,
}

/// Why the members of a property are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Nothing,
    /// It is deeper than was asked for.
    Deeper,
    /// It is described by what it lies in.
    Recursive,
}

/// All properties below a place, each before its members, `depth` levels of them.
pub(super) fn branches<'s>(root: Outline<'s>, path: &str, depth: usize) -> Vec<Branch<'s>> {
    let mut walk = Walk { found: Vec::new(), around: vec![root.id()], depth };
    walk.members(root, path, 0);
    walk.found
}

/// The place itself as a branch, for a tree of one sub-tree.
pub(super) fn trunk<'s>(outline: Outline<'s>, path: &str, is_required: bool) -> Branch<'s> {
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    let path = path.to_owned();
    Branch { path, name, level: 0, is_required, outline, hides: Hidden::Nothing }
}

struct Walk<'s> {
    found: Vec<Branch<'s>>,
    /// The schemas on the way from the root.
    around: Vec<OutlineId>,
    depth: usize,
}

/// More properties than this are no longer read by anybody: the largest types have tens of thousands.
const MAX_BRANCHES: usize = 20_000;

impl<'s> Walk<'s> {
    fn members(&mut self, holder: Outline<'s>, path: &str, level: usize) {
        let holder = holder_of_members(holder);
        let step = "/*".repeat(holder.items);
        let path = format!("{path}{step}");
        let named = holder.outline.members().map(|it| (it.name, it.is_required, it.outline));
        let others = holder.outline.others().map(|it| ("*", false, it));
        for (name, is_required, outline) in named.chain(others).collect::<Vec<_>>() {
            if self.found.len() >= MAX_BRANCHES {
                return;
            }
            let escaped = name.replace('~', "~0").replace('/', "~1");
            let path = format!("{path}/{escaped}");
            let inner = holder_of_members(outline).outline;
            let has_members = inner.members().next().is_some() || inner.others().is_some();
            let hides = if has_members && self.around.contains(&inner.id()) {
                Hidden::Recursive
            } else if has_members && level >= self.depth {
                Hidden::Deeper
            } else {
                Hidden::Nothing
            };
            let name = name.to_owned();
            let branch = Branch { path: path.clone(), name, level, is_required, outline, hides };
            self.found.push(branch);
            if has_members && hides == Hidden::Nothing {
                self.around.push(inner.id());
                self.members(outline, &path, level + 1);
                self.around.pop();
            }
        }
    }
}

struct Holder<'s> {
    outline: Outline<'s>,
    /// How many arrays are around it.
    items: usize,
}

/// The object whose members are listed: the place, or the items of the arrays that it is.
fn holder_of_members(outline: Outline<'_>) -> Holder<'_> {
    let mut holder = Holder { outline, items: 0 };
    // A definition may be an array of itself.
    while holder.items < 8
        && holder.outline.members().next().is_none()
        && let Some(element) = holder.outline.element()
    {
        holder = Holder { outline: element, items: holder.items + 1 };
    }
    holder
}

/// The tree as a table.
pub(super) fn table(branches: &[Branch<'_>], values: Values) -> Table {
    let mut table = Table::new(["PROPERTY", "TYPE", "RULES"]);
    for branch in branches {
        let mark = if branch.is_required { "*" } else { "" };
        let name = format!("{}{}{mark}", "  ".repeat(branch.level), branch.name);
        let mut kind = type_in_words(branch.outline);
        match branch.hides {
            Hidden::Nothing => {}
            Hidden::Deeper => kind.push_str(" …"),
            Hidden::Recursive => kind.push_str(" (see above)"),
        }
        let rules = rules(branch.outline, values).join("; ");
        table.row([name.as_str(), &kind, &rules]);
    }
    table
}

/// `array of Tag`, `string`, `object Rule`.
fn type_in_words(outline: Outline<'_>) -> String {
    let word = |kind| match kind {
        Kind::Array => match outline.element() {
            Some(item) if item.element().is_some() => "array of arrays".to_owned(),
            Some(item) => match (item.definition(), item.kinds().describe()) {
                (Some(name), _) if item.members().next().is_some() => format!("array of {name}"),
                (_, kinds) if kinds.is_empty() => "array".to_owned(),
                (_, kinds) => format!("array of {kinds}"),
            },
            None => "array".to_owned(),
        },
        Kind::Object => match outline.definition() {
            Some(name) if outline.members().next().is_some() => format!("object {name}"),
            _ if outline.members().next().is_none() && outline.others().is_some() => {
                "map".to_owned()
            }
            _ => "object".to_owned(),
        },
        other => other.as_str().to_owned(),
    };
    let words: Vec<String> = outline.kinds().iter().map(word).collect();
    if words.is_empty() { "any".to_owned() } else { words.join(" or ") }
}

/// How many values and letters of patterns are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// The first few.
    Short,
    /// All: somebody asked for just this.
    Whole,
}

const MAX_VALUES: usize = 8;
const MAX_PATTERN: usize = 60;

fn rules(outline: Outline<'_>, values: Values) -> Vec<String> {
    let limits = outline.limits();
    let mut rules: Vec<String> = class_words(outline).into_iter().map(str::to_owned).collect();
    rules.extend(listed(&limits.allowed, values));
    if limits.allowed.is_empty() {
        rules.extend(listed(&limits.advised, values).map(|it| format!("{it} (cfn-lint)")));
    }
    rules.extend(range(limits.length, "character"));
    rules.extend(range(limits.item_count, "item"));
    let (least, most) = limits.range;
    rules.extend(bounds(least.map(ToString::to_string), most.map(ToString::to_string)));
    // Arrays have patterns and values at their items.
    if let Some(item) = outline.element().filter(|item| item.members().next().is_none()) {
        let of_item = item.limits();
        rules.extend(listed(&of_item.allowed, values).map(|it| format!("each {it}")));
        rules.extend(pattern(&of_item, values).map(|it| format!("each {it}")));
    }
    rules.extend(pattern(&limits, values));
    rules.extend(limits.format.map(|format| format!("format {format}")));
    rules.extend(limits.default.map(|default| format!("default {default}")));
    rules
}

const WORDS: [(Class, &str); 6] = [
    (Class::ReadOnly, "read-only"),
    (Class::CreateOnly, "create-only"),
    (Class::WriteOnly, "write-only"),
    (Class::ConditionalCreateOnly, "conditional-create-only"),
    (Class::Deprecated, "deprecated"),
    (Class::NonPublic, "non-public"),
];

fn class_words(outline: Outline<'_>) -> Vec<&'static str> {
    let classes = outline.classes();
    WORDS.into_iter().filter(|(class, _)| classes.has(*class)).map(|(_, word)| word).collect()
}

fn listed(allowed: &[&Value], values: Values) -> Option<String> {
    if allowed.is_empty() {
        return None;
    }
    let most = if values == Values::Whole { usize::MAX } else { MAX_VALUES };
    let mut words: Vec<String> = allowed.iter().take(most).map(ToString::to_string).collect();
    if allowed.len() > words.len() {
        words.push(format!("… {} more", allowed.len() - words.len()));
    }
    Some(words.join(" | "))
}

fn range((least, most): (Option<u64>, Option<u64>), unit: &str) -> Option<String> {
    let least = least.filter(|least| *least > 0);
    let range = bounds(least.map(|it| it.to_string()), most.map(|it| it.to_string()))?;
    let plural = if most.or(least) == Some(1) { "" } else { "s" };
    Some(format!("{range} {unit}{plural}"))
}

fn bounds(least: Option<String>, most: Option<String>) -> Option<String> {
    Some(match (least, most) {
        (Some(least), Some(most)) if least == most => least,
        (Some(least), Some(most)) => format!("{least}..{most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => return None,
    })
}

fn pattern(limits: &Limits<'_>, values: Values) -> Option<String> {
    let (pattern, by) = match (limits.pattern, limits.advised_pattern) {
        (Some(pattern), _) => (pattern, ""),
        (None, Some(pattern)) => (pattern, " (cfn-lint)"),
        (None, None) => return None,
    };
    let shown = match pattern.char_indices().nth(MAX_PATTERN) {
        Some((end, _)) if values == Values::Short => format!("{}…", &pattern[..end]),
        _ => pattern.to_owned(),
    };
    Some(format!("matches {shown}{by}"))
}

/// A branch as `-o json` prints it.
pub(super) fn to_json(branch: &Branch<'_>) -> Value {
    let (outline, limits) = (branch.outline, branch.outline.limits());
    let kinds: Vec<&str> = outline.kinds().iter().map(Kind::as_str).collect();
    let required = branch.is_required.then_some("required");
    let rules: Vec<&str> = required.into_iter().chain(class_words(outline)).collect();
    let mut json = Map::new();
    json.insert("path".to_owned(), branch.path.as_str().into());
    json.insert("types".to_owned(), json!(kinds));
    json.insert("rules".to_owned(), json!(rules));
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            json.insert(name.to_owned(), value);
        }
    };
    let list = |values: &[&Value]| (!values.is_empty()).then(|| json!(values));
    add("definition", outline.definition().map(Value::from));
    add(
        "items",
        outline
            .element()
            .map(|item| json!(item.kinds().iter().map(Kind::as_str).collect::<Vec<_>>())),
    );
    add("allowed", list(&limits.allowed));
    add("advised", list(&limits.advised));
    add("pattern", limits.pattern.map(Value::from));
    add("advisedPattern", limits.advised_pattern.map(Value::from));
    add("format", limits.format.map(Value::from));
    add("default", limits.default.cloned());
    add("minLength", limits.length.0.map(Value::from));
    add("maxLength", limits.length.1.map(Value::from));
    add("minItems", limits.item_count.0.map(Value::from));
    add("maxItems", limits.item_count.1.map(Value::from));
    add("minimum", limits.range.0.map(|it| Value::Number(it.clone())));
    add("maximum", limits.range.1.map(|it| Value::Number(it.clone())));
    add("uniqueItems", limits.has_unique_items.then_some(Value::Bool(true)));
    let hidden = match branch.hides {
        Hidden::Nothing => None,
        Hidden::Deeper => Some("deeper"),
        Hidden::Recursive => Some("recursive"),
    };
    add("membersOmitted", hidden.map(Value::from));
    Value::Object(json)
}
