"""Runs each load and its limit in turn, several times, and prints the ratios."""

import json
import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

import limits
from apple import Apple, configuration
from gateway import Installation, database, output, private_postgres, psql, session_of, sign_up_many
from report import Measurement, report
from statements import CLIENTS, sample

# Many short rounds, so that other processes of the machine affect a load and its limit equally.
ROUNDS = 5
SECONDS = 2
# Time for the requests in flight when a load stopped.
SETTLE_SECONDS = 0.3
ACCOUNTS = 256
THREADS = 2
STARTS = 5
# Requests of a load with single-use bodies; the load ends with the last one.
ONCE = 5000
PASSWORD = "correct horse battery"


class Bench:
    def __init__(self, folder, installation, scripts, rotating_key, lasting_key, apple):
        self.folder = folder
        self.installation = installation
        self.scripts = scripts
        self.rotating_key = rotating_key
        self.lasting_key = lasting_key
        self.apple = apple

    def run(self, gateway):
        """Returns the measurements in the order of the table."""
        emails = [f"user{number}@example.com" for number in range(ACCOUNTS)]
        bodies = [{"email": email, "password": PASSWORD} for email in emails]
        accounts = sign_up_many(gateway, self.rotating_key, bodies)
        return [
            self.lookup(gateway, accounts),
            self.refresh(gateway, "refresh", self.rotating_key),
            self.refresh(gateway, "refresh-lasting", self.lasting_key),
            self.sign_up(gateway),
            self.sign_in(gateway, bodies),
            self.apple_first(gateway),
            self.apple_returning(gateway),
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
            # New accounts in each round: the previous load and pgbench have rotated the tokens.
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

    def apple_first(self, gateway):
        measurement = Measurement("first sign-in with Apple", 0.5)
        for turn in range(ROUNDS):
            subjects = [f"first-{turn}-{number}" for number in range(ONCE)]
            self.load_once(gateway, measurement, subjects)
            self.pgbench(measurement, "apple-first")
        return measurement

    def apple_returning(self, gateway):
        measurement = Measurement("returning sign-in with Apple", 0.5)
        url = self.installation.database_url
        psql(url, "CREATE TABLE bench_person (n int PRIMARY KEY, subject text, email text, account text)")
        psql(url, "INSERT INTO bench_person SELECT row_number() OVER () - 1, subject, email, account_id "
                  f"FROM linked_identity WHERE subject LIKE 'first-%' LIMIT {ACCOUNTS}")
        people = psql(url, "SELECT subject FROM bench_person").split()
        for _ in range(ROUNDS):
            self.load_once(gateway, measurement, [people[number % ACCOUNTS] for number in range(ONCE)])
            self.pgbench(measurement, "apple-returning")
        return measurement

    def load_once(self, gateway, measurement, subjects):
        lines = [json.dumps(body) for body in self.apple.bodies(subjects)]
        self.load(gateway, measurement, "once", "/v1/accounts:signInWithIdp", self.rotating_key, lines)

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
        """Selects the sessions of these accounts for pgbench."""
        rows = "".join(f"{n}\t{session_of(account['idToken'])}\n" for n, account in enumerate(accounts))
        url = self.installation.database_url
        psql(url, "CREATE TABLE IF NOT EXISTS bench_row (n int PRIMARY KEY, session uuid NOT NULL)")
        psql(url, "TRUNCATE bench_row")
        psql(url, "COPY bench_row FROM STDIN", input=rows)


def main(binary):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # On a disk, because /tmp may be in memory. PostgreSQL may run as another user and needs access.
    with tempfile.TemporaryDirectory(prefix="sekisho-bench-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with private_postgres(binary, folder) as server_url:
            installation = Installation(binary, server_url)
            rotating_key = installation.create_project("rotating", "sekisho")
            lasting_key = installation.create_project("lasting", "firebase")
            apple = Apple()
            apple.publish(installation.database_url)
            installation.run("projects", "apply", "-", input=configuration("rotating"))
            scripts = sample(installation, folder / "data/postgres/postgres.log", rotating_key, lasting_key, apple)
            starts = []
            for _ in range(STARTS):
                with installation.serve() as (_, seconds):
                    starts.append(seconds * 1000)
            with installation.serve() as (gateway, _):
                idle = gateway.resident_mib()
                bench = Bench(folder, installation, scripts, rotating_key, lasting_key, apple)
                measurements = bench.run(gateway)
                loaded = gateway.resident_mib()
            print(f"\n{CLIENTS} clients, {ROUNDS} rounds of {SECONDS} s each; {database(installation.database_url)}")
            report(measurements, statistics.median(starts), idle, loaded)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
