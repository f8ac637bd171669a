-- Lists of references by state and type over all groups.
CREATE INDEX reference_by_state_and_type ON reference (state, type_key, group_key, alias_key);

-- An operation that ended as unknown is looked at before it goes, as a parked one is.
UPDATE operation SET state = 'parked' WHERE state = 'ended' AND json_valid(machine)
    AND 'unknown' IN (machine ->> '$.ending.failed.kind', machine ->> '$.ending.canceled.kind');
CREATE INDEX operation_parked ON operation (ended_at, id)
    WHERE state = 'parked' AND reference_key IS NOT NULL;
