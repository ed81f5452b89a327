"""Clients name a tenant in their requests.

The fixture `admin` is firebase-admin, for `dev` and for `serve`; `admin.client` is a client of the same gateway.
"""

import jwt
import pytest
import requests

from accounts import import_account, query_parameters, sign_in_with_password
from admin_sdk import create_service_key, serve_admin
from client import PASSWORD, fresh_email, unverified_claims
from gateway import eventually, once_configuration_applies
from smtp_server import SMTPServer, smtp_server_running

NEW_PASSWORD = "staple battery horse"


@pytest.fixture(scope="module")
def acme(admin):
    """The ID of a tenant that the tests of this file share."""
    return admin.tenant_with_sign_in().tenant_id


@pytest.fixture(scope="module")
def zen(admin):
    """The ID of another tenant of the same project."""
    return admin.tenant_with_sign_in("Zen-2").tenant_id


@pytest.fixture
def ada(admin, acme):
    """A session of a new account of the tenant."""
    return sign_up(admin.client, acme)


def sign_up(client, tenant, email=None):
    """Signs up in a tenant with ``PASSWORD`` and an email address (default: a new one), and returns the session."""
    return client.sign_up(email=email or fresh_email(), password=PASSWORD, tenantId=tenant)


def test_an_account_belongs_to_the_tenant_of_the_sign_up(admin, acme, ada):
    assert unverified_claims(ada["idToken"])["firebase"]["tenant"] == acme
    user = admin.client.lookup(ada)
    assert (user["localId"], user["tenantId"]) == (ada["localId"], acme)
    assert admin.client.call("lookUpOwnAccount", {"idToken": ada["idToken"], "tenantId": acme}).body["users"] == [user]


def test_one_email_address_can_have_an_account_in_every_tenant(admin, acme, zen, ada):
    body = {"email": ada["email"], "password": PASSWORD, "tenantId": acme}
    assert admin.client.call("signUp", body).code == "EMAIL_EXISTS"
    others = [sign_up(admin.client, zen, ada["email"]), admin.client.sign_up(email=ada["email"], password=PASSWORD)]
    assert len({entry["localId"] for entry in [ada, *others]}) == 3
    for tenant, account in ((acme, ada), (zen, others[0]), (None, others[1])):
        tenant_field = {"tenantId": tenant} if tenant else {}
        body = {"email": ada["email"], "password": PASSWORD} | tenant_field
        session = admin.client.call("signInWithPassword", body).body
        assert session["localId"] == account["localId"]
        assert unverified_claims(session["idToken"])["firebase"].get("tenant") == tenant


def test_a_refreshed_token_names_the_same_tenant(admin, acme, zen, ada):
    for tenant_field in ({}, {"tenantId": acme}):
        fresh = admin.client.refresh(ada, **tenant_field).body
        assert unverified_claims(fresh["id_token"])["firebase"]["tenant"] == acme
        assert unverified_claims(fresh["id_token"])["sid"] == unverified_claims(ada["idToken"])["sid"]
        ada = {"refreshToken": fresh["refresh_token"], "idToken": fresh["id_token"]}
    assert admin.client.refresh(ada, tenantId=zen).code == "TENANT_ID_MISMATCH"


@pytest.mark.parametrize("operation, body", [
    ("lookUpOwnAccount", {}), ("updateOwnAccount", {"displayName": "Eve"}), ("deleteOwnAccount", {}),
    ("sendOobCode", {"requestType": "VERIFY_EMAIL"}),
])
def test_a_token_of_another_tenant_is_rejected(admin, zen, ada, operation, body):
    response = admin.client.call(operation, {"idToken": ada["idToken"], "tenantId": zen} | body)
    assert response.code == "TENANT_ID_MISMATCH"
    user = admin.client.lookup(ada)
    assert "displayName" not in user


def test_changes_and_deletion_take_the_tenant_from_the_token(admin, acme, ada):
    client = admin.client
    updated = client.call("updateOwnAccount", {"idToken": ada["idToken"], "displayName": "Ada"})
    assert updated.body["displayName"] == "Ada"
    changed = client.call("updateOwnAccount", {"idToken": ada["idToken"], "password": NEW_PASSWORD}).body
    assert unverified_claims(changed["idToken"])["firebase"]["tenant"] == acme
    body = {"email": ada["email"], "password": NEW_PASSWORD, "tenantId": acme}
    session = client.call("signInWithPassword", body).body
    assert client.call("lookUpOwnAccount", {"idToken": session["idToken"]}).body["users"][0]["displayName"] == "Ada"
    assert client.call("deleteOwnAccount", {"idToken": changed["idToken"]}).status == 200
    assert client.call("lookUpOwnAccount", {"idToken": session["idToken"]}).code == "USER_NOT_FOUND"


@pytest.mark.parametrize("operation, body, code", [
    ("signUp", {"email": "x@example.com", "password": PASSWORD}, "OPERATION_NOT_ALLOWED"),
    ("signUp", {}, "ADMIN_ONLY_OPERATION"),
    ("signInWithPassword", {"email": "x@example.com", "password": PASSWORD}, "PASSWORD_LOGIN_DISABLED"),
    ("signInWithEmailLink", {"email": "x@example.com", "oobCode": "x"}, "OPERATION_NOT_ALLOWED"),
])
def test_a_tenant_that_was_created_without_options_allows_no_sign_in_method(admin, operation, body, code):
    tenant = admin.create_tenant("Disabled").tenant_id
    assert admin.client.call(operation, body | {"tenantId": tenant}).code == code


