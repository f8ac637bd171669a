//! Types and their parts.

use super::part::{
    decorators, expression, name, property_key, string, type_expression, type_expressions,
};
use super::view::{one_of, views};
use super::{Decorator, Expression, Name, PropertyKey, String};

views! {
    /// A name that is used as a type.
    TypeName;
    /// A literal that is used as a type, with its sign.
    TypeLiteral;
    /// `{ … }`.
    TypeObject;
    /// `key: type`.
    TypeProperty;
    /// `*: type`.
    TypeOtherProperties;
    /// `[ … ]`.
    TypeTuple;
    /// An item of a tuple.
    TypeTupleItem;
    /// `(…)`.
    TypeParenthesized;
    /// `a | b`.
    TypeUnion;
    /// `a[]`.
    TypeArray;
    /// `a?`.
    TypeNullable;
    /// `a!`.
    TypeNonNull;
    /// `a.name`.
    TypeMember;
    /// `a.*`.
    TypeOtherMembers;
    /// `a[0]`.
    TypeItem;
    /// `a[*]`.
    TypeItems;
    /// `name<…>`.
    TypeParameterized;
    /// `resource 'type'`.
    TypeResource;
}

one_of! {
    /// Any type.
    TypeExpression: TypeName TypeLiteral TypeObject TypeTuple TypeParenthesized TypeUnion TypeArray
        TypeNullable TypeNonNull TypeMember TypeOtherMembers TypeItem TypeItems TypeParameterized
        TypeResource
}

/// Types made of one other type.
macro_rules! based {
    ($($view:ident)+) => {$(
        impl<'t> $view<'t> {
            /// The type it is made of.
            pub fn base(self) -> Option<TypeExpression<'t>> {
                type_expression(self.node())
            }
        }
    )+};
}
based! { TypeParenthesized TypeArray TypeNullable TypeNonNull TypeMember TypeOtherMembers TypeItem
TypeItems TypeParameterized }

impl<'t> TypeName<'t> {
    /// The name.
    pub fn name(self) -> Option<Name<'t>> {
        name(self.node())
    }
}

impl<'t> TypeLiteral<'t> {
    /// The literal without its sign.
    pub fn value(self) -> Option<Expression<'t>> {
        expression(self.node())
    }
}

impl<'t> TypeObject<'t> {
    /// Its named properties.
    pub fn properties(self) -> impl Iterator<Item = TypeProperty<'t>> {
        self.node().children().filter_map(TypeProperty::cast)
    }

    /// The type of all others.
    pub fn other_properties(self) -> Option<TypeOtherProperties<'t>> {
        self.node().children().find_map(TypeOtherProperties::cast)
    }
}

impl<'t> TypeProperty<'t> {
    /// Its key.
    pub fn key(self) -> Option<PropertyKey<'t>> {
        property_key(self.node())
    }
}

/// Places that give something a type and have decorators.
macro_rules! decorated {
    ($($view:ident)+) => {$(
        impl<'t> $view<'t> {
            /// Its type.
            pub fn type_expression(self) -> Option<TypeExpression<'t>> {
                type_expression(self.node())
            }

            /// The decorators before it.
            pub fn decorators(self) -> impl Iterator<Item = Decorator<'t>> {
                decorators(self.node())
            }
        }
    )+};
}
decorated! { TypeProperty TypeOtherProperties TypeTupleItem }

impl<'t> TypeTuple<'t> {
    /// Its items in their order.
    pub fn items(self) -> impl Iterator<Item = TypeTupleItem<'t>> {
        self.node().children().filter_map(TypeTupleItem::cast)
    }
}

impl<'t> TypeUnion<'t> {
    /// Its members in their order.
    pub fn members(self) -> impl Iterator<Item = TypeExpression<'t>> {
        type_expressions(self.node())
    }
}

impl<'t> TypeMember<'t> {
    /// The name of the property.
    pub fn name(self) -> Option<Name<'t>> {
        name(self.node())
    }
}

impl<'t> TypeItem<'t> {
    /// Which item.
    pub fn index(self) -> Option<Expression<'t>> {
        expression(self.node())
    }
}

impl<'t> TypeParameterized<'t> {
    /// What stands between `<` and `>`.
    pub fn arguments(self) -> impl Iterator<Item = TypeExpression<'t>> {
        type_expressions(self.node()).skip(1)
    }
}

impl<'t> TypeResource<'t> {
    /// The string that names the type.
    pub fn resource_type(self) -> Option<String<'t>> {
        string(self.node())
    }
}
