use serde_json::{Value, json};

use super::source::{CloudFormation, Place, Source, StackPath, Terraform, TerraformPart, Ucp};
use super::{Filter, Found, Otherwise, Reference, find};

fn parse(text: &str) -> Reference {
    Reference::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn cfn(text: &str) -> CloudFormation {
    match parse(text).source {
        Source::CloudFormation(cfn) => cfn,
        other => panic!("{other:?}"),
    }
}

fn refused(text: &str) -> String {
    let error = Reference::parse(text).unwrap_err();
    format!("{} ({})", error.what, error.hint)
}

#[test]
fn a_stack_is_named_with_what_is_wanted_of_it() {
    let found = cfn("${cfn:Storage/BucketName}");
    assert_eq!((found.stack.root.as_str(), found.name.as_str()), ("Storage", "BucketName"));
    assert_eq!(found.attribute, None);
    let found =
        cfn("${cfn:Prod-App/Nested/Deeper/Queue#Arn?account=111122223333&region=eu-west-1}");
    assert_eq!(found.stack.to_string(), "Prod-App/Nested/Deeper");
    assert_eq!(found.attribute.as_deref(), Some("Arn"));
    let place = Place {
        account: Some("111122223333".to_owned()),
        region: Some("eu-west-1".to_owned()),
        role: None,
    };
    assert_eq!(found.place, place);
}

#[test]
fn an_arn_of_a_stack_says_where_it_is() {
    let arn = "arn:aws:cloudformation:eu-west-1:111122223333:stack/App/0a1b";
    let found = cfn(&format!("${{cfn:{arn}/Bucket#Arn}}"));
    assert_eq!(found.stack, StackPath { root: arn.to_owned(), nested: vec![] });
    assert_eq!(found.place.region.as_deref(), Some("eu-west-1"));
    assert_eq!(found.place.account.as_deref(), Some("111122223333"));
}

#[test]
fn filters_and_what_stands_for_nothing_come_in_either_order() {
    for text in
        ["${cfn:S/Db#Endpoint.Port|int?default=5432}", "${cfn:S/Db#Endpoint.Port?default=5432|int}"]
    {
        let reference = parse(text);
        assert_eq!(reference.filters, [Filter::Int]);
        assert_eq!(reference.otherwise, Otherwise::Text("5432".to_owned()));
    }
    assert_eq!(parse("${cfn:S/X?optional}").otherwise, Otherwise::Nothing);
    assert_eq!(parse("${cfn:S/X?default=a%26b%7D}").otherwise, Otherwise::Text("a&b}".to_owned()));
    assert_eq!(parse("${tf:s/a.b#c|json|base64}").filters, [Filter::Json, Filter::Base64]);
}

#[test]
fn a_state_is_a_stack_a_directory_or_a_file() {
    let part = |text: &str| match parse(text).source {
        Source::Terraform(Terraform { state, part }) => (state, part),
        other => panic!("{other:?}"),
    };
    let attribute = |address: &str, path: &str| TerraformPart::Attribute {
        address: address.to_owned(),
        path: path.to_owned(),
    };
    assert_eq!(
        part("${tf:storage/aws_s3_bucket.Bucket#arn}"),
        ("storage".to_owned(), attribute("aws_s3_bucket.Bucket", "arn"))
    );
    assert_eq!(
        part("${tf:./infra/prod.tfstate/module.a.aws_vpc.net[a/b]#id}"),
        ("./infra/prod.tfstate".to_owned(), attribute("module.a.aws_vpc.net[a/b]", "id"))
    );
    let output = TerraformPart::Output { name: "name".to_owned(), path: None };
    assert_eq!(part("${tf:storage/output.name}"), ("storage".to_owned(), output));
    let output = TerraformPart::Output { name: "net".to_owned(), path: Some("ids.0".to_owned()) };
    for text in [
        "${tf:storage/output.net#ids.0}",
        "${tf:storage/output.net.ids[0]}",
        "${tf:storage/output.net#ids[0]}",
    ] {
        assert_eq!(part(text), ("storage".to_owned(), output.clone()));
    }
    assert_eq!(
        part("ref+tfstate://infra/terraform.tfstate/aws_vpc.main.id"),
        (
            "infra/terraform.tfstate".to_owned(),
            TerraformPart::Expression("${aws_vpc.main.id}".to_owned())
        )
    );
}

#[test]
fn a_resource_of_the_control_plane_may_have_bars_in_its_id() {
    let ucp = |text: &str| match parse(text) {
        Reference { source: Source::Ucp(ucp), filters, .. } => (ucp, filters),
        other => panic!("{other:?}"),
    };
    let (found, filters) = ucp(
        "${ucp:/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.ApiGateway/Stage/a|prod#properties.StageName|json}",
    );
    assert!(found.id.ends_with("/a|prod"));
    assert_eq!(filters, [Filter::Json]);
    let (found, _) = ucp("${ucp:my-rg/AWS.EC2/VPC/my-vpc#VpcId}");
    let id = "my-rg/AWS.EC2/VPC/my-vpc".to_owned();
    assert_eq!(found, Ucp { id, property: "VpcId".to_owned() });
}

#[test]
fn an_expression_is_a_tree_in_base64() {
    let tree = json!({"Fn::Join": ["-", ["a", {"$ref": {"stack": "S"}}]]});
    let text = super::filter::base64(tree.to_string().as_bytes());
    let text = text.replace('+', "-").replace('/', "_");
    let reference = parse(&format!("${{expr:{}|text}}", text.trim_end_matches('=')));
    assert_eq!(reference.source, Source::Expression { tree, place: Place::default() });
}

#[test]
fn what_is_wrong_is_told_with_how_it_should_be() {
    assert!(refused("${cfn:Storage}").contains("${cfn:STACK/OUTPUT}"));
    assert!(refused("${cfn:Storage/X#}").contains("nothing follows the `#`"));
    assert!(refused("${cfn:S/X#A|integer}").contains("`integer` is not a filter"));
    assert!(refused("${cfn:S/X?acount=1}").contains("`acount` is not a parameter"));
    assert!(refused("${cfn:S/X?region=here}").contains("`here` is not a region"));
    assert!(
        refused("${cfn:S/X?default=a&optional}")
            .contains("`optional` repeats an earlier parameter or conflicts")
    );
    assert!(refused("${tf:storage/aws_s3_bucket.b}").contains("the attribute is missing"));
    assert!(refused("${tf:x/a.b#c?region=eu-west-1}").contains("not to `tf:`"));
    assert!(refused("${ucp:a/b#c}").contains("GROUP/TYPE/ALIAS"));
    assert!(refused("${expr:!!}").contains("base64"));
    assert!(refused("${cfn:S/%zz}").contains("%25"));
    assert!(refused("${cfn:S/X").contains("it is not closed"));
}

fn occurrences(text: &str) -> Vec<(&str, &'static str)> {
    let kind = |found: &Found| match found {
        Found::Reference(_) => "reference",
        Found::Escaped => "escaped",
        Found::Wrong(_) => "wrong",
    };
    find(text).iter().map(|it| (&text[it.range.clone()], kind(&it.found))).collect()
}

#[test]
fn references_are_found_where_they_stand() {
    assert_eq!(
        occurrences("https://${cfn:S/B#DomainName}/${tf:a/b.c#d} and $${cfn:S/B} end"),
        [
            ("${cfn:S/B#DomainName}", "reference"),
            ("${tf:a/b.c#d}", "reference"),
            ("$${cfn:S/B}", "escaped"),
        ]
    );
    assert_eq!(occurrences("${cfn:S/B and more"), [("${cfn:S/B and more", "wrong")]);
    assert_eq!(
        occurrences("a ref+tfstate://x.tfstate/aws_vpc.main.id, b"),
        [("ref+tfstate://x.tfstate/aws_vpc.main.id", "reference")]
    );
}

#[test]
fn what_belongs_to_others_is_left_alone() {
    for text in [
        "$(VAR)",
        "${VAR}",
        "$${VAR}",
        "${VAR:-none}",
        "${tf:-none}",
        "${cfn:=x}",
        "${expr:0:5}",
        "${ucp:?not set}",
        "${tf: -1}",
        "{{ .Values.x }}",
        "${{ github.sha }}",
        "${cfnx:a/b}",
        "${Token[TOKEN.1]}",
        "$ {cfn:S/B}",
        "prefref+tfstate://x/y",
    ] {
        assert_eq!(occurrences(text), [], "{text}");
    }
}

#[test]
fn a_filter_makes_what_it_says_or_refuses() {
    let made = |filter: Filter, value: Value| filter.apply(&value).ok();
    let long = "12345678901234567890123";
    assert_eq!(made(Filter::Int, json!("5432")), Some(json!(5432)));
    assert_eq!(made(Filter::Int, json!(long)).unwrap().to_string(), long);
    assert_eq!(made(Filter::Int, json!("1.5")), None);
    assert_eq!(made(Filter::Number, json!("1.50")).unwrap().to_string(), "1.50");
    assert_eq!(made(Filter::Bool, json!("true")), Some(json!(true)));
    assert_eq!(made(Filter::Bool, json!("yes")), None);
    assert_eq!(made(Filter::Text, json!(12)), Some(json!("12")));
    assert_eq!(made(Filter::List, json!("a, b")), Some(json!(["a", "b"])));
    assert_eq!(made(Filter::List, json!("")), Some(json!([])));
    assert_eq!(made(Filter::Json, json!("{\"a\": 1}")), Some(json!({"a": 1})));
    assert_eq!(made(Filter::Json, json!(["a"])), Some(json!("[\"a\"]")));
    for (text, encoded) in
        [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
    {
        assert_eq!(made(Filter::Base64, json!(text)), Some(json!(encoded)));
        assert_eq!(super::source::from_base64(encoded).unwrap(), text.as_bytes());
    }
    assert_eq!(made(Filter::Text, Value::Null), None);
}
