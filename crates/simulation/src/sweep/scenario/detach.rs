//! A delete of an alias that leaves its resource.

use hangar_engine::{Ask, DeleteMode};
use serde_json::json;

use super::{Scenario, VPC, ask, put};

pub(super) const DETACH: Scenario = Scenario {
    name: "detach",
    prepare: |stage| {
        Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), false)))
    },
    act: |stage| {
        let detach = Ask::Delete { identifier: None, mode: DeleteMode::Detach };
        Box::pin(ask(stage, VPC, "net", detach))
    },
    end: |ended| {
        ended.all_succeeded()?;
        match (ended.reference("net"), ended.existing("AWS::EC2::VPC").len()) {
            (None, 1) => Ok(()),
            (reference, count) => Err(format!("{count} left, {reference:?}")),
        }
    },
};
