"""A gateway behind PgBouncer and HAProxy, which connect to PostgreSQL with TLS and verify its certificate."""

import threading
import time
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
import pytest

import gateway
from certificates import create_certificate
from haproxy import haproxy
from installation import Installation, sql
from ledger import Ledger
from pgbouncer import SETTINGS, pgbouncer
from postgres import Postgres

PASSWORD = "role-password"


@pytest.fixture(scope="module")
def certificate(folder):
    path = folder / "pooler-certificate"
    path.mkdir(mode=0o711)
    created = create_certificate(path)
    created.file.chmod(0o644)
    return created


@pytest.fixture(scope="module")
def postgres(folder, certificate):
    server = Postgres(folder / "pooled", certificate)
    server.start()
    sql(server.url, f"CREATE ROLE sekisho LOGIN PASSWORD '{PASSWORD}'")
    sql(server.url, "CREATE DATABASE sekisho OWNER sekisho")
    yield server
    server.stop()


def direct_url(postgres, root, host="localhost", mode="verify-full"):
    return (f"postgresql://sekisho:{PASSWORD}@{host}:{postgres.port}/sekisho?hostaddr=127.0.0.1&sslmode={mode}"
            f"&sslrootcert={root}")


@pytest.fixture(scope="module")
def installation(folder, postgres, certificate):
    """The commands connect to PostgreSQL directly, and the gateways of the tests through PgBouncer."""
    return Installation(folder, direct_url(postgres, certificate.file)).with_project()


class Patroni(ThreadingHTTPServer):
    """Patroni's REST check of the primary. The other paths of the real one are not used."""

    def __init__(self):
        self.is_primary = True
        super().__init__(("127.0.0.1", 0), PatroniCheck)


class PatroniCheck(BaseHTTPRequestHandler):
    def do_OPTIONS(self):
        self.send_response(200 if self.server.is_primary and self.path == "/primary" else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def patroni():
    with Patroni() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def pooler_url(folder, postgres, patroni, certificate):
    with running_pooler(folder / "pooler", postgres, patroni, certificate) as url:
        yield url


@contextmanager
def running_pooler(folder, postgres, patroni, certificate):
    folder.mkdir(mode=0o711)
    port = gateway.free_port()
    changes = {
        "bind 127.0.0.1:5433": f"bind 127.0.0.1:{port}", "port 8008": f"port {patroni.server_port}",
        "10.0.0.21:5432": f"127.0.0.1:{postgres.port}",
        # Nothing listens at these addresses.
        "10.0.0.22:5432": "127.0.0.3:1", "10.0.0.23:5432": "127.0.0.4:1"}

    def answers():
        try:
            with psycopg.connect(f"{postgres.url}&host=127.0.0.1&port={port}", connect_timeout=5):
                return True
        except psycopg.OperationalError as error:
            return "password" in str(error)

    with haproxy(folder, "haproxy-postgresql.cfg", changes, answers), pgbouncer(
            folder / "pgbouncer", port=port, database="sekisho", password=PASSWORD, certificate=certificate) as url:
        yield url


@pytest.fixture(scope="module")
def gateways(installation, pooler_url):
    api_key = installation.create_api_key()
    with ExitStack() as stack:
        running = []
        for _ in range(2):
            serve = stack.enter_context(
                installation.second_gateway().starting(api_key, DATABASE_URL=pooler_url, **SETTINGS))
            gateway.wait_for(serve.is_ready, serve.process, serve.log)
            running.append(serve)
        yield running


def sessions_of_gateways(postgres):
    return int(sql(postgres.url, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'sekisho'"))


def test_the_sessions_of_a_pooler_are_encrypted_and_have_the_settings_of_the_planner(postgres, gateways, pooler_url):
    with psycopg.connect(pooler_url) as connection:
        row = connection.execute("SELECT current_setting('enable_seqscan'), current_setting('statement_timeout')")
        assert row.fetchone() == ("off", "4500ms")
    rows = sql(postgres.url, "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                             "WHERE usename = 'sekisho'")
    assert rows == "t\n"


def test_nothing_is_lost_behind_a_pooler_while_postgresql_restarts(postgres, gateways):
    ledger = Ledger(gateways)
    with ledger.load(clients=16):
        assert gateway.eventually(lambda: ledger.requests > 400)
        assert ledger.unavailable == 0
        assert sessions_of_gateways(postgres) <= 20
        with postgres.stopped():
            seen = ledger.unavailable
            assert gateway.eventually(lambda: ledger.unavailable > seen)
        began = time.monotonic()
        assert ledger.continues()
        print(f"requests succeed {time.monotonic() - began:.1f} s after the restart")
    assert ledger.rejections == []
    assert ledger.lost_writes() == []


def test_a_gateway_behind_a_pooler_follows_the_primary(postgres, patroni, gateways):
    """HAProxy closes the sessions of a server that is no longer the primary, and connects again when one is."""
    ledger = Ledger(gateways)
    with ledger.load(clients=4):
        assert gateway.eventually(lambda: len(ledger.sessions) == 4)
        patroni.is_primary = False
        assert gateway.eventually(lambda: sessions_of_gateways(postgres) == 0)
        patroni.is_primary = True
        assert ledger.continues()
    assert ledger.rejections == []
    assert ledger.lost_writes() == []


@pytest.mark.parametrize("change, problem", [
    ({"root": "other"}, "certificate verify failed"),
    ({"host": "other.example.com"}, "does not match host name"),
    ({"mode": "disable"}, "no pg_hba.conf entry"),
])
def test_a_gateway_rejects_a_server_that_it_cannot_verify(
        installation, postgres, certificate, tmp_path, change, problem):
    arguments = {"root": certificate.file} | change
    if "root" in change:
        arguments["root"] = create_certificate(tmp_path).file
    checked = installation.run("check", DATABASE_URL=direct_url(postgres, **arguments))
    assert checked.returncode == 1 and problem in checked.stdout, checked.stdout
