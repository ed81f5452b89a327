"""The machine of PostgreSQL's primary dies under load, again and again, and etcd fails: no acknowledged sign-up is
lost, and nobody is signed out.

Two gateways connect to the machines of PostgreSQL, and a third one to PgBouncer, which connects through HAProxy. Only
`Deploy/test --faults` runs these tests, which take about twenty minutes.
"""

import os
import statistics
import threading
import time
from contextlib import ExitStack

import psycopg
import pytest
import requests

import gateway
from cluster import NAMES, ROLE_PASSWORD, address, cluster_running
from haproxy import haproxy
from installation import Installation, sql
from pgbouncer import SETTINGS, pgbouncer

FAILOVERS = int(os.environ.get("FAILOVERS", "20"))
# Longer than Patroni's `ttl`.
ETCD_SECONDS = 30

pytestmark = pytest.mark.skipif(os.environ.get("SEKISHO_FAULTS") != "long", reason="takes twenty minutes")


class Ledger:
    """Clients that sign up, and refresh their session, without a pause. Keeps what a gateway has acknowledged."""

    def __init__(self, urls, api_key):
        # The responses that were neither successes nor 503: each would sign a user out or is a defect.
        self.accounts, self.rejections = [], []
        # The times of the sign-ups by gateway.
        self._times = {url: [] for url in urls}
        self._key = api_key
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(url,)) for url in urls] + [
            threading.Thread(target=self._refresh, args=(url,)) for url in urls]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception):
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def expect_writes(self, cluster):
        """Waits until sign-ups succeed at every gateway, a while after this call."""
        begin = time.monotonic() + 0.5
        assert gateway.eventually(
            lambda: all(times and times[-1] > begin for times in self._times.values()), 120), cluster.log()

    def first_after(self, instant):
        """The time of the first sign-up of each gateway that began after an outage."""
        return [next(time for time in times if time > instant + 0.5) for times in self._times.values()]

    def _post(self, url, path, **body):
        try:
            response = requests.post(f"{url}{path}?key={self._key}", timeout=10, **body)
        except requests.RequestException:
            return None
        if response.status_code not in (200, 503):
            self.rejections.append((path, response.status_code, response.text))
        return response

    def _write(self, url):
        while not self._ended.is_set():
            response = self._post(url, "/v1/accounts:signUp", json={})
            if response is not None and response.status_code == 200:
                self._times[url].append(time.monotonic())
                self.accounts.append(response.json()["localId"])
            time.sleep(0.01)

    def _refresh(self, url):
        token = None
        while not self._ended.is_set():
            if token is None:
                response = self._post(url, "/v1/accounts:signUp", json={})
                if response is not None and response.status_code == 200:
                    token = response.json()["refreshToken"]
            else:
                response = self._post(url, "/v1/token", data={"grant_type": "refresh_token", "refresh_token": token})
                if response is not None and response.status_code == 200:
                    token = response.json()["refresh_token"]
                elif response is not None and 400 <= response.status_code < 500:
                    token = None
            time.sleep(0.05)


@pytest.fixture(scope="module")
def cluster(folder):
    path = folder / "cluster"
    path.mkdir()
    path.chmod(0o755)
    with cluster_running(path) as running:
        yield running


@pytest.fixture(scope="module")
def installation(folder, cluster):
    return Installation(folder, cluster.url()).with_project()


@pytest.fixture(scope="module")
def pooler_url(folder, cluster):
    port = gateway.free_port()
    path = folder / "cluster-pooler"
    path.mkdir(mode=0o711)
    changes = {"bind 127.0.0.1:5433": f"bind 127.0.0.1:{port}", "port 8008": f"port {cluster.ports['8008']}"} | {
        f"10.0.0.2{number}:5432": f"{address(name)}:{cluster.ports['5432']}" for number, name in enumerate(NAMES, 1)}

    def answers():
        try:
            with psycopg.connect(f"host=localhost port={port} dbname=sekisho user=sekisho password={ROLE_PASSWORD}"):
                return True
        except psycopg.OperationalError:
            return False

    with haproxy(path, "haproxy-postgresql.cfg", changes, answers), pgbouncer(
            path / "pgbouncer", port=port, database="sekisho", password=ROLE_PASSWORD,
            certificate=cluster.certificate) as url:
        yield url


@pytest.fixture(scope="module")
def api_key(installation):
    return installation.create_api_key()


@pytest.fixture(scope="module")
def gateways(installation, api_key, pooler_url):
    with ExitStack() as stack:
        running = [
            stack.enter_context(installation.second_gateway().starting(api_key, **settings))
            for settings in ({}, {}, {"DATABASE_URL": pooler_url, **SETTINGS})]
        for serve in running:
            gateway.wait_for(serve.is_ready, serve.process, serve.log)
        yield running


@pytest.fixture
def ledger(cluster, installation, gateways, api_key):
    """A ledger of the clients of all gateways. After the test, compares it with the database."""
    with Ledger([serve.url for serve in gateways], api_key) as running:
        yield running
        running.expect_writes(cluster)
    print(f"{len(running.accounts)} sign-ups")
    assert running.rejections == []
    stored = sql(installation.database_url, "SELECT id FROM account").split()
    assert set(running.accounts) - set(stored) == set()


def test_the_machine_of_the_primary_dies(cluster, ledger):
    outages = []
    for _ in range(FAILOVERS):
        assert gateway.eventually(cluster.is_complete, 120), f"after {outages}:\n{cluster.log()}"
        ledger.expect_writes(cluster)
        dead = cluster.primary()
        dead.kill()
        died = time.monotonic()
        ledger.expect_writes(cluster)
        outages.append([latest - died for latest in ledger.first_after(died)])
        dead.start()
    for number, seconds in enumerate(zip(*outages)):
        print(f"outages of gateway {number} in s: median {statistics.median(seconds):.1f}, longest {max(seconds):.1f}")


def test_one_etcd_fails(cluster, ledger):
    assert gateway.eventually(cluster.is_complete, 120), cluster.log()
    primary = cluster.primary()
    other = next(machine for machine in cluster.machines if machine is not primary)
    other.kill_etcd()
    time.sleep(ETCD_SECONDS)
    ledger.expect_writes(cluster)
    assert cluster.primary() is primary
    other.start_etcd()


def test_most_etcds_fail(cluster, ledger):
    """Patroni makes the primary read-only, because it cannot know whether another server has become primary."""
    assert gateway.eventually(cluster.is_complete, 120), cluster.log()
    failed = cluster.machines[:2]
    for machine in failed:
        machine.kill_etcd()
    assert gateway.eventually(lambda: cluster.primary() is None, 120), cluster.log()
    for machine in failed:
        machine.start_etcd()
    restarted = time.monotonic()
    ledger.expect_writes(cluster)
    print(f"writes {max(ledger.first_after(restarted)) - restarted:.1f} s after etcd")
