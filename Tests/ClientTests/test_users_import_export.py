"""`sekisho users import` and `users export` with files in the formats of `firebase auth:export`."""

import json
import os
import pty
import random
import secrets
import signal
import subprocess
import unicodedata

import pytest
import requests

from client import PASSWORD
from gateway import binary, clean_environment, eventually, run_sekisho, wait_for
from hashes import SALT, SELF_DESCRIBING_HASHES, SEPARATOR, SIGNER_KEY, as_base64, firebase_scrypt
from installation import sql

# The parameters of a Firebase project's password hashes, without the signer key.
FIREBASE_HASH_OPTIONS = [
    "--hash-algo", "SCRYPT", "--salt-separator", as_base64(SEPARATOR), "--rounds", "8", "--mem-cost", "12"]

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

TOTP_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

# The format of `firebase auth:export`: no header, 28 columns or more.
CSV = (
    'ada,ada@example.com,true,{hash},{salt},"Ada, ""Countess""",https://example.com/ada.png,'
    "g1,ada@gmail.com,Ada,p,f1,ada@example.com,,,,,,,,,,,"
    '1600000000001,1700000000002,+15555550100,false,"{{""role"":""editor""}}",a1,,,\r\n'
    "bob,,,,,,,,,,,,,,,,,,,,,,,1600000000003,,,true,\n"
).format(hash=ADA["passwordHash"], salt=ADA["salt"])


def csv_row(id, email="", verified="", name=""):
    """A row with 28 columns."""
    return f"{id},{email},{verified},,,{name}" + "," * 22


class Users:
    """The accounts of a new project, and the commands that import and export them."""

    def __init__(self, installation, project, folder):
        self.installation = installation
        self.project = project
        self.folder = folder
        installation.run_ok(f"projects create {project}")

    def write_file(self, content, name="users.json"):
        """Writes a file, given as text or as a list of users, and returns its path."""
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps({"users": content}))
        return path

    def import_file(self, path, *options, **environment):
        """Runs the import, and returns the completed process."""
        return run_sekisho(
            "users", "import", str(path), "--project", self.project, *options,
            **self.installation.environment | environment)

    def export(self, name="out.json", *options):
        """Runs the export, which must succeed, and returns the text of the file."""
        path = self.folder / name
        words = ["users", "export", str(path), "--project", self.project, *options]
        completed = run_sekisho(*words, **self.installation.environment)
        assert completed.returncode == 0, completed.stderr
        return path.read_text()

    def rows(self, columns, table="account"):
        """The values of `columns` in the rows of the project, sorted."""
        text = sql(self.installation.database_url,
                   f"SELECT {columns} FROM {table} WHERE realm_id = '{self.project}' ORDER BY 1")
        return text.strip().splitlines()


@pytest.fixture
def users(fresh_installation, tmp_path):
    """`Users` of a new project, which has no accounts yet."""
    return Users(fresh_installation, f"p{secrets.token_hex(5)}", tmp_path)


@pytest.fixture
def other_users(fresh_installation, tmp_path):
    """`Users` of another new project."""
    return Users(fresh_installation, f"q{secrets.token_hex(5)}", tmp_path)


@pytest.mark.parametrize(("name", "content"), [("users.json", [ADA, BOB]), ("users.csv", CSV)])
def test_an_export_of_firebase_is_imported_with_one_command(users, fresh_installation, name, content):
    path = users.write_file(content, name)
    completed = users.import_file(path, *FIREBASE_HASH_OPTIONS, SEKISHO_HASH_KEY=as_base64(SIGNER_KEY))
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout == "imported 2 accounts, skipped 1 identity of unsupported providers\n"
    exported = {user["localId"]: user for user in json.loads(users.export())["users"]}
    same = {"localId", "email", "emailVerified", "displayName", "photoUrl", "lastSignedInAt", "createdAt",
            "phoneNumber", "disabled", "customAttributes"}
    assert {name: exported["ada"][name] for name in same} == {name: ADA[name] for name in same}
    assert sorted(entry["providerId"] for entry in exported["ada"]["providerUserInfo"]) == ["apple.com", "google.com"]
    assert exported["bob"] == BOB | {"emailVerified": False}
    assert users.rows("DISTINCT email_trust", "linked_identity") == ["none"]

    key = fresh_installation.run_ok(f"keys create-api-key --project {users.project}")
    with fresh_installation.starting() as serve:
        wait_for(serve.is_ready, serve.process, serve.log)
        for password, outcome in [(PASSWORD + "x", None), (PASSWORD, "ada"), (PASSWORD, "ada")]:
            response = requests.post(
                f"{serve.url}/v1/accounts:signInWithPassword", params={"key": key}, timeout=30,
                json={"email": "ada@example.com", "password": password})
            assert response.json().get("localId") == outcome
    assert users.rows("password_hash")[0].startswith("$argon2id$")


