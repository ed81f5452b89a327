"""Linking, unlinking and signing on, with every answer held against the contract and every token against firebase-admin,
which compares `iat` or `auth_time` with `validSince`."""

import pytest

from exchange import fresh_email
from people import refreshed
from simulated import Simulated, by, fresh_person

pytestmark = pytest.mark.parametrize("admin", ["dev"], indirect=True)


@pytest.fixture
def simulated(admin):
    return Simulated(admin.gateway)


def answered(admin, operation, json):
    answer = admin.client.call(operation, json)
    assert answer.status == 200, answer.body
    return answer.body


def is_signed_in(admin, user):
    """Reloads as an SDK does, and has the token verified as a backend does."""
    fresh = refreshed(admin.client, user).body["id_token"]
    for token in (user["idToken"], fresh):
        [found] = answered(admin, "lookup", {"idToken": token})["users"]
        claims = admin.verify_id_token(token, check_revoked=True, clock_skew_seconds=10)
        assert claims["uid"] == found["localId"] == user["localId"]
        assert min(claims["iat"], claims["auth_time"]) >= int(found["validSince"])


def test_an_account_gains_and_loses_an_identity(admin, simulated):
    ada = fresh_person()
    first = answered(admin, "signInWithIdp", by(simulated.apple(ada)))
    linked = answered(admin, "signInWithIdp", by(simulated.google(ada), idToken=first["idToken"]))
    elsewhere = answered(admin, "signInWithIdp", by(simulated.google(ada)))
    for user in (first, linked, elsewhere):
        is_signed_in(admin, user)
    answered(admin, "unlink", {"idToken": linked["idToken"], "deleteProvider": ["google.com"]})
    for user in (first, linked):
        is_signed_in(admin, user)
    assert admin.client.call("lookup", {"idToken": elsewhere["idToken"]}).code == "TOKEN_EXPIRED"
    assert {one.provider_id for one in admin.get_user(first["localId"]).provider_data} == {"apple.com"}


@pytest.mark.parametrize("provider", ["apple", "google", "password"])
def test_an_anonymous_account_becomes_a_lasting_one(admin, simulated, provider):
    guest = admin.client.signed_up()
    if provider == "password":
        wish = {"idToken": guest["idToken"], "email": fresh_email(), "password": "correct horse battery"}
        upgraded = answered(admin, "signUp", wish)
    else:
        proof = getattr(simulated, provider)()
        upgraded = answered(admin, "signInWithIdp", by(proof, idToken=guest["idToken"]))
    assert upgraded["localId"] == guest["localId"]
    is_signed_in(admin, upgraded)
