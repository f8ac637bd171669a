use proptest::prelude::*;
use serde_json::json;

use super::*;

const ACCOUNT: &str = "123456789012";

/// Whether the expression proves that `live` is what `desired` states, the document being flat.
fn proves(expression: &str, desired: &Value, live: &Value) -> bool {
    let transform = Transform::parse(expression).unwrap_or_else(|| panic!("parsed: {expression}"));
    transform.proves_equal(desired, desired, live)
}

#[test]
fn expressions_of_schemas_prove_the_services_spelling() {
    let kms = r#"$join(["arn:(aws)[-]{0,1}[a-z]{0,2}[-]{0,1}[a-z]{0,3}:kms:[a-z]{2}[-]{1}[a-z]{3,10}[-]{0,1}[a-z]{0,10}[-]{1}[1-3]{1}:[0-9]{12}[:]{1}key\/", KmsKeyId])"#;
    let optional_kms = r#"$join(["(^arn:(aws)[-]{0,1}[a-z]{0,2}[-]{0,1}[a-z]{0,3}:kms:[a-z]{2}[-]{1}[a-z]{3,10}[-]{0,1}[a-z]{0,10}[-]{1}[1-3]{1}:[0-9]{12}[:]{1}(key\/)?|^)", KmsKeyId])"#;
    let principal = r#"$join(["^arn:aws[a-zA-Z-]*:iam::",Principal,":[a-zA-Z-]*"]) $OR $replace(Principal, /^arn:aws[a-zA-Z-]*:/, "arn:aws[a-zA-Z-]*:") $OR Principal"#;
    let function = r#"$split(FunctionName, ":")[-1] $OR FunctionName $OR $join(["((arn:.*:lambda:.*:[0-9]{12}:function)|([0-9]{12}:function)):", $split(FunctionName, ":")[-1]])"#;
    let task = r#"TaskDefinition $OR $join(["arn:(aws)[-]{0,1}[a-z]{0,3}[-]{0,1}[a-z]{0,3}:ecs:[a-z0-9-]+:[0-9]{12}:task-definition/", $contains(TaskDefinition,":")?TaskDefinition:$join([TaskDefinition, ":[0-9]+"])])"#;
    let version = r#"$join(["^", $replace($replace(Version, ".", "\\."), "x", "[0-9]+"), "$"])"#;
    let port = r#"$count($split(PortRange, "-")) = 2 and $split(PortRange, "-")[0] = $split(PortRange, "-")[1] ? $split(PortRange, "-")[0] : PortRange"#;
    let url = r"$lookup($match(Arn,/(arn:(aws[a-zA-Z-]*)?:lambda:)?([a-z]{2}(-gov)?-[a-z]+-[0-9]{1}:)?([0-9]{12}:)?(function:)?([a-zA-Z0-9-_]+)(:((?![0-9]+)[0-9a-zA-Z-_]+))?/)['groups'], 'groups')[6]";
    let time = r#"($groups := $match(Time, /^([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(?:Z|([+\-][0-9]{2}:[0-9]{2}))?$/).groups;$seconds := $groups[2] ? $groups[2] : "00";$join([$groups[0], ":", $groups[1], ":", $seconds, "Z"]);)"#;
    let subnet = r#"$join([$match($replace(Cidr, /(^|:)(0{1,4})([0-9a-fA-F]{1,4})/, "$1$3"), /^([0-9a-fA-F]{1,4}:){4}/).match, ":/64"])"#;
    for (expression, desired, live) in [
        ("$uppercase(StorageType)", json!({"StorageType": "efs"}), json!("EFS")),
        (kms, json!({"KmsKeyId": "1a-2b"}), json!("arn:aws:kms:eu-west-1:123456789012:key/1a-2b")),
        (optional_kms, json!({"KmsKeyId": "1a-2b"}), json!("1a-2b")),
        (
            optional_kms,
            json!({"KmsKeyId": "1a-2b"}),
            json!("arn:aws-cn:kms:us-gov-west-1:123456789012:key/1a-2b"),
        ),
        (
            r#"$join(["[[]CFN-[0-9A-Z]{8}[]] ", Description])"#,
            json!({"Description": "a (b)"}),
            json!("[CFN-0A1B2C3D] a (b)"),
        ),
        ("'custom:' & '' & Name", json!({"Name": "x"}), json!("custom:x")),
        (
            "ComplianceResourceTypes ? ComplianceResourceTypes : []",
            json!({"ComplianceResourceTypes": []}),
            json!([]),
        ),
        (
            "InstanceId? AutoScalingGroupName : LaunchConfigurationName",
            json!({"LaunchConfigurationName": "l"}),
            json!("l"),
        ),
        (
            r#"$substringAfter(GuardrailIdentifier, "/") $OR GuardrailIdentifier"#,
            json!({"GuardrailIdentifier": "arn:x/abc"}),
            json!("abc"),
        ),
        (
            r#"$lowercase($substringAfter(LagId, "/"))"#,
            json!({"LagId": "arn:x/DX-1"}),
            json!("dx-1"),
        ),
        ("$replace(PluginName, '-', '_')", json!({"PluginName": "a-b-c"}), json!("a_b_c")),
        (r#"$join([".*",Extra,".*"])"#, json!({"Extra": "a=b;c[d"}), json!("x=y;a=b;c[d;z")),
        (r#""^[a-zA-Z0-9-]+$""#, json!({}), json!("EqDC2")),
        (
            r#"Mode $OR ($exists(Mode) ? null : "DISABLED") $OR ($exists(Mode) ? null : "OVERRIDES")"#,
            json!({}),
            json!("OVERRIDES"),
        ),
        ("$split(Key, '/')[-1]", json!({"Key": "a/b/c"}), json!("c")),
        ("$join([Material, \"\n\"])", json!({"Material": "ssh-rsa A"}), json!("ssh-rsa A\n")),
        (port, json!({"PortRange": "80-80"}), json!("80")),
        (port, json!({"PortRange": "80-90"}), json!("80-90")),
        (
            task,
            json!({"TaskDefinition": "web"}),
            json!("arn:aws:ecs:eu-west-1:123456789012:task-definition/web:7"),
        ),
        (
            "$uppercase(P.Mode)='DISABLED' ? 'REPLICATING' : $uppercase(P.Mode)",
            json!({"P": {"Mode": "disabled"}}),
            json!("REPLICATING"),
        ),
        ("$replace(Values, /\n$/, '')", json!({"Values": "{}\n"}), json!("{}")),
        (r#"$join($split(Version, ".", 2), ".")"#, json!({"Version": "7.1.4"}), json!("7.1")),
        (
            r#"$merge([{"Sid": StatementId}, Statement])"#,
            json!({"StatementId": "s", "Statement": {"Effect": "Allow"}}),
            json!({"Sid": "s", "Effect": "Allow"}),
        ),
        (r#"$contains(Cost, ".") ? Cost : Cost & ".0""#, json!({"Cost": "5"}), json!("5.0")),
        (
            "$exists(L.Max) ? (L.Max - L.On) : 0",
            json!({"L": {"Max": 9_007_199_254_740_993_i64, "On": 1}}),
            json!(9_007_199_254_740_992_i64),
        ),
        ("($exists(L.D) ? L.D : 0) + L.On", json!({"L": {"On": 3}}), json!(3.0)),
        (version, json!({"Version": "1.0.x"}), json!("1.0.12")),
        ("Permissions=[] ? null : Permissions", json!({"Permissions": []}), json!(null)),
        (function, json!({"FunctionName": "arn:aws:lambda:r:1:function:f"}), json!("f")),
        (function, json!({"FunctionName": "f"}), json!("arn:aws:lambda:r:123456789012:function:f")),
        (
            "StartingPositionTimestamp * 1000",
            json!({"StartingPositionTimestamp": 1.5e9}),
            json!(1_500_000_000_000_i64),
        ),
        (principal, json!({"Principal": ACCOUNT}), json!("arn:aws-cn:iam::123456789012:root")),
        (
            principal,
            json!({"Principal": "arn:aws:iam::1:user/a.b"}),
            json!("arn:aws-iso:iam::1:user/a.b"),
        ),
        (url, json!({"Arn": "arn:aws:lambda:eu-west-1:123456789012:function:f:live"}), json!("f")),
        (time, json!({"Time": "02:30"}), json!("02:30:00Z")),
        (subnet, json!({"Cidr": "2001:0db8:0001:00a0::/64"}), json!("2001:db8:1:a0::/64")),
        (
            "$lowercase($string(EngineMode)) = 'serverless' ? Http : ($lowercase($string(Engine)) in ['aurora-postgresql', 'aurora-mysql'] ? Http : false )",
            json!({"Engine": "Aurora-MySQL", "Http": true}),
            json!(true),
        ),
        (
            r#"$join([$string(EngineVersion), ".*"])"#,
            json!({"EngineVersion": "5.7"}),
            json!("5.7.44"),
        ),
        (
            r#"$split(Group, "/")[1] & "/" & $split(Group, "/")[2] $OR Group"#,
            json!({"Group": "a/b/c"}),
            json!("b/c"),
        ),
        (r"$replace(Data, /\s+$/, '')", json!({"Data": "x \n\n"}), json!("x")),
        (
            r#"$lowercase($replace(Name, /(.*)\.$/, "$1"))"#,
            json!({"Name": "A.Example."}),
            json!("a.example"),
        ),
    ] {
        assert!(proves(expression, &desired, &live), "{expression}\n{desired} is {live}");
        // Nothing else is proved on the way.
        let other = json!("nothing like it");
        let any_name = expression.starts_with("\"^") || expression.contains(r#"[".*""#);
        assert!(any_name || !proves(expression, &desired, &other), "{expression}");
    }
}

#[test]
fn ports_of_security_groups_evaluate_as_written() {
    // The schema says `imcp`: as written, the ports of ICMP count as -1.
    let expression = "($mapVal := $lookup({'1': 'icmp','6': 'tcp','17': 'udp','58': 'icmpv6'}, IpProtocol);$ipProtocol := $mapVal ? $mapVal : $lowercase(IpProtocol);$ipProtocol in ['imcp', 'tcp', 'udp', 'imcp'] ? FromPort : -1)";
    for (protocol, live, expected) in [
        ("6", 443, true),
        ("TCP", 443, true),
        ("tcp", -1, false),
        ("-1", -1, true),
        ("icmp", -1, true),
        ("icmp", 443, false),
    ] {
        let desired = json!({"IpProtocol": protocol, "FromPort": 443});
        assert_eq!(proves(expression, &desired, &json!(live)), expected, "{protocol} {live}");
    }
    let protocol = "($mapVal := $lookup({'1': 'icmp','6': 'tcp'}, IpProtocol);$mapVal ? $mapVal : $lowercase(IpProtocol))";
    assert!(proves(protocol, &json!({"IpProtocol": "6"}), &json!("tcp")));
    assert!(proves(protocol, &json!({"IpProtocol": "UDP"}), &json!("udp")));
}

#[test]
fn names_are_looked_up_in_the_holder_and_then_from_the_root() {
    let root = json!({"Name": "root", "Outer": {"Name": "held", "Inner": "x"}});
    let candidates = |expression: &str| -> Vec<Value> {
        let transform = Transform::parse(expression).expect("parsed");
        transform.candidates(&root["Outer"], &root).into_iter().map(|it| it.value).collect()
    };
    assert_eq!(candidates("Name"), [json!("held")]);
    assert_eq!(candidates("Outer.Inner $OR Inner"), [json!("x"), json!("x")]);
    assert_eq!(candidates("Missing $OR Outer.Missing $OR Inner"), [json!("x")]);
}

#[test]
fn a_missing_name_proves_nothing() {
    for expression in [
        "X",
        "$lowercase(X)",
        "$join([\".*\", X])",
        "\"a\" & X",
        "X + 1",
        "$split(X, \"/\")[0]",
        "$string(X)",
        "-X",
    ] {
        let transform = Transform::parse(expression).expect("parsed");
        assert_eq!(transform.candidates(&json!({}), &json!({})), [], "{expression}");
    }
}

#[test]
fn values_of_the_document_are_no_regular_expressions() {
    for (expression, desired, live) in [
        ("Name", "a.c", "abc"),
        ("Name", ".*", "abc"),
        ("$lowercase(Name)", "[A-Z]", "b"),
        (r#"$join([Name, "."])"#, "example.com", "example.comX"),
        (r#"$join(["x[0-9]", Name])"#, ".*", "x1y"),
    ] {
        assert!(!proves(expression, &json!({"Name": desired}), &json!(live)), "{expression}");
    }
}

#[test]
fn what_is_beyond_the_grammar_is_not_parsed() {
    for expression in [
        "",
        "$OR",
        "A $OR",
        "A B",
        "$unknown(A)",
        "$lowercase()",
        "$lowercase(A, B)",
        "A ~> $lowercase()",
        "$ ~> | $.Source | {} |",
        "Source.Details[Type=\"x\"]",
        "function($x){$x}",
        "A / B",
        "'\\q'",
        "'open",
        "$split(A, /x/)",
        "(",
        "()",
        "A[B]",
        "A ? B",
        "9.",
    ] {
        assert!(Transform::parse(expression).is_none(), "{expression}");
    }
}

#[test]
fn size_is_limited_in_text_and_in_evaluation() {
    assert!(Transform::parse(&"(".repeat(100_000)).is_none());
    assert!(Transform::parse(&"-".repeat(100_000)).is_none());
    assert!(Transform::parse(&"A & ".repeat(100_000)).is_none());
    assert!(Transform::parse(&format!("A{}", "[0]".repeat(100_000))).is_none());
    let doubling: Vec<_> = (0..40).map(|i| format!("$v{} := [$v{i}, $v{i}];", i + 1)).collect();
    let doubling = doubling.concat();
    let transform =
        Transform::parse(&format!("($v0 := A;{doubling} $exists($v40))")).expect("parsed");
    assert_eq!(transform.candidates(&json!({"A": "x"}), &json!({})), []);
}

#[test]
fn operators_bind_as_in_jsonata() {
    for (expression, expected) in [
        ("1 + 2 * 3 - 4", json!(3)),
        ("10 - 2 - 3", json!(5)),
        ("'a' & 'b' = 'ab' and 1 < 2 ? 'y' : 'n'", json!("y")),
        ("false or true and false", json!(false)),
        ("false ? 1 : true ? 2 : 3", json!(2)),
        ("1 in [1.0] and 2 != 1 and 2 >= 2 and 1 <= 1 and not_here != 1", json!(false)),
        ("[1, [2, 3]][-1][0]", json!(2)),
        ("-(1 + 1)", json!(-2)),
        ("($x := 1; ($x := 2; $x) + $x)", json!(3)),
        ("$substringBefore('a/b', '/') & $substringBefore('ab', '/')", json!("aab")),
        (r#"$replace("ab", /(a)(b)/, "$2$1$$1$")"#, json!("ba$1$")),
        (r#""\u0041\n\/\u00419""#, json!("A\n/A9")),
        ("$count([1, 2]) + $count(Missing) + $count('x')", json!(3)),
        ("$contains('abc', /B/i)", json!(true)),
    ] {
        let transform = Transform::parse(expression).unwrap_or_else(|| panic!("{expression}"));
        let outcomes = transform.candidates(&json!({}), &json!({}));
        let values: Vec<_> = outcomes.iter().map(|outcome| &outcome.value).collect();
        assert!(
            matches!(values[..], [value] if same(value, &expected)),
            "{expression}: {values:?}"
        );
    }
}

fn nearly_expression() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "A",
        "B.C",
        "$",
        "$x",
        "$OR",
        "$lowercase(",
        "$join([",
        "$split(",
        "$replace(",
        "$match(",
        "$lookup(",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'a'",
        "\"/\"",
        ",",
        ";",
        ":=",
        ":",
        "?",
        "&",
        "=",
        "!=",
        "and",
        "in",
        "-",
        "1",
        "[-1]",
        "/a(b)?/",
        ".groups",
        " ",
        "é",
    ]);
    prop::collection::vec(token, 0..16).prop_map(|tokens| tokens.concat())
}

proptest! {
    #[test]
    fn no_text_panics(text in prop_oneof![nearly_expression(), "\\PC{0,30}".boxed()], value in "\\PC{0,8}") {
        if let Some(transform) = Transform::parse(&text) {
            let document = json!({"A": value, "B": {"C": [value, 1, null]}});
            transform.proves_equal(&document, &json!({}), &json!("a"));
        }
    }

    #[test]
    fn a_name_proves_itself_and_nothing_else(value in "\\PC{0,8}", other in "\\PC{0,8}") {
        let desired = json!({"A": value});
        prop_assert!(proves("A", &desired, &json!(value)));
        prop_assert_eq!(proves("A $OR $join([A])", &desired, &json!(other)), value == other);
    }
}
