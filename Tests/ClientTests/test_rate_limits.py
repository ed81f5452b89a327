"""Rate limits of several replicas of an installation, which share their counters."""

import pytest

from client import PASSWORD, Client, fresh_email
from gateway import eventually

TOO_MANY = "TOO_MANY_ATTEMPTS_TRY_LATER"
# Replicas exchange their counters about once a second. A busy machine may need longer.
EXCHANGE_SECONDS = 10


@pytest.fixture(scope="module")
def replicas(own, contract):
    own.run_ok("projects policy demo --set signUpLimit=10 --set passwordFailureLimit=2")
    with own.serving() as one, own.replica().serving() as other:
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
    email = fresh_email()
    for _ in range(3):
        sign_in(one, email, "wrong horse")
    assert 'sekisho_rate_limited_total{kind="passwordFailures"}' in one.call("getMetrics").body
