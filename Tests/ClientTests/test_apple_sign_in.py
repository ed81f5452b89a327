"""Sign-in with the simulated Apple and Google over HTTP, with rotated keys and failing providers."""

import json
import secrets

import pytest

import gateway
from client import ADMIN_HEADERS, Client, ok_body, unverified_claims
from installation import sql
from simulators import ISSUERS, Simulators, fresh_person, idp_sign_in_body, unverifiable_post_body


@pytest.fixture(scope="module")
def client(fresh_dev, contract):
    return Client(fresh_dev, contract)


@pytest.fixture
def simulators(fresh_dev):
    simulators = Simulators(fresh_dev)
    simulators.configure(reset=True)
    # For tokens with unknown keys, the gateway fetches the keys of a provider at most once a minute.
    simulators.change_clock(advanceSeconds=120)
    return simulators


def sign_in(client, proof, **more):
    body = ok_body(client.call("signInWithIdp", idp_sign_in_body(proof, **more)))
    assert "idToken" in body, body
    return body


def rejection(client, proof, **more):
    """The code and the message of the error that a sign-in gets."""
    response = client.call("signInWithIdp", idp_sign_in_body(proof, **more))
    assert response.code, response.body
    return response.code, response.body["error"]["message"]


def test_linked_apple_and_google_identities_sign_in_to_one_account(client, simulators):
    ada = fresh_person()
    first = sign_in(client, simulators.sign_in_with_apple(ada))
    assert first["isNewUser"] is True
    linked = sign_in(client, simulators.sign_in_with_google(ada), idToken=first["idToken"])
    assert linked["localId"] == first["localId"]
    # Without an ID token, as from a new installation of the app.
    for provider in ("google.com", "apple.com"):
        again = sign_in(client, simulators.sign_in(provider, ada))
        assert again["localId"] == first["localId"]
        assert "isNewUser" not in again
        claims = unverified_claims(again["idToken"])
        assert claims["firebase"]["sign_in_provider"] == provider
        assert set(claims["firebase"]["identities"]) == {"apple.com", "google.com", "email"}


def test_an_identity_with_the_same_verified_email_is_linked_automatically(client, simulators):
    ada = fresh_person()
    at_google = sign_in(client, simulators.sign_in_with_google(ada))
    at_apple = sign_in(client, simulators.sign_in_with_apple(ada))
    assert at_google["localId"] == at_apple["localId"]


def test_the_name_that_apple_sends_once_is_kept(client, simulators):
    ada = fresh_person()
    proof = simulators.sign_in_with_apple(ada)
    assert "Lovelace" in proof["user"]
    first = sign_in(client, proof)
    again = simulators.sign_in_with_apple(ada)
    assert "user" not in again
    assert sign_in(client, again)["displayName"] == first["displayName"] == "Ada Lovelace"
    assert client.lookup(first)["displayName"] == "Ada Lovelace"
    assert "user" in simulators.sign_in_with_apple(ada, firstTime=True)


@pytest.mark.parametrize("settings", [
    {}, {"booleansAreStrings": True}, {"marksPrivateEmail": False}, {"relayDomain": "private.icloud.com"},
], ids=str)
def test_the_account_of_a_user_who_hides_the_email_has_only_the_relay_address(client, simulators, settings):
    simulators.configure(apple=settings)
    ada = fresh_person() | {"hidesEmail": True}
    first, again = (sign_in(client, simulators.sign_in_with_apple(ada)) for _ in range(2))
    assert first["email"].endswith("@" + settings.get("relayDomain", "privaterelay.appleid.com"))
    assert (first["isPrivateEmail"], first["emailVerified"]) == (True, True)
    assert (again["localId"], again["email"]) == (first["localId"], first["email"])
    assert ada["email"] not in str(client.lookup(first))


def test_a_new_key_is_fetched_once_when_a_token_first_names_it(client, simulators):
    sign_in(client, simulators.sign_in_with_apple())
    before = simulators.key_fetch_count("apple")
    simulators.configure(apple={"rotateKeys": True})
    for _ in range(3):
        sign_in(client, simulators.sign_in_with_apple())
    assert simulators.key_fetch_count("apple") == before + 1


