"""firebase-admin imports password hashes of other software, and the users then sign in with their passwords."""

import json
import secrets

import firebase_admin
import pytest
import requests
from firebase_admin import _utils, auth

from client import ADMIN_HEADERS, PASSWORD, fresh_email
from hashes import ADMIN_HASHES, SALT, SELF_DESCRIBING_HASHES, as_base64
from installation import sql


class Backend:
    """firebase-admin and a client for one gateway.

    `argon2_cost` is the cost in the Argon2id hashes with which the gateway replaces imported hashes; `None` if it keeps
    the imported hashes.
    """

    def __init__(self, gateway, app, argon2_cost):
        self.gateway = gateway
        self.app = app
        self.argon2_cost = argon2_cost

    def import_user(self, hashed, scheme, salt=SALT):
        """Imports a new user with a password hash that was made with the algorithm and parameters of `scheme`."""
        user = auth.ImportUserRecord(
            uid=f"uid-{secrets.token_hex(8)}", email=fresh_email(), password_hash=hashed, password_salt=salt)
        result = auth.import_users([user], hash_alg=scheme, app=self.app)
        assert [error.reason for error in result.errors] == []
        return user

    def sign_in(self, user, password=PASSWORD):
        """Signs in with the email address of the user. Returns the account ID, or the error message."""
        response = requests.post(
            f"{self.gateway.url}/v1/accounts:signInWithPassword", params={"key": self.gateway.api_key}, timeout=30,
            json={"email": user.email, "password": password, "returnSecureToken": True}).json()
        return response.get("localId") or response["error"]["message"]

    def stored_hash(self, user):
        return sql(self.gateway.database_url, f"SELECT password_hash FROM account WHERE id = '{user.uid}'").strip()

    def assert_only_the_owner_signs_in(self, user):
        """Signs in with a wrong password, and twice with the right one.

        After the first right password, `serve` replaces the imported hash by one of Argon2id. `dev` keeps the imported
        hash, because its own would be weaker.
        """
        imported = self.stored_hash(user)
        assert self.sign_in(user, PASSWORD + "x") in ("INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")
        assert self.stored_hash(user) == imported
        assert self.sign_in(user) == user.uid
        stored = self.stored_hash(user)
        if self.argon2_cost is None:
            assert stored == imported
        else:
            assert stored.startswith(f"$argon2id$v=19${self.argon2_cost}$") and stored != imported
        assert self.sign_in(user) == user.uid
        assert self.stored_hash(user) == stored


class SecretCredential(_utils.EmulatorAdminCredentials):
    """A credential whose access token is a given secret."""

    def __init__(self, secret):
        super().__init__()
        self.token = secret


def backend(gateway, secret, argon2_cost):
    """Yields a `Backend` that authenticates with `secret`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIREBASE_AUTH_EMULATOR_HOST", gateway.url.removeprefix("http://"))
        # With an emulator the library always sends the token "owner", which `serve` rejects.
        patch.setattr(_utils, "EmulatorAdminCredentials", lambda: SecretCredential(secret))
        app = firebase_admin.initialize_app(options={"projectId": gateway.project}, name=secrets.token_hex(8))
        yield Backend(gateway, app, argon2_cost)
        firebase_admin.delete_app(app)


@pytest.fixture(scope="module")
def dev_backend(dev):
    yield from backend(dev, "owner", argon2_cost=None)


@pytest.fixture(scope="module")
def serve_backend(fresh_installation, fresh_serve):
    key = json.loads(fresh_installation.run_ok("keys create-service-key --project demo --name import"))
    # The class `Installation` sets this cost in the environment.
    yield from backend(fresh_serve, key["secret"], argon2_cost="m=7168,t=1,p=1")


@pytest.mark.parametrize("name", ADMIN_HASHES)
def test_dev_verifies_every_imported_hash_algorithm(dev_backend, name):
    scheme, hash_password = ADMIN_HASHES[name]
    dev_backend.assert_only_the_owner_signs_in(dev_backend.import_user(hash_password(PASSWORD), scheme))


@pytest.mark.parametrize("name", ADMIN_HASHES)
def test_serve_verifies_every_imported_hash_algorithm(serve_backend, name):
    scheme, hash_password = ADMIN_HASHES[name]
    serve_backend.assert_only_the_owner_signs_in(serve_backend.import_user(hash_password(PASSWORD), scheme))


@pytest.mark.parametrize("name", SELF_DESCRIBING_HASHES)
def test_a_self_describing_hash_needs_no_parameters(serve_backend, name):
    # The library requires an algorithm, which the gateway ignores for a self-describing hash.
    hashed, (ignored_scheme, _) = SELF_DESCRIBING_HASHES[name](PASSWORD).encode(), ADMIN_HASHES["sha256"]
    user = serve_backend.import_user(hashed, ignored_scheme, salt=None)
    serve_backend.assert_only_the_owner_signs_in(user)


def test_only_the_row_of_a_hash_with_excessive_cost_is_rejected(serve_backend):
    users = [
        auth.ImportUserRecord(uid=f"uid-{secrets.token_hex(8)}", password_hash=hashed)
        for hashed in (b"$2b$31$" + b"a" * 53, SELF_DESCRIBING_HASHES["bcrypt"](PASSWORD).encode())]
    result = auth.import_users(users, hash_alg=auth.UserImportHash.bcrypt(), app=serve_backend.app)
    assert [(error.index, error.reason) for error in result.errors] == [(0, "rounds must be 4 to 14")]


def test_a_stored_hash_names_its_signer_key_which_the_current_master_key_encrypts(serve_backend, fresh_installation):
    user = serve_backend.import_user(ADMIN_HASHES["scrypt"][1](PASSWORD), ADMIN_HASHES["scrypt"][0])
    key = sql(fresh_installation.database_url, "SELECT id FROM password_key").strip()
    assert f"$k={key}," in serve_backend.stored_hash(user)
    assert fresh_installation.run_ok("keys rewrap") == "rewrapped 0 secrets"


def test_the_standard_base64_alphabet_is_accepted(dev_backend):
    """firebase-admin sends the URL-safe alphabet."""
    scheme, hash_password = ADMIN_HASHES["sha512"]
    email = fresh_email()
    response = requests.post(
        f"{dev_backend.gateway.url}/v1/projects/{dev_backend.gateway.project}/accounts:batchCreate", timeout=30,
        headers=ADMIN_HEADERS,
        json=scheme.to_dict() | {"users": [{
            "localId": email, "email": email, "passwordHash": as_base64(hash_password(PASSWORD)),
            "salt": as_base64(SALT)}]})
    assert "error" not in response.json()
    # `sign_in` uses only the email address of the record.
    assert dev_backend.sign_in(auth.ImportUserRecord(uid="x", email=email)) == email
