//! What left a template is taken away once, a deployment is destroyed, two reach for one alias, and what was
//! replaced goes when nothing hangs on it: nothing of another deployment goes, and nothing that is kept.

use hangar_engine::{DeploymentAsk, Leave, Reach};
use hangar_plan::deployment::{OnRemove, RowState};
use hangar_plan::record::{DeploymentName, Work};
use hangar_simulator::core::call::CallName;
use hangar_simulator::core::fault::{Effect, Fault};
use hangar_simulator::core::refusal::HandlerErrorCode;
use hangar_store::StoreError;
use serde_json::json;

use super::deploy::{perform, template};
use super::{Ended, Scenario, VPC, named, present};
use crate::rig::stage::{Stage, group};

const WHOLE: &str = "
extension aws
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: { CidrBlock: '10.0.0.0/16' }
}
resource part 'AWS.EC2/Subnet@default' = {
  alias: 'part'
  properties: { VpcId: net.properties.VpcId, CidrBlock: '10.0.1.0/24' }
}
resource logs 'AWS.S3/Bucket@default' = {
  alias: 'logs'
  properties: { BucketName: 'logs-of-net' }
}
";

/// Only the bucket is left of it.
const LESS: &str = "
extension aws
resource renamed 'AWS.S3/Bucket@default' = {
  alias: 'logs'
  properties: { BucketName: 'logs-of-net' }
}
";

/// The queue of another deployment.
const OTHER: &str = "
extension aws
resource jobs 'AWS.SQS/Queue@default' = {
  alias: 'jobs'
  properties: { QueueName: 'jobs' }
}
";

const CASCADING: &str = "
extension aws
param cidr string
resource net 'AWS.EC2/VPC@default' = { alias: 'net', properties: { CidrBlock: cidr } }
resource part 'AWS.EC2/Subnet@default' = {
  alias: 'part'
  properties: { VpcId: net.properties.VpcId, CidrBlock: cidrSubnet(cidr, 24, 0) }
}
";

pub(super) const PRUNE: Scenario = Scenario {
    name: "deploy and prune",
    prepare: |stage| Box::pin(prepared(stage)),
    act: |stage| {
        Box::pin(async {
            // Repeated, it has nothing left to do.
            for _ in 0..2 {
                perform(stage, ask(stage, "app", LESS, removing(OnRemove::Delete))).await?;
            }
            Ok(())
        })
    },
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::S3::Bucket", "logs")?;
        ended.is_gone("AWS::EC2::Subnet", "part")?;
        ended.is_gone("AWS::EC2::VPC", "net")?;
        taken_once(ended, &["part", "net"])?;
        others(ended)?;
        members(ended, "app", Some(&["logs"]))
    },
};

pub(super) const DETACH: Scenario = Scenario {
    name: "deploy and detach",
    prepare: |stage| Box::pin(prepared(stage)),
    act: |stage| Box::pin(perform(stage, ask(stage, "app", LESS, removing(OnRemove::Detach)))),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::S3::Bucket", "logs")?;
        taken_once(ended, &["part", "net"])?;
        let deleted = ended.history.calls.iter().find(|it| it.name == "DeleteResource");
        if let Some(call) = deleted {
            return Err(format!("{:?} was deleted", call.identifier));
        }
        others(ended)?;
        members(ended, "app", Some(&["logs"]))
    },
};

pub(super) const DESTROY: Scenario = Scenario {
    name: "deploy and destroy",
    prepare: |stage| Box::pin(prepared(stage)),
    act: |stage| Box::pin(destroy(stage, "app")),
    end: |ended| {
        ended.all_succeeded()?;
        for (type_name, alias) in
            [("AWS::EC2::VPC", "net"), ("AWS::EC2::Subnet", "part"), ("AWS::S3::Bucket", "logs")]
        {
            ended.is_gone(type_name, alias)?;
        }
        taken_once(ended, &["part", "net", "logs"])?;
        others(ended)?;
        members(ended, "app", None)
    },
};

