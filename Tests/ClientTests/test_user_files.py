"""`sekisho users import` and `users export`: the files of `firebase auth:export`, there and back."""

import json
import os
import pty
import secrets
import signal
import subprocess
import time

import pytest
import requests

from exchange import PASSWORD
from gateway import binary, run, surroundings
from hashes import KEY, SALT, SEPARATOR, STRINGS, as_base64, firebase_scrypt
from installation import sql

FIREBASE = ["--hash-algo", "SCRYPT", "--salt-separator", as_base64(SEPARATOR), "--rounds", "8", "--mem-cost", "12"]

ADA = {
    "localId": "ada", "email": "ada@example.com", "emailVerified": True,
    "passwordHash": as_base64(firebase_scrypt(PASSWORD)), "salt": as_base64(SALT), "displayName": "Ada, \"Countess\"",
    "photoUrl": "https://example.com/ada.png", "lastSignedInAt": "1700000000002", "createdAt": "1600000000001",
    "phoneNumber": "+15555550100", "disabled": False, "customAttributes": '{"role":"editor"}',
    "providerUserInfo": [
        {"providerId": "google.com", "rawId": "g1", "email": "ada@gmail.com", "displayName": "Ada", "photoUrl": "p"},
        {"providerId": "apple.com", "rawId": "a1"},
        {"providerId": "facebook.com", "rawId": "f1", "email": "ada@example.com"},
    ],
}
BOB = {"localId": "bob", "disabled": True, "createdAt": "1600000000003", "providerUserInfo": []}

# As `firebase auth:export` writes them: no head, 28 columns and more.
CSV = (
    'ada,ada@example.com,true,{hash},{salt},"Ada, ""Countess""",https://example.com/ada.png,'
    "g1,ada@gmail.com,Ada,p,f1,ada@example.com,,,,,,,,,,,"
    '1600000000001,1700000000002,+15555550100,false,"{{""role"":""editor""}}",a1,,,\r\n'
    "bob,,,,,,,,,,,,,,,,,,,,,,,1600000000003,,,true,\n"
).format(hash=ADA["passwordHash"], salt=ADA["salt"])


class Users:
    def __init__(self, installation, project, folder):
        self.installation = installation
        self.project = project
        self.folder = folder
        installation.done(f"projects create {project}")

    def file(self, content, name="users.json"):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps({"users": content}))
        return path

    def bring_in(self, path, *options, **environment):
        return run("users", "import", str(path), "--project", self.project, *options,
                   **self.installation.environment | environment)

    def bring_out(self, name="out.json", *options):
        path = self.folder / name
        ran = run("users", "export", str(path), "--project", self.project, *options, **self.installation.environment)
        assert ran.returncode == 0, ran.stderr
        return path.read_text()

    def rows(self, columns, table="account"):
        text = sql(self.installation.database_url,
                   f"SELECT {columns} FROM {table} WHERE project_id = '{self.project}' ORDER BY 1")
        return text.strip().splitlines()


@pytest.fixture
def users(own, tmp_path):
    return Users(own, f"p{secrets.token_hex(5)}", tmp_path)


@pytest.fixture
def others(own, tmp_path):
    return Users(own, f"q{secrets.token_hex(5)}", tmp_path)


@pytest.mark.parametrize(("name", "content"), [("users.json", [ADA, BOB]), ("users.csv", CSV)])
def test_a_firebase_project_moves_over_with_one_command(users, own, name, content):
    ran = users.bring_in(users.file(content, name), *FIREBASE, SEKISHO_HASH_KEY=as_base64(KEY))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "imported 2 accounts, left out 1 identities of providers that are not supported here\n"
    exported = {user["localId"]: user for user in json.loads(users.bring_out())["users"]}
    same = {"localId", "email", "emailVerified", "displayName", "photoUrl", "lastSignedInAt", "createdAt",
            "phoneNumber", "disabled", "customAttributes"}
    assert {name: exported["ada"][name] for name in same} == {name: ADA[name] for name in same}
    assert sorted(one["providerId"] for one in exported["ada"]["providerUserInfo"]) == ["apple.com", "google.com"]
    assert exported["bob"] == BOB | {"emailVerified": False}
    assert users.rows("DISTINCT email_trust", "linked_identity") == ["none"]

    key = own.done(f"keys create-api-key --project {users.project}")
    with own.started() as serve:
        wait_until_ready(serve)
        for password, outcome in [(PASSWORD + "x", None), (PASSWORD, "ada"), (PASSWORD, "ada")]:
            answer = requests.post(
                f"{serve.url}/v1/accounts:signInWithPassword", params={"key": key}, timeout=30,
                json={"email": "ada@example.com", "password": password})
            assert answer.json().get("localId") == outcome
    assert users.rows("password_hash")[0].startswith("$argon2id$")


