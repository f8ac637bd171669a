//! The shape of each kind of expression.

use hangar_diag::Span;

use super::{Check, MOST_STEPS, unknown};
use crate::codes;
use crate::functions::{self, Argument, Fault, ProjectFiles};
use crate::ir::{
    Binary, Call, CallUser, Entry, Expression, ExpressionKind, Item, Key, Operator, Piece,
    ResourceDeclaration,
};
use crate::types::describe;
use crate::value::{Data, Kind, Members, Value};

/// The kinds that an argument is turned into, the likely ones first.
const TAKEN: [Kind; 5] = [Kind::String, Kind::Array, Kind::Object, Kind::Int, Kind::Bool];

impl<'a> Check<'a> {
    /// What an expression comes to, as far as its text tells.
    pub(super) fn shape(&mut self, expression: &'a Expression) -> Value {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return unknown(None);
        }
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Constant(value) => value.clone(),
            ExpressionKind::Text(pieces) => {
                for piece in pieces {
                    if let Piece::Hole(hole) = piece {
                        self.shape(hole);
                    }
                }
                unknown(Some(Kind::String))
            }
            ExpressionKind::Object(entries) => self.object(entries),
            ExpressionKind::Array(items) => self.array(items),
            ExpressionKind::Parameter(index) => match self.unit.parameters.get(*index) {
                Some(declared) => self.of_type(&declared.value_type),
                None => unknown(None),
            },
            ExpressionKind::Variable(index) => {
                self.variables.get(*index).cloned().flatten().unwrap_or_else(|| unknown(None))
            }
            ExpressionKind::Resource(index) => {
                let declared = self.unit.resources.get(*index);
                let may_be_missing = |it: &&ResourceDeclaration| {
                    it.condition.is_some() || it.or_null || it.parent.is_some()
                };
                unknown(match declared {
                    Some(it) if it.repeat.is_some() => Some(Kind::Array),
                    it => it.filter(|it| !may_be_missing(it)).map(|_| Kind::Object),
                })
            }
            ExpressionKind::Module(index) => {
                let declared = self.unit.modules.get(*index);
                unknown(declared.filter(|it| it.repeat.is_some()).map(|_| Kind::Array))
            }
            ExpressionKind::Local(level) => {
                self.locals.get(*level).map_or_else(|| unknown(None), |it| self.of_type(it))
            }
            ExpressionKind::Imported(_) | ExpressionKind::Faulty => unknown(None),
            ExpressionKind::Any(inner) => {
                self.shape(inner);
                unknown(None)
            }
            ExpressionKind::Member(member) => self.member(member),
            ExpressionKind::Index(index) => self.index(index),
            ExpressionKind::NonNull(inner) => match self.shape(inner) {
                shape if matches!(shape.data, Data::Null) => unknown(None),
                shape => shape,
            },
            ExpressionKind::Not(operand) => self.unary("!", Kind::Bool, operand, span),
            ExpressionKind::Negate(operand) => self.unary("-", Kind::Int, operand, span),
            ExpressionKind::Binary(binary) => self.binary(binary, span),
            ExpressionKind::Ternary(ternary) => {
                let condition = self.shape(&ternary.condition);
                self.is_condition(&condition, ternary.condition.span);
                let then = self.shape(&ternary.then);
                let otherwise = self.shape(&ternary.otherwise);
                unknown(then.kind().filter(|kind| otherwise.kind() == Some(*kind)))
            }
            ExpressionKind::Call(call) => self.call(call),
            ExpressionKind::CallUser(call) => self.call_user(call),
            ExpressionKind::Method(_)
            | ExpressionKind::Lambda(_)
            | ExpressionKind::Environment(_) => {
                expression.for_each_part(|part| {
                    self.shape(part);
                });
                unknown(None)
            }
            ExpressionKind::Loop(repeat) => {
                self.list(&repeat.list);
                self.shape(&repeat.body);
                unknown(Some(Kind::Array))
            }
        }
    }

    fn object(&mut self, entries: &'a [Entry]) -> Value {
        let mut members = Members::new();
        let mut is_open = false;
        for entry in entries {
            match entry {
                Entry::Member { key: Key::Fixed(name), value } => {
                    let shape = self.shape(value);
                    members.insert(name.text.clone(), shape);
                }
                Entry::Member { key: Key::Computed(key), value } => {
                    self.shape(key);
                    self.shape(value);
                    is_open = true;
                }
                Entry::Spread(value) => {
                    let shape = self.shape(value);
                    if shape.kind().is_some_and(|kind| !matches!(kind, Kind::Object | Kind::Null)) {
                        let found = describe(&shape);
                        let message =
                            format!("expected an `object` to spread into an object, found {found}");
                        let hint = match shape.kind() {
                            Some(Kind::Array) => {
                                let list = self.written(value.span);
                                format!(
                                    "write `[...{list}]`, or `...toObject({list}, item => item.name)`"
                                )
                            }
                            _ => "write `name: value` instead".to_owned(),
                        };
                        self.tell(codes::WRONG_TYPE, value.span, message).hints.push(hint);
                    }
                    is_open = true;
                }
            }
        }
        if is_open { unknown(Some(Kind::Object)) } else { Value::object(members) }
    }

    fn array(&mut self, items: &'a [Item]) -> Value {
        let mut values = Vec::with_capacity(items.len());
        let mut is_open = false;
        for item in items {
            match item {
                Item::Value(value) => values.push(self.shape(value)),
                Item::Spread(value) => {
                    let shape = self.shape(value);
                    if shape.kind().is_some_and(|kind| kind != Kind::Array) {
                        let found = describe(&shape);
                        let message =
                            format!("expected an `array` to spread into an array, found {found}");
                        let hint = match shape.kind() {
                            Some(Kind::Object) => {
                                format!("write `...items({})`", self.written(value.span))
                            }
                            _ => "remove `...` to add the value as one item".to_owned(),
                        };
                        self.tell(codes::WRONG_TYPE, value.span, message).hints.push(hint);
                    }
                    is_open = true;
                }
            }
        }
        if is_open { unknown(Some(Kind::Array)) } else { Value::array(values) }
    }

    fn unary(&mut self, sign: &str, wanted: Kind, operand: &'a Expression, span: Span) -> Value {
        let shape = self.shape(operand);
        if shape.kind().is_none_or(|kind| kind == wanted) {
            return unknown(Some(wanted));
        }
        let message =
            format!("the operator `{sign}` expects `{wanted}`, found {}", describe(&shape));
        let hint = self.hint_for_kind(wanted, &shape, operand.span);
        let hint = hint.or_else(|| Some(format!("remove the `{sign}`")));
        self.tell(codes::WRONG_OPERAND, span, message).hints.extend(hint);
        unknown(None)
    }

    fn binary(&mut self, binary: &'a Binary, span: Span) -> Value {
        let left = self.shape(&binary.left);
        let right = self.shape(&binary.right);
        let both = (left.kind(), right.kind());
        let all = |wanted: Kind| {
            both.0.is_none_or(|kind| kind == wanted) && both.1.is_none_or(|kind| kind == wanted)
        };
        let (fits, gives) = match binary.operator {
            Operator::Or | Operator::And => (all(Kind::Bool), Some(Kind::Bool)),
            Operator::Coalesce => return unknown(None),
            Operator::Equal | Operator::NotEqual => (true, Some(Kind::Bool)),
            Operator::EqualIgnoringCase | Operator::NotEqualIgnoringCase => {
                (all(Kind::String), Some(Kind::Bool))
            }
            Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual => (all(Kind::Int) || all(Kind::String), Some(Kind::Bool)),
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Modulo => (all(Kind::Int), Some(Kind::Int)),
        };
        if fits {
            return unknown(gives);
        }
        let sign = binary.operator.as_str();
        let message = format!(
            "the operator `{sign}` cannot be applied to {} and {}",
            describe(&left),
            describe(&right)
        );
        let hint = self.hint_for_operands(binary, &left, &right);
        self.tell(codes::WRONG_OPERANDS, span, message).hints.extend(hint);
        unknown(None)
    }

    /// What to write in place of two operands that do not go together.
    fn hint_for_operands(&self, binary: &Binary, left: &Value, right: &Value) -> Option<String> {
        let is_one_of = |kind: Kind| left.kind() == Some(kind) || right.kind() == Some(kind);
        let (a, b) = (&binary.left, &binary.right);
        let wanted = match binary.operator {
            Operator::Add if is_one_of(Kind::String) => {
                return Some("join strings by interpolation, as in `'${a}${b}'`".to_owned());
            }
            Operator::Add if is_one_of(Kind::Array) => {
                let (a, b) = (self.written(a.span), self.written(b.span));
                return Some(format!("write `concat({a}, {b})`"));
            }
            Operator::Add if is_one_of(Kind::Object) => {
                let (a, b) = (self.written(a.span), self.written(b.span));
                return Some(format!("write `union({a}, {b})`"));
            }
            Operator::Or | Operator::And => Kind::Bool,
            Operator::EqualIgnoringCase if !is_one_of(Kind::String) => {
                return Some("write `==`: only strings can be compared ignoring case".to_owned());
            }
            Operator::NotEqualIgnoringCase if !is_one_of(Kind::String) => {
                return Some("write `!=`: only strings can be compared ignoring case".to_owned());
            }
            Operator::EqualIgnoringCase | Operator::NotEqualIgnoringCase => Kind::String,
            _ => Kind::Int,
        };
        let (shape, operand) =
            if left.kind().is_some_and(|it| it != wanted) { (left, a) } else { (right, b) };
        self.hint_for_kind(wanted, shape, operand.span)
    }

    fn call(&mut self, call: &'a Call) -> Value {
        let parameters = call.function.parameters;
        let (least, most) = (call.function.least, call.function.most);
        let count = call.arguments.len();
        // One mistake in a call is enough, and its count was told.
        let mut is_told = count < least || most.is_some_and(|most| count > most);
        for (at, argument) in call.arguments.iter().enumerate() {
            let parameter = parameters.get(at).or(parameters.last());
            let shape = self.shape(argument);
            let is_lambda = matches!(argument.kind, ExpressionKind::Lambda(_));
            if is_told || is_lambda || matches!(argument.kind, ExpressionKind::Faulty) {
                continue;
            }
            let Some(parameter) = parameter else { continue };
            if shape.kind().is_some_and(|kind| !parameter.takes(kind)) {
                let message = format!(
                    "the argument `{}` of `{}`: expected `{}`, found {}",
                    parameter.name,
                    call.function.name,
                    parameter.wants,
                    describe(&shape)
                );
                let hint = match parameter.wants {
                    "lambda" => Some(format!("write `item => {}`", self.written(argument.span))),
                    _ => (TAKEN.into_iter().find(|kind| parameter.takes(*kind)))
                        .and_then(|kind| self.hint_for_kind(kind, &shape, argument.span)),
                };
                self.tell(codes::WRONG_ARGUMENT, argument.span, message).hints.extend(hint);
                is_told = true;
            }
        }
        if call.function.reads_files() && !is_told {
            return self.loaded(call);
        }
        unknown(call.function.returns)
    }

    /// A call of `load…`: its arguments are written out, and the file is there, whether the value is used or not.
    fn loaded(&mut self, call: &Call) -> Value {
        let returned = unknown(call.function.returns);
        if call.arguments.len() < call.function.least {
            return returned;
        }
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            match &argument.kind {
                ExpressionKind::Constant(value) => arguments.push(Argument::Value(value.clone())),
                ExpressionKind::Faulty => return returned,
                _ => {
                    let message = format!(
                        "the argument of `{}` must be a string literal, because the file is read when the \
                         template is compiled",
                        call.function.name
                    );
                    let hint = "write the path as a literal, as in `'settings.json'`".to_owned();
                    self.tell(codes::NOT_CONSTANT, argument.span, message).hints.push(hint);
                    return returned;
                }
            }
        }
        let context = ProjectFiles::seen_from(&self.unit.file, &self.unit.sources);
        let result = call.function.call(functions::Call { arguments, context: &context });
        // Other faults are reported if the value is used: the part of a file may be one that only Bicep can select.
        if let Err(Fault::Wrong { argument: Some(0) | None, message, hint }) = result
            && let Some(path) = call.arguments.first()
        {
            self.tell(codes::FUNCTION_FAILED, path.span, message).hints.extend(hint);
        }
        returned
    }

    fn call_user(&mut self, call: &'a CallUser) -> Value {
        let own = call.function.unit == self.units.len();
        let unit = if own { Some(self.unit) } else { self.units.get(call.function.unit) };
        let Some(function) = unit.and_then(|it| it.functions.get(call.function.index)) else {
            return unknown(None);
        };
        for (parameter, argument) in function.parameters.iter().zip(&call.arguments) {
            let what =
                format!("the argument `{}` of `{}`", parameter.name.text, function.name.text);
            self.fits(&parameter.value_type, argument, &what, codes::WRONG_ARGUMENT);
        }
        for argument in call.arguments.iter().skip(function.parameters.len()) {
            self.shape(argument);
        }
        self.of_type(&function.result)
    }
}
