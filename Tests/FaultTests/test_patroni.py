"""The machine of PostgreSQL's primary dies under load, again and again: no acknowledged sign-up is lost, and nobody is
signed out.

Only `Deploy/test --faults` runs this test, which takes about ten minutes.
"""

import os
import statistics
import threading
import time

import pytest
import requests

import gateway
from cluster import cluster_running
from installation import Installation, sql

FAILOVERS = int(os.environ.get("FAILOVERS", "20"))

pytestmark = pytest.mark.skipif(os.environ.get("SEKISHO_FAULTS") != "long", reason="takes ten minutes")


class Ledger:
    """Clients that sign up, and refresh their session, without a pause. Keeps what a gateway has acknowledged."""

    def __init__(self, urls, api_key):
        self.accounts, self.signed_out, self.latest = [], [], 0.0
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

    def _post(self, url, path, **body):
        try:
            return requests.post(f"{url}{path}?key={self._key}", timeout=10, **body)
        except requests.RequestException:
            return None

    def _write(self, url):
        while not self._ended.is_set():
            response = self._post(url, "/v1/accounts:signUp", json={})
            if response is not None and response.status_code == 200:
                self.latest = time.monotonic()
                self.accounts.append(response.json()["localId"])
            time.sleep(0.01)

    def _refresh(self, url):
        token = None
        while not self._ended.is_set():
            if token is None:
                response = self._post(url, "/v1/accounts:signUp", json={})
                token = response.json()["refreshToken"] if response is not None and response.status_code == 200 else None
            else:
                response = self._post(url, "/v1/token", data={"grant_type": "refresh_token", "refresh_token": token})
                if response is not None and response.status_code == 200:
                    token = response.json()["refresh_token"]
                elif response is not None and 400 <= response.status_code < 500:
                    self.signed_out.append(response.text)
                    token = None
            time.sleep(0.05)


def test_the_machine_of_the_primary_dies(tmp_path, folder):
    folder = folder / "cluster"
    folder.mkdir()
    folder.chmod(0o755)
    with cluster_running(folder) as cluster:
        first = Installation(folder, cluster.url()).with_project()
        second = first.second_gateway()
        api_key = first.create_api_key()
        with first.starting(api_key) as a, second.starting(api_key) as b:
            for serve in (a, b):
                gateway.wait_for(serve.is_ready, serve.process, serve.log)
            outages = []
            with Ledger([a.url, b.url], api_key) as ledger:
                for _ in range(FAILOVERS):
                    assert gateway.eventually(cluster.is_complete, 120)
                    before = len(ledger.accounts)
                    assert gateway.eventually(lambda: len(ledger.accounts) > before + 20)
                    dead = cluster.primary()
                    dead.kill()
                    died = time.monotonic()
                    assert gateway.eventually(lambda: ledger.latest > died + 0.5, 120), (
                        "no writes after a failover:\n" + "\n".join(machine.log() for machine in cluster.machines))
                    outages.append(ledger.latest - died)
                    dead.start()
            print(f"{len(ledger.accounts)} sign-ups; outages in s: median {statistics.median(outages):.1f}, "
                  f"longest {max(outages):.1f}")
            assert ledger.signed_out == []
            stored = sql(first.database_url, "SELECT id FROM account").split()
            assert set(ledger.accounts) - set(stored) == set()
