"""The command line: help texts and usage errors."""

import re

import pytest

from gateway import run_sekisho

COMMANDS = [
    "dev", "simulate", "serve", "migrate", "after-restore", "check", "verify-token",
    "projects create", "projects list", "projects show", "projects texts", "projects apply", "projects policy", "projects delete",
    "apps create", "apps list", "apps delete", "tenants list",
    "users list", "users get", "users set-password", "users disable", "users enable", "users sign-out",
    "users reset-factors", "users impersonate", "users delete", "users link", "users unlink", "users import", "users export",
    "keys create-api-key", "keys list-api-keys", "keys revoke-api-key",
    "keys create-service-key", "keys list-service-keys", "keys revoke-service-key",
    "keys list-signing-keys", "keys rotate-signing-key", "keys rotate-refresh-key", "keys rewrap",
    "keys generate-master-key",
    "administrators invite", "administrators list", "administrators remove",
    "audit list", "audit export", "counts list", "events list", "events list-endpoints", "events replay", "hooks test",
    "signals google register", "signals google status", "signals google verify", "signals google unregister",
    "email test", "email list",
    "apple export-transfers", "apple import-transfers",
]
each_command = pytest.mark.parametrize("command", COMMANDS)


def test_the_overview_lists_every_command():
    listed = re.findall(r"^  ([a-z-]+(?: [a-z-]+){0,2})(?: [A-Z_]+)?  ", run_sekisho("--help").stdout, re.MULTILINE)
    assert listed == COMMANDS


@pytest.mark.parametrize("words", ["", "help", "-h"])
def test_the_overview_is_shown_without_a_command_and_on_request(words):
    assert run_sekisho(*words.split()).stdout == run_sekisho("--help").stdout


@each_command
def test_every_command_has_a_help_text(command):
    helped = run_sekisho(*command.split(), "--help")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith(f"Usage: sekisho {command}")
    assert max(map(len, helped.stdout.splitlines())) <= 80
    assert helped.stdout == run_sekisho("help", *command.split()).stdout == run_sekisho(*command.split(), "-h").stdout


def test_the_help_of_a_group_names_the_group_and_lists_only_its_commands():
    keys = run_sekisho("keys", "--help").stdout
    assert keys.startswith("Usage: sekisho keys COMMAND [OPTION]...\n")
    assert "keys rewrap" in keys and "projects list" not in keys
    assert "Run `sekisho keys COMMAND --help` for the options of a command.\n" in keys


@each_command
def test_an_unknown_option_is_named(command):
    completed = run_sekisho(*command.split(), "--frobnicate")
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "unknown option --frobnicate" in completed.stderr


