//! Turns decisions into deeds: takes in what is asked, leases operations, performs their effects, reads the cloud.
//!
//! What is to be done is decided by `hangar_plan::operation::step`; this crate commits each step
//! before it performs it. `submit` is the way in, `worker` finds what is due, `drive` runs one
//! operation, `perform` does one effect, `cloud` makes every call of the cloud wait for its turn, `look_up` searches for what a lost answer may have made.

#![forbid(unsafe_code)]

mod ask;
mod cloud;
mod config;
mod credentials;
mod deployment;
mod dice;
mod documents;
mod drift;
mod drive;
mod engine;
mod etag;
mod forms;
mod group;
mod hash;
mod hub;
mod look_up;
mod metrics;
mod ours;
mod perform;
mod planned;
mod plural;
mod read;
mod recipe;
mod redact;
mod rename;
mod schedule;
mod schemas;
mod submit;
mod translate;
mod unlearn;
mod worker;

pub use ask::{
    Accepted, Ask, Condition, DefaultValues, DeleteMode, DeploymentAsk, DeploymentRefused,
    GroupAsk, Hold, Leave, Live, LivePage, Parent, Reach, RecipeAsk, Submission,
};
pub use cloud::AwsOutage;
pub use config::{CONCURRENCY, Config, Drives, SchemaSource};
pub use credentials::{CredentialAsk, DEFAULT as DEFAULT_CREDENTIAL, StoredCredentials};
pub use deployment::plan_new_recipes;
pub use dice::Dice;
pub use engine::Engine;
pub use etag::{
    etag_of_credential, etag_of_group, etag_of_plane, etag_of_recipe, etag_of_reference,
};
pub use hub::Watch;
pub use recipe::{
    Command, Environment, Exit, Files, Force, LocalOptions, LocalRunner, Look, ProviderMirror,
    RECIPE_CONFIG, RecipeAws, RecipeSettings, RecipeSource, RecipeTerms, Recipes, RunId, Runner,
    RunnerAnswer, STATE_LIMIT, Setting, StateContent, StateRefused, Tool, recipe_problems,
    seal_secret,
};
// What a credential is made of, for the edge that reads one and knows no provider.
pub use hangar_provider::{AccessKey, Credential, SecretText};
