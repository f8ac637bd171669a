//! Every type loads, and a document made from its schema is one that its schema accepts.

use std::collections::BTreeMap;

use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Purpose, validate};

#[test]
fn every_type_accepts_a_document_made_from_its_schema() {
    let catalog = Catalog::bundled();
    let mut refused: BTreeMap<&str, String> = BTreeMap::new();
    let (mut documents, mut warnings) = (0, 0);
    for name in catalog.names() {
        let schema = catalog.get(name).unwrap();
        let mut sampler = Sampler::new(&schema);
        for (seed, size) in [(1, Size::Small), (2, Size::Medium), (3, Size::Large)] {
            let document = sampler.desired(seed, size);
            let found = validate(&schema, &document, Purpose::Desired);
            documents += 1;
            warnings += found.iter().filter(|one| !one.is_error()).count();
            if let Some(error) = found.iter().find(|one| one.is_error()) {
                refused.entry(name).or_insert_with(|| format!("{error} in {document}"));
            }
        }
    }
    println!(
        "counted: generated documents: {} types, {documents} documents, {} types refused, {warnings} warnings",
        catalog.len(),
        refused.len()
    );
    for (name, error) in &refused {
        println!("{name}: {}", error.chars().take(300).collect::<String>());
    }
    assert!(refused.is_empty());
}
