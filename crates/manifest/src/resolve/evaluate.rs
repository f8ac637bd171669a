//! The value of one reference, from what is known.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use serde_json::Value;

use super::link::Link;
use super::problem::{Problem, Stop};
use super::terraform::States;
use super::types::Types;
use super::{Fact, Known, Need, Trouble, codes, dynamic};
use crate::deployed::Deployed;
use crate::reference::{Otherwise, Place, Reference, Source};

/// Evaluates references over what is known so far.
pub struct Evaluator<'k> {
    pub(super) known: &'k Known,
    pub(super) types: &'k dyn Types,
    pub(super) states: &'k States<'k>,
    pub(super) deployed: BTreeMap<&'k str, Deployed<'k>>,
    pub(super) rules: &'k Rules,
    links: RefCell<Vec<Link>>,
    secrecy: RefCell<Secrecy>,
    /// How many steps were known before something secret went into the value.
    open_links: Cell<usize>,
}

/// What is taken for deployed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// What of stacks whose last update was rolled back.
    pub rolled_back: RolledBack,
    /// Where stacks are that a reference names without saying where, by their names.
    pub homes: BTreeMap<String, Place>,
}

/// Whether a stack whose update was rolled back is used: it is as it was before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RolledBack {
    /// It is not.
    #[default]
    Refused,
    /// It is.
    Accepted,
}

/// A value, and whether it may be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The value.
    pub value: Value,
    /// Whether it may be shown.
    pub secrecy: Secrecy,
}

/// Whether a value may be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Secrecy {
    /// It may.
    #[default]
    Open,
    /// It may not, for this reason.
    Secret(String),
}

/// What an evaluation came to, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The value, or why there is none.
    pub outcome: Result<Resolved, Stop>,
    /// The steps that led there.
    pub links: Vec<Link>,
}

impl<'k> Evaluator<'k> {
    /// An evaluator over what is known.
    pub fn new(
        known: &'k Known,
        states: &'k States<'k>,
        types: &'k dyn Types,
        rules: &'k Rules,
    ) -> Self {
        let (links, secrecy, open_links) = Default::default();
        let deployed = states.deployed();
        Self { known, types, states, deployed, rules, links, secrecy, open_links }
    }

    /// The value of a reference.
    pub fn evaluate(&self, reference: &Reference) -> Evaluation {
        self.links.take();
        self.secrecy.take();
        let outcome = self.value(reference);
        let (secrecy, mut links) = (self.secrecy.take(), self.links.take());
        let outcome = match (outcome, &secrecy) {
            (Ok(value), _) => Ok(Resolved { value, secrecy: secrecy.clone() }),
            // What is wrong with a secret would be told with the secret in it, or with a part of it.
            (Err(Stop::Problem(problem)), Secrecy::Secret(_)) => Err(unspoken(&problem).into()),
            (Err(stop), _) => Err(stop),
        };
        if secrecy != Secrecy::Open {
            links.truncate(self.open_links.get());
        }
        Evaluation { outcome, links }
    }

    fn value(&self, reference: &Reference) -> Result<Value, Stop> {
        let sought = match &reference.source {
            Source::CloudFormation(cfn) => self.member(cfn),
            Source::Terraform(terraform) => self.terraform(terraform),
            Source::Ucp(ucp) => self.ucp(ucp),
            Source::Expression { tree, place } => self.tree(tree, place),
        };
        let value = match (sought, &reference.otherwise) {
            (Err(Stop::Problem(problem)), Otherwise::Text(text)) if problem.is_absence => {
                self.link(Link::new("default", text.as_str()));
                Value::String(text.clone())
            }
            (Err(Stop::Problem(problem)), Otherwise::Nothing) if problem.is_absence => {
                self.link(Link::new("optional", "not found"));
                return Ok(Value::Null);
            }
            (sought, _) => dynamic::expand(self, sought?)?,
        };
        reference.filters.iter().try_fold(value, |value, filter| {
            filter
                .apply(&value)
                .map_err(|error| Problem::new(codes::FILTER, error.to_string()).into())
        })
    }

    /// Remembers a step.
    pub(super) fn link(&self, link: Link) {
        let mut links = self.links.borrow_mut();
        if links.last() != Some(&link) {
            links.push(link);
        }
    }

    /// Whether something secret went into the value by now.
    pub(super) fn is_secret(&self) -> bool {
        *self.secrecy.borrow() != Secrecy::Open
    }

    /// Remembers that something secret went into the value.
    pub(super) fn mark_secret(&self, why: impl Into<String>) {
        if *self.secrecy.borrow() == Secrecy::Open {
            self.open_links.set(self.links.borrow().len());
        }
        self.secrecy.replace(Secrecy::Secret(why.into()));
    }

    /// The answer to a question; what it lacks is a reason to stop.
    pub(super) fn fact(&self, need: &Need) -> Result<&'k Fact, Stop> {
        match self.known.find(need) {
            None => Err(Stop::need(need.clone())),
            Some(Ok(fact)) => Ok(fact),
            Some(Err(trouble)) => Err(explained(need, trouble).into()),
        }
    }

    /// The same, and the others asked for at the same time.
    pub(super) fn fact_with(&self, need: &Need, also: &[Need]) -> Result<&'k Fact, Stop> {
        self.fact(need).map_err(|stop| match stop {
            Stop::Needs(mut needs) => {
                needs.extend(also.iter().filter(|it| self.known.find(it).is_none()).cloned());
                Stop::Needs(needs)
            }
            stop @ Stop::Problem(_) => stop,
        })
    }
}

