"""A request that names an unknown tenant is rejected, and changes no account of the project."""

import pytest

from accounts import import_account, sign_in_with_password
from admin_sdk import create_service_key, serve_admin
from client import PASSWORD, fresh_email
from gateway import REQUESTS_TO_REACH_EVERY_LOOP, once_configuration_applies

UNKNOWN = {"tenantId": "unknown"}


@pytest.fixture(scope="module", params=["no tenants", "other tenants"])
def backend(request, contract):
    """firebase-admin for a project without tenants, and for a project with other tenants."""
    if request.param == "no tenants":
        installation, running = (request.getfixturevalue(name) for name in ("fresh_installation", "fresh_serve"))
    else:
        installation, running = (request.getfixturevalue(name) for name in ("rs256_installation", "rs256_serve"))
    with serve_admin(running, contract, create_service_key(installation)) as admin:
        if request.param == "other tenants":
            admin.tenant_with_sign_in()
        yield admin


@pytest.fixture
def ada(backend):
    """An account of the project."""
    return import_account(backend)


@pytest.fixture
def session(backend, ada):
    return sign_in_with_password(backend.client, ada)


# Operations of backends that accept a tenant ID, with a body that is valid without a tenant ID.
BACKEND_OPERATIONS = {
    "lookUpAccounts": lambda ada, session: {"localId": [ada.uid]},
    "createAccount": lambda ada, session: {"displayName": "Eve"},
    "updateAccount": lambda ada, session: {"localId": ada.uid, "displayName": "Eve"},
    "deleteAccount": lambda ada, session: {"localId": ada.uid},
    "batchCreateAccounts": lambda ada, session: {"users": [{"localId": "eve"}]},
    "batchDeleteAccounts": lambda ada, session: {"localIds": [ada.uid], "force": True},
    "queryAccounts": lambda ada, session: {},
    "queryProjectAccounts": lambda ada, session: {},
    "sendProjectOobCode": lambda ada, session: {
        "requestType": "PASSWORD_RESET", "email": ada.email, "returnOobLink": True},
    "createSessionCookie": lambda ada, session: {"idToken": session["idToken"], "validDuration": "3600"},
    "mergeAccounts": lambda ada, session: {"sourceLocalId": ada.uid, "localId": "eve", "dryRun": True},
    "undoMerge": lambda ada, session: {"sourceLocalId": ada.uid},
    "impersonateAccount": lambda ada, session: {
        "localId": ada.uid, "reason": "Ticket 4711", "appId": "default", "continueUri": "http://localhost/done"},
    "linkIdentity": lambda ada, session: {"providerId": "apple.com", "rawId": "eve"},
    "unlinkIdentity": lambda ada, session: {},
    "moveIdentity": lambda ada, session: {"targetLocalId": "eve"},
}
# Operations that clients and backends can call, with the body of a backend that is valid without a tenant ID.
SHARED_OPERATIONS = {
    "lookUpOwnAccount": lambda ada, session: {"localId": [ada.uid]},
    "signUp": lambda ada, session: {"email": fresh_email()},
    "updateOwnAccount": lambda ada, session: {"localId": ada.uid, "displayName": "Eve"},
    "deleteOwnAccount": lambda ada, session: {"localId": ada.uid},
    "sendOobCode": BACKEND_OPERATIONS["sendProjectOobCode"],
}
# Operations of backends that only read, with query parameters that are valid without a tenant ID.
BACKEND_READS = {"batchGetAccounts": {}, "searchAccounts": {"q": "a"}, "listAuditEvents": {}, "listCounts": {}, "listIdentities": {},
                 "listAccountSessions": {}, "listSignInObstacles": {}}
# Operations of clients that accept a tenant ID, with the other members of the body.
CLIENT_OPERATIONS = {
    "signUp": lambda ada, session: {"email": fresh_email(), "password": PASSWORD},
    "signInWithPassword": lambda ada, session: {"email": ada.email, "password": PASSWORD},
    "lookUpOwnAccount": lambda ada, session: {"idToken": session["idToken"]},
    "updateOwnAccount": lambda ada, session: {"idToken": session["idToken"], "displayName": "Eve"},
    "deleteOwnAccount": lambda ada, session: {"idToken": session["idToken"]},
    "unlinkOwnProvider": lambda ada, session: {"idToken": session["idToken"], "deleteProvider": ["google.com"]},
    "listSessions": lambda ada, session: {"idToken": session["idToken"]},
    "revokeSession": lambda ada, session: {"idToken": session["idToken"], "everywhere": True},
    "exportAccount": lambda ada, session: {"idToken": session["idToken"]},
    "createAuthUri": lambda ada, session: {"identifier": ada.email, "continueUri": "http://localhost"},
    "sendOobCode": lambda ada, session: {"requestType": "PASSWORD_RESET", "email": ada.email},
    "resetPassword": lambda ada, session: {"oobCode": "x"},
    "signInWithEmailLink": lambda ada, session: {"email": ada.email, "oobCode": "x"},
    "createSignInUri": lambda ada, session: {
        "continueUri": "http://localhost", "state": "s", "codeChallenge": "A" * 43, "codeChallengeMethod": "S256"},
    "issueNonce": lambda ada, session: {},
    "refreshTokens": lambda ada, session: {"grant_type": "refresh_token", "refresh_token": session["refreshToken"]},
}


