//! `hangar credential`: how calls to AWS are signed, per plane and account.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};
use hangar_diag::Diagnostic;
use hangar_ids::encode_name;
use serde_json::{Map, Value, json};

use crate::client::instant::Instant;
use crate::client::request::Request;
use crate::codes;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::render::facts::Facts;
use crate::render::printable;
use crate::render::table::Table;
use crate::session::{self, Presence, Session};

/// What to do with credentials.
#[derive(Debug, Args)]
pub(crate) struct CredentialArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// AWS plane
    #[arg(long, global = true, value_name = "NAME", default_value = "aws", help_heading = None::<&str>)]
    plane: String,
    #[command(subcommand)]
    command: CredentialCommand,
}

#[derive(Debug, Subcommand)]
enum CredentialCommand {
    /// Store a credential, encrypted
    #[command(
        long_about = PUT_DESCRIPTION,
        after_long_help = PUT_EXAMPLES,
        // Two lines: clap does not wrap it.
        override_usage = "hangar credential put [OPTIONS]\n         \
                          <--access-key-id <ID>|--role-arn <ARN>> [NAME]"
    )]
    Put(PutArgs),
    /// List credentials without their secrets
    #[command(after_long_help = LIST_EXAMPLES)]
    List,
    /// Show a credential without its secrets
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show {
        /// Number of an account, or `default`
        #[arg(default_value = "default")]
        name: String,
    },
    /// Delete a credential
    #[command(after_long_help = DELETE_EXAMPLES)]
    Delete {
        /// Number of an account, or `default`
        name: String,
    },
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("kind").required(true).multiple(true).args(["access_key_id", "role_arn"]))]
struct PutArgs {
    /// Account that it is used for
    ///
    /// `default` is used for all accounts without a credential of their own.
    #[arg(default_value = "default")]
    name: String,
    /// Access key id; with --role-arn, the key that assumes the role
    #[arg(long, value_name = "ID", requires = "secret_key_file")]
    access_key_id: Option<String>,
    /// File with the secret access key, or `-` for stdin
    #[arg(long, value_name = "FILE", requires = "access_key_id")]
    secret_key_file: Option<PathBuf>,
    /// File with the session token of a temporary key
    #[arg(long, value_name = "FILE", requires = "access_key_id")]
    session_token_file: Option<PathBuf>,
    /// Role to assume
    #[arg(long, value_name = "ARN")]
    role_arn: Option<String>,
    /// Assume the role with a web identity token (IRSA)
    ///
    /// The platform, such as Amazon EKS, writes the token into a file.
    #[arg(long, requires = "role_arn", conflicts_with_all = ["access_key_id", "external_id"])]
    web_identity: bool,
    /// Token file of --web-identity, as the server sees it
    ///
    /// [default: the file of Amazon EKS, `/var/run/secrets/eks.amazonaws.com/serviceaccount/token`]
    #[arg(long, value_name = "FILE", requires = "web_identity")]
    web_identity_token_file: Option<PathBuf>,
    /// External id that the role's trust policy requires
    #[arg(long, value_name = "TEXT", requires = "role_arn")]
    external_id: Option<String>,
    /// Name of the role session, as AWS logs it
    ///
    /// [default: hangar]
    #[arg(long, value_name = "NAME", requires = "role_arn")]
    session_name: Option<String>,
}

pub(crate) const DESCRIPTION: &str = "\
A credential is used for the account that it is named after, and `default` for all others. Without
a stored credential, AWS calls are signed with the credentials that the control plane finds in its
environment, profile or instance.";

pub(crate) const EXAMPLES: &str = r"Examples:
  hangar credential put --role-arn arn:aws:iam::123456789012:role/hangar \
    --web-identity
  hangar credential list";

const PUT_DESCRIPTION: &str = "\
Secrets are read from files, so that they are not on the command line. They are stored encrypted
and never printed.";

const PUT_EXAMPLES: &str = r"Examples:
  hangar credential put --access-key-id AKIAIOSFODNN7EXAMPLE \
    --secret-key-file secret.txt
  hangar credential put 123456789012 \
    --role-arn arn:aws:iam::123456789012:role/hangar
  hangar credential put --role-arn arn:aws:iam::123456789012:role/hangar \
    --web-identity";

const LIST_EXAMPLES: &str = "Examples:
  hangar credential list
  hangar credential list -o json";
const SHOW_EXAMPLES: &str = "Examples:
  hangar credential show
  hangar credential show 123456789012";
const DELETE_EXAMPLES: &str = "Examples:
  hangar credential delete 123456789012";

pub(crate) fn run(
    args: &CredentialArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    let all = format!("/planes/aws/{}/providers/System.AWS/credentials", encode_name(&args.plane));
    let id = |name: &str| format!("{all}/{}", encode_name(name));
    match &args.command {
        CredentialCommand::Put(put) => {
            let body = body(put, inputs)?;
            let (id, name) = (id(&put.name), &put.name);
            session::run(connection, printer, Presence::Briefly, async |session| {
                keep(session, &id, name, body).await
            })
        }
        CredentialCommand::List => {
            session::run(connection, printer, Presence::Reading, async |session| {
                list(session, &all).await
            })
        }
        CredentialCommand::Show { name } => {
            let id = id(name);
            session::run(connection, printer, Presence::Reading, async |session| {
                show(session, &id, name).await
            })
        }
        CredentialCommand::Delete { name } => {
            let id = id(name);
            session::run(connection, printer, Presence::Briefly, async |session| {
                delete(session, &id, name).await
            })
        }
    }
}

