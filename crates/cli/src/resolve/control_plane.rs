//! A resource of the control plane, by its whole id or by `GROUP/TYPE/ALIAS`.

use hangar_ids::TypeName;
use hangar_manifest::resolve::{Fact, Trouble};
use serde_json::Value;

use crate::client::ids;
use crate::client::request::Request;
use crate::failure::Failure;
use crate::session::{CallError, Session};

/// Reads a resource as it is now.
pub(crate) async fn read(
    session: &mut Session<'_>,
    id: &str,
) -> Result<Result<Fact, Trouble>, Failure> {
    let path = match path(id) {
        Ok(path) => path,
        Err(message) => return Ok(Err(Trouble::Failed { message, hint: None })),
    };
    // Of an alias, what AWS says now; all else is read as it is anyway.
    let is_reference = path.contains(":reference/");
    let request = Request::get(path);
    let request = if is_reference { request.query("live", "true") } else { request };
    let found = match session.send(&request).await {
        Ok(reply) => reply.body,
        Err(CallError::Refused(refusal)) if refusal.status == 404 => {
            return Ok(Ok(Fact::Resource(None)));
        }
        Err(CallError::Refused(refusal)) => {
            let message = refusal.error.message.clone();
            return Ok(Err(match refusal.status {
                401 | 403 => Trouble::Denied { message },
                _ => Trouble::Failed { message, hint: None },
            }));
        }
        Err(CallError::Stopped(failure)) => return Err(failure),
    };
    let is_gone = found.get("state").and_then(Value::as_str) == Some("missing");
    Ok(Ok(Fact::Resource((!is_gone).then_some(found))))
}

/// The id that is meant.
fn path(id: &str) -> Result<String, String> {
    if id.starts_with('/') {
        return Ok(id.to_owned());
    }
    let wrong = || format!("`{id}` is not `GROUP/TYPE/NAME`");
    let (group, rest) = id.split_once('/').ok_or_else(wrong)?;
    let (type_name, name) = rest.rsplit_once('/').ok_or_else(wrong)?;
    let told = |failure: Failure| match failure {
        Failure::Reported(reports) => {
            let first = reports.into_iter().flat_map(|report| report.diagnostics).next();
            first.map_or_else(wrong, |first| first.message)
        }
        _ => wrong(),
    };
    match TypeName::parse(type_name) {
        Ok(aws) if aws.vendor() == "AWS" => ids::reference(group, &aws, name).map_err(told),
        _ => {
            let group = ids::group(group).map_err(told)?;
            Ok(format!("{group}/providers/{type_name}/{}", hangar_ids::encode_name(name)))
        }
    }
}
