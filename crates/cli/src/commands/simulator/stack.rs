//! One stack in a simulator: made or changed, deleted, and waited for.

use std::time::Duration;

use hangar_diag::Diagnostic;
use hangar_provider::{ErrorClass, Place, ProviderError};
use hangar_provider_aws::{
    AwsProvider, Stack, StackEvent, StackResource, StackUpdate, StackWrite, TemplateSource,
};
use tokio::time::{Instant, sleep};

use crate::codes;
use crate::failure::Failure;

/// A simulator's stack takes seconds; one that hangs on purpose is not waited for for ever.
const PATIENCE: Duration = Duration::from_mins(10);
const FIRST_LOOK: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// So often a call is made again that a simulator turned away because it was asked too often.
const MAX_TURNED_AWAY: u32 = 60;

/// What became of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Created,
    Updated,
    Unchanged,
}

impl Change {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Stacks of one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stacks<'a> {
    pub(super) provider: &'a AwsProvider,
    pub(super) place: &'a Place,
}

/// What the state of a stack says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Something goes on.
    Busy,
    /// It is as its template says.
    Whole,
    /// Nothing of it is there, or not enough to be changed: it can only be deleted.
    Unusable,
    /// It is as it was before something failed.
    Restored,
    Deleted,
}

fn state_of(status: &str) -> State {
    match status {
        // Made by a change set that nobody has executed.
        "REVIEW_IN_PROGRESS" => State::Unusable,
        "DELETE_COMPLETE" => State::Deleted,
        "CREATE_COMPLETE" | "UPDATE_COMPLETE" | "IMPORT_COMPLETE" => State::Whole,
        "ROLLBACK_COMPLETE" | "ROLLBACK_FAILED" | "CREATE_FAILED" | "DELETE_FAILED" => {
            State::Unusable
        }
        status if status.ends_with("_IN_PROGRESS") => State::Busy,
        _ => State::Restored,
    }
}

