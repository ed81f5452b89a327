"""Passwords that other software hashed: brought in with firebase-admin, held by whoever knew them before."""

import json
import secrets

import firebase_admin
import pytest
import requests
from firebase_admin import _utils, auth

from exchange import PASSWORD, fresh_email
from hashes import ADMIN_HASHES, SALT, STRINGS, as_base64
from installation import sql


class Backend:
    """firebase-admin against one gateway, and an app that signs in there."""

    def __init__(self, gateway, app):
        self.gateway = gateway
        self.app = app

    def brought_in(self, hashed, scheme, salt=SALT):
        user = auth.ImportUserRecord(
            uid=f"uid-{secrets.token_hex(8)}", email=fresh_email(), password_hash=hashed, password_salt=salt)
        result = auth.import_users([user], hash_alg=scheme, app=self.app)
        assert [error.reason for error in result.errors] == []
        return user

    def sign_in(self, user, password=PASSWORD):
        answer = requests.post(
            f"{self.gateway.url}/v1/accounts:signInWithPassword", params={"key": self.gateway.api_key}, timeout=30,
            json={"email": user.email, "password": password, "returnSecureToken": True}).json()
        return answer.get("localId") or answer["error"]["message"]

    def stored(self, user):
        return sql(self.gateway.database_url, f"SELECT password_hash FROM account WHERE id = '{user.uid}'").strip()

    def holds(self, user):
        """Nobody but the owner gets in, and what is stored is Argon2id of ours from then on."""
        imported = self.stored(user)
        assert self.sign_in(user, PASSWORD + "x") in ("INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")
        assert self.stored(user) == imported
        assert self.sign_in(user) == user.uid
        own = self.stored(user)
        assert own.startswith("$argon2id$v=19$m=19456,t=2,p=1$") and own != imported
        assert self.sign_in(user) == user.uid
        assert self.stored(user) == own


class Shown(_utils.EmulatorAdminCredentials):
    def __init__(self, secret):
        super().__init__()
        self.token = secret


def backend(gateway, secret):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIREBASE_AUTH_EMULATOR_HOST", gateway.url.removeprefix("http://"))
        # With an emulator the library always shows the same token, which `serve` does not know.
        patch.setattr(_utils, "EmulatorAdminCredentials", lambda: Shown(secret))
        app = firebase_admin.initialize_app(options={"projectId": gateway.project}, name=secrets.token_hex(8))
        yield Backend(gateway, app)
        firebase_admin.delete_app(app)


@pytest.fixture(scope="module")
def in_dev(dev):
    yield from backend(dev, "owner")


@pytest.fixture(scope="module")
def in_production(own):
    key = json.loads(own.done("keys create-service-key --project demo --name import"))
    own.done("projects policy demo --set passwordFailureLimit=0")
    with own.serving() as serve:
        yield from backend(serve, key["secret"])


@pytest.mark.parametrize("name", ADMIN_HASHES)
def test_every_hash_of_firebase_admin_lets_its_owner_in(in_dev, name):
    scheme, hashed = ADMIN_HASHES[name]
    in_dev.holds(in_dev.brought_in(hashed(PASSWORD), scheme))


@pytest.mark.parametrize("name", ADMIN_HASHES)
def test_and_so_it_does_in_production(in_production, name):
    scheme, hashed = ADMIN_HASHES[name]
    in_production.holds(in_production.brought_in(hashed(PASSWORD), scheme))


@pytest.mark.parametrize("name", STRINGS)
def test_a_string_that_tells_how_it_was_made_needs_nothing_else(in_production, name):
    # The library insists on an algorithm; the string knows better.
    user = in_production.brought_in(STRINGS[name](PASSWORD).encode(), ADMIN_HASHES["sha256"][0], salt=None)
    in_production.holds(user)


def test_a_hash_that_would_cost_too_much_is_refused_in_its_row(in_production):
    users = [
        auth.ImportUserRecord(uid=f"uid-{secrets.token_hex(8)}", password_hash=hashed)
        for hashed in (b"$2b$31$" + b"a" * 53, STRINGS["bcrypt"](PASSWORD).encode())]
    result = auth.import_users(users, hash_alg=auth.UserImportHash.bcrypt(), app=in_production.app)
    assert [(error.index, error.reason) for error in result.errors] == [(0, "rounds must be 4 to 14")]


def test_the_key_is_kept_sealed_and_moves_to_the_next_master_key(in_production, own):
    user = in_production.brought_in(ADMIN_HASHES["scrypt"][1](PASSWORD), ADMIN_HASHES["scrypt"][0])
    assert f"$k={sql(own.database_url, 'SELECT id FROM password_scheme').strip()}," in in_production.stored(user)
    assert own.done("keys rewrap") == "rewrapped 0 secrets"


def test_base64_of_either_alphabet_is_taken(in_dev):
    scheme, hashed = ADMIN_HASHES["sha512"]
    email = fresh_email()
    answer = requests.post(
        f"{in_dev.gateway.url}/v1/projects/{in_dev.gateway.project}/accounts:batchCreate", timeout=30,
        headers={"Authorization": "Bearer owner"},
        json=scheme.to_dict() | {"users": [{
            "localId": email, "email": email, "passwordHash": as_base64(hashed(PASSWORD)), "salt": as_base64(SALT)}]})
    assert answer.json()["error"] == []
    assert in_dev.sign_in(auth.ImportUserRecord(uid="x", email=email)) == email
