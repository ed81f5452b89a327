"""`serve` rejects the credentials, requests and options of `dev`; each of them rejects a database of the other."""

import json
from urllib.parse import urlencode, urlsplit

import jwt
import pytest
import requests
from firebase_admin.exceptions import FirebaseError

import gateway
from admin_sdk import emulator_admin
from client import ADMIN_HEADERS, PASSWORD, Client, fresh_email, unverified_claims
from installation import dump, new_database, sql
from processes import child_process_ids, listening_addresses
from simulators import Simulators, idp_sign_in_body

# Clients of Firebase's API send the paths of the API with these prefixes.
PATH_PREFIXES = ["", "/identitytoolkit.googleapis.com", "/www.googleapis.com/identitytoolkit/v3/relyingparty"]


def sign_up_path(prefix):
    return prefix + ("/signupNewUser" if prefix.startswith("/www") else "/v1/accounts:signUp")


@pytest.mark.parametrize("prefix", PATH_PREFIXES)
@pytest.mark.parametrize("credential", [
    {"params": {"key": "any"}},
    {"params": {"key": "demo"}},
    {"params": {"key": "owner"}},
    {"params": {"key": ""}},
    {"headers": {"X-Goog-Api-Key": "any"}},
    {"headers": ADMIN_HEADERS},
    {"headers": {"Authorization": "bearer OWNER"}},
    {"headers": {"Authorization": "Bearer ya29.token"}},
    {"params": {"key": "any"}, "headers": ADMIN_HEADERS},
    {},
], ids=str)
def test_serve_accepts_no_credential_of_dev(serve, prefix, credential):
    before = sql(serve.database_url, "SELECT count(*) FROM account")
    response = requests.post(serve.url + sign_up_path(prefix), json={}, timeout=30, **credential)
    assert response.status_code in (400, 401, 403), response.text
    assert "idToken" not in response.text
    assert sql(serve.database_url, "SELECT count(*) FROM account") == before


@pytest.mark.parametrize("bearer", ["owner", "OWNER", "ya29.anything"])
def test_serve_rejects_the_owner_token_and_google_access_tokens(serve, bearer):
    headers = {"Authorization": f"Bearer {bearer}"}
    for path in ("/v1/projects", f"/v1/projects?key={serve.api_key}"):
        assert requests.get(serve.url + path, headers=headers, timeout=30).status_code == 401


def test_serve_tells_the_client_of_an_emulator_and_the_operator(new_installation):
    installation = new_installation()
    with installation.serving() as serve:
        calls = [
            ("GET", "/v1/projects", None), ("POST", "/v1/accounts:lookup", {"email": ["ada@example.com"]}),
            ("POST", "/v1/projects/demo/accounts:batchCreate", {"users": [{"localId": "x" * 100}] * 1000}),
            ("POST", f"/v1/accounts:signUp?key={serve.api_key}", {})]
        for method, path, body in calls:
            response = requests.request(method, serve.url + path, json=body, headers=ADMIN_HEADERS, timeout=30)
            assert response.status_code == 401, path
            assert "Unset FIREBASE_AUTH_EMULATOR_HOST" in response.json()["error"]["message"]
        other = requests.get(serve.url + "/v1/projects", headers={"Authorization": "Bearer Owner"}, timeout=30)
        assert other.status_code == 401 and "FIREBASE_AUTH_EMULATOR_HOST" not in other.text
        assert serve.metric("sekisho_emulator_clients_total") == len(calls)
        warnings = [line for line in serve.logged_problems() if "FIREBASE_AUTH_EMULATOR_HOST" in line]
        assert len(warnings) == 1


def test_serve_rejects_the_client_of_an_emulator_without_a_database(new_installation):
    installation = new_installation()
    with installation.starting(DATABASE_URL="postgresql://127.0.0.1:1/sekisho") as serve:
        gateway.wait_for(serve.is_alive, serve.process, serve.log)

        def look_up(token):
            url, headers = f"{serve.url}/v1/projects/demo/accounts:lookup", {"Authorization": f"Bearer {token}"}
            return requests.post(url, json={"localId": ["ada"]}, headers=headers, timeout=30)

        assert "FIREBASE_AUTH_EMULATOR_HOST" in look_up("owner").json()["error"]["message"]
        # Any other token is looked up in the database.
        assert look_up("owners").status_code == 503


def test_an_admin_sdk_shows_that_it_took_serve_for_an_emulator(serve, contract):
    with emulator_admin(serve, contract) as admin, pytest.raises(FirebaseError, match="FIREBASE_AUTH_EMULATOR_HOST"):
        admin.get_user("ada")


@pytest.mark.parametrize("prefix", PATH_PREFIXES)
def test_an_invalid_bearer_token_is_rejected_even_with_a_valid_api_key(serve, prefix):
    response = requests.post(
        serve.url + sign_up_path(prefix), json={}, params={"key": serve.api_key}, headers=ADMIN_HEADERS, timeout=30)
    assert response.status_code == 401


