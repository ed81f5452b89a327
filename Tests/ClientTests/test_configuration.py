"""The environment of `sekisho serve`: its variables, their files, and the errors for invalid values."""

import base64
import re
from pathlib import Path

import pytest

from gateway import run_sekisho

EXAMPLE = Path(__file__).parents[2] / "Deploy" / "sekisho.env.example"
# The variables in the example file that only commands other than `serve` read.
NOT_READ_BY_SERVE = ["SEKISHO_HASH_KEY"]
VARIABLES = [
    name for name in re.findall(r"^#?([A-Z_]+)=", EXAMPLE.read_text(), re.MULTILINE) if name not in NOT_READ_BY_SERVE]

# Not random: test IDs contain invalid forms of this key, and must be equal in every worker of pytest-xdist.
VALID_MASTER_KEY = base64.b64encode(bytes(range(32))).decode()

VALID_VALUES = {
    "DATABASE_URL": "postgresql:///unreachable?host=/nonexistent",
    "SEKISHO_MASTER_KEY": VALID_MASTER_KEY,
    "SEKISHO_PUBLIC_URL": "https://auth.example.com",
}
INVALID_VALUES = {
    "DATABASE_URL": [
        "sekisho", "mysql://sekisho@127.0.0.1/sekisho", "postgresql://sekisho:hunter@2@127.0.0.1/sekisho",
        "postgresql://sekisho:hunter/2@127.0.0.1/sekisho", "postgresql://sekisho:hunter2%@127.0.0.1/sekisho",
        "postgresql://127.0.0.1:65536/sekisho",
    ],
    "SEKISHO_DATABASE_CONNECTIONS": ["0", "1001", "-1", "four", "4.0"],
    "SEKISHO_OUTAGE_SECONDS": ["-1", "601", "long"],
    "SEKISHO_DATABASE_PREPARED": ["yes", "ON"],
    "SEKISHO_DATABASE_STARTUP_OPTIONS": ["yes", "shared"],
    "SEKISHO_MASTER_KEY": ["c2hvcnQ=", "%", VALID_MASTER_KEY[:-1]],
    "SEKISHO_MASTER_KEY_PREVIOUS": ["c2hvcnQ=", "%"],
    "SEKISHO_PUBLIC_URL": [
        "auth.example.com", "http://auth.example.com", "https://auth.example.com/path", "https://auth.example.com?a",
        "https://ada@auth.example.com", "ftp://auth.example.com", "https://",
    ],
    "SEKISHO_LISTEN": ["8080", ":8080", "localhost:8080", "0.0.0.0:", "0.0.0.0:65536", "0.0.0.0:http"],
    "SEKISHO_OPERATIONS_LISTEN": ["9090", "localhost:9090", "127.0.0.1:65536"],
    "SEKISHO_LOOPS": ["0", "257", "all"],
    "SEKISHO_TRUSTED_PROXIES": ["10.0.0.0/33", "proxy", "10.0.0.0/8;fd00::/8"],
    "SEKISHO_PASSWORD_THREADS": ["0", "257", "all"],
    "SEKISHO_PASSWORD_MEMORY_KIB": ["7167", "1048577", "19MB"],
    "SEKISHO_PASSWORD_ITERATIONS": ["0", "17", "two"],
    "SEKISHO_PASSWORD_WAITING": ["1", "10001", "many"],
    "SEKISHO_BREACHED_PASSWORDS_URL": [
        "api.pwnedpasswords.com/range/", "http://mirror.example.com/range/", "https://mirror.example.com/range/?a=",
        "https://ada@mirror.example.com/", "https://", "https://mirror.example.com/a b/",
    ],
    "SEKISHO_CONSOLE_PROJECT": ["Operators", "-operators", "v1"],
    "SEKISHO_CONSOLE_URL": ["console.example.com", "http://console.example.com", "https://console.example.com/console"],
    "SEKISHO_SMTP_URL": ["mail.example.com", "https://mail.example.com", "smtp://", "smtps://mail.example.com:0"],
    "SEKISHO_EMAIL_FROM": ["no-address", "Auth <auth@example.com>"],
    "SEKISHO_APPLE_DOMAIN_ASSOCIATION": ["\u5c71", "a" * 65537],
    "SEKISHO_SMTP_CA_FILE": ["/nowhere/certificates.pem"],
    "SEKISHO_LOG_LEVEL": ["loud", "INFO"],
    "SEKISHO_DRAIN_SECONDS": ["-1", "301", "1.5"],
    "SEKISHO_DRAIN_DELAY_SECONDS": ["-1", "301", "1.5"],
    "SEKISHO_CONNECTIONS": ["63", "1000001", "all"],
    "SEKISHO_CONNECTIONS_PER_ADDRESS": ["0", "1000001", "many"],
    "SEKISHO_BODY_MEMORY_MIB": ["31", "65537", "64MiB"],
}


