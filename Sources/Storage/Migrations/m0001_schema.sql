-- The schema of the first release. A later migration cannot be reverted, and must not break a process of the previous
-- release that still runs.
--
-- Identifiers (realm_id, id, account_id, provider and so on) have collation "C", so that the primary keys serve pages
-- by ID and searches for prefixes of IDs. A column that refers to an identifier needs the same collation. Otherwise
-- PostgreSQL cannot use the column's index, and a cascading deletion reads the whole table. Names and email addresses
-- have the collation of the database, because administrators read lists that are sorted by them.
--
-- "Encrypted" means encrypted with a master key that is not in the database. The ciphertext is bound to its row by the
-- additional data of AES-GCM.


-- Domains

-- Rules for single values. A table's own CHECK is for rules about several columns, because PostgreSQL reads all of a
-- table's CHECKs from text for every INSERT and UPDATE, and the rule of a domain once for each connection: as CHECKs, the
-- rules of the columns of account and session took a quarter to a third of the time of a refresh.

CREATE DOMAIN identifier AS text COLLATE "C" CHECK (length(VALUE) BETWEEN 1 AND 128);
-- Assigned by a provider, by Apple or by an operator.
CREATE DOMAIN external_id AS text COLLATE "C" CHECK (VALUE <> '');
CREATE DOMAIN email_address AS text CHECK (VALUE = lower(VALUE) AND length(VALUE) <= 254);
-- E.164
CREATE DOMAIN telephone_number AS text CHECK (VALUE LIKE '+%');
-- RFC 5646
CREATE DOMAIN language_tag AS text CHECK (length(VALUE) BETWEEN 1 AND 35);
-- IANA time zone database
CREATE DOMAIN time_zone_name AS text CHECK (length(VALUE) BETWEEN 1 AND 40);
-- From a User-Agent header.
CREATE DOMAIN device_name AS text CHECK (length(VALUE) <= 200);
CREATE DOMAIN uri AS text COLLATE "C" CHECK (length(VALUE) <= 2048);
CREATE DOMAIN json_object AS jsonb CHECK (jsonb_typeof(VALUE) = 'object');
CREATE DOMAIN json_object_text AS text CHECK (jsonb_typeof(VALUE::jsonb) = 'object');
CREATE DOMAIN hash256 AS bytea CHECK (length(VALUE) = 32);
CREATE DOMAIN hash128 AS bytea CHECK (length(VALUE) = 16);
CREATE DOMAIN row_count AS smallint CHECK (VALUE >= 0);
CREATE DOMAIN email_trust AS text CHECK (VALUE IN ('none', 'verified', 'authoritative'));
CREATE DOMAIN credential_state AS text CHECK (VALUE IN ('AUTHORIZED', 'REVOKED', 'TRANSFERRED', 'UNKNOWN'));
CREATE DOMAIN apple_grant_state AS text
    CHECK (VALUE IN ('REDEEMING', 'AUTHORIZED', 'REVOKED', 'UNKNOWN', 'REVOKING'));
CREATE DOMAIN apple_token_type AS text CHECK (VALUE IN ('CODE', 'REFRESH_TOKEN', 'ACCESS_TOKEN'));
CREATE DOMAIN factor_kind AS text COLLATE "C" CHECK (VALUE IN ('totp', 'phone'));
-- A factor that opened a session. A recovery code is none that can be enrolled.
CREATE DOMAIN session_factor AS text COLLATE "C" CHECK (VALUE IN ('totp', 'phone', 'recovery_code'));
CREATE DOMAIN session_end_reason AS text COLLATE "C"
    CHECK (VALUE IN ('REVOKED', 'TOKEN_REUSED', 'SIGN_IN_METHOD_REMOVED', 'PROVIDER_REVOKED', 'LIMIT', 'REPLACED', 'EXPIRED'));


-- Installation

-- One row, written at the first start. A gateway with another master key, or in another mode, refuses to start with
-- this database.
CREATE TABLE installation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- A constant text, encrypted. Decrypting it checks the master key.
    canary bytea NOT NULL,
    mode text NOT NULL CHECK (mode IN ('serve', 'dev')),
    created_at timestamptz NOT NULL
);


-- Projects, tenants, apps and sign-in providers

-- A realm is a set of accounts with the sign-in providers and settings that apply to it: a project, or a tenant of a
-- project. The ID of a tenant's realm is <project>/<tenant>. A column `realm_id` holds the ID of either kind, and a
-- column `project_id` the ID of a project only: apps and keys belong to projects, and their tenants use them.
CREATE TABLE realm (
    id text COLLATE "C" PRIMARY KEY,
    -- The project of a tenant; NULL for a project.
    parent_id text COLLATE "C" REFERENCES realm ON DELETE CASCADE,
    number bigint UNIQUE CHECK (number > 0),
    name text NOT NULL,
    profile text NOT NULL CHECK (profile IN ('sekisho', 'firebase')),
    -- Policy members that differ from the profile.
    policy json_object NOT NULL DEFAULT '{}',
    authorized_domains text[] NOT NULL DEFAULT '{}',
    -- JSON of the Swift type EmailSettingsColumn.
    email_settings json_object NOT NULL DEFAULT '{}',
    -- JSON of the Swift type SMSSettingsColumn, without the secret.
    sms_settings json_object NOT NULL DEFAULT '{}',
    -- The signing secrets of the sender's webhook, or the password of its form; encrypted.
    sms_secret bytea,
    -- JSON of the Swift type TenantColumn; NULL for a project. In a tenant's row, the columns from name to
    -- email_settings are ignored: the values in the row of its project apply.
    tenant_settings json_object,
    -- JSON of the Swift type PasskeyColumn. A project and its tenants share the passkey settings in the project's row.
    passkey_settings json_object NOT NULL DEFAULT '{}',
    -- The kinds of events that the project's listeners want; see `event_endpoint`. `*` stands for all kinds that the
    -- gateway does not record for every sign-in.
    event_kinds text[] NOT NULL DEFAULT '{}',
    -- JSON of the Swift type BlockingFunctionsColumn; NULL without functions.
    blocking_functions json_object,
    -- JSON of the Swift type BrandColumn.
    brand json_object NOT NULL DEFAULT '{}',
    -- JSON of the Swift type CustomTextsColumn.
    texts json_object NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    -- Set when a project or tenant is deleted. The janitor then deletes its accounts in batches, and this row last.
    deleted_at timestamptz,
    CONSTRAINT realm_id_check CHECK (
        CASE WHEN parent_id IS NULL THEN id ~ '^[a-z0-9][a-z0-9-]{0,62}$' AND number IS NOT NULL
            AND tenant_settings IS NULL
        -- One slash: tenants have no tenants.
        ELSE id ~ '^[a-z0-9][a-z0-9-]{0,62}/[A-Za-z0-9_-]{1,63}$' AND starts_with(id, parent_id || '/')
            AND number IS NULL AND tenant_settings IS NOT NULL END)
);

CREATE INDEX realm_tenant ON realm (parent_id, id) WHERE parent_id IS NOT NULL;
-- Apps and pages of two projects with the same RP ID (the host for which a browser stores a passkey) would use and remove
-- each other's passkeys. `localhost` is only for tests.
CREATE UNIQUE INDEX realm_rp_id_key ON realm ((passkey_settings ->> 'rpId'))
    WHERE passkey_settings ->> 'rpId' <> 'localhost';

