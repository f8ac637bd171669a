//! Forms as boto3 1.44.0 sends them, and answers read back by a reader that knows no more XML than
//! it needs.

use std::sync::Arc;
use std::time::Duration;

use hangar_schema::Catalog;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::core::session::{Assumption, Role, Session};
use crate::core::time::Timestamp;
use crate::core::web_identity::WebIdentity;
use crate::wire::signature::SignatureProblem;

const CALLER: Caller<'_> = Caller {
    account: "123456789012",
    region: "us-east-1",
    access_key: "AKIAIOSFODNN7EXAMPLE",
    session: None,
};

fn circumstances(caller: Caller<'_>) -> Circumstances<'_> {
    Circumstances { caller, request_id: "11111111-2222", registered_at: 1_794_724_060_219 }
}

fn ask(index: &TypeIndex, form: &str) -> Reply {
    let reply = respond(form.as_bytes(), index, &circumstances(CALLER));
    read(&reply.body);
    reply
}

fn ask_bundled(form: &str) -> Reply {
    ask(&TypeIndex::new(Catalog::bundled()), form)
}

/// Every element with text in it, and the text. Panics where tags do not pair.
fn read(xml: &str) -> Vec<(String, String)> {
    let (mut open, mut leaves) = (Vec::new(), Vec::new());
    let mut rest = xml;
    let mut text = "";
    while let Some((before, after)) = rest.split_once('<') {
        if !before.trim().is_empty() {
            text = before;
        }
        let (tag, after) = after.split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            if !text.is_empty() {
                leaves.push((name.to_owned(), unescape(text)));
            }
        } else {
            open.push(tag.split(' ').next().unwrap());
            assert!(text.is_empty(), "text beside elements");
        }
        text = "";
        rest = after;
    }
    assert!(open.is_empty(), "left open: {open:?}");
    assert_eq!(rest.trim(), "");
    leaves
}

fn unescape(text: &str) -> String {
    assert!(!text.contains('>'));
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let (entity, after) = after.split_once(';').expect("an entity ends");
        plain.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#xD" => '\r',
            other => panic!("unknown entity {other}"),
        });
        rest = after;
    }
    plain + rest
}

fn leaf(reply: &Reply, name: &str) -> Option<String> {
    read(&reply.body).into_iter().find(|(given, _)| given == name).map(|(_, text)| text)
}

