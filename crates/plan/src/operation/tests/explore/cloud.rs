//! The cloud of the small world: resources, requests by client token, and calls still in the air.
//!
//! It remembers a client token for 36 hours and refuses a call that was signed 15 minutes before.

use crate::operation::attempt::Verb;

/// How many resources, requests and stray calls there is room for; more is a defect of the budgets.
const RESOURCES: usize = 4;
const REQUESTS: usize = 8;
const STRAYS: usize = 4;
/// How long a client token is remembered.
const TOKEN_FOR: u16 = 36 * 60;
/// How long a signature is good.
pub(super) const SIGNATURE_FOR: u16 = 15;
/// Who made a resource that was there before.
pub(super) const STRANGER: u8 = u8::MAX;
/// Which operation made a resource that the alias stood for before: one that nobody remembers.
pub(super) const EARLIER: u8 = 7;

/// Everything on the cloud's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Cloud {
    pub(super) resources: [Option<Resource>; RESOURCES],
    pub(super) requests: [Option<Request>; REQUESTS],
    /// Calls whose worker has gone or given up, and that can still land.
    pub(super) stray: [Option<(Call, u16)>; STRAYS],
    /// Whether callers name the resource, all of them alike: requests name it when they are accepted.
    pub(super) one_name: bool,
}

/// A resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Resource {
    /// The request whose operation made it, or [`STRANGER`].
    pub(super) made_by: u8,
    /// The client token that made it.
    pub(super) token: u8,
    pub(super) life: Life,
    /// Whose properties it has.
    pub(super) doc: u8,
    pub(super) made_at: u16,
    /// Whether a read has shown it; reads do not go back.
    pub(super) shown: bool,
}

/// Whether a resource is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Life {
    /// Named by its request, and not to be read yet.
    Forming,
    Live,
    /// Deleted by a request of this slot.
    Deleted(u8),
    /// Deleted behind our back.
    Vanished,
    /// Named, and never made.
    NeverMade,
}

/// One call that writes, as the cloud sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Call {
    pub(super) slot: u8,
    pub(super) token: u8,
    pub(super) verb: u8,
    pub(super) target: u8,
    pub(super) doc: u8,
    pub(super) marked: bool,
}

/// An accepted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Request {
    pub(super) call: Call,
    pub(super) born: u16,
    pub(super) fate: Fate,
    /// The resource it names, once it does.
    pub(super) names: Option<u8>,
    pub(super) cancel_asked: bool,
}

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Fate {
    Pending,
    /// Under way, with the resource named.
    Named,
    Done,
    /// Failed for good.
    Failed,
    /// Failed in passing.
    Transient,
    /// Failed: the resource is not there.
    NotFound,
    /// Failed: a resource of that name is there.
    Exists,
    Canceled,
}

/// How a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Finish {
    /// It names its resource and goes on.
    Name,
    Succeed,
    Fail,
    FailInPassing,
    /// It fails, names a resource, and leaves it behind.
    FailNamed,
    /// It named a resource, and fails without having made it.
    FailUnmade,
    /// It fails: the name that it gave is taken.
    FindTaken,
    /// Stopped, and nothing was made or changed.
    Stop,
    /// Stopped, with a resource made and named.
    StopNamed,
    /// Stopped, with a resource made and not named.
    StopUnnamed,
}

/// What the cloud makes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reception {
    /// It is this request, new or known.
    Request(usize),
    /// The token was used for something else.
    Conflict,
    NotFound,
    /// Another request works on the resource.
    Busy,
}

pub(super) fn verb_code(verb: Verb) -> u8 {
    match verb {
        Verb::Create => 0,
        Verb::Update => 1,
        Verb::Delete => 2,
    }
}

pub(super) const CREATE: u8 = 0;
pub(super) const DELETE: u8 = 2;

impl Fate {
    pub(super) fn is_running(self) -> bool {
        matches!(self, Self::Pending | Self::Named)
    }
}

impl Cloud {
    pub(super) fn is_live(&self, resource: u8) -> bool {
        self.resources[resource as usize].is_some_and(|it| it.life == Life::Live)
    }

    /// Takes a call in. `reruns` is a cloud that runs a request anew when the token of one that
    /// failed comes again.
    pub(super) fn receive(&mut self, call: Call, minute: u16, reruns: bool) -> Reception {
        let known = self.requests.iter_mut().enumerate().find_map(|(index, request)| {
            let request = request.as_mut()?;
            let remembered = minute - request.born < TOKEN_FOR;
            (request.call.token == call.token && remembered).then_some((index, request))
        });
        if let Some((index, request)) = known {
            if request.call != call {
                return Reception::Conflict;
            }
            let failed = matches!(request.fate, Fate::Failed | Fate::Transient);
            if reruns && failed && request.names.is_none() {
                request.fate = Fate::Pending;
            }
            return Reception::Request(index);
        }
        if call.verb != CREATE {
            if !self.is_live(call.target) {
                return Reception::NotFound;
            }
            let busy = self.requests.iter().flatten().any(|it| {
                it.fate.is_running() && it.call.verb != CREATE && it.call.target == call.target
            });
            if busy {
                return Reception::Busy;
            }
        }
        let index = room(&self.requests);
        self.requests[index] = Some(Request {
            call,
            born: minute,
            fate: Fate::Pending,
            names: (self.one_name && call.verb == CREATE).then_some(0),
            cancel_asked: false,
        });
        Reception::Request(index)
    }

