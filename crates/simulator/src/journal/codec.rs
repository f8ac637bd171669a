//! Changes as bytes: short, and read back without parsing a single document.

use std::sync::Arc;

use crate::core::call::{Operation, Status};
use crate::core::fault::Fault;
use crate::core::place::Place;
use crate::core::refusal::HandlerErrorCode;
use crate::core::session::{Role, Session};
use crate::core::stack::Stack;
use crate::core::state::{
    Change, Document, Effect, End, Failure, Fate, Naming, Phase, Request, Resource, Schedule, Work,
};
use crate::core::time::Timestamp;
use crate::core::token::Token;

/// Appends a change to the bytes of a frame.
pub(super) fn write(change: &Change, bytes: &mut Vec<u8>) {
    let mut to = Writer(bytes);
    match change {
        Change::Resource { place, type_name, identifier, resource } => {
            to.byte(1);
            to.place(place);
            to.text(type_name);
            to.text(identifier);
            to.option(resource.as_ref(), Writer::resource);
        }
        Change::Request { place, serial, request } => {
            to.byte(2);
            to.place(place);
            to.number(*serial);
            to.option(request.as_deref(), Writer::request);
        }
        Change::Serial { place, next } => {
            to.byte(3);
            to.place(place);
            to.number(*next);
        }
        Change::Offset(offset) => {
            to.byte(4);
            to.number(*offset);
        }
        Change::Faults(faults) => {
            to.byte(5);
            to.text(&serde_json::to_string(faults).unwrap_or_default());
        }
        Change::Cleared => to.byte(6),
        Change::Ended { place, serial, end } => {
            to.byte(7);
            to.place(place);
            to.number(*serial);
            to.end(end);
        }
        Change::Session { number, session } => {
            to.byte(8);
            to.number(*number);
            to.option(session.as_deref(), Writer::session);
        }
        Change::Stack { place, id, stack } => {
            to.byte(9);
            to.place(place);
            to.text(id);
            to.option(stack.as_deref(), Writer::stack);
        }
        Change::Asset { bucket, key, content } => {
            to.byte(10);
            to.text(bucket);
            to.text(key);
            to.option(content.as_deref(), Writer::text);
        }
    }
}

struct Writer<'b>(&'b mut Vec<u8>);

impl Writer<'_> {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(u8::try_from(number).unwrap_or(0));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn option<T: ?Sized>(&mut self, value: Option<&T>, write: fn(&mut Self, &T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn place(&mut self, place: &Place) {
        self.text(place.account());
        self.text(place.region());
    }

    fn time(&mut self, at: Timestamp) {
        self.number(at.millis());
    }

    fn token(&mut self, token: Token) {
        self.0.extend_from_slice(&token.bits().to_le_bytes());
    }

    fn document(&mut self, document: &Document) {
        self.text(&document.readable);
        self.option(document.hidden.as_deref(), Self::text);
    }

    fn resource(&mut self, resource: &Resource) {
        self.option(resource.document.as_ref(), Self::document);
        self.time(resource.visible_from);
        self.option(resource.earlier.as_deref(), Self::text);
    }

    fn failure(&mut self, failure: &Failure) {
        self.text(failure.code.as_str());
        self.text(&failure.message);
    }

    fn work(&mut self, work: &Work) {
        self.option(work.document.as_ref(), Self::document);
        match &work.fate {
            Fate::Succeed => self.byte(0),
            Fate::Fail { failure, takes_effect } => {
                self.byte(1);
                self.failure(failure);
                self.byte(u8::from(*takes_effect));
            }
        }
    }

    fn end(&mut self, end: &End) {
        self.time(end.at);
        self.text(end.status.as_str());
        self.option(end.failure.as_ref(), Self::failure);
        match &end.effect {
            Effect::Unchanged => self.byte(0),
            Effect::Written { visible_from, earlier } => {
                self.byte(1);
                self.time(*visible_from);
                self.option(earlier.as_deref(), Self::text);
            }
            Effect::Gone => self.byte(2),
        }
        self.byte(u8::from(end.naming == Naming::Kept));
    }

    /// Stacks are few, and have many parts: as JSON.
    fn stack(&mut self, stack: &Stack) {
        self.text(&serde_json::to_string(stack).unwrap_or_default());
    }

    fn session(&mut self, session: &Session) {
        let Session { access_key, secret, token, role, name, expires_at } = session;
        for text in [access_key, secret, token, role.arn(), name] {
            self.text(text);
        }
        self.time(*expires_at);
    }

    fn request(&mut self, request: &Request) {
        self.token(request.token);
        self.option(request.client_token.as_deref(), Self::text);
        self.number(request.content);
        self.text(request.operation.as_str());
        self.text(&request.type_name);
        self.option(request.identifier.as_deref(), Self::text);
        let Schedule { accepted_at, started_at, identifier_at, ends_at } = request.schedule;
        for at in [accepted_at, started_at, identifier_at, ends_at] {
            self.time(at);
        }
        match &request.phase {
            Phase::Open(work) => {
                self.byte(0);
                self.work(work);
            }
            Phase::Cancelling { work, takes_effect, ends_at } => {
                self.byte(1);
                self.work(work);
                self.byte(u8::from(*takes_effect));
                self.time(*ends_at);
            }
            Phase::Ended { status, failure } => {
                self.byte(2);
                self.text(status.as_str());
                self.option(failure.as_ref(), Self::failure);
            }
        }
    }
}

