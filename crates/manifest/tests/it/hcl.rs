//! Expressions over states: what Terraform gives them, and what holds for any text.

#[cfg(test)]
mod agree;
#[cfg(test)]
mod bombs;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod laws_run;
#[cfg(test)]
mod lookup;
#[cfg(test)]
mod table;
#[cfg(test)]
mod template;
