//! The order of declarations: what others need first; circles are reported.

use std::collections::{BTreeMap, HashSet};

use super::Reader;
use crate::codes;
use crate::ir::{Declared, Expression, ExpressionKind};
use crate::lower::components;

/// A declaration as it stands in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Node {
    Parameter(usize),
    Variable(usize),
    Resource(usize),
    Module(usize),
}

impl Reader<'_, '_, '_> {
    pub(super) fn order(&mut self) {
        self.drop_implied();
        let needs = self.needs();
        let components = components(&needs);
        let mut reaching: HashSet<Node> = HashSet::new();
        for component in &components {
            for node in component {
                let reaches = matches!(node, Node::Resource(_) | Node::Module(_))
                    || needs[node].iter().any(|it| reaching.contains(it));
                if reaches {
                    reaching.insert(*node);
                }
                if let Node::Variable(index) = node {
                    self.unit.variables[*index].reaches_resource = reaches;
                }
            }
            let is_circle =
                component.len() > 1 || component.iter().any(|node| needs[node].contains(node));
            if is_circle {
                self.circle(component);
            }
        }
        for index in 0..self.unit.parameters.len() {
            if reaching.contains(&Node::Parameter(index)) {
                let message = "the default of a parameter cannot reference a resource";
                let span = self.unit.parameters[index].name.span;
                self.error(codes::RESOURCE_IN_DEFAULT, span, message);
            }
        }
        let declared = components.into_iter().flatten().map(|node| match node {
            Node::Parameter(index) => Declared::Parameter(index),
            Node::Variable(index) => Declared::Variable(index),
            Node::Resource(index) => Declared::Resource(index),
            Node::Module(index) => Declared::Module(index),
        });
        self.unit.sequence = declared.collect();
    }

    /// The compiler writes the modules that something reads into its `dependsOn`. What reads an output waits for what
    /// that output needs, and not for all of the module: as it is in Bicep, where nothing is said of it.
    fn drop_implied(&mut self) {
        for declared in &mut self.unit.resources {
            let depends_on = std::mem::take(&mut declared.depends_on);
            let read = read(declared.expressions());
            declared.depends_on =
                depends_on.into_iter().filter(|it| !is_implied(it, &read)).collect();
        }
        for declared in &mut self.unit.modules {
            let depends_on = std::mem::take(&mut declared.depends_on);
            let read = read(declared.expressions());
            declared.depends_on =
                depends_on.into_iter().filter(|it| !is_implied(it, &read)).collect();
        }
    }

    fn needs(&self) -> BTreeMap<Node, Vec<Node>> {
        let mut needs = BTreeMap::new();
        for (index, it) in self.unit.parameters.iter().enumerate() {
            needs.insert(Node::Parameter(index), read(it.default.iter()));
        }
        for (index, it) in self.unit.variables.iter().enumerate() {
            needs.insert(Node::Variable(index), read(std::iter::once(&it.value)));
        }
        for (index, it) in self.unit.resources.iter().enumerate() {
            let mut found = read(it.expressions());
            found.extend(it.parent.map(Node::Resource));
            needs.insert(Node::Resource(index), found);
        }
        for (index, it) in self.unit.modules.iter().enumerate() {
            needs.insert(Node::Module(index), read(it.expressions()));
        }
        needs
    }

    fn circle(&mut self, nodes: &[Node]) {
        const SHOWN: usize = 6;
        let name = |node: &Node| match node {
            Node::Parameter(index) => self.unit.parameters[*index].name.clone(),
            Node::Variable(index) => self.unit.variables[*index].name.clone(),
            Node::Resource(index) => self.unit.resources[*index].name.clone(),
            Node::Module(index) => self.unit.modules[*index].name.clone(),
        };
        let names: Vec<_> = nodes.iter().map(name).collect();
        let Some(first) = names.first().cloned() else { return };
        let shown: Vec<String> =
            names.iter().take(SHOWN).map(|it| format!("`{}`", it.text)).collect();
        if shown.len() == 1 {
            self.error(codes::SELF_REFERENCE, first.span, "the declaration references itself");
            return;
        }
        let message = format!("the declarations form a cycle: {}", shown.join(", "));
        self.error(codes::CYCLE, first.span, message);
    }
}

/// Whether it is a module that is read besides.
fn is_implied(dependency: &Expression, read: &[Node]) -> bool {
    let base = match &dependency.kind {
        ExpressionKind::Index(index) => &index.base,
        _ => dependency,
    };
    matches!(base.kind, ExpressionKind::Module(module) if read.contains(&Node::Module(module)))
}

/// The declarations that expressions read.
fn read<'e>(expressions: impl Iterator<Item = &'e Expression>) -> Vec<Node> {
    let mut found = Vec::new();
    let mut open: Vec<&Expression> = expressions.collect();
    while let Some(expression) = open.pop() {
        match expression.kind {
            ExpressionKind::Parameter(index) => found.push(Node::Parameter(index)),
            ExpressionKind::Variable(index) => found.push(Node::Variable(index)),
            ExpressionKind::Resource(index) => found.push(Node::Resource(index)),
            ExpressionKind::Module(index) => found.push(Node::Module(index)),
            _ => {}
        }
        expression.for_each_part(|part| open.push(part));
    }
    found
}
