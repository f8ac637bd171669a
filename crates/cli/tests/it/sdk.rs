//! The official AWS SDK for Rust, unchanged, against `hangar simulator` over loopback.
//!
//! Each test has a simulator of its own. The SDK does not retry, except where a test is about
//! that: a refusal is seen as the simulator gave it.

mod client_tokens;
mod exceptions;
mod faults;
mod hands;
mod life;
mod log;
mod seeds;
mod settings;

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_sdk_cloudcontrol::Client;
use aws_sdk_cloudcontrol::config::retry::RetryConfig;
use aws_sdk_cloudcontrol::config::timeout::TimeoutConfig;
use aws_sdk_cloudcontrol::config::{BehaviorVersion, Config, Region};
use aws_sdk_cloudcontrol::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_cloudcontrol::operation::create_resource::CreateResourceError;
use aws_sdk_cloudcontrol::operation::get_resource::GetResourceError;
use aws_sdk_cloudcontrol::types::{OperationStatus, ProgressEvent};
use serde_json::{Value, json};

use crate::http::{Answer, Connection};
use crate::simulator::Simulator;

const ACCOUNT: &str = "123456789012";
const REGION: &str = "eu-west-1";

const VPC: &str = "AWS::EC2::VPC";
const LOG_GROUP: &str = "AWS::Logs::LogGroup";

/// A simulator and the SDK's client for it.
struct Cloud {
    simulator: Simulator,
    client: Client,
}

impl Cloud {
    fn start(arguments: &[&str]) -> Self {
        let simulator = Simulator::start(arguments);
        let client = client(simulator.url(), RetryConfig::disabled());
        Self { simulator, client }
    }

    /// A client that tries so often, at once.
    fn patient_client(&self, attempts: u32) -> Client {
        let retries = RetryConfig::standard()
            .with_max_attempts(attempts)
            .with_initial_backoff(Duration::from_millis(1))
            .with_max_backoff(Duration::from_millis(1));
        client(self.simulator.url(), retries)
    }

    /// What the control API answers when it does as it is told.
    fn control(&self, method: &str, path: &str, input: &Value) -> Value {
        let Answer { status, body, .. } = self.try_control(method, path, input);
        assert!(status < 300, "{method} {path}: {status} {body}");
        body
    }

    fn try_control(&self, method: &str, path: &str, input: &Value) -> Answer {
        Connection::open(self.simulator.address()).unwrap().control(method, path, input).unwrap()
    }

    fn advance(&self, by: &str) {
        self.control("POST", "clock", &json!({"advance": by}));
    }

    fn arm(&self, fault: &Value) {
        self.control("POST", "faults", fault);
    }

    /// What the simulator holds of a type, with what AWS would never show.
    fn stored(&self, type_name: &str) -> Vec<Value> {
        let path = format!("resources?account={ACCOUNT}&region={REGION}&type={type_name}");
        let resources = &self.control("GET", &path, &Value::Null)["resources"];
        resources.as_array().unwrap().clone()
    }

    /// The requests that there are, the latest first.
    fn requests(&self) -> Vec<Value> {
        self.control("GET", "requests", &Value::Null)["requests"].as_array().unwrap().clone()
    }

    /// The first event of a create.
    async fn begin(
        &self,
        type_name: &str,
        desired: &Value,
    ) -> Result<ProgressEvent, SdkError<CreateResourceError>> {
        let call = self.client.create_resource().type_name(type_name);
        let answer = call.desired_state(desired.to_string()).send().await?;
        Ok(answer.progress_event.unwrap())
    }

    /// The last event of a create, whatever came of it.
    async fn create(&self, type_name: &str, desired: &Value) -> ProgressEvent {
        let begun = self.begin(type_name, desired).await.unwrap();
        self.ended(&begun).await
    }

    /// The identifier of a resource that was made.
    async fn made(&self, type_name: &str, desired: &Value) -> String {
        succeeded(&self.create(type_name, desired).await)
    }

    async fn update(&self, type_name: &str, identifier: &str, patch: &Value) -> ProgressEvent {
        let call = self.client.update_resource().type_name(type_name).identifier(identifier);
        let answer = call.patch_document(patch.to_string()).send().await.unwrap();
        self.ended(&answer.progress_event.unwrap()).await
    }

