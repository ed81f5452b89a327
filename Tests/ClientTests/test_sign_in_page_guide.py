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
from client import PASSWORD, fresh_email
from documents import GUIDES, code_block, replaced
from installation import new_database
from web_site import site

pytestmark = pytest.mark.slow
GUIDE = GUIDES / "sign-in-page.md"
WEB, SERVER = "A web page", "A site rendered on a server"


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
    script = replaced(code_block(GUIDE, WEB, 1), "http://127.0.0.1:9099", own_dev.url)
    files = {
        "/": ("text/html", code_block(GUIDE, WEB, 0).encode()), "/app.js": ("text/javascript", script.encode())}
    with site(files) as running:
        yield f"{running.url}/"


@pytest.fixture(scope="module")
def server(own_dev, folder):
    """The URL of the server of the guide."""
    port = gateway.free_port()
    text = replaced(code_block(GUIDE, SERVER), "http://127.0.0.1:9099", own_dev.url)
    file = folder / "server.py"
    file.write_text(replaced(text, "127.0.0.1:8000", f"127.0.0.1:{port}"))
    url, log = f"http://127.0.0.1:{port}", folder / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen([sys.executable, file], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        gateway.wait_for(lambda: gateway.has_status_200(url), process, log)
        yield url
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def without_cookies(window):
    yield window
    window.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})


def sign_up(own_dev):
    """Creates an account, and returns its address and ID."""
    email = fresh_email()
    body = {"email": email, "password": PASSWORD}
    response = requests.post(f"{own_dev.url}/v1/accounts:signUp?key=any", json=body, timeout=30)
    return email, response.json()["localId"]


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
    """What the script of the web page has written."""
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


def test_the_server_finishes_a_sign_in_only_in_the_browser_that_started_it_and_once(own_dev, server):
    started = requests.get(f"{server}/sign-in", allow_redirects=False, timeout=30)
    state = re.search(r"state=([^&]+)", started.headers["Location"])[1]
    result = {"state": state, "iss": "https://securetoken.google.com/demo", "code": "unknown"}
    finish = f"{server}/signed-in"
    assert "not valid" in requests.get(finish, result, timeout=30).text
    other_issuer = requests.get(
        finish, result | {"iss": "https://evil.example"}, cookies=started.cookies, timeout=30)
    assert "not valid" in other_issuer.text
    again = requests.get(finish, result, cookies=started.cookies, timeout=30)
    assert (again.status_code, "not valid" in again.text) == (400, True)
    second = requests.get(f"{server}/sign-in", allow_redirects=False, timeout=30)
    result["state"] = re.search(r"state=([^&]+)", second.headers["Location"])[1]
    assert "INVALID_CODE" in requests.get(finish, result, cookies=second.cookies, timeout=30).text


def test_the_project_file_of_the_guide_can_be_applied(new_installation, tmp_path):
    installation = new_installation()
    text = code_block(GUIDE, "Configure the apps")
    (tmp_path / "project.json").write_text(text)
    installation.run_ok(f"projects apply {tmp_path / 'project.json'} --create")
    assert json.loads(text)["apps"].keys() == {"web", "ios", "android"}
    assert installation.run_ok("keys create-api-key --project my-app --app web").startswith("pk_")


def test_the_tables_name_every_parameter_and_error_of_the_page():
    text = GUIDE.read_text()
    sources = GUIDE.parents[2] / "Sources/API/SignInPage"
    parameters = re.findall(r'request\.query\("(\w+)"\)', (sources / "SignInPageRequest+Query.swift").read_text())
    errors = re.search(r"enum SignInPageError: String \{(.*?)\n\}", (sources / "SignInVisit.swift").read_text(), re.DOTALL)
    for name in [*parameters, *re.findall(r'= "(\w+)"', errors[1])]:
        assert f"`{name}`" in text, name
