//! `resourceInput<…>` and `resourceOutput<…>` of AWS's types.

use hangar_template::arm::build;
use hangar_template::program::compile;
use hangar_template::source::Sources;
use serde_json::{Value as Json, json};

use super::*;

fn sources(text: &str) -> Sources {
    Sources::of("main.bicep", text.as_bytes())
        .with_resource_types(Arc::new(CatalogTypes::default()))
}

/// Code, the text at the place, message and hints of each problem.
fn said(text: &str) -> Vec<String> {
    let problems = compile(&sources(text), "main.bicep").problems;
    problems
        .iter()
        .map(|problem| {
            let diagnostic = &problem.diagnostic;
            let span = diagnostic.span().unwrap();
            let (code, at) = (diagnostic.code, &text[span.start..span.end]);
            format!("{code} «{at}» {} {}", diagnostic.message, diagnostic.hints.join("; "))
                .trim_end()
                .to_owned()
        })
        .collect()
}

#[test]
fn a_value_is_held_to_the_type_of_the_resource_at_its_place() {
    let queue = "resourceInput<'AWS.SQS/Queue@default'>.properties";
    let of = |value: &str| said(&format!("param p {queue} = {value}"));
    assert_eq!(
        of("{ QueueName: 1 }"),
        [
            "BCP033 «1» the default of `p`: expected `string` at `QueueName`, found `int` write it as a string: `'1'`"
        ]
    );
    assert_eq!(
        of("{ QueueNam: 'x' }"),
        [
            "BCP089 «QueueNam» the default of `p` has the property `QueueNam`, which does not exist in its type \
          did you mean `QueueName`?"
        ]
    );
    assert_eq!(
        of("{ Tags: [{ Key: 'a' }] }"),
        [
            "BCP035 «{ Key: 'a' }» the default of `p` lacks the required property `Value` at `Tags[0]` \
          add `Value: '…'`"
        ]
    );
    assert_eq!(of("{ QueueName: 'a', Tags: [{ Key: 'a', Value: 'b' }] }"), [""; 0]);
    // Only AWS sets it.
    assert!(of("{ Arn: 'a' }")[0].starts_with("BCP0"), "{:?}", of("{ Arn: 'a' }"));
}

#[test]
fn a_member_that_the_type_has_not_cannot_be_read_of_a_parameter() {
    let text = "param p resourceInput<'AWS.SQS/Queue@default'>.properties\n\
                output a string? = p.QueueNam\noutput b string? = p.Tags[0].Valu\noutput c string? = p.QueueName\n";
    assert_eq!(
        said(text),
        [
            "BCP083 «QueueNam» the property `QueueNam` does not exist on the object did you mean `QueueName`?",
            "BCP083 «Valu» the property `Valu` does not exist on the object did you mean `Value`?"
        ]
    );
}

#[test]
fn parts_and_types_that_do_not_exist_are_errors_with_the_nearest_name() {
    assert_eq!(
        said("type t = resourceInput<'AWS.SQS/Queue@default'>.properties.QueueNam"),
        [
            "BCP083 «QueueNam» the property `QueueNam` does not exist on the type `resourceInput<'AWS.SQS/Queue@default'>.properties` \
          did you mean `QueueName`?"
        ]
    );
    assert_eq!(
        said("param p resourceOutput<'AWS.SQS/Queu@default'>"),
        [
            "BCP081 «'AWS.SQS/Queu@default'» the resource type `AWS.SQS/Queu@default` does not exist \
          did you mean `AWS.SQS/Queue@default`?"
        ]
    );
    assert_eq!(
        said("param p resourceInput<'Microsoft.Web/sites@2024-04-01'>.x = { y: 1 }"),
        [""; 0]
    );
}

#[test]
fn what_is_read_requires_nothing_and_may_hold_more() {
    let text = "param p resourceOutput<'AWS.SQS/Queue@default'>.properties = { Arn: 'a', New: 1 }";
    assert_eq!(said(text), [""; 0]);
    let text = "param p resourceOutput<'AWS.SQS/Queue@default'>.properties.Arn = 1";
    assert_eq!(
        said(text),
        [
            "BCP033 «1» the default of `p`: expected `string`, found `int` write it as a string: `'1'`"
        ]
    );
}

