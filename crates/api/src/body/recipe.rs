//! The body of a recipe's `PUT`: a module, by its address or by its files, and the values of its variables. All that
//! is wrong is told at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hangar_diag::nearest;
use hangar_engine::{RecipeSource, RecipeTerms};
use serde_json::{Map, Value};

use super::Members;
use super::deployment::{content_of, fault_of};
use super::members::{below, wrong};
use crate::error::{ApiError, Detail};

/// What a caller wants to be run.
pub(crate) struct RecipeBody(pub(crate) RecipeTerms);

impl fmt::Debug for RecipeBody {
    /// Without files and parameters: they can hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecipeBody(«terms»)")
    }
}

impl RecipeBody {
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let mut body = Members::of(body.unwrap_or_else(|| Value::Object(Map::new())))?;
        let Some(members) = body.take_members("properties")? else {
            let why = "is missing; it contains `source` or `files`, and `parameters`";
            return Err(body.refuse("properties", why));
        };
        let mut mistakes = Mistakes::default();
        let terms = mistakes.terms(members);
        mistakes.note(body.end());
        mistakes.end()?;
        Ok(Self(terms))
    }
}

/// What is wrong with a body so far.
#[derive(Default)]
struct Mistakes(Vec<ApiError>);

/// How many mistakes are told one by one.
const TOLD: usize = 200;

impl Mistakes {
    /// What was read; its absence where it was wrong.
    fn note<T: Default>(&mut self, read: Result<T, ApiError>) -> T {
        read.unwrap_or_else(|error| {
            self.0.push(error);
            T::default()
        })
    }

    /// Nothing where nothing was wrong; one mistake as it is; of several a list.
    fn end(mut self) -> Result<(), ApiError> {
        if self.0.len() <= 1 {
            return self.0.pop().map_or(Ok(()), Err);
        }
        let count = self.0.len();
        let error = wrong("", &format!("has {count} errors; nothing was started"));
        let details = self.0.iter().take(TOLD).map(|it| Detail {
            code: it.code().to_owned(),
            message: it.message().to_owned(),
            target: it.target().map(str::to_owned),
            ..Detail::default()
        });
        Err(details.fold(error, ApiError::with_detail))
    }

    fn terms(&mut self, mut members: Members) -> RecipeTerms {
        let address = self.note(members.take_text("source"));
        let version = self.note(members.take_text("version"));
        let files = self.note(members.take_object("files"));
        let label = self.note(members.take_text("label"));
        let source = match (address, files) {
            (Some(address), None) => {
                if label.is_some() {
                    let why = "is only for `files`; a fetched module is named by its `source`";
                    self.0.push(members.refuse("label", why));
                }
                RecipeSource::Remote { address, version }
            }
            (None, Some(files)) => {
                if version.is_some() {
                    let why = "is only for registry modules; files have no version";
                    self.0.push(members.refuse("version", why));
                }
                let files = self.files(files, &members.place("files"));
                RecipeSource::Files { label: self.label(label, &members), files }
            }
            (both, _) => {
                let why = if both.is_some() {
                    "and `files` are both set; send only one of them"
                } else {
                    "and `files` are both missing; send the address of the module, or its files"
                };
                // Where either was of a wrong kind, that was told.
                if self.0.is_empty() {
                    self.0.push(members.refuse("source", why));
                }
                RecipeSource::Remote { address: String::new(), version: None }
            }
        };
        let parameters = self.note(members.take_object("parameters"));
        let parameters: BTreeMap<String, Value> = parameters.into_iter().flatten().collect();
        let secret_parameters = self.note(members.take_texts("secretParameters"));
        let at = members.place("secretParameters");
        for (index, name) in secret_parameters.iter().enumerate() {
            if !parameters.contains_key(name) {
                let near = nearest(name, parameters.keys().map(String::as_str));
                let hint =
                    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                let why = format!("is not the name of a parameter in `parameters`{hint}");
                self.0.push(wrong(&below(&at, &index.to_string()), &why));
            }
        }
        self.note(members.end());
        let secret_parameters: BTreeSet<String> = secret_parameters.into_iter().collect();
        RecipeTerms { source, parameters, secret_parameters }
    }

    /// What the directory of the files is called; where nobody says, the module itself.
    fn label(&mut self, label: Option<String>, members: &Members) -> String {
        match label {
            None => String::from("."),
            Some(label) if label.is_empty() || label.len() > LONGEST_LABEL => {
                self.0.push(members.refuse("label", "is not 1 to 1024 bytes long"));
                String::new()
            }
            Some(label) if label.contains(char::is_control) => {
                self.0.push(members.refuse("label", "has a control character"));
                String::new()
            }
            Some(label) => label,
        }
    }

