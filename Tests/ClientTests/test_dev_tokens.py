"""The tokens of `sekisho dev`, unsigned and with `--signed-tokens`."""

import jwt
import requests

import gateway
from client import ADMIN_HEADERS, PASSWORD, fresh_email

ISSUER = "https://securetoken.google.com/demo"
COOKIE_ISSUER = "https://session.firebase.google.com/demo"


def call(dev, path, body):
    return requests.post(f"{dev.url}/v1/{path}", json=body, headers=ADMIN_HEADERS, timeout=30).json()


def tokens(dev):
    """The ID token of a new account, and its session cookie."""
    account = {"email": fresh_email(), "password": PASSWORD}
    signed_up = requests.post(f"{dev.url}/v1/accounts:signUp?key=any", json=account, timeout=30).json()
    cookie = call(dev, "projects/demo:createSessionCookie", {"idToken": signed_up["idToken"]})
    return signed_up["idToken"], cookie["sessionCookie"]


def is_accepted(dev, id_token):
    lookup = f"{dev.url}/v1/accounts:lookup?key=any"
    return requests.post(lookup, json={"idToken": id_token}, timeout=30).status_code == 200


def verified(dev, token, issuer):
    """The claims of a token whose signature PyJWT verifies with the published keys."""
    keys = jwt.PyJWKClient(f"{dev.url}/demo/.well-known/jwks.json")
    return jwt.decode(
        token, keys.get_signing_key_from_jwt(token), algorithms=["ES256"], audience="demo", issuer=issuer)


def test_a_process_signs_all_tokens_or_none(dev_folder):
    with gateway.dev(dev_folder, "--signed-tokens") as dev:
        assert "ID tokens: signed" in dev.log.read_text()
        signed, signed_cookie = tokens(dev)
        assert verified(dev, signed, ISSUER)["sub"] == verified(dev, signed_cookie, COOKIE_ISSUER)["sub"]
        assert is_accepted(dev, signed)
    with gateway.dev(dev_folder) as dev:
        assert "--signed-tokens" in dev.log.read_text()
        unsigned, unsigned_cookie = tokens(dev)
        for token in (unsigned, unsigned_cookie):
            assert jwt.get_unverified_header(token) == {"alg": "none", "typ": "JWT"}
            assert token.endswith(".")
        assert is_accepted(dev, unsigned)
        assert is_accepted(dev, signed)
    with gateway.dev(dev_folder, "--signed-tokens") as dev:
        assert is_accepted(dev, signed)
        assert not is_accepted(dev, unsigned)


def test_serve_has_no_option_for_unsigned_tokens():
    assert "--signed-tokens" in gateway.run_sekisho("dev", "--help").stdout
    assert "signed-tokens" not in gateway.run_sekisho("serve", "--help").stdout
