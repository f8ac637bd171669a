//! Objects and scalars: what is stated, against what live has.

use std::sync::LazyLock;

use hangar_diag::Diagnostic;
use serde_json::{Map, Value};

use super::report::{Frame, Segment};
use super::{Cause, Explanation, Reason, Rule};
use crate::class::Class;
use crate::codes;
use crate::equal::{self, Holders, Likeness};
use crate::policy;
use crate::secret::{self, Recorded, SecretRecord};
use crate::spot::{Rewriting, Spot};
use crate::type_schema::TypeSchema;

pub(super) static NO_MEMBERS: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

pub(super) struct Walk<'a> {
    pub(super) schema: &'a TypeSchema,
    pub(super) root: &'a Value,
    record: &'a dyn SecretRecord,
    pub(super) path: Vec<Segment<'a>>,
    pub(super) frame: Frame,
    /// How many arrays the walk is inside of.
    pub(super) array_depth: usize,
    pub(super) reasons: Vec<Reason>,
    pub(super) explanations: Vec<Explanation>,
    pub(super) errors: Vec<Diagnostic>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        schema: &'a TypeSchema,
        root: &'a Value,
        record: &'a dyn SecretRecord,
    ) -> Self {
        Self {
            schema,
            root,
            record,
            path: Vec::new(),
            frame: Frame::default(),
            array_depth: 0,
            reasons: Vec::new(),
            explanations: Vec::new(),
            errors: Vec::new(),
        }
    }

    pub(super) fn document(
        &mut self,
        desired: &'a Value,
        applied: Option<&'a Value>,
        live: &'a Value,
    ) {
        let applied = applied.and_then(Value::as_object);
        let live = live.as_object().unwrap_or(&NO_MEMBERS);
        self.members(self.schema.root(), desired, applied, live);
    }

    /// The members of an object that desired states.
    pub(super) fn members(
        &mut self,
        spot: Spot,
        desired: &'a Value,
        applied: Option<&'a Map<String, Value>>,
        live: &'a Map<String, Value>,
    ) {
        let stated = desired.as_object().unwrap_or(&NO_MEMBERS);
        let before = applied.unwrap_or(&NO_MEMBERS);
        // The document itself is no map, however little its schema names.
        let is_map = !self.path.is_empty() && self.schema.shape(spot).is_map();
        for (name, value) in stated {
            let next = self.schema.member(spot, name);
            self.path.push(Segment::Member(name));
            let (was, is) = (present(before.get(name)), present(live.get(name)));
            if is == Some(value) && self.is_quiet(next, value, was) {
                // Nothing to say.
            } else if equal::is_hidden_tag(self.schema, spot, name) {
                self.explain(Rule::HiddenTag);
            } else if value.is_null() {
                self.stated_null(next, was, is);
            } else {
                self.value(next, desired, value, was, is);
            }
            self.path.pop();
        }
        let is_gone = |name: &str| !stated.contains_key(name);
        for (name, value) in before.iter().filter(|(name, value)| is_gone(name) && !value.is_null())
        {
            self.path.push(Segment::Member(name));
            let (next, live) = (self.schema.member(spot, name), present(live.get(name)));
            match live {
                _ if equal::is_hidden_tag(self.schema, spot, name) => self.explain(Rule::HiddenTag),
                Some(live) if is_map => self.map_key_goes(next, live, Rule::NoLongerStated),
                _ => self.unstated(next, value, live, Rule::NoLongerStated),
            }
            self.path.pop();
        }
        let was_stated = |name: &str| present(before.get(name)).is_some();
        for (name, value) in live.iter().filter(|(name, _)| is_gone(name) && !was_stated(name)) {
            self.path.push(Segment::Member(name));
            let next = self.schema.member(spot, name);
            if equal::is_hidden_tag(self.schema, spot, name) {
                self.explain(Rule::HiddenTag);
            } else if is_map && !value.is_null() {
                self.map_key_goes(next, value, Rule::NotInStatedMap);
            } else {
                self.explain_unstated(next);
            }
            self.path.pop();
        }
    }

    fn explain_unstated(&mut self, spot: Spot) {
        let classes = self.schema.at(spot);
        self.explain(if classes.has(Class::ReadOnly) {
            Rule::ReadOnlyKept
        } else if classes.has(Class::CreateOnly) {
            Rule::CreateOnlyKept
        } else {
            Rule::NotStated
        });
    }

    /// Whether a value that live has exactly as desired states it needs no further look: it was
    /// applied so or never, and nothing in it is worth a remark. (Live shows no write-only value,
    /// so one that equals live states none.)
    pub(super) fn is_quiet(&self, spot: Spot, desired: &Value, applied: Option<&Value>) -> bool {
        applied.is_none_or(|before| before == desired)
            && !self.schema.at(spot).has(Class::Deprecated)
            && !self.schema.below(spot).has(Class::Deprecated)
    }

    /// One stated value that is not null; `holder` is the desired object around it.
    pub(super) fn value(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        applied: Option<&'a Value>,
        live: Option<&'a Value>,
    ) {
        let classes = self.schema.at(spot);
        if classes.has(Class::ReadOnly) {
            return self.read_only(spot, holder, desired, live);
        }
        if self.schema.is_secret(spot, desired) {
            return self.secret(spot, desired);
        }
        if classes.has(Class::Deprecated) {
            self.explain(Rule::DeprecatedStated);
        }
        if live.is_none() && self.is_as_applied(spot, holder, desired, applied) {
            if classes.has(Class::CreateOnly) {
                return self.explain(Rule::CreateOnlyNotReturned);
            }
            if classes.has(Class::Deprecated) {
                return self.explain(Rule::DeprecatedNotReturned);
            }
        }
        match desired {
            Value::Object(_) => self.object(spot, holder, desired, applied, live),
            Value::Array(items) => self.array(spot, holder, desired, items, applied, live),
            _ => self.scalar(spot, holder, desired, applied, live),
        }
    }

    fn is_as_applied(
        &self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        applied: Option<&'a Value>,
    ) -> bool {
        applied.is_some_and(|before| {
            equal::asks_the_same(self.schema, spot, self.holders(holder), desired, before)
        })
    }

    fn scalar(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        applied: Option<&'a Value>,
        live: Option<&'a Value>,
    ) {
        if let Some(live) = live
            && !self.is_masked_change(spot, holder, desired, applied, live)
            && self.is_alike(spot, holder, desired, live)
        {
            return;
        }
        if self.is_rewritten_beyond_us(spot, desired, applied) {
            return self.explain(Rule::CreateOnlyRewritten);
        }
        self.add(spot, desired.clone(), Rule::Set);
    }

    /// A transform that fits any desired value must not hide that the user changed it.
    fn is_masked_change(
        &self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        applied: Option<&'a Value>,
        live: &'a Value,
    ) -> bool {
        match self.schema.rewriting(spot) {
            Rewriting::Known(transform) => {
                desired != live
                    && applied.is_some_and(|before| before != desired)
                    && !transform.follows_desired(holder, self.root, live)
            }
            Rewriting::None | Rewriting::BeyondUs => false,
        }
    }

    /// A create-only value that the service rewrites, in a way we cannot follow, would otherwise
    /// ask for a replacement for ever.
    fn is_rewritten_beyond_us(&self, spot: Spot, desired: &Value, applied: Option<&Value>) -> bool {
        self.schema.is_create_only(spot)
            && matches!(self.schema.rewriting(spot), Rewriting::BeyondUs)
            && applied == Some(desired)
    }

    /// Whether the values are the same, explaining how if they do not look it.
    pub(super) fn is_alike(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        desired: &Value,
        live: &Value,
    ) -> bool {
        let holders = Holders { nearest: holder, root: self.root };
        match equal::likeness(self.schema, spot, holders, desired, live) {
            Likeness::Exact => true,
            Likeness::Spelled(spelling) => {
                self.explain(Rule::of_spelling(spelling));
                true
            }
            Likeness::Different => false,
        }
    }

    fn object(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        applied: Option<&'a Value>,
        live: Option<&'a Value>,
    ) {
        let before = applied.and_then(Value::as_object);
        match live {
            Some(live_value @ Value::Object(shown)) => {
                if self.is_settled_by_transform(spot, holder, desired, live_value) {
                    return;
                }
                let is_policy = self.schema.shape(spot).is_map()
                    && (policy::looks_like_policy(desired)
                        || policy::looks_like_policy(live_value));
                if !is_policy {
                    self.members(spot, desired, before, shown);
                } else if !self.is_alike(spot, holder, desired, live_value) {
                    self.add(spot, self.sendable(spot, desired), Rule::PolicyWritten);
                }
            }
            None => self.object_that_live_lacks(spot, desired, before),
            Some(other) => {
                if !self.is_alike(spot, holder, desired, other) {
                    self.below_new(|walk| walk.members(spot, desired, before, &NO_MEMBERS));
                    self.create_only_reasons(spot, desired);
                    self.add(spot, self.sendable(spot, desired), Rule::Set);
                }
            }
        }
    }

    /// Live lacks the object: compare inside it as if live had an empty one, and send it whole if
    /// anything in it has to be sent.
    fn object_that_live_lacks(
        &mut self,
        spot: Spot,
        desired: &'a Value,
        applied: Option<&'a Map<String, Value>>,
    ) {
        let is_empty =
            desired.as_object().is_some_and(|members| members.values().all(Value::is_null));
        if is_empty && self.schema.shape(spot).is_map() {
            return self.explain(Rule::EmptyIsAbsent);
        }
        let frame = self.below_new(|walk| walk.members(spot, desired, applied, &NO_MEMBERS));
        let is_value_of_its_own = is_empty && !self.is_wholly_read_only(spot);
        if !frame.operations.is_empty() || is_value_of_its_own {
            if self.schema.is_create_only(spot) && !is_value_of_its_own {
                // The members have given their reasons.
                return;
            }
            self.create_only_reasons(spot, desired);
            self.add(spot, self.sendable(spot, desired), Rule::ObjectAdded);
        } else if !frame.repeats.is_empty() {
            self.repeat(self.sendable(spot, desired));
        }
    }

    /// A value that live lacks comes with its create-only members, which cannot be set any more,
    /// whatever was applied once.
    pub(super) fn create_only_reasons(&mut self, spot: Spot, value: &'a Value) {
        if self.schema.is_secret(spot, value) || value.is_null() || self.schema.is_read_only(spot) {
            return;
        }
        if self.schema.is_create_only(spot) && !value.is_object() {
            return self.reason(Cause::CreateOnly);
        }
        let is_possible =
            self.schema.is_create_only(spot) || self.schema.below(spot).has(Class::CreateOnly);
        match value {
            Value::Object(members) if is_possible => {
                for (name, member) in members {
                    self.path.push(Segment::Member(name));
                    self.create_only_reasons(self.schema.member(spot, name), member);
                    self.path.pop();
                }
            }
            Value::Array(items) if is_possible => {
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Segment::Element(index, None));
                    self.create_only_reasons(self.schema.element(spot), item);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    fn is_wholly_read_only(&self, spot: Spot) -> bool {
        let shape = self.schema.shape(spot);
        !shape.is_map()
            && shape
                .members()
                .all(|(name, _)| self.schema.is_read_only(self.schema.member(spot, name)))
    }

    fn read_only(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        live: Option<&'a Value>,
    ) {
        let holders = Holders { nearest: holder, root: self.root };
        if live.is_some() && equal::shows(self.schema, spot, holders, desired, live) {
            return self.explain(Rule::ReadOnlyEqual);
        }
        let pointer = self.pointer();
        let what = if live.is_some() { "and differs from live" } else { "and live has no value" };
        let message = format!("`{pointer}` is read-only {what}: only the service can set it");
        let hint = format!("remove `{pointer}` from the desired document");
        self.errors
            .push(Diagnostic::error(codes::READ_ONLY_STATED, message).pointer(pointer).hint(hint));
    }

    fn secret(&mut self, spot: Spot, desired: &'a Value) {
        let recorded = self.record.compare(&self.secret_path(), desired);
        if secret::is_create_only_secret(self.schema, spot) {
            match recorded {
                Recorded::Different => self.reason(Cause::CreateOnlySecret),
                Recorded::Never => self.explain(Rule::CreateOnlySecretRecorded),
                Recorded::Incomparable => self.explain(Rule::WriteOnlyIncomparable),
                Recorded::Same => self.explain(Rule::WriteOnlySame),
            }
            return;
        }
        match recorded {
            Recorded::Different => self.add(spot, desired.clone(), Rule::WriteOnlyChanged),
            Recorded::Never => self.add(spot, desired.clone(), Rule::WriteOnlyFirstSent),
            Recorded::Same | Recorded::Incomparable => {
                if recorded == Recorded::Incomparable {
                    self.explain(Rule::WriteOnlyIncomparable);
                }
                // Inside an array the value goes with its element or is lost.
                if self.schema.at(spot).has(Class::NoResend) && self.array_depth == 0 {
                    self.explain(Rule::WriteOnlyNotRepeated);
                } else {
                    self.repeat(desired.clone());
                }
            }
        }
    }
}

/// Null says nothing, wherever it comes from.
pub(super) fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}
