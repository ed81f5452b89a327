"""A guest of an app on the sign-in page, in Chromium: keeps the account, or merges it into another one."""

import base64
import hashlib
import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

import gateway
from accessibility import violations
from browser import browser
from client import PASSWORD, fresh_email
from installation import new_database
from web_app import answer_consent_page

pytestmark = pytest.mark.slow


class GuestApp:
    """An app with a guest, who opens the sign-in page."""

    def __init__(self, running):
        self.running = running
        self.verifier = secrets.token_urlsafe(48)
        self.target = f"{running.url}/healthz"
        self.guest = self.post("accounts:signUp", {})

    def post(self, operation, body):
        response = requests.post(f"{self.running.url}/v1/{operation}?key=any", json=body, timeout=30)
        assert response.status_code == 200, response.text
        return response.json()

    def url(self):
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        return self.post("accounts:createSignInUri", {
            "continueUri": self.target, "state": "state", "codeChallenge": challenge, "codeChallengeMethod": "S256",
            "operation": "LINK", "idToken": self.guest["idToken"]})["signInUri"]

    def exchange(self, window):
        """Waits for the return to the app, and exchanges its code."""
        window.wait(lambda: window.driver.current_url.startswith(f"{self.target}?code="))
        code = parse_qs(urlsplit(window.driver.current_url).query)["code"][0]
        return requests.post(f"{self.running.url}/v1/token?key=any", timeout=30, data={
            "grant_type": "authorization_code", "code": code, "code_verifier": self.verifier,
            "continue_uri": self.target}).json()

    def guest_exists(self):
        body = {"idToken": self.guest["idToken"]}
        return requests.post(
            f"{self.running.url}/v1/accounts:lookup?key=any", json=body, timeout=30).status_code == 200


@pytest.fixture(scope="module")
def own_dev(dev, folder):
    path = folder / "sign-in-page-guests"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        yield running


@pytest.fixture
def app(own_dev):
    return GuestApp(own_dev)


@pytest.fixture
def window():
    with browser() as opened:
        yield opened


def sign_in_with_password(app, window):
    """Signs in to a new account, and returns it."""
    address = fresh_email()
    account = app.post("accounts:signUp", {"email": address, "password": PASSWORD, "displayName": "Ada"})
    window.open(app.url())
    assert "as a guest" in window.text
    window.element("#address").send_keys(address)
    window.element("#password").send_keys(PASSWORD)
    window.elements("form button")[0].click()
    window.wait(lambda: window.heading == "You already have an account")
    return account


def test_a_guest_merges_into_an_account(app, window):
    account = sign_in_with_password(app, window)
    assert "your guest account becomes part of this account" in window.text
    window.click("Continue with this account")
    assert app.exchange(window)["user_id"] == account["localId"]
    assert not app.guest_exists()


def test_a_guest_who_cancels_changes_nothing(app, window):
    sign_in_with_password(app, window)
    window.click("Cancel")
    window.wait(lambda: window.driver.current_url.startswith(f"{app.target}?error=access_denied"))
    assert app.guest_exists()


def test_a_guest_keeps_the_account_with_a_provider(app, window):
    window.open(app.url())
    [link] = window.buttons_and_links("Sign in with Google")
    link.click()
    answer_consent_page(button="Continue as this person")(window)
    window.wait(lambda: window.heading == "Keep your guest account")
    window.click("Continue")
    assert app.exchange(window)["user_id"] == app.guest["localId"]


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_the_preview_is_accessible_and_fits(app, window, width, is_dark):
    window.set_screen(width, is_dark)
    sign_in_with_password(app, window)
    assert violations(window) == []
    assert window.evaluate("document.documentElement.scrollWidth") <= width
    assert min(window.heights("button")) >= 44
    page = window.driver.page_source
    assert len(page.encode()) <= 15_000
    assert window.console_messages() == []
