//! A group goes with all that is in it; what is not owned stays at AWS.

use hangar_engine::Ask;
use hangar_plan::group::GroupTask;
use hangar_store::StoreError;
use serde_json::json;

use super::{BUCKET, Scenario, VPC, ask, ask_group, made_by_hand, put};
use crate::rig::stage::Stage;

pub(super) const GROUP_DELETE: Scenario = Scenario {
    name: "group delete",
    prepare: |stage| Box::pin(filled(stage)),
    act: |stage| Box::pin(ask_group(stage, GroupTask::Delete)),
    end: |ended| {
        ended.all_succeeded()?;
        ended.is_gone("AWS::EC2::VPC", "net")?;
        match (ended.history.references.len(), ended.existing("AWS::S3::Bucket").len()) {
            (0, 1) => Ok(()),
            (references, buckets) => {
                Err(format!("{references} references, {buckets} buckets left"))
            }
        }
    },
};

async fn filled(stage: &Stage) -> Result<(), StoreError> {
    ask(stage, VPC, "net", put(json!({"CidrBlock": "10.0.0.0/16"}), false)).await?;
    let identifier = made_by_hand(stage, "AWS::S3::Bucket", &json!({"BucketName": "theirs"}))?;
    let import =
        Ask::Import { identifier, owned: false, properties: None, secret_paths: Vec::new() };
    ask(stage, BUCKET, "theirs", import).await
}
