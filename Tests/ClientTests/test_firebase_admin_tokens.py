"""firebase-admin creates and verifies tokens and session cookies, and creates links for email actions.

The fixture `admin` is firebase-admin, for `dev` and for `serve`. It verifies signatures only with `serve`, because it
takes `dev` for Firebase's emulator. `ada` is a new account with a password, and `session` a sign-in of `ada`.
"""

import time
from datetime import timedelta

import google.auth.jwt
import pytest
import requests
from firebase_admin import _token_gen, auth
from firebase_admin.exceptions import InvalidArgumentError

from accounts import fresh_uid, query_parameters, sign_in_with_password
from client import PASSWORD, fresh_email, ok_body
from gateway import change_clock, free_port

WELCOME = auth.ActionCodeSettings("http://localhost/welcome?step=2", handle_code_in_app=True)
NEW_PASSWORD = "staple battery horse"
in_dev = pytest.mark.parametrize("admin", ["dev"], indirect=True)
in_serve = pytest.mark.parametrize("admin", ["serve"], indirect=True)


@pytest.fixture
def cookie(admin, session):
    return admin.create_session_cookie(session["idToken"], timedelta(days=1))


def test_custom_claims_are_in_new_and_refreshed_tokens(admin, ada, session):
    custom = {"role": "editor", "level": 3, "groups": ["a", "b"]}
    admin.set_custom_user_claims(ada.uid, custom)
    assert admin.get_user(ada.uid).custom_claims == custom
    refreshed = admin.client.refresh(session).body["id_token"]
    for token in (refreshed, sign_in_with_password(admin.client, ada)["idToken"]):
        claims = admin.verify_id_token(token)
        assert (claims["uid"], {name: claims[name] for name in custom}) == (ada.uid, custom)
    assert "role" not in admin.verify_id_token(session["idToken"])
    admin.set_custom_user_claims(ada.uid, None)
    assert not admin.get_user(ada.uid).custom_claims
    assert "role" not in admin.verify_id_token(sign_in_with_password(admin.client, ada)["idToken"])


def test_a_custom_token_signs_in_and_creates_the_user(admin):
    uid = fresh_uid()
    body = {"token": admin.create_custom_token(uid, {"plan": "gold"}).decode()}
    for is_new in (True, False):
        response = admin.client.call("signInWithCustomToken", body).body
        claims = admin.verify_id_token(response["idToken"], check_revoked=True)
        assert (response["isNewUser"], claims["uid"], claims["plan"]) == (is_new, uid, "gold")
        assert claims["firebase"]["sign_in_provider"] == "custom"
    assert admin.get_user(uid).email is None
    assert admin.verify_id_token(admin.client.refresh(response).body["id_token"])["plan"] == "gold"


@in_serve
def test_a_custom_token_with_another_signature_is_rejected(admin):
    token = admin.create_custom_token(fresh_uid()).decode()
    other = admin.create_custom_token(fresh_uid()).decode()
    forged = ".".join([*token.split(".")[:2], other.split(".")[2]])
    assert admin.client.call("signInWithCustomToken", {"token": forged}).code == "INVALID_CUSTOM_TOKEN"


def with_invalid_signature(token):
    head, payload, signature = token.split(".")
    return ".".join([head, payload, signature[::-1]])


@in_serve
def test_tokens_and_cookies_are_verified_by_signature(admin, session, cookie):
    assert admin.verify_id_token(session["idToken"], check_revoked=True, clock_skew_seconds=10)
    assert admin.verify_session_cookie(cookie, check_revoked=True, clock_skew_seconds=10)
    with pytest.raises(auth.InvalidIdTokenError):
        admin.verify_id_token(with_invalid_signature(session["idToken"]))
    with pytest.raises(auth.InvalidSessionCookieError):
        admin.verify_session_cookie(with_invalid_signature(cookie))


@in_serve
def test_tokens_and_cookies_expire(admin, session, cookie, monkeypatch):
    """An ID token expires after an hour, the cookie of this file after a day. The test advances the library's clock."""
    real_time = google.auth.jwt._helpers.utcnow
    monkeypatch.setattr(google.auth.jwt._helpers, "utcnow", lambda: real_time() + timedelta(hours=1, minutes=2))
    assert admin.verify_session_cookie(cookie)
    with pytest.raises(auth.ExpiredIdTokenError):
        admin.verify_id_token(session["idToken"])
    monkeypatch.setattr(google.auth.jwt._helpers, "utcnow", lambda: real_time() + timedelta(days=2))
    with pytest.raises(auth.ExpiredSessionCookieError):
        admin.verify_session_cookie(cookie)