impl Stacks<'_> {
    /// Makes the stack, or changes it to what the template says; waits for the end.
    pub(super) async fn deploy(&self, write: &StackWrite) -> Result<(Stack, Change), Failure> {
        let name = write.name.as_str();
        let mut known = self.find(name).await?;
        if known.as_ref().is_some_and(|stack| state_of(&stack.status) == State::Busy) {
            known = self.settled(name).await?;
        }
        let is_there = match known.as_ref().map(|stack| (state_of(&stack.status), &stack.id)) {
            None | Some((State::Deleted, _)) => false,
            Some((State::Unusable, id)) => {
                self.delete(id).await?;
                false
            }
            Some(_) => true,
        };
        let (id, change) = if is_there {
            match self.asked("change", name, async || self.update(write).await).await? {
                StackUpdate::Started(id) => (id, Change::Updated),
                StackUpdate::NothingToDo => (name.to_owned(), Change::Unchanged),
            }
        } else {
            let id = self
                .asked("make", name, async || self.provider.create_stack(self.place, write).await);
            (id.await?, Change::Created)
        };
        let stack = self.settled(&id).await?.ok_or_else(|| gone(name))?;
        match (state_of(&stack.status), change) {
            (State::Whole, _) | (State::Restored, Change::Unchanged) => Ok((stack, change)),
            _ => Err(self.failed(&stack).await),
        }
    }

    async fn update(&self, write: &StackWrite) -> Result<StackUpdate, ProviderError> {
        self.provider.update_stack(self.place, write).await
    }

    /// Deletes a stack, and waits until it is gone; nothing where there is none. What is left of one that
    /// could not be deleted is the error.
    pub(super) async fn delete(&self, name: &str) -> Result<Option<Stack>, Failure> {
        let Some(stack) = self.find(name).await? else { return Ok(None) };
        if state_of(&stack.status) == State::Deleted {
            return Ok(None);
        }
        let asked = self.asked("delete", name, async || {
            self.provider.delete_stack(self.place, &stack.id, None).await
        });
        asked.await?;
        match self.settled(&stack.id).await? {
            None => Ok(Some(stack)),
            Some(left) if state_of(&left.status) == State::Deleted => Ok(Some(left)),
            Some(left) => Err(self.failed(&left).await),
        }
    }

    pub(super) async fn find(&self, name: &str) -> Result<Option<Stack>, Failure> {
        self.asked("read", name, async || self.provider.stack(self.place, name).await).await
    }

    /// All stacks.
    pub(super) async fn all(&self) -> Result<Vec<Stack>, Failure> {
        let (mut all, mut next) = (Vec::new(), None::<String>);
        loop {
            let page = self.asked("list", "*", async || {
                self.provider.stacks(self.place, next.as_deref()).await
            });
            let page = page.await?;
            all.extend(page.stacks);
            if page.next.is_none() {
                return Ok(all);
            }
            next = page.next;
        }
    }

    /// All resources of a stack.
    pub(super) async fn resources(&self, id: &str) -> Result<Vec<StackResource>, Failure> {
        let (mut all, mut next) = (Vec::new(), None::<String>);
        loop {
            let page = self.asked("read", id, async || {
                self.provider.stack_resources(self.place, id, next.as_deref()).await
            });
            let page = page.await?;
            all.extend(page.resources);
            if page.next.is_none() {
                return Ok(all);
            }
            next = page.next;
        }
    }

    /// The stack once nothing goes on any more.
    async fn settled(&self, id: &str) -> Result<Option<Stack>, Failure> {
        let since = Instant::now();
        let mut pause = FIRST_LOOK;
        loop {
            let stack = self.find(id).await?;
            match stack {
                Some(stack) if state_of(&stack.status) == State::Busy => {
                    if since.elapsed() > PATIENCE {
                        return Err(slow(&stack));
                    }
                }
                settled => return Ok(settled),
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Makes a call, again where it was turned away because there were too many.
    async fn asked<T>(
        &self,
        deed: &str,
        name: &str,
        call: impl AsyncFn() -> Result<T, ProviderError>,
    ) -> Result<T, Failure> {
        for _ in 0..MAX_TURNED_AWAY {
            match call().await {
                Err(error) if error.class == ErrorClass::Throttled => {
                    sleep(error.retry_after.unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE)).await;
                }
                answer => return answer.map_err(|error| refused(deed, name, &error)),
            }
        }
        call().await.map_err(|error| refused(deed, name, &error))
    }

    /// Why a stack is not as it was meant to be: its own reason, else that of the resource that failed
    /// first.
    async fn failed(&self, stack: &Stack) -> Failure {
        let events = self.provider.stack_events(self.place, &stack.id, None).await;
        let events = events.map(|page| page.events).unwrap_or_default();
        let failures = failures(stack, &events);
        let told: Vec<String> = failures
            .iter()
            .map(|event| {
                let reason = event.status_reason.as_deref().unwrap_or("no reason given");
                format!("`{}` ({}): {reason}", event.logical_id, event.type_name)
            })
            .collect();
        let reason = stack.status_reason.as_deref().or(told.first().map(String::as_str));
        let reason = reason.unwrap_or("no reason given");
        let message = format!("stack `{}` is in {}: {reason}", stack.name, stack.status);
        let mut diagnostic = Diagnostic::error(codes::SIMULATOR_STACK, message);
        let others = told.iter().filter(|told| told.as_str() != reason);
        for told in others.take(MOST_TOLD) {
            diagnostic = diagnostic.hint(format!("failed: {told}"));
        }
        diagnostic.hint("fix the error and deploy again").into()
    }
}

/// So many resources that failed are told.
const MOST_TOLD: usize = 5;

/// What failed since somebody asked for something last, the first failure first. Events are the latest
/// first, and what was only stopped because of another failure is none.
fn failures<'a>(stack: &Stack, events: &'a [StackEvent]) -> Vec<&'a StackEvent> {
    let is_of_stack = |it: &StackEvent| it.physical_id.as_deref() == Some(stack.id.as_str());
    let begins = |it: &StackEvent| {
        let begun = ["CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"];
        is_of_stack(it) && begun.contains(&it.status.as_str())
    };
    let is_cancelled = |it: &StackEvent| {
        it.status_reason.as_deref().is_some_and(|reason| reason.ends_with("cancelled"))
    };
    let latest = events.iter().take_while(|it| !begins(it));
    let failed = latest.filter(|it| it.status.ends_with("_FAILED") && !is_of_stack(it));
    let mut failed: Vec<&StackEvent> = failed.filter(|it| !is_cancelled(it)).collect();
    failed.reverse();
    failed
}

