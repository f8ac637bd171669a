//! Ids and names of Azure's resources: which function makes them, and from which parts.

use super::Printer;
use super::access::Reached;
use super::bind::{Local, What};
use super::call::plain_call;
use crate::arm::expression::{Expression, Kind};
use crate::syntax::ast;

/// What a template is deployed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Group,
    Subscription,
    ManagementGroup,
    Tenant,
}

const SCHEMAS: &str = "https://schema.management.azure.com/schemas";

impl Target {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "subscription" => Self::Subscription,
            "managementGroup" => Self::ManagementGroup,
            "tenant" => Self::Tenant,
            _ => Self::Group,
        }
    }

    pub(super) fn schema(self) -> String {
        let (date, what) = match self {
            Self::Group => ("2019-04-01", "deploymentTemplate"),
            Self::Subscription => ("2018-05-01", "subscriptionDeploymentTemplate"),
            Self::ManagementGroup => ("2019-08-01", "managementGroupDeploymentTemplate"),
            Self::Tenant => ("2019-08-01", "tenantDeploymentTemplate"),
        };
        format!("{SCHEMAS}/{date}/{what}.json#")
    }

    pub(super) fn of_schema(schema: Option<&str>) -> Self {
        let name = schema.and_then(|it| it.rsplit('/').next()).unwrap_or_default();
        match name.to_ascii_lowercase() {
            it if it.starts_with("subscription") => Self::Subscription,
            it if it.starts_with("managementgroup") => Self::ManagementGroup,
            it if it.starts_with("tenant") => Self::Tenant,
            _ => Self::Group,
        }
    }
}

/// Where a resource is, as its `scope` says.
#[derive(Debug, Clone)]
pub(super) enum Scope {
    /// Where the template goes.
    Here,
    Group {
        subscription: Option<Expression>,
        name: Expression,
    },
    Subscription {
        id: Option<Expression>,
    },
    ManagementGroup {
        name: Option<Expression>,
    },
    Tenant,
    /// It belongs to another resource.
    Resource(Reached),
}

impl<'t> Printer<'t, '_, '_> {
    /// What is known of names in the body of a resource, or of one of its rounds.
    pub(super) fn inside<T>(&mut self, reached: &Reached, print: impl FnOnce(&mut Self) -> T) -> T {
        let resource = &self.bound.resources[reached.resource];
        let (repeat, owner) = (resource.repeat, Some(reached.resource));
        let index = reached.index.clone();
        self.outside(owner, vec![], |it| {
            if let Some(repeat) = repeat {
                let list = it.optional(repeat.list());
                let index = index.unwrap_or_else(|| Expression::call("copyIndex", vec![]));
                it.bind_loop(repeat, list, index);
            }
            print(it)
        })
    }

    /// The same, where what is read there is nobody's concern.
    pub(super) fn aside<T>(&mut self, reached: &Reached, print: impl FnOnce(&mut Self) -> T) -> T {
        let was = std::mem::replace(&mut self.is_noting, false);
        let printed = self.inside(reached, print);
        self.is_noting = was;
        printed
    }

    /// What a resource states as its name.
    pub(super) fn own_name(&mut self, reached: &Reached) -> Expression {
        let resource = self.bound.resources[reached.resource].clone();
        match resource.property("name") {
            Some(name) => self.aside(reached, |it| it.expression(name)),
            None if resource.is_module() => self.module_name(reached),
            None => Expression::text(resource.name),
        }
    }

    /// The resource that another one is a child of.
    pub(super) fn parent(&mut self, reached: &Reached) -> Option<Reached> {
        let resource = self.bound.resources[reached.resource].clone();
        if let Some(outer) = resource.outer {
            return Some(Reached { resource: outer, index: None });
        }
        let parent = resource.property("parent")?;
        self.aside(reached, |it| it.resource_named(parent))
    }

    /// A resource with those that it is a child of, the outermost first.
    fn lineage(&mut self, reached: &Reached) -> Vec<Reached> {
        let mut lineage = vec![reached.clone()];
        // A chain of parents that comes back to its beginning is wrong; it is not followed for ever.
        for _ in 0..self.bound.resources.len() {
            let Some(parent) = self.parent(&lineage[0]) else { break };
            lineage.insert(0, parent);
        }
        lineage
    }

    /// The names from the outermost parent on.
    pub(super) fn names(&mut self, reached: &Reached) -> Vec<Expression> {
        let lineage = self.lineage(reached);
        lineage.iter().map(|it| self.own_name(it)).collect()
    }

    /// The same, where each name that holds several segments is taken apart: `'account/container'`.
    fn name_segments(&mut self, reached: &Reached) -> Vec<Expression> {
        let mut segments_so_far = 0;
        let mut names = Vec::new();
        for ancestor in self.lineage(reached) {
            let name = self.own_name(&ancestor);
            let type_name = self.type_of(&ancestor).unwrap_or_default();
            let whole = type_name.split('/').count().saturating_sub(1);
            match whole.saturating_sub(segments_so_far) {
                0 | 1 => names.push(name),
                count => names.extend(segments(name, count)),
            }
            segments_so_far = whole;
        }
        names
    }

    fn root(&mut self, reached: &Reached) -> Reached {
        self.lineage(reached).swap_remove(0)
    }

