"""Sign-in with an OpenID provider of the operator's choice, one that nobody here wrote."""

import base64
import hashlib
import json
import secrets
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests

import gateway
import openid_provider
from exchange import PASSWORD, Client
from simulated import Simulated, by, fresh_person

OWNER = {"Authorization": "Bearer owner"}


class Provider:
    def __init__(self, url, folder):
        self.url = url
        self.folder = folder

    def person(self, **claims):
        (self.folder / "person.json").write_text(json.dumps({"sub": secrets.token_hex(8)} | claims))

    def id_token(self, **claims):
        """What a client gets that does as the standards say: discovery, then a code with PKCE."""
        self.person(**claims)
        found = requests.get(f"{self.url}/.well-known/openid-configuration", timeout=30).json()
        assert found["issuer"] == self.url
        verifier, state, nonce = (secrets.token_urlsafe(48) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "client_id": openid_provider.CLIENT, "redirect_uri": openid_provider.REDIRECT_URI, "response_type": "code",
            "scope": "openid email profile", "state": state, "nonce": nonce, "code_challenge": challenge,
            "code_challenge_method": "S256"}
        sent = requests.get(found["authorization_endpoint"], params=asked, allow_redirects=False, timeout=30)
        answer = parse_qs(urlsplit(sent.headers["Location"]).query)
        assert answer["state"] == [state]
        redeemed = requests.post(found["token_endpoint"], timeout=30, data={
            "grant_type": "authorization_code", "code": answer["code"][0], "code_verifier": verifier,
            "client_id": openid_provider.CLIENT, "redirect_uri": openid_provider.REDIRECT_URI})
        assert redeemed.status_code == 200, redeemed.text
        return redeemed.json()["id_token"], nonce


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("openid"), gateway.free_port()
    provider = Provider(f"http://127.0.0.1:{port}", folder)
    provider.person()
    log = folder / "log"
    command = [sys.executable, openid_provider.__file__, str(port), str(folder)]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        gateway.awaited(lambda: answers(provider.url), process, log)
        yield provider
    finally:
        process.terminate()
        process.wait(30)


def answers(url):
    try:
        return requests.get(f"{url}/.well-known/openid-configuration", timeout=30).status_code == 200
    except requests.ConnectionError:
        return False


@pytest.fixture(scope="module")
def client(dev, contract):
    return Client(dev, contract)


@pytest.fixture(params=[False, True], ids=["untrusted", "trusted"])
def trusts_email(request):
    return request.param


@pytest.fixture
def name(client, provider, trusts_email):
    """The provider's, as the project has configured it for this one test."""
    name = f"oidc.{secrets.token_hex(8)}"
    config = {"issuer": provider.url, "clientId": openid_provider.CLIENT, "enabled": True, "trustsEmail": trusts_email}
    made = client.call("createOauthIdpConfig", config, key=None, headers=OWNER, params={"oauthIdpConfigId": name})
    assert made.status == 200, made.body
    yield name
    client.call("deleteOauthIdpConfig", key=None, headers=OWNER, path={"idpId": name})


def sign_in(client, name, id_token, nonce=None, **more):
    credential = {"providerId": name, "idToken": id_token, "rawNonce": nonce}
    return client.call("signInWithIdp", {"credential": credential} | more)


def test_a_stranger_gets_an_account_and_comes_back_to_it(client, provider, name, trusts_email):
    person = fresh_person() | {"sub": secrets.token_hex(8)}
    claims = {"sub": person["sub"], "email": person["email"], "email_verified": True, "name": "Ada Lovelace"}
    first = sign_in(client, name, *provider.id_token(**claims)).body
    assert (first["isNewUser"], first["displayName"]) == (True, "Ada Lovelace")
    assert first["federatedId"] == f"{name}/{person['sub']}"
    assert first["emailVerified"] is trusts_email
    # Whoever says so: the provider does not run the mailbox.
    [user] = client.call("lookup", {"idToken": first["idToken"]}).body["users"]
    assert user["emailVerified"] is False
    again = sign_in(client, name, *provider.id_token(**claims)).body
    assert again["localId"] == first["localId"]
    token = jwt.decode(again["idToken"], options={"verify_signature": False})
    assert token["firebase"]["sign_in_provider"] == name


def test_an_address_that_it_is_trusted_with_is_not_taken_over(dev, client, provider, name, trusts_email):
    """Apple proves the same address: its owner is asked, where the operator trusts this provider, and else in charge."""
    ada = fresh_person()
    first = sign_in(client, name, *provider.id_token(email=ada["email"], email_verified=True)).body
    met = client.call("signInWithIdp", by(Simulated(dev).apple(ada))).body
    assert met["localId"] == first["localId"]
    assert ("needConfirmation" in met, "idToken" in met) == (trusts_email, not trusts_email)
    session_lives = client.call("lookup", {"idToken": first["idToken"]}).status == 200
    assert session_lives is trusts_email


@pytest.mark.parametrize("email_verified", [True, False, "true", None])
def test_its_word_alone_never_opens_somebody_elses_account(client, provider, name, email_verified):
    ada = client.ada()
    answer = sign_in(client, name, *provider.id_token(email=ada["email"], email_verified=email_verified)).body
    assert answer["needConfirmation"] is True
    assert "idToken" not in answer
    session = client.call("signInWithPassword", {"email": ada["email"], "password": PASSWORD}).body
    linked = client.call("signInWithIdp", {"pendingToken": answer["pendingToken"], "idToken": session["idToken"]}).body
    assert linked["localId"] == ada["localId"]


def test_its_tokens_are_checked_like_any(client, provider, name):
    id_token, nonce = provider.id_token()
    head, payload, signature = id_token.split(".")
    other = "A" if signature[20] != "A" else "B"
    forged = f"{head}.{payload}.{signature[:20]}{other}{signature[21:]}"
    assert sign_in(client, name, forged, nonce).code == "INVALID_IDP_RESPONSE"
    assert sign_in(client, name, id_token, "another nonce").code == "MISSING_OR_INVALID_NONCE"
    assert sign_in(client, "apple.com", id_token, nonce).code == "INVALID_IDP_RESPONSE"
    assert sign_in(client, name, id_token, nonce).status == 200


def test_a_token_for_another_client_is_not_believed(client, provider, name):
    wish = {"clientId": "another-client"}
    options = {"key": None, "headers": OWNER, "path": {"idpId": name}, "params": {"updateMask": "clientId"}}
    assert client.call("updateOauthIdpConfig", wish, **options).status == 200
    assert sign_in(client, name, *provider.id_token()).code == "INVALID_IDP_RESPONSE"


def test_its_issuer_stays_while_it_has_identities(client, provider, name):
    person = {"sub": secrets.token_hex(8)}
    ada = sign_in(client, name, *provider.id_token(**person)).body
    other = {"issuer": "https://id.example.com"}
    options = {"key": None, "headers": OWNER, "path": {"idpId": name}}
    refused = client.call("updateOauthIdpConfig", other, **options, params={"updateMask": "issuer"})
    assert (refused.status, refused.code) == (409, "PROVIDER_ISSUER_IN_USE")
    assert sign_in(client, name, *provider.id_token(**person)).body["localId"] == ada["localId"]
    discarding = {"updateMask": "issuer", "discardIdentities": "true"}
    assert client.call("updateOauthIdpConfig", other, **options, params=discarding).status == 200
    back = {"issuer": provider.url}
    assert client.call("updateOauthIdpConfig", back, **options, params={"updateMask": "issuer"}).status == 200
    assert sign_in(client, name, *provider.id_token(**person)).body["isNewUser"] is True
