"""Letters as they wait in the database, put there by hand."""

import base64
import hashlib
import json
import secrets
import struct
import uuid
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gateway import eventually
from installation import sql

HOUR = 3600


@dataclass
class Waiting:
    id: str
    recipient: str
    code: str | None


def post(installation, kind, recipient, *, code=None, language=None, lasting=HOUR, account=None, **content):
    """Writes a letter; its code, if it has one, is known to nobody else yet."""
    identifier = str(uuid.uuid4())
    if code:
        content["code"] = code
    sealed = seal(installation, content, f"mail/{identifier}/content")
    sql(installation.database_url, f"""
        INSERT INTO mail (id, project_id, kind, account_id, recipient, language, content, created_at, due_at, expires_at)
        VALUES ('{identifier}', 'demo', '{kind}', {quoted(account)}, '{recipient}', {quoted(language)},
            '\\x{sealed.hex()}', now(), now(), now() + interval '{lasting} seconds')""")
    return Waiting(identifier, recipient, code)


def issue(installation, purpose, account, email):
    """A code that stands."""
    code = secrets.token_urlsafe(32)
    sql(installation.database_url, f"""
        INSERT INTO oob_code (hash, project_id, purpose, account_id, generation, email, created_at, expires_at)
        VALUES ('\\x{hashlib.sha256(code.encode()).hexdigest()}', 'demo', '{purpose}', '{account}', 1, '{email}', now(),
            now() + interval '1 hour')""")
    return code


def stands(installation, code):
    digest = hashlib.sha256(code.encode()).hexdigest()
    return sql(installation.database_url, f"SELECT account_id FROM oob_code WHERE hash = '\\x{digest}'").strip()


def row(installation, letter, columns):
    """The columns of a letter's row; empty once there is none."""
    return sql(installation.database_url, f"SELECT {columns} FROM mail WHERE id = '{letter.id}'").strip()


def is_gone(installation, letter):
    return eventually(lambda: not row(installation, letter, "id"))


def hurry(installation, letter):
    """As if the time until the next try had passed."""
    sql(installation.database_url, f"UPDATE mail SET due_at = now() WHERE id = '{letter.id}'")


def clear(installation):
    sql(installation.database_url, "DELETE FROM mail")


def quoted(text):
    return "NULL" if text is None else f"'{text}'"


def seal(installation, content, place):
    """As the gateway does: version, key id, nonce, ciphertext and tag, bound to the place."""
    key = base64.b64decode(installation.environment["SEKISHO_MASTER_KEY"])
    header = b"\x01" + hashlib.sha256(b"sekisho master key id" + key).digest()[:4]
    nonce = secrets.token_bytes(12)
    associated = header + struct.pack(">I", len(place)) + place.encode()
    return header + nonce + AESGCM(key).encrypt(nonce, json.dumps(content).encode(), associated)
