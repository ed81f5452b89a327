"""An outage of the database: requests fail in time, sessions survive, and no restart is needed."""

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
import requests

import gateway
from client import PASSWORD, Client, fresh_email
from gateway import TIMEOUT_SECONDS, eventually, on_every_event_loop
from installation import new_master_key


@pytest.fixture(scope="module")
def serve(own_installation):
    with own_installation.serving() as running:
        yield running


@pytest.fixture(scope="module")
def client(serve, contract):
    return Client(serve, contract)


def request_bodies(ada):
    """A request body for each of several operations that need the database, by operation."""
    credential = {"idToken": ada["idToken"]}
    return {
        "signUp": {"email": fresh_email(), "password": PASSWORD},
        "signInWithPassword": {"email": ada["email"], "password": PASSWORD},
        "refreshTokens": {"grant_type": "refresh_token", "refresh_token": ada["refreshToken"]},
        "lookUpOwnAccount": credential,
        "updateOwnAccount": credential | {"displayName": "Ada Lovelace"},
        "deleteOwnAccount": credential,
        "createAuthUri": {"identifier": ada["email"], "continueUri": "http://localhost"},
    }


def readiness_failure(serve):
    """The text of a failed readiness check, or `None` if the check succeeds. The result may be up to a second old."""
    response = requests.get(serve.url + "/readyz", timeout=30)
    return response.text if response.status_code == 503 else None


def has_recovered(client, ada):
    """Whether the event loops that answer can read and write again. They use separate connections to read and write."""
    statuses = {
        client.call("lookUpOwnAccount", {"idToken": ada["idToken"]}).status,
        client.call("updateOwnAccount", {"idToken": ada["idToken"], "displayName": "Ada"}).status}
    assert statuses <= {200, 503}
    return statuses == {200}


@pytest.mark.parametrize("outage", ["stopped", pytest.param("frozen", marks=pytest.mark.slow)])
def test_requests_in_an_outage_get_503_in_plain_text_and_sessions_survive(outage, postgres, serve, client):
    ada = client.new_account()
    bodies = request_bodies(ada)
    with getattr(postgres, outage)(), ThreadPoolExecutor(len(bodies)) as pool:
        # Two rounds: an idle connection fails in another way than a new one.
        for _ in range(2):
            responses = pool.map(lambda name: client.call(name, bodies[name]), bodies)
            outcomes = {name: (response.status, type(response.body)) for name, response in zip(bodies, responses)}
            assert outcomes == dict.fromkeys(bodies, (503, str))
        assert client.call("getHealth").status == 200
        assert eventually(lambda: client.call("getReadiness").status == 503)
        assert client.call("getMetrics").status == 200
        for document in ("getProjectJwks", "getProjectOpenIdConfiguration", "getSigningCertificates"):
            assert client.call(document).status in (200, 503)
    assert on_every_event_loop(lambda: has_recovered(client, ada), TIMEOUT_SECONDS)
    # The result may be a second old.
    assert eventually(lambda: client.call("getReadiness").status == 200)
    assert client.call("refreshTokens", bodies["refreshTokens"]).status == 200
    assert client.call("signInWithPassword", bodies["signInWithPassword"]).status == 200
    user = client.lookup(ada)
    assert user["displayName"] == "Ada"


def test_readiness_does_not_mention_migrations_in_an_outage(postgres, serve):
    with postgres.stopped():
        assert eventually(lambda: readiness_failure(serve)).strip() == "database: not reachable"


@contextmanager
def started_in_an_outage(postgres, replica, api_key=""):
    """Starts a gateway while PostgreSQL is stopped, and yields it after PostgreSQL has started again."""
    with ExitStack() as stack:
        with postgres.stopped():
            serve = stack.enter_context(replica.starting(api_key))
            gateway.wait_for(serve.is_alive, serve.process, serve.log)
            assert eventually(lambda: readiness_failure(serve))
        yield serve


def test_a_gateway_started_in_an_outage_becomes_ready_after_it(postgres, own_installation, contract):
    api_key = own_installation.create_api_key()
    with started_in_an_outage(postgres, own_installation.second_gateway(), api_key) as serve:
        client = Client(serve, contract)
        gateway.wait_for(serve.is_ready, serve.process, serve.log)
        assert eventually(lambda: client.call("signUp", {}).status == 200)


def test_a_gateway_started_in_an_outage_rejects_another_master_key(postgres, own_installation):
    replica = own_installation.second_gateway()
    replica.environment["SEKISHO_MASTER_KEY"] = new_master_key()
    with pytest.raises(AssertionError, match="the master key is not the one"):
        with started_in_an_outage(postgres, replica) as serve:
            assert serve.process.wait(60) == 1


def test_sigterm_ends_a_gateway_during_an_outage(postgres, own_installation):
    with own_installation.second_gateway().serving() as serve, postgres.stopped():
        assert eventually(lambda: readiness_failure(serve))
        assert gateway.stop(serve.process, signal.SIGTERM) == 0
    with postgres.stopped(), own_installation.second_gateway().starting() as serve:
        gateway.wait_for(serve.is_alive, serve.process, serve.log)
        assert gateway.stop(serve.process, signal.SIGTERM) == 0
