"""The logs and metrics contain no personal data and no credentials, and the database no credentials in plain text."""

import base64
import json
import re
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

import gateway
from client import PASSWORD, Client, fresh_email
from installation import dump, sql

ADDRESS = "203.0.113.77"
WRONG_PASSWORD = "staple horse battery"


@dataclass
class Run:
    """The output of a gateway and the secrets that it must not contain."""

    lines: list
    metrics: str
    postgres_log: str
    database: str
    secrets: dict


def send_mixed_requests(client, secrets):
    """Sends requests of many kinds and adds the values they use to `secrets`. Some requests come from ``ADDRESS``."""
    forwarded = {"headers": {"X-Forwarded-For": ADDRESS}}
    email, anonymous = fresh_email(), client.sign_up()
    account = {"email": email, "password": PASSWORD}
    sessions = [
        anonymous,
        client.call("signUp", account, **forwarded).body,
        client.call("signInWithPassword", account, **forwarded).body,
    ]
    client.call("signUp", account)
    client.call("signInWithPassword", account | {"password": WRONG_PASSWORD}, **forwarded)
    token = {"grant_type": "refresh_token", "refresh_token": sessions[-1]["refreshToken"]}
    refreshed = client.call("token", token, **forwarded).body
    sessions.append({"idToken": refreshed["id_token"], "refreshToken": refreshed["refresh_token"]})
    client.call("token", token | {"refresh_token": sessions[-1]["refreshToken"][:-2] + "AA"})
    client.call("lookup", {"idToken": refreshed["id_token"]}, **forwarded)
    client.call("lookup", {"idToken": refreshed["id_token"] + "A"})
    client.call("update", {"idToken": refreshed["id_token"], "displayName": "Ada"})
    client.call("createAuthUri", {"identifier": email, "continueUri": "http://localhost"})
    client.call("signUp", data=f'{{"email":"{email}", ', headers={"Content-Type": "application/json"})
    client.call("signUp", {"email": [email]})
    client.call("getProject", key=WRONG_PASSWORD.replace(" ", "_"))
    for path in (f"/v1/{email}", f"/{refreshed['id_token']}?key={client.gateway.api_key}", "/healthz"):
        requests.get(client.gateway.url + path, headers=forwarded["headers"], timeout=30)
    secrets |= {"email": email, "password": PASSWORD, "wrong password": WRONG_PASSWORD, "address": ADDRESS}
    secrets["unknown key"] = WRONG_PASSWORD.replace(" ", "_")
    for number, session in enumerate(sessions):
        secrets |= {f"ID token {number}": session["idToken"], f"refresh token {number}": session["refreshToken"]}


@pytest.fixture(scope="module")
def run(dev, new_installation, contract):
    installation = new_installation()
    service = json.loads(installation.run_ok("keys create-service-key --project demo --name backend"))
    secrets = {
        "service secret": service["secret"],
        "service private key": "".join(service["privateKey"].splitlines()[1:-1]),
        "master key": installation.environment["SEKISHO_MASTER_KEY"],
    }
    with installation.serving(SEKISHO_TRUSTED_PROXIES="127.0.0.0/8", SEKISHO_LOG_LEVEL="debug") as serve:
        secrets["API key"] = serve.api_key
        send_mixed_requests(Client(serve, contract), secrets)
        metrics = requests.get(serve.url + "/metrics", timeout=30).text
        gateway.stop(serve.process, signal.SIGTERM)
        lines = serve.log.read_text().splitlines()
    server_folder = Path(sql(dev.database_url, "SHOW data_directory").strip()).parent
    yield Run(lines, metrics, (server_folder / "postgres.log").read_text(), dump(serve.database_url), secrets)


def forms(secret):
    """Yields the forms in which a secret may occur: plain, in hexadecimal digits, in base64, in part, and decoded."""
    yield secret
    yield secret.encode().hex()
    yield base64.b64encode(secret.encode()).decode().rstrip("=")
    # A token with one changed character still reveals the others.
    if len(secret) > 60:
        yield secret[-40:-4]
    if re.fullmatch(r"[A-Za-z0-9+/]+=*", secret) and len(secret) % 4 == 0:
        yield base64.b64decode(secret).hex()


def found(run, text, *, but=()):
    """The names of the secrets that occur in `text`, without those in `but`."""
    return [
        name for name, secret in run.secrets.items()
        if name not in but and any(form in text for form in forms(secret))
    ]


def test_every_line_of_the_log_is_one_json_object(run):
    for line in run.lines:
        entry = json.loads(line)
        assert {"time", "level", "message"} <= entry.keys(), line


def test_every_request_is_logged_with_its_id_and_status(run):
    requested = [entry for entry in map(json.loads, run.lines) if entry["message"] == "request"]
    # `send_mixed_requests` sends 17 of the requests.
    assert len({entry["requestId"] for entry in requested}) == len(requested) >= 17
    assert all(isinstance(entry["status"], int) for entry in requested)
    known = {"signUp", "signInWithPassword", "token", "lookup", "update", "createAuthUri", "getProject", "getHealth"}
    assert known <= {entry.get("operationId") for entry in requested}
    assert {entry["status"] for entry in requested if "operationId" not in entry} == {404}
    assert {entry["level"] for entry in requested} == {"info"}
    assert "INVALID_LOGIN_CREDENTIALS" in {entry.get("refusal") for entry in requested}


def test_client_addresses_are_truncated_in_the_log(run):
    addresses = {entry["address"] for entry in map(json.loads, run.lines) if entry["message"] == "request"}
    assert addresses == {"203.0.113.0/24", "127.0.0.0/24"}


def test_the_request_id_of_a_response_is_in_the_log(serve):
    response = requests.get(serve.url + "/healthz", timeout=30)
    assert gateway.eventually(lambda: response.headers["X-Request-Id"] in serve.log.read_text())


def test_no_personal_data_or_credential_is_in_the_log(run):
    assert found(run, "\n".join(run.lines)) == []


def test_no_personal_data_or_credential_is_in_the_metrics(run):
    assert found(run, run.metrics) == []
    assert "127.0.0.1" not in run.metrics


def test_the_metrics_count_dropped_lines_of_the_log(run):
    assert "\nsekisho_log_lines_dropped_total 0\n" in run.metrics


def test_no_personal_data_or_credential_is_in_the_log_of_postgresql(run):
    assert found(run, run.postgres_log) == []


def test_no_credential_is_in_the_database_in_plain_text(run):
    assert "sk_" not in run.database
    assert found(run, run.database, but={"email"}) == []


def test_no_private_key_is_in_the_database_in_plain_text(run):
    # The project's signing key and refresh key.
    assert run.database.count("INSERT INTO public.signing_key") == 2
    assert "PRIVATE KEY" not in run.database and b"PRIVATE KEY".hex() not in run.database
    # The object identifiers of the algorithms, with which a private key begins (RFC 5208 §5).
    for name in ("06072a8648ce3d0201", "06092a864886f70d010101"):
        assert name not in run.database


def test_the_search_finds_secrets_that_are_present(run):
    assert found(run, run.database) == ["email"]
    assert found(run, " ".join(run.secrets.values())) == list(run.secrets)
