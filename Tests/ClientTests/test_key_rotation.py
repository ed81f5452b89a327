"""Rotation of signing keys, refresh keys and the master key while sessions exist.

`fresh_installation` is a database that only this file uses; `fresh_serve` is `sekisho serve` with it.
"""

from datetime import datetime, timedelta

import jwt
import pytest
import requests

from client import Client
from gateway import REQUESTS_TO_REACH_EVERY_LOOP, on_every_event_loop, once_configuration_applies
from installation import new_master_key


@pytest.fixture(scope="module")
def client(fresh_serve, contract):
    return Client(fresh_serve, contract)


def published_key_ids(serve):
    """The IDs of the published keys that every event loop knows: each loop has its own copy of the configuration."""
    url = f"{serve.url}/demo/.well-known/jwks.json"
    sets = [requests.get(url, timeout=30).json()["keys"] for _ in range(REQUESTS_TO_REACH_EVERY_LOOP)]
    return set.intersection(*({key["kid"] for key in keys} for keys in sets))


def signing_key_id(token):
    return jwt.get_unverified_header(token)["kid"]


@pytest.mark.slow
def test_a_new_signing_key_is_published_before_it_signs_and_old_tokens_stay_valid(
        fresh_installation, fresh_serve, client):
    before = client.sign_up()
    [old] = published_key_ids(fresh_serve)
    new = fresh_installation.run_ok("keys rotate-signing-key --project demo")
    assert once_configuration_applies(lambda: published_key_ids(fresh_serve) == {old, new})
    after = client.sign_up()
    assert signing_key_id(after["idToken"]) == old
    for session in (before, after):
        assert client.call("lookUpOwnAccount", {"idToken": session["idToken"]}).status == 200
        assert client.refresh(session).status == 200
    assert fresh_installation.run_ok("keys list-signing-keys --project demo").count("ES256") == 2


@pytest.mark.slow
def test_an_immediate_rotation_invalidates_id_tokens_but_not_sessions(fresh_installation, fresh_serve, client):
    session = client.sign_up()
    new = fresh_installation.run_ok("keys rotate-signing-key --project demo --now")
    assert once_configuration_applies(lambda: published_key_ids(fresh_serve) == {new})
    lookup = {"idToken": session["idToken"]}
    assert on_every_event_loop(lambda: client.call("lookUpOwnAccount", lookup).code == "INVALID_ID_TOKEN")
    assert on_every_event_loop(lambda: signing_key_id(client.refresh(session).body["id_token"]) == new)
    fresh = client.refresh(session).body["id_token"]
    assert on_every_event_loop(lambda: client.call("lookUpOwnAccount", {"idToken": fresh}).status == 200)


@pytest.mark.slow
def test_only_an_immediate_rotation_of_the_refresh_key_ends_sessions(fresh_installation, fresh_serve, client):
    session = client.sign_up()
    fresh_installation.run_ok("keys rotate-refresh-key --project demo")
    assert client.refresh(session).status == 200
    fresh_installation.run_ok("keys rotate-refresh-key --project demo --now")
    assert on_every_event_loop(lambda: client.refresh(session).code == "INVALID_REFRESH_TOKEN")
    # An event loop that still uses the old key issues refresh tokens that the other loops reject.
    assert on_every_event_loop(lambda: client.refresh(client.sign_up()).status == 200)


def test_an_old_signing_key_is_accepted_until_the_last_session_cookie_has_expired(fresh_installation):
    fresh_installation.run_ok("projects create signed-cookies")
    fresh_installation.run_ok("keys rotate-signing-key --project signed-cookies")
    shown = fresh_installation.run_ok("keys list-signing-keys --project signed-cookies")
    # The columns are ID, purpose, algorithm, the time from which the key signs, and the time at which it retires.
    new, old = (line.split() for line in shown.splitlines() if "ES256" in line)
    signs_from, retires = datetime.fromisoformat(new[3]), datetime.fromisoformat(old[4])
    # A session cookie is valid for at most 14 days; five minutes are added for backends whose clocks are slow.
    assert retires - signs_from == timedelta(days=14, minutes=5)


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_a_rotation_keeps_the_algorithm_unless_another_is_requested(fresh_installation, algorithm):
    project = f"signed-{algorithm.lower()}"
    fresh_installation.run_ok(f"projects create {project} --algorithm {algorithm}")
    fresh_installation.run_ok(f"keys rotate-signing-key --project {project}")
    other = {"ES256": "RS256", "RS256": "ES256"}[algorithm]
    fresh_installation.run_ok(f"keys rotate-signing-key --project {project} --algorithm {other}")
    shown = fresh_installation.run_ok(f"keys list-signing-keys --project {project}")
    assert (shown.count(algorithm), shown.count(other)) == (2, 1)


def test_the_master_key_is_replaced_without_ending_sessions(new_installation, contract):
    installation = new_installation()
    old = installation.environment["SEKISHO_MASTER_KEY"]
    with installation.serving() as serve:
        session = Client(serve, contract).sign_up()

    installation.environment |= {"SEKISHO_MASTER_KEY": new_master_key(), "SEKISHO_MASTER_KEY_PREVIOUS": old}
    # Without the previous key, `serve` cannot decrypt the secrets in the database.
    assert installation.run("serve", SEKISHO_MASTER_KEY_PREVIOUS="").returncode == 1
    with installation.serving() as serve:
        # The two secrets are the project's signing key and refresh key.
        assert installation.run_ok("keys rewrap") == "rewrapped 2 secrets"
        assert installation.run_ok("keys rewrap") == "rewrapped 0 secrets"
        assert Client(serve, contract).refresh(session).status == 200

    del installation.environment["SEKISHO_MASTER_KEY_PREVIOUS"]
    with installation.serving() as serve:
        client = Client(serve, contract)
        assert client.call("lookUpOwnAccount", {"idToken": session["idToken"]}).status == 200
        assert client.refresh(session).status == 200
    with_the_old_key = installation.run("serve", SEKISHO_MASTER_KEY=old)
    assert with_the_old_key.returncode == 1
    assert "the master key is not the one that the database was created with" in with_the_old_key.stderr
