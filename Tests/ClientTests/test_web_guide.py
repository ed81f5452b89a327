"""The pages in Deploy/guides/web.md sign users in, as printed: on a developer's machine, and behind nginx with
Deploy/guides/nginx.conf."""

import hashlib
import html
import json
import re
import subprocess
from contextlib import contextmanager
from urllib.parse import parse_qs

import pytest
import requests

import gateway
from documents import GUIDES, ROOT, code_block
from firebase_js import MODULES_FOLDER, MODULE_NAMES, requires_firebase_js
from installation import new_database
from simulators import Simulators, fresh_person
from web_app import answer_consent_page, isolated_browser
from web_server import HOST, allow_domain, nginx
from web_site import site, web_app_files

pytestmark = pytest.mark.slow

WEB = GUIDES / "web.md"
SDK, REST, SCRIPTS = "With Firebase's SDK", "With plain REST", "With Apple's and Google's own scripts"
# Where the guide prints the files of the app.
FILES = {
    "index.html": (SDK, 0), "app.js": (SDK, 1), "gateway.js": (REST, 0), "rest.html": (REST, 1), "rest.js": (REST, 2),
    "scripts.html": (SCRIPTS, 0), "scripts.js": (SCRIPTS, 1)}
LOCAL, SERVED = "http://127.0.0.1:8000", f"https://{HOST}"
SDK_HOST, APPLE_HOST, GOOGLE_HOST = "www.gstatic.com", "appleid.cdn-apple.com", "accounts.google.com"
BUTTONS = ["Sign in with Apple", "Sign in with Google"]

# Take the places of the scripts of Apple and Google. The test returns what the provider returns.
APPLE_SCRIPT = b"""window.AppleID = { auth: {
    init(options) { this.options = options; },
    signIn() { return new Promise((resolve, reject) => Object.assign(this, { resolve, reject })); },
} };"""
GOOGLE_SCRIPT = b"""window.google = { accounts: { id: {
    initialize(options) { this.options = options; },
    renderButton(parent, options) { parent.textContent = `${options.type} button`; },
} } };"""


@pytest.fixture(scope="module")
def fresh_dev(dev, tmp_path_factory):
    """A `sekisho dev` that accepts the app's domain, as do its simulators of Apple and Google."""
    options = ["--database-url", new_database(dev.database_url), "--allow-host", HOST]
    with gateway.dev(tmp_path_factory.mktemp("dev"), *options) as running:
        allow_domain(running)
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A folder with the files of the guide, byte for byte."""
    folder = tmp_path_factory.mktemp("pages")
    for name, (heading, index) in FILES.items():
        assert f"`{name}`" in WEB.read_text()
        (folder / name).write_text(code_block(WEB, heading, index))
    return folder


@contextmanager
def local_web_server(pages, port, log):
    """Runs the guide's command on another port, because port 8000 can be in use."""
    command = code_block(WEB, SDK, 2)
    assert " 8000 " in command
    with log.open("w") as output:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command.replace('8000', str(port))}"], cwd=pages, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output)
    try:
        gateway.wait_for(lambda: gateway.has_status_200(f"http://127.0.0.1:{port}/"), process, log)
        yield
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def modules():
    """The files of the host from which the page loads the SDK, by path. Tests fill it in."""
    return {}


@pytest.fixture(scope="module")
def window(fresh_dev, pages, modules, tmp_path_factory):
    """A browser that reaches the app at the printed addresses: on the developer's machine and behind nginx."""
    folder = tmp_path_factory.mktemp("web-servers")
    local_port, nginx_port, sdk_port = (gateway.free_port() for _ in range(3))
    ports = {
        "127.0.0.1:8000": local_port, "127.0.0.1:9099": int(fresh_dev.url.rsplit(":", 1)[1]), HOST: nginx_port,
        SDK_HOST: sdk_port}
    with (isolated_browser(folder, ports=ports) as (window, certificate),
          site(modules, tls=certificate.server_context(), port=sdk_port),
          local_web_server(pages, local_port, folder / "local.log"),
          nginx(folder, pages, nginx_port, fresh_dev, certificate)):
        yield window


