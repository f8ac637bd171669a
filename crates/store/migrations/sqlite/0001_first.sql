-- What is looked up or ordered by has a column of its own; the rest of a row is JSON text.
-- Keys are in ASCII-lower form and compare by bytes; instants are microseconds since 1970.

CREATE TABLE clock (
    id        INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    latest_at INTEGER NOT NULL
) STRICT;
INSERT INTO clock (id, latest_at) VALUES (1, 0);

CREATE TABLE key_check (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    value TEXT    NOT NULL
) STRICT;

CREATE TABLE resource_group (
    plane_key  TEXT    NOT NULL,
    group_key  TEXT    NOT NULL PRIMARY KEY, -- plane/group
    state      TEXT    NOT NULL,
    body       TEXT    NOT NULL, -- name, location, tags, scope, properties
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version    INTEGER NOT NULL
) STRICT;
CREATE INDEX resource_group_by_plane ON resource_group (plane_key, group_key);

CREATE TABLE reference (
    group_key      TEXT    NOT NULL,
    type_key       TEXT    NOT NULL,
    alias_key      TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    operation      TEXT,             -- the one that its entry is locked by
    resource_key   TEXT    UNIQUE,   -- one resource of the cloud, one reference
    name           TEXT    NOT NULL, -- as first spelt
    scope          TEXT    NOT NULL,
    entry          TEXT    NOT NULL,
    documents      TEXT    NOT NULL,
    last_operation TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    version        INTEGER NOT NULL,
    PRIMARY KEY (group_key, type_key, alias_key)
) STRICT;
CREATE INDEX reference_by_type ON reference (type_key, group_key, alias_key);
CREATE INDEX reference_by_state ON reference (state, group_key, type_key, alias_key);

CREATE TABLE operation (
    id               TEXT    NOT NULL PRIMARY KEY,
    state            TEXT    NOT NULL CHECK (state IN ('running', 'parked', 'ended')),
    group_key        TEXT,
    reference_key    TEXT,
    request_id       TEXT,             -- the caller's name for the request
    body_hash        TEXT,
    correlation_id   TEXT,
    subject          TEXT    NOT NULL,
    machine          TEXT    NOT NULL,
    warnings         TEXT    NOT NULL,
    cancel_requested INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    ended_at         INTEGER,
    due_at           INTEGER,
    lease_until      INTEGER,
    lease_worker     TEXT,
    epoch            INTEGER NOT NULL,
    version          INTEGER NOT NULL
) STRICT;
-- A claim reads `lease_until` from the index: those that are leased are passed without a visit.
CREATE INDEX operation_by_due ON operation (due_at, id, lease_until) WHERE due_at IS NOT NULL;
CREATE INDEX operation_by_lease ON operation (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX operation_by_reference ON operation (reference_key, id) WHERE reference_key IS NOT NULL;
CREATE INDEX operation_by_group ON operation (group_key, id) WHERE group_key IS NOT NULL;
CREATE INDEX operation_running ON operation (id) WHERE ended_at IS NULL;
CREATE INDEX operation_running_by_group ON operation (group_key, id)
    WHERE ended_at IS NULL AND group_key IS NOT NULL;
CREATE INDEX operation_by_request ON operation (request_id, created_at) WHERE request_id IS NOT NULL;
CREATE INDEX operation_by_end ON operation (ended_at) WHERE state = 'ended';

-- For look-ups by request token and for people; the machine has its own copy.
CREATE TABLE attempt (
    operation     TEXT    NOT NULL REFERENCES operation (id) ON DELETE CASCADE,
    number        INTEGER NOT NULL,
    verb          TEXT    NOT NULL,
    client_token  TEXT    NOT NULL,
    born_at       INTEGER NOT NULL,
    marked        INTEGER NOT NULL,
    unanswered    INTEGER NOT NULL,
    sent_at       INTEGER,
    request_token TEXT,
    begun         INTEGER NOT NULL,
    identifier    TEXT,
    outcome       TEXT    NOT NULL,
    PRIMARY KEY (operation, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempt_by_request ON attempt (request_token) WHERE request_token IS NOT NULL;

CREATE TABLE envelope (
    operation TEXT NOT NULL PRIMARY KEY REFERENCES operation (id) ON DELETE CASCADE,
    sealed    BLOB NOT NULL
) STRICT;

CREATE TABLE resource_lock (
    resource_key TEXT NOT NULL PRIMARY KEY,
    operation    TEXT NOT NULL REFERENCES operation (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX resource_lock_by_operation ON resource_lock (operation);

CREATE TABLE event (
    operation TEXT    NOT NULL REFERENCES operation (id) ON DELETE CASCADE,
    sequence  INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    message   TEXT    NOT NULL,
    PRIMARY KEY (operation, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE cached_schema (
    region_key TEXT    NOT NULL,
    type_key   TEXT    NOT NULL,
    region     TEXT    NOT NULL,
    type_name  TEXT    NOT NULL,
    hash       TEXT    NOT NULL,
    document   TEXT    NOT NULL,
    fetched_at INTEGER NOT NULL,
    PRIMARY KEY (region_key, type_key)
) STRICT;
