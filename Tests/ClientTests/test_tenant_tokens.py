"""Tokens, cookies, links and providers of tenants, as firebase-admin makes and verifies them."""

import secrets
import time
from datetime import timedelta

import pytest
import requests
from firebase_admin import auth, tenant_mgt
from firebase_admin.exceptions import ConflictError, InvalidArgumentError

from exchange import fresh_email
from people import fresh_uid, query_of, refreshed, settle, signed_in

NEW_PASSWORD = "staple battery horse"
WELCOME = auth.ActionCodeSettings(
    "http://localhost/welcome?step=2", handle_code_in_app=True, ios_bundle_id="com.example.app",
    android_package_name="com.example.app", android_install_app=True, android_minimum_version="7")


@pytest.fixture(scope="module")
def acme(admin):
    return admin.tenant()


@pytest.fixture(scope="module")
def zen(admin):
    return admin.tenant("Zen-2")


@pytest.fixture
def ada(acme):
    return settle(acme)


@pytest.fixture
def session(admin, acme, ada):
    return signed_in(admin.client, ada, tenantId=acme.tenant_id)


@pytest.fixture
def exchanged(admin):
    """What a custom token is worth."""
    def exchange(token, tenant=None):
        named = {"tenantId": tenant} if tenant else {}
        return admin.client.call("signInWithCustomToken", {"token": token.decode(), **named})

    return exchange


@pytest.fixture
def cookie(admin, acme):
    """The library makes no cookies of tenants; those for other languages send this."""
    def made(token, tenant=acme.tenant_id):
        return admin.client.call(
            "createSessionCookieInTenant", {"idToken": token, "validDuration": "3600"}, key=None,
            path={"tenant": tenant}, headers=admin.authorization)

    return made


def test_a_custom_token_signs_in_to_its_tenant(admin, acme, exchanged):
    uid = fresh_uid()
    token = acme.create_custom_token(uid, {"plan": "gold"})
    assert exchanged(token, acme.tenant_id).body["isNewUser"] is True
    again = exchanged(token, acme.tenant_id).body
    assert again["isNewUser"] is False
    fresh = refreshed(admin.client, again)
    for id_token in (again["idToken"], fresh.body["id_token"]):
        claims = acme.verify_id_token(id_token, check_revoked=True)
        assert (claims["uid"], claims["plan"], claims["firebase"]["tenant"]) == (uid, "gold", acme.tenant_id)
    assert acme.get_user(uid).tenant_id == acme.tenant_id


def test_a_custom_token_signs_in_nowhere_else(admin, acme, zen, exchanged):
    token, projects = acme.create_custom_token(fresh_uid()), admin.create_custom_token(fresh_uid())
    for refused in (exchanged(token), exchanged(token, zen.tenant_id), exchanged(projects, acme.tenant_id)):
        assert refused.code == "TENANT_ID_MISMATCH"
    assert exchanged(projects).status == 200


