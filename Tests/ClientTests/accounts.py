"""Test accounts, created with firebase-admin and used by clients."""

import secrets
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from firebase_admin import auth

from client import PASSWORD, fresh_email, ok_body


@dataclass
class Account:
    """The values of an account that has an identifier of every kind."""

    uid: str
    email: str
    phone_number: str
    # The subject of the identity at Google.
    subject: str

    @property
    def identifiers(self):
        return [
            auth.UidIdentifier(self.uid), auth.EmailIdentifier(self.email), auth.PhoneIdentifier(self.phone_number),
            auth.ProviderIdentifier("google.com", self.subject)]


def fresh_uid():
    return f"uid-{secrets.token_hex(8)}"


def fresh_phone():
    return f"+1{secrets.randbelow(9 * 10**9) + 10**9}"


def unsaved_account():
    """Returns the values of an account that does not exist yet."""
    return Account(fresh_uid(), fresh_email(), fresh_phone(), secrets.token_hex(8))


def import_account(admin, account=None):
    """Imports `account` (default: a new one) with ``PASSWORD``. `admin` is firebase-admin for a project or a tenant."""
    account = account or unsaved_account()
    record = auth.ImportUserRecord(
        uid=account.uid, email=account.email, phone_number=account.phone_number, display_name="Ada",
        provider_data=[auth.UserProvider(account.subject, "google.com")])
    assert admin.import_users([record]).errors == []
    admin.update_user(account.uid, password=PASSWORD)
    return account


def sign_in_with_password(client, account, password=PASSWORD, **more):
    """Signs in and returns the response, which must be a success. `more` are further members of the request."""
    return ok_body(client.call("signInWithPassword", {"email": account.email, "password": password, **more}))


def query_parameters(link):
    """The query parameters of a link, each of which must occur once."""
    return {name: value for name, [value] in parse_qs(urlsplit(link).query).items()}
