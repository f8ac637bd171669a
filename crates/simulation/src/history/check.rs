//! The invariants over a history, each a function of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hangar_plan::operation::{Ending, EntryState, Kind, OperationId};
use hangar_plan::record::{OperationRecord, Reference};

use super::{Deed, Existing, History, Invariant, Violation};

/// No create is called with a token older than this.
const CREATE_WITHIN: Duration = Duration::from_hours(24);

/// All invariants that a history breaks; none where all is well.
pub fn check(history: &History) -> Vec<Violation> {
    let index = Index::of(history);
    let mut violations = Vec::new();
    for (number, test) in TESTS {
        let mut found = Vec::new();
        test(&index, &mut found);
        let invariant = Invariant(*number);
        violations.extend(found.into_iter().map(|what| Violation { invariant, what }));
    }
    violations
}

type Test = fn(&Index<'_>, &mut Vec<String>);

const TESTS: &[(u8, Test)] = &[
    (1, one_resource_for_an_alias),
    (2, everything_is_remembered),
    (3, what_succeeded_is_there),
    (4, nothing_is_stuck),
    (8, no_create_with_an_old_token),
    (9, a_token_is_one_request),
];

/// A history with what the tests look up.
struct Index<'h> {
    history: &'h History,
    operations: BTreeMap<OperationId, &'h OperationRecord>,
    /// Resources that exist and were made by operations of an alias, by its key.
    made: BTreeMap<String, Vec<&'h Existing>>,
    references: BTreeMap<String, &'h Reference>,
    touched: BTreeSet<&'h str>,
    /// What operations have let go of: it stays, and nobody names it any more.
    let_go: BTreeSet<&'h str>,
}

impl<'h> Index<'h> {
    fn of(history: &'h History) -> Self {
        let operations: BTreeMap<_, _> =
            history.operations.iter().map(|record| (record.id(), record)).collect();
        let references: BTreeMap<_, _> =
            history.references.iter().map(|it| (it.name.key(), it)).collect();
        let unlinked = history.operations.iter().filter_map(|record| record.resource());
        let unlinked = unlinked.filter(|work| work.operation.kind == Kind::Unlink);
        let let_go: BTreeSet<&str> =
            unlinked.filter_map(|work| work.operation.identifier.as_deref()).collect();
        let mut made: BTreeMap<String, Vec<&Existing>> = BTreeMap::new();
        for existing in &history.resources {
            let operation = existing.made_by.as_deref().and_then(operation_of);
            let name = operation.and_then(|id| operations.get(&id)?.reference());
            let is_let_go = let_go.contains(existing.identifier.as_str())
                || is_given_up(history, &operations, existing);
            if let Some(name) = name.filter(|_| !is_let_go) {
                made.entry(name.key()).or_default().push(existing);
            }
        }
        let touched = history.hands.iter().filter(|it| it.deed != Deed::Changed);
        let touched = touched.map(|it| it.identifier.as_str()).collect();
        Self { history, operations, made, references, touched, let_go }
    }

    /// Whether something remembers a resource: its alias, or what is not settled of it.
    fn is_remembered(&self, key: &str, existing: &Existing) -> bool {
        let maker = existing.made_by.as_deref().and_then(operation_of);
        let runs = self.history.operations.iter().any(|record| {
            !record.is_ended() && record.reference().is_some_and(|name| name.key() == key)
        });
        let Some(reference) = self.references.get(key) else { return runs };
        let entry = &reference.entry;
        runs || entry.identifier.as_deref() == Some(&existing.identifier)
            || entry.retiring.contains(&existing.identifier)
            || entry.state == EntryState::Unknown
            || entry.unsettled.iter().any(|attempt| Some(attempt.operation) == maker)
    }
}

/// Whether a person has settled what a create that nobody heard of has made: by forgetting the alias
/// (abandon), or by giving it something else (adopt).
fn is_given_up(
    history: &History,
    operations: &BTreeMap<OperationId, &OperationRecord>,
    existing: &Existing,
) -> bool {
    let Some(token) = existing.made_by.as_deref() else { return false };
    let Some(maker) = operation_of(token).and_then(|id| operations.get(&id)) else { return false };
    let mut attempts = maker.attempts().iter();
    let unheard = attempts.any(|it| it.client_token == token && it.identifier.is_none());
    unheard
        && history.operations.iter().any(|record| {
            let Some(work) = record.resource() else { return false };
            let by_hand = matches!(work.operation.kind, Kind::Unlink | Kind::Import { .. });
            by_hand
                && record.reference() == maker.reference()
                && record.created_at >= maker.created_at
                && matches!(record.ending(), Some(Ending::Succeeded(_)))
        })
}

