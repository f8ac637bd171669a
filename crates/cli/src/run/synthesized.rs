//! What the hook wrote down of the apps that a command synthesized.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The apps that were synthesized.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Synthesized {
    apps: Vec<App>,
}

/// One `App.synth()`.
#[derive(Debug, Deserialize, PartialEq, Eq)]
struct App {
    outdir: PathBuf,
    /// The manifests that hold references.
    manifests: Vec<PathBuf>,
    /// Those that hold none.
    #[serde(default)]
    others: Vec<PathBuf>,
    /// The list of all references.
    audit: Option<PathBuf>,
    /// What the app got as text or JSON, if it asked for that.
    returned: Option<Returned>,
}

/// What manifests hold that an app gets as text or JSON. It can write them anywhere.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
enum Returned {
    References,
    Values,
}

impl Synthesized {
    /// Reads one app a line.
    pub(crate) fn read(text: &str) -> io::Result<Self> {
        let apps: Result<Vec<App>, _> = text.lines().map(serde_json::from_str).collect();
        Ok(Self { apps: apps? })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.apps.is_empty()
    }

    /// The manifests that hold references, each once, as seen from a folder, with their places in the folder that
    /// their app writes to.
    pub(crate) fn manifests(&self, from: &Path) -> Vec<(PathBuf, PathBuf)> {
        self.placed(from, |app| app.manifests.iter().collect())
    }

    /// The same for all manifests: where values are written elsewhere, those without references belong there, too.
    pub(crate) fn all_manifests(&self, from: &Path) -> Vec<(PathBuf, PathBuf)> {
        self.placed(from, |app| app.manifests.iter().chain(&app.others).collect())
    }

    /// All files that an app wrote.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let manifests = self.apps.iter().flat_map(|app| app.manifests.iter().chain(&app.others));
        manifests.map(PathBuf::as_path).chain(self.audits())
    }

    fn placed(&self, from: &Path, of: impl Fn(&App) -> Vec<&PathBuf>) -> Vec<(PathBuf, PathBuf)> {
        let mut all = BTreeMap::new();
        for app in &self.apps {
            for path in of(app) {
                let below = path.strip_prefix(&app.outdir).unwrap_or(path);
                let shown = path.strip_prefix(from).unwrap_or(path);
                all.insert(shown.to_owned(), below.to_owned());
            }
        }
        all.into_iter().collect()
    }

    /// Whether an app got references as text or JSON.
    pub(crate) fn has_returned_references(&self) -> bool {
        self.apps.iter().any(|app| app.returned == Some(Returned::References))
    }

    /// Whether references were resolved while an app ran.
    pub(crate) fn has_returned_values(&self) -> bool {
        self.apps.iter().any(|app| app.returned == Some(Returned::Values))
    }

    /// The lists of references.
    pub(crate) fn audits(&self) -> impl Iterator<Item = &Path> {
        self.apps.iter().filter_map(|app| app.audit.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_manifest_is_there_once_and_shown_from_where_one_stands() {
        let line = r#"{"outdir":"/app/dist","mode":"defer","manifests":["/app/dist/a/b.yaml","/app/dist/c.yaml"],"audit":"/app/dist/cloud-references.json"}"#;
        let read = Synthesized::read(&format!("{line}\n{line}\n")).unwrap();
        let expected = [("dist/a/b.yaml", "a/b.yaml"), ("dist/c.yaml", "c.yaml")];
        let expected = expected.map(|(path, below)| (PathBuf::from(path), PathBuf::from(below)));
        assert_eq!(read.manifests(Path::new("/app")), expected);
        assert_eq!(read.manifests(Path::new("/else"))[0].0, Path::new("/app/dist/a/b.yaml"));
        assert_eq!(read.all_manifests(Path::new("/app")), expected);
        assert!(Synthesized::read("").unwrap().is_empty());
        Synthesized::read("{").unwrap_err();
    }

    #[test]
    fn what_an_app_got_as_text_is_known() {
        let line = |returned: &str| {
            let line = format!(r#"{{"outdir":"/app","manifests":[],"audit":null{returned}}}"#);
            let read = Synthesized::read(&line).unwrap();
            (read.has_returned_references(), read.has_returned_values())
        };
        assert_eq!(line(""), (false, false));
        assert_eq!(line(r#","returned":null"#), (false, false));
        assert_eq!(line(r#","returned":"references""#), (true, false));
        assert_eq!(line(r#","returned":"values""#), (false, true));
    }

    #[test]
    fn manifests_without_references_are_there_where_all_are_wanted() {
        let line = r#"{"outdir":"/app/dist","mode":"defer","manifests":["/app/dist/b.yaml"],"others":["/app/dist/a.yaml"],"audit":null}"#;
        let read = Synthesized::read(line).unwrap();
        let names = |all: Vec<(PathBuf, PathBuf)>| -> Vec<PathBuf> {
            all.into_iter().map(|(_, below)| below).collect()
        };
        assert_eq!(names(read.manifests(Path::new("/app"))), [Path::new("b.yaml")]);
        let both = [Path::new("a.yaml"), Path::new("b.yaml")];
        assert_eq!(names(read.all_manifests(Path::new("/app"))), both);
    }
}
