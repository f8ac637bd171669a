//! What is known of a deployment once it has begun: inputs, and for each file that takes part its parameters and
//! one instance for each resource and module that loops and conditions leave.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use hangar_ids::{AccountId, Region};

use super::{Evaluated, Scope};
use crate::deployment::{DefaultMoment, Inputs};
use crate::ir::{Unit, Units};
use crate::value::{Because, Value};

/// What holds for all evaluations of one deployment.
pub(crate) struct Facts {
    pub(crate) inputs: Inputs,
    /// The template itself.
    pub(crate) root: Arc<Frame>,
    /// For each file, where its constants and functions are evaluated: apart from any deployment of it.
    pub(crate) libraries: Vec<Frame>,
    /// For each node, its properties with nothing known: what of them is secret is secret later.
    pub(crate) outlines: OnceLock<Vec<Option<Value>>>,
    /// The moments of defaults, by the address of their parameter.
    moments: Mutex<BTreeMap<String, DefaultMoment>>,
    next_frame: AtomicUsize,
}

/// One deployment of a file: the template, or a module of it. Each part is set once, when it is first needed.
pub(crate) struct Frame {
    /// Its number; no two frames of a deployment have the same.
    pub(crate) id: usize,
    /// Its file, by its place in the list of units.
    pub(crate) unit: usize,
    /// The module that it is; nothing for the template.
    pub(crate) origin: Option<Origin>,
    /// What stands before the addresses of its resources: `net[0]/`.
    pub(crate) prefix: Arc<str>,
    /// The inputs as its functions see them, where they differ.
    pub(crate) inputs: Option<Inputs>,
    pub(crate) parameters: Vec<OnceLock<Evaluated>>,
    /// Those variables that reach no resource.
    pub(crate) variables: Vec<OnceLock<Evaluated>>,
    /// For each resource that is declared, its instances; nothing for one that a condition left out.
    pub(crate) instances: Vec<OnceLock<Vec<Option<Instance>>>>,
    /// The same for modules.
    pub(crate) modules: Vec<OnceLock<Vec<Option<ModuleInstance>>>>,
    /// For each extension, what it is configured with.
    pub(crate) settings: Vec<OnceLock<Settings>>,
}

/// Where a frame comes from.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The frame that has the module. It lives as long as its parts do: it holds them.
    pub(crate) parent: Weak<Frame>,
    /// The module, by its place in the parent's file.
    pub(crate) module: usize,
    pub(crate) round: Round,
}

/// One module after loops and conditions.
pub(crate) struct ModuleInstance {
    pub(crate) round: Round,
    /// What its deployment is called.
    pub(crate) title: Value,
    pub(crate) frame: Arc<Frame>,
}

/// The item and the index of a loop.
pub(crate) type Round = Option<(Value, Value)>;

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
    pub(crate) round: Round,
    pub(crate) alias: Option<Value>,
    /// Its place in the list of nodes, once there is one.
    pub(crate) node: OnceLock<usize>,
}

impl Instance {
    pub(crate) fn node(&self) -> usize {
        self.node.get().copied().unwrap_or(usize::MAX)
    }

    /// Calls `run` with the locals of its body.
    pub(crate) fn with_scope<T>(&self, run: impl FnOnce(Scope<'_>) -> T) -> T {
        with_round(&self.round, run)
    }
}

/// What loops make: resources and modules.
pub(crate) trait Repeated {
    fn round(&self) -> &Round;

    /// Why it stands for all rounds of a loop whose list is not known: the template is only looked at.
    fn stands_for_all(&self) -> Option<&Because> {
        let (_, index) = self.round().as_ref()?;
        Some(&index.is_unknown()?.because)
    }
}

impl Repeated for Instance {
    fn round(&self) -> &Round {
        &self.round
    }
}

impl Repeated for ModuleInstance {
    fn round(&self) -> &Round {
        &self.round
    }
}

/// Calls `run` with the locals of a loop's round.
pub(crate) fn with_round<T>(round: &Round, run: impl FnOnce(Scope<'_>) -> T) -> T {
    match round {
        None => run(Scope::EMPTY),
        Some((item, index)) => {
            let outer = Scope::EMPTY.local_at(0, item);
            let inner = Scope::inside(&outer).local_at(1, index);
            run(Scope::inside(&inner))
        }
    }
}

/// Which of the instances an index into so many names.
pub(crate) fn position<T: Repeated>(
    instances: &[Option<T>],
    to: impl Fn(usize) -> Option<usize>,
) -> Option<usize> {
    match instances {
        [Some(only)] if only.stands_for_all().is_some() => Some(0),
        instances => to(instances.len()),
    }
}

impl Facts {
    pub(crate) fn new(units: &Units, inputs: Inputs) -> Self {
        let libraries = units.list.iter().enumerate();
        let libraries: Vec<Frame> =
            libraries.map(|(unit, it)| Frame::new(unit + 1, unit, it, "".into())).collect();
        let root = Frame::new(0, units.entry, units.entry(), "".into());
        Self {
            inputs,
            root: Arc::new(root),
            next_frame: AtomicUsize::new(libraries.len() + 1),
            libraries,
            outlines: OnceLock::new(),
            moments: Mutex::default(),
        }
    }

    /// The moments that were noted so far.
    pub(crate) fn moments(&self) -> BTreeMap<String, DefaultMoment> {
        self.moments.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes the moment of a default.
    pub(crate) fn note_moment(&self, address: &str, moment: DefaultMoment) {
        let mut moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner);
        moments.insert(address.to_owned(), moment);
    }

    /// A frame for a module.
    pub(crate) fn frame(
        &self,
        units: &Units,
        unit: usize,
        prefix: Arc<str>,
        origin: Origin,
        inputs: Inputs,
    ) -> Frame {
        let id = self.next_frame.fetch_add(1, Ordering::Relaxed);
        let frame = Frame::new(id, unit, &units.list[unit], prefix);
        Frame { origin: Some(origin), inputs: Some(inputs), ..frame }
    }
}

impl Frame {
    fn new(id: usize, unit: usize, file: &Unit, prefix: Arc<str>) -> Self {
        fn empty<T>(count: usize) -> Vec<OnceLock<T>> {
            std::iter::repeat_with(OnceLock::new).take(count).collect()
        }
        Self {
            id,
            unit,
            origin: None,
            prefix,
            inputs: None,
            parameters: empty(file.parameters.len()),
            variables: empty(file.variables.len()),
            instances: empty(file.resources.len()),
            modules: empty(file.modules.len()),
            settings: empty(file.extensions.len()),
        }
    }

    /// The instances of a resource; none before they are known.
    pub(crate) fn instances_of(&self, resource: usize) -> &[Option<Instance>] {
        self.instances.get(resource).and_then(OnceLock::get).map_or(&[], Vec::as_slice)
    }

    /// The instances of a module; none before they are known.
    pub(crate) fn modules_of(&self, module: usize) -> &[Option<ModuleInstance>] {
        self.modules.get(module).and_then(OnceLock::get).map_or(&[], Vec::as_slice)
    }

    /// The frames of all its modules, in the order of their declarations.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Arc<Frame>> {
        let modules = (0..self.modules.len()).flat_map(|it| self.modules_of(it));
        modules.flatten().map(|it| &it.frame)
    }
}
