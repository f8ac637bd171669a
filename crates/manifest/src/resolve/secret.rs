//! Attributes of AWS resources that are secrets, though no schema says so of what can be read.

/// Names that mean the same in every type.
const NAMES: [&str; 8] = [
    "SecretAccessKey",
    "ClientSecret",
    "SecretString",
    "SecretKey",
    "MasterUserPassword",
    "Password",
    "AuthToken",
    "PrivateKey",
];

/// Names that mean something else elsewhere.
const OF_TYPES: [(&str, &str); 3] = [
    ("AWS::AppSync::ApiKey", "ApiKey"),
    ("AWS::ApiGateway::ApiKey", "Value"),
    ("AWS::IVS::StreamKey", "Value"),
];

/// Whether an attribute of a type is a secret.
pub(super) fn is_secret(type_name: &str, attribute: &str) -> bool {
    let name = attribute.rsplit('.').next().unwrap_or(attribute);
    NAMES.contains(&name) || OF_TYPES.contains(&(type_name, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_secrets_and_their_names_are_not() {
        assert!(is_secret("AWS::IAM::AccessKey", "SecretAccessKey"));
        assert!(is_secret("AWS::Cognito::UserPoolClient", "ClientSecret"));
        assert!(is_secret("AWS::IVS::StreamKey", "Value"));
        for (type_name, attribute) in [
            ("AWS::SSM::Parameter", "Value"),
            ("AWS::SecretsManager::Secret", "Id"),
            ("AWS::RDS::DBInstance", "MasterUserSecret.SecretArn"),
        ] {
            assert!(!is_secret(type_name, attribute), "{attribute}");
        }
    }
}
