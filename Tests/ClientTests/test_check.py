"""`sekisho check` tells whether `serve` would work, and `serve` does not start where it would not."""

import json

import pytest

from installation import Installation, dump, master_key, new_database, sql

UNREACHABLE = "postgresql:///nobody?host=/nonexistent"


def test_all_is_well_with_a_project(installation):
    checked = installation.run("check")
    assert checked.returncode == 0
    assert [line[:5] for line in checked.stdout.splitlines()] == ["ok   "] * 8
    assert "mail: none is sent" in checked.stdout
    assert "project demo: keys that sign" in checked.stdout
    assert "project demo, app default: guideline 4.8" in checked.stdout


def test_all_is_well_before_the_first_project(folder, dev):
    fresh = Installation(folder, new_database(dev.database_url))
    fresh.done("migrate")
    assert "not used yet" in fresh.done("check")


@pytest.mark.parametrize(("what", "finding"), [
    ("an unmigrated database", "migrations: m0001_"),
    ("an unreachable database", "database cannot be reached"),
    ("another master key", "master key opens its secrets"),
    ("a database of dev", "database made by sekisho dev"),
])
def test_what_is_wrong_is_told(what, finding, installation, empty_database, dev):
    changes = {
        "an unmigrated database": {"DATABASE_URL": empty_database},
        "an unreachable database": {"DATABASE_URL": UNREACHABLE},
        "another master key": {"SEKISHO_MASTER_KEY": master_key()},
        "a database of dev": {"DATABASE_URL": dev.database_url},
    }
    checked = installation.run("check", **changes[what])
    assert checked.returncode == 1
    assert f"wrong {finding}" in checked.stdout
    assert "not ready" in checked.stderr


def test_nothing_is_changed_by_looking(installation):
    before = dump(installation.database_url)
    installation.run("check")
    assert dump(installation.database_url) == before


def test_a_wrong_environment_is_told_by_its_exit_status(installation):
    assert installation.run("check", SEKISHO_LISTEN="everywhere").returncode == 2


@pytest.mark.parametrize("command", ["migrate", "projects create demo", "projects list"])
def test_a_command_that_cannot_reach_the_database_says_so(installation, command):
    ran = installation.run(command, DATABASE_URL=UNREACHABLE)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "the database is unavailable" in ran.stderr


@pytest.mark.parametrize("command", ["serve", "projects create other", "keys rotate-signing-key --project demo"])
def test_a_wrong_master_key_is_refused(installation, command):
    before = dump(installation.database_url)
    ran = installation.replica().run(command, SEKISHO_MASTER_KEY=master_key())
    assert ran.returncode == 1
    assert "the master key is not the one this database was made with" in ran.stderr
    assert dump(installation.database_url) == before


def test_a_report_for_app_review_needs_the_database_alone(installation):
    ran = installation.run("check --app-review --project demo", SEKISHO_MASTER_KEY="")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "project demo, app default" in ran.stdout and "5.1.1(v)" in ran.stdout
    report = json.loads(installation.done("check --app-review --json"))
    assert report["passes"] is True
    assert {point["guideline"] for app in report["apps"] for point in app["points"]} == {"4.8", "5.1.1(v)"}


def test_a_report_fails_where_an_app_breaks_the_guideline(folder, dev):
    own = Installation(folder, new_database(dev.database_url)).with_project()
    settings = json.dumps({"enabled": True, "clientIds": ["x"]})
    sql(own.database_url, f"INSERT INTO identity_provider VALUES ('demo', 'google.com', '{settings}', NULL, now())")
    ran = own.run("check --app-review --json")
    assert ran.returncode == 1
    report = json.loads(ran.stdout)
    assert report["passes"] is False
    assert [point["guideline"] for point in report["apps"][0]["points"] if point["verdict"] == "broken"] == ["4.8"]


def test_a_report_tells_of_a_tenant_where_an_app_breaks_the_guideline(folder, dev):
    own = Installation(folder, new_database(dev.database_url)).with_project()
    settings = json.dumps({"enabled": True, "clientIds": ["x"]})
    sql(own.database_url, f"""
        INSERT INTO project (id, parent_id, tenant, name, profile, created_at)
            VALUES ('demo/acme', 'demo', '{{}}', '', 'sekisho', now());
        INSERT INTO identity_provider VALUES ('demo/acme', 'google.com', '{settings}', NULL, now())""")
    ran = own.run("check --app-review --json")
    broken = [app for app in json.loads(ran.stdout)["apps"]
              if any(point["verdict"] == "broken" for point in app["points"])]
    assert (ran.returncode, [(app["projectId"], app["tenantId"]) for app in broken]) == (1, [("demo", "acme")])
    assert "project demo, tenant acme, app default" in own.run("check --app-review").stdout


@pytest.mark.parametrize("words", ["check --json", "check --project demo", "check --app-review more"])
def test_a_report_is_asked_for_properly(installation, words):
    assert installation.run(words).returncode == 2


def test_there_is_no_report_of_nobody(installation):
    assert installation.run("check --app-review --project nobody").returncode == 1
