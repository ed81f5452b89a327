"""Runs each load beside its limit, in turn and several times, and prints the ratios."""

import json
import os
import platform
import re
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import limits
from gateway import Installation, output, private_postgres, psql, session_of, sign_up_many
from statements import CLIENTS, sample

# Many short ones, for what else runs on the machine should meet a load and its limit alike.
ROUNDS = 5
SECONDS = 2
# In which those requests end that were under way when a load stopped.
SETTLE_SECONDS = 0.3
ACCOUNTS = 256
THREADS = 2
STARTS = 5
PASSWORD = "correct horse battery"
MEMORY_TARGET_MIB = 60
START_TARGET_MS = 200


@dataclass
class Measurement:
    """One operation: the sums of all rounds."""

    name: str
    target: float
    requests: int = 0
    seconds: float = 0
    cpu_seconds: float = 0
    limit_count: float = 0
    limit_seconds: float = 0
    p50: list = field(default_factory=list)
    p99: list = field(default_factory=list)

    def row(self):
        rate, limit = self.requests / self.seconds, self.limit_count / self.limit_seconds
        ratio = rate / limit
        return [
            self.name, f"{rate:.0f}", f"{limit:.0f}", f"{ratio:.2f}", f"{self.target:.2f}",
            "reached" if ratio >= self.target else "missed", f"{statistics.median(self.p50) / 1000:.1f}",
            f"{statistics.median(self.p99) / 1000:.1f}", f"{self.cpu_seconds / self.requests * 1e6:.0f}",
        ]


class Bench:
    def __init__(self, folder, installation, scripts, rotating_key, lasting_key):
        self.folder = folder
        self.installation = installation
        self.scripts = scripts
        self.rotating_key = rotating_key
        self.lasting_key = lasting_key

    def run(self, gateway):
        """The measurements, in the order of the table."""
        emails = [f"user{number}@example.com" for number in range(ACCOUNTS)]
        bodies = [{"email": email, "password": PASSWORD} for email in emails]
        accounts = sign_up_many(gateway, self.rotating_key, bodies)
        return [
            self.lookup(gateway, accounts),
            self.refresh(gateway, "refresh", self.rotating_key),
            self.refresh(gateway, "refresh-lasting", self.lasting_key),
            self.sign_up(gateway),
            self.sign_in(gateway, bodies),
        ]

    def lookup(self, gateway, accounts):
        measurement = Measurement("look-up", 0.4)
        self.use_rows(accounts)
        bodies = [json.dumps({"idToken": account["idToken"]}) for account in accounts]
        for _ in range(ROUNDS):
            self.load(gateway, measurement, "cycle", "/v1/accounts:lookup", self.rotating_key, bodies)
            self.pgbench(measurement, "lookup")
        return measurement

    def refresh(self, gateway, script, key):
        rotation = "with rotation" if key == self.rotating_key else "without rotation"
        measurement = Measurement(f"refresh, {rotation}", 0.6)
        for _ in range(ROUNDS):
            # New ones each time: the load before and pgbench have carried the sessions on.
            accounts = sign_up_many(gateway, key, [{}] * ACCOUNTS)
            self.use_rows(accounts)
            tokens = [account["refreshToken"] for account in accounts]
            self.load(gateway, measurement, "refresh", "/v1/token", key, tokens)
            self.pgbench(measurement, script)
        return measurement

    def sign_up(self, gateway):
        measurement = Measurement("anonymous sign-up", 0.6)
        for _ in range(ROUNDS):
            self.load(gateway, measurement, "cycle", "/v1/accounts:signUp", self.rotating_key, ["{}"] * THREADS)
            self.pgbench(measurement, "sign-up")
        return measurement

    def sign_in(self, gateway, bodies):
        measurement = Measurement("password sign-in", 0.9)
        lines = [json.dumps(body) for body in bodies]
        phc = psql(
            self.installation.database_url, "SELECT password_hash FROM account WHERE password_hash <> '' LIMIT 1")
        for _ in range(ROUNDS):
            self.load(
                gateway, measurement, "cycle", "/v1/accounts:signInWithPassword", self.rotating_key, lines)
            self.add_limit(measurement, limits.argon2id(phc, PASSWORD, SECONDS))
        return measurement

    def load(self, gateway, measurement, script, path, key, lines):
        file = self.folder / "lines"
        file.write_text("".join(line + "\n" for line in lines))
        cpu = gateway.cpu_seconds()
        printed = output(
            ["wrk", f"-t{THREADS}", f"-c{CLIENTS}", f"-d{SECONDS}s", "--timeout", "10s", "-s", f"{script}.lua",
             gateway.url(path, key), "--", file, str(THREADS)],
            cwd=Path(__file__).parent)
        result = json.loads(printed.splitlines()[-1])
        if result["failed"] or not result["requests"]:
            raise SystemExit(f"{measurement.name}: not every request succeeded:\n{printed}")
        measurement.requests += result["requests"]
        measurement.seconds += result["microseconds"] / 1e6
        measurement.cpu_seconds += gateway.cpu_seconds() - cpu
        measurement.p50.append(result["p50"])
        measurement.p99.append(result["p99"])
        time.sleep(SETTLE_SECONDS)

    def pgbench(self, measurement, script):
        text, constants = self.scripts[script]
        self.add_limit(measurement, limits.pgbench(
            self.installation.database_url, self.folder, text, constants | {"rows": str(ACCOUNTS)}, SECONDS))

    def add_limit(self, measurement, limit):
        count, seconds = limit
        measurement.limit_count += count
        measurement.limit_seconds += seconds

    def use_rows(self, accounts):
        """Makes their sessions those that pgbench works on."""
        rows = "".join(f"{n}\t{session_of(account['idToken'])}\n" for n, account in enumerate(accounts))
        url = self.installation.database_url
        psql(url, "CREATE TABLE IF NOT EXISTS bench_row (n int PRIMARY KEY, session uuid NOT NULL)")
        psql(url, "TRUNCATE bench_row")
        psql(url, "COPY bench_row FROM STDIN", input=rows)