def test_keys_are_fetched_at_most_once_a_minute_for_unknown_key_ids(client, simulators):
    sign_in(client, simulators.sign_in_with_apple())
    simulators.configure(apple={"rotateKeys": True})
    # The simulator drops the key of this token before the gateway fetches it.
    unknown = simulators.sign_in_with_apple()
    simulators.configure(apple={"rotateKeys": True, "dropOldKeys": True})
    before = simulators.key_fetch_count("apple")
    for _ in range(3):
        assert rejection(client, unknown)[0] == "INVALID_IDP_RESPONSE"
    assert simulators.key_fetch_count("apple") == before + 1
    simulators.change_clock(advanceSeconds=61)
    assert rejection(client, unknown)[0] == "INVALID_IDP_RESPONSE"
    assert simulators.key_fetch_count("apple") == before + 2


@pytest.mark.parametrize("provider", ["apple", "google"])
@pytest.mark.parametrize("fault", [
    "outage", "html", "tooManyRequests", "brokenJSON", pytest.param("silent", marks=pytest.mark.slow)])
def test_cached_keys_verify_tokens_during_a_failure_of_the_provider(client, simulators, provider, fault):
    """A token with an unknown key gets 503 during the failure, and is accepted after it."""
    new_proof = getattr(simulators, f"sign_in_with_{provider}")
    sign_in(client, new_proof())
    simulators.configure(**{provider: {"fault": fault}})
    sign_in(client, new_proof())
    simulators.configure(**{provider: {"rotateKeys": True}})
    proof = new_proof()
    response = client.call("signInWithIdp", idp_sign_in_body(proof))
    assert (response.status, type(response.body)) == (503, str)
    simulators.configure(**{provider: {"fault": "none"}})
    simulators.change_clock(advanceSeconds=61)
    sign_in(client, proof)


def test_keys_of_a_provider_that_is_slower_than_usual_are_accepted(client, simulators):
    sign_in(client, simulators.sign_in_with_apple())
    simulators.configure(apple={"fault": "slow", "rotateKeys": True})
    sign_in(client, simulators.sign_in_with_apple())


@pytest.mark.parametrize("provider, issuer", [
    ("apple", "https://appleid.apple.com/"), ("apple", "https://accounts.google.com"),
    ("google", "https://appleid.apple.com"), ("google", "https://accounts.google.com.example"),
])
def test_a_token_of_another_issuer_is_rejected(client, simulators, provider, issuer):
    simulators.configure(**{provider: {"issuer": issuer}})
    code, message = rejection(client, getattr(simulators, f"sign_in_with_{provider}")())
    assert code == "INVALID_IDP_RESPONSE"
    assert f"'{issuer}'" in message


@pytest.mark.parametrize("provider", ["apple", "google"])
def test_a_token_for_another_audience_is_rejected(client, simulators, provider):
    proof = getattr(simulators, f"sign_in_with_{provider}")(audience="com.example.other")
    assert rejection(client, proof)[0] == "INVALID_IDP_RESPONSE"


def test_a_nonce_must_match_and_works_once(client, simulators):
    def with_nonce(proof, nonce):
        credential = {"providerId": "apple.com", "idToken": proof["idToken"], "rawNonce": nonce}
        return client.call("signInWithIdp", {"credential": credential})

    proof = simulators.sign_in_with_apple(nonce="the right one")
    assert with_nonce(proof, "another").code == "MISSING_OR_INVALID_NONCE"
    assert with_nonce(proof, None).code == "MISSING_OR_INVALID_NONCE"
    assert with_nonce(proof, "the right one").status == 200
    again = with_nonce(proof, "the right one")
    assert again.code == "MISSING_OR_INVALID_NONCE"
    assert "Duplicate credential" in again.body["error"]["message"]


def test_an_app_with_google_sign_in_must_offer_sign_in_with_apple(client, simulators, fresh_dev):
    """The API rejects a configuration that violates App Review guideline 4.8.

    If the database contains such a configuration, the gateway rejects sign-ins with Google.
    """
    def configure(operation, change, **path):
        return client.call(operation, change, api_key=None, headers=ADMIN_HEADERS, path=path)

    without_apple = configure("updateApp", {"signInMethods": ["google.com"]}, appId="default")
    assert (without_apple.status, without_apple.code) == (409, "LOGIN_SERVICES_4_8")
    sign_in(client, simulators.sign_in_with_google())

    def enable_apple(is_enabled):
        sql(fresh_dev.database_url, "UPDATE identity_provider SET settings = jsonb_set(settings, '{enabled}', "
            f"'{json.dumps(is_enabled)}') WHERE realm_id = 'demo' AND provider = 'apple.com'")

    enable_apple(False)
    try:
        code, message = rejection(client, simulators.sign_in_with_google())
        assert (code, "LOGIN_SERVICES_4_8" in message) == ("OPERATION_NOT_ALLOWED", True)
    finally:
        enable_apple(True)
    sign_in(client, simulators.sign_in_with_google())


