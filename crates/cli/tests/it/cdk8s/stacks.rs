//! Stacks that references must tell apart.

use super::app::{App, physical};

#[test]
fn stacks_with_the_same_logical_id_a_stage_and_a_nested_stack_have_each_their_own_value() {
    let test =
        "stacks_with_the_same_logical_id_a_stage_and_a_nested_stack_have_each_their_own_value";
    let Some(app) = App::own(test) else { return };
    app.synthesize(&[], &["node", "app.js"]);
    let deployed = app.deploy("cdk.out");
    let bucket = |stack: &str| physical(&deployed, stack, "Bucket");
    let (storage, compute, staged) = (bucket("Storage"), bucket("Compute"), bucket("Prod-App"));
    assert!(storage != compute && compute != staged && staged != storage);
    let queues = app.rig.resources().into_iter().filter(|(kind, ..)| kind == "AWS::SQS::Queue");
    let queues: Vec<_> = queues.map(|(.., properties)| properties["QueueName"].clone()).collect();
    assert_eq!(queues.len(), 1, "only the nested stack has one");

    let objects = app.resolved("dist", "resolved");
    let data = &objects[0]["data"];
    assert_eq!(data["storage"], storage);
    assert_eq!(data["compute"], compute);
    assert_eq!(data["staged"], staged);
    assert_eq!(data["nested"], queues[0]);
    assert_eq!(data["site"], format!("https://{storage}.s3.amazonaws.com/x"));
    assert_eq!(data["joined"], format!("{storage}-{compute}"));
    assert_eq!(data["both"], format!(r#"{{"bucket":"{storage}","replicas":2}}"#));
    assert_eq!(data["shell"], "${HOME} $(POD_NAME)");
    assert_eq!(data["block"], format!("first {storage}\nsecond\n"));
    let typed = &objects[2]["spec"];
    assert_eq!(typed["replicas"], 2, "a number");
    assert_eq!(typed["keys"][&storage], true);
    assert_eq!(typed["arn"], format!("arn:aws:s3:::{storage}"));
}
