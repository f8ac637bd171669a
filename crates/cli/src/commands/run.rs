//! `hangar run -- COMMAND`: a synthesis of cdk8s apps in which tokens of the AWS CDK and CDKTF become references, or
//! values; the app is not changed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use hangar_diag::Diagnostic;

use super::resolve::report::{self, Resolution};
use crate::codes;
use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::{Inputs, Source};
use crate::printer::Printer;
use crate::render::counted;
use crate::resolve::how::HowArgs;
use crate::resolve::manifests::Manifests;
use crate::resolve::whole::{self, LockScope};
use crate::run::child::{self, Ended, Prints, Timing};
use crate::run::held::{Held, HeldFrom};
use crate::run::hook::{Hook, Mode};
use crate::run::leftovers::{self, Unwanted};
use crate::run::raw;
use crate::run::synthesized::Synthesized;

/// What is run, and what becomes of its manifests.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Resolve the manifests after the command has ended
    ///
    /// All of its manifests are resolved, or none.
    #[arg(long)]
    resolve: bool,
    /// Resolve while the app runs
    ///
    /// The app writes the values itself.
    #[arg(long, conflicts_with = "resolve")]
    eager: bool,
    /// Folder for the resolved manifests
    ///
    /// The manifests of the app keep their references. Without it, --resolve writes into the
    /// manifests of the app.
    #[arg(long, value_name = "DIR", requires = "resolve", conflicts_with = "eager")]
    out: Option<PathBuf>,
    #[command(flatten)]
    how: HowArgs,
    /// Command that synthesizes, such as `cdk8s synth`
    ///
    /// For example `node main.js`, `npx ts-node main.ts` or `python app.py`.
    #[arg(value_name = "COMMAND", help_heading = None::<&str>, required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// How messages name the output of the command.
const STDOUT: &str = "stdout.yaml";

