"""Apps of a tenant's users: plain calls that name it once, against `dev` and `serve`."""

import jwt
import pytest
import requests

from admin_sdk import real, service_key
from exchange import PASSWORD, fresh_email
from gateway import eventually
from installation import Installation, new_database
from mail_server import MailServer, serving
from people import query_of, refreshed, settle, signed_in

NEW_PASSWORD = "staple battery horse"


@pytest.fixture(scope="module")
def acme(admin):
    return admin.tenant().tenant_id


@pytest.fixture(scope="module")
def zen(admin):
    return admin.tenant("Zen-2").tenant_id


@pytest.fixture
def ada(admin, acme):
    """A session of somebody new."""
    return signed_up(admin.client, acme)


def signed_up(client, tenant, email=None):
    return client.signed_up(email=email or fresh_email(), password=PASSWORD, tenantId=tenant)


def claims(token):
    return jwt.decode(token, options={"verify_signature": False})


def test_whoever_signs_up_in_a_tenant_is_of_it(admin, acme, ada):
    assert claims(ada["idToken"])["firebase"]["tenant"] == acme
    [shown] = admin.client.call("lookup", {"idToken": ada["idToken"]}).body["users"]
    assert (shown["localId"], shown["tenantId"]) == (ada["localId"], acme)
    assert admin.client.call("lookup", {"idToken": ada["idToken"], "tenantId": acme}).body["users"] == [shown]


def test_one_address_has_an_account_in_every_tenant(admin, acme, zen, ada):
    taken = {"email": ada["email"], "password": PASSWORD, "tenantId": acme}
    assert admin.client.call("signUp", taken).code == "EMAIL_EXISTS"
    others = [signed_up(admin.client, zen, ada["email"]), admin.client.signed_up(email=ada["email"], password=PASSWORD)]
    assert len({one["localId"] for one in [ada, *others]}) == 3
    for tenant, account in ((acme, ada), (zen, others[0]), (None, others[1])):
        named = {"tenantId": tenant} if tenant else {}
        wish = {"email": ada["email"], "password": PASSWORD} | named
        session = admin.client.call("signInWithPassword", wish).body
        assert session["localId"] == account["localId"]
        assert claims(session["idToken"])["firebase"].get("tenant") == tenant


def test_a_refresh_stays_in_the_tenant(admin, acme, zen, ada):
    for named in ({}, {"tenantId": acme}):
        fresh = refreshed(admin.client, ada, **named).body
        assert claims(fresh["id_token"])["firebase"]["tenant"] == acme
        assert claims(fresh["id_token"])["sid"] == claims(ada["idToken"])["sid"]
        ada = {"refreshToken": fresh["refresh_token"], "idToken": fresh["id_token"]}
    assert refreshed(admin.client, ada, tenantId=zen).code == "TENANT_ID_MISMATCH"


@pytest.mark.parametrize("operation, wish", [
    ("lookup", {}), ("update", {"displayName": "Eve"}), ("delete", {}),
    ("sendOobCode", {"requestType": "VERIFY_EMAIL"}),
])
def test_a_token_and_a_name_that_disagree_are_refused(admin, zen, ada, operation, wish):
    answer = admin.client.call(operation, {"idToken": ada["idToken"], "tenantId": zen} | wish)
    assert answer.code == "TENANT_ID_MISMATCH"
    [shown] = admin.client.call("lookup", {"idToken": ada["idToken"]}).body["users"]
    assert "displayName" not in shown


def test_an_account_of_a_tenant_is_changed_and_deleted_by_its_token_alone(admin, acme, ada):
    client = admin.client
    assert client.call("update", {"idToken": ada["idToken"], "displayName": "Ada"}).body["displayName"] == "Ada"
    changed = client.call("update", {"idToken": ada["idToken"], "password": NEW_PASSWORD}).body
    assert claims(changed["idToken"])["firebase"]["tenant"] == acme
    wish = {"email": ada["email"], "password": NEW_PASSWORD, "tenantId": acme}
    session = client.call("signInWithPassword", wish).body
    assert client.call("lookup", {"idToken": session["idToken"]}).body["users"][0]["displayName"] == "Ada"
    assert client.call("delete", {"idToken": changed["idToken"]}).status == 200
    assert client.call("lookup", {"idToken": session["idToken"]}).code == "USER_NOT_FOUND"


@pytest.mark.parametrize("operation, wish, code", [
    ("signUp", {"email": "x@example.com", "password": PASSWORD}, "OPERATION_NOT_ALLOWED"),
    ("signUp", {}, "ADMIN_ONLY_OPERATION"),
    ("signInWithPassword", {"email": "x@example.com", "password": PASSWORD}, "PASSWORD_LOGIN_DISABLED"),
    ("signInWithEmailLink", {"email": "x@example.com", "oobCode": "x"}, "OPERATION_NOT_ALLOWED"),
])
def test_a_tenant_begins_with_everything_off(admin, operation, wish, code):
    shut = admin.create_tenant("Shut").tenant_id
    assert admin.client.call(operation, wish | {"tenantId": shut}).code == code


def test_what_is_switched_on_is_on(admin):
    shut = admin.create_tenant("Shut").tenant_id
    admin.update_tenant(shut, allow_password_sign_up=True)
    wish = {"email": fresh_email(), "password": PASSWORD, "tenantId": shut}
    # Each loop of the gateway may know a tenant for some seconds.
    assert eventually(lambda: admin.client.call("signUp", wish).code in (None, "EMAIL_EXISTS"), within=6)


