//! What is deployed, by a state: attributes, outputs, and expressions over both.
//!
//! Nothing need be declared as an output: a state holds every attribute. What a state does not hold
//! (variables, locals, outputs of inner modules) is refused by name. Values may be secrets: they are in a
//! [`Found`] and never in a message.

mod address;
pub mod codes;
mod error;
mod load;
mod names;
mod path;

use std::collections::BTreeMap;
use std::fmt;

use hangar_ids::ResourceMode;
use serde_json::Value;

use crate::hcl::{self, EvaluateError, Expression, Loaded, Reference, Scope};
use crate::state::{Instance, State, Warning};

pub use error::{LookupError, NotHeld};
pub use names::Names;

use address::Address;

/// The resources and outputs of a state, to be asked for by name.
///
/// ```
/// use hangar_manifest::{deployed::Deployed, hcl, state};
///
/// let text = br#"{"version": 4, "serial": 1, "lineage": "x", "outputs": {"o": {"value": 1, "type": "number"}}, "resources": [
///   {"mode": "managed", "type": "aws_s3_bucket", "name": "Bucket", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
///    "instances": [{"attributes": {"bucket": "logs", "arn": "arn:aws:s3:::logs"}}]}]}"#;
/// let state = state::read(text)?;
/// let deployed = Deployed::new(&state);
/// assert_eq!(deployed.attribute("aws_s3_bucket.Bucket", "arn")?.value, "arn:aws:s3:::logs");
/// assert_eq!(deployed.output("o")?.value, 1);
/// let expression = hcl::parse_template("${join(\"-\", [\"pre\", aws_s3_bucket.Bucket.bucket])}")?;
/// assert_eq!(deployed.evaluate(&expression)?.value, "pre-logs");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Deployed<'s> {
    state: &'s State<'s>,
    /// The current instances of each block, by the path of its module.
    blocks: BTreeMap<Block, Vec<&'s Instance<'s>>>,
    /// Blocks of which only objects are left that were replaced and not deleted.
    deposed: BTreeMap<Block, usize>,
}

/// One `resource` or `data` block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    module: String,
    mode: ResourceMode,
    type_name: String,
    name: String,
}

/// A value of a state.
#[derive(Clone, PartialEq, Eq)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// Whether something that went into it is marked as sensitive.
    pub sensitive: bool,
    /// What is odd about where it comes from, such as an object that is to be replaced.
    pub warnings: Vec<Warning>,
}

impl<'s> Deployed<'s> {
    /// Sorts a state's instances by their addresses.
    pub fn new(state: &'s State<'s>) -> Self {
        let mut blocks: BTreeMap<Block, Vec<&Instance<'_>>> = BTreeMap::new();
        let mut deposed = BTreeMap::new();
        for instance in &state.instances {
            let block = Block {
                module: address::module_text(&instance.module),
                mode: instance.mode,
                type_name: instance.type_name.to_string(),
                name: instance.name.to_string(),
            };
            if instance.deposed.is_some() {
                *deposed.entry(block).or_default() += 1;
            } else {
                blocks.entry(block).or_default().push(instance);
            }
        }
        for instances in blocks.values_mut() {
            instances.sort_by(|a, b| a.key.cmp(&b.key));
        }
        Self { state, blocks, deposed }
    }

    /// An attribute of an instance: `aws_vpc.main`, `module.a[0].aws_vpc.main["k"]`, `data.aws_ami.a`, and a
    /// path in it: `arn`, `metadata.0.name`, `tags["a.b"]`. Keys need no quotes where they have no bracket. The
    /// empty path is the whole object. Of names with dots the longest that is there is taken.
    pub fn attribute(&self, address: &str, path: &str) -> Result<Found, LookupError> {
        let address = Address::parse(address)?;
        let instance = self.instance(&address)?;
        let path = path::parse(path).map_err(|problem| LookupError::Path {
            address: instance.address.clone(),
            path: path.to_owned(),
            problem,
        })?;
        let (value, sensitive) = load::at_path(instance, &path)?;
        Ok(Found { value, sensitive, warnings: warnings_of(&[instance]) })
    }

    /// An output of the root module.
    pub fn output(&self, name: &str) -> Result<Found, LookupError> {
        let outputs = &self.state.outputs;
        let Some(output) = outputs.iter().rev().find(|output| output.name == name) else {
            let there = Names::of(outputs.iter().map(|output| output.name.as_ref()));
            return Err(LookupError::NoOutput { name: name.to_owned(), there });
        };
        let value = output.value.value();
        let value = value.ok_or_else(|| LookupError::TooDeep { what: format!("output.{name}") })?;
        Ok(Found { value, sensitive: output.sensitive, warnings: Vec::new() })
    }

