//! Names that a transaction holds until it ends, so that what it looked at stays so.
//!
//! Invariant: they are taken in one order by all (by kind, then by name), so that nobody waits in a
//! circle; where that cannot be, PostgreSQL finds the circle and one begins again.

use std::collections::BTreeMap;

use hangar_plan::record::{CredentialName, DeploymentName, PlaneName, RecipeName, Reference};
use sha2::{Digest as _, Sha256};

use crate::rules::{DeploymentPosition, RecipePosition};
use crate::{ReferencePosition, rules};

/// Takes locks in the order of the array, and tells the time when the last of them was granted.
pub(super) const TAKE: &str = "SELECT
        CASE WHEN alone THEN pg_advisory_xact_lock(key) ELSE pg_advisory_xact_lock_shared(key) END,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
    FROM unnest($1::bigint[], $2::boolean[]) AS wanted (key, alone)";

/// What can be held; the order is the one in which they are taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    /// The key of the store, and that nothing is sealed with another.
    Key,
    Plane(String),
    Group(String),
    Deployment(DeploymentPosition),
    Recipe(RecipePosition),
    Credential(String),
    Reference(ReferencePosition),
    Resource(String),
    Request(String),
}

/// Locks that a transaction begins with.
#[derive(Debug, Clone, Default)]
pub(super) struct Locks(BTreeMap<Name, Alone>);

/// Whether others may hold the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Alone {
    No,
    Yes,
}

impl Locks {
    pub(super) fn key(self, alone: Alone) -> Self {
        self.with(Name::Key, alone)
    }

    pub(super) fn plane(self, name: &PlaneName, alone: Alone) -> Self {
        self.with(Name::Plane(name.key()), alone)
    }

    pub(super) fn group(self, key: &str, alone: Alone) -> Self {
        self.with(Name::Group(key.to_owned()), alone)
    }

    /// A deployment, in a group that is not removed meanwhile.
    pub(super) fn deployment(self, name: &DeploymentName) -> Self {
        let held = self.group(&name.group.key(), Alone::No);
        held.with(Name::Deployment(rules::deployment_position(name)), Alone::Yes)
    }

    /// A recipe, in a group that is not removed meanwhile.
    pub(super) fn recipe(self, name: &RecipeName) -> Self {
        self.group(&name.group.key(), Alone::No).state(name)
    }

    /// The Terraform state of a recipe, which goes only with that; a group that has one is not removed.
    pub(super) fn state(self, name: &RecipeName) -> Self {
        self.with(Name::Recipe(rules::recipe_position(name)), Alone::Yes)
    }

    pub(super) fn credential(self, name: &CredentialName) -> Self {
        self.with(Name::Credential(name.key()), Alone::Yes)
    }

    pub(super) fn reference(self, at: &ReferencePosition) -> Self {
        self.with(Name::Reference(at.clone()), Alone::Yes)
    }

    pub(super) fn resource(self, key: &str) -> Self {
        self.with(Name::Resource(key.to_owned()), Alone::Yes)
    }

    pub(super) fn request(self, id: &str) -> Self {
        self.with(Name::Request(id.to_owned()), Alone::Yes)
    }

    /// A reference and every resource that is to be its.
    pub(super) fn held(self, reference: &Reference) -> Self {
        let at = rules::position(&reference.name);
        let keys = rules::held_keys(reference);
        keys.iter().fold(self.reference(&at), |locks, key| locks.resource(key))
    }

    fn with(mut self, name: Name, alone: Alone) -> Self {
        let held = self.0.entry(name).or_insert(alone);
        *held = (*held).max(alone);
        self
    }

    /// The numbers of the names, in order, and whether each is to be held alone. Two names with one number
    /// only wait for each other.
    pub(super) fn numbers(&self) -> (Vec<i64>, Vec<bool>) {
        self.0.iter().map(|(name, alone)| (number(name), *alone == Alone::Yes)).unzip()
    }
}

fn number(name: &Name) -> i64 {
    let mut digest = Sha256::new();
    let mut part = |text: &str| {
        digest.update(text);
        digest.update([0]);
    };
    match name {
        Name::Key => part("key"),
        Name::Plane(key) => ["plane", key].into_iter().for_each(part),
        Name::Group(key) => ["group", key].into_iter().for_each(part),
        Name::Deployment(at) => ["deployment", &at.group, &at.name].into_iter().for_each(part),
        Name::Recipe(at) => ["recipe", &at.group, &at.name].into_iter().for_each(part),
        Name::Credential(key) => ["credential", key].into_iter().for_each(part),
        Name::Reference(at) => {
            ["reference", &at.group, &at.type_key, &at.alias].into_iter().for_each(part);
        }
        Name::Resource(key) => ["resource", key].into_iter().for_each(part),
        Name::Request(id) => ["request", id].into_iter().for_each(part),
    }
    let digest = digest.finalize();
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | i64::from(*byte))
}
