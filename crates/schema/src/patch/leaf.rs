//! What differs between what is and what is to be, down to the smallest parts, and who changed each.
//!
//! Elements of arrays are told by what names them, not by where they stand: an array that is written
//! whole differs only where something in it does.

mod array;
mod policy;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::MAX_DEPTH;
use super::walk::{NO_MEMBERS, present};
use crate::equal::{self, Against, Holders, Likeness};
use crate::pointer;
use crate::same::same;
use crate::spot::Spot;
use crate::type_schema::TypeSchema;

/// What is held against each other.
#[derive(Debug, Clone, Copy)]
pub struct Documents<'a> {
    /// What AWS says now.
    pub live: &'a Value,
    /// What it would become ([`super::goal`]).
    pub goal: &'a Value,
    /// What was applied last.
    pub applied: Option<&'a Value>,
}

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// RFC 6901 pointer; elements are counted as the goal has them, and those that go as live does.
    pub path: String,
    /// The same with `[Key=env]` for elements that are told apart by a key; nothing where none is.
    pub keyed: Option<String>,
    /// What live has.
    pub before: Option<Value>,
    /// What it would have.
    pub after: Option<Value>,
    /// Who changed it.
    pub origin: Origin,
}

/// Who changed something since it was applied last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nothing is on record as applied.
    NoRecord,
    /// It is stated for the first time.
    FirstStated,
    /// It is stated otherwise than it was applied, and live has it as it was applied.
    Stated,
    /// It was applied so, and live has something else.
    Drifted,
    /// It is stated otherwise than it was applied, and live has something else again.
    StatedAndDrifted,
    /// It was applied, and is not stated any more.
    NoLongerStated,
    /// Nobody stated it, and it goes.
    NeverStated,
}

impl Origin {
    /// The stable name used in JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoRecord => "no-record",
            Self::FirstStated => "first-stated",
            Self::Stated => "stated",
            Self::Drifted => "drifted",
            Self::StatedAndDrifted => "stated-and-drifted",
            Self::NoLongerStated => "no-longer-stated",
            Self::NeverStated => "never-stated",
        }
    }
}

/// Every difference between live and goal, in the order of the goal.
///
/// ```
/// use hangar_schema::{Catalog, Documents, leaves};
/// use serde_json::json;
///
/// let vpc = Catalog::bundled().get("AWS::EC2::VPC")?;
/// let tags = |value: &str| json!({"Tags": [{"Key": "env", "Value": value}]});
/// let (live, goal) = (tags("test"), tags("prod"));
/// let found = leaves(&vpc, &Documents { live: &live, goal: &goal, applied: None });
/// assert_eq!(found[0].keyed.as_deref(), Some("/Tags/[Key=env]/Value"));
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn leaves(schema: &TypeSchema, documents: &Documents<'_>) -> Vec<Leaf> {
    let Documents { live, goal, applied } = *documents;
    let has_record = applied.is_some();
    let mut search =
        Search { schema, root: goal, has_record, path: Vec::new(), leaves: Vec::new() };
    search.members(schema.root(), live, goal, applied);
    search.leaves
}

/// One place in the three documents.
#[derive(Clone, Copy)]
struct Place<'a> {
    spot: Spot,
    /// The object of the goal around it.
    holder: &'a Value,
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    applied: Option<&'a Value>,
}

struct Segment<'a> {
    name: Cow<'a, str>,
    /// What tells an element apart: `Key=env`.
    key: Option<String>,
}

struct Search<'a> {
    schema: &'a TypeSchema,
    root: &'a Value,
    has_record: bool,
    path: Vec<Segment<'a>>,
    leaves: Vec<Leaf>,
}

impl<'a> Search<'a> {
    fn members(
        &mut self,
        spot: Spot,
        before: &'a Value,
        after: &'a Value,
        applied: Option<&'a Value>,
    ) {
        let of = |value: Option<&'a Value>| value.and_then(Value::as_object);
        let (old, new) =
            (of(Some(before)).unwrap_or(&NO_MEMBERS), of(Some(after)).unwrap_or(&NO_MEMBERS));
        let applied: Option<&'a Map<String, Value>> = of(applied);
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        for name in new.keys().chain(gone) {
            if equal::is_hidden_tag(self.schema, spot, name) {
                continue;
            }
            let place = Place {
                spot: self.schema.member(spot, name),
                holder: after,
                before: present(old.get(name)),
                after: present(new.get(name)),
                applied: present(applied.and_then(|it| it.get(name))),
            };
            let name = Cow::Borrowed(name.as_str());
            self.within(Segment { name, key: None }, |search| search.value(place));
        }
    }

    fn within(&mut self, segment: Segment<'a>, search: impl FnOnce(&mut Self)) {
        self.path.push(segment);
        search(self);
        self.path.pop();
    }

    fn value(&mut self, place: Place<'a>) {
        let Place { spot, before, after, applied, .. } = place;
        let (before, after) = match (before, after) {
            (None, None) => return,
            (Some(only), None) | (None, Some(only)) => {
                if !equal::is_same_as_absent(self.schema, spot, only) {
                    self.leaf(place);
                }
                return;
            }
            (Some(before), Some(after)) => (before, after),
        };
        if same(before, after) {
            return;
        }
        let is_deep = self.path.len() >= MAX_DEPTH;
        match (before, after) {
            (Value::Object(_), Value::Object(_)) if !is_deep => {
                if policy::are_policies(before, after) {
                    self.policy(place, before, after);
                } else {
                    self.members(spot, before, after, applied);
                }
            }
            (Value::Array(old), Value::Array(new)) if !is_deep => self.array(place, old, new),
            _ => {
                let likeness =
                    equal::likeness(self.schema, spot, self.holders(place.holder), after, before);
                if likeness == Likeness::Different {
                    self.leaf(place);
                }
            }
        }
    }

    fn leaf(&mut self, place: Place<'a>) {
        let origin = self.origin(place);
        let mut path = String::new();
        let mut keyed = String::new();
        for Segment { name, key } in &self.path {
            let name = pointer::escape(name);
            path.push('/');
            path.push_str(&name);
            keyed.push('/');
            match key {
                Some(key) => {
                    keyed.push('[');
                    keyed.push_str(key);
                    keyed.push(']');
                }
                None => keyed.push_str(&name),
            }
        }
        let keyed = self.path.iter().any(|it| it.key.is_some()).then_some(keyed);
        let (before, after) = (place.before.cloned(), place.after.cloned());
        self.leaves.push(Leaf { path, keyed, before, after, origin });
    }

    fn origin(&self, place: Place<'a>) -> Origin {
        let Place { spot, holder, before, after, applied } = place;
        let holders = self.holders(holder);
        match (applied, after) {
            _ if !self.has_record => Origin::NoRecord,
            (Some(applied), Some(after))
                if equal::asks_the_same(self.schema, spot, holders, after, applied) =>
            {
                Origin::Drifted
            }
            (Some(applied), Some(_))
                if equal::shows(self.schema, spot, holders, applied, before) =>
            {
                Origin::Stated
            }
            (Some(_), Some(_)) => Origin::StatedAndDrifted,
            (None, Some(_)) => Origin::FirstStated,
            (Some(_), None) => Origin::NoLongerStated,
            (None, None) => Origin::NeverStated,
        }
    }

    fn holders(&self, nearest: &'a Value) -> Holders<'a> {
        Holders { nearest, root: self.root, against: Against::Read }
    }
}