    /// The whole name: `parent/child`.
    pub(super) fn whole_name(&mut self, reached: &Reached) -> Expression {
        let mut names = self.names(reached);
        if names.len() == 1 {
            return names.remove(0);
        }
        let holes: Vec<_> = (0..names.len()).map(|at| format!("{{{at}}}")).collect();
        names.insert(0, Expression::text(holes.join("/")));
        Expression::call("format", names)
    }

    /// Where a resource is: its own scope, or that of its outermost parent.
    pub(super) fn scope(&mut self, reached: &Reached) -> Scope {
        let root = self.root(reached);
        let Some(scope) = self.bound.resources[root.resource].property("scope") else {
            return Scope::Here;
        };
        self.aside(&root, |it| it.scope_of(scope))
    }

    pub(super) fn scope_of(&mut self, view: ast::Expression<'t>) -> Scope {
        if let Some(reached) = self.resource_named(view) {
            return Scope::Resource(reached);
        }
        let Some((name, arguments)) = plain_call(view) else { return Scope::Here };
        let mut arguments = arguments.into_iter().map(|it| self.expression(it));
        let (first, second) = (arguments.next(), arguments.next());
        drop(arguments);
        match (name, first, second) {
            ("resourceGroup", Some(name), None) => Scope::Group { subscription: None, name },
            ("resourceGroup", subscription, Some(name)) => Scope::Group { subscription, name },
            ("subscription", id, _) => Scope::Subscription { id },
            ("managementGroup", name, _) => Scope::ManagementGroup { name },
            ("tenant", ..) => Scope::Tenant,
            _ => Scope::Here,
        }
    }

    /// The id of a resource.
    pub(super) fn id(&mut self, reached: &Reached) -> Expression {
        let type_name = match &self.bound.resources[reached.resource].what {
            What::Azure { type_name, .. } => type_name.clone(),
            What::Module { .. } => "Microsoft.Resources/deployments".to_owned(),
            What::Extension { .. } => {
                let name = self.symbolic(reached);
                return Expression::call("reference", vec![name]).member("id");
            }
        };
        let names = self.name_segments(reached);
        let scope = self.scope(reached);
        self.id_in(scope, &type_name, names)
    }

    fn id_in(&mut self, scope: Scope, type_name: &str, names: Vec<Expression>) -> Expression {
        let mut arguments = vec![Expression::text(type_name)];
        arguments.extend(names);
        let under = |base: Expression, mut arguments: Vec<Expression>| {
            arguments.insert(0, base);
            Expression::call("extensionResourceId", arguments)
        };
        match scope {
            Scope::Here => match self.target {
                Target::Group => Expression::call("resourceId", arguments),
                Target::Subscription => Expression::call("subscriptionResourceId", arguments),
                Target::Tenant => Expression::call("tenantResourceId", arguments),
                Target::ManagementGroup => {
                    let group = Expression::call("managementGroup", vec![]).member("id");
                    under(group, arguments)
                }
            },
            Scope::Group { subscription, name } => {
                let subscription = subscription.unwrap_or_else(|| {
                    Expression::call("subscription", vec![]).member("subscriptionId")
                });
                let pattern = Expression::text("/subscriptions/{0}/resourceGroups/{1}");
                let base = Expression::call("format", vec![pattern, subscription, name]);
                under(base, arguments)
            }
            Scope::Subscription { id } => {
                if let Some(id) = id {
                    arguments.insert(0, id);
                }
                Expression::call("subscriptionResourceId", arguments)
            }
            Scope::ManagementGroup { name } => {
                let base = match name {
                    Some(name) => {
                        let kind = Expression::text("Microsoft.Management/managementGroups");
                        Expression::call("tenantResourceId", vec![kind, name])
                    }
                    None => Expression::call("managementGroup", vec![]).member("id"),
                };
                under(base, arguments)
            }
            Scope::Tenant => Expression::call("tenantResourceId", arguments),
            Scope::Resource(other) => {
                let is_group = self.type_of(&other) == Some("Microsoft.Resources/resourceGroups");
                if is_group {
                    let name = self.own_name(&other);
                    let scope = Scope::Group { subscription: None, name };
                    return self.id_in(scope, type_name, arguments.split_off(1));
                }
                let base = self.id(&other);
                under(base, arguments)
            }
        }
    }

    pub(super) fn type_of(&self, reached: &Reached) -> Option<&str> {
        match &self.bound.resources[reached.resource].what {
            What::Azure { type_name, .. } => Some(type_name),
            _ => None,
        }
    }

    /// Names of the loop that a resource is made by, for its own body.
    pub(super) fn bind_own_loop(&mut self, repeat: ast::Loop<'t>, list: Expression) {
        self.bind_loop(repeat, list, Expression::call("copyIndex", vec![]));
    }

    pub(super) fn parameter_local(&mut self, name: &'t str) {
        self.locals.push((name, Local::Parameter(name.to_owned())));
    }
}

/// The parts of a name that is written as one.
fn segments(name: Expression, count: usize) -> Vec<Expression> {
    if let Kind::Text(text) = &name.kind
        && text.split('/').count() == count
    {
        return text.split('/').map(Expression::text).collect();
    }
    let split = Expression::call("split", vec![name, Expression::text("/")]);
    (0..count).map(|at| split.clone().index(Expression::number(at))).collect()
}
