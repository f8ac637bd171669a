//! How this process calls AWS: the parts of the environment that AWS tools share.

use hangar_diag::Diagnostic;
use hangar_provider_aws::{AwsProvider, CaBundle, Endpoint, EndpointUrl, Options, Signing};

use super::Aws;
use crate::codes;
use crate::connection::Variables;
use crate::failure::Failure;

/// The variables by which an environment names credentials.
const CREDENTIALS: [&str; 5] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/// What the environment says about calls of AWS. Credentials and the profile are read by the SDK.
#[derive(Debug, Clone, Default)]
pub(crate) struct AwsClient {
    /// `AWS_REGION`, else `AWS_DEFAULT_REGION`
    region: Option<String>,
    /// `AWS_ENDPOINT_URL`, unless `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS` is set
    endpoint_url: Option<String>,
    /// Whether a custom endpoint gets the caller's credentials.
    signing: Signing,
    /// The certificates in the file that `AWS_CA_BUNDLE` names.
    ca_bundle: Option<CaBundle>,
}

impl AwsClient {
    /// Reads the environment, and the file that `AWS_CA_BUNDLE` names.
    pub(crate) fn from_environment(variables: &Variables) -> Result<Self, Failure> {
        let ca_bundle = match set(variables, "AWS_CA_BUNDLE") {
            Some(path) => Some(read_ca_bundle(path)?),
            None => None,
        };
        let has_credentials = CREDENTIALS.iter().any(|it| set(variables, it).is_some());
        Ok(Self {
            region: region_of(variables).map(str::to_owned),
            endpoint_url: endpoint_url_of(variables),
            signing: if has_credentials { Signing::ByCaller } else { Signing::ByAccount },
            ca_bundle,
        })
    }

    /// The AWS of a command for which neither a flag, a server nor a data directory names one, if the
    /// environment does.
    pub(crate) fn environment_aws(&self) -> Option<Aws> {
        self.endpoint_url.clone().map(Aws::Custom)
    }

    /// The AWS that the environment means: an endpoint, or AWS itself if it names credentials.
    pub(crate) fn environment_choice(&self) -> Option<Aws> {
        let real = (self.signing == Signing::ByCaller).then_some(Aws::Real);
        self.environment_aws().or(real)
    }

    /// Whether calls of this AWS are made with the caller's credentials, which then decide the account.
    pub(crate) fn signs_as_caller(&self, aws: &Aws) -> bool {
        match aws {
            Aws::Real => true,
            Aws::Custom(_) => self.signing == Signing::ByCaller,
            Aws::Simulator => false,
        }
    }

    /// How the provider is to call an AWS that answers at this endpoint.
    pub(crate) fn options(&self, aws: &Aws, endpoint: Endpoint) -> Options {
        Options {
            endpoint,
            region: self.region.clone(),
            // The built-in simulator accepts every account and every caller.
            signing: if *aws == Aws::Simulator { Signing::ByAccount } else { self.signing },
            ca_bundle: self.ca_bundle.clone(),
            ..Options::default()
        }
    }

    /// A provider for an AWS that is reached without a control plane; `None` for a simulator, which has to
    /// be started first.
    pub(crate) fn provider(&self, aws: &Aws) -> Option<AwsProvider> {
        let endpoint = match aws {
            Aws::Real => Endpoint::Real,
            Aws::Custom(url) => Endpoint::Custom(url.parse::<EndpointUrl>().ok()?),
            Aws::Simulator => return None,
        };
        Some(AwsProvider::new(self.options(aws, endpoint)))
    }
}

/// The value of a variable; an empty one is not set.
fn set<'a>(variables: &'a Variables, name: &str) -> Option<&'a str> {
    variables.get(name).filter(|value| !value.is_empty())
}

/// The region that the environment names, as every AWS tool reads it.
fn region_of(variables: &Variables) -> Option<&str> {
    set(variables, "AWS_REGION").or_else(|| set(variables, "AWS_DEFAULT_REGION"))
}

fn endpoint_url_of(variables: &Variables) -> Option<String> {
    let ignored = set(variables, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    if ignored.is_some_and(|it| it.eq_ignore_ascii_case("true")) {
        return None;
    }
    set(variables, "AWS_ENDPOINT_URL").map(|url| url.trim_end_matches('/').to_owned())
}

fn read_ca_bundle(path: &str) -> Result<CaBundle, Failure> {
    let failed = |why: String| {
        let message = format!("cannot use the file `{path}` that AWS_CA_BUNDLE names: {why}");
        Diagnostic::error(codes::CA_BUNDLE, message)
            .hint("name a file with certificates in PEM format, or unset AWS_CA_BUNDLE")
    };
    let pem = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    Ok(CaBundle::parse(&pem).map_err(|error| failed(error.to_string()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(pairs: &[(&str, &str)]) -> AwsClient {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        AwsClient::from_environment(&Variables::new(pairs)).unwrap()
    }

    #[test]
    fn the_region_of_the_environment_is_read_as_aws_tools_read_it() {
        let both = [("AWS_DEFAULT_REGION", "eu-west-1"), ("AWS_REGION", "eu-west-2")];
        assert_eq!(client(&both).region.as_deref(), Some("eu-west-2"));
        let empty = [("AWS_DEFAULT_REGION", "eu-west-1"), ("AWS_REGION", "")];
        assert_eq!(client(&empty).region.as_deref(), Some("eu-west-1"));
        assert_eq!(client(&[]).region, None);
    }

    #[test]
    fn the_environment_names_an_endpoint_unless_it_says_to_ignore_it() {
        let url = ("AWS_ENDPOINT_URL", "http://127.0.0.1:4566/");
        let aws = Aws::Custom("http://127.0.0.1:4566".to_owned());
        assert_eq!(client(&[url]).environment_aws(), Some(aws));
        let ignored = ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true");
        assert_eq!(client(&[url, ignored]).environment_aws(), None);
        assert_eq!(client(&[]).environment_aws(), None);
    }

    #[test]
    fn a_custom_endpoint_gets_the_callers_credentials_if_the_environment_names_some() {
        let custom = Aws::Custom("http://127.0.0.1:4566".to_owned());
        assert!(!client(&[]).signs_as_caller(&custom));
        for pair in CREDENTIALS.map(|name| (name, "some")) {
            assert!(client(&[pair]).signs_as_caller(&custom));
            assert!(!client(&[pair]).signs_as_caller(&Aws::Simulator));
        }
        assert!(client(&[]).signs_as_caller(&Aws::Real));
    }
}
