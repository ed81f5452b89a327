"""`sekisho verify-token` reports whether a provider's token would be accepted, and the reason if not."""

import base64
import hashlib
import json
import subprocess

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from gateway import TIMEOUT_SECONDS, binary

# 2027-01-15T08:00:00Z
NOW = 1_800_000_000
# The clock skew that the gateway allows, in seconds.
LEEWAY = 60
APP = "com.example.app"
APPLE = "https://appleid.apple.com"
NONCE = "n-0S6_WzA2Mj"
HASHED_NONCE = hashlib.sha256(NONCE.encode()).hexdigest()

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())

CLAIMS = {
    "apple.com": {"iss": APPLE, "aud": APP, "sub": "001.ada", "iat": NOW - 10, "exp": NOW + 600, "nonce": HASHED_NONCE,
                  "email": "x1@privaterelay.appleid.com", "email_verified": "true", "real_user_status": 2},
    "google.com": {"iss": "https://accounts.google.com", "aud": APP, "azp": APP, "sub": "1081", "iat": NOW - 10,
                   "exp": NOW + 600, "email": "ada@gmail.com", "email_verified": True, "name": "Ada King"},
}
EVENT = {"type": "account-delete", "sub": "001.ada", "event_time": NOW * 1000}


@pytest.fixture(scope="module")
def jwks(tmp_path_factory):
    """The path of a file with the public keys of the provider."""
    keys = [
        {**RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True), "kid": "one", "use": "sig", "alg": "RS256"},
        {**ECAlgorithm.to_jwk(EC_KEY.public_key(), as_dict=True), "kid": "ec"},
    ]
    path = tmp_path_factory.mktemp("keys") / "jwks.json"
    path.write_text(json.dumps({"keys": keys}))
    return path


def token(provider="apple.com", key=KEY, kid="one", algorithm="RS256", headers=None, **changes):
    """Returns a valid token of a provider, in which `changes` replace claims; `None` removes a claim."""
    claims = {name: value for name, value in {**CLAIMS[provider], **changes}.items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid, "typ": None, **(headers or {})})


def notification(event=None, **changes):
    """A notification as Apple sends it: the event is JSON in a string, and there is no expiry."""
    events = event if event is not None else json.dumps(EVENT)
    removed = dict.fromkeys(["sub", "nonce", "email", "email_verified", "real_user_status", "exp"])
    return token(**{**removed, "jti": "one", "events": events, **changes})


def verify(text, jwks, *options, provider="apple.com", at=NOW):
    """Runs the command with a text on standard input, and returns its output."""
    words = ["--provider", provider, "--audience", APP, "--jwks", str(jwks), "--at", str(at), *options]
    completed = subprocess.run(
        [binary(), "verify-token", *words], input=text, capture_output=True, text=True, env={}, timeout=TIMEOUT_SECONDS)
    assert completed.stderr == ""
    result = json.loads(completed.stdout)
    assert completed.returncode == (0 if result["accepted"] else 1)
    return result


def reason(text, jwks, *options, **more):
    """Runs the command like `verify`, and returns the reason of the rejection."""
    return verify(text, jwks, *options, **more)["reason"]


def test_a_valid_token_of_apple_is_accepted_with_its_identity(jwks):
    assert verify(token(), jwks, "--nonce", NONCE) == {
        "accepted": True,
        "identity": {
            "provider": "apple.com", "subject": "001.ada", "audience": APP, "email": "x1@privaterelay.appleid.com",
            "emailTrust": "authoritative", "isPrivateEmail": True, "realUserStatus": 2, "isSingleUse": True,
        },
        "token": {"algorithm": "RS256", "keyId": "one", "issuer": APPLE},
    }


def test_a_valid_token_of_google_is_accepted_with_its_identity(jwks):
    assert verify(token("google.com"), jwks, provider="google.com")["identity"] == {
        "provider": "google.com", "subject": "1081", "audience": APP, "email": "ada@gmail.com",
        "emailTrust": "authoritative", "isPrivateEmail": False, "displayName": "Ada King", "isSingleUse": False,
    }


