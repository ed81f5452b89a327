"""Graceful shutdown: requests in flight are answered, new connections are refused, and the exit status is 0."""

import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

import gateway
from client import PASSWORD, Client

# A hash takes long enough with these parameters for the test to act meanwhile.
SLOW_HASHES = {
    "SEKISHO_PASSWORD_THREADS": "1",
    "SEKISHO_PASSWORD_MEMORY_KIB": "65536",
    "SEKISHO_PASSWORD_ITERATIONS": "16",
    # Longer than the default of ten seconds, because three hashes may take longer.
    "SEKISHO_DRAIN_SECONDS": "60",
}


@pytest.fixture
def slow_serve(installation):
    """A `sekisho serve` that needs long to hash a password."""
    with installation.second_gateway().serving(**SLOW_HASHES) as running:
        yield running


def refuses_connections(serve):
    host, port = serve.url.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=30).close()
    except ConnectionRefusedError:
        return True


def test_requests_in_flight_are_answered_and_new_connections_refused(slow_serve, contract):
    client = Client(slow_serve, contract)
    ada = client.new_account()
    sign_in = {"email": ada["email"], "password": PASSWORD}
    with ThreadPoolExecutor() as pool:
        # One password is being hashed, the other two wait in the queue.
        requested = [pool.submit(client.call, "signInWithPassword", sign_in) for _ in range(3)]
        assert gateway.eventually(lambda: slow_serve.metric("sekisho_passwords_waiting") == 2)
        slow_serve.process.send_signal(signal.SIGTERM)
        assert gateway.eventually(lambda: refuses_connections(slow_serve))
        assert not all(future.done() for future in requested)
        assert [future.result().status for future in requested] == [200, 200, 200]
    assert slow_serve.process.wait(gateway.STOP_TIMEOUT_SECONDS) == 0
    assert '"message":"draining"' in slow_serve.log.read_text()


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_idle_connection_does_not_delay_the_exit(slow_serve, signal_number):
    with requests.Session() as session:
        assert session.get(slow_serve.url + "/healthz", timeout=30).status_code == 200
        assert gateway.stop(slow_serve.process, signal_number) == 0
