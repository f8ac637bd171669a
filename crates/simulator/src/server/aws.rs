//! Calls of AWS over HTTP: which protocol, who calls, is the signature right; then the core.

use std::collections::HashMap;

use hyper::http::request::Parts;

use super::{DEFAULT_SECRET, Dropped, Reply, Shared, Signatures, reply, wall};
use crate::core::call::CallName;
use crate::core::place::{DEFAULT_ACCOUNT, DEFAULT_REGION, Place};
use crate::core::refusal::{Exception, Refusal};
use crate::core::world::{Answer, Outcome};
use crate::wire::query::{self, Caller, Circumstances, QueryCall, Service};
use crate::wire::signature::{self, Authorization, SignatureProblem, SignedRequest, Unsigned};
use crate::wire::{json, percent};

/// When every type counts as registered: the day of the schemas (2026-10-20).
const REGISTERED_AT: u64 = 1_792_454_400_000;

const JSON: &str = "application/x-amz-json-1.0";

/// Who calls, as the signature says.
struct Signer {
    access_key: String,
    place: Place,
}

/// Serves one call of AWS.
pub(super) async fn serve(shared: &Shared, head: &Parts, body: &[u8]) -> Result<Reply, Dropped> {
    let request_id = shared.request_id();
    let target = head.headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    let query = head.uri.query().unwrap_or_default();
    let is_form = content_type(head).starts_with("application/x-www-form-urlencoded")
        || query.contains("Action=");
    let (delay, answered) = match target {
        Some(target) => cloud_control(shared, head, target, body),
        None if is_form => {
            let form = if body.is_empty() { query.as_bytes() } else { body };
            registry(shared, head, form, body, &request_id)
        }
        None => (std::time::Duration::ZERO, Ok(greeting(head))),
    };
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    let mut answered = answered?;
    if let Ok(id) = request_id.parse() {
        answered.headers_mut().insert("x-amzn-requestid", id);
    }
    Ok(answered)
}

type Late = (std::time::Duration, Result<Reply, Dropped>);

fn at_once(answered: Reply) -> Late {
    (std::time::Duration::ZERO, Ok(answered))
}

