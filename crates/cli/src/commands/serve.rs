//! `hangar serve`: the control plane over HTTP, until it is told to stop.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hangar_engine::Drives;
use serde::Serialize;

use super::drift::parse_every;
use super::simulator::parse_address;
use crate::aws::client::AwsClient;
use crate::aws::{Aws, AwsRate};
use crate::client::endpoint::BASE_PATH;
use crate::connection::{self, DATA_DIR_HELP, DATA_DIR_LONG_HELP, Environment};
use crate::control_plane::{self, Authentication, DEFAULT_WORKERS, Running, Settings, StartError};
use crate::embedded::data_dir::DataDir;
use crate::embedded::find::{PATIENCE, take_over};
use crate::embedded::server_file::Role;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::logging::{self, LogFormat, LogLevel};
use crate::printer::Printer;
use crate::session::explain;
use crate::session::interrupt::Interrupts;
use crate::store_at::StoreAt;
use crate::terraform_host::TerraformHost;

const STORE_HELP: &str = "Store of the control plane [env: HANGAR_STORE]";

const STORE_LONG_HELP: &str = "\
Store of the control plane: sqlite:FILE, or postgres://USER@HOST:PORT/DATABASE

Several servers can share a PostgreSQL database. Use the variable to keep a password off the command line.

[env: HANGAR_STORE] [default: hangar.db in the data directory]";

/// How the control plane is served.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on
    ///
    /// Only loopback addresses are allowed. Port 0 selects a free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7700", value_parser = parse_address)]
    listen: SocketAddr,
    #[arg(long, value_name = "DIR", help = DATA_DIR_HELP, long_help = DATA_DIR_LONG_HELP)]
    data_dir: Option<PathBuf>,
    #[arg(long, value_name = "STORE", help = STORE_HELP, long_help = STORE_LONG_HELP)]
    store: Option<String>,
    /// AWS to use: simulator, real or `http://HOST:PORT`
    ///
    /// [default: the AWS that the data directory was used with; for a new one `AWS_ENDPOINT_URL`,
    /// else `simulator`]
    #[arg(long, value_name = "AWS")]
    aws: Option<Aws>,
    /// Maximum AWS calls per second, or `off`
    ///
    /// The limit applies to each account and region, and to all replicas together.
    ///
    /// [default: 25 with `--aws real`, else `off`]
    #[arg(long, value_name = "N")]
    aws_rate: Option<AwsRate>,
    /// URL that clients use [default: the listen address]
    ///
    /// URLs in responses begin with it.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Path prefix
    ///
    /// The paths of all resources in the API begin with it.
    #[arg(long, value_name = "PATH", default_value = BASE_PATH)]
    base_path: String,
    /// File with the key of the store
    ///
    /// [default: key in the data directory, created at the first start]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Check for drift this often [default: no checks]
    ///
    /// The check is that of `hangar drift`, for all groups.
    #[arg(long, value_name = "TIME", value_parser = parse_every)]
    drift_every: Option<Duration>,
    /// Operations to run in parallel
    ///
    /// With 0, the server accepts requests and runs no operations; other replicas, or the next
    /// start, run them.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_WORKERS)]
    workers: usize,
    /// Disable authentication
    ///
    /// Any user and any web page of this machine can then call the API.
    #[arg(long)]
    insecure_no_auth: bool,
    /// Log format: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// Log level, from error to trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: LogLevel,
}

pub(crate) const DESCRIPTION: &str = "\
Commands with the same data directory use this server. Other commands use it with --server URL or
HANGAR_SERVER.

Servers with the same PostgreSQL database are replicas. Give each one its own data directory, the
key of the first one, and the same --public-url: the URL of the load balancer. docs/operations.md
describes replicas.

The first Ctrl-C stops the server, and open operations continue at the next start. The second
Ctrl-C exits at once.";

