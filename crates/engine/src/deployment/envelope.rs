//! All that a run rests on, sealed with its operation: whoever drives it evaluates the same template with the
//! same values, and the clock and the dice are those of its acceptance.

use std::collections::BTreeMap;

use hangar_plan::deployment::{OnRemove, Planned};
use hangar_plan::operation::OperationId;
use hangar_plan::record::AwsScope;
use hangar_store::keys::Keys;
use hangar_template::deployment::{GroupFacts, Inputs, MissingParameter};
use hangar_template::source::Sources;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kept::{KeptDefaults, Moments};
use crate::ask::{DefaultValues, Leave, Reach};
use crate::hash::sha256;

/// The content of a run's envelope.
#[derive(Clone, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each was asked for by itself, and is kept so")]
pub(crate) struct Charter {
    /// Files that are text, by path.
    texts: BTreeMap<String, String>,
    /// All others, as numbers; they are few and small.
    assets: BTreeMap<String, Vec<u8>>,
    pub(crate) entry: String,
    pub(crate) parameters: BTreeMap<String, Value>,
    pub(crate) scope: Option<AwsScope>,
    group_id: String,
    group_name: String,
    location: String,
    tags: BTreeMap<String, String>,
    replace: bool,
    adopt: bool,
    skip_unsupported: bool,
    #[serde(default)]
    take_over: bool,
    #[serde(default)]
    on_remove: OnRemove,
    /// The plan that the run is held to.
    #[serde(default)]
    pub(crate) plan: Option<Planned>,
    /// The moments of defaults that earlier runs evaluated, or the plan.
    #[serde(default)]
    pub(crate) defaults: KeptDefaults,
}

/// What a run is told of its template and its group.
pub(crate) struct Terms<'a> {
    pub(crate) sources: &'a Sources,
    pub(crate) entry: &'a str,
    pub(crate) parameters: &'a BTreeMap<String, Value>,
    pub(crate) scope: Option<&'a AwsScope>,
    pub(crate) group: GroupFacts,
    pub(crate) leave: Leave,
    pub(crate) plan: Option<&'a Planned>,
    pub(crate) defaults: KeptDefaults,
}

impl Charter {
    /// Everything that the run will need.
    pub(crate) fn new(terms: Terms<'_>) -> Self {
        let mut texts = BTreeMap::new();
        let mut assets = BTreeMap::new();
        for (path, content) in terms.sources.iter() {
            match std::str::from_utf8(content) {
                Ok(text) => drop(texts.insert(path.to_owned(), text.to_owned())),
                Err(_) => drop(assets.insert(path.to_owned(), content.to_vec())),
            }
        }
        let GroupFacts { id, name, location, tags } = terms.group;
        let Leave { replace, adopt, skip_unsupported, reach, on_remove, defaults: _ } = terms.leave;
        Self {
            texts,
            assets,
            entry: terms.entry.to_owned(),
            parameters: terms.parameters.clone(),
            scope: terms.scope.cloned(),
            group_id: id,
            group_name: name,
            location,
            tags,
            replace,
            adopt,
            skip_unsupported,
            take_over: reach == Reach::TakeOver,
            on_remove,
            plan: terms.plan.cloned(),
            defaults: terms.defaults,
        }
    }

    /// Sealed for the row of one operation.
    pub(crate) fn seal(&self, keys: &Keys, id: OperationId) -> Vec<u8> {
        let content =
            serde_json::to_vec(self).expect("text for keys, and no number that cannot be printed");
        keys.seal(id.to_string().as_bytes(), &content)
    }

    /// Opened again; nothing where the envelope is not ours or not whole.
    pub(crate) fn open(keys: &Keys, id: OperationId, envelope: &[u8]) -> Option<Self> {
        let content = keys.open(id.to_string().as_bytes(), envelope).ok()?;
        serde_json::from_slice(content.expose()).ok()
    }

    /// The files.
    pub(crate) fn sources(&self) -> Sources {
        let mut sources = Sources::default();
        for (path, text) in &self.texts {
            sources.insert(path.as_str(), text.as_bytes());
        }
        for (path, content) in &self.assets {
            sources.insert(path.as_str(), content.as_slice());
        }
        sources
    }

    /// What may be done besides creating and updating.
    pub(crate) const fn leave(&self) -> Leave {
        Leave {
            replace: self.replace,
            adopt: self.adopt,
            skip_unsupported: self.skip_unsupported,
            reach: if self.take_over { Reach::TakeOver } else { Reach::Free },
            on_remove: self.on_remove,
            // They are what the run was accepted with.
            defaults: DefaultValues::Kept,
        }
    }

    /// What a template is evaluated with where nothing of its group is known yet, to go to this place.
    pub(crate) fn fresh_inputs(&self, name: &str, scope: Option<&AwsScope>) -> Inputs {
        Inputs {
            parameters: self.parameters.clone(),
            parameter_places: BTreeMap::new(),
            missing: MissingParameter::Unknown,
            group: GroupFacts {
                id: self.group_id.clone(),
                name: self.group_name.clone(),
                ..GroupFacts::default()
            },
            name: name.to_owned(),
            account: scope.map(|scope| scope.account.clone()),
            region: scope.map(|scope| scope.region.clone()),
            now: None,
            seed: None,
            moments: BTreeMap::new(),
            skip_unsupported: self.skip_unsupported,
        }
    }

    /// The inputs of a run without its clock and its dice, and without the moments that it brings: what is not known then
    /// is evaluated by the run.
    pub(crate) fn timeless_inputs(
        &self,
        name: &str,
        id: OperationId,
        began_at: hangar_plan::Timestamp,
    ) -> Inputs {
        let moments = self.defaults.moments(Moments::Settled);
        Inputs { now: None, seed: None, moments, ..self.inputs(name, id, began_at) }
    }

    /// What the template is evaluated with by the operation of this id, which began then.
    pub(crate) fn inputs(
        &self,
        name: &str,
        id: OperationId,
        began_at: hangar_plan::Timestamp,
    ) -> Inputs {
        Inputs {
            parameters: self.parameters.clone(),
            parameter_places: BTreeMap::new(),
            missing: MissingParameter::Refused,
            group: GroupFacts {
                id: self.group_id.clone(),
                name: self.group_name.clone(),
                location: self.location.clone(),
                tags: self.tags.clone(),
            },
            name: name.to_owned(),
            account: self.scope.as_ref().map(|scope| scope.account.clone()),
            region: self.scope.as_ref().map(|scope| scope.region.clone()),
            now: Some(began_at.as_micros()),
            seed: Some(seed(id)),
            moments: self.defaults.moments(Moments::All),
            skip_unsupported: self.skip_unsupported,
        }
    }
}

/// What the GUIDs of a run are made from.
fn seed(id: OperationId) -> u128 {
    let hash = sha256(&format!("{id}/guids"));
    hash.get(..32).and_then(|digits| u128::from_str_radix(digits, 16).ok()).unwrap_or_default()
}
