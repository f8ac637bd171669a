//! Runs the real `terraform` or `tofu` on this machine.
//!
//! Each run has a directory that only its owner can read. A program gets an open, locked file of it as its standard
//! input: the lock is the system's and ends with the program, so that whoever comes after a crash sees whether
//! it still runs, and needs no process number for that.

mod directory;
mod program;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Mutex;
use std::sync::PoisonError;

use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::recipe::RunSight;
use tokio::process::Child;

use super::runner::{
    Command, Environment, Exit, Files, Force, Look, RunId, Runner, RunnerAnswer, Tool,
};
use directory::RunDirectory;

/// How Terraform is found and run. The values of its variables do not print.
#[derive(Clone)]
pub struct LocalOptions {
    /// Where runs have their directories.
    pub directory: PathBuf,
    /// The program, where it is not to be looked for.
    pub program: Option<PathBuf>,
    /// Where it is looked for: the value of `PATH`.
    pub path: Option<OsString>,
    /// Variables that every run gets: where a home is, which proxy there is.
    pub environment: Vec<(OsString, OsString)>,
}

impl fmt::Debug for LocalOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("LocalOptions")
            .field("directory", &self.directory)
            .field("program", &self.program)
            .field("environment", &names)
            .finish_non_exhaustive()
    }
}

/// Runs Terraform on this machine.
#[derive(Debug)]
pub struct LocalRunner {
    options: LocalOptions,
    host: String,
    /// The program and what it is, once it was found.
    tool: tokio::sync::OnceCell<(PathBuf, Tool)>,
    /// What was started by this process: only its parent hears how a program ends.
    children: Mutex<HashMap<RunId, Child>>,
}

impl LocalRunner {
    /// Makes the directory where it is missing.
    pub fn new(options: LocalOptions) -> io::Result<Self> {
        directory::make_private(&options.directory)?;
        directory::make_private(&options.directory.join(program::PROVIDERS))?;
        let host = directory::host(&options.directory)?;
        Ok(Self {
            options,
            host,
            tool: tokio::sync::OnceCell::new(),
            children: Mutex::new(HashMap::new()),
        })
    }

    fn directory(&self, run: RunId) -> RunDirectory {
        RunDirectory::new(self.options.directory.join(run.to_string()))
    }

    async fn found(&self) -> Result<&(PathBuf, Tool), Failure> {
        self.tool.get_or_try_init(|| program::find(&self.options)).await
    }

