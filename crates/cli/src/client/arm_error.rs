//! An error in the words of Azure Resource Manager, as answers and ended operations carry it.

use hangar_diag::{Code, Diagnostic, Severity, Span};
use hangar_plan::operation::OperationId;
use hangar_plan::template_check;
use serde::Deserialize;
use serde_json::Value;

use super::ids;
use super::scope_mismatch::ScopeMismatch;
use crate::aws::credentials;
use crate::codes;
use crate::failure::{Cause, Failure, Report};

/// What the server, or AWS behind it, says went wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct ArmError {
    pub(crate) code: String,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) target: Option<String>,
    #[serde(default)]
    pub(crate) details: Vec<ArmDetail>,
    #[serde(default, rename = "additionalInfo")]
    pub(crate) additional_info: Box<[AdditionalInfo]>,
}

/// What programs are told besides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct AdditionalInfo {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    info: Value,
}

/// A place in one of the files that were sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct SourceSpan {
    pub(crate) file: String,
    #[serde(default)]
    severity: String,
    #[serde(default)]
    labels: Vec<SpanLabel>,
    #[serde(default)]
    hints: Vec<String>,
}

/// Bytes of that file, and a few words on what is there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct SpanLabel {
    start: usize,
    end: usize,
    #[serde(default)]
    text: String,
}

/// One part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct ArmDetail {
    #[serde(default)]
    pub(crate) code: String,
    #[serde(default)]
    pub(crate) message: String,
    /// A JSON pointer into the properties, or an id.
    #[serde(default)]
    pub(crate) target: Option<String>,
    #[serde(default, rename = "additionalInfo")]
    pub(crate) additional_info: Vec<AdditionalInfo>,
}

/// A call that was answered with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) error: ArmError,
}

impl Refusal {
    /// Whether the error has this code.
    pub(crate) fn is(&self, code: &str) -> bool {
        self.error.code.eq_ignore_ascii_case(code)
    }

    /// What a person is told: what was being done, what happened, what to do next.
    pub(crate) fn explain(&self, doing: &str) -> Failure {
        self.explain_in(doing, |diagnostics| vec![Report { source: None, diagnostics }])
    }

    /// The same, with the details shown where they stand in what was given.
    pub(crate) fn explain_in(
        &self,
        doing: &str,
        locate: impl FnOnce(Vec<Diagnostic>) -> Vec<Report>,
    ) -> Failure {
        // The cloud's own credential errors are 403 too, with codes of their own.
        let is_ours = self.status == 401 || (self.status == 403 && self.is("Forbidden"));
        let code = if is_ours { codes::API_UNAUTHORIZED } else { codes::API_REFUSED };
        self.error.explain(code, Some(self.status), doing, None, locate)
    }
}

impl ArmError {
    /// The failure of what was being done, with every detail.
    pub(crate) fn explain(
        &self,
        code: Code,
        status: Option<u16>,
        doing: &str,
        last_hint: Option<String>,
        locate: impl FnOnce(Vec<Diagnostic>) -> Vec<Report>,
    ) -> Failure {
        if let Some(problem) = credentials::explain_code(&self.code, &self.message) {
            return self
                .answered(status, vec![Report { source: None, diagnostics: vec![problem] }]);
        }
        let what = format!("{} ({})", self.happened(), self.code);
        let what = if doing.is_empty() { what } else { format!("{doing}: {what}") };
        let mut main = Diagnostic::error(code, what);
        main.hints = self.hints();
        main.hints.extend(last_hint);
        let details: Vec<Diagnostic> = self.details.iter().map(ArmDetail::to_diagnostic).collect();
        let mut reports = vec![Report { source: None, diagnostics: vec![main] }];
        if !details.is_empty() {
            reports.extend(locate(details));
        }
        self.answered(status, reports)
    }

    fn answered(&self, status: Option<u16>, reports: Vec<Report>) -> Failure {
        let cause = Cause { status, code: self.code.clone(), target: self.target.clone() };
        Failure::Answered { cause, reports }
    }

    /// What happened, without what callers of the HTTP API can do about it: the hints say it for this program.
    fn happened(&self) -> String {
        match self.code.as_str() {
            "NotOwned" => clause(self.message.split(';').next().unwrap_or_default()).to_owned(),
            "ScopeMismatch" => match ScopeMismatch::parse(&self.message) {
                Some(mismatch) => mismatch.message(),
                None => clause(&self.message).to_owned(),
            },
            "ScopeRequired" => {
                "no AWS account and region: neither the command, the group nor the server sets them"
                    .to_owned()
            }
            _ => clause(&without_routes(clause(&self.message))).to_owned(),
        }
    }

