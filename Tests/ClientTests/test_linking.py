"""Linking and unlinking: the remaining sessions are valid for firebase-admin.

Its Python library compares `iat` with `validSince`; its libraries for other languages compare `auth_time`.
"""

import pytest

from client import PASSWORD, fresh_email
from simulators import Simulators, fresh_person, idp_sign_in_body

pytestmark = pytest.mark.parametrize("admin", ["dev"], indirect=True)


@pytest.fixture
def simulators(admin):
    return Simulators(admin.gateway)


def call(admin, operation, json):
    response = admin.client.call(operation, json)
    assert response.status == 200, response.body
    return response.body


def assert_session_is_valid(admin, user):
    """Looks up the account like an SDK and verifies the tokens like a backend."""
    fresh = admin.client.refresh(user).body["id_token"]
    for token in (user["idToken"], fresh):
        [found] = call(admin, "lookup", {"idToken": token})["users"]
        claims = admin.verify_id_token(token, check_revoked=True, clock_skew_seconds=10)
        assert claims["uid"] == found["localId"] == user["localId"]
        assert min(claims["iat"], claims["auth_time"]) >= int(found["validSince"])


def test_linking_keeps_sessions_and_unlinking_ends_those_of_the_identity(admin, simulators):
    ada = fresh_person()
    first = call(admin, "signInWithIdp", idp_sign_in_body(simulators.apple(ada)))
    linked = call(admin, "signInWithIdp", idp_sign_in_body(simulators.google(ada), idToken=first["idToken"]))
    elsewhere = call(admin, "signInWithIdp", idp_sign_in_body(simulators.google(ada)))
    for user in (first, linked, elsewhere):
        assert_session_is_valid(admin, user)
    call(admin, "unlink", {"idToken": linked["idToken"], "deleteProvider": ["google.com"]})
    for user in (first, linked):
        assert_session_is_valid(admin, user)
    assert admin.client.call("lookup", {"idToken": elsewhere["idToken"]}).code == "TOKEN_EXPIRED"
    assert {entry.provider_id for entry in admin.get_user(first["localId"]).provider_data} == {"apple.com"}


@pytest.mark.parametrize("provider", ["apple", "google", "password"])
def test_an_anonymous_account_is_upgraded(admin, simulators, provider):
    anonymous = admin.client.sign_up()
    if provider == "password":
        body = {"idToken": anonymous["idToken"], "email": fresh_email(), "password": PASSWORD}
        upgraded = call(admin, "signUp", body)
    else:
        proof = getattr(simulators, provider)()
        upgraded = call(admin, "signInWithIdp", idp_sign_in_body(proof, idToken=anonymous["idToken"]))
    assert upgraded["localId"] == anonymous["localId"]
    assert_session_is_valid(admin, upgraded)
