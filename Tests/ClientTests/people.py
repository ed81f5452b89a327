"""Accounts as firebase-admin makes them."""

import secrets
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from firebase_admin import auth

from exchange import PASSWORD, fresh_email


@dataclass
class Person:
    """With everything that one can be found by."""

    uid: str
    email: str
    phone_number: str
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


def stranger():
    return Person(fresh_uid(), fresh_email(), fresh_phone(), secrets.token_hex(8))


def settle(library, person=None):
    """Makes `person`, or somebody new, in a project or a tenant."""
    person = person or stranger()
    record = auth.ImportUserRecord(
        uid=person.uid, email=person.email, phone_number=person.phone_number, display_name="Ada",
        provider_data=[auth.UserProvider(person.subject, "google.com")])
    assert library.import_users([record]).errors == []
    library.update_user(person.uid, password=PASSWORD)
    return person


def signed_in(client, person, password=PASSWORD, **more):
    answer = client.call("signInWithPassword", {"email": person.email, "password": password, **more})
    assert answer.status == 200, answer.body
    return answer.body


def refreshed(client, session, **more):
    return client.call("token", {"grant_type": "refresh_token", "refresh_token": session["refreshToken"], **more})


def query_of(link):
    """What stands in a link, once each."""
    return {name: value for name, [value] in parse_qs(urlsplit(link).query).items()}
