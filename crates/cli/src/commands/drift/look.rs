//! One look: everything is compared, what is wanted is done about it, and what is still off is told.

use hangar_diag::Diagnostic;
use hangar_plan::operation::OperationId;
use serde_json::{Value, json};

use super::text;
use super::{Cure, Scope};
use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::{Counts, Drift, DriftState, Operation, Reference};
use crate::codes;
use crate::commands::resource::list::{is_default, references};
use crate::commands::resource::target::Target;
use crate::commands::resource::write::nowhere;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::follow;
use crate::render::printable;
use crate::session::{CallError, Session};

/// What a look has found.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) counts: Counts,
    /// Those that are not in sync, after all that was done about it.
    pub(super) off: Vec<(Value, Reference)>,
    operation: Option<OperationId>,
    /// Why something could not be put right.
    refusals: Vec<Diagnostic>,
}

/// What AWS or the control plane answered to a repair that needs values which are not stored.
const LACKS_VALUES: &str = "WriteOnlyValuesRequired";

/// What is worth a line: all but what is as it was applied.
const OFF: [DriftState; 3] = [DriftState::Drifted, DriftState::Missing, DriftState::Unknown];

/// Looks, and does what is wanted about it.
pub(super) async fn look(
    session: &mut Session<'_>,
    scope: &Scope,
    cure: Cure,
) -> Result<Look, Failure> {
    match scope {
        Scope::Group { name, id } => look_at_group(session, name, id, cure).await,
        Scope::One(target) => look_at_one(session, target, cure).await,
    }
}

async fn look_at_group(
    session: &mut Session<'_>,
    name: &str,
    id: &str,
    cure: Cure,
) -> Result<Look, Failure> {
    let doing = format!("cannot detect drift in group `{name}`");
    let body = json!({"repair": cure.repair, "prune": cure.prune});
    let reply = match session.send(&Request::post_with(format!("{id}/:drift"), body)).await {
        // It is made with its first resource.
        Err(CallError::Refused(refusal))
            if refusal.is("ResourceGroupNotFound") && is_default(name) =>
        {
            return Ok(Look::default());
        }
        reply => reply.map_err(|error| error.while_doing(&doing))?,
    };
    let ended = match reply.operation {
        Some(operation) => {
            follow::quietly(session, operation).await.map_err(|error| error.while_doing(&doing))?.1
        }
        // It ended before it was answered.
        None => session.shape::<Operation>(&reply.body)?,
    };
    follow::warn(session, &ended);
    if let Some(failure) = follow::failure_of(&ended, &doing, nowhere) {
        return Err(failure);
    }
    let mut seen = Look {
        counts: ended.counts.unwrap_or_default(),
        operation: Some(ended.name),
        ..Look::default()
    };
    for state in OFF {
        let request = Request::get(format!("{id}/resources")).query("drift", state.word());
        for document in references(session, name, request).await? {
            let reference: Reference = session.shape(&document)?;
            if reference.drift.as_ref().is_some_and(|drift| drift.state == state) {
                seen.off.push((document, reference));
            }
        }
    }
    if seen.counts.refused > 0 {
        seen.refusals = refusals(session, ended.name).await?;
    }
    Ok(seen)
}

/// Why parts of an operation on a group ended badly.
async fn refusals(
    session: &mut Session<'_>,
    parent: OperationId,
) -> Result<Vec<Diagnostic>, Failure> {
    let request = Request::get(ids::OPERATIONS).query("parent", parent.to_string());
    let listed = session.list(request).await;
    let listed = listed.map_err(|error| error.while_doing("cannot list operations"))?;
    let mut refusals = Vec::new();
    for document in &listed {
        let part: Operation = session.shape(document)?;
        if let Some(error) = &part.error {
            let doing = if part.kind == "put" { "repair" } else { part.deed() };
            let message = error.message.trim_end_matches('.');
            let text = format!("cannot {doing} {}: {message} ({})", part.subject(), error.code);
            let warning = Diagnostic::warning(codes::NOT_CURED, text);
            refusals.push(if error.code == LACKS_VALUES {
                warning.hint("`hangar deploy FILE` with its template sets all values again")
            } else {
                warning
            });
        }
    }
    Ok(refusals)
}

