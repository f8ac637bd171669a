//! The rules on how templates are written, with the levels that a `bicepconfig.json` sets.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_template::codes;
use hangar_template::lint::{Config, lint};
use hangar_template::source::Problem;
use hangar_template::syntax::Dialect;

use super::files::{Files, is_parameters_file};
use crate::failure::Failure;
use crate::input::Source;

/// What a project sets its levels in.
const CONFIG: &str = "bicepconfig.json";

/// What the rules find in the files of a template.
pub(crate) fn found(files: &Files) -> Result<Vec<Problem>, Failure> {
    look(files, |_| true)
}

/// Of that only what a configuration makes an error: nothing is asked of who has none.
pub(crate) fn errors(files: &Files) -> Result<Vec<Problem>, Failure> {
    let mut found = look(files, Config::has_errors)?;
    found.retain(Problem::is_error);
    Ok(found)
}

fn look(files: &Files, is_wanted: impl Fn(&Config) -> bool) -> Result<Vec<Problem>, Failure> {
    let mut configs: BTreeMap<PathBuf, Config> = BTreeMap::new();
    let mut problems = Vec::new();
    for (path, _) in files.sources.iter() {
        let dialect = match Path::new(path).extension().and_then(|it| it.to_str()) {
            Some(it) if it.eq_ignore_ascii_case("bicep") => Dialect::Template,
            _ if is_parameters_file(Path::new(path)) => Dialect::Parameters,
            _ => continue,
        };
        let folder = files.folder_of(path);
        if !configs.contains_key(&folder) {
            configs.insert(folder.clone(), config_for(&folder)?);
        }
        let (Some(config), Some(text)) = (configs.get(&folder), files.sources.text(path)) else {
            continue;
        };
        if is_wanted(config) {
            let found = lint(text, dialect, config).into_iter();
            problems.extend(found.map(|diagnostic| Problem { file: path.into(), diagnostic }));
        }
    }
    Ok(problems)
}

/// The levels for files of a folder: of the first configuration there, or in a folder above.
fn config_for(folder: &Path) -> Result<Config, Failure> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(whole) = here.canonicalize() else { return Ok(Config::default()) };
    for folder in whole.ancestors() {
        let path = folder.join(CONFIG);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.display());
                return Err(Diagnostic::error(crate::codes::FILE_UNREADABLE, message).into());
            }
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        return Config::read(text).map_err(|error| {
            let source = Source { name: Some(path.display().to_string()), text: text.to_owned() };
            let hint = "correct it, or remove the file";
            let mistake = Diagnostic::error(codes::BAD_CONFIG, error.message).hint(hint);
            Failure::in_source(source, vec![mistake.at(error.at, "")])
        });
    }
    Ok(Config::default())
}
