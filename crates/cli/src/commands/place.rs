//! Where AWS resources go: an account and a region, given whole or in part.

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::{AccountId, Region};
use hangar_template::deployment::{Deployment, NodeKind};

use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::{AwsPlace, Group};
use crate::codes;
use crate::failure::Failure;
use crate::input::Source;
use crate::session::{CallError, Session};

/// An account and a region.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// AWS account to use
    ///
    /// An account id has 12 digits; the simulator also accepts fewer.
    ///
    /// [default: the group's account, else the account of your credentials; on the simulator
    /// 000000000000]
    #[arg(long, value_name = "ACCOUNT")]
    aws_account: Option<String>,
    /// AWS region to use
    ///
    /// [default: the group's region, else `AWS_REGION` or the region of your profile; on the
    /// simulator us-east-1]
    #[arg(long, value_name = "REGION")]
    aws_region: Option<String>,
}

/// What a simulator calls its own.
const DEFAULT_ACCOUNT: &str = "000000000000";
const DEFAULT_REGION: &str = "us-east-1";

/// The place that fills in what was not given.
pub(crate) fn default_place() -> AwsPlace {
    AwsPlace { account: DEFAULT_ACCOUNT.to_owned(), region: DEFAULT_REGION.to_owned() }
}

/// The account and region of resources that were given none, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UsualPlace {
    account: Option<String>,
    region: Option<String>,
}

impl UsualPlace {
    /// The place, if all of it is known.
    pub(crate) fn whole(&self) -> Option<AwsPlace> {
        Some(AwsPlace { account: self.account.clone()?, region: self.region.clone()? })
    }

    /// The same with a region of the template, if none is known and every resource names its own: no
    /// resource goes there for want of another.
    pub(crate) fn with_region_of(self, deployment: &Deployment) -> Self {
        let nodes = deployment.nodes().iter().filter_map(|node| match &node.kind {
            NodeKind::Aws(node) => Some(node.region.as_ref()),
            NodeKind::Recipe => None,
        });
        let regions: Option<Vec<_>> = nodes.collect();
        let own = regions.and_then(|regions| regions.first().map(ToString::to_string));
        Self { region: self.region.or(own), ..self }
    }
}

impl From<AwsPlace> for UsualPlace {
    fn from(place: AwsPlace) -> Self {
        Self { account: Some(place.account), region: Some(place.region) }
    }
}

impl From<Option<AwsPlace>> for UsualPlace {
    fn from(place: Option<AwsPlace>) -> Self {
        place.map(Into::into).unwrap_or_default()
    }
}

/// The place of a group's resources that were given none: the group's, else the caller's account and
/// region, else the simulator's.
pub(crate) async fn usual_place(
    session: &mut Session<'_>,
    group: &str,
) -> Result<UsualPlace, CallError> {
    let id = ids::group(group).map_err(CallError::Stopped)?;
    let place = match session.read::<Group>(&Request::get(id)).await {
        Ok((_, group)) => group.aws_place(),
        Err(CallError::Refused(refusal)) if refusal.status == 404 => None,
        Err(error) => return Err(error),
    };
    usual_otherwise(session, place).await.map_err(CallError::Stopped)
}

/// A group's place that is known, else the caller's account and region, else the simulator's.
pub(crate) async fn usual_otherwise(
    session: &mut Session<'_>,
    place: Option<AwsPlace>,
) -> Result<UsualPlace, Failure> {
    if let Some(place) = place {
        return Ok(place.into());
    }
    Ok(match session.caller_place().await? {
        Some(caller) => UsualPlace { account: Some(caller.account), region: caller.region },
        None => session.has_default_place().then(default_place).into(),
    })
}

impl PlaceArgs {
    /// A place that is known.
    pub(crate) fn of(place: Option<AwsPlace>) -> Self {
        let (aws_account, aws_region) = place.map(|it| (it.account, it.region)).unzip();
        Self { aws_account, aws_region }
    }

