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
                let message = format!("{listen} can be reached from other machines");
                Diagnostic::error(codes::SERVER_EXPOSED, message).hint(format!(
                    "listen on 127.0.0.1:{}, which only this machine reaches; from elsewhere, forward \
                     it: `ssh -L {0}:127.0.0.1:{0} HOST`",
                    listen.port()
                ))
            }
            Self::Listen { listen, source } => {
                let message = format!("cannot listen on {listen}: {source}");
                Diagnostic::error(codes::SERVER_ADDRESS, message).hint(format!(
                    "another server may run there; try --listen {}:0, which takes a free port",
                    listen.ip()
                ))
            }
            Self::Directory { dir, source } => return unusable(dir, source),
            Self::Recipes { path, source } => {
                let message = format!(
                    "cannot use `{}`, where recipes have their runs: {source}",
                    path.display()
                );
                Diagnostic::error(codes::DATA_DIR, message)
                    .hint("make it a directory that you may write to, or move what is there away")
            }
            Self::OtherAws { dir, asked, used } => {
                let message =
                    format!("the references in `{dir}` live in --aws {used}, not in --aws {asked}");
                Diagnostic::error(codes::OTHER_AWS, message)
                    .hint(format!("say --aws {used}, or keep the two apart: --data-dir DIR"))
            }
            Self::OtherSharedAws { store, asked, used } => {
                let message =
                    format!("the replicas on `{store}` work on --aws {used}, not on --aws {asked}");
                Diagnostic::error(codes::OTHER_AWS, message)
                    .hint("leave --aws out, or use another database")
                    .hint(format!(
                        "if it has moved there, stop every replica and tell the database: psql -c \"UPDATE note SET \
                         text = '{asked}' WHERE name = 'aws'\""
                    ))
            }
            Self::AwsLost { path, why } => {
                let message =
                    format!("cannot tell which AWS it is from `{}`: {why}", path.display());
                Diagnostic::error(codes::AWS_LOST, message).hint(
                    "restore the file, or say which AWS the directory was used with: --aws real, --aws \
                     simulator or --aws http://HOST:PORT; it is remembered",
                )
            }
            Self::StoreLost { store, key } => {
                let message = format!(
                    "the store `{store}` is gone or empty, and the directory was used before"
                );
                if store.is_shared() {
                    return Diagnostic::error(codes::STORE_LOST, message)
                        .hint("check the name of the database; else restore it from a dump: `pg_restore`")
                        .hint("to begin anew without what it knew, use another directory: --data-dir DIR")
                        .into();
                }
                Diagnostic::error(codes::STORE_LOST, message)
                    .hint("restore it from a copy, `hangar restore FILE`: without it nobody knows what was made")
                    .hint(format!(
                        "to begin anew without what it knew, move `{}` away, or use another directory: \
                         --data-dir DIR",
                        key.display()
                    ))
            }
            Self::Simulator(error) => return simulator::explain(error),
            Self::NeedsServer { store } => {
                let message = format!(
                    "HANGAR_STORE names `{store}`, which servers share; a command runs none of them"
                );
                Diagnostic::error(codes::REPLICA, message)
                    .hint("name a server that runs on it: --server URL, or HANGAR_SERVER")
                    .hint("unset HANGAR_STORE to use the store of the data directory")
            }
            Self::DirectoryOfReplica { dir, store } => {
                let message = format!(
                    "`{dir}` is the data directory of a replica on `{store}`; with a store of its own it would \
                     know none of the aliases, and make them again"
                );
                Diagnostic::error(codes::REPLICA, message)
                    .hint("serve it with --store, or HANGAR_STORE; ask a server with --server URL")
                    .hint("to begin anew, use another directory: --data-dir DIR")
            }
            Self::SharedSimulator { store } => {
                let message = format!(
                    "the built-in simulator does not go with `{store}`: every replica would have an AWS of its \
                     own"
                );
                Diagnostic::error(codes::SERVER_SETUP, message)
                    .hint("say which AWS it is: --aws real, or --aws http://127.0.0.1:4566")
                    .hint("`hangar simulator` is one AWS for all replicas")
            }
            Self::Store { store, source } => {
                let message = format!("cannot use the store `{store}`: {source}");
                Diagnostic::error(codes::STORE, message).hint(match source {
                    StoreError::Unavailable(_) if store.is_shared() => {
                        "do what it says; if that is nothing, check that the server runs, its address, user and \
                         password, and that the database is there: `createdb hangar`"
                    }
                    StoreError::Damaged(_) if store.is_shared() => {
                        "restore the database from a dump; nothing was changed"
                    }
                    StoreError::Unavailable(_) => {
                        "check the folder, its permissions, the space on the disk, and that no other \
                         process uses the file"
                    }
                    StoreError::Damaged(_) => {
                        "restore it from a copy, `hangar restore FILE --force`; nothing was changed"
                    }
                    StoreError::Newer { .. } => "use the version that wrote it, or a newer one",
                    StoreError::WrongKey => "bring back the key that it was made with",
                })
            }
            Self::Key { path, why, role } => {
                let message = format!("cannot use the key `{}`: {why}", path.display());
                Diagnostic::error(codes::KEY, message).hint(match role {
                    Role::Serve => {
                        "give the key that the store was made with: --key-file FILE".to_owned()
                    }
                    Role::Command => format!(
                        "bring back the key that the store was made with, as `{}`",
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
