"""Dev mode keeps its mail, written as everybody's, for people and test suites to read."""

import base64
from types import SimpleNamespace

import pytest
import requests

from exchange import Client
from letters import is_gone, post, stands


@pytest.fixture(scope="module")
def mailing(dev, folder):
    """As the helpers for letters want it."""
    key = base64.b64encode((folder / "data" / "master-key").read_bytes()).decode()
    return SimpleNamespace(environment={"SEKISHO_MASTER_KEY": key}, database_url=dev.database_url)


@pytest.fixture
def client(dev, contract):
    return Client(dev, contract)


def test_a_mail_is_kept_and_shown(dev, mailing, client):
    ada = client.ada()
    code = f"code-of-{ada['localId']}"
    letter = post(mailing, "PASSWORD_RESET", ada["email"], code=code, continueURL="https://localhost/<b>")
    listed = requests.get(f"{dev.url}/emulator/mail", timeout=30)
    assert ada["email"] in listed.text and f"/emulator/mail/{letter.id}" in listed.text
    assert stands(mailing, code) == ada["localId"]
    assert is_gone(mailing, letter)
    shown = requests.get(f"{dev.url}/emulator/mail/{letter.id}", timeout=30)
    link = f"{dev.url}/emulator/action?mode=resetPassword&amp;oobCode={code}&amp;apiKey=demo&amp;lang=en"
    assert f"{link}&amp;continueUrl=https%3A%2F%2Flocalhost%2F%3Cb%3E" in shown.text
    page = requests.get(f"{dev.url}/emulator/mail/{letter.id}/html", timeout=30)
    assert f'href="{link}' in page.text
    for answer in (listed, shown, page):
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none';") and "script-src" not in policy
    assert "sandbox" in page.headers["Content-Security-Policy"]
    assert "<iframe sandbox" in shown.text and "<script" not in listed.text + shown.text + page.text


def test_a_mail_that_never_was_is_not_found(dev):
    for path in ("nobody", "nobody/html"):
        assert requests.get(f"{dev.url}/emulator/mail/{path}", timeout=30).status_code == 404


def test_no_address_is_logged(dev, mailing, client):
    ada = client.ada()
    post(mailing, "notice.password-changed", ada["email"])
    assert ada["email"] in requests.get(f"{dev.url}/emulator/mail", timeout=30).text
    assert ada["email"] not in dev.log.read_text()


def codes(dev, email):
    listed = requests.get(f"{dev.url}/emulator/v1/projects/demo/oobCodes", timeout=30).json()["oobCodes"]
    return [code for code in listed if code["email"] == email]


def test_a_code_is_listed_until_it_is_used(dev, client):
    ada = client.ada()
    client.call("sendOobCode", {"requestType": "PASSWORD_RESET", "email": ada["email"]})
    client.call("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": ada["idToken"]})
    [reset, verification] = codes(dev, ada["email"])
    assert (reset["requestType"], verification["requestType"]) == ("PASSWORD_RESET", "VERIFY_EMAIL")
    assert reset["oobLink"].startswith(f"{dev.url}/emulator/action?mode=resetPassword&oobCode={reset['oobCode']}&")
    used = client.call("resetPassword", {"oobCode": reset["oobCode"], "newPassword": "another secret"})
    assert used.status == 200 and used.body["email"] == ada["email"]
    assert reset["oobCode"] not in [code["oobCode"] for code in codes(dev, ada["email"])]
