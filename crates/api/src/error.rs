//! What a refused request is told: a status, a code that does not change, and a message for people.
//!
//! Every error of this crate becomes one of these, and is written out in [`ApiError::body`] only.

use hangar_diag::Diagnostic;
use http::header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Method, StatusCode};
use serde_json::{Map, Value, json};

/// The codes that are ours; those of a cloud are passed on as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    AliasWithoutTrackedBy,
    AuthenticationFailed,
    ConditionNotSupported,
    Conflict,
    DeploymentRunning,
    ForeignOrigin,
    GatewayTimeout,
    GroupDeleting,
    IdentifierRequired,
    InternalError,
    InvalidAlias,
    InvalidApiVersionParameter,
    InvalidDeploymentName,
    InvalidHeader,
    InvalidIdentifier,
    InvalidPlaneName,
    InvalidPlaneType,
    InvalidQueryParameter,
    InvalidRecipeConfig,
    InvalidRecipeName,
    InvalidRequestContent,
    InvalidResourceGroupName,
    InvalidResourceId,
    InvalidResourceType,
    InvalidScope,
    InvalidSecretPath,
    InvalidSkipToken,
    InvalidState,
    InvalidTemplate,
    InvalidTrackedBy,
    MethodNotAllowed,
    MisdirectedRequest,
    MissingApiVersionParameter,
    NotRunning,
    NotSupported,
    OperationEnded,
    OperationNotFound,
    PlaneHasNoProvider,
    PlaneNotEmpty,
    PlaneNotFound,
    PreconditionFailed,
    ReplyTooLarge,
    RequestEntityTooLarge,
    RequestTimeout,
    ResourceGroupNotFound,
    ResourceNotFound,
    RouteNotFound,
    ScopeMismatch,
    ScopeRequired,
    ServerBusy,
    StoreUnavailable,
    StoreUnusable,
    UnsupportedMediaType,
}

impl Code {
    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::AliasWithoutTrackedBy
            | Self::ConditionNotSupported
            | Self::IdentifierRequired
            | Self::InvalidAlias
            | Self::InvalidApiVersionParameter
            | Self::InvalidDeploymentName
            | Self::InvalidHeader
            | Self::InvalidIdentifier
            | Self::InvalidPlaneName
            | Self::InvalidPlaneType
            | Self::InvalidQueryParameter
            | Self::InvalidRecipeConfig
            | Self::InvalidRecipeName
            | Self::InvalidRequestContent
            | Self::InvalidResourceGroupName
            | Self::InvalidResourceId
            | Self::InvalidScope
            | Self::InvalidSecretPath
            | Self::InvalidSkipToken
            | Self::InvalidState
            | Self::InvalidTemplate
            | Self::InvalidTrackedBy
            | Self::MissingApiVersionParameter
            | Self::NotSupported
            | Self::ScopeRequired => StatusCode::BAD_REQUEST,
            Self::AuthenticationFailed => StatusCode::UNAUTHORIZED,
            Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::InvalidResourceType
            | Self::OperationNotFound
            | Self::PlaneHasNoProvider
            | Self::PlaneNotFound
            | Self::ResourceGroupNotFound
            | Self::ResourceNotFound
            | Self::RouteNotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict
            | Self::DeploymentRunning
            | Self::GroupDeleting
            | Self::NotRunning
            | Self::OperationEnded
            | Self::PlaneNotEmpty
            | Self::ScopeMismatch => StatusCode::CONFLICT,
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::RequestEntityTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::MisdirectedRequest => StatusCode::MISDIRECTED_REQUEST,
            Self::InternalError | Self::ReplyTooLarge | Self::StoreUnusable => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
            Self::ServerBusy | Self::StoreUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::GatewayTimeout => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// The code as it is written: the variant's own name.
    pub(crate) fn text(self) -> String {
        format!("{self:?}")
    }
}

/// One place that an error is about.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Detail {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) target: Option<String>,
    /// What it is made of itself.
    pub(crate) details: Vec<Detail>,
    pub(crate) info: Vec<Info>,
}

/// What programs may want to know of an error, as ARM's `additionalInfo` has it: a kind, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Info {
    pub(crate) kind: &'static str,
    pub(crate) info: Value,
}

/// A refusal. Boxed, so that a `Result` of it stays small.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApiError(Box<Parts>);

#[derive(Debug, Clone, PartialEq)]
struct Parts {
    status: StatusCode,
    code: String,
    message: String,
    target: Option<String>,
    details: Vec<Detail>,
    info: Vec<Info>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl ApiError {
    /// An error of ours.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self::passed_on(code.status(), code.text(), message)
    }

