//! A test aid of debug builds: the process ends itself exactly before or after a named call.
//!
//! `HANGAR_DIE_AT=<store|aws>.<call>.<before|after>[.n]` names the call, and which one of its kind; the first
//! where that is not said. A release build knows nothing of it: this module is not in it.

mod provider;
mod store;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hangar_provider::Provider;
use hangar_store::Store;
use hangar_store::gate::Gated;

/// What a call is a call of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Store,
    Aws,
}

/// On which side of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Before,
    After,
}

/// The writes of the store.
const STORE: &[&str] = &[
    "group_put",
    "reference_save",
    "reference_rename",
    "plane_put",
    "plane_remove",
    "credential_put",
    "credential_remove",
    "key_rotate",
    "operation_reserve",
    "operation_claim",
    "operation_renew",
    "operation_commit",
    "operation_cancel",
    "lease_end_all",
    "operation_prune",
    "budget_take",
    "budget_throttled",
    "note_keep",
    "note_put",
    "schema_put",
    "key_check_put",
];

/// The calls of AWS.
const AWS: &[&str] = &[
    "observe",
    "create",
    "update",
    "delete",
    "poll",
    "requests",
    "cancel",
    "list",
    "describe_type",
    "identity",
];

/// Where a process dies.
#[derive(Debug)]
pub(crate) struct Death {
    of: Of,
    call: &'static str,
    when: When,
    /// So many of these calls are yet to come, this one included.
    left: AtomicU64,
}

impl Death {
    /// Reads the place; a place that does not exist would let a test pass for nothing.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("HANGAR_DIE_AT: `{text}`: {why}");
        let parts: Vec<&str> = text.split('.').collect();
        let (of, call, when, count) = match parts[..] {
            [of, call, when] => (of, call, when, "1"),
            [of, call, when, count] => (of, call, when, count),
            _ => return Err(wrong("write <store|aws>.<call>.<before|after>[.n]")),
        };
        let (of, calls) = match of {
            "store" => (Of::Store, STORE),
            "aws" => (Of::Aws, AWS),
            _ => return Err(wrong("it is neither `store` nor `aws`")),
        };
        let known = calls.iter().find(|known| **known == call);
        let call = *known.ok_or_else(|| wrong("the call does not exist"))?;
        let when = match when {
            "before" => When::Before,
            "after" => When::After,
            _ => return Err(wrong("it is neither `before` nor `after`")),
        };
        let count: u64 = count.parse().map_err(|_| wrong("it does not end in a number"))?;
        Ok(Self { of, call, when, left: AtomicU64::new(count.max(1)) })
    }

    fn passes(&self, of: Of, call: &str, when: When) {
        if (self.of, self.call, self.when) != (of, call, when) {
            return;
        }
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            std::process::abort();
        }
    }
}

/// A store that is called by a process that may die at it.
pub(super) fn store(death: Option<&Arc<Death>>, inner: Arc<dyn Store>) -> Arc<dyn Store> {
    match death {
        Some(death) => Arc::new(Gated::new(store::Deathbed(Arc::clone(death)), inner)),
        None => inner,
    }
}

/// An AWS that is called by a process that may die at it.
pub(super) fn provider(death: Option<&Arc<Death>>, inner: Arc<dyn Provider>) -> Arc<dyn Provider> {
    match death {
        Some(death) => Arc::new(provider::MortalAws::new(Arc::clone(death), inner)),
        None => inner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_does_not_exist_is_refused() {
        for wrong in [
            "",
            "store",
            "store.operation_commit",
            "store.operation_comit.before",
            "aws.operation_commit.before",
            "store.create.before",
            "disk.write.before",
            "aws.create.during",
            "aws.create.after.x",
            "aws.create.after.1.2",
        ] {
            assert!(Death::parse(wrong).is_err(), "{wrong}");
        }
        let death = Death::parse("aws.create.after.3").unwrap();
        assert_eq!((death.of, death.call, death.when), (Of::Aws, "create", When::After));
        // Two of three, and others that are not meant.
        for _ in 0..2 {
            death.passes(Of::Aws, "create", When::After);
            death.passes(Of::Aws, "create", When::Before);
            death.passes(Of::Store, "create", When::After);
        }
        assert_eq!(death.left.load(Ordering::SeqCst), 1);
    }
}
