"""Migrations, projects and their keys, as an operator handles them."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from gateway import eventually, run
from installation import new_database, sql

# A revoked key may go on working for five.
REVOCATION_SECONDS = 6


def test_migrating_twice_applies_everything_once(dev):
    database_url = new_database(dev.database_url)
    first, second = (run("migrate", DATABASE_URL=database_url) for _ in range(2))
    assert first.returncode == second.returncode == 0
    assert re.fullmatch(r"(applied m\d{4}_\w+\n)+", first.stdout)
    assert second.stdout == "nothing to apply\n"


def test_two_who_migrate_at_once_share_the_work(dev):
    database_url = new_database(dev.database_url)
    with ThreadPoolExecutor() as both:
        ran = list(both.map(lambda _: run("migrate", DATABASE_URL=database_url), range(2)))
    assert [one.returncode for one in ran] == [0, 0], [one.stderr for one in ran]
    applied = re.findall(r"applied (\w+)", ran[0].stdout + ran[1].stdout)
    assert sorted(applied) == sql(database_url, "SELECT name FROM schema_migration ORDER BY name").split()


@pytest.mark.parametrize("words", [
    "projects create demo", "projects list", "projects policy demo", "apps create web --project demo",
    "apps list --project demo", "keys create-api-key --project demo", "keys list-api-keys --project demo",
    "keys revoke-api-key x --project demo", "keys create-service-key --project demo --name backend",
    "audit list --project demo", "keys list-signing-keys --project demo", "keys rotate-signing-key --project demo", "keys rewrap",
])
def test_a_command_says_when_the_database_is_not_migrated(words, installation, empty_database):
    ran = installation.run(words, DATABASE_URL=empty_database)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "run `sekisho migrate`" in ran.stderr


def test_a_project_is_made_once(own):
    assert own.done("projects create twice") == "created project twice"
    again = own.run("projects create twice")
    assert (again.returncode, again.stdout) == (1, "")
    assert "there is a project twice already" in again.stderr
    assert re.findall(r"^twice +\d{12} +sekisho$", own.done("projects list"), re.MULTILINE)


@pytest.mark.parametrize("words", [
    "projects policy nobody", "apps create web --project nobody", "keys create-api-key --project nobody",
    "keys create-api-key --project demo --app nobody", "keys revoke-api-key nobody --project demo",
    "keys create-service-key --project nobody --name backend", "keys revoke-service-key nobody --project demo",
    "keys rotate-signing-key --project nobody",
])
def test_what_is_not_there_cannot_be_changed(words, own):
    ran = own.run(words)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "nobody" in ran.stderr


@pytest.fixture(scope="module")
def serve(own):
    with own.serving() as running:
        yield running


def accepts(serve, key):
    """Asked several times, since each loop of the gateway knows keys on its own."""
    answers = {requests.get(serve.url + "/v1/projects", {"key": key}, timeout=30).status_code for _ in range(8)}
    assert answers <= {200, 400}
    return 200 in answers


def test_a_revoked_api_key_dies_within_seconds_and_alone(own, serve):
    revoked, kept = own.api_key(), own.api_key()
    [*_, identifier, _] = own.ids("api")
    assert accepts(serve, revoked) and accepts(serve, kept)
    assert own.done(f"keys revoke-api-key {identifier} --project demo") == f"revoked {identifier}"
    assert eventually(lambda: not accepts(serve, revoked), within=REVOCATION_SECONDS)
    assert accepts(serve, kept)
    assert own.run(f"keys revoke-api-key {identifier} --project demo").returncode == 1
    [line] = [line for line in own.done("keys list-api-keys --project demo").splitlines() if identifier in line]
    assert re.fullmatch(r"\S+ +default +\S+Z +\S+Z", line)


def test_keys_are_listed_without_the_keys(own):
    key = own.api_key()
    secret = json.loads(own.done("keys create-service-key --project demo --name hidden"))["secret"]
    shown = own.done("keys list-api-keys --project demo") + own.done("keys list-service-keys --project demo")
    assert key not in shown and secret not in shown


@pytest.mark.parametrize(("algorithm", "kind"), [
    ("RS256", rsa.RSAPrivateKey), ("ES256", ec.EllipticCurvePrivateKey), (None, rsa.RSAPrivateKey)
])
def test_a_service_key_is_shown_once_as_json(own, algorithm, kind):
    option = f" --algorithm {algorithm}" if algorithm else ""
    key = json.loads(own.done("keys create-service-key --project demo --name backend" + option))
    assert key.keys() == {"projectId", "id", "secret", "algorithm", "scopes", "privateKey"}
    assert (key["projectId"], key["algorithm"]) == ("demo", algorithm or "RS256")
    assert isinstance(load_pem_private_key(key["privateKey"].encode(), None), kind)
    assert key["id"] in own.ids("service")
    own.done(f"keys revoke-service-key {key['id']} --project demo")
    assert own.run(f"keys revoke-service-key {key['id']} --project demo").returncode == 1


def test_a_service_key_does_what_its_scopes_say_until_it_expires(own, serve):
    words = "keys create-service-key --project demo --name narrow --scopes users.read,audit.read --expires-in 30"
    key = json.loads(own.done(words))
    assert key["scopes"] == ["users.read", "audit.read"] and key["expiresAt"].endswith("Z")
    [line] = [line for line in own.done("keys list-service-keys --project demo").splitlines() if key["id"] in line]
    assert "users.read,audit.read" in line and key["expiresAt"] in line

    def status(method, path):
        authorization = {"Authorization": f"Bearer {key['secret']}"}
        return requests.request(method, serve.url + path, json={}, headers=authorization, timeout=30).status_code

    assert status("POST", "/v1/projects/demo/accounts:query") == 200
    assert status("GET", "/v1/projects/demo/auditEvents") == 200
    assert status("POST", "/v1/projects/demo/accounts") == 403
    assert status("GET", "/v2/projects/demo/config") == 403


@pytest.mark.parametrize("option", ["--scopes users", "--scopes users.read,", "--expires-in 0", "--expires-in soon"])
def test_a_service_key_of_odd_rights_is_not_made(own, option):
    assert own.run(f"keys create-service-key --project demo --name odd {option}").returncode == 2


def test_the_audit_trail_is_listed_latest_first_and_exported_earliest_first(own):
    own.done("projects create trailed")
    for _ in range(3):
        own.done("keys create-api-key --project trailed")
    [identifier, *_] = own.ids("api", "trailed")
    own.done(f"keys revoke-api-key {identifier} --project trailed")
    listed = own.done("audit list --project trailed").splitlines()
    assert [line.split()[2] for line in listed[1:]] == ["apiKey.revoked", *["apiKey.added"] * 3, "project.added"]
    assert own.done(f"audit list --project trailed --subject {identifier} --action apiKey.revoked").count("\n") == 1
    assert own.done("audit list --project trailed --since 2999-01-01").count("\n") == 0
    exported = [json.loads(line) for line in own.done("audit export --project trailed").splitlines()]
    assert [line["action"] for line in exported] == ["project.added", *["apiKey.added"] * 3, "apiKey.revoked"]
    assert {line["actor"] for line in exported} == {"cli"}
    assert own.run("audit list --project trailed --since yesterday").returncode == 2


def test_an_export_goes_through_every_page(own):
    own.done("projects create long")
    sql(own.database_url, "INSERT INTO audit_event (id, project_id, actor, action, subject, occurred_at) SELECT gen_random_uuid(), "
                          "'long', 'cli', 'act', i, to_timestamp(i / 10) FROM generate_series(1, 2500) i")
    exported = [json.loads(line) for line in own.done("audit export --project long --action act").splitlines()]
    assert len({line["eventId"] for line in exported}) == len(exported) == 2500
