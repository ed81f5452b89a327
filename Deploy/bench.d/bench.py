"""Measures loads on the gateway and their limits, and also the gateway's start time, memory and latencies.

The limit of a load is the rate at which pgbench executes the same statements, or Argon2id verifies the same hash.
"""

import json
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import limits
from apple import Apple, project_file_with_apple
from gateway import (
    Installation, Postgres, database_description, output, private_postgres, psql, session_of, sign_up_many)
from report import Measurement, report
from statements import pgbench_scripts

# A load and the measurement of its limit take turns in short rounds of SECONDS each, so that other processes of the
# machine affect both equally.
ROUNDS = 4
SECONDS = 2
# The pause after a load, in which the requests in flight end.
SETTLE_SECONDS = 0.3
OPERATIONS = ("look-up", "refresh", "refresh-lasting", "sign-up", "password", "apple", "p99")
# The numbers of clients with which each load is measured, except for password sign-ins.
CLIENTS = (1, 8, 64)
# The numbers of clients with which pgbench measures a limit. The higher of the two rates is the limit.
LIMIT_CLIENTS = (8, 64)
# Enough clients to keep every core busy with password hashes.
PASSWORD_CLIENTS = 8
# The number of accounts that the requests of a load use in turn.
ACCOUNTS = 256
WRK_THREADS = 2
# How often the time from the start to the first response is measured.
STARTS = 5
# The number of requests with single-use credentials, by number of clients: more than the gateway can process in
# SECONDS.
SINGLE_USE_REQUESTS = {1: 4000, 8: 10_000, 64: 16_000}
PASSWORD = "correct horse battery"
# The number of clients whose password sign-ins saturate every core while a refresh is measured.
BACKGROUND_CLIENTS = 32
BACKGROUND_START_SECONDS = 0.5
# The memory of an idle gateway is measured this long after its start.
IDLE_SECONDS = 3
# More than ROUNDS, because between rounds, a p99 varies more than a rate.
P99_ROUNDS = 6
IDLE_CONNECTIONS = 10_000
IDLE_SETTINGS = {"SEKISHO_CONNECTIONS": "20000", "SEKISHO_CONNECTIONS_PER_ADDRESS": "20000"}


