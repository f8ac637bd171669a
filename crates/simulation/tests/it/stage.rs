//! One engine, its store in a file and its AWS in this process, on one thread.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hangar_engine::{Accepted, Ask, Config, DeleteMode, Dice, Engine, Submission};
use hangar_ids::TypeName;
use hangar_plan::operation::{Ending, SuccessKind};
use hangar_plan::record::{
    AwsScope, Group, GroupName, GroupState, OperationRecord, ReferenceName, Subject, Version,
};
use hangar_provider::Provider;
use hangar_simulation::rig::aws::Aws;
use hangar_simulation::rig::clock::RunClock;
use hangar_simulation::rig::fate::Fates;
use hangar_simulation::rig::process::Run;
use hangar_simulation::rig::provider::ProcessAws;
use hangar_simulation::rig::store::of_process;
use hangar_simulation::rig::wire::over_the_wire;
use hangar_simulator::core::settings::Settings;
use hangar_store::keys::Keys;
use hangar_store::sqlite::{Options, Sqlite, Threads};
use hangar_store::{Expect, Store};
use serde_json::{Value, json};

/// No operation of these tests takes longer.
const PATIENCE: Duration = Duration::from_hours(48);

/// Runs something where time moves only when nothing else can. There is no driver of input and output:
/// a socket would panic.
pub(crate) fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().unwrap().block_on(work)
}

/// How AWS is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By its core.
    Core,
    /// By its SDK.
    Wire,
}

pub(crate) struct Stage {
    pub(crate) aws: Aws,
    pub(crate) store: Arc<Sqlite>,
    pub(crate) engine: Engine,
}

impl Stage {
    /// An engine whose calls of the store and of AWS meet these fates.
    pub(crate) fn open(
        path: &Path,
        aws: Aws,
        clock: &RunClock,
        way: Way,
        fates: Box<dyn Fates>,
    ) -> Self {
        let options =
            Options { clock: clock.for_store(), threads: Threads::Callers, ..Options::default() };
        let store = Arc::new(Sqlite::open_with(path, options).unwrap());
        let process = Run::new(clock.clone(), fates, None).begin(0);
        let provider: Arc<dyn Provider> = match way {
            Way::Core => Arc::new(aws.clone()),
            Way::Wire => over_the_wire(&aws),
        };
        let provider = ProcessAws::new(process.clone(), aws.clone(), provider);
        let gated: Arc<dyn Store> = Arc::new(of_process(process, store.clone()));
        let keys = Arc::new(Keys::from_hex(&"ab".repeat(32)).unwrap());
        let config = Config { dice: Dice::seeded(1), ..Config::default() };
        let engine = Engine::start(config, gated, Arc::new(provider), keys);
        Self { aws, store, engine }
    }

    pub(crate) async fn make_group(&self) {
        let now = self.engine.reader().now().await.unwrap();
        let group = Group {
            name: group(),
            state: GroupState::Ready,
            operation: None,
            location: None,
            tags: BTreeMap::new(),
            aws_scope: None,
            properties: BTreeMap::new(),
            secrets: BTreeMap::new(),
            created_at: now,
            updated_at: now,
            version: Version(0),
        };
        self.engine.group_put(&group, Expect::Any).await.unwrap();
    }

    pub(crate) async fn submit(&self, alias: &str, ask: Ask) -> Accepted {
        self.engine.submit(Submission::new(subject(alias), ask)).await.unwrap()
    }

    pub(crate) async fn done(&self, alias: &str, ask: Ask) -> SuccessKind {
        let id = self.submit(alias, ask).await.record.id();
        let record = self.engine.wait(id, PATIENCE).await.unwrap().unwrap();
        kind(&record)
    }

    pub(crate) async fn put(&self, alias: &str, dns: bool) -> SuccessKind {
        self.done(alias, put(dns)).await
    }

    pub(crate) async fn delete(&self, alias: &str) -> SuccessKind {
        self.done(alias, delete()).await
    }
}

/// An AWS with nothing in it.
pub(crate) fn aws(clock: &RunClock) -> Aws {
    Aws::new(hangar_schema::Catalog::bundled(), Settings::default(), clock.clone())
}

fn kind(record: &OperationRecord) -> SuccessKind {
    match record.ending() {
        Some(Ending::Succeeded(success)) => success.kind,
        other => panic!("{other:#?}"),
    }
}

pub(crate) fn put(dns: bool) -> Ask {
    Ask::Put {
        identifier: None,
        properties: vpc(dns),
        secret_paths: Vec::new(),
        replace: false,
        adopt: None,
    }
}

pub(crate) fn delete() -> Ask {
    Ask::Delete { identifier: None, mode: DeleteMode::ByOwnership }
}

fn vpc(dns: bool) -> Value {
    json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": dns})
}

fn group() -> GroupName {
    GroupName { plane: "local".to_owned(), group: "team".to_owned() }
}

fn subject(alias: &str) -> Subject {
    let type_name = TypeName::parse("AWS::EC2::VPC").unwrap();
    let scope = AwsScope {
        plane: "aws".to_owned(),
        account: "42".parse().unwrap(),
        region: "eu-central-1".parse().unwrap(),
    };
    let name =
        ReferenceName { group: group(), type_name: type_name.clone(), alias: alias.to_owned() };
    Subject::new(scope, type_name, Some(name))
}
