"""A database for `sekisho serve` and the commands that an operator runs on it."""

import base64
import re
import secrets
import subprocess
from contextlib import contextmanager

import psycopg
from psycopg.pq import ExecStatus

import gateway
from gateway import DEMO_PROJECT, Gateway


def new_master_key():
    return base64.b64encode(secrets.token_bytes(32)).decode()


def new_database(server_url):
    """Creates an empty database on the PostgreSQL server of `server_url` and returns its URL."""
    name = f"db_{secrets.token_hex(6)}"
    sql(server_url, f"CREATE DATABASE {name}")
    return re.sub(r"^(\w+://[^/?]*)[^?]*", rf"\1/{name}", server_url)


def sql(url, statement):
    """Runs statements and returns the rows of the last one as lines; `|` separates columns, NULL is empty."""
    options = "-c statement_timeout=60s"
    with psycopg.connect(url, autocommit=True, connect_timeout=60, options=options) as connection:
        result = connection.pgconn.exec_(statement.encode())
        if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
            raise psycopg.DatabaseError(result.error_message.decode())
        rows = [
            "|".join((result.get_value(row, column) or b"").decode() for column in range(result.nfields))
            for row in range(result.ntuples)]
        return "".join(f"{row}\n" for row in rows)


def dump(url):
    """Returns all rows of a database as SQL, to compare two states."""
    command = ["pg_dump", "--data-only", "--inserts", url]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    # Newer versions of pg_dump write these lines, with a different random value in each dump.
    return re.sub(r"^\\(un)?restrict .*$", "", text, flags=re.MULTILINE)


class Installation:
    """A database, the environment for `sekisho serve`, and a folder for logs."""

    def __init__(self, folder, database_url):
        self.folder = folder
        self.url = f"http://127.0.0.1:{gateway.free_port()}"
        self.environment = {
            "DATABASE_URL": database_url,
            "SEKISHO_PUBLIC_URL": self.url,
            "SEKISHO_LISTEN": self.url.removeprefix("http://"),
            "SEKISHO_MASTER_KEY": new_master_key(),
            # Tests send no requests outside this machine.
            "SEKISHO_BREACHED_PASSWORDS_URL": "",
            # The lowest cost that `serve` accepts, because many tests hash passwords and none needs a strong hash.
            "SEKISHO_PASSWORD_MEMORY_KIB": "7168",
            "SEKISHO_PASSWORD_ITERATIONS": "1",
            # No load balancer must notice that the gateway stops.
            "SEKISHO_DRAIN_DELAY_SECONDS": "0",
        }

    @property
    def database_url(self):
        return self.environment["DATABASE_URL"]

    def run(self, words, **environment):
        """Runs a command in the environment of the installation, and returns the completed process."""
        return gateway.run_sekisho(*words.split(), **self.environment | environment)

    def run_ok(self, words, **environment):
        """Runs a command that must succeed and returns its output."""
        completed = self.run(words, **environment)
        assert completed.returncode == 0, f"{words} ended with {completed.returncode}:\n{completed.stderr}"
        return completed.stdout.strip()

    def with_project(self, project=DEMO_PROJECT, options=""):
        """Migrates the database, creates a project in it, and returns the installation."""
        self.run_ok("migrate")
        self.run_ok(f"projects create {project} {options}")
        # All tests have the same client address, and would exceed the limits for an address.
        self.run_ok(f"projects policy {project} --set signUpLimit=0 --set passwordFailureLimit=0")
        return self

    def create_api_key(self, project=DEMO_PROJECT):
        """Creates an API key and returns it."""
        return self.run_ok(f"keys create-api-key --project {project}")

    def key_ids(self, kind, project=DEMO_PROJECT):
        """The IDs of the keys of a kind, "api" or "service", in the order in which the command lists them."""
        return [line.split()[0] for line in self.run_ok(f"keys list-{kind}-keys --project {project}").splitlines()[1:]]

    @contextmanager
    def starting(self, api_key="", **environment):
        """Runs `sekisho serve`, and does not wait until it is ready."""
        log = self.folder / f"serve-{secrets.token_hex(4)}.log"
        with gateway.process_running(["serve"], log, **self.environment | environment) as process:
            yield Gateway(self.url, DEMO_PROJECT, api_key, self.database_url, process, log)

    @contextmanager
    def serving(self, **environment):
        """Runs `sekisho serve` with a new API key, and waits until it is ready."""
        with self.starting(self.create_api_key(), **environment) as serve:
            gateway.wait_for(serve.is_ready, serve.process, serve.log)
            yield serve

    def second_gateway(self):
        """The same installation with another port, to run a second gateway."""
        second = Installation(self.folder, self.database_url)
        listen = second.environment["SEKISHO_LISTEN"]
        second.environment = self.environment | {"SEKISHO_LISTEN": listen}
        return second
