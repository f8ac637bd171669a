//! What is true: resources and requests by place, and the changes that make it so.
//!
//! Every change of state is a [`Change`], applied here and nowhere else; whoever keeps the changes
//! can make the state again.

mod record;
mod replay;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use super::fault::Fault;
use super::place::Place;
use super::random::Random;
use super::session::{self, Session};
use super::stack::Stack;
use super::time::Timestamp;
use super::token::Token;

pub use record::{
    Document, Effect, End, Failure, Fate, NEVER, Naming, Phase, Request, Resource, Schedule, Work,
};
pub use replay::Replay;

/// The number of a request within its place, from 1.
pub type Serial = u64;

/// How long a client token means the same request.
pub const TOKEN_LIFE: Duration = Duration::from_hours(36);

/// How long a request can be asked about.
pub const REQUEST_LIFE: Duration = Duration::from_hours(7 * 24);

/// A change of what is true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A resource is so now, or is gone.
    Resource {
        /// Where.
        place: Place,
        /// Of this type.
        type_name: Arc<str>,
        /// Named so.
        identifier: Arc<str>,
        /// As it is now.
        resource: Option<Resource>,
    },
    /// A request is so now, or is forgotten.
    Request {
        /// Where.
        place: Place,
        /// Its number.
        serial: Serial,
        /// As it is now.
        request: Option<Box<Request>>,
    },
    /// A request is over, and its effect is there.
    Ended {
        /// Where.
        place: Place,
        /// Its number.
        serial: Serial,
        /// How.
        end: Box<End>,
    },
    /// Numbers below this are given out.
    Serial {
        /// Where.
        place: Place,
        /// The next number.
        next: Serial,
    },
    /// The clock runs ahead of the world's by so many milliseconds.
    Offset(u64),
    /// These faults are armed now.
    Faults(Vec<Fault>),
    /// A session of a role is there now, or is forgotten.
    Session {
        /// Its number, from 0.
        number: u64,
        /// As it is.
        session: Option<Arc<Session>>,
    },
    /// A stack is so now, or is forgotten.
    Stack {
        /// Where.
        place: Place,
        /// Its ARN.
        id: Arc<str>,
        /// As it is now.
        stack: Option<Arc<Stack>>,
    },
    /// A file is where S3 would have it, or is gone.
    Asset {
        /// The bucket.
        bucket: Arc<str>,
        /// The key.
        key: Arc<str>,
        /// What is in it.
        content: Option<Arc<str>>,
    },
    /// All is forgotten but the clock.
    Cleared,
}

/// One account in one region.
#[derive(Debug, Clone, Default)]
pub struct Region {
    /// By type, then by identifier.
    pub resources: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Resource>>,
    /// By number.
    pub requests: BTreeMap<Serial, Box<Request>>,
    /// The stacks of CloudFormation, by ARN.
    pub stacks: BTreeMap<Arc<str>, Arc<Stack>>,
    /// The next number.
    pub next_serial: Serial,
    /// By the fingerprint of a client token: many are kept, and few are asked for.
    by_client_token: HashMap<u64, Serial>,
    /// The open request of a resource, by type and identifier.
    busy: HashMap<(Arc<str>, Arc<str>), Serial>,
}

impl Region {
    /// A resource, or what is left of one.
    pub fn resource(&self, type_name: &str, identifier: &str) -> Option<&Resource> {
        self.resources.get(type_name)?.get(identifier)
    }

    /// A resource that exists, whatever reads show of it.
    pub fn document(&self, type_name: &str, identifier: &str) -> Option<&Document> {
        self.resource(type_name, identifier)?.document.as_ref()
    }

    /// The request that works on a resource now.
    pub fn busy_with(&self, type_name: &Arc<str>, identifier: &str) -> Option<&Request> {
        let serial = self.busy.get(&(Arc::clone(type_name), identifier.into()))?;
        self.requests.get(serial).map(|request| &**request)
    }

    /// The number of requests that have not ended and work on a resource.
    pub fn open_count(&self) -> usize {
        self.busy.len()
    }

    /// The request that a caller named so within the life of such a name.
    pub fn by_client_token(&self, token: &str, now: Timestamp) -> Option<(Serial, &Request)> {
        let serial = *self.by_client_token.get(&fingerprint(token))?;
        let request = self.requests.get(&serial)?;
        if request.client_token.as_deref() != Some(token) {
            return None;
        }
        let is_over = request.schedule.accepted_at.is_over(TOKEN_LIFE, now);
        (!is_over).then_some((serial, request))
    }