    fn files(&mut self, files: Map<String, Value>, at: &str) -> BTreeMap<String, Vec<u8>> {
        if files.is_empty() {
            self.0.push(wrong(at, "is empty; send all files of the module by their paths"));
        }
        let mut read = BTreeMap::new();
        for (path, content) in files {
            let place = below(at, &path);
            if let Some(fault) = fault_of(&path) {
                let why = format!(
                    "is not a path of a file in the module: it {fault}; write a path such as \
                     `modules/net/main.tf`"
                );
                self.0.push(wrong(&place, &why));
                continue;
            }
            let content = self.note(content_of(content, place));
            read.insert(path, content);
        }
        read
    }
}

/// No directory has a longer name.
const LONGEST_LABEL: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(properties: &Value) -> Result<RecipeTerms, ApiError> {
        RecipeBody::of(Some(json!({ "properties": properties }))).map(|body| body.0)
    }

    /// A body that is right, with one member of its properties changed.
    fn with(name: &str, value: Value) -> Result<RecipeTerms, ApiError> {
        let mut properties = json!({"files": {"main.tf": ""}});
        properties[name] = value;
        of(&properties)
    }

    #[test]
    fn a_module_comes_by_its_address_or_by_its_files() {
        let fetched = of(&json!({"source": "a/b/c", "version": "~> 1.0"})).unwrap();
        let RecipeSource::Remote { address, version } = fetched.source else { panic!("fetched") };
        assert_eq!((address.as_str(), version.as_deref()), ("a/b/c", Some("~> 1.0")));

        let sent = of(&json!({
            "files": {"main.tf": "x", "modules/n/logo": {"base64": "/w=="}}, "label": "./net",
            "parameters": {"k": [1], "none": null, "password": "p"},
            "secretParameters": ["password"],
        }))
        .unwrap();
        let RecipeSource::Files { label, files } = sent.source else { panic!("sent along") };
        assert_eq!(label, "./net");
        assert_eq!(files["main.tf"], b"x");
        assert_eq!(files["modules/n/logo"], [0xff]);
        assert_eq!(sent.parameters["none"], Value::Null, "a null is a value");
        assert!(sent.secret_parameters.contains("password"));
        let least = with("label", Value::Null).unwrap();
        assert!(matches!(least.source, RecipeSource::Files { label, .. } if label == "."));
    }

    #[test]
    fn what_cannot_be_used_is_refused_where_it_stands() {
        for (name, value, target) in [
            ("source", json!("a/b/c"), "/properties/source"),
            ("source", json!(1), "/properties/source"),
            ("files", Value::Null, "/properties/source"),
            ("files", json!([]), "/properties/files"),
            ("files", json!({}), "/properties/files"),
            ("files", json!({"../x": ""}), "/properties/files/..~1x"),
            ("files", json!({"x": 1}), "/properties/files/x"),
            ("files", json!({"x": {"base64": "*"}}), "/properties/files/x/base64"),
            ("version", json!("1"), "/properties/version"),
            ("label", json!(""), "/properties/label"),
            ("label", json!("a\nb"), "/properties/label"),
            ("parameters", json!([]), "/properties/parameters"),
            ("secretParameters", json!(["x"]), "/properties/secretParameters/0"),
            ("secretParameters", json!([1]), "/properties/secretParameters"),
            ("sources", json!({}), "/properties/sources"),
        ] {
            let error = with(name, value.clone()).unwrap_err();
            assert_eq!(error.status(), 400, "{name} {value}");
            assert_eq!(error.value()["target"], target, "{name} {value}: {}", error.message());
        }
        let labelled = of(&json!({"source": "a/b/c", "label": "x"})).unwrap_err();
        assert_eq!(labelled.value()["target"], "/properties/label");
        for body in [None, Some(json!({})), Some(json!([])), Some(json!({"properties": 1}))] {
            assert_eq!(RecipeBody::of(body).unwrap_err().status(), 400);
        }
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let error = of(&json!({
            "files": {"/x": "", "y": 1}, "label": 1, "parameters": {"password": "p"},
            "secretParameters": ["pasword"], "mode": "x",
        }))
        .unwrap_err();
        let details = error.value()["details"].clone();
        let targets: Vec<&str> =
            details.as_array().unwrap().iter().map(|it| it["target"].as_str().unwrap()).collect();
        assert_eq!(
            targets,
            [
                "/properties/label",
                "/properties/files/~1x",
                "/properties/files/y",
                "/properties/secretParameters/0",
                "/properties/mode",
            ]
        );
        assert!(details.to_string().contains("did you mean `password`?"), "{details}");
    }
}
