//! Edits of a document that a user could make next.

use serde_json::Value;

use super::maker::{Author, Maker, Need, Target};
use super::random::Random;
use super::{Sampler, Size, survey};
use crate::class::Class;
use crate::node::NodeId;
use crate::pattern::{Pattern, Verdict};
use crate::pointer::escape;
use crate::same::same;
use crate::spot::Spot;
use crate::type_schema::TypeSchema;

/// One edit of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// RFC 6901 pointer of what was edited, as the document before the edit counts elements.
    pub path: String,
    /// What was done.
    pub edit: Edit,
    /// Whether an update can do it.
    pub reach: Reach,
}

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// Gives a scalar another value.
    Set,
    /// Gives a write-only value another value.
    SetSecret,
    /// Drops an optional member, or a key of a map.
    Drop,
    /// States an optional member, or a key of a map, that was not stated.
    Add,
    /// Adds an element.
    AddElement,
    /// Removes an element.
    RemoveElement,
    /// Gives a value of a map another key.
    RenameKey,
}

/// Whether an update can make an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Nothing about it is create-only.
    Updatable,
    /// Create-only values lie below, or in an element that holds it.
    MayReplace,
    /// The place itself is create-only.
    CreateOnly,
}

/// A place where an edit can be made.
struct Site {
    path: String,
    edit: Edit,
    reach: Reach,
    roots: Vec<NodeId>,
    spot: Spot,
}

/// The document is walked no deeper than this.
const MAX_DEPTH: usize = 32;

/// See [`Sampler::changed`].
pub(super) fn changed(
    sampler: &mut Sampler<'_>,
    desired: &Value,
    seed: u64,
) -> (Value, Vec<Change>) {
    let mut maker = sampler.maker(seed, "change", Size::Medium, Author::User);
    maker.budget = 40;
    let mut document = desired.clone();
    let mut changes = Vec::new();
    let wanted = 1 + maker.random.below(3);
    for _ in 0..wanted * 2 {
        if changes.len() == wanted {
            break;
        }
        let sites = Surveyor::sites(maker.schema, &document);
        let Some(site) = choose(&sites, &mut maker.random) else { break };
        if perform(&mut document, site, &mut maker) {
            let Site { path, edit, reach, .. } = site;
            changes.push(Change { path: path.clone(), edit: *edit, reach: *reach });
        }
    }
    (document, changes)
}

/// An edit by chance: first what, then where, so that the many scalars do not crowd out the rest.
fn choose<'a>(sites: &'a [Site], random: &mut Random) -> Option<&'a Site> {
    let mut edits: Vec<Edit> = Vec::new();
    for site in sites {
        if !edits.contains(&site.edit) {
            edits.push(site.edit);
        }
    }
    let edit = *random.pick(&edits)?;
    let alike: Vec<&Site> = sites.iter().filter(|site| site.edit == edit).collect();
    random.pick(&alike).copied()
}

/// Makes the edit; says whether the document is another one now.
fn perform(document: &mut Value, site: &Site, maker: &mut Maker<'_, '_>) -> bool {
    let made = match site.edit {
        Edit::Drop | Edit::RemoveElement => None,
        Edit::Set | Edit::SetSecret => match another(document.pointer(&site.path), site, maker) {
            Some(value) => Some(value),
            None => return false,
        },
        Edit::Add | Edit::AddElement => match maker.value(first(&site.roots), site.target()) {
            Some(value) => Some(value),
            None => return false,
        },
        Edit::RenameKey => document.pointer(&site.path).cloned(),
    };
    let Some((parent, last)) = site.path.rsplit_once('/') else { return false };
    match (document.pointer_mut(parent), made) {
        (Some(Value::Object(members)), Some(value)) => {
            let mut key = crate::pointer::unescape(last).into_owned();
            if site.edit == Edit::RenameKey {
                members.remove(&key);
                key.push('x');
            }
            members.insert(key, value);
            true
        }
        (Some(Value::Object(members)), None) => {
            members.remove(crate::pointer::unescape(last).as_ref()).is_some()
        }
        (Some(Value::Array(items)), made) => edit_element(items, site.edit, last, made),
        _ => false,
    }
}

fn edit_element(items: &mut Vec<Value>, edit: Edit, last: &str, made: Option<Value>) -> bool {
    let at = last.parse().unwrap_or(items.len()).min(items.len());
    match (edit, made) {
        (Edit::AddElement, Some(value)) if !items.iter().any(|item| same(item, &value)) => {
            items.insert(at, value);
            true
        }
        (Edit::RemoveElement, _) if at < items.len() => {
            items.remove(at);
            true
        }
        (Edit::Set | Edit::SetSecret, Some(value))
            if at < items.len() && !items.contains(&value) =>
        {
            items[at] = value;
            true
        }
        _ => false,
    }
}

/// Another value for the same place, if the schema allows one.
fn another(now: Option<&Value>, site: &Site, maker: &mut Maker<'_, '_>) -> Option<Value> {
    let now = now?;
    (0..8).find_map(|_| {
        maker.value(first(&site.roots), site.target()).filter(|value| reads_otherwise(value, now))
    })
}

