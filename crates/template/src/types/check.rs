//! Which values fit a type, and why one does not.

use std::cell::Cell;
use std::sync::Arc;

use hangar_diag::{Code, Diagnostic, Span};

use super::advice::Advice;
use super::bounds::Breach;
use super::{Discriminated, ObjectType, Slot, Table, Type, describe};
use crate::codes;
use crate::ir::{Entry, Expression, ExpressionKind, Item, Key};
use crate::near::near;
use crate::value::{Data, Kind, Value};

/// How many types one value is held against: unions of unions are many.
const MOST_STEPS: usize = 500_000;

/// How many members are listed in a hint.
const MOST_SHOWN: usize = 12;

/// How deep types are followed for one value.
const MOST_DEPTH: usize = 400;

/// Why a value does not fit a type.
#[derive(Debug, PartialEq)]
pub(crate) struct Misfit {
    /// Which part of it; nothing for the whole.
    pub(crate) path: Vec<Step>,
    pub(crate) reason: Reason,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Member(Arc<str>),
    Item(usize),
}

/// What is wrong with the part.
#[derive(Debug, PartialEq)]
pub(crate) enum Reason {
    /// What it should be, and what it is, without its value.
    Kind { expected: String, found: String, advice: Option<Advice> },
    /// Members that have to be there, each with a value that it may have.
    Missing(Vec<(Arc<str>, String)>),
    /// A member that must not be there, with those that may.
    Unexpected { name: Arc<str>, near: Option<String>, known: Vec<Arc<str>> },
    /// What decorators ask.
    Breach(Breach),
}

impl Misfit {
    /// "the default of `x`: expected `string` at `tags[2]`, found `int`".
    pub(crate) fn describe(&self, what: &str) -> String {
        let part = match self.path() {
            path if path.is_empty() => String::new(),
            path => format!(" at `{path}`"),
        };
        match &self.reason {
            Reason::Kind { expected, found, .. } => {
                format!("{what}: expected `{expected}`{part}, found {found}")
            }
            Reason::Missing(names) => {
                let names: Vec<String> =
                    names.iter().map(|(name, _)| format!("`{name}`")).collect();
                let property = if names.len() == 1 { "property" } else { "properties" };
                format!("{what} lacks the required {property} {}{part}", names.join(", "))
            }
            Reason::Unexpected { name, .. } => {
                format!("{what} has the property `{name}`{part}, which does not exist in its type")
            }
            Reason::Breach(breach) => format!("{what}{part} {}", breach.text),
        }
    }

    /// The code to tell it by, where a wrong kind has the one that is given.
    pub(crate) const fn code(&self, of_kinds: Code) -> Code {
        match &self.reason {
            Reason::Kind { .. } => of_kinds,
            Reason::Missing(_) => codes::MISSING_MEMBER,
            Reason::Unexpected { near: Some(_), .. } => codes::UNKNOWN_MEMBER_NEAR,
            Reason::Unexpected { .. } => codes::UNKNOWN_MEMBER,
            Reason::Breach(breach) => breach.code,
        }
    }

