//! From parsed ids to the names that the rest works with: groups, references, collections.
//!
//! A type is looked up in the catalog here, so that everything behind has its one spelling.

use std::sync::LazyLock;

use hangar_ids::{AccountId, Kind, Region, ResourceId, Segment, TypeName};
use hangar_plan::deployment::OnRemove;
use hangar_plan::record::{AwsScope, GroupName, PlaneKind, PlaneName, ReferenceName, Subject};
use hangar_schema::Catalog;

use crate::error::{ApiError, Code};

/// The radius plane that operations are in, whatever plane they work on.
pub(crate) const LOCAL: &str = "local";

/// Opened once: every request that names a type looks it up.
static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::bundled);

/// All resources of one type in one account and region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Collection {
    pub(crate) scope: AwsScope,
    pub(crate) type_name: TypeName,
}

impl Collection {
    /// What a call on a resource of it is about, where no reference is involved.
    pub(crate) fn subject(&self) -> Subject {
        Subject::new(self.scope.clone(), self.type_name.clone(), None)
    }

    /// The same through a reference.
    pub(crate) fn subject_of(&self, reference: ReferenceName) -> Subject {
        Subject { reference: Some(reference), ..self.subject() }
    }
}

/// Reads a resource id that a caller wrote.
pub(crate) fn parse_id(text: &str) -> Result<ResourceId, ApiError> {
    ResourceId::parse(text).map_err(|found| {
        ApiError::diagnosed(Code::InvalidResourceId, &found).with_target(text.to_owned())
    })
}

/// The catalog's spelling of a type, or what was perhaps meant.
pub(crate) fn known_type(text: &str) -> Result<TypeName, ApiError> {
    let unknown = |near: Option<&str>| {
        let meant = near.and_then(|near| TypeName::parse(near).ok());
        let hint = meant.map_or_else(
            || String::from("`hangar schema list` lists the types"),
            |near| format!("did you mean `{near}`?"),
        );
        ApiError::new(
            Code::InvalidResourceType,
            format!("there is no resource type `{text}`; {hint}"),
        )
        .with_target(text)
    };
    let catalog = *CATALOG;
    let Ok(name) = TypeName::parse(text) else {
        let spelt = text.replace(['.', '/'], "::");
        return Err(unknown(hangar_diag::nearest(&spelt, catalog.names())));
    };
    let name = name.cloud_formation();
    let Some(spelling) = catalog.spelling(&name) else {
        return Err(unknown(hangar_diag::nearest(&name, catalog.names())));
    };
    TypeName::parse(spelling).map_err(|_| unknown(None))
}

/// The kind of planes that a word of an id names, if it is one that works.
pub(crate) fn plane_kind(word: &str) -> Option<PlaneKind> {
    [PlaneKind::Aws, PlaneKind::Radius].into_iter().find(|kind| is(word, kind.as_str()))
}

/// The plane that an id names; nothing where it names something else, or a plane of another kind.
pub(crate) fn find_plane(id: &ResourceId) -> Option<PlaneName> {
    let (Kind::Scope, [_], Some((kind, name))) = (id.kind(), id.scopes(), id.plane()) else {
        return None;
    };
    Some(PlaneName { kind: plane_kind(kind)?, name: name.to_owned() })
}

/// The name of a credential: a plane's default, or an account, with the zeros that it may be written
/// without.
pub(crate) fn credential_name(text: &str) -> Result<String, ApiError> {
    if is(text, hangar_engine::DEFAULT_CREDENTIAL) {
        return Ok(hangar_engine::DEFAULT_CREDENTIAL.to_owned());
    }
    let refused = |_| {
        let message = format!(
            "`{}` is not a valid name for a credential; use `default`, or the number of its account",
            text.chars().take(80).collect::<String>()
        );
        ApiError::new(Code::InvalidResourceId, message)
    };
    AccountId::parse(text).map(|account| account.padded()).map_err(refused)
}

/// Checks the name of a plane that is to be made.
pub(crate) fn check_plane_name(name: &str) -> Result<(), ApiError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if (1..=63).contains(&name.len()) && name.chars().all(allowed) {
        return Ok(());
    }
    Err(ApiError::new(
        Code::InvalidPlaneName,
        format!(
            "`{}` is not a valid name for a plane; use 1 to 63 ASCII letters, digits and `-`",
            name.escape_debug()
        ),
    )
    .with_target(name))
}

