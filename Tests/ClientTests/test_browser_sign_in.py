"""Sign-in with Apple, Google and a third-party OpenID provider in Chromium.

The app sends the messages of Firebase's JavaScript SDK; `test_firebase_js_pages.py` uses the SDK itself.
"""

import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests

import openid_provider
from client import ADMIN_HEADERS, ok_body
from simulators import fresh_person
from web_app import WebApp, answer_consent_page, isolated_browser, no_provider_page, press_button
from web_site import site, web_app_files

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def app_site():
    """The web server of the app."""
    with site(web_app_files("index.html", "app.js", "sign_in.js")) as running:
        yield running


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with isolated_browser(tmp_path_factory.mktemp("gapi")) as (window, _):
        yield window


@pytest.fixture(scope="module")
def openid(dev, client, tmp_path_factory):
    """A configured third-party provider: its ID and the `Provider`."""
    provider_id = f"oidc.{secrets.token_hex(8)}"
    redirect_uri = f"{dev.url}/__/auth/handler/demo/{provider_id}"
    with openid_provider.running(tmp_path_factory.mktemp("openid"), redirect_uri) as provider:
        config = {"issuer": provider.url, "clientId": openid_provider.CLIENT_ID, "enabled": True}
        ok_body(client.call(
            "createOauthIdpConfig", config, api_key=None, headers=ADMIN_HEADERS,
            params={"oauthIdpConfigId": provider_id}))
        yield provider_id, provider


@pytest.fixture(scope="module", params=["apple.com", "google.com", "oidc"])
def new_person_at_provider(request):
    """A function that returns a pair: the provider's ID, and a function that acts on its page as a new person."""
    if request.param != "oidc":
        return lambda: (request.param, answer_consent_page())
    provider_id, third_party = request.getfixturevalue("openid")

    def new_person():
        third_party.set_user(email=fresh_person()["email"], email_verified=True)
        return provider_id, no_provider_page

    return new_person


@pytest.fixture(params=["127.0.0.1", "localhost"], ids=["same site", "other site"])
def any_app(request, window, app_site, dev):
    """The app, once on the site of the gateway and once on another site."""
    return open_web_app(window, app_site, dev, request.param)


@pytest.fixture
def app(window, app_site, dev):
    """The app on the site of the gateway."""
    return open_web_app(window, app_site, dev, "127.0.0.1")


def open_web_app(window, app_site, dev, host):
    # As with an emulator, the names of Google's hosts are prefixes of the paths.
    return WebApp(
        window, f"http://{host}:{app_site.port}/index.html", pages=dev.url + "/emulator/auth",
        api=dev.url + "/identitytoolkit.googleapis.com", apiKey=dev.api_key).open()


def test_a_popup_signs_in(any_app, new_person_at_provider):
    provider_id, act_on_page = new_person_at_provider()
    outcome = any_app.popup(provider_id, act_on_page)
    assert "value" in outcome, outcome
    result = outcome["value"]
    assert (result["providerId"], result["isNewUser"]) == (provider_id, True)
    assert result["user"]["localId"] == result["localId"]
    assert any_app.driver.execute_script("return client.webStorage") is True
    assert len(any_app.driver.window_handles) == 1


def test_a_popup_signs_in_to_the_same_account_again(app):
    person = fresh_person()
    first = app.popup("apple.com", answer_consent_page(person))["value"]
    again = app.popup("apple.com", answer_consent_page(person))["value"]
    assert (first["localId"], "isNewUser" in again) == (again["localId"], False)


def test_a_popup_links_an_identity_to_an_anonymous_account(app, new_person_at_provider):
    provider_id, act_on_page = new_person_at_provider()
    guest = app.run("return client.post('signUp', {})")
    result = app.popup(provider_id, act_on_page, operation="link", session=guest)["value"]
    assert result["localId"] == guest["localId"]
    assert [linked["providerId"] for linked in result["user"]["providerUserInfo"]] == [provider_id]


