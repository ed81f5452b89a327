"""Starts and stops the built gateway. Everything the tests know of its command line is here."""

import base64
import os
import re
import secrets
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


def binary():
    path = os.environ.get("SEKISHO_BIN")
    if not path:
        raise RuntimeError("SEKISHO_BIN must name the built gateway")
    return path


@contextmanager
def dev(folder: Path):
    """`sekisho dev` with a database of its own."""
    log = folder / "dev.log"
    command = [binary(), "dev", "--port", "0", "--data", str(folder / "data")]
    with _running(command, log, environment={}) as process:
        url = _awaited(log, r"(http://127\.0\.0\.1:\d+)", process)
        database_url = _awaited(log, r"database: (\S+)", process)
        _ready(url, log, process)
        yield Gateway(url, DEMO_PROJECT, "any-key", database_url)


@contextmanager
def serve(folder: Path, server_url: str):
    """`sekisho serve` with one project, in a new database of the PostgreSQL at `server_url`."""
    database_url = re.sub(r"^(\w+://[^/?]*)[^?]*", r"\1/serve", server_url)
    _run(["psql", "--no-psqlrc", "--quiet", server_url, "--command", "CREATE DATABASE serve"])
    url = f"http://127.0.0.1:{_free_port()}"
    environment = {
        "DATABASE_URL": database_url,
        "SEKISHO_PUBLIC_URL": url,
        "SEKISHO_LISTEN": url.removeprefix("http://"),
        "SEKISHO_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
    }
    _run([binary(), "migrate"], environment)
    _run([binary(), "projects", "create", DEMO_PROJECT, "--name", "Demo"], environment)
    printed = _run([binary(), "keys", "create-api-key", "--project", DEMO_PROJECT], environment)
    api_key = re.findall(r"^\S+$", printed, re.MULTILINE)[-1]
    log = folder / "serve.log"
    with _running([binary(), "serve"], log, environment) as process:
        _ready(url, log, process)
        yield Gateway(url, DEMO_PROJECT, api_key, database_url)


def _free_port():
    # The public URL is part of every token, so the port must be known before the gateway starts.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _run(command, environment=None):
    done = subprocess.run(
        command, env=os.environ | (environment or {}), capture_output=True, text=True, timeout=START_SECONDS
    )
    assert done.returncode == 0, f"{command[:3]} ended with {done.returncode}:\n{done.stderr}"
    return done.stdout


@contextmanager
def _running(command, log, environment):
    with log.open("w") as output:
        process = subprocess.Popen(
            command, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        # Also when starting failed: a killed gateway would leave its PostgreSQL behind.
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
    assert status == 0, f"{command[1]} ended with {status}:\n{log.read_text()}"


def _polled(ask, log, process, what):
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if answer := ask():
            return answer
        time.sleep(0.05)
    raise RuntimeError(f"{what} did not come:\n{log.read_text()}")


def _awaited(log, pattern, process):
    def ask():
        # A line counts once it is whole.
        found = re.search(pattern + r".*\n", log.read_text())
        return found and found[1]

    return _polled(ask, log, process, pattern)


def _ready(url, log, process):
    def ask():
        try:
            return requests.get(url + "/readyz", timeout=5).status_code == 200
        except requests.ConnectionError:
            return False

    _polled(ask, log, process, "readiness")
