"""ID tokens verified by PyJWT, which gets the keys by discovery from the issuer."""

import base64
import json

import jwt
import pytest
import requests

from client import Client, unverified_claims


@pytest.fixture(scope="session")
def client(serve, contract):
    return Client(serve, contract)


@pytest.fixture(scope="session")
def issuer(serve):
    return f"{serve.url}/{serve.project}"


@pytest.fixture
def verify(serve, issuer):
    """A function that verifies an ID token with the published keys, and returns its claims."""
    discovery = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=30).json()
    assert discovery["issuer"] == issuer
    keys = jwt.PyJWKClient(discovery["jwks_uri"])

    def verify(token):
        return jwt.decode(
            token,
            keys.get_signing_key_from_jwt(token),
            algorithms=["ES256"],
            audience=serve.project,
            issuer=issuer,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )

    return verify


def with_changed_claims(token, **claims):
    """Returns the token with changed claims and its old signature."""
    header, payload, signature = token.split(".")
    changed = json.loads(base64.urlsafe_b64decode(payload + "==")) | claims
    return ".".join([header, base64.urlsafe_b64encode(json.dumps(changed).encode()).decode().rstrip("="), signature])


def test_the_claims_describe_the_account_and_the_session(client, verify):
    ada = client.new_account()
    claims = verify(ada["idToken"])
    assert claims["sub"] == claims["user_id"] == ada["localId"]
    assert claims["firebase"] == {"identities": {"email": [ada["email"]]}, "sign_in_provider": "password"}
    assert (claims["email"], claims["email_verified"], claims["name"]) == (ada["email"], False, "Ada")
    assert claims["auth_time"] <= claims["iat"] == claims["exp"] - int(ada["expiresIn"])
    assert claims["sid"]


def test_the_token_of_an_anonymous_account_has_the_provider_anonymous(client, verify):
    claims = verify(client.sign_up()["idToken"])
    assert claims["provider_id"] == claims["firebase"]["sign_in_provider"] == "anonymous"
    assert claims["firebase"]["identities"] == {}
    assert "email" not in claims


def test_a_refresh_keeps_session_and_login_time(client, verify):
    ada = client.new_account()
    refreshed = client.refresh(ada).body
    before, after = verify(ada["idToken"]), verify(refreshed["id_token"])
    for claim in ("sub", "sid", "auth_time", "iss", "aud"):
        assert before[claim] == after[claim]


def test_two_accounts_have_different_session_ids(client, verify):
    ada, grace = client.new_account(), client.new_account()
    assert verify(ada["idToken"])["sid"] != verify(grace["idToken"])["sid"]


def test_a_changed_token_is_rejected_by_pyjwt_and_the_gateway(client, verify):
    ada, grace = client.new_account(), client.new_account()
    forged = with_changed_claims(ada["idToken"], sub=grace["localId"], user_id=grace["localId"])
    with pytest.raises(jwt.InvalidSignatureError):
        verify(forged)
    assert client.call("lookUpOwnAccount", {"idToken": forged}).code == "INVALID_ID_TOKEN"


def test_an_unsigned_token_is_rejected(client):
    ada = client.new_account()
    claims = unverified_claims(ada["idToken"])
    unsigned = jwt.encode(claims, key=None, algorithm="none")
    assert client.call("lookUpOwnAccount", {"idToken": unsigned}).code == "INVALID_ID_TOKEN"
