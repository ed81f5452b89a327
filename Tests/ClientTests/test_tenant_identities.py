"""Identities, sessions and the records of tenants: each of a tenant's own, by app and by backend."""

import jwt
import pytest
import requests

from exchange import PASSWORD, fresh_email
from gateway import eventually
from people import refreshed, settle, signed_in
from simulated import Simulated, by, fresh_person

in_dev = pytest.mark.parametrize("admin", ["dev"], indirect=True)


@pytest.fixture(scope="module")
def acme(admin):
    return admin.tenant()


@pytest.fixture(scope="module")
def zen(admin):
    return admin.tenant("Zen-2")


@pytest.fixture
def backend(admin):
    """Asks as libraries for other languages do, or as our own admin API wants it."""
    def ask(operation, json=None, path=None, **params):
        return admin.client.call(operation, json, key=None, headers=admin.authorization, path=path, params=params)

    return ask


@pytest.fixture
def configure(admin):
    """Changes what the library cannot."""
    def change(tenant, **settings):
        url = f"{admin.gateway.url}/v2/projects/{admin.gateway.project}/tenants/{tenant.tenant_id}"
        answer = requests.patch(
            url, json=settings, params={"updateMask": ",".join(settings)}, headers=admin.authorization, timeout=30)
        assert answer.status_code == 200, answer.text

    return change


def of(tenant):
    return {"tenantId": tenant.tenant_id}


@pytest.fixture
def simulated(admin):
    return Simulated(admin.gateway)


@in_dev
def test_one_person_of_google_is_somebody_else_in_every_tenant(admin, acme, zen, simulated):
    person = fresh_person()
    places = {acme.tenant_id: of(acme), zen.tenant_id: of(zen), None: {}}
    found = {}
    for tenant, named in places.items():
        for is_new in (True, False):
            session = admin.client.call("signInWithIdp", by(simulated.google(person), **named)).body
            assert session.get("isNewUser", False) == is_new
        claims = jwt.decode(session["idToken"], options={"verify_signature": False})
        assert claims["firebase"].get("tenant") == tenant
        found[tenant] = session["localId"]
    assert len(set(found.values())) == 3
    assert acme.get_user(found[acme.tenant_id]).provider_data[0].provider_id == "google.com"


@in_dev
def test_apple_is_linked_and_unlinked_by_a_tenants_token_alone(admin, acme, zen, simulated):
    person = fresh_person()
    session = admin.client.call("signInWithIdp", by(simulated.google(person), **of(acme))).body
    token = session["idToken"]
    refused = admin.client.call("signInWithIdp", by(simulated.apple(person), idToken=token, **of(zen)))
    assert refused.code == "TENANT_ID_MISMATCH"
    linked = admin.client.call("signInWithIdp", by(simulated.apple(person), idToken=token)).body
    assert linked["localId"] == session["localId"]
    assert {one.provider_id for one in acme.get_user(session["localId"]).provider_data} == {"apple.com", "google.com"}
    wish = {"idToken": token, "deleteProvider": ["apple.com"]}
    assert admin.client.call("unlink", wish | of(zen)).code == "TENANT_ID_MISMATCH"
    assert admin.client.call("unlink", wish).status == 200
    assert {one.provider_id for one in acme.get_user(session["localId"]).provider_data} == {"google.com"}


@in_dev
def test_who_is_known_is_told_of_one_tenant(admin, acme, zen):
    ada = settle(acme)
    wish = {"identifier": ada.email, "continueUri": "http://localhost"}
    assert admin.client.call("createAuthUri", wish | of(acme)).body["registered"] is True
    for named in (of(zen), {}):
        assert admin.client.call("createAuthUri", wish | named).body["registered"] is False


def test_sessions_are_seen_and_ended_by_whose_they_are(admin, acme, zen):
    ada = settle(acme)
    settle(zen, ada)
    settle(admin, ada)
    own, again = (signed_in(admin.client, ada, **of(acme)) for _ in range(2))
    others = [signed_in(admin.client, ada, **of(zen)), signed_in(admin.client, ada)]
    listed = admin.client.call("listSessions", {"idToken": own["idToken"]}).body["sessions"]
    assert len(listed) == 2
    [current] = [one["sessionId"] for one in listed if one["current"]]
    for other in others:
        wish = {"idToken": other["idToken"], "sessionId": current}
        assert admin.client.call("revokeSession", wish).code == "SESSION_NOT_FOUND"
    assert admin.client.call("revokeSession", {"idToken": again["idToken"], "sessionId": current}).status == 200
    assert refreshed(admin.client, own).code == "TOKEN_EXPIRED"
    for session in (again, *others):
        assert refreshed(admin.client, session).status == 200


def test_an_anonymous_account_of_a_tenant_is_upgraded_there(admin, configure):
    tenant = admin.tenant()
    configure(tenant, enableAnonymousUser=True)
    # Each loop of the gateway may know a tenant for some seconds.
    assert eventually(lambda: admin.client.call("signUp", of(tenant)).status == 200, within=6)
    session = admin.client.signed_up(**of(tenant))
    wish = {"idToken": session["idToken"], "email": fresh_email(), "password": PASSWORD}
    upgraded = admin.client.call("signUp", wish).body
    assert upgraded["localId"] == session["localId"]
    assert tenant.verify_id_token(upgraded["idToken"])["firebase"]["sign_in_provider"] == "password"


