//! The beginning of a deployment: parameters, then the resources that loops and conditions leave, their
//! aliases and their order; then everything once with nothing known, so that what can be wrong before
//! the first resource is made is told before it.

mod alias;
mod edges;
mod instances;
mod reads;
mod recipe;
mod settings;

use std::sync::Arc;

use hangar_diag::Diagnostic;

use crate::codes;
use crate::deployment::{Deployment, Inputs, NothingKnown};
use crate::evaluate::{Evaluator, Facts};
use crate::ir::{Declared, Unit, Units, What};
use crate::near::near;
use crate::program::{Started, settle};
use crate::source::{Problem, add};

/// Begins a deployment.
pub(crate) fn start(units: &Arc<Units>, inputs: &Inputs) -> Started {
    let unit = units.entry();
    let facts = Facts::new(unit, inputs.clone());
    let evaluator = Evaluator::new(units, &facts, &NothingKnown);
    let start = Start { unit, evaluator: &evaluator, problems: Vec::new() };
    let (nodes, reads, mut problems) = start.run();
    problems.retain(|it| !unit.silence.covers(&it.diagnostic));
    settle(&mut problems);
    let is_wrong = problems.iter().any(Problem::is_error);
    drop(evaluator);
    let deployment = (!is_wrong).then(|| Deployment::new(units.clone(), facts, nodes, reads));
    Started { deployment, problems }
}

struct Start<'a> {
    unit: &'a Unit,
    evaluator: &'a Evaluator<'a>,
    problems: Vec<Problem>,
}

type Run = (Vec<crate::deployment::Node>, Vec<crate::deployment::Read>, Vec<Problem>);

impl Start<'_> {
    fn run(mut self) -> Run {
        self.target_scope();
        self.undeclared_parameters();
        self.parameters();
        self.settings();
        self.foreign_resources();
        self.instances();
        let mut nodes = self.nodes();
        self.check_aliases(&nodes);
        self.edges(&mut nodes);
        self.bodies(&nodes);
        let outputs = self.evaluator.outputs();
        self.note(outputs.map(|_| ()));
        let reads = self.reads();
        self.recipe_reads(&nodes, &reads);
        (nodes, reads, self.problems)
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
        for name in self.evaluator.facts.inputs.parameters.keys() {
            if declared.contains(&name.as_str()) {
                continue;
            }
            let message = format!("a value is given for `{name}`, and no parameter has that name");
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
        let is_skipped = self.evaluator.facts.inputs.skip_unsupported;
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
                    format!("`{name}` is left out: Hangar cannot deploy `{}` yet", written.text);
                Diagnostic::warning(codes::CANNOT_DEPLOY, message)
            } else {
                let message = format!("Hangar cannot deploy `{}` yet", written.text);
                let hint = "deploy the rest with `--skip-unsupported`";
                Diagnostic::error(codes::CANNOT_DEPLOY, message).hint(hint)
            };
            let problem = self.evaluator.problem(diagnostic.at(written.span, ""));
            self.problems.push(problem);
        }
    }

    /// All bodies with nothing known: for their problems, and for what of them is secret.
    fn bodies(&mut self, nodes: &[crate::deployment::Node]) {
        let mut outlines = vec![None; nodes.len()];
        for declared in &self.unit.sequence {
            let resource = match declared {
                Declared::Resource(resource) => *resource,
                Declared::Variable(index) => {
                    self.evaluator.prepare_variable(*index);
                    continue;
                }
                Declared::Parameter(_) | Declared::Module(_) => continue,
            };
            let declared = &self.unit.resources[resource];
            for instance in self.evaluator.facts.instances_of(resource).iter().flatten() {
                match self.evaluator.body(declared, instance) {
                    Ok(body) => {
                        if let Some(node) = nodes.get(instance.node()) {
                            let found = self.recipe(node, &body);
                            add(&mut self.problems, found);
                        }
                        if body.properties.holds_secret()
                            && let Some(outline) = outlines.get_mut(instance.node())
                        {
                            *outline = Some(body.properties);
                        }
                    }
                    Err(found) => add(&mut self.problems, found),
                }
            }
        }
        // Set once: a start has one run.
        let _ = self.evaluator.facts.outlines.set(outlines);
    }
}
