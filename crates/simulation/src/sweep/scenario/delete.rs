//! A delete of an alias and its resource.

use hangar_engine::{Ask, DeleteMode};
use serde_json::json;

use super::{Scenario, VPC, ask, put};

pub(super) const DELETE: Scenario = Scenario {
    name: "delete",
    prepare: |stage| {
        Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), false)))
    },
    act: |stage| {
        let delete = Ask::Delete { identifier: None, mode: DeleteMode::ByOwnership };
        Box::pin(ask(stage, VPC, "net", delete))
    },
    end: |ended| {
        ended.all_succeeded()?;
        ended.is_gone("AWS::EC2::VPC", "net")
    },
};
