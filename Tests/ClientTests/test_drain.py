"""SIGTERM: what runs is answered, nothing new is let in, exit 0."""

import re
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

import gateway
from exchange import PASSWORD, Client

# Slow enough for everything else to happen meanwhile; hashing is what this costs.
SLOW = {
    "SEKISHO_PASSWORD_THREADS": "1",
    "SEKISHO_PASSWORD_MEMORY_KIB": "65536",
    "SEKISHO_PASSWORD_ITERATIONS": "16",
    "SEKISHO_DRAIN_SECONDS": "60",
}


@pytest.fixture
def slow(installation):
    with installation.replica().serving(**SLOW) as running:
        yield running


def waiting(serve):
    metrics = requests.get(serve.url + "/metrics", timeout=30).text
    return int(re.search(r"^sekisho_passwords_waiting (\d+)$", metrics, re.MULTILINE)[1])


def refuses(serve):
    host, port = serve.url.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=30).close()
    except ConnectionRefusedError:
        return True


def test_requests_in_flight_are_answered_and_new_ones_refused(slow, contract):
    client = Client(slow, contract)
    ada = client.ada()
    sign_in = {"email": ada["email"], "password": PASSWORD}
    with ThreadPoolExecutor() as people:
        # One is being hashed, the others wait for it.
        asked = [people.submit(client.call, "signInWithPassword", sign_in) for _ in range(3)]
        assert gateway.eventually(lambda: waiting(slow) == 2)
        slow.process.send_signal(signal.SIGTERM)
        assert gateway.eventually(lambda: refuses(slow))
        assert not all(answer.done() for answer in asked)
        assert [answer.result().status for answer in asked] == [200, 200, 200]
    assert slow.process.wait(gateway.STOP_SECONDS) == 0
    assert '"message":"draining"' in slow.log.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_idle_connection_does_not_hold_up_the_end(slow, number):
    with requests.Session() as session:
        assert session.get(slow.url + "/healthz", timeout=30).status_code == 200
        assert gateway.ended(slow.process, number) == 0
