"""Every statement reads few rows by an index, at every size of a new database.

PostgreSQL keeps the plan of a prepared statement. A plan that reads a whole table or realm is fast while the table is
small, and stays in use while the table grows.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

import gateway
from client import PASSWORD, Client, ok_body
from installation import new_database, sql
from postgres import Postgres
from query_plans import GROWING_TABLES, SMALL_TABLES, Planner, fill, slow_scans
from statement_recorder import Recorded, recording
from test_exchanges import ROWS, Simulators, filled_in, idp_sign_in_body, placeholder_values

# Requests that gateways send together in one statement.
CONCURRENT = 24
SIZES = range(0, 301, 10) if os.environ.get("SEKISHO_FAULTS") == "long" else range(0, 301, 60)
# The statements of background workers, which run while requests are recorded.
WORKERS = re.compile(rb"(FROM|UPDATE) (apple_grant|outgoing_email|outgoing_sms)")
# Statements that must read more: counts, and those that examine whole realms or queues in the background.
BROAD = [
    "SELECT count(*)", "DELETE FROM realm r", "SELECT r.id FROM realm r", "DELETE FROM identity_provider p",
    "FROM session s ORDER BY s.realm_id, s.id LIMIT",
    # Text messages that have expired. The queue has only those of the last minutes.
    "SELECT realm_id, id FROM outgoing_sms WHERE failed_at IS NULL AND (expires_at",
    # A changed configuration of a provider, which concerns all its identities.
    "SELECT DISTINCT l.account_id FROM linked_identity l", "UPDATE linked_identity SET issuer",
]
# Statements that sort before a limit what belongs to one key, which is little.
SORTED = {
    "ORDER BY a.email IS NOT DISTINCT FROM": "the accounts whose identities have the same address",
    "ORDER BY s.authenticated_at DESC, s.id DESC LIMIT": "the active sessions of an account, which sign-ins limit",
    "ORDER BY e.refreshed_at DESC, e.id OFFSET": "the same sessions, when a sign-in limits them",
    "FROM outgoing_email WHERE realm_id = $1 AND account_id = $2": "the queued emails about an account",
    "FROM outgoing_sms WHERE realm_id = $1 AND account_id = $2": "the queued text messages of an account",
    "FROM app_transaction WHERE realm_id = $1 AND account_id = $2": "the purchases with which an account was used",
    "FROM account_merge WHERE realm_id = $1 AND target_id = $2": "the merges of a week into an account",
    "FROM known_network WHERE realm_id = $1 AND account_id = $2": "the networks of an account in a month",
    "FROM apple_grant WHERE realm_id = $1 AND subject = $2": "the grants of an identity, one for each client ID",
}


@pytest.fixture(scope="module")
def postgres(folder):
    server = Postgres(folder / "plans")
    server.start()
    sql(server.url, "ALTER SYSTEM SET autovacuum = off")
    sql(server.url, "SELECT pg_reload_conf()")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def recorded(folder, postgres, contract):
    """The statements of sign-ups, sign-ins, refreshes and look-ups, and those of all operations of the contract."""
    sql(postgres.url, "CREATE DATABASE recorded")
    data_folder = folder / "recorded"
    data_folder.mkdir(mode=0o711)
    with recording(str(folder / "plans" / ".s.PGSQL.5432")) as recorder:
        url = f"postgresql://postgres@127.0.0.1:{recorder.port}/recorded?sslmode=disable"
        with gateway.dev(data_folder, "--database-url", url) as dev:
            client = Client(dev, contract)
            sign_in_in_every_way(client)
            limit_sessions(client, postgres.url.replace("/postgres?", "/recorded?"))
            sign_in_in_every_way(client)
            hot = [statement for statement in plannable(recorder) if not WORKERS.search(statement.text)]
            call_every_operation(client)
            return {"hot": hot, "all": plannable(recorder)}


def sign_in_in_every_way(client):
    simulators = Simulators(client.gateway)
    accounts = [client.new_account() for _ in range(CONCURRENT)]
    proofs = [simulators.sign_in_with_google() for _ in range(CONCURRENT)]
    actions = [
        (lambda _: client.sign_up(), accounts), (client.refresh, accounts), (client.lookup, accounts),
        (lambda ada: client.call("signInWithPassword", {"email": ada["email"], "password": PASSWORD}), accounts),
        (lambda proof: client.call("signInWithIdp", idp_sign_in_body(proof)), proofs),
        (lambda proof: client.call("signInWithIdp", idp_sign_in_body(proof)), proofs)]
    with ThreadPoolExecutor(CONCURRENT) as pool:
        for action, subjects in actions:
            action(subjects[0])
            list(pool.map(action, subjects[1:]))


def limit_sessions(client, url):
    """Limits the sessions of each account, as the profile `sekisho` does."""
    sql(url, """UPDATE realm SET policy = policy || '{"sessionLimit": "500"}' WHERE id = 'demo'""")
    # After a change by a request, the gateway reads the policy again.
    row = next(row for row in ROWS if row.operation == "updateProjectConfig" and not row.code)
    ok_body(client.call(row.operation, row.json, **row.options))


def call_every_operation(client):
    for row in ROWS:
        if not row.code:
            values = placeholder_values(client)
            client.call(row.operation, filled_in(row.json, values), **filled_in(row.options, values))


def plannable(recorder):
    """The recorded statements that have a plan. Those for tenants are planned for the project, which has rows."""
    for statement in recorder.statements:
        statement.values = [b"demo" if str(value)[2:].startswith("demo/") else value for value in statement.values]
    return [
        statement for statement in recorder.statements
        if re.match(rb"\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b", statement.text)]


@pytest.fixture
def database(postgres):
    """An empty database with the schema and two projects."""
    url = new_database(postgres.url)
    gateway.run_sekisho("migrate", DATABASE_URL=url).check_returncode()
    sql(url, "INSERT INTO realm (id, number, name, profile, created_at) "
             "VALUES ('demo', 1, 'Demo', 'sekisho', now()), ('other', 2, 'Other', 'sekisho', now())")
    return url


def functions(url, statement):
    """The bodies of the schema's functions in SQL, as statements in a session like that of `statement`."""
    found = []
    with psycopg.connect(url) as connection:
        for name, body, names, types in connection.execute(
                "SELECT proname, prosrc, proargnames, proargtypes::oid[] FROM pg_proc "
                "JOIN pg_language l ON l.oid = prolang WHERE l.lanname = 'sql' "
                "AND pronamespace = 'public'::regnamespace"):
            text = re.sub(rf'\b{name}\."?(\w+)"?', lambda argument: f"${names.index(argument[1]) + 1}", body)
            found.append(Recorded(text.encode(), tuple(types), statement.options))
    return found


