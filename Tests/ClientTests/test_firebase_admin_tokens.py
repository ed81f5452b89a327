"""Tokens, cookies and links of a project: firebase-admin makes them, and verifies them by signature in `serve`."""

import time
from datetime import timedelta

import google.auth.jwt
import pytest
from firebase_admin import _token_gen, auth
from firebase_admin.exceptions import InvalidArgumentError

from gateway import free_port
from people import fresh_uid, query_of, refreshed, settle, signed_in

WELCOME = auth.ActionCodeSettings("http://localhost/welcome?step=2", handle_code_in_app=True)
NEW_PASSWORD = "staple battery horse"
in_serve = pytest.mark.parametrize("admin", ["serve"], indirect=True)


@pytest.fixture
def ada(admin):
    return settle(admin)


@pytest.fixture
def session(admin, ada):
    return signed_in(admin.client, ada)


@pytest.fixture
def cookie(admin, session):
    return admin.create_session_cookie(session["idToken"], timedelta(days=1))


def test_claims_reach_the_token_with_the_next_refresh(admin, ada, session):
    admin.set_custom_user_claims(ada.uid, {"role": "editor", "groups": ["a", "b"]})
    claims = admin.verify_id_token(refreshed(admin.client, session).body["id_token"])
    assert (claims["role"], claims["groups"]) == ("editor", ["a", "b"])
    assert "role" not in admin.verify_id_token(session["idToken"])
    admin.set_custom_user_claims(ada.uid, None)
    assert not admin.get_user(ada.uid).custom_claims
    assert "role" not in admin.verify_id_token(signed_in(admin.client, ada)["idToken"])


def test_a_custom_token_signs_in_and_makes_the_user(admin):
    uid = fresh_uid()
    wish = {"token": admin.create_custom_token(uid, {"plan": "gold"}).decode()}
    for is_new in (True, False):
        answer = admin.client.call("signInWithCustomToken", wish).body
        claims = admin.verify_id_token(answer["idToken"], check_revoked=True)
        assert (answer["isNewUser"], claims["uid"], claims["plan"]) == (is_new, uid, "gold")


@in_serve
def test_a_custom_token_that_was_changed_is_worth_nothing(admin):
    token = admin.create_custom_token(fresh_uid()).decode()
    others = admin.create_custom_token(fresh_uid()).decode()
    forged = ".".join([*token.split(".")[:2], others.split(".")[2]])
    assert admin.client.call("signInWithCustomToken", {"token": forged}).code == "INVALID_CUSTOM_TOKEN"


def forged(token):
    """With the signature of nothing."""
    head, payload, signature = token.split(".")
    return ".".join([head, payload, signature[::-1]])


@in_serve
def test_a_token_is_believed_by_its_signature(admin, session, cookie):
    assert admin.verify_id_token(session["idToken"], check_revoked=True, clock_skew_seconds=10)
    assert admin.verify_session_cookie(cookie, check_revoked=True, clock_skew_seconds=10)
    with pytest.raises(auth.InvalidIdTokenError):
        admin.verify_id_token(forged(session["idToken"]))
    with pytest.raises(auth.InvalidSessionCookieError):
        admin.verify_session_cookie(forged(cookie))


@in_serve
def test_a_token_is_believed_until_it_expires(admin, session, cookie, monkeypatch):
    now = google.auth.jwt._helpers.utcnow
    monkeypatch.setattr(google.auth.jwt._helpers, "utcnow", lambda: now() + timedelta(hours=1, minutes=2))
    assert admin.verify_session_cookie(cookie)
    with pytest.raises(auth.ExpiredIdTokenError):
        admin.verify_id_token(session["idToken"])
    monkeypatch.setattr(google.auth.jwt._helpers, "utcnow", lambda: now() + timedelta(days=2))
    with pytest.raises(auth.ExpiredSessionCookieError):
        admin.verify_session_cookie(cookie)


@in_serve
def test_without_certificates_no_token_is_believed(admin, session, monkeypatch):
    monkeypatch.setattr(_token_gen, "ID_TOKEN_CERT_URI", f"http://127.0.0.1:{free_port()}/certificates")
    with pytest.raises(auth.CertificateFetchError):
        _token_gen.TokenVerifier(admin.app).verify_id_token(session["idToken"])


def test_a_token_a_cookie_and_a_custom_token_are_three_things(admin, session, cookie):
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