CREATE TABLE app (
    project_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name text NOT NULL,
    -- JSON of the Swift type AppColumn, including the sign-in methods that the app may offer.
    settings json_object NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, id)
);

-- The images of the brands of a project and its apps, which pages and emails show.
CREATE TABLE brand_image (
    realm_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL CHECK (id = encode(sha256(content), 'hex')),
    content bytea NOT NULL CHECK (octet_length(content) <= 65536),
    -- Images that no brand uses are deleted a day later.
    stored_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, id)
);

CREATE TABLE identity_provider (
    realm_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    provider external_id NOT NULL,
    -- JSON of the Swift type ProviderColumn, without secrets.
    settings json_object NOT NULL,
    -- A private key in PEM or a client secret; encrypted.
    secret bytea,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, provider)
);

-- The latest key sets and discovery documents of providers. A gateway that restarts while a provider is unreachable
-- uses them.
CREATE TABLE provider_document (
    url text PRIMARY KEY,
    -- The JSON as received; empty if the document was never fetched.
    body text NOT NULL,
    fetched_at timestamptz NOT NULL,
    -- When a token with an unknown key ID last forced a refetch. All replicas share this rate limit of forced
    -- refetches.
    forced_refetch_at timestamptz
);


-- Keys of projects

-- A request names its project only by the key, so the hash is unique across all projects.
CREATE TABLE api_key (
    project_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    key_hash hash256 NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, app_id) REFERENCES app ON DELETE CASCADE
);

CREATE TABLE service_key (
    project_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    secret_hash hash256 NOT NULL UNIQUE,
    -- PEM. The private key is printed once, at creation, and is not stored.
    public_key text NOT NULL,
    -- Values of the Swift type ServiceKeyScope, or `all`.
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    -- Written at most once in five minutes.
    last_used_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (project_id, id)
);

-- For custom tokens, which name a service key only by its ID. A key of another project and an unknown key cause
-- different errors, so the search is not limited to one project.
CREATE INDEX service_key_id ON service_key (id);

-- Keys of the gateway's own tokens. Several keys are valid at the same time, so that a rotation does not invalidate
-- tokens.
CREATE TABLE signing_key (
    project_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('id-token', 'refresh-token')),
    algorithm text NOT NULL CHECK (algorithm IN ('ES256', 'RS256', 'HS256')),
    -- Encrypted.
    private_key bytea NOT NULL,
    -- PEM, for clients that read X.509 certificates; for purpose id-token only.
    certificate text,
    created_at timestamptz NOT NULL,
    -- The key is published from created_at, signs from signs_from, and is accepted until retires_at.
    signs_from timestamptz NOT NULL,
    retires_at timestamptz,
    PRIMARY KEY (project_id, id),
    CONSTRAINT signing_key_certificate_check CHECK ((purpose = 'id-token') = (certificate IS NOT NULL))
);

-- Secret keys of imported password hashes. A hash is verified with its key until the first sign-in, which replaces it.
CREATE TABLE password_key (
    realm_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    -- Keyed hash of realm_id and the key, in hexadecimal. Another import of the same key to the same project or
    -- tenant finds this row.
    id text COLLATE "C" PRIMARY KEY,
    -- The secret that the other system used for every hash, such as Firebase's signer key; encrypted.
    key bytea NOT NULL,
    created_at timestamptz NOT NULL
);


-- Accounts

-- No foreign key to realm, because every sign-up would lock the same row.
-- No index on a column that a sign-in changes, so that these updates are heap-only (HOT).
CREATE TABLE account (
    realm_id text COLLATE "C" NOT NULL,
    id identifier NOT NULL,
    email email_address,
    email_verified boolean NOT NULL DEFAULT false,
    -- The address for which a blocking function of the operator has vouched. Not a proof of the mailbox.
    vouched_email text,
    -- The first email address of the account; NULL until another address replaces it.
    initial_email text,
    phone_number telephone_number,
    -- When a proof of the number last opened a session of the account or gave it the number; NULL if an administrator
    -- or an import set the number.
    phone_proven_at timestamptz,
    -- When the account got the number; NULL if that is not known.
    phone_added_at timestamptz,
    display_name text,
    photo_url text,
    -- The language of emails and pages for the user (RFC 5646); NULL if the user has chosen none.
    language language_tag,
    -- The name of an IANA time zone.
    time_zone time_zone_name,
    password_hash text,
    password_updated_at timestamptz,
    -- Whether the user has signed in with an email link. False again after this sign-in method was removed.
    email_link_sign_in boolean NOT NULL DEFAULT false,
    -- Whether the user has signed in with a custom token of the project's backend.
    custom_auth boolean NOT NULL DEFAULT false,
    -- A JSON object, stored as the text that the administrator sent.
    custom_claims json_object_text,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL,
    last_sign_in_at timestamptz,
    -- Tokens issued earlier are rejected.
    valid_since timestamptz NOT NULL,
    -- Sessions of an earlier generation are invalid: incrementing the number ends all sessions in one statement.
    generation bigint NOT NULL DEFAULT 1,
    -- The number of rows in second_factor, so that the rows are read only if there are any.
    factor_count row_count NOT NULL DEFAULT 0,
    -- The number of rows in passkey, for the same purpose.
    passkey_count row_count NOT NULL DEFAULT 0,
    CONSTRAINT account_password_check CHECK ((password_hash IS NULL) = (password_updated_at IS NULL)),
    CONSTRAINT account_email_verified_check CHECK (email IS NOT NULL OR NOT email_verified),
    CONSTRAINT account_email_link_check CHECK (email IS NOT NULL OR NOT email_link_sign_in)
) WITH (fillfactor = 85);

-- For lists that are sorted by a column. The accounts without a value in the column follow, sorted by ID.
CREATE INDEX account_created_at ON account (realm_id, created_at, id);
-- Also for searches by the beginning of a name, in upper or lower case.
CREATE INDEX account_display_name ON account (realm_id, (lower(left(display_name, 256)) COLLATE "C"), id)
    WHERE display_name IS NOT NULL;
CREATE INDEX account_without_display_name ON account (realm_id, id) WHERE display_name IS NULL;
CREATE INDEX account_without_email ON account (realm_id, id) WHERE email IS NULL;
CREATE INDEX account_custom_auth ON account (realm_id) WHERE custom_auth;
CREATE INDEX account_disabled ON account (realm_id, created_at, id) WHERE disabled_at IS NOT NULL;
-- Guests. Also contains the accounts whose only sign-in method is an identity without an address.
CREATE INDEX account_guest ON account (realm_id, created_at, id)
    WHERE email IS NULL AND phone_number IS NULL AND passkey_count = 0 AND NOT custom_auth;

-- Created after the indexes above, because the planner chooses the newest of several indexes with the same estimated
-- cost. While statistics show a small table, account_created_at has the same estimated cost for a search by ID, and a
-- prepared statement keeps that plan while the table grows.
ALTER TABLE account ADD PRIMARY KEY (realm_id, id);

