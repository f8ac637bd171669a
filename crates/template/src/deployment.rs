//! What a template comes to: inputs in, nodes and outputs out.
//!
//! These are the types at the border of the crate; `program` compiles to them, `start` begins them and
//! `evaluate` fills them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hangar_ids::{AccountId, Region, TypeName};
use serde_json::Value as Json;

use crate::codes;
use crate::evaluate::{Evaluator, Facts, Frame, Shared};
use crate::id_flow::{IdUse, id_uses};
use crate::ir::{Expression, ExpressionKind, SECRETS, Units};
use crate::recipe::{RECIPE_TYPE, Recipe};
use crate::source::{Place, Problem};
use crate::value::Value;

/// All that a deployment is told from outside. The same inputs always give the same deployment.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Values of parameters by name.
    pub parameters: BTreeMap<String, Json>,
    /// Where a parameters file gives those values, by name. A mistake in such a value is reported there, any other
    /// where the parameter is declared.
    pub parameter_places: BTreeMap<String, Place>,
    /// What becomes of a parameter that has neither a value nor a default.
    pub missing: MissingParameter,
    /// The group, for `resourceGroup()`.
    pub group: GroupFacts,
    /// The name of the deployment, for `deployment().name`.
    pub name: String,
    /// The account and region of resources whose extension names none, for `aws.accountId()`.
    pub account: Option<AccountId>,
    /// See `account`.
    pub region: Option<Region>,
    /// When it began, in microseconds since 1970: `utcNow()`. Nothing where it is only looked at.
    pub now: Option<i64>,
    /// What the values of `newGuid()` are made from. Nothing where it is only looked at.
    pub seed: Option<u128>,
    /// The moments of defaults that an earlier run of the deployment evaluated, by the address of the parameter
    /// (`name`, or `module/name`). A default whose text is the same gets the same values again.
    pub moments: BTreeMap<String, DefaultMoment>,
    /// Whether resources that cannot be deployed yet are left out with a warning; else they are errors.
    pub skip_unsupported: bool,
}

/// The instant and the seed that a parameter's default was evaluated with: all that `utcNow()` and `newGuid()` need to
/// return the same values again.
#[derive(Clone, PartialEq, Eq)]
pub struct DefaultMoment {
    /// The hash of the default's tokens. Spaces and comments do not count.
    pub fingerprint: String,
    /// The value of `utcNow()`, in microseconds since 1970.
    pub now: i64,
    /// What the values of `newGuid()` are made from; as secret as they are.
    pub seed: u128,
}

impl fmt::Debug for DefaultMoment {
    /// Without the seed: passwords are made from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DefaultMoment({}, «secret»)", self.now)
    }
}

/// What becomes of a parameter that has neither a value nor a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingParameter {
    /// It is an error: something is to be deployed.
    #[default]
    Refused,
    /// It is not known: the template is only looked at.
    Unknown,
}

/// What a template can ask of the group that it is deployed to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupFacts {
    /// Its id; `uniqueString(resourceGroup().id)` rests on its spelling.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its location, or an empty text.
    pub location: String,
    /// Its tags.
    pub tags: BTreeMap<String, String>,
}

/// One resource of a deployment, after loops and conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// How people name it: the symbol, with the index in a loop (`subnets[0]`), behind the module it is in
    /// (`network/vpc`).
    pub address: Arc<str>,
    /// Where its symbol is declared.
    pub place: Place,
    /// What it is.
    pub kind: NodeKind,
    /// What is to be done with it.
    pub target: Target,
    /// The nodes that must be done before it, by their places in the list, in order; never a cycle.
    pub depends_on: Vec<usize>,
}

impl Node {
    /// Its type as ids and templates spell it.
    pub fn type_text(&self) -> String {
        match &self.kind {
            NodeKind::Aws(aws) => aws.type_name.ucp(),
            NodeKind::Recipe => RECIPE_TYPE.to_owned(),
        }
    }

    /// What it is in AWS, if it is of AWS.
    pub const fn aws(&self) -> Option<&AwsNode> {
        match &self.kind {
            NodeKind::Aws(aws) => Some(aws),
            NodeKind::Recipe => None,
        }
    }
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A resource of AWS.
    Aws(AwsNode),
    /// A recipe, a module of Terraform's that is run; its target's alias is its name.
    Recipe,
}

/// What a resource of AWS is.
#[derive(Debug, Clone, PartialEq)]
pub struct AwsNode {
    /// Its type.
    pub type_name: TypeName,
    /// The account that its extension names.
    pub account: Option<AccountId>,
    /// The region that its extension names.
    pub region: Option<Region>,
}

