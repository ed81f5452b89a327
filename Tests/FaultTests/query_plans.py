"""The plans of recorded statements in databases of different sizes and statistics."""

import json
import re

import psycopg
from psycopg import pq

from growing_rows import growing_rows
from installation import sql

# The tables that grow with the number of accounts, with requests or with time.
GROWING_TABLES = {
    "account", "account_event", "account_merge", "app_transaction", "apple_grant", "audit_event", "authorization_flow",
    "browser_session", "consent_rescission", "daily_count", "deleted_account", "event_delivery", "hourly_count",
    "known_network", "linked_identity", "oob_code", "outbox", "outgoing_email", "outgoing_sms", "passkey", "phone_code",
    "rate_limit_counter", "recovery_code", "replay_guard", "revoked_subject", "second_factor", "session",
    "sign_in_code", "sign_in_flow", "sms_usage",
}
# The tables that grow only with what operators configure: projects, tenants, keys, listeners and administrators.
SMALL_TABLES = {
    "administrator", "api_key", "app", "brand_image", "event_endpoint", "event_stream", "google_signal_stream",
    "identity_provider", "installation", "password_key", "provider_document", "realm", "schema_migration",
    "service_key", "signing_key",
}
# Columns that have the same value in many rows of a growing table.
WIDE_COLUMNS = {
    "bundle_id", "client_id", "endpoint_id", "kind", "method", "project_id", "provider", "purpose", "realm_id", "rp_id",
    "state",
}
# A column that a condition compares: `(realm_id = $1)`, `(a.id = ANY ($2))`, or with a domain `((id)::text = $1)`.
COMPARED_COLUMN = re.compile(r"\(?(?:\w+\.)?(\w+)(?:\)::\w+)? (?:=|<>|<=?|>=?|IS|~[<>]=?~) ")
EQUAL_COLUMN = re.compile(r"(?:\w+\.)?(\w+)(?:\)::\w+)? = ")
SCANS = {"Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Index Scan"}
SORTS = {"Sort", "Incremental Sort"}


def fill(url, first, last, realm="demo"):
    """Inserts rows number `first` to `last` into every growing table."""
    listener = (
        f"INSERT INTO event_stream (project_id, last_sequence) VALUES ('{realm}', {last}) "
        "ON CONFLICT (project_id) DO UPDATE SET last_sequence = excluded.last_sequence;"
        "INSERT INTO event_endpoint (project_id, id, secret, last_sequence, created_at) "
        f"VALUES ('{realm}', 'listener', '', {last}, now()) "
        "ON CONFLICT (project_id, id) DO UPDATE SET last_sequence = excluded.last_sequence;")
    number = f"generate_series({first}, {last}) n"
    sql(url, listener + "".join(
        f"INSERT INTO {into} SELECT {values} FROM {number};" for into, values in growing_rows(realm).items()))


class Planner:
    """Asks a database for the plans of recorded statements, with the settings of their sessions."""

    def __init__(self, url):
        self._url = url
        self._connections = {}
        self._type_names = {}

    def unique_keys(self):
        """The columns of each unique index."""
        rows = self._connection("", False).execute(
            "SELECT i.indexrelid::regclass::text, array_agg(a.attname::text) FROM pg_index i "
            "JOIN pg_attribute a ON a.attrelid = i.indexrelid AND a.attnum <= i.indnkeyatts "
            "WHERE i.indisunique AND i.indrelid::regclass::text = ANY (%s) GROUP BY 1", [list(GROWING_TABLES)])
        return {index: set(columns) for index, columns in rows}

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


def slow_scans(plan, unique_keys):
    """Describes the scans of a plan that read more and more rows while a growing table grows.

    These are scans of a whole table or of a realm's part of it, unless a limit bounds them; scans of more than one row
    that are sorted before a limit applies, although an index could have the order; and bitmap scans, which read all
    rows of a key before they return one.

    Returns the kind of each problem and the scan. `unique_keys` has the columns of each unique index.
    """
    return [
        (problem, f"{node['Node Type']} of {table} by {node.get('Index Name')}: {node.get('Index Cond')}, "
                  f"{node.get('Filter')}")
        for node, table, above in _scans(plan) if (problem := _problem(node, table, above, unique_keys))]


def _scans(node, table=None, above=None):
    """The scans, with their tables and what is above each of them in its subquery: a `Limit`, a `Sort` below one, or
    neither."""
    kind, table = node["Node Type"], node.get("Relation Name", table)
    if node.get("Parent Relationship") in ("InitPlan", "SubPlan") or node.get("Strategy") in ("Plain", "Hashed"):
        above = None
    if kind == "Limit" or kind in SORTS and above:
        above = "Limit" if kind == "Limit" else "Sort"
    if kind in SCANS:
        yield node, table, above
    for child in node.get("Plans", []):
        yield from _scans(child, table, above)


def _problem(node, table, above, unique_keys):
    if node["Node Type"] == "Bitmap Index Scan":
        return "bitmap"
    if table not in GROWING_TABLES:
        return None
    condition = node.get("Index Cond", "")
    if not set(COMPARED_COLUMN.findall(condition)) - WIDE_COLUMNS and (above != "Limit" or "Filter" in node):
        return "wide"
    finds_one = node.get("Index Name") in unique_keys and (
        unique_keys[node["Index Name"]] <= set(EQUAL_COLUMN.findall(condition)))
    return "sorted" if above == "Sort" and not finds_one else None
