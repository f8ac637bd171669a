//! The expressions of ARM JSON as trees, so that templates are compared by meaning and not by spelling.

use std::fmt;

use hangar_template::arm::respell;

/// A node of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tree {
    Text(String),
    Number(String),
    Call { name: String, arguments: Vec<Tree> },
    Member { base: Box<Tree>, name: String },
    Index { base: Box<Tree>, at: Box<Tree> },
}

/// Parses the string of a template; `None` if it is a plain text.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let text = text.trim();
    let is_expression = text.starts_with('[') && text.ends_with(']') && !text.starts_with("[[");
    if !is_expression {
        return None;
    }
    // The printed form is canonical: identifiers, numbers, quoted texts, brackets and `, `.
    let canonical = respell(text).ok()?;
    let inner = canonical.strip_prefix('[')?.strip_suffix(']')?;
    let mut parser = Parser { rest: inner };
    let tree = parser.expression()?;
    parser.rest.is_empty().then_some(tree)
}

struct Parser<'t> {
    rest: &'t str,
}

// `respell` refuses expressions that are nested too deep to recurse into.
impl Parser<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            let end = self.rest.find('\'')?;
            text.push_str(&self.rest[..end]);
            self.rest = &self.rest[end + 1..];
            if !self.takes("'") {
                return Some(text);
            }
            text.push('\'');
        }
    }

    fn word(&mut self) -> String {
        let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '#' | '$');
        let end = self.rest.find(|it| !is_part(it)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn expression(&mut self) -> Option<Tree> {
        let mut tree = self.primary()?;
        loop {
            if self.takes(".") {
                tree = Tree::Member { base: Box::new(tree), name: self.word() };
            } else if self.takes("[") {
                let at = self.expression()?;
                if !self.takes("]") {
                    return None;
                }
                tree = match at {
                    Tree::Text(name) => Tree::Member { base: Box::new(tree), name },
                    at => Tree::Index { base: Box::new(tree), at: Box::new(at) },
                };
            } else {
                return Some(tree);
            }
        }
    }

    fn primary(&mut self) -> Option<Tree> {
        if self.takes("'") {
            return self.text().map(Tree::Text);
        }
        let mut name = self.word();
        // Functions of a namespace: `__bicep.name()`.
        while self.rest.starts_with('.') && !name.starts_with(|it: char| it.is_ascii_digit()) {
            self.takes(".");
            name = format!("{name}.{}", self.word());
        }
        if !self.takes("(") {
            return (!name.is_empty()).then_some(Tree::Number(name));
        }
        let mut arguments = Vec::new();
        while !self.takes(")") {
            arguments.push(self.expression()?);
            self.takes(", ");
        }
        Some(Tree::Call { name, arguments })
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Number(number) => f.write_str(number),
            Self::Call { name, arguments } => {
                let arguments: Vec<_> = arguments.iter().map(Self::to_string).collect();
                write!(f, "{name}({})", arguments.join(", "))
            }
            Self::Member { base, name } => write!(f, "{base}['{}']", name.replace('\'', "''")),
            Self::Index { base, at } => write!(f, "{base}[{at}]"),
        }
    }
}

/// Rewrites every call of a tree, the innermost first.
pub(super) fn map_calls(tree: Tree, rewrite: &dyn Fn(String, Vec<Tree>) -> Tree) -> Tree {
    match tree {
        Tree::Call { name, arguments } => {
            let arguments = arguments.into_iter().map(|it| map_calls(it, rewrite)).collect();
            rewrite(name, arguments)
        }
        Tree::Member { base, name } => {
            Tree::Member { base: Box::new(map_calls(*base, rewrite)), name }
        }
        Tree::Index { base, at } => Tree::Index {
            base: Box::new(map_calls(*base, rewrite)),
            at: Box::new(map_calls(*at, rewrite)),
        },
        leaf => leaf,
    }
}

/// Whether two trees mean the same: types of resources and names of functions are the same in upper and lower case.
pub(super) fn is_same(a: &Tree, b: &Tree) -> bool {
    match (a, b) {
        (Tree::Text(a), Tree::Text(b)) => a == b || is_same_type(a, b),
        (Tree::Number(a), Tree::Number(b)) => a == b,
        (Tree::Call { name: a, arguments: of_a }, Tree::Call { name: b, arguments: of_b }) => {
            a.eq_ignore_ascii_case(b)
                && of_a.len() == of_b.len()
                && of_a.iter().zip(of_b).all(|(a, b)| is_same(a, b))
        }
        (Tree::Member { base: a, name }, Tree::Member { base: b, name: other }) => {
            name == other && is_same(a, b)
        }
        (Tree::Index { base: a, at }, Tree::Index { base: b, at: other }) => {
            is_same(a, b) && is_same(at, other)
        }
        _ => false,
    }
}

/// Types are the same in upper and lower case; the compiler spells them as Azure's catalogue does, which Hangar
/// does not have.
pub(super) fn is_same_type(a: &str, b: &str) -> bool {
    let is_type = a.split_once('/').is_some_and(|(provider, _)| provider.contains('.'));
    is_type && !a.contains(' ') && a.eq_ignore_ascii_case(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_read_as_a_tree() {
        let tree = parse("[format('{0}''s', __bicep.f(parameters('a').b['c-d'][0]))]");
        let parameter =
            Tree::Call { name: "parameters".into(), arguments: vec![Tree::Text("a".into())] };
        let b = Tree::Member { base: Box::new(parameter), name: "b".into() };
        let cd = Tree::Member { base: Box::new(b), name: "c-d".into() };
        let at = Tree::Index { base: Box::new(cd), at: Box::new(Tree::Number("0".into())) };
        let call = Tree::Call { name: "__bicep.f".into(), arguments: vec![at] };
        let wanted =
            Tree::Call { name: "format".into(), arguments: vec![Tree::Text("{0}'s".into()), call] };
        assert_eq!(tree, Some(wanted));
        assert_eq!(parse("[[not one]"), None);
    }
}
