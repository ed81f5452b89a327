-- Accounts, their identities and their sessions. An older release knows none of these tables.

-- No foreign key to project: it would lock the same project row in every sign-up.
CREATE TABLE account (
    project_id text NOT NULL,
    id text NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
    email text CHECK (email = lower(email) AND length(email) <= 254),
    email_verified boolean NOT NULL DEFAULT false,
    display_name text,
    photo_url text,
    password_hash text,
    password_updated_at timestamptz,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL,
    last_sign_in_at timestamptz,
    valid_since timestamptz NOT NULL,
    -- A session of an earlier generation is dead: adding one ends them all in one step.
    generation bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (project_id, id),
    CHECK ((password_hash IS NULL) = (password_updated_at IS NULL)),
    CHECK (email IS NOT NULL OR NOT email_verified)
) WITH (fillfactor = 85);

CREATE UNIQUE INDEX account_email_key ON account (project_id, email) WHERE email IS NOT NULL;

-- Ids that are never given again.
CREATE TABLE deleted_account (
    project_id text NOT NULL,
    id text NOT NULL,
    deleted_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, id)
);

CREATE TABLE linked_identity (
    project_id text NOT NULL,
    provider text NOT NULL CHECK (provider <> ''),
    subject text NOT NULL CHECK (subject <> ''),
    account_id text NOT NULL,
    email text,
    display_name text,
    photo_url text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, provider, subject),
    FOREIGN KEY (project_id, account_id) REFERENCES account ON DELETE CASCADE
);

CREATE INDEX linked_identity_account ON linked_identity (project_id, account_id);

-- One row for each sign-in on a device. Its changing columns are in no index, so that refreshes stay HOT.
CREATE TABLE session (
    project_id text NOT NULL,
    id uuid NOT NULL,
    account_id text NOT NULL,
    generation bigint NOT NULL,
    method text NOT NULL,
    authenticated_at timestamptz NOT NULL,
    -- Of the newest refresh token given out.
    counter bigint NOT NULL DEFAULT 0,
    -- The successors of tokens below this one were used longer ago than the grace, as of the last rotation.
    settled bigint NOT NULL DEFAULT 0,
    -- When the newest token was given out.
    rotated_at timestamptz NOT NULL,
    -- The successors of tokens below `closing` had been used by closing_at; they settle once the grace has passed since.
    closing bigint NOT NULL DEFAULT 0,
    closing_at timestamptz NOT NULL DEFAULT '-infinity',
    refreshed_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, account_id) REFERENCES account ON DELETE CASCADE
) WITH (fillfactor = 75);

CREATE INDEX session_account ON session (project_id, account_id);
