"""Signs tokens as Apple does. The gateway accepts them, because the public key is stored as if published by Apple."""

import base64
import hashlib
import json
import os
import secrets
import time
from concurrent.futures import ProcessPoolExecutor

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from gateway import psql

CLIENT_ID = "com.example.bench"
KEY_ID = "BENCHKEY01"
KEYS_URL = "https://appleid.apple.com/auth/keys"


class Apple:
    def __init__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def publish(self, database_url):
        """Stores the public key in the gateway's database, as if the gateway had just fetched it."""
        numbers = self.key.public_key().public_numbers()
        jwk = {"kty": "RSA", "kid": KEY_ID, "use": "sig", "alg": "RS256",
               "n": base64url(big_endian(numbers.n)), "e": base64url(big_endian(numbers.e))}
        psql(database_url, f"INSERT INTO provider_document (url, body, fetched_at) VALUES ('{KEYS_URL}', "
                           f"'{json.dumps({'keys': [jwk]})}', now())")

    def sign_in_bodies(self, subjects):
        """Returns the body of one sign-in request per subject, each with its own nonce.

        The bodies are in another order than the subjects, because worker processes share the subjects.
        """
        pem = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        workers = len(os.sched_getaffinity(0))
        with ProcessPoolExecutor(workers) as executor:
            bodies_of_workers = executor.map(
                signed_bodies, [pem] * workers, [subjects[n::workers] for n in range(workers)])
            return [body for bodies in bodies_of_workers for body in bodies]


def project_file_with_apple(project):
    """Returns the JSON text of a project file for `sekisho projects apply` that enables sign-in with Apple."""
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    apple = {
        "enabled": True, "clientIds": [CLIENT_ID], "teamId": "BENCHTEAM1", "keyId": "BENCHKEY01", "privateKey": key}
    return json.dumps({"project": project, "providers": {"apple.com": apple}})


def signed_bodies(pem, subjects):
    key = serialization.load_pem_private_key(pem, None)
    header = base64url(json.dumps({"kid": KEY_ID, "alg": "RS256"}).encode())
    now = int(time.time())
    bodies = []
    for subject in subjects:
        nonce = secrets.token_urlsafe(24)
        claims = {"iss": "https://appleid.apple.com", "aud": CLIENT_ID, "sub": subject, "iat": now, "exp": now + 86400,
                  "nonce": hashlib.sha256(nonce.encode()).hexdigest(), "nonce_supported": True,
                  "email": f"{subject}@example.com", "email_verified": True, "auth_time": now}
        text = f"{header}.{base64url(json.dumps(claims).encode())}"
        signature = base64url(key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))
        bodies.append({"credential": {
            "providerId": "apple.com", "idToken": f"{text}.{signature}", "rawNonce": nonce}})
    return bodies


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def big_endian(value):
    return value.to_bytes((value.bit_length() + 7) // 8, "big")
