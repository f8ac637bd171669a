-- What the last run of a template came to; no secret is in it. It goes with its group.
CREATE TABLE deployment (
    group_key TEXT    NOT NULL,
    name_key  TEXT    NOT NULL,
    body      TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    PRIMARY KEY (group_key, name_key)
) STRICT;

-- Whether a part of it has ended since it was claimed: a worker that lets go must not put that off.
ALTER TABLE operation ADD COLUMN woken INTEGER NOT NULL DEFAULT 0;
