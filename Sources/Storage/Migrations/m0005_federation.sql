-- Sign-in with other companies' accounts: what a project has configured of them, what is remembered of an identity,
-- what was used once, and what others must be told. An older release beside it neither reads nor writes any of it.

-- What is declared of an app: see AppSettings. It decides which ways to sign in the app may show.
ALTER TABLE app
    ADD COLUMN settings jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(settings) = 'object');

CREATE TABLE identity_provider (
    project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
    provider text NOT NULL CHECK (provider <> ''),
    -- See ProviderSettings; nothing secret.
    settings jsonb NOT NULL CHECK (jsonb_typeof(settings) = 'object'),
    -- A private key in PEM or a client secret; sealed under the master key, bound to this row.
    secret bytea,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, provider)
);

ALTER TABLE linked_identity
    -- How far the provider's word about the address goes.
    ADD COLUMN email_trust text NOT NULL DEFAULT 'none' CHECK (email_trust IN ('none', 'verified', 'authoritative')),
    ADD COLUMN is_private_email boolean NOT NULL DEFAULT false,
    -- As the provider gave them first, which may be the only time.
    ADD COLUMN given_name text,
    ADD COLUMN family_name text,
    -- Apple's real_user_status: 0 unsupported, 1 unknown, 2 likely real.
    ADD COLUMN real_user_status smallint,
    -- The client id that the latest credential was for.
    ADD COLUMN audience text;

-- The account first: while a table is small the planner would else take these for look-ups by the primary key, which
-- begins with the project too, and keep that plan while the table grows.
DROP INDEX linked_identity_account;
CREATE INDEX linked_identity_account ON linked_identity (account_id, project_id);
DROP INDEX session_account;
CREATE INDEX session_account ON session (account_id, project_id);

-- Nonces and tickets that have done what they can do once.
CREATE TABLE used_mark (
    project_id text NOT NULL,
    -- SHA-256 of what was used.
    hash bytea NOT NULL CHECK (length(hash) = 32),
    -- It is refused for its age from then on.
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, hash)
);

CREATE INDEX used_mark_expires_at ON used_mark (expires_at);

-- The last key set or configuration that each provider published, for restarts while it cannot be reached.
CREATE TABLE provider_keys (
    url text PRIMARY KEY,
    -- JSON as it came; empty while there is none yet.
    body text NOT NULL,
    fetched_at timestamptz NOT NULL,
    -- When the keys were last asked for out of turn because one was unknown; all replicas share the turn.
    forced_at timestamptz
);

-- What others must be told, once what it tells has been committed.
CREATE TABLE outbox (
    id uuid PRIMARY KEY,
    project_id text NOT NULL,
    kind text NOT NULL,
    account_id text NOT NULL,
    -- Ids only: no address and no name.
    detail jsonb NOT NULL CHECK (jsonb_typeof(detail) = 'object'),
    created_at timestamptz NOT NULL
);

CREATE INDEX outbox_created_at ON outbox (created_at);

-- Who did what, for operators. Nothing is ever changed in it.
CREATE TABLE audit_event (
    id uuid PRIMARY KEY,
    project_id text NOT NULL,
    -- `user`, `system`, `cli`, or the id of a service key behind `key:`.
    actor text NOT NULL,
    action text NOT NULL,
    -- What it was done to: an account's id, an app's, a provider's.
    subject text NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(detail) = 'object'),
    occurred_at timestamptz NOT NULL
);

CREATE INDEX audit_event_occurred_at ON audit_event (project_id, occurred_at);

-- Accounts that went up in others. What is needed to undo it goes when the target goes.
CREATE TABLE account_merge (
    project_id text NOT NULL,
    source_id text NOT NULL,
    target_id text NOT NULL,
    merged_at timestamptz NOT NULL,
    -- The merge can be undone until then, while the target is of this generation.
    undo_until timestamptz NOT NULL,
    target_generation bigint NOT NULL,
    -- The source as it was, and what moved.
    snapshot jsonb NOT NULL CHECK (jsonb_typeof(snapshot) = 'object'),
    PRIMARY KEY (project_id, source_id),
    FOREIGN KEY (project_id, target_id) REFERENCES account ON DELETE CASCADE
);

CREATE INDEX account_merge_target ON account_merge (project_id, target_id);
