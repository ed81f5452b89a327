"""The scripts of README.md and of the guides for `sekisho dev`, as printed, one after the other on one gateway."""

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from client import unverified_claims
from documents import GUIDES, README, code_block, replaced

EMULATOR = GUIDES / "emulator.md"
USERS_OF_ADMIN_SDK = """
import firebase_admin
from firebase_admin import auth
firebase_admin.initialize_app(options={"projectId": "demo"})
print(*sorted(user.email or "" for user in auth.list_users().iterate_all()))
"""


@pytest.fixture(scope="module")
def run(fresh_dev, tmp_path_factory):
    """A function that runs a script, which must succeed without a message on standard error, and returns its output.

    All scripts run in one folder, and only the address of the gateway is replaced.
    """
    folder = tmp_path_factory.mktemp("first-hour")

    def run(document, heading, index=0):
        address = fresh_dev.url.removeprefix("http://")
        script = replaced(code_block(document, heading, index), "127.0.0.1:9099", address)
        completed = subprocess.run(["bash", "-euc", script], cwd=folder, capture_output=True, text=True, timeout=120)
        assert (completed.returncode, completed.stderr) == (0, "")
        return completed.stdout

    run.folder = folder
    return run


def json_values(text):
    """The JSON values that follow each other in a text, without separators."""
    decoder, values = json.JSONDecoder(), []
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:]
    return values


def test_the_first_session_of_the_readme_has_the_described_responses(run):
    sign_up, looked_up, refreshed = json_values(run(README, "A first session"))
    signed_in = json.loads((run.folder / "session.json").read_text())
    assert {"localId", "idToken", "refreshToken"} <= sign_up.keys()
    assert signed_in["localId"] == sign_up["localId"]
    [user] = looked_up["users"]
    assert (user["localId"], user["email"]) == (sign_up["localId"], "ada@example.com")
    assert refreshed["user_id"] == sign_up["localId"]
    claims = unverified_claims(refreshed["id_token"])
    assert int(refreshed["expires_in"]) == claims["exp"] - claims["iat"] == 3600


def test_the_sign_in_with_apple_in_the_readme_creates_an_account_with_a_relay_address(run):
    response = json.loads(run(README, "Sign in with Apple on your machine"))
    assert (response["isNewUser"], response["isPrivateEmail"]) == (True, True)


def test_the_sign_in_without_a_browser_in_the_web_guide_creates_an_account(run):
    session = json.loads(run(GUIDES / "web.md", "Without a browser"))
    assert (session["providerId"], session["email"]) == ("google.com", "alan@gmail.com")
    assert session["isNewUser"] is True and "idToken" in session


def test_the_sign_ins_in_the_guide_to_the_emulator_have_the_described_results(run):
    output = run(EMULATOR, "Sign in with Apple or Google")
    files = ["apple.json", "linked.json", "google.json", "again.json"]
    accounts = re.findall(r'^(.+):"localId":"(.+)$', output, re.MULTILINE)
    assert [name for name, _ in accounts] == files
    assert len({local_id for _, local_id in accounts}) == 1
    apple, linked, google, again = (json.loads((run.folder / name).read_text()) for name in files)
    assert (apple["isNewUser"], apple["isPrivateEmail"]) == (True, True)
    assert [entry["providerId"] for entry in (linked, google, again)] == ["google.com", "google.com", "apple.com"]
    assert json.loads((run.folder / "deleted.json").read_text())["appleRevocation"] == "QUEUED"


def test_an_admin_sdk_with_the_variable_of_the_guide_to_the_emulator_manages_these_users(run, fresh_dev):
    command = replaced(
        code_block(EMULATOR, "Connect a Firebase SDK"), "127.0.0.1:9099", fresh_dev.url.removeprefix("http://"))
    completed = subprocess.run(
        ["bash", "-euc", command + 'exec "$@"', "_", sys.executable, "-c", USERS_OF_ADMIN_SDK], capture_output=True,
        text=True, timeout=120)
    assert completed.returncode == 0, completed.stderr
    assert {"ada@example.com", "alan@gmail.com"} <= set(completed.stdout.split())


def test_the_commands_of_the_guide_to_clients_generate_a_client_in_swift(run, fresh_dev, monkeypatch, tmp_path):
    # The tests have installed the generator.
    pip = tmp_path / "pip"
    pip.write_text(f"""#!/bin/sh
[ "$*" = "install openapi-generator-cli=={metadata.version("openapi-generator-cli")}" ]
""")
    pip.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}")
    run(GUIDES / "generated-clients.md", "Generate the client")
    package = (run.folder / "client/Package.swift").read_text()
    assert 'name: "SekishoClient"' in package
    assert list(run.folder.glob("client/**/SignInAPI.swift"))
