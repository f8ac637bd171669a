//! What AWS's answers mean: the table from error codes to classes, for every call and both protocols.
//!
//! The question behind each line is whether the call can have been accepted. Where that cannot be
//! ruled out the class is `Unanswered`: a write is then repeated with its token, which is safe,
//! while a wrong "not accepted" could leave a resource that nobody remembers.

use hangar_provider::ErrorClass;
use hangar_provider::ErrorClass::{
    Busy, Forbidden, NotFound, Refused, Throttled, TokenConflict, Unanswered, UnknownRequest,
    Unsupported,
};

use crate::call::CallName;

/// The class of an answer that is an error.
pub(crate) fn class_of(call: CallName, status: u16, code: Option<&str>) -> ErrorClass {
    let known = code.and_then(|code| CODES.iter().find(|(known, _)| *known == code));
    match (known, status) {
        // What a create misses is something else than the resource.
        (Some((_, NotFound)), _) if call == CallName::CreateResource => Refused,
        (Some((_, class)), _) => *class,
        (None, 429) => Throttled,
        (None, 401 | 403) => Forbidden,
        // A deadline of the far side, or of something in between.
        (None, 408) => Unanswered,
        (None, 400..=499) if code.is_some() => Refused,
        // Not from AWS, or cut: whatever stands in between may have passed the call on.
        (None, _) => Unanswered,
    }
}

const CODES: &[(&str, ErrorClass)] = &[
    // Cloud Control's own exceptions, in the order of its API reference.
    ("AlreadyExistsException", Refused),
    ("ClientTokenConflictException", TokenConflict),
    // A cancel met a request that is changing: a server fault by its status, yet a clear no.
    ("ConcurrentModificationException", Busy),
    ("ConcurrentOperationException", Busy),
    // The handler has run and says that the service below it failed: nobody knows how far it came.
    ("GeneralServiceException", Unanswered),
    // "Returning an invalid response, or timing out": the handler may have done all of it.
    ("HandlerFailureException", Unanswered),
    ("HandlerInternalFailureException", Unanswered),
    ("InvalidCredentialsException", Forbidden),
    ("InvalidRequestException", Refused),
    ("NetworkFailureException", Unanswered),
    // There is a resource, and it did not settle.
    ("NotStabilizedException", Unanswered),
    ("NotUpdatableException", Refused),
    ("PrivateTypeException", Unsupported),
    ("RequestTokenNotFoundException", UnknownRequest),
    ("ResourceConflictException", Busy),
    ("ResourceNotFoundException", NotFound),
    ("ServiceInternalErrorException", Unanswered),
    ("ServiceLimitExceededException", Refused),
    ("ThrottlingException", Throttled),
    ("TypeNotFoundException", Unsupported),
    ("UnsupportedActionException", Unsupported),
    // CloudFormation's own, for stacks. A stack that is missing is a `ValidationError` mostly.
    ("InsufficientCapabilitiesException", Refused),
    ("LimitExceededException", Refused),
    ("StackNotFoundException", NotFound),
    ("TokenAlreadyExistsException", TokenConflict),
    // What the framework that AWS's services share says before a service is reached.
    ("ValidationException", Refused),
    ("ValidationError", Refused),
    ("SerializationException", Refused),
    ("UnknownOperationException", Refused),
    ("RequestEntityTooLargeException", Refused),
    ("CFNRegistryException", Refused),
    ("Throttling", Throttled),
    ("ThrottledException", Throttled),
    ("RequestLimitExceeded", Throttled),
    ("RequestThrottled", Throttled),
    ("RequestThrottledException", Throttled),
    ("TooManyRequestsException", Throttled),
    ("PriorRequestNotComplete", Throttled),
    ("SlowDown", Throttled),
    ("AccessDenied", Forbidden),
    ("AccessDeniedException", Forbidden),
    ("AuthFailure", Forbidden),
    ("ExpiredToken", Forbidden),
    ("ExpiredTokenException", Forbidden),
    ("IncompleteSignature", Forbidden),
    ("IncompleteSignatureException", Forbidden),
    ("InvalidAccessKeyId", Forbidden),
    ("InvalidClientTokenId", Forbidden),
    ("InvalidSignatureException", Forbidden),
    ("MissingAuthenticationToken", Forbidden),
    ("MissingAuthenticationTokenException", Forbidden),
    ("NotAuthorized", Forbidden),
    ("OptInRequired", Forbidden),
    ("RequestExpired", Forbidden),
    ("RequestTimeTooSkewed", Forbidden),
    ("SignatureDoesNotMatch", Forbidden),
    ("TokenRefreshRequired", Forbidden),
    ("UnauthorizedOperation", Forbidden),
    ("UnrecognizedClientException", Forbidden),
    // What STS says of a token that was shown for a role.
    ("IDPRejectedClaim", Forbidden),
    ("InvalidIdentityToken", Forbidden),
    ("RegionDisabledException", Forbidden),
    // STS did not reach the provider of the token: nothing was given.
    ("IDPCommunicationError", Unanswered),
    ("InternalError", Unanswered),
    ("InternalFailure", Unanswered),
    ("InternalServerError", Unanswered),
    ("InternalServerException", Unanswered),
    ("RequestTimeout", Unanswered),
    ("RequestTimeoutException", Unanswered),
    ("ServiceUnavailable", Unanswered),
    ("ServiceUnavailableException", Unanswered),
];

