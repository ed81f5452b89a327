"""A database is restored from a backup, and `sekisho after-restore` revokes again what was revoked since."""

import datetime
import json

import pytest
import requests

from client import PASSWORD, Client, fresh_email, ok_body
from installation import Installation, new_database, sql
from processes import run_program

NEW_PASSWORD = "another good password"


class Loss:
    """A database that was lost: its backup, and the audit events after the backup."""

    def __init__(self, folder, dev, contract):
        self.folder, self.dev, self.contract = folder, dev, contract
        self.backup, self.audit = folder / "backup.dump", folder / "audit.jsonl"
        lost = Installation(folder, new_database(dev.database_url)).with_project()
        lost.environment["SEKISHO_CONSOLE_PROJECT"] = "operators"
        # One person has left, another one may do less, and the third is as in the backup.
        self.operators = {name: self.accepted(lost, name, "owner") for name in ("leaver", "reader", "owner")}
        self.key = json.loads(lost.run_ok("keys create-service-key --project demo --name backend"))
        with lost.serving() as serve:
            client = Client(serve, contract)
            self.people = {
                name: client.new_account()
                for name in (
                    "deleted", "disabled", "new-password", "new-address", "lost-phone", "unlinked", "lost-laptop",
                    "lost-factor", "untouched")}
            phone = self.sign_in(client, "lost-phone")
            unlinked = {"localId": self.people["unlinked"]["localId"]}
            link = {"linkProviderUserInfo": {"providerId": "google.com", "rawId": "103"}}
            self.administer(serve, "POST", "/v1/projects/demo/accounts:update", unlinked | link)
            self.add_passkeys(lost, self.people["lost-laptop"]["localId"])
            factor = {"localId": self.people["lost-factor"]["localId"]}
            self.administer(
                serve, "POST", "/v1/projects/demo/accounts:update",
                factor | {"mfa": {"enrollments": [{"mfaEnrollmentId": "phone", "phoneInfo": "+15555550100"}]}})
            # An invitation as an owner, which another one as a viewer replaces after the backup.
            self.operators["invited"] = self.invited(lost, "invited", "owner")
            tenant = self.administer(serve, "POST", "/v2/projects/demo/tenants", {"displayName": "Acme"})["name"]
            self.tenant = tenant.rpartition("/")[2]
            lost.create_api_key()
            self.api_key = lost.key_ids("api")[-1]
            run_program("pg_dump", "-Fc", f"--file={self.backup}", lost.database_url)
            self.time = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
            self.time = self.time.replace("+00:00", "Z")
            self.id_token = self.sign_in(client, "untouched")["idToken"]

            ok_body(client.call("deleteOwnAccount", {"idToken": self.people["deleted"]["idToken"]}))
            ok_body(client.call(
                "updateOwnAccount", {"idToken": self.people["new-password"]["idToken"], "password": NEW_PASSWORD}))
            [session] = [
                session["sessionId"] for session in ok_body(client.call(
                    "listSessions", {"idToken": phone["idToken"]}))["sessions"] if session["current"]]
            response = client.call(
                "revokeSession", {"idToken": self.people["lost-phone"]["idToken"], "sessionId": session})
            assert response.status == 204
            self.phone = phone
            update = {"localId": self.people["new-address"]["localId"], "email": fresh_email()}
            self.administer(serve, "POST", "/v1/projects/demo/accounts:update", update)
            self.administer(
                serve, "POST", "/v1/projects/demo/accounts:update", unlinked | {"deleteProvider": ["google.com"]})
            self.administer(
                serve, "POST", "/v1/projects/demo/accounts:update",
                {"localId": self.people["lost-laptop"]["localId"], "deletePasskey": ["bGFwdG9w"]})
            self.administer(serve, "POST", "/v1/projects/demo/accounts:update", factor | {"mfa": {}})
            assert self.invited(lost, "invited", "viewer") == self.operators["invited"]
            self.administer(serve, "DELETE", f"/v2/projects/demo/tenants/{self.tenant}")
            lost.run_ok(f"keys revoke-api-key {self.api_key} --project demo")
            lost.run_ok(f"users disable {self.people['disabled']['localId']} --project demo")
            lost.create_api_key()
            lost.run_ok(f"administrators remove {self.operators['leaver']} --project demo")
            role = {"role": "viewer"}
            self.administer(serve, "PATCH", f"/v2/projects/demo/administrators/{self.operators['reader']}", role)
            lost.run_ok(f"keys revoke-service-key {self.key['id']} --project demo")
        self.audit.write_text(lost.run_ok(f"audit export --project demo --since {self.time}"))
        self.environment = lost.environment

    @staticmethod
    def accepted(installation, name, role):
        """The ID of a person with a role in the project, which the person accepted."""
        invited = Loss.invited(installation, name, role)
        sql(installation.database_url, "UPDATE administrator SET invitation_hash = NULL, invitation_expires_at = NULL")
        return invited

    @staticmethod
    def invited(installation, name, role):
        return json.loads(installation.run_ok(
            f"administrators invite {name}@example.org --role {role} --project demo"))["localId"]

    @staticmethod
    def add_passkeys(installation, account):
        """Gives an account the passkeys `phone` and `laptop`, in base64url."""
        for credential in ("cGhvbmU", "bGFwdG9w"):
            sql(installation.database_url, f"""
                INSERT INTO passkey VALUES ('demo', 'localhost', '{credential}', '{account}', 'handle', '', -7, 0, false,
                    false, '{{}}', '', 'Passkey', now(), now(), NULL)""")
        sql(installation.database_url, f"UPDATE account SET passkey_count = 2 WHERE id = '{account}'")

    def administer(self, serve, method, path, body=None):
        response = requests.request(
            method, serve.url + path, json=body, headers={"Authorization": f"Bearer {self.key['secret']}"}, timeout=30)
        assert response.status_code == 200, response.text
        return response.json()

    def sign_in(self, client, name, password=PASSWORD):
        return ok_body(client.call("signInWithPassword", {"email": self.people[name]["email"], "password": password}))

    def restore(self):
        """The installation with a new database, restored from the backup."""
        installation = Installation(self.folder, new_database(self.dev.database_url))
        installation.environment = self.environment | {"DATABASE_URL": installation.database_url}
        installation.url = self.environment["SEKISHO_PUBLIC_URL"]
        run_program("pg_restore", "--exit-on-error", "--no-owner", f"--dbname={installation.database_url}", self.backup)
        return installation


