//! Declarations that need each other: circles are reported, the rest is put in order.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::symbols::Symbol;
use super::{Lowering, Reference};
use crate::codes;
use crate::ir::Declared;

/// How many names of a circle are told.
const SHOWN: usize = 6;

impl Lowering<'_> {
    /// Reports circles, notes which variables reach a resource, and returns all declarations, what others need
    /// first.
    pub(super) fn check_cycles(&mut self) -> Vec<Declared> {
        let mut needs: BTreeMap<Symbol, Vec<Symbol>> = BTreeMap::new();
        let parameters = (0..self.parameters.len()).map(Symbol::Parameter);
        let variables = (0..self.variables.len()).map(Symbol::Variable);
        let resources = (0..self.resources.len()).map(Symbol::Resource);
        let modules = (0..self.modules.len()).map(Symbol::Module);
        let functions = (0..self.functions.len()).map(Symbol::Function);
        let deployed = resources.chain(modules);
        for symbol in parameters.chain(variables).chain(deployed).chain(functions) {
            needs.insert(symbol, Vec::new());
        }
        for reference in &self.references {
            if needs.contains_key(&reference.to)
                && let Some(list) = needs.get_mut(&reference.from)
            {
                list.push(reference.to);
            }
        }
        let components = components(&needs);
        self.report_circles(&components);
        self.note_reaches(&components, &needs);
        let declared = components.into_iter().flatten().filter_map(|symbol| match symbol {
            Symbol::Parameter(index) => Some(Declared::Parameter(index)),
            Symbol::Variable(index) => Some(Declared::Variable(index)),
            Symbol::Resource(index) => Some(Declared::Resource(index)),
            Symbol::Module(index) => Some(Declared::Module(index)),
            _ => None,
        });
        declared.collect()
    }

    fn report_circles(&mut self, components: &[Vec<Symbol>]) {
        let mut component_of: HashMap<Symbol, usize> = HashMap::new();
        for (index, component) in components.iter().enumerate() {
            component_of.extend(component.iter().map(|symbol| (*symbol, index)));
        }
        let references = std::mem::take(&mut self.references);
        let mut chains: HashMap<usize, String> = HashMap::new();
        for reference in &references {
            if reference.from == reference.to {
                let message = "the declaration references itself";
                let name = self.name_of(reference.from);
                let hint = format!("write a value that does not use `{name}`");
                self.error(codes::SELF_REFERENCE, reference.span, message).hints.push(hint);
            } else if let Some(component) = component_of.get(&reference.from)
                && component_of.get(&reference.to) == Some(component)
            {
                let chain = chains
                    .entry(*component)
                    .or_insert_with(|| self.chain(&components[*component], &references));
                let message = format!("the declarations form a cycle: {chain}");
                let hint =
                    "break the cycle: use a literal or a parameter in one of the declarations";
                self.error(codes::CYCLE, reference.span, message).hints.push(hint.to_owned());
            }
        }
        self.references = references;
    }

    /// The shortest way from the first of a circle back to itself: `a -> b -> a`.
    fn chain(&self, members: &[Symbol], references: &[Reference]) -> String {
        let Some(first) = members.first().copied() else { return String::new() };
        let inside: HashSet<Symbol> = members.iter().copied().collect();
        let mut next: HashMap<Symbol, Vec<Symbol>> = HashMap::new();
        for reference in references {
            let is_inside = inside.contains(&reference.from) && inside.contains(&reference.to);
            if is_inside && reference.from != reference.to {
                next.entry(reference.from).or_default().push(reference.to);
            }
        }
        let mut before: HashMap<Symbol, Symbol> = HashMap::new();
        let mut open = VecDeque::from([first]);
        while let Some(symbol) = open.pop_front() {
            for to in next.get(&symbol).into_iter().flatten() {
                if !before.contains_key(to) {
                    before.insert(*to, symbol);
                    open.push_back(*to);
                }
            }
        }
        let mut way = vec![first];
        while let Some(symbol) = way.last().and_then(|it| before.get(it)).copied() {
            way.push(symbol);
            if symbol == first {
                break;
            }
        }
        way.reverse();
        let mut names: Vec<String> = way.iter().map(|it| self.name_of(*it)).collect();
        if names.len() > SHOWN + 1 {
            names.splice(SHOWN - 1..names.len() - 1, ["…".to_owned()]);
        }
        format!("`{}`", names.join(" -> "))
    }

    /// Which variables reach a resource; a parameter's default must not.
    fn note_reaches(&mut self, components: &[Vec<Symbol>], needs: &BTreeMap<Symbol, Vec<Symbol>>) {
        let mut reaching: HashSet<Symbol> = HashSet::new();
        let mut changing: HashSet<Symbol> = HashSet::new();
        for component in components {
            // What is needed has come before; in a circle, which is an error, the order does not matter.
            for symbol in component {
                let needs_one_of = |these: &HashSet<Symbol>| {
                    needs.get(symbol).is_some_and(|it| it.iter().any(|it| these.contains(it)))
                };
                let reaches = matches!(symbol, Symbol::Resource(_) | Symbol::Module(_))
                    || needs_one_of(&reaching);
                if reaches {
                    reaching.insert(*symbol);
                }
                let changes =
                    reaches || matches!(symbol, Symbol::Parameter(_)) || needs_one_of(&changing);
                if changes {
                    changing.insert(*symbol);
                }
                if let Symbol::Variable(index) = symbol
                    && let Some(Some(variable)) = self.variables.get_mut(*index)
                {
                    variable.reaches_resource = reaches;
                    variable.is_constant = !changes;
                }
            }
        }
        let references = std::mem::take(&mut self.references);
        for reference in &references {
            if matches!(reference.from, Symbol::Parameter(_))
                && !matches!(reference.to, Symbol::Parameter(_))
                && reaching.contains(&reference.to)
            {
                let message = "the default of a parameter cannot reference a resource";
                let hint = "use it in a variable: `var value = …`";
                self.error(codes::RESOURCE_IN_DEFAULT, reference.span, message)
                    .hints
                    .push(hint.to_owned());
            }
            if matches!(reference.from, Symbol::Extension(_)) && reaching.contains(&reference.to) {
                let message = "the configuration of an extension cannot reference a resource";
                let hint = "use a parameter or a literal";
                self.error(codes::NOT_KNOWN_AT_START, reference.span, message)
                    .hints
                    .push(hint.to_owned());
            }
        }
        self.references = references;
    }

    fn name_of(&self, symbol: Symbol) -> String {
        let name = match symbol {
            Symbol::Parameter(index) => self.parameters.get(index).map(|it| &it.name.text),
            Symbol::Variable(index) => {
                self.variables.get(index).and_then(Option::as_ref).map(|it| &it.name.text)
            }
            Symbol::Resource(index) => {
                self.resources.get(index).and_then(Option::as_ref).map(|it| &it.name.text)
            }
            Symbol::Module(index) => {
                self.modules.get(index).and_then(Option::as_ref).map(|it| &it.name.text)
            }
            Symbol::Function(index) => {
                self.functions.get(index).and_then(Option::as_ref).map(|it| &it.name.text)
            }
            _ => None,
        };
        name.map(ToString::to_string).unwrap_or_default()
    }
}

