//! AWS: the id is what the ARN says.

use serde_json::json;

use super::*;

const AWS: &str = "hashicorp/aws";

/// The id of an ARN below its plane's accounts.
fn id_of(arn: &str) -> String {
    let found = one(AWS, "aws_x", &json!({"arn": arn}));
    let id = found.id.unwrap_or_else(|| panic!("{arn}: {:?}", found.reason));
    assert_eq!(found.arn.as_deref(), Some(arn));
    let parsed = hangar_ids::ResourceId::parse(&id).unwrap();
    assert_eq!((parsed.types().len(), parsed.extensions().len()), (1, 0), "{id}");
    id.strip_prefix("/planes/aws/aws/accounts/").unwrap_or(&id).to_owned()
}

#[test]
fn the_subnet_of_the_seed_has_the_id_of_the_seed() {
    let found = one(
        AWS,
        "aws_subnet",
        &json!({"arn": "arn:aws:ec2:us-east-2:179022619019:subnet/subnet-0ddfaa93733f98002"}),
    );
    assert_eq!(
        found.id.as_deref(),
        Some(
            "/planes/aws/aws/accounts/179022619019/regions/us-east-2/providers/AWS.ec2/subnet/subnet-0ddfaa93733f98002"
        )
    );
}

#[test]
fn case_01_a_bucket_has_no_region_no_account_and_no_type() {
    assert_eq!(id_of("arn:aws:s3:::b"), "123456789012/regions/global/providers/AWS.s3/bucket/b");
    assert_eq!(id_of("arn:aws:s3:::b/key"), "123456789012/regions/global/providers/AWS.s3/b/key");
}

#[test]
fn case_02_iam_has_no_region_and_its_paths_are_part_of_names() {
    assert_eq!(
        id_of("arn:aws:iam::1:role/team/x/svc"),
        "1/regions/global/providers/AWS.iam/role/team%2Fx%2Fsvc"
    );
    assert_eq!(
        id_of("arn:aws:iam::aws:policy/ReadOnly"),
        "aws/regions/global/providers/AWS.iam/policy/ReadOnly"
    );
    assert_eq!(
        id_of("arn:aws:iam::1:oidc-provider/a.b/id/F"),
        "1/regions/global/providers/AWS.iam/oidc-provider/a.b%2Fid%2FF"
    );
    let root = one(AWS, "aws_x", &json!({"arn": "arn:aws:iam::1:root"}));
    assert!(reason(&root).contains("no resource type"));
}

#[test]
fn case_03_global_services_are_in_the_region_global() {
    assert_eq!(
        id_of("arn:aws:cloudfront::1:distribution/E1"),
        "1/regions/global/providers/AWS.cloudfront/distribution/E1"
    );
    assert_eq!(
        id_of("arn:aws:route53:::hostedzone/Z"),
        "123456789012/regions/global/providers/AWS.route53/hostedzone/Z"
    );
    assert_eq!(
        id_of("arn:aws:globalaccelerator::1:accelerator/a"),
        "1/regions/global/providers/AWS.globalaccelerator/accelerator/a"
    );
    assert_eq!(id_of("arn:aws:waf::1:webacl/a"), "1/regions/global/providers/AWS.waf/webacl/a");
}

#[test]
fn case_04_api_gateway_has_no_account_and_a_leading_slash() {
    let id = "123456789012/regions/us-east-1/providers/AWS.apigateway/restapis/x%2Fstages%2Fy";
    assert_eq!(id_of("arn:aws:apigateway:us-east-1::/restapis/x/stages/y"), id);
}

#[test]
fn case_05_log_groups_begin_with_slashes_and_end_with_stars() {
    assert_eq!(
        id_of("arn:aws:logs:r:1:log-group:/a/b:*"),
        "1/regions/r/providers/AWS.logs/log-group/%2Fa%2Fb"
    );
    assert_eq!(
        id_of("arn:aws:logs:r:1:log-group:G:log-stream:S"),
        "1/regions/r/providers/AWS.logs/log-group/G:log-stream:S"
    );
}

