//! What callers see of stacks.

use super::call::{MemberView, Page, StackCall, StackReply, StackView};
use super::prepare::read_template;
use super::source::invalid;
use super::{Member, MemberStatus, Stack, StackStatus, Step};
use crate::core::fault::Target;
use crate::core::log::CallRecord;
use crate::core::place::Place;
use crate::core::read::{page_token, read_page_token};
use crate::core::refusal::Refusal;
use crate::core::state::Change;
use crate::core::time::Timestamp;
use crate::core::world::{Answer, World, word};

/// So many entries on a page.
const PAGE: usize = 100;

/// A stack that is gone can be asked about for so long.
const REMEMBERED_FOR: std::time::Duration = std::time::Duration::from_hours(90 * 24);

impl World {
    /// A call about stacks. Faults find the stack's name or ARN, as it was given, as its identifier.
    pub fn call_stacks(
        &mut self,
        place: &Place,
        call: &StackCall,
        wall: Timestamp,
    ) -> Answer<StackReply> {
        let now = self.now(wall);
        self.settle(now);
        self.forget_stacks(place, now);
        let (name, identifier) = (call.name(), call.stack());
        let target = Target { name, type_name: None, identifier, place };
        let admission = self.admit(&target, now);
        let outcome = self.conclude(&admission, |world| world.decide_stacks(place, call, now));
        self.log.add(CallRecord {
            identifier: identifier.map(str::to_owned),
            ..CallRecord::new(now, place, name, word(&outcome))
        });
        Answer { outcome, delay: admission.delay() }
    }

    fn forget_stacks(&mut self, place: &Place, now: Timestamp) {
        let is_old = |stack: &Stack| {
            stack.deleted_at.is_some_and(|at| at <= now && at.is_over(REMEMBERED_FOR, now))
        };
        let old = self.stacks_of(place).filter(|stack| is_old(stack));
        let old: Vec<_> = old.map(|stack| stack.id.as_str().into()).collect();
        for id in old {
            self.commit(Change::Stack { place: place.clone(), id, stack: None });
        }
    }

    fn decide_stacks(
        &mut self,
        place: &Place,
        call: &StackCall,
        now: Timestamp,
    ) -> Result<StackReply, Refusal> {
        match call {
            StackCall::CreateStack(draft) => self.create_stack(place, draft, now),
            StackCall::UpdateStack(draft) => self.update_stack(place, draft, now),
            StackCall::DeleteStack { stack, retained, client_token } => {
                self.delete_stack(place, stack, retained, client_token.as_deref(), now)
            }
            StackCall::DescribeStacks { stack, next_token } => {
                let shown = if let Some(name) = stack {
                    vec![view(self.get_stack(place, name, now)?, now)]
                } else {
                    let all = self.stacks_of(place).filter(|stack| !stack.is_gone(now));
                    all.map(|stack| view(stack, now)).collect()
                };
                let key = |it: &StackView| order_key(it);
                page("stacks", shown, key, next_token.as_deref()).map(StackReply::Stacks)
            }
            StackCall::ListStacks { statuses, next_token } => {
                let all = self.stacks_of(place).map(|stack| view(stack, now));
                let shown = all.filter(|it| statuses.is_empty() || statuses.contains(&it.status));
                page("stacks", shown.collect(), order_key, next_token.as_deref())
                    .map(StackReply::Stacks)
            }
            StackCall::DescribeStackResource { stack, logical_id } => {
                let found = self.get_stack(place, stack, now)?;
                let member = found.members_at(now).find(|(name, ..)| name == logical_id);
                let (name, member, step) = member.ok_or_else(|| {
                    invalid(format!(
                        "Resource {logical_id} does not exist for stack {}",
                        found.name
                    ))
                })?;
                Ok(StackReply::Member(Box::new(member_view(found, name, member, step))))
            }
            StackCall::DescribeStackResources { stack, logical_id, physical_id } => {
                let (stack, physical_id) = (stack.as_deref(), physical_id.as_deref());
                self.describe_members(place, stack, logical_id.as_deref(), physical_id, now)
            }
            StackCall::ListStackResources { stack, next_token } => {
                let found = self.get_stack(place, stack, now)?;
                let members = found
                    .members_at(now)
                    .map(|(name, member, step)| member_view(found, name, member, step))
                    .collect();
                let key = |it: &MemberView| it.logical_id.clone();
                page(&found.id, members, key, next_token.as_deref()).map(StackReply::Members)
            }
            StackCall::GetTemplate { stack } => {
                Ok(StackReply::Template(self.get_stack(place, stack, now)?.template.clone()))
            }
            StackCall::ListExports { next_token } => {
                let mut exports: Vec<_> = self
                    .exports(place, now)
                    .map(|(stack, told)| (stack.id.clone(), told.clone()))
                    .collect();
                exports.sort_by(|(_, a), (_, b)| a.export.cmp(&b.export));
                let key = |(_, told): &(String, _)| export_of(told);
                page("exports", exports, key, next_token.as_deref()).map(StackReply::Exports)
            }
            StackCall::ListImports { export, next_token } => {
                let names = self.importers(place, export, now);
                if names.is_empty() {
                    return Err(invalid(format!(
                        "Export '{export}' is not imported by any stack."
                    )));
                }
                let names = names.into_iter().map(str::to_owned).collect();
                page(export, names, Clone::clone, next_token.as_deref()).map(StackReply::Importers)
            }
            StackCall::DescribeStackEvents { stack, next_token } => {
                let found = self.get_stack(place, stack, now)?;
                let seen = found.events.iter().enumerate().filter(|(_, event)| event.at <= now);
                let events: Vec<_> = seen.map(|(at, event)| (at, event.clone())).rev().collect();
                let key = |(at, _): &(usize, _)| format!("{:08}", 99_999_999 - *at);
                Ok(StackReply::Events {
                    stack_id: found.id.clone(),
                    stack_name: found.name.clone(),
                    events: page(&found.id, events, key, next_token.as_deref())?,
                })
            }
            StackCall::ValidateTemplate { source } => {
                let template = read_template(&self.template_text(source, None)?)?;
                self.check_types(&template)?;
                let parameters = template
                    .parameters
                    .into_iter()
                    .map(|(name, it)| (name, it.default, it.no_echo, it.description));
                let parameters = parameters.collect();
                Ok(StackReply::Validated { description: template.description, parameters })
            }
        }
    }

