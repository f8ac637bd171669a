//! Which control plane a command talks to: what was typed, and what the environment says.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;

use crate::aws::Aws;
use crate::aws::client::AwsClient;
use crate::client::Client;
use crate::client::endpoint::{Endpoint, EndpointError};
use crate::client::ids::quoted;
use crate::client::token::Token;
use crate::codes;
use crate::embedded::data_dir::DataDir;
use crate::embedded::locate::locate;
use crate::failure::Failure;
use crate::session::Presence;
use crate::store_at::StoreAt;
use crate::terraform_host::TerraformHost;

/// What of the environment commands may know.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// `HANGAR_SERVER`
    pub(crate) server: Option<String>,
    /// `HANGAR_DATA_DIR`
    pub(crate) data_dir: Option<PathBuf>,
    /// `HANGAR_STORE`
    pub(crate) store: Option<String>,
    /// The working directory, from the root.
    pub(crate) working_directory: PathBuf,
    /// All of it, for templates that ask for some.
    pub(crate) variables: Variables,
    /// `HANGAR_DIE_AT`, for tests
    #[cfg(debug_assertions)]
    pub(crate) die_at: Option<String>,
}

/// The environment as it is. It holds what is nobody's business, so that it does not print.
#[derive(Default)]
pub(crate) struct Variables(BTreeMap<String, String>);

impl Variables {
    pub(crate) fn new(all: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(all.into_iter().collect())
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of one.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Those of these names that are set.
    pub(crate) fn some_of(&self, names: &[String]) -> BTreeMap<String, String> {
        let known = |name: &String| Some((name.clone(), self.0.get(name)?.clone()));
        names.iter().filter_map(known).collect()
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«environment»")
    }
}

const SERVER_HELP: &str = "URL of the server to use [env: HANGAR_SERVER]";

const SERVER_LONG_HELP: &str = "\
URL of the server to use, such as http://127.0.0.1:7700

Without it, the command uses the server that runs on the data directory. If none runs, the command does its work in \
its own process.

[env: HANGAR_SERVER]";

pub(crate) const DATA_DIR_HELP: &str = "Folder with Hangar's records [env: HANGAR_DATA_DIR]";

pub(crate) const DATA_DIR_LONG_HELP: &str = "\
Data directory, the folder with Hangar's records: its database, the key and the server's token

[env: HANGAR_DATA_DIR] [default: the nearest .hangar in or above the working directory]";

const DATA_DIR_OF_TEMPLATE_HELP: &str = "\
Data directory, the folder with Hangar's records: its database, the key and the server's token

[env: HANGAR_DATA_DIR] [default: the nearest .hangar in or above the folder of the template or the working directory]";

/// Which control plane a command talks to.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server and AWS")]
pub(crate) struct ConnectionArgs {
    // Constants, because a doc comment would need backticks around the names of variables.
    #[arg(long, global = true, value_name = "URL", help = SERVER_HELP, long_help = SERVER_LONG_HELP)]
    server: Option<String>,
    /// File with the server's token
    ///
    /// [default: the token in the data directory, for a server on this machine]
    #[arg(long, global = true, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[arg(long, global = true, value_name = "DIR", help = DATA_DIR_HELP, long_help = DATA_DIR_OF_TEMPLATE_HELP)]
    data_dir: Option<PathBuf>,
    /// AWS to use: simulator, real or `http://HOST:PORT`
    ///
    /// `simulator` is built into Hangar. `real` is AWS, with your credentials. A URL is another
    /// endpoint that implements the AWS APIs. A data directory remembers its AWS. docs/aws.md
    /// describes all rules.
    ///
    /// [default: the AWS that the data directory was used with; for a new one `AWS_ENDPOINT_URL`,
    /// else `simulator`]
    #[arg(long, global = true, value_name = "AWS")]
    aws: Option<Aws>,
}

/// A control plane that was chosen, and the flags that chose it.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    pub(crate) to: Chosen,
    /// How the data directory was chosen.
    pub(crate) directory_origin: DirectoryOrigin,
    /// As they were typed, each with a blank before it: other commands reach the same by them.
    flags: String,
}

/// How a data directory was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirectoryOrigin {
    /// `--data-dir` or `HANGAR_DATA_DIR` names it.
    Named,
    /// It is the nearest `.hangar` on the disk.
    Implied,
}

/// A control plane that was chosen.
#[derive(Debug, Clone)]
pub(crate) enum Chosen {
    /// The one that answers there.
    Server {
        client: Client,
        /// The directory whose token it gets, once it is known to be that directory's server.
        token_of: Option<DataDir>,
    },
    /// The data directory's.
    Directory {
        dir: DataDir,
        /// The AWS that was asked for.
        aws: Option<Aws>,
        /// The store that the environment names.
        store: Option<StoreAt>,
        /// What recipes are run with, where this process runs them.
        terraform: Box<TerraformHost>,
        /// How this process calls AWS.
        aws_client: Box<AwsClient>,
    },
}

