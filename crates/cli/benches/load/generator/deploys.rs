//! A template of many resources: how long it takes before anything is asked of AWS, to deploy, to find nothing to do,
//! and to plan.

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use hangar_ids::TypeName;
use hangar_plan::template_check;
use hangar_schema::{Catalog, TypeSchema};
use hangar_template::deployment::{Inputs, NothingKnown};
use hangar_template::program::compile;
use hangar_template::source::Sources;
use serde_json::{Value, json};

use super::drive::float;
use super::names::group_path;
use super::options::Options;
use super::report::{Bound, Line, Report, Weight};
use super::server::{Caller, Simulator, ask};
use super::store::Store;

const GROUP: &str = "deploys";

/// Calls of AWS a second that the server may make.
const RATE: f64 = 100.0;

/// How long AWS takes for each resource.
const LATENCY: &str = "1s..1s";

/// A create, a poll of it, and the read after it.
const CALLS: f64 = 3.0;

/// How much longer than the budget makes it, it may take.
const SLACK: f64 = 1.15;

/// How much longer than the budget makes it, a plan may take.
const PLAN_SLACK: f64 = 1.1;

/// How long it may take before it is said that it does not end.
const PATIENCE: Duration = Duration::from_mins(5);

pub(crate) async fn measure(store: &Store, options: &Options, report: &mut Report) -> Result<()> {
    let count = options.resources;
    before_network(count, report)?;
    let place = store.empty()?;
    let latency = if options.seconds < 5.0 { "50ms..50ms" } else { LATENCY };
    let simulator = Simulator::start(&["--latency", latency], &place.dir().join("simulator.log"))?;
    let server = place.serve(&simulator.url(), &["--aws-rate", &RATE.to_string()])?;
    let caller = server.caller.clone();
    let mut connection = caller.connect().await?;
    let group = caller.write("PUT", &group_path(GROUP), "wait=30", &json!({}));
    ask(&mut connection, &group).await?;

    let text = template(count);
    let (first, took) = deploy(&caller, &text).await?;
    let counters = simulator.control("counters").await?;
    let calls = calls(&counters["total"]);
    let (again, second) = deploy(&caller, &text).await?;
    let after = simulator.control("counters").await?;
    let name = |name: &str| at(&after["byOperation"], name) - at(&counters["byOperation"], name);
    let writes: u64 = ["CreateResource", "UpdateResource", "DeleteResource"].map(name).iter().sum();
    let reads = name("GetResource");
    let budget = (CALLS * float(count) / RATE).max(1.0);
    let (took, second) = (took.as_secs_f64(), second.as_secs_f64());
    report.add(
        Line::new(store.name(), format!("deploy of {count} resources, {RATE} calls/s, {latency}"))
            .with("took", took, "s")
            .with("the budget alone", budget, "s")
            .with("ratio", took / budget, "")
            .with("AWS calls each", float(calls) / float(count), "")
            .must(format!("{first} of {count} created"), first == count)
            .held("ratio to the budget", took / budget, Bound::AtMost(SLACK), Weight::Target),
    );
    report.add(
        Line::new(store.name(), format!("the same {count} again"))
            .with("took", second, "s")
            .with("ratio to the first", second / took, "")
            .with("reads each", float(reads) / float(count), "")
            .must(format!("{again} changed, {writes} writes"), again == 0 && writes == 0)
            .held("reads each", float(reads) / float(count), Bound::AtMost(1.0), Weight::Target),
    );
    let (changes, took) = plan(&caller, &text).await?;
    let planned = simulator.control("counters").await?;
    let reads =
        at(&planned["byOperation"], "GetResource") - at(&after["byOperation"], "GetResource");
    let calls = self::calls(&planned["total"]) - self::calls(&after["total"]);
    let (took, budget) = (took.as_secs_f64(), (float(count) / RATE).max(0.1));
    report.add(
        Line::new(store.name(), format!("plan of the {count}, all existing"))
            .with("took", took, "s")
            .with("the budget alone", budget, "s")
            .with("ratio", took / budget, "")
            .with("AWS calls each", float(calls) / float(count), "")
            .must(format!("{changes} changes, {reads} reads"), changes == 0 && reads == count)
            .held("ratio to the budget", took / budget, Bound::AtMost(PLAN_SLACK), Weight::Target),
    );
    server.stop()
}

fn at(counters: &Value, name: &str) -> u64 {
    counters[name].as_u64().unwrap_or_default()
}

fn calls(total: &Value) -> u64 {
    total.as_object().map_or(0, |it| it.values().filter_map(Value::as_u64).sum())
}

