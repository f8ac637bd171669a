//! A template that was read and bound: what it asks for, and how it is started.

pub(crate) mod files;
mod partial;

use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};

use crate::codes;
use crate::deployment::{Deployment, Inputs};
use crate::ir::{ResourceDeclaration, Unit, Units, What};
use crate::source::{Place, Problem, Sources};
use crate::start;
use crate::syntax::Dialect;
use crate::types::Table;
use crate::value::{Kind, Value};

/// What became of a template.
#[derive(Debug)]
pub struct Compiled {
    /// The program; nothing where there is an error.
    pub program: Option<Program>,
    /// The program where there is an error, to find more of them: it is never deployed. Nothing where too little is
    /// left of it.
    pub partial: Option<Program>,
    /// Everything that is wrong, in the order of the text.
    pub problems: Vec<Problem>,
    unreadable: Vec<Unreadable>,
}

/// A statement, or a property in it, that could not be read.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) file: Arc<str>,
    pub(crate) span: Span,
    pub(crate) statement: Span,
}

impl Compiled {
    /// Whether a problem of the partial program follows from an error that was reported: it is in a part that could not
    /// be read, misses a property that can be that part, or needs a value that an error leaves open.
    pub fn explains(&self, problem: &Problem) -> bool {
        let code = problem.diagnostic.code;
        if [codes::NOT_KNOWN_AT_START, codes::LIST_NOT_KNOWN_AT_START].contains(&code) {
            return self.program.is_none();
        }
        let Some(place) = problem.diagnostic.span() else { return false };
        let is_in = |around: Span| around.start <= place.start && place.start <= around.end;
        self.unreadable
            .iter()
            .filter(|it| it.file == problem.file)
            .any(|it| is_in(it.span) || code == codes::MISSING_MEMBER && is_in(it.statement))
    }
}

/// A template that has no error in its text.
#[derive(Debug, Clone)]
pub struct Program {
    units: Arc<Units>,
    parameters: Vec<Parameter>,
}

/// A parameter that a template declares.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: Arc<str>,
    /// The kind of its values, where its type has only one.
    pub kind: Option<Kind>,
    /// Its type as it is written.
    pub type_text: Arc<str>,
    /// Whether its value is secret, or may hold something that is: what its type holds counts at any depth.
    pub secure: bool,
    /// Whether it needs no value.
    pub has_default: bool,
    /// What `@description()` says.
    pub description: Option<Arc<str>>,
    /// What `@allowed()` lists.
    pub allowed: Option<Vec<Value>>,
    /// Where it is declared.
    pub place: Place,
}

/// The control plane that a template is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// All resources are ones that Hangar deploys, and there is at least one.
    Hangar,
    /// There are resources that only Azure deploys.
    Azure,
    /// There are no resources.
    Any,
}

/// What became of a start.
#[derive(Debug)]
pub struct Started {
    /// The deployment; nothing where there is an error.
    pub deployment: Option<Deployment>,
    /// The deployment where there is an error, to find more of them: it is never run.
    pub partial: Option<Deployment>,
    /// Everything that is wrong, in the order of the text.
    pub problems: Vec<Problem>,
}

/// Which mistakes of a text are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reporting {
    /// One for each slip.
    OnePerSlip,
    /// Those that Bicep's own compiler reports, with all that follow from others.
    AsBicep,
}

/// Reads and binds a template; each slip is reported once.
pub fn compile(sources: &Sources, entry: &str) -> Compiled {
    compile_reporting(sources, entry, Reporting::OnePerSlip)
}

/// Reads and binds a template.
pub fn compile_reporting(sources: &Sources, entry: &str, reporting: Reporting) -> Compiled {
    let file: Arc<str> = entry.into();
    if let Err(problem) = text_of(sources, &file) {
        let (problems, unreadable) = (vec![*problem], Vec::new());
        return Compiled { program: None, partial: None, problems, unreadable };
    }
    let files::Read { units, problems, unreadable, .. } =
        files::read(sources, entry, Dialect::Template, reporting);
    let is_wrong = problems.iter().any(Problem::is_error);
    if !is_wrong {
        let program = Some(Program::of(units));
        return Compiled { program, partial: None, problems, unreadable };
    }
    // What the errors are in is unknown by now. ARM JSON with an error is read no further.
    let is_checked = !units.list.iter().any(|it| it.has_gaps);
    let partial = is_checked.then(|| Program::of(units));
    Compiled { program: None, partial, problems, unreadable }
}

/// The text of a file, or why it cannot be read.
pub(crate) fn text_of<'s>(sources: &'s Sources, file: &Arc<str>) -> Result<&'s str, Box<Problem>> {
    let why = match (sources.get(file), sources.text(file)) {
        (_, Some(text)) => return Ok(text),
        (Some(_), None) => "is not UTF-8 text",
        (None, None) => "was not found",
    };
    let diagnostic = Diagnostic::error(codes::UNREADABLE_FILE, format!("the file `{file}` {why}"));
    let diagnostic = diagnostic.at(Span::new(0, 0), "");
    Err(Box::new(Problem { file: file.clone(), diagnostic }))
}

/// Diagnostics of a unit as its problems: sorted, each once, without those that the file silences.
pub(crate) fn told(unit: &Unit, diagnostics: impl Iterator<Item = Diagnostic>) -> Vec<Problem> {
    let mut problems: Vec<Problem> = diagnostics
        .filter(|it| !unit.silence.covers(it))
        .map(|diagnostic| Problem { file: unit.file.clone(), diagnostic })
        .collect();
    settle(&mut problems);
    problems
}

/// Sorts problems by their file and place and leaves each once.
pub(crate) fn settle(problems: &mut Vec<Problem>) {
    let place = |it: &Problem| it.diagnostic.span().map(|span| (span.start, span.end));
    problems.sort_by(|a, b| {
        let key = |it: &Problem| (place(it), it.diagnostic.code);
        let by_file = a.file.cmp(&b.file);
        by_file
            .then_with(|| key(a).cmp(&key(b)))
            .then_with(|| a.diagnostic.message.cmp(&b.diagnostic.message))
    });
    problems.dedup();
}

impl Program {
    fn of(units: Units) -> Self {
        let (unit, table) = (units.entry(), Table::of(&units.list));
        let parameters = unit.parameters.iter().map(|declared| Parameter {
            name: declared.name.text.clone(),
            kind: table.kind(&declared.value_type),
            type_text: declared.type_text.clone(),
            secure: declared.secure || table.holds_secure(&declared.value_type),
            has_default: declared.default.is_some() || table.is_nullable(&declared.value_type),
            description: declared.remarks.description.clone(),
            allowed: declared.bounds.allowed.clone(),
            place: unit.place(declared.name.span),
        });
        Self { parameters: parameters.collect(), units: Arc::new(units) }
    }

    /// The parameters in the order they are declared in.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The control plane that can deploy all resources of the template and its modules.
    pub fn destination(&self) -> Destination {
        let mut destination = Destination::Any;
        let all = self.units.list.iter().flat_map(|unit| &unit.resources);
        for resource in all.map(|resource: &ResourceDeclaration| &resource.what) {
            match resource {
                What::Foreign { .. } => return Destination::Azure,
                What::Aws { .. } | What::Recipe => destination = Destination::Hangar,
                What::Faulty => {}
            }
        }
        destination
    }

    /// What the template comes to with these inputs, as far as it can be told before anything is deployed.
    pub fn start(&self, inputs: &Inputs) -> Started {
        start::start(&self.units, inputs)
    }
}
