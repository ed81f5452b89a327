"""The commands of Deploy/guides/google-console.md configure the stream of Google's security events.

They send their requests to the simulated Google of a `dev` gateway."""

import base64
import json
import shlex
import subprocess

import pytest

import gateway
from documents import GUIDES, code_block
from installation import new_database, sql
from simulators import Simulators

HEADING = "4. Receive Google's security events"


@pytest.fixture(scope="module")
def signals(dev, folder):
    """A function that runs a line of the guide for the project `demo`."""
    path = folder / "google-signals"
    path.mkdir(mode=0o711)
    key = path / "service-account.json"
    private_key = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], capture_output=True,
        text=True, check=True).stdout
    key.write_text(json.dumps({
        "type": "service_account", "private_key_id": "1f2e3d", "private_key": private_key,
        "client_email": "sekisho@demo.iam.gserviceaccount.com"}))
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        state = Simulators(running).request("GET", "/simulators", None).json()
        master_key = base64.b64encode((path / "data" / "master-key").read_bytes()).decode()

        def run(line):
            words = shlex.split(line.replace("my-app", "demo").replace("service-account.json", str(key)))
            assert words[0] == "sekisho"
            return gateway.run_sekisho(
                *words[1:], "--simulator", state["google"]["url"], DATABASE_URL=running.database_url,
                SEKISHO_MASTER_KEY=master_key, SEKISHO_PUBLIC_URL="https://auth.example.com")

        run.database_url = running.database_url
        yield run


def test_the_commands_of_the_guide_register_and_test_the_stream(signals):
    lines = code_block(GUIDES / "google-console.md", HEADING).splitlines()
    register, verify, status = [signals(line) for line in lines]
    assert register.returncode == 0, register.stderr
    assert "https://auth.example.com/v1/google/securityEvents" in register.stdout
    assert "PRIVATE KEY" not in sql(signals.database_url, "SELECT encode(service_account, 'escape') FROM google_signal_stream")
    assert verify.returncode == 0, verify.stderr
    assert "enabled" in status.stdout and "never" in status.stdout, status.stdout + status.stderr
    stopped = signals("sekisho signals google unregister --project my-app --yes")
    assert stopped.returncode == 0, stopped.stderr
    missing = signals("sekisho signals google status --project my-app")
    assert missing.returncode == 1 and "register" in missing.stderr


def test_a_file_that_is_not_a_key_is_refused(signals, tmp_path):
    (tmp_path / "other.json").write_text("{}")
    refused = signals(f"sekisho signals google register --project my-app --key-file {tmp_path / 'other.json'}")
    assert refused.returncode == 1 and "not the key of a service account" in refused.stderr
