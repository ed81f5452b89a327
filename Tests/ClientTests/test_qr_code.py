"""The QR code of the account page has the URL for the authenticator app."""

import re
from html import unescape

import html5lib
import pytest
import requests

import gateway
import qr_code
from account_pages import AccountPages, new_session, session_cookie
from installation import new_database

FACTORS = {"state": "ENABLED", "providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {}}]}


@pytest.fixture(scope="module")
def database_url(dev):
    return new_database(dev.database_url)


@pytest.fixture(scope="module")
def own_dev(dev, folder, database_url):
    path = folder / "qr-code"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", database_url) as running:
        changed = requests.patch(
            f"{running.url}/v2/projects/demo/config?updateMask=mfa", json={"mfa": FACTORS},
            headers={"Authorization": "Bearer owner"}, timeout=30)
        assert changed.status_code == 200, changed.text
        yield running


@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_code_is_that_of_the_link_for_the_app(own_dev, database_url, language):
    pages = AccountPages(own_dev, session_cookie(database_url, new_session(own_dev)))
    page = pages.open(f"authenticator?lang={language}")
    assert page.status_code == 200, page.headers.get("Location")
    html5lib.HTMLParser(strict=True).parse(page.text)
    [link] = re.findall(r'href="(otpauth:[^"]*)"', page.text)
    assert qr_code.modules(page.text) in qr_code.encodings(unescape(link))
    assert len(page.content) <= 15_000


def test_the_app_shows_the_beginning_of_a_long_address(own_dev, database_url):
    email = f"{'a' * 64}@{'.'.join(['b' * 62] * 2)}.example.com"
    page = AccountPages(own_dev, session_cookie(database_url, new_session(own_dev, email=email))).open("authenticator")
    [link] = re.findall(r'href="(otpauth:[^"]*)"', page.text)
    assert f":{email[:55]}%E2%80%A6?" in link
    assert qr_code.modules(page.text) in qr_code.encodings(unescape(link))
    assert len(page.content) <= 15_000
