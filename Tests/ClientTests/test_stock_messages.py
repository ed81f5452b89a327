"""Messages as unchanged Firebase SDKs send them, and the members of responses that these SDKs require."""

import json
from urllib.parse import urlencode

import jwt
import pytest
import requests

from client import ADMIN_HEADERS, PASSWORD, fresh_email, ok_body
from simulators import fresh_person, idp_sign_in_body

# `REDACTED` in base64. A client gets it instead of the password hash of an account that has a password.
REDACTED = "UkVEQUNURUQ="


def test_every_successful_json_response_in_the_contract_is_an_object(contract):
    other_types = {"text/html", "text/plain", "application/yaml", "image/png", "image/jpeg", "image/webp"}
    for operation in contract.operations.values():
        for status, response in operation.body["responses"].items():
            if not str(status).startswith("2") or operation.path.startswith("/.well-known/"):
                continue
            content = contract.resolved(response).get("content", {})
            if set(content) <= other_types:
                continue
            schema = contract.resolved(content["application/json"]["schema"])
            assert schema["type"] == "object", operation.body["operationId"]


def test_the_response_to_a_deletion_is_an_object(client):
    assert ok_body(client.call("deleteOwnAccount", {"idToken": client.sign_up()["idToken"]})) == {
        "kind": "identitytoolkit#DeleteAccountResponse", "appleRevocation": "NONE"}


def test_the_response_to_a_successful_sign_in_has_no_member_that_reports_a_conflict(client, simulators):
    request = idp_sign_in_body(simulators.sign_in_with_apple(), returnIdpCredential=True)
    answer = ok_body(client.call("signInWithIdp", request))
    assert not {"needConfirmation", "errorMessage", "emailRecycled", "mfaPendingCredential"} & answer.keys()


@pytest.mark.parametrize("post_body", [
    "id_token={id_token}&providerId=apple.com", "providerId=apple.com&id_token=%ZZ", "nonsense"])
