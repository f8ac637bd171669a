-- The same tables as SQLite's, in one step. What is looked up or ordered by has a column of its own; the rest of
-- a row is JSON text, so that numbers stay as they were written. Keys compare by bytes; instants are
-- microseconds since 1970.

CREATE TABLE key_check (
    id    bigint NOT NULL PRIMARY KEY CHECK (id = 1),
    value text   NOT NULL
);

CREATE TABLE plane (
    plane_key text COLLATE "C" NOT NULL PRIMARY KEY, -- kind/name
    body      text   NOT NULL,
    version   bigint NOT NULL
);
INSERT INTO plane (plane_key, body, version) VALUES
    ('aws/aws', '{"name":{"kind":"aws","name":"aws"},"location":"global","tags":{},"properties":{},"created_at":0,"updated_at":0,"version":1}', 1),
    ('radius/local', '{"name":{"kind":"radius","name":"local"},"location":"global","tags":{},"properties":{},"created_at":0,"updated_at":0,"version":1}', 1);

CREATE TABLE credential (
    credential_key text COLLATE "C" NOT NULL PRIMARY KEY, -- plane/name
    plane_key      text COLLATE "C" NOT NULL,
    body           text   NOT NULL, -- name, location, tags, what may be shown
    sealed         bytea  NOT NULL,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    version        bigint NOT NULL
);
CREATE INDEX credential_by_plane ON credential (plane_key, credential_key);

CREATE TABLE resource_group (
    plane_key  text COLLATE "C" NOT NULL,
    group_key  text COLLATE "C" NOT NULL PRIMARY KEY, -- plane/group
    state      text   NOT NULL,
    body       text   NOT NULL, -- name, location, tags, scope, properties
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    version    bigint NOT NULL
);
CREATE INDEX resource_group_by_plane ON resource_group (plane_key, group_key);

CREATE TABLE reference (
    group_key      text COLLATE "C" NOT NULL,
    type_key       text COLLATE "C" NOT NULL,
    alias_key      text COLLATE "C" NOT NULL,
    state          text COLLATE "C" NOT NULL,
    operation      text COLLATE "C",        -- the one that its entry is locked by
    resource_key   text COLLATE "C" UNIQUE, -- one resource of the cloud, one reference
    name           text   NOT NULL,         -- as first spelt
    scope          text   NOT NULL,
    entry          text   NOT NULL,
    documents      text   NOT NULL,
    last_operation text,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    version        bigint NOT NULL,
    depends_on     text   NOT NULL,         -- ids of references: a rename follows them
    notes          text   NOT NULL,         -- the last look at it, the names that it had before
    PRIMARY KEY (group_key, type_key, alias_key)
);
CREATE INDEX reference_by_type ON reference (type_key, group_key, alias_key);
CREATE INDEX reference_by_state ON reference (state, group_key, type_key, alias_key);
CREATE INDEX reference_by_state_and_type ON reference (state, type_key, group_key, alias_key);
CREATE INDEX reference_depending ON reference (group_key, type_key, alias_key)
    WHERE depends_on <> '[]';

-- What a reference has replaced and not deleted yet: nobody else may map it.
CREATE TABLE retiring_resource (
    resource_key text COLLATE "C" NOT NULL PRIMARY KEY,
    group_key    text COLLATE "C" NOT NULL,
    type_key     text COLLATE "C" NOT NULL,
    alias_key    text COLLATE "C" NOT NULL,
    FOREIGN KEY (group_key, type_key, alias_key)
        REFERENCES reference (group_key, type_key, alias_key) ON DELETE CASCADE
);
CREATE INDEX retiring_resource_by_reference
    ON retiring_resource (group_key, type_key, alias_key);