-- Created last for the same reason: the primary key has the same estimated cost for a search by address. These indexes
-- are never candidates for a search by ID.
CREATE UNIQUE INDEX account_email_key ON account (realm_id, email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX account_phone_number_key ON account (realm_id, phone_number) WHERE phone_number IS NOT NULL;

-- IDs of deleted accounts: a custom token issued before the deletion must not create the account again.
CREATE TABLE deleted_account (
    realm_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    deleted_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, id)
);

CREATE TABLE linked_identity (
    realm_id text COLLATE "C" NOT NULL,
    provider external_id NOT NULL,
    subject external_id NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    -- For a generic OpenID provider: the issuer that assigned the subject (OpenID Connect Core 1.0 §2).
    issuer text,
    -- The client ID that the latest credential was issued to.
    audience text,
    email text,
    -- How far the gateway trusts the provider's statement that the user owns the address.
    email_trust email_trust NOT NULL DEFAULT 'none',
    is_private_email boolean NOT NULL DEFAULT false,
    display_name text,
    photo_url text,
    screen_name text,
    language text,
    time_zone text,
    -- The name as first received, because Apple sends it only at the first sign-in.
    given_name text,
    family_name text,
    -- Apple's real_user_status: 0 unsupported, 1 unknown, 2 likely real.
    real_user_status smallint,
    created_at timestamptz NOT NULL,
    -- When the identity was linked to its current account. A merge, the undo of a merge, and a move to another account
    -- set it again.
    linked_at timestamptz NOT NULL DEFAULT now(),
    -- The device that linked the identity, from its User-Agent header.
    linked_device device_name,
    -- For apple.com: whether the user still uses the app, according to Apple's latest response or notification, and the
    -- time of this response or notification. The gateway itself sets UNKNOWN after a change of the configured team or
    -- key, and TRANSFERRED when the app has moved to another team. NULL: Apple has not reported anything.
    credential_state credential_state,
    credential_checked_at timestamptz,
    -- For apple.com: when the owner last revoked the tokens through the gateway, and the session that requested it.
    -- This session does not end when Apple notifies the gateway of the revocation.
    tokens_revoked_at timestamptz,
    tokens_revoked_by uuid,
    -- For apple.com: Apple's ID for the transfer of the user between two developer teams.
    transfer_sub external_id,
    -- The team that the app moves to.
    transfer_team text,
    -- When the subject and the address were replaced by those of the new team.
    transferred_at timestamptz,
    -- Apple's error code if Apple has rejected the import by the new team. Only a sign-in or a request of an
    -- administrator then completes the transfer.
    transfer_error text,
    -- For apple.com: identity tokens issued before this time are void, because the user disconnected the app or deleted
    -- the Apple account then. The table revoked_subject also stores the time, because the time must outlive the
    -- identity. This column is needed too: a sign-in that waits for the lock on this row sees a concurrent change only
    -- here.
    credentials_void_before timestamptz,
    -- For google.com: since when Google has disabled the user's account. The identity signs in no more.
    suspended_at timestamptz,
    -- For apple.com: whether Apple's relay forwards email to the user, and since when, according to Apple's latest
    -- notification. NULL: Apple has not reported anything.
    relay_forwarding boolean,
    relay_forwarding_at timestamptz,
    PRIMARY KEY (realm_id, provider, subject),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE,
    CONSTRAINT linked_identity_transfer_check CHECK (
        (transfer_sub IS NULL) = (transfer_team IS NULL) AND (transfer_sub IS NOT NULL OR transferred_at IS NULL)
        AND (transfer_error IS NULL OR transfer_sub IS NOT NULL AND transferred_at IS NULL))
);

-- An account has at most one identity of each provider. account_id is the first column, here and in the index
-- session_account, because the primary keys begin with realm_id. If this index began with realm_id too, the planner
-- would prefer the primary key while the table is small, and keep that plan while the table grows.
CREATE UNIQUE INDEX linked_identity_account_key ON linked_identity (account_id, realm_id, provider);
-- For searches by address, such as requests for the sign-in methods of an address.
CREATE INDEX linked_identity_email ON linked_identity (realm_id, email, account_id) WHERE email IS NOT NULL;
-- Exported identities that are not transferred yet. A sign-in with a token of the new team finds its identity with this
-- index.
CREATE UNIQUE INDEX linked_identity_transfer_sub ON linked_identity (realm_id, transfer_sub)
    WHERE transfer_sub IS NOT NULL AND transferred_at IS NULL;
-- Identities that become TRANSFERRED when the team that they move to is configured. An identity has an entry only
-- between its export and its transfer.
CREATE INDEX linked_identity_unmarked_transfer ON linked_identity (realm_id, transfer_team, subject)
    WHERE transfer_sub IS NOT NULL AND transferred_at IS NULL AND provider = 'apple.com'
        AND (credential_state IS NULL OR credential_state IN ('AUTHORIZED', 'UNKNOWN'));
-- For searches by real_user_status. Sign-ins usually write the same value again, so their updates remain heap-only
-- (HOT).
CREATE INDEX linked_identity_real_user_status ON linked_identity (realm_id, real_user_status, account_id)
    WHERE real_user_status IS NOT NULL;
-- For lists of the accounts with an address that Apple no longer forwards.
CREATE INDEX linked_identity_relay_stopped ON linked_identity (realm_id, account_id) WHERE NOT relay_forwarding;

-- Grants: Apple tokens, with which the gateway checks whether a user still uses the app, and revokes the user's
-- consent; and authorization codes that are exchanged for such tokens.
-- No foreign key to account, because after a deletion of the account the grant remains until Apple has revoked its
-- token.
CREATE TABLE apple_grant (
    id uuid PRIMARY KEY,
    realm_id text COLLATE "C" NOT NULL,
    -- The subject of the identity. It becomes NULL when the identity is unlinked, when its account is deleted, or when
    -- a token that no sign-in has used is marked for revocation. It stays when the owner revokes the tokens.
    subject text COLLATE "C",
    -- The bundle ID or Services ID that the token was issued to.
    client_id text COLLATE "C" NOT NULL,
    -- REDEEMING: the code of a sign-in waits to be exchanged, or the refresh token of a browser sign-in waits to become
    -- AUTHORIZED (if no sign-in has used it, it is revoked or deleted). AUTHORIZED, REVOKED: the state of the refresh
    -- token. UNKNOWN: the refresh token was obtained with a team or key that is no longer configured. REVOKING: the
    -- token waits to be revoked at Apple.
    state apple_grant_state NOT NULL,
    token_type apple_token_type NOT NULL,
    -- Encrypted. NULL after a revocation by the owner or a notification of Apple. If only a check reports a revocation,
    -- the token is kept, because a check can be wrong: a deletion of the account then still revokes the token.
    token bytea,
    -- The redirect URI of the web flow that issued a code; native apps have none.
    redirect_uri uri,
    -- The team and the private key that the refresh token was obtained with.
    team_id text,
    key_id text,
    created_at timestamptz NOT NULL,
    -- The next attempt or check. A worker that claims the row sets it to a later time first.
    due_at timestamptz NOT NULL,
    -- When the worker gives up. For a code, the time when it expires. For a token, the first attempt sets this time.
    expires_at timestamptz,
    attempts bigint NOT NULL DEFAULT 0,
    -- The time of the latest check, including failed checks.
    checked_at timestamptz,
    -- The error of the latest attempt or check; NULL if it succeeded.
    failure text,
    CONSTRAINT apple_grant_subject_check CHECK (state = 'REVOKING' OR subject IS NOT NULL),
    CONSTRAINT apple_grant_token_check CHECK (state = 'REVOKED' OR token IS NOT NULL)
);

