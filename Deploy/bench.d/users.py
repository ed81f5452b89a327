"""Generates users in the format of `firebase auth:export`."""

import base64
import json

# Arbitrary bytes: no user signs in with a password, so the password hash of a user need not match a password.
HASH_KEY = bytes(range(64))
PASSWORD_HASH = bytes(range(64))
# Options of `sekisho users import`.
IMPORT_OPTIONS = [
    "--hash-algo", "SCRYPT", "--hash-key", base64.b64encode(HASH_KEY).decode(), "--rounds", "8", "--mem-cost", "14"]


def id_at_rank(rank):
    """Returns the localId at position `rank` in the order of IDs, from 0."""
    return f"user{rank:024}"


def local_id(number, count):
    """Returns a user's localId. Numbers are 0 to `count` - 1; the order of IDs differs from the order of numbers."""
    # 7919 is prime, so this is a permutation unless `count` is a multiple of 7919.
    return id_at_rank(number * 7919 % count)


def email(number):
    return f"user{number}@example.com"


def phone_number(number):
    return f"+1{2_000_000_000 + number}"


def subject(number):
    """Returns the user's subject at Google. Only users whose number is a multiple of 4 have an identity there."""
    return str(10**20 + number)


def user(number, count):
    """Returns the user with this number, one of `count` users. The two arguments determine every member."""
    google = {"providerId": "google.com", "rawId": subject(number), "email": email(number),
              "displayName": f"User {number}", "photoUrl": f"https://example.com/{number}.png"}
    return {
        "localId": local_id(number, count), "email": email(number), "emailVerified": number % 2 == 0,
        "passwordHash": base64.b64encode(PASSWORD_HASH).decode(),
        "salt": base64.b64encode(number.to_bytes(10, "big")).decode(), "displayName": f"User {number}",
        "createdAt": str(1_600_000_000_000 + number), "lastSignedInAt": str(1_700_000_000_000 + number),
        "disabled": False, "providerUserInfo": [google] if number % 4 == 0 else [],
    }


def write_export(path, users):
    """Writes a file in the format of `firebase auth:export`."""
    with path.open("w") as file:
        file.write('{"users": [')
        for number, entry in enumerate(users):
            file.write((",\n" if number else "\n") + json.dumps(entry))
        file.write("\n]}")
