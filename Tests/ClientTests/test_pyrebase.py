"""Pyrebase4, a third-party client of Firebase's web API, with `sekisho dev`."""

import json
import sys
import types

import pytest
import requests

from client import PASSWORD, fresh_email, unverified_claims
from gateway import change_clock
from simulators import Simulators, fresh_person, idp_sign_in_body

# Pyrebase imports this module, which urllib3 2 has removed, but does not use it.
sys.modules.setdefault("urllib3.contrib.appengine", types.SimpleNamespace(is_appengine_sandbox=lambda: False))
import pyrebase  # noqa: E402

CONFIG = {"apiKey": "any", "authDomain": "localhost", "databaseURL": "http://localhost", "storageBucket": ""}
NEW_PASSWORD = "staple battery horse"
# A login is recent for 300 seconds.
OLD_LOGIN_SECONDS = 301


@pytest.fixture
def auth(dev, monkeypatch):
    """The library with its requests to Google's hosts redirected to the gateway."""
    request = requests.sessions.Session.request

    def redirected(session, method, url, **options):
        host_and_path = url.removeprefix("https://")
        is_google_host = host_and_path.split("/")[0].endswith(".googleapis.com")
        return request(session, method, f"{dev.url}/{host_and_path}" if is_google_host else url, **options)

    monkeypatch.setattr(requests.sessions.Session, "request", redirected)
    return pyrebase.initialize_app(CONFIG).auth()


@pytest.fixture
def ada(auth):
    return auth.create_user_with_email_and_password(fresh_email(), PASSWORD)


def error_code_of(call, *arguments):
    """The error code of the exception that the library raises."""
    with pytest.raises(requests.HTTPError) as raised:
        call(*arguments)
    return json.loads(raised.value.args[1])["error"]["message"].split(" : ")[0]


def claims(user):
    return unverified_claims(user["idToken"])


def test_a_new_account_signs_in(auth, ada):
    again = auth.sign_in_with_email_and_password(ada["email"], PASSWORD)
    assert (again["localId"], again["registered"]) == (ada["localId"], True)
    assert auth.current_user == again
    assert claims(again)["firebase"]["sign_in_provider"] == "password"


def test_an_anonymous_account_signs_in(auth):
    user = auth.sign_in_anonymous()
    assert claims(user)["provider_id"] == "anonymous"
    [found] = auth.get_account_info(user["idToken"])["users"]
    assert found["localId"] == user["localId"]
    assert "email" not in found


def test_errors_have_firebase_codes(auth, ada):
    assert error_code_of(auth.create_user_with_email_and_password, ada["email"], PASSWORD) == "EMAIL_EXISTS"
    assert error_code_of(auth.create_user_with_email_and_password, fresh_email(), "short") == "WEAK_PASSWORD"
    assert error_code_of(auth.sign_in_with_email_and_password, ada["email"], NEW_PASSWORD) == "INVALID_PASSWORD"
    assert error_code_of(auth.sign_in_with_email_and_password, fresh_email(), PASSWORD) == "EMAIL_NOT_FOUND"
    assert error_code_of(auth.refresh, "nonsense") == "INVALID_REFRESH_TOKEN"


def test_a_session_is_refreshed(auth, ada):
    fresh = auth.refresh(ada["refreshToken"])
    assert fresh["userId"] == ada["localId"]
    assert auth.get_account_info(fresh["idToken"])["users"][0]["email"] == ada["email"]


def test_fields_of_a_profile_are_changed_and_removed(auth, ada):
    changed = auth.update_profile(ada["idToken"], "Ada Lovelace", "https://example.com/ada.png")
    assert (changed["displayName"], changed["photoUrl"]) == ("Ada Lovelace", "https://example.com/ada.png")
    auth.update_profile(ada["idToken"], delete_attribute=["DISPLAY_NAME"])
    [user] = auth.get_account_info(ada["idToken"])["users"]
    assert user["photoUrl"] == "https://example.com/ada.png"
    assert "displayName" not in user


def test_a_password_is_changed_after_a_recent_login(auth, ada):
    changed = auth.change_password(ada["idToken"], NEW_PASSWORD)
    assert auth.get_account_info(changed["idToken"])["users"][0]["localId"] == ada["localId"]
    assert error_code_of(auth.get_account_info, ada["idToken"]) == "TOKEN_EXPIRED"
    assert error_code_of(auth.sign_in_with_email_and_password, ada["email"], PASSWORD) == "INVALID_PASSWORD"
    assert auth.sign_in_with_email_and_password(ada["email"], NEW_PASSWORD)["localId"] == ada["localId"]


def test_a_password_is_not_changed_after_an_old_login(auth, ada, dev):
    try:
        change_clock(dev, advanceSeconds=OLD_LOGIN_SECONDS)
        assert error_code_of(auth.change_password, ada["idToken"], NEW_PASSWORD) == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
        again = auth.sign_in_with_email_and_password(ada["email"], PASSWORD)
        auth.change_password(again["idToken"], NEW_PASSWORD)
    finally:
        change_clock(dev, reset=True)


