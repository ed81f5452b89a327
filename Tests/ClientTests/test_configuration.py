"""The environment of `sekisho serve`: every mistake is told, all of them at once."""

import base64
import re
from pathlib import Path

import pytest

from gateway import run

EXAMPLE = Path(__file__).parents[2] / "Deploy" / "sekisho.env.example"
# Read by another command alone.
NOT_SERVED = ["SEKISHO_HASH_KEY"]
NAMES = [name for name in re.findall(r"^#?([A-Z_]+)=", EXAMPLE.read_text(), re.MULTILINE) if name not in NOT_SERVED]

# The same in every process: test names are made of these values.
VALID_MASTER_KEY = base64.b64encode(bytes(range(32))).decode()

GOOD = {
    "DATABASE_URL": "postgresql:///nobody?host=/nonexistent",
    "SEKISHO_MASTER_KEY": VALID_MASTER_KEY,
    "SEKISHO_PUBLIC_URL": "https://auth.example.com",
}
# A database URL is understood by libpq alone, so only an empty one is known to be wrong beforehand.
BAD = {
    "SEKISHO_DATABASE_CONNECTIONS": ["0", "65", "-1", "four", "4.0"],
    "SEKISHO_DATABASE_PREPARED": ["yes", "ON"],
    "SEKISHO_MASTER_KEY": ["c2hvcnQ=", "%", VALID_MASTER_KEY[:-1]],
    "SEKISHO_MASTER_KEY_PREVIOUS": ["c2hvcnQ=", "%"],
    "SEKISHO_PUBLIC_URL": [
        "auth.example.com", "http://auth.example.com", "https://auth.example.com/path", "https://auth.example.com?a",
        "https://ada@auth.example.com", "ftp://auth.example.com", "https://",
    ],
    "SEKISHO_LISTEN": ["8080", ":8080", "localhost:8080", "0.0.0.0:", "0.0.0.0:65536", "0.0.0.0:http"],
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
    "SEKISHO_SMTP_URL": ["mail.example.com", "https://mail.example.com", "smtp://", "smtps://mail.example.com:0"],
    "SEKISHO_MAIL_FROM": ["nobody", "Auth <auth@example.com>"],
    "SEKISHO_SMTP_CA_FILE": ["/nowhere/certificates.pem"],
    "SEKISHO_LOG_LEVEL": ["loud", "INFO"],
    "SEKISHO_DRAIN_SECONDS": ["-1", "301", "1.5"],
    "SEKISHO_CONNECTIONS": ["63", "1000001", "all"],
    "SEKISHO_CONNECTIONS_PER_ADDRESS": ["0", "1000001", "many"],
    "SEKISHO_BODY_MEMORY_MIB": ["31", "65537", "64MiB"],
}


def complaints(**environment):
    """The names of the variables that `serve` complains about; it must not have started."""
    ran = run("serve", **environment)
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    return re.findall(r"^  - ([A-Z_]+)", ran.stderr, re.MULTILINE)


def test_an_empty_environment_lacks_all_that_has_no_default():
    assert complaints() == list(GOOD)


def test_every_mistake_is_told_in_one_go():
    wrong = {name: values[0] for name, values in BAD.items()}
    assert set(complaints(**wrong)) == set(NAMES) == BAD.keys() | {"DATABASE_URL"}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_a_bad_value_is_refused_by_the_variables_name(name, value):
    assert complaints(**GOOD | {name: value}) == [name]


@pytest.mark.parametrize("name", GOOD)
def test_an_empty_value_is_none(name):
    assert complaints(**GOOD | {name: ""}) == [name]


@pytest.mark.parametrize("name", NAMES)
def test_a_value_is_given_once(name, tmp_path):
    given = GOOD | {name: "x", f"{name}_FILE": str(tmp_path / "value")}
    assert complaints(**given) == [name]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_cannot_be_read_is_named(name, tmp_path):
    path = str(tmp_path / "missing")
    ran = run("serve", **{key: value for key, value in GOOD.items() if key != name} | {f"{name}_FILE": path})
    assert ran.returncode == 2
    assert f"{name}_FILE: {path} cannot be read" in ran.stderr


@pytest.mark.parametrize("ending", ["", "\n"])
def test_every_value_may_be_in_a_file(ending, tmp_path, installation):
    environment = {}
    for name, value in installation.environment.items():
        path = tmp_path / name
        path.write_text(value + ending)
        environment[f"{name}_FILE"] = str(path)
    assert run("check", **environment).returncode == 0


@pytest.mark.parametrize("url", ["", "http://127.0.0.1:9/range", "https://mirror.internal/range/"])
def test_breached_passwords_may_be_looked_up_elsewhere_or_not_at_all(url, installation):
    assert installation.run("check", SEKISHO_BREACHED_PASSWORDS_URL=url).returncode == 0


def test_a_secret_is_not_repeated_in_a_complaint():
    for name in ("SEKISHO_MASTER_KEY", "SEKISHO_MASTER_KEY_PREVIOUS"):
        assert "hunter2" not in run("serve", **GOOD | {name: "hunter2"}).stderr
