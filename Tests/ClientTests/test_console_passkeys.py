"""Passkeys of people who use the console of `sekisho serve`, with an authenticator in software and in Chromium."""

import json
import re
import socket
from html import unescape
from http.cookies import SimpleCookie

import pytest
import requests
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

import gateway
from accessibility import violations
from console_pages import CONSOLE_ENVIRONMENT, PASSWORD, received_by
from dev_pages import BROWSER_HEADERS, FORM_HEADERS, Page
from gateway import eventually
from nginx import nginx_running
from smtp_server import smtp_environment, smtp_server_running
from software_authenticator import Authenticator
from test_console_browser import fill, focus
from test_sign_in_page_passkeys import WITHOUT_LIST
from web_app import isolated_browser

HOST = "console.example.org"
ORIGIN = f"https://{HOST}"
ADA, EVE = "ada@example.org", "eve@example.org"


class Visitor:
    """A browser whose requests arrive through a proxy that has the console's certificate."""

    def __init__(self, url, origin=ORIGIN):
        self.url, self.cookies = url, {}
        self.authenticator = Authenticator(origin=origin)

    def open(self, path):
        return self._send("GET", path)

    def submit(self, page, form, **values):
        found = page.forms[form]
        return self._send("POST", found.action, data=found.fields | values, headers=FORM_HEADERS)

    def create(self, page, form):
        return self.submit(page, form, credential=json.dumps(self.authenticator.create(options_of(page))))

    def use(self, page):
        return self.submit(page, "passkey", credential=json.dumps(self.authenticator.get(options_of(page))))

    def _send(self, method, path, data=None, headers=()):
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        response = requests.request(
            method, self.url + path, data=data, timeout=30, allow_redirects=False,
            headers={**BROWSER_HEADERS, **dict(headers), "Host": HOST, "Cookie": cookies})
        for header in response.raw.headers.getlist("Set-Cookie"):
            for name, cookie in SimpleCookie(header).items():
                self.cookies[name] = cookie.value
        if response.status_code == 303:
            return self.open(response.headers["Location"])
        return Page(self.url, response)


def options_of(page):
    [options] = re.findall(r"data-passkey='([^']*)'", page.html)
    return json.loads(unescape(options))


def set_password(email, mail_server):
    """Opens the page of the email, and sets the password; it does not need the console's host."""
    assert eventually(lambda: received_by(email, mail_server)), "no email was received"
    link = re.search(r"https?://\S+oobCode=\S+", received_by(email, mail_server)[-1].part("plain")).group()
    page = requests.get(link, headers=BROWSER_HEADERS, timeout=30).text
    fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page))
    answer = requests.post(
        link.partition("?")[0], data=fields | {"newPassword": PASSWORD}, headers=BROWSER_HEADERS, timeout=30)
    assert answer.status_code == 200, answer.text


def invite(installation, email, role):
    return json.loads(installation.run_ok(f"administrators invite {email} --role {role}"))


@pytest.fixture(scope="module")
def console(fresh_installation, mail_server):
    with smtp_server_running(mail_server) as port:
        fresh_installation.environment |= CONSOLE_ENVIRONMENT | {"SEKISHO_CONSOLE_URL": ORIGIN} | smtp_environment(port)
        # The command that invites the first person creates the operators' project.
        fresh_installation.link = invite(fresh_installation, ADA, "owner")["invitationUri"]
        with fresh_installation.serving() as running:
            yield running


@pytest.fixture(scope="module")
def ada(fresh_installation, console, mail_server):
    """A visitor who has accepted an invitation with a passkey."""
    visitor = Visitor(console.url)
    assert fresh_installation.link.startswith(f"{ORIGIN}/console/invitation?code=")
    page = visitor.open(fresh_installation.link.removeprefix(ORIGIN))
    assert "Check your email" in visitor.submit(page, "invitation", email=ADA).text
    set_password(ADA, mail_server)
    enrolment = visitor.submit(visitor.open("/console/signIn"), "password", email=ADA, password=PASSWORD)
    created = visitor.create(enrolment, "createPasskey")
    assert "Passkey created" in created.text, created.text
    overview = visitor.use(created)
    assert overview.status == 200 and "Sign out" in overview.text, overview.text
    return visitor


def test_a_new_operators_project_has_passkeys_for_the_host_of_the_console(fresh_installation, console):
    shown = json.loads(fresh_installation.run_ok("projects show operators --json"))
    assert shown["passkeyRpId"] == HOST


