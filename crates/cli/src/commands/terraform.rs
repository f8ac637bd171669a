//! `hangar terraform`: what Terraform made, by the names that the control plane understands.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use hangar_diag::{Code, Diagnostic, Span};
use hangar_ids::{AccountId, Region};
use hangar_manifest::output_resources::{Ask, Report as Ids, Reported, ReportedWarning, report};
use hangar_manifest::state::{self, StateError, codes};

use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::{Inputs, Source};
use crate::printer::Printer;
use crate::render::table::Table;

/// What to do with what Terraform made.
#[derive(Debug, Subcommand)]
pub(crate) enum TerraformCommand {
    /// Print the resource ids and identifiers in a state
    #[command(after_long_help = IDS_EXAMPLES)]
    Ids(IdsArgs),
}

/// Whose ids, and what is known beside the state.
#[derive(Debug, Args)]
pub(crate) struct IdsArgs {
    /// State file, or `-` for stdin
    ///
    /// The output of `terraform state pull` or `terraform show -json` is accepted too.
    file: PathBuf,
    /// Account to use if an ARN has none
    ///
    /// ARNs of S3, Route 53 and API Gateway have no account.
    #[arg(long, value_name = "ACCOUNT")]
    aws_account: Option<String>,
    /// Region for global resources
    ///
    /// Resources of IAM and Route 53 are read through this region.
    #[arg(long, value_name = "REGION")]
    aws_region: Option<String>,
    /// Include proposed ids of other providers
    ///
    /// These are azapi, awscc, kubectl and Helm.
    #[arg(long)]
    all_providers: bool,
}

pub(crate) const EXAMPLES: &str = "Examples:
  terraform state pull | hangar terraform ids -";

const IDS_EXAMPLES: &str = "Examples:
  hangar terraform ids terraform.tfstate --aws-account 123456789012
  terraform state pull | hangar terraform ids - -o json
  terraform show -json | hangar terraform ids - --all-providers \\
    --aws-account 123456789012 --aws-region us-east-1";

pub(crate) fn run(
    command: &TerraformCommand,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    match command {
        TerraformCommand::Ids(args) => ids(args, printer, inputs),
    }
}

fn ids(args: &IdsArgs, printer: &mut Printer, inputs: &mut Inputs) -> Result<Exit, Failure> {
    let wrong =
        |text: &str, mistake: Diagnostic| Failure::in_source(Source::argument(text), vec![mistake]);
    if let Some(account) = &args.aws_account {
        AccountId::parse(account).map_err(|mistake| wrong(account, mistake))?;
    }
    if let Some(region) = &args.aws_region {
        Region::parse(region).map_err(|mistake| wrong(region, mistake))?;
    }
    let (name, bytes) = inputs.read_bytes(&args.file)?;
    let state = state::read(&bytes).map_err(|error| unreadable(name, &bytes, &error))?;
    let ids = report(
        &state,
        &Ask {
            aws_account: args.aws_account.as_deref(),
            aws_region: args.aws_region.as_deref(),
            all_providers: args.all_providers,
            declared: &[],
        },
    );
    // Programs find them in the result.
    if !printer.is_for_programs() && !ids.warnings.is_empty() {
        printer.warn(&[Report { source: None, diagnostics: warnings(&ids) }]);
    }
    printer.show(|| described(&ids, args), || &ids)?;
    Ok(Exit::Success)
}

/// A state holds secrets in clear text: a place in it is told, and no line of it is shown.
fn unreadable(name: String, bytes: &[u8], error: &StateError) -> Failure {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    let all = Span::new(0, text.len());
    let source = Source { name: Some(name), text }.masked([all]);
    Failure::in_source(source, vec![error.diagnostic()])
}

/// The warnings as diagnostics, each with the address that it is about.
fn warnings(ids: &Ids) -> Vec<Diagnostic> {
    let one = |warning: &ReportedWarning| {
        let message = match &warning.address {
            Some(address) => format!("{address}: {}", warning.message),
            None => warning.message.clone(),
        };
        let found = Diagnostic::warning(Code::new(warning.code), message);
        match warning.code {
            code if code == codes::NO_ACCOUNT.as_str() => {
                found.hint("pass the account of the environment with `--aws-account`")
            }
            _ => found,
        }
    };
    ids.warnings.iter().map(one).collect()
}

/// The answer for people: what has an id, then what has none and why.
fn described(ids: &Ids, args: &IdsArgs) -> String {
    let mut with = Table::new(["ID", "ADDRESS", "CLOUD CONTROL"]);
    let mut without = Table::new(["NO ID", "REASON"]);
    let (mut has_ids, mut lacks_ids) = (false, false);
    for instance in &ids.instances {
        let beyond = instance.beyond_id.as_ref().filter(|_| args.all_providers);
        if let Some(id) = instance.id.as_ref().or(beyond) {
            with.row([id.as_str(), &noted(instance), &linked(instance)]);
            has_ids = true;
        } else {
            without.row([noted(instance).as_str(), instance.reason.as_deref().unwrap_or_default()]);
            lacks_ids = true;
        }
    }
    let mut text = String::new();
    if has_ids {
        let _ = writeln!(text, "{with}");
    }
    if has_ids && lacks_ids {
        text.push('\n');
    }
    if lacks_ids {
        let _ = writeln!(text, "{without}");
    }
    if text.is_empty() {
        text.push_str("the state contains no resources");
    }
    text
}

fn noted(instance: &Reported) -> String {
    let mut text = instance.address.clone();
    if let Some(alias) = &instance.provider_alias {
        let _ = write!(text, " (provider {alias})");
    }
    if instance.tainted {
        text.push_str(" (tainted)");
    }
    if let Some(key) = &instance.deposed {
        let _ = write!(text, " (deposed {key})");
    }
    if let Some(first) = &instance.duplicate_of {
        let _ = write!(text, " (same as {first})");
    }
    text
}

fn linked(instance: &Reported) -> String {
    match &instance.cloud_control {
        Some(link) => format!("{} {}", link.type_name, link.identifier),
        None => "-".to_owned(),
    }
}