pub(crate) const DESCRIPTION: &str = "\
Tokens of aws-cdk-lib, cdktf and cdktn in the manifests of the app become references such as
${cfn:STACK/LOGICAL-ID#ATTRIBUTE}. The app needs no change and no declared outputs. `hangar
resolve` replaces the references with values after the stacks were deployed; --resolve and --eager
do it at once.

If a token cannot become a reference, the command prints its object, JSON pointer and construct,
and no manifest is written. docs/cdk8s.md describes all of this.

With -o json, the output of the command goes to standard error, and --resolve prints the same
document as `hangar resolve -o json`.";

pub(crate) const EXAMPLES: &str = "Examples:
  # Write references, and resolve them later
  hangar run -- cdk8s synth
  hangar resolve -f dist/ --out resolved/

  # Write values
  hangar run --resolve -- cdk8s synth
  hangar run --resolve --out resolved/ -- npx ts-node main.ts
  hangar run --resolve --state storage=storage.tfstate -- node main.js
  hangar run --resolve -- cdk8s synth --stdout | kubectl apply -f -
  hangar run --eager -- python app.py

Exit codes:
  1  a value cannot be found, or a token cannot become a reference
  N  otherwise, the exit code of the command";

pub(crate) fn run(
    args: &RunArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let flags = args.how.flags();
    if !args.resolve && !args.eager && !flags.is_empty() {
        let message = format!("`{}` requires --resolve or --eager", flags.join(" "));
        return Err(Diagnostic::error(codes::USAGE, message)
            .hint("add one of them; write flags of the command itself after `--`")
            .into());
    }
    let hook = Hook::write().map_err(|error| unready(&error))?;
    let program = std::env::current_exe().map_err(|error| unready(&error))?;
    // Which mode it is where neither flag is given, the environment may say.
    let mode = match (args.eager, args.resolve) {
        (true, _) => Some(Mode::Eager),
        (_, true) => Some(Mode::Resolve),
        _ => environment.variables.get("HANGAR_MODE").is_none().then_some(Mode::Defer),
    };
    let node_options = environment.variables.get("NODE_OPTIONS");
    let variables = hook.variables(&program, mode, &flags, node_options);
    let prints = if printer.is_for_programs() { Prints::Aside } else { Prints::Here };
    let timing = match (args.resolve, prints) {
        (true, _) => Timing::ManifestsHeld(HeldFrom::AnyYaml),
        // Without a terminal, the output is for another program, such as kubectl.
        (_, Prints::Here) if !io::stdout().is_terminal() => Timing::ManifestsHeld(HeldFrom::Object),
        _ => Timing::AtOnce,
    };
    let since = SystemTime::now();
    let Ended { code, was_stopped, held } = child::run(&args.command, &variables, prints, timing)
        .map_err(|error| not_started(&args.command, &error))?;
    let printed = match held {
        Held::Plain(bytes) => {
            child::print(&bytes, prints)?;
            None
        }
        held => Some(held),
    };
    if code != 0 || was_stopped {
        if printed.is_some() {
            printer.note(
                "the command failed; its output contains references or tokens and is not printed",
            );
        }
        return Ok(Exit::Of(if code == 0 { 130 } else { code }));
    }
    let mut printed = printed.map(printed_manifest).transpose()?;
    if let Some(source) = printed.take_if(|_| !args.resolve) {
        if !args.how.allow_unresolved {
            refuse_tokens(&source)?;
        }
        child::print(source.text.as_bytes(), prints)?;
    }
    let synthesized = hook.synthesized().map_err(|error| unready(&error))?;
    let unwanted = match (args.resolve, args.how.allow_unresolved) {
        (true, false) => Some(Unwanted::TokensAndReferences),
        (true, true) => Some(Unwanted::References),
        (false, false) => Some(Unwanted::Tokens),
        (false, true) => None,
    };
    if let Some(unwanted) = unwanted {
        check_leftovers(&synthesized, since, unwanted)?;
    }
    finish(args, &synthesized, printed, environment, printer, inputs)
}

/// The manifest that a command printed.
fn printed_manifest(held: Held) -> Result<Source, Failure> {
    let why = match held {
        Held::Manifest(text) => return Ok(Source { name: Some(STDOUT.to_owned()), text }),
        Held::Plain(_) | Held::NotText => "it is not UTF-8",
        Held::TooLong => "it is longer than 64 MiB",
    };
    let message = format!("the manifests that the command printed cannot be resolved: {why}");
    let hint = "make the command write its manifests to files";
    Err(Diagnostic::error(codes::NOT_SYNTHESIZED, message).hint(hint).into())
}

/// Refuses a printed manifest with raw tokens where a reader of YAML would see them.
fn refuse_tokens(source: &Source) -> Result<(), Failure> {
    let tokens = raw::tokens_in(&source.text);
    if tokens.is_empty() {
        return Ok(());
    }
    let hint = "the output of the command is not printed; print App.synthYaml, or write files with App.synth";
    Err(Failure::in_source(source.clone(), tokens).hint(hint.to_owned()))
}

/// Fails if the command left manifests that nothing will resolve.
fn check_leftovers(
    synthesized: &Synthesized,
    since: SystemTime,
    unwanted: Unwanted,
) -> Result<(), Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    let known = synthesized.files().map(|it| it.canonicalize().unwrap_or_else(|_| it.to_owned()));
    let reports: Vec<Report> = leftovers::left_in(&here, since, &known.collect(), unwanted);
    if reports.is_empty() { Ok(()) } else { Err(Failure::Reported(reports)) }
}

/// What comes after a command that ended well.
fn finish(
    args: &RunArgs,
    synthesized: &Synthesized,
    printed: Option<Source>,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    if synthesized.is_empty() {
        let message = "the command synthesized no cdk8s app";
        let hint = "it must run Node.js with cdk8s and keep NODE_OPTIONS; apps that are bundled into one file are \
            not detected";
        if args.resolve || args.eager {
            return Err(Diagnostic::error(codes::NOT_SYNTHESIZED, message).hint(hint).into());
        }
        printer.note(&format!("{message}: {hint}"));
        return Ok(Exit::Success);
    }
    let here = std::env::current_dir().unwrap_or_default();
    let files = match &args.out {
        Some(_) => synthesized.all_manifests(&here),
        None => synthesized.manifests(&here),
    };
    if args.resolve {
        return resolve(args, synthesized, &files, printed, environment, printer, inputs);
    }
    if !files.is_empty() && files.iter().all(|(path, _)| path.exists()) {
        let names: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        printer.note(&format!(
            "{} with references; `hangar resolve -f {}` replaces them with values",
            counted(files.len(), "manifest"),
            names.join(" ")
        ));
    }
    Ok(Exit::Success)
}

/// Puts the values into the manifests that were written, and into those that were printed.
fn resolve(
    args: &RunArgs,
    synthesized: &Synthesized,
    files: &[(PathBuf, PathBuf)],
    printed: Option<Source>,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let (present, gone): (Vec<_>, Vec<_>) =
        files.iter().cloned().partition(|(path, _)| path.exists());
    // `cdk8s synth --stdout` writes files, prints them and removes them.
    if let Some((gone, _)) = gone.first()
        && (printed.is_none() || args.out.is_some())
    {
        let message = format!("`{}` was written and deleted again", gone.display());
        let hint = "make the command keep its manifests, or print them and omit --out";
        return Err(Diagnostic::error(codes::NOT_SYNTHESIZED, message).hint(hint).into());
    }
    if synthesized.has_returned_references() && printed.is_none() {
        let message = "the app got references as text or JSON (App.synthYaml, toJson), and did not print them";
        let hint = "write the manifests with App.synth, or use `hangar run --eager`";
        return Err(Diagnostic::error(codes::NOT_SYNTHESIZED, message).hint(hint).into());
    }
    let is_printed = printed.is_some();
    let manifests = Manifests::read_each(&present, inputs)?;
    let manifests = match printed {
        Some(source) => manifests.with_text(source),
        None => manifests,
    };
    let asked = whole::ask(&manifests, &args.how, environment, printer, inputs);
    let scope = if synthesized.has_returned_values() { LockScope::Part } else { LockScope::All };
    let whole =
        asked.and_then(|asked| asked.whole(&args.how, scope, printer)).map_err(|failure| {
            let hint = if present.is_empty() {
                "the output of the command contains references or tokens and is not printed"
            } else {
                "the manifests of the app still contain references; do not apply them"
            };
            failure.hint(hint.to_owned())
        })?;
    let written = if let Some(dir) = &args.out {
        manifests.write(&whole.texts[..present.len()], dir)?
    } else {
        let paths: Vec<PathBuf> = present.iter().map(|(path, _)| path.clone()).collect();
        manifests.write_to(&whole.texts[..present.len()], &paths)?;
        for audit in synthesized.audits() {
            // Who applies the folder would have it taken for a manifest.
            let _ = std::fs::remove_file(audit);
        }
        paths
    };
    let count = whole.uses.iter().map(|it| &it.reference).collect::<BTreeSet<_>>().len();
    if printer.is_for_programs() {
        printer.show(String::new, || Resolution::of(&manifests, &whole))?;
    } else {
        if is_printed && let Some(text) = whole.texts.last() {
            printer.bytes(text.as_bytes())?;
        }
        // Standard output is the command's.
        for line in report::written(&written, &whole.drafts, count).lines() {
            printer.note(line);
        }
    }
    Ok(Exit::Success)
}

fn unready(error: &io::Error) -> Failure {
    let message = format!("cannot set up the hook for cdk8s: {error}");
    let hint = "check that the folder for temporary files is writable (TMPDIR)";
    Diagnostic::error(codes::NOT_STARTED, message).hint(hint).into()
}

fn not_started(command: &[OsString], error: &io::Error) -> Failure {
    let program = command.first().map(|it| it.to_string_lossy()).unwrap_or_default();
    let message = format!("cannot start `{program}`: {error}");
    let hint = match error.kind() {
        io::ErrorKind::NotFound => {
            "check that it is on the PATH; for a program that npm installed in this folder, write `npx` before it"
        }
        _ => "check that it is executable",
    };
    Diagnostic::error(codes::NOT_STARTED, message).hint(hint).into()
}