/// Names that recur are kept once in memory. There are few, and the next is often the last: a look
/// at each costs less than a hash.
#[derive(Debug, Default)]
pub(super) struct Names {
    types: Vec<Arc<str>>,
    places: Vec<Place>,
}

impl Names {
    fn type_name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.types.iter().find(|known| ***known == *name) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = name.into();
        self.types.push(Arc::clone(&shared));
        shared
    }

    fn place(&mut self, account: &str, region: &str) -> Place {
        let is_it = |known: &&Place| known.account() == account && known.region() == region;
        if let Some(known) = self.places.iter().find(is_it) {
            return known.clone();
        }
        let place = Place::of_caller(account, region);
        self.places.push(place.clone());
        place
    }
}

/// Hands on the changes of a frame; none where the bytes are not what `write` makes, and then
/// those before them are handed on already.
pub(super) fn read(bytes: &[u8], names: &mut Names, mut hand_on: impl FnMut(Change)) -> Option<()> {
    let mut from = Reader { bytes, names };
    while !from.bytes.is_empty() {
        hand_on(from.change()?);
    }
    Some(())
}

struct Reader<'b, 'n> {
    bytes: &'b [u8],
    names: &'n mut Names,
}

impl<'b> Reader<'b, '_> {
    fn change(&mut self) -> Option<Change> {
        Some(match self.byte()? {
            1 => Change::Resource {
                place: self.place()?,
                type_name: self.type_name()?,
                identifier: self.text()?.into(),
                resource: self.option(Self::resource)?,
            },
            2 => Change::Request {
                place: self.place()?,
                serial: self.number()?,
                request: self.option(Self::request)?.map(Box::new),
            },
            3 => Change::Serial { place: self.place()?, next: self.number()? },
            4 => Change::Offset(self.number()?),
            5 => Change::Faults(serde_json::from_str::<Vec<Fault>>(self.text()?).ok()?),
            6 => Change::Cleared,
            7 => Change::Ended {
                place: self.place()?,
                serial: self.number()?,
                end: Box::new(self.end()?),
            },
            8 => Change::Session {
                number: self.number()?,
                session: self.option(Self::session)?.map(Arc::new),
            },
            9 => Change::Stack {
                place: self.place()?,
                id: self.text()?.into(),
                stack: self.option(Self::stack)?.map(Arc::new),
            },
            10 => Change::Asset {
                bucket: self.text()?.into(),
                key: self.text()?.into(),
                content: self.option(Self::text)?.map(Into::into),
            },
            _ => return None,
        })
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<&'b str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        std::str::from_utf8(text).ok()
    }

    fn stack(&mut self) -> Option<Stack> {
        serde_json::from_str(self.text()?).ok()
    }

    fn boxed(&mut self) -> Option<Box<str>> {
        self.text().map(Into::into)
    }

    fn shared(&mut self) -> Option<Arc<str>> {
        self.text().map(Into::into)
    }

    fn token(&mut self) -> Option<Token> {
        let (bits, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(Token::from_bits(u128::from_le_bytes(*bits)))
    }

    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    #[allow(clippy::option_option, reason = "an absent value and bytes that are none")]
    fn option<T>(&mut self, read: fn(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Some(None) }
    }

    fn place(&mut self) -> Option<Place> {
        let (account, region) = (self.text()?, self.text()?);
        Some(self.names.place(account, region))
    }

    fn type_name(&mut self) -> Option<Arc<str>> {
        let name = self.text()?;
        Some(self.names.type_name(name))
    }

    fn time(&mut self) -> Option<Timestamp> {
        self.number().map(Timestamp::from_millis)
    }

    fn document(&mut self) -> Option<Document> {
        Some(Document { readable: self.boxed()?, hidden: self.option(Self::boxed)? })
    }

    fn resource(&mut self) -> Option<Resource> {
        Some(Resource {
            document: self.option(Self::document)?,
            visible_from: self.time()?,
            earlier: self.option(Self::boxed)?,
        })
    }

    fn failure(&mut self) -> Option<Failure> {
        let code: HandlerErrorCode = self.text()?.parse().ok()?;
        Some(Failure { code, message: self.boxed()? })
    }

    fn work(&mut self) -> Option<Box<Work>> {
        let document = self.option(Self::document)?;
        let fate = if self.flag()? {
            Fate::Fail { failure: self.failure()?, takes_effect: self.flag()? }
        } else {
            Fate::Succeed
        };
        Some(Box::new(Work { document, fate }))
    }

    fn end(&mut self) -> Option<End> {
        let at = self.time()?;
        let status: Status = self.text()?.parse().ok()?;
        let failure = self.option(Self::failure)?;
        let effect = match self.byte()? {
            0 => Effect::Unchanged,
            1 => Effect::Written { visible_from: self.time()?, earlier: self.option(Self::boxed)? },
            2 => Effect::Gone,
            _ => return None,
        };
        let naming = if self.flag()? { Naming::Kept } else { Naming::Dropped };
        Some(End { at, status, failure, effect, naming })
    }

    fn session(&mut self) -> Option<Session> {
        Some(Session {
            access_key: self.boxed()?,
            secret: self.boxed()?,
            token: self.boxed()?,
            role: Role::parse(self.text()?)?,
            name: self.boxed()?,
            expires_at: self.time()?,
        })
    }

    fn request(&mut self) -> Option<Request> {
        let token = self.token()?;
        let client_token = self.option(Self::boxed)?;
        let content = self.number()?;
        let operation: Operation = self.text()?.parse().ok()?;
        let type_name = self.type_name()?;
        let identifier = self.option(Self::shared)?;
        let schedule = Schedule {
            accepted_at: self.time()?,
            started_at: self.time()?,
            identifier_at: self.time()?,
            ends_at: self.time()?,
        };
        let phase = match self.byte()? {
            0 => Phase::Open(self.work()?),
            1 => Phase::Cancelling {
                work: self.work()?,
                takes_effect: self.flag()?,
                ends_at: self.time()?,
            },
            2 => {
                let status: Status = self.text()?.parse().ok()?;
                Phase::Ended { status, failure: self.option(Self::failure)? }
            }
            _ => return None,
        };
        Some(Request {
            token,
            client_token,
            content,
            operation,
            type_name,
            identifier,
            schedule,
            phase,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<Change> {
        let place = Place::of_caller("7", "eu-west-1");
        let document = Document { readable: "{\"é\":1}".into(), hidden: Some("{}".into()) };
        let failure = Failure { code: HandlerErrorCode::Throttling, message: "slow".into() };
        let fate = Fate::Fail { failure: failure.clone(), takes_effect: true };
        let work = Box::new(Work { document: Some(document.clone()), fate });
        let at = Timestamp::from_millis;
        let schedule = Schedule {
            accepted_at: at(1),
            started_at: at(300),
            identifier_at: at(u64::MAX),
            ends_at: at(1 << 40),
        };
        let request = |phase| Request {
            token: Token::from_bits(u128::MAX - 5),
            client_token: Some("c".into()),
            content: u64::MAX,
            operation: Operation::Update,
            type_name: "AWS::EC2::VPC".into(),
            identifier: None,
            schedule,
            phase,
        };
        let mut changes = vec![Change::Offset(5), Change::Cleared, Change::Faults(Vec::new())];
        for phase in [
            Phase::Open(work.clone()),
            Phase::Cancelling { work, takes_effect: false, ends_at: at(9) },
            Phase::Ended { status: Status::Failed, failure: Some(failure.clone()) },
        ] {
            let request = Some(Box::new(request(phase)));
            changes.push(Change::Request { place: place.clone(), serial: 129, request });
        }
        for (effect, naming) in [
            (Effect::Unchanged, Naming::Dropped),
            (Effect::Written { visible_from: at(7), earlier: Some("{}".into()) }, Naming::Kept),
            (Effect::Gone, Naming::Kept),
        ] {
            let failure = Some(failure.clone());
            let end = Box::new(End { at: at(8), status: Status::Failed, failure, effect, naming });
            changes.push(Change::Ended { place: place.clone(), serial: 3, end });
        }
        changes.push(Change::Serial { place: place.clone(), next: 130 });
        let session = Session {
            access_key: "ASIAHANGARAAAAAAAAAA".into(),
            secret: "s".into(),
            token: "t".into(),
            role: Role::parse("arn:aws:iam::123456789012:role/a/b").unwrap(),
            name: "me".into(),
            expires_at: at(11),
        };
        for session in [Some(Arc::new(session)), None] {
            changes.push(Change::Session { number: 1 << 33, session });
        }
        for resource in [
            None,
            Some(Resource {
                document: Some(document),
                visible_from: at(2),
                earlier: Some("{}".into()),
            }),
        ] {
            let (type_name, identifier) = ("AWS::EC2::VPC".into(), "vpc-1".into());
            changes.push(Change::Resource {
                place: place.clone(),
                type_name,
                identifier,
                resource,
            });
        }
        changes
    }

    fn written() -> Vec<u8> {
        let mut bytes = Vec::new();
        for change in sample() {
            write(&change, &mut bytes);
        }
        bytes
    }

    fn read_all(bytes: &[u8]) -> (Vec<Change>, Option<()>) {
        let mut changes = Vec::new();
        let ended = read(bytes, &mut Names::default(), |change| changes.push(change));
        (changes, ended)
    }

    #[test]
    fn changes_are_read_as_they_were_written() {
        let bytes = written();
        assert_eq!(read_all(&bytes), (sample(), Some(())));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_all(&bytes);
        }

        #[test]
        fn a_cut_frame_is_not_read_as_a_whole_one(cut in 0usize..500) {
            let bytes = written();
            let cut = cut.min(bytes.len());
            prop_assert!(sample().starts_with(&read_all(&bytes[..cut]).0));
        }
    }
}