/// The operation that a client token belongs to.
fn operation_of(token: &str) -> Option<OperationId> {
    // A token is the operation's id, and then numbers.
    OperationId::parse(token.get(..36)?)
}

fn one_resource_for_an_alias(index: &Index<'_>, found: &mut Vec<String>) {
    for (key, made) in &index.made {
        let retiring =
            index.references.get(key).map(|it| it.entry.retiring.as_slice()).unwrap_or_default();
        let current: Vec<&str> = made
            .iter()
            .map(|it| it.identifier.as_str())
            .filter(|it| !retiring.iter().any(|gone| gone == it))
            .collect();
        if current.len() > 1 {
            found.push(format!("{key} has {}", current.join(", ")));
        }
    }
}

fn everything_is_remembered(index: &Index<'_>, found: &mut Vec<String>) {
    for existing in &index.history.resources {
        let Some(token) = &existing.made_by else { continue };
        let is_let_go = index.let_go.contains(existing.identifier.as_str())
            || is_given_up(index.history, &index.operations, existing);
        if is_let_go {
            continue;
        }
        let operation = operation_of(token).and_then(|id| index.operations.get(&id));
        let what = format!("{} {}", existing.type_name, existing.identifier);
        match operation {
            None => found.push(format!("{what} was made by {token}, which nobody knows")),
            Some(record) => {
                let Some(name) = record.reference() else { continue };
                if !index.is_remembered(&name.key(), existing) {
                    found.push(format!("{what}, made by {token}, is named by nobody"));
                }
            }
        }
    }
}

fn what_succeeded_is_there(index: &Index<'_>, found: &mut Vec<String>) {
    let exists: BTreeSet<&str> =
        index.history.resources.iter().map(|it| it.identifier.as_str()).collect();
    for (key, reference) in &index.references {
        let entry = &reference.entry;
        let Some(identifier) = entry.identifier.as_deref() else { continue };
        let is_ready = entry.state == EntryState::Ready && entry.operation.is_none();
        if is_ready && !exists.contains(identifier) && !index.touched.contains(identifier) {
            found.push(format!("{key} names {identifier}, which does not exist"));
        }
    }
}

fn nothing_is_stuck(index: &Index<'_>, found: &mut Vec<String>) {
    for record in index.operations.values().filter(|record| !record.is_ended()) {
        found.push(format!("operation {} has not ended", record.id()));
    }
    for (key, reference) in &index.references {
        let holder = reference.entry.operation.and_then(|id| index.operations.get(&id));
        if reference.entry.operation.is_some() && holder.is_none_or(|record| record.is_ended()) {
            found.push(format!("{key} is held by an operation that does not run"));
        }
    }
}

fn no_create_with_an_old_token(index: &Index<'_>, found: &mut Vec<String>) {
    for called in index.history.calls.iter().filter(|it| it.name == "CreateResource") {
        let Some(token) = called.client_token.as_deref() else { continue };
        let Some(record) = operation_of(token).and_then(|id| index.operations.get(&id)) else {
            continue;
        };
        // A record keeps all of its attempts; another's token is not for us to judge.
        let mut attempts = record.attempts().iter();
        let Some(attempt) = attempts.find(|it| it.client_token == token) else { continue };
        let age = called.at.since(attempt.born_at);
        if age > CREATE_WITHIN {
            found.push(format!("{token} was sent when it was {} h old", age.as_secs() / 3600));
        }
    }
}

fn a_token_is_one_request(index: &Index<'_>, found: &mut Vec<String>) {
    for called in &index.history.calls {
        if called.outcome == "ClientTokenConflictException" {
            let token = called.client_token.as_deref().unwrap_or_default();
            found.push(format!("{token} was sent with other content"));
        }
    }
}
