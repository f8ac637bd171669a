//! What one would state to get a resource that exists: its live document without what only the service says.
//!
//! Exactness comes before beauty. Whatever is left out is left out only where the comparison still finds nothing to
//! do, so that the document, put over the resource it was made of, changes nothing.

use serde_json::Value;

use crate::finding::{Finding, Problem};
use crate::kind::Kinds;
use crate::marker::without_marker;
use crate::node::NodeId;
use crate::patch::{Inputs, Outcome, patch};
use crate::pointer::{PropertyPointer, Step, escape, unescape};
use crate::same::same;
use crate::secret::{holds_secrets, without_nulls, without_secrets};
use crate::tagging::{TagOwner, owner, owner_of_element};
use crate::touch::without_read_only;
use crate::type_schema::TypeSchema;
use crate::validate::{Holes, Purpose, findings};

/// How often a document is looked at again after something was left out.
const MOST_ROUNDS: usize = 64;

/// What to state of a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Restated {
    /// The document.
    pub properties: Value,
    /// Required values that no read returns.
    pub unseen: Vec<Unseen>,
    /// Pointers of values that live has and the schema would not take back.
    pub left_out: Vec<String>,
    /// Where the document would change the resource all the same; empty unless schema and service disagree.
    pub differs: Vec<String>,
}

/// A required value that no read returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// Its pointer in the document, where it is not.
    pub pointer: String,
    /// What it may be; unstated where the schema does not say.
    pub kinds: Kinds,
}

/// What to state to get `live`. Whatever was `applied` by a former put stays stated, because what is no longer stated is
/// removed.
///
/// ```
/// use hangar_schema::{Catalog, restate};
/// use serde_json::json;
///
/// let vpc = Catalog::bundled().get("AWS::EC2::VPC")?;
/// let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16", "Tags": [
///     {"Key": "aws:cloudformation:stack-name", "Value": "s"}, {"Key": "Name", "Value": "net"}]});
/// let stated = restate(&vpc, &live, None).properties;
/// assert_eq!(stated, json!({"CidrBlock": "10.0.0.0/16", "Tags": [{"Key": "Name", "Value": "net"}]}));
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn restate(schema: &TypeSchema, live: &Value, applied: Option<&Value>) -> Restated {
    let mut document = without_marker(schema, live);
    document = without_secrets(schema, &without_read_only(schema, &document));
    document = without_nulls(&document).into_owned();
    leave_tags_of_aws(schema, &mut document);
    if !document.is_object() {
        document = Value::Object(serde_json::Map::new());
    }
    let mut draft = Draft { schema, live, applied, document, left_out: Vec::new() };
    draft.keep_applied();
    draft.mend();
    draft.leave_defaults();
    let unseen = draft.unseen();
    let differs = draft.differences();
    Restated { properties: draft.document, unseen, left_out: draft.left_out, differs }
}

/// Tags that AWS put there are neither compared nor taken back.
fn leave_tags_of_aws(schema: &TypeSchema, document: &mut Value) {
    let names = schema.tag_property().and_then(PropertyPointer::member_names);
    let Some((last, above)) = names.as_deref().and_then(<[&str]>::split_last) else { return };
    let holder = above.iter().try_fold(document, |at, name| at.get_mut(*name));
    let Some(members) = holder.and_then(Value::as_object_mut) else { return };
    let is_left_empty = match members.get_mut(*last) {
        Some(Value::Array(tags)) => {
            let before = tags.len();
            tags.retain(|tag| owner_of_element(tag) == TagOwner::User);
            tags.is_empty() && before > 0
        }
        Some(Value::Object(tags)) => {
            let before = tags.len();
            tags.retain(|key, _| owner(key) == TagOwner::User);
            tags.is_empty() && before > 0
        }
        _ => false,
    };
    if is_left_empty {
        members.remove(*last);
    }
}

