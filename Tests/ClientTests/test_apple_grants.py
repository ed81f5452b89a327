"""Tokens of Sign in with Apple are revoked after their account is deleted, even if the process is killed first."""

import signal

import pytest
import requests

import gateway
from gateway import eventually
from installation import sql
from simulators import Simulators, idp_sign_in_body


def post(dev, path, body):
    response = requests.post(f"{dev.url}{path}?key=any", json=body, timeout=30)
    assert response.status_code == 200, response.text
    return response.json()


def grant_states(dev):
    """The states of all grants (stored tokens of Apple)."""
    return sql(dev.database_url, "SELECT state FROM apple_grant").split()


def sign_in_new_person(dev):
    """Signs a new person in, and waits until the gateway has exchanged Apple's authorization code for a token."""
    account = post(dev, "/v1/accounts:signInWithIdp", idp_sign_in_body(Simulators(dev).sign_in_with_apple()))
    assert eventually(lambda: grant_states(dev) == ["AUTHORIZED"])
    return account


# With `outage`, the simulated Apple responds with status 503. With `silent`, it does not respond.
@pytest.mark.parametrize("fault", ["outage", "silent"])
def test_a_token_is_revoked_once_although_the_process_is_killed_first(dev_folder, fault):
    with gateway.dev(dev_folder) as dev:
        account = sign_in_new_person(dev)
        Simulators(dev).configure(apple={"fault": fault})
        deleted = post(dev, "/v1/accounts:delete", {"idToken": account["idToken"]})
        assert deleted["appleRevocation"] == "QUEUED"
        # The worker has claimed the grant, and Apple does not accept the revocation.
        assert eventually(lambda: sql(dev.database_url, "SELECT attempts FROM apple_grant").split() == ["1"])
        assert gateway.stop(dev.process, signal.SIGKILL) == -signal.SIGKILL
    with gateway.dev(dev_folder) as dev:
        # Otherwise the worker would wait before its next attempt.
        sql(dev.database_url, "UPDATE apple_grant SET due_at = now()")
        assert eventually(lambda: grant_states(dev) == [])
        assert Simulators(dev).revocation_count() == 1
