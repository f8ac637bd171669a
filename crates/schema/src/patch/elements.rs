//! The elements of an array in the three documents, and which is which.

use serde_json::Value;

use super::report::Frame;
use super::walk::Site;
use crate::equal::{self, Holders};
use crate::node::ArrayType;
use crate::pairing::{self, Pairs};
use crate::shape::Order;
use crate::spot::Spot;
use crate::tagging::{self, TagOwner};
use crate::type_schema::TypeSchema;

/// The elements that take part in a comparison; hidden tags do not.
pub(super) struct Elements<'a> {
    pub(super) spot: Spot,
    pub(super) stated: Vec<&'a Value>,
    pub(super) before: Vec<&'a Value>,
    pub(super) shown: Vec<&'a Value>,
    pub(super) order: Order,
    is_attributes: bool,
    /// Tags of AWS and of ours that live has.
    pub(super) hidden: Vec<&'a Value>,
    /// Whether desired states tags that are not the user's to state.
    pub(super) states_hidden: bool,
}

impl<'a> Elements<'a> {
    pub(super) fn of(schema: &TypeSchema, site: Site<'a>) -> Self {
        let is_tags = schema.is_tags(site.spot);
        let is_attributes = schema.shape(site.spot).array_type == ArrayType::AttributeList;
        let visible = |array| equal::visible(is_tags, items_of(array)).collect();
        let is_hidden = |item: &&Value| tagging::owner_of_element(item) != TagOwner::User;
        let live = items_of(site.live);
        Self {
            spot: schema.element(site.spot),
            stated: visible(Some(site.desired)),
            before: visible(site.applied),
            shown: visible(site.live),
            order: if is_attributes { Order::Unordered } else { schema.order(site.spot) },
            is_attributes,
            hidden: if is_tags { live.iter().filter(is_hidden).collect() } else { Vec::new() },
            states_hidden: is_tags && items_of(Some(site.desired)).iter().any(|it| is_hidden(&it)),
        }
    }

    /// Which live element each stated one is.
    pub(super) fn pairs(&self, schema: &'a TypeSchema, holders: Holders<'a>) -> Pairs {
        let sides = [self.stated.as_slice(), self.before.as_slice(), self.shown.as_slice()];
        if self.is_attributes
            && let Some(identity) = pairing::attribute_identity(schema, self.spot, &sides)
        {
            return pairing::pair_by_identity(&identity, &self.stated, &self.shown);
        }
        if self.order == Order::Ordered && self.is_in_place(schema, holders) {
            let of_left = (0..self.stated.len()).map(Some).collect();
            return Pairs { of_left, is_too_large: false, is_keyed: false };
        }
        pairing::pair(schema, self.spot, holders, &self.stated, &self.shown)
    }

    /// Ordered arrays are first tried place by place, which is what they mean.
    fn is_in_place(&self, schema: &'a TypeSchema, holders: Holders<'a>) -> bool {
        let shows = |(desired, live): (&&'a Value, &&'a Value)| {
            desired == live || equal::shows(schema, self.spot, holders, desired, Some(live))
        };
        self.stated.len() == self.shown.len() && self.stated.iter().zip(&self.shown).all(shows)
    }

    /// Which applied element each stated one comes from.
    pub(super) fn origins(
        &self,
        schema: &'a TypeSchema,
        holders: Holders<'a>,
        pairs: &Pairs,
    ) -> Vec<Option<&'a Value>> {
        let live: Vec<_> = pairs.of_left.iter().map(|pair| pair.map(|at| self.shown[at])).collect();
        let origins =
            pairing::origins(schema, self.spot, holders, &self.stated, &self.before, &live);
        origins.into_iter().map(|origin| origin.map(|at| self.before[at])).collect()
    }

    /// Of the live elements `left`, those that nobody ever stated: attributes only.
    pub(super) fn unowned(&self, schema: &'a TypeSchema, left: &[usize]) -> Vec<usize> {
        let sides = [self.stated.as_slice(), self.before.as_slice(), self.shown.as_slice()];
        if !self.is_attributes {
            return Vec::new();
        }
        let Some(identity) = pairing::attribute_identity(schema, self.spot, &sides) else {
            return Vec::new();
        };
        let of_shown = pairing::pair_by_identity(&identity, &self.shown, &self.before).of_left;
        left.iter().copied().filter(|&at| of_shown[at].is_none()).collect()
    }

    /// The tags of ours that a whole write must not lose.
    pub(super) fn markers(&self) -> impl Iterator<Item = &'a Value> {
        let is_ours = |tag: &&&Value| tagging::owner_of_element(tag) == TagOwner::Marker;
        self.hidden.iter().filter(is_ours).copied()
    }
}

/// The elements of a value that is an array.
pub(super) fn items_of(array: Option<&Value>) -> &[Value] {
    array.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// What became of one stated element.
pub(super) enum Fate<'a> {
    /// Live has it; the frame says what changes in it.
    Matched { live: usize, frame: Frame },
    /// Live has another element in its place (ordered arrays), which lends it read-only values;
    /// the frame makes the one of the other.
    InPlaceOf { live: &'a Value, frame: Frame },
    /// Live has nothing like it.
    New,
}

impl Fate<'_> {
    pub(super) fn is_change(&self) -> bool {
        match self {
            Self::Matched { frame, .. } => !frame.operations.is_empty(),
            Self::InPlaceOf { .. } | Self::New => true,
        }
    }

    pub(super) fn has_repeats(&self) -> bool {
        matches!(self, Self::Matched { frame, .. } if !frame.repeats.is_empty())
    }
}

/// Whether matched elements stand in another order than live's.
pub(super) fn is_reordered(fates: &[Fate<'_>]) -> bool {
    let matched = fates.iter().filter_map(|fate| match fate {
        Fate::Matched { live, .. } => Some(*live),
        Fate::InPlaceOf { .. } | Fate::New => None,
    });
    !matched.is_sorted()
}
