"""Defaults of `sekisho serve` and of its projects, which are stricter than those of `sekisho dev`."""

import pytest

from client import PASSWORD, Client, fresh_email
from installation import sql


@pytest.fixture(scope="session")
def client(serve, contract):
    return Client(serve, contract)


def test_an_unknown_api_key_is_rejected(client):
    assert client.call("getProject", api_key="nonsense").code == "API_KEY_INVALID"


def test_responses_do_not_disclose_which_accounts_exist(client):
    ada = client.new_account()
    wrong = client.call("signInWithPassword", {"email": ada["email"], "password": "wrong horse battery"})
    unknown = client.call("signInWithPassword", {"email": fresh_email(), "password": PASSWORD})
    assert wrong.code == "INVALID_LOGIN_CREDENTIALS"
    assert (wrong.status, wrong.body) == (unknown.status, unknown.body)
    for email in (ada["email"], fresh_email()):
        methods = client.call("createAuthUri", {"identifier": email, "continueUri": "http://localhost"}).body
        assert methods.keys() == {"kind", "sessionId"}


def test_a_new_email_address_must_be_verified_before_the_account_gets_it(client):
    response = client.call("updateOwnAccount", {"idToken": client.new_account()["idToken"], "email": fresh_email()})
    assert response.code == "OPERATION_NOT_ALLOWED"


def test_the_last_sign_in_method_is_removed_only_on_confirmation(client):
    body = {"idToken": client.new_account()["idToken"], "deleteProvider": ["password"]}
    assert client.call("unlinkOwnProvider", body).code == "LAST_SIGN_IN_METHOD"
    assert client.call("unlinkOwnProvider", body | {"allowNoSignInMethod": True}).status == 200


def test_passwords_are_hashed_at_the_production_cost(installation, contract):
    """The gateways of other tests, and `dev`, have a lower cost."""
    with installation.second_gateway().serving(SEKISHO_PASSWORD_MEMORY_KIB="", SEKISHO_PASSWORD_ITERATIONS="") as serve:
        account = Client(serve, contract).new_account()
        stored = sql(serve.database_url, f"SELECT password_hash FROM account WHERE id = '{account['localId']}'")
        assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_passwords_have_at_least_eight_characters(client):
    assert client.call("signUp", {"email": fresh_email(), "password": "7letter"}).code == "WEAK_PASSWORD"
