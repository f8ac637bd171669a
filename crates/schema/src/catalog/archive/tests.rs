//! The archive gives back what was packed, and survives any damage.

use proptest::prelude::*;

use super::*;

fn open(bytes: Vec<u8>) -> Result<Archive, ArchiveError> {
    // An archive borrows for ever; a test's few kilobytes may be leaked.
    Archive::open(Box::leak(bytes.into_boxed_slice()))
}

fn sample() -> Vec<u8> {
    let entries = ["AWS::EC2::VPC", "AWS::S3::Bucket", "AWS::EC2::Subnet", "AWS::IAM::Role"];
    let document = |name: &str| format!("{{\"typeName\":\"{name}\"}}").repeat(20).into_bytes();
    Archive::pack(entries.map(|name| (name.to_owned(), document(name)))).unwrap()
}

#[test]
fn names_are_sorted_and_found_ignoring_case() {
    let archive = open(sample()).unwrap();
    let names: Vec<_> = archive.names().collect();
    assert_eq!(names, ["AWS::EC2::Subnet", "AWS::EC2::VPC", "AWS::IAM::Role", "AWS::S3::Bucket"]);
    assert_eq!(archive.spelling("aws::ec2::vpc"), Some("AWS::EC2::VPC"));
    assert_eq!(archive.find("aws::EC2::vpc"), archive.find("AWS::EC2::VPC"));
    assert_eq!(archive.find("AWS::EC2::VP"), None);
    assert_eq!(archive.len(), 4);
}

#[test]
fn an_empty_archive_finds_nothing() {
    let archive = open(Archive::pack([]).unwrap()).unwrap();
    assert!(archive.is_empty());
    assert_eq!(archive.find("AWS::EC2::VPC"), None);
}

#[test]
fn order_of_entries_does_not_change_the_bytes() {
    let one = || ("A".to_owned(), b"1".to_vec());
    let two = || ("b".to_owned(), b"2".to_vec());
    assert_eq!(Archive::pack([one(), two()]), Archive::pack([two(), one()]));
}

#[test]
fn a_document_over_the_limit_is_not_packed() {
    let entry = ("A".to_owned(), vec![b' '; MAX_DOCUMENT + 1]);
    assert!(matches!(Archive::pack([entry]), Err(ArchiveError::TooLarge { record: 0, .. })));
}

#[test]
fn a_promised_size_over_the_limit_is_refused_before_inflating() {
    let mut bytes = Archive::pack([("A".to_owned(), b"1".to_vec())]).unwrap();
    bytes[HEADER + 8..HEADER + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let found = open(bytes).unwrap().find("A");
    assert!(matches!(found, Some(Err(ArchiveError::TooLarge { .. }))));
}

#[test]
fn a_changed_byte_never_gives_another_document() {
    let bytes = sample();
    let whole = open(bytes.clone()).unwrap();
    let mut errors = 0;
    for at in bytes.len() - whole.packed.len()..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let damaged = open(damaged).unwrap();
        for name in whole.names() {
            match damaged.find(name).unwrap() {
                Err(_) => errors += 1,
                document => assert_eq!(document, whole.find(name).unwrap(), "byte {at}"),
            }
        }
    }
    // The bits that pad a stream to a whole byte mean nothing; every other byte does.
    assert!(errors >= whole.packed.len() - whole.len());
}

#[test]
fn the_bundled_catalog_is_whole_and_in_order() {
    let archive = Archive::open(super::super::BUNDLED).unwrap();
    let names: Vec<_> = archive.names().collect();
    assert_eq!(names.len(), archive.len());
    assert!(names.is_sorted_by(|a, b| compare_ignoring_case(a, b).is_lt()));
    for name in names {
        let document = archive.find(name).unwrap().unwrap();
        assert!(document.starts_with(b"{") && document.ends_with(b"}"), "{name}");
    }
}

fn read_all(bytes: Vec<u8>) {
    if let Ok(archive) = open(bytes) {
        for name in archive.names().chain(["AWS::EC2::VPC", ""]) {
            if let Some(Ok(document)) = archive.find(name) {
                assert!(document.len() <= MAX_DOCUMENT);
            }
        }
    }
}

proptest! {
    #[test]
    fn what_is_packed_is_found(
        entries in prop::collection::btree_map("[a-z:]{0,12}", prop::collection::vec(any::<u8>(), 0..64), 0..20),
    ) {
        let archive = open(Archive::pack(entries.clone()).unwrap()).unwrap();
        prop_assert_eq!(archive.len(), entries.len());
        for (name, document) in entries {
            prop_assert_eq!(archive.find(&name), Some(Ok(document)));
        }
    }

    #[test]
    fn truncated_bytes_never_panic(length in 0usize..600) {
        let mut bytes = sample();
        bytes.truncate(length);
        read_all(bytes);
    }

    #[test]
    fn changed_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = sample();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        read_all(bytes);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all([MAGIC.as_slice(), &VERSION.to_le_bytes(), &bytes].concat());
    }
}
