import tempfile
from pathlib import Path

import pytest

import gateway
from contract import Contract


@pytest.fixture(scope="session")
def contract():
    return Contract.load()


@pytest.fixture(scope="session")
def folder():
    with tempfile.TemporaryDirectory(prefix="sekisho-") as path:
        yield Path(path)


@pytest.fixture(scope="session")
def dev(folder):
    with gateway.dev(folder) as running:
        yield running


@pytest.fixture(scope="session")
def serve(folder, dev):
    with gateway.serve(folder, dev.database_url) as running:
        yield running
