//! Ids of Hangar in properties of AWS: `VpcId: vpc.id`, where AWS wants `vpc.properties.VpcId`.

use hangar_diag::Diagnostic;
use hangar_schema::{Class, Kind, PropertyPointer, TypeSchema};
use hangar_template::id_flow::IdUse;
use hangar_template::source::Problem;

use super::codes;
use super::subject::push_member;
use super::words::listed;

/// Reports an id in a property; `schema` is that of the resource whose id it is, if it has one.
pub(super) fn problem(found: &IdUse, schema: Option<&TypeSchema>) -> Problem {
    let base = &found.base;
    let property = property_text(found);
    let message = format!("{property} holds Hangar's id of `{base}`, which AWS does not know");
    let mut diagnostic = Diagnostic::error(codes::ID_IN_PROPERTY, message).at(found.place.span, "");
    if found.read.file == found.place.file && found.read.span != found.place.span {
        diagnostic = diagnostic.at(found.read.span, "the id is read here");
    }
    let mut hint = hint(found, schema);
    if let Some(elsewhere) = &found.elsewhere {
        hint = format!("{hint} at {elsewhere}, where the id is read");
    }
    Problem { file: found.place.file.clone(), diagnostic: diagnostic.hint(hint) }
}

fn property_text(found: &IdUse) -> String {
    let mut path = String::new();
    found.path.iter().for_each(|name| push_member(&mut path, name));
    let path = if path.is_empty() { "name" } else { &path };
    format!("`{path}` of {}", found.type_name)
}

/// What to write instead of the id.
fn hint(found: &IdUse, schema: Option<&TypeSchema>) -> String {
    let base = &found.base;
    if found.of.is_none() {
        return format!(
            "read a value of the recipe, such as `{base}.properties.status.values.name`"
        );
    }
    let Some(last) = found.path.last() else {
        return format!("write `{base}.name`, its identifier in AWS");
    };
    let Some(schema) = schema else {
        return format!(
            "write a property that identifies it in AWS, such as `{base}.properties.Arn`"
        );
    };
    let texts: Vec<&str> = readable_texts(schema).collect();
    if let Some(fitting) = fitting(last, &texts) {
        return format!("write `{base}.properties.{fitting}`");
    }
    let mut names: Vec<String> = schema
        .primary_identifier()
        .iter()
        .filter_map(|pointer| Some(pointer.member_names()?.join(".")))
        .collect();
    names.extend(texts.iter().filter(|it| is_arn(it)).map(|it| (*it).to_owned()));
    names.dedup();
    let names = listed(names.iter().map(|it| format!("`{base}.properties.{it}`")), "or");
    if names.is_empty() {
        return format!("write `{base}.name`, its identifier in AWS");
    }
    format!("write {names}")
}

/// The properties that a read shows as text.
fn readable_texts(schema: &TypeSchema) -> impl Iterator<Item = &str> {
    schema.property_names().filter(|name| {
        let pointer = PropertyPointer::of_member(name);
        schema.kinds_at(&pointer).has(Kind::String)
            && !schema.classes_of(&pointer).has(Class::WriteOnly)
    })
}

fn is_arn(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("arn")
}

/// The property whose name fits the one that is set: `VpcId` for `VpcId`, `GroupId` for `SecurityGroupIds`, `Arn`
/// for `RoleArn`.
fn fitting<'n>(wanted: &str, names: &[&'n str]) -> Option<&'n str> {
    let wanted = wanted.to_ascii_lowercase();
    let one = wanted.strip_suffix('s').unwrap_or(&wanted);
    let fits = |name: &&&str| {
        let name = name.to_ascii_lowercase();
        wanted.ends_with(&name) || one.ends_with(&name)
    };
    names.iter().filter(fits).copied().max_by_key(|name| name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_property_with_the_longest_fitting_name_is_offered() {
        let group = ["GroupId", "GroupName", "Id", "VpcId"];
        assert_eq!(fitting("SecurityGroupIds", &group), Some("GroupId"));
        assert_eq!(fitting("VpcId", &["VpcId", "CidrBlock"]), Some("VpcId"));
        assert_eq!(fitting("RoleArn", &["Arn", "RoleName"]), Some("Arn"));
        assert_eq!(fitting("Role", &["Arn", "RoleName"]), None);
    }
}
