"""Sign-in with a third-party OpenID provider that an administrator has configured."""

import base64
import hashlib
import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

import openid_provider
from client import ADMIN_HEADERS, PASSWORD, unverified_claims
from simulators import Simulators, fresh_person, idp_sign_in_body


class TokenProvider(openid_provider.Provider):
    def id_token_and_nonce(self, **claims):
        """Returns an ID token for a user with these claims, and its nonce.

        The token comes from the code flow with PKCE, at the URLs of the discovery document.
        """
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
def provider_id(client, provider, trusts_email):
    """The ID under which the project has configured the provider for one test."""
    identifier = f"oidc.{secrets.token_hex(8)}"
    config = {
        "issuer": provider.url, "clientId": openid_provider.CLIENT_ID, "enabled": True, "trustsEmail": trusts_email}
    created = client.call(
        "createOauthIdpConfig", config, api_key=None, headers=ADMIN_HEADERS, params={"oauthIdpConfigId": identifier})
    assert created.status == 200, created.body
    yield identifier
    client.call("deleteOauthIdpConfig", api_key=None, headers=ADMIN_HEADERS, path={"idpId": identifier})


def sign_in(client, provider_id, id_token, nonce=None, **more):
    credential = {"providerId": provider_id, "idToken": id_token, "rawNonce": nonce}
    return client.call("signInWithIdp", {"credential": credential} | more)


def test_a_first_sign_in_creates_an_account_and_later_ones_find_it(client, provider, provider_id, trusts_email):
    person = fresh_person() | {"sub": secrets.token_hex(8)}
    claims = {"sub": person["sub"], "email": person["email"], "email_verified": True, "name": "Ada Lovelace"}
    first = sign_in(client, provider_id, *provider.id_token_and_nonce(**claims)).body
    assert (first["isNewUser"], first["displayName"]) == (True, "Ada Lovelace")
    assert first["federatedId"] == f"{provider_id}/{person['sub']}"
    assert first["emailVerified"] is trusts_email
    # In the response, `emailVerified` is about the identity. The account's own address stays unverified, because the
    # provider does not host the mailbox.
    user = client.lookup(first)
    assert user["emailVerified"] is False
    again = sign_in(client, provider_id, *provider.id_token_and_nonce(**claims)).body
    assert again["localId"] == first["localId"]
    token = unverified_claims(again["idToken"])
    assert token["firebase"]["sign_in_provider"] == provider_id


def test_a_sign_in_with_apple_takes_over_only_an_account_of_an_untrusted_provider(
        dev, client, provider, provider_id, trusts_email):
    """A user signs in with Apple, which has verified the same email address.

    If the gateway trusts the addresses of the OpenID provider, the owner of the account must confirm the sign-in.
    Otherwise the account goes to the user who signs in with Apple, and its old sessions end.
    """
    ada = fresh_person()
    first = sign_in(client, provider_id, *provider.id_token_and_nonce(email=ada["email"], email_verified=True)).body
    apple = client.call("signInWithIdp", idp_sign_in_body(Simulators(dev).sign_in_with_apple(ada))).body
    assert apple["localId"] == first["localId"]
    assert ("needConfirmation" in apple, "idToken" in apple) == (trusts_email, not trusts_email)
    session_is_valid = client.call("lookUpOwnAccount", {"idToken": first["idToken"]}).status == 200
    assert session_is_valid is trusts_email


@pytest.mark.parametrize("email_verified", [True, False, "true", None])
def test_an_email_claim_alone_does_not_sign_in_to_an_existing_account(client, provider, provider_id, email_verified):
    ada = client.new_account()
    proof = provider.id_token_and_nonce(email=ada["email"], email_verified=email_verified)
    response = sign_in(client, provider_id, *proof).body
    assert response["needConfirmation"] is True
    assert "idToken" not in response
    session = client.call("signInWithPassword", {"email": ada["email"], "password": PASSWORD}).body
    confirmation = {"pendingToken": response["pendingToken"], "idToken": session["idToken"]}
    linked = client.call("signInWithIdp", confirmation).body
    assert linked["localId"] == ada["localId"]


def test_signature_nonce_and_issuer_of_a_providers_token_are_verified(client, provider, provider_id):
    id_token, nonce = provider.id_token_and_nonce()
    head, payload, signature = id_token.split(".")
    # A character in the middle, because not every bit of the last character is part of the signature.
    other = "A" if signature[20] != "A" else "B"
    forged = f"{head}.{payload}.{signature[:20]}{other}{signature[21:]}"
    assert sign_in(client, provider_id, forged, nonce).code == "INVALID_IDP_RESPONSE"
    assert sign_in(client, provider_id, id_token, "another nonce").code == "MISSING_OR_INVALID_NONCE"
    assert sign_in(client, "apple.com", id_token, nonce).code == "INVALID_IDP_RESPONSE"
    assert sign_in(client, provider_id, id_token, nonce).status == 200


def test_a_token_for_another_client_is_rejected(client, provider, provider_id):
    body = {"clientId": "another-client"}
    options = {
        "api_key": None, "headers": ADMIN_HEADERS, "path": {"idpId": provider_id}, "params": {"updateMask": "clientId"}}
    assert client.call("updateOauthIdpConfig", body, **options).status == 200
    assert sign_in(client, provider_id, *provider.id_token_and_nonce()).code == "INVALID_IDP_RESPONSE"


def test_the_issuer_of_a_provider_cannot_change_while_accounts_have_its_identities(client, provider, provider_id):
    person = {"sub": secrets.token_hex(8)}
    ada = sign_in(client, provider_id, *provider.id_token_and_nonce(**person)).body
    other = {"issuer": "https://id.example.com"}
    options = {"api_key": None, "headers": ADMIN_HEADERS, "path": {"idpId": provider_id}}
    rejected = client.call("updateOauthIdpConfig", other, **options, params={"updateMask": "issuer"})
    assert (rejected.status, rejected.code) == (409, "PROVIDER_ISSUER_IN_USE")
    assert sign_in(client, provider_id, *provider.id_token_and_nonce(**person)).body["localId"] == ada["localId"]
    discarding = {"updateMask": "issuer", "discardIdentities": "true"}
    assert client.call("updateOauthIdpConfig", other, **options, params=discarding).status == 200
    back = {"issuer": provider.url}
    assert client.call("updateOauthIdpConfig", back, **options, params={"updateMask": "issuer"}).status == 200
    assert sign_in(client, provider_id, *provider.id_token_and_nonce(**person)).body["isNewUser"] is True
