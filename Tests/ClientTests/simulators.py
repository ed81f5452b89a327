"""Client of the Apple and Google simulators in `sekisho dev`."""

import secrets
from functools import cache
from urllib.parse import urlencode

import jwt
import requests
from cryptography.hazmat.primitives.asymmetric import rsa

from gateway import change_clock

ISSUERS = {"apple.com": "https://appleid.apple.com", "google.com": "https://accounts.google.com"}


class Simulators:
    """The simulated providers of the project that `dev` has by default."""

    def __init__(self, gateway):
        self.gateway = gateway
        self.base = f"{gateway.url}/emulator/v1/projects/{gateway.project}"

    def request(self, method, path, json):
        return requests.request(method, self.base + path, json=json, timeout=30)

    def sign_in(self, provider, person=None, **more):
        """Signs `person` (default: a new one) in at the provider, and returns what an app then receives."""
        json = {"providerId": provider, "person": person or fresh_person()} | more
        return _json(self.request("POST", "/simulatedSignIns", json))

    def sign_in_with_apple(self, person=None, nonce=None, **more):
        """Signs in like `sign_in`, always with a nonce, as apps should."""
        return self.sign_in("apple.com", person, rawNonce=nonce or secrets.token_urlsafe(), **more)

    def sign_in_with_google(self, person=None, **more):
        return self.sign_in("google.com", person, **more)

    def key_id(self, provider):
        """The ID of the key with which the provider signs ID tokens."""
        return jwt.get_unverified_header(self.sign_in(provider)["idToken"])["kid"]

    def configure(self, **change):
        """Changes settings of the simulators, or simulates an event at a provider; returns the response."""
        return _json(self.request("PATCH", "/simulators", change))

    def apple_notification_payload(self):
        """Lets a new person disconnect the app, and returns the payload of the notification that Apple sends."""
        sent = self.configure(apple={"disconnect": fresh_person(), "clientId": "com.example.app"})
        return sent["notifications"][0]["payload"]

    def key_fetch_count(self, provider):
        """The number of requests for the keys of a provider, "apple" or "google"."""
        return _json(self.request("GET", "/simulators", None))[provider]["keyFetches"]

    def url(self, provider):
        """The base URL of a simulated provider, "apple" or "google"."""
        return _json(self.request("GET", "/simulators", None))[provider]["url"]

    def revocation_count(self):
        """The number of requests to revoke a token that the simulated Apple has accepted."""
        return _json(self.request("GET", "/simulators", None))["apple"]["revocations"]

    def change_clock(self, **change):
        change_clock(self.gateway, **change)


def fresh_person(domain="gmail.com"):
    """Returns the description of a new person for the simulators' API."""
    return {"email": f"{secrets.token_hex(8)}@{domain}", "givenName": "Ada", "familyName": "Lovelace"}


@cache
def unpublished_key():
    """A signing key that no simulator publishes, so that no signature with it can be verified."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def unverifiable_post_body(provider, key_id="another-key", **changed):
    """Returns a `postBody` with an ID token that names the provider's issuer and is signed with `unpublished_key`.

    The token has also expired. A gateway that checks anything except the issuer rejects it. `changed` are claims to
    add or replace.
    """
    claims = {"iss": ISSUERS[provider], "aud": "some.app", "sub": secrets.token_hex(8), "exp": 1, "iat": 0} | changed
    token = jwt.encode(claims, unpublished_key(), algorithm="RS256", headers={"kid": key_id})
    return urlencode({"providerId": provider, "id_token": token})


def idp_sign_in_body(proof, **more):
    """Returns the body of `accounts:signInWithIdp` for the result of a simulated sign-in."""
    return {"postBody": proof["postBody"], "requestUri": "http://localhost", "returnSecureToken": True} | more


def _json(response):
    assert response.status_code == 200, response.text
    return response.json()
