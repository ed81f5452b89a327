"""The pages that links in mail open, in a real browser."""

import html
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from selenium.webdriver.common.keys import Keys

from browser import browser
from exchange import PASSWORD, Client, fresh_email

OWNER = {"Authorization": "Bearer owner"}
NEW_PASSWORD = "staple battery horse"


@pytest.fixture
def client(dev, contract):
    return Client(dev, contract)


@pytest.fixture(scope="module", params=[True, False], ids=["with scripts", "without scripts"])
def either(request):
    """A browser with scripts, and one without."""
    with browser(scripts=request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def opened():
    with browser() as opened:
        yield opened


def link(client, request_type, email, **more):
    """As a mail of production would have it; those of dev mode do at once what they are for."""
    wish = {"requestType": request_type, "email": email, "returnOobLink": True} | more
    answer = client.call("sendProjectOobCode", wish, key=None, headers=OWNER)
    assert answer.status == 200, answer.body
    return on_page(client, answer.body["oobLink"])


def on_page(client, url):
    found = urlsplit(url)
    assert found.path == "/emulator/action"
    return client.gateway.url + found._replace(scheme="", netloc="", path="/__/auth/action").geturl()


def merged(client):
    """An account that went into another one, and the link in the mail about it."""
    ada, eve = client.ada(), client.ada()
    [code] = parse_qs(urlsplit(link(client, "VERIFY_EMAIL", ada["email"])).query)["oobCode"]
    assert client.call("update", {"oobCode": code}).status == 200

    def merge(wish):
        answer = client.call("mergeAccounts", wish, key=None, headers=OWNER)
        assert answer.status == 200, answer.body
        return answer.body

    preview = merge({"sourceLocalId": ada["localId"], "localId": eve["localId"], "dryRun": True})
    merge({"mergeToken": preview["mergeToken"]})
    listed = requests.get(f"{client.gateway.url}/emulator/v1/projects/demo/oobCodes", timeout=30).json()["oobCodes"]
    [found] = [entry for entry in listed if entry["email"] == ada["email"]]
    assert found["requestType"] == "UNDO_MERGE"
    return ada, on_page(client, found["oobLink"])


def user(client, ada):
    [found] = client.call("lookup", {"idToken": ada["idToken"]}).body["users"]
    return found


def signed_in(client, email, password):
    return client.call("signInWithPassword", {"email": email, "password": password, "returnSecureToken": True})


def test_the_browser_without_scripts_runs_none():
    page = "data:text/html,<h1>off</h1><script>document.querySelector('h1').textContent = 'on'</script>"
    for scripts, says in ((True, "on"), (False, "off")):
        with browser(scripts=scripts) as opened:
            assert opened.open(page).heading == says


def test_an_address_is_verified_by_pressing_a_button(client, either):
    ada = client.ada()
    url = link(client, "VERIFY_EMAIL", ada["email"])
    for _ in range(2):
        either.open(url)
        assert ada["email"] in either.text
    assert user(client, ada).get("emailVerified", False) is False
    either.press("Confirm this address")
    assert either.heading == "Your address is confirmed"
    assert user(client, ada)["emailVerified"] is True
    assert either.open(url).heading == "This link does not work"


def test_somebody_else_made_the_account(client, either):
    eve = client.ada()
    either.open(link(client, "VERIFY_EMAIL", eve["email"])).press("This was not me")
    assert either.heading == "Thank you for telling us"
    assert client.call("lookup", {"idToken": eve["idToken"]}).code == "TOKEN_EXPIRED"
    assert signed_in(client, eve["email"], PASSWORD).code == "EMAIL_NOT_FOUND"


def test_a_password_is_reset(client, either):
    ada = client.ada()
    either.open(link(client, "PASSWORD_RESET", ada["email"], continueUrl="http://localhost/welcome"))
    assert either.one("[autocomplete=username]").get_attribute("value") == ada["email"]
    either.one("#password").send_keys(NEW_PASSWORD)
    either.press("Save the password")
    assert either.heading == "Your password is changed"
    assert either.one("a").get_attribute("href") == "http://localhost/welcome"
    assert signed_in(client, ada["email"], PASSWORD).code == "INVALID_PASSWORD"
    assert signed_in(client, ada["email"], NEW_PASSWORD).status == 200


def test_a_password_that_is_too_short_is_asked_for_again(client, either):
    ada = client.ada()
    either.open(link(client, "PASSWORD_RESET", ada["email"])).one("#password").send_keys("short")
    assert either.all("#password:invalid"), "the browser itself would hold it back"
    either.driver.execute_script("document.querySelector('form').noValidate = true")
    either.press("Save the password")
    assert "At least" in either.one("[role=alert]").text
    password = either.one("#password")
    assert password == either.driver.switch_to.active_element
    assert password.get_attribute("value") == ""
    assert password.get_attribute("aria-describedby").split()[0] == either.one("[role=alert]").get_attribute("id")
    password.send_keys(NEW_PASSWORD)
    either.press("Save the password")
    assert either.heading == "Your password is changed"


def test_an_address_is_changed(client, either):
    ada, new = client.ada(), fresh_email()
    either.open(link(client, "VERIFY_AND_CHANGE_EMAIL", ada["email"], newEmail=new))
    assert new in either.text and ada["email"] in either.text
    either.press("Use the new address")
    assert either.heading == "Your address is changed"
    assert signed_in(client, new, PASSWORD).status == 200


def linked(client, provider, tokens, device="Phone of Eve"):
    proof = json.dumps({"sub": fresh_email(), "email": "eve@example.com", "email_verified": True})
    answer = client.call("signInWithIdp", {
        "postBody": urlencode({"id_token": proof, "providerId": provider}), "requestUri": "http://localhost",
        "idToken": tokens["idToken"]}, headers={"User-Agent": device})
    assert answer.status == 200, answer.body
    return answer.body


@pytest.fixture
def proven(client):
    """Of somebody whose address is proven."""
    ada = client.ada()
    code = parse_qs(urlsplit(link(client, "VERIFY_EMAIL", ada["email"])).query)["oobCode"][0]
    assert client.call("update", {"oobCode": code}).status == 200
    return ada


def removal_link(dev, email):
    """From the notice in the mailbox."""
    listed = requests.get(f"{dev.url}/emulator/mail", timeout=30).text
    rows = [row for row in listed.split("<tr>") if email in row and "notice.identity-linked" in row]
    letter = re.search(r'href="(/emulator/mail/[^"]+)"', rows[0])[1]
    text = html.unescape(requests.get(dev.url + letter, timeout=30).text)
    return re.search(r"^(http\S+mode=removeSignInMethod\S+)$", text, re.MULTILINE)[1]


def test_a_way_to_sign_in_that_somebody_else_added_is_removed(client, dev, proven, either):
    stolen = linked(client, "google.com", proven)
    url = removal_link(dev, proven["email"])
    assert urlsplit(url).path == "/__/auth/action", "whatever the other links of dev mode do"
    for _ in range(2):
        either.open(url)
        assert either.heading == "Remove a way to sign in"
        for text in ("Google", "Phone of Eve", proven["email"]):
            assert text in either.text
    assert client.call("lookup", {"idToken": stolen["idToken"]}).status == 200
    either.press("Remove it")
    assert either.heading == "Set a new password"
    assert "Removed: " in either.one("[role=status]").text
    assert client.call("lookup", {"idToken": stolen["idToken"]}).code == "TOKEN_EXPIRED"
    either.one("#password").send_keys(NEW_PASSWORD)
    either.press("Save the password")
    assert either.heading == "Your password is changed"
    answer = signed_in(client, proven["email"], NEW_PASSWORD)
    assert [info["providerId"] for info in user(client, answer.body)["providerUserInfo"]] == ["password"]
    assert either.open(url).heading == "This link does not work"


def recovery_code(dev, email):
    listed = requests.get(f"{dev.url}/emulator/v1/projects/demo/oobCodes", timeout=30).json()["oobCodes"]
    [code] = [code for code in listed if code["email"] == email and code["requestType"] == "RECOVER_EMAIL"]
    return code["oobCode"]


def test_going_back_to_an_address_removes_what_is_ticked_too(client, dev, proven, either):
    stolen = linked(client, "google.com", proven)
    stolen = linked(client, "apple.com", stolen)
    changed = client.call("update", {"idToken": stolen["idToken"], "email": fresh_email()})
    assert changed.status == 200, changed.body
    either.open(f"{dev.url}/__/auth/action?lang=en&oobCode={recovery_code(dev, proven['email'])}")
    boxes = {either.one(f"label[for={box.get_attribute('id')}]").text: box for box in either.all("[type=checkbox]")}
    assert sorted(boxes) == ["Apple", "Google"] and not any(box.is_selected() for box in boxes.values())
    assert "Phone of Eve" in either.one("fieldset").text
    either.one(f"label[for={boxes['Google'].get_attribute('id')}]").click()
    assert boxes["Google"].is_selected()
    either.press("Go back to this address")
    assert either.heading == "Set a new password"
    [found] = client.call("lookupAccounts", {"email": [proven["email"]]}, key=None, headers=OWNER).body["users"]
    assert {info["providerId"] for info in found["providerUserInfo"]} == {"password", "apple.com"}
    either.one("#password").send_keys(NEW_PASSWORD)
    either.press("Save the password")
    assert signed_in(client, proven["email"], NEW_PASSWORD).status == 200


def test_a_merge_is_undone_and_a_new_password_set(client, either):
    ada, url = merged(client)
    for _ in range(2):
        assert either.open(url).heading == "Get your account back"
        assert ada["email"] in either.text
    assert signed_in(client, ada["email"], PASSWORD).code == "EMAIL_NOT_FOUND"
    either.press("Undo the merge")
    assert either.heading == "Set a new password"
    assert either.one("[autocomplete=username]").get_attribute("value") == ada["email"]
    either.one("#password").send_keys(NEW_PASSWORD)
    either.press("Save the password")
    assert either.heading == "Your password is changed"
    assert signed_in(client, ada["email"], NEW_PASSWORD).body["localId"] == ada["localId"]
    assert either.open(url).heading == "This link does not work"


@contextmanager
def app():
    """An app's own site: where it is, and what was asked of it."""
    asked = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, dict(self.headers)))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!DOCTYPE html><title>App</title><h1>Welcome</h1>")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}/in?from=mail", asked
        finally:
            server.shutdown()
            thread.join()


