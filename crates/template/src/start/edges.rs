//! Who needs whom: every name of a resource in a body, through variables, and through what modules are given and
//! put out, is an edge.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use hangar_diag::Diagnostic;

use crate::codes;
use crate::deployment::Node;
use crate::evaluate::{Evaluator, Frame, Instance, Scope, position as position_of, with_round};
use crate::ir::{Declared, Expression, ExpressionKind, Index, ResourceDeclaration};
use crate::source::Problem;
use crate::value::Data;

/// What is named, each thing once.
type Named = BTreeSet<Target>;

/// Something that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// One of a resource's instances, or all.
    Resource { frame: usize, resource: usize, instance: Option<usize> },
    /// Everything of a module.
    Frame(usize),
}

/// Edges of one deployment.
const MOST_EDGES: usize = 2_000_000;

/// Fills in what each node depends on.
pub(super) fn fill(root: Evaluator<'_>, frames: &[Arc<Frame>], nodes: &mut [Node]) -> Vec<Problem> {
    let mut edges = Edges {
        frames: frames.iter().map(|frame| (frame.id, &**frame)).collect(),
        parameters: HashMap::new(),
        variables: HashMap::new(),
        outputs: HashMap::new(),
        before: HashMap::new(),
        nodes: HashMap::new(),
    };
    edges.learn(root);
    let mut count = 0;
    for frame in frames {
        let evaluator = root.of_frame(frame);
        for (resource, declared) in evaluator.unit.resources.iter().enumerate() {
            let instances = frame.instances_of(resource);
            for (at, instance) in instances.iter().enumerate() {
                let Some(instance) = instance else { continue };
                let mut needed = edges.needed(evaluator, declared, instance);
                if let Some(size) = declared.batch {
                    let batch = at / size;
                    let before = batch.saturating_sub(1) * size..batch * size;
                    let before = instances.get(before).unwrap_or_default();
                    needed.extend(before.iter().flatten().map(Instance::node));
                }
                needed.remove(&instance.node());
                count += needed.len();
                if count > MOST_EDGES {
                    let message = format!(
                        "the template has more than {MOST_EDGES} dependencies between resources"
                    );
                    let diagnostic = Diagnostic::error(codes::TOO_MANY_RESOURCES, message);
                    return vec![evaluator.problem(diagnostic.at(declared.name.span, ""))];
                }
                if let Some(node) = nodes.get_mut(instance.node()) {
                    node.depends_on = needed.into_iter().collect();
                }
            }
        }
    }
    Vec::new()
}

/// What declarations name, by frame and place.
struct Edges<'f> {
    frames: HashMap<usize, &'f Frame>,
    parameters: HashMap<(usize, usize), Named>,
    variables: HashMap<(usize, usize), Named>,
    outputs: HashMap<(usize, usize), Named>,
    /// What all of a frame waits for.
    before: HashMap<usize, Named>,
    /// The nodes of a frame and of those in it.
    nodes: HashMap<usize, Vec<usize>>,
}

