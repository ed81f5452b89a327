"""`sekisho check` reports whether `serve` could handle requests.

Commands fail if the database is unreachable or has another master key.
"""

import json

import pytest

from installation import Installation, dump, new_database, new_master_key, sql

UNREACHABLE = "postgresql:///unreachable?host=/nonexistent"


def test_check_succeeds_with_a_project(installation):
    checked = installation.run("check")
    assert checked.returncode == 0
    # Configuration, email, connection, number of connections, migrations, kind of database, master key, signing keys,
    # guideline 4.8.
    assert [line[:5] for line in checked.stdout.splitlines()] == ["ok   "] * 9
    # Without Apple as a provider, there is no advice to register an endpoint for its notifications.
    assert "notification" not in checked.stdout
    assert "email: disabled (SEKISHO_SMTP_URL is not set)" in checked.stdout
    assert "database belongs to sekisho serve" in checked.stdout
    assert "project demo: signing keys" in checked.stdout
    assert "project demo, app default: complies with guideline 4.8" in checked.stdout


def test_check_succeeds_before_the_first_project(folder, dev):
    fresh = Installation(folder, new_database(dev.database_url))
    fresh.run_ok("migrate")
    assert "not in use yet" in fresh.run_ok("check")


@pytest.mark.parametrize(("problem", "finding"), [
    ("an unmigrated database", "migrations: m0001_"),
    ("an unreachable database", "database not reachable"),
    ("another master key", "master key is not the one that the database was created with"),
    ("a database of dev", "database belongs to sekisho dev"),
])
def test_check_reports_each_problem(problem, finding, installation, empty_database, dev):
    changes = {
        "an unmigrated database": {"DATABASE_URL": empty_database},
        "an unreachable database": {"DATABASE_URL": UNREACHABLE},
        "another master key": {"SEKISHO_MASTER_KEY": new_master_key()},
        "a database of dev": {"DATABASE_URL": dev.database_url},
    }
    checked = installation.run("check", **changes[problem])
    assert checked.returncode == 1
    assert f"wrong {finding}" in checked.stdout
    assert "not ready" in checked.stderr


def test_check_changes_nothing(installation):
    before = dump(installation.database_url)
    installation.run("check")
    assert dump(installation.database_url) == before


def test_check_exits_with_status_2_for_an_invalid_environment(installation):
    assert installation.run("check", SEKISHO_LISTEN="everywhere").returncode == 2


@pytest.mark.parametrize("command", ["migrate", "projects create demo", "projects list"])
def test_a_command_reports_an_unreachable_database(installation, command):
    completed = installation.run(command, DATABASE_URL=UNREACHABLE)
    assert (completed.returncode, completed.stdout) == (1, "")
    assert "the database is unavailable" in completed.stderr


@pytest.mark.parametrize("command", ["serve", "projects create other", "keys rotate-signing-key --project demo"])
def test_another_master_key_is_rejected(installation, command):
    before = dump(installation.database_url)
    # On another port, because the gateway of the installation may be running.
    completed = installation.second_gateway().run(command, SEKISHO_MASTER_KEY=new_master_key())
    assert completed.returncode == 1
    assert "the master key is not the one that the database was created with" in completed.stderr
    assert dump(installation.database_url) == before


def test_check_counts_for_each_project_and_tenant_the_identities_not_yet_moved_to_a_new_apple_team(new_installation):
    fresh = new_installation()
    sql(fresh.database_url, """
        INSERT INTO realm (id, parent_id, tenant_settings, name, profile, created_at)
            VALUES ('demo/acme', 'demo', '{}', '', 'sekisho', now());
        INSERT INTO identity_provider VALUES
            ('demo/acme', 'apple.com', '{"enabled": true, "clientIds": ["x"]}', NULL, now());
        INSERT INTO account (realm_id, id, created_at, valid_since)
            VALUES ('demo', 'a', now(), now()), ('demo/acme', 'a', now(), now()), ('demo/acme', 'b', now(), now());
        INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at, transfer_sub, transfer_team)
            SELECT realm_id, 'apple.com', id, id, now(), id, 'NEWTEAM123' FROM account""")
    lines = fresh.run("check").stdout.splitlines()
    assert [line for line in lines if "NEWTEAM123" in line] == [
        "note  project demo: 1 identity is not yet moved to team NEWTEAM123: "
        "run `sekisho apple import-transfers --project demo`",
        "note  project demo, tenant acme: 2 identities are not yet moved to team NEWTEAM123: "
        "run `sekisho apple import-transfers --project demo --tenant acme`"]


