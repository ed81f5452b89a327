"""Passkeys on the sign-in page, in Chromium with its virtual authenticator, by mouse and keyboard."""

import html5lib
import pytest
import requests
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

import gateway
from accessibility import violations
from browser import browser
from client import PASSWORD, fresh_email, unverified_claims
from installation import new_database
from test_sign_in_page import App

pytestmark = pytest.mark.slow

CREATE = """
const [options, done] = arguments;
navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)})
  .then(created => done(created.toJSON()), error => done({error: `${error.name}: ${error.message}`}));
"""


class LocalApp(App):
    """An app whose sign-in page has the origin of the RP ID `localhost`."""

    def __init__(self, running):
        super().__init__(running)
        self.origin = f"http://localhost:{running.url.rpartition(':')[2]}"
        self.target = f"{self.origin}/healthz"

    def url(self, **change):
        return super().url(**change).replace(self.running.url, self.origin, 1)

    def post(self, operation, body):
        response = requests.post(f"{self.running.url}/{operation}?key=any", json=body, timeout=30)
        assert response.status_code == 200, response.text
        return response.json()


@pytest.fixture(scope="module")
def app(dev, folder):
    path = folder / "sign-in-page-passkeys"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        yield LocalApp(running)


# The headless shell has no list of passkeys: it chooses one as soon as a page would offer the list.
WITHOUT_LIST = "PublicKeyCredential.isConditionalMediationAvailable = async () => false;"


@pytest.fixture
def window(request):
    """A browser with an authenticator that verifies its user. With the parameter `True`, the page offers the list."""
    with browser() as opened:
        if not getattr(request, "param", False):
            opened.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WITHOUT_LIST})
        options = VirtualAuthenticatorOptions()
        options.protocol, options.transport = "ctap2", "internal"
        options.has_resident_key = options.has_user_verification = options.is_user_verified = True
        opened.driver.add_virtual_authenticator(options)
        opened.driver.set_script_timeout(30)
        yield opened


@pytest.fixture
def passkey(app, window):
    """The ID of an account whose passkey the browser has."""
    account = app.post("v1/accounts:signUp", {"email": fresh_email(), "password": PASSWORD, "returnSecureToken": True})
    started = app.post("v2/accounts/passkeyEnrollment:start", {"idToken": account["idToken"]})
    window.open(f"{app.origin}/healthz")
    created = window.driver.execute_async_script(CREATE, started["credentialCreationOptions"])
    assert "error" not in created, created
    app.post("v2/accounts/passkeyEnrollment:finalize", {
        "idToken": account["idToken"], "authenticatorRegistrationResponse": created})
    return account["localId"]


def return_to_app(app, window):
    window.wait(lambda: window.driver.current_url.startswith(app.target))
    return app.exchange(window.driver.current_url)


@pytest.mark.parametrize("language", ["en", "de", "ja", "ar"])
def test_the_page_is_small_and_valid(app, language):
    page = requests.get(app.url(hl=language), timeout=30)
    html5lib.HTMLParser(strict=True).parse(page.text)
    assert "data-passkey" in page.text
    assert len(page.content) <= 15_000


def test_a_user_signs_in_with_a_passkey_by_mouse(app, window, passkey):
    window.open(app.url(prompt="login"))
    window.wait(lambda: window.buttons_and_links("Sign in with a passkey"))
    assert violations(window) == []
    [button] = window.buttons_and_links("Sign in with a passkey")
    button.click()
    session = return_to_app(app, window)
    assert session["user_id"] == passkey
    assert unverified_claims(session["id_token"])["firebase"]["sign_in_provider"] == "passkey"
    assert window.console_messages() == []


@pytest.mark.parametrize("window", [True], indirect=True)
def test_a_user_chooses_a_passkey_from_the_list_of_the_browser(app, window, passkey):
    window.open(app.url(prompt="login"))
    assert return_to_app(app, window)["user_id"] == passkey


def test_a_user_signs_in_with_a_passkey_by_keyboard(app, window, passkey):
    window.open(app.url(prompt="login"))
    window.wait(lambda: window.buttons_and_links("Sign in with a passkey"))
    for _ in range(20):
        if window.driver.switch_to.active_element.text == "Sign in with a passkey":
            break
        window.driver.switch_to.active_element.send_keys(Keys.TAB)
    window.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert return_to_app(app, window)["user_id"] == passkey


def test_a_user_without_a_passkey_learns_that_none_was_used_and_signs_in_another_way(app, window):
    email = fresh_email()
    app.post("v1/accounts:signUp", {"email": email, "password": PASSWORD})
    window.open(app.url())
    window.wait(lambda: window.buttons_and_links("Sign in with a passkey"))
    [button] = window.buttons_and_links("Sign in with a passkey")
    button.click()
    window.wait(lambda: "No passkey was used." in window.element("[role=status]").text)
    window.element("#address").send_keys(email)
    window.element("#password").send_keys(PASSWORD, Keys.ENTER)
    window.wait(lambda: not window.elements("#password"))


