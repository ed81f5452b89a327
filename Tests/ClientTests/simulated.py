"""The Apple and the Google of `sekisho dev`, and what an app makes of their word."""

import secrets

import requests


class Simulated:
    def __init__(self, gateway):
        self.gateway = gateway
        self.base = f"{gateway.url}/emulator/v1/projects/{gateway.project}"

    def ask(self, method, path, json):
        return requests.request(method, self.base + path, json=json, timeout=30)

    def sign_in(self, provider, person=None, **more):
        """What an app gets when `person`, a stranger unless told, signs in."""
        json = {"providerId": provider, "person": person or fresh_person()} | more
        return _good(self.ask("POST", "/simulatedSignIns", json))

    def apple(self, person=None, nonce=None, **more):
        """With a nonce of its own, as apps should have it."""
        return self.sign_in("apple.com", person, rawNonce=nonce or secrets.token_urlsafe(), **more)

    def google(self, person=None, **more):
        return self.sign_in("google.com", person, **more)

    def change(self, **change):
        return _good(self.ask("PATCH", "/simulators", change))

    def key_fetches(self, provider):
        return _good(self.ask("GET", "/simulators", None))[provider]["keyFetches"]

    def clock(self, **change):
        _good(requests.post(f"{self.gateway.url}/emulator/v1/clock", json=change, timeout=30))


def fresh_person(domain="gmail.com"):
    return {"email": f"{secrets.token_hex(8)}@{domain}", "givenName": "Ada", "familyName": "Lovelace"}


def by(proof, **more):
    """The body of `accounts:signInWithIdp` for what `proof` says."""
    return {"postBody": proof["postBody"], "requestUri": "http://localhost", "returnSecureToken": True} | more


def _good(response):
    assert response.status_code == 200, response.text
    return response.json()
