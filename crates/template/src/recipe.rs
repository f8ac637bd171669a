//! A recipe as a template states it: where its module comes from, and what it is run with.
//!
//! What a module declares is not known here; whoever has its files holds them against the parameters.

use std::sync::Arc;

use hangar_diag::{Code, Diagnostic};

use crate::codes;
use crate::deployment::Body;
use crate::near::near;
use crate::path;
use crate::source::{Place, Problem};
use crate::types::describe;
use crate::value::{Data, Members, Value};

/// The type of a recipe.
pub const RECIPE_TYPE: &str = "Hangar.Recipes/recipes";

/// The version that is written after it.
pub const RECIPE_VERSION: &str = "2023-10-01-preview";

/// What the properties of a recipe may hold.
const MEMBERS: [&str; 3] = ["source", "version", "parameters"];

/// What the body of a recipe comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// Where its module comes from; nothing where that hangs on a parameter without a value.
    pub module: Option<Module>,
    /// The version of a registry's module: text, or not known yet.
    pub version: Option<Value>,
    /// Values by the names of the module's variables; an object, or not known yet.
    pub parameters: Value,
    /// Where the source is written.
    pub source_place: Place,
    /// Where the parameters are written; else the recipe.
    pub parameters_place: Place,
    /// Where each parameter is written, by its name.
    parameter_places: Vec<(String, Place)>,
}

/// Where a module comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Module {
    /// A directory of the project, whose files go along.
    Directory {
        /// As the template names it.
        written: Arc<str>,
        /// Its path in the project.
        path: String,
    },
    /// An address that Terraform fetches.
    Remote(Arc<str>),
}

impl Recipe {
    /// Reads the body of a recipe; what is wrong with it has its place.
    pub(crate) fn of(body: &Body, declared: &Place) -> Result<Self, Vec<Problem>> {
        let reading = Reading { body, declared };
        let members = match &body.properties.data {
            Data::Object(members) => (**members).clone(),
            // Not even its names are known yet; what must be known is told by the start.
            _ => Members::new(),
        };
        let is_open = matches!(body.properties.data, Data::Unknown(_));
        let mut problems = Vec::new();
        for name in members.keys().filter(|name| !MEMBERS.contains(&&***name)) {
            problems.push(reading.unknown_member(name));
        }
        let module = match members.get("source") {
            Some(source) => reading.module(source).map_err(|it| problems.push(*it)).ok().flatten(),
            None if is_open => None,
            None => {
                problems.push(reading.no_source());
                None
            }
        };
        let version = members.get("version").cloned();
        if let Some(version) = &version
            && !matches!(version.data, Data::String(_) | Data::Unknown(_))
        {
            let message = format!("`version`: expected `string`, found {}", describe(version));
            problems.push(reading.wrong(codes::WRONG_TYPE, "/version", message));
        }
        if version.is_some() && matches!(module, Some(Module::Directory { .. })) {
            let message =
                "`version` is not allowed for a directory, only for a module from a registry";
            problems.push(reading.wrong(codes::RECIPE_BODY, "/version", message.to_owned()));
        }
        let parameters = members.get("parameters").cloned();
        let parameters = parameters.unwrap_or_else(|| Value::object(Members::new()));
        if !matches!(parameters.data, Data::Object(_) | Data::Unknown(_)) {
            let message =
                format!("`parameters`: expected `object`, found {}", describe(&parameters));
            problems.push(reading.wrong(codes::WRONG_TYPE, "/parameters", message));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            module,
            version,
            parameter_places: reading.parameter_places(&parameters),
            parameters,
            source_place: reading.value_place("/source"),
            parameters_place: reading.key_place("/parameters"),
        })
    }

    /// Where a parameter is written: its name, or what it came with.
    pub fn parameter_place(&self, name: &str) -> &Place {
        let found = self.parameter_places.iter().find(|(it, _)| it == name);
        found.map_or(&self.parameters_place, |(_, place)| place)
    }
}

/// A body while it is read.
struct Reading<'a> {
    body: &'a Body,
    declared: &'a Place,
}