def test_a_pending_token_takes_precedence_over_a_post_body(client, simulators, post_body):
    ada = fresh_person()
    first = ok_body(client.call("signInWithIdp", idp_sign_in_body(simulators.sign_in_with_apple(ada))))
    proof = simulators.sign_in_with_apple(ada)
    anonymous = client.sign_up()
    conflict = ok_body(client.call("signInWithIdp", idp_sign_in_body(
        proof, idToken=anonymous["idToken"], returnIdpCredential=True)))
    assert conflict["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED"
    body = {"requestUri": "http://localhost", "postBody": post_body.format(id_token=proof["idToken"]),
            "pendingToken": conflict["pendingToken"], "autoCreate": True, "returnIdpCredential": True}
    assert ok_body(client.call("signInWithIdp", body))["localId"] == first["localId"]


NAMES = {
    "plain": ("Ada", "Lovelace"),
    "ampersand": ("Ada & Bob", "Lovelace"),
    "percent": ("100%", "50% of 2"),
    "plus": ("Ada+Bob", "C++"),
    "brace and quote": ('A}"{', "B\\"),
    "separator": ("a=b&nonce=c", "d#e?f"),
    "beyond ASCII": ("愛子", "Müller"),
}


@pytest.mark.parametrize("given, family", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("is_encoded", [True, False], ids=["encoded", "raw"])
@pytest.mark.parametrize("is_last", [True, False], ids=["last", "first"])
def test_a_name_is_read_encoded_or_raw_at_either_end_of_a_post_body(
        client, simulators, given, family, is_encoded, is_last):
    proof = simulators.sign_in_with_apple()
    user = json.dumps({"name": {"firstName": given, "lastName": family}}, ensure_ascii=False)
    pairs = [("providerId", "apple.com"), ("id_token", proof["idToken"]), ("nonce", proof["rawNonce"])]
    pairs.insert(len(pairs) if is_last else 0, ("user", user))
    post_body = urlencode(pairs) if is_encoded else "&".join(f"{name}={value}" for name, value in pairs)
    answer = ok_body(client.call("signInWithIdp", {"requestUri": "http://localhost", "postBody": post_body}))
    assert (answer["firstName"], answer["lastName"]) == (given, family)


@pytest.mark.parametrize("user", ["{", "{}", '{"name":', '{"name":"Ada"}', "[]", "%7B", "Ada", ""])
def test_an_unreadable_name_does_not_prevent_a_sign_in(client, simulators, user):
    proof = simulators.sign_in_with_apple()
    post_body = f"providerId=apple.com&id_token={proof['idToken']}&nonce={proof['rawNonce']}&user={user}"
    assert "firstName" not in ok_body(client.call("signInWithIdp", {
        "requestUri": "http://localhost", "postBody": post_body}))


@pytest.mark.parametrize("more", [{}, {"returnIdpCredential": True}])
def test_a_second_identity_of_a_provider_is_an_error(client, simulators, more):
    first = ok_body(client.call("signInWithIdp", idp_sign_in_body(simulators.sign_in_with_apple())))
    request = idp_sign_in_body(simulators.sign_in_with_apple(), idToken=first["idToken"], **more)
    second = client.call("signInWithIdp", request)
    assert (second.status, second.code) == (400, "PROVIDER_ALREADY_LINKED")


@pytest.mark.parametrize("request_type", ["EMAIL_SIGNIN", "PASSWORD_RESET", "VERIFY_EMAIL"])
def test_checking_a_code_returns_the_address(client, request_type):
    email = client.new_account()["email"]
    code = client.create_action_code(request_type, email)["oobCode"]
    checked = ok_body(client.call("resetPassword", {"oobCode": code}))
    assert (checked["email"], checked["requestType"]) == (email, request_type)


@pytest.mark.parametrize("is_hashed", [False, True])
def test_googles_token_can_be_sent_again_without_the_nonce_of_the_gateway(client, simulators, is_hashed):
    nonce = ok_body(client.call("issueNonce", {}))
    claim = nonce["nonceSha256" if is_hashed else "nonce"]
    proof = simulators.sign_in_with_google(rawNonce=claim)
    with_nonce = {"postBody": urlencode({
        "providerId": "google.com", "id_token": proof["idToken"], "nonce": nonce["nonce"]})}
    without = {"postBody": urlencode({"providerId": "google.com", "id_token": proof["idToken"]})}
    common = {"requestUri": "http://localhost", "returnIdpCredential": True}
    first = ok_body(client.call("signInWithIdp", with_nonce | common))
    for _ in range(2):
        assert ok_body(client.call("signInWithIdp", without | common))["localId"] == first["localId"]


def test_a_lookup_reports_a_password_without_its_hash(client, simulators):
    assert client.lookup(client.new_account())["passwordHash"] == REDACTED
    with_apple = ok_body(client.call("signInWithIdp", idp_sign_in_body(simulators.sign_in_with_apple())))
    for session in (client.sign_up(), with_apple):
        assert "passwordHash" not in client.lookup(session)


def custom_token(uid):
    """Returns an unsigned custom token, which only `dev` accepts."""
    return jwt.encode({
        "uid": uid,
        "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
    }, key=None, algorithm="none")


@pytest.mark.parametrize("provider", ["apple", "google"])
def test_authenticating_again_with_an_unknown_identity_gets_email_not_found(client, simulators, provider):
    body = idp_sign_in_body(getattr(simulators, f"sign_in_with_{provider}")(), autoCreate=False)
    rejected = client.call("signInWithIdp", body)
    assert (rejected.status, rejected.code) == (400, "EMAIL_NOT_FOUND")


@pytest.mark.parametrize("operation", ["signInWithPassword", "signInWithCustomToken"])
def test_authenticating_again_with_another_account_is_a_mismatch(client, operation):
    ada, eve = client.new_account(), client.new_account()

    def credential(user):
        if operation == "signInWithCustomToken":
            return {"token": custom_token(user["localId"])}
        return {"email": user["email"], "password": PASSWORD}

    ok_body(client.call(operation, credential(ada) | {"idToken": ada["idToken"]}))
    rejected = client.call(operation, credential(eve) | {"idToken": ada["idToken"]})
    assert (rejected.status, rejected.code) == (400, "USER_MISMATCH")
    assert client.call(operation, credential(ada) | {"idToken": "nonsense"}).code == "INVALID_ID_TOKEN"


def test_a_wrong_password_of_another_account_is_reported_as_wrong(client):
    ada, eve = client.new_account(), client.new_account()
    wrong = {"email": eve["email"], "password": "wrong horse", "idToken": ada["idToken"]}
    assert client.call("signInWithPassword", wrong).code == "INVALID_PASSWORD"


def test_authenticating_again_with_a_custom_token_for_an_unknown_account_creates_no_account(client):
    ada = client.new_account()
    body = {"token": custom_token("nobody-yet"), "idToken": ada["idToken"]}
    assert client.call("signInWithCustomToken", body).code == "USER_MISMATCH"
    found = client.call("lookUpAccounts", {"localId": ["nobody-yet"]}, api_key=None, headers=ADMIN_HEADERS)
    assert "users" not in ok_body(found)


LEGACY_PATH = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"


class Legacy:
    """Sends requests under the paths of version 3 of the API."""

    def __init__(self, dev):
        self.dev = dev

    def call(self, name, json=None, method="POST", **options):
        options = {"params": {"key": "any"}} | options
        return requests.request(method, self.dev.url + LEGACY_PATH + name, json=json, timeout=30, **options)


@pytest.fixture
def legacy(dev):
    return Legacy(dev)


@pytest.mark.parametrize("name, body, status, code", [
    ("createAuthUri", {}, 400, "MISSING_IDENTIFIER"),
    ("deleteAccount", {}, 400, "MISSING_ID_TOKEN"),
    ("emailLinkSignin", {}, 400, "MISSING_EMAIL"),
    ("getAccountInfo", {}, 400, "MISSING_ID_TOKEN"),
    ("getOobConfirmationCode", {}, 400, "MISSING_REQ_TYPE"),
    ("getProjectConfig", None, 200, None),
    ("getRecaptchaParam", None, 200, None),
    ("publicKeys", None, 200, None),
    ("resetPassword", {}, 400, "MISSING_OOB_CODE"),
    ("sendVerificationCode", {}, 400, "INVALID_PHONE_NUMBER : Invalid format."),
    ("setAccountInfo", {}, 400, "INVALID_REQ_TYPE : Unsupported request parameters."),
    ("signOutUser", {}, 501, "NOT_IMPLEMENTED"),
    ("signupNewUser", {}, 200, None),
    ("verifyAssertion", {}, 400, "MISSING_REQUEST_URI"),
    ("verifyCustomToken", {}, 400, "MISSING_CUSTOM_TOKEN"),
    ("verifyPassword", {}, 400, "MISSING_EMAIL"),
    ("verifyPhoneNumber", {}, 400, "MISSING_SESSION_INFO"),
])
def test_operations_respond_under_their_names_in_version_3(legacy, name, body, status, code):
    response = legacy.call(name, body)
    assert response.status_code == status, response.text
    assert isinstance(response.json(), dict)
    if code:
        # The message of a status 501 is a sentence, and the code is in another member.
        assert response.json()["error"]["message" if status == 400 else "errorCode"] == code


def test_accounts_are_uploaded_and_downloaded_under_names_of_version_3(legacy):
    project = "demo-legacy"
    users = [{"localId": f"user-{index}", "email": fresh_email()} for index in range(3)]
    uploaded = legacy.call(
        "uploadAccount", {"targetProjectId": project, "users": users}, params={}, headers=ADMIN_HEADERS)
    assert uploaded.json() == {"kind": "identitytoolkit#UploadAccountResponse"}
    request, seen = {"targetProjectId": project, "maxResults": 2}, []
    for _ in range(2):
        page = legacy.call("downloadAccount", request, params={}, headers=ADMIN_HEADERS).json()
        seen += [user["localId"] for user in page["users"]]
        request["nextPageToken"] = page.get("nextPageToken")
    assert seen == ["user-0", "user-1", "user-2"]


@pytest.mark.parametrize("name, body", [("downloadAccount", {}), ("uploadAccount", {"users": [{"localId": "a"}]})])
def test_uploads_and_downloads_of_accounts_without_a_project_are_rejected(legacy, name, body):
    response = legacy.call(name, body, params={}, headers=ADMIN_HEADERS)
    assert (response.status_code, response.json()["error"]["message"]) == (400, "INSUFFICIENT_PERMISSION")
