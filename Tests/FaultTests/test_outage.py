"""While PostgreSQL is away, verifiers and pages go on, writes answer 503, and nothing acknowledged is lost."""

import re
import time

import pytest
import requests

import gateway
from client import Client
from ledger import Ledger

OUTAGE_SECONDS = 8


@pytest.fixture(scope="module")
def serve(own_installation):
    with own_installation.serving(SEKISHO_OUTAGE_SECONDS=str(OUTAGE_SECONDS)) as running:
        yield running


def documents(serve):
    """The addresses that do not need PostgreSQL once the configuration is loaded."""
    return [
        f"{serve.url}/{serve.project}/.well-known/jwks.json",
        f"{serve.url}/{serve.project}/.well-known/openid-configuration",
        f"{serve.url}/v1/loginMethods?key={serve.api_key}"]


def test_keys_discovery_and_login_methods_outlive_the_database_for_the_configured_time(postgres, serve, contract):
    client = Client(serve, contract)
    ada = client.new_account()
    for address in documents(serve) * gateway.REQUESTS_TO_REACH_EVERY_LOOP:
        assert requests.get(address, timeout=30).status_code == 200
    loaded = time.monotonic()
    with postgres.stopped():
        while (age := time.monotonic() - loaded) < OUTAGE_SECONDS - 1:
            for address in documents(serve):
                response = requests.get(address, timeout=30)
                assert response.status_code == 200, (age, address, response.text)
                # One second for the request, and one for the rounding.
                for seconds in re.findall(r"max-age=(\d+)", response.headers.get("Cache-Control", "")):
                    assert int(seconds) <= OUTAGE_SECONDS - age + 2, address
            assert client.refresh(ada).status == 503
            time.sleep(0.2)
        for address in documents(serve):
            assert gateway.eventually(lambda: requests.get(address, timeout=30).status_code == 503), address
    assert gateway.eventually(lambda: client.refresh(ada).status == 200)


def test_the_errors_of_an_outage_are_logged_once_a_second(postgres, own_installation):
    with own_installation.second_gateway().starting(own_installation.create_api_key()) as serve:
        gateway.wait_for(serve.is_ready, serve.process, serve.log)
        ledger = Ledger([serve])
        with ledger.load(clients=8):
            assert gateway.eventually(lambda: len(ledger.sessions) == 8)
            with postgres.stopped():
                begin, seen = time.monotonic(), ledger.unavailable
                time.sleep(4)
                seconds, failures = time.monotonic() - begin, ledger.unavailable - seen
            assert gateway.eventually(lambda: ledger.unavailable < ledger.requests)
        lines = [line for line in serve.logged_problems() if '"level":"error"' in line]
        causes = set(re.findall(r'"cause":"([^"]*)"', "".join(lines)))
        assert failures > 50
        # The first and the last second are not complete.
        assert len(lines) <= len(causes) * (seconds + 3)
        assert any('"repeated":' in line for line in lines)
        assert ledger.rejections == []
        assert gateway.eventually(lambda: ledger.lost_writes() == [])


def test_readiness_answers_within_a_second_while_postgresql_does_not_respond(postgres, serve):
    gateway.wait_for(serve.is_ready, serve.process, serve.log)
    with postgres.frozen():
        begin = time.monotonic()
        assert gateway.eventually(lambda: requests.get(f"{serve.url}/readyz", timeout=2).status_code == 503)
        assert time.monotonic() - begin < 5
    assert gateway.eventually(serve.is_ready)