/// The data directory: as it was typed, as the environment says, or as it is found from the working directory.
pub(crate) fn data_dir(typed: Option<&PathBuf>, environment: &Environment) -> DataDir {
    data_dir_of(typed, None, environment)
}

/// The data directory of a template: as it was typed, as the environment says, or as it is found.
fn data_dir_of(
    typed: Option<&PathBuf>,
    template: Option<&Path>,
    environment: &Environment,
) -> DataDir {
    match typed.or(environment.data_dir.as_ref()) {
        Some(chosen) => DataDir::new(chosen),
        None => locate(template, &environment.working_directory),
    }
}

impl ConnectionArgs {
    /// The control plane that is meant: `--server`, `HANGAR_SERVER`, else the data directory's.
    pub(crate) fn choose(&self, environment: &Environment) -> Result<Connection, Failure> {
        self.choose_for(None, environment)
    }

    /// The control plane for a template, whose folder says where the data directory is.
    pub(crate) fn choose_for(
        &self,
        template: Option<&Path>,
        environment: &Environment,
    ) -> Result<Connection, Failure> {
        let template = template.filter(|template| *template != Path::new("-"));
        let dir = data_dir_of(self.data_dir.as_ref(), template, environment);
        let is_named = self.data_dir.is_some() || environment.data_dir.is_some();
        let directory_origin =
            if is_named { DirectoryOrigin::Named } else { DirectoryOrigin::Implied };
        let server = self.server.as_ref().or(environment.server.as_ref());
        let mut flags = self.flags();
        if server.is_none() && dir != data_dir(self.data_dir.as_ref(), environment) {
            // Commands without the template would look elsewhere.
            flags = format!("{flags} --data-dir {}", quoted(&dir.path().display().to_string()));
        }
        let Some(server) = server else {
            let store = StoreAt::chosen(None, environment)?;
            let terraform = Box::new(TerraformHost::of(&environment.variables));
            let aws_client = Box::new(AwsClient::from_environment(&environment.variables)?);
            let aws = self.aws.clone();
            let to = Chosen::Directory { dir, aws, store, terraform, aws_client };
            return Ok(Connection { to, directory_origin, flags });
        };
        let endpoint = Endpoint::parse(server).map_err(|error| bad_url(server, error))?;
        if self.aws.is_some() {
            let message =
                format!("--aws cannot be used with a server: {endpoint} has its own AWS setting");
            let hint = "omit --aws, or omit --server and unset HANGAR_SERVER";
            return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
        }
        // The directory's own token is for its own server, and for no other machine to see.
        let token = self.token()?;
        let token_of = (token.is_none() && endpoint.is_loopback()).then_some(dir);
        Ok(Connection {
            to: Chosen::Server { client: Client::new(endpoint, token), token_of },
            directory_origin,
            flags,
        })
    }

    /// The flags that say which control plane it is, as they were typed.
    fn flags(&self) -> String {
        let flags = self.pairs();
        flags.fold(String::new(), |all, (flag, value)| all + " " + flag + " " + &quoted(&value))
    }

    fn pairs(&self) -> impl Iterator<Item = (&'static str, String)> {
        let path = |path: &PathBuf| path.display().to_string();
        let flags = [
            ("--server", self.server.clone()),
            ("--token-file", self.token_file.as_ref().map(path)),
            ("--data-dir", self.data_dir.as_ref().map(path)),
        ];
        flags.into_iter().filter_map(|(flag, value)| Some((flag, value?)))
    }

    /// All flags that were typed, for another process.
    pub(crate) fn typed(&self) -> Vec<String> {
        let aws = self.aws.iter().map(|aws| ("--aws", aws.to_string()));
        self.pairs().chain(aws).map(|(flag, value)| format!("{flag}={value}")).collect()
    }

    /// The token in the file that was named.
    fn token(&self) -> Result<Option<Token>, Failure> {
        let Some(path) = &self.token_file else { return Ok(None) };
        let check = "check the path and its permissions";
        let text = std::fs::read_to_string(path)
            .map_err(|error| unreadable(path, &error.to_string(), check))?;
        match Token::read(&text) {
            Some(token) => Ok(Some(token)),
            None => Err(unreadable(
                path,
                "it does not contain exactly one word",
                "pass the file `token` from the \
                    server's data directory",
            )),
        }
    }
}

impl Connection {
    /// The data directory, or the one whose token a server gets: no file of it is for others.
    pub(crate) fn directory(&self) -> Option<&Path> {
        match &self.to {
            Chosen::Directory { dir, .. } | Chosen::Server { token_of: Some(dir), .. } => {
                Some(dir.path())
            }
            Chosen::Server { token_of: None, .. } => None,
        }
    }

