//! A template is deployed: what depends on another comes after it, and nothing is made twice.

use std::cell::RefCell;
use std::collections::BTreeMap;

use hangar_engine::{DeploymentAsk, Leave};
use hangar_plan::deployment::{DeploymentTask, Planned};
use hangar_plan::operation::Ending;
use hangar_plan::record::{DeploymentName, Work};
use hangar_store::StoreError;
use hangar_template::source::Sources;
use serde_json::{Value, json};

use super::{Ended, Scenario, named, until_told};
use crate::rig::stage::{Stage, group, scope};

const NETWORK: &str = "
extension aws
param dns bool
param zone string = 'eu-central-1a'
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: { CidrBlock: '10.0.0.0/16', EnableDnsSupport: dns }
}
resource part 'AWS.EC2/Subnet@default' = {
  alias: 'part'
  properties: { VpcId: net.properties.VpcId, CidrBlock: '10.0.1.0/24', AvailabilityZone: zone }
}
resource logs 'AWS.S3/Bucket@default' = {
  alias: 'logs'
  properties: { BucketName: 'logs-of-net' }
}
output where string = part.properties.SubnetId
";

/// The bucket's name is no name, which AWS tells only when it is asked.
const HALF: &str = "
extension aws
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: { CidrBlock: '10.0.0.0/16' }
}
resource gone 'AWS.SQS/Queue@default' existing = {
  alias: 'nobody'
}
resource after 'AWS.S3/Bucket@default' = {
  alias: 'after'
  properties: { BucketName: gone.properties.QueueName }
}
";

pub(super) const DEPLOY: Scenario = Scenario {
    name: "deploy",
    prepare: |_| Box::pin(async { Ok(()) }),
    act: |stage| Box::pin(deploy(stage, NETWORK, json!({"dns": true}))),
    end: |ended| {
        ended.all_succeeded()?;
        stands(ended)
    },
};

pub(super) const DEPLOY_CHANGE: Scenario = Scenario {
    name: "deploy a change",
    prepare: |stage| Box::pin(deploy(stage, NETWORK, json!({"dns": true}))),
    act: |stage| Box::pin(deploy(stage, NETWORK, json!({"dns": false}))),
    end: is_changed,
};

/// What was planned before is what is done, and the run that is cut off holds to it.
pub(super) const DEPLOY_A_PLAN: Scenario = Scenario {
    name: "deploy a plan",
    prepare: |stage| Box::pin(deploy_and_plan(stage)),
    act: |stage| Box::pin(deploy_planned(stage)),
    end: is_changed,
};

pub(super) const DEPLOY_AND_FAIL: Scenario = Scenario {
    name: "deploy with a resource that fails",
    prepare: |_| Box::pin(async { Ok(()) }),
    act: |stage| Box::pin(deploy(stage, HALF, json!({}))),
    end: |ended| {
        ended.stands_for_the_one("AWS::EC2::VPC", "net")?;
        ended.is_gone("AWS::S3::Bucket", "after")?;
        match deployed(ended) {
            Some(Ending::Failed(failure)) if failure.findings.len() == 1 => Ok(()),
            other => Err(format!("the deployment ended as {other:?}")),
        }
    },
};

pub(super) const DEPLOY_AND_STOP: Scenario = Scenario {
    name: "deploy and stop",
    prepare: |_| Box::pin(async { Ok(()) }),
    act: |stage| Box::pin(deploy_and_stop(stage)),
    end: |ended| {
        // Whatever was begun is whole, and known; nothing else is there.
        let running = ended.history.operations.iter().find(|it| !it.is_ended());
        if let Some(running) = running {
            return Err(format!("{} has not ended", running.id()));
        }
        for (type_name, alias) in
            [("AWS::EC2::VPC", "net"), ("AWS::EC2::Subnet", "part"), ("AWS::S3::Bucket", "logs")]
        {
            if ended.reference(alias).is_some() {
                ended.stands_for_the_one(type_name, alias)?;
            } else {
                ended.is_gone(type_name, alias)?;
            }
        }
        Ok(())
    },
};

