//! `hangar resource show`: one name, what it stands for, and how that is.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};

use super::list::is_default;
use super::target::{Target, TargetArgs};
use crate::client::instant::Instant;
use crate::client::learned::LearnedForm;
use crate::client::request::Request;
use crate::client::shape::{Drift, DriftState, Reference};
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::facts::Facts;
use crate::render::printable;
use crate::session::{self, CallError, Presence, Session};

/// Which resource is shown.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Read the resource from AWS first
    #[arg(long)]
    live: bool,
}

pub(super) const DESCRIPTION: &str = "\
Shows the alias, its state and the properties that were last read from AWS; --live reads them
again.";

pub(super) const EXAMPLES: &str = r"Examples:
  hangar resource show AWS.EC2/VPC net
  hangar resource show AWS.EC2/VPC net -g prod --live
  hangar resource show \
    /planes/aws/aws/accounts/12/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1";

pub(super) fn run(
    args: &ShowArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let target = args.target.find()?;
    let mut request = Request::get(&*target.id);
    if args.live {
        request = request.query("live", "true");
    }
    session::run(connection, printer, Presence::Reading, async |session| {
        show(session, args, &target, &request).await
    })
}

async fn show(
    session: &mut Session<'_>,
    args: &ShowArgs,
    target: &Target,
    request: &Request,
) -> Result<Exit, Failure> {
    let doing = format!("cannot show {}", target.label);
    let read = session.read::<Reference>(request).await.map_err(|error| match error {
        // It is made with its first resource, so that its absence says no more than that.
        CallError::Refused(mut refusal)
            if refusal.is("ResourceGroupNotFound") && is_default(args.target.group()) =>
        {
            "ResourceNotFound".clone_into(&mut refusal.error.code);
            "it does not exist".clone_into(&mut refusal.error.message);
            CallError::Refused(refusal)
        }
        error => error,
    });
    let (document, reference) = read.map_err(|error| error.while_doing(&doing))?;
    let now = Instant::now();
    session.printer.show(|| shown(&reference, now), || &document)?;
    Ok(Exit::Success)
}

fn shown(reference: &Reference, now: Instant) -> String {
    let mut facts = Facts::default();
    let place = reference.aws_place();
    facts.add("type", reference.resource_type());
    if reference.is_reference() {
        facts.add("alias", &*reference.name);
    }
    facts.add_known("identifier", reference.identifier());
    facts.add_known("account", place.as_ref().map(|place| &*place.account));
    facts.add_known("region", place.as_ref().map(|place| &*place.region));
    facts.add("state", reference.state_word());
    facts.add_known("owned", reference.owned_resource.map(|is| if is { "yes" } else { "no" }));
    facts.add_known("managed by", reference.manager().map(|name| format!("deployment {name}")));
    if !reference.retiring.is_empty() {
        let retiring = reference.retiring.join(", ");
        facts.add("retiring", format!("{retiring} (replaced, not deleted yet)"));
    }
    if let Some(drift) = &reference.drift {
        facts.add("drift", drift_of(drift, now));
    }
    facts.add_known("unsettled", super::unknown::told(&reference.unsettled));
    facts.add_known("observed", reference.observed_at.map(|at| ago(at, now)));
    facts.add_known("created", reference.system_data.created_at.map(|at| ago(at, now)));
    facts.add_known("operation", reference.operation.as_deref());
    if let Some(last) = &reference.last_operation {
        facts.add("last", format!("{} ({})", last.id, last.status.as_str()));
        let error = last.error.as_ref();
        facts.add_known("error", error.map(|error| format!("{}: {}", error.code, error.message)));
    }
    for id in &reference.depends_on {
        facts.add("depends on", &**id);
    }
    facts.add("id", &*reference.id);
    let mut properties = reference.properties.clone();
    if let Value::Object(members) = &mut properties {
        // The state says it already.
        members.remove("provisioningState");
    }
    let is_known = |value: &Value| value.as_object().is_some_and(|members| !members.is_empty());
    let (title, properties) = if is_known(&properties) {
        mark_secrets(&mut properties, &reference.secret_paths);
        ("properties", format!("{properties:#}"))
    } else if is_known(&reference.applied_properties) {
        let mut applied = reference.applied_properties.clone();
        mark_secrets(&mut applied, &reference.secret_paths);
        ("applied properties (AWS was not read)", format!("{applied:#}"))
    } else {
        ("properties", "not known".to_owned())
    };
    let properties: Vec<_> = properties.lines().map(printable).collect();
    let learned = learned_lines(&reference.learned, now);
    format!("{facts}\n{title}\n{}{learned}", properties.join("\n"))
}

/// The forms of values that later reads may show without being a difference.
fn learned_lines(forms: &[LearnedForm], now: Instant) -> String {
    let mut text = String::new();
    if !forms.is_empty() {
        text.push_str("\n\nlearned (sent → returned by AWS, taken as equal)");
    }
    for form in forms {
        let at = form.learned_at.map(|at| format!(" ({} ago)", at.age(now))).unwrap_or_default();
        let _ = write!(text, "\n  {}{at}", printable(&form.line()));
    }
    text
}

/// Writes `«secret»` where a secret was left out. One inside of a list has no place: which element it belongs to is
/// not known.
fn mark_secrets(properties: &mut Value, paths: &[String]) {
    for path in paths {
        let mut at = &mut *properties;
        for segment in path.split('/').skip(1) {
            let is_element =
                segment.starts_with('#') || segment.bytes().all(|byte| byte.is_ascii_digit());
            if at.is_null() && !is_element {
                *at = json!({});
            }
            let Value::Object(members) = at else { break };
            let name = segment.replace("~1", "/").replace("~0", "~");
            at = members.entry(name).or_insert(Value::Null);
        }
        if at.is_null() {
            *at = "«secret»".into();
        }
    }
}

/// `drifted: /DelaySeconds: 3 → 5 (applied → live) (checked 3m ago)`.
fn drift_of(drift: &Drift, now: Instant) -> String {
    let place = drift.values();
    let place = match drift.state {
        _ if place.is_empty() => String::new(),
        DriftState::Drifted => format!(": {place} (applied → live)"),
        _ => format!(": {place}"),
    };
    let checked = drift.checked_at.map(|at| format!(" (checked {} ago)", at.age(now)));
    format!("{}{place}{}", drift.state.as_str(), checked.unwrap_or_default())
}

fn ago(at: Instant, now: Instant) -> String {
    format!("{at} ({} ago)", at.age(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_its_key() {
        let mut properties = json!({
            "Environment": {"Variables": {"LOG": "1"}}, "List": [{"A": 1}], "Name": "f", "None": null,
        });
        let paths = [
            "/Environment/Variables/API_KEY",
            "/Code/ZipFile",
            "/List/#0/Secret",
            "/Name",
            "/Rules/0/Key",
        ];
        mark_secrets(&mut properties, &paths.map(str::to_owned));
        assert_eq!(
            properties,
            json!({
                "Environment": {"Variables": {"LOG": "1", "API_KEY": "«secret»"}},
                "Code": {"ZipFile": "«secret»"}, "List": [{"A": 1}], "Name": "f", "None": null,
                "Rules": "«secret»",
            })
        );
    }
}
