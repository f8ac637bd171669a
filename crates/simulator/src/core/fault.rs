//! Faults on order: which call meets one, and what happens to it then.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::call::CallName;
use super::place::Place;
use super::refusal::{Exception, HandlerErrorCode};

/// A fault that waits for its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Fault {
    /// Its number, given when it is armed.
    pub id: u64,
    /// Only calls of this name.
    pub operation: Option<CallName>,
    /// Only calls for this type.
    pub type_name: Option<String>,
    /// Only calls for this identifier.
    pub identifier: Option<String>,
    /// Only calls of this account.
    pub account: Option<String>,
    /// Only calls in this region.
    pub region: Option<String>,
    /// The n-th such call from now, counted from 1.
    pub nth: u64,
    /// So many calls in a row from then on.
    pub times: u64,
    /// What happens to it.
    pub effect: Effect,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// It is answered by an exception.
    Exception {
        /// Which.
        exception: Exception,
        /// In these words.
        message: Option<String>,
        /// Before or after it takes effect.
        when: When,
    },
    /// The connection is closed without an answer.
    DropReply {
        /// Before or after it takes effect.
        when: When,
    },
    /// The answer comes late.
    Delay {
        /// By so many milliseconds.
        millis: u64,
    },
    /// The write is accepted, and its request fails.
    Fail {
        /// With this code.
        code: HandlerErrorCode,
        /// In these words.
        message: Option<String>,
        /// With an identifier: the effect is there though the request failed.
        with_identifier: bool,
    },
    /// The write is accepted, and its request never ends.
    Hang,
}

impl Effect {
    /// Whether the caller gets something else than the answer.
    const fn ends_the_call(&self) -> bool {
        matches!(self, Self::Exception { .. } | Self::DropReply { .. })
    }

    /// Whether it befalls the request that a write makes, and not the call.
    const fn is_for_writes(&self) -> bool {
        matches!(self, Self::Fail { .. } | Self::Hang)
    }
}

/// A fault as it is written in JSON: one flat object.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    #[serde(default)]
    id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operation: Option<CallName>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    type_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identifier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nth: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    effect: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    when: Option<When>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exception: Option<Exception>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<HandlerErrorCode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    with_identifier: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    millis: Option<u64>,
}

/// As long as AWS's messages are; also what keeps many faults small.
const MAX_TEXT: usize = 2048;

/// So many faults may be armed.
pub const MAX_FAULTS: usize = 1000;

/// The words for effects.
const EFFECTS: &str = "exception, drop-reply, delay, fail, hang";

impl TryFrom<Written> for Fault {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let needs = |what: &str| format!("the effect `{}` requires `{what}`", written.effect);
        let effect = match written.effect.as_str() {
            "exception" => Effect::Exception {
                exception: written.exception.ok_or_else(|| needs("exception"))?,
                message: written.message.clone(),
                when: written.when.unwrap_or(When::Before),
            },
            "drop-reply" => Effect::DropReply { when: written.when.unwrap_or(When::After) },
            "delay" => Effect::Delay { millis: written.millis.ok_or_else(|| needs("millis"))? },
            "fail" => Effect::Fail {
                code: written.code.ok_or_else(|| needs("code"))?,
                message: written.message.clone(),
                with_identifier: written.with_identifier.unwrap_or(false),
            },
            "hang" => Effect::Hang,
            other => return Err(format!("`{other}` is not an effect: use one of {EFFECTS}")),
        };
        if effect.is_for_writes() && written.operation.is_some_and(|name| !name.is_write()) {
            return Err(format!(
                "the effect `{}` applies only to writes: CreateResource, UpdateResource or DeleteResource",
                written.effect
            ));
        }
        let (nth, times) = (written.nth.unwrap_or(1), written.times.unwrap_or(1));
        let is_account =
            |it: &str| (1..=12).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(account) = written.account.as_deref().filter(|it| !is_account(it)) {
            return Err(format!("`{account}` is not an account: write 1 to 12 digits"));
        }
        let texts = [&written.type_name, &written.identifier, &written.region, &written.message];
        if texts.into_iter().flatten().any(|text| text.len() > MAX_TEXT) {
            return Err(format!("a string in a fault can have at most {MAX_TEXT} bytes"));
        }
        if nth == 0 || times == 0 {
            return Err("`nth` and `times` must be at least 1".to_owned());
        }
        let fault = Self {
            id: written.id,
            operation: written.operation,
            type_name: written.type_name.clone(),
            identifier: written.identifier.clone(),
            account: written.account.clone(),
            region: written.region.clone(),
            nth,
            times,
            effect,
        };
        // What the effect has no use for was meant for another one.
        let used = Written::from(fault.clone());
        let stray = [
            ("when", written.when.is_some() && used.when.is_none()),
            ("exception", written.exception.is_some() && used.exception.is_none()),
            ("code", written.code.is_some() && used.code.is_none()),
            ("message", written.message.is_some() && used.message.is_none()),
            ("withIdentifier", written.with_identifier.is_some() && used.with_identifier.is_none()),
            ("millis", written.millis.is_some() && used.millis.is_none()),
        ];
        match stray.iter().find(|(_, is_stray)| *is_stray) {
            Some((name, _)) => {
                Err(format!("the effect `{}` does not accept `{name}`", written.effect))
            }
            None => Ok(fault),
        }
    }
}

