//! A resolver is offered every scalar of a manifest, and keeps or replaces it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Need, Problem};
use crate::yaml::{Key, Object, Place, Scalar, Stream, With};

/// Keeps or replaces values, one at a time. Resolvers are chained: each is offered what the one before it left.
///
/// ```
/// use hangar_manifest::resolve::{Context, Draft, Resolution, Resolver, Which};
/// use hangar_manifest::yaml::With;
/// use serde_json::Value;
///
/// struct Local;
///
/// impl Resolver for Local {
///     fn resolve(&mut self, context: &Context<'_>, value: &Value) -> Resolution {
///         if context.key().names() == ["spec", "type"] && *value == "LoadBalancer" {
///             return Resolution::Replace(With::Whole("NodePort".into()));
///         }
///         Resolution::Keep
///     }
/// }
///
/// let mut draft = Draft::read("kind: Service\nspec: {type: LoadBalancer} # for now\n")?;
/// draft.offer(&mut Local, Which::Values);
/// assert_eq!(draft.finish().unwrap(), "kind: Service\nspec: {type: NodePort} # for now\n");
/// # Ok::<(), hangar_manifest::yaml::YamlError>(())
/// ```
pub trait Resolver {
    /// What becomes of a value.
    fn resolve(&mut self, context: &Context<'_>, value: &Value) -> Resolution;
}

/// What becomes of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// It stays.
    Keep,
    /// This takes its place, or the place of parts of it.
    Replace(With),
    /// That cannot be told before these questions are answered.
    Wait(BTreeSet<Need>),
    /// It cannot be written.
    Refuse(Box<Problem>),
}

/// Where a value stands.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    stream: &'a Stream<'a>,
    scalar: &'a Scalar<'a>,
}

impl<'a> Context<'a> {
    pub(super) fn new(stream: &'a Stream<'a>, scalar: &'a Scalar<'a>) -> Self {
        Self { stream, scalar }
    }

    /// The object that it is a part of.
    pub fn obj(&self) -> &'a Object {
        self.stream.object(self.scalar)
    }

    /// The way from the object's root to it: `['spec', 'type']`.
    pub fn key(&self) -> Key {
        self.stream.key(self.scalar)
    }

    /// Whether it may stand at other places of its document, too, by an alias.
    pub fn may_be_repeated(&self) -> bool {
        self.stream.may_be_repeated(self.scalar)
    }

    /// Whether it is a key of a map or a value.
    pub fn place(&self) -> Place {
        self.scalar.place
    }
}
