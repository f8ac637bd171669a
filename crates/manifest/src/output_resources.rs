//! The ids of what a state holds, by the contract of the output resources of a recipe.
