//! What names mean inside the template of a stack, so that its expressions can be evaluated.

use std::collections::BTreeSet;

use serde_json::Value;

use super::evaluate::Evaluator;
use super::problem::{Problem, Stop};
use super::stack::{Located, Wanted, mixed_up};
use super::{Fact, Need, codes, pseudo};
use crate::cloudformation::intrinsic::{
    Fault, Lookup, StackOutput, evaluate, evaluate_condition, print,
};
use crate::reference::{Place, StackPath};

/// How many resources may be asked for the sake of one another.
const MAX_TRAIL: usize = 32;

/// What is being found out, from the outside in: so nothing waits for itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail(Vec<String>);

impl Trail {
    /// The trail with one more thing on it.
    pub(super) fn with(&self, what: String) -> Result<Self, Stop> {
        if self.0.contains(&what) || self.0.len() >= MAX_TRAIL {
            let message =
                format!("{what} depends on itself, or its chain of dependencies is too long");
            return Err(Problem::new(codes::NO_IDENTIFIER, message)
                .hint("declare an output for the value")
                .into());
        }
        let mut longer = self.0.clone();
        longer.push(what);
        Ok(Self(longer))
    }
}

/// Names as a stack's template means them. Questions are gathered, so that all of an expression are asked at
/// one time.
pub(super) struct InStack<'e, 'k> {
    evaluator: &'e Evaluator<'k>,
    stack: &'e Located<'k>,
    trail: &'e Trail,
    needs: BTreeSet<Need>,
}

impl<'k> Evaluator<'k> {
    /// The value of an expression of a stack's template; none where it is `AWS::NoValue`.
    pub(super) fn expression(
        &self,
        stack: &Located<'k>,
        expression: &Value,
        trail: &Trail,
    ) -> Result<Option<Value>, Stop> {
        let mut scope = InStack { evaluator: self, stack, trail, needs: BTreeSet::new() };
        let outcome = evaluate(expression, &mut scope);
        concluded(scope.needs, outcome, expression)
    }

    /// The template of a stack.
    pub(super) fn template(&self, stack: &Located<'k>) -> Result<&'k Value, Stop> {
        match self.fact(&stack.template_need())? {
            Fact::Template(template) => Ok(template),
            _ => Err(mixed_up()),
        }
    }

    /// The value of an export.
    pub(super) fn export(&self, place: &Place, name: &str) -> Result<Value, Stop> {
        let need = Need::Exports(place.clone());
        let Fact::Exports(exports) = self.fact(&need)? else { return Err(mixed_up()) };
        if let Some(export) = exports.iter().find(|export| export.name == name) {
            let permission = super::evaluate::action(&need);
            self.link(super::Link::new("export", name).by(permission));
            return Ok(Value::from(export.value.as_str()));
        }
        let asked = self.asked_in(place)?;
        let message = format!("export `{name}` does not exist{asked} (Fn::ImportValue {name})");
        let problem = Problem::absent(codes::NO_EXPORT, message);
        let near = hangar_diag::nearest(name, exports.iter().map(|export| export.name.as_str()));
        Err(match near {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint("Are you sure you deployed the CDK stack that exports it?"),
        }
        .into())
    }

    /// An output of a stack, as `Fn::GetStackOutput` asks for it.
    pub(super) fn stack_output(&self, place: &Place, ask: &StackOutput) -> Result<Value, Stop> {
        let mut place = place.clone();
        if ask.region.is_some() {
            place.region.clone_from(&ask.region);
        }
        if let Some(role) = &ask.role_arn {
            place.account = role.split(':').nth(4).map(str::to_owned);
            place.role = Some(role.clone());
        }
        let path = StackPath { root: ask.stack_name.clone(), nested: Vec::new() };
        let stack = self.located(&place, &path, Wanted::Itself)?;
        self.output(&stack, &ask.output_name).ok_or_else(|| {
            let message = format!("stack `{}` has no output `{}`", stack.path, ask.output_name);
            Problem::absent(codes::NO_NAME, message).of(stack.path.clone()).into()
        })
    }
}

/// What an evaluation came to, once the questions that it gathered are looked at.
pub(super) fn concluded(
    needs: BTreeSet<Need>,
    outcome: Result<Option<Value>, Fault<Stop>>,
    expression: &Value,
) -> Result<Option<Value>, Stop> {
    // With a value that is not known anything may look wrong.
    if !needs.is_empty() {
        return Err(Stop::Needs(needs));
    }
    outcome.map_err(|fault| match fault {
        Fault::Stop(stop) => stop,
        Fault::Wrong(error) => {
            let message = format!("`{}` cannot be evaluated: {error}", print(expression));
            Problem::new(codes::EXPRESSION, message).into()
        }
    })
}

/// Takes note of questions and goes on with nothing in the place of the answer.
pub(super) fn gathered(
    needs: &mut BTreeSet<Need>,
    sought: Result<Value, Stop>,
) -> Result<Value, Stop> {
    match sought {
        Err(Stop::Needs(open)) => {
            needs.extend(open);
            Ok(Value::String(String::new()))
        }
        sought => sought,
    }
}

impl InStack<'_, '_> {
    fn noted(&mut self, sought: Result<Value, Stop>) -> Result<Value, Stop> {
        gathered(&mut self.needs, sought)
    }

