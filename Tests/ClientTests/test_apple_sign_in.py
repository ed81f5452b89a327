"""Sign-in with Apple and Google over the wire: real tokens, real keys over real HTTP, and their bad days."""

import json
import secrets

import jwt
import pytest

import gateway
from exchange import Client
from installation import new_database, sql
from simulated import Simulated, by, fresh_person


@pytest.fixture(scope="module")
def own_dev(folder, dev):
    """The weather at a provider is everybody's, and so is the clock."""
    home = folder / "simulated"
    home.mkdir(mode=0o711)
    with gateway.dev(home, "--database-url", new_database(dev.database_url)) as running:
        yield running


@pytest.fixture(scope="module")
def client(own_dev, contract):
    return Client(own_dev, contract)


@pytest.fixture
def simulated(own_dev):
    simulated = Simulated(own_dev)
    simulated.change(reset=True)
    # What was asked a moment ago is not asked again.
    simulated.clock(advanceSeconds=120)
    return simulated


def signed_in(client, proof, **more):
    answer = client.call("signInWithIdp", by(proof, **more))
    assert answer.status == 200, answer.body
    assert "idToken" in answer.body, answer.body
    return answer.body


def refusal(client, proof, **more):
    answer = client.call("signInWithIdp", by(proof, **more))
    assert answer.code, answer.body
    return answer.code, answer.body["error"]["message"]


def user(client, session):
    [user] = client.call("lookup", {"idToken": session["idToken"]}).body["users"]
    return user


def test_apple_then_google_then_either_is_one_account(client, simulated):
    ada = fresh_person()
    first = signed_in(client, simulated.apple(ada))
    assert first["isNewUser"] is True
    linked = signed_in(client, simulated.google(ada), idToken=first["idToken"])
    assert linked["localId"] == first["localId"]
    # The app has forgotten everything.
    for provider in ("google.com", "apple.com"):
        again = signed_in(client, simulated.sign_in(provider, ada))
        assert again["localId"] == first["localId"]
        assert "isNewUser" not in again
        claims = jwt.decode(again["idToken"], options={"verify_signature": False})
        assert claims["firebase"]["sign_in_provider"] == provider
        assert set(claims["firebase"]["identities"]) == {"apple.com", "google.com", "email"}


def test_the_same_proven_address_is_the_same_account_without_asking(client, simulated):
    ada = fresh_person()
    assert signed_in(client, simulated.google(ada))["localId"] == signed_in(client, simulated.apple(ada))["localId"]


def test_apple_tells_a_name_once_and_it_stays(client, simulated):
    ada = fresh_person()
    proof = simulated.apple(ada)
    assert "Lovelace" in proof["user"]
    first = signed_in(client, proof)
    again = simulated.apple(ada)
    assert "user" not in again
    assert signed_in(client, again)["displayName"] == first["displayName"] == "Ada Lovelace"
    assert user(client, first)["displayName"] == "Ada Lovelace"
    assert "user" in simulated.apple(ada, firstTime=True)


@pytest.mark.parametrize("quirks", [
    {}, {"booleansAreStrings": True}, {"marksPrivateEmail": False}, {"relayDomain": "private.icloud.com"},
], ids=str)
def test_a_hidden_address_stays_hidden(client, simulated, quirks):
    simulated.change(apple=quirks)
    ada = fresh_person() | {"hidesEmail": True}
    first, again = (signed_in(client, simulated.apple(ada)) for _ in range(2))
    assert first["email"].endswith("@" + quirks.get("relayDomain", "privaterelay.appleid.com"))
    assert (first["isPrivateEmail"], first["emailVerified"]) == (True, True)
    assert (again["localId"], again["email"]) == (first["localId"], first["email"])
    assert ada["email"] not in str(user(client, first))


def test_a_new_key_is_fetched_when_it_is_first_seen(client, simulated):
    signed_in(client, simulated.apple())
    before = simulated.key_fetches("apple")
    simulated.change(apple={"rotateKeys": True})
    for _ in range(3):
        signed_in(client, simulated.apple())
    assert simulated.key_fetches("apple") == before + 1


def test_for_an_unknown_key_apple_is_asked_once_a_minute(client, simulated):
    signed_in(client, simulated.apple())
    simulated.change(apple={"rotateKeys": True})
    strange = simulated.apple()
    simulated.change(apple={"rotateKeys": True, "dropOldKeys": True})
    before = simulated.key_fetches("apple")
    for _ in range(3):
        assert refusal(client, strange)[0] == "INVALID_IDP_RESPONSE"
    assert simulated.key_fetches("apple") == before + 1
    simulated.clock(advanceSeconds=61)
    assert refusal(client, strange)[0] == "INVALID_IDP_RESPONSE"
    assert simulated.key_fetches("apple") == before + 2


