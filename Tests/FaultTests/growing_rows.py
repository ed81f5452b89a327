"""Rows for the tables that grow."""


def growing_rows(realm):
    """The values of row number `n` of each table in SQL, by the table and its columns. A table follows those that
    it references."""
    user, email, digest = "'user' || n", "'user' || n || '@example.com'", f"sha256(('{realm}' || n)::bytea)"
    key = f"'{realm}', gen_random_uuid()"
    return {
        "account (realm_id, id, email, phone_number, display_name, created_at, valid_since, factor_count, "
        "passkey_count)":
            f"'{realm}', {user}, {email}, '+1555' || n, 'Name ' || n, now(), now(), 1, 1",
        "account_merge": f"'{realm}', 'source' || n, {user}, now(), now(), 1, '{{}}'",
        **_sign_in_rows(realm, user, digest), **_messages(realm, user, email, digest),
        "linked_identity (realm_id, provider, subject, account_id, email, created_at, real_user_status)":
            f"'{realm}', (ARRAY['apple.com', 'google.com'])[n % 2 + 1], 'subject' || n, {user}, {email}, now(), 1",
        "apple_grant (realm_id, id, subject, client_id, state, token_type, token, created_at, due_at)":
            f"{key}, 'subject' || n, 'com.example', (ARRAY['AUTHORIZED', 'REDEEMING', 'REVOKING'])[n % 3 + 1], "
            "'REFRESH_TOKEN', '', now(), now()",
        "revoked_subject": f"'{realm}', {digest}, now(), now()",
        "deleted_account": f"'{realm}', 'gone' || n, now()",
        "app_transaction": f"'{realm}', 'com.example', 'transaction' || n, {user}, now()",
        "consent_rescission": f"'{realm}', 'com.example', 'rescinded' || n, now()",
        "audit_event (realm_id, id, actor, action, subject, occurred_at)":
            f"{key}, {user}, 'account.created', {user}, now()",
        "outbox (realm_id, id, kind, account_id, actor, data, created_at)":
            f"{key}, 'account.created', {user}, 'user', '{{}}', now()",
        "account_event (project_id, sequence, realm_id, id, kind, account_id, actor, data, created_at)":
            f"'{realm}', n, {key}, 'account.created', {user}, 'user', '{{}}', now()",
        "event_delivery (project_id, endpoint_id, sequence, state, attempts, due_at)":
            f"'{realm}', 'listener', n, CASE WHEN n % 2 = 0 THEN 'pending' ELSE 'delivered' END, 1, "
            "CASE WHEN n % 2 = 0 THEN now() END",
        "hourly_count": f"'{realm}', date_trunc('hour', now(), 'UTC') - n * interval '1 hour', 'signUps', '', 1",
        "daily_count": f"'{realm}', current_date - n, 'signUps', '', 1",
    }


def _sign_in_rows(realm, user, digest):
    return {
        "session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at)":
            f"'{realm}', gen_random_uuid(), {user}, 1, 'anonymous', now(), now(), now()",
        "browser_session": f"'{realm}', {digest}, gen_random_uuid(), 60, now(), now()",
        "second_factor (realm_id, account_id, owner_id, id, kind, phone_number, enrolled_at)":
            f"'{realm}', {user}, CASE WHEN n % 2 = 0 THEN {user} ELSE 'source' || n END, 'factor', 'phone', "
            "'+1555' || n, now()",
        "recovery_code": f"'{realm}', {user}, {digest}, now()",
        "passkey (realm_id, rp_id, credential_id, account_id, user_handle, public_key, algorithm, sign_count, "
        "backup_eligible, backed_up, transports, aaguid, name, created_at, added_at)":
            f"'{realm}', 'localhost', 'credential' || n, {user}, {user}, '', -7, 0, false, false, '{{}}', '', "
            "'Passkey', now(), now()",
        "known_network": f"'{realm}', {user}, substr({digest}, 1, 16), now()",
        "replay_guard": f"'{realm}', {digest}, now()",
        "rate_limit_counter": f"{digest}, now(), 1, now()",
        "authorization_flow (state_hash, realm_id, expires_at)": f"{digest}, '{realm}', now()",
        "sign_in_flow (realm_id, flow_hash, content, expires_at)": f"'{realm}', {digest}, '', now()",
        "sign_in_code (realm_id, code_hash, flow_hash, app_id, target, challenge, account_id, generation, "
        "source_session_id, ends_session, is_new_account, is_continued, expires_at, kept_until)":
            f"'{realm}', {digest}, {digest}, 'default', 'https://example.com', {digest}, {user}, 1, gen_random_uuid(), "
            "false, false, false, now(), now()",
    }


def _messages(realm, user, email, digest):
    return {
        "oob_code (hash, realm_id, purpose, account_id, email, created_at, expires_at)":
            f"{digest}, '{realm}', 'EMAIL_SIGNIN', CASE WHEN n % 2 = 0 THEN {user} END, {email}, now(), now()",
        "outgoing_email (id, realm_id, kind, account_id, recipient, content, created_at, due_at, expires_at)":
            f"gen_random_uuid(), '{realm}', 'VERIFY_EMAIL', {user}, {email}, '', now(), now(), now()",
        "phone_code (realm_id, hash, project_id, purpose, phone_number, calling_code, code_hash, is_sent, created_at, "
        "expires_at)":
            f"'{realm}', {digest}, '{realm}', 'SIGN_IN_OR_SIGN_UP', '+1555' || n, '1', {digest}, true, now(), now()",
        "outgoing_sms (realm_id, id, account_id, content, is_idempotent, created_at, due_at, expires_at)":
            f"'{realm}', gen_random_uuid(), {user}, '', true, now(), now(), now()",
        "sms_usage (realm_id, day, calling_code, sent)": f"'{realm}', current_date - n, '1', 1",
    }