    /// The value of an expression.
    pub fn evaluate(&self, expression: &Expression) -> Result<Found, EvaluateError> {
        let Loaded { datum, warnings } = hcl::evaluate(expression, self)?;
        let sensitive = datum.is_sensitive_anywhere();
        Ok(Found { value: datum.into_json(), sensitive, warnings })
    }

    /// The one instance of an address.
    fn instance(&self, address: &Address) -> Result<&'s Instance<'s>, LookupError> {
        let block = self.block_of(&address.block)?;
        let asked = || address.to_string();
        match (&address.key, block.as_slice()) {
            (None, [only]) if only.key.is_none() => Ok(only),
            (None, instances) => {
                // One without a key among others is what was there before `count`; it is asked for.
                let bare = instances.iter().find(|instance| instance.key.is_none());
                bare.copied().ok_or_else(|| which(asked(), instances))
            }
            (Some(key), instances) => {
                let found = instances.iter().find(|it| it.key.as_ref() == Some(key));
                let found = found.or_else(|| {
                    let is_alike = |it: &&&Instance<'_>| {
                        it.key.as_ref().is_some_and(|it| address::is_alike(it, key))
                    };
                    instances.iter().find(is_alike)
                });
                found.copied().ok_or_else(|| which(asked(), instances))
            }
        }
    }

    fn block_of(&self, block: &Block) -> Result<&Vec<&'s Instance<'s>>, LookupError> {
        self.blocks.get(block).or_else(|| self.block_alike(block)).ok_or_else(|| {
            let there = Names::of_owned(self.blocks.keys().map(ToString::to_string));
            let deposed = self.deposed.get(block).copied().unwrap_or(0);
            LookupError::NoResource { address: block.to_string(), there, deposed }
        })
    }

    /// A block whose modules have the same keys in other quotes: `module.m[0]` for `module.m["0"]`.
    fn block_alike(&self, block: &Block) -> Option<&Vec<&'s Instance<'s>>> {
        if block.module.is_empty() {
            return None;
        }
        let plain = |module: &str| module.replace('"', "");
        let wanted = plain(&block.module);
        let is_alike = |it: &Block| {
            (it.mode, &it.type_name, &it.name) == (block.mode, &block.type_name, &block.name)
                && plain(&it.module) == wanted
        };
        self.blocks.iter().find(|(it, _)| is_alike(it)).map(|(_, instances)| instances)
    }
}

impl Block {
    fn of_reference(reference: &Reference<'_>) -> Self {
        Self {
            module: String::new(),
            mode: reference.mode,
            type_name: reference.type_name.to_owned(),
            name: reference.name.to_owned(),
        }
    }
}

impl Scope for Deployed<'_> {
    fn cost(&self, reference: &Reference<'_>) -> usize {
        let instances = self.blocks.get(&Block::of_reference(reference));
        let texts = instances.into_iter().flatten().map(|it| it.document.as_str().len() / 64 + 1);
        texts.sum()
    }

    fn load(&self, reference: &Reference<'_>) -> Result<Loaded, LookupError> {
        let block = Block::of_reference(reference);
        let instances = self.block_of(&block)?;
        let is_one = instances.iter().all(|instance| instance.key.is_none());
        if reference.key.is_some() || reference.attribute.is_some() || is_one {
            let address = Address { block, key: reference.key.clone() };
            let instance = self.instance(&address)?;
            let datum = match reference.attribute {
                Some(name) => load::attribute(instance, name)?,
                None => load::whole(instance)?,
            };
            return Ok(Loaded { datum, warnings: warnings_of(&[instance]) });
        }
        let datum = load::all(&block.to_string(), instances)?;
        Ok(Loaded { datum, warnings: warnings_of(instances) })
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.module.is_empty() {
            write!(f, "{}.", self.module)?;
        }
        let data = if self.mode == ResourceMode::Data { "data." } else { "" };
        write!(f, "{data}{}.{}", self.type_name, self.name)
    }
}

/// The value may be a secret: only the rest is shown.
impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut found = f.debug_struct("Found");
        found.field("sensitive", &self.sensitive).field("warnings", &self.warnings);
        found.finish_non_exhaustive()
    }
}

fn which(asked: String, instances: &[&Instance<'_>]) -> LookupError {
    let there = Names::of(instances.iter().map(|instance| instance.address.as_str()));
    LookupError::NoInstance { address: asked, there }
}

fn warnings_of(instances: &[&Instance<'_>]) -> Vec<Warning> {
    let tainted = instances.iter().filter(|instance| instance.tainted);
    let warning = |instance: &&Instance<'_>| Warning {
        code: codes::TAINTED,
        address: Some(instance.address.clone()),
        message: "the resource is tainted: the next apply replaces it, and its values change"
            .to_owned(),
    };
    tainted.map(warning).collect()
}
