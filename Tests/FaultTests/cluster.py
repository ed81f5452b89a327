"""Three machines with etcd, Patroni and PostgreSQL, which run the files of Deploy/ha on loopback addresses.

Only addresses, ports, names and paths of the files are changed. A machine dies by SIGKILL to all its processes.
"""

import os
import shutil
import signal
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import requests

from certificates import create_certificate
from gateway import eventually, free_port
from postgres import server_program
from processes import child_process_ids
from servers import POSTGRES_USER, ROOT, replaced, unpacked

FOLDER = ROOT / "Deploy/ha"
ETCD = unpacked("etcd", "usr/bin/etcd")
PATRONI = unpacked("patroni", "usr/bin/patroni")
# The Python libraries of Patroni are Debian packages, so Debian's Python runs it.
PYTHON = "/usr/bin/python3"
NAMES = "abc"
SUPERUSER_PASSWORD = "superuser-password"
ROLE_PASSWORD = "role-password"
PORTS = ("2379", "2380", "5432", "8008")


def address(name):
    return f"127.0.0.{21 + NAMES.index(name)}"


class Machine:
    def __init__(self, name, folder, ports, certificate):
        self.name, self.address = name, address(name)
        self._folder, self._ports = folder / name, ports
        self._processes = []
        self._user = POSTGRES_USER
        self._folder.mkdir()
        key = self._folder / "server.key"
        key.write_bytes(certificate.key_file.read_bytes())
        key.chmod(0o600)
        (self._folder / "server.pem").write_bytes(certificate.file.read_bytes())
        (self._folder / "etcd.yml").write_text(self._configuration("etcd.yml", {
            "/var/lib/etcd": str(self._folder / "etcd"), "name: a": f"name: {name}"}))
        (self._folder / "patroni.yml").write_text(self._configuration("patroni.yml", {
            "name: a\n": f"name: {name}\n", "/etc/patroni": str(self._folder),
            "/var/lib/postgresql/15/main": str(self._folder / "data"),
            "/var/lib/postgresql/pgpass": str(self._folder / "pgpass"),
            "/usr/lib/postgresql/15/bin": str(Path(server_program("postgres")).parent), "10.0.0.0/24": "127.0.0.0/8",
            # On one machine, the servers cannot share the folder of the socket.
            "  pg_hba:": f"  parameters:\n    unix_socket_directories: {self._folder}\n  pg_hba:"}))
        if self._user:
            for path in (self._folder, *self._folder.iterdir()):
                shutil.chown(path, "postgres", "postgres")

    def _configuration(self, file, changes):
        """A file of Deploy/ha for this machine. Its addresses are those of the first machine."""
        text = (FOLDER / file).read_text()
        own = [line for line in text.splitlines() if "10.0.0.21" in line and "10.0.0.22" not in line]
        for line in own:
            text = text.replace(line, line.replace("10.0.0.21", self.address))
        for name in NAMES:
            text = text.replace(f"10.0.0.{21 + NAMES.index(name)}", address(name))
        for old, new in self._ports.items():
            text = text.replace(f":{old}", f":{new}")
        return replaced(text, changes)

    def start(self):
        self._start(ETCD, "--config-file", "etcd.yml")
        self._start(PYTHON, PATRONI, "patroni.yml")

    def _start(self, *command):
        environment = {
            "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(ROOT / ".venv/patroni/usr/lib/python3/dist-packages")}
        with (self._folder / "log").open("a") as log:
            self._processes.append(subprocess.Popen(
                command, cwd=self._folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, **self._user))

    def kill_etcd(self):
        etcd = next(process for process in self._processes if process.args[0] == ETCD)
        self._processes.remove(etcd)
        etcd.kill()
        etcd.wait(30)

    def start_etcd(self):
        self._start(ETCD, "--config-file", "etcd.yml")

    def kill(self):
        """Ends all processes at once, as the loss of power does."""
        processes = self._all_process_ids()
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in processes | self._all_process_ids():
                with suppress(ProcessLookupError):
                    os.kill(process, number)
        for process in self._processes:
            process.wait(30)
        self._processes = []
        # PostgreSQL is not a child of Patroni, and its parent does not wait for it.
        assert eventually(lambda: not self._all_process_ids())

    def _all_process_ids(self):
        found = {process.pid for process in self._processes if process.poll() is None}
        pid_file = self._folder / "data/postmaster.pid"
        with suppress(FileNotFoundError, IndexError, ValueError):
            process = int(pid_file.read_text().splitlines()[0])
            if str(self._folder).encode() in Path(f"/proc/{process}/cmdline").read_bytes():
                found.add(process)
        pending = list(found)
        while pending:
            with suppress(FileNotFoundError):
                children = child_process_ids(pending.pop())
                pending += [child for child in children if child not in found]
                found.update(children)
        return found

    def is_primary(self):
        return self._patroni("/primary")

    def is_standby(self):
        return self._patroni("/replica")

    def is_synchronous(self):
        """Whether the primary waits for this standby, and Patroni may make it the primary."""
        return self._patroni("/synchronous")

    def _patroni(self, path):
        with suppress(requests.RequestException):
            return requests.get(f"http://{self.address}:{self._ports['8008']}{path}", timeout=5).status_code == 200
        return False

    def log(self):
        path = self._folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        # These lines are repeated all the time; those in braces are etcd's.
        frequent = ("{", "no action.", "not yet accepting connections", "Consistent recovery state has not")
        return "\n".join([line for line in lines if not any(text in line for text in frequent)][-60:])


class Cluster:
    def __init__(self, folder):
        self.ports = {port: str(free_port()) for port in PORTS}
        self.certificate = create_certificate(folder)
        self.machines = [Machine(name, folder, self.ports, self.certificate) for name in NAMES]

    def start(self):
        for machine in self.machines:
            machine.start()
        assert eventually(self.is_complete, 120), self.log()
        with psycopg.connect(self.url("postgres", SUPERUSER_PASSWORD, "postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE ROLE sekisho LOGIN PASSWORD '{ROLE_PASSWORD}'")
            connection.execute("CREATE DATABASE sekisho OWNER sekisho")

    def primary(self):
        """The machine of the primary; `None` while there is none."""
        return next((machine for machine in self.machines if machine.is_primary()), None)

    def is_complete(self):
        """Whether there is a primary, every other machine is a standby, and one of them is synchronous."""
        return (
            self.primary() and sum(machine.is_standby() for machine in self.machines) == len(NAMES) - 1
            and any(machine.is_synchronous() for machine in self.machines))

    def log(self):
        return "\n".join(f"{machine.name}:\n{machine.log()}" for machine in self.machines)

    def url(self, user="sekisho", password=ROLE_PASSWORD, database="sekisho"):
        """The URL of all machines, for TLS with verification of the server."""
        hosts = ",".join(f"localhost:{self.ports['5432']}" for _ in NAMES)
        addresses = ",".join(machine.address for machine in self.machines)
        return (
            f"postgresql://{user}:{password}@{hosts}/{database}?hostaddr={addresses}&target_session_attrs=read-write"
            f"&sslmode=verify-full&sslrootcert={self.certificate.file}&connect_timeout=5")

    def kill(self):
        for machine in self.machines:
            machine.kill()


@contextmanager
def cluster_running(folder):
    cluster = Cluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.kill()