@pytest.fixture(scope="module")
def loss(folder, dev, contract):
    return Loss(folder, dev, contract)


@pytest.fixture(scope="module")
def repaired(loss):
    """A gateway with the restored and repaired database, and the output of the command."""
    installation = loss.restore()
    output = installation.run_ok(f"after-restore --backup-time {loss.time} --audit {loss.audit} --project demo --yes")
    with installation.serving() as serve:
        yield Client(serve, loss.contract), output, installation


def code(loss, client, name, password=PASSWORD):
    """The error code of a sign-in with a password; `None` if it succeeds."""
    return client.call("signInWithPassword", {"email": loss.people[name]["email"], "password": password}).code


@pytest.mark.parametrize(("name", "password", "expected"), [
    ("deleted", PASSWORD, "INVALID_LOGIN_CREDENTIALS"),
    ("disabled", PASSWORD, "USER_DISABLED"),
    ("new-password", PASSWORD, "INVALID_LOGIN_CREDENTIALS"),
    ("new-password", NEW_PASSWORD, "INVALID_LOGIN_CREDENTIALS"),
    ("new-address", PASSWORD, "USER_DISABLED"),
    ("untouched", PASSWORD, None),
])
def test_a_sign_in_that_was_impossible_before_the_loss_stays_impossible(loss, repaired, name, password, expected):
    assert code(loss, repaired[0], name, password) == expected


def test_a_session_that_was_ended_before_the_loss_is_ended_again(loss, repaired):
    assert repaired[0].refresh(loss.phone).code == "TOKEN_EXPIRED"


@pytest.mark.parametrize("name", ["lost-phone", "untouched"])
def test_the_other_sessions_of_the_backup_stay_valid(loss, repaired, name):
    assert repaired[0].refresh(loss.people[name]).status == 200


def test_id_tokens_from_before_the_restore_are_rejected(loss, repaired):
    assert repaired[0].call("lookUpOwnAccount", {"idToken": loss.id_token}).code == "INVALID_ID_TOKEN"


def test_a_revoked_service_key_is_revoked_again(loss, repaired):
    response = requests.get(
        repaired[0].gateway.url + "/v1/projects/demo/accounts:batchGet",
        headers={"Authorization": f"Bearer {loss.key['secret']}"}, timeout=30)
    assert response.status_code == 401