#[test]
fn case_06_load_balancers_are_one_name() {
    for (resource, name) in [
        ("loadbalancer/app/n/1", "loadbalancer/app%2Fn%2F1"),
        ("loadbalancer/n", "loadbalancer/n"),
        ("listener/app/n/1/2", "listener/app%2Fn%2F1%2F2"),
        ("listener-rule/app/n/1/2/3", "listener-rule/app%2Fn%2F1%2F2%2F3"),
        ("targetgroup/n/1", "targetgroup/n%2F1"),
    ] {
        let arn = format!("arn:aws:elasticloadbalancing:r:1:{resource}");
        assert_eq!(id_of(&arn), format!("1/regions/r/providers/AWS.elasticloadbalancing/{name}"));
    }
}

#[test]
fn case_07_a_slash_inside_a_form_with_colons_is_part_of_the_name() {
    let id = "1/regions/r/providers/AWS.autoscaling/autoScalingGroup/G:autoScalingGroupName%2FN";
    assert_eq!(id_of("arn:aws:autoscaling:r:1:autoScalingGroup:G:autoScalingGroupName/N"), id);
}

#[test]
fn case_08_every_shape_of_the_common_services_is_one_type_and_one_name() {
    for (service, resource, name) in [
        ("ecs", "task-definition/f:3", "task-definition/f:3"),
        ("ecs", "service/c/s", "service/c%2Fs"),
        ("lambda", "function:f:alias", "function/f:alias"),
        ("lambda", "layer:n:1", "layer/n:1"),
        ("states", "stateMachine:n", "stateMachine/n"),
        ("secretsmanager", "secret:a/b-XXXXXX", "secret/a%2Fb-XXXXXX"),
        ("ssm", "parameter/a/b", "parameter/a%2Fb"),
        ("ecr", "repository/team/app", "repository/team%2Fapp"),
        ("elasticache", "subnetgroup:n", "subnetgroup/n"),
        ("rds", "db:n", "db/n"),
        ("rds", "cluster:n", "cluster/n"),
        ("eks", "nodegroup/c/n/G", "nodegroup/c%2Fn%2FG"),
        ("cognito-idp", "userpool/r_x", "userpool/r_x"),
        ("kms", "alias/x", "alias/x"),
    ] {
        let id = id_of(&format!("arn:aws:{service}:r:1:{resource}"));
        assert_eq!(id, format!("1/regions/r/providers/AWS.{service}/{name}"));
    }
}

#[test]
fn case_09_the_partition_is_the_plane() {
    for partition in
        ["aws-cn", "aws-us-gov", "aws-iso", "aws-iso-b", "aws-iso-e", "aws-iso-f", "aws-eusc"]
    {
        let id = id_of(&format!("arn:{partition}:sns:r:1:t"));
        assert_eq!(
            id,
            format!("/planes/aws/{partition}/accounts/1/regions/r/providers/AWS.sns/topic/t")
        );
    }
}

#[test]
fn case_10_what_is_no_arn_has_no_id_and_a_warning() {
    for arn in [
        json!("arn:aws:s3::b"),
        json!("arn:aws:s3:::"),
        json!("urn:x:y:z:a:b"),
        json!(7),
        json!({"a": 1}),
        json!(["arn:aws:s3:::b"]),
    ] {
        let report = reported(&[resource(AWS, "aws_x", &json!({"arn": arn}))]);
        assert_eq!(report.instances[0].id, None, "{arn}");
        assert_eq!((report.warnings.len(), report.warnings[0].code), (1, "TF0102"), "{arn}");
    }
    for absent in [json!({}), json!({"arn": null}), json!({"arn": ""})] {
        assert_eq!(reason(&one(AWS, "aws_x", &absent)), "no arn attribute");
    }
    assert_eq!(
        id_of("arn:aws:iam::xxxxxxxxxxxx:user/me"),
        "xxxxxxxxxxxx/regions/global/providers/AWS.iam/user/me"
    );
}

