"""Ten minutes of sign-ups, refreshes, look-ups and deletions: the gateway does not grow.

`SOAK_SECONDS` changes the duration.
"""

import os
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

import gateway
from installation import sql
from ledger import Ledger
from processes import resident_memory

SECONDS = int(os.environ.get("SOAK_SECONDS", "600"))
SAMPLES = 40
# Rows that background workers delete or change.
JOBS = (
    "SELECT (SELECT count(*) FROM outgoing_email) + (SELECT count(*) FROM apple_grant WHERE state <> 'AUTHORIZED')")

pytestmark = pytest.mark.skipif(os.environ.get("SEKISHO_FAULTS") != "long", reason="takes ten minutes")


def use_and_delete_accounts(serve, ended):
    """The whole life of accounts, again and again. Returns the responses other than successes."""
    web, failures = requests.Session(), []

    def post(path, body):
        response = web.post(f"{serve.url}{path}", params={"key": serve.api_key}, json=body, timeout=30)
        if response.status_code != 200:
            failures.append((path, response.status_code, response.text[:300]))
        return response.json()

    while not ended.is_set() and not failures:
        session = post("/v1/accounts:signUp", {})
        for _ in range(3):
            post("/v1/accounts:lookup", {"idToken": session["idToken"]})
        post("/v1/accounts:update", {"idToken": session["idToken"], "displayName": "Ada"})
        post("/v1/accounts:delete", {"idToken": session["idToken"]})
    return failures


def measured(serve, database_url):
    name = sql(database_url, "SELECT current_database()").strip()
    return {
        "MiB of memory": resident_memory(serve.process.pid) / 2**20,
        "descriptors": len(list(Path(f"/proc/{serve.process.pid}/fd").iterdir())),
        "connections": int(sql(database_url, f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'")),
        "jobs": int(sql(database_url, JOBS)),
    }


def test_a_gateway_does_not_grow(new_installation):
    installation = new_installation()
    ended = threading.Event()
    with installation.serving() as serve, ThreadPoolExecutor(4) as pool:
        ledger = Ledger([serve])
        users = [pool.submit(use_and_delete_accounts, serve, ended) for _ in range(4)]
        samples = []
        with ledger.load(clients=2):
            try:
                for _ in range(SAMPLES):
                    time.sleep(SECONDS / SAMPLES)
                    samples.append(measured(serve, installation.database_url))
            finally:
                ended.set()
        assert [user.result() for user in users] == [[]] * 4
        quarter = SAMPLES // 4
        second, last = (
            {name: statistics.median(sample[name] for sample in part) for name in samples[0]}
            for part in (samples[quarter:2 * quarter], samples[-quarter:]))
        print(f"{ledger.requests} requests of the ledger; second quarter {second}, last quarter {last}")
        assert last["MiB of memory"] <= second["MiB of memory"] * 1.1 + 2
        assert last["descriptors"] <= second["descriptors"] + 4
        assert last["connections"] <= second["connections"] + 2
        assert last["jobs"] <= second["jobs"]
        assert ledger.rejections == [] and ledger.unavailable == 0
        assert ledger.lost_writes() == []
        assert serve.logged_problems() == []
        assert gateway.eventually(lambda: int(sql(installation.database_url, JOBS)) == 0)
