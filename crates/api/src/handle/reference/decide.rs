//! What a `PUT` on a reference asks of the engine, and where: pure.

use hangar_engine::{Ask, Condition};
use hangar_plan::operation::Entry;
use hangar_plan::record::{AwsScope, Reference};
use hangar_schema::TypeSchema;

use crate::body::ReferenceBody;
use crate::error::{ApiError, Code};
use crate::names;

/// The scope of a reference that exists: it never changes.
pub(super) fn kept_scope(
    given: Option<&AwsScope>,
    reference: &Reference,
) -> Result<AwsScope, ApiError> {
    match given {
        Some(given) if !names::is_same_scope(given, &reference.scope) => {
            let message = format!(
                "the reference is in `{}`, and a reference's scope never changes; detach it, or use \
                 another alias",
                reference.scope
            );
            Err(ApiError::new(Code::ScopeMismatch, message).with_target("/mapsTo/scope"))
        }
        _ => Ok(reference.scope.clone()),
    }
}

/// The scope of a new reference: the request's, the group's, the server's.
pub(super) fn new_scope(
    given: Option<&AwsScope>,
    of_group: Option<&AwsScope>,
    of_server: Option<&AwsScope>,
) -> Result<AwsScope, ApiError> {
    given.or(of_group).or(of_server).cloned().ok_or_else(|| {
        ApiError::new(
            Code::ScopeRequired,
            "neither the request, nor its group, nor the server says which account and region; add \
             `\"mapsTo\": {\"scope\": \"/planes/aws/aws/accounts/<account>/regions/<region>\"}`, or set \
             the group's `properties.providers.aws.scope`",
        )
    })
}

/// What a caller who names a resource means. One of a type that cannot be read cannot be imported:
/// where the alias maps it already, it is a put on condition that the reference is still there.
pub(super) fn named(
    identifier: String,
    handler: ReadHandler,
    condition: Condition,
    existing: Option<&Entry>,
) -> (Option<String>, Condition) {
    let mapped = existing.and_then(|entry| entry.identifier.as_ref());
    if handler == ReadHandler::Present || mapped != Some(&identifier) {
        return (Some(identifier), condition);
    }
    let there = Condition::Matches(Vec::new());
    (None, if condition == Condition::None { there } else { condition })
}

/// Whether a type can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadHandler {
    Present,
    Lacking,
}

impl ReadHandler {
    pub(super) fn of(schema: &TypeSchema) -> Self {
        if schema.handlers().read.is_some() { Self::Present } else { Self::Lacking }
    }
}