def test_a_browser_without_scripts_shows_no_passkeys(app):
    with browser(runs_scripts=False) as window:
        window.open(app.url())
        assert window.buttons_and_links("Sign in with a passkey") == []
        assert window.element("#password").is_displayed()


def sign_in_by_password(app, window):
    email = fresh_email()
    account = app.post("v1/accounts:signUp", {"email": email, "password": PASSWORD, "returnSecureToken": True})
    window.open(app.url(prompt="login"))
    window.wait(lambda: window.buttons_and_links("Sign in with a passkey"))
    window.element("#address").send_keys(email)
    window.element("#password").send_keys(PASSWORD, Keys.ENTER)
    window.wait(lambda: window.heading == "Sign in without a password next time?")
    return account["localId"]


def test_after_a_password_a_user_creates_a_passkey_and_then_signs_in_with_it(app, window):
    account = sign_in_by_password(app, window)
    window.wait(lambda: window.buttons_and_links("Create a passkey"))
    assert violations(window) == []
    [button] = window.buttons_and_links("Create a passkey")
    button.click()
    assert return_to_app(app, window)["user_id"] == account
    window.open(app.url(prompt="login"))
    window.wait(lambda: window.buttons_and_links("Sign in with a passkey"))
    [button] = window.buttons_and_links("Sign in with a passkey")
    button.click()
    assert return_to_app(app, window)["user_id"] == account


def test_not_now_returns_to_the_app(app, window):
    account = sign_in_by_password(app, window)
    window.driver.switch_to.active_element.send_keys(Keys.TAB)
    [button] = window.buttons_and_links("Not now")
    button.send_keys(Keys.ENTER)
    assert return_to_app(app, window)["user_id"] == account


# Records what the pages tell the browser about passkeys, besides telling it.
RECORDED_SIGNALS = """
for (const name of ["signalAllAcceptedCredentials", "signalUnknownCredential"]) {
  const real = PublicKeyCredential[name];
  PublicKeyCredential[name] = async options => {
    (window.signals ||= []).push([name, options]);
    if (real) return real.call(PublicKeyCredential, options);
  };
}
"""


def test_a_removed_and_an_unknown_passkey_are_signalled_to_the_browser(app, window):
    window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": RECORDED_SIGNALS})
    sign_in_by_password(app, window)
    window.wait(lambda: window.buttons_and_links("Create a passkey"))
    [button] = window.buttons_and_links("Create a passkey")
    button.click()
    return_to_app(app, window)
    [created] = window.driver.get_credentials()
    window.open(f"{app.origin}/demo/__/auth/account/methods")
    links = [link for link in window.buttons_and_links("Remove") if "Passkey" in link.get_attribute("aria-label")]
    links[0].click()
    window.wait(lambda: window.heading.startswith("Remove"))
    window.click("Remove")
    [[name, told]] = window.wait(lambda: window.evaluate("window.signals"))
    assert name == "signalAllAcceptedCredentials"
    assert told["rpId"] == "localhost" and told["allAcceptedCredentialIds"] == []
    assert told["userId"] == created.user_handle.rstrip("=")
    assert window.console_messages() == []
    # The authenticator of the test keeps the passkey if it ignores signals.
    if not window.driver.get_credentials():
        return
    window.open(app.url(prompt="login"))
    window.wait(lambda: window.buttons_and_links("Sign in with a passkey"))
    [button] = window.buttons_and_links("Sign in with a passkey")
    button.click()
    window.wait(lambda: "No account has this passkey." in window.text)
    [[name, told]] = window.wait(lambda: window.evaluate("window.signals"))
    assert name == "signalUnknownCredential" and told["rpId"] == "localhost"


def test_a_user_adds_renames_and_removes_a_passkey_on_the_account_page(app, window):
    sign_in_by_password(app, window)
    [button] = window.buttons_and_links("Not now")
    button.click()
    return_to_app(app, window)
    window.open(f"{app.origin}/demo/__/auth/account/methods")
    window.click("Add a passkey")
    window.wait(lambda: window.buttons_and_links("Create a passkey"))
    assert "This browser does not support passkeys." not in window.text
    assert violations(window) == []
    [button] = window.buttons_and_links("Create a passkey")
    button.click()
    window.wait(lambda: "Your passkey was added." in window.text)
    window.click("Rename")
    window.element("#name").clear()
    window.element("#name").send_keys("Laptop", Keys.ENTER)
    window.wait(lambda: "The passkey was renamed." in window.text)
    assert "Laptop" in window.text
    links = [link for link in window.buttons_and_links("Remove") if "Passkey" in link.get_attribute("aria-label")]
    links[0].click()
    window.wait(lambda: window.heading.startswith("Remove"))
    [button] = window.buttons_and_links("Remove")
    button.click()
    window.wait(lambda: "Laptop" not in window.text and window.heading == "Ways to sign in")
