//! A put of what can only be had by another resource, the new one first and the old one first.

use serde_json::json;

use super::{BUCKET, Scenario, VPC, ask, put};

pub(super) const CREATE_FIRST: Scenario = Scenario {
    name: "replace, create first",
    prepare: |stage| {
        Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), false)))
    },
    act: |stage| Box::pin(ask(stage, VPC, "net", put(json!({"CidrBlock": "10.9.0.0/16"}), true))),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::EC2::VPC", "net")
    },
};

pub(super) const DELETE_FIRST: Scenario = Scenario {
    name: "replace, delete first",
    prepare: |stage| {
        Box::pin(ask(stage, BUCKET, "store", put(json!({"BucketName": "a-b-c"}), false)))
    },
    act: |stage| Box::pin(ask(stage, BUCKET, "store", put(json!({"BucketName": "x-y-z"}), true))),
    end: |ended| {
        ended.all_succeeded()?;
        ended.stands_for_the_one("AWS::S3::Bucket", "store")
    },
};
