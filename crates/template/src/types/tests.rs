use super::*;
use crate::value::Because;

const NO_TYPES: Table<'static> = Table::of(&[]);

#[test]
fn what_is_not_known_fits_unless_its_kind_is_another() {
    let text = Value::unknown(Some(Kind::String), Because::Moment);
    assert!(NO_TYPES.check(&Type::Kind(Kind::String), &text).is_ok());
    assert!(NO_TYPES.check(&Type::Kind(Kind::Int), &text).is_err());
    let open = Value::unknown(None, Because::Moment);
    assert!(NO_TYPES.check(&Type::Kind(Kind::Int), &open).is_ok());
}

#[test]
fn a_wrong_part_is_named_by_its_path() {
    let list = Type::List(Box::new(Slot::plain(Type::Kind(Kind::String))));
    let value = Value::array(vec![Value::string("a"), Value::int(1)]);
    let misfit = NO_TYPES.check(&list, &value).unwrap_err();
    assert_eq!(misfit.describe("it"), "it: expected `string` at `[1]`, found `int`");
    let members = vec![("tags".into(), Slot::plain(list))];
    let object = Type::Object(Box::new(ObjectType { members, ..ObjectType::default() }));
    let value = Value::object([("tags".into(), value)].into());
    let misfit = NO_TYPES.check(&object, &value).unwrap_err();
    assert_eq!(misfit.describe("it"), "it: expected `string` at `tags[1]`, found `int`");
    let misfit = NO_TYPES.check(&object, &Value::object([].into())).unwrap_err();
    assert_eq!(misfit.describe("it"), "it lacks the required property `tags`");
}

#[test]
fn types_print_as_they_are_written() {
    let literal = |text: &str| Type::Literal(Value::string(text));
    let union = Type::Union(vec![literal("a"), literal("b")]);
    let list = Type::List(Box::new(Slot::plain(union.clone())));
    assert_eq!(list.to_string(), "('a' | 'b')[]");
    assert_eq!(Type::Nullable(Box::new(union)).to_string(), "('a' | 'b')?");
    let tuple = Type::Tuple(vec![Slot::plain(Type::Any), Slot::plain(Type::Kind(Kind::Int))]);
    assert_eq!(tuple.to_string(), "[any, int]");
}

#[test]
fn unions_of_unions_are_checked_within_bounds() {
    let mut union = Type::Kind(Kind::Int);
    for _ in 0..40 {
        union = Type::Union(vec![union.clone(), union.clone()]);
        if union.to_string().len() > 1_000 {
            break;
        }
    }
    assert!(NO_TYPES.check(&union, &Value::string("a")).is_err());
}
