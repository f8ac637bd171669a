//! Dynamic references, `{{resolve:ssm:NAME}}`: what CloudFormation puts a value in the place of when it deploys.
//!
//! A parameter of SSM is read. What is a secret by its kind is not: whoever puts it into a manifest should take it
//! from where secrets are kept.

use serde_json::Value;

use super::evaluate::Evaluator;
use super::link::Link;
use super::problem::{Problem, Stop};
use super::{Need, codes};
use crate::reference::Place;

const BEGIN: &str = "{{resolve:";
const END: &str = "}}";

/// A value with its dynamic references replaced.
pub(super) fn expand(evaluator: &Evaluator<'_>, value: Value) -> Result<Value, Stop> {
    match value {
        Value::String(text) if text.contains(BEGIN) => {
            expanded(evaluator, &text).map(Value::String)
        }
        Value::Array(items) => {
            items.into_iter().map(|item| expand(evaluator, item)).collect::<Result<_, _>>()
        }
        value => Ok(value),
    }
}

fn expanded(evaluator: &Evaluator<'_>, text: &str) -> Result<String, Stop> {
    let (mut made, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let Some((inner, next)) = after.split_once(END) else { break };
        made.push_str(before);
        made.push_str(&resolved(evaluator, inner)?);
        rest = next;
    }
    made.push_str(rest);
    Ok(made)
}

fn resolved(evaluator: &Evaluator<'_>, inner: &str) -> Result<String, Stop> {
    let (service, rest) = inner.split_once(':').unwrap_or((inner, ""));
    let shown = format!("{BEGIN}{inner}{END}");
    // A name that a secret is in is not sent to anybody.
    if evaluator.is_secret() {
        return Err(Problem::new(codes::SECRET, "a dynamic reference contains a secret").into());
    }
    if service != "ssm" {
        let message = format!("`{shown}` is a secret that Hangar does not read");
        return Err(Problem::new(codes::SECRET, message)
            .hint("let the workload read the secret itself (External Secrets Operator, the Secrets Store CSI \
                   driver), and reference the secret's name or ARN instead")
            .into());
    }
    let (name, version) = match rest.rsplit_once(':') {
        Some((name, version)) if version.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, version)
        }
        _ => (rest, ""),
    };
    if !version.is_empty() {
        let message =
            format!("`{shown}` specifies a version, but only the latest version can be read");
        return Err(Problem::new(codes::EXPRESSION, message).hint("remove the version").into());
    }
    let type_name = "AWS::SSM::Parameter".to_owned();
    let need = Need::Resource { place: Place::default(), type_name, identifier: name.to_owned() };
    let model = evaluator.read(&need)?;
    let value = model.and_then(|model| model.get("Value")).and_then(Value::as_str);
    evaluator.link(Link::new("parameter", name).by(super::evaluate::action(&need)));
    value.map(str::to_owned).ok_or_else(|| {
        Problem::absent(
            codes::NO_NAME,
            format!("the SSM parameter `{name}` does not exist ({shown})"),
        )
        .into()
    })
}
