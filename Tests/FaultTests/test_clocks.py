"""Gateways whose clocks differ by up to five minutes from PostgreSQL's sign nobody out."""

import time
from contextlib import ExitStack

import pytest
import requests

import gateway
from gateway import Gateway
from installation import sql
from ledger import Ledger, Session
from skewed_clock import skewed_environment

LIMIT_SECONDS = 300


@pytest.fixture(scope="module")
def gateways(folder, new_installation):
    """Gateways on one database: one with a correct clock, one that is ahead, and one that is behind."""
    installation = new_installation()
    api_key = installation.create_api_key()
    with ExitStack() as stack:
        running = []
        for skew in (0, LIMIT_SECONDS, -LIMIT_SECONDS):
            replica = installation.second_gateway()
            # One issuer, as behind a load balancer.
            replica.environment["SEKISHO_PUBLIC_URL"] = installation.url
            environment = skewed_environment(folder, skew) if skew else {}
            serve = stack.enter_context(replica.starting(api_key, **environment))
            gateway.wait_for(serve.is_ready, serve.process, serve.log)
            serve.installation = installation
            running.append(serve)
        yield running


def test_sessions_continue_at_every_gateway(gateways):
    ledger = Ledger(gateways)
    with ledger.load(clients=6):
        assert gateway.eventually(lambda: ledger.requests > 600)
    assert ledger.rejections == [] and ledger.unavailable == 0
    web = requests.Session()
    for session in ledger.sessions:
        for serve in gateways:
            ledger.look_up(web, serve, session)
    assert ledger.rejections == []
    assert ledger.lost_writes() == []


@pytest.mark.parametrize("signer", range(3))
@pytest.mark.parametrize("reader", range(3))
def test_an_older_token_is_accepted_in_the_grace_period_at_every_gateway(gateways, signer, reader):
    ledger = Ledger(gateways)
    web = requests.Session()
    session = ledger.sign_up(web, gateways[signer])
    ledger.refresh(web, gateways[signer], session)
    old = Session(session.account, session.refresh_token, session.id_token)
    for _ in range(2):
        ledger.refresh(web, gateways[signer], session)
    ledger.refresh(web, gateways[reader], old)
    ledger.refresh(web, gateways[signer], session)
    assert ledger.rejections == []


def test_an_id_token_is_accepted_for_its_whole_hour_at_a_gateway_whose_clock_is_ahead(gateways):
    """The token of the gateway that is behind would expire ten minutes early at the gateway that is ahead."""
    correct, ahead, behind = gateways
    ledger = Ledger(gateways)
    web = requests.Session()
    installation = correct.installation
    installation.run_ok("projects policy demo --set idTokenLifetime=300")
    assert gateway.eventually(lambda: lifetime(ledger, web, behind) == 300)
    session = ledger.sign_up(web, behind)
    assert ledger.look_up(web, ahead, session)
    installation.run_ok("projects policy demo --set idTokenLifetime=3600")


def lifetime(ledger, web, serve):
    body = ledger._post(web, serve, "/v1/accounts:signUp", {})
    return int(body["expiresIn"])


@pytest.mark.parametrize("command", [
    "keys rotate-signing-key --project demo --now", "keys rotate-refresh-key --project demo",
])
def test_a_new_key_signs_nobody_out_at_any_gateway(gateways, command):
    """Each gateway learns of the new key at another time, and the others accept what it signs meanwhile."""
    ledger = Ledger(gateways)
    web = requests.Session()
    gateways[0].installation.run_ok(command)
    end = time.monotonic() + gateway.CONFIGURATION_DELAY_SECONDS + 1
    while time.monotonic() < end:
        for signer in gateways:
            session = ledger.sign_up(web, signer)
            for reader in gateways:
                ledger.look_up(web, reader, session)
            for reader in gateways:
                ledger.refresh(web, reader, session)
    assert ledger.rejections == [] and ledger.unavailable == 0


def test_a_new_project_signs_in_at_a_gateway_whose_clock_is_behind(gateways):
    correct, ahead, behind = gateways
    correct.installation.run_ok("projects create second")
    key = correct.installation.create_api_key("second")
    for serve in (behind, ahead, correct):
        second = Gateway(serve.url, "second", key, serve.database_url, serve.process, serve.log)
        ledger = Ledger([second])
        assert ledger.sign_up(requests.Session(), second), ledger.rejections


def test_wrong_clocks_are_reported(folder, gateways):
    correct, ahead, behind = gateways
    assert "clock" not in requests.get(f"{correct.url}/readyz", timeout=30).text
    for serve, text in ((ahead, "ahead of PostgreSQL's clock"), (behind, "behind PostgreSQL's clock")):
        response = requests.get(f"{serve.url}/readyz", timeout=30)
        assert response.status_code == 200 and f"clock: {LIMIT_SECONDS} s {text}" in response.text.replace("299", "300")
        assert gateway.eventually(lambda: abs(abs(serve.metric("sekisho_clock_lead_seconds")) - LIMIT_SECONDS) < 5)
        assert gateway.eventually(lambda: any("clock of this machine" in line for line in serve.logged_problems()))
    checked = correct.installation.run("check", **skewed_environment(folder, LIMIT_SECONDS))
    assert checked.returncode == 1 and "wrong clock of this machine" in checked.stdout
    assert "clock" not in correct.installation.run_ok("check")
    assert sql(correct.database_url, "SELECT 1") == "1\n"
