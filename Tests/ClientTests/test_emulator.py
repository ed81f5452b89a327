"""The emulator API of `sekisho dev`."""

import json
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import jwt
import pytest
import requests
from openapi_spec_validator import validate

from client import ADMIN_HEADERS, PASSWORD, fresh_email, ok_body, unverified_claims

# The maximum number of seconds by which one request can advance the clock: ten years of 366 days.
TEN_YEARS = 10 * 366 * 86_400
# The last second of the year 9999, in milliseconds since 1970.
END_OF_9999_MS = 253_402_300_799_000


class Emulator:
    def __init__(self, gateway):
        self.url = gateway.url

    def request(self, method, path, json=None, **options):
        return requests.request(method, self.url + path, json=json, timeout=30, **options)

    def json(self, method, path, json=None, **options):
        response = self.request(method, path, json, **options)
        assert response.status_code == 200, response.text
        return response.json()

    def change_clock(self, **change):
        """Changes the clock and returns its state."""
        return self.json("POST", "/emulator/v1/clock", change)

    def config(self, project, change=None):
        """Changes the configuration of a project unless `change` is `None`, and returns it."""
        method = "GET" if change is None else "PATCH"
        return self.json(method, f"/emulator/v1/projects/{project}/config", change)


@pytest.fixture
def emulator(dev):
    emulator = Emulator(dev)
    yield emulator
    emulator.change_clock(reset=True)


def fresh_project():
    return f"demo-{secrets.token_hex(6)}"


