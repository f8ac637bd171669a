//! Groups, references and operations to try a store with.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hangar_ids::{AccountId, Region, TypeName};
use hangar_plan::Timestamp;
use hangar_plan::deployment::{
    AwsRow, DeploymentTask, DeploymentWork, Holdings, Row, RowKind, RowState, RowTarget,
    SourcePlace, Stated,
};
use hangar_plan::group::{GroupTask, GroupWork};
use hangar_plan::operation::{
    Attempt, AttemptOutcome, Convergence, Ending, Entry, EntryState, Kind, Operation, OperationId,
    Policy, Stage, Success, SuccessKind, Verb,
};
use hangar_plan::recipe::{RecipeTask, RecipeWork};
use hangar_plan::record::{
    AwsScope, Calls, CredentialName, CredentialRecord, DeploymentName, DeploymentRecord, Documents,
    Epoch, Group, GroupName, GroupState, OperationRecord, Plane, PlaneKind, PlaneName, RecipeName,
    RecipeRecord, RecipeStatus, Reference, ReferenceName, Repeatability, ResourceWork, Subject,
    Version, Work,
};

use super::Make;
use crate::clock::HandClock;
use crate::{
    Claim, Commit, CommitError, Committed, DeploymentChange, DeploymentWrite, Expect, GroupChange,
    GroupHold, Lease, RecipeChange, RecipeWrite, ReferenceChange, ReferenceWrite, Reservation,
    ReserveError, Store, WorkerId,
};

pub(super) const LEASE: Duration = Duration::from_secs(10);
pub(super) const MOMENT: Duration = Duration::from_micros(1);

/// A store with the group `prod`, and the hands of its clock.
pub(super) struct World {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: HandClock,
}

