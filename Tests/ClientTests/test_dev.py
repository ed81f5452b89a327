"""Start, exit and data folder of `sekisho dev`."""

import json
import re
import shlex
import signal
import socket
import subprocess

import pytest
import requests

import gateway
from client import PASSWORD, fresh_email, unverified_claims
from installation import new_database
from processes import child_process_ids, listening_addresses, process_exists, process_ids_by_command_line


@pytest.fixture(scope="module")
def dev_folder(folder):
    """A folder in which the tests run one `dev` after the other."""
    path = folder / "dev"
    path.mkdir(mode=0o711)
    return path


def postgres_processes(process):
    """The processes of the PostgreSQL server that a gateway has started."""
    [postmaster] = child_process_ids(process.pid)
    started = child_process_ids(postmaster)
    assert started
    return [postmaster, *started]


def still_running(process_ids):
    return [process_id for process_id in process_ids if process_exists(process_id)]


def failed_start(dev_folder, *options):
    """Runs `sekisho dev`, which must fail, and returns the completed process."""
    return gateway.run_sekisho("dev", "--data", str(dev_folder / "data"), *options)


def test_the_printed_command_signs_a_simulated_user_in(dev):
    command = re.search(r"^Sign in with Apple: (.+)$", dev.log.read_text(), re.MULTILINE)[1]
    completed = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=60)
    assert completed.returncode == 0, completed.stderr
    assert "postBody" in json.loads(completed.stdout)


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_gateway_and_its_postgresql(dev_folder, signal_number):
    with gateway.dev(dev_folder) as dev:
        postgres = postgres_processes(dev.process)
        assert gateway.stop(dev.process, signal_number) == 0
        assert still_running(postgres) == []


def test_the_postgresql_of_a_killed_gateway_stops(dev_folder):
    with gateway.dev(dev_folder) as dev:
        postgres = postgres_processes(dev.process)
        assert gateway.stop(dev.process, signal.SIGKILL) == -signal.SIGKILL
        assert gateway.eventually(lambda: not still_running(postgres))


def test_accounts_and_sessions_survive_a_restart(dev_folder):
    account = {"email": fresh_email(), "password": PASSWORD}
    with gateway.dev(dev_folder) as dev:
        created = requests.post(dev.url + "/v1/accounts:signUp?key=any", json=account, timeout=30).json()
    with gateway.dev(dev_folder) as dev:
        found = requests.post(dev.url + "/v1/accounts:signInWithPassword?key=any", json=account, timeout=30).json()
        assert found["localId"] == created["localId"]
        again = {"grant_type": "refresh_token", "refresh_token": created["refreshToken"]}
        assert requests.post(dev.url + "/v1/token?key=any", json=again, timeout=30).status_code == 200


def test_a_second_gateway_in_the_same_folder_is_rejected(dev_folder):
    with gateway.dev(dev_folder) as dev:
        completed = failed_start(dev_folder, "--port", "0")
        assert completed.returncode == 1
        assert "another process runs PostgreSQL in" in completed.stderr
        assert "stop that process, or use another directory" in completed.stderr
        assert dev.is_ready()


def test_a_port_in_use_is_named_and_postgresql_is_stopped(dev_folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        completed = failed_start(dev_folder, "--port", str(port))
    assert (completed.returncode, completed.stdout) == (1, "")
    assert f"127.0.0.1:{port}" in completed.stderr and "already in use" in completed.stderr.lower()
    assert process_ids_by_command_line(str(dev_folder)) == []


def test_both_loopback_addresses_answer_on_the_same_port(dev):
    port = dev.url.rsplit(":", 1)[1]
    for host in ["127.0.0.1", "[::1]", "localhost"]:
        assert requests.get(f"http://{host}:{port}/healthz", timeout=30).status_code == 200
    gateway_addresses = [found for found in listening_addresses(dev.process.pid) if found.endswith(f":{port}")]
    assert sorted(gateway_addresses) == [f"127.0.0.1:{port}", f"::1:{port}"]


@pytest.mark.parametrize("address, bound", [
    ("0.0.0.0", ["0.0.0.0", "::1"]), ("::", ["::"]), ("127.0.0.2", ["127.0.0.1", "127.0.0.2", "::1"]),
    ("::1", ["127.0.0.1", "::1"])])
def test_a_further_address_is_listened_on_with_a_warning_unless_it_is_loopback(dev, dev_folder, address, bound):
    options = ["--database-url", new_database(dev.database_url), "--listen", address]
    with gateway.dev(dev_folder, *options) as running:
        port = running.url.rsplit(":", 1)[1]
        found = [found for found in listening_addresses(running.process.pid) if found.endswith(f":{port}")]
        assert sorted(found) == [f"{host}:{port}" for host in bound]
        is_reachable = address in ("0.0.0.0", "::")
        assert ("other machines can reach" in running.log.read_text()) == is_reachable


@pytest.mark.parametrize("address", ["localhost", "192.0.2.1:9099", ""])
def test_an_invalid_address_to_listen_on_is_rejected(dev_folder, address):
    completed = failed_start(dev_folder, "--listen", address)
    assert completed.returncode == 2
    assert "--listen: expected a numeric address without port" in completed.stderr


def test_the_default_project_is_configurable(dev_folder):
    with gateway.dev(dev_folder, "--project", "other-project") as dev:
        session = requests.post(dev.url + "/v1/accounts:signUp?key=any", json={}, timeout=30).json()
        assert unverified_claims(session["idToken"])["aud"] == "other-project"


def test_a_master_key_that_cannot_be_written_is_reported_with_the_reason(dev_folder):
    data = dev_folder / "without-key"
    # `sekisho dev` writes this file first. With a folder in its place, even root cannot write it.
    (data / "master-key.unfinished").mkdir(parents=True)
    completed = gateway.run_sekisho("dev", "--data", str(data), "--port", "0")
    assert completed.returncode == 1
    assert f"cannot write {data}/master-key: File exists" in completed.stderr


def test_a_damaged_master_key_is_not_replaced(dev_folder):
    # The tests before this one have created the data folder.
    key = dev_folder / "data" / "master-key"
    good = key.read_bytes()
    assert key.stat().st_mode & 0o077 == 0
    try:
        key.write_bytes(good[:16])
        completed = failed_start(dev_folder, "--port", "0")
        assert completed.returncode == 1
        assert "master-key is invalid" in completed.stderr
        assert key.read_bytes() == good[:16]
    finally:
        key.write_bytes(good)
