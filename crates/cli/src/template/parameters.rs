//! The values of a template's parameters: a file of them, and over it what was typed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hangar_diag::{Diagnostic, Span, nearest};
use hangar_schema::json;
use hangar_template::arm;
use hangar_template::other_language::recognise_other_language;
use hangar_template::parameters_file::{ParametersFile, parameters_file};
use hangar_template::program::Parameter;
use hangar_template::source::{Place, Problem};
use hangar_template::value::Kind;
use serde_json::{Map, Value};

use super::files::{Files, is_parameters_file};
use super::secure;
use crate::codes;
use crate::connection::Variables;
use crate::failure::{Failure, Report};
use crate::input::{Inputs, Source};
use crate::printer::Printer;

/// Values of parameters.
#[derive(Debug, Args)]
pub(crate) struct ParameterArgs {
    /// Set a parameter (repeatable)
    ///
    /// The value is taken as text for a string parameter and as JSON otherwise. For a secure
    /// parameter, NAME=@FILE reads a file and NAME=env:VARIABLE reads an environment variable.
    #[arg(short, long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// Parameter file: `.bicepparam` or JSON
    ///
    /// JSON is an ARM parameter file, or an object of names and values. Values of --param override
    /// the file.
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// What was typed when a plan was made.
    #[arg(skip)]
    planned: Values,
    /// Secure parameters that were given when a plan was made, and that it does not hold.
    #[arg(skip)]
    withheld: Vec<String>,
}

/// Values by the names of their parameters.
pub(crate) type Values = BTreeMap<String, Value>;

impl ParameterArgs {
    /// The file of values, if one was named.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.params.as_deref()
    }

    /// The same, with a file and values that a plan has, and the names of those that it does not hold.
    pub(crate) fn planned(
        &self,
        params: Option<PathBuf>,
        planned: Values,
        withheld: Vec<String>,
    ) -> Self {
        Self { param: self.param.clone(), params, planned, withheld }
    }

    /// The secure parameters that have no value here: those without a default, and those that a plan withholds.
    pub(crate) fn unanswered<'a>(
        &self,
        declared: &'a [Parameter],
        values: &Values,
    ) -> Vec<&'a Parameter> {
        let is_withheld = |name: &str| {
            self.withheld.iter().any(|it| it == name) && !self.typed().any(|it| it == name)
        };
        let is_missing =
            |it: &Parameter| it.secure && !it.has_default && !values.contains_key(&*it.name);
        declared.iter().filter(|it| is_withheld(&it.name) || is_missing(it)).collect()
    }

    /// The names of what was typed; a value without a name is told later.
    pub(crate) fn typed(&self) -> impl Iterator<Item = &str> {
        self.param.iter().filter_map(|pair| pair.split_once('=')).map(|(name, _)| name)
    }

    /// The values in the file, and over them those that were typed, by the names that are declared.
    pub(crate) fn over(
        &self,
        values: Values,
        declared: &[Parameter],
        names: Names,
        (variables, inputs): (&Variables, &mut Inputs),
    ) -> Result<Values, Failure> {
        let mut named = Values::new();
        for (name, value) in values.into_iter().chain(self.planned.clone()) {
            let declared = names.find(declared, &name).map(|it| it.name.to_string());
            named.insert(declared.unwrap_or(name), value);
        }
        for pair in &self.param {
            let (name, text) =
                pair.split_once('=').ok_or_else(|| not_a_pair(names.find(declared, pair)))?;
            let parameter =
                names.find(declared, name).ok_or_else(|| not_declared(name, declared))?;
            let value = if parameter.secure {
                let text = secure::read_value(parameter, text, variables, inputs)?;
                value_of(parameter, &text)?
            } else {
                value_of(parameter, text)?
            };
            named.insert(parameter.name.to_string(), value);
        }
        Ok(named)
    }
}

