"""Prints the measurements and their targets as a table."""

import os
import platform
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from limits import p256_rates

MEMORY_TARGET_MIB = 60
START_TARGET_MS = 200
# The maximum p99 of a refresh during password sign-ins, divided by the p99 without other requests.
P99_TARGET_RATIO = 2


@dataclass
class Measurement:
    """The results of all rounds of one operation with one number of clients: sums, and lists of latencies.

    The limit is the rate of the same work without the gateway: of pgbench with the statements of one request, or of
    Argon2id on all cores.
    """

    name: str
    clients: int
    # The lowest acceptable ratio of the rate to the limit; `None` if there is no target for this number of clients.
    target: float | None
    requests: int = 0
    seconds: float = 0
    # CPU time in seconds.
    gateway_seconds: float = 0
    postgres_seconds: float = 0
    # The rounds of pgbench or Argon2id: lists of pairs (count, seconds), by number of clients.
    limits: dict = field(default_factory=dict)
    # Latencies in microseconds, one for each round.
    p50: list = field(default_factory=list)
    p99: list = field(default_factory=list)

    def add_limit(self, clients, limit):
        self.limits.setdefault(clients, []).append(limit)

    @property
    def rate(self):
        return self.requests / self.seconds

    @property
    def best_limit(self):
        """The limit per second: the highest of the rates that were reached with each number of clients."""
        return max(
            sum(count for count, _ in rounds) / sum(seconds for _, seconds in rounds)
            for rounds in self.limits.values())

    def microseconds_per_request(self, seconds):
        return f"{seconds / self.requests * 1e6:.0f}"

    def row(self):
        ratio = self.rate / self.best_limit
        target = "" if self.target is None else f"{self.target:.2f}"
        result = "" if self.target is None else "reached" if ratio >= self.target else "missed"
        return [
            self.name, str(self.clients), f"{self.rate:.0f}", f"{self.best_limit:.0f}", f"{ratio:.2f}", target, result,
            f"{statistics.median(self.p50) / 1000:.2f}", f"{statistics.median(self.p99) / 1000:.1f}",
            self.microseconds_per_request(self.gateway_seconds),
            self.microseconds_per_request(self.postgres_seconds),
        ]


def print_table(head, rows):
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))))


def outcome(value, maximum):
    return "reached" if value <= maximum else "missed"


def machine():
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return (f"{os.cpu_count()} cores ({model[1] if model else platform.machine()}), load {os.getloadavg()[0]:.1f}, "
            f"transparent huge pages: {huge_pages()}")


def huge_pages():
    """Returns the setting of transparent huge pages, which affects the speed of Argon2id."""
    try:
        return re.search(r"\[(\w+)\]", Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text())[1]
    except FileNotFoundError:
        return "none"


def report(measurements, start_ms, idle_mib, loaded_mib, p99):
    """Prints all results.

    `idle_mib` has two values: the memory of a gateway without connections, and the memory with idle connections.
    `loaded_mib` is the memory after the loads. `p99` is the result of `Bench.refresh_p99`, or None.
    """
    print(f"{machine()}\n")
    print_table(
        ["operation", "clients", "requests/s", "limit/s", "ratio", "target", "", "p50 ms", "p99 ms", "gateway us",
         "PostgreSQL us"],
        [measurement.row() for measurement in measurements])
    signatures, verifications = p256_rates()
    print("\nlimits: pgbench with the statements of one request, the better of 8 and 64 clients; for password sign-in,"
          " Argon2id on all cores\ngateway us, PostgreSQL us: CPU time per request")
    if p99:
        alone, beside_hashes, beside_sign_ins = p99
        print(f"p99 of a refresh with 8 clients: {alone:.1f} ms; while Argon2id in another process saturates every "
              f"core: {beside_hashes:.1f} ms; while password sign-ins do: {beside_sign_ins:.1f} ms (target: at most "
              f"{P99_TARGET_RATIO:.0f} times the first value: {outcome(beside_sign_ins / alone, P99_TARGET_RATIO)})")
    print(f"start until /healthz answers: {start_ms:.0f} ms (target {START_TARGET_MS}: "
          f"{outcome(start_ms, START_TARGET_MS)})")
    print(f"resident memory: {idle_mib[0]:.0f} MiB idle, {loaded_mib:.0f} MiB after the loads, {idle_mib[1]:.0f} MiB "
          f"with 10,000 idle connections (target {MEMORY_TARGET_MIB}: {outcome(idle_mib[1], MEMORY_TARGET_MIB)})")
    print(f"openssl on one core: {signatures} P-256 signatures/s, {verifications} verifications/s")
