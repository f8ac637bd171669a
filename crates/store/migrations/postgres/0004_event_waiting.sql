-- Why the operation waited when the event was recorded, as JSON; null if it did not wait.
ALTER TABLE event ADD COLUMN waiting text;
