//! Paths of files inside of a project: relative to the file that names them, never outside of the root.

/// The path that `relative`, written in `file`, names; nothing where it is absolute or leads outside.
pub(crate) fn resolve(file: &str, relative: &str) -> Option<String> {
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
    if parts.is_empty() { None } else { Some(parts.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