    /// Does what may block where it may.
    async fn on_disk<T: Send + 'static>(
        &self,
        run: RunId,
        doing: &'static str,
        deed: impl FnOnce(&RunDirectory) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let directory = self.directory(run);
        let done = tokio::task::spawn_blocking(move || deed(&directory)).await;
        let failed = |why: String| broken(doing, &why);
        done.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))
    }

    fn child<T>(&self, deed: impl FnOnce(&mut HashMap<RunId, Child>) -> T) -> T {
        deed(&mut self.children.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How a program that this process started ended; nothing while it runs.
    fn heard(&self, run: RunId) -> Option<io::Result<Option<ExitStatus>>> {
        self.child(|children| children.get_mut(&run).map(Child::try_wait))
    }
}

/// What a machine that does not do as it is told is answered with.
fn broken(doing: &str, why: &str) -> Failure {
    Failure {
        kind: FailureKind::Unavailable,
        code: "RecipeRunBroken".to_owned(),
        message: format!("cannot {doing}: {why}"),
        findings: Vec::new(),
    }
}

impl Runner for LocalRunner {
    fn host(&self) -> &str {
        &self.host
    }

    fn tool(&self) -> RunnerAnswer<'_, Tool> {
        Box::pin(async { self.found().await.map(|(_, tool)| tool.clone()) })
    }

    fn sight(&self, run: RunId) -> RunnerAnswer<'_, RunSight> {
        Box::pin(async move {
            let alive = self.on_disk(run, "check the run", RunDirectory::is_in_use).await?;
            Ok(if alive { RunSight::Alive } else { RunSight::Over })
        })
    }

    fn write<'a>(&'a self, run: RunId, files: &'a Files) -> RunnerAnswer<'a, ()> {
        let files = files.clone();
        Box::pin(self.on_disk(run, "write the run's files", move |it| it.write(&files)))
    }

    fn read<'a>(&'a self, run: RunId, path: &'a str) -> RunnerAnswer<'a, Option<Vec<u8>>> {
        let path = path.to_owned();
        Box::pin(self.on_disk(run, "read the run's files", move |it| it.read(&path)))
    }

    fn read_all<'a>(&'a self, run: RunId, directory: &'a str) -> RunnerAnswer<'a, Files> {
        let directory = directory.to_owned();
        Box::pin(self.on_disk(run, "read the run's files", move |it| it.read_all(&directory)))
    }

    fn start<'a>(
        &'a self,
        run: RunId,
        command: Command,
        environment: &'a Environment,
    ) -> RunnerAnswer<'a, ()> {
        Box::pin(async move {
            let (program, tool) = self.found().await?;
            let directory = self.directory(run);
            let child = program::start(program, &self.options, &directory, command, environment)
                .map_err(|error| broken(&format!("start {}", tool.name), &error.to_string()))?;
            self.child(|children| children.insert(run, child));
            Ok(())
        })
    }

    fn look(&self, run: RunId, command: Command, from: u64) -> RunnerAnswer<'_, Look> {
        Box::pin(async move {
            // Before what it printed is read: what it printed last is in the file by then.
            let exit = match self.heard(run) {
                Some(Ok(status)) => {
                    status.map(|status| status.code().map_or(Exit::Unheard, Exit::Code))
                }
                Some(Err(_)) | None => match self.sight(run).await? {
                    RunSight::Alive => None,
                    RunSight::None | RunSight::Over | RunSight::Elsewhere => Some(Exit::Unheard),
                },
            };
            let read = move |it: &RunDirectory| it.printed(command, from);
            let printed = self.on_disk(run, "read the output of the program", read).await?;
            Ok(Look { printed, exit })
        })
    }

    fn stop(&self, run: RunId, force: Force) -> RunnerAnswer<'_, ()> {
        Box::pin(self.on_disk(run, "stop the program", move |it| program::stop(it, force)))
    }

    fn discard(&self, run: RunId) -> RunnerAnswer<'_, ()> {
        self.child(|children| children.remove(&run));
        Box::pin(self.on_disk(run, "remove the run's files", RunDirectory::remove))
    }

    fn runs(&self) -> RunnerAnswer<'_, Vec<RunId>> {
        let directory = self.options.directory.clone();
        Box::pin(async move {
            let listed = tokio::task::spawn_blocking(move || directory::runs(&directory)).await;
            let failed = |why: String| broken("list the runs", &why);
            listed.map_err(|it| failed(it.to_string()))?.map_err(|it| failed(it.to_string()))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Duration;

    use hangar_plan::operation::OperationId;

    use super::*;

    /// A program that says what it is asked to, and ends with 3.
    fn program(folder: &std::path::Path) -> PathBuf {
        let path = folder.join("terraform");
        let text = "#!/bin/sh\nif [ \"$1\" = version ]; then echo '{\"terraform_version\": \"1.0.0\"}'; exit 0; fi\n\
                    echo said; exit 3\n";
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    #[tokio::test]
    async fn how_a_program_ended_is_told_until_all_that_it_printed_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let options = LocalOptions {
            directory: folder.path().join("runs"),
            program: Some(program(folder.path())),
            path: None,
            environment: Vec::new(),
        };
        let runner = LocalRunner::new(options).unwrap();
        let operation = OperationId::parse("0191f3a8-7c2e-7abc-8def-0123456789ab").unwrap();
        let run = RunId { operation, number: 1 };
        runner.write(run, &Vec::new()).await.unwrap();
        runner.start(run, Command::Apply, &Environment::default()).await.unwrap();
        let first = loop {
            let look = runner.look(run, Command::Apply, 0).await.unwrap();
            if look.exit.is_some() {
                break look;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        assert_eq!((first.exit, first.printed.as_slice()), (Some(Exit::Code(3)), &b"said\n"[..]));
        let last = runner.look(run, Command::Apply, 5).await.unwrap();
        assert_eq!(last, Look { printed: Vec::new(), exit: Some(Exit::Code(3)) });
    }
}
