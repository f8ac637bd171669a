//! Declarations of a file.

use std::sync::Arc;

use hangar_diag::Span;
use hangar_ids::TypeName;

use super::{Expression, Name};
use crate::resource_types::TextRules;
use crate::types::{Slot, Type};
use crate::value::Value;

#[derive(Debug)]
pub(crate) struct ParameterDeclaration {
    pub(crate) name: Name,
    pub(crate) value_type: Type,
    /// The type as it is written.
    pub(crate) type_text: Arc<str>,
    pub(crate) default: Option<Expression>,
    pub(crate) secure: bool,
    pub(crate) bounds: Bounds,
    pub(crate) remarks: Remarks,
}

/// What decorators ask of a value.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) allowed: Option<Vec<Value>>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_value: Option<i64>,
    pub(crate) max_value: Option<i64>,
    /// What the schema of a resource asks of texts; no decorator does.
    pub(crate) text_rules: Option<HeldTo>,
}

/// The rules on texts of a resource's type.
#[derive(Debug, Clone)]
pub(crate) struct HeldTo(pub(crate) Arc<dyn TextRules>);

impl PartialEq for HeldTo {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What decorators tell people; nothing hangs on it.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Remarks {
    pub(crate) description: Option<Arc<str>>,
    /// What `@metadata()` says, an object.
    pub(crate) metadata: Option<Value>,
    /// Whether `@sealed()` stands there: members that are not named are mistakes.
    pub(crate) sealed: bool,
}

/// `type name = …`.
#[derive(Debug)]
pub(crate) struct TypeDeclaration {
    pub(crate) name: Name,
    pub(crate) slot: Slot,
    pub(crate) exported: bool,
}

/// `func name(…) type => body`.
#[derive(Debug)]
pub(crate) struct FunctionDeclaration {
    pub(crate) name: Name,
    /// Their values are the locals of the levels from 0 on.
    pub(crate) parameters: Vec<FunctionParameter>,
    pub(crate) result: Type,
    pub(crate) body: Expression,
    pub(crate) exported: bool,
    pub(crate) remarks: Remarks,
}

#[derive(Debug)]
pub(crate) struct FunctionParameter {
    pub(crate) name: Name,
    pub(crate) value_type: Type,
}

/// `metadata name = value`.
#[derive(Debug)]
pub(crate) struct Metadata {
    pub(crate) name: Name,
    pub(crate) value: Expression,
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) value_type: Option<Type>,
    pub(crate) value: Expression,
    /// Whether a resource or a module is read on the way to its value.
    pub(crate) reaches_resource: bool,
    /// Whether nothing but constants is on the way to its value.
    pub(crate) is_constant: bool,
    pub(crate) exported: bool,
    pub(crate) remarks: Remarks,
}

#[derive(Debug)]
pub(crate) struct OutputDeclaration {
    pub(crate) name: Name,
    pub(crate) value_type: Type,
    pub(crate) type_text: Arc<str>,
    pub(crate) secure: bool,
    pub(crate) bounds: Bounds,
    pub(crate) value: Expression,
    pub(crate) remarks: Remarks,
}

#[derive(Debug)]
pub(crate) struct ExtensionDeclaration {
    pub(crate) name: Name,
    pub(crate) extension: Extension,
    pub(crate) configuration: Option<Expression>,
}

/// The extensions that are known without configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extension {
    Aws,
    Kubernetes,
    Radius,
    Hangar,
}

impl Extension {
    pub(crate) const ALL: [Self; 4] = [Self::Aws, Self::Kubernetes, Self::Radius, Self::Hangar];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::Kubernetes => "kubernetes",
            Self::Radius => "radius",
            Self::Hangar => "hangar",
        }
    }
}

#[derive(Debug)]
pub(crate) struct ResourceDeclaration {
    pub(crate) name: Name,
    pub(crate) what: What,
    pub(crate) existing: bool,
    /// The resource it is written in.
    pub(crate) parent: Option<usize>,
    pub(crate) repeat: Option<Repeat>,
    pub(crate) condition: Option<Expression>,
    pub(crate) alias: Option<Expression>,
    /// `name`: the primary identifier of an existing one.
    pub(crate) identifier: Option<Expression>,
    pub(crate) properties: Option<Expression>,
    pub(crate) depends_on: Vec<Expression>,
    /// The whole body of one that Hangar cannot deploy, an object: its `name`, `parent`, `scope`, `dependsOn` and
    /// all else, without the resources that are nested in it.
    pub(crate) whole: Option<Expression>,
    pub(crate) body: Span,
    pub(crate) batch: Option<usize>,
    pub(crate) or_null: bool,
    pub(crate) remarks: Remarks,
}

