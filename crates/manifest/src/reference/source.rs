//! Where the value of a reference comes from: a stack, a state, the control plane, or an expression.

use std::fmt;

use serde_json::Value;

use super::{ReferenceError, decoded};

/// What may follow `${`.
pub(super) const SCHEMES: [&str; 4] = ["cfn", "tf", "ucp", "expr"];

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A stack of CloudFormation.
    CloudFormation(CloudFormation),
    /// A state of Terraform.
    Terraform(Terraform),
    /// A resource of the control plane.
    Ucp(Ucp),
    /// A tree of CloudFormation's functions, with whole references in it.
    Expression {
        /// The tree.
        tree: Value,
        /// Where it is evaluated, where the tree does not say.
        place: Place,
    },
}

/// An output, a resource or a parameter of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudFormation {
    /// The account, region and role to ask with.
    pub place: Place,
    /// The stack.
    pub stack: StackPath,
    /// An output's key, or a logical id, or a pseudo parameter.
    pub name: String,
    /// The attribute of a resource; without one, the output, or `Ref`.
    pub attribute: Option<String>,
}

/// Where to ask, as far as the reference says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Place {
    /// The account; the caller's where there is none.
    pub account: Option<String>,
    /// The region; the caller's where there is none.
    pub region: Option<String>,
    /// The role to ask as.
    pub role: Option<String>,
}

/// A stack, and the way down to one that is nested in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackPath {
    /// Its name or ARN.
    pub root: String,
    /// Logical ids of stacks in it, from the outside in.
    pub nested: Vec<String>,
}

/// Something in a state of Terraform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terraform {
    /// A stack's name, a file or a directory.
    pub state: String,
    /// What of it.
    pub part: TerraformPart,
}

/// What of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerraformPart {
    /// An attribute of a resource.
    Attribute {
        /// The resource.
        address: String,
        /// The way to the value.
        path: String,
    },
    /// An output of the root module.
    Output {
        /// Its name.
        name: String,
        /// The way into its value.
        path: Option<String>,
    },
    /// A template in Terraform's language: an expression is in `${…}`.
    Expression(String),
}

/// A property of a resource of the control plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ucp {
    /// A whole id, or `GROUP/TYPE/ALIAS`.
    pub id: String,
    /// The way to the value; `properties.` may be left out.
    pub property: String,
}

impl Source {
    pub(super) fn read(scheme: &str, body: &str, place: Place) -> Result<Self, ReferenceError> {
        if scheme != "cfn" && scheme != "expr" && place != Place::default() {
            let what =
                format!("`account`, `region` and `role` apply to stacks, not to `{scheme}:`");
            return Err(ReferenceError::new(what, "remove them"));
        }
        match scheme {
            "cfn" => CloudFormation::read(body, place).map(Self::CloudFormation),
            "tf" => Terraform::read(body).map(Self::Terraform),
            "ucp" => Ucp::read(body).map(Self::Ucp),
            "expr" => {
                let tree = tree(body)?;
                Ok(Self::Expression { tree, place })
            }
            _ => {
                let what = format!("`{scheme}:` is not a reference scheme");
                Err(ReferenceError::new(what, "the schemes are `cfn:`, `tf:`, `ucp:` and `expr:`"))
            }
        }
    }
}

impl CloudFormation {
    fn read(body: &str, mut place: Place) -> Result<Self, ReferenceError> {
        const HINT: &str = "write `${cfn:STACK/OUTPUT}`, `${cfn:STACK/LOGICAL-ID#ATTRIBUTE}`, or \
                            `${cfn:STACK/NESTED/LOGICAL-ID#ATTRIBUTE}`";
        let (path, attribute) = match body.split_once('#') {
            Some((path, attribute)) => (path, Some(decoded(attribute)?)),
            None => (body, None),
        };
        if attribute.as_deref() == Some("") {
            return Err(ReferenceError::new("nothing follows the `#`", HINT));
        }
        let mut segments = path.split('/').map(decoded).collect::<Result<Vec<_>, _>>()?;
        // `arn:…:stack/NAME/ID` has slashes of its own.
        if segments[0].starts_with("arn:") && segments.len() > 3 {
            let arn = segments.drain(..3).collect::<Vec<_>>().join("/");
            place.fill_from_arn(&arn);
            segments.insert(0, arn);
        }
        if segments.iter().any(String::is_empty) {
            return Err(ReferenceError::new("a part of the path is empty", HINT));
        }
        let name = segments.pop().unwrap_or_default();
        if segments.is_empty() {
            return Err(ReferenceError::new(
                format!("`{name}` names a stack, but nothing in it"),
                HINT,
            ));
        }
        let root = segments.remove(0);
        Ok(Self { place, stack: StackPath { root, nested: segments }, name, attribute })
    }
}

