//! The moments of parameter defaults (`newGuid()`, `utcNow()`) that a deployment keeps, so that its next run evaluates them
//! to the same values. They are sealed in the deployment's record, and in a plan that a run may be held to.
//!
//! What is kept is the instant and the seed, not the value: a default that also reads other parameters follows them.

use std::collections::BTreeMap;

use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::DeploymentName;
use hangar_store::hex;
use hangar_store::keys::Keys;
use hangar_template::deployment::DefaultMoment;
use serde::{Deserialize, Serialize};

/// The moments of one run, by the address of the parameter.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct KeptDefaults {
    /// Those that the deployment had before the run.
    settled: BTreeMap<String, KeptMoment>,
    /// Those that the run brings: a plan shows their values as not known yet.
    #[serde(default)]
    fresh: BTreeMap<String, KeptMoment>,
}

/// A moment as it is stored.
#[derive(Clone, Serialize, Deserialize)]
struct KeptMoment {
    fingerprint: String,
    now: i64,
    /// In hexadecimal digits.
    seed: String,
}

/// Which of the moments an evaluation gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moments {
    /// All of the run.
    All,
    /// Those that were there before it.
    Settled,
}

impl KeptDefaults {
    /// Those of a run: what was kept, and what its template needs besides.
    pub(crate) fn after(&self, moments: &BTreeMap<String, DefaultMoment>) -> Self {
        let mut after = Self::default();
        for (address, moment) in moments {
            let kept = KeptMoment::of(moment);
            let was = self.settled.get(address).and_then(KeptMoment::moment);
            let part =
                if was.as_ref() == Some(moment) { &mut after.settled } else { &mut after.fresh };
            part.insert(address.clone(), kept);
        }
        after
    }

    /// Whether a template needs none.
    pub(crate) fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.fresh.is_empty()
    }

    /// What a template is evaluated with.
    pub(super) fn moments(&self, which: Moments) -> BTreeMap<String, DefaultMoment> {
        let fresh = self.fresh.iter().filter(|_| which == Moments::All);
        let all = self.settled.iter().chain(fresh);
        all.filter_map(|(address, kept)| Some((address.clone(), kept.moment()?))).collect()
    }

    /// Sealed for the deployment's record, where all are settled from then on.
    pub(crate) fn seal_for_record(&self, keys: &Keys, name: &DeploymentName) -> String {
        let mut settled = self.settled.clone();
        settled.extend(self.fresh.clone());
        let kept = Self { settled, fresh: BTreeMap::new() };
        kept.seal(keys, &associated(name, RECORD))
    }

    /// Those of a deployment's record.
    pub(crate) fn of_record(
        keys: &Keys,
        name: &DeploymentName,
        sealed: Option<&String>,
    ) -> Result<Self, Failure> {
        let Some(sealed) = sealed else { return Ok(Self::default()) };
        Self::open(keys, &associated(name, RECORD), sealed).ok_or_else(|| {
            let message = format!(
                "the parameter defaults that {} keeps cannot be decrypted with this control \
                 plane's key; restore the key, or deploy with --refresh-defaults \
                 (`\"refreshDefaults\": true`)",
                name.id()
            );
            refusal(FailureKind::Conflict, "KeptDefaultsLost", message)
        })
    }

    /// Sealed for a plan; nothing where there are none.
    pub(super) fn seal_for_plan(&self, keys: &Keys, name: &DeploymentName) -> Option<String> {
        (!self.is_empty()).then(|| self.seal(keys, &associated(name, PLAN)))
    }

    /// Those of a plan.
    pub(crate) fn of_plan(
        keys: &Keys,
        name: &DeploymentName,
        sealed: &str,
    ) -> Result<Self, Failure> {
        Self::open(keys, &associated(name, PLAN), sealed).ok_or_else(|| {
            let message = format!(
                "`keptDefaults` of the plan was not created by this control plane for {}; plan \
                 again",
                name.id()
            );
            refusal(FailureKind::Invalid, "InvalidPlan", message)
        })
    }

    fn seal(&self, keys: &Keys, associated: &str) -> String {
        let content =
            serde_json::to_vec(self).expect("text for keys, and no number that cannot be printed");
        hex::encode(&keys.seal(associated.as_bytes(), &content))
    }

    fn open(keys: &Keys, associated: &str, sealed: &str) -> Option<Self> {
        let content = keys.open(associated.as_bytes(), &hex::decode(sealed)?).ok()?;
        serde_json::from_slice(content.expose()).ok()
    }
}

impl KeptMoment {
    fn of(moment: &DefaultMoment) -> Self {
        let DefaultMoment { fingerprint, now, seed } = moment;
        Self { fingerprint: fingerprint.clone(), now: *now, seed: format!("{seed:032x}") }
    }

    fn moment(&self) -> Option<DefaultMoment> {
        let seed = u128::from_str_radix(&self.seed, 16).ok()?;
        Some(DefaultMoment { fingerprint: self.fingerprint.clone(), now: self.now, seed })
    }
}

/// Where they are sealed for: nothing opens elsewhere.
const RECORD: &str = "kept-defaults";
const PLAN: &str = "planned-defaults";

fn associated(name: &DeploymentName, part: &str) -> String {
    format!("{}/{part}", name.id().to_ascii_lowercase())
}

fn refusal(kind: FailureKind, code: &str, message: String) -> Failure {
    Failure { kind, code: code.to_owned(), message, findings: Vec::new() }
}
