//! Paths of files inside of a project: relative to the file that names them, never outside of the root.

/// The path that `relative`, written in `file`, names; nothing where it is absolute or leads outside.
pub(crate) fn resolve(file: &str, relative: &str) -> Option<String> {
    resolve_folder(file, relative).filter(|it| !it.is_empty())
}

/// The same for a folder, which may be the root: that is empty.
pub(crate) fn resolve_folder(file: &str, relative: &str) -> Option<String> {
    let relative = relative.replace('\\', "/");
    if relative.starts_with('/') || relative.contains('\0') || relative.get(1..2) == Some(":") {
        return None;
    }
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The path of a file of the project, relative to the folder of another one.
pub(crate) fn relative(from: &str, file: &str) -> String {
    let folder: Vec<&str> = from.rsplit_once('/').map_or(vec![], |(it, _)| it.split('/').collect());
    let parts: Vec<&str> = file.split('/').collect();
    let shared = folder.iter().zip(&parts).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", folder.len() - shared);
    up.chain(parts[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_leads_from_one_file_to_another() {
        for (from, file, path) in [
            ("main.bicep", "types.bicep", "types.bicep"),
            ("a/main.bicep", "a/types.bicep", "types.bicep"),
            ("a/main.bicep", "a/b/types.bicep", "b/types.bicep"),
            ("a/b/main.bicep", "a/c/types.bicep", "../c/types.bicep"),
        ] {
            assert_eq!(relative(from, file), path);
        }
    }

    #[test]
    fn a_path_stays_in_the_project() {
        for (file, relative, path) in [
            ("main.bicep", "a.txt", Some("a.txt")),
            ("main.bicep", "./x/../a.txt", Some("a.txt")),
            ("deploy/main.bicep", "../a.txt", Some("a.txt")),
            ("deploy/main.bicep", "x\\a.txt", Some("deploy/x/a.txt")),
            ("main.bicep", "../a.txt", None),
            ("deploy/main.bicep", "../../a.txt", None),
            ("main.bicep", "/etc/passwd", None),
            ("main.bicep", "C:\\a.txt", None),
            ("main.bicep", ".", None),
            ("main.bicep", "a\0b", None),
        ] {
            assert_eq!(resolve(file, relative).as_deref(), path, "{relative} in {file}");
        }
    }
}
