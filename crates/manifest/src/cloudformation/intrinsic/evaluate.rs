//! The value of an expression.

mod condition;
mod text;

use serde_json::{Map, Value};

use super::cidr;
use super::error::{Fault, IntrinsicError, Problem};
use super::function::{self, Attribute, Shape, shape};
use super::{Lookup, MAX_DEPTH, MAX_SIZE, NO_VALUE, StackOutput};

/// The value of an expression: every function in it is replaced by what it gives.
///
/// Members and items that are `AWS::NoValue` are left out; nothing is given where the whole is.
pub fn evaluate<L: Lookup>(
    expression: &Value,
    lookup: &mut L,
) -> Result<Option<Value>, Fault<L::Stop>> {
    Evaluation::new(lookup).value(expression)
}

/// Whether an expression of a template's `Conditions` holds; there `{"Condition": name}` is one too.
pub fn evaluate_condition<L: Lookup>(
    expression: &Value,
    lookup: &mut L,
) -> Result<bool, Fault<L::Stop>> {
    let mut evaluation = Evaluation::new(lookup);
    evaluation.functions.push("Conditions".to_owned());
    evaluation.truth(expression)
}

struct Evaluation<'a, L> {
    lookup: &'a mut L,
    /// The members and items that lead to where we are.
    path: Vec<String>,
    /// The functions that we are in, with the innermost last.
    functions: Vec<String>,
    /// How many bytes may still be made.
    left: usize,
}

type Found<T, L> = Result<T, Fault<<L as Lookup>::Stop>>;

impl<'a, L: Lookup> Evaluation<'a, L> {
    fn new(lookup: &'a mut L) -> Self {
        Self { lookup, path: Vec::new(), functions: Vec::new(), left: MAX_SIZE }
    }

    fn wrong(&self, problem: Problem) -> Fault<L::Stop> {
        let pointer = self.path.iter().fold(String::new(), |pointer, step| {
            pointer + "/" + &step.replace('~', "~0").replace('/', "~1")
        });
        let function = self.functions.last().map_or("the expression", String::as_str).to_owned();
        Fault::Wrong(IntrinsicError { function, pointer, problem })
    }

    /// Does something one member or item further down.
    fn within<T>(
        &mut self,
        step: &(impl ToString + ?Sized),
        deed: impl FnOnce(&mut Self) -> Found<T, L>,
    ) -> Found<T, L> {
        if self.path.len() >= MAX_DEPTH {
            return Err(self.wrong(Problem::TooDeep));
        }
        self.path.push(step.to_string());
        let done = deed(self);
        self.path.pop();
        done
    }

