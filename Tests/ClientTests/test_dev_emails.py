"""`sekisho dev` keeps emails for developers and test suites instead of sending them."""

import base64
import html
import re
from types import SimpleNamespace

import pytest
import requests

from browser import browser
from client import PASSWORD, fresh_email, ok_body
from emails import account_id_of_code, queue_email, queue_row_eventually_deleted


@pytest.fixture(scope="module")
def installation(dev, folder):
    """The members of an installation that emails.py uses."""
    key = base64.b64encode((folder / "data" / "master-key").read_bytes()).decode()
    return SimpleNamespace(environment={"SEKISHO_MASTER_KEY": key}, database_url=dev.database_url)


def test_an_email_is_kept_for_developers_and_displayed(dev, installation, client):
    ada = client.new_account()
    code = f"code-of-{ada['localId']}"
    queued = queue_email(installation, "PASSWORD_RESET", ada["email"], code=code, continueURL="https://localhost/<b>")
    listed = requests.get(f"{dev.url}/dev/emails", timeout=30)
    assert ada["email"] in listed.text and f"/dev/emails/{queued.id}" in listed.text
    assert account_id_of_code(installation, code) == ada["localId"]
    # It is displayed even after it has left the queue.
    assert queue_row_eventually_deleted(installation, queued)
    shown = requests.get(f"{dev.url}/dev/emails/{queued.id}", timeout=30)
    link = f"{dev.url}/__/auth/action?mode=resetPassword&amp;oobCode={code}&amp;apiKey=demo&amp;lang=en"
    assert f"{link}&amp;continueUrl=https%3A%2F%2Flocalhost%2F%3Cb%3E" in shown.text
    page = requests.get(f"{dev.url}/dev/emails/{queued.id}/html", timeout=30)
    assert f'href="{link}' in page.text
    for response in (listed, shown, page):
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = response.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none';") and "script-src" not in policy
    assert "sandbox allow-popups allow-popups-to-escape-sandbox;" in page.headers["Content-Security-Policy"]
    assert '<iframe sandbox="allow-popups allow-popups-to-escape-sandbox"' in shown.text
    assert '<base target="_blank">' in page.text
    assert "<script" not in listed.text + shown.text + page.text


def captured_emails(dev, recipient, realm="demo"):
    """The captured emails of a project or tenant to `recipient`, oldest first."""
    response = requests.get(f"{dev.url}/emulator/v1/projects/{realm}/emails", timeout=30)
    assert response.status_code == 200, response.text
    return [email for email in response.json()["emails"] if email["to"] == recipient]


def test_emails_are_listed_with_links_to_the_pages(dev, client):
    ada = client.new_account()
    for body in ({"requestType": "PASSWORD_RESET", "email": ada["email"]},
                 {"requestType": "VERIFY_EMAIL", "idToken": ada["idToken"], "continueUrl": "http://localhost/?a=&b="}):
        ok_body(client.call("sendOobCode", body))
    reset, verification = captured_emails(dev, ada["email"])
    assert [email["kind"] for email in (reset, verification)] == ["PASSWORD_RESET", "VERIFY_EMAIL"]
    assert set(reset) == {"to", "subject", "kind", "createdAt", "text", "html", "links"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", reset["createdAt"])
    codes = [code["oobCode"] for code in dev.action_codes(ada["email"])]
    for email, mode, code in zip((reset, verification), ("resetPassword", "verifyEmail"), codes, strict=True):
        [link] = email["links"]
        assert link.startswith(f"{dev.url}/__/auth/action?mode={mode}&oobCode={code}&")
        assert link in email["text"] and html.escape(link) in email["html"]
        assert "<form" in requests.get(link, timeout=30).text


def test_emails_of_a_tenant_are_listed_for_the_tenant_alone(dev, client):
    email = fresh_email()
    body = {"requestType": "PASSWORD_RESET", "email": email, "tenantId": "emails-tenant"}
    signed_up = client.call("signUp", {"email": email, "password": PASSWORD, "tenantId": "emails-tenant"})
    assert signed_up.status == 200, signed_up.body
    ok_body(client.call("sendOobCode", body))
    assert captured_emails(dev, email) == []
    [captured] = captured_emails(dev, email, "demo/tenants/emails-tenant")
    assert "tenantId=emails-tenant" in captured["links"][0]


@pytest.mark.slow
def test_a_link_in_a_displayed_email_opens_its_page_in_a_new_tab(dev, installation, client):
    ada = client.new_account()
    ok_body(client.call("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": ada["idToken"]}))
    [captured] = captured_emails(dev, ada["email"])
    listed = requests.get(f"{dev.url}/dev/emails", timeout=30).text
    path = re.search(rf'<a href="([^"]+)"><bdi>[^<]+</bdi></a><bdi>{re.escape(ada["email"])}</bdi>', listed)[1]
    with browser() as window:
        window.open(dev.url + html.unescape(path))
        window.driver.switch_to.frame(window.element("iframe"))
        window.elements("a")[0].click()
        window.driver.switch_to.default_content()
        window.wait(lambda: len(window.driver.window_handles) == 2)
        window.driver.switch_to.window(window.driver.window_handles[1])
        window.wait(lambda: window.driver.current_url == captured["links"][0])
        window.click("Confirm this address")
        assert window.heading == "Your email address is confirmed"


def test_an_unknown_email_is_not_found(dev):
    for path in ("unknown", "unknown/html"):
        assert requests.get(f"{dev.url}/dev/emails/{path}", timeout=30).status_code == 404


def test_email_addresses_are_not_logged(dev, installation, client):
    ada = client.new_account()
    queue_email(installation, "notice.password-changed", ada["email"])
    assert ada["email"] in requests.get(f"{dev.url}/dev/emails", timeout=30).text
    assert ada["email"] not in dev.log.read_text()


def test_an_action_code_is_listed_until_it_is_used(dev, client):
    ada = client.new_account()
    client.call("sendOobCode", {"requestType": "PASSWORD_RESET", "email": ada["email"]})
    client.call("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": ada["idToken"]})
    [reset, verification] = dev.action_codes(ada["email"])
    assert (reset["requestType"], verification["requestType"]) == ("PASSWORD_RESET", "VERIFY_EMAIL")
    assert reset["oobLink"].startswith(f"{dev.url}/emulator/action?mode=resetPassword&oobCode={reset['oobCode']}&")
    used = client.call("resetPassword", {"oobCode": reset["oobCode"], "newPassword": "another secret"})
    assert used.status == 200 and used.body["email"] == ada["email"]
    assert reset["oobCode"] not in [code["oobCode"] for code in dev.action_codes(ada["email"])]
