//! The functions of Terraform that are computed here, and those that are refused by name.
//!
//! A function gets values and makes one; it knows no resource. Its problems name what is wrong with an
//! argument and never show one.

mod argument;
mod convert;
mod encode;
mod format;
mod list;
mod map;
mod number;
mod text;

use super::value::Datum;
use argument::Arguments;

/// Bytes of one text.
pub(super) const MOST_TEXT: usize = 4 << 20;

/// Why a function makes no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// An argument is wrong.
    Wrong(String),
    /// What it is asked for is not computed here.
    Refused(&'static str),
    /// The value would be too large.
    TooMuch,
}

type Ran = Result<Datum, Problem>;

/// What makes a result sensitive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    /// Anything in an argument that is.
    Anywhere,
    /// An argument that is as a whole; what is moved from an argument into the result keeps its mark.
    Whole,
    /// The function decides.
    Own,
}

/// One function.
pub(super) struct Function {
    name: &'static str,
    least: usize,
    most: usize,
    marks: Marks,
    run: fn(&mut Arguments) -> Ran,
}

impl Function {
    pub(super) fn run(&self, arguments: Vec<Datum>) -> Ran {
        let given = arguments.len();
        if given < self.least || given > self.most {
            let takes = match (self.least, self.most) {
                (least, usize::MAX) => format!("at least {least}"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} to {most}"),
            };
            let plural =
                if matches!(takes.as_str(), "1" | "at least 1") { "argument" } else { "arguments" };
            return Err(Problem::Wrong(format!("it takes {takes} {plural}, not {given}")));
        }
        let sensitive = match self.marks {
            Marks::Anywhere => arguments.iter().any(Datum::is_sensitive_anywhere),
            Marks::Whole => arguments.iter().any(|argument| argument.sensitive),
            Marks::Own => false,
        };
        (self.run)(&mut Arguments::new(arguments)).map(|result| result.marked(sensitive))
    }
}

/// The function of a name; else why it is refused, if it is one of Terraform's.
pub(super) fn find(name: &str) -> Result<&'static Function, Option<&'static str>> {
    if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
        return Ok(function);
    }
    if name.contains("::") {
        return Err(Some("it belongs to a provider"));
    }
    Err(REFUSED.iter().find(|(_, names)| names.contains(&name)).map(|(why, _)| *why))
}

/// The names of all functions, in order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<_> =
        FUNCTIONS.iter().map(|function| function.name).chain(["can", "try"]).collect();
    names.sort_unstable();
    names.into_iter()
}

const fn plain(name: &'static str, count: usize, run: fn(&mut Arguments) -> Ran) -> Function {
    Function { name, least: count, most: count, marks: Marks::Anywhere, run }
}

const fn ranged(
    name: &'static str,
    least: usize,
    most: usize,
    marks: Marks,
    run: fn(&mut Arguments) -> Ran,
) -> Function {
    Function { name, least, most, marks, run }
}

const MANY: usize = usize::MAX;

