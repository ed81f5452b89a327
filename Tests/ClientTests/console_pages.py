"""The console of `sekisho serve` as a browser sees it."""

import re
from urllib.parse import quote, urlsplit

import requests

import qr_code
from dev_pages import BROWSER_HEADERS, FORM_HEADERS, Page
from gateway import eventually
from one_time_password import totp

OWNER = "owner@example.org"
PASSWORD = "staple battery horse 7"
CONSOLE_ENVIRONMENT = {"SEKISHO_CONSOLE_PROJECT": "operators"}


class Visitor:
    """A browser in the console: keeps cookies, and follows no redirect to another page."""

    def __init__(self, url):
        self.url, self.session = url, requests.Session()

    def open(self, path):
        return self._page(self.session.get(self.url + path, headers=BROWSER_HEADERS, timeout=30))

    def submit(self, page, form, headers=FORM_HEADERS, **values):
        found = page.forms[form]
        data = {**found.fields, **values}
        return self._page(self.session.post(
            self.url + found.action, data=data, headers={**BROWSER_HEADERS, **headers}, timeout=30))

    def _page(self, response):
        return Page(self.url, response)

    def sign_in(self, secret, ahead):
        code = self.submit(self.open("/console/signIn"), "password", email=OWNER, password=PASSWORD)
        return self.submit(code, "code", code=totp(secret, ahead=ahead))


def accept_invitation(visitor, link, email, server):
    """Proves the mailbox, sets the password and enrolls an authenticator app; returns the secret of the app."""
    invitation = visitor.open(link)
    assert "You are invited to the console" in invitation.text
    assert "Check your email" in visitor.submit(invitation, "invitation", email=email).text
    assert eventually(lambda: received_by(email, server)), "no email was received"
    received = received_by(email, server)[0].part("plain")
    assert "You are invited to the console of" in received and "Set a password" in received, received
    text = re.search(r"https?://\S+oobCode=\S+", received).group()
    parts = urlsplit(text)
    page = requests.get(f"{visitor.url}{parts.path}?{parts.query}", headers=BROWSER_HEADERS, timeout=30).text
    fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page))
    answer = requests.post(
        visitor.url + parts.path, data={**fields, "newPassword": PASSWORD}, headers=BROWSER_HEADERS, timeout=30)
    assert answer.status_code == 200, answer.text
    enrolment = visitor.submit(visitor.open("/console/signIn"), "password", email=email, password=PASSWORD)
    secret = enrolment.forms["enrolment"].fields["secret"]
    link = f"otpauth://totp/Sekisho%20console:{quote(email, safe='')}?secret={secret}&issuer=Sekisho%20console"
    assert link in enrolment.links and qr_code.modules(enrolment.html) in qr_code.encodings(link)
    overview = visitor.submit(enrolment, "enrolment", code=totp(secret))
    assert overview.status == 200 and "Sign out" in overview.text, overview.text
    return secret


def received_by(email, server):
    return [received for received in server.received if received.recipients == [email]]
