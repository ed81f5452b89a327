"""`sekisho users` and `sekisho audit` for a tenant, and the scopes of service keys in tenants."""

import json
import secrets

import pytest
import requests
from firebase_admin import auth
from firebase_admin.exceptions import PermissionDeniedError

from accounts import import_account, sign_in_with_password, unsaved_account
from admin_sdk import create_service_key, serve_admin
from client import PASSWORD
from gateway import run_sekisho
from hashes import SELF_DESCRIBING_HASHES, as_base64


@pytest.fixture(scope="module")
def full_admin(rs256_installation, rs256_serve, contract):
    """firebase-admin with a service key that has every scope."""
    with serve_admin(rs256_serve, contract, create_service_key(rs256_installation)) as admin:
        yield admin


@pytest.fixture
def acme(full_admin):
    """firebase-admin for a new tenant."""
    return full_admin.tenant_with_sign_in()


@pytest.fixture
def zen(full_admin):
    """firebase-admin for another new tenant."""
    return full_admin.tenant_with_sign_in("Zen-2")


@pytest.fixture
def run_for_realm(rs256_installation):
    """A function that runs a command for the project or one of its tenants, and returns the completed process."""
    def run_command(*words, tenant=None):
        option = ["--tenant", tenant] if tenant else []
        return run_sekisho(*words, "--project", "demo", *option, **rs256_installation.environment)

    return run_command


def import_row(account):
    """The row of an account in a file for `users import`."""
    return {
        "localId": account.uid, "email": account.email, "phoneNumber": account.phone_number,
        "passwordHash": as_base64(SELF_DESCRIBING_HASHES["bcrypt"](PASSWORD)),
        "providerUserInfo": [{"providerId": "google.com", "rawId": account.subject}]}


def write_import_file(path, accounts):
    """Writes a file for `users import`, and returns its path."""
    path.write_text(json.dumps({"users": [import_row(account) for account in accounts]}))
    return str(path)


def test_a_file_is_imported_into_one_tenant_only(full_admin, acme, zen, run_for_realm, tmp_path):
    accounts = [unsaved_account() for _ in range(3)]
    path = write_import_file(tmp_path / "users.json", accounts)
    completed = run_for_realm("users", "import", path, tenant=acme.tenant_id)
    assert (completed.returncode, completed.stdout, completed.stderr) == (0, "imported 3 accounts\n", "")
    for account in accounts:
        assert acme.get_users(account.identifiers).users[0].tenant_id == acme.tenant_id
        assert zen.get_users(account.identifiers).users == full_admin.get_users(account.identifiers).users == []
    assert sign_in_with_password(full_admin.client, accounts[0], tenantId=acme.tenant_id)["localId"] == accounts[0].uid
    elsewhere = {"email": accounts[0].email, "password": PASSWORD}
    assert full_admin.client.call("signInWithPassword", elsewhere).code == "INVALID_LOGIN_CREDENTIALS"
    again = run_for_realm("users", "import", path, tenant=acme.tenant_id)
    assert again.returncode == 1 and "localId belongs to an existing account" in again.stderr
    assert run_for_realm("users", "import", path, tenant=zen.tenant_id).returncode == 0


@pytest.mark.parametrize("format", ["json", "csv"])
def test_an_export_of_a_tenant_can_be_imported_into_another(acme, zen, full_admin, run_for_realm, tmp_path, format):
    accounts = sorted((import_account(acme) for _ in range(2)), key=lambda account: account.uid)
    import_account(full_admin)
    first, second = (str(tmp_path / f"{name}.{format}") for name in ("first", "second"))
    assert run_for_realm("users", "export", first, tenant=acme.tenant_id).returncode == 0
    assert run_for_realm("users", "import", first, tenant=zen.tenant_id).stdout == "imported 2 accounts\n"
    assert run_for_realm("users", "export", second, tenant=zen.tenant_id).returncode == 0
    text = (tmp_path / f"first.{format}").read_text()
    assert (tmp_path / f"second.{format}").read_text() == text
    if format == "json":
        assert [user["localId"] for user in json.loads(text)["users"]] == [account.uid for account in accounts]
    for tenant in (acme, zen):
        session = sign_in_with_password(full_admin.client, accounts[0], tenantId=tenant.tenant_id)
        assert session["localId"] == accounts[0].uid


