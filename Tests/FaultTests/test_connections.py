"""Two gateways with 32 event loops share 37 connections to PostgreSQL without a failed request."""

import socket
import threading
from contextlib import ExitStack, contextmanager

import pytest
import requests

import gateway
from installation import Installation, new_database, sql
from ledger import Ledger
from postgres import Postgres

MAX_CONNECTIONS = 40
LOOPS = 16


@pytest.fixture(scope="module")
def postgres(folder):
    server = Postgres(folder / "few")
    server.start()
    sql(server.url, f"ALTER SYSTEM SET max_connections = {MAX_CONNECTIONS}")
    server.stop()
    server.start()
    yield server
    server.stop()


def test_all_event_loops_of_two_gateways_serve_requests(folder, postgres):
    installation = Installation(folder, new_database(postgres.url)).with_project()
    api_key = installation.create_api_key()
    with ExitStack() as stack:
        gateways = []
        for _ in range(2):
            serve = stack.enter_context(
                installation.second_gateway().starting(api_key, SEKISHO_LOOPS=str(LOOPS)))
            gateway.wait_for(serve.is_ready, serve.process, serve.log)
            gateways.append(serve)
        ledger = Ledger(gateways)
        with ledger.load(clients=48):
            assert gateway.eventually(lambda: ledger.requests > 2000)
            open_connections = int(sql(postgres.url, "SELECT count(*) FROM pg_stat_activity WHERE datname LIKE 'db_%'"))
        assert ledger.rejections == [] and ledger.unavailable == 0
        assert open_connections <= MAX_CONNECTIONS - 3
        assert ledger.lost_writes() == []
        assert [serve.logged_problems() for serve in gateways] == [[], []]


def test_check_compares_the_connections_with_those_of_postgresql(folder, postgres):
    installation = Installation(folder, new_database(postgres.url)).with_project()
    allowed = MAX_CONNECTIONS - 3
    text = f"database connections: PostgreSQL allows {allowed}, and a gateway uses at most"
    assert f"ok    {text} 18: enough for 2 gateways" in installation.run_ok("check", SEKISHO_LOOPS=str(LOOPS))
    checked = installation.run_ok("check", SEKISHO_DATABASE_CONNECTIONS="30")
    assert f"note  {text} 30: too many for two gateways, as during a restart" in checked
    checked = installation.run("check", SEKISHO_DATABASE_CONNECTIONS="38")
    assert checked.returncode == 1 and f"wrong {text} 38: lower SEKISHO_DATABASE_CONNECTIONS" in checked.stdout
    started = installation.run("serve", SEKISHO_LOOPS="4", SEKISHO_DATABASE_CONNECTIONS="3")
    assert started.returncode == 2
    assert "SEKISHO_DATABASE_CONNECTIONS: expected an integer from 4 (SEKISHO_LOOPS) to 1000" in started.stderr


@contextmanager
def silent_host():
    """A port that accepts connections and never answers. Yields the port and the list of accepted connections."""
    accepted = []

    def accept(listener):
        while True:
            try:
                accepted.append(listener.accept()[0])
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1], accepted
        for connection in accepted:
            connection.close()


def test_a_new_connection_begins_with_the_host_that_answered_last(folder, postgres):
    installation = Installation(folder, new_database(postgres.url)).with_project()
    api_key = installation.create_api_key()
    with silent_host() as (port, accepted):
        url = installation.database_url.replace("host=", "host=127.0.0.1,") + f"&port={port},5432"
        # The first host does not answer within the time that `check` once allowed for all hosts.
        assert "ok    database reachable" in installation.run_ok("check", DATABASE_URL=url)
        with installation.starting(api_key, DATABASE_URL=url, SEKISHO_LOOPS="1") as serve:
            gateway.wait_for(serve.is_ready, serve.process, serve.log)
            sign_up = {"url": f"{serve.url}/v1/accounts:signUp?key={api_key}", "json": {}, "timeout": 30}
            assert gateway.eventually(lambda: requests.post(**sign_up).status_code == 200)
            before = len(accepted)
            assert before > 0
            database = database_name(installation.database_url)
            sql(postgres.url, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")
            assert gateway.eventually(lambda: requests.post(**sign_up).status_code == 200)
            assert len(accepted) == before


def database_name(url):
    """The name of the database in a URL."""
    return url.split("?")[0].rsplit("/", 1)[1]