    fn spend(&mut self, bytes: usize) -> Found<(), L> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.wrong(Problem::TooLarge)),
        }
    }

    fn value(&mut self, expression: &Value) -> Found<Option<Value>, L> {
        self.spend(1)?;
        match expression {
            Value::Object(object) => match shape(object) {
                Shape::Function(name, argument) => self.call(name, argument),
                Shape::Crowded(name) => {
                    self.functions.push(name.to_owned());
                    Err(self.wrong(Problem::Company))
                }
                Shape::Single(name, argument) => {
                    match self.lookup.extension(name, argument).map_err(Fault::Stop)? {
                        Some(value) => Ok(Some(value)),
                        None => self.object(object),
                    }
                }
                Shape::Plain => self.object(object),
            },
            Value::Array(items) => Ok(Some(Value::Array(self.items(items)?))),
            Value::String(text) => {
                self.spend(text.len())?;
                Ok(Some(expression.clone()))
            }
            _ => Ok(Some(expression.clone())),
        }
    }

    fn object(&mut self, object: &Map<String, Value>) -> Found<Option<Value>, L> {
        let mut evaluated = Map::new();
        for (name, member) in object {
            self.spend(name.len())?;
            if let Some(member) = self.within(name, |it| it.value(member))? {
                evaluated.insert(name.clone(), member);
            }
        }
        Ok(Some(Value::Object(evaluated)))
    }

    fn items(&mut self, items: &[Value]) -> Found<Vec<Value>, L> {
        let mut evaluated = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            evaluated.extend(self.within(&index, |it| it.value(item))?);
        }
        Ok(evaluated)
    }

    fn call(&mut self, name: &str, argument: &Value) -> Found<Option<Value>, L> {
        self.functions.push(name.to_owned());
        let called = self.within(name, |it| it.called(name, argument));
        if called.is_ok() {
            self.functions.pop();
        }
        called
    }

    fn called(&mut self, name: &str, argument: &Value) -> Found<Option<Value>, L> {
        if let Some(why) = refused(name) {
            return Err(self.wrong(Problem::Unsupported(why)));
        }
        let value = match name {
            "Ref" => {
                let Value::String(name) = argument else {
                    return Err(self.wrong(Problem::Argument("a name")));
                };
                if name == NO_VALUE {
                    return Ok(None);
                }
                self.lookup.reference(name).map_err(Fault::Stop)?
            }
            "Fn::If" => return self.choose(argument),
            "Fn::GetAtt" => self.attribute(argument)?,
            "Fn::Join" => self.join(argument)?,
            "Fn::Sub" => self.substitute(argument)?,
            "Fn::Select" => self.select(argument)?,
            "Fn::Split" => self.split(argument)?,
            "Fn::FindInMap" => return self.find_in_map(argument),
            "Fn::ImportValue" => {
                let name = self.text(argument)?;
                self.lookup.import_value(&name).map_err(Fault::Stop)?
            }
            "Fn::GetStackOutput" => {
                let ask = self.stack_output(argument)?;
                self.lookup.stack_output(&ask).map_err(Fault::Stop)?
            }
            "Fn::GetAZs" => {
                let mut region = self.text(argument)?;
                if region.is_empty() {
                    let here = self.lookup.reference("AWS::Region").map_err(Fault::Stop)?;
                    region = self.text_of(&here)?;
                }
                self.lookup.availability_zones(&region).map_err(Fault::Stop)?
            }
            "Fn::Base64" => {
                let plain = self.text(argument)?;
                self.made(text::base64(plain.as_bytes()))?
            }
            "Fn::Cidr" => self.cidr(argument)?,
            "Fn::Length" => match self.value(argument)? {
                Some(Value::Array(items)) => Value::from(items.len()),
                _ => return Err(self.wrong(Problem::Argument("a list"))),
            },
            "Fn::ToJsonString" => match self.value(argument)? {
                Some(value @ (Value::Array(_) | Value::Object(_))) => {
                    self.made(value.to_string())?
                }
                _ => return Err(self.wrong(Problem::Argument("an object or a list"))),
            },
            "Fn::Equals" | "Fn::And" | "Fn::Or" | "Fn::Not" => {
                Value::Bool(self.logic(name, argument)?)
            }
            _ => return Err(self.wrong(Problem::Unknown)),
        };
        // What was looked up is copied as often as it is named.
        self.spend(value.as_str().map_or(0, str::len))?;
        Ok(Some(value))
    }

    fn attribute(&mut self, argument: &Value) -> Found<Value, L> {
        const TAKES: Problem = Problem::Argument("`Resource.Attribute` or [resource, attribute]");
        let Some((logical_id, attribute)) = function::attribute(argument) else {
            return Err(self.wrong(TAKES));
        };
        match attribute {
            Attribute::Name(name) => self.lookup.attribute(logical_id, name).map_err(Fault::Stop),
            Attribute::Expression(expression) => {
                let name = self.within(&1, |it| it.text(expression))?;
                self.lookup.attribute(logical_id, &name).map_err(Fault::Stop)
            }
        }
    }

    fn select(&mut self, argument: &Value) -> Found<Value, L> {
        let [index, list] = self.arguments(argument, "[index, list]")?;
        let index = self.within(&0, |it| it.text(index))?;
        let mut items = self.list(1, list)?;
        match index.trim().parse::<usize>() {
            Ok(at) if at < items.len() => Ok(items.swap_remove(at)),
            _ => Err(self.wrong(Problem::NoItem { index, length: items.len() })),
        }
    }

    fn find_in_map(&mut self, argument: &Value) -> Found<Option<Value>, L> {
        const TAKES: &str = "[map, first key, second key], optionally followed by {DefaultValue}";
        let (keys, default) = match argument {
            Value::Array(items) => match items.as_slice() {
                [map, top, second] => ([map, top, second], None),
                [map, top, second, Value::Object(options)] => {
                    ([map, top, second], options.get("DefaultValue"))
                }
                _ => return Err(self.wrong(Problem::Argument(TAKES))),
            },
            _ => return Err(self.wrong(Problem::Argument(TAKES))),
        };
        let mut texts = Vec::with_capacity(keys.len());
        for (index, key) in keys.into_iter().enumerate() {
            texts.push(self.within(&index, |it| it.text(key))?);
        }
        if let Some(value) =
            self.lookup.mapping(&texts[0], &texts[1], &texts[2]).map_err(Fault::Stop)?
        {
            return Ok(Some(value));
        }
        if let Some(default) = default {
            return self.within(&3, |it| it.within("DefaultValue", |it| it.value(default)));
        }
        let mut texts = texts.into_iter();
        let mut next = || texts.next().unwrap_or_default();
        let problem = Problem::NoMapping { map: next(), top: next(), second: next() };
        Err(self.wrong(problem))
    }

    fn stack_output(&mut self, argument: &Value) -> Found<StackOutput, L> {
        const TAKES: &str =
            "an object with StackName and OutputName, and optionally Region and RoleArn";
        let Value::Object(members) = argument else {
            return Err(self.wrong(Problem::Argument(TAKES)));
        };
        let mut texts = [const { None }; 4];
        for (name, member) in members {
            let at = match name.as_str() {
                "StackName" => 0,
                "OutputName" => 1,
                "Region" => 2,
                "RoleArn" => 3,
                _ => return Err(self.wrong(Problem::Argument(TAKES))),
            };
            let Some(value) = self.within(name, |it| it.value(member))? else { continue };
            texts[at] = Some(self.text_of(&value)?);
        }
        match texts {
            [Some(stack_name), Some(output_name), region, role_arn] => {
                Ok(StackOutput { stack_name, output_name, region, role_arn })
            }
            _ => Err(self.wrong(Problem::Argument(TAKES))),
        }
    }

    fn cidr(&mut self, argument: &Value) -> Found<Value, L> {
        const TAKES: &str = "[block, count, bits]";
        let [block, count, bits] = self.arguments(argument, TAKES)?;
        let block = self.within(&0, |it| it.text(block))?;
        let count = self.within(&1, |it| it.text(count))?;
        let bits = self.within(&2, |it| it.text(bits))?;
        let (Ok(count), Ok(bits)) = (count.parse(), bits.parse()) else {
            return Err(self.wrong(Problem::Argument(
                "[block, count, bits] with whole numbers as count and bits",
            )));
        };
        match cidr::divide(&block, count, bits) {
            Ok(blocks) => Ok(blocks.into()),
            Err(why) => Err(self.wrong(Problem::Cidr(why))),
        }
    }

    fn arguments<'v, const N: usize>(
        &self,
        argument: &'v Value,
        takes: &'static str,
    ) -> Found<[&'v Value; N], L> {
        let items: Option<[&Value; N]> = match argument {
            Value::Array(items) => items.iter().collect::<Vec<_>>().try_into().ok(),
            _ => None,
        };
        items.ok_or_else(|| self.wrong(Problem::Argument(takes)))
    }

    /// The argument at `index` as a list: one that is written or one that a function gives.
    fn list(&mut self, index: usize, argument: &Value) -> Found<Vec<Value>, L> {
        match self.within(&index, |it| it.value(argument))? {
            Some(Value::Array(items)) => Ok(items),
            _ => Err(self.wrong(Problem::Argument("a list whose second item is a list"))),
        }
    }
}

/// Functions that are not evaluated, with the reason.
fn refused(name: &str) -> Option<&'static str> {
    match name {
        "Fn::Transform" => Some("macros run only in AWS"),
        "Fn::Contains"
        | "Fn::EachMemberEquals"
        | "Fn::EachMemberIn"
        | "Fn::RefAll"
        | "Fn::ValueOf"
        | "Fn::ValueOfAll" => Some("it is valid only in the Rules section of a template"),
        _ if name.starts_with("Fn::ForEach") => Some("Hangar does not expand loops"),
        _ => None,
    }
}
