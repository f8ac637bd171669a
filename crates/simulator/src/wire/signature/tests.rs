//! Requests that others signed: AWS's published examples, and botocore 1.44.0 with a fixed clock.

use proptest::prelude::*;

use super::*;
use crate::wire::hex;

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/// 20150830T123600Z, the time of AWS's examples.
const THEN: u64 = 1_440_938_160;
/// 20261115T062740Z, the time of the requests signed with botocore.
const LATER: u64 = 1_794_724_060;

const LIST_USERS: SignedRequest<'_> = SignedRequest {
    method: "GET",
    path: "/",
    query: "Action=ListUsers&Version=2010-05-08",
    headers: &[
        ("Host", "iam.amazonaws.com"),
        ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
        ("X-Amz-Date", "20150830T123600Z"),
    ],
    body: b"",
};
const LIST_USERS_HEADER: &str = "AWS4-HMAC-SHA256 \
    Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date, \
    Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";

fn authorization(header: &str) -> Authorization {
    Authorization::parse(header).unwrap()
}

fn check(request: &SignedRequest<'_>, header: &str, now: u64) -> Result<(), SignatureProblem> {
    verify(request, &authorization(header), SECRET, now)
}

#[test]
fn the_documented_example_verifies() {
    assert_eq!(check(&LIST_USERS, LIST_USERS_HEADER, THEN), Ok(()));
}

#[test]
fn the_documented_intermediate_values_are_reached() {
    let authorization = authorization(LIST_USERS_HEADER);
    let payload = canonical::payload(&LIST_USERS).unwrap();
    let canonical = canonical::request(&LIST_USERS, &authorization, &payload);
    assert_eq!(
        hex::encode(&Sha256::digest(&canonical)),
        "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59"
    );
    assert_eq!(
        hex::encode(&key::signing_key(SECRET, &authorization)),
        "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
    );
}