def test_an_email_address_is_changed(auth, ada):
    email = fresh_email()
    assert auth.change_email(ada["idToken"], email)["email"] == email
    assert auth.sign_in_with_email_and_password(email, PASSWORD)["localId"] == ada["localId"]
    assert error_code_of(auth.sign_in_with_email_and_password, ada["email"], PASSWORD) == "EMAIL_NOT_FOUND"


def test_an_account_is_deleted(auth, ada):
    auth.delete_user_account(ada["idToken"])
    assert error_code_of(auth.get_account_info, ada["idToken"]) == "USER_NOT_FOUND"
    assert error_code_of(auth.sign_in_with_email_and_password, ada["email"], PASSWORD) == "EMAIL_NOT_FOUND"


def test_a_session_of_apple_works_with_the_library(auth, dev):
    """The library has no function for Apple, but its other functions accept the session."""
    url = f"{dev.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion?key=any"
    user = requests.post(url, json=idp_sign_in_body(Simulators(dev).sign_in_with_apple()), timeout=30).json()
    fresh = auth.refresh(user["refreshToken"])
    assert claims(fresh)["firebase"]["sign_in_provider"] == "apple.com"
    [found] = auth.get_account_info(fresh["idToken"])["users"]
    assert [entry["providerId"] for entry in found["providerUserInfo"]] == ["apple.com"]
    auth.delete_user_account(fresh["idToken"])
    assert error_code_of(auth.get_account_info, fresh["idToken"]) == "USER_NOT_FOUND"


def test_linking_keeps_sessions_and_unlinking_ends_the_sessions_of_the_unlinked_identity(auth, dev):
    simulators, ada = Simulators(dev), fresh_person()

    def sign_in(proof, **more):
        url = f"{dev.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion?key=any"
        response = requests.post(url, json=idp_sign_in_body(proof, **more), timeout=30)
        assert response.ok, response.text
        return response.json()

    def id_and_providers(user):
        """The account ID and the providers of a user. Fails if a refreshed ID token gives another account."""
        [found] = auth.get_account_info(auth.refresh(user["refreshToken"])["idToken"])["users"]
        assert [found] == auth.get_account_info(user["idToken"])["users"]
        return found["localId"], {entry["providerId"] for entry in found["providerUserInfo"]}

    try:
        apple_session = sign_in(simulators.sign_in_with_apple(ada))
        simulators.change_clock(advanceSeconds=OLD_LOGIN_SECONDS)
        linked = sign_in(simulators.sign_in_with_google(ada), idToken=apple_session["idToken"])
        google_session = sign_in(simulators.sign_in_with_google(ada))
        # Linking an identity is not a new login of the session.
        assert claims(linked)["auth_time"] == claims(apple_session)["auth_time"] < claims(linked)["iat"]
        for user in (apple_session, linked, google_session):
            assert id_and_providers(user) == (apple_session["localId"], {"apple.com", "google.com"})
        url = f"{dev.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/setAccountInfo?key=any"
        unlinking = {"idToken": linked["idToken"], "deleteProvider": ["google.com"]}
        assert "idToken" not in requests.post(url, json=unlinking, timeout=30).json()
        for user in (apple_session, linked):
            assert id_and_providers(user) == (apple_session["localId"], {"apple.com"})
        assert error_code_of(auth.refresh, google_session["refreshToken"]) == "TOKEN_EXPIRED"
    finally:
        simulators.change_clock(reset=True)


def test_a_password_is_reset_by_email(auth, dev, ada):
    assert auth.send_password_reset_email(ada["email"])["email"] == ada["email"]
    code = dev.action_codes(ada["email"], "PASSWORD_RESET")[-1]["oobCode"]
    assert auth.verify_password_reset_code(code, NEW_PASSWORD)["email"] == ada["email"]
    assert auth.sign_in_with_email_and_password(ada["email"], NEW_PASSWORD)["localId"] == ada["localId"]
    assert error_code_of(auth.verify_password_reset_code, code, NEW_PASSWORD) == "INVALID_OOB_CODE"
    assert error_code_of(auth.get_account_info, ada["idToken"]) == "TOKEN_EXPIRED"


def test_an_email_address_is_verified_by_email(auth, dev, ada):
    assert auth.send_email_verification(ada["idToken"])["email"] == ada["email"]
    response = requests.get(dev.action_codes(ada["email"], "VERIFY_EMAIL")[-1]["oobLink"], timeout=30)
    assert response.json()["authEmulator"]["email"] == ada["email"]
    [user] = auth.get_account_info(ada["idToken"])["users"]
    assert user["emailVerified"] is True
