"""Creates page tokens of `searchAccounts` with the installation's master key, as the gateway does."""

import base64
import hashlib
import hmac
import json
import secrets
import time

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

LIFETIME_SECONDS = 24 * 3600


def page_token(installation, realm, local_id, created_at=None, text=None):
    """Returns the token of the page that follows an account of the search's first list.

    - created_at: the sort key of the account in microseconds since 1970, if the list is sorted by a time.
    - text: the sort key, if the list is sorted by a text.
    """
    # See AccountPageToken in Sources. The members without a value are absent.
    position = {"l": 0, "i": {"rawValue": local_id}, "t": created_at, "s": text}
    envelope = {
        "c": {name: value for name, value in position.items() if value is not None},
        "e": int((time.time() + LIFETIME_SECONDS) * 1e6)}
    context = f"sealed token/page of accounts/{realm}"
    master_key = base64.b64decode(installation.environment["SEKISHO_MASTER_KEY"])
    return base64.urlsafe_b64encode(sealed(json.dumps(envelope).encode(), master_key, context)).decode().rstrip("=")


def sealed(plaintext, master_key, context):
    """Encrypts as MasterKeySealedTokens and PerMessageKeyBox in Sources do: with a key for this message alone.

    Returns version, ID of the master key, salt, nonce, ciphertext and tag.
    """
    salt, nonce = secrets.token_bytes(32), secrets.token_bytes(12)
    header = b"\x02" + hashlib.sha256(b"sekisho master key id" + master_key).digest()[:4] + salt
    key = hmac.digest(hmac.digest(master_key, b"sekisho key for sealed tokens", "sha256"), salt, "sha256")
    return header + nonce + AESGCM(key).encrypt(nonce, plaintext, header + context.encode())