    async fn delete(&self, type_name: &str, identifier: &str) -> ProgressEvent {
        let call = self.client.delete_resource().type_name(type_name).identifier(identifier);
        let answer = call.send().await.unwrap();
        self.ended(&answer.progress_event.unwrap()).await
    }

    /// The event that a request is at now.
    async fn status(&self, begun: &ProgressEvent) -> ProgressEvent {
        let token = begun.request_token().unwrap();
        let answer = self.client.get_resource_request_status().request_token(token).send().await;
        answer.unwrap().progress_event.unwrap()
    }

    /// The last event of a request: writes take no time, so that one question is enough.
    async fn ended(&self, begun: &ProgressEvent) -> ProgressEvent {
        let event = self.status(begun).await;
        let is_ended =
            [OperationStatus::Success, OperationStatus::Failed, OperationStatus::CancelComplete]
                .contains(event.operation_status().unwrap());
        assert!(is_ended, "{event:?}");
        event
    }

    /// The properties that a read shows, as the text that it is.
    async fn read(
        &self,
        type_name: &str,
        identifier: &str,
    ) -> Result<String, SdkError<GetResourceError>> {
        let call = self.client.get_resource().type_name(type_name).identifier(identifier);
        let description = call.send().await?.resource_description.unwrap();
        assert_eq!(description.identifier(), Some(identifier));
        Ok(description.properties.unwrap())
    }

    async fn get(&self, type_name: &str, identifier: &str) -> Value {
        let text = self.read(type_name, identifier).await.unwrap();
        serde_json::from_str(&text).unwrap()
    }

    async fn assert_gone(&self, type_name: &str, identifier: &str) {
        let error = self.read(type_name, identifier).await.unwrap_err().into_service_error();
        assert!(error.is_resource_not_found_exception(), "{error:?}");
    }

    /// The identifiers of all pages.
    async fn list(&self, type_name: &str, model: Option<&Value>) -> Vec<String> {
        let call = self.client.list_resources().type_name(type_name);
        let call = call.set_resource_model(model.map(ToString::to_string));
        let mut pages = call.into_paginator().items().send();
        let mut found = Vec::new();
        while let Some(one) = pages.next().await {
            found.push(one.unwrap().identifier.unwrap());
        }
        found
    }
}

fn client(url: &str, retries: RetryConfig) -> Client {
    let timeouts = TimeoutConfig::builder().operation_timeout(Duration::from_secs(20)).build();
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(url)
        .region(Region::new(REGION))
        .credentials_provider(Credentials::from_keys(ACCOUNT, "secret", None))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .retry_config(retries)
        .timeout_config(timeouts)
        .build();
    Client::from_conf(config)
}

/// The identifier that a request which succeeded tells.
fn succeeded(event: &ProgressEvent) -> String {
    assert_eq!(event.operation_status(), Some(&OperationStatus::Success), "{event:?}");
    event.identifier().unwrap().to_owned()
}

/// Why a request failed.
fn failed(event: &ProgressEvent) -> (&str, &str) {
    assert_eq!(event.operation_status(), Some(&OperationStatus::Failed), "{event:?}");
    (event.error_code().unwrap().as_str(), event.status_message().unwrap_or_default())
}

/// What a call that was refused says; the SDK's own type of it is for the caller to look at.
fn refused<T, E>(answer: Result<T, SdkError<E>>) -> (E, String)
where
    T: std::fmt::Debug,
    E: std::fmt::Debug + ProvideErrorMetadata,
{
    match answer.unwrap_err() {
        SdkError::ServiceError(refusal) => {
            let error = refusal.into_err();
            let message = error.message().unwrap_or_default().to_owned();
            (error, message)
        }
        other => panic!("no refusal but {other:?}"),
    }
}

fn vpc() -> Value {
    json!({"CidrBlock": "10.0.0.0/16"})
}

fn log_group(name: &str) -> Value {
    json!({"LogGroupName": name, "RetentionInDays": 30})
}

/// A patch that sets one property.
fn set(name: &str, value: &Value) -> Value {
    json!([{"op": "add", "path": format!("/{name}"), "value": value}])
}
