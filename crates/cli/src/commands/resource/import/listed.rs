//! The list that a bulk import reads: what `discover -o json` prints, or one written by hand.

use std::collections::HashSet;
use std::path::Path;
use std::sync::OnceLock;

use hangar_diag::{Diagnostic, nearest};
use hangar_ids::TypeName;
use hangar_schema::json::Document;
use serde_json::{Map, Value};

use crate::client::request::Request;
use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::resource::alias::{Aliases, named_by_identifier};
use crate::commands::resource::identifier::{self, Named};
use crate::commands::types;
use crate::failure::Failure;
use crate::input::Inputs;

/// One resource to import.
pub(super) struct Item {
    /// In the catalog's spelling.
    pub(super) type_name: TypeName,
    pub(super) named: Named,
    /// As it was written.
    pub(super) text: String,
    pub(super) alias: String,
    pub(super) owned: Option<bool>,
    /// Where it is, if the list says.
    pub(super) place: Option<AwsPlace>,
    /// Its import, once it is sent: the same one is sent again.
    pub(super) request: OnceLock<Request>,
}

impl Item {
    /// What a command line names.
    pub(super) fn of_one(
        type_name: &TypeName,
        named: Named,
        text: &str,
        alias: &str,
        owned: bool,
    ) -> Self {
        Self {
            type_name: type_name.clone(),
            place: named.place.clone(),
            named,
            text: text.to_owned(),
            alias: alias.to_owned(),
            owned: owned.then_some(true),
            request: OnceLock::new(),
        }
    }

    /// For people: the type, and the alias in quotes.
    pub(super) fn label(&self) -> String {
        format!("{} `{}`", self.type_name.ucp(), self.alias)
    }
}

/// What a resource of the list may say. The rest is what `discover` adds for the eye.
const MEMBERS: [&str; 6] = ["type", "identifier", "alias", "owned", "scope", "trackedBy"];

/// Reads the whole list; every mistake in it is told, and nothing is done before it has none.
pub(super) fn read(path: &Path, inputs: &mut Inputs) -> Result<Vec<Item>, Failure> {
    let (source, document) = types::read_json(path, inputs)?;
    let (at, values) = match document.value() {
        Value::Array(values) => (String::new(), values),
        Value::Object(members) => match members.get("resources") {
            Some(Value::Array(values)) => ("/resources".to_owned(), values),
            _ => return Err(Failure::in_source(source, vec![no_list(&document)])),
        },
        _ => return Err(Failure::in_source(source, vec![no_list(&document)])),
    };
    let mut mistakes = Vec::new();
    let mut aliases = Aliases::default();
    let mut names = HashSet::new();
    let mut items = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let pointer = format!("{at}/{index}");
        match item(value, &mut aliases) {
            Ok(item) if !names.insert(item.label().to_ascii_lowercase()) => mistakes.push(
                Diagnostic::error(codes::BAD_LIST, format!("{} appears twice", item.label()))
                    .pointer(pointer)
                    .hint("an alias maps to one resource of its type; choose another alias for one of them"),
            ),
            Ok(item) => items.push(item),
            Err(mistake) => mistakes.push(below(mistake, &pointer)),
        }
    }
    if mistakes.is_empty() {
        return Ok(items);
    }
    for mistake in &mut mistakes {
        let place = mistake.pointer.as_deref().and_then(|pointer| document.span_of(pointer));
        if let Some(span) = place {
            *mistake = mistake.clone().at(span, "");
        }
    }
    Err(Failure::in_source(source, mistakes))
}

fn no_list(document: &Document) -> Diagnostic {
    let message = "this is not a list of resources";
    let mistake = Diagnostic::error(codes::BAD_LIST, message).hint(
        "pass the output of `hangar resource discover -o json`, or [{\"type\": …, \"identifier\": …, \"alias\": …}, \
         …]",
    );
    match document.span_of("") {
        Some(span) => mistake.at(span, "not a list"),
        None => mistake,
    }
}

/// A mistake in one resource, at its place in the whole list.
fn below(mistake: Diagnostic, pointer: &str) -> Diagnostic {
    let inside = mistake.pointer.clone().unwrap_or_default();
    let mut mistake = mistake;
    mistake.labels.clear();
    mistake.pointer(format!("{pointer}{inside}"))
}

