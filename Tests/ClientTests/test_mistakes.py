"""Mistakes in commands, settings, files and databases. Each gets one whole message, without names of Swift's types."""

import socket

import pytest

from gateway import run_sekisho
from installation import Installation, new_database

ENVIRONMENT = {
    # A database that cannot be reached.
    "DATABASE_URL": "postgresql:///none?host=/nonexistent",
    "SEKISHO_PUBLIC_URL": "https://auth.example.com",
    "SEKISHO_MASTER_KEY": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
}
CONNECTION_PROBLEM = (
    'the database is unavailable: connection to server on socket "/nonexistent/.s.PGSQL.5432" failed: '
    "No such file or directory; Is the server running locally and accepting connections on that socket?")
# The arguments, the command whose help the message mentions, and the message.
USAGE = [
    ("frobnicate", "", "unknown command: frobnicate"),
    ("serv", "", "unknown command: serv; did you mean serve?"),
    ("migrat", "", "unknown command: migrat; did you mean migrate?"),
    ("chekc", "", "unknown command: chekc; did you mean check?"),
    ("user list", "", "unknown command: user list; did you mean users list?"),
    ("users imprt x", "users", "unknown command: users imprt x; did you mean users import?"),
    ("users frobnicate", "users", "unknown command: users frobnicate"),
    ("project create demo", "", "unknown command: project create demo; did you mean projects create?"),
    ("projects creat demo", "projects", "unknown command: projects creat demo; did you mean projects create?"),
    ("keys rotate", "keys", "unknown command: keys rotate"),
    ("keys create-apikey", "keys", "unknown command: keys create-apikey; did you mean keys create-api-key?"),
    ("keys",
     "keys",
     "keys requires a subcommand: create-api-key, list-api-keys, revoke-api-key, create-service-key, "
     "list-service-keys, revoke-service-key, list-signing-keys, rotate-signing-key, rotate-refresh-key, "
     "rewrap, generate-master-key"),
    ("apple", "apple", "apple requires a subcommand: export-transfers, import-transfers"),
    ("email", "email", "email requires a subcommand: test, list"),
    ("audit", "audit", "audit requires a subcommand: list, export"),
    ("apps", "apps", "apps requires a subcommand: create, list, delete"),
    ("projects", "projects", "projects requires a subcommand: create, list, show, texts, apply, policy, delete"),
    ("users",
     "users",
     "users requires a subcommand: list, get, set-password, disable, enable, sign-out, reset-factors, impersonate, "
     "delete, link, unlink, import, export"),
    ("--frobnicate", "", "unknown option --frobnicate"),
    ("-x", "", "unknown option -x"),
    ("serve now", "serve", "unexpected argument: now"),
    ("migrate now", "migrate", "unexpected argument: now"),
    ("check now", "check", "unexpected argument: now"),
    ("dev now", "dev", "unexpected argument: now"),
    ("verify-token now", "verify-token", "unexpected argument: now"),
    ("serve --port 1", "serve", "unknown option --port"),
    ("migrate --dry-run", "migrate", "unknown option --dry-run"),
    ("check --lives", "check", "unknown option --lives; did you mean --live?"),
    ("check --project demo", "check", "--project and --json require --app-review"),
    ("check --json", "check", "--project and --json require --app-review"),
    ("check --app-review --live", "check", "--live cannot be combined with --app-review"),
    ("dev --prot 1", "dev", "unknown option --prot; did you mean --port?"),
    ("dev --port", "dev", "--port requires a value"),
    ("dev --port x", "dev", "--port: expected an integer from 0 to 65535, got \"x\""),
    ("dev --port 65536", "dev", "--port: expected an integer from 0 to 65535, got \"65536\""),
    ("dev --port -1", "dev", "--port: expected an integer from 0 to 65535, got \"-1\""),
    ("dev --port=", "dev", "--port: expected an integer from 0 to 65535, got \"\""),
    ("dev --project X",
     "dev",
     "expected a project ID of at most 63 characters (a-z, 0-9 and hyphens, not beginning with a hyphen) that "
     "is not reserved for a path of the gateway, got \"X\""),
    ("dev --project", "dev", "--project requires a value"),
    ("dev --data", "dev", "--data requires a value"),
    ("projects create", "projects create", "expected exactly one project ID, got none"),
    ("projects create a b", "projects create", "expected exactly one project ID, got a b"),
    ("projects create v1",
     "projects create",
     "expected a project ID of at most 63 characters (a-z, 0-9 and hyphens, not beginning with a hyphen) that "
     "is not reserved for a path of the gateway, got \"v1\""),
    ("projects create Demo",
     "projects create",
     "expected a project ID of at most 63 characters (a-z, 0-9 and hyphens, not beginning with a hyphen) that "
     "is not reserved for a path of the gateway, got \"Demo\""),
    ("projects create demo/x",
     "projects create",
     "expected a project ID of at most 63 characters (a-z, 0-9 and hyphens, not beginning with a hyphen) that "
     "is not reserved for a path of the gateway, got \"demo/x\""),
    ("projects create demo --profile google",
     "projects create",
     "--profile: expected sekisho or firebase, got \"google\""),
    ("projects create demo --algorithm HS256",
     "projects create",
     "--algorithm: expected ES256 or RS256, got \"HS256\""),
    ("projects create demo --domian a", "projects create", "unknown option --domian; did you mean --domain?"),
    ("projects list demo", "projects list", "unexpected argument: demo"),
    ("projects apply", "projects apply", "expected exactly one file, got none"),
    ("projects apply /nonexistent/project.json",
     "projects apply",
     "cannot read /nonexistent/project.json: No such file or directory"),
    ("projects apply {folder}", "projects apply", "cannot read {folder}: Is a directory"),
    ("projects policy", "projects policy", "expected exactly one project ID, got none"),
    ("hooks test beforeCreate --project demo --signed-tokens", "hooks test", "--signed-tokens requires --dev"),
    ("projects policy demo --set x",
     "projects policy",
     "--set: expected NAME=VALUE with a name that --help lists, got \"x\""),
    ("apps create", "apps create", "expected exactly one app ID, got none"),
    ("apps create App --project demo",
     "apps create",
     "expected an app ID of at most 63 characters (a-z, 0-9 and hyphens, not beginning with a hyphen, neither account "
     "nor console), got \"App\""),
    ("apps create app", "apps create", "--project is required"),
    ("apps list", "apps list", "--project is required"),
    ("apps list --project a/b", "apps list", "expected a project ID, got the tenant \"a/b\""),
    ("apps list --projct demo", "apps list", "unknown option --projct; did you mean --project?"),
    ("keys create-api-key", "keys create-api-key", "--project is required"),
    ("keys create-api-key demo", "keys create-api-key", "unexpected argument: demo"),
    ("keys list-api-keys", "keys list-api-keys", "--project is required"),
    ("keys revoke-api-key x", "keys revoke-api-key", "--project is required"),
    ("keys revoke-api-key --project demo", "keys revoke-api-key", "expected exactly one key ID, got none"),
    ("keys create-service-key --name backend", "keys create-service-key", "--project is required"),
    ("keys create-service-key --project demo", "keys create-service-key", "--name is required"),
    ("keys create-service-key --project demo --name backend --algorithm none",
     "keys create-service-key",
     "--algorithm: expected RS256 or ES256, got \"none\""),
    ("keys rotate-signing-key --now=yes --project demo",
     "keys rotate-signing-key",
     "--now takes no value, got \"yes\""),
    ("keys list-signing-keys --project", "keys list-signing-keys", "--project requires a value"),
    ("users import", "users import", "expected exactly one file, got none"),
    ("users import x", "users import", "--project is required"),
    ("users import --project demo", "users import", "expected exactly one file, got none"),
    ("users export", "users export", "expected exactly one file, got none"),
    ("users export --project demo", "users export", "expected exactly one file, got none"),
    ("users export x --project demo --format xml", "users export", "--format: expected json or csv, got \"xml\""),
    ("audit list --project demo --actor bogus",
     "audit list",
     "--actor: expected user, system, cli, emulator, key:ID or administrator:ID, got \"bogus\""),
    ("audit export --project demo --actor key:",
     "audit export",
     "--actor: expected user, system, cli, emulator, key:ID or administrator:ID, got \"key:\""),
    ("audit list --project demo --limit 0", "audit list", "--limit: expected an integer from 1 to 1000, got \"0\""),
    ("audit list --project demo --since yesterday",
     "audit list",
     "--since: expected a date or a UTC time such as 2026-01-31T12:00:00Z, got \"yesterday\""),
    ("email test", "email test", "expected exactly one email address, got none"),
    ("email test nobody", "email test", "expected an email address, got \"nobody\""),
    ("apple export-transfers --project demo", "apple export-transfers", "--to-team is required"),
    ("apple export-transfers --project demo --to-team abc",
     "apple export-transfers",
     "--to-team: expected ten upper-case letters or digits, got \"abc\""),
    ("apple import-transfers --project demo --key-id ABCDEFGHIJ",
     "apple import-transfers",
     "--team-id, --key-id and --private-key-file must be given together"),
    ("apple import-transfers --project demo --simulator https://example.com",
     "apple import-transfers",
     "--simulator: expected http://127.0.0.1:PORT, got \"https://example.com\""),
    ("simulate", "simulate", "expected exactly one provider, got none"),
    ("simulate apple.com --project X", "simulate", "--project: expected a project ID, got \"X\""),
    ("verify-token --audience a", "verify-token", "--provider is required"),
    ("verify-token --provider apple.com", "verify-token", "--audience is required"),
    ("verify-token --audience a --provider facebook.com",
     "verify-token",
     "--provider: expected apple.com or google.com, got \"facebook.com\""),
    ("verify-token --provider apple.com --audience a --at noon",
     "verify-token",
     "--at: expected an integer from 0 to 253402300799, got \"noon\""),
    ("verify-token --provider apple.com --audience a --jwks /nonexistent",
     "verify-token",
     "--jwks: cannot read /nonexistent: No such file or directory"),
]
# Changes of the environment, `None` for a variable that is not set, and the problem.
SETTINGS = [
    ({"DATABASE_URL": None},
     "DATABASE_URL: is not set; expected the PostgreSQL database, such as postgresql://user:password@host/name"),
    ({"SEKISHO_PUBLIC_URL": None},
     "SEKISHO_PUBLIC_URL: is not set; expected the URL of the gateway for clients, such as "
     "https://auth.example.com; the issuer of tokens begins with it"),
    ({"SEKISHO_MASTER_KEY": None},
     "SEKISHO_MASTER_KEY: is not set; expected 32 bytes in base64, the key that encrypts every secret in the "
     "database (sekisho keys generate-master-key prints one)"),
    ({"DATABASE_URL": "mysql://x"},
     "DATABASE_URL: expected postgresql://USER:PASSWORD@HOST/DATABASE; a password with other characters than "
     "letters and digits must be percent-encoded, such as %40 for @"),
    ({"DATABASE_URL": "postgresql://u:p@ss@h/d x"},
     "DATABASE_URL: expected postgresql://USER:PASSWORD@HOST/DATABASE; a password with other characters than "
     "letters and digits must be percent-encoded, such as %40 for @"),
    ({"SEKISHO_MASTER_KEY": "secret"}, "SEKISHO_MASTER_KEY: expected 32 bytes in base64"),
    ({"SEKISHO_MASTER_KEY_PREVIOUS": "secret"}, "SEKISHO_MASTER_KEY_PREVIOUS: expected 32 bytes in base64"),
    ({"SEKISHO_MASTER_KEY_FILE": "/nonexistent"},
     "SEKISHO_MASTER_KEY: SEKISHO_MASTER_KEY_FILE is set too: use only one of them"),
    ({"SEKISHO_MASTER_KEY": None, "SEKISHO_MASTER_KEY_FILE": "/nonexistent"},
     "SEKISHO_MASTER_KEY_FILE: cannot read /nonexistent: No such file or directory"),
    ({"SEKISHO_MASTER_KEY": None, "SEKISHO_MASTER_KEY_FILE": "{folder}"},
     "SEKISHO_MASTER_KEY_FILE: cannot read {folder}: Is a directory"),
    ({"SEKISHO_PUBLIC_URL": "http://auth.example.com"},
     "SEKISHO_PUBLIC_URL: expected an https URL without path (http for loopback only), "
     "got \"http://auth.example.com\""),
    ({"SEKISHO_PUBLIC_URL": "https://auth.example.com/x"},
     "SEKISHO_PUBLIC_URL: expected an https URL without path (http for loopback only), got "
     "\"https://auth.example.com/x\""),
    ({"SEKISHO_PUBLIC_URL": "auth"},
     "SEKISHO_PUBLIC_URL: expected an https URL without path (http for loopback only), got \"auth\""),
    ({"SEKISHO_LISTEN": "everywhere"},
     "SEKISHO_LISTEN: expected ADDRESS:PORT with a numeric address, got \"everywhere\""),
    ({"SEKISHO_LISTEN": "localhost:80"},
     "SEKISHO_LISTEN: expected ADDRESS:PORT with a numeric address, got \"localhost:80\""),
    ({"SEKISHO_LISTEN": "127.0.0.1:99999"},
     "SEKISHO_LISTEN: expected ADDRESS:PORT with a numeric address, got \"127.0.0.1:99999\""),
    ({"SEKISHO_LOOPS": "0"}, "SEKISHO_LOOPS: expected an integer from 1 to 256, got \"0\""),
    ({"SEKISHO_LOOPS": "two"}, "SEKISHO_LOOPS: expected an integer from 1 to 256, got \"two\""),
    ({"SEKISHO_TRUSTED_PROXIES": "10.0.0.0/99"},
     "SEKISHO_TRUSTED_PROXIES: expected comma-separated networks such as 10.0.0.0/8, got \"10.0.0.0/99\""),
    ({"SEKISHO_DRAIN_SECONDS": "-1"}, "SEKISHO_DRAIN_SECONDS: expected an integer from 0 to 300, got \"-1\""),
    ({"SEKISHO_DRAIN_DELAY_SECONDS": "301"},
     "SEKISHO_DRAIN_DELAY_SECONDS: expected an integer from 0 to 300, got \"301\""),
    ({"SEKISHO_DRAIN_SECONDS": "301"}, "SEKISHO_DRAIN_SECONDS: expected an integer from 0 to 300, got \"301\""),
    ({"SEKISHO_PASSWORD_MEMORY_KIB": "1"},
     "SEKISHO_PASSWORD_MEMORY_KIB: expected an integer from 7168 to 1048576, got \"1\""),
    ({"SEKISHO_PASSWORD_ITERATIONS": "99"},
     "SEKISHO_PASSWORD_ITERATIONS: expected an integer from 1 to 16, got \"99\""),
    ({"SEKISHO_PASSWORD_THREADS": "0"}, "SEKISHO_PASSWORD_THREADS: expected an integer from 1 to 256, got \"0\""),
    ({"SEKISHO_PASSWORD_WAITING": "1"}, "SEKISHO_PASSWORD_WAITING: expected an integer from 2 to 10000, got \"1\""),
    ({"SEKISHO_DATABASE_CONNECTIONS": "0"},
     "SEKISHO_DATABASE_CONNECTIONS: expected an integer from 1 to 1000, got \"0\""),
    ({"SEKISHO_DATABASE_PREPARED": "maybe"}, "SEKISHO_DATABASE_PREPARED: expected on, shared or off, got \"maybe\""),
    ({"SEKISHO_DATABASE_STARTUP_OPTIONS": "maybe"},
     "SEKISHO_DATABASE_STARTUP_OPTIONS: expected on or off, got \"maybe\""),
    ({"SEKISHO_LOG_LEVEL": "loud"}, "SEKISHO_LOG_LEVEL: expected debug, info, warning or error, got \"loud\""),
    ({"SEKISHO_BREACHED_PASSWORDS_URL": "ftp://x"},
     "SEKISHO_BREACHED_PASSWORDS_URL: expected an https URL without query (http for loopback only), or empty"),
    ({"SEKISHO_SMTP_URL": "smtp"},
     "SEKISHO_SMTP_URL: expected smtp:// or smtps:// with a host, and optionally user:password@ and a port"),
    ({"SEKISHO_EMAIL_FROM": "x"}, "SEKISHO_EMAIL_FROM: expected an email address, got \"x\""),
    ({"SEKISHO_SMTP_URL": "smtps://mail.example.com"}, "SEKISHO_EMAIL_FROM: is not set, but SEKISHO_SMTP_URL is"),
    ({"SEKISHO_CONNECTIONS": "1"}, "SEKISHO_CONNECTIONS: expected an integer from 64 to 1000000, got \"1\""),
    ({"SEKISHO_BODY_MEMORY_MIB": "0"}, "SEKISHO_BODY_MEMORY_MIB: expected an integer from 32 to 65536, got \"0\""),
    ({"SEKISHO_MASTER_KEI": "x"}, "SEKISHO_MASTER_KEI: unknown variable; did you mean SEKISHO_MASTER_KEY?"),
    ({"SEKISHO_LISTN": "x"}, "SEKISHO_LISTN: unknown variable; did you mean SEKISHO_LISTEN?"),
    ({"SEKISHO_SMTP_URL_FLIE": "x"}, "SEKISHO_SMTP_URL_FLIE: unknown variable; did you mean SEKISHO_SMTP_URL_FILE?"),
    ({"SEKISHO_SOMETHING_ELSE": "x"}, "SEKISHO_SOMETHING_ELSE: unknown variable"),
]
# The content of a project file, and the problems.
PROJECT_FILES = [
    ("", "the file is not a valid JSON object: syntax error at line 1, column 1"),
    ("x", "the file is not a valid JSON object: syntax error at line 1, column 1"),
    ("[]", "the file is not a valid JSON object: the value is not an object"),
    ("null", "the file is not a valid JSON object: the value is not an object"),
    ("{\n  \"project\": \"demo\",\n}", "the file is not a valid JSON object: syntax error at line 3, column 1"),
    ("{\"project\": \"demo\"", "the file is not a valid JSON object: syntax error at line 1, column 19"),
    ("{\"project\": 1}", "project: expected a string, got a number\n  - project: expected a project ID, got \"\""),
    ("{\"project\": \"Demo\"}", "project: expected a project ID, got \"Demo\""),
    ("{\"project\": \"demo\", \"project\": \"demo\"}",
     "the file is not a valid JSON object: an object has two members with the same name"),
    ("{\"project\": \"demo\\u0000\"}", "the file is not a valid JSON object: a string contains U+0000"),
    ("{\"project\": \"\\ud800\"}", "the file is not a valid JSON object: a string contains half of a surrogate pair"),
    ("\xff", "the file is not a valid JSON object: syntax error at line 1, column 1"),
    ("[" * 40, "the file is not a valid JSON object: nested too deeply"),
    ("{\"project\": \"demo\", \"nmae\": \"x\"}",
     "nmae: unknown member; expected one of apps, authorizedDomains, blockingFunctions, brand, email, eventEndpoints, "
     "name, passkeys, policy, profile, project, providers, sms, texts"),
    ("{\"project\": \"demo\", \"profile\": \"google\"}", "profile: expected sekisho or firebase, got \"google\""),
    ("{\"project\": \"demo\", \"policy\": []}", "policy: expected an object, got a list"),
    ("{\"project\": \"demo\", \"policy\": {\"x\": 1}}",
     "policy.x: unknown setting; `sekisho projects policy --help` lists the settings"),
    ("{\"project\": \"demo\", \"providers\": {\"apple.com\": 1}}",
     "providers.apple.com: expected an object, got a number"),
    ("{\"project\": \"demo\", \"apps\": {\"web\": {\"platform\": \"fridge\"}}}",
     "apps.web.platform: expected ios, macos, tvos, watchos, visionos, android, windows, web or other, got \"fridge\""),
    ("{\"project\": \"demo\", \"authorizedDomains\": \"x\"}",
     "authorizedDomains: expected a list of strings, got \"x\""),
    ("{\"project\": \"demo\", \"brand\": {\"color\": \"red\"}}",
     "brand.color: expected # and six hexadecimal digits, or null, got \"red\""),
    ("{\"project\": \"demo\", \"texts\": {\"signInTitel\": {}}}",
     "texts.signInTitel: unknown member; expected one of accountDisabled, changeEmail, changeEmailButton, noMethod, "
     "resetAdvice, resetPassword, resetPasswordButton, resetTitle, signInEmail, signInEmailButton, signInHelp, "
     "signInTitle, signUpHelp, signUpTitle, verifyEmail, verifyEmailButton"),
    ("{\"project\": \"demo\", \"texts\": {\"verifyEmail\": {\"en\": \"Open example.com\"}}}",
     "texts.verifyEmail.en: must have at most 2000 characters in one line, with no placeholder but {app}, and without "
     "anything that mail programs show as a link, such as example.com"),
    ("{\"project\": \"demo\", \"email\": {\"from\": \"nobody\"}}",
     "email.from: unknown member; expected one of actionUrl, language, replyTo, senderAddress, senderName, subjects"),
]


