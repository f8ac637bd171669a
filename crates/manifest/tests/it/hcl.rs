//! Expressions over states: what Terraform gives them, and what holds for any text.

#[cfg(test)]
mod agree;
#[cfg(test)]
mod table;