def in_one_line(statement):
    return re.sub(r"\s+", " ", statement.text.decode())


def asks_for_all(statement, size):
    """Whether a page of the request has room for all rows, so that a plan for its values may read them all."""
    numbers = [int.from_bytes(value, "big") for value in statement.values if value is not None and len(value) == 8]
    return "LIMIT" in in_one_line(statement) and any(size <= number <= 1000 for number in numbers)


def problems(planner, statements, size):
    """Describes slow scans of the statements' plans, one for each statement."""
    found, unique_keys = {}, planner.unique_keys()
    for statement in statements:
        text = in_one_line(statement)
        sorts = any(part in text for part in SORTED)
        has_values = len(statement.values) == len(statement.types)
        for is_generic in (True, False) if has_values else (True,):
            for problem, scan in slow_scans(planner.plan(statement, is_generic), unique_keys):
                if problem == "wide" and not is_generic and asks_for_all(statement, size):
                    continue
                if problem != "sorted" or not sorts:
                    found[text] = f"among {size} rows: {problem}: {scan}"
    return found


def test_every_table_grows_or_is_small_and_the_tests_fill_those_that_grow(database):
    tables = set(sql(database, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = "
                               "'public'::regnamespace").split())
    assert GROWING_TABLES | SMALL_TABLES == tables and not GROWING_TABLES & SMALL_TABLES
    fill(database, 1, 3)
    assert {table for table in GROWING_TABLES if sql(database, f"SELECT count(*) FROM {table}").strip() != "3"} == set()


@pytest.mark.parametrize("statistics", ["none", "of empty tables", "of another project"])
def test_sign_ins_refreshes_and_look_ups_read_few_rows_whatever_the_statistics(recorded, database, statistics):
    if statistics == "of another project":
        fill(database, 100_001, 102_000, realm="other")
    if statistics != "none":
        sql(database, "ANALYZE")
    planner, last, found = Planner(database), 0, {}
    assert len(recorded["hot"]) > 20
    for size in SIZES:
        if size > last:
            fill(database, last + 1, size)
        last = size
        # With statistics of empty tables, nothing that is read in an empty table costs anything.
        if size > 0 or statistics == "none":
            found |= problems(planner, recorded["hot"], size)
    planner.close()
    assert found == {}


def test_every_statement_reads_few_rows_once_the_gateway_has_analysed_the_tables(recorded, database):
    statements = functions(database, recorded["all"][0]) + [
        statement for statement in recorded["all"] if not any(broad in in_one_line(statement) for broad in BROAD)]
    planner, last, found = Planner(database), 0, {}
    assert len(statements) > 120
    texts = [in_one_line(statement) for statement in statements]
    assert [part for part in SORTED if not any(part in text for text in texts)] == []
    for size in SIZES:
        if size >= 100:
            fill(database, last + 1, size)
            last = size
            sql(database, "ANALYZE")
            found |= problems(planner, statements, size)
    planner.close()
    assert found == {}
