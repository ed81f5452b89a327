"""What `sekisho dev` has of Firebase's emulator, and `sekisho serve` has not."""

import json
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import jwt
import pytest
import requests
from openapi_spec_validator import validate

from exchange import PASSWORD, Client, fresh_email

OWNER = {"Authorization": "Bearer owner"}
TEN_YEARS = 10 * 366 * 86_400


class Emulator:
    def __init__(self, gateway):
        self.url = gateway.url

    def ask(self, method, path, json=None, **options):
        return requests.request(method, self.url + path, json=json, timeout=30, **options)

    def json(self, method, path, json=None, **options):
        response = self.ask(method, path, json, **options)
        assert response.status_code == 200, response.text
        return response.json()

    def clock(self, **change):
        return self.json("POST", "/emulator/v1/clock", change)

    def config(self, project, change=None):
        method = "GET" if change is None else "PATCH"
        return self.json(method, f"/emulator/v1/projects/{project}/config", change)


@pytest.fixture
def emulator(dev):
    emulator = Emulator(dev)
    yield emulator
    emulator.clock(reset=True)


@pytest.fixture
def client(dev, contract):
    return Client(dev, contract)


def fresh_project():
    return f"demo-{secrets.token_hex(6)}"


def privacy(is_on):
    return {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": is_on}}


def test_the_root_says_it_is_ready(emulator):
    state = emulator.json("GET", "/")["authEmulator"]
    assert state["ready"] is True
    assert state["apiSpec"] == "/emulator/openapi.json"
    assert state["docs"].startswith("https://")


def test_the_description_is_one(emulator):
    description = emulator.json("GET", "/emulator/openapi.json")
    validate(description)
    assert {(path, method) for path, item in description["paths"].items() for method in item} == {
        ("/emulator/action", "get"),
        ("/emulator/mail", "get"),
        ("/emulator/mail/{letter}", "get"),
        ("/emulator/mail/{letter}/html", "get"),
        ("/emulator/v1/clock", "post"),
        ("/emulator/v1/projects/{project}/accounts", "delete"),
        ("/emulator/v1/projects/{project}/config", "get"),
        ("/emulator/v1/projects/{project}/config", "patch"),
        ("/emulator/v1/projects/{project}/oobCodes", "get"),
        ("/emulator/v1/projects/{project}/simulatedSignIns", "post"),
        ("/emulator/v1/projects/{project}/simulators", "get"),
        ("/emulator/v1/projects/{project}/simulators", "patch"),
        ("/emulator/v1/projects/{project}/tenants/{tenant}/accounts", "delete"),
        ("/emulator/v1/projects/{project}/tenants/{tenant}/oobCodes", "get"),
        ("/emulator/v1/projects/{project}/tenants/{tenant}/verificationCodes", "get"),
        ("/emulator/v1/projects/{project}/verificationCodes", "get"),
    }


def test_pages_may_ask(emulator):
    headers = {"Origin": "http://localhost:3000"}
    response = emulator.ask("GET", "/", headers=headers)
    assert response.headers["Access-Control-Allow-Origin"] == headers["Origin"]
    assert response.headers["X-Request-Id"]


@pytest.mark.parametrize("method, name", [
    ("DELETE", "accounts"), ("GET", "oobCodes"), ("GET", "verificationCodes")])
def test_tenants_have_their_own(serve, emulator, method, name):
    path = f"/emulator/v1/projects/demo/tenants/t/{name}"
    assert emulator.ask(method, path).json() == ({} if name == "accounts" else {name: []})
    assert Emulator(serve).ask(method, path, headers=OWNER).status_code == 404


@pytest.mark.parametrize("method, path, json", [
    ("GET", "/", None),
    ("GET", "/emulator/openapi.json", None),
    ("DELETE", "/emulator/v1/projects/demo/accounts", None),
    ("GET", "/emulator/v1/projects/demo/config", None),
    ("PATCH", "/emulator/v1/projects/demo/config", privacy(False)),
    ("GET", "/emulator/v1/projects/demo/oobCodes", None),
    ("GET", "/emulator/v1/projects/demo/verificationCodes", None),
    ("GET", "/emulator/action?mode=resetPassword&oobCode=x&apiKey=any", None),
    ("GET", "/emulator/mail", None),
    ("POST", "/emulator/v1/clock", {"advanceSeconds": 1}),
    ("POST", "/emulator/v1/projects/demo/simulatedSignIns", {"providerId": "apple.com"}),
    ("GET", "/emulator/v1/projects/demo/simulators", None),
    ("PATCH", "/emulator/v1/projects/demo/simulators", {}),
])
def test_production_has_none_of_it(serve, emulator, method, path, json):
    assert Emulator(serve).ask(method, path, json, headers=OWNER).status_code == 404
    assert emulator.ask(method, path, json).status_code in (200, 400)


@pytest.mark.parametrize("bearer", ["owner", "OWNER", "ya29.anything"])
def test_production_knows_no_owner(serve, bearer):
    headers = {"Authorization": f"Bearer {bearer}"}
    for path in ("/v1/projects", f"/v1/projects?key={serve.api_key}"):
        assert requests.get(serve.url + path, headers=headers, timeout=30).status_code == 401


@pytest.mark.parametrize("authorization, status", [
    ("Bearer owner", 200),
    ("bearer Owner", 200),
    ("BEARER OWNER", 200),
    ("Bearer ya29.a0AfH6SMB", 200),
    ("Bearer owners", 401),
    ("Bearer YA29.x", 401),
    ("Basic owner", 403),
])
def test_the_owner_may_do_everything(emulator, authorization, status):
    response = emulator.ask("GET", "/v1/projects", headers={"Authorization": authorization})
    assert response.status_code == status


def test_a_wrong_bearer_is_not_saved_by_a_key(emulator):
    headers = {"Authorization": "Bearer nonsense"}
    assert emulator.ask("GET", "/v1/projects?key=any", headers=headers).status_code == 401


def test_a_project_springs_into_being(emulator):
    project = fresh_project()
    document = emulator.json("GET", f"/{project}/.well-known/openid-configuration")
    assert document["issuer"] == f"https://securetoken.google.com/{project}"
    assert emulator.json("GET", f"/{project}/.well-known/jwks.json")["keys"]


def test_a_project_asked_for_by_many_at_once_is_one(emulator):
    path = f"/{fresh_project()}/.well-known/jwks.json"
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: emulator.ask("GET", path), range(16)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1


@pytest.mark.parametrize("project", ["Demo", "demo_1", "-demo", "d" * 64, "%22%3B", "emulator", "readyz"])
def test_what_cannot_be_a_project_is_not_found(emulator, project):
    for path in (f"/emulator/v1/projects/{project}/config", f"/{project}/.well-known/jwks.json"):
        response = emulator.ask("GET", path)
        assert response.status_code == 404
        assert response.json()["error"]["status"] == "NOT_FOUND"


def test_clearing_takes_every_account_and_session(emulator, client, dev):
    ada, anonymous = client.ada(), client.signed_up()
    assert emulator.json("DELETE", f"/emulator/v1/projects/{dev.project}/accounts") == {}
    for user in (ada, anonymous):
        assert client.call("lookup", {"idToken": user["idToken"]}).code == "USER_NOT_FOUND"
        refresh = {"grant_type": "refresh_token", "refresh_token": user["refreshToken"]}
        assert client.call("token", refresh).status == 400
    again = client.signed_up(email=ada["email"], password=PASSWORD)
    assert again["localId"] != ada["localId"]


def test_clearing_leaves_other_projects_alone(emulator, client):
    ada = client.ada()
    emulator.json("DELETE", f"/emulator/v1/projects/{fresh_project()}/accounts")
    assert client.call("lookup", {"idToken": ada["idToken"]}).status == 200


def test_a_new_project_hides_nobody(emulator):
    assert emulator.config(fresh_project()) == {"signIn": {"allowDuplicateEmails": False}} | privacy(False)


def test_a_change_of_configuration_counts_at_once(emulator, client, dev):
    unknown = {"email": fresh_email(), "password": PASSWORD}
    try:
        assert emulator.config(dev.project, privacy(True)) == emulator.config(dev.project)
        assert client.call("signInWithPassword", unknown).code == "INVALID_LOGIN_CREDENTIALS"
    finally:
        emulator.config(dev.project, privacy(False))
    assert client.call("signInWithPassword", unknown).code == "EMAIL_NOT_FOUND"


def test_the_audit_trail_tells_requests_from_the_command_line(emulator):
    project = fresh_project()
    emulator.config(project, privacy(True))
    page = emulator.json("GET", f"/v1/projects/{project}/auditEvents", headers=OWNER)
    assert [(event["actor"], event["action"]) for event in page["auditEvents"]] == [
        ("emulator", "project.changed"), ("system", "project.added")]


@pytest.mark.parametrize("change", [{}, {"signIn": {}}, {"signIn": {"allowDuplicateEmails": False}},
                                    {"emailPrivacyConfig": {}}])
def test_what_a_change_leaves_out_stays(emulator, change):
    project = fresh_project()
    changed = emulator.config(project, {"email_privacy_config": {"enable_improved_email_privacy": True}})
    assert changed["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": True}
    assert emulator.config(project, change) == changed


def test_duplicate_addresses_may_be_allowed(emulator):
    project = fresh_project()
    change = privacy(True) | {"signIn": {"allowDuplicateEmails": True}}
    assert emulator.config(project, change) == change
    assert emulator.config(project) == change


@pytest.mark.parametrize("name", ["oobCodes", "verificationCodes"])
def test_no_code_has_been_sent(emulator, name):
    assert emulator.json("GET", f"/emulator/v1/projects/{fresh_project()}/{name}") == {name: []}


def test_no_code_is_right(emulator):
    response = emulator.ask("GET", "/emulator/action?mode=verifyEmail&oobCode=x&apiKey=any")
    assert response.status_code == 400
    assert response.json()["authEmulator"].keys() == {"error", "instructions"}


def test_time_passes_when_told(emulator, client):
    ada = client.ada()
    before = emulator.clock(advanceSeconds=0)
    after = emulator.clock(advanceSeconds=3600.5)
    assert after["nowMs"] - before["nowMs"] >= 3_600_500
    assert client.call("lookup", {"idToken": ada["idToken"]}).code == "INVALID_ID_TOKEN"
    refresh = {"grant_type": "refresh_token", "refresh_token": ada["refreshToken"]}
    fresh = client.call("token", refresh).body["id_token"]
    assert jwt.decode(fresh, options={"verify_signature": False})["iat"] >= before["nowMs"] // 1000 + 3600
    too_old = client.call("update", {"idToken": fresh, "password": "staple battery horse"})
    assert too_old.code == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"


@pytest.mark.parametrize("instant", [0, 1_000_000_000_000, 4_102_444_800_000, 253_402_300_799_000])
def test_time_stands_still_when_told(emulator, client, instant):
    assert emulator.clock(freezeAtMs=instant) == {"frozen": True, "nowMs": instant}
    ada = client.ada()
    claims = jwt.decode(ada["idToken"], options={"verify_signature": False})
    assert claims["iat"] == claims["auth_time"] == instant // 1000
    assert client.call("lookup", {"idToken": ada["idToken"]}).body["users"][0]["createdAt"] == str(instant)


def test_a_frozen_clock_moves_and_stays_frozen(emulator):
    emulator.clock(freezeAtMs=1000)
    assert emulator.clock(advanceSeconds=1.25) == {"frozen": True, "nowMs": 2250}


def test_reset_goes_back_to_the_real_time(emulator):
    emulator.clock(freezeAtMs=1000)
    emulator.clock(advanceSeconds=TEN_YEARS)
    state = emulator.clock(reset=True)
    assert state["frozen"] is False
    assert abs(state["nowMs"] / 1000 - time.time()) < 60


@pytest.mark.parametrize("change", [
    {}, {"advanceSeconds": -1}, {"advanceSeconds": TEN_YEARS + 1}, {"advanceSeconds": "soon"},
    {"freezeAtMs": -1}, {"freezeAtMs": 253_402_300_800_000}, {"freezeAtMs": 1.5}, {"freezeAtMs": 1e300},
    {"reset": False}, {"reset": 1}, {"reset": True, "freezeAtMs": 1}, [], "now", None,
])
def test_what_is_no_time_changes_nothing(emulator, change):
    before = emulator.clock(freezeAtMs=1000)
    response = emulator.ask("POST", "/emulator/v1/clock", change)
    assert response.status_code == 400
    assert response.json()["error"]["status"] == "INVALID_ARGUMENT"
    assert emulator.clock(advanceSeconds=0) == before


def test_time_ends_with_the_year_9999(emulator):
    emulator.clock(freezeAtMs=253_402_300_799_000)
    assert emulator.ask("POST", "/emulator/v1/clock", {"advanceSeconds": 1}).status_code == 400


@pytest.mark.parametrize("method, path, allowed", [
    ("POST", "/", "GET"), ("GET", "/emulator/v1/clock", "POST"), ("POST", "/emulator/v1/projects/demo/config", "GET, PATCH"),
])
def test_another_method_is_told_which_there_are(emulator, method, path, allowed):
    response = emulator.ask(method, path)
    assert (response.status_code, response.headers["Allow"]) == (405, allowed)


FAKE = {"sub": "abc123", "email": "ada@gmail.com", "email_verified": True, "name": "Ada", "picture": "http://localhost/a"}


@pytest.mark.parametrize("provider", ["apple.com", "google.com", "facebook.com", "github.com", "twitter.com", "microsoft.com"])
@pytest.mark.parametrize("written", [json.dumps, lambda claims: jwt.encode(claims, key=None, algorithm="none")],
                         ids=["bare", "unsigned"])
def test_a_fake_credential_signs_in(client, provider, written):
    claims = FAKE | {"sub": secrets.token_hex(8), "email": fresh_email()}
    form = {"providerId": provider, "id_token": written(claims), "nonce": "not looked at"}
    body = {"postBody": urlencode(form), "requestUri": "http://localhost"}
    first, again = (client.call("signInWithIdp", body).body for _ in range(2))
    assert (first["isNewUser"], first["localId"]) == (True, again["localId"])
    assert (first["email"], first["emailVerified"], first["displayName"]) == (claims["email"], True, "Ada")
    assert first["photoUrl"] == claims["picture"]
    token = jwt.decode(again["idToken"], options={"verify_signature": False})
    assert token["firebase"]["sign_in_provider"] == provider
    assert token["firebase"]["identities"][provider] == [claims["sub"]]


def test_providers_that_only_fakes_have_are_not_shown(client):
    shown = client.call("getLoginMethods").body
    assert "facebook.com" not in str(shown)
