"""`sekisho projects apply` reports exactly the violations of Apple's App Review guideline 4.8 that are expected.

`login_services.json` is a table: each row is a configuration with the violations that are expected for it.
`Tests/GatewayTests/Projects/LoginServicesTableTests.swift` reads this table too.
"""

import json
import pathlib
import re
import secrets

import pytest

import gateway
from installation import sql

ROWS = json.loads((pathlib.Path(__file__).parent / "login_services.json").read_text())
# The client IDs of Apple by the value of `apple` in a row. With any other value, Apple has both.
APPLE_CLIENT_IDS = {"bundleOnly": ["com.example.app"], "servicesOnly": ["com.example.web"]}
BOTH_APPLE_CLIENT_IDS = ["com.example.web", "com.example.app"]
# The sign-in method that each policy setting allows. `signUp` in a row has the allowed methods.
METHOD_BY_SETTING = {"allowsPasswords": "password", "allowsAnonymous": "anonymous", "allowsEmailLinks": "emailLink"}
TENANT = "tenant"


@pytest.fixture(scope="module")
def project(fresh_installation):
    """The project for the dry runs of all rows."""
    name = f"r{secrets.token_hex(6)}"
    fresh_installation.run_ok(f"projects create {name}")
    return name


def providers(realm, apple_key):
    """The configuration of the providers of a row, or of the tenant in a row.

    `relation` is what a provider is to the apps: a social login, the company's own account system, and so on.
    """
    result = {}
    if realm["apple"] != "absent":
        result["apple.com"] = {
            "enabled": realm["apple"] != "disabled",
            "clientIds": APPLE_CLIENT_IDS.get(realm["apple"], BOTH_APPLE_CLIENT_IDS)}
        if realm["apple"] != "noKey":
            result["apple.com"] |= {"teamId": "TEAM123456", "keyId": "KEY1234567", "privateKey": apple_key}
    for name, relation in realm["providers"].items():
        result[name] = {"clientIds": ["client"], "relation": relation}
        if relation == "own":
            result[name]["relationReason"] = "our own accounts"
        if name != "google.com":
            result[name]["issuer"] = "https://id.example.com"
        elif relation == "organisation":
            result[name]["hostedDomains"] = ["example.com"]
    return result


def project_file(row, project, apple_key):
    """The project file of a row.

    The app `native` offers no sign-in method. It only declares the bundle ID, because the gateway treats Apple's client
    IDs that no app declares as Services IDs.
    """
    app = {"platform": row["platform"], "distribution": row["distribution"], "bundleIds": row["bundleIds"],
           "signInMethods": row["methods"], "linkOnlyMethods": row["linkOnly"]}
    if row["exemption"]:
        app["exemption"] = {"kind": row["exemption"], "reason": "because"}
    policy = {name: method in row["signUp"] for name, method in METHOD_BY_SETTING.items()}
    if "requiresAppleOnEveryPlatform" in row:
        policy["requiresAppleOnEveryPlatform"] = row["requiresAppleOnEveryPlatform"]
    return {"project": project, "policy": policy,
            "providers": providers(row, apple_key),
            "apps": {"app": app,
                     "native": {"platform": "ios", "bundleIds": ["com.example.app"], "signInMethods": []}}}


def add_tenant(fresh_installation, project, realm, apple_key):
    """Stores the tenant of a row in the database, because `projects apply` does not configure tenants."""
    realm_id = f"{project}/{TENANT}"
    settings = {name: method in realm["signUp"] for name, method in METHOD_BY_SETTING.items()}
    statements = [
        f"INSERT INTO realm (id, parent_id, tenant_settings, name, profile, created_at) "
        f"VALUES ('{realm_id}', '{project}', '{json.dumps(settings)}', '', 'sekisho', now())"]
    for name, members in providers(realm, apple_key).items():
        provider_settings = {
            "enabled": members.get("enabled", True), "clientIds": members["clientIds"],
            "relation": members.get("relation"), "relationReason": members.get("relationReason"),
            "hostedDomains": members.get("hostedDomains", [])}
        secret = "NULL"
        if "teamId" in members:
            provider_settings["apple"] = {
                "teamId": members["teamId"], "keyId": members["keyId"], "acceptsUnhashedNonces": False}
            # Not a real ciphertext: `projects apply` only checks whether there is one.
            secret = "'sealed'"
        if "issuer" in members:
            provider_settings["openId"] = {"issuer": members["issuer"], "trustsEmail": False}
        statements.append(
            f"INSERT INTO identity_provider (realm_id, provider, settings, secret, updated_at) "
            f"VALUES ('{realm_id}', '{name}', '{json.dumps(provider_settings)}', {secret}, now())")
    for statement in statements:
        sql(fresh_installation.database_url, statement)


def remove_tenant(fresh_installation, project):
    for table, column in (("identity_provider", "realm_id"), ("realm", "id")):
        sql(fresh_installation.database_url, f"DELETE FROM {table} WHERE {column} = '{project}/{TENANT}'")


def violations(stderr, row):
    """The violations that the error output names, as in the table: `[tenant ]PROVIDER KIND`."""
    names = {text.split()[-2] for text in row["violations"]} - {"apple.com"}
    found = []
    for tenant, text, kind in re.findall(r"LOGIN_SERVICES_4_8 : app app( in tenant \S+)?: (.*) \((\w+)\)", stderr):
        provider = next((word for word in text.split() if word in names), "apple.com")
        found.append(("tenant " if tenant else "") + f"{provider} {kind}")
    return sorted(found)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["row"])
def test_projects_apply_reports_exactly_the_violations_of_the_row(
        fresh_installation, project, apple_key, tmp_path, row):
    path = tmp_path / "project.json"
    path.write_text(json.dumps(project_file(row, project, apple_key)))
    if row["tenant"]:
        add_tenant(fresh_installation, project, row["tenant"], apple_key)
    try:
        completed = gateway.run_sekisho(
            "projects", "apply", str(path), "--prune", "--dry-run", **fresh_installation.environment)
    finally:
        if row["tenant"]:
            remove_tenant(fresh_installation, project)
    assert completed.returncode == (1 if row["violations"] else 0), completed.stderr
    assert violations(completed.stderr, row) == sorted(row["violations"])
