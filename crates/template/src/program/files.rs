//! The files of a program: each is read once, after all that it names.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};

use super::partial::make_errors_unknown;
use super::{Reporting, Unreadable, settle, told};
use crate::arm::{self, is_compiled};
use crate::codes;
use crate::ir::{Unit, Units};
use crate::lower::{Around, Lowered, MOST_DEPTH, Reached, components, lower};
use crate::path;
use crate::source::{Problem, Sources};
use crate::syntax::ast::{File, Import, Module, Statement};
use crate::syntax::{Dialect, Mended, Tree, parse_mended};

/// All files of a program, lowered.
pub(crate) struct Read {
    pub(crate) units: Units,
    pub(crate) problems: Vec<Problem>,
    /// Of a parameters file: the values it gives, which are variables of its unit.
    pub(crate) assignments: Vec<usize>,
    /// What could not be read.
    pub(crate) unreadable: Vec<Unreadable>,
}

/// A file that was parsed, with the paths that it names.
struct Parsing {
    path: String,
    mended: Mended,
    names: Vec<String>,
}

/// Reads a file, which is there, and all that it names.
pub(crate) fn read(sources: &Sources, entry: &str, dialect: Dialect, reporting: Reporting) -> Read {
    let (files, by_path) = parsed_files(sources, entry, dialect, reporting);
    let mut needs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        needs.insert(index, file.names.iter().filter_map(|it| by_path.get(it).copied()).collect());
    }
    let mut reading = Reading {
        sources,
        units: Vec::new(),
        unit_of: HashMap::new(),
        depth_of: HashMap::new(),
        problems: Vec::new(),
        assignments: Vec::new(),
        unreadable: Vec::new(),
    };
    for component in components(&needs) {
        for index in &component {
            let dialect = if *index == 0 { dialect } else { Dialect::Template };
            let around = |path: &str| circle(&files, &by_path, &needs, &component, *index, path);
            reading.file(&files[*index], *index, &by_path, dialect, around);
        }
    }
    let entry = reading.unit_of.get(&0).copied().unwrap_or_default();
    let unreadable = reading.unreadable;
    let mut problems = reading.problems;
    settle(&mut problems);
    if reporting == Reporting::OnePerSlip {
        one_per_cycle(&mut problems);
    }
    let units = Units { list: reading.units, entry };
    Read { units, problems, assignments: reading.assignments, unreadable }
}

/// Leaves one message of a circle of declarations, which is reported at every reference in it.
fn one_per_cycle(problems: &mut Vec<Problem>) {
    let mut seen: HashSet<(Arc<str>, String)> = HashSet::new();
    problems.retain(|it| {
        it.diagnostic.code != codes::CYCLE
            || seen.insert((it.file.clone(), it.diagnostic.message.clone()))
    });
}

/// The entry, which is the first, and all files that can be reached from it.
fn parsed_files(
    sources: &Sources,
    entry: &str,
    dialect: Dialect,
    reporting: Reporting,
) -> (Vec<Parsing>, HashMap<String, usize>) {
    let mut files = Vec::new();
    let mut by_path = HashMap::from([(entry.to_owned(), 0)]);
    let mut open = vec![entry.to_owned()];
    let mut at = 0;
    while let Some(path) = open.get(at).cloned() {
        // ARM JSON names no files: it is read as a whole when its turn comes.
        let text = if is_compiled(&path) { "" } else { sources.text(&path).unwrap_or_default() };
        let dialect = if at == 0 { dialect } else { Dialect::Template };
        let mended = match reporting {
            Reporting::OnePerSlip => parse_mended(text, dialect),
            Reporting::AsBicep => Mended::unmended(text, dialect),
        };
        let names = named_files(&mended.parsed.tree, &path);
        for name in &names {
            if (is_template(name) || is_compiled(name))
                && sources.text(name).is_some()
                && !by_path.contains_key(name)
            {
                by_path.insert(name.clone(), open.len());
                open.push(name.clone());
            }
        }
        files.push(Parsing { path, mended, names });
        at += 1;
    }
    (files, by_path)
}

/// The files that a file names as modules or imports, by their paths in the project.
pub(crate) fn named_files(tree: &Tree, path: &str) -> Vec<String> {
    let paths = File::of(tree).statements().filter_map(|statement| match statement {
        Statement::Module(view) => Module::path(view),
        Statement::Import(view) => Import::path(view),
        _ => None,
    });
    let texts = paths.filter_map(crate::syntax::ast::String::literal);
    texts.filter_map(|text| path::resolve(path, &text)).collect()
}

fn is_template(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("bicep"))
}

