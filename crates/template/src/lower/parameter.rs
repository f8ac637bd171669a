//! Parameters: type, decorators and default.

use super::Lowering;
use super::decorator::Target;
use super::expression::Here;
use super::type_expression::decorated;
use crate::ir::ParameterDeclaration;
use crate::syntax::ast::{self, Statement};

impl<'t> Lowering<'t> {
    pub(super) fn parameter(&mut self, view: ast::Param<'t>) {
        let name = Self::name(view.name());
        let (value_type, type_text) = self.type_or_any(view.type_expression());
        let decorators =
            self.decorators(Statement::Param(view), Target::Parameter, Some(&value_type));
        self.in_default = true;
        let default = view.value().map(|value| self.expression(value, Here::Value));
        self.in_default = false;
        self.parameters.push(ParameterDeclaration {
            name,
            value_type: decorated(value_type, decorators.remarks.sealed, decorators.discriminator),
            type_text,
            default,
            secure: decorators.secure,
            bounds: decorators.bounds,
            remarks: decorators.remarks,
        });
    }
}
