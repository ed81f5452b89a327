"""PgBouncer with Deploy/ha/pgbouncer.ini."""

from contextlib import contextmanager

import psycopg

from gateway import free_port
from servers import POSTGRES_USER, ROOT, changed_text, server_running, unpacked

PROGRAM = unpacked("pgbouncer", "usr/sbin/pgbouncer")
# What a gateway behind this file needs.
SETTINGS = {"SEKISHO_DATABASE_STARTUP_OPTIONS": "off", "SEKISHO_DATABASE_PREPARED": "shared"}


@contextmanager
def pgbouncer(folder, *, host="localhost", port, database, password, certificate):
    """Runs PgBouncer for the role `sekisho` until the block ends. Yields the URL of the database behind it."""
    folder.mkdir(mode=0o711)
    users, configuration, own_port = folder / "userlist.txt", folder / "pgbouncer.ini", free_port()
    users.write_text(f'"sekisho" "{password}"\n')
    configuration.write_text(changed_text(ROOT / "Deploy/ha/pgbouncer.ini", {
        "host=10.0.0.21 port=5432 dbname=sekisho": f"host={host} port={port} dbname={database}",
        "listen_port = 6432": f"listen_port = {own_port}", "/etc/pgbouncer/userlist.txt": str(users),
        "/etc/ssl/certs/sekisho-database-ca.pem": str(certificate.file)}))
    url = f"postgresql://sekisho:{password}@127.0.0.1:{own_port}/sekisho"

    def answers():
        try:
            with psycopg.connect(url, connect_timeout=5):
                return True
        except psycopg.OperationalError:
            return False

    with server_running([PROGRAM, configuration], folder / "log", answers, **POSTGRES_USER):
        yield url
