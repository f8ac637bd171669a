//! Modules: what they are given, and what is read of them.

use hangar_diag::Span;

use super::access::{Absence, Reached, Step, To};
use super::facts::{Frame, ModuleInstance, Repeated, position, with_round};
use super::{Evaluated, Evaluator, Scope, all_secret};
use crate::codes;
use crate::ir::{CallUser, Imported, ParameterDeclaration};
use crate::source::{Problem, add};
use crate::value::{Data, Kind, Members, Value};

/// One instance of a module.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModuleAt {
    pub(super) module: usize,
    pub(super) instance: usize,
}

impl<'a> Evaluator<'a> {
    /// The evaluator of another frame in the same state of the world.
    pub(crate) fn of_frame<'f>(&self, frame: &'f Frame) -> Evaluator<'f>
    where
        'a: 'f,
    {
        Evaluator { shared: self.shared, frame, unit: &self.shared.units.list[frame.unit] }
    }

    /// The value that a module is given for a parameter; nothing where it is given none. A null where there is a
    /// default stands for that.
    pub(super) fn given_by_module(
        &self,
        declared: &ParameterDeclaration,
    ) -> Result<Option<Value>, Vec<Problem>> {
        let Some(origin) = &self.frame.origin else { return Ok(None) };
        let Some(parent) = origin.parent.upgrade() else { return Ok(None) };
        let around = self.of_frame(&parent);
        let module = &around.unit.modules[origin.module];
        let Some(given) = module.params.iter().find(|it| it.name.text == declared.name.text) else {
            return Ok(None);
        };
        let value = with_round(&origin.round, |scope| around.value(&given.value, scope))?;
        let table = self.table();
        let is_nullable = table.is_nullable(&declared.value_type);
        if matches!(value.data, Data::Null) && declared.default.is_some() && !is_nullable {
            return Ok(None);
        }
        let what =
            format!("the parameter `{}` of the module `{}`", declared.name.text, module.name.text);
        around.fits(&declared.value_type, &value, &what, &given.value, codes::WRONG_PROPERTY)?;
        around.check_bounds(&declared.bounds, &value, &what, given.value.span)?;
        Ok(Some(value))
    }

    pub(super) fn reach_module(&self, module: usize) -> Reached {
        let Some(instances) = self.frame.modules[module].get() else {
            // Its loop or condition is wrong, and was reported.
            return Reached::Value(super::resource::unresolved());
        };
        if self.unit.modules[module].repeat.is_some() {
            return Reached::Modules(module);
        }
        self.module_or_absence(ModuleAt { module, instance: 0 }, instances)
    }

    fn module_or_absence(&self, at: ModuleAt, instances: &[Option<ModuleInstance>]) -> Reached {
        match instances.get(at.instance) {
            Some(Some(_)) => Reached::Module(at),
            _ => Reached::Missing(Absence::LeftOut(self.unit.modules[at.module].name.text.clone())),
        }
    }

    pub(super) fn step_into_modules(
        &self,
        module: usize,
        step: &Step,
    ) -> Result<Reached, Vec<Problem>> {
        let instances = self.frame.modules_of(module);
        if let To::Member(_) = step.to {
            let message = "this is a collection of modules from a loop; select one with an index";
            return self.fail(codes::COLLECTION_READ, step.span, message);
        }
        match position(instances, |count| step.to.position(count)) {
            Some(instance) => Ok(self.module_or_absence(ModuleAt { module, instance }, instances)),
            None if step.safe => Ok(Reached::Nothing { secret: false }),
            None => Err(vec![self.no_such_item(instances.len(), step)]),
        }
    }

    pub(super) fn step_into_module(
        &self,
        at: ModuleAt,
        step: &Step,
    ) -> Result<Reached, Vec<Problem>> {
        let To::Member(name) = &step.to else {
            let message = "the index of a module must be the name of a property";
            return self.fail(codes::OBJECT_INDEX, step.span, message);
        };
        match (&**name, self.module_instance(at)) {
            ("outputs", _) => Ok(Reached::Outputs(at)),
            ("name", Some(instance)) => Ok(Reached::Value(instance.title.clone())),
            _ => Err(vec![self.no_such_member(["name", "outputs"].into_iter(), step)]),
        }
    }

    /// One output: only what it needs is looked at.
    pub(super) fn step_into_outputs(
        &self,
        at: ModuleAt,
        step: &Step,
    ) -> Result<Reached, Vec<Problem>> {
        let To::Member(name) = &step.to else {
            let message = "the index of `outputs` must be the name of an output";
            return self.fail(codes::OBJECT_INDEX, step.span, message);
        };
        let Some(instance) = self.module_instance(at) else {
            return Ok(Reached::Value(super::resource::unresolved()));
        };
        let inside = self.of_frame(&instance.frame);
        let outputs = &inside.unit.outputs;
        let Some(index) = outputs.iter().position(|it| it.name.text == *name) else {
            if step.safe {
                return Ok(Reached::Nothing { secret: false });
            }
            let names = outputs.iter().map(|it| &*it.name.text);
            return Err(vec![self.no_such_member(names, step)]);
        };
        let value = inside.output_value(index)?;
        if step.safe && matches!(value.data, Data::Null) {
            return Ok(Reached::Nothing { secret: value.secret });
        }
        Ok(Reached::Value(value))
    }

    fn module_instance(&self, at: ModuleAt) -> Option<&'a ModuleInstance> {
        self.frame.modules_of(at.module).get(at.instance)?.as_ref()
    }

    /// All outputs of a module as an object.
    pub(super) fn all_outputs(&self, at: ModuleAt) -> Evaluated {
        let Some(instance) = self.module_instance(at) else {
            return Ok(super::resource::unresolved());
        };
        let inside = self.of_frame(&instance.frame);
        let mut members = Members::new();
        for (index, output) in inside.unit.outputs.iter().enumerate() {
            members.insert(output.name.text.clone(), inside.output_value(index)?);
        }
        Ok(Value::object(members))
    }

    /// A module as an object.
    pub(super) fn whole_module(&self, at: ModuleAt) -> Evaluated {
        let title = self.module_instance(at).map_or(Value::NULL, |it| it.title.clone());
        let outputs = self.all_outputs(at)?;
        let members = [("name".into(), title), ("outputs".into(), outputs)];
        Ok(Value::object(Members::from(members)))
    }

    /// All modules of a loop.
    pub(super) fn whole_modules(&self, module: usize) -> Evaluated {
        let instances = self.frame.modules_of(module);
        if let [Some(only)] = instances
            && let Some(because) = only.stands_for_all()
        {
            return Ok(Value::unknown(Some(Kind::Array), because.clone()));
        }
        let mut values = Vec::new();
        for (instance, there) in instances.iter().enumerate() {
            values.push(match there {
                Some(_) => self.whole_module(ModuleAt { module, instance })?,
                None => Value::NULL,
            });
        }
        Ok(Value::array(values))
    }

    /// A variable of another file.
    pub(super) fn imported(&self, imported: Imported) -> Evaluated {
        self.library(imported.unit).variable(imported.index)
    }

    /// Where the constants and functions of a file are evaluated.
    fn library(&self, unit: usize) -> Evaluator<'a> {
        self.of_frame(&self.shared.facts.libraries[unit])
    }

    /// A call of a function that a template declares: its arguments are the locals of its body.
    pub(super) fn call_user(&self, call: &CallUser, scope: Scope<'_>, span: Span) -> Evaluated {
        let inside = self.library(call.function.unit);
        let function = &inside.unit.functions[call.function.index];
        let name = &function.name.text;
        let mut values = Vec::with_capacity(call.arguments.len());
        let mut problems = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(&call.arguments) {
            let value = self.value(argument, scope).and_then(|value| {
                let what = format!("the argument `{}` of `{name}`", parameter.name.text);
                let code = codes::WRONG_ARGUMENT;
                self.fits(&parameter.value_type, &value, &what, argument, code)?;
                Ok(value)
            });
            match value {
                Ok(value) => values.push(value),
                Err(found) => add(&mut problems, found),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        self.enter(span)?;
        let value =
            with_locals(&values, 0, Scope::EMPTY, |scope| inside.value(&function.body, scope));
        self.leave();
        let value = value?;
        let what = format!("the result of `{name}`");
        inside.fits(&function.result, &value, &what, &function.body, codes::WRONG_TYPE)?;
        Ok(value)
    }

    /// The value of an output, checked once.
    pub(super) fn output_value(&self, index: usize) -> Evaluated {
        let key = (self.frame.id, index);
        if let Some(value) = self.shared.outputs.borrow().get(&key) {
            return value.clone();
        }
        let declared = &self.unit.outputs[index];
        let value = self.checked_output(declared);
        let value = value.map(|it| if declared.secure { all_secret(it) } else { it });
        self.shared.outputs.borrow_mut().insert(key, value.clone());
        value
    }
}

/// Calls `run` with values as the locals from a level on.
fn with_locals<T>(
    values: &[Value],
    level: usize,
    scope: Scope<'_>,
    run: impl FnOnce(Scope<'_>) -> T,
) -> T {
    match values {
        [] => run(scope),
        [first, rest @ ..] => {
            let local = scope.local_at(level, first);
            with_locals(rest, level + 1, Scope::inside(&local), run)
        }
    }
}
