"""The account page of a gateway as a browser with a session sees it."""

import base64
import hashlib
import json
import re
import secrets
from html import unescape
from urllib.parse import urlsplit

import requests

from client import PASSWORD, fresh_email
from installation import sql

ROOT = "/demo/__/auth/account"
COOKIE = "sekisho-browser-demo"
# What a browser sends with a form of the same page.
OWN_FORM = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}


def post(running, operation, body):
    response = requests.post(f"{running.url}/v1/accounts:{operation}?key=any", json=body, timeout=30)
    assert response.status_code == 200, response.text
    return response.json()


def new_session(running, *, email=None, is_verified=True):
    """A new account with a password, and a session of it."""
    email = email or fresh_email()
    session = post(running, "signUp", {"email": email, "password": PASSWORD, "returnSecureToken": True})
    if is_verified:
        post(running, "sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": session["idToken"]})
        post(running, "update", {"oobCode": running.action_codes(email)[-1]["oobCode"]})
    return session | {"email": email}


def session_cookie(database_url, session):
    """Makes a session that of a browser, as the sign-in page does, and returns the value of its cookie."""
    payload = session["idToken"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    secret = secrets.token_urlsafe(32)
    digest = hashlib.sha256(secret.encode()).hexdigest()
    sql(database_url, f"""
        INSERT INTO browser_session (realm_id, secret_hash, session_id, idle_seconds, expires_at, ends_at)
        VALUES ('demo', '\\x{digest}', '{claims["sid"]}', 3600, now() + interval '1 hour', now() + interval '12 hours')
        """)
    return secret


class AccountPages:
    """Reads the pages, and submits their forms as a browser does."""

    def __init__(self, running, cookie=None):
        self.running, self.session = running, requests.Session()
        self.session.headers["User-Agent"] = "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Version/18.5 Safari/604.1"
        if cookie:
            # With the domain, so that a later cookie of the gateway replaces this one.
            self.session.cookies.set(COOKIE, cookie, domain=urlsplit(running.url).hostname, path="/")

    def open(self, part=""):
        path = f"{ROOT}/{part}" if part else ROOT
        return self.session.get(self.running.url + path, timeout=30, allow_redirects=False)

    def submit(self, part, *, step=None, **values):
        """Submits the form with this `step`, and returns the page to which it leads."""
        page = self.open(part)
        assert page.status_code == 200, (part, page.status_code, page.headers.get("Location"))
        hidden = next(fields for fields in forms(page.text) if fields.get("step") == step)
        return self.session.post(
            f"{self.running.url}{ROOT}/{part.partition('?')[0]}", data=hidden | values, headers=OWN_FORM, timeout=30)


def forms(html):
    """The hidden fields of each form of a page, and those that each button sends that belongs to a form by its ID."""
    def fields(form):
        inputs = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form)
        return {name: unescape(value) for name, value in inputs}

    all_forms = re.findall(r"<form .*?</form>", html, re.DOTALL)
    buttons = re.findall(r'<button [^>]*form="([^"]*)" name="([^"]*)" value="([^"]*)"', html)
    return [fields(form) for form in all_forms] + [
        fields(form) | {name: unescape(value)}
        for owner, name, value in buttons for form in all_forms if f'id="{owner}"' in form]
