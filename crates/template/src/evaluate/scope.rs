//! The locals around an expression: a chain on the stack, the innermost first.

use crate::value::Value;

/// The variables of the loops and lambdas around an expression.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    innermost: Option<&'a Local<'a>>,
}

/// One of them.
pub(crate) struct Local<'a> {
    level: usize,
    value: &'a Value,
    outer: Option<&'a Local<'a>>,
}

impl<'a> Scope<'a> {
    /// No locals.
    pub(crate) const EMPTY: Self = Self { innermost: None };

    /// A local of a level inside of this scope; [`Scope::inside`] makes a scope of it.
    pub(crate) const fn local_at(self, level: usize, value: &'a Value) -> Local<'a> {
        Local { level, value, outer: self.innermost }
    }

    /// The scope that ends with a local.
    pub(crate) const fn inside(local: &'a Local<'a>) -> Self {
        Self { innermost: Some(local) }
    }

    /// The value of the local of a level; names were bound, so it is there.
    pub(crate) fn local(self, level: usize) -> Value {
        let mut at = self.innermost;
        while let Some(local) = at {
            if local.level == level {
                return local.value.clone();
            }
            at = local.outer;
        }
        Value::NULL
    }
}