    /// What to do next; `written` is the text of the part that does not fit.
    pub(crate) fn hint(&self, written: &str) -> Option<String> {
        match &self.reason {
            Reason::Unexpected { near: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            Reason::Unexpected { name, known, .. } if known.is_empty() => {
                Some(format!("remove `{name}`: the type has no properties"))
            }
            Reason::Unexpected { name, known, .. } => {
                let more = if known.len() > MOST_SHOWN { ", …" } else { "" };
                let known: Vec<_> =
                    known.iter().take(MOST_SHOWN).map(|it| format!("`{it}`")).collect();
                Some(format!("remove `{name}`; the type has {}{more}", known.join(", ")))
            }
            Reason::Breach(breach) => breach.hint.clone(),
            Reason::Kind { advice, .. } => advice.as_ref().map(|advice| advice.hint(written)),
            Reason::Missing(members) => {
                let shown = members.iter().take(MOST_SHOWN);
                let members: Vec<_> =
                    shown.map(|(name, example)| format!("`{name}: {example}`")).collect();
                Some(format!("add {}", members.join(", ")))
            }
        }
    }

    /// What is told of it: at the part that is written, or at what is around that. `text` is that of the whole file.
    pub(crate) fn diagnostic(
        &self,
        what: &str,
        around: &Expression,
        of_kinds: Code,
        text: &str,
    ) -> Diagnostic {
        let mut at = around;
        let mut is_written = true;
        for step in &self.path {
            let Some(part) = part(at, step) else {
                is_written = false;
                break;
            };
            at = part;
        }
        let written = text.get(at.span.start..at.span.end).filter(|_| is_written);
        let diagnostic = Diagnostic::error(self.code(of_kinds), self.describe(what));
        let span = self.unexpected_key(at).unwrap_or(at.span);
        let mut diagnostic = diagnostic.at(span, "");
        diagnostic.hints.extend(self.hint(written.unwrap_or_default()));
        diagnostic
    }

    /// The name of a member that must not be there, where it is written out.
    fn unexpected_key(&self, object: &Expression) -> Option<Span> {
        let (Reason::Unexpected { name, .. }, ExpressionKind::Object(entries)) =
            (&self.reason, &object.kind)
        else {
            return None;
        };
        entries.iter().rev().find_map(|it| match it {
            Entry::Member { key: Key::Fixed(key), .. } if key.text == *name => Some(key.span),
            _ => None,
        })
    }

    /// `tags[2].name`.
    fn path(&self) -> String {
        let steps = self.path.iter().enumerate().map(|(at, step)| match step {
            Step::Member(name) if at == 0 => name.to_string(),
            Step::Member(name) => format!(".{name}"),
            Step::Item(index) => format!("[{index}]"),
        });
        steps.collect()
    }
}

/// The part of an expression that a step leads to, where it is written out.
fn part<'e>(expression: &'e Expression, step: &Step) -> Option<&'e Expression> {
    match (&expression.kind, step) {
        (ExpressionKind::Object(entries), Step::Member(name)) => {
            entries.iter().rev().find_map(|it| match it {
                Entry::Member { key: Key::Fixed(key), value } if key.text == *name => Some(value),
                _ => None,
            })
        }
        (ExpressionKind::Array(items), Step::Item(index)) => {
            // Behind a spread nobody knows which item is which.
            let is_spread = |it: &Item| matches!(it, Item::Spread(_));
            match items.get(*index)? {
                Item::Value(value) if !items[..*index].iter().any(is_spread) => Some(value),
                _ => None,
            }
        }
        _ => None,
    }
}

impl Table<'_> {
    /// Whether a value can be of this type; what is not known yet can.
    pub(crate) fn check(self, value_type: &Type, value: &Value) -> Result<(), Misfit> {
        Check::new(self, Asked::Required).of_type(value_type, value, &mut Vec::new(), 0)
    }

    /// What is probably wrong with a value that can be of this type.
    pub(crate) fn check_advice(self, value_type: &Type, value: &Value) -> Option<Misfit> {
        let checked =
            Check::new(self, Asked::Advised).of_type(value_type, value, &mut Vec::new(), 0);
        checked.err().filter(|misfit| matches!(misfit.reason, Reason::Breach(_)))
    }
}

/// Which of the bounds of a type are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Required,
    Advised,
}

struct Check<'a> {
    table: Table<'a>,
    asked: Asked,
    steps: Cell<usize>,
    /// How many unions are around: why one of their members does not fit is told to nobody.
    unions: Cell<usize>,
}

type Path = Vec<Step>;

impl<'a> Check<'a> {
    const fn new(table: Table<'a>, asked: Asked) -> Self {
        Self { table, asked, steps: Cell::new(0), unions: Cell::new(0) }
    }