/// Whether two values differ in more than how a number or a boolean is written.
fn reads_otherwise(a: &Value, b: &Value) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    !same(a, b) && text(a) != text(b)
}

/// The place's own schema; the others restrict it in one branch or another.
fn first(roots: &[NodeId]) -> &[NodeId] {
    &roots[..roots.len().min(1)]
}

impl Site {
    fn target(&self) -> Target<'_> {
        let name = self.path.rsplit('/').find(|segment| segment.parse::<usize>().is_err());
        Target { spot: self.spot, name: name.unwrap_or_default(), depth: 2, need: Need::Optional }
    }
}

struct Surveyor<'s> {
    schema: &'s TypeSchema,
    sites: Vec<Site>,
}

/// Where the surveyor stands.
#[derive(Clone)]
struct Stand {
    path: String,
    roots: Vec<NodeId>,
    spot: Spot,
    depth: usize,
    /// The reach of any edit here, for the elements around it.
    around: Reach,
}

impl Stand {
    fn enter(&self, segment: &str, roots: Vec<NodeId>, spot: Spot) -> Self {
        let path = format!("{}/{segment}", self.path);
        Self { path, roots, spot, depth: self.depth + 1, around: self.around }
    }
}

impl<'s> Surveyor<'s> {
    fn sites(schema: &'s TypeSchema, document: &Value) -> Vec<Site> {
        let mut surveyor = Self { schema, sites: Vec::new() };
        let root = Stand {
            path: String::new(),
            roots: vec![schema.root_node],
            spot: schema.root(),
            depth: 0,
            around: Reach::Updatable,
        };
        surveyor.visit(document, &root);
        surveyor.sites
    }

    fn visit(&mut self, value: &Value, stand: &Stand) {
        if stand.depth > MAX_DEPTH || self.schema.is_read_only(stand.spot) {
            return;
        }
        if self.schema.is_secret(stand.spot, value) {
            return self.note(Edit::SetSecret, stand);
        }
        match value {
            Value::Object(members) => {
                let declared = survey::members(&self.schema.nodes, &stand.roots);
                let others = survey::others(&self.schema.nodes, &stand.roots);
                for (name, member) in members {
                    let is_named = declared.contains_key(name.as_str());
                    let roots = declared.get(name.as_str()).unwrap_or(&others).clone();
                    let next = self.schema.member(stand.spot, name);
                    let inner = stand.enter(&escape(name), roots, next);
                    self.visit(member, &inner);
                    if !self.schema.shape(stand.spot).requires(name) {
                        self.note(Edit::Drop, &inner);
                    }
                    if !is_named && stand.depth > 0 {
                        self.note(Edit::RenameKey, &inner);
                    }
                }
                for (name, roots) in declared {
                    let next = self.schema.member(stand.spot, name);
                    // A member that some branch requires may make another branch fit.
                    if !members.contains_key(name)
                        && !self.schema.is_read_only(next)
                        && !self.schema.shape(stand.spot).requires(name)
                    {
                        self.note(Edit::Add, &stand.enter(&escape(name), roots, next));
                    }
                }
                if let Some(pattern) = survey::naming(&self.schema.nodes, &stand.roots)
                    && Pattern::compile(pattern).matches("added") == Verdict::Match
                    && !members.contains_key("added")
                {
                    let next = self.schema.member(stand.spot, "added");
                    self.note(Edit::Add, &stand.enter("added", others, next));
                }
            }
            Value::Array(items) => {
                let roots = survey::items(&self.schema.nodes, &stand.roots);
                let element = self.schema.element(stand.spot);
                let (least, most) = survey::item_count(&self.schema.nodes, &stand.roots);
                let mut inside = stand.clone();
                if self.schema.below(stand.spot).has(Class::CreateOnly) {
                    inside.around = Reach::MayReplace;
                }
                for (index, item) in items.iter().enumerate() {
                    let inner = inside.enter(&index.to_string(), roots.clone(), element);
                    self.visit(item, &inner);
                    if items.len() > least {
                        self.note(Edit::RemoveElement, &inner);
                    }
                }
                if items.len() < most {
                    let end = inside.enter(&items.len().to_string(), roots, element);
                    self.note(Edit::AddElement, &end);
                }
            }
            _ => self.note(Edit::Set, stand),
        }
    }

    fn note(&mut self, edit: Edit, stand: &Stand) {
        let at = if self.schema.at(stand.spot).has(Class::CreateOnly) {
            Reach::CreateOnly
        } else if self.schema.below(stand.spot).has(Class::CreateOnly) {
            Reach::MayReplace
        } else {
            Reach::Updatable
        };
        // In an element a create-only place may come along with its element, or stay.
        let reach = if stand.around == Reach::MayReplace { Reach::MayReplace } else { at };
        let Stand { path, roots, spot, .. } = stand.clone();
        self.sites.push(Site { path, edit, reach, roots, spot });
    }
}
