//! What holds for any event in any state that events can lead to, asked for or not.

use std::time::Duration;

use proptest::prelude::*;

use super::super::attempt::{Attempt, AttemptOutcome, Verb};
use super::super::effect::{Effect, EntryChange, Next, Step};
use super::super::ending::{Ending, SuccessKind};
use super::super::entry::{Entry, EntryState};
use super::super::event::{
    ChangeKind, Event, Found, NewForms, Observed, Progress, ProgressState, Refusal, RefusalClass,
};
use super::super::id::OperationId;
use super::super::open::{Request, open};
use super::super::state::{Adoption, Kind, Operation, Policy, Strategy as Order};
use super::step;
use crate::Timestamp;

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["r0", "r1", "r2"]).prop_map(str::to_owned)
}

fn refusal() -> impl Strategy<Value = Refusal> {
    use RefusalClass as Class;
    let class = prop::sample::select(vec![
        Class::Refused,
        Class::Throttled,
        Class::Busy,
        Class::Unreachable,
        Class::Unanswered,
        Class::Forbidden,
        Class::NotFound,
        Class::UnknownRequest,
        Class::TokenConflict,
        Class::Unsupported,
    ]);
    let code =
        prop::sample::select(vec!["AccessDenied", "UnauthorizedTaggingOperation", "AlreadyExists"]);
    (class, code, any::<bool>()).prop_map(|(class, code, names_request)| Refusal {
        class,
        code: code.to_owned(),
        message: String::new(),
        retry_after: None,
        names_request,
    })
}

fn observed() -> impl Strategy<Value = Observed> {
    let change = prop_oneof![
        Just(ChangeKind::None),
        Just(ChangeKind::Update { paths: vec!["/Name".to_owned()] }),
        Just(ChangeKind::Replace(Vec::new())),
        Just(ChangeKind::Invalid(Vec::new())),
    ];
    prop_oneof![
        Just(Observed::Absent),
        (name(), change.clone()).prop_map(|(identifier, change)| Observed::Present {
            identifier,
            change,
            forms: NewForms::None
        }),
        change.prop_map(|change| Observed::Unreadable { change }),
    ]
}

fn progress() -> impl Strategy<Value = Progress> {
    use ProgressState as State;
    let state = prop::sample::select(vec![
        State::Pending,
        State::InProgress,
        State::Success,
        State::Failed,
        State::Canceled,
    ]);
    let code = prop::sample::select(vec!["NotFound", "Throttling", "AlreadyExists", "Odd"]);
    (state, prop::option::of(name()), prop::option::of(code)).prop_map(
        |(state, identifier, code)| Progress {
            request_token: "q0".to_owned(),
            state,
            identifier,
            code: code.map(str::to_owned),
            message: None,
            retry_after: None,
        },
    )
}

fn found() -> impl Strategy<Value = Found> {
    prop_oneof![
        name().prop_map(Found::One),
        Just(Found::Nothing),
        Just(Found::Undecided { candidates: vec!["r0".to_owned()] }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Claimed),
        Just(Event::NotSent),
        observed().prop_map(Event::Observed),
        refusal().prop_map(Event::ReadFailed),
        progress().prop_map(Event::Progressed),
        Just(Event::NothingNew { again_after: std::time::Duration::from_secs(1) }),
        refusal().prop_map(Event::CallFailed),
        refusal().prop_map(Event::PollFailed),
        found().prop_map(Event::LookedUp),
        refusal().prop_map(Event::LookUpFailed),
        Just(Event::MappedElsewhere { reference: "other".to_owned() }),
    ]
}

/// What happens, how many minutes after what happened before, and whether a cancel came in between.
type Happening = (Event, u64, bool);

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let minutes = prop_oneof![4 => 0u64..1, 2 => 1u64..30, 1 => 1000u64..3000];
    prop::collection::vec((event(), minutes, prop::bool::weighted(0.1)), 1..40)
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        3 => Just(Kind::Put),
        1 => Just(Kind::Delete),
        1 => Just(Kind::Unlink),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(owned, apply)| Kind::Import { owned, apply }),
    ]
}

fn adoption() -> impl Strategy<Value = Adoption> {
    (prop::option::of(name()), any::<bool>())
        .prop_map(|(identifier, owned)| Adoption { identifier, owned })
}

