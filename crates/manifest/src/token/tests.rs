//! Every form is found, and nothing else is.

use proptest::prelude::*;

use super::{Family, Form, find};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(text: &str) -> String {
    let mut out = String::new();
    for group in text.as_bytes().chunks(3) {
        let bits =
            (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        for at in 0..=group.len() {
            out.push(char::from(ALPHABET[(bits >> (18 - 6 * at) & 63) as usize]));
        }
    }
    out + ["", "==", "="][text.len() % 3]
}

#[test]
fn every_form_of_a_token_is_found() {
    use Family::{AwsCdk, Cdktf};
    for (text, part, form, family, name) in [
        ("${Token[TOKEN.28]}", "${Token[TOKEN.28]}", Form::Text, AwsCdk, "TOKEN.28"),
        ("https://${Token[TOKEN.20]}/x", "${Token[TOKEN.20]}", Form::Text, AwsCdk, "TOKEN.20"),
        ("${Token[Fn::Join.91]}", "${Token[Fn::Join.91]}", Form::Text, AwsCdk, "Fn::Join.91"),
        ("${Token[AWS.Region.13]}", "${Token[AWS.Region.13]}", Form::Text, AwsCdk, "AWS.Region.13"),
        ("#{Token[TOKEN.95]}", "#{Token[TOKEN.95]}", Form::List, AwsCdk, "TOKEN.95"),
        ("${TfToken[TOKEN.2]}", "${TfToken[TOKEN.2]}", Form::Text, Cdktf, "TOKEN.2"),
        ("#{TfToken[TOKEN.21]}", "#{TfToken[TOKEN.21]}", Form::List, Cdktf, "TOKEN.21"),
        ("&{TfToken[TOKEN.24]}", "&{TfToken[TOKEN.24]}", Form::Map, Cdktf, "TOKEN.24"),
        ("${${TfToken[TOKEN.20]}.arn}", "${TfToken[TOKEN.20]}", Form::Text, Cdktf, "TOKEN.20"),
        ("${token[token.28]}", "${token[token.28]}", Form::LowerCased, AwsCdk, "token.28"),
        ("${TFTOKEN[TOKEN.19]}", "${TFTOKEN[TOKEN.19]}", Form::LowerCased, Cdktf, "TOKEN.19"),
        ("-1.888154589708771e+289", "-1.888154589708771e+289", Form::Number, AwsCdk, "98"),
        ("port=-1.888154589708771e289;", "-1.888154589708771e289", Form::Number, AwsCdk, "98"),
        ("-8.109562212591399e+298", "-8.109562212591399e+298", Form::Number, Cdktf, "22"),
        (
            "%24%7BToken%5BTOKEN.28%5D%7D",
            "%24%7BToken%5BTOKEN.28%5D%7D",
            Form::Escaped,
            AwsCdk,
            "TOKEN.28",
        ),
        (
            "$%7BToken%5bFn%3A%3AJoin.2%5d%7D",
            "$%7BToken%5bFn%3A%3AJoin.2%5d%7D",
            Form::Escaped,
            AwsCdk,
            "Fn::Join.2",
        ),
        (r"\u0026{TfToken[TOKEN.4]}", r"\u0026{TfToken[TOKEN.4]}", Form::Escaped, Cdktf, "TOKEN.4"),
        ("JHtUb2tlbltUT0tFTi4yOF19", "JHtUb2tlbltUT0tFTi4yOF19", Form::Base64, AwsCdk, "TOKEN.28"),
        ("name-${Token[TOKEN.2", "${Token[TOKEN.2", Form::Cut, AwsCdk, "TOKEN.2"),
        ("name-${TfToken[TOKEN.2]", "${TfToken[TOKEN.2]", Form::Cut, Cdktf, "TOKEN.2]"),
    ] {
        let found = find(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let token = &found[0];
        assert_eq!(&text[token.range.clone()], part);
        assert_eq!((token.form, token.family), (form, family), "{text}");
        if form != Form::Number {
            assert_eq!(token.name, name);
        }
        assert!(token.explanation().contains(family.as_str()));
    }
}

#[test]
fn several_tokens_of_one_text_are_found_in_order() {
    let text = r#"{"b":"${Token[TOKEN.28]}","p":-1.888154589708771e+289,"c":"${Token[TOKEN.29]}${token[token.1]}"}"#;
    let forms: Vec<Form> = find(text).iter().map(|token| token.form).collect();
    assert_eq!(forms, [Form::Text, Form::Number, Form::Text, Form::LowerCased]);
}

#[test]
fn a_number_token_is_found_however_its_digits_are_printed() {
    for index in [0u64, 1, 98, 4_000, 65_536, 1 << 31] {
        for (mark, family) in [(0xfbff_u64, Family::AwsCdk), (0xfdff, Family::Cdktf)] {
            let double = f64::from_bits(mark << 48 | index);
            for text in [format!("{double:e}"), format!("x{double:E}y"), format!("{double}")] {
                let found = find(&text);
                assert_eq!(found.len(), 1, "{text}");
                assert_eq!(
                    (found[0].family, &*found[0].name),
                    (family, &*index.to_string()),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn base64_is_found_at_every_alignment_and_for_every_sigil() {
    for before in ["", "a", "ab", "abc", "https://", "{\"k\": \""] {
        for token in [
            "${Token[TOKEN.28]}",
            "#{Token[TOKEN.9]}",
            "${TfToken[TOKEN.2]}",
            "#{TfToken[TOKEN.2]}",
            "&{TfToken[TOKEN.24]}",
            "${Token[Fn::Join.91]}",
            "${token[token.28]}",
            "${tftoken[token.28]}",
        ] {
            for after in ["", "x", "\"}"] {
                let text = base64(&format!("{before}{token}{after}"));
                for text in [text.clone(), text.replace('+', "-").replace('/', "_")] {
                    let found = find(&text);
                    assert_eq!(found.len(), 1, "{before}{token}{after}: {text}");
                    assert_eq!(found[0].form, Form::Base64);
                }
            }
        }
    }
}

#[test]
fn what_only_looks_like_a_token_is_not_found() {
    for text in [
        "$(VAR)",
        "${VAR}",
        "${VAR:-x}",
        "${TOKEN}",
        "${TOKEN:-abc.1}",
        "${token[0]}",
        "${tokens[i]}",
        "${Token[@]}",
        "${#token[@]}",
        "${Token[x.y]}",
        "${Token[.1]",
        "$Token[a.1]",
        "{Token[TOKEN.1]}",
        "{{ .Values.token }}",
        "{{ index .Values.Token 0 }}",
        "${{ secrets.GITHUB_TOKEN }}",
        "token=$(cat /var/run/secrets/kubernetes.io/serviceaccount/token)",
        "for t in \"${tokens[@]}\"; do echo \"${t%.1}\"; done",
        "%24%7BTOKEN%7D",
        "-1.888154589708771",
        "-1.888e+289x",
        "-1.9e+289",
        "1.888154589708771e+289",
        "-8.109562212591399e+297",
        "-8109",
        "-18881234567890123456789012345678901234567890",
        "1797693134862315700000000000000000000000",
        "ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4TWpNME5UWTNPRGt3SW4w",
        "dG9rZW5zIGFyZSBub3QgdG9rZW5zLCBUb2tlblsgaXMgbm90IG9uZSBlaXRoZXI=",
        "JHtUb2tlblt4XX0gYW5kIG1vcmUgdGV4dCBoZXJl",
        "arn:aws:iam::123456789012:role/token-reader",
    ] {
        assert_eq!(find(text), [], "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_every_range_is_of_the_text(
        text in prop_oneof![any::<String>(), "([$#&]\\{|%24|%7B|Tf|Token|token|\\[|%5B|TOKEN|\\.|1|\\]|%5D|\\}|é|-1\\.888|e\\+289|JHtUb2tlblt){0,12}"],
    ) {
        for token in find(&text) {
            prop_assert!(text.get(token.range.clone()).is_some());
            prop_assert!(!token.explanation().is_empty());
        }
    }

    #[test]
    fn random_base64_is_no_token(bytes in prop::collection::vec(any::<char>(), 0..80)) {
        let text = base64(&bytes.into_iter().filter(|c| *c != '[').collect::<String>());
        prop_assert_eq!(find(&text), []);
    }
}
