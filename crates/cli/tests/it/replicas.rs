//! Two replicas of `hangar serve` on one PostgreSQL, behind a balancer.

mod budget;
mod chaos;
mod kill;
mod race;
mod recipe;
mod serving;