    /// The request of this token, which ends in its number.
    pub fn by_token(&self, token: &str) -> Option<(Serial, &Request)> {
        let token: Token = token.parse().ok()?;
        let request = self.requests.get(&token.serial())?;
        (request.token == token).then_some((token.serial(), request))
    }

    /// Ends an open request; gives the resource that fades from reads then, if one does.
    fn end(&mut self, serial: Serial, end: End) -> Option<(Timestamp, Faded)> {
        let request = self.requests.get_mut(&serial)?;
        let ended = Phase::Ended { status: end.status, failure: end.failure };
        let work = match std::mem::replace(&mut request.phase, ended) {
            Phase::Open(work) | Phase::Cancelling { work, .. } => work,
            Phase::Ended { .. } => return None,
        };
        request.schedule.ends_at = end.at;
        let identifier = match end.naming {
            Naming::Kept => request.identifier.clone(),
            Naming::Dropped => request.identifier.take(),
        }?;
        let type_name = &request.type_name;
        match end.effect {
            Effect::Unchanged => None,
            Effect::Gone => {
                self.resources.get_mut(type_name)?.remove(&identifier);
                None
            }
            Effect::Written { visible_from, earlier } => {
                let document = work.document;
                let fading = document
                    .is_none()
                    .then(|| (visible_from, (Arc::clone(type_name), identifier.clone())));
                let resource = Resource { document, visible_from, earlier };
                if let Some(of_type) = self.resources.get_mut(type_name) {
                    of_type.insert(identifier, resource);
                } else {
                    let first = BTreeMap::from([(identifier, resource)]);
                    self.resources.insert(Arc::clone(type_name), first);
                }
                fading
            }
        }
    }

    /// The resource of a request that is over, or is told anew, is free for the next.
    fn release(&mut self, serial: Serial) {
        let Some(request) = self.requests.get(&serial) else { return };
        let Some(identifier) = &request.identifier else { return };
        let key = (Arc::clone(&request.type_name), identifier.clone());
        if self.busy.get(&key) == Some(&serial) {
            self.busy.remove(&key);
        }
    }

    /// Takes a request into the look-ups; gives when something happens to it next.
    fn index(&mut self, serial: Serial, request: &Request) -> Option<Timestamp> {
        if let Some(token) = &request.client_token {
            // A token that was used again is the newer request's, whatever the older one does.
            let newest = self.by_client_token.entry(fingerprint(token)).or_insert(serial);
            *newest = serial.max(*newest);
        }
        if !matches!(request.phase, Phase::Ended { .. })
            && let Some(identifier) = &request.identifier
        {
            self.busy.insert((Arc::clone(&request.type_name), identifier.clone()), serial);
        }
        request.due_at()
    }
}

/// A deleted resource that reads will no longer show: its type and its identifier.
type Faded = (Arc<str>, Arc<str>);

/// The identifiers of one type that are taken, by a resource or by a request on its way.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    region: Option<&'a Region>,
    type_name: &'a str,
}

impl<'a> Taken<'a> {
    /// Those of a type in a region.
    pub fn of(region: Option<&'a Region>, type_name: &'a str) -> Self {
        Self { region, type_name }
    }

    /// One more than the highest number that stands behind this beginning, as revisions and
    /// versions are counted.
    pub fn next_version(&self, beginning: &str) -> u64 {
        let Some(region) = self.region else { return 1 };
        let resources = region.resources.get(self.type_name);
        let there = resources.into_iter().flat_map(|of_type| {
            let from = of_type.range::<str, _>((Bound::Included(beginning), Bound::Unbounded));
            from.map(|(name, _)| &**name).take_while(|name| name.starts_with(beginning))
        });
        let busy = region.busy.keys().filter(|(of_type, _)| **of_type == *self.type_name);
        let coming = busy.map(|(_, name)| &**name);
        let number = |name: &str| name.strip_prefix(beginning)?.parse::<u64>().ok();
        there.chain(coming).filter_map(number).max().unwrap_or(0).saturating_add(1)
    }
}

