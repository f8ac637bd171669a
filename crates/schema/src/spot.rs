//! A place in a document, seen by shape and by class at once; the step that every walker takes.

use serde_json::Value;

use crate::class::{Class, ClassSet, Classes, Place};
use crate::shape::{Order, Shape, ShapeId};
use crate::transform::Transform;
use crate::type_schema::TypeSchema;

/// Where a walker stands; cheap to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Spot {
    shape: ShapeId,
    place: Place,
}

impl Spot {
    pub(crate) const fn shape_id(self) -> ShapeId {
        self.shape
    }
}

/// What the schema says of how the service rewrites a value.
pub(crate) enum Rewriting<'a> {
    /// Nothing.
    None,
    /// This.
    Known(&'a Transform),
    /// Something that the small grammar cannot express.
    BeyondUs,
}

impl TypeSchema {
    pub(crate) fn root(&self) -> Spot {
        Spot { shape: self.root_shape, place: Classes::ROOT }
    }

    pub(crate) fn member(&self, spot: Spot, name: &str) -> Spot {
        Spot { shape: self.shape(spot).member(name), place: self.classes.member(spot.place, name) }
    }

    pub(crate) fn element(&self, spot: Spot) -> Spot {
        Spot { shape: self.shape(spot).element(), place: self.classes.element(spot.place) }
    }

    pub(crate) fn shape(&self, spot: Spot) -> &Shape {
        self.shapes.get(spot.shape)
    }

    /// What holds at this spot, said of it or of what it lies in.
    pub(crate) fn at(&self, spot: Spot) -> ClassSet {
        self.classes.at(spot.place)
    }

    /// What is said of exactly this spot.
    pub(crate) fn own(&self, spot: Spot) -> ClassSet {
        self.classes.own(spot.place)
    }

    /// What is said of places strictly below.
    pub(crate) fn below(&self, spot: Spot) -> ClassSet {
        self.classes.below(spot.place)
    }

    pub(crate) fn is_read_only(&self, spot: Spot) -> bool {
        self.at(spot).has(Class::ReadOnly)
    }

    pub(crate) fn is_create_only(&self, spot: Spot) -> bool {
        self.at(spot).has(Class::CreateOnly)
    }

    /// Whether the value here is one secret: never returned, compared and sent as a whole. A
    /// hidden object or array with create-only members inside is several.
    pub(crate) fn is_secret(&self, spot: Spot, value: &Value) -> bool {
        let holds_nothing = match value {
            Value::Object(members) => members.values().all(Value::is_null),
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        self.at(spot).is_hidden() && (holds_nothing || !self.below(spot).has(Class::CreateOnly))
    }

    /// Whether a secret here can only be set at creation: a create-only pointer lies at or above
    /// the write-only one. Such a secret is never sent in an update.
    pub(crate) fn is_create_only_secret(&self, spot: Spot) -> bool {
        self.is_create_only(spot) && !self.is_create_only_within_secret(spot)
    }

    /// Whether this is the create-only part of a larger secret, which is sent whole with it.
    pub(crate) fn is_create_only_within_secret(&self, spot: Spot) -> bool {
        self.classes.is_create_only_within_secret(spot.place)
    }

    /// Whether the secret that begins here has an effect each time it is sent.
    pub(crate) fn begins_no_resend(&self, spot: Spot) -> bool {
        self.classes.own(spot.place).has(Class::NoResend)
    }

    pub(crate) fn is_tags(&self, spot: Spot) -> bool {
        self.classes.own(spot.place).has(Class::Tags)
    }

    pub(crate) fn order(&self, spot: Spot) -> Order {
        if self.is_tags(spot) {
            Order::Unordered
        } else if self.classes.own(spot.place).has(Class::Ordered) {
            Order::Ordered
        } else if self.classes.own(spot.place).has(Class::Unordered) {
            Order::Unordered
        } else {
            self.shape(spot).order
        }
    }

    /// How the service rewrites the value here (`propertyTransform`).
    pub(crate) fn rewriting(&self, spot: Spot) -> Rewriting<'_> {
        let Some(index) = self.classes.transform(spot.place) else { return Rewriting::None };
        match self.transforms.get(index) {
            Some(Some(transform)) => Rewriting::Known(transform),
            _ => Rewriting::BeyondUs,
        }
    }

    /// The word that the service replaces by a value here.
    pub(crate) fn keyword(&self, spot: Spot) -> Option<&Value> {
        self.classes.keyword(spot.place).and_then(|index| self.keywords.get(index))
    }

    /// Whether AWS or other resources add elements or keys here, which are not ours.
    pub(crate) fn is_shared(&self, spot: Spot) -> bool {
        self.classes.own(spot.place).has(Class::Shared)
    }

    /// The value to write in place of a removal that the service would ignore.
    pub(crate) fn removal_value(&self, spot: Spot) -> Option<&Value> {
        self.classes.removal(spot.place).and_then(|index| self.removal_values.get(index))
    }
}
