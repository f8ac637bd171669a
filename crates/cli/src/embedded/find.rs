//! Who runs the control plane of a data directory: a process that answers, or else this one.

use std::io;
use std::time::{Duration, Instant};

use super::data_dir::DataDir;
use super::lock::{Attempt, Lock};
use super::server_file::{Role, ServerFile};

/// How long a process that holds the lock may neither answer nor let go: it is starting or ending.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked at meanwhile.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Who runs it.
#[derive(Debug)]
pub(crate) enum Found {
    /// Another process, which answers.
    Neighbour(ServerFile),
    /// This one, from now on.
    Ours(Lock),
}

/// Why nobody does.
#[derive(Debug)]
pub(crate) enum FindError {
    /// The directory cannot be made, or its lock not be opened.
    Directory(io::Error),
    /// Another process has the lock and does not answer.
    Held { pid: Option<u32>, waited: Duration },
    /// Another process serves the directory, and means to go on.
    Served(Box<ServerFile>),
}

/// Finds a process that answers, or takes the lock; waits for a while where neither is possible.
pub(crate) async fn find(dir: &DataDir, patience: Duration) -> Result<Found, FindError> {
    let since = Instant::now();
    loop {
        if let Some(file) = ServerFile::find(&dir.server())
            && file.is_live().await
        {
            return Ok(Found::Neighbour(file));
        }
        match attempt(dir)? {
            Attempt::Taken(lock) => return Ok(Found::Ours(lock)),
            Attempt::Held(pid) => wait(pid, since, patience).await?,
        }
    }
}

/// Takes the lock for a server; waits for a command that runs to end, and not for another server.
pub(crate) async fn take_over(dir: &DataDir, patience: Duration) -> Result<Lock, FindError> {
    let since = Instant::now();
    loop {
        let pid = match attempt(dir)? {
            Attempt::Taken(lock) => return Ok(lock),
            Attempt::Held(pid) => pid,
        };
        if let Some(file) = ServerFile::find(&dir.server())
            && file.role == Role::Serve
            && file.is_live().await
        {
            return Err(FindError::Served(Box::new(file)));
        }
        wait(pid, since, patience).await?;
    }
}

fn attempt(dir: &DataDir) -> Result<Attempt, FindError> {
    dir.make().and_then(|()| Lock::try_take(&dir.lock())).map_err(FindError::Directory)
}

async fn wait(pid: Option<u32>, since: Instant, patience: Duration) -> Result<(), FindError> {
    let waited = since.elapsed();
    if waited >= patience {
        return Err(FindError::Held { pid, waited });
    }
    tokio::time::sleep(LOOK_EVERY.min(patience)).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(1);

    fn stale(dir: &DataDir) -> ServerFile {
        let file = ServerFile {
            // Nobody listens on port 1 of a loopback address of its own.
            url: "http://127.99.99.99:1".to_owned(),
            pid: 1,
            instance: "gone".to_owned(),
            base_path: "/b".to_owned(),
            aws: "simulator".to_owned(),
            role: Role::Serve,
            simulator: None,
        };
        std::mem::forget(file.publish(dir.server()).unwrap());
        file
    }

    #[tokio::test]
    async fn a_server_that_is_gone_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path());
        stale(&dir);
        assert!(matches!(find(&dir, SHORT).await, Ok(Found::Ours(_))));
        assert!(take_over(&dir, SHORT).await.is_ok());
    }

    #[tokio::test]
    async fn a_file_that_is_not_ours_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path());
        std::fs::write(dir.server(), "{\"url\": 1}").unwrap();
        assert!(matches!(find(&dir, SHORT).await, Ok(Found::Ours(_))));
    }

    #[tokio::test]
    async fn a_held_lock_without_an_answer_is_told_with_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path());
        stale(&dir);
        let Ok(Found::Ours(lock)) = find(&dir, SHORT).await else { panic!("not taken") };
        let held = find(&dir, SHORT).await;
        let own = Some(std::process::id());
        assert!(matches!(held, Err(FindError::Held { pid, .. }) if pid == own), "{held:?}");
        drop(lock);
        assert!(matches!(find(&dir, SHORT).await, Ok(Found::Ours(_))));
    }

    #[tokio::test]
    async fn a_lock_that_is_let_go_meanwhile_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path());
        let Ok(Found::Ours(lock)) = find(&dir, SHORT).await else { panic!("not taken") };
        let (found, ()) = tokio::join!(find(&dir, PATIENCE), async move { drop(lock) });
        assert!(matches!(found, Ok(Found::Ours(_))));
    }
}
