//! References in manifests, by the binary itself and inside of other tools.

mod bench;
mod integrations;
mod page;
