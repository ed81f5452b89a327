"""`sekisho dev` keeps emails for developers and test suites instead of sending them."""

import base64
from types import SimpleNamespace

import pytest
import requests

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
    listed = requests.get(f"{dev.url}/emulator/emails", timeout=30)
    assert ada["email"] in listed.text and f"/emulator/emails/{queued.id}" in listed.text
    assert account_id_of_code(installation, code) == ada["localId"]
    # It is displayed even after it has left the queue.
    assert queue_row_eventually_deleted(installation, queued)
    shown = requests.get(f"{dev.url}/emulator/emails/{queued.id}", timeout=30)
    link = f"{dev.url}/emulator/action?mode=resetPassword&amp;oobCode={code}&amp;apiKey=demo&amp;lang=en"
    assert f"{link}&amp;continueUrl=https%3A%2F%2Flocalhost%2F%3Cb%3E" in shown.text
    page = requests.get(f"{dev.url}/emulator/emails/{queued.id}/html", timeout=30)
    assert f'href="{link}' in page.text
    for response in (listed, shown, page):
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = response.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none';") and "script-src" not in policy
    assert "sandbox" in page.headers["Content-Security-Policy"]
    assert "<iframe sandbox" in shown.text and "<script" not in listed.text + shown.text + page.text


def test_an_unknown_email_is_not_found(dev):
    for path in ("unknown", "unknown/html"):
        assert requests.get(f"{dev.url}/emulator/emails/{path}", timeout=30).status_code == 404


def test_email_addresses_are_not_logged(dev, installation, client):
    ada = client.new_account()
    queue_email(installation, "notice.password-changed", ada["email"])
    assert ada["email"] in requests.get(f"{dev.url}/emulator/emails", timeout=30).text
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
