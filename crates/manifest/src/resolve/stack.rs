//! A stack that is deployed: found by its name or ARN, down to one that is nested in it.

use super::evaluate::{Evaluator, RolledBack, action};
use super::link::Link;
use super::problem::{Problem, Stop};
use super::{Fact, Need, StackDescription, StackResource, codes};
use crate::reference::{Place, StackPath};

/// The type of a stack that is a resource of another.
pub(super) const STACK_TYPE: &str = "AWS::CloudFormation::Stack";

/// A stack that was found.
#[derive(Debug, Clone)]
pub(super) struct Located<'k> {
    /// Where it is.
    pub(super) place: Place,
    /// The name or ARN that questions name it by.
    pub(super) stack: String,
    /// As people know it: with the way down to it.
    pub(super) path: String,
    pub(super) description: &'k StackDescription,
}

impl Located<'_> {
    pub(super) fn resources_need(&self) -> Need {
        Need::Resources { place: self.place.clone(), stack: self.stack.clone() }
    }

    pub(super) fn template_need(&self) -> Need {
        Need::Template { place: self.place.clone(), stack: self.stack.clone() }
    }

    /// A field of its ARN: 1 is the partition, 3 the region, 4 the account.
    pub(super) fn arn_part(&self, index: usize) -> &str {
        self.description.id.split(':').nth(index).unwrap_or_default()
    }
}

/// What will be wanted of a stack, so that it can be asked for with the stack itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Its description.
    Itself,
    /// Its resources, too.
    Resources,
}