def test_a_popup_authenticates_again_and_creates_no_account(app):
    person = fresh_person()
    first = app.popup("google.com", answer_consent_page(person))["value"]
    again = app.popup("google.com", answer_consent_page(person), operation="reauth", session=first)["value"]
    assert again["localId"] == first["localId"]
    outcome = app.popup("google.com", answer_consent_page(), operation="reauth", session=first)
    assert outcome["error"] == "EMAIL_NOT_FOUND", outcome


@pytest.mark.parametrize("provider_id", ["apple.com", "google.com"])
def test_a_cancelled_popup_is_reported_to_the_app(any_app, provider_id):
    outcome = any_app.popup(provider_id, answer_consent_page(button="Cancel"))
    assert outcome["error"] == "auth/user-cancelled"


@pytest.mark.parametrize("fault", ["A code that was already used", "An ID token with another nonce"])
@pytest.mark.parametrize("provider_id", ["apple.com", "google.com"])
def test_an_invalid_response_of_the_provider_is_explained_on_a_page_and_reported_to_the_app(app, provider_id, fault):
    def act_on_page(window):
        answer_consent_page(button=fault)(window)
        window.wait(lambda: "simulated" not in window.heading)
        assert window.heading == "We could not sign you in"
        press_button(window, "Back to the app")

    assert app.popup(provider_id, act_on_page)["error"] == "auth/invalid-credential"


def test_a_redirect_signs_in_and_its_result_is_given_once(app, new_person_at_provider):
    provider_id, act_on_page = new_person_at_provider()
    outcome = app.redirect(provider_id, act_on_page)
    assert "value" in outcome, outcome
    result = outcome["value"]
    assert (result["providerId"], result["isNewUser"]) == (provider_id, True)
    app.open()
    assert app.run("return client.redirectResult()") is None
    assert app.run("return client.firstEvent()")["error"]["code"] == "auth/no-auth-event"


@pytest.mark.parametrize("provider_id", ["apple.com", "google.com"])
def test_a_redirect_links_an_identity_to_the_signed_in_account(app, provider_id):
    guest = app.run("return client.post('signUp', {})")
    result = app.redirect(provider_id, answer_consent_page(), operation="link", session=guest)["value"]
    assert result["localId"] == guest["localId"]


@pytest.mark.parametrize("provider_id", ["apple.com", "google.com"])
def test_a_cancelled_redirect_returns_to_the_app(app, provider_id):
    assert app.redirect(provider_id, answer_consent_page(button="Cancel"))["error"] == "auth/user-cancelled"


def test_a_redirect_has_no_result_for_an_app_on_another_site(window, app_site, dev):
    """Browsers partition storage by site. Such an app needs a proxy for the sign-in pages on its own origin."""
    app = open_web_app(window, app_site, dev, "localhost")
    assert app.redirect("google.com", answer_consent_page()) == {"value": None}


def test_a_page_that_is_not_authorized_gets_no_frame_and_no_sign_in(serve, tmp_path):
    with site(web_app_files("index.html", "app.js", "sign_in.js")) as foreign_site:
        ports = {"elsewhere.example": foreign_site.port}
        with isolated_browser(tmp_path, ports=ports) as (window, _):
            app = WebApp(
                window, "http://elsewhere.example/index.html", pages=serve.url + "/__/auth", api=serve.url,
                apiKey=serve.api_key).open()
            app.start("return client.popup('google.com')")
            assert app.finish()["error"] == "auth/network-request-failed"
            app.driver.execute_script("void client.redirect('google.com')")
            window.wait(lambda: "cannot use this sign-in" in window.heading)


def handler_url(dev, app_site):
    """The URL with which the SDK opens a popup for a page of the app."""
    query = {
        "apiKey": dev.api_key, "appName": "[DEFAULT]", "authType": "signInViaPopup", "eventId": "0123456789",
        "providerId": "google.com", "redirectUrl": app_site.url + "/index.html"}
    return f"{dev.url}/__/auth/handler?{urlencode(query)}"


def test_the_cookie_of_a_sign_in_needs_no_tls_in_dev_mode(app_site, dev):
    started = requests.get(handler_url(dev, app_site), allow_redirects=False, timeout=30)
    name, _, attributes = started.headers["Set-Cookie"].partition("=")
    assert name.startswith("sekisho-flow-")
    assert attributes.split("; ")[1:] == ["Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax"]


