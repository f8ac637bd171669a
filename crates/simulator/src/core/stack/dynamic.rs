//! Dynamic references in properties: `{{resolve:ssm:…}}`, `{{resolve:secretsmanager:…}}`.
//!
//! A value that the simulator has is taken from there. A parameter that it has not stops the deployment, as
//! AWS would; a secret that it has not, or that it does not know the text of, is made up.

use serde_json::Value;

use super::deploy::Deployment;
use crate::core::json_patch::MAX_DEPTH;
use crate::core::model::parse;
use crate::core::random::Random;

const BEGIN: &str = "{{resolve:";
const END: &str = "}}";

impl Deployment<'_> {
    /// The properties with what dynamic references stand for.
    pub(super) fn resolved(&self, value: &Value, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Ok(value.clone());
        }
        Ok(match value {
            Value::String(text) if text.contains(BEGIN) => Value::String(self.substituted(text)?),
            Value::Array(items) => {
                let items: Result<Vec<Value>, String> =
                    items.iter().map(|item| self.resolved(item, depth + 1)).collect();
                Value::Array(items?)
            }
            Value::Object(members) => {
                let mut resolved = serde_json::Map::new();
                for (name, member) in members {
                    resolved.insert(name.clone(), self.resolved(member, depth + 1)?);
                }
                Value::Object(resolved)
            }
            other => other.clone(),
        })
    }

    fn substituted(&self, text: &str) -> Result<String, String> {
        let mut whole = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(BEGIN) {
            let Some(length) = rest[start..].find(END) else { break };
            whole += &rest[..start];
            whole += &self.looked_up(&rest[start + BEGIN.len()..start + length])?;
            rest = &rest[start + length + END.len()..];
        }
        Ok(whole + rest)
    }

    fn looked_up(&self, reference: &str) -> Result<String, String> {
        let (service, what) = reference.split_once(':').unwrap_or((reference, ""));
        match service {
            "ssm" | "ssm-secure" => {
                // A version may stand behind the name; the simulator has the latest only.
                let name = what.rsplit_once(':').map_or(what, |(name, version)| {
                    if version.bytes().all(|it| it.is_ascii_digit()) { name } else { what }
                });
                self.world.ssm_parameter(&self.place, name).ok_or_else(|| {
                    format!(
                        "Unable to fetch parameters [{name}] from parameter store for this account."
                    )
                })
            }
            "secretsmanager" => Ok(self.secret(what)),
            _ => Err(format!("Could not parse dynamic reference {{{{resolve:{reference}}}}}")),
        }
    }

    /// `id:SecretString:key:stage:version`, of which all but the id may be missing; the id may be an ARN.
    fn secret(&self, what: &str) -> String {
        let (id, rest) = match what.find(":SecretString") {
            Some(at) => (&what[..at], what[at + 1..].split(':').skip(1).collect::<Vec<_>>()),
            None => (what.trim_end_matches(':'), Vec::new()),
        };
        let key = rest.first().copied().unwrap_or_default();
        let kept = self.world.region(&self.place).and_then(|region| {
            let of_type = region.resources.get("AWS::SecretsManager::Secret")?;
            of_type.iter().find_map(|(arn, resource)| {
                let values = parse(resource.document.as_ref()?.whole());
                let is_it = **arn == *id || values.get("Name").and_then(Value::as_str) == Some(id);
                is_it.then(|| values.get("SecretString")?.as_str().map(str::to_owned)).flatten()
            })
        });
        let part = match (&kept, key) {
            (Some(text), "") => Some(text.clone()),
            (Some(text), key) => serde_json::from_str::<Value>(text)
                .ok()
                .and_then(|it| it.get(key)?.as_str().map(str::to_owned)),
            (None, _) => None,
        };
        part.unwrap_or_else(|| {
            let mut random = Random::new(self.world.settings.seed, &["secret", id, key]);
            random.text("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789", 32)
        })
    }
}
