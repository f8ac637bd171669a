//! Files as they are sent to a server, and those of a directory that holds a Terraform module.
//!
//! Left out is what is no part of a module and may hold secrets: states, values of variables, what
//! Terraform and Git keep beside it, and a data directory of ours.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_manifest::recipe::module::{Outline, outline};
use serde_json::{Map, Value, json};

use crate::codes;
use crate::failure::Failure;
use crate::render::{counted, printable};

/// As much as a server takes, encoded and all.
const MOST_BYTES: u64 = 4 << 20;

/// No module has more files.
const MOST_FILES: usize = 10_000;

/// So many of the largest files are named where there is too much.
const NAMED: usize = 5;

/// The files of a module.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    /// By their path in the module, `/` between its parts.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Files with values of variables, which are the user's and not the module's.
    pub(crate) left_out: Vec<String>,
}

impl Packed {
    /// As they are sent: text as text, anything else as base64.
    pub(crate) fn to_json(&self) -> Value {
        let file = |(path, content): &(String, Vec<u8>)| (path.clone(), to_json(content));
        Value::Object(self.files.iter().map(file).collect::<Map<_, _>>())
    }

    /// What the module declares.
    pub(crate) fn outline(&self) -> Outline {
        let top = self.files.iter().filter(|(path, _)| !path.contains('/'));
        let top: Vec<(&str, &[u8])> =
            top.map(|(path, content)| (path.as_str(), content.as_slice())).collect();
        outline(&top)
    }
}

/// Packs a directory; `data_dir` is ours, and no part of any module.
pub(crate) fn pack(directory: &Path, data_dir: Option<&Path>) -> Result<Packed, Failure> {
    let root = directory.canonicalize().map_err(|error| unreadable(directory, &error))?;
    let data_dir = data_dir.and_then(|it| it.canonicalize().ok());
    let mut walk = Walk { root: root.clone(), data_dir, found: Vec::new(), left_out: Vec::new() };
    walk.folder(&root, "", &mut vec![root.clone()])?;
    walk.found.sort_by(|one, other| one.path.cmp(&other.path));
    check_size(directory, &walk.found)?;
    let mut files = Vec::with_capacity(walk.found.len());
    for Found { path, at, .. } in walk.found {
        let content = fs::read(&at).map_err(|error| unreadable(&at, &error))?;
        files.push((path, content));
    }
    walk.left_out.sort();
    Ok(Packed { files, left_out: walk.left_out })
}

/// A file that was found, before it is read.
struct Found {
    path: String,
    at: PathBuf,
    size: u64,
}

/// A walk through a directory.
struct Walk {
    root: PathBuf,
    data_dir: Option<PathBuf>,
    found: Vec<Found>,
    left_out: Vec<String>,
}

impl Walk {
    /// Looks at all that is in a folder; `above` are the folders that lead to it, itself included.
    fn folder(
        &mut self,
        folder: &Path,
        prefix: &str,
        above: &mut Vec<PathBuf>,
    ) -> Result<(), Failure> {
        for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
            let entry = entry.map_err(|error| unreadable(folder, &error))?;
            let at = entry.path();
            let Ok(name) = entry.file_name().into_string() else {
                return Err(refused(&at, "its name is not UTF-8", "rename it"));
            };
            let path = format!("{prefix}{name}");
            if is_beside(&name) {
                continue;
            }
            if is_values(&name) {
                self.left_out.push(path);
                continue;
            }
            let real = at.canonicalize().map_err(|error| unreadable(&at, &error))?;
            if !real.starts_with(&self.root) {
                let why = "it is a link to a path outside of the module";
                return Err(refused(&at, why, "copy the target of the link into the module"));
            }
            if self.data_dir.as_ref() == Some(&real) {
                continue;
            }
            let metadata = fs::metadata(&real).map_err(|error| unreadable(&at, &error))?;
            if metadata.is_dir() {
                if above.contains(&real) {
                    return Err(refused(
                        &at,
                        "it is a link to a folder that contains it",
                        "remove it",
                    ));
                }
                above.push(real.clone());
                self.folder(&real, &format!("{path}/"), above)?;
                above.pop();
            } else if metadata.is_file() {
                self.found.push(Found { path, at: real, size: metadata.len() });
                if self.found.len() > MOST_FILES {
                    return Err(too_many(&self.root));
                }
            } else {
                return Err(refused(&at, "it is neither a file nor a folder", "move it elsewhere"));
            }
        }
        Ok(())
    }
}

/// What lies beside a module and is no part of it.
fn is_beside(name: &str) -> bool {
    matches!(name, ".terraform" | ".git" | ".hangar") || name.contains(".tfstate")
}

/// Values of variables: the user's, and often secret.
fn is_values(name: &str) -> bool {
    name.ends_with(".tfvars") || name.ends_with(".tfvars.json")
}

