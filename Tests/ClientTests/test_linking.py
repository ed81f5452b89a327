"""After identities are linked or unlinked, firebase-admin accepts the tokens of the remaining sessions.

The Python library rejects a token whose `iat` is before `validSince`. Libraries for other languages compare `auth_time`
with `validSince`.
"""

import pytest

from client import PASSWORD, fresh_email, ok_body
from simulators import Simulators, fresh_person, idp_sign_in_body

pytestmark = pytest.mark.parametrize("admin", ["dev"], indirect=True)


@pytest.fixture
def simulators(admin):
    return Simulators(admin.gateway)


def call_ok(admin, operation, json):
    """Sends a request that must succeed, and returns the body of the response."""
    return ok_body(admin.client.call(operation, json))


def assert_session_is_valid(admin, session):
    """Looks up the account like an SDK and verifies the tokens like a backend."""
    fresh = admin.client.refresh(session).body["id_token"]
    for token in (session["idToken"], fresh):
        [found] = call_ok(admin, "lookUpOwnAccount", {"idToken": token})["users"]
        claims = admin.verify_id_token(token, check_revoked=True, clock_skew_seconds=10)
        assert claims["uid"] == found["localId"] == session["localId"]
        assert min(claims["iat"], claims["auth_time"]) >= int(found["validSince"])


def test_linking_keeps_sessions_and_unlinking_ends_the_sessions_of_the_unlinked_identity(admin, simulators):
    ada = fresh_person()
    apple_session = call_ok(admin, "signInWithIdp", idp_sign_in_body(simulators.sign_in_with_apple(ada)))
    google_proof = simulators.sign_in_with_google(ada)
    linked = call_ok(admin, "signInWithIdp", idp_sign_in_body(google_proof, idToken=apple_session["idToken"]))
    google_session = call_ok(admin, "signInWithIdp", idp_sign_in_body(simulators.sign_in_with_google(ada)))
    for session in (apple_session, linked, google_session):
        assert_session_is_valid(admin, session)
    call_ok(admin, "unlinkOwnProvider", {"idToken": linked["idToken"], "deleteProvider": ["google.com"]})
    for session in (apple_session, linked):
        assert_session_is_valid(admin, session)
    assert admin.client.call("lookUpOwnAccount", {"idToken": google_session["idToken"]}).code == "TOKEN_EXPIRED"
    assert {entry.provider_id for entry in admin.get_user(apple_session["localId"]).provider_data} == {"apple.com"}


@pytest.mark.parametrize("provider", ["apple", "google", "password"])
def test_an_anonymous_account_is_upgraded(admin, simulators, provider):
    anonymous = admin.client.sign_up()
    if provider == "password":
        body = {"idToken": anonymous["idToken"], "email": fresh_email(), "password": PASSWORD}
        upgraded = call_ok(admin, "signUp", body)
    else:
        proof = getattr(simulators, f"sign_in_with_{provider}")()
        upgraded = call_ok(admin, "signInWithIdp", idp_sign_in_body(proof, idToken=anonymous["idToken"]))
    assert upgraded["localId"] == anonymous["localId"]
    assert_session_is_valid(admin, upgraded)
