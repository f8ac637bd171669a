//! Typed views of the tree, to come.