    fn of_slot(
        &self,
        slot: &Slot,
        value: &Value,
        path: &mut Path,
        depth: usize,
    ) -> Result<(), Misfit> {
        self.of_type(&slot.value_type, value, path, depth)?;
        let breach = match self.asked {
            Asked::Required => slot.bounds.check(value),
            Asked::Advised => slot.bounds.check_advice(value),
        };
        breach.map_err(|breach| Misfit { path: path.clone(), reason: Reason::Breach(breach) })
    }

    fn of_type(
        &self,
        wanted: &Type,
        value: &Value,
        path: &mut Path,
        depth: usize,
    ) -> Result<(), Misfit> {
        self.steps.set(self.steps.get() + 1);
        if depth > MOST_DEPTH || self.steps.get() > MOST_STEPS {
            let expected = "a type with fewer levels".to_owned();
            let found = "a value that is too large to check".to_owned();
            let reason = Reason::Kind { expected, found, advice: None };
            return Err(Misfit { path: path.clone(), reason });
        }
        let fits = match (wanted, &value.data) {
            (Type::Any | Type::Foreign(_), _) | (Type::Nullable(_), Data::Null) => true,
            (Type::NonNull(_), Data::Null) => false,
            (Type::Nullable(inner) | Type::NonNull(inner), _) => {
                return self.of_type(inner, value, path, depth + 1);
            }
            (Type::Declared(reference), _) => match self.table.get(reference) {
                Some(slot) => return self.of_slot(slot, value, path, depth + 1),
                None => true,
            },
            (Type::Part(part), _) => match self.table.part(part) {
                Some(slot) => return self.of_slot(slot, value, path, depth + 1),
                None => true,
            },
            (_, Data::Unknown(unknown)) => unknown
                .kind
                .is_none_or(|kind| self.table.kind(wanted).is_none_or(|wanted| wanted == kind)),
            (Type::List(item), Data::Array(items)) => {
                for (index, value) in items.iter().enumerate() {
                    self.inside(Step::Item(index), item, value, path, depth)?;
                }
                true
            }
            (Type::Tuple(slots), Data::Array(items)) if slots.len() == items.len() => {
                for (index, (slot, value)) in slots.iter().zip(items.iter()).enumerate() {
                    self.inside(Step::Item(index), slot, value, path, depth)?;
                }
                true
            }
            (Type::Object(object), Data::Object(_)) => {
                return self.of_object(object, value, path, depth);
            }
            (Type::Discriminated(it), Data::Object(_)) => {
                return self.of_discriminated(it, value, path, depth);
            }
            (Type::Discriminated(it), _) => return self.of_type(&it.union, value, path, depth + 1),
            // Decimals come from JSON; where the language says `int` it means whole ones.
            (Type::List(_) | Type::Tuple(_) | Type::Object(_), _)
            | (Type::Kind(Kind::Int), Data::Decimal(_)) => false,
            (Type::Kind(kind), _) => value.kind() == Some(*kind),
            (Type::Literal(literal), data) => literal.data == *data,
            (Type::Union(members), _) => {
                self.unions.set(self.unions.get() + 1);
                let fits =
                    members.iter().any(|it| self.of_type(it, value, path, depth + 1).is_ok());
                self.unions.set(self.unions.get() - 1);
                fits
            }
        };
        if fits {
            return Ok(());
        }
        if self.unions.get() > 0 {
            let reason =
                Reason::Kind { expected: String::new(), found: String::new(), advice: None };
            return Err(Misfit { path: Vec::new(), reason });
        }
        let found = match (wanted, &value.data) {
            (Type::Tuple(_), Data::Array(items)) => format!("an array of length {}", items.len()),
            _ => describe(value),
        };
        let advice = self.table.advice(wanted, value);
        let reason = Reason::Kind { expected: wanted.to_string(), found, advice };
        Err(Misfit { path: path.clone(), reason })
    }

    fn inside(
        &self,
        step: Step,
        slot: &Slot,
        value: &Value,
        path: &mut Path,
        depth: usize,
    ) -> Result<(), Misfit> {
        path.push(step);
        let result = self.of_slot(slot, value, path, depth + 1);
        path.pop();
        result
    }

