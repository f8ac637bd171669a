//! Examples of every kind of id, and of every way to get one wrong.

use hangar_diag::{Code, Span};

use super::*;
use crate::codes;

fn id(text: &str) -> ResourceId {
    ResourceId::parse(text).unwrap_or_else(|diagnostic| panic!("{text}: {diagnostic}"))
}

const AWS: &str = "/planes/aws/aws/accounts/123/regions/us-east-1/providers/";

/// An id taken apart, as text; `?` stands for the name that a collection lacks.
fn apart(text: &str) -> String {
    let id = id(text);
    let mut lines = vec![format!("{text}\n  {}", id.kind().as_str())];
    let lists = [id.scopes(), id.types(), id.extensions()];
    for (label, list) in ["scopes", "types", "extensions"].into_iter().zip(lists) {
        let one = |s: &Segment| format!(" {}={}", s.type_text(), s.name().unwrap_or("?"));
        let all: String = list.iter().map(one).collect();
        if !all.is_empty() {
            lines.push(format!("  {label}:{all}"));
        }
    }
    if let (Some(provider), Some(whole)) = (id.provider(), id.resource_type()) {
        lines.push(format!("  provider: {provider} type: {whole}"));
    }
    lines.extend(id.name().map(|name| format!("  name: {name}")));
    lines.join("\n")
}

