//! How views are declared: a struct over a node of one kind, an enum over views.

/// Declares views; each is named as the kind of its nodes.
macro_rules! views {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name<'t>(crate::syntax::Node<'t>);

        impl<'t> $name<'t> {
            /// The view of a node, if it is of this kind.
            pub fn cast(node: crate::syntax::Node<'t>) -> Option<Self> {
                (node.kind() == crate::syntax::NodeKind::$name).then_some(Self(node))
            }

            /// The node itself.
            pub const fn node(self) -> crate::syntax::Node<'t> {
                self.0
            }

            /// Its bytes.
            pub fn span(self) -> hangar_diag::Span {
                self.0.span()
            }
        }
    )+};
}

/// Declares one of several views.
macro_rules! one_of {
    ($(#[$meta:meta])* $name:ident: $($variant:ident)+) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        #[allow(missing_docs, reason = "each variant is the view of its name")]
        pub enum $name<'t> {
            $($variant($variant<'t>),)+
        }

        impl<'t> $name<'t> {
            /// The view of a node, if it is one of these.
            pub fn cast(node: crate::syntax::Node<'t>) -> Option<Self> {
                None$(.or_else(|| $variant::cast(node).map(Self::$variant)))+
            }

            /// The node itself.
            pub const fn node(self) -> crate::syntax::Node<'t> {
                match self {
                    $(Self::$variant(view) => view.node(),)+
                }
            }

            /// Its bytes.
            pub fn span(self) -> hangar_diag::Span {
                self.node().span()
            }
        }
    };
}

pub(super) use {one_of, views};
