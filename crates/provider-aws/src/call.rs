//! One call to AWS as a record: what was asked, what came of it, how long it took.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hangar_ids::TypeName;
use hangar_provider::{ErrorClass, Place, ProviderError, Target};

/// A call that this crate makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallName {
    /// Cloud Control's create.
    CreateResource,
    /// Cloud Control's update.
    UpdateResource,
    /// Cloud Control's delete.
    DeleteResource,
    /// Cloud Control's read.
    GetResource,
    /// Cloud Control's list of resources.
    ListResources,
    /// How a request of Cloud Control is doing.
    GetResourceRequestStatus,
    /// Cloud Control's list of requests.
    ListResourceRequests,
    /// Stops a request of Cloud Control.
    CancelResourceRequest,
    /// CloudFormation's schema of a type.
    DescribeType,
    /// Who STS says that the caller is.
    GetCallerIdentity,
    /// STS's session of a role, for whoever signs.
    AssumeRole,
    /// STS's session of a role, for whoever has a token.
    AssumeRoleWithWebIdentity,
    /// CloudFormation's stacks.
    DescribeStacks,
    /// The resources of a stack.
    ListStackResources,
    /// What happened to a stack.
    DescribeStackEvents,
    /// The template that a stack was deployed with.
    GetTemplate,
    /// What the stacks of a place export.
    ListExports,
    /// Makes a stack.
    CreateStack,
    /// Changes a stack.
    UpdateStack,
    /// Deletes a stack.
    DeleteStack,
}

impl CallName {
    /// The name as AWS spells it; a metric can use it as label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CreateResource => "CreateResource",
            Self::UpdateResource => "UpdateResource",
            Self::DeleteResource => "DeleteResource",
            Self::GetResource => "GetResource",
            Self::ListResources => "ListResources",
            Self::GetResourceRequestStatus => "GetResourceRequestStatus",
            Self::ListResourceRequests => "ListResourceRequests",
            Self::CancelResourceRequest => "CancelResourceRequest",
            Self::DescribeType => "DescribeType",
            Self::GetCallerIdentity => "GetCallerIdentity",
            Self::AssumeRole => "AssumeRole",
            Self::AssumeRoleWithWebIdentity => "AssumeRoleWithWebIdentity",
            Self::DescribeStacks => "DescribeStacks",
            Self::ListStackResources => "ListStackResources",
            Self::DescribeStackEvents => "DescribeStackEvents",
            Self::GetTemplate => "GetTemplate",
            Self::ListExports => "ListExports",
            Self::CreateStack => "CreateStack",
            Self::UpdateStack => "UpdateStack",
            Self::DeleteStack => "DeleteStack",
        }
    }

    /// What a policy has to allow for it, as in `cloudformation:DescribeStacks`. Cloud Control's calls
    /// are CloudFormation's there, and the handlers of a type need more.
    pub fn action(self) -> String {
        let service = match self {
            Self::GetCallerIdentity | Self::AssumeRole | Self::AssumeRoleWithWebIdentity => "sts",
            _ => "cloudformation",
        };
        format!("{service}:{self}")
    }
}

impl fmt::Display for CallName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Hears of every call that was made. It is called in the middle of the work: it must not block.
pub type CallObserver = Arc<dyn Fn(&CallRecord<'_>) + Send + Sync>;

/// A call that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallRecord<'a> {
    /// Which.
    pub call: CallName,
    /// For which place.
    pub place: &'a Place,
    /// For which type, where the call names one.
    pub type_name: Option<&'a TypeName>,
    /// What came of it; a read of what is not there is an answer.
    pub outcome: Result<(), ErrorClass>,
    /// How long it took.
    pub elapsed: Duration,
}

/// A call that is about to be made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) name: CallName,
    pub(crate) place: &'a Place,
    type_name: Option<&'a TypeName>,
    /// The client token of a write, the request token of a question about one.
    token: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// A call for a place.
    pub(crate) fn for_place(name: CallName, place: &'a Place) -> Self {
        Self { name, place, type_name: None, token: None }
    }

    /// A call for a type in a place.
    pub(crate) fn for_target(name: CallName, target: &'a Target) -> Self {
        Self { type_name: Some(&target.type_name), ..Self::for_place(name, &target.place) }
    }

    pub(crate) fn with_token(self, token: &'a str) -> Self {
        Self { token: Some(token), ..self }
    }

    /// Waits for the answer and tells who listens. Never a body: it may hold secrets.
    pub(crate) async fn observed<T>(
        self,
        observer: Option<&CallObserver>,
        work: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let begun = Instant::now();
        let result = work.await;
        let elapsed = begun.elapsed();
        tracing::debug!(
            call = self.name.as_str(),
            place = %format_args!("{}/{}", self.place.account, self.place.region),
            "type" = self.type_name.map(tracing::field::display),
            token = self.token,
            outcome = result.as_ref().err().map_or("ok", |error| error.code.as_str()),
            elapsed = ?elapsed,
        );
        if let Some(observer) = observer {
            let outcome = result.as_ref().map(|_| ()).map_err(|error| error.class);
            let (place, type_name) = (self.place, self.type_name);
            observer(&CallRecord { call: self.name, place, type_name, outcome, elapsed });
        }
        result
    }
}
