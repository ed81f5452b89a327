"""Signing keys and the master key, changed while people are signed in."""

import jwt
import pytest
import requests

from exchange import Client
from gateway import eventually
from installation import Installation, master_key, new_database

# A loop of the gateway may know what is configured from up to five ago.
CONFIGURATION_SECONDS = 6


@pytest.fixture(scope="module")
def serve(own):
    with own.serving() as running:
        yield running


@pytest.fixture(scope="module")
def client(serve, contract):
    return Client(serve, contract)


def published(serve):
    """The ids of the keys that every loop publishes by now."""
    sets = [requests.get(f"{serve.url}/demo/.well-known/jwks.json", timeout=30).json()["keys"] for _ in range(8)]
    return set.intersection(*({key["kid"] for key in keys} for keys in sets))


def refreshed(client, session):
    return client.call("token", {"grant_type": "refresh_token", "refresh_token": session["refreshToken"]})


def test_a_rotated_key_is_published_before_it_signs_and_ends_no_token(own, serve, client):
    before = client.signed_up()
    [old] = published(serve)
    new = own.done("keys rotate-signing-key --project demo")
    assert eventually(lambda: published(serve) == {old, new}, within=CONFIGURATION_SECONDS)
    after = client.signed_up()
    assert jwt.get_unverified_header(after["idToken"])["kid"] == old
    for session in (before, after):
        assert client.call("lookup", {"idToken": session["idToken"]}).status == 200
        assert refreshed(client, session).status == 200
    assert own.done("keys list-signing-keys --project demo").count("ES256") == 2


def test_a_leaked_key_is_void_within_seconds_and_nobody_is_signed_out(own, serve, client):
    session = client.signed_up()
    new = own.done("keys rotate-signing-key --project demo --now")
    assert eventually(lambda: published(serve) == {new}, within=CONFIGURATION_SECONDS)
    assert client.call("lookup", {"idToken": session["idToken"]}).code == "INVALID_ID_TOKEN"
    fresh = refreshed(client, session).body
    assert jwt.get_unverified_header(fresh["id_token"])["kid"] == new
    assert client.call("lookup", {"idToken": fresh["id_token"]}).status == 200


def test_a_new_refresh_key_ends_no_session_unless_the_old_one_leaked(own, serve, client):
    session = client.signed_up()
    own.done("keys rotate-refresh-key --project demo")
    assert refreshed(client, session).status == 200
    own.done("keys rotate-refresh-key --project demo --now")
    assert eventually(
        lambda: refreshed(client, session).code == "INVALID_REFRESH_TOKEN", within=CONFIGURATION_SECONDS
    )
    # A loop that does not know the new key yet still makes tokens that the others refuse.
    assert eventually(lambda: refreshed(client, client.signed_up()).status == 200, within=CONFIGURATION_SECONDS)


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_the_algorithm_changes_when_it_is_asked_for_only(own, algorithm):
    project = f"signed-{algorithm.lower()}"
    own.done(f"projects create {project} --algorithm {algorithm}")
    own.done(f"keys rotate-signing-key --project {project}")
    other = {"ES256": "RS256", "RS256": "ES256"}[algorithm]
    own.done(f"keys rotate-signing-key --project {project} --algorithm {other}")
    shown = own.done(f"keys list-signing-keys --project {project}")
    assert (shown.count(algorithm), shown.count(other)) == (2, 1)


def test_a_master_key_is_replaced_while_the_gateway_runs(folder, dev, contract):
    installation = Installation(folder, new_database(dev.database_url)).with_project()
    old = installation.environment["SEKISHO_MASTER_KEY"]
    with installation.serving() as serve:
        session = Client(serve, contract).signed_up()

    installation.environment |= {"SEKISHO_MASTER_KEY": master_key(), "SEKISHO_MASTER_KEY_PREVIOUS": old}
    assert installation.run("serve", SEKISHO_MASTER_KEY_PREVIOUS="").returncode == 1
    with installation.serving() as serve:
        assert installation.done("keys rewrap") == "rewrapped 2 secrets"
        assert installation.done("keys rewrap") == "rewrapped 0 secrets"
        assert refreshed(Client(serve, contract), session).status == 200

    del installation.environment["SEKISHO_MASTER_KEY_PREVIOUS"]
    with installation.serving() as serve:
        client = Client(serve, contract)
        assert client.call("lookup", {"idToken": session["idToken"]}).status == 200
        assert refreshed(client, session).status == 200
    with_the_old_key = installation.run("serve", SEKISHO_MASTER_KEY=old)
    assert with_the_old_key.returncode == 1
    assert "the master key is not the one this database was made with" in with_the_old_key.stderr
