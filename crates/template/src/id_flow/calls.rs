//! What functions make of the ids in their arguments.

use std::collections::BTreeMap;

use super::trace::{Trace, Tracer, join};
use crate::ir::{Call, Expression, ExpressionKind};
use crate::value::Kind;

impl<'u> Tracer<'u> {
    /// The trace of a call: functions that move parts keep them apart, all others mix everything.
    pub(super) fn call(
        &mut self,
        context: usize,
        call: &'u Call,
        locals: &mut Vec<Trace>,
    ) -> Trace {
        if matches!(call.function.returns, Some(Kind::Bool | Kind::Int | Kind::Null)) {
            return Trace::Clear;
        }
        let mut values = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            values.push(self.expression(context, argument, locals));
        }
        let all = |values: Vec<Trace>| values.into_iter().fold(Trace::Clear, join);
        let Some(first) = values.first().cloned() else { return Trace::Clear };
        match call.function.name {
            // A digest, and names of members.
            "uniqueString" | "guid" | "objectKeys" => Trace::Clear,
            "any" | "skip" | "take" | "filter" | "sort" | "distinct" => first,
            "concat" | "union" | "intersection" => all(values),
            "first" | "last" | "shallowMerge" => self.item(&first),
            "array" => match first {
                Trace::List(_) => first,
                other => self.list_of(other),
            },
            "flatten" => {
                let inner = self.item(&first);
                let item = self.item(&inner);
                self.list_of(item)
            }
            "items" => {
                let value = self.any_member(&first);
                let item = self.object_of(BTreeMap::from([("value".into(), value)]), Trace::Clear);
                self.list_of(item)
            }
            "map" => {
                let item = self.item(&first);
                let item =
                    self.lambda(context, call.arguments.get(1), locals, [item, Trace::Clear]);
                self.list_of(item)
            }
            "mapValues" => {
                let value = self.any_member(&first);
                let value = self.lambda(context, call.arguments.get(1), locals, [value]);
                self.object_of(BTreeMap::new(), value)
            }
            "toObject" => {
                let item = self.item(&first);
                let value = match call.arguments.get(2) {
                    Some(lambda) => self.lambda(context, Some(lambda), locals, [item]),
                    None => item,
                };
                self.object_of(BTreeMap::new(), value)
            }
            "groupBy" => {
                let group = self.item(&first);
                let group = self.list_of(group);
                self.object_of(BTreeMap::new(), group)
            }
            "reduce" => {
                let item = self.item(&first);
                let mut sum = values.get(1).cloned().unwrap_or(Trace::Clear);
                // Twice: what one round adds, the next one may move.
                for _ in 0..2 {
                    let round = [sum.clone(), item.clone(), Trace::Clear];
                    sum = join(sum, self.lambda(context, call.arguments.get(2), locals, round));
                }
                sum
            }
            _ => {
                let mixed = all(values);
                self.flat(&mixed)
            }
        }
    }

    /// The body of a lambda for values of its variables.
    fn lambda(
        &mut self,
        context: usize,
        lambda: Option<&'u Expression>,
        locals: &mut Vec<Trace>,
        values: impl IntoIterator<Item = Trace>,
    ) -> Trace {
        let Some(ExpressionKind::Lambda(lambda)) = lambda.map(|it| &it.kind) else {
            return Trace::Clear;
        };
        let values = values.into_iter().take(lambda.names.len());
        self.with_locals(context, &lambda.body, locals, lambda.level, values)
    }
}
