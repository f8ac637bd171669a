//! What changes inside of a property that is written, part by part, and why.

use hangar_schema::{
    Cause, Explanation, Leaf, Origin, Outcome, Patch, Recorded, Rule, SecretRecord, Subject,
    TypeSchema,
};
use serde_json::{Map, Value};

use super::differ::MAY;
use super::masked::holds_sign;
use super::property::{Page, is_below, may_replace};

/// All that is known of the differences of one resource.
pub(super) struct Parts<'a> {
    pub(super) schema: &'a TypeSchema,
    pub(super) page: &'a Page<'a>,
    pub(super) patch: &'a Patch,
    /// What is on record of its secrets.
    pub(super) record: &'a dyn SecretRecord,
    /// Every difference, with signs in the place of secrets.
    pub(super) leaves: &'a [Leaf],
    /// Where what was applied is not known, because there is a secret in it.
    pub(super) missing: &'a [String],
    /// With what may not be shown.
    pub(super) live: &'a Value,
    pub(super) goal: &'a Value,
    /// The goal with signs in the place of what AWS returns, and without the rest.
    pub(super) shown: &'a Value,
}

impl Parts<'_> {
    /// A property that is written, with its parts where it is more than one value.
    pub(super) fn told(
        &self,
        path: &str,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Map<String, Value> {
        let mut told = self.page.value(path, before, after);
        let leaves = self.leaves_of(path);
        match leaves.as_slice() {
            [leaf] if leaf.path == path => {
                told.extend(leaf.keyed.as_ref().map(|it| ("keyed".to_owned(), it.as_str().into())));
            }
            _ => {
                let parts = leaves.iter().map(|leaf| self.part(leaf));
                let parts: Vec<Value> = parts.chain(self.secrets_below(path)).collect();
                if !parts.is_empty() {
                    told.insert("parts".to_owned(), parts.into());
                }
            }
        }
        told
    }

    /// Says of a property that an update writes why it does.
    pub(super) fn explain(&self, path: &str, told: &mut Map<String, Value>) {
        let (cause, reason) = self.why(path);
        told.extend(cause.map(|cause| ("cause".to_owned(), cause.into())));
        told.insert("reason".to_owned(), reason.into());
        let is_conditional = self.patch.may_replace().any(|it| it == path || is_below(it, path));
        if is_conditional {
            told.insert(MAY.to_owned(), true.into());
        }
    }

    fn leaves_of(&self, path: &str) -> Vec<&Leaf> {
        let is_of = |leaf: &&Leaf| leaf.path == path || is_below(&leaf.path, path);
        self.leaves.iter().filter(is_of).collect()
    }

    fn part(&self, leaf: &Leaf) -> Value {
        let Leaf { path, before, after, .. } = leaf;
        let is_secret = self.is_secret(leaf);
        let mut told = self.page.part(path, before.as_ref(), after.as_ref(), is_secret);
        told.extend(leaf.keyed.as_ref().map(|it| ("keyed".to_owned(), it.as_str().into())));
        if let Some(origin) = self.origin(leaf) {
            told.insert("cause".to_owned(), origin.name().into());
            told.insert("reason".to_owned(), text(origin).into());
        }
        if may_replace(self.schema, &leaf.path) {
            told.insert(MAY.to_owned(), true.into());
        }
        Value::Object(told)
    }

    fn is_secret(&self, leaf: &Leaf) -> bool {
        let is_at = |it: &String| leaf.path == *it || is_below(&leaf.path, it);
        let is_stated = || self.page.stated.secret_paths.iter().any(is_at);
        (leaf.after.is_some() && is_stated())
            || [&leaf.before, &leaf.after].into_iter().flatten().any(holds_sign)
    }

    /// Who changed it, where that is known: what is on record of an element may be of another by now.
    fn origin(&self, leaf: &Leaf) -> Option<Origin> {
        let is_missing = self.missing.iter().any(|it| *it == leaf.path || is_below(&leaf.path, it));
        let is_secret = leaf.after.is_some() && self.is_secret(leaf);
        match is_secret.then(|| self.of_secret(&leaf.path)).flatten() {
            Some(origin) if origin != Origin::FirstStated => Some(origin),
            _ => Some(leaf.origin).filter(|it| !is_missing || *it == Origin::NoRecord),
        }
    }

    /// The secrets inside of a property that AWS does not return and that are written.
    fn secrets_below(&self, path: &str) -> impl Iterator<Item = Value> {
        let hidden = self.page.hidden.iter().filter(move |it| is_below(it, path));
        let other = hidden.filter(|it| {
            let after = self.goal.pointer(it);
            after.is_some() && self.shown.pointer(it).is_none() && self.live.pointer(it) != after
        });
        other.map(|it| {
            let (before, after) = (self.live.pointer(it), self.goal.pointer(it));
            Value::Object(self.page.value(it, before, after))
        })
    }

    /// The rule behind the operation at a path; where only a new resource will do, no operation is made of it.
    fn rule(&self, path: &str) -> Option<Rule> {
        let is_update = self.patch.outcome == Outcome::Update;
        let is_of_operation = |it: &&Explanation| match it.subject {
            Subject::Add | Subject::Remove => true,
            Subject::Within => false,
            Subject::Suppressed => !is_update && !is_remark(it.rule),
        };
        let mut found = self.patch.explanations.iter().filter(|it| it.path == path);
        found.find(is_of_operation).map(|it| it.rule)
    }

    fn why(&self, path: &str) -> (Option<&'static str>, String) {
        let rule = self.rule(path);
        let by_rule = match rule {
            Some(Rule::WriteOnlyChanged) => "the write-only value differs from the applied one",
            Some(Rule::WriteOnlyFirstSent) => {
                "write-only, and no record of it exists: it is sent once"
            }
            Some(Rule::WriteOnlyRepeated) => {
                "unchanged, but sent again: AWS loses write-only values that an update does not \
                 repeat"
            }
            Some(Rule::DefaultWritten) => {
                "no longer in the template: its default is written, because AWS ignores a removal"
            }
            Some(Rule::NoLongerStated) => text(Origin::NoLongerStated),
            _ => "",
        };
        if let Some(rule) = rule.filter(|_| !by_rule.is_empty()) {
            return (Some(rule.name()), by_rule.to_owned());
        }
        let mut origins: Vec<Origin> =
            self.leaves_of(path).iter().filter_map(|leaf| self.origin(leaf)).collect();
        origins.sort_unstable();
        origins.dedup();
        if origins.is_empty() {
            origins.extend(self.of_secret(path));
        }
        match origins.as_slice() {
            [] => (rule.map(Rule::name), rule.map(Rule::text).unwrap_or_default().to_owned()),
            [one] => (Some(one.name()), text(*one).to_owned()),
            several => {
                let texts: Vec<&str> = several.iter().map(|origin| text(*origin)).collect();
                (None, texts.join("; "))
            }
        }
    }

    /// Who changed a value that only the template calls secret, or that holds one: what was applied is known by its
    /// hash.
    fn of_secret(&self, path: &str) -> Option<Origin> {
        let recorded = |path: &str| {
            let stated = self.page.stated.properties.pointer(path)?;
            Some(self.record.compare(path, stated))
        };
        if self.page.is_secret(path) {
            return match recorded(path)? {
                Recorded::Same => Some(Origin::Drifted),
                Recorded::Different => Some(Origin::Stated),
                Recorded::Never => Some(Origin::FirstStated),
                Recorded::Incomparable => None,
            };
        }
        let mut inside = self.page.hidden.iter().filter(|it| is_below(it, path));
        inside.any(|it| recorded(it) == Some(Recorded::Different)).then_some(Origin::Stated)
    }
}

