//! Modules: which there are after loops and conditions, and what each of them comes to.

use std::collections::BTreeMap;

use std::sync::Arc;

use hangar_diag::Diagnostic;

use super::Start;
use super::instances::Addressed;
use crate::codes;
use crate::deployment::Inputs;
use crate::evaluate::{MOST_NODES, ModuleInstance, Origin, Round, Scope, with_round};
use crate::functions::unique_string_of;
use crate::ir::{Expression, ExpressionKind, ModuleDeclaration};
use crate::source::{Problem, add};
use crate::types::describe;
use crate::value::{Data, Value};

/// Declarations of all modules together.
const MOST_DECLARATIONS: usize = 1_000_000;

/// The longest name of a deployment, as ARM has it.
const LONGEST_TITLE: usize = 64;

impl Start<'_> {
    /// Finds the instances of a module, and all that is in them.
    pub(super) fn module(&mut self, index: usize) {
        let declared = &self.unit.modules[index];
        if let Some(scope) = declared.scope.as_ref().filter(|it| !is_this_group(it)) {
            let message = "Hangar can deploy a module only to the group of its template";
            let hint = "remove `scope`, or write `resourceGroup()`; to use another group, deploy the file \
                separately with `-g`";
            let diagnostic = Diagnostic::error(codes::MODULE_SCOPE, message);
            let problem = self.evaluator.problem(diagnostic.at(scope.span, "").hint(hint));
            add(&mut self.problems, vec![problem]);
            return;
        }
        let path = format!("{}{}", self.frame.prefix, declared.name.text);
        let rounds = match self.rounds(declared.repeat.as_ref(), path) {
            Ok(rounds) => rounds,
            Err(found) => return add(&mut self.problems, found),
        };
        let mut instances = Vec::with_capacity(rounds.len());
        for round in rounds {
            match self.module_instance(index, declared, round) {
                Ok(instance) => instances.push(instance),
                Err(found) => return add(&mut self.problems, found),
            }
        }
        // Set once: each module is in the order once.
        let _ = self.frame.modules[index].set(instances);
    }

    /// One instance; nothing where the condition is false, and then what it is given is never looked at.
    fn module_instance(
        &mut self,
        index: usize,
        declared: &ModuleDeclaration,
        (address, round): Addressed,
    ) -> Result<Option<ModuleInstance>, Vec<Problem>> {
        let condition = declared.condition.as_ref();
        if !with_round(&round, |scope| self.condition(condition, scope))? {
            return Ok(None);
        }
        self.count(declared)?;
        let title = self.title(declared, &round)?;
        let shared = self.evaluator.shared;
        let around = self.frame.inputs.as_ref().unwrap_or(&shared.facts.inputs);
        let name = match &title.data {
            Data::String(text) => text.to_string(),
            _ => address.to_string(),
        };
        let (parameters, group) = (BTreeMap::new(), around.group.clone());
        let (account, region) = (around.account.clone(), around.region.clone());
        // The module's values are in the template, not in a parameters file.
        let parameter_places = BTreeMap::new();
        // Those of the deployment are read of the root's inputs.
        let moments = BTreeMap::new();
        let inputs = Inputs {
            parameters,
            parameter_places,
            group,
            name,
            account,
            region,
            moments,
            ..*around
        };
        let origin =
            Origin { parent: Arc::downgrade(self.frame), module: index, round: round.clone() };
        let prefix = format!("{address}/").into();
        let frame = shared.facts.frame(shared.units, declared.unit, prefix, origin, inputs);
        let frame = Arc::new(frame);
        let mut inside = Start::new(self.evaluator.of_frame(&frame), &frame, self.tally);
        inside.begin();
        let found = inside.problems;
        add(&mut self.problems, found);
        Ok(Some(ModuleInstance { round, title, frame }))
    }

    /// Refuses more modules than anybody can have meant.
    fn count(&self, declared: &ModuleDeclaration) -> Result<(), Vec<Problem>> {
        let unit = &self.evaluator.shared.units.list[declared.unit];
        let size = unit.parameters.len()
            + unit.variables.len()
            + unit.resources.len()
            + unit.modules.len()
            + unit.extensions.len();
        let (modules, declarations) =
            (self.tally.modules.get() + 1, self.tally.declarations.get() + size);
        self.tally.modules.set(modules);
        self.tally.declarations.set(declarations);
        if modules > MOST_NODES || declarations > MOST_DECLARATIONS {
            // One message is enough; each of the other modules would have the same.
            if self.tally.is_exceeded.replace(true) {
                return Err(Vec::new());
            }
            let message = format!(
                "the template has more than {MOST_NODES} modules, or the modules are too large"
            );
            let hint = "use fewer modules, or a loop over resources in one module";
            let span = declared.name.span;
            return self.evaluator.fail_with(codes::TOO_MANY_MODULES, span, message, hint);
        }
        Ok(())
    }

    /// What the deployment of a module is called: what it says, or else a name as Bicep makes it.
    fn title(&self, declared: &ModuleDeclaration, round: &Round) -> Result<Value, Vec<Problem>> {
        let Some(title) = &declared.title else {
            return Ok(Value::string(self.made_title(&declared.name.text, round)));
        };
        with_round(round, |scope| self.stated_title(title, scope))
    }

    fn stated_title(&self, title: &Expression, scope: Scope<'_>) -> Result<Value, Vec<Problem>> {
        let value = self.known_at_start(title, scope, codes::NOT_KNOWN_AT_START)?;
        match &value.data {
            _ if value.secret => {
                let message = "a secret cannot be the name of a module, because names are shown";
                self.evaluator.fail(codes::BAD_ALIAS, title.span, message)
            }
            Data::String(_) | Data::Unknown(_) => Ok(value),
            _ => {
                let message = format!("`name`: expected `string`, found {}", describe(&value));
                self.evaluator.fail(codes::WRONG_PROPERTY, title.span, message)
            }
        }
    }

    fn made_title(&self, symbol: &str, round: &Round) -> String {
        let facts = self.evaluator.shared.facts;
        let around = &self.frame.inputs.as_ref().unwrap_or(&facts.inputs).name;
        let hash = unique_string_of(&[symbol, around]);
        let index = match round {
            Some((_, Value { data: Data::Int(index), .. })) => format!("-{index}"),
            _ => String::new(),
        };
        let room = LONGEST_TITLE.saturating_sub(hash.len() + index.len() + 1);
        let symbol: String = symbol.chars().take(room).collect();
        format!("{symbol}{index}-{hash}")
    }
}

/// `resourceGroup()`, which a module is deployed to anyway.
fn is_this_group(scope: &Expression) -> bool {
    matches!(&scope.kind, ExpressionKind::Call(call)
        if call.function.name == "resourceGroup" && call.arguments.is_empty())
}