@in_serve
def test_no_token_is_valid_without_certificates(admin, session, monkeypatch):
    # No server listens on a free port.
    monkeypatch.setattr(_token_gen, "ID_TOKEN_CERT_URI", f"http://127.0.0.1:{free_port()}/certificates")
    with pytest.raises(auth.CertificateFetchError):
        _token_gen.TokenVerifier(admin.app).verify_id_token(session["idToken"])


def test_id_tokens_cookies_and_custom_tokens_are_not_interchangeable(admin, session, cookie):
    custom = admin.create_custom_token(fresh_uid())
    for token in (cookie, custom, "a.b.c"):
        with pytest.raises(auth.InvalidIdTokenError):
            admin.verify_id_token(token)
    for token in (session["idToken"], custom, "a.b.c"):
        with pytest.raises(auth.InvalidSessionCookieError):
            admin.verify_session_cookie(token)
    for token in (cookie, custom.decode(), "a.b.c"):
        with pytest.raises(auth.InvalidIdTokenError):
            admin.create_session_cookie(token, timedelta(days=1))


@pytest.mark.parametrize("lifetime", [timedelta(minutes=5), timedelta(days=14)], ids=["shortest", "longest"])
def test_a_cookie_has_the_requested_lifetime(admin, ada, session, lifetime):
    claims = admin.verify_session_cookie(admin.create_session_cookie(session["idToken"], lifetime), check_revoked=True)
    assert (claims["uid"], claims["email"]) == (ada.uid, ada.email)
    assert claims["exp"] - claims["iat"] == lifetime.total_seconds()


def test_a_cookie_outlives_its_session_but_names_it(admin, ada, session, cookie):
    """`check_revoked` compares the account's `validSince` only, so the backend asks the gateway for the session."""
    other = sign_in_with_password(admin.client, ada)
    body = {"sessionId": admin.verify_session_cookie(cookie, check_revoked=True)["sid"]}

    def looked_up():
        return ok_body(admin.client.call("lookUpSession", body, api_key=None, headers=admin.authorization))

    assert looked_up() == {"active": True, "localId": ada.uid}
    signed_out = admin.client.call("revokeSession", {"idToken": session["idToken"], "sessionId": "current"})
    assert signed_out.status == 204
    assert admin.verify_session_cookie(cookie, check_revoked=True)["uid"] == ada.uid
    status = looked_up()
    assert (status["active"], status["endReason"]) == (False, "REVOKED")
    assert admin.client.refresh(other).status == 200


