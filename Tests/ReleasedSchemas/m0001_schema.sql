-- A database of a release with rows in its tables, for tests of upgrades. The next line has its secrets.
-- {"masterKey": "yZSLCC1RIMNTiEtBLqD8bmWp5GRdFZqExOgR+7+YEW8=", "apiKey": "pk_CDvsZKOFLMs1v4qunu9uUKQ33zq893Pd3StQ", "email": "1a66c612d827ecd0@example.com", "localId": "pp4LCHsXIfpIJgQRy1tmFf2e70aJ", "refreshToken": "ATm-Oka_4TJwYPJLnJ8RARMjPf4hAAAAAAAAAABCJmxBHYNpjcwNga-MAKjq-CvqWAxIeIlFcP8JnBEc6g"}
SET check_function_bodies = false;
CREATE DOMAIN public.apple_grant_state AS text
	CONSTRAINT apple_grant_state_check CHECK ((VALUE = ANY (ARRAY['REDEEMING'::text, 'AUTHORIZED'::text, 'REVOKED'::text, 'UNKNOWN'::text, 'REVOKING'::text])));
CREATE DOMAIN public.apple_token_type AS text
	CONSTRAINT apple_token_type_check CHECK ((VALUE = ANY (ARRAY['CODE'::text, 'REFRESH_TOKEN'::text, 'ACCESS_TOKEN'::text])));
CREATE DOMAIN public.credential_state AS text
	CONSTRAINT credential_state_check CHECK ((VALUE = ANY (ARRAY['AUTHORIZED'::text, 'REVOKED'::text, 'TRANSFERRED'::text, 'UNKNOWN'::text])));
CREATE DOMAIN public.device_name AS text
	CONSTRAINT device_name_check CHECK ((length(VALUE) <= 200));
CREATE DOMAIN public.email_address AS text
	CONSTRAINT email_address_check CHECK (((VALUE = lower(VALUE)) AND (length(VALUE) <= 254)));
CREATE DOMAIN public.email_trust AS text
	CONSTRAINT email_trust_check CHECK ((VALUE = ANY (ARRAY['none'::text, 'verified'::text, 'authoritative'::text])));
CREATE DOMAIN public.external_id AS text COLLATE pg_catalog."C"
	CONSTRAINT external_id_check CHECK ((VALUE <> ''::text));
CREATE DOMAIN public.factor_kind AS text COLLATE pg_catalog."C"
	CONSTRAINT factor_kind_check CHECK ((VALUE = ANY (ARRAY['totp'::text, 'phone'::text])));
CREATE DOMAIN public.hash128 AS bytea
	CONSTRAINT hash128_check CHECK ((length(VALUE) = 16));
CREATE DOMAIN public.hash256 AS bytea
	CONSTRAINT hash256_check CHECK ((length(VALUE) = 32));
CREATE DOMAIN public.identifier AS text COLLATE pg_catalog."C"
	CONSTRAINT identifier_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 128)));
CREATE DOMAIN public.json_object AS jsonb
	CONSTRAINT json_object_check CHECK ((jsonb_typeof(VALUE) = 'object'::text));
CREATE DOMAIN public.json_object_text AS text
	CONSTRAINT json_object_text_check CHECK ((jsonb_typeof((VALUE)::jsonb) = 'object'::text));
CREATE DOMAIN public.language_tag AS text
	CONSTRAINT language_tag_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 35)));
CREATE DOMAIN public.row_count AS smallint
	CONSTRAINT row_count_check CHECK ((VALUE >= 0));
CREATE DOMAIN public.session_end_reason AS text COLLATE pg_catalog."C"
	CONSTRAINT session_end_reason_check CHECK ((VALUE = ANY (ARRAY['REVOKED'::text, 'TOKEN_REUSED'::text, 'SIGN_IN_METHOD_REMOVED'::text, 'PROVIDER_REVOKED'::text, 'LIMIT'::text, 'REPLACED'::text, 'EXPIRED'::text])));
CREATE DOMAIN public.session_factor AS text COLLATE pg_catalog."C"
	CONSTRAINT session_factor_check CHECK ((VALUE = ANY (ARRAY['totp'::text, 'phone'::text, 'recovery_code'::text])));
CREATE DOMAIN public.telephone_number AS text
	CONSTRAINT telephone_number_check CHECK ((VALUE ~~ '+%'::text));
CREATE DOMAIN public.time_zone_name AS text
	CONSTRAINT time_zone_name_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 40)));
CREATE DOMAIN public.uri AS text COLLATE pg_catalog."C"
	CONSTRAINT uri_check CHECK ((length(VALUE) <= 2048));
CREATE FUNCTION public.passkeys(realm_id text, account_id text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT jsonb_agg(jsonb_build_object('id', p.credential_id, 'rpId', p.rp_id, 'userHandle', p.user_handle,
        'name', p.name, 'isBackedUp', p.backed_up, 'transports', p.transports, 'aaguid', p.aaguid,
        'createdAt', (extract(epoch FROM p.created_at) * 1000000)::bigint,
        'addedAt', (extract(epoch FROM p.added_at) * 1000000)::bigint,
        'lastUsedAt', (extract(epoch FROM p.last_used_at) * 1000000)::bigint)
        ORDER BY p.added_at, p.created_at, p.credential_id)::text
    FROM passkey p WHERE p.realm_id = passkeys.realm_id AND p.account_id = passkeys.account_id
$$;
CREATE FUNCTION public.refreshed_on_day(realm_id text, account_id text, "time" timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    SELECT EXISTS (SELECT FROM (SELECT s.refreshed_at FROM session s
        WHERE s.realm_id = refreshed_on_day.realm_id AND s.account_id = refreshed_on_day.account_id
        ORDER BY s.ended_at DESC LIMIT 1000) s
    WHERE s.refreshed_at >= date_trunc('day', refreshed_on_day."time", 'UTC'))
$$;
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
CREATE FUNCTION public.second_factors(realm_id text, account_id text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
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
CREATE TABLE public.account (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id public.identifier NOT NULL,
    email public.email_address,
    email_verified boolean DEFAULT false NOT NULL,
    vouched_email text,
    initial_email text,
    phone_number public.telephone_number,
    phone_proven_at timestamp with time zone,
    phone_added_at timestamp with time zone,
    display_name text,
    photo_url text,
    language public.language_tag,
    time_zone public.time_zone_name,
    password_hash text,
    password_updated_at timestamp with time zone,
    email_link_sign_in boolean DEFAULT false NOT NULL,
    custom_auth boolean DEFAULT false NOT NULL,
    custom_claims public.json_object_text,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    last_sign_in_at timestamp with time zone,
    valid_since timestamp with time zone NOT NULL,
    generation bigint DEFAULT 1 NOT NULL,
    factor_count public.row_count DEFAULT 0 NOT NULL,
    passkey_count public.row_count DEFAULT 0 NOT NULL,
    CONSTRAINT account_email_link_check CHECK (((email IS NOT NULL) OR (NOT email_link_sign_in))),
    CONSTRAINT account_email_verified_check CHECK (((email IS NOT NULL) OR (NOT email_verified))),
    CONSTRAINT account_password_check CHECK (((password_hash IS NULL) = (password_updated_at IS NULL)))
)
WITH (fillfactor='85');
CREATE TABLE public.account_event (
    project_id text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    id uuid NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    data public.json_object NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT account_event_sequence_check CHECK ((sequence > 0))
);
CREATE TABLE public.account_merge (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    target_id text NOT NULL COLLATE pg_catalog."C",
    merged_at timestamp with time zone NOT NULL,
    undo_until timestamp with time zone NOT NULL,
    target_generation bigint NOT NULL,
    snapshot public.json_object NOT NULL
);
CREATE TABLE public.administrator (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    invitation_hash public.hash256,
    invitation_expires_at timestamp with time zone,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT administrator_check CHECK (((invitation_hash IS NULL) = (invitation_expires_at IS NULL))),
    CONSTRAINT administrator_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'support'::text, 'administrator'::text, 'owner'::text])))
);
CREATE TABLE public.api_key (
    project_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C",
    key_hash public.hash256 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);
