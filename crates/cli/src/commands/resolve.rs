//! `hangar resolve`: manifests with references in, manifests with deployed values out; whole, or not at all.

mod args;
mod batch;
mod lint;
pub(super) mod report;

use std::collections::BTreeSet;

use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::render::counted;
use crate::resolve::manifests::{Depth, Manifest, Manifests};
use crate::resolve::whole::{self, LockScope, Whole};
pub(crate) use args::{DESCRIPTION, EXAMPLES, ResolveArgs};

pub(crate) fn run(
    args: &ResolveArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    if args.batch {
        return batch::run(&args.how, environment, printer, inputs);
    }
    let depth = if args.recursive { Depth::All } else { Depth::Here };
    let manifests = Manifests::read(&args.files, depth, args.out.as_deref(), inputs)?;
    if args.lint {
        return lint::run(&manifests, printer);
    }
    let asked = whole::ask(&manifests, &args.how, environment, printer, inputs)?;
    if args.policy {
        // What is to be allowed is told also to who is not allowed yet.
        let policy = report::policy(&asked.known);
        let without_value = asked.well_formed()?;
        if without_value > 0 {
            let have = if without_value == 1 { "has" } else { "have" };
            printer.note(&format!(
                "{} {have} no value, so the policy may be incomplete; run without --policy to see the reasons",
                counted(without_value, "reference")
            ));
        }
        printer.show(|| report::pretty(&policy), || &policy)?;
        return Ok(Exit::Success);
    }
    let whole = asked.whole(&args.how, LockScope::All, printer)?;
    finish(args, printer, &manifests, &whole)
}

fn finish(
    args: &ResolveArgs,
    printer: &mut Printer,
    manifests: &Manifests,
    whole: &Whole<'_>,
) -> Result<Exit, Failure> {
    let Whole { drafts, texts, uses, .. } = whole;
    let all = || report::Resolution::of(manifests, whole);
    if args.explain {
        printer.show(|| report::explained(uses), all)?;
    } else if let Some(dir) = &args.out {
        let written = manifests.write(texts, dir)?;
        let count = uses.iter().map(|it| &it.reference).collect::<BTreeSet<_>>().len();
        let text = report::written(&written, drafts, count);
        printer.show(|| text, all)?;
    } else if printer.is_for_programs() {
        printer.show(String::new, all)?;
    } else {
        let shown: Vec<&Manifest> = manifests.all().iter().collect();
        printer.bytes(Manifests::joined(&shown, texts).as_bytes())?;
    }
    Ok(Exit::Success)
}