struct Reading<'s> {
    sources: &'s Sources,
    units: Vec<Unit>,
    /// The unit of each file that was lowered.
    unit_of: HashMap<usize, usize>,
    /// How many files stand in each other below it, itself included.
    depth_of: HashMap<usize, usize>,
    problems: Vec<Problem>,
    assignments: Vec<usize>,
    unreadable: Vec<Unreadable>,
}

impl Reading<'_> {
    fn file(
        &mut self,
        file: &Parsing,
        index: usize,
        by_path: &HashMap<String, usize>,
        dialect: Dialect,
        circle: impl Fn(&str) -> Option<Vec<String>>,
    ) {
        let mut reached = HashMap::new();
        let mut depth = 1;
        for path in &file.names {
            let found = if let Some(way) = circle(path) {
                Reached::Circle(way)
            } else if let Some(unit) = by_path.get(path).and_then(|it| self.unit_of.get(it)) {
                let below = self.depth_of.get(&by_path[path]).copied().unwrap_or(1);
                depth = depth.max(below + 1);
                if below >= MOST_DEPTH { Reached::TooDeep } else { Reached::Unit(*unit) }
            } else {
                match (self.sources.get(path), self.sources.text(path)) {
                    (Some(_), None) => Reached::Unreadable("is not UTF-8 text".to_owned()),
                    (Some(_), Some(_)) => Reached::Unreadable("is not a Bicep template".to_owned()),
                    (None, _) => continue,
                }
            };
            reached.insert(path.clone(), found);
        }
        let name: Arc<str> = file.path.as_str().into();
        if is_compiled(&file.path) {
            return self.arm_json(&name, index);
        }
        self.unreadable.extend(file.mended.spoiled.iter().map(|part| Unreadable {
            file: name.clone(),
            span: part.span,
            statement: part.statement,
        }));
        let types = self.sources.resource_types();
        let around = Around { units: &self.units, file: &file.path, files: &reached, types };
        let lowered = lower(&file.mended.parsed.tree, dialect, name, self.sources.clone(), around);
        let Lowered { mut unit, found, assignments } = lowered;
        // Mended slips were read as they were meant.
        let syntax = file.mended.parsed.diagnostics.iter();
        let syntax = syntax.filter(|it| !file.mended.is_repaired(it));
        let errors = syntax.chain(&found).filter(|it| it.is_error()).filter_map(Diagnostic::span);
        let unreadable: Vec<Span> = file.mended.unreadable().collect();
        let errors: Vec<Span> = errors.chain(unreadable.iter().copied()).collect();
        let found = found.into_iter().filter(|it| !file.mended.explains(it));
        let diagnostics = file.mended.parsed.diagnostics.iter().cloned().chain(found);
        let problems = told(&unit, diagnostics);
        unit.is_faulty = problems.iter().any(Problem::is_error);
        if unit.is_faulty {
            make_errors_unknown(&mut unit, self.units.len(), &errors, &unreadable);
        }
        self.problems.extend(problems);
        self.unit_of.insert(index, self.units.len());
        self.depth_of.insert(index, depth.min(MOST_DEPTH + 1));
        self.units.push(unit);
        if index == 0 {
            self.assignments = assignments;
        }
    }
}

impl Reading<'_> {
    /// A template in ARM JSON, with those that are in it.
    fn arm_json(&mut self, file: &Arc<str>, index: usize) {
        let text = self.sources.text(file).unwrap_or_default();
        let (unit, found) = arm::read(text, file, self.sources, &mut self.units);
        let problems = told(&self.units[unit], found.into_iter());
        let is_wrong = problems.iter().any(Problem::is_error);
        self.units[unit].is_faulty |= is_wrong;
        self.units[unit].has_gaps |= is_wrong;
        self.problems.extend(problems);
        self.unit_of.insert(index, unit);
        self.depth_of.insert(index, 1);
    }
}

/// The way from a file over one that it names back to itself, where there is one.
fn circle(
    files: &[Parsing],
    by_path: &HashMap<String, usize>,
    needs: &BTreeMap<usize, Vec<usize>>,
    component: &[usize],
    from: usize,
    path: &str,
) -> Option<Vec<String>> {
    let to = *by_path.get(path)?;
    if !component.contains(&to) {
        return None;
    }
    if to == from {
        return Some(vec![path.to_owned()]);
    }
    let mut before: HashMap<usize, usize> = HashMap::new();
    let mut open = vec![to];
    let mut at = 0;
    while let Some(file) = open.get(at).copied() {
        at += 1;
        for next in &needs[&file] {
            if component.contains(next) && *next != to && !before.contains_key(next) {
                before.insert(*next, file);
                open.push(*next);
            }
        }
    }
    let mut way = vec![from];
    let mut back = from;
    while let Some(previous) = before.get(&back).copied() {
        way.push(previous);
        back = previous;
    }
    way.push(from);
    way.reverse();
    Some(way.into_iter().map(|file| files[file].path.clone()).collect())
}
