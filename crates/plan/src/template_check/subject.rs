//! What a finding speaks of: its name as a template writes it, its place in the text, and how much of it
//! may be said.

use hangar_schema::{PropertyPointer, Step};
use hangar_template::deployment::{Body, Node};
use hangar_template::source::Place;
use hangar_template::value::{Data, Value};

/// One place in the properties of a node.
pub(super) struct Subject {
    /// The pointer (RFC 6901), as far as it may be said.
    pub(super) pointer: String,
    /// The same as a template writes it (`Tags[0].Key`); empty for all of the properties.
    pub(super) path: String,
    /// Where it is in documents of the type.
    pub(super) property: PropertyPointer,
    /// Whether it is an item of a list.
    pub(super) is_item: bool,
    /// Whether its value, or a part of it, is a secret.
    pub(super) is_secret: bool,
    /// Whether its own name is part of a secret; `path` ends before it.
    pub(super) is_name_secret: bool,
}

impl Subject {
    pub(super) fn of(properties: &Value, pointer: &str) -> Self {
        let mut subject = Self {
            pointer: String::new(),
            path: String::new(),
            property: PropertyPointer::default(),
            is_item: false,
            is_secret: false,
            is_name_secret: false,
        };
        let mut steps = Vec::new();
        let mut at = Some(properties);
        for token in pointer.split('/').skip(1) {
            let holder = at;
            subject.is_secret |= holder.is_some_and(|value| value.secret);
            subject.is_item = matches!(holder.map(|it| &it.data), Some(Data::Array(_)));
            let name = token.replace("~1", "/").replace("~0", "~");
            at = holder.and_then(|value| child(value, &name));
            // The names in a secret object came with it.
            subject.is_name_secret |= subject.is_secret && !subject.is_item;
            steps.push(if subject.is_item {
                Step::Each
            } else {
                Step::Member(name.as_str().into())
            });
            if !subject.is_name_secret {
                subject.pointer.push('/');
                subject.pointer.push_str(token);
                if subject.is_item {
                    subject.path.extend(["[", name.as_str(), "]"]);
                } else {
                    push_member(&mut subject.path, &name);
                }
            }
        }
        subject.property = steps.into_iter().collect();
        subject.is_secret |= at.is_some_and(Value::holds_secret);
        subject
    }
}

fn child<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match &value.data {
        Data::Array(items) => items.get(name.parse::<usize>().ok()?),
        Data::Object(members) => members.get(name),
        _ => None,
    }
}

/// Appends a member's name as a template reads it: `.Key`, or `['a b']`.
pub(super) fn push_member(path: &mut String, name: &str) {
    let is_identifier = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_identifier {
        path.push_str("['");
        path.push_str(&name.replace('\\', "\\\\").replace('\'', "\\'"));
        path.push_str("']");
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Which part of a property is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aspect {
    /// That it is there, under this name.
    Name,
    /// What it is.
    Value,
    /// What it lacks.
    Lack,
}

/// Where the property at a pointer is written, or the nearest thing around it that is.
pub(super) fn place<'a>(
    node: &'a Node,
    body: &'a Body,
    pointer: &str,
    aspect: Aspect,
) -> &'a Place {
    let mut at = pointer;
    loop {
        if let Some(written) = body.places.get(at) {
            // What lies in a computed value has no key of its own.
            let is_exact = at.len() == pointer.len();
            return match aspect {
                // All of the properties have no key either; the symbol stands for the resource.
                Aspect::Lack if at.is_empty() => &node.place,
                Aspect::Name | Aspect::Lack if is_exact => &written.key,
                _ => &written.value,
            };
        }
        match at.rfind('/') {
            Some(end) => at = &at[..end],
            None => return &node.place,
        }
    }
}
