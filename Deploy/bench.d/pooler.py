"""Compares the request rates of a gateway behind PgBouncer with those of a gateway that connects to PostgreSQL.

Usage: pooler.py BINARY

Both gateways use one database server, and take turns in short rounds. PgBouncer runs with Deploy/ha/pgbouncer.ini, but
without TLS and passwords.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from bench import CLIENTS
from compare import Side, measure
from gateway import Installation, free_port, private_postgres, terminating
from report import print_table

ROOT = Path(__file__).parents[2]
# `Deploy/bench` unpacks PgBouncer into this folder.
PROGRAM = ROOT / ".venv/pgbouncer/usr/sbin/pgbouncer"
# The lowest acceptable ratio of the rates with 64 clients.
TARGETS = {Side.look_up: 0.6, Side.refresh: 0.85, Side.sign_up: 0.85}
SETTINGS = {"SEKISHO_DATABASE_STARTUP_OPTIONS": "off", "SEKISHO_DATABASE_PREPARED": "shared"}


@contextmanager
def pgbouncer(folder, database_url):
    """Runs PgBouncer during the block of `with`, and yields the URL of the database behind it."""
    parts = urlsplit(database_url)
    options = {name: values[0] for name, values in parse_qs(parts.query).items()}
    port, users = free_port(), folder / "userlist.txt"
    users.write_text(f'"{options["user"]}" ""\n')
    text = (ROOT / "Deploy/ha/pgbouncer.ini").read_text()
    for old, new in {
        "host=10.0.0.21": f"host={options['host']}", "dbname=sekisho": f"dbname={parts.path[1:]}",
        "port=5432": f"port={options.get('port', 5432)}",
        "listen_port = 6432": f"listen_port = {port}", "/etc/pgbouncer/userlist.txt": str(users),
        "auth_type = scram-sha-256": "auth_type = trust", "server_tls_sslmode = verify-full\n": "",
        "server_tls_ca_file = /etc/ssl/certs/sekisho-database-ca.pem\n": "",
    }.items():
        if old not in text:
            raise SystemExit(f"not in pgbouncer.ini: {old}")
        text = text.replace(old, new)
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(text)
    # PgBouncer does not run as root.
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    with (folder / "pgbouncer.log").open("w") as log:
        process = subprocess.Popen(
            [PROGRAM, configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **user)
    with terminating(process):
        url = f"postgresql://{options['user']}@127.0.0.1:{port}/sekisho"
        deadline = time.monotonic() + 30
        while subprocess.run(["psql", "-XqAtc", "SELECT 1", url], capture_output=True).returncode != 0:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"PgBouncer did not start:\n{(folder / 'pgbouncer.log').read_text()}")
            time.sleep(0.05)
        yield url


def compare(load, clients, sides):
    """Runs a load against both gateways, and returns the row of the table."""
    measurements = measure(load, clients, sides)
    direct, pooled = measurements["direct"], measurements["pooled"]
    ratio, target = pooled.rate / direct.rate, TARGETS[load] if clients == max(CLIENTS) else None
    return [
        load.__name__.replace("_", " "), str(clients), f"{direct.rate:.0f}", f"{pooled.rate:.0f}", f"{ratio:.2f}",
        "" if target is None else f"{target:.2f}",
        "" if target is None else "reached" if ratio >= target else "missed",
        *(each.microseconds_per_request(seconds) for each in (direct, pooled)
          for seconds in (each.gateway_seconds, each.postgres_seconds))]


def main(binary, client_counts):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="sekisho-bench-", dir="/var/tmp") as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o711)
        server_url = stack.enter_context(private_postgres(binary, folder))
        direct, pooled = (Installation(binary, server_url, name) for name in ("direct", "pooled"))
        url = stack.enter_context(pgbouncer(folder, pooled.database_url))
        sides = [
            ("direct", Side(direct, folder, stack)),
            ("pooled", Side(pooled, folder, stack, DATABASE_URL=url, **SETTINGS))]
        print_table(
            ["load", "clients", "direct/s", "PgBouncer/s", "ratio", "target", "", "gateway us", "PostgreSQL us",
             "gateway us", "PostgreSQL us"],
            [compare(load, clients, sides) for load in TARGETS for clients in client_counts])


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), [int(count) for count in sys.argv[2:]] or CLIENTS)
