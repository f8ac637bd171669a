//! What a run of a recipe is made of: the module as it is declared, the configuration around it, its result.
