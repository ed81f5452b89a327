"""The gateway verifies each notification of Apple, and applies it in every project that has its client ID."""

import secrets
import time

import jwt
import pytest
import requests

from client import ADMIN_HEADERS, unverified_claims
from gateway import eventually
from installation import sql
from simulators import Simulators, fresh_person, idp_sign_in_body, unpublished_key

CLIENT_ID = "com.example.app"


def post(dev, path, body, status=200):
    response = requests.post(f"{dev.url}{path}", params={"key": "any"}, json=body, timeout=30)
    assert response.status_code == status, response.text
    return response.json()


def sign_in_with_apple(dev, person):
    return post(dev, "/v1/accounts:signInWithIdp", idp_sign_in_body(Simulators(dev).sign_in_with_apple(person)))


def is_signed_in(dev, account):
    url = f"{dev.url}/v1/accounts:lookup?key=any"
    return requests.post(url, json={"idToken": account["idToken"]}, timeout=30).status_code == 200


def simulate_event(dev, **event):
    """Simulates an event at Apple, and returns the payload of the notification that the gateway accepted."""
    [sent] = Simulators(dev).configure(apple={"clientId": CLIENT_ID} | event)["notifications"]
    assert sent["status"] == 200
    return sent["payload"]


def call_as_admin(dev, path, body, project=None):
    url = f"{dev.url}/v1/projects/{project or dev.project}/accounts{path}"
    response = requests.post(url, headers=ADMIN_HEADERS, json=body, timeout=30)
    assert response.status_code == 200, response.text
    return response.json()


def apple_identity(dev, account, project=None):
    """The only identity of an account; `None` if it has none."""
    [user] = call_as_admin(dev, ":lookup", {"localId": [account["localId"]]}, project)["users"]
    return next(iter(user.get("providerUserInfo", [])), None)


def test_a_person_who_disconnects_the_app_is_signed_out_once_even_if_the_notification_is_repeated(dev):
    person = fresh_person()
    first = sign_in_with_apple(dev, person)
    payload = simulate_event(dev, disconnect=person)
    assert not is_signed_in(dev, first)
    assert apple_identity(dev, first)["credentialState"] == "REVOKED"
    # The times in identity tokens are whole seconds. To be newer than the disconnection, the next token must be of a
    # later second.
    time.sleep(1)
    second = sign_in_with_apple(dev, person)
    assert second["localId"] == first["localId"]
    for path in ("/v1/apple/notifications", f"/{dev.project}/v1/apple/notifications"):
        assert post(dev, path, {"payload": payload}) == {}
    assert is_signed_in(dev, second)
    assert apple_identity(dev, second)["credentialState"] == "AUTHORIZED"


def test_an_identity_token_from_before_a_disconnection_does_not_sign_in(dev):
    person = fresh_person()
    sign_in_with_apple(dev, person)
    proof = Simulators(dev).sign_in_with_apple(person)
    simulate_event(dev, disconnect=person)
    rejected = post(dev, "/v1/accounts:signInWithIdp", idp_sign_in_body(proof), status=400)
    assert rejected["error"]["errorCode"] == "INVALID_IDP_RESPONSE"


def test_a_deleted_apple_account_is_unlinked(dev):
    person = fresh_person()
    account = sign_in_with_apple(dev, person)
    simulate_event(dev, deleteAccount=person)
    assert not is_signed_in(dev, account)
    assert apple_identity(dev, account) is None


def test_an_email_to_a_relay_address_that_forwards_nothing_is_given_up(dev):
    person = fresh_person() | {"hidesEmail": True}
    account = sign_in_with_apple(dev, person)
    relay = account["email"]
    simulate_event(dev, relay={"person": person, "forwards": False})
    assert apple_identity(dev, account)["emailForwarding"] is False
    post(dev, "/v1/accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": relay})
    failure = f"SELECT failure FROM outgoing_email WHERE recipient = '{relay}' AND failed_at IS NOT NULL"
    assert eventually(lambda: sql(dev.database_url, failure).strip() == "the relay address forwards no email")
    simulate_event(dev, relay={"person": person, "forwards": True})
    assert apple_identity(dev, account)["emailForwarding"] is True


def test_a_notification_is_applied_in_both_projects_that_have_the_client_id(dev):
    person, other_project = fresh_person(), "other" + secrets.token_hex(4)
    account = sign_in_with_apple(dev, person)
    other_account = call_as_admin(dev, "", {"email": person["email"]}, other_project)
    subject = apple_identity(dev, account)["rawId"]
    identity = {"providerId": "apple.com", "rawId": subject}
    call_as_admin(dev, f"/{other_account['localId']}/identities", identity, other_project)
    simulate_event(dev, disconnect=person)
    assert not is_signed_in(dev, account)
    for linked_account, project in ((account, dev.project), (other_account, other_project)):
        assert apple_identity(dev, linked_account, project)["credentialState"] == "REVOKED"


@pytest.mark.parametrize("fault", ["another key", "another audience", "altered", "no token"])
def test_a_notification_that_is_forged_or_for_another_app_is_rejected(dev, fault):
    person = fresh_person()
    account = sign_in_with_apple(dev, person)
    genuine = simulate_event(dev, relay={"person": person, "forwards": True})
    header, claims = jwt.get_unverified_header(genuine), unverified_claims(genuine)
    # The event "consent-revoked" would sign the person out.
    claims |= {"jti": secrets.token_hex(8), "events": claims["events"].replace("email-enabled", "consent-revoked")}
    signed = jwt.encode(claims, unpublished_key(), algorithm="RS256", headers={"kid": header["kid"]})
    payload = {
        "another key": signed,
        "altered": ".".join([*signed.split(".")[:2], genuine.split(".")[2]]),
        "no token": "none",
    }.get(fault)
    if fault == "another audience":
        sent = Simulators(dev).configure(apple={"clientId": "com.attacker.app", "disconnect": person})
        assert [notification["status"] for notification in sent["notifications"]] == [400]
        payload = sent["notifications"][0]["payload"]
    rejected = post(dev, "/v1/apple/notifications", {"payload": payload}, status=400)
    assert rejected["error"]["errorCode"] == "INVALID_IDP_RESPONSE"
    assert is_signed_in(dev, account)


def test_a_notification_gets_503_while_the_keys_of_apple_cannot_be_fetched(dev):
    simulators = Simulators(dev)
    person = fresh_person()
    account = sign_in_with_apple(dev, person)
    try:
        # For tokens with unknown keys, the gateway fetches Apple's keys at most once a minute.
        simulators.change_clock(advanceSeconds=120)
        simulators.configure(apple={"rotateKeys": True, "dropOldKeys": True})
        simulators.configure(apple={"fault": "outage"})
        [sent] = simulators.configure(apple={"clientId": CLIENT_ID, "disconnect": person})["notifications"]
        assert sent["status"] == 503
        assert is_signed_in(dev, account)
        simulators.configure(reset=True)
        # Two minutes later, the gateway may fetch Apple's keys again.
        simulators.change_clock(advanceSeconds=120)
        assert post(dev, "/v1/apple/notifications", {"payload": sent["payload"]}) == {}
        assert not is_signed_in(dev, account)
    finally:
        simulators.configure(reset=True)
        simulators.change_clock(reset=True)


@pytest.mark.parametrize("change", [
    {"disconnect": {}}, {"deleteAccount": {}}, {"relay": {"forwards": True}}, {"relay": {}, "clientId": CLIENT_ID},
])
def test_an_incomplete_event_is_rejected(dev, change):
    response = Simulators(dev).request("PATCH", "/simulators", {"apple": change})
    assert response.status_code == 400, response.text
