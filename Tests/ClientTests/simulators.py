"""Client of the Apple and Google simulators in `sekisho dev`."""

import secrets

import requests

from gateway import set_clock


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
        """Signs in with Apple; a nonce is always sent, as apps should do."""
        return self.sign_in("apple.com", person, rawNonce=nonce or secrets.token_urlsafe(), **more)

    def google(self, person=None, **more):
        return self.sign_in("google.com", person, **more)

    def configure(self, **change):
        return _json(self.request("PATCH", "/simulators", change))

    def key_fetches(self, provider):
        return _json(self.request("GET", "/simulators", None))[provider]["keyFetches"]

    def clock(self, **change):
        set_clock(self.gateway, **change)


def fresh_person(domain="gmail.com"):
    """Returns a person unknown to the provider, as the simulators' API describes one."""
    return {"email": f"{secrets.token_hex(8)}@{domain}", "givenName": "Ada", "familyName": "Lovelace"}


def idp_sign_in_body(proof, **more):
    """Returns the body of `accounts:signInWithIdp` for the result of a simulated sign-in."""
    return {"postBody": proof["postBody"], "requestUri": "http://localhost", "returnSecureToken": True} | more


def _json(response):
    assert response.status_code == 200, response.text
    return response.json()