def rejected_variables(**environment):
    """The names of the variables that `serve` rejects; fails if `serve` starts."""
    completed = run_sekisho("serve", **environment)
    assert (completed.returncode, completed.stdout) == (2, ""), completed.stderr
    return re.findall(r"^  - ([A-Z_]+)", completed.stderr, re.MULTILINE)


def test_variables_without_a_default_are_required():
    assert rejected_variables() == list(VALID_VALUES)


def test_all_invalid_and_missing_variables_are_reported_at_once():
    """DATABASE_URL is missing, and all other variables are invalid."""
    invalid = {name: values[0] for name, values in INVALID_VALUES.items() if name != "DATABASE_URL"}
    assert set(rejected_variables(**invalid)) == set(VARIABLES) == INVALID_VALUES.keys()


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in INVALID_VALUES.items() for value in values])
def test_an_invalid_value_is_reported_with_the_name_of_its_variable(name, value):
    assert rejected_variables(**VALID_VALUES | {name: value}) == [name]


@pytest.mark.parametrize("name", VALID_VALUES)
def test_an_empty_value_counts_as_not_set(name):
    assert rejected_variables(**VALID_VALUES | {name: ""}) == [name]


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_and_its_file_variant_exclude_each_other(name, tmp_path):
    environment = VALID_VALUES | {name: "x", f"{name}_FILE": str(tmp_path / "value")}
    assert rejected_variables(**environment) == [name]


@pytest.mark.parametrize("name", VARIABLES)
def test_an_unreadable_file_is_named(name, tmp_path):
    path = str(tmp_path / "missing")
    other_variables = {other: value for other, value in VALID_VALUES.items() if other != name}
    completed = run_sekisho("serve", **other_variables | {f"{name}_FILE": path})
    assert completed.returncode == 2
    assert f"{name}_FILE: cannot read {path}" in completed.stderr


@pytest.mark.parametrize("ending", ["", "\n"])
def test_the_variables_of_an_installation_can_be_read_from_files(ending, tmp_path, installation):
    environment = {}
    for name, value in installation.environment.items():
        path = tmp_path / name
        path.write_text(value + ending)
        environment[f"{name}_FILE"] = str(path)
    assert run_sekisho("check", **environment).returncode == 0


@pytest.mark.parametrize("url", ["", "http://127.0.0.1:9/range", "https://mirror.internal/range/"])
def test_the_url_for_breached_passwords_may_be_empty_or_on_loopback_or_use_https(url, installation):
    assert installation.run("check", SEKISHO_BREACHED_PASSWORDS_URL=url).returncode == 0


def test_an_error_message_does_not_contain_the_secret():
    for name in ("SEKISHO_MASTER_KEY", "SEKISHO_MASTER_KEY_PREVIOUS"):
        assert "hunter2" not in run_sekisho("serve", **VALID_VALUES | {name: "hunter2"}).stderr


@pytest.mark.parametrize("url", [url for url in INVALID_VALUES["DATABASE_URL"] if "hunter" in url])
def test_an_invalid_database_url_is_explained_without_a_part_of_its_password(url):
    message = run_sekisho("serve", **VALID_VALUES | {"DATABASE_URL": url}).stderr
    assert "percent-encoded" in message
    assert "hunter" not in message and "2@" not in message
