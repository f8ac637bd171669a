//! Faults on order: which call meets one, and what happens to it then.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::call::CallName;
use super::place::Place;
use super::refusal::{Exception, HandlerErrorCode};

/// A fault that waits for its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fault {
    /// Its number, given when it is armed.
    #[serde(default)]
    pub id: u64,
    /// Only calls of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<CallName>,
    /// Only calls for this type.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// Only calls for this identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Only calls of this account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Only calls in this region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The n-th such call from now, counted from 1.
    #[serde(default = "one")]
    pub nth: u64,
    /// So many calls in a row from then on.
    #[serde(default = "one")]
    pub times: u64,
    /// What happens to it.
    #[serde(flatten)]
    pub effect: Effect,
}

const fn one() -> u64 {
    1
}

/// Whether a fault comes before the call does anything, or after it has done all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Nothing has happened.
    Before,
    /// Everything has happened; only the caller does not hear of it.
    After,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "kebab-case")]
pub enum Effect {
    /// It is answered by an exception.
    #[serde(rename_all = "camelCase")]
    Exception {
        /// Which.
        exception: Exception,
        /// In these words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// Before or after it takes effect.
        #[serde(default = "before")]
        when: When,
    },
    /// The connection is closed without an answer.
    #[serde(rename_all = "camelCase")]
    DropReply {
        /// Before or after it takes effect.
        #[serde(default = "after")]
        when: When,
    },
    /// The answer comes late.
    #[serde(rename_all = "camelCase")]
    Delay {
        /// By so many milliseconds.
        millis: u64,
    },
    /// The write is accepted, and its request fails.
    #[serde(rename_all = "camelCase")]
    Fail {
        /// With this code.
        code: HandlerErrorCode,
        /// In these words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// With an identifier: the effect is there though the request failed.
        #[serde(default)]
        identifier: bool,
    },
    /// The write is accepted, and its request never ends.
    Hang,
}

const fn before() -> When {
    When::Before
}

const fn after() -> When {
    When::After
}

/// What a call is, as far as faults care.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its name.
    pub name: CallName,
    /// The type it names.
    pub type_name: Option<&'a str>,
    /// The identifier it names.
    pub identifier: Option<&'a str>,
    /// Where.
    pub place: &'a Place,
}

impl Fault {
    fn is_for(&self, target: &Target<'_>) -> bool {
        let fits = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == found)
        };
        self.operation.is_none_or(|name| name == target.name)
            && fits(&self.type_name, target.type_name)
            && fits(&self.identifier, target.identifier)
            && fits(&self.account, Some(target.place.account()))
            && fits(&self.region, Some(target.place.region()))
    }
}

/// What a call meets: several faults may wait for one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Met {
    /// The effects, in the order in which they were armed.
    pub effects: Vec<Effect>,
    /// The faults that are armed afterwards, where that is another list.
    pub left: Option<Vec<Fault>>,
}

/// What a call meets among the armed faults, and which of them are left.
pub fn meet(faults: &[Fault], target: &Target<'_>) -> Met {
    if !faults.iter().any(|fault| fault.is_for(target)) {
        return Met::default();
    }
    let mut met = Met::default();
    let mut left = Vec::with_capacity(faults.len());
    for fault in faults {
        let mut fault = fault.clone();
        if fault.is_for(target) {
            if fault.nth > 1 {
                fault.nth -= 1;
            } else {
                met.effects.push(fault.effect.clone());
                fault.times = fault.times.saturating_sub(1);
            }
        }
        if fault.times > 0 {
            left.push(fault);
        }
    }
    met.left = Some(left);
    met
}

impl Met {
    /// How long the answer is held back.
    pub fn delay(&self) -> Duration {
        let millis = self.effects.iter().map(|effect| match effect {
            Effect::Delay { millis } => *millis,
            _ => 0,
        });
        Duration::from_millis(millis.fold(0, u64::saturating_add))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(json: &str) -> Fault {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_nth_call_of_its_kind_meets_the_fault_so_many_times() {
        let place = Place::default();
        let target = |name| Target { name, type_name: Some("AWS::EC2::VPC"), identifier: None, place: &place };
        let mut faults = vec![fault(
            r#"{"operation": "CreateResource", "nth": 2, "times": 2, "effect": "drop-reply"}"#,
        )];
        let mut hits = Vec::new();
        for name in [
            CallName::CreateResource,
            CallName::GetResource,
            CallName::CreateResource,
            CallName::CreateResource,
            CallName::CreateResource,
        ] {
            let met = meet(&faults, &target(name));
            hits.push(met.effects.len());
            faults = met.left.unwrap_or(faults);
        }
        assert_eq!(hits, [0, 0, 1, 1, 0]);
        assert!(faults.is_empty());
    }

    #[test]
    fn a_fault_is_written_as_it_is_read() {
        for text in [
            r#"{"id":1,"nth":1,"times":1,"effect":"exception","exception":"ThrottlingException","when":"before"}"#,
            r#"{"id":2,"operation":"CreateResource","type":"AWS::EC2::VPC","nth":3,"times":1,"effect":"fail","code":"ServiceInternalError","identifier":true}"#,
            r#"{"id":3,"nth":1,"times":9,"effect":"delay","millis":250}"#,
            r#"{"id":4,"nth":1,"times":1,"effect":"hang"}"#,
        ] {
            assert_eq!(serde_json::to_string(&fault(text)).unwrap(), text);
        }
    }
}
