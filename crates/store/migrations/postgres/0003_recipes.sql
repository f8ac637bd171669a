-- A recipe and what its last run came to; what a run needs is sealed. A group that has one stays.
CREATE TABLE recipe (
    group_key text COLLATE "C" NOT NULL,
    name_key  text COLLATE "C" NOT NULL,
    body      text   NOT NULL,
    version   bigint NOT NULL,
    sealed    bytea  NOT NULL,
    PRIMARY KEY (group_key, name_key)
);

-- Who holds the Terraform state of a recipe.
CREATE TABLE terraform_lock (
    group_key text COLLATE "C" NOT NULL,
    name_key  text COLLATE "C" NOT NULL,
    body      text NOT NULL,
    PRIMARY KEY (group_key, name_key),
    FOREIGN KEY (group_key, name_key) REFERENCES recipe (group_key, name_key) ON DELETE CASCADE
);

-- The versions of that state. What is heavy is kept aside: who asks for the rest never reads it.
CREATE TABLE terraform_state (
    group_key text COLLATE "C" NOT NULL,
    name_key  text COLLATE "C" NOT NULL,
    number    bigint  NOT NULL,
    stray     boolean NOT NULL,
    body      text    NOT NULL,
    sealed    bytea   NOT NULL,
    PRIMARY KEY (group_key, name_key, number),
    FOREIGN KEY (group_key, name_key) REFERENCES recipe (group_key, name_key) ON DELETE CASCADE
);

-- What is sealed cannot be made smaller.
ALTER TABLE recipe ALTER COLUMN sealed SET STORAGE EXTERNAL;
ALTER TABLE terraform_state ALTER COLUMN sealed SET STORAGE EXTERNAL;