pub(crate) const EXAMPLES: &str = r#"Examples:
  hangar serve
  hangar serve --listen 127.0.0.1:0 --data-dir /var/lib/hangar --log-format json
  hangar serve --drift-every 1h
  hangar serve --store postgres://hangar@127.0.0.1/hangar \
    --key-file /etc/hangar/key --aws real

  # Call the API
  curl -H "Authorization: Bearer $(cat .hangar/token)" \
    http://127.0.0.1:7700/apis/api.ucp.dev/v1alpha3/planes"#;

/// What `-o json` prints, once, when calls are answered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready<'a> {
    url: String,
    base_path: &'a str,
    token_file: Option<PathBuf>,
    data_dir: &'a std::path::Path,
    aws: String,
    instance: &'a str,
    pid: u32,
}

pub(crate) fn run(
    args: &ServeArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let listen = args.listen;
    if !listen.ip().is_loopback() {
        return Err(StartError::NotLoopback { listen }.explain());
    }
    let dir = connection::data_dir(args.data_dir.as_ref(), environment);
    let store = StoreAt::chosen(args.store.as_ref(), environment)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)?;
    let outcome = runtime.block_on(async {
        // Listened for before anyone can know that there is something to stop.
        let mut interrupts = Interrupts::listen().map_err(anyhow::Error::from)?;
        let running = tokio::select! {
            started = start(args, environment, store, &dir) => started?,
            _ = interrupts.next() => return Ok(Exit::Success),
        };
        announce(args, &dir, &running, printer)?;
        interrupts.next().await;
        tracing::info!("stopping");
        tokio::select! {
            () = running.stop() => {}
            _ = interrupts.next() => {}
        }
        Ok(Exit::Success)
    });
    runtime.shutdown_background();
    outcome
}

async fn start(
    args: &ServeArgs,
    environment: &Environment,
    store: Option<StoreAt>,
    dir: &DataDir,
) -> Result<Running, Failure> {
    logging::start(args.log_format, args.log_level)?;
    let lock = take_over(dir, PATIENCE).await.map_err(|error| explain::not_found(dir, &error))?;
    let settings = Settings {
        dir: dir.clone(),
        lock,
        role: Role::Serve,
        listen: args.listen,
        store,
        key_file: args.key_file.clone(),
        aws: args.aws.clone(),
        aws_rate: args.aws_rate,
        public_url: args.public_url.clone(),
        base_path: args.base_path.clone(),
        drift_every: args.drift_every,
        drives: Drives::All,
        workers: args.workers,
        authentication: if args.insecure_no_auth {
            Authentication::None
        } else {
            Authentication::Token
        },
        terraform: TerraformHost::of(&environment.variables),
        aws_client: AwsClient::from_environment(&environment.variables)?,
        #[cfg(debug_assertions)]
        die_at: death_of(environment)?,
    };
    control_plane::start(settings).await.map_err(|error| error.explain())
}

/// The call at which the process is to die.
#[cfg(debug_assertions)]
fn death_of(
    environment: &Environment,
) -> Result<Option<std::sync::Arc<control_plane::die::Death>>, Failure> {
    let death = environment.die_at.as_deref().map(control_plane::die::Death::parse);
    match death.transpose() {
        Ok(death) => Ok(death.map(std::sync::Arc::new)),
        Err(why) => Err(StartError::Setup(why).explain()),
    }
}

fn announce(
    args: &ServeArgs,
    dir: &DataDir,
    running: &Running,
    printer: &mut Printer,
) -> Result<(), Failure> {
    match (control_plane::note_of(dir, running.aws()), args.log_format) {
        (Some(note), LogFormat::Text) => printer.note(&note),
        // Every line of the log is for programs.
        (Some(note), LogFormat::Json) => tracing::info!("{note}"),
        (None, _) => {}
    }
    let token_file = (!args.insecure_no_auth).then(|| dir.token());
    printer.show(
        || match &token_file {
            Some(path) => format!("hangar serves {} (token in {})", running.url(), path.display()),
            None => format!("hangar serves {} (no token required)", running.url()),
        },
        || Ready {
            url: running.url(),
            base_path: &args.base_path,
            token_file: token_file.clone(),
            data_dir: dir.path(),
            aws: running.aws().to_string(),
            instance: running.instance(),
            pid: std::process::id(),
        },
    )
}