def within(folder, text):
    return text.replace("{folder}", str(folder))


@pytest.mark.parametrize(("words", "command", "message"), USAGE)
def test_a_mistake_in_the_arguments_is_explained(words, command, message, tmp_path):
    completed = run_sekisho(*within(tmp_path, words).split())
    program = " ".join(["sekisho", *command.split()])
    expected = f"sekisho: {within(tmp_path, message)}\nRun `{program} --help` for usage.\n"
    assert (completed.returncode, completed.stdout, completed.stderr) == (2, "", expected)


@pytest.mark.parametrize("command", ["check", "serve"])
@pytest.mark.parametrize(("changes", "problem"), SETTINGS)
def test_a_mistake_in_the_environment_is_explained(command, changes, problem, tmp_path):
    environment = {
        name: within(tmp_path, value) for name, value in (ENVIRONMENT | changes).items() if value is not None}
    completed = run_sekisho(command, **environment)
    expected = f"sekisho: invalid configuration:\n  - {within(tmp_path, problem)}\n"
    assert (completed.returncode, completed.stdout, completed.stderr) == (2, "", expected)


@pytest.mark.parametrize(("content", "problem"), PROJECT_FILES)
def test_a_mistake_in_a_project_file_is_explained(content, problem, tmp_path):
    file = tmp_path / "project.json"
    file.write_bytes(content.encode("latin-1"))
    completed = run_sekisho("projects", "apply", str(file), **ENVIRONMENT)
    expected = f"sekisho: invalid configuration:\n  - {problem}\n"
    assert (completed.returncode, completed.stdout, completed.stderr) == (2, "", expected)


