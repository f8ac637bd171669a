//! The ids of what the control plane has, made from what a person types.

use hangar_diag::Diagnostic;
use hangar_ids::{ResourceId, TypeName, encode_name};
use hangar_plan::operation::OperationId;

use crate::failure::Failure;
use crate::input::Source;

/// The collection of all groups.
pub(crate) const GROUPS: &str = "/planes/radius/local/resourceGroups";

/// The collection of all operations.
/// The credentials that the control plane keeps for accounts.
pub(crate) const CREDENTIALS: &str = "/planes/aws/aws/providers/System.AWS/credentials";

pub(crate) const OPERATIONS: &str =
    "/planes/radius/local/providers/System.Resources/operationStatuses";

/// The group that is meant where none is named.
pub(crate) const DEFAULT_GROUP: &str = "default";

/// The collection of deployments, below a group.
pub(crate) const DEPLOYMENTS: &str = "/providers/Microsoft.Resources/deployments";

/// The collection of recipes, below a group.
pub(crate) const RECIPES: &str = "/providers/Hangar.Recipes/recipes";

/// The id of a group.
pub(crate) fn group(name: &str) -> Result<String, Failure> {
    checked(name, format!("{GROUPS}/{}", encode_name(name)))
}

/// The collection of the references of one type in a group.
pub(crate) fn references(group_name: &str, type_name: &TypeName) -> Result<String, Failure> {
    Ok(format!("{}/providers/{}:reference", group(group_name)?, type_name.ucp()))
}

/// The id of a reference.
pub(crate) fn reference(
    group_name: &str,
    type_name: &TypeName,
    alias: &str,
) -> Result<String, Failure> {
    let collection = references(group_name, type_name)?;
    checked(alias, format!("{collection}/{}", encode_name(alias)))
}

/// The collection of the deployments in a group.
pub(crate) fn deployments(group_name: &str) -> Result<String, Failure> {
    Ok(format!("{}{DEPLOYMENTS}", group(group_name)?))
}

/// The id of a deployment.
pub(crate) fn deployment(group_name: &str, name: &str) -> Result<String, Failure> {
    let collection = deployments(group_name)?;
    checked(name, format!("{collection}/{}", encode_name(name)))
}

/// The collection of the recipes in a group.
pub(crate) fn recipes(group_name: &str) -> Result<String, Failure> {
    Ok(format!("{}{RECIPES}", group(group_name)?))
}

/// The id of a recipe.
pub(crate) fn recipe(group_name: &str, name: &str) -> Result<String, Failure> {
    let collection = recipes(group_name)?;
    checked(name, format!("{collection}/{}", encode_name(name)))
}

/// The group that an id is in.
pub(crate) fn group_of(id: &str) -> Option<String> {
    ResourceId::parse(id).ok()?.scope_name("resourceGroups").map(str::to_owned)
}

/// The words by which commands name what an id of a reference names: `AWS.EC2/VPC net -g prod`.
pub(crate) fn words_of(id: &str) -> Option<String> {
    let id = ResourceId::parse(id).ok().filter(ResourceId::is_reference)?;
    let (type_name, alias) = (id.aws_type()?.ucp(), quoted(id.name()?));
    let group = id.scope_name("resourceGroups")?;
    if group.eq_ignore_ascii_case(DEFAULT_GROUP) {
        return Some(format!("{type_name} {alias}"));
    }
    Some(format!("{type_name} {alias} -g {}", quoted(group)))
}

/// A word as a shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+,=".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The id of an operation.
pub(crate) fn operation(id: OperationId) -> String {
    format!("{OPERATIONS}/{id}")
}

/// What the call that began an operation would have answered, had it waited.
pub(crate) fn operation_result(id: OperationId) -> String {
    format!("/planes/radius/local/providers/System.Resources/operationResults/{id}")
}

/// An id whose last segment is `name`; what is wrong with it is wrong with the name.
fn checked(name: &str, id: String) -> Result<String, Failure> {
    let wrong = |mistake: Diagnostic| {
        let about = Diagnostic { labels: Vec::new(), ..mistake };
        Failure::in_source(Source::argument(name), vec![about])
    };
    let parsed = ResourceId::parse(&id).map_err(wrong)?;
    // An empty name would make the id that of the whole collection.
    if parsed.kind().is_collection() {
        let mistake = Diagnostic::error(hangar_ids::codes::EMPTY_SEGMENT, "the name is empty");
        return Err(wrong(mistake.hint("pass a name")));
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_named_as_commands_name_it() {
        let words = |group: &str, alias: &str| {
            let id = format!("{GROUPS}/{group}/providers/AWS.EC2/VPC:reference/{alias}");
            words_of(&id)
        };
        assert_eq!(words("default", "net").as_deref(), Some("AWS.EC2/VPC net"));
        assert_eq!(words("prod", "my net").as_deref(), Some("AWS.EC2/VPC 'my net' -g prod"));
        assert_eq!(words_of(GROUPS), None);
    }
}
