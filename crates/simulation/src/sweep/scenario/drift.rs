//! Mends what hands have changed, and makes anew what they have deleted.

use hangar_engine::Ask;
use hangar_store::StoreError;
use serde_json::json;

use super::{Scenario, VPC, ask, place, present, put};
use crate::rig::stage::Stage;

pub(super) const REPAIR: Scenario = Scenario {
    name: "drift repair",
    prepare: |stage| Box::pin(drifted(stage)),
    act: |stage| Box::pin(ask(stage, VPC, "net", Ask::Repair)),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")?;
        let updates = ended.history.calls.iter().filter(|it| it.name == "UpdateResource");
        if updates.count() == 0 { Err("nothing was repaired".to_owned()) } else { Ok(()) }
    },
};

pub(super) const RECREATE: Scenario = Scenario {
    name: "put of a resource deleted outside Hangar",
    prepare: |stage| Box::pin(deleted(stage)),
    act: |stage| Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), true))),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")
    },
};

pub(super) const REPAIR_RECREATE: Scenario = Scenario {
    name: "repair of a deleted resource",
    prepare: |stage| Box::pin(deleted(stage)),
    act: |stage| Box::pin(ask(stage, VPC, "net", Ask::Repair)),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")
    },
};

/// An alias whose resource a hand has changed.
pub(super) async fn drifted(stage: &Stage) -> Result<(), StoreError> {
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

async fn deleted(stage: &Stage) -> Result<(), StoreError> {
    ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), false)).await?;
    let identifier = present(stage, VPC, "net").await?;
    stage
        .aws()
        .with(|world, wall| world.delete_out_of_band(&place(), "AWS::EC2::VPC", &identifier, wall));
    Ok(())
}
