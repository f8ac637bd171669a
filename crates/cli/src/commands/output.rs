//! `hangar output`: prints the outputs of a deployment, for scripts.
//!
//! It reads the stored deployment and calls neither AWS nor the template.

mod value;

use clap::Args;
use hangar_diag::{Diagnostic, nearest};
use serde_json::Value;

use self::value::{OutputValue, parse_outputs};
use super::deployment::find_all;
use super::destroy::name_of;
use super::resource::list::is_default;
use crate::client::arm_error::Refusal;
use crate::client::deployment::{Deployment, RunState};
use crate::client::ids::{self, DEFAULT_GROUP};
use crate::client::request::Request;
use crate::codes;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::printable;
use crate::session::{self, CallError, Presence, Session};

/// Which outputs are printed.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// The name of the deployment, or its template file
    #[arg(value_name = "NAME|FILE")]
    target: String,
    /// Print only the value of this output
    key: Option<String>,
    /// The group of the deployment
    #[arg(short, long, value_name = "GROUP", default_value = DEFAULT_GROUP)]
    group: String,
    // Last: its heading is also that of what follows.
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar output main
  hangar output main.bicep vpcId
  hangar output main -g prod -o json
  VPC=$(hangar output main vpcId)

Without KEY, each output is printed as a line `key = value`, or all of them as one JSON object with
-o json. With KEY, only the value is printed: a string without quotes, anything else as JSON; with
-o json always as JSON.

The values are those of the last run. Secure outputs are not stored: they are listed as «secret» (null
with -o json), and asking for one by KEY is an error.

Exit codes: 0 done; 1 an error, such as a deployment or an output that does not exist.";

pub(crate) fn run(
    args: &OutputArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    let name = name_of(&args.target);
    let id = ids::deployment(&args.group, name)?;
    session::run(connection, printer, Presence::Briefly, async |session| {
        print(session, args, name, &id).await
    })
}

async fn print(
    session: &mut Session<'_>,
    args: &OutputArgs,
    name: &str,
    id: &str,
) -> Result<Exit, Failure> {
    let deployment = match session.read::<Deployment>(&Request::get(id)).await {
        Ok((_, deployment)) => deployment,
        Err(CallError::Refused(refusal)) if is_absent(&refusal, &args.group) => {
            let known = find_all(session, &args.group).await?;
            let known: Vec<String> = known.into_iter().map(|it| it.name).collect();
            return Err(no_deployment(name, &args.group, &known).into());
        }
        Err(error) => {
            let doing = format!("cannot print the outputs of deployment `{name}`");
            return Err(error.while_doing(&doing));
        }
    };
    let outputs = parse_outputs(&deployment.properties.outputs);
    if let Some(key) = &args.key {
        let value = find_value(key, &outputs, &deployment)?;
        print_value(session.printer, value)?;
    } else {
        if outputs.is_empty() {
            session.note(&format!("deployment `{name}` has no outputs"));
        }
        session.printer.show_lines(&value::lines(&outputs), || value::to_object(&outputs))?;
    }
    Ok(Exit::Success)
}

/// Prints a value byte for byte, and one new line.
fn print_value(printer: &mut Printer, value: &Value) -> Result<(), Failure> {
    if printer.is_for_programs() {
        return printer.whole(|| value);
    }
    printer.bytes(format!("{}\n", value::raw_text(value)).as_bytes())
}

/// Whether a refusal means that the deployment does not exist. The default group is created on demand.
fn is_absent(refusal: &Refusal, group: &str) -> bool {
    let is_no_group = refusal.is("ResourceGroupNotFound");
    refusal.status == 404 && (!is_no_group || is_default(group))
}

fn no_deployment(name: &str, group: &str, known: &[String]) -> Diagnostic {
    let (name, group) = (printable(name), printable(group));
    let message = format!("there is no deployment `{name}` in group `{group}`");
    let diagnostic = Diagnostic::error(codes::OUTPUT_DEPLOYMENT_MISSING, message);
    if known.is_empty() {
        return diagnostic.hint("the group has no deployments; `hangar deploy FILE` creates one");
    }
    with_choices(diagnostic, &name, "deployments", known)
}

/// Returns the value of an output, or the reason why there is none.
fn find_value<'a>(
    key: &str,
    outputs: &'a [(String, OutputValue)],
    deployment: &Deployment,
) -> Result<&'a Value, Diagnostic> {
    let (name, shown) = (printable(&deployment.name), printable(key));
    match outputs.iter().find(|(found, _)| found == key).map(|(_, value)| value) {
        Some(OutputValue::Known(value)) => Ok(value),
        Some(OutputValue::Secret) => {
            let message = format!(
                "output `{shown}` of deployment `{name}` is secure, and secure values are not stored"
            );
            let hint = "read the value from AWS, or from the place where you keep it";
            Err(Diagnostic::error(codes::SECRET_OUTPUT, message).hint(hint))
        }
        None => {
            let message = format!("deployment `{name}` has no output `{shown}`");
            let diagnostic = Diagnostic::error(codes::NO_OUTPUT, message);
            let known: Vec<String> = outputs.iter().map(|(name, _)| name.clone()).collect();
            let state = deployment.properties.provisioning_state;
            Err(match (known.is_empty(), state) {
                (false, _) => with_choices(diagnostic, key, "outputs", &known),
                (true, RunState::Succeeded) => diagnostic
                    .hint("it has no outputs; declare one with `output NAME TYPE = VALUE`"),
                (true, state) => diagnostic.hint(format!(
                    "its last run is {}; outputs are stored when a run succeeds",
                    state.as_str()
                )),
            })
        }
    }
}

/// So many names are listed.
const MAX_NAMES: usize = 20;

fn with_choices(diagnostic: Diagnostic, typed: &str, noun: &str, known: &[String]) -> Diagnostic {
    let near = nearest(typed, known.iter().map(String::as_str));
    let diagnostic = match near {
        Some(near) => diagnostic.hint(format!("did you mean `{}`?", printable(near))),
        None => diagnostic,
    };
    let names: Vec<String> =
        known.iter().take(MAX_NAMES).map(|name| format!("`{}`", printable(name))).collect();
    let more = match known.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    diagnostic.hint(format!("{noun}: {}{more}", names.join(", ")))
}