fn content_type(head: &Parts) -> &str {
    let value = head.headers.get(hyper::header::CONTENT_TYPE);
    value.and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// A person who opens the address in a browser is told what this is.
fn greeting(head: &Parts) -> Reply {
    if head.headers.contains_key(hyper::header::AUTHORIZATION) {
        // An SDK of another service: an answer that it does not try again.
        let body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NotImplemented</Code>\
                    <Message>hangar simulator serves Cloud Control, CloudFormation DescribeType and \
                    ListTypes, and STS GetCallerIdentity, and no other service</Message></Error>";
        return reply(501, "application/xml", body.to_owned());
    }
    if head.method == hyper::Method::GET && head.uri.path() == "/" {
        let text = "This is hangar simulator, a local AWS endpoint: Cloud Control, CloudFormation \
                    DescribeType and ListTypes, STS GetCallerIdentity.\n\
                    Use it with any AWS SDK or with `aws --endpoint-url`; GET /_simulator/ lists \
                    what can be controlled.\n";
        return reply(200, "text/plain", text.to_owned());
    }
    let refusal = Refusal::new(Exception::UnknownOperation, "");
    reply(404, JSON, json::write_refusal(&refusal))
}

fn cloud_control(shared: &Shared, head: &Parts, target: &str, body: &[u8]) -> Late {
    let refuse = |refusal: &Refusal| {
        at_once(reply(refusal.exception.status(), JSON, json::write_refusal(refusal)))
    };
    let name = match json::read_target(target) {
        Ok(name) => name,
        Err(refusal) => return refuse(&refusal),
    };
    let signer = match identify(shared, head, body, "cloudcontrolapi") {
        Ok(signer) => signer,
        Err(problem) => {
            let signature::Refusal { code, message, status } = problem.in_json();
            let document = serde_json::json!({
                "__type": format!("{}#{code}", signature::JSON_NAMESPACE),
                "message": message,
            });
            return at_once(reply(status, JSON, document.to_string()));
        }
    };
    let place = &signer.place;
    let answered = match json::read_call(name, body) {
        Ok(call) => shared.guarded().perform(|world, wall| world.call(place, &call, wall)),
        Err(refusal) => {
            let counted =
                shared.guarded().perform(|world, wall| world.refuse(place, name, &refusal, wall));
            return match counted {
                Ok(()) => refuse(&refusal),
                Err(why) => refuse(&Refusal::new(Exception::InternalFailure, why)),
            };
        }
    };
    match answered {
        Err(why) => refuse(&Refusal::new(Exception::InternalFailure, why)),
        Ok(Answer { outcome: Outcome::Dropped, delay }) => (delay, Err(Dropped)),
        Ok(Answer { outcome: Outcome::Answered(Err(refusal)), delay }) => {
            (delay, refuse(&refusal).1)
        }
        Ok(Answer { outcome: Outcome::Answered(Ok(answer)), delay }) => {
            (delay, Ok(reply(200, JSON, json::write_reply(name, &answer))))
        }
    }
}

fn registry(shared: &Shared, head: &Parts, form: &[u8], body: &[u8], request_id: &str) -> Late {
    let send =
        |answer: query::Reply| at_once(reply(answer.status, query::CONTENT_TYPE, answer.body));
    let call = match QueryCall::parse(form) {
        Ok(call) => call,
        Err(error) => return send(query::refuse(&error, request_id)),
    };
    let service = call.service();
    let signer = match identify(shared, head, body, service.signing_name()) {
        Ok(signer) => signer,
        Err(problem) => {
            return send(query::refuse_signature(service, &problem.in_query(), request_id));
        }
    };
    let caller = Caller {
        account: signer.place.account(),
        region: signer.place.region(),
        access_key: &signer.access_key,
    };
    let circumstances = Circumstances { caller, request_id, registered_at: REGISTERED_AT };
    let name = match &call {
        QueryCall::DescribeType(_) => CallName::DescribeType,
        QueryCall::ListTypes(_) => CallName::ListTypes,
        QueryCall::GetCallerIdentity => CallName::GetCallerIdentity,
    };
    let type_name = match &call {
        QueryCall::DescribeType(query::DescribeType::Named { name, .. }) => Some(name.as_str()),
        _ => None,
    };
    // The answer is made outside the lock: a first ListTypes looks at every type.
    let answered = shared
        .guarded()
        .perform(|world, wall| world.call_other(&signer.place, name, type_name, wall));
    let refuse = |refusal: &Refusal| send(refused(service, refusal, request_id));
    match answered {
        Err(why) => refuse(&Refusal::new(Exception::InternalFailure, why)),
        Ok(Answer { outcome: Outcome::Dropped, delay }) => (delay, Err(Dropped)),
        Ok(Answer { outcome: Outcome::Answered(Err(refusal)), delay }) => {
            (delay, refuse(&refusal).1)
        }
        Ok(Answer { outcome: Outcome::Answered(Ok(())), delay }) => {
            (delay, send(query::answer(&call, &shared.index, &circumstances)).1)
        }
    }
}

/// A refusal of the core in the words of the Query protocol.
fn refused(service: Service, refusal: &Refusal, request_id: &str) -> query::Reply {
    let code = match refusal.exception {
        Exception::Throttling => "Throttling",
        exception => exception.as_str(),
    };
    let (message, status) = (refusal.message.clone(), refusal.exception.status());
    query::refuse_signature(service, &signature::Refusal { code, message, status }, request_id)
}

/// Who calls, once the signature was looked at.
fn identify(
    shared: &Shared,
    head: &Parts,
    body: &[u8],
    service: &'static str,
) -> Result<Signer, SignatureProblem> {
    let header = head.headers.get(hyper::header::AUTHORIZATION);
    let header = header.and_then(|header| header.to_str().ok());
    let Signatures::Verified(credentials) = &shared.signatures else {
        // Unsigned calls are taken too: curl is a client.
        let stated = header.and_then(|header| Authorization::parse(header).ok());
        return Ok(stated.map_or_else(
            || Signer { access_key: DEFAULT_ACCOUNT.to_owned(), place: Place::default() },
            signer,
        ));
    };
    let stated = Authorization::parse(header.ok_or(Unsigned::Missing)?)?;
    let secret = match credentials.get(&stated.access_key) {
        Some(secret) => secret.as_str(),
        None if credentials.is_empty() => DEFAULT_SECRET,
        None => return Err(SignatureProblem::UnknownKey),
    };
    let headers: Vec<(&str, &str)> = head
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
        .collect();
    let request = SignedRequest {
        method: head.method.as_str(),
        path: head.uri.path(),
        query: head.uri.query().unwrap_or_default(),
        headers: &headers,
        body,
    };
    // Callers sign by the world's clock, however far ours was moved ahead.
    signature::verify(&request, &stated, secret, wall().millis() / 1000)?;
    stated.check_service(service)?;
    Ok(signer(stated))
}

fn signer(stated: Authorization) -> Signer {
    let is_region = Place::is_region(&stated.region);
    let region = if is_region { stated.region.as_str() } else { DEFAULT_REGION };
    let place = Place::of_caller(&stated.access_key, region);
    Signer { access_key: stated.access_key, place }
}

/// The parameters of a query string, those without a value left out; none where it cannot be
/// decoded.
pub(super) fn parameters(query: &str) -> Option<HashMap<String, String>> {
    let decode = |text: &str| {
        percent::decode(text.replace('+', " ").as_bytes())
            .and_then(|bytes| String::from_utf8(bytes).ok())
    };
    let mut parameters = HashMap::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !value.is_empty() {
            parameters.insert(decode(name)?, decode(value)?);
        }
    }
    Some(parameters)
}
