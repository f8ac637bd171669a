//! The laws over generated names.

use std::cmp::Ordering;
use std::hash::{BuildHasher, RandomState};

use hangar_ids::{ResourceId, TypeName};
use proptest::prelude::*;
use proptest::sample::select;

use super::laws;

/// Words that mean something to the reader of ids, and words that are hard to write.
fn word() -> impl Strategy<Value = String> {
    let known = select(
        &[
            "planes",
            "Planes",
            "providers",
            "PROVIDERS",
            "subscriptions",
            "aws",
            "AWS",
            "radius",
            "accounts",
            "AWS.EC2",
            "aws.ec2",
            "System.AWS",
            "system.aws",
            "VPC",
            "VPC:reference",
            "locks",
        ][..],
    );
    let hard = select(
        &[
            "",
            ".",
            "..",
            "...",
            ":put",
            "a:b",
            "a|b",
            "%",
            "%2",
            "%2F",
            "%2f",
            "%2E",
            "%2e%2E",
            "%3Ax",
            "%00",
            "%FF",
            "%C3%A9",
            "%25",
            "%252F",
            "%70roviders",
            "%0A",
            "a b",
            "é",
            "É",
            "a?",
            "#a",
            "\u{85}",
            "\0",
        ][..],
    );
    prop_oneof![
        6 => known.prop_map(str::to_owned),
        1 => hard.prop_map(str::to_owned),
        4 => "[A-Za-z0-9-]{1,4}",
        1 => any::<String>(),
    ]
}

/// Texts which are ids more often than not.
fn id_text() -> impl Strategy<Value = String> {
    let root = select(
        &[
            "",
            "/planes",
            "/planes/aws/aws",
            "/planes/radius/local",
            "/planes/AWS/aws/accounts/1",
            "/planes/aws/aws/providers/AWS.EC2/VPC",
            "/planes/aws/aws/providers/System.AWS/credentials",
            "/subscriptions/S",
            "/providers/A.B/c/d",
            "/subscriptions/S/providers/A.B/c",
        ][..],
    );
    (root, prop::collection::vec(word(), 0..6), select(&["", "/"][..])).prop_map(
        |(root, words, end)| {
            let words: Vec<&str> =
                std::iter::once(root).chain(words.iter().map(String::as_str)).collect();
            words.join("/") + end
        },
    )
}

#[derive(Debug, Clone)]
enum Append {
    Scope(String, String),
    ScopeCollection(String),
    Type(String),
    Name(String),
}

fn append() -> impl Strategy<Value = Append> {
    let with_namespace = (word(), word()).prop_map(|(a, b)| format!("{a}/{b}"));
    prop_oneof![
        (word(), word()).prop_map(|(kind, name)| Append::Scope(kind, name)),
        word().prop_map(Append::ScopeCollection),
        prop_oneof![with_namespace, word()].prop_map(Append::Type),
        prop_oneof![word(), any::<String>()].prop_map(Append::Name),
    ]
}

fn swap_case(text: &str) -> String {
    let swap = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    text.chars().map(swap).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn an_id_prints_and_reads_back_and_is_rebuilt_from_its_parts(text in id_text()) {
        laws::resource_id(&text);
    }

    #[test]
    fn no_text_at_all_breaks_a_law(text in any::<String>()) {
        laws::resource_id(&text);
        laws::arn(&text);
        laws::names(&text);
    }

    #[test]
    fn an_appended_id_is_as_sound_as_one_that_was_read(appends in prop::collection::vec(append(), 1..10)) {
        for root in [ResourceId::planes(), ResourceId::tenant()] {
            // Only `/planes` has planes; in an AWS one both rules for names are met.
            let mut id = root.append_scope("aws", "aws").unwrap_or(root);
            for append in &appends {
                let longer = match append {
                    Append::Scope(kind, name) => id.append_scope(kind, name),
                    Append::ScopeCollection(kind) => id.append_scope_collection(kind),
                    Append::Type(kind) => id.append_type(kind),
                    Append::Name(name) => id.append_name(name),
                };
                if let Ok(longer) = longer {
                    let named = matches!(append, Append::Name(_));
                    let below = if named { longer.collection() } else { longer.parent() };
                    prop_assert_eq!(below.as_ref(), Some(&id), "{:?}", append);
                    laws::an_id_is_sound(&longer);
                    id = longer;
                }
            }
        }
    }

    #[test]
    fn eq_hash_and_order_of_ids_agree(a in id_text(), b in id_text()) {
        let hasher = RandomState::new();
        let texts = [swap_case(&a), a, b];
        let ids: Vec<ResourceId> = texts.iter().filter_map(|text| text.parse().ok()).collect();
        for a in &ids {
            for b in &ids {
                let equal = a == b;
                prop_assert_eq!(equal, a.cmp(b) == Ordering::Equal);
                prop_assert_eq!(a.cmp(b), b.cmp(a).reverse());
                prop_assert!(!equal || hasher.hash_one(a) == hasher.hash_one(b));
                prop_assert!(!equal || a.to_string().eq_ignore_ascii_case(&b.to_string()));
            }
        }
    }

    #[test]
    fn eq_hash_and_order_of_type_names_agree(a in "[ab]{1,2}\\.[aB]/[Ab]{1,2}(/a)?", b in "[ab]{1,2}::[aB]::[Ab]{1,2}(::a)?") {
        let hasher = RandomState::new();
        let (a, b): (TypeName, TypeName) = (a.parse().unwrap(), b.parse().unwrap());
        prop_assert_eq!(a == b, a.ucp().eq_ignore_ascii_case(&b.ucp()));
        prop_assert_eq!(a == b, a.cmp(&b) == Ordering::Equal);
        prop_assert!(a != b || hasher.hash_one(&a) == hasher.hash_one(&b));
    }

    #[test]
    fn an_arn_prints_back_and_its_id_is_sound(
        head in select(&["arn:aws:", "arn:aws-cn:", "arn:", "arn:aws:s3:::", "arn:aws:logs:r:1:", "arn:aws:iam::"][..]),
        tail in "([a-z:/%.*]|providers|log-group:|é| |[^a]){0,16}",
    ) {
        laws::arn(&format!("{head}{tail}"));
    }

    #[test]
    fn small_names_are_read_or_refused_at_a_place(
        text in r#"([a-z0-9:./=|,{}"-]|::|AWS|Id|RestApiId|StageName|us-east-1|%2F|%|\x00|é){0,8}"#,
    ) {
        laws::names(&text);
    }
}