    /// What can be done about it with this program.
    fn hints(&self) -> Vec<String> {
        let hints: &[&str] = match self.code.as_str() {
            "ResourceGroupNotFound" => {
                let named = self.target.as_deref().and_then(group_in);
                let name = named.or_else(|| group_in(&self.message)).unwrap_or("NAME");
                return vec![format!(
                    "`hangar group create {name}` creates it; `hangar group list` shows the groups"
                )];
            }
            "ResourceNotFound" if self.is_about(ids::DEPLOYMENTS) => {
                &["`hangar deployment list` lists the deployments of the group"]
            }
            "ResourceNotFound"
                if self.is_about(ids::RECIPES) && self.message.contains(" state ") =>
            {
                &["`hangar recipe state list NAME` lists the stored versions"]
            }
            "ResourceNotFound" if self.is_about(ids::RECIPES) => {
                &["`hangar recipe list` lists the recipes of the group"]
            }
            "ResourceNotFound" => &[
                "`hangar resource list` lists aliases, `hangar resource discover TYPE` lists resources in AWS",
            ],
            "InvalidDeploymentName" | "InvalidRecipeName" => &["choose another name: --name NAME"],
            "DeploymentOfAnotherTemplate" => &[
                "to create a separate deployment, choose another name: --name NAME",
                "if this template replaces the other one, pass --take-over",
            ],
            "InvalidRecipeConfig" if self.message.contains("/secrets/") => {
                &["set it with --recipe-secret NAME, which prompts for the value"]
            }
            "OperationNotFound" => &["`hangar operation list` lists the stored operations"],
            "Conflict" => match operation_in(&self.message) {
                Some(id) => {
                    return vec![format!(
                        "`hangar operation wait {id}` waits until it ends; then run this command again"
                    )];
                }
                None => &["`hangar operation list --running` lists the running operations"],
            },
            "ReplaceRequired" => &[
                "restore the old values, or run `hangar resource put … --replace` to create a new resource and \
                    delete the old one",
            ],
            "NotOwned" => &[
                "an imported resource is not replaced; to own it, import it again: `hangar resource import TYPE \
                 IDENTIFIER --alias ALIAS --owned`",
            ],
            "AlreadyExists" => &[
                "a resource with this name exists and has no alias: `hangar resource put … --adopt` adopts it and \
                 applies the properties",
            ],
            "AliasMapped" => match self.reference() {
                Some(name) => {
                    return vec![format!(
                        "choose another alias, or detach this one: `hangar resource detach {name}`"
                    )];
                }
                None => &["choose another alias"],
            },
            "ResourceMapped" => match self.reference() {
                Some(name) => {
                    return vec![format!(
                        "use that alias, rename it (`hangar resource rename {name} NEW`), or detach it first \
                         (`hangar resource detach {name}`)"
                    )];
                }
                None => &["use its alias, or detach that alias first: `hangar resource detach`"],
            },
            "AliasTaken" => {
                &["choose another alias; `hangar resource list` lists the aliases in use"]
            }
            "WriteOnlyValuesRequired" => &[
                "AWS removes write-only values that an update does not repeat: include these values in the patch, or \
                 put all properties",
            ],
            "NothingApplied" => {
                &["put it once with `hangar resource put`; after that it can be repaired"]
            }
            "GroupDeleting" => &["`hangar operation list --running` shows the progress"],
            "PlaneNotEmpty" => &["delete its contents first"],
            "ScopeRequired" => &[
                "pass --aws-account and --aws-region, or set them for the group: `hangar group create NAME \
                 --aws-account … --aws-region …`",
            ],
            "ScopeMismatch" => match ScopeMismatch::parse(&self.message) {
                Some(mismatch) => return vec![mismatch.hint()],
                None => &["omit --aws-account and --aws-region, or use another alias"],
            },
            "AliasUnknown" => &[
                "an earlier create may have succeeded; `hangar resource list --state unknown` shows its details, and \
                 later writes search for the resource again",
                "if you know the resource, run `hangar resource adopt TYPE ALIAS IDENTIFIER`; to remove the alias, \
                 run `hangar resource abandon TYPE ALIAS`",
            ],
            "Unauthorized" | "AuthenticationFailed" | "InvalidAuthenticationToken" => &[
                "the token is in the file `token` in the server's data directory; pass that file with --token-file",
            ],
            _ => &[],
        };
        hints.iter().map(|hint| (*hint).to_owned()).collect()
    }
}

