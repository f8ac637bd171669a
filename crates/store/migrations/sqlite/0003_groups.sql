-- An operation on a whole group has the JSON text `null` for its subject, and operations of its own.
ALTER TABLE operation ADD COLUMN parent TEXT;
CREATE INDEX operation_by_parent ON operation (parent, id) WHERE parent IS NOT NULL;
CREATE INDEX operation_running_by_parent ON operation (parent, id)
    WHERE ended_at IS NULL AND parent IS NOT NULL;

-- The ids of the references that this one depends on: a rename follows them.
ALTER TABLE reference ADD COLUMN depends_on TEXT NOT NULL DEFAULT '[]';
CREATE INDEX reference_depending ON reference (group_key, type_key, alias_key, depends_on)
    WHERE depends_on <> '[]';
-- The last look at it, the names that it had before.
ALTER TABLE reference ADD COLUMN notes TEXT NOT NULL DEFAULT '{}';

CREATE TABLE plane (
    plane_key TEXT    NOT NULL PRIMARY KEY, -- kind/name
    body      TEXT    NOT NULL,
    version   INTEGER NOT NULL
) STRICT;
INSERT INTO plane (plane_key, body, version) VALUES
    ('aws/aws', '{"name":{"kind":"aws","name":"aws"},"location":"global","tags":{},"properties":{},"created_at":0,"updated_at":0,"version":1}', 1),
    ('radius/local', '{"name":{"kind":"radius","name":"local"},"location":"global","tags":{},"properties":{},"created_at":0,"updated_at":0,"version":1}', 1);

CREATE TABLE credential (
    credential_key TEXT    NOT NULL PRIMARY KEY, -- plane/name
    plane_key      TEXT    NOT NULL,
    body           TEXT    NOT NULL, -- name, location, tags, what may be shown
    sealed         BLOB    NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    version        INTEGER NOT NULL
) STRICT;
CREATE INDEX credential_by_plane ON credential (plane_key, credential_key);

-- What a reference has replaced and not deleted yet: nobody else may map it.
CREATE TABLE retiring_resource (
    resource_key TEXT NOT NULL PRIMARY KEY,
    group_key    TEXT NOT NULL,
    type_key     TEXT NOT NULL,
    alias_key    TEXT NOT NULL,
    FOREIGN KEY (group_key, type_key, alias_key)
        REFERENCES reference (group_key, type_key, alias_key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX retiring_resource_by_reference ON retiring_resource (group_key, type_key, alias_key);
