"""Nothing that identifies or admits anybody is in the log, the metrics, or the database in clear."""

import base64
import json
import re
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

import gateway
from exchange import PASSWORD, Client, fresh_email
from installation import Installation, dump, new_database, sql

ADDRESS = "203.0.113.77"
WRONG_PASSWORD = "staple horse battery"


@dataclass
class Run:
    """What was said where, and what must not be found there."""

    lines: list
    metrics: str
    postgres_log: str
    database: str
    secrets: dict


def mixed_run(client, secrets):
    """Some of everything, keeping what was used. Every second request came from a known address."""
    heard = {"headers": {"X-Forwarded-For": ADDRESS}}
    email, anonymous = fresh_email(), client.signed_up()
    account = {"email": email, "password": PASSWORD}
    sessions = [
        anonymous,
        client.call("signUp", account, **heard).body,
        client.call("signInWithPassword", account, **heard).body,
    ]
    client.call("signUp", account)
    client.call("signInWithPassword", account | {"password": WRONG_PASSWORD}, **heard)
    token = {"grant_type": "refresh_token", "refresh_token": sessions[-1]["refreshToken"]}
    refreshed = client.call("token", token, **heard).body
    sessions.append({"idToken": refreshed["id_token"], "refreshToken": refreshed["refresh_token"]})
    client.call("token", token | {"refresh_token": sessions[-1]["refreshToken"][:-2] + "AA"})
    client.call("lookup", {"idToken": refreshed["id_token"]}, **heard)
    client.call("lookup", {"idToken": refreshed["id_token"] + "A"})
    client.call("update", {"idToken": refreshed["id_token"], "displayName": "Ada"})
    client.call("createAuthUri", {"identifier": email, "continueUri": "http://localhost"})
    client.call("signUp", data=f'{{"email":"{email}", ', headers={"Content-Type": "application/json"})
    client.call("signUp", {"email": [email]})
    client.call("getProject", key=WRONG_PASSWORD.replace(" ", "_"))
    for path in (f"/v1/{email}", f"/{refreshed['id_token']}?key={client.gateway.api_key}", "/healthz"):
        requests.get(client.gateway.url + path, headers=heard["headers"], timeout=30)
    secrets |= {"e-mail": email, "password": PASSWORD, "wrong password": WRONG_PASSWORD, "address": ADDRESS}
    secrets["unknown key"] = WRONG_PASSWORD.replace(" ", "_")
    for number, session in enumerate(sessions):
        secrets |= {f"ID token {number}": session["idToken"], f"refresh token {number}": session["refreshToken"]}


@pytest.fixture(scope="module")
def run(folder, dev, contract):
    installation = Installation(folder, new_database(dev.database_url)).with_project()
    service = json.loads(installation.done("keys create-service-key --project demo --name backend"))
    secrets = {
        "service secret": service["secret"],
        "service private key": "".join(service["privateKey"].splitlines()[1:-1]),
        "master key": installation.environment["SEKISHO_MASTER_KEY"],
    }
    with installation.serving(SEKISHO_TRUSTED_PROXIES="127.0.0.0/8", SEKISHO_LOG_LEVEL="debug") as serve:
        secrets["API key"] = serve.api_key
        mixed_run(Client(serve, contract), secrets)
        metrics = requests.get(serve.url + "/metrics", timeout=30).text
        gateway.ended(serve.process, signal.SIGTERM)
        lines = serve.log.read_text().splitlines()
    server_folder = Path(sql(dev.database_url, "SHOW data_directory").strip()).parent
    yield Run(lines, metrics, (server_folder / "postgres.log").read_text(), dump(serve.database_url), secrets)


def forms(secret):
    """A secret as it may be written: itself, its bytes, what it stands for in base64."""
    yield secret
    yield secret.encode().hex()
    yield base64.b64encode(secret.encode()).decode().rstrip("=")
    # One flipped character in a token leaves the others as telling.
    if len(secret) > 60:
        yield secret[-40:-4]
    if re.fullmatch(r"[A-Za-z0-9+/]+=*", secret) and len(secret) % 4 == 0:
        yield base64.b64decode(secret).hex()


def found(run, text, *, but=()):
    return [
        name for name, secret in run.secrets.items()
        if name not in but and any(form in text for form in forms(secret))
    ]


def test_every_line_of_the_log_is_one_json_object(run):
    for line in run.lines:
        said = json.loads(line)
        assert {"time", "level", "message"} <= said.keys(), line


def test_every_request_has_a_line_with_its_id_and_status(run):
    requested = [said for said in map(json.loads, run.lines) if said["message"] == "request"]
    assert len({said["requestId"] for said in requested}) == len(requested) >= 17
    assert all(isinstance(said["status"], int) for said in requested)
    known = {"signUp", "signInWithPassword", "token", "lookup", "update", "createAuthUri", "getProject", "getHealth"}
    assert known <= {said.get("operationId") for said in requested}
    assert {said["status"] for said in requested if "operationId" not in said} == {404}
    assert {said["level"] for said in requested} == {"info"}
    assert "INVALID_LOGIN_CREDENTIALS" in {said.get("refusal") for said in requested}


def test_an_address_is_cut_short_in_the_log(run):
    addresses = {said["address"] for said in map(json.loads, run.lines) if said["message"] == "request"}
    assert addresses == {"203.0.113.0/24", "127.0.0.0/24"}


def test_the_id_of_an_answer_leads_to_its_line(serve):
    answer = requests.get(serve.url + "/healthz", timeout=30)
    assert gateway.eventually(lambda: answer.headers["X-Request-Id"] in serve.log.read_text())


def test_nothing_of_a_person_is_in_the_log(run):
    assert found(run, "\n".join(run.lines)) == []


def test_nothing_of_a_person_is_in_the_metrics(run):
    assert found(run, run.metrics) == []
    assert "127.0.0.1" not in run.metrics


def test_nothing_of_a_person_is_in_the_log_of_postgresql(run):
    assert found(run, run.postgres_log) == []


def test_no_secret_is_in_the_database_in_clear(run):
    assert "sk_" not in run.database
    assert found(run, run.database, but={"e-mail"}) == []


def test_the_database_has_no_private_key_in_clear(run):
    assert run.database.count("INSERT INTO public.signing_key") == 2
    assert "PRIVATE KEY" not in run.database and b"PRIVATE KEY".hex() not in run.database
    # The names of the algorithms, with which the bytes of a private key begin (RFC 5208 §5).
    for name in ("06072a8648ce3d0201", "06092a864886f70d010101"):
        assert name not in run.database


def test_the_search_would_find_what_is_there(run):
    assert found(run, run.database) == ["e-mail"]
    assert found(run, " ".join(run.secrets.values())) == list(run.secrets)