/// A file of values in Bicep: what is in it, and the template that it is for.
#[derive(Debug)]
pub(crate) struct BicepParameters {
    pub(crate) values: Values,
    /// Where they are written.
    pub(crate) written: Written,
    /// The template, as a path that can be opened.
    pub(crate) using: Option<PathBuf>,
}

/// Where a file gives its values.
#[derive(Debug, Default)]
pub(crate) struct Written {
    files: Option<Files>,
    /// A file in JSON, without its values: they may be secrets.
    json: Option<Source>,
    /// Where the parameters are named.
    places: BTreeMap<String, Place>,
    /// Where their values are.
    values: BTreeMap<String, Place>,
}

impl Written {
    /// Where a file in JSON has these parameters; `pointers` gives the pointers to a parameter and to its value.
    fn of_json<'a>(
        source: Source,
        document: &json::Document,
        names: impl Iterator<Item = &'a String>,
        pointers: impl Fn(&str) -> (String, String),
    ) -> Self {
        let file: Arc<str> = source.name.clone().unwrap_or_default().into();
        let at = |span| Place { file: Arc::clone(&file), span };
        let (mut places, mut values) = (BTreeMap::new(), BTreeMap::new());
        for name in names {
            let (parameter, value) = pointers(name);
            places.extend(document.key_span_of(&parameter).map(|it| (name.clone(), at(it))));
            values.extend(document.span_of(&value).map(|it| (name.clone(), at(it))));
        }
        let hidden: Vec<Span> = values.values().map(|place| place.span).collect();
        Self { files: None, json: Some(source.masked(hidden)), places, values }
    }

    /// The values of the file for parameters that the template does not declare, each in its place. Those values are
    /// renamed to the parameter that was perhaps meant, if it has no value, or removed: one slip is one problem.
    pub(crate) fn take_undeclared(
        &self,
        values: &mut Values,
        declared: &[Parameter],
        names: Names,
    ) -> Vec<Problem> {
        let unknown = self.places.keys().filter(|name| names.find(declared, name).is_none());
        for name in unknown {
            let Some(value) = values.remove(name) else { continue };
            if let Some(meant) = nearest(name, declared.iter().map(|it| &*it.name)) {
                values.entry(meant.to_owned()).or_insert(value);
            }
        }
        undeclared(&self.places, declared, names)
    }

    /// Where the file gives values, by the names that are declared, without those that were given otherwise.
    pub(crate) fn value_places(
        &self,
        declared: &[Parameter],
        names: Names,
        args: &ParameterArgs,
    ) -> BTreeMap<String, Place> {
        let name_of = |name: &str| names.find(declared, name).map(|it| it.name.to_string());
        let others: Vec<String> = args
            .typed()
            .chain(args.planned.keys().map(String::as_str))
            .filter_map(name_of)
            .collect();
        let places = self.values.iter().filter_map(|(name, at)| Some((name_of(name)?, at.clone())));
        places.filter(|(name, _)| !others.contains(name)).collect()
    }

    /// The reports on the files of a template and on the files that give its values.
    pub(crate) fn reports(&self, template: &Files, problems: Vec<Problem>) -> Vec<Report> {
        let json = self.json.as_ref().and_then(|source| source.name.as_deref());
        let is_json = |it: &Problem| json == Some(&*it.file) && it.diagnostic.span().is_some();
        let is_value = |it: &Problem| is_json(it) || is_parameters_file(Path::new(&*it.file));
        let (values, others): (Vec<_>, Vec<_>) = problems.into_iter().partition(is_value);
        let mut reports = match (&self.json, &self.files) {
            (Some(source), _) if !values.is_empty() => {
                let diagnostics = values.into_iter().map(|problem| problem.diagnostic).collect();
                vec![Report { source: Some(source.clone()), diagnostics }]
            }
            (_, Some(files)) => files.reports(values),
            _ => Vec::new(),
        };
        reports.extend(template.reports(others));
        reports
    }
}