pub(super) const AT_ONCE: Scenario = Scenario {
    name: "two parallel deploys of one alias",
    prepare: |_| Box::pin(async { Ok(()) }),
    act: |stage| Box::pin(at_once(stage)),
    end: |ended| {
        ended.stands_for_the_one("AWS::S3::Bucket", "logs")?;
        let made = rows(ended).filter(|(_, state)| matches!(state, RowState::Done { .. })).count();
        let refused = rows(ended).filter(|(_, state)| is_refused(state)).count();
        // The second may also have been refused before it was begun.
        match (made, refused) {
            (1, 0 | 1) => {}
            other => return Err(format!("created and refused: {other:?}")),
        }
        match (ended.manager("logs"), ended.deletions("logs")) {
            (Some("app" | "web"), 0) => Ok(()),
            other => Err(format!("managed and deleted: {other:?}")),
        }
    },
};

pub(super) const TAKE_OVER: Scenario = Scenario {
    name: "deploy and prune a resource that another deployment takes over",
    prepare: |stage| Box::pin(perform(stage, ask(stage, "app", WHOLE, Leave::default()))),
    act: |stage| Box::pin(take_over(stage)),
    end: |ended| {
        // Whoever was first: it is the other one's in the end, and is there.
        ended.stands_for_the_one("AWS::S3::Bucket", "logs")?;
        match ended.manager("logs") {
            Some("web") => {}
            other => return Err(format!("logs is managed by {other:?}")),
        }
        members(ended, "app", Some(&["net", "part"]))?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")
    },
};

pub(super) const CASCADE: Scenario = Scenario {
    name: "deploy a replacement with dependents",
    prepare: |stage| Box::pin(cascading(stage, "10.0.0.0/16", false)),
    act: |stage| {
        Box::pin(async {
            refuse_once(stage).await?;
            cascading(stage, "10.1.0.0/16", true).await
        })
    },
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")?;
        ended.stands_for_the_one("AWS::EC2::Subnet", "part")?;
        let retiring = ended.reference("net").map(|it| it.entry.retiring.len());
        if retiring == Some(0) { Ok(()) } else { Err(format!("{retiring:?} are retiring")) }
    },
};

fn removing(on_remove: OnRemove) -> Leave {
    Leave { on_remove, ..Leave::default() }
}

fn deployment(name: &str) -> DeploymentName {
    DeploymentName { group: group(), name: name.to_owned() }
}

fn ask(stage: &Stage, name: &str, text: &str, leave: Leave) -> DeploymentAsk {
    DeploymentAsk { name: deployment(name), leave, ..template(stage, text, &json!({})) }
}

/// Two deployments of which neither knows of the other.
async fn prepared(stage: &Stage) -> Result<(), StoreError> {
    perform(stage, ask(stage, "app", WHOLE, Leave::default())).await?;
    perform(stage, ask(stage, "web", OTHER, Leave::default())).await
}

async fn destroy(stage: &Stage, name: &str) -> Result<(), StoreError> {
    let ask = DeploymentAsk {
        repeatability: Some(named(stage)),
        ..DeploymentAsk::destroy(deployment(name), OnRemove::Delete)
    };
    perform(stage, ask).await
}

/// Both begin, and then the one that did not get the alias is destroyed.
async fn at_once(stage: &Stage) -> Result<(), StoreError> {
    let one = ask(stage, "app", LESS, Leave::default());
    let two = ask(stage, "web", LESS, Leave::default());
    Box::pin(both(stage, one, two)).await?;
    let name = super::name("AWS.S3/Bucket", "logs");
    let found = match &name {
        Some(name) => stage.store().reference_find(name).await?,
        None => None,
    };
    let winner = found.and_then(|it| it.managed_by).map(|it| it.name).unwrap_or_default();
    let loser = if winner == "app" { "web" } else { "app" };
    match stage.store().deployment_find(&deployment(loser)).await? {
        Some(_) => destroy(stage, loser).await,
        None => Ok(()),
    }
}