@pytest.mark.parametrize("operation", ["lookupAccounts", "lookupAccountsInTenant"])
def test_a_backend_names_the_tenant_in_the_path_or_the_body(acme, zen, backend, operation):
    ada = settle(acme)
    path = {"tenant": acme.tenant_id}
    named = of(acme) if operation == "lookupAccounts" else {}
    [found] = backend(operation, {"localId": [ada.uid]} | named, path).body["users"]
    assert (found["localId"], found["tenantId"]) == (ada.uid, acme.tenant_id)
    if not named:
        assert backend(operation, {"localId": [ada.uid]} | of(zen), path).code == "TENANT_ID_MISMATCH"
    else:
        assert "users" not in backend(operation, {"localId": [ada.uid]} | of(zen)).body


def test_a_backend_searches_and_lists_one_tenant(acme, zen, backend):
    ada = settle(acme)
    for tenant, found in ((of(acme), [ada.uid]), (of(zen), []), ({}, [])):
        users = backend("searchAccounts", q=ada.email, **tenant).body["users"]
        assert [user["localId"] for user in users] == found
        listed = backend("batchGetAccounts", maxResults="1000", **tenant).body.get("users", [])
        assert (ada.uid in {user["localId"] for user in listed}) == bool(found)


def test_identities_are_linked_and_moved_within_a_tenant_only(acme, zen, backend):
    ada, grace, eve = settle(acme), settle(acme), settle(zen)
    at = {"localId": ada.uid, "providerId": "google.com"}
    move = "moveIdentity"
    for wish, params in (({"targetLocalId": eve.uid} | of(acme), {}), ({"targetLocalId": eve.uid}, of(acme)),
                         ({"targetLocalId": eve.uid}, {}), ({"targetLocalId": eve.uid}, of(zen))):
        assert backend(move, wish, at, **params).code == "USER_NOT_FOUND"
    assert backend("listIdentities", path={"localId": ada.uid}).code == "USER_NOT_FOUND"
    linked = backend("linkIdentity", {"providerId": "apple.com", "rawId": ada.subject} | of(acme), at)
    assert linked.status == 200, linked.body
    moved = backend(move, {"targetLocalId": grace.uid} | of(acme), at | {"providerId": "apple.com"})
    assert moved.status == 200, moved.body
    for person, providers in ((ada, ["google.com"]), (grace, ["apple.com", "google.com"])):
        shown = backend("listIdentities", path={"localId": person.uid}, **of(acme)).body["identities"]
        assert sorted(one["providerId"] for one in shown) == providers


def test_accounts_are_merged_and_parted_within_a_tenant_only(acme, zen, backend):
    source, target, stranger = settle(acme), acme.create_user(), settle(zen)
    for wish in ({"sourceLocalId": source.uid, "localId": stranger.uid},
                 {"sourceLocalId": stranger.uid, "localId": target.uid}):
        assert backend("mergeAccounts", wish | {"dryRun": True} | of(acme)).code == "USER_NOT_FOUND"
    wish = {"sourceLocalId": source.uid, "localId": target.uid, "dryRun": True}
    token = backend("mergeAccounts", wish | of(acme)).body["mergeToken"]
    for elsewhere in (of(zen), {}):
        refused = backend("mergeAccounts", {"mergeToken": token} | elsewhere)
        assert refused.status == 400 and refused.code
    merged = backend("mergeAccounts", {"mergeToken": token} | of(acme))
    assert merged.status == 200, merged.body
    assert acme.get_user(target.uid).email == source.email
    for elsewhere in (of(zen), {}):
        assert backend("undoMerge", {"sourceLocalId": source.uid} | elsewhere).code == "MERGE_NOT_FOUND"
    assert backend("undoMerge", {"sourceLocalId": source.uid} | of(acme)).status == 200
    assert acme.get_user(source.uid).email == source.email


def test_the_trail_of_a_tenant_is_its_own(acme, zen, backend):
    ada = settle(acme)
    acme.delete_user(ada.uid)
    for tenant, is_told in ((of(acme), True), (of(zen), False), ({}, False)):
        events = backend("listAuditEvents", subject=ada.uid, **tenant).body["auditEvents"]
        assert ("account.deleted" in {event["action"] for event in events}) == is_told


def test_nobody_gets_into_a_tenant_that_is_switched_off(admin, configure, backend):
    tenant = admin.tenant()
    ada = settle(tenant)
    session = signed_in(admin.client, ada, **of(tenant))
    configure(tenant, disableAuth=True)
    password = {"email": ada.email, "password": PASSWORD} | of(tenant)
    assert eventually(lambda: admin.client.call("signInWithPassword", password).code == "PROJECT_DISABLED", within=6)
    assert eventually(lambda: admin.client.call("lookup", session_of(session)).code == "PROJECT_DISABLED", within=6)
    path = {"tenant": tenant.tenant_id}
    look = {"localId": [ada.uid]}
    assert eventually(lambda: backend("lookupAccountsInTenant", look, path).code == "PROJECT_DISABLED", within=6)
    configure(tenant, disableAuth=False)
    assert eventually(lambda: admin.client.call("signInWithPassword", password).status == 200, within=6)


def session_of(session):
    return {"idToken": session["idToken"]}
