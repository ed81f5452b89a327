"""Sign-in with a third-party OpenID provider that an administrator has configured."""

import base64
import hashlib
import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

import openid_provider
from client import OWNER, PASSWORD, unverified_claims
from simulators import Simulators, fresh_person, idp_sign_in_body


class TokenProvider(openid_provider.Provider):
    def id_token(self, **claims):
        """Returns an ID token and its nonce, obtained by discovery and the code flow with PKCE."""
        self.set_user(**claims)
        found = requests.get(f"{self.url}/.well-known/openid-configuration", timeout=30).json()
        assert found["issuer"] == self.url
        verifier, state, nonce = (secrets.token_urlsafe(48) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        parameters = {
            "client_id": openid_provider.CLIENT_ID, "redirect_uri": openid_provider.REDIRECT_URI,
            "response_type": "code", "scope": "openid email profile", "state": state, "nonce": nonce,
            "code_challenge": challenge, "code_challenge_method": "S256"}
        redirect = requests.get(found["authorization_endpoint"], params=parameters, allow_redirects=False, timeout=30)
        response = parse_qs(urlsplit(redirect.headers["Location"]).query)
        assert response["state"] == [state]
        tokens = requests.post(found["token_endpoint"], timeout=30, data={
            "grant_type": "authorization_code", "code": response["code"][0], "code_verifier": verifier,
            "client_id": openid_provider.CLIENT_ID, "redirect_uri": openid_provider.REDIRECT_URI})
        assert tokens.status_code == 200, tokens.text
        return tokens.json()["id_token"], nonce


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    with openid_provider.running(tmp_path_factory.mktemp("openid")) as provider:
        yield TokenProvider(provider.url, provider.folder)


@pytest.fixture(params=[False, True], ids=["untrusted", "trusted"])
def trusts_email(request):
    return request.param


@pytest.fixture
def name(client, provider, trusts_email):
    """The ID under which the project has configured the provider for one test."""
    name = f"oidc.{secrets.token_hex(8)}"
    config = {
        "issuer": provider.url, "clientId": openid_provider.CLIENT_ID, "enabled": True, "trustsEmail": trusts_email}
    created = client.call("createOauthIdpConfig", config, key=None, headers=OWNER, params={"oauthIdpConfigId": name})
    assert created.status == 200, created.body
    yield name
    client.call("deleteOauthIdpConfig", key=None, headers=OWNER, path={"idpId": name})


def sign_in(client, name, id_token, nonce=None, **more):
    credential = {"providerId": name, "idToken": id_token, "rawNonce": nonce}
    return client.call("signInWithIdp", {"credential": credential} | more)


def test_a_first_sign_in_creates_an_account_and_later_ones_find_it(client, provider, name, trusts_email):
    person = fresh_person() | {"sub": secrets.token_hex(8)}
    claims = {"sub": person["sub"], "email": person["email"], "email_verified": True, "name": "Ada Lovelace"}
    first = sign_in(client, name, *provider.id_token(**claims)).body
    assert (first["isNewUser"], first["displayName"]) == (True, "Ada Lovelace")
    assert first["federatedId"] == f"{name}/{person['sub']}"
    assert first["emailVerified"] is trusts_email
    # The provider does not host the mailbox, so its claim does not verify the account's own address.
    user = client.lookup(first)
    assert user["emailVerified"] is False
    again = sign_in(client, name, *provider.id_token(**claims)).body
    assert again["localId"] == first["localId"]
    token = unverified_claims(again["idToken"])
    assert token["firebase"]["sign_in_provider"] == name


def test_apple_takes_over_an_email_address_only_from_an_untrusted_provider(dev, client, provider, name, trusts_email):
    """Apple verifies the same address. If the provider is trusted, the account's owner must confirm the sign-in.
    Otherwise the account is reclaimed, and its sessions end."""
    ada = fresh_person()
    first = sign_in(client, name, *provider.id_token(email=ada["email"], email_verified=True)).body
    apple = client.call("signInWithIdp", idp_sign_in_body(Simulators(dev).apple(ada))).body
    assert apple["localId"] == first["localId"]
    assert ("needConfirmation" in apple, "idToken" in apple) == (trusts_email, not trusts_email)
    session_is_valid = client.call("lookup", {"idToken": first["idToken"]}).status == 200
    assert session_is_valid is trusts_email


@pytest.mark.parametrize("email_verified", [True, False, "true", None])
def test_an_email_claim_alone_does_not_sign_in_to_an_existing_account(client, provider, name, email_verified):
    ada = client.new_account()
    response = sign_in(client, name, *provider.id_token(email=ada["email"], email_verified=email_verified)).body
    assert response["needConfirmation"] is True
    assert "idToken" not in response
    session = client.call("signInWithPassword", {"email": ada["email"], "password": PASSWORD}).body
    confirmation = {"pendingToken": response["pendingToken"], "idToken": session["idToken"]}
    linked = client.call("signInWithIdp", confirmation).body
    assert linked["localId"] == ada["localId"]


def test_signature_nonce_and_issuer_of_the_providers_tokens_are_verified(client, provider, name):
    id_token, nonce = provider.id_token()
    head, payload, signature = id_token.split(".")
    other = "A" if signature[20] != "A" else "B"
    forged = f"{head}.{payload}.{signature[:20]}{other}{signature[21:]}"
    assert sign_in(client, name, forged, nonce).code == "INVALID_IDP_RESPONSE"
    assert sign_in(client, name, id_token, "another nonce").code == "MISSING_OR_INVALID_NONCE"
    assert sign_in(client, "apple.com", id_token, nonce).code == "INVALID_IDP_RESPONSE"
    assert sign_in(client, name, id_token, nonce).status == 200


def test_a_token_for_another_client_is_rejected(client, provider, name):
    body = {"clientId": "another-client"}
    options = {"key": None, "headers": OWNER, "path": {"idpId": name}, "params": {"updateMask": "clientId"}}
    assert client.call("updateOauthIdpConfig", body, **options).status == 200
    assert sign_in(client, name, *provider.id_token()).code == "INVALID_IDP_RESPONSE"


def test_the_issuer_cannot_change_while_identities_have_it(client, provider, name):
    person = {"sub": secrets.token_hex(8)}
    ada = sign_in(client, name, *provider.id_token(**person)).body
    other = {"issuer": "https://id.example.com"}
    options = {"key": None, "headers": OWNER, "path": {"idpId": name}}
    rejected = client.call("updateOauthIdpConfig", other, **options, params={"updateMask": "issuer"})
    assert (rejected.status, rejected.code) == (409, "PROVIDER_ISSUER_IN_USE")
    assert sign_in(client, name, *provider.id_token(**person)).body["localId"] == ada["localId"]
    discarding = {"updateMask": "issuer", "discardIdentities": "true"}
    assert client.call("updateOauthIdpConfig", other, **options, params=discarding).status == 200
    back = {"issuer": provider.url}
    assert client.call("updateOauthIdpConfig", back, **options, params={"updateMask": "issuer"}).status == 200
    assert sign_in(client, name, *provider.id_token(**person)).body["isNewUser"] is True