    /// An error whose code comes from elsewhere: the engine, or the cloud.
    pub(crate) fn passed_on(
        status: StatusCode,
        code: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(Parts {
            status,
            code: code.into(),
            message: message.into(),
            target: None,
            details: Vec::new(),
            info: Vec::new(),
            headers: Vec::new(),
        }))
    }

    /// What a parser of names or of JSON found, as a message with its remedy and a detail.
    pub(crate) fn diagnosed(code: Code, found: &Diagnostic) -> Self {
        let mut message = found.message.clone();
        for hint in &found.hints {
            message.push_str("; ");
            message.push_str(hint);
        }
        Self::new(code, message).with_detail(Detail {
            code: found.code.as_str().to_owned(),
            message: found.message.clone(),
            target: found.pointer.clone(),
            ..Detail::default()
        })
    }

    pub(crate) fn method_not_allowed(method: &Method, allowed: &[Method]) -> Self {
        let names = allowed.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
        let message = format!("{method} is not allowed here; allowed: {names}");
        let error = Self::new(Code::MethodNotAllowed, message);
        match HeaderValue::from_str(&names) {
            Ok(value) => error.with_header(ALLOW, value),
            Err(_) => error,
        }
    }

    pub(crate) fn unauthenticated(message: &str) -> Self {
        Self::new(Code::AuthenticationFailed, message)
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"hangar\""))
    }

    /// The same where Terraform asks, which knows `Basic` only. What was wrong is not told.
    pub(crate) fn unknown_to_state() -> Self {
        let message = "the request has neither this server's token nor the password of a run of \
                       this recipe; send `Authorization: Bearer <token>`, or `Basic` with the \
                       token as the password";
        Self::new(Code::AuthenticationFailed, message)
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"hangar\""))
    }

    /// Tells when to ask again. Never on a 409: clients send those again by themselves when told so.
    #[must_use]
    pub(crate) fn with_retry_after(self, seconds: u16) -> Self {
        self.with_header(RETRY_AFTER, HeaderValue::from(seconds.clamp(1, 10)))
    }

    #[must_use]
    pub(crate) fn with_target(mut self, target: impl Into<String>) -> Self {
        self.0.target = Some(target.into());
        self
    }

    #[must_use]
    pub(crate) fn with_detail(mut self, detail: Detail) -> Self {
        self.0.details.push(detail);
        self
    }

    #[must_use]
    pub(crate) fn with_info(mut self, info: Info) -> Self {
        self.0.info.push(info);
        self
    }

    #[must_use]
    fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.0.status
    }

    pub(crate) fn code(&self) -> &str {
        &self.0.code
    }

    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    pub(crate) fn target(&self) -> Option<&str> {
        self.0.target.as_deref()
    }

    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.0.headers
    }

    /// The body of the answer: `{"error": …}`.
    pub(crate) fn body(&self) -> Value {
        json!({ "error": self.value() })
    }

    /// What stands under `error`, here and in the status of an operation.
    pub(crate) fn value(&self) -> Value {
        let Parts { code, message, target, details, info, .. } = self.0.as_ref();
        written(code, message, target.as_deref(), details, info)
    }
}

/// An error, or a detail of one: they are written alike.
fn written(
    code: &str,
    message: &str,
    target: Option<&str>,
    details: &[Detail],
    info: &[Info],
) -> Value {
    let mut error = Map::new();
    error.insert("code".into(), code.into());
    error.insert("message".into(), message.into());
    if let Some(target) = target {
        error.insert("target".into(), target.into());
    }
    if !details.is_empty() {
        let details = details
            .iter()
            .map(|it| written(&it.code, &it.message, it.target.as_deref(), &it.details, &it.info));
        error.insert("details".into(), Value::Array(details.collect()));
    }
    if !info.is_empty() {
        let info = info.iter().map(|it| json!({ "type": it.kind, "info": it.info }));
        error.insert("additionalInfo".into(), Value::Array(info.collect()));
    }
    Value::Object(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_written_as_arm_has_it() {
        let inner = Detail { code: "Z".into(), message: "z".into(), ..Detail::default() };
        let error = ApiError::new(Code::InvalidAlias, "no").with_target("/a").with_detail(Detail {
            code: "X".into(),
            message: "y".into(),
            details: vec![inner],
            info: vec![Info { kind: "K", info: json!(1) }],
            ..Detail::default()
        });
        assert_eq!(error.status(), StatusCode::BAD_REQUEST);
        assert_eq!(
            error.body(),
            json!({"error": {"code": "InvalidAlias", "message": "no", "target": "/a",
                "details": [{"code": "X", "message": "y", "details": [{"code": "Z", "message": "z"}],
                    "additionalInfo": [{"type": "K", "info": 1}]}]}})
        );
    }

    #[test]
    fn a_wrong_method_is_told_which_are_right() {
        let error = ApiError::method_not_allowed(&Method::PATCH, &[Method::GET, Method::PUT]);
        assert_eq!(error.headers(), [(ALLOW, HeaderValue::from_static("GET, PUT"))]);
    }

    #[test]
    fn every_code_is_in_docs_api() {
        let page = include_str!("../../../docs/api.md");
        let source = include_str!("error.rs").split_once("enum Code {").unwrap().1;
        let codes = source.split('}').next().unwrap().split(',').map(str::trim);
        let codes: Vec<&str> = codes.filter(|code| !code.is_empty()).collect();
        assert!(codes.len() > 40);
        for code in codes {
            assert!(page.contains(&format!("`{code}`")), "docs/api.md does not tell of {code}");
        }
    }

    #[test]
    fn retry_after_is_never_zero() {
        let error = ApiError::new(Code::StoreUnavailable, "no").with_retry_after(0);
        assert_eq!(error.headers(), [(RETRY_AFTER, HeaderValue::from(1))]);
    }
}