def test_an_enabled_sign_in_method_works(admin):
    tenant = admin.create_tenant("Disabled").tenant_id
    admin.update_tenant(tenant, allow_password_sign_up=True)
    body = {"email": fresh_email(), "password": PASSWORD, "tenantId": tenant}
    assert once_configuration_applies(lambda: admin.client.call("signUp", body).status == 200)


@pytest.mark.parametrize("tenant", ["a b", "a/b", "é", "x" * 64])
def test_an_invalid_tenant_id_is_rejected(admin, tenant):
    body = {"email": fresh_email(), "password": PASSWORD, "tenantId": tenant}
    assert admin.client.call("signUp", body).code == "INVALID_TENANT_ID"


@pytest.mark.parametrize("admin", ["serve"], indirect=True)
def test_serve_rejects_an_unknown_tenant(admin):
    body = {"email": fresh_email(), "password": PASSWORD, "tenantId": "unknown"}
    assert admin.client.call("signUp", body).code == "INVALID_TENANT_ID"
    assert admin.client.call("signInWithPassword", body).code == "INVALID_TENANT_ID"


@pytest.mark.parametrize("admin", ["dev"], indirect=True)
def test_dev_creates_an_unknown_tenant_like_the_emulator(admin):
    body = {"email": fresh_email(), "password": PASSWORD, "tenantId": "created-by-first-use"}
    token = admin.client.call("signUp", body).body["idToken"]
    assert unverified_claims(token)["firebase"]["tenant"] == "created-by-first-use"
    assert admin.get_tenant("created-by-first-use").allow_password_sign_up


@pytest.mark.parametrize("admin", ["serve"], indirect=True)
def test_a_token_of_a_tenant_is_verified_with_the_keys_of_the_project(admin, acme, ada):
    """PyJWT is configured only with the issuer, which is that of the project."""
    issuer = f"{admin.gateway.url}/{admin.gateway.project}"
    keys = jwt.PyJWKClient(requests.get(f"{issuer}/.well-known/openid-configuration", timeout=30).json()["jwks_uri"])
    for token in (ada["idToken"], admin.client.refresh(ada).body["id_token"]):
        verified = jwt.decode(
            token, keys.get_signing_key_from_jwt(token), algorithms=["RS256"], audience=admin.gateway.project,
            issuer=issuer, options={"require": ["exp", "iat", "iss", "aud", "sub"]})
        assert (verified["sub"], verified["firebase"]["tenant"]) == (ada["localId"], acme)


@pytest.mark.parametrize("admin", ["dev"], indirect=True)
def test_dev_lists_action_codes_by_tenant(admin, acme, zen, ada):
    reset = {"requestType": "PASSWORD_RESET", "email": ada["email"]}
    assert admin.client.call("sendOobCode", reset | {"tenantId": acme}).body["email"] == ada["email"]
    assert admin.client.call("sendOobCode", reset | {"tenantId": zen}).code == "EMAIL_NOT_FOUND"
    assert admin.client.call("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": ada["idToken"]}).status == 200
    assert listed_codes(admin, acme, ada["email"]).keys() == {"PASSWORD_RESET", "VERIFY_EMAIL"}
    assert listed_codes(admin, zen, ada["email"]) == listed_codes(admin, None, ada["email"]) == {}
    code = listed_codes(admin, acme, ada["email"])["PASSWORD_RESET"]
    assert admin.client.call(
        "resetPassword", {"oobCode": code, "newPassword": NEW_PASSWORD, "tenantId": acme}).status == 200


def listed_codes(admin, tenant, email):
    """The listed action codes of an email address, by request type."""
    return {code["requestType"]: code["oobCode"] for code in admin.gateway.action_codes(email, tenant=tenant)}


@pytest.fixture
def admin_and_smtp_server(new_installation, contract):
    """firebase-admin for a gateway that sends emails, and the SMTP server that receives them."""
    installation = new_installation()
    server = SMTPServer()
    with smtp_server_running(server) as port:
        smtp = {"SEKISHO_SMTP_URL": f"smtp://127.0.0.1:{port}", "SEKISHO_EMAIL_FROM": "no-reply@example.com"}
        with installation.serving(**smtp) as running:
            with serve_admin(running, contract, create_service_key(installation)) as admin:
                yield admin, server


def test_the_link_in_an_email_of_serve_names_the_tenant(admin_and_smtp_server):
    admin, server = admin_and_smtp_server
    tenant = admin.tenant_with_sign_in()
    account = import_account(tenant)
    body = {"requestType": "PASSWORD_RESET", "email": account.email, "tenantId": tenant.tenant_id}
    # An address without an account gets no email.
    assert admin.client.call("sendOobCode", body | {"email": fresh_email()}).status == 200
    assert admin.client.call("sendOobCode", body).status == 200
    assert eventually(lambda: server.received), "no email was received"
    [received] = server.received
    assert received.recipients == [account.email]
    [link] = [line for line in received.part("plain").splitlines() if line.startswith("http")]
    assert query_parameters(link)["tenantId"] == tenant.tenant_id
    page = requests.post(link.split("?")[0], data=query_parameters(link) | {"newPassword": NEW_PASSWORD}, timeout=30)
    assert page.status_code == 200, page.text
    session = sign_in_with_password(admin.client, account, NEW_PASSWORD, tenantId=tenant.tenant_id)
    assert session["localId"] == account.uid
