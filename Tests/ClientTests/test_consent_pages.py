"""The consent pages of the simulated Apple and Google in `sekisho dev`, in Chromium."""

import base64
import hashlib
import json
import secrets
import time
from urllib.parse import urlencode

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec
from selenium.webdriver.common.keys import Keys

from browser import browser
from client import ADMIN_HEADERS, unverified_claims
from simulators import fresh_person
from web_site import site

pytestmark = pytest.mark.slow

# The values with which `sekisho dev` configures its projects.
APPLE_CLIENT, APPLE_TEAM = "com.example.web", "DEVTEAM123"
GOOGLE_CLIENT = "demo.apps.googleusercontent.com"
# The verifier and the challenge of PKCE (RFC 7636).
VERIFIER = "a verifier that is at least forty-three characters long"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


@pytest.fixture(scope="module")
def app_site():
    """The web site to which the providers return."""
    with site() as running:
        yield running


class Provider:
    """A simulated provider, with the requests that the web site sends to it."""

    def __init__(self, base, callback):
        self.base, self.callback = base, callback

    def url(self, **changed):
        """The URL of the consent page; `changed` are query parameters to add or replace."""
        return f"{self.base}{self.path}?{urlencode(self.query() | changed)}"

    def claims(self, fields):
        """Redeems the code of a response, and returns the claims of the ID token."""
        response = requests.post(self.base + self.token_path, timeout=30, data=self.client_credentials() | {
            "grant_type": "authorization_code", "code": fields["code"], "redirect_uri": self.callback})
        assert response.status_code == 200, response.text
        return unverified_claims(response.json()["id_token"])


class Apple(Provider):
    path, token_path = "/auth/authorize", "/auth/token"
    cancellation = "user_cancelled_authorize"

    def query(self):
        return {
            "client_id": APPLE_CLIENT, "redirect_uri": self.callback, "response_type": "code id_token",
            "response_mode": "form_post", "scope": "name email", "state": "a state", "nonce": "a nonce"}

    def client_credentials(self):
        now = int(time.time())
        claims = {
            "iss": APPLE_TEAM, "sub": APPLE_CLIENT, "aud": "https://appleid.apple.com", "iat": now, "exp": now + 300}
        # In `dev`, the simulator accepts a secret with any signature.
        secret = jwt.encode(claims, ec.generate_private_key(ec.SECP256R1()), algorithm="ES256", headers={"kid": "K"})
        return {"client_id": APPLE_CLIENT, "client_secret": secret}


class Google(Provider):
    path, token_path = "/o/oauth2/v2/auth", "/token"
    cancellation = "access_denied"

    def query(self):
        return {
            "client_id": GOOGLE_CLIENT, "redirect_uri": self.callback, "response_type": "code",
            "scope": "openid email profile", "state": "a state", "nonce": "a nonce", "code_challenge": CHALLENGE,
            "code_challenge_method": "S256"}

    def client_credentials(self):
        return {"client_id": GOOGLE_CLIENT, "code_verifier": VERIFIER}


@pytest.fixture(scope="module")
def apple(simulators, app_site):
    return Apple(simulators.url("apple"), app_site.url + "/callback")


@pytest.fixture(scope="module")
def google(simulators, app_site):
    return Google(simulators.url("google"), app_site.url + "/callback")