@pytest.fixture(params=["stub", pytest.param("SDK", marks=requires_firebase_js)])
def sdk(request, modules):
    """The modules that the page imports: Firebase's, or modules of the tests that send the same requests."""
    version = re.search(r"firebasejs/([\d.]+)/", code_block(WEB, SDK, 1))[1]
    if request.param == "SDK":
        files = {name: (MODULES_FOLDER / name).read_bytes() for name in MODULE_NAMES}
    else:
        files = {
            "firebase-app.js": b"export const initializeApp = settings => settings;",
            "firebase-auth.js": web_app_files("firebase_stub.js")["/firebase_stub.js"][1],
            "sign_in.js": web_app_files("sign_in.js")["/sign_in.js"][1]}
    modules.clear()
    modules |= {f"/firebasejs/{version}/{name}": ("text/javascript", body) for name, body in files.items()}


def open_page(window, url):
    """Opens a page, and waits until its script handles clicks. Console messages of earlier pages are discarded."""
    window.console_messages()
    window.open(url)
    window.wait(lambda: window.evaluate("document.querySelector('button').onclick !== null"))


def press(window, label):
    [button] = window.buttons_and_links(label)
    button.click()


def output(window):
    return window.element("pre").text


def press_until_popup_opens(window, label):
    """Presses the button, and again if the page gives up waiting for the SDK's frame, as on a busy machine."""
    for _ in range(3):
        press(window, label)
        window.wait(lambda: len(window.driver.window_handles) > 1 or "network-request-failed" in output(window))
        if len(window.driver.window_handles) > 1:
            return
    raise AssertionError(output(window))


def policy_violations(window):
    return [message for message in window.console_messages() if "Content Security Policy" in message]


@pytest.mark.parametrize("label", BUTTONS)
@pytest.mark.parametrize("origin", [LOCAL, SERVED])
def test_the_page_with_the_sdk_signs_in(window, sdk, origin, label):
    person = fresh_person()
    open_page(window, f"{origin}/index.html")
    press_until_popup_opens(window, label)
    main, popup = window.driver.window_handles
    window.driver.switch_to.window(popup)
    answer_consent_page(person)(window)
    window.driver.switch_to.window(main)
    window.wait(lambda: person["email"] in output(window))
    window.wait(lambda: len(window.driver.window_handles) == 1)
    assert policy_violations(window) == []


@pytest.mark.parametrize("label", BUTTONS)
@pytest.mark.parametrize("origin", [LOCAL, SERVED])
def test_the_page_with_plain_rest_signs_in(window, origin, label):
    person = fresh_person()
    open_page(window, f"{origin}/rest.html")
    assert output(window) == "not signed in"
    press(window, label)
    answer_consent_page(person)(window)
    window.wait(lambda: person["email"] in output(window))
    assert window.driver.current_url == f"{origin}/rest.html"
    press(window, label)
    answer_consent_page(button="Cancel")(window)
    window.wait(lambda: "USER_CANCELLED" in output(window))
    assert policy_violations(window) == []


def test_the_policy_of_the_example_forbids_inline_scripts_and_other_hosts(window, pages):
    inline = "<!DOCTYPE html><pre>not run</pre><script>document.querySelector('pre').textContent = 'run'</script>"
    other = f'<script src="https://{APPLE_HOST}/script.js"></script>'
    (pages / "forbidden.html").write_text(inline + other)
    window.console_messages()
    window.open(f"{SERVED}/forbidden.html")
    assert output(window) == "not run"
    assert len(policy_violations(window)) == 2


@pytest.fixture
def scripts_window(fresh_dev, pages, tmp_path):
    """A browser that finds the app behind nginx, with the header for Apple's and Google's scripts, and both scripts."""
    nginx_port, apple_port, google_port = (gateway.free_port() for _ in range(3))
    ports = {HOST: nginx_port, APPLE_HOST: apple_port, GOOGLE_HOST: google_port}
    apple = {"/appleauth/static/jsapi/appleid/1/en_US/appleid.auth.js": ("text/javascript", APPLE_SCRIPT)}
    google = {"/gsi/client": ("text/javascript", GOOGLE_SCRIPT)}
    header = code_block(WEB, SCRIPTS, 2)
    with (isolated_browser(tmp_path, ports=ports, records_requests=True) as (window, certificate),
          site(apple, tls=certificate.server_context(), port=apple_port),
          site(google, tls=certificate.server_context(), port=google_port),
          nginx(tmp_path, pages, nginx_port, fresh_dev, certificate, policy_header=header)):
        open_page(window, f"{SERVED}/scripts.html")
        window.wait(lambda: window.element("#google").text == "standard button")
        yield window


