//! How Cloud Control identifies a resource of a stack: from its physical id, its template, or a list.
//!
//! A physical id is what `Ref` gives. For most types it is the identifier; where the identifier has several
//! parts, or is another property, the rest comes from the template that the stack was deployed with. What cannot
//! be told for certain is looked for in a list, and is a problem where not exactly one resource fits.

use hangar_ids::{Arn, ArnTemplate};
use serde_json::{Map, Value};

use super::evaluate::{Evaluator, action};
use super::link::Link;
use super::member::physical;
use super::problem::{Problem, Stop};
use super::scope::Trail;
use super::stack::{Located, mixed_up};
use super::types::TypeFacts;
use super::{Fact, ListEntry, Need, StackResource, codes};
use crate::cloudformation::physical_id;
use crate::reference::Place;

/// A resource whose identifier is sought.
struct Sought<'s, 'k> {
    stack: &'s Located<'k>,
    resource: &'s StackResource,
    facts: &'s TypeFacts,
    trail: &'s Trail,
    physical: &'s str,
    /// The parts of the identifier, as far as they are known.
    parts: Vec<Option<String>>,
    /// The part that was made of the physical id, and may not be what it seems.
    guessed: Option<usize>,
}

impl<'k> Evaluator<'k> {
    /// A resource of a stack as Cloud Control shows it.
    pub(super) fn model(
        &self,
        stack: &Located<'k>,
        resource: &StackResource,
        facts: &TypeFacts,
        trail: &Trail,
    ) -> Result<&'k Value, Stop> {
        let physical = physical(stack, resource)?;
        let parts = vec![None; facts.identifier.len()];
        let mut sought = Sought { stack, resource, facts, trail, physical, parts, guessed: None };
        let need = match self.told(&mut sought)? {
            Some(identifier) => sought.need(&identifier),
            None => sought.need(&self.found_in_list(&sought)?),
        };
        let model = match self.read(&need)? {
            Some(model) => model,
            None => self.listed_model(&sought, &need)?,
        };
        Self::check_owner(&sought, model)?;
        Ok(model)
    }

    /// The identifier, as far as it can be told without a list.
    fn told(&self, sought: &mut Sought<'_, 'k>) -> Result<Option<String>, Stop> {
        let facts = sought.facts;
        let held = physical_id::parts(&sought.resource.type_name);
        let is_plain = held.is_none_or(|held| {
            held.iter().eq(facts.identifier.iter().map(String::as_str).collect::<Vec<_>>().iter())
        });
        if facts.identifier.len() == 1 && is_plain {
            self.link(Link::new("identifier", sought.physical));
            return Ok(Some(sought.physical.to_owned()));
        }
        let whole: Vec<&str> = facts.identifier.iter().map(String::as_str).collect();
        // What is written as the whole identifier is one, whatever the table knows.
        let is_whole = whole.len() > 1 && pieces(sought.physical, whole.len()).is_some();
        let held = match held {
            Some(held) if !is_whole || held.len() == whole.len() => held.to_vec(),
            _ => whole,
        };
        let pieces = pieces(sought.physical, held.len());
        for (name, piece) in held.iter().zip(pieces.iter().flatten()) {
            sought.set(name, piece);
        }
        if sought.missing() > 0 {
            self.fill_from_template(sought)?;
        }
        if sought.missing() == 1 {
            Self::fill_last(sought, pieces.as_deref());
        }
        let Some(parts) = sought.parts.iter().cloned().collect::<Option<Vec<String>>>() else {
            return Ok(None);
        };
        let identifier = written(facts, &parts);
        self.link(Link::new("identifier", identifier.as_str()));
        Ok(Some(identifier))
    }

    /// Fills in what the template states, and what is the same everywhere.
    fn fill_from_template(&self, sought: &mut Sought<'_, 'k>) -> Result<(), Stop> {
        let template = self.template(sought.stack)?;
        let declared =
            template.get("Resources").and_then(|all| all.get(&sought.resource.logical_id));
        let properties = declared.and_then(|resource| resource.get("Properties"));
        let mut needs = std::collections::BTreeSet::new();
        for index in 0..sought.parts.len() {
            if sought.parts[index].is_some() {
                continue;
            }
            let name = &sought.facts.identifier[index];
            let stated = name.split('/').try_fold(properties.unwrap_or(&Value::Null), Value::get);
            if let Some(expression) = stated {
                match self.expression(sought.stack, expression, sought.trail) {
                    Ok(value) => {
                        sought.parts[index] = value
                            .as_ref()
                            .and_then(crate::reference::text_of)
                            .filter(|it| !it.is_empty());
                    }
                    Err(Stop::Needs(open)) => needs.extend(open),
                    Err(stop) => return Err(stop),
                }
            }
            if sought.parts[index].is_none() {
                sought.parts[index] = constant(sought, name);
            }
        }
        if needs.is_empty() { Ok(()) } else { Err(Stop::Needs(needs)) }
    }

    /// Fills in the one part that is missing, from the physical id, whose pieces are given if it has the expected ones.
    fn fill_last(sought: &mut Sought<'_, 'k>, pieces: Option<&[&str]>) {
        let Some(index) = sought.parts.iter().position(Option::is_none) else { return };
        let name = &sought.facts.identifier[index];
        let physical = sought.physical;
        let is_arn_part = name.ends_with("Arn") || name.ends_with("ARN");
        let template = sought.facts.arn_template.as_deref();
        let is_composite = pieces.is_some_and(|pieces| pieces.len() > 1);
        let is_arn = physical.starts_with("arn:") && !is_composite;
        let value = match (is_arn, is_arn_part) {
            // An ARN of which only a part is wanted.
            (true, false) => template
                .and_then(|template| ArnTemplate::new(template).taken_apart(physical))
                .and_then(|held| {
                    only(held.into_iter().filter(|(held, _)| !ArnTemplate::is_place(held)))
                })
                .map(|(_, value)| without_revision(value).to_owned())
                .or_else(|| physical.rsplit(['/', ':']).next().map(str::to_owned)),
            // A name of which the ARN is wanted.
            (false, true) => template.and_then(|template| Self::arn(sought, template)),
            // What it holds is known to be other parts.
            _ if pieces.is_some() && sought.parts.len() > 1 => None,
            _ => Some(physical.to_owned()),
        };
        sought.guessed = Some(index);
        sought.parts[index] = value;
    }

    /// The ARN that a template makes of a physical id, where it has place for just that.
    fn arn(sought: &Sought<'_, 'k>, template: &str) -> Option<String> {
        let template = ArnTemplate::new(template);
        let own = template.own_names();
        let stack = sought.stack;
        template.filled(|name| match name {
            "Partition" => Some(stack.arn_part(1).to_owned()),
            "Region" => Some(stack.arn_part(3).to_owned()),
            "Account" | "AccountId" => Some(stack.arn_part(4).to_owned()),
            _ if own.len() == 1 => Some(name_in_arn(sought)),
            _ => None,
        })
    }

    /// The identifier of the one resource in a list that fits.
    fn found_in_list(&self, sought: &Sought<'_, 'k>) -> Result<String, Stop> {
        let entry = self.listed(sought)?;
        self.link(Link::new("identifier", format!("{} (found in the list)", entry.identifier)));
        Ok(entry.identifier.clone())
    }

    /// The resource that a list has where a read of what was told found nothing.
    fn listed_model(&self, sought: &Sought<'_, 'k>, told: &Need) -> Result<&'k Value, Stop> {
        let entry = self.listed(sought).map_err(|stop| match stop {
            Stop::Problem(_) => not_found(sought).into(),
            stop @ Stop::Needs(_) => stop,
        })?;
        let need = sought.need(&entry.identifier);
        if need == *told {
            return Err(not_found(sought).into());
        }
        self.link(Link::new("identifier", format!("{} (found in the list)", entry.identifier)));
        self.read(&need)?.ok_or_else(|| not_found(sought).into())
    }

    fn listed(&self, sought: &Sought<'_, 'k>) -> Result<&'k ListEntry, Stop> {
        let facts = sought.facts;
        let unknown = |why: String| -> Stop {
            let Sought { resource, stack, .. } = sought;
            let message = format!(
                "the identifier ({}) of {} `{}` of stack `{}` cannot be determined: {why}",
                facts.identifier.join("|"),
                resource.type_name,
                resource.logical_id,
                stack.path
            );
            Problem::new(codes::NO_IDENTIFIER, message).of(stack.path.clone()).into()
        };
        if !facts.is_listable {
            return Err(unknown(
                "the physical id and the template do not contain all of it, and the type cannot be listed"
                    .to_owned(),
            ));
        }
        let mut parent = Map::new();
        for name in &facts.listed_under {
            let Some(value) = self.list_parent(sought, name)? else {
                return Err(unknown(format!("listing requires `{name}`, which is unknown")));
            };
            parent.insert(name.clone(), value);
        }
        let parent = (!parent.is_empty()).then(|| Value::Object(parent).to_string());
        let type_name = sought.resource.type_name.clone();
        let need = Need::List { place: sought.place(), type_name, parent };
        let Fact::List(entries) = self.fact(&need)? else { return Err(mixed_up()) };
        self.link(Link::new("list", sought.resource.type_name.as_str()).by(action(&need)));
        let fitting: Vec<&ListEntry> = entries.iter().filter(|entry| sought.fits(entry)).collect();
        match fitting.as_slice() {
            [one] => Ok(one),
            [] => Err(unknown(format!(
                "no listed resource matches physical id `{1}` ({0} listed)",
                entries.len(),
                sought.physical
            ))),
            several => Err(unknown(format!(
                "{} listed resources match physical id `{}`",
                several.len(),
                sought.physical
            ))),
        }
    }

    /// What a list needs to be told: a part of the identifier, else what the template states.
    fn list_parent(&self, sought: &Sought<'_, 'k>, name: &str) -> Result<Option<Value>, Stop> {
        if let Some(known) = sought.known(name) {
            return Ok(Some(Value::from(known)));
        }
        let template = self.template(sought.stack)?;
        let declared =
            template.get("Resources").and_then(|all| all.get(&sought.resource.logical_id));
        let stated = declared.and_then(|resource| resource.get("Properties")?.get(name));
        match stated {
            Some(expression) => self.expression(sought.stack, expression, sought.trail),
            None => Ok(None),
        }
    }

    /// A resource that carries the mark of another stack is not the one that is meant.
    fn check_owner(sought: &Sought<'_, 'k>, model: &Value) -> Result<(), Stop> {
        let Some(Value::Array(tags)) = model.get("Tags") else { return Ok(()) };
        let tag = |key: &str| {
            let tag =
                tags.iter().find(|tag| tag.get("Key").and_then(Value::as_str) == Some(key))?;
            tag.get("Value")?.as_str()
        };
        let stack = sought.stack.description;
        let marks = [
            ("aws:cloudformation:stack-name", &stack.name),
            ("aws:cloudformation:stack-id", &stack.id),
            ("aws:cloudformation:logical-id", &sought.resource.logical_id),
        ];
        let is_other = marks.iter().any(|(key, own)| tag(key).is_some_and(|it| it != *own));
        if !is_other {
            return Ok(());
        }
        let Sought { resource, stack, .. } = sought;
        let message = format!(
            "the resource found for {} `{}` of stack `{}` belongs to another stack or resource",
            resource.type_name, resource.logical_id, stack.path
        );
        Err(Problem::new(codes::NO_IDENTIFIER, message).of(stack.path.clone()).into())
    }
}