def test_check_names_the_client_ids_of_apple_that_the_operator_has_to_verify(new_installation):
    fresh = new_installation()
    settings = json.dumps({"enabled": True, "clientIds": ["com.example.app", "com.example.web"]})
    app = json.dumps({"bundleIds": ["com.example.app"], "platform": "ios"})
    sql(fresh.database_url, f"""
        INSERT INTO identity_provider VALUES ('demo', 'apple.com', '{settings}', NULL, now());
        INSERT INTO app (project_id, id, name, settings, created_at) VALUES ('demo', 'ios', 'App', '{app}', now())""")
    lines = fresh.run("check").stdout.splitlines()
    assert [line for line in lines if line.startswith("note") and "apple.com" in line] == [
        "note  project demo: apple.com uses com.example.web as a Services ID, because no app lists it in bundleIds: "
        "if it is a bundle ID, add it to its app",
        "note  project demo: app default has the platform `other`, so the gateway cannot check whether apple.com has "
        "a client ID for it: set its platform"]


@pytest.mark.parametrize(("change", "problem"), [
    ({"rpId": "Example.com"}, "rpId of passkeys"),
    ({"origins": ["https://other.example.net"]}, "origins of passkeys must have the rpId"),
    ({"relatedOrigins": ["shop.example.net"]}, "origins, relatedOrigins and topOrigins of passkeys"),
])
def test_check_reports_invalid_settings_of_passkeys(change, problem, new_installation):
    fresh = new_installation()
    settings = json.dumps({"enabled": True, "rpId": "example.com"} | change)
    sql(fresh.database_url, f"UPDATE realm SET passkey_settings = '{settings}'")
    checked = fresh.run("check")
    assert checked.returncode == 1
    [line] = [line for line in checked.stdout.splitlines() if line.startswith("wrong")]
    assert line.startswith("wrong project demo: INVALID_CONFIG : ") and problem in line


def test_check_fetches_what_the_host_of_an_rp_id_publishes_only_if_asked(new_installation):
    fresh = new_installation()
    settings = json.dumps({
        "enabled": True, "rpId": "passkeys.invalid", "relatedOrigins": ["https://shop.example.net"]})
    sql(fresh.database_url, f"UPDATE realm SET passkey_settings = '{settings}'")
    assert "passkeys.invalid" not in fresh.run_ok("check")
    checked = fresh.run("check --live")
    assert checked.returncode == 1
    [line] = [line for line in checked.stdout.splitlines() if line.startswith("wrong")]
    assert line.startswith(
        "wrong project demo, passkeys: https://passkeys.invalid/.well-known/webauthn cannot be fetched (")


SENDER = {"url": "https://sms.invalid/send", "allowedCallingCodes": ["81"]}


@pytest.mark.parametrize(("settings", "policy", "problems"), [
    ({}, {}, []),
    ({}, {"allowsPhoneNumbers": "true"}, ["no code is sent, because there is no sender"]),
    ({}, {"secondFactors": "enabled", "allowsSms": "true"}, ["no code is sent, because there is no sender"]),
    ({}, {"secondFactors": "disabled", "allowsSms": "true"}, []),
    (SENDER, {}, ["the requests to the sender are not signed"]),
    (SENDER | {"format": "form", "username": "ada", "fields": {"To": "{number}"}}, {},
     ["the sender has a user name and no password"]),
    (SENDER | {"format": "form"}, {}, ["the sender's form has no fields"]),
    (SENDER | {"format": "form", "fields": {"To": "{number}"}, "allowedCallingCodes": []}, {},
     ["no code is sent, because no calling code is allowed"]),
    (SENDER | {"format": "form", "fields": {"To": "{number}"}, "budgetPerDay": 0}, {},
     ["no code is sent, because budgetPerDay is 0"]),
    (SENDER | {"format": "form", "fields": {"To": "{number}"}, "perCallingCode": {"81": 0}}, {},
     ["no code is sent to +81, which are allowed, but have a budget of 0"]),
])
def test_check_names_what_keeps_codes_from_telephones(settings, policy, problems, new_installation):
    fresh = new_installation()
    sql(fresh.database_url, f"""
        UPDATE realm SET sms_settings = '{json.dumps(settings)}', policy = policy || '{json.dumps(policy)}'""")
    lines = [line for line in fresh.run("check").stdout.splitlines() if line.startswith("wrong")]
    assert len(lines) == len(problems)
    for line, problem in zip(lines, problems):
        assert line.startswith(f"wrong project demo, sms: {problem}")