/// Three of the published test suite, which differ in the query and the method.
#[test]
fn the_published_test_suite_verifies() {
    let headers = [("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z")];
    for (method, query, signature) in [
        ("GET", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (
            "GET",
            "Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
        ("POST", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    ] {
        let request = SignedRequest { method, path: "/", query, headers: &headers, body: b"" };
        let header = format!(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=host;x-amz-date, Signature={signature}"
        );
        assert_eq!(check(&request, &header, THEN), Ok(()), "{method} {query}");
    }
}

const GET_RESOURCE: SignedRequest<'_> = SignedRequest {
    method: "POST",
    path: "/",
    query: "",
    headers: &[
        ("host", "127.0.0.1:4566"),
        ("x-amz-target", "CloudApiService.GetResource"),
        ("content-type", "application/x-amz-json-1.0"),
        ("user-agent", "Boto3/1.44.0"),
        ("x-amz-date", "20261115T062740Z"),
    ],
    body: "{\"TypeName\":\"AWS::Logs::LogGroup\",\"Identifier\":\"grüße\"}".as_bytes(),
};
const GET_RESOURCE_HEADER: &str = "AWS4-HMAC-SHA256 \
    Credential=AKIDEXAMPLE/20261115/eu-central-1/cloudcontrolapi/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
    Signature=e267dd14d1c0c7677bed22e95289070054dc7dd6f0e77a6c0804a41411bf6681";

#[test]
fn a_json_call_of_botocore_verifies() {
    assert_eq!(check(&GET_RESOURCE, GET_RESOURCE_HEADER, LATER), Ok(()));
}

#[test]
fn a_query_call_of_botocore_verifies() {
    let request = SignedRequest {
        method: "POST",
        path: "/",
        query: "",
        headers: &[
            ("Host", "127.0.0.1:4566"),
            ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
            ("X-Amz-Date", "20261115T062740Z"),
        ],
        body: b"Action=DescribeType&Version=2010-05-15&Type=RESOURCE\
            &TypeName=AWS%3A%3AS3%3A%3ABucket",
    };
    let header = "AWS4-HMAC-SHA256 \
        Credential=AKIDEXAMPLE/20261115/eu-central-1/cloudformation/aws4_request, \
        SignedHeaders=content-type;host;x-amz-date, \
        Signature=cdce0d03b588974a140660a48a6195d3e840ca239fcb197bf90d9a870f407d17";
    assert_eq!(check(&request, header, LATER), Ok(()));
}

#[test]
fn an_odd_path_query_and_an_unsigned_payload_verify() {
    let headers = [
        ("X-Odd", "  a   b  "),
        ("X-Amz-Content-SHA256", "UNSIGNED-PAYLOAD"),
        ("X-Amz-Date", "20261115T062740Z"),
        ("Host", "127.0.0.1:4566"),
    ];
    let request = SignedRequest {
        method: "GET",
        path: "/a%20b/../c//%C3%A9%3A/",
        query: "b=2&a=%20x&a=1&empty",
        headers: &headers,
        body: b"whatever",
    };
    let header = "AWS4-HMAC-SHA256 \
        Credential=AKIDEXAMPLE/20261115/eu-central-1/sts/aws4_request, \
        SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-odd, \
        Signature=eb7c9d2b1843494109407cee020ec61cae18dfee7ac83ff161d71a7845b3f3ae";
    assert_eq!(check(&request, header, LATER), Ok(()));
}

#[test]
fn any_change_of_what_is_signed_is_a_mismatch() {
    let changed = [
        SignedRequest { method: "PUT", ..GET_RESOURCE },
        SignedRequest { path: "/x", ..GET_RESOURCE },
        SignedRequest { query: "a", ..GET_RESOURCE },
        SignedRequest { body: b"{}", ..GET_RESOURCE },
    ];
    for request in changed {
        let result = check(&request, GET_RESOURCE_HEADER, LATER);
        assert_eq!(result, Err(SignatureProblem::Mismatch), "{request:?}");
    }
    let good = authorization(GET_RESOURCE_HEADER);
    for other in [
        Authorization { region: "us-east-1".into(), ..good.clone() },
        Authorization { service: "sts".into(), ..good.clone() },
        Authorization { signature: good.signature.replace('e', "f"), ..good.clone() },
        Authorization { signature: good.signature[..62].into(), ..good.clone() },
        Authorization { signature: good.signature.to_uppercase(), ..good.clone() },
        Authorization { signature: String::new(), ..good.clone() },
    ] {
        let result = verify(&GET_RESOURCE, &other, SECRET, LATER);
        assert_eq!(result, Err(SignatureProblem::Mismatch), "{other:?}");
    }
    let result = verify(&GET_RESOURCE, &good, "another", LATER);
    assert_eq!(result, Err(SignatureProblem::Mismatch));
}

#[test]
fn a_stated_hash_must_be_that_of_the_body() {
    let mut headers = GET_RESOURCE.headers.to_vec();
    headers.push((
        "x-amz-content-sha256",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ));
    let request = SignedRequest { headers: &headers, ..GET_RESOURCE };
    assert_eq!(check(&request, GET_RESOURCE_HEADER, LATER), Err(SignatureProblem::Mismatch));
    headers.pop();
    headers.push((
        "x-amz-content-sha256",
        "dfea7a9459c593aec2f2379e76b4b951c028c71417413fec043bcc84f0eeff47",
    ));
    let request = SignedRequest { headers: &headers, ..GET_RESOURCE };
    assert_eq!(check(&request, GET_RESOURCE_HEADER, LATER), Ok(()));
}

#[test]
fn a_quarter_of_an_hour_is_tolerated_both_ways_and_no_more() {
    for now in [LATER - 900, LATER + 900] {
        assert_eq!(check(&GET_RESOURCE, GET_RESOURCE_HEADER, now), Ok(()));
    }
    let late = check(&GET_RESOURCE, GET_RESOURCE_HEADER, LATER + 901).unwrap_err();
    assert_eq!(
        late.to_string(),
        "Signature expired: 20261115T062740Z is now earlier than 20261115T062741Z \
         (20261115T064241Z - 15 min.)"
    );
    let early = check(&GET_RESOURCE, GET_RESOURCE_HEADER, LATER - 901).unwrap_err();
    assert_eq!(
        early.to_string(),
        "Signature not yet current: 20261115T062740Z is still later than 20261115T062739Z \
         (20261115T061239Z + 15 min.)"
    );
    for now in [0, u64::MAX] {
        assert!(check(&GET_RESOURCE, GET_RESOURCE_HEADER, now).is_err());
    }
}

#[test]
fn parameters_are_read_in_any_order_and_spacing() {
    let header = "AWS4-HMAC-SHA256  Signature=00,SignedHeaders=Host;X-Amz-Date ,\t\
        Credential=AK/20261115/us-east-1/sts/aws4_request,";
    let read = authorization(header);
    assert_eq!((read.access_key.as_str(), read.date.as_str()), ("AK", "20261115"));
    assert_eq!((read.region.as_str(), read.service.as_str()), ("us-east-1", "sts"));
    assert_eq!(read.signed_headers, ["host", "x-amz-date"]);
    assert_eq!(read.signature, "00");
}

#[test]
fn what_a_header_lacks_is_told() {
    let refused = |header: &str| Authorization::parse(header).unwrap_err();
    for header in ["", " ", "Bearer abc", "Basic YWJj"] {
        assert_eq!(refused(header), Unsigned::Missing, "{header}");
    }
    assert_eq!(
        refused("AWS4-HMAC-SHA256 Credential=a").to_string(),
        "Authorization header requires 'Signature' parameter. \
         Authorization header requires 'SignedHeaders' parameter. \
         (Hashed with SHA-256 and encoded with Base64) \
         Authorization=520Nq5bS80gLhTcgcZzjkP74XCXMcdxItgMCiiN4K6U="
    );
    let spaced = "AWS4-HMAC-SHA256 Credential= AK/1/2/3/4, SignedHeaders=host, Signature=00";
    assert!(matches!(refused(spaced), Unsigned::NotAPair { .. }));
    let short = "AWS4-HMAC-SHA256 Credential=AK/1/2/3, SignedHeaders=host, Signature=00";
    assert_eq!(
        refused(short).to_string(),
        "Credential must have exactly 5 slash-delimited elements, \
         e.g. keyid/date/region/service/term, got 'AK/1/2/3'"
    );
    let other = "AWS4-ECDSA-P256-SHA256 Credential=AK/1/2/3/4, SignedHeaders=host, Signature=00";
    assert!(matches!(refused(other), Unsigned::Algorithm { .. }));
}

#[test]
fn time_and_host_must_be_there_and_signed() {
    let problem = |headers: &[(&str, &str)], signed: &str| {
        let header =
            GET_RESOURCE_HEADER.replace("content-type;host;x-amz-date;x-amz-target", signed);
        let request = SignedRequest { headers, ..GET_RESOURCE };
        check(&request, &header, LATER).unwrap_err().to_string()
    };
    let dated = [("host", "h"), ("x-amz-date", "20261115T062740Z")];
    assert!(problem(&[("host", "h")], "host").starts_with(
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
    ));
    assert_eq!(
        problem(&[("x-amz-date", "yesterday")], "host"),
        "Date must be in ISO-8601 'basic format'. Got 'yesterday'. \
         See http://en.wikipedia.org/wiki/ISO_8601"
    );
    assert_eq!(
        problem(&dated, "x-amz-date"),
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
    );
    assert_eq!(
        problem(&dated, "host;date"),
        "'X-Amz-Date' must be a 'SignedHeader' in the AWS Authorization."
    );
    let http = [("host", "h"), ("date", "Sun, 15 Nov 2026 06:27:40 GMT")];
    assert_eq!(problem(&http, "date;host"), SignatureProblem::Mismatch.to_string());
}

#[test]
fn the_scope_is_held_to_the_day_the_service_and_the_terminator() {
    let good = authorization(GET_RESOURCE_HEADER);
    let other = Authorization { date: "20261114".into(), ..good.clone() };
    assert_eq!(
        verify(&GET_RESOURCE, &other, SECRET, LATER).unwrap_err().to_string(),
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from \
         HTTP: '20261114' != '20261115', from '20261115T062740Z'."
    );
    let other = Authorization { terminator: "aws5_request".into(), ..good.clone() };
    assert!(matches!(
        verify(&GET_RESOURCE, &other, SECRET, LATER),
        Err(SignatureProblem::WrongTerminator { .. })
    ));
    assert_eq!(good.check_service("cloudcontrolapi"), Ok(()));
    assert_eq!(good.check_service("sts"), Err(SignatureProblem::WrongService { service: "sts" }));
}

#[test]
fn each_problem_has_its_name_and_status_in_both_protocols() {
    let digest = String::new();
    for (problem, json, query, status) in [
        (
            SignatureProblem::from(Unsigned::Missing),
            "MissingAuthenticationTokenException",
            "MissingAuthenticationToken",
            403,
        ),
        (
            SignatureProblem::NoDate { digest },
            "IncompleteSignatureException",
            "IncompleteSignature",
            400,
        ),
        (SignatureProblem::UnknownKey, "UnrecognizedClientException", "InvalidClientTokenId", 403),
        (SignatureProblem::Mismatch, "InvalidSignatureException", "SignatureDoesNotMatch", 403),
    ] {
        assert_eq!((problem.in_json().code, problem.in_json().status), (json, 400));
        assert_eq!((problem.in_query().code, problem.in_query().status), (query, status));
        assert_eq!(problem.in_json().message, problem.to_string());
    }
}

proptest! {
    #[test]
    fn no_request_makes_the_check_panic(
        header in "(AWS4-HMAC-SHA256 )?(Credential=\\PC{0,9}(/\\PC{0,9}){3,5})?[, ]?\\PC{0,40}",
        path in "\\PC{0,20}",
        query in "[%&=a\\PC]{0,20}",
        date in "(20261115T062740Z|\\PC{0,30})",
        body in prop::collection::vec(any::<u8>(), 0..20),
        now: u64,
    ) {
        let headers = [("host", path.as_str()), ("x-amz-date", date.as_str())];
        let request =
            SignedRequest { method: "POST", path: &path, query: &query, headers: &headers, body: &body };
        if let Err(unsigned) = Authorization::parse(&header) {
            prop_assert!(SignatureProblem::from(unsigned).in_query().status >= 400);
        }
        for now in [now, LATER] {
            let problem = check(&request, GET_RESOURCE_HEADER, now).unwrap_err();
            prop_assert!(!problem.to_string().is_empty());
        }
    }
}