class Bench:
    """Puts load on a gateway with `wrk`, and measures the limit of each load.

    Refresh tokens rotate in the project with the profile `sekisho`, and not in the one with the profile `firebase`.
    `scripts` has the pgbench script and its constants for each operation, by name.
    """

    def __init__(self, folder, installation, scripts, sekisho_profile_key, firebase_profile_key, apple):
        self.folder = folder
        self.installation = installation
        self.postgres = Postgres(folder)
        self.scripts = scripts
        self.sekisho_profile_key = sekisho_profile_key
        self.firebase_profile_key = firebase_profile_key
        self.apple = apple
        self.password_sign_in_bodies = [
            {"email": f"user{number}@example.com", "password": PASSWORD} for number in range(ACCOUNTS)]

    def run(self, gateway, wanted):
        """Measures the wanted operations (all if none is named), except p99, and returns the measurements."""
        accounts = sign_up_many(gateway, self.sekisho_profile_key, self.password_sign_in_bodies)
        operations = {
            "look-up": lambda: self.measure_look_up(gateway, accounts),
            "refresh": lambda: self.measure_refresh(gateway, "refresh", self.sekisho_profile_key),
            "refresh-lasting": lambda: self.measure_refresh(gateway, "refresh-lasting", self.firebase_profile_key),
            "sign-up": lambda: self.measure_sign_up(gateway),
            "password": lambda: self.measure_password_sign_in(gateway),
            "apple": lambda: [
                *self.measure_first_sign_in_with_apple(gateway), *self.measure_returning_sign_in_with_apple(gateway)],
        }
        return [row for name in operations if not wanted or name in wanted for row in operations[name]()]

    def measure_look_up(self, gateway, accounts):
        self.store_sessions_for_pgbench(accounts)
        bodies = [json.dumps({"idToken": account["idToken"]}) for account in accounts]

        def load(measurement, _):
            self.run_wrk(gateway, measurement, "cycle", "/v1/accounts:lookup", self.sekisho_profile_key, bodies)

        return self.measure_in_rounds("look-up", load, script="lookup", target=0.55)

    def measure_refresh(self, gateway, script, key):
        def load(measurement, _):
            # New accounts in each round: if tokens rotate, the previous load and pgbench have replaced the tokens of
            # the earlier accounts.
            accounts = sign_up_many(gateway, key, [{}] * ACCOUNTS)
            self.store_sessions_for_pgbench(accounts)
            tokens = [account["refreshToken"] for account in accounts]
            self.run_wrk(gateway, measurement, "refresh", "/v1/token", key, tokens)

        rotation = "with rotation" if key == self.sekisho_profile_key else "without rotation"
        return self.measure_in_rounds(f"refresh, {rotation}", load, script, target=0.8)

    def measure_sign_up(self, gateway):
        def load(measurement, _):
            self.run_wrk(
                gateway, measurement, "cycle", "/v1/accounts:signUp", self.sekisho_profile_key, ["{}"] * WRK_THREADS)

        return self.measure_in_rounds("anonymous sign-up", load, script="sign-up", target=0.8)

    def measure_password_sign_in(self, gateway):
        measurement = Measurement("password sign-in", PASSWORD_CLIENTS, target=0.92)
        phc = self.stored_password_hash()
        for _ in range(ROUNDS):
            self.run_wrk(
                gateway, measurement, "cycle", "/v1/accounts:signInWithPassword", self.sekisho_profile_key,
                [json.dumps(body) for body in self.password_sign_in_bodies])
            # 0 clients, because Argon2id is measured without clients.
            measurement.add_limit(0, limits.argon2id(phc, PASSWORD, SECONDS))
        return [measurement]

    def measure_first_sign_in_with_apple(self, gateway):
        def load(measurement, turn):
            count = SINGLE_USE_REQUESTS[measurement.clients]
            self.sign_in_with_apple(
                gateway, measurement, [f"first-{turn}-{measurement.clients}-{number}" for number in range(count)])

        return self.measure_in_rounds("first sign-in with Apple", load, script="apple-first", target=0.7)

    def measure_returning_sign_in_with_apple(self, gateway):
        """Measures further sign-ins of users whom `measure_first_sign_in_with_apple` has signed up."""
        url = self.installation.database_url
        psql(url, "CREATE TABLE bench_person (n int PRIMARY KEY, subject text, email text, account text)")
        psql(url, "INSERT INTO bench_person SELECT row_number() OVER () - 1, subject, email, account_id "
                  f"FROM linked_identity WHERE subject LIKE 'first-%' LIMIT {ACCOUNTS}")
        people = psql(url, "SELECT subject FROM bench_person").split()

        def load(measurement, _):
            count = SINGLE_USE_REQUESTS[measurement.clients]
            self.sign_in_with_apple(gateway, measurement, [people[number % ACCOUNTS] for number in range(count)])

        return self.measure_in_rounds("returning sign-in with Apple", load, script="apple-returning", target=0.7)

    def measure_in_rounds(self, name, load, script, target):
        """Returns one measurement per number of clients. Only the highest number has a target; see Deploy/bench.md.

        `load` puts load on the gateway in one round. The pgbench script with the name `script` measures the limit.
        """
        measurements = [
            Measurement(name, clients, target if clients == max(CLIENTS) else None) for clients in CLIENTS]
        for turn in range(ROUNDS):
            for measurement in measurements:
                load(measurement, turn)
            for clients in LIMIT_CLIENTS:
                limit = self.pgbench(script, clients)
                for measurement in measurements:
                    measurement.add_limit(clients, limit)
        return measurements

    def sign_in_with_apple(self, gateway, measurement, subjects):
        lines = [json.dumps(body) for body in self.apple.sign_in_bodies(subjects)]
        self.run_wrk(gateway, measurement, "once", "/v1/accounts:signInWithIdp", self.sekisho_profile_key, lines)

    def run_wrk(self, gateway, measurement, script, path, key, lines):
        """Runs a Lua script of this folder in wrk for one round, with the lines as input.

        Adds the results to `measurement`.
        """
        threads = min(WRK_THREADS, measurement.clients)
        file = self.folder / f"lines-{measurement.name}"
        file.write_text("".join(line + "\n" for line in lines))
        gateway_before, postgres_before = gateway.cpu_seconds(), self.postgres.cpu_seconds()
        printed = output(
            ["wrk", f"-t{threads}", f"-c{measurement.clients}", f"-d{SECONDS}s", "--timeout", "10s", "-s",
             f"{script}.lua", gateway.url(path, key), "--", file, str(threads)],
            cwd=Path(__file__).parent)
        result = json.loads(printed.splitlines()[-1])
        if result["failed"] or not result["requests"]:
            raise SystemExit(f"{measurement.name}: not every request succeeded:\n{printed}")
        if script == "once" and result["requests"] >= len(lines):
            raise SystemExit(
                f"{measurement.name}: {len(lines)} requests are too few for {SECONDS} s; increase SINGLE_USE_REQUESTS")
        measurement.requests += result["requests"]
        measurement.seconds += result["microseconds"] / 1e6
        measurement.gateway_seconds += gateway.cpu_seconds() - gateway_before
        measurement.postgres_seconds += self.postgres.cpu_seconds() - postgres_before
        measurement.p50.append(result["p50"])
        measurement.p99.append(result["p99"])
        time.sleep(SETTLE_SECONDS)

    def pgbench(self, script, clients):
        """Runs a pgbench script for one round. Returns the number of its transactions, and their duration."""
        text, constants = self.scripts[script]
        return limits.pgbench(
            self.installation.database_url, self.folder, text, constants | {"rows": str(ACCOUNTS)}, clients, SECONDS)

    def store_sessions_for_pgbench(self, accounts):
        """Stores the sessions of these accounts in the table that the scripts of pgbench read."""
        rows = "".join(f"{n}\t{session_of(account['idToken'])}\n" for n, account in enumerate(accounts))
        url = self.installation.database_url
        psql(url, "CREATE TABLE IF NOT EXISTS bench_row (n int PRIMARY KEY, session uuid NOT NULL)")
        psql(url, "TRUNCATE bench_row")
        psql(url, "COPY bench_row FROM STDIN", input=rows)

    def refresh_p99(self, gateway):
        """Returns the p99 of a refresh with 8 clients, in ms, in three situations: without other work, while Argon2id
        hashes of another process saturate every core, and while password sign-ins do. Each value is the median of all
        rounds.

        The second value is the baseline for the third. It shows the effect of any program that saturates every core
        with the niceness of the gateway's password threads.
        """
        alone, beside_hashes, beside_sign_ins = (Measurement("refresh", clients=8, target=None) for _ in range(3))
        file = self.folder / "background"
        file.write_text("".join(json.dumps(body) + "\n" for body in self.password_sign_in_bodies))
        # Longer than the load, which begins BACKGROUND_START_SECONDS later.
        background_seconds = SECONDS + 2
        hashes = limits.argon2id_command(self.stored_password_hash(), PASSWORD, background_seconds)
        sign_ins = [
            "wrk", f"-t{WRK_THREADS}", f"-c{BACKGROUND_CLIENTS}", f"-d{background_seconds}s", "--timeout", "10s", "-s",
            "cycle.lua",
            gateway.url("/v1/accounts:signInWithPassword", self.sekisho_profile_key), "--", file, str(WRK_THREADS)]
        for _ in range(P99_ROUNDS):
            for measurement, command in (alone, None), (beside_hashes, hashes), (beside_sign_ins, sign_ins):
                accounts = sign_up_many(gateway, self.sekisho_profile_key, [{}] * ACCOUNTS)
                tokens = [account["refreshToken"] for account in accounts]
                with in_background(command):
                    self.run_wrk(gateway, measurement, "refresh", "/v1/token", self.sekisho_profile_key, tokens)
        return [
            statistics.median(measurement.p99) / 1000 for measurement in (alone, beside_hashes, beside_sign_ins)]

    def stored_password_hash(self):
        return psql(
            self.installation.database_url, "SELECT password_hash FROM account WHERE password_hash <> '' LIMIT 1")