/// What is to be done with a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Make it as its body says, by this alias.
    Managed {
        /// The user's name for it.
        alias: Arc<str>,
    },
    /// Read it: by its alias, or by the identifier that its name or its properties give.
    Existing {
        /// The user's name for it, where the body has one.
        alias: Option<Arc<str>>,
        /// Whether it is null, and no error, where there is none (`@nullIfNotFound()`).
        or_null: bool,
    },
}

/// What the body of a node comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// The properties; members that are null are left out.
    pub properties: Value,
    /// The `name` of an existing one: its primary identifier.
    pub name: Option<Value>,
    /// Where parts of the properties are written, by RFC 6901 pointer; `""` is all of them. What is
    /// computed has the place of what is around it.
    pub places: BTreeMap<String, Written>,
}

impl Body {
    /// Where a property is written, or what is around it; nothing where only the properties as a whole are.
    pub fn written_at(&self, pointer: &str) -> Option<&Written> {
        let mut at = pointer;
        while !at.is_empty() {
            if let Some(written) = self.places.get(at) {
                return Some(written);
            }
            at = at.rsplit_once('/').map_or("", |(above, _)| above);
        }
        None
    }
}

/// Where a property is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its key; of an item of a list, the item.
    pub key: Place,
    /// Its value.
    pub value: Place,
}

/// A read of a resource's property that the template makes: to be held against the type's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The node that is read.
    pub node: usize,
    /// What is read of its properties, member by member (`["VpcId"]`); indices are left out from the
    /// first one on.
    pub path: Vec<Arc<str>>,
    /// Whether null is fine where it is missing (`.?`).
    pub is_safe: bool,
    /// Where it is written.
    pub place: Place,
}

/// An output.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: Arc<str>,
    /// The kind of the type that is declared for it (`string`); where it has several, the type as it is written.
    pub type_text: Arc<str>,
    /// Whether it is declared `@secure()`.
    pub secure: bool,
    /// Its value.
    pub value: Value,
    /// Where it is declared.
    pub place: Place,
}

/// What is known of resources when a body is evaluated.
pub trait Known {
    /// What is known of a node.
    fn resource(&self, node: usize) -> Sight<'_>;
}

/// What is known of a resource.
#[derive(Debug, Clone, Copy)]
pub enum Sight<'a> {
    /// It is not there yet: what its own body states is known, the rest will be.
    Unknown,
    /// It was looked for and is not there; only of an existing one that may be null.
    Absent,
    /// It is there.
    Known(&'a Resource),
}

/// A resource as a template sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// The id of its reference, or of the resource where it has none.
    pub id: String,
    /// Its primary identifier.
    pub name: String,
    /// What a read of it shows.
    pub properties: Json,
    /// Whether what its own body states goes before what was read: it is about to be changed.
    pub changing: bool,
    /// The secrets of a recipe, where they were looked up ([`Deployment::reads_secrets_of`]).
    pub secrets: Option<Secrets>,
}

/// The secrets of a recipe by name; they do not print.
#[derive(Clone, PartialEq)]
pub struct Secrets(Json);

impl Secrets {
    /// Those of an object.
    pub const fn new(members: Json) -> Self {
        Self(members)
    }

    pub(crate) const fn expose(&self) -> &Json {
        &self.0
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«secret»")
    }
}

/// Nothing is known: for looking at a template before anything runs.
#[derive(Debug, Clone, Copy)]
pub struct NothingKnown;

impl Known for NothingKnown {
    fn resource(&self, _node: usize) -> Sight<'_> {
        Sight::Unknown
    }
}

/// A template with its inputs: nodes, and what their bodies come to as more and more is known.
#[derive(Clone)]
pub struct Deployment {
    pub(crate) units: Arc<Units>,
    pub(crate) facts: Arc<Facts>,
    nodes: Vec<Node>,
    /// For each node, where it comes from.
    origins: Vec<Origin>,
    reads: Vec<Read>,
}

/// The frame that a node is in, the resource that declares it and which of its instances it is.
type Origin = (Arc<Frame>, usize, usize);

impl Deployment {
    pub(crate) fn new(units: Arc<Units>, facts: Facts, nodes: Vec<Node>, reads: Vec<Read>) -> Self {
        let mut found: Vec<(usize, Origin)> = Vec::with_capacity(nodes.len());
        let mut open = vec![facts.root.clone()];
        while let Some(frame) = open.pop() {
            open.extend(frame.parts().cloned());
            for resource in 0..units.list[frame.unit].resources.len() {
                for (at, instance) in frame.instances_of(resource).iter().enumerate() {
                    if let Some(instance) = instance {
                        found.push((instance.node(), (frame.clone(), resource, at)));
                    }
                }
            }
        }
        // Every instance has a node, and every node an instance.
        found.sort_by_key(|(node, _)| *node);
        let origins = found.into_iter().map(|(_, origin)| origin).collect();
        Self { units, facts: Arc::new(facts), nodes, origins, reads }
    }

