"""Identities, sessions, merges and audit events of tenants, for clients and backends.

The fixture `admin` is firebase-admin for the project, in `dev` and in `serve`; `acme` and `zen` are firebase-admin for
two of its tenants. `admin.client` is a client of the same gateway.
"""

import pytest
import requests

from accounts import import_account, sign_in_with_password
from client import PASSWORD, fresh_email, unverified_claims
from gateway import once_configuration_applies
from simulators import Simulators, fresh_person, idp_sign_in_body

in_dev = pytest.mark.parametrize("admin", ["dev"], indirect=True)


@pytest.fixture
def backend(admin):
    """A function that sends a request of the admin API for which the Python library has no function."""
    def call(operation, json=None, path=None, **params):
        return admin.client.call(operation, json, api_key=None, headers=admin.authorization, path=path, params=params)

    return call


@pytest.fixture
def configure(admin):
    """A function that changes settings of a tenant for which the library has no argument."""
    def change(tenant, **settings):
        url = f"{admin.gateway.url}/v2/projects/{admin.gateway.project}/tenants/{tenant.tenant_id}"
        response = requests.patch(
            url, json=settings, params={"updateMask": ",".join(settings)}, headers=admin.authorization, timeout=30)
        assert response.status_code == 200, response.text

    return change


def tenant_field(tenant):
    """The member or query parameter that names a tenant in a request."""
    return {"tenantId": tenant.tenant_id}


@pytest.fixture
def simulators(admin):
    return Simulators(admin.gateway)


@in_dev
def test_one_google_identity_has_a_separate_account_in_every_tenant(admin, acme, zen, simulators):
    person = fresh_person()
    fields_by_tenant = {acme.tenant_id: tenant_field(acme), zen.tenant_id: tenant_field(zen), None: {}}
    found = {}
    for tenant, named in fields_by_tenant.items():
        for is_new in (True, False):
            body = idp_sign_in_body(simulators.sign_in_with_google(person), **named)
            session = admin.client.call("signInWithIdp", body).body
            assert session.get("isNewUser", False) == is_new
        claims = unverified_claims(session["idToken"])
        assert claims["firebase"].get("tenant") == tenant
        found[tenant] = session["localId"]
    assert len(set(found.values())) == 3
    assert acme.get_user(found[acme.tenant_id]).provider_data[0].provider_id == "google.com"


def providers_of(tenant, session):
    return {identity.provider_id for identity in tenant.get_user(session["localId"]).provider_data}


@in_dev
def test_linking_and_unlinking_take_the_tenant_from_the_token(admin, acme, zen, simulators):
    person = fresh_person()
    body = idp_sign_in_body(simulators.sign_in_with_google(person), **tenant_field(acme))
    session = admin.client.call("signInWithIdp", body).body
    token = session["idToken"]
    body = idp_sign_in_body(simulators.sign_in_with_apple(person), idToken=token, **tenant_field(zen))
    rejected = admin.client.call("signInWithIdp", body)
    assert rejected.code == "TENANT_ID_MISMATCH"
    body = idp_sign_in_body(simulators.sign_in_with_apple(person), idToken=token)
    linked = admin.client.call("signInWithIdp", body).body
    assert linked["localId"] == session["localId"]
    assert providers_of(acme, session) == {"apple.com", "google.com"}
    body = {"idToken": token, "deleteProvider": ["apple.com"]}
    assert admin.client.call("unlinkOwnProvider", body | tenant_field(zen)).code == "TENANT_ID_MISMATCH"
    assert admin.client.call("unlinkOwnProvider", body).status == 200
    assert providers_of(acme, session) == {"google.com"}


@in_dev
def test_whether_an_account_exists_is_reported_per_tenant(admin, acme, zen):
    ada = import_account(acme)
    body = {"identifier": ada.email, "continueUri": "http://localhost"}
    assert admin.client.call("createAuthUri", body | tenant_field(acme)).body["registered"] is True
    for named in (tenant_field(zen), {}):
        assert admin.client.call("createAuthUri", body | named).body["registered"] is False


def test_sessions_are_listed_and_revoked_per_tenant(admin, acme, zen):
    ada = import_account(acme)
    import_account(zen, ada)
    import_account(admin, ada)
    first, second = (sign_in_with_password(admin.client, ada, **tenant_field(acme)) for _ in range(2))
    others = [sign_in_with_password(admin.client, ada, **tenant_field(zen)), sign_in_with_password(admin.client, ada)]
    listed = admin.client.call("listSessions", {"idToken": first["idToken"]}).body["sessions"]
    assert len(listed) == 2
    [current] = [entry["sessionId"] for entry in listed if entry["current"]]
    for other in others:
        body = {"idToken": other["idToken"], "sessionId": current}
        assert admin.client.call("revokeSession", body).code == "SESSION_NOT_FOUND"
    assert admin.client.call("revokeSession", {"idToken": second["idToken"], "sessionId": current}).status == 204
    assert admin.client.refresh(first).code == "TOKEN_EXPIRED"
    for session in (second, *others):
        assert admin.client.refresh(session).status == 200


def success_or_none(response):
    """The response if it is a success, otherwise `None`."""
    return response if response.status == 200 else None


def test_an_anonymous_account_of_a_tenant_is_upgraded_in_the_tenant(admin, configure):
    tenant = admin.tenant_with_sign_in()
    configure(tenant, enableAnonymousUser=True)
    # The event loop that answers may not know the new setting yet, so the first successful response counts.
    sign_up = once_configuration_applies(lambda: success_or_none(admin.client.call("signUp", tenant_field(tenant))))
    session = sign_up.body
    body = {"idToken": session["idToken"], "email": fresh_email(), "password": PASSWORD}
    upgraded = admin.client.call("signUp", body).body
    assert upgraded["localId"] == session["localId"]
    assert tenant.verify_id_token(upgraded["idToken"])["firebase"]["sign_in_provider"] == "password"


