"""The code in Deploy/guides/sign-in-page.md signs users in as printed; only the ports of the two servers change."""

import json
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest
import requests
from selenium.webdriver.common.keys import Keys

import gateway
from browser import browser
from client import ADMIN_HEADERS, PASSWORD, fresh_email
from documents import GUIDES, code_block, replaced
from installation import new_database
from simulators import fresh_person
from web_app import answer_consent_page
from web_site import site

pytestmark = pytest.mark.slow
GUIDE = GUIDES / "sign-in-page.md"
WEB, SERVER = "A web page", "A site rendered on a server"
ACCOUNT, PASSWORDS = "Guests, links and repeated sign-ins", "Passwords and second factors"


@pytest.fixture(scope="module")
def own_dev(dev, folder):
    path = folder / "sign-in-page-guide"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        yield running


@pytest.fixture(scope="module")
def window():
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def web_page(own_dev):
    """The URL of the web page of the guide."""
    functions = replaced(code_block(GUIDE, WEB, 2), "http://127.0.0.1:9099", own_dev.url)
    files = {
        "/": ("text/html", code_block(GUIDE, WEB, 0)), "/app.js": ("text/javascript", code_block(GUIDE, WEB, 1)),
        "/sign-in.js": ("text/javascript", functions),
        "/account.html": ("text/html", code_block(GUIDE, ACCOUNT, 0)),
        "/account.js": ("text/javascript", code_block(GUIDE, ACCOUNT, 1))}
    files = {path: (media_type, text.encode()) for path, (media_type, text) in files.items()}
    with site(files) as running:
        yield f"{running.url}/"


@contextmanager
def server_running(own_dev, folder, name, change=lambda text: text):
    """Runs the server of the guide, and yields its URL."""
    port = gateway.free_port()
    text = replaced(code_block(GUIDE, SERVER), "http://127.0.0.1:9099", own_dev.url)
    file = folder / f"{name}.py"
    file.write_text(change(replaced(text, "127.0.0.1:8000", f"127.0.0.1:{port}")))
    url, log = f"http://127.0.0.1:{port}", folder / f"{name}.log"
    with log.open("w") as output:
        process = subprocess.Popen([sys.executable, file], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        gateway.wait_for(lambda: gateway.has_status_200(url), process, log)
        yield url
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def server(own_dev, folder):
    with server_running(own_dev, folder, "server") as url:
        yield url


@pytest.fixture(scope="module")
def checking_server(own_dev, folder):
    """The server of the guide, which asks the gateway at each request whether the session has ended."""
    def change(text):
        return replaced(text, "CHECK_AFTER = 300", "CHECK_AFTER = 0")
    with server_running(own_dev, folder, "checking_server", change) as url:
        yield url


@contextmanager
def without_cookies(window):
    yield window
    window.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})


@contextmanager
def new_tab(window):
    first = window.driver.current_window_handle
    window.driver.switch_to.new_window("tab")
    try:
        yield
    finally:
        window.driver.close()
        window.driver.switch_to.window(first)


def post(own_dev, operation, **body):
    response = requests.post(f"{own_dev.url}/v1/{operation}?key=any", json=body, timeout=30)
    assert response.ok, response.text
    return response.json() if response.content else None


def sign_up(own_dev):
    """Creates an account, and returns its address and ID."""
    email = fresh_email()
    return email, post(own_dev, "accounts:signUp", email=email, password=PASSWORD)["localId"]


def id_token(own_dev, email):
    """An ID token of another session of the user."""
    return post(own_dev, "accounts:signInWithPassword", email=email, password=PASSWORD)["idToken"]


def last_email(own_dev, address):
    """The link and the code of the last email to the address."""
    def received():
        emails = requests.get(f"{own_dev.url}/emulator/v1/projects/demo/emails", timeout=30).json()["emails"]
        return [email for email in emails if email["to"] == address]
    assert gateway.eventually(received)
    email = received()[-1]
    [link] = [link for link in email["links"] if "signIn?link=" in link]
    return link, re.search(r"^(\d{6})\r?$", email["text"], re.MULTILINE)[1]


def sign_in_on_the_page(window, own_dev, email):
    window.wait(lambda: window.driver.current_url.startswith(own_dev.url))
    window.element("#address").send_keys(email)
    window.element("#password").send_keys(PASSWORD)
    window.element("#password").send_keys(Keys.ENTER)


def cancel_on_the_page(window, own_dev):
    window.wait(lambda: window.driver.current_url.startswith(own_dev.url))
    [link] = window.buttons_and_links("Cancel")
    link.click()


def start(window, url, label="Sign in"):
    window.open(url)
    [button] = window.buttons_and_links(label)
    button.click()


def output_of(window, page):
    """What the script of a web page has written."""
    return window.wait(lambda: window.driver.current_url == page and (
        text := window.element("pre").text) != "not signed in" and text)


