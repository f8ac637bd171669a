//! What pairs mean, by the schema of their type.

use hangar_schema::Catalog;
use serde_json::json;

use super::*;
use crate::render::diagnostic::to_text;

fn schema(name: &str) -> TypeSchema {
    Catalog::bundled().get(name).unwrap()
}

fn read(type_name: &str, pairs: &[&str]) -> Result<(Pairs, Value), Failure> {
    let given: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
    Pairs::read(&given, &schema(type_name), &[], Nulls::Text)
}

fn value(type_name: &str, pairs: &[&str]) -> Value {
    match read(type_name, pairs) {
        Ok((_, value)) => value,
        Err(failure) => panic!("{}", text(&failure)),
    }
}

fn text(failure: &Failure) -> String {
    let Failure::Reported(reports) = failure else { panic!("{failure:?}") };
    format!("{}\n", anstream::adapter::strip_str(&to_text(reports, None)))
}

fn refused(type_name: &str, pairs: &[&str]) -> String {
    match read(type_name, pairs) {
        Ok((_, value)) => panic!("{value}"),
        Err(failure) => text(&failure),
    }
}

#[test]
fn a_string_property_takes_its_text_and_others_take_json() {
    assert_eq!(
        value(
            "AWS::Logs::LogGroup",
            &["LogGroupName=12", "RetentionInDays=14", "KmsKeyId={\"a\": 1}", "LogGroupClass="]
        ),
        json!({"LogGroupName": "12", "RetentionInDays": 14, "KmsKeyId": "{\"a\": 1}", "LogGroupClass": ""})
    );
    assert_eq!(
        value("AWS::EC2::VPC", &["EnableDnsSupport=true", "CidrBlock=a=b"]),
        json!({"EnableDnsSupport": true, "CidrBlock": "a=b"})
    );
}

#[test]
fn a_property_that_may_be_an_object_takes_one_where_one_is_written() {
    // A bucket policy's document is an object or a string.
    let pairs = ["Bucket=logs", "PolicyDocument={\"Version\": \"2012-10-17\"}"];
    assert_eq!(
        value("AWS::S3::BucketPolicy", &pairs),
        json!({"Bucket": "logs", "PolicyDocument": {"Version": "2012-10-17"}})
    );
    assert_eq!(
        value("AWS::S3::BucketPolicy", &["PolicyDocument=true"]),
        json!({"PolicyDocument": "true"})
    );
}

#[test]
fn keys_reach_below_with_dots_and_as_pointers() {
    assert_eq!(
        value(
            "AWS::S3::Bucket",
            &[
                "VersioningConfiguration.Status=Enabled",
                "Tags.0.Key=a.b",
                "/Tags/0/Value=1",
                "Tags.1.Key=2",
                "Tags.1.Value=",
            ]
        ),
        json!({
            "VersioningConfiguration": {"Status": "Enabled"},
            "Tags": [{"Key": "a.b", "Value": "1"}, {"Key": "2", "Value": ""}],
        })
    );
}

#[test]
fn a_pointer_reaches_names_with_dots_and_slashes() {
    assert_eq!(
        value("AWS::Lambda::Function", &["/Environment/Variables/a.b~1c=1", "MemorySize=128"]),
        json!({"Environment": {"Variables": {"a.b/c": "1"}}, "MemorySize": 128})
    );
}

#[test]
fn null_is_no_text_where_json_is_wanted() {
    assert_eq!(
        value("AWS::EC2::VPC", &["EnableDnsSupport=null", "CidrBlock=null"]),
        json!({"EnableDnsSupport": null, "CidrBlock": "null"})
    );
}

#[test]
fn every_wrong_pair_is_told_where_it_is_wrong() {
    insta::assert_snapshot!(
        refused("AWS::EC2::VPC", &["EnableDnsSupport=yes", "CidrBlock", "=1", "A..B=1", "Tags=x"]),
        @r#"
        error[CLI0011]: the value is not JSON, but the schema requires a boolean
          |
        1 | EnableDnsSupport=yes
          |                  ^^^
        hint: write `true` or `false`

        error[CLI0011]: this is neither KEY=VALUE nor a file
          |
        1 | CidrBlock
          |          ^ no `=`
        hint: write KEY=VALUE, or pass only a file: --properties FILE

        error[CLI0011]: the key, or a part of it, is empty
          |
        1 | =1
          | ^
        hint: write a property's name, as in CidrBlock=10.0.0.0/16; below it, Name.Name or /Name/Name

        error[CLI0011]: the key, or a part of it, is empty
          |
        1 | A..B=1
          | ^^^^
        hint: write a property's name, as in CidrBlock=10.0.0.0/16; below it, Name.Name or /Name/Name

        error[CLI0011]: the value is not JSON, but the schema requires an array
          |
        1 | Tags=x
          |      ^
        hint: write an array, as in '["a", "b"]', or its elements as KEY.0=a KEY.1=b
        "#
    );
}

