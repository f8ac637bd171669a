//! `hangar resolve`: manifests with references in, manifests with deployed values out; whole, or not at all.

mod args;
mod lint;
mod report;

use std::collections::BTreeSet;

use hangar_diag::Diagnostic;
use hangar_manifest::resolve::{Draft, Lock, Use, Which, codes};

use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::Inputs;
use crate::printer::Printer;
use crate::resolve::external::External;
use crate::resolve::homes;
use crate::resolve::manifests::{Depth, Manifest, Manifests};
use crate::resolve::run::{Resolving, Rules};
use crate::session::{self, Presence};
pub(crate) use args::{EXAMPLES, ResolveArgs};

/// So many mistakes are told; nobody reads more.
const MOST_TOLD: usize = 100;

pub(crate) fn run(
    args: &ResolveArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let depth = if args.recursive { Depth::All } else { Depth::Here };
    let manifests = Manifests::read(&args.files, depth, args.out.as_deref(), inputs)?;
    if args.lint {
        return lint::run(&manifests, printer);
    }
    let old = args.old_lock()?;
    let mut drafts = drafts(&manifests)?;
    let found = offer_to_programs(args, &mut drafts);
    stop_at(&manifests, found)?;
    let rules = Rules::of(args, homes::of_assemblies(&args.assembly, inputs)?);
    let connection = args.connection.choose(environment)?;
    let mut resolving =
        Resolving::new(&mut drafts, rules, args.states(environment)?, environment, &connection);
    let uses = if args.offline {
        let lock = old.clone().ok_or_else(|| args.no_lock())?;
        resolving.offline(&lock)
    } else if resolving.asks_control_plane() {
        let (connection, mut uses) = (connection.clone(), None);
        session::run(connection, printer, Presence::Briefly, async |session| {
            uses = Some(resolving.with_control_plane(session).await?);
            Ok(Exit::Success)
        })?;
        uses.ok_or_else(|| anyhow::anyhow!("interrupted"))?
    } else {
        resolving.alone(printer)?
    };
    let asked = resolving.into_known();
    if args.policy {
        // What is to be allowed is told also to who is not allowed yet.
        let mut problems = uses.parted().1;
        let all = problems.iter().map(Vec::len).sum::<usize>();
        for problems in &mut problems {
            problems.retain(|problem| problem.code == codes::MALFORMED);
        }
        stop_at(&manifests, problems)?;
        if all > 0 {
            printer.note(&format!(
                "{all} references have no value, so that more may have to be allowed; without --policy it is told why"
            ));
        }
        let policy = report::policy(&asked);
        printer.show(|| report::pretty(&policy), || &policy)?;
        return Ok(Exit::Success);
    }
    let (uses, mut problems) = uses.parted();
    if !args.allow_unresolved {
        for (draft, problems) in drafts.iter().zip(&mut problems) {
            problems.extend(draft.raw_tokens());
        }
    }
    stop_at(&manifests, problems)?;
    let texts = finished(&manifests, &drafts)?;
    finish(args, printer, &manifests, &drafts, &texts, &uses, old.as_ref())
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
fn offer_to_programs(args: &ResolveArgs, drafts: &mut [Draft<'_>]) -> Vec<Vec<Diagnostic>> {
    let mut found: Vec<Vec<Diagnostic>> = drafts.iter().map(|_| Vec::new()).collect();
    for command in &args.resolver {
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
    let mut left = MOST_TOLD;
    let mut reports: Vec<Report> = Vec::new();
    let all: usize = found.iter().map(Vec::len).sum();
    let first = found.iter().flatten().next().map_or(codes::FAILED, |first| first.code);
    for (source, mut diagnostics) in sources.zip(found) {
        diagnostics.truncate(left);
        left -= diagnostics.len();
        if !diagnostics.is_empty() {
            reports.push(Report { source, diagnostics });
        }
    }
    if all > MOST_TOLD {
        let more = format!("and {} more; nothing was written", all - MOST_TOLD);
        let diagnostics = vec![Diagnostic::error(first, more)];
        reports.push(Report { source: None, diagnostics });
    }
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

fn finish(
    args: &ResolveArgs,
    printer: &mut Printer,
    manifests: &Manifests,
    drafts: &[Draft<'_>],
    texts: &[String],
    uses: &[Use],
    old: Option<&Lock>,
) -> Result<Exit, Failure> {
    let lock = Lock::of(uses);
    let moved = old.map(|old| lock.moved_from(old)).unwrap_or_default();
    for moved in &moved {
        printer.note(&report::moved(moved));
    }
    // First: where it cannot be written, nothing is.
    if !args.offline {
        args.write_lock(&lock)?;
    }
    let whole = || report::Resolution::of(manifests, drafts, texts, uses, &moved);
    if args.explain {
        printer.show(|| report::explained(uses), whole)?;
    } else if let Some(dir) = &args.out {
        let written = manifests.write(texts, dir)?;
        let count = uses.iter().map(|it| &it.reference).collect::<BTreeSet<_>>().len();
        let text = report::written(&written, drafts, count);
        printer.show(|| text, whole)?;
    } else if printer.is_for_programs() {
        printer.show(String::new, whole)?;
    } else {
        let shown: Vec<&Manifest> = manifests.all().iter().collect();
        printer.bytes(Manifests::joined(&shown, texts).as_bytes())?;
    }
    Ok(Exit::Success)
}
