//! What is read of resources: `reference`, ids, and functions of resources.

use hangar_diag::Span;

use super::Reader;
use super::expression::Spot;
use super::identity::{Found, Which};
use crate::arm::expression::{self as written, Content};
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::functions;
use crate::ir::{Call, Expression, ExpressionKind, Index, Member, Method, Name, SECRETS, What};

impl<'j> Reader<'j, '_, '_> {
    /// `reference('symbol')`: of a resource of Azure its properties, of all others the whole.
    pub(super) fn reference(
        &mut self,
        function: &str,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Expression {
        let Some(found) = self.entry_of(&arguments[0]) else {
            return self.reference_outside(arguments, spot, span);
        };
        let is_full = arguments.iter().skip(1).any(
            |it| matches!(&it.kind, written::Kind::Text(text) if text.eq_ignore_ascii_case("full")),
        );
        let Some(whole) = self.reached(&found, spot, span) else {
            return self.faulty(span, "a deployment in the outer scope has no outputs");
        };
        let is_azure = match self.entries[found.entry].what {
            Which::Resource(index) => {
                matches!(
                    self.unit.resources.get(index).map(|it| &it.what),
                    Some(What::Foreign { .. })
                ) && !self.is_of_extension(found.entry)
            }
            _ => false,
        };
        if is_azure && !is_full && function == "reference" {
            return Self::member(whole, "properties", false, span);
        }
        whole
    }

    /// Something that is not in the template: Azure would know it.
    fn reference_outside(
        &mut self,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Expression {
        if let (true, written::Kind::Text(text)) = (self.is_symbolic, &arguments[0].kind)
            && !text.contains('/')
        {
            let message = format!("the resource `{text}` does not exist in the template");
            self.error(codes::UNDECLARED, span, message);
            return Expression::new(ExpressionKind::Faulty, span);
        }
        let function = functions::find(None, "reference").expect("it is in the table");
        let arguments = arguments.iter().map(|it| self.expression(it, spot)).collect();
        let call = Call { function, arguments, extension: None };
        Expression::new(ExpressionKind::Call(Box::new(call)), span)
    }

    /// An entry as an expression; nothing for a deployment in the outer scope.
    fn reached(&mut self, found: &Found, spot: &Spot, span: Span) -> Option<Expression> {
        let kind = match self.entries[found.entry].what {
            Which::Resource(index) => ExpressionKind::Resource(index),
            Which::Module(index) => ExpressionKind::Module(index),
            Which::Group(_) => return None,
        };
        let base = Expression::new(kind, span);
        let Some(index) = &found.index else { return Some(base) };
        let at = self.expression(index, spot);
        let index = Index { base, at, safe: false, from_end: false };
        Some(Expression::new(ExpressionKind::Index(Box::new(index)), span))
    }

    fn is_of_extension(&self, entry: usize) -> bool {
        let json = self.entries[entry].json;
        json.get("import").is_some() || json.get("extension").is_some()
    }

    /// `resourceId(…)` of a resource of the template is that one's id.
    pub(super) fn id_in_template(
        &mut self,
        function: &str,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Option<Expression> {
        let found = self.entry_by_id(function, arguments)?;
        if !matches!(self.entries[found.entry].what, Which::Resource(_)) {
            return None;
        }
        let base = self.reached(&found, spot, span)?;
        Some(Self::member(base, "id", false, span))
    }

    /// `listKeys('symbol', 'version')`, and the outputs of a module that are secret.
    pub(super) fn list_function(
        &mut self,
        function: &str,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Expression {
        let found = arguments.first().and_then(|it| self.entry_of(it));
        let base = found.as_ref().and_then(|found| self.reached(found, spot, span));
        let (Some(found), Some(base)) = (found, base) else {
            let arguments = arguments.iter().map(|it| self.expression(it, spot)).collect();
            let name = Name { text: function.into(), span };
            let method = Method { base: None, name, arguments };
            return Expression::new(ExpressionKind::Method(Box::new(method)), span);
        };
        let is_recipe = |index: usize| {
            matches!(self.unit.resources.get(index).map(|it| &it.what), Some(What::Recipe))
        };
        match self.entries[found.entry].what {
            Which::Module(_) if function.eq_ignore_ascii_case("listOutputsWithSecureValues") => {
                Self::member(base, "outputs", false, span)
            }
            Which::Resource(index) if function == "listSecrets" && is_recipe(index) => {
                let name = Name { text: SECRETS.into(), span };
                let member = Member { base, name, safe: false };
                Expression::new(ExpressionKind::Member(Box::new(member)), span)
            }
            _ => {
                let skipped = if self.is_of_extension(found.entry) { 1 } else { 2 };
                let arguments =
                    arguments.iter().skip(skipped).map(|it| self.expression(it, spot)).collect();
                let name = Name { text: function.into(), span };
                let method = Method { base: Some(base), name, arguments };
                Expression::new(ExpressionKind::Method(Box::new(method)), span)
            }
        }
    }

    /// `dependsOn`: resources and deployments, by symbol, id, name or the name of their loop.
    pub(super) fn depends_on(&mut self, json: Option<&'j Json>) -> Vec<Expression> {
        let Some(json) = json else { return Vec::new() };
        let Kind::Array(items) = &json.kind else {
            self.bad_depends_on(json.span);
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in items {
            let spot = Spot::of(item);
            let named = match item.as_text().map(Content::of) {
                Some(Ok(Content::Text(text))) => written::Expression::text(text),
                Some(Ok(Content::Expression(expression))) => expression,
                Some(Err(fault)) => {
                    self.faulty(spot.at(fault.span), fault.message);
                    continue;
                }
                None => {
                    self.bad_depends_on(item.span);
                    continue;
                }
            };
            let Some(entry) = self.entry_of(&named) else {
                self.bad_depends_on(item.span);
                continue;
            };
            self.depends_on_entry(&entry, &spot, item.span, &mut found);
        }
        found
    }

    fn depends_on_entry(
        &mut self,
        found: &Found,
        spot: &Spot,
        span: Span,
        to: &mut Vec<Expression>,
    ) {
        match self.entries[found.entry].what.clone() {
            Which::Group(members) => {
                for entry in members {
                    let member = Found { entry, index: None };
                    to.extend(self.reached(&member, spot, span));
                }
            }
            _ => to.extend(self.reached(found, spot, span)),
        }
    }

    fn bad_depends_on(&mut self, span: Span) {
        let message = "this is not a resource of the template";
        let hint = if self.is_symbolic {
            "write an array of symbolic names, as in `[\"vpc\"]`"
        } else {
            "write an array of ids or names, as in `[\"[resourceId('AWS.EC2/VPC', 'vpc')]\"]`"
        };
        self.error(codes::DEPENDS_ON, span, message).hints.push(hint.to_owned());
    }
}
