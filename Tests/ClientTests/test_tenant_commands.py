"""`sekisho users import`, `users export` and `audit` for a tenant, and what narrow service keys may do with one."""

import json
import secrets

import pytest
import requests
from firebase_admin import auth
from firebase_admin.exceptions import PermissionDeniedError

from admin_sdk import real, service_key
from exchange import PASSWORD
from gateway import run
from hashes import STRINGS, as_base64
from people import settle, signed_in, stranger


@pytest.fixture(scope="module")
def owner(verifiable, verifiable_serve, contract):
    """A backend that may do everything."""
    with real(verifiable_serve, contract, service_key(verifiable)) as admin:
        yield admin


@pytest.fixture
def acme(owner):
    return owner.tenant()


@pytest.fixture
def zen(owner):
    return owner.tenant("Zen-2")


@pytest.fixture
def command(verifiable):
    """Runs a command about the project, or a tenant of it."""
    def ran(*words, tenant=None):
        below = ["--tenant", tenant] if tenant else []
        return run(*words, "--project", "demo", *below, **verifiable.environment)

    return ran


def row(person):
    return {
        "localId": person.uid, "email": person.email, "phoneNumber": person.phone_number,
        "passwordHash": as_base64(STRINGS["bcrypt"](PASSWORD)),
        "providerUserInfo": [{"providerId": "google.com", "rawId": person.subject}]}


def written(path, people):
    path.write_text(json.dumps({"users": [row(person) for person in people]}))
    return str(path)


def test_a_file_is_brought_into_a_tenant_and_nowhere_else(owner, acme, zen, command, tmp_path):
    people = [stranger() for _ in range(3)]
    path = written(tmp_path / "users.json", people)
    ran = command("users", "import", path, tenant=acme.tenant_id)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "imported 3 accounts\n", "")
    for person in people:
        assert acme.get_users(person.identifiers).users[0].tenant_id == acme.tenant_id
        assert zen.get_users(person.identifiers).users == owner.get_users(person.identifiers).users == []
    assert signed_in(owner.client, people[0], tenantId=acme.tenant_id)["localId"] == people[0].uid
    elsewhere = {"email": people[0].email, "password": PASSWORD}
    assert owner.client.call("signInWithPassword", elsewhere).code == "INVALID_LOGIN_CREDENTIALS"
    again = command("users", "import", path, tenant=acme.tenant_id)
    assert again.returncode == 1 and "localId belongs to an existing account" in again.stderr
    assert command("users", "import", path, tenant=zen.tenant_id).returncode == 0


@pytest.mark.parametrize("format", ["json", "csv"])
def test_what_is_exported_of_a_tenant_comes_into_another_as_it_was(acme, zen, owner, command, tmp_path, format):
    people = sorted((settle(acme) for _ in range(2)), key=lambda person: person.uid)
    settle(owner)
    first, second = (str(tmp_path / f"{name}.{format}") for name in ("first", "second"))
    assert command("users", "export", first, tenant=acme.tenant_id).returncode == 0
    assert command("users", "import", first, tenant=zen.tenant_id).stdout == "imported 2 accounts\n"
    assert command("users", "export", second, tenant=zen.tenant_id).returncode == 0
    text = (tmp_path / f"first.{format}").read_text()
    assert (tmp_path / f"second.{format}").read_text() == text
    if format == "json":
        assert [user["localId"] for user in json.loads(text)["users"]] == [person.uid for person in people]
    for tenant in (acme, zen):
        assert signed_in(owner.client, people[0], tenantId=tenant.tenant_id)["localId"] == people[0].uid


def test_an_export_of_the_project_has_nobody_of_its_tenants(acme, owner, command, tmp_path):
    theirs, own = settle(acme), settle(owner)
    path = tmp_path / "all.json"
    assert command("users", "export", str(path)).returncode == 0
    exported = {user["localId"] for user in json.loads(path.read_text())["users"]}
    assert own.uid in exported and theirs.uid not in exported


def test_a_row_that_names_another_tenant_is_refused(acme, zen, command, tmp_path):
    path = tmp_path / "users.json"
    path.write_text(json.dumps({"users": [
        {"localId": "ada", "tenantId": acme.tenant_id}, {"localId": "eve", "tenantId": zen.tenant_id}]}))
    ran = command("users", "import", str(path), tenant=acme.tenant_id)
    assert (ran.returncode, ran.stdout) == (1, "imported 1 account\n")
    assert "Tenant id in userInfo does not match the tenant id in request." in ran.stderr
    assert [user.uid for user in acme.list_users().users] == ["ada"]


@pytest.mark.parametrize("words", [["users", "import", "FILE"], ["users", "export", "FILE"]])
def test_there_has_to_be_such_a_tenant(command, tmp_path, words):
    path = written(tmp_path / "users.json", [stranger()])
    ran = command(*[path if word == "FILE" else word for word in words], tenant="nobody")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "sekisho: there is no tenant demo/nobody\n")


@pytest.mark.parametrize("words", [["users", "import", "f"], ["users", "export", "f"], ["audit", "list"]])
@pytest.mark.parametrize("tenant", ["", "a b", "a/b", "x" * 64])
def test_what_cannot_be_a_tenant_is_told(words, tenant):
    ran = run(*words, "--project", "demo", "--tenant", tenant)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "--tenant takes a tenant's id" in ran.stderr