/// A document that is made acceptable step by step.
struct Draft<'a> {
    schema: &'a TypeSchema,
    live: &'a Value,
    applied: Option<&'a Value>,
    document: Value,
    left_out: Vec<String>,
}

impl Draft<'_> {
    /// States what was applied and no read returns.
    fn keep_applied(&mut self) {
        let Some(applied) = self.applied else { return };
        for path in self.differences() {
            let Some((holder, name)) = path.rsplit_once('/') else { continue };
            let Some(value) = applied.pointer(&path) else { continue };
            let mut document = self.document.clone();
            let Some(Value::Object(members)) = document.pointer_mut(holder) else { continue };
            members.insert(unescape(name).into_owned(), value.clone());
            if self.differences_of(&document).len() < self.differences().len() {
                self.document = document;
            }
        }
    }

    /// Leaves out what the schema has something against, as far as it helps.
    fn mend(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let candidates = {
                let found = self.found(&self.document);
                let mut candidates: Vec<String> = Vec::new();
                for finding in &found {
                    for candidate in self.candidates(finding) {
                        if !candidates.contains(&candidate) {
                            candidates.push(candidate);
                        }
                    }
                }
                candidates
            };
            let before = self.found(&self.document).len();
            let is_better =
                |document: &Value| self.found(document).len() < before && self.is_same(document);
            let spelled = candidates
                .iter()
                .find_map(|pointer| spelled_as_wanted(&self.document, pointer).filter(&is_better));
            if let Some(document) = spelled {
                self.document = document;
                continue;
            }
            let better = candidates.into_iter().find_map(|pointer| {
                let without = without(&self.document, &pointer).filter(&is_better)?;
                Some((pointer, without))
            });
            let Some((pointer, document)) = better else { return };
            self.document = document;
            self.left_out.push(pointer);
        }
    }

    /// What could be left out for it, the smallest first.
    fn candidates(&self, finding: &Finding<'_>) -> Vec<String> {
        let at = finding.pointer();
        let below = |name: &str| format!("{at}/{}", escape(name));
        let mut candidates = match &finding.problem {
            // A value that nobody sees is a parameter, and the object around it stays.
            Problem::Missing { name } if self.is_hidden(&below(name)) => return Vec::new(),
            Problem::MissingBeside { because, .. } => vec![below(because)],
            Problem::NoAlternative { groups, stated, .. } => {
                let members = groups.iter().flat_map(|it| it.iter()).map(AsRef::as_ref);
                members.filter(|name| stated.contains(name)).map(below).collect()
            }
            Problem::SeveralAlternatives { groups, .. } => {
                groups.iter().rev().flat_map(|it| it.iter()).map(|name| below(name)).collect()
            }
            _ => Vec::new(),
        };
        let mut above = at;
        while !above.is_empty() {
            candidates.push(above.to_owned());
            above = above.rfind('/').map_or("", |end| &above[..end]);
        }
        candidates
    }

    /// Leaves out what the service fills in by itself: the schema's defaults, and what is empty.
    fn leave_defaults(&mut self) {
        let mut pointers = Vec::new();
        self.defaults(self.schema.root_node, &self.document, &mut String::new(), &mut pointers, 0);
        for pointer in pointers {
            let before = self.found(&self.document).len();
            let Some(without) = without(&self.document, &pointer) else { continue };
            if self.found(&without).len() <= before && self.is_same(&without) {
                self.document = without;
            }
        }
    }

    /// The optional members that say no more than their absence does.
    fn defaults(
        &self,
        node: NodeId,
        value: &Value,
        path: &mut String,
        found: &mut Vec<String>,
        depth: usize,
    ) {
        let Value::Object(members) = value else { return };
        let here = self.schema.nodes.get(node);
        if depth > 32 {
            return;
        }
        for (name, member) in members {
            let Some(declared) = here.member(name) else { continue };
            if here.required.iter().any(|required| required.as_ref() == name) {
                continue;
            }
            let length = path.len();
            path.push('/');
            path.push_str(&escape(name));
            let target = self.schema.nodes.get(declared).reference.unwrap_or(declared);
            let default = |id: NodeId| self.schema.nodes.get(id).default.as_ref();
            let is_default =
                default(declared).or_else(|| default(target)).is_some_and(|it| same(it, member));
            let is_empty = matches!(member, Value::Array(items) if items.is_empty());
            if is_default || is_empty {
                found.push(path.clone());
            } else {
                self.defaults(target, member, path, found, depth + 1);
            }
            path.truncate(length);
        }
    }

    /// The required values that no read returns.
    fn unseen(&self) -> Vec<Unseen> {
        let mut unseen: Vec<Unseen> = Vec::new();
        for finding in self.found(&self.document) {
            let Problem::Missing { name } = finding.problem else { continue };
            let pointer = format!("{}/{}", finding.pointer(), escape(name));
            if !self.is_hidden(&pointer) || unseen.iter().any(|it| it.pointer == pointer) {
                continue;
            }
            let kinds = self.schema.kinds_at(&self.property(&pointer));
            unseen.push(Unseen { pointer, kinds });
        }
        unseen
    }

    fn found<'d>(&'d self, document: &'d Value) -> Vec<Finding<'d>> {
        findings(self.schema, document, Purpose::Desired, Holes::NONE)
    }

    /// Whether no read returns the value, or nothing of what it consists of.
    fn is_hidden(&self, pointer: &str) -> bool {
        let property = self.property(pointer);
        let spot = property.steps().iter().fold(self.schema.root(), |spot, step| match step {
            Step::Member(name) => self.schema.member(spot, name),
            Step::Each => self.schema.element(spot),
        });
        holds_secrets(self.schema, spot)
    }

    /// Where a place of the document is in documents of the type.
    fn property(&self, pointer: &str) -> PropertyPointer {
        let mut at = Some(&self.document);
        let mut steps = Vec::new();
        for segment in pointer.split('/').skip(1) {
            let name = unescape(segment);
            let (step, next) = match at {
                Some(Value::Array(items)) => {
                    (Step::Each, name.parse::<usize>().ok().and_then(|index| items.get(index)))
                }
                other => (Step::Member(name.as_ref().into()), other.and_then(|it| it.get(&*name))),
            };
            steps.push(step);
            at = next;
        }
        steps.into_iter().collect()
    }

    fn is_same(&self, document: &Value) -> bool {
        self.differences_of(document).is_empty()
    }

    fn differences(&self) -> Vec<String> {
        self.differences_of(&self.document)
    }

    /// Where a document would change the resource that it is put over.
    fn differences_of(&self, document: &Value) -> Vec<String> {
        let inputs = Inputs { live: self.live, desired: document, applied: self.applied };
        match patch(self.schema, &inputs) {
            Ok(patch) if patch.outcome == Outcome::Noop => Vec::new(),
            Ok(patch) => {
                let changed = patch.operations.iter().map(|it| it.path().to_owned());
                changed.chain(patch.reasons.iter().map(|it| it.path.clone())).collect()
            }
            Err(_) => vec![String::new()],
        }
    }
}

/// The document with a number or a truth in the place of the text that a service returns for it.
fn spelled_as_wanted(document: &Value, pointer: &str) -> Option<Value> {
    let text = document.pointer(pointer)?.as_str()?;
    let value: Value = serde_json::from_str(text).ok()?;
    if !value.is_number() && !value.is_boolean() {
        return None;
    }
    let mut spelled = document.clone();
    *spelled.pointer_mut(pointer)? = value;
    Some(spelled)
}

/// The document without one member of one of its objects.
fn without(document: &Value, pointer: &str) -> Option<Value> {
    let (holder, name) = pointer.rsplit_once('/')?;
    let mut without = document.clone();
    let removed = without.pointer_mut(holder)?.as_object_mut()?.remove(&*unescape(name));
    removed.map(|_| without)
}
