//! Hands behind Cloud Control's back, as the SDK sees what they did.

use serde_json::{Value, json};

use super::{ACCOUNT, Cloud, LOG_GROUP, REGION, failed, log_group, refused, set, succeeded};

/// A resource of the place that the SDK calls.
fn named(more: &Value) -> Value {
    let mut named = json!({"account": ACCOUNT, "region": REGION, "type": LOG_GROUP});
    for (name, value) in more.as_object().unwrap() {
        named[name] = value.clone();
    }
    named
}

#[tokio::test]
async fn what_was_changed_out_of_band_is_read_and_patched_upon() {
    let cloud = Cloud::start(&[]);
    let group = cloud.made(LOG_GROUP, &log_group("drifts")).await;
    let properties = json!({"RetentionInDays": 7, "LogGroupClass": "INFREQUENT_ACCESS"});
    let change = named(&json!({"identifier": group, "properties": properties}));
    cloud.control("PATCH", "resources", &change);
    let read = cloud.get(LOG_GROUP, &group).await;
    assert_eq!(read["RetentionInDays"], 7);
    assert_eq!(read["LogGroupClass"], "INFREQUENT_ACCESS");

    let test = json!([
        {"op": "test", "path": "/RetentionInDays", "value": 7},
        {"op": "remove", "path": "/RetentionInDays"},
    ]);
    succeeded(&cloud.update(LOG_GROUP, &group, &test).await);
    assert_eq!(cloud.get(LOG_GROUP, &group).await.get("RetentionInDays"), None);
}

#[tokio::test]
async fn what_was_deleted_out_of_band_is_gone() {
    let cloud = Cloud::start(&[]);
    let group = cloud.made(LOG_GROUP, &log_group("goes")).await;
    let path =
        format!("resources?account={ACCOUNT}&region={REGION}&type={LOG_GROUP}&identifier={group}");
    cloud.control("DELETE", &path, &Value::Null);
    cloud.assert_gone(LOG_GROUP, &group).await;
    assert_eq!(cloud.list(LOG_GROUP, None).await, [""; 0]);
    assert_eq!(failed(&cloud.delete(LOG_GROUP, &group).await).0, "NotFound");
    let call = cloud.client.update_resource().type_name(LOG_GROUP).identifier(&group);
    let patch = set("RetentionInDays", &json!(60)).to_string();
    assert!(refused(call.patch_document(patch).send().await).0.is_resource_not_found_exception());
    assert_eq!(cloud.try_control("DELETE", &path, &Value::Null).status, 404);
}

#[tokio::test]
async fn an_update_that_finds_its_resource_deleted_fails() {
    let cloud = Cloud::start(&[]);
    let group = cloud.made(LOG_GROUP, &log_group("races")).await;
    cloud.control("POST", "settings", &json!({"latency": "1h..1h"}));
    let call = cloud.client.update_resource().type_name(LOG_GROUP).identifier(&group);
    let call = call.patch_document(set("RetentionInDays", &json!(60)).to_string());
    let begun = call.send().await.unwrap().progress_event.unwrap();
    let path =
        format!("resources?account={ACCOUNT}&region={REGION}&type={LOG_GROUP}&identifier={group}");
    cloud.control("DELETE", &path, &Value::Null);
    cloud.advance("1h");
    assert_eq!(failed(&cloud.ended(&begun).await).0, "NotFound");
    cloud.assert_gone(LOG_GROUP, &group).await;
}

#[tokio::test]
async fn what_was_made_out_of_band_is_there() {
    let cloud = Cloud::start(&[]);
    let desired = json!({"properties": log_group("found")});
    let made = cloud.control("POST", "resources", &named(&desired));
    assert_eq!(made["identifier"], "found");
    assert_eq!(cloud.get(LOG_GROUP, "found").await["RetentionInDays"], 30);
    assert_eq!(failed(&cloud.create(LOG_GROUP, &log_group("found")).await).0, "AlreadyExists");
    assert_eq!(cloud.requests().len(), 1);
}
