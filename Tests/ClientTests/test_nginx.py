"""An app whose web server is Debian's nginx with the configuration in Deploy/guides/nginx.conf."""

import re

import pytest

import gateway
from firebase_js import MODULES_FOLDER, MODULE_NAMES, requires_firebase_js
from installation import new_database
from web_app import WebApp, answer_consent_page, isolated_browser
from web_server import HOST, allow_domain, nginx
from web_site import WEB_APP_FOLDER

pytestmark = pytest.mark.slow

SDK_PAGE = """<!DOCTYPE html>
<title>App</title>
<link rel="icon" href="data:,">
<h1>App</h1>
<script type="module" src="/sdk.js"></script>
"""


@pytest.fixture(scope="module")
def fresh_dev(tmp_path_factory, dev):
    """A `sekisho dev` that accepts the app's domain, as do its simulators of Apple and Google."""
    options = ["--database-url", new_database(dev.database_url), "--allow-host", HOST]
    with gateway.dev(tmp_path_factory.mktemp("dev"), *options) as running:
        allow_domain(running)
        yield running


@pytest.fixture(scope="module")
def window(fresh_dev, tmp_path_factory):
    """A browser that finds nginx at the app's domain. nginx serves the app with and without the SDK, and the SDK."""
    folder, port = tmp_path_factory.mktemp("nginx"), gateway.free_port()
    pages = folder / "app"
    pages.mkdir()
    for name in ("index.html", "app.js", "sign_in.js", "sdk.js"):
        (pages / name).write_text((WEB_APP_FOLDER / name).read_text())
    (pages / "sdk.html").write_text(SDK_PAGE)
    if all((MODULES_FOLDER / name).is_file() for name in MODULE_NAMES):
        for name in MODULE_NAMES:
            # The Content-Security-Policy of the page allows no import map, so one module imports the other by its path.
            text = (MODULES_FOLDER / name).read_text()
            (pages / name).write_text(re.sub(r"https://www\.gstatic\.com/firebasejs/[\d.]+/", "/", text))
    with isolated_browser(folder, ports={HOST: port}) as (window, certificate):
        with nginx(folder, pages, port, fresh_dev, certificate):
            yield window


@pytest.fixture
def app(window, fresh_dev):
    """The app that sends the messages of Firebase's JavaScript SDK without the SDK."""
    origin = f"https://{HOST}"
    return WebApp(
        window, f"{origin}/index.html", pages=f"{origin}/__/auth", api=f"{origin}/identitytoolkit.googleapis.com",
        apiKey=fresh_dev.api_key).open()


@pytest.fixture
def sdk_app(window, fresh_dev):
    """The app with Firebase's JavaScript SDK. No user is signed in."""
    app = WebApp(window, f"https://{HOST}/sdk.html", apiKey=fresh_dev.api_key).open()
    app.run("await client.currentUserId(); await client.signOut()")
    return app


@pytest.fixture(params=["apple.com", "google.com"])
def provider(request):
    return request.param


def test_a_redirect_signs_in_on_the_origin_of_the_app(app, provider):
    outcome = app.redirect(provider, answer_consent_page())
    assert "value" in outcome, outcome
    assert outcome["value"]["event"]["urlResponse"].startswith(f"https://{HOST}/__/auth/handler?")
    assert outcome["value"]["providerId"] == provider


def test_the_url_of_the_page_and_the_custom_parameters_may_be_long(app):
    """Several URLs and headers contain the URL of the page, because it is part of the OAuth parameter `state`."""
    app.url += "&filler=" + "x" * 1800
    parameters = {"login_hint": "x" * 3000}
    outcome = app.open().redirect("google.com", answer_consent_page(), customParameters=parameters)
    assert "value" in outcome, outcome
    assert app.driver.current_url == app.url


def test_a_popup_signs_in(app, provider):
    outcome = app.popup(provider, answer_consent_page())
    assert outcome["value"]["providerId"] == provider


def test_the_cookies_of_a_sign_in_are_sent_only_to_this_host_and_over_tls(app):
    app.driver.execute_script("void client.redirect('google.com')")
    app.wait(lambda: "simulated" in app.window.heading)
    cookies = app.driver.execute_cdp_cmd("Network.getCookies", {"urls": [f"https://{HOST}/"]})["cookies"]
    assert cookies
    for cookie in cookies:
        assert cookie["name"].startswith("__Host-")
        assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Lax")


def test_the_pages_of_the_app_obey_their_content_security_policy(app):
    # The first call discards the messages of earlier tests.
    app.window.console_messages()
    app.popup("google.com", answer_consent_page())
    assert [message for message in app.window.console_messages() if "Content Security Policy" in message] == []


@requires_firebase_js
def test_the_sdk_signs_in_by_a_redirect(sdk_app, provider):
    outcome = sdk_app.redirect(provider, answer_consent_page())
    assert "value" in outcome, outcome
    assert outcome["value"]["providerId"] == provider
    assert sdk_app.open().run("return client.currentUserId()") == outcome["value"]["localId"]


@requires_firebase_js
def test_the_sdk_signs_in_by_a_popup(sdk_app, provider):
    assert sdk_app.popup(provider, answer_consent_page())["value"]["providerId"] == provider
