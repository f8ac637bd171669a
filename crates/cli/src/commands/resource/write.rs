//! A write on one reference: from the request to the line that says how it ended.

use hangar_diag::Diagnostic;
use hangar_plan::operation::OperationId;
use serde_json::{Value, json};

use super::list::is_default;
use crate::client::ids;
use crate::client::reply::Reply;
use crate::client::request::Request;
use crate::client::shape::{LastOperation, Operation, Reference};
use crate::codes;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::follow;
use crate::session::{CallError, Presence, Session};

/// What is done to a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Put,
    Patch,
    Import,
    Adopt,
    Repair,
}

impl Verb {
    fn base(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Patch => "patch",
            Self::Import => "import",
            Self::Adopt => "adopt",
            Self::Repair => "repair",
        }
    }

    fn under_way(self) -> &'static str {
        match self {
            Self::Put => "putting",
            Self::Patch => "patching",
            Self::Import => "importing",
            Self::Adopt => "adopting",
            Self::Repair => "repairing",
        }
    }

    /// Whether it may be the first thing that happens in its group.
    fn may_begin_a_group(self) -> bool {
        matches!(self, Self::Put | Self::Import)
    }
}

/// Whether the end is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    ForTheEnd,
    No,
}

impl Wait {
    /// As `--no-wait` says.
    pub(crate) fn unless(no_wait: bool) -> Self {
        if no_wait { Self::No } else { Self::ForTheEnd }
    }

    pub(crate) fn presence(self) -> Presence {
        match self {
            Self::ForTheEnd => Presence::ToTheEnd,
            Self::No => Presence::Briefly,
        }
    }
}

/// Shows details where they stand in what was given.
type Locate<'a> = &'a dyn Fn(Vec<Diagnostic>) -> Vec<Report>;

/// A write on one reference.
pub(super) struct Writing<'a> {
    pub(super) verb: Verb,
    /// The reference.
    pub(super) id: &'a str,
    /// For people: the type, and the alias in quotes.
    pub(super) label: &'a str,
    /// The group that the alias is in.
    pub(super) group: &'a str,
    pub(super) wait: Wait,
    pub(super) locate: Locate<'a>,
}

/// For what has no text to point into.
pub(crate) fn nowhere(diagnostics: Vec<Diagnostic>) -> Vec<Report> {
    vec![Report { source: None, diagnostics }]
}