    /// All resources after loops and conditions, in the order of their declarations.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the body of a node comes to with what is known of the others.
    pub fn body(&self, node: usize, known: &dyn Known) -> Result<Body, Vec<Problem>> {
        let Some((frame, resource, at)) = self.origins.get(node) else { return Err(Vec::new()) };
        let Some(Some(instance)) = frame.instances_of(*resource).get(*at) else {
            return Err(Vec::new());
        };
        let declared = &self.units.list[frame.unit].resources[*resource];
        self.evaluate(known, |root| root.of_frame(frame).body(declared, instance))
    }

    /// What the body of a recipe comes to; nothing where the node is none, or only read.
    pub fn recipe(&self, node: usize, known: &dyn Known) -> Result<Option<Recipe>, Vec<Problem>> {
        let is_recipe =
            |it: &&Node| it.kind == NodeKind::Recipe && matches!(it.target, Target::Managed { .. });
        let Some(described) = self.nodes.get(node).filter(is_recipe) else { return Ok(None) };
        let body = self.body(node, known)?;
        Recipe::of(&body, &described.place).map(Some)
    }

    /// Whether the template reads the secrets of a recipe.
    pub fn reads_secrets_of(&self, node: usize) -> bool {
        let Some((frame, resource, _)) = self.origins.get(node) else { return false };
        self.units.list[frame.unit].expressions().any(|it| reads_secrets(it, *resource))
    }

    /// The moments of all defaults that call `utcNow()` or `newGuid()`, by the address of the parameter: those that the
    /// inputs had, and those of this deployment for defaults that are evaluated for the first time.
    pub fn moments(&self) -> BTreeMap<String, DefaultMoment> {
        self.facts.moments()
    }

    /// Every read of a resource's property in the template, in the order of the text.
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// Every property of an AWS resource that holds Hangar's id of a resource, which AWS does not know.
    pub fn id_uses(&self) -> Vec<IdUse> {
        id_uses(&self.units)
    }

    /// Whether a directive in a file names the problem's code for its place (`#disable-next-line`). The
    /// template's own errors are told all the same; those who know better than the text may be told not to.
    pub fn is_silenced(&self, problem: &Problem) -> bool {
        let unit = self.units.list.iter().find(|it| it.file == problem.file);
        unit.is_some_and(|it| it.silence.names(&problem.diagnostic))
    }

    /// The outputs with what is known of the resources.
    pub fn outputs(&self, known: &dyn Known) -> Result<Vec<Output>, Vec<Problem>> {
        self.evaluate(known, |evaluator| evaluator.outputs())
    }

    /// Evaluates lazily; only where that goes too deep, everything in its order first.
    fn evaluate<T>(
        &self,
        known: &dyn Known,
        run: impl Fn(Evaluator<'_>) -> Result<T, Vec<Problem>>,
    ) -> Result<T, Vec<Problem>> {
        let shared = Shared::new(&self.units, &self.facts, known);
        let result = run(shared.root());
        let is_too_deep = |it: &Problem| it.diagnostic.code == codes::TOO_MUCH;
        let result = match result {
            Err(problems) if problems.iter().any(is_too_deep) => {
                let shared = Shared::new(&self.units, &self.facts, known);
                shared.root().prepare();
                run(shared.root())
            }
            other => other,
        };
        result.map_err(settled)
    }
}

/// Whether `listSecrets()` of a resource is in an expression.
fn reads_secrets(expression: &Expression, resource: usize) -> bool {
    if let ExpressionKind::Member(member) = &expression.kind
        && &*member.name.text == SECRETS
    {
        let of = match &member.base.kind {
            ExpressionKind::Index(index) => &index.base.kind,
            kind => kind,
        };
        if matches!(of, ExpressionKind::Resource(it) if *it == resource) {
            return true;
        }
    }
    let mut reads = false;
    expression.for_each_part(|part| reads = reads || reads_secrets(part, resource));
    reads
}

fn settled(mut problems: Vec<Problem>) -> Vec<Problem> {
    crate::program::settle(&mut problems);
    problems
}

/// What may be logged: parameters are not.
impl fmt::Debug for Deployment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deployment").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
