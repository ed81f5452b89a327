"""Google's security events, and the commands of Deploy/guides/google-console.md that configure their stream.

The commands send their requests to the simulated Google of a `dev` gateway."""

import base64
import json
import secrets
import shlex
import subprocess
import threading
import time

import jwt
import psycopg
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa

import gateway
from documents import GUIDES, code_block
from gateway import eventually
from installation import DEMO_PROJECT, new_database, sql
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


GOOGLE_KEYS = "https://www.googleapis.com/oauth2/v3/certs"
CLIENT_ID = "web.apps.googleusercontent.com"


def store_google(database_url, key, account, subject):
    """Stores a key of Google as the gateway has last fetched it, a client ID, and an identity of the account."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    keys = json.dumps({"keys": [public | {"kid": "test", "alg": "RS256", "use": "sig"}]})
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO provider_document (url, body, fetched_at) VALUES (%s, %s, now())", (GOOGLE_KEYS, keys))
        connection.execute(
            "INSERT INTO identity_provider (realm_id, provider, settings, updated_at) VALUES (%s, 'google.com', %s, now())",
            (DEMO_PROJECT, json.dumps({"enabled": True, "clientIds": [CLIENT_ID]})))
        connection.execute(
            """
            INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
            VALUES (%s, 'google.com', %s, %s, now())
            """, (DEMO_PROJECT, subject, account))


def sessions_revoked(key, subject):
    """A security event token of Google."""
    issuer = "https://accounts.google.com/"
    event = {"subject": {"subject_type": "iss-sub", "iss": issuer, "sub": subject}}
    claims = {
        "iss": issuer, "aud": CLIENT_ID, "iat": int(time.time()), "jti": secrets.token_hex(20),
        "events": {"https://schemas.openid.net/secevent/risc/event-type/sessions-revoked": event}}
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "test", "typ": "secevent+jwt"})


def post(url, token):
    return requests.post(
        f"{url}/v1/google/securityEvents", data=token, headers={"Content-Type": "application/secevent+jwt"}, timeout=30)


def test_a_kill_between_receipt_and_effect_loses_no_token(new_installation):
    """The gateway is killed while its transaction waits for the lock on the account. Google sends the token again."""
    installation, key, subject = new_installation(), rsa.generate_private_key(65537, 2048), "108204268033311374519"
    with installation.serving() as serve:
        session = requests.post(
            f"{serve.url}/v1/accounts:signUp?key={serve.api_key}", json={"returnSecureToken": True}, timeout=30).json()
        store_google(installation.database_url, key, session["localId"], subject)
    token = sessions_revoked(key, subject)

    def is_signed_in(running):
        answer = requests.post(
            f"{running.url}/v1/accounts:lookup?key={serve.api_key}", json={"idToken": session["idToken"]}, timeout=30)
        return answer.status_code == 200

    with installation.serving() as running, psycopg.connect(installation.database_url) as lock:
        assert is_signed_in(running)
        lock.execute("SELECT FROM account FOR UPDATE")

        def send():
            try:
                answers.append(post(running.url, token).status_code)
            except requests.RequestException:
                pass

        answers = []
        sending = threading.Thread(target=send)
        sending.start()
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity " \
            "WHERE datname = current_database())"
        assert eventually(lambda: sql(installation.database_url, waits).strip() != "0", within=30)
        running.process.kill()
        running.process.wait(60)
        sending.join()
        assert answers == [], "the token was not acknowledged"
        lock.rollback()
    assert eventually(lambda: sql(installation.database_url, waits).strip() == "0", within=30)
    with installation.serving() as running:
        assert is_signed_in(running), "the killed transaction has no effect"
        repeated = post(running.url, token)
        assert repeated.status_code == 202, repeated.text
        assert not is_signed_in(running)
        assert post(running.url, token).status_code == 202, "a second repetition has no effect"
