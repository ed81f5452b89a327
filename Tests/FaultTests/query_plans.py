"""The plans of recorded statements in databases of different sizes and statistics."""

import json
import re

import psycopg
from psycopg import pq

from installation import sql

# The tables that grow with the number of accounts.
GROWING_TABLES = {
    "account", "account_merge", "apple_grant", "audit_event", "authorization_flow", "deleted_account", "known_network",
    "linked_identity", "oob_code", "outbox", "outgoing_email", "replay_guard", "revoked_subject", "session",
}
# A column that a condition compares: `(realm_id = $1)`, `(a.id = ANY ($2))`, or with a domain `((id)::text = $1)`.
COMPARED_COLUMN = re.compile(r"\(?(?:\w+\.)?(\w+)(?:\)::\w+)? (?:=|<>|<=?|>=?|IS|~[<>]=?~) ")
SCANS = {"Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Index Scan"}


def fill(url, first, last, realm="demo"):
    """Inserts rows number `first` to `last` into every growing table."""
    user, number = "'user' || n", f"generate_series({first}, {last}) n"
    digest = f"sha256(('{realm}' || n)::bytea)"
    sql(url, "".join(f"INSERT INTO {into} SELECT {values} FROM {number};" for into, values in {
        "account (realm_id, id, email, phone_number, display_name, created_at, valid_since)":
            f"'{realm}', {user}, {user} || '@example.com', '+1555' || n, 'Name ' || n, now(), now()",
        "session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at)":
            f"'{realm}', gen_random_uuid(), {user}, 1, 'anonymous', now(), now(), now()",
        "linked_identity (realm_id, provider, subject, account_id, email, created_at, real_user_status)":
            f"'{realm}', 'apple.com', 'subject' || n, {user}, {user} || '@example.com', now(), 1",
        "known_network": f"'{realm}', {user}, substr({digest}, 1, 16), now()",
        "oob_code (hash, realm_id, purpose, account_id, email, created_at, expires_at)":
            f"{digest}, '{realm}', 'EMAIL_SIGNIN', CASE WHEN n % 2 = 0 THEN {user} END, {user} || '@example.com', "
            "now(), now()",
        "outgoing_email (id, realm_id, kind, account_id, recipient, content, created_at, due_at, expires_at)":
            f"gen_random_uuid(), '{realm}', 'VERIFY_EMAIL', {user}, {user} || '@example.com', '', now(), now(), now()",
        "audit_event (id, realm_id, actor, action, subject, occurred_at)":
            f"gen_random_uuid(), '{realm}', {user}, 'account.created', {user}, now()",
        "replay_guard": f"'{realm}', {digest}, now()",
        "revoked_subject": f"'{realm}', {digest}, now(), now()",
        "deleted_account": f"'{realm}', 'gone' || n, now()",
        "account_merge": f"'{realm}', 'source' || n, {user}, now(), now(), 1, '{{}}'",
        "outbox": f"gen_random_uuid(), '{realm}', 'account.created', {user}, 'user', '{{}}', now()",
        "apple_grant (id, realm_id, subject, client_id, state, token_type, token, created_at, due_at)":
            f"gen_random_uuid(), '{realm}', 'subject' || n, 'com.example', (ARRAY['AUTHORIZED', 'REDEEMING', "
            "'REVOKING'])[n % 3 + 1], 'REFRESH_TOKEN', '', now(), now()",
        "authorization_flow (state_hash, realm_id, expires_at)": f"{digest}, '{realm}', now()",
    }.items()))


class Planner:
    """Asks a database for the plans of recorded statements, with the settings of their sessions."""

    def __init__(self, url):
        self._url = url
        self._connections = {}
        self._type_names = {}

    def close(self):
        for connection in self._connections.values():
            connection.close()

    def plan(self, statement, is_generic):
        """The plan for the recorded values, or the one for all values, which PostgreSQL keeps."""
        connection = self._connection(statement.options, is_generic).pgconn
        if is_generic:
            connection.exec_(b"DEALLOCATE PREPARE planned")
            types = ", ".join(self._type_name(type_id) for type_id in statement.types)
            prepared = connection.exec_(
                b"PREPARE planned" + (f"({types})".encode() if types else b"") + b" AS " + statement.text)
            assert prepared.status == pq.ExecStatus.COMMAND_OK, prepared.error_message.decode()
            values = b"(" + b", ".join([b"NULL"] * len(statement.types)) + b")" if types else b""
            result = connection.exec_(b"EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE planned" + values)
        else:
            formats = statement.formats * (len(statement.values) if len(statement.formats) == 1 else 1)
            result = connection.exec_params(
                b"EXPLAIN (FORMAT JSON, COSTS OFF) " + statement.text, statement.values, statement.types, formats)
        assert result.status == pq.ExecStatus.TUPLES_OK, result.error_message.decode()
        return json.loads(result.get_value(0, 0))[0]["Plan"]

    def _connection(self, options, is_generic):
        if (options, is_generic) not in self._connections:
            mode = " -c plan_cache_mode=force_generic_plan" if is_generic else ""
            self._connections[options, is_generic] = psycopg.connect(self._url, autocommit=True, options=options + mode)
        return self._connections[options, is_generic]

    def _type_name(self, type_id):
        if type_id not in self._type_names:
            connection = self._connection("", False)
            [self._type_names[type_id]] = connection.execute(f"SELECT format_type({type_id}, NULL)").fetchone()
        return self._type_names[type_id]


def wide_scans(plan):
    """Describes the scans of a plan that read a growing table, or a realm's part of it.

    A scan of an index that only a limit bounds is not among them.
    """
    return [text for text in (_wide_scan(*scan) for scan in _scans(plan)) if text]


def _scans(node, table=None, is_limited=False):
    table = node.get("Relation Name", table)
    if node["Node Type"] in SCANS:
        yield node, table, is_limited
    for child in node.get("Plans", []):
        yield from _scans(child, table, is_limited or node["Node Type"] == "Limit")


def _wide_scan(node, table, is_limited):
    columns = set(COMPARED_COLUMN.findall(node.get("Index Cond", "")))
    if table not in GROWING_TABLES or columns - {"realm_id"} or (is_limited and "Filter" not in node):
        return None
    return f"{node['Node Type']} of {table} by {node.get('Index Name')}: {node.get('Index Cond')}, {node.get('Filter')}"
