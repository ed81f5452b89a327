"""An app whose web server is Debian's nginx with the configuration in Deploy/guides/nginx.conf.

nginx adds TLS, serves the app's files, and forwards the sign-in pages and the API to the gateway.
"""

import re
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

import gateway
from client import ADMIN_HEADERS
from firebase_js import MODULES_FOLDER, MODULE_NAMES, requires_firebase_js
from installation import new_database
from simulators import Simulators
from web_app import WebApp, answer_consent_page, isolated_browser
from web_site import WEB_APP_FOLDER

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
# `Deploy/test` unpacks nginx into this folder.
NGINX = ROOT / ".venv/nginx/usr/sbin/nginx"
EXAMPLE_CONFIGURATION = ROOT / "Deploy/guides/nginx.conf"
HOST = "app.example.com"

MAIN_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    types {{ text/html html; text/javascript js; }}
    access_log off;
    client_body_temp_path {folder}/temp;
    proxy_temp_path {folder}/temp;
    fastcgi_temp_path {folder}/temp;
    scgi_temp_path {folder}/temp;
    uwsgi_temp_path {folder}/temp;
    include {folder}/app.conf;
}}
"""

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


def allow_domain(fresh_dev):
    url = f"{fresh_dev.url}/identitytoolkit.googleapis.com/v2/projects/demo/config?updateMask=authorizedDomains"
    change = {"authorizedDomains": ["localhost", HOST]}
    requests.patch(url, json=change, headers=ADMIN_HEADERS, timeout=30).raise_for_status()
    callback = [f"https://{HOST}/__/auth/handler"]
    Simulators(fresh_dev).configure(apple={"redirectUris": callback}, google={"redirectUris": callback})


@contextmanager
def nginx(folder, port, dev, certificate):
    """Runs nginx with the example, in which only the port, the paths of files and the gateway's URL are changed."""
    changes = {
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;", f"/etc/ssl/{HOST}.pem": str(certificate.file),
        f"/etc/ssl/{HOST}.key": str(certificate.key_file), "/var/www/app": str(folder / "app"),
        "http://127.0.0.1:9099": dev.url}
    text = EXAMPLE_CONFIGURATION.read_text()
    for old, new in changes.items():
        assert old in text, f"not in {EXAMPLE_CONFIGURATION.name}: {old}"
        text = text.replace(old, new)
    (folder / "app.conf").write_text(text)
    (folder / "nginx.conf").write_text(MAIN_CONFIGURATION.format(folder=folder))
    log = folder / "log"
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        def answers():
            try:
                response = requests.get(f"https://127.0.0.1:{port}/", verify=certificate.file, timeout=30)
                return response.status_code == 200
            except requests.ConnectionError:
                return False

        gateway.wait_for(answers, process, log)
        yield
    finally:
        process.terminate()
        process.wait(30)


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
        with nginx(folder, port, fresh_dev, certificate):
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
