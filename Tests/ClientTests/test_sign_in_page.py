"""The sign-in page: its forms over HTTP, and its flows in Chromium by mouse and keyboard, wide and narrow."""

import base64
import hashlib
import re
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import html5lib
import pytest
import requests
from selenium.webdriver.common.keys import Keys

import gateway
from accessibility import violations
from browser import browser
from client import PASSWORD, fresh_email
from installation import new_database
from web_app import answer_consent_page

pytestmark = pytest.mark.slow
STATE = "state of the app"
# Between links on one line of the footer.
SMALLEST_GAP_OF_LINKS = """Math.min(99, ...[...document.querySelectorAll("footer.links :is(a,button)")].flatMap((link, index, all) => {
    const [own, next] = [link, all[index + 1] ?? link].map(found => found.getBoundingClientRect());
    return next.top === own.top && next.left > own.left ? [next.left - own.right] : [];
}))"""


class App:
    """An app that opens the sign-in page and exchanges the code."""

    def __init__(self, running):
        self.running = running
        self.verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        self.challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        self.target = f"{running.url}/healthz"

    def url(self, **change):
        query = {
            "app": "default", "continueUri": self.target, "state": STATE.replace(" ", "-"),
            "code_challenge": self.challenge, "code_challenge_method": "S256"}
        return f"{self.running.url}/demo/__/auth/signIn?{urlencode(query | change)}"

    def exchange(self, result):
        query = parse_qs(urlsplit(result).query)
        assert query["state"] == [STATE.replace(" ", "-")]
        form = {
            "grant_type": "authorization_code", "code": query["code"][0], "code_verifier": self.verifier,
            "continue_uri": self.target}
        response = requests.post(f"{self.running.url}/v1/token?key=any", data=form, timeout=30)
        assert response.status_code == 200, response.text
        return response.json()


@pytest.fixture(scope="module")
def own_dev(dev, folder):
    path = folder / "sign-in-page"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        yield running


@pytest.fixture
def app(own_dev):
    return App(own_dev)


@pytest.fixture
def email(own_dev):
    """The address of a new account."""
    address = fresh_email()
    body = {"email": address, "password": PASSWORD}
    requests.post(f"{own_dev.url}/v1/accounts:signUp?key=any", json=body, timeout=30).raise_for_status()
    return address


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def window(request):
    with browser(runs_scripts=request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def scripted_window():
    """A browser that runs scripts, which axe-core needs."""
    with browser() as opened:
        yield opened


def test_every_screen_is_valid_html_and_small(app):
    for change in [{}, {"screen": "signUp"}, {"screen": "reset"}, {"app": "unknown"}]:
        page = requests.get(app.url(**change), timeout=30)
        html5lib.HTMLParser(strict=True).parse(page.text)
        assert len(page.content) <= 15_000, change


def test_a_form_without_fetch_metadata_or_origin_is_rejected(app, email):
    session = requests.Session()
    page = session.get(app.url(), timeout=30).text
    form = next(text for text in re.findall("<form.*?</form>", page, re.DOTALL) if 'value="signIn"' in text)
    fields = dict(re.findall('type="hidden" name="([^"]*)" value="([^"]*)"', form))
    url = f"{app.running.url}/demo/__/auth/signIn"
    rejected = session.post(url, data=fields | {"email": email, "password": PASSWORD}, timeout=30)
    assert (rejected.status_code, rejected.history) == (400, [])


def test_a_user_signs_in_by_mouse_and_the_page_returns_to_the_app(app, email, window):
    window.open(app.url())
    window.element("#address").send_keys(email)
    window.element("#password").send_keys("wrong")
    window.click("Sign in")
    assert "The email address or the password is not correct." in window.text
    assert window.driver.title.startswith("Error: ")
    assert window.element("#address").get_attribute("value") == email
    window.element("#password").send_keys(PASSWORD)
    window.element("#password").send_keys(Keys.ENTER)
    window.wait(lambda: window.driver.current_url.startswith(app.target))
    assert app.exchange(window.driver.current_url)["isNewUser"] is False
    window.open(app.url())
    assert f"Continue as {email}" in window.text
    [button] = window.buttons_and_links(f"Continue as {email}")
    button.click()
    window.wait(lambda: window.driver.current_url.startswith(app.target))
    app.exchange(window.driver.current_url)


def test_a_user_signs_in_by_keyboard_alone(app, email, window):
    window.open(app.url())
    for _ in range(20):
        if window.driver.switch_to.active_element.get_attribute("id") == "address":
            break
        window.driver.switch_to.active_element.send_keys(Keys.TAB)
    window.driver.switch_to.active_element.send_keys(email, Keys.TAB)
    window.driver.switch_to.active_element.send_keys(PASSWORD, Keys.ENTER)
    window.wait(lambda: window.driver.current_url.startswith(app.target))
    app.exchange(window.driver.current_url)


def test_a_new_user_signs_up_or_continues_as_a_guest(app, window):
    window.open(app.url())
    window.click("Create an account")
    window.element("#address").send_keys(fresh_email())
    window.element("#password").send_keys("staple battery horse")
    window.elements("form button")[0].click()
    window.wait(lambda: window.driver.current_url.startswith(app.target))
    assert app.exchange(window.driver.current_url)["isNewUser"] is True


@pytest.mark.parametrize("provider", ["Apple", "Google"])
def test_a_user_signs_in_at_a_provider_after_a_first_attempt_was_cancelled(app, scripted_window, provider):
    window = scripted_window.open(app.url())
    for button in ["Cancel", "Continue as this person"]:
        [link] = window.buttons_and_links(f"Sign in with {provider}")
        link.click()
        answer_consent_page(button=button)(window)
        if button == "Cancel":
            window.wait(lambda: "You cancelled the sign-in." in window.text)
    window.wait(lambda: window.driver.current_url.startswith(app.target))
    assert app.exchange(window.driver.current_url)["isNewUser"] is True
    window.driver.delete_all_cookies()


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_the_screens_are_accessible_and_fit(app, scripted_window, width, is_dark):
    window = scripted_window
    window.set_screen(width, is_dark)
    for change in [{}, {"screen": "signUp"}, {"screen": "reset"}]:
        window.open(app.url(**change))
        assert violations(window) == []
        assert window.evaluate("document.documentElement.scrollWidth") <= width
        assert min(window.heights("button, .provider")) >= 44
        assert window.evaluate(SMALLEST_GAP_OF_LINKS) >= 16
    assert window.console_messages() == []