/// The values that a file gives to parameters that the template does not declare.
pub(crate) fn undeclared(
    places: &BTreeMap<String, Place>,
    declared: &[Parameter],
    names: Names,
) -> Vec<Problem> {
    let unknown = places.iter().filter(|(name, _)| names.find(declared, name).is_none());
    let mut unknown: Vec<(&String, &Place)> = unknown.collect();
    unknown.sort_by_key(|(_, place)| place.span);
    unknown
        .into_iter()
        .map(|(name, place)| {
            let message = format!("the template has no parameter `{name}`");
            let diagnostic =
                Diagnostic::error(hangar_template::codes::UNDECLARED_PARAMETER, message);
            let diagnostic = with_names(name, declared, diagnostic.at(place.span, ""));
            Problem { file: place.file.clone(), diagnostic }
        })
        .collect()
}

/// A template that a file of parameters names and that is not there, in its place.
pub(crate) fn missing_template(files: &Files, read: &ParametersFile) -> Option<Problem> {
    let (using, place) = (read.using.as_ref()?, read.using_place.as_ref()?);
    if files.sources.get(using).is_some() {
        return None;
    }
    let message = format!("the template `{}` does not exist", files.name_of(using));
    let diagnostic = Diagnostic::error(hangar_template::codes::UNREADABLE_FILE, message)
        .at(place.span, "")
        .hint("the path is relative to this file");
    Some(Problem { file: place.file.clone(), diagnostic })
}