fn policy() -> impl Strategy<Value = Policy> {
    let order = prop::sample::select(vec![Order::DeleteFirst, Order::CreateFirst]);
    let facts = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (facts, prop::option::of(order), prop::option::of(adoption())).prop_map(
        |((tracked, readable, marker, may_create), replace, adopt)| Policy {
            may_create,
            tracked,
            readable,
            marker,
            handler_timeout: Duration::from_hours(2),
            replace,
            adopt,
            held: None,
            unstored: Vec::new(),
        },
    )
}

/// A create of an earlier operation whose answer was lost.
fn unsettled(replaces: Option<&str>) -> Attempt {
    let now = Timestamp::from_micros(0);
    Attempt {
        unanswered: 1,
        sent_at: Some(now),
        outcome: AttemptOutcome::Lost,
        replaces: replaces.map(str::to_owned),
        ..Attempt::new(OperationId::from_u128(3), 1, Verb::Create, true, now)
    }
}

fn entry() -> impl Strategy<Value = Option<Entry>> {
    let kept = |state| (state, Vec::new());
    let state = prop::sample::select(vec![
        kept(EntryState::Ready),
        kept(EntryState::Failed),
        kept(EntryState::Missing),
        (EntryState::Unknown, vec![unsettled(None)]),
        (EntryState::Unknown, vec![unsettled(Some("r0"))]),
    ]);
    let retiring = prop::sample::subsequence(vec!["r1".to_owned(), "r2".to_owned()], 0..=2);
    prop::option::of((state, any::<bool>(), retiring).prop_map(
        |((state, unsettled), owned, retiring)| Entry {
            identifier: Some("r0".to_owned()),
            owned,
            state,
            operation: None,
            unsettled,
            retiring,
            failed_at: None,
        },
    ))
}

/// What must hold of what a step does to the entry.
fn hold_of_entry(
    (asked, before): (&Operation, Option<&Entry>),
    (step, entry): (&Step, Option<&Entry>),
) -> Result<(), TestCaseError> {
    let operation = &step.operation;
    let Some(before) = before else { return Ok(()) };
    let target = asked.current().and_then(|it| it.replaces.clone());
    let mut lost = before.retiring.iter().filter(|it| {
        entry.is_none_or(|after| {
            after.identifier.as_ref() != Some(it) && !after.retiring.contains(it)
        })
    });
    prop_assert!(
        lost.all(|it| target.as_ref() == Some(it) || before.identifier.as_ref() == Some(it)),
        "what is to be deleted is listed until it is gone"
    );
    let Some(entry) = entry else { return Ok(()) };
    prop_assert!(
        entry.identifier.as_ref().is_none_or(|it| !entry.retiring.contains(it)),
        "the resource that the alias maps to is never to be deleted"
    );
    if let Next::Perform(Effect::Delete { identifier, .. }) = &step.next {
        let current = entry.identifier.as_ref() == Some(identifier);
        prop_assert!(current || entry.retiring.contains(identifier), "it deletes another's");
        let asked = operation.kind == Kind::Delete;
        let allowed = operation.policy.replace == Some(Order::DeleteFirst) && entry.owned;
        prop_assert!(!current || asked || allowed, "it deletes what it may not");
    }
    if let Some(Ending::Succeeded(success)) = &operation.ending {
        prop_assert!(
            success.kind != SuccessKind::Replaced || operation.policy.replace.is_some(),
            "it replaced what it may not"
        );
        prop_assert!(operation.closing.is_none(), "what has ended is not about to");
    }
    Ok(())
}

/// What must hold of one step from a state.
fn hold(before: &Operation, step: &Step) -> Result<(), TestCaseError> {
    let after = &step.operation;
    if before.ending.is_some() {
        prop_assert_eq!(&before.ending, &after.ending, "an ending is never changed");
    }
    let own = after.attempts.iter().filter(|it| it.operation == after.id);
    let numbers: Vec<u32> = own.map(|it| it.number).collect();
    prop_assert!(numbers.is_sorted_by(|a, b| a < b), "attempts count upwards: {numbers:?}");
    prop_assert!(
        after.ending.is_some() || step.next != Next::Stop,
        "an operation that runs is never released permanently"
    );
    if let Next::Perform(
        Effect::Create { token, .. } | Effect::Update { token, .. } | Effect::Delete { token, .. },
    ) = &step.next
    {
        let attempt = after.current().expect("a call is of an attempt");
        prop_assert_eq!(token, &attempt.client_token);
        prop_assert!(attempt.unanswered >= 1, "a call is on record before it is made");
        prop_assert!(after.ending.is_none(), "an ended operation writes nothing");
    }
    Ok(())
}

