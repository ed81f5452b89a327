-- Passwords hashed by other systems, checked at the first sign-in after an import. An older release beside it reads such a
-- hash as one that no password fits.

CREATE TABLE password_scheme (
    project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
    -- Keyed hash of the key, in hexadecimal: imports of the same key find it again. Unique over all projects.
    id text NOT NULL,
    -- What another system put into every hash, say Firebase's signer key; sealed under the master key, bound to this row.
    key bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (id)
);
