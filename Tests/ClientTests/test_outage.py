"""The database goes and comes back: nobody hangs, nobody is signed out, nothing is restarted."""

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
import requests

import gateway
from exchange import PASSWORD, Client, fresh_email
from gateway import eventually
from installation import Installation, master_key, new_database
from postgres import Postgres


@pytest.fixture(scope="module")
def postgres(folder):
    server = Postgres(folder / "outage")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def installation(folder, postgres):
    return Installation(folder, new_database(postgres.url)).with_project()


@pytest.fixture(scope="module")
def serve(installation):
    with installation.serving() as running:
        yield running


@pytest.fixture(scope="module")
def client(serve, contract):
    return Client(serve, contract)


def operations(ada):
    mine = {"idToken": ada["idToken"]}
    return {
        "signUp": {"email": fresh_email(), "password": PASSWORD},
        "signInWithPassword": {"email": ada["email"], "password": PASSWORD},
        "token": {"grant_type": "refresh_token", "refresh_token": ada["refreshToken"]},
        "lookup": mine,
        "update": mine | {"displayName": "Ada Lovelace"},
        "delete": mine,
        "createAuthUri": {"identifier": ada["email"], "continueUri": "http://localhost"},
    }


def unready(serve):
    """What readiness complains about; it may be a second behind."""
    answer = requests.get(serve.url + "/readyz", timeout=30)
    return answer.text if answer.status_code == 503 else None


def settled(client, ada):
    """Whether every loop of the gateway has its database back."""
    answers = [client.call("lookup", {"idToken": ada["idToken"]}).status for _ in range(8)]
    assert set(answers) <= {200, 503}
    return set(answers) == {200}


@pytest.mark.parametrize("outage", ["stopped", "frozen"])
def test_an_outage_is_answered_in_plain_text_and_ends_by_itself(outage, postgres, serve, client):
    ada = client.ada()
    asked = operations(ada)
    with getattr(postgres, outage)(), ThreadPoolExecutor(len(asked)) as everybody:
        # Several rounds: an idle connection fails otherwise than a new one, or none.
        for _ in range(2):
            answers = everybody.map(lambda name: client.call(name, asked[name]), asked)
            told = {name: (answer.status, type(answer.body)) for name, answer in zip(asked, answers)}
            assert told == dict.fromkeys(asked, (503, str))
        assert client.call("getHealth").status == 200
        assert eventually(lambda: client.call("getReadiness").status == 503)
        assert client.call("getMetrics").status == 200
        for document in ("getProjectJwks", "getProjectOpenIdConfiguration", "getSigningCertificates"):
            assert client.call(document).status in (200, 503)
    assert eventually(lambda: settled(client, ada))
    assert client.call("getReadiness").status == 200
    assert client.call("token", asked["token"]).status == 200
    assert client.call("signInWithPassword", asked["signInWithPassword"]).status == 200
    [user] = client.call("lookup", {"idToken": ada["idToken"]}).body["users"]
    assert user["displayName"] == "Ada"


def test_readiness_names_the_migrations_only_where_migrate_would_help(postgres, serve):
    with postgres.stopped():
        assert eventually(lambda: unready(serve)).strip() == "database: not reachable"


def alive(serve):
    try:
        return requests.get(serve.url + "/healthz", timeout=30).status_code == 200
    except requests.ConnectionError:
        return False


@contextmanager
def started_in_an_outage(postgres, replica, key=""):
    with ExitStack() as stack:
        with postgres.stopped():
            serve = stack.enter_context(replica.started(key))
            gateway.awaited(lambda: alive(serve), serve.process, serve.log)
            assert eventually(lambda: unready(serve))
        yield serve


def test_a_gateway_started_in_an_outage_comes_up_by_itself(postgres, installation, contract):
    key = installation.api_key()
    with started_in_an_outage(postgres, installation.replica(), key) as serve:
        client = Client(serve, contract)
        gateway.awaited(serve.is_ready, serve.process, serve.log)
        assert eventually(lambda: client.call("signUp", {}).status == 200)


def test_a_gateway_started_in_an_outage_still_refuses_a_wrong_master_key(postgres, installation):
    replica = installation.replica()
    replica.environment["SEKISHO_MASTER_KEY"] = master_key()
    with pytest.raises(AssertionError, match="the master key is not the one"):
        with started_in_an_outage(postgres, replica) as serve:
            assert serve.process.wait(60) == 1


def test_an_outage_does_not_keep_a_gateway_from_ending(postgres, installation):
    with installation.replica().serving() as serve, postgres.stopped():
        assert eventually(lambda: unready(serve))
        assert gateway.ended(serve.process, signal.SIGTERM) == 0
    with postgres.stopped(), installation.replica().started() as serve:
        gateway.awaited(lambda: alive(serve), serve.process, serve.log)
        assert gateway.ended(serve.process, signal.SIGTERM) == 0