async fn look_at_one(
    session: &mut Session<'_>,
    target: &Target,
    cure: Cure,
) -> Result<Look, Failure> {
    let doing = format!("cannot check {}", target.label);
    let request = Request::post(format!("{}/:drift", target.id));
    let reply = session.send(&request).await.map_err(|error| error.while_doing(&doing))?;
    let reference: Reference = session.shape(&reply.body)?;
    let state = reference.drift.as_ref().map_or(DriftState::Unknown, |drift| drift.state);
    let mut counts = Counts { done: 1, ..Counts::default() };
    *match state {
        DriftState::InSync => &mut counts.in_sync,
        DriftState::Drifted => &mut counts.drifted,
        DriftState::Missing => &mut counts.missing,
        DriftState::Unknown => &mut counts.unknown,
    } = 1;
    let mut seen = Look { counts, ..Look::default() };
    let counts = Counts { done: 1, ..Counts::default() };
    match state {
        DriftState::Drifted if cure.repair => {
            let request = Request::post(format!("{}/:repair", target.id));
            write(session, target, "repair", &request).await?;
            seen.counts = Counts { in_sync: 1, repaired: 1, ..counts };
        }
        DriftState::Missing if cure.prune => {
            let request = Request::delete(&*target.id).query("mode", "detach");
            write(session, target, "prune", &request).await?;
            seen.counts = Counts { pruned: 1, ..counts };
        }
        DriftState::Missing if cure.repair && is_recreatable(&reference) => {
            let request = Request::post(format!("{}/:repair", target.id));
            write(session, target, "recreate", &request).await?;
            seen.counts = Counts { in_sync: 1, recreated: 1, ..counts };
        }
        DriftState::InSync => {}
        _ => seen.off.push((reply.body, reference)),
    }
    Ok(seen)
}

/// Whether Hangar owns the resource and knows the properties to create it from.
fn is_recreatable(reference: &Reference) -> bool {
    reference.owned_resource == Some(true) && !reference.applied_properties.is_null()
}

/// Writes, and follows it to its end.
async fn write(
    session: &mut Session<'_>,
    target: &Target,
    verb: &str,
    request: &Request,
) -> Result<(), Failure> {
    let doing = format!("cannot {verb} {}", target.label);
    let reply = session.send(request).await.map_err(|error| error.while_doing(&doing))?;
    let Some(operation) = reply.operation else { return Ok(()) };
    let ended = follow::quietly(session, operation).await;
    let (_, ended) = ended.map_err(|error| error.while_doing(&doing))?;
    follow::warn(session, &ended);
    follow::failure_of(&ended, &doing, nowhere).map_or(Ok(()), Err)
}

impl Look {
    /// Those that stand like this.
    fn those(&self, state: DriftState) -> impl Iterator<Item = &Reference> {
        let references = self.off.iter().map(|(_, reference)| reference);
        references.filter(move |it| it.drift.as_ref().is_some_and(|drift| drift.state == state))
    }

    /// What has drifted for certain: what cannot be told has not.
    fn drifted(&self) -> Vec<&Reference> {
        self.those(DriftState::Drifted).chain(self.those(DriftState::Missing)).collect()
    }

    /// 2 while something differs or is gone.
    pub(super) fn exit(&self) -> Exit {
        if self.drifted().is_empty() { Exit::Success } else { Exit::Changes }
    }

    pub(super) fn warn_of_refusals(&self, session: &mut Session<'_>) {
        if self.refusals.is_empty() {
            return;
        }
        let diagnostics = self.refusals.clone();
        session.printer.warn(&[Report { source: None, diagnostics }]);
    }

