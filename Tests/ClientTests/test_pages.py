"""The pages behind the links in emails, in Chromium."""

import json
import re
from urllib.parse import urlencode, urlsplit

import pytest
import requests
from selenium.webdriver.common.keys import Keys

from browser import browser
from client import ADMIN_HEADERS, PASSWORD, fresh_email, ok_body
from web_site import site

pytestmark = pytest.mark.slow
NEW_PASSWORD = "staple battery horse"


@pytest.fixture(scope="module", params=[True, False], ids=["with scripts", "without scripts"])
def any_browser(request):
    """A browser with JavaScript, and one without."""
    with browser(runs_scripts=request.param) as window:
        yield window


@pytest.fixture(scope="module")
def window():
    """A browser with JavaScript, whose requests are recorded."""
    with browser(records_requests=True) as window:
        yield window


def action_page_url(client, request_type, email, **more):
    """Creates an email action code, and returns the URL of its page: the link that an email of `serve` contains.

    The link that `dev` returns acts at once, without a page. `more` are further members of the request.
    """
    return page_url_of_link(client, client.create_action_code(request_type, email, **more)["oobLink"])


def page_url_of_link(client, url):
    """Returns the URL of the page for an action link of `dev`, which acts without a page."""
    found = urlsplit(url)
    assert found.path == "/emulator/action"
    return client.gateway.url + found._replace(scheme="", netloc="", path="/__/auth/action").geturl()


def merge_accounts(client):
    """Merges a new account into another. Returns a session of the merged account and the URL of the page to undo it."""
    ada, eve = create_verified_account(client), client.new_account()

    def merge(body):
        return ok_body(client.call("mergeAccounts", body, api_key=None, headers=ADMIN_HEADERS))

    preview = merge({"sourceLocalId": ada["localId"], "localId": eve["localId"], "dryRun": True})
    merge({"mergeToken": preview["mergeToken"]})
    [code] = client.gateway.action_codes(ada["email"])
    assert code["requestType"] == "UNDO_MERGE"
    return ada, page_url_of_link(client, code["oobLink"])


def sign_in(client, email, password):
    return client.call("signInWithPassword", {"email": email, "password": password, "returnSecureToken": True})


def test_the_browser_without_scripts_runs_no_scripts():
    page = "data:text/html,<h1>off</h1><script>document.querySelector('h1').textContent = 'on'</script>"
    for runs_scripts, heading in ((True, "on"), (False, "off")):
        with browser(runs_scripts=runs_scripts) as window:
            assert window.open(page).heading == heading


def test_an_email_address_is_verified_by_clicking_a_button(client, any_browser):
    ada = client.new_account()
    url = action_page_url(client, "VERIFY_EMAIL", ada["email"])
    # Opening the page does not use up the code.
    for _ in range(2):
        any_browser.open(url)
        assert ada["email"] in any_browser.text
    assert client.lookup(ada).get("emailVerified", False) is False
    any_browser.click("Confirm this address")
    assert any_browser.heading == "Your email address is confirmed"
    assert client.lookup(ada)["emailVerified"] is True
    assert any_browser.open(url).heading == "This link does not work"


def test_the_owner_of_an_address_disavows_an_account(client, any_browser):
    eve = client.new_account()
    any_browser.open(action_page_url(client, "VERIFY_EMAIL", eve["email"])).click("This was not me")
    assert any_browser.heading == "Thank you for telling us"
    assert client.call("lookUpOwnAccount", {"idToken": eve["idToken"]}).code == "TOKEN_EXPIRED"
    assert sign_in(client, eve["email"], PASSWORD).code == "EMAIL_NOT_FOUND"


def test_a_password_is_reset(client, any_browser):
    ada = client.new_account()
    any_browser.open(action_page_url(client, "PASSWORD_RESET", ada["email"], continueUrl="http://localhost/welcome"))
    assert any_browser.element("[autocomplete=username]").get_attribute("value") == ada["email"]
    any_browser.element("#password").send_keys(NEW_PASSWORD)
    any_browser.click("Save the password")
    assert any_browser.heading == "Your password has been changed"
    assert any_browser.element("main a").get_attribute("href") == "http://localhost/welcome"
    assert sign_in(client, ada["email"], PASSWORD).code == "INVALID_PASSWORD"
    assert sign_in(client, ada["email"], NEW_PASSWORD).status == 200