def test_the_web_page_signs_in_and_tells_that_the_user_cancelled(own_dev, window, web_page):
    email, user = sign_up(own_dev)
    with without_cookies(window):
        start(window, web_page)
        cancel_on_the_page(window, own_dev)
        assert output_of(window, web_page) == "access_denied"
        start(window, web_page)
        sign_in_on_the_page(window, own_dev, email)
        assert output_of(window, web_page) == f"{user} is back"


def test_the_web_page_rejects_the_result_of_another_sign_in(window, web_page):
    with without_cookies(window):
        window.open(f"{web_page}?state=another&iss=https://securetoken.google.com/demo&code=stolen")
        assert output_of(window, web_page) == "not our sign-in"


def test_the_link_of_an_email_signs_in_to_the_web_page_in_a_new_tab(own_dev, window, web_page):
    address = fresh_email()
    with without_cookies(window):
        start(window, web_page)
        window.wait(lambda: window.buttons_and_links("Email me a link or code"))
        window.click("Email me a link or code")
        window.element("#address").send_keys(address)
        window.click("Send the email")
        assert window.heading == "Check your email"
        link, code = last_email(own_dev, address)
        with new_tab(window):
            window.open(link)
            window.click("Continue")
            assert output_of(window, web_page).endswith(" is new")
        window.element("#code").send_keys(code)
        window.click("Continue")
        assert window.heading == "This sign-in is already finished"


def test_two_tabs_sign_in_to_the_web_page(own_dev, window, web_page):
    email, user = sign_up(own_dev)
    with without_cookies(window):
        start(window, web_page)
        window.wait(lambda: window.elements("#address"))
        with new_tab(window):
            start(window, web_page)
            sign_in_on_the_page(window, own_dev, email)
            assert output_of(window, web_page) == f"{user} is back"
        sign_in_on_the_page(window, own_dev, email)
        assert output_of(window, web_page) == f"{user} is back"
        assert window.evaluate("localStorage.signIns") == "[]"


def test_the_web_page_keeps_ten_sign_ins_for_an_hour(own_dev, window, web_page):
    def states():
        return [entry["state"] for entry in json.loads(window.evaluate("localStorage.signIns"))]

    with without_cookies(window):
        for _ in range(11):
            start(window, web_page)
            window.wait(lambda: window.elements("#address"))
        window.open(web_page)
        kept = states()
        assert len(set(kept)) == 10
        iss = "iss=https://securetoken.google.com/demo"
        window.open(f"{web_page}?state={kept[0]}&{iss}&error=access_denied")
        assert output_of(window, web_page) == "access_denied"
        assert states() == kept[1:]
        window.evaluate("""localStorage.setItem("signIns", JSON.stringify(JSON.parse(localStorage.signIns).map(
            entry => ({...entry, end: entry.end - 3_600_000}))))""")
        window.open(f"{web_page}?state={kept[1]}&{iss}&error=access_denied")
        assert output_of(window, web_page) == "not our sign-in"
        assert states() == []


def test_the_server_signs_in_and_tells_that_the_user_cancelled(own_dev, window, server):
    email, user = sign_up(own_dev)
    with without_cookies(window):
        start(window, server)
        cancel_on_the_page(window, own_dev)
        window.wait(lambda: window.heading == "Not signed in: access_denied")
        start(window, server)
        sign_in_on_the_page(window, own_dev, email)
        window.wait(lambda: window.heading == f"Hello, {user}")
        assert window.driver.current_url == f"{server}/"


def test_two_tabs_sign_in_to_the_server(own_dev, window, server):
    email, user = sign_up(own_dev)
    with without_cookies(window):
        start(window, server)
        window.wait(lambda: window.elements("#address"))
        with new_tab(window):
            start(window, server)
            sign_in_on_the_page(window, own_dev, email)
            window.wait(lambda: window.heading == f"Hello, {user}")
        sign_in_on_the_page(window, own_dev, email)
        window.wait(lambda: window.heading == f"Hello, {user}")
        names = [cookie["name"] for cookie in window.driver.get_cookies()]
        assert "session" in names and not [name for name in names if name.startswith("sign_in.")]


def test_the_server_finishes_a_sign_in_only_in_the_browser_that_started_it_and_once(own_dev, server):
    def begin(visitor):
        started = visitor.get(f"{server}/sign-in", allow_redirects=False, timeout=30)
        state = re.search(r"state=([^&]+)", started.headers["Location"])[1]
        return {"state": state, "iss": "https://securetoken.google.com/demo", "code": "unknown"}

    with requests.Session() as visitor:
        result, finish = begin(visitor), f"{server}/signed-in"
        assert "not valid" in requests.get(finish, result, timeout=30).text
        assert "not valid" in visitor.get(finish, params=result | {"iss": "https://evil.example"}, timeout=30).text
        assert "INVALID_CODE" in visitor.get(finish, params=result, timeout=30).text
        again = visitor.get(finish, params=result, timeout=30)
        assert (again.status_code, "not valid" in again.text) == (400, True)
        results = [begin(visitor) for _ in range(11)]
        assert len(visitor.cookies) == 10
        assert "not valid" in visitor.get(finish, params=results[0], timeout=30).text
        assert "INVALID_CODE" in visitor.get(finish, params=results[1], timeout=30).text


