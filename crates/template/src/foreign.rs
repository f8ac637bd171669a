//! Resources that Hangar reads about and cannot deploy: what they come to, as far as that can be told without
//! whoever could.

use std::sync::Arc;

use crate::deployment::{Deployment, Known};
use crate::evaluate::{Evaluator, Scope, Shared, with_round};
use crate::ir::{Entry, Expression, ExpressionKind, Item, What};
use crate::value::{Because, Data, Members, Value};

/// A resource that is left out of a deployment.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignResource {
    /// How people name it, as of other resources.
    pub address: Arc<str>,
    /// Its type and version as they are written.
    pub type_text: Arc<str>,
    /// The whole body; what only its own cloud can tell is not known.
    pub body: Value,
}

impl Deployment {
    /// The resources that are left out, after loops and conditions, without those that are only read.
    pub fn foreign_resources(&self, known: &dyn Known) -> Vec<ForeignResource> {
        let shared = Shared::new(&self.units, &self.facts, known);
        let mut found = Vec::new();
        let mut open = vec![self.facts.root.clone()];
        while let Some(frame) = open.pop() {
            shared.root().of_frame(&frame).foreign_resources(&mut found);
            open.extend(frame.parts().cloned());
        }
        found
    }
}

impl Evaluator<'_> {
    fn foreign_resources(&self, found: &mut Vec<ForeignResource>) {
        for declared in &self.unit.resources {
            let (What::Foreign { written }, Some(whole), false) =
                (&declared.what, &declared.whole, declared.existing)
            else {
                continue;
            };
            let path = format!("{}{}", self.frame.prefix, declared.name.text);
            let rounds = match &declared.repeat {
                None => vec![(path, None)],
                Some(repeat) => match self.value(&repeat.list, Scope::EMPTY).map(|it| it.data) {
                    Ok(Data::Array(items)) => {
                        let rounds = items.iter().enumerate().map(|(at, item)| {
                            let index = Value::int(i64::try_from(at).unwrap_or(i64::MAX));
                            (format!("{path}[{at}]"), Some((item.clone(), index)))
                        });
                        rounds.collect()
                    }
                    _ => continue,
                },
            };
            for (address, round) in rounds {
                let body = with_round(&round, |scope| {
                    let condition = declared.condition.as_ref().map(|it| self.value(it, scope));
                    let is_left_out = condition.is_some_and(|it| {
                        it.is_ok_and(|value| matches!(value.data, Data::Bool(false)))
                    });
                    (!is_left_out).then(|| self.as_far_as_known(whole, scope))
                });
                if let Some(body) = body {
                    let type_text = written.text.clone();
                    found.push(ForeignResource { address: address.into(), type_text, body });
                }
            }
        }
    }

    /// A value whose parts that cannot be told are not known.
    fn as_far_as_known(&self, expression: &Expression, scope: Scope<'_>) -> Value {
        let whole = match self.value(expression, scope) {
            Ok(value) => return value,
            Err(_) => Value::unknown(None, Because::Moment),
        };
        match &expression.kind {
            ExpressionKind::Object(entries) => {
                let mut members = Members::new();
                for entry in entries {
                    let Entry::Member { key, value } = entry else { return whole };
                    let Ok(Ok(name)) = self.key(key, scope) else { return whole };
                    members.insert(name, self.as_far_as_known(value, scope));
                }
                Value::object(members)
            }
            ExpressionKind::Array(items) => {
                let items = items.iter().map(|item| match item {
                    Item::Value(value) => Some(self.as_far_as_known(value, scope)),
                    Item::Spread(_) => None,
                });
                items.collect::<Option<_>>().map_or(whole, Value::array)
            }
            _ => whole,
        }
    }
}