@pytest.mark.parametrize("lasting", [timedelta(minutes=5), timedelta(days=14)], ids=["shortest", "longest"])
def test_a_cookie_lasts_as_long_as_asked(admin, ada, session, lasting):
    claims = admin.verify_session_cookie(admin.create_session_cookie(session["idToken"], lasting))
    assert (claims["uid"], claims["exp"] - claims["iat"]) == (ada.uid, lasting.total_seconds())


def test_revocation_is_seen(admin, ada, session, cookie):
    admin.update_user(ada.uid, valid_since=int(time.time()) + 1)
    with pytest.raises(auth.RevokedIdTokenError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    with pytest.raises(auth.RevokedSessionCookieError):
        admin.verify_session_cookie(cookie, check_revoked=True)
    assert admin.verify_id_token(session["idToken"])["uid"] == admin.verify_session_cookie(cookie)["uid"] == ada.uid
    assert refreshed(admin.client, session).code == "TOKEN_EXPIRED"


def test_a_revocation_ends_sessions_of_the_same_second(admin, ada, session):
    admin.revoke_refresh_tokens(ada.uid)
    assert admin.get_user(ada.uid).tokens_valid_after_timestamp > time.time() * 1000 - 60_000
    assert refreshed(admin.client, session).code == "TOKEN_EXPIRED"
    again = signed_in(admin.client, ada)
    assert admin.verify_id_token(again["idToken"], check_revoked=True)["uid"] == ada.uid


def test_whoever_is_disabled_is_out(admin, ada, session, cookie):
    admin.update_user(ada.uid, disabled=True)
    with pytest.raises(auth.UserDisabledError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    with pytest.raises(auth.UserDisabledError):
        admin.verify_session_cookie(cookie, check_revoked=True)
    assert refreshed(admin.client, session).code == "USER_DISABLED"
    admin.update_user(ada.uid, disabled=False)
    assert admin.verify_id_token(signed_in(admin.client, ada)["idToken"], check_revoked=True)["uid"] == ada.uid


def test_whoever_is_deleted_is_nobody(admin, ada, session, cookie):
    admin.delete_user(ada.uid)
    with pytest.raises(auth.UserNotFoundError):
        admin.verify_id_token(session["idToken"], check_revoked=True)
    with pytest.raises(auth.UserNotFoundError):
        admin.verify_session_cookie(cookie, check_revoked=True)
    with pytest.raises(auth.UserNotFoundError):
        admin.delete_user(ada.uid)
    assert refreshed(admin.client, session).code in ("USER_NOT_FOUND", "TOKEN_EXPIRED", "INVALID_REFRESH_TOKEN")


@pytest.mark.parametrize("settings", [None, WELCOME], ids=["bare", "with a way back"])
def test_links_are_made_and_used_up(admin, ada, settings):
    reset = query_of(admin.generate_password_reset_link(ada.email, settings))
    verify = query_of(admin.generate_email_verification_link(ada.email, settings))
    assert reset.get("continueUrl") == verify.get("continueUrl") == (settings and settings.url)
    assert "tenantId" not in reset | verify
    for operation, wish in (
            ("update", {"oobCode": verify["oobCode"]}),
            ("resetPassword", {"oobCode": reset["oobCode"], "newPassword": NEW_PASSWORD})):
        assert admin.client.call(operation, wish).body["email"] == ada.email
        assert admin.client.call(operation, wish).code == "INVALID_OOB_CODE"
    assert admin.get_user(ada.uid).email_verified
    assert signed_in(admin.client, ada, NEW_PASSWORD)["localId"] == ada.uid


def test_a_link_that_signs_in_is_used_up(admin, ada):
    wish = {
        "email": ada.email,
        "oobCode": query_of(admin.generate_sign_in_with_email_link(ada.email, WELCOME))["oobCode"]}
    assert admin.client.call("signInWithEmailLink", wish).body["localId"] == ada.uid
    assert admin.client.call("signInWithEmailLink", wish).code == "INVALID_OOB_CODE"


def test_a_link_leads_to_no_foreign_place(admin, ada):
    with pytest.raises(InvalidArgumentError) as refused:
        admin.generate_password_reset_link(ada.email, auth.ActionCodeSettings("https://evil.example/"))
    assert "UNAUTHORIZED_DOMAIN" in str(refused.value)
