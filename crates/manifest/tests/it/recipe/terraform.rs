//! The real `terraform` or `tofu`, in a directory of the test's own.
#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A directory in which the program is run.
pub(crate) struct Workspace {
    program: &'static str,
    pub(crate) directory: PathBuf,
}

/// A fresh directory named after the test, or `None` where there is no program to run in it.
pub(crate) fn workspace(test: &str) -> Option<Workspace> {
    let program = ["terraform", "tofu"].into_iter().find(|program| {
        Command::new(program).arg("version").output().is_ok_and(|output| output.status.success())
    });
    let Some(program) = program else {
        println!("skipped: {test} (no terraform or tofu on PATH)");
        return None;
    };
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipe").join(test);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory of the test's own");
    fs::write(directory.join("cli.tfrc"), "").expect("an empty configuration of the program");
    Some(Workspace { program, directory })
}

impl Workspace {
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.directory.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Runs it in `place`, a directory below the workspace.
    pub(crate) fn run(&self, place: &str, arguments: &[&str]) -> Output {
        Command::new(self.program)
            .args(arguments)
            .current_dir(self.directory.join(place))
            .env("TF_CLI_CONFIG_FILE", self.directory.join("cli.tfrc"))
            .env("TF_IN_AUTOMATION", "1")
            .env("CHECKPOINT_DISABLE", "1")
            .output()
            .expect("the program ran a moment ago")
    }

    /// What it prints; the test fails where it does.
    pub(crate) fn succeed(&self, place: &str, arguments: &[&str]) -> String {
        let output = self.run(place, arguments);
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{arguments:?} in {place}: {out}{err}");
        out.into_owned()
    }

    pub(crate) fn json(&self, place: &str, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.succeed(place, arguments)).expect("JSON was asked for")
    }
}
