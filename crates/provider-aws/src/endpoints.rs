//! Where each AWS service answers: a fixed endpoint, the endpoint URLs of the caller's configuration
//! (`AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_<SERVICE>`, `endpoint_url` of the profile), or AWS's own hosts.

use std::sync::Arc;

use aws_config::BehaviorVersion;
use aws_types::SdkConfig;
use aws_types::region::Region as SdkRegion;
use aws_types::service_config::ServiceConfigKey;
use tokio::sync::OnceCell;

use crate::options::{Endpoint, EndpointUrl, ServiceUrls};

/// A service that Hangar calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AwsService {
    CloudControl,
    CloudFormation,
    Sts,
}

impl AwsService {
    /// The id from which the names of variables and of profile sections are derived.
    const fn sdk_id(self) -> &'static str {
        match self {
            Self::CloudControl => "CloudControl",
            Self::CloudFormation => "CloudFormation",
            Self::Sts => "STS",
        }
    }
}

/// The endpoint URLs of one provider. Clones share what was loaded.
#[derive(Debug, Clone)]
pub(crate) struct Endpoints(Arc<Source>);

#[derive(Debug)]
enum Source {
    /// Every service answers at the first one, but for those that have one of their own.
    Fixed(EndpointUrl, ServiceUrls),
    /// As the environment and the profile say; read at the first call.
    Configured(OnceCell<ConfiguredUrls>),
}

#[derive(Debug)]
struct ConfiguredUrls {
    cloud_control: Option<String>,
    cloud_formation: Option<String>,
    sts: Option<String>,
}

impl Endpoints {
    pub(crate) fn new(endpoint: &Endpoint, services: &ServiceUrls) -> Self {
        Self(Arc::new(match endpoint {
            Endpoint::Custom(url) => Source::Fixed(url.clone(), services.clone()),
            Endpoint::Real => Source::Configured(OnceCell::new()),
        }))
    }

    /// The URL of a service, without a slash at its end; `None` means AWS's own host.
    pub(crate) async fn url(&self, service: AwsService) -> Option<&str> {
        match &*self.0 {
            Source::Fixed(url, services) => {
                let own = match service {
                    AwsService::CloudControl => &services.cloud_control,
                    AwsService::CloudFormation => &services.cloud_formation,
                    AwsService::Sts => &services.sts,
                };
                Some(own.as_ref().unwrap_or(url).as_str())
            }
            Source::Configured(cell) => {
                let urls = Box::pin(cell.get_or_init(ConfiguredUrls::load)).await;
                let url = match service {
                    AwsService::CloudControl => &urls.cloud_control,
                    AwsService::CloudFormation => &urls.cloud_formation,
                    AwsService::Sts => &urls.sts,
                };
                url.as_deref()
            }
        }
    }
}

impl ConfiguredUrls {
    /// Reads the environment and the profile, and makes no call.
    async fn load() -> Self {
        // With a region the loader does not ask the metadata service for one.
        let config = aws_config::defaults(BehaviorVersion::latest())
            .region(SdkRegion::from_static("us-east-1"))
            .no_credentials()
            .load()
            .await;
        let url = |service| configured_url(&config, service);
        Self {
            cloud_control: url(AwsService::CloudControl),
            cloud_formation: url(AwsService::CloudFormation),
            sts: url(AwsService::Sts),
        }
    }
}

/// The URL of a service in the caller's configuration, found as the AWS SDKs find it.
fn configured_url(config: &SdkConfig, service: AwsService) -> Option<String> {
    let key = ServiceConfigKey::builder()
        .service_id(service.sdk_id())
        .env("AWS_ENDPOINT_URL")
        .profile("endpoint_url")
        .build()
        .ok()?;
    let own = config.service_config().and_then(|services| services.load_config(key));
    let url = own.or_else(|| config.endpoint_url().map(str::to_owned))?;
    let url = url.trim().trim_end_matches('/');
    (!url.is_empty()).then(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_custom_endpoint_is_the_one_of_every_service_without_its_own() {
        let url = |port: u16| format!("http://127.0.0.1:{port}/").parse::<EndpointUrl>().unwrap();
        let services = ServiceUrls { cloud_formation: Some(url(2)), ..ServiceUrls::default() };
        let endpoints = Endpoints::new(&Endpoint::Custom(url(1)), &services);
        for (service, url) in [
            (AwsService::CloudControl, "http://127.0.0.1:1"),
            (AwsService::CloudFormation, "http://127.0.0.1:2"),
            (AwsService::Sts, "http://127.0.0.1:1"),
        ] {
            assert_eq!(endpoints.url(service).await, Some(url));
        }
    }
}