def email_privacy(is_on):
    """The member of the configuration that switches email enumeration protection."""
    return {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": is_on}}


def test_the_root_reports_readiness(emulator):
    state = emulator.json("GET", "/")["authEmulator"]
    assert state["ready"] is True
    assert state["apiSpec"] == "/emulator/openapi.json"
    assert state["docs"].startswith("https://")


def test_the_api_description_is_valid_and_lists_every_path(emulator):
    description = emulator.json("GET", "/emulator/openapi.json")
    validate(description)
    assert {(path, method) for path, item in description["paths"].items() for method in item} == {
        ("/emulator/action", "get"),
        ("/emulator/v1/clock", "post"),
        ("/emulator/v1/projects/{project}/accounts", "delete"),
        ("/emulator/v1/projects/{project}/config", "get"),
        ("/emulator/v1/projects/{project}/config", "patch"),
        ("/emulator/v1/projects/{project}/emails", "get"),
        ("/emulator/v1/projects/{project}/oobCodes", "get"),
        ("/emulator/v1/projects/{project}/simulatedSignIns", "post"),
        ("/emulator/v1/projects/{project}/simulators", "get"),
        ("/emulator/v1/projects/{project}/simulators", "patch"),
        ("/emulator/v1/projects/{project}/tenants/{tenant}/accounts", "delete"),
        ("/emulator/v1/projects/{project}/tenants/{tenant}/emails", "get"),
        ("/emulator/v1/projects/{project}/tenants/{tenant}/oobCodes", "get"),
        ("/emulator/v1/projects/{project}/tenants/{tenant}/verificationCodes", "get"),
        ("/emulator/v1/projects/{project}/verificationCodes", "get"),
    }


def test_pages_of_other_origins_may_read_responses(emulator):
    headers = {"Origin": "http://localhost:3000"}
    response = emulator.request("GET", "/", headers=headers)
    assert response.headers["Access-Control-Allow-Origin"] == headers["Origin"]
    assert response.headers["X-Request-Id"]


@pytest.mark.parametrize("method, name", [
    ("DELETE", "accounts"), ("GET", "emails"), ("GET", "oobCodes"), ("GET", "verificationCodes")])
def test_the_operations_on_tenants_exist_only_in_dev(serve, emulator, method, name):
    path = f"/emulator/v1/projects/demo/tenants/t/{name}"
    assert emulator.request(method, path).json() == ({} if name == "accounts" else {name: []})
    assert Emulator(serve).request(method, path, headers=ADMIN_HEADERS).status_code == 404


@pytest.mark.parametrize("authorization, status", [
    ("Bearer owner", 200),
    ("bearer Owner", 200),
    ("BEARER OWNER", 200),
    ("Bearer ya29.a0AfH6SMB", 200),
    ("Bearer owners", 401),
    ("Bearer YA29.x", 401),
    ("Basic owner", 403),
])
def test_only_owner_and_google_access_tokens_authenticate_an_administrator(emulator, authorization, status):
    response = emulator.request("GET", "/v1/projects", headers={"Authorization": authorization})
    assert response.status_code == status


def test_an_invalid_bearer_token_is_rejected_even_with_a_valid_api_key(emulator):
    headers = {"Authorization": "Bearer nonsense"}
    assert emulator.request("GET", "/v1/projects?key=any", headers=headers).status_code == 401


def test_an_unknown_project_is_created_on_first_use(emulator):
    project = fresh_project()
    document = emulator.json("GET", f"/{project}/.well-known/openid-configuration")
    assert document["issuer"] == f"https://securetoken.google.com/{project}"
    assert emulator.json("GET", f"/{project}/.well-known/jwks.json")["keys"]


def test_a_project_is_created_once_by_concurrent_requests(emulator):
    path = f"/{fresh_project()}/.well-known/jwks.json"
    with ThreadPoolExecutor(16) as threads:
        responses = list(threads.map(lambda _: emulator.request("GET", path), range(16)))
    assert {response.status_code for response in responses} == {200}
    assert len({response.text for response in responses}) == 1


@pytest.mark.parametrize("project", ["Demo", "demo_1", "-demo", "d" * 64, "%22%3B", "emulator", "readyz"])
def test_an_invalid_project_id_is_not_found(emulator, project):
    for path in (f"/emulator/v1/projects/{project}/config", f"/{project}/.well-known/jwks.json"):
        response = emulator.request("GET", path)
        assert response.status_code == 404
        assert response.json()["error"]["status"] == "NOT_FOUND"


def test_clearing_a_project_deletes_its_accounts_and_sessions(emulator, client, dev):
    ada, anonymous = client.new_account(), client.sign_up()
    assert emulator.json("DELETE", f"/emulator/v1/projects/{dev.project}/accounts") == {}
    for user in (ada, anonymous):
        assert client.call("lookUpOwnAccount", {"idToken": user["idToken"]}).code == "USER_NOT_FOUND"
        assert client.refresh(user).status == 400
    again = client.sign_up(email=ada["email"], password=PASSWORD)
    assert again["localId"] != ada["localId"]


def test_clearing_a_project_keeps_the_accounts_of_other_projects(emulator, client):
    ada = client.new_account()
    emulator.json("DELETE", f"/emulator/v1/projects/{fresh_project()}/accounts")
    assert client.call("lookUpOwnAccount", {"idToken": ada["idToken"]}).status == 200


def test_a_new_project_has_no_email_enumeration_protection(emulator):
    assert emulator.config(fresh_project()) == {"signIn": {"allowDuplicateEmails": False}} | email_privacy(False)


def test_a_change_of_configuration_applies_immediately(emulator, client, dev):
    unknown = {"email": fresh_email(), "password": PASSWORD}
    try:
        assert emulator.config(dev.project, email_privacy(True)) == emulator.config(dev.project)
        assert client.call("signInWithPassword", unknown).code == "INVALID_LOGIN_CREDENTIALS"
    finally:
        emulator.config(dev.project, email_privacy(False))
    assert client.call("signInWithPassword", unknown).code == "EMAIL_NOT_FOUND"


def test_the_audit_trail_names_the_emulator_as_actor(emulator):
    project = fresh_project()
    emulator.config(project, email_privacy(True))
    page = emulator.json("GET", f"/v1/projects/{project}/auditEvents", headers=ADMIN_HEADERS)
    assert [(event["actor"], event["action"]) for event in page["auditEvents"]] == [
        ("emulator", "project.changed"), ("system", "project.added")]


@pytest.mark.parametrize("change", [{}, {"signIn": {}}, {"signIn": {"allowDuplicateEmails": False}},
                                    {"emailPrivacyConfig": {}}])
def test_fields_left_out_of_a_change_keep_their_values(emulator, change):
    project = fresh_project()
    changed = emulator.config(project, {"email_privacy_config": {"enable_improved_email_privacy": True}})
    assert changed["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": True}
    assert emulator.config(project, change) == changed


def test_a_configuration_that_allows_duplicate_email_addresses_is_stored(emulator):
    project = fresh_project()
    change = email_privacy(True) | {"signIn": {"allowDuplicateEmails": True}}
    assert emulator.config(project, change) == change
    assert emulator.config(project) == change


@pytest.mark.parametrize("name", ["oobCodes", "verificationCodes"])
def test_a_new_project_has_no_codes(emulator, name):
    assert emulator.json("GET", f"/emulator/v1/projects/{fresh_project()}/{name}") == {name: []}


def test_an_unknown_action_code_is_rejected(emulator):
    response = emulator.request("GET", "/emulator/action?mode=verifyEmail&oobCode=x&apiKey=any")
    assert response.status_code == 400
    assert response.json()["authEmulator"].keys() == {"error", "instructions"}


def test_a_reset_with_no_or_a_weak_password_is_rejected_with_the_reason(dev, client):
    ada = client.new_account()
    client.call("sendOobCode", {"requestType": "PASSWORD_RESET", "email": ada["email"]})
    [code] = dev.action_codes(ada["email"])
    for suffix, error in [
            ("", "newPassword is missing."), ("&newPassword=short", "Password should be at least 6 characters")]:
        response = requests.get(code["oobLink"] + suffix, timeout=30)
        assert (response.status_code, response.json()["authEmulator"]["error"]) == (400, error)


def test_the_clock_can_be_advanced(emulator, client):
    ada = client.new_account()
    before = emulator.change_clock(advanceSeconds=0)
    # ID tokens are valid for an hour.
    after = emulator.change_clock(advanceSeconds=3600.5)
    assert after["nowMs"] - before["nowMs"] >= 3_600_500
    assert client.call("lookUpOwnAccount", {"idToken": ada["idToken"]}).code == "INVALID_ID_TOKEN"
    fresh = client.refresh(ada).body["id_token"]
    assert unverified_claims(fresh)["iat"] >= before["nowMs"] // 1000 + 3600
    rejected = client.call("updateOwnAccount", {"idToken": fresh, "password": "staple battery horse"})
    assert rejected.code == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"


@pytest.mark.parametrize("instant", [0, 1_000_000_000_000, 4_102_444_800_000, END_OF_9999_MS])
def test_the_clock_can_be_frozen(emulator, client, instant):
    assert emulator.change_clock(freezeAtMs=instant) == {"frozen": True, "nowMs": instant}
    ada = client.new_account()
    claims = unverified_claims(ada["idToken"])
    assert claims["iat"] == claims["auth_time"] == instant // 1000
    assert client.call("lookUpOwnAccount", {"idToken": ada["idToken"]}).body["users"][0]["createdAt"] == str(instant)


def test_a_frozen_clock_can_be_advanced_and_stays_frozen(emulator):
    emulator.change_clock(freezeAtMs=1000)
    assert emulator.change_clock(advanceSeconds=1.25) == {"frozen": True, "nowMs": 2250}


def test_a_reset_clock_shows_the_real_time(emulator):
    emulator.change_clock(freezeAtMs=1000)
    emulator.change_clock(advanceSeconds=TEN_YEARS)
    state = emulator.change_clock(reset=True)
    assert state["frozen"] is False
    assert abs(state["nowMs"] / 1000 - time.time()) < 60


@pytest.mark.parametrize("change", [
    {}, {"advanceSeconds": -1}, {"advanceSeconds": TEN_YEARS + 1}, {"advanceSeconds": "soon"},
    {"freezeAtMs": -1}, {"freezeAtMs": END_OF_9999_MS + 1000}, {"freezeAtMs": 1.5}, {"freezeAtMs": 1e300},
    {"reset": False}, {"reset": 1}, {"reset": True, "freezeAtMs": 1}, [], "now", None,
])
def test_an_invalid_clock_change_is_rejected(emulator, change):
    before = emulator.change_clock(freezeAtMs=1000)
    response = emulator.request("POST", "/emulator/v1/clock", change)
    assert response.status_code == 400
    assert response.json()["error"]["status"] == "INVALID_ARGUMENT"
    assert emulator.change_clock(advanceSeconds=0) == before


def test_the_clock_cannot_be_advanced_beyond_the_year_9999(emulator):
    emulator.change_clock(freezeAtMs=END_OF_9999_MS)
    assert emulator.request("POST", "/emulator/v1/clock", {"advanceSeconds": 1}).status_code == 400


@pytest.mark.parametrize("method, path, allowed", [
    ("POST", "/", "GET"), ("GET", "/emulator/v1/clock", "POST"),
    ("POST", "/emulator/v1/projects/demo/config", "GET, PATCH"),
])
def test_a_wrong_method_is_rejected_with_the_allowed_methods(emulator, method, path, allowed):
    response = emulator.request(method, path)
    assert (response.status_code, response.headers["Allow"]) == (405, allowed)


# Providers of which `dev` accepts unsigned credentials, and which the project does not configure.
UNSIGNED_PROVIDERS = ["twitter.com", "microsoft.com"]
UNSIGNED_CLAIMS = {"email_verified": True, "name": "Ada", "picture": "http://localhost/a"}


def sign_in_with_unsigned_credential(client, provider, claims, encode=json.dumps):
    form = {"providerId": provider, "id_token": encode(claims), "nonce": "ignored"}
    return ok_body(client.call("signInWithIdp", {"postBody": urlencode(form), "requestUri": "http://localhost"}))


@pytest.mark.parametrize("provider", UNSIGNED_PROVIDERS)
@pytest.mark.parametrize("encode", [json.dumps, lambda claims: jwt.encode(claims, key=None, algorithm="none")],
                         ids=["bare", "unsigned"])
def test_an_unsigned_credential_signs_in_to_the_same_account(client, provider, encode):
    claims = UNSIGNED_CLAIMS | {"sub": secrets.token_hex(8), "email": fresh_email()}
    first, again = (sign_in_with_unsigned_credential(client, provider, claims, encode) for _ in range(2))
    assert (first["isNewUser"], first["localId"]) == (True, again["localId"])
    assert (first["email"], first["emailVerified"], first["displayName"]) == (claims["email"], True, "Ada")
    assert first["photoUrl"] == claims["picture"]
    token = unverified_claims(again["idToken"])
    assert token["firebase"]["sign_in_provider"] == provider
    assert token["firebase"]["identities"][provider] == [claims["sub"]]


@pytest.mark.parametrize("provider", UNSIGNED_PROVIDERS)
def test_a_provider_that_has_only_unsigned_credentials_is_not_a_login_method(client, provider):
    sign_in_with_unsigned_credential(client, provider, {"sub": secrets.token_hex(8)})
    answer = ok_body(client.call("getLoginMethods"))
    listed = {method["providerId"] for method in answer["methods"] + answer["linkOnlyMethods"]}
    assert provider not in listed
    assert "google.com" in listed
