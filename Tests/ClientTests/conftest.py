import os
import os
import tempfile
from pathlib import Path

import pytest

import gateway
from contract import Contract
from installation import Installation, new_database, sql


@pytest.fixture(scope="session")
def contract():
    return Contract.load()


@pytest.fixture(scope="session")
def folder():
    with tempfile.TemporaryDirectory(prefix="sekisho-") as path:
        # As root, PostgreSQL runs as another user, who must be able to reach its data.
        os.chmod(path, 0o755)
        # Started by root, PostgreSQL runs as somebody else, who has to get to its files in here.
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
