//! What a template says, without its text: declarations and expressions with their names resolved.
//!
//! A front end lowers its tree to this; `evaluate` knows nothing else. Every name is an index here, so a
//! unit is owned, has no lifetimes and is shared between threads. Expressions are never deeper than
//! [`MAX_DEPTH`], so whoever walks them may recurse.

#[allow(dead_code, reason = "what only a printer reads is kept too")]
mod declaration;
#[allow(dead_code, reason = "what only a printer reads is kept too")]
mod expression;

use std::fmt;
use std::sync::Arc;

use hangar_diag::Span;

pub(crate) use declaration::{
    Bounds, Extension, ExtensionDeclaration, FunctionDeclaration, FunctionParameter, HeldTo,
    LoopNames, Metadata, ModuleDeclaration, ModuleParameter, OutputDeclaration,
    ParameterDeclaration, READABLE, RECIPE_READABLE, Remarks, Repeat, ResourceDeclaration, SECRETS,
    TypeDeclaration, Variable, What,
};
pub(crate) use expression::{
    Binary, Call, CallUser, Entry, Environment, Expression, ExpressionKind, Imported, Index, Item,
    Key, Lambda, Loop, Member, Method, Operator, Piece, Ternary,
};

use crate::silence::Silence;
use crate::source::{Place, Sources};

/// How deep expressions stand in each other.
pub(crate) const MAX_DEPTH: usize = 250;

/// All files of a program: the template, its modules, and what is imported.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// A file comes after those that it names.
    pub(crate) list: Vec<Unit>,
    /// The template itself.
    pub(crate) entry: usize,
}

impl Units {
    /// The template itself.
    pub(crate) fn entry(&self) -> &Unit {
        &self.list[self.entry]
    }
}

/// One file.
#[derive(Default)]
pub(crate) struct Unit {
    pub(crate) file: Arc<str>,
    /// What its functions may read.
    pub(crate) sources: Sources,
    /// `targetScope`, as it is written.
    pub(crate) target_scope: Option<Name>,
    #[allow(dead_code, reason = "what only a printer reads is kept too")]
    pub(crate) metadata: Vec<Metadata>,
    pub(crate) types: Vec<TypeDeclaration>,
    pub(crate) functions: Vec<FunctionDeclaration>,
    pub(crate) parameters: Vec<ParameterDeclaration>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) resources: Vec<ResourceDeclaration>,
    pub(crate) modules: Vec<ModuleDeclaration>,
    pub(crate) outputs: Vec<OutputDeclaration>,
    pub(crate) extensions: Vec<ExtensionDeclaration>,
    /// All that has a value, what is needed by others first: whoever goes along never recurses far.
    pub(crate) sequence: Vec<Declared>,
    /// What the file asks not to be told.
    pub(crate) silence: Silence,
    /// Whether something is wrong with it: what is not declared in it may be meant to be.
    pub(crate) is_faulty: bool,
    /// Whether a declaration could not be kept: indices may name another one.
    pub(crate) has_gaps: bool,
}

impl Unit {
    pub(crate) fn place(&self, span: Span) -> Place {
        Place { file: self.file.clone(), span }
    }

    /// Every expression of it but the defaults of parameters and the bodies of functions.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let variables = self.variables.iter().map(|it| &it.value);
        let resources = self.resources.iter().flat_map(ResourceDeclaration::expressions);
        let modules = self.modules.iter().flat_map(ModuleDeclaration::expressions);
        let outputs = self.outputs.iter().map(|it| &it.value);
        variables.chain(resources).chain(modules).chain(outputs)
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unit").field("file", &self.file).finish_non_exhaustive()
    }
}

/// A declaration that others may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    Parameter(usize),
    Variable(usize),
    Resource(usize),
    Module(usize),
}

/// A name that is declared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Name {
    pub(crate) text: Arc<str>,
    pub(crate) span: Span,
}
