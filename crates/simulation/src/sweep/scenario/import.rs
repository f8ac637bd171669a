//! Takes in what hands have made, as it is and with something applied.

use hangar_engine::Ask;
use hangar_store::StoreError;
use serde_json::{Value, json};

use super::{Scenario, VPC, ask, made_by_hand};
use crate::rig::stage::Stage;

pub(super) const IMPORT: Scenario = Scenario {
    name: "import",
    prepare: |_| Box::pin(std::future::ready(Ok(()))),
    act: |stage| Box::pin(import(stage, None)),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")
    },
};

pub(super) const IMPORT_AND_APPLY: Scenario = Scenario {
    name: "import and apply",
    prepare: |_| Box::pin(std::future::ready(Ok(()))),
    act: |stage| {
        let wanted = json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": false});
        Box::pin(import(stage, Some(wanted)))
    },
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")
    },
};

async fn import(stage: &Stage, properties: Option<Value>) -> Result<(), StoreError> {
    let document = json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true});
    let identifier = made_by_hand(stage, "AWS::EC2::VPC", &document)?;
    let import = Ask::Import { identifier, owned: true, properties, secret_paths: Vec::new() };
    ask(stage, VPC, "net", import).await
}
