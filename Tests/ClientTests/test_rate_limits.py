"""The replicas of an installation share the counters of rate limits."""

import pytest

from client import PASSWORD, Client, fresh_email
from gateway import eventually

TOO_MANY = "TOO_MANY_ATTEMPTS_TRY_LATER"
# Replicas exchange their counters about once a second. A busy machine may need longer.
EXCHANGE_SECONDS = 10


@pytest.fixture(scope="module")
def replicas(fresh_installation, contract):
    """Clients of two gateways with the same database."""
    fresh_installation.run_ok("projects policy demo --set signUpLimit=10 --set passwordFailureLimit=2")
    with fresh_installation.serving() as one, fresh_installation.second_gateway().serving() as other:
        yield Client(one, contract), Client(other, contract)


def sign_in(client, email, password=PASSWORD):
    return client.call("signInWithPassword", {"email": email, "password": password})


def test_password_failures_on_one_replica_count_on_the_other(replicas):
    one, other = replicas
    email = one.new_account()["email"]
    assert sign_in(other, email).status == 200
    for _ in range(2):
        assert sign_in(one, email, "wrong horse").code == "INVALID_LOGIN_CREDENTIALS"
    assert sign_in(one, email).code == TOO_MANY
    assert eventually(lambda: sign_in(other, email).code == TOO_MANY, within=EXCHANGE_SECONDS)


def test_rejected_requests_are_counted_by_kind(replicas):
    one, _ = replicas

    def rejected_count():
        return one.gateway.metric("sekisho_rate_limited_total", 'kind="passwordFailures"')

    before, email = rejected_count(), fresh_email()
    # The limit is two wrong passwords, so the third request is rejected.
    for _ in range(3):
        sign_in(one, email, "wrong horse")
    assert rejected_count() == before + 1
