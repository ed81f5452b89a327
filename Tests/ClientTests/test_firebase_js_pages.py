"""Popups and redirects of Firebase's JavaScript SDK, unchanged, in Chromium, with `sekisho dev` as its emulator.

`test_browser_sign_in.py` sends the same messages without the SDK.
"""

import pytest

from firebase_js import IMPORT_MAP, requires_sdk, modules
from simulators import fresh_person
from web_app import WebApp, browser_with_gapi, consent
from web_site import files, site

pytestmark = [pytest.mark.slow, requires_sdk]

PAGE = f"""<!DOCTYPE html>
<title>App</title>
<link rel="icon" href="data:,">
{IMPORT_MAP}
<h1>App</h1>
<script type="module" src="/sdk.js"></script>
"""


@pytest.fixture(scope="module")
def page():
    with site(modules() | files("sdk.js") | {"/index.html": ("text/html", PAGE.encode())}) as running:
        yield running


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with browser_with_gapi(tmp_path_factory.mktemp("gapi")) as (window, _):
        yield window


@pytest.fixture(params=["127.0.0.1", "localhost"], ids=["same site", "other site"])
def any_app(request, window, page, dev):
    return opened(window, page, dev, request.param)


@pytest.fixture
def app(window, page, dev):
    return opened(window, page, dev, "127.0.0.1")


def opened(window, page, dev, host):
    app = WebApp(window, f"http://{host}:{page.port}/index.html", emulator=dev.url, apiKey=dev.api_key).open()
    app.run("await client.current(); await client.signOut()")
    return app


@pytest.fixture(params=["apple.com", "google.com"])
def provider(request):
    return request.param


def test_a_popup_signs_in_and_the_user_stays_after_a_reload(any_app, provider):
    outcome = any_app.popup(provider, consent())
    assert "value" in outcome, outcome
    result = outcome["value"]
    assert (result["operation"], result["providerId"], result["isNewUser"]) == ("signIn", provider, True)
    assert result["hasCredential"] is True
    assert any_app.open().run("return client.current()") == result["localId"]
    assert len(any_app.driver.window_handles) == 1


def test_a_popup_links_to_an_anonymous_account(app, provider):
    guest = app.run("return client.anonymous()")
    result = app.popup(provider, consent(), operation="link")["value"]
    assert (result["localId"], result["operation"], result["providers"]) == (guest, "link", [provider])


def test_a_popup_authenticates_the_same_user_again(app, provider):
    person = fresh_person()
    first = app.popup(provider, consent(person))["value"]
    again = app.popup(provider, consent(person), operation="reauth")["value"]
    assert (again["localId"], again["operation"]) == (first["localId"], "reauthenticate")
    assert app.popup(provider, consent(), operation="reauth")["error"] == "auth/user-mismatch"
    assert app.run("return client.current()") == first["localId"]


def test_a_cancelled_popup_is_reported_as_cancelled_by_the_user(any_app, provider):
    assert any_app.popup(provider, consent(button="Cancel"))["error"] == "auth/user-cancelled"


def test_a_redirect_signs_in_and_its_result_is_given_once(app, provider):
    outcome = app.redirect(provider, consent())
    assert "value" in outcome, outcome
    result = outcome["value"]
    assert (result["operation"], result["providerId"], result["isNewUser"]) == ("signIn", provider, True)
    assert app.run("return client.redirectResult()") is None
    assert app.open().run("return client.current()") == result["localId"]


def test_a_redirect_links_to_the_account_that_started_it(app, provider):
    guest = app.run("return client.anonymous()")
    result = app.redirect(provider, consent(), operation="link")["value"]
    assert (result["localId"], result["operation"]) == (guest, "link")


def test_a_cancelled_redirect_is_reported_as_cancelled_and_signs_no_user_in(app, provider):
    assert app.redirect(provider, consent(button="Cancel"))["error"] == "auth/user-cancelled"
    assert app.run("return client.current()") is None
