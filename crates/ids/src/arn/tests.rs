//! Examples of every public shape of ARN, and of the id that each becomes.

use hangar_diag::Code;

use super::*;

fn arn(text: &str) -> Arn {
    Arn::parse(text).unwrap_or_else(|diagnostic| panic!("{text}: {diagnostic}"))
}

#[test]
fn the_six_parts_are_split_at_the_first_five_colons() {
    let arn = arn("arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:f:live");
    assert_eq!(arn.partition(), "aws-us-gov");
    assert_eq!(arn.service(), "lambda");
    assert_eq!(arn.region(), "us-gov-west-1");
    assert_eq!(arn.account(), "123456789012");
    assert_eq!(arn.resource(), "function:f:live");
}

#[test]
fn every_partition_is_read() {
    for partition in [
        "aws",
        "aws-cn",
        "aws-us-gov",
        "aws-iso",
        "aws-iso-b",
        "aws-iso-e",
        "aws-iso-f",
        "aws-eusc",
    ] {
        let text = format!("arn:{partition}:s3:::b");
        assert_eq!(arn(&text).to_string(), text);
        let id = arn(&text).to_resource_id(Some("1")).unwrap();
        assert_eq!(id.plane(), Some(("aws", partition)));
    }
}

#[test]
fn the_resource_is_taken_apart_by_its_shape() {
    use ArnShape::{LeadingSlash, NameOnly, TypeColonName, TypeSlashName};
    for (text, shape, resource_type, name) in [
        ("arn:aws:ec2:r:1:vpc/vpc-1", TypeSlashName, Some("vpc"), "vpc-1"),
        ("arn:aws:iam::1:role/team/x", TypeSlashName, Some("role"), "team/x"),
        ("arn:aws:ecs:r:1:task-definition/f:3", TypeSlashName, Some("task-definition"), "f:3"),
        ("arn:aws:lambda:r:1:function:f:1", TypeColonName, Some("function"), "f:1"),
        (
            "arn:aws:apigateway:r::/restapis/x/stages/y",
            LeadingSlash,
            Some("restapis"),
            "x/stages/y",
        ),
        ("arn:aws:x:r:1:/account", LeadingSlash, None, "account"),
        ("arn:aws:sqs:r:1:orders", NameOnly, None, "orders"),
        ("arn:aws:logs:r:1:log-group:/a/b:*", TypeColonName, Some("log-group"), "/a/b"),
        ("arn:aws:sns:r:1:x:*", TypeColonName, Some("x"), "*"),
    ] {
        assert_eq!(arn(text).parts(), ArnResource { shape, resource_type, name }, "{text}");
    }
}

#[test]
fn an_arn_becomes_one_type_and_one_name() {
    for (text, path) in [
        (
            "ec2:us-east-2:179022619019:subnet/subnet-0d",
            "179022619019/regions/us-east-2/providers/AWS.ec2/subnet/subnet-0d",
        ),
        ("s3:::b", "42/regions/global/providers/AWS.s3/bucket/b"),
        ("s3:::b/key/x", "42/regions/global/providers/AWS.s3/b/key%2Fx"),
        ("iam::1:role/team/x", "1/regions/global/providers/AWS.iam/role/team%2Fx"),
        (
            "iam::aws:policy/ReadOnlyAccess",
            "aws/regions/global/providers/AWS.iam/policy/ReadOnlyAccess",
        ),
        ("iam::xxxxxxxxxxxx:user/me", "xxxxxxxxxxxx/regions/global/providers/AWS.iam/user/me"),
        (
            "iam::1:oidc-provider/oidc.eks/id/F",
            "1/regions/global/providers/AWS.iam/oidc-provider/oidc.eks%2Fid%2FF",
        ),
        ("route53:::hostedzone/Z1", "42/regions/global/providers/AWS.route53/hostedzone/Z1"),
        (
            "apigateway:r::/restapis/x/stages/y",
            "42/regions/r/providers/AWS.apigateway/restapis/x%2Fstages%2Fy",
        ),
        (
            "logs:r:1:log-group:/main/web:*",
            "1/regions/r/providers/AWS.logs/log-group/%2Fmain%2Fweb",
        ),
        (
            "logs:r:1:log-group:G:log-stream:S",
            "1/regions/r/providers/AWS.logs/log-group/G:log-stream:S",
        ),
        (
            "autoscaling:r:1:autoScalingGroup:u-u:autoScalingGroupName/N",
            "1/regions/r/providers/AWS.autoscaling/autoScalingGroup/u-u:autoScalingGroupName%2FN",
        ),
        (
            "elasticloadbalancing:r:1:loadbalancer/app/n/1",
            "1/regions/r/providers/AWS.elasticloadbalancing/loadbalancer/app%2Fn%2F1",
        ),
        ("ecs:r:1:task-definition/f:3", "1/regions/r/providers/AWS.ecs/task-definition/f:3"),
        ("lambda:r:1:function:f:alias", "1/regions/r/providers/AWS.lambda/function/f:alias"),
        (
            "secretsmanager:r:1:secret:a/b-X",
            "1/regions/r/providers/AWS.secretsmanager/secret/a%2Fb-X",
        ),
        ("sns:r:1:events", "1/regions/r/providers/AWS.sns/topic/events"),
        ("sqs:r:1:orders", "1/regions/r/providers/AWS.sqs/queue/orders"),
        ("codecommit:r:1:repo", "1/regions/r/providers/AWS.codecommit/repository/repo"),
        ("codepipeline:r:1:pipe", "1/regions/r/providers/AWS.codepipeline/pipeline/pipe"),
        ("kms:r:1:alias/a%b c#?é", "1/regions/r/providers/AWS.kms/alias/a%25b%20c%23%3F%C3%A9"),
        ("x:r:1:role/providers", "1/regions/r/providers/AWS.x/role/providers"),
        ("x:r:1:role/providers/a", "1/regions/r/providers/AWS.x/role/providers%2Fa"),
        ("x:r:1:role/a//b", "1/regions/r/providers/AWS.x/role/a%2F%2Fb"),
        ("x:r:1:role/..", "1/regions/r/providers/AWS.x/role/%2E%2E"),
        ("x:r:1:role::a", "1/regions/r/providers/AWS.x/role/%3Aa"),
        ("x:r:1:providers/a", "1/regions/r/providers/AWS.x/providers/a"),
    ] {
        let text = format!("arn:aws:{text}");
        let id = arn(&text).to_resource_id(Some("42")).unwrap_or_else(|d| panic!("{text}: {d}"));
        assert_eq!(id.to_string(), format!("/planes/aws/aws/accounts/{path}"), "{text}");
        assert_eq!(id.name(), Some(arn(&text).parts().name), "{text}");
        assert_eq!(crate::ResourceId::parse(&id.to_string()), Ok(id));
    }
}

