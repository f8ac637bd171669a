//! What all operations together ask of AWS: never more than the budget, and no more than they need.

use std::collections::BTreeMap;
use std::time::Duration;

use hangar_engine::Config;
use hangar_plan::budget::Rate;
use hangar_plan::operation::SuccessKind;
use hangar_plan::record::Calls;
use hangar_plan::{WaitCode, Waiting};
use hangar_simulator::core::settings::Settings;
use serde_json::Value;

use crate::plane::{Plane, VPC, done, eventually, failure, put, subject, vpc};
use crate::team::{LOOK, run};

fn settings(latency: &str) -> Settings {
    Settings { latency: latency.parse().unwrap(), ..Settings::default() }
}

fn rationed(rate: u32) -> Config {
    Config { aws_rate: Rate::per_second(rate), ..Config::default() }
}

/// Puts so many resources at once; every one must be made.
async fn put_many(plane: &Plane, count: usize) -> Vec<Calls> {
    let mut accepted = Vec::new();
    for number in 0..count {
        accepted.push(plane.submit(VPC, &format!("a{number}"), put(vpc(true))).await.unwrap());
    }
    let mut costs = Vec::new();
    for accepted in accepted {
        let id = accepted.record.id();
        let record = plane.engine.wait(id, Duration::from_mins(2)).await.unwrap().unwrap();
        assert_eq!(done(&record), SuccessKind::Created);
        costs.push(record.calls);
    }
    costs
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_that_waits_for_the_budget_says_so_before_it_has_its_turn() {
    let plane = Plane::start_as(settings("0..0"), rationed(1)).await;
    let mut accepted = Vec::new();
    for number in 0..7 {
        accepted.push(plane.submit(VPC, &format!("a{number}"), put(vpc(true))).await.unwrap());
    }
    let mut noted = None;
    while noted.is_none() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        for accepted in &accepted {
            let id = accepted.record.id();
            let record = plane.store.operation_find(id).await.unwrap().unwrap();
            assert!(!record.is_ended() || record.waiting().is_none());
            let limited = |waiting: &Waiting| waiting.code == WaitCode::RateLimit;
            noted = noted.or(record.waiting().filter(limited).map(|waiting| (id, waiting)));
        }
    }
    let (id, waiting) = noted.unwrap();
    assert!(waiting.message.contains("--aws-rate"), "{waiting:?}");
    assert_eq!(waiting.attempts, 0, "noted only after its time was over");
    let record = plane.engine.wait(id, Duration::from_mins(1)).await.unwrap().unwrap();
    assert_eq!(done(&record), SuccessKind::Created);
}

