//! Many more clients than the server can serve, and whether it is well again when they have gone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::drive::{Amount, Load, Requests, drive, float};
use super::fill::{Filled, desired};
use super::names::{KINDS, reference_path};
use super::options::Options;
use super::process::memory;
use super::puts::puts;
use super::reads::reference_reads;
use super::report::{Bound, Line, Report, Weight};
use super::server::{Caller, Simulator};
use super::store::Store;

/// How soon it must be well again.
const RECOVERED_WITHIN: Duration = Duration::from_secs(5);

pub(crate) async fn measure(
    store: &Store,
    filled: &Filled,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    let place = store.copy()?;
    let simulator = Simulator::start(&[], &place.dir().join("simulator.log"))?;
    let server = place.serve(&simulator.url(), &[])?;
    let names = filled.names();
    let (writes, reads) = (puts(server.caller.clone(), names), reference_reads(&server, names));
    let mixed: Requests =
        Arc::new(move |place| if place % 2 == 0 { writes(place) } else { reads(place) });
    let load = drive(server.aim(), options.clients, Amount::For(options.span()), &mixed).await;
    // At once after the last client was cut.
    let read = answered(&server.caller, &server.caller.get(&names.reference_path(1))).await?;
    let body = desired(KINDS[0], 1);
    let path = reference_path(&names.group(1), KINDS[0], "after-the-storm");
    let put = server.caller.write("PUT", &path, "respond-async", &body);
    let put = answered(&server.caller, &put).await?;
    let line = Line::new(store.name(), format!("{} clients, half of them put", options.clients));
    report.add(
        with_statuses(line.with_load(&load), &load)
            .with("most RSS", memory(server.pid(), "VmHWM"), "MiB")
            .with("then a GET after", read.as_secs_f64() * 1e3, "ms")
            .with("a put after", put.as_secs_f64() * 1e3, "ms")
            .held(
                "p99 ms of those accepted",
                load.within(990),
                Bound::AtMost(1000.0),
                Weight::Target,
            )
            .must("a GET is answered at once when they have gone", read < Duration::from_secs(1))
            .must("a put is accepted within 5 s", put < RECOVERED_WITHIN)
            .must("something was accepted", load.accepted() > 0),
    );
    Ok(())
}

fn with_statuses(line: Line, load: &Load) -> Line {
    let of =
        |statuses: std::ops::Range<u16>| float(load.statuses.range(statuses).map(|it| it.1).sum());
    line.with("2xx", of(200..300), "")
        .with("429", of(429..430), "")
        .with("503", of(503..504), "")
        .with("other", of(300..429) + of(430..503) + of(504..600), "")
        .with("refused", float(load.refused), "")
        .with("broken", float(load.broken), "")
}

/// How long it takes until a request is answered with a status below 300, asking again where it is not.
async fn answered(caller: &Caller, request: &[u8]) -> Result<Duration> {
    let began = Instant::now();
    loop {
        let asked = async {
            let mut connection = caller.connect().await?;
            let answer = connection.send(request).await.context("no answer")?;
            Ok::<_, anyhow::Error>(answer.status)
        };
        match tokio::time::timeout(Duration::from_secs(30), asked).await {
            Ok(Ok(status)) if status < 300 => return Ok(began.elapsed()),
            _ if began.elapsed() > Duration::from_mins(1) => {
                bail!("the server is not well again a minute after the load")
            }
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}
