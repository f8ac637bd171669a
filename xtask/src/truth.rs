//! Checks what Hangar computes against what AWS really returned, pair by pair, and the simulator's
//! answers against AWS's.

mod answers;
mod change;
mod known;
mod law;
mod pairs;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};

use self::known::Known;
use self::law::{Breach, Count, Kind};
use crate::workspace::Root;

/// Check patches and the simulator against answers of AWS
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask truth\n  cargo xtask truth --from reads.ndjson --all"
)]
pub(crate) struct Options {
    /// File with pairs to check instead of the project's own and the shared ones
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Print each difference, also the known ones
    #[arg(long)]
    all: bool,
}

/// Checks every pair and every recorded answer; returns a line with the counts.
pub(crate) fn check(root: &Root) -> Result<String> {
    let known = Known::read(root)?;
    let own = Checked::of(&pairs::own(root)?);
    let shared = pairs::shared_file(root).map(|file| pairs::read(&file)).transpose()?;
    let has_shared = shared.is_some();
    let shared = Checked::of(&shared.unwrap_or_default());
    let breaches: Vec<Breach> = own.breaches.iter().chain(&shared.breaches).cloned().collect();
    let unexplained = known.unexplained(&breaches, has_shared);
    let summary = format!("own {}; shared {}", own.summary(), shared.summary());
    let pairs = if unexplained.is_empty() {
        Ok(summary)
    } else {
        Err(anyhow!("{summary}\n{}", unexplained.join("\n")))
    };
    match (pairs, answers::check(root)) {
        (Ok(pairs), Ok(answers)) => Ok(format!("{pairs}; {answers}")),
        (Err(pairs), Err(answers)) => bail!("{pairs:#}\n{answers:#}"),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
    }
}

pub(crate) fn run(options: &Options, root: &Root) -> Result<ExitCode> {
    let Some(file) = &options.from else {
        if options.all {
            print_breaches(&Checked::of(&pairs::own(root)?));
            if let Some(file) = pairs::shared_file(root) {
                print_breaches(&Checked::of(&pairs::read(&file)?));
            }
            answers::print(root)?;
        }
        println!("{}", check(root)?);
        return Ok(ExitCode::SUCCESS);
    };
    let checked = Checked::of(&pairs::read(file)?);
    print_breaches(&checked);
    println!("{}", checked.summary());
    Ok(if checked.breaches.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_breaches(checked: &Checked) {
    for Breach { type_name, path, kind, file } in &checked.breaches {
        println!("{}\t{type_name}\t{path}\t{file}", kind.word());
    }
}

/// Pairs that were asked, and what came out.
struct Checked {
    count: Count,
    breaches: Vec<Breach>,
}

impl Checked {
    fn of(pairs: &[pairs::Pair]) -> Self {
        let mut count = Count::default();
        let breaches = pairs.iter().flat_map(|pair| law::check(pair, &mut count)).collect();
        Self { count, breaches }
    }

    fn summary(&self) -> String {
        let Count { pairs, unknown, changes } = self.count;
        let of_kind = |kind| {
            let files = self.breaches.iter().filter(|it| it.kind == kind).map(|it| &it.file);
            files.collect::<std::collections::BTreeSet<_>>().len()
        };
        let kinds: Vec<String> =
            Kind::ALL.iter().map(|kind| format!("{} {}", of_kind(*kind), kind.word())).collect();
        let outside = match unknown {
            0 => String::new(),
            _ => format!("; {unknown} pairs of types outside of the catalog"),
        };
        format!("{pairs} pairs, {changes} changes: {}{outside}", kinds.join(", "))
    }
}
