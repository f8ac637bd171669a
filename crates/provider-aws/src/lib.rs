//! The provider contract over AWS Cloud Control.

#![forbid(unsafe_code)]