def call_as_backend(backend, ada, operation, json=None, **params):
    """Sends a request of a backend, and returns the `Response`. The path names `ada`, if it names an account."""
    return backend.client.call(
        operation, json, api_key=None, headers=backend.authorization, params=params,
        path={"localId": ada.uid, "providerId": "google.com"})


@pytest.fixture
def ada_must_not_change(backend, ada):
    """Checks after the test that the providers, email address and display name of `ada` are unchanged."""
    before = backend.get_user(ada.uid)
    yield
    after = backend.get_user(ada.uid)
    assert [entry.provider_id for entry in after.provider_data] == [entry.provider_id for entry in before.provider_data]
    assert (after.email, after.display_name) == (before.email, before.display_name)


@pytest.mark.parametrize("location", ["body", "query"])
@pytest.mark.parametrize("operation", [*BACKEND_OPERATIONS, *SHARED_OPERATIONS])
def test_a_backend_operation_on_an_unknown_tenant_is_rejected(
        backend, ada, session, ada_must_not_change, operation, location):
    json = (BACKEND_OPERATIONS | SHARED_OPERATIONS)[operation](ada, session)
    if location == "body" and operation == "unlinkIdentity":
        pytest.skip("the gateway ignores the body of DELETE")
    if location == "body":
        response = call_as_backend(backend, ada, operation, json | UNKNOWN)
    else:
        response = call_as_backend(backend, ada, operation, json, **UNKNOWN)
    assert (response.status, response.code) == (404, "TENANT_NOT_FOUND")


@pytest.mark.parametrize("operation", BACKEND_READS)
def test_a_backend_read_of_an_unknown_tenant_is_rejected(backend, ada, operation):
    response = call_as_backend(backend, ada, operation, **UNKNOWN, **BACKEND_READS[operation])
    assert (response.status, response.code) == (404, "TENANT_NOT_FOUND")


@pytest.mark.parametrize("location", ["body", "query"])
@pytest.mark.parametrize("operation", CLIENT_OPERATIONS)
def test_a_client_operation_on_an_unknown_tenant_is_rejected(
        backend, ada, session, ada_must_not_change, operation, location):
    json = CLIENT_OPERATIONS[operation](ada, session)
    if location == "body":
        response = backend.client.call(operation, json | UNKNOWN)
    else:
        response = backend.client.call(operation, json, params=dict(UNKNOWN))
    assert (response.status, response.code) == (400, "INVALID_TENANT_ID")


@pytest.mark.parametrize("operation", ["getProject", "getPasswordPolicy", "getRecaptchaConfig"])
def test_a_client_read_of_an_unknown_tenant_is_rejected(backend, operation):
    assert backend.client.call(operation, params=dict(UNKNOWN)).code == "INVALID_TENANT_ID"


def test_the_first_tenant_contains_no_accounts_of_the_project(new_installation, contract):
    """For some seconds, an event loop may use a configuration without the tenant, and respond with an error."""
    installation = new_installation()
    with installation.serving() as running, serve_admin(running, contract, create_service_key(installation)) as admin:
        ada = import_account(admin)
        for _ in range(REQUESTS_TO_REACH_EVERY_LOOP):
            assert call_as_backend(admin, ada, "searchAccounts", q=ada.email).body["users"]
        named = {"tenantId": admin.tenant_with_sign_in().tenant_id}
        for _ in range(REQUESTS_TO_REACH_EVERY_LOOP):
            listed = call_as_backend(admin, ada, "batchGetAccounts", **named)
            assert listed.code == "TENANT_NOT_FOUND" or listed.body.get("users", []) == []
        for _ in range(REQUESTS_TO_REACH_EVERY_LOOP):
            response = call_as_backend(admin, ada, "updateAccount", {"localId": ada.uid, "displayName": "Eve"}, **named)
            assert response.code in ("TENANT_NOT_FOUND", "USER_NOT_FOUND")
        assert admin.get_user(ada.uid).display_name == "Ada"
        assert once_configuration_applies(
            lambda: call_as_backend(admin, ada, "batchGetAccounts", **named).status == 200)