/// What is sent: the secrets come from files.
fn body(args: &PutArgs, inputs: &mut Inputs) -> Result<Value, Failure> {
    let mut properties = Map::new();
    let kind = match (&args.role_arn, args.web_identity) {
        (None, _) => "AccessKey",
        (Some(_), true) => "IRSA",
        (Some(_), false) => "AssumeRole",
    };
    properties.insert("kind".to_owned(), kind.into());
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            properties.insert(name.to_owned(), value.into());
        }
    };
    add("roleARN", args.role_arn.clone());
    add("externalId", args.external_id.clone());
    add("sessionName", args.session_name.clone());
    let token_file = args.web_identity_token_file.as_ref();
    add("tokenFile", token_file.map(|path| path.display().to_string()));
    add("accessKeyId", args.access_key_id.clone());
    add("secretAccessKey", secret(args.secret_key_file.as_ref(), inputs)?);
    add("sessionToken", secret(args.session_token_file.as_ref(), inputs)?);
    Ok(json!({ "properties": properties }))
}

/// The one line of a file.
fn secret(path: Option<&PathBuf>, inputs: &mut Inputs) -> Result<Option<String>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let source = inputs.read(path)?;
    let text = source.text.trim();
    if text.is_empty() || text.contains(char::is_whitespace) {
        let message =
            format!("`{}` does not contain exactly one secret on one line", path.display());
        let mistake = Diagnostic::error(codes::NOT_A_SECRET, message);
        return Err(mistake.hint("write only the secret into the file").into());
    }
    Ok(Some(text.to_owned()))
}

async fn keep(
    session: &mut Session<'_>,
    id: &str,
    name: &str,
    body: Value,
) -> Result<Exit, Failure> {
    let doing = format!("cannot store the credential `{name}`");
    let reply = session.send(&Request::put(id, body)).await;
    let reply = reply.map_err(|error| error.while_doing(&doing))?;
    let did = if reply.status == 201 { "created" } else { "updated" };
    let said = || {
        let kind = text(&reply.body, "/properties/kind");
        let who = signer(&reply.body);
        format!("{did} credential {}: {kind} {}", printable(name), printable(&who))
    };
    session.printer.show(said, || &reply.body)?;
    Ok(Exit::Success)
}

async fn list(session: &mut Session<'_>, all: &str) -> Result<Exit, Failure> {
    let documents = session.list(Request::get(all)).await;
    let documents = documents.map_err(|error| error.while_doing("cannot list the credentials"))?;
    let (now, width) = (Instant::now(), session.printer.width());
    session.printer.show(|| table(&documents, now, width), || &documents)?;
    Ok(Exit::Success)
}

fn table(documents: &[Value], now: Instant, width: Option<usize>) -> String {
    if documents.is_empty() {
        return "no stored credentials: the server uses its own (environment, profile or instance role)"
            .to_owned();
    }
    let mut table = Table::new(["NAME", "KIND", "SIGNS AS", "AGE"]);
    table.fit(width);
    for document in documents {
        let changed = instant(document, "lastModifiedAt");
        let age = changed.map_or_else(|| "-".to_owned(), |at| at.age(now));
        let (name, kind) = (text(document, "/name"), text(document, "/properties/kind"));
        table.row([name.as_str(), kind.as_str(), signer(document).as_str(), age.as_str()]);
    }
    table.to_string()
}

async fn show(session: &mut Session<'_>, id: &str, name: &str) -> Result<Exit, Failure> {
    let (document, _) = session
        .read::<Value>(&Request::get(id))
        .await
        .map_err(|error| error.while_doing(&format!("cannot show the credential `{name}`")))?;
    session.printer.show(|| facts(&document), || &document)?;
    Ok(Exit::Success)
}

fn facts(document: &Value) -> String {
    let mut facts = Facts::default();
    facts.add("credential", text(document, "/name"));
    for (said, member) in SHOWN {
        let value = document.pointer(&format!("/properties/{member}")).and_then(Value::as_str);
        facts.add_known(said, value);
    }
    facts.add_known("created", instant(document, "createdAt").map(|at| at.to_string()));
    facts.add_known("changed", instant(document, "lastModifiedAt").map(|at| at.to_string()));
    format!("{facts}\nits secrets are encrypted and never shown")
}

/// What is shown of a credential, in words.
const SHOWN: [(&str, &str); 6] = [
    ("kind", "kind"),
    ("access key", "accessKeyId"),
    ("role", "roleARN"),
    ("token file", "tokenFile"),
    ("external id", "externalId"),
    ("session name", "sessionName"),
];

/// Whom the calls are made as, as far as it may be shown.
fn signer(document: &Value) -> String {
    let role = text(document, "/properties/roleARN");
    if role == "-" { text(document, "/properties/accessKeyId") } else { role }
}

fn instant(document: &Value, member: &str) -> Option<Instant> {
    let text = document.pointer(&format!("/systemData/{member}"))?.as_str()?;
    Instant::try_from(text.to_owned()).ok()
}

fn text(document: &Value, pointer: &str) -> String {
    document.pointer(pointer).and_then(Value::as_str).unwrap_or("-").to_owned()
}

async fn delete(session: &mut Session<'_>, id: &str, name: &str) -> Result<Exit, Failure> {
    let doing = format!("cannot delete the credential `{name}`");
    let reply = session.send(&Request::delete(id)).await;
    let reply = reply.map_err(|error| error.while_doing(&doing))?;
    let name = printable(name);
    let text = if reply.status == 204 {
        format!("credential {name} does not exist; nothing to delete")
    } else {
        format!("deleted credential {name}")
    };
    let answer = json!({"name": name, "deleted": reply.status != 204});
    session.printer.show(|| text, || &answer)?;
    Ok(Exit::Success)
}
