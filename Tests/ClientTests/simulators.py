"""Client of the Apple and Google simulators in `sekisho dev`."""

import secrets
from functools import cache
from urllib.parse import urlencode

import jwt
import requests
from cryptography.hazmat.primitives.asymmetric import rsa

from gateway import set_clock

ISSUERS = {"apple.com": "https://appleid.apple.com", "google.com": "https://accounts.google.com"}


class Simulators:
    def __init__(self, gateway):
        self.gateway = gateway
        self.base = f"{gateway.url}/emulator/v1/projects/{gateway.project}"

    def request(self, method, path, json):
        return requests.request(method, self.base + path, json=json, timeout=30)

    def sign_in(self, provider, person=None, **more):
        """Returns what an app receives after `person` (default: a new one) signs in at the provider."""
        json = {"providerId": provider, "person": person or fresh_person()} | more
        return _json(self.request("POST", "/simulatedSignIns", json))

    def apple(self, person=None, nonce=None, **more):
        """Signs in with Apple, always with a nonce, as apps should."""
        return self.sign_in("apple.com", person, rawNonce=nonce or secrets.token_urlsafe(), **more)

    def google(self, person=None, **more):
        return self.sign_in("google.com", person, **more)

    def key_id(self, provider):
        """The ID of the key with which the provider signs ID tokens."""
        return jwt.get_unverified_header(self.sign_in(provider)["idToken"])["kid"]

    def configure(self, **change):
        return _json(self.request("PATCH", "/simulators", change))

    def notification(self):
        """Disconnects the app for a new person, and returns the payload of the notification that Apple sends."""
        sent = self.configure(apple={"disconnect": fresh_person(), "clientId": "com.example.app"})
        return sent["notifications"][0]["payload"]

    def key_fetches(self, provider):
        return _json(self.request("GET", "/simulators", None))[provider]["keyFetches"]

    def url(self, provider):
        """The base URL of a simulated provider."""
        return _json(self.request("GET", "/simulators", None))[provider]["url"]

    def revocations(self):
        return _json(self.request("GET", "/simulators", None))["apple"]["revocations"]

    def clock(self, **change):
        set_clock(self.gateway, **change)


def fresh_person(domain="gmail.com"):
    """Returns a person unknown to the provider, as the simulators' API describes one."""
    return {"email": f"{secrets.token_hex(8)}@{domain}", "givenName": "Ada", "familyName": "Lovelace"}


@cache
def foreign_key():
    """A key that no simulator has."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def foreign_post_body(provider, key_id="another-key", **changed):
    """Returns a `postBody` with a token that has the provider's issuer but is signed with `foreign_key`.

    The token has expired, so it is accepted only where no claim but the issuer is checked. `changed` are claims to add
    or replace.
    """
    claims = {"iss": ISSUERS[provider], "aud": "some.app", "sub": secrets.token_hex(8), "exp": 1, "iat": 0} | changed
    token = jwt.encode(claims, foreign_key(), algorithm="RS256", headers={"kid": key_id})
    return urlencode({"providerId": provider, "id_token": token})


def idp_sign_in_body(proof, **more):
    """Returns the body of `accounts:signInWithIdp` for the result of a simulated sign-in."""
    return {"postBody": proof["postBody"], "requestUri": "http://localhost", "returnSecureToken": True} | more


def _json(response):
    assert response.status_code == 200, response.text
    return response.json()