/// The values of a file in any of its forms.
pub(crate) fn read(
    path: &Path,
    template: &Path,
    variables: &Variables,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<(Values, Written), Failure> {
    if !is_parameters_file(path) {
        return read_json_in_place(path, inputs);
    }
    let BicepParameters { values, written, using } = read_bicep(path, variables, printer, inputs)?;
    let same = |a: &Path, b: &Path| a.canonicalize().ok() == b.canonicalize().ok();
    match using {
        Some(using) if !same(&using, template) => {
            let message = format!(
                "`{}` is a parameter file of `{}`, not of `{}`",
                path.display(),
                using.display(),
                template.display()
            );
            Err(Diagnostic::error(codes::OTHER_TEMPLATE, message)
                .hint("pass that template, or write `using none`")
                .into())
        }
        _ => Ok((values, written)),
    }
}

/// A `.bicepparam` file, evaluated here.
pub(crate) fn read_bicep(
    path: &Path,
    variables: &Variables,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<BicepParameters, Failure> {
    let files = Files::read(path, inputs)?;
    let environment = variables.some_of(&files.environment());
    let mut read = parameters_file(&files.sources, &files.entry, &environment);
    read.problems.extend(missing_template(&files, &read));
    let (errors, warnings): (Vec<_>, Vec<_>) =
        read.problems.into_iter().partition(Problem::is_error);
    if !errors.is_empty() {
        return Err(Failure::Reported(files.reports(errors)));
    }
    if !warnings.is_empty() {
        printer.warn(&files.reports(warnings));
    }
    let using = read.using.map(|using| PathBuf::from(files.name_of(&using)));
    let (places, values) = (read.places, read.value_places);
    let written = Written { files: Some(files), json: None, places, values };
    Ok(BicepParameters { values: read.values, written, using })
}

/// The template that a `.bicepparam` file names; its values are not looked at.
pub(crate) fn template_of(path: &Path, inputs: &mut Inputs) -> Result<PathBuf, Failure> {
    let files = Files::read(path, inputs)?;
    let read = parameters_file(&files.sources, &files.entry, &BTreeMap::new());
    match read.using {
        Some(using) => Ok(PathBuf::from(files.name_of(&using))),
        None => Err(names_no_template(path)),
    }
}

/// A `.bicepparam` file has to name its template where nothing else does.
pub(crate) fn names_no_template(path: &Path) -> Failure {
    Diagnostic::error(codes::OTHER_TEMPLATE, format!("`{}` does not name a template", path.display()))
        .hint(
            "write `using 'main.bicep'` in it, or pass the template: `hangar deploy main.bicep --params FILE`",
        )
        .into()
}

/// `{"parameters": {"name": {"value": …}}}`, or `{"name": …}`.
pub(crate) fn read_json(path: &Path, inputs: &mut Inputs) -> Result<Values, Failure> {
    Ok(read_json_in_place(path, inputs)?.0)
}

/// The same, with the places of the values.
fn read_json_in_place(path: &Path, inputs: &mut Inputs) -> Result<(Values, Written), Failure> {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    if ["yaml", "yml"].iter().any(|it| it.eq_ignore_ascii_case(extension)) {
        let message =
            format!("cannot read `{}`: parameter files in YAML are not supported", path.display());
        let hint =
            "write the parameters as JSON, such as {\"name\": \"value\"}, or in a .bicepparam file";
        return Err(Diagnostic::error(codes::NOT_PARAMETERS, message).hint(hint).into());
    }
    let source = inputs.read(path)?;
    let document = match json::read(&source.text) {
        Ok(document) => document,
        Err(mistake) => {
            let other = recognise_other_language(&source.text).filter(|_| !is_json_like(&source));
            return Err(Failure::in_source(source, vec![other.unwrap_or(mistake)]));
        }
    };
    // What is wrong is told by its name alone: values may be secrets.
    let name = source.name.clone();
    let wrong = |message: String, hint: &str| {
        let mistake = Diagnostic::error(codes::NOT_PARAMETERS, message).hint(hint);
        Failure::in_source(Source { name: name.clone(), text: String::new() }, vec![mistake])
    };
    let Value::Object(members) = document.value() else {
        let hint = "write {\"name\": value}, or {\"parameters\": {\"name\": {\"value\": value}}}";
        return Err(wrong("a parameter file must contain a JSON object".to_owned(), hint));
    };
    let Some(wrapped) = as_arm(members) else {
        let values: Values =
            members.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let pointer = |name: &str| (json_pointer(&[name]), json_pointer(&[name]));
        let written = Written::of_json(source, &document, values.keys(), pointer);
        return Ok((values, written));
    };
    let value = |(name, entry): (&String, &Value)| match entry.get("value") {
        Some(value) => Ok((name.clone(), value.clone())),
        None if entry.get("reference").is_some() => Err(wrong(
            format!("parameter `{name}` is a reference to a key vault, which is not supported"),
            "pass its value with -p, or in a .bicepparam file with readEnvironmentVariable()",
        )),
        None => Err(wrong(
            format!("parameter `{name}` has no value"),
            "write {\"value\": …} as its entry",
        )),
    };
    let values: Values = wrapped.iter().map(value).collect::<Result<_, _>>()?;
    let pointer = |name: &str| {
        let names = ["parameters", name, "value"];
        (json_pointer(&names[..2]), json_pointer(&names))
    };
    let written = Written::of_json(source, &document, values.keys(), pointer);
    Ok((values, written))
}

/// Whether a text that is no JSON was meant to be: the mistake in it says more than that it is not.
fn is_json_like(source: &Source) -> bool {
    source.text.trim_start().starts_with(['{', '['])
}

/// The pointer that these names are the parts of.
fn json_pointer(names: &[&str]) -> String {
    names.iter().fold(String::new(), |pointer, name| {
        format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
    })
}

/// The entries of a file in the form of Azure: it says so, or can be nothing else.
fn as_arm(members: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let Some(Value::Object(wrapped)) = members.get("parameters") else { return None };
    let says_so = members.contains_key("$schema") || members.contains_key("contentVersion");
    let is_entry = |entry: &Value| entry.get("value").or(entry.get("reference")).is_some();
    (says_so || (members.len() == 1 && wrapped.values().all(is_entry))).then_some(wrapped)
}

/// Which names of parameters are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Those of Bicep: letter by letter.
    Exact,
    /// Those of ARM JSON: in upper and lower case, too.
    InAnyCase,
}

impl Names {
    /// As the language of a template has it.
    pub(crate) fn of(template: &str) -> Self {
        if arm::is_compiled(template) { Self::InAnyCase } else { Self::Exact }
    }

    pub(crate) fn find<'a>(self, declared: &'a [Parameter], name: &str) -> Option<&'a Parameter> {
        let is_it = |parameter: &&Parameter| match self {
            Self::Exact => *parameter.name == *name,
            Self::InAnyCase => parameter.name.eq_ignore_ascii_case(name),
        };
        declared.iter().find(is_it)
    }
}

