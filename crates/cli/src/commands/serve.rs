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
use crate::connection::{self, DATA_DIR_HELP, Environment};
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

const STORE_HELP: &str = "The store: sqlite:FILE, or postgres://USER@HOST:PORT/DATABASE, which several servers \
                          share; the variable keeps a password off the command line [env: HANGAR_STORE] \
                          [default: hangar.db in the data directory]";

/// How the control plane is served.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Where to listen, on this machine only; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7700", value_parser = parse_address)]
    listen: SocketAddr,
    #[arg(long, value_name = "DIR", help = DATA_DIR_HELP)]
    data_dir: Option<PathBuf>,
    #[arg(long, value_name = "STORE", help = STORE_HELP)]
    store: Option<String>,
    /// The AWS of the data directory: `simulator`, `real` or `http://HOST:PORT` [default: what it was
    /// used with before, at first `simulator`]
    #[arg(long, value_name = "AWS")]
    aws: Option<Aws>,
    /// Calls a second that AWS gets in each account and region, from all replicas together, or `off`
    /// [default: 25 on AWS itself, off elsewhere]
    #[arg(long, value_name = "N")]
    aws_rate: Option<AwsRate>,
    /// What URLs in answers begin with [default: the address that it listens on]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// What comes before the path of every resource
    #[arg(long, value_name = "PATH", default_value = BASE_PATH)]
    base_path: String,
    /// The root key [default: key in the data directory, made at the first start]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Look at every resource of every group this often, as `hangar drift` does; never if not said
    #[arg(long, value_name = "TIME", value_parser = parse_every)]
    drift_every: Option<Duration>,
    /// Operations that are driven at once; 0 accepts and answers only, and leaves all that is accepted
    /// to a replica that drives, or to the next start
    #[arg(long, value_name = "N", default_value_t = DEFAULT_WORKERS)]
    workers: usize,
    /// Answer whoever asks, without a token: every user and web page of this machine may
    #[arg(long)]
    insecure_no_auth: bool,
    /// How log lines look
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// How much is logged
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: LogLevel,
}

pub(crate) const EXAMPLES: &str = r#"Examples:
  hangar serve
  hangar serve --listen 127.0.0.1:0 --data-dir /var/lib/hangar --log-format json
  hangar serve --drift-every 1h
  hangar serve --store postgres://hangar@127.0.0.1/hangar \
    --key-file /etc/hangar/key --aws real
  curl -H "Authorization: Bearer $(cat .hangar/token)" \
    http://127.0.0.1:7700/apis/api.ucp.dev/v1alpha3/planes/radius/local/resourceGroups

Commands with the same data directory use this server; others with --server URL or HANGAR_SERVER.
Servers with the same PostgreSQL database are replicas: give each a data directory of its own, the key of the
first one, and one --public-url, that of the balancer before them.
Stop it with Ctrl-C: what is open goes on with the next start. Ctrl-C again does not wait."#;

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
