//! Files where S3 would have them: templates that stacks name by URL.

use serde_json::json;

use super::{Answer, Request};
use crate::core::stack::MAX_ASSET;
use crate::core::world::World;

/// All of them, by bucket and key.
pub(super) fn list(world: &World) -> Answer {
    let assets = world.state().assets.iter().map(|((bucket, key), content)| {
        json!({"bucket": &**bucket, "key": &**key, "bytes": content.len()})
    });
    Answer::ok(json!({"assets": assets.collect::<Vec<_>>()}))
}

/// Puts, shows or takes away one.
pub(super) fn answer(world: &mut World, request: &Request<'_>, path: &str) -> Answer {
    let Some((bucket, key)) =
        path.split_once('/').filter(|(bucket, key)| !bucket.is_empty() && !key.is_empty())
    else {
        return Answer::error(400, "name the file: /_simulator/assets/BUCKET/KEY");
    };
    let is_there = world.asset(bucket, key).is_some();
    match request.method {
        "PUT" => match std::str::from_utf8(request.body) {
            Ok(text) if text.len() <= MAX_ASSET => {
                world.put_asset(bucket, key, Some(text));
                let status = if is_there { 200 } else { 201 };
                let body = json!({"bucket": bucket, "key": key, "bytes": text.len()});
                Answer { status, body }
            }
            Ok(_) => Answer::error(400, format!("a template can have at most {MAX_ASSET} bytes")),
            Err(_) => {
                Answer::error(400, "the body is not UTF-8 text: only templates can be stored")
            }
        },
        "DELETE" if is_there => {
            world.put_asset(bucket, key, None);
            Answer::ok(json!({"deleted": path}))
        }
        "GET" if is_there => Answer::ok(json!({
            "bucket": bucket,
            "key": key,
            "content": world.asset(bucket, key),
        })),
        _ => Answer::error(404, format!("file {path} does not exist")),
    }
}
