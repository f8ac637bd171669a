//! A little of everything, to be found again.

use std::collections::BTreeMap;
use std::time::Duration;

use hangar_ids::{AccountId, Region, TypeName};
use hangar_plan::Timestamp;
use hangar_plan::deployment::{DeploymentTask, DeploymentWork, Holdings};
use hangar_plan::operation::{
    Attempt, AttemptOutcome, Convergence, Ending, Entry, EntryState, Kind, Operation, OperationId,
    Policy, Stage, Success, SuccessKind, Verb,
};
use hangar_plan::recipe::{RecipeTask, RecipeWork};
use hangar_plan::record::{
    AwsScope, CredentialName, CredentialRecord, DeploymentName, DeploymentRecord, Documents, Group,
    GroupName, GroupState, OperationRecord, RecipeName, RecipeRecord, RecipeStatus, Reference,
    ReferenceName, ResourceWork, StateLock, StateVersion, Subject, Version, Work,
};
use hangar_store::{
    CachedSchema, Commit, DeploymentChange, DeploymentWrite, Expect, GroupChange, GroupHold, Lease,
    RecipeChange, RecipeWrite, ReferenceChange, ReferenceWrite, Reservation, StateWrite, Store,
    WorkerId,
};

pub(crate) const ID: OperationId =
    OperationId::from_u128(0x0191_f3a8_7c2e_7abc_8def_0123_4567_89ab);

pub(crate) fn group_name() -> GroupName {
    GroupName { plane: "local".to_owned(), group: "prod".to_owned() }
}

pub(crate) fn reference_name() -> ReferenceName {
    let type_name = TypeName::parse("AWS::EC2::VPC").unwrap();
    ReferenceName { group: group_name(), type_name, alias: "web".to_owned() }
}

pub(crate) fn deployment_name() -> DeploymentName {
    DeploymentName { group: group_name(), name: "App".to_owned() }
}

/// A deployment and an operation that is about to run it.
pub(crate) fn deploying(id: OperationId, now: Timestamp) -> Reservation {
    let name = deployment_name();
    let task = DeploymentTask::Deploy;
    let work = DeploymentWork::new(id, name.clone(), task, Vec::new(), now);
    let record = DeploymentRecord {
        name,
        operation: id,
        started_at: now,
        ended_at: None,
        ending: None,
        rows: Vec::new(),
        outputs: None,
        holdings: Holdings::default(),
        template_path: None,
        kept_defaults: None,
        created_at: now,
        version: Version::default(),
    };
    Reservation {
        record: OperationRecord::new(Work::Deployment(Box::new(work)), now),
        deployment: Some(DeploymentWrite { record, seen: None }),
        group: Some(GroupHold::Open(group_name())),
        ..untracked(id, now)
    }
}

pub(crate) fn recipe_name() -> RecipeName {
    RecipeName { group: group_name(), name: "Net".to_owned() }
}

/// A recipe and an operation that is about to run it.
pub(crate) fn running(id: OperationId, now: Timestamp, sealed: &[u8]) -> Reservation {
    let (name, task) = (recipe_name(), RecipeTask::Deploy);
    let work = RecipeWork::new(id, name.clone(), task, now);
    let record = RecipeRecord {
        name,
        operation: id,
        task,
        started_at: now,
        ended_at: None,
        ending: None,
        source: "./net".to_owned(),
        source_version: None,
        parameters: serde_json::json!({}),
        secret_parameters: Vec::new(),
        status: RecipeStatus::default(),
        managed_by: None,
        sealed: sealed.to_vec(),
        created_at: now,
        version: Version::default(),
    };
    Reservation {
        record: OperationRecord::new(Work::Recipe(Box::new(work)), now),
        recipe: Some(RecipeWrite { record, seen: None }),
        group: Some(GroupHold::Open(group_name())),
        ..untracked(id, now)
    }
}