impl World {
    pub(super) async fn new(make: Make<'_>) -> Self {
        let clock = HandClock::at(Timestamp::from_micros(1_700_000_000_000_000));
        let world = Self { store: make(clock.reading()), clock };
        world.store.group_put(&world.group("prod"), Expect::Absent).await.unwrap();
        world
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn group(&self, name: &str) -> Group {
        Group {
            name: group_name(name),
            state: GroupState::Ready,
            operation: None,
            location: Some("west".to_owned()),
            tags: BTreeMap::from([("team".to_owned(), "net".to_owned())]),
            aws_scope: Some(scope()),
            properties: BTreeMap::from([("n".to_owned(), number("1.50"))]),
            secrets: BTreeMap::new(),
            created_at: self.now(),
            updated_at: self.now(),
            version: Version::default(),
        }
    }

    /// A reference that nothing is known of yet.
    pub(super) fn reference(&self, alias: &str) -> Reference {
        Reference {
            name: reference_name("prod", "AWS::EC2::VPC", alias),
            scope: scope(),
            entry: Entry {
                identifier: None,
                owned: true,
                state: EntryState::Reserved,
                operation: None,
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
            created_at: self.now(),
            updated_at: self.now(),
            version: Version::default(),
        }
    }

    /// An operation that is due at once.
    pub(super) fn record(&self, id: u128, reference: Option<ReferenceName>) -> OperationRecord {
        let tracked = reference.is_some();
        let type_name = TypeName::parse("AWS::EC2::VPC").unwrap();
        OperationRecord {
            work: Work::Resource(Box::new(ResourceWork {
                operation: Operation {
                    id: OperationId::from_u128(id),
                    kind: Kind::Put,
                    policy: Policy {
                        may_create: true,
                        tracked,
                        readable: true,
                        marker: true,
                        handler_timeout: Duration::from_hours(2),
                        replace: None,
                        adopt: None,
                        held: None,
                        unstored: Vec::new(),
                    },
                    stage: Stage::Call,
                    identifier: None,
                    attempts: vec![self.attempt(id, 1)],
                    tries: 0,
                    looked_at: None,
                    waiting_since: None,
                    waiting: None,
                    cancel_requested: false,
                    cancel_sent: false,
                    started_at: self.now(),
                    adopting: None,
                    closing: None,
                    changed: Vec::new(),
                    doubtful_reads: false,
                    ending: None,
                },
                subject: Subject::new(scope(), type_name, reference),
            })),
            parent: None,
            repeatability: None,
            correlation_id: Some(format!("correlation-{id}")),
            warnings: vec!["mind the gap".to_owned()],
            created_at: self.now(),
            updated_at: self.now(),
            ended_at: None,
            due_at: Some(self.now()),
            calls: Calls::default(),
            epoch: Epoch::default(),
            version: Version::default(),
        }
    }

    /// An operation on a whole group that is due at once.
    pub(super) fn group_record(&self, bits: u128, group: &str, task: GroupTask) -> OperationRecord {
        let work = GroupWork::new(id(bits), group_name(group), task, self.now());
        OperationRecord::new(Work::Group(Box::new(work)), self.now())
    }

    /// What the deletion of a group asks for, by one who saw `seen`.
    pub(super) fn closing(&self, bits: u128, group: &str, seen: Option<Version>) -> Reservation {
        Reservation {
            record: self.group_record(bits, group, GroupTask::Delete),
            group: Some(GroupHold::Close(group_name(group), seen)),
            ..self.untracked(bits, &[])
        }
    }

    /// A deployment in `prod` whose run `bits` has just begun.
    pub(super) fn deployment(&self, bits: u128, name: &str) -> DeploymentRecord {
        DeploymentRecord {
            name: deployment_name("prod", name),
            operation: id(bits),
            started_at: self.now(),
            ended_at: None,
            ending: None,
            rows: Vec::new(),
            outputs: None,
            holdings: Holdings::default(),
            template_path: None,
            kept_defaults: None,
            created_at: self.now(),
            version: Version(40),
        }
    }

    /// What a run of a deployment asks for, by one who saw `seen`.
    pub(super) fn deploying(&self, bits: u128, name: &str, seen: Option<Version>) -> Reservation {
        let record = self.deployment(bits, name);
        let work = DeploymentWork::new(
            id(bits),
            record.name.clone(),
            DeploymentTask::Deploy,
            vec![self.row(bits)],
            self.now(),
        );
        Reservation {
            record: OperationRecord::new(Work::Deployment(Box::new(work)), self.now()),
            group: Some(GroupHold::Open(record.name.group.clone())),
            deployment: Some(DeploymentWrite { record, seen }),
            ..self.untracked(bits, &[])
        }
    }

    /// A recipe in `prod` whose run `bits` has just begun.
    pub(super) fn recipe(&self, bits: u128, name: &str) -> RecipeRecord {
        RecipeRecord {
            name: recipe_name("prod", name),
            operation: id(bits),
            task: RecipeTask::Deploy,
            started_at: self.now(),
            ended_at: None,
            ending: None,
            source: "./net".to_owned(),
            source_version: None,
            parameters: serde_json::json!({"n": number("1.50")}),
            secret_parameters: vec!["password".to_owned()],
            status: RecipeStatus::default(),
            managed_by: None,
            sealed: format!("sealed: {name} {bits}").into_bytes(),
            created_at: self.now(),
            version: Version(40),
        }
    }

    /// What a run of a recipe asks for, by one who saw `seen`.
    pub(super) fn running(&self, bits: u128, name: &str, seen: Option<Version>) -> Reservation {
        let record = self.recipe(bits, name);
        let work = RecipeWork::new(id(bits), record.name.clone(), record.task, self.now());
        Reservation {
            record: OperationRecord::new(Work::Recipe(Box::new(work)), self.now()),
            group: Some(GroupHold::Open(record.name.group.clone())),
            recipe: Some(RecipeWrite { record, seen }),
            ..self.untracked(bits, &[])
        }
    }

    /// A run of a recipe, leased, and the recipe as it is then.
    pub(super) async fn run(&self, bits: u128, name: &str) -> (RecipeRecord, OperationRecord) {
        let seen = self.find_recipe(name).await.map(|it| it.version);
        self.reserve(self.running(bits, name, seen)).await.unwrap();
        let record = self.claim_one().await.record;
        assert_eq!(record.id(), id(bits));
        (self.find_recipe(name).await.unwrap(), record)
    }

    /// A resource of a deployment that was put.
    pub(super) fn row(&self, bits: u128) -> Row {
        let stated = Stated::Put(SuccessKind::Created);
        Row {
            address: "subnets[0]".to_owned(),
            kind: RowKind::Aws(AwsRow {
                type_name: TypeName::parse("AWS::EC2::Subnet").unwrap(),
                scope: scope(),
            }),
            target: RowTarget::Managed("net".to_owned()),
            depends_on: vec![0, 1],
            place: Some(SourcePlace {
                file: "main.bicep".to_owned(),
                line: 3,
                column: 10,
                start: 40,
                end: 44,
            }),
            operation: id(bits + 1),
            identifier: Some("subnet-1".to_owned()),
            changed: vec!["/Tags".to_owned()],
            made: Vec::new(),
            retires: true,
            plan: None,
            waiting: None,
            verb: None,
            state: RowState::Done { begun_at: self.now(), at: self.now(), stated },
        }
    }

    /// An operation without a reference that is a part of another.
    pub(super) fn part(&self, bits: u128, of: u128) -> Reservation {
        let mut reservation = self.untracked(bits, &[]);
        reservation.record.parent = Some(id(of));
        reservation
    }

    pub(super) fn attempt(&self, id: u128, number: u32) -> Attempt {
        Attempt {
            operation: OperationId::from_u128(id),
            number,
            verb: Verb::Create,
            client_token: format!("token-{id}-{number}"),
            born_at: self.now(),
            marked: true,
            unanswered: 0,
            sent_at: None,
            request_token: None,
            begun: false,
            identifier: None,
            outcome: AttemptOutcome::Open,
            replaces: None,
        }
    }

    /// What a first put of an alias asks for.
    pub(super) fn reservation(&self, id: u128, alias: &str) -> Reservation {
        let mut reference = self.reference(alias);
        reference.entry.operation = Some(OperationId::from_u128(id));
        Reservation {
            record: self.record(id, Some(reference.name.clone())),
            reference: Some(ReferenceWrite { reference, seen: None }),
            deployment: None,
            recipe: None,
            group: Some(GroupHold::Open(group_name("prod"))),
            resource_keys: Vec::new(),
            envelope: Some(format!("sealed-{id}").into_bytes()),
            message: "accepted".to_owned(),
        }
    }

    /// What an operation on a resource without a reference asks for.
    pub(super) fn untracked(&self, id: u128, resource_keys: &[&str]) -> Reservation {
        Reservation {
            record: self.record(id, None),
            reference: None,
            deployment: None,
            recipe: None,
            group: None,
            resource_keys: resource_keys.iter().map(|key| (*key).to_owned()).collect(),
            envelope: None,
            message: "accepted".to_owned(),
        }
    }

    pub(super) async fn reserve(&self, reservation: Reservation) -> Result<(), ReserveError> {
        self.store.operation_reserve(reservation).await
    }

    pub(super) async fn claim(&self, limit: usize) -> Vec<Claim> {
        self.store.operation_claim(WorkerId("one".to_owned()), LEASE, limit).await.unwrap()
    }

    /// Claims the one operation that is due.
    pub(super) async fn claim_one(&self) -> Claim {
        let mut claims = self.claim(10).await;
        assert_eq!(claims.len(), 1, "{claims:?}");
        claims.remove(0)
    }

    pub(super) async fn commit(&self, commit: Commit) -> Result<Committed, CommitError> {
        self.store.operation_commit(commit).await
    }

    pub(super) async fn operation(&self, id: u128) -> Option<OperationRecord> {
        self.store.operation_find(OperationId::from_u128(id)).await.unwrap()
    }

    pub(super) async fn find_group(&self, name: &str) -> Option<Group> {
        self.store.group_find(&group_name(name)).await.unwrap()
    }

    pub(super) async fn find_deployment(&self, name: &str) -> Option<DeploymentRecord> {
        self.store.deployment_find(&deployment_name("prod", name)).await.unwrap()
    }

    pub(super) async fn find_recipe(&self, name: &str) -> Option<RecipeRecord> {
        self.store.recipe_find(&recipe_name("prod", name)).await.unwrap()
    }

    pub(super) async fn find(&self, alias: &str) -> Option<Reference> {
        let name = reference_name("prod", "AWS::EC2::VPC", alias);
        self.store.reference_find(&name).await.unwrap()
    }

    pub(super) async fn messages(&self, id: u128) -> Vec<(u64, String)> {
        let events = self.store.event_list(OperationId::from_u128(id), 0, 100).await.unwrap();
        events.into_iter().map(|event| (event.sequence, event.message)).collect()
    }

    /// Reserves an alias, and ends its operation with the alias mapped to `identifier`.
    pub(super) async fn settled(&self, id: u128, alias: &str, identifier: &str) -> Reference {
        self.reserve(self.reservation(id, alias)).await.unwrap();
        let claim = self.claim_one().await;
        let mut reference = claim.reference.clone().unwrap();
        reference.entry.identifier = Some(identifier.to_owned());
        reference.entry.state = EntryState::Ready;
        reference.entry.operation = None;
        let change = save(reference, claim.reference.as_ref().map(|it| it.version));
        let mut commit = step(claim.record, change);
        end(&mut commit.record, self.now());
        self.commit(commit).await.unwrap();
        self.find(alias).await.unwrap()
    }
}

/// A step that changes nothing but what the caller then sets, and lets go.
pub(super) fn step(record: OperationRecord, reference: ReferenceChange) -> Commit {
    let (group, lease) = (GroupChange::Keep, Lease::Release);
    Commit {
        record,
        reference,
        deployment: DeploymentChange::Keep,
        recipe: RecipeChange::Keep,
        group,
        lease,
        message: None,
    }
}

/// A step of a run that does something with its recipe.
pub(super) fn recipe_step(record: OperationRecord, recipe: RecipeChange) -> Commit {
    Commit { recipe, ..step(record, ReferenceChange::Keep) }
}

pub(super) fn save(reference: Reference, seen: Option<Version>) -> ReferenceChange {
    ReferenceChange::Save(Box::new(ReferenceWrite { reference, seen }))
}

/// Ends an operation well.
pub(super) fn end(record: &mut OperationRecord, at: Timestamp) {
    match &mut record.work {
        Work::Resource(work) => {
            work.operation.stage = Stage::Done;
            work.operation.ending = Some(success());
        }
        Work::Group(work) => work.ending = Some(success()),
        Work::Deployment(work) => work.ending = Some(success()),
        Work::Recipe(work) => work.ending = Some(success()),
    }
    record.ended_at = Some(at);
    record.due_at = None;
}

pub(super) fn success() -> Ending {
    Ending::Succeeded(Success {
        kind: SuccessKind::Created,
        convergence: Convergence::Converged,
        not_effective: Vec::new(),
    })
}

pub(super) fn group_name(group: &str) -> GroupName {
    GroupName { plane: "local".to_owned(), group: group.to_owned() }
}

pub(super) fn deployment_name(group: &str, name: &str) -> DeploymentName {
    DeploymentName { group: group_name(group), name: name.to_owned() }
}

pub(super) fn recipe_name(group: &str, name: &str) -> RecipeName {
    RecipeName { group: group_name(group), name: name.to_owned() }
}

pub(super) fn reference_name(group: &str, type_name: &str, alias: &str) -> ReferenceName {
    ReferenceName {
        group: group_name(group),
        type_name: TypeName::parse(type_name).unwrap(),
        alias: alias.to_owned(),
    }
}

pub(super) fn scope() -> AwsScope {
    AwsScope {
        plane: "aws".to_owned(),
        account: AccountId::parse("000000000000").unwrap(),
        region: Region::parse("us-east-1").unwrap(),
    }
}

pub(super) fn plane_name(kind: PlaneKind, name: &str) -> PlaneName {
    PlaneName { kind, name: name.to_owned() }
}

/// A plane that was just made.
pub(super) fn plane(world: &World, kind: PlaneKind, name: &str) -> Plane {
    Plane {
        name: plane_name(kind, name),
        location: Some("west".to_owned()),
        tags: BTreeMap::from([("team".to_owned(), "net".to_owned())]),
        properties: BTreeMap::from([("n".to_owned(), number("1.50"))]),
        created_at: world.now(),
        updated_at: world.now(),
        version: Version(40),
    }
}

/// A credential that was just made.
pub(super) fn credential(world: &World, plane: &str, name: &str) -> CredentialRecord {
    CredentialRecord {
        name: CredentialName { plane: plane.to_owned(), name: name.to_owned() },
        location: Some("west".to_owned()),
        tags: BTreeMap::from([("team".to_owned(), "net".to_owned())]),
        shown: serde_json::json!({"kind": "AccessKey", "n": number("1.50")}),
        sealed: format!("sealed: {plane}/{name}").into_bytes(),
        created_at: world.now(),
        updated_at: world.now(),
        version: Version(40),
    }
}

pub(super) fn repeatable(request_id: &str) -> Repeatability {
    Repeatability { request_id: request_id.to_owned(), body_hash: "hash".to_owned() }
}

/// A number whose spelling no float keeps.
pub(super) fn number(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

pub(super) fn id(bits: u128) -> OperationId {
    OperationId::from_u128(bits)
}

/// The write on one resource that a record of these tests is.
pub(super) fn machine_of(record: &mut OperationRecord) -> &mut ResourceWork {
    record.resource_mut().unwrap()
}