impl Sought<'_, '_> {
    /// Where it is: resources are where their stack is.
    fn place(&self) -> Place {
        self.stack.place.clone()
    }

    fn need(&self, identifier: &str) -> Need {
        let (type_name, identifier) = (self.resource.type_name.clone(), identifier.to_owned());
        Need::Resource { place: self.place(), type_name, identifier }
    }

    fn set(&mut self, name: &str, value: &str) {
        if let Some(index) = self.facts.identifier.iter().position(|part| part == name) {
            self.parts[index] = Some(value.to_owned());
        }
    }

    fn known(&self, name: &str) -> Option<&str> {
        let index = self.facts.identifier.iter().position(|part| part == name)?;
        self.sure(index)
    }

    /// A part that is known, and not guessed.
    fn sure(&self, index: usize) -> Option<&str> {
        self.parts[index].as_deref().filter(|_| self.guessed != Some(index))
    }

    fn missing(&self) -> usize {
        self.parts.iter().filter(|part| part.is_none()).count()
    }

    /// Whether a resource of a list can be it: what is known agrees, and the physical id is something of it.
    fn fits(&self, entry: &ListEntry) -> bool {
        let Some(pieces) = pieces(&entry.identifier, self.parts.len()) else { return false };
        let agrees = pieces.iter().enumerate().all(|(index, piece)| {
            self.sure(index).is_none_or(|known| known == *piece || known == self.physical)
        });
        agrees
            && (pieces.iter().any(|piece| is_it(piece, self.physical))
                || holds(&entry.properties, self.physical))
    }
}