    /// The ways in which a request can go on, each with whether it is a failure.
    pub(super) fn finishes(&self, index: usize, names_early: bool) -> Vec<(Finish, bool)> {
        let Some(request) = self.requests[index].filter(|it| it.fate.is_running()) else {
            return Vec::new();
        };
        let mut ways = Vec::new();
        if self.is_taken(&request) {
            return vec![(Finish::FindTaken, false)];
        }
        if request.call.verb == CREATE {
            ways.push((Finish::Succeed, false));
            if request.fate == Fate::Pending {
                if names_early {
                    ways.push((Finish::Name, false));
                }
                ways.extend([(Finish::Fail, true), (Finish::FailInPassing, true)]);
            } else {
                ways.push((Finish::FailUnmade, true));
            }
            ways.push((Finish::FailNamed, true));
            if request.cancel_asked {
                ways.push((Finish::StopNamed, false));
                if request.fate == Fate::Pending {
                    ways.extend([(Finish::Stop, false), (Finish::StopUnnamed, false)]);
                }
            }
        } else {
            ways.push((Finish::Succeed, false));
            if self.is_live(request.call.target) {
                ways.extend([(Finish::Fail, true), (Finish::FailInPassing, true)]);
                if request.cancel_asked {
                    ways.push((Finish::Stop, false));
                }
            }
        }
        ways
    }

    /// Whether another resource has the name that a create gives.
    fn is_taken(&self, request: &Request) -> bool {
        self.one_name
            && request.call.verb == CREATE
            && self.resources[0].is_some_and(|it| {
                it.life == Life::Live
                    || (it.life == Life::Forming && it.token != request.call.token)
            })
    }

    /// A request goes on.
    pub(super) fn finish(&mut self, index: usize, finish: Finish, minute: u16) {
        let Some(mut request) = self.requests[index] else { return };
        if request.call.verb == CREATE {
            self.finish_create(&mut request, finish, minute);
        } else {
            self.finish_other(&mut request, finish);
        }
        self.requests[index] = Some(request);
    }

    fn finish_create(&mut self, request: &mut Request, finish: Finish, minute: u16) {
        let life = match finish {
            Finish::Name => Life::Forming,
            Finish::FailUnmade => Life::NeverMade,
            _ => Life::Live,
        };
        let makes = !matches!(
            finish,
            Finish::Fail | Finish::FailInPassing | Finish::FindTaken | Finish::Stop
        );
        let resource = makes.then(|| self.make(request, life, minute));
        if finish != Finish::StopUnnamed {
            request.names = resource.or(request.names);
        }
        request.fate = match finish {
            Finish::Name => Fate::Named,
            Finish::Succeed => Fate::Done,
            Finish::Fail | Finish::FailNamed | Finish::FailUnmade => Fate::Failed,
            Finish::FailInPassing => Fate::Transient,
            Finish::FindTaken => Fate::Exists,
            Finish::Stop | Finish::StopNamed | Finish::StopUnnamed => Fate::Canceled,
        };
    }

    fn make(&mut self, request: &Request, life: Life, minute: u16) -> u8 {
        let place = request.names.map_or_else(|| room(&self.resources), usize::from);
        self.resources[place] = Some(Resource {
            made_by: request.call.slot,
            token: request.call.token,
            life,
            doc: request.call.doc,
            made_at: minute,
            shown: false,
        });
        u8::try_from(place).expect("few resources")
    }

    fn finish_other(&mut self, request: &mut Request, finish: Finish) {
        let target = &mut self.resources[request.call.target as usize];
        let live = target.as_mut().filter(|it| it.life == Life::Live);
        request.fate = match (finish, live) {
            (Finish::Fail, _) => Fate::Failed,
            (Finish::FailInPassing, _) => Fate::Transient,
            (Finish::Stop, _) => Fate::Canceled,
            (_, None) => Fate::NotFound,
            (_, Some(resource)) => {
                if request.call.verb == DELETE {
                    resource.life = Life::Deleted(request.call.slot);
                } else {
                    resource.doc = request.call.doc;
                }
                Fate::Done
            }
        };
    }

    /// A call stays in the air; the same call twice is one, the later.
    pub(super) fn stray(&mut self, call: Call, since: u16) {
        if let Some((_, old)) = self.stray.iter_mut().flatten().find(|(it, _)| *it == call) {
            *old = since.max(*old);
        } else {
            let place = room(&self.stray);
            self.stray[place] = Some((call, since));
        }
        self.sort_strays();
    }

    /// Drops the stray calls that are refused by now.
    pub(super) fn expire(&mut self, minute: u16) {
        for stray in &mut self.stray {
            *stray = stray.filter(|(_, since)| minute - since <= SIGNATURE_FOR);
        }
        self.sort_strays();
    }

    /// Which call is in which place does not matter.
    pub(super) fn sort_strays(&mut self) {
        self.stray.sort_by_key(|stray| (stray.is_none(), *stray));
    }
}

fn room<T>(places: &[Option<T>]) -> usize {
    places.iter().position(Option::is_none).expect("budgets leave room")
}
