//! STS gives sessions of roles: to whoever signs, and to whoever shows a good token.

use std::sync::Arc;
use std::time::Duration;

use super::call::CallName;
use super::fault::Target;
use super::log::CallRecord;
use super::place::Place;
use super::refusal::{Exception, Refusal};
use super::session::{Assumption, Proof, Session};
use super::state::Change;
use super::time::Timestamp;
use super::web_identity::WebIdentity;
use super::world::{Answer, World, word};

/// The longest session that another session may ask for.
const LONGEST_CHAINED: Duration = Duration::from_hours(1);

/// What STS gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The session.
    pub session: Arc<Session>,
    /// What the token claims, where one was shown.
    pub identity: Option<WebIdentity>,
}

impl Proof<'_> {
    /// The call that is made with it.
    pub const fn call(self) -> CallName {
        match self {
            Self::Key | Self::Session => CallName::AssumeRole,
            Self::WebIdentity(_) => CallName::AssumeRoleWithWebIdentity,
        }
    }
}

impl World {
    /// The session that an access key belongs to, be it over or not.
    pub fn session(&self, access_key: &str) -> Option<&Arc<Session>> {
        self.state.session(access_key)
    }

    /// A call for a session. Faults find the role's ARN as its identifier.
    pub fn assume_role(
        &mut self,
        place: &Place,
        ask: &Assumption,
        proof: Proof<'_>,
        wall: Timestamp,
    ) -> Answer<Grant> {
        let now = self.now(wall);
        self.settle(now);
        let (name, role) = (proof.call(), ask.role.arn());
        let target = Target { name, type_name: None, identifier: Some(role), place };
        let admission = self.admit(&target, now);
        let outcome = self.conclude(&admission, |world| world.grant(ask, proof, now));
        self.log.add(CallRecord {
            identifier: Some(role.to_owned()),
            ..CallRecord::new(now, place, name, word(&outcome))
        });
        Answer { outcome, delay: admission.delay() }
    }

    fn grant(
        &mut self,
        ask: &Assumption,
        proof: Proof<'_>,
        now: Timestamp,
    ) -> Result<Grant, Refusal> {
        let identity = match proof {
            Proof::Session if ask.lasts > LONGEST_CHAINED => {
                let message = "The requested DurationSeconds exceeds the 1 hour session limit for \
                               roles assumed by role chaining.";
                return Err(Refusal::new(Exception::Validation, message));
            }
            Proof::Key | Proof::Session => None,
            Proof::WebIdentity(token) => Some(WebIdentity::read(token, now)?),
        };
        let number = self.state.next_session;
        let session = Arc::new(Session::draw(ask, number, self.settings.seed, now));
        self.commit(Change::Session { number, session: Some(Arc::clone(&session)) });
        Ok(Grant { session, identity })
    }
}

#[cfg(test)]
mod tests {
    use hangar_schema::Catalog;

    use super::*;
    use crate::core::session::{REMEMBERED_FOR, Role};
    use crate::core::settings::Settings;
    use crate::core::state::{Replay, State};
    use crate::core::world::Outcome;

    const HOUR: Duration = Duration::from_hours(1);

    fn ask(lasts: Duration) -> Assumption {
        let role = Role::parse("arn:aws:iam::123456789012:role/deploy").unwrap();
        Assumption { role, session_name: "me".to_owned(), lasts }
    }

    fn given(world: &mut World, ask: &Assumption, now: Timestamp) -> Result<Grant, Refusal> {
        match world.assume_role(&Place::default(), ask, Proof::Key, now).outcome {
            Outcome::Answered(answer) => answer,
            Outcome::Dropped => panic!("nothing is dropped"),
        }
    }

    #[test]
    fn a_session_is_found_by_its_key_until_long_after_its_end() {
        let mut world = World::new(Catalog::bundled(), Settings::default());
        let begun = Timestamp::from_millis(1000);
        let first = given(&mut world, &ask(HOUR), begun).unwrap().session;
        let second = given(&mut world, &ask(HOUR), begun).unwrap().session;
        assert_ne!(first.access_key, second.access_key);
        for session in [&first, &second] {
            assert_eq!(world.session(&session.access_key), Some(session));
        }
        let (head, tail) = first.access_key.split_at(10);
        assert_eq!(world.session(&format!("{head}{}", tail.replace('A', "B"))), None);
        let end = begun.after(HOUR);
        let last = Timestamp::from_millis(end.after(REMEMBERED_FOR).millis() - 1);
        world.settle(last);
        assert_eq!(world.session(&first.access_key), Some(&first));
        world.settle(end.after(REMEMBERED_FOR));
        assert_eq!(world.session(&first.access_key), None);
        // A number is not given twice, though all that had one are forgotten.
        let third = given(&mut world, &ask(HOUR), end).unwrap().session;
        assert_ne!(third.access_key, first.access_key);
    }

    #[test]
    fn sessions_that_are_kept_are_there_again_and_a_reset_ends_them() {
        let mut world = World::new(Catalog::bundled(), Settings::default());
        let begun = Timestamp::from_millis(1000);
        let session = given(&mut world, &ask(HOUR), begun).unwrap().session;
        let again = |changes: Vec<Change>| {
            let mut replay = Replay::default();
            for change in changes {
                replay.apply(change);
            }
            replay.finish()
        };
        let kept = again(world.take_changes());
        assert_eq!(kept.session(&session.access_key), Some(&session));
        let rewritten: State = again(kept.snapshot().collect());
        assert_eq!(rewritten.session(&session.access_key), Some(&session));
        assert_eq!(rewritten.next_session, 1);
        world.settle(begun.after(HOUR).after(2 * REMEMBERED_FOR));
        let forgotten = again(world.state().snapshot().collect());
        assert_eq!((forgotten.sessions.len(), forgotten.next_session), (0, 1));
        let second = given(&mut world, &ask(HOUR), begun).unwrap().session;
        world.reset();
        assert_eq!(world.session(&second.access_key), None);
    }

    #[test]
    fn a_session_gives_sessions_of_an_hour_at_most() {
        let mut world = World::new(Catalog::bundled(), Settings::default());
        let mut chained = |lasts| {
            let (place, now) = (Place::default(), Timestamp::from_millis(1000));
            world.assume_role(&place, &ask(lasts), Proof::Session, now).outcome
        };
        assert!(matches!(chained(HOUR), Outcome::Answered(Ok(_))));
        let Outcome::Answered(Err(refusal)) = chained(HOUR + Duration::from_secs(1)) else {
            panic!("it is refused");
        };
        assert!(refusal.message.contains("1 hour session limit"), "{}", refusal.message);
    }
}
