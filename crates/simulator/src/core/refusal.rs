//! What AWS says no with: exceptions at once, handler error codes later.

use super::names::names;

/// A call that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which exception it is.
    pub exception: Exception,
    /// AWS's words.
    pub message: String,
}

impl Refusal {
    /// An exception with its message.
    pub fn new(exception: Exception, message: impl Into<String>) -> Self {
        Self { exception, message: message.into() }
    }
}

names! {
    /// An exception of Cloud Control, or of the framework that AWS's services share.
    Exception {
        /// The identifier is taken.
        AlreadyExists = "AlreadyExistsException",
        /// The client token was used with other content.
        ClientTokenConflict = "ClientTokenConflictException",
        /// The request is changing.
        ConcurrentModification = "ConcurrentModificationException",
        /// Another request works on the resource.
        ConcurrentOperation = "ConcurrentOperationException",
        /// The service failed in a way of its own.
        GeneralService = "GeneralServiceException",
        /// The handler failed.
        HandlerFailure = "HandlerFailureException",
        /// The handler failed unexpectedly.
        HandlerInternalFailure = "HandlerInternalFailureException",
        /// The credentials cannot be used.
        InvalidCredentials = "InvalidCredentialsException",
        /// The caller made a mistake that the handler found.
        InvalidRequest = "InvalidRequestException",
        /// The network failed.
        NetworkFailure = "NetworkFailureException",
        /// The resource did not settle.
        NotStabilized = "NotStabilizedException",
        /// The property cannot be changed.
        NotUpdatable = "NotUpdatableException",
        /// The type is somebody else's.
        PrivateType = "PrivateTypeException",
        /// There is no such request.
        RequestTokenNotFound = "RequestTokenNotFoundException",
        /// The resource is busy.
        ResourceConflict = "ResourceConflictException",
        /// There is no such resource.
        ResourceNotFound = "ResourceNotFoundException",
        /// The service failed.
        ServiceInternalError = "ServiceInternalErrorException",
        /// A quota is used up.
        ServiceLimitExceeded = "ServiceLimitExceededException",
        /// Too many calls.
        Throttling = "ThrottlingException",
        /// There is no such type.
        TypeNotFound = "TypeNotFoundException",
        /// The type has no such handler.
        UnsupportedAction = "UnsupportedActionException",
        /// A parameter or the model is wrong.
        Validation = "ValidationException",
        /// The body cannot be read.
        Serialization = "SerializationException",
        /// There is no such operation.
        UnknownOperation = "UnknownOperationException",
        /// The caller may not do that.
        AccessDenied = "AccessDeniedException",
        /// The token is past its time.
        ExpiredToken = "ExpiredTokenException",
        /// The token of the identity provider is none.
        InvalidIdentityToken = "InvalidIdentityToken",
        /// AWS failed.
        InternalFailure = "InternalFailure",
        /// AWS is not there.
        ServiceUnavailable = "ServiceUnavailable",
    }
}

impl Exception {
    /// The HTTP status: the faults that the model marks as the server's are 5xx.
    pub const fn status(self) -> u16 {
        match self {
            Self::ConcurrentModification
            | Self::HandlerFailure
            | Self::HandlerInternalFailure
            | Self::NetworkFailure
            | Self::ServiceInternalError
            | Self::InternalFailure => 500,
            Self::ServiceUnavailable => 503,
            _ => 400,
        }
    }

    /// The name with the namespace that AWS puts before it.
    pub fn qualified(self) -> String {
        let namespace = match self {
            Self::Validation => "com.amazon.coral.validate#",
            Self::Throttling => "com.amazon.coral.availability#",
            Self::AccessDenied
            | Self::ExpiredToken
            | Self::Serialization
            | Self::UnknownOperation
            | Self::InternalFailure
            | Self::ServiceUnavailable => "com.amazon.coral.service#",
            _ => "com.amazon.cloudapiservice#",
        };
        format!("{namespace}{}", self.as_str())
    }
}

names! {
    /// Why a request failed after it was accepted.
    HandlerErrorCode {
        /// The property cannot be changed.
        NotUpdatable = "NotUpdatable",
        /// The caller made a mistake.
        InvalidRequest = "InvalidRequest",
        /// The caller may not do that.
        AccessDenied = "AccessDenied",
        /// The caller may not tag.
        UnauthorizedTaggingOperation = "UnauthorizedTaggingOperation",
        /// The credentials cannot be used.
        InvalidCredentials = "InvalidCredentials",
        /// The identifier is taken.
        AlreadyExists = "AlreadyExists",
        /// There is no such resource.
        NotFound = "NotFound",
        /// The resource is busy.
        ResourceConflict = "ResourceConflict",
        /// Too many calls.
        Throttling = "Throttling",
        /// A quota is used up.
        ServiceLimitExceeded = "ServiceLimitExceeded",
        /// The resource did not settle.
        NotStabilized = "NotStabilized",
        /// The service failed in a way of its own.
        GeneralServiceException = "GeneralServiceException",
        /// The service failed.
        ServiceInternalError = "ServiceInternalError",
        /// The service took too long.
        ServiceTimeout = "ServiceTimeout",
        /// The network failed.
        NetworkFailure = "NetworkFailure",
        /// The handler failed unexpectedly.
        InternalFailure = "InternalFailure",
    }
}
