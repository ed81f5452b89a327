"""Requests that test suites for the Firebase emulator send to `sekisho dev`, and the responses that they expect."""

import base64
import json
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests

import gateway
from client import ADMIN_HEADERS, PASSWORD, Client, fresh_email, ok_body
from simulators import ISSUERS, fresh_person, idp_sign_in_body, unverifiable_post_body


class Project:
    """A project (default: a new one), with requests of an administrator. `{P}` in a path is the project ID."""

    def __init__(self, dev, name=None):
        self.url, self.name = dev.url, name or f"demo-{secrets.token_hex(6)}"

    def request(self, method, path, json=None, **options):
        options = {"headers": ADMIN_HEADERS} | options
        return requests.request(method, self.url + path.replace("{P}", self.name), json=json, timeout=30, **options)

    def json(self, method, path, json=None, **options):
        """Sends a request that must succeed, and returns the body of the response."""
        response = self.request(method, path, json, **options)
        assert response.status_code == 200, response.text
        return response.json()

    def error(self, method, path, json=None, **options):
        """Sends a request that must be rejected, and returns the error message."""
        response = self.request(method, path, json, **options)
        assert response.status_code == 400, response.text
        return response.json()["error"]["message"]

    def protect_against_enumeration(self):
        self.json("PATCH", "/emulator/v1/projects/{P}/config", {
            "emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})

    def create_user(self, **fields):
        return self.json("POST", "/v1/projects/{P}/accounts", {"email": fresh_email(), "password": PASSWORD} | fields)

    def send_code(self, json):
        """Requests an action code as a backend, which gets the link in the response."""
        return self.json("POST", "/v1/projects/{P}/accounts:sendOobCode", {"returnOobLink": True} | json)

    def codes(self):
        return self.json("GET", "/emulator/v1/projects/{P}/oobCodes")["oobCodes"]


@pytest.fixture
def project(dev):
    return Project(dev)


@pytest.fixture
def demo(dev):
    """The project of requests that name no project, such as the requests of `client`."""
    return Project(dev, dev.project)


def unsigned_sign_in_body(claims, provider="google.com", **more):
    """The body of `signInWithIdp` with claims in JSON in the place of an ID token."""
    post_body = urlencode({"providerId": provider, "id_token": json.dumps(claims)})
    return {"requestUri": "http://localhost", "postBody": post_body} | more


# Configuration

def test_an_update_without_mask_restores_the_defaults(project):
    config = "/v2/projects/{P}/config"
    before = project.json("GET", config)
    changed = project.json("PATCH", config, {
        "signIn": {"allowDuplicateEmails": True}, "emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})
    assert changed["signIn"]["allowDuplicateEmails"] is True
    assert project.json("PATCH", config, {}) == before
    assert before["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": False}


def test_an_update_of_a_tenant_without_mask_disables_the_methods_that_it_omits(project):
    tenant = "/v2/projects/{P}/tenants/acme"
    methods = ("allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser")
    found = project.json("GET", tenant)
    assert [found[name] for name in methods] == [True] * 3
    changed = project.json("PATCH", tenant, {"displayName": "Acme"})
    assert changed["displayName"] == "Acme"
    assert [changed[name] for name in (*methods, "disableAuth")] == [False] * 4
    assert "displayName" not in project.json("PATCH", tenant, {})


def test_getting_an_unknown_tenant_creates_it(project):
    found = project.json("GET", "/v2/projects/{P}/tenants/acme")
    assert (found["tenantId"], found["name"]) == ("acme", f"projects/{project.name}/tenants/acme")
    assert [tenant["tenantId"] for tenant in project.json("GET", "/v2/projects/{P}/tenants")["tenants"]] == ["acme"]


@pytest.mark.parametrize("count, size, tokens", [(2, 2, ["t1", None]), (3, 2, ["t1", None]), (1, 2, [None])])
def test_a_full_page_of_tenants_has_a_page_token_even_if_the_next_page_is_empty(project, count, size, tokens):
    for index in range(count):
        project.json("GET", f"/v2/projects/{{P}}/tenants/t{index}")
    token = ""
    for expected in tokens:
        page = project.json("GET", f"/v2/projects/{{P}}/tenants?pageSize={size}&pageToken={token}")
        assert page.get("nextPageToken") == expected
        token = expected


# Continue URLs

@pytest.mark.parametrize("url", [
    "https://app.example.com/a?b=c#d", "http://192.0.2.1:8080", "http://localhost/x", "http://[::1]:3000",
    "http://[::1]"])
@pytest.mark.parametrize("tenant", ["", "/tenants/acme"])
def test_continue_urls_of_any_host_are_accepted(project, url, tenant):
    path = f"/v1/projects/{{P}}{tenant}/accounts:sendOobCode"
    issued = project.json("POST", path, {
        "requestType": "EMAIL_SIGNIN", "email": fresh_email(), "continueUrl": url, "returnOobLink": True})
    assert parse_qs(urlsplit(issued["oobLink"]).query)["continueUrl"] == [url]
    followed = requests.get(issued["oobLink"], timeout=30, allow_redirects=False)
    assert followed.status_code == 303
    assert followed.headers["Location"].startswith(url.split("#")[0])


def test_configured_domains_restrict_continue_urls(project):
    project.json("PATCH", "/v2/projects/{P}/config?updateMask=authorizedDomains", {
        "authorizedDomains": ["app.example.com"]})
    request = {"requestType": "EMAIL_SIGNIN", "email": fresh_email(), "returnOobLink": True}
    assert project.send_code(request | {"continueUrl": "https://app.example.com"})["oobCode"]
    message = project.error("POST", "/v1/projects/{P}/accounts:sendOobCode", request | {
        "continueUrl": "https://elsewhere.example"})
    assert message.startswith("UNAUTHORIZED_DOMAIN")


def test_a_relative_continue_url_is_rejected(project):
    message = project.error("POST", "/v1/projects/{P}/accounts:sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": fresh_email(), "continueUrl": "/done"})
    assert message.startswith("INVALID_CONTINUE_URI")


# Configuration

@pytest.mark.parametrize("member, value", [
    ("recaptchaConfig", {"emailPasswordEnforcementState": "AUDIT"}),
])
def test_a_setting_without_an_effect_is_accepted_with_a_warning(dev, project, member, value):
    before = project.json("GET", "/v2/projects/{P}/config")
    changed = project.json("PATCH", f"/v2/projects/{{P}}/config?updateMask={member}", {member: value})
    warning = f"{member} is not implemented and has no effect."
    assert changed == before | {"warnings": [warning]}
    assert gateway.eventually(
        lambda: any(warning in line and project.name in line for line in dev.log.read_text().splitlines()))


def test_a_tenant_may_have_an_openid_provider_without_apple(project):
    tenant = project.json("POST", "/v2/projects/{P}/tenants", {
        "displayName": "Acme", "mfaConfig": {"state": "ENABLED", "enabledProviders": ["PHONE_SMS"]}})
    assert "warnings" not in tenant
    assert tenant["mfaConfig"] == {"state": "ENABLED", "enabledProviders": ["PHONE_SMS"]}
    path = f"/v2/projects/{{P}}/tenants/{tenant['tenantId']}/oauthIdpConfigs"
    provider = project.json("POST", f"{path}?oauthIdpConfigId=oidc.acme", {
        "clientId": "acme", "issuer": "https://login.acme.example", "enabled": True})
    assert provider["enabled"]
    assert "it shows oidc.acme while apple.com is not configured" in provider["warnings"][0]


# Second factors

def test_a_project_has_both_kinds_of_second_factors_until_it_is_configured(project):
    before = project.json("GET", "/v2/projects/{P}/config")
    assert before["mfa"] == {
        "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
        "providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 1}}]}
    changed = project.json("PATCH", "/v2/projects/{P}/config?updateMask=mfa.enabledProviders", {
        "mfa": {"enabledProviders": []}})
    assert changed["mfa"] == before["mfa"] | {"enabledProviders": []}


@pytest.mark.parametrize("mfa", [{}, {"enrollments": []}])
def test_an_update_may_state_that_there_are_no_second_factors(project, mfa):
    user = project.create_user()["localId"]
    project.json("POST", "/v1/projects/{P}/accounts:update", {"localId": user, "mfa": mfa, "displayName": "Ada"})
    assert "mfaInfo" not in project.json("POST", "/v1/projects/{P}/accounts:lookup", {"localId": [user]})["users"][0]


# Changes of an address

def test_each_change_of_an_address_creates_a_recovery_code_for_the_first_address(client, demo):
    ada = client.new_account()
    first = ada["email"]
    for _ in range(2):
        ada = ok_body(client.call("updateOwnAccount", {"idToken": ada["idToken"], "email": fresh_email()}))
        assert client.lookup(ada)["initialEmail"] == first
    found = [entry for entry in demo.codes() if entry["email"] == first and entry["requestType"] == "RECOVER_EMAIL"]
    assert len(found) == 2
    restored = ok_body(client.call("updateOwnAccount", {"oobCode": found[-1]["oobCode"]}))
    assert (restored["email"], restored["emailVerified"]) == (first, True)


def test_an_account_that_kept_its_address_has_no_initial_email(client):
    ada = client.new_account()
    assert "initialEmail" not in client.lookup(ada)
    same = ok_body(client.call("updateOwnAccount", {"idToken": ada["idToken"], "email": ada["email"]}))
    assert "initialEmail" not in client.lookup(ada | same)


def test_the_first_address_of_an_anonymous_account_creates_no_recovery_code(client, demo):
    anonymous, email = client.sign_up(), fresh_email()
    named = ok_body(client.call("updateOwnAccount", {"idToken": anonymous["idToken"], "email": email}))
    assert "initialEmail" not in client.lookup(anonymous | named)
    assert all(entry["email"] != email for entry in demo.codes())


# createAuthUri

def sign_in_methods(client, email):
    """What `createAuthUri` returns for an address: whether an account has it, the providers and the sign-in methods."""
    answer = ok_body(client.call("createAuthUri", {"identifier": email, "continueUri": "http://localhost"}))
    return answer["registered"], answer["allProviders"], answer["signinMethods"]


def test_a_sign_in_link_counts_as_a_password_among_providers(client, demo):
    email = fresh_email()
    issued = demo.send_code({"requestType": "EMAIL_SIGNIN", "email": email})
    session = ok_body(client.call("signInWithEmailLink", {"email": email, "oobCode": issued["oobCode"]}))
    assert sign_in_methods(client, email) == (True, ["password"], ["emailLink"])
    ok_body(client.call("updateOwnAccount", {"idToken": session["idToken"], "password": PASSWORD}))
    assert sign_in_methods(client, email) == (True, ["password"], ["password", "emailLink"])


def test_an_account_is_found_by_the_current_address_of_its_identity(client):
    ada, subject = client.new_account(), secrets.token_hex(8)
    old, new = fresh_email(), fresh_email()
    claims = {"sub": subject, "email": old, "email_verified": True}
    ok_body(client.call("signInWithIdp", unsigned_sign_in_body(claims, idToken=ada["idToken"])))
    both = (True, ["password", "google.com"], ["password", "google.com"])
    assert sign_in_methods(client, old) == sign_in_methods(client, ada["email"]) == both
    ok_body(client.call("signInWithIdp", unsigned_sign_in_body(claims | {"email": new})))
    assert sign_in_methods(client, new) == both
    assert sign_in_methods(client, old) == (False, [], [])


def test_the_sign_in_methods_omit_identities_if_accounts_may_share_addresses(dev, contract):
    client = Client(dev, contract)
    demo = Project(dev, dev.project)
    ada = client.new_account()
    at_google = fresh_email()
    claims = {"sub": secrets.token_hex(8), "email": at_google}
    ok_body(client.call("signInWithIdp", unsigned_sign_in_body(claims, idToken=ada["idToken"])))
    config = "/emulator/v1/projects/{P}/config"
    demo.json("PATCH", config, {"signIn": {"allowDuplicateEmails": True}})
    try:
        assert sign_in_methods(client, ada["email"]) == (True, ["password"], ["password"])
        assert sign_in_methods(client, at_google) == (False, [], [])
    finally:
        demo.json("PATCH", config, {"signIn": {"allowDuplicateEmails": False}})


# Sign-in with a provider

@pytest.mark.parametrize("post_body", ["", "id_token=x", "providerId=&id_token=x"])
def test_the_error_for_a_request_without_provider_contains_its_uri(client, post_body):
    uri = "http://localhost/handler?a=b"
    rejected = client.call("signInWithIdp", {"requestUri": uri, "postBody": post_body})
    assert rejected.status == 400
    assert rejected.body["error"]["message"] == (
        f"INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: {uri}")


def test_the_screen_name_language_and_time_zone_are_copied_from_the_claims(client):
    claims = {"sub": secrets.token_hex(8), "screen_name": "ada", "locale": "en-GB", "zoneinfo": "Europe/London"}
    members = {"screenName": "ada", "language": "en-GB", "timeZone": "Europe/London"}
    answer = ok_body(client.call("signInWithIdp", unsigned_sign_in_body(claims)))
    user = client.lookup(answer)
    for found in (answer, user):
        assert members.items() <= found.items()
    assert user["providerUserInfo"][0]["screenName"] == "ada"


@pytest.mark.parametrize("more", [{}, {"returnIdpCredential": True}])
def test_linking_an_identity_that_the_account_already_has_is_a_conflict(client, more):
    claims = {"sub": secrets.token_hex(8)}
    first = ok_body(client.call("signInWithIdp", unsigned_sign_in_body(claims)))
    again = client.call("signInWithIdp", unsigned_sign_in_body(claims, idToken=first["idToken"], **more))
    if more:
        assert ok_body(again)["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED"
    else:
        assert (again.status, again.code) == (400, "FEDERATED_USER_ID_ALREADY_LINKED")


def test_authenticating_again_with_an_identity_of_the_account_is_no_conflict(client):
    claims = {"sub": secrets.token_hex(8)}
    first = ok_body(client.call("signInWithIdp", unsigned_sign_in_body(claims)))
    request = unsigned_sign_in_body(claims, idToken=first["idToken"], autoCreate=False)
    again = ok_body(client.call("signInWithIdp", request))
    assert again["localId"] == first["localId"]


# Backends

def test_a_backend_can_name_an_account_by_its_id_token_alone(client, demo):
    ada = client.new_account()
    issued = demo.send_code({"requestType": "VERIFY_EMAIL", "idToken": ada["idToken"]})
    assert (issued["email"], bool(issued["oobCode"])) == (ada["email"], True)
    issued = demo.send_code({
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": ada["idToken"], "newEmail": fresh_email(),
        "email": "ignored@example.com"})
    assert issued["email"] == ada["email"]


@pytest.mark.parametrize("request_type", ["VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL"])
def test_an_invalid_id_token_from_a_backend_is_rejected(demo, request_type):
    request = {"requestType": request_type, "idToken": "x", "newEmail": fresh_email(), "returnOobLink": True}
    assert demo.error("POST", "/v1/projects/{P}/accounts:sendOobCode", request) == "INVALID_ID_TOKEN"


def test_a_password_reset_for_an_unknown_address_succeeds_without_a_link_under_enumeration_protection(project):
    request = {"requestType": "PASSWORD_RESET", "email": fresh_email(), "returnOobLink": True}
    assert project.error("POST", "/v1/projects/{P}/accounts:sendOobCode", request) == "EMAIL_NOT_FOUND"
    project.protect_against_enumeration()
    assert project.send_code(request) == {
        "kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": request["email"]}
    known = project.create_user()["email"]
    assert project.send_code(request | {"email": known})["oobLink"]


@pytest.mark.parametrize("operation", ["lookup", "sendOobCode", "update"])
def test_a_path_and_a_token_of_different_tenants_are_rejected(client, demo, operation):
    token = client.sign_up(email=fresh_email(), password=PASSWORD, tenantId="acme")["idToken"]
    path = f"/v1/projects/{{P}}/tenants/zen/accounts:{operation}"
    request = {"idToken": token, "localId": ["x"] if operation == "lookup" else "x", "requestType": "VERIFY_EMAIL"}
    assert demo.error("POST", path, request) == "TENANT_ID_MISMATCH"


@pytest.mark.parametrize("request_body", [{}, {"newPassword": PASSWORD}, {"oobCode": "x", "newPassword": PASSWORD}])
def test_a_reset_is_rejected_before_its_code_is_checked_if_password_sign_in_is_disabled(client, demo, request_body):
    demo.json("PATCH", "/v2/projects/{P}/tenants/no-passwords", {"enableEmailLinkSignin": True})
    rejected = client.call("resetPassword", request_body | {"tenantId": "no-passwords"})
    assert (rejected.status, rejected.code) == (400, "PASSWORD_LOGIN_DISABLED")


def test_a_sign_in_code_can_be_checked_if_password_sign_in_is_disabled(client, demo):
    demo.json("PATCH", "/v2/projects/{P}/tenants/links", {"enableEmailLinkSignin": True})
    issued = demo.json("POST", "/v1/projects/{P}/tenants/links/accounts:sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": fresh_email(), "returnOobLink": True})
    checked = ok_body(client.call("resetPassword", {"oobCode": issued["oobCode"], "tenantId": "links"}))
    assert checked["requestType"] == "EMAIL_SIGNIN"


def test_a_backend_links_an_identity(project):
    user = project.create_user()
    link = {"providerId": "google.com", "rawId": secrets.token_hex(8), "email": fresh_email(), "displayName": "Ada"}
    update = "/v1/projects/{P}/accounts:update"
    changed = project.json("POST", update, {"localId": user["localId"], "linkProviderUserInfo": link})
    [linked] = [info for info in changed["providerUserInfo"] if info["providerId"] == "google.com"]
    assert linked == link | {"federatedId": link["rawId"]}


@pytest.mark.parametrize("link, code", [
    ({"rawId": "x"}, "MISSING_PROVIDER_ID"), ({"providerId": "google.com"}, "MISSING_RAW_ID")])
def test_an_incomplete_identity_cannot_be_linked(project, link, code):
    user = project.create_user()
    request = {"localId": user["localId"], "linkProviderUserInfo": link}
    assert project.error("POST", "/v1/projects/{P}/accounts:update", request) == code


@pytest.mark.parametrize("encode", [str, lambda text: base64.b64encode(text.encode()).decode()], ids=["raw", "base64"])
def test_a_fake_password_hash_is_imported_as_its_password(client, demo, encode):
    user = {
        "localId": secrets.token_hex(8), "email": fresh_email(), "salt": "fakeSaltQ",
        "passwordHash": encode("fakeHash:salt=fakeSaltQ:password=correct: horse")}
    imported = demo.json("POST", "/v1/projects/{P}/accounts:batchCreate", {"users": [user]})
    assert "error" not in imported
    signed_in = ok_body(client.call("signInWithPassword", {"email": user["email"], "password": "correct: horse"}))
    assert signed_in["localId"] == user["localId"]


# Tokens that name Apple or Google as their issuer, but that no simulator signed

def unverifiable_sign_in_body(provider, **changed):
    """The body of `signInWithIdp` with a token that is signed with a key that no simulator publishes."""
    return idp_sign_in_body({"postBody": unverifiable_post_body(provider, **changed)})


@pytest.mark.parametrize("provider", ISSUERS)
def test_a_token_with_the_issuer_of_the_provider_is_accepted_without_verification(client, provider):
    body = unverifiable_sign_in_body(provider, sub="the-same", email=fresh_email(), email_verified=True)
    first, again = (ok_body(client.call("signInWithIdp", body)) for _ in range(2))
    assert first["localId"] == again["localId"]


@pytest.mark.parametrize("provider, changed", [
    ("apple.com", {"iss": "https://accounts.google.com"}), ("google.com", {"iss": "https://example.com"})])
def test_a_token_that_cannot_be_verified_is_rejected_if_it_has_another_issuer(client, provider, changed):
    assert client.call("signInWithIdp", unverifiable_sign_in_body(provider, **changed)).status == 400


@pytest.mark.parametrize("provider", ISSUERS)
def test_a_token_that_names_a_key_of_a_simulator_is_rejected_if_another_key_signed_it(client, simulators, provider):
    key_id = simulators.key_id(provider)
    rejected = client.call("signInWithIdp", unverifiable_sign_in_body(provider, key_id=key_id))
    assert (rejected.status, rejected.code) == (400, "INVALID_IDP_RESPONSE")


def test_a_changed_token_of_a_simulator_is_rejected(client, simulators):
    proof = simulators.sign_in_with_google()
    header, _, signature = proof["idToken"].split(".")
    payload = base64.urlsafe_b64encode(json.dumps({"iss": ISSUERS["google.com"], "sub": "eve"}).encode())
    changed = proof | {"postBody": urlencode({
        "providerId": "google.com", "id_token": f"{header}.{payload.decode().rstrip('=')}.{signature}"})}
    assert client.call("signInWithIdp", idp_sign_in_body(changed)).code == "INVALID_IDP_RESPONSE"


def test_a_server_auth_code_is_redeemed_once_at_the_simulated_google(client, simulators):
    person = fresh_person()
    code = simulators.sign_in_with_google(person)["authorizationCode"]
    body = idp_sign_in_body({"postBody": urlencode({"providerId": "google.com", "code": code})})
    signed_in = ok_body(client.call("signInWithIdp", body))
    assert signed_in["email"] == person["email"]
    assert signed_in["oauthAccessToken"]
    assert client.call("signInWithIdp", body).code == "INVALID_IDP_RESPONSE"