/// The other request that a message names, as in `… with RequestToken 1b2c…`.
pub(crate) fn request_token_in(message: &str) -> Option<&str> {
    let name = "requesttoken";
    let at = message.to_ascii_lowercase().find(name)? + name.len();
    let rest = message[at..].trim_start_matches([' ', ':', '=', '\'', '"', '[', '(']);
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || "-+/=".contains(c);
    let end = rest.find(|c| !is_of_token(c)).unwrap_or(rest.len());
    // A word of the sentence is no token.
    Some(&rest[..end]).filter(|token| token.contains(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const WRITES: [CallName; 3] =
        [CallName::CreateResource, CallName::UpdateResource, CallName::DeleteResource];

    #[test]
    fn a_code_stands_once_in_the_table() {
        let codes: BTreeSet<&str> = CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes.len(), CODES.len());
    }

    #[test]
    fn every_exception_of_cloud_control_has_its_class() {
        for (code, status, class) in [
            ("AlreadyExistsException", 400, Refused),
            ("ClientTokenConflictException", 409, TokenConflict),
            ("ConcurrentModificationException", 500, Busy),
            ("ConcurrentOperationException", 409, Busy),
            ("GeneralServiceException", 400, Unanswered),
            ("HandlerFailureException", 502, Unanswered),
            ("HandlerInternalFailureException", 502, Unanswered),
            ("InvalidCredentialsException", 401, Forbidden),
            ("InvalidRequestException", 400, Refused),
            ("NetworkFailureException", 502, Unanswered),
            ("NotStabilizedException", 400, Unanswered),
            ("NotUpdatableException", 400, Refused),
            ("PrivateTypeException", 400, Unsupported),
            ("RequestTokenNotFoundException", 404, UnknownRequest),
            ("ResourceConflictException", 409, Busy),
            ("ServiceInternalErrorException", 502, Unanswered),
            ("ServiceLimitExceededException", 400, Refused),
            ("ThrottlingException", 429, Throttled),
            ("TypeNotFoundException", 404, Unsupported),
            ("UnsupportedActionException", 405, Unsupported),
        ] {
            // The status does not matter where the code is known: JSON 1.0 has 400 for most.
            for status in [status, 400, 500] {
                for call in WRITES.into_iter().chain([CallName::GetResource]) {
                    assert_eq!(class_of(call, status, Some(code)), class, "{code} {status}");
                }
            }
        }
    }

    #[test]
    fn what_a_create_does_not_find_is_not_the_resource() {
        let code = Some("ResourceNotFoundException");
        assert_eq!(class_of(CallName::CreateResource, 404, code), Refused);
        for call in [CallName::GetResource, CallName::UpdateResource, CallName::DeleteResource] {
            assert_eq!(class_of(call, 404, code), NotFound);
        }
    }

    #[test]
    fn a_status_speaks_where_the_code_does_not() {
        for (status, code, class) in [
            (400, Some("SomethingNewException"), Refused),
            (404, Some("SomethingNewException"), Refused),
            (500, Some("SomethingNewException"), Unanswered),
            (503, Some("SomethingNewException"), Unanswered),
            (429, None, Throttled),
            (403, None, Forbidden),
            (401, None, Forbidden),
            (408, None, Unanswered),
            // No code: a page of a proxy, or half an answer.
            (200, None, Unanswered),
            (302, None, Unanswered),
            (404, None, Unanswered),
            (502, None, Unanswered),
            (504, None, Unanswered),
        ] {
            assert_eq!(
                class_of(CallName::CreateResource, status, code),
                class,
                "{status} {code:?}"
            );
        }
    }

    #[test]
    fn a_message_can_name_the_request_that_stands_in_the_way() {
        for (message, token) in [
            (
                "Concurrent operation found for resource a with RequestToken 3f2504e0-4f89",
                Some("3f2504e0-4f89"),
            ),
            ("Another request is running (RequestToken: abc1+/=).", Some("abc1+/=")),
            ("requestToken='7f', wait", Some("7f")),
            ("The RequestToken is not known", None),
            ("RequestToken", None),
            ("it is busy", None),
        ] {
            assert_eq!(request_token_in(message), token, "{message}");
        }
    }
}