@pytest.mark.parametrize("format", ["json", "csv"])
def test_an_export_can_be_imported_unchanged(users, other_users, format):
    rows = [
        ADA | {"passwordHash": as_base64(SELF_DESCRIBING_HASHES["argon2id"](PASSWORD)), "salt": None,
               "providerUserInfo": ADA["providerUserInfo"][:2]},
        BOB, {"localId": "carol", "email": "carol@example.com", "emailVouched": True,
              "passwordHash": as_base64(SELF_DESCRIBING_HASHES["bcrypt"](PASSWORD))},
    ]
    assert users.import_file(users.write_file(rows)).returncode == 0
    vouched = "id, email_verified, vouched_email"
    assert users.rows(vouched)[2] == "carol|f|carol@example.com"
    first = users.export(f"out.{format}")
    assert other_users.import_file(users.folder / f"out.{format}").stdout == "imported 3 accounts\n"
    # Firebase's CSV has no column for it: the address is then not verified, which is safe.
    assert other_users.rows(vouched)[2] == ("carol|f|carol@example.com" if format == "json" else "carol|f|")
    assert other_users.export(f"again.{format}") == first
    assert os.stat(users.folder / f"out.{format}").st_mode & 0o777 == 0o600
    assert users.export("format-by-option", "--format", format) == first


def test_an_export_has_mode_0600_after_an_interrupted_export_with_another_mode(users):
    unfinished = users.folder / "out.json.unfinished"
    unfinished.touch()
    unfinished.chmod(0o644)
    users.export("out.json")
    assert os.stat(users.folder / "out.json").st_mode & 0o777 == 0o600
    assert not unfinished.exists()


def test_an_export_does_not_follow_a_symbolic_link(users):
    target = users.folder / "target"
    target.write_text("unchanged")
    for name in ["out.json", "out.json.unfinished"]:
        (users.folder / name).symlink_to(target)
    users.export("out.json")
    assert target.read_text() == "unchanged"
    assert not (users.folder / "out.json").is_symlink()


def test_hashes_with_a_signer_key_need_this_key_in_every_import(users, other_users):
    options = [*FIREBASE_HASH_OPTIONS, "--hash-key", as_base64(SIGNER_KEY)]
    assert users.import_file(users.write_file([ADA]), *options).returncode == 0
    users.export("out.json")
    rejected = other_users.import_file(users.folder / "out.json")
    assert (rejected.returncode, "needs the signerKey" in rejected.stderr) == (1, True)
    (users.folder / "key").write_text(as_base64(SIGNER_KEY) + "\n")
    accepted = other_users.import_file(users.folder / "out.json", "--hash-key-file", str(users.folder / "key"))
    assert accepted.returncode == 0
    # The stored hash names the signer key by an ID, which differs between projects.
    assert other_users.rows("password_hash")[0].split("$")[3:] == users.rows("password_hash")[0].split("$")[3:]