#[test]
fn a_definition_that_holds_itself_is_a_type() {
    let text = "param p resourceInput<'AWS.WAFv2/WebACL@default'>.properties.Rules[*].Statement = {\n\
                NotStatement: { Statement: { NotStatement: { Statement: 1 } } }\n}";
    let said = said(text);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("NotStatement.Statement.NotStatement.Statement"), "{said:?}");
}

#[test]
fn build_writes_the_base_type_and_where_it_is_from() {
    let text = "param a resourceInput<'AWS.SQS/Queue@default'>.properties\n\
                param b resourceInput<'AWS.SQS/Queue@default'>.properties.DelaySeconds\n\
                param c resourceOutput<'AWS.SQS/Queue@default'>.properties.Tags[*].Key\n";
    let built = build(&sources(text), "main.bicep");
    let template: Json = serde_json::from_str(&built.template.unwrap()).unwrap();
    let derived = |source: &str| json!({"__bicep_resource_derived_type!": {"source": source}});
    let parameters = &template["parameters"];
    let start = "AWS.SQS/Queue@default#properties/properties";
    assert_eq!(parameters["a"], json!({"type": "object", "metadata": derived(start)}));
    let delay = derived(&format!("{start}/properties/DelaySeconds"));
    assert_eq!(parameters["b"], json!({"type": "int", "metadata": delay}));
    let mut key = derived(&format!("{start}/properties/Tags/items/properties/Key"));
    key["__bicep_resource_derived_type!"]["output"] = json!(true);
    assert_eq!(parameters["c"], json!({"type": "string", "metadata": key}));
}

#[test]
fn integers_patterns_and_values_of_cfn_lint_are_checked() {
    let of = |part: &str, value: &str| {
        let properties =
            format!("resourceInput<'{part}").replacen('#', "@default'>.properties.", 1);
        said(&format!("param p {properties} = {value}"))
    };
    // Checked against the catalog, so that a newer one cannot make the test pass for nothing.
    let logs = "AWS.Logs/LogGroup#RetentionInDays";
    let found = of(logs, "2");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("BCP033 «2» the default of `p`: expected"), "{found:?}");
    assert_eq!(of(logs, "7"), [""; 0]);
    let found = of("AWS.Logs/LogGroup#LogGroupName", "'no spaces here'");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("TMPL0203 «'no spaces here'» the default of `p` does not match"),
        "{found:?}"
    );
    assert_eq!(of("AWS.Logs/LogGroup#LogGroupName", "'/app/log'"), [""; 0]);
}

#[test]
fn a_value_that_cfn_lint_does_not_know_is_a_warning() {
    let catalog = Catalog::bundled();
    let (type_name, property) = catalog
        .names()
        .find_map(|name| {
            let schema = catalog.get(name).ok()?;
            let has_advice = |member: &Member<'_>| {
                let is_text = member.outline.kinds().iter().all(|kind| kind == Kind::String);
                let is_open = member.outline.limits().allowed.is_empty();
                is_text && is_open && !member.outline.limits().advised.is_empty()
            };
            let is_stated = |member: &Member<'_>| !member.outline.is_read_only();
            let found = schema.outline().members().find(|it| has_advice(it) && is_stated(it))?;
            Some((TypeName::parse(name).ok()?.ucp(), found.name.to_owned()))
        })
        .expect("cfn-lint knows values of some property");
    let text =
        format!("param p resourceInput<'{type_name}@default'>.properties.{property} = 'Xyz9'");
    let problems = compile(&sources(&text), "main.bicep").problems;
    let found: Vec<_> =
        problems.iter().map(|it| (it.diagnostic.code.to_string(), it.is_error())).collect();
    assert_eq!(found, [("TMPL0203".to_owned(), false)], "{text}: {problems:?}");
}