def test_a_sign_in_link_leads_into_the_app_and_names_no_page_on_the_way(client, either):
    ada = client.ada()
    with app() as (site, asked):
        either.open(link(client, "EMAIL_SIGNIN", ada["email"], continueUrl=site)).press("Continue in the app")
        assert either.heading == "Welcome"
        path, headers = asked[0]
    query = parse_qs(urlsplit(path).query)
    assert query["from"] == ["mail"] and query["mode"] == ["signIn"]
    assert "Referer" not in headers
    answer = client.call("signInWithEmailLink", {"email": ada["email"], "oobCode": query["oobCode"][0]})
    assert answer.body["localId"] == ada["localId"]


def test_a_sign_in_link_leads_nowhere_else(client, either):
    url = link(client, "EMAIL_SIGNIN", client.ada()["email"])
    either.open(url + "&continueUrl=https%3A%2F%2Flocalhost%40evil.example%2F")
    assert either.all("a") == []
    assert "on the device where the app is" in either.text


def test_a_page_asks_nobody_for_anything_and_keeps_its_own_rules(client, opened):
    opened.complaints()
    for url in (link(client, "VERIFY_EMAIL", client.ada()["email"]), client.gateway.url + "/__/auth/forgotPassword"):
        opened.driver.get_log("performance")
        opened.open(url)
        assert opened.complaints() == []
        assert opened.style("main", "max-width") == "448px", "the stylesheet is let in by the page's policy"
        sent = [json.loads(entry["message"])["message"] for entry in opened.driver.get_log("performance")]
        asked = [one["params"]["request"]["url"] for one in sent if one["method"] == "Network.requestWillBeSent"]
        assert asked == [url]