def test_what_was_removed_before_the_loss_is_removed_again(loss, repaired):
    url = repaired[2].database_url
    assert sql(url, "SELECT subject FROM linked_identity") == ""
    assert sql(url, "SELECT credential_id FROM passkey") == "cGhvbmU\n"
    assert sql(url, "SELECT count(*) FROM second_factor") == "0\n"
    assert sql(url, f"SELECT count(*) FROM api_key WHERE id = '{loss.api_key}' AND revoked_at IS NOT NULL") == "1\n"
    assert sql(url, "SELECT count(*) FROM realm WHERE parent_id IS NOT NULL AND deleted_at IS NULL") == "0\n"


def test_the_operator_reads_what_was_done_and_what_is_lost(loss, repaired):
    people = {name: person["localId"] for name, person in loss.people.items()}
    lines = repaired[1].splitlines()
    replaced = sorted(line.partition(" by ")[0] for line in lines[:2])
    assert replaced == ["demo: replaced the signing key", "operators: replaced the signing key"]
    assert lines[2] == "removed 0 waiting emails and 0 codes"
    assert sorted(lines[3:]) == sorted([
        f"demo: deleted the account {people['deleted']}",
        f"demo: disabled the account {people['disabled']}",
        f"demo: disabled the account {people['new-address']}, whose address changed",
        f"demo: ended the sessions of the account {people['new-address']}",
        f"demo: removed the password of the account {people['new-password']}",
        f"demo: ended the sessions of the account {people['new-password']}",
        f"demo: ended 1 session of the account {people['lost-phone']}",
        f"demo: unlinked google.com from the account {people['unlinked']}",
        f"demo: removed the passkey bGFwdG9w of the account {people['lost-laptop']}",
        f"demo: removed 1 second factor of the account {people['lost-factor']}",
        f"demo: ended the sessions of the account {people['lost-factor']}",
        f"demo: removed the role of {loss.operators['invited']}",
        f"demo: revoked the API key {loss.api_key}",
        f"demo: revoked the service key {loss.key['id']}",
        f"demo: deleted the tenant {loss.tenant}",
        f"demo: removed the role of {loss.operators['leaver']}",
        f"demo: reduced the role of {loss.operators['reader']} to viewer",
        "demo: could not repeat 1 × apiKey.added",
        "demo: could not repeat 1 × administrator.invited",
    ])


def test_a_role_is_at_most_what_it_was_before_the_loss(loss, repaired):
    listed = json.loads(repaired[2].run_ok("administrators list --project demo --json"))
    assert {row["id"]: row["role"] for row in listed} == {
        loss.operators["reader"]: "viewer", loss.operators["owner"]: "owner"}


def test_a_second_run_changes_nothing(loss, repaired):
    installation = repaired[2]
    again = installation.run_ok(f"after-restore --backup-time {loss.time} --audit {loss.audit} --project demo --yes")
    assert "deleted" not in again and "disabled" not in again and "replaced" not in again


def test_each_repair_is_audited(loss, repaired):
    events = repaired[2].run_ok("audit export --project demo --actor cli --action account.deleted")
    assert [json.loads(line)["subject"] for line in events.splitlines()] == [loss.people["deleted"]["localId"]]


def test_without_audit_events_the_command_says_what_it_cannot_know(loss):
    installation = loss.restore()
    output = installation.run_ok(f"after-restore --backup-time {loss.time} --yes")
    assert "Without --audit, this command cannot know" in output
    assert sql(installation.database_url, "SELECT count(*) FROM account WHERE realm_id = 'demo'") == "9\n"


@pytest.mark.parametrize(("options", "message"), [
    ("--backup-time yesterday --yes", "--backup-time: expected a UTC time such as 2026-01-31T12:00:00Z, got \"yesterday\""),
    ("--backup-time {time} --audit {audit} --yes", "--project is required"),
    ("--backup-time {time} --project demo --yes",
     "--project and --tenant name the realm of --audit: without --audit, the command replaces the signing keys of "
     "every project, so omit them"),
    ("--backup-time {time} --tenant acme --yes", "--project and --tenant name the realm of --audit"),
    ("--backup-time {time} --audit /nowhere --project demo --yes", "cannot read /nowhere: No such file or directory"),
    ("--backup-time {time} --audit {broken} --project demo --yes",
     "line 2: expected an event of `sekisho audit export`"),
    ("--backup-time {time}", "standard input is not a terminal: confirm the command with --yes"),
])
def test_mistakes_are_explained(loss, tmp_path, options, message):
    broken = tmp_path / "broken.jsonl"
    broken.write_text(loss.audit.read_text().splitlines()[0] + "\n{}\n")
    completed = loss.restore().run(
        "after-restore " + options.format(time=loss.time, audit=loss.audit, broken=broken))
    assert completed.returncode != 0
    assert message in completed.stderr