impl Place {
    /// Takes account and region from an ARN, where they are not stated.
    pub fn fill_from_arn(&mut self, arn: &str) {
        let mut parts = arn.split(':').skip(3);
        let mut part = || parts.next().filter(|part| !part.is_empty()).map(str::to_owned);
        let (region, account) = (part(), part());
        self.region = self.region.take().or(region);
        self.account = self.account.take().or(account);
    }

    pub(super) fn check(&self) -> Result<(), ReferenceError> {
        if let Some(account) = &self.account
            && !(account.len() <= 12 && account.bytes().all(|byte| byte.is_ascii_digit()))
        {
            let what = format!("`{account}` is not an account id");
            return Err(ReferenceError::new(what, "write the twelve digits of an AWS account"));
        }
        if let Some(region) = &self.region
            && hangar_ids::Region::parse(region).is_err()
        {
            let what = format!("`{region}` is not a region");
            return Err(ReferenceError::new(what, "write a region such as `eu-west-1`"));
        }
        if let Some(role) = &self.role
            && !(role.starts_with("arn:") && role.contains(":role/"))
        {
            let what = format!("`{role}` is not the ARN of a role");
            let hint = "write an ARN such as `arn:aws:iam::123456789012:role/lookup`";
            return Err(ReferenceError::new(what, hint));
        }
        Ok(())
    }
}

impl Terraform {
    fn read(body: &str) -> Result<Self, ReferenceError> {
        const HINT: &str = "write `${tf:STACK/TYPE.NAME#ATTRIBUTE}` or `${tf:STACK/output.NAME}`; \
                            STACK can also be a directory or a state file";
        let wrong = |what: &str| ReferenceError::new(what, HINT);
        let (path, attribute) = match body.split_once('#') {
            Some((path, attribute)) => (path, Some(decoded(attribute)?)),
            None => (body, None),
        };
        // A key in brackets may hold slashes.
        let bracket = path.find('[').unwrap_or(path.len());
        let cut = path[..bracket]
            .rfind('/')
            .ok_or_else(|| wrong("it names no resource or output of a state"))?;
        let (state, address) = (decoded(&path[..cut])?, decoded(&path[cut + 1..])?);
        if state.is_empty() || address.is_empty() {
            return Err(wrong("a part of the path is empty"));
        }
        let part = match (address.strip_prefix("output."), attribute) {
            (Some(name), path) => {
                let end = name.find(['.', '[']).unwrap_or(name.len());
                let (name, inner) = name.split_at(end);
                let inner = plain_path(inner);
                let path = match (inner.is_empty(), path.map(|path| plain_path(&path))) {
                    (true, path) => path,
                    (false, None) => Some(inner),
                    (false, Some(path)) => Some(format!("{inner}.{path}")),
                };
                TerraformPart::Output { name: name.to_owned(), path }
            }
            (None, Some(path)) if path.is_empty() => {
                return Err(wrong("nothing follows the `#`"));
            }
            (None, Some(path)) => TerraformPart::Attribute { address, path },
            (None, None) => return Err(wrong("the attribute is missing")),
        };
        Ok(Self { state, part })
    }
}

/// A path with dots only: `.zones[1]["a"]` is `zones.1.a`.
fn plain_path(path: &str) -> String {
    let plain = path.replace("[\"", ".").replace("\"]", "").replace('[', ".").replace(']', "");
    plain.trim_start_matches('.').to_owned()
}

impl Ucp {
    fn read(body: &str) -> Result<Self, ReferenceError> {
        const HINT: &str = "write `${ucp:GROUP/AWS.EC2/VPC/ALIAS#VpcId}` or \
                            `${ucp:/planes/…/AWS.EC2/VPC/vpc-1#VpcId}`";
        let (id, property) = body
            .rsplit_once('#')
            .ok_or_else(|| ReferenceError::new("the property is missing", HINT))?;
        let property = decoded(property)?;
        if id.is_empty() || property.is_empty() {
            return Err(ReferenceError::new("a part of it is empty", HINT));
        }
        if !id.starts_with('/') && id.split('/').count() < 4 {
            let what = format!("`{id}` is neither an id nor `GROUP/TYPE/ALIAS`");
            return Err(ReferenceError::new(what, HINT));
        }
        Ok(Self { id: id.to_owned(), property })
    }
}

impl fmt::Display for StackPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.nested.iter().try_for_each(|id| write!(f, "/{id}"))
    }
}

/// The tree behind `expr:`, which is JSON in base64 of the kind for URLs, with or without padding.
fn tree(body: &str) -> Result<Value, ReferenceError> {
    const HINT: &str = "a tool generates such references; generate it again";
    let bytes = from_base64(body).ok_or_else(|| {
        ReferenceError::new("the text after `expr:` is not URL-safe base64", HINT)
    })?;
    serde_json::from_slice(&bytes)
        .map_err(|wrong| ReferenceError::new(format!("its expression is not JSON: {wrong}"), HINT))
}

pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    // A last digit alone holds no byte.
    (text.len() % 4 != 1).then_some(bytes)
}
