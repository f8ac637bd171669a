//! The caller's account and region: the default place of calls that name none.

use hangar_ids::{AccountId, Region};
use hangar_provider::{ErrorClass, Identity, Place, ProviderError};

use crate::caller::{Chain, Own};
use crate::failure::error;
use crate::provider::AwsProvider;

/// The account and region of an endpoint that is no AWS.
pub(crate) const ACCOUNT: &str = "000000000000";
const REGION: &str = "us-east-1";

/// Who the machine is, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    /// Twelve digits.
    pub account: String,
    /// The region of the environment or of the profile, where they name one.
    pub region: Option<String>,
    /// What named the region.
    pub region_from: RegionFrom,
    /// The caller's ARN.
    pub arn: String,
}

/// What names the region of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionFrom {
    /// A variable of the environment.
    Environment,
    /// The profile.
    Profile,
    /// The machine, where AWS runs it.
    Machine,
    /// Nothing: the one of endpoints that are not AWS.
    Default,
}

impl AwsProvider {
    /// The caller's account and region, whatever credentials were chosen for accounts. With the machine's
    /// credentials that is one question to STS, whose answer is kept for a while. Without them, and without STS, on
    /// another endpoint, it is a fixed account.
    pub async fn whereabouts(&self) -> Result<Whereabouts, ProviderError> {
        let stated = self.stated_region();
        if let Some(region) = stated {
            parsed(region)?;
        }
        let stated = stated.map(|region| (region.to_owned(), RegionFrom::Environment));
        let default = || (REGION.to_owned(), RegionFrom::Default);
        match self.caller.own() {
            Own::Account => {
                let (region, region_from) = stated.unwrap_or_else(default);
                // As the simulator says it, where it is one.
                let Identity { account, arn } = simulated();
                Ok(Whereabouts { account, region: Some(region), region_from, arn })
            }
            Own::Preferred(preferred) => {
                let found = match stated {
                    Some(found) => Some(found),
                    None => of_profile(preferred.chain()).await,
                };
                let (region, region_from) = found.unwrap_or_else(default);
                let place = unknown_place(&region)?;
                let identity = Box::pin(preferred.identity(&place)).await?;
                let Identity { account, arn } = identity.unwrap_or_else(simulated);
                Ok(Whereabouts { account, region: Some(region), region_from, arn })
            }
            Own::Chain(chain) => {
                let found = match stated {
                    Some(found) => Some(found),
                    None => of_profile(chain).await,
                };
                let asked = async {
                    let (region, region_from) = match found {
                        Some((region, from)) => (Some(region), from),
                        None => (chain.region().await, RegionFrom::Machine),
                    };
                    // Every region has STS, and all give the same answer.
                    let place = unknown_place(region.as_deref().unwrap_or(REGION))?;
                    let Identity { account, arn } = chain.whoever(&place).await?;
                    Ok(Whereabouts { account, region, region_from, arn })
                };
                Box::pin(chain.in_time(asked)).await
            }
        }
    }
}

/// Who calls an endpoint that is not AWS without credentials.
fn simulated() -> Identity {
    let arn = format!("arn:aws:iam::{ACCOUNT}:user/simulator");
    Identity { account: ACCOUNT.to_owned(), arn }
}

/// The region of the environment or of the profile, without a call.
async fn of_profile(chain: &Chain) -> Option<(String, RegionFrom)> {
    let region = Box::pin(chain.configured_region()).await?;
    Some((region, RegionFrom::Profile))
}

fn parsed(region: &str) -> Result<Region, ProviderError> {
    Region::parse(region).map_err(|wrong| {
        let message = format!(
            "the region `{region}` of the environment or the profile is not valid: {}",
            wrong.message
        );
        error(ErrorClass::Refused, "InvalidRegion", message)
    })
}

/// The place of the one call that is made to learn the account: only its region counts.
fn unknown_place(region: &str) -> Result<Place, ProviderError> {
    let account = AccountId::parse(ACCOUNT)
        .map_err(|wrong| error(ErrorClass::Refused, "InvalidCall", wrong.message))?;
    Ok(Place { plane: "aws".to_owned(), account, region: parsed(region)? })
}
