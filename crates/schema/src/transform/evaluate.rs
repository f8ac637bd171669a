//! From a tree and the desired documents to a value. `None` is the nothing of `JSONata`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Number, Value};

use super::Outcome;
use super::function;
use super::text::Text;
use super::tree::{Expression, Operator, Step};
use crate::number;
use crate::same::same;

/// What evaluating one alternative may cost in all, counted in bytes and elements made: a few
/// variables that double each other would else fill the memory.
const FUEL: usize = 4 << 20;

/// Evaluates one alternative.
pub(super) fn outcome(expression: &Expression, holder: &Value, root: &Value) -> Option<Outcome> {
    let mut evaluation = Evaluation { holder, root, variables: Vec::new(), fuel: FUEL };
    let term = evaluation.term(expression)?;
    if evaluation.fuel == 0 {
        return None;
    }
    let pattern = match &term {
        Term::Text(text) => text.pattern(),
        _ => None,
    };
    Some(Outcome { value: term.to_value(), pattern })
}

/// A value while it is computed.
#[derive(Debug, Clone)]
pub(super) enum Term<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Text),
    List(Vec<Term<'a>>),
    Object(BTreeMap<String, Term<'a>>),
    /// An array or object of the document, not copied.
    Document(&'a Value),
}

impl<'a> Term<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(Text::given(text.as_str())),
            Value::Array(_) | Value::Object(_) => Self::Document(value),
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.flat()),
            Self::List(items) => Value::Array(items.iter().map(Term::to_value).collect()),
            Self::Object(members) => {
                let members = members.iter().map(|(key, member)| (key.clone(), member.to_value()));
                Value::Object(members.collect())
            }
            Self::Document(value) => (*value).clone(),
        }
    }

    /// The elements, if it is a list.
    pub(super) fn items(&self) -> Option<Vec<Term<'a>>> {
        match self {
            Self::List(items) => Some(items.clone()),
            Self::Document(Value::Array(items)) => Some(items.iter().map(Term::of).collect()),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub(super) fn members(&self) -> Option<BTreeMap<String, Term<'a>>> {
        match self {
            Self::Object(members) => Some(members.clone()),
            Self::Document(Value::Object(members)) => {
                Some(members.iter().map(|(key, member)| (key.clone(), Term::of(member))).collect())
            }
            _ => None,
        }
    }

    /// The member of an object; of a list, the members of its elements, or the only one.
    pub(super) fn member(&self, name: &str) -> Option<Term<'a>> {
        let Some(items) = self.items() else {
            return self.members()?.remove(name);
        };
        let mut found: Vec<_> =
            items.iter().filter_map(|item| item.members()?.remove(name)).collect();
        match found.len() {
            0 | 1 => found.pop(),
            _ => Some(Self::List(found)),
        }
    }

    /// As text, if it is a text, a number or a boolean.
    pub(super) fn to_text(&self) -> Option<Text> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(Text::given(number.as_str())),
            Self::Bool(flag) => Some(Text::given(flag.to_string())),
            _ => None,
        }
    }

    /// Whether it counts as true: `$boolean` of `JSONata`.
    fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Number(number) => number::canonical(number) != "0",
            Self::Text(text) => text.len() > 0,
            Self::List(items) => items.iter().any(Term::is_truthy),
            Self::Object(members) => !members.is_empty(),
            Self::Document(Value::Object(members)) => !members.is_empty(),
            Self::Document(_) => {
                self.items().is_some_and(|items| items.iter().any(Term::is_truthy_shallowly))
            }
        }
    }

    /// As `is_truthy`, without going down a document of any depth.
    fn is_truthy_shallowly(&self) -> bool {
        match self {
            Self::Document(Value::Array(items)) => !items.is_empty(),
            other => other.is_truthy(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Text(text) => 1 + text.len(),
            Self::List(items) => 1 + items.iter().map(Term::size).sum::<usize>(),
            Self::Object(members) => 1 + members.values().map(Term::size).sum::<usize>(),
            _ => 1,
        }
    }
}

pub(super) struct Evaluation<'a> {
    holder: &'a Value,
    root: &'a Value,
    /// The names bound so far, an inner one behind the outer one that it hides.
    variables: Vec<(String, Option<Term<'a>>)>,
    fuel: usize,
}