def test_sign_ins_in_a_browser_are_counted(app_site, dev):
    def count(event):
        return dev.metric("sekisho_authorization_flows_total", f'event="{event}"')

    before = count("started"), count("rejected")
    started = requests.get(handler_url(dev, app_site), allow_redirects=False, timeout=30)
    state = parse_qs(urlsplit(started.headers["Location"]).query)["state"][0]
    without_cookie = requests.get(dev.url + "/__/auth/handler", params={"state": state, "code": "c"}, timeout=30)
    assert without_cookie.status_code == 400
    assert (count("started"), count("rejected")) == (before[0] + 1, before[1] + 1)


def test_a_foreign_page_that_opens_the_popup_gets_nothing(window, app_site, dev):
    """The foreign page opens the URL that the app would open, and the user consents. Events go only to the gateway."""
    with site() as attacker:
        window.open(f"http://localhost:{attacker.port}/")
        main = window.driver.current_window_handle
        window.driver.execute_script("""
            window.received = [];
            const frame = document.body.appendChild(document.createElement("iframe"));
            for (const target of [window, frame.contentWindow]) {
                target.addEventListener("message", event => received.push(event.data));
            }
            window.open(arguments[0])""", handler_url(dev, app_site))
        try:
            window.wait(lambda: len(window.driver.window_handles) > 1)
            [popup] = [handle for handle in window.driver.window_handles if handle != main]
            window.driver.switch_to.window(popup)
            answer_consent_page()(window)
            window.wait(lambda: "The app does not respond" in window.text)
        finally:
            close_others(window, main)
        assert window.driver.execute_script("return received") == []


def test_a_foreign_window_cannot_post_events_into_the_frame(app, dev):
    # The first event says that there is no result of a redirect. The second call waits for another event.
    app.run("return client.firstEvent()")
    app.start("return client.firstEvent()")
    post = """
        const event = { type: "signInViaRedirect", eventId: null, urlResponse: arguments[0], sessionId: arguments[0] };
        opener.frames[0].postMessage({ key: arguments[1], id: "1", event }, "*")"""
    with site() as attacker:
        # The gateway's own page posts last, and yet its event is the one that the app gets.
        for sender, name in ((attacker.url, "forged"), (dev.url + "/healthz", "own")):
            before = set(app.driver.window_handles)
            app.driver.execute_script("window.open(arguments[0])", sender)
            app.wait(lambda: set(app.driver.window_handles) - before)
            [opened] = set(app.driver.window_handles) - before
            app.driver.switch_to.window(opened)
            app.wait(lambda: app.driver.current_url.startswith(sender))
            app.driver.execute_script(post, name, f"{dev.api_key}:[DEFAULT]")
            app.driver.switch_to.window(app.main_window)
        outcome = app.finish()
        close_others(app.window, app.main_window)
    assert outcome["value"]["sessionId"] == "own"


def close_others(window, main):
    """Closes all windows but `main`."""
    for handle in [handle for handle in window.driver.window_handles if handle != main]:
        window.driver.switch_to.window(handle)
        window.driver.close()
    window.driver.switch_to.window(main)


def test_an_app_signs_in_without_the_sdk(window, client, dev, new_person_at_provider):
    """Plain REST: the app opens the returned URL, and exchanges the URL to which the browser comes back."""
    provider_id, act_on_page = new_person_at_provider()
    with site() as app:
        started = client.call("createAuthUri", {"providerId": provider_id, "continueUri": app.url + "/done?x=1"})
        assert started.status == 200, started.body
        window.open(started.body["authUri"])
        act_on_page(window)
        window.wait(lambda: window.driver.current_url.startswith(app.url))
        [received] = [request for request in app.received if request.path == "/done"]
        assert received.fields["x"] == "1"
        body = {"requestUri": window.driver.current_url, "sessionId": started.body["sessionId"]}
        assert client.call("signInWithIdp", body | {"sessionId": "another"}).status == 400
        result = client.call("signInWithIdp", body).body
        assert (result["providerId"], result["isNewUser"]) == (provider_id, True)
        assert client.lookup(result)["localId"] == result["localId"]
        assert client.call("signInWithIdp", body).status == 400
