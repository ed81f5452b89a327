"""Pyrebase4, a client of Firebase's web API, against `sekisho dev`."""

import json
import sys
import types

import jwt
import pytest
import requests

from exchange import PASSWORD, fresh_email
from simulated import Simulated, by, fresh_person

# urllib3 2 has it no more, and Pyrebase only imports it.
sys.modules.setdefault("urllib3.contrib.appengine", types.SimpleNamespace(is_appengine_sandbox=lambda: False))
import pyrebase  # noqa: E402

CONFIG = {"apiKey": "any", "authDomain": "localhost", "databaseURL": "http://localhost", "storageBucket": ""}
NEW_PASSWORD = "staple battery horse"


@pytest.fixture
def auth(dev, monkeypatch):
    """The library knows only Google's hosts."""
    request = requests.sessions.Session.request

    def redirected(session, method, url, **options):
        host_and_path = url.removeprefix("https://")
        is_googles = host_and_path.split("/")[0].endswith(".googleapis.com")
        return request(session, method, f"{dev.url}/{host_and_path}" if is_googles else url, **options)

    monkeypatch.setattr(requests.sessions.Session, "request", redirected)
    return pyrebase.initialize_app(CONFIG).auth()


@pytest.fixture
def ada(auth):
    return auth.create_user_with_email_and_password(fresh_email(), PASSWORD)


def refused(call, *arguments):
    """The code of the error that the library raises."""
    with pytest.raises(requests.HTTPError) as raised:
        call(*arguments)
    return json.loads(raised.value.args[1])["error"]["message"].split(" : ")[0]


def claims(user):
    return jwt.decode(user["idToken"], options={"verify_signature": False})


def test_a_new_account_signs_in(auth, ada):
    again = auth.sign_in_with_email_and_password(ada["email"], PASSWORD)
    assert (again["localId"], again["registered"]) == (ada["localId"], True)
    assert auth.current_user == again
    assert claims(again)["firebase"]["sign_in_provider"] == "password"


def test_who_has_no_account_signs_in_anonymously(auth):
    user = auth.sign_in_anonymous()
    assert claims(user)["provider_id"] == "anonymous"
    [found] = auth.get_account_info(user["idToken"])["users"]
    assert found["localId"] == user["localId"]
    assert "email" not in found


def test_what_is_wrong_is_told(auth, ada):
    assert refused(auth.create_user_with_email_and_password, ada["email"], PASSWORD) == "EMAIL_EXISTS"
    assert refused(auth.create_user_with_email_and_password, fresh_email(), "short") == "WEAK_PASSWORD"
    assert refused(auth.sign_in_with_email_and_password, ada["email"], NEW_PASSWORD) == "INVALID_PASSWORD"
    assert refused(auth.sign_in_with_email_and_password, fresh_email(), PASSWORD) == "EMAIL_NOT_FOUND"
    assert refused(auth.refresh, "nonsense") == "INVALID_REFRESH_TOKEN"


def test_a_session_goes_on(auth, ada):
    fresh = auth.refresh(ada["refreshToken"])
    assert fresh["userId"] == ada["localId"]
    assert auth.get_account_info(fresh["idToken"])["users"][0]["email"] == ada["email"]


def test_a_profile_is_changed_and_emptied(auth, ada):
    changed = auth.update_profile(ada["idToken"], "Ada Lovelace", "https://example.com/ada.png")
    assert (changed["displayName"], changed["photoUrl"]) == ("Ada Lovelace", "https://example.com/ada.png")
    auth.update_profile(ada["idToken"], delete_attribute=["DISPLAY_NAME"])
    [user] = auth.get_account_info(ada["idToken"])["users"]
    assert user["photoUrl"] == "https://example.com/ada.png"
    assert "displayName" not in user


def test_a_password_is_changed_after_a_recent_login(auth, ada):
    changed = auth.change_password(ada["idToken"], NEW_PASSWORD)
    assert auth.get_account_info(changed["idToken"])["users"][0]["localId"] == ada["localId"]
    assert refused(auth.get_account_info, ada["idToken"]) == "TOKEN_EXPIRED"
    assert refused(auth.sign_in_with_email_and_password, ada["email"], PASSWORD) == "INVALID_PASSWORD"
    assert auth.sign_in_with_email_and_password(ada["email"], NEW_PASSWORD)["localId"] == ada["localId"]


def test_a_password_is_not_changed_after_an_old_login(auth, ada, dev):
    def clock(change):
        requests.post(f"{dev.url}/emulator/v1/clock", json=change, timeout=30).raise_for_status()

    try:
        clock({"advanceSeconds": 301})
        assert refused(auth.change_password, ada["idToken"], NEW_PASSWORD) == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
        again = auth.sign_in_with_email_and_password(ada["email"], PASSWORD)
        auth.change_password(again["idToken"], NEW_PASSWORD)
    finally:
        clock({"reset": True})