INVALID_ROWS = [
    ("{\"localId\": \"x\", }", "Invalid JSON in this row. Syntax error at byte"),
    ("{\"localId\": \"x\", \"localId\": \"y\"}", "A member of an object is repeated."),
    ("17", "the row is not a JSON object"),
    ("\"text, with } and ]\"", "the row is not a JSON object"),
    ("{\"localId\": [[1, {\"a\": 2}]]}", "must be a string"),
    ("{\"localId\": \"\"}", "localId is missing"),
    ("{\"localId\": \"" + "x" * 129 + "\"}", "localId is invalid"),
    ("{\"localId\": \"x\", \"email\": \"nobody\"}", "email is invalid"),
    ("{\"localId\": \"x\", \"email\": \"FIRST@example.com\"}", "email exists in other account in database"),
    ("{\"localId\": \"x\", \"phoneNumber\": \"+15555550100\"}", "phone number exists in other account in database"),
    ("{\"localId\": \"x\", \"providerUserInfo\": [{\"providerId\": \"google.com\", \"rawId\": \"g1\"}]}",
     "raw id exists in other account in database"),
    ("{\"localId\": \"first\"}", "localId belongs to an existing account"),
    ("{\"localId\": \"x\", \"passwordHash\": \"AAAA\"}", "passwordHash needs a hashAlgorithm"),
    ("{\"localId\": \"x\", \"rawPassword\": \"secret\"}", "rawPassword is not supported in files"),
    ("{\"localId\": \"x\", \"validSince\": \"4102444800\"}", "validSince is in the future"),
    ("{\"localId\": \"x\", \"mfaInfo\": [{}]}", "the account has second factors; --without-second-factors"),
    ("{\"localId\": \"x\", \"customAttributes\": \"" + "x" * 1_100_000 + "\"}", "the row is longer than 1048576 bytes"),
]


@pytest.mark.parametrize(("row", "reason"), INVALID_ROWS)
def test_an_invalid_row_is_reported_with_its_line_and_others_are_imported(users, row, reason):
    first = {"localId": "first", "email": "first@example.com", "phoneNumber": "+15555550100",
             "providerUserInfo": [{"providerId": "google.com", "rawId": "g1"}]}
    # `first` is in line 3, `row` in line 4.
    text = '{"kind": "users",\n "users": [\n' + json.dumps(first) + ",\n" + row + ',\n{"localId": "last"}\n]}'
    completed = users.import_file(users.write_file(text))
    assert (completed.returncode, completed.stdout) == (1, "imported 2 accounts\n")
    message, summary = completed.stderr.splitlines()
    assert message.startswith("sekisho: line 4") and reason in message
    assert summary == "sekisho: 1 row was not imported"
    assert users.rows("id") == ["first", "last"]


def test_errors_of_invalid_rows_can_be_written_to_a_file(users):
    path = users.folder / "errors.jsonl"
    completed = users.import_file(users.write_file([BOB, {"localId": "x" * 129}, {"email": "x"}, {"localId": "\n", "displayName": "a\nb"}]), "--errors", str(path))
    assert (completed.returncode, completed.stderr) == (1, "sekisho: 2 rows were not imported\n")
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"line": 1, "localId": "x" * 129, "error": "localId is invalid"}, {"line": 1, "error": "localId is missing"},
        {"line": 1, "localId": "\n", "change": "line breaks in a name became spaces"}]


@pytest.mark.parametrize(("text", "message"), [
    ("", "the file has no array \"users\""),
    ("{\"people\": []}", "the file has no array \"users\""),
    ("{\"users\": {}}", "the file has no array \"users\""),
    ("{\"users\": [{\"localId\": \"first\"}, {\"localId\": \"las",
     "invalid or truncated JSON at line 1"),
    ("{\"users\": [{\"localId\": \"first\"}", "invalid or truncated JSON at line 1"),
])
def test_the_complete_rows_of_an_incomplete_file_are_imported(users, text, message):
    completed = users.import_file(users.write_file(text))
    assert completed.returncode == 1 and message in completed.stderr
    assert ("run it again with --resume" in completed.stderr) == ("first" in text)
    assert users.rows("id") == (["first"] if "first" in text else [])


def test_an_unterminated_quoted_field_is_reported(users):
    completed = users.import_file(users.write_file(f'{csv_row("first")}\n"second\n', "users.csv"))
    assert completed.returncode == 1 and "unterminated quoted field in the row at line 2" in completed.stderr
    assert users.rows("id") == ["first"]


def test_a_csv_row_that_is_too_long_is_skipped_to_its_end(users):
    text = csv_row("first") + "\nlong,\"" + "x" * 1_100_000 + "\nadmin,admin@example.com\n\"\n" + csv_row("last") + "\n"
    completed = users.import_file(users.write_file(text, "users.csv"))
    assert (completed.returncode, completed.stdout) == (1, "imported 2 accounts\n")
    assert completed.stderr.splitlines()[0] == "sekisho: line 2: the row is longer than 1048576 bytes"
    assert users.rows("id") == ["first", "last"]


