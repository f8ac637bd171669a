//! The typed views: every part of every statement can be asked for.

use hangar_template::syntax::ast::{
    DirectiveKind, Expression, File, Item, LiteralValue, ObjectItem, PropertyKey, Statement,
    StringPart, TypeExpression, directives,
};
use hangar_template::syntax::{Dialect, Parsed, parse};

fn read(text: &str) -> Parsed {
    let parsed = parse(text, Dialect::Template);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed
}

fn only(parsed: &Parsed) -> Statement<'_> {
    File::of(&parsed.tree).statements().next().unwrap()
}

#[test]
fn every_statement_of_the_large_template_has_a_view_and_its_name() {
    let parsed = read(include_str!("../syntax/everything.bicep"));
    let statements: Vec<_> = File::of(&parsed.tree).statements().collect();
    assert_eq!(statements.len(), parsed.tree.root().children().count());
    let names: Vec<&str> =
        statements.iter().filter_map(|statement| Some(statement.name()?.text())).collect();
    assert_eq!(names.len(), statements.len() - 4, "all but targetScope and the imports");
    for name in ["author", "aws", "ireland", "thing", "password", "table", "url", "each", "id"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

#[test]
fn a_resource_tells_its_type_its_body_and_whether_it_exists() {
    let parsed = read(
        "@batchSize(1)\nresource q 'AWS.SQS/Queue@default' existing = [for (n, i) in l: if (i > 0) {\n  a: n\n}]\n",
    );
    let Statement::Resource(resource) = only(&parsed) else { panic!("no resource") };
    assert_eq!(resource.name().unwrap().text(), "q");
    assert_eq!(resource.resource_type().unwrap().literal().unwrap(), "AWS.SQS/Queue@default");
    assert!(resource.is_existing());
    assert_eq!(only(&parsed).decorators().count(), 1);
    let Some(Expression::Loop(over)) = resource.value() else { panic!("no loop") };
    assert_eq!(over.item().unwrap().text(), "n");
    assert_eq!(over.index().unwrap().text(), "i");
    assert_eq!(over.list().unwrap().node().text(), "l");
    let Some(Expression::Condition(condition)) = over.body() else { panic!("no condition") };
    assert_eq!(condition.condition().unwrap().inner().unwrap().node().text(), "i > 0");
    let items: Vec<_> = condition.body().unwrap().items().collect();
    let [ObjectItem::Property(property)] = items[..] else { panic!("no property") };
    let Some(PropertyKey::Name(key)) = property.key() else { panic!("no key") };
    assert_eq!(key.text(), "a");
    assert_eq!(property.value().unwrap().node().text(), "n");
}

#[test]
fn an_expression_tells_its_parts() {
    let parsed =
        read("var a = x.?y[^1] ? -f(1, ...) : [2, ...b]\n".replace(", ...)", ")").as_str());
    let Statement::Var(var) = only(&parsed) else { panic!("no variable") };
    let Some(Expression::Ternary(ternary)) = var.value() else { panic!("no ternary") };
    let Some(Expression::Index(index)) = ternary.condition() else { panic!("no index") };
    assert!(index.is_from_end() && !index.is_safe());
    assert_eq!(index.index().unwrap().node().text(), "1");
    let Some(Expression::Member(member)) = index.base() else { panic!("no member") };
    assert!(member.is_safe());
    assert_eq!(member.name().unwrap().text(), "y");
    let Some(Expression::Unary(unary)) = ternary.then() else { panic!("no minus") };
    assert_eq!(unary.operator().unwrap().text(), "-");
    let Some(Expression::Call(call)) = unary.operand() else { panic!("no call") };
    let arguments: Vec<_> = call.arguments().collect();
    let [Expression::Literal(one)] = arguments[..] else { panic!("no literal") };
    assert_eq!(one.value(), Some(LiteralValue::Number(1)));
    let Some(Expression::Array(array)) = ternary.otherwise() else { panic!("no array") };
    let items: Vec<_> = array.items().collect();
    assert!(matches!(items[..], [Item::Value(_), Item::Spread(_)]));
}

#[test]
fn a_string_says_what_it_means() {
    for (written, said) in [
        (r"'it\'s \\ \$\{ \n\t\u{1F600}'", "it's \\ ${ \n\t😀"),
        ("''", ""),
        ("'''raw \\n ${x}'''", "raw \\n ${x}"),
        ("'''\nfirst line break goes'''", "first line break goes"),
        ("'''\r\na\r\n'''", "a\r\n"),
        ("''''quoted''''", "'quoted'"),
        ("$'''no hole'''", "no hole"),
        ("'é ü'", "é ü"),
    ] {
        let text = format!("var a = {written}\n").replace(r"\{", "{");
        let parsed = read(&text);
        let Statement::Var(var) = only(&parsed) else { panic!("no variable") };
        let Some(Expression::String(string)) = var.value() else { panic!("no string") };
        assert_eq!(string.literal().as_deref(), Some(said), "{written}");
    }
}

#[test]
fn a_string_with_holes_has_texts_and_expressions() {
    for (written, parts) in [
        ("'a${b}c'", "a|<b>|c"),
        ("'${b}${c}'", "<b>|<c>"),
        ("$'''\na${b}c${d}'''", "a|<b>|c|<d>"),
        ("$$'''${a}$${b}$$${c}'''", "${a}|<b>|$|<c>"),
    ] {
        let parsed = read(&format!("var a = {written}\n"));
        let Statement::Var(var) = only(&parsed) else { panic!("no variable") };
        let Some(Expression::String(string)) = var.value() else { panic!("no string") };
        let shown: Vec<String> = string
            .parts()
            .iter()
            .map(|part| match part {
                StringPart::Text(text) => text.clone(),
                StringPart::Hole(hole) => format!("<{}>", hole.node().text()),
            })
            .collect();
        assert_eq!(shown.join("|"), parts, "{written}");
        assert_eq!(string.literal(), None);
    }
}

#[test]
fn a_type_tells_its_members() {
    let parsed = read("param a 'x' | { b: int?, *: c.d[] } | r<'t'> = 1\n");
    let Statement::Param(param) = only(&parsed) else { panic!("no parameter") };
    let Some(TypeExpression::TypeUnion(union)) = param.type_expression() else {
        panic!("no union")
    };
    let members: Vec<_> = union.members().collect();
    let [
        TypeExpression::TypeLiteral(literal),
        TypeExpression::TypeObject(object),
        TypeExpression::TypeParameterized(parameterized),
    ] = members[..]
    else {
        panic!("{members:?}")
    };
    assert_eq!(literal.value().unwrap().node().text(), "'x'");
    let property = object.properties().next().unwrap();
    assert!(matches!(property.type_expression(), Some(TypeExpression::TypeNullable(_))));
    let other = object.other_properties().unwrap().type_expression();
    let Some(TypeExpression::TypeArray(array)) = other else { panic!("no array") };
    assert!(matches!(array.base(), Some(TypeExpression::TypeMember(_))));
    assert_eq!(parameterized.arguments().count(), 1);
    assert_eq!(param.value().unwrap().node().text(), "1");
}

#[test]
fn directives_tell_their_codes_and_places() {
    let text = "#disable-next-line BCP036  no-unused // why\nparam a int\n#restore-diagnostics x\n";
    let parsed = read(text);
    let found: Vec<_> = directives(&parsed.tree).collect();
    assert_eq!(found[0].kind, DirectiveKind::DisableNextLine);
    assert_eq!(
        &text[found[0].span.start..found[0].span.end],
        "#disable-next-line BCP036  no-unused"
    );
    let codes: Vec<&str> =
        found[0].codes.iter().map(|(_, span)| &text[span.start..span.end]).collect();
    assert_eq!(codes, ["BCP036", "no-unused"]);
    assert_eq!(found[1].kind, DirectiveKind::Restore);
}
