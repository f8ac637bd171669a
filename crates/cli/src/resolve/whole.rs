//! Manifests resolved whole: read, asked for, and finished; or a failure that names every mistake.

use hangar_diag::Diagnostic;
use hangar_manifest::resolve::{Draft, Known, Lock, Moved, Use, Which, codes};

use super::external::External;
use super::homes;
use super::how::HowArgs;
use super::manifests::Manifests;
use super::run::{Outcome, Resolving, Rules};
use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, Presence};

/// Manifests for whose references everybody was asked.
#[derive(Debug)]
pub(crate) struct Asked<'m> {
    manifests: &'m Manifests,
    drafts: Vec<Draft<'m>>,
    outcome: Outcome,
    pub(crate) known: Known,
    old: Option<Lock>,
}

/// Manifests with all their values.
#[derive(Debug)]
pub(crate) struct Whole<'m> {
    pub(crate) drafts: Vec<Draft<'m>>,
    pub(crate) texts: Vec<String>,
    pub(crate) uses: Vec<Use>,
    /// The values that are others than the lock had.
    pub(crate) moved: Vec<Moved>,
}

/// What a run knows of the references that the lock is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockScope {
    /// All of them: the lock has the values of this run.
    All,
    /// Some: others are resolved by other processes of the same command.
    Part,
}

/// Asks for the values of all references.
pub(crate) fn ask<'m>(
    manifests: &'m Manifests,
    how: &HowArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Asked<'m>, Failure> {
    let old = how.old_lock()?;
    let mut drafts = drafts(manifests)?;
    let found = offer_to_programs(&how.resolver, &mut drafts);
    stop_at(manifests, found)?;
    let rules = Rules::of(how, homes::of_assemblies(&how.assembly, inputs)?);
    let connection = how.connection.choose(environment)?;
    let mut resolving =
        Resolving::new(&mut drafts, rules, how.states(environment)?, environment, &connection);
    let outcome = if how.offline {
        let lock = old.clone().ok_or_else(|| how.no_lock())?;
        resolving.offline(&lock)
    } else if resolving.asks_control_plane() {
        let (connection, mut outcome) = (connection.clone(), None);
        session::run(connection, printer, Presence::Reading, async |session| {
            outcome = Some(resolving.with_control_plane(session).await?);
            Ok(Exit::Success)
        })?;
        outcome.ok_or_else(|| anyhow::anyhow!("interrupted"))?
    } else {
        resolving.alone(printer)?
    };
    let known = resolving.into_known();
    Ok(Asked { manifests, drafts, outcome, known, old })
}

impl<'m> Asked<'m> {
    /// Stops where a reference is none, and tells how many have no value.
    pub(crate) fn well_formed(self) -> Result<usize, Failure> {
        let mut problems = self.outcome.parted().1;
        let without_value = problems.iter().map(Vec::len).sum::<usize>();
        for problems in &mut problems {
            problems.retain(|problem| problem.code == codes::MALFORMED);
        }
        stop_at(self.manifests, problems)?;
        Ok(without_value)
    }

    /// The manifests with all values in them; the lock is written.
    pub(crate) fn whole(
        self,
        how: &HowArgs,
        scope: LockScope,
        printer: &mut Printer,
    ) -> Result<Whole<'m>, Failure> {
        let Self { manifests, drafts, outcome, old, .. } = self;
        if let Some(diagnostic) = outcome.stopped() {
            return Err(diagnostic.clone().into());
        }
        let (uses, mut problems) = outcome.parted();
        if !how.allow_unresolved {
            for (draft, problems) in drafts.iter().zip(&mut problems) {
                problems.extend(draft.raw_tokens());
            }
        }
        stop_at(manifests, problems)?;
        let texts = finished(manifests, &drafts)?;
        let lock = Lock::of(&uses);
        let moved = old.as_ref().map(|old| lock.moved_from(old)).unwrap_or_default();
        for Moved { reference, from, to } in &moved {
            printer.note(&format!("{reference} was {from} and is now {to}"));
        }
        let lock = match old {
            Some(old) if scope == LockScope::Part => lock.with_others_of(&old),
            _ => lock,
        };
        // First: where it cannot be written, nothing is.
        if !how.offline {
            how.write_lock(&lock)?;
        }
        Ok(Whole { drafts, texts, uses, moved })
    }
}

/// Every manifest, read.
fn drafts(manifests: &Manifests) -> Result<Vec<Draft<'_>>, Failure> {
    let (mut drafts, mut reports) = (Vec::new(), Vec::new());
    for manifest in manifests.all() {
        match Draft::read(&manifest.source.text) {
            Ok(draft) => drafts.push(draft),
            Err(error) => reports.push(Report {
                source: Some(manifest.source.clone()),
                diagnostics: vec![error.diagnostic()],
            }),
        }
    }
    if reports.is_empty() { Ok(drafts) } else { Err(Failure::Reported(reports)) }
}

/// Offers every scalar to the user's own resolvers, one program after the other.
fn offer_to_programs(programs: &[String], drafts: &mut [Draft<'_>]) -> Vec<Vec<Diagnostic>> {
    let mut found: Vec<Vec<Diagnostic>> = drafts.iter().map(|_| Vec::new()).collect();
    for command in programs {
        let failed = |why: String| Diagnostic::error(codes::RESOLVER, why);
        let mut external = match External::start(command) {
            Ok(external) => external,
            Err(why) => {
                found.push(vec![failed(why)]);
                return found;
            }
        };
        for (draft, found) in drafts.iter_mut().zip(&mut found) {
            found.extend(draft.offer(&mut external, Which::Values).problems);
        }
        if let Err(why) = external.finish() {
            found.push(vec![failed(why)]);
        }
    }
    found
}

/// Stops where something was found; what was found beyond the manifests belongs to none of them.
fn stop_at(manifests: &Manifests, found: Vec<Vec<Diagnostic>>) -> Result<(), Failure> {
    let sources = manifests.all().iter().map(|manifest| Some(manifest.source.clone()));
    let sources = sources.chain(std::iter::repeat(None));
    let reports = sources.zip(found).map(|(source, diagnostics)| Report { source, diagnostics });
    let reports: Vec<Report> = reports.filter(|it| !it.diagnostics.is_empty()).collect();
    if reports.is_empty() { Ok(()) } else { Err(Failure::Reported(reports)) }
}

/// The texts with all values in them.
fn finished(manifests: &Manifests, drafts: &[Draft<'_>]) -> Result<Vec<String>, Failure> {
    let (mut texts, mut found) = (Vec::new(), Vec::new());
    for draft in drafts {
        match draft.finish() {
            Ok(text) => {
                texts.push(text);
                found.push(Vec::new());
            }
            Err(error) => found.push(vec![*error]),
        }
    }
    stop_at(manifests, found)?;
    Ok(texts)
}
