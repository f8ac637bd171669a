//! What a failure of the caller's credentials means, in one message with the command that helps.

use hangar_diag::{Code, Diagnostic};
use hangar_provider::{ErrorClass, ProviderError};

use crate::codes;

/// How to get credentials.
const LOG_IN: &str = "run `aws sso login` or `aws configure`, set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and \
                      AWS_SECRET_ACCESS_KEY";

/// How to find out what is wrong with credentials.
const CHECK: &str = "`aws sts get-caller-identity` shows whether AWS accepts them; check AWS_PROFILE, \
                     AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN";

/// A problem of the credentials themselves, whatever they were used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CredentialProblem {
    Missing,
    /// `AWS_PROFILE` names a profile that is in no file.
    NoProfile,
    Expired,
    Rejected,
    /// The clock of this machine is wrong.
    ClockSkew,
}

/// Maps an error code of AWS, STS or the credential chain to a problem.
fn problem_of(code: &str, message: &str) -> Option<CredentialProblem> {
    let is_sso = || message.contains("SSO") || message.to_ascii_lowercase().contains("expired");
    Some(match code.trim_end_matches("Exception") {
        "CredentialsNotFound" => CredentialProblem::Missing,
        "ProfileNotFound" => CredentialProblem::NoProfile,
        "ExpiredToken" | "TokenRefreshRequired" => CredentialProblem::Expired,
        "CredentialsInvalid" if is_sso() => CredentialProblem::Expired,
        "CredentialsInvalid"
        | "AuthFailure"
        | "IncompleteSignature"
        | "InvalidAccessKeyId"
        | "InvalidClientTokenId"
        | "InvalidSignature"
        | "MissingAuthenticationToken"
        | "SignatureDoesNotMatch"
        | "UnrecognizedClient" => CredentialProblem::Rejected,
        "RequestExpired" | "RequestTimeTooSkewed" => CredentialProblem::ClockSkew,
        _ => return None,
    })
}

/// The diagnostic of an error that the credentials cause; `None` for every other error.
pub(crate) fn explain_code(code: &str, message: &str) -> Option<Diagnostic> {
    let message = message.trim().trim_end_matches('.');
    let diagnostic = match problem_of(code, message)? {
        CredentialProblem::Missing => {
            let text = "no AWS credentials found".to_owned();
            Diagnostic::error(codes::NO_CREDENTIALS, text)
                .hint(LOG_IN)
                .hint("to try without an AWS account, use the built-in simulator: --aws simulator")
        }
        CredentialProblem::NoProfile => {
            let text = format!("no AWS credentials found: {message}");
            Diagnostic::error(codes::NO_CREDENTIALS, text)
                .hint("`aws configure list-profiles` lists the profiles; correct AWS_PROFILE, or unset it")
        }
        CredentialProblem::Expired => {
            let text = format!("the AWS credentials have expired ({code}): {message}");
            Diagnostic::error(codes::CREDENTIALS_EXPIRED, text)
                .hint("run `aws sso login`, or set AWS_SESSION_TOKEN and the keys of a new session")
        }
        CredentialProblem::Rejected => {
            let text = format!("AWS rejects the credentials ({code}): {message}");
            Diagnostic::error(codes::CREDENTIALS_REJECTED, text).hint(CHECK)
        }
        CredentialProblem::ClockSkew => {
            let text = format!("AWS rejects the time of the request ({code}): {message}");
            Diagnostic::error(codes::CREDENTIALS_REJECTED, text)
                .hint("set the clock of this machine; AWS accepts a difference of five minutes")
        }
    };
    Some(diagnostic)
}

/// The diagnostic of a failed question for the caller's account.
pub(crate) fn explain(error: &ProviderError) -> Diagnostic {
    if let Some(diagnostic) = explain_code(&error.code, &error.message) {
        return diagnostic;
    }
    if error.code == "InvalidRegion" {
        return Diagnostic::error(codes::NO_REGION, error.message.as_str())
            .hint("set AWS_REGION, or `region` in the profile, to a region such as us-east-1");
    }
    let (what, code): (_, Code) = match error.class {
        ErrorClass::Unreachable | ErrorClass::Unanswered | ErrorClass::Throttled => {
            ("cannot reach AWS to check the credentials", codes::AWS_UNREACHABLE)
        }
        _ => ("cannot determine the AWS account of the credentials", codes::NO_ACCOUNT),
    };
    let text = format!("{what}: {} ({})", error.message.trim_end_matches('.'), error.code);
    Diagnostic::error(code, text).hint(match error.class {
        ErrorClass::Unreachable | ErrorClass::Unanswered | ErrorClass::Throttled => {
            "check the network, HTTPS_PROXY, AWS_CA_BUNDLE, AWS_ENDPOINT_URL and the region, then try again"
        }
        _ => "pass --aws-account and --aws-region, or use other credentials",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_aws_are_told_apart() {
        for (code, expected) in [
            ("CredentialsNotFound", Some("CLI0100")),
            ("ProfileNotFound", Some("CLI0100")),
            ("ExpiredToken", Some("CLI0101")),
            ("ExpiredTokenException", Some("CLI0101")),
            ("InvalidClientTokenId", Some("CLI0102")),
            ("UnrecognizedClientException", Some("CLI0102")),
            ("SignatureDoesNotMatch", Some("CLI0102")),
            ("AccessDenied", None),
            ("ValidationException", None),
        ] {
            let diagnostic = explain_code(code, "it failed.");
            assert_eq!(diagnostic.map(|it| it.code.as_str()), expected, "{code}");
        }
    }
}