def test_mandatory_second_factors_that_users_cannot_add_are_refused_and_found(new_installation, tmp_path):
    fresh = new_installation()
    refused = fresh.run("projects policy demo --set secondFactors=mandatory")
    assert refused.returncode == 1 and "set allowsTotp" in refused.stderr
    file = tmp_path / "project.json"
    file.write_text(json.dumps({"project": "demo", "policy": {"secondFactors": "mandatory"}}))
    refused = fresh.run(f"projects apply {file}")
    assert refused.returncode == 1 and "set allowsTotp" in refused.stderr, refused.stderr
    sql(fresh.database_url, """UPDATE realm SET policy = policy || '{"secondFactors": "mandatory"}'""")
    checked = fresh.run("check")
    assert checked.returncode == 1
    [line] = [line for line in checked.stdout.splitlines() if line.startswith("wrong")]
    assert line.startswith("wrong project demo: INVALID_CONFIG : secondFactors must not be mandatory"), line
    assert "allowsTotp" in line
    fresh.run_ok("projects policy demo --set allowsTotp=true")
    fresh.run_ok("check")


def test_check_connects_to_the_sender_only_if_asked(new_installation):
    fresh = new_installation()
    settings = SENDER | {"format": "form", "fields": {"To": "{number}"}}
    sql(fresh.database_url, f"UPDATE realm SET sms_settings = '{json.dumps(settings)}'")
    assert "sms.invalid" not in fresh.run_ok("check")
    [line] = [line for line in fresh.run("check --live").stdout.splitlines() if line.startswith("wrong")]
    assert line.startswith("wrong project demo, sms: https://sms.invalid/send cannot be reached (")


def test_the_app_review_report_needs_no_master_key(installation):
    completed = installation.run("check --app-review --project demo", SEKISHO_MASTER_KEY="")
    assert (completed.returncode, completed.stderr) == (0, "")
    assert "project demo, app default" in completed.stdout and "5.1.1(v)" in completed.stdout
    report = json.loads(installation.run_ok("check --app-review --json"))
    assert report["passes"] is True
    assert {point["guideline"] for app in report["apps"] for point in app["points"]} == {"4.8", "5.1.1(v)"}


def test_the_app_review_report_fails_when_an_app_violates_guideline_4_8(new_installation):
    fresh = new_installation()
    settings = json.dumps({"enabled": True, "clientIds": ["x"]})
    sql(fresh.database_url, f"INSERT INTO identity_provider VALUES ('demo', 'google.com', '{settings}', NULL, now())")
    completed = fresh.run("check --app-review --json")
    assert completed.returncode == 1
    report = json.loads(completed.stdout)
    assert report["passes"] is False
    assert [point["guideline"] for point in report["apps"][0]["points"] if point["status"] == "violated"] == ["4.8"]


def test_the_app_review_report_names_the_tenant_of_a_violation(new_installation):
    fresh = new_installation()
    settings = json.dumps({"enabled": True, "clientIds": ["x"]})
    sql(fresh.database_url, f"""
        INSERT INTO realm (id, parent_id, tenant_settings, name, profile, created_at)
            VALUES ('demo/acme', 'demo', '{{}}', '', 'sekisho', now());
        INSERT INTO identity_provider VALUES ('demo/acme', 'google.com', '{settings}', NULL, now())""")
    completed = fresh.run("check --app-review --json")
    violating = [app for app in json.loads(completed.stdout)["apps"]
                 if any(point["status"] == "violated" for point in app["points"])]
    assert (completed.returncode, [(app["projectId"], app["tenantId"]) for app in violating]) == (1, [("demo", "acme")])
    assert "project demo, tenant acme, app default" in fresh.run("check --app-review").stdout


@pytest.mark.parametrize("words", [
    "check --json", "check --project demo", "check --app-review more", "check --app-review --live"])
def test_invalid_options_of_the_app_review_report_are_rejected(installation, words):
    assert installation.run(words).returncode == 2


def test_the_app_review_report_of_an_unknown_project_fails(installation):
    assert installation.run("check --app-review --project unknown").returncode == 1
