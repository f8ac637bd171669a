//! Resource ids as UCP and Azure Resource Manager have them: scopes, types and extensions.
//!
//! This file holds what an id is and how it is read off and compared; `parse` reads the text,
//! `append` makes longer ids, `rules` tells which name is written how.

mod append;
mod parse;
mod rules;
mod segment;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use hangar_diag::Diagnostic;

use crate::TypeName;
use rules::Rule;
pub use segment::Segment;

/// The id of a scope, a resource, an extension resource, or a collection of one of these.
///
/// A parsed id cannot be wrong. It keeps the spelling it was read with and prints it in one
/// canonical encoding with no trailing slash; reading that again gives an equal id. Scopes, types
/// and aliases compare ASCII-case-insensitively, AWS identifiers by their exact bytes.
///
/// ```
/// use hangar_ids::{Kind, ResourceId};
///
/// let id = ResourceId::parse("/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/net")?;
/// assert_eq!(id.kind(), Kind::Resource);
/// assert_eq!(id.plane(), Some(("radius", "local")));
/// assert_eq!(id.reference_type().as_deref(), Some("AWS.EC2/VPC"));
/// assert_eq!(id.name(), Some("net"));
/// assert_eq!(id.parent(), Some(ResourceId::parse("/Planes/Radius/Local/resourcegroups/RG/")?));
/// # Ok::<(), hangar_diag::Diagnostic>(())
/// ```
#[derive(Clone)]
pub struct ResourceId {
    // Invariant: only the last segment of the whole id may have no name; extensions imply types.
    family: Family,
    scopes: Vec<Segment>,
    types: Vec<Segment>,
    extensions: Vec<Segment>,
    /// The normalised form, by which ids compare.
    key: String,
}

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A plane, a group, a subscription, the root `/`.
    Scope,
    /// All scopes of one type below a scope; `/planes` and `/planes/radius` too.
    ScopeCollection,
    /// A resource, nested or not.
    Resource,
    /// All resources of one type below a scope or a resource.
    ResourceCollection,
    /// A resource that extends another resource.
    Extension,
    /// All extensions of one type of a resource.
    ExtensionCollection,
}

impl Kind {
    /// The kind's name as it is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scope => "scope",
            Self::ScopeCollection => "scopeCollection",
            Self::Resource => "resource",
            Self::ResourceCollection => "resourceCollection",
            Self::Extension => "extension",
            Self::ExtensionCollection => "extensionCollection",
        }
    }

    /// Whether this names all of something and not one.
    pub const fn is_collection(self) -> bool {
        matches!(self, Self::ScopeCollection | Self::ResourceCollection | Self::ExtensionCollection)
    }
}

/// Which of the two id systems an id belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Begins with `/planes`.
    Ucp,
    /// Begins with `/subscriptions` or, at tenant level, `/providers`.
    Arm,
}

