"""Commands for migrations, projects, keys and the audit trail.

`fresh_installation` is a migrated database that only this file uses; `fresh_serve` is `sekisho serve` with it.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from gateway import REQUESTS_TO_REACH_EVERY_LOOP, once_configuration_applies, run_sekisho
from installation import new_database, sql


def test_migrating_twice_applies_everything_once(dev):
    database_url = new_database(dev.database_url)
    first, second = (run_sekisho("migrate", DATABASE_URL=database_url) for _ in range(2))
    assert first.returncode == second.returncode == 0
    assert re.fullmatch(r"(applied m\d{4}_\w+\n)+", first.stdout)
    assert second.stdout == "nothing to apply\n"


def test_concurrent_migrations_apply_each_migration_once(dev):
    database_url = new_database(dev.database_url)
    with ThreadPoolExecutor() as pool:
        completed = list(pool.map(lambda _: run_sekisho("migrate", DATABASE_URL=database_url), range(2)))
    assert [entry.returncode for entry in completed] == [0, 0], [entry.stderr for entry in completed]
    applied = re.findall(r"applied (\w+)", completed[0].stdout + completed[1].stdout)
    assert sorted(applied) == sql(database_url, "SELECT name FROM schema_migration ORDER BY name").split()


@pytest.mark.parametrize("words", [
    "projects create demo", "projects list", "projects policy demo", "apps create web --project demo",
    "apps list --project demo", "keys create-api-key --project demo", "keys list-api-keys --project demo",
    "keys revoke-api-key x --project demo", "keys create-service-key --project demo --name backend",
    "audit list --project demo", "counts list --project demo", "keys list-signing-keys --project demo", "keys rotate-signing-key --project demo",
    "keys rewrap",
])
def test_a_command_on_an_unmigrated_database_names_the_migrate_command(words, installation, empty_database):
    completed = installation.run(words, DATABASE_URL=empty_database)
    assert (completed.returncode, completed.stdout) == (1, "")
    assert "run `sekisho migrate`" in completed.stderr


def test_creating_an_existing_project_fails(fresh_installation):
    assert fresh_installation.run_ok("projects create twice") == "created project twice"
    again = fresh_installation.run("projects create twice")
    assert (again.returncode, again.stdout) == (1, "")
    assert "project twice already exists" in again.stderr
    # The columns are ID, number and policy profile.
    assert re.findall(r"^twice +\d{12} +sekisho$", fresh_installation.run_ok("projects list"), re.MULTILINE)


@pytest.mark.parametrize("words", [
    "projects policy unknown", "apps create web --project unknown", "keys create-api-key --project unknown",
    "keys create-api-key --project demo --app unknown", "keys revoke-api-key unknown --project demo",
    "keys create-service-key --project unknown --name backend", "keys revoke-service-key unknown --project demo",
    "keys rotate-signing-key --project unknown", "apps list --project unknown",
    "keys list-api-keys --project unknown", "keys list-service-keys --project unknown",
    "keys list-signing-keys --project unknown", "audit list --project unknown", "audit export --project unknown",
    "audit list --project unknown --tenant acme", "counts list --project unknown",
])
def test_a_command_fails_for_an_unknown_project_app_or_key(words, fresh_installation):
    completed = fresh_installation.run(words)
    assert (completed.returncode, completed.stdout) == (1, "")
    assert "unknown" in completed.stderr


def accepts(serve, key):
    """Whether any event loop accepts the API key."""
    statuses = {
        requests.get(serve.url + "/v1/projects", {"key": key}, timeout=30).status_code
        for _ in range(REQUESTS_TO_REACH_EVERY_LOOP)}
    assert statuses <= {200, 400}
    return 200 in statuses


@pytest.mark.slow
def test_a_revoked_api_key_is_rejected_within_seconds_and_other_keys_stay_valid(fresh_installation, fresh_serve):
    revoked, kept = fresh_installation.create_api_key(), fresh_installation.create_api_key()
    # The keys are listed in the order of their creation.
    [*_, identifier, _] = fresh_installation.key_ids("api")
    assert accepts(fresh_serve, revoked) and accepts(fresh_serve, kept)
    assert fresh_installation.run_ok(f"keys revoke-api-key {identifier} --project demo") == f"revoked {identifier}"
    assert once_configuration_applies(lambda: not accepts(fresh_serve, revoked))
    assert accepts(fresh_serve, kept)
    assert fresh_installation.run(f"keys revoke-api-key {identifier} --project demo").returncode == 1
    listed = fresh_installation.run_ok("keys list-api-keys --project demo").splitlines()
    [line] = [line for line in listed if identifier in line]
    # The columns are ID, app, time of creation and time of revocation.
    assert re.fullmatch(r"\S+ +default +\S+Z +\S+Z", line)


def test_lists_of_keys_do_not_contain_secrets(fresh_installation):
    key = fresh_installation.create_api_key()
    secret = json.loads(fresh_installation.run_ok("keys create-service-key --project demo --name hidden"))["secret"]
    shown = "".join(
        fresh_installation.run_ok(f"keys {command} --project demo")
        for command in ("list-api-keys", "list-service-keys"))
    assert key not in shown and secret not in shown


@pytest.mark.parametrize(("algorithm", "kind"), [
    ("RS256", rsa.RSAPrivateKey), ("ES256", ec.EllipticCurvePrivateKey), (None, rsa.RSAPrivateKey)
])
def test_a_new_service_key_is_printed_as_json(fresh_installation, algorithm, kind):
    option = f" --algorithm {algorithm}" if algorithm else ""
    key = json.loads(fresh_installation.run_ok("keys create-service-key --project demo --name backend" + option))
    assert key.keys() == {"projectId", "id", "secret", "algorithm", "scopes", "privateKey"}
    assert (key["projectId"], key["algorithm"]) == ("demo", algorithm or "RS256")
    assert isinstance(load_pem_private_key(key["privateKey"].encode(), None), kind)
    assert key["id"] in fresh_installation.key_ids("service")
    fresh_installation.run_ok(f"keys revoke-service-key {key['id']} --project demo")
    assert fresh_installation.run(f"keys revoke-service-key {key['id']} --project demo").returncode == 1


def test_a_service_key_is_limited_to_its_scopes(fresh_installation, fresh_serve):
    words = "keys create-service-key --project demo --name narrow --scopes users.read,audit.read --expires-in 30"
    key = json.loads(fresh_installation.run_ok(words))
    assert key["scopes"] == ["users.read", "audit.read"] and key["expiresAt"].endswith("Z")
    listed = fresh_installation.run_ok("keys list-service-keys --project demo").splitlines()
    [line] = [line for line in listed if key["id"] in line]
    assert "users.read,audit.read" in line and key["expiresAt"] in line

    def status(method, path):
        authorization = {"Authorization": f"Bearer {key['secret']}"}
        return requests.request(method, fresh_serve.url + path, json={}, headers=authorization, timeout=30).status_code

    assert status("POST", "/v1/projects/demo/accounts:query") == 200
    assert status("GET", "/v1/projects/demo/auditEvents") == 200
    assert status("POST", "/v1/projects/demo/accounts") == 403
    assert status("GET", "/v2/projects/demo/config") == 403


@pytest.mark.parametrize("option", ["--scopes users", "--scopes users.read,", "--expires-in 0", "--expires-in soon"])
def test_invalid_scopes_and_lifetimes_of_a_service_key_are_rejected(fresh_installation, option):
    assert fresh_installation.run(f"keys create-service-key --project demo --name invalid {option}").returncode == 2


def test_the_audit_trail_is_listed_newest_first_and_exported_oldest_first(fresh_installation):
    fresh_installation.run_ok("projects create trailed")
    for _ in range(3):
        fresh_installation.run_ok("keys create-api-key --project trailed")
    [identifier, *_] = fresh_installation.key_ids("api", "trailed")
    fresh_installation.run_ok(f"keys revoke-api-key {identifier} --project trailed")
    listed = fresh_installation.run_ok("audit list --project trailed").splitlines()
    assert [line.split()[2] for line in listed[1:]] == ["apiKey.revoked", *["apiKey.added"] * 3, "project.added"]
    revocations = fresh_installation.run_ok(
        f"audit list --project trailed --subject {identifier} --action apiKey.revoked")
    # A heading and one event.
    assert revocations.count("\n") == 1
    # Only the heading.
    assert fresh_installation.run_ok("audit list --project trailed --since 2999-01-01").count("\n") == 0
    exported = [json.loads(line) for line in fresh_installation.run_ok("audit export --project trailed").splitlines()]
    assert [line["action"] for line in exported] == ["project.added", *["apiKey.added"] * 3, "apiKey.revoked"]
    assert {line["actor"] for line in exported} == {"cli"}
    assert fresh_installation.run_ok("audit list --project trailed --actor cli").splitlines() == listed
    for actor in ("user", "system", "emulator", "key:unknown"):
        assert fresh_installation.run_ok(f"audit export --project trailed --actor {actor}") == ""
    assert fresh_installation.run("audit list --project trailed --since yesterday").returncode == 2


def test_audit_events_can_be_limited_to_a_period(fresh_installation):
    fresh_installation.run_ok("projects create period")
    sql(fresh_installation.database_url, """
        INSERT INTO audit_event (id, realm_id, actor, action, subject, occurred_at)
        SELECT gen_random_uuid(), 'period', 'cli', 'act', day, day::timestamp AT TIME ZONE 'UTC'
        FROM unnest(ARRAY['2026-01-01', '2026-01-02', '2026-01-03']) day""")
    options = "--project period --since 2026-01-01 --until 2026-01-03"
    export = fresh_installation.run_ok(f"audit export {options}")
    exported = [json.loads(line)["subject"] for line in export.splitlines()]
    assert exported == ["2026-01-01", "2026-01-02"]
    assert fresh_installation.run_ok(f"audit list {options}").count("\n") == 2
    completed = fresh_installation.run("audit list --project period --until tomorrow")
    assert completed.returncode == 2 and "--until: expected a date or a UTC time" in completed.stderr


def test_an_audit_export_contains_every_page(fresh_installation):
    fresh_installation.run_ok("projects create long")
    # The export reads pages of 1000 events. `i / 10` is an integer division, so ten events each have the same time.
    sql(fresh_installation.database_url, """
        INSERT INTO audit_event (id, realm_id, actor, action, subject, occurred_at)
        SELECT gen_random_uuid(), 'long', 'cli', 'act', i, to_timestamp(i / 10) FROM generate_series(1, 2500) i""")
    lines = fresh_installation.run_ok("audit export --project long --action act").splitlines()
    exported = [json.loads(line) for line in lines]
    assert len({line["eventId"] for line in exported}) == len(exported) == 2500
