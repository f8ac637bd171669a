//! What is read of resources: which of it there is, by their types' texts.

use hangar_diag::Span;

use super::Lowering;
use super::resource_type::Family;
use crate::codes;
use crate::ir::{Expression, ExpressionKind, READABLE, RECIPE_READABLE};
use crate::near::near;

impl Lowering<'_> {
    /// Whether an expression is one recipe: by its name, or of a loop with an index.
    pub(super) fn is_one_recipe(&self, base: &Expression) -> bool {
        let (resource, is_indexed) = match &base.kind {
            ExpressionKind::Resource(resource) => (*resource, false),
            ExpressionKind::Index(index) => match index.base.kind {
                ExpressionKind::Resource(resource) => (resource, true),
                _ => return false,
            },
            _ => return false,
        };
        let outline = &self.outlines[resource];
        outline.family == Family::Recipe && outline.repeats == is_indexed
    }

    /// Whether an expression is a resource that Hangar cannot deploy: what can be called on it is not known.
    pub(super) fn is_foreign(&self, base: &Expression) -> bool {
        let resource = match &base.kind {
            ExpressionKind::Resource(resource) => *resource,
            ExpressionKind::Index(index) => return self.is_foreign(&index.base),
            ExpressionKind::NonNull(inner) => return self.is_foreign(inner),
            _ => return false,
        };
        self.outlines[resource].family == Family::Foreign
    }

    /// Whether a resource has what is read of it.
    pub(super) fn check_resource_member(&mut self, base: &Expression, name: &str, span: Span) {
        let (resource, is_one) = match &base.kind {
            ExpressionKind::Resource(resource) => (*resource, !self.outlines[*resource].repeats),
            ExpressionKind::Index(index) => match index.base.kind {
                ExpressionKind::Resource(resource) if self.outlines[resource].repeats => {
                    (resource, true)
                }
                _ => return,
            },
            _ => return,
        };
        if !is_one {
            let message = "this is a collection of resources from a loop";
            let hint = "select one with an index, as in `subnets[0]`";
            self.error(codes::COLLECTION_READ, base.span, message).hints.push(hint.to_owned());
            return;
        }
        let (what, readable, more) = match self.outlines[resource].family {
            Family::Aws => (
                "resource",
                &READABLE[..],
                format!("AWS properties are in `properties`, as in `properties.{name}`"),
            ),
            Family::Recipe => (
                "recipe",
                &RECIPE_READABLE[..],
                format!(
                    "the recipe's outputs are in `properties.status.values`, as in \
                        `properties.status.values.{name}`"
                ),
            ),
            Family::Foreign => return,
        };
        if readable.contains(&name) {
            return;
        }
        let message = format!("the property `{name}` does not exist on a {what}");
        let (code, hint) = if let Some(near) = near(name, readable.iter().copied()) {
            (codes::NO_SUCH_PROPERTY_NEAR, format!("did you mean `{near}`?"))
        } else {
            let hint = format!("available properties: `{}`; {more}", readable.join("`, `"));
            (codes::NO_SUCH_PROPERTY, hint)
        };
        self.error(code, span, message).hints.push(hint);
    }
}
