"""A PostgreSQL server that tests can stop, freeze and start again."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from gateway import eventually, free_port
from processes import child_process_ids
from servers import POSTGRES_USER


class Postgres:
    def __init__(self, folder: Path, certificate=None, *, environment={}, fsync="off"):
        """With a certificate, the server also accepts connections with TLS and passwords on a loopback port.

        `environment` has further variables for the server.
        """
        self._environment, self._fsync = environment, fsync
        self._user = POSTGRES_USER
        self._data = folder / "data"
        self.port = free_port() if certificate else 5432
        self._certificate = certificate
        self._sockets = folder
        self._process = None
        folder.mkdir()
        if self._user:
            shutil.chown(folder, "postgres", "postgres")
        self._run("initdb", "--username=postgres", "--auth=trust", "--no-sync", f"--pgdata={self._data}")

    @property
    def url(self):
        return f"postgresql:///postgres?host={self._sockets}&user=postgres&port={self.port}"

    def start(self):
        settings = {
            "unix_socket_directories": self._sockets, "fsync": self._fsync, "listen_addresses": "", "port": self.port,
            **self._tls_settings()}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self._sockets / "log").open("a") as log:
            self._process = subprocess.Popen(
                [server_program("postgres"), "-D", str(self._data), *options], stdout=log, stderr=log,
                env=os.environ | self._environment, **self._user)
        command = ["pg_isready", "--quiet", "--dbname", self.url]
        # After a crash, PostgreSQL first reads its log.
        assert eventually(lambda: subprocess.run(command, timeout=30).returncode == 0, within=60)

    def _tls_settings(self):
        if self._certificate is None:
            return {}
        key, rules = self._sockets / "tls.key", self._sockets / "pg_hba.conf"
        shutil.copyfile(self._certificate.key_file, key)
        key.chmod(0o600)
        rules.write_text("local all all trust\nhostssl all all 127.0.0.0/8 scram-sha-256\n")
        if self._user:
            shutil.chown(key, "postgres", "postgres")
        file = self._sockets / "tls.pem"
        shutil.copyfile(self._certificate.file, file)
        return {
            "listen_addresses": "127.0.0.1", "ssl": "on", "ssl_cert_file": file, "ssl_key_file": key,
            "hba_file": rules}

    def stop(self):
        self._process.send_signal(signal.SIGINT)
        self._process.wait(60)

    def is_running(self):
        return self._process.poll() is None

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
        subprocess.run([server_program(program), *options], check=True, capture_output=True, timeout=60, **self._user)


def server_program(name):
    """Finds a server program; Debian installs them outside PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return str(found[-1]) if found else shutil.which(name)
