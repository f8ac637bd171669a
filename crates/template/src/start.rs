//! The beginning of a deployment: parameters, then the resources that loops and conditions leave, their
//! aliases and their order; then everything once with nothing known, so that what can be wrong before
//! the first resource is made is told before it.

mod alias;
mod edges;
mod instances;
mod modules;
mod reads;
mod recipe;
mod settings;

use std::cell::Cell;
use std::sync::Arc;

use hangar_diag::Diagnostic;

use crate::codes;
use crate::deployment::{Deployment, Inputs, Node, NothingKnown};
use crate::evaluate::{Evaluator, Facts, Frame, Shared};
use crate::ir::{Declared, Unit, Units, What};
use crate::near::near;
use crate::program::{Started, settle};
use crate::source::{Problem, add};
use crate::value::Value;

/// Begins a deployment.
pub(crate) fn start(units: &Arc<Units>, inputs: &Inputs) -> Started {
    let facts = Facts::new(units, inputs.clone());
    let shared = Shared::new(units, &facts, &NothingKnown);
    let (nodes, reads, mut problems) = run(shared.root(), &facts.root);
    let silence_of = |file: &str| units.list.iter().find(|it| *it.file == *file);
    problems
        .retain(|it| silence_of(&it.file).is_none_or(|unit| !unit.silence.covers(&it.diagnostic)));
    settle(&mut problems);
    let is_wrong = problems.iter().any(Problem::is_error);
    drop(shared);
    let deployment = Deployment::new(units.clone(), facts, nodes, reads);
    let (deployment, partial) =
        if is_wrong { (None, Some(deployment)) } else { (Some(deployment), None) };
    Started { deployment, partial, problems }
}

type Run = (Vec<Node>, Vec<crate::deployment::Read>, Vec<Problem>);

fn run<'a>(root: Evaluator<'a>, frame: &'a Arc<Frame>) -> Run {
    let tally = Tally::default();
    let mut start = Start::new(root, frame, &tally);
    start.undeclared_parameters();
    start.begin();
    let mut problems = start.problems;
    let frames = frames_of(frame);
    let mut nodes = Vec::new();
    for frame in &frames {
        Start::new(root.of_frame(frame), frame, &tally).nodes(&mut nodes);
    }
    add(&mut problems, alias::duplicates(root, &frames, &nodes));
    add(&mut problems, edges::fill(root, &frames, &mut nodes));
    let mut outlines = vec![None; nodes.len()];
    bodies(root, frame, &tally, &nodes, &mut outlines, &mut problems);
    // Set once: a start has one run.
    let _ = root.shared.facts.outlines.set(outlines);
    let mut reads = Vec::new();
    for frame in &frames {
        let start = Start::new(root.of_frame(frame), frame, &tally);
        match start.evaluator.outputs() {
            Ok(outputs) => {
                add(&mut problems, start.evaluator.warn_of_secret_outputs(&outputs));
            }
            Err(found) => add(&mut problems, found),
        }
        start.reads(&mut reads);
    }
    // A module that is there twice reads the same in the same place.
    reads.sort_by(|a, b| (&a.place.file, a.place.span).cmp(&(&b.place.file, b.place.span)));
    reads.dedup_by(|a, b| a.place == b.place && a.path == b.path);
    add(&mut problems, recipe::wrong_reads(&nodes, &reads));
    (nodes, reads, problems)
}

/// A frame and those of its modules, each before its own.
fn frames_of(frame: &Arc<Frame>) -> Vec<Arc<Frame>> {
    let mut frames = vec![frame.clone()];
    for part in frame.parts() {
        frames.extend(frames_of(part));
    }
    frames
}

/// What all frames of a deployment come to together.
#[derive(Default)]
struct Tally {
    resources: Cell<usize>,
    modules: Cell<usize>,
    /// Everything that is declared, once for each module that it is declared in.
    declarations: Cell<usize>,
    /// Whether there are too many modules, which was reported.
    is_exceeded: Cell<bool>,
}

/// The beginning of one frame.
struct Start<'a> {
    unit: &'a Unit,
    evaluator: Evaluator<'a>,
    frame: &'a Arc<Frame>,
    tally: &'a Tally,
    problems: Vec<Problem>,
}

impl<'a> Start<'a> {
    const fn new(evaluator: Evaluator<'a>, frame: &'a Arc<Frame>, tally: &'a Tally) -> Self {
        Self { unit: evaluator.unit, evaluator, frame, tally, problems: Vec::new() }
    }

    /// Parameters and instances, those of modules included.
    fn begin(&mut self) {
        self.target_scope();
        self.parameters();
        self.settings();
        self.foreign_resources();
        self.instances();
    }

