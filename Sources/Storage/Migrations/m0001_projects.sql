-- Projects, their apps and their keys. The first migration: no older release runs beside it.

CREATE TABLE installation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- A known text, sealed: opens only with the master key this database was made with.
    canary bytea NOT NULL,
    mode text NOT NULL CHECK (mode IN ('serve', 'dev')),
    created_at timestamptz NOT NULL
);

CREATE TABLE project (
    id text PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    number bigint NOT NULL UNIQUE CHECK (number > 0),
    name text NOT NULL,
    profile text NOT NULL CHECK (profile IN ('sekisho', 'firebase')),
    -- What differs from the profile, by the name of the policy's member.
    policy jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(policy) = 'object'),
    authorized_domains text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL
);

CREATE TABLE app (
    project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
    id text NOT NULL CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, id)
);

-- Found by the hash alone: the key is what tells which project a request belongs to.
CREATE TABLE api_key (
    project_id text NOT NULL,
    id text NOT NULL,
    app_id text NOT NULL,
    key_hash bytea NOT NULL UNIQUE CHECK (length(key_hash) = 32),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, app_id) REFERENCES app ON DELETE CASCADE
);

CREATE TABLE service_key (
    project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
    id text NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
    -- PEM; its private half was handed out once and never kept.
    public_key text NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (project_id, id)
);

-- Keys of the gateway's own tokens. Several live at once, so that rotation needs no pause.
CREATE TABLE signing_key (
    project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
    id text NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('id-token', 'refresh-token')),
    algorithm text NOT NULL CHECK (algorithm IN ('ES256', 'RS256', 'HS256')),
    -- Sealed under the master key, bound to this row.
    private_key bytea NOT NULL,
    -- PEM, for those who read X.509; only for purpose id-token.
    certificate text,
    created_at timestamptz NOT NULL,
    -- Published from created_at, signs from signs_from, believed until retires_at.
    signs_from timestamptz NOT NULL,
    retires_at timestamptz,
    PRIMARY KEY (project_id, id),
    CHECK ((purpose = 'id-token') = (certificate IS NOT NULL))
);
