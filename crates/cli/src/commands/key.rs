//! `hangar key`: the root key that everything secret in a store is sealed with.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hangar_diag::Diagnostic;
use hangar_store::keys::{KeyError, Keys, Rotated};
use hangar_store::postgres::{Options, Postgres};
use hangar_store::sqlite::Sqlite;
use serde_json::json;

use super::exclusive::take_lock;
use crate::codes;
use crate::connection::{DATA_DIR_HELP, DATA_DIR_LONG_HELP, Environment, data_dir};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::counted;
use crate::store_at::StoreAt;

const STORE_HELP: &str = "Store of the control plane [env: HANGAR_STORE]";

const STORE_LONG_HELP: &str = "\
Store of the control plane: FILE, sqlite:FILE or postgres://USER@HOST:PORT/DATABASE

[env: HANGAR_STORE] [default: hangar.db in the data directory]";

/// What to do with the key.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[arg(long, global = true, value_name = "DIR", help = DATA_DIR_HELP, long_help = DATA_DIR_LONG_HELP)]
    data_dir: Option<PathBuf>,
    // Constants, because a doc comment would need backticks around the names of variables.
    #[arg(long, global = true, value_name = "STORE", help = STORE_HELP, long_help = STORE_LONG_HELP)]
    store: Option<String>,
    /// File with the key
    ///
    /// [default: key in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    key_file: Option<PathBuf>,
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Replace the key and encrypt with the new one
    #[command(long_about = ROTATE_DESCRIPTION, after_long_help = ROTATE_EXAMPLES)]
    Rotate,
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar key rotate --data-dir /var/lib/hangar";

const ROTATE_DESCRIPTION: &str = "\
Stop all servers first, and give the new key file to every replica. The command fails while a
server uses the store. It cannot detect a replica that has just lost its connection to the
database.

The old keys stay in the key file, after the new one, so that older backups and stored hashes can
still be read. The API token does not change. If a rotation is interrupted, run the command again
to finish it.";

const ROTATE_EXAMPLES: &str = "Examples:
  hangar key rotate --data-dir /var/lib/hangar";

pub(crate) fn run(
    args: &KeyArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let dir = data_dir(args.data_dir.as_ref(), environment);
    // Just a file is meant as one.
    let named =
        |text: &String| if text.contains(':') { text.clone() } else { format!("sqlite:{text}") };
    let typed = args.store.as_ref().map(named);
    let store = StoreAt::chosen(typed.as_ref(), environment)?
        .unwrap_or_else(|| StoreAt::Sqlite(dir.store()));
    let key = args.key_file.clone().unwrap_or_else(|| dir.key());
    match args.command {
        KeyCommand::Rotate => {
            if let StoreAt::Sqlite(path) = &store
                && !path.exists()
            {
                let message = format!("no store exists at {store}");
                let mistake = Diagnostic::error(codes::STORE, message);
                return Err(mistake.hint("pass the data directory with --data-dir").into());
            }
            // A server has the old key in memory, and would go on sealing with it.
            let _lock = take_lock(&dir, "stop it, rotate the key, and start it again")?;
            let rotated = rotate(&store, &key)?;
            let (id, count) = (rotated.keys.id().to_owned(), rotated.credentials);
            let answer = json!({"key": id, "credentials": count});
            let said = || {
                format!(
                    "the key is now {id}; encrypted {} with it; back up {}",
                    counted(count, "credential"),
                    key.display()
                )
            };
            printer.show(said, || &answer)?;
            Ok(Exit::Success)
        }
    }
}

fn rotate(store: &StoreAt, key: &std::path::Path) -> Result<Rotated, Failure> {
    let failed = |code, message: String| Failure::from(Diagnostic::error(code, message));
    let unopened = |error: hangar_store::StoreError| {
        failed(codes::STORE, format!("cannot open {store}: {error}"))
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(codes::SERVER_SETUP, error.to_string()))?;
    let rotated = runtime.block_on(async {
        match store {
            StoreAt::Sqlite(path) => {
                let opened = Sqlite::open(path).map_err(unopened)?;
                Ok::<_, Failure>(Keys::rotate(&opened, key).await)
            }
            StoreAt::Postgres(url) => {
                let opened =
                    Postgres::connect_alone(url, Options::default()).await.map_err(unopened)?;
                Ok::<_, Failure>(Keys::rotate(&opened, key).await)
            }
        }
    })?;
    rotated.map_err(|error| match error {
        KeyError::Store(error) => failed(codes::STORE, error.to_string()),
        error => {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            failed(codes::KEY, format!("{error}{}", cause.unwrap_or_default()))
        }
    })
}