/// When each call came, in microseconds, by the simulator's log.
async fn arrivals(plane: &Plane) -> Vec<i64> {
    let log = plane.control("GET", "calls?after=0&limit=10000", Value::Null).await;
    let calls = log["calls"].as_array().unwrap();
    let at = |call: &Value| call["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    calls.iter().map(|call| at(call).as_microsecond()).collect()
}

/// The most calls that came within a span.
fn busiest(arrivals: &[i64], span: Duration) -> usize {
    let span = i64::try_from(span.as_micros()).unwrap();
    let within = |from: i64| arrivals.iter().filter(|at| (from..from + span).contains(at)).count();
    arrivals.iter().map(|from| within(*from)).max().unwrap_or(0)
}

/// How long a call may be on its way, from its grant to the simulator's log, on a machine that has much else to do.
const ON_ITS_WAY: Duration = Duration::from_millis(500);

/// Checks that no span saw more calls than a budget grants in it: what came within a span was granted in that span
/// or as long before it as a call may be on its way.
fn assert_within(arrivals: &[i64], rate: f64, bucket: f64) {
    for span in [1, 2, 4].map(Duration::from_secs) {
        let granted = rate * (span + ON_ITS_WAY).as_secs_f64() + bucket;
        let came = f64::from(u32::try_from(busiest(arrivals, span)).unwrap());
        assert!(came <= granted, "{came} calls in {span:?}, not {granted}: {arrivals:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_keep_to_the_budget_and_all_operations_end() {
    let plane = Plane::start_as(settings("100ms..300ms"), rationed(50)).await;
    let costs = put_many(&plane, 60).await;
    let arrivals = arrivals(&plane).await;
    assert!(arrivals.len() >= 2 * 60, "too few to tell: {arrivals:?}");
    assert_within(&arrivals, 50.0, 5.0);
    let spent: u32 = costs.iter().map(|calls| calls.total()).sum();
    assert!(usize::try_from(spent).unwrap() <= arrivals.len());
    assert!(costs.iter().all(|calls| calls.writes == 1 && calls.reads == 1), "{costs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_are_asked_for_by_one_list() {
    let plane = Plane::start_with(settings("2s..3s")).await;
    let costs = put_many(&plane, 200).await;
    assert_eq!(plane.calls("CreateResource").await, 200);
    // Each is asked for alone when it has left the list, and those that began before there were many.
    let polls: u32 = costs.iter().map(|calls| calls.polls).sum();
    assert_eq!(u64::from(polls), plane.calls("GetResourceRequestStatus").await);
    assert!(polls < 250, "{polls}");
    assert!(plane.calls("ListResourceRequests").await > 0);
    assert_eq!(plane.calls("GetResource").await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_not_allowed_is_done_without() {
    let plane = Plane::start_with(settings("300ms..500ms")).await;
    plane
        .arm(serde_json::json!({"operation": "ListResourceRequests", "effect": "exception", "exception": "AccessDeniedException", "times": 1000}))
        .await;
    put_many(&plane, 30).await;
    let listed = plane.calls("ListResourceRequests").await;
    assert!((1..=2).contains(&listed), "once for each engine: {listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cloud_that_is_asked_too_often_is_asked_less() {
    let limited = Settings { rate: Some(20), ..settings("0..0") };
    let plane = Plane::start_as(limited, rationed(100)).await;
    put_many(&plane, 60).await;
    let log = plane.control("GET", "calls?after=0&limit=10000", Value::Null).await;
    let mut outcomes: BTreeMap<String, u32> = BTreeMap::new();
    for call in log["calls"].as_array().unwrap() {
        *outcomes.entry(call["outcome"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let throttled = outcomes.get("ThrottlingException").copied().unwrap_or(0);
    assert!(throttled > 0, "the limit was never met: {outcomes:?}");
    assert!(throttled < outcomes["ok"], "{outcomes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_reads_the_same_at_once_shares_the_reads() {
    let plane = Plane::start().await;
    plane.put("a", vpc(true)).await;
    let identifier = plane.identifier("a").await;
    plane.forget_calls().await;
    plane
        .arm(serde_json::json!({"operation": "GetResource", "effect": "delay", "millis": 300}))
        .await;
    let mut reads = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (engine, identifier) = (plane.engine.clone(), identifier.clone());
        reads.spawn(
            async move { engine.read(&subject(VPC, "a"), &identifier).await.unwrap().unwrap() },
        );
    }
    let shown = reads.join_all().await;
    assert!(shown.iter().all(|live| live.identifier == identifier));
    let made = plane.calls("GetResource").await;
    assert!(made <= 3, "{made} reads for 50 callers");
}

#[tokio::test(flavor = "multi_thread")]
async fn looks_for_drift_take_a_fifth() {
    let plane = Plane::start_as(settings("0..0"), rationed(60)).await;
    put_many(&plane, 30).await;
    plane.forget_calls().await;
    let began = std::time::Instant::now();
    run(&plane, LOOK).await;
    // 30 reads at 12 a second, less a bucketful.
    assert!(began.elapsed() > Duration::from_millis(1800), "{:?}", began.elapsed());
    let arrivals = arrivals(&plane).await;
    assert!(arrivals.len() >= 30, "{arrivals:?}");
    assert_within(&arrivals, 12.0, 2.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_stops_at_once_while_calls_wait_for_their_turn() {
    let mut plane = Plane::start_as(settings("0..0"), rationed(1)).await;
    let mut accepted = Vec::new();
    for number in 0..20 {
        accepted.push(plane.submit(VPC, &format!("a{number}"), put(vpc(true))).await.unwrap());
    }
    let began = std::time::Instant::now();
    plane.restart().await;
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    // What was not sent was not half done: the alias is taken, and nothing waits for an answer.
    for accepted in accepted.iter().skip(5) {
        let record =
            plane.engine.wait(accepted.record.id(), Duration::ZERO).await.unwrap().unwrap();
        assert!(record.attempts().iter().all(|attempt| attempt.request_token.is_none()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_that_ended_while_nobody_asked_are_not_called_late() {
    let mut plane = Plane::start_with(settings("1h..1h")).await;
    let mut accepted = Vec::new();
    for number in 0..30 {
        accepted.push(plane.submit(VPC, &format!("a{number}"), put(vpc(true))).await.unwrap());
    }
    eventually("AWS has taken them all", async || plane.calls("CreateResource").await == 30).await;
    plane.engine.stop().await;
    plane.pass(3, 0).await;
    plane.restart().await;
    for accepted in accepted {
        assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Created);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_that_waits_for_its_turn_is_asked_for_after_a_restart() {
    let mut plane = Plane::start_as(settings("1h..1h"), rationed(1)).await;
    let accepted = plane.submit(VPC, "net", put(vpc(true))).await.unwrap();
    eventually("AWS has taken it", async || plane.calls("CreateResource").await == 1).await;
    plane.engine.cancel(accepted.record.id()).await.unwrap();
    eventually("the stop is under way", async || {
        let record = plane.store.operation_find(accepted.record.id()).await.unwrap().unwrap();
        record.resource().is_some_and(|work| work.operation.cancel_sent)
    })
    .await;
    plane.restart().await;
    let record = plane.finish(accepted).await;
    // A create that was stopped may have made something: it is looked for later.
    assert!(failure(&record).message.starts_with("OperationCanceled"), "{record:#?}");
    assert!(plane.calls("CancelResourceRequest").await >= 1);
}
