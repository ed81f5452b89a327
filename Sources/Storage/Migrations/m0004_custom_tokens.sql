-- Accounts that a backend's tokens have opened, and service keys found by the id such a token names, to tell a key of
-- another project from none. An older release beside it neither reads nor writes the column.

ALTER TABLE account ADD COLUMN custom_auth boolean NOT NULL DEFAULT false;

CREATE INDEX service_key_id ON service_key (id);
