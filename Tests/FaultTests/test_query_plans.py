"""Every statement reads rows by an index, at every size of a new database.

PostgreSQL keeps the plan of a prepared statement. A plan that reads a whole table or realm is fast while the table is
small, and stays in use while the table grows.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

import gateway
from client import PASSWORD, Client
from installation import new_database, sql
from postgres import Postgres
from query_plans import Planner, fill, wide_scans
from statement_recorder import recording
from test_exchanges import ROWS, Simulators, filled_in, idp_sign_in_body, placeholder_values

# Requests that gateways send together in one statement.
CONCURRENT = 24
SIZES = range(0, 301, 10) if os.environ.get("SEKISHO_FAULTS") == "long" else range(0, 301, 60)
# The statements of background workers, which run while requests are recorded.
WORKERS = re.compile(rb"(FROM|UPDATE) (apple_grant|outgoing_email)")
# Statements that must read more: counts, those that examine whole realms in the background, and the deletion of up to a
# thousand accounts, which may read the whole queue of emails.
BROAD = [
    b"SELECT count(*)", b"DELETE FROM realm r", b"SELECT r.id FROM realm r", b"DELETE FROM identity_provider p",
    b"FROM session s ORDER BY s.realm_id, s.id LIMIT", b"SELECT id, disabled_at IS NULL AND",
]


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


def problems(planner, statements, size):
    """Describes wide scans of the statements' plans, one for each statement."""
    found = {}
    for statement in statements:
        for is_generic in (True, False):
            for scan in wide_scans(planner.plan(statement, is_generic)):
                found[re.sub(r"\s+", " ", statement.text.decode())] = f"among {size} rows: {scan}"
    return found


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
    statements = [
        statement for statement in recorded["all"] if not any(broad in statement.text for broad in BROAD)]
    planner, last, found = Planner(database), 0, {}
    assert len(statements) > 120
    for size in SIZES:
        if size >= 100:
            fill(database, last + 1, size)
            last = size
            sql(database, "ANALYZE")
            found |= problems(planner, statements, size)
    planner.close()
    assert found == {}
