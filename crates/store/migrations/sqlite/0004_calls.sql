-- Calls of the cloud that were made for an operation, by what they were for.
ALTER TABLE operation ADD COLUMN calls TEXT NOT NULL DEFAULT '{}';

-- Small facts about the store itself.
CREATE TABLE note (
    name TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;
