"""Passkeys in Chromium, with the browser's virtual authenticator: the options and responses are those of a browser."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from browser import browser
from client import PASSWORD, fresh_email, ok_body, unverified_claims

pytestmark = pytest.mark.slow

CEREMONY = """
const [gateway, key, operation, start, more, done] = arguments;
const call = async (step, body) => (await fetch(`${gateway}/v2/accounts/${operation}:${step}?key=${key}`, {
  method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)})).json();
(async () => {
  const started = await call("start", start);
  if (started.error) return started;
  if (operation === "passkeySignIn") {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(started.credentialRequestOptions);
    const credential = await navigator.credentials.get({publicKey});
    return call("finalize", {...more, authenticatorAuthenticationResponse: credential.toJSON()});
  }
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(started.credentialCreationOptions);
  const credential = await navigator.credentials.create({publicKey});
  return call("finalize", {...more, authenticatorRegistrationResponse: credential.toJSON()});
})().then(done, (error) => done({error: {message: `${error.name}: ${error.message}`}}));
"""


class EmptyPage(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>App</title>")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def page():
    """A page of an app at `localhost`, in a browser with an authenticator that verifies its user."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with browser() as window:
            options = VirtualAuthenticatorOptions()
            options.protocol, options.transport = "ctap2", "internal"
            options.has_resident_key = options.has_user_verification = options.is_user_verified = True
            window.open(f"http://localhost:{server.server_port}/")
            window.driver.add_virtual_authenticator(options)
            window.driver.set_script_timeout(30)
            yield window.driver
    finally:
        server.shutdown()


def run(page, client, operation, start, more=None):
    gateway = client.gateway
    return page.execute_async_script(
        CEREMONY, gateway.url, gateway.api_key, operation, start, more if more is not None else start)


@pytest.fixture(autouse=True)
def empty_authenticator(page):
    page.remove_all_credentials()


def test_a_browser_enrolls_a_passkey_and_signs_in_with_it(page, client):
    email = fresh_email()
    account = ok_body(client.call("signUp", {"email": email, "password": PASSWORD}))
    enrolled = run(page, client, "passkeyEnrollment", {"idToken": account["idToken"]},
                   {"idToken": account["idToken"], "name": "Chromium"})
    assert "error" not in enrolled, enrolled
    [user] = ok_body(client.call("lookUpOwnAccount", {"idToken": enrolled["idToken"]}))["users"]
    [passkey] = user["passkeyInfo"]
    assert (passkey["name"], passkey["transports"]) == ("Chromium", ["internal"])
    signed_in = run(page, client, "passkeySignIn", {})
    assert signed_in["localId"] == account["localId"], signed_in
    assert unverified_claims(signed_in["idToken"])["firebase"]["sign_in_provider"] == "passkey"
    # The authenticator has a passkey of the account already.
    again = run(page, client, "passkeyEnrollment", {"idToken": signed_in["idToken"]})
    assert again["error"]["message"].startswith("InvalidStateError"), again
    removed = ok_body(client.call("updateOwnAccount", {
        "idToken": signed_in["idToken"], "deletePasskey": [passkey["credentialId"]]}))
    [signal] = removed["passkeySignals"]
    assert signal["allAcceptedCredentialIds"] == []
    unknown = run(page, client, "passkeySignIn", {})
    assert unknown["error"]["message"] == "PASSKEY_ENROLLMENT_NOT_FOUND", unknown


def test_a_browser_signs_up_with_a_passkey(page, client):
    email = fresh_email()
    signed_up = run(page, client, "passkeySignUp", {"email": email, "displayName": "Ada"})
    assert signed_up["isNewUser"] is True, signed_up
    [user] = ok_body(client.call("lookUpOwnAccount", {"idToken": signed_up["idToken"]}))["users"]
    assert (user["email"], user["emailVerified"], user["displayName"]) == (email, False, "Ada")
    signed_in = run(page, client, "passkeySignIn", {})
    assert signed_in["localId"] == signed_up["localId"], signed_in