impl ArmError {
    /// Whether the target is an id in a collection of the given name.
    fn is_about(&self, collection: &str) -> bool {
        self.target.as_deref().is_some_and(|target| target.contains(collection))
    }
}

impl ArmError {
    /// The reference that it is about, as commands name it: `AWS.EC2/VPC net -g prod`.
    fn reference(&self) -> Option<String> {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | ';' | ',' | ')');
        let words = self.message.split(is_end).chain(self.target.as_deref());
        words.filter(|word| word.starts_with("/planes/")).find_map(ids::words_of)
    }
}

impl ArmError {
    /// The operation that programs are told of.
    pub(crate) fn operation(&self) -> Option<OperationId> {
        let told = self.additional_info.iter().filter(|more| more.kind == "Operation");
        let mut told = told.filter_map(|more| OperationId::parse(more.info.get("id")?.as_str()?));
        told.next().or_else(|| operation_in(&self.message))
    }
}

impl ArmError {
    /// The keyed hash of a template's secrets, of a plan for a group that does not exist.
    pub(crate) fn fresh_seal(&self) -> Option<String> {
        let info = self.additional_info.iter().find(|more| more.kind == "NewGroupPlan")?;
        info.info.get("seal")?.as_str().map(str::to_owned)
    }
}

impl ArmDetail {
    /// Where it stands in the files that were sent.
    pub(crate) fn source_span(&self) -> Option<SourceSpan> {
        let info = self.additional_info.iter().find(|more| more.kind == "SourceSpan")?;
        SourceSpan::deserialize(&info.info).ok()
    }

    /// The same with its place in a file.
    pub(crate) fn to_diagnostic_at(&self, place: &SourceSpan) -> Diagnostic {
        let mut diagnostic = self.to_diagnostic();
        diagnostic.pointer = None;
        if place.severity == Severity::Warning.as_str() {
            diagnostic.severity = Severity::Warning;
        }
        for label in &place.labels {
            diagnostic = diagnostic.at(Span::new(label.start, label.end), label.text.as_str());
        }
        diagnostic.hints.clone_from(&place.hints);
        diagnostic
    }

    pub(crate) fn to_diagnostic(&self) -> Diagnostic {
        let known = hangar_schema::codes::ALL.iter().chain(hangar_ids::codes::ALL);
        let known = known.chain(hangar_template::codes::ALL);
        let checks =
            template_check::codes::OF_TYPES.iter().chain(template_check::codes::FROM_SCHEMAS);
        let mut known = known.map(|(code, _)| *code).chain(checks.copied());
        let known = known.find(|code| code.as_str() == self.code);
        let mut diagnostic = match known {
            Some(code) => Diagnostic::error(code, clause(&self.message)),
            None if self.code.is_empty() => {
                Diagnostic::error(codes::API_DETAIL, clause(&self.message))
            }
            None => {
                let message = format!("{} ({})", clause(&self.message), self.code);
                Diagnostic::error(codes::API_DETAIL, message)
            }
        };
        // An empty target is the whole document.
        diagnostic.pointer.clone_from(&self.target);
        diagnostic
    }
}

/// The operation that a message names.
fn operation_in(message: &str) -> Option<OperationId> {
    message.split(|c: char| !c.is_ascii_hexdigit() && c != '-').find_map(OperationId::parse)
}

/// The group that an id, or a message with one, names.
fn group_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("/resourceGroups/")?;
    let name = rest.split(|c: char| c == '/' || c == '`' || c.is_whitespace()).next()?;
    Some(name.trim_end_matches([';', ',', '.'])).filter(|name| !name.is_empty())
}

/// Parts of the HTTP API in the advice of a message.
const BODY_MEMBERS: [&str; 4] =
    ["`\"replace\": ", "`\"adopt\": ", "`mapsTo.primaryIdentifier`", "`mode=detach`"];

/// A message without the clauses that name a method and a path of the HTTP API, and without advice about bodies.
fn without_routes(message: &str) -> String {
    let has_route = |clause: &str| {
        let methods = ["GET", "PUT", "POST", "PATCH", "DELETE"];
        methods.iter().any(|method| clause.contains(&format!("{method} /")))
    };
    let is_advice = |clause: &str| BODY_MEMBERS.iter().any(|member| clause.contains(member));
    let clauses = message.split(';').enumerate();
    let kept: Vec<&str> = clauses
        .filter(|(at, clause)| !has_route(clause) && (*at == 0 || !is_advice(clause)))
        .map(|(_, clause)| clause)
        .collect();
    // A message that is nothing but a route says more than none.
    if kept.is_empty() { message.to_owned() } else { kept.join(";").trim().to_owned() }
}