impl Edges<'_> {
    /// What the declarations of a frame name, what others need first; then of those in it.
    fn learn(&mut self, evaluator: Evaluator<'_>) {
        let (frame, unit) = (evaluator.frame, evaluator.unit);
        for declared in &unit.sequence {
            match declared {
                Declared::Parameter(index) => {
                    let named = self.given(evaluator, *index);
                    self.parameters.insert((frame.id, *index), named);
                }
                Declared::Variable(index) => {
                    let variable = &unit.variables[*index];
                    if variable.is_constant {
                        continue;
                    }
                    let mut named = Named::new();
                    self.named(evaluator, &variable.value, Around::NOTHING, &mut named);
                    self.variables.insert((frame.id, *index), named);
                }
                Declared::Module(module) => self.learn_module(evaluator, *module),
                Declared::Resource(_) => {}
            }
        }
        for (index, output) in unit.outputs.iter().enumerate() {
            let mut named = Named::new();
            self.named(evaluator, &output.value, Around::NOTHING, &mut named);
            self.outputs.insert((frame.id, index), named);
        }
        let resources = (0..unit.resources.len()).flat_map(|it| frame.instances_of(it));
        let mut nodes: Vec<usize> = resources.flatten().map(Instance::node).collect();
        for part in frame.parts() {
            nodes.extend(self.nodes.get(&part.id).into_iter().flatten());
        }
        self.nodes.insert(frame.id, nodes);
    }

    fn learn_module(&mut self, evaluator: Evaluator<'_>, module: usize) {
        let declared = &evaluator.unit.modules[module];
        let instances = evaluator.frame.modules_of(module);
        for (at, instance) in instances.iter().enumerate() {
            let Some(instance) = instance else { continue };
            let mut before = self.before.get(&evaluator.frame.id).cloned().unwrap_or_default();
            with_round(&instance.round, |scope| {
                let around = Around { scope, levels: 2 };
                for expression in &declared.depends_on {
                    self.named(evaluator, expression, around, &mut before);
                }
            });
            if let Some(size) = declared.batch {
                let batch = at / size;
                let last = instances.get(batch.saturating_sub(1) * size..batch * size);
                let last = last.unwrap_or_default().iter().flatten();
                before.extend(last.map(|it| Target::Frame(it.frame.id)));
            }
            self.before.insert(instance.frame.id, before);
            self.learn(evaluator.of_frame(&instance.frame));
        }
    }

    /// What the value of a parameter names.
    fn given(&self, evaluator: Evaluator<'_>, index: usize) -> Named {
        let mut named = Named::new();
        let declared = &evaluator.unit.parameters[index];
        let origin = evaluator.frame.origin.as_ref();
        let origin = origin.and_then(|it| Some((it, it.parent.upgrade()?)));
        if let Some((origin, parent)) = origin {
            let around = evaluator.of_frame(&parent);
            let params = &around.unit.modules[origin.module].params;
            if let Some(given) = params.iter().find(|it| it.name.text == declared.name.text) {
                with_round(&origin.round, |scope| {
                    self.named(around, &given.value, Around { scope, levels: 2 }, &mut named);
                });
                return named;
            }
        }
        if let Some(default) = &declared.default {
            self.named(evaluator, default, Around::NOTHING, &mut named);
        }
        named
    }

    fn needed(
        &self,
        evaluator: Evaluator<'_>,
        declared: &ResourceDeclaration,
        instance: &Instance,
    ) -> BTreeSet<usize> {
        let frame = evaluator.frame.id;
        let levels = if instance.round.is_some() { 2 } else { 0 };
        let mut named = self.before.get(&frame).cloned().unwrap_or_default();
        named.extend(declared.parent.map(|resource| Target::Resource {
            frame,
            resource,
            instance: None,
        }));
        instance.with_scope(|scope| {
            let around = Around { scope, levels };
            for expression in declared.expressions() {
                self.named(evaluator, expression, around, &mut named);
            }
        });
        let mut needed = BTreeSet::new();
        for target in named {
            match target {
                Target::Frame(frame) => needed.extend(self.nodes.get(&frame).into_iter().flatten()),
                Target::Resource { frame, resource, instance } => {
                    let instances = self.frames.get(&frame).map(|it| it.instances_of(resource));
                    let instances = instances.unwrap_or_default();
                    match instance {
                        Some(at) => {
                            let one = instances.get(at).into_iter().flatten();
                            needed.extend(one.map(Instance::node));
                        }
                        None => needed.extend(instances.iter().flatten().map(Instance::node)),
                    }
                }
            }
        }
        needed
    }

    fn named(
        &self,
        evaluator: Evaluator<'_>,
        expression: &Expression,
        around: Around<'_>,
        found: &mut Named,
    ) {
        let frame = evaluator.frame.id;
        if let Some(read) = ModuleRead::of(expression) {
            if let Some(index) = read.index {
                self.named(evaluator, &index.at, around, found);
            }
            return self.named_by_module(evaluator, &read, around, found);
        }
        match &expression.kind {
            ExpressionKind::Resource(resource) => {
                found.insert(Target::Resource { frame, resource: *resource, instance: None });
            }
            ExpressionKind::Parameter(index) => {
                found.extend(self.parameters.get(&(frame, *index)).into_iter().flatten());
            }
            ExpressionKind::Variable(index) => {
                found.extend(self.variables.get(&(frame, *index)).into_iter().flatten());
            }
            ExpressionKind::Index(index)
                if matches!(index.base.kind, ExpressionKind::Resource(_)) =>
            {
                if let ExpressionKind::Resource(resource) = index.base.kind {
                    let instance = position(evaluator, resource, index, around);
                    found.insert(Target::Resource { frame, resource, instance });
                }
                self.named(evaluator, &index.at, around, found);
            }
            _ => expression.for_each_part(|part| self.named(evaluator, part, around, found)),
        }
    }

    /// What is named by a read of a module: what the output needs, and nothing more.
    fn named_by_module(
        &self,
        evaluator: Evaluator<'_>,
        read: &ModuleRead<'_>,
        around: Around<'_>,
        found: &mut Named,
    ) {
        let instances = evaluator.frame.modules_of(read.module);
        let one = read.index.and_then(|index| {
            let to = number(evaluator, index, around)?;
            position_of(instances, to)
        });
        let instances = match one {
            Some(at) => instances.get(at).map(std::slice::from_ref).unwrap_or_default(),
            None => instances,
        };
        for instance in instances.iter().flatten() {
            let inside = instance.frame.id;
            let outputs = &evaluator.shared.units.list[instance.frame.unit].outputs;
            match read.what {
                Part::Whole => {
                    found.insert(Target::Frame(inside));
                }
                Part::Name => {}
                Part::Outputs(name) => {
                    for (index, output) in outputs.iter().enumerate() {
                        if name.is_none_or(|name| &*output.name.text == name) {
                            found.extend(self.outputs.get(&(inside, index)).into_iter().flatten());
                        }
                    }
                }
            }
        }
    }
}

