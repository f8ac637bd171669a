//! Stopping an operation: what was sent is followed to its end.

use hangar_plan::operation::{Ending, EntryState};
use hangar_simulator::core::settings::Settings;

use crate::plane::{Plane, VPC, put, vpc};

#[tokio::test]
async fn a_canceled_create_leaves_nothing_unknown_behind() {
    let settings = Settings { latency: "20s..20s".parse().unwrap(), ..Settings::default() };
    let plane = Plane::start_with(settings).await;
    let accepted = plane.submit(VPC, "net", put(vpc(true))).await.unwrap();
    while plane.calls("CreateResource").await == 0 {
        tokio::task::yield_now().await;
    }
    plane.engine.cancel(accepted.record.operation.id).await.unwrap();
    let record = plane.finish(accepted).await;
    assert_eq!(plane.calls("CancelResourceRequest").await, 1);
    match (record.operation.ending.unwrap(), plane.reference(VPC, "net").await) {
        (Ending::Succeeded(success), _) => panic!("{success:?}"),
        // Either AWS had named the resource, or the alias waits for its look-up.
        (_, Some(reference)) => assert!(
            reference.entry.identifier.is_some() || reference.entry.state == EntryState::Unknown
        ),
        (_, None) => assert!(plane.existing("AWS::EC2::VPC").await.is_empty()),
    }
}
