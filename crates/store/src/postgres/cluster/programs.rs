//! The programs of PostgreSQL, and who may run them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::ClusterError;

/// Where distributions put what is not on the path, a folder for each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Who runs a server where we are root, which it refuses to be.
const USERS: [&str; 2] = ["postgres", "nobody"];

/// What is needed to make and run a server.
pub(super) struct Programs {
    pub(super) initdb: PathBuf,
    pub(super) pg_ctl: PathBuf,
    /// Who is to own what they write, where that is not us.
    pub(super) owner: Option<&'static str>,
    /// The words before each command that make it run as that user.
    pub(super) become_owner: Vec<String>,
}

impl Programs {
    pub(super) fn find() -> Result<Self, ClusterError> {
        let (initdb, pg_ctl) = (find("initdb")?, find("pg_ctl")?);
        let (mut owner, mut become_owner) = (None, Vec::new());
        if said("id", &["-u"]).as_deref() == Some("0") {
            let user = USERS.into_iter().find(|user| said("id", &["-u", user]).is_some());
            let user = user.ok_or(ClusterError::OnlyRoot)?;
            owner = Some(user);
            become_owner = words_to_become(user)?;
        }
        Ok(Self { initdb, pg_ctl, owner, become_owner })
    }
}

fn find(program: &'static str) -> Result<PathBuf, ClusterError> {
    if said(program, &["--version"]).is_some() {
        return Ok(PathBuf::from(program));
    }
    newest(Path::new(VERSIONS), program).ok_or(ClusterError::Missing(program))
}

/// The program in the folder of the highest version.
fn newest(versions: &Path, program: &str) -> Option<PathBuf> {
    let version = |path: &PathBuf| -> Option<u32> {
        path.parent()?.parent()?.file_name()?.to_str()?.split('.').next()?.parse().ok()
    };
    std::fs::read_dir(versions)
        .ok()?
        .filter_map(Result::ok)
        .map(|folder| folder.path().join("bin").join(program))
        .filter(|path| path.is_file())
        .max_by_key(version)
}

fn words_to_become(user: &str) -> Result<Vec<String>, ClusterError> {
    let group = said("id", &["-g", user]).ok_or(ClusterError::OnlyRoot)?;
    let (reuid, regid) = (format!("--reuid={user}"), format!("--regid={group}"));
    let ways = [
        vec!["setpriv", reuid.as_str(), regid.as_str(), "--clear-groups", "--"],
        vec!["runuser", "-u", user, "--"],
    ];
    let works = |way: &&Vec<&str>| {
        let words: Vec<&str> = way[1..].iter().copied().chain(["id", "-u"]).collect();
        said(way[0], &words).is_some_and(|id| id != "0")
    };
    let way = ways.iter().find(works).ok_or(ClusterError::OnlyRoot)?;
    Ok(way.iter().map(|word| (*word).to_owned()).collect())
}

/// What a program says, if it is here and succeeds.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
