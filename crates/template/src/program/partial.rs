//! A file with errors, made safe to evaluate: every expression that an error is in becomes unknown.
//!
//! The result is never deployed. It lets the rest of the file be checked, so that an error in one place does not hide
//! those in another.

use hangar_diag::Span;

use crate::ir::{Declared, Entry, Expression, ExpressionKind, Item, Key, Piece, Unit};

/// Makes unknown what the errors of a file are in.
///
/// `errors` are the places of all errors; `unreadable` are the statements whose syntax could not be mended. `position`
/// is the place of the file in the list of units.
pub(super) fn make_errors_unknown(
    unit: &mut Unit,
    position: usize,
    errors: &[Span],
    unreadable: &[Span],
) {
    let is_unreadable = |span: Span| unreadable.iter().any(|it| contains(*it, span));
    let is_wrong = |it: &Expression| {
        is_unreadable(it.span) || errors.iter().any(|error| contains(it.span, *error))
    };
    for parameter in &mut unit.parameters {
        // Without its default a parameter is an unknown value of its type.
        if parameter.default.as_ref().is_some_and(is_wrong) {
            parameter.default = None;
        }
    }
    let wrong = Wrong { errors, unreadable };
    for variable in &mut unit.variables {
        if is_unreadable(variable.name.span)
            || variable.value_type.is_some() && is_wrong(&variable.value)
        {
            variable.value.kind = ExpressionKind::Faulty;
        }
        wrong.blank_parts(&mut variable.value);
    }
    for function in &mut unit.functions {
        if is_wrong(&function.body) {
            function.body.kind = ExpressionKind::Faulty;
        }
    }
    for output in &mut unit.outputs {
        if is_wrong(&output.value) {
            output.value.kind = ExpressionKind::Faulty;
        }
    }
    for extension in &mut unit.extensions {
        extension.configuration = extension.configuration.take().filter(|it| !is_wrong(it));
    }
    let mut left_out = Vec::new();
    for (index, resource) in unit.resources.iter_mut().enumerate() {
        let is_touched = errors.iter().any(|it| contains(resource.body, *it));
        if is_unreadable(resource.name.span) || is_touched && resource.properties.is_none() {
            left_out.push(Declared::Resource(index));
        }
        for expression in resource.expressions_mut() {
            wrong.blank_parts(expression);
        }
        resource.depends_on.retain(|it| !matches!(it.kind, ExpressionKind::Faulty));
    }
    for (index, module) in unit.modules.iter_mut().enumerate() {
        // Invariant: a file comes after those that it names, so this one has no file.
        if module.unit >= position || is_unreadable(module.name.span) {
            left_out.push(Declared::Module(index));
        }
        for expression in module.expressions_mut() {
            wrong.blank_parts(expression);
        }
        module.depends_on.retain(|it| !matches!(it.kind, ExpressionKind::Faulty));
    }
    unit.sequence.retain(|it| !left_out.contains(it));
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The wrong places of a file.
struct Wrong<'a> {
    errors: &'a [Span],
    unreadable: &'a [Span],
}

impl Wrong<'_> {
    /// Makes unknown the innermost expressions that errors are in; an error at a member's name, or in a member that
    /// could not be read, makes its value unknown.
    fn blank_parts(&self, expression: &mut Expression) {
        self.blank_inside(expression, self.errors);
    }

    fn blank_inside(&self, expression: &mut Expression, errors: &[Span]) {
        let inside: Vec<Span> =
            errors.iter().copied().filter(|it| contains(expression.span, *it)).collect();
        if inside.is_empty() {
            return;
        }
        let mut left = inside.clone();
        if let ExpressionKind::Object(entries) = &mut expression.kind {
            for entry in entries {
                let Entry::Member { key: Key::Fixed(name), value } = entry else { continue };
                let whole = self.unreadable.iter().find(|it| it.start == name.span.start);
                let whole = whole.copied().unwrap_or(name.span);
                let is_around = |it: &Span| contains(whole, *it) && !contains(value.span, *it);
                if left.iter().any(is_around) {
                    left.retain(|it| !is_around(it));
                    value.kind = ExpressionKind::Faulty;
                }
            }
        }
        expression.for_each_part_mut(|part| {
            left.retain(|it| !contains(part.span, *it));
            self.blank_inside(part, &inside);
        });
        if !left.is_empty() {
            expression.kind = ExpressionKind::Faulty;
        }
    }
}

impl Expression {
    /// Calls `visit` with each expression right inside of this one.
    fn for_each_part_mut(&mut self, mut visit: impl FnMut(&mut Self)) {
        match &mut self.kind {
            ExpressionKind::Constant(_)
            | ExpressionKind::Parameter(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Resource(_)
            | ExpressionKind::Module(_)
            | ExpressionKind::Imported(_)
            | ExpressionKind::Local(_)
            | ExpressionKind::Faulty => {}
            ExpressionKind::Text(pieces) => {
                for piece in pieces {
                    if let Piece::Hole(hole) = piece {
                        visit(hole);
                    }
                }
            }
            ExpressionKind::Object(entries) => {
                for entry in entries {
                    match entry {
                        Entry::Member { key, value } => {
                            if let Key::Computed(key) = key {
                                visit(key);
                            }
                            visit(value);
                        }
                        Entry::Spread(value) => visit(value),
                    }
                }
            }
            ExpressionKind::Array(items) => {
                for item in items {
                    let (Item::Value(value) | Item::Spread(value)) = item;
                    visit(value);
                }
            }
            ExpressionKind::Member(member) => visit(&mut member.base),
            ExpressionKind::Index(index) => {
                visit(&mut index.base);
                visit(&mut index.at);
            }
            ExpressionKind::NonNull(inner)
            | ExpressionKind::Any(inner)
            | ExpressionKind::Not(inner)
            | ExpressionKind::Negate(inner) => visit(inner),
            ExpressionKind::Binary(binary) => {
                visit(&mut binary.left);
                visit(&mut binary.right);
            }
            ExpressionKind::Ternary(ternary) => {
                visit(&mut ternary.condition);
                visit(&mut ternary.then);
                visit(&mut ternary.otherwise);
            }
            ExpressionKind::Call(call) => call.arguments.iter_mut().for_each(visit),
            ExpressionKind::CallUser(call) => call.arguments.iter_mut().for_each(visit),
            ExpressionKind::Method(method) => {
                method.base.iter_mut().for_each(&mut visit);
                method.arguments.iter_mut().for_each(visit);
            }
            ExpressionKind::Lambda(lambda) => visit(&mut lambda.body),
            ExpressionKind::Loop(repeat) => {
                visit(&mut repeat.list);
                visit(&mut repeat.body);
            }
            ExpressionKind::Environment(environment) => {
                visit(&mut environment.name);
                environment.default.iter_mut().for_each(visit);
            }
        }
    }
}
