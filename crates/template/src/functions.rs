//! The functions that a template may call: what each takes, what it gives, and what it says when it cannot.
//!
//! A function sees only its arguments and its [`Context`], so the same call always comes to the same value.
//! What is secret or not known yet is handled here, once, around the table: a function itself
//! only deals with values. Everything that a function builds is bounded, so that no template can eat the
//! memory of whoever evaluates it.
//!
//! Text is counted in UTF-16 units, as the language's documentation does (`length('😀')` is 2). Where a
//! cut would fall into the middle of a character, the whole character goes to the part that begins before the cut.

mod arguments;
mod aws;
mod cidr;
mod convert;
mod date;
mod encode;
mod fault;
mod format;
mod hash;
mod json;
mod lambda;
mod load;
mod measure;
mod number;
mod project_files;
mod render;
mod same;
mod scope;
mod sequence;
mod set;
mod sha1;
mod table;
mod text;
mod units;
mod uri;
mod yaml;

use std::sync::Arc;

pub use fault::Fault;
pub(crate) use hash::{digest_of, unique_string_of};
pub(crate) use load::matches_pattern;
pub(crate) use project_files::ProjectFiles;
pub use render::text_of;

use crate::deployment::Inputs;
use crate::functions::arguments::Arguments;
use crate::functions::measure::Measure;
use crate::value::{Data, Kind, Value};

/// The most that a function builds: bytes of a text.
pub const MOST_BYTES: usize = 1 << 20;
/// The most that a function builds: items of a list, or members of an object.
pub const MOST_ITEMS: usize = 10_000;

/// A call of a function.
pub struct Call<'a> {
    /// The arguments, in order.
    pub arguments: Vec<Argument<'a>>,
    /// What it may ask besides them.
    pub context: &'a dyn Context,
}

/// An argument of a call.
pub enum Argument<'a> {
    /// A value.
    Value(Value),
    /// A lambda. It is given every value that the function has for it (an item and its index); one that
    /// has fewer variables takes the first of them.
    Lambda(&'a Lambda<'a>),
}

/// What a lambda does with the values that it is given.
pub type Lambda<'a> = dyn Fn(&[Value]) -> Result<Value, Fault> + 'a;

/// What functions may ask besides their arguments.
pub trait Context {
    /// What the deployment is told from outside.
    fn inputs(&self) -> &Inputs;

    /// A file by its path, relative to the file of the call and confined to the root of the project.
    fn file(&self, path: &str) -> Result<Arc<[u8]>, Fault>;

    /// The instant of `utcNow()`, in microseconds since 1970; nothing where it is not known.
    fn now(&self) -> Option<i64> {
        self.inputs().now
    }

    /// The files of a folder, by their paths relative to the file of the call, in their order.
    fn folder(&self, path: &str) -> Result<Vec<String>, Fault>;

    /// The value of `newGuid()`: each place that calls it has its own, made from the seed of the inputs;
    /// not known where there is no seed.
    fn next_guid(&self) -> Value;
}

/// Where a function's name is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// `sys`: the language's own.
    Sys,
    /// `az`: those that ask about the scope of the deployment.
    Az,
    /// `aws`: those that ask about the account and the region. They need their namespace in front.
    Aws,
}

impl Namespace {
    /// The word in front of the dot.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sys => "sys",
            Self::Az => "az",
            Self::Aws => "aws",
        }
    }
}

/// A function of the language.
#[derive(Debug)]
pub struct Function {
    /// Its name, exactly as it is written.
    pub name: &'static str,
    /// Where it is found.
    pub namespace: Namespace,
    /// How many arguments it needs.
    pub least: usize,
    /// How many it takes; nothing where the last one may be repeated.
    pub most: Option<usize>,
    /// What it takes, in order.
    pub parameters: &'static [Parameter],
    /// What it gives, where that is always the same.
    pub returns: Option<Kind>,
    /// One line on what it does.
    pub description: &'static str,
    reach: Reach,
    run: fn(&Arguments<'_>) -> Result<Value, Fault>,
}

impl Function {
    /// Whether it reads a file of the project, when the template is compiled.
    pub(crate) fn reads_files(&self) -> bool {
        self.namespace == Namespace::Sys && self.name.starts_with("load")
    }

    /// Whether only Azure has an answer.
    pub(crate) fn is_only_in_azure(&self) -> bool {
        self.description == scope::ONLY_IN_AZURE
    }
}

/// One of the things that a function takes.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be, for people (`string | array`).
    pub wants: &'static str,
    /// For a lambda, how many variables it may have at least and at most.
    pub variables: Option<(usize, usize)>,
}

/// How far a function looks into its arguments: what it makes of a part that is secret or not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Every part goes into the result (`join`, `string`).
    Computes,
    /// Every part is looked at, but the result is made of whole parts that keep their own secrets
    /// (`sort`, `intersection`).
    Chooses,
    /// Parts are only moved, or counted (`concat`, `map`, `length`).
    Moves,
}

/// The function of that name. Without a namespace, those of `sys` and `az` are found.
pub fn find(namespace: Option<&str>, name: &str) -> Option<&'static Function> {
    table::all().find(|function| {
        function.name == name
            && match namespace {
                Some(namespace) => function.namespace.as_str() == namespace,
                None => function.namespace != Namespace::Aws,
            }
    })
}

/// The names that are found without a namespace: for "did you mean".
pub fn names() -> impl Iterator<Item = &'static str> {
    table::all().filter(|it| it.namespace != Namespace::Aws).map(|it| it.name)
}

/// The functions of a namespace, in the order of the table.
pub fn of_namespace(namespace: Namespace) -> impl Iterator<Item = &'static Function> {
    table::all().filter(move |function| function.namespace == namespace)
}

