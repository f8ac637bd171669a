//! The keyed hash of everything that a plan for a new group does not show: secure parameters, and the documents with
//! their secrets.
//!
//! Such a plan is made without an operation, so it has no seal of a look at AWS. The key stays with the control plane:
//! whoever has the plan file cannot guess a secret from the hash.

use hangar_plan::deployment::stating;
use hangar_plan::record::{AwsScope, DeploymentName};
use hangar_store::keys::Keys;
use hangar_template::deployment::{GroupFacts, NothingKnown};
use hangar_template::program::compile;
use hangar_template::source::Sources;
use serde_json::{Map, Value, json};

use super::envelope::{Charter, Terms};
use super::kept::KeptDefaults;
use crate::ask::DeploymentAsk;
use crate::engine::Shared;

/// The part of a deployment's keyed hashes that this one is.
const PART: &str = "new-group";

/// The hash of a template for a group that does not exist; none if the template cannot be evaluated.
pub(crate) fn fresh_seal(shared: &Shared, ask: &DeploymentAsk) -> Option<String> {
    let scope = ask.scope.as_ref().or(shared.config.default_scope.as_ref());
    let group = &ask.name.group;
    let charter = Charter::new(Terms {
        sources: &ask.sources,
        entry: &ask.entry,
        parameters: &ask.parameters,
        scope,
        group: GroupFacts { id: group.id(), name: group.group.clone(), ..GroupFacts::default() },
        leave: ask.leave,
        plan: None,
        defaults: KeptDefaults::default(),
    });
    let content = content(&charter, &ask.sources, &ask.name.name, scope)?;
    Some(shared.keys.plan_mac(None, &about(&ask.name), PART, &content))
}

/// Whether a hash is the one of what a run would do.
pub(super) fn is_seal_of(
    seal: &str,
    keys: &Keys,
    charter: &Charter,
    sources: &Sources,
    name: &DeploymentName,
) -> bool {
    content(charter, sources, &name.name, charter.scope.as_ref())
        .is_some_and(|content| keys.is_plan_mac_of(seal, &about(name), PART, &content))
}

fn about(name: &DeploymentName) -> String {
    name.id().to_ascii_lowercase()
}

/// All that the hash covers, as far as it is known before anything exists. It can be secret.
fn content(
    charter: &Charter,
    sources: &Sources,
    name: &str,
    scope: Option<&AwsScope>,
) -> Option<Value> {
    let inputs = charter.fresh_inputs(name, scope);
    let program = compile(sources, &charter.entry).program?;
    // A value that is made of a secret and of something unknown is in no document yet.
    let mut secure = Map::new();
    for parameter in program.parameters().iter().filter(|parameter| parameter.secure) {
        let is_it = |name: &&String| name.eq_ignore_ascii_case(&parameter.name);
        if let Some(given) = inputs.parameters.keys().find(is_it) {
            secure.insert(parameter.name.to_string(), inputs.parameters[given].clone());
        }
    }
    let deployment = program.start(&inputs).deployment?;
    let mut documents = Vec::new();
    for (index, node) in deployment.nodes().iter().enumerate() {
        let stated = match deployment.body(index, &NothingKnown) {
            Ok(body) => stating(&body.properties).properties,
            Err(_) => Value::Null,
        };
        documents.push(json!({"address": &*node.address, "stated": stated}));
    }
    Some(json!({"version": 1, "secure": secure, "documents": documents}))
}