/// How a cloud answers each kind of question, for ever the same.
#[derive(Debug, Clone)]
struct Mood {
    read: Event,
    call: Event,
    poll: Event,
    look_up: Event,
}

impl Mood {
    fn answer(&self, effect: &Effect) -> Event {
        match effect {
            Effect::Observe { .. } => self.read.clone(),
            Effect::Create { .. } | Effect::Update { .. } | Effect::Delete { .. } => {
                self.call.clone()
            }
            Effect::Poll { .. } | Effect::Cancel { .. } => self.poll.clone(),
            Effect::LookUp { .. } => self.look_up.clone(),
        }
    }
}

fn mood() -> impl Strategy<Value = Mood> {
    let read =
        prop_oneof![observed().prop_map(Event::Observed), refusal().prop_map(Event::ReadFailed)];
    let call =
        prop_oneof![progress().prop_map(Event::Progressed), refusal().prop_map(Event::CallFailed)];
    let poll =
        prop_oneof![progress().prop_map(Event::Progressed), refusal().prop_map(Event::PollFailed)];
    let look_up =
        prop_oneof![found().prop_map(Event::LookedUp), refusal().prop_map(Event::LookUpFailed)];
    (read, call, poll, look_up).prop_map(|(read, call, poll, look_up)| Mood {
        read,
        call,
        poll,
        look_up,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_mood_of_the_cloud_keeps_an_operation_for_ever(
        kind in kind(),
        policy in policy(),
        entry in entry(),
        mood in mood(),
        cancel_at in prop::option::of(0usize..20),
    ) {
        let mut now = Timestamp::from_micros(0);
        let id = OperationId::from_u128(7);
        let request = Request { id, kind, policy, identifier: Some("r0".to_owned()) };
        let Ok(opened) = open(request, entry.as_ref(), now) else { return Ok(()) };
        let (mut operation, mut entry) = (opened.operation, opened.entry);
        let mut event = Event::Claimed;
        for turn in 0.. {
            prop_assert!(turn < 5_000, "it never ends: {operation:?}");
            operation.cancel_requested |= cancel_at == Some(turn);
            let step = step(&operation, entry.as_ref(), &event, now);
            operation = step.operation;
            if operation.ending.is_some() {
                break;
            }
            match step.entry {
                EntryChange::Keep => {}
                EntryChange::Save(saved) => entry = Some(saved),
                EntryChange::Free => entry = None,
            }
            event = match step.next {
                Next::Perform(effect) => mood.answer(&effect),
                Next::Wait { until } => {
                    now = until;
                    Event::Claimed
                }
                Next::Stop => Event::Claimed,
            };
        }
        let limit = Duration::from_hours(15);
        prop_assert!(now.since(Timestamp::from_micros(0)) < limit, "it took until {now}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn whatever_happens_the_machine_keeps_its_laws(
        kind in kind(),
        policy in policy(),
        entry in entry(),
        happenings in happenings(),
    ) {
        let id = OperationId::from_u128(7);
        let mut now = Timestamp::from_micros(0);
        let request = Request { id, kind, policy, identifier: Some("r0".to_owned()) };
        let Ok(opened) = open(request, entry.as_ref(), now) else { return Ok(()) };
        let (mut operation, mut entry) = (opened.operation, opened.entry);
        for (event, minutes, cancel) in happenings {
            now = now.after(Duration::from_mins(minutes));
            operation.cancel_requested |= cancel && operation.ending.is_none();
            let step = step(&operation, entry.as_ref(), &event, now);
            hold(&operation, &step)?;
            let before = entry.clone();
            match &step.entry {
                EntryChange::Keep => {}
                EntryChange::Save(saved) => entry = Some(saved.clone()),
                EntryChange::Free => entry = None,
            }
            hold_of_entry((&operation, before.as_ref()), (&step, entry.as_ref()))?;
            operation = step.operation;
            let holds = entry.as_ref().is_some_and(|it| it.operation == Some(id));
            prop_assert!(
                operation.ending.is_none() || !holds,
                "an operation that has ended holds no alias"
            );
            prop_assert!(
                operation.ending.is_some() || !operation.policy.tracked || holds,
                "an operation that runs holds its alias"
            );
        }
    }
}