def test_a_passkey_alone_signs_in_and_counts_as_a_recent_proof(ada, console):
    other = Visitor(console.url)
    other.authenticator = ada.authenticator
    overview = other.use(other.open("/console/signIn"))
    assert overview.status == 200 and "You have confirmed that it is you." in overview.text


def test_a_password_leads_to_the_passkey_only(ada, console):
    page = Visitor(console.url)
    asked = page.submit(page.open("/console/signIn"), "password", email=ADA, password=PASSWORD)
    assert "Sign in with your passkey" in asked.text and set(asked.forms) == {"passkey"}
    assert "Sign in to the console" in page.open("/console/operators/overview").text


def test_a_response_for_another_origin_or_without_verification_of_the_user_is_rejected(ada, console):
    visitor = Visitor(console.url)
    for change in [{"origin": "https://evil.example.org"}, {"verifies_user": False}]:
        attacker = Authenticator(**{"origin": ORIGIN} | change)
        attacker.passkeys = ada.authenticator.passkeys
        page = visitor.open("/console/signIn")
        refused = visitor.submit(page, "passkey", credential=json.dumps(attacker.get(options_of(page))))
        assert refused.status == 400 and "The passkey was not accepted" in refused.text, change
    for credential in ["", "{}", "[]", "null", "{", json.dumps({"id": "YQ"})]:
        refused = visitor.submit(visitor.open("/console/signIn"), "passkey", credential=credential)
        assert refused.status == 400, credential


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def window(console, tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("console"), gateway.free_port()
    with isolated_browser(folder, ports={HOST: port}) as (opened, certificate):
        site = f"""
            server {{
                listen 127.0.0.1:{port} ssl;
                ssl_certificate {certificate.file};
                ssl_certificate_key {certificate.key_file};
                location / {{
                    proxy_pass {console.url};
                    proxy_set_header Host $host;
                }}
            }}"""
        with nginx_running(folder, site, lambda: is_listening(port)):
            opened.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WITHOUT_LIST})
            options = VirtualAuthenticatorOptions()
            options.protocol, options.transport = "ctap2", "internal"
            options.has_resident_key = options.has_user_verification = options.is_user_verified = True
            opened.driver.add_virtual_authenticator(options)
            opened.set_screen(320, True)
            yield opened


@pytest.mark.slow
def test_a_person_accepts_with_a_passkey_and_signs_in_with_it_by_keyboard(
        ada, fresh_installation, console, mail_server, window):
    window.open(invite(fresh_installation, EVE, "support")["invitationUri"])
    fill(window, "Check your email", email=EVE)
    set_password(EVE, mail_server)
    window.open(f"{ORIGIN}/console/signIn")
    fill(window, "Set up an authenticator app", email=EVE, password=PASSWORD)
    assert violations(window) == []
    press(window, "Create a passkey instead")
    window.wait(lambda: window.heading == "Passkey created")
    press(window, "Sign in with a passkey")
    window.wait(lambda: window.heading == "Overview")

    focus(window, "element.matches('summary') && element.innerText.includes('support:')").send_keys(Keys.ENTER)
    press(window, "Your passkeys")
    window.wait(lambda: window.heading == "Your passkeys")
    assert violations(window) == []
    focus(window, "element.matches('summary') && /^Remove /.test(element.innerText)").send_keys(Keys.ENTER)
    press(window, "Remove this passkey")
    window.wait(lambda: window.elements("[role=alert]"))
    assert "keeps a passkey or an authenticator app" in window.text and violations(window) == []
    window.open(f"{ORIGIN}/console/operators/overview")
    focus(window, "element.matches('summary') && /(support|viewer):/.test(element.innerText)").send_keys(Keys.ENTER)
    press(window, "Sign out")
    window.wait(lambda: window.heading == "Sign in to the console")
    press(window, "Sign in with a passkey")
    window.wait(lambda: window.heading == "Overview")
    refused = [message for message in window.console_messages() if "Content Security Policy" in message]
    assert refused == []


def press(window, label):
    focus(window, f"element.innerText === '{label}'").send_keys(Keys.ENTER)


def test_the_script_is_allowed_by_its_hash_and_the_form_is_hidden_without_it(console):
    page = Visitor(console.url).open("/console/signIn")
    policy = page.response.headers["Content-Security-Policy"]
    assert "script-src 'sha256-" in policy and "connect-src" not in policy and "'unsafe" not in policy
    assert re.search(r'<form id="passkey-form"[^>]* hidden', page.html)
    assert len(page.response.content) <= 40 * 1024
