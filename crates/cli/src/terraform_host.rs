//! What the Terraform of recipes gets of this process: which program it is, and the few variables that it may know.
//!
//! A run of a recipe is a stranger's code. It gets what leads it to the network and to its own files, and of
//! what is secret only AWS's variables, where AWS itself is meant.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hangar_engine::{LocalOptions, LocalRunner, RecipeAws, Recipes};

use crate::aws::Aws;
use crate::connection::Variables;

/// The variable that names the program.
const PROGRAM: &str = "HANGAR_TERRAFORM";

/// What it is looked for as, in this order.
const NAMES: [&str; 2] = ["terraform", "tofu"];

/// Variables that every run gets, by their whole name.
const PASSED: [&str; 15] = [
    "HOME",
    "USER",
    "LANG",
    "TMPDIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSH_AUTH_SOCK",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
];

/// What the Terraform of recipes gets of this process. Values do not print.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct TerraformHost {
    program: Option<PathBuf>,
    path: Option<String>,
    environment: Vec<(String, String)>,
    /// Those that are for AWS itself.
    aws: Vec<(String, String)>,
}

impl fmt::Debug for TerraformHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerraformHost").field("program", &self.program).finish_non_exhaustive()
    }
}

impl TerraformHost {
    /// As the environment says; a variable that is empty is not set.
    pub(crate) fn of(variables: &Variables) -> Self {
        let set = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<(String, String)> {
            let all = variables.all().filter(|(name, value)| !value.is_empty() && is_wanted(name));
            all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        let one = |wanted: &str| set(&|name| name == wanted).pop().map(|(_, value)| value);
        Self {
            program: one(PROGRAM).map(PathBuf::from),
            path: one("PATH"),
            environment: set(&|name| PASSED.contains(&name) || name.starts_with("LC_")),
            aws: set(&|name| name.starts_with("AWS_")),
        }
    }

    /// The program itself, as it was named or as it is found on `PATH`.
    pub(crate) fn find_program(&self) -> Option<PathBuf> {
        use std::os::unix::fs::PermissionsExt as _;
        let is_program = |path: &PathBuf| {
            std::fs::metadata(path)
                .is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
        };
        if let Some(program) = &self.program {
            // It is started in another directory than ours.
            return whole(program).ok();
        }
        let directories: Vec<PathBuf> = std::env::split_paths(self.path.as_ref()?).collect();
        let all = NAMES.iter().flat_map(|name| directories.iter().map(move |it| it.join(name)));
        all.filter_map(|path| std::path::absolute(path).ok()).find(is_program)
    }

    /// How recipes are run on this AWS, with the runs in a directory and their state at a URL.
    pub(crate) fn recipes(&self, directory: &Path, url: String, aws: &Aws) -> io::Result<Recipes> {
        // A run has a directory of its own: what is named relative to ours is not there.
        let directory = std::path::absolute(directory)?;
        let program = self.program.as_deref().map(whole).transpose()?;
        let mut environment = self.environment.clone();
        if *aws == Aws::Real {
            environment.extend(self.aws.iter().cloned());
        }
        let environment = environment.into_iter();
        let runner = LocalRunner::new(LocalOptions {
            directory,
            program,
            path: self.path.as_ref().map(OsString::from),
            environment: environment.map(|(name, value)| (name.into(), value.into())).collect(),
        })?;
        let aws = match aws {
            Aws::Real => RecipeAws::Real,
            Aws::Custom(url) => RecipeAws::Endpoint(url.clone()),
            Aws::Simulator => RecipeAws::Simulator,
        };
        Ok(Recipes { runner: Arc::new(runner), url, lasting: false, aws })
    }
}

/// A program's path in full; a bare name is looked for on `PATH` by whoever starts it.
fn whole(program: &Path) -> io::Result<PathBuf> {
    if program.components().count() > 1 {
        return std::path::absolute(program);
    }
    Ok(program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(variables: &[(&str, &str)]) -> TerraformHost {
        let all = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        TerraformHost::of(&Variables::new(all))
    }

    #[test]
    fn a_run_gets_what_is_listed_and_nothing_else_of_the_environment() {
        let host = host(&[
            ("HOME", "/h"),
            ("LC_ALL", "C"),
            ("https_proxy", "http://p"),
            ("LANG", ""),
            ("GITHUB_TOKEN", "hush"),
            ("AWS_SECRET_ACCESS_KEY", "hush"),
            ("TF_VAR_password", "hush"),
            ("HANGAR_TERRAFORM", "bin/tofu"),
            ("PATH", "/bin"),
        ]);
        let names: Vec<&str> = host.environment.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["HOME", "LC_ALL", "https_proxy"]);
        assert_eq!(host.aws.len(), 1);
        assert_eq!(
            (host.path.as_deref(), host.program.as_deref()),
            (Some("/bin"), Some(Path::new("bin/tofu")))
        );
        assert!(!format!("{host:?}").contains("hush"));
    }

    #[test]
    fn the_variables_of_aws_are_for_aws_itself() {
        let folder = tempfile::tempdir().unwrap();
        let host = host(&[("AWS_PROFILE", "hush")]);
        let told = |aws: &Aws| {
            let recipes = host.recipes(folder.path(), "http://x".to_owned(), aws).unwrap();
            format!("{:?}", recipes.runner).contains("AWS_PROFILE")
        };
        assert!(told(&Aws::Real));
        assert!(!told(&Aws::Simulator) && !told(&Aws::Custom("http://127.0.0.1:1".to_owned())));
    }
}
