//! Types with an identifier of one part that `Ref` does not give: resolved, or refused by name.

use std::collections::BTreeMap;

use hangar_manifest::cloudformation::physical_id;
use hangar_schema::Catalog;
use hangar_schema::sample::Size;

use super::rig::Rig;
use super::sample::{Sampled, attribute_of, beside, deployed};

/// The readable types whose physical id is another property than their identifier.
fn types(catalog: &Catalog) -> Vec<String> {
    let is_other = |name: &&str| {
        let schema = catalog.get(name).unwrap();
        let [pointer] = schema.primary_identifier() else { return false };
        let identifier = pointer.member_names().unwrap_or_default().join("/");
        let parts = physical_id::parts(name);
        schema.handlers().read.is_some() && parts.is_some_and(|parts| parts != [identifier])
    };
    catalog.names().filter(is_other).map(str::to_owned).collect()
}

#[test]
fn a_single_identifier_that_ref_does_not_give_is_found_or_refused_by_name() {
    let (catalog, rig) = (Catalog::bundled(), Rig::new());
    let types = types(&catalog);
    let stacks = deployed(&rig, &types, "single", 1, Size::Small);
    beside(&rig, &types, 7);
    let (mut references, mut expected) = (Vec::new(), Vec::new());
    for stack in &stacks {
        let schema = catalog.get(&stack.type_name).unwrap();
        let (name, value) = attribute_of(&schema, &stack.properties).unwrap();
        references.push(stack.attribute(&name));
        expected.push(value);
    }
    let (mut resolved, mut refused) = (0, BTreeMap::<String, Vec<&str>>::new());
    for ((stack, value), found) in stacks.iter().zip(&expected).zip(rig.values(&references)) {
        let type_name = stack.type_name.as_str();
        match found {
            Ok(found) => {
                assert_eq!(found, *value, "{type_name}");
                resolved += 1;
            }
            Err(refusal) => {
                assert!(refusal.text().contains(type_name), "{}", refusal.text());
                refused.entry(refusal.code().to_owned()).or_default().push(type_name);
            }
        }
    }
    println!(
        "counted: types whose Ref is not their single identifier: {}; resolved: {resolved}; refused: {refused:?}",
        types.len()
    );
    // Their identifier is a number of the service's own, and no list says whose it is.
    let hopeless = [
        "AWS::CodePipeline::Webhook",
        "AWS::EventSchemas::RegistryPolicy",
        "AWS::SageMaker::Device",
    ];
    assert!(refused.keys().all(|code| code == "REF0008"), "{refused:?}");
    assert!(refused.values().flatten().all(|name| hopeless.contains(name)), "{refused:?}");
    assert!(resolved >= 7);

    let references: Vec<String> = stacks.iter().map(Sampled::reference).collect();
    for (stack, found) in stacks.iter().zip(rig.values(&references)) {
        assert_eq!(found.unwrap(), stack.physical_id.as_str(), "{}", stack.type_name);
    }
}
