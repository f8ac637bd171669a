//! A control plane as it is run: one server on a file, or two replicas on PostgreSQL behind a balancer.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

use std::path::Path;

use hangar_store::postgres::cluster::{Cluster, ClusterError};

use crate::balancer::Balancer;
use crate::serve::{BASE, Client, Server};

/// How a control plane is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One server on SQLite.
    One,
    /// Two replicas on PostgreSQL.
    Replicas,
}

/// Every kind that can be run here; says which test goes without the others.
pub(crate) fn kinds(test: &str) -> Vec<Kind> {
    let replicas = has_postgres(test).then_some(Kind::Replicas);
    std::iter::once(Kind::One).chain(replicas).collect()
}

/// Whether there is a PostgreSQL to start; says which test is skipped where there is none.
pub(crate) fn has_postgres(test: &str) -> bool {
    match Cluster::shared() {
        Ok(_) => true,
        Err(why @ ClusterError::Missing(_)) => {
            println!("skipped: {test} on PostgreSQL ({why})");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// A control plane that runs, until it is dropped.
pub(crate) struct Deployment {
    pub(crate) servers: Vec<Server>,
    balancer: Option<Balancer>,
    started: Started,
}

/// What a server is started with again.
struct Started {
    kind: Kind,
    folder: tempfile::TempDir,
    database: Option<String>,
    aws: String,
    arguments: Vec<String>,
}

impl Deployment {
    pub(crate) fn start(kind: Kind, aws: &str) -> Self {
        Self::start_with(kind, aws, &[])
    }

    pub(crate) fn start_with(kind: Kind, aws: &str, arguments: &[&str]) -> Self {
        let database =
            (kind == Kind::Replicas).then(|| Cluster::shared().unwrap().create_database().unwrap());
        Self::start_on(kind, aws, database, arguments)
    }

    /// Two replicas on a database.
    pub(crate) fn start_on(
        kind: Kind,
        aws: &str,
        database: Option<String>,
        arguments: &[&str],
    ) -> Self {
        let count = if kind == Kind::Replicas { 2 } else { 1 };
        Self::start_many(kind, count, aws, database, arguments)
    }

    /// So many servers.
    pub(crate) fn start_many(
        kind: Kind,
        count: usize,
        aws: &str,
        database: Option<String>,
        arguments: &[&str],
    ) -> Self {
        let balancer = (kind == Kind::Replicas).then(Balancer::start);
        let started = Started {
            kind,
            folder: tempfile::tempdir().unwrap(),
            database,
            aws: aws.to_owned(),
            arguments: arguments.iter().map(|&it| it.to_owned()).collect(),
        };
        let mut deployment = Self { servers: Vec::new(), balancer, started };
        for number in 0..count {
            let server = deployment.server(number);
            deployment.publish(number, &server);
            deployment.servers.push(server);
        }
        deployment
    }

    /// Starts a server anew in the place of one that has ended.
    pub(crate) fn restart(&mut self, number: usize) {
        let server = self.server(number);
        self.publish(number, &server);
        self.servers[number] = server;
    }

    fn server(&self, number: usize) -> Server {
        let Started { kind, folder, database, aws, arguments } = &self.started;
        let directory = folder.path().join(number.to_string());
        std::fs::create_dir_all(&directory).unwrap();
        let mut all: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let key = folder.path().join("key");
        let public = self.balancer.as_ref().map(Balancer::url);
        if *kind == Kind::Replicas {
            all.extend(["--key-file", key.to_str().unwrap()]);
            all.extend(["--public-url", public.as_deref().unwrap()]);
        }
        Server::start_with(&directory, aws, database.as_deref(), &all)
    }

    fn publish(&self, number: usize, server: &Server) {
        if let Some(balancer) = &self.balancer {
            balancer.set(number, server.address());
        }
    }

    /// What ids come after.
    pub(crate) fn url(&self) -> String {
        match &self.balancer {
            Some(balancer) => format!("{}{BASE}", balancer.url()),
            None => self.servers[0].url(),
        }
    }

    pub(crate) fn token(&self) -> &str {
        self.servers[0].token()
    }

    /// The file that has the token.
    pub(crate) fn token_file(&self) -> std::path::PathBuf {
        self.started.folder.path().join("0").join("token")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.started.folder.path()
    }

    /// All that the servers logged.
    pub(crate) fn said(&self) -> String {
        self.servers.iter().map(Server::said).collect::<Vec<_>>().join("\n--- the other replica\n")
    }

    /// Calls of whichever server has its turn.
    pub(crate) fn client(&self) -> Client {
        let mut client = self.servers[0].client();
        if let Some(balancer) = &self.balancer {
            client.address = balancer.address();
        }
        client
    }
}
