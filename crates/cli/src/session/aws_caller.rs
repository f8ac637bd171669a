//! Who the caller is in AWS: the account and region for resources that were given none, and the check that
//! the credentials work before a command opens an operation.

use std::time::Duration;

use hangar_diag::Diagnostic;
use hangar_provider::{ErrorClass, ProviderError};
use hangar_provider_aws::{AwsProvider, Whereabouts};
use tokio::time::{Instant, timeout};

use super::{Link, Presence, Session};
use crate::aws::Aws;
use crate::aws::client::AwsClient;
use crate::aws::credentials;
use crate::client::ids;
use crate::client::request::Request;
use crate::codes;
use crate::connection::Chosen;
use crate::embedded::data_dir::DataDir;
use crate::failure::Failure;

/// How long AWS may take to report the caller, all attempts together.
const CALLER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a check is silent.
const NOTE_WAIT_AFTER: Duration = Duration::from_secs(3);

/// What is known of the caller.
#[derive(Debug, Default)]
pub(super) enum AwsCaller {
    /// AWS was not asked yet.
    #[default]
    Unknown,
    /// AWS answered.
    Known(Whereabouts),
}

/// What a command needs of the caller, decided before anything is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallerCheck {
    /// Nothing: it only reads, or the AWS takes any caller.
    None,
    /// AWS is asked before the data directory is made: there can be no credential but the caller's.
    BeforeStart,
    /// AWS is asked when the store is open: it may hold credentials for accounts.
    AfterStart,
}

/// When a command has to know that the caller's credentials work. An endpoint that is not AWS is not
/// checked: calls to it work without credentials.
fn caller_check(presence: Presence, aws: Option<&Aws>, is_new: bool) -> CallerCheck {
    match (presence, aws) {
        (Presence::ToTheEnd, Some(Aws::Real)) if is_new => CallerCheck::BeforeStart,
        (Presence::ToTheEnd | Presence::ReadingAws, Some(Aws::Real)) => CallerCheck::AfterStart,
        _ => CallerCheck::None,
    }
}

impl Session<'_> {
    /// Fails if the command needs AWS, the data directory is new and the caller has no credentials that
    /// work: nothing is left behind.
    pub(super) async fn check_new_directory(
        &mut self,
        dir: &DataDir,
        aws: Option<&Aws>,
    ) -> Result<(), Failure> {
        // A store of another name may hold credentials, however new the directory is.
        let has_store = matches!(&self.connection.to, Chosen::Directory { store: Some(_), .. });
        let is_new = !dir.was_used() && !has_store;
        if caller_check(self.presence, aws, is_new) != CallerCheck::BeforeStart {
            return Ok(());
        }
        let provider = aws.and_then(|aws| self.aws_client().provider(aws));
        let Some(provider) = provider else { return Ok(()) };
        let found =
            self.ask_caller(&provider).await.map_err(|error| credentials::explain(&error))?;
        self.aws_caller = AwsCaller::Known(found);
        Ok(())
    }

    /// Fails if the command needs AWS and neither the caller nor the store has credentials that could work.
    pub(super) async fn check_caller(&mut self) -> Result<(), Failure> {
        if caller_check(self.presence, self.aws.as_ref(), false) != CallerCheck::AfterStart {
            return Ok(());
        }
        match self.find_caller().await {
            Ok(_) => Ok(()),
            // Calls for their accounts do not need the caller's.
            Err(_) if self.has_stored_credentials().await => Ok(()),
            Err(error) => Err(credentials::explain(&error).into()),
        }
    }

    /// Whether the caller's credentials decide the account of resources that were given none.
    pub(crate) fn is_caller_decisive(&self) -> bool {
        self.aws.as_ref().is_some_and(|aws| self.aws_client().signs_as_caller(aws))
    }

    /// The account and region of the caller's credentials, if calls are made with them.
    pub(crate) async fn caller_place(&mut self) -> Result<Option<Whereabouts>, Failure> {
        match self.find_caller().await {
            Ok(found) => Ok(found),
            Err(error) => Err(credentials::explain(&error).into()),
        }
    }

    async fn find_caller(&mut self) -> Result<Option<Whereabouts>, ProviderError> {
        if let AwsCaller::Known(found) = &self.aws_caller {
            return Ok(Some(found.clone()));
        }
        let Some(aws) = self.aws.clone() else { return Ok(None) };
        let client = self.aws_client();
        if !client.signs_as_caller(&aws) {
            return Ok(None);
        }
        let Some(provider) = client.provider(&aws) else { return Ok(None) };
        let found = self.ask_caller(&provider).await?;
        self.aws_caller = AwsCaller::Known(found.clone());
        Ok(Some(found))
    }

    async fn has_stored_credentials(&mut self) -> bool {
        let Link::Own { client, .. } = &self.link else { return true };
        let listed = client.send(&Request::get(ids::CREDENTIALS)).await;
        let listed = listed.ok().and_then(|reply| reply.body["value"].as_array().map(Vec::len));
        listed.is_none_or(|count| count > 0)
    }

    /// Asks AWS who the caller is; a wait shows its reason.
    async fn ask_caller(&mut self, provider: &AwsProvider) -> Result<Whereabouts, ProviderError> {
        let mut asking = std::pin::pin!(ask(provider));
        if let Ok(answer) = timeout(NOTE_WAIT_AFTER, &mut asking).await {
            return answer;
        }
        self.printer.note("waiting for AWS to confirm the credentials (STS GetCallerIdentity)");
        asking.await
    }

    fn aws_client(&self) -> AwsClient {
        match &self.connection.to {
            Chosen::Directory { aws_client, .. } => (**aws_client).clone(),
            Chosen::Server { .. } => AwsClient::default(),
        }
    }
}

/// Asks STS who the caller is; once more if nothing answered, as far as there is time.
async fn ask(provider: &AwsProvider) -> Result<Whereabouts, ProviderError> {
    let begun = Instant::now();
    match provider.whereabouts().await {
        Err(error) if is_transient(&error) => {
            let left = CALLER_TIMEOUT.saturating_sub(begun.elapsed());
            timeout(left, provider.whereabouts()).await.unwrap_or(Err(error))
        }
        answer => answer,
    }
}

fn is_transient(error: &ProviderError) -> bool {
    matches!(error.class, ErrorClass::Unreachable | ErrorClass::Unanswered | ErrorClass::Throttled)
}

/// No region is known for resources that were given none.
pub(crate) fn no_region() -> Failure {
    Diagnostic::error(codes::NO_REGION, "no AWS region is set")
        .hint("pass --aws-region, set AWS_REGION, or set `region` in the profile: `aws configure set region us-east-1`")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_need_aws_check_the_caller() {
        let (long, short) = (Presence::ToTheEnd, Presence::Briefly);
        let custom = Aws::Custom("http://127.0.0.1:4566".to_owned());
        for (presence, aws, is_new, check) in [
            (long, Some(&Aws::Real), true, CallerCheck::BeforeStart),
            (long, Some(&Aws::Real), false, CallerCheck::AfterStart),
            (short, Some(&Aws::Real), false, CallerCheck::None),
            (Presence::Reading, Some(&Aws::Real), false, CallerCheck::None),
            (Presence::ReadingAws, Some(&Aws::Real), true, CallerCheck::AfterStart),
            (long, Some(&Aws::Simulator), true, CallerCheck::None),
            (long, Some(&custom), true, CallerCheck::None),
            (long, None, true, CallerCheck::None),
        ] {
            assert_eq!(caller_check(presence, aws, is_new), check, "{presence:?} {aws:?} {is_new}");
        }
    }
}