/// A message without the full stop that others end theirs with.
fn clause(message: &str) -> &str {
    message.trim().trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::diagnostic::to_text;

    fn text(failure: &Failure) -> String {
        let Failure::Answered { reports, .. } = failure else { panic!("{failure:?}") };
        anstream::adapter::strip_str(&to_text(reports, None)).to_string()
    }

    #[test]
    fn advice_about_bodies_of_the_http_api_is_left_to_the_hints() {
        let message = "changing /CidrBlock requires a new resource; nothing was changed; put it with \
                       `\"replace\": \"allow\"` to replace the resource";
        let kept = "changing /CidrBlock requires a new resource; nothing was changed";
        assert_eq!(without_routes(message), kept);
        let first = "the body has neither `properties` nor `mapsTo.primaryIdentifier`";
        assert_eq!(without_routes(first), first);
    }

    #[test]
    fn an_error_says_what_happened_to_what_and_where() {
        let error: ArmError = serde_json::from_str(
            r#"{"code": "ReplaceRequired", "message": "only a replacement can do this.", "details": [
                {"code": "CreateOnly", "message": "can only be set at creation", "target": "/CidrBlock"},
                {"code": "SCHEMA0102", "message": "`VpcId` is read-only", "target": "/VpcId"}]}"#,
        )
        .unwrap();
        let failure = Refusal { status: 409, error }.explain("cannot put AWS.EC2/VPC `net`");
        insta::assert_snapshot!(text(&failure), @"
        error[API0001]: cannot put AWS.EC2/VPC `net`: only a replacement can do this (ReplaceRequired)
        hint: restore the old values, or run `hangar resource put … --replace` to create a new resource and delete the old one

        error[API0006]: can only be set at creation (CreateOnly)
         |
         = at: /CidrBlock

        error[SCHEMA0102]: `VpcId` is read-only
         |
         = at: /VpcId
        ");
    }

    #[test]
    fn the_alias_that_is_in_the_way_is_named_as_commands_name_it() {
        let hints = |code: &str, group: &str| {
            let id = format!(
                "/planes/radius/local/resourceGroups/{group}/providers/AWS.EC2/VPC:reference/net"
            );
            let message = format!("vpc-1 is already mapped by {id}");
            ArmError { code: code.to_owned(), message, ..ArmError::default() }.hints().join(" ")
        };
        let told = hints("ResourceMapped", "prod");
        assert!(told.contains("`hangar resource detach AWS.EC2/VPC net -g prod`"), "{told}");
        let told = hints("AliasMapped", "default");
        assert!(told.contains("`hangar resource detach AWS.EC2/VPC net`"), "{told}");
    }

    #[test]
    fn a_message_names_no_route_of_the_http_api() {
        let message =
            "there is no group `x`; create it with PUT /planes/radius/local/resourceGroups/x";
        assert_eq!(without_routes(message), "there is no group `x`");
        assert_eq!(without_routes("PUT /planes/a failed"), "PUT /planes/a failed");
        assert_eq!(without_routes("one; two"), "one; two");
    }

    #[test]
    fn a_failure_of_the_credentials_is_one_message() {
        let details = vec![ArmDetail::default()];
        let (code, message) = ("ExpiredToken".to_owned(), "The token is over.".to_owned());
        let error = ArmError { code, message, details, ..ArmError::default() };
        let failure = Refusal { status: 403, error }.explain("cannot put AWS.EC2/VPC `net`");
        insta::assert_snapshot!(text(&failure), @"
        error[CLI0101]: the AWS credentials have expired (ExpiredToken): The token is over
        hint: run `aws sso login`, or set AWS_SESSION_TOKEN and the keys of a new session
        ");
    }

    #[test]
    fn a_wrong_token_is_told_from_what_aws_forbids() {
        let code = |status, code: &str| {
            let error = ArmError { code: code.to_owned(), ..ArmError::default() };
            match (Refusal { status, error }).explain("") {
                Failure::Answered { reports, .. } => reports[0].diagnostics[0].code.as_str(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(code(401, "Unauthorized"), "API0004");
        assert_eq!(code(403, "AccessDenied"), "API0001");
    }
}