CREATE TABLE operation (
    id               text COLLATE "C" NOT NULL PRIMARY KEY,
    state            text    NOT NULL CHECK (state IN ('running', 'parked', 'ended')),
    group_key        text COLLATE "C",
    reference_key    text COLLATE "C",
    parent           text COLLATE "C",
    request_id       text COLLATE "C", -- the caller's name for the request
    body_hash        text,
    correlation_id   text,
    subject          text    NOT NULL, -- `null` for an operation on a whole group
    machine          text    NOT NULL,
    warnings         text    NOT NULL,
    calls            text    NOT NULL,
    cancel_requested boolean NOT NULL,
    created_at       bigint  NOT NULL,
    updated_at       bigint  NOT NULL,
    ended_at         bigint,
    due_at           bigint,
    lease_until      bigint,
    lease_worker     text,
    epoch            bigint  NOT NULL,
    version          bigint  NOT NULL,
    mark             bigint  -- of the write that made this version: it knows itself again
);
CREATE INDEX operation_by_due ON operation (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX operation_by_lease ON operation (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX operation_by_reference ON operation (reference_key, id)
    WHERE reference_key IS NOT NULL;
CREATE INDEX operation_by_group ON operation (group_key, id) WHERE group_key IS NOT NULL;
CREATE INDEX operation_by_parent ON operation (parent, id) WHERE parent IS NOT NULL;
CREATE INDEX operation_running ON operation (id) WHERE ended_at IS NULL;
CREATE INDEX operation_running_by_group ON operation (group_key, id)
    WHERE ended_at IS NULL AND group_key IS NOT NULL;
CREATE INDEX operation_running_by_parent ON operation (parent, id)
    WHERE ended_at IS NULL AND parent IS NOT NULL;
CREATE INDEX operation_by_request ON operation (request_id, created_at)
    WHERE request_id IS NOT NULL;
CREATE INDEX operation_by_end ON operation (ended_at) WHERE state = 'ended';
CREATE INDEX operation_parked ON operation (ended_at, id)
    WHERE state = 'parked' AND reference_key IS NOT NULL;

-- For look-ups by request token and for people; the machine has its own copy.
CREATE TABLE attempt (
    operation     text COLLATE "C" NOT NULL REFERENCES operation (id) ON DELETE CASCADE,
    number        bigint  NOT NULL,
    verb          text    NOT NULL,
    client_token  text    NOT NULL,
    born_at       bigint  NOT NULL,
    marked        boolean NOT NULL,
    unanswered    bigint  NOT NULL,
    sent_at       bigint,
    request_token text COLLATE "C",
    begun         boolean NOT NULL,
    identifier    text,
    outcome       text    NOT NULL,
    PRIMARY KEY (operation, number)
);
CREATE INDEX attempt_by_request ON attempt (request_token) WHERE request_token IS NOT NULL;

CREATE TABLE envelope (
    operation text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES operation (id) ON DELETE CASCADE,
    sealed    bytea NOT NULL
);
-- What is sealed cannot be compressed.
ALTER TABLE envelope ALTER COLUMN sealed SET STORAGE EXTERNAL;
ALTER TABLE credential ALTER COLUMN sealed SET STORAGE EXTERNAL;

CREATE TABLE resource_lock (
    resource_key text COLLATE "C" NOT NULL PRIMARY KEY,
    operation    text COLLATE "C" NOT NULL REFERENCES operation (id) ON DELETE CASCADE
);
CREATE INDEX resource_lock_by_operation ON resource_lock (operation);

CREATE TABLE event (
    operation text COLLATE "C" NOT NULL REFERENCES operation (id) ON DELETE CASCADE,
    sequence  bigint NOT NULL,
    at        bigint NOT NULL,
    message   text   NOT NULL,
    PRIMARY KEY (operation, sequence)
);

CREATE TABLE cached_schema (
    region_key text COLLATE "C" NOT NULL,
    type_key   text COLLATE "C" NOT NULL,
    region     text   NOT NULL,
    type_name  text   NOT NULL,
    hash       text   NOT NULL,
    document   text   NOT NULL,
    fetched_at bigint NOT NULL,
    PRIMARY KEY (region_key, type_key)
);

-- Small facts about the store itself.
CREATE TABLE note (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    text text NOT NULL
);

-- How many calls may still be made at a place; all replicas take from the same row.
CREATE TABLE budget (
    place text COLLATE "C" NOT NULL PRIMARY KEY,
    body  text NOT NULL
);