CREATE TABLE public.app (
    project_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    settings public.json_object DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT app_id_check CHECK ((id ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
);
CREATE TABLE public.app_transaction (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id public.external_id NOT NULL,
    transaction_id public.external_id NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    stated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.apple_grant (
    id uuid NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    subject text COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    state public.apple_grant_state NOT NULL,
    token_type public.apple_token_type NOT NULL,
    token bytea,
    redirect_uri public.uri,
    team_id text,
    key_id text,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    attempts bigint DEFAULT 0 NOT NULL,
    checked_at timestamp with time zone,
    failure text,
    CONSTRAINT apple_grant_subject_check CHECK ((((state)::text = 'REVOKING'::text) OR (subject IS NOT NULL))),
    CONSTRAINT apple_grant_token_check CHECK ((((state)::text = 'REVOKED'::text) OR (token IS NOT NULL)))
);
CREATE TABLE public.audit_event (
    id uuid NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    detail public.json_object DEFAULT '{}'::jsonb NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    network text,
    request_id text
);
CREATE TABLE public.authorization_flow (
    state_hash public.hash256 NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    response text,
    claimed_at timestamp with time zone,
    result text,
    app_id text COLLATE pg_catalog."C",
    grant_hash public.hash256,
    session_hash public.hash256,
    grant_expires_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT authorization_flow_result_check CHECK ((num_nulls(result, app_id, grant_hash, session_hash, grant_expires_at) = ANY (ARRAY[0, 5])))
);
CREATE TABLE public.brand_image (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    content bytea NOT NULL,
    stored_at timestamp with time zone NOT NULL,
    CONSTRAINT brand_image_check CHECK ((id = encode(sha256(content), 'hex'::text))),
    CONSTRAINT brand_image_content_check CHECK ((octet_length(content) <= 65536))
);
CREATE TABLE public.browser_session (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    secret_hash public.hash256 NOT NULL,
    session_id uuid NOT NULL,
    idle_seconds bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL
);
CREATE TABLE public.consent_rescission (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id public.external_id NOT NULL,
    transaction_id public.external_id NOT NULL,
    signed_at timestamp with time zone NOT NULL
);
CREATE TABLE public.daily_count (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL,
    CONSTRAINT daily_count_count_check CHECK ((count > 0))
);
CREATE TABLE public.deleted_account (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    deleted_at timestamp with time zone NOT NULL
);
CREATE TABLE public.event_delivery (
    project_id text NOT NULL COLLATE pg_catalog."C",
    endpoint_id text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    due_at timestamp with time zone,
    attempted_at timestamp with time zone,
    status integer,
    failure text,
    CONSTRAINT event_delivery_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT event_delivery_check CHECK (((due_at IS NULL) = (state <> 'pending'::text))),
    CONSTRAINT event_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE TABLE public.event_endpoint (
    project_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    url text,
    kinds text[],
    includes_profile boolean DEFAULT false NOT NULL,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_expires_at timestamp with time zone,
    last_sequence bigint NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    attempt_after timestamp with time zone,
    last_success_at timestamp with time zone,
    disabled_at timestamp with time zone,
    disabled_reason text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT event_endpoint_check CHECK (((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))),
    CONSTRAINT event_endpoint_check1 CHECK (((failures = 0) = (failing_since IS NULL))),
    CONSTRAINT event_endpoint_check2 CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
    CONSTRAINT event_endpoint_failures_check CHECK ((failures >= 0)),
    CONSTRAINT event_endpoint_id_check CHECK ((id ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text)),
    CONSTRAINT event_endpoint_last_sequence_check CHECK ((last_sequence >= 0)),
    CONSTRAINT event_endpoint_url_check CHECK (((octet_length(url) >= 1) AND (octet_length(url) <= 2048)))
);
CREATE TABLE public.event_stream (
    project_id text NOT NULL COLLATE pg_catalog."C",
    last_sequence bigint DEFAULT 0 NOT NULL,
    lease_holder uuid,
    lease_expires_at timestamp with time zone,
    CONSTRAINT event_stream_check CHECK (((lease_holder IS NULL) = (lease_expires_at IS NULL))),
    CONSTRAINT event_stream_last_sequence_check CHECK ((last_sequence >= 0))
);
CREATE TABLE public.google_signal_stream (
    project_id text NOT NULL COLLATE pg_catalog."C",
    service_account bytea NOT NULL,
    url text NOT NULL,
    registered_at timestamp with time zone NOT NULL,
    verification_state text,
    requested_at timestamp with time zone,
    verified_at timestamp with time zone,
    misses integer DEFAULT 0 NOT NULL,
    CONSTRAINT google_signal_stream_check CHECK (((verification_state IS NULL) = (requested_at IS NULL))),
    CONSTRAINT google_signal_stream_misses_check CHECK ((misses >= 0)),
    CONSTRAINT google_signal_stream_url_check CHECK (((octet_length(url) >= 1) AND (octet_length(url) <= 2048)))
);
CREATE TABLE public.hourly_count (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    hour timestamp with time zone NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL,
    CONSTRAINT hourly_count_count_check CHECK ((count > 0)),
    CONSTRAINT hourly_count_hour_check CHECK ((date_trunc('hour'::text, hour, 'UTC'::text) = hour)),
    CONSTRAINT hourly_count_label_check CHECK ((length(label) <= 128))
);
CREATE TABLE public.identity_provider (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    provider public.external_id NOT NULL,
    settings public.json_object NOT NULL,
    secret bytea,
    updated_at timestamp with time zone NOT NULL
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
    network_hash public.hash128 NOT NULL,
    last_seen_at timestamp with time zone NOT NULL
);
CREATE TABLE public.linked_identity (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    provider public.external_id NOT NULL,
    subject public.external_id NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    issuer text,
    audience text,
    email text,
    email_trust public.email_trust DEFAULT 'none'::text NOT NULL,
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
    linked_device public.device_name,
    credential_state public.credential_state,
    credential_checked_at timestamp with time zone,
    tokens_revoked_at timestamp with time zone,
    tokens_revoked_by uuid,
    transfer_sub public.external_id,
    transfer_team text,
    transferred_at timestamp with time zone,
    transfer_error text,
    credentials_void_before timestamp with time zone,
    suspended_at timestamp with time zone,
    relay_forwarding boolean,
    relay_forwarding_at timestamp with time zone,
    CONSTRAINT linked_identity_transfer_check CHECK ((((transfer_sub IS NULL) = (transfer_team IS NULL)) AND ((transfer_sub IS NOT NULL) OR (transferred_at IS NULL)) AND ((transfer_error IS NULL) OR ((transfer_sub IS NOT NULL) AND (transferred_at IS NULL)))))
);
CREATE TABLE public.oob_code (
    hash public.hash256 NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL,
    account_id text COLLATE pg_catalog."C",
    generation bigint,
    email public.email_address NOT NULL,
    new_email public.email_address,
    provider text COLLATE pg_catalog."C",
    subject text COLLATE pg_catalog."C",
    added_at timestamp with time zone,
    source_id text COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT oob_code_account_check CHECK (((account_id IS NOT NULL) OR (purpose = 'EMAIL_SIGNIN'::text))),
    CONSTRAINT oob_code_method_check CHECK (((purpose = ANY (ARRAY['REMOVE_SIGN_IN_METHOD'::text, 'REVERT_SECOND_FACTOR_ADDITION'::text])) = ((provider IS NOT NULL) AND (added_at IS NOT NULL)))),
    CONSTRAINT oob_code_new_email_check1 CHECK (((new_email IS NOT NULL) OR (purpose <> 'VERIFY_AND_CHANGE_EMAIL'::text))),
    CONSTRAINT oob_code_new_email_check2 CHECK (((new_email IS NULL) OR (purpose = ANY (ARRAY['VERIFY_AND_CHANGE_EMAIL'::text, 'RECOVER_EMAIL'::text])))),
    CONSTRAINT oob_code_purpose_check CHECK ((purpose = ANY (ARRAY['VERIFY_EMAIL'::text, 'PASSWORD_RESET'::text, 'EMAIL_SIGNIN'::text, 'VERIFY_AND_CHANGE_EMAIL'::text, 'RECOVER_EMAIL'::text, 'REMOVE_SIGN_IN_METHOD'::text, 'REVERT_SECOND_FACTOR_ADDITION'::text, 'UNDO_MERGE'::text]))),
    CONSTRAINT oob_code_source_check CHECK (((purpose = 'UNDO_MERGE'::text) = (source_id IS NOT NULL)))
);
CREATE TABLE public.outbox (
    id uuid NOT NULL,
    realm_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    data public.json_object NOT NULL,
    created_at timestamp with time zone NOT NULL,
    project_id text GENERATED ALWAYS AS (split_part(realm_id, '/'::text, 1)) STORED NOT NULL COLLATE pg_catalog."C"
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
CREATE TABLE public.outgoing_sms (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id uuid NOT NULL,
    account_id text COLLATE pg_catalog."C",
    content bytea,
    is_idempotent boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    failure text,
    failed_at timestamp with time zone,
    CONSTRAINT outgoing_sms_content_check CHECK (((content IS NULL) = (failed_at IS NOT NULL)))
);
CREATE TABLE public.passkey (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    rp_id public.external_id NOT NULL,
    credential_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    user_handle text NOT NULL COLLATE pg_catalog."C",
    public_key bytea NOT NULL,
    algorithm bigint NOT NULL,
    sign_count bigint NOT NULL,
    backup_eligible boolean NOT NULL,
    backed_up boolean NOT NULL,
    transports text[] NOT NULL,
    aaguid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    added_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT passkey_credential_id_check CHECK (((length(credential_id) >= 2) AND (length(credential_id) <= 1364))),
    CONSTRAINT passkey_sign_count_check CHECK ((sign_count >= 0)),
    CONSTRAINT passkey_user_handle_check CHECK (((length(user_handle) >= 1) AND (length(user_handle) <= 64)))
)
WITH (fillfactor='85');
CREATE TABLE public.password_key (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    key bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.phone_code (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    hash public.hash256 NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL COLLATE pg_catalog."C",
    phone_number public.telephone_number NOT NULL,
    calling_code text NOT NULL COLLATE pg_catalog."C",
    account_id text COLLATE pg_catalog."C",
    generation bigint,
    factor_id text COLLATE pg_catalog."C",
    code_hash public.hash256 NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    is_sent boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    CONSTRAINT phone_code_account_check CHECK ((((purpose = 'SIGN_IN_OR_SIGN_UP'::text) = (generation IS NULL)) AND ((account_id IS NULL) OR (generation IS NOT NULL)) AND ((purpose = 'MULTI_FACTOR_SIGN_IN'::text) = (factor_id IS NOT NULL)))),
    CONSTRAINT phone_code_purpose_check CHECK ((purpose = ANY (ARRAY['SIGN_IN_OR_SIGN_UP'::text, 'MULTI_FACTOR_ENROLLMENT'::text, 'MULTI_FACTOR_SIGN_IN'::text])))
);
CREATE TABLE public.provider_document (
    url text NOT NULL,
    body text NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    forced_refetch_at timestamp with time zone
);
CREATE TABLE public.rate_limit_counter (
    key public.hash256 NOT NULL,
    window_start timestamp with time zone NOT NULL,
    count bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.realm (
    id text NOT NULL COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    number bigint,
    name text NOT NULL,
    profile text NOT NULL,
    policy public.json_object DEFAULT '{}'::jsonb NOT NULL,
    authorized_domains text[] DEFAULT '{}'::text[] NOT NULL,
    email_settings public.json_object DEFAULT '{}'::jsonb NOT NULL,
    sms_settings public.json_object DEFAULT '{}'::jsonb NOT NULL,
    sms_secret bytea,
    tenant_settings public.json_object,
    passkey_settings public.json_object DEFAULT '{}'::jsonb NOT NULL,
    event_kinds text[] DEFAULT '{}'::text[] NOT NULL,
    blocking_functions public.json_object,
    brand public.json_object DEFAULT '{}'::jsonb NOT NULL,
    texts public.json_object DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT realm_id_check CHECK (
CASE
    WHEN (parent_id IS NULL) THEN ((id ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text) AND (number IS NOT NULL) AND (tenant_settings IS NULL))
    ELSE ((id ~ '^[a-z0-9][a-z0-9-]{0,62}/[A-Za-z0-9_-]{1,63}$'::text) AND starts_with(id, (parent_id || '/'::text)) AND (number IS NULL) AND (tenant_settings IS NOT NULL))
END),
    CONSTRAINT realm_number_check CHECK ((number > 0)),
    CONSTRAINT realm_profile_check CHECK ((profile = ANY (ARRAY['sekisho'::text, 'firebase'::text])))
);
CREATE TABLE public.recovery_code (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    hash public.hash256 NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.replay_guard (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    hash public.hash256 NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.revoked_subject (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    subject_hash public.hash256 NOT NULL,
    credentials_void_before timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.schema_migration (
    name text NOT NULL,
    sha256 bytea NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.second_factor (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    owner_id text NOT NULL COLLATE pg_catalog."C",
    id public.identifier NOT NULL,
    kind public.factor_kind NOT NULL,
    phone_number public.telephone_number,
    display_name text,
    enrolled_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    secret bytea,
    last_step bigint,
    failures bigint DEFAULT 0 NOT NULL,
    merged_from text GENERATED ALWAYS AS (
CASE
    WHEN (owner_id <> account_id) THEN owner_id
    ELSE NULL::text
END) STORED COLLATE pg_catalog."C",
    CONSTRAINT second_factor_members_check CHECK (((((kind)::text = 'totp'::text) = ((secret IS NOT NULL) AND (last_step IS NOT NULL))) AND (((kind)::text = 'phone'::text) = (phone_number IS NOT NULL))))
);
CREATE TABLE public.service_key (
    project_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    secret_hash public.hash256 NOT NULL,
    public_key text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT service_key_scopes_check CHECK ((cardinality(scopes) > 0))
);
CREATE TABLE public.session (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    id uuid NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    method text NOT NULL COLLATE pg_catalog."C",
    authenticated_at timestamp with time zone NOT NULL,
    claims text,
    second_factor public.session_factor,
    second_factor_id text COLLATE pg_catalog."C",
    passkey_id text COLLATE pg_catalog."C",
    device public.device_name,
    app_id text COLLATE pg_catalog."C",
    credential_issued_at timestamp with time zone,
    counter bigint DEFAULT 0 NOT NULL,
    rotated_at timestamp with time zone NOT NULL,
    grace_expired_below bigint DEFAULT 0 NOT NULL,
    grace_pending_below bigint DEFAULT 0 NOT NULL,
    grace_pending_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    refreshed_at timestamp with time zone NOT NULL,
    first_of_day boolean DEFAULT false NOT NULL,
    ended_at timestamp with time zone,
    end_reason public.session_end_reason,
    support_actor text COLLATE pg_catalog."C",
    support_ends_at timestamp with time zone,
    CONSTRAINT session_check CHECK (((support_actor IS NULL) = (support_ends_at IS NULL)))
)
WITH (fillfactor='75');
CREATE TABLE public.sign_in_code (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    code_hash public.hash256 NOT NULL,
    flow_hash public.hash256 NOT NULL,
    app_id text NOT NULL COLLATE pg_catalog."C",
    target public.uri NOT NULL,
    challenge public.hash256 NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    source_session_id uuid NOT NULL,
    ends_session boolean NOT NULL,
    is_new_account boolean NOT NULL,
    is_continued boolean NOT NULL,
    link text,
    expires_at timestamp with time zone NOT NULL,
    kept_until timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    session_id uuid,
    CONSTRAINT sign_in_code_use_check CHECK (((used_at IS NULL) = (session_id IS NULL)))
);
CREATE TABLE public.sign_in_flow (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    flow_hash public.hash256 NOT NULL,
    content text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
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
CREATE TABLE public.sms_usage (
    realm_id text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    calling_code text NOT NULL COLLATE pg_catalog."C",
    sent bigint NOT NULL,
    confirmed bigint DEFAULT 0 NOT NULL
);
INSERT INTO public.account VALUES
	('demo', 'pp4LCHsXIfpIJgQRy1tmFf2e70aJ', '1a66c612d827ecd0@example.com', false, NULL, NULL, NULL, NULL, NULL, 'Ada', NULL, NULL, NULL, '$argon2id$v=19$m=7168,t=1,p=1$6PtvYSi/v7fgZlEPgESDWg$tOvhzQP198UTzuV2QzT8wybtFRmyrH3PfAjxrbnzCFg', '2026-11-30 12:25:21.916696+00', false, false, NULL, NULL, '2026-11-30 12:25:21.916696+00', '2026-11-30 12:25:21.916696+00', '2026-11-30 12:25:21+00', 1, 0, 0),
	('demo', 'user1', 'user1@example.com', false, NULL, NULL, '+15551', NULL, NULL, 'Name 1', NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, '2026-11-30 12:25:22.110729+00', NULL, '2026-11-30 12:25:22.110729+00', 1, 1, 1),
	('demo', 'user2', 'user2@example.com', false, NULL, NULL, '+15552', NULL, NULL, 'Name 2', NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, '2026-11-30 12:25:22.110729+00', NULL, '2026-11-30 12:25:22.110729+00', 1, 1, 1),
	('demo', 'user3', 'user3@example.com', false, NULL, NULL, '+15553', NULL, NULL, 'Name 3', NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, '2026-11-30 12:25:22.110729+00', NULL, '2026-11-30 12:25:22.110729+00', 1, 1, 1);
INSERT INTO public.account_event VALUES
	('demo', 1, 'b3525418-b7c1-48a2-bd28-afcb3654a713', 'demo', 'account.created', 'user1', 'user', '{}', '2026-11-30 12:25:22.110729+00'),
	('demo', 2, 'cb88eff5-58d4-4e0a-aff9-c517840e2613', 'demo', 'account.created', 'user2', 'user', '{}', '2026-11-30 12:25:22.110729+00'),
	('demo', 3, 'b2bf04d3-1d81-4fab-a0e8-aa3d28b5ecad', 'demo', 'account.created', 'user3', 'user', '{}', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.account_merge VALUES
	('demo', 'source1', 'user1', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 1, '{}'),
	('demo', 'source2', 'user2', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 1, '{}'),
	('demo', 'source3', 'user3', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 1, '{}');
INSERT INTO public.api_key VALUES
	('demo', 'OoG798dV', 'default', '\x9d8cb191b401d934aeb0119222f98f9105e571bcbacf90cc69883c3b83435a41', '2026-11-30 12:25:21.448906+00', NULL);
INSERT INTO public.app VALUES
	('demo', 'default', 'default', '{"platform": "other", "bundleIds": [], "clientIds": {}, "webDomains": [], "distribution": "other", "redirectUris": [], "androidPackages": [], "linkOnlyMethods": [], "associatedDomains": [], "androidCertificates": [], "androidFingerprints": []}', '2026-11-30 12:25:21.162085+00');
INSERT INTO public.app_transaction VALUES
	('demo', 'com.example', 'transaction1', 'user1', '2026-11-30 12:25:22.110729+00'),
	('demo', 'com.example', 'transaction2', 'user2', '2026-11-30 12:25:22.110729+00'),
	('demo', 'com.example', 'transaction3', 'user3', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.apple_grant VALUES
	('fc63c8f6-779f-49a7-9b5c-1e8d7b80b2c8', 'demo', 'subject1', 'com.example', 'REDEEMING', 'REFRESH_TOKEN', '\x', NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, 0, NULL, NULL),
	('8385ac65-870e-4206-a088-801176f6145b', 'demo', 'subject2', 'com.example', 'REVOKING', 'REFRESH_TOKEN', '\x', NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, 0, NULL, NULL),
	('641157d5-0e2a-4d71-96d4-c97d9366ace3', 'demo', 'subject3', 'com.example', 'AUTHORIZED', 'REFRESH_TOKEN', '\x', NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, 0, NULL, NULL);
INSERT INTO public.audit_event VALUES
	('479cf211-c671-4bae-a195-d101689c1ce4', 'demo', 'cli', 'project.added', 'demo', '{}', '2026-11-30 12:25:21.162085+00', NULL, NULL),
	('3788b965-baaa-44c0-903f-0445edc37f5a', 'demo', 'cli', 'project.changed', 'demo', '{"members": "policy.passwordFailureLimit policy.signUpLimit"}', '2026-11-30 12:25:21.301982+00', NULL, NULL),
	('4ce30b74-390f-439f-a96f-c7093b50c3df', 'demo', 'cli', 'apiKey.added', 'OoG798dV', '{"app": "default"}', '2026-11-30 12:25:21.448906+00', NULL, NULL),
	('0b35b94d-85f9-40cc-9181-24409577f4b1', 'demo', 'user1', 'account.created', 'user1', '{}', '2026-11-30 12:25:22.110729+00', NULL, NULL),
	('581dc4e8-e733-4d16-8423-24f303b00442', 'demo', 'user2', 'account.created', 'user2', '{}', '2026-11-30 12:25:22.110729+00', NULL, NULL),
	('4122a8de-3251-40d8-bf85-3390d41459ff', 'demo', 'user3', 'account.created', 'user3', '{}', '2026-11-30 12:25:22.110729+00', NULL, NULL);
INSERT INTO public.authorization_flow VALUES
	('\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 'demo', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00'),
	('\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', 'demo', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00'),
	('\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 'demo', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00');
INSERT INTO public.browser_session VALUES
	('demo', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 'c4cd490f-460c-4685-87ae-2c3877489de3', 60, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00'),
	('demo', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '66476ca3-eff6-4967-a457-a127bc52ade4', 60, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00'),
	('demo', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 'd9f59249-c57b-4330-b5be-91d1b6c7c62f', 60, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.consent_rescission VALUES
	('demo', 'com.example', 'rescinded1', '2026-11-30 12:25:22.110729+00'),
	('demo', 'com.example', 'rescinded2', '2026-11-30 12:25:22.110729+00'),
	('demo', 'com.example', 'rescinded3', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.daily_count VALUES
	('demo', '2026-11-29', 'signUps', '', 1),
	('demo', '2026-11-28', 'signUps', '', 1),
	('demo', '2026-11-27', 'signUps', '', 1);
INSERT INTO public.deleted_account VALUES
	('demo', 'gone1', '2026-11-30 12:25:22.110729+00'),
	('demo', 'gone2', '2026-11-30 12:25:22.110729+00'),
	('demo', 'gone3', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.event_delivery VALUES
	('demo', 'listener', 1, 'delivered', 1, NULL, NULL, NULL, NULL),
	('demo', 'listener', 2, 'pending', 1, '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL),
	('demo', 'listener', 3, 'delivered', 1, NULL, NULL, NULL, NULL);
INSERT INTO public.event_endpoint VALUES
	('demo', 'listener', NULL, NULL, false, '\x', NULL, NULL, 3, 0, NULL, NULL, NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00');
INSERT INTO public.event_stream VALUES
	('demo', 3, NULL, NULL);
INSERT INTO public.hourly_count VALUES
	('demo', '2026-11-30 12:00:00+00', 'activeAccounts', '', 1),
	('demo', '2026-11-30 12:00:00+00', 'latency', '250', 1),
	('demo', '2026-11-30 12:00:00+00', 'signIns', 'password', 1),
	('demo', '2026-11-30 12:00:00+00', 'signUps', 'password', 1),
	('demo', '2026-11-30 11:00:00+00', 'signUps', '', 1),
	('demo', '2026-11-30 10:00:00+00', 'signUps', '', 1),
	('demo', '2026-11-30 09:00:00+00', 'signUps', '', 1);
INSERT INTO public.installation VALUES
	(true, '\x01bcb528c9841149deab6e963abddd28cb8d33b249a6bfebd9283a768786739101c74081c78f78fc', 'serve', '2026-11-30 12:25:21.143568+00');
INSERT INTO public.known_network VALUES
	('demo', 'pp4LCHsXIfpIJgQRy1tmFf2e70aJ', '\x7737d096824decd3968fabd8b3b8303f', '2026-11-30 12:25:21.916696+00'),
	('demo', 'user1', '\x61ea51136a1eb39db39c889c9c53ebd2', '2026-11-30 12:25:22.110729+00'),
	('demo', 'user2', '\xd2bfc8025ea4935a806fc25efa328dd3', '2026-11-30 12:25:22.110729+00'),
	('demo', 'user3', '\xed882b45e7d23de0772cdb6028c0feaa', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.linked_identity VALUES
	('demo', 'google.com', 'subject1', 'user1', NULL, NULL, 'user1@example.com', 'none', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('demo', 'apple.com', 'subject2', 'user2', NULL, NULL, 'user2@example.com', 'none', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('demo', 'google.com', 'subject3', 'user3', NULL, NULL, 'user3@example.com', 'none', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.oob_code VALUES
	('\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 'demo', 'EMAIL_SIGNIN', NULL, NULL, 'user1@example.com', NULL, NULL, NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00'),
	('\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', 'demo', 'EMAIL_SIGNIN', 'user2', NULL, 'user2@example.com', NULL, NULL, NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00'),
	('\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 'demo', 'EMAIL_SIGNIN', NULL, NULL, 'user3@example.com', NULL, NULL, NULL, NULL, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.outbox VALUES
	('c2b41b35-7013-466e-8079-1a6ffff3444d', 'demo', 'account.created', 'user1', 'user', '{}', '2026-11-30 12:25:22.110729+00', DEFAULT),
	('3b2552c9-9bea-491e-9943-b6e1278881b7', 'demo', 'account.created', 'user2', 'user', '{}', '2026-11-30 12:25:22.110729+00', DEFAULT),
	('44a98357-162f-4da1-b6b4-509ccde6ece2', 'demo', 'account.created', 'user3', 'user', '{}', '2026-11-30 12:25:22.110729+00', DEFAULT);
INSERT INTO public.outgoing_email VALUES
	('92d504f0-eea5-4866-912d-91c76eaf2915', 'demo', 'VERIFY_EMAIL', 'user1', 'user1@example.com', NULL, '\x', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 0, '2026-11-30 12:25:22.110729+00', NULL, NULL),
	('6b1474b2-21e5-47e2-8b8c-40626b5f39cc', 'demo', 'VERIFY_EMAIL', 'user2', 'user2@example.com', NULL, '\x', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 0, '2026-11-30 12:25:22.110729+00', NULL, NULL),
	('a4c8b8c8-ceba-499c-90fc-6ad82989bcce', 'demo', 'VERIFY_EMAIL', 'user3', 'user3@example.com', NULL, '\x', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 0, '2026-11-30 12:25:22.110729+00', NULL, NULL);
INSERT INTO public.outgoing_sms VALUES
	('demo', 'acb4d9a8-c003-44d6-b6f9-a026a2bc7e73', 'user1', '\x', true, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 0, '2026-11-30 12:25:22.110729+00', NULL, NULL),
	('demo', '567749ee-0715-43d0-ac21-a43381e0fcff', 'user2', '\x', true, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 0, '2026-11-30 12:25:22.110729+00', NULL, NULL),
	('demo', 'e35d9516-f794-4ae2-b677-e35bc1002057', 'user3', '\x', true, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', 0, '2026-11-30 12:25:22.110729+00', NULL, NULL);
INSERT INTO public.passkey VALUES
	('demo', 'localhost', 'credential1', 'user1', 'user1', '\x', -7, 0, false, false, '{}', '', 'Passkey', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL),
	('demo', 'localhost', 'credential2', 'user2', 'user2', '\x', -7, 0, false, false, '{}', '', 'Passkey', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL),
	('demo', 'localhost', 'credential3', 'user3', 'user3', '\x', -7, 0, false, false, '{}', '', 'Passkey', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL);
INSERT INTO public.phone_code VALUES
	('demo', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 'demo', 'SIGN_IN_OR_SIGN_UP', '+15551', '1', NULL, NULL, NULL, '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 0, true, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL),
	('demo', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', 'demo', 'SIGN_IN_OR_SIGN_UP', '+15552', '1', NULL, NULL, NULL, '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', 0, true, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL),
	('demo', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 'demo', 'SIGN_IN_OR_SIGN_UP', '+15553', '1', NULL, NULL, NULL, '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 0, true, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL);
INSERT INTO public.rate_limit_counter VALUES
	('\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', '2026-11-30 12:25:22.110729+00', 1, '2026-11-30 12:25:22.110729+00'),
	('\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '2026-11-30 12:25:22.110729+00', 1, '2026-11-30 12:25:22.110729+00'),
	('\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', '2026-11-30 12:25:22.110729+00', 1, '2026-11-30 12:25:22.110729+00');
INSERT INTO public.realm VALUES
	('demo', NULL, 713357702737, 'demo', 'sekisho', '{"signUpLimit": "0", "passwordFailureLimit": "0"}', '{}', '{}', '{}', NULL, NULL, '{"enabled": false, "origins": [], "topOrigins": [], "relatedOrigins": []}', '{}', NULL, '{}', '{}', '2026-11-30 12:25:21.162085+00', NULL);
INSERT INTO public.recovery_code VALUES
	('demo', 'user1', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', '2026-11-30 12:25:22.110729+00'),
	('demo', 'user2', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '2026-11-30 12:25:22.110729+00'),
	('demo', 'user3', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.replay_guard VALUES
	('demo', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', '2026-11-30 12:25:22.110729+00'),
	('demo', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '2026-11-30 12:25:22.110729+00'),
	('demo', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.revoked_subject VALUES
	('demo', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00'),
	('demo', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00'),
	('demo', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00');
INSERT INTO public.schema_migration VALUES
	('m0001_schema', '\x8874bcf9114afee586148d72f3b8dcea5eba8e31f08960d08807750ce6589a74', '2026-11-30 12:25:21.029118+00');
INSERT INTO public.second_factor VALUES
	('demo', 'user1', 'source1', 'factor', 'phone', '+15551', NULL, '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, 0, DEFAULT),
	('demo', 'user2', 'user2', 'factor', 'phone', '+15552', NULL, '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, 0, DEFAULT),
	('demo', 'user3', 'source3', 'factor', 'phone', '+15553', NULL, '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, 0, DEFAULT);
INSERT INTO public.session VALUES
	('demo', 'bfe13270-60f2-4b9c-9f11-0113233dfe21', 'pp4LCHsXIfpIJgQRy1tmFf2e70aJ', 1, 'password', '2026-11-30 12:25:21.916696+00', NULL, NULL, NULL, NULL, 'python-requests/2.34.2', 'default', NULL, 0, '2026-11-30 12:25:21.916696+00', 0, 0, '-infinity', '2026-11-30 12:25:21.916696+00', false, NULL, NULL, NULL, NULL),
	('demo', '2e04109e-9fd2-45e3-8ebd-4d36834dc3cb', 'user1', 1, 'anonymous', '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-30 12:25:22.110729+00', 0, 0, '-infinity', '2026-11-30 12:25:22.110729+00', false, NULL, NULL, NULL, NULL),
	('demo', 'b0919bb9-0d0d-427c-98f2-d9db1128a091', 'user2', 1, 'anonymous', '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-30 12:25:22.110729+00', 0, 0, '-infinity', '2026-11-30 12:25:22.110729+00', false, NULL, NULL, NULL, NULL),
	('demo', '77560f7d-1791-4b80-9f8d-cab207b21ce9', 'user3', 1, 'anonymous', '2026-11-30 12:25:22.110729+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-30 12:25:22.110729+00', 0, 0, '-infinity', '2026-11-30 12:25:22.110729+00', false, NULL, NULL, NULL, NULL);
INSERT INTO public.sign_in_code VALUES
	('demo', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 'default', 'https://example.com', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', 'user1', 1, 'ce1cf034-92f4-4187-b3f3-302d9d5781d2', false, false, false, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, NULL),
	('demo', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', 'default', 'https://example.com', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', 'user2', 1, '78c1cb85-fb52-4308-950e-c0650136348e', false, false, false, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, NULL),
	('demo', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 'default', 'https://example.com', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', 'user3', 1, 'd873b630-fff2-4d7f-be88-0e9b9ca5b6c1', false, false, false, NULL, '2026-11-30 12:25:22.110729+00', '2026-11-30 12:25:22.110729+00', NULL, NULL);
INSERT INTO public.sign_in_flow VALUES
	('demo', '\x61ea51136a1eb39db39c889c9c53ebd21e5ce9e78721a6c2c40f8e16b782a879', '', 0, '2026-11-30 12:25:22.110729+00'),
	('demo', '\xd2bfc8025ea4935a806fc25efa328dd3491fb3e89b1c4f3095f1fea9d6ef09e8', '', 0, '2026-11-30 12:25:22.110729+00'),
	('demo', '\xed882b45e7d23de0772cdb6028c0feaa5d7588deb5ded2030d915df47a9dcb89', '', 0, '2026-11-30 12:25:22.110729+00');
INSERT INTO public.signing_key VALUES
	('demo', 'pZBioHbNSkGVIbT0MnG03D0SOIQBV-pOyi2cwQ1bjNc', 'id-token', 'ES256', '\x01bcb528c9a66bef346484b4303c2ae1641dbe44e2d3ff97318370d449c2cb81c473072a00233460c920905360ab43cbd561e38b4b5d8f8d9fa03435f2b547e3fb73a39854b4c58799ad69effc5dc71c4a483649752eee300e3e6fd7221667ee954bd1d781245bfc5ed6c4e96e9705a3a7debca92dfce4beed19c695ac3fcc7c456fa42673b6997a127921d7cf54f91df809402d00e4fb9f3b734caea579037f7e14bfc5f3c38798bdcf70', '-----BEGIN CERTIFICATE-----
MIIBGjCBwaADAgECAhEAnPSr13yGnGm8PLZ+TQ6CsTAKBggqhkjOPQQDAjAPMQ0w
CwYDVQQDDARkZW1vMB4XDTI2MTEzMDEyMjAyMVoXDTM2MTEyNzEyMjUyMVowDzEN
MAsGA1UEAwwEZGVtbzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFKTfNeH0iUa
xrMH6jZQqFXLPOZmpnBO6wJoVqo+TjOqwwL8MXxXw0wo/TciNGeUJLB9SiYfgvtF
SWZgp4o4SaIwCgYIKoZIzj0EAwIDSAAwRQIgSjkz53kffuSlBDlZH91Ajh8aBxd9
owTsIy1VTjTJY58CIQCXzp7xO+jktPOis57LIR+Qn24b+aSpWEyYw80sXRhj1Q==
', '2026-11-30 12:25:21.162085+00', '2026-11-30 12:25:21.162085+00', NULL),
	('demo', '39be3a46', 'refresh-token', 'HS256', '\x01bcb528c9ce07ed987b3640de158db27b6ef9fc27c72d8d1568968805638b44e455fdd63b0631b26866a6aa97f98369c3856e7be43e51c0d02cddc421b8c7a6e3', NULL, '2026-11-30 12:25:21.162085+00', '2026-11-30 12:25:21.162085+00', NULL);
INSERT INTO public.sms_usage VALUES
	('demo', '2026-11-29', '1', 1, 0),
	('demo', '2026-11-28', '1', 1, 0),
	('demo', '2026-11-27', '1', 1, 0);
ALTER TABLE ONLY public.account_event
    ADD CONSTRAINT account_event_pkey PRIMARY KEY (project_id, sequence);
ALTER TABLE ONLY public.account_merge
    ADD CONSTRAINT account_merge_pkey PRIMARY KEY (realm_id, source_id);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.administrator
    ADD CONSTRAINT administrator_pkey PRIMARY KEY (realm_id, account_id, project_id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_key_hash_key UNIQUE (key_hash);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (project_id, id);
ALTER TABLE ONLY public.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (project_id, id);
ALTER TABLE ONLY public.app_transaction
    ADD CONSTRAINT app_transaction_pkey PRIMARY KEY (realm_id, bundle_id, transaction_id, account_id);
ALTER TABLE ONLY public.apple_grant
    ADD CONSTRAINT apple_grant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_event
    ADD CONSTRAINT audit_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.authorization_flow
    ADD CONSTRAINT authorization_flow_grant_hash_key UNIQUE (grant_hash);
ALTER TABLE ONLY public.authorization_flow
    ADD CONSTRAINT authorization_flow_pkey PRIMARY KEY (state_hash);
ALTER TABLE ONLY public.brand_image
    ADD CONSTRAINT brand_image_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.browser_session
    ADD CONSTRAINT browser_session_pkey PRIMARY KEY (realm_id, secret_hash);
ALTER TABLE ONLY public.consent_rescission
    ADD CONSTRAINT consent_rescission_pkey PRIMARY KEY (realm_id, bundle_id, transaction_id);
ALTER TABLE ONLY public.daily_count
    ADD CONSTRAINT daily_count_pkey PRIMARY KEY (realm_id, day, kind, label);
ALTER TABLE ONLY public.deleted_account
    ADD CONSTRAINT deleted_account_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.event_delivery
    ADD CONSTRAINT event_delivery_pkey PRIMARY KEY (project_id, endpoint_id, sequence);
ALTER TABLE ONLY public.event_endpoint
    ADD CONSTRAINT event_endpoint_pkey PRIMARY KEY (project_id, id);
ALTER TABLE ONLY public.event_stream
    ADD CONSTRAINT event_stream_pkey PRIMARY KEY (project_id);
ALTER TABLE ONLY public.google_signal_stream
    ADD CONSTRAINT google_signal_stream_pkey PRIMARY KEY (project_id);
ALTER TABLE ONLY public.hourly_count
    ADD CONSTRAINT hourly_count_pkey PRIMARY KEY (realm_id, hour, kind, label);
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
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.outgoing_email
    ADD CONSTRAINT outgoing_email_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.outgoing_sms
    ADD CONSTRAINT outgoing_sms_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_pkey PRIMARY KEY (realm_id, rp_id, credential_id);
ALTER TABLE ONLY public.password_key
    ADD CONSTRAINT password_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.phone_code
    ADD CONSTRAINT phone_code_pkey PRIMARY KEY (realm_id, hash);
ALTER TABLE ONLY public.provider_document
    ADD CONSTRAINT provider_document_pkey PRIMARY KEY (url);
ALTER TABLE ONLY public.rate_limit_counter
    ADD CONSTRAINT rate_limit_counter_pkey PRIMARY KEY (key, window_start);
ALTER TABLE ONLY public.realm
    ADD CONSTRAINT realm_number_key UNIQUE (number);
ALTER TABLE ONLY public.realm
    ADD CONSTRAINT realm_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (realm_id, account_id, hash);
ALTER TABLE ONLY public.replay_guard
    ADD CONSTRAINT replay_guard_pkey PRIMARY KEY (realm_id, hash);
ALTER TABLE ONLY public.revoked_subject
    ADD CONSTRAINT revoked_subject_pkey PRIMARY KEY (realm_id, subject_hash);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.second_factor
    ADD CONSTRAINT second_factor_pkey PRIMARY KEY (realm_id, account_id, owner_id, id);
ALTER TABLE ONLY public.service_key
    ADD CONSTRAINT service_key_pkey PRIMARY KEY (project_id, id);
ALTER TABLE ONLY public.service_key
    ADD CONSTRAINT service_key_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (realm_id, id);
ALTER TABLE ONLY public.sign_in_code
    ADD CONSTRAINT sign_in_code_pkey PRIMARY KEY (realm_id, code_hash);
ALTER TABLE ONLY public.sign_in_code
    ADD CONSTRAINT sign_in_code_realm_id_flow_hash_key UNIQUE (realm_id, flow_hash);
ALTER TABLE ONLY public.sign_in_flow
    ADD CONSTRAINT sign_in_flow_pkey PRIMARY KEY (realm_id, flow_hash);
ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (project_id, id);
ALTER TABLE ONLY public.sms_usage
    ADD CONSTRAINT sms_usage_pkey PRIMARY KEY (realm_id, day, calling_code);
CREATE INDEX account_created_at ON public.account USING btree (realm_id, created_at, id);
CREATE INDEX account_custom_auth ON public.account USING btree (realm_id) WHERE custom_auth;
CREATE INDEX account_disabled ON public.account USING btree (realm_id, created_at, id) WHERE (disabled_at IS NOT NULL);
CREATE INDEX account_display_name ON public.account USING btree (realm_id, lower("left"(display_name, 256)) COLLATE "C", id) WHERE (display_name IS NOT NULL);
CREATE UNIQUE INDEX account_email_key ON public.account USING btree (realm_id, email) WHERE (email IS NOT NULL);
CREATE INDEX account_event_created_at ON public.account_event USING btree (created_at);
CREATE INDEX account_guest ON public.account USING btree (realm_id, created_at, id) WHERE ((email IS NULL) AND (phone_number IS NULL) AND ((passkey_count)::smallint = 0) AND (NOT custom_auth));
CREATE INDEX account_merge_target ON public.account_merge USING btree (realm_id, target_id);
CREATE INDEX account_merge_undo_until ON public.account_merge USING btree (undo_until);
CREATE UNIQUE INDEX account_phone_number_key ON public.account USING btree (realm_id, phone_number) WHERE (phone_number IS NOT NULL);
CREATE INDEX account_without_display_name ON public.account USING btree (realm_id, id) WHERE (display_name IS NULL);
CREATE INDEX account_without_email ON public.account USING btree (realm_id, id) WHERE (email IS NULL);
CREATE INDEX administrator_project ON public.administrator USING btree (project_id, realm_id, account_id);
CREATE INDEX app_transaction_account ON public.app_transaction USING btree (realm_id, account_id);
CREATE INDEX apple_grant_checked_at ON public.apple_grant USING btree (checked_at) WHERE (checked_at IS NOT NULL);
CREATE INDEX apple_grant_codes ON public.apple_grant USING btree (due_at) WHERE (((token_type)::text = 'CODE'::text) OR ((state)::text = 'REDEEMING'::text));
CREATE UNIQUE INDEX apple_grant_key ON public.apple_grant USING btree (realm_id, subject, client_id) WHERE ((state)::text = ANY (ARRAY['AUTHORIZED'::text, 'REVOKED'::text, 'UNKNOWN'::text]));
CREATE INDEX apple_grant_obtained_with ON public.apple_grant USING btree (realm_id, team_id, key_id, id) WHERE ((state)::text = 'AUTHORIZED'::text);
CREATE INDEX apple_grant_revocations ON public.apple_grant USING btree (due_at) WHERE (((state)::text = 'REVOKING'::text) AND ((token_type)::text <> 'CODE'::text));
CREATE INDEX apple_grant_revocations_of_client ON public.apple_grant USING btree (realm_id, client_id, due_at) WHERE (((state)::text = 'REVOKING'::text) AND ((token_type)::text <> 'CODE'::text));
CREATE INDEX apple_grant_revocations_of_project ON public.apple_grant USING btree (split_part(realm_id, '/'::text, 1), created_at DESC, id) WHERE (((state)::text = 'REVOKING'::text) AND ((token_type)::text <> 'CODE'::text));
CREATE INDEX apple_grant_subject ON public.apple_grant USING btree (subject, realm_id) WHERE (subject IS NOT NULL);
CREATE INDEX apple_grant_unchecked ON public.apple_grant USING btree (realm_id, client_id, due_at) WHERE ((state)::text = 'AUTHORIZED'::text);
CREATE INDEX apple_grant_unknown ON public.apple_grant USING btree (split_part(realm_id, '/'::text, 1)) WHERE ((state)::text = 'UNKNOWN'::text);
CREATE INDEX audit_event_action ON public.audit_event USING btree (realm_id, action, occurred_at, id);
CREATE INDEX audit_event_actor ON public.audit_event USING btree (realm_id, actor, occurred_at, id);
CREATE INDEX audit_event_subject ON public.audit_event USING btree (realm_id, subject, occurred_at, id);
CREATE INDEX audit_event_time ON public.audit_event USING btree (realm_id, occurred_at, id);
CREATE INDEX authorization_flow_expires_at ON public.authorization_flow USING btree (expires_at);
CREATE INDEX authorization_flow_grant_expires_at ON public.authorization_flow USING btree (grant_expires_at) WHERE (grant_expires_at IS NOT NULL);
CREATE INDEX browser_session_expires_at ON public.browser_session USING btree (expires_at);
CREATE INDEX daily_count_day ON public.daily_count USING btree (day);
CREATE INDEX event_delivery_due ON public.event_delivery USING btree (project_id, endpoint_id, due_at, sequence) WHERE (state = 'pending'::text);
CREATE INDEX event_delivery_log ON public.event_delivery USING btree (attempted_at) WHERE (state <> 'pending'::text);
CREATE INDEX hourly_count_hour ON public.hourly_count USING btree (hour);
CREATE INDEX known_network_last_seen_at ON public.known_network USING btree (last_seen_at);
CREATE UNIQUE INDEX linked_identity_account_key ON public.linked_identity USING btree (account_id, realm_id, provider);
CREATE INDEX linked_identity_email ON public.linked_identity USING btree (realm_id, email, account_id) WHERE (email IS NOT NULL);
CREATE INDEX linked_identity_real_user_status ON public.linked_identity USING btree (realm_id, real_user_status, account_id) WHERE (real_user_status IS NOT NULL);
CREATE INDEX linked_identity_relay_stopped ON public.linked_identity USING btree (realm_id, account_id) WHERE (NOT relay_forwarding);
CREATE UNIQUE INDEX linked_identity_transfer_sub ON public.linked_identity USING btree (realm_id, transfer_sub) WHERE ((transfer_sub IS NOT NULL) AND (transferred_at IS NULL));
CREATE INDEX linked_identity_unmarked_transfer ON public.linked_identity USING btree (realm_id, transfer_team, subject) WHERE ((transfer_sub IS NOT NULL) AND (transferred_at IS NULL) AND ((provider)::text = 'apple.com'::text) AND ((credential_state IS NULL) OR ((credential_state)::text = ANY (ARRAY['AUTHORIZED'::text, 'UNKNOWN'::text]))));
CREATE INDEX oob_code_account ON public.oob_code USING btree (account_id, realm_id);
CREATE INDEX oob_code_email ON public.oob_code USING btree (email, realm_id) WHERE (account_id IS NULL);
CREATE INDEX oob_code_expires_at ON public.oob_code USING btree (expires_at);
CREATE INDEX outbox_created_at ON public.outbox USING btree (created_at);
CREATE INDEX outbox_project ON public.outbox USING btree (project_id, created_at, id);
CREATE INDEX outgoing_email_account ON public.outgoing_email USING btree (account_id, realm_id);
CREATE INDEX outgoing_email_due_at ON public.outgoing_email USING btree (due_at) WHERE (failed_at IS NULL);
CREATE INDEX outgoing_email_failed_at ON public.outgoing_email USING btree (failed_at) WHERE (failed_at IS NOT NULL);
CREATE INDEX outgoing_email_project ON public.outgoing_email USING btree (split_part(realm_id, '/'::text, 1), created_at DESC, id);
CREATE INDEX outgoing_email_recipient ON public.outgoing_email USING btree (recipient, realm_id);
CREATE INDEX outgoing_sms_account ON public.outgoing_sms USING btree (account_id, realm_id) WHERE (account_id IS NOT NULL);
CREATE INDEX outgoing_sms_due_at ON public.outgoing_sms USING btree (due_at) WHERE (failed_at IS NULL);
CREATE INDEX outgoing_sms_failed_at ON public.outgoing_sms USING btree (failed_at) WHERE (failed_at IS NOT NULL);
CREATE INDEX outgoing_sms_project ON public.outgoing_sms USING btree (split_part(realm_id, '/'::text, 1), created_at DESC, id);
CREATE INDEX passkey_account ON public.passkey USING btree (account_id, realm_id);
CREATE UNIQUE INDEX passkey_credential_key ON public.passkey USING btree (rp_id, credential_id);
CREATE INDEX passkey_user_handle ON public.passkey USING btree (user_handle);
CREATE INDEX phone_code_account ON public.phone_code USING btree (account_id, realm_id) WHERE (account_id IS NOT NULL);
CREATE INDEX phone_code_calling_code ON public.phone_code USING btree (project_id, calling_code, ((purpose = 'MULTI_FACTOR_SIGN_IN'::text)), created_at) WHERE is_sent;
CREATE INDEX phone_code_expires_at ON public.phone_code USING btree (expires_at);
CREATE INDEX rate_limit_counter_expires_at ON public.rate_limit_counter USING btree (expires_at);
CREATE UNIQUE INDEX realm_rp_id_key ON public.realm USING btree ((((passkey_settings)::jsonb ->> 'rpId'::text))) WHERE (((passkey_settings)::jsonb ->> 'rpId'::text) <> 'localhost'::text);
CREATE INDEX realm_tenant ON public.realm USING btree (parent_id, id) WHERE (parent_id IS NOT NULL);
CREATE INDEX replay_guard_expires_at ON public.replay_guard USING btree (expires_at);
CREATE INDEX revoked_subject_expires_at ON public.revoked_subject USING btree (expires_at);
CREATE INDEX second_factor_merged_from ON public.second_factor USING btree (realm_id, merged_from) WHERE (merged_from IS NOT NULL);
CREATE UNIQUE INDEX second_factor_phone_key ON public.second_factor USING btree (realm_id, account_id, phone_number) WHERE (((kind)::text = 'phone'::text) AND (merged_from IS NULL));
CREATE UNIQUE INDEX second_factor_totp_key ON public.second_factor USING btree (realm_id, account_id) WHERE (((kind)::text = 'totp'::text) AND (merged_from IS NULL));
CREATE INDEX service_key_id ON public.service_key USING btree (id);
CREATE INDEX session_account ON public.session USING btree (account_id, realm_id, ended_at);
CREATE INDEX sign_in_code_account ON public.sign_in_code USING btree (account_id, realm_id);
CREATE INDEX sign_in_code_kept_until ON public.sign_in_code USING btree (kept_until);
CREATE INDEX sign_in_flow_expires_at ON public.sign_in_flow USING btree (expires_at);
CREATE INDEX sms_usage_day ON public.sms_usage USING btree (day);
CREATE TRIGGER linked_identity_apple_grants AFTER DELETE ON public.linked_identity FOR EACH ROW WHEN (((old.provider)::text = 'apple.com'::text)) EXECUTE FUNCTION public.revoke_apple_grants();
ALTER TABLE ONLY public.account_merge
    ADD CONSTRAINT account_merge_realm_id_target_id_fkey FOREIGN KEY (realm_id, target_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.administrator
    ADD CONSTRAINT administrator_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.administrator
    ADD CONSTRAINT administrator_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_project_id_app_id_fkey FOREIGN KEY (project_id, app_id) REFERENCES public.app(project_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.app
    ADD CONSTRAINT app_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.app_transaction
    ADD CONSTRAINT app_transaction_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.brand_image
    ADD CONSTRAINT brand_image_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.consent_rescission
    ADD CONSTRAINT consent_rescission_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.daily_count
    ADD CONSTRAINT daily_count_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_delivery
    ADD CONSTRAINT event_delivery_project_id_endpoint_id_fkey FOREIGN KEY (project_id, endpoint_id) REFERENCES public.event_endpoint(project_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_endpoint
    ADD CONSTRAINT event_endpoint_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_stream
    ADD CONSTRAINT event_stream_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.google_signal_stream
    ADD CONSTRAINT google_signal_stream_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.hourly_count
    ADD CONSTRAINT hourly_count_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_provider
    ADD CONSTRAINT identity_provider_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.known_network
    ADD CONSTRAINT known_network_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.linked_identity
    ADD CONSTRAINT linked_identity_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oob_code
    ADD CONSTRAINT oob_code_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.outgoing_sms
    ADD CONSTRAINT outgoing_sms_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.password_key
    ADD CONSTRAINT password_key_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.phone_code
    ADD CONSTRAINT phone_code_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE SET NULL (account_id);
ALTER TABLE ONLY public.realm
    ADD CONSTRAINT realm_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recovery_code
    ADD CONSTRAINT recovery_code_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.second_factor
    ADD CONSTRAINT second_factor_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.second_factor
    ADD CONSTRAINT second_factor_realm_id_merged_from_fkey FOREIGN KEY (realm_id, merged_from) REFERENCES public.account_merge(realm_id, source_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.service_key
    ADD CONSTRAINT service_key_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_code
    ADD CONSTRAINT sign_in_code_realm_id_account_id_fkey FOREIGN KEY (realm_id, account_id) REFERENCES public.account(realm_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.realm(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sms_usage
    ADD CONSTRAINT sms_usage_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES public.realm(id) ON DELETE CASCADE;
