//! Texts of other tools, recognised by what only they hold, so that nobody reads a list of syntax errors for them.
//!
//! Only asked of a text that is no Bicep, or of JSON that is no ARM template: a guess never refuses a good one.

use hangar_diag::{Diagnostic, Span};

use crate::arm::{Json, JsonKind as Kind, parse_json};
use crate::codes;

/// What a text is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherLanguage {
    CloudFormation,
    Terraform,
    TerraformState,
    Kubernetes,
    Yaml,
    Json,
}

impl OtherLanguage {
    /// The language of a text that is no Bicep.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_start().starts_with('{') {
            let json = parse_json(text).ok()?;
            return Some(Self::of_json(&json).unwrap_or(Self::Json));
        }
        let lines = || text.lines().filter(|it| !is_comment(it));
        let first = lines().next()?;
        let has_key = |key: &str| lines().any(|it| key_of(it) == Some(key));
        if has_key("AWSTemplateFormatVersion") || has_key("Resources") && names_aws_types(text) {
            return Some(Self::CloudFormation);
        }
        if has_key("apiVersion") && has_key("kind") {
            return Some(Self::Kubernetes);
        }
        if lines().any(is_block_of_hcl) {
            return Some(Self::Terraform);
        }
        (first.trim_end() == "---" || key_of(first).is_some()).then_some(Self::Yaml)
    }

    /// The language of JSON that is no ARM template.
    pub(crate) fn of_json(json: &Json) -> Option<Self> {
        let has = |name: &str| json.get(name).is_some();
        let is_object =
            |name: &str| json.get(name).is_some_and(|it| matches!(it.kind, Kind::Object(_)));
        if has("AWSTemplateFormatVersion") || is_object("Resources") {
            Some(Self::CloudFormation)
        } else if has("apiVersion") && has("kind") {
            Some(Self::Kubernetes)
        } else if has("terraform_version") {
            Some(Self::TerraformState)
        } else if is_object("resource") || is_object("terraform") {
            Some(Self::Terraform)
        } else {
            None
        }
    }

    /// What is said of it, at the beginning of the text.
    pub(crate) fn diagnostic(self) -> Diagnostic {
        let name = match self {
            Self::CloudFormation => "a CloudFormation template",
            Self::Terraform => "a Terraform configuration",
            Self::TerraformState => "a Terraform state",
            Self::Kubernetes => "a Kubernetes manifest",
            Self::Yaml => "YAML",
            Self::Json => "JSON",
        };
        let message =
            format!("this is {name}; Hangar deploys Bicep (`.bicep`) and ARM JSON (`.json`)");
        let diagnostic = Diagnostic::error(codes::OTHER_LANGUAGE, message).at(Span::new(0, 0), "");
        let hints: &[&str] = match self {
            Self::CloudFormation => &[
                "write its resources in Bicep: the type `AWS::EC2::VPC` becomes `resource vpc \
                'AWS.EC2/VPC@default'`, and `Properties` become `properties`",
                "for resources that exist in AWS, `hangar resource discover --print-bicep` prints a template",
            ],
            Self::Terraform => &[
                "run a Terraform module with `hangar recipe deploy`, or as a recipe in a template",
            ],
            Self::TerraformState => &["list the resources of a state with `hangar terraform ids`"],
            Self::Kubernetes => &[
                "apply it with `kubectl`; `hangar resolve` replaces references to AWS resources in it",
            ],
            Self::Yaml => &["write the template in Bicep; see docs/templates.md"],
            Self::Json => &["if it is ARM JSON, rename the file to the extension `.json`"],
        };
        hints.iter().fold(diagnostic, |it, hint| it.hint(*hint))
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#') || line.starts_with("//")
}

/// The key of a line of YAML that is not indented.
fn key_of(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_key = !key.is_empty() && key.chars().all(is_name);
    (is_key && (rest.is_empty() || rest.starts_with([' ', '\r']))).then_some(key)
}

fn names_aws_types(text: &str) -> bool {
    text.lines().filter_map(|it| it.trim_start().strip_prefix("Type:")).any(|it| {
        let name = it.trim_start().trim_start_matches(['"', '\'']);
        ["AWS::", "Custom::", "Alexa::"].iter().any(|prefix| name.starts_with(prefix))
    })
}

/// `resource "aws_vpc" "main" {`, `locals {`.
fn is_block_of_hcl(line: &str) -> bool {
    const BLOCKS: [&str; 8] =
        ["resource", "data", "provider", "variable", "output", "module", "locals", "terraform"];
    let Some((word, rest)) = line.split_once(' ') else { return false };
    let rest = rest.trim();
    let labels = rest.trim_end_matches('}').trim_end_matches('{').trim_end();
    let is_labels = labels.is_empty() && word != "resource"
        || labels.len() > 1 && labels.starts_with('"') && labels.ends_with('"');
    BLOCKS.contains(&word) && is_labels && rest.contains('{')
}

/// Names the language of a text that is neither Bicep nor ARM JSON, if another tool's is recognised.
pub fn recognise_other_language(text: &str) -> Option<Diagnostic> {
    let language = match parse_json(text) {
        Ok(json) => OtherLanguage::of_json(&json)?,
        Err(_) => OtherLanguage::of(text)?,
    };
    Some(language.diagnostic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_other_tools_are_recognised() {
        for (text, expected) in [
            (
                "AWSTemplateFormatVersion: '2010-09-09'\nResources: {}\n",
                OtherLanguage::CloudFormation,
            ),
            ("# c\nResources:\n  Vpc:\n    Type: AWS::EC2::VPC\n", OtherLanguage::CloudFormation),
            (
                "{\"Resources\": {\"A\": {\"Type\": \"AWS::S3::Bucket\"}}}",
                OtherLanguage::CloudFormation,
            ),
            ("---\napiVersion: v1\nkind: Pod\n", OtherLanguage::Kubernetes),
            ("{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}", OtherLanguage::Kubernetes),
            ("resource \"aws_vpc\" \"main\" {\n}\n", OtherLanguage::Terraform),
            ("terraform {\n  required_version = \"1\"\n}\n", OtherLanguage::Terraform),
            ("variable \"a\" {}\n", OtherLanguage::Terraform),
            ("{\"version\": 4, \"terraform_version\": \"1.0\"}", OtherLanguage::TerraformState),
            ("services:\n  web:\n    image: x\n", OtherLanguage::Yaml),
            ("{\"a\": 1}", OtherLanguage::Json),
        ] {
            assert_eq!(OtherLanguage::of(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn bicep_with_a_mistake_stays_bicep() {
        for text in [
            "resource q \"AWS.SQS/Queue@default\" = {\n  alias: 'q'\n}\n",
            "extension aws\nvar a = {\n  b: 1\n",
            "var a = )\nResources: 1\n",
            "output o string = \"x\"\n",
            "",
        ] {
            assert_eq!(OtherLanguage::of(text), None, "{text}");
        }
    }
}
