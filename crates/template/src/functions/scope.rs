//! Functions that ask where a template is deployed: `resourceGroup`, `deployment`; and those that could only be
//! answered in Azure, which say so.
//!
//! There is no Azure subscription behind a group of ours, and none is made up: a name that is built from an
//! invented id would look right and be wrong. `subscription()` therefore is a mistake with a hint.

use super::arguments::Arguments;
use super::fault::Fault;
use super::{Function, Namespace, Parameter};
use crate::deployment::{Inputs, MissingParameter};
use crate::value::{Because, Kind, Members, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "resourceGroup",
        &[Parameter::new("subscription or name", "string"), Parameter::new("name", "string")],
        Some(Kind::Object),
        this_group,
        "Returns the group of the deployment: `id`, `name`, `location`, `tags`.",
    )
    .least(0)
    .namespace(Namespace::Az),
    Function::new(
        "deployment",
        &[],
        Some(Kind::Object),
        |arguments| Ok(deployment(arguments.context.inputs())),
        "Returns the current deployment: `name`.",
    )
    .namespace(Namespace::Az),
    elsewhere("subscription"),
    elsewhere("tenant"),
    elsewhere("managementGroup"),
    elsewhere("environment"),
    elsewhere("deployer"),
    elsewhere("resourceId"),
    elsewhere("subscriptionResourceId"),
    elsewhere("tenantResourceId"),
    elsewhere("managementGroupResourceId"),
    elsewhere("extensionResourceId"),
    elsewhere("reference"),
    elsewhere("providers"),
    elsewhere("pickZones"),
    elsewhere("toLogicalZone"),
    elsewhere("toLogicalZones"),
    elsewhere("toPhysicalZone"),
    elsewhere("toPhysicalZones"),
];

/// The description of functions that have no answer outside of Azure.
pub(super) const ONLY_IN_AZURE: &str = "Available only in Azure.";

/// A function that has no answer outside of Azure.
const fn elsewhere(name: &'static str) -> Function {
    const ANYTHING: &[Parameter] = &[Parameter::new("arguments", "any")];
    Function::new(name, ANYTHING, None, only_in_azure, ONLY_IN_AZURE)
        .namespace(Namespace::Az)
        .least(0)
        .repeated()
}

fn only_in_azure(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let name = arguments.function.name;
    let hint = match name {
        "subscription" | "tenant" | "managementGroup" | "deployer" => {
            "use `resourceGroup().id` for the group, or `aws.accountId()` for the account"
        }
        "pickZones" | "toLogicalZone" | "toLogicalZones" | "toPhysicalZone" | "toPhysicalZones" => {
            "use `aws.availabilityZones()` for the names of zones"
        }
        "reference" => "use the symbolic name of the resource, as in `bucket.properties.Arn`",
        "environment" => "use `aws.region()` and `aws.partition()`",
        _ => "build an ARN with `aws.arn()`, or read one with `bucket.properties.Arn`",
    };
    let message =
        format!("`{name}` is available only in Azure, and Hangar does not deploy to Azure");
    Err(Fault::call(message).hint(hint))
}

fn this_group(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    if arguments.count() == 0 {
        return Ok(resource_group(arguments.context.inputs()));
    }
    let message = "`resourceGroup` can only return the group of the deployment";
    Err(Fault::call(message).hint("call it without arguments"))
}

fn resource_group(inputs: &Inputs) -> Value {
    let group = &inputs.group;
    let tags = group.tags.iter().map(|(name, it)| (name.as_str().into(), text(it)));
    let tags = Value::object(tags.collect());
    // A template that is only looked at may have a group that nobody has asked yet.
    let or_unknown = |value: Value, is_known: bool, what: &str| match inputs.missing {
        MissingParameter::Unknown if !is_known => {
            Value::unknown(value.kind(), Because::Parameter(what.into()))
        }
        _ => value,
    };
    let told = |it: &String, what: &str| or_unknown(text(it), !it.is_empty(), what);
    Value::object(Members::from([
        ("id".into(), told(&group.id, "the group's id")),
        ("name".into(), told(&group.name, "the group's name")),
        ("type".into(), text("Microsoft.Resources/resourceGroups")),
        ("location".into(), told(&group.location, "the group's location")),
        ("tags".into(), or_unknown(tags, !group.tags.is_empty(), "the group's tags")),
        (
            "properties".into(),
            Value::object(Members::from([("provisioningState".into(), text("Succeeded"))])),
        ),
    ]))
}

/// What holds of every deployment here: nothing is deleted, and the template has no version of its own.
fn deployment(inputs: &Inputs) -> Value {
    let template = Members::from([("contentVersion".into(), text("1.0.0.0"))]);
    let properties = Members::from([
        ("mode".into(), text("Incremental")),
        ("template".into(), Value::object(template)),
    ]);
    Value::object(Members::from([
        ("name".into(), text(&inputs.name)),
        ("location".into(), text(&inputs.group.location)),
        ("properties".into(), Value::object(properties)),
    ]))
}

fn text(text: &str) -> Value {
    Value::string(text)
}
