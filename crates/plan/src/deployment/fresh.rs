//! The plan of a template for a group that does not exist: everything would be new, as far as the template tells.
//!
//! Whoever plans and the control plane that applies it come to the same, so that what was shown can be held against what
//! is done.

use std::sync::Arc;

use hangar_diag::position_of;
use hangar_ids::TypeName;
use hangar_schema::{TypeSchema, secret_pointers};
use hangar_template::deployment::{AwsNode, Deployment, NodeKind, NothingKnown, Target};
use hangar_template::source::{Place, Problem, Sources};
use hangar_template::value::{Because, Value as Known};
use serde_json::{Map, Value, json};

use super::stating;
use crate::record::AwsScope;

/// A template that was evaluated without anything of its group.
pub struct Fresh<'a> {
    /// What it comes to.
    pub deployment: &'a Deployment,
    /// Its files.
    pub sources: &'a Sources,
    /// Where resources go that do not say it.
    pub scope: Option<&'a AwsScope>,
    /// What is secret of a resource says its schema.
    pub schema_of: &'a dyn Fn(&TypeName) -> Option<Arc<TypeSchema>>,
}

impl Fresh<'_> {
    /// The properties of the plan: `scope`, `changes` and `outputs`.
    ///
    /// # Errors
    ///
    /// What cannot be evaluated of the template.
    pub fn plan(&self) -> Result<Value, Vec<Problem>> {
        let mut changes = Vec::new();
        for index in 0..self.deployment.nodes().len() {
            changes.push(self.change(index)?);
        }
        let outputs = self.deployment.outputs(&NothingKnown)?;
        let outputs: Map<String, Value> = outputs
            .iter()
            .map(|output| {
                let mut told = json!({"type": &*output.type_text, "change": "create"});
                tell(&output.value, output.secure, &mut told);
                (output.name.to_string(), told)
            })
            .collect();
        let scope = self.scope.map(ToString::to_string);
        Ok(json!({"scope": scope, "changes": changes, "outputs": outputs}))
    }

    fn change(&self, index: usize) -> Result<Value, Vec<Problem>> {
        let node = &self.deployment.nodes()[index];
        let existing = matches!(node.target, Target::Existing { .. });
        let mut change = json!({"address": &*node.address, "type": node.type_text(),
            "existing": existing, "changed": [], "source": self.source(&node.place)});
        if let Some(scope) = node.aws().and_then(|aws| self.scope_of(aws)) {
            change["scope"] = scope.to_string().into();
        }
        let Target::Managed { alias } = &node.target else {
            change["action"] = "read".into();
            return Ok(change);
        };
        let body = self.deployment.body(index, &NothingKnown)?;
        let stated = stating(&body.properties);
        let mut hidden = stated.secret_paths.clone();
        match &node.kind {
            NodeKind::Aws(aws) => {
                change["alias"] = (&**alias).into();
                change["action"] = "create".into();
                if let Some(schema) = (self.schema_of)(&aws.type_name) {
                    hidden.extend(secret_pointers(&schema, &stated.properties));
                }
            }
            NodeKind::Recipe => {
                change["name"] = (&**alias).into();
                change["action"] = "run".into();
                change["reason"] = "its resources are known once Terraform plans it".into();
            }
        }
        let parts = stated.parts(&hidden).into_iter().map(|mut part| {
            let path = part["path"].as_str().unwrap_or_default();
            if let Some(written) = body.written_at(path) {
                part.insert("source".to_owned(), self.source(&written.key));
            }
            Value::Object(part)
        });
        change["changed"] = parts.collect();
        Ok(change)
    }

    fn source(&self, place: &Place) -> Value {
        let Place { file, span } = place;
        let at = position_of(self.sources.text(file).unwrap_or_default(), span.start);
        json!({"file": &**file, "line": at.line, "column": at.column, "start": span.start, "end": span.end})
    }

    /// Where a resource goes: where its extension says, else where the template does.
    fn scope_of(&self, aws: &AwsNode) -> Option<AwsScope> {
        let account = aws.account.clone().or_else(|| self.scope.map(|it| it.account.clone()))?;
        let region = aws.region.clone().or_else(|| self.scope.map(|it| it.region.clone()))?;
        let plane = self.scope.map_or_else(|| "aws".to_owned(), |scope| scope.plane.clone());
        Some(AwsScope { plane, account, region })
    }
}

/// Tells an output: its value, or that it is secret or not known yet.
fn tell(value: &Known, secure: bool, told: &mut Value) {
    if secure || value.secret {
        told["secret"] = true.into();
        return;
    }
    match (value.first_unknown(), value.to_masked_json()) {
        (_, Some(known)) => told["value"] = known,
        (unknown, None) => {
            let because = unknown.map_or(&Because::Moment, |unknown| &unknown.because);
            told["unknown"] = because.to_string().into();
        }
    }
}
