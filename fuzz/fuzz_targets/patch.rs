//! Any three documents of any type have a patch or are refused, always in the same way.
#![no_main]

use std::sync::OnceLock;

use hangar_schema::{Catalog, TypeSchema};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/schema/tests/it/laws/places.rs"]
mod places;
#[allow(dead_code, reason = "each target runs one of the laws")]
#[path = "../../crates/schema/tests/it/laws/total.rs"]
mod total;

/// Types with every class of property, beside the small ones.
const PUBLIC: [&str; 6] = [
    "AWS::EC2::Instance",
    "AWS::ECS::Service",
    "AWS::ElasticLoadBalancingV2::LoadBalancer",
    "AWS::KinesisFirehose::DeliveryStream",
    "AWS::Lambda::Function",
    "AWS::RDS::DBInstance",
];

static SCHEMAS: OnceLock<Vec<TypeSchema>> = OnceLock::new();

fn schemas() -> &'static [TypeSchema] {
    SCHEMAS.get_or_init(|| {
        let catalog = Catalog::bundled();
        let small = places::worlds().into_iter().map(|(_, schema)| schema);
        small.chain(PUBLIC.iter().filter_map(|name| catalog.get(name).ok())).collect()
    })
}

fuzz_target!(|input: (u8, Vec<u8>, Vec<u8>, Vec<u8>)| {
    let (which, live, desired, applied) = input;
    let schema = &schemas()[usize::from(which) % schemas().len()];
    let names: Vec<&str> = schema.property_names().collect();
    let document = |bytes: &[u8]| total::Bytes(bytes).document(&names);
    let (live, desired, applied) = (document(&live), document(&desired), document(&applied));
    total::documents(schema, &live, &desired, Some(&applied));
    total::documents(schema, &live, &desired, None);
});
