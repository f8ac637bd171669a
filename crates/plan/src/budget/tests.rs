//! What a budget may never do, tried with any rhythm of asking.

use proptest::prelude::*;

use super::*;

fn rate(calls: u32) -> Rate {
    Rate::per_second(calls).unwrap()
}

fn at(millis: u64) -> Timestamp {
    Timestamp::default().after(Duration::from_millis(millis))
}

fn ask(rate: Rate, calls: u32, drift: u32) -> BudgetAsk {
    BudgetAsk { rate, calls, drift }
}

#[test]
fn a_slice_brings_its_calls_and_no_more() {
    let rate = rate(100);
    let (budget, grant) = Budget::new(rate, at(0)).take(&ask(rate, 100, 0), at(0));
    assert_eq!((grant.calls, grant.drift), (10, 0));
    assert_eq!(grant.again_after, Duration::from_micros(52_084), "half a bucket");
    let (budget, grant) = budget.take(&ask(rate, 100, 0), at(100));
    assert_eq!(grant.calls, 9);
    // Long idle fills one bucket, not many.
    let (_, grant) = budget.take(&ask(rate, 100, 0), at(3_600_000));
    assert_eq!(grant.calls, 10);
}

#[test]
fn one_call_a_second_is_no_more_than_one_call_a_second() {
    let rate = rate(1);
    let (budget, grant) = Budget::new(rate, at(0)).take(&ask(rate, 3, 0), at(0));
    assert_eq!((grant.calls, grant.again_after), (1, Duration::from_micros(1_041_667)));
    let (budget, grant) = budget.take(&ask(rate, 3, 0), at(1000));
    assert_eq!(grant.calls, 0);
    assert_eq!(budget.take(&ask(rate, 3, 0), at(1042)).1.calls, 1);
}

#[test]
fn a_throttle_halves_once_and_the_rate_comes_back() {
    let rate = rate(100);
    let budget = Budget::new(rate, at(0)).throttled(rate, at(0));
    assert_eq!(budget.milli_rate(rate, at(0)), 48_000);
    let budget = budget.throttled(rate, at(500));
    assert_eq!(budget.milli_rate(rate, at(500)), 49_600, "the same breath");
    let budget = budget.throttled(rate, at(2000));
    assert_eq!(budget.milli_rate(rate, at(2000)), 27_200);
    assert_eq!(budget.milli_rate(rate, at(32_000)), 96_000);
    let mut budget = budget;
    for second in 3..100 {
        budget = budget.throttled(rate, at(second * 1000));
    }
    assert!(budget.milli_rate(rate, at(99_000)) >= 100_000 / FLOOR, "it never comes to a halt");
}

#[test]
fn a_clock_that_is_set_back_grants_nothing_and_stops_nothing() {
    let rate = rate(100);
    let (budget, _) = Budget::new(rate, at(10_000)).take(&ask(rate, 10, 0), at(10_000));
    let (budget, grant) = budget.take(&ask(rate, 10, 0), at(0));
    assert_eq!(grant.calls, 0);
    // And it does not wait until the clock says again what it said before.
    let (budget, grant) = budget.take(&ask(rate, 10, 0), at(200));
    assert_eq!(grant.calls, 10);
    let budget = budget.throttled(rate, at(10_000)).take(&ask(rate, 0, 0), at(300)).0;
    assert_eq!(budget.milli_rate(rate, at(31_000)), 96_000, "a slow-down to come is over in time");
}

proptest! {
    /// However two or more ask: in every window no more than the rate and one bucketful, of drift a fifth.
    #[test]
    fn no_window_holds_more_than_the_rate_and_one_bucketful(
        per_second in 1u32..400,
        asks in prop::collection::vec((0u64..400, 0u32..60, 0u32..20, any::<bool>()), 1..120),
    ) {
        let rate = rate(per_second);
        let mut budget = Budget::new(rate, at(0));
        let mut now = 0;
        let mut granted: Vec<(u64, u32, u32)> = Vec::new();
        for (pause, calls, drift, throttled) in asks {
            now += pause;
            let (after, grant) = budget.take(&ask(rate, calls, drift), at(now));
            prop_assert!(grant.calls <= calls && grant.drift <= drift);
            let waits = calls > grant.calls || drift > grant.drift;
            prop_assert_eq!(grant.again_after > Duration::ZERO, waits);
            granted.push((now, grant.calls + grant.drift, grant.drift));
            budget = if throttled && pause > 350 { after.throttled(rate, at(now)) } else { after };
        }
        for (index, (from, _, _)) in granted.iter().enumerate() {
            let (mut all, mut drift) = (0u64, 0u64);
            for (until, calls, of_drift) in &granted[index..] {
                all += u64::from(*calls);
                drift += u64::from(*of_drift);
                let span = until - from;
                let fits = |share: u64, burst: u64| u64::from(per_second) * span / 1000 / share + burst + 1;
                prop_assert!(all <= fits(1, u64::from(rate.burst())), "{all} calls in {span} ms");
                prop_assert!(drift <= fits(5, u64::from(rate.burst().div_ceil(5))), "{drift} of drift in {span} ms");
            }
        }
    }
}
