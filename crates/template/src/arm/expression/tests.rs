use super::*;
use proptest::prelude::*;

fn printed(text: &str) -> String {
    match Content::of(text) {
        Ok(content) => content.to_string(),
        Err(fault) => format!("{}: {}", fault.span.start, fault.message),
    }
}

#[test]
fn what_the_compiler_writes_prints_back() {
    for text in [
        "",
        "plain",
        "[parameters('name')]",
        "[format('{0}-x', parameters('a').b[0]['c d'].e)]",
        "[__bicep.buildUrl(true(), 'it''s', -1)]",
        "[[not an expression]",
        "[half",
        "half]",
        "[variables('$fxv#0')]",
        "[lambda('x', add(lambdaVariables('x'), 1.5))]",
        "[createArray()[copyIndex('a')]]",
        "[reference('a::b').x]",
    ] {
        assert_eq!(printed(text), text);
    }
}

#[test]
fn spaces_mean_nothing() {
    assert_eq!(printed("[ concat ( 'a' ,'b' ) . c [ 0 ] ]"), "[concat('a', 'b').c[0]]");
    assert_eq!(printed("[concat(\n  'a',\n  'b'\n)]"), "[concat('a', 'b')]");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, wrong) in [
        ("[]", "1: expected an expression here"),
        ("[a]", "2: expected `(` after the function name `a`"),
        ("[a(]", "3: expected an expression here"),
        ("[a('b]", "3: the string is not closed: `'` is missing"),
        ("[a() b()]", "5: unexpected text after the expression"),
        ("[a(1 2)]", "5: expected `,` or `)` here, in the arguments of `a`"),
        ("[a().]", "5: expected the name of a property here"),
        ("[a()[0)]", "6: expected `]` here"),
        ("[a(%)]", "3: unexpected character `%` in the expression"),
        ("[--1]", "1: `--1` is not a number"),
    ] {
        assert_eq!(printed(text), wrong, "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    let deep = format!("[{}{}]", "a(".repeat(100_000), ")".repeat(100_000));
    assert!(printed(&deep).contains("nested more than"));
    let long = format!("[a(){}]", ".b".repeat(100_000));
    assert!(printed(&long).contains("in a row"));
}

fn any_expression() -> impl Strategy<Value = Expression> {
    let name = "[a-zA-Z_][a-zA-Z0-9_]{0,8}";
    let leaf = prop_oneof![
        any::<String>().prop_map(Expression::text),
        any::<i64>().prop_map(Expression::number),
        name.prop_map(|name| Expression::call(name, vec![])),
    ];
    leaf.prop_recursive(6, 40, 4, move |inner| {
        let arguments = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (name, arguments).prop_map(|(name, arguments)| Expression::call(name, arguments)),
            (inner.clone(), name).prop_map(|(base, name)| base.member(name)),
            (inner.clone(), inner).prop_map(|(base, at)| base.index(at)),
        ]
    })
}

proptest! {
    #[test]
    fn parsing_what_is_printed_gives_it_back(expression in any_expression()) {
        let content = Content::Expression(expression);
        prop_assert_eq!(Content::of(&content.to_string()).unwrap(), content);
    }

    #[test]
    fn texts_stay_texts(text in any::<String>()) {
        let content = Content::Text(text);
        prop_assert_eq!(Content::of(&content.to_string()).unwrap(), content);
    }

    #[test]
    fn no_text_is_too_strange(text in "\\[.*\\]") {
        let _ = Content::of(&text);
    }
}