def test_the_output_is_the_same_each_time_and_has_several_lines(jwks):
    words = ["--provider", "apple.com", "--audience", APP, "--jwks", str(jwks), "--at", str(NOW)]
    printed = {
        subprocess.run([binary(), "verify-token", *words], input=token() + "\n", capture_output=True, text=True).stdout
        for _ in range(3)
    }
    assert len(printed) == 1
    lines = printed.pop().splitlines()
    assert lines[0] == "{" and lines[-1] == "}" and len(lines) > 5


@pytest.mark.parametrize(("changes", "expected"), [
    ({"iss": "https://account.apple.com"},
     {"check": "issuer", "expected": [APPLE], "seen": "https://account.apple.com"}),
    ({"aud": "com.other"}, {"check": "audience", "expected": [APP], "seen": ["com.other"]}),
    ({"aud": [APP, "com.other"]}, {"check": "audience", "expected": [APP], "seen": [APP, "com.other"]}),
    ({"azp": "com.sibling"}, {"check": "authorizedParty", "expected": [APP], "seen": "com.sibling"}),
    ({"exp": NOW - LEEWAY}, {"check": "expiry", "seen": "2027-01-15T07:59:00.000Z"}),
    ({"iat": NOW + LEEWAY + 1}, {"check": "issuedAt", "seen": "2027-01-15T08:01:01.000Z"}),
    ({"exp": None}, {"check": "exp"}),
    ({"exp": 1e300}, {"check": "exp"}),
    ({"sub": ""}, {"check": "sub"}),
    ({"kid": "two"}, {"check": "keyId", "seen": "two"}),
    ({"kid": ""}, {"check": "keyId"}),
    ({"key": OTHER_KEY}, {"check": "signature"}),
    ({"key": EC_KEY, "kid": "ec", "algorithm": "ES256"}, {"check": "algorithm", "expected": "RS256", "seen": "ES256"}),
    ({"key": "0" * 32, "algorithm": "HS256"}, {"check": "algorithm", "expected": "RS256", "seen": "HS256"}),
    ({"headers": {"crit": ["exp"]}}, {"check": "header"}),
    ({"headers": {"typ": "at+jwt"}}, {"check": "typ"}),
])
def test_a_rejection_has_the_expected_and_the_actual_value(changes, expected, jwks):
    rejection = reason(token(**changes), jwks, "--nonce", NONCE)
    assert expected.items() <= rejection.items()
    assert rejection["explanation"]


@pytest.mark.parametrize(("claim", "options", "seen"), [
    (NONCE, ["--nonce", NONCE], "the nonce itself, unhashed"),
    (base64.urlsafe_b64encode(bytes.fromhex(HASHED_NONCE)).rstrip(b"=").decode(), ["--nonce", NONCE], "base64url"),
    (hashlib.sha256(b"other").hexdigest(), ["--nonce", NONCE], "another nonce"),
    ("something else", ["--nonce", NONCE], "an unknown form"),
    (HASHED_NONCE, [], None),
    (None, ["--nonce", NONCE], None),
    (None, [], None),
    (HASHED_NONCE, ["--nonce", ""], None),
])
def test_only_the_form_of_a_wrong_nonce_is_reported(claim, options, seen, jwks):
    result = verify(token(nonce=claim), jwks, *options)
    assert result["reason"]["check"] == "nonce"
    assert seen is None or seen in result["reason"]["seen"]
    for secret in (NONCE, claim):
        assert secret is None or secret not in json.dumps(result)


def test_an_unhashed_nonce_is_accepted_on_request(jwks):
    assert verify(token(nonce=NONCE), jwks, "--nonce", NONCE, "--allow-raw-nonce")["accepted"]


def test_the_profile_decides_whether_a_nonce_is_required(jwks):
    assert not verify(token(nonce=None), jwks)["accepted"]
    assert verify(token(nonce=None), jwks, "--profile", "firebase")["accepted"]


@pytest.mark.parametrize("text", ["", " ", "a.b.c", "a b", "{}", "é", "x" * 20_000])
def test_text_that_is_not_a_token_is_rejected(text, jwks):
    assert reason(text, jwks)["check"] == "form"