def test_an_address_is_changed(auth, ada):
    email = fresh_email()
    assert auth.change_email(ada["idToken"], email)["email"] == email
    assert auth.sign_in_with_email_and_password(email, PASSWORD)["localId"] == ada["localId"]
    assert refused(auth.sign_in_with_email_and_password, ada["email"], PASSWORD) == "EMAIL_NOT_FOUND"


def test_an_account_is_deleted(auth, ada):
    auth.delete_user_account(ada["idToken"])
    assert refused(auth.get_account_info, ada["idToken"]) == "USER_NOT_FOUND"
    assert refused(auth.sign_in_with_email_and_password, ada["email"], PASSWORD) == "EMAIL_NOT_FOUND"


def test_who_signed_in_with_apple_goes_on_from_there(auth, dev):
    """The library itself knows no providers; a session is a session."""
    url = f"{dev.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion?key=any"
    user = requests.post(url, json=by(Simulated(dev).apple()), timeout=30).json()
    fresh = auth.refresh(user["refreshToken"])
    assert claims(fresh)["firebase"]["sign_in_provider"] == "apple.com"
    [found] = auth.get_account_info(fresh["idToken"])["users"]
    assert [one["providerId"] for one in found["providerUserInfo"]] == ["apple.com"]
    auth.delete_user_account(fresh["idToken"])
    assert refused(auth.get_account_info, fresh["idToken"]) == "USER_NOT_FOUND"


def test_who_links_and_unlinks_stays_signed_in(auth, dev):
    simulated, ada = Simulated(dev), fresh_person()

    def signed_in(proof, **more):
        url = f"{dev.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion?key=any"
        answer = requests.post(url, json=by(proof, **more), timeout=30)
        assert answer.ok, answer.text
        return answer.json()

    def reloaded(user):
        [found] = auth.get_account_info(auth.refresh(user["refreshToken"])["idToken"])["users"]
        assert [found] == auth.get_account_info(user["idToken"])["users"]
        return found["localId"], {one["providerId"] for one in found["providerUserInfo"]}

    try:
        first = signed_in(simulated.apple(ada))
        simulated.clock(advanceSeconds=301)
        linked = signed_in(simulated.google(ada), idToken=first["idToken"])
        elsewhere = signed_in(simulated.google(ada))
        assert claims(linked)["auth_time"] == claims(first)["auth_time"] < claims(linked)["iat"]
        for user in (first, linked, elsewhere):
            assert reloaded(user) == (first["localId"], {"apple.com", "google.com"})
        url = f"{dev.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/setAccountInfo?key=any"
        unlinking = {"idToken": linked["idToken"], "deleteProvider": ["google.com"]}
        assert "idToken" not in requests.post(url, json=unlinking, timeout=30).json()
        for user in (first, linked):
            assert reloaded(user) == (first["localId"], {"apple.com"})
        assert refused(auth.refresh, elsewhere["refreshToken"]) == "TOKEN_EXPIRED"
    finally:
        simulated.clock(reset=True)


def mailed(dev, email, request_type):
    """The code that is in the mailbox."""
    url = f"{dev.url}/emulator/v1/projects/{dev.project}/oobCodes"
    codes = requests.get(url, timeout=30).json()["oobCodes"]
    return [one for one in codes if (one["email"], one["requestType"]) == (email, request_type)][-1]


def test_a_forgotten_password_is_replaced_by_mail(auth, dev, ada):
    assert auth.send_password_reset_email(ada["email"])["email"] == ada["email"]
    code = mailed(dev, ada["email"], "PASSWORD_RESET")["oobCode"]
    assert auth.verify_password_reset_code(code, NEW_PASSWORD)["email"] == ada["email"]
    assert auth.sign_in_with_email_and_password(ada["email"], NEW_PASSWORD)["localId"] == ada["localId"]
    assert refused(auth.verify_password_reset_code, code, NEW_PASSWORD) == "INVALID_OOB_CODE"
    assert refused(auth.get_account_info, ada["idToken"]) == "TOKEN_EXPIRED"


def test_an_address_is_verified_by_mail(auth, dev, ada):
    assert auth.send_email_verification(ada["idToken"])["email"] == ada["email"]
    answer = requests.get(mailed(dev, ada["email"], "VERIFY_EMAIL")["oobLink"], timeout=30)
    assert answer.json()["authEmulator"]["email"] == ada["email"]
    [user] = auth.get_account_info(ada["idToken"])["users"]
    assert user["emailVerified"] is True