/// A version of the recipe's state, by one who holds no lock.
pub(crate) fn state(now: Timestamp, sealed: &[u8]) -> StateWrite {
    let version = StateVersion {
        number: 0,
        serial: Some(1),
        lineage: None,
        instances: 1,
        size: sealed.len() as u64,
        digest: String::new(),
        operation: None,
        written_at: now,
        stray: false,
    };
    StateWrite { recipe: recipe_name(), version, sealed: sealed.to_vec(), lock_id: None }
}

pub(crate) fn state_lock(now: Timestamp, id: &str) -> StateLock {
    let info = serde_json::json!({"Who": "somebody"});
    StateLock { id: id.to_owned(), info, taken_at: now, operation: None }
}

/// A group with a recipe, which operation `id` runs, a version of its state, and a lock on that.
pub(crate) async fn fill_recipe(store: &dyn Store, id: OperationId, sealed: &[u8]) {
    let now = store.now().await.unwrap();
    store.group_put(&group(now), Expect::Any).await.unwrap();
    store.operation_reserve(running(id, now, sealed)).await.unwrap();
    store.state_write(state(now, sealed)).await.unwrap();
    store.state_lock(&recipe_name(), &state_lock(now, "held")).await.unwrap();
}

pub(crate) fn credential_name() -> CredentialName {
    CredentialName { plane: "aws".to_owned(), name: "default".to_owned() }
}

/// A credential with the given secrets.
pub(crate) fn credential(now: Timestamp, sealed: Vec<u8>) -> CredentialRecord {
    CredentialRecord {
        name: credential_name(),
        location: None,
        tags: BTreeMap::new(),
        shown: serde_json::json!({"kind": "AccessKey"}),
        sealed,
        created_at: now,
        updated_at: now,
        version: Version::default(),
    }
}

fn scope() -> AwsScope {
    AwsScope {
        plane: "aws".to_owned(),
        account: AccountId::parse("000000000000").unwrap(),
        region: Region::parse("us-east-1").unwrap(),
    }
}

pub(crate) fn group(now: Timestamp) -> Group {
    Group {
        name: group_name(),
        state: GroupState::Ready,
        operation: None,
        location: None,
        tags: BTreeMap::new(),
        aws_scope: None,
        properties: BTreeMap::new(),
        secrets: BTreeMap::new(),
        created_at: now,
        updated_at: now,
        version: Version::default(),
    }
}

fn record(now: Timestamp) -> OperationRecord {
    let attempt = Attempt {
        operation: ID,
        number: 1,
        verb: Verb::Create,
        client_token: format!("{ID}-1"),
        born_at: now,
        marked: false,
        unanswered: 0,
        sent_at: None,
        request_token: Some("request".to_owned()),
        begun: false,
        identifier: None,
        outcome: AttemptOutcome::Open,
        replaces: None,
    };
    let operation = Operation {
        id: ID,
        kind: Kind::Put,
        policy: Policy {
            may_create: true,
            tracked: true,
            readable: true,
            marker: false,
            handler_timeout: Duration::from_hours(2),
            replace: None,
            adopt: None,
            held: None,
            unstored: Vec::new(),
        },
        stage: Stage::Call,
        identifier: None,
        attempts: vec![attempt],
        tries: 0,
        looked_at: None,
        waiting_since: None,
        waiting: None,
        cancel_requested: false,
        cancel_sent: false,
        started_at: now,
        adopting: None,
        closing: None,
        changed: Vec::new(),
        doubtful_reads: false,
        ending: None,
    };
    let name = reference_name();
    let subject = Subject::new(scope(), name.type_name.clone(), Some(name));
    OperationRecord::new(Work::Resource(Box::new(ResourceWork { operation, subject })), now)
}

/// The write on one resource that a record of these tests is.
pub(crate) fn machine_of(record: &mut OperationRecord) -> &mut ResourceWork {
    record.resource_mut().unwrap()
}

