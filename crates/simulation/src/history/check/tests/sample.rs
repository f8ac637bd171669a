//! Small histories to break: an alias `net` whose create was accepted at 10 s, sent, and ended at 12 s.

use std::time::Duration;

use hangar_ids::{AccountId, Region, TypeName};
use hangar_plan::Timestamp;
use hangar_plan::deployment::{
    AwsRow, DeploymentTask, DeploymentWork, Row, RowKind, RowState, RowTarget,
};
use hangar_plan::group::{GroupTask, GroupWork};
use hangar_plan::operation::{
    Attempt, AttemptOutcome, Convergence, Ending, Entry, EntryState, Failure, FailureKind, Kind,
    Operation, OperationId, Policy, Stage, Success, SuccessKind, Verb,
};
use hangar_plan::record::{
    AwsScope, DeploymentName, Documents, EventRecord, GroupName, OperationRecord, Reference,
    ReferenceName, ResourceWork, Subject, Version, Work,
};

use super::at;
use crate::history::{Called, Deed, Existing, Hand, History};

/// A history under construction.
pub(super) struct Story {
    pub(super) history: History,
}

impl Story {
    /// `net` was made.
    pub(super) fn made() -> Self {
        let mut story = Self { history: History::default() };
        story.add(create_of(1, "net", 10, 12, "vpc-1"));
        story.history.references.push(reference("net", "vpc-1", 10));
        story.history.resources.push(resource("vpc-1", Some(1)));
        let token = story.history.operations[0].attempts()[0].client_token.clone();
        story.history.calls.push(called(10, "CreateResource", &token));
        story.history.calls.push(called(11, "GetResourceRequestStatus", ""));
        story
    }

    /// Adds an operation with the events of its beginning and its end.
    pub(super) fn add(&mut self, record: OperationRecord) {
        let number = u8::try_from(record.id().as_u128()).unwrap_or(0);
        let micros = |at: Timestamp| at.as_micros() / 1_000_000;
        self.history.events.push(event(number, 1, micros(record.created_at)));
        if let Some(ended_at) = record.ended_at {
            self.history.events.push(event(number, 2, micros(ended_at)));
        }
        self.history.operations.push(record);
    }
}

pub(super) fn id(number: u8) -> OperationId {
    OperationId::from_u128(u128::from(number))
}

pub(super) fn name(alias: &str) -> ReferenceName {
    ReferenceName { group: group(), type_name: vpc(), alias: alias.to_owned() }
}

fn group() -> GroupName {
    GroupName { plane: "local".to_owned(), group: "team".to_owned() }
}

fn vpc() -> TypeName {
    TypeName::parse("AWS.EC2/VPC").expect("a type")
}

fn scope() -> AwsScope {
    AwsScope {
        plane: "aws".to_owned(),
        account: AccountId::parse("000000000000").expect("an account"),
        region: Region::parse("us-east-1").expect("a region"),
    }
}

pub(super) fn operation(number: u8, alias: &str, kind: Kind, created: i64) -> OperationRecord {
    let policy = Policy {
        tracked: true,
        readable: true,
        may_create: true,
        marker: true,
        handler_timeout: Duration::from_hours(2),
        replace: None,
        adopt: None,
        held: None,
        unstored: Vec::new(),
    };
    let operation = Operation {
        id: id(number),
        kind,
        policy,
        stage: Stage::Observe { absences: 0 },
        identifier: None,
        attempts: Vec::new(),
        tries: 0,
        looked_at: None,
        waiting_since: None,
        waiting: None,
        cancel_requested: false,
        cancel_sent: false,
        started_at: at(created),
        adopting: None,
        closing: None,
        changed: Vec::new(),
        doubtful_reads: false,
        ending: None,
    };
    let subject = Subject::new(scope(), vpc(), Some(name(alias)));
    OperationRecord::new(Work::Resource(Box::new(ResourceWork { operation, subject })), at(created))
}

/// The machine of an operation on one resource.
pub(super) fn work(record: &mut OperationRecord) -> &mut Operation {
    &mut record.resource_mut().expect("a write on a resource").operation
}

pub(super) fn attempt(operation: u8, number: u32, verb: Verb, born: i64) -> Attempt {
    Attempt {
        operation: id(operation),
        number,
        verb,
        client_token: format!("{}-{number}", id(operation)),
        born_at: at(born),
        marked: true,
        unanswered: 0,
        sent_at: Some(at(born)),
        request_token: Some("request".to_owned()),
        begun: true,
        identifier: None,
        outcome: AttemptOutcome::Succeeded,
        replaces: None,
    }
}

