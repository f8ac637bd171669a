//! `hangar id`: names, taken apart and made.

use clap::Subcommand;
use hangar_ids::{AccountId, Arn, ResourceId, Segment};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Source;
use crate::printer::Printer;
use crate::render::table::Table;

/// What to do with a name.
#[derive(Debug, Subcommand)]
pub(crate) enum IdCommand {
    /// Print the parts of a resource id
    #[command(after_long_help = PARSE_EXAMPLES)]
    Parse {
        /// UCP id (/planes/…) or ARM id (/subscriptions/…)
        id: String,
    },
    /// Print the resource id of an ARN
    #[command(name = "from-arn", after_long_help = FROM_ARN_EXAMPLES)]
    FromArn {
        /// ARN, in any public form
        arn: String,
        /// Account to use if the ARN has none
        ///
        /// ARNs of S3, Route 53 and API Gateway have no account.
        #[arg(long, value_name = "ACCOUNT")]
        account: Option<String>,
    },
}

pub(crate) const EXAMPLES: &str = r"Examples:
  hangar id from-arn arn:aws:ec2:us-east-2:123456789012:subnet/subnet-0ddf
  hangar id parse \
    /planes/radius/local/resourceGroups/prod/providers/AWS.EC2/VPC:reference/net";

const PARSE_EXAMPLES: &str = r"Examples:
  hangar id parse \
    /planes/aws/aws/accounts/12/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1
  hangar id parse -o json \
    /planes/radius/local/resourceGroups/prod/providers/AWS.EC2/VPC:reference/net";

const FROM_ARN_EXAMPLES: &str = "Examples:
  hangar id from-arn arn:aws:ec2:us-east-2:123456789012:subnet/subnet-0ddf
  hangar id from-arn arn:aws:s3:::logs --account 123456789012";

pub(crate) fn run(command: &IdCommand, printer: &mut Printer) -> Result<Exit, Failure> {
    match command {
        IdCommand::Parse { id } => parse(id, printer),
        IdCommand::FromArn { arn, account } => from_arn(arn, account.as_deref(), printer),
    }
}

/// What `id parse -o json` prints; null where there is none.
#[derive(Serialize)]
struct Parsed<'a> {
    kind: &'static str,
    scopes: Vec<Part<'a>>,
    types: Vec<Part<'a>>,
    extensions: Vec<Part<'a>>,
    provider: Option<&'a str>,
    r#type: Option<String>,
    name: Option<&'a str>,
    normalized: &'a str,
}

#[derive(Serialize)]
struct Part<'a> {
    r#type: &'a str,
    name: Option<&'a str>,
}

fn parts(segments: &[Segment]) -> Vec<Part<'_>> {
    segments.iter().map(|part| Part { r#type: part.type_text(), name: part.name() }).collect()
}

fn parse(text: &str, printer: &mut Printer) -> Result<Exit, Failure> {
    let id = ResourceId::parse(text).map_err(|mistake| {
        let is_arn = text.starts_with("arn:");
        let mistake =
            if is_arn { mistake.hint("an ARN? try `hangar id from-arn`") } else { mistake };
        Failure::in_source(Source::argument(text), vec![mistake])
    })?;
    let parsed = Parsed {
        kind: id.kind().as_str(),
        scopes: parts(id.scopes()),
        types: parts(id.types()),
        extensions: parts(id.extensions()),
        provider: id.provider(),
        r#type: id.resource_type(),
        name: id.name(),
        normalized: id.normalized(),
    };
    printer.show(|| parsed_table(&parsed), || &parsed)?;
    Ok(Exit::Success)
}

fn parsed_table(parsed: &Parsed<'_>) -> Table {
    let mut table = Table::new(["PART", "TYPE", "NAME"]);
    let groups =
        [("scope", &parsed.scopes), ("type", &parsed.types), ("extension", &parsed.extensions)];
    for (label, parts) in groups {
        for part in parts {
            table.row([label, part.r#type, part.name.unwrap_or("-")]);
        }
    }
    table.row(["whole", parsed.r#type.as_deref().unwrap_or("-"), parsed.name.unwrap_or("-")]);
    table.row(["kind", parsed.kind, ""]);
    table.row(["normalized", parsed.normalized, ""]);
    table
}

/// What `id from-arn -o json` prints.
#[derive(Serialize)]
struct Converted<'a> {
    id: String,
    arn: &'a str,
}

fn from_arn(text: &str, account: Option<&str>, printer: &mut Printer) -> Result<Exit, Failure> {
    if let Some(account) = account {
        AccountId::parse(account)
            .map_err(|mistake| Failure::in_source(Source::argument(account), vec![mistake]))?;
    }
    let id = Arn::parse(text)
        .and_then(|arn| arn.to_resource_id(account))
        .map_err(|mistake| Failure::in_source(Source::argument(text), vec![mistake]))?;
    printer.show(|| &id, || Converted { id: id.to_string(), arn: text })?;
    Ok(Exit::Success)
}
