"""A database of its own for `sekisho serve`, and what an operator does with it."""

import base64
import re
import secrets
import subprocess
from contextlib import contextmanager

import gateway
from gateway import DEMO_PROJECT, Gateway


def master_key():
    return base64.b64encode(secrets.token_bytes(32)).decode()


def new_database(server_url):
    """Makes an empty database in the PostgreSQL of `server_url`."""
    name = f"db_{secrets.token_hex(6)}"
    sql(server_url, f"CREATE DATABASE {name}")
    return re.sub(r"^(\w+://[^/?]*)[^?]*", rf"\1/{name}", server_url)


def sql(url, statement):
    command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", url, "--command", statement]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def dump(url):
    command = ["pg_dump", "--data-only", "--inserts", url]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    return re.sub(r"^\\(un)?restrict .*$", "", text, flags=re.MULTILINE)


class Installation:
    def __init__(self, folder, database_url):
        self.folder = folder
        self.url = f"http://127.0.0.1:{gateway.free_port()}"
        self.environment = {
            "DATABASE_URL": database_url,
            "SEKISHO_PUBLIC_URL": self.url,
            "SEKISHO_LISTEN": self.url.removeprefix("http://"),
            "SEKISHO_MASTER_KEY": master_key(),
            # Nothing of a test leaves this machine.
            "SEKISHO_BREACHED_PASSWORDS_URL": "",
        }

    @property
    def database_url(self):
        return self.environment["DATABASE_URL"]

    def run(self, words, **environment):
        return gateway.run(*words.split(), **self.environment | environment)

    def done(self, words, **environment):
        """What a command printed that must succeed."""
        ran = self.run(words, **environment)
        assert ran.returncode == 0, f"{words} ended with {ran.returncode}:\n{ran.stderr}"
        return ran.stdout.strip()

    def with_project(self, project=DEMO_PROJECT, options=""):
        self.done("migrate")
        self.done(f"projects create {project} {options}")
        # All tests come from one place, and more often than people do.
        self.done(f"projects policy {project} --set signUpLimit=0 --set passwordFailureLimit=0")
        return self

    def api_key(self, project=DEMO_PROJECT):
        return self.done(f"keys create-api-key --project {project}")

    def ids(self, kind, project=DEMO_PROJECT):
        """The first column of a table of keys, without its head."""
        return [line.split()[0] for line in self.done(f"keys list-{kind}-keys --project {project}").splitlines()[1:]]

    @contextmanager
    def started(self, api_key="", **environment):
        """`sekisho serve`, not yet ready."""
        log = self.folder / f"serve-{secrets.token_hex(4)}.log"
        with gateway.running(["serve"], log, **self.environment | environment) as process:
            yield Gateway(self.url, DEMO_PROJECT, api_key, self.database_url, process, log)

    @contextmanager
    def serving(self, **environment):
        with self.started(self.api_key(), **environment) as serve:
            gateway.awaited(serve.is_ready, serve.process, serve.log)
            yield serve

    def replica(self):
        """Another gateway of the same installation, on a port of its own."""
        replica = Installation(self.folder, self.database_url)
        listen = replica.environment["SEKISHO_LISTEN"]
        replica.environment = self.environment | {"SEKISHO_LISTEN": listen}
        return replica
