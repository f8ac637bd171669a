//! A put that changes nothing.

use serde_json::json;

use super::{Scenario, VPC, ask, put};

pub(super) const NOOP: Scenario = Scenario {
    name: "no-op",
    prepare: |stage| {
        Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), false)))
    },
    act: |stage| Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), true))),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")?;
        let writes = ended.history.calls.iter().filter(|it| it.client_token.is_some()).count();
        if writes == 1 { Ok(()) } else { Err(format!("{writes} writes instead of the create")) }
    },
};