-- One refresh token for each identity and client ID.
CREATE UNIQUE INDEX apple_grant_key ON apple_grant (realm_id, subject, client_id)
    WHERE state IN ('AUTHORIZED', 'REVOKED', 'UNKNOWN');
CREATE INDEX apple_grant_subject ON apple_grant (subject, realm_id) WHERE subject IS NOT NULL;
CREATE INDEX apple_grant_codes ON apple_grant (due_at) WHERE token_type = 'CODE' OR state = 'REDEEMING';
CREATE INDEX apple_grant_revocations ON apple_grant (due_at) WHERE state = 'REVOKING' AND token_type <> 'CODE';
-- For postponing all revocations of a client ID whose key Apple rejects.
CREATE INDEX apple_grant_revocations_of_client ON apple_grant (realm_id, client_id, due_at)
    WHERE state = 'REVOKING' AND token_type <> 'CODE';
-- For the list of a project's revocations, and for its health.
CREATE INDEX apple_grant_revocations_of_project ON apple_grant (split_part(realm_id, '/', 1), created_at DESC, id)
    WHERE state = 'REVOKING' AND token_type <> 'CODE';
CREATE INDEX apple_grant_unknown ON apple_grant (split_part(realm_id, '/', 1)) WHERE state = 'UNKNOWN';
CREATE INDEX apple_grant_unchecked ON apple_grant (realm_id, client_id, due_at) WHERE state = 'AUTHORIZED';
-- For finding grants of a team or private key that is no longer configured in the project or tenant.
CREATE INDEX apple_grant_obtained_with ON apple_grant (realm_id, team_id, key_id, id) WHERE state = 'AUTHORIZED';
CREATE INDEX apple_grant_checked_at ON apple_grant (checked_at) WHERE checked_at IS NOT NULL;

-- Runs for every deleted Apple identity. Deletes its grants that have no token, and marks the others for the worker
-- that revokes them. The rows that remain do not identify a user.
CREATE FUNCTION revoke_apple_grants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM apple_grant WHERE realm_id = OLD.realm_id AND subject = OLD.subject AND token IS NULL;
    -- Keeps the due time of a code or a revocation, because a worker may have claimed it until then.
    UPDATE apple_grant SET state = 'REVOKING', subject = NULL, checked_at = NULL, failure = NULL,
        attempts = CASE WHEN token_type = 'CODE' OR state = 'REVOKING' THEN attempts ELSE 0 END,
        due_at = CASE WHEN token_type = 'CODE' OR state = 'REVOKING' THEN due_at ELSE '-infinity' END
    WHERE realm_id = OLD.realm_id AND subject = OLD.subject;
    RETURN NULL;
END
$$;

CREATE TRIGGER linked_identity_apple_grants AFTER DELETE ON linked_identity
    FOR EACH ROW WHEN (OLD.provider = 'apple.com') EXECUTE FUNCTION revoke_apple_grants();

-- Merges of accounts, kept until they can no longer be undone. The source was merged into the target, and deleted. A
-- row is deleted with the target.
CREATE TABLE account_merge (
    realm_id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    target_id text COLLATE "C" NOT NULL,
    merged_at timestamptz NOT NULL,
    -- The merge can be undone until this time, while the target has the generation target_generation.
    undo_until timestamptz NOT NULL,
    target_generation bigint NOT NULL,
    -- The rows of the source and its identities, the merge plan, and what else an undo needs.
    snapshot json_object NOT NULL,
    PRIMARY KEY (realm_id, source_id),
    FOREIGN KEY (realm_id, target_id) REFERENCES account ON DELETE CASCADE
);

CREATE INDEX account_merge_target ON account_merge (realm_id, target_id);
CREATE INDEX account_merge_undo_until ON account_merge (undo_until);


-- Sessions

-- One row per sign-in on a device. No index on a column that a refresh changes, so that these updates are heap-only
-- (HOT).
CREATE TABLE session (
    realm_id text COLLATE "C" NOT NULL,
    id uuid NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    method text COLLATE "C" NOT NULL,
    authenticated_at timestamptz NOT NULL,
    -- The claims of the custom token that opened the session, as a JSON object. Every ID token of the session has them.
    claims text,
    -- The second factor that opened the session, and its ID; NULL if there was none. A recovery code has no ID.
    second_factor session_factor,
    second_factor_id text COLLATE "C",
    -- The credential ID of the passkey that opened the session; NULL if it was none.
    passkey_id text COLLATE "C",
    -- The device, from its User-Agent header.
    device device_name,
    -- The app that opened the session, by its API key or on the sign-in page; NULL if the gateway does not know it. Only
    -- lists of sessions read it. The app may have been deleted since.
    app_id text COLLATE "C",
    -- For apple.com: when Apple issued the identity token that opened the session.
    credential_issued_at timestamptz,
    -- The number of the newest refresh token.
    counter bigint NOT NULL DEFAULT 0,
    -- When the newest refresh token was issued.
    rotated_at timestamptz NOT NULL,
    -- The grace period (in which a refresh token is accepted although a newer one exists) has expired for tokens with
    -- lower numbers. Presenting one of them ends the session, because the token may be stolen.
    grace_expired_below bigint NOT NULL DEFAULT 0,
    -- The grace period of tokens with lower numbers began at grace_pending_since, when clients already used their
    -- successors.
    grace_pending_below bigint NOT NULL DEFAULT 0,
    grace_pending_since timestamptz NOT NULL DEFAULT '-infinity',
    refreshed_at timestamptz NOT NULL,
    -- Whether the latest refresh was the first of the session on its UTC day.
    first_of_day boolean NOT NULL DEFAULT false,
    -- When this session ended; NULL while it is active, and if it ended with all sessions of the account.
    ended_at timestamptz,
    end_reason session_end_reason,
    -- The administrator who has the session, and when it ends; NULL for a session of the user.
    support_actor text COLLATE "C",
    support_ends_at timestamptz,
    CHECK ((support_actor IS NULL) = (support_ends_at IS NULL)),
    PRIMARY KEY (realm_id, id),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE
) WITH (fillfactor = 75);

-- With `ended_at`, so that a sign-in reads only the account's active sessions. A refresh does not change this column.
CREATE INDEX session_account ON session (account_id, realm_id, ended_at);

-- Whether a session of the account was refreshed on the UTC day of a time, as the calling statement sees the table. Reads
-- at most a thousand sessions. The statement that refreshes a session calls it once per session and day.
CREATE FUNCTION refreshed_on_day(realm_id text, account_id text, "time" timestamptz) RETURNS boolean LANGUAGE sql STABLE
AS $$
    SELECT EXISTS (SELECT FROM (SELECT s.refreshed_at FROM session s
        WHERE s.realm_id = refreshed_on_day.realm_id AND s.account_id = refreshed_on_day.account_id
        ORDER BY s.ended_at DESC LIMIT 1000) s
    WHERE s.refreshed_at >= date_trunc('day', refreshed_on_day."time", 'UTC'))
