//! What is known of an environment's clouds, and the provider configurations that this makes.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::provider::ProviderBlock;
use crate::recipe::secret::Secret;

/// What is known of the environment's clouds.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// AWS.
    pub aws: Option<Aws>,
    /// Azure.
    pub azure: Option<Azure>,
    /// Kubernetes.
    pub kubernetes: Option<Kubernetes>,
}

/// AWS as a provider needs it.
#[derive(Debug, Clone)]
pub struct Aws {
    /// The region.
    pub region: String,
    /// The account; a run with credentials of another one is refused by the provider.
    pub account: Option<String>,
    /// Who calls.
    pub credential: AwsCredential,
    /// Another place than AWS itself.
    pub endpoint: Option<AwsEndpoint>,
}

/// Who calls AWS.
#[derive(Debug, Clone)]
pub enum AwsCredential {
    /// Whoever the process's environment says.
    None,
    /// A pair of keys.
    Keys {
        /// The access key's id.
        access: Secret,
        /// The secret key.
        secret: Secret,
        /// The token of a session.
        session: Option<Secret>,
    },
    /// A role, by a token in a file.
    WebIdentity {
        /// The role's ARN.
        role: String,
        /// The file.
        token_file: String,
    },
    /// A role, by whoever the process's environment says.
    AssumeRole {
        /// The role's ARN.
        role: String,
        /// What the role's owner asks for.
        external_id: Option<Secret>,
    },
}

/// A stand-in for all of AWS's services.
#[derive(Debug, Clone)]
pub struct AwsEndpoint {
    /// Its URL.
    pub url: String,
    /// How the provider's version spells the setting for S3's paths.
    pub path_style: S3PathStyle,
}

/// How a version of the AWS provider spells that buckets are in the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum S3PathStyle {
    /// From version 4 on.
    Use,
    /// Before that.
    Force,
}

/// Azure as a provider needs it.
#[derive(Debug, Clone)]
pub struct Azure {
    /// The subscription's GUID.
    pub subscription: String,
}

/// Kubernetes as a provider needs it.
#[derive(Debug, Clone)]
pub struct Kubernetes {
    /// The kubeconfig; without one the process runs in the cluster.
    pub kubeconfig: Option<String>,
}

/// A configuration made of the facts, for the providers (`namespace/type`) that facts are known for.
pub(super) fn built(address: &str, facts: &Facts) -> Option<ProviderBlock> {
    match address {
        "hashicorp/aws" => facts.aws.as_ref().map(aws),
        "hashicorp/azurerm" => facts.azure.as_ref().map(|azure| ProviderBlock {
            settings: Map::from_iter([
                ("features".to_owned(), json!([{}])),
                ("subscription_id".to_owned(), azure.subscription.clone().into()),
            ]),
            secrets: BTreeSet::new(),
        }),
        "hashicorp/kubernetes" => facts.kubernetes.as_ref().map(|kubernetes| ProviderBlock {
            settings: kubernetes
                .kubeconfig
                .iter()
                .map(|path| ("config_path".to_owned(), path.clone().into()))
                .collect(),
            secrets: BTreeSet::new(),
        }),
        _ => None,
    }
}

fn aws(aws: &Aws) -> ProviderBlock {
    let mut block = ProviderBlock::default();
    let mut set = |name: &str, value: Value| block.settings.insert(name.to_owned(), value);
    set("region", aws.region.clone().into());
    match &aws.credential {
        AwsCredential::None => {}
        AwsCredential::Keys { access, secret, session } => {
            let keys = [
                ("access_key", Some(access)),
                ("secret_key", Some(secret)),
                ("token", session.as_ref()),
            ];
            for (name, key) in keys {
                let Some(key) = key else { continue };
                set(name, key.expose().into());
                block.secrets.insert(format!("/{name}"));
            }
        }
        AwsCredential::WebIdentity { role, token_file } => {
            let with = json!([{"role_arn": role, "web_identity_token_file": token_file}]);
            set("assume_role_with_web_identity", with);
        }
        AwsCredential::AssumeRole { role, external_id } => {
            let mut with = json!({"role_arn": role});
            if let Some(id) = external_id {
                with["external_id"] = id.expose().into();
                block.secrets.insert("/assume_role/0/external_id".to_owned());
            }
            set("assume_role", json!([with]));
        }
    }
    match (&aws.endpoint, &aws.account) {
        (Some(endpoint), _) => stand_in(endpoint, &mut block.settings),
        (None, Some(account)) => {
            block.settings.insert("allowed_account_ids".to_owned(), json!([account]));
        }
        (None, None) => {}
    }
    block
}

/// Everything to the stand-in, and nothing asked that only AWS can answer.
fn stand_in(endpoint: &AwsEndpoint, settings: &mut Map<String, Value>) {
    let services: Map<String, Value> = ENDPOINT_SERVICES
        .iter()
        .map(|service| ((*service).to_owned(), endpoint.url.clone().into()))
        .collect();
    settings.insert("endpoints".to_owned(), json!([services]));
    let path_style = match endpoint.path_style {
        S3PathStyle::Use => "s3_use_path_style",
        S3PathStyle::Force => "s3_force_path_style",
    };
    for name in [
        path_style,
        "skip_credentials_validation",
        "skip_metadata_api_check",
        "skip_region_validation",
        "skip_requesting_account_id",
    ] {
        settings.insert(name.to_owned(), true.into());
    }
}

/// Services by names that the AWS provider has known since version 3: one that it does not know is an error.
const ENDPOINT_SERVICES: &[&str] = &[
    "acm",
    "apigateway",
    "autoscaling",
    "cloudformation",
    "cloudfront",
    "cloudtrail",
    "cloudwatch",
    "cloudwatchevents",
    "cloudwatchlogs",
    "cognitoidp",
    "dynamodb",
    "ec2",
    "ecr",
    "ecs",
    "efs",
    "eks",
    "elasticache",
    "elb",
    "firehose",
    "iam",
    "kinesis",
    "kms",
    "lambda",
    "rds",
    "redshift",
    "route53",
    "s3",
    "secretsmanager",
    "ses",
    "sns",
    "sqs",
    "ssm",
    "stepfunctions",
    "sts",
];