/// The strongly connected components, each after all that it needs (Tarjan's algorithm, with a stack of
/// its own: chains of declarations may be long).
pub(crate) fn components<T: Copy + Ord + Hash>(needs: &BTreeMap<T, Vec<T>>) -> Vec<Vec<T>> {
    let mut found = Vec::new();
    let mut state: HashMap<T, Visit> = HashMap::new();
    let mut open: Vec<T> = Vec::new();
    for root in needs.keys() {
        if state.contains_key(root) {
            continue;
        }
        let mut path: Vec<(T, usize)> = vec![(*root, 0)];
        while let Some((symbol, at)) = path.last_mut() {
            let symbol = *symbol;
            if *at == 0 && !state.contains_key(&symbol) {
                let order = state.len();
                state.insert(symbol, Visit { order, lowest: order, is_open: true });
                open.push(symbol);
            }
            let next = needs.get(&symbol).and_then(|list| list.get(*at)).copied();
            *at += 1;
            if let Some(next) = next {
                match state.get(&next).copied() {
                    None => path.push((next, 0)),
                    Some(visit) if visit.is_open => lower(&mut state, symbol, visit.order),
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            let Some(visit) = state.get(&symbol).copied() else { continue };
            if let Some((parent, _)) = path.last() {
                lower(&mut state, *parent, visit.lowest);
            }
            if visit.lowest == visit.order {
                let first = open.iter().rposition(|it| *it == symbol).unwrap_or(open.len());
                let mut component = open.split_off(first);
                for symbol in &component {
                    if let Some(visit) = state.get_mut(symbol) {
                        visit.is_open = false;
                    }
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}

#[derive(Debug, Clone, Copy)]
struct Visit {
    order: usize,
    lowest: usize,
    is_open: bool,
}

fn lower<T: Copy + Eq + Hash>(state: &mut HashMap<T, Visit>, symbol: T, to: usize) {
    if let Some(visit) = state.get_mut(&symbol) {
        visit.lowest = visit.lowest.min(to);
    }
}
