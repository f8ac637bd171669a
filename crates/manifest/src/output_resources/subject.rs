//! One instance whose id is looked for, with what of it may be shown.

use std::borrow::Cow;

use hangar_ids::{AccountId, Region};

use super::{Ask, Found, Reported};
use crate::state::{Fields, Instance, codes};

/// An instance and what was asked.
pub(super) struct Subject<'s, 'a> {
    pub(super) instance: &'s Instance<'a>,
    pub(super) ask: &'s Ask<'s>,
    fields: Fields<'a>,
}

/// What stands at a path.
pub(super) enum Reading<'a> {
    Text(Cow<'a, str>),
    /// Nothing, or nothing that is a text, or an empty one.
    Absent,
    /// Something that must not be shown.
    Sensitive,
}

impl<'s, 'a> Subject<'s, 'a> {
    pub(super) fn new(instance: &'s Instance<'a>, ask: &'s Ask<'s>) -> Self {
        Self { instance, ask, fields: instance.attributes.fields() }
    }

    /// What is reported of any instance.
    pub(super) fn reported(&self) -> Reported {
        let Instance { address, provider, type_name, tainted, deposed, .. } = self.instance;
        Reported {
            address: address.clone(),
            provider: provider.to_string(),
            provider_alias: provider.alias.as_deref().map(str::to_owned),
            type_name: type_name.to_string(),
            id: None,
            reason: None,
            beyond_id: None,
            arn: None,
            duplicate_of: None,
            tainted: *tainted,
            deposed: deposed.as_deref().map(str::to_owned),
            cloud_control: None,
        }
    }

    pub(super) fn read(&self, path: &[&str]) -> Reading<'a> {
        match self.fields.text(path).filter(|text| !text.is_empty()) {
            None => Reading::Absent,
            Some(_) if self.instance.sensitive.covers(path) => Reading::Sensitive,
            Some(text) => Reading::Text(text),
        }
    }

    /// The text at a path, if it is one that may be shown.
    pub(super) fn text(&self, path: &[&str]) -> Option<Cow<'a, str>> {
        match self.read(path) {
            Reading::Text(text) => Some(text),
            Reading::Absent | Reading::Sensitive => None,
        }
    }

    /// What the first of these paths holds that holds something.
    pub(super) fn first(&self, paths: &[&[&str]]) -> Reading<'a> {
        let mut readings = paths.iter().map(|path| self.read(path));
        readings.find(|reading| !matches!(reading, Reading::Absent)).unwrap_or(Reading::Absent)
    }

    /// Whether there is something at a path.
    pub(super) fn has(&self, path: &[&str]) -> bool {
        self.fields.has(path)
    }

    /// Whether what stands at a path is a text, be it empty.
    pub(super) fn is_text(&self, path: &[&str]) -> bool {
        self.fields.text(path).is_some()
    }

    /// The account that the provider says the resource is in, else the environment's.
    pub(super) fn account(&self) -> Option<Cow<'s, str>> {
        let own = self.identity("account_id").filter(|account| AccountId::parse(account).is_ok());
        own.or_else(|| self.ask.aws_account.map(Cow::Borrowed))
            .filter(|account| !account.is_empty())
    }

    /// The region that the provider says the resource is in, else the environment's.
    pub(super) fn region(&self) -> Option<Cow<'s, str>> {
        let is_region = |region: &Cow<'_, str>| Region::parse(region).is_ok();
        let own =
            self.text(&["region"]).filter(is_region).map(|region| Cow::Owned(region.into_owned()));
        let own = own.or_else(|| self.identity("region").filter(is_region));
        own.or_else(|| self.ask.aws_region.map(Cow::Borrowed)).filter(|region| !region.is_empty())
    }

    fn identity(&self, name: &str) -> Option<Cow<'s, str>> {
        let identity = self.instance.identity?.value()?;
        Some(Cow::Owned(identity.get(name)?.as_str()?.to_owned()))
    }
}

/// That an id would show what must not be shown.
pub(super) fn hidden(what: &str) -> Found {
    Found::warned(
        codes::SENSITIVE,
        format!("{what} is marked as sensitive, and the id would reveal it"),
    )
}
