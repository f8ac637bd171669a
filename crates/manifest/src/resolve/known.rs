//! Questions that an evaluation may have, and the answers that are known so far.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::reference::Place;

/// A question. One of them is one call, or one for each page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Whose credentials these are, and in which region they are used.
    Caller(Place),
    /// A stack: its state, outputs and parameters.
    Stack {
        /// Where.
        place: Place,
        /// Its name or ARN.
        stack: String,
    },
    /// The resources of a stack.
    Resources {
        /// Where.
        place: Place,
        /// Its name or ARN.
        stack: String,
    },
    /// The template that a stack was deployed with.
    Template {
        /// Where.
        place: Place,
        /// Its name or ARN.
        stack: String,
    },
    /// The exports of a region.
    Exports(Place),
    /// One resource, by Cloud Control.
    Resource {
        /// Where.
        place: Place,
        /// Its type, as CloudFormation spells it.
        type_name: String,
        /// Its identifier.
        identifier: String,
    },
    /// All resources of a type, by Cloud Control.
    List {
        /// Where.
        place: Place,
        /// The type, as CloudFormation spells it.
        type_name: String,
        /// The JSON of what the type is listed under, where it needs that.
        parent: Option<String>,
    },
    /// A state of Terraform.
    State(String),
    /// A resource of the control plane.
    Ucp(String),
}

impl Need {
    /// Where in AWS it is asked; none for a question to somebody else.
    pub(super) fn place(&self) -> Option<&Place> {
        match self {
            Self::Caller(place)
            | Self::Exports(place)
            | Self::Stack { place, .. }
            | Self::Resources { place, .. }
            | Self::Template { place, .. }
            | Self::Resource { place, .. }
            | Self::List { place, .. } => Some(place),
            Self::State(_) | Self::Ucp(_) => None,
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// To [`Need::Caller`].
    Caller(Caller),
    /// To [`Need::Stack`]; none: there is no such stack.
    Stack(Option<StackDescription>),
    /// To [`Need::Resources`].
    Resources(Vec<StackResource>),
    /// To [`Need::Template`]: the template, as JSON.
    Template(Value),
    /// To [`Need::Exports`].
    Exports(Vec<Export>),
    /// To [`Need::Resource`] and [`Need::Ucp`]; none: there is no such resource.
    Resource(Option<Value>),
    /// To [`Need::List`].
    List(Vec<ListEntry>),
    /// To [`Need::State`]: the text of the state, in whichever form.
    State(Vec<u8>),
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The account.
    pub account: String,
    /// The region, where the environment or the profile says one.
    pub region: Option<String>,
    /// What named the account and the region, as far as the question did not.
    pub origin: Origin,
}

/// What named the account and the region of a caller, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// `AWS_ACCESS_KEY_ID`, a profile, …; none for an account that the question named.
    pub account: Option<String>,
    /// `AWS_REGION`, a profile, …; none for a region that the question named.
    pub region: Option<String>,
}

/// A stack as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackDescription {
    /// Its ARN.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `CREATE_COMPLETE`…
    pub status: String,
    /// Why it has that status.
    pub reason: Option<String>,
    /// Its outputs.
    pub outputs: Vec<StackOutput>,
    /// Its parameters.
    pub parameters: Vec<StackParameter>,
    /// Where it tells of what happens to it.
    pub notification_arns: Vec<String>,
}

/// A declared output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackOutput {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackParameter {
    /// Its name.
    pub key: String,
    /// Its value; what it stands for, of one that names a parameter of SSM.
    pub value: String,
}

/// A resource of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackResource {
    /// Its name in the template.
    pub logical_id: String,
    /// What `Ref` gives; none before it was made.
    pub physical_id: Option<String>,
    /// Its type, as CloudFormation spells it.
    pub type_name: String,
    /// `CREATE_COMPLETE`…
    pub status: String,
}

/// An export of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A resource in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListEntry {
    /// Its identifier.
    pub identifier: String,
    /// What the list tells of it.
    pub properties: Value,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The caller may not ask.
    Denied {
        /// What was said.
        message: String,
    },
    /// What is asked for is not there, told in a way that names it.
    Missing {
        /// What was said.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The question could not be asked, or the answer not read.
    Failed {
        /// What was said.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
}

/// The answers so far.
#[derive(Debug, Clone, Default)]
pub struct Known {
    facts: BTreeMap<Need, Result<Fact, Trouble>>,
}

impl Known {
    /// Adds an answer.
    pub fn learn(&mut self, need: Need, answer: Result<Fact, Trouble>) {
        self.facts.insert(need, answer);
    }

    /// The answer to a question.
    pub fn find(&self, need: &Need) -> Option<&Result<Fact, Trouble>> {
        self.facts.get(need)
    }

    /// All that was asked.
    pub fn asked(&self) -> impl Iterator<Item = (&Need, &Result<Fact, Trouble>)> {
        self.facts.iter()
    }

    /// Those of these questions that have no answer yet.
    pub fn open(&self, needs: BTreeSet<Need>) -> BTreeSet<Need> {
        needs.into_iter().filter(|need| !self.facts.contains_key(need)).collect()
    }
}
