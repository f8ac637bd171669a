//! Our own client of AWS's query protocol, for the calls that are not worth an SDK crate each:
//! CloudFormation's `DescribeType` and its calls for stacks, STS's `GetCallerIdentity` and its calls
//! for a role's session.

mod role;
pub(crate) mod stacks;
mod xml;

use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use aws_smithy_runtime_api::client::http::HttpConnector;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use hangar_ids::{Region, TypeName};
use hangar_provider::{ErrorClass, Identity, ProviderError};
use serde_json::Value;

use crate::call::CallName;
use crate::clock::Clock;
use crate::delivery::Delivery;
use crate::endpoints::{AwsService, Endpoints};
use crate::failure::{causes, error, refusal, undelivered, unreadable};
use crate::transport::Transport;
pub(crate) use role::RoleSession;
use xml::Element;

/// The longest schema has some hundred kilobytes.
const MAX_ANSWER: usize = 16 << 20;

const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// Makes calls, one HTTP request each.
#[derive(Debug, Clone)]
pub(crate) struct QueryClient {
    transport: Transport,
    endpoints: Endpoints,
    within: Duration,
}

/// Who calls, and where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signer<'a> {
    pub(crate) credentials: &'a Credentials,
    pub(crate) region: &'a Region,
}

/// How a call proves who makes it.
#[derive(Debug, Clone, Copy)]
enum Proof<'a> {
    /// By its signature.
    Signature(Signer<'a>),
    /// By what is in it; it goes to this region.
    Content(&'a Region),
}

impl<'a> Proof<'a> {
    fn region(self) -> &'a Region {
        match self {
            Self::Signature(signer) => signer.region,
            Self::Content(region) => region,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Service {
    CloudFormation,
    Sts,
}

impl Service {
    /// The name in host names and signatures.
    const fn name(self) -> &'static str {
        match self {
            Self::CloudFormation => "cloudformation",
            Self::Sts => "sts",
        }
    }

    const fn aws_service(self) -> AwsService {
        match self {
            Self::CloudFormation => AwsService::CloudFormation,
            Self::Sts => AwsService::Sts,
        }
    }

    const fn version(self) -> &'static str {
        match self {
            Self::CloudFormation => "2010-05-15",
            Self::Sts => "2011-06-15",
        }
    }
}

impl QueryClient {
    pub(crate) fn new(transport: Transport, endpoints: Endpoints, within: Duration) -> Self {
        Self { transport, endpoints, within }
    }

    /// The time by which it signs.
    pub(crate) fn clock(&self) -> &Clock {
        self.transport.clock()
    }

    /// The schema of a resource type.
    pub(crate) async fn describe_type(
        &self,
        signer: Signer<'_>,
        type_name: &TypeName,
    ) -> Result<Value, ProviderError> {
        let name = type_name.cloud_formation();
        let parameters = [("Type", "RESOURCE"), ("TypeName", name.as_str())];
        let call = CallName::DescribeType;
        let proof = Proof::Signature(signer);
        let answer = self.send(call, Service::CloudFormation, proof, &parameters).await?;
        let result = answer.find("DescribeTypeResult");
        let schema = result.and_then(|result| result.text_of("Schema"));
        let schema =
            schema.ok_or_else(|| unreadable("the response to DescribeType has no schema"))?;
        serde_json::from_str(schema)
            .map_err(|wrong| unreadable(format!("the schema of {name} is not JSON: {wrong}")))
    }

    /// Whom the credentials belong to.
    pub(crate) async fn caller_identity(
        &self,
        signer: Signer<'_>,
    ) -> Result<Identity, ProviderError> {
        let proof = Proof::Signature(signer);
        let answer = self.send(CallName::GetCallerIdentity, Service::Sts, proof, &[]).await?;
        let result = answer.find("GetCallerIdentityResult");
        let member = |name| {
            let text = result.and_then(|result| result.text_of(name)).filter(|it| !it.is_empty());
            let missing = || unreadable(format!("the response to GetCallerIdentity has no {name}"));
            text.map(str::to_owned).ok_or_else(missing)
        };
        Ok(Identity { account: member("Account")?, arn: member("Arn")? })
    }

    async fn send(
        &self,
        call: CallName,
        service: Service,
        proof: Proof<'_>,
        parameters: &[(&str, &str)],
    ) -> Result<Element, ProviderError> {
        let url = self.url(service, proof.region()).await;
        let fixed = [("Action", call.as_str()), ("Version", service.version())];
        let body = form(fixed.iter().chain(parameters));
        let request = match proof {
            Proof::Signature(signer) => {
                signed(&url, service, signer, self.transport.clock().now(), body)
            }
            Proof::Content(_) => plain(&url, body).and_then(converted),
        };
        let mut request = request.map_err(|why| error(ErrorClass::Refused, "InvalidCall", why))?;
        let delivery = Delivery::default();
        delivery.marker()(&mut request);
        let sent = tokio::time::timeout(self.within, self.exchange(call, request, &delivery));
        sent.await.unwrap_or_else(|late| Err(undelivered(&delivery, true, &late)))
    }

    async fn exchange(
        &self,
        call: CallName,
        request: HttpRequest,
        delivery: &Delivery,
    ) -> Result<Element, ProviderError> {
        let answered = self.transport.connector().call(request).await;
        let mut response =
            answered.map_err(|failed| undelivered(delivery, failed.is_timeout(), &failed))?;
        let text = body_of(&mut response).await?;
        let document = Element::parse(&text);
        let status = response.status();
        if status.is_success() {
            let unread = |wrong| unreadable(format!("the response to {call} is not XML: {wrong}"));
            return document.map_err(unread);
        }
        let said = document.as_ref().ok().and_then(|document| document.find("Error"));
        let member = |name| said.and_then(|said| said.text_of(name)).filter(|it| !it.is_empty());
        let (code, message) = (member("Code"), member("Message"));
        Err(refusal(call, status.as_u16(), code, message, response.headers()))
    }

    async fn url(&self, service: Service, region: &Region) -> String {
        match self.endpoints.url(service.aws_service()).await {
            Some(url) => format!("{url}/"),
            None => host_url(service, region),
        }
    }
}

/// AWS's own host for a service in a region.
fn host_url(service: Service, region: &Region) -> String {
    format!("https://{}.{region}.{}/", service.name(), domain(region.as_str()))
}

/// The domain of a region's partition.
fn domain(region: &str) -> &'static str {
    let domains = [
        ("cn-", "amazonaws.com.cn"),
        ("us-iso-", "c2s.ic.gov"),
        ("us-isob-", "sc2s.sgov.gov"),
        ("us-isof-", "csp.hci.ic.gov"),
        ("eu-isoe-", "cloud.adc-e.uk"),
    ];
    let known = domains.iter().find(|(prefix, _)| region.starts_with(prefix));
    known.map_or("amazonaws.com", |(_, domain)| domain)
}