#[test]
fn what_is_not_an_arn_is_refused_at_its_byte() {
    let cases: &[(&str, Code, usize, usize)] = &[
        ("", codes::NOT_AN_ARN, 0, 0),
        ("arm:aws:s3:::b", codes::NOT_AN_ARN, 2, 3),
        ("ARN:aws:s3:::b", codes::NOT_AN_ARN, 0, 1),
        ("arn", codes::NOT_AN_ARN, 3, 3),
        ("arné", codes::NOT_AN_ARN, 3, 5),
        ("arn:aws:s3::b", codes::ARN_PARTS, 13, 13),
        ("arn:azure:s3:::b", codes::ARN_PARTITION, 4, 9),
        ("arn::s3:::b", codes::ARN_PARTITION, 4, 4),
        ("arn:aws/x:s3:::b", codes::ARN_PARTITION, 4, 9),
        ("arn:aws::r:1:b", codes::ARN_SERVICE, 8, 8),
        ("arn:aws:s/3:r:1:b", codes::ARN_SERVICE, 8, 11),
        ("arn:aws:s3:r/x:1:b", codes::ARN_SCOPE, 12, 13),
        ("arn:aws:s3:r:é:b", codes::ARN_SCOPE, 13, 15),
        ("arn:aws:s3:..:1:b", codes::ARN_SCOPE, 11, 13),
        ("arn:aws:s3:r:Providers:b", codes::ARN_SCOPE, 13, 22),
        ("arn:aws:s3:::", codes::ARN_RESOURCE, 13, 13),
        ("arn:aws:s3:::a\0b", codes::CONTROL_CHARACTER, 14, 15),
    ];
    for &(text, code, start, end) in cases {
        let diagnostic = Arn::parse(text).expect_err(text);
        assert_eq!(
            (diagnostic.code, diagnostic.span()),
            (code, Some(Span { start, end })),
            "{text}"
        );
    }
}

#[test]
fn an_arn_that_has_no_id_is_refused_with_its_own_code() {
    let cases: &[(&str, Code, usize, usize)] = &[
        ("arn:aws:iam::1:root", codes::ARN_NO_TYPE, 15, 19),
        ("arn:aws:ds:r:1:d-1", codes::ARN_NO_TYPE, 15, 18),
        ("arn:aws:x:r:1:/account", codes::ARN_NO_TYPE, 14, 22),
        ("arn:aws:x:r:1://a/b", codes::ARN_NO_TYPE, 14, 19),
        ("arn:aws:lambda:r:1:function:", codes::ARN_NO_NAME, 28, 28),
        ("arn:aws:s3:::/", codes::ARN_NO_NAME, 14, 14),
        ("arn:aws:x:r:1:../a", codes::DOT_SEGMENT, 14, 16),
        ("arn:aws:x:r:1:/./a", codes::DOT_SEGMENT, 15, 16),
    ];
    for &(text, code, start, end) in cases {
        let diagnostic = arn(text).to_resource_id(Some("42")).expect_err(text);
        assert_eq!(
            (diagnostic.code, diagnostic.span()),
            (code, Some(Span { start, end })),
            "{text}"
        );
    }
}

#[test]
fn an_arn_without_an_account_needs_one() {
    for default in [None, Some("")] {
        let diagnostic = arn("arn:aws:s3:::b").to_resource_id(default).expect_err("no account");
        assert_eq!(
            (diagnostic.code, diagnostic.span()),
            (codes::ARN_NO_ACCOUNT, Some(Span::new(12, 12)))
        );
        assert!(diagnostic.hints[0].contains("--account"));
    }
    let own = arn("arn:aws:sns:r:1:t").to_resource_id(None).unwrap();
    assert_eq!(own.scope_name("accounts"), Some("1"));
    let wrong = arn("arn:aws:s3:::b").to_resource_id(Some("a/b")).expect_err("a slash");
    assert_eq!((wrong.code, wrong.span()), (codes::SLASH_IN_NAME, None));
}
