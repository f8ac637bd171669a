-- A recipe and what its last run came to; what a run needs is sealed. A group that has one stays.
CREATE TABLE recipe (
    group_key TEXT    NOT NULL,
    name_key  TEXT    NOT NULL,
    body      TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    sealed    BLOB    NOT NULL,
    PRIMARY KEY (group_key, name_key)
) STRICT;

-- Who holds the Terraform state of a recipe.
CREATE TABLE terraform_lock (
    group_key TEXT NOT NULL,
    name_key  TEXT NOT NULL,
    body      TEXT NOT NULL,
    PRIMARY KEY (group_key, name_key),
    FOREIGN KEY (group_key, name_key) REFERENCES recipe (group_key, name_key) ON DELETE CASCADE
) STRICT;

-- The versions of that state. What is heavy comes last: who asks for the rest never reads it.
CREATE TABLE terraform_state (
    group_key TEXT    NOT NULL,
    name_key  TEXT    NOT NULL,
    number    INTEGER NOT NULL,
    stray     INTEGER NOT NULL,
    body      TEXT    NOT NULL,
    sealed    BLOB    NOT NULL,
    PRIMARY KEY (group_key, name_key, number),
    FOREIGN KEY (group_key, name_key) REFERENCES recipe (group_key, name_key) ON DELETE CASCADE
) STRICT;
