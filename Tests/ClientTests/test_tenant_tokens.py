"""firebase-admin creates and verifies tokens, creates links and configures providers, all for tenants.

The fixture `admin` is firebase-admin for the project, in `dev` and in `serve`; `acme` and `zen` are firebase-admin for
two of its tenants. `admin.client` is a client of the same gateway.
"""

import secrets
import time
from datetime import timedelta

import pytest
from firebase_admin import auth, tenant_mgt
from firebase_admin.exceptions import ConflictError, InvalidArgumentError

from accounts import fresh_uid, import_account, query_parameters, sign_in_with_password
from client import fresh_email
from gateway import change_clock

NEW_PASSWORD = "staple battery horse"
WELCOME = auth.ActionCodeSettings(
    "http://localhost/welcome?step=2", handle_code_in_app=True, ios_bundle_id="com.example.app",
    android_package_name="com.example.app", android_install_app=True, android_minimum_version="7")


@pytest.fixture
def ada(acme):
    """A new account of the tenant `acme`, with a password."""
    return import_account(acme)


@pytest.fixture
def session(admin, acme, ada):
    """A sign-in of `ada`."""
    return sign_in_with_password(admin.client, ada, tenantId=acme.tenant_id)


@pytest.fixture
def custom_token_sign_in(admin):
    """A function that signs in with a custom token, in a tenant or in the project, and returns the `Response`."""
    def sign_in(token, tenant=None):
        named = {"tenantId": tenant} if tenant else {}
        return admin.client.call("signInWithCustomToken", {"token": token.decode(), **named})

    return sign_in


@pytest.fixture
def create_cookie(admin, acme):
    """A function that creates a session cookie of a tenant from an ID token.

    The Python library cannot do this; libraries for other languages send this request.
    """
    def create(token, tenant=acme.tenant_id):
        return admin.client.call(
            "createSessionCookieInTenant", {"idToken": token, "validDuration": "3600"}, api_key=None,
            path={"tenant": tenant}, headers=admin.authorization)

    return create


def test_a_custom_token_signs_in_to_its_tenant(admin, acme, custom_token_sign_in):
    uid = fresh_uid()
    token = acme.create_custom_token(uid, {"plan": "gold"})
    assert custom_token_sign_in(token, acme.tenant_id).body["isNewUser"] is True
    again = custom_token_sign_in(token, acme.tenant_id).body
    assert again["isNewUser"] is False
    fresh = admin.client.refresh(again)
    for id_token in (again["idToken"], fresh.body["id_token"]):
        claims = acme.verify_id_token(id_token, check_revoked=True)
        assert (claims["uid"], claims["plan"], claims["firebase"]["tenant"]) == (uid, "gold", acme.tenant_id)
    assert acme.get_user(uid).tenant_id == acme.tenant_id


def test_a_custom_token_signs_in_only_to_its_tenant(admin, acme, zen, custom_token_sign_in):
    token, of_project = acme.create_custom_token(fresh_uid()), admin.create_custom_token(fresh_uid())
    for rejected in (
            custom_token_sign_in(token), custom_token_sign_in(token, zen.tenant_id),
            custom_token_sign_in(of_project, acme.tenant_id)):
        assert rejected.code == "TENANT_ID_MISMATCH"
    assert custom_token_sign_in(of_project).status == 200