/// Takes the alias `web` with the given envelope.
pub(crate) fn reservation(now: Timestamp, envelope: Vec<u8>) -> Reservation {
    let reference = Reference {
        name: reference_name(),
        scope: scope(),
        entry: Entry {
            identifier: None,
            owned: true,
            state: EntryState::Reserved,
            operation: Some(ID),
            unsettled: Vec::new(),
            failed_at: None,
            retiring: Vec::new(),
        },
        documents: Documents::default(),
        depends_on: Vec::new(),
        drift: None,
        former_keys: Vec::new(),
        managed_by: None,
        last_operation: None,
        created_at: now,
        updated_at: now,
        version: Version::default(),
    };
    Reservation {
        record: record(now),
        reference: Some(ReferenceWrite { reference, seen: None }),
        deployment: None,
        recipe: None,
        group: Some(GroupHold::Open(group_name())),
        resource_keys: vec!["key".to_owned()],
        envelope: Some(envelope),
        message: "accepted".to_owned(),
    }
}

/// An operation that takes nothing.
pub(crate) fn untracked(id: OperationId, now: Timestamp) -> Reservation {
    let mut record = record(now);
    machine_of(&mut record).operation.id = id;
    machine_of(&mut record).operation.attempts.clear();
    machine_of(&mut record).subject.reference = None;
    Reservation {
        record,
        reference: None,
        deployment: None,
        recipe: None,
        group: None,
        resource_keys: vec![],
        envelope: None,
        message: "accepted".to_owned(),
    }
}

/// A credential, a group, an operation that runs on a reference in it, a schema and a key's proof.
pub(crate) async fn fill(store: &dyn Store, envelope: Vec<u8>) {
    let now = store.now().await.unwrap();
    store.credential_put(&credential(now, b"secrets".to_vec()), Expect::Absent).await.unwrap();
    store.group_put(&group(now), Expect::Absent).await.unwrap();
    store.operation_reserve(reservation(now, envelope)).await.unwrap();
    let schema = CachedSchema {
        region: "us-east-1".to_owned(),
        type_name: "AWS::EC2::VPC".to_owned(),
        hash: "hash".to_owned(),
        document: "{}".to_owned(),
        fetched_at: now,
    };
    store.schema_put(&schema).await.unwrap();
    store.key_check_put("proof").await.unwrap();
}

/// Asserts that all of it is there, and ends the operation.
pub(crate) async fn find_and_end(store: &dyn Store, envelope: &[u8]) {
    assert!(store.group_find(&group_name()).await.unwrap().is_some());
    let reference = store.reference_find(&reference_name()).await.unwrap().unwrap();
    assert_eq!(reference.entry.operation, Some(ID));
    assert!(store.operation_find(ID).await.unwrap().is_some());
    assert_eq!(store.operation_find_by_request("request").await.unwrap(), Some(ID));
    assert_eq!(store.event_list(ID, 0, 10).await.unwrap().len(), 1);
    assert!(store.schema_find("us-east-1", "AWS::EC2::VPC").await.unwrap().is_some());
    assert_eq!(store.key_check().await.unwrap().as_deref(), Some("proof"));

    let worker = WorkerId("worker".to_owned());
    let mut claims = store.operation_claim(worker, Duration::from_secs(10), 10).await.unwrap();
    assert_eq!(claims.len(), 1);
    let claim = claims.remove(0);
    assert_eq!(claim.envelope.as_deref(), Some(envelope));
    store.operation_commit(end(claim.record)).await.unwrap();
}

/// The last step of an operation.
pub(crate) fn end(mut record: OperationRecord) -> Commit {
    finish(&mut record);
    let (reference, group, lease) = (ReferenceChange::Keep, GroupChange::Keep, Lease::Release);
    let message = Some("done".to_owned());
    Commit {
        record,
        reference,
        deployment: DeploymentChange::Keep,
        recipe: RecipeChange::Keep,
        group,
        lease,
        message,
    }
}

/// Ends an operation well.
pub(crate) fn finish(record: &mut OperationRecord) {
    machine_of(record).operation.stage = Stage::Done;
    machine_of(record).operation.ending = Some(Ending::Succeeded(Success {
        kind: SuccessKind::Created,
        convergence: Convergence::Converged,
        not_effective: Vec::new(),
    }));
    record.ended_at = Some(record.updated_at);
    record.due_at = None;
}
