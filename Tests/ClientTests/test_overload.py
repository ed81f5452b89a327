"""What the gateway rejects, and how, when it gets more passwords, bodies or connections than it accepts."""

import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest

from client import PASSWORD, Client
from gateway import eventually
from processes import resident_memory

ATTACKER_ADDRESS, VICTIM_ADDRESS = "203.0.113.7", "198.51.100.9"


@pytest.fixture(scope="module")
def client(installation, contract):
    low_limits = {
        "SEKISHO_PASSWORD_THREADS": "1",
        "SEKISHO_PASSWORD_WAITING": "4",
        "SEKISHO_PASSWORD_MEMORY_KIB": "19456",
        "SEKISHO_PASSWORD_ITERATIONS": "2",
        "SEKISHO_TRUSTED_PROXIES": "127.0.0.0/8",
        "SEKISHO_BODY_MEMORY_MIB": "32",
        "SEKISHO_CONNECTIONS": "2000",
    }
    with installation.second_gateway().serving(**low_limits) as serve:
        yield Client(serve, contract)


def sign_in(client, ada, password, address):
    """Signs in to the account of the session `ada` from a client address, and returns the `Response`."""
    json = {"email": ada["email"], "password": password}
    return client.call("signInWithPassword", json, headers={"X-Forwarded-For": address})


@contextmanager
def flood(client, ada, address):
    """Signs in repeatedly on sixteen threads; yields the list of responses.

    `address` is the value of `X-Forwarded-For`; a placeholder in it gets the number of the thread.
    """
    responses, stopped = [], threading.Event()

    def attack(number):
        while not stopped.is_set():
            responses.append(sign_in(client, ada, PASSWORD, address.format(number)))

    with ThreadPoolExecutor(16) as pool:
        attackers = [pool.submit(attack, number) for number in range(16)]
        try:
            yield responses
        finally:
            stopped.set()
        for attacker in attackers:
            attacker.result()


def test_excess_password_requests_get_503_in_plain_text(client):
    """`Client.call` fails unless the response is as in openapi.yaml, which describes a 503 as plain text."""
    ada = client.new_account()
    with ThreadPoolExecutor(48) as pool:
        passwords = [PASSWORD, "wrong horse battery"] * 24
        responses = list(pool.map(lambda password: sign_in(client, ada, password, ATTACKER_ADDRESS), passwords))
    counted = Counter(response.status for response in responses)
    assert 503 in counted and counted.keys() <= {200, 400, 503}
    # Not every request is rejected, although only one thread verifies passwords.
    assert counted[200] + counted[400] >= 2
    assert {response.code for response in responses if response.status == 400} <= {"INVALID_LOGIN_CREDENTIALS"}


# In `X-Forwarded-For`, only the last address counts, because the trusted proxy has appended it; the client may have
# written the others. In the queue of passwords, all addresses of an IPv4 /24 share one turn, and so do all addresses of
# an IPv6 /48.
@pytest.mark.parametrize("address", [
    ATTACKER_ADDRESS, f"192.0.2.{{}}, {ATTACKER_ADDRESS}", "203.0.113.{}", "2001:db8:1:1::{:x}",
    "2001:db8:1:11{:02x}::1", "2001:db8:1:{:x}00::1",
])
def test_a_flood_of_sign_ins_does_not_affect_clients_of_other_networks(client, address):
    ada, grace = client.new_account(), client.new_account()
    with flood(client, ada, address) as responses:
        for _ in range(20):
            assert client.call("lookUpOwnAccount", {"idToken": grace["idToken"]}).status == 200
            refreshed = client.refresh(grace)
            assert refreshed.status == 200
            grace |= {"refreshToken": refreshed.body["refresh_token"], "idToken": refreshed.body["id_token"]}
        for _ in range(5):
            assert sign_in(client, grace, PASSWORD, VICTIM_ADDRESS).status == 200
    assert {response.status for response in responses} == {200, 503}


MIB = 1 << 20
IMPORT_PATH = "/v1/projects/demo/accounts:batchCreate"


@contextmanager
def incomplete_requests(serve, count, path, *, length, sent):
    """Opens `count` requests and sends only `sent` of the `length` bytes of each body; yields the sockets."""
    host, port = serve.url.removeprefix("http://").split(":")
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n"
    with ExitStack() as open_sockets:
        sockets = [open_sockets.enter_context(socket.create_connection((host, int(port)), 30)) for _ in range(count)]
        for connection in sockets:
            try:
                connection.sendall(head.encode() + b"x" * sent)
            except OSError:
                pass  # The gateway has already answered and closed the connection.
        yield sockets


def status_of(connection):
    return int(connection.recv(4096).split()[1])


def test_large_bodies_without_a_service_key_are_not_read(client):
    serve = client.gateway
    before = resident_memory(serve.process.pid)
    # The bodies have 240 MiB together.
    with incomplete_requests(serve, 60, IMPORT_PATH, length=4 * MIB, sent=4 * MIB - 1) as sockets:
        assert {status_of(connection) for connection in sockets} == {403}
        assert serve.metric("sekisho_body_bytes") == 0
        assert resident_memory(serve.process.pid) - before < 60 * MIB


def test_bodies_of_all_clients_have_one_limit_and_small_requests_still_succeed(client):
    serve, ada = client.gateway, client.new_account()
    before, rejected = resident_memory(serve.process.pid), serve.metric("sekisho_bodies_rejected_total")
    # The bodies have 75 MiB together, and the limit is 32 MiB.
    with incomplete_requests(serve, 1200, "/v1/accounts:signUp", length=64 * 1024, sent=64 * 1024 - 1):
        assert eventually(lambda: serve.metric("sekisho_bodies_rejected_total") > rejected)
        assert 24 * MIB < serve.metric("sekisho_body_bytes") <= 32 * MIB
        assert resident_memory(serve.process.pid) - before < 100 * MIB
        with incomplete_requests(serve, 1, "/v1/accounts:signUp", length=64 * 1024, sent=0) as late:
            assert status_of(late[0]) == 503
        assert client.call("lookUpOwnAccount", {"idToken": ada["idToken"]}).status == 200
        assert sign_in(client, ada, PASSWORD, VICTIM_ADDRESS).status == 200
    assert eventually(lambda: serve.metric("sekisho_body_bytes") == 0)


def test_idle_connections_are_closed_when_too_many_are_open(client):
    serve, ada = client.gateway, client.new_account()
    host, port = serve.url.removeprefix("http://").split(":")
    with ExitStack() as open_sockets:
        # SEKISHO_CONNECTIONS is 2000.
        for _ in range(2200):
            open_sockets.enter_context(socket.create_connection((host, int(port)), 30))
        assert client.call("lookUpOwnAccount", {"idToken": ada["idToken"]}).status == 200
        assert sign_in(client, ada, PASSWORD, VICTIM_ADDRESS).status == 200
        assert serve.metric("sekisho_connections") <= 2000
        assert serve.metric("sekisho_connections_closed_idle_total") > 0