/// A chain that begins at a module.
struct ModuleRead<'e> {
    module: usize,
    index: Option<&'e Index>,
    what: Part<'e>,
}

#[derive(Clone, Copy)]
enum Part<'e> {
    Whole,
    Name,
    /// One output, or all.
    Outputs(Option<&'e str>),
}

impl<'e> ModuleRead<'e> {
    fn of(expression: &'e Expression) -> Option<Self> {
        match &expression.kind {
            ExpressionKind::Module(module) => {
                Some(Self { module: *module, index: None, what: Part::Whole })
            }
            ExpressionKind::NonNull(inner) | ExpressionKind::Any(inner) => Self::of(inner),
            ExpressionKind::Index(index) => match index.base.kind {
                ExpressionKind::Module(module) => {
                    Some(Self { module, index: Some(index), what: Part::Whole })
                }
                _ => None,
            },
            ExpressionKind::Member(member) => {
                let base = Self::of(&member.base)?;
                let what = match (base.what, &*member.name.text) {
                    (Part::Whole, "name") => Part::Name,
                    (Part::Whole, "outputs") => Part::Outputs(None),
                    (Part::Outputs(None), name) => Part::Outputs(Some(name)),
                    (what, _) => what,
                };
                Some(Self { what, ..base })
            }
            _ => None,
        }
    }
}

/// Which instance of a resource an index names, where that is known at the start.
pub(super) fn position(
    evaluator: Evaluator<'_>,
    resource: usize,
    index: &Index,
    around: Around<'_>,
) -> Option<usize> {
    let to = number(evaluator, index, around)?;
    position_of(evaluator.frame.instances_of(resource), to)
}

/// The position that an index names, where that is known at the start.
fn number(
    evaluator: Evaluator<'_>,
    index: &Index,
    around: Around<'_>,
) -> Option<impl Fn(usize) -> Option<usize> + use<>> {
    if uses_locals_from(&index.at, around.levels) {
        return None;
    }
    // What is wrong with it is told where the body is evaluated.
    let value = evaluator.value(&index.at, around.scope).ok()?;
    let Data::Int(number) = value.data else { return None };
    let number = usize::try_from(number).ok()?;
    let from_end = index.from_end;
    Some(move |count: usize| if from_end { count.checked_sub(number) } else { Some(number) })
}

/// The locals that have a value.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) levels: usize,
}

impl Around<'_> {
    pub(super) const NOTHING: Self = Self { scope: Scope::EMPTY, levels: 0 };
}

fn uses_locals_from(expression: &Expression, level: usize) -> bool {
    if let ExpressionKind::Local(at) = expression.kind {
        return at >= level;
    }
    let mut uses = false;
    expression.for_each_part(|part| uses = uses || uses_locals_from(part, level));
    uses
}