/// All accounts and regions.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// By place; one appears when something is written there.
    pub regions: BTreeMap<Place, Region>,
    /// How far the clock runs ahead, in milliseconds.
    pub offset: u64,
    /// The faults that are armed.
    pub faults: Vec<Fault>,
    /// The sessions of roles, by number.
    pub sessions: BTreeMap<u64, Arc<Session>>,
    /// The number of the next session.
    pub next_session: u64,
    /// Files where S3 would have them, by bucket and key.
    pub assets: BTreeMap<(Arc<str>, Arc<str>), Arc<str>>,
    due: BinaryHeap<Reverse<(Timestamp, Place, Serial)>>,
    fading: BinaryHeap<Reverse<(Timestamp, Place, Faded)>>,
}

impl State {
    /// Makes one change true.
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Resource { place, type_name, identifier, resource } => {
                let region = self.regions.entry(place.clone()).or_default();
                match resource {
                    Some(resource) => {
                        if resource.document.is_none() {
                            let at = resource.visible_from;
                            let faded = (Arc::clone(&type_name), identifier.clone());
                            self.fading.push(Reverse((at, place, faded)));
                        }
                        region.resources.entry(type_name).or_default().insert(identifier, resource);
                    }
                    None => {
                        if let Some(of_type) = region.resources.get_mut(&type_name) {
                            of_type.remove(&identifier);
                        }
                    }
                }
            }
            Change::Request { place, serial, request } => self.put_request(place, serial, request),
            Change::Ended { place, serial, end } => {
                let Some(region) = self.regions.get_mut(&place) else { return };
                region.release(serial);
                if let Some((at, faded)) = region.end(serial, *end) {
                    self.fading.push(Reverse((at, place, faded)));
                }
            }
            Change::Serial { place, next } => {
                let region = self.regions.entry(place).or_default();
                region.next_serial = region.next_serial.max(next);
            }
            Change::Offset(offset) => self.offset = offset,
            Change::Faults(faults) => self.faults = faults,
            Change::Session { number, session } => {
                self.next_session = self.next_session.max(number.saturating_add(1));
                match session {
                    Some(session) => self.sessions.insert(number, session),
                    None => self.sessions.remove(&number),
                };
            }
            Change::Stack { place, id, stack } => {
                let region = self.regions.entry(place).or_default();
                match stack {
                    Some(stack) => region.stacks.insert(id, stack),
                    None => region.stacks.remove(&id),
                };
            }
            Change::Asset { bucket, key, content } => {
                match content {
                    Some(content) => self.assets.insert((bucket, key), content),
                    None => self.assets.remove(&(bucket, key)),
                };
            }
            Change::Cleared => {
                self.assets.clear();
                self.regions.clear();
                self.due.clear();
                self.fading.clear();
                self.faults.clear();
                self.sessions.clear();
                self.next_session = 0;
            }
        }
    }

    fn put_request(&mut self, place: Place, serial: Serial, request: Option<Box<Request>>) {
        let region = self.regions.entry(place.clone()).or_default();
        region.next_serial = region.next_serial.max(serial + 1);
        region.release(serial);
        if let Some(before) = region.requests.remove(&serial)
            && let Some(token) = &before.client_token
            && region.by_client_token.get(&fingerprint(token)) == Some(&serial)
        {
            region.by_client_token.remove(&fingerprint(token));
        }
        let Some(request) = request else { return };
        if let Some(at) = region.index(serial, &request) {
            self.due.push(Reverse((at, place, serial)));
        }
        region.requests.insert(serial, request);
    }

    /// The next request to which something happens by `now`; it will not be named again.
    pub fn pop_due(&mut self, now: Timestamp) -> Option<(Place, Serial)> {
        while let Some(Reverse((at, _, _))) = self.due.peek() {
            if *at > now {
                return None;
            }
            let Reverse((at, place, serial)) = self.due.pop()?;
            let request = self.regions.get(&place).and_then(|it| it.requests.get(&serial));
            // An entry that a later change overtook says nothing any more.
            if request.and_then(|request| request.due_at()) == Some(at) {
                return Some((place, serial));
            }
        }
        None
    }

    /// The next deleted resource that reads no longer show; it will not be named again.
    pub fn pop_faded(&mut self, now: Timestamp) -> Option<(Place, Arc<str>, Arc<str>)> {
        while let Some(Reverse((at, ..))) = self.fading.peek() {
            if *at > now {
                return None;
            }
            let Reverse((_, place, (type_name, identifier))) = self.fading.pop()?;
            let resource =
                self.regions.get(&place).and_then(|it| it.resource(&type_name, &identifier));
            let is_faded =
                |resource: &Resource| resource.document.is_none() && resource.visible_from <= now;
            if resource.is_some_and(is_faded) {
                return Some((place, type_name, identifier));
            }
        }
        None
    }

    /// A request that was accepted longer ago than `life` and to which nothing more happens.
    pub fn outlived(&self, life: Duration, now: Timestamp) -> Option<(Place, Serial)> {
        self.regions.iter().find_map(|(place, region)| {
            let is_over = |request: &Request| request.schedule.accepted_at.is_over(life, now);
            let mut old = region.requests.iter().take_while(|(_, request)| is_over(request));
            let (serial, _) = old.find(|(_, request)| request.due_at().is_none())?;
            Some((place.clone(), *serial))
        })
    }

    /// The session that an access key belongs to, be it over or not.
    pub fn session(&self, access_key: &str) -> Option<&Arc<Session>> {
        let session = self.sessions.get(&session::number_in(access_key)?)?;
        (*session.access_key == *access_key).then_some(session)
    }

    /// The oldest session, if it ended longer ago than `life`. Those after it end half a day before
    /// it at most, so that nothing stays for much longer.
    pub fn outlived_session(&self, life: Duration, now: Timestamp) -> Option<u64> {
        let (number, session) = self.sessions.first_key_value()?;
        session.expires_at.is_over(life, now).then_some(*number)
    }

    /// About how many bytes those changes take.
    pub fn written_size(&self) -> u64 {
        let of_resource = |resource: &Resource| {
            let document = resource.document.as_ref();
            let hidden = document.and_then(|it| it.hidden.as_ref()).map_or(0, |it| it.len());
            100 + document.map_or(0, |it| it.readable.len()) + hidden
        };
        let sizes = self.regions.values().map(|region| {
            let resources = region.resources.values().flat_map(BTreeMap::values);
            let of_request = |request: &Request| match &request.phase {
                Phase::Open(work) | Phase::Cancelling { work, .. } => {
                    130 + work
                        .document
                        .as_ref()
                        .map_or(0, |it| it.readable.len() + it.whole().len())
                }
                Phase::Ended { .. } => 130,
            };
            let of_stack = |stack: &Arc<Stack>| {
                let members = stack.members.values().map(|it| 400 + it.properties.len());
                500 + stack.template.len() + 200 * stack.events.len() + members.sum::<usize>()
            };
            resources.map(of_resource).sum::<usize>()
                + region.stacks.values().map(of_stack).sum::<usize>()
                + region.requests.values().map(|request| of_request(request)).sum::<usize>()
        });
        let assets = self.assets.values().map(|content| 100 + content.len()).sum::<usize>();
        (sizes.sum::<usize>() + assets) as u64 + 400 * self.sessions.len() as u64
    }

    /// The changes that make this state again.
    pub fn snapshot(&self) -> impl Iterator<Item = Change> + '_ {
        let regions = self.regions.iter().flat_map(|(place, region)| {
            let serial =
                std::iter::once(Change::Serial { place: place.clone(), next: region.next_serial });
            let resources = region.resources.iter().flat_map(move |(type_name, of_type)| {
                of_type.iter().map(move |(identifier, resource)| Change::Resource {
                    place: place.clone(),
                    type_name: Arc::clone(type_name),
                    identifier: identifier.clone(),
                    resource: Some(resource.clone()),
                })
            });
            let requests = region.requests.iter().map(move |(serial, request)| Change::Request {
                place: place.clone(),
                serial: *serial,
                request: Some(request.clone()),
            });
            let stacks = region.stacks.iter().map(move |(id, stack)| Change::Stack {
                place: place.clone(),
                id: Arc::clone(id),
                stack: Some(Arc::clone(stack)),
            });
            serial.chain(resources).chain(requests).chain(stacks)
        });
        let head = [Change::Offset(self.offset), Change::Faults(self.faults.clone())];
        // The last number, though its session may be forgotten: it is not given again.
        let last = self.next_session.checked_sub(1);
        let last = last.map(|number| Change::Session { number, session: None });
        let sessions = self.sessions.iter().map(|(number, session)| Change::Session {
            number: *number,
            session: Some(Arc::clone(session)),
        });
        let assets = self.assets.iter().map(|((bucket, key), content)| Change::Asset {
            bucket: Arc::clone(bucket),
            key: Arc::clone(key),
            content: Some(Arc::clone(content)),
        });
        head.into_iter().chain(last).chain(sessions).chain(assets).chain(regions)
    }
}

/// A number for a text, by which it is found.
fn fingerprint(text: &str) -> u64 {
    Random::new(0, &[text]).number()
}