/// The group that an id names; nothing where it names something else.
pub(crate) fn find_group(id: &ResourceId) -> Option<GroupName> {
    let (Kind::Scope, [_, group]) = (id.kind(), id.scopes()) else { return None };
    match (id.plane(), group.name()) {
        (Some((radius, plane)), Some(name)) if is(radius, "radius") && is_group(group) => {
            Some(GroupName { plane: plane.to_owned(), group: name.to_owned() })
        }
        _ => None,
    }
}

/// The reference that an id names; nothing where it names something else.
pub(crate) fn find_reference(id: &ResourceId) -> Result<Option<ReferenceName>, ApiError> {
    let (Some(type_text), Some(alias)) = (id.reference_type(), id.name()) else { return Ok(None) };
    if id.kind() != Kind::Resource || id.types().len() != 1 {
        return Ok(None);
    }
    let Some(group) = find_group(&id.scope()) else { return Ok(None) };
    let alias = alias.to_owned();
    Ok(Some(ReferenceName { group, type_name: known_type(&type_text)?, alias }))
}

/// The account and region that an id of an AWS plane is in.
pub(crate) fn aws_scope(id: &ResourceId) -> Result<AwsScope, ApiError> {
    let wrong = |message: String| {
        ApiError::new(Code::InvalidResourceId, message).with_target(id.to_string())
    };
    let scope = id.scope();
    let names: Vec<(&str, &str)> = scope
        .scopes()
        .iter()
        .filter_map(|segment| Some((segment.type_text(), segment.name()?)))
        .collect();
    let [(aws, plane), (accounts, account), (regions, region)] = names.as_slice() else {
        return Err(not_an_account_and_region(id));
    };
    if !is(aws, "aws") || !is(accounts, "accounts") || !is(regions, "regions") {
        return Err(not_an_account_and_region(id));
    }
    Ok(AwsScope {
        plane: (*plane).to_owned(),
        account: AccountId::parse(account).map_err(|found| wrong(with_hints(&found)))?,
        // Regions are lower-case words; ids compare without case.
        region: Region::parse(&region.to_ascii_lowercase())
            .map_err(|found| wrong(with_hints(&found)))?,
    })
}

/// Whether two scopes are one place: `1` and `000000000001` are one account.
pub(crate) fn is_same_scope(one: &AwsScope, other: &AwsScope) -> bool {
    let place = |scope: &AwsScope| (scope.account.padded(), scope.region.as_str().to_owned());
    is(&one.plane, &other.plane) && place(one) == place(other)
}

fn not_an_account_and_region(id: &ResourceId) -> ApiError {
    let message = format!(
        "`{id}` does not name an account and a region; write \
         `/planes/aws/aws/accounts/<account>/regions/<region>/providers/<type>`"
    );
    ApiError::new(Code::InvalidResourceId, message).with_target(id.to_string())
}

fn with_hints(found: &hangar_diag::Diagnostic) -> String {
    let mut parts = vec![found.message.clone()];
    parts.extend(found.hints.iter().cloned());
    parts.join("; ")
}

/// Checks the name of a group that is to be made, by ARM's rules.
pub(crate) fn check_group_name(name: &str) -> Result<(), ApiError> {
    if GroupName::is_fit(name) {
        return Ok(());
    }
    Err(ApiError::new(
        Code::InvalidResourceGroupName,
        format!(
            "`{name}` is not a valid name for a group; use 1 to 90 letters, digits, `-`, `_`, `.`, \
             `(` and `)`, without a `.` at the end"
        ),
    )
    .with_target(name))
}

/// What becomes of what a deployment does not name any more, by its word.
pub(crate) fn on_remove(word: &str) -> Option<OnRemove> {
    [OnRemove::Keep, OnRemove::Detach, OnRemove::Delete]
        .into_iter()
        .find(|it| is(word, it.as_str()))
}

/// Checks the name of a deployment that is to be made, by ARM's rules.
pub(crate) fn check_deployment_name(name: &str) -> Result<(), ApiError> {
    check_run_name(name, "a deployment", Code::InvalidDeploymentName)
}

/// Checks the name of a recipe that is to be made, by the same rules.
pub(crate) fn check_recipe_name(name: &str) -> Result<(), ApiError> {
    check_run_name(name, "a recipe", Code::InvalidRecipeName)
}