#[test]
fn an_id_is_taken_apart_into_scopes_types_and_extensions() {
    let texts = [
        "/",
        "/planes",
        "/planes/radius",
        "/planes/radius/local",
        "/planes/radius/local/resourceGroups",
        "/planes/radius/local/resourceGroups/rg",
        "/planes/aws/aws/accounts/123/regions/us-east-1/providers/AWS.EC2/VPC",
        "/planes/aws/aws/accounts/123/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1",
        "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/net",
        "/planes/kubernetes/local/namespaces/default/providers/apps/Deployment/redis",
        "/planes/kubernetes/local/providers/core/Namespace/x",
        "/planes/aws/aws/providers/System.AWS/credentials/default",
        "/subscriptions",
        "/subscriptions/S/resourceGroups/g/providers/Microsoft.Sql/servers/s/databases/d",
        "/subscriptions/S/providers/Microsoft.Compute/virtualMachines/vm/providers/Microsoft.Authorization/locks/l",
        "/subscriptions/S/providers/Microsoft.Compute/virtualMachines/vm/providers/Microsoft.Authorization/locks",
        "/providers/Microsoft.Management/managementGroups/mg",
        "/providers/A.B/c/d/providers/E.F/g/h/i/j/providers/K.L/m/n",
        "/subscriptions/S/providers/Microsoft.Features/providers/Microsoft.Compute/features/f",
    ];
    let all: Vec<String> = texts.iter().map(|text| apart(text)).collect();
    insta::assert_snapshot!(all.join("\n"), @r"
    /
      scope
    /planes
      scopeCollection
    /planes/radius
      scopeCollection
      scopes: radius=?
    /planes/radius/local
      scope
      scopes: radius=local
      name: local
    /planes/radius/local/resourceGroups
      scopeCollection
      scopes: radius=local resourceGroups=?
    /planes/radius/local/resourceGroups/rg
      scope
      scopes: radius=local resourceGroups=rg
      name: rg
    /planes/aws/aws/accounts/123/regions/us-east-1/providers/AWS.EC2/VPC
      resourceCollection
      scopes: aws=aws accounts=123 regions=us-east-1
      types: AWS.EC2/VPC=?
      provider: AWS.EC2 type: AWS.EC2/VPC
    /planes/aws/aws/accounts/123/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1
      resource
      scopes: aws=aws accounts=123 regions=us-east-1
      types: AWS.EC2/VPC=vpc-1
      provider: AWS.EC2 type: AWS.EC2/VPC
      name: vpc-1
    /planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/net
      resource
      scopes: radius=local resourceGroups=rg
      types: AWS.EC2/VPC:reference=net
      provider: AWS.EC2 type: AWS.EC2/VPC:reference
      name: net
    /planes/kubernetes/local/namespaces/default/providers/apps/Deployment/redis
      resource
      scopes: kubernetes=local namespaces=default
      types: apps/Deployment=redis
      provider: apps type: apps/Deployment
      name: redis
    /planes/kubernetes/local/providers/core/Namespace/x
      resource
      scopes: kubernetes=local
      types: core/Namespace=x
      provider: core type: core/Namespace
      name: x
    /planes/aws/aws/providers/System.AWS/credentials/default
      resource
      scopes: aws=aws
      types: System.AWS/credentials=default
      provider: System.AWS type: System.AWS/credentials
      name: default
    /subscriptions
      scopeCollection
      scopes: subscriptions=?
    /subscriptions/S/resourceGroups/g/providers/Microsoft.Sql/servers/s/databases/d
      resource
      scopes: subscriptions=S resourceGroups=g
      types: Microsoft.Sql/servers=s databases=d
      provider: Microsoft.Sql type: Microsoft.Sql/servers/databases
      name: d
    /subscriptions/S/providers/Microsoft.Compute/virtualMachines/vm/providers/Microsoft.Authorization/locks/l
      extension
      scopes: subscriptions=S
      types: Microsoft.Compute/virtualMachines=vm
      extensions: Microsoft.Authorization/locks=l
      provider: Microsoft.Authorization type: Microsoft.Authorization/locks
      name: l
    /subscriptions/S/providers/Microsoft.Compute/virtualMachines/vm/providers/Microsoft.Authorization/locks
      extensionCollection
      scopes: subscriptions=S
      types: Microsoft.Compute/virtualMachines=vm
      extensions: Microsoft.Authorization/locks=?
      provider: Microsoft.Authorization type: Microsoft.Authorization/locks
    /providers/Microsoft.Management/managementGroups/mg
      resource
      types: Microsoft.Management/managementGroups=mg
      provider: Microsoft.Management type: Microsoft.Management/managementGroups
      name: mg
    /providers/A.B/c/d/providers/E.F/g/h/i/j/providers/K.L/m/n
      extension
      types: A.B/c=d
      extensions: E.F/g=h i=j K.L/m=n
      provider: K.L type: K.L/m
      name: n
    /subscriptions/S/providers/Microsoft.Features/providers/Microsoft.Compute/features/f
      resource
      scopes: subscriptions=S
      types: Microsoft.Features/providers=Microsoft.Compute features=f
      provider: Microsoft.Features type: Microsoft.Features/providers/features
      name: f
    ");
}

#[test]
fn printing_gives_the_canonical_form_and_keeps_the_spelling() {
    let name = |name: &str| format!("{AWS}AWS.X/Y/{name}");
    for (text, printed) in [
        ("/planes/", "/planes".to_owned()),
        ("/PLANES/Radius/Local/", "/planes/Radius/Local".to_owned()),
        ("/Subscriptions/S/Providers/A.B/c/D", "/Subscriptions/S/providers/A.B/c/D".to_owned()),
        ("/planes/radius/my plane é", "/planes/radius/my plane é".to_owned()),
        ("/planes/radius/%41%25%3f%23%0a", "/planes/radius/A%25%3F%23%0A".to_owned()),
        (&name("a b é"), name("a%20b%20%C3%A9")),
        (&name("%2faws%2Flambda"), name("%2Faws%2Flambda")),
        (&name("a|b:c"), name("a|b:c")),
        (&name("%61%252F"), name("a%252F")),
        (&name("%2e%2E"), name("%2E%2E")),
        (&name("%3aput"), name("%3Aput")),
        (&name("providers"), name("providers")),
        (&name("a%2Fb/Z/c%2Fd"), name("a%2Fb/Z/c%2Fd")),
    ] {
        assert_eq!(id(text).to_string(), printed, "{text}");
        assert_eq!(id(&printed), id(text));
    }
    assert_eq!(id(&name("%2Faws%252F")).name(), Some("/aws%2F"));
}

#[test]
fn case_tells_aws_identifiers_apart_and_no_other_name() {
    let aws = |text: &str| id(&format!("/planes/AWS/aws/accounts/1/regions/r/providers/{text}"));
    assert_eq!(aws("AWS.EC2/VPC/vpc-A"), aws("aws.ec2/vpc/vpc-A"));
    assert_ne!(aws("AWS.EC2/VPC/vpc-A"), aws("AWS.EC2/VPC/vpc-a"));
    assert_eq!(aws("System.AWS/credentials/Default"), aws("system.aws/Credentials/default"));
    let locked = |name: &str| {
        aws(&format!("AWS.EC2/VPC/Vpc-1/providers/Microsoft.Authorization/locks/{name}"))
    };
    assert_eq!(locked("L"), locked("l"));
    assert_eq!(id("/planes/radius/local/RG/A"), id("/planes/Radius/LOCAL/rg/a"));
    assert_ne!(id("/planes/radius/É"), id("/planes/radius/é"));
    assert_eq!(
        id("/Planes/AWS/AWS/Accounts/1/providers/AWS.Logs/LogGroup/%2FA b").normalized(),
        "/planes/aws/aws/accounts/1/providers/aws.logs/loggroup/%2FA%20b",
    );
    assert_eq!(id("/planes/radius/A%3F%0A").normalized(), "/planes/radius/a%3F%0A");
}

#[test]
fn what_is_wrong_is_refused_at_its_bytes() {
    let cases: &[(&str, Code, usize, usize)] = &[
        ("", codes::NO_LEADING_SLASH, 0, 0),
        ("planes/radius", codes::NO_LEADING_SLASH, 0, 1),
        ("é", codes::NO_LEADING_SLASH, 0, 2),
        ("//", codes::EMPTY_SEGMENT, 1, 2),
        ("/planes//local", codes::EMPTY_SEGMENT, 8, 9),
        ("/planes/radius//", codes::EMPTY_SEGMENT, 15, 16),
        ("/planes/./local", codes::DOT_SEGMENT, 8, 9),
        ("/planes/radius/..", codes::DOT_SEGMENT, 15, 17),
        ("/planes/radius/%2e%2E", codes::DOT_SEGMENT, 15, 21),
        ("/planes/aws/aws/providers/A.B/c/..", codes::DOT_SEGMENT, 32, 34),
        ("/planes/radius/a\0b", codes::CONTROL_CHARACTER, 16, 17),
        ("/planes/radius/a\u{85}", codes::CONTROL_CHARACTER, 16, 18),
        ("/planes/radius?api-version=1", codes::QUERY, 14, 15),
        ("/planes/radius/a#b", codes::QUERY, 16, 17),
        ("/planes/radius/100%", codes::BAD_PERCENT, 18, 19),
        ("/planes/radius/a%zz", codes::BAD_PERCENT, 16, 17),
        ("/planes/radius/a%00", codes::ENCODED_NUL, 16, 19),
        ("/planes/aws/aws/providers/A.B/c/%00", codes::ENCODED_NUL, 32, 35),
        ("/planes/aws/aws/providers/A.B/c/x%ff", codes::NOT_UTF8, 33, 36),
        ("/planes/radius/a%2fb", codes::SLASH_IN_NAME, 16, 19),
        ("/planes/radius/local/providers/A.B/c/x%2Fy", codes::SLASH_IN_NAME, 38, 41),
        ("/planes/aws/aws/providers/System.AWS/c/x%2Fy", codes::SLASH_IN_NAME, 40, 43),
        ("/planes/aws/aws/providers/A%2FB/c/x", codes::SLASH_IN_NAME, 27, 30),
        ("/plane/radius", codes::UNKNOWN_ROOT, 1, 6),
        ("/planes/providers/A.B/c", codes::MISSING_PLANE, 8, 17),
        ("/planes/radius/providers/A.B/c", codes::MISSING_PLANE, 15, 24),
        ("/planes/radius/providers", codes::MISSING_PLANE, 15, 24),
        ("/planes/radius/local/resourceGroups/Providers/A.B/c", codes::ODD_SCOPE, 36, 45),
        ("/subscriptions/providers/A.B/c", codes::ODD_SCOPE, 15, 24),
        ("/subscriptions/%70roviders", codes::ODD_SCOPE, 15, 26),
        ("/planes/radius/local/providers", codes::INCOMPLETE_PROVIDERS, 21, 30),
        ("/providers/", codes::INCOMPLETE_PROVIDERS, 1, 10),
        ("/providers/A.B", codes::INCOMPLETE_PROVIDERS, 11, 14),
        ("/providers/providers/x", codes::INCOMPLETE_PROVIDERS, 1, 10),
        ("/providers/A.B/c/d/providers", codes::INCOMPLETE_PROVIDERS, 19, 28),
        ("/providers/A.B/c/providers/D.E/f/g", codes::MISSING_NAME, 17, 26),
        ("/planes/aws/aws/providers/A.B/c/:put", codes::ACTION, 32, 33),
        ("/planes/aws/aws/providers/A.B/c/d/:get", codes::ACTION, 34, 35),
        ("/planes/radius/%3Ax", codes::ACTION, 15, 19),
    ];
    for &(text, code, start, end) in cases {
        let diagnostic = ResourceId::parse(text).expect_err(text);
        assert_eq!(
            (diagnostic.code, diagnostic.span()),
            (code, Some(Span { start, end })),
            "{text}"
        );
        assert!(!diagnostic.hints.is_empty(), "{text} has no hint");
    }
}

#[test]
fn hints_say_what_to_write_instead() {
    let hints = [
        "planes/radius/local",
        "arn:aws:s3:::b",
        "https://host/planes/radius",
        "/plane/radius",
        "/elsewhere",
        "/planes/radius/local?x=1",
        "/planes/aws/aws/providers/AWS.EC2/VPC/:put",
        "/planes/radius/local/groups/providers/A.B/c",
        "/providers/A.B",
    ]
    .map(|text| ResourceId::parse(text).expect_err(text).hints.join("; "));
    insta::assert_snapshot!(hints.join("\n"), @r"
    write `/planes/radius/local`
    this is an ARN; `hangar id from-arn` converts it to an id such as `/planes/aws/…`
    remove the scheme and the host of the URL
    did you mean `/planes`?
    start the id with `/planes`, `/subscriptions` or `/providers`
    remove the query or fragment; write a `?` that is part of a name as `%3F`
    remove the action; write `%3A` for a `:` at the start of an AWS identifier
    write `/groups/<name>` before `/providers`; a scope cannot be named `providers`
    write a type after it, as in `/providers/A.B/<type>`
    ");
}

#[test]
fn the_parent_is_what_an_id_hangs_below() {
    let extension = "/subscriptions/S/providers/A.B/c/d/e/f/providers/G.H/i/j";
    let mut chain = vec![id(extension)];
    while let Some(parent) = chain.last().and_then(ResourceId::parent) {
        chain.push(parent);
    }
    let chain: Vec<String> = chain.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(chain.join("\n"), @r"
    /subscriptions/S/providers/A.B/c/d/e/f/providers/G.H/i/j
    /subscriptions/S/providers/A.B/c/d/e/f
    /subscriptions/S/providers/A.B/c/d
    /subscriptions/S
    /
    ");
    for (text, parent) in [
        ("/planes/radius/local/groups", Some("/planes/radius/local")),
        ("/planes/radius/local", Some("/planes")),
        ("/planes/radius", Some("/planes")),
        ("/planes", None),
        ("/", None),
        ("/providers/A.B/c", Some("/")),
        ("/providers/A.B/c/d/e", Some("/providers/A.B/c/d")),
    ] {
        assert_eq!(id(text).parent(), parent.map(id), "{text}");
    }
}

#[test]
fn the_collection_is_the_id_without_its_last_name() {
    for (text, collection) in [
        ("/", None),
        ("/planes", Some("/planes")),
        ("/planes/radius/local", Some("/planes/radius")),
        ("/providers/A.B/c/d", Some("/providers/A.B/c")),
        ("/providers/A.B/c", Some("/providers/A.B/c")),
        ("/providers/A.B/c/d/providers/E.F/g/h", Some("/providers/A.B/c/d/providers/E.F/g")),
    ] {
        assert_eq!(id(text).collection(), collection.map(id), "{text}");
    }
}

#[test]
fn the_scope_is_the_id_without_its_resource() {
    assert_eq!(
        id(&format!("{AWS}AWS.EC2/VPC/vpc-1")).scope(),
        id(AWS.trim_end_matches("providers/"))
    );
    assert_eq!(id("/planes/radius/local/groups").scope(), id("/planes/radius/local"));
    assert_eq!(id("/planes/radius").scope(), id("/planes"));
    assert_eq!(id("/providers/A.B/c/d/providers/E.F/g").scope(), id("/"));
}

#[test]
fn scopes_are_found_by_type_and_the_plane_is_not_one_of_them() {
    let vpc = id(&format!("{AWS}AWS.EC2/VPC"));
    assert_eq!(vpc.scope_name("Accounts"), Some("123"));
    assert_eq!(vpc.scope_name("regions"), Some("us-east-1"));
    assert_eq!(vpc.scope_name("aws"), None);
    assert_eq!(vpc.plane(), Some(("aws", "aws")));
    assert_eq!(id("/planes/radius").plane(), None);
    assert_eq!(id("/subscriptions/S").plane(), None);
    assert_eq!(id("/subscriptions/S").scope_name("subscriptions"), Some("S"));
}

#[test]
fn only_names_that_aws_gave_are_identifiers() {
    for (text, expected) in [
        (format!("{AWS}AWS.EC2/VPC/vpc-1"), true),
        (format!("{AWS}AWS.EC2/VPC"), false),
        ("/planes/aws/aws/providers/System.AWS/credentials/default".to_owned(), false),
        ("/planes/aws/aws".to_owned(), false),
        ("/planes/radius/local/providers/AWS.EC2/VPC:reference/net".to_owned(), false),
    ] {
        assert_eq!(id(&text).is_aws_identifier(), expected, "{text}");
    }
}

#[test]
fn the_aws_type_is_read_off_resources_and_references() {
    for (text, expected) in [
        (format!("{AWS}AWS.EC2/VPC/vpc-1"), Some("AWS::EC2::VPC")),
        (format!("{AWS}AWS.X/A/n/B"), Some("AWS::X::A::B")),
        (format!("{AWS}AWS.ec2/security-group/sg"), None),
        ("/planes/aws/aws/providers/System.AWS/credentials/d".to_owned(), None),
        (
            "/planes/radius/local/providers/AWS.EC2/VPC:Reference/a".to_owned(),
            Some("AWS::EC2::VPC"),
        ),
        ("/planes/radius/local/providers/AWS.EC2/VPC/a".to_owned(), None),
        ("/planes/radius/local".to_owned(), None),
    ] {
        let found = id(&text).aws_type().map(|name| name.cloud_formation());
        assert_eq!(found.as_deref(), expected, "{text}");
    }
    let reference = id("/planes/radius/local/providers/AWS.EC2/VPC:reference/a");
    assert!(reference.is_reference());
    assert_eq!(reference.resource_type().as_deref(), Some("AWS.EC2/VPC:reference"));
    assert!(!id("/planes/radius/local/providers/A.B/referenceé").is_reference());
}

#[test]
fn appending_goes_down_step_by_step() {
    let plane = ResourceId::planes().append_scope("aws", "aws").unwrap();
    let groups = plane.append_type("AWS.Logs/LogGroup").unwrap();
    assert_eq!(groups.kind(), Kind::ResourceCollection);
    let group = groups.append_name("/aws/f").unwrap();
    assert_eq!(group.to_string(), "/planes/aws/aws/providers/AWS.Logs/LogGroup/%2Faws%2Ff");
    let nested = group.append_type("Stream").unwrap().append_name("..").unwrap();
    let lock = nested.append_type("A.B/locks").unwrap().append_name("l").unwrap();
    assert_eq!(lock.kind(), Kind::Extension);
    let deeper =
        lock.append_type("x").unwrap().append_name("y").unwrap().append_type("C.D/e").unwrap();
    assert_eq!(
        deeper.to_string(),
        format!("{group}/Stream/%2E%2E/providers/A.B/locks/l/x/y/providers/C.D/e"),
    );
    assert_eq!(id(&deeper.to_string()), deeper);
    let subscription = ResourceId::tenant().append_scope("subscriptions", "S").unwrap();
    assert_eq!(subscription, id("/subscriptions/S"));
}

#[test]
fn an_append_that_makes_a_wrong_id_is_refused() {
    let scope = id("/planes/radius/local");
    let resource = id("/planes/radius/local/providers/A.B/c/d");
    let collection = resource.collection().unwrap();
    let aws = id("/planes/aws/aws/providers/A.B/c");
    let refused = [
        (scope.append_name("x"), codes::WRONG_APPEND),
        (ResourceId::planes().append_name("x"), codes::WRONG_APPEND),
        (ResourceId::planes().append_type("A.B/c"), codes::WRONG_APPEND),
        (ResourceId::tenant().append_scope("groups", "x"), codes::UNKNOWN_ROOT),
        (resource.append_scope("groups", "x"), codes::WRONG_APPEND),
        (collection.append_scope("groups", "x"), codes::WRONG_APPEND),
        (collection.append_type("x"), codes::WRONG_APPEND),
        (scope.append_type("c"), codes::WRONG_APPEND),
        (scope.append_type("A.B/c/d"), codes::SLASH_IN_NAME),
        (scope.append_type("A.B/"), codes::EMPTY_SEGMENT),
        (scope.append_type("providers/c"), codes::WRONG_APPEND),
        (resource.append_type("Providers"), codes::WRONG_APPEND),
        (resource.append_type(":put"), codes::ACTION),
        (collection.append_name("a/b"), codes::SLASH_IN_NAME),
        (collection.append_name(".."), codes::DOT_SEGMENT),
        (collection.append_name(""), codes::EMPTY_SEGMENT),
        (collection.append_name(":x"), codes::ACTION),
        (aws.append_name("a\0"), codes::CONTROL_CHARACTER),
        (aws.append_name("providers").unwrap().append_type("x"), codes::MISSING_NAME),
        (scope.append_scope("providers", "x"), codes::WRONG_APPEND),
        (scope.append_scope("groups", "Providers"), codes::WRONG_APPEND),
    ];
    for (index, (result, code)) in refused.into_iter().enumerate() {
        assert_eq!(result.expect_err("refused").code, code, "case {index}");
    }
    let slash = collection.append_name("a/b").expect_err("a slash");
    assert_eq!(slash.span(), Some(Span::byte(1)));
    let second = scope.append_type("A.B/c/d").expect_err("a slash");
    assert_eq!(second.span(), Some(Span::byte(5)));
}
