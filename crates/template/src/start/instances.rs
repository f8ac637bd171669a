//! Loops and conditions: which resources there are.

use std::sync::{Arc, OnceLock};

use hangar_diag::{Code, Diagnostic, Span};

use super::Start;
use super::alias::Word;
use crate::codes;
use crate::deployment::{AwsNode, Node, NodeKind, Target};
use crate::evaluate::{Instance, MOST_NODES, Round, Scope};
use crate::ir::{Declared, Expression, Repeat, ResourceDeclaration, What};
use crate::source::{Problem, add};
use crate::types::describe;
use crate::value::{Because, Data, Kind, Unknown, Value};

/// An address and the round of a loop.
pub(super) type Addressed = (Arc<str>, Round);

impl Start<'_> {
    /// Finds the instances of all resources and modules, what others need first.
    pub(super) fn instances(&mut self) {
        for declared in &self.unit.sequence {
            let resource = match declared {
                Declared::Resource(resource) => *resource,
                Declared::Module(module) => {
                    self.module(*module);
                    continue;
                }
                Declared::Parameter(_) | Declared::Variable(_) => continue,
            };
            let declared = &self.unit.resources[resource];
            if !matches!(declared.what, What::Aws { .. } | What::Recipe) {
                continue;
            }
            let instances = match self.instances_of(declared) {
                Ok(instances) => instances,
                Err(found) => {
                    add(&mut self.problems, found);
                    continue;
                }
            };
            let count = self.tally.resources.get() + instances.len();
            self.tally.resources.set(count);
            if count > MOST_NODES {
                let message = format!("the template has more than {MOST_NODES} resources");
                let diagnostic = Diagnostic::error(codes::TOO_MANY_RESOURCES, message);
                let problem = self.evaluator.problem(diagnostic.at(declared.name.span, ""));
                add(&mut self.problems, vec![problem]);
                return;
            }
            // Set once: each resource is in the order once.
            let _ = self.frame.instances[resource].set(instances);
        }
    }

    fn instances_of(
        &self,
        declared: &ResourceDeclaration,
    ) -> Result<Vec<Option<Instance>>, Vec<Problem>> {
        if let Some(parent) = declared.parent {
            match self.frame.instances[parent].get() {
                Some(instances) if instances.iter().all(Option::is_none) => return Ok(vec![None]),
                Some(_) => {}
                // What is wrong with it was told; of this one nothing can be.
                None => return Err(Vec::new()),
            }
        }
        let path = format!("{}{}", self.frame.prefix, self.path(declared));
        let rounds = self.rounds(declared.repeat.as_ref(), path)?;
        rounds.into_iter().map(|(address, round)| self.instance(declared, address, round)).collect()
    }

    /// The rounds of a loop, or the one of what is not repeated.
    pub(super) fn rounds(
        &self,
        repeat: Option<&Repeat>,
        path: String,
    ) -> Result<Vec<Addressed>, Vec<Problem>> {
        let Some(repeat) = repeat else { return Ok(vec![(path.into(), None)]) };
        let list =
            self.known_at_start(&repeat.list, Scope::EMPTY, codes::LIST_NOT_KNOWN_AT_START)?;
        let items = match &list.data {
            Data::Array(items) => items,
            Data::Unknown(unknown) => {
                // The template is only looked at: one round stands for all.
                let item = Value::unknown(None, unknown.because.clone());
                let index = Value::unknown(Some(Kind::Int), unknown.because.clone());
                return Ok(vec![(format!("{path}[*]").into(), Some((item, index)))]);
            }
            _ => {
                let message =
                    format!("expected an `array` to loop over, found {}", describe(&list));
                return self.evaluator.fail(codes::LOOP_OVER, repeat.list.span, message);
            }
        };
        if items.len() > MOST_NODES {
            let message = format!("the loop creates more than {MOST_NODES} resources");
            return self.evaluator.fail(codes::TOO_MANY_RESOURCES, repeat.list.span, message);
        }
        let rounds = items.iter().enumerate().map(|(index, item)| {
            let address: Arc<str> = format!("{path}[{index}]").into();
            let index = Value::int(i64::try_from(index).unwrap_or(i64::MAX));
            (address, Some((item.clone().tainted(list.secret), index)))
        });
        Ok(rounds.collect())
    }

    /// How a resource is reached: a nested one through those that it is nested in, whose symbols are theirs alone.
    fn path(&self, declared: &ResourceDeclaration) -> String {
        match declared.parent.and_then(|parent| self.unit.resources.get(parent)) {
            Some(parent) => format!("{}::{}", self.path(parent), declared.name.text),
            None => declared.name.text.to_string(),
        }
    }

    /// One instance; nothing where the condition is false.
    fn instance(
        &self,
        declared: &ResourceDeclaration,
        address: Arc<str>,
        round: Round,
    ) -> Result<Option<Instance>, Vec<Problem>> {
        let mut instance = Instance { address, round, alias: None, node: OnceLock::new() };
        let condition = declared.condition.as_ref();
        let is_there = instance.with_scope(|scope| self.condition(condition, scope))?;
        if !is_there {
            return Ok(None);
        }
        instance.alias = match &declared.alias {
            Some(alias) => {
                let word = Word::of(declared);
                Some(instance.with_scope(|scope| self.alias(word, alias, scope))?)
            }
            None => None,
        };
        Ok(Some(instance))
    }

    pub(super) fn condition(
        &self,
        condition: Option<&Expression>,
        scope: Scope<'_>,
    ) -> Result<bool, Vec<Problem>> {
        let Some(condition) = condition else { return Ok(true) };
        let value = self.known_at_start(condition, scope, codes::CONDITION_NOT_KNOWN_AT_START)?;
        match &value.data {
            Data::Bool(truth) => Ok(*truth),
            // The template is only looked at: all of it.
            Data::Unknown(_) => Ok(true),
            _ => self.evaluator.wrong_condition(&value, condition.span),
        }
    }

    /// A value that does not hang on a resource.
    pub(super) fn known_at_start(
        &self,
        expression: &Expression,
        scope: Scope<'_>,
        code: Code,
    ) -> Result<Value, Vec<Problem>> {
        let value = self.evaluator.value(expression, scope)?;
        match waits_for(&value) {
            Some((address, pointer)) => self.not_known(code, expression.span, address, pointer),
            None => Ok(value),
        }
    }

    pub(super) fn not_known<T>(
        &self,
        code: Code,
        span: Span,
        address: &str,
        pointer: &str,
    ) -> Result<T, Vec<Problem>> {
        let read = pointer.trim_start_matches('/').replace('/', ".");
        let message = format!(
            "this value must be known at the start of the deployment, but `{address}.{read}` is not known \
            until `{address}` is deployed"
        );
        let hint = "use parameters, variables or values that are written in the template";
        self.evaluator.fail_with(code, span, message, hint)
    }

    /// The nodes of a frame in the order of their declarations, without edges.
    pub(super) fn nodes(&self, nodes: &mut Vec<Node>) {
        for (resource, declared) in self.unit.resources.iter().enumerate() {
            let kind = match &declared.what {
                What::Aws { type_name, extension } => {
                    let settings = self.frame.settings[*extension].get();
                    NodeKind::Aws(AwsNode {
                        type_name: type_name.clone(),
                        account: settings.and_then(|it| it.account.clone()),
                        region: settings.and_then(|it| it.region.clone()),
                    })
                }
                What::Recipe => NodeKind::Recipe,
                What::Foreign { .. } | What::Faulty => continue,
            };
            for instance in self.frame.instances_of(resource).iter().flatten() {
                // Set once: a start has one run.
                let _ = instance.node.set(nodes.len());
                nodes.push(Node {
                    address: instance.address.clone(),
                    place: self.unit.place(declared.name.span),
                    kind: kind.clone(),
                    target: target(declared, instance),
                    depends_on: Vec::new(),
                });
            }
        }
    }
}