    /// What has drifted, for people.
    pub(super) fn table(&self, scope: &Scope, width: Option<usize>) -> String {
        let drifted = self.drifted();
        if drifted.is_empty() {
            return printable(&self.all_well(scope)).into_owned();
        }
        text::resources(&drifted, width)
    }

    fn all_well(&self, scope: &Scope) -> String {
        let cured = [
            (self.counts.repaired, "repaired"),
            (self.counts.recreated, "recreated"),
            (self.counts.pruned, "pruned"),
        ];
        let cured: Vec<String> = cured
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let cured =
            if cured.is_empty() { String::new() } else { format!(" ({})", cured.join(", ")) };
        let label = scope.label();
        let untold = self.those(DriftState::Unknown).next();
        let there = self.counts.done.saturating_sub(self.counts.pruned);
        match (scope, there, untold) {
            (Scope::Group { .. }, 0, _) => format!("no resources in {label}{cured}"),
            (Scope::Group { .. }, ..) if self.counts.unknown > 0 => {
                format!("no drift found in {label}: {}", self.counts.told())
            }
            (Scope::Group { .. }, 1, _) => format!("the resource of {label} is in sync{cured}"),
            (Scope::Group { .. }, count, _) => {
                format!("all {count} resources of {label} are in sync{cured}")
            }
            (Scope::One(_), _, Some(untold)) => {
                let why = untold.drift.as_ref().map(Drift::place).unwrap_or_default();
                format!("cannot determine whether {label} has drifted: {why}")
            }
            (Scope::One(_), ..) if self.counts.pruned > 0 => {
                format!("{label} is missing in AWS{cured}")
            }
            (Scope::One(_), ..) => format!("{label} is in sync{cured}"),
        }
    }

    /// What is off, for programs.
    pub(super) fn document(&self) -> Value {
        let resources: Vec<&Value> = self.off.iter().map(|(document, _)| document).collect();
        json!({
            "operation": self.operation.map(|id| id.to_string()),
            "counts": self.counts,
            "resources": resources,
        })
    }

    /// How it stands, and what can be done about it.
    pub(super) fn note(&self, scope: &Scope, cure: Cure) -> Option<String> {
        let is_one = matches!(scope, Scope::One(_));
        let recreated = (self.counts.recreated > 0).then_some(
            "a recreated resource can have a new identifier; deploy again if others refer to it",
        );
        let has_unknown = self.counts.unknown > 0 && !is_one;
        if (self.off.is_empty() && !has_unknown) || (is_one && self.drifted().is_empty()) {
            return recreated.map(str::to_owned);
        }
        let of = match scope {
            Scope::Group { name, .. } if is_default(name) => String::new(),
            Scope::Group { name, .. } => format!(" -g {}", ids::quoted(name)),
            Scope::One(target) => {
                format!(" {}", ids::words_of(&target.id).unwrap_or_else(|| target.id.clone()))
            }
        };
        // Without drift the result itself has the counts.
        let mut parts =
            if self.drifted().is_empty() { Vec::new() } else { vec![self.counts.told()] };
        let has_drifted = self.those(DriftState::Drifted).next().is_some();
        let has_lost = self.those(DriftState::Missing).next().is_some();
        let can_recreate = self.those(DriftState::Missing).any(is_recreatable);
        let repair = match (has_drifted, can_recreate) {
            (true, true) => {
                "applies the last applied properties again and recreates missing resources"
            }
            (true, false) => "applies the last applied properties again",
            (false, true) => "recreates missing resources",
            (false, false) => "",
        };
        if !repair.is_empty() && !cure.repair {
            parts.push(format!("`hangar drift{of} --repair` {repair}"));
        }
        if has_lost && !cure.prune {
            parts.push(format!(
                "`hangar drift{of} --prune` removes the references of missing resources"
            ));
        }
        if has_unknown {
            parts.push(format!(
                "`hangar resource list{of} --drift unknown` shows why the others are unknown"
            ));
        }
        parts.extend(recreated.map(str::to_owned));
        Some(parts.join("; "))
    }
}
