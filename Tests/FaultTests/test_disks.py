"""PostgreSQL's disk is slow or full: requests succeed or answer 503, and nothing acknowledged is lost."""

import os
import secrets
import subprocess
import time
from contextlib import contextmanager

import pytest

import gateway
from installation import Installation, new_database
from ledger import Ledger
from postgres import Postgres
from slow_disk import SlowDisk

IS_LONG = os.environ.get("SEKISHO_FAULTS") == "long"
SECONDS = 30 if IS_LONG else 2
# Longer than the deadline of a statement, five seconds, and shorter.
DELAYS = [500, 3000, 7000] if IS_LONG else [1500]
# A new cluster, a segment of the write-ahead log, and some rows. PostgreSQL needs free segments to start again.
DISK_MIB = 160


@contextmanager
def serving(folder, postgres):
    """Runs two gateways on a database of the server, and yields a ledger of their clients."""
    installation = Installation(folder, new_database(postgres.url)).with_project()
    api_key = installation.create_api_key()
    with installation.starting(api_key) as first, installation.second_gateway().starting(api_key) as second:
        for serve in (first, second):
            gateway.wait_for(serve.is_ready, serve.process, serve.log)
        yield Ledger([first, second])


def test_nothing_is_lost_while_commits_take_seconds(folder):
    parent = folder / f"slow-{secrets.token_hex(4)}"
    parent.mkdir()
    parent.chmod(0o777)
    disk = SlowDisk(parent)
    postgres = Postgres(parent / "postgres", environment=disk.environment, fsync="on")
    postgres.start()
    try:
        with serving(folder, postgres) as ledger:
            with ledger.load(clients=16, refreshes=3):
                assert ledger.continues()
                for delay in DELAYS:
                    before, unavailable = ledger.successes, ledger.unavailable
                    with disk.slow(delay):
                        time.sleep(SECONDS + delay / 1000)
                    print(f"commits of {delay} ms: {ledger.successes - before} requests succeeded, and "
                          f"{ledger.unavailable - unavailable} answered 503")
                    assert ledger.continues()
            assert ledger.rejections == []
            assert ledger.lost_writes() == []
    finally:
        postgres.stop()


@contextmanager
def small_disk(folder):
    """Mounts a file system of ``DISK_MIB`` in memory until the block ends."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=777", "tmpfs", folder], capture_output=True, timeout=60)
    if mounted.returncode != 0:
        pytest.skip("only root can mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True, timeout=60)


def fill(folder):
    """Writes a file until the disk is full, and returns its path."""
    path = folder / "filling"
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    return path


def test_nothing_is_lost_while_the_disk_is_full(folder):
    with small_disk(folder / f"full-{secrets.token_hex(4)}") as disk:
        postgres = Postgres(disk / "postgres")
        postgres.start()
        try:
            with serving(folder, postgres) as ledger:
                with ledger.load(clients=16, refreshes=3):
                    assert ledger.continues()
                    filling = fill(disk)
                    seen = ledger.unavailable
                    assert gateway.eventually(lambda: ledger.unavailable > seen + 50)
                    time.sleep(SECONDS)
                    survived = postgres.is_running()
                    filling.unlink()
                    # PostgreSQL ends if it cannot write its log. Then the operator starts it again.
                    if not survived:
                        postgres.start()
                    assert ledger.continues()
                print(f"the server {'went on' if survived else 'ended'}; {ledger.unavailable} of {ledger.requests} "
                      "requests answered 503")
                assert ledger.rejections == []
                assert ledger.lost_writes() == []
        finally:
            if postgres.is_running():
                postgres.stop()
