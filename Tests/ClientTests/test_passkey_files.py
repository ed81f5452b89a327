"""Passkeys in the files of `sekisho users export` and `users import`."""

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256, ES384

from client import ADMIN_HEADERS, Client, fresh_email, ok_body
from gateway import DEMO_PROJECT, run_sekisho
from software_authenticator import KEYS, Authenticator, Ceremonies

pytestmark = pytest.mark.slow

RP_ID = "example.com"
HINT = "; --without-passkeys imports the account without its passkeys"


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def public_key(algorithm=ES256, curve=ec.SECP256R1):
    return base64url(cbor.encode(algorithm.from_cryptography_key(ec.generate_private_key(curve()).public_key())))


def passkey(credential, **more):
    """The shortest passkey of a file, and further members; `None` removes a member."""
    shortest = {"credentialId": base64url(credential.encode()), "rpId": RP_ID,
                "userHandle": base64url(f"handle of {credential}".encode()), "publicKey": public_key(), "backupEligible": False}
    return {name: value for name, value in (shortest | more).items() if value is not None}


class Files:
    """An installation whose project has passkeys for `RP_ID`, and the commands for files."""

    def __init__(self, installation, folder, passkeys):
        self.installation = installation
        self.folder = folder
        path = folder / "project.json"
        path.write_text(json.dumps({"project": DEMO_PROJECT, "passkeys": passkeys}))
        installation.run_ok(f"projects apply {path}")

    def run(self, *words):
        return run_sekisho(*words, "--project", DEMO_PROJECT, **self.installation.environment)

    def export(self):
        path = self.folder / "out.json"
        completed = self.run("users", "export", str(path))
        assert (completed.returncode, completed.stderr) == (0, "")
        return json.loads(path.read_text())["users"]

    def import_users(self, users, *options):
        path = self.folder / "in.json"
        path.write_text(json.dumps({"users": users}))
        return self.run("users", "import", str(path), *options)


@pytest.fixture
def new_files(new_installation, tmp_path):
    """A function that creates `Files`."""
    def create(name="files", passkeys=None):
        folder = tmp_path / name
        folder.mkdir()
        return Files(new_installation(), folder, passkeys or {"enabled": True, "rpId": RP_ID})

    return create


def test_an_authenticator_signs_in_at_the_installation_that_imports_its_passkey(new_files, contract):
    source, target = new_files("source"), new_files("target")
    devices = [Ceremonies(None, Authenticator(algorithm, f"https://{RP_ID}")) for algorithm in KEYS]
    with source.installation.serving() as serve:
        client = Client(serve, contract)
        for device in devices:
            device.client = client
            device.account = client.lookup(device.sign_up(email=fresh_email(), displayName="Ada"))
            device.sign_in()
    exported = source.export()
    imported = target.import_users(exported)
    assert (imported.returncode, imported.stdout, imported.stderr) == (0, "imported 3 accounts\n", "")
    assert target.export() == exported
    by_id = {user["localId"]: user for user in exported}
    for device in devices:
        [file] = by_id[device.account["localId"]]["passkeyInfo"]
        assert (file["algorithm"], file["signCount"]) == (device.authenticator.algorithm.ALGORITHM, device.counter)
        assert base64.urlsafe_b64decode(file["publicKey"] + "==") == device.public_key
    with target.installation.serving() as serve:
        client = Client(serve, contract)
        for device in devices:
            device.client = client
            signed_in = device.sign_in()
            assert signed_in["localId"] == device.account["localId"]
            [known] = client.lookup(signed_in)["passkeyInfo"]
            [before] = device.account["passkeyInfo"]
            assert known | {"lastUsedAt": None} == before | {"lastUsedAt": None}


# The changed members of a passkey, and the error that rejects its account.
MALFORMED = [
    ({"rpId": "example.org"}, f"passkeyInfo: rpId is not that of the project, which is {RP_ID}{HINT}"),
    ({"rpId": None}, f"passkeyInfo: rpId is not that of the project, which is {RP_ID}{HINT}"),
    ({"credentialId": None}, "passkeyInfo: credentialId is invalid"),
    ({"credentialId": "!"}, "passkeyInfo: credentialId is invalid"),
    ({"credentialId": base64url(bytes(1024))}, "passkeyInfo: credentialId is invalid"),
    ({"userHandle": None}, "passkeyInfo: userHandle is invalid"),
    ({"userHandle": base64url(b"h" * 65)}, "passkeyInfo: userHandle is invalid"),
    ({"userHandle": base64url(b"\xff\xfe")}, "passkeyInfo: userHandle is invalid"),
    ({"userHandle": base64url(b"a\x00b")}, "passkeyInfo: userHandle is invalid"),
    ({"publicKey": None}, "passkeyInfo: publicKey is invalid"),
    ({"publicKey": base64url(b"no key")}, "passkeyInfo: publicKey is invalid"),
    ({"publicKey": public_key(ES384, ec.SECP384R1)}, "passkeyInfo: publicKey is invalid"),
    ({"algorithm": -257}, "passkeyInfo: algorithm is invalid"),
    ({"signCount": -1}, "passkeyInfo: signCount is invalid"),
    ({"signCount": 2**32}, "passkeyInfo: signCount is invalid"),
    ({"backupEligible": None}, "passkeyInfo: backupEligible is invalid"),
    ({"backedUp": True}, "passkeyInfo: backedUp is invalid"),
    ({"aaguid": "model"}, "passkeyInfo: aaguid is invalid"),
    ({"createdAt": "yesterday"}, "passkeyInfo: createdAt is invalid"),
    ({"lastUsedAt": "yesterday"}, "passkeyInfo: lastUsedAt is invalid"),
]