def test_the_time_of_verification_is_configurable(jwks):
    assert verify(token(), jwks, "--nonce", NONCE, at=NOW + 600 + LEEWAY - 1)["accepted"]
    assert reason(token(), jwks, "--nonce", NONCE, at=NOW + 600 + LEEWAY)["check"] == "expiry"


def test_several_audiences_can_be_named(jwks):
    assert verify(token(aud="com.example.web"), jwks, "--nonce", NONCE, "--audience", "com.example.web")["accepted"]


@pytest.mark.parametrize("text", ["<html>", '{"keys":[]}', "{}"])
def test_a_token_is_rejected_if_the_key_set_is_invalid(text, tmp_path):
    path = tmp_path / "jwks.json"
    path.write_text(text)
    assert reason(token(), path, "--nonce", NONCE)["check"] == "keys"


@pytest.mark.parametrize(("sent", "shown"), [
    ("account-delete", "account-deleted"), ("account-deleted", "account-deleted"),
    ("consent-revoked", "consent-revoked"), ("email-enabled", "email-enabled"), ("email-disabled", "email-disabled"),
])
@pytest.mark.parametrize("shape", ["text", "object"])
@pytest.mark.parametrize("is_wrapped", [True, False])
def test_notifications_of_every_shape_are_shown_in_the_same_form(sent, shown, shape, is_wrapped, jwks):
    event = {**EVENT, "type": sent}
    # An object has `event_time` in seconds, a text in milliseconds.
    event = {**event, "event_time": NOW} if shape == "object" else json.dumps(event)
    text = notification(event)
    assert verify(json.dumps({"payload": text}) if is_wrapped else text, jwks, "--notification") == {
        "accepted": True,
        "notification": {
            "id": "one", "audience": APP, "type": shown, "isKnown": True, "subject": "001.ada",
            "occurredAt": "2027-01-15T08:00:00.000Z",
        },
        "token": {"algorithm": "RS256", "keyId": "one", "issuer": APPLE},
    }


def test_a_notification_about_an_email_address_names_it(jwks):
    event = {**EVENT, "type": "email-disabled", "email": "x1@privaterelay.appleid.com", "is_private_email": "true"}
    shown = verify(notification(json.dumps(event)), jwks, "--notification")["notification"]
    assert (shown["email"], shown["isPrivateEmail"]) == ("x1@privaterelay.appleid.com", True)


def test_a_notification_of_an_unknown_type_is_shown_as_unknown(jwks):
    shown = verify(notification({"type": "new", "sub": "a"}), jwks, "--notification")["notification"]
    assert (shown["type"], shown["isKnown"]) == ("new", False)
    assert "occurredAt" not in shown


@pytest.mark.parametrize(("text", "check"), [
    (notification(aud="com.other"), "audience"), (notification(jti=None), "jti"), (notification("no"), "events"),
    (notification(exp=NOW - LEEWAY - 1), "expiry"), (token(), "jti"), ('{"payload":1}', "form"), ("{}", "form"),
])
def test_an_invalid_notification_is_rejected(text, check, jwks):
    assert reason(text, jwks, "--notification")["check"] == check


def test_tokens_and_notifications_are_not_interchangeable(jwks):
    assert reason(notification(exp=NOW + 600, sub="001.ada"), jwks)["check"] == "events"
    assert reason(token(), jwks, "--notification")["check"] == "jti"


def test_a_token_cannot_control_the_terminal(jwks):
    words = ["--provider", "apple.com", "--audience", APP, "--jwks", str(jwks), "--at", str(NOW)]
    completed = subprocess.run(
        [binary(), "verify-token", *words], input=token(aud="\x1b[2J\x9b2J\x7f"), capture_output=True, text=True)
    assert not {"\x1b", "\x9b", "\x7f"} & set(completed.stdout + completed.stderr)
    assert json.loads(completed.stdout)["reason"]["seen"] == ["\x1b[2J\x9b2J\x7f"]


def test_oversized_input_is_not_read(jwks):
    words = ["--provider", "apple.com", "--audience", APP, "--jwks", str(jwks)]
    completed = subprocess.run(
        [binary(), "verify-token", *words], input="x" * 70_000, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert (completed.returncode, completed.stdout) == (1, "")
    assert "expected at most 65536 bytes" in completed.stderr