fn target(declared: &ResourceDeclaration, instance: &Instance) -> Target {
    let alias = instance.alias.as_ref().map(|alias| match &alias.data {
        Data::String(text) => text.clone(),
        Data::Unknown(unknown) => stand_in(unknown),
        _ => instance.address.clone(),
    });
    if declared.existing {
        Target::Existing { alias, or_null: declared.or_null }
    } else {
        Target::Managed { alias: alias.unwrap_or_else(|| instance.address.clone()) }
    }
}

/// What stands for an alias where the template is only looked at; no alias looks like it.
fn stand_in(unknown: &Unknown) -> Arc<str> {
    match &unknown.because {
        Because::Parameter(name) => format!("<{name}>").into(),
        Because::Resource { .. } | Because::Moment => "<unknown>".into(),
    }
}

/// The resource that a value, or a part of it, hangs on, and what is read of it.
pub(super) fn waits_for(value: &Value) -> Option<(&str, &str)> {
    match &value.data {
        Data::Unknown(unknown) => match &unknown.because {
            Because::Resource { address, pointer, .. } => Some((address, pointer)),
            Because::Parameter(_) | Because::Moment => None,
        },
        Data::Array(items) => items.iter().find_map(waits_for),
        Data::Object(members) => members.values().find_map(waits_for),
        _ => None,
    }
}
