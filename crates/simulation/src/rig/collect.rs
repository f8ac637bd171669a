//! The history of a run in this process.

use hangar_plan::Timestamp;
use hangar_simulator::core::call::{Operation, Status};
use hangar_simulator::core::refusal::HandlerErrorCode;
use hangar_simulator::core::state::Phase;
use hangar_store::{Reader, StoreError};

use super::aws::Aws;
use crate::history::collect::from_store;
use crate::history::{Called, Existing, History};

/// More rows than any run has.
const ALL: usize = 100_000;

/// What the store and AWS have at the end.
pub async fn collect(store: &dyn Reader, aws: &Aws) -> Result<History, StoreError> {
    let mut history = from_store(store).await?;
    aws.with(|world, _| {
        for record in world.log().after(0, ALL) {
            let at = i64::try_from(record.at.millis()).unwrap_or(i64::MAX).saturating_mul(1000);
            history.calls.push(Called {
                at: Timestamp::from_micros(at),
                place: format!("{}/{}", record.account, record.region),
                name: record.operation.as_str().to_owned(),
                type_name: record.type_name.clone(),
                identifier: record.identifier.clone(),
                client_token: record.client_token.clone(),
                request_token: record.request_token.clone(),
                outcome: record.outcome.clone(),
            });
        }
        for (place, region) in &world.state().regions {
            for (type_name, resources) in &region.resources {
                for (identifier, resource) in resources {
                    let Some(document) = &resource.document else { continue };
                    let mut of_it = region.requests.values().rev().filter(|request| {
                        request.type_name == *type_name
                            && request.identifier.as_deref() == Some(identifier)
                    });
                    let last = of_it.find(|request| match request.operation {
                        Operation::Create => !found_it_there(&request.phase),
                        Operation::Delete => is_done(&request.phase),
                        Operation::Update => false,
                    });
                    // What exists after a delete was made again by others.
                    let maker = last.filter(|request| request.operation == Operation::Create);
                    history.resources.push(Existing {
                        place: format!("{}/{}", place.account(), place.region()),
                        type_name: type_name.to_string(),
                        identifier: identifier.to_string(),
                        made_by: maker
                            .and_then(|request| request.client_token.as_deref())
                            .map(str::to_owned),
                        properties: serde_json::from_str(&document.readable).ok(),
                    });
                }
            }
        }
    });
    Ok(history)
}

fn is_done(phase: &Phase) -> bool {
    matches!(phase, Phase::Ended { status: Status::Success, .. })
}

/// Whether a create failed because what it names was there before.
fn found_it_there(phase: &Phase) -> bool {
    let Phase::Ended { failure: Some(failure), .. } = phase else { return false };
    failure.code == HandlerErrorCode::AlreadyExists
}
