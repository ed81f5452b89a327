"""A database of a pre-release version is rejected with instructions, and nothing in it is changed."""

import pytest

import gateway
from installation import dump, sql

ADVICE = ("this database was made by a pre-release version of Sekisho (it has the migration m0001_projects): create a "
          "new database, or delete the folder .sekisho of `sekisho dev`, and import the accounts with "
          "`sekisho users import`")


def outdate(database_url):
    """Gives the database the list of migrations that pre-release versions had."""
    sql(database_url, "UPDATE schema_migration SET name = 'm0001_projects'; "
                      "INSERT INTO schema_migration (name, sha256) VALUES ('m0002_accounts', '')")


@pytest.fixture(scope="module")
def outdated(new_installation):
    """An installation whose database has that list."""
    installation = new_installation()
    outdate(installation.database_url)
    return installation


@pytest.mark.parametrize("command", ["migrate", "serve", "projects list", "keys create-api-key --project demo"])
def test_a_command_rejects_a_pre_release_database(outdated, command):
    before = dump(outdated.database_url)
    ran = outdated.run(command)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.strip().endswith(ADVICE)
    assert dump(outdated.database_url) == before


def test_check_reports_a_pre_release_database(outdated):
    checked = outdated.run("check")
    assert checked.returncode == 1
    assert f"wrong {ADVICE}\n" in checked.stdout


def test_dev_rejects_a_folder_with_a_pre_release_database(folder):
    folder = folder / "outdated"
    folder.mkdir(mode=0o711)
    with gateway.dev(folder) as running:
        outdate(running.database_url)
    ran = gateway.run_sekisho("dev", "--port", "0", "--data", str(folder / "data"))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.strip().endswith(ADVICE)


def test_a_running_gateway_is_not_ready_on_a_pre_release_database(new_installation):
    installation = new_installation()
    with installation.serving() as running:
        assert running.is_ready()
        outdate(installation.database_url)
        assert gateway.eventually(lambda: running.is_ready() is False)