$$;

-- Sessions of browsers on the pages of the gateway. A cookie proves which session a browser has.
CREATE TABLE browser_session (
    realm_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the secret in the cookie.
    secret_hash hash256 NOT NULL,
    session_id uuid NOT NULL,
    -- The session ends if the browser does not use it for this time.
    idle_seconds bigint NOT NULL,
    -- The earlier one of `ends_at` and the idle end.
    expires_at timestamptz NOT NULL,
    -- The session ends in any case.
    ends_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, secret_hash)
);

CREATE INDEX browser_session_expires_at ON browser_session (expires_at);

-- Codes of the sign-in page, which apps exchange for their sessions.
CREATE TABLE sign_in_code (
    realm_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the code.
    code_hash hash256 NOT NULL,
    -- SHA-256 of the ID of the visit, which has at most one code.
    flow_hash hash256 NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    -- The URL of the app to which the page returned.
    target uri NOT NULL,
    -- SHA-256 of the code verifier (RFC 7636).
    challenge hash256 NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    -- The session that the user opened on the page, and whether it ends with the exchange.
    source_session_id uuid NOT NULL,
    ends_session boolean NOT NULL,
    is_new_account boolean NOT NULL,
    -- Whether that session existed before the visit, so that the exchange is the sign-in.
    is_continued boolean NOT NULL,
    -- The identity that the exchange links, encrypted.
    link text,
    expires_at timestamptz NOT NULL,
    -- The row is kept until then, so that a second use of the code or of the visit is recognised.
    kept_until timestamptz NOT NULL,
    -- The exchange, and the session that it opened.
    used_at timestamptz,
    session_id uuid,
    PRIMARY KEY (realm_id, code_hash),
    UNIQUE (realm_id, flow_hash),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE,
    CONSTRAINT sign_in_code_use_check CHECK ((used_at IS NULL) = (session_id IS NULL))
);

CREATE INDEX sign_in_code_account ON sign_in_code (account_id, realm_id);
CREATE INDEX sign_in_code_kept_until ON sign_in_code (kept_until);

-- Visits of the sign-in page that carry a secret to their next step.
CREATE TABLE sign_in_flow (
    realm_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the ID of the visit.
    flow_hash hash256 NOT NULL,
    -- The step, encrypted.
    content text NOT NULL,
    -- How often a code was entered since the last email with one.
    attempts integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, flow_hash)
);

CREATE INDEX sign_in_flow_expires_at ON sign_in_flow (expires_at);

-- Second factors: a second proof that a sign-in demands after the first.
CREATE TABLE second_factor (
    realm_id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    -- The account that enrolled the factor. It differs from `account_id` after that account was merged into another one:
    -- then the factor is not demanded, and returns to its owner if the merge is undone.
    owner_id text COLLATE "C" NOT NULL,
    -- Unique within the owner only, because imports can choose it.
    id identifier NOT NULL,
    kind factor_kind NOT NULL,
    phone_number telephone_number,
    display_name text,
    enrolled_at timestamptz NOT NULL,
    last_used_at timestamptz,
    -- The secret of the one-time password, encrypted under the master key.
    secret bytea,
    -- The step of 30 seconds of the last password that was used. Passwords of this step and earlier ones are rejected.
    last_step bigint,
    -- The number of wrong passwords since the last right one.
    failures bigint NOT NULL DEFAULT 0,
    -- The owner if it was merged into `account_id`. The factor is deleted when that merge can no longer be undone.
    merged_from text COLLATE "C" GENERATED ALWAYS AS (CASE WHEN owner_id <> account_id THEN owner_id END) STORED,
    PRIMARY KEY (realm_id, account_id, owner_id, id),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE,
    FOREIGN KEY (realm_id, merged_from) REFERENCES account_merge ON DELETE CASCADE,
    CONSTRAINT second_factor_members_check CHECK (
        (kind = 'totp') = (secret IS NOT NULL AND last_step IS NOT NULL)
        AND (kind = 'phone') = (phone_number IS NOT NULL))
);

CREATE INDEX second_factor_merged_from ON second_factor (realm_id, merged_from) WHERE merged_from IS NOT NULL;
CREATE UNIQUE INDEX second_factor_totp_key ON second_factor (realm_id, account_id)
    WHERE kind = 'totp' AND merged_from IS NULL;
-- Many accounts can have the same number as second factor.
CREATE UNIQUE INDEX second_factor_phone_key ON second_factor (realm_id, account_id, phone_number)
    WHERE kind = 'phone' AND merged_from IS NULL;

-- Passkeys (WebAuthn Level 3): public keys with which users sign in.
CREATE TABLE passkey (
    realm_id text COLLATE "C" NOT NULL,
    -- The host for which the passkey was created.
    rp_id external_id NOT NULL,
    -- In base64url.
    credential_id text COLLATE "C" NOT NULL CHECK (length(credential_id) BETWEEN 2 AND 1364),
    account_id text COLLATE "C" NOT NULL,
    -- What the authenticator returns for the account, and for no other account of the RP ID. It stays when a merge moves
    -- the passkey to another account.
    user_handle text COLLATE "C" NOT NULL CHECK (length(user_handle) BETWEEN 1 AND 64),
    -- A COSE key, and its algorithm.
    public_key bytea NOT NULL,
    algorithm bigint NOT NULL,
    -- The highest signature counter that the authenticator has reported; 0 if it has none.
    sign_count bigint NOT NULL CHECK (sign_count >= 0),
    backup_eligible boolean NOT NULL,
    backed_up boolean NOT NULL,
    transports text[] NOT NULL,
    -- The model of the authenticator as a UUID, which nothing proves.
    aaguid text COLLATE "C" NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    -- When the passkey was added to its current account. A merge and its undo set it again.
    added_at timestamptz NOT NULL,
    last_used_at timestamptz,
    PRIMARY KEY (realm_id, rp_id, credential_id),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE
) WITH (fillfactor = 85);

-- For imports, which reject the user handle of another account.
CREATE INDEX passkey_user_handle ON passkey (user_handle);
-- Authenticators choose credential IDs, and a project and its tenants share the RP ID.
CREATE UNIQUE INDEX passkey_credential_key ON passkey (rp_id, credential_id);
CREATE INDEX passkey_account ON passkey (account_id, realm_id);

-- Returns the passkeys of an account without their keys, as a JSON array. Times are in microseconds since 1970.
CREATE FUNCTION passkeys(realm_id text, account_id text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_agg(jsonb_build_object('id', p.credential_id, 'rpId', p.rp_id, 'userHandle', p.user_handle,
        'name', p.name, 'isBackedUp', p.backed_up, 'transports', p.transports, 'aaguid', p.aaguid,
        'createdAt', (extract(epoch FROM p.created_at) * 1000000)::bigint,
        'addedAt', (extract(epoch FROM p.added_at) * 1000000)::bigint,
        'lastUsedAt', (extract(epoch FROM p.last_used_at) * 1000000)::bigint)
        ORDER BY p.added_at, p.created_at, p.credential_id)::text
    FROM passkey p WHERE p.realm_id = passkeys.realm_id AND p.account_id = passkeys.account_id
$$;

-- Unused recovery codes, with which a user signs in without the second factor.
CREATE TABLE recovery_code (
    realm_id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the realm, the account and the code.
    hash hash256 NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, account_id, hash),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE
);

