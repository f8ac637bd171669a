//! The calls of Cloud Control, parsed: the words are those of AWS's API model.

use super::names::names;

names! {
    /// What a write does.
    Operation {
        /// Makes a resource.
        Create = "CREATE",
        /// Changes one.
        Update = "UPDATE",
        /// Deletes one.
        Delete = "DELETE",
    }
}

names! {
    /// How far a request is.
    Status {
        /// Accepted, not begun.
        Pending = "PENDING",
        /// Begun.
        InProgress = "IN_PROGRESS",
        /// Done.
        Success = "SUCCESS",
        /// Ended by an error.
        Failed = "FAILED",
        /// To be cancelled.
        CancelInProgress = "CANCEL_IN_PROGRESS",
        /// Cancelled.
        CancelComplete = "CANCEL_COMPLETE",
    }
}

impl Status {
    /// Whether nothing more happens.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Success | Self::Failed | Self::CancelComplete)
    }
}

/// What every write carries beside its content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Common {
    /// Tells a retry from a new request.
    pub client_token: Option<String>,
    /// Accepted and compared, without effect here.
    pub role_arn: Option<String>,
    /// Accepted and compared, without effect here.
    pub type_version_id: Option<String>,
}

/// Which requests a list of them shows; an empty list means all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestFilter {
    /// Only those that do this.
    pub operations: Vec<Operation>,
    /// Only those that are so far.
    pub statuses: Vec<Status>,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Makes a resource.
    CreateResource {
        /// Of this type.
        type_name: String,
        /// As it should be, JSON.
        desired_state: String,
        /// The rest.
        common: Common,
    },
    /// Changes a resource.
    UpdateResource {
        /// Of this type.
        type_name: String,
        /// Named so.
        identifier: String,
        /// By these RFC 6902 operations, JSON.
        patch_document: String,
        /// The rest.
        common: Common,
    },
    /// Deletes a resource.
    DeleteResource {
        /// Of this type.
        type_name: String,
        /// Named so.
        identifier: String,
        /// The rest.
        common: Common,
    },
    /// Reads a resource.
    GetResource {
        /// Of this type.
        type_name: String,
        /// Named so.
        identifier: String,
    },
    /// Lists resources.
    ListResources {
        /// Of this type.
        type_name: String,
        /// Below this parent, JSON.
        resource_model: Option<String>,
        /// From where the last page ended.
        next_token: Option<String>,
    },
    /// Says how far a request is.
    GetResourceRequestStatus {
        /// This one.
        request_token: String,
    },
    /// Lists requests.
    ListResourceRequests {
        /// Those that fit.
        filter: RequestFilter,
        /// At most so many.
        max_results: u16,
        /// From where the last page ended.
        next_token: Option<String>,
    },
    /// Stops a request.
    CancelResourceRequest {
        /// This one.
        request_token: String,
    },
}

names! {
    /// The name of a call, for counting and for faults.
    CallName {
        /// A write.
        CreateResource = "CreateResource",
        /// A write.
        UpdateResource = "UpdateResource",
        /// A write.
        DeleteResource = "DeleteResource",
        /// A read.
        GetResource = "GetResource",
        /// A list.
        ListResources = "ListResources",
        /// A poll.
        GetResourceRequestStatus = "GetResourceRequestStatus",
        /// A poll of many.
        ListResourceRequests = "ListResourceRequests",
        /// Stops a request.
        CancelResourceRequest = "CancelResourceRequest",
        /// Of CloudFormation.
        DescribeType = "DescribeType",
        /// Of CloudFormation.
        ListTypes = "ListTypes",
        /// Of CloudFormation: makes a stack.
        CreateStack = "CreateStack",
        /// Of CloudFormation: changes one.
        UpdateStack = "UpdateStack",
        /// Of CloudFormation: deletes one.
        DeleteStack = "DeleteStack",
        /// Of CloudFormation.
        DescribeStacks = "DescribeStacks",
        /// Of CloudFormation.
        DescribeStackResource = "DescribeStackResource",
        /// Of CloudFormation.
        DescribeStackResources = "DescribeStackResources",
        /// Of CloudFormation.
        ListStackResources = "ListStackResources",
        /// Of CloudFormation.
        ListStacks = "ListStacks",
        /// Of CloudFormation.
        GetTemplate = "GetTemplate",
        /// Of CloudFormation.
        ListExports = "ListExports",
        /// Of CloudFormation.
        ListImports = "ListImports",
        /// Of CloudFormation.
        DescribeStackEvents = "DescribeStackEvents",
        /// Of CloudFormation.
        ValidateTemplate = "ValidateTemplate",
        /// Of STS.
        GetCallerIdentity = "GetCallerIdentity",
        /// Of STS.
        AssumeRole = "AssumeRole",
        /// Of STS.
        AssumeRoleWithWebIdentity = "AssumeRoleWithWebIdentity",
    }
}

impl CallName {
    /// Whether it is a call of Cloud Control.
    pub const fn is_of_cloud_control(self) -> bool {
        matches!(
            self,
            Self::CreateResource
                | Self::UpdateResource
                | Self::DeleteResource
                | Self::GetResource
                | Self::ListResources
                | Self::GetResourceRequestStatus
                | Self::ListResourceRequests
                | Self::CancelResourceRequest
        )
    }

    /// Whether it makes a request.
    pub const fn is_write(self) -> bool {
        matches!(self, Self::CreateResource | Self::UpdateResource | Self::DeleteResource)
    }
}

impl Call {
    /// What is called.
    pub const fn name(&self) -> CallName {
        match self {
            Self::CreateResource { .. } => CallName::CreateResource,
            Self::UpdateResource { .. } => CallName::UpdateResource,
            Self::DeleteResource { .. } => CallName::DeleteResource,
            Self::GetResource { .. } => CallName::GetResource,
            Self::ListResources { .. } => CallName::ListResources,
            Self::GetResourceRequestStatus { .. } => CallName::GetResourceRequestStatus,
            Self::ListResourceRequests { .. } => CallName::ListResourceRequests,
            Self::CancelResourceRequest { .. } => CallName::CancelResourceRequest,
        }
    }

    /// The type that it names.
    pub fn type_name(&self) -> Option<&str> {
        match self {
            Self::CreateResource { type_name, .. }
            | Self::UpdateResource { type_name, .. }
            | Self::DeleteResource { type_name, .. }
            | Self::GetResource { type_name, .. }
            | Self::ListResources { type_name, .. } => Some(type_name),
            _ => None,
        }
    }

    /// The identifier that it names.
    pub fn identifier(&self) -> Option<&str> {
        match self {
            Self::UpdateResource { identifier, .. }
            | Self::DeleteResource { identifier, .. }
            | Self::GetResource { identifier, .. } => Some(identifier),
            _ => None,
        }
    }

    /// The request that it names.
    pub fn request_token(&self) -> Option<&str> {
        match self {
            Self::GetResourceRequestStatus { request_token }
            | Self::CancelResourceRequest { request_token } => Some(request_token),
            _ => None,
        }
    }

    /// The client token that it carries.
    pub fn client_token(&self) -> Option<&str> {
        match self {
            Self::CreateResource { common, .. }
            | Self::UpdateResource { common, .. }
            | Self::DeleteResource { common, .. } => common.client_token.as_deref(),
            _ => None,
        }
    }
}
