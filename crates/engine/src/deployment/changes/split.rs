//! Differences that hold secrets, split until each part is a secret or holds none.

use hangar_schema::Leaf;
use serde_json::Value;

use super::masked::{are_alike, holds_sign, is_sign, without_signs};
use super::property::escaped;

/// Leaves with signs in the place of secrets, as leaves that each are one or hold none; what differs in nothing but its
/// secrets is one leaf.
pub(super) fn split(leaves: Vec<Leaf>) -> Vec<Leaf> {
    let mut found = Vec::new();
    for leaf in joined(leaves) {
        let Leaf { path, keyed, before, after, origin } = leaf;
        let mut whole = Whole { found: &mut found, origin };
        let keyed = keyed.map(|it| without_signs(&it));
        whole.part(&path, keyed.as_deref(), before.as_ref(), after.as_ref());
    }
    found
}

/// What goes from an array and what comes into it, as one where they differ in nothing but their secrets.
fn joined(leaves: Vec<Leaf>) -> Vec<Leaf> {
    let above = |leaf: &Leaf| leaf.path.rsplit_once('/').map(|(above, _)| above.to_owned());
    let (going, mut rest): (Vec<Leaf>, Vec<Leaf>) = leaves
        .into_iter()
        .partition(|leaf| leaf.after.is_none() && leaf.before.as_ref().is_some_and(holds_sign));
    let mut left = Vec::new();
    for gone in going {
        let came = rest.iter_mut().find(|leaf| {
            let alike = |before: &Value, after: &Value| are_alike(before, after);
            leaf.before.is_none()
                && above(leaf) == above(&gone)
                && gone.before.as_ref().zip(leaf.after.as_ref()).is_some_and(|(a, b)| alike(a, b))
        });
        match came {
            Some(came) => came.before = gone.before,
            None => left.push(gone),
        }
    }
    rest.extend(left);
    rest
}

struct Whole<'a> {
    found: &'a mut Vec<Leaf>,
    origin: hangar_schema::Origin,
}

impl Whole<'_> {
    fn part(
        &mut self,
        path: &str,
        keyed: Option<&str>,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        if before == after {
            return;
        }
        let holds = |value: Option<&Value>| value.is_some_and(holds_sign);
        let is_text = |value: Option<&Value>| {
            value.is_some_and(|it| is_sign(it) || (it.is_string() && holds_sign(it)))
        };
        if (!holds(before) && !holds(after)) || is_text(before) || is_text(after) {
            return self.leaf(path, keyed, before, after);
        }
        match (before, after) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                let gone = old.keys().filter(|name| !new.contains_key(*name));
                for name in new.keys().chain(gone) {
                    self.below(path, keyed, name, old.get(name), new.get(name));
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    self.below(path, keyed, &index.to_string(), Some(old), Some(new));
                }
            }
            (Some(before), Some(after)) => {
                self.part(path, keyed, Some(before), None);
                self.part(path, keyed, None, Some(after));
            }
            (Some(only), None) => self.alone(path, keyed, only, |value| (Some(value), None)),
            (None, Some(only)) => self.alone(path, keyed, only, |value| (None, Some(value))),
            (None, None) => {}
        }
    }

    /// The parts of what comes or goes.
    fn alone<'v>(
        &mut self,
        path: &str,
        keyed: Option<&str>,
        value: &'v Value,
        side: impl Fn(&'v Value) -> (Option<&'v Value>, Option<&'v Value>),
    ) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let (before, after) = side(member);
                    self.below(path, keyed, name, before, after);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let (before, after) = side(item);
                    self.below(path, keyed, &index.to_string(), before, after);
                }
            }
            other => {
                let (before, after) = side(other);
                self.leaf(path, keyed, before, after);
            }
        }
    }

    fn below(
        &mut self,
        path: &str,
        keyed: Option<&str>,
        name: &str,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        let name = escaped(name);
        let keyed = keyed.map(|it| format!("{it}/{name}"));
        self.part(&format!("{path}/{name}"), keyed.as_deref(), before, after);
    }

    fn leaf(
        &mut self,
        path: &str,
        keyed: Option<&str>,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        self.found.push(Leaf {
            path: path.to_owned(),
            keyed: keyed.map(str::to_owned),
            before: before.cloned(),
            after: after.cloned(),
            origin: self.origin,
        });
    }
}
