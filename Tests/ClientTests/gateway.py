"""Starts and stops processes of the built gateway."""

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

# Limit for commands, for starts and for conditions that a test waits for.
TIMEOUT_SECONDS = 60
STOP_TIMEOUT_SECONDS = 30
# Each event loop of the gateway may use configuration that is up to five seconds old.
CONFIGURATION_DELAY_SECONDS = 6
# The gateway has several event loops. After this many requests, each on a new connection, every loop has very likely
# answered one.
REQUESTS_TO_REACH_EVERY_LOOP = 8
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
        """Whether the gateway is ready; `None` while it does not accept connections."""
        return has_status_200(self.url + "/readyz")

    def is_alive(self):
        return has_status_200(self.url + "/healthz")

    def logged_problems(self):
        """The lines of the log with warnings and errors."""
        lines = self.log.read_text(errors="replace").splitlines(keepends=True)
        return [line for line in lines if '"level":"warning"' in line or '"level":"error"' in line]

    def metric(self, name, labels=".*"):
        """The value of a metric: the sum over all its labels, or the value for `labels`, such as `kind="signUp"`."""
        text = requests.get(self.url + "/metrics", timeout=30).text
        return sum(float(value) for value in re.findall(rf"^{name}(?:\{{{labels}\}})? (\S+)$", text, re.MULTILINE))

    def action_codes(self, email, request_type=None, tenant=None):
        """The email action codes of `dev` that concern `email`, oldest first. Each has `oobCode` and `oobLink`.

        `request_type` selects the codes of one type. Without `tenant`, the codes of the project itself are returned.
        """
        realm = f"{self.project}/tenants/{tenant}" if tenant else self.project
        listed = requests.get(f"{self.url}/emulator/v1/projects/{realm}/oobCodes", timeout=30).json()["oobCodes"]
        return [code for code in listed if email in code.values() and request_type in (None, code["requestType"])]


def has_status_200(url):
    """Whether a GET request has the status 200; `None` while the server does not accept connections."""
    try:
        return requests.get(url, timeout=30).status_code == 200
    except requests.ConnectionError:
        return None


def binary():
    """The path of the built gateway."""
    path = os.environ.get("SEKISHO_BIN")
    if not path:
        raise RuntimeError("SEKISHO_BIN must name the built gateway")
    return path


def run_sekisho(*words, **environment):
    """Runs a command of the gateway and returns the completed process, whatever its exit status."""
    return subprocess.run(
        [binary(), *words],
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT_SECONDS,
    )


@contextmanager
def dev(folder: Path, *options, data="data"):
    """Runs `sekisho dev` with its own PostgreSQL, unless `options` name a database."""
    log = folder / "dev.log"
    with process_running(["dev", "--port", "0", "--data", str(folder / data), *options], log) as process:
        url = _found_in_log(log, r"(http://127\.0\.0\.1:\d+)", process)
        database_url = _found_in_log(log, r"database: (\S+)", process)
        gateway = Gateway(url, DEMO_PROJECT, "any-key", database_url, process, log)
        wait_for(gateway.is_ready, process, log)
        yield gateway


@contextmanager
def process_running(words, log: Path, **environment):
    """Runs a process of the gateway and stops it afterwards. Fails if it exits with an error, unless it was killed."""
    with log.open("w") as output:
        process = subprocess.Popen(
            [binary(), *words],
            env=clean_environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield process
    finally:
        status = stop(process, signal.SIGTERM)
    assert status in (0, -signal.SIGKILL), f"{words[0]} ended with {status}:\n{log.read_text()}"


def stop(process, signal_number):
    """Sends a signal to a process and returns its exit status. Kills it and fails after ``STOP_TIMEOUT_SECONDS``."""
    process.send_signal(signal_number)
    try:
        return process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def wait_for(condition, process, log):
    """Returns the first true value of `condition`; fails if the process exits or ``TIMEOUT_SECONDS`` pass."""
    value = eventually(lambda: condition() or process.poll() is not None)
    assert value and process.poll() is None, (
        f"the process exited, or the condition was not met in {TIMEOUT_SECONDS} seconds:\n{log.read_text()}")
    return value


def eventually(condition, within=TIMEOUT_SECONDS):
    """Returns the first true value of `condition`, or its value after `within` seconds."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    return condition()


def once_configuration_applies(condition):
    """Like `eventually`, for a condition that becomes true when an event loop knows a change of the configuration."""
    return eventually(condition, CONFIGURATION_DELAY_SECONDS)


def on_every_event_loop(condition, within=CONFIGURATION_DELAY_SECONDS):
    """Waits until `condition` holds `REQUESTS_TO_REACH_EVERY_LOOP` times in a row, and returns whether it did.

    Each event loop has its own connections and its own copy of the configuration. One true value proves only that one
    loop has the new configuration.
    """
    return eventually(lambda: all(condition() for _ in range(REQUESTS_TO_REACH_EVERY_LOOP)), within)


def change_clock(gateway, **change):
    """Changes the clock of a `dev` gateway. `change` is the body of the request, such as `advanceSeconds`."""
    requests.post(f"{gateway.url}/emulator/v1/clock", json=change, timeout=30).raise_for_status()


def free_port():
    # The public URL is part of every token, so the port must be known before the gateway starts.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def clean_environment(**variables):
    """The environment of the tests without the variables of the gateway and libpq, plus `variables`."""
    inherited = {name: value for name, value in os.environ.items() if not re.match("SEKISHO_|DATABASE_URL|PG", name)}
    return inherited | variables


def _found_in_log(log, pattern, process):
    """Waits until a line of the log matches, and returns the group of the pattern."""
    def match():
        # The gateway may write a line in parts. A line with a newline is complete.
        found = re.search(pattern + r".*\n", log.read_text())
        return found and found[1]

    return wait_for(match, process, log)
