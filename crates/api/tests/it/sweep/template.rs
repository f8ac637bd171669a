//! Every type of the catalog in templates: printed as Bicep, deployed, and planned, which then finds nothing to do.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hangar_ids::TypeName;
use hangar_schema::{Catalog, TypeSchema};
use hangar_template::write::{ResourceText, resource, symbol_for};
use serde_json::{Value, json};

use super::{document, types};
use crate::server::{GROUP, Server, VERSION};

/// Resources of one file.
const OF_ONE_FILE: usize = 48;

/// How a type came out, with how many did.
type Counts = BTreeMap<&'static str, usize>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_type_that_was_deployed_from_bicep_plans_as_no_change() {
    let server = Server::start().await;
    let catalog = Catalog::bundled();
    let names = types();
    let mut counts = Counts::new();
    let mut failures = Vec::new();
    let schemas = names.iter().map(|name| catalog.get(name).unwrap());
    let (made, others): (Vec<_>, Vec<_>) =
        schemas.partition(|schema| schema.handlers().create.is_some());
    counts.insert("cannot be created", others.len());
    for (number, some) in made.chunks(OF_ONE_FILE).enumerate() {
        let deployment = Deployment::of(number, some);
        if let Err(why) = deployment.deploy(&server).await {
            failures.push(why);
        }
        let changes = deployment.plan(&server).await;
        assert_eq!(changes.len(), some.len(), "every resource is told once");
        for (schema, change) in some.iter().zip(&changes) {
            let word = match change["action"].as_str() {
                Some("no-op") => "no change",
                Some("unknown") if schema.handlers().read.is_none() => "cannot be read",
                _ => {
                    failures.push(format!("{}: {change}", schema.name()));
                    "a change"
                }
            };
            *counts.entry(word).or_default() += 1;
        }
    }
    println!("counted: deployed from Bicep, then planned, over {} types: {counts:?}", names.len());
    failures.iter().take(40).for_each(|failure| println!("{failure}"));
    assert!(failures.is_empty(), "{} failures", failures.len());
    let deployed = made.len() as u64;
    let counted = server.control("GET", "counters", Value::Null).await;
    assert_eq!(counted["byOperation"]["CreateResource"].as_u64(), Some(deployed));
    assert_eq!(counted["byOperation"]["UpdateResource"].as_u64().unwrap_or(0), 0);
}

/// A template of one resource of each of some types.
struct Deployment {
    id: String,
    body: Value,
}

impl Deployment {
    fn of(number: usize, schemas: &[TypeSchema]) -> Self {
        let mut taken = BTreeSet::new();
        let mut text = "extension aws\n".to_owned();
        for schema in schemas {
            let type_name = TypeName::parse(schema.name()).unwrap().ucp();
            let symbol = symbol_for(&type_name.replace(['.', '/'], "-"), &mut taken);
            let properties = document(schema);
            let alias = "one".to_owned();
            let stated =
                ResourceText { symbol, type_name, alias, properties, ..Default::default() };
            text.push('\n');
            text.push_str(&resource(&stated));
        }
        let id = format!("{GROUP}/providers/Microsoft.Resources/deployments/sweep-{number}");
        let sources = json!({"main.bicep": text});
        Self { id, body: json!({"properties": {"sources": sources, "entry": "main.bicep"}}) }
    }

    /// Deploys to the end; else what failed.
    async fn deploy(&self, server: &Server) -> Result<(), String> {
        let path = format!("{}?{VERSION}", self.id);
        let reply =
            server.call_with("PUT", &path, self.body.clone(), &[("prefer", "respond-async")]).await;
        if reply.status >= 300 {
            return Err(format!("{}: {}", self.id, reply.text));
        }
        loop {
            let shown = server.get(&path).await.ok(200);
            match shown["properties"]["provisioningState"].as_str() {
                Some("Succeeded") => return Ok(()),
                Some("Failed") => return Err(shown["properties"]["error"].to_string()),
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// What deploying it again would do, in the order of the template.
    async fn plan(&self, server: &Server) -> Vec<Value> {
        let path = format!("{}/whatIf?{VERSION}", self.id);
        let reply = server.call_with("POST", &path, self.body.clone(), &[("prefer", "wait=30")]);
        let told = reply.await.ok(200);
        told["properties"]["changes"].as_array().cloned().unwrap_or_default()
    }
}
