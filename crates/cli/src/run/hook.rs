//! The hook of `hangar-cdk8s`, in a folder of its own as long as a command runs, and the environment that loads it.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::synthesized::Synthesized;

/// `npm run bundle` writes it from the sources of the package.
const HOOK: &str = include_str!("hangar-cdk8s.cjs");

/// When values are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// After the app: it writes references.
    Defer,
    /// After the app in its files; while it runs in texts that it asks for, because they can be written anywhere.
    Resolve,
    /// While the app runs.
    Eager,
}

impl Mode {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Defer => "defer",
            Self::Resolve => "resolve",
            Self::Eager => "eager",
        }
    }
}

/// The hook on disk.
#[derive(Debug)]
pub(crate) struct Hook {
    folder: PathBuf,
}

impl Hook {
    /// Writes it where nobody else can.
    pub(crate) fn write() -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("hangar-run-{}", Uuid::now_v7()));
        DirBuilder::new().mode(0o700).create(&folder)?;
        let hook = Self { folder };
        fs::write(hook.script(), HOOK)?;
        fs::write(hook.record(), "")?;
        Ok(hook)
    }

    fn script(&self) -> PathBuf {
        self.folder.join("hangar-cdk8s.cjs")
    }

    fn record(&self) -> PathBuf {
        self.folder.join("synthesized.jsonl")
    }

    /// What the environment of the command has besides.
    pub(crate) fn variables(
        &self,
        program: &Path,
        mode: Option<Mode>,
        flags: &[String],
        node_options: Option<&str>,
    ) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("NODE_OPTIONS", with_require(node_options, &self.script())),
            ("HANGAR_SYNTHESIZED", self.record().display().to_string()),
            ("HANGAR_BIN", program.display().to_string()),
        ];
        variables.extend(mode.map(|mode| ("HANGAR_MODE", mode.as_str().to_owned())));
        if matches!(mode, Some(Mode::Eager | Mode::Resolve)) {
            variables.push(("HANGAR_RESOLVE_ARGS", serde_json::json!(flags).to_string()));
        }
        variables
    }

    /// What the hook wrote down.
    pub(crate) fn synthesized(&self) -> io::Result<Synthesized> {
        Synthesized::read(&fs::read_to_string(self.record())?)
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        // It lies in the folder for what is temporary; somebody else may have cleared that.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The options of node with one more. Node takes blanks, quotes and backslashes in quotes.
fn with_require(options: Option<&str>, script: &Path) -> String {
    let path = script.display().to_string().replace('\\', r"\\").replace('"', "\\\"");
    let require = format!("--require=\"{path}\"");
    match options.map(str::trim).filter(|it| !it.is_empty()) {
        Some(options) => format!("{options} {require}"),
        None => require,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_node_stay_and_paths_may_have_blanks() {
        let path = Path::new("/a b/hook.cjs");
        assert_eq!(with_require(None, path), "--require=\"/a b/hook.cjs\"");
        let both = with_require(Some(" --max-old-space-size=4096 "), path);
        assert_eq!(both, "--max-old-space-size=4096 --require=\"/a b/hook.cjs\"");
        assert_eq!(with_require(None, Path::new(r#"/a"b\c"#)), r#"--require="/a\"b\\c""#);
    }

    #[test]
    fn nothing_is_left_behind() {
        let hook = Hook::write().unwrap();
        let folder = hook.folder.clone();
        assert!(hook.script().is_file());
        drop(hook);
        assert!(!folder.exists());
    }
}
