//! A group is looked through, and what has drifted is mended.

use hangar_plan::group::GroupTask;
use hangar_store::StoreError;
use serde_json::json;

use super::{Scenario, VPC, ask, ask_group, place, present, put};
use crate::rig::stage::Stage;

pub(super) const GROUP_DRIFT: Scenario = Scenario {
    name: "group drift repair",
    prepare: |stage| Box::pin(drifted(stage)),
    act: |stage| Box::pin(ask_group(stage, GroupTask::Drift { repair: true, prune: false })),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")?;
        let updates = ended.history.calls.iter().filter(|it| it.name == "UpdateResource");
        if updates.count() == 0 { Err("nothing was mended".to_owned()) } else { Ok(()) }
    },
};

async fn drifted(stage: &Stage) -> Result<(), StoreError> {
    let wanted = json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true});
    ask(stage, VPC, "net", put(wanted, false)).await?;
    let identifier = present(stage, VPC, "net").await?;
    let change = json!({"EnableDnsSupport": false});
    stage
        .aws()
        .with(|world, wall| {
            world.change_out_of_band(&place(), "AWS::EC2::VPC", &identifier, &change, wall)
        })
        .map(drop)
        .map_err(|refusal| StoreError::Unavailable(refusal.message))
}
