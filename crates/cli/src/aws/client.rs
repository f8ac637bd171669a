//! How this process calls AWS: the parts of the environment that AWS tools share.

mod profile;

use hangar_diag::Diagnostic;
use hangar_manifest::resolve::Origin;
use hangar_provider_aws::{
    AwsProvider, CaBundle, Endpoint, EndpointUrl, Options, RegionFrom, ServiceUrls, Signing,
};

use super::Aws;
use crate::codes;
use crate::connection::Variables;
use crate::failure::Failure;

/// The variables by which an environment names credentials.
const CREDENTIALS: [&str; 6] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/// The variables that name a region, the first one wins.
const REGION: [&str; 2] = ["AWS_REGION", "AWS_DEFAULT_REGION"];

/// What the environment says about calls of AWS. Credentials and the profile are read by the SDK.
#[derive(Debug, Clone, Default)]
pub(crate) struct AwsClient {
    /// `AWS_REGION`, else `AWS_DEFAULT_REGION`
    region: Option<String>,
    /// `AWS_ENDPOINT_URL`, unless `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS` is set
    endpoint_url: Option<String>,
    /// `AWS_ENDPOINT_URL_CLOUDFORMATION` and its like, as far as `AWS_ENDPOINT_URL` counts
    service_urls: ServiceUrls,
    /// Whether a variable names the caller's credentials, which a custom endpoint then gets.
    signing: Signing,
    /// Whether the default profile has credentials, and no variable names others.
    has_default_profile: bool,
    /// The variable or the profile that credentials come from.
    credentials_from: String,
    /// The variable or the profile that the region comes from, if there is one.
    region_from: String,
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
        let has_default_profile = !has_credentials && profile::has_credentials(variables);
        let profile = match set(variables, "AWS_PROFILE") {
            Some(profile) => format!("profile `{profile}`"),
            None => "the default profile".to_owned(),
        };
        let credentials_from = match CREDENTIALS.into_iter().find(|it| set(variables, it).is_some())
        {
            Some("AWS_PROFILE") => profile.clone(),
            Some(variable) => variable.to_owned(),
            None if has_default_profile => profile.clone(),
            None => "the credentials of this machine".to_owned(),
        };
        let of_region = |it: &&str| set(variables, it).is_some();
        let region_from = REGION.into_iter().find(of_region).map_or(profile, str::to_owned);
        Ok(Self {
            region: region_of(variables).map(str::to_owned),
            endpoint_url: endpoint_url_of(variables),
            service_urls: service_urls_of(variables)?,
            signing: if has_credentials { Signing::ByCaller } else { Signing::ByAccount },
            has_default_profile,
            credentials_from,
            region_from,
            ca_bundle,
        })
    }

    /// What names the account and the region of calls that name none.
    pub(crate) fn origin(&self, aws: &Aws, region_from: RegionFrom) -> Origin {
        let account = if self.signs_as_caller(aws) {
            self.credentials_from.clone()
        } else {
            match aws {
                Aws::Simulator => "the simulator's default".to_owned(),
                Aws::Real | Aws::Custom(_) => "the default without credentials".to_owned(),
            }
        };
        let region = match region_from {
            RegionFrom::Environment | RegionFrom::Profile => self.region_from.clone(),
            RegionFrom::Machine => "the region of this machine".to_owned(),
            RegionFrom::Default => "the default; set AWS_REGION for another".to_owned(),
        };
        Origin { account: Some(account), region: Some(region) }
    }

    /// The AWS of a command for which neither a flag, a server nor a data directory names one, if the
    /// environment does.
    pub(crate) fn environment_aws(&self) -> Option<Aws> {
        self.endpoint_url.clone().map(Aws::Custom)
    }

    /// The AWS that the environment means: an endpoint, or AWS itself if there are credentials, or if a service has an
    /// endpoint of its own.
    pub(crate) fn environment_choice(&self) -> Option<Aws> {
        let has_credentials = self.signing == Signing::ByCaller || self.has_default_profile;
        let is_meant = has_credentials || self.service_urls != ServiceUrls::default();
        self.environment_aws().or(is_meant.then_some(Aws::Real))
    }

    /// Whether calls of this AWS are made with the caller's credentials, which then decide the account.
    pub(crate) fn signs_as_caller(&self, aws: &Aws) -> bool {
        *aws == Aws::Real || self.signing_for(aws) == Signing::ByCaller
    }

    /// Who signs for an endpoint that is not AWS. The default profile is for the endpoint that the environment
    /// names, as in every AWS tool: another one, such as a simulator, must not need a login.
    fn signing_for(&self, aws: &Aws) -> Signing {
        match aws {
            // It accepts every account and every caller.
            Aws::Simulator => Signing::ByAccount,
            _ if self.has_default_profile && self.environment_aws().as_ref() == Some(aws) => {
                Signing::ByCaller
            }
            _ => self.signing,
        }
    }

    /// How the provider is to call an AWS that answers at this endpoint.
    pub(crate) fn options(&self, aws: &Aws, endpoint: Endpoint) -> Options {
        Options {
            endpoint,
            region: self.region.clone(),
            signing: self.signing_for(aws),
            // What a flag names is the endpoint of all services.
            service_urls: if self.environment_aws().as_ref() == Some(aws) {
                self.service_urls.clone()
            } else {
                ServiceUrls::default()
            },
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
    REGION.into_iter().find_map(|name| set(variables, name))
}

fn ignores_urls(variables: &Variables) -> bool {
    let ignored = set(variables, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    ignored.is_some_and(|it| it.eq_ignore_ascii_case("true"))
}

fn endpoint_url_of(variables: &Variables) -> Option<String> {
    let url = set(variables, "AWS_ENDPOINT_URL").filter(|_| !ignores_urls(variables))?;
    Some(url.trim_end_matches('/').to_owned())
}

fn service_urls_of(variables: &Variables) -> Result<ServiceUrls, Failure> {
    let url = |name: &str| {
        let Some(url) = set(variables, name).filter(|_| !ignores_urls(variables)) else {
            return Ok(None);
        };
        url.parse::<EndpointUrl>().map(Some).map_err(|error| {
            Diagnostic::error(codes::USAGE, format!("{name}: {error}"))
                .hint(format!("correct {name}, or unset it"))
        })
    };
    Ok(ServiceUrls {
        cloud_control: url("AWS_ENDPOINT_URL_CLOUDCONTROL")?,
        cloud_formation: url("AWS_ENDPOINT_URL_CLOUDFORMATION")?,
        sts: url("AWS_ENDPOINT_URL_STS")?,
    })
}

fn read_ca_bundle(path: &str) -> Result<CaBundle, Failure> {
    let failed = |why: String| {
        let message = format!("cannot use the file `{path}` of AWS_CA_BUNDLE: {why}");
        Diagnostic::error(codes::CA_BUNDLE, message)
            .hint("set AWS_CA_BUNDLE to a file with certificates in PEM format, or unset it")
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

    #[test]
    fn the_default_profile_signs_for_the_endpoint_of_the_environment_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("credentials");
        std::fs::write(&file, "[default]\naws_access_key_id = AKIA\n").unwrap();
        let file = ("AWS_SHARED_CREDENTIALS_FILE", file.to_str().unwrap());
        let url = "http://127.0.0.1:4566";
        let custom = Aws::Custom(url.to_owned());
        let both = client(&[file, ("AWS_ENDPOINT_URL", url)]);
        assert!(both.signs_as_caller(&custom));
        assert_eq!(both.environment_choice(), Some(custom.clone()));
        let only_file = client(&[file]);
        assert!(!only_file.signs_as_caller(&custom));
        assert_eq!(only_file.environment_choice(), Some(Aws::Real));
    }

    #[test]
    fn an_endpoint_of_a_single_service_means_aws() {
        let service = ("AWS_ENDPOINT_URL_CLOUDFORMATION", "http://127.0.0.1:4566");
        assert_eq!(client(&[service]).environment_choice(), Some(Aws::Real));
        let ignored = ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true");
        assert_eq!(client(&[service, ignored]).environment_choice(), None);
    }
}