#[test]
fn a_wrong_secret_is_not_shown() {
    let shown = refused(
        "AWS::Lambda::Function",
        &["Code=hunter2", "Code.ZipFile=a", "Code.ZipFile=hunter2"],
    );
    assert!(shown.contains("Code=*******") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_key_is_given_once_and_not_beside_its_parts() {
    insta::assert_snapshot!(
        refused(
            "AWS::S3::Bucket",
            &["BucketName=a", "BucketName=b", "Tags=[]", "Tags.0.Key=a"]
        ),
        @"
        error[CLI0011]: the key is set twice
          |
        1 | BucketName=b
          | ^^^^^^^^^^
        hint: set it once

        error[CLI0011]: the key contains another key, or is a part of one
          |
        1 | Tags.0.Key=a
          | ^^^^^^^^^^
        hint: pass the whole value as JSON in one pair, or only its parts
        "
    );
}

#[test]
fn elements_are_numbered_without_a_gap() {
    insta::assert_snapshot!(refused("AWS::S3::Bucket", &["Tags.1.Key=a"]), @"
    error[CLI0011]: `Tags.1` is set, but element 0 of `Tags` is not
    hint: number the elements of an array from 0, without gaps
    ");
}

#[test]
fn a_finding_is_shown_in_its_pair_and_a_secret_is_not() {
    let (pairs, _) =
        read("AWS::RDS::DBInstance", &["MasterUserPassword=hunter2", "Port=5432"]).unwrap();
    let wrong = |pointer: &str| Diagnostic::error(schema_codes::PATTERN, "wrong").pointer(pointer);
    let reports = pairs.locate(
        &["/MasterUserPassword".to_owned()],
        vec![wrong("/MasterUserPassword"), wrong("/Port"), wrong("/Other"), wrong("")],
    );
    let shown = to_text(&reports, None);
    insta::assert_snapshot!(anstream::adapter::strip_str(&shown), @"
    error[SCHEMA0106]: wrong
      |
    1 | MasterUserPassword=*******
      |                    ^^^^^^^

    error[SCHEMA0106]: wrong
      |
    1 | Port=5432
      |      ^^^^

    error[SCHEMA0106]: wrong
     |
     = at: /Other

    error[SCHEMA0106]: wrong
    ");
}

#[test]
fn numbers_that_count_from_0_make_an_array_where_the_schema_says_nothing() {
    let role = "AWS::IAM::Role";
    assert_eq!(
        value(
            role,
            &[
                "AssumeRolePolicyDocument.Statement.0.Effect=Allow",
                "AssumeRolePolicyDocument.Statement.1.Effect=Deny",
                "AssumeRolePolicyDocument.Odd.1.Effect=Deny",
            ]
        ),
        json!({"AssumeRolePolicyDocument": {
            "Statement": [{"Effect": "Allow"}, {"Effect": "Deny"}], "Odd": {"1": {"Effect": "Deny"}}}})
    );
}

#[test]
fn a_gap_names_its_key() {
    let told = refused("AWS::EC2::VPC", &["Tags.1.Key=a"]);
    assert!(told.contains("`Tags.1` is set, but element 0 of `Tags` is not"), "{told}");
}

#[test]
fn null_removes_where_that_is_what_it_means_and_is_a_text_where_it_is_not() {
    let read = |nulls| {
        let given = ["CidrBlock=null".to_owned(), "EnableDnsSupport=null".to_owned()];
        Pairs::read(&given, &schema("AWS::EC2::VPC"), &[], nulls).unwrap().1
    };
    let removed = serde_json::json!({"CidrBlock": null, "EnableDnsSupport": null});
    assert_eq!(read(Nulls::Remove), removed);
    assert_eq!(read(Nulls::Text)["CidrBlock"], "null");
}