@pytest.fixture
def signed_in(own_dev, window, checking_server):
    """A user who is signed in to the server: the address and the ID."""
    email, user = sign_up(own_dev)
    with without_cookies(window):
        start(window, checking_server)
        sign_in_on_the_page(window, own_dev, email)
        window.wait(lambda: window.heading == f"Hello, {user}")
        window.open(checking_server)
        assert window.heading == f"Hello, {user}"
        yield email, user


@pytest.mark.parametrize("operation, body", [("delete", {}), ("revokeSession", {"everywhere": True})])
def test_the_servers_session_ends_with_the_account_and_when_the_user_signs_out_elsewhere(
        own_dev, window, checking_server, signed_in, operation, body):
    post(own_dev, f"accounts:{operation}", idToken=id_token(own_dev, signed_in[0]), **body)
    window.open(checking_server)
    assert window.heading == "Hello"


def test_the_servers_session_has_the_name_of_the_browser_and_ends_with_its_sign_out(
        own_dev, window, checking_server, signed_in):
    token = id_token(own_dev, signed_in[0])

    def devices():
        sessions = post(own_dev, "accounts:listSessions", idToken=token)["sessions"]
        return [session.get("device", "") for session in sessions]

    name = window.evaluate("navigator.userAgent")
    assert devices().count(name) == 2  # The browser's own at the gateway, and the server's.
    window.click("Sign out")
    assert window.heading == "Hello"
    assert devices().count(name) == 1


@pytest.fixture
def account_page(window, web_page):
    """The URL of the page for a user who is signed in; the browser shows the page to a guest, and has no session."""
    url = f"{web_page}account.html"
    with without_cookies(window):
        start(window, url, "Continue as a guest")
        assert output_of(window, url).endswith(" is a guest")
        yield url


def guest_of(window):
    """The ID of the user whose session the page has stored."""
    return json.loads(window.evaluate("localStorage.session"))["user"]


def press(window, own_dev, label):
    """Presses a button of the app, and waits for the sign-in page."""
    [button] = window.buttons_and_links(label)
    button.click()
    window.wait(lambda: window.driver.current_url.startswith(own_dev.url) and window.heading)


def choose_google_account(window, person):
    window.click("Sign in with Google")
    answer_consent_page(person, "Continue as this person")(window)


def test_a_guest_keeps_the_account(own_dev, window, account_page):
    guest = guest_of(window)
    press(window, own_dev, "Keep my account")
    choose_google_account(window, fresh_person())
    window.wait(lambda: window.heading == "Keep your guest account")
    window.click("Continue")
    assert output_of(window, account_page) == f"{guest} is the same"


def test_a_guest_merges_into_an_account_adds_google_and_signs_in_again(own_dev, window, account_page):
    guest, (email, user), person = guest_of(window), sign_up(own_dev), fresh_person()
    press(window, own_dev, "Keep my account")
    sign_in_on_the_page(window, own_dev, email)
    window.wait(lambda: window.heading == "You already have an account")
    window.click("Continue with this account")
    assert output_of(window, account_page) == f"{guest} is now {user}"
    press(window, own_dev, "Add Google")
    choose_google_account(window, person)
    assert output_of(window, account_page) == f"{user} is the same"
    press(window, own_dev, "Confirm that it is you")
    choose_google_account(window, person)
    assert output_of(window, account_page) == f"{user} is the same"
    window.click("Add Google")
    assert output_of(window, account_page) == "already_linked"


def test_the_page_tells_the_app_that_another_account_has_the_identity(own_dev, window, account_page):
    person = fresh_person()
    press(window, own_dev, "Keep my account")
    choose_google_account(window, person)
    window.wait(lambda: window.heading == "Keep your guest account")
    window.click("Continue")
    output_of(window, account_page)
    email, user = sign_up(own_dev)
    token = id_token(own_dev, email)
    window.driver.execute_script(
        "localStorage.setItem('session', JSON.stringify({user: arguments[0], idToken: arguments[1]}))", user, token)
    press(window, own_dev, "Add Google")
    choose_google_account(window, person)
    assert output_of(window, account_page) == "already_linked"


