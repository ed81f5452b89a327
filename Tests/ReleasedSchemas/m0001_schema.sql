-- The database of a release with rows in its tables, for tests of upgrades. The next line has its secrets.
-- {"masterKey": "LCby/w+mcDlHBqGGsotiep3DVB7iibdUO2xRchwCcRI=", "apiKey": "pk_0PX9nnewbPVBUB5aUBdXyzFe1NjsnQttNRpy", "email": "bd9b5205736a3935@example.com", "localId": "Otjm7rwflWMs1HHlL0CtMDZl33yi", "refreshToken": "AY8zAYLnxVkRpj5NrIbKk4o2uM77AAAAAAAAAADsTaXfaH15vMnAQ9MKHyB1HE2z3-nW_HacrnikQXbCRw"}
CREATE FUNCTION public.revoke_apple_grants() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE TABLE public.account (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    email text,
    email_verified boolean DEFAULT false NOT NULL,
    initial_email text,
    phone_number text,
    display_name text,
    photo_url text,
    password_hash text,
    password_updated_at timestamp with time zone,
    email_link_sign_in boolean DEFAULT false NOT NULL,
    custom_auth boolean DEFAULT false NOT NULL,
    custom_claims text,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    last_sign_in_at timestamp with time zone,
    valid_since timestamp with time zone NOT NULL,
    generation bigint DEFAULT 1 NOT NULL,
    CONSTRAINT account_custom_claims_check CHECK ((jsonb_typeof((custom_claims)::jsonb) = 'object'::text)),
    CONSTRAINT account_email_check CHECK (((email = lower(email)) AND (length(email) <= 254))),
    CONSTRAINT account_email_link_check CHECK (((email IS NOT NULL) OR (NOT email_link_sign_in))),
    CONSTRAINT account_email_verified_check CHECK (((email IS NOT NULL) OR (NOT email_verified))),
    CONSTRAINT account_id_check CHECK (((length(id) >= 1) AND (length(id) <= 128))),
    CONSTRAINT account_password_check CHECK (((password_hash IS NULL) = (password_updated_at IS NULL))),
    CONSTRAINT account_phone_number_check CHECK ((phone_number ~~ '+%'::text))
)
WITH (fillfactor='85');
CREATE TABLE public.account_merge (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    target_id text NOT NULL COLLATE pg_catalog."C",
    merged_at timestamp with time zone NOT NULL,
    undo_until timestamp with time zone NOT NULL,
    target_generation bigint NOT NULL,
    snapshot jsonb NOT NULL,
    CONSTRAINT account_merge_snapshot_check CHECK ((jsonb_typeof(snapshot) = 'object'::text))
);
CREATE TABLE public.api_key (
    project_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C",
    key_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT api_key_key_hash_check CHECK ((length(key_hash) = 32))
);
CREATE TABLE public.app (
    project_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT app_id_check CHECK ((id ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text)),
    CONSTRAINT app_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text))
);
CREATE TABLE public.apple_grant (
    id uuid NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    subject text COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    token_type text NOT NULL,
    token bytea,
    redirect_uri text,
    team_id text,
    key_id text,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    attempts bigint DEFAULT 0 NOT NULL,
    checked_at timestamp with time zone,
    failure text,
    CONSTRAINT apple_grant_redirect_uri_check CHECK ((length(redirect_uri) <= 2048)),
    CONSTRAINT apple_grant_state_check CHECK ((state = ANY (ARRAY['REDEEMING'::text, 'AUTHORIZED'::text, 'REVOKED'::text, 'UNKNOWN'::text, 'REVOKING'::text]))),
    CONSTRAINT apple_grant_subject_check CHECK (((state = 'REVOKING'::text) OR (subject IS NOT NULL))),
    CONSTRAINT apple_grant_token_check CHECK (((state = 'REVOKED'::text) OR (token IS NOT NULL))),
    CONSTRAINT apple_grant_token_type_check CHECK ((token_type = ANY (ARRAY['CODE'::text, 'REFRESH_TOKEN'::text, 'ACCESS_TOKEN'::text])))
);
CREATE TABLE public.audit_event (
    id uuid NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    network text,
    request_id text,
    CONSTRAINT audit_event_detail_check CHECK ((jsonb_typeof(detail) = 'object'::text))
);
CREATE TABLE public.authorization_flow (
    state_hash bytea NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    response text,
    claimed_at timestamp with time zone,
    result text,
    app_id text COLLATE pg_catalog."C",
    grant_hash bytea,
    session_hash bytea,
    grant_expires_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT authorization_flow_grant_hash_check CHECK ((length(grant_hash) = 32)),
    CONSTRAINT authorization_flow_result_check CHECK ((num_nulls(result, app_id, grant_hash, session_hash, grant_expires_at) = ANY (ARRAY[0, 5]))),
    CONSTRAINT authorization_flow_session_hash_check CHECK ((length(session_hash) = 32)),
    CONSTRAINT authorization_flow_state_hash_check CHECK ((length(state_hash) = 32))
);
CREATE TABLE public.deleted_account (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    deleted_at timestamp with time zone NOT NULL
);
CREATE TABLE public.identity_provider (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    settings jsonb NOT NULL,
    secret bytea,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT identity_provider_provider_check CHECK ((provider <> ''::text)),
    CONSTRAINT identity_provider_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text))
);
CREATE TABLE public.installation (
    only_row boolean DEFAULT true NOT NULL,
    canary bytea NOT NULL,
    mode text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT installation_mode_check CHECK ((mode = ANY (ARRAY['serve'::text, 'dev'::text]))),
    CONSTRAINT installation_only_row_check CHECK (only_row)
);
CREATE TABLE public.known_network (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    network_hash bytea NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT known_network_network_hash_check CHECK ((length(network_hash) = 16))
);
CREATE TABLE public.linked_identity (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    issuer text,
    audience text,
    email text,
    email_trust text DEFAULT 'none'::text NOT NULL,
    is_private_email boolean DEFAULT false NOT NULL,
    display_name text,
    photo_url text,
    screen_name text,
    language text,
    time_zone text,
    given_name text,
    family_name text,
    real_user_status smallint,
    created_at timestamp with time zone NOT NULL,
    linked_at timestamp with time zone DEFAULT now() NOT NULL,
    linked_device text,
    credential_state text,
    credential_checked_at timestamp with time zone,
    tokens_revoked_at timestamp with time zone,
    tokens_revoked_by uuid,
    transfer_sub text COLLATE pg_catalog."C",
    transfer_team text,
    transferred_at timestamp with time zone,
    transfer_error text,
    credentials_void_before timestamp with time zone,
    relay_forwarding boolean,
    relay_forwarding_at timestamp with time zone,
    CONSTRAINT linked_identity_credential_state_check CHECK ((credential_state = ANY (ARRAY['AUTHORIZED'::text, 'REVOKED'::text, 'TRANSFERRED'::text, 'UNKNOWN'::text]))),
    CONSTRAINT linked_identity_email_trust_check CHECK ((email_trust = ANY (ARRAY['none'::text, 'verified'::text, 'authoritative'::text]))),
    CONSTRAINT linked_identity_linked_device_check CHECK ((length(linked_device) <= 200)),
    CONSTRAINT linked_identity_provider_check CHECK ((provider <> ''::text)),
    CONSTRAINT linked_identity_subject_check CHECK ((subject <> ''::text)),
    CONSTRAINT linked_identity_transfer_check CHECK ((((transfer_sub IS NULL) = (transfer_team IS NULL)) AND ((transfer_sub IS NOT NULL) OR (transferred_at IS NULL)) AND ((transfer_error IS NULL) OR ((transfer_sub IS NOT NULL) AND (transferred_at IS NULL))))),
    CONSTRAINT linked_identity_transfer_sub_check CHECK ((transfer_sub <> ''::text))
);
CREATE TABLE public.oob_code (
    hash bytea NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL,
    account_id text COLLATE pg_catalog."C",
    generation bigint,
    email text NOT NULL,
    new_email text,
    provider text COLLATE pg_catalog."C",
    subject text COLLATE pg_catalog."C",
    added_at timestamp with time zone,
    source_id text COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT oob_code_account_check CHECK (((account_id IS NOT NULL) OR (purpose = 'EMAIL_SIGNIN'::text))),
    CONSTRAINT oob_code_email_check CHECK (((email = lower(email)) AND (length(email) <= 254))),
    CONSTRAINT oob_code_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT oob_code_method_check CHECK (((purpose = 'REMOVE_SIGN_IN_METHOD'::text) = ((provider IS NOT NULL) AND (added_at IS NOT NULL)))),
    CONSTRAINT oob_code_new_email_check CHECK (((new_email = lower(new_email)) AND (length(new_email) <= 254))),
    CONSTRAINT oob_code_new_email_check1 CHECK (((new_email IS NOT NULL) OR (purpose <> 'VERIFY_AND_CHANGE_EMAIL'::text))),
    CONSTRAINT oob_code_new_email_check2 CHECK (((new_email IS NULL) OR (purpose = ANY (ARRAY['VERIFY_AND_CHANGE_EMAIL'::text, 'RECOVER_EMAIL'::text])))),
    CONSTRAINT oob_code_purpose_check CHECK ((purpose = ANY (ARRAY['VERIFY_EMAIL'::text, 'PASSWORD_RESET'::text, 'EMAIL_SIGNIN'::text, 'VERIFY_AND_CHANGE_EMAIL'::text, 'RECOVER_EMAIL'::text, 'REMOVE_SIGN_IN_METHOD'::text, 'UNDO_MERGE'::text]))),
    CONSTRAINT oob_code_source_check CHECK (((purpose = 'UNDO_MERGE'::text) = (source_id IS NOT NULL)))
);
CREATE TABLE public.outbox (
    id uuid NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    data jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT outbox_data_check CHECK ((jsonb_typeof(data) = 'object'::text))
);
CREATE TABLE public.outgoing_email (
    id uuid NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    account_id text COLLATE pg_catalog."C",
    recipient text NOT NULL,
    language text,
    content bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    failure text,
    failed_at timestamp with time zone
);
CREATE TABLE public.password_key (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    key bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.provider_document (
    url text NOT NULL,
    body text NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    forced_refetch_at timestamp with time zone
);
CREATE TABLE public.rate_limit_counter (
    key bytea NOT NULL,
    window_start timestamp with time zone NOT NULL,
    count bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT rate_limit_counter_key_check CHECK ((length(key) = 32))
);
CREATE TABLE public.realm (
    id text NOT NULL COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    number bigint,
    name text NOT NULL,
    profile text NOT NULL,
    policy jsonb DEFAULT '{}'::jsonb NOT NULL,
    authorized_domains text[] DEFAULT '{}'::text[] NOT NULL,
    email_settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    tenant_settings jsonb,
    event_kinds text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT realm_email_settings_check CHECK ((jsonb_typeof(email_settings) = 'object'::text)),
    CONSTRAINT realm_id_check CHECK (
CASE
    WHEN (parent_id IS NULL) THEN ((id ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text) AND (number IS NOT NULL) AND (tenant_settings IS NULL))
    ELSE ((id ~ '^[a-z0-9][a-z0-9-]{0,62}/[A-Za-z0-9_-]{1,63}$'::text) AND starts_with(id, (parent_id || '/'::text)) AND (number IS NULL) AND (tenant_settings IS NOT NULL))
END),
    CONSTRAINT realm_number_check CHECK ((number > 0)),
    CONSTRAINT realm_policy_check CHECK ((jsonb_typeof(policy) = 'object'::text)),
    CONSTRAINT realm_profile_check CHECK ((profile = ANY (ARRAY['sekisho'::text, 'firebase'::text]))),
    CONSTRAINT realm_tenant_settings_check CHECK ((jsonb_typeof(tenant_settings) = 'object'::text))
);
CREATE TABLE public.replay_guard (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT replay_guard_hash_check CHECK ((length(hash) = 32))
);
CREATE TABLE public.revoked_subject (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    subject_hash bytea NOT NULL,
    credentials_void_before timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT revoked_subject_subject_hash_check CHECK ((length(subject_hash) = 32))
);
CREATE TABLE public.schema_migration (
    name text NOT NULL,
    sha256 bytea NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.service_key (
    project_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    public_key text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT service_key_scopes_check CHECK ((cardinality(scopes) > 0)),
    CONSTRAINT service_key_secret_hash_check CHECK ((length(secret_hash) = 32))
);
CREATE TABLE public.session (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id uuid NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    method text NOT NULL COLLATE pg_catalog."C",
    authenticated_at timestamp with time zone NOT NULL,
    claims text,
    device text,
    credential_issued_at timestamp with time zone,
    counter bigint DEFAULT 0 NOT NULL,
    rotated_at timestamp with time zone NOT NULL,
    grace_expired_below bigint DEFAULT 0 NOT NULL,
    grace_pending_below bigint DEFAULT 0 NOT NULL,
    grace_pending_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    refreshed_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    end_reason text COLLATE pg_catalog."C",
    CONSTRAINT session_device_check CHECK ((length(device) <= 200)),
    CONSTRAINT session_end_reason_check CHECK ((end_reason = ANY (ARRAY['REVOKED'::text, 'TOKEN_REUSED'::text, 'SIGN_IN_METHOD_REMOVED'::text, 'PROVIDER_REVOKED'::text, 'LIMIT'::text])))
)
WITH (fillfactor='75');
CREATE TABLE public.signing_key (
    project_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL,
    algorithm text NOT NULL,
    private_key bytea NOT NULL,
    certificate text,
    created_at timestamp with time zone NOT NULL,
    signs_from timestamp with time zone NOT NULL,
    retires_at timestamp with time zone,
    CONSTRAINT signing_key_algorithm_check CHECK ((algorithm = ANY (ARRAY['ES256'::text, 'RS256'::text, 'HS256'::text]))),
    CONSTRAINT signing_key_certificate_check CHECK (((purpose = 'id-token'::text) = (certificate IS NOT NULL))),
    CONSTRAINT signing_key_purpose_check CHECK ((purpose = ANY (ARRAY['id-token'::text, 'refresh-token'::text])))
);
INSERT INTO public.account VALUES
	('demo', 'Otjm7rwflWMs1HHlL0CtMDZl33yi', 'bd9b5205736a3935@example.com', false, NULL, NULL, 'Ada', NULL, '$argon2id$v=19$m=7168,t=1,p=1$1XtTvSrqe4ajX/q6Xa1ZKg$bO1j9oqn8iDC3tCRB/j7H6M7L1sTszQkaPGvT88DF5w', '2026-11-29 08:33:10.174875+00', false, false, NULL, NULL, '2026-11-29 08:33:10.174875+00', '2026-11-29 08:33:10.174875+00', '2026-11-29 08:33:10+00', 1),
	('demo', 'user1', 'user1@example.com', false, NULL, '+15551', 'Name 1', NULL, NULL, NULL, false, false, NULL, NULL, '2026-11-29 08:33:10.285094+00', NULL, '2026-11-29 08:33:10.285094+00', 1),
	('demo', 'user2', 'user2@example.com', false, NULL, '+15552', 'Name 2', NULL, NULL, NULL, false, false, NULL, NULL, '2026-11-29 08:33:10.285094+00', NULL, '2026-11-29 08:33:10.285094+00', 1),
	('demo', 'user3', 'user3@example.com', false, NULL, '+15553', 'Name 3', NULL, NULL, NULL, false, false, NULL, NULL, '2026-11-29 08:33:10.285094+00', NULL, '2026-11-29 08:33:10.285094+00', 1);
INSERT INTO public.account_merge VALUES
	('demo', 'source1', 'user1', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', 1, '{}'),
	('demo', 'source2', 'user2', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', 1, '{}'),
	('demo', 'source3', 'user3', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', 1, '{}');
INSERT INTO public.api_key VALUES
	('demo', '3dIHv07f', 'default', '\xbb0db8da0de79078895b5905b1b2050044d0b678f333bd28f20b5e79bcce1c6c', '2026-11-29 08:33:09.999109+00', NULL);
INSERT INTO public.app VALUES
	('demo', 'default', 'default', '{"platform": "other", "bundleIds": [], "clientIds": {}, "webDomains": [], "distribution": "other", "redirectUris": [], "androidPackages": [], "linkOnlyMethods": [], "associatedDomains": [], "androidCertificates": [], "androidFingerprints": []}', '2026-11-29 08:33:09.884212+00');
INSERT INTO public.apple_grant VALUES
	('3e13c935-948b-403b-ad06-25738860aa0e', 'demo', 'subject1', 'com.example', 'REDEEMING', 'REFRESH_TOKEN', '\x', NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', NULL, 0, NULL, NULL),
	('374b8e22-e5f9-4e49-9b15-0abc07c10159', 'demo', 'subject2', 'com.example', 'REVOKING', 'REFRESH_TOKEN', '\x', NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', NULL, 0, NULL, NULL),
	('af108810-7de7-4ca6-9629-e2c7a37943fc', 'demo', 'subject3', 'com.example', 'AUTHORIZED', 'REFRESH_TOKEN', '\x', NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', NULL, 0, NULL, NULL);
INSERT INTO public.audit_event VALUES
	('9057f303-6285-4f98-86b7-b80207368173', 'demo', 'cli', 'project.added', 'demo', '{}', '2026-11-29 08:33:09.884212+00', NULL, NULL),
	('7c4ccdf3-cd01-4f26-820d-7037c06adbf7', 'demo', 'cli', 'project.changed', 'demo', '{"members": "policy.passwordFailureLimit policy.signUpLimit"}', '2026-11-29 08:33:09.944975+00', NULL, NULL),
	('9af99c78-006a-4501-8563-7c1a021f0319', 'demo', 'cli', 'apiKey.added', '3dIHv07f', '{"app": "default"}', '2026-11-29 08:33:09.999109+00', NULL, NULL),
	('ab377d98-23eb-4971-a7ba-b16fe516039f', 'demo', 'user1', 'account.created', 'user1', '{}', '2026-11-29 08:33:10.285094+00', NULL, NULL),
	('d3982206-34c9-4850-ae0b-b8e3291a5bf7', 'demo', 'user2', 'account.created', 'user2', '{}', '2026-11-29 08:33:10.285094+00', NULL, NULL),
	('acabd3f6-f744-44d7-ac70-0c8dbf5f915b', 'demo', 'user3', 'account.created', 'user3', '{}', '2026-11-29 08:33:10.285094+00', NULL, NULL);
INSERT INTO public.authorization_flow VALUES
	('\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 'demo', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00'),
	('\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', 'demo', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00'),
	('\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 'demo', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00');
INSERT INTO public.deleted_account VALUES
	('demo', 'gone1', '2026-11-29 08:33:10.285094+00'),
	('demo', 'gone2', '2026-11-29 08:33:10.285094+00'),
	('demo', 'gone3', '2026-11-29 08:33:10.285094+00');
INSERT INTO public.installation VALUES
	(true, '\x019af0988472b30e311274afff44d4deefdb982de0afe76aaf690ee569c4e9063ab0de95424cc4c5', 'serve', '2026-11-29 08:33:09.882284+00');
INSERT INTO public.known_network VALUES
	('demo', 'Otjm7rwflWMs1HHlL0CtMDZl33yi', '\x6916b176df0c2d92048eaf9bd9c3a79e', '2026-11-29 08:33:10.174875+00'),
	('demo', 'user1', '\x61ea51136a1eb39db39c889c9c53ebd2', '2026-11-29 08:33:10.285094+00'),
	('demo', 'user2', '\xd2bfc8025ea4935a806fc25efa328dd3', '2026-11-29 08:33:10.285094+00'),
	('demo', 'user3', '\xed882b45e7d23de0772cdb6028c0feaa', '2026-11-29 08:33:10.285094+00');
INSERT INTO public.linked_identity VALUES
	('demo', 'apple.com', 'subject1', 'user1', NULL, NULL, 'user1@example.com', 'none', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('demo', 'apple.com', 'subject2', 'user2', NULL, NULL, 'user2@example.com', 'none', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('demo', 'apple.com', 'subject3', 'user3', NULL, NULL, 'user3@example.com', 'none', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.oob_code VALUES
	('\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 'demo', 'EMAIL_SIGNIN', NULL, NULL, 'user1@example.com', NULL, NULL, NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00'),
	('\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', 'demo', 'EMAIL_SIGNIN', 'user2', NULL, 'user2@example.com', NULL, NULL, NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00'),
	('\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 'demo', 'EMAIL_SIGNIN', NULL, NULL, 'user3@example.com', NULL, NULL, NULL, NULL, NULL, '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00');
INSERT INTO public.outbox VALUES
	('187dffa8-0cf0-4193-9034-e1a2af64d20a', 'demo', 'user', 'user1', 'user', '{}', '2026-11-29 08:33:10.285094+00'),
	('f8b94523-d8e5-435d-8747-95495ab8599e', 'demo', 'user', 'user2', 'user', '{}', '2026-11-29 08:33:10.285094+00'),
	('a2353213-69cb-4028-95b3-86bc307e0f18', 'demo', 'user', 'user3', 'user', '{}', '2026-11-29 08:33:10.285094+00');
INSERT INTO public.outgoing_email VALUES
	('eb8a077f-84ad-499f-8c95-7a0984551ee7', 'demo', 'VERIFY_EMAIL', 'user1', 'user1@example.com', NULL, '\x', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', 0, '2026-11-29 08:33:10.285094+00', NULL, NULL),
	('d972245e-908c-45d8-99f9-eb8c64cbe376', 'demo', 'VERIFY_EMAIL', 'user2', 'user2@example.com', NULL, '\x', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', 0, '2026-11-29 08:33:10.285094+00', NULL, NULL),
	('426a6e3d-b0f7-4607-ac19-248159e718b4', 'demo', 'VERIFY_EMAIL', 'user3', 'user3@example.com', NULL, '\x', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00', 0, '2026-11-29 08:33:10.285094+00', NULL, NULL);
INSERT INTO public.realm VALUES
	('demo', NULL, 895373450268, 'demo', 'sekisho', '{"signUpLimit": "0", "passwordFailureLimit": "0"}', '{}', '{}', NULL, '{}', '2026-11-29 08:33:09.884212+00', NULL);
INSERT INTO public.replay_guard VALUES
	('demo', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', '2026-11-29 08:33:10.285094+00'),
	('demo', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '2026-11-29 08:33:10.285094+00'),
	('demo', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', '2026-11-29 08:33:10.285094+00');
INSERT INTO public.revoked_subject VALUES
	('demo', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00'),
	('demo', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00'),
	('demo', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', '2026-11-29 08:33:10.285094+00', '2026-11-29 08:33:10.285094+00');
INSERT INTO public.schema_migration VALUES
	('m0001_schema', '\x2a16869fd81adbf9bb632c743630550e827b189e58415ff98af0209f4296afe7', '2026-11-29 08:33:09.836053+00');
INSERT INTO public.session VALUES
	('demo', 'e7c55911-a63e-4dac-86ca-938a36b8cefb', 'Otjm7rwflWMs1HHlL0CtMDZl33yi', 1, 'password', '2026-11-29 08:33:10.174875+00', NULL, 'python-requests/2.34.2', NULL, 0, '2026-11-29 08:33:10.174875+00', 0, 0, '-infinity', '2026-11-29 08:33:10.174875+00', NULL, NULL),
	('demo', 'b821e220-4f0b-43b7-a88e-be1a2ad34da7', 'user1', 1, 'anonymous', '2026-11-29 08:33:10.285094+00', NULL, NULL, NULL, 0, '2026-11-29 08:33:10.285094+00', 0, 0, '-infinity', '2026-11-29 08:33:10.285094+00', NULL, NULL),
	('demo', '0012671f-6b0b-44ff-b91c-7167946d3b83', 'user2', 1, 'anonymous', '2026-11-29 08:33:10.285094+00', NULL, NULL, NULL, 0, '2026-11-29 08:33:10.285094+00', 0, 0, '-infinity', '2026-11-29 08:33:10.285094+00', NULL, NULL),
	('demo', '74be9506-5bd5-4ac3-86e3-9e4ca4a2c444', 'user3', 1, 'anonymous', '2026-11-29 08:33:10.285094+00', NULL, NULL, NULL, 0, '2026-11-29 08:33:10.285094+00', 0, 0, '-infinity', '2026-11-29 08:33:10.285094+00', NULL, NULL);
INSERT INTO public.signing_key VALUES
	('demo', 'rvgacQ-RSFx0LP5VSl38fb2Zu7jrGHwNYcIFzUrh8x8', 'id-token', 'ES256', '\x019af09884f00da2f9962b5dd4f08b9b0dcfd371fa0bc904f86d60fba8e55fb3a579b1b952b0c1fea2a3fcf660f6619b14f2bb47e3e3f70e648b51e3fdb26de35864cbcdeac9035b9fdfae22165b90bf0d834a9d4a958885cdd8d1890e6d9aa1cf54b27357eb79c8031e8743288da8afd2f0bd45d655a41e5c09733c361f20e1e34bd9d6be4e49270adf849021d8b1bc573c7ccbe078d6d42c16593972727b256f84caf7b762e35c481319', '-----BEGIN CERTIFICATE-----
MIIBGjCBwaADAgECAhEAo5e07LxcTuXRwu6JYGtewjAKBggqhkjOPQQDAjAPMQ0w
CwYDVQQDDARkZW1vMB4XDTI2MTEyOTA4MjgwOVoXDTM2MTEyNjA4MzMwOVowDzEN
MAsGA1UEAwwEZGVtbzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABL4mQ3B6u8Ij
G8h/N4fnjSkwxoevrdsfBYLvhw45t7Heh3qzvlQQVtRwyUW2JpIw6TurngCBBNub
qWy7naSeqzkwCgYIKoZIzj0EAwIDSAAwRQIhAKfAZAeDB9wWIm/Q+GCtt3Tk5LCa
MlnY6bR4n8o9gQIAAiBOq0Ube2WB/2kc7gOoZG5G32V7RfbDJSbQ5piViEDt1Q==
', '2026-11-29 08:33:09.884212+00', '2026-11-29 08:33:09.884212+00', NULL),
	('demo', '8f330182', 'refresh-token', 'HS256', '\x019af09884e8b56c527aecf23008f183ed862758d2fc25f2ff73227118a5f942a9ae11abff1238a7011438670d89862925235862d953a7a172395db4a30706ad93', NULL, '2026-11-29 08:33:09.884212+00', '2026-11-29 08:33:09.884212+00', NULL);
ALTER TABLE ONLY public.account_merge
    ADD CONSTRAINT account_merge_pkey PRIMARY KEY (realm_id, source_id);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_key_hash_key UNIQUE (key_hash);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (project_id, id);
ALTER TABLE ONLY public.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (project_id, id);
ALTER TABLE ONLY public.apple_grant
    ADD CONSTRAINT apple_grant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_event
    ADD CONSTRAINT audit_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.authorization_flow
    ADD CONSTRAINT authorization_flow_grant_hash_key UNIQUE (grant_hash);
ALTER TABLE ONLY public.authorization_flow
    ADD CONSTRAINT authorization_flow_pkey PRIMARY KEY (state_hash);
ALTER TABLE ONLY public.deleted_account
    ADD CONSTRAINT deleted_account_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.identity_provider
    ADD CONSTRAINT identity_provider_pkey PRIMARY KEY (realm_id, provider);
ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.known_network
    ADD CONSTRAINT known_network_pkey PRIMARY KEY (realm_id, account_id, network_hash);
ALTER TABLE ONLY public.linked_identity
    ADD CONSTRAINT linked_identity_pkey PRIMARY KEY (realm_id, provider, subject);
ALTER TABLE ONLY public.oob_code
    ADD CONSTRAINT oob_code_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.outgoing_email
    ADD CONSTRAINT outgoing_email_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.password_key
    ADD CONSTRAINT password_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.provider_document
    ADD CONSTRAINT provider_document_pkey PRIMARY KEY (url);
ALTER TABLE ONLY public.rate_limit_counter
    ADD CONSTRAINT rate_limit_counter_pkey PRIMARY KEY (key, window_start);
ALTER TABLE ONLY public.realm
    ADD CONSTRAINT realm_number_key UNIQUE (number);
ALTER TABLE ONLY public.realm
    ADD CONSTRAINT realm_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.replay_guard
    ADD CONSTRAINT replay_guard_pkey PRIMARY KEY (realm_id, hash);
ALTER TABLE ONLY public.revoked_subject
    ADD CONSTRAINT revoked_subject_pkey PRIMARY KEY (realm_id, subject_hash);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.service_key
    ADD CONSTRAINT service_key_pkey PRIMARY KEY (project_id, id);
ALTER TABLE ONLY public.service_key
    ADD CONSTRAINT service_key_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (project_id, id);
CREATE INDEX account_created_at ON public.account USING btree (realm_id, created_at, id);
CREATE INDEX account_display_name ON public.account USING btree (realm_id, "left"(display_name, 256), id) WHERE (display_name IS NOT NULL);
CREATE UNIQUE INDEX account_email_key ON public.account USING btree (realm_id, email) WHERE (email IS NOT NULL);
CREATE INDEX account_merge_target ON public.account_merge USING btree (realm_id, target_id);
CREATE INDEX account_merge_undo_until ON public.account_merge USING btree (undo_until);
CREATE UNIQUE INDEX account_phone_number_key ON public.account USING btree (realm_id, phone_number) WHERE (phone_number IS NOT NULL);
CREATE INDEX account_without_display_name ON public.account USING btree (realm_id, id) WHERE (display_name IS NULL);
CREATE INDEX account_without_email ON public.account USING btree (realm_id, id) WHERE (email IS NULL);
CREATE INDEX apple_grant_checked_at ON public.apple_grant USING btree (checked_at) WHERE (checked_at IS NOT NULL);
CREATE INDEX apple_grant_codes ON public.apple_grant USING btree (due_at) WHERE ((token_type = 'CODE'::text) OR (state = 'REDEEMING'::text));
CREATE UNIQUE INDEX apple_grant_key ON public.apple_grant USING btree (realm_id, subject, client_id) WHERE (state = ANY (ARRAY['AUTHORIZED'::text, 'REVOKED'::text, 'UNKNOWN'::text]));
CREATE INDEX apple_grant_obtained_with ON public.apple_grant USING btree (realm_id, team_id, key_id, id) WHERE (state = 'AUTHORIZED'::text);
CREATE INDEX apple_grant_revocations ON public.apple_grant USING btree (due_at) WHERE ((state = 'REVOKING'::text) AND (token_type <> 'CODE'::text));
CREATE INDEX apple_grant_revocations_of_client ON public.apple_grant USING btree (realm_id, client_id, due_at) WHERE ((state = 'REVOKING'::text) AND (token_type <> 'CODE'::text));
CREATE INDEX apple_grant_subject ON public.apple_grant USING btree (subject, realm_id) WHERE (subject IS NOT NULL);
CREATE INDEX apple_grant_unchecked ON public.apple_grant USING btree (realm_id, client_id, due_at) WHERE (state = 'AUTHORIZED'::text);
CREATE INDEX audit_event_action ON public.audit_event USING btree (realm_id, action, occurred_at, id);
CREATE INDEX audit_event_actor ON public.audit_event USING btree (realm_id, actor, occurred_at, id);
CREATE INDEX audit_event_subject ON public.audit_event USING btree (realm_id, subject, occurred_at, id);
CREATE INDEX audit_event_time ON public.audit_event USING btree (realm_id, occurred_at, id);
CREATE INDEX authorization_flow_expires_at ON public.authorization_flow USING btree (expires_at);
CREATE INDEX authorization_flow_grant_expires_at ON public.authorization_flow USING btree (grant_expires_at) WHERE (grant_expires_at IS NOT NULL);
CREATE INDEX known_network_last_seen_at ON public.known_network USING btree (last_seen_at);
CREATE UNIQUE INDEX linked_identity_account_key ON public.linked_identity USING btree (account_id, realm_id, provider);
CREATE INDEX linked_identity_email ON public.linked_identity USING btree (realm_id, email) WHERE (email IS NOT NULL);
CREATE INDEX linked_identity_real_user_status ON public.linked_identity USING btree (realm_id, real_user_status, account_id) WHERE (real_user_status IS NOT NULL);
CREATE UNIQUE INDEX linked_identity_transfer_sub ON public.linked_identity USING btree (realm_id, transfer_sub) WHERE ((transfer_sub IS NOT NULL) AND (transferred_at IS NULL));
CREATE INDEX linked_identity_unmarked_transfer ON public.linked_identity USING btree (realm_id, transfer_team, subject) WHERE ((transfer_sub IS NOT NULL) AND (transferred_at IS NULL) AND (provider = 'apple.com'::text) AND ((credential_state IS NULL) OR (credential_state = ANY (ARRAY['AUTHORIZED'::text, 'UNKNOWN'::text]))));
CREATE INDEX oob_code_account ON public.oob_code USING btree (account_id, realm_id);
CREATE INDEX oob_code_email ON public.oob_code USING btree (email, realm_id) WHERE (account_id IS NULL);
CREATE INDEX oob_code_expires_at ON public.oob_code USING btree (expires_at);
CREATE INDEX outbox_created_at ON public.outbox USING btree (created_at);
CREATE INDEX outgoing_email_account ON public.outgoing_email USING btree (account_id, realm_id);
CREATE INDEX outgoing_email_due_at ON public.outgoing_email USING btree (due_at) WHERE (failed_at IS NULL);
CREATE INDEX outgoing_email_failed_at ON public.outgoing_email USING btree (failed_at) WHERE (failed_at IS NOT NULL);
CREATE INDEX outgoing_email_recipient ON public.outgoing_email USING btree (recipient, realm_id);
CREATE INDEX rate_limit_counter_expires_at ON public.rate_limit_counter USING btree (expires_at);
CREATE INDEX realm_tenant ON public.realm USING btree (parent_id, id) WHERE (parent_id IS NOT NULL);
CREATE INDEX replay_guard_expires_at ON public.replay_guard USING btree (expires_at);
CREATE INDEX revoked_subject_expires_at ON public.revoked_subject USING btree (expires_at);
CREATE INDEX service_key_id ON public.service_key USING btree (id);
CREATE INDEX session_account ON public.session USING btree (account_id, realm_id, ended_at);
CREATE TRIGGER linked_identity_apple_grants AFTER DELETE ON public.linked_identity FOR EACH ROW WHEN ((old.provider = 'apple.com'::text)) EXECUTE FUNCTION public.revoke_apple_grants();
ALTER TABLE ONLY public.account_merge
    ADD CONSTRAINT account_merge_realm_id_target_id_fkey FOREIGN KEY (realm_id, target_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_project_id_app_id_fkey FOREIGN KEY (project_id, app_id) REFERENCES public.app(project_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.app
    ADD CONSTRAINT app_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_provider
    ADD CONSTRAINT identity_provider_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.known_network
    ADD CONSTRAINT known_network_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.linked_identity
    ADD CONSTRAINT linked_identity_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oob_code
    ADD CONSTRAINT oob_code_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.password_key
    ADD CONSTRAINT password_key_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.realm
    ADD CONSTRAINT realm_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.service_key
    ADD CONSTRAINT service_key_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