fn names(reply: &Reply) -> Vec<String> {
    read(&reply.body)
        .into_iter()
        .filter(|(name, _)| name == "TypeName")
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn the_forms_of_boto3_are_read() {
    let describe = QueryCall::parse(
        b"Action=DescribeType&Version=2010-05-15&Type=RESOURCE&TypeName=AWS%3A%3AS3%3A%3ABucket",
    );
    let named = DescribeType::Named { name: "AWS::S3::Bucket".into(), kind: Kind::Resource };
    assert_eq!(describe, Ok(QueryCall::DescribeType(named)));

    let describe = QueryCall::parse(
        b"Action=DescribeType&Version=2010-05-15\
          &Arn=arn%3Aaws%3Acloudformation%3Aus-east-1%3A%3Atype%2Fresource%2FAWS-S3-Bucket",
    );
    let arn = "arn:aws:cloudformation:us-east-1::type/resource/AWS-S3-Bucket";
    assert_eq!(describe, Ok(QueryCall::DescribeType(DescribeType::Arn(arn.into()))));

    let list = QueryCall::parse(
        b"Action=ListTypes&Version=2010-05-15&Visibility=PUBLIC&ProvisioningType=FULLY_MUTABLE\
          &DeprecatedStatus=LIVE&Type=RESOURCE&Filters.Category=AWS_TYPES\
          &Filters.TypeNamePrefix=AWS%3A%3AEC2%3A%3A&MaxResults=50&NextToken=a%2Bb%2Fc%3D",
    );
    let expected = ListTypes {
        visibility: Visibility::Public,
        provisioning: Provisioning::FullyMutable,
        deprecated_status: Some(DeprecatedStatus::Live),
        kind: Some(Kind::Resource),
        category: Some(Category::AwsTypes),
        publisher: None,
        prefix: Some("AWS::EC2::".into()),
        max_results: 50,
        next_token: Some("a+b/c=".into()),
    };
    assert_eq!(list, Ok(QueryCall::ListTypes(expected)));

    let identity = QueryCall::parse(b"Action=GetCallerIdentity&Version=2011-06-15");
    assert_eq!(identity, Ok(QueryCall::GetCallerIdentity));
}

#[test]
fn what_is_no_call_is_refused_in_the_words_of_aws() {
    for (form, status, code, message) in [
        ("", 400, "MissingAction", "Missing Action"),
        ("Action=", 400, "MissingAction", "Missing Action"),
        (
            "Action=CreateChangeSet&Version=2010-05-15",
            400,
            "InvalidAction",
            "Could not find operation CreateChangeSet for version 2010-05-15",
        ),
        (
            "Action=DescribeType&Version=2011-06-15",
            400,
            "InvalidAction",
            "Could not find operation DescribeType for version 2011-06-15",
        ),
        (
            "Action=%3Ca%26b%3E",
            400,
            "InvalidAction",
            "Could not find operation <a&b> for version NO_VERSION_SPECIFIED",
        ),
        ("Action=%", 404, "MalformedQueryString", "The query string contains a syntax error"),
    ] {
        let reply = ask_bundled(form);
        assert_eq!(reply.status, status, "{form}");
        assert_eq!(leaf(&reply, "Code").as_deref(), Some(code));
        assert_eq!(leaf(&reply, "Message").as_deref(), Some(message));
    }
}

#[test]
fn parameters_that_break_constraints_are_told_all_at_once() {
    for (parameters, message) in [
        (
            "Filters.TypeNamePrefix=A",
            "1 validation error detected: Value 'A' at 'filters.typeNamePrefix' failed to satisfy \
             constraint: Member must satisfy regular expression pattern: \
             ([A-Za-z0-9]{2,64}::){0,2}([A-Za-z0-9]{2,64}:?){0,1}(:[A-Za-z0-9:]{2,64}){0,1}",
        ),
        (
            "Visibility=SECRET&MaxResults=0",
            "2 validation errors detected: Value 'SECRET' at 'visibility' failed to satisfy \
             constraint: Member must satisfy enum value set: [PUBLIC, PRIVATE]; Value '0' at \
             'maxResults' failed to satisfy constraint: Member must have value greater than or \
             equal to 1",
        ),
        (
            "MaxResults=101",
            "1 validation error detected: Value '101' at 'maxResults' failed to satisfy \
             constraint: Member must have value less than or equal to 100",
        ),
        (
            "NextToken=",
            "1 validation error detected: Value '' at 'nextToken' failed to satisfy constraint: \
             Member must have length greater than or equal to 1",
        ),
    ] {
        let reply = ask_bundled(&format!("Action=ListTypes&Version=2010-05-15&{parameters}"));
        assert_eq!(reply.status, 400);
        assert_eq!(leaf(&reply, "Code").as_deref(), Some("ValidationError"));
        assert_eq!(leaf(&reply, "Message").as_deref(), Some(message));
    }
    for max in ["-1", "1e2", "", "99999999999999999999999"] {
        let reply = ask_bundled(&format!("Action=ListTypes&Version=2010-05-15&MaxResults={max}"));
        assert_eq!(leaf(&reply, "Code").as_deref(), Some("ValidationError"), "{max}");
    }
}

#[test]
fn every_type_of_the_catalog_is_described_with_its_schema() {
    let index = TypeIndex::new(Catalog::bundled());
    for name in index.catalog().names() {
        let reply = ask(
            &index,
            &format!("Action=DescribeType&Version=2010-05-15&Type=RESOURCE&TypeName={name}"),
        );
        assert_eq!(reply.status, 200, "{name}");
        assert_eq!(leaf(&reply, "TypeName").as_deref(), Some(name));
        let schema: Value = serde_json::from_str(&leaf(&reply, "Schema").unwrap()).unwrap();
        assert_eq!(schema, index.catalog().schema_document(name).unwrap(), "{name}");
        let arn = leaf(&reply, "Arn").unwrap();
        let again = ask(&index, &format!("Action=DescribeType&Version=2010-05-15&Arn={arn}"));
        assert_eq!(again, reply);
    }
}

#[test]
fn a_description_has_what_aws_gives_of_its_own_types() {
    let reply =
        ask_bundled("Action=DescribeType&Version=2010-05-15&Type=RESOURCE&TypeName=AWS::EC2::VPC");
    assert!(reply.body.starts_with(
        "<DescribeTypeResponse xmlns=\"http://cloudformation.amazonaws.com/doc/2010-05-15/\">\n  \
         <DescribeTypeResult>\n"
    ));
    for (name, text) in [
        ("Arn", "arn:aws:cloudformation:us-east-1::type/resource/AWS-EC2-VPC"),
        ("Type", "RESOURCE"),
        ("IsDefaultVersion", "true"),
        ("Description", "Resource Type definition for AWS::EC2::VPC"),
        ("ProvisioningType", "FULLY_MUTABLE"),
        ("DeprecatedStatus", "LIVE"),
        ("Visibility", "PUBLIC"),
        ("LastUpdated", "2026-11-15T06:27:40.219Z"),
        ("TimeCreated", "2026-11-15T06:27:40.219Z"),
        ("RequestId", "11111111-2222"),
    ] {
        assert_eq!(leaf(&reply, name).as_deref(), Some(text), "{name}");
    }
}

#[test]
fn an_unknown_type_is_not_found() {
    for (parameters, asked) in [
        ("Type=RESOURCE&TypeName=AWS::No::Such", "AWS::No::Such"),
        ("Type=RESOURCE&TypeName=aws::ec2::vpc", "aws::ec2::vpc"),
        ("Type=MODULE&TypeName=AWS::EC2::VPC", "AWS::EC2::VPC"),
        (
            "Arn=arn:aws:cloudformation:eu-west-1::type/resource/AWS-EC2-VPC",
            "arn:aws:cloudformation:eu-west-1::type/resource/AWS-EC2-VPC",
        ),
    ] {
        let reply = ask_bundled(&format!("Action=DescribeType&Version=2010-05-15&{parameters}"));
        assert_eq!(reply.status, 404);
        let message = format!("The type '{asked}' cannot be found.");
        assert_eq!(leaf(&reply, "Message"), Some(message));
    }
    let reply =
        ask_bundled("Action=DescribeType&Version=2010-05-15&Type=RESOURCE&TypeName=AWS::No::Such");
    assert_eq!(
        reply.body,
        "<ErrorResponse xmlns=\"http://cloudformation.amazonaws.com/doc/2010-05-15/\">\n  \
         <Error>\n    <Type>Sender</Type>\n    <Code>TypeNotFoundException</Code>\n    \
         <Message>The type 'AWS::No::Such' cannot be found.</Message>\n  </Error>\n  \
         <RequestId>11111111-2222</RequestId>\n</ErrorResponse>\n"
    );
}

#[test]
fn a_type_must_be_named_with_its_kind_or_by_arn() {
    for parameters in ["", "&TypeName=AWS::EC2::VPC", "&Type=RESOURCE"] {
        let reply = ask_bundled(&format!("Action=DescribeType&Version=2010-05-15{parameters}"));
        assert_eq!(reply.status, 400);
        assert_eq!(leaf(&reply, "Code").as_deref(), Some("CFNRegistryException"));
    }
}

/// All pages, one after the other.
fn pages(index: &TypeIndex, parameters: &str) -> Vec<Vec<String>> {
    let form = format!("Action=ListTypes&Version=2010-05-15&{parameters}");
    let mut reply = ask(index, &form);
    let mut pages = vec![names(&reply)];
    while let Some(token) = leaf(&reply, "NextToken") {
        reply = ask(index, &format!("{form}&NextToken={token}"));
        assert_eq!(reply.status, 200);
        pages.push(names(&reply));
    }
    pages
}

#[test]
fn the_pages_hold_every_type_once_and_in_order() {
    let index = TypeIndex::new(Catalog::bundled());
    let is_listed = |name: &&str| {
        index.provisioning(name).is_ok_and(|found| found == Provisioning::FullyMutable)
    };
    let all: Vec<String> = index.catalog().names().filter(is_listed).map(str::to_owned).collect();
    // The catalog sorts without regard to case.
    assert!(all.is_sorted_by_key(|name| name.to_ascii_lowercase()));
    for (size, parameters) in [(100, "Visibility=PUBLIC"), (37, "Visibility=PUBLIC&MaxResults=37")]
    {
        let pages = pages(&index, parameters);
        assert!(pages[..pages.len() - 1].iter().all(|page| page.len() == size));
        assert!(pages.concat() == all, "another list");
    }
}

#[test]
fn the_provisionings_part_the_catalog() {
    let index = TypeIndex::new(Catalog::bundled());
    let mut seen = 0;
    for (provisioning, member) in [
        ("FULLY_MUTABLE", "AWS::EC2::VPC"),
        ("IMMUTABLE", "AWS::WorkspacesInstances::VolumeAssociation"),
        ("NON_PROVISIONABLE", "AWS::WAFRegional::XssMatchSet"),
    ] {
        let parameters = format!("Visibility=PUBLIC&ProvisioningType={provisioning}");
        let listed = pages(&index, &parameters).concat();
        assert!(listed.iter().any(|name| name == member), "{provisioning}");
        seen += listed.len();
    }
    assert_eq!(seen, index.catalog().len());
}

#[test]
fn filters_narrow_the_list() {
    let index = TypeIndex::new(Catalog::bundled());
    let count = |parameters: &str| pages(&index, parameters).concat().len();
    let mutable = count("Visibility=PUBLIC&ProvisioningType=FULLY_MUTABLE");
    assert!(mutable < index.catalog().len());
    assert_eq!(count("Visibility=PUBLIC&Filters.Category=AWS_TYPES&Type=RESOURCE"), mutable);
    let prefixed = pages(&index, "Visibility=PUBLIC&Filters.TypeNamePrefix=AWS::EC2::VPC").concat();
    assert!(prefixed.contains(&"AWS::EC2::VPC".to_owned()) && prefixed.len() < 20);
    assert!(prefixed.iter().all(|name| name.starts_with("AWS::EC2::VPC")));
    for nothing in [
        "",
        "Visibility=PRIVATE",
        "Filters.Category=AWS_TYPES",
        "Visibility=PUBLIC&Filters.Category=THIRD_PARTY",
        "Visibility=PUBLIC&Filters.Category=REGISTERED",
        "Visibility=PUBLIC&Filters.Category=ACTIVATED",
        "Visibility=PUBLIC&Filters.PublisherId=123456789012",
        "Visibility=PUBLIC&Type=HOOK",
        "Visibility=PUBLIC&DeprecatedStatus=DEPRECATED",
    ] {
        assert_eq!(count(nothing), 0, "{nothing}");
    }
}

#[test]
fn a_token_that_was_not_given_for_this_list_is_refused() {
    let index = TypeIndex::new(Catalog::bundled());
    let list = "Action=ListTypes&Version=2010-05-15&Visibility=PUBLIC";
    let token = leaf(&ask(&index, list), "NextToken").unwrap();
    assert_eq!(ask(&index, &format!("{list}&NextToken={token}&MaxResults=5")).status, 200);
    for form in [
        format!("{list}&NextToken=garbage"),
        format!("{list}&NextToken=%C3%A9%C3%A9"),
        format!("{list}&NextToken={}", &token[2..]),
        format!("{list}&NextToken=%2Bf{}", &token[2..]),
        format!("{list}&NextToken={token}&Filters.TypeNamePrefix=AWS::EC2"),
    ] {
        let reply = ask(&index, &form);
        assert_eq!(reply.status, 400, "{form}");
        assert_eq!(leaf(&reply, "Code").as_deref(), Some("ValidationError"));
        assert!(leaf(&reply, "Message").unwrap().ends_with(" is not a valid NextToken"));
    }
}

#[test]
fn the_caller_is_told_who_it_is() {
    let identity = |caller| {
        let index = TypeIndex::new(Catalog::bundled());
        let reply = answer(&QueryCall::GetCallerIdentity, &index, &circumstances(caller));
        ["Arn", "UserId", "Account"].map(|name| leaf(&reply, name).unwrap())
    };
    assert_eq!(
        identity(CALLER),
        ["arn:aws:iam::123456789012:user/simulator", "AIDABA5FCPGOQXQ2M2XEL", "123456789012"]
    );
    let session = Caller { access_key: "ASIA1", region: "cn-north-1", ..CALLER };
    assert_eq!(
        identity(session),
        [
            "arn:aws-cn:sts::123456789012:assumed-role/simulator/session",
            "AROAFYM7F5EAD7XFZ2MGO:session",
            "123456789012"
        ]
    );
}

const ROLE: &str = "arn:aws:iam::210987654321:role/team/deploy";

fn ask_for(role: &str, name: &str, seconds: u64) -> Assumption {
    let (role, lasts) = (Role::parse(role).unwrap(), Duration::from_secs(seconds));
    Assumption { role, session_name: name.to_owned(), lasts }
}

#[test]
fn the_forms_of_boto3_for_sessions_are_read() {
    let call = QueryCall::parse(
        b"Action=AssumeRole&Version=2011-06-15\
          &RoleArn=arn%3Aaws%3Aiam%3A%3A210987654321%3Arole%2Fteam%2Fdeploy\
          &RoleSessionName=me%40work&DurationSeconds=900&ExternalId=a%3Ab%2Fc&Tags.member.1.Key=k",
    );
    assert_eq!(call, Ok(QueryCall::AssumeRole(ask_for(ROLE, "me@work", 900))));
    let call = QueryCall::parse(
        b"Action=AssumeRoleWithWebIdentity&Version=2011-06-15&WebIdentityToken=e30.e30.AA\
          &RoleArn=arn%3Aaws%3Aiam%3A%3A210987654321%3Arole%2Fteam%2Fdeploy&RoleSessionName=me",
    );
    let Ok(QueryCall::AssumeRoleWithWebIdentity { ask, token }) = &call else {
        panic!("{call:?}");
    };
    assert_eq!((ask, token.as_str()), (&ask_for(ROLE, "me", 3600), "e30.e30.AA"));
    assert!(!format!("{call:?}").contains("e30"), "{call:?}");
}

#[test]
fn a_session_is_given_as_aws_gives_it() {
    let ask = ask_for(ROLE, "me", 900);
    let session = Session::draw(&ask, 5, 0, Timestamp::from_millis(1_794_724_060_219));
    let identity = WebIdentity {
        subject: Some("system:serviceaccount:a:b".into()),
        audience: Some("sts.amazonaws.com".into()),
        issuer: Some("https://oidc.example/<id>".into()),
    };
    let grant = Grant { session: Arc::new(session.clone()), identity: None };
    let reply = granted(&QueryCall::AssumeRole(ask), &grant, "r-1");
    assert_eq!(reply.status, 200);
    let start = "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\n  \
                 <AssumeRoleResult>\n    <AssumedRoleUser>\n";
    assert!(reply.body.starts_with(start), "{}", reply.body);
    let of_role = [
        ("AssumedRoleId", "AROAKBPTM545HJTX47FSW:me"),
        ("Arn", "arn:aws:sts::210987654321:assumed-role/deploy/me"),
        ("AccessKeyId", &session.access_key),
        ("SecretAccessKey", &session.secret),
        ("SessionToken", &session.token),
        ("Expiration", "2026-11-15T06:42:40.219Z"),
        ("RequestId", "r-1"),
    ];
    let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    assert_eq!(read(&reply.body), of_role.map(owned));

    let call = QueryCall::parse(
        format!(
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&WebIdentityToken=e30.e30.AA\
             &RoleArn={ROLE}&RoleSessionName=me"
        )
        .as_bytes(),
    );
    let grant = Grant { session: Arc::new(session.clone()), identity: Some(identity) };
    let reply = granted(&call.unwrap(), &grant, "r-1");
    let claims = [
        ("SubjectFromWebIdentityToken", "system:serviceaccount:a:b"),
        ("Audience", "sts.amazonaws.com"),
        ("Provider", "https://oidc.example/<id>"),
    ];
    let expected: Vec<_> = claims.into_iter().chain(of_role).map(owned).collect();
    assert_eq!(read(&reply.body), expected);

    // Whoever has it is told the same of itself.
    let caller = Caller { account: "210987654321", session: Some(&session), ..CALLER };
    let index = TypeIndex::new(Catalog::bundled());
    let reply = answer(&QueryCall::GetCallerIdentity, &index, &circumstances(caller));
    assert_eq!(leaf(&reply, "Arn").as_deref(), Some(of_role[1].1));
    assert_eq!(leaf(&reply, "UserId").as_deref(), Some(of_role[0].1));
    assert_eq!(leaf(&reply, "Account").as_deref(), Some("210987654321"));
}

#[test]
fn a_call_for_no_session_is_refused_in_the_words_of_aws() {
    let role = format!("RoleArn={ROLE}");
    let asked = |action: &str, parameters: &str| {
        ask_bundled(&format!("Action={action}&Version=2011-06-15&{parameters}"))
    };
    let of_name = "failed to satisfy constraint: Member must satisfy regular expression pattern: \
                   [\\w+=,.@-]*";
    for (action, parameters, message) in [
        (
            "AssumeRole",
            "",
            "2 validation errors detected: Value null at 'roleArn' failed to satisfy constraint: \
             Member must not be null; Value null at 'roleSessionName' failed to satisfy \
             constraint: Member must not be null"
                .to_owned(),
        ),
        (
            "AssumeRole",
            "RoleArn=nothing-valid-in-here&RoleSessionName=me",
            "nothing-valid-in-here is invalid".to_owned(),
        ),
        (
            "AssumeRole",
            &format!("{role}&RoleSessionName=Session1%3A2"),
            format!(
                "1 validation error detected: Value 'Session1:2' at 'roleSessionName' {of_name}"
            ),
        ),
        (
            "AssumeRole",
            &format!("{role}&RoleSessionName=%C3%A9%C3%A9"),
            format!("1 validation error detected: Value 'éé' at 'roleSessionName' {of_name}"),
        ),
        (
            "AssumeRole",
            &format!("{role}&RoleSessionName=me&DurationSeconds=899"),
            "1 validation error detected: Value '899' at 'durationSeconds' failed to satisfy \
             constraint: Member must have value greater than or equal to 900"
                .to_owned(),
        ),
        (
            "AssumeRole",
            &format!("{role}&RoleSessionName=me&DurationSeconds=43201&ExternalId=a%20b"),
            "2 validation errors detected: Value 'a b' at 'externalId' failed to satisfy \
             constraint: Member must satisfy regular expression pattern: [\\w+=,.@:\\/-]*; Value \
             '43201' at 'durationSeconds' failed to satisfy constraint: Member must have value \
             less than or equal to 43200"
                .to_owned(),
        ),
        (
            "AssumeRoleWithWebIdentity",
            &format!("{role}&RoleSessionName=me"),
            "1 validation error detected: Value null at 'webIdentityToken' failed to satisfy \
             constraint: Member must not be null"
                .to_owned(),
        ),
        // What is secret is not repeated.
        (
            "AssumeRoleWithWebIdentity",
            &format!("{role}&RoleSessionName=me&WebIdentityToken=abc"),
            "1 validation error detected: Value at 'webIdentityToken' failed to satisfy \
             constraint: Member must have length greater than or equal to 4"
                .to_owned(),
        ),
    ] {
        let reply = asked(action, parameters);
        assert_eq!(reply.status, 400, "{parameters}");
        assert_eq!(leaf(&reply, "Code").as_deref(), Some("ValidationError"));
        assert_eq!(leaf(&reply, "Message"), Some(message));
        assert!(reply.body.contains(Service::Sts.namespace()), "{}", reply.body);
    }
}

#[test]
fn a_refused_signature_is_told_in_xml() {
    let refusal = SignatureProblem::UnknownKey.in_query();
    let reply = refuse_signature(Service::Sts, &refusal, "r");
    assert_eq!(reply.status, 403);
    assert_eq!(leaf(&reply, "Code").as_deref(), Some("InvalidClientTokenId"));
    assert!(
        reply
            .body
            .starts_with("<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">")
    );
    assert_eq!(Service::of_signing_name("cloudformation"), Some(Service::CloudFormation));
}

#[test]
fn text_survives_escaping() {
    let message = "a<b>&\"'\r\n\té😀&amp;]]>";
    let error = QueryError::TypeNotFound { name: message.into() };
    assert_eq!(leaf(&refuse(&error, "r"), "Message"), Some(error.to_string()));
}

proptest! {
    #[test]
    fn any_form_has_a_well_formed_answer(
        start in "(Action=(ListTypes|DescribeType|\\PC{0,9})&Version=2010-05-15&)?",
        name in "(Type|TypeName|Arn|NextToken|MaxResults|Visibility|Filters.TypeNamePrefix)",
        rest in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let form = [start.as_bytes(), name.as_bytes(), b"=", &rest].concat();
        let index = TypeIndex::new(Catalog::bundled());
        let reply = respond(&form, &index, &circumstances(CALLER));
        prop_assert!([200, 400, 404].contains(&reply.status));
        read(&reply.body);
    }
}