@pytest.mark.parametrize("language, heading", [("ja,en", "パスワードの再設定"), ("fr,en", "Reset your password")])
def test_a_page_is_in_the_language_of_the_browser(dev, language, heading):
    with browser(language=language) as opened:
        assert opened.open(dev.url + "/__/auth/forgotPassword").heading == heading
        assert opened.open(dev.url + "/__/auth/forgotPassword?lang=en").heading == "Reset your password"


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_a_page_fits_every_screen(client, dev, opened, proven, language, dark, width):
    ada = proven
    linked(client, "google.com", ada, device="Mozilla/5.0 (" + "Eve" * 40 + ")")
    urls = [
        link(client, "VERIFY_EMAIL", ada["email"]), link(client, "PASSWORD_RESET", ada["email"]),
        link(client, "VERIFY_AND_CHANGE_EMAIL", ada["email"], newEmail="n" * 64 + "@example.com"),
        link(client, "EMAIL_SIGNIN", ada["email"]), merged(client)[1], client.gateway.url + "/__/auth/action?",
        removal_link(dev, ada["email"]),
        client.gateway.url + "/__/auth/forgotPassword?",
    ]
    opened.screen(width, dark)
    for url in urls:
        opened.open(url.replace("lang=en", "") + f"&lang={language}")
        assert opened.ask("document.documentElement.lang") == language
        assert opened.ask("document.documentElement.scrollWidth") <= width
        assert all(button.size["height"] >= 44 for button in opened.all("button, a"))
    assert opened.style("main", "background-color") == ("rgba(29, 31, 36, 1)" if dark else "rgba(255, 255, 255, 1)")