@pytest.mark.parametrize("provider", ["apple", "google"])
@pytest.mark.parametrize("conduct", ["outage", "html", "tooManyRequests", "brokenJSON", "silent"])
def test_on_a_bad_day_of_a_provider(client, simulated, provider, conduct):
    """Known keys go on working; who comes with a new one is neither believed nor refused, and tries again."""
    sign_in = getattr(simulated, provider)
    signed_in(client, sign_in())
    simulated.change(**{provider: {"conduct": conduct}})
    signed_in(client, sign_in())
    simulated.change(**{provider: {"rotateKeys": True}})
    proof = sign_in()
    answer = client.call("signInWithIdp", by(proof))
    assert (answer.status, type(answer.body)) == (503, str)
    simulated.change(**{provider: {"conduct": "none"}})
    simulated.clock(advanceSeconds=61)
    signed_in(client, proof)


def test_a_slow_answer_within_the_deadline_is_an_answer(client, simulated):
    signed_in(client, simulated.apple())
    simulated.change(apple={"conduct": "slow", "rotateKeys": True})
    signed_in(client, simulated.apple())


def test_who_asks_for_the_credential_gets_a_conflict_as_an_answer(client, simulated):
    grace = fresh_person()
    owner = signed_in(client, simulated.google(grace))
    other = signed_in(client, simulated.apple())
    code, _ = refusal(client, simulated.google(grace), idToken=other["idToken"])
    assert code == "FEDERATED_USER_ID_ALREADY_LINKED"
    asked = by(simulated.google(grace), idToken=other["idToken"], returnIdpCredential=True)
    answer = client.call("signInWithIdp", asked).body
    assert answer["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED"
    assert not {"idToken", "refreshToken", "localId"} & answer.keys()
    signed = client.call("signInWithIdp", {"pendingToken": answer["pendingToken"]}).body
    assert signed["localId"] == owner["localId"]


@pytest.mark.parametrize("provider, issuer", [
    ("apple", "https://appleid.apple.com/"), ("apple", "https://accounts.google.com"),
    ("google", "https://appleid.apple.com"), ("google", "https://accounts.google.com.example"),
])
def test_another_issuer_is_not_believed(client, simulated, provider, issuer):
    simulated.change(**{provider: {"issuer": issuer}})
    code, message = refusal(client, getattr(simulated, provider)())
    assert code == "INVALID_IDP_RESPONSE"
    assert f"'{issuer}'" in message


@pytest.mark.parametrize("provider", ["apple", "google"])
def test_a_token_for_another_app_is_not_believed(client, simulated, provider):
    assert refusal(client, getattr(simulated, provider)(audience="com.example.other"))[0] == "INVALID_IDP_RESPONSE"


def test_the_nonce_has_to_be_the_one(client, simulated):
    def with_nonce(proof, nonce):
        credential = {"providerId": "apple.com", "idToken": proof["idToken"], "rawNonce": nonce}
        return client.call("signInWithIdp", {"credential": credential})

    proof = simulated.apple(nonce="the right one")
    assert with_nonce(proof, "another").code == "MISSING_OR_INVALID_NONCE"
    assert with_nonce(proof, None).code == "MISSING_OR_INVALID_NONCE"
    assert with_nonce(proof, "the right one").status == 200
    again = with_nonce(proof, "the right one")
    assert again.code == "MISSING_OR_INVALID_NONCE"
    assert "Duplicate credential" in again.body["error"]["message"]


def test_a_nonce_of_ours_counts_once(client, simulated):
    issued = client.call("issueNonce", {}).body
    proof = simulated.sign_in("apple.com", nonce=issued["nonceSha256"])
    assert "rawNonce" not in proof
    credential = {"providerId": "apple.com", "idToken": proof["idToken"], "rawNonce": issued["nonce"]}
    assert client.call("signInWithIdp", {"credential": credential}).status == 200
    again = simulated.sign_in("apple.com", nonce=issued["nonceSha256"])
    credential = {"providerId": "apple.com", "idToken": again["idToken"], "rawNonce": issued["nonce"]}
    assert client.call("signInWithIdp", {"credential": credential}).code == "MISSING_OR_INVALID_NONCE"


def test_google_needs_apple_beside_it(client, simulated, own_dev):
    """Configuration that breaks guideline 4.8 is refused; should it come about all the same, so is the sign-in."""
    def configure(operation, change, **path):
        return client.call(operation, change, key=None, headers={"Authorization": "Bearer owner"}, path=path)

    alone = configure("updateApp", {"signInMethods": ["google.com"]}, appId="default")
    assert (alone.status, alone.code) == (409, "LOGIN_SERVICES_4_8")
    signed_in(client, simulated.google())

    def switch_apple(is_on):
        sql(own_dev.database_url, "UPDATE identity_provider SET settings = jsonb_set(settings, '{enabled}', "
            f"'{is_on}') WHERE project_id = 'demo' AND provider = 'apple.com'")

    switch_apple("false")
    try:
        code, message = refusal(client, simulated.google())
        assert (code, "LOGIN_SERVICES_4_8" in message) == ("OPERATION_NOT_ALLOWED", True)
    finally:
        switch_apple("true")
    signed_in(client, simulated.google())


def test_an_account_is_deleted_and_comes_back_as_another(client, simulated):
    ada = fresh_person()
    first = signed_in(client, simulated.apple(ada))
    assert client.call("delete", {"idToken": first["idToken"]}).status == 200
    assert signed_in(client, simulated.apple(ada))["localId"] != first["localId"]


@pytest.mark.parametrize("nonce", [{"rawNonce": "raw"}, {"nonce": "as it is"}, {}], ids=str)
def test_the_simulated_answer_is_as_the_app_would_get_it(simulated, nonce):
    proof = simulated.sign_in("google.com", **nonce)
    claims = jwt.decode(proof["idToken"], options={"verify_signature": False})
    assert claims.get("nonce") == next(iter(nonce.values()), None)
    assert claims["iss"] == "https://accounts.google.com"
    assert claims["aud"] == "demo.apps.googleusercontent.com"
    assert proof["authorizationCode"]
    assert proof.get("rawNonce") == nonce.get("rawNonce")


@pytest.mark.parametrize("wish, member", [
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
def test_what_nobody_can_sign_in_as_is_named(simulated, wish, member):
    answer = simulated.ask("POST", "/simulatedSignIns", wish)
    assert answer.status_code == 400
    assert member in answer.json()["error"]["message"]


@pytest.mark.parametrize("change, member", [
    ({"apple": {"conduct": "rain"}}, "/apple/conduct"),
    ({"google": {"conduct": "rain"}}, "/google/conduct"),
    ({"apple": {"relayDomain": "icloud.com"}}, "/apple/relayDomain"),
    ({"apple": {"identityTokenLifetime": 0}}, "/apple/identityTokenLifetime"),
    ({"apple": {"identityTokenLifetime": 2 ** 62}}, "/apple/identityTokenLifetime"),
    ({"apple": {"booleansAreStrings": "true"}}, "/apple/booleansAreStrings"),
])
def test_what_is_no_weather_changes_nothing(simulated, change, member):
    before = simulated.key_fetches("apple")
    answer = simulated.ask("PATCH", "/simulators", change | {"reset": True})
    assert answer.status_code == 400
    assert member in answer.json()["error"]["message"]
    assert simulated.key_fetches("apple") == before


def test_the_command_signs_somebody_in(client, own_dev):
    words = ["simulate", "apple.com", "--url", own_dev.url, "--email", f"{secrets.token_hex(8)}@example.com",
             "--given-name", "Grace", "--family-name", "Hopper", "--hide-email", "--nonce", secrets.token_hex(8)]
    ran = gateway.run(*words)
    assert (ran.returncode, ran.stderr) == (0, "")
    proof = json.loads(ran.stdout)
    signed = signed_in(client, proof)
    assert (signed["displayName"], signed["isPrivateEmail"]) == ("Grace Hopper", True)


@pytest.mark.parametrize("words, status, said", [
    (["simulate"], 2, "exactly one provider"),
    (["simulate", "apple.com", "--project", "Demo"], 2, "cannot be a project's id"),
    (["simulate", "apple.com", "--url", "http://127.0.0.1:1"], 1, "no `sekisho dev` answers there"),
    (["simulate", "facebook.com"], 1, "must be apple.com or google.com"),
])
def test_the_command_says_what_is_wrong(own_dev, words, status, said):
    ran = gateway.run(*words, *([] if "--url" in words else ["--url", own_dev.url]))
    assert (ran.returncode, ran.stdout) == (status, "")
    assert said in ran.stderr
