//! A put of an alias that is new, of a type that AWS names and of one that the user names.

use serde_json::json;

use super::{BUCKET, Scenario, VPC, ask, put};

pub(super) const CREATE: Scenario = Scenario {
    name: "create",
    prepare: |_| Box::pin(std::future::ready(Ok(()))),
    act: |stage| Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), false))),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")
    },
};

pub(super) const CREATE_NAMED: Scenario = Scenario {
    name: "create with a name",
    prepare: |_| Box::pin(std::future::ready(Ok(()))),
    act: |stage| Box::pin(ask(stage, BUCKET, "store", put(json!({"BucketName": "a-b-c"}), false))),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::S3::Bucket", "store")
    },
};
