//! `hangar schema list`: which types there are, and how many can do what.

use hangar_schema::{Catalog, Class, IdentifierChoice, ReplacementStrategy, Source, TypeSchema};
use serde::Serialize;

use crate::commands::types::our_spelling;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::table::Table;

pub(crate) const EXAMPLES: &str = "Examples:
  hangar schema list vpc
  hangar schema list 'AWS.EC2/*'
  hangar schema list --stats";

/// One type, as `-o json` prints it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    r#type: String,
    cloud_formation_type: String,
    identifier: Option<&'static str>,
    handlers: String,
    source: &'static str,
}

pub(crate) fn types(pattern: Option<&str>, printer: &mut Printer) -> Result<Exit, Failure> {
    let mut listed = Vec::new();
    for schema in matching(pattern) {
        let schema = schema?;
        listed.push(Listed {
            r#type: our_spelling(schema.name()),
            cloud_formation_type: schema.name().to_owned(),
            identifier: schema.identifier_choice().map(IdentifierChoice::as_str),
            handlers: schema.handlers().letters(),
            source: schema.source().as_str(),
        });
    }
    printer.show(|| listed_table(&listed), || &listed)?;
    Ok(Exit::Success)
}

fn listed_table(listed: &[Listed]) -> String {
    if listed.is_empty() {
        return "no type matches; `hangar schema list` shows all".to_owned();
    }
    let mut table = Table::new(["TYPE", "IDENTIFIER", "HANDLERS", "SOURCE"]);
    for entry in listed {
        table.row([&entry.r#type, entry.identifier.unwrap_or("-"), &entry.handlers, entry.source]);
    }
    table.to_string()
}

fn matching(pattern: Option<&str>) -> impl Iterator<Item = Result<TypeSchema, Failure>> {
    let catalog = Catalog::bundled();
    let pattern = pattern.map(str::to_ascii_lowercase);
    catalog
        .names()
        .filter(move |name| {
            pattern.as_deref().is_none_or(|pattern| {
                matches(pattern, &name.to_ascii_lowercase())
                    || matches(pattern, &our_spelling(name).to_ascii_lowercase())
            })
        })
        .map(move |name| catalog.get(name).map_err(|error| anyhow::Error::from(error).into()))
}

/// Part of the name, or with `*` and `?` the whole of it.
fn matches(pattern: &str, name: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return name.contains(pattern);
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut next) = (0, 0);
    // Where the last `*` stood, and how far it has reached.
    let mut star: Option<(usize, usize)> = None;
    while next < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, next));
                at += 1;
            }
            Some(&letter) if letter == '?' || letter == name[next] => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((place, reach)) = star else { return false };
                star = Some((place, reach + 1));
                at = place + 1;
                next = reach + 1;
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

/// How many types there are of each sort.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    types: usize,
    from_aws: usize,
    from_cfn_lint: usize,
    no_handlers: usize,
    no_create: usize,
    no_read: usize,
    no_update: usize,
    no_delete: usize,
    no_list: usize,
    list_needs_parent: usize,
    handler_timeouts: usize,
    identifier_caller_chosen: usize,
    identifier_optional: usize,
    identifier_generated: usize,
    identifier_composite: usize,
    additional_identifiers: usize,
    read_only_nested: usize,
    create_only: usize,
    create_only_nested: usize,
    write_only: usize,
    create_and_write_only: usize,
    conditional_create_only: usize,
    deprecated: usize,
    non_public: usize,
    property_transforms: usize,
    replacement_create_first: usize,
    replacement_delete_first: usize,
    taggable: usize,
    taggable_on_create: usize,
    arn_template: usize,
    unresolved_pointers: usize,
}

