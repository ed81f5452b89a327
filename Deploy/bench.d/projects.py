"""A project with generated users, and requests that find them."""

import json
import random
import time
from dataclasses import dataclass, field
from urllib.parse import urlencode

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

import filling
import users
from apple import base64url
from gateway import Client

SEED = 1
CUSTOM_TOKEN_AUDIENCE = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"


@dataclass
class Project:
    name: str
    # The number of its users.
    count: int
    api_key: str
    service_key: dict
    random_numbers: random.Random = field(default_factory=lambda: random.Random(SEED))

    @classmethod
    def filled(cls, installation, folder, name, count, **options):
        api_key = installation.create_project(name, "sekisho")
        service_key = json.loads(installation.run("keys", "create-service-key", "--project", name, "--name", "bench"))
        filling.fill(installation, folder, name, count, **options)
        return cls(name, count, api_key, service_key)

    def random_users(self, wanted, step=1):
        """Returns the numbers of at most `wanted` random, distinct users; all are multiples of `step`."""
        numbers = range(0, self.count, step)
        return self.random_numbers.sample(numbers, min(wanted, len(numbers)))

    def id_tokens(self, gateway, wanted):
        """Returns ID tokens of at most `wanted` random, distinct users."""
        private_key = serialization.load_pem_private_key(self.service_key["privateKey"].encode(), None)
        client = Client(gateway, self.api_key)
        return [
            client.post("signInWithCustomToken", {"token": self.custom_token(private_key, number)})["idToken"]
            for number in self.random_users(wanted)]

    def custom_token(self, private_key, number):
        now, issuer = int(time.time()), self.service_key["id"]
        claims = {"iss": issuer, "sub": issuer, "aud": CUSTOM_TOKEN_AUDIENCE, "iat": now,
                  "exp": now + 3600, "uid": users.local_id(number, self.count)}
        text = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": issuer}, claims))
        return f"{text}.{base64url(private_key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def admin_post_request(self, operation, body):
        return self.admin_request(f"POST /v1/projects/{self.name}/accounts:{operation}", json.dumps(body))

    def admin_get_request(self, operation, **query):
        return self.admin_request(f"GET /v1/projects/{self.name}/accounts:{operation}?{urlencode(query)}")

    def admin_request(self, method_and_path, body=""):
        """Returns the bytes of a request with the service key."""
        return http_request(method_and_path, body, f"Authorization: Bearer {self.service_key['secret']}\r\n")

    def app_post_request(self, operation, body):
        """Returns the bytes of a request with the API key."""
        return http_request(f"POST /v1/accounts:{operation}?key={self.api_key}", json.dumps(body))


def http_request(method_and_path, body, header_line=""):
    return (f"{method_and_path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header_line}Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