    /// The stack that a caller means.
    pub(super) fn get_stack(
        &self,
        place: &Place,
        named: &str,
        now: Timestamp,
    ) -> Result<&Stack, Refusal> {
        self.find_stack(place, named, now)
            .map(|stack| &**stack)
            .ok_or_else(|| invalid(format!("Stack with id {named} does not exist")))
    }

    fn describe_members(
        &self,
        place: &Place,
        stack: Option<&str>,
        logical_id: Option<&str>,
        physical_id: Option<&str>,
        now: Timestamp,
    ) -> Result<StackReply, Refusal> {
        let found = match (stack, physical_id) {
            (Some(stack), _) => self.get_stack(place, stack, now)?,
            (None, Some(physical_id)) => {
                let mut stacks = self.stacks_of(place).filter(|stack| !stack.is_gone(now));
                let found = stacks.find(|stack| {
                    stack.members_at(now).any(|(_, member, _)| member.physical_id == physical_id)
                });
                found.ok_or_else(|| invalid(format!("Stack for {physical_id} does not exist")))?
            }
            (None, None) => {
                return Err(invalid("Either StackName or PhysicalResourceId must be specified"));
            }
        };
        let wanted = |name: &str| logical_id.is_none_or(|it| it == name);
        let members = found.members_at(now).filter(|(name, ..)| wanted(name));
        let items: Vec<_> = members
            .map(|(name, member, step)| member_view(found, name, member, step))
            .take(PAGE)
            .collect();
        if items.is_empty()
            && let Some(name) = logical_id
        {
            return Err(invalid(format!(
                "Resource {name} does not exist for stack {}",
                found.name
            )));
        }
        Ok(StackReply::Members(Page { items, next_token: None }))
    }
}

fn export_of(told: &super::Told) -> String {
    told.export.clone().unwrap_or_default()
}

/// The latest stack first.
fn order_key(view: &StackView) -> String {
    format!("{:020}{}", u64::MAX - view.created_at.millis(), view.id)
}

/// The page after a token; the entries come in the order of their keys.
fn page<T>(
    list: &str,
    mut items: Vec<T>,
    key: impl Fn(&T) -> String,
    next_token: Option<&str>,
) -> Result<Page<T>, Refusal> {
    items.sort_by_cached_key(&key);
    if let Some(token) = next_token {
        let after = read_page_token(list, token).map_err(|_| invalid("Invalid NextToken"))?;
        items.retain(|item| key(item) > after);
    }
    let has_more = items.len() > PAGE;
    items.truncate(PAGE);
    let next_token = items.last().filter(|_| has_more).map(|last| page_token(list, &key(last)));
    Ok(Page { items, next_token })
}

fn view(stack: &Stack, now: Timestamp) -> StackView {
    let step = stack.course.at(now);
    let status = stack.status_at(now);
    let shown = |given: &super::Given| {
        if given.no_echo { "****".to_owned() } else { given.value.clone() }
    };
    let parameters = stack.parameters.iter().map(|(name, given)| {
        (name.clone(), shown(given), given.resolved.clone().filter(|_| !given.no_echo))
    });
    StackView {
        id: stack.id.clone(),
        name: stack.name.clone(),
        description: stack.description.clone(),
        status,
        reason: step.and_then(|step| step.reason.clone()),
        created_at: stack.created_at,
        updated_at: stack.updated_at,
        deleted_at: stack
            .deleted_at
            .filter(|at| *at <= now && status == StackStatus::DeleteComplete),
        parameters: parameters.collect(),
        tags: stack.tags.clone(),
        capabilities: stack.capabilities.clone(),
        role_arn: stack.role_arn.clone(),
        disable_rollback: stack.disable_rollback,
        parent_id: stack.parent_id.clone(),
        root_id: stack.root_id.clone(),
        outputs: stack.outputs_at(now).to_vec(),
    }
}

fn member_view(
    stack: &Stack,
    name: &str,
    member: &Member,
    step: &Step<MemberStatus>,
) -> MemberView {
    let is_known = step.status != MemberStatus::CreateInProgress && !member.physical_id.is_empty();
    MemberView {
        stack_id: stack.id.clone(),
        stack_name: stack.name.clone(),
        logical_id: name.to_owned(),
        physical_id: is_known.then(|| member.physical_id.clone()),
        type_name: member.type_name.clone(),
        status: step.status,
        reason: step.reason.clone(),
        at: step.at,
    }
}
