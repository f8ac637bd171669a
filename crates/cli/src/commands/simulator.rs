//! `hangar simulator`: a local AWS endpoint until it is told to stop, and stacks in one.

pub(crate) mod assembly;
mod deploy;
mod plan;
mod rows;
mod stack;
mod stacks;
mod target;

use std::collections::HashMap;
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use hangar_diag::Diagnostic;
use hangar_simulator::core::fault::Fault;
use hangar_simulator::core::habits::added::AddedHabits;
use hangar_simulator::core::settings::{ArrayOrder, EmptyPatch, Fidelity, ListDetail, Settings};
use hangar_simulator::core::time::{SpanRange, parse_span};
use hangar_simulator::journal::JournalError;
use hangar_simulator::server::{self, Exposure, Options, Running, Signatures, StartError};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::signal::unix::{SignalKind, signal};

use crate::codes;
use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::Inputs;
use crate::printer::Printer;

/// How the simulator runs, or what is done with one that does.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SimulatorArgs {
    #[command(subcommand)]
    command: Option<SimulatorCommand>,
    /// Address to listen on
    ///
    /// Port 0 selects a free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4566", value_parser = parse_address)]
    listen: SocketAddr,
    /// File for the state [default: in memory]
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Duration of writes
    ///
    /// A duration such as `500ms`, or a range. With `0..0`, a write ends by the next call.
    #[arg(long, value_name = "MIN..MAX", default_value = "200ms..1s", allow_hyphen_values = true)]
    latency: SpanRange,
    /// Delay until reads see a write
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse_span)]
    read_delay: Duration,
    /// Calls per second and account and region
    ///
    /// [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_hyphen_values = true)]
    rate: Option<u32>,
    /// Seed of random values
    ///
    /// The same seed and calls give the same responses.
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    seed: u64,
    /// Page size of `ListResources`
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    page_size: u16,
    /// Empty patches: hangs, succeeds
    ///
    /// The result of an update with an empty patch. On AWS it stays in PENDING.
    #[arg(long, value_name = "HOW", default_value = "hangs")]
    empty_patch: EmptyPatchArg,
    /// Array order: shuffled, kept
    ///
    /// The order of arrays in responses, for arrays whose order has no meaning.
    #[arg(long, value_name = "HOW", default_value = "shuffled")]
    array_order: ArrayOrderArg,
    /// Fidelity of reads: aws, plain
    ///
    /// With `aws`, reads differ from writes as on AWS: services fill in defaults, reorder, respell
    /// and add elements. With `plain`, reads return what was written, with the defaults of the
    /// schema.
    #[arg(long, value_name = "HOW", default_value = "aws")]
    fidelity: FidelityArg,
    /// File with habits of more types
    ///
    /// How services change what was written, one line each: type, JSON pointer, habit and value,
    /// separated by tabs. docs/simulator.md lists the habits.
    #[arg(long, value_name = "FILE", value_parser = read_habits)]
    habits: Option<AddedHabits>,
    /// Detail of `ListResources`
    ///
    /// The properties of each resource in a list.
    #[arg(long, value_name = "WHAT", default_value = "identifiers")]
    list_detail: ListDetailArg,
    /// Reject calls with a wrong signature
    ///
    /// The secret of every access key is `simulator`, unless --credential lists keys.
    #[arg(long)]
    verify_signatures: bool,
    /// Access key and its secret (repeatable)
    ///
    /// Other keys are then rejected.
    #[arg(long, value_name = "ID:SECRET", requires = "verify_signatures", value_parser = parse_credential)]
    credential: Vec<(String, String)>,
    /// Fault, as JSON or `key=value,…` (repeatable)
    ///
    /// docs/simulator.md lists the faults.
    #[arg(long, value_name = "FAULT", value_parser = parse_fault)]
    fault: Vec<Fault>,
    /// Allow an address that other machines can reach
    ///
    /// There is no access control.
    #[arg(long)]
    allow_remote: bool,
}

