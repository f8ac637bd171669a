//! The rules on how templates are written, with the levels that a `bicepconfig.json` sets.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_template::codes;
use hangar_template::lint::{Config, lint};
use hangar_template::source::Problem;
use hangar_template::syntax::Dialect;

use super::files::{Files, is_parameters_file};
use crate::failure::{Failure, Report};
use crate::input::Source;

/// What a project sets its levels in.
const CONFIG: &str = "bicepconfig.json";

/// What the rules find.
pub(crate) struct ByRules {
    /// In the files of a template.
    pub(crate) problems: Vec<Problem>,
    /// In the configurations that set the rules.
    pub(crate) configs: Vec<Report>,
}

/// What the rules find in the files of a template, and in their configurations.
pub(crate) fn found(files: &Files) -> Result<ByRules, Failure> {
    look(files, |_| true)
}

/// Of that only what a configuration makes an error: nothing is asked of who has none.
pub(crate) fn errors(files: &Files) -> Result<Vec<Problem>, Failure> {
    let mut found = look(files, Config::has_errors)?.problems;
    found.retain(Problem::is_error);
    Ok(found)
}

fn look(files: &Files, is_wanted: impl Fn(&Config) -> bool) -> Result<ByRules, Failure> {
    let mut configs: BTreeMap<PathBuf, Config> = BTreeMap::new();
    let (mut problems, mut of_configs) = (Vec::new(), Vec::new());
    for (path, _) in files.sources.iter() {
        let dialect = match Path::new(path).extension().and_then(|it| it.to_str()) {
            Some(it) if it.eq_ignore_ascii_case("bicep") => Dialect::Template,
            _ if is_parameters_file(Path::new(path)) => Dialect::Parameters,
            _ => continue,
        };
        let folder = files.folder_of(path);
        if !configs.contains_key(&folder) {
            let (config, source) = config_for(&folder)?;
            let diagnostics = config.warnings();
            if !diagnostics.is_empty() {
                of_configs.push(Report { source, diagnostics });
            }
            configs.insert(folder.clone(), config);
        }
        let (Some(config), Some(text)) = (configs.get(&folder), files.sources.text(path)) else {
            continue;
        };
        if is_wanted(config) {
            let found = lint(text, dialect, config).into_iter();
            problems.extend(found.map(|diagnostic| Problem { file: path.into(), diagnostic }));
        }
    }
    Ok(ByRules { problems, configs: of_configs })
}

/// The levels for files of a folder: of the first configuration there, or in a folder above; and that one.
fn config_for(folder: &Path) -> Result<(Config, Option<Source>), Failure> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(whole) = here.canonicalize() else { return Ok((Config::default(), None)) };
    for folder in whole.ancestors() {
        let path = folder.join(CONFIG);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
        let source = Source { name: Some(path.display().to_string()), text };
        return match Config::read(&source.text) {
            Ok(config) => Ok((config, Some(source))),
            Err(error) => {
                let hint = "correct it, or remove the file";
                let mistake = Diagnostic::error(codes::BAD_CONFIG, error.message).hint(hint);
                Err(Failure::in_source(source, vec![mistake.at(error.at, "")]))
            }
        };
    }
    Ok((Config::default(), None))
}

/// A configuration that is there and cannot be read: whether it forbids something cannot be told.
fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let name = path.display();
    let mistake = if path.is_dir() {
        let message = format!("cannot read `{name}`: it is a directory");
        Diagnostic::error(crate::codes::FILE_IS_FOLDER, message)
            .hint("rule levels are read from a file of this name: rename the directory")
    } else if error.kind() == ErrorKind::InvalidData {
        let message = format!("cannot read `{name}`: it is not UTF-8");
        Diagnostic::error(crate::codes::FILE_NOT_TEXT, message).hint("save it as UTF-8")
    } else {
        let message = format!("cannot read `{name}`: {error}");
        Diagnostic::error(crate::codes::FILE_UNREADABLE, message)
            .hint("rule levels are read from this file: check its permissions")
    };
    mistake.into()
}