/// The function that another language has by this name.
pub(crate) fn known_elsewhere(name: &str) -> Option<&'static str> {
    let name: String =
        name.chars().filter(|it| *it != '_').collect::<String>().to_ascii_lowercase();
    Some(match name.as_str() {
        "upper" | "uppercase" | "touppercase" | "toupper" | "strtoupper" => "toUpper",
        "lower" | "lowercase" | "tolowercase" | "tolower" | "strtolower" => "toLower",
        "len" | "size" | "count" | "strlen" => "length",
        "substr" | "slice" => "substring",
        "merge" | "mergeobjects" | "deepmerge" => "union",
        "keys" => "objectKeys",
        "values" | "entries" => "items",
        "tostring" | "str" | "jsonencode" | "tojson" | "stringify" | "tojsonstring" => "string",
        "toint" | "parseint" | "tonumber" | "number" => "int",
        "tobool" | "boolean" => "bool",
        "jsondecode" | "parsejson" | "fromjson" => "json",
        "trimspace" | "strip" => "trim",
        "base64encode" => "base64",
        "base64decode" => "base64ToString",
        "sub" | "sprintf" | "printf" => "format",
        "has" | "includes" | "inarray" => "contains",
        "uuid" | "createuuid" => "newGuid",
        "timestamp" | "now" => "utcNow",
        "unique" | "toset" => "distinct",
        "urlencode" | "encodeuricomponent" => "uriComponent",
        "getazs" => "aws.availabilityZones",
        "file" | "readfile" | "templatefile" => "loadTextContent",
        "filebase64" => "loadFileAsBase64",
        "foreach" => "map",
        _ => return None,
    })
}

/// All functions, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Function> {
    table::all()
}

impl Function {
    /// The function's value for these arguments.
    ///
    /// A part of an argument that is not known makes the result unknown, unless the function only moves parts
    /// around: then only an argument that is unknown as a whole does. If an argument is secret as a whole,
    /// the result is; so is a result without parts if anything in any argument is.
    pub fn call<'a>(&'a self, call: Call<'a>) -> Result<Value, Fault> {
        let arguments = Arguments { function: self, given: call.arguments, context: call.context };
        arguments.check_count()?;
        let measure = Measure::of(&arguments)?;
        let waits = match self.reach {
            Reach::Moves => &measure.whole_unknown,
            Reach::Computes | Reach::Chooses => &measure.unknown,
        };
        if let Some(unknown) = waits {
            let value = Value::unknown(self.returns, unknown.because.clone());
            return Ok(value.tainted(measure.holds_secret));
        }
        let result = (self.run)(&arguments)?;
        let is_made_of_secrets = measure.whole_secret
            || measure.holds_secret
                && (self.reach == Reach::Computes
                    || !matches!(result.data, Data::Array(_) | Data::Object(_)));
        self.bounded(result).map(|it| it.tainted(is_made_of_secrets))
    }

    /// How it is called, for people: `split(input string, delimiter string | array) array`.
    pub fn signature(&self) -> String {
        let shown = |(index, parameter): (usize, &Parameter)| {
            let is_repeated = self.most.is_none() && index + 1 == self.parameters.len();
            let dots = if is_repeated { "..." } else { "" };
            let (open, close) = if index < self.least { ("", "") } else { ("[", "]") };
            format!("{open}{dots}{} {}{close}", parameter.name, parameter.wants)
        };
        let parameters: Vec<_> = self.parameters.iter().enumerate().map(shown).collect();
        let namespace = if self.namespace == Namespace::Aws { "aws." } else { "" };
        let returns = self.returns.map_or("any", Kind::as_str);
        format!("{namespace}{}({}) {returns}", self.name, parameters.join(", "))
    }

    fn bounded(&self, result: Value) -> Result<Value, Fault> {
        let (size, most, unit) = match &result.data {
            Data::String(text) => (text.len(), MOST_BYTES, "bytes"),
            Data::Array(items) => (items.len(), MOST_ITEMS, "items"),
            Data::Object(members) => (members.len(), MOST_ITEMS, "members"),
            _ => return Ok(result),
        };
        if size > most {
            return Err(Fault::too_large(self.name, most, unit));
        }
        Ok(result)
    }
}

/// The pieces that the table is written with.
impl Function {
    const fn new(
        name: &'static str,
        parameters: &'static [Parameter],
        returns: Option<Kind>,
        run: fn(&Arguments<'_>) -> Result<Value, Fault>,
        description: &'static str,
    ) -> Self {
        Self {
            name,
            namespace: Namespace::Sys,
            least: parameters.len(),
            most: Some(parameters.len()),
            parameters,
            returns,
            description,
            reach: Reach::Computes,
            run,
        }
    }

    /// Only so many arguments are needed.
    const fn least(mut self, least: usize) -> Self {
        self.least = least;
        self
    }

    /// The last argument may be repeated.
    const fn repeated(mut self) -> Self {
        self.most = None;
        self
    }

    const fn reach(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    const fn namespace(mut self, namespace: Namespace) -> Self {
        self.namespace = namespace;
        self
    }
}

impl Parameter {
    /// Whether a value of a kind can be given for it. A null, which stands for what is missing, is left to the function.
    pub(crate) fn takes(&self, kind: Kind) -> bool {
        kind == Kind::Null || self.wants.split(" | ").any(|it| it == "any" || it == kind.as_str())
    }

    const fn new(name: &'static str, wants: &'static str) -> Self {
        Self { name, wants, variables: None }
    }

    const fn lambda(name: &'static str, least: usize, most: usize) -> Self {
        Self { name, wants: "lambda", variables: Some((least, most)) }
    }
}

#[cfg(test)]
mod tests;