def test_existing_accounts_are_skipped_only_with_the_resume_option(users):
    users.import_file(users.write_file([BOB, {"localId": "carol"}]))
    path = users.write_file([BOB, {"localId": "carol"}, {"localId": "dave"}])
    completed = users.import_file(path, "--resume")
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout == "imported 1 account, 2 already existed\n"
    again = users.import_file(path)
    assert again.returncode == 1
    assert again.stderr.splitlines()[-1] == (
        "sekisho: 3 rows were not imported; 3 of them already existed, which --resume skips")


def test_members_that_cannot_be_kept_are_reported_with_line_and_id_and_lose_no_account(users):
    rows = [
        {"localId": "long", "displayName": "é" * 1025, "photoUrl": "p" * 4097, "language": "tlh",
         "timeZone": "Mars/Olympus"},
        {"localId": "domain", "email": "jo@bücher.example"},
        {"localId": "a/b c\u001b", "email": "jö@example.com", "phoneNumber": "+15555550100",
         "providerUserInfo": [{"providerId": "google.com", "rawId": "g1", "displayName": "a\nb"}]},
        {"localId": "claims", "customAttributes": '{"sid": 1, "act": 2, "role": "editor"}'},
    ]
    path = users.write_file('{"users": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}")
    completed = users.import_file(path)
    assert (completed.returncode, completed.stdout) == (0, "imported 4 accounts, changed 3 of them\n")
    assert completed.stderr.splitlines() == [
        "sekisho: line 2 (long): imported, but a name was cut at 1024 characters; "
        "language was left out: it is not supported; "
        "photoUrl was left out: it has more than 4096 bytes, or control characters; "
        "timeZone was left out: it is not the name of an IANA time zone",
        "sekisho: line 4 (a/b c\\u{1B}): imported, but email was left out: it has no ASCII form; "
        "line breaks in a name became spaces",
        "sekisho: line 5 (claims): imported, but custom claims with reserved names were left out: act, sid"]
    exported = {user["localId"]: user for user in json.loads(users.export())["users"]}
    assert exported["domain"]["email"] == "jo@xn--bcher-kva.example"
    assert exported["a/b c\u001b"]["phoneNumber"] == "+15555550100"
    assert exported["long"]["displayName"] == "é" * 1024 and "photoUrl" not in exported["long"]
    assert json.loads(exported["claims"]["customAttributes"]) == {"role": "editor"}


@pytest.mark.parametrize("format", ["json", "csv"])
def test_an_export_with_odd_values_is_imported_unchanged(users, other_users, format):
    rows = [
        {"localId": name, "email": f"jo{number}@bücher.example", "displayName": "".join(map(chr, range(0x4E00, 0x5200))),
         "photoUrl": "é" * 2048, "phoneNumber": f"+1555555010{number}", "customAttributes": '{"a":"\\",\\n;\\t"}',
         "providerUserInfo": [{"providerId": "google.com", "rawId": f" g;{number},\"", "displayName": "\"\u0301؛\u200d"}]}
        for number, name in enumerate(["a/b", " ", ";,\t\"", "é", "🥝" * 64, "\u0001\r\n", "\ufeff", ".."])]
    imported = users.import_file(users.write_file(rows))
    assert (imported.returncode, imported.stdout) == (0, "imported 8 accounts\n")
    first = users.export(f"out.{format}")
    again = other_users.import_file(users.folder / f"out.{format}")
    assert (again.returncode, again.stdout, again.stderr) == (0, "imported 8 accounts\n", "")
    assert other_users.export(f"again.{format}") == first


# Texts that formats and parsers treat specially: separators, quotation marks, line breaks, control and combining
# characters, joiners, a byte order mark, a noncharacter, and letters whose other case is ASCII.
ODD_TEXTS = [
    ",", ";", "\t", "\"", "'", "\n", "\r", "\r\n", "\x01", "\x7f", "\x85", "\u2028", "\ufeff", "\uffff",
    "\U0010ffff", "/", "\\", "%2F", ".", ":", " ", "=", "{", "}", "e\u0301", "\u0301", "é", "\u200d", "\u202e", "🥝",
    "👩\u200d👧", "\u212a", "\u017f", "sid", "true", "null", "a", "1"]


def random_text(source, limit):
    """A text of 1 to `limit` UTF-16 code units."""
    text = "".join(source.choices(ODD_TEXTS, k=source.randint(1, limit)))
    return text.encode("utf-16-le")[:2 * source.randint(1, limit)].decode("utf-16-le", "ignore") or "x"


def printable(text):
    return "".join(character for character in text if unicodedata.category(character) != "Cc")


def random_user(source, number):
    """A user with odd values. The number makes the values unique that accounts may not share."""
    name = f"{number}{random_text(source, 100)}" if source.random() < 0.9 else random_text(source, 128) + str(number)
    claims = {random_text(source, 9): source.choice([random_text(source, 30), 1.5, 12345678901234567890, None, {}])}
    domain = source.choice(["example.com", "bücher.example", "例え.テスト", "exаmple.com"])
    return {
        "localId": name, "email": source.choice([None, f"u{number}!#$%&'*+/=?^_`{{|}}~@{domain}"]),
        "displayName": random_text(source, 300), "photoUrl": random_text(source, 20),
        "phoneNumber": source.choice([None, f"+1555{number:07}"]),
        "customAttributes": source.choice([None, json.dumps(claims), json.dumps(claims, ensure_ascii=False)]),
        "disabled": source.random() < 0.2,
        "providerUserInfo": [
            {"providerId": provider, "rawId": f"{number}{printable(random_text(source, 20))}",
             "displayName": random_text(source, 20), "photoUrl": random_text(source, 5)}
            for provider in ["google.com", "apple.com"] if source.random() < 0.5],
    }


@pytest.mark.parametrize("format", ["json", "csv"])
def test_every_account_that_was_imported_can_be_exported_and_imported_again(users, other_users, format):
    source = random.Random(1)
    imported = users.import_file(users.write_file([random_user(source, number) for number in range(500)]))
    problems = [line for line in imported.stderr.splitlines() if "): imported, but " not in line]
    rejected = [line for line in problems if line.endswith("): localId is invalid")]
    assert problems == rejected + ([f"sekisho: {len(rejected)} rows were not imported"] if rejected else [])
    count = 500 - len(rejected)
    assert count > 400
    first = users.export(f"out.{format}")
    again = other_users.import_file(users.folder / f"out.{format}")
    assert (again.stderr, again.stdout, again.returncode) == ("", f"imported {count} accounts\n", 0)
    assert other_users.export(f"again.{format}") == first


def test_an_id_cannot_control_the_terminal_of_the_operator(users):
    user = "a\u001b[2J\u009b2J\nb"
    assert users.import_file(users.write_file([{"localId": user}])).returncode == 0
    for words, shown in [
        (["users", "list", "--limit", "1"], r"a\u{1B}[2J\u{009B}2J\nb"),
        (["users", "get", user], r"a\u{1B}[2J\u{009B}2J\nb"),
        (["users", "get", user, "--json"], r"a\u001b[2J\u009b2J\nb"),
        (["users", "disable", user], "a\\u{1B}[2J\\u{009B}2J\nb"),
        (["audit", "export", "--subject", user], r"a\u001b[2J\u009b2J\nb"),
        (["users", "delete", user, "--yes"], "a\\u{1B}[2J\\u{009B}2J\nb"),
        (["users", "get", user], "a\\u{1B}[2J\\u{009B}2J\nb"),
    ]:
        completed = run_sekisho(*words, "--project", users.project, **users.installation.environment)
        output = completed.stdout + completed.stderr
        assert shown.lower() in output.lower() and not {"\x1b", "\x9b"} & set(output), words


def test_second_factors_are_only_left_out_if_the_operator_says_so(users):
    path = users.write_file([BOB, {"localId": "carol", "mfaInfo": [{"phoneInfo": "+15555550100"}]}])
    refused = users.import_file(path)
    assert (refused.returncode, users.rows("id")) == (1, ["bob"])
    completed = users.import_file(path, "--resume", "--without-second-factors")
    assert completed.returncode == 0
    assert completed.stdout == (
        "imported 1 account, 1 already existed, changed 1 of them, 1 without their second factors\n")
    assert completed.stderr == "sekisho: line 1 (carol): imported, but second factors were left out\n"


def test_one_time_passwords_keep_their_secrets_on_request(users, other_users):
    factor = {"mfaEnrollmentId": "phone", "displayName": "Phone", "enrolledAt": "2026-01-02T03:04:05.000Z"}
    carol, dave = [
        {"localId": name, "email": f"{name}@example.com", "emailVerified": True, "mfaInfo": [factor | {"totpInfo": totp}]}
        for name, totp in [("carol", {"sharedSecretKey": TOTP_SECRET}), ("dave", {})]]
    path = users.write_file([carol, dave])
    refused = users.import_file(path, "--with-secrets")
    assert (refused.returncode, users.rows("id")) == (1, ["carol"])
    assert refused.stdout == "imported 1 account, changed 1 of them, 1 whose second factors no sign-in asks for\n"
    assert "the one-time password has no sharedSecretKey; --without-second-factors" in refused.stderr
    completed = users.import_file(path, "--resume", "--with-secrets", "--without-second-factors")
    assert completed.stdout == (
        "imported 1 account, 1 already existed, changed 1 of them, 1 without their second factors\n")
    [exported, _] = json.loads(users.export())["users"]
    assert exported["mfaInfo"] == [factor | {"totpInfo": {}}]
    with_secrets = users.export("secrets.json", "--with-secrets")
    assert json.loads(with_secrets)["users"][0]["mfaInfo"] == carol["mfaInfo"]
    other_users.import_file(other_users.write_file(with_secrets), "--with-secrets")
    assert other_users.export("out.json", "--with-secrets") == with_secrets
    shown = users.installation.run_ok(f"users get carol --project {users.project}")
    assert "totp phone Phone since 2026-01-02T03:04:05.000Z" in shown
    refused = run_sekisho(
        "users", "export", "-", "--project", users.project, "--format", "csv", "--with-secrets",
        **users.installation.environment)
    assert (refused.returncode, "--with-secrets requires --format json" in refused.stderr) == (2, True)


def test_check_reports_second_factors_that_no_sign_in_asks_for(users):
    carol = {"localId": "carol", "email": "carol@example.com", "emailVerified": True,
             "mfaInfo": [{"totpInfo": {"sharedSecretKey": TOTP_SECRET}}]}
    assert users.import_file(users.write_file([carol]), "--with-secrets").returncode == 0

    def findings(*settings):
        for setting in settings:
            users.installation.run_ok(f"projects policy {users.project} --set {setting}")
        lines = users.installation.run("check").stdout.splitlines()
        return [line for line in lines if f"project {users.project}: 1 account has" in line]

    [undemanded] = findings()
    assert undemanded.startswith("wrong ") and "a second factor, which no sign-in asks for" in undemanded
    [switched_off] = findings("secondFactors=enabled")
    assert switched_off.startswith("note ") and "users can no longer enroll" in switched_off
    assert findings("allowsTotp=true") == []


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_is_read_as_spreadsheets_write_it(users, separator):
    row = csv_row("ada", "ada@example.com", "TRUE", name=f'"A{separator} ""B"""').replace(",", separator)
    if separator != ",":
        row = row.replace(f"A{separator}", f"A{separator},")
    path = users.folder / "users.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{row}\r\n{csv_row('bob').replace(',', separator)}\r\n".encode())
    completed = users.import_file(path)
    assert completed.returncode == 0 and completed.stdout.startswith("imported 2 accounts")
    ada = json.loads(users.export())["users"][0]
    assert (ada["localId"], ada["emailVerified"]) == ("ada", True)
    # A tab in a name becomes a space.
    assert ada["displayName"] == {",": 'A, "B"', ";": 'A;, "B"', "\t": 'A , "B"'}[separator]


