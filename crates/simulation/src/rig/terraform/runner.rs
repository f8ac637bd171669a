//! What one process reaches of the machine: every call meets its fate first.

use std::sync::Arc;

use hangar_engine::{
    Command, Environment, Exit, Files, Force, Look, RunId, Runner, RunnerAnswer, Tool,
};
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::recipe::RunSight;

use super::{Machine, Started, files_below, program};
use crate::rig::fate::{Site, When};
use crate::rig::process::Process;

/// What one process reaches of the machine.
#[derive(Debug)]
pub struct ProcessRunner {
    process: Process,
    host: String,
    machine: Arc<Machine>,
}

impl ProcessRunner {
    /// Each replica has a machine of its own.
    pub fn new(process: Process, machine: Arc<Machine>) -> Self {
        let host = format!("machine-{}", process.number);
        Self { process, host, machine }
    }

    fn gated<'a, T: Send + 'a>(
        &'a self,
        site: Site,
        run: RunId,
        deed: impl Future<Output = Result<T, Failure>> + Send + 'a,
    ) -> RunnerAnswer<'a, T> {
        Box::pin(async move {
            self.process.go_on().await;
            let fate = self.process.fate(site, &run.number.to_string());
            self.process.call(fate, deed, broken).await
        })
    }
}

fn broken(_: When) -> Failure {
    Failure {
        kind: FailureKind::Unavailable,
        code: "RecipeRunBroken".to_owned(),
        message: "the disk is full (simulated)".to_owned(),
        findings: Vec::new(),
    }
}

impl Runner for ProcessRunner {
    fn host(&self) -> &str {
        &self.host
    }

    fn tool(&self) -> RunnerAnswer<'_, Tool> {
        let (name, version) = ("terraform".to_owned(), "0.0.0".to_owned());
        Box::pin(async { Ok(Tool { name, version }) })
    }

    fn sight(&self, run: RunId) -> RunnerAnswer<'_, RunSight> {
        self.gated(Site::Read("run.sight"), run, async move {
            let running = self.machine.look(run, |kept| kept.running).unwrap_or(false);
            Ok(if running { RunSight::Alive } else { RunSight::Over })
        })
    }

    fn write<'a>(&'a self, run: RunId, files: &'a Files) -> RunnerAnswer<'a, ()> {
        self.gated(Site::Write("run.write"), run, async move {
            self.machine.run(run, |kept| {
                kept.host.clone_from(&self.host);
                kept.files.extend(files.iter().cloned());
            });
            Ok(())
        })
    }

    fn read<'a>(&'a self, run: RunId, path: &'a str) -> RunnerAnswer<'a, Option<Vec<u8>>> {
        self.gated(Site::Read("run.read"), run, async move {
            Ok(self.machine.look(run, |kept| kept.files.get(path).cloned()).flatten())
        })
    }

    fn read_all<'a>(&'a self, run: RunId, directory: &'a str) -> RunnerAnswer<'a, Files> {
        self.gated(Site::Read("run.read_all"), run, async move {
            Ok(self.machine.look(run, |kept| files_below(kept, directory)).unwrap_or_default())
        })
    }

    fn start<'a>(
        &'a self,
        run: RunId,
        command: Command,
        environment: &'a Environment,
    ) -> RunnerAnswer<'a, ()> {
        self.gated(Site::Write("run.start"), run, async move {
            let value = |name: &str| {
                let found = environment.0.iter().find(|(it, _)| it == name);
                found.map(|(_, value)| value.clone()).unwrap_or_default()
            };
            let started = Started {
                machine: self.machine.clone(),
                process: self.process.clone(),
                run,
                command,
                user: value("TF_HTTP_USERNAME"),
                password: value("TF_HTTP_PASSWORD"),
            };
            self.machine.run(run, |kept| {
                (kept.running, kept.exit) = (true, None);
                kept.parent = Some(self.process.clone());
            });
            tokio::spawn(program::run(started));
            Ok(())
        })
    }

    fn look(&self, run: RunId, command: Command, from: u64) -> RunnerAnswer<'_, Look> {
        self.gated(Site::Read("run.look"), run, async move {
            let seen = self.machine.look(run, |kept| {
                let printed = kept.printed.get(command.as_str()).cloned().unwrap_or_default();
                let from = usize::try_from(from).unwrap_or(usize::MAX).min(printed.len());
                // Only its parent hears how a program ends.
                let own = kept.parent.as_ref().is_some_and(|it| it.is(&self.process));
                let code = kept.exit.filter(|_| own);
                let exit = (!kept.running).then(|| code.map_or(Exit::Unheard, Exit::Code));
                Look { printed: printed[from..].to_vec(), exit }
            });
            // One of which nothing is there has ended, and nobody heard how.
            Ok(seen.unwrap_or(Look { printed: Vec::new(), exit: Some(Exit::Unheard) }))
        })
    }

    fn stop(&self, run: RunId, _force: Force) -> RunnerAnswer<'_, ()> {
        self.gated(Site::Write("run.stop"), run, async move {
            self.machine.run(run, |kept| kept.interrupted = true);
            Ok(())
        })
    }

    fn discard(&self, run: RunId) -> RunnerAnswer<'_, ()> {
        self.gated(Site::Write("run.discard"), run, async move {
            crate::rig::process::lock(&self.machine.inner).runs.remove(&run.to_string());
            Ok(())
        })
    }

    fn runs(&self) -> RunnerAnswer<'_, Vec<RunId>> {
        let runs = crate::rig::process::lock(&self.machine.inner);
        let own = runs.runs.iter().filter(|(_, kept)| kept.host == self.host);
        let own: Vec<RunId> = own.filter_map(|(name, _)| RunId::parse(name)).collect();
        Box::pin(async move {
            self.process.go_on().await;
            Ok(own)
        })
    }
}