    fn of_object(
        &self,
        object: &ObjectType,
        value: &Value,
        path: &mut Path,
        depth: usize,
    ) -> Result<(), Misfit> {
        let Data::Object(members) = &value.data else { return Ok(()) };
        let mut missing = Vec::new();
        for (name, slot) in &object.members {
            match members.get(name) {
                Some(value) => {
                    self.inside(Step::Member(name.clone()), slot, value, path, depth)?;
                }
                None if self.table.is_nullable(&slot.value_type) => {}
                None => missing.push((name.clone(), self.table.example(&slot.value_type))),
            }
        }
        if !missing.is_empty() {
            return Err(Misfit { path: path.clone(), reason: Reason::Missing(missing) });
        }
        let named = |name: &Arc<str>| object.member(name).is_some();
        for (name, member) in members.iter().filter(|(name, _)| !named(name)) {
            match &object.others {
                Some(slot) => {
                    self.inside(Step::Member(name.clone()), slot, member, path, depth)?;
                }
                None if object.sealed => {
                    let names = object.members.iter().map(|(name, _)| &**name);
                    let near = near(name, names).map(str::to_owned);
                    let known = object.members.iter().map(|(name, _)| name.clone()).collect();
                    let reason = Reason::Unexpected { name: name.clone(), near, known };
                    return Err(Misfit { path: path.clone(), reason });
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The member that tells the objects apart says which of them is meant, so that what is wrong with that one can be
    /// told.
    fn of_discriminated(
        &self,
        wanted: &Discriminated,
        value: &Value,
        path: &mut Path,
        depth: usize,
    ) -> Result<(), Misfit> {
        let Data::Object(members) = &value.data else { return Ok(()) };
        let mut choices = Vec::new();
        self.table.choices(&wanted.union, &wanted.by, &mut choices);
        let Some(said) = members.get(&wanted.by) else {
            let example = choices.first().map(|(it, _)| Type::Literal((*it).clone()).to_string());
            let member = (wanted.by.clone(), example.unwrap_or_else(|| "…".to_owned()));
            let reason = Reason::Missing(vec![member]);
            return Err(Misfit { path: path.clone(), reason });
        };
        if said.is_unknown().is_some() {
            return Ok(());
        }
        let chosen = choices.iter().find(|(literal, _)| literal.data == said.data);
        if let Some((_, object)) = chosen {
            return self.of_object(object, value, path, depth + 1);
        }
        let names: Vec<String> =
            choices.iter().map(|(it, _)| Type::Literal((*it).clone()).to_string()).collect();
        let mut path = path.clone();
        path.push(Step::Member(wanted.by.clone()));
        let found = match &said.data {
            Data::String(text) if !said.secret => format!("`'{text}'`"),
            _ => describe(said),
        };
        let union =
            Type::Union(choices.iter().map(|(it, _)| Type::Literal((*it).clone())).collect());
        let advice = self.table.advice(&union, said);
        let reason = Reason::Kind { expected: names.join(" | "), found, advice };
        Err(Misfit { path, reason })
    }
}

impl<'a> Table<'a> {
    /// The objects of a union with the value that tells each of them apart.
    pub(crate) fn choices(
        self,
        union: &'a Type,
        by: &str,
        found: &mut Vec<(&'a Value, &'a ObjectType)>,
    ) {
        const MOST: usize = 1_000;
        let mut open = vec![union];
        let mut seen = 0;
        while let Some(at) = open.pop() {
            seen += 1;
            if seen > MOST {
                return;
            }
            match self.resolve(at) {
                Some(Type::Union(members)) => open.extend(members.iter().rev()),
                Some(Type::Discriminated(it)) => open.push(&it.union),
                Some(Type::Object(object)) => {
                    let said = object.member(by).and_then(|it| self.resolve(&it.value_type));
                    if let Some(Type::Literal(value)) = said {
                        found.push((value, object));
                    }
                }
                _ => {}
            }
        }
    }
}