const FUNCTIONS: &[Function] = &[
    plain("abs", 1, number::abs),
    plain("alltrue", 1, list::alltrue),
    plain("anytrue", 1, list::anytrue),
    plain("base64decode", 1, encode::base64decode),
    plain("base64encode", 1, encode::base64encode),
    plain("ceil", 1, number::ceil),
    plain("chomp", 1, text::chomp),
    ranged("coalesce", 1, MANY, Marks::Anywhere, convert::coalesce),
    ranged("coalescelist", 1, MANY, Marks::Anywhere, list::coalescelist),
    plain("compact", 1, list::compact),
    ranged("concat", 1, MANY, Marks::Whole, list::concat),
    plain("contains", 2, list::contains),
    plain("distinct", 1, list::distinct),
    ranged("element", 2, 2, Marks::Whole, list::element),
    plain("endswith", 2, text::endswith),
    plain("flatten", 1, list::flatten),
    plain("floor", 1, number::floor),
    ranged("format", 1, MANY, Marks::Anywhere, format::format),
    ranged("formatlist", 1, MANY, Marks::Anywhere, format::formatlist),
    plain("index", 2, list::index),
    ranged("issensitive", 1, 1, Marks::Own, convert::issensitive),
    ranged("join", 1, MANY, Marks::Anywhere, text::join),
    plain("jsondecode", 1, encode::jsondecode),
    plain("jsonencode", 1, encode::jsonencode),
    ranged("keys", 1, 1, Marks::Whole, map::keys),
    ranged("length", 1, 1, Marks::Whole, list::length),
    ranged("lookup", 2, 3, Marks::Whole, map::lookup),
    plain("lower", 1, text::lower),
    ranged("max", 1, MANY, Marks::Anywhere, number::max),
    ranged("merge", 0, MANY, Marks::Whole, map::merge),
    ranged("min", 1, MANY, Marks::Anywhere, number::min),
    ranged("nonsensitive", 1, 1, Marks::Own, convert::nonsensitive),
    ranged("one", 1, 1, Marks::Whole, list::one),
    ranged("range", 1, 3, Marks::Anywhere, number::range),
    plain("replace", 3, text::replace),
    ranged("reverse", 1, 1, Marks::Whole, list::reverse),
    ranged("sensitive", 1, 1, Marks::Own, convert::sensitive),
    ranged("slice", 3, 3, Marks::Whole, list::slice),
    plain("sort", 1, list::sort),
    plain("split", 2, text::split),
    plain("startswith", 2, text::startswith),
    plain("strcontains", 2, text::strcontains),
    plain("strrev", 1, text::strrev),
    plain("substr", 3, text::substr),
    plain("sum", 1, number::sum),
    plain("title", 1, text::title),
    plain("tobool", 1, convert::tobool),
    ranged("tolist", 1, 1, Marks::Whole, convert::tolist),
    ranged("tomap", 1, 1, Marks::Whole, convert::tomap),
    plain("tonumber", 1, convert::tonumber),
    plain("toset", 1, convert::toset),
    plain("tostring", 1, convert::tostring),
    plain("trim", 2, text::trim),
    plain("trimprefix", 2, text::trimprefix),
    plain("trimspace", 1, text::trimspace),
    plain("trimsuffix", 2, text::trimsuffix),
    plain("upper", 1, text::upper),
    plain("urlencode", 1, encode::urlencode),
    ranged("values", 1, 1, Marks::Whole, map::values),
    ranged("zipmap", 2, 2, Marks::Whole, map::zipmap),
];

/// Functions of Terraform that have no place here, by why.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "it works with files of the configuration",
        &[
            "abspath",
            "basename",
            "dirname",
            "file",
            "filebase64",
            "filebase64sha256",
            "filebase64sha512",
            "fileexists",
            "filemd5",
            "fileset",
            "filesha1",
            "filesha256",
            "filesha512",
            "pathexpand",
            "templatefile",
        ],
    ),
    ("its result changes with each call", &["bcrypt", "plantimestamp", "timestamp", "uuid"]),
    (
        "Hangar does not compute hashes and keys",
        &[
            "base64sha256",
            "base64sha512",
            "md5",
            "rsadecrypt",
            "sha1",
            "sha256",
            "sha512",
            "uuidv5",
        ],
    ),
    ("Hangar does not evaluate regular expressions", &["regex", "regexall"]),
    (
        "Hangar does not convert this format",
        &[
            "base64gzip",
            "csvdecode",
            "templatestring",
            "textdecodebase64",
            "textencodebase64",
            "yamldecode",
            "yamlencode",
        ],
    ),
    (
        "Hangar does not implement it",
        &[
            "chunklist",
            "cidrcontains",
            "cidrhost",
            "cidrnetmask",
            "cidrsubnet",
            "cidrsubnets",
            "convert",
            "defaults",
            "ephemeralasnull",
            "formatdate",
            "indent",
            "list",
            "log",
            "map",
            "matchkeys",
            "parseint",
            "pow",
            "setintersection",
            "setproduct",
            "setsubtract",
            "setunion",
            "signum",
            "timeadd",
            "timecmp",
            "transpose",
            "type",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_twice_in_the_tables() {
        let mut all: Vec<_> = names().collect();
        all.extend(REFUSED.iter().flat_map(|(_, names)| names.iter().copied()));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(FUNCTIONS.is_sorted_by(|a, b| a.name < b.name));
    }
}
