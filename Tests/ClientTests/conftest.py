import gc
import json
import os
import resource
import secrets
import subprocess
import tempfile
from pathlib import Path

import pytest

import gateway
from accounts import import_account, sign_in_with_password
from admin_sdk import create_service_key, emulator_admin, serve_admin
from client import Client
from console_pages import CONSOLE_ENVIRONMENT, OWNER, Visitor, accept_invitation
from contract import Contract
from installation import Installation, new_database, sql
from postgres import Postgres
from simulators import Simulators
from smtp_server import SMTPServer, smtp_environment, smtp_server_running


def pytest_collection_modifyitems(items):
    """Moves the files with slow tests to the front, so that no worker of pytest-xdist runs a long file last."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish():
    """Exempts the collected tests from garbage collection: they are many objects, and stay until the end."""
    gc.freeze()


def pytest_sessionstart():
    """Raises the limit of open files, because some tests open more than a thousand connections."""
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds to the report of a failed test what the gateways that it used have logged as warnings or errors."""
    report = yield
    if report.failed and call.when == "call":
        for name, value in item.funcargs.items():
            if isinstance(value, gateway.Gateway):
                report.sections.append((f"log of {name}", "".join(value.logged_problems()[-20:])))
    return report


@pytest.fixture(scope="session")
def contract():
    return Contract.load()


@pytest.fixture(scope="session")
def folder():
    with tempfile.TemporaryDirectory(prefix="sekisho-") as path:
        # If the tests run as root, PostgreSQL runs as another user, who must be able to enter this folder.
        os.chmod(path, 0o711)
        yield Path(path)


@pytest.fixture(scope="session")
def dev(folder):
    """`sekisho dev`, which all tests share."""
    with gateway.dev(folder) as running:
        # The tests create many databases; with fsync, the checkpoint at the exit would take long.
        sql(running.database_url, "ALTER SYSTEM SET fsync = off")
        sql(running.database_url, "SELECT pg_reload_conf()")
        yield running


@pytest.fixture(scope="session")
def client(dev, contract):
    """A client of `dev`. Files that test another gateway have a fixture of the same name."""
    return Client(dev, contract)


@pytest.fixture(scope="session")
def simulators(dev):
    return Simulators(dev)


def new_folder(folder):
    """A folder for the data of a gateway."""
    # Not `tmp_path`: if the tests run as root, PostgreSQL's user cannot enter pytest's folders, and `sekisho dev` would
    # put the database into /var/tmp.
    path = folder / f"data-{secrets.token_hex(4)}"
    path.mkdir(mode=0o711)
    return path


@pytest.fixture
def dev_folder(folder):
    """An empty folder for a `sekisho dev` that one test starts."""
    return new_folder(folder)


@pytest.fixture(scope="module")
def fresh_dev(folder, dev):
    """A `sekisho dev` for the tests of one file alone, which may change its clock, data and configuration."""
    with gateway.dev(new_folder(folder), "--database-url", new_database(dev.database_url)) as running:
        yield running


@pytest.fixture(scope="session")
def apple_key():
    """A private key in the format that Apple issues."""
    command = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


@pytest.fixture(scope="session")
def new_installation(folder, dev):
    """A function that creates an installation with a database of its own and one project.

    `options` are those of `sekisho projects create`.
    """
    def create(options=""):
        return Installation(folder, new_database(dev.database_url)).with_project(options=options)

    return create


@pytest.fixture(scope="session")
def installation(new_installation):
    """An installation that all tests share. Tests may create accounts in it, but not change its configuration."""
    return new_installation()


@pytest.fixture(scope="session")
def serve(installation):
    """`sekisho serve` of the installation that all tests share."""
    with installation.serving() as running:
        yield running


@pytest.fixture(scope="module")
def fresh_installation(new_installation):
    """An installation for the tests of one file alone, which may change it."""
    return new_installation()


@pytest.fixture(scope="module")
def fresh_serve(fresh_installation):
    """`sekisho serve` of `fresh_installation`."""
    with fresh_installation.serving() as running:
        yield running


@pytest.fixture(scope="module")
def postgres(folder):
    """A PostgreSQL server for the tests of one file alone, which may stop it."""
    server = Postgres(folder / f"postgres-{secrets.token_hex(4)}")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def own_installation(folder, postgres):
    """An installation on the server of `postgres`."""
    return Installation(folder, new_database(postgres.url)).with_project()


@pytest.fixture(scope="session")
def empty_database(dev):
    """A database that no test may change."""
    return new_database(dev.database_url)


@pytest.fixture(scope="session")
def rs256_installation(new_installation):
    """An installation that signs tokens with RS256, the only algorithm that firebase-admin accepts.

    Tests change only what they have created in it.
    """
    return new_installation("--algorithm RS256 --domain localhost")


@pytest.fixture(scope="session")
def rs256_serve(rs256_installation, contract):
    with rs256_installation.serving() as running:
        # The first request creates a tenant. Otherwise an event loop could use a cached project without tenants for up
        # to five seconds.
        with serve_admin(running, contract, create_service_key(rs256_installation)) as admin:
            admin.tenant_with_sign_in()
        yield running


@pytest.fixture(scope="module", params=["dev", "serve"])
def admin(request, contract):
    """firebase-admin: with `dev` as an emulator, and with `serve` in the place of Google's servers."""
    if request.param == "dev":
        library = emulator_admin(request.getfixturevalue("dev"), contract)
    else:
        key = create_service_key(request.getfixturevalue("rs256_installation"), "--algorithm RS256")
        library = serve_admin(request.getfixturevalue("rs256_serve"), contract, key)
    with library as admin:
        yield admin


@pytest.fixture(scope="module")
def acme(admin):
    """firebase-admin for a tenant that the tests of one file share."""
    return admin.tenant_with_sign_in()


@pytest.fixture(scope="module")
def zen(admin):
    """firebase-admin for another tenant of the same project."""
    return admin.tenant_with_sign_in("Zen-2")


@pytest.fixture
def ada(admin):
    """A new account of the project."""
    return import_account(admin)


@pytest.fixture
def session(admin, ada):
    """The response to a sign-in of `ada`."""
    return sign_in_with_password(admin.client, ada)


@pytest.fixture(scope="module")
def mail_server():
    """The SMTP server of `console`."""
    return SMTPServer()


@pytest.fixture(scope="module")
def console(fresh_installation, mail_server):
    """`sekisho serve` of `fresh_installation`, with the console."""
    with smtp_server_running(mail_server) as port:
        fresh_installation.environment |= CONSOLE_ENVIRONMENT | smtp_environment(port)
        with fresh_installation.serving() as running:
            yield running


@pytest.fixture(scope="module")
def owner(fresh_installation, console, mail_server):
    """A visitor who has accepted an invitation and signed in, and the secret of the authenticator app."""
    printed = json.loads(fresh_installation.run_ok(f"administrators invite {OWNER} --role owner"))
    link = printed["invitationUri"].removeprefix(console.url)
    visitor = Visitor(console.url)
    secret = accept_invitation(visitor, link, OWNER, mail_server)
    return visitor, secret