    /// What of it was typed and is not of this place, by the name of its option.
    pub(crate) fn contradicts(&self, place: Option<&AwsPlace>) -> Option<&'static str> {
        let differs = |typed: &Option<String>, known: Option<&String>| {
            typed.is_some() && typed.as_ref() != known
        };
        if differs(&self.aws_account, place.map(|it| &it.account)) {
            return Some("--aws-account");
        }
        differs(&self.aws_region, place.map(|it| &it.region)).then_some("--aws-region")
    }

    /// Refuses what is no account or no region; to be called before anything is asked.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let wrong = |text: &str, mistake| Failure::in_source(Source::argument(text), vec![mistake]);
        if let Some(account) = &self.aws_account {
            AccountId::parse(account).map_err(|mistake| wrong(account, mistake))?;
        }
        if let Some(region) = &self.aws_region {
            Region::parse(region).map_err(|mistake| wrong(region, mistake))?;
        }
        Ok(())
    }

    /// The place, if all of it is given.
    pub(crate) fn whole(&self) -> Option<AwsPlace> {
        let (account, region) = (self.aws_account.clone()?, self.aws_region.clone()?);
        Some(AwsPlace { account, region })
    }

    /// Whether nothing was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.aws_account.is_none() && self.aws_region.is_none()
    }

    /// Whether one is given without the other.
    pub(crate) fn is_half(&self) -> bool {
        self.aws_account.is_some() != self.aws_region.is_some()
    }

    /// The place that is meant; what was not given is taken from `otherwise`.
    pub(crate) fn place(
        &self,
        otherwise: impl Into<UsualPlace>,
    ) -> Result<Option<AwsPlace>, Failure> {
        if self.is_empty() {
            return Ok(None);
        }
        let otherwise = otherwise.into();
        let account = self.aws_account.clone().or(otherwise.account);
        let region = self.aws_region.clone().or(otherwise.region);
        match (account, region) {
            (Some(account), Some(region)) => Ok(Some(AwsPlace { account, region })),
            (_, None) => Err(half("--aws-account", "--aws-region")),
            (None, _) => Err(half("--aws-region", "--aws-account")),
        }
    }

    /// The place that is meant, or the usual one.
    pub(crate) fn place_or_usual(&self, usual: UsualPlace) -> Result<Option<AwsPlace>, Failure> {
        let whole = usual.whole();
        Ok(self.place(usual)?.or(whole))
    }
}

fn half(given: &str, missing: &str) -> Failure {
    Diagnostic::error(codes::HALF_A_PLACE, format!("{given} was passed without {missing}"))
        .hint(format!("pass {missing} too"))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(
        account: Option<&str>,
        region: Option<&str>,
        otherwise: Option<AwsPlace>,
    ) -> Option<String> {
        let args = PlaceArgs {
            aws_account: account.map(str::to_owned),
            aws_region: region.map(str::to_owned),
        };
        args.place(otherwise).unwrap().map(|place| place.to_scope())
    }

    #[test]
    fn what_is_not_given_is_filled_in_and_nothing_stays_nothing() {
        assert_eq!(place(None, None, Some(default_place())), None);
        assert_eq!(
            place(None, Some("eu-west-1"), Some(default_place())).as_deref(),
            Some("/planes/aws/aws/accounts/000000000000/regions/eu-west-1")
        );
        assert_eq!(
            place(Some("12"), None, Some(default_place())).as_deref(),
            Some("/planes/aws/aws/accounts/12/regions/us-east-1")
        );
        let args = PlaceArgs { aws_account: None, aws_region: Some("eu-west-1".to_owned()) };
        assert!(args.is_half() && args.place(None::<AwsPlace>).is_err());
    }

    #[test]
    fn what_is_no_region_is_refused_before_anything_is_asked() {
        let args = PlaceArgs { aws_account: None, aws_region: Some("Frankfurt".to_owned()) };
        assert!(args.check().is_err());
    }
}
