"""Whoever names a tenant that is not there is refused, and never answered from the project's own accounts."""

import pytest

from admin_sdk import real, service_key
from exchange import PASSWORD, fresh_email
from gateway import eventually
from installation import Installation, new_database
from people import settle, signed_in

NOBODY = {"tenantId": "nobody"}
PLACES = ["no tenants", "other tenants"]


@pytest.fixture(scope="module")
def bare(own):
    """An installation whose project has no tenants."""
    with own.serving() as running:
        yield own, running


@pytest.fixture(scope="module", params=PLACES)
def backend(request, contract):
    """firebase-admin for a project of either sort."""
    if request.param == "no tenants":
        installation, running = request.getfixturevalue("bare")
    else:
        installation, running = (request.getfixturevalue(name) for name in ("verifiable", "verifiable_serve"))
    with real(running, contract, service_key(installation)) as admin:
        if request.param == "other tenants":
            admin.tenant()
        yield admin


@pytest.fixture
def ada(backend):
    """Of the project itself."""
    return settle(backend)


@pytest.fixture
def session(backend, ada):
    return signed_in(backend.client, ada)


# Every operation of a backend that takes a tenant by name, with what it would be allowed without one.
BY_BACKENDS = {
    "lookupAccounts": lambda ada, session: {"localId": [ada.uid]},
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
    "linkIdentity": lambda ada, session: {"providerId": "apple.com", "rawId": "eve"},
    "unlinkIdentity": lambda ada, session: {},
    "moveIdentity": lambda ada, session: {"targetLocalId": "eve"},
}
BY_EITHER = {
    "lookup": lambda ada, session: {"localId": [ada.uid]},
    "signUp": lambda ada, session: {"email": fresh_email()},
    "update": lambda ada, session: {"localId": ada.uid, "displayName": "Eve"},
    "delete": lambda ada, session: {"localId": ada.uid},
    "sendOobCode": BY_BACKENDS["sendProjectOobCode"],
}
READ = {"batchGetAccounts": {}, "searchAccounts": {"q": "a"}, "listAuditEvents": {}, "listIdentities": {}}
BY_CLIENTS = {
    "signUp": lambda ada, session: {"email": fresh_email(), "password": PASSWORD},
    "signInWithPassword": lambda ada, session: {"email": ada.email, "password": PASSWORD},
    "lookup": lambda ada, session: {"idToken": session["idToken"]},
    "update": lambda ada, session: {"idToken": session["idToken"], "displayName": "Eve"},
    "delete": lambda ada, session: {"idToken": session["idToken"]},
    "unlink": lambda ada, session: {"idToken": session["idToken"], "deleteProvider": ["google.com"]},
    "listSessions": lambda ada, session: {"idToken": session["idToken"]},
    "revokeSession": lambda ada, session: {"idToken": session["idToken"], "everywhere": True},
    "createAuthUri": lambda ada, session: {"identifier": ada.email, "continueUri": "http://localhost"},
    "sendOobCode": lambda ada, session: {"requestType": "PASSWORD_RESET", "email": ada.email},
    "resetPassword": lambda ada, session: {"oobCode": "x"},
    "signInWithEmailLink": lambda ada, session: {"email": ada.email, "oobCode": "x"},
    "issueNonce": lambda ada, session: {},
    "token": lambda ada, session: {"grant_type": "refresh_token", "refresh_token": session["refreshToken"]},
}


def by_backend(backend, ada, operation, json=None, **params):
    """Paths name the project's Ada where they name anybody."""
    return backend.client.call(
        operation, json, key=None, headers=backend.authorization, params=params,
        path={"localId": ada.uid, "providerId": "google.com"})


@pytest.fixture
def unharmed(backend, ada):
    before = backend.get_user(ada.uid)
    yield
    after = backend.get_user(ada.uid)
    assert [one.provider_id for one in after.provider_data] == [one.provider_id for one in before.provider_data]
    assert (after.email, after.display_name) == (before.email, before.display_name)


@pytest.mark.parametrize("place", ["body", "query"])
@pytest.mark.parametrize("operation", [*BY_BACKENDS, *BY_EITHER])
def test_no_backend_is_answered_about_a_tenant_that_is_not_there(
        backend, ada, session, unharmed, operation, place):
    json = (BY_BACKENDS | BY_EITHER)[operation](ada, session)
    if place == "body":
        answer = by_backend(backend, ada, operation, json | NOBODY)
    else:
        answer = by_backend(backend, ada, operation, json, **NOBODY)
    assert (answer.status, answer.code) == (404, "TENANT_NOT_FOUND")


@pytest.mark.parametrize("operation", READ)
def test_no_backend_reads_of_a_tenant_that_is_not_there(backend, ada, operation):
    answer = by_backend(backend, ada, operation, **NOBODY, **READ[operation])
    assert (answer.status, answer.code) == (404, "TENANT_NOT_FOUND")


@pytest.mark.parametrize("place", ["body", "query"])
@pytest.mark.parametrize("operation", BY_CLIENTS)
def test_no_app_is_answered_about_a_tenant_that_is_not_there(backend, ada, session, unharmed, operation, place):
    json = BY_CLIENTS[operation](ada, session)
    if place == "body":
        answer = backend.client.call(operation, json | NOBODY)
    else:
        answer = backend.client.call(operation, json, params=dict(NOBODY))
    assert (answer.status, answer.code) == (400, "INVALID_TENANT_ID")


@pytest.mark.parametrize("operation", ["getProject", "getPasswordPolicy"])
def test_no_app_reads_of_a_tenant_that_is_not_there(backend, operation):
    assert backend.client.call(operation, params=dict(NOBODY)).code == "INVALID_TENANT_ID"


def test_a_first_tenant_has_nobody_of_the_project(folder, dev, contract):
    """Each loop of the gateway may know the project as it was for some seconds."""
    installation = Installation(folder, new_database(dev.database_url)).with_project()
    with installation.serving() as running, real(running, contract, service_key(installation)) as admin:
        ada = settle(admin)
        for _ in range(8):
            assert by_backend(admin, ada, "searchAccounts", q=ada.email).body["users"]
        named = {"tenantId": admin.tenant().tenant_id}
        for _ in range(8):
            listed = by_backend(admin, ada, "batchGetAccounts", **named)
            assert listed.code == "TENANT_NOT_FOUND" or listed.body.get("users", []) == []
        for _ in range(8):
            answer = by_backend(admin, ada, "updateAccount", {"localId": ada.uid, "displayName": "Eve"}, **named)
            assert answer.code in ("TENANT_NOT_FOUND", "USER_NOT_FOUND")
        assert admin.get_user(ada.uid).display_name == "Ada"
        assert eventually(lambda: by_backend(admin, ada, "batchGetAccounts", **named).status == 200, within=6)
