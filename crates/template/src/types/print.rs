//! Types as they are written in a template.

use std::fmt;

use super::{ObjectType, PartStep, Slot, Type};
use crate::value::Data;

/// How many members of an object are shown.
const SHOWN: usize = 4;

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Kind(kind) => write!(f, "{kind}"),
            Self::List(item) => match item.value_type {
                Self::Union(_) | Self::Discriminated(_) => write!(f, "({item})[]"),
                _ => write!(f, "{item}[]"),
            },
            Self::Tuple(items) => {
                f.write_str("[")?;
                separated(f, items.iter(), ", ")?;
                f.write_str("]")
            }
            Self::Object(object) => write!(f, "{object}"),
            Self::Literal(value) => match &value.data {
                Data::String(text) => write!(f, "'{text}'"),
                _ => write!(f, "{value:?}"),
            },
            Self::Union(members) => separated(f, members.iter(), " | "),
            Self::Discriminated(it) => write!(f, "{}", it.union),
            Self::Nullable(inner) | Self::NonNull(inner) => {
                let mark = if matches!(self, Self::Nullable(_)) { '?' } else { '!' };
                match **inner {
                    Self::Union(_) | Self::Discriminated(_) => write!(f, "({inner}){mark}"),
                    _ => write!(f, "{inner}{mark}"),
                }
            }
            Self::Declared(reference) => f.write_str(&reference.name),
            Self::Part(part) => match &part.step {
                PartStep::Member(name) => write!(f, "{}.{name}", part.base),
                PartStep::OtherMembers => write!(f, "{}.*", part.base),
                PartStep::Item(index) => write!(f, "{}[{index}]", part.base),
                PartStep::Items => write!(f, "{}[*]", part.base),
            },
            Self::Foreign(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value_type)
    }
}

impl fmt::Display for ObjectType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.members.iter().take(SHOWN).map(|(name, slot)| format!("{name}: {slot}"));
        let more = (self.members.len() > SHOWN).then(|| "…".to_owned());
        let others = self.others.as_ref().map(|slot| format!("*: {slot}"));
        let parts: Vec<String> = shown.chain(more).chain(others).collect();
        if parts.is_empty() {
            return f.write_str("{}");
        }
        write!(f, "{{ {} }}", parts.join(", "))
    }
}

fn separated<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    parts: impl Iterator<Item = T>,
    separator: &str,
) -> fmt::Result {
    for (index, part) in parts.enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        write!(f, "{part}")?;
    }
    Ok(())
}
