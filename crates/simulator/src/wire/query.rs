//! The Query protocol: a form in, XML out. It serves what Cloud Control's users also call:
//! CloudFormation's registry of types and its stacks, who the caller is, and sessions of roles.
//!
//! The signature is checked before; see [`signature`](super::signature).

mod assume;
mod call;
mod caller;
mod constraint;
mod error;
mod form;
mod identity;
mod registry;
mod stack;
mod xml;

pub use assume::WebToken;
pub use call::{
    Category, DeprecatedStatus, DescribeType, Kind, ListTypes, QueryCall, Service, Visibility,
};
pub use caller::Caller;
pub use error::{Given, QueryError, Violation};
pub use registry::{Provisioning, TypeIndex};

use super::signature::Refusal;
use crate::core::assume::Grant;
use crate::core::stack::call::StackReply;
use xml::Document;

/// The content type of every answer.
pub const CONTENT_TYPE: &str = "text/xml";

/// An answer, ready to be sent as [`CONTENT_TYPE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The XML.
    pub body: String,
}

/// What an answer needs to know besides the call.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    /// Who calls, and where.
    pub caller: Caller<'a>,
    /// The id of this request.
    pub request_id: &'a str,
    /// When every type counts as registered, in milliseconds since 1970. A client may take a later
    /// time for a newer schema, so this should not change while the catalog does not.
    pub registered_at: u64,
}

/// Reads a form and answers it.
///
/// ```
/// # use hangar_schema::Catalog;
/// # use hangar_simulator::wire::query::{Caller, Circumstances, TypeIndex, respond};
/// let index = TypeIndex::new(Catalog::bundled());
/// let (account, region) = ("123456789012", "us-east-1");
/// let caller = Caller { account, region, access_key: "AKIA1", session: None };
/// let circumstances = Circumstances { caller, request_id: "r-1", registered_at: 0 };
/// let form = b"Action=GetCallerIdentity&Version=2011-06-15";
/// let reply = respond(form, &index, &circumstances);
/// assert_eq!(reply.status, 200);
/// assert!(reply.body.contains("<Account>123456789012</Account>"));
/// ```
pub fn respond(form: &[u8], index: &TypeIndex, circumstances: &Circumstances<'_>) -> Reply {
    match QueryCall::parse(form) {
        Ok(call) => answer(&call, index, circumstances),
        Err(error) => refuse(&error, circumstances.request_id),
    }
}

/// Answers a call that needs nothing but the catalog. The others are answered by [`granted`] and
/// [`shown`], and are a failure of ours here.
pub fn answer(call: &QueryCall, index: &TypeIndex, circumstances: &Circumstances<'_>) -> Reply {
    let mut document = begin(call);
    let written = match call {
        QueryCall::DescribeType(call) => {
            registry::describe(call, index, circumstances, &mut document)
        }
        QueryCall::ListTypes(call) => registry::list(call, index, circumstances, &mut document),
        QueryCall::GetCallerIdentity => {
            identity::write(&circumstances.caller, &mut document);
            Ok(())
        }
        QueryCall::AssumeRole(_)
        | QueryCall::AssumeRoleWithWebIdentity { .. }
        | QueryCall::Stack(_) => Err(QueryError::Internal),
    };
    match written {
        Ok(()) => end(document, circumstances.request_id),
        Err(error) => refuse(&error, circumstances.request_id),
    }
}

/// Answers a call for a session with what STS has given.
pub fn granted(call: &QueryCall, grant: &Grant, request_id: &str) -> Reply {
    let mut document = begin(call);
    assume::write(grant, &mut document);
    end(document, request_id)
}

/// Answers a call about stacks with what was found.
pub fn shown(call: &QueryCall, found: &StackReply, request_id: &str) -> Reply {
    let mut document = begin(call);
    stack::write(call.action(), found, &mut document);
    end(document, request_id)
}

fn begin(call: &QueryCall) -> Document {
    let mut document =
        Document::new(&format!("{}Response", call.action()), call.service().namespace());
    document.open(&format!("{}Result", call.action()));
    document
}

fn end(mut document: Document, request_id: &str) -> Reply {
    document.close();
    document.open("ResponseMetadata");
    document.leaf("RequestId", request_id);
    Reply { status: 200, body: document.finish() }
}

/// The answer to a form that cannot be read or a call that cannot be answered.
pub fn refuse(error: &QueryError, request_id: &str) -> Reply {
    let fault = if error.status() >= 500 { "Receiver" } else { "Sender" };
    let message = error.to_string();
    write_error(error.namespace(), fault, error.code(), &message, error.status(), request_id)
}

/// The answer to a request whose signature is refused; see
/// [`SignatureProblem::in_query`](super::signature::SignatureProblem::in_query).
pub fn refuse_signature(service: Service, refusal: &Refusal, request_id: &str) -> Reply {
    let Refusal { code, message, status } = refusal;
    write_error(service.namespace(), "Sender", code, message, *status, request_id)
}

fn write_error(
    namespace: &str,
    fault: &str,
    code: &str,
    message: &str,
    status: u16,
    request_id: &str,
) -> Reply {
    let mut document = Document::new("ErrorResponse", namespace);
    document.open("Error");
    document.leaf("Type", fault);
    document.leaf("Code", code);
    document.leaf("Message", message);
    document.close();
    document.leaf("RequestId", request_id);
    Reply { status, body: document.finish() }
}

#[cfg(test)]
mod tests;