/// A problem without its words.
fn unspoken(problem: &Problem) -> Problem {
    let message =
        "it cannot be evaluated; the reason is hidden because the expression contains a secret";
    Problem::new(problem.code, message).hint(
        "try it with a value that is not secret, or declare an output for the whole expression",
    )
}

/// What a question that got no answer means for who asked.
fn explained(need: &Need, trouble: &Trouble) -> Problem {
    let asking = asking(need);
    let problem = match trouble {
        Trouble::Denied { message } => {
            let action = action(need);
            // AWS names the action that it refused: of a read that may be one of the service below.
            let called = action_in(message).unwrap_or(action);
            let place = need.place().map(within).unwrap_or_default();
            Problem::new(codes::DENIED, format!("not allowed to {asking}: {message}"))
                .shared(
                    format!("{called}{place}"),
                    format!("not allowed to call {called}{place}: {message}"),
                )
                .hint(format!("allow the caller `{action}`; `hangar resolve --policy` prints the required policy"))
        }
        Trouble::Missing { message, hint } => {
            Problem::absent(codes::NO_STATE, message.clone()).hint(hint.clone())
        }
        Trouble::Failed { message, hint } => {
            let problem = Problem::new(codes::FAILED, format!("cannot {asking}: {message}"));
            let problem = match need {
                Need::State(_) | Need::Ucp(_) => problem,
                _ => problem.shared(message, format!("cannot call AWS: {message}")),
            };
            match hint {
                Some(hint) => problem.hint(hint.clone()),
                None => problem,
            }
        }
    };
    match need {
        Need::Stack { stack, .. }
        | Need::Resources { stack, .. }
        | Need::Template { stack, .. } => problem.of(stack.clone()),
        Need::State(state) => problem.of(state.clone()),
        _ => problem,
    }
}

/// The action that AWS says it refused, as in `… is not authorized to perform: s3:GetBucketTagging on …`.
fn action_in(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("not authorized to perform: ")?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == ':' || c == '-'));
    Some(&rest[..end.unwrap_or(rest.len())]).filter(|action| action.contains(':'))
}

/// What a question does, in words.
fn asking(need: &Need) -> String {
    match need {
        Need::Caller(_) => "read the identity of the caller".to_owned(),
        Need::Stack { place, stack } => format!("describe stack `{stack}`{}", within(place)),
        Need::Resources { place, stack } => {
            format!("list the resources of stack `{stack}`{}", within(place))
        }
        Need::Template { place, stack } => {
            format!("get the template of stack `{stack}`{}", within(place))
        }
        Need::Exports(place) => format!("list the exports{}", within(place)),
        Need::Resource { place, type_name, identifier } => {
            format!("read {type_name} `{identifier}`{}", within(place))
        }
        Need::List { place, type_name, .. } => format!("list {type_name}{}", within(place)),
        Need::State(name) => format!("read the Terraform state of `{name}`"),
        Need::Ucp(id) => format!("read `{id}` from the control plane"),
    }
}

/// The permission that a question needs.
pub(super) fn action(need: &Need) -> &'static str {
    match need {
        Need::Caller(_) => "sts:GetCallerIdentity",
        Need::Stack { .. } => "cloudformation:DescribeStacks",
        Need::Resources { .. } => "cloudformation:ListStackResources",
        Need::Template { .. } => "cloudformation:GetTemplate",
        Need::Exports(_) => "cloudformation:ListExports",
        Need::Resource { .. } => "cloudformation:GetResource",
        Need::List { .. } => "cloudformation:ListResources",
        Need::State(_) | Need::Ucp(_) => "",
    }
}

impl Evaluator<'_> {
    /// Where a question went, and what said so; who calls is asked for that, unless the question says all of it.
    pub(super) fn asked_in(&self, place: &Place) -> Result<String, Stop> {
        if place.account.is_some() && place.region.is_some() {
            return Ok(within(place));
        }
        let need = Need::Caller(place.clone());
        let caller = match self.known.find(&need) {
            None => return Err(Stop::need(need)),
            Some(Ok(Fact::Caller(caller))) => caller,
            Some(_) => return Ok(within(place)),
        };
        let from = |origin: &Option<String>| match origin {
            Some(origin) => format!(" ({origin})"),
            None => String::new(),
        };
        let account = format!(" in account {}{}", caller.account, from(&caller.origin.account));
        let region = caller.region.as_ref();
        let region =
            region.map(|region| format!(", region {region}{}", from(&caller.origin.region)));
        Ok(account + &region.unwrap_or_default())
    }
}

/// Where a question goes, as far as it is said.
pub(super) fn within(place: &Place) -> String {
    match (&place.account, &place.region) {
        (Some(account), Some(region)) => format!(" in account {account}, region {region}"),
        (Some(account), None) => format!(" in account {account}"),
        (None, Some(region)) => format!(" in region {region}"),
        (None, None) => String::new(),
    }
}