def test_a_token_names_its_tenant_and_is_rejected_in_others(admin, acme, zen, session):
    claims = acme.verify_id_token(session["idToken"], check_revoked=True)
    assert (claims["firebase"]["tenant"], claims["aud"]) == (acme.tenant_id, admin.gateway.project)
    # The library of the project accepts tokens of its tenants, but does not find their accounts.
    assert admin.verify_id_token(session["idToken"])["firebase"]["tenant"] == acme.tenant_id
    with pytest.raises(auth.UserNotFoundError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    of_project = sign_in_with_password(admin.client, import_account(admin))
    assert "tenant" not in admin.verify_id_token(of_project["idToken"])["firebase"]
    for library, token in ((zen, session), (acme, of_project)):
        with pytest.raises(tenant_mgt.TenantIdMismatchError):
            library.verify_id_token(token["idToken"])


def test_a_cookie_is_created_from_a_token_of_the_tenant(admin, acme, ada, session, create_cookie):
    claims = admin.verify_session_cookie(create_cookie(session["idToken"]).body["sessionCookie"])
    assert (claims["uid"], claims["firebase"]["tenant"]) == (ada.uid, acme.tenant_id)
    assert claims["exp"] - claims["iat"] == 3600


def test_no_cookie_is_created_from_a_token_of_another_tenant(admin, zen, session, create_cookie):
    of_project = sign_in_with_password(admin.client, import_account(admin))
    assert create_cookie(session["idToken"], zen.tenant_id).code == "TENANT_ID_MISMATCH"
    assert create_cookie(of_project["idToken"]).code == "TENANT_ID_MISMATCH"
    with pytest.raises(InvalidArgumentError) as error:
        admin.create_session_cookie(session["idToken"], timedelta(hours=1))
    assert "TENANT_ID_MISMATCH" in str(error.value)


def test_tokens_issued_before_valid_since_are_revoked(admin, acme, ada, session):
    # The library compares whole seconds, so `validSince` must be in a later second than the sign-in.
    acme.update_user(ada.uid, valid_since=int(time.time()) + 1)
    with pytest.raises(auth.RevokedIdTokenError):
        acme.verify_id_token(session["idToken"], check_revoked=True)
    assert acme.verify_id_token(session["idToken"])["uid"] == ada.uid
    assert admin.client.refresh(session).code == "TOKEN_EXPIRED"


@pytest.mark.parametrize("admin", ["dev"], indirect=True)
def test_a_user_signs_in_again_after_a_revocation(admin, acme, ada):
    # The library compares whole seconds, so the session must begin in an earlier second than the revocation.
    change_clock(admin.gateway, freezeAtMs=int(time.time() - 10) * 1000)
    try:
        before = sign_in_with_password(admin.client, ada, tenantId=acme.tenant_id)
    finally:
        change_clock(admin.gateway, reset=True)
    acme.revoke_refresh_tokens(ada.uid)
    with pytest.raises(auth.RevokedIdTokenError):
        acme.verify_id_token(before["idToken"], check_revoked=True)
    assert admin.client.refresh(before).code == "TOKEN_EXPIRED"
    after = sign_in_with_password(admin.client, ada, tenantId=acme.tenant_id)
    assert acme.verify_id_token(after["idToken"], check_revoked=True)["uid"] == ada.uid


@pytest.mark.parametrize("settings", [None, WELCOME], ids=["without settings", "with a continue URL"])
def test_a_reset_link_works_once(admin, acme, ada, session, settings):
    query = query_parameters(acme.generate_password_reset_link(ada.email, settings))
    assert (query["mode"], query["tenantId"]) == ("resetPassword", acme.tenant_id)
    assert query.get("continueUrl") == (settings and settings.url)
    body = {"oobCode": query["oobCode"], "tenantId": acme.tenant_id}
    assert admin.client.call("resetPassword", body).body["requestType"] == "PASSWORD_RESET"
    assert admin.client.call("resetPassword", {"oobCode": query["oobCode"]}).code == "INVALID_OOB_CODE"
    assert admin.client.call("resetPassword", body | {"newPassword": NEW_PASSWORD}).status == 200
    assert admin.client.call("resetPassword", body | {"newPassword": NEW_PASSWORD}).code == "INVALID_OOB_CODE"
    assert sign_in_with_password(admin.client, ada, NEW_PASSWORD, tenantId=acme.tenant_id)["localId"] == ada.uid
    assert admin.client.refresh(session).code == "TOKEN_EXPIRED"


@pytest.mark.parametrize("settings", [None, WELCOME], ids=["without settings", "with a continue URL"])
def test_a_verification_link_works_once(admin, acme, ada, settings):
    query = query_parameters(acme.generate_email_verification_link(ada.email, settings))
    assert (query["mode"], query["tenantId"]) == ("verifyEmail", acme.tenant_id)
    assert query.get("continueUrl") == (settings and settings.url)
    body = {"oobCode": query["oobCode"], "tenantId": acme.tenant_id}
    assert admin.client.call("updateOwnAccount", {"oobCode": query["oobCode"]}).code == "INVALID_OOB_CODE"
    assert not acme.get_user(ada.uid).email_verified
    assert admin.client.call("updateOwnAccount", body).body["localId"] == ada.uid
    assert acme.get_user(ada.uid).email_verified
    assert admin.client.call("updateOwnAccount", body).code == "INVALID_OOB_CODE"


def test_a_sign_in_link_works_once(admin, acme, ada):
    query = query_parameters(acme.generate_sign_in_with_email_link(ada.email, WELCOME))
    assert (query["mode"], query["tenantId"]) == ("signIn", acme.tenant_id)
    assert query["continueUrl"] == WELCOME.url
    body = {"email": ada.email, "oobCode": query["oobCode"], "tenantId": acme.tenant_id}
    response = admin.client.call("signInWithEmailLink", body).body
    assert (response["localId"], response["isNewUser"]) == (ada.uid, False)
    assert acme.verify_id_token(response["idToken"])["email_verified"] is True
    assert admin.client.call("signInWithEmailLink", body).code == "INVALID_OOB_CODE"


def test_no_sign_in_link_is_created_if_the_tenant_does_not_allow_sign_in_links(admin):
    tenant = admin.create_tenant("Passwords", allow_password_sign_up=True)
    library = admin.auth_for_tenant(tenant.tenant_id)
    with pytest.raises(InvalidArgumentError) as error:
        library.generate_sign_in_with_email_link(fresh_email(), WELCOME)
    assert "OPERATION_NOT_ALLOWED" in str(error.value)


@pytest.mark.parametrize("admin", ["serve"], indirect=True)
def test_a_continue_url_must_be_on_an_authorized_domain(acme, ada):
    for make in (acme.generate_password_reset_link, acme.generate_email_verification_link):
        with pytest.raises(InvalidArgumentError) as error:
            make(ada.email, auth.ActionCodeSettings("https://evil.example/welcome"))
        assert "UNAUTHORIZED_DOMAIN" in str(error.value)


def test_an_openid_connect_provider_belongs_to_one_tenant(admin, acme, zen):
    names = sorted(f"oidc.{secrets.token_hex(4)}" for _ in range(3))
    for name in names:
        created = acme.create_oidc_provider_config(
            name, client_id="c", issuer="https://id.example.com", display_name="Corp", enabled=False,
            client_secret="secret", code_response_type=True, id_token_response_type=False)
        assert (created.provider_id, created.display_name, created.enabled) == (name, "Corp", False)
    changed = acme.update_oidc_provider_config(names[0], client_id="d", display_name=auth.DELETE_ATTRIBUTE)
    for config in (changed, acme.get_oidc_provider_config(names[0])):
        assert (config.client_id, config.display_name, config.issuer) == ("d", None, "https://id.example.com")
        # The response types are returned as they were written.
        assert (config.code_response_type, config.id_token_response_type) == (True, False)
    page = acme.list_oidc_provider_configs(max_results=2)
    assert len(page.provider_configs) == 2 and page.has_next_page
    assert {config.provider_id for config in page.iterate_all()} >= set(names)
    for other in (zen, admin):
        with pytest.raises(auth.ConfigurationNotFoundError):
            other.get_oidc_provider_config(names[0])
        with pytest.raises(auth.ConfigurationNotFoundError):
            other.delete_oidc_provider_config(names[0])
    for name in names:
        acme.delete_oidc_provider_config(name)
    with pytest.raises(auth.ConfigurationNotFoundError):
        acme.update_oidc_provider_config(names[0], client_id="e")


@pytest.mark.parametrize("admin", ["serve"], indirect=True)
def test_no_provider_can_be_enabled_in_a_tenant_without_apple(acme):
    name = f"oidc.{secrets.token_hex(4)}"
    acme.create_oidc_provider_config(name, client_id="c", issuer="https://id.example.com", enabled=False)
    with pytest.raises(ConflictError) as error:
        acme.update_oidc_provider_config(name, enabled=True)
    assert "LOGIN_SERVICES_4_8" in str(error.value)
    assert acme.get_oidc_provider_config(name).enabled is False