fn refused(deed: &str, name: &str, error: &ProviderError) -> Failure {
    let what = if name == "*" { "stacks".to_owned() } else { format!("stack `{name}`") };
    let message = format!("cannot {deed} {what}: {} ({})", error.message, error.code);
    let hint = match error.class {
        ErrorClass::Unreachable | ErrorClass::Unanswered => {
            "check that the simulator is still running"
        }
        _ if error.code == "InvalidAction" => {
            "the simulator is an older version: start one of this version"
        }
        _ => "the simulator returns the same error as AWS; fix it and deploy again",
    };
    Diagnostic::error(codes::SIMULATOR_STACK, message).hint(hint).into()
}

fn gone(name: &str) -> Failure {
    let message = format!("stack `{name}` was deleted before it was ready");
    Diagnostic::error(codes::SIMULATOR_STACK, message)
        .hint("check whether the simulator was reset")
        .into()
}

fn slow(stack: &Stack) -> Failure {
    let message = format!(
        "stack `{}` is still in {} after {} minutes",
        stack.name,
        stack.status,
        PATIENCE.as_secs() / 60
    );
    Diagnostic::error(codes::SIMULATOR_STACK, message)
        .hint("check the faults and the latency of the simulator: GET /_simulator/")
        .into()
}

/// A write without anything that can be left out.
pub(super) fn write(name: &str, template: TemplateSource) -> StackWrite {
    let capabilities = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"];
    StackWrite {
        name: name.to_owned(),
        template,
        parameters: Vec::new(),
        tags: Vec::new(),
        capabilities: capabilities.map(str::to_owned).to_vec(),
        token: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_last_is_told_and_what_failed_first_comes_first() {
        let event = |of: &str, status: &str, reason: &str| StackEvent {
            logical_id: of.to_owned(),
            physical_id: (of == "s").then(|| "arn:s".to_owned()),
            status: status.to_owned(),
            status_reason: Some(reason.to_owned()),
            ..StackEvent::default()
        };
        let events = [
            event("s", "ROLLBACK_COMPLETE", ""),
            event("C", "CREATE_FAILED", "Resource creation cancelled"),
            event("B", "CREATE_FAILED", "second"),
            event("s", "CREATE_FAILED", "of the stack"),
            event("A", "CREATE_FAILED", "first"),
            event("s", "CREATE_IN_PROGRESS", "User Initiated"),
            event("A", "DELETE_FAILED", "long ago"),
        ];
        let stack = Stack { id: "arn:s".to_owned(), ..Stack::default() };
        let told: Vec<&str> =
            failures(&stack, &events).iter().map(|it| it.logical_id.as_str()).collect();
        assert_eq!(told, ["A", "B"]);
        assert!(failures(&stack, &[]).is_empty());
    }

    #[test]
    fn a_state_says_what_can_be_done_next() {
        for (status, state) in [
            ("CREATE_IN_PROGRESS", State::Busy),
            ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", State::Busy),
            ("UPDATE_ROLLBACK_IN_PROGRESS", State::Busy),
            ("REVIEW_IN_PROGRESS", State::Unusable),
            ("CREATE_COMPLETE", State::Whole),
            ("UPDATE_COMPLETE", State::Whole),
            ("ROLLBACK_COMPLETE", State::Unusable),
            ("DELETE_FAILED", State::Unusable),
            ("UPDATE_ROLLBACK_COMPLETE", State::Restored),
            ("UPDATE_ROLLBACK_FAILED", State::Restored),
            ("DELETE_COMPLETE", State::Deleted),
        ] {
            assert_eq!(state_of(status), state, "{status}");
        }
    }
}