/// What is done with a simulator that runs.
#[derive(Debug, Subcommand)]
enum SimulatorCommand {
    /// Deploy CloudFormation templates or a CDK assembly
    #[command(long_about = deploy::DESCRIPTION, after_long_help = deploy::EXAMPLES)]
    Deploy(Box<deploy::DeployArgs>),
    /// List the stacks of an account and region
    #[command(long_about = stacks::DESCRIPTION, after_long_help = stacks::EXAMPLES)]
    Stacks(stacks::StacksArgs),
    /// Delete stacks and their resources
    #[command(long_about = stacks::UNDEPLOY_DESCRIPTION, after_long_help = stacks::UNDEPLOY_EXAMPLES)]
    Undeploy(stacks::UndeployArgs),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EmptyPatchArg {
    /// Stays in PENDING
    Hangs,
    /// Ends like any other update
    Succeeds,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ArrayOrderArg {
    /// In another order than they were sent
    Shuffled,
    /// In the order that they were sent
    Kept,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FidelityArg {
    /// As AWS's services change it
    Aws,
    /// As it was written
    Plain,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ListDetailArg {
    /// Only the properties of the identifier
    Identifiers,
    /// All properties that a read returns
    Full,
}

pub(crate) const DESCRIPTION: &str = "\
Without a subcommand, runs a simulator of AWS until Ctrl-C: Cloud Control for all types of the
catalog, stacks of CloudFormation, and STS. The subcommands deploy stacks to a running simulator.

Any access key and secret are accepted. An access key of 1 to 12 digits is the account; other keys
use the account 000000000000. GET /_simulator/ lists the control requests. docs/simulator.md
describes the simulator.";

pub(crate) const EXAMPLES: &str = r#"Examples:
  hangar simulator --state simulator.db
  hangar simulator --listen 127.0.0.1:0 --latency 0..0 -o json
  hangar simulator --fault 'operation=CreateResource,nth=2,effect=drop-reply'

  # In another terminal
  aws --endpoint-url http://127.0.0.1:4566 cloudcontrol create-resource \
    --type-name AWS::Logs::LogGroup --desired-state '{"LogGroupName": "logs"}'
  curl http://127.0.0.1:4566/_simulator/resources
  hangar simulator deploy cdk.out"#;

/// An address and a port; `localhost` is one too.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:");
    let text = port.map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    let hint = "write an address and a port, such as 127.0.0.1:4566 or [::1]:0";
    text.parse().map_err(|_| hint.to_owned())
}

/// A name and a value, which may hold anything.
pub(crate) fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE, as in Size=2".to_owned()),
    }
}

fn parse_credential(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((id, secret)) if !id.is_empty() && !secret.is_empty() => {
            Ok((id.to_owned(), secret.to_owned()))
        }
        _ => Err("write the access key and its secret with a colon between them".to_owned()),
    }
}

/// A fault as JSON, or as `effect=drop-reply,operation=CreateResource,nth=2`.
fn parse_fault(text: &str) -> Result<Fault, String> {
    let document: Value = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(|error| error.to_string())?
    } else {
        let mut members = Map::new();
        for pair in text.split(',') {
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| format!("`{pair}` is not a `key=value` pair"))?;
            let value = match (name.trim(), value.trim()) {
                ("nth" | "times" | "millis", number) => {
                    number.parse::<u64>().map_or_else(|_| number.into(), Value::from)
                }
                ("withIdentifier", flag @ ("true" | "false")) => (flag == "true").into(),
                (_, value) => value.into(),
            };
            members.insert(name.trim().to_owned(), value);
        }
        Value::Object(members)
    };
    serde_json::from_value(document).map_err(|error| error.to_string())
}

/// What `-o json` prints, once, when calls are answered.
#[derive(Serialize)]
struct Ready {
    url: String,
    state: Option<PathBuf>,
    pid: u32,
}

pub(crate) fn run(
    args: &SimulatorArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)?;
    match &args.command {
        None => serve(args, &runtime, printer),
        Some(SimulatorCommand::Deploy(args)) => {
            runtime.block_on(deploy::run(args, environment, printer, inputs))
        }
        Some(SimulatorCommand::Stacks(args)) => {
            runtime.block_on(stacks::run(args, environment, printer))
        }
        Some(SimulatorCommand::Undeploy(args)) => {
            runtime.block_on(stacks::undeploy(args, environment, printer))
        }
    }
}

/// Runs a simulator until it is told to stop.
fn serve(
    args: &SimulatorArgs,
    runtime: &tokio::runtime::Runtime,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    runtime.block_on(async {
        // Listened for before anyone can know that there is something to stop.
        let mut interrupt = signal(SignalKind::interrupt()).map_err(anyhow::Error::from)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(anyhow::Error::from)?;
        let running = server::start(options(args)).await.map_err(|error| explain(&error))?;
        warn_of_a_cut(args, &running, printer);
        // Now, and not when it stops: it may run for days.
        printer.finish();
        announce(args, &running, printer)?;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        running.stop().await.map_err(|error| Failure::from(explain_state(&error)))
    })?;
    Ok(Exit::Success)
}

fn read_habits(path: &str) -> Result<AddedHabits, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read it: {error}"))?;
    AddedHabits::read(&text).map_err(|error| error.to_string())
}

