//! An AWS in this process: what becomes of a call that it does not answer, and whose time a call has.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hangar_provider::{ErrorClass, Provider};
use hangar_provider_aws::{AwsProvider, Exchange, FarSide, Lost};
use serde_json::json;

use crate::cloud::{VPC, place, target};

/// Answers every request alike.
#[derive(Debug)]
struct Always(fn(http::Request<Vec<u8>>) -> Exchange);

impl FarSide for Always {
    fn now(&self) -> SystemTime {
        // 2033-05-18T03:33:20Z.
        UNIX_EPOCH + Duration::from_secs(2_000_000_000)
    }

    fn exchange(&self, request: http::Request<Vec<u8>>) -> Exchange {
        (self.0)(request)
    }
}

fn provider(answer: fn(http::Request<Vec<u8>>) -> Exchange) -> AwsProvider {
    AwsProvider::over(Arc::new(Always(answer)), None)
}

#[tokio::test(start_paused = true)]
async fn only_what_was_never_sent_is_unreachable() {
    let unsent: fn(_) -> Exchange = |_| Box::pin(async { Err(Lost::Unsent) });
    let unanswered: fn(_) -> Exchange = |_| Box::pin(async { Err(Lost::Unanswered) });
    let never: fn(_) -> Exchange = |_| Box::pin(std::future::pending());
    for (answer, class, code) in [
        (unsent, ErrorClass::Unreachable, "ConnectFailed"),
        (unanswered, ErrorClass::Unanswered, "ConnectionLost"),
        (never, ErrorClass::Unanswered, "AnswerTimeout"),
    ] {
        let provider = provider(answer);
        let desired = json!({"CidrBlock": "10.0.0.0/16"});
        let failed = provider.create(&target(VPC), &desired, "token").await.unwrap_err();
        assert_eq!((failed.class, &*failed.code), (class, code));
        // Our own client of the other protocol goes the same way.
        let failed = provider.identity(&place()).await.unwrap_err();
        assert_eq!((failed.class, &*failed.code), (class, code));
    }
}

#[tokio::test]
async fn a_call_is_signed_and_read_by_the_far_sides_time() {
    let provider = provider(|request| {
        Box::pin(async move {
            let date = request.headers()["x-amz-date"].to_str().unwrap();
            assert!(date.starts_with("20330518T0333"), "{date}");
            let event = json!({"ProgressEvent": {
                "RequestToken": "r-1", "Operation": "CREATE", "OperationStatus": "IN_PROGRESS",
                "RetryAfter": 2_000_000_007_u64,
            }});
            Ok(http::Response::new(event.to_string().into_bytes()))
        })
    });
    let progress = provider.create(&target(VPC), &json!({}), "token").await.unwrap();
    assert_eq!(progress.retry_after, Some(Duration::from_secs(7)));
}