@pytest.mark.parametrize("nonce", [{"rawNonce": "raw"}, {"nonce": "unhashed"}, {}], ids=str)
def test_a_simulated_sign_in_returns_what_the_app_would_receive(simulators, nonce):
    proof = simulators.sign_in("google.com", **nonce)
    claims = unverified_claims(proof["idToken"])
    assert claims.get("nonce") == next(iter(nonce.values()), None)
    assert claims["iss"] == "https://accounts.google.com"
    assert claims["aud"] == "demo.apps.googleusercontent.com"
    assert proof["authorizationCode"]
    assert proof.get("rawNonce") == nonce.get("rawNonce")


@pytest.mark.parametrize("body, member", [
    ({}, "/providerId"),
    ({"providerId": "facebook.com"}, "/providerId"),
    ({"providerId": "apple.com", "nonce": "a", "rawNonce": "b"}, "nonce"),
    ({"providerId": "apple.com", "rawNonce": ""}, "/rawNonce"),
    ({"providerId": "apple.com", "audience": ""}, "/audience"),
    ({"providerId": "apple.com", "person": {"email": "ada"}}, "/person/email"),
    ({"providerId": "apple.com", "person": {"realUserStatus": 3}}, "/person/realUserStatus"),
    ({"providerId": "apple.com", "person": {"hidesEmail": "yes"}}, "/person/hidesEmail"),
    ({"providerId": 1}, "/providerId"),
])
def test_an_invalid_simulated_sign_in_is_rejected_with_the_name_of_the_member(simulators, body, member):
    response = simulators.request("POST", "/simulatedSignIns", body)
    assert response.status_code == 400
    assert member in response.json()["error"]["message"]


@pytest.mark.parametrize("change, member", [
    ({"apple": {"fault": "unknown"}}, "/apple/fault"),
    ({"google": {"fault": "unknown"}}, "/google/fault"),
    ({"apple": {"relayDomain": "icloud.com"}}, "/apple/relayDomain"),
    ({"apple": {"identityTokenLifetime": 0}}, "/apple/identityTokenLifetime"),
    ({"apple": {"identityTokenLifetime": 2 ** 62}}, "/apple/identityTokenLifetime"),
    ({"apple": {"booleansAreStrings": "yes"}}, "/apple/booleansAreStrings"),
])
def test_an_invalid_simulator_setting_is_rejected_with_the_name_of_its_member(simulators, change, member):
    response = simulators.request("PATCH", "/simulators", change)
    assert response.status_code == 400
    assert member in response.json()["error"]["message"]


def test_the_simulate_command_prints_a_usable_credential(client, fresh_dev):
    words = ["simulate", "apple.com", "--url", fresh_dev.url, "--email", f"{secrets.token_hex(8)}@example.com",
             "--given-name", "Grace", "--family-name", "Hopper", "--hide-email", "--nonce", secrets.token_hex(8)]
    completed = gateway.run_sekisho(*words)
    assert (completed.returncode, completed.stderr) == (0, "")
    proof = json.loads(completed.stdout)
    session = sign_in(client, proof)
    assert (session["displayName"], session["isPrivateEmail"]) == ("Grace Hopper", True)


@pytest.mark.parametrize("words, status, message", [
    (["simulate"], 2, "exactly one provider"),
    (["simulate", "apple.com", "--project", "Demo"], 2, "expected a project ID, got"),
    (["simulate", "apple.com", "--url", "http://127.0.0.1:1"], 1, "cannot reach `sekisho dev`"),
    (["simulate", "facebook.com"], 1, "must be apple.com or google.com"),
])
def test_invalid_arguments_of_the_simulate_command_are_rejected(fresh_dev, words, status, message):
    completed = gateway.run_sekisho(*words, *([] if "--url" in words else ["--url", fresh_dev.url]))
    assert (completed.returncode, completed.stdout) == (status, "")
    assert message in completed.stderr


@pytest.mark.parametrize("provider", ISSUERS)
def test_a_token_that_names_a_dropped_key_is_rejected_if_another_key_signed_it(client, simulators, provider):
    """`dev` verifies the signature of a token only if it names a key that a simulator has or had."""
    key_id = simulators.key_id(provider)
    simulators.configure(**{provider.split(".")[0]: {"rotateKeys": True, "dropOldKeys": True}})
    body = idp_sign_in_body({"postBody": unverifiable_post_body(provider, key_id)})
    assert client.call("signInWithIdp", body).code == "INVALID_IDP_RESPONSE"