impl<'a> Evaluation<'a> {
    pub(super) fn term(&mut self, expression: &Expression) -> Option<Term<'a>> {
        let term = self.make(expression)?;
        self.fuel = self.fuel.saturating_sub(term.size());
        (self.fuel > 0).then_some(term)
    }

    fn make(&mut self, expression: &Expression) -> Option<Term<'a>> {
        match expression {
            Expression::Null => Some(Term::Null),
            Expression::Bool(flag) => Some(Term::Bool(*flag)),
            Expression::Number(number) => Some(Term::Number(number.clone())),
            Expression::Text(text) => Some(Term::Text(Text::written(text))),
            // An element that is missing makes the list nothing, so that no proof rests on it.
            Expression::List(items) => {
                items.iter().map(|item| self.term(item)).collect::<Option<_>>().map(Term::List)
            }
            Expression::Object(members) => members
                .iter()
                .map(|(key, member)| Some((key.clone(), self.term(member)?)))
                .collect::<Option<_>>()
                .map(Term::Object),
            Expression::Path(names) => {
                let found = find(self.holder, names).or_else(|| find(self.root, names));
                found.map(Term::of)
            }
            Expression::Variable(name) => {
                let bound = self.variables.iter().rev().find(|(bound, _)| bound == name);
                bound.and_then(|(_, term)| term.clone())
            }
            Expression::Call(function, arguments) => function::call(self, *function, arguments),
            Expression::Member(inner, name) => self.term(inner)?.member(name),
            Expression::Element(inner, index) => element(&self.term(inner)?, *index),
            Expression::Negative(inner) => {
                let value = integer(&self.term(inner)?)?.checked_neg()?;
                Number::from_i128(value).map(Term::Number)
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                let taken = if self.holds(condition) { yes } else { no };
                self.term(taken)
            }
            Expression::Block(steps) => self.block(steps),
        }
    }

    fn block(&mut self, steps: &[Step]) -> Option<Term<'a>> {
        let outer = self.variables.len();
        let mut last = None;
        for step in steps {
            last = self.term(&step.value);
            if let Some(name) = &step.name {
                self.variables.push((name.clone(), last.clone()));
            }
        }
        self.variables.truncate(outer);
        last
    }

    /// Whether a condition is true; nothing is not.
    fn holds(&mut self, condition: &Expression) -> bool {
        self.term(condition).is_some_and(|term| term.is_truthy())
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
    ) -> Option<Term<'a>> {
        match operator {
            Operator::And => return Some(Term::Bool(self.holds(left) && self.holds(right))),
            Operator::Or => return Some(Term::Bool(self.holds(left) || self.holds(right))),
            _ => {}
        }
        let (left, right) = (self.term(left), self.term(right));
        let compares = matches!(operator, Operator::Equal | Operator::Unequal | Operator::In);
        let (Some(left), Some(right)) = (left, right) else {
            // Nothing is neither equal nor unequal to anything, nor in any list.
            return compares.then_some(Term::Bool(false));
        };
        let order = |wanted: fn(Ordering) -> bool| match (&left, &right) {
            (Term::Number(a), Term::Number(b)) => Some(Term::Bool(wanted(number::compare(a, b)))),
            _ => None,
        };
        let compute = |combine: fn(i128, i128) -> Option<i128>| {
            let result = combine(integer(&left)?, integer(&right)?)?;
            Number::from_i128(result).map(Term::Number)
        };
        match operator {
            Operator::And | Operator::Or => None,
            Operator::Equal => Some(Term::Bool(equal(&left, &right))),
            Operator::Unequal => Some(Term::Bool(!equal(&left, &right))),
            Operator::In => {
                let items = right.items().unwrap_or_else(|| vec![right.clone()]);
                Some(Term::Bool(items.iter().any(|item| equal(&left, item))))
            }
            Operator::Less => order(Ordering::is_lt),
            Operator::LessOrEqual => order(Ordering::is_le),
            Operator::Greater => order(Ordering::is_gt),
            Operator::GreaterOrEqual => order(Ordering::is_ge),
            Operator::Concatenate => {
                let mut text = left.to_text()?;
                text.push(right.to_text()?)?;
                Some(Term::Text(text))
            }
            Operator::Add => compute(i128::checked_add),
            Operator::Subtract => compute(i128::checked_sub),
            Operator::Multiply => compute(i128::checked_mul),
        }
    }
}

pub(super) fn equal(left: &Term<'_>, right: &Term<'_>) -> bool {
    same(&left.to_value(), &right.to_value())
}

/// An exact integer, however it is spelled.
pub(super) fn integer(term: &Term<'_>) -> Option<i128> {
    match term {
        Term::Number(number) => number::canonical(number).parse().ok(),
        _ => None,
    }
}

/// The element of a list; anything else is a list of itself.
fn element<'a>(term: &Term<'a>, index: i64) -> Option<Term<'a>> {
    let mut items = term.items().unwrap_or_else(|| vec![term.clone()]);
    let from_end = usize::try_from(index.unsigned_abs()).ok()?;
    let index = if index < 0 { items.len().checked_sub(from_end)? } else { from_end };
    (index < items.len()).then(|| items.swap_remove(index))
}

fn find<'a>(document: &'a Value, names: &[String]) -> Option<&'a Value> {
    names.iter().try_fold(document, |value, name| value.as_object()?.get(name))
}