def wait_until_ready(serve):
    end = time.monotonic() + 30
    while not serve.is_ready():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("format", ["json", "csv"])
def test_what_is_exported_comes_in_again_as_it_was(users, others, format):
    people = [
        ADA | {"passwordHash": as_base64(STRINGS["argon2id"](PASSWORD)), "salt": None,
               "providerUserInfo": ADA["providerUserInfo"][:2]},
        BOB, {"localId": "carol", "email": "carol@example.com", "passwordHash": as_base64(STRINGS["bcrypt"](PASSWORD))},
    ]
    assert users.bring_in(users.file(people)).returncode == 0
    first = users.bring_out(f"out.{format}")
    assert others.bring_in(users.folder / f"out.{format}").stdout == "imported 3 accounts\n"
    assert others.bring_out(f"again.{format}") == first
    assert os.stat(users.folder / f"out.{format}").st_mode & 0o777 == 0o600
    assert users.bring_out("stdout.json", "--format", format) == first


def test_hashes_that_need_a_key_need_it_again(users, others):
    assert users.bring_in(users.file([ADA]), *FIREBASE, "--hash-key", as_base64(KEY)).returncode == 0
    users.bring_out("out.json")
    refused = others.bring_in(users.folder / "out.json")
    assert (refused.returncode, "needs the signerKey" in refused.stderr) == (1, True)
    (users.folder / "key").write_text(as_base64(KEY) + "\n")
    assert others.bring_in(users.folder / "out.json", "--hash-key-file", str(users.folder / "key")).returncode == 0
    # The id of the key is of the project's own.
    assert others.rows("password_hash")[0].split("$")[3:] == users.rows("password_hash")[0].split("$")[3:]


BAD = [
    ("{\"localId\": \"x\", }", "It is not JSON from byte"),
    ("{\"localId\": \"x\", \"localId\": \"y\"}", "A member is there twice."),
    ("17", "Invalid JSON"),
    ("\"text, with } and ]\"", "Invalid JSON"),
    ("{\"localId\": [[1, {\"a\": 2}]]}", "must be string"),
    ("{\"localId\": \"\"}", "localId is missing"),
    ("{\"localId\": \"a/b\"}", "localId is invalid"),
    ("{\"localId\": \"x\", \"email\": \"nobody\"}", "email is invalid"),
    ("{\"localId\": \"x\", \"email\": \"FIRST@example.com\"}", "email exists in other account in database"),
    ("{\"localId\": \"x\", \"phoneNumber\": \"+15555550100\"}", "phone number exists in other account in database"),
    ("{\"localId\": \"x\", \"providerUserInfo\": [{\"providerId\": \"google.com\", \"rawId\": \"g1\"}]}",
     "raw id exists in other account in database"),
    ("{\"localId\": \"first\"}", "localId belongs to an existing account"),
    ("{\"localId\": \"x\", \"passwordHash\": \"AAAA\"}", "passwordHash needs a hashAlgorithm"),
    ("{\"localId\": \"x\", \"rawPassword\": \"secret\"}", "rawPassword is not taken from files"),
    ("{\"localId\": \"x\", \"mfaInfo\": [{}]}", "Second factor not supported."),
    ("{\"localId\": \"x\", \"customAttributes\": \"" + "x" * 1_100_000 + "\"}", "the row is too long"),
]


@pytest.mark.parametrize(("row", "reason"), BAD)
def test_a_bad_row_is_told_with_its_line_and_spoils_nothing_else(users, row, reason):
    first = {"localId": "first", "email": "first@example.com", "phoneNumber": "+15555550100",
             "providerUserInfo": [{"providerId": "google.com", "rawId": "g1"}]}
    text = '{"kind": "users",\n "users": [\n' + json.dumps(first) + ",\n" + row + ',\n{"localId": "last"}\n]}'
    ran = users.bring_in(users.file(text))
    assert (ran.returncode, ran.stdout) == (1, "imported 2 accounts\n")
    told, end = ran.stderr.splitlines()
    assert told.startswith("sekisho: line 4") and any(part in told for part in reason.split("|")), told
    assert end == "sekisho: 1 row was not imported"
    assert users.rows("id") == ["first", "last"]


def test_refused_rows_may_go_to_a_file(users):
    path = users.folder / "errors.jsonl"
    ran = users.bring_in(users.file([BOB, {"localId": "a/b"}, {"email": "x"}]), "--errors", str(path))
    assert (ran.returncode, ran.stderr) == (1, "sekisho: 2 rows were not imported\n")
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"line": 1, "localId": "a/b", "error": "localId is invalid"}, {"line": 1, "error": "localId is missing"}]


