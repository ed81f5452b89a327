"""`sekisho verify-token` tells whether a provider's token would be believed, and why not."""

import base64
import hashlib
import json
import subprocess

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from gateway import START_SECONDS, binary

NOW = 1_800_000_000
APP = "com.example.app"
APPLE = "https://appleid.apple.com"
RAW = "n-0S6_WzA2Mj"
HASHED = hashlib.sha256(RAW.encode()).hexdigest()

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())

CLAIMS = {
    "apple.com": {"iss": APPLE, "aud": APP, "sub": "001.ada", "iat": NOW - 10, "exp": NOW + 600, "nonce": HASHED,
                  "email": "x1@privaterelay.appleid.com", "email_verified": "true", "real_user_status": 2},
    "google.com": {"iss": "https://accounts.google.com", "aud": APP, "azp": APP, "sub": "1081", "iat": NOW - 10,
                   "exp": NOW + 600, "email": "ada@gmail.com", "email_verified": True, "name": "Ada King"},
}
EVENT = {"type": "account-delete", "sub": "001.ada", "event_time": NOW * 1000}


@pytest.fixture(scope="module")
def jwks(tmp_path_factory):
    keys = [
        {**RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True), "kid": "one", "use": "sig", "alg": "RS256"},
        {**ECAlgorithm.to_jwk(EC_KEY.public_key(), as_dict=True), "kid": "ec"},
    ]
    path = tmp_path_factory.mktemp("keys") / "jwks.json"
    path.write_text(json.dumps({"keys": keys}))
    return path


def token(provider="apple.com", key=KEY, kid="one", algorithm="RS256", headers=None, **changes):
    """A good one with other claims; `None` takes a claim out."""
    claims = {name: value for name, value in {**CLAIMS[provider], **changes}.items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid, "typ": None, **(headers or {})})


def notification(event=None, **changes):
    """As Apple sends them: the event is JSON in a string, and nothing ends."""
    events = event if event is not None else json.dumps(EVENT)
    empty = dict.fromkeys(["sub", "nonce", "email", "email_verified", "real_user_status", "exp"])
    return token(**{**empty, "jti": "one", "events": events, **changes})


def verify(text, jwks, *options, provider="apple.com", at=NOW):
    words = ["--provider", provider, "--audience", APP, "--jwks", str(jwks), "--at", str(at), *options]
    ran = subprocess.run(
        [binary(), "verify-token", *words], input=text, capture_output=True, text=True, env={}, timeout=START_SECONDS)
    assert ran.stderr == ""
    verdict = json.loads(ran.stdout)
    assert ran.returncode == (0 if verdict["accepted"] else 1)
    return verdict


def reason(text, jwks, *options, **more):
    return verify(text, jwks, *options, **more)["reason"]


def test_a_good_token_of_apples_is_told_with_what_it_says(jwks):
    assert verify(token(), jwks, "--nonce", RAW) == {
        "accepted": True,
        "identity": {
            "provider": "apple.com", "subject": "001.ada", "audience": APP, "email": "x1@privaterelay.appleid.com",
            "emailTrust": "authoritative", "isPrivateEmail": True, "realUserStatus": 2, "signsInOnce": True,
        },
        "token": {"algorithm": "RS256", "keyId": "one", "issuer": APPLE},
    }


def test_a_good_token_of_googles_is_told_with_what_it_says(jwks):
    assert verify(token("google.com"), jwks, provider="google.com")["identity"] == {
        "provider": "google.com", "subject": "1081", "audience": APP, "email": "ada@gmail.com",
        "emailTrust": "authoritative", "isPrivateEmail": False, "displayName": "Ada King", "signsInOnce": False,
    }


def test_it_is_printed_the_same_each_time_in_lines(jwks):
    words = ["--provider", "apple.com", "--audience", APP, "--jwks", str(jwks), "--at", str(NOW)]
    printed = {
        subprocess.run([binary(), "verify-token", *words], input=token() + "\n", capture_output=True, text=True).stdout
        for _ in range(3)
    }
    assert len(printed) == 1
    lines = printed.pop().splitlines()
    assert lines[0] == "{" and lines[-1] == "}" and len(lines) > 5