/// Whether a part is the physical id, or one of both is the ARN of the other.
fn is_it(piece: &str, physical: &str) -> bool {
    let is_end = |arn: &str, name: &str| {
        arn.starts_with("arn:")
            && !name.is_empty()
            && arn.strip_suffix(name).is_some_and(|it| it.ends_with(['/', ':']))
    };
    piece == physical || is_end(piece, physical) || is_end(physical, piece)
}

fn holds(properties: &Value, physical: &str) -> bool {
    let Value::Object(members) = properties else { return false };
    members.values().any(|value| value.as_str().is_some_and(|value| is_it(value, physical)))
}

/// The name of a resource in its ARN. A physical id of several parts joins them by `|`, an ARN by `/`: `rule/BUS/NAME`.
/// A part may be the ARN of another resource, of which an ARN has the name; the default bus is not named.
fn name_in_arn(sought: &Sought<'_, '_>) -> String {
    let held = physical_id::parts(&sought.resource.type_name).unwrap_or_default();
    let parts: Vec<&str> = sought.physical.split('|').collect();
    if parts.len() < 2 {
        return sought.physical.to_owned();
    }
    let names = parts.into_iter().enumerate().filter_map(|(index, part)| {
        let arn = Arn::parse(part).ok();
        let name = arn.as_ref().map_or(part, |arn| arn.parts().name).to_owned();
        let is_default_bus = held.get(index) == Some(&"EventBusName") && name == "default";
        (!is_default_bus).then_some(name)
    });
    names.collect::<Vec<_>>().join("/")
}

