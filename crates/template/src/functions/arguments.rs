//! The arguments of a call as a function sees them: checked for their kind when they are asked for.

use std::sync::Arc;

use super::fault::Fault;
use super::{Argument, Context, Function, Lambda};
use crate::value::{Data, Members, Value};

/// The arguments of a call to one function.
pub(super) struct Arguments<'a> {
    pub(super) function: &'a Function,
    pub(super) given: Vec<Argument<'a>>,
    pub(super) context: &'a dyn Context,
}

impl<'a> Arguments<'a> {
    pub(super) fn check_count(&self) -> Result<(), Fault> {
        let Function { least, most, .. } = *self.function;
        let count = self.given.len();
        if count >= least && most.is_none_or(|most| count <= most) {
            return Ok(());
        }
        let wanted = match most {
            Some(most) if most == least => format!("{least}"),
            Some(most) => format!("{least} to {most}"),
            None => format!("at least {least}"),
        };
        let plural = if most.unwrap_or(least) == 1 { "" } else { "s" };
        let message =
            format!("`{}` expects {wanted} argument{plural}, found {count}", self.function.name);
        Err(Fault::call(message).hint(format!("call it as `{}`", self.function.signature())))
    }

    pub(super) fn count(&self) -> usize {
        self.given.len()
    }

    /// How messages name an argument: "`delimiter` (argument 2 of `split`)".
    pub(super) fn name_of(&self, index: usize) -> String {
        let parameters = self.function.parameters;
        let name = parameters.get(index).or(parameters.last()).map_or("it", |it| it.name);
        format!("`{name}` (argument {} of `{}`)", index + 1, self.function.name)
    }

    /// A value of any kind. An argument that is not there is null.
    pub(super) fn value(&self, index: usize) -> Result<&Value, Fault> {
        match self.given.get(index) {
            Some(Argument::Value(value)) => Ok(value),
            Some(Argument::Lambda(_)) => {
                let message = format!("{}: expected a value, found a lambda", self.name_of(index));
                Err(Fault::argument(index, message))
            }
            None => Ok(&Value::NULL),
        }
    }

    pub(super) fn string(&self, index: usize) -> Result<&Arc<str>, Fault> {
        match &self.value(index)?.data {
            Data::String(text) => Ok(text),
            _ => Err(self.wants(index, "a string")),
        }
    }

    pub(super) fn int(&self, index: usize) -> Result<i64, Fault> {
        match &self.value(index)?.data {
            Data::Int(number) => Ok(*number),
            _ => Err(self.wants(index, "an int")),
        }
    }

    pub(super) fn array(&self, index: usize) -> Result<&Arc<Vec<Value>>, Fault> {
        match &self.value(index)?.data {
            Data::Array(items) => Ok(items),
            _ => Err(self.wants(index, "an array")),
        }
    }

    pub(super) fn object(&self, index: usize) -> Result<&Arc<Members>, Fault> {
        match &self.value(index)?.data {
            Data::Object(members) => Ok(members),
            _ => Err(self.wants(index, "an object")),
        }
    }

    /// A text that may be left out.
    pub(super) fn optional_string(&self, index: usize) -> Result<Option<&Arc<str>>, Fault> {
        if index < self.count() { self.string(index).map(Some) } else { Ok(None) }
    }

    /// A number that may be left out.
    pub(super) fn optional_int(&self, index: usize) -> Result<Option<i64>, Fault> {
        if index < self.count() { self.int(index).map(Some) } else { Ok(None) }
    }

    pub(super) fn lambda(&self, index: usize) -> Result<&'a Lambda<'a>, Fault> {
        match self.given.get(index) {
            Some(Argument::Lambda(lambda)) => Ok(*lambda),
            _ => Err(self.wants(index, "a lambda, such as `x => x`")),
        }
    }

    /// The argument is of the wrong kind.
    pub(super) fn wants(&self, index: usize, wanted: &str) -> Fault {
        let got = match self.given.get(index) {
            Some(Argument::Value(value)) => kind_of(value),
            Some(Argument::Lambda(_)) => "a lambda",
            None => "nothing",
        };
        Fault::argument(index, format!("{}: expected {wanted}, found {got}", self.name_of(index)))
    }

    /// The argument is of the right kind, but cannot be used: "… is 'x', but must be …".
    pub(super) fn refuses(&self, index: usize, wanted: &str) -> Fault {
        let got = match self.given.get(index) {
            Some(Argument::Value(value)) => shown(value),
            _ => return self.wants(index, wanted),
        };
        Fault::argument(index, format!("{}: expected {wanted}, found {got}", self.name_of(index)))
    }

    /// The argument is fine by itself, but something in it is not.
    pub(super) fn faulty(&self, index: usize, what: &str) -> Fault {
        Fault::argument(index, format!("{} {what}", self.name_of(index)))
    }

    /// A part of an argument in a message, unless it is secret.
    pub(super) fn quoted(&self, index: usize, part: &str) -> String {
        match self.given.get(index) {
            Some(Argument::Value(value)) if !value.holds_secret() => {
                format!("`{}`", part.chars().take(LONGEST_SHOWN).collect::<String>())
            }
            _ => "that is secret".to_owned(),
        }
    }

    pub(super) fn too_large(&self, most: usize, unit: &str) -> Fault {
        Fault::too_large(self.function.name, most, unit)
    }
}

/// Longer texts are cut in messages.
const LONGEST_SHOWN: usize = 80;

/// What a value is, for people, without what it says.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match &value.data {
        Data::Null => "null",
        Data::Bool(_) => "a bool",
        Data::Int(_) => "an int",
        Data::Decimal(_) => "a decimal number",
        Data::String(_) => "a string",
        Data::Array(_) => "an array",
        Data::Object(_) => "an object",
        Data::Unknown(_) => "a value that is not known yet",
    }
}

/// A value in a message: what it says if it is short and no secret, else its kind.
pub(super) fn shown(value: &Value) -> String {
    if value.secret {
        return format!("{} that is secret", kind_of(value));
    }
    match &value.data {
        Data::Bool(truth) => truth.to_string(),
        Data::Int(number) => number.to_string(),
        Data::Decimal(number) => number.to_string(),
        Data::String(text) if text.chars().count() <= LONGEST_SHOWN => format!("'{text}'"),
        Data::String(text) => {
            format!("'{}…'", text.chars().take(LONGEST_SHOWN).collect::<String>())
        }
        _ => kind_of(value).to_owned(),
    }
}