impl<'k> Evaluator<'k> {
    /// The stack at a path.
    pub(super) fn located(
        &self,
        place: &Place,
        path: &StackPath,
        wanted: Wanted,
    ) -> Result<Located<'k>, Stop> {
        let home = self.rules.homes.get(&path.root).filter(|_| *place == Place::default());
        let place = home.unwrap_or(place);
        let first = if path.nested.is_empty() { wanted } else { Wanted::Resources };
        let mut found = self.stack(place, &path.root, path.root.clone(), first)?;
        for (index, id) in path.nested.iter().enumerate() {
            let is_last = index + 1 == path.nested.len();
            let next = if is_last { wanted } else { Wanted::Resources };
            found = self.nested(&found, id, next)?;
        }
        Ok(found)
    }

    fn stack(
        &self,
        place: &Place,
        stack: &str,
        path: String,
        wanted: Wanted,
    ) -> Result<Located<'k>, Stop> {
        let mut place = place.clone();
        if stack.starts_with("arn:") {
            place.fill_from_arn(stack);
        }
        let need = Need::Stack { place: place.clone(), stack: stack.to_owned() };
        let also = Need::Resources { place: place.clone(), stack: stack.to_owned() };
        let also = if wanted == Wanted::Resources { &[also][..] } else { &[] };
        let Fact::Stack(found) = self.fact_with(&need, also)? else { return Err(mixed_up()) };
        // One that was deleted is found by its ARN for a while.
        let found = found.as_ref().filter(|stack| stack.status != "DELETE_COMPLETE");
        let Some(description) = found else {
            let message = format!("stack `{path}` does not exist{}", self.asked_in(&place)?);
            let hint = "Are you sure you deployed the CDK stack? Deploy it, or name the account and \
                        region that it is in: `?account=…&region=…`";
            return Err(Problem::absent(codes::NO_STACK, message).hint(hint).of(path).into());
        };
        self.check_status(description, &path)?;
        let shown = format!("{path} ({})", description.status);
        self.link(Link::new("stack", shown).by(action(&need)));
        Ok(Located { place, stack: stack.to_owned(), path, description })
    }

    /// A stack that is a resource of another.
    pub(super) fn nested(
        &self,
        parent: &Located<'k>,
        logical_id: &str,
        wanted: Wanted,
    ) -> Result<Located<'k>, Stop> {
        let resource = self.resource(parent, logical_id)?;
        let path = format!("{}/{logical_id}", parent.path);
        let arn = resource.physical_id.as_deref().filter(|_| resource.type_name == STACK_TYPE);
        let arn = arn.ok_or_else(|| {
            let message = format!(
                "`{logical_id}` of stack `{}` is {}, not a nested stack",
                parent.path, resource.type_name
            );
            Problem::new(codes::NO_NAME, message).of(parent.path.clone())
        })?;
        self.stack(&parent.place, arn, path, wanted)
    }

    /// All resources of a stack.
    pub(super) fn resources(&self, stack: &Located<'k>) -> Result<&'k [StackResource], Stop> {
        match self.fact(&stack.resources_need())? {
            Fact::Resources(resources) => Ok(resources),
            _ => Err(mixed_up()),
        }
    }

    /// A resource of a stack.
    pub(super) fn resource(
        &self,
        stack: &Located<'k>,
        logical_id: &str,
    ) -> Result<&'k StackResource, Stop> {
        let resources = self.resources(stack)?;
        let found = resources.iter().find(|resource| resource.logical_id == logical_id);
        found.ok_or_else(|| Self::no_name(stack, logical_id, resources).into())
    }

    /// What to say of a name that a stack does not have.
    fn no_name(stack: &Located<'_>, name: &str, resources: &[StackResource]) -> Problem {
        let outputs = stack.description.outputs.iter().map(|output| output.key.as_str());
        let parameters = stack.description.parameters.iter().map(|it| it.key.as_str());
        let ids = resources.iter().map(|resource| resource.logical_id.as_str());
        let all: Vec<&str> = outputs.chain(ids).chain(parameters).collect();
        let message =
            format!("stack `{}` has no output, resource or parameter `{name}`", stack.path);
        // The CDK puts a hash behind the name that a person knows.
        let is_hashed = |id: &&&str| {
            let rest = id.strip_prefix(name).unwrap_or_default();
            rest.len() == 8 && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let near = all.iter().find(is_hashed).copied();
        let near = near.or_else(|| hangar_diag::nearest(name, all.iter().copied()));
        let detail = match near {
            Some(near) => format!("`{name}`, did you mean `{near}`?"),
            None => format!("`{name}`"),
        };
        let problem = missing_in(stack, message, detail);
        let problem = match near {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None if all.is_empty() => {
                problem.hint("the stack has no outputs, resources or parameters")
            }
            None => problem.hint(format!("it has {}", listed(&all))),
        };
        problem.hint(CURRENT_VERSION)
    }

    fn check_status(&self, stack: &StackDescription, path: &str) -> Result<(), Stop> {
        let status = stack.status.as_str();
        let reason = stack.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        if status.ends_with("_IN_PROGRESS") {
            let message = format!("stack `{path}` is being changed ({status}){reason}");
            return Err(Problem::new(codes::IN_PROGRESS, message)
                .hint("wait until the change is complete, or pass `--wait` (30 minutes) or, for example, `--wait 2h`")
                .of(path)
                .into());
        }
        let was_rolled_back =
            matches!(status, "UPDATE_ROLLBACK_COMPLETE" | "IMPORT_ROLLBACK_COMPLETE");
        if was_rolled_back && self.rules.rolled_back == RolledBack::Accepted {
            return Ok(());
        }
        if matches!(status, "CREATE_COMPLETE" | "UPDATE_COMPLETE" | "IMPORT_COMPLETE") {
            return Ok(());
        }
        let message = format!("the last change of stack `{path}` failed ({status}){reason}");
        let hint = if was_rolled_back {
            "fix and deploy it, or pass `--allow-rolled-back` to use the stack as it was before the update"
        } else {
            "check its events, then fix and deploy it"
        };
        Err(Problem::new(codes::NOT_DEPLOYED, message).hint(hint).of(path).into())
    }
}

/// What to check if a stack lacks something.
pub(super) const CURRENT_VERSION: &str =
    "Are you sure you deployed the CDK stack in its current version?";

/// Something that a stack does not have. All that a stack lacks has one reason: it is not the stack of the references.
pub(super) fn missing_in(stack: &Located<'_>, message: String, detail: String) -> Problem {
    let general = format!(
        "stack `{}` does not have outputs, resources or parameters of these names",
        stack.path
    );
    Problem::absent(codes::NO_NAME, message)
        .shared(format!("names in {}", stack.description.id), general)
        .differing(detail)
        .of(stack.path.clone())
}

/// Some names for people.
pub(super) fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let mut text = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>();
    if names.len() > SHOWN {
        text.push(format!("and {} more", names.len() - SHOWN));
    }
    text.join(", ")
}

/// An answer of another kind than its question: whoever asks for us is wrong.
pub(super) fn mixed_up() -> Stop {
    Problem::new(codes::FAILED, "a response does not match its request; this is a bug in Hangar")
        .into()
}