def test_an_export_of_the_project_contains_no_accounts_of_tenants(acme, full_admin, run_for_realm, tmp_path):
    of_tenant, of_project = import_account(acme), import_account(full_admin)
    path = tmp_path / "all.json"
    assert run_for_realm("users", "export", str(path)).returncode == 0
    exported = {user["localId"] for user in json.loads(path.read_text())["users"]}
    assert of_project.uid in exported and of_tenant.uid not in exported


def test_a_row_that_names_another_tenant_is_rejected(acme, zen, run_for_realm, tmp_path):
    path = tmp_path / "users.json"
    path.write_text(json.dumps({"users": [
        {"localId": "ada", "tenantId": acme.tenant_id}, {"localId": "eve", "tenantId": zen.tenant_id}]}))
    completed = run_for_realm("users", "import", str(path), tenant=acme.tenant_id)
    assert (completed.returncode, completed.stdout) == (1, "imported 1 account\n")
    assert "Tenant id in userInfo does not match the tenant id in request." in completed.stderr
    assert [user.uid for user in acme.list_users().users] == ["ada"]


@pytest.mark.parametrize("words", [["users", "import", "FILE"], ["users", "export", "FILE"]])
def test_a_command_fails_for_an_unknown_tenant(run_for_realm, tmp_path, words):
    path = write_import_file(tmp_path / "users.json", [unsaved_account()])
    completed = run_for_realm(*[path if word == "FILE" else word for word in words], tenant="unknown")
    assert (completed.returncode, completed.stdout) == (1, "")
    assert completed.stderr == "sekisho: tenant demo/unknown does not exist\n"


@pytest.mark.parametrize("words", [["users", "import", "f"], ["users", "export", "f"], ["audit", "list"]])
@pytest.mark.parametrize("tenant", ["", "a b", "a/b", "x" * 64])
def test_an_invalid_tenant_id_is_rejected(words, tenant):
    completed = run_sekisho(*words, "--project", "demo", "--tenant", tenant)
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "--tenant: expected a tenant ID" in completed.stderr


@pytest.mark.parametrize("words", [
    "projects policy ID", "projects policy ID --set signUpLimit=5", "keys create-service-key --project ID --name eve",
    "keys create-api-key --project ID", "keys rotate-signing-key --project ID", "apps create web --project ID",
    "apps list --project ID",
])
def test_a_tenant_is_not_accepted_as_a_project(rs256_installation, acme, words):
    """Tenants use the policy, keys and apps of their project."""
    completed = rs256_installation.run(words.replace("ID", f"demo/{acme.tenant_id}"))
    assert completed.returncode != 0 and completed.stdout == ""


def test_tenants_are_not_listed_as_projects(rs256_installation, acme):
    assert acme.tenant_id not in rs256_installation.run_ok("projects list")


def test_a_deleted_tenant_cannot_be_exported(acme, full_admin, run_for_realm, tmp_path):
    full_admin.delete_tenant(acme.tenant_id)
    completed = run_for_realm("users", "export", str(tmp_path / "users.json"), tenant=acme.tenant_id)
    assert completed.returncode == 1 and f"tenant demo/{acme.tenant_id} does not exist" in completed.stderr
    assert not (tmp_path / "users.json").exists()


def test_the_audit_trail_of_a_tenant_is_separate(acme, zen, run_for_realm):
    account = import_account(acme)
    acme.delete_user(account.uid)
    listed = run_for_realm("audit", "list", tenant=acme.tenant_id)
    assert listed.returncode == 0
    actions = {line.split()[2] for line in listed.stdout.splitlines()[1:] if account.uid in line.split()}
    assert "account.deleted" in actions
    for other in (zen.tenant_id, None):
        assert account.uid not in run_for_realm("audit", "list", "--limit", "1000", tenant=other).stdout
    exported = run_for_realm("audit", "export", "--subject", account.uid, tenant=acme.tenant_id).stdout.splitlines()
    assert exported and {json.loads(line)["subject"] for line in exported} == {account.uid}