    fn section(&mut self, section: &str) -> Result<Option<&Value>, Stop> {
        match self.evaluator.template(self.stack) {
            Ok(template) => Ok(template.get(section)),
            Err(Stop::Needs(open)) => {
                self.needs.extend(open);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }
}

impl Lookup for InStack<'_, '_> {
    type Stop = Stop;

    fn reference(&mut self, name: &str) -> Result<Value, Stop> {
        let sought = match pseudo::of_stack(self.stack, name) {
            Some(value) => value,
            None => self.evaluator.reference(self.stack, name),
        };
        self.noted(sought)
    }

    fn attribute(&mut self, logical_id: &str, attribute: &str) -> Result<Value, Stop> {
        let sought = self.evaluator.attribute(self.stack, logical_id, attribute, self.trail);
        self.noted(sought)
    }

    fn import_value(&mut self, name: &str) -> Result<Value, Stop> {
        let sought = self.evaluator.export(&self.stack.place, name);
        self.noted(sought)
    }

    fn stack_output(&mut self, ask: &StackOutput) -> Result<Value, Stop> {
        let sought = self.evaluator.stack_output(&self.stack.place, ask);
        self.noted(sought)
    }

    fn availability_zones(&mut self, _region: &str) -> Result<Value, Stop> {
        Err(no_zones())
    }

    fn mapping(&mut self, map: &str, top: &str, second: &str) -> Result<Option<Value>, Stop> {
        let mappings = self.section("Mappings")?;
        Ok(mappings.and_then(|all| all.get(map)?.get(top)?.get(second)).cloned())
    }

    fn condition(&mut self, name: &str) -> Result<bool, Stop> {
        let conditions = self.section("Conditions")?;
        let Some(expression) = conditions.and_then(|all| all.get(name)).cloned() else {
            if !self.needs.is_empty() {
                return Ok(false);
            }
            let message = format!("stack `{}` has no condition `{name}`", self.stack.path);
            return Err(Problem::new(codes::EXPRESSION, message)
                .of(self.stack.path.clone())
                .into());
        };
        let trail = self.trail.with(format!("the condition `{name}`"))?;
        let (evaluator, stack) = (self.evaluator, self.stack);
        let mut scope = InStack { evaluator, stack, trail: &trail, needs: BTreeSet::new() };
        let holds = evaluate_condition(&expression, &mut scope);
        let needs = scope.needs;
        if !needs.is_empty() {
            self.needs.extend(needs);
            return Ok(false);
        }
        let outcome =
            concluded(BTreeSet::new(), holds.map(|holds| Some(holds.into())), &expression);
        Ok(outcome? == Some(Value::Bool(true)))
    }

    fn extension(&mut self, _name: &str, _argument: &Value) -> Result<Option<Value>, Stop> {
        Ok(None)
    }
}

pub(super) fn no_zones() -> Stop {
    let message =
        "Fn::GetAZs (the availability zones of a region) can be evaluated only inside a template";
    Problem::new(codes::EXPRESSION, message)
        .hint(
            "declare an output with this expression (in the AWS CDK: `new CfnOutput(stack, 'Zones', { value: … })`), \
             deploy its stack, and refer to it as ${cfn:STACK/OUTPUT}",
        )
        .into()
}
