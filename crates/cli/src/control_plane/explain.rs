//! What a person is told of a control plane that does not start.

use hangar_diag::Diagnostic;
use hangar_store::StoreError;

use super::StartError;
use crate::codes;
use crate::commands::simulator;
use crate::embedded::server_file::Role;
use crate::failure::Failure;
use crate::session::explain::unusable;

impl StartError {
    /// What happened, to what, and what to do next.
    pub(crate) fn explain(&self) -> Failure {
        match self {
            Self::NotLoopback { listen } => {
                let message = format!("{listen} is reachable from other machines");
                Diagnostic::error(codes::SERVER_EXPOSED, message).hint(format!(
                    "listen on 127.0.0.1:{}, which only this machine reaches; from another machine, forward the \
                     port: `ssh -L {0}:127.0.0.1:{0} HOST`",
                    listen.port()
                ))
            }
            Self::Listen { listen, source } => {
                let message = format!("cannot listen on {listen}: {source}");
                Diagnostic::error(codes::SERVER_ADDRESS, message).hint(format!(
                    "another server may be running there; try --listen {}:0, which uses a free port",
                    listen.ip()
                ))
            }
            Self::Directory { dir, source } => return unusable(dir, source),
            Self::Recipes { path, source } => {
                let message = format!(
                    "cannot use `{}` for the runs of recipes: {source}",
                    path.display()
                );
                Diagnostic::error(codes::DATA_DIR, message)
                    .hint("make it a writable directory, or move it away")
            }
            Self::OtherAws { dir, asked, used } => {
                let message =
                    format!("the references in `{dir}` belong to --aws {used}, not to --aws {asked}");
                Diagnostic::error(codes::OTHER_AWS, message)
                    .hint(format!("pass --aws {used}, or use another directory: --data-dir DIR"))
            }
            Self::OtherSharedAws { store, asked, used } => {
                let message =
                    format!("the replicas on `{store}` use --aws {used}, not --aws {asked}");
                Diagnostic::error(codes::OTHER_AWS, message)
                    .hint("omit --aws, or use another database")
                    .hint(format!(
                        "if AWS has moved to that endpoint, stop every replica and update the database: psql -c \
                         \"UPDATE note SET text = '{asked}' WHERE name = 'aws'\""
                    ))
            }
            Self::AwsLost { path, why } => {
                let message =
                    format!("cannot determine which AWS to use from `{}`: {why}", path.display());
                Diagnostic::error(codes::AWS_LOST, message).hint(
                    "restore the file, or pass the AWS that the directory was used with: --aws real, --aws simulator \
                     or --aws http://HOST:PORT; the value is recorded",
                )
            }
            Self::StoreLost { store, key } => {
                let message = format!(
                    "the store `{store}` is missing or empty, but the directory has been used before"
                );
                if store.is_shared() {
                    return Diagnostic::error(codes::STORE_LOST, message)
                        .hint("check the name of the database; else restore it from a dump: `pg_restore`")
                        .hint("to start with an empty store, use another directory: --data-dir DIR")
                        .into();
                }
                Diagnostic::error(codes::STORE_LOST, message)
                    .hint("restore it from a backup: `hangar restore FILE`; only the store records which resources \
                        were created")
                    .hint(format!(
                        "to start with an empty store, in which a deployment creates everything again, use another \
                         directory (--data-dir DIR), or move `{}` to another place",
                        key.display()
                    ))
            }
            Self::Simulator(error) => return simulator::explain(error),
            Self::NeedsServer { store } => {
                let message = format!(
                    "HANGAR_STORE is `{store}`, which servers share; a command cannot use it without a server"
                );
                Diagnostic::error(codes::REPLICA, message)
                    .hint("pass a server that uses it: --server URL, or HANGAR_SERVER")
                    .hint("unset HANGAR_STORE to use the store of the data directory")
            }
            Self::DirectoryOfReplica { dir, store } => {
                let message = format!(
                    "`{dir}` is the data directory of a replica on `{store}`; with a separate store, deploying would \
                     create every resource again"
                );
                Diagnostic::error(codes::REPLICA, message)
                    .hint("start the server with --store or HANGAR_STORE, or use a running server: --server URL")
                    .hint("to start with an empty store, use another directory: --data-dir DIR")
            }
            Self::SharedSimulator { store } => {
                let message = format!(
                    "the built-in simulator cannot be used with `{store}`: each replica would have a separate \
                     simulator"
                );
                Diagnostic::error(codes::SERVER_SETUP, message)
                    .hint("pass the AWS to use: --aws real, or --aws http://127.0.0.1:4566")
                    .hint("`hangar simulator` starts one simulator for all replicas")
            }
            Self::Store { store, source } => {
                let message = format!("cannot use the store `{store}`: {source}");
                Diagnostic::error(codes::STORE, message).hint(match source {
                    StoreError::Unavailable(_) if store.is_shared() => {
                        "check that PostgreSQL is running, the address, user and password, and that the database \
                         exists: `createdb hangar`"
                    }
                    StoreError::Damaged(_) if store.is_shared() => {
                        "restore the database from a dump; nothing was changed"
                    }
                    StoreError::Unavailable(_) => {
                        "check the folder, its permissions and the free disk space, and that no other process uses \
                         the file"
                    }
                    StoreError::Damaged(_) => {
                        "restore it from a backup: `hangar restore FILE --force`; nothing was changed"
                    }
                    StoreError::Newer { .. } => "use the version of Hangar that wrote it, or a newer one",
                    StoreError::WrongKey => "restore the key that the store was created with",
                })
            }
            Self::Key { path, why, role } => {
                let message = format!("cannot use the key `{}`: {why}", path.display());
                Diagnostic::error(codes::KEY, message).hint(match role {
                    Role::Serve => {
                        "pass the key that the store was created with: --key-file FILE".to_owned()
                    }
                    Role::Command => format!(
                        "restore the key that the store was created with, as `{}`",
                        path.display()
                    ),
                })
            }
            Self::Setup(why) => {
                Diagnostic::error(codes::SERVER_SETUP, format!("cannot start: {why}"))
                    .hint("check the arguments of this command")
            }
        }
        .into()
    }
}
