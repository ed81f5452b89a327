import os
import tempfile
from pathlib import Path

import pytest

import gateway
from admin_sdk import emulating, real, service_key
from contract import Contract
from installation import Installation, new_database, sql


@pytest.fixture(scope="session")
def contract():
    return Contract.load()


@pytest.fixture(scope="session")
def folder():
    with tempfile.TemporaryDirectory(prefix="sekisho-") as path:
        # Started by root, PostgreSQL runs as another user, who has to reach its files in here.
        os.chmod(path, 0o711)
        yield Path(path)


@pytest.fixture(scope="session")
def dev(folder):
    with gateway.dev(folder) as running:
        # A database for every file of tests is a lot to bring safely to a disk at the end.
        sql(running.database_url, "ALTER SYSTEM SET fsync = off")
        sql(running.database_url, "SELECT pg_reload_conf()")
        yield running


@pytest.fixture(scope="session")
def installation(folder, dev):
    """With one project, shared by tests that leave it as it is."""
    return Installation(folder, new_database(dev.database_url)).with_project()


@pytest.fixture(scope="session")
def serve(installation):
    with installation.serving() as running:
        yield running


@pytest.fixture(scope="module")
def own(folder, dev):
    """With one project, for the tests of one file to change as they please."""
    return Installation(folder, new_database(dev.database_url)).with_project()


@pytest.fixture(scope="session")
def empty_database(dev):
    """For tests that leave it empty."""
    return new_database(dev.database_url)


@pytest.fixture(scope="session")
def verifiable(folder, dev):
    """With one project whose tokens firebase-admin verifies by itself, for tests that mind their own accounts."""
    installation = Installation(folder, new_database(dev.database_url))
    return installation.with_project(options="--algorithm RS256 --domain localhost")


@pytest.fixture(scope="session")
def verifiable_serve(verifiable):
    with verifiable.serving() as running:
        yield running


@pytest.fixture(scope="module", params=["dev", "serve"])
def admin(request, contract):
    """firebase-admin against either: as with the emulator, and as with Google."""
    if request.param == "dev":
        library = emulating(request.getfixturevalue("dev"), contract)
    else:
        key = service_key(request.getfixturevalue("verifiable"), "--algorithm RS256")
        library = real(request.getfixturevalue("verifiable_serve"), contract, key)
    with library as admin:
        yield admin