def unsigned_jwt(claims):
    return jwt.encode(claims, key=None, algorithm="none")


@pytest.mark.parametrize(("operation", "fields"), [
    ("lookUpOwnAccount", {}),
    ("updateOwnAccount", {"displayName": "Mallory"}),
    ("deleteOwnAccount", {}),
    ("signUp", {"email": "mallory@example.com", "password": PASSWORD}),
])
def test_serve_rejects_an_unsigned_id_token(serve, operation, fields, contract):
    client = Client(serve, contract)
    session = client.sign_up()
    unsigned = unsigned_jwt(unverified_claims(session["idToken"]))
    response = client.call(operation, {"idToken": unsigned} | fields)
    assert response.code == "INVALID_ID_TOKEN"
    assert client.call("lookUpOwnAccount", {"idToken": session["idToken"]}).status == 200


@pytest.mark.parametrize(("method", "path"), [
    ("GET", "/"),
    ("DELETE", "/emulator/v1/projects/demo/accounts"),
    ("GET", "/emulator/v1/projects/demo/config"),
    ("PATCH", "/emulator/v1/projects/demo/config"),
    ("GET", "/emulator/v1/projects/demo/emails"),
    ("GET", "/emulator/v1/projects/demo/oobCodes"),
    ("GET", "/emulator/v1/projects/demo/verificationCodes"),
    ("GET", "/emulator/action"),
    ("GET", "/dev/emails"),
    ("GET", "/dev/requests"),
    ("POST", "/dev/clock"),
    ("GET", "/console/demo/accounts"),
    ("POST", "/console/demo/accounts"),
    ("GET", "/emulator/openapi.json"),
    ("POST", "/emulator/v1/clock"),
    ("POST", "/emulator/v1/projects/demo/simulatedSignIns"),
    ("GET", "/emulator/v1/projects/demo/simulators"),
    ("PATCH", "/emulator/v1/projects/demo/simulators"),
])
@pytest.mark.parametrize("headers", [{}, ADMIN_HEADERS], ids=["API key", "API key and owner token"])
def test_only_dev_has_the_emulator_api(serve, dev, method, path, headers):
    response = requests.request(method, serve.url + path, params={"key": serve.api_key}, headers=headers, timeout=30)
    assert response.status_code == 404
    assert requests.request(method, dev.url + path, timeout=30).status_code in (200, 400)


@pytest.fixture(scope="module")
def serve_with_providers(fresh_installation, apple_key, tmp_path_factory):
    """`sekisho serve` with Apple and Google configured as in `dev`, but with the keys of the real providers."""
    apple = {"clientIds": ["com.example.app"], "teamId": "DEVTEAM123", "keyId": "DEVKEY1234", "privateKey": apple_key}
    google = {"clientIds": ["demo.apps.googleusercontent.com"]}
    file = tmp_path_factory.mktemp("project") / "project.json"
    file.write_text(json.dumps({"project": "demo", "providers": {"apple.com": apple, "google.com": google}}))
    fresh_installation.run_ok(f"projects apply {file}")
    with fresh_installation.serving() as running:
        yield running


def plain_json(claims):
    return json.dumps(claims)


def jwt_with_a_key_of_the_attacker(claims):
    return jwt.encode(claims, key="owner" * 8, algorithm="HS256")


@pytest.mark.parametrize("prefix", PATH_PREFIXES)
@pytest.mark.parametrize("provider", ["apple.com", "google.com", "facebook.com", "github.com", "oidc.corp"])
@pytest.mark.parametrize("encode", [plain_json, unsigned_jwt, jwt_with_a_key_of_the_attacker])
def test_serve_rejects_a_credential_without_a_valid_signature(serve_with_providers, prefix, provider, encode):
    path = prefix + ("/verifyAssertion" if prefix.startswith("/www") else "/v1/accounts:signInWithIdp")
    claims = {"iss": "https://appleid.apple.com", "aud": "com.example.app", "sub": "abc", "exp": 2 ** 32, "iat": 0,
              "email": "ada@example.com", "email_verified": True}
    if provider == "google.com":
        claims |= {"iss": "https://accounts.google.com", "aud": "demo.apps.googleusercontent.com"}
    token = encode(claims)
    for body in ({"postBody": urlencode({"providerId": provider, "id_token": token}), "requestUri": "http://localhost"},
                 {"credential": {"providerId": provider, "idToken": token}}):
        response = requests.post(
            serve_with_providers.url + path, json=body, params={"key": serve_with_providers.api_key}, timeout=30)
        assert response.status_code == 400, response.text
        code = "INVALID_IDP_RESPONSE" if provider in ("apple.com", "google.com") else "OPERATION_NOT_ALLOWED"
        assert response.json()["error"]["message"].startswith(code)
    assert sql(serve_with_providers.database_url, "SELECT count(*) FROM account").strip() == "0"