@pytest.mark.parametrize(("words", "message"), [
    ("frobnicate", "unknown command: frobnicate"),
    ("apple", "apple requires a subcommand: export-transfers, import-transfers\nRun `sekisho apple --help` for usage."),
    ("keys", "keys requires a subcommand: create-api-key, list-api-keys, revoke-api-key, create-service-key,"),
    ("users --project demo",
     "users requires a subcommand: list, get, set-password, disable, enable, sign-out, reset-factors, impersonate, delete, link,"),
    ("signals", "signals requires a subcommand: google\n"),
    ("signals google", "signals google requires a subcommand: register, status, verify, unregister\n"),
    ("keys frobnicate", "unknown command: keys frobnicate\nRun `sekisho keys --help` for usage."),
    ("--frobnicate", "unknown option --frobnicate\nRun `sekisho --help` for usage."),
    ("serve now", "unexpected argument: now"),
    ("migrate now", "unexpected argument: now"),
    ("check now", "unexpected argument: now"),
    ("dev now", "unexpected argument: now"),
    ("verify-token now", "unexpected argument: now"),
    ("verify-token --audience a", "--provider is required"),
    ("verify-token --audience a --provider facebook.com", "--provider: expected apple.com or google.com"),
    ("verify-token --provider apple.com", "--audience is required"),
    ("verify-token --provider apple.com --audience a --profile x", "--profile: expected sekisho or firebase, got"),
    ("verify-token --provider apple.com --audience a --at noon", "--at: expected an integer from 0 to 253402300799"),
    ("verify-token --provider apple.com --audience a --jwks /nonexistent",
     "--jwks: cannot read /nonexistent: No such file or directory"),
    ("verify-token --provider google.com --audience a --notification", "--notification requires --provider apple.com"),
    ("verify-token --provider apple.com --audience a --notification --nonce n", "cannot be combined with --nonce"),
    ("dev --port", "--port requires a value"),
    ("dev --port x", "--port: expected an integer from 0 to 65535"),
    ("dev --port 1.5", "--port: expected an integer from 0 to 65535"),
    ("dev --port 65536", "--port: expected an integer from 0 to 65535"),
    ("dev --project X", "expected a project ID of at most 63 characters"),
    ("projects create", "expected exactly one project ID, got none"),
    ("projects create demo other", "expected exactly one project ID, got demo other"),
    ("projects create v1", "expected a project ID of at most 63 characters"),
    ("projects create " + "a" * 64, "expected a project ID of at most 63 characters"),
    ("projects create Demo", "expected a project ID of at most 63 characters"),
    ("projects create demo/x", "expected a project ID of at most 63 characters"),
    ("projects create de_mo", "expected a project ID of at most 63 characters"),
    ("projects create demo --profile google", "--profile: expected sekisho or firebase, got"),
    ("projects create demo --algorithm HS256", "--algorithm: expected ES256 or RS256"),
    ("projects apply", "expected exactly one file, got none"),
    ("projects apply /nonexistent/project.json", "cannot read /nonexistent/project.json: No such file or directory"),
    ("projects policy", "expected exactly one project ID, got none"),
    ("projects policy demo --set x", "--set: expected NAME=VALUE"),
    ("apps create", "expected exactly one app ID, got none"),
    ("apps create App --project demo", "expected an app ID of at most 63 characters"),
    ("apps list", "--project is required"),
    ("keys create-api-key", "--project is required"),
    ("keys create-api-key demo", "unexpected argument: demo"),
    ("keys list-api-keys", "--project is required"),
    ("keys revoke-api-key x", "--project is required"),
    ("keys revoke-api-key --project demo", "expected exactly one key ID, got none"),
    ("keys create-service-key --name backend", "--project is required"),
    ("keys create-service-key --project demo", "--name is required"),
    ("keys create-service-key --project demo --name backend --algorithm none", "--algorithm: expected RS256"),
    ("keys list-service-keys", "--project is required"),
    ("keys revoke-service-key x", "--project is required"),
    ("keys list-signing-keys", "--project is required"),
    ("keys rotate-signing-key", "--project is required"),
    ("keys rotate-refresh-key", "--project is required"),
    ("audit list --project demo --actor bogus",
     "--actor: expected user, system, cli, emulator, key:ID or administrator:ID, got \"bogus\""),
    ("audit export --project demo --actor key:", "--actor: expected user, system, cli, emulator, key:ID or administrator:ID, got"),
    ("keys rotate-signing-key --now=yes --project demo", "--now takes no value, got \"yes\""),
])
def test_invalid_arguments_are_rejected_with_an_explanation(words, message):
    completed = run_sekisho(*words.split())
    assert (completed.returncode, completed.stdout) == (2, "")
    assert message in completed.stderr


def test_the_help_of_apply_lists_every_language():
    text = " ".join(run_sekisho("projects", "apply", "--help").stdout.split())
    assert "name no language: en, ja, de, fr, es, pt-BR, it, ko, zh-Hans, zh-Hant, ar, id" in text


def test_a_generated_master_key_is_32_random_bytes_in_base64():
    first, second = (run_sekisho("keys", "generate-master-key").stdout for _ in range(2))
    assert re.fullmatch(r"[A-Za-z0-9+/]{43}=\n", first)
    assert first != second
