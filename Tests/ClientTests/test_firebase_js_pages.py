"""Popups and redirects of Firebase's JavaScript SDK, unchanged, in Chromium, with `sekisho dev` as its emulator.

`test_browser_sign_in.py` sends the same messages without the SDK.
"""

import pytest

from firebase_js import IMPORT_MAP, firebase_modules, requires_firebase_js
from simulators import fresh_person
from web_app import WebApp, answer_consent_page, isolated_browser
from web_site import site, web_app_files

pytestmark = [pytest.mark.slow, requires_firebase_js]

PAGE = f"""<!DOCTYPE html>
<title>App</title>
<link rel="icon" href="data:,">
{IMPORT_MAP}
<h1>App</h1>
<script type="module" src="/sdk.js"></script>
"""


@pytest.fixture(scope="module")
def app_site():
    """The site that serves the app: its page, `web_app/sdk.js` and the SDK."""
    with site(firebase_modules() | web_app_files("sdk.js") | {"/index.html": ("text/html", PAGE.encode())}) as running:
        yield running


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with isolated_browser(tmp_path_factory.mktemp("gapi")) as (window, _):
        yield window


@pytest.fixture(params=["127.0.0.1", "localhost"], ids=["same site", "other site"])
def app_on_any_site(request, window, app_site, dev):
    """The app on the host of the gateway, 127.0.0.1, and on another host. For a browser, these are different sites."""
    return open_app(window, app_site, dev, request.param)


@pytest.fixture
def app(window, app_site, dev):
    return open_app(window, app_site, dev, "127.0.0.1")


def open_app(window, app_site, dev, host):
    """Opens the app and signs the user out."""
    app = WebApp(window, f"http://{host}:{app_site.port}/index.html", emulator=dev.url, apiKey=dev.api_key).open()
    app.run("await client.currentUserId(); await client.signOut()")
    return app


@pytest.fixture(params=["apple.com", "google.com"])
def provider(request):
    return request.param


def test_a_popup_signs_in_and_the_user_stays_signed_in_after_a_reload(app_on_any_site, provider):
    outcome = app_on_any_site.popup(provider, answer_consent_page())
    assert "value" in outcome, outcome
    result = outcome["value"]
    assert (result["operation"], result["providerId"], result["isNewUser"]) == ("signIn", provider, True)
    assert result["hasCredential"] is True
    assert app_on_any_site.open().run("return client.currentUserId()") == result["localId"]
    assert len(app_on_any_site.driver.window_handles) == 1


def test_a_popup_links_an_identity_to_an_anonymous_account(app, provider):
    anonymous_id = app.run("return client.signInAnonymously()")
    result = app.popup(provider, answer_consent_page(), operation="link")["value"]
    assert (result["localId"], result["operation"], result["providers"]) == (anonymous_id, "link", [provider])


def test_a_popup_authenticates_the_same_user_again(app, provider):
    person = fresh_person()
    first = app.popup(provider, answer_consent_page(person))["value"]
    again = app.popup(provider, answer_consent_page(person), operation="reauth")["value"]
    assert (again["localId"], again["operation"]) == (first["localId"], "reauthenticate")
    assert app.popup(provider, answer_consent_page(), operation="reauth")["error"] == "auth/user-mismatch"
    assert app.run("return client.currentUserId()") == first["localId"]


def test_a_cancelled_popup_is_reported_as_cancelled_by_the_user(app_on_any_site, provider):
    assert app_on_any_site.popup(provider, answer_consent_page(button="Cancel"))["error"] == "auth/user-cancelled"


def test_a_redirect_signs_in_and_its_result_is_returned_once(app, provider):
    outcome = app.redirect(provider, answer_consent_page())
    assert "value" in outcome, outcome
    result = outcome["value"]
    assert (result["operation"], result["providerId"], result["isNewUser"]) == ("signIn", provider, True)
    assert app.run("return client.redirectResult()") is None
    assert app.open().run("return client.currentUserId()") == result["localId"]


def test_a_redirect_links_an_identity_to_the_signed_in_account(app, provider):
    anonymous_id = app.run("return client.signInAnonymously()")
    result = app.redirect(provider, answer_consent_page(), operation="link")["value"]
    assert (result["localId"], result["operation"]) == (anonymous_id, "link")


def test_a_cancelled_redirect_is_reported_as_cancelled_and_signs_no_user_in(app, provider):
    assert app.redirect(provider, answer_consent_page(button="Cancel"))["error"] == "auth/user-cancelled"
    assert app.run("return client.currentUserId()") is None