@pytest.mark.parametrize("operation", ["lookUpAccounts", "lookUpAccountsInTenant"])
def test_a_backend_names_the_tenant_in_the_path_or_the_body(acme, zen, backend, operation):
    ada = import_account(acme)
    path = {"tenant": acme.tenant_id}
    named = tenant_field(acme) if operation == "lookUpAccounts" else {}
    [found] = backend(operation, {"localId": [ada.uid]} | named, path).body["users"]
    assert (found["localId"], found["tenantId"]) == (ada.uid, acme.tenant_id)
    if not named:
        assert backend(operation, {"localId": [ada.uid]} | tenant_field(zen), path).code == "TENANT_ID_MISMATCH"
    else:
        assert "users" not in backend(operation, {"localId": [ada.uid]} | tenant_field(zen)).body


def test_a_backend_searches_and_lists_one_tenant(acme, zen, backend):
    ada = import_account(acme)
    for tenant, found in ((tenant_field(acme), [ada.uid]), (tenant_field(zen), []), ({}, [])):
        users = backend("searchAccounts", q=ada.email, **tenant).body["users"]
        assert [user["localId"] for user in users] == found
        listed = backend("batchGetAccounts", maxResults="1000", **tenant).body.get("users", [])
        assert (ada.uid in {user["localId"] for user in listed}) == bool(found)


def test_identities_are_linked_and_moved_only_within_a_tenant(acme, zen, backend):
    ada, grace, eve = import_account(acme), import_account(acme), import_account(zen)
    path = {"localId": ada.uid, "providerId": "google.com"}
    target = {"targetLocalId": eve.uid}
    # The request names the tenant of `ada` in the body or in the query, no tenant, or the tenant of `eve`.
    for body, params in (
            (target | tenant_field(acme), {}), (target, tenant_field(acme)), (target, {}), (target, tenant_field(zen))):
        assert backend("moveIdentity", body, path, **params).code == "USER_NOT_FOUND"
    assert backend("listIdentities", path={"localId": ada.uid}).code == "USER_NOT_FOUND"
    linked = backend("linkIdentity", {"providerId": "apple.com", "rawId": ada.subject} | tenant_field(acme), path)
    assert linked.status == 200, linked.body
    body = {"targetLocalId": grace.uid} | tenant_field(acme)
    moved = backend("moveIdentity", body, path | {"providerId": "apple.com"})
    assert moved.status == 200, moved.body
    for account, providers in ((ada, ["google.com"]), (grace, ["apple.com", "google.com"])):
        listed = backend("listIdentities", path={"localId": account.uid}, **tenant_field(acme)).body["identities"]
        assert sorted(entry["providerId"] for entry in listed) == providers


def test_merges_are_made_and_undone_only_within_a_tenant(acme, zen, backend):
    source, target, other = import_account(acme), acme.create_user(), import_account(zen)
    for body in ({"sourceLocalId": source.uid, "localId": other.uid},
                 {"sourceLocalId": other.uid, "localId": target.uid}):
        assert backend("mergeAccounts", body | {"dryRun": True} | tenant_field(acme)).code == "USER_NOT_FOUND"
    body = {"sourceLocalId": source.uid, "localId": target.uid, "dryRun": True}
    token = backend("mergeAccounts", body | tenant_field(acme)).body["mergeToken"]
    for elsewhere in (tenant_field(zen), {}):
        rejected = backend("mergeAccounts", {"mergeToken": token} | elsewhere)
        assert (rejected.status, rejected.code) == (400, "INVALID_PENDING_TOKEN")
    merged = backend("mergeAccounts", {"mergeToken": token} | tenant_field(acme))
    assert merged.status == 200, merged.body
    assert acme.get_user(target.uid).email == source.email
    for elsewhere in (tenant_field(zen), {}):
        assert backend("undoMerge", {"sourceLocalId": source.uid} | elsewhere).code == "MERGE_NOT_FOUND"
    assert backend("undoMerge", {"sourceLocalId": source.uid} | tenant_field(acme)).status == 200
    assert acme.get_user(source.uid).email == source.email


def test_the_audit_trail_of_a_tenant_is_separate(acme, zen, backend):
    ada = import_account(acme)
    acme.delete_user(ada.uid)
    for tenant, is_listed in ((tenant_field(acme), True), (tenant_field(zen), False), ({}, False)):
        events = backend("listAuditEvents", subject=ada.uid, **tenant).body["auditEvents"]
        assert ("account.deleted" in {event["action"] for event in events}) == is_listed


def test_a_disabled_tenant_rejects_clients_and_backends(admin, configure, backend):
    tenant = admin.tenant_with_sign_in()
    ada = import_account(tenant)
    session = sign_in_with_password(admin.client, ada, **tenant_field(tenant))
    configure(tenant, disableAuth=True)
    password = {"email": ada.email, "password": PASSWORD} | tenant_field(tenant)
    token = {"idToken": session["idToken"]}
    assert once_configuration_applies(
        lambda: admin.client.call("signInWithPassword", password).code == "PROJECT_DISABLED")
    assert once_configuration_applies(lambda: admin.client.call("lookUpOwnAccount", token).code == "PROJECT_DISABLED")
    path = {"tenant": tenant.tenant_id}
    lookup = {"localId": [ada.uid]}
    assert once_configuration_applies(
        lambda: backend("lookUpAccountsInTenant", lookup, path).code == "PROJECT_DISABLED")
    configure(tenant, disableAuth=False)
    assert once_configuration_applies(lambda: admin.client.call("signInWithPassword", password).status == 200)
