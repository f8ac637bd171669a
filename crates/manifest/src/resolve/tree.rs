//! A tree of CloudFormation's functions outside of any template: what tools write for tokens that a short reference
//! cannot hold.
//!
//! Beside CloudFormation's own functions a tree has `{"$ref": {"stack", "logicalId", "attr", "account"?, "region"?,
//! "role"?}}` (a stack may be a list: the way down to a nested one), `{"$output": {"stack", "key", …}}`,
//! `{"$tf": {"stack", "expression"}}` and `{"$ucp": {"id", "property"}}`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::evaluate::Evaluator;
use super::problem::{Problem, Stop};
use super::scope::{concluded, gathered, no_zones};
use super::stack::{Wanted, mixed_up};
use super::{Caller, Fact, Need, codes, pseudo};
use crate::cloudformation::intrinsic::{Lookup, StackOutput, evaluate};
use crate::reference::{CloudFormation, Place, StackPath, Terraform, TerraformPart, Ucp};

struct InTree<'e, 'k> {
    evaluator: &'e Evaluator<'k>,
    /// Where names without a stack are meant to be.
    place: Place,
    /// The stacks that the tree names, each once, which say where that is.
    beside: Vec<CloudFormation>,
    needs: BTreeSet<Need>,
}

impl Evaluator<'_> {
    /// The value of a tree.
    pub(super) fn tree(&self, tree: &Value, place: &Place) -> Result<Value, Stop> {
        let mut beside = Vec::new();
        stacks_in(tree, 0, &mut beside)?;
        let mut scope =
            InTree { evaluator: self, place: place.clone(), beside, needs: BTreeSet::new() };
        let outcome = evaluate(tree, &mut scope);
        Ok(concluded(scope.needs, outcome, tree)?.unwrap_or(Value::Null))
    }

    /// Whose credentials these are.
    fn caller(&self, place: &Place) -> Result<&Caller, Stop> {
        match self.fact(&Need::Caller(place.clone()))? {
            Fact::Caller(caller) => Ok(caller),
            _ => Err(mixed_up()),
        }
    }
}

impl InTree<'_, '_> {
    /// A pseudo parameter: of the stacks that the tree names beside it, else of the caller.
    fn pseudo(&self, name: &str) -> Result<Value, Stop> {
        let mut found: Option<(Value, &CloudFormation)> = None;
        for cfn in &self.beside {
            let stack = self.evaluator.located(&cfn.place, &cfn.stack, Wanted::Resources)?;
            let value =
                pseudo::of_stack(&stack, name).unwrap_or_else(|| Err(pseudo::unknown(name)))?;
            match &found {
                Some((first, other)) if *first != value => {
                    return Err(ambiguous(name, (first, other), (&value, cfn)));
                }
                _ => found = Some((value, cfn)),
            }
        }
        if let Some((value, _)) = found {
            return Ok(value);
        }
        let stated = (self.place.account.clone(), self.place.region.clone());
        let (account, region) = match stated {
            (Some(account), Some(region)) => (account, Some(region)),
            (account, region) => {
                let caller = self.evaluator.caller(&self.place)?;
                (
                    account.unwrap_or_else(|| caller.account.clone()),
                    region.or_else(|| caller.region.clone()),
                )
            }
        };
        let Some(region) = region else {
            let message = format!("Ref {name}: the region is unknown");
            let hint = "set AWS_REGION, or the region of the profile";
            return Err(Problem::new(codes::EXPRESSION, message).hint(hint).into());
        };
        let partition = pseudo::partition(&region);
        pseudo::of_place(name, partition, &region, &account).ok_or_else(|| pseudo::unknown(name))
    }

    fn noted(&mut self, sought: Result<Value, Stop>) -> Result<Value, Stop> {
        gathered(&mut self.needs, sought)
    }
}

impl Lookup for InTree<'_, '_> {
    type Stop = Stop;

    fn reference(&mut self, name: &str) -> Result<Value, Stop> {
        if !name.starts_with("AWS::") {
            return Err(without_stack(&format!("Ref {name}")));
        }
        let sought = self.pseudo(name);
        self.noted(sought)
    }

    fn attribute(&mut self, logical_id: &str, attribute: &str) -> Result<Value, Stop> {
        Err(without_stack(&format!("Fn::GetAtt {logical_id}.{attribute}")))
    }

    fn import_value(&mut self, name: &str) -> Result<Value, Stop> {
        let mut places = self.beside.iter().map(|cfn| &cfn.place);
        let place = places.next().unwrap_or(&self.place);
        if places.any(|other| other != place) {
            let message = format!(
                "Fn::ImportValue {name} is combined with stacks of different accounts or regions"
            );
            let hint = "use the exported attribute, or put the import into a separate value";
            return Err(Problem::new(codes::EXPRESSION, message).hint(hint).into());
        }
        let sought = self.evaluator.export(place, name);
        self.noted(sought)
    }