def test_the_audit_trail_of_a_deleted_tenant_remains(acme, full_admin, run_for_realm):
    account = import_account(acme)
    full_admin.update_tenant(acme.tenant_id, display_name="Renamed")
    acme.delete_user(account.uid)
    full_admin.delete_tenant(acme.tenant_id)
    assert account.uid in run_for_realm("audit", "list", tenant=acme.tenant_id).stdout
    events = run_for_realm("audit", "list", "--subject", acme.tenant_id).stdout.splitlines()[1:]
    assert [line.split()[2] for line in events] == ["tenant.removed", "tenant.changed", "tenant.added"]


# Pairs of a scope and an operation on a tenant that needs the scope.
REQUIRED_SCOPES = [
    ("config", lambda admin, tenant: admin.create_tenant("Narrow")),
    ("config", lambda admin, tenant: admin.get_tenant(tenant.tenant_id)),
    ("config", lambda admin, tenant: admin.update_tenant(tenant.tenant_id, display_name="Narrow")),
    ("config", lambda admin, tenant: admin.list_tenants()),
    ("config", lambda admin, tenant: tenant.list_oidc_provider_configs()),
    ("users.read", lambda admin, tenant: tenant.get_users([auth.UidIdentifier("ada")])),
    ("users.read", lambda admin, tenant: tenant.list_users()),
    ("users.write", lambda admin, tenant: tenant.import_users([auth.ImportUserRecord(uid=secrets.token_hex(8))])),
    ("users.write", lambda admin, tenant: tenant.delete_users(["ada"])),
]
ALL_SCOPES = ["config", "trust", "users.read", "users.write", "users.link", "tokens.mint", "audit.read"]


@pytest.fixture(scope="module")
def narrow_admin(rs256_installation, rs256_serve, contract):
    """A function that returns firebase-admin with a service key that has only one scope, or every scope except one."""
    keys = {}

    def with_key(scope, *, has_scope):
        if (scope, has_scope) not in keys:
            scopes = [scope] if has_scope else [other for other in ALL_SCOPES if other != scope]
            keys[scope, has_scope] = create_service_key(rs256_installation, "--scopes", ",".join(scopes))
        return serve_admin(rs256_serve, contract, keys[scope, has_scope])

    return with_key


@pytest.mark.parametrize(
    "scope, call", REQUIRED_SCOPES, ids=[f"{scope} {number}" for number, (scope, _) in enumerate(REQUIRED_SCOPES)])
def test_the_scopes_of_a_key_apply_in_tenants(acme, narrow_admin, scope, call):
    with narrow_admin(scope, has_scope=False) as admin, pytest.raises(PermissionDeniedError) as error:
        call(admin, admin.auth_for_tenant(acme.tenant_id))
    assert f"lacks the scope {scope}" in str(error.value)
    with narrow_admin(scope, has_scope=True) as admin:
        call(admin, admin.auth_for_tenant(acme.tenant_id))


def test_a_link_in_a_response_needs_the_scope_to_mint_tokens(acme, narrow_admin):
    account = import_account(acme)
    with narrow_admin("tokens.mint", has_scope=False) as admin, pytest.raises(PermissionDeniedError) as error:
        admin.auth_for_tenant(acme.tenant_id).generate_password_reset_link(account.email)
    assert "lacks the scope tokens.mint" in str(error.value)


def test_a_custom_token_of_a_tenant_needs_the_scope_to_mint_tokens(acme, narrow_admin):
    for has_scope in (False, True):
        with narrow_admin("tokens.mint", has_scope=has_scope) as admin:
            token = admin.auth_for_tenant(acme.tenant_id).create_custom_token("ada").decode()
            body = {"token": token, "tenantId": acme.tenant_id}
            response = admin.client.call("signInWithCustomToken", body)
        assert (response.status == 200) == has_scope


def test_a_key_of_another_project_is_rejected(fresh_installation, fresh_serve, contract):
    fresh_installation.run_ok("projects create other")
    key = json.loads(fresh_installation.run_ok("keys create-service-key --project other --name other"))
    with serve_admin(fresh_serve, contract, create_service_key(fresh_installation)) as admin:
        url = f"{fresh_serve.url}/v2/projects/demo/tenants/{admin.tenant_with_sign_in().tenant_id}"
        response = requests.get(url, headers={"Authorization": f"Bearer {key['secret']}"}, timeout=30)
    assert response.status_code == 403
