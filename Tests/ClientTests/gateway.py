"""Starts and stops the built gateway."""

import os
import re
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

START_SECONDS = 60
STOP_SECONDS = 30
DEMO_PROJECT = "demo"


@dataclass
class Gateway:
    url: str
    project: str
    api_key: str
    database_url: str
    process: subprocess.Popen
    log: Path

    def is_ready(self):
        """`None` while nobody answers."""
        try:
            return requests.get(self.url + "/readyz", timeout=10).status_code == 200
        except requests.ConnectionError:
            return None


def binary():
    path = os.environ.get("SEKISHO_BIN")
    if not path:
        raise RuntimeError("SEKISHO_BIN must name the built gateway")
    return path


def run(*words, **environment):
    """Runs a command to its end, whatever that is."""
    return subprocess.run(
        [binary(), *words],
        env=surroundings(**environment),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=START_SECONDS,
    )


@contextmanager
def dev(folder: Path, *options, data="data"):
    """`sekisho dev` with a database of its own, or the one that `options` name."""
    log = folder / "dev.log"
    with running(["dev", "--port", "0", "--data", str(folder / data), *options], log) as process:
        url = _said(log, r"(http://127\.0\.0\.1:\d+)", process)
        database_url = _said(log, r"database: (\S+)", process)
        gateway = Gateway(url, DEMO_PROJECT, "any-key", database_url, process, log)
        awaited(gateway.is_ready, process, log)
        yield gateway


@contextmanager
def running(words, log: Path, **environment):
    """A process of the gateway. Ended here unless the test has ended it; either way it must have ended well."""
    with log.open("w") as output:
        process = subprocess.Popen(
            [binary(), *words],
            env=surroundings(**environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield process
    finally:
        status = ended(process, signal.SIGTERM)
    assert status in (0, -signal.SIGKILL), f"{words[0]} ended with {status}:\n{log.read_text()}"


def ended(process, number):
    """Asks a process to end and gives its exit status."""
    process.send_signal(number)
    try:
        return process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def awaited(ask, process, log):
    """The first true answer, while the process lives."""
    answer = eventually(lambda: ask() or process.poll() is not None)
    assert answer and process.poll() is None, f"it did not come:\n{log.read_text()}"
    return answer


def eventually(ask, within=START_SECONDS):
    """The first true answer, or the one given once the time is over."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if answer := ask():
            return answer
        time.sleep(0.05)
    return ask()


def free_port():
    # The public URL is part of every token, so the port must be known before the gateway starts.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def surroundings(**given):
    """Our environment, without what the gateway or libpq would read of it."""
    mine = {name: value for name, value in os.environ.items() if not re.match("SEKISHO_|DATABASE_URL|PG", name)}
    return mine | given


def _said(log, pattern, process):
    def ask():
        # A line counts once it is whole.
        found = re.search(pattern + r".*\n", log.read_text())
        return found and found[1]

    return awaited(ask, process, log)
