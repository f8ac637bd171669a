//! Every operator: what it comes to, and what it refuses.

use crate::language::{assert_told, evaluated, problems, problems_with};
use serde_json::json;

#[test]
fn operators_come_to_what_bicep_says() {
    for (expression, value) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "3"),
        ("-7 / 2", "-3"),
        ("-7 % 2", "-1"),
        ("7 - 10", "-3"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775807 + 0", "9223372036854775807"),
        ("!true", "false"),
        ("true || fail", "true"),
        ("false && fail", "false"),
        ("false || true", "true"),
        ("true && false", "false"),
        ("null ?? 'a'", r#""a""#),
        ("'b' ?? fail", r#""b""#),
        ("null ?? null ?? 3", "3"),
        ("1 == 1", "true"),
        ("'a' == 'A'", "false"),
        ("'a' =~ 'A'", "true"),
        ("'ä' =~ 'Ä'", "true"),
        ("'a' !~ 'A'", "false"),
        ("'1' == 1", "false"),
        ("[1, { a: null }] == [1, { a: null }]", "true"),
        ("{ a: 1 } == { a: 2 }", "false"),
        ("{ a: 1 } != { b: 1 }", "true"),
        ("null == null", "true"),
        ("1 < 2", "true"),
        ("2 <= 2", "true"),
        ("'a' < 'b'", "true"),
        ("'B' < 'a'", "true"),
        ("3 > 4", "false"),
        ("3 >= 4", "false"),
        ("true ? 1 : fail", "1"),
        ("false ? fail : 2", "2"),
        ("'${1}${true}${false}${null}${'x'}'", r#""1TrueFalsex""#),
        ("'${[1, 'a']} ${{ b: { c: true } }}'", r#""[1,\"a\"] {\"b\":{\"c\":true}}""#),
        ("[1, ...[2, 3], 4]", "[1,2,3,4]"),
        ("{ a: 1, ...{ a: 2, b: 3 }, b: 4 }", "{a:2,b:4}"),
        ("{ '${'k'}-1': 1, 'b c': 2 }", "{b c:2,k-1:1}"),
        ("{ a: 1, ...null }", "{a:1}"),
        ("{ a: { b: [1, 2] } }.a.b[1]", "2"),
        ("{ a: 1 }['a']", "1"),
        ("[1, 2, 3][^1]", "3"),
        ("[1, 2][?5]", "null"),
        ("[1, 2][?^3]", "null"),
        ("{ a: 1 }.?b", "null"),
        ("{ a: 1 }.?b.c.d[0]", "null"),
        ("{ a: null }.?a.b", "null"),
        ("{ a: 1 }.?b ?? 'no'", r#""no""#),
        ("{ a: 1 }!.a!", "1"),
        ("any({ a: 1 }).a", "1"),
        ("nameof(fail)", r#""fail""#),
        ("[for x in [1, 2]: x * 2]", "[2,4]"),
        ("[for (x, i) in ['a', 'b']: '${i}${x}']", r#"["0a","1b"]"#),
        ("[for x in [1, 2]: map([10, 20], y => x + y)]", "[[11,21],[12,22]]"),
    ] {
        // `fail` is a variable that must never be looked at.
        let text = format!("{expression}\nvar fail = any(1 / 0)");
        assert_eq!(evaluated(&text), value, "{expression}");
    }
}

#[test]
fn operators_refuse_what_bicep_refuses() {
    for (expression, told) in [
        (
            "'a' + 'b'",
            "error[BCP045]: the operator `+` cannot be applied to `string` and `string` @ 'a' + 'b' (join strings by interpolation, as in `'${a}${b}'`)",
        ),
        (
            "1 + true",
            "error[BCP045]: the operator `+` cannot be applied to `int` and `bool` @ 1 + true",
        ),
        (
            "1 < 'a'",
            "error[BCP045]: the operator `<` cannot be applied to `int` and `string` @ 1 < 'a'",
        ),
        (
            "true < false",
            "error[BCP045]: the operator `<` cannot be applied to `bool` and `bool` @ true < false",
        ),
        (
            "1 =~ 1",
            "error[BCP045]: the operator `=~` cannot be applied to `int` and `int` @ 1 =~ 1",
        ),
        (
            "1 && true",
            "error[BCP045]: the operator `&&` cannot be applied to `int` and `bool` @ 1 && true",
        ),
        (
            "false || 'a'",
            "error[BCP045]: the operator `||` cannot be applied to `bool` and `string` @ false || 'a'",
        ),
        ("!1", "error[BCP044]: the operator `!` expects `bool`, found `int` @ !1"),
        ("-'a'", "error[BCP044]: the operator `-` expects `int`, found `string` @ -'a'"),
        ("1 ? 2 : 3", "error[BCP046]: expected a `bool` as the condition, found `int` @ 1"),
        ("1 / 0", "error[TMPL0005]: division by zero @ 1 / 0"),
        ("1 % 0", "error[TMPL0005]: division by zero @ 1 % 0"),
        (
            "9223372036854775807 + 1",
            "error[TMPL0005]: the result does not fit in 64 bits @ 9223372036854775807 + 1",
        ),
        (
            "-9223372036854775808 / -1",
            "error[TMPL0005]: the result does not fit in 64 bits @ -9223372036854775808 / -1",
        ),
        (
            "9223372036854775808",
            "error[BCP010]: the number does not fit in 64 bits @ 9223372036854775808",
        ),
        (
            "{ Name: 1 }.name",
            "error[BCP083]: the property `name` does not exist on the object @ name (did you mean `Name`?)",
        ),
        (
            "{ a: 1, b: 2 }.zzz",
            "error[BCP053]: the property `zzz` does not exist on the object @ zzz (available properties: `a`, `b`)",
        ),
        ("{}.a", "error[BCP052]: the property `a` does not exist on the object @ a"),
        (
            "'x'.a",
            "error[BCP055]: cannot read the property `a` of `string`: only objects have properties @ a",
        ),
        (
            "null.a",
            "error[BCP318]: cannot read a property or an item: the value is null @ a (use `.?` if the value may be null)",
        ),
        (
            "[1][1]",
            "error[BCP311]: the index 1 is out of range: the array has length 1, counted from 0 @ 1",
        ),
        (
            "[1][-1]",
            "error[BCP311]: the index -1 is out of range: the array has length 1, counted from 0 @ -1",
        ),
        (
            "[1][^0]",
            "error[BCP311]: the index 0 from the end is out of range: the array has length 1, counted from 1 @ 0",
        ),
        ("[][0]", "error[BCP311]: the array is empty @ 0"),
        ("[1]['a']", "error[BCP074]: the index of an array must be an `int` @ 'a'"),
        (
            "{ a: 1 }[0]",
            "error[BCP075]: the index of an object must be a `string`, the name of a property @ 0",
        ),
        ("1[0]", "error[BCP076]: only arrays and objects can be indexed, found `int` @ 1"),
        ("[...1]", "error[BCP033]: expected an `array` to spread into an array, found `int` @ 1"),
        (
            "{ ...[1] }",
            "error[BCP033]: expected an `object` to spread into an object, found `array` @ [1]",
        ),
        ("[for x in 1: x]", "error[BCP137]: expected an `array` to loop over, found `int` @ 1"),
        ("{ a: 1, a: 2 }", "error[BCP025]: the property `a` is declared more than once @ a"),
    ] {
        let found = problems(&format!("var o = {expression}\noutput l array = [o]\n"));
        assert_told(found.get(..1).unwrap_or_default(), &[told], expression);
    }
}

#[test]
fn several_mistakes_in_one_value_are_told_at_once() {
    let found = problems("output o object = {\n  a: 1 / 0\n  b: [!any(1), -any('x')]\n}\n");
    let codes: Vec<_> = found.iter().map(|it| &it[6..14]).collect();
    assert_eq!(codes, ["TMPL0005", "BCP044]:", "BCP044]:"], "{found:#?}");
}

#[test]
fn what_an_unknown_or_a_secret_touches_is_one() {
    let text = |expression: &str| {
        format!(
            "extension aws\n@secure()\nparam s string\nresource r 'AWS.S3/Bucket@default' = {{\n  alias: 'r'\n}}\n\
             var u = r.properties.U\n@secure()\noutput o object = {{ v: {expression} }}\n"
        )
    };
    for (expression, value) in [
        ("u + 1", "*{v:*«r/properties/U»}"),
        ("u ? 1 : 2", "*{v:*«r/properties/U»}"),
        ("u.a[0]['b']", "*{v:*«r/properties/U/a/0/b»}"),
        ("[u, 1]", "*{v:*[*«r/properties/U»,*1]}"),
        ("'${u}-${s}'", "*{v:*«r/properties/U»}"),
    ] {
        let text = text(expression);
        let deployment = crate::language::deployed(&text, &json!({"s": "x"}));
        let outputs =
            crate::language::outputs_of(&deployment, &hangar_template::deployment::NothingKnown);
        assert_eq!(outputs[0], format!("o={value}"), "{expression}");
    }
    // Each expression holds the secret, so an output that is not secure is refused.
    for expression in [
        "s",
        "'${s}!'",
        "s == 'a'",
        "[s]",
        "{ a: s }",
        "s == 'x' ? 1 : 2",
        "s =~ 'x'",
        "{ a: s }.a",
        "[for x in [s]: x]",
        "[for x in split(s, ','): x]",
        "'a' == s",
        "[...[s]]",
    ] {
        let text = format!("@secure()\nparam s string\noutput o array = [{expression}]\n");
        let text = if expression.contains("for") {
            format!("@secure()\nparam s string\noutput o array = {expression}\n")
        } else {
            text
        };
        let found = problems_with(&text, &json!({"s": "x"}));
        assert!(
            found.len() == 1 && found[0].starts_with("warning[outputs-should-not-contain-secrets]"),
            "{expression}: {found:?}"
        );
        assert!(!found[0].contains("\"x\""));
    }
    let text = "@secure()\nparam s object\noutput o int = s.other\n";
    let found = problems_with(text, &json!({"s": {"canary": 1}}));
    assert_eq!(found, ["error[BCP052]: the property `other` does not exist on the object @ other"]);
    for expression in ["{ a: s, b: 1 }.b", "[s, 2][1]", "true ? 1 : s"] {
        let text = format!("@secure()\nparam s string\noutput o int = {expression}\n");
        assert_eq!(problems_with(&text, &json!({"s": "x"})), [""; 0], "{expression}");
    }
}
