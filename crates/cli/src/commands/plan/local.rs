//! The plan of a template for a group that does not exist: everything would be new, as far as can be told here.

use hangar_diag::position_of;
use hangar_template::deployment::{AwsNode, NodeKind, NothingKnown, Target};
use hangar_template::source::{Place, Sources};
use hangar_template::value::{Because, Data, Value as Known};
use serde_json::{Map, Value, json};

use crate::client::shape::AwsPlace;
use crate::commands::deploy::args::{Prepared, TemplateArgs};
use crate::commands::place::default_place;
use crate::failure::Failure;
use crate::session::Session;
use crate::template::check;

/// What the control plane would answer, had it the group.
pub(super) fn plan(
    session: &Session<'_>,
    args: &TemplateArgs,
    prepared: &Prepared,
    place: Option<AwsPlace>,
) -> Result<Value, Failure> {
    let place = place.or_else(|| session.has_default_place().then(default_place));
    let given = args.given(&prepared.name, prepared.values(), place.as_ref())?;
    let checked = check::start(&prepared.program, &given);
    let Some(deployment) = checked.deployment else {
        return Err(Failure::Reported(prepared.files.reports(checked.problems)));
    };
    let wrong = |problems| Failure::Reported(prepared.files.reports(problems));
    let sources = &prepared.files.sources;
    let mut changes = Vec::new();
    for (index, node) in deployment.nodes().iter().enumerate() {
        let existing = matches!(node.target, Target::Existing { .. });
        let mut change = json!({"address": &*node.address, "type": node.type_text(),
            "existing": existing, "changed": [], "source": source(sources, &node.place)});
        if let Some(scope) = node.aws().and_then(|aws| scope_of(aws, place.as_ref())) {
            change["scope"] = scope.into();
        }
        match &node.target {
            Target::Managed { alias } => {
                let body = deployment.body(index, &NothingKnown).map_err(wrong)?;
                let mut changed = Vec::new();
                describe(&body.properties, "", &mut changed);
                for told in &mut changed {
                    let written = told["path"].as_str().and_then(|path| body.written_at(path));
                    if let Some(written) = written {
                        told["source"] = source(sources, &written.key);
                    }
                }
                change["changed"] = changed.into();
                match &node.kind {
                    NodeKind::Aws(_) => {
                        change["alias"] = (&**alias).into();
                        change["action"] = "create".into();
                    }
                    NodeKind::Recipe => {
                        change["name"] = (&**alias).into();
                        change["action"] = "run".into();
                        change["reason"] = "what it makes is known when Terraform plans it".into();
                    }
                }
            }
            Target::Existing { .. } => change["action"] = "read".into(),
        }
        changes.push(change);
    }
    let outputs = deployment.outputs(&NothingKnown).map_err(wrong)?;
    let outputs: Map<String, Value> = outputs
        .iter()
        .map(|output| {
            let mut shown = json!({"type": &*output.type_text, "change": "create"});
            describe_value(&output.value, output.secure, &mut shown, "value");
            (output.name.to_string(), shown)
        })
        .collect();
    let scope = place.map(|place| place.to_scope());
    Ok(json!({
        "status": "Succeeded",
        "properties": {"scope": scope, "changes": changes, "outputs": outputs},
    }))
}

fn source(sources: &Sources, place: &Place) -> Value {
    let Place { file, span } = place;
    let at = position_of(sources.text(file).unwrap_or_default(), span.start);
    json!({"file": &**file, "line": at.line, "column": at.column, "start": span.start, "end": span.end})
}

/// Where a resource goes: where its extension says, else where the template does.
fn scope_of(aws: &AwsNode, place: Option<&AwsPlace>) -> Option<String> {
    let of = |own: Option<String>, all: fn(&AwsPlace) -> &String| {
        own.or_else(|| place.map(all).cloned())
    };
    let account = of(aws.account.as_ref().map(ToString::to_string), |place| &place.account)?;
    let region = of(aws.region.as_ref().map(ToString::to_string), |place| &place.region)?;
    Some(AwsPlace { account, region }.to_scope())
}

/// Each property that is known, secret or not known yet; one that is so as a whole is told as a whole.
fn describe(value: &Known, pointer: &str, changed: &mut Vec<Value>) {
    let is_mixed = !value.secret && (value.first_unknown().is_some() || value.holds_secret());
    match &value.data {
        Data::Object(members) if pointer.is_empty() || is_mixed => {
            for (name, member) in members.iter() {
                let name = name.replace('~', "~0").replace('/', "~1");
                describe(member, &format!("{pointer}/{name}"), changed);
            }
        }
        Data::Array(items) if is_mixed => {
            for (index, item) in items.iter().enumerate() {
                describe(item, &format!("{pointer}/{index}"), changed);
            }
        }
        _ => {
            let mut entry = json!({"path": pointer});
            describe_value(value, false, &mut entry, "after");
            changed.push(entry);
        }
    }
}

fn describe_value(value: &Known, secure: bool, entry: &mut Value, member: &str) {
    if secure || value.holds_secret() {
        entry["secret"] = true.into();
        return;
    }
    match (value.first_unknown(), value.to_json()) {
        (None, Some(known)) => entry[member] = known,
        (unknown, _) => {
            let because = unknown.map_or(&Because::Moment, |unknown| &unknown.because);
            entry["unknown"] = because.to_string().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use hangar_template::value::{Kind, Members};

    use super::*;

    #[test]
    fn what_is_not_known_or_secret_is_told_where_it_is() {
        let after = |address: &str| {
            let (address, pointer) = (address.into(), "/properties/VpcId".into());
            Known::unknown(Some(Kind::String), Because::Resource { node: 0, address, pointer })
        };
        let tags =
            Known::array(vec![Known::object(Members::from([("Value".into(), after("vpc"))]))]);
        let body = Known::object(Members::from([
            ("CidrBlock".into(), Known::string("10.0.0.0/16")),
            ("VpcId".into(), after("vpc")),
            ("Password".into(), Known::string("canary").tainted(true)),
            ("Tags".into(), tags),
        ]));
        let mut changed = Vec::new();
        describe(&body, "", &mut changed);
        assert_eq!(
            Value::from(changed),
            json!([
                {"path": "/CidrBlock", "after": "10.0.0.0/16"},
                {"path": "/Password", "secret": true},
                {"path": "/Tags/0/Value", "unknown": "known after vpc"},
                {"path": "/VpcId", "unknown": "known after vpc"},
            ])
        );
    }
}
