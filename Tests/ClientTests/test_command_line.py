"""The command line: help texts and usage errors."""

import re

import pytest

from gateway import run

COMMANDS = [
    "dev", "serve", "migrate", "check", "verify-token",
    "projects create", "projects list", "projects apply", "projects policy", "apps create", "apps list",
    "users import", "users export",
    "keys create-api-key", "keys list-api-keys", "keys revoke-api-key",
    "keys create-service-key", "keys list-service-keys", "keys revoke-service-key",
    "keys list-signing-keys", "keys rotate-signing-key", "keys rotate-refresh-key", "keys rewrap",
    "keys generate-master-key",
    "audit list", "audit export", "mail test", "mail list",
]
each_command = pytest.mark.parametrize("command", COMMANDS)


def test_the_overview_lists_every_command():
    listed = re.findall(r"^  ([a-z-]+(?: [a-z-]+)?)(?: ID| FILE| ADDRESS)?  ", run("--help").stdout, re.MULTILINE)
    assert listed == COMMANDS


@pytest.mark.parametrize("words", ["", "help", "-h"])
def test_help_without_a_command_shows_the_overview(words):
    assert run(*words.split()).stdout == run("--help").stdout


@each_command
def test_every_command_has_a_help_text(command):
    helped = run(*command.split(), "--help")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith(command)
    assert helped.stdout == run("help", *command.split()).stdout == run(*command.split(), "-h").stdout


def test_the_help_of_a_group_lists_only_its_commands():
    keys = run("keys", "--help").stdout
    assert "keys rewrap" in keys and "projects list" not in keys


@each_command
def test_an_unknown_option_is_named(command):
    completed = run(*command.split(), "--frobnicate")
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "unknown option --frobnicate" in completed.stderr


@pytest.mark.parametrize(("words", "message"), [
    ("frobnicate", "unknown command: frobnicate"),
    ("keys", "unknown command: keys"),
    ("keys frobnicate", "unknown command: keys frobnicate"),
    ("--frobnicate", "unknown option --frobnicate"),
    ("serve now", "unexpected now"),
    ("migrate now", "unexpected now"),
    ("check now", "unexpected now"),
    ("dev now", "unexpected now"),
    ("verify-token now", "unexpected now"),
    ("verify-token --audience a", "--provider is missing"),
    ("verify-token --audience a --provider facebook.com", "--provider is apple.com or google.com"),
    ("verify-token --provider apple.com", "--audience is missing"),
    ("verify-token --provider apple.com --audience a --profile x", "--profile is sekisho or firebase"),
    ("verify-token --provider apple.com --audience a --at noon", "--at takes a number from 0 to 253402300799"),
    ("verify-token --provider apple.com --audience a --jwks /nonexistent", "/nonexistent cannot be read"),
    ("verify-token --provider google.com --audience a --notification", "--notification is for apple.com"),
    ("verify-token --provider apple.com --audience a --notification --nonce n", "--notification is for apple.com"),
    ("dev --port", "--port needs a value"),
    ("dev --port x", "--port takes a number from 0 to 65535"),
    ("dev --port 65536", "--port takes a number from 0 to 65535"),
    ("dev --project X", "a project id has at most 63 characters"),
    ("projects create", "exactly one project id is needed"),
    ("projects create demo other", "exactly one project id is needed"),
    ("projects create v1", "a project id has at most 63 characters"),
    ("projects create " + "a" * 64, "a project id has at most 63 characters"),
    ("projects create Demo", "a project id has at most 63 characters"),
    ("projects create demo/x", "a project id has at most 63 characters"),
    ("projects create de_mo", "a project id has at most 63 characters"),
    ("projects create demo --profile google", "--profile is sekisho or firebase"),
    ("projects create demo --algorithm HS256", "--algorithm is ES256 or RS256"),
    ("projects apply", "exactly one file is needed"),
    ("projects apply /nonexistent/project.json", "/nonexistent/project.json cannot be read"),
    ("projects policy", "exactly one project id is needed"),
    ("projects policy demo --set x", "--set takes NAME=VALUE"),
    ("apps create", "--project is missing"),
    ("apps create App --project demo", "an app id has at most 63 characters"),
    ("apps list", "--project is missing"),
    ("keys create-api-key", "--project is missing"),
    ("keys create-api-key demo", "unexpected demo"),
    ("keys list-api-keys", "--project is missing"),
    ("keys revoke-api-key x", "--project is missing"),
    ("keys revoke-api-key --project demo", "exactly one key id is needed"),
    ("keys create-service-key --name backend", "--project is missing"),
    ("keys create-service-key --project demo", "--name is missing"),
    ("keys create-service-key --project demo --name backend --algorithm none", "--algorithm is ES256 or RS256"),
    ("keys list-service-keys", "--project is missing"),
    ("keys revoke-service-key x", "--project is missing"),
    ("keys list-signing-keys", "--project is missing"),
    ("keys rotate-signing-key", "--project is missing"),
    ("keys rotate-refresh-key", "--project is missing"),
    ("keys rotate-signing-key --now=yes --project demo", "unknown option --now=yes"),
])
def test_invalid_arguments_are_rejected_before_anything_is_done(words, message):
    completed = run(*words.split())
    assert (completed.returncode, completed.stdout) == (2, "")
    assert message in completed.stderr


def test_a_generated_master_key_is_32_random_bytes_in_base64():
    first, second = (run("keys", "generate-master-key").stdout for _ in range(2))
    assert re.fullmatch(r"[A-Za-z0-9+/]{43}=\n", first)
    assert first != second
