"""Starts and stops gateways, sends requests to them, and reads their CPU time and memory."""

import base64
import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

DEADLINE_SECONDS = 60


class Gateway:
    """A running `sekisho serve`."""

    def __init__(self, process, port):
        self.process = process
        self.port = port

    def url(self, path, key):
        return f"http://127.0.0.1:{self.port}{path}?key={key}"

    def resident_mib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1]) / 1024

    def cpu_seconds(self):
        return sum(cpu_times(self.process.pid)[:2])


class Postgres:
    """The PostgreSQL server of a `sekisho dev` that keeps its files in `folder`."""

    def __init__(self, folder):
        self.main_process_id = int((folder / "data/postgres/data/postmaster.pid").read_text().split()[0])

    def cpu_seconds(self):
        """Returns the CPU time of all processes of the server, including those that have ended."""
        children = [int(word) for word in Path(
            f"/proc/{self.main_process_id}/task/{self.main_process_id}/children").read_text().split()]
        return sum(cpu_times(self.main_process_id)) + sum(sum(cpu_times(child)[:2]) for child in children)


def cpu_times(process_id):
    """Returns four CPU times in seconds: the process's user and system time, and those of its ended children.

    Returns zeros if the process has ended.
    """
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return [0] * 4
    return [int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:15]]


class Client:
    """A persistent connection to a gateway, with an API key. A status other than 200 ends the program with an error."""

    def __init__(self, gateway, key):
        self.connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=DEADLINE_SECONDS)
        self.key = key

    def post(self, operation, body):
        return self._send(f"/v1/accounts:{operation}", json.dumps(body), "application/json")

    def refresh(self, token):
        form = urlencode({"grant_type": "refresh_token", "refresh_token": token})
        return self._send("/v1/token", form, "application/x-www-form-urlencoded")

    def _send(self, path, body, content_type):
        self.connection.request("POST", f"{path}?key={self.key}", body, {"Content-Type": content_type})
        response = self.connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise SystemExit(f"{path} answered {response.status}: {text.decode()}")
        return json.loads(text)


def sign_up_many(gateway, key, bodies):
    """Sends one sign-up request with each of `bodies`, and returns the answers in another order."""
    workers = 8
    bodies_of_workers = [bodies[number::workers] for number in range(workers)]

    def sign_up(bodies):
        client = Client(gateway, key)
        return [client.post("signUp", body) for body in bodies]

    with ThreadPoolExecutor(workers) as executor:
        return [answer for answers in executor.map(sign_up, bodies_of_workers) for answer in answers]


def session_of(id_token):
    """Returns the ID of the session that an ID token belongs to."""
    payload = id_token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["sid"]


@contextmanager
def private_postgres(binary, folder):
    """Runs `sekisho dev` during the block of `with`, and yields the URL of its database server."""
    log = folder / "dev.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [binary, "dev", "--port", "0", "--data", folder / "data"], stdin=subprocess.DEVNULL, stdout=file,
            stderr=file, start_new_session=True)
    with terminating(process):
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not (found := re.search(r"database: (\S+)\n", log.read_text())):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"sekisho dev did not start:\n{log.read_text()}")
            time.sleep(0.05)
        yield found[1]


@contextmanager
def postgres_with_default_buffers(binary, folder):
    """Yields the URL of a PostgreSQL server with the default `shared_buffers`, and settings for loading many rows.

    `sekisho dev` creates the data directory. Its own server, which has smaller `shared_buffers`, ends before this
    server starts.
    """
    with private_postgres(binary, folder) as url:
        data = Path(psql(url, "SHOW data_directory"))
        process_folder = Path("/proc", (data / "postmaster.pid").read_text().split()[0])
        program = (process_folder / "exe").readlink()
        options = (process_folder / "cmdline").read_text().split("\0")[1:-1]
    socket_option = next(option for option in options if option.startswith("unix_socket_directories="))
    socket_folder = Path(socket_option.split("=")[1])
    owner = data.stat()
    socket_folder.mkdir(mode=0o700)
    os.chown(socket_folder, owner.st_uid, owner.st_gid)
    # With the minimal level, PostgreSQL writes no write-ahead log of new indexes, and of tables that are emptied and
    # loaded in one transaction. Autovacuum would read tables during the load and the measurement.
    settings = ("shared_buffers=128MB", "max_wal_size=8GB", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off")
    options += [word for setting in settings for word in ("-c", setting)]
    with (folder / "postgres.log").open("w") as log:
        process = subprocess.Popen(
            [program, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            cwd=data, user=owner.st_uid, group=owner.st_gid)
    try:
        deadline = time.monotonic() + DEADLINE_SECONDS
        while subprocess.run(["pg_isready", "-q", "-d", url], timeout=DEADLINE_SECONDS).returncode != 0:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"PostgreSQL did not start:\n{(folder / 'postgres.log').read_text()}")
            time.sleep(0.05)
        yield url
    finally:
        process.send_signal(signal.SIGINT)  # ends connections too
        process.wait(DEADLINE_SECONDS)


class Installation:
    """A migrated database in the server of `server_url`, and the environment of a `sekisho serve` that uses it."""

    def __init__(self, binary, server_url, name="bench"):
        self.binary = binary
        self.database_url = server_url.replace("///sekisho?", f"///{name}?")
        psql(server_url, f"CREATE DATABASE {name}")
        self.port = free_port()
        self.environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": self.database_url,
            "SEKISHO_PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            "SEKISHO_LISTEN": f"127.0.0.1:{self.port}",
            "SEKISHO_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
            "SEKISHO_BREACHED_PASSWORDS_URL": "",
        }
        self.run("migrate")

    def run(self, *arguments, **options):
        """Runs `sekisho` with these arguments, and returns its standard output."""
        return output([self.binary, *arguments], env=self.environment, **options)

    def create_project(self, name, profile):
        """Creates a project without the limits on sign-ups and wrong passwords, because all load comes from one
        address. Returns an API key.
        """
        self.run("projects", "create", name, "--profile", profile)
        self.run("projects", "policy", name, "--set", "signUpLimit=0", "--set", "passwordFailureLimit=0")
        printed = self.run("keys", "create-api-key", "--project", name)
        return re.findall(r"^\S+$", printed, re.MULTILINE)[-1]

    @contextmanager
    def serve(self, **settings):
        """Yields a gateway that responds, and the seconds from its start to its first response."""
        began = time.monotonic()
        process = subprocess.Popen(
            [self.binary, "serve"], env=self.environment | settings, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, start_new_session=True)
        with terminating(process):
            while not is_healthy(self.port):
                if process.poll() is not None or time.monotonic() - began > DEADLINE_SECONDS:
                    raise SystemExit("sekisho serve did not start")
                time.sleep(0.001)
            yield Gateway(process, self.port), time.monotonic() - began


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def terminating(process):
    """Sends SIGTERM to the process after the block of `with`, and waits for its end."""
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(DEADLINE_SECONDS)


def is_healthy(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except ConnectionError:
        return False
    finally:
        connection.close()


def psql(url, statement, **options):
    return output(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement, url], **options).strip()


def database_description(url):
    version, fsync = (psql(url, f"SHOW {name}") for name in ("server_version", "fsync"))
    return f"PostgreSQL {version}, fsync {fsync}"


def output(command, timeout=DEADLINE_SECONDS, **options):
    """Returns the standard output of a command. Exits with an error if the command fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command[:3]))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