    fn stack_output(&mut self, ask: &StackOutput) -> Result<Value, Stop> {
        // A name that a secret is in is not sent to anybody.
        if self.evaluator.is_secret() {
            let message = "Fn::GetStackOutput cannot be combined with a secret";
            return Err(Problem::new(codes::SECRET, message).into());
        }
        let sought = self.evaluator.stack_output(&self.place, ask);
        self.noted(sought)
    }

    fn availability_zones(&mut self, _region: &str) -> Result<Value, Stop> {
        Err(no_zones())
    }

    fn mapping(&mut self, map: &str, _top: &str, _second: &str) -> Result<Option<Value>, Stop> {
        Err(without_stack(&format!("Fn::FindInMap {map}")))
    }

    fn condition(&mut self, name: &str) -> Result<bool, Stop> {
        Err(without_stack(&format!("Condition {name}")))
    }

    fn extension(&mut self, name: &str, argument: &Value) -> Result<Option<Value>, Stop> {
        let sought = match name {
            "$ref" | "$output" => {
                let cfn = of_stack(name, argument)?;
                self.evaluator.member(&cfn)
            }
            "$tf" => {
                let (state, expression) =
                    (text(argument, name, "stack")?, text(argument, name, "expression")?);
                let part = TerraformPart::Expression(expression);
                self.evaluator.terraform(&Terraform { state, part })
            }
            "$ucp" => {
                let (id, property) =
                    (text(argument, name, "id")?, text(argument, name, "property")?);
                self.evaluator.ucp(&Ucp { id, property })
            }
            _ => return Ok(None),
        };
        self.noted(sought).map(Some)
    }
}

/// The stacks that a tree names, each once.
fn stacks_in(tree: &Value, depth: usize, found: &mut Vec<CloudFormation>) -> Result<(), Stop> {
    if depth > crate::cloudformation::intrinsic::MAX_DEPTH {
        return Ok(());
    }
    match tree {
        Value::Object(members) => members.iter().try_for_each(|(name, member)| match &**name {
            "$ref" | "$output" => {
                let cfn = of_stack(name, member)?;
                if !found.iter().any(|it| (&it.place, &it.stack) == (&cfn.place, &cfn.stack)) {
                    found.push(cfn);
                }
                Ok(())
            }
            _ => stacks_in(member, depth + 1, found),
        }),
        Value::Array(items) => items.iter().try_for_each(|it| stacks_in(it, depth + 1, found)),
        _ => Ok(()),
    }
}

/// A pseudo parameter that the stacks of a tree do not agree on; whose it is cannot be told.
fn ambiguous(
    name: &str,
    (first, one): (&Value, &CloudFormation),
    (second, other): (&Value, &CloudFormation),
) -> Stop {
    let message = format!(
        "`Ref {name}` is ambiguous between two stacks: it is {first} in `{}` and {second} in `{}`",
        one.stack.root, other.stack.root
    );
    Problem::new(codes::EXPRESSION, message)
        .hint("set the account and region of the stacks in the app (`env`), or use values of one stack only")
        .into()
}

/// A reference to a stack as a tree has it.
fn of_stack(function: &str, argument: &Value) -> Result<CloudFormation, Stop> {
    let optional = |name: &str| argument.get(name).and_then(Value::as_str).map(str::to_owned);
    let place =
        Place { account: optional("account"), region: optional("region"), role: optional("role") };
    let mut path: Vec<String> = match argument.get("stack") {
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    if path.is_empty() {
        return Err(misshapen(function, "stack"));
    }
    let root = path.remove(0);
    let stack = StackPath { root, nested: path };
    if function == "$output" {
        let name = text(argument, function, "key")?;
        return Ok(CloudFormation { place, stack, name, attribute: None });
    }
    let name = text(argument, function, "logicalId")?;
    let attribute = Some(text(argument, function, "attr")?);
    Ok(CloudFormation { place, stack, name, attribute })
}

fn text(argument: &Value, function: &str, member: &str) -> Result<String, Stop> {
    let text = argument.get(member).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| misshapen(function, member))
}

fn misshapen(function: &str, member: &str) -> Stop {
    let message = format!("`{function}` of an expression has no `{member}`");
    Problem::new(codes::EXPRESSION, message).hint("generate the reference again").into()
}

/// A name of a template in a tree that belongs to none.
fn without_stack(what: &str) -> Stop {
    let message = format!("`{what}` names no stack");
    Problem::new(codes::EXPRESSION, message)
        .hint("an expression names its stack: {\"$ref\": {\"stack\", \"logicalId\", \"attr\"}}")
        .into()
}
