//! Lists in pages: whole, in order, and only with tokens that are ours.

use serde_json::{Value, json};

use crate::server::{GROUP, Server, VERSION, collection};

async fn bucket(server: &Server, alias: &str) {
    let path = format!("{GROUP}/providers/AWS.S3/Bucket:reference/{alias}?{VERSION}");
    server.put(&path, json!({"properties": {"BucketName": format!("b-{alias}")}})).await.ok(201);
}

/// All values of a list, followed link by link, and how many pages it took.
async fn all(server: &Server, path: &str) -> (Vec<Value>, usize) {
    let mut page = server.get(path).await.ok(200);
    let (mut values, mut pages) = (Vec::new(), 1);
    loop {
        values.extend(page["value"].as_array().unwrap().iter().cloned());
        let Some(link) = page.get("nextLink").cloned() else { return (values, pages) };
        page = server.follow(link.as_str().unwrap()).await.ok(200);
        pages += 1;
    }
}

#[tokio::test]
async fn every_list_is_whole_and_in_order() {
    let server = Server::start().await;
    for alias in ["c", "A", "b", "e", "d"] {
        bucket(&server, alias).await;
    }
    let topic = format!("{GROUP}/providers/AWS.SNS/Topic:reference/z?{VERSION}");
    server.put(&topic, json!({"properties": {}})).await.ok(201);
    for name in ["g2", "G1"] {
        server
            .put(&format!("/planes/radius/local/resourceGroups/{name}?{VERSION}"), json!({}))
            .await
            .ok(201);
    }
    let names = |values: &[Value]| {
        values.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (values, pages) = all(&server, &format!("{GROUP}/resources?$top=2")).await;
    assert_eq!(
        (names(&values), pages),
        (vec!["A", "b", "c", "d", "e", "z"].into_iter().map(String::from).collect(), 3)
    );
    let typed = format!("{GROUP}/providers/AWS.S3/Bucket:reference?$top=4");
    let (values, pages) = all(&server, &typed).await;
    assert_eq!((values.len(), pages), (5, 2));
    let (values, pages) = all(&server, "/planes/radius/local/resourceGroups?$top=1").await;
    assert_eq!((names(&values), pages), (vec!["G1".into(), "g2".into(), "Team".into()], 3));
    let statuses = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let (values, _) = all(&server, &format!("{statuses}?$top=4&group=Team")).await;
    assert_eq!(values.len(), 6);
    assert!(values.windows(2).all(|two| two[0]["name"].as_str() > two[1]["name"].as_str()));
    let reference = format!("{GROUP}/providers/AWS.SNS/Topic:reference/z");
    let (values, _) = all(&server, &format!("{statuses}?reference={reference}")).await;
    assert_eq!(values.len(), 1);
    let (values, pages) = all(&server, &format!("{}?$top=2", collection("AWS.S3/Bucket"))).await;
    assert_eq!((values.len(), pages), (5, 3));
    assert!(values.iter().all(|value| value["alias"].is_string()), "{values:#?}");
}

#[tokio::test]
async fn a_token_that_is_not_ours_or_of_another_list_is_refused() {
    let server = Server::start().await;
    for alias in ["a", "b"] {
        bucket(&server, alias).await;
    }
    let first = server.get(&format!("{GROUP}/resources?$top=1")).await.ok(200);
    let link = first["nextLink"].as_str().unwrap().to_owned();
    let token = link.split("$skipToken=").nth(1).unwrap().to_owned();
    let mut forged = token.clone();
    let last = if forged.pop() == Some('0') { '1' } else { '0' };
    forged.push(last);
    for path in [
        format!("{GROUP}/resources?$skipToken={forged}"),
        format!("{GROUP}/resources?$skipToken="),
        format!("{GROUP}/resources?$skipToken=%ff"),
        format!("{GROUP}/providers/AWS.S3/Bucket:reference?$skipToken={token}"),
        format!("/planes/radius/local/resourceGroups?$skipToken={token}"),
        format!("{}?$skipToken={token}", collection("AWS.S3/Bucket")),
        format!(
            "/planes/radius/local/providers/System.Resources/operationStatuses?$skipToken={token}"
        ),
    ] {
        assert_eq!(server.get(&path).await.status, 400, "{path}");
    }
    let again = server.get(&format!("{GROUP}/resources?$top=1")).await.ok(200);
    assert_ne!(
        again["nextLink"],
        link.as_str(),
        "a token tells nothing, not even that it is the same"
    );
}