async fn body_of(response: &mut HttpResponse) -> Result<String, ProviderError> {
    let mut stream = ByteStream::new(std::mem::replace(response.body_mut(), SdkBody::taken()));
    let mut body = Vec::new();
    while let Some(part) = stream.next().await {
        let part = part
            .map_err(|cut| unreadable(format!("the response is incomplete: {}", causes(&cut))))?;
        if body.len() + part.len() > MAX_ANSWER {
            return Err(unreadable(format!("the response is longer than {MAX_ANSWER} bytes")));
        }
        body.extend_from_slice(&part);
    }
    String::from_utf8(body).map_err(|_| unreadable("the response is not UTF-8"))
}

/// A request with its signature. The text of an error holds nothing of the credentials.
fn signed(
    url: &str,
    service: Service,
    signer: Signer<'_>,
    now: SystemTime,
    body: String,
) -> Result<HttpRequest, String> {
    let identity = signer.credentials.clone().into();
    let parameters = v4::SigningParams::builder()
        .identity(&identity)
        .region(signer.region.as_str())
        .name(service.name())
        .time(now)
        .settings(SigningSettings::default())
        .build()
        .map_err(|wrong| causes(&wrong))?
        .into();
    let headers = std::iter::once(("content-type", FORM));
    let signable = SignableBody::Bytes(body.as_bytes());
    let signable =
        SignableRequest::new("POST", url, headers, signable).map_err(|wrong| causes(&wrong))?;
    let (instructions, _) =
        sign(signable, &parameters).map_err(|wrong| causes(&wrong))?.into_parts();
    let mut request = plain(url, body)?;
    instructions.apply_to_request_http1x(&mut request);
    converted(request)
}

/// A request without a signature.
fn plain(url: &str, body: String) -> Result<http::Request<SdkBody>, String> {
    http::Request::builder()
        .method(http::Method::POST)
        .uri(url)
        .header(http::header::CONTENT_TYPE, FORM)
        .body(SdkBody::from(body))
        .map_err(|wrong| causes(&wrong))
}

fn converted(request: http::Request<SdkBody>) -> Result<HttpRequest, String> {
    HttpRequest::try_from(request).map_err(|wrong| causes(&wrong))
}

fn form<'a>(parameters: impl Iterator<Item = &'a (&'a str, &'a str)>) -> String {
    let mut body = String::new();
    for (name, value) in parameters {
        if !body.is_empty() {
            body.push('&');
        }
        encode_into(&mut body, name);
        body.push('=');
        encode_into(&mut body, value);
    }
    body
}

fn encode_into(encoded: &mut String, text: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push(char::from(DIGITS[usize::from(byte >> 4)]));
            encoded.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_of_the_partition_of_its_region() {
        for (region, url) in [
            ("us-east-1", "https://sts.us-east-1.amazonaws.com/"),
            ("us-gov-west-1", "https://sts.us-gov-west-1.amazonaws.com/"),
            ("cn-north-1", "https://sts.cn-north-1.amazonaws.com.cn/"),
            ("us-iso-east-1", "https://sts.us-iso-east-1.c2s.ic.gov/"),
            ("us-isob-east-1", "https://sts.us-isob-east-1.sc2s.sgov.gov/"),
        ] {
            assert_eq!(host_url(Service::Sts, &region.parse().unwrap()), url);
        }
    }

    #[test]
    fn a_form_is_encoded() {
        let parameters = [("Action", "DescribeType"), ("TypeName", "AWS::EC2::VPC é")];
        assert_eq!(
            form(parameters.iter()),
            "Action=DescribeType&TypeName=AWS%3A%3AEC2%3A%3AVPC%20%C3%A9"
        );
    }

    #[test]
    fn a_request_is_signed_for_its_service_and_region() {
        let credentials = Credentials::new("42", "very-secret", Some("session".into()), None, "t");
        let region = "eu-west-1".parse().unwrap();
        let signer = Signer { credentials: &credentials, region: &region };
        let url = "http://127.0.0.1:1/";
        let (now, body) = (SystemTime::now(), "Action=A".to_owned());
        let request = signed(url, Service::CloudFormation, signer, now, body).unwrap();
        let header = |name| request.headers().get(name).unwrap_or_default();
        assert!(header("authorization").contains("Credential=42/"));
        assert!(header("authorization").contains("/eu-west-1/cloudformation/aws4_request"));
        assert_eq!(header("x-amz-security-token"), "session");
        assert!(!format!("{request:?}").contains("very-secret"));
    }
}