def test_tokens_issued_before_valid_since_are_revoked(admin, ada, session, cookie):
    # The library compares whole seconds, so `validSince` must be in a later second than the sign-in.
    admin.update_user(ada.uid, valid_since=int(time.time()) + 1)
    with pytest.raises(auth.RevokedIdTokenError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    with pytest.raises(auth.RevokedSessionCookieError):
        admin.verify_session_cookie(cookie, check_revoked=True)
    assert admin.verify_id_token(session["idToken"])["uid"] == admin.verify_session_cookie(cookie)["uid"] == ada.uid
    assert admin.client.refresh(session).code == "TOKEN_EXPIRED"


@in_dev
def test_revoked_tokens_are_rejected(admin, ada):
    # The library compares whole seconds, so the session must begin in an earlier second than the revocation.
    change_clock(admin.gateway, freezeAtMs=int(time.time() - 10) * 1000)
    try:
        session = sign_in_with_password(admin.client, ada)
        cookie = admin.create_session_cookie(session["idToken"], timedelta(hours=1))
    finally:
        change_clock(admin.gateway, reset=True)
    admin.revoke_refresh_tokens(ada.uid)
    with pytest.raises(auth.RevokedIdTokenError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    with pytest.raises(auth.RevokedSessionCookieError):
        admin.verify_session_cookie(cookie, check_revoked=True)
    assert admin.verify_id_token(session["idToken"])["uid"] == ada.uid


def test_a_revocation_ends_sessions_of_the_same_second(admin, ada, session):
    admin.revoke_refresh_tokens(ada.uid)
    # The time of the revocation is at most a minute ago.
    assert admin.get_user(ada.uid).tokens_valid_after_timestamp > time.time() * 1000 - 60_000
    assert admin.client.refresh(session).code == "TOKEN_EXPIRED"
    again = sign_in_with_password(admin.client, ada)
    assert admin.verify_id_token(again["idToken"], check_revoked=True)["uid"] == ada.uid


def test_a_disabled_user_has_no_valid_tokens(admin, ada, session, cookie):
    admin.update_user(ada.uid, disabled=True)
    with pytest.raises(auth.UserDisabledError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    with pytest.raises(auth.UserDisabledError):
        admin.verify_session_cookie(cookie, check_revoked=True)
    assert admin.client.refresh(session).code == "USER_DISABLED"
    password = {"email": ada.email, "password": PASSWORD}
    assert admin.client.call("signInWithPassword", password).code == "USER_DISABLED"
    admin.update_user(ada.uid, disabled=False)
    enabled = sign_in_with_password(admin.client, ada)
    assert admin.verify_id_token(enabled["idToken"], check_revoked=True)["uid"] == ada.uid


def test_a_deleted_user_has_no_valid_tokens(admin, ada, session, cookie):
    admin.delete_user(ada.uid)
    with pytest.raises(auth.UserNotFoundError):
        admin.get_user(ada.uid)
    assert admin.client.call("lookUpOwnAccount", {"idToken": session["idToken"]}).code == "USER_NOT_FOUND"
    with pytest.raises(auth.UserNotFoundError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    with pytest.raises(auth.UserNotFoundError):
        admin.verify_session_cookie(cookie, check_revoked=True)
    with pytest.raises(auth.UserNotFoundError):
        admin.delete_user(ada.uid)
    assert admin.client.refresh(session).code == "TOKEN_EXPIRED"


@pytest.mark.parametrize("settings", [None, WELCOME], ids=["without settings", "with a continue URL"])
def test_action_links_work_once(admin, ada, settings):
    reset = query_parameters(admin.generate_password_reset_link(ada.email, settings))
    verify = query_parameters(admin.generate_email_verification_link(ada.email, settings))
    assert reset.get("continueUrl") == verify.get("continueUrl") == (settings and settings.url)
    assert "tenantId" not in reset | verify
    for operation, body in (
            ("updateOwnAccount", {"oobCode": verify["oobCode"]}),
            ("resetPassword", {"oobCode": reset["oobCode"], "newPassword": NEW_PASSWORD})):
        assert admin.client.call(operation, body).body["email"] == ada.email
        assert admin.client.call(operation, body).code == "INVALID_OOB_CODE"
    assert admin.get_user(ada.uid).email_verified
    assert sign_in_with_password(admin.client, ada, NEW_PASSWORD)["localId"] == ada.uid


def test_a_sign_in_link_works_once(admin, ada):
    body = {
        "email": ada.email,
        "oobCode": query_parameters(admin.generate_sign_in_with_email_link(ada.email, WELCOME))["oobCode"]}
    assert admin.client.call("signInWithEmailLink", body).body["localId"] == ada.uid
    assert admin.client.call("signInWithEmailLink", body).code == "INVALID_OOB_CODE"


@in_serve
def test_a_continue_url_must_be_on_an_authorized_domain(admin, ada):
    with pytest.raises(InvalidArgumentError) as error:
        admin.generate_password_reset_link(ada.email, auth.ActionCodeSettings("https://evil.example/"))
    assert "UNAUTHORIZED_DOMAIN" in str(error.value)


def test_no_link_is_created_for_an_unknown_email_address(admin):
    with pytest.raises(auth.EmailNotFoundError):
        admin.generate_password_reset_link(fresh_email())
    with pytest.raises(auth.UserNotFoundError):
        admin.generate_email_verification_link(fresh_email())


def follow(link, **parameters):
    """Requests a link with more query parameters, as test suites for the emulator do, and returns the response."""
    response = requests.get(link, params=parameters, timeout=30, allow_redirects=False)
    assert response.status_code in (200, 303), response.text
    return response


@in_dev
def test_following_a_reset_link_of_dev_sets_the_password(admin, ada):
    link = admin.generate_password_reset_link(ada.email)
    assert follow(link, newPassword=NEW_PASSWORD).json()["authEmulator"]["email"] == ada.email
    assert sign_in_with_password(admin.client, ada, NEW_PASSWORD)["localId"] == ada.uid
    # The link has been used.
    assert requests.get(link, timeout=30).status_code == 400


@in_dev
def test_following_a_verification_link_of_dev_verifies_the_email_address(admin, ada):
    assert not admin.get_user(ada.uid).email_verified
    follow(admin.generate_email_verification_link(ada.email))
    assert admin.get_user(ada.uid).email_verified


@in_dev
def test_following_a_sign_in_link_of_dev_redirects_to_the_app(admin, ada):
    response = follow(admin.generate_sign_in_with_email_link(ada.email, WELCOME))
    assert response.status_code == 303
    location = response.headers["Location"]
    query = query_parameters(location)
    assert location.startswith("http://localhost/welcome?")
    assert (query["step"], query["mode"]) == ("2", "signIn")
    body = {"email": ada.email, "oobCode": query["oobCode"]}
    assert admin.client.call("signInWithEmailLink", body).body["localId"] == ada.uid