fn item(value: &Value, aliases: &mut Aliases) -> Result<Item, Diagnostic> {
    let wrong = |message: &str| Diagnostic::error(codes::BAD_LIST, message);
    let Value::Object(members) = value else {
        let hint =
            "write {\"type\": \"AWS.EC2/VPC\", \"identifier\": \"vpc-1\", \"alias\": \"net\"}";
        return Err(wrong("a resource of the list is not an object").hint(hint));
    };
    if let Some(name) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        let mistake = wrong(&format!("`{name}` is not a member of a resource"));
        let mistake = mistake.pointer(format!("/{}", name.replace('~', "~0").replace('/', "~1")));
        return Err(match nearest(name, MEMBERS) {
            Some(near) => mistake.hint(format!("did you mean `{near}`?")),
            None => mistake.hint(format!("the members of a resource are {}", MEMBERS.join(", "))),
        });
    }
    let type_text = text(members, "type")?.ok_or_else(|| wrong("the resource has no `type`"))?;
    let schema = types::bundled(type_text).map_err(|failure| first_of(failure, "/type"))?;
    types::check_handlers(&schema).map_err(|failure| first_of(failure, "/type"))?;
    let type_name = TypeName::parse(schema.name())?;
    let identifier_text = match members.get("identifier") {
        // As one may write it for several parts.
        Some(object @ Value::Object(_)) => object.to_string(),
        _ => match text(members, "identifier")? {
            Some(text) => text.to_owned(),
            None => return Err(wrong("the resource has no `identifier`")),
        },
    };
    let named = identifier::read_by(&schema, &identifier_text).map_err(|mut mistake| {
        mistake.labels.clear();
        mistake.pointer("/identifier")
    })?;
    let alias = match text(members, "alias")? {
        Some(alias) => {
            aliases.take(&type_name.ucp(), alias);
            alias.to_owned()
        }
        None => aliases.propose(&type_name.ucp(), &named_by_identifier(&identifier_text)),
    };
    let owned = match members.get("owned") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(owned)) => Some(*owned),
        Some(_) => return Err(wrong("`owned` is neither true nor false").pointer("/owned")),
    };
    let place = match text(members, "scope")? {
        Some(scope) => Some(AwsPlace::of(scope).ok_or_else(|| {
            wrong("`scope` has no account and region")
                .pointer("/scope")
                .hint("write /planes/aws/aws/accounts/ACCOUNT/regions/REGION")
        })?),
        None => named.place.clone(),
    };
    Ok(Item {
        type_name,
        named,
        text: identifier_text,
        alias,
        owned,
        place,
        request: OnceLock::new(),
    })
}

/// A member that is a text, if it is there.
fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Diagnostic> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => {
            let message = format!("`{name}` is not a string");
            Err(Diagnostic::error(codes::BAD_LIST, message).pointer(format!("/{name}")))
        }
    }
}

/// The first thing that a failure says, at a place of the resource.
fn first_of(failure: Failure, pointer: &str) -> Diagnostic {
    let first = match failure {
        Failure::Reported(reports) | Failure::Answered { reports, .. } => {
            reports.into_iter().flat_map(|report| report.diagnostics).next()
        }
        Failure::Output(_) => None,
    };
    let mut first =
        first.unwrap_or_else(|| Diagnostic::error(codes::BAD_LIST, "it cannot be read"));
    first.labels.clear();
    first.pointer(pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<Item>, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.json");
        std::fs::write(&path, text).unwrap();
        read(&path, &mut Inputs::default())
    }

    fn told(text: &str) -> String {
        let Err(Failure::Reported(reports)) = read_text(text) else { panic!("{text} is read") };
        let found = reports.iter().flat_map(|report| &report.diagnostics);
        let line = |it: &Diagnostic| format!("{} at {:?}", it.message, it.pointer);
        found.map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_list_is_read_as_discover_prints_it_and_as_people_write_it() {
        let items = read_text(
            r#"{"resources": [
                {"type": "AWS::ec2::vpc", "identifier": "vpc-1", "alias": "net",
                 "scope": "/planes/aws/aws/accounts/1/regions/us-east-1"},
                {"type": "AWS.ApiGateway/Stage", "identifier": {"StageName": "b", "RestApiId": "a"},
                 "owned": true, "trackedBy": null}], "skipped": []}"#,
        )
        .unwrap();
        let [vpc, stage] = items.as_slice() else { panic!() };
        assert_eq!((vpc.label().as_str(), vpc.owned), ("AWS.EC2/VPC `net`", None));
        assert_eq!(vpc.place.as_ref().unwrap().region, "us-east-1");
        assert_eq!(stage.named.known(), Some("a|b"));
        assert_eq!(stage.owned, Some(true));
        assert_eq!(read_text("[]").unwrap().len(), 0);
    }

    #[test]
    fn every_mistake_of_a_list_is_told_with_its_place() {
        insta::assert_snapshot!(
            told(r#"[{"type": "AWS.EC2/VPX", "identifier": "x"}, {"type": "AWS.EC2/VPC"},
                {"type": "AWS.EC2/VPC", "identifier": "a", "alias": "n"},
                {"type": "AWS.EC2/VPC", "identifier": "b", "alias": "N"},
                {"type": "AWS.EC2/VPC", "identifier": "c", "alais": "n"},
                {"type": "AWS.ApiGateway/Stage", "identifier": "a"}]"#),
            @r#"
        the catalog has no type `AWS.EC2/VPX` at Some("/0/type")
        the resource has no `identifier` at Some("/1")
        AWS.EC2/VPC `N` appears twice at Some("/3")
        `alais` is not a member of a resource at Some("/4/alais")
        the identifier `a` has 1 part, but the schema has 2 at Some("/5/identifier")
        "#
        );
        assert!(told("{}").starts_with("this is not a list of resources"));
    }
}
