"""The commands in README.md have the described results."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import jwt
import pytest
import requests

import gateway
from client import fresh_email
from installation import new_database

README = Path(__file__).parents[2] / "README.md"


def block(heading):
    """The first block of shell commands below a heading."""
    section = README.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.search(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[1]


def replaced(script, old, new):
    assert old in script, f"not in README.md: {old}"
    return script.replace(old, new)


def test_the_first_session_has_the_described_responses(dev, tmp_path):
    script = replaced(block("A first session"), "http://127.0.0.1:9099", dev.url)
    # A newline after each response, so that the test can split the output.
    script = replaced(script, "curl -s ", "curl -s -w '\\n' ")
    completed = subprocess.run(["bash", "-euc", script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (completed.returncode, completed.stderr) == (0, "")
    sign_up, looked_up, refreshed = (json.loads(line) for line in re.split(r"\n(?=\{)", completed.stdout.strip()))
    signed_in = json.loads((tmp_path / "session.json").read_text())
    assert {"localId", "idToken", "refreshToken"} <= sign_up.keys()
    assert signed_in["localId"] == sign_up["localId"]
    [user] = looked_up["users"]
    assert (user["localId"], user["email"]) == (sign_up["localId"], "ada@example.com")
    assert refreshed["user_id"] == sign_up["localId"]
    claims = jwt.decode(refreshed["id_token"], options={"verify_signature": False})
    assert int(refreshed["expires_in"]) == claims["exp"] - claims["iat"] == 3600


def test_the_lines_for_api_keys_are_those_of_the_tested_clients():
    section = README.read_text().split("\n## A client in your language\n")[1].split("\n## ")[0]
    lines = dict(re.findall(r"^\| `([\w-]+)` \| `(.*)` \|$", section, re.MULTILINE))
    scenarios = Path(__file__).parent / "scenarios"
    files = {"swift6": "swift/Sources/Scenario/main.swift", "typescript-fetch": "scenario.ts", "python": "scenario.py"}
    assert lines.keys() - files.keys() == {"kotlin"}
    for generator, file in files.items():
        assert lines[generator] in (scenarios / file).read_text()


def test_the_local_sign_in_with_apple_has_the_described_results(dev, tmp_path):
    script = replaced(block("Sign in with Apple, on your machine"), "http://127.0.0.1:9099", dev.url)
    # Other tests of this gateway can have signed the same user in.
    script = replaced(script, "ada@gmail.com", fresh_email())
    completed = subprocess.run(["bash", "-euc", script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (completed.returncode, completed.stderr) == (0, "")
    files = ["apple.json", "linked.json", "google.json", "again.json"]
    accounts = re.findall(r'^(.+):"localId":"(.+)$', completed.stdout, re.MULTILINE)
    assert [name for name, _ in accounts] == files
    assert len({local_id for _, local_id in accounts}) == 1
    apple, linked, google, again = (json.loads((tmp_path / name).read_text()) for name in files)
    assert (apple["isNewUser"], apple["isPrivateEmail"]) == (True, True)
    assert [entry["providerId"] for entry in (linked, google, again)] == ["google.com", "google.com", "apple.com"]
    assert json.loads((tmp_path / "deleted.json").read_text())["appleRevocation"] == "QUEUED"


@pytest.fixture
def path(tmp_path):
    """A folder for PATH that contains the gateway as `sekisho`."""
    (tmp_path / "sekisho").symlink_to(Path(gateway.binary()).resolve())
    return tmp_path


def test_the_production_commands_start_a_gateway(dev, path):
    port = gateway.free_port()
    script = block("In production")
    url_in_readme = re.search(r"^export DATABASE_URL=(\S+)$", script, re.MULTILINE)[1]
    script = replaced(script, url_in_readme, f"'{new_database(dev.database_url)}'")
    script = replaced(script, "\nsekisho serve\n", f"\nexport SEKISHO_LISTEN=127.0.0.1:{port}\nexec sekisho serve\n")
    log = path / "log"
    environment = gateway.clean_environment(PATH=f"{path}:{os.environ['PATH']}")
    command = ["bash", "-euo", "pipefail", "-c", script]
    with log.open("w") as output:
        shell = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        url = f"http://127.0.0.1:{port}"
        gateway.wait_for(lambda: gateway.succeeds(url + "/readyz"), shell, log)
        key = re.search(r"^sk_\S+$", log.read_text(), re.MULTILINE)[0]
        session = requests.post(f"{url}/v1/accounts:signUp?key={key}", json={}, timeout=30).json()
        verify_token(url, session["idToken"])
    finally:
        status = gateway.stop(shell, signal.SIGTERM)
    assert status == 0, log.read_text()


def verify_token(url, token):
    """Verifies an ID token with the keys at `url`. The issuer is the one in README.md."""
    issuer = "https://auth.example.com/my-app"
    assert f"issuer `{issuer}`, audience `my-app`" in README.read_text()
    discovery = requests.get(f"{url}/my-app/.well-known/openid-configuration", timeout=30).json()
    assert discovery["issuer"] == issuer
    keys = jwt.PyJWKClient(discovery["jwks_uri"].replace("https://auth.example.com", url))
    key = keys.get_signing_key_from_jwt(token)
    assert jwt.decode(token, key, algorithms=["ES256"], audience="my-app", issuer=issuer)["sub"]
