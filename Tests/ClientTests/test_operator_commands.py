"""The commands for accounts, projects, tenants and apps do what the admin API does, and write the audit trail."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
import requests

import gateway
from client import fresh_email
from installation import Installation, dump, new_database
from processes import run_program


@pytest.fixture(scope="module")
def installation(folder, dev):
    return Installation(folder, new_database(dev.database_url)).with_project()


@pytest.fixture()
def ada(installation):
    """An account with a password, and its ID."""
    email = fresh_email()
    user = {"localId": f"ada-{email.split('@')[0]}", "email": email}
    file = installation.folder / "ada.json"
    file.write_text(json.dumps({"users": [user]}))
    installation.run_ok(f"users import {file} --project demo --format json")
    return user


def command(installation, words, text=""):
    """Runs a command with `text` as its standard input."""
    return subprocess.run(
        [gateway.binary(), *words.split()], env=gateway.clean_environment(**installation.environment),
        input=text, capture_output=True, text=True, timeout=60)


def shown(installation, user):
    return json.loads(installation.run_ok(f"users get {user['localId']} --project demo --json"))


def actions(installation, user):
    """The audited actions on an account, oldest first."""
    listed = installation.run_ok(f"audit export --project demo --subject {user['localId']} --actor cli")
    return [json.loads(line)["action"] for line in listed.splitlines()]


def test_an_account_is_found_by_its_id_and_its_address(installation, ada):
    by_email = json.loads(installation.run_ok(f"users get {ada['email']} --project demo --json"))
    assert by_email == shown(installation, ada)
    assert (by_email["localId"], by_email["disabled"]) == (ada["localId"], False)
    assert ada["localId"] in installation.run_ok("users list --project demo")
    assert by_email in json.loads(installation.run_ok("users list --project demo --limit 1000 --json"))


def test_an_account_is_disabled_and_enabled(installation, ada):
    before = len(actions(installation, ada))
    installation.run_ok(f"users disable {ada['email']} --project demo")
    assert shown(installation, ada)["disabled"]
    installation.run_ok(f"users enable {ada['email']} --project demo")
    assert not shown(installation, ada)["disabled"]
    assert len(actions(installation, ada)) >= before + 2


def test_a_password_is_read_from_standard_input(installation, ada):
    completed = command(installation, f"users set-password {ada['email']} --project demo", "correct horse\n")
    assert (completed.returncode, completed.stdout) == (0, f"set the password of {ada['localId']}\n")
    assert "password" in shown(installation, ada)["signInMethods"]
    too_short = command(installation, f"users set-password {ada['email']} --project demo", "a\n")
    assert too_short.returncode == 1 and "PASSWORD" in too_short.stderr
    missing = command(installation, f"users set-password {ada['email']} --project demo")
    assert (missing.returncode, missing.stderr.splitlines()[0]) == (
        2, "sekisho: expected a password on standard input, got none")


def test_sign_out_is_audited(installation, ada):
    before = len(actions(installation, ada))
    assert installation.run_ok(f"users sign-out {ada['email']} --project demo") == f"signed out {ada['localId']}"
    assert len(actions(installation, ada)) > before


def test_an_identity_is_linked_and_unlinked(installation, ada):
    subject = f"subject-{ada['localId']}"
    installation.run_ok(f"users link {ada['email']} --project demo --provider oidc.acme --subject {subject}")
    identities = shown(installation, ada)["identities"]
    assert [(identity["providerId"], identity["rawId"]) for identity in identities] == [("oidc.acme", subject)]
    unlink = f"users unlink {ada['email']} --project demo --provider oidc.acme"
    refused = installation.run(unlink)
    assert refused.returncode == 1 and "LAST_SIGN_IN_METHOD" in refused.stderr
    installation.run_ok(unlink + " --allow-no-sign-in-method")
    assert shown(installation, ada)["identities"] == []


def test_a_reset_of_second_factors_is_audited_and_announced(installation):
    user = {"localId": "enrolled", "email": fresh_email(), "emailVerified": True,
            "mfaInfo": [{"totpInfo": {"sharedSecretKey": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}}]}
    file = installation.folder / "enrolled.json"
    file.write_text(json.dumps({"users": [user]}))
    installation.run_ok(f"users import {file} --project demo --with-secrets")
    assert [factor["kind"] for factor in shown(installation, user)["secondFactors"]] == ["totp"]
    email = {"SEKISHO_SMTP_URL": "smtp://127.0.0.1:1", "SEKISHO_EMAIL_FROM": "team@example.com"}
    assert installation.run_ok("users reset-factors enrolled --project demo", **email) == (
        "removed the second factors of enrolled")
    assert shown(installation, user)["secondFactors"] == []
    assert sorted(actions(installation, user)[-2:]) == ["account.updated", "factor.removed"]
    assert [email["kind"] for email in json.loads(installation.run_ok("email list --json"))] == [
        "notice.factors-reset"]


def test_a_deletion_needs_a_confirmation(installation, ada):
    delete = f"users delete {ada['email']} --project demo"
    refused = installation.run(delete)
    assert (refused.returncode, refused.stderr.splitlines()[0]) == (
        2, "sekisho: standard input is not a terminal: confirm the command with --yes")
    assert shown(installation, ada)["localId"] == ada["localId"]
    assert installation.run_ok(delete + " --yes") == f"deleted {ada['localId']}"
    gone = installation.run(f"users get {ada['email']} --project demo")
    assert (gone.returncode, gone.stderr) == (1, f"sekisho: project demo has no user {ada['email']}\n")
    assert actions(installation, ada)[-1] == "account.deleted"


def test_an_app_is_deleted_with_its_keys(installation):
    installation.run_ok("apps create web --project demo")
    installation.run_ok("keys create-api-key --project demo --app web")
    assert installation.run("apps delete web --project demo").returncode == 2
    assert installation.run_ok("apps delete web --project demo --yes") == "deleted app web"
    assert "web" not in installation.run_ok("apps list --project demo")
    assert "web" not in installation.run_ok("keys list-api-keys --project demo")
    again = installation.run("apps delete web --project demo --yes")
    assert (again.returncode, again.stderr) == (1, "sekisho: project demo has no app web\n")


@pytest.mark.parametrize("words", [
    "projects list", "apps list --project demo", "tenants list --project demo", "users list --project demo",
    "keys list-api-keys --project demo", "keys list-service-keys --project demo",
    "keys list-signing-keys --project demo", "audit list --project demo", "counts list --project demo", "email list",
])
def test_every_list_is_available_as_json(installation, words):
    assert isinstance(json.loads(installation.run_ok(words + " --json")), list)


def test_members_of_a_list_have_the_names_of_its_columns(installation):
    [project] = json.loads(installation.run_ok("projects list --json"))
    assert (project["id"], project["profile"]) == ("demo", "sekisho")


def test_a_project_is_shown_without_secrets(installation, apple_key):
    installation.run_ok("projects create shown --name Shown --domain app.example.com")
    file = installation.folder / "shown.json"
    (installation.folder / "shown.p8").write_text(apple_key)
    apple = {"enabled": True, "teamId": "ABCDE12345", "keyId": "FGHIJ67890", "privateKeyFile": "shown.p8",
             "clientIds": ["com.example.app"]}
    file.write_text(json.dumps({"project": "shown", "providers": {"apple.com": apple}}))
    installation.run_ok(f"projects apply {file}")
    text = installation.run_ok("projects show shown --json")
    project = json.loads(text)
    assert (project["project"], project["name"], project["authorizedDomains"]) == (
        "shown", "Shown", ["app.example.com"])
    assert project["providers"] == [
        {"providerId": "apple.com", "enabled": True, "clientIds": ["com.example.app"], "hasSecret": True}]
    assert project["apps"] == [{"id": "default", "name": "default", "platform": "other"}]
    table = installation.run_ok("projects show shown")
    assert "apple.com (enabled) com.example.app" in table and "app.example.com" in table
    assert "PRIVATE" not in text + table
    missing = installation.run("projects show nowhere")
    assert (missing.returncode, missing.stderr) == (1, "sekisho: project nowhere does not exist\n")


def test_a_project_is_deleted_with_its_keys_and_accounts(new_installation):
    installation = new_installation()
    with installation.serving() as serve:
        key = json.loads(installation.run_ok("keys create-service-key --project demo --name backend"))
        url = f"{serve.url}/v1/accounts:signUp?key={serve.api_key}"
        session = requests.post(url, json={}, timeout=30).json()
        refused = installation.run("projects delete demo")
        assert (refused.returncode, refused.stderr.splitlines()[0]) == (
            2, "sekisho: standard input is not a terminal: confirm the command with --yes")
        assert requests.post(url, json={}, timeout=30).status_code == 200
        output = installation.run_ok("projects delete demo --yes")
        assert output.splitlines()[0] == "deleted project demo"
        assert "its 2 accounts" in output

        def statuses():
            bearer = {"Authorization": f"Bearer {key['secret']}"}
            return [
                requests.post(url, json={}, timeout=30).status_code,
                requests.get(f"{serve.url}/v1/projects", headers=bearer, timeout=30).status_code,
                requests.get(f"{serve.url}/demo/.well-known/jwks.json", timeout=30).status_code]

        assert gateway.on_every_event_loop(lambda: statuses() == [400, 401, 404]), statuses()
        refresh = {"grant_type": "refresh_token", "refresh_token": session["refreshToken"]}
        assert requests.post(
            f"{serve.url}/v1/token?key={serve.api_key}", data=refresh, timeout=30).status_code == 400
    again = installation.run("projects delete demo --yes")
    assert (again.returncode, again.stderr) == (1, "sekisho: project demo does not exist\n")
    created = installation.run("projects create demo")
    assert created.stderr == "sekisho: project demo was deleted; its ID is free when its audit events have expired\n"
    assert "demo" not in installation.run_ok("projects list")
    removed = json.loads(installation.run_ok("audit export --project demo --action project.removed"))
    assert (removed["actor"], removed["subject"]) == ("cli", "demo")


def test_a_backup_is_made_and_restored_as_the_runbook_says(installation, dev, tmp_path):
    runbook = (Path(__file__).parents[2] / "Deploy/runbook.md").read_text()
    commands = re.search(r"## Back up the database\n.*?```sh\n(.*?)```", runbook, re.DOTALL)[1]
    restored = new_database(dev.database_url)
    run_program(
        "sh", "-ec", commands, folder=tmp_path, PATH=os.environ["PATH"], DATABASE_URL=installation.database_url,
        EMPTY_DATABASE_URL=restored)
    assert dump(restored) == dump(installation.database_url)


def test_support_access_is_for_one_app_audited_and_announced(installation):
    installation.run_ok("projects create support --domain app.example.com")
    file = installation.folder / "support.json"
    old = int(time.time()) - 600
    user = {
        "localId": "helped", "email": fresh_email(), "emailVerified": True, "createdAt": f"{old}000",
        "validSince": f"{old}"}
    file.write_text(json.dumps({"users": [user]}))
    installation.run_ok(f"users import {file} --project support --format json")
    impersonate = "users impersonate helped --project support --reason Ticket-4711"
    email = {"SEKISHO_SMTP_URL": "smtp://127.0.0.1:1", "SEKISHO_EMAIL_FROM": "team@example.com"}
    unknown = installation.run(f"{impersonate} --app nothing --continue-uri https://app.example.com/")
    assert (unknown.returncode, unknown.stderr) == (1, "sekisho: project support has no app nothing\n")
    foreign = installation.run(f"{impersonate} --app default --continue-uri https://evil.example.com/")
    assert foreign.returncode == 1 and "UNAUTHORIZED_DOMAIN" in foreign.stderr
    issued = json.loads(installation.run_ok(
        f"{impersonate} --app default --continue-uri https://app.example.com/", **email))
    assert sorted(issued) == ["accessEndsAt", "code", "codeExpiresAt", "codeVerifier"]
    events = installation.run_ok("audit export --project support --action account.impersonated")
    [event] = [json.loads(line) for line in events.splitlines()]
    assert (event["actor"], event["subject"], event["detail"]) == (
        "cli", "helped", {"app": "default", "reason": "Ticket-4711"})
    kinds = [email["kind"] for email in json.loads(installation.run_ok("email list --json"))]
    assert kinds.count("notice.support-access") == 1
