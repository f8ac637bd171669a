//! States that were damaged in any way: an error or a report, never a panic.

use std::fs;

use hangar_manifest::output_resources::{Ask, report};
use hangar_manifest::state::read;
use proptest::prelude::*;

const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/own-aws-moto");

/// A state of version 3, which the fixture has not.
const FLAT: &str = r#"{"version": 3, "serial": 1, "lineage": "x", "modules": [{"path": ["root", "m"], "outputs": {"a": {"value": "b"}},
  "resources": {"aws_vpc.v.0": {"type": "aws_vpc", "primary": {"id": "vpc-1", "tainted": true, "attributes":
  {"arn": "arn:aws:ec2:r:1:vpc/vpc-1", "tags.%": "1", "tags.a": "b", "metadata.#": "1", "metadata.0.name": "n"}},
  "deposed": [{"id": "x"}], "provider": "provider.aws"}}}]}"#;

fn texts() -> Vec<Vec<u8>> {
    let own =
        ["terraform.tfstate", "show.json"].map(|name| fs::read(format!("{OWN}/{name}")).unwrap());
    own.into_iter().chain([FLAT.as_bytes().to_vec()]).collect()
}

/// Reads all that can be read.
fn try_all(text: &[u8]) {
    let Ok(state) = read(text) else { return };
    for instance in &state.instances {
        let _ = hangar_ids::TerraformAddress::parse(&instance.address);
        for path in [&["tags"][..], &["metadata"], &["metadata", "0", "name"], &["id", "x"], &[]] {
            let _ = instance.attributes.get(path);
            let _ = instance.sensitive.touches(path);
        }
    }
    let report =
        report(&state, &Ask { all_providers: true, aws_account: Some("1"), ..Ask::default() });
    for id in &report.resources {
        hangar_ids::ResourceId::parse(id).unwrap_or_else(|odd| panic!("{id}: {odd}"));
    }
}

/// One piece of JSON in the place of another.
const PIECES: &[&str] = &[
    "null",
    "true",
    "7",
    "-1.5e3",
    "\"\"",
    "\"\\ud800\"",
    "\"arn:aws:x:::\"",
    "[]",
    "{}",
    "[[]]",
    "{\"value\": 1, \"type\": \"number\"}",
];

/// Puts a piece of JSON in the place of the value that begins after the n-th colon.
fn with_piece(text: &str, colon: usize, piece: &str) -> Option<String> {
    let colons: Vec<usize> =
        text.match_indices(": ").chain(text.match_indices("\":")).map(|(at, _)| at + 2).collect();
    let at = *colons.get(colon.checked_rem(colons.len())?)?;
    let mut values =
        serde_json::Deserializer::from_str(&text[at..]).into_iter::<serde_json::Value>();
    values.next()?.ok()?;
    let end = at + values.byte_offset();
    Some(format!("{}{piece}{}", &text[..at], &text[end..]))
}

proptest! {
    #[test]
    fn a_state_with_other_bytes_never_panics(which in 0_usize..3, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut text = texts().remove(which);
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        try_all(&text);
    }

    #[test]
    fn a_state_that_ends_early_never_panics(which in 0_usize..3, end in any::<prop::sample::Index>()) {
        let text = texts().remove(which);
        try_all(&text[..end.index(text.len())]);
    }

    #[test]
    fn a_state_with_other_values_is_read_or_refused(which in 0_usize..3, colon in any::<usize>(), piece in 0..PIECES.len(), other in any::<usize>()) {
        let text = String::from_utf8(texts().remove(which)).unwrap();
        let Some(changed) = with_piece(&text, colon, PIECES[piece]) else { return Ok(()) };
        try_all(changed.as_bytes());
        if let Some(twice) = with_piece(&changed, other, PIECES[piece]) {
            try_all(twice.as_bytes());
        }
    }

    #[test]
    fn no_bytes_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
        try_all(&text);
    }
}
