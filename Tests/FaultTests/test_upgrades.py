"""A gateway continues after the upgrade of a database that an earlier release has filled.

`RECORD=1` records the database of this release, unless an earlier run has recorded its migrations. After a release, its
file never changes, because its migrations do not.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import gateway
from client import PASSWORD, Client, ok_body
from installation import Installation, new_database, sql
from query_plans import fill
from test_schema import IGNORED_LINES, schema_of

FOLDER = Path(__file__).resolve().parents[1] / "ReleasedSchemas"
HEAD = "-- A database of a release with rows in its tables, for tests of upgrades. The next line has its secrets.\n-- "


def latest_migration(url):
    name, digest = sql(
        url, "SELECT name, encode(sha256, 'hex') FROM schema_migration ORDER BY name DESC LIMIT 1").strip().split("|")
    return name, digest


def record(installation, contract):
    """Fills a database by a gateway and by statements, and writes it into a file."""
    name, digest = latest_migration(installation.database_url)
    path = FOLDER / f"{name}.sql"
    if path.exists() and digest in path.read_text():
        return
    with installation.serving() as serve:
        client = Client(serve, contract)
        ada = client.new_account()
        secrets = {
            "masterKey": installation.environment["SEKISHO_MASTER_KEY"], "apiKey": serve.api_key,
            "email": ada["email"], "localId": ada["localId"], "refreshToken": ada["refreshToken"]}
    # Rows of the tables that these requests do not fill.
    fill(installation.database_url, 1, 3)
    command = ["pg_dump", "--no-owner", "--no-privileges", "--rows-per-insert=100", installation.database_url]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(IGNORED_LINES)]
    # The functions precede the tables that they read.
    lines.insert(0, "SET check_function_bodies = false;")
    path.write_text(HEAD + json.dumps(secrets) + "\n" + "\n".join(lines) + "\n")


def test_the_database_of_this_release_is_recorded(new_installation, contract):
    installation = new_installation()
    if os.environ.get("RECORD"):
        record(installation, contract)
    name, digest = latest_migration(installation.database_url)
    assert digest in (FOLDER / f"{name}.sql").read_text()


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.sql")))
def test_users_of_a_release_stay_signed_in_after_an_upgrade(file, folder, dev, contract):
    text = (FOLDER / file).read_text()
    secrets = json.loads(re.match(r"--.*\n-- (.*)", text)[1])
    installation = Installation(folder, new_database(dev.database_url))
    installation.environment["SEKISHO_MASTER_KEY"] = secrets["masterKey"]
    sql(installation.database_url, text)
    installation.run_ok("migrate")
    assert schema_of(installation.database_url) == schema_of(dev.database_url)
    with installation.starting(secrets["apiKey"]) as serve:
        gateway.wait_for(serve.is_ready, serve.process, serve.log)
        client = Client(serve, contract)
        session = ok_body(client.refresh(secrets))
        assert session["user_id"] == secrets["localId"]
        body = ok_body(client.call("signInWithPassword", {"email": secrets["email"], "password": PASSWORD}))
        assert body["localId"] == secrets["localId"]