def test_a_token_tells_its_tenant_and_nobody_elses_is_believed(admin, acme, zen, session):
    claims = acme.verify_id_token(session["idToken"], check_revoked=True)
    assert (claims["firebase"]["tenant"], claims["aud"]) == (acme.tenant_id, admin.gateway.project)
    # The project's library believes tokens of its tenants, and finds nobody of them.
    assert admin.verify_id_token(session["idToken"])["firebase"]["tenant"] == acme.tenant_id
    with pytest.raises(auth.UserNotFoundError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    projects = signed_in(admin.client, settle(admin))
    assert "tenant" not in admin.verify_id_token(projects["idToken"])["firebase"]
    for library, token in ((zen, session), (acme, projects)):
        with pytest.raises(tenant_mgt.TenantIdMismatchError):
            library.verify_id_token(token["idToken"])


def test_a_cookie_is_made_of_a_tenants_token(admin, acme, ada, session, cookie):
    made = cookie(session["idToken"])
    claims = admin.verify_session_cookie(made.body["sessionCookie"])
    assert (claims["uid"], claims["firebase"]["tenant"]) == (ada.uid, acme.tenant_id)
    assert claims["exp"] - claims["iat"] == 3600


def test_a_cookie_is_made_of_nobody_elses_token(admin, zen, session, cookie):
    projects = signed_in(admin.client, settle(admin))
    assert cookie(session["idToken"], zen.tenant_id).code == "TENANT_ID_MISMATCH"
    assert cookie(projects["idToken"]).code == "TENANT_ID_MISMATCH"
    with pytest.raises(InvalidArgumentError) as refused:
        admin.create_session_cookie(session["idToken"], timedelta(hours=1))
    assert "TENANT_ID_MISMATCH" in str(refused.value)


def test_revocation_is_seen(admin, acme, ada, session):
    # Whole seconds are all that the library knows.
    acme.update_user(ada.uid, valid_since=int(time.time()) + 1)
    with pytest.raises(auth.RevokedIdTokenError):
        acme.verify_id_token(session["idToken"], check_revoked=True)
    assert acme.verify_id_token(session["idToken"])["uid"] == ada.uid
    assert refreshed(admin.client, session).code == "TOKEN_EXPIRED"


@pytest.mark.parametrize("admin", ["dev"], indirect=True)
def test_whoever_is_revoked_signs_in_again(admin, acme, ada):
    clock = f"{admin.gateway.url}/emulator/v1/clock"
    requests.post(clock, json={"freezeAtMs": int(time.time() - 10) * 1000}, timeout=30).raise_for_status()
    try:
        before = signed_in(admin.client, ada, tenantId=acme.tenant_id)
    finally:
        requests.post(clock, json={"reset": True}, timeout=30).raise_for_status()
    acme.revoke_refresh_tokens(ada.uid)
    with pytest.raises(auth.RevokedIdTokenError):
        acme.verify_id_token(before["idToken"], check_revoked=True)
    assert refreshed(admin.client, before).code == "TOKEN_EXPIRED"
    after = signed_in(admin.client, ada, tenantId=acme.tenant_id)
    assert acme.verify_id_token(after["idToken"], check_revoked=True)["uid"] == ada.uid


@pytest.mark.parametrize("settings", [None, WELCOME], ids=["bare", "with a way back"])
def test_a_link_for_a_new_password_is_used_up(admin, acme, ada, session, settings):
    query = query_of(acme.generate_password_reset_link(ada.email, settings))
    assert (query["mode"], query["tenantId"]) == ("resetPassword", acme.tenant_id)
    assert query.get("continueUrl") == (settings and settings.url)
    wish = {"oobCode": query["oobCode"], "tenantId": acme.tenant_id}
    assert admin.client.call("resetPassword", wish).body["requestType"] == "PASSWORD_RESET"
    assert admin.client.call("resetPassword", {"oobCode": query["oobCode"]}).code == "INVALID_OOB_CODE"
    assert admin.client.call("resetPassword", wish | {"newPassword": NEW_PASSWORD}).status == 200
    assert admin.client.call("resetPassword", wish | {"newPassword": NEW_PASSWORD}).code == "INVALID_OOB_CODE"
    assert signed_in(admin.client, ada, NEW_PASSWORD, tenantId=acme.tenant_id)["localId"] == ada.uid
    assert refreshed(admin.client, session).code == "TOKEN_EXPIRED"


@pytest.mark.parametrize("settings", [None, WELCOME], ids=["bare", "with a way back"])
def test_a_link_to_verify_an_address_is_used_up(admin, acme, ada, settings):
    query = query_of(acme.generate_email_verification_link(ada.email, settings))
    assert (query["mode"], query["tenantId"]) == ("verifyEmail", acme.tenant_id)
    assert query.get("continueUrl") == (settings and settings.url)
    wish = {"oobCode": query["oobCode"], "tenantId": acme.tenant_id}
    assert admin.client.call("update", {"oobCode": query["oobCode"]}).code == "INVALID_OOB_CODE"
    assert not acme.get_user(ada.uid).email_verified
    assert admin.client.call("update", wish).body["localId"] == ada.uid
    assert acme.get_user(ada.uid).email_verified
    assert admin.client.call("update", wish).code == "INVALID_OOB_CODE"


def test_a_link_that_signs_in_is_used_up(admin, acme, ada):
    query = query_of(acme.generate_sign_in_with_email_link(ada.email, WELCOME))
    assert (query["mode"], query["tenantId"]) == ("signIn", acme.tenant_id)
    assert query["continueUrl"] == WELCOME.url
    wish = {"email": ada.email, "oobCode": query["oobCode"], "tenantId": acme.tenant_id}
    answer = admin.client.call("signInWithEmailLink", wish).body
    assert (answer["localId"], answer["isNewUser"]) == (ada.uid, False)
    assert acme.verify_id_token(answer["idToken"])["email_verified"] is True
    assert admin.client.call("signInWithEmailLink", wish).code == "INVALID_OOB_CODE"


def test_nobody_gets_a_link_where_links_do_not_sign_in(admin):
    tenant = admin.create_tenant("Passwords", allow_password_sign_up=True)
    library = admin.auth_for_tenant(tenant.tenant_id)
    with pytest.raises(InvalidArgumentError) as refused:
        library.generate_sign_in_with_email_link(fresh_email(), WELCOME)
    assert "OPERATION_NOT_ALLOWED" in str(refused.value)


def test_a_link_leads_to_no_foreign_place(acme, ada):
    for make in (acme.generate_password_reset_link, acme.generate_email_verification_link):
        with pytest.raises(InvalidArgumentError) as refused:
            make(ada.email, auth.ActionCodeSettings("https://evil.example/welcome"))
        assert "UNAUTHORIZED_DOMAIN" in str(refused.value)


def test_openid_connect_is_configured_for_one_tenant(admin, acme, zen):
    names = sorted(f"oidc.{secrets.token_hex(4)}" for _ in range(3))
    for name in names:
        made = acme.create_oidc_provider_config(
            name, client_id="c", issuer="https://id.example.com", display_name="Corp", enabled=False,
            client_secret="secret", code_response_type=True, id_token_response_type=False)
        assert (made.provider_id, made.display_name, made.enabled) == (name, "Corp", False)
    changed = acme.update_oidc_provider_config(names[0], client_id="d", display_name=auth.DELETE_ATTRIBUTE)
    for config in (changed, acme.get_oidc_provider_config(names[0])):
        assert (config.client_id, config.display_name, config.issuer) == ("d", None, "https://id.example.com")
        # ID tokens are always taken, codes where there is a secret.
        assert (config.code_response_type, config.id_token_response_type) == (True, True)
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
def test_no_provider_is_switched_on_in_a_tenant_without_apple(acme):
    name = f"oidc.{secrets.token_hex(4)}"
    acme.create_oidc_provider_config(name, client_id="c", issuer="https://id.example.com", enabled=False)
    with pytest.raises(ConflictError) as refused:
        acme.update_oidc_provider_config(name, enabled=True)
    assert "LOGIN_SERVICES_4_8" in str(refused.value)
    assert acme.get_oidc_provider_config(name).enabled is False
