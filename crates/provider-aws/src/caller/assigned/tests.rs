//! How long a session is kept, by a clock that the test moves.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use hangar_provider::{Answer, Credential, Provider, Target};
use hangar_simulator::core::settings::Settings;
use hangar_simulator::server::{self, Exposure, Signatures};

use super::*;
use crate::options::{Endpoint, Options};
use crate::provider::AwsProvider;

/// One role for every place.
#[derive(Debug)]
struct OneRole;

impl CredentialSource for OneRole {
    fn credential<'a>(&'a self, _: &'a Place) -> Answer<'a, Option<Chosen>> {
        let credential = Credential::AssumeRole {
            role_arn: "arn:aws:iam::111122223333:role/deploy".to_owned(),
            external_id: None,
            session_name: None,
            source: None,
        };
        Box::pin(async { Ok(Some(Chosen { credential, revision: "1".to_owned() })) })
    }
}

#[tokio::test]
async fn a_session_is_used_until_five_minutes_before_its_end() {
    let simulator = server::start(server::Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        exposure: Exposure::Loopback,
        state: None,
        settings: Settings::default(),
        signatures: Signatures::Read,
        faults: Vec::new(),
    })
    .await
    .unwrap();
    let calls: Arc<Mutex<Vec<CallName>>> = Arc::default();
    let heard = Arc::clone(&calls);
    let mut provider = AwsProvider::new(Options {
        endpoint: Endpoint::Custom(simulator.url().parse().unwrap()),
        on_call: Some(Arc::new(move |record| heard.lock().unwrap().push(record.call))),
        credentials: Some(Arc::new(OneRole)),
        ..Options::default()
    });
    let ahead: Arc<Mutex<Duration>> = Arc::default();
    let seen = Arc::clone(&ahead);
    let clock = Clock::from_fn(move || SystemTime::now() + *seen.lock().unwrap());
    provider.caller.assigned.as_mut().unwrap().clock = clock;
    let target = Target {
        place: Place {
            plane: "aws".to_owned(),
            account: "111122223333".parse().unwrap(),
            region: "eu-west-1".parse().unwrap(),
        },
        type_name: "AWS::EC2::VPC".parse().unwrap(),
    };
    // A session lasts an hour. Its account is asked once for all sessions of a revision.
    let (assume, identity) = (CallName::AssumeRole, CallName::GetCallerIdentity);
    let get = CallName::GetResource;
    for (minutes, made) in [
        (0, &[assume, identity, get][..]),
        (54, &[get]),
        (56, &[assume, get]),
        (57, &[assume, get]),
    ] {
        calls.lock().unwrap().clear();
        *ahead.lock().unwrap() = Duration::from_mins(minutes);
        provider.observe(&target, "vpc-1").await.unwrap();
        assert_eq!(*calls.lock().unwrap(), made, "after {minutes} minutes");
    }
}
