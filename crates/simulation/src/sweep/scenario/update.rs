//! A put that changes what is there.

use serde_json::json;

use super::{Scenario, VPC, ask, put};

pub(super) const UPDATE: Scenario = Scenario {
    name: "update",
    prepare: |stage| {
        Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), false)))
    },
    act: |stage| {
        let changed = json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": false});
        // Another name than the first put's.
        Box::pin(ask(stage, VPC, "net", put(changed, true)))
    },
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")?;
        let updates = ended.history.calls.iter().filter(|it| it.name == "UpdateResource");
        if updates.count() == 0 { Err("nothing was updated".to_owned()) } else { Ok(()) }
    },
};