impl ResourceId {
    /// Reads an id; one trailing slash is dropped.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        parse::parse(text)
    }

    /// What this id names.
    pub fn kind(&self) -> Kind {
        let of = |segments: &[Segment], one, all| match segments.last() {
            Some(last) if last.name().is_none() => all,
            _ => one,
        };
        if !self.extensions.is_empty() {
            of(&self.extensions, Kind::Extension, Kind::ExtensionCollection)
        } else if !self.types.is_empty() {
            of(&self.types, Kind::Resource, Kind::ResourceCollection)
        } else if self.scopes.is_empty() && self.family == Family::Ucp {
            Kind::ScopeCollection
        } else {
            of(&self.scopes, Kind::Scope, Kind::ScopeCollection)
        }
    }

    /// The pairs before the first `/providers/`; for a UCP id the first is the plane.
    pub fn scopes(&self) -> &[Segment] {
        &self.scopes
    }

    /// The resource: `Namespace/type` and a name, then the types nested in it.
    pub fn types(&self) -> &[Segment] {
        &self.types
    }

    /// What follows a second or further `/providers/`; a segment whose type holds a slash begins
    /// the next one.
    pub fn extensions(&self) -> &[Segment] {
        &self.extensions
    }

    /// The namespace of the resource, or of the extension if there is one: `AWS.EC2`.
    pub fn provider(&self) -> Option<&str> {
        self.innermost().first().and_then(Segment::namespace)
    }

    /// The whole type of the resource, or of the extension if there is one:
    /// `Microsoft.Sql/servers/databases`. A scope has none.
    pub fn resource_type(&self) -> Option<String> {
        let types: Vec<&str> = self.innermost().iter().map(Segment::type_text).collect();
        (!types.is_empty()).then(|| types.join("/"))
    }

    /// The last name; a collection has none.
    pub fn name(&self) -> Option<&str> {
        self.last().and_then(Segment::name)
    }

    /// The plane's type and name, for a UCP id which has both.
    pub fn plane(&self) -> Option<(&str, &str)> {
        let plane = self.scopes.first().filter(|_| self.family == Family::Ucp)?;
        Some((plane.type_text(), plane.name()?))
    }

    /// The name of the scope of this type (`accounts`, `regions`, `resourceGroups`), if the id is
    /// in one. The type compares ASCII-case-insensitively; a plane is not looked at.
    pub fn scope_name(&self, scope_type: &str) -> Option<&str> {
        let planes = usize::from(self.family == Family::Ucp);
        let scopes = self.scopes.iter().skip(planes);
        scopes.rev().find(|scope| scope.type_text().eq_ignore_ascii_case(scope_type))?.name()
    }

    /// Whether the last name is an identifier that AWS gave: case-sensitive, any characters.
    pub fn is_aws_identifier(&self) -> bool {
        let rule = self.provider().map(|namespace| self.rule_below(namespace));
        self.name().is_some() && rule == Some(Rule::Identifier)
    }

    /// The AWS type that this id or the reference it names speaks of, if it has the form of one.
    pub fn aws_type(&self) -> Option<TypeName> {
        if let Some(target) = self.reference_type() {
            return TypeName::parse(&target).ok();
        }
        match self.rule_below(self.provider()?) {
            Rule::Plain => None,
            Rule::Identifier => TypeName::parse(&self.resource_type()?).ok(),
        }
    }

    /// Whether this names a reference: a type that ends in `:reference`.
    pub fn is_reference(&self) -> bool {
        self.reference_type().is_some()
    }

    /// The type that a reference maps to: its own without `:reference`.
    pub fn reference_type(&self) -> Option<String> {
        let mut whole = self.resource_type()?;
        let start = whole.len().checked_sub(REFERENCE.len())?;
        if !whole.get(start..)?.eq_ignore_ascii_case(REFERENCE) {
            return None;
        }
        whole.truncate(start);
        Some(whole)
    }

    /// What this hangs below: a nested resource's parent, an extension's resource, a resource's
    /// scope, a scope's outer scope. The roots `/` and `/planes` have none.
    pub fn parent(&self) -> Option<Self> {
        let mut parent = self.clone();
        if parent.extensions.pop().is_none() && parent.types.pop().is_none() {
            parent.scopes.pop()?;
        }
        Some(parent.keyed())
    }

    /// The collection that this is in, or this if it is a collection. The root `/` is in none.
    pub fn collection(&self) -> Option<Self> {
        if self.kind().is_collection() {
            return Some(self.clone());
        }
        let mut collection = self.clone();
        collection.last_mut()?.take_name();
        Some(collection.keyed())
    }

    /// The scope that this is in, or this if it is a scope; `/planes` for a collection of planes.
    #[must_use]
    pub fn scope(&self) -> Self {
        let mut scope = self.clone();
        scope.extensions.clear();
        scope.types.clear();
        scope.scopes.retain(|segment| segment.name().is_some());
        scope.keyed()
    }

    /// The form by which ids compare: ASCII-lower but for AWS identifiers. It reads as an equal id.
    pub fn normalized(&self) -> &str {
        &self.key
    }

    fn new(family: Family) -> Self {
        let id =
            Self { family, scopes: vec![], types: vec![], extensions: vec![], key: String::new() };
        id.keyed()
    }

    /// Invariant: every id leaves this module with the key of its parts.
    fn keyed(mut self) -> Self {
        self.key = self.render(Case::Folded);
        self
    }

    /// The rule for names below `/providers/{namespace}`: an AWS plane names AWS resources by
    /// their identifiers, but for what is not AWS's: the plane's own credentials, and locks or
    /// tags that extend a resource as they do in Azure.
    fn rule_below(&self, namespace: &str) -> Rule {
        let is = |text: &str, other: &str| text.eq_ignore_ascii_case(other);
        let vendor = namespace.split('.').next().unwrap_or_default();
        let is_foreign = is(vendor, "System") || is(vendor, "Microsoft");
        match self.plane() {
            Some((plane, _)) if is(plane, "aws") && !is_foreign => Rule::Identifier,
            _ => Rule::Plain,
        }
    }

    fn last(&self) -> Option<&Segment> {
        self.extensions.last().or(self.types.last()).or(self.scopes.last())
    }

    fn last_mut(&mut self) -> Option<&mut Segment> {
        self.extensions.last_mut().or(self.types.last_mut()).or(self.scopes.last_mut())
    }

    /// The segments after the last `/providers/`.
    fn innermost(&self) -> &[Segment] {
        let segments = if self.extensions.is_empty() { &self.types } else { &self.extensions };
        let start = segments.iter().rposition(|segment| segment.namespace().is_some());
        &segments[start.unwrap_or(0)..]
    }

    fn render(&self, case: Case) -> String {
        let mut text = match self.family {
            Family::Ucp => format!("/{}", parse::PLANES),
            Family::Arm => String::new(),
        };
        for scope in &self.scopes {
            scope.write(&mut text, Rule::Plain, case);
        }
        let mut rule = Rule::Plain;
        for segment in self.types.iter().chain(&self.extensions) {
            if let Some(namespace) = segment.namespace() {
                rule = self.rule_below(namespace);
            }
            segment.write(&mut text, rule, case);
        }
        if text.is_empty() {
            text.push('/');
        }
        text
    }
}

/// Whether names are written as they were read or in the form by which they compare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    AsRead,
    Folded,
}

/// What the type of a reference ends in.
const REFERENCE: &str = ":reference";

impl FromStr for ResourceId {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Self::parse(text)
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Case::AsRead))
    }
}

impl fmt::Debug for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResourceId({self})")
    }
}

impl PartialEq for ResourceId {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for ResourceId {}

impl Hash for ResourceId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl PartialOrd for ResourceId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ResourceId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}
