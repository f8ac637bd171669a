//! The elements of an array in the three documents, and which is which.

use serde_json::Value;

use super::report::Frame;
use super::walk::Site;
use crate::equal::{self, Holders};
use crate::node::ArrayType;
use crate::pairing::{self, Pairs};
use crate::same::same;
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
    is_shared: bool,
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
            order: if is_attributes { Order::Unordered } else { order_of(schema, site) },
            is_attributes,
            is_shared: schema.is_shared(site.spot),
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
        if self.order != Order::Unordered && self.is_in_place(schema, holders) {
            let of_left = (0..self.stated.len()).map(Some).collect();
            return Pairs { of_left, is_too_large: false, is_keyed: false };
        }
        let mut pairs = pairing::pair(schema, self.spot, holders, &self.stated, &self.shown);
        if !pairs.is_keyed && self.order == Order::Unordered {
            pairing::pair_changed(
                schema,
                self.spot,
                holders,
                &self.stated,
                &self.shown,
                &mut pairs,
            );
        }
        pairs
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

    /// Of the live elements `left`, those that neither desired nor applied states: attributes, and elements of
    /// arrays to which others add.
    pub(super) fn unowned(
        &self,
        schema: &'a TypeSchema,
        holders: Holders<'a>,
        left: &[usize],
    ) -> Vec<usize> {
        if self.is_shared && !left.is_empty() {
            let shown: Vec<&Value> = left.iter().map(|&at| self.shown[at]).collect();
            let kept = added_by_others(schema, self.spot, holders, &self.before, &shown);
            return kept.into_iter().map(|at| left[at]).collect();
        }
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

    /// The tags that a whole write must not lose: Hangar's, and those of AWS.
    pub(super) fn kept_tags(&self) -> impl Iterator<Item = &'a Value> {
        self.hidden.iter().copied()
    }
}

/// What the order of an array means here. Where the schema does not say, another order that only
/// live has is the service's; of a list that can only be set at creation any order is.
fn order_of(schema: &TypeSchema, site: Site<'_>) -> Order {
    let is_create_only = schema.is_create_only(site.spot);
    let is_scalar = |item: &Value| !item.is_object() && !item.is_array();
    match schema.order(site.spot) {
        Order::Ordered if is_create_only && items_of(Some(site.desired)).iter().all(is_scalar) => {
            Order::Unstated
        }
        Order::Unstated
            if !is_create_only && site.applied.is_none_or(|it| !same(it, site.desired)) =>
        {
            Order::Ordered
        }
        order => order,
    }
}

/// The indexes of the elements of `shown` that match no element of `before`.
pub(super) fn added_by_others<'a>(
    schema: &'a TypeSchema,
    element: Spot,
    holders: Holders<'a>,
    before: &[&'a Value],
    shown: &[&'a Value],
) -> Vec<usize> {
    let pairs = pairing::pair(schema, element, holders, before, shown);
    let taken: Vec<usize> = pairs.of_left.into_iter().flatten().collect();
    (0..shown.len()).filter(|at| !taken.contains(at)).collect()
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
