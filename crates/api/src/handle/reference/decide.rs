//! What a `PUT` or a `PATCH` on a reference asks of the engine, and where: pure.

use hangar_engine::{Ask, Condition};
use hangar_plan::operation::Entry;
use hangar_plan::record::{AwsScope, Reference};
use hangar_schema::TypeSchema;

use crate::body::{ReferenceBody, ReferenceChange, Wanted};
use crate::error::{ApiError, Code};
use crate::names;

/// Returns the scope of an existing reference, which stays the same.
pub(super) fn kept_scope(
    given: Option<&AwsScope>,
    reference: &Reference,
) -> Result<AwsScope, ApiError> {
    match given {
        Some(given) if !names::is_same_scope(given, &reference.scope) => {
            let message = format!(
                "the reference {} is in {} and cannot move to {given}; use another alias there",
                reference.name.id(),
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
            "neither the request, nor its group, nor the server names an account and a region; add \
             `\"mapsTo\": {\"scope\": \"/planes/aws/aws/accounts/<account>/regions/<region>\"}`, \
             or set the group's `properties.providers.aws.scope`",
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
    let ReferenceBody { wanted, owned, permits, secret_paths, .. } = body;
    let is_kept = identifier.is_none() || identifier.as_deref() == mapped;
    let owned_now = existing.filter(|_| is_kept && mapped.is_some()).map(|entry| entry.owned);
    let properties = wanted.map(Wanted::value);
    let changes_owner = owned_now.is_some() && owned.is_some() && owned != owned_now;
    let handed_over = mapped.filter(|_| changes_owner).map(str::to_owned);
    if let Some(identifier) = identifier.or(handed_over) {
        if permits.replace {
            return Err(refused(
                "`replace` creates a new resource, so the body cannot also name a resource or \
                 change its ownership; send a separate PUT for that",
                "/replace",
            ));
        }
        let owned = owned.or(owned_now).unwrap_or(false);
        return Ok(Ask::Import { identifier, owned, properties, secret_paths });
    }
    if owned == Some(false) && owned_now.is_none() && !permits.adopt {
        return Err(refused(
            "Hangar owns the resources that it creates; `\"ownedResource\": false` requires \
             `mapsTo.primaryIdentifier`, `adopt`, or a resource that exists",
            "/ownedResource",
        ));
    }
    let Some(properties) = properties else {
        return Err(ApiError::new(
            Code::InvalidRequestContent,
            "the body has neither `properties` nor `mapsTo.primaryIdentifier`; send \
             `\"properties\": {}` for no properties",
        ));
    };
    // What is taken in is not owned unless the caller says so.
    let adopt = permits.adopt.then_some(owned.unwrap_or(false));
    Ok(Ask::Put { identifier: None, properties, secret_paths, replace: permits.replace, adopt })
}

/// Refuses a `PATCH` that would change what the alias stands for.
pub(super) fn check_kept(
    scope: Option<&AwsScope>,
    identifier: Option<&str>,
    reference: &Reference,
) -> Result<(), ApiError> {
    if scope.is_some_and(|scope| !names::is_same_scope(scope, &reference.scope)) {
        let message = format!(
            "the reference is in `{}` and cannot move to another account or region; remove `mapsTo`",
            reference.scope
        );
        return Err(refused(&message, "/mapsTo/scope"));
    }
    let mapped = reference.entry.identifier.as_deref();
    if identifier.is_some() && identifier != mapped {
        let message = "a PATCH cannot change which resource an alias maps to; remove `mapsTo`, or \
                       use a PUT";
        return Err(refused(message, "/mapsTo/primaryIdentifier"));
    }
    Ok(())
}

/// What a `PATCH` asks: a change of some properties; or, where it has none, that what is mapped is taken
/// in as it is, which changes who owns it and what it depends on, and nothing in the cloud.
pub(super) fn change(change: ReferenceChange, reference: &Reference) -> Result<Ask, ApiError> {
    let ReferenceChange { wanted, owned, secret_paths, .. } = change;
    let entry = &reference.entry;
    let owned = owned.unwrap_or(entry.owned);
    match (wanted, &entry.identifier) {
        (Some(_), _) if owned != entry.owned => Err(refused(
            "a PATCH changes the ownership of a resource or its `properties`, not both; send two \
             requests",
            "/ownedResource",
        )),
        (Some(wanted), _) => {
            Ok(Ask::Patch { identifier: None, properties: wanted.value(), secret_paths })
        }
        (None, Some(identifier)) => Ok(Ask::Import {
            identifier: identifier.clone(),
            owned,
            properties: None,
            secret_paths,
        }),
        (None, None) => Err(ApiError::new(
            Code::Conflict,
            "the alias does not map to a resource yet; wait for its operation, or resolve its \
             unknown create, and try again",
        )
        .with_target(reference.name.id())),
    }
}

fn refused(message: &str, target: &str) -> ApiError {
    ApiError::new(Code::InvalidRequestContent, message).with_target(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Permits;
    use hangar_ids::{AccountId, Region};
    use hangar_plan::Timestamp;
    use hangar_plan::operation::EntryState;
    use hangar_plan::record::{Documents, Version};

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
            permits: Permits::default(),
            depends_on: None,
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

    fn reference(identifier: &str, owned: bool) -> Reference {
        let id = "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/net";
        Reference {
            name: names::find_reference(&names::parse_id(id).unwrap()).unwrap().unwrap(),
            scope: scope("1"),
            entry: entry(identifier, owned),
            documents: Documents::default(),
            depends_on: vec![],
            drift: None,
            former_keys: vec![],
            managed_by: None,
            last_operation: None,
            created_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(0),
            version: Version(1),
        }
    }

    /// What a change asks, in a word or two.
    fn changed(properties: bool, owned: Option<bool>, reference: &Reference) -> String {
        let body = ReferenceChange {
            wanted: properties
                .then(|| Wanted { properties: serde_json::Map::new(), provisioning_state: None }),
            scope: None,
            identifier: None,
            owned,
            depends_on: None,
            secret_paths: vec![],
        };
        match change(body, reference) {
            Err(error) => error.code().to_owned(),
            Ok(Ask::Patch { .. }) => "patch".into(),
            Ok(Ask::Import { identifier, owned, properties: None, .. }) => {
                format!("import {identifier} {}", if owned { "owned" } else { "not owned" })
            }
            Ok(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn a_patch_without_properties_touches_nothing_in_the_cloud() {
        let (mine, nameless) = (reference("vpc-1", true), reference("", true));
        for (properties, owned, reference, expected) in [
            (true, None, &mine, "patch"),
            (true, Some(true), &mine, "patch"),
            (true, Some(false), &mine, "InvalidRequestContent"),
            (true, None, &nameless, "patch"),
            (false, Some(false), &mine, "import vpc-1 not owned"),
            (false, Some(true), &mine, "import vpc-1 owned"),
            (false, None, &mine, "import vpc-1 owned"),
            (false, None, &reference("vpc-1", false), "import vpc-1 not owned"),
            (false, Some(true), &nameless, "Conflict"),
        ] {
            let found = changed(properties, owned, reference);
            assert_eq!(found, expected, "{properties} {owned:?}");
        }
    }

    #[test]
    fn a_patch_keeps_what_the_alias_stands_for() {
        let mine = reference("vpc-1", true);
        let same = AwsScope { plane: "AWS".into(), ..scope("000000000001") };
        assert!(check_kept(None, None, &mine).is_ok());
        assert!(check_kept(Some(&same), Some("vpc-1"), &mine).is_ok());
        for (scope, identifier, target) in [
            (Some(scope("2")), None, "/mapsTo/scope"),
            (None, Some("vpc-2"), "/mapsTo/primaryIdentifier"),
            (Some(same), Some("VPC-1"), "/mapsTo/primaryIdentifier"),
        ] {
            let error = check_kept(scope.as_ref(), identifier, &mine).unwrap_err();
            assert_eq!(
                (error.status().as_u16(), error.value()["target"].clone()),
                (400, target.into())
            );
        }
    }

    #[test]
    fn permits_go_with_a_put_that_names_no_resource() {
        let body = |replace, adopt, owned| ReferenceBody {
            wanted: Some(Wanted { properties: serde_json::Map::new(), provisioning_state: None }),
            scope: None,
            identifier: None,
            owned,
            permits: Permits { replace, adopt },
            depends_on: None,
            secret_paths: vec![],
        };
        let put = |body| match ask(body, None, None) {
            Ok(Ask::Put { replace, adopt, .. }) => Some((replace, adopt)),
            _ => None,
        };
        assert_eq!(put(body(true, false, None)), Some((true, None)));
        assert_eq!(put(body(false, true, None)), Some((false, Some(false))));
        assert_eq!(put(body(false, true, Some(false))), Some((false, Some(false))));
        assert_eq!(put(body(false, true, Some(true))), Some((false, Some(true))));
        let named = ask(body(true, false, None), Some("vpc-1".into()), None).unwrap_err();
        assert_eq!(named.value()["target"], "/replace");
        let disowned = ask(body(true, false, Some(false)), None, Some(&entry("vpc-1", true)));
        assert_eq!(disowned.unwrap_err().value()["target"], "/replace");
        assert!(ask(body(false, true, None), Some("vpc-1".into()), None).is_ok());
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