@pytest.mark.parametrize("words", [
    "projects policy ID", "projects policy ID --set signUpLimit=5", "keys create-service-key --project ID --name eve",
    "keys create-api-key --project ID", "keys rotate-signing-key --project ID", "apps create web --project ID",
    "apps list --project ID",
])
def test_a_tenant_is_no_project(verifiable, acme, words):
    """What is set of a project is not set of a tenant, whose keys and apps are the project's."""
    ran = verifiable.run(words.replace("ID", f"demo/{acme.tenant_id}"))
    assert ran.returncode != 0 and ran.stdout == ""


def test_tenants_are_not_listed_as_projects(verifiable, acme):
    assert acme.tenant_id not in verifiable.done("projects list")


def test_a_deleted_tenant_is_nobodys_to_export(acme, owner, command, tmp_path):
    owner.delete_tenant(acme.tenant_id)
    ran = command("users", "export", str(tmp_path / "users.json"), tenant=acme.tenant_id)
    assert ran.returncode == 1 and f"there is no tenant demo/{acme.tenant_id}" in ran.stderr
    assert not (tmp_path / "users.json").exists()


def test_the_trail_of_a_tenant_is_its_own(acme, zen, command):
    person = settle(acme)
    acme.delete_user(person.uid)
    listed = command("audit", "list", tenant=acme.tenant_id)
    assert listed.returncode == 0
    actions = {line.split()[2] for line in listed.stdout.splitlines()[1:] if person.uid in line.split()}
    assert "account.deleted" in actions
    for other in (zen.tenant_id, None):
        assert person.uid not in command("audit", "list", "--limit", "1000", tenant=other).stdout
    exported = command("audit", "export", "--subject", person.uid, tenant=acme.tenant_id).stdout.splitlines()
    assert exported and {json.loads(line)["subject"] for line in exported} == {person.uid}


def test_the_trail_outlives_the_tenant_and_the_projects_trail_tells_of_it(acme, owner, command):
    person = settle(acme)
    owner.update_tenant(acme.tenant_id, display_name="Renamed")
    acme.delete_user(person.uid)
    owner.delete_tenant(acme.tenant_id)
    assert person.uid in command("audit", "list", tenant=acme.tenant_id).stdout
    told = command("audit", "list", "--subject", acme.tenant_id).stdout.splitlines()[1:]
    assert [line.split()[2] for line in told] == ["tenant.removed", "tenant.changed", "tenant.added"]


# What each operation on a tenant needs, by the library or as other libraries ask.
NEEDED = [
    ("config", lambda admin, tenant: admin.create_tenant("Narrow")),
    ("config", lambda admin, tenant: admin.get_tenant(tenant.tenant_id)),
    ("config", lambda admin, tenant: admin.update_tenant(tenant.tenant_id, display_name="Narrow")),
    ("config", lambda admin, tenant: admin.list_tenants()),
    ("config", lambda admin, tenant: admin.delete_tenant(tenant.tenant_id)),
    ("config", lambda admin, tenant: tenant.list_oidc_provider_configs()),
    ("users.read", lambda admin, tenant: tenant.get_users([auth.UidIdentifier("ada")])),
    ("users.read", lambda admin, tenant: tenant.list_users()),
    ("users.write", lambda admin, tenant: tenant.import_users([auth.ImportUserRecord(uid=secrets.token_hex(8))])),
    ("users.write", lambda admin, tenant: tenant.delete_users(["ada"])),
]
SCOPES = ["config", "users.read", "users.write", "users.link", "tokens.mint", "audit.read"]


@pytest.fixture(scope="module")
def narrow(verifiable, verifiable_serve, contract):
    """A backend by a key that has, or lacks, one scope."""
    made = {}

    def backend(scope, has_it):
        if (scope, has_it) not in made:
            scopes = [scope] if has_it else [other for other in SCOPES if other != scope]
            made[scope, has_it] = service_key(verifiable, "--scopes", ",".join(scopes))
        return real(verifiable_serve, contract, made[scope, has_it])

    return backend


@pytest.mark.parametrize("scope, ask", NEEDED, ids=[f"{scope} {number}" for number, (scope, _) in enumerate(NEEDED)])
def test_a_key_does_in_tenants_what_its_scopes_say(acme, narrow, scope, ask):
    with narrow(scope, False) as admin, pytest.raises(PermissionDeniedError) as refused:
        ask(admin, admin.auth_for_tenant(acme.tenant_id))
    assert f"lacks the scope {scope}" in str(refused.value)
    with narrow(scope, True) as admin:
        ask(admin, admin.auth_for_tenant(acme.tenant_id))


def test_a_link_that_stands_for_a_mailbox_needs_one_scope_more(acme, narrow):
    person = settle(acme)
    with narrow("tokens.mint", False) as admin, pytest.raises(PermissionDeniedError) as refused:
        admin.auth_for_tenant(acme.tenant_id).generate_password_reset_link(person.email)
    assert "lacks the scope tokens.mint" in str(refused.value)


def test_a_custom_token_of_a_tenant_needs_a_key_that_may_mint(acme, narrow):
    for may in (False, True):
        with narrow("tokens.mint", may) as admin:
            token = admin.auth_for_tenant(acme.tenant_id).create_custom_token("ada").decode()
            wish = {"token": token, "tenantId": acme.tenant_id}
            answer = admin.client.call("signInWithCustomToken", wish)
        assert (answer.status == 200) == may


def test_a_key_of_another_project_gets_nowhere(own, contract):
    own.done("projects create other")
    key = json.loads(own.done("keys create-service-key --project other --name other"))
    with own.serving() as running, real(running, contract, service_key(own)) as admin:
        url = f"{running.url}/v2/projects/demo/tenants/{admin.tenant().tenant_id}"
        answer = requests.get(url, headers={"Authorization": f"Bearer {key['secret']}"}, timeout=30)
    assert answer.status_code == 403