/// Independent resources of five types, as a loop-free template writes them.
fn template(count: u64) -> String {
    let mut text = String::from("extension aws\n\nparam stage string = 'test'\n");
    for number in 0..count {
        let (type_name, properties) = match number % 5 {
            0 => ("AWS.EC2/VPC", format!("CidrBlock: '10.{}.0.0/16'", number % 250)),
            1 => ("AWS.S3/Bucket", format!("BucketName: '${{stage}}-bucket-{number}'")),
            2 => ("AWS.SQS/Queue", format!("QueueName: '${{stage}}-queue-{number}'")),
            3 => ("AWS.SNS/Topic", format!("TopicName: '${{stage}}-topic-{number}'")),
            _ => ("AWS.Logs/LogGroup", format!("LogGroupName: '/${{stage}}/{number}'")),
        };
        let _ = write!(
            text,
            "\nresource r{number} '{type_name}@default' = {{\n  alias: 'r-{number}'\n  properties: {{\n    \
             {properties}\n    Tags: [{{ Key: 'stage', Value: stage }}]\n  }}\n}}\n"
        );
    }
    text
}

/// Everything that happens before the first call: parse, bind, evaluate, hold against the schemas.
fn before_network(count: u64, report: &mut Report) -> Result<()> {
    let text = template(count);
    let catalog = Catalog::bundled();
    let schemas: Vec<(String, Arc<TypeSchema>)> = [
        "AWS::EC2::VPC",
        "AWS::S3::Bucket",
        "AWS::SQS::Queue",
        "AWS::SNS::Topic",
        "AWS::Logs::LogGroup",
    ]
    .into_iter()
    .filter_map(|name| Some((name.to_owned(), Arc::new(catalog.get(name).ok()?))))
    .collect();
    let schema_of = |name: &TypeName| {
        let found = schemas.iter().find(|(known, _)| *known == name.cloud_formation());
        found.map(|(_, schema)| schema.clone())
    };
    let sources = Sources::of("main.bicep", text.as_bytes());
    let mut best = Duration::MAX;
    let mut parse = Duration::MAX;
    for _ in 0..7 {
        let began = Instant::now();
        black_box(hangar_template::syntax::parse(
            &text,
            hangar_template::syntax::Dialect::Template,
        ));
        parse = parse.min(began.elapsed());
        let began = Instant::now();
        let program =
            compile(&sources, "main.bicep").program.context("the template does not compile")?;
        let started = program.start(&Inputs::default());
        let deployment = started.deployment.context("the template does not start")?;
        let problems = template_check::check(&deployment, &schema_of);
        if problems.iter().any(hangar_template::source::Problem::is_error) {
            bail!("the template is wrong: {:?}", problems.first());
        }
        for node in 0..deployment.nodes().len() {
            black_box(
                deployment.body(node, &NothingKnown).map_err(|it| anyhow::anyhow!("{it:?}"))?,
            );
        }
        best = best.min(began.elapsed());
    }
    let millis = |span: Duration| span.as_secs_f64() * 1e3;
    report.add(
        Line::new("template", format!("{count} resources before the network"))
            .with("parse, check, plan", millis(best), "ms")
            .with("parse alone", millis(parse), "ms")
            .with("ratio", millis(best) / millis(parse).max(0.001), "")
            .held("ms", millis(best), Bound::AtMost(100.0), Weight::Target),
    );
    Ok(())
}

/// Deploys the template; gives how many resources it changed, and how long that took.
async fn deploy(caller: &Caller, text: &str) -> Result<(u64, Duration)> {
    let path = format!("{}/providers/Microsoft.Resources/deployments/app", group_path(GROUP));
    let body = json!({"properties": {"sources": {"main.bicep": text}, "entry": "main.bicep"}});
    let mut connection = caller.connect().await?;
    let began = Instant::now();
    ask(&mut connection, &caller.write("PUT", &path, "respond-async", &body)).await?;
    loop {
        let deployment = ask(&mut connection, &caller.get(&path)).await?;
        match deployment["properties"]["provisioningState"].as_str() {
            Some("Succeeded") => return Ok((changed(&deployment), began.elapsed())),
            Some("Running") if began.elapsed() < PATIENCE => {}
            other => bail!("the deployment is {other:?}: {}", deployment["properties"]["error"]),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Plans the template; gives how many resources it would change, and how long that took.
async fn plan(caller: &Caller, text: &str) -> Result<(usize, Duration)> {
    let path =
        format!("{}/providers/Microsoft.Resources/deployments/app/whatIf", group_path(GROUP));
    let body = json!({"properties": {"sources": {"main.bicep": text}, "entry": "main.bicep"}});
    let mut connection = caller.connect().await?;
    let began = Instant::now();
    let plan = ask(&mut connection, &caller.write("POST", &path, "wait=60", &body)).await?;
    let took = began.elapsed();
    let Some(changes) = plan["properties"]["changes"].as_array() else {
        bail!("the plan did not end in time: {plan}");
    };
    Ok((changes.iter().filter(|change| change["action"] != "no-op").count(), took))
}

fn changed(deployment: &Value) -> u64 {
    let rows =
        deployment["properties"]["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter().filter(|row| row["action"] != "unchanged").count() as u64
}
