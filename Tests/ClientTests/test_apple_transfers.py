"""An app moves to another Apple developer team: users keep their accounts, even if the commands are interrupted."""

import base64
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

import gateway
from client import ADMIN_HEADERS
from gateway import eventually
from installation import sql
from simulators import Simulators, fresh_person, idp_sign_in_body

PEOPLE_COUNT = 300
# The team that gets the app.
NEW_TEAM = "NEWTEAM123"
CLIENT_ID = "com.example.app"
EXPORTED_COUNT_QUERY = "SELECT count(*) FROM linked_identity WHERE transfer_sub IS NOT NULL"
IMPORTED_COUNT_QUERY = "SELECT count(*) FROM linked_identity WHERE transferred_at IS NOT NULL"


class Transfer:
    """The commands `sekisho apple`, which send their requests to the simulated Apple of a `dev` gateway."""

    def __init__(self, dev, folder):
        self.dev = dev
        self.simulators = Simulators(dev)
        key = (folder / "data" / "master-key").read_bytes()
        self.environment = {
            "DATABASE_URL": dev.database_url, "SEKISHO_MASTER_KEY": base64.b64encode(key).decode()}

    def command_words(self, command):
        state = self.simulators.request("GET", "/simulators", None).json()
        return ["apple", command, "--project", "demo", "--simulator", state["apple"]["url"]]

    def run(self, command, *options):
        return gateway.run_sekisho(*self.command_words(command), *options, **self.environment)

    def run_and_kill(self, command, count_query, *options):
        """Runs the command while Apple is slow, and kills it as soon as the result of `count_query` has grown."""
        before = self.count(count_query)
        self.simulators.configure(apple={"fault": "slow"})
        process = subprocess.Popen(
            [gateway.binary(), *self.command_words(command), *options],
            env=gateway.clean_environment(**self.environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert eventually(lambda: self.count(count_query) > before)
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=30) == -signal.SIGKILL
        self.simulators.configure(apple={"fault": "none"})
        assert before < self.count(count_query) < PEOPLE_COUNT

    def count(self, query):
        return int(sql(self.dev.database_url, query))

    def move_app_to_new_team(self):
        """Moves the app at the simulated Apple to the new team, and configures that team in the gateway."""
        self.simulators.configure(apple={"transferToTeam": NEW_TEAM, "clientId": CLIENT_ID})
        changed = requests.patch(
            f"{self.dev.url}/v2/projects/demo/defaultSupportedIdpConfigs/apple.com",
            params={"updateMask": "appleSignInConfig.codeFlowConfig.teamId"},
            json={"appleSignInConfig": {"codeFlowConfig": {"teamId": NEW_TEAM}}},
            headers=ADMIN_HEADERS, timeout=30)
        assert changed.status_code == 200, changed.text

    def sign_in(self, person):
        response = requests.post(
            f"{self.dev.url}/v1/accounts:signInWithIdp?key=any",
            json=idp_sign_in_body(self.simulators.sign_in_with_apple(person, audience=CLIENT_ID)), timeout=60)
        assert response.status_code == 200, response.text
        return response.json()

    def identities_by_account(self):
        """The subject and the email address of the only identity of each account, by account ID."""
        rows = sql(self.dev.database_url, "SELECT account_id || ' ' || subject || ' ' || email FROM linked_identity")
        return {line.split()[0]: line.split()[1:] for line in rows.splitlines()}


@pytest.mark.slow
def test_hundreds_of_identities_move_although_both_commands_are_killed(dev_folder):
    with gateway.dev(dev_folder) as dev:
        transfer = Transfer(dev, dev_folder)
        people = [fresh_person() | {"hidesEmail": True} for _ in range(PEOPLE_COUNT)]
        with ThreadPoolExecutor(8) as pool:
            sessions = list(pool.map(transfer.sign_in, people))
        before = transfer.identities_by_account()
        assert len(before) == PEOPLE_COUNT

        transfer.run_and_kill("export-transfers", EXPORTED_COUNT_QUERY, "--to-team", NEW_TEAM)
        exported = transfer.run("export-transfers", "--to-team", NEW_TEAM)
        assert exported.returncode == 0, exported.stderr
        assert exported.stdout == f"exported {PEOPLE_COUNT} of {PEOPLE_COUNT} identities\n"

        transfer.move_app_to_new_team()
        transfer.run_and_kill("import-transfers", IMPORTED_COUNT_QUERY)
        not_imported = set(sql(
            dev.database_url, "SELECT account_id FROM linked_identity WHERE transferred_at IS NULL").split())
        index = next(i for i, session in enumerate(sessions) if session["localId"] in not_imported)
        again = transfer.sign_in(people[index])
        assert again["localId"] == sessions[index]["localId"] and "isNewUser" not in again
        imported = transfer.run("import-transfers")
        assert imported.returncode == 0, imported.stderr
        assert imported.stdout == f"imported {PEOPLE_COUNT} of {PEOPLE_COUNT} identities\n"

        after = transfer.identities_by_account()
        assert after.keys() == before.keys()
        assert all(old != new for account in before for old, new in zip(before[account], after[account]))
        # Every account has the new address of its identity.
        assert sql(dev.database_url, "SELECT count(*) FROM account a WHERE NOT EXISTS (SELECT FROM linked_identity l "
                   "WHERE l.account_id = a.id AND l.email = a.email AND a.email_verified)").strip() == "0"
        # As a sample, every 75th person signs in.
        for index in range(0, PEOPLE_COUNT, 75):
            assert transfer.sign_in(people[index])["localId"] == sessions[index]["localId"]
        assert transfer.count("SELECT count(*) FROM account") == PEOPLE_COUNT


def test_a_run_in_which_apple_rejects_every_identity_fails(dev_folder):
    with gateway.dev(dev_folder) as dev:
        transfer = Transfer(dev, dev_folder)
        person = fresh_person()
        transfer.sign_in(person)
        transfer.simulators.configure(apple={"disconnect": person, "clientId": CLIENT_ID})
        exported = transfer.run("export-transfers", "--to-team", NEW_TEAM)
        assert exported.returncode == 1
        assert f"Apple rejected 1 identity and accepted none: check --to-team {NEW_TEAM}" in exported.stderr


def test_an_import_that_apple_rejects_is_listed_and_retried_only_with_the_option_retry_rejected(dev_folder):
    with gateway.dev(dev_folder) as dev:
        transfer = Transfer(dev, dev_folder)
        person = fresh_person()
        account = transfer.sign_in(person)["localId"]
        transfer.sign_in(fresh_person())
        assert transfer.run("export-transfers", "--to-team", NEW_TEAM).returncode == 0
        transfer.move_app_to_new_team()
        transfer.simulators.configure(apple={"disconnect": person, "clientId": CLIENT_ID})
        imported = transfer.run("import-transfers")
        assert (imported.returncode, imported.stdout) == (0, "imported 1 of 2 identities\n")
        rejection = f"account {account}: Apple rejects its identity (invalid_request)"
        assert rejection in imported.stderr
        transfer.simulators.sign_in_with_apple(person, audience=CLIENT_ID)  # The person uses the app again.
        repeated = transfer.run("import-transfers")
        assert repeated.stdout == "imported 1 of 2 identities\n"
        assert rejection in repeated.stderr
        assert transfer.run("import-transfers", "--retry-rejected").stdout == "imported 2 of 2 identities\n"


@pytest.mark.parametrize("options, message", [
    ([], "--to-team is required"),
    (["--to-team", "team"], "--to-team: expected ten upper-case letters or digits"),
    (["--to-team", NEW_TEAM, "--team-id", "OLDTEAM123"],
     "--team-id, --key-id and --private-key-file must be given together"),
    (["--to-team", NEW_TEAM, "--simulator", "http://appleid.example.com"],
     "--simulator: expected http://127.0.0.1:PORT"),
])
def test_invalid_options_are_rejected_with_an_explanation(options, message):
    completed = gateway.run_sekisho("apple", "export-transfers", "--project", "demo", *options)
    assert completed.returncode == 2
    assert message in completed.stderr


def test_the_option_simulator_is_rejected_with_a_database_of_serve(fresh_installation):
    completed = fresh_installation.run("apple import-transfers --project demo --simulator http://127.0.0.1:1")
    assert completed.returncode == 1
    assert "the database belongs to `sekisho serve`" in completed.stderr
