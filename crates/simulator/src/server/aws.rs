//! Calls of AWS over HTTP: which protocol, who calls, is the signature right; then the core.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hyper::http::request::Parts;

use super::front::{Dropped, Front, Reply, reply};
use super::{DEFAULT_SECRET, Signatures};
use crate::core::call::CallName;
use crate::core::place::{DEFAULT_ACCOUNT, DEFAULT_REGION, Place};
use crate::core::refusal::{Exception, Refusal};
use crate::core::session::{self, Proof, Session};
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
    session: Option<Arc<Session>>,
}

/// Serves one call of AWS.
pub(super) async fn serve(front: &Front, head: &Parts, body: &[u8]) -> Result<Reply, Dropped> {
    let request_id = front.request_id();
    let target = head.headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    let query = head.uri.query().unwrap_or_default();
    let is_form = content_type(head).starts_with("application/x-www-form-urlencoded")
        || query.contains("Action=");
    let (delay, answered) = match target {
        Some(target) => cloud_control(front, head, target, body),
        None if is_form => {
            let form = if body.is_empty() { query.as_bytes() } else { body };
            query_call(front, head, form, body, &request_id)
        }
        None => (Duration::ZERO, Ok(greeting(head))),
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

type Late = (Duration, Result<Reply, Dropped>);

fn at_once(answered: Reply) -> Late {
    (Duration::ZERO, Ok(answered))
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
                    <Message>the Hangar simulator supports only Cloud Control, CloudFormation types and stacks, \
                    STS GetCallerIdentity, AssumeRole and AssumeRoleWithWebIdentity</Message></Error>";
        return reply(501, "application/xml", body.to_owned());
    }
    if head.method == hyper::Method::GET && head.uri.path() == "/" {
        let text = "This is the Hangar simulator, a local AWS endpoint for Cloud Control, \
                    CloudFormation types and stacks, STS GetCallerIdentity, AssumeRole and \
                    AssumeRoleWithWebIdentity.\n\
                    Use it with any AWS SDK or with `aws --endpoint-url`; GET /_simulator/ lists \
                    the control routes.\n";
        return reply(200, "text/plain", text.to_owned());
    }
    let refusal = Refusal::new(Exception::UnknownOperation, "");
    reply(404, JSON, json::write_refusal(&refusal))
}

fn cloud_control(front: &Front, head: &Parts, target: &str, body: &[u8]) -> Late {
    let refuse = |refusal: &Refusal| {
        at_once(reply(refusal.exception.status(), JSON, json::write_refusal(refusal)))
    };
    let name = match json::read_target(target) {
        Ok(name) => name,
        Err(refusal) => return refuse(&refusal),
    };
    let signer = match identify(front, head, body, "cloudcontrolapi") {
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
        Ok(call) => front.perform(|world, wall| world.call(place, &call, wall)),
        Err(refusal) => {
            let counted = front.perform(|world, wall| world.refuse(place, name, &refusal, wall));
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
            (delay, Ok(reply(200, JSON, json::write_reply(&answer))))
        }
    }
}

fn query_call(front: &Front, head: &Parts, form: &[u8], body: &[u8], request_id: &str) -> Late {
    let send =
        |answer: query::Reply| at_once(reply(answer.status, query::CONTENT_TYPE, answer.body));
    let call = match QueryCall::parse(form) {
        Ok(call) => call,
        Err(error) => return send(query::refuse(&error, request_id)),
    };
    let service = call.service();
    let signer = match &call {
        // The token says who calls: nothing is signed.
        QueryCall::AssumeRoleWithWebIdentity { ask, .. } => {
            let stated = stated(head).ok();
            let region = stated.as_ref().map_or(DEFAULT_REGION, region_of);
            let place = Place::of_caller(ask.role.account(), region);
            Ok(Signer { access_key: String::new(), place, session: None })
        }
        _ => identify(front, head, body, service.signing_name()),
    };
    let signer = match signer {
        Ok(signer) => signer,
        Err(problem) => {
            return send(query::refuse_signature(service, &problem.in_query(), request_id));
        }
    };
    let (delay, outcome) = match outcome(front, &call, &signer, request_id) {
        Ok(Answer { outcome, delay }) => (delay, outcome),
        Err(why) => {
            let refusal = Refusal::new(Exception::InternalFailure, why);
            (Duration::ZERO, Outcome::Answered(Err(refusal)))
        }
    };
    match outcome {
        Outcome::Dropped => (delay, Err(Dropped)),
        Outcome::Answered(Err(refusal)) => (delay, send(refused(service, &refusal, request_id)).1),
        Outcome::Answered(Ok(answer)) => (delay, send(answer).1),
    }
}

/// What comes of a call of the Query protocol.
fn outcome(
    front: &Front,
    call: &QueryCall,
    signer: &Signer,
    request_id: &str,
) -> Result<Answer<query::Reply>, String> {
    let place = &signer.place;
    let assume = |ask, proof| {
        let given = front.perform(|world, wall| world.assume_role(place, ask, proof, wall))?;
        Ok(given.map(|grant| query::granted(call, &grant, request_id)))
    };
    let other = |name, type_name| {
        // The answer is made outside the lock: a first ListTypes looks at every type.
        let met = front.perform(|world, wall| world.call_other(place, name, type_name, wall))?;
        let caller = Caller {
            account: place.account(),
            region: place.region(),
            access_key: &signer.access_key,
            session: signer.session.as_deref(),
        };
        let circumstances = Circumstances { caller, request_id, registered_at: REGISTERED_AT };
        Ok(met.map(|()| query::answer(call, &front.index, &circumstances)))
    };
    match call {
        QueryCall::AssumeRole(ask) if signer.session.is_some() => assume(ask, Proof::Session),
        QueryCall::AssumeRole(ask) => assume(ask, Proof::Key),
        QueryCall::AssumeRoleWithWebIdentity { ask, token } => {
            assume(ask, Proof::WebIdentity(token.as_str()))
        }
        QueryCall::DescribeType(query::DescribeType::Named { name, .. }) => {
            other(CallName::DescribeType, Some(name.as_str()))
        }
        QueryCall::DescribeType(_) => other(CallName::DescribeType, None),
        QueryCall::ListTypes(_) => other(CallName::ListTypes, None),
        QueryCall::GetCallerIdentity => other(CallName::GetCallerIdentity, None),
        QueryCall::Stack(asked) => {
            let found = front.perform(|world, wall| world.call_stacks(place, asked, wall))?;
            Ok(found.map(|found| query::shown(call, &found, request_id)))
        }
    }
}

/// A refusal of the core in the words of the Query protocol.
fn refused(service: Service, refusal: &Refusal, request_id: &str) -> query::Reply {
    let code = match refusal.exception {
        Exception::Throttling => "Throttling",
        Exception::Validation => "ValidationError",
        Exception::AccessDenied => "AccessDenied",
        exception => exception.as_str(),
    };
    let status = match refusal.exception {
        Exception::AccessDenied => 403,
        exception => exception.status(),
    };
    let message = refusal.message.clone();
    query::refuse_signature(service, &signature::Refusal { code, message, status }, request_id)
}

/// What the header of a request states, whether it is right or not.
fn stated(head: &Parts) -> Result<Authorization, Unsigned> {
    let header = head.headers.get(hyper::header::AUTHORIZATION);
    let header = header.and_then(|header| header.to_str().ok());
    Authorization::parse(header.ok_or(Unsigned::Missing)?)
}

/// Who calls, once the signature was looked at.
fn identify(
    front: &Front,
    head: &Parts,
    body: &[u8],
    service: &'static str,
) -> Result<Signer, SignatureProblem> {
    let Signatures::Verified(credentials) = &front.signatures else {
        // Unsigned calls are taken too: curl is a client.
        let Ok(stated) = stated(head) else { return Ok(Signer::default()) };
        let session = session_of(front, head, &stated)?;
        return Ok(Signer::new(stated, session));
    };
    let stated = stated(head)?;
    let session = session_of(front, head, &stated)?;
    let secret = match (&session, credentials.get(&stated.access_key)) {
        (Some(session), _) => &*session.secret,
        (None, Some(secret)) => secret.as_str(),
        (None, None) if credentials.is_empty() => DEFAULT_SECRET,
        (None, None) => return Err(SignatureProblem::UnknownKey),
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
    signature::verify(&request, &stated, secret, front.wall().millis() / 1000)?;
    stated.check_service(service)?;
    Ok(Signer::new(stated, session))
}

/// The session that a key belongs to, with its token and not over; none for a key of another kind.
fn session_of(
    front: &Front,
    head: &Parts,
    stated: &Authorization,
) -> Result<Option<Arc<Session>>, SignatureProblem> {
    if !session::is_temporary(&stated.access_key) {
        return Ok(None);
    }
    let token = head.headers.get("x-amz-security-token").and_then(|token| token.to_str().ok());
    let kept = front.kept();
    let world = kept.world();
    let session = world.session(&stated.access_key).ok_or(SignatureProblem::UnknownKey)?;
    session.admit(token, world.now(front.wall()))?;
    Ok(Some(Arc::clone(session)))
}

impl Signer {
    fn new(stated: Authorization, session: Option<Arc<Session>>) -> Self {
        let account = session.as_ref().map_or(stated.access_key.as_str(), |it| it.role.account());
        let place = Place::of_caller(account, region_of(&stated));
        Self { access_key: stated.access_key, place, session }
    }
}

impl Default for Signer {
    fn default() -> Self {
        let (access_key, place) = (DEFAULT_ACCOUNT.to_owned(), Place::default());
        Self { access_key, place, session: None }
    }
}

fn region_of(stated: &Authorization) -> &str {
    let is_region = Place::is_region(&stated.region);
    if is_region { &stated.region } else { DEFAULT_REGION }
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