@pytest.fixture(scope="module", params=["apple", "google"])
def provider(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module", params=[True, False], ids=["with scripts", "without scripts"])
def any_browser(request):
    """A browser that runs scripts, and one that does not."""
    with browser(runs_scripts=request.param) as window:
        window.runs_scripts = request.param
        yield window


@pytest.fixture(scope="module")
def window():
    with browser(records_requests=True) as window:
        yield window


def click_and_receive(window, app_site, button):
    """Clicks a button of the consent page, and returns the request that the web site then receives at its callback."""
    before = len(app_site.received)
    window.click(button)
    if not app_site.received[before:]:
        # Without scripts, Apple's response is a form that the person submits.
        assert not getattr(window, "runs_scripts", True)
        window.click("Continue to the app")
    # The heading of the web site's page.
    assert window.heading == "Welcome"
    [received] = [request for request in app_site.received[before:] if request.path == "/callback"]
    assert received.fields["state"] == "a state"
    return received


def fill_in(window, **fields):
    """Types texts into fields of the page, by the IDs of the fields."""
    for name, text in fields.items():
        window.element(f"#{name}").send_keys(text)


def test_a_person_of_an_earlier_sign_in_can_be_chosen(simulators, app_site, provider, any_browser):
    person = fresh_person() | {"givenName": secrets.token_hex(4)}
    name = "apple.com" if isinstance(provider, Apple) else "google.com"
    known = unverified_claims(simulators.sign_in(name, person)["idToken"])
    any_browser.open(provider.url())
    received = click_and_receive(any_browser, app_site, f"{person['givenName']} Lovelace")
    claims = provider.claims(received.fields)
    assert (claims["email"], claims["nonce"]) == (person["email"], "a nonce")
    assert claims["sub"] == known["sub"]


def test_a_person_entered_on_the_page_can_be_chosen_later(app_site, provider, any_browser):
    person, name = fresh_person(), secrets.token_hex(4)
    any_browser.open(provider.url())
    fill_in(any_browser, givenName=name, familyName="Antonelli", email=person["email"])
    claims = provider.claims(click_and_receive(any_browser, app_site, "Continue as this person").fields)
    assert claims["email"] == person["email"]
    any_browser.open(provider.url())
    assert provider.claims(click_and_receive(any_browser, app_site, f"{name} Antonelli").fields)["sub"] == claims["sub"]


def test_apple_posts_the_name_once_and_remembers_that_the_person_hides_the_address(app_site, apple, any_browser):
    person, name = fresh_person(), secrets.token_hex(4)
    any_browser.open(apple.url())
    fill_in(any_browser, givenName=name, familyName="Hidden", email=person["email"])
    any_browser.element("#hidesEmailOfNew").click()
    first = click_and_receive(any_browser, app_site, "Continue as this person")
    assert first.method == "POST" and first.headers["Origin"] == apple.base
    email = apple.claims(first.fields)["email"]
    assert email.endswith("@privaterelay.appleid.com")
    user = json.loads(first.fields["user"])
    assert user == {"name": {"firstName": name, "lastName": "Hidden"}, "email": email}
    any_browser.open(apple.url())
    assert "hides the address" in any_browser.text
    again = click_and_receive(any_browser, app_site, f"{name} Hidden")
    assert "user" not in again.fields
    assert apple.claims(again.fields)["email"] == email


def test_google_redirects_with_its_issuer(app_site, google, window):
    window.open(google.url())
    # The simulated Google offers this person from the start.
    received = click_and_receive(window, app_site, "Mary Somerville")
    assert received.method == "GET"
    assert received.fields["iss"] == "https://accounts.google.com"


def test_a_cancelled_consent_returns_the_error_of_the_provider(app_site, provider, any_browser):
    any_browser.open(provider.url())
    fields = click_and_receive(any_browser, app_site, "Cancel").fields
    assert fields == {"error": provider.cancellation, "state": "a state"}


def test_the_page_can_return_an_id_token_with_another_nonce(app_site, provider, window):
    window.open(provider.url())
    window.element("summary").click()
    fields = click_and_receive(window, app_site, "An ID token with another nonce").fields
    assert provider.claims(fields)["nonce"] != "a nonce"


def test_an_invalid_address_is_rejected_with_an_error_on_the_page(provider, window):
    window.open(provider.url())
    fill_in(window, givenName="Kay", email="kay")
    assert window.elements("#email:invalid"), "the browser validates the address"
    # Without the validation of the browser, the server has to validate the address.
    window.driver.execute_script("document.querySelectorAll('form').forEach(form => form.noValidate = true)")
    window.click("Continue as this person")
    assert "not a valid email address" in window.element("[role=alert]").text
    assert window.element("#email") == window.driver.switch_to.active_element
    assert window.element("#email").get_attribute("aria-describedby") == (
        window.element("[role=alert]").get_attribute("id"))
    assert window.element("#givenName").get_attribute("value") == "Kay"


def test_the_parameter_simulated_person_skips_the_page(provider):
    response = requests.get(provider.url(simulated_person="skip@example.com"), allow_redirects=False, timeout=30)
    assert response.status_code == (200 if isinstance(provider, Apple) else 303)
    assert "code" in (response.text + response.headers.get("Location", ""))


@pytest.mark.parametrize("changed, code", [
    ({"client_id": "com.example.stranger"}, "invalid_client"),
    ({"redirect_uri": "https://elsewhere.example.com/"}, "redirect_uri_mismatch"),
    ({"redirect_uri": "http://127.0.0.1.example.com/"}, "redirect_uri_mismatch")])
def test_a_request_with_a_wrong_client_id_or_redirect_uri_is_rejected_on_a_page(provider, window, changed, code):
    if isinstance(provider, Apple):
        code = code.replace("redirect_uri_mismatch", "unauthorized_client")
    window.open(provider.url(**changed))
    assert "rejects this request" in window.heading and code in window.text
    assert window.elements("form, a") == []


def test_an_added_redirect_uri_is_accepted_until_the_simulators_are_reset(simulators, provider):
    name = "apple" if isinstance(provider, Apple) else "google"
    url = provider.url(redirect_uri="https://app.example.com/__/auth/handler")
    assert requests.get(url, timeout=30).status_code == 400
    simulators.configure(**{name: {"redirectUris": ["https://app.example.com/__/auth/handler"]}})
    assert requests.get(url, timeout=30).status_code == 200
    simulators.configure(reset=True)
    assert requests.get(url, timeout=30).status_code == 400


def test_a_client_id_is_accepted_after_a_project_has_configured_it(dev, google):
    url = google.url(client_id="added.apps.googleusercontent.com")
    assert "No project has the client ID" in requests.get(url, timeout=30).text
    config = f"{dev.url}/v2/projects/with-added-client/defaultSupportedIdpConfigs/google.com?updateMask=clientIds"
    change = {"clientIds": ["added.apps.googleusercontent.com"]}
    requests.patch(config, json=change, headers=ADMIN_HEADERS, timeout=30).raise_for_status()
    # The next request that names the project registers its client IDs with the simulator.
    requests.get(config, headers=ADMIN_HEADERS, timeout=30).raise_for_status()
    assert requests.get(url, timeout=30).status_code == 200


@pytest.mark.parametrize("language, button", [("ja,en", "キャンセル"), ("fr,en", "Cancel")])
def test_a_page_is_in_the_language_of_the_browser(provider, language, button):
    with browser(language=language) as window:
        window.open(provider.url())
        assert button in window.text


@pytest.fixture(scope="module", params=["en", "ja"])
def language(request):
    return request.param


@pytest.fixture(scope="module")
def window_in_language(language):
    with browser(language=language) as window:
        yield window


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_a_page_fits_narrow_and_wide_screens(window_in_language, provider, language, is_dark):
    window = window_in_language
    for width in (320, 500, 1280):
        window.set_screen(width, is_dark)
        for url in (provider.url(), provider.url(client_id="x" * 60)):
            window.open(url)
            assert window.evaluate("document.documentElement.lang") == language
            assert window.evaluate("document.documentElement.scrollWidth") <= width
            # 44 CSS pixels: the target size of WCAG 2.1, 2.5.5.
            assert all(height >= 44 for height in window.heights("form > button, .person, summary"))
    assert window.style("main", "background-color") == (
        "rgba(27, 32, 31, 1)" if is_dark else "rgba(255, 255, 255, 1)")


def test_a_page_can_be_used_with_the_keyboard(app_site, apple, window):
    window.open(apple.url())
    fields = ["hidesEmailOfChosen", *window.driver.execute_script(
        "return [...document.querySelectorAll('.person')].map(button => button.innerText)"),
        "givenName", "familyName", "email", "hidesEmailOfNew", "Continue as this person", "Cancel",
        "Test an error"]
    order = []
    for _ in fields:
        window.driver.switch_to.active_element.send_keys(Keys.TAB)
        focused = window.driver.switch_to.active_element
        order.append(focused.get_attribute("id") or focused.text)
        assert window.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert order == fields
    person = fresh_person()
    fill_in(window, givenName="Enter", familyName="Pressed", email=person["email"])
    before = len(app_site.received)
    window.element("#email").send_keys(Keys.ENTER)
    window.driver.implicitly_wait(30)
    assert window.heading == "Welcome"
    window.driver.implicitly_wait(0)
    [received] = app_site.received[before:]
    assert apple.claims(received.fields)["email"] == person["email"]


def test_a_page_loads_nothing_else_and_obeys_its_content_security_policy(provider, window):
    # These calls discard what the pages of earlier tests caused.
    window.console_messages()
    window.requested_urls()
    window.open(provider.url())
    assert window.console_messages() == []
    assert window.style("main", "max-width") == "480px", "the policy of the page allows its stylesheet"
    assert window.requested_urls() == [provider.url()]