/// Why only a new resource can have a property.
pub(super) const fn why_new(cause: Cause) -> &'static str {
    match cause {
        Cause::CreateOnly => "can be set at creation only",
        Cause::CreateOnlyInElement => {
            "an added or removed element has a member that can be set at creation only"
        }
        Cause::CreateOnlySecret => {
            "write-only, can be set at creation only, and differs from the applied value"
        }
        Cause::CreateOnlySecretAdded => {
            "write-only, can be set at creation only, and was not applied before"
        }
        Cause::Immutable => "the type cannot be updated",
    }
}

/// Whether a rule says something beside what is done.
const fn is_remark(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::MayReplace
            | Rule::DeprecatedStated
            | Rule::HiddenTag
            | Rule::AttributeNotOwned
            | Rule::OrderIgnored
            | Rule::OrderOfService
            | Rule::AddedByOthers
            | Rule::RemovalIgnored
    )
}

/// Who changed it, in words.
const fn text(origin: Origin) -> &'static str {
    match origin {
        Origin::NoRecord => "no applied value is recorded",
        Origin::FirstStated => "set for the first time",
        Origin::Stated => "the template changed it",
        Origin::Drifted => "drifted: it was changed in AWS since it was applied",
        Origin::StatedAndDrifted => {
            "the template changed it, and it was changed in AWS since it was applied"
        }
        Origin::NoLongerStated => "no longer in the template",
        Origin::NeverStated => "drifted: it was added in AWS and is not in the template",
    }
}