-- Returns the second factors of an account that are demanded, and its recovery codes without their hashes, as a JSON
-- object. Times are in microseconds since 1970.
CREATE FUNCTION second_factors(realm_id text, account_id text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'factors', jsonb_agg(jsonb_build_object('id', f.id, 'kind', f.kind, 'phoneNumber', f.phone_number,
            'displayName', f.display_name,
            'enrolledAt', (extract(epoch FROM f.enrolled_at) * 1000000)::bigint) ORDER BY f.enrolled_at, f.id),
        'recoveryCodes', (
            SELECT jsonb_build_object('remaining', count(*),
                'createdAt', (extract(epoch FROM max(r.created_at)) * 1000000)::bigint)
            FROM recovery_code r
            WHERE r.realm_id = second_factors.realm_id AND r.account_id = second_factors.account_id
            HAVING count(*) > 0))::text
    FROM second_factor f
    WHERE f.realm_id = second_factors.realm_id AND f.account_id = second_factors.account_id AND f.merged_from IS NULL
$$;

-- Networks from which a session of an account was opened, or its password reset. While attackers guess the account's
-- password and attempts are limited, attempts from these networks are still accepted.
CREATE TABLE known_network (
    realm_id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    -- Keyed hash, from which the network can be neither read nor guessed.
    network_hash hash128 NOT NULL,
    -- Written at most once an hour, because every change also changes the index.
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, account_id, network_hash),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE
);

CREATE INDEX known_network_last_seen_at ON known_network (last_seen_at);

-- Values that are valid only once and have been used: nonces, sealed tokens, grants of browser sign-ins (values that an
-- app exchanges for the result of a sign-in), and IDs of Apple's events. Also one row per day for each kind of notice
-- to an address that nobody has verified.
CREATE TABLE replay_guard (
    realm_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the used value.
    hash hash256 NOT NULL,
    -- From this time on, the value itself has expired, and is rejected even without this row.
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, hash)
);

CREATE INDEX replay_guard_expires_at ON replay_guard (expires_at);

-- Browser sign-ins whose provider has responded. Before the response, all data of a sign-in is in the parameter
-- `state`, which the provider returns. No foreign keys, because rows are kept only for minutes.
CREATE TABLE authorization_flow (
    -- SHA-256 of the parameter `state`.
    state_hash hash256 PRIMARY KEY,
    realm_id text COLLATE "C" NOT NULL,
    -- The provider's form post, encrypted. The next request, which has the cookie of the flow, processes it.
    response text,
    -- Set when the response is processed, so that it is processed only once. Reset to NULL if the provider was
    -- unreachable.
    claimed_at timestamptz,
    -- The verified identity with the provider's tokens, encrypted. A client of the app gets it if it presents the grant
    -- and the session ID. Reset to NULL soon after the grant has expired.
    result text,
    app_id text COLLATE "C",
    -- SHA-256 of the grant.
    grant_hash hash256 UNIQUE,
    -- SHA-256 of the session ID.
    session_hash hash256,
    grant_expires_at timestamptz,
    -- From this time on, `state` is not valid.
    expires_at timestamptz NOT NULL,
    CONSTRAINT authorization_flow_result_check CHECK (
        num_nulls(result, app_id, grant_hash, session_hash, grant_expires_at) IN (0, 5))
);

CREATE INDEX authorization_flow_expires_at ON authorization_flow (expires_at);
CREATE INDEX authorization_flow_grant_expires_at ON authorization_flow (grant_expires_at)
    WHERE grant_expires_at IS NOT NULL;

-- Users who have disconnected an app or deleted their account at a provider. Their earlier credentials are void, even
-- after their account in the gateway is deleted.
CREATE TABLE revoked_subject (
    realm_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the provider and the subject.
    subject_hash hash256 NOT NULL,
    credentials_void_before timestamptz NOT NULL,
    -- From this time on, all void credentials have expired, and the row is no longer needed.
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, subject_hash)
);

CREATE INDEX revoked_subject_expires_at ON revoked_subject (expires_at);

-- Counters of events for rate limits, for each period of time (window). All replicas add to the same counters.
CREATE TABLE rate_limit_counter (
    -- Keyed hash of the rate limit's key, such as an address. The key can be neither read nor guessed from the hash.
    key hash256 NOT NULL,
    window_start timestamptz NOT NULL,
    count bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (key, window_start)
);

CREATE INDEX rate_limit_counter_expires_at ON rate_limit_counter (expires_at);


-- Email

-- Email action codes. Expired codes are kept for a day, so that late users get EXPIRED_OOB_CODE.
CREATE TABLE oob_code (
    -- SHA-256 of the code. A client can redeem a code without naming its project, so the hash is unique across all
    -- projects.
    hash hash256 PRIMARY KEY,
    realm_id text COLLATE "C" NOT NULL,
    purpose text NOT NULL CHECK (purpose IN (
        'VERIFY_EMAIL', 'PASSWORD_RESET', 'EMAIL_SIGNIN', 'VERIFY_AND_CHANGE_EMAIL', 'RECOVER_EMAIL',
        'REMOVE_SIGN_IN_METHOD', 'REVERT_SECOND_FACTOR_ADDITION', 'UNDO_MERGE')),
    -- For EMAIL_SIGNIN: the account that had the address when the code was created, if any.
    account_id text COLLATE "C",
    -- The code is void if the account has another generation. NULL: the code is valid in every generation.
    generation bigint,
    email email_address NOT NULL,
    new_email email_address,
    -- For REMOVE_SIGN_IN_METHOD: the method, and when it was added to the account. A password has no subject. For
    -- REVERT_SECOND_FACTOR_ADDITION: the kind of the factor, its ID, and when it was added.
    provider text COLLATE "C",
    subject text COLLATE "C",
    added_at timestamptz,
    -- For UNDO_MERGE: the account that was merged into account_id.
    source_id text COLLATE "C",
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE,
    CONSTRAINT oob_code_account_check CHECK (account_id IS NOT NULL OR purpose = 'EMAIL_SIGNIN'),
    CONSTRAINT oob_code_new_email_check1 CHECK (new_email IS NOT NULL OR purpose <> 'VERIFY_AND_CHANGE_EMAIL'),
    -- RECOVER_EMAIL has no new_email if the account's address was removed.
    CONSTRAINT oob_code_new_email_check2 CHECK (
        new_email IS NULL OR purpose IN ('VERIFY_AND_CHANGE_EMAIL', 'RECOVER_EMAIL')),
    CONSTRAINT oob_code_method_check CHECK (
        (purpose IN ('REMOVE_SIGN_IN_METHOD', 'REVERT_SECOND_FACTOR_ADDITION')) = (provider IS NOT NULL AND added_at IS NOT NULL)),
    CONSTRAINT oob_code_source_check CHECK ((purpose = 'UNDO_MERGE') = (source_id IS NOT NULL))
);

