"""Resident memory of an idle gateway."""

import re
from pathlib import Path

from gateway import eventually


def kib(process, name):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[1])


def test_the_memory_of_an_idle_gateway_falls_below_three_quarters_of_its_peak(new_installation):
    with new_installation().serving() as running:
        assert eventually(lambda: kib(running.process, "VmRSS") < 0.75 * kib(running.process, "VmHWM"))
