//! What is known of a deployment once it has begun: inputs, parameters, and one instance for each resource
//! that loops and conditions leave.

use std::sync::{Arc, OnceLock};

use hangar_ids::{AccountId, Region};

use super::{Evaluated, Scope};
use crate::deployment::Inputs;
use crate::ir::Unit;
use crate::value::{Because, Value};

/// What holds for all evaluations of one deployment. Each part is set once, when it is first needed.
pub(crate) struct Facts {
    pub(crate) inputs: Inputs,
    pub(crate) parameters: Vec<OnceLock<Evaluated>>,
    /// Those variables that reach no resource.
    pub(crate) variables: Vec<OnceLock<Evaluated>>,
    /// For each resource that is declared, its instances; nothing for one that a condition left out.
    pub(crate) instances: Vec<OnceLock<Vec<Option<Instance>>>>,
    /// For each extension, what it is configured with.
    pub(crate) settings: Vec<OnceLock<Settings>>,
    /// For each node, its properties with nothing known: what of them is secret is secret later.
    pub(crate) outlines: OnceLock<Vec<Option<Value>>>,
}

/// What an extension is configured with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    pub(crate) account: Option<AccountId>,
    pub(crate) region: Option<Region>,
    /// The inputs as the functions of the extension see them, where they differ.
    pub(crate) inputs: Option<Arc<Inputs>>,
}

/// One resource after loops and conditions.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) address: Arc<str>,
    /// The item and the index of its loop.
    pub(crate) round: Option<(Value, Value)>,
    pub(crate) alias: Option<Value>,
    /// Its place in the list of nodes, once there is one.
    pub(crate) node: OnceLock<usize>,
}

impl Instance {
    /// Why it stands for all rounds of a loop whose list is not known: the template is only looked at.
    pub(crate) fn stands_for_all(&self) -> Option<&Because> {
        let (_, index) = self.round.as_ref()?;
        Some(&index.is_unknown()?.because)
    }

    pub(crate) fn node(&self) -> usize {
        self.node.get().copied().unwrap_or(usize::MAX)
    }

    /// Calls `run` with the locals of its body.
    pub(crate) fn with_scope<T>(&self, run: impl FnOnce(Scope<'_>) -> T) -> T {
        match &self.round {
            None => run(Scope::EMPTY),
            Some((item, index)) => {
                let outer = Scope::EMPTY.local_at(0, item);
                let inner = Scope::inside(&outer).local_at(1, index);
                run(Scope::inside(&inner))
            }
        }
    }
}

impl Facts {
    pub(crate) fn new(unit: &Unit, inputs: Inputs) -> Self {
        fn empty<T>(count: usize) -> Vec<OnceLock<T>> {
            std::iter::repeat_with(OnceLock::new).take(count).collect()
        }
        Self {
            inputs,
            parameters: empty(unit.parameters.len()),
            variables: empty(unit.variables.len()),
            instances: empty(unit.resources.len()),
            settings: empty(unit.extensions.len()),
            outlines: OnceLock::new(),
        }
    }

    /// Which instance an index into so many names.
    pub(crate) fn position(
        &self,
        resource: usize,
        to: impl Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        match self.instances_of(resource) {
            [Some(only)] if only.stands_for_all().is_some() => Some(0),
            instances => to(instances.len()),
        }
    }

    /// The instances of a resource; none before they are known.
    pub(crate) fn instances_of(&self, resource: usize) -> &[Option<Instance>] {
        self.instances.get(resource).and_then(OnceLock::get).map_or(&[], Vec::as_slice)
    }
}