/// The parts of a text that `|` joins, if there are as many as wanted.
fn pieces(text: &str, wanted: usize) -> Option<Vec<&str>> {
    let pieces: Vec<&str> = if wanted == 1 { vec![text] } else { text.split('|').collect() };
    (pieces.len() == wanted && pieces.iter().all(|piece| !piece.is_empty())).then_some(pieces)
}

/// A name without the number of its revision, which ARNs of some types have behind it.
fn without_revision(name: &str) -> &str {
    match name.rsplit_once(':') {
        Some((name, revision)) if revision.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// The identifier as Cloud Control takes it; of several parts as JSON, where no sign has a meaning.
fn written(facts: &TypeFacts, parts: &[String]) -> String {
    if let [one] = parts {
        return one.clone();
    }
    let members = facts.identifier.iter().map(|name| name.rsplit('/').next().unwrap_or(name));
    let object: Map<String, Value> = members
        .map(str::to_owned)
        .zip(parts.iter().map(|part| Value::from(part.as_str())))
        .collect();
    Value::Object(object).to_string()
}

/// Parts that are the same for every resource that does not state them.
fn constant(sought: &Sought<'_, '_>, name: &str) -> Option<String> {
    let type_name = sought.resource.type_name.as_str();
    let stack = sought.stack;
    let value = match name {
        "AccountId" | "AwsAccountId" | "CatalogId" => stack.arn_part(4),
        "Region" => stack.arn_part(3),
        "Cluster" if type_name.starts_with("AWS::ECS::") => "default",
        "EventBusName" => "default",
        _ => return None,
    };
    (!value.is_empty()).then(|| value.to_owned())
}

fn not_found(sought: &Sought<'_, '_>) -> Problem {
    let Sought { resource, stack, physical, .. } = sought;
    let message = format!(
        "Cloud Control cannot find {} `{}` of stack `{}` (physical id `{physical}`)",
        resource.type_name, resource.logical_id, stack.path
    );
    Problem::new(codes::NO_IDENTIFIER, message)
        .hint("was it deleted outside CloudFormation? check the stack for drift")
        .of(stack.path.clone())
}