def test_the_command_of_the_guide_makes_the_sign_up_of_dev_ask_for_a_code(own_dev, window, web_page):
    def sign_up_by_password():
        window.open(web_page)
        press(window, own_dev, "Sign in")
        window.click("Create an account")
        window.element("#address").send_keys(fresh_email())
        window.element("#password").send_keys(PASSWORD)
        window.element("#password").send_keys(Keys.ENTER)

    with without_cookies(window):
        sign_up_by_password()
        assert output_of(window, web_page).endswith(" is new")
    command = replaced(code_block(GUIDE, PASSWORDS), "http://127.0.0.1:9099", own_dev.url)
    subprocess.run(["sh", "-c", command], check=True, capture_output=True, timeout=30)
    try:
        with without_cookies(window):
            sign_up_by_password()
            window.wait(lambda: window.heading == "Check your email")
    finally:
        subprocess.run(["sh", "-c", command.replace("true", "false")], check=True, capture_output=True, timeout=30)


@contextmanager
def mandatory_codes_to_phones(own_dev):
    def set_factors(**mfa):
        answer = requests.patch(
            f"{own_dev.url}/v2/projects/demo/config?updateMask=mfa", json={"mfa": mfa}, headers=ADMIN_HEADERS,
            timeout=30)
        assert answer.ok, answer.text
    set_factors(
        state="MANDATORY", enabledProviders=["PHONE_SMS"],
        providerConfigs=[{"state": "DISABLED", "totpProviderConfig": {}}])
    try:
        yield
    finally:
        set_factors(state="DISABLED")


def test_the_examples_do_not_sign_in_a_user_who_lacks_a_mandatory_second_factor(own_dev, window, web_page, server):
    email, _ = sign_up(own_dev)
    with mandatory_codes_to_phones(own_dev), without_cookies(window):
        start(window, web_page)
        sign_in_on_the_page(window, own_dev, email)
        assert output_of(window, web_page) == "second factor required"
        start(window, server)
        sign_in_on_the_page(window, own_dev, email)
        window.wait(lambda: window.heading == "Not signed in: the account needs a second factor")


@pytest.mark.parametrize("wrong, parameter", [
    # `dev` creates a tenant that a request names, so `tenantId` has no row.
    ({"app": "other"}, "app"), ({"continueUri": "other"}, "continueUri"),
    ({"state": " "}, "state"), ({"code_challenge": "x"}, "code_challenge"),
    ({"code_challenge_method": "plain"}, "code_challenge_method"), ({"screen": "other"}, "screen"),
    ({"prompt": "other"}, "prompt"), ({"max_age": "-1"}, "max_age"), ({"other": ["a", "b"]}, "other")])
def test_the_log_names_the_wrong_parameter(own_dev, wrong, parameter):
    query = {
        "app": "default", "continueUri": "http://127.0.0.1:8000/", "state": "state", "code_challenge": "A" * 43,
        "code_challenge_method": "S256"}
    before = own_dev.log.read_text()
    requests.get(
        f"{own_dev.url}/demo/__/auth/signIn", params=query | wrong, allow_redirects=False, timeout=30)
    assert gateway.eventually(
        lambda: f'"refusal":"SIGN_IN_PAGE_PARAMETER_{parameter.upper()}"' in own_dev.log.read_text()[len(before):])


def test_the_project_file_of_the_guide_can_be_applied(new_installation, tmp_path):
    installation = new_installation()
    text = code_block(GUIDE, "Configure the apps")
    (tmp_path / "project.json").write_text(text)
    installation.run_ok(f"projects apply {tmp_path / 'project.json'} --create")
    assert json.loads(text)["apps"].keys() == {"web", "ios", "android"}
    assert installation.run_ok("keys create-api-key --project my-app --app web").startswith("pk_")


def test_the_request_of_the_guide_gives_an_app_a_brand_in_dev(own_dev):
    command = code_block(GUIDE, "Configure the apps", 1).replace("http://127.0.0.1:9099", own_dev.url)
    completed = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert json.loads(completed.stdout)["brand"] == {"name": "Acme Web", "color": "#0a7a3d"}
    requests.patch(
        f"{own_dev.url}/v2/projects/demo/apps/default?updateMask=brand", headers=ADMIN_HEADERS, json={},
        timeout=30).raise_for_status()


def test_the_tables_name_every_parameter_and_error_of_the_page():
    text = GUIDE.read_text()
    sources = GUIDE.parents[2] / "Sources/API/SignInPage"
    parameters = re.findall(r'request\.query\("(\w+)"\)', (sources / "SignInPageRequest+Query.swift").read_text())
    errors = re.search(r"enum SignInPageError: String \{(.*?)\n\}", (sources / "SignInVisit.swift").read_text(), re.DOTALL)
    for name in [*parameters, *re.findall(r'= "(\w+)"', errors[1])]:
        assert f"`{name}`" in text, name