@pytest.mark.parametrize("option", [
    "--dev", "--emulator", "--simulators", "--project", "--port", "--data", "--database-url"])
def test_serve_has_no_option_of_dev(installation, option):
    completed = installation.run(f"serve {option} demo")
    assert (completed.returncode, "unknown option" in completed.stderr) == (2, True)


def test_serve_rejects_a_token_of_a_simulated_provider(serve_with_providers, dev):
    """`serve` fetches keys only from the providers themselves, never from a simulator."""
    proof = Simulators(dev).sign_in_with_apple()
    response = requests.post(
        f"{serve_with_providers.url}/v1/accounts:signInWithIdp", json=idp_sign_in_body(proof), timeout=30,
        params={"key": serve_with_providers.api_key})
    # Without a network the gateway cannot fetch Apple's keys, and the status is 503.
    assert response.status_code in (400, 503)
    assert "idToken" not in response.text


def assert_command_fails(words, message, **environment):
    completed = gateway.run_sekisho(*words, **environment)
    assert completed.returncode == 1
    assert message in completed.stdout + completed.stderr


def dev_command(database_url, folder):
    """The words of a command that starts `dev` with a database."""
    return ["dev", "--port", "0", "--data", str(folder / "other"), "--database-url", database_url]


def test_dev_rejects_a_database_of_serve(serve, tmp_path):
    before = dump(serve.database_url)
    assert_command_fails(dev_command(serve.database_url, tmp_path), "the database belongs to `sekisho serve`")
    assert dump(serve.database_url) == before


def test_dev_rejects_a_migrated_database_without_a_mode(dev, installation, tmp_path):
    """`sekisho migrate` does not set the mode of a database (`serve` or `dev`); `projects create` does.

    If `dev` accepted a database without a mode, a start of `dev` between these two commands would turn a database for
    production into a database of `dev`.
    """
    database_url = new_database(dev.database_url)
    installation.run_ok("migrate", DATABASE_URL=database_url)
    before = dump(database_url)
    assert_command_fails(dev_command(database_url, tmp_path), "was not created by `sekisho dev`")
    assert dump(database_url) == before


@pytest.mark.parametrize("table", ["orders", "account"])
def test_dev_rejects_a_database_with_other_tables(dev, tmp_path, table):
    database_url = new_database(dev.database_url)
    sql(database_url, f"CREATE TABLE {table} (id int); INSERT INTO {table} VALUES (1)")
    before = dump(database_url)
    assert_command_fails(dev_command(database_url, tmp_path), "the database was not created by `sekisho dev`")
    assert dump(database_url) == before


def test_serve_rejects_a_database_of_dev(dev, installation):
    query = "SELECT (SELECT count(*) FROM realm), (SELECT count(*) FROM signing_key), mode FROM installation"
    before = sql(dev.database_url, query)
    environment = installation.second_gateway().environment | {"DATABASE_URL": dev.database_url}
    for command in ("serve", "projects create other", "keys rewrap"):
        assert_command_fails(command.split(), "the database belongs to `sekisho dev`", **environment)
    assert sql(dev.database_url, query) == before


def test_dev_accepts_an_empty_database_and_later_the_same_database(dev, tmp_path):
    database_url = new_database(dev.database_url)
    for _ in range(2):
        with gateway.dev(tmp_path, "--database-url", database_url) as other:
            assert requests.get(other.url + "/v1/projects?key=any", timeout=30).status_code == 200


def test_dev_listens_on_loopback_only(dev):
    """One process serves the gateway and both simulators. Its PostgreSQL does not listen on TCP."""
    [postgres_id] = child_process_ids(dev.process.pid)
    simulators = requests.get(f"{dev.url}/emulator/v1/projects/demo/simulators", timeout=30).json()
    urls = [dev.url, *(simulators[name]["url"] for name in ("apple", "google"))]
    gateway_on_ipv6 = f"::1:{urlsplit(dev.url).port}"
    expected = [gateway_on_ipv6, *(url.removeprefix("http://") for url in urls)]
    assert sorted(listening_addresses(dev.process.pid)) == sorted(expected)
    assert all(url.startswith("http://127.0.0.1:") for url in urls)
    assert listening_addresses(postgres_id) == []


def test_serve_listens_only_on_the_configured_address(serve):
    assert listening_addresses(serve.process.pid) == [serve.url.removeprefix("http://")]


def test_dev_accepts_every_api_key_and_the_owner_token(dev):
    for options in ({"params": {"key": "any"}}, {"headers": ADMIN_HEADERS}):
        body = {"email": fresh_email(), "password": PASSWORD}
        assert requests.post(dev.url + sign_up_path(""), json=body, timeout=30, **options).status_code == 200