@contextmanager
def in_background(command):
    """Starts `command`, runs the block of `with`, and waits for the end of `command`. `None` runs only the block.

    The command has its own process session, like the gateway, because by default Linux first divides the processor
    between sessions.
    """
    if command is None:
        yield
        return
    folder = Path(__file__).parent
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, start_new_session=True):
        time.sleep(BACKGROUND_START_SECONDS)
        yield


def memory_with_idle_connections(installation):
    """Returns the resident memory of a gateway in MiB, without connections and with IDLE_CONNECTIONS.

    Each connection sends one request before it is idle.
    """
    with installation.serve(**IDLE_SETTINGS) as (gateway, _), ExitStack() as stack:
        time.sleep(IDLE_SECONDS)
        before = gateway.resident_mib()
        for _ in range(IDLE_CONNECTIONS):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", gateway.port), 10))
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            if b" 200 " not in connection.recv(4096):
                raise SystemExit("a connection was rejected")
        return before, gateway.resident_mib()


def main(binary, wanted):
    unknown = set(wanted) - set(OPERATIONS)
    if unknown:
        sys.exit(f"Deploy/bench: unknown operation {min(unknown)}; expected {', '.join(OPERATIONS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # This process and the gateway, which inherits the limit, need a file descriptor for each idle connection.
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
    # The folder is on a disk, because /tmp may be in memory. PostgreSQL may run as another user, which needs access.
    with tempfile.TemporaryDirectory(prefix="sekisho-bench-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with private_postgres(binary, folder) as server_url:
            installation = Installation(binary, server_url)
            sekisho_profile_key = installation.create_project("rotating", "sekisho")
            firebase_profile_key = installation.create_project("lasting", "firebase")
            apple = Apple()
            apple.publish(installation.database_url)
            installation.run("projects", "apply", "-", input=project_file_with_apple("rotating"))
            log = folder / "data/postgres/postgres.log"
            scripts = pgbench_scripts(installation, log, sekisho_profile_key, firebase_profile_key, apple)
            starts = []
            for _ in range(STARTS):
                with installation.serve() as (_, seconds):
                    starts.append(seconds * 1000)
            with installation.serve() as (gateway, _):
                bench = Bench(folder, installation, scripts, sekisho_profile_key, firebase_profile_key, apple)
                measurements = bench.run(gateway, wanted)
                loaded_mib = gateway.resident_mib()
                p99 = bench.refresh_p99(gateway) if not wanted or "p99" in wanted else None
            idle_mib = memory_with_idle_connections(installation)
            print(f"\n{ROUNDS} rounds of {SECONDS} s each; {database_description(installation.database_url)}")
            report(measurements, statistics.median(starts), idle_mib, loaded_mib, p99)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), sys.argv[2:])
