//! The decorators of the language: before what each goes, and what it takes.

use hangar_diag::Code;

use crate::codes;
use crate::value::Kind;

/// What a decorator can stand before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Target {
    Parameter,
    Variable,
    Resource,
    Module,
    Output,
    Metadata,
    Type,
    /// A property or an item of a type.
    Member,
    Function,
}

impl Target {
    pub(super) const fn describe(self) -> (&'static str, Code) {
        match self {
            Self::Parameter => ("a parameter", codes::NOT_BEFORE_PARAMETER),
            Self::Variable => ("a variable", codes::NOT_BEFORE_VARIABLE),
            Self::Resource => ("a resource", codes::NOT_BEFORE_RESOURCE),
            Self::Output => ("an output", codes::NOT_BEFORE_OUTPUT),
            Self::Module => ("a module", codes::NOT_BEFORE_MODULE),
            Self::Metadata => ("metadata", codes::NO_DECORATORS),
            Self::Type => ("a type", codes::NOT_BEFORE_TYPE),
            Self::Member => ("a part of a type", codes::NOT_BEFORE_TYPE),
            Self::Function => ("a function", codes::NO_DECORATORS),
        }
    }
}

/// A decorator of the language.
pub(super) struct Decorator {
    pub(super) name: &'static str,
    pub(super) targets: &'static [Target],
    /// How many arguments it takes.
    pub(super) count: usize,
    /// Of which kind they are, if of one.
    pub(super) takes: Option<Kind>,
    /// Kinds of parameters and outputs that it goes with; all where there are none.
    pub(super) goes_with: &'static [Kind],
    pub(super) is_supported: bool,
}

impl Decorator {
    /// What it can stand before, in words.
    pub(super) fn goes_before(&self) -> String {
        let words: Vec<&str> = self.targets.iter().map(|it| it.describe().0).collect();
        match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => words.join(""),
        }
    }

    /// How it is written: `minLength(3)`.
    pub(super) fn signature(&self) -> String {
        let argument = match self.takes {
            _ if self.count == 0 => "",
            Some(Kind::Int) => "3",
            Some(Kind::Array) => "['small', 'large']",
            Some(Kind::Object) => "{ owner: 'team-a' }",
            _ => "'…'",
        };
        format!("{}({})", self.name, vec![argument; self.count.max(1)].join(", "))
    }
}

const ANY_TARGET: &[Target] = &[
    Target::Parameter,
    Target::Variable,
    Target::Resource,
    Target::Module,
    Target::Output,
    Target::Metadata,
    Target::Type,
    Target::Member,
    Target::Function,
];
const TYPED: &[Target] = &[Target::Parameter, Target::Output, Target::Type, Target::Member];
const EXPORTED: &[Target] = &[Target::Variable, Target::Type, Target::Function];
const REPEATED: &[Target] = &[Target::Resource, Target::Module];

const fn decorator(name: &'static str, targets: &'static [Target], count: usize) -> Decorator {
    Decorator { name, targets, count, takes: None, goes_with: &[], is_supported: true }
}

pub(super) const ALL: &[Decorator] = &[
    Decorator { takes: Some(Kind::String), ..decorator("description", ANY_TARGET, 1) },
    Decorator { takes: Some(Kind::Object), ..decorator("metadata", TYPED, 1) },
    Decorator { goes_with: &[Kind::String, Kind::Object], ..decorator("secure", TYPED, 0) },
    Decorator { takes: Some(Kind::Array), ..decorator("allowed", &[Target::Parameter], 1) },
    Decorator {
        takes: Some(Kind::Int),
        goes_with: &[Kind::String, Kind::Array],
        ..decorator("minLength", TYPED, 1)
    },
    Decorator {
        takes: Some(Kind::Int),
        goes_with: &[Kind::String, Kind::Array],
        ..decorator("maxLength", TYPED, 1)
    },
    Decorator {
        takes: Some(Kind::Int),
        goes_with: &[Kind::Int],
        ..decorator("minValue", TYPED, 1)
    },
    Decorator {
        takes: Some(Kind::Int),
        goes_with: &[Kind::Int],
        ..decorator("maxValue", TYPED, 1)
    },
    Decorator { takes: Some(Kind::Int), ..decorator("batchSize", REPEATED, 1) },
    decorator("nullIfNotFound", &[Target::Resource], 0),
    decorator("export", EXPORTED, 0),
    Decorator { is_supported: false, ..decorator("onlyIfNotExists", &[Target::Resource], 0) },
    Decorator { is_supported: false, ..decorator("retryOn", &[Target::Resource], 2) },
    Decorator { is_supported: false, ..decorator("waitUntil", &[Target::Resource], 2) },
    Decorator { goes_with: &[Kind::Object], ..decorator("sealed", TYPED, 0) },
    Decorator { takes: Some(Kind::String), ..decorator("discriminator", TYPED, 1) },
    Decorator { is_supported: false, ..decorator("validate", &[Target::Parameter], 2) },
];