def test_a_short_password_is_rejected_with_an_error_on_the_page(client, any_browser):
    ada = client.new_account()
    any_browser.open(action_page_url(client, "PASSWORD_RESET", ada["email"])).element("#password").send_keys("short")
    assert any_browser.elements("#password:invalid"), "the browser validates the length"
    any_browser.driver.execute_script("document.querySelector('form').noValidate = true")
    any_browser.click("Save the password")
    assert "At least" in any_browser.element("[role=alert]").text
    assert any_browser.driver.title.startswith("Error: ")
    assert any_browser.element("[role=alert]") == any_browser.driver.switch_to.active_element
    any_browser.driver.switch_to.active_element.send_keys(Keys.TAB, Keys.ENTER)
    password = any_browser.element("#password")
    assert any_browser.driver.current_url.endswith("#password")
    assert password.get_attribute("value") == ""
    description = password.get_attribute("aria-describedby").split()[0]
    assert description == any_browser.element("[role=alert]").get_attribute("id")
    password.send_keys(NEW_PASSWORD)
    any_browser.click("Save the password")
    assert any_browser.heading == "Your password has been changed"


def test_an_email_address_is_changed(client, any_browser):
    ada, new = client.new_account(), fresh_email()
    any_browser.open(action_page_url(client, "VERIFY_AND_CHANGE_EMAIL", ada["email"], newEmail=new))
    assert new in any_browser.text and ada["email"] in any_browser.text
    any_browser.click("Use the new address")
    assert any_browser.heading == "Your email address has been changed"
    assert sign_in(client, new, PASSWORD).status == 200


def link_identity(client, provider, session, device="Eve (iPhone17,1; iOS 19.0)"):
    """Links a new identity to the account of a session, and returns the response, which has new tokens.

    The credential is JSON with claims, which only `dev` accepts.
    """
    proof = json.dumps({"sub": fresh_email(), "email": "eve@example.com", "email_verified": True})
    return ok_body(client.call("signInWithIdp", {
        "postBody": urlencode({"id_token": proof, "providerId": provider}), "requestUri": "http://localhost",
        "idToken": session["idToken"]}, headers={"User-Agent": device}))


@pytest.fixture
def verified_account(client):
    """A session of an account with a verified email address."""
    return create_verified_account(client)


def create_verified_account(client):
    ada = client.new_account()
    code = client.create_action_code("VERIFY_EMAIL", ada["email"])["oobCode"]
    assert client.call("updateOwnAccount", {"oobCode": code}).status == 200
    return ada


def removal_link(dev, email):
    """Returns the link that removes an identity. It is in the email that reports the linking of the identity."""
    listed = requests.get(f"{dev.url}/emulator/v1/projects/demo/emails", timeout=30).json()["emails"]
    [text] = [found["text"] for found in listed if (found["to"], found["kind"]) == (email, "notice.identity-linked")][-1:]
    return re.search(r"^(http\S+mode=removeSignInMethod\S+)$", text, re.MULTILINE)[1]


def test_a_sign_in_method_added_by_an_attacker_is_removed(client, dev, verified_account, any_browser):
    attacker_session = link_identity(client, "google.com", verified_account)
    url = removal_link(dev, verified_account["email"])
    assert urlsplit(url).path == "/__/auth/action", "unlike other links of dev, it opens the page"
    for _ in range(2):
        any_browser.open(url)
        assert any_browser.heading == "Remove a way to sign in"
        for text in ("Google", "App on iPhone", verified_account["email"]):
            assert text in any_browser.text
    assert client.call("lookUpOwnAccount", {"idToken": attacker_session["idToken"]}).status == 200
    any_browser.click("Remove it")
    assert any_browser.heading == "Set a new password"
    assert "Removed: " in any_browser.element("[role=status]").text
    assert client.call("lookUpOwnAccount", {"idToken": attacker_session["idToken"]}).code == "TOKEN_EXPIRED"
    any_browser.element("#password").send_keys(NEW_PASSWORD)
    any_browser.click("Save the password")
    assert any_browser.heading == "Your password has been changed"
    response = sign_in(client, verified_account["email"], NEW_PASSWORD)
    assert [info["providerId"] for info in client.lookup(response.body)["providerUserInfo"]] == ["password"]
    assert any_browser.open(url).heading == "This link does not work"


