"""A visit of the sign-in page continues after the gateway was killed between any two steps."""

import base64
import hashlib
import json
import re
import secrets
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

import gateway
from account_pages import OWN_FORM, forms
from client import fresh_email
from gateway import eventually
from installation import Installation, new_database
from smtp_server import SMTPServer, smtp_server_running

pytestmark = pytest.mark.slow

PASSWORD = "staple battery horse"


class Killed:
    """A `sekisho serve` that is killed and started again with the same settings."""

    def __init__(self, installation, environment):
        self.installation, self.environment = installation, environment
        self.api_key = installation.create_api_key()
        self.url = installation.url
        self.starting = None
        self.start()

    def start(self):
        self.starting = self.installation.starting(self.api_key, **self.environment)
        self.running = self.starting.__enter__()
        gateway.wait_for(self.running.is_ready, self.running.process, self.running.log)

    def stop(self):
        self.running.process.kill()
        self.running.process.wait()
        self.starting.__exit__(None, None, None)

    def restart(self):
        self.stop()
        self.start()

    def post(self, operation, body):
        response = requests.post(
            f"{self.url}/v1/accounts:{operation}", params={"key": self.api_key}, json=body, timeout=30)
        assert response.status_code == 200, response.text
        return response.json()


@contextmanager
def killable(folder, dev):
    installation = Installation(folder, new_database(dev.database_url)).with_project()
    path = folder / f"sign-in-page-crashes-{secrets.token_hex(4)}.json"
    path.write_text(json.dumps({"project": "demo", "authorizedDomains": ["127.0.0.1"]}))
    installation.run_ok(f"projects apply {path}")
    installation.run_ok("projects policy demo --set emailLimit=0")
    server = SMTPServer()
    with smtp_server_running(server) as port:
        killed = Killed(installation, {
            "SEKISHO_SMTP_URL": f"smtp://127.0.0.1:{port}", "SEKISHO_EMAIL_FROM": "no-reply@auth.example.com"})
        try:
            yield killed, server
        finally:
            killed.stop()


def form_of(html, step):
    return next(form for form in forms(html) if form.get("step") == step)


def code_sent_to(address, server):
    def found():
        return [email for email in server.received if email.recipients == [address]]
    assert eventually(found)
    return re.search(r"^(\d{6})$", "\n".join(found()[-1].part("plain").splitlines()), re.MULTILINE).group(1)


def test_a_guest_merges_into_an_account_although_the_gateway_is_killed_between_all_steps(folder, dev):
    with killable(folder, dev) as (killed, server):
        address, verifier = fresh_email(), secrets.token_urlsafe(48)
        ada = killed.post("signUp", {"email": address, "password": PASSWORD})
        guest = killed.post("signUp", {})
        target = f"{killed.url}/healthz"
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        uri = killed.post("createSignInUri", {
            "continueUri": target, "state": "state", "codeChallenge": challenge, "codeChallengeMethod": "S256",
            "operation": "LINK", "idToken": guest["idToken"]})["signInUri"]
        browser = requests.Session()

        def submit(page, step, **values):
            killed.restart()
            return browser.post(
                f"{killed.url}/demo/__/auth/signIn", data=form_of(page.text, step) | values, headers=OWN_FORM,
                timeout=30)

        page = browser.get(uri, timeout=30)
        assert "as a guest" in page.text
        flow = re.search(r'<form id="screens".*?name="flow" value="([^"]*)"', page.text, re.DOTALL).group(1)
        page = browser.get(
            f"{killed.url}/demo/__/auth/signIn", params={"flow": flow, "screen": "emailCode"}, timeout=30)
        page = submit(page, "emailCode", email=address)
        page = submit(page, "enterCode", code=code_sent_to(address, server))
        assert "your guest account becomes part of this account" in page.text
        page = submit(page, "confirm")
        result = re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', page.text).group(1).replace("&amp;", "&")
        killed.restart()
        response = requests.post(
            f"{killed.url}/v1/token", params={"key": killed.api_key}, timeout=30, data={
                "grant_type": "authorization_code", "code": parse_qs(urlsplit(result).query)["code"][0],
                "code_verifier": verifier, "continue_uri": target})
        assert response.status_code == 200, response.text
        assert response.json()["user_id"] == ada["localId"]
