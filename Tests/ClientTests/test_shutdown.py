"""Graceful shutdown: the gateway tells clients to leave, answers requests in flight, refuses new connections, and
exits with status 0."""

import json
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
    last = json.loads(slow_serve.log.read_text().splitlines()[-1])
    assert (last["message"], last["requestsCutOff"]) == ("stopped", 0)


def test_a_request_that_does_not_end_in_time_is_counted_as_cut_off(installation, contract):
    with installation.second_gateway().serving(**SLOW_HASHES | {"SEKISHO_DRAIN_SECONDS": "0"}) as serve:
        client = Client(serve, contract)
        sign_in = {"email": client.new_account()["email"], "password": PASSWORD}
        with ThreadPoolExecutor() as pool:
            requested = [pool.submit(client.call, "signInWithPassword", sign_in) for _ in range(2)]
            assert gateway.eventually(lambda: serve.metric("sekisho_passwords_waiting") == 1)
            assert gateway.stop(serve.process, signal.SIGTERM) == 0
            assert all(isinstance(future.exception(), requests.ConnectionError) for future in requested)
        assert json.loads(serve.log.read_text().splitlines()[-1])["requestsCutOff"] == 2


@pytest.fixture
def leaving_serve(installation):
    """A `sekisho serve` that has received SIGTERM, and tells clients for a minute to leave."""
    with installation.second_gateway().serving(SEKISHO_DRAIN_DELAY_SECONDS="60") as serve:
        serve.process.send_signal(signal.SIGTERM)
        assert gateway.eventually(lambda: requests.get(serve.url + "/readyz", timeout=30).status_code == 503)
        yield serve


def test_before_it_stops_the_gateway_accepts_requests_and_tells_clients_to_leave(leaving_serve, contract):
    readiness = requests.get(leaving_serve.url + "/readyz", timeout=30)
    assert (readiness.status_code, readiness.text) == (503, "draining\n")
    assert requests.get(leaving_serve.url + "/healthz", timeout=30).status_code == 200
    client = Client(leaving_serve, contract)
    assert client.call("signInWithPassword", {"email": client.new_account()["email"], "password": PASSWORD}).status == 200
    with requests.Session() as session:
        assert session.get(leaving_serve.url + "/healthz", timeout=30).headers["Connection"] == "close"


def test_a_second_signal_ends_the_delay(leaving_serve):
    assert gateway.stop(leaving_serve.process, signal.SIGTERM) == 0
    assert json.loads(leaving_serve.log.read_text().splitlines()[-1])["message"] == "stopped"


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_idle_connection_does_not_delay_the_exit(slow_serve, signal_number):
    with requests.Session() as session:
        assert session.get(slow_serve.url + "/healthz", timeout=30).status_code == 200
        assert gateway.stop(slow_serve.process, signal_number) == 0