def test_restoring_an_email_address_also_removes_the_selected_sign_in_methods(
        client, dev, verified_account, any_browser):
    attacker_session = link_identity(client, "google.com", verified_account)
    attacker_session = link_identity(client, "apple.com", attacker_session)
    changed = client.call("updateOwnAccount", {"idToken": attacker_session["idToken"], "email": fresh_email()})
    assert changed.status == 200, changed.body
    [code] = dev.action_codes(verified_account["email"], "RECOVER_EMAIL")
    any_browser.open(f"{dev.url}/__/auth/action?lang=en&oobCode={code['oobCode']}")
    boxes = {
        any_browser.element(f"label[for={box.get_attribute('id')}]").text: box
        for box in any_browser.elements("[type=checkbox]")}
    assert sorted(boxes) == ["Apple", "Google"] and not any(box.is_selected() for box in boxes.values())
    assert "App on iPhone" in any_browser.element("fieldset").text
    any_browser.element(f"label[for={boxes['Google'].get_attribute('id')}]").click()
    assert boxes["Google"].is_selected()
    any_browser.click("Restore this address")
    assert any_browser.heading == "Set a new password"
    [found] = client.call(
        "lookUpAccounts", {"email": [verified_account["email"]]}, api_key=None, headers=ADMIN_HEADERS).body["users"]
    assert {info["providerId"] for info in found["providerUserInfo"]} == {"password", "apple.com"}
    any_browser.element("#password").send_keys(NEW_PASSWORD)
    any_browser.click("Save the password")
    assert sign_in(client, verified_account["email"], NEW_PASSWORD).status == 200


def test_a_merge_is_undone_and_a_new_password_is_set(client, any_browser):
    ada, url = merge_accounts(client)
    for _ in range(2):
        assert any_browser.open(url).heading == "Get your account back"
        assert ada["email"] in any_browser.text
    assert sign_in(client, ada["email"], PASSWORD).code == "EMAIL_NOT_FOUND"
    any_browser.click("Undo the merge")
    assert any_browser.heading == "Set a new password"
    assert any_browser.element("[autocomplete=username]").get_attribute("value") == ada["email"]
    any_browser.element("#password").send_keys(NEW_PASSWORD)
    any_browser.click("Save the password")
    assert any_browser.heading == "Your password has been changed"
    assert sign_in(client, ada["email"], NEW_PASSWORD).body["localId"] == ada["localId"]
    assert any_browser.open(url).heading == "This link does not work"


def test_a_sign_in_link_opens_the_app_without_a_referrer(client, any_browser):
    ada = client.new_account()
    with site() as app:
        url = f"http://localhost:{app.port}/in?from=email"
        page_url = action_page_url(client, "EMAIL_SIGNIN", ada["email"], continueUrl=url)
        any_browser.open(page_url).click("Continue in the app")
        assert any_browser.heading == "Welcome"
        received = app.received[0]
    assert (received.fields["from"], received.fields["mode"]) == ("email", "signIn")
    assert "Referer" not in received.headers
    response = client.call("signInWithEmailLink", {"email": ada["email"], "oobCode": received.fields["oobCode"]})
    assert response.body["localId"] == ada["localId"]


def test_a_sign_in_link_does_not_open_other_sites(client, any_browser):
    url = action_page_url(client, "EMAIL_SIGNIN", client.new_account()["email"])
    any_browser.open(url + "&continueUrl=https%3A%2F%2Flocalhost%40evil.example%2F")
    assert any_browser.elements("main a") == []
    assert "on the device that has the app" in any_browser.text


def test_a_page_loads_no_other_resource_and_obeys_its_content_security_policy(client, window):
    # Each call of `console_messages` and `requested_urls` discards what happened before.
    window.console_messages()
    action_page = action_page_url(client, "VERIFY_EMAIL", client.new_account()["email"])
    for url in (action_page, client.gateway.url + "/__/auth/forgotPassword"):
        window.requested_urls()
        window.open(url)
        assert window.console_messages() == []
        assert window.style("main", "max-width") == "448px", "the policy of the page allows its stylesheet"
        assert window.requested_urls() == [url]