@pytest.mark.parametrize("tenant", ["a b", "a/b", "é", "x" * 64])
def test_what_cannot_be_a_tenant_is_none(admin, tenant):
    wish = {"email": fresh_email(), "password": PASSWORD, "tenantId": tenant}
    assert admin.client.call("signUp", wish).code == "INVALID_TENANT_ID"


@pytest.mark.parametrize("admin", ["serve"], indirect=True)
def test_a_tenant_that_nobody_made_is_none(admin):
    wish = {"email": fresh_email(), "password": PASSWORD, "tenantId": "nobody-made-this"}
    assert admin.client.call("signUp", wish).code == "INVALID_TENANT_ID"
    assert admin.client.call("signInWithPassword", wish).code == "INVALID_TENANT_ID"


@pytest.mark.parametrize("admin", ["dev"], indirect=True)
def test_a_tenant_comes_into_being_where_the_emulator_would_make_it(admin):
    wish = {"email": fresh_email(), "password": PASSWORD, "tenantId": "made-by-naming-it"}
    assert claims(admin.client.call("signUp", wish).body["idToken"])["firebase"]["tenant"] == "made-by-naming-it"
    assert admin.get_tenant("made-by-naming-it").allow_password_sign_up


@pytest.mark.parametrize("admin", ["serve"], indirect=True)
def test_a_tenants_token_is_verified_by_the_projects_published_keys(admin, acme, ada):
    """By PyJWT, knowing nothing but the issuer, which is the project's."""
    issuer = f"{admin.gateway.url}/{admin.gateway.project}"
    keys = jwt.PyJWKClient(requests.get(f"{issuer}/.well-known/openid-configuration", timeout=30).json()["jwks_uri"])
    for token in (ada["idToken"], refreshed(admin.client, ada).body["id_token"]):
        verified = jwt.decode(
            token, keys.get_signing_key_from_jwt(token), algorithms=["RS256"], audience=admin.gateway.project,
            issuer=issuer, options={"require": ["exp", "iat", "iss", "aud", "sub"]})
        assert (verified["sub"], verified["firebase"]["tenant"]) == (ada["localId"], acme)


@pytest.mark.parametrize("admin", ["dev"], indirect=True)
def test_mail_for_a_tenant_is_in_the_tenants_mailbox(admin, acme, zen, ada):
    reset = {"requestType": "PASSWORD_RESET", "email": ada["email"]}
    assert admin.client.call("sendOobCode", reset | {"tenantId": acme}).body["email"] == ada["email"]
    assert admin.client.call("sendOobCode", reset | {"tenantId": zen}).code == "EMAIL_NOT_FOUND"
    assert admin.client.call("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": ada["idToken"]}).status == 200
    assert mailed(admin, acme, ada["email"]).keys() == {"PASSWORD_RESET", "VERIFY_EMAIL"}
    assert mailed(admin, zen, ada["email"]) == mailed(admin, None, ada["email"]) == {}
    code = mailed(admin, acme, ada["email"])["PASSWORD_RESET"]
    assert admin.client.call(
        "resetPassword", {"oobCode": code, "newPassword": NEW_PASSWORD, "tenantId": acme}).status == 200


def mailed(admin, tenant, email):
    """The codes that are in a mailbox."""
    below = f"/tenants/{tenant}" if tenant else ""
    url = f"{admin.gateway.url}/emulator/v1/projects/{admin.gateway.project}{below}/oobCodes"
    codes = requests.get(url, timeout=30).json()["oobCodes"]
    return {one["requestType"]: one["oobCode"] for one in codes if one["email"] == email}


@pytest.fixture
def mailing(folder, dev, contract):
    """A gateway that sends mail to a server, and what the server has taken."""
    installation = Installation(folder, new_database(dev.database_url)).with_project()
    server = MailServer()
    with serving(server) as port:
        smtp = {"SEKISHO_SMTP_URL": f"smtp://127.0.0.1:{port}", "SEKISHO_MAIL_FROM": "no-reply@example.com"}
        with installation.serving(**smtp) as running:
            with real(running, contract, service_key(installation)) as admin:
                yield admin, server


def test_mail_of_serve_leads_back_to_the_tenant(mailing):
    admin, server = mailing
    tenant = admin.tenant()
    person = settle(tenant)
    wish = {"requestType": "PASSWORD_RESET", "email": person.email, "tenantId": tenant.tenant_id}
    assert admin.client.call("sendOobCode", wish | {"email": fresh_email()}).status == 200
    assert admin.client.call("sendOobCode", wish).status == 200
    assert eventually(lambda: server.taken), "nothing came"
    [taken] = server.taken
    assert taken.recipients == [person.email]
    [link] = [line for line in taken.part("plain").splitlines() if line.startswith("http")]
    assert query_of(link)["tenantId"] == tenant.tenant_id
    page = requests.post(link.split("?")[0], data=query_of(link) | {"newPassword": NEW_PASSWORD}, timeout=30)
    assert page.status_code == 200, page.text
    assert signed_in(admin.client, person, NEW_PASSWORD, tenantId=tenant.tenant_id)["localId"] == person.uid
