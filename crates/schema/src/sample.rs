//! Documents made from a schema and a seed: what a user could ask for, what the service would
//! return of it, and what the user could ask for next.
//!
//! For tests and for the simulator's sweeps over every type; nothing here is sent to AWS. The same
//! schema and seed give the same document.

mod amount;
mod change;
mod complete;
mod demand;
mod expression;
mod live;
mod maker;
mod random;
mod survey;
mod text;

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

pub use change::{Change, Edit, Reach};
pub use complete::{Knowledge, Unset, Want};

use crate::type_schema::TypeSchema;
use maker::{Author, Maker, Need, Target};
use random::Random;
use text::Texts;

/// How much a document states beside what is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Nothing.
    Small,
    /// Some optional members.
    Medium,
    /// All optional members near the root, some below.
    Large,
}

impl Size {
    /// How many values a document may hold beside those that are required.
    const fn budget(self) -> usize {
        match self {
            Self::Small => 0,
            Self::Medium => 150,
            Self::Large => 600,
        }
    }
}

/// Makes documents of one type.
///
/// ```
/// use hangar_schema::sample::{Sampler, Size};
/// use hangar_schema::{Catalog, Inputs, Outcome, patch};
///
/// let vpc = Catalog::bundled().get("AWS::EC2::VPC")?;
/// let mut sampler = Sampler::new(&vpc);
/// let desired = sampler.desired(1, Size::Medium);
/// let live = sampler.live(&desired, 1);
/// let inputs = Inputs { live: &live, desired: &desired, applied: Some(&desired) };
/// assert_eq!(patch(&vpc, &inputs).unwrap().outcome, Outcome::Noop);
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
#[derive(Debug)]
pub struct Sampler<'s> {
    schema: &'s TypeSchema,
    texts: Texts<'s>,
}

impl<'s> Sampler<'s> {
    /// Samples of this type. Keep it for several documents: patterns are compiled once.
    pub fn new(schema: &'s TypeSchema) -> Self {
        Self { schema, texts: Texts::new(&schema.patterns) }
    }

    /// A document that a user could state for a create: what is required, some of what is not, no
    /// read-only member.
    pub fn desired(&mut self, seed: u64, size: Size) -> Value {
        let target = Target { spot: self.schema.root(), name: "", depth: 0, need: Need::Required };
        let root = self.schema.root_node;
        self.maker(seed, "desired", size, Author::User)
            .value(&[root], target)
            .filter(Value::is_object)
            .unwrap_or_else(|| json!({}))
    }

    /// A document that states what is required and nothing else; arrays hold one item.
    pub(crate) fn required(&mut self, seed: u64) -> Value {
        let target = Target { spot: self.schema.root(), name: "", depth: 0, need: Need::Required };
        let root = self.schema.root_node;
        let maker = self.maker(seed, "required", Size::Small, Author::User);
        // With something left of the budget, an array gets an item that it need not have.
        let mut maker = Maker { budget: maker::MAX_VALUES, ..maker };
        let made = maker.value(&[root], target);
        made.filter(Value::is_object).unwrap_or_else(|| json!({}))
    }

    /// What the service could return once `desired` is applied: write-only values gone, read-only
    /// ones added, unordered arrays in another order, defaults filled in, its own tags added.
    pub fn live(&mut self, desired: &Value, seed: u64) -> Value {
        live::live(self, desired, seed)
    }

    /// `stated` with all that the service adds: read-only values that something is known of, an
    /// identifier that nobody chose, the defaults that the schema states.
    pub fn completed(&mut self, stated: &Value, seed: u64, knowledge: &mut dyn Knowledge) -> Value {
        complete::completed(self, stated, seed, knowledge)
    }

    /// Another document that the user could ask for next, and how it differs from `desired`.
    pub fn changed(&mut self, desired: &Value, seed: u64) -> (Value, Vec<Change>) {
        change::changed(self, desired, seed)
    }

    /// The same document in other words: unordered arrays in another order.
    pub fn reordered(&self, document: &Value, seed: u64) -> Value {
        live::reordered(self.schema, document, &mut Random::new(seed, "reordered"))
    }

    /// How many texts were made that do not fit their pattern, because none was found that does.
    pub fn misfits(&self) -> usize {
        self.texts.misfits
    }

    fn maker(&mut self, seed: u64, purpose: &str, size: Size, author: Author) -> Maker<'_, 's> {
        Maker {
            schema: self.schema,
            texts: &mut self.texts,
            random: Random::new(seed, purpose),
            size,
            author,
            budget: size.budget(),
            fuel: maker::MAX_VALUES,
        }
    }
}