@pytest.mark.parametrize("language, heading", [
    ("ja,en", "パスワードの再設定"), ("nl,en", "Reset your password")], ids=["supported", "unsupported"])
def test_a_page_is_in_the_language_of_the_browser_unless_its_url_names_one(dev, language, heading):
    with browser(language=language) as window:
        assert window.open(dev.url + "/__/auth/forgotPassword").heading == heading
        assert window.open(dev.url + "/__/auth/forgotPassword?lang=en").heading == "Reset your password"


@pytest.fixture(scope="module")
def every_page(client, dev):
    """The URLs of pages of every kind except the recovery page. A GET request does not use up the code of a page.

    Every URL has a query, to which the test appends a language. One address is long, because long words could make a
    page too wide.
    """
    ada = create_verified_account(client)
    link_identity(client, "google.com", ada)
    return [
        action_page_url(client, "VERIFY_EMAIL", ada["email"]), action_page_url(client, "PASSWORD_RESET", ada["email"]),
        action_page_url(client, "VERIFY_AND_CHANGE_EMAIL", ada["email"], newEmail="n" * 64 + "@example.com"),
        action_page_url(client, "EMAIL_SIGNIN", ada["email"]), merge_accounts(client)[1],
        client.gateway.url + "/__/auth/action?",
        removal_link(dev, ada["email"]),
        client.gateway.url + "/__/auth/forgotPassword?",
    ]


@pytest.mark.parametrize("language", ["en", "ja", "ar", "en-XA"])
@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_a_page_fits_narrow_and_wide_screens(every_page, window, language, is_dark, width):
    window.set_screen(width, is_dark)
    for url in every_page:
        window.open(url.replace("lang=en", "") + f"&lang={language}")
        # A request that names no project gets no pseudo-locale.
        expected = "en" if language == "en-XA" and url.endswith("/action?") else language
        assert window.evaluate("document.documentElement.lang") == expected
        assert window.evaluate("document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")
        assert window.evaluate("document.documentElement.scrollWidth") <= width
        # WCAG 2.5.5: a target is at least 44 CSS pixels high.
        assert all(height >= 44 for height in window.heights("button, a"))
    assert window.style("main", "background-color") == ("rgba(29, 31, 36, 1)" if is_dark else "rgba(255, 255, 255, 1)")


def test_a_page_can_be_used_with_the_keyboard(client, window):
    window.open(action_page_url(client, "PASSWORD_RESET", client.new_account()["email"]))
    order = []
    for _ in range(4):
        window.driver.switch_to.active_element.send_keys(Keys.TAB)
        focused = window.driver.switch_to.active_element
        order.append(focused.get_attribute("id") or focused.text)
        assert window.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert order == ["Skip to the content", "address", "password", "Save the password"]


def test_the_forgot_password_page_does_not_disclose_whether_an_account_exists(client, dev, window):
    texts = set()
    for email in (client.new_account()["email"], fresh_email()):
        window.open(dev.url + "/.well-known/change-password")
        assert window.driver.current_url == dev.url + "/__/auth/forgotPassword"
        window.element("#address").send_keys(email)
        window.click("Send the email")
        assert window.heading == "Check your email"
        texts.add(window.text.replace(email, ""))
    assert len(texts) == 1


def test_other_origins_can_neither_frame_nor_read_a_page(client, window):
    url = action_page_url(client, "VERIFY_EMAIL", client.new_account()["email"])
    response = requests.get(url, headers={"Origin": "https://evil.example"}, timeout=30)
    assert not [name for name in response.headers if name.lower().startswith("access-control-")]
    window.open(f"data:text/html,<h1>Elsewhere</h1><iframe src='{url.replace('&', '%26')}'></iframe>")
    assert window.elements("iframe")
    window.driver.switch_to.frame(window.element("iframe"))
    assert window.elements("form") == []
    window.driver.switch_to.default_content()


def test_serve_has_the_pages_too(serve):
    for path in ("/__/auth/forgotPassword", f"/{serve.project}/__/auth/forgotPassword"):
        response = requests.get(serve.url + path, timeout=30)
        assert (response.status_code, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert requests.get(serve.url + "/unknown/__/auth/forgotPassword", timeout=30).status_code == 404
    assert requests.head(serve.url + "/__/auth/action", timeout=30).status_code == 400