def response_of_apple(dev, person, options):
    """The parameters with which the simulated Apple responds to a web page with these options."""
    parameters = {
        # The simulated Apple knows only the client IDs of the project.
        "client_id": "com.example.app", "redirect_uri": options["redirectURI"], "nonce": options["nonce"],
        "scope": options["scope"], "state": "none", "response_type": "code id_token", "response_mode": "form_post",
        "simulated_email": person["email"], "simulated_given_name": person["givenName"],
        "simulated_family_name": person["familyName"]}
    page = requests.get(f"{Simulators(dev).url('apple')}/auth/authorize", params=parameters, timeout=30).text
    return {name: html.unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', page)}


def redemptions(dev, outcome):
    """The number of attempts to redeem codes of Apple with this outcome."""
    return dev.metric("sekisho_apple_attempts_total", f'purpose="redeem",outcome="{outcome}"')


def sent_credential(window):
    """The parameters of the credential in the last request of the page to `signInWithIdp`."""
    [body] = [json.loads(request["postData"]) for request in window.requests()
              if "accounts:signInWithIdp" in request["url"] and "postData" in request]
    return {name: values[0] for name, values in parse_qs(body["postBody"], strict_parsing=True).items()}


def test_the_page_with_apples_script_signs_in_behind_the_printed_header(scripts_window, fresh_dev):
    window, person = scripts_window, fresh_person()
    options = window.evaluate("AppleID.auth.options")
    callback = f"https://{HOST}/__/auth/handler"
    assert (options["clientId"], options["redirectURI"], options["usePopup"]) == ("com.example.web", callback, True)
    before = redemptions(fresh_dev, "done")
    press(window, "Sign in with Apple")
    answer = response_of_apple(fresh_dev, person, options)
    window.driver.execute_script(
        "AppleID.auth.resolve({ authorization: { id_token: arguments[0], code: arguments[1] }, user: arguments[2] })",
        answer["id_token"], answer["code"], json.loads(answer["user"]))
    window.wait(lambda: person["email"] in output(window))
    sent = sent_credential(window)
    assert hashlib.sha256(sent["nonce"].encode()).hexdigest() == options["nonce"]
    assert (sent["code"], sent["redirect_uri"]) == (answer["code"], callback)
    assert json.loads(sent["user"])["name"]["firstName"] == person["givenName"]
    assert policy_violations(window) == []
    assert gateway.eventually(lambda: redemptions(fresh_dev, "done") > before)
    assert redemptions(fresh_dev, "given_up") == 0


def test_the_page_with_apples_script_shows_that_the_user_cancelled(scripts_window):
    press(scripts_window, "Sign in with Apple")
    scripts_window.driver.execute_script("AppleID.auth.reject({ error: 'popup_closed_by_user' })")
    scripts_window.wait(lambda: output(scripts_window) == "popup_closed_by_user")


def test_the_page_with_googles_script_signs_in_behind_the_printed_header(scripts_window, fresh_dev):
    window, person = scripts_window, fresh_person()
    options = window.evaluate("google.accounts.id.options")
    assert options["client_id"] == "1234-web.apps.googleusercontent.com"
    answer = Simulators(fresh_dev).sign_in("google.com", person, nonce=options["nonce"])
    window.driver.execute_script(
        "google.accounts.id.options.callback({ credential: arguments[0] })", answer["idToken"])
    window.wait(lambda: person["email"] in output(window))
    assert sent_credential(window)["nonce"] == options["nonce"]
    assert policy_violations(window) == []


def test_the_page_shows_that_a_token_with_another_nonce_is_rejected(scripts_window, fresh_dev):
    window, person = scripts_window, fresh_person()
    nonce = window.evaluate("google.accounts.id.options")["nonce"]
    answer = Simulators(fresh_dev).sign_in("google.com", person, nonce=f"other-{nonce}")
    window.driver.execute_script(
        "google.accounts.id.options.callback({ credential: arguments[0] })", answer["idToken"])
    window.wait(lambda: "MISSING_OR_INVALID_NONCE" in output(window))


def test_the_guide_names_every_parameter_and_fault_of_the_consent_page():
    source = (ROOT / "Sources/Simulators/Consent/ConsentDecision.swift").read_text()
    faults = (ROOT / "Sources/Simulators/Consent/ConsentFault.swift").read_text()
    guide = WEB.read_text()
    assert set(re.findall(r'"(simulated_\w+)"', source)) == set(re.findall(r"simulated_\w+", guide))
    for name in re.findall(r'= "(\w+)"', faults):
        assert f"`{name}`" in guide
