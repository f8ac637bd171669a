//! AWS behind its real SDK: what that sends ends in the world that the rig holds, without a socket.
//!
//! Requests are signed, written and read as over a wire; only what carries them is ours. It is all done
//! on the caller's thread and by the run's time.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hangar_provider::Provider;
use hangar_provider_aws::{AwsProvider, Exchange, FarSide, Lost};
use hangar_simulator::server::Dropped;

use super::aws::Aws;

/// The provider that users run, calling this AWS.
pub fn over_the_wire(aws: &Aws) -> Arc<dyn Provider> {
    Arc::new(AwsProvider::over(Arc::new(Here(aws.clone())), None))
}

/// The far side of the wire.
#[derive(Debug)]
struct Here(Aws);

impl FarSide for Here {
    fn now(&self) -> SystemTime {
        let micros = self.0.clock().now().as_micros();
        UNIX_EPOCH + Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    }

    fn exchange(&self, request: http::Request<Vec<u8>>) -> Exchange {
        let front = self.0.front().clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            front.answer(&head, &body).await.map_err(|Dropped| Lost::Unanswered)
        })
    }
}
