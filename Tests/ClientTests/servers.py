"""Runs servers with the example files of `Deploy`, of which tests change only addresses, ports, names and paths."""

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import gateway

ROOT = Path(__file__).resolve().parents[2]
# Servers such as PostgreSQL refuse to run as root.
POSTGRES_USER = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


def changed_text(path, changes):
    return replaced(path.read_text(), changes)


def replaced(text, changes):
    """The text with replacements. `changes` maps texts, each of which occurs, to the new texts."""
    for old, new in changes.items():
        assert old in text, f"not in the file: {old}"
        text = text.replace(old, new)
    return text


def unpacked(name, program):
    """The path of a program that `Deploy/test` has unpacked below .venv."""
    return ROOT / ".venv" / name / program


@contextmanager
def server_running(command, log, is_ready, **options):
    """Runs a server until the block ends, and waits until `is_ready` returns a true value. `options` are of `Popen`."""
    with log.open("w") as output:
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, **options)
    try:
        gateway.wait_for(is_ready, process, log)
        yield process
    finally:
        process.terminate()
        process.wait(30)