impl Writing<'_> {
    pub(super) fn doing(&self) -> String {
        format!("cannot {} {}", self.verb.base(), self.label)
    }

    /// The failure of a call, with the parts of it shown where they stand in what was given.
    pub(super) fn failed(&self, error: CallError) -> Failure {
        match error {
            CallError::Refused(refusal) => {
                self.addressed(refusal.explain_in(&self.doing(), self.locate))
            }
            CallError::Stopped(failure) => failure,
        }
    }

    /// The same with hints that name the very alias.
    fn addressed(&self, failure: Failure) -> Failure {
        match ids::words_of(self.id) {
            Some(words) => failure.with_hints(|hint| hint.replace("TYPE ALIAS", &words)),
            None => failure,
        }
    }

    /// Sends the request, follows it to its end if that is waited for, and says how it ended.
    pub(super) async fn perform(
        &self,
        session: &mut Session<'_>,
        request: &Request,
    ) -> Result<Exit, Failure> {
        let before = match self.verb {
            Verb::Import => self.find(session).await?,
            _ => None,
        };
        let reply = match session.send(request).await {
            Err(CallError::Refused(refusal))
                if refusal.is("ResourceGroupNotFound")
                    && self.verb.may_begin_a_group()
                    && is_default(self.group) =>
            {
                let group = Request::put(ids::group(self.group)?, json!({}));
                session.send(&group).await.map_err(|error| self.failed(error))?;
                session.send(request).await
            }
            answered => answered,
        };
        let reply = reply.map_err(|error| self.failed(error))?;
        match reply.operation {
            Some(id) if self.wait == Wait::No => {
                follow::warn_of(session, &reply.warnings);
                self.accepted(session, id, &reply)
            }
            Some(id) => {
                let label = format!("{} {}", self.verb.under_way(), self.label);
                let ended = follow::to_end(session, id, &label).await;
                let (_, operation) = ended.map_err(|error| self.failed(error))?;
                self.ended(session, &operation, &reply.warnings, before.as_ref()).await
            }
            // It ended before it was answered; its last operation tells how.
            None => self.answered(session, &reply, before.as_ref()).await,
        }
    }

    /// The reference as it is, if there is one.
    async fn find(&self, session: &mut Session<'_>) -> Result<Option<Value>, Failure> {
        match session.send(&Request::get(self.id)).await {
            Ok(reply) => Ok(Some(reply.body)),
            Err(CallError::Refused(refusal)) if refusal.status == 404 => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn accepted(
        &self,
        session: &mut Session<'_>,
        id: OperationId,
        reply: &Reply,
    ) -> Result<Exit, Failure> {
        let ends_with_us = session.ends_with_us();
        session.note(&goes_on(id, ends_with_us));
        session.printer.show(
            || format!("{} {}: operation {id}", self.verb.under_way(), self.label),
            || with_outcome(reply.body.clone(), "accepted", Some(id)),
        )?;
        Ok(Exit::Success)
    }

    async fn answered(
        &self,
        session: &mut Session<'_>,
        reply: &Reply,
        before: Option<&Value>,
    ) -> Result<Exit, Failure> {
        let reference: Reference = session.shape(&reply.body)?;
        let last = reference.last_operation.as_ref().and_then(LastOperation::operation_id);
        if let Some(id) = last {
            let request = Request::get(ids::operation(id));
            let read = session.read::<Operation>(&request).await;
            let (_, operation) = read.map_err(|error| self.failed(error))?;
            return self.ended(session, &operation, &reply.warnings, before).await;
        }
        follow::warn_of(session, &reply.warnings);
        let outcome = if reply.status == 201 { "created" } else { "updated" };
        let line = follow::outcome_line(outcome, &label_of(&reference), reference.identifier());
        session.printer.show(|| line, || with_outcome(reply.body.clone(), outcome, None))?;
        Ok(Exit::Success)
    }

    async fn ended(
        &self,
        session: &mut Session<'_>,
        operation: &Operation,
        warnings: &[String],
        before: Option<&Value>,
    ) -> Result<Exit, Failure> {
        // What was said at the beginning may be kept, and said at the end again.
        let early: Vec<String> =
            warnings.iter().filter(|early| !operation.warnings.contains(early)).cloned().collect();
        follow::warn_of(session, &early);
        follow::warn(session, operation);
        if let Some(failure) = follow::failure_of(operation, &self.doing(), self.locate) {
            let failure = self.with_remains(session, operation, failure).await;
            return Err(self.addressed(failure));
        }
        let read = session.read::<Reference>(&Request::get(self.id)).await;
        let (document, reference) = read.map_err(|error| self.failed(error))?;
        let outcome = operation.properties.as_ref().map_or("", |result| &result.outcome);
        let outcome = since(outcome, before, &document);
        let line = follow::outcome_line(outcome, &label_of(&reference), reference.identifier());
        self.warn_of_retiring(session, &reference, &operation.warnings);
        let id = operation.name;
        session.printer.show(|| line, || with_outcome(document, outcome, Some(id)))?;
        Ok(Exit::Success)
    }

    /// Says what a replacement has not got rid of yet, unless the control plane has.
    fn warn_of_retiring(&self, session: &mut Session<'_>, reference: &Reference, said: &[String]) {
        let is_said = |identifier: &String| said.iter().any(|text| text.contains(identifier));
        let unsaid: Vec<&str> =
            reference.retiring.iter().filter(|it| !is_said(it)).map(String::as_str).collect();
        if unsaid.is_empty() {
            return;
        }
        let message = format!(
            "{} was replaced but not deleted yet; the next write on {} tries again",
            unsaid.join(", "),
            self.label
        );
        session.printer.warn(&nowhere(vec![Diagnostic::warning(codes::API_WARNING, message)]));
    }

    /// The failure of a create, with what it has made all the same.
    async fn with_remains(
        &self,
        session: &mut Session<'_>,
        operation: &Operation,
        failure: Failure,
    ) -> Failure {
        if !operation.attempts.iter().any(|attempt| attempt.verb == "create") {
            return failure;
        }
        // It failed, whatever can be found out besides.
        let read = session.read::<Reference>(&Request::get(self.id)).await;
        let reference = read.as_ref().ok().map(|(_, reference)| reference);
        let identifier = reference
            .filter(|reference| reference.state.as_deref() == Some("failed"))
            .and_then(|reference| reference.identifier());
        match identifier {
            Some(identifier) => failure.hint(format!(
                "AWS may have created {identifier} anyway, and the alias maps to it: put it again, or delete it: \
                 `hangar resource delete TYPE ALIAS`"
            )),
            None => failure,
        }
    }
}

/// What an import came to where the alias stood for the same resource before.
fn since<'a>(outcome: &'a str, before: Option<&Value>, after: &Value) -> &'a str {
    let Some(before) = before.filter(|_| outcome == "imported") else { return outcome };
    let is_same = |name: &str| before.get(name) == after.get(name);
    if !is_same("mapsTo") {
        outcome
    } else if is_same("ownedResource") && is_same("appliedProperties") {
        "noop"
    } else {
        "updated"
    }
}

/// The resource by its own spelling: the first one is kept, whatever was typed since.
pub(super) fn label_of(reference: &Reference) -> String {
    format!("{} `{}`", reference.resource_type(), reference.name)
}

/// A reference, and what was done to it by which operation.
pub(super) fn with_outcome(
    mut document: Value,
    outcome: &str,
    operation: Option<OperationId>,
) -> Value {
    if let Value::Object(members) = &mut document {
        members.insert("outcome".to_owned(), outcome.into());
        if let Some(id) = operation {
            members.insert("operation".to_owned(), id.to_string().into());
        }
    }
    document
}

/// How an operation that nobody waits for goes on.
pub(crate) fn goes_on(id: OperationId, ends_with_us: bool) -> String {
    if ends_with_us {
        format!(
            "no server is running, so it continues with the next command that writes, or with `hangar operation \
            wait {id}`"
        )
    } else {
        format!("`hangar operation wait {id}` waits until it ends")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_import_again_is_told_from_the_first_one() {
        let reference = |identifier: &str, owned: bool| json!({"mapsTo": {"primaryIdentifier": identifier}, "ownedResource": owned, "etag": owned});
        let (one, ours) = (reference("a", false), reference("a", true));
        assert_eq!(since("imported", None, &one), "imported");
        assert_eq!(since("imported", Some(&one), &one), "noop");
        assert_eq!(since("imported", Some(&one), &ours), "updated");
        assert_eq!(since("imported", Some(&json!({"mapsTo": {}})), &one), "imported");
        assert_eq!(since("created", Some(&one), &one), "created");
    }
}
