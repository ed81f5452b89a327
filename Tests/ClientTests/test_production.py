"""Where `sekisho serve` is stricter than `sekisho dev`, held against openapi.yaml too."""

import pytest

from exchange import PASSWORD, Client, fresh_email


@pytest.fixture(scope="session")
def client(serve, contract):
    return Client(serve, contract)


def test_an_unknown_api_key_is_refused(client):
    assert client.call("getProject", key="nonsense").code == "API_KEY_INVALID"


def test_who_has_an_account_is_not_told(client):
    ada = client.ada()
    wrong = client.call("signInWithPassword", {"email": ada["email"], "password": "wrong horse battery"})
    unknown = client.call("signInWithPassword", {"email": fresh_email(), "password": PASSWORD})
    assert wrong.code == "INVALID_LOGIN_CREDENTIALS"
    assert (wrong.status, wrong.body) == (unknown.status, unknown.body)
    for email in (ada["email"], fresh_email()):
        said = client.call("createAuthUri", {"identifier": email, "continueUri": "http://localhost"}).body
        assert said.keys() == {"kind", "sessionId"}


def test_a_new_address_must_be_proven_first(client):
    answer = client.call("update", {"idToken": client.ada()["idToken"], "email": fresh_email()})
    assert answer.code == "OPERATION_NOT_ALLOWED"


def test_the_last_way_in_stays_unless_one_says_so(client):
    wish = {"idToken": client.ada()["idToken"], "deleteProvider": ["password"]}
    assert client.call("unlink", wish).code == "LAST_SIGN_IN_METHOD"
    assert client.call("unlink", wish | {"allowNoSignInMethod": True}).status == 200


def test_passwords_have_at_least_eight_characters(client):
    assert client.call("signUp", {"email": fresh_email(), "password": "sevenxx"}).code == "WEAK_PASSWORD"
