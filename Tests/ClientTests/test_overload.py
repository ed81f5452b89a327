"""More passwords than can be hashed: who is turned away, who is not, and how."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from exchange import PASSWORD, Client

FLOOD, VICTIM = "203.0.113.7", "198.51.100.9"


@pytest.fixture(scope="module")
def client(installation, contract):
    tight = {
        "SEKISHO_PASSWORD_THREADS": "1",
        "SEKISHO_PASSWORD_WAITING": "4",
        "SEKISHO_TRUSTED_PROXIES": "127.0.0.0/8",
    }
    with installation.replica().serving(**tight) as serve:
        yield Client(serve, contract)


def sign_in(client, ada, password, address):
    json = {"email": ada["email"], "password": password}
    return client.call("signInWithPassword", json, headers={"X-Forwarded-For": address})


@contextmanager
def flood(client, ada, address):
    """Sign-ins from sixteen at a time, without end; gives the list that their answers come to."""
    answers, over = [], []

    def one(number):
        while not over:
            answers.append(sign_in(client, ada, PASSWORD, address.format(number)))

    with ThreadPoolExecutor(16) as people:
        running = [people.submit(one, number) for number in range(16)]
        try:
            yield answers
        finally:
            over.append(True)
        for one in running:
            one.result()


def test_who_asks_for_too_much_is_turned_away_in_plain_text(client):
    ada = client.ada()
    with ThreadPoolExecutor(48) as people:
        passwords = [PASSWORD, "wrong horse battery"] * 24
        answers = list(people.map(lambda password: sign_in(client, ada, password, FLOOD), passwords))
    counted = Counter(answer.status for answer in answers)
    assert 503 in counted and counted.keys() <= {200, 400, 503}
    assert counted[200] + counted[400] >= 2
    assert {answer.code for answer in answers if answer.status == 400} <= {"INVALID_LOGIN_CREDENTIALS"}


# What a client writes itself stands left of what the trusted proxy has seen, and counts for nothing.
@pytest.mark.parametrize("address", [FLOOD, f"192.0.2.{{}}, {FLOOD}"])
def test_nobody_else_notices(client, address):
    ada, grace = client.ada(), client.ada()
    with flood(client, ada, address) as answers:
        for _ in range(20):
            assert client.call("lookup", {"idToken": grace["idToken"]}).status == 200
            json = {"grant_type": "refresh_token", "refresh_token": grace["refreshToken"]}
            refreshed = client.call("token", json)
            assert refreshed.status == 200
            grace |= {"refreshToken": refreshed.body["refresh_token"], "idToken": refreshed.body["id_token"]}
        for _ in range(5):
            assert sign_in(client, grace, PASSWORD, VICTIM).status == 200
    assert {answer.status for answer in answers} == {200, 503}

