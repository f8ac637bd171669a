//! The grammar, rule by rule: what reads without a mistake, how it groups, and what is reported.

use hangar_template::syntax::{Dialect, Node, NodeKind, parse};

#[test]
fn a_template_with_every_construct_has_no_mistake() {
    let text = include_str!("../syntax/everything.bicep");
    let parsed = parse(text, Dialect::Template);
    assert_eq!(parsed.tree.print(), text);
    let shown: Vec<_> = parsed
        .diagnostics
        .iter()
        .map(|d| (d.to_string(), text[d.span().unwrap().start..].lines().next().unwrap_or("")))
        .collect();
    assert!(shown.is_empty(), "{shown:#?}");
}

#[test]
fn a_parameters_file_with_every_construct_has_no_mistake() {
    let text = include_str!("../syntax/everything.bicepparam");
    let parsed = parse(text, Dialect::Parameters);
    assert_eq!(parsed.tree.print(), text);
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
}

/// An expression with a pair of brackets around everything that groups.
fn grouped(node: Node<'_>) -> String {
    let parts: Vec<String> = node
        .elements()
        .map(|element| match element {
            hangar_template::syntax::Element::Node(id) => {
                grouped(node.children().find(|child| child.id() == id).unwrap())
            }
            hangar_template::syntax::Element::Token(id) => {
                node.tokens().find(|token| token.id() == id).unwrap().text().to_owned()
            }
        })
        .collect();
    match node.kind() {
        NodeKind::Variable | NodeKind::Literal | NodeKind::Name | NodeKind::String => {
            parts.concat()
        }
        _ => format!("<{}>", parts.join(" ")),
    }
}

fn value_of(expression: &str) -> String {
    let text = format!("var a = {expression}\n");
    let parsed = parse(&text, Dialect::Template);
    assert!(parsed.diagnostics.is_empty(), "{expression}: {:?}", parsed.diagnostics);
    let statement = parsed.tree.root().child(NodeKind::Var).unwrap();
    let value = statement.children().find(|child| child.kind().is_expression()).unwrap();
    grouped(value)
}

#[test]
fn operators_group_by_how_tightly_they_bind() {
    for (expression, expected) in [
        ("1 + 2 * 3", "<1 + <2 * 3>>"),
        ("1 - 2 - 3", "<<1 - 2> - 3>"),
        ("a || b && c", "<a || <b && c>>"),
        ("a ?? b || c", "<a ?? <b || c>>"),
        ("a == b > c", "<a == <b > c>>"),
        ("!a && -b < c", "<<! a> && <<- b> < c>>"),
        ("a ? b : c ? d : e", "<a ? b : <c ? d : e>>"),
        ("a.b[0]!.c()", "<<<<a . b> [ 0 ]> !> . c ( )>"),
        ("x => y => x", "<x => <y => x>>"),
        ("(a, b) => a + b", "<<( a , b )> => <a + b>>"),
        ("a::b.c", "<<a :: b> . c>"),
        ("-a.b", "<- <a . b>>"),
        ("[[for x in y: x]]", "<[ <[ for x in y : x ]> ]>"),
        ("'a${'${b}'}c'", "'a${'${b}'}c'"),
        ("(\n  a\n)", "<( \n a \n )>"),
    ] {
        assert_eq!(value_of(expression), expected, "{expression}");
    }
}

/// Each mistake as code and the text under it.
fn mistakes(text: &str, dialect: Dialect) -> String {
    let parsed = parse(text, dialect);
    assert_eq!(parsed.tree.print(), text);
    let shown = parsed.diagnostics.iter().map(|diagnostic| {
        let span = diagnostic.span().unwrap();
        format!("{}@{}:{:?}", diagnostic.code, span.start, &text[span.start..span.end])
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn each_rule_reports_what_is_wrong_and_where() {
    for (text, expected) in [
        ("var a = 'x", "BCP003@8:\"'x\""),
        ("var a = 'x\n", "BCP004@8:\"'x\""),
        ("var a = 'x\\", "BCP003@8:\"'x\\\\\" BCP005@10:\"\\\\\""),
        ("var a = '\\q'", "BCP006@9:\"\\\\q\""),
        ("var a = '\\u{110000}'", "BCP133@9:\"\\\\u{110000}\""),
        ("var a = '\\u12'", "BCP133@9:\"\\\\u\""),
        ("var a = '''x", "BCP140@8:\"'''x\""),
        ("var a = \"x\"", "BCP103@8:\"\\\"\" BCP009@8:\"\\\"\" BCP103@10:\"\\\"\""),
        ("var a = 1 /* x", "BCP002@10:\"/* x\""),
        ("resource", "BCP017@8:\"\""),
        ("resource a", "BCP068@10:\"\""),
        ("resource a 'b' =", "BCP118@16:\"\""),
        ("resource a 'b' = x", "BCP118@17:\"x\""),
        ("var", "BCP015@3:\"\""),
        ("type", "BCP325@4:\"\""),
        ("type a =", "BCP279@8:\"\""),
        ("assert = 1", "BCP344@7:\"=\""),
        ("test a = {}", "BCP347@7:\"=\" BCP018@11:\"\""),
        ("func = 1", "BCP015@5:\"=\" BCP018@8:\"\""),
        ("func f = (a 'b') string => ''", "BCP018@7:\"=\""),
        ("func f('a') string => ''", "BCP015@7:\"\""),
        ("func f(a) string => ''", "BCP279@8:\")\""),
        ("func f(,) string => ''", "BCP015@7:\"\" BCP279@7:\",\""),
        ("test a 'b'{}", "BCP018@10:\"{\""),
        ("test a 'b' =", "BCP018@12:\"\""),
        ("type 44", "BCP325@5:\"44\" BCP018@7:\"\" BCP279@7:\"\""),
        ("extension", "BCP201@9:\"\""),
        ("extension a as", "BCP202@14:\"\""),
        ("import {a}", "BCP012@10:\"\""),
        ("import {a} from", "BCP257@15:\"\""),
        ("var a = {b: 1 c: 2}", "BCP236@14:\"c\""),
        ("var a = b::", "BCP023@11:\"\""),
        ("var a = f(1 2)", "BCP018@12:\"2\""),
        ("var a = b[1 2]", "BCP018@12:\"2\""),
        ("var a = [1 2]", "BCP236@11:\"2\""),
        ("var a = 'x${b", "BCP003@13:\"\""),
        ("#disable-next-line\nvar a = 1", "BCP226@18:\"\""),
        ("using 'a'", "BCP007@0:\"using\""),
    ] {
        assert_eq!(mistakes(text, Dialect::Template), expected, "{text}");
    }
    assert_eq!(mistakes("output a int = 1", Dialect::Parameters), "BCP337@0:\"output\"");
    assert_eq!(mistakes("using", Dialect::Parameters), "BCP257@5:\"\"");
}

#[test]
fn a_mistake_leaves_the_next_line_alone() {
    let text = "var a = [\n  1 +\n  2\n]\nparam b string\nvar c = )\noutput d int = 1\n";
    let parsed = parse(text, Dialect::Template);
    assert_eq!(parsed.diagnostics.len(), 2, "{:?}", parsed.diagnostics);
    let kinds: Vec<NodeKind> = parsed.tree.root().children().map(Node::kind).collect();
    assert_eq!(kinds, [NodeKind::Var, NodeKind::Param, NodeKind::Var, NodeKind::Output]);
}