fn is_changed(ended: &Ended<'_>) -> Result<(), String> {
    ended.all_succeeded()?;
    stands(ended)?;
    let applied = ended.reference("net").and_then(|it| it.documents.applied.as_ref());
    match applied.and_then(|it| it.get("EnableDnsSupport")) {
        Some(Value::Bool(false)) => Ok(()),
        other => Err(format!("EnableDnsSupport is {other:?}")),
    }
}

fn stands(ended: &Ended<'_>) -> Result<(), String> {
    ended.stands_for_the_one("AWS::EC2::VPC", "net")?;
    ended.stands_for_the_one("AWS::EC2::Subnet", "part")?;
    ended.stands_for_the_one("AWS::S3::Bucket", "logs")
}

/// How the deployment ended.
fn deployed<'h>(ended: &'h Ended<'_>) -> Option<&'h Ending> {
    let mut operations = ended.history.operations.iter();
    operations.find(|it| matches!(it.work, Work::Deployment(_)))?.ending()
}

/// The template as it is asked for.
pub(super) fn template(stage: &Stage, text: &str, parameters: &Value) -> DeploymentAsk {
    let parameters: BTreeMap<String, Value> =
        parameters.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
    DeploymentAsk {
        name: DeploymentName { group: group(), name: "app".to_owned() },
        task: DeploymentTask::Deploy,
        sources: Sources::of("main.bicep", text.as_bytes()),
        entry: "main.bicep".to_owned(),
        template_path: None,
        parameters,
        scope: scope(),
        leave: Leave::default(),
        plan: None,
        repeatability: Some(named(stage)),
        correlation_id: None,
    }
}

async fn deploy(stage: &Stage, text: &str, parameters: Value) -> Result<(), StoreError> {
    perform(stage, template(stage, text, &parameters)).await
}

thread_local! {
    /// The plan of the scenario that is played: whoever acts makes no calls of his own, for each is one to die at.
    static PLANNED: RefCell<Option<Planned>> = const { RefCell::new(None) };
}

async fn deploy_and_plan(stage: &Stage) -> Result<(), StoreError> {
    deploy(stage, NETWORK, json!({"dns": true})).await?;
    let ask = template(stage, NETWORK, &json!({"dns": false}));
    perform(stage, DeploymentAsk { task: DeploymentTask::Plan, ..ask }).await?;
    let history = stage.history().await?;
    let result = history.operations.iter().find_map(|record| match &record.work {
        Work::Deployment(work) if work.task == DeploymentTask::Plan => work.result.clone(),
        _ => None,
    });
    let changes = result.as_ref().and_then(|it| it.get("changes")).and_then(Value::as_array);
    let seal = result.as_ref().and_then(|it| it.get("seal")).and_then(Value::as_str);
    let (Some(changes), Some(seal)) = (changes.cloned(), seal.map(str::to_owned)) else {
        return Err(StoreError::Unavailable("there is no plan".to_owned()));
    };
    PLANNED.set(Some(Planned {
        seal: Some(seal),
        fresh_seal: None,
        changes,
        scope: None,
        outputs: None,
        kept_defaults: None,
    }));
    Ok(())
}

/// Applies the plan that was made.
async fn deploy_planned(stage: &Stage) -> Result<(), StoreError> {
    let ask = template(stage, NETWORK, &json!({"dns": false}));
    perform(stage, DeploymentAsk { plan: PLANNED.take(), ..ask }).await
}

/// Asks for a run until there is an answer, and waits for its end.
pub(super) async fn perform(stage: &Stage, ask: DeploymentAsk) -> Result<(), StoreError> {
    let mut replica = 0;
    until_told(stage, async || {
        replica += 1;
        stage.submit_deployment(replica, ask.clone()).await
    })
    .await
}

/// Stops the deployment as soon as it is accepted.
async fn deploy_and_stop(stage: &Stage) -> Result<(), StoreError> {
    let ask = template(stage, NETWORK, &json!({"dns": true}));
    let mut replica = 0;
    until_told(stage, async || {
        replica += 1;
        let answer = stage.submit_deployment(replica, ask.clone()).await?;
        if let Ok(accepted) = &answer {
            stage.cancel(replica, accepted.record.id()).await?;
        }
        Some(answer)
    })
    .await
}