CREATE INDEX oob_code_account ON oob_code (account_id, realm_id);
-- For deleting sign-in codes that were sent when no account had the address. They are deleted together with an account
-- that has the address.
CREATE INDEX oob_code_email ON oob_code (email, realm_id) WHERE account_id IS NULL;
CREATE INDEX oob_code_expires_at ON oob_code (expires_at);

-- Queue of emails. A row is deleted when the mail server has accepted the email, or when the email has expired.
CREATE TABLE outgoing_email (
    id uuid PRIMARY KEY,
    realm_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    -- The account that the email is about. No foreign key: some emails are about deleted accounts.
    account_id text COLLATE "C",
    recipient text NOT NULL,
    -- The requested language. NULL: the language of the project.
    language text,
    -- Encrypted.
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- The next attempt. A worker that claims the row sets it to a later time first.
    due_at timestamptz NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    -- From this time on, the email is no longer useful and is not sent.
    expires_at timestamptz NOT NULL,
    -- The error of the latest attempt, without addresses.
    failure text,
    -- Set after the last attempt. The row is kept for a week, for operators.
    failed_at timestamptz
);

CREATE INDEX outgoing_email_due_at ON outgoing_email (due_at) WHERE failed_at IS NULL;
CREATE INDEX outgoing_email_failed_at ON outgoing_email (failed_at) WHERE failed_at IS NOT NULL;
-- For the deletion of an account, which deletes the emails about it and those to its address.
CREATE INDEX outgoing_email_account ON outgoing_email (account_id, realm_id);
CREATE INDEX outgoing_email_recipient ON outgoing_email (recipient, realm_id);
-- For the list of a project's emails, those of its tenants included.
CREATE INDEX outgoing_email_project ON outgoing_email (split_part(realm_id, '/', 1), created_at DESC, id);


-- Telephone numbers

-- Codes that were sent to telephone numbers. Expired codes are kept for a day, so that late users get SESSION_EXPIRED,
-- and so are used ones, which show how many of the last codes of a calling code were confirmed.
CREATE TABLE phone_code (
    realm_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the session that the client presents with the code.
    hash hash256 NOT NULL,
    -- The project, or the project of the tenant.
    project_id text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL
        CHECK (purpose IN ('SIGN_IN_OR_SIGN_UP', 'MULTI_FACTOR_ENROLLMENT', 'MULTI_FACTOR_SIGN_IN')),
    phone_number telephone_number NOT NULL,
    -- The digits by which the code is counted; see `sms_usage`.
    calling_code text COLLATE "C" NOT NULL,
    -- The account of a second factor, its generation, and for MULTI_FACTOR_SIGN_IN the factor. A deleted account leaves
    -- its codes, so that a deletion does not hide how few codes were confirmed. No request accepts them any more.
    account_id text COLLATE "C",
    generation bigint,
    factor_id text COLLATE "C",
    -- HMAC-SHA-256 of the code and the columns above, under a key that is derived from the master key.
    code_hash hash256 NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    -- Whether a message was sent.
    is_sent boolean NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- When the code was used.
    confirmed_at timestamptz,
    PRIMARY KEY (realm_id, hash),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE SET NULL (account_id),
    CONSTRAINT phone_code_account_check CHECK (
        (purpose = 'SIGN_IN_OR_SIGN_UP') = (generation IS NULL) AND (account_id IS NULL OR generation IS NOT NULL)
        AND (purpose = 'MULTI_FACTOR_SIGN_IN') = (factor_id IS NOT NULL))
);

CREATE INDEX phone_code_expires_at ON phone_code (expires_at);
CREATE INDEX phone_code_account ON phone_code (account_id, realm_id) WHERE account_id IS NOT NULL;
CREATE INDEX phone_code_calling_code
    ON phone_code (project_id, calling_code, (purpose = 'MULTI_FACTOR_SIGN_IN'), created_at) WHERE is_sent;

-- Queue of text messages. A row is deleted when the sender has accepted the message.
CREATE TABLE outgoing_sms (
    realm_id text COLLATE "C" NOT NULL,
    -- Also the idempotency key for the sender.
    id uuid NOT NULL,
    -- The account of a second factor.
    account_id text COLLATE "C",
    -- Encrypted; NULL after the last attempt.
    content bytea,
    -- Whether the sender recognises a repeated message. Otherwise a message whose response was lost is not repeated.
    is_idempotent boolean NOT NULL,
    created_at timestamptz NOT NULL,
    -- The next attempt. A worker that claims the row sets it to a later time first.
    due_at timestamptz NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    -- From this time on, the message is not sent.
    expires_at timestamptz NOT NULL,
    -- The error of the latest attempt, without numbers.
    failure text,
    -- Set after the last attempt. The row is kept for a week, for operators.
    failed_at timestamptz,
    PRIMARY KEY (realm_id, id),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE,
    CONSTRAINT outgoing_sms_content_check CHECK ((content IS NULL) = (failed_at IS NOT NULL))
);

CREATE INDEX outgoing_sms_due_at ON outgoing_sms (due_at) WHERE failed_at IS NULL;
CREATE INDEX outgoing_sms_failed_at ON outgoing_sms (failed_at) WHERE failed_at IS NOT NULL;
-- For the list of a project's messages, those of its tenants included.
CREATE INDEX outgoing_sms_project ON outgoing_sms (split_part(realm_id, '/', 1), created_at DESC, id);
CREATE INDEX outgoing_sms_account ON outgoing_sms (account_id, realm_id) WHERE account_id IS NOT NULL;

-- The number of messages of each project, UTC day and calling code. The row with an empty calling code counts all of the
-- project.
CREATE TABLE sms_usage (
    realm_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    day date NOT NULL,
    calling_code text COLLATE "C" NOT NULL,
    sent bigint NOT NULL,
    confirmed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (realm_id, day, calling_code)
);

CREATE INDEX sms_usage_day ON sms_usage (day);


-- Events

-- Events of the kinds in `realm.event_kinds`, inserted in the transaction of the change that they report. A gateway
-- moves them to `account_event` within a second.
CREATE TABLE outbox (
    id uuid NOT NULL,
    realm_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    -- As in `audit_event`.
    actor text COLLATE "C" NOT NULL,
    -- Only identifiers; no addresses and no names.
    data json_object NOT NULL,
    created_at timestamptz NOT NULL,
    -- The project of the realm.
    project_id text COLLATE "C" NOT NULL GENERATED ALWAYS AS (split_part(realm_id, '/', 1)) STORED,
    PRIMARY KEY (realm_id, id)
);

CREATE INDEX outbox_project ON outbox (project_id, created_at, id);
CREATE INDEX outbox_created_at ON outbox (created_at);

-- The sequence of a project's events. A transaction that numbers events locks the row, so that a reader of one number
-- has seen all lower ones.
CREATE TABLE event_stream (
    project_id text COLLATE "C" PRIMARY KEY REFERENCES realm ON DELETE CASCADE,
    last_sequence bigint NOT NULL DEFAULT 0 CHECK (last_sequence >= 0),
    -- The process that numbers and delivers the project's events; another one can take over when the lease expires.
    lease_holder uuid,
    lease_expires_at timestamptz,
    CHECK ((lease_holder IS NULL) = (lease_expires_at IS NULL))
);