fn options(args: &SimulatorArgs) -> Options {
    let credentials: HashMap<String, String> = args.credential.iter().cloned().collect();
    let settings = Settings {
        seed: args.seed,
        latency: args.latency,
        read_delay: args.read_delay,
        rate: args.rate,
        page_size: args.page_size,
        empty_patch: match args.empty_patch {
            EmptyPatchArg::Hangs => EmptyPatch::Hangs,
            EmptyPatchArg::Succeeds => EmptyPatch::Succeeds,
        },
        array_order: match args.array_order {
            ArrayOrderArg::Shuffled => ArrayOrder::Shuffled,
            ArrayOrderArg::Kept => ArrayOrder::Kept,
        },
        fidelity: match args.fidelity {
            FidelityArg::Aws => Fidelity::Aws,
            FidelityArg::Plain => Fidelity::Plain,
        },
        habits: args.habits.clone().unwrap_or_default(),
        list_detail: match args.list_detail {
            ListDetailArg::Identifiers => ListDetail::Identifiers,
            ListDetailArg::Full => ListDetail::Full,
        },
    };
    Options {
        listen: args.listen,
        exposure: if args.allow_remote { Exposure::Anyone } else { Exposure::Loopback },
        state: args.state.clone(),
        settings,
        signatures: if args.verify_signatures {
            Signatures::Verified(credentials)
        } else {
            Signatures::Read
        },
        faults: args.fault.clone(),
    }
}

fn announce(args: &SimulatorArgs, running: &Running, printer: &mut Printer) -> Result<(), Failure> {
    let url = running.url();
    printer.show(
        || {
            let state = match &args.state {
                Some(path) => format!("state       {}", path.display()),
                None => "state       in memory; pass --state FILE to keep it".to_owned(),
            };
            format!(
                "hangar simulator, a local AWS\n\
                 endpoint    {url}\n\
                 {state}\n\
                 latency     {}\n\
                 try         aws --endpoint-url {url} cloudcontrol list-resources --type-name AWS::EC2::VPC\n\
                 control     {url}/_simulator/\n\
                 Ctrl-C stops it.",
                args.latency
            )
        },
        || Ready { url: url.clone(), state: args.state.clone(), pid: std::process::id() },
    )
}

/// A write that a crash cut off was never answered; a file that was cut by hand is another thing.
fn warn_of_a_cut(args: &SimulatorArgs, running: &Running, printer: &mut Printer) {
    let (dropped, Some(path)) = (running.dropped(), &args.state) else { return };
    if dropped == 0 {
        return;
    }
    let path = path.display();
    let message = format!("removed {dropped} bytes of an unfinished write from the end of {path}");
    let diagnostic = Diagnostic::warning(codes::SIMULATOR_STATE_CUT, message)
        .hint("a crash loses no answered call; if the file was copied or truncated, restore it");
    printer.warn(&[Report { source: None, diagnostics: vec![diagnostic] }]);
}

/// What a person is told of a simulator that does not start.
pub(crate) fn explain(error: &StartError) -> Failure {
    let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    let diagnostic = match error {
        StartError::NotLoopback { listen } => {
            Diagnostic::error(codes::SIMULATOR_EXPOSED, error.to_string())
                .hint(format!(
                    "listen on 127.0.0.1:{}, which only this machine reaches",
                    listen.port()
                ))
                .hint("or pass --allow-remote; the simulator has no access control")
        }
        StartError::Listen { listen, .. } => Diagnostic::error(
            codes::SIMULATOR_ADDRESS,
            format!("{error}{cause}"),
        )
        .hint(format!("another simulator may be running there; try --listen {}:0", listen.ip())),
        StartError::State(error) => explain_state(error),
    };
    diagnostic.into()
}

pub(crate) fn explain_state(error: &JournalError) -> Diagnostic {
    let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    let message = format!("{error}{cause}");
    match error {
        JournalError::Io { .. } => Diagnostic::error(codes::SIMULATOR_STATE, message)
            .hint("check the folder, its permissions and the free disk space"),
        JournalError::InUse { .. } => Diagnostic::error(codes::SIMULATOR_STATE_IN_USE, message)
            .hint("stop the simulator that uses it, or choose another file"),
        JournalError::NotAStateFile { .. } => {
            Diagnostic::error(codes::SIMULATOR_STATE_FOREIGN, message)
                .hint("choose a file that a simulator wrote, or a file that does not exist yet")
        }
        JournalError::OtherVersion { .. } => {
            Diagnostic::error(codes::SIMULATOR_STATE_FOREIGN, message)
                .hint("choose another file, or use the version of Hangar that wrote it")
        }
        JournalError::Damaged { .. } => Diagnostic::error(codes::SIMULATOR_STATE_DAMAGED, message)
            .hint(
                "nothing was changed; restore the file from a copy, or move it away to start with an empty simulator",
            ),
    }
}