/// A put that made a resource.
pub(super) fn create_of(
    number: u8,
    alias: &str,
    created: i64,
    ended_at: i64,
    identifier: &str,
) -> OperationRecord {
    let mut record = operation(number, alias, Kind::Put, created);
    let mut made = attempt(number, 1, Verb::Create, created);
    made.identifier = Some(identifier.to_owned());
    work(&mut record).attempts.push(made);
    work(&mut record).identifier = Some(identifier.to_owned());
    record.calls.writes = 1;
    ended(record, ended_at, SuccessKind::Created)
}

pub(super) fn ended(mut record: OperationRecord, when: i64, kind: SuccessKind) -> OperationRecord {
    let convergence = Convergence::Converged;
    let success = Success { kind, convergence, not_effective: Vec::new() };
    work(&mut record).ending = Some(Ending::Succeeded(success));
    record.ended_at = Some(at(when));
    record
}

pub(super) fn failed(mut record: OperationRecord, when: i64, kind: FailureKind) -> OperationRecord {
    let (code, message) = ("Code".to_owned(), "why".to_owned());
    let failure = Failure { kind, code, message, findings: Vec::new() };
    work(&mut record).ending = Some(Ending::Failed(failure));
    record.ended_at = Some(at(when));
    record
}

pub(super) fn noop(record: OperationRecord, when: i64) -> OperationRecord {
    ended(record, when, SuccessKind::Noop)
}

pub(super) fn group_delete(number: u8, created: i64, ended_at: i64) -> OperationRecord {
    let mut work = GroupWork::new(id(number), group(), GroupTask::Delete, at(created));
    work.succeed(SuccessKind::Deleted);
    let mut record = OperationRecord::new(Work::Group(Box::new(work)), at(created));
    record.ended_at = Some(at(ended_at));
    record
}

/// A run of a deployment whose rows are these operations.
pub(super) fn deployment(number: u8, name: &str, created: i64, rows: &[u8]) -> OperationRecord {
    let name = DeploymentName { group: group(), name: name.to_owned() };
    let rows = rows.iter().map(|number| Row {
        address: "net".to_owned(),
        kind: RowKind::Aws(AwsRow { type_name: vpc(), scope: scope() }),
        target: RowTarget::Managed("net".to_owned()),
        depends_on: Vec::new(),
        place: None,
        operation: id(*number),
        identifier: None,
        changed: Vec::new(),
        made: Vec::new(),
        retires: false,
        plan: None,
        verb: None,
        waiting: None,
        state: RowState::Waiting,
    });
    let task = DeploymentTask::Deploy;
    let mut work = DeploymentWork::new(id(number), name, task, rows.collect(), at(created));
    work.ending = Some(Ending::Succeeded(Success {
        kind: SuccessKind::Deployed,
        convergence: Convergence::Converged,
        not_effective: Vec::new(),
    }));
    let mut record = OperationRecord::new(Work::Deployment(Box::new(work)), at(created));
    record.ended_at = Some(at(created + 9));
    record
}

pub(super) fn child_of(parent: &OperationRecord, record: OperationRecord) -> OperationRecord {
    OperationRecord { parent: Some(parent.id()), ..record }
}

pub(super) fn event(operation: u8, sequence: u64, when: i64) -> EventRecord {
    let message = "said".to_owned();
    EventRecord { operation: id(operation), sequence, at: at(when), message, waiting: None }
}

pub(super) fn reference(alias: &str, identifier: &str, created: i64) -> Reference {
    let entry = Entry {
        identifier: Some(identifier.to_owned()),
        owned: true,
        state: EntryState::Ready,
        operation: None,
        unsettled: Vec::new(),
        retiring: Vec::new(),
        failed_at: None,
    };
    Reference {
        name: name(alias),
        scope: scope(),
        entry,
        documents: Documents::default(),
        depends_on: Vec::new(),
        drift: None,
        former_keys: Vec::new(),
        managed_by: None,
        last_operation: None,
        created_at: at(created),
        updated_at: at(created),
        version: Version(1),
    }
}

pub(super) fn resource(identifier: &str, made_by: Option<u8>) -> Existing {
    Existing {
        place: "000000000000/us-east-1".to_owned(),
        type_name: "AWS::EC2::VPC".to_owned(),
        identifier: identifier.to_owned(),
        made_by: made_by.map(|number| format!("{}-1", id(number))),
        properties: None,
    }
}

pub(super) fn called(when: i64, call: &str, token: &str) -> Called {
    Called {
        at: at(when),
        place: "000000000000/us-east-1".to_owned(),
        name: call.to_owned(),
        type_name: Some("AWS::EC2::VPC".to_owned()),
        identifier: None,
        client_token: Some(token.to_owned()).filter(|it| !it.is_empty()),
        request_token: None,
        outcome: "ok".to_owned(),
    }
}

pub(super) fn hand(identifier: &str, deed: Deed) -> Hand {
    Hand {
        type_name: "AWS::EC2::VPC".to_owned(),
        identifier: identifier.to_owned(),
        deed,
        at: at(0),
    }
}
