"""Passkeys of an authenticator in software, whose ceremonies the package `webauthn` verifies too."""

import pytest
from webauthn.helpers.exceptions import InvalidAuthenticationResponse

from client import PASSWORD, fresh_email, ok_body, unverified_claims
from software_authenticator import KEYS, Authenticator, Ceremonies

pytestmark = pytest.mark.slow

ALGORITHMS = pytest.mark.parametrize("algorithm", KEYS, ids=lambda algorithm: algorithm.__name__)


@ALGORITHMS
def test_a_passkey_of_every_algorithm_is_enrolled_and_signs_in(client, algorithm):
    ceremonies = Ceremonies(client, Authenticator(algorithm))
    account = client.new_account()
    enrolled = ceremonies.enroll(account)
    assert enrolled["localId"] == account["localId"]
    [passkey] = client.lookup(enrolled)["passkeyInfo"]
    assert passkey["name"] == "Software"
    for _ in range(2):
        signed_in = ceremonies.sign_in()
        assert (signed_in["localId"], signed_in["isNewUser"]) == (account["localId"], False)
        assert unverified_claims(signed_in["idToken"])["firebase"]["sign_in_provider"] == "passkey"
    # The password still works, so the passkey was added and has replaced nothing.
    ok_body(client.call("signInWithPassword", {"email": client.lookup(signed_in)["email"], "password": PASSWORD}))


@ALGORITHMS
def test_a_passkey_of_every_algorithm_signs_up(client, algorithm):
    ceremonies = Ceremonies(client, Authenticator(algorithm))
    email = fresh_email()
    signed_up = ceremonies.sign_up(email=email, displayName="Ada")
    assert signed_up["isNewUser"] is True
    account = client.lookup(signed_up)
    assert (account["email"], account["emailVerified"], account["displayName"]) == (email, False, "Ada")
    assert ceremonies.sign_in()["localId"] == signed_up["localId"]


@ALGORITHMS
def test_a_changed_signature_is_rejected(client, algorithm):
    ceremonies = Ceremonies(client, Authenticator(algorithm))
    ceremonies.sign_up()
    options = ok_body(client.call("startPasskeySignIn", {}))["credentialRequestOptions"]
    response = ceremonies.authenticator.get(options)
    other = ceremonies.authenticator.get(options)
    # The counter that was signed is another one.
    changed = response | {"response": dict(response["response"]) | {"signature": other["response"]["signature"]}}
    with pytest.raises(InvalidAuthenticationResponse):
        ceremonies.verify(changed, options)
    refused = ceremonies.finalize(changed)
    assert refused.code == "INVALID_AUTHENTICATOR_RESPONSE"
    # The attempt has not consumed the challenge.
    ok_body(ceremonies.finalize(response))


def test_a_response_counts_once(client):
    ceremonies = Ceremonies(client, Authenticator())
    ceremonies.sign_up()
    response = ceremonies.assertion()
    ok_body(ceremonies.finalize(response))
    assert ceremonies.finalize(response).code == "PASSKEY_CHALLENGE_TIMEOUT"


def test_a_sign_in_without_user_verification_is_rejected(client):
    ceremonies = Ceremonies(client, Authenticator())
    ceremonies.sign_up()
    ceremonies.authenticator.verifies_user = False
    options = ok_body(client.call("startPasskeySignIn", {}))["credentialRequestOptions"]
    response = ceremonies.authenticator.get(options)
    with pytest.raises(InvalidAuthenticationResponse):
        ceremonies.verify(response, options)
    assert ceremonies.finalize(response).code == "INVALID_AUTHENTICATOR_RESPONSE"


@pytest.mark.parametrize("origin", ["https://localhost.example.com", "http://example.com", "http://localhost:3000/"])
def test_another_origin_is_rejected(client, origin):
    ceremonies = Ceremonies(client, Authenticator())
    ceremonies.sign_up()
    ceremonies.authenticator.origin = origin
    assert ceremonies.finalize(ceremonies.assertion()).code == "INVALID_AUTHENTICATOR_RESPONSE"


def test_an_authenticator_creates_no_second_passkey_of_an_account(client):
    ceremonies = Ceremonies(client, Authenticator())
    enrolled = ceremonies.enroll(client.new_account())
    with pytest.raises(AssertionError, match="InvalidStateError"):
        ceremonies.enroll(enrolled)