impl ResourceDeclaration {
    /// Every expression of it.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let repeat = self.repeat.as_ref().map(|it| &it.list);
        let known_at_start = repeat.into_iter().chain(&self.condition).chain(&self.alias);
        let body = self.identifier.iter().chain(&self.properties);
        known_at_start.chain(body).chain(&self.depends_on).chain(&self.whole)
    }

    /// The same, to be changed.
    pub(crate) fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        let repeat = self.repeat.as_mut().map(|it| &mut it.list);
        let known_at_start = repeat.into_iter().chain(&mut self.condition).chain(&mut self.alias);
        let body = self.identifier.iter_mut().chain(&mut self.properties);
        known_at_start.chain(body).chain(&mut self.depends_on).chain(&mut self.whole)
    }
}

/// What can be read of a resource of AWS.
pub(crate) const READABLE: [&str; 5] = ["id", "name", "type", "alias", "properties"];

/// What can be read of a recipe.
pub(crate) const RECIPE_READABLE: [&str; 4] = ["id", "name", "type", "properties"];

/// The member that `listSecrets()` of a recipe is lowered to; no name in a text is like it.
pub(crate) const SECRETS: &str = "listSecrets()";

/// What a resource is.
#[derive(Debug)]
pub(crate) enum What {
    /// One that can be deployed, by this extension.
    Aws { type_name: TypeName, extension: usize },
    /// A module of Terraform's that Hangar runs; its `name` is kept as its alias.
    Recipe,
    /// One that Hangar reads about and cannot deploy.
    Foreign {
        /// Its type as it is written, with the place.
        written: Name,
    },
    /// Its type is wrong, and was reported.
    Faulty,
}

/// `for (item, index) in list`: the item is the local of level 0, the index that of level 1.
#[derive(Debug)]
pub(crate) struct Repeat {
    pub(crate) list: Expression,
    pub(crate) names: LoopNames,
}

/// The variables of a loop as they are written.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoopNames {
    pub(crate) item: Option<Arc<str>>,
    pub(crate) index: Option<Arc<str>>,
}

/// `module name 'path' = …`.
#[derive(Debug)]
pub(crate) struct ModuleDeclaration {
    pub(crate) name: Name,
    /// The path as it is written.
    pub(crate) path: Name,
    /// Its file, by its place in [`Units::list`](super::Units).
    pub(crate) unit: usize,
    pub(crate) repeat: Option<Repeat>,
    pub(crate) condition: Option<Expression>,
    /// `name`: what the deployment of it is called.
    pub(crate) title: Option<Expression>,
    pub(crate) params: Vec<ModuleParameter>,
    /// Where `params` is written; else the name of the module.
    pub(crate) params_span: Span,
    pub(crate) scope: Option<Expression>,
    pub(crate) depends_on: Vec<Expression>,
    /// What else the body states, such as `extensionConfigs`.
    pub(crate) others: Vec<(Name, Expression)>,
    pub(crate) batch: Option<usize>,
    pub(crate) remarks: Remarks,
}

#[derive(Debug)]
pub(crate) struct ModuleParameter {
    pub(crate) name: Name,
    pub(crate) value: Expression,
}

impl ModuleDeclaration {
    /// Every expression of it.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let repeat = self.repeat.as_ref().map(|it| &it.list);
        let known_at_start = repeat.into_iter().chain(&self.condition).chain(&self.title);
        let given = self.params.iter().map(|it| &it.value);
        let others = self.others.iter().map(|(_, it)| it);
        known_at_start.chain(given).chain(&self.scope).chain(&self.depends_on).chain(others)
    }

    /// The same, to be changed.
    pub(crate) fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        let repeat = self.repeat.as_mut().map(|it| &mut it.list);
        let known_at_start = repeat.into_iter().chain(&mut self.condition).chain(&mut self.title);
        let given = self.params.iter_mut().map(|it| &mut it.value);
        let others = self.others.iter_mut().map(|(_, it)| it);
        known_at_start.chain(given).chain(&mut self.scope).chain(&mut self.depends_on).chain(others)
    }
}
