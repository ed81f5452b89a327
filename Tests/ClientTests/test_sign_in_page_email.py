"""Sign-in and sign-up by email on the sign-in page, in two browsers, with a real SMTP server."""

import base64
import hashlib
import json
import re
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from selenium.webdriver.common.keys import Keys

from accessibility import violations
from browser import browser
from client import fresh_email
from gateway import eventually
from installation import Installation, new_database
from smtp_server import SMTPServer, smtp_server_running

pytestmark = pytest.mark.slow


class App:
    """An app of a `sekisho serve` with email enumeration protection, and the mailboxes of its users."""

    def __init__(self, running, server):
        self.running, self.server = running, server
        self.verifier = secrets.token_urlsafe(48)
        self.target = f"{running.url}/healthz"

    def url(self, **change):
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "app": "default", "continueUri": self.target, "state": "state", "code_challenge": challenge,
            "code_challenge_method": "S256"}
        return f"{self.running.url}/demo/__/auth/signIn?{urlencode(query | change)}"

    def exchange(self, window):
        """Waits for the return to the app, and exchanges its code."""
        window.wait(lambda: window.driver.current_url.startswith(f"{self.target}?code="))
        code = parse_qs(urlsplit(window.driver.current_url).query)["code"][0]
        form = {
            "grant_type": "authorization_code", "code": code, "code_verifier": self.verifier,
            "continue_uri": self.target}
        response = requests.post(
            f"{self.running.url}/v1/token", params={"key": self.running.api_key}, data=form, timeout=30)
        assert response.status_code == 200, response.text
        return response.json()

    def last_email(self, address, count=1):
        """Waits for the `count`-th email to an address, and returns its text, its code and its link."""
        def found():
            received = [email for email in self.server.received if email.recipients == [address]]
            return received[count - 1] if len(received) >= count else None
        assert eventually(found)
        # The email has CRLF, which `$` does not match.
        text = "\n".join(found().part("plain").splitlines())
        code, link = re.search(r"^(\d{6})$", text, re.MULTILINE), re.search(r"^http\S+\?link=\S+$", text, re.MULTILINE)
        return text, code and code.group(1), link and link.group(0)


@pytest.fixture(scope="module")
def serving(folder, dev):
    installation = Installation(folder, new_database(dev.database_url)).with_project()
    path = folder / f"sign-in-by-email-{secrets.token_hex(4)}.json"
    path.write_text(json.dumps({"project": "demo", "authorizedDomains": ["127.0.0.1"]}))
    installation.run_ok(f"projects apply {path}")
    installation.run_ok("projects policy demo --set emailLimit=0")
    server = SMTPServer()
    with smtp_server_running(server) as port, installation.serving(
            SEKISHO_SMTP_URL=f"smtp://127.0.0.1:{port}", SEKISHO_EMAIL_FROM="no-reply@auth.example.com") as running:
        yield running, server


@pytest.fixture
def app(serving):
    return App(*serving)


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def window(request):
    with browser(runs_scripts=request.param) as opened:
        yield opened


def press_until_focused(window, identifier):
    for _ in range(30):
        focused = window.driver.switch_to.active_element
        if focused.get_attribute("id") == identifier:
            return focused
        focused.send_keys(Keys.TAB)
    raise AssertionError(f"the keyboard does not reach {identifier}")


def test_a_new_user_signs_up_with_the_code_by_mouse(app, window):
    address = fresh_email()
    window.open(app.url())
    window.click("Create an account")
    window.element("#address").send_keys(address)
    window.element("#password").send_keys("staple battery horse")
    window.elements("form button")[0].click()
    window.wait(lambda: window.heading == "Check your email")
    text, code, _ = app.last_email(address)
    assert "To create your account" in text
    window.element("#code").send_keys("000000" if code != "000000" else "000001")
    window.click("Continue")
    assert "This code is not correct." in window.text
    window.element("#code").send_keys(code)
    window.elements("form button")[0].click()
    assert app.exchange(window)["isNewUser"] is True


def test_the_owner_of_a_known_address_is_emailed_how_to_sign_in(app, window):
    address = fresh_email()
    for number in (1, 2):
        window.driver.delete_all_cookies()
        window.open(app.url(screen="signUp"))
        window.element("#address").send_keys(address)
        window.element("#password").send_keys("staple battery horse")
        window.elements("form button")[0].click()
        window.wait(lambda: window.heading == "Check your email")
        text, code, link = app.last_email(address, number)
        if number == 1:
            window.element("#code").send_keys(code)
            window.elements("form button")[0].click()
            app.exchange(window)
    assert (code, link) == (None, None)
    assert "Ways to sign in to your account: Password." in text


def test_a_user_signs_in_with_the_code_by_keyboard_alone(app, window):
    address = fresh_email()
    window.open(app.url(screen="emailCode"))
    press_until_focused(window, "address").send_keys(address, Keys.ENTER)
    window.wait(lambda: window.heading == "Check your email")
    _, code, _ = app.last_email(address)
    press_until_focused(window, "code").send_keys(code, Keys.ENTER)
    assert app.exchange(window)["isNewUser"] is True


def test_the_link_works_in_the_first_browser_only(app, window):
    address = fresh_email()
    window.open(app.url())
    window.click("Email me a link or code")
    window.element("#address").send_keys(address)
    window.click("Send the email")
    _, _, link = app.last_email(address)
    with browser() as other:
        other.open(link)
        assert other.heading == "Enter the code on the first device"
        assert other.elements("form[method=post]") == []
        assert violations(other) == []
    window.open(link)
    assert address in window.text
    window.elements("form button")[0].click()
    assert app.exchange(window)["isNewUser"] is True


@pytest.mark.parametrize("width", [320, 1280])
def test_the_screens_are_accessible_and_fit(app, width):
    with browser() as window:
        window.set_screen(width, False)
        window.open(app.url(screen="emailCode"))
        for heading in ["Sign in by email", "Check your email"]:
            window.wait(lambda expected=heading: window.heading == expected)
            assert violations(window) == []
            assert window.evaluate("document.documentElement.scrollWidth") <= width
            assert min(window.heights("button")) >= 44
            if heading == "Sign in by email":
                window.element("#address").send_keys(fresh_email(), Keys.ENTER)
