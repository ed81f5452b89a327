"""Runs loads alternately against two binaries, and prints the speed of the new binary relative to the old one.

Usage: compare.py OLD NEW [LOAD…]
"""

import json
import signal
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from apple import Apple, project_file_with_apple
from bench import ACCOUNTS, CLIENTS, PASSWORD_CLIENTS, SINGLE_USE_REQUESTS, WRK_THREADS, Bench
from gateway import Installation, private_postgres, sign_up_many
from report import Measurement

# Short rounds in alternating order, so that other processes of the machine affect both binaries equally.
ROUNDS = 5
# A gateway that starts later is up to 8 % slower, even if the binary is the same. Each binary therefore has an inner and
# an outer place in this order of starting.
STARTS = ["old", "new", "new", "old"]


class Side:
    """A gateway with its own database, on the server that keeps its files in `folder`."""

    def __init__(self, installation, folder, stack, **settings):
        self.sekisho_profile_key = installation.create_project("rotating", "sekisho")
        self.firebase_profile_key = installation.create_project("lasting", "firebase")
        self.apple = Apple()
        self.apple.publish(installation.database_url)
        installation.run("projects", "apply", "-", input=project_file_with_apple("rotating"))
        self.gateway, _ = stack.enter_context(installation.serve(**settings))
        self.bench = Bench(
            folder, installation, scripts={}, sekisho_profile_key=self.sekisho_profile_key,
            firebase_profile_key=self.firebase_profile_key, apple=self.apple)
        self.accounts = sign_up_many(self.gateway, self.sekisho_profile_key, self.bench.password_sign_in_bodies)
        # Creates the accounts of the users whose later sign-ins are measured as returning.
        self.returning_sign_in_with_apple(Measurement("returning", clients=8, target=None), None)

    def look_up(self, measurement, _):
        self.cycle(measurement, "lookup", [{"idToken": account["idToken"]} for account in self.accounts])

    def refresh(self, measurement, _):
        self.refresh_in_project(measurement, self.sekisho_profile_key)

    def refresh_without_rotation(self, measurement, _):
        self.refresh_in_project(measurement, self.firebase_profile_key)

    def sign_up(self, measurement, _):
        self.cycle(measurement, "signUp", [{}] * WRK_THREADS)

    def password_sign_in(self, measurement, _):
        self.cycle(measurement, "signInWithPassword", self.bench.password_sign_in_bodies)

    def first_sign_in_with_apple(self, measurement, turn):
        self.sign_in_with_apple(measurement, lambda number: f"first-{turn}-{measurement.clients}-{number}")

    def returning_sign_in_with_apple(self, measurement, _):
        self.sign_in_with_apple(measurement, lambda number: f"returning-{number % ACCOUNTS}")

    def cycle(self, measurement, operation, bodies):
        """Posts the bodies in turn, again and again."""
        lines = [json.dumps(body) for body in bodies]
        self.bench.run_wrk(
            self.gateway, measurement, "cycle", f"/v1/accounts:{operation}", self.sekisho_profile_key, lines)

    def refresh_in_project(self, measurement, api_key):
        tokens = [account["refreshToken"] for account in sign_up_many(self.gateway, api_key, [{}] * ACCOUNTS)]
        self.bench.run_wrk(self.gateway, measurement, "refresh", "/v1/token", api_key, tokens)

    def sign_in_with_apple(self, measurement, subject_of):
        subjects = [subject_of(number) for number in range(SINGLE_USE_REQUESTS[measurement.clients])]
        self.bench.sign_in_with_apple(self.gateway, measurement, subjects)


LOADS = [
    Side.look_up, Side.refresh, Side.refresh_without_rotation, Side.sign_up, Side.password_sign_in,
    Side.first_sign_in_with_apple, Side.returning_sign_in_with_apple,
]
# The columns "p50 ms", "gateway us" and "PostgreSQL us" have the old binary's values; the column "new" after each of
# them has the new binary's.
HEAD = ["load", "clients", "old/s", "new/s", "ratio", "p50 ms", "new", "gateway us", "new", "PostgreSQL us", "new"]


def measure(load, clients, sides):
    """Runs one load against all sides in turn, and returns a dictionary of measurements.

    `sides` are pairs of a name and a `Side`. Sides with the same name share a measurement.
    """
    measurements = {name: Measurement(load.__name__, clients, target=None) for name, _ in sides}
    for turn in range(ROUNDS):
        for name, side in sides if turn % 2 == 0 else reversed(sides):
            load(side, measurements[name], turn)
    return measurements


def compare(load, clients, sides):
    """Runs one load against both binaries, and prints the results in one line."""
    measurements = measure(load, clients, sides)
    old, new = measurements["old"], measurements["new"]
    cells = [
        load.__name__.replace("_", " "), str(clients), f"{old.rate:.0f}", f"{new.rate:.0f}",
        f"{new.rate / old.rate:.2f}",
        *(f"{statistics.median(each.p50) / 1000:.2f}" for each in (old, new)),
        *(each.microseconds_per_request(each.gateway_seconds) for each in (old, new)),
        *(each.microseconds_per_request(each.postgres_seconds) for each in (old, new))]
    print_cells(cells)


def new_side(binary, folder, stack):
    folder.mkdir(mode=0o711)
    return Side(Installation(binary, stack.enter_context(private_postgres(binary, folder))), folder, stack)


def print_cells(cells):
    print(cells[0].ljust(30), *(cell.rjust(max(7, len(head))) for cell, head in zip(cells[1:], HEAD[1:])), flush=True)


def main(old, new, wanted):
    known = [load.__name__ for load in LOADS]
    unknown = set(wanted) - set(known)
    if unknown:
        sys.exit(f"Deploy/bench: unknown load {min(unknown)}; expected {', '.join(known)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="sekisho-bench-", dir="/var/tmp") as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o711)
        binaries = {"old": old, "new": new}
        sides = [
            (name, new_side(binaries[name], folder / f"{name}-{place}", stack)) for place, name in enumerate(STARTS)]
        print_cells(HEAD)
        for load in LOADS:
            if wanted and load.__name__ not in wanted:
                continue
            for clients in [PASSWORD_CLIENTS] if load == Side.password_sign_in else CLIENTS:
                compare(load, clients, sides)


if __name__ == "__main__":
    main(*(str(Path(argument).resolve()) for argument in sys.argv[1:3]), sys.argv[3:])