@pytest.mark.parametrize(("changes", "expected"), [
    ({"iss": "https://account.apple.com"}, {"check": "issuer", "expected": [APPLE], "seen": "https://account.apple.com"}),
    ({"aud": "com.other"}, {"check": "audience", "expected": [APP], "seen": ["com.other"]}),
    ({"aud": [APP, "com.other"]}, {"check": "audience", "expected": [APP], "seen": [APP, "com.other"]}),
    ({"azp": "com.sibling"}, {"check": "authorizedParty", "expected": [APP], "seen": "com.sibling"}),
    ({"exp": NOW - 60}, {"check": "expiry", "seen": "2027-01-15T07:59:00.000Z"}),
    ({"iat": NOW + 61}, {"check": "issuedAt", "seen": "2027-01-15T08:01:01.000Z"}),
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
def test_what_is_wrong_is_told_with_what_was_expected_and_seen(changes, expected, jwks):
    told = reason(token(**changes), jwks, "--nonce", RAW)
    assert expected.items() <= told.items()
    assert told["explanation"]


@pytest.mark.parametrize(("claim", "options", "seen"), [
    (RAW, ["--nonce", RAW], "the nonce itself, unhashed"),
    (base64.urlsafe_b64encode(hashlib.sha256(RAW.encode()).digest()).rstrip(b"=").decode(), ["--nonce", RAW], "base64url"),
    (hashlib.sha256(b"other").hexdigest(), ["--nonce", RAW], "another nonce"),
    ("something else", ["--nonce", RAW], "none of the usual forms"),
    (HASHED, [], None),
    (None, ["--nonce", RAW], None),
    (None, [], None),
    (HASHED, ["--nonce", ""], None),
])
def test_of_a_nonce_only_its_form_is_told(claim, options, seen, jwks):
    verdict = verify(token(nonce=claim), jwks, *options)
    assert verdict["reason"]["check"] == "nonce"
    assert seen is None or seen in verdict["reason"]["seen"]
    for secret in (RAW, claim):
        assert secret is None or secret not in json.dumps(verdict)


def test_an_unhashed_nonce_is_accepted_on_request(jwks):
    assert verify(token(nonce=RAW), jwks, "--nonce", RAW, "--allow-raw-nonce")["accepted"]


def test_the_policy_decides_whether_a_nonce_is_needed(jwks):
    assert not verify(token(nonce=None), jwks)["accepted"]
    assert verify(token(nonce=None), jwks, "--profile", "firebase")["accepted"]


@pytest.mark.parametrize("text", ["", " ", "a.b.c", "a b", "{}", "é", "x" * 20_000])
def test_what_is_no_token_is_told(text, jwks):
    assert reason(text, jwks)["check"] == "form"


def test_a_time_between_is_judged_by_that_time(jwks):
    assert verify(token(), jwks, "--nonce", RAW, at=NOW + 659)["accepted"]
    assert reason(token(), jwks, "--nonce", RAW, at=NOW + 660)["check"] == "expiry"


def test_several_audiences_may_be_named(jwks):
    assert verify(token(aud="com.example.web"), jwks, "--nonce", RAW, "--audience", "com.example.web")["accepted"]


@pytest.mark.parametrize("text", ["<html>", '{"keys":[]}', "{}"])
def test_keys_that_are_none_are_told(text, tmp_path):
    path = tmp_path / "jwks.json"
    path.write_text(text)
    assert reason(token(), path, "--nonce", RAW)["check"] == "keys"


@pytest.mark.parametrize(("given", "told"), [
    ("account-delete", "account-deleted"), ("account-deleted", "account-deleted"),
    ("consent-revoked", "consent-revoked"), ("email-enabled", "email-enabled"), ("email-disabled", "email-disabled"),
])
@pytest.mark.parametrize("shape", ["text", "object"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_notification_is_shown_in_one_form(given, told, shape, wrapped, jwks):
    event = {**EVENT, "type": given}
    event = {**event, "event_time": NOW} if shape == "object" else json.dumps(event)
    text = notification(event)
    assert verify(json.dumps({"payload": text}) if wrapped else text, jwks, "--notification") == {
        "accepted": True,
        "notification": {
            "id": "one", "audience": APP, "type": told, "isKnown": True, "subject": "001.ada",
            "occurredAt": "2027-01-15T08:00:00.000Z",
        },
        "token": {"algorithm": "RS256", "keyId": "one", "issuer": APPLE},
    }


def test_a_notification_about_mail_names_the_address(jwks):
    event = {**EVENT, "type": "email-disabled", "email": "x1@privaterelay.appleid.com", "is_private_email": "true"}
    shown = verify(notification(json.dumps(event)), jwks, "--notification")["notification"]
    assert (shown["email"], shown["isPrivateEmail"]) == ("x1@privaterelay.appleid.com", True)


def test_a_notification_of_a_new_type_is_shown_as_such(jwks):
    shown = verify(notification({"type": "new", "sub": "a"}), jwks, "--notification")["notification"]
    assert (shown["type"], shown["isKnown"]) == ("new", False)
    assert "occurredAt" not in shown


@pytest.mark.parametrize(("text", "check"), [
    (notification(aud="com.other"), "audience"), (notification(jti=None), "jti"), (notification("no"), "events"),
    (notification(exp=NOW - 61), "expiry"), (token(), "jti"), ('{"payload":1}', "form"), ("{}", "form"),
])
def test_what_is_wrong_with_a_notification_is_told(text, check, jwks):
    assert reason(text, jwks, "--notification")["check"] == check


def test_a_notification_is_no_token_and_a_token_no_notification(jwks):
    assert reason(notification(exp=NOW + 600, sub="001.ada"), jwks)["check"] == "events"
    assert reason(token(), jwks, "--notification")["check"] == "jti"


def test_too_much_is_not_read(jwks):
    words = ["--provider", "apple.com", "--audience", APP, "--jwks", str(jwks)]
    ran = subprocess.run(
        [binary(), "verify-token", *words], input="x" * 70_000, capture_output=True, text=True, timeout=START_SECONDS)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "more than 65536 bytes" in ran.stderr
