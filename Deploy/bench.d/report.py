"""Prints the measurements and their targets as a table."""

import os
import platform
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from limits import p256

MEMORY_TARGET_MIB = 60
START_TARGET_MS = 200


@dataclass
class Measurement:
    """The sums of all rounds of one operation."""

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


def table(head, rows):
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))))


def verdict(value, target):
    return "reached" if value <= target else "missed"


def machine():
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores ({model[1] if model else platform.machine()}), load {os.getloadavg()[0]:.1f}"


def report(measurements, start_ms, idle, loaded):
    print(f"{machine()}\n")
    table(
        ["operation", "requests/s", "limit/s", "ratio", "target", "", "p50 ms", "p99 ms", "CPU us/request"],
        [measurement.row() for measurement in measurements])
    signatures, verifications = p256()
    print("\nlimits: pgbench on the same statement; for password sign-in, Argon2id on all cores")
    print(f"start until /healthz answers: {start_ms:.0f} ms (target {START_TARGET_MS}: "
          f"{verdict(start_ms, START_TARGET_MS)})")
    print(f"resident memory: {idle:.0f} MiB idle, {loaded:.0f} MiB after the loads (target {MEMORY_TARGET_MIB}: "
          f"{verdict(loaded, MEMORY_TARGET_MIB)})")
    print(f"openssl on one core: {signatures} P-256 signatures/s, {verifications} verifications/s")