impl Stats {
    fn count(&mut self, schema: &TypeSchema) {
        let lists = schema.lists();
        let handlers = schema.handlers();
        let nested = |pointers: &[hangar_schema::PropertyPointer]| {
            pointers.iter().any(|pointer| pointer.steps().len() > 1)
        };
        let is_provisionable = !handlers.is_empty();
        let lacks = |has: bool| usize::from(is_provisionable && !has);
        let timeouts = [&handlers.create, &handlers.update, &handlers.delete];
        self.types += 1;
        self.from_aws += usize::from(schema.source() == Source::Aws);
        self.from_cfn_lint += usize::from(schema.source() == Source::CfnLint);
        self.no_handlers += usize::from(!is_provisionable);
        self.no_create += lacks(handlers.create.is_some());
        self.no_read += lacks(handlers.read.is_some());
        self.no_update += lacks(handlers.update.is_some());
        self.no_delete += lacks(handlers.delete.is_some());
        self.no_list += lacks(handlers.list.is_some());
        self.list_needs_parent +=
            usize::from(handlers.list.as_ref().is_some_and(|list| !list.parents.is_empty()));
        self.handler_timeouts += usize::from(
            timeouts.into_iter().flatten().any(|handler| handler.timeout_in_minutes.is_some()),
        );
        match schema.identifier_choice() {
            Some(IdentifierChoice::CallerChosen) => self.identifier_caller_chosen += 1,
            Some(IdentifierChoice::Optional) => self.identifier_optional += 1,
            Some(IdentifierChoice::Generated) => self.identifier_generated += 1,
            None => {}
        }
        self.identifier_composite += usize::from(schema.primary_identifier().len() > 1);
        self.additional_identifiers += usize::from(!schema.additional_identifiers().is_empty());
        self.read_only_nested += usize::from(nested(&lists.read_only));
        self.create_only += usize::from(!lists.create_only.is_empty());
        self.create_only_nested += usize::from(nested(&lists.create_only));
        self.write_only += usize::from(!lists.write_only.is_empty());
        self.create_and_write_only += usize::from(
            lists
                .write_only
                .iter()
                .any(|pointer| schema.classes_of(pointer).has(Class::CreateOnly)),
        );
        self.conditional_create_only += usize::from(!lists.conditional_create_only.is_empty());
        self.deprecated += usize::from(!lists.deprecated.is_empty());
        self.non_public += usize::from(!lists.non_public.is_empty());
        self.property_transforms += usize::from(schema.transform_count() > 0);
        match schema.replacement_strategy() {
            Some(ReplacementStrategy::CreateThenDelete) => self.replacement_create_first += 1,
            Some(ReplacementStrategy::DeleteThenCreate) => self.replacement_delete_first += 1,
            None => {}
        }
        self.taggable += usize::from(schema.tagging().taggable && schema.tag_property().is_some());
        self.taggable_on_create +=
            usize::from(schema.tagging().on_create && schema.tag_property().is_some());
        self.arn_template += usize::from(schema.arn_template().is_some());
        self.unresolved_pointers += schema.unresolved().len();
    }
}

pub(crate) fn stats(pattern: Option<&str>, printer: &mut Printer) -> Result<Exit, Failure> {
    let mut stats = Stats::default();
    for schema in matching(pattern) {
        stats.count(&schema?);
    }
    let document = serde_json::to_value(&stats).map_err(anyhow::Error::from)?;
    printer.show(
        || {
            let mut table = Table::new(["COUNT", "DESCRIPTION"]);
            for (label, name) in LABELS {
                table.row([document[name].to_string().as_str(), label]);
            }
            table
        },
        || &document,
    )?;
    Ok(Exit::Success)
}

/// What each count means, in reading order.
const LABELS: [(&str, &str); 31] = [
    ("types in the catalog", "types"),
    ("from AWS's own schemas", "fromAws"),
    ("from cfn-lint's copy", "fromCfnLint"),
    ("without handlers: Cloud Control cannot manage them", "noHandlers"),
    ("of the others, without a create handler", "noCreate"),
    ("… without a read handler", "noRead"),
    ("… without an update handler: immutable", "noUpdate"),
    ("… without a delete handler", "noDelete"),
    ("… without a list handler", "noList"),
    ("listed only below a parent", "listNeedsParent"),
    ("with a handler timeout", "handlerTimeouts"),
    ("identifier chosen by the caller", "identifierCallerChosen"),
    ("identifier optional: generated by the service if not set", "identifierOptional"),
    ("identifier generated by the service", "identifierGenerated"),
    ("identifier of several parts", "identifierComposite"),
    ("with additional identifiers", "additionalIdentifiers"),
    ("with nested read-only properties", "readOnlyNested"),
    ("with create-only properties", "createOnly"),
    ("with nested create-only properties", "createOnlyNested"),
    ("with write-only properties", "writeOnly"),
    ("with create-and-write-only properties", "createAndWriteOnly"),
    ("with conditional create-only properties", "conditionalCreateOnly"),
    ("with deprecated properties", "deprecated"),
    ("with non-public properties", "nonPublic"),
    ("with property transforms", "propertyTransforms"),
    ("replaced by creating before deleting", "replacementCreateFirst"),
    ("replaced by deleting before creating", "replacementDeleteFirst"),
    ("that can be tagged", "taggable"),
    ("that can be tagged at creation", "taggableOnCreate"),
    ("with a known ARN format", "arnTemplate"),
    ("unresolved pointers in all schemas", "unresolvedPointers"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_part_or_a_glob() {
        for (pattern, name, expected) in [
            ("vpc", "aws.ec2/vpc", true),
            ("aws.ec2/*", "aws.ec2/vpc", true),
            ("*vpc", "aws.ec2/vpcendpoint", false),
            ("*v?c*", "aws.ec2/vpcendpoint", true),
            ("a*b*c", "axxbxxbxc", true),
            ("a*b*c", "axxbxxbx", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn every_count_has_a_label() {
        let counts = serde_json::to_value(Stats::default()).unwrap();
        assert_eq!(counts.as_object().unwrap().len(), LABELS.len());
        assert!(LABELS.iter().all(|(_, name)| counts[name].is_u64()));
    }
}
