"""The command line of the sample app: help text, usage errors, and rejected requests to the simulators."""

import re
import subprocess

import pytest

from sample_app import PACKAGE, build_sample_app

pytestmark = pytest.mark.slow

SOURCES = PACKAGE / "Sources/sekisho-sample"
USAGE = "Usage: sekisho-sample [OPTION]...\n"


def run(*words, commands=""):
    """Runs the program with commands on standard input and returns the completed process."""
    return subprocess.run(
        [build_sample_app() / "sekisho-sample", *words], input=commands, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_lists_every_option_and_every_command(option):
    helped = run(option)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith(USAGE)
    assert max(map(len, helped.stdout.splitlines())) <= 80
    source = "".join((SOURCES / name).read_text() for name in ("ProgramOptions.swift", "CommandRunner.swift"))
    names = re.findall(r'case "([a-z-]+)"', source)
    assert {"--server", "end-all-sessions"} <= set(names)
    assert [name for name in names if not re.search(rf"(?<![\w-]){name}(?![\w-])", helped.stdout)] == []


@pytest.mark.parametrize(("words", "message"), [
    ("--frobnicate", "unknown option --frobnicate"),
    ("--store", "--store requires a value"),
    ("--timeout soon", "--timeout: expected a positive number of seconds, got soon"),
    ("--server https://auth.example.com", "--server: expected http://HOST:PORT, got https://auth.example.com"),
])
def test_invalid_options_are_rejected_with_an_explanation(words, message):
    completed = run(*words.split())
    assert (completed.returncode, completed.stdout) == (2, "")
    assert completed.stderr == f"sekisho-sample: {message}\n{USAGE}"


def test_the_message_of_the_gateway_is_printed_if_the_gateway_rejects_a_simulated_sign_in(dev, tmp_path):
    completed = run("--server", dev.url, "--store", tmp_path / "phone", commands="apple sign-in nowhere\n")
    assert completed.returncode == 0
    assert "the gateway responded with status 400" in completed.stderr
    assert "must be an email address" in completed.stderr
