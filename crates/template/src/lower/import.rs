//! `import`: names of other files, each on its own or all of them by one.

use hangar_diag::Span;

use super::Lowering;
use super::symbols::Symbol;
use crate::codes;
use crate::ir::{Imported, Unit};
use crate::near::near;
use crate::syntax::ast::{self, Statement};

/// What an exported name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Export {
    Type(usize),
    Variable(usize),
    Function(usize),
}

impl<'t> Lowering<'t> {
    /// The names that an import declares.
    pub(super) fn import(&mut self, view: ast::Import<'t>) -> Vec<(ast::Name<'t>, Symbol)> {
        self.no_decorators(Statement::Import(view));
        let unit = view.path().and_then(|path| self.file_of(path));
        let mut declared = Vec::new();
        if let Some(all) = view.all().and_then(ast::ImportAll::alias) {
            declared.push((all, unit.map_or(Symbol::Reported, Symbol::Namespace)));
        }
        for item in view.items() {
            let Some(name) = item.name() else { continue };
            let symbol = match unit {
                Some(unit) => self.imported(unit, name.text(), name.span()),
                None => Symbol::Reported,
            };
            declared.push((item.alias().unwrap_or(name), symbol));
        }
        declared
    }

    /// What a name of another file stands for; where it is not exported, that is reported.
    pub(super) fn imported(&mut self, unit: usize, name: &str, span: Span) -> Symbol {
        let file = &self.around.units[unit];
        let symbol = |index| Imported { unit, index };
        match export(file, name) {
            Some(Export::Type(index)) => return Symbol::ImportedType(symbol(index)),
            Some(Export::Variable(index)) => return Symbol::ImportedVariable(symbol(index)),
            Some(Export::Function(index)) => return Symbol::ImportedFunction(symbol(index)),
            None if file.is_faulty => return Symbol::Reported,
            None => {}
        }
        let is_declared = declares(file, name);
        let near = near(name, exports(file)).map(str::to_owned);
        let file = file.file.clone();
        let (message, hint) = if is_declared {
            let message = format!("`{name}` in `{file}` is not exported");
            (message, Some(format!("write `@export()` before it in `{file}`")))
        } else {
            let message = format!("the export `{name}` does not exist in `{file}`");
            let mut names: Vec<_> =
                exports(&self.around.units[unit]).map(|it| format!("`{it}`")).collect();
            names.sort();
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => {
                    "the file has no exports: write `@export()` before a declaration there"
                        .to_owned()
                }
                None => format!("available exports: {}", names.join(", ")),
            };
            (message, Some(hint))
        };
        self.error(codes::NOT_EXPORTED, span, message).hints.extend(hint);
        Symbol::Reported
    }
}

/// What is exported by a name.
fn export(unit: &Unit, name: &str) -> Option<Export> {
    let types = unit.types.iter().position(|it| it.exported && &*it.name.text == name);
    let variables = || unit.variables.iter().position(|it| it.exported && &*it.name.text == name);
    let functions = || unit.functions.iter().position(|it| it.exported && &*it.name.text == name);
    types
        .map(Export::Type)
        .or_else(|| variables().map(Export::Variable))
        .or_else(|| functions().map(Export::Function))
}

fn exports(unit: &Unit) -> impl Iterator<Item = &str> {
    let types = unit.types.iter().filter(|it| it.exported).map(|it| &it.name);
    let variables = unit.variables.iter().filter(|it| it.exported).map(|it| &it.name);
    let functions = unit.functions.iter().filter(|it| it.exported).map(|it| &it.name);
    types.chain(variables).chain(functions).map(|name| &*name.text)
}

fn declares(unit: &Unit, name: &str) -> bool {
    let names = unit.types.iter().map(|it| &it.name);
    let names = names.chain(unit.variables.iter().map(|it| &it.name));
    names.chain(unit.functions.iter().map(|it| &it.name)).any(|it| &*it.text == name)
}