fn check_run_name(name: &str, what: &str, code: Code) -> Result<(), ApiError> {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')');
    let length = name.chars().count();
    if (1..=64).contains(&length) && name.chars().all(allowed) && !name.ends_with('.') {
        return Ok(());
    }
    Err(ApiError::new(
        code,
        format!(
            "`{}` is not a valid name for {what}; use 1 to 64 letters, digits, `-`, `_`, `.`, `(` \
             and `)`, without a `.` at the end",
            name.escape_debug()
        ),
    )
    .with_target(name))
}

/// Checks an alias that is to be made, by ARM's rules for the names of resources.
pub(crate) fn check_alias(alias: &str) -> Result<(), ApiError> {
    let refused = |c: char| c.is_control() || "<>%&:\\?/#".contains(c);
    let length = alias.chars().count();
    let ends_well = !alias.ends_with(['.', ' ']) && !alias.starts_with(' ');
    if (1..=260).contains(&length) && !alias.contains(refused) && ends_well {
        return Ok(());
    }
    Err(ApiError::new(
        Code::InvalidAlias,
        format!(
            "`{}` is not a valid alias; use 1 to 260 characters without `<>%&:\\?/#` and control \
             characters, without a space at either end, and without a `.` at the end",
            alias.escape_debug()
        ),
    ))
}

pub(crate) fn is_group(segment: &Segment) -> bool {
    is(segment.type_text(), "resourceGroups")
}

pub(crate) fn is(text: &str, word: &str) -> bool {
    text.eq_ignore_ascii_case(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_named_by_arms_rules() {
        for name in ["a", "my-rg", "A_b.c(1)", "gruppe-ä", &"x".repeat(90)] {
            assert!(check_group_name(name).is_ok(), "{name}");
        }
        for name in ["", "a.", "a b", "a/b", "a%2F", "a:b", &"x".repeat(91)] {
            assert!(check_group_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn deployments_are_named_by_arms_rules() {
        for name in ["a", "my-app", "A_b.c(1)", "app-ä", &"x".repeat(64)] {
            assert!(check_deployment_name(name).is_ok(), "{name}");
        }
        for name in ["", "a.", "a b", "a/b", "a%2F", "a:b", &"x".repeat(65)] {
            let error = check_deployment_name(name).unwrap_err();
            assert_eq!(error.code(), "InvalidDeploymentName", "{name}");
        }
    }

    #[test]
    fn planes_are_named_by_letters_digits_and_dashes() {
        for name in ["a", "local", "Team-2", "-", &"x".repeat(63)] {
            assert!(check_plane_name(name).is_ok(), "{name}");
        }
        for name in ["", "a.b", "a b", "a_b", "ä", &"x".repeat(64)] {
            assert_eq!(check_plane_name(name).unwrap_err().code(), "InvalidPlaneName", "{name}");
        }
    }

    #[test]
    fn an_alias_cannot_hide_a_separator() {
        for alias in ["net", "my vpc", "a|b", "net.1", "é"] {
            assert!(check_alias(alias).is_ok(), "{alias}");
        }
        for alias in ["", "a/b", "a%2Fb", "a:b", "a.", " a", "a\u{7}", "<x>", &"x".repeat(261)] {
            assert!(check_alias(alias).is_err(), "{alias}");
        }
    }

    #[test]
    fn types_get_the_catalogs_spelling_or_a_near_name() {
        assert_eq!(known_type("aws.ec2/vpc").unwrap().to_string(), "AWS.EC2/VPC");
        let error = known_type("AWS.EC2/VPCC").unwrap_err();
        assert!(error.message().contains("did you mean `AWS.EC2/VPC`?"), "{}", error.message());
        let error = known_type("AWS.EC2/V-PC").unwrap_err();
        assert!(error.message().contains("did you mean `AWS.EC2/VPC`?"), "{}", error.message());
    }

    #[test]
    fn short_and_padded_accounts_are_one_place() {
        let scope = |text: &str| {
            aws_scope(&parse_id(&format!("/planes/AWS/Aws/accounts/{text}")).unwrap()).unwrap()
        };
        assert!(is_same_scope(
            &scope("1/regions/us-east-1"),
            &scope("000000000001/Regions/US-EAST-1")
        ));
        assert!(!is_same_scope(&scope("1/regions/us-east-1"), &scope("2/regions/us-east-1")));
    }
}
