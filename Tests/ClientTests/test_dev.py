"""`sekisho dev` comes and goes, alone or killed, and its data stay."""

import signal
import socket

import jwt
import pytest
import requests

import gateway
from exchange import PASSWORD, fresh_email
from processes import children, exists, running_with


@pytest.fixture(scope="module")
def home(folder):
    """A folder in which one `dev` after the other runs."""
    path = folder / "home"
    path.mkdir(mode=0o711)
    return path


def offspring(process):
    """The processes that belong to a gateway: its PostgreSQL and what that has started."""
    [postmaster] = children(process.pid)
    started = children(postmaster)
    assert started
    return [postmaster, *started]


def alive(process_ids):
    return [process_id for process_id in process_ids if exists(process_id)]


def refused(home, *options):
    return gateway.run("dev", "--data", str(home / "data"), *options)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_gateway_and_its_postgresql(home, number):
    with gateway.dev(home) as dev:
        theirs = offspring(dev.process)
        assert gateway.ended(dev.process, number) == 0
        assert alive(theirs) == []


def test_a_killed_gateway_takes_its_postgresql_along(home):
    with gateway.dev(home) as dev:
        theirs = offspring(dev.process)
        assert gateway.ended(dev.process, signal.SIGKILL) == -signal.SIGKILL
        assert gateway.eventually(lambda: not alive(theirs))


def test_accounts_are_kept_from_one_run_to_the_next(home):
    account = {"email": fresh_email(), "password": PASSWORD}
    with gateway.dev(home) as dev:
        made = requests.post(dev.url + "/v1/accounts:signUp?key=any", json=account, timeout=30).json()
    with gateway.dev(home) as dev:
        found = requests.post(dev.url + "/v1/accounts:signInWithPassword?key=any", json=account, timeout=30).json()
        assert found["localId"] == made["localId"]
        again = {"grant_type": "refresh_token", "refresh_token": made["refreshToken"]}
        assert requests.post(dev.url + "/v1/token?key=any", json=again, timeout=30).status_code == 200


def test_a_second_gateway_in_the_same_folder_is_refused(home):
    with gateway.dev(home) as dev:
        ran = refused(home, "--port", "0")
        assert ran.returncode == 1
        assert "another process runs PostgreSQL in" in ran.stderr
        assert dev.is_ready()


def test_a_port_in_use_is_named_and_the_postgresql_ended(home):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = refused(home, "--port", str(port))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert f"127.0.0.1:{port}" in ran.stderr and "already in use" in ran.stderr.lower()
    assert running_with(str(home)) == []


def test_another_project_may_stand_for_every_key(home):
    with gateway.dev(home, "--project", "other-project") as dev:
        session = requests.post(dev.url + "/v1/accounts:signUp?key=any", json={}, timeout=30).json()
        assert jwt.decode(session["idToken"], options={"verify_signature": False})["aud"] == "other-project"


def test_a_damaged_master_key_is_not_replaced(home):
    key = home / "data" / "master-key"
    good = key.read_bytes()
    assert key.stat().st_mode & 0o077 == 0
    try:
        key.write_bytes(good[:16])
        ran = refused(home, "--port", "0")
        assert ran.returncode == 1
        assert "master-key is damaged" in ran.stderr
        assert key.read_bytes() == good[:16]
    finally:
        key.write_bytes(good)