/// One takes it away, and another takes it over.
async fn take_over(stage: &Stage) -> Result<(), StoreError> {
    let network = &WHOLE[..WHOLE.find("resource logs").unwrap_or(WHOLE.len())];
    let one = ask(stage, "app", network, removing(OnRemove::Delete));
    let leave = Leave { reach: Reach::TakeOver, ..Leave::default() };
    let two = ask(stage, "web", LESS, leave);
    Box::pin(both(stage, one, two)).await
}

/// Asks for both at the same time, each until it is told; one that is refused is told, too.
async fn both(stage: &Stage, one: DeploymentAsk, two: DeploymentAsk) -> Result<(), StoreError> {
    let told = tokio::join!(biased; perform(stage, one), perform(stage, two));
    match told {
        (Err(one), Err(two)) => Err(StoreError::Unavailable(format!("{one}; {two}"))),
        _ => Ok(()),
    }
}

async fn cascading(stage: &Stage, cidr: &str, replace: bool) -> Result<(), StoreError> {
    let leave = Leave { replace, ..Leave::default() };
    let ask = template(stage, CASCADING, &json!({"cidr": cidr}));
    perform(stage, DeploymentAsk { leave, ..ask }).await
}

/// AWS does not let go of the old network while its subnet is there.
async fn refuse_once(stage: &Stage) -> Result<(), StoreError> {
    let old = present(stage, VPC, "net").await?;
    let effect = Effect::Fail {
        code: HandlerErrorCode::InvalidRequest,
        message: Some("it has dependencies".to_owned()),
        with_identifier: true,
    };
    stage.aws().with(|world, _| {
        world.arm(Fault {
            id: 0,
            operation: Some(CallName::DeleteResource),
            type_name: None,
            identifier: Some(old),
            account: None,
            region: None,
            nth: 1,
            times: 1,
            effect,
        })
    });
    Ok(())
}

/// The rows of all runs, with the names of their deployments.
fn rows<'h>(ended: &'h Ended<'_>) -> impl Iterator<Item = (&'h str, &'h RowState)> {
    ended.history.operations.iter().flat_map(|record| {
        let work = match &record.work {
            Work::Deployment(work) => Some(work),
            Work::Resource(_) | Work::Group(_) | Work::Recipe(_) => None,
        };
        let name = work.map(|work| work.deployment.name.as_str()).unwrap_or_default();
        let rows = work.into_iter().flat_map(|work| &work.rows);
        rows.map(move |row| (name, &row.state))
    })
}

fn is_refused(state: &RowState) -> bool {
    matches!(state, RowState::Failed { failure, .. } if failure.code == "ManagedElsewhere")
}

/// Each was taken away by one operation.
fn taken_once(ended: &Ended<'_>, aliases: &[&str]) -> Result<(), String> {
    for alias in aliases {
        match ended.deletions(alias) {
            1 => {}
            count => return Err(format!("{alias} was removed {count} times")),
        }
    }
    Ok(())
}

/// What the other deployment manages is as it was.
fn others(ended: &Ended<'_>) -> Result<(), String> {
    ended.stands_for_the_one("AWS::SQS::Queue", "jobs")?;
    match (ended.manager("jobs"), ended.deletions("jobs")) {
        (Some("web"), 0) => members(ended, "web", Some(&["jobs"])),
        other => Err(format!("managed and deleted: {other:?}")),
    }
}

/// What a deployment manages; nothing where there is none.
fn members(ended: &Ended<'_>, name: &str, expected: Option<&[&str]>) -> Result<(), String> {
    let record = ended.history.deployments.iter().find(|it| it.name.name == name);
    let found: Option<Vec<String>> =
        record.map(|record| record.members().into_iter().map(|member| member.name).collect());
    let expected = expected.map(|names| names.iter().map(ToString::to_string).collect());
    if found == expected { Ok(()) } else { Err(format!("{name} manages {found:?}")) }
}