def test_an_account_with_a_malformed_passkey_is_rejected(new_files):
    files = new_files()
    users = [
        {"localId": f"u{index}", "passkeyInfo": [passkey(f"good{index}"), passkey(f"bad{index}", **change)]}
        for index, (change, _) in enumerate(MALFORMED)]
    users += [
        {"localId": "repeated", "passkeyInfo": [passkey("same"), passkey("same")]},
        {"localId": "many", "passkeyInfo": [passkey(f"many{index}") for index in range(21)]},
        {"localId": "shortest", "passkeyInfo": [passkey("shortest", transports=["usb", "two words", "internet"])]},
        {"localId": "most", "passkeyInfo": [passkey(f"most{index}") for index in range(20)]}]
    completed = files.import_users(users)
    assert completed.stdout == "imported 2 accounts\n"
    errors = [f"u{index}): {message}" for index, (_, message) in enumerate(MALFORMED)] + [
        "repeated): passkeyInfo has several passkeys with the same credentialId",
        "many): passkeyInfo has more than 20 entries"]
    lines = completed.stderr.splitlines()
    assert [line.split("(", 1)[1] for line in lines[:-1]] == errors
    [most, shortest] = files.export()
    assert len(most["passkeyInfo"]) == 20
    [known] = shortest["passkeyInfo"]
    assert (known["name"], known["signCount"], known["backedUp"], known["transports"]) == ("Passkey", 0, False, ["usb"])


def test_a_passkey_has_one_account(new_files):
    files = new_files()
    first, second = passkey("first"), passkey("second")
    users = [{"localId": "ada", "passkeyInfo": [first]}, {"localId": "bob", "passkeyInfo": [second, first]},
             {"localId": "eve", "passkeyInfo": [second]}]
    completed = files.import_users(users)
    assert completed.stdout == "imported 2 accounts\n"
    assert "(bob): passkey exists in other account in database" in completed.stderr
    again = files.import_users(users + [{"localId": "mallory", "passkeyInfo": [first]}], "--resume")
    assert again.stdout == "imported 0 accounts, 2 already existed\n"
    assert "(bob): passkey exists" in again.stderr and "(mallory): passkey exists" in again.stderr
    assert [user["localId"] for user in files.export()] == ["ada", "eve"]


def test_a_user_handle_has_one_account(new_files):
    files = new_files()
    handle = {"userHandle": base64url(b"one")}
    ada = {"localId": "ada", "passkeyInfo": [passkey("a1", **handle), passkey("a2", **handle), passkey("a3")]}
    bob = {"localId": "bob", "passkeyInfo": [passkey("b1"), passkey("b2", **handle)]}
    eve = {"localId": "eve", "passkeyInfo": [passkey("e1", userHandle=bob["passkeyInfo"][0]["userHandle"])]}
    taken = "passkeyInfo: userHandle exists in other account in database"
    # Bob is rejected, so no account has the handle of Bob's other passkey.
    completed = files.import_users([ada, bob, eve])
    assert (completed.stdout, f"(bob): {taken}" in completed.stderr) == ("imported 2 accounts\n", True)
    # No other value conflicts here: the database would accept the rows.
    for user in (bob, {"localId": "mallory", "passkeyInfo": [passkey("m1", **handle)]}):
        other = f"after-{user['localId']}"
        again = files.import_users([user, {"localId": other, "passkeyInfo": [passkey(other)]}])
        assert (again.stdout, f"({user['localId']}): {taken}" in again.stderr) == ("imported 1 account\n", True)
    assert [user["localId"] for user in files.export()] == ["ada", "after-bob", "after-mallory", "eve"]


def test_a_project_file_does_not_change_the_rp_id_of_passkeys(new_files, tmp_path):
    files = new_files()
    assert files.import_users([{"localId": "ada", "passkeyInfo": [passkey("first")]}]).returncode == 0
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"project": DEMO_PROJECT, "passkeys": {"rpId": "new.example.com"}}))
    rejected = files.installation.run(f"projects apply {path}")
    assert rejected.returncode != 0
    assert (
        f"RP_ID_IN_USE : The project has passkeys of the RP ID {RP_ID}, which work under no other one. Keep this RP ID, "
        "or first remove the passkeys from their accounts (deletePasskey).") in rejected.stderr


def test_passkeys_are_only_left_out_if_the_operator_says_so(new_files):
    files = new_files(passkeys={"enabled": False})
    users = [{"localId": "ada", "passkeyInfo": [passkey("first")]}]
    refused = files.import_users(users)
    assert f"(ada): the account has passkeys, but the project has no RP ID{HINT}" in refused.stderr
    completed = files.import_users(users, "--without-passkeys")
    assert completed.stdout == "imported 1 account, changed 1 of them\n"
    assert completed.stderr == "sekisho: line 1 (ada): imported, but passkeys were left out\n"


def test_a_csv_export_says_that_it_has_no_passkeys(new_files):
    files = new_files()
    assert files.import_users([{"localId": "ada", "passkeyInfo": [passkey("first")]}]).returncode == 0
    completed = files.run("users", "export", "-", "--format", "csv")
    assert "CSV has no columns for the passkeys of 1 account" in completed.stderr


def test_an_import_by_http_leaves_passkeys_out(client):
    imported = ok_body(client.call(
        "batchCreateAccounts", {"users": [{"localId": "with-passkey", "passkeyInfo": [passkey("http")]}]},
        api_key=None, headers=ADMIN_HEADERS))
    assert imported["changes"] == [{"index": 0, "message": "passkeys were left out"}]
