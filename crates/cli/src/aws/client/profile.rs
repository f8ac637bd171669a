//! Whether the default profile of the AWS files names credentials. The SDK reads the credentials themselves.

use std::fs;
use std::path::PathBuf;

use super::set;
use crate::connection::Variables;

/// The settings of a profile by which credentials are found.
const KEYS: [&str; 9] = [
    "aws_access_key_id",
    "aws_secret_access_key",
    "credential_process",
    "credential_source",
    "role_arn",
    "source_profile",
    "sso_session",
    "sso_start_url",
    "web_identity_token_file",
];

/// Whether the config file or the credentials file has credentials of the default profile. A file that cannot be
/// read has none.
pub(super) fn has_credentials(variables: &Variables) -> bool {
    let files =
        [("AWS_CONFIG_FILE", ".aws/config"), ("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials")];
    files.into_iter().any(|(variable, usual)| {
        let text =
            path_of(variables, variable, usual).and_then(|path| fs::read_to_string(path).ok());
        text.is_some_and(|text| names_credentials(&text))
    })
}

/// The file that a variable names, else the usual one in the home directory.
fn path_of(variables: &Variables, variable: &str, usual: &str) -> Option<PathBuf> {
    let home = || set(variables, "HOME").map(PathBuf::from);
    match set(variables, variable) {
        Some(path) => match path.strip_prefix("~/") {
            Some(below) => Some(home()?.join(below)),
            None => Some(PathBuf::from(path)),
        },
        None => Some(home()?.join(usual)),
    }
}

/// Whether a file has a setting of credentials in the section `[default]` or `[profile default]`.
fn names_credentials(text: &str) -> bool {
    let mut is_default = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let name = section.split(']').next().unwrap_or_default();
            let words: Vec<&str> = name.split_whitespace().collect();
            is_default = matches!(words.as_slice(), ["default"] | ["profile", "default"]);
        } else if is_default
            && let Some((key, value)) = line.split_once('=')
            && KEYS.iter().any(|it| it.eq_ignore_ascii_case(key.trim()))
            && !value.trim().is_empty()
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_of_the_default_profile_count() {
        for text in [
            "[default]\naws_access_key_id = AKIA\n",
            "[profile default]\nsso_session=work\n",
            "[other]\nx = 1\n\n[ default ] # mine\nregion = a\nRole_Arn = arn\n",
        ] {
            assert!(names_credentials(text), "{text}");
        }
        for text in [
            "",
            "[default]\nregion = eu-west-1\n",
            "[work]\naws_access_key_id = AKIA\n",
            "[default]\n[work]\nrole_arn = arn\n",
            "[default]\n# role_arn = arn\naws_access_key_id =\n",
        ] {
            assert!(!names_credentials(text), "{text}");
        }
    }

    #[test]
    fn the_files_are_those_that_aws_tools_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".aws")).unwrap();
        fs::write(folder.path().join(".aws/config"), "[default]\nrole_arn = arn\n").unwrap();
        let home = folder.path().to_str().unwrap();
        let found = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            has_credentials(&Variables::new(pairs))
        };
        assert!(found(&[("HOME", home)]));
        assert!(found(&[("HOME", home), ("AWS_CONFIG_FILE", "~/.aws/config")]));
        assert!(!found(&[("HOME", home), ("AWS_CONFIG_FILE", "/nonexistent")]));
        assert!(!found(&[]));
    }
}