@pytest.mark.parametrize("words", [
    "migrate", "projects list", "users list --project demo", "tenants list --project demo",
])
def test_a_command_says_why_the_database_is_unavailable(words):
    completed = run_sekisho(*words.split(), **ENVIRONMENT)
    assert (completed.returncode, completed.stdout) == (1, "")
    assert completed.stderr == f"sekisho: {CONNECTION_PROBLEM}\n"


def test_check_says_why_the_database_is_unavailable():
    completed = run_sekisho("check", **ENVIRONMENT)
    assert completed.returncode == 1
    assert completed.stdout.splitlines()[-1] == (
        f"wrong database not reachable: check DATABASE_URL; {CONNECTION_PROBLEM}")


@pytest.fixture(scope="module")
def installation(folder, dev):
    return Installation(folder, new_database(dev.database_url)).with_project()


@pytest.mark.parametrize(("words", "message"), [
    ("apps list --project none", "project none does not exist"),
    ("apps delete none --project demo --yes", "project demo has no app none"),
    ("projects create demo", "project demo already exists"),
    ("tenants list --project none", "project none does not exist"),
    ("users list --project none", "project none does not exist"),
    ("users list --project demo --tenant none", "tenant demo/none does not exist"),
    ("users get nobody --project demo", "project demo has no user nobody"),
    ("users get nobody@example.com --project demo", "project demo has no user nobody@example.com"),
    ("users disable nobody --project demo", "project demo has no user nobody"),
    ("users delete nobody --project demo --yes", "project demo has no user nobody"),
    ("users unlink nobody --project demo --provider apple.com", "project demo has no user nobody"),
    ("keys revoke-api-key none --project demo", "project demo has no API key none, or it is already revoked"),
])
def test_a_name_that_the_database_lacks_is_explained(words, message, installation):
    completed = installation.run(words)
    assert (completed.returncode, completed.stdout, completed.stderr) == (1, "", f"sekisho: {message}\n")


def test_a_database_that_is_not_migrated_is_explained(dev):
    completed = run_sekisho("projects", "list", **ENVIRONMENT | {"DATABASE_URL": new_database(dev.database_url)})
    assert (completed.returncode, completed.stderr) == (
        1, "sekisho: the database is not migrated: run `sekisho migrate`\n")


def test_dev_says_where_it_cannot_write(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    advice = "Choose another directory with --data."
    for data, problem in [
        (file, f"{file} is not a directory"),
        (file / "data", f"cannot create the directory {file}/data: Not a directory"),
        ("/proc/sekisho", "cannot create the directory /proc/sekisho: No such file or directory"),
    ]:
        completed = run_sekisho("dev", "--port", "0", "--data", str(data))
        assert (completed.returncode, completed.stderr) == (1, f"sekisho: {problem}. {advice}\n")


def test_dev_creates_nothing_if_its_port_is_in_use(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        completed = run_sekisho("dev", "--port", str(port), "--data", str(tmp_path / "data"))
    assert (completed.returncode, completed.stderr) == (
        1, f"sekisho: cannot listen on 127.0.0.1:{port}, [::1]:{port}: bind: Address already in use\n")
    assert list(tmp_path.iterdir()) == []