def test_a_page_is_walked_through_with_the_keyboard(client, opened):
    opened.open(link(client, "PASSWORD_RESET", client.ada()["email"]))
    order = []
    for _ in range(3):
        opened.driver.switch_to.active_element.send_keys(Keys.TAB)
        focused = opened.driver.switch_to.active_element
        order.append(focused.get_attribute("id") or focused.text)
        assert opened.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert order == ["address", "password", "Save the password"]


def test_those_who_forgot_their_password_are_told_the_same_whoever_they_are(client, dev, opened):
    texts = set()
    for email in (client.ada()["email"], fresh_email()):
        opened.open(dev.url + "/.well-known/change-password")
        assert opened.driver.current_url == dev.url + "/__/auth/forgotPassword"
        opened.one("#address").send_keys(email)
        opened.press("Send the mail")
        assert opened.heading == "Look into your mailbox"
        texts.add(opened.text.replace(email, ""))
    assert len(texts) == 1


def test_no_other_page_may_frame_a_page_or_read_it(client, opened):
    url = link(client, "VERIFY_EMAIL", client.ada()["email"])
    response = requests.get(url, headers={"Origin": "https://evil.example"}, timeout=30)
    assert not [name for name in response.headers if name.lower().startswith("access-control-")]
    opened.open(f"data:text/html,<h1>Elsewhere</h1><iframe src='{url.replace('&', '%26')}'></iframe>")
    assert opened.all("iframe")
    opened.driver.switch_to.frame(opened.one("iframe"))
    assert opened.all("form") == []
    opened.driver.switch_to.default_content()


def test_a_production_installation_has_the_pages_too(serve):
    for path in ("/__/auth/forgotPassword", f"/{serve.project}/__/auth/forgotPassword"):
        response = requests.get(serve.url + path, timeout=30)
        assert (response.status_code, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert requests.get(serve.url + "/nobody/__/auth/forgotPassword", timeout=30).status_code == 404
    assert requests.head(serve.url + "/__/auth/action", timeout=30).status_code == 400
