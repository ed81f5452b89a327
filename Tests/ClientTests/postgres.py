"""A PostgreSQL server that tests can stop, freeze and start again."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from gateway import eventually
from processes import child_process_ids


class Postgres:
    def __init__(self, folder: Path):
        # PostgreSQL refuses to run as root.
        self._user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        self._data = folder / "data"
        self._sockets = folder
        self._process = None
        folder.mkdir()
        if self._user:
            shutil.chown(folder, "postgres", "postgres")
        self._run("initdb", "--username=postgres", "--auth=trust", "--no-sync", f"--pgdata={self._data}")

    @property
    def url(self):
        return f"postgresql:///postgres?host={self._sockets}&user=postgres"

    def start(self):
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self._sockets}", "-c", "fsync=off"]
        with (self._sockets / "log").open("a") as log:
            self._process = subprocess.Popen(
                [_program("postgres"), "-D", str(self._data), *options], stdout=log, stderr=log, **self._user)
        command = ["pg_isready", "--quiet", "--dbname", self.url]
        assert eventually(lambda: subprocess.run(command, timeout=30).returncode == 0)

    def stop(self):
        self._process.send_signal(signal.SIGINT)
        self._process.wait(60)

    def kill(self):
        """Kills all processes of the server, as a crash does.

        They are frozen first: a process that is forked between the listing and the signals would not be killed, and
        would keep the server from starting again.
        """
        self._signal_all(signal.SIGSTOP)
        for process in [self._process.pid, *child_process_ids(self._process.pid)]:
            # A child may have ended since.
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._process.wait(60)

    @contextmanager
    def stopped(self):
        self.stop()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def frozen(self):
        """Freezes all processes for a while: connections stay open and new ones are accepted, but get no response."""
        self._signal_all(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal_all(signal.SIGCONT)

    def _signal_all(self, number):
        main = self._process.pid
        os.kill(main, number)
        # A child that the main process is forking at this moment is not in the list yet.
        time.sleep(0.1)
        for child in child_process_ids(main):
            os.kill(child, number)

    def _run(self, program, *options):
        subprocess.run([_program(program), *options], check=True, capture_output=True, timeout=60, **self._user)


def _program(name):
    """Finds a server program; Debian installs them outside PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return str(found[-1]) if found else shutil.which(name)