impl From<Fault> for Written {
    fn from(fault: Fault) -> Self {
        let mut written = Self {
            id: fault.id,
            operation: fault.operation,
            type_name: fault.type_name,
            identifier: fault.identifier,
            account: fault.account,
            region: fault.region,
            nth: Some(fault.nth),
            times: Some(fault.times),
            ..Self::default()
        };
        match fault.effect {
            Effect::Exception { exception, message, when } => {
                "exception".clone_into(&mut written.effect);
                (written.exception, written.message) = (Some(exception), message);
                written.when = Some(when);
            }
            Effect::DropReply { when } => {
                "drop-reply".clone_into(&mut written.effect);
                written.when = Some(when);
            }
            Effect::Delay { millis } => {
                "delay".clone_into(&mut written.effect);
                written.millis = Some(millis);
            }
            Effect::Fail { code, message, with_identifier } => {
                "fail".clone_into(&mut written.effect);
                (written.code, written.message) = (Some(code), message);
                written.with_identifier = Some(with_identifier);
            }
            Effect::Hang => "hang".clone_into(&mut written.effect),
        }
        written
    }
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
    /// Whether it waits for the same calls to do the same, whatever its number and however often
    /// it has met one.
    pub fn is_like(&self, other: &Self) -> bool {
        Self { id: other.id, nth: other.nth, times: other.times, ..self.clone() } == *other
    }

    fn is_for(&self, target: &Target<'_>) -> bool {
        let fits = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == found)
        };
        self.operation.is_none_or(|name| name == target.name)
            && (target.name.is_write() || !self.effect.is_for_writes())
            && fits(&self.type_name, target.type_name)
            && fits(&self.identifier, target.identifier)
            && self.account.as_ref().is_none_or(|it| format!("{it:0>12}") == target.place.account())
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
        // A call has one end: a second fault that would end it waits for another call.
        let is_late = fault.nth == 1
            && fault.effect.ends_the_call()
            && met.effects.iter().any(Effect::ends_the_call);
        if fault.is_for(target) && !is_late {
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
        let target = |name| Target {
            name,
            type_name: Some("AWS::EC2::VPC"),
            identifier: None,
            place: &place,
        };
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
            r#"{"id":1,"nth":1,"times":1,"effect":"exception","when":"before","exception":"ThrottlingException"}"#,
            r#"{"id":2,"operation":"CreateResource","type":"AWS::EC2::VPC","nth":3,"times":1,"effect":"fail","code":"ServiceInternalError","withIdentifier":true}"#,
            r#"{"id":3,"nth":1,"times":9,"effect":"delay","millis":250}"#,
            r#"{"id":4,"nth":1,"times":1,"effect":"hang"}"#,
        ] {
            assert_eq!(serde_json::to_string(&fault(text)).unwrap(), text);
        }
    }

    #[test]
    fn what_is_wrong_with_a_fault_is_told() {
        for (text, words) in [
            (r#"{"effect":"explode"}"#, "exception, drop-reply"),
            (r#"{"effect":"delay"}"#, "requires `millis`"),
            (r#"{"effect":"hang","millis":1}"#, "does not accept `millis`"),
            (r#"{"effect":"hang","nth":0}"#, "must be at least 1"),
            (r#"{"effect":"hang","account":"abc"}"#, "write 1 to 12 digits"),
            (r#"{"effect":"fail","code":"Nope"}"#, "GeneralServiceException"),
            (r#"{"effect":"hang","operation":"PutResource"}"#, "CreateResource"),
            (r#"{"effect":"hang","operation":"GetResource"}"#, "applies only to writes"),
            (r#"{"effect":"hang","typ":"AWS::EC2::VPC"}"#, "unknown field `typ`"),
        ] {
            let error = serde_json::from_str::<Fault>(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
