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
class Output:
    """What a gateway wrote, and the secrets that it must not contain."""

    log_lines: list
    metrics: str
    postgres_log: str
    # The rows of all tables as SQL.
    database_dump: str
    # Maps a name to each secret, for the messages of failed tests. Personal data counts as a secret here.
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
    refreshed = client.call("refreshTokens", token, **forwarded).body
    sessions.append({"idToken": refreshed["id_token"], "refreshToken": refreshed["refresh_token"]})
    client.call("refreshTokens", token | {"refresh_token": sessions[-1]["refreshToken"][:-2] + "AA"})
    client.call("lookUpOwnAccount", {"idToken": refreshed["id_token"]}, **forwarded)
    client.call("lookUpOwnAccount", {"idToken": refreshed["id_token"] + "A"})
    client.call("updateOwnAccount", {"idToken": refreshed["id_token"], "displayName": "Ada"})
    client.call("createAuthUri", {"identifier": email, "continueUri": "http://localhost"})
    client.call("signUp", data=f'{{"email":"{email}", ', headers={"Content-Type": "application/json"})
    client.call("signUp", {"email": [email]})
    client.call("getProject", api_key=WRONG_PASSWORD.replace(" ", "_"))
    for path in (f"/v1/{email}", f"/{refreshed['id_token']}?key={client.gateway.api_key}", "/healthz"):
        requests.get(client.gateway.url + path, headers=forwarded["headers"], timeout=30)
    secrets |= {"email": email, "password": PASSWORD, "wrong password": WRONG_PASSWORD, "address": ADDRESS}
    secrets["unknown key"] = WRONG_PASSWORD.replace(" ", "_")
    for number, session in enumerate(sessions):
        secrets |= {f"ID token {number}": session["idToken"], f"refresh token {number}": session["refreshToken"]}


@pytest.fixture(scope="module")
def output(dev, new_installation, contract):
    """Starts a gateway, sends it requests, stops it and returns its output."""
    installation = new_installation()
    service_key = json.loads(installation.run_ok("keys create-service-key --project demo --name backend"))
    secrets = {
        "secret of the service key": service_key["secret"],
        "private key of the service key": "".join(service_key["privateKey"].splitlines()[1:-1]),
        "master key": installation.environment["SEKISHO_MASTER_KEY"],
    }
    with installation.serving(SEKISHO_TRUSTED_PROXIES="127.0.0.0/8", SEKISHO_LOG_LEVEL="debug") as serve:
        secrets["API key"] = serve.api_key
        send_mixed_requests(Client(serve, contract), secrets)
        metrics = requests.get(serve.url + "/metrics", timeout=30).text
        gateway.stop(serve.process, signal.SIGTERM)
        lines = serve.log.read_text().splitlines()
    server_folder = Path(sql(dev.database_url, "SHOW data_directory").strip()).parent
    yield Output(lines, metrics, (server_folder / "postgres.log").read_text(), dump(serve.database_url), secrets)


def encodings(secret):
    """Yields the forms in which a secret may occur: unchanged, in hexadecimal, in base64, in part, and decoded."""
    yield secret
    yield secret.encode().hex()
    yield base64.b64encode(secret.encode()).decode().rstrip("=")
    # A part, because some requests send a token whose last characters differ.
    if len(secret) > 60:
        yield secret[-40:-4]
    if re.fullmatch(r"[A-Za-z0-9+/]+=*", secret) and len(secret) % 4 == 0:
        yield base64.b64decode(secret).hex()


def names_of_secrets_in(text, output, *, ignored=()):
    """The names of the secrets that occur in `text`, except the names in `ignored`."""
    return [
        name for name, secret in output.secrets.items()
        if name not in ignored and any(encoded in text for encoded in encodings(secret))
    ]


def test_every_line_of_the_log_is_one_json_object(output):
    for line in output.log_lines:
        entry = json.loads(line)
        assert {"time", "level", "message"} <= entry.keys(), line


def test_every_request_is_logged_with_its_id_and_status(output):
    requested = [entry for entry in map(json.loads, output.log_lines) if entry["message"] == "request"]
    # `send_mixed_requests` sends 17 of the requests.
    assert len({entry["requestId"] for entry in requested}) == len(requested) >= 17
    assert all(isinstance(entry["status"], int) for entry in requested)
    known = {
        "signUp", "signInWithPassword", "refreshTokens", "lookUpOwnAccount", "updateOwnAccount", "createAuthUri",
        "getProject", "getHealth"}
    assert known <= {entry.get("operationId") for entry in requested}
    assert {entry["status"] for entry in requested if "operationId" not in entry} == {404}
    assert {entry["level"] for entry in requested} == {"info"}
    assert "INVALID_LOGIN_CREDENTIALS" in {entry.get("refusal") for entry in requested}


def test_client_addresses_are_truncated_in_the_log(output):
    addresses = {entry["address"] for entry in map(json.loads, output.log_lines) if entry["message"] == "request"}
    assert addresses == {"203.0.113.0/24", "127.0.0.0/24"}


def test_the_request_id_of_a_response_is_in_the_log(serve):
    response = requests.get(serve.url + "/healthz", timeout=30)
    assert gateway.eventually(lambda: response.headers["X-Request-Id"] in serve.log.read_text())


def test_no_personal_data_or_credential_is_in_the_log(output):
    assert names_of_secrets_in("\n".join(output.log_lines), output) == []


def test_no_personal_data_or_credential_is_in_the_metrics(output):
    assert names_of_secrets_in(output.metrics, output) == []
    assert "127.0.0.1" not in output.metrics


def test_the_metrics_count_dropped_lines_of_the_log(output):
    assert "\nsekisho_log_lines_dropped_total 0\n" in output.metrics


def test_no_personal_data_or_credential_is_in_the_log_of_postgresql(output):
    assert names_of_secrets_in(output.postgres_log, output) == []


def test_no_credential_is_in_the_database_in_plain_text(output):
    # API keys begin with `pk_`.
    assert "pk_" not in output.database_dump
    assert names_of_secrets_in(output.database_dump, output, ignored={"email"}) == []


def test_no_private_key_is_in_the_database_in_plain_text(output):
    # The two rows are the project's signing key and refresh key.
    assert output.database_dump.count("INSERT INTO public.signing_key") == 2
    assert "PRIVATE KEY" not in output.database_dump and b"PRIVATE KEY".hex() not in output.database_dump
    # Near its beginning, a private key contains the object identifier of its algorithm (RFC 5208 §5): EC or RSA.
    for identifier in ("06072a8648ce3d0201", "06092a864886f70d010101"):
        assert identifier not in output.database_dump


def test_the_search_of_these_tests_finds_secrets_that_are_present(output):
    assert names_of_secrets_in(output.database_dump, output) == ["email"]
    assert names_of_secrets_in(" ".join(output.secrets.values()), output) == list(output.secrets)