-- Numbered events, for webhooks and for the feed; deleted after the retention period, or with the project.
-- No foreign key to realm, because its check takes half of the time in which events are numbered.
CREATE TABLE account_event (
    project_id text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL CHECK (sequence > 0),
    id uuid NOT NULL,
    realm_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    data json_object NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, sequence)
);

CREATE INDEX account_event_created_at ON account_event (created_at);

-- Listeners of a project's events. `realm.event_kinds` of the project is the union of their kinds.
CREATE TABLE event_endpoint (
    project_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    -- NULL: the events are only recorded for the feed.
    url text CHECK (octet_length(url) BETWEEN 1 AND 2048),
    -- NULL: all kinds that the gateway does not record for every sign-in.
    kinds text[],
    -- Whether events contain the profile of the account, as it is at the delivery.
    includes_profile boolean NOT NULL DEFAULT false,
    -- Secrets that sign the requests; encrypted. The previous one signs too until it expires.
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_expires_at timestamptz,
    -- The last event whose first attempt has been made.
    last_sequence bigint NOT NULL CHECK (last_sequence >= 0),
    -- Failed attempts since the last success, and the time of the first of them.
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failing_since timestamptz,
    -- No attempt is made before this time.
    attempt_after timestamptz,
    last_success_at timestamptz,
    disabled_at timestamptz,
    disabled_reason text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, id),
    CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL)),
    CHECK ((failures = 0) = (failing_since IS NULL)),
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);

-- Deliveries of events to endpoints, without contents. Those that are not pending are the delivery log.
CREATE TABLE event_delivery (
    project_id text COLLATE "C" NOT NULL,
    endpoint_id text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts integer NOT NULL CHECK (attempts >= 0),
    -- The time of the next attempt.
    due_at timestamptz CHECK ((due_at IS NULL) = (state <> 'pending')),
    attempted_at timestamptz,
    -- The status of the latest response, and why the latest attempt failed.
    status integer,
    failure text,
    PRIMARY KEY (project_id, endpoint_id, sequence),
    FOREIGN KEY (project_id, endpoint_id) REFERENCES event_endpoint ON DELETE CASCADE
);

CREATE INDEX event_delivery_due ON event_delivery (project_id, endpoint_id, due_at, sequence) WHERE state = 'pending';
CREATE INDEX event_delivery_log ON event_delivery (attempted_at) WHERE state <> 'pending';

-- The stream of Google's security event tokens for a project's client IDs (Cross-Account Protection).
CREATE TABLE google_signal_stream (
    project_id text COLLATE "C" PRIMARY KEY REFERENCES realm ON DELETE CASCADE,
    -- The private key of the service account that configures the stream; encrypted.
    service_account bytea NOT NULL,
    url text NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2048),
    registered_at timestamptz NOT NULL,
    -- The text that Google sends back in the latest requested test, and when it was requested.
    verification_state text,
    requested_at timestamptz,
    verified_at timestamptz,
    -- Tests in a row that did not arrive.
    misses integer NOT NULL DEFAULT 0 CHECK (misses >= 0),
    CHECK ((verification_state IS NULL) = (requested_at IS NULL))
);

-- The App Store transactions with which accounts were used. A parent's withdrawal of consent names a transaction.
CREATE TABLE app_transaction (
    realm_id text COLLATE "C" NOT NULL,
    bundle_id external_id NOT NULL,
    transaction_id external_id NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    stated_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, bundle_id, transaction_id, account_id),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE
);

CREATE INDEX app_transaction_account ON app_transaction (realm_id, account_id);

-- App Store transactions for which a parent has withdrawn consent. Kept as long as the realm, because a device can state
-- an old transaction at any time.
CREATE TABLE consent_rescission (
    realm_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    bundle_id external_id NOT NULL,
    transaction_id external_id NOT NULL,
    -- When the App Store signed the latest notification. Transactions that it signs later are not affected.
    signed_at timestamptz NOT NULL,
    PRIMARY KEY (realm_id, bundle_id, transaction_id)
);

-- The roles of people who use the console. The people are accounts of the operators' project.
CREATE TABLE administrator (
    -- The operators' project.
    realm_id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    -- The operators' project stands for all projects.
    project_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    -- A value of the Swift type AdministratorRole.
    role text COLLATE "C" NOT NULL CHECK (role IN ('viewer', 'support', 'administrator', 'owner')),
    -- SHA-256 of the code in the link of the invitation; NULL once the person has accepted it. Before, the role has no
    -- effect.
    invitation_hash hash256,
    invitation_expires_at timestamptz,
    changed_at timestamptz NOT NULL,
    CHECK ((invitation_hash IS NULL) = (invitation_expires_at IS NULL)),
    PRIMARY KEY (realm_id, account_id, project_id),
    FOREIGN KEY (realm_id, account_id) REFERENCES account ON DELETE CASCADE
);

CREATE INDEX administrator_project ON administrator (project_id, realm_id, account_id);

-- Audit trail. Rows are only inserted, and deleted after the retention period; no statement changes them.
CREATE TABLE audit_event (
    id uuid PRIMARY KEY,
    realm_id text COLLATE "C" NOT NULL,
    -- `user`, `system`, `cli`, `emulator`, `key:` and the ID of a service key, or `administrator:` and the ID of an
    -- account of the operators' project.
    actor text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    -- What the action changed: the ID of an account, a project, a tenant, an app, a provider or a key.
    subject text COLLATE "C" NOT NULL,
    detail json_object NOT NULL DEFAULT '{}',
    occurred_at timestamptz NOT NULL,
    -- The network of the client: an IPv4 /24 or an IPv6 /48, which is too wide to identify a user.
    network text,
    -- The request ID, as in the log.
    request_id text
);

-- The ID gives rows of the same instant a fixed order, so that pages neither repeat nor skip rows.
CREATE INDEX audit_event_time ON audit_event (realm_id, occurred_at, id);
CREATE INDEX audit_event_subject ON audit_event (realm_id, subject, occurred_at, id);
CREATE INDEX audit_event_actor ON audit_event (realm_id, actor, occurred_at, id);
CREATE INDEX audit_event_action ON audit_event (realm_id, action, occurred_at, id);


-- Counts

-- How often something happened in a realm, by UTC hour. Gateways add their counts about once a minute.
CREATE TABLE hourly_count (
    realm_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    hour timestamptz NOT NULL CHECK (date_trunc('hour', hour, 'UTC') = hour),
    -- Such as `signIns`.
    kind text COLLATE "C" NOT NULL,
    -- What distinguishes counts of a kind, such as the method of a sign-in. Empty for a kind without distinction.
    label text COLLATE "C" NOT NULL CHECK (length(label) <= 128),
    count bigint NOT NULL CHECK (count > 0),
    PRIMARY KEY (realm_id, hour, kind, label)
);

CREATE INDEX hourly_count_hour ON hourly_count (hour);

-- The sums of the hours of a UTC day, which is over.
CREATE TABLE daily_count (
    realm_id text COLLATE "C" NOT NULL REFERENCES realm ON DELETE CASCADE,
    day date NOT NULL,
    kind text COLLATE "C" NOT NULL,
    label text COLLATE "C" NOT NULL,
    count bigint NOT NULL CHECK (count > 0),
    PRIMARY KEY (realm_id, day, kind, label)
);

CREATE INDEX daily_count_day ON daily_count (day);