def table(head, rows):
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))))


def verdict(value, target):
    return "reached" if value <= target else "missed"


def report(measurements, start_ms, idle, loaded, database_url):
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    version, fsync = (psql(database_url, f"SHOW {name}") for name in ("server_version", "fsync"))
    print(
        f"\n{os.cpu_count()} cores ({model[1] if model else platform.machine()}), load {os.getloadavg()[0]:.1f}; "
        f"PostgreSQL {version}, fsync {fsync}; {CLIENTS} clients, {ROUNDS} rounds of {SECONDS} s each\n")
    table(
        ["operation", "requests/s", "limit/s", "ratio", "target", "", "p50 ms", "p99 ms", "CPU us/request"],
        [measurement.row() for measurement in measurements])
    signatures, verifications = limits.p256()
    print("\nlimits: pgbench on the same statement; for password sign-in, Argon2id on all cores")
    print(f"start until /healthz answers: {start_ms:.0f} ms (target {START_TARGET_MS}: "
          f"{verdict(start_ms, START_TARGET_MS)})")
    print(f"resident memory: {idle:.0f} MiB idle, {loaded:.0f} MiB after the loads (target {MEMORY_TARGET_MIB}: "
          f"{verdict(loaded, MEMORY_TARGET_MIB)})")
    print(f"openssl on one core: {signatures} P-256 signatures/s, {verifications} verifications/s")


def main(binary):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # On a disk, for /tmp may be memory. The server, which may run as another user, must get in.
    with tempfile.TemporaryDirectory(prefix="sekisho-bench-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with private_postgres(binary, folder) as server_url:
            installation = Installation(binary, server_url)
            rotating_key = installation.create_project("rotating", "sekisho")
            lasting_key = installation.create_project("lasting", "firebase")
            scripts = sample(installation, folder / "data/postgres/postgres.log", rotating_key, lasting_key)
            starts = []
            for _ in range(STARTS):
                with installation.serve() as (_, seconds):
                    starts.append(seconds * 1000)
            with installation.serve() as (gateway, _):
                idle = gateway.resident_mib()
                bench = Bench(folder, installation, scripts, rotating_key, lasting_key)
                measurements = bench.run(gateway)
                loaded = gateway.resident_mib()
            report(measurements, statistics.median(starts), idle, loaded, installation.database_url)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