@pytest.mark.parametrize("count", [1, 2, 27, 29, 53])
def test_a_csv_row_with_another_number_of_columns_is_refused(users, count):
    text = csv_row("first") + "\nother" + "," * (count - 1) + "\n"
    completed = users.import_file(users.write_file(text, "users.csv"))
    assert completed.returncode == 1 and users.rows("id") == ["first"]
    noun = "column" if count == 1 else "columns"
    assert f"line 2: the row has {count} {noun} instead of 28, 32, 36, 40, 44, 48, 52" in completed.stderr


@pytest.mark.slow
def test_an_interrupted_import_can_be_resumed(users):
    count = 60_000
    rows = [{"localId": f"u{number:06}", "email": f"u{number}@example.com",
             "providerUserInfo": [{"providerId": "google.com", "rawId": f"g{number}"}]} for number in range(count)]
    path = users.write_file(rows)
    words = [binary(), "users", "import", str(path), "--project", users.project]
    process = subprocess.Popen(
        words, env=clean_environment(**users.installation.environment), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    assert eventually(lambda: users.rows("count(*)") != ["0"] or process.poll() is not None)
    assert process.poll() is None
    # SIGTERM, because shells make background jobs ignore SIGINT.
    process.terminate()
    assert process.wait(30) == -signal.SIGTERM
    stored = int(users.rows("count(*)")[0])
    assert 0 < stored < count
    assert users.rows("count(*)", "linked_identity") == [str(stored)]
    completed = users.import_file(path, "--resume")
    assert completed.returncode == 0
    assert completed.stdout == f"imported {count - stored} accounts, {stored} already existed\n"
    assert users.rows("count(*)", "linked_identity") == [str(count)]


def numbered_users(count, **more):
    """Returns `count` users. `more` are further members of some of them, by user: `u7` is the user number 7."""
    return [{"localId": f"u{number:06}", "email": f"u{number}@example.com", "displayName": f"User {number}"}
            | more.get(f"u{number}", {}) for number in range(count)]


@pytest.mark.parametrize("taken", [
    {"localId": "u000007"}, {"email": "u7@example.com"}, {"phoneNumber": "+15555550100"},
    {"providerUserInfo": [{"providerId": "google.com", "rawId": "g1"}]}])
def test_the_first_of_conflicting_rows_is_imported_although_batches_are_stored_concurrently(users, taken):
    later = [100, 3000, 5000, 5001, 9000]
    rows = numbered_users(10_000, u7=taken, **{f"u{number}": taken for number in later})
    path = users.write_file('{"users": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}")
    completed = users.import_file(path)
    assert (completed.returncode, completed.stdout) == (1, "imported 9995 accounts\n")
    *messages, summary = completed.stderr.splitlines()
    lines = [int(message.split()[2]) for message in messages if message.startswith("sekisho: line ")]
    # User 0 is in line 2.
    assert sorted(lines) == [number + 2 for number in later], messages
    names = set(users.rows("display_name"))
    assert "User 7" in names and not {f"User {number}" for number in later} & names


def test_invalid_rows_of_several_batches_are_reported_in_the_order_of_the_file(users):
    invalid = list(range(0, 12_000, 500))
    rows = numbered_users(12_000, **{f"u{number}": {"email": "nobody"} for number in invalid})
    path = users.folder / "errors.jsonl"
    completed = users.import_file(users.write_file(rows), "--errors", str(path))
    assert completed.stdout == f"imported {12_000 - len(invalid)} accounts\n"
    assert [json.loads(line)["localId"] for line in path.read_text().splitlines()] == [
        f"u{number:06}" for number in invalid]


def test_all_batches_before_the_end_of_a_truncated_file_are_imported_and_counted(users):
    text = json.dumps({"users": numbered_users(9000)})
    completed = users.import_file(users.write_file(text[:-10]))
    assert (completed.returncode, completed.stdout) == (1, "imported 8999 accounts\n")
    assert "invalid or truncated JSON" in completed.stderr and "run it again with --resume" in completed.stderr
    assert users.rows("count(*)") == ["8999"]


def test_an_import_that_fails_in_one_batch_while_others_are_stored_can_be_resumed(users, fresh_installation):
    path = users.write_file(numbered_users(12_000))
    condition = f"NEW.realm_id = '{users.project}' AND NEW.id = 'u005000'"
    sql(fresh_installation.database_url, f"""
        CREATE FUNCTION {users.project}() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN RAISE EXCEPTION ''not today''; END';
        CREATE TRIGGER {users.project} BEFORE INSERT ON account FOR EACH ROW WHEN ({condition})
            EXECUTE FUNCTION {users.project}()""")
    try:
        completed = users.import_file(path)
    finally:
        sql(fresh_installation.database_url, f"DROP FUNCTION {users.project} CASCADE")
    assert completed.returncode == 1 and "the import is incomplete: run it again with --resume" in completed.stderr
    stored = int(users.rows("count(*)")[0])
    assert 0 < stored < 12_000 and "u005000" not in users.rows("id")
    completed = users.import_file(path, "--resume")
    assert completed.stdout == f"imported {12_000 - stored} accounts, {stored} already existed\n"
    assert (completed.returncode, users.rows("count(*)")) == (0, ["12000"])


# The file has two batches: the first begins with u000000, the second ends with u001999. In the first case, the second
# batch is stored before the first fails; in the second case, the second batch fails before the first is stored.
@pytest.mark.parametrize("failing, slow", [("u000000", "u000000"), ("u001999", "u000000")])
def test_an_import_with_a_failed_batch_counts_the_batch_that_is_stored_concurrently(
        users, fresh_installation, failing, slow):
    trigger = users.project
    sql(fresh_installation.database_url, f"""
        CREATE FUNCTION {trigger}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
            IF NEW.id = ''{slow}'' THEN PERFORM pg_sleep(0.5); END IF;
            IF NEW.id = ''{failing}'' THEN RAISE EXCEPTION ''not today''; END IF;
            RETURN NEW;
        END';
        CREATE TRIGGER {trigger} BEFORE INSERT ON account FOR EACH ROW WHEN (NEW.realm_id = '{users.project}')
            EXECUTE FUNCTION {trigger}()""")
    try:
        completed = users.import_file(users.write_file(numbered_users(2000)))
    finally:
        sql(fresh_installation.database_url, f"DROP FUNCTION {trigger} CASCADE")
    stored = int(users.rows("count(*)")[0])
    assert 0 < stored < 2000
    assert (completed.returncode, completed.stdout) == (1, f"imported {stored} accounts\n")
    assert "not today" in completed.stderr or "P0001" in completed.stderr
    assert "run it again with --resume" in completed.stderr


def test_the_memory_of_an_import_does_not_grow_with_the_file(users):
    def peak_mebibytes(count):
        """The peak resident memory of an import of `count` users."""
        picture = "https://example.com/" + "x" * 1000
        path = users.write_file([
            user | {"localId": f"{count}-{user['localId']}", "email": None, "photoUrl": picture}
            for user in numbered_users(count)])
        words = [binary(), "users", "import", str(path), "--project", users.project]
        process = subprocess.Popen(
            words, env=clean_environment(**users.installation.environment), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_maxrss / 1024

    # The files differ by more than 30 MiB.
    assert peak_mebibytes(40_000) < peak_mebibytes(10_000) + 20


def test_an_import_on_a_terminal_shows_a_progress_bar(users):
    path = users.write_file([BOB])
    master, slave = pty.openpty()
    words = [binary(), "users", "import", str(path), "--project", users.project]
    process = subprocess.run(words, env=clean_environment(**users.installation.environment), stdout=subprocess.PIPE,
                             stderr=slave, timeout=30)
    os.close(slave)
    output = os.read(master, 65536).decode()
    os.close(master)
    assert process.returncode == 0
    assert "[##############################] 100 %  1 row," in output


@pytest.mark.parametrize(("options", "message"), [
    (["--hash-algo", "ROT13"], "--hash-algo ROT13: hashAlgorithm is unknown"),
    (FIREBASE_HASH_OPTIONS, "passwordHash needs the signerKey that it was computed with"),
    (["--hash-key", "?"], "the hash key is not valid base64"),
    (["--hash-key-file", "/nonexistent"], "--hash-key-file: cannot read /nonexistent"),
    (["--hash-key", "AAAA", "--hash-key-file", __file__], "the hash key is given more than once"),
    (["--hash-algo", "SHA256", "--rounds", "9000"], "rounds must be 0 to 8192"),
    (["--hash-algo", "STANDARD_SCRYPT", "--mem-cost", "1000", "--block-size", "8", "--parallelization", "1"],
     "the memory cost must be a power of two"),
    (["--hash-input-order", "SALT_LAST", "--hash-algo", "MD5", "--rounds", "1"],
     "--hash-input-order: expected SALT_FIRST or PASSWORD_FIRST"),
    (["--salt-separator", "?", "--hash-algo", "MD5"], "--salt-separator: expected base64"),
    (["--format", "xml"], "--format: expected json or csv"),
])
def test_invalid_options_are_rejected_before_anything_is_imported(users, options, message):
    completed = users.import_file(users.write_file([BOB]), *options)
    assert completed.returncode == 2 and message in completed.stderr
    assert users.rows("id") == []


def test_an_unknown_project_is_reported(users):
    words = ["users", "export", str(users.folder / "x"), "--project", "unknown"]
    completed = run_sekisho(*words, **users.installation.environment)
    assert (completed.returncode, completed.stderr) == (1, "sekisho: project unknown does not exist\n")