/// What is asked for: a put; or an import, where the caller names a resource, or changes who owns
/// the one that is mapped.
///
/// Invariant: a body that names a resource never creates another one. The reference can go between
/// this reading of it and the engine's, so it is an import even where the alias maps it already.
pub(super) fn ask(
    body: ReferenceBody,
    identifier: Option<String>,
    existing: Option<&Entry>,
) -> Result<Ask, ApiError> {
    let mapped = existing.and_then(|entry| entry.identifier.as_deref());
    let ReferenceBody { wanted, owned, secret_paths, .. } = body;
    let is_kept = identifier.is_none() || identifier.as_deref() == mapped;
    let owned_now = existing.filter(|_| is_kept && mapped.is_some()).map(|entry| entry.owned);
    let properties = wanted.map(crate::body::Wanted::value);
    let changes_owner = owned_now.is_some() && owned.is_some() && owned != owned_now;
    let handed_over = mapped.filter(|_| changes_owner).map(str::to_owned);
    if let Some(identifier) = identifier.or(handed_over) {
        let owned = owned.or(owned_now).unwrap_or(false);
        return Ok(Ask::Import { identifier, owned, properties, secret_paths });
    }
    if owned == Some(false) && owned_now.is_none() {
        return Err(ApiError::new(
            Code::InvalidRequestContent,
            "what is created through Hangar is owned; `\"ownedResource\": false` goes with \
             `mapsTo.primaryIdentifier`, or with a resource that exists",
        )
        .with_target("/ownedResource"));
    }
    let Some(properties) = properties else {
        return Err(ApiError::new(
            Code::InvalidRequestContent,
            "the body has neither `properties` nor `mapsTo.primaryIdentifier`; \
             `\"properties\": {}` says that none is wanted",
        ));
    };
    Ok(Ask::Put { identifier: None, properties, secret_paths, replace: false, adopt: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Wanted;
    use hangar_ids::{AccountId, Region};
    use hangar_plan::operation::EntryState;

    fn scope(account: &str) -> AwsScope {
        AwsScope {
            plane: "aws".into(),
            account: AccountId::parse(account).unwrap(),
            region: Region::parse("us-east-1").unwrap(),
        }
    }

    #[test]
    fn a_new_reference_takes_the_first_scope_that_is_said() {
        let (a, b, c) = (scope("1"), scope("2"), scope("3"));
        let of = |given, group, server| new_scope(given, group, server).ok();
        assert_eq!(of(Some(&a), Some(&b), Some(&c)), Some(a.clone()));
        assert_eq!(of(None, Some(&b), Some(&c)), Some(b.clone()));
        assert_eq!(of(None, None, Some(&c)), Some(c.clone()));
        assert_eq!(new_scope(None, None, None).unwrap_err().code(), "ScopeRequired");
    }

    fn entry(identifier: &str, owned: bool) -> Entry {
        Entry {
            identifier: (!identifier.is_empty()).then(|| identifier.to_owned()),
            owned,
            state: EntryState::Ready,
            operation: None,
            unsettled: vec![],
            retiring: vec![],
            failed_at: None,
        }
    }

    /// What is asked, in a word or two, for a body and an entry.
    fn asked(
        properties: bool,
        identifier: Option<&str>,
        owned: Option<bool>,
        entry: Option<(&str, bool)>,
    ) -> String {
        let body = ReferenceBody {
            wanted: properties
                .then(|| Wanted { properties: serde_json::Map::new(), provisioning_state: None }),
            scope: None,
            identifier: None,
            owned,
            secret_paths: vec![],
        };
        let entry = entry.map(|(identifier, owned)| self::entry(identifier, owned));
        match ask(body, identifier.map(str::to_owned), entry.as_ref()) {
            Err(error) => error.code().to_owned(),
            Ok(Ask::Put { .. }) => "put".into(),
            Ok(Ask::Import { identifier, owned, properties, .. }) => {
                let applied = if properties.is_some() { " and apply" } else { "" };
                format!(
                    "import {identifier} {}{applied}",
                    if owned { "owned" } else { "not owned" }
                )
            }
            Ok(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn what_cannot_be_read_is_put_only_while_its_reference_is_there() {
        let entry = entry("x-1", true);
        let there = || Condition::Matches(vec![]);
        let tag = || Condition::Matches(vec!["t".into()]);
        let table = [
            ("x-1", ReadHandler::Present, Condition::None, Some("x-1"), Condition::None),
            ("x-1", ReadHandler::Lacking, Condition::None, None, there()),
            ("x-1", ReadHandler::Lacking, tag(), None, tag()),
            ("x-2", ReadHandler::Lacking, Condition::None, Some("x-2"), Condition::None),
        ];
        for (identifier, handler, condition, expected, then) in table {
            let found = named(identifier.into(), handler, condition, Some(&entry));
            assert_eq!(found, (expected.map(str::to_owned), then), "{identifier} {handler:?}");
        }
        let (found, _) = named("x-1".into(), ReadHandler::Lacking, Condition::None, None);
        assert_eq!(found.as_deref(), Some("x-1"));
    }

    #[test]
    fn a_put_is_a_put_or_where_it_names_a_resource_an_import() {
        let (yes, no) = (Some(true), Some(false));
        let refused = "InvalidRequestContent";
        let table = [
            // properties, identifier, owned, what is mapped now
            (true, None, None, None, "put"),
            (true, None, yes, None, "put"),
            (true, None, no, None, refused),
            (false, None, None, None, refused),
            (true, None, None, Some(("vpc-1", true)), "put"),
            (true, None, no, Some(("vpc-1", false)), "put"),
            (true, None, no, Some(("", true)), refused),
            (false, None, None, Some(("vpc-1", true)), refused),
            // What a GET answered, put back.
            (true, Some("vpc-1"), yes, Some(("vpc-1", true)), "import vpc-1 owned and apply"),
            (true, Some("vpc-1"), None, Some(("vpc-1", true)), "import vpc-1 owned and apply"),
            (true, Some("vpc-1"), None, Some(("vpc-1", false)), "import vpc-1 not owned and apply"),
            // Ownership changes hands.
            (false, None, yes, Some(("vpc-1", false)), "import vpc-1 owned"),
            (true, None, no, Some(("vpc-1", true)), "import vpc-1 not owned and apply"),
            // Imports.
            (false, Some("vpc-1"), None, None, "import vpc-1 not owned"),
            (false, Some("vpc-1"), yes, None, "import vpc-1 owned"),
            (true, Some("vpc-1"), None, None, "import vpc-1 not owned and apply"),
            (false, Some("vpc-1"), None, Some(("vpc-1", true)), "import vpc-1 owned"),
            (false, Some("vpc-2"), None, Some(("vpc-1", true)), "import vpc-2 not owned"),
            (true, Some("vpc-2"), yes, Some(("vpc-1", true)), "import vpc-2 owned and apply"),
            (true, Some("vpc-1"), yes, Some(("", true)), "import vpc-1 owned and apply"),
        ];
        for (properties, identifier, owned, entry, expected) in table {
            let found = asked(properties, identifier, owned, entry);
            assert_eq!(found, expected, "{properties} {identifier:?} {owned:?} {entry:?}");
        }
    }
}