impl Reading<'_> {
    fn module(&self, source: &Value) -> Result<Option<Module>, Box<Problem>> {
        let wrong =
            |message: &str| Box::new(self.wrong(codes::RECIPE_BODY, "/source", message.to_owned()));
        if source.secret || self.body.properties.secret {
            return Err(wrong(
                "a secret cannot be the source of a recipe, because sources are shown",
            ));
        }
        let text = match &source.data {
            Data::String(text) => text,
            Data::Unknown(_) => return Ok(None),
            _ => {
                let message = format!("`source`: expected `string`, found {}", describe(source));
                return Err(Box::new(self.wrong(codes::WRONG_TYPE, "/source", message)));
            }
        };
        let plain = text.replace('\\', "/");
        let is_relative =
            plain == "." || plain == ".." || plain.starts_with("./") || plain.starts_with("../");
        if plain.starts_with('/') || plain.get(1..3) == Some(":/") {
            let mut problem = wrong("the directory must be relative to the folder of the template");
            problem.diagnostic.hints.push("write the directory as in `./network`".to_owned());
            return Err(problem);
        }
        if !is_relative {
            return Ok(Some(Module::Remote(text.clone())));
        }
        let Some(path) = path::resolve(&self.declared.file, &plain) else {
            let mut problem = wrong("the directory of a recipe must be inside the project");
            problem.diagnostic.hints.push(
                "the project is the current directory, or the template's folder if the template is elsewhere; \
                 move the module into the project"
                    .to_owned(),
            );
            return Err(problem);
        };
        Ok(Some(Module::Directory { written: text.clone(), path }))
    }

    fn no_source(&self) -> Problem {
        let message = "the recipe lacks the required property `source`";
        let hint = "add `source` to its `properties`: a directory next to the template such as \
                   `'./network'`, `namespace/name/provider` or `git::…`";
        let diagnostic = Diagnostic::error(codes::RECIPE_BODY, message);
        let diagnostic = diagnostic.at(self.declared.span, "").hint(hint);
        Problem { file: self.declared.file.clone(), diagnostic }
    }

    fn unknown_member(&self, name: &str) -> Problem {
        if self.body.properties.secret {
            let message = "the property is not allowed on a recipe".to_owned();
            return self.wrong(codes::UNKNOWN_MEMBER, "", message);
        }
        let message = format!("the property `{name}` is not allowed on a recipe");
        let (code, hint) = if let Some(near) = near(name, MEMBERS) {
            (codes::UNKNOWN_MEMBER_NEAR, format!("did you mean `{near}`?"))
        } else {
            let known = MEMBERS.join("`, `");
            let hint = format!(
                "allowed properties: `{known}`; values for the module go into `parameters`"
            );
            (codes::UNKNOWN_MEMBER, hint)
        };
        let place = self.key_place(&format!("/{}", escaped(name)));
        let diagnostic = Diagnostic::error(code, message).at(place.span, "").hint(hint);
        Problem { file: place.file, diagnostic }
    }

    fn wrong(&self, code: Code, pointer: &str, message: String) -> Problem {
        let place = self.value_place(pointer);
        Problem {
            file: place.file,
            diagnostic: Diagnostic::error(code, message).at(place.span, ""),
        }
    }

    fn value_place(&self, pointer: &str) -> Place {
        let written = self.body.places.get(pointer).or_else(|| self.body.places.get(""));
        written.map_or(self.declared, |it| &it.value).clone()
    }

    /// The key, where it is written by itself; else the recipe.
    fn key_place(&self, pointer: &str) -> Place {
        self.body.places.get(pointer).map_or(self.declared, |it| &it.key).clone()
    }

    fn parameter_places(&self, parameters: &Value) -> Vec<(String, Place)> {
        let Data::Object(members) = &parameters.data else { return Vec::new() };
        let place = |name: &Arc<str>| {
            let written = self.body.places.get(&format!("/parameters/{}", escaped(name)))?;
            Some((name.to_string(), written.key.clone()))
        };
        members.keys().filter_map(place).collect()
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
