//! Objects and scalars: what is stated, against what live has.

use std::sync::LazyLock;

use hangar_diag::Diagnostic;
use serde_json::{Map, Value};

use super::report::{Frame, Segment};
use super::{Cause, Explanation, Reason, Rule, removal};
use crate::class::Class;
use crate::codes;
use crate::equal::{self, Likeness};
use crate::policy;
use crate::respell::is_resolved_alias;
use crate::same::same;
use crate::secret::{self, Recorded, SecretRecord};
use crate::spot::{Rewriting, Spot};
use crate::type_schema::TypeSchema;

/// One place in the three documents: what is stated there, what was, and what is.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) spot: Spot,
    /// The desired object around the value.
    pub(super) holder: &'a Value,
    pub(super) desired: &'a Value,
    pub(super) applied: Option<&'a Value>,
    pub(super) live: Option<&'a Value>,
}

pub(super) static NO_MEMBERS: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

pub(super) struct Walk<'a> {
    pub(super) schema: &'a TypeSchema,
    pub(super) root: &'a Value,
    record: &'a dyn SecretRecord,
    /// Whether it is known what was applied last.
    pub(super) is_applied: bool,
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
            is_applied: false,
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
            self.path.push(Segment::Member(name));
            let site = Site {
                spot: self.schema.member(spot, name),
                holder: desired,
                desired: value,
                applied: present(before.get(name)),
                live: present(live.get(name)),
            };
            if equal::is_hidden_tag(self.schema, spot, name) {
                self.explain(Rule::HiddenTag);
            } else if value.is_null() {
                self.stated_null(site);
            } else if !self.is_quiet(site) {
                self.value(site);
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
            } else if is_map && self.schema.is_shared(spot) {
                self.explain(Rule::AddedByOthers);
            } else if is_map && !value.is_null() {
                self.map_key_goes(next, value, Rule::NotInStatedMap);
            } else {
                self.explain_unstated(next);
            }
            self.path.pop();
        }
    }

    pub(super) fn explain_unstated(&mut self, spot: Spot) {
        let classes = self.schema.at(spot);
        self.explain(if classes.has(Class::ReadOnly) {
            Rule::ReadOnlyKept
        } else if classes.has(Class::CreateOnly) {
            Rule::CreateOnlyKept
        } else {
            Rule::NotStated
        });
    }

    /// Whether a value needs no further look: live has it exactly as desired states it, it was
    /// applied so or never, and nothing in it is worth a remark. (Live shows no write-only value,
    /// so one that equals live states none.)
    pub(super) fn is_quiet(&self, site: Site<'a>) -> bool {
        site.live == Some(site.desired)
            && site.applied.is_none_or(|before| before == site.desired)
            && !self.schema.at(site.spot).has(Class::Deprecated)
            && !self.schema.below(site.spot).has(Class::Deprecated)
    }

    /// One stated value that is not null.
    pub(super) fn value(&mut self, site: Site<'a>) {
        let classes = self.schema.at(site.spot);
        if classes.has(Class::ReadOnly) {
            return self.read_only(site);
        }
        if self.schema.is_secret(site.spot, site.desired) {
            return self.secret(site.spot, site.desired);
        }
        if classes.has(Class::Deprecated) {
            self.explain(Rule::DeprecatedStated);
        }
        if site.live.is_none() && self.is_as_applied(site) {
            if classes.has(Class::CreateOnly) {
                return self.explain(Rule::CreateOnlyNotReturned);
            }
            if classes.has(Class::Deprecated) {
                return self.explain(Rule::DeprecatedNotReturned);
            }
            if classes.has(Class::NotReturned) {
                return self.explain(Rule::NotReturned);
            }
        }
        match site.desired {
            Value::Object(_) => self.object(site),
            Value::Array(_) => self.array(site),
            _ => self.scalar(site),
        }
    }

    fn is_as_applied(&self, site: Site<'a>) -> bool {
        let Some(before) = site.applied else { return false };
        // Where secrets may lie below, only the walk can tell whether they changed.
        same(before, site.desired)
            || (!secret::holds_secrets(self.schema, site.spot)
                && equal::asks_the_same(
                    self.schema,
                    site.spot,
                    self.holders(site.holder),
                    site.desired,
                    before,
                ))
    }

    fn scalar(&mut self, site: Site<'a>) {
        if let Some(live) = site.live
            && !self.is_masked_change(site, live)
            && self.is_alike(site, live)
        {
            return;
        }
        // Which key an alias names is only known to AWS: the alias that was applied is no change.
        if site.live.is_some_and(|live| is_resolved_alias(site.desired, live))
            && self.is_as_applied(site)
        {
            return self.explain(Rule::ServiceSpelling);
        }
        if self.is_rewritten_beyond_us(site) {
            return self.explain(Rule::CreateOnlyRewritten);
        }
        if !self.would_overwrite(site) {
            self.add(site.spot, site.desired.clone(), Rule::Set);
        }
    }

    /// A value of another type than live's takes the place of all that live holds there: it must
    /// hold nothing that is read-only or create-only.
    pub(super) fn would_overwrite(&mut self, site: Site<'a>) -> bool {
        let Some(live) = site.live else { return false };
        let has = |class| removal::has_value(self.schema, site.spot, live, class);
        if self.schema.is_create_only(site.spot) {
            return false;
        }
        if has(Class::CreateOnly) {
            self.reason(Cause::CreateOnly);
            return true;
        }
        if has(Class::ReadOnly) {
            self.refuse_read_only("in part, and would be replaced by a value of another type");
            return true;
        }
        false
    }

    /// A transform that fits any desired value must not hide that the user changed it.
    fn is_masked_change(&self, site: Site<'a>, live: &'a Value) -> bool {
        match self.schema.rewriting(site.spot) {
            Rewriting::Known(transform) => {
                site.desired != live
                    && site.applied.is_some_and(|before| before != site.desired)
                    && !transform.follows_desired(site.holder, self.root, live)
            }
            Rewriting::None | Rewriting::BeyondUs => false,
        }
    }

    /// A create-only value that the service rewrites, in a way we cannot follow, would otherwise
    /// ask for a replacement for ever.
    fn is_rewritten_beyond_us(&self, site: Site<'a>) -> bool {
        self.schema.is_create_only(site.spot)
            && matches!(self.schema.rewriting(site.spot), Rewriting::BeyondUs)
            && site.applied == Some(site.desired)
    }

    /// Whether the values are the same, explaining how if they do not look it.
    pub(super) fn is_alike(&mut self, site: Site<'a>, live: &Value) -> bool {
        let holders = self.holders(site.holder);
        match equal::likeness(self.schema, site.spot, holders, site.desired, live) {
            Likeness::Exact => true,
            Likeness::Spelled(spelling) => {
                self.explain(Rule::of_spelling(spelling));
                true
            }
            Likeness::Different => false,
        }
    }

    /// A transform may say of a whole array or object how the service rewrites it.
    pub(super) fn is_settled_by_transform(&mut self, site: Site<'a>, live: &'a Value) -> bool {
        !matches!(self.schema.rewriting(site.spot), Rewriting::None)
            && site.desired != live
            && self.is_alike(site, live)
    }

    fn object(&mut self, site: Site<'a>) {
        let Site { spot, desired, .. } = site;
        let before = site.applied.and_then(Value::as_object);
        // What a read never returns is compared as if live had nothing, whatever skeleton it shows.
        let live = site.live.filter(|_| !self.schema.at(spot).is_hidden());
        match live {
            Some(live @ Value::Object(shown)) => {
                if self.is_settled_by_transform(site, live) {
                    return;
                }
                let is_policy = self.schema.shape(spot).is_map()
                    && (policy::looks_like_policy(desired) || policy::looks_like_policy(live));
                if self.schema.begins_no_resend(spot) {
                    self.object_sent_whole(spot, desired, before, shown);
                } else if !is_policy {
                    self.members(spot, desired, before, shown);
                } else if !self.is_alike(site, live) {
                    self.add(spot, self.sendable(spot, desired), Rule::PolicyWritten);
                }
            }
            None => self.object_that_live_lacks(spot, desired, before),
            Some(other) => {
                if !self.is_alike(site, other) && !self.would_overwrite(site) {
                    self.below_new(|walk| walk.members(spot, desired, before, &NO_MEMBERS));
                    self.create_only_reasons(spot, desired);
                    self.add(spot, self.sendable(spot, desired), Rule::Set);
                }
            }
        }
    }

    /// An object whose sending has an effect goes whole when anything in it changed, else not.
    fn object_sent_whole(
        &mut self,
        spot: Spot,
        desired: &'a Value,
        applied: Option<&'a Map<String, Value>>,
        live: &'a Map<String, Value>,
    ) {
        let explained = self.explanations.len();
        let frame = self.below_new(|walk| walk.members(spot, desired, applied, live));
        if !frame.operations.is_empty() {
            self.forget(explained, Rule::WriteOnlyNotRepeated);
            self.add(spot, self.sendable(spot, desired), Rule::WriteOnlyChanged);
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
        if self.schema.shape(spot).is_map()
            && equal::is_hollow(desired)
            && equal::is_same_as_absent(self.schema, spot, desired)
        {
            return self.explain(Rule::EmptyIsAbsent);
        }
        let explained = self.explanations.len();
        let frame = self.below_new(|walk| walk.members(spot, desired, applied, &NO_MEMBERS));
        if !frame.operations.is_empty() {
            self.forget(explained, Rule::WriteOnlyNotRepeated);
        }
        // An object whose members the schema names is a value, however little it holds.
        let is_value_of_its_own = equal::is_hollow(desired)
            && !self.schema.at(spot).is_hidden()
            && !self.schema.shape(spot).is_map()
            && !self.is_wholly_read_only(spot);
        if !frame.operations.is_empty() || is_value_of_its_own {
            if self.schema.is_create_only(spot) && !is_value_of_its_own {
                // The members have given their reasons.
                return;
            }
            self.create_only_reasons(spot, desired);
            self.add(spot, self.made_of(spot, desired, &frame), Rule::ObjectAdded);
        } else if !frame.repeats.is_empty() {
            self.repeat(self.made_of(spot, desired, &frame));
        }
    }

    /// An object as it is sent where live has none: as desired states it; of a secret in parts, the
    /// parts that may be sent.
    fn made_of(&self, spot: Spot, desired: &Value, frame: &Frame) -> Value {
        if self.schema.at(spot).is_hidden() {
            frame.applied_to(&Value::Object(Map::new()))
        } else {
            self.sendable(spot, desired)
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

    fn read_only(&mut self, site: Site<'a>) {
        let Site { spot, desired, live, .. } = site;
        let holders = self.holders(site.holder);
        if live.is_some() && equal::shows(self.schema, spot, holders, desired, live) {
            return self.explain(Rule::ReadOnlyEqual);
        }
        let differs = live.is_some();
        self.refuse_read_only(if differs {
            "and differs from the live value"
        } else {
            "and has no live value"
        });
    }

    fn refuse_read_only(&mut self, why: &str) {
        let pointer = self.pointer();
        let message = format!("`{pointer}` is read-only {why}: only AWS can set it");
        let hint = format!("remove `{pointer}` from the desired properties");
        self.errors
            .push(Diagnostic::error(codes::READ_ONLY_STATED, message).pointer(pointer).hint(hint));
    }

    fn secret(&mut self, spot: Spot, desired: &'a Value) {
        self.read_only_inside(spot, desired);
        let value = secret::without_nulls(desired);
        let recorded = self.record.compare(&self.secret_path(), &value);
        if self.schema.is_create_only_secret(spot) {
            return match recorded {
                Recorded::Different => self.reason(Cause::CreateOnlySecret),
                Recorded::Never if self.is_applied => self.reason(Cause::CreateOnlySecretAdded),
                Recorded::Never => self.explain(Rule::CreateOnlySecretRecorded),
                Recorded::Incomparable => self.explain(Rule::WriteOnlyIncomparable),
                Recorded::Same => self.explain(Rule::CreateOnlySecretSame),
            };
        }
        match recorded {
            // The create-only part of a larger secret goes with it as it was, or not at all.
            Recorded::Different if self.schema.is_create_only(spot) => {
                self.reason(Cause::CreateOnlySecret);
            }
            Recorded::Never if self.schema.is_create_only(spot) && self.is_applied => {
                self.reason(Cause::CreateOnlySecretAdded);
            }
            Recorded::Never if self.schema.is_create_only(spot) => {
                self.explain(Rule::CreateOnlySecretRecorded);
            }
            Recorded::Different => self.add(spot, value.into_owned(), Rule::WriteOnlyChanged),
            Recorded::Never => self.add(spot, value.into_owned(), Rule::WriteOnlyFirstSent),
            Recorded::Same | Recorded::Incomparable => {
                if recorded == Recorded::Incomparable {
                    self.explain(Rule::WriteOnlyIncomparable);
                }
                // Inside an array the value goes with its element or is lost.
                if self.schema.at(spot).has(Class::NoResend) && self.array_depth == 0 {
                    self.explain(Rule::WriteOnlyNotRepeated);
                } else {
                    self.repeat(value.into_owned());
                }
            }
        }
    }

    /// A secret is compared whole, so what only the service sets in it is looked for apart.
    fn read_only_inside(&mut self, spot: Spot, value: &'a Value) {
        if value.is_null() {
            return;
        }
        if self.schema.is_read_only(spot) {
            return self.refuse_read_only("and not returned by AWS");
        }
        if !self.schema.below(spot).has(Class::ReadOnly) {
            return;
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    self.path.push(Segment::Member(name));
                    self.read_only_inside(self.schema.member(spot, name), member);
                    self.path.pop();
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Segment::Element(index, None));
                    self.read_only_inside(self.schema.element(spot), item);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }
}

/// Null says nothing, wherever it comes from.
pub(super) fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}
