"""Queued emails and email action codes, written to and read from the database directly."""

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
class QueuedEmail:
    id: str
    recipient: str
    # The email action code in the email.
    code: str | None


def queue_email(installation, kind, recipient, *, code=None, language=None, lifetime=HOUR, account_id=None, **content):
    """Inserts an email into the queue. `content` and `code` are the values for the text of the email.

    Without `account_id`, the gateway stores the code of a password reset as an action code when it sends the email. Any
    other code must have been stored by `insert_action_code`.
    """
    identifier = str(uuid.uuid4())
    if code:
        content["code"] = code
    encrypted = encrypt(installation, content, f"outgoing_email/{identifier}/content")
    sql(installation.database_url, f"""
        INSERT INTO outgoing_email (
            id, realm_id, kind, account_id, recipient, language, content, created_at, due_at, expires_at)
        VALUES ('{identifier}', 'demo', '{kind}', {sql_literal(account_id)}, '{recipient}', {sql_literal(language)},
            '\\x{encrypted.hex()}', now(), now(), now() + interval '{lifetime} seconds')""")
    return QueuedEmail(identifier, recipient, code)


def insert_action_code(installation, purpose, account_id, email):
    """Inserts an email action code that is valid for an hour, and returns it."""
    code = secrets.token_urlsafe(32)
    digest = hashlib.sha256(code.encode()).hexdigest()
    sql(installation.database_url, f"""
        INSERT INTO oob_code (hash, realm_id, purpose, account_id, generation, email, created_at, expires_at)
        VALUES ('\\x{digest}', 'demo', '{purpose}', '{account_id}', 1, '{email}', now(), now() + interval '1 hour')""")
    return code


def account_id_of_code(installation, code):
    """The ID of the account to which an email action code belongs; an empty string if the code is not stored."""
    digest = hashlib.sha256(code.encode()).hexdigest()
    return sql(installation.database_url, f"SELECT account_id FROM oob_code WHERE hash = '\\x{digest}'").strip()


def queue_row_values(installation, queued, columns):
    """The values of `columns` in the queue row of an email, separated by `|`; an empty string if the row is deleted."""
    return sql(installation.database_url, f"SELECT {columns} FROM outgoing_email WHERE id = '{queued.id}'").strip()


def queue_row_eventually_deleted(installation, queued):
    """Waits until the queue row of an email is deleted, and returns whether it was."""
    return eventually(lambda: not queue_row_values(installation, queued, "id"))


def make_due(installation, *queued):
    """Sets the time of the next delivery attempt of the queued emails to now."""
    identifiers = ", ".join(f"'{email.id}'" for email in queued)
    sql(installation.database_url, f"UPDATE outgoing_email SET due_at = now() WHERE id IN ({identifiers})")


def queued_email_count(installation, condition="true"):
    """The number of queued emails that meet a condition."""
    return int(sql(installation.database_url, f"SELECT count(*) FROM outgoing_email WHERE {condition}"))


def delete_queued_emails(installation):
    sql(installation.database_url, "DELETE FROM outgoing_email")


def sql_literal(text):
    return "NULL" if text is None else f"'{text}'"


def encrypt(installation, content, location):
    """Encrypts with the master key as the gateway does, and authenticates `location`: table, row and column.

    Returns version, key ID, nonce, ciphertext and tag.
    """
    key = base64.b64decode(installation.environment["SEKISHO_MASTER_KEY"])
    header = b"\x01" + hashlib.sha256(b"sekisho master key id" + key).digest()[:4]
    nonce = secrets.token_bytes(12)
    associated = header + struct.pack(">I", len(location)) + location.encode()
    return header + nonce + AESGCM(key).encrypt(nonce, json.dumps(content).encode(), associated)