    /// Whether it is a data directory that has no key yet.
    pub(crate) fn lacks_key(&self) -> bool {
        matches!(&self.to, Chosen::Directory { dir, .. } if !dir.key().exists())
    }

    /// How a command stays that changes only what exists: for a data directory that does not exist it only
    /// reads, so that none is created.
    pub(crate) fn presence_for_existing(&self, presence: Presence) -> Presence {
        match (&self.to, presence) {
            (Chosen::Directory { dir, .. }, _) if dir.path().exists() => presence,
            (Chosen::Directory { .. }, Presence::ToTheEnd) => Presence::ReadingAws,
            (Chosen::Directory { .. }, _) => Presence::Reading,
            (Chosen::Server { .. }, _) => presence,
        }
    }

    /// A text in which every command that it names reaches the same control plane.
    pub(crate) fn addressed(&self, text: &str) -> String {
        const ASKING: [&str; 8] = [
            "hangar deploy ",
            "hangar deployment ",
            "hangar resource ",
            "hangar group ",
            "hangar operation ",
            "hangar drift",
            "hangar plane ",
            "hangar recipe ",
        ];
        let mut addressed = String::new();
        for (at, part) in text.split('`').enumerate() {
            if at > 0 {
                addressed.push('`');
            }
            addressed.push_str(part);
            if at % 2 == 1 && ASKING.iter().any(|command| part.starts_with(command)) {
                addressed.push_str(&self.flags);
            }
        }
        addressed
    }
}

fn unreadable(path: &std::path::Path, why: &str, hint: &str) -> Failure {
    let message = format!("cannot read a token from `{}`: {why}", path.display());
    Diagnostic::error(codes::TOKEN_UNREADABLE, message).hint(hint).into()
}

fn bad_url(text: &str, error: EndpointError) -> Failure {
    // A password that stands in it is not repeated.
    let shown = if error == EndpointError::HasUser { "the URL" } else { text };
    let message = format!("cannot use `{shown}` as the server URL: {error}");
    let hint = match error {
        EndpointError::Encrypted => {
            "use http:// with a server on this machine; for a server elsewhere, forward its port: `ssh -L \
             7700:127.0.0.1:7700 HOST`"
        }
        _ => "write a URL such as http://127.0.0.1:7700",
    };
    Diagnostic::error(codes::API_BAD_URL, message).hint(hint).into()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        connection: ConnectionArgs,
    }

    fn choose(typed: &[&str], environment: &Environment) -> Result<Connection, Failure> {
        let typed = ["hangar"].iter().chain(typed);
        Typed::try_parse_from(typed).unwrap().connection.choose(environment)
    }

    fn server_of(typed: &[&str], environment: &Environment) -> String {
        match choose(typed, environment).unwrap().to {
            Chosen::Server { client, .. } => client.endpoint().to_string(),
            Chosen::Directory { dir, .. } => dir.to_string(),
        }
    }

    #[test]
    fn what_is_typed_comes_before_the_environment_and_a_server_before_a_directory() {
        let environment = |server: Option<&str>, dir: Option<&str>| Environment {
            server: server.map(str::to_owned),
            data_dir: dir.map(PathBuf::from),
            ..Environment::default()
        };
        let none = environment(None, None);
        let both = environment(Some("http://127.0.0.1:1"), Some("/nowhere/e"));
        assert_eq!(server_of(&["--server", "http://127.0.0.1:2"], &both), "http://127.0.0.1:2");
        assert_eq!(server_of(&["--data-dir", "d"], &both), "http://127.0.0.1:1");
        assert_eq!(server_of(&["--data-dir", "d"], &environment(None, Some("e"))), "d");
        assert_eq!(server_of(&[], &environment(None, Some("e"))), "e");
        assert_eq!(server_of(&[], &none), ".hangar");
    }

    #[test]
    fn the_directorys_token_is_for_this_machine_only() {
        let may_have = |server: &str| match choose(&["--server", server], &Environment::default()) {
            Ok(Connection { to: Chosen::Server { token_of, .. }, .. }) => token_of.is_some(),
            other => panic!("{other:?}"),
        };
        assert!(may_have("http://127.0.0.1:7700"));
        assert!(!may_have("http://10.0.0.1:7700"));
    }

    #[test]
    fn commands_in_hints_reach_the_same_control_plane() {
        let chosen = choose(&["--data-dir", "my dir"], &Environment::default()).unwrap();
        assert_eq!(
            chosen.addressed("`hangar operation wait X` of `net`; `hangar schema list`"),
            "`hangar operation wait X --data-dir 'my dir'` of `net`; `hangar schema list`"
        );
    }
}