fn check_size(directory: &Path, found: &[Found]) -> Result<(), Failure> {
    let bytes: u64 = found.iter().map(|file| file.size).sum();
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let mut largest: Vec<&Found> = found.iter().collect();
    largest.sort_by_key(|file| std::cmp::Reverse(file.size));
    let largest = largest.iter().take(NAMED);
    let named = largest.map(|file| format!("{} ({})", printable(&file.path), size_of(file.size)));
    let message = format!(
        "`{}` has {} with {}, but a server accepts at most {}",
        directory.display(),
        counted(found.len(), "file"),
        size_of(bytes),
        size_of(MOST_BYTES)
    );
    Err(Diagnostic::error(codes::MODULE_TOO_LARGE, message)
        .hint(format!("the largest files: {}", named.collect::<Vec<_>>().join(", ")))
        .hint("move files that are not part of the module elsewhere, or use an address: --source git::…")
        .into())
}

/// In words: `1.5 MiB`.
pub(crate) fn size_of(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", tenths(1024)),
        _ => format!("{} MiB", tenths(1_048_576)),
    }
}

fn too_many(root: &Path) -> Failure {
    let message = format!("`{}` has more than {MOST_FILES} files", root.display());
    Diagnostic::error(codes::MODULE_TOO_LARGE, message)
        .hint("pass the directory of the module itself: --source ./modules/network")
        .into()
}

fn refused(at: &Path, why: &str, hint: &str) -> Failure {
    let message = format!("cannot send `{}`: {why}", at.display());
    Diagnostic::error(codes::MODULE_UNREADABLE, message).hint(hint).into()
}

fn unreadable(at: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot read `{}`: {error}", at.display());
    let hint = "check the path and its permissions";
    Diagnostic::error(codes::MODULE_UNREADABLE, message).hint(hint).into()
}

/// A file as it is sent: text as text, anything else as base64.
pub(crate) fn to_json(content: &[u8]) -> Value {
    match std::str::from_utf8(content) {
        Ok(text) => Value::from(text),
        Err(_) => json!({"base64": to_base64(content)}),
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with its padding (RFC 4648 §4).
fn to_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let index = (bits >> (18 - 6 * place)) & 63;
            let letter = usize::try_from(index).ok().and_then(|index| ALPHABET.get(index));
            let is_padding = place > chunk.len();
            text.push(if is_padding { '=' } else { letter.copied().map_or('=', char::from) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn module(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let at = folder.path().join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, content).unwrap();
        }
        folder
    }

    fn packed(folder: &tempfile::TempDir) -> Result<Packed, String> {
        pack(folder.path(), Some(&folder.path().join("data"))).map_err(|failure| match failure {
            Failure::Reported(reports) => {
                let found = &reports[0].diagnostics[0];
                format!("{}: {} ({})", found.code.as_str(), found.message, found.hints.join("; "))
            }
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn what_may_hold_secrets_stays_here() {
        let folder = module(&[
            ("main.tf", b"variable \"a\" {}"),
            ("modules/x/icon.png", &[0xff, 0xfe]),
            ("prod.tfvars", b"a = 1"),
            ("modules/x/a.auto.tfvars.json", b"{}"),
            ("terraform.tfstate", b"{}"),
            ("terraform.tfstate.backup", b"{}"),
            (".terraform/providers/x", b"x"),
            (".git/config", b"x"),
            (".hangar/key", b"x"),
            ("data/token", b"x"),
        ]);
        let packed = packed(&folder).unwrap();
        assert_eq!(
            packed.to_json(),
            json!({"main.tf": "variable \"a\" {}", "modules/x/icon.png": {"base64": "//4="}})
        );
        assert_eq!(packed.left_out, ["modules/x/a.auto.tfvars.json", "prod.tfvars"]);
        assert!(packed.outline().variables.contains_key("a"));
    }

    #[test]
    fn a_link_within_is_followed_and_one_that_leads_out_is_refused() {
        let folder = module(&[("main.tf", b"x"), ("real/a.tf", b"a")]);
        symlink("real", folder.path().join("alias")).unwrap();
        let files: Vec<String> =
            packed(&folder).unwrap().files.into_iter().map(|(path, _)| path).collect();
        assert_eq!(files, ["alias/a.tf", "main.tf", "real/a.tf"]);
        symlink("..", folder.path().join("real/above")).unwrap();
        assert!(packed(&folder).unwrap_err().contains("a folder that contains it"));
        fs::remove_file(folder.path().join("real/above")).unwrap();
        symlink("/etc/hostname", folder.path().join("out")).unwrap();
        assert!(packed(&folder).unwrap_err().starts_with("CLI0031"));
    }

    #[test]
    fn too_much_is_told_with_the_largest_files() {
        let large = vec![b'x'; 3 << 20];
        let folder = module(&[("main.tf", b"x"), ("a.bin", &large), ("sub/b.bin", &large)]);
        let told = packed(&folder).unwrap_err();
        assert!(told.starts_with("CLI0030"), "{told}");
        assert!(told.contains("the largest files: a.bin (3.0 MiB), sub/b.bin (3.0 MiB)"), "{told}");
    }

    #[test]
    fn base64_is_padded() {
        let told = [&b""[..], b"f", b"fo", b"foo", b"foob", &[0xff, 0xfe]].map(to_base64);
        assert_eq!(told, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "//4="]);
    }
}
