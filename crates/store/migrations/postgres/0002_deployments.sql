-- What the last run of a template came to; no secret is in it. It goes with its group.
CREATE TABLE deployment (
    group_key text COLLATE "C" NOT NULL,
    name_key  text COLLATE "C" NOT NULL,
    body      text   NOT NULL,
    version   bigint NOT NULL,
    PRIMARY KEY (group_key, name_key)
);

-- Whether a part of it has ended since it was claimed: a worker that lets go must not put that off.
ALTER TABLE operation ADD COLUMN woken boolean NOT NULL DEFAULT false;
