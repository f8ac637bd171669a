//! Functions of the namespace `aws`: the account and the region that a template is deployed to.

use super::arguments::Arguments;
use super::fault::Fault;
use super::{Function, Namespace, Parameter};
use crate::deployment::MissingParameter;
use crate::value::{Because, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "accountId",
        &[],
        Some(Kind::String),
        account_id,
        "Returns the twelve digits of the AWS account that the deployment uses.",
    )
    .namespace(Namespace::Aws),
    Function::new("region", &[], Some(Kind::String), region, "Returns the AWS region that the deployment uses.")
        .namespace(Namespace::Aws),
    Function::new(
        "partition",
        &[],
        Some(Kind::String),
        partition,
        "Returns the partition of the region: `aws`, `aws-cn` or `aws-us-gov`.",
    )
    .namespace(Namespace::Aws),
    Function::new(
        "availabilityZones",
        &[Parameter::new("count", "int")],
        Some(Kind::Array),
        availability_zones,
        "Returns the conventional names of availability zones: the region with `a`, `b`, `c`. AWS is not queried.",
    )
    .least(0)
    .namespace(Namespace::Aws),
    Function::new(
        "arn",
        &[
            Parameter::new("service", "string"),
            Parameter::new("resource", "string"),
            Parameter::new("region", "string"),
            Parameter::new("account", "string"),
        ],
        Some(Kind::String),
        arn,
        "Builds an ARN. The default region and account are those of the deployment; '' leaves a part empty.",
    )
    .least(2)
    .namespace(Namespace::Aws),
];

/// Something that is known of where a template is deployed, or its absence: a mistake in a deployment, and
/// only not known yet where the template is merely looked at.
enum Fact {
    Known(String),
    Missing { of: &'static str, flag: &'static str },
}

fn account(arguments: &Arguments<'_>) -> Fact {
    match &arguments.context.inputs().account {
        Some(account) => Fact::Known(account.padded()),
        None => Fact::Missing { of: "account", flag: "--aws-account" },
    }
}

fn place(arguments: &Arguments<'_>) -> Fact {
    match &arguments.context.inputs().region {
        Some(region) => Fact::Known(region.to_string()),
        None => Fact::Missing { of: "region", flag: "--aws-region" },
    }
}

/// The result that needs a fact which is missing.
fn without(arguments: &Arguments<'_>, of: &str, flag: &str) -> Result<Value, Fault> {
    let name = arguments.function.name;
    match arguments.context.inputs().missing {
        MissingParameter::Unknown => {
            let because = Because::Parameter(format!("AWS {of}").into());
            Ok(Value::unknown(arguments.function.returns, because))
        }
        MissingParameter::Refused => {
            let message = format!("`aws.{name}` needs the AWS {of}, but the deployment has none");
            Err(Fault::call(message).hint(format!("pass it with `{flag}`")))
        }
    }
}

fn account_id(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match account(arguments) {
        Fact::Known(account) => Ok(Value::string(account)),
        Fact::Missing { of, flag } => without(arguments, of, flag),
    }
}

fn region(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match place(arguments) {
        Fact::Known(region) => Ok(Value::string(region)),
        Fact::Missing { of, flag } => without(arguments, of, flag),
    }
}

fn partition(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match place(arguments) {
        Fact::Known(region) => Ok(Value::string(partition_of(&region))),
        Fact::Missing { of, flag } => without(arguments, of, flag),
    }
}

fn partition_of(region: &str) -> &'static str {
    if region.starts_with("cn-") {
        "aws-cn"
    } else if region.starts_with("us-gov-") {
        "aws-us-gov"
    } else {
        "aws"
    }
}

fn availability_zones(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let count = arguments.optional_int(0)?.unwrap_or(3);
    let letters = usize::try_from(count).ok().and_then(|it| "abc".get(..it));
    let letters = letters.filter(|it| !it.is_empty()).ok_or_else(|| {
        let fault = arguments.refuses(0, "a number from 1 to 3");
        fault.hint(
            "the function assumes only three zones; write the names of other zones as strings",
        )
    })?;
    match place(arguments) {
        Fact::Known(region) => {
            let zones = letters.chars().map(|letter| Value::string(format!("{region}{letter}")));
            Ok(Value::array(zones.collect()))
        }
        Fact::Missing { of, flag } => without(arguments, of, flag),
    }
}

fn arn(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    for (index, wanted) in [(0, "a service such as 'sqs'"), (1, "a resource such as 'my-queue'")] {
        let text = arguments.string(index)?;
        if text.is_empty() || (index == 0 && text.contains(':')) {
            return Err(arguments.refuses(index, wanted));
        }
    }
    let region = match arguments.optional_string(2)? {
        Some(region) => region.to_string(),
        None => match place(arguments) {
            Fact::Known(region) => region,
            Fact::Missing { of, flag } => return without(arguments, of, flag),
        },
    };
    let account = match arguments.optional_string(3)? {
        Some(account) => account.to_string(),
        None => match account(arguments) {
            Fact::Known(account) => account,
            Fact::Missing { of, flag } => return without(arguments, of, flag),
        },
    };
    // An ARN without a region is still one of the partition that is deployed to.
    let partition = match place(arguments) {
        Fact::Known(place) if region.is_empty() => partition_of(&place),
        _ => partition_of(&region),
    };
    let (service, resource) = (arguments.string(0)?, arguments.string(1)?);
    Ok(Value::string(format!("arn:{partition}:{service}:{region}:{account}:{resource}")))
}