/// The value that a text stands for, by the type that the parameter is declared with.
pub(super) fn value_of(parameter: &Parameter, text: &str) -> Result<Value, Failure> {
    let kind = match parameter.kind {
        Some(Kind::String) => return Ok(Value::from(text)),
        // Its type leaves it open: what reads as JSON is that, anything else is text.
        None => return Ok(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
        Some(kind) => kind,
    };
    let read: Result<Value, _> = serde_json::from_str(text);
    let fits = |value: &Value| match kind {
        Kind::Int => value.is_i64(),
        Kind::Bool => value.is_boolean(),
        Kind::Array => value.is_array(),
        Kind::Object => value.is_object(),
        Kind::String => true,
        Kind::Null => value.is_null(),
    };
    match read {
        Ok(value) if fits(&value) || value.is_null() => Ok(value),
        _ => Err(unfit(parameter, kind, text)),
    }
}

fn unfit(parameter: &Parameter, kind: Kind, text: &str) -> Failure {
    let name = &parameter.name;
    let given = if parameter.secure { "the value".to_owned() } else { format!("`{text}`") };
    let message = format!(
        "parameter `{name}` has type {}, but {given} does not have this type",
        parameter.type_text
    );
    let example = match kind {
        Kind::Int => "3",
        Kind::Bool => "true",
        Kind::Array => "'[\"a\", \"b\"]'",
        Kind::Object => "'{\"a\": 1}'",
        Kind::String | Kind::Null => "null",
    };
    let hint = if parameter.secure {
        format!("write it as JSON, such as {example}, into a file: -p {name}=@FILE")
    } else {
        format!("write it as JSON: -p {name}={example}")
    };
    Diagnostic::error(codes::BAD_PARAMETER, message).hint(hint).into()
}

fn not_a_pair(parameter: Option<&Parameter>) -> Failure {
    // What stands there may be the value of a secret, unless it is the name of a parameter.
    let mistake = match parameter.map(|parameter| &parameter.name) {
        Some(name) => {
            Diagnostic::error(codes::BAD_PARAMETER, format!("parameter `{name}` has no value"))
                .hint(format!("write its value behind the name: -p {name}=VALUE"))
        }
        None => Diagnostic::error(codes::BAD_PARAMETER, "a value of -p is not NAME=VALUE")
            .hint("write the name of a parameter before it, as in -p region=eu-west-1"),
    };
    mistake.into()
}

fn not_declared(name: &str, declared: &[Parameter]) -> Failure {
    let message = format!("the template has no parameter `{name}`");
    with_names(name, declared, Diagnostic::error(codes::BAD_PARAMETER, message)).into()
}

/// With the name that was perhaps meant, or those that there are.
fn with_names(name: &str, declared: &[Parameter], mistake: Diagnostic) -> Diagnostic {
    let names = declared.iter().map(|parameter| &*parameter.name);
    match (nearest(name, names.clone()), declared.is_empty()) {
        (Some(near), _) => mistake.hint(format!("did you mean `{near}`?")),
        (None, true) => mistake.hint("the template has no parameters"),
        (None, false) => {
            mistake.hint(format!("the parameters are: {}", names.collect::<Vec<_>>().join(", ")))
        }
    }
}
