//! How a provider is set up: which endpoint, how long a call may take, who hears of calls.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use hangar_provider::CredentialSource;

use crate::ca_bundle::CaBundle;
use crate::call::CallObserver;

/// How to talk to AWS.
#[derive(Clone, Default)]
pub struct Options {
    /// Real AWS, or something that speaks like it.
    pub endpoint: Endpoint,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// Hears of every call that was made.
    pub on_call: Option<CallObserver>,
    /// Says which credential is meant for a place. Without one, and where it says none, calls are
    /// signed as the endpoint says.
    pub credentials: Option<Arc<dyn CredentialSource>>,
    /// The caller's own region, where it knows one: what `AWS_REGION` says on an endpoint that is not
    /// AWS. On AWS the machine's is found without it.
    pub region: Option<String>,
    /// Who signs on an endpoint that is not AWS.
    pub signing: Signing,
    /// Services that answer elsewhere than an [`Endpoint::Custom`].
    pub service_urls: ServiceUrls,
    /// Certificate authorities that are trusted in addition to the system's.
    pub ca_bundle: Option<CaBundle>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("endpoint", &self.endpoint)
            .field("timeouts", &self.timeouts)
            .field("credentials", &self.credentials)
            .field("region", &self.region)
            .field("signing", &self.signing)
            .field("service_urls", &self.service_urls)
            .finish_non_exhaustive()
    }
}

/// Where calls go, and as whom where no credential was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Endpoint {
    /// AWS, with the default credential chain; a place must be of the chain's account. Endpoint URLs of
    /// the environment and of the profile are used, as in every AWS tool.
    #[default]
    Real,
    /// The simulator, or another program with the same API; [`Signing`] says who signs.
    Custom(EndpointUrl),
}

/// Who signs calls to an [`Endpoint::Custom`] if no credential was chosen for the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signing {
    /// The place's account is the access key. No credential of the machine is read.
    #[default]
    ByAccount,
    /// The machine's credentials, for the account that they belong to at that endpoint; every other
    /// account as with `ByAccount`.
    ByCaller,
}

/// The endpoints of single services.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServiceUrls {
    /// `AWS_ENDPOINT_URL_CLOUDCONTROL`
    pub cloud_control: Option<EndpointUrl>,
    /// `AWS_ENDPOINT_URL_CLOUDFORMATION`
    pub cloud_formation: Option<EndpointUrl>,
    /// `AWS_ENDPOINT_URL_STS`
    pub sts: Option<EndpointUrl>,
}

impl ServiceUrls {
    /// Those that are set.
    pub(crate) fn all(&self) -> impl Iterator<Item = &EndpointUrl> {
        [&self.cloud_control, &self.cloud_formation, &self.sts].into_iter().flatten()
    }
}

/// The root of an endpoint: `http://HOST:PORT`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EndpointUrl(String);

impl EndpointUrl {
    /// The URL, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands in requests that never leave the process.
    pub(crate) fn within() -> Self {
        Self("http://within.invalid".to_owned())
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.starts_with("https:")
    }
}

impl FromStr for EndpointUrl {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let wrong = |why| EndpointError { text: text.to_owned(), why };
        let uri: http::Uri = text.parse().map_err(|_| wrong("it is not a valid URL"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(wrong("it must start with http:// or https://"));
        }
        let authority = uri.authority().ok_or_else(|| wrong("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(EndpointError {
                text: "the URL".to_owned(),
                why: "it must not contain a user or a password",
            });
        }
        if uri.path() != "/" || uri.query().is_some() {
            return Err(wrong("it must end after the host and the port"));
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

impl fmt::Display for EndpointUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is not an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an endpoint: {why}; write it as in http://127.0.0.1:4566")]
pub struct EndpointError {
    text: String,
    why: &'static str,
}

/// How long things may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until there is a connection, its encryption included.
    pub connect: Duration,
    /// A whole call, from its first byte to the last one of its answer.
    pub operation: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(3), operation: Duration::from_secs(30) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_scheme_a_host_and_a_port() {
        for (text, kept) in [
            ("http://127.0.0.1:4566", "http://127.0.0.1:4566"),
            ("http://localhost:4566/", "http://localhost:4566"),
            ("https://[::1]:4566", "https://[::1]:4566"),
        ] {
            assert_eq!(text.parse::<EndpointUrl>().unwrap().as_str(), kept);
        }
        for text in ["", "127.0.0.1:4566", "ftp://a", "http://a/b", "http://a?b", "/x"] {
            let error = text.parse::<EndpointUrl>().unwrap_err().to_string();
            assert!(error.contains("http://127.0.0.1:4566"), "{error}");
        }
        let error = "http://me:secret@a".parse::<EndpointUrl>().unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}