    /// Hangar deploys to groups only.
    fn target_scope(&mut self) {
        let Some(scope) = &self.unit.target_scope else { return };
        if &*scope.text != "resourceGroup" {
            let message =
                "Hangar deploys to a group: only `targetScope = 'resourceGroup'` is supported";
            let diagnostic = Diagnostic::error(codes::NOT_SUPPORTED, message).at(scope.span, "");
            let problem = self.evaluator.problem(diagnostic);
            self.problems.push(problem);
        }
    }

    /// All parameters, and what they and others need of variables.
    fn parameters(&mut self) {
        for declared in &self.unit.sequence {
            match declared {
                Declared::Parameter(index) => {
                    let value = self.evaluator.parameter(*index);
                    self.note(value.map(|_| ()));
                }
                Declared::Variable(index) if !self.unit.variables[*index].reaches_resource => {
                    self.evaluator.prepare_variable(*index);
                }
                Declared::Variable(_) | Declared::Resource(_) | Declared::Module(_) => {}
            }
        }
    }

    fn note(&mut self, result: Result<(), Vec<Problem>>) {
        if let Err(found) = result {
            add(&mut self.problems, found);
        }
    }

    /// Values for parameters that there are not.
    fn undeclared_parameters(&mut self) {
        let declared: Vec<&str> = self.unit.parameters.iter().map(|it| &*it.name.text).collect();
        for name in self.evaluator.shared.facts.inputs.parameters.keys() {
            if declared.contains(&name.as_str()) {
                continue;
            }
            let message = format!(
                "a value is set for `{name}`, but the template has no parameter with that name"
            );
            let mut diagnostic = Diagnostic::error(codes::UNDECLARED_PARAMETER, message);
            if let Some(near) = near(name, declared.iter().copied()) {
                let place = self.unit.parameters.iter().find(|it| &*it.name.text == near);
                if let Some(near) = place {
                    diagnostic = diagnostic.at(near.name.span, "");
                }
                diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
            }
            let problem = self.evaluator.problem(diagnostic);
            self.problems.push(problem);
        }
    }

    /// Resources of kinds that cannot be deployed yet: errors, or left out with a warning.
    fn foreign_resources(&mut self) {
        let is_skipped = self.evaluator.shared.facts.inputs.skip_unsupported;
        for declared in &self.unit.resources {
            let What::Foreign { written } = &declared.what else { continue };
            let in_foreign = declared.parent.is_some_and(|parent| {
                matches!(self.unit.resources[parent].what, What::Foreign { .. })
            });
            if in_foreign {
                // It goes with the one around it.
                continue;
            }
            let name = &declared.name.text;
            let diagnostic = if is_skipped {
                let message =
                    format!("`{name}` is skipped: Hangar cannot deploy `{}` yet", written.text);
                Diagnostic::warning(codes::CANNOT_DEPLOY, message)
            } else {
                let message = format!("Hangar cannot deploy `{}` yet", written.text);
                let hint = "deploy the rest with `--skip-unsupported`";
                Diagnostic::error(codes::CANNOT_DEPLOY, message).hint(hint)
            };
            let problem = self.evaluator.problem(diagnostic.at(written.span, ""));
            add(&mut self.problems, vec![problem]);
        }
    }
}

/// All bodies with nothing known: for their problems, and for what of them is secret.
fn bodies(
    evaluator: Evaluator<'_>,
    frame: &Arc<Frame>,
    tally: &Tally,
    nodes: &[Node],
    outlines: &mut [Option<Value>],
    problems: &mut Vec<Problem>,
) {
    let start = Start::new(evaluator, frame, tally);
    for declared in &start.unit.sequence {
        let resource = match declared {
            Declared::Resource(resource) => *resource,
            Declared::Variable(index) => {
                evaluator.prepare_variable(*index);
                continue;
            }
            Declared::Module(module) => {
                for instance in frame.modules_of(*module).iter().flatten() {
                    let inside = evaluator.of_frame(&instance.frame);
                    bodies(inside, &instance.frame, tally, nodes, outlines, problems);
                }
                continue;
            }
            Declared::Parameter(index) => {
                // What is wrong with it was told.
                let _ = evaluator.parameter(*index);
                continue;
            }
        };
        let declared = &start.unit.resources[resource];
        for instance in frame.instances_of(resource).iter().flatten() {
            match evaluator.body(declared, instance) {
                Ok(body) => {
                    if let Some(node) = nodes.get(instance.node()) {
                        add(problems, start.recipe(node, &body));
                    }
                    if body.properties.holds_secret()
                        && let Some(outline) = outlines.get_mut(instance.node())
                    {
                        *outline = Some(body.properties);
                    }
                }
                Err(found) => add(problems, found),
            }
        }
    }
    // So that whoever reads them never goes deep; what is wrong with them is told once all are read.
    let _ = evaluator.outputs();
}
