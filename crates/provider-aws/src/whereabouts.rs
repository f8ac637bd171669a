//! The caller's account and region: the default place of calls that name none.

use hangar_ids::{AccountId, Region};
use hangar_provider::{ErrorClass, Identity, Place, ProviderError};

use crate::caller::Own;
use crate::failure::error;
use crate::provider::AwsProvider;

/// The account and region of an endpoint that is no AWS.
const ACCOUNT: &str = "000000000000";
const REGION: &str = "us-east-1";

/// Who the machine is, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    /// Twelve digits.
    pub account: String,
    /// The region of the environment or of the profile, where they name one.
    pub region: Option<String>,
    /// The caller's ARN.
    pub arn: String,
}

impl AwsProvider {
    /// The caller's account and region, whatever credentials were chosen for accounts. With the machine's
    /// credentials that is one question to STS, whose answer is kept for a while. Without them, on another
    /// endpoint, it is a fixed account.
    pub async fn whereabouts(&self) -> Result<Whereabouts, ProviderError> {
        let stated = self.stated_region();
        if let Some(region) = stated {
            parsed(region)?;
        }
        match self.caller.own() {
            Own::Account => Ok(Whereabouts {
                account: ACCOUNT.to_owned(),
                region: Some(stated.unwrap_or(REGION).to_owned()),
                // As the simulator says it, where it is one.
                arn: format!("arn:aws:iam::{ACCOUNT}:user/simulator"),
            }),
            Own::Preferred(preferred) => {
                let region = match stated {
                    Some(region) => Some(region.to_owned()),
                    None => preferred.chain().configured_region().await,
                };
                let region = region.unwrap_or_else(|| REGION.to_owned());
                let place = unknown_place(&region)?;
                let identity = Box::pin(preferred.identity(&place)).await;
                let own = || Identity {
                    account: ACCOUNT.to_owned(),
                    arn: format!("arn:aws:iam::{ACCOUNT}:user/simulator"),
                };
                let Identity { account, arn } = identity.unwrap_or_else(own);
                Ok(Whereabouts { account, region: Some(region), arn })
            }
            Own::Chain(chain) => {
                let region = match stated {
                    Some(region) => Some(region.to_owned()),
                    None => Box::pin(chain.in_time(async { Ok(chain.region().await) })).await?,
                };
                // STS is in every region, and tells the same.
                let place = unknown_place(region.as_deref().unwrap_or(REGION))?;
                let identity = Box::pin(chain.in_time(chain.whoever(&place))).await?;
                Ok(Whereabouts { account: identity.account, region, arn: identity.arn })
            }
        }
    }
}

fn parsed(region: &str) -> Result<Region, ProviderError> {
    Region::parse(region).map_err(|wrong| {
        let message = format!(
            "the region `{region}` of the environment or the profile cannot be used: {}",
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
