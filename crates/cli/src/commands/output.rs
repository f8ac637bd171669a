//! `hangar output`: prints the outputs of a deployment, for scripts.
//!
//! It reads the stored deployment and calls neither AWS nor the template.

mod value;

use clap::Args;
use hangar_diag::{Diagnostic, nearest};
use serde_json::Value;

use self::value::{OutputValue, parse_outputs};
use super::deploy::lookup::DeploymentLookup;
use crate::client::deployment::{Deployment, RunState};
use crate::client::ids::{self, DEFAULT_GROUP};
use crate::client::request::Request;
use crate::codes;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::render::printable;
use crate::session::{self, Presence, Session};

/// Which outputs are printed.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Name of the deployment, or its template file
    #[arg(value_name = "NAME|FILE")]
    target: String,
    /// Print only the value of this output
    key: Option<String>,
    /// Group of the deployment
    #[arg(short, long, value_name = "GROUP", default_value = DEFAULT_GROUP)]
    group: String,
    // Last: its heading is also that of what follows.
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(crate) const DESCRIPTION: &str = "\
Without KEY, each output is printed as a line `key = value`, or with -o json all of them as one
JSON object. With KEY, only the value is printed: a string without quotes, other values as JSON.
With -o json it is always JSON.

The values are those of the last run. Secure outputs are not stored: they are listed as «secret»
(null with -o json), and KEY with the name of one is an error. A secret inside an object or a list
is printed as «secret».";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar output main
  hangar output main.bicep queueUrl
  hangar output main -g prod -o json
  QUEUE=$(hangar output main queueUrl)

Exit codes:
  0  success
  1  error, such as a deployment or an output that does not exist";

pub(crate) fn run(
    args: &OutputArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let lookup = DeploymentLookup::parse(&args.target, inputs)?;
    let connection = args.connection.choose_for(lookup.template(), environment)?;
    let folder = &environment.working_directory;
    session::run(connection, printer, Presence::Reading, async |session| {
        match lookup.find(session, &args.group, folder).await? {
            Some(name) => print(session, args, &name).await,
            None => Err(lookup.absent(session, &args.group, folder).await),
        }
    })
}

async fn print(session: &mut Session<'_>, args: &OutputArgs, name: &str) -> Result<Exit, Failure> {
    let id = ids::deployment(&args.group, name)?;
    let (_, deployment) =
        session.read::<Deployment>(&Request::get(&id)).await.map_err(|error| {
            error.while_doing(&format!("cannot print the outputs of deployment `{name}`"))
        })?;
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
            let hint = "read the value from AWS, or from where you store it";
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