#[test]
fn case_11_any_name_reads_back_as_it_was() {
    for name in ["100%", "a b", "a#b", "a?b", "é", "providers", "a//b", "..", ":a"] {
        let arn = format!("arn:aws:x:r:1:thing/{name}");
        let id = one(AWS, "aws_x", &json!({"arn": arn})).id.unwrap();
        let parsed = hangar_ids::ResourceId::parse(&id).unwrap();
        assert_eq!(parsed.name(), Some(name), "{id}");
        assert_eq!(parsed.types()[0].type_text(), "AWS.x/thing", "{id}");
    }
}

#[test]
fn case_12_an_id_that_looks_like_an_arn_is_believed_only_of_types_that_have_it_there() {
    let service =
        one(AWS, "aws_ecs_service", &json!({"id": "arn:aws:ecs:r:1:service/c/s", "cluster": "c"}));
    assert!(service.id.unwrap().ends_with("/AWS.ecs/service/c%2Fs"));
    let attachment = json!({"id": "arn:aws:elasticloadbalancing:r:1:targetgroup/n/1-20170522"});
    assert_eq!(
        reason(&one(AWS, "aws_lb_target_group_attachment", &attachment)),
        "no arn attribute"
    );
    assert_eq!(
        reason(&one(AWS, "aws_security_group_rule", &json!({"id": "sgrule-1"}))),
        "no arn attribute"
    );
}

#[test]
fn case_13_the_identity_tells_a_missing_account_and_region() {
    let instances = json!([{"attributes": {"id": "b", "arn": "arn:aws:s3:::b"},
        "identity_schema_version": 0, "identity": {"account_id": "210987654321", "bucket": "b", "region": "eu-west-3"}}]);
    let report = reported_with(&[resource_of(AWS, "aws_s3_bucket", &instances)], &Ask::default());
    let bucket = &report.instances[0];
    assert_eq!(
        bucket.id.as_deref(),
        Some("/planes/aws/aws/accounts/210987654321/regions/global/providers/AWS.s3/bucket/b")
    );
    let link = bucket.cloud_control.as_ref().unwrap().id.as_deref();
    assert_eq!(
        link,
        Some("/planes/aws/aws/accounts/210987654321/regions/eu-west-3/providers/AWS.S3/Bucket/b")
    );
    let with_region = json!({"id": "b", "arn": "arn:aws:s3:::b", "region": "ap-south-1"});
    let link = one(AWS, "aws_s3_bucket", &with_region).cloud_control.unwrap().id.unwrap();
    assert!(link.contains("/regions/ap-south-1/"), "{link}");
}

#[test]
fn case_14_an_arn_that_two_resources_hold_is_told_once() {
    let arn = json!({"arn": "arn:aws:sns:r:1:t"});
    let upper = json!({"arn": "arn:aws:sns:r:1:T"});
    let report = reported(&[
        resource(AWS, "aws_a", &arn),
        resource(AWS, "aws_b", &arn),
        resource(AWS, "aws_c", &upper),
    ]);
    assert_eq!(
        report.resources,
        ["/planes/aws/aws/accounts/1/regions/r/providers/AWS.sns/topic/t"]
    );
    let duplicates: Vec<_> = report.instances.iter().map(|it| it.duplicate_of.as_deref()).collect();
    assert_eq!(duplicates, [None, Some("aws_a.x"), Some("aws_a.x")]);
    assert!(report.instances[2].id.as_deref().unwrap().ends_with("/T"));
}

#[test]
fn an_arn_without_an_account_that_nobody_knows_has_no_id_and_a_warning() {
    let report = reported_with(
        &[resource(AWS, "aws_s3_bucket", &json!({"id": "b", "arn": "arn:aws:s3:::b"}))],
        &Ask::default(),
    );
    assert!(reason(&report.instances[0]).contains("contains no account"));
    assert_eq!(report.warnings[0].code, "TF0104");
    assert_eq!(report.warnings[0].address.as_deref(), Some("aws_s3_bucket.x"));
}