@pytest.mark.parametrize(("text", "message"), [
    ("", "the file has no member users"),
    ("{\"people\": []}", "the file has no member users"),
    ("{\"users\": [{\"localId\": \"first\"}, {\"localId\": \"las", "the file is no JSON any more from line 1 on, or ends early"),
    ("{\"users\": [{\"localId\": \"first\"}", "the file is no JSON any more from line 1 on, or ends early"),
])
def test_a_file_that_breaks_off_is_taken_as_far_as_it_goes(users, text, message):
    ran = users.bring_in(users.file(text))
    assert ran.returncode == 1 and message in ran.stderr
    assert "--resume goes on with it" in ran.stderr
    assert users.rows("id") == (["first"] if "first" in text else [])


def test_a_quotation_that_never_ends_is_told(users):
    ran = users.bring_in(users.file('first\n"second\n', "users.csv"))
    assert ran.returncode == 1 and "a quotation that begins in line 2 never ends" in ran.stderr
    assert users.rows("id") == ["first"]


def test_a_second_run_goes_on_where_the_first_one_ended(users):
    users.bring_in(users.file([BOB, {"localId": "carol"}]))
    path = users.file([BOB, {"localId": "carol"}, {"localId": "dave"}])
    ran = users.bring_in(path, "--resume")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "imported 1 account, 2 were there already\n", "")
    assert users.bring_in(path).returncode == 1


def test_it_may_be_interrupted_at_any_moment(users):
    count = 60_000
    people = [{"localId": f"u{number:06}", "email": f"u{number}@example.com",
               "providerUserInfo": [{"providerId": "google.com", "rawId": f"g{number}"}]} for number in range(count)]
    path = users.file(people)
    words = [binary(), "users", "import", str(path), "--project", users.project]
    process = subprocess.Popen(words, env=surroundings(**users.installation.environment), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while users.rows("count(*)") == ["0"]:
        assert time.monotonic() < end and process.poll() is None
    # Not SIGINT, which shells have their background jobs ignore.
    process.terminate()
    assert process.wait(30) == -signal.SIGTERM
    stored = int(users.rows("count(*)")[0])
    assert 0 < stored < count
    assert users.rows("count(*)", "linked_identity") == [str(stored)]
    ran = users.bring_in(path, "--resume")
    assert (ran.returncode, ran.stdout) == (0, f"imported {count - stored} accounts, {stored} were there already\n")
    assert users.rows("count(*)", "linked_identity") == [str(count)]


def test_on_a_terminal_it_draws_a_bar(users):
    path = users.file([BOB])
    master, slave = pty.openpty()
    words = [binary(), "users", "import", str(path), "--project", users.project]
    process = subprocess.run(words, env=surroundings(**users.installation.environment), stdout=subprocess.PIPE,
                             stderr=slave, timeout=30)
    os.close(slave)
    drawn = os.read(master, 65536).decode()
    os.close(master)
    assert process.returncode == 0
    assert "[##############################] 100 %  1 rows" in drawn


@pytest.mark.parametrize(("options", "message"), [
    (["--hash-algo", "ROT13"], "--hash-algo ROT13: hashAlgorithm is unknown"),
    (FIREBASE, "passwordHash needs the signerKey it was made with"),
    (["--hash-key", "?"], "the hash key is no base64"),
    (["--hash-key-file", "/nonexistent"], "--hash-key-file: /nonexistent cannot be read"),
    (["--hash-key", "AAAA", "--hash-key-file", __file__], "the hash key is given in two places"),
    (["--hash-algo", "SHA256", "--rounds", "9000"], "rounds must be 0 to 8192"),
    (["--hash-algo", "STANDARD_SCRYPT", "--mem-cost", "1000", "--block-size", "8", "--parallelization", "1"],
     "the memory cost must be a power of two"),
    (["--hash-input-order", "SALT_LAST", "--hash-algo", "MD5", "--rounds", "1"],
     "--hash-input-order is SALT_FIRST or PASSWORD_FIRST"),
    (["--salt-separator", "?", "--hash-algo", "MD5"], "--salt-separator is base64"),
    (["--format", "xml"], "--format is json or csv"),
])
def test_what_makes_no_sense_is_said_before_anything_is_done(users, options, message):
    ran = users.bring_in(users.file([BOB]), *options)
    assert ran.returncode == 2 and message in ran.stderr
    assert users.rows("id") == []


def test_there_has_to_be_such_a_project(users):
    ran = run("users", "export", str(users.folder / "x"), "--project", "nobody", **users.installation.environment)
    assert (ran.returncode, ran.stderr) == (1, "sekisho: there is no project nobody\n")
