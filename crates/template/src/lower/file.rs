//! Files that a file names: modules and imports, by paths that are written out.

use super::Lowering;
use crate::codes;
use crate::path;
use crate::syntax::ast;

/// What became of a file that another one names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reached {
    /// It was lowered: its place in the list of units.
    Unit(usize),
    /// It names the file that names it; the way from file to file.
    Circle(Vec<String>),
    /// Too many files stand in each other.
    TooDeep,
    /// It is there, and cannot be read: why.
    Unreadable(String),
}

/// How many files may stand in each other.
pub(crate) const MOST_DEPTH: usize = 16;

impl<'t> Lowering<'t> {
    /// The unit of a file; nothing where its path is wrong, which is reported.
    pub(super) fn file_of(&mut self, view: ast::String<'t>) -> Option<usize> {
        let span = view.span();
        let Some(text) = view.literal() else {
            let message = "the path of a file cannot be computed";
            let hint = "write the path of one file, as in `'network.bicep'`; to choose between files, use \
                       two modules with conditions";
            self.error(codes::COMPUTED_PATH, span, message).hints.push(hint.to_owned());
            return None;
        };
        if let Some(mistake) = mistake(&text) {
            self.error(mistake.code, span, mistake.message).hints.extend(mistake.hint);
            return None;
        }
        let Some(path) = path::resolve(self.around.file, &text) else {
            let message = format!("`{text}` is outside the project");
            let hint = "the project is the current directory, or the template's folder if the template is elsewhere";
            self.error(codes::UNREADABLE_FILE, span, message).hints.push(hint.to_owned());
            return None;
        };
        match self.around.files.get(&path) {
            Some(Reached::Unit(unit)) => return Some(*unit),
            Some(Reached::Circle(way)) if way.len() < 2 => {
                let hint = "use another file: move the shared declarations to a separate file";
                self.error(codes::FILE_NAMES_ITSELF, span, "the file references itself")
                    .hints
                    .push(hint.to_owned());
            }
            Some(Reached::Circle(way)) => {
                let way: Vec<String> = way.iter().map(|file| format!("`{file}`")).collect();
                let message = format!("the files form a cycle: {}", way.join(" → "));
                let hint = "move the shared declarations to a third file";
                self.error(codes::FILE_CIRCLE, span, message).hints.push(hint.to_owned());
            }
            Some(Reached::TooDeep) => {
                let message = format!("files are nested more than {MOST_DEPTH} levels deep");
                let hint = "move the resources of the inner files to an outer file";
                self.error(codes::TOO_MANY_MODULES, span, message).hints.push(hint.to_owned());
            }
            Some(Reached::Unreadable(why)) => {
                let hint = "use a UTF-8 file with the extension `.bicep` or `.json`";
                self.error(codes::UNREADABLE_FILE, span, format!("the file `{path}` {why}"))
                    .hints
                    .push(hint.to_owned());
            }
            None => {
                let message = format!("the file `{path}` was not found");
                let has_extension = text.rsplit('/').next().is_some_and(|it| it.contains('.'));
                let hint = if has_extension {
                    let folder =
                        self.around.file.rsplit_once('/').map_or(".", |(folder, _)| folder);
                    format!(
                        "correct the path, which is relative to the folder `{folder}`, or add the file"
                    )
                } else {
                    format!("write `'{text}.bicep'`, or add the file")
                };
                self.error(codes::UNREADABLE_FILE, span, message).hints.push(hint);
            }
        }
        None
    }
}

struct Mistake {
    code: hangar_diag::Code,
    message: String,
    hint: Option<String>,
}

/// What is wrong with the text of a path.
fn mistake(text: &str) -> Option<Mistake> {
    let plain = |code, message: &str, hint: String| {
        Some(Mistake { code, message: message.to_owned(), hint: Some(hint) })
    };
    let is_registry = ["br:", "br/", "ts:", "ts/"].iter().any(|start| text.starts_with(start));
    if is_registry {
        let message = format!(
            "`{text}` is in a registry, but modules and imports must be files of the project"
        );
        let hint = "copy the module's files into the project and use their path";
        return Some(Mistake { code: codes::REGISTRY, message, hint: Some(hint.to_owned()) });
    }
    match text {
        "" => {
            let hint = "write the path of a file, as in `'network.bicep'`".to_owned();
            plain(codes::EMPTY_PATH, "the path is empty", hint)
        }
        _ if text.starts_with('/') => {
            let message = "the path must be relative to the file that contains it";
            plain(codes::ABSOLUTE_PATH, message, format!("write `.{text}`"))
        }
        _ if text.contains('\\') => {
            let message = "folders in a path must be separated by `/`".to_owned();
            let hint = format!("write `{}`", text.replace('\\', "/"));
            Some(Mistake { code: codes::BACKSLASH_IN_PATH, message, hint: Some(hint) })
        }
        _ if text.contains(['"', '*', ':', '<', '>', '?', '|', '\0']) => {
            let plainer = text.replace(['"', '*', ':', '<', '>', '?', '|', '\0'], "");
            let hint = format!("rename the file, and write `{plainer}`");
            plain(codes::BAD_PATH, "the path cannot contain any of `\"*:<>?|`", hint)
        }
        _ if text.ends_with([' ', '.']) => {
            let hint = format!("write `{}`", text.trim_end_matches([' ', '.']));
            plain(codes::BAD_PATH_END, "the path cannot end with a space or a dot", hint)
        }
        _ if text.ends_with('/') => {
            let hint = format!("write a file of the folder, as in `{text}main.bicep`");
            let message = "expected the path of a file, found a folder";
            plain(codes::PATH_OF_FOLDER, message, hint)
        }
        _ => None,
    }
}
