"""`sekisho projects apply` configures a project from a file.

`fresh_installation` is a migrated database that only this file uses.
"""

import hashlib
import json
import re
import secrets
import subprocess
from pathlib import Path

import pytest
import requests

import gateway
from installation import dump, new_master_key, sql

GOOGLE = {"clientIds": ["google-client"], "clientSecret": "google-secret"}


@pytest.fixture
def apple(apple_key):
    """A complete configuration of Apple, for the member `providers` of a project file."""
    return {"clientIds": ["com.example.app"], "teamId": "TEAM123456", "keyId": "KEY1234567", "privateKey": apple_key}


@pytest.fixture
def project(fresh_installation):
    """The ID of a new project."""
    name = f"p{secrets.token_hex(6)}"
    fresh_installation.run_ok(f"projects create {name}")
    return name


@pytest.fixture
def apply(fresh_installation, tmp_path):
    """A function that applies a project file, given as text or as an object, and returns the completed process."""
    def apply(content, *options):
        path = tmp_path / "project.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return gateway.run_sekisho("projects", "apply", str(path), *options, **fresh_installation.environment)

    return apply


def test_applying_a_file_again_changes_nothing(apply, project, apple):
    file = {"project": project, "policy": {"allowsAnonymous": False},
            "providers": {"apple.com": apple, "google.com": GOOGLE},
            "apps": {"ios": {"platform": "ios", "bundleIds": ["com.example.app"]}}}
    first = apply(file)
    assert first.returncode == 0, first.stderr
    assert "+ providers.apple.com.privateKey: set\n" in first.stdout
    assert "~ policy.allowsAnonymous: true → false\n" in first.stdout
    assert "PRIVATE KEY" not in first.stdout and "google-secret" not in first.stdout
    second = apply(file)
    assert (second.returncode, second.stdout) == (0, "no changes\n")


def test_event_endpoints_are_applied_without_secrets(apply, fresh_installation, project):
    file = {"project": project, "eventEndpoints": {
        "backend": {"url": "https://backend.example.com/events", "kinds": ["account.deleted"]}, "feed": {}}}
    assert "+ eventEndpoints.backend: with a new secret\n" in apply(file, "--dry-run").stdout
    assert "backend" not in fresh_installation.run_ok(f"events list-endpoints --project {project}")
    first = apply(file)
    assert first.returncode == 0, first.stderr
    assert "whsec_" not in first.stdout + first.stderr
    assert "backend.example.com" in fresh_installation.run_ok(f"events list-endpoints --project {project}")
    assert apply(file).stdout == "no changes\n"
    del file["eventEndpoints"]["feed"]
    assert apply(file).stdout == "no changes\n"
    assert apply(file, "--prune").stdout.count("- eventEndpoints.feed") == 1
    invalid = apply({"project": project, "eventEndpoints": {"backend": {"url": "http://10.0.0.1/"}}})
    assert invalid.returncode != 0 and "eventEndpoints.backend.url" in invalid.stderr


def test_email_settings_are_applied_once_and_an_action_url_on_another_domain_is_rejected(
        apply, fresh_installation, project):
    email = {"senderAddress": "no-reply@example.com", "senderName": "Example", "replyTo": "help@example.com",
             "actionUrl": "https://app.example.com/account", "language": "ja",
             "subjects": {"resetPassword": {"ja": "パスワードの再設定"}}}
    file = {"project": project, "authorizedDomains": ["app.example.com"], "email": email}
    first = apply(file)
    assert first.returncode == 0, first.stderr
    assert "+ email.subjects.resetPassword.ja: パスワードの再設定\n" in first.stdout
    assert apply(file).stdout == "no changes\n"
    elsewhere = apply({"project": project, "email": {"actionUrl": "https://evil.example/"}})
    assert elsewhere.returncode != 0
    assert "the action URL of emails must be at an authorized domain" in elsewhere.stderr
    # The gateway's own host is always authorized.
    assert apply({"project": project, "email": {"actionUrl": fresh_installation.url + "/page"}}).returncode == 0
    details = sql(fresh_installation.database_url, f"SELECT detail FROM audit_event WHERE realm_id = '{project}'")
    assert "email.senderAddress" in details and "no-reply@example.com" not in details


def test_redirect_uris_are_applied_once_and_unsafe_uris_are_rejected(apply, project):
    web = {"platform": "web", "redirectUris": ["com.example.app:/done", "https://app.example.com/done"]}
    first = apply({"project": project, "apps": {"web": web}})
    assert first.returncode == 0, first.stderr
    assert apply({"project": project, "apps": {"web": web}}).stdout == "no changes\n"
    for uri in ("javascript:alert(1)", "http://app.example.com/done", "https://app.example.com/done#part"):
        rejected = apply({"project": project, "apps": {"web": {"redirectUris": [uri]}}})
        assert rejected.returncode != 0 and "redirectUris must be" in rejected.stderr, uri
    assert apply({"project": project, "apps": {"web": web}}).stdout == "no changes\n"


def test_silent_sign_in_is_allowed_once_and_forbidden_again(apply, fresh_installation, project):
    silent = {"project": project, "apps": {"web": {"allowsSilentSignIn": True}}}
    assert apply(silent).returncode == 0
    assert apply(silent).stdout == "no changes\n"
    query = f"SELECT settings ->> 'allowsSilentSignIn' FROM app WHERE project_id = '{project}' AND id = 'web'"
    assert "true" in sql(fresh_installation.database_url, query)
    assert apply({"project": project, "apps": {"web": {"allowsSilentSignIn": False}}}).returncode == 0
    assert "true" not in sql(fresh_installation.database_url, query)


def test_brands_are_applied_once_and_null_removes_them(apply, fresh_installation, project):
    brand = {"name": "Acme", "color": "#1d4ea8", "privacyUrl": "https://acme.example/privacy",
             "termsUrl": "https://acme.example/terms", "supportUrl": "mailto:help@acme.example"}
    file = {"project": project, "brand": brand, "apps": {"default": {"brand": {"name": "Acme Go"}}}}
    first = apply(file)
    assert first.returncode == 0, first.stderr
    assert "+ brand.color: #1d4ea8\n" in first.stdout and "+ apps.default.brand.name: Acme Go\n" in first.stdout
    assert apply(file).stdout == "no changes\n"
    assert "Acme" in fresh_installation.run_ok(f"projects show {project}")
    rejected = apply({"project": project, "brand": {"privacyUrl": "http://acme.example"}})
    assert rejected.returncode != 0 and "brand.privacyUrl: expected an https URL" in rejected.stderr
    removed = apply({"project": project, "brand": None, "apps": {"default": {"brand": {"name": None}}}})
    assert removed.stdout.endswith("6 changes applied\n")


IMAGES = Path(__file__).parents[1] / "Fuzzing/Seeds/image"


def test_texts_are_applied_once_and_listed_and_null_removes_them(apply, fresh_installation, project):
    file = {"project": project, "texts": {"signInTitle": {"en": "Welcome to {app}", "ja": "ようこそ"}}}
    first = apply(file)
    assert first.returncode == 0, first.stderr
    assert "+ texts.signInTitle.en: Welcome to {app}\n+ texts.signInTitle.ja: ようこそ\n" in first.stdout
    assert apply(file).stdout == "no changes\n"
    listed = json.loads(fresh_installation.run_ok(f"projects texts {project} --json"))
    assert [(text["key"], text["language"]) for text in listed] == [("signInTitle", "en"), ("signInTitle", "ja")]
    assert "signInTitle  en        Welcome to {app}" in fresh_installation.run_ok(f"projects texts {project}")
    rejected = apply({"project": project, "texts": {"signInHelp": {"en": "Call tel:+15550100"}}})
    assert rejected.returncode != 0 and "texts.signInHelp.en: must have at most 500 characters" in rejected.stderr
    assert apply({"project": project, "texts": None}).returncode == 0
    assert json.loads(fresh_installation.run_ok(f"projects texts {project} --json")) == []
    missing = fresh_installation.run("projects texts nowhere")
    assert missing.returncode != 0 and "does not exist" in missing.stderr


@pytest.mark.parametrize("image", sorted(IMAGES.iterdir()), ids=lambda path: path.name)
def test_images_of_brands_are_stored_and_served(apply, fresh_installation, project, image):
    file = {"project": project, "brand": {"logoFile": str(image), "faviconFile": str(image)}}
    dry = apply(file, "--dry-run")
    assert dry.returncode == 0, dry.stderr
    identifier = hashlib.sha256(image.read_bytes()).hexdigest()
    assert f"+ brand.logo: {identifier}\n" in dry.stdout
    stored = f"SELECT count(*) FROM brand_image WHERE realm_id = '{project}'"
    assert sql(fresh_installation.database_url, stored).strip() == "0"
    assert apply(file).returncode == 0
    assert sql(fresh_installation.database_url, stored).strip() == "1"
    assert apply(file).stdout == "no changes\n"
    assert apply({"project": project, "brand": None}).returncode == 0
    path = image.parent.parent / "csv"
    rejected = apply({"project": project, "brand": {"logoFile": str(next(path.iterdir()))}})
    assert rejected.returncode != 0 and "brand.logoFile: expected a PNG, JPEG or WebP image" in rejected.stderr


def test_changes_of_secrets_are_reported_without_the_secrets(apply, fresh_installation, project, apple):
    apply({"project": project, "providers": {"apple.com": apple, "google.com": GOOGLE}})
    changed = apply({"project": project, "providers": {"google.com": {"clientSecret": "another"}}})
    assert changed.stdout == "~ providers.google.com.clientSecret: changed\n1 change applied\n"
    removed = apply({"project": project, "providers": {"google.com": {"clientSecret": ""}}})
    assert removed.stdout == "- providers.google.com.clientSecret: removed\n1 change applied\n"
    # A dump contains binary values in hexadecimal digits.
    for secret in ("another", "google-secret", "PRIVATE KEY"):
        assert secret not in dump(fresh_installation.database_url)
        assert secret.encode().hex() not in dump(fresh_installation.database_url)


def test_a_dry_run_changes_nothing(apply, fresh_installation, project, apple):
    before = dump(fresh_installation.database_url)
    completed = apply({"project": project, "providers": {"apple.com": apple}}, "--dry-run")
    assert completed.returncode == 0
    # The four members of `apple`, and the defaults of `enabled` and `acceptsUnhashedNonces`.
    assert completed.stdout.endswith("6 changes, not applied (dry run)\n")
    assert "+ providers.apple.com.enabled: true\n" in completed.stdout
    assert dump(fresh_installation.database_url) == before


def test_an_invalid_file_is_rejected_as_a_whole_with_every_problem(apply, fresh_installation, project):
    before = dump(fresh_installation.database_url)
    completed = apply({"project": project, "name": "Other", "providers": {
        "google.com": GOOGLE, "apple.com": {"enabled": False, "clientIds": [], "privateKey": "PEM"}}})
    assert (completed.returncode, completed.stdout) == (1, "")
    assert completed.stderr == f"""sekisho: rejected, nothing was changed:
  - apple.com needs a client ID: without one, tokens for any app would be accepted
  - apple.com's private key must be a P-256 key in PEM, as in the .p8 file
  - LOGIN_SERVICES_4_8 : app default: it shows google.com while apple.com is not configured and enabled (APPLE_NOT_ENABLED)
"""
    assert dump(fresh_installation.database_url) == before


def test_an_unknown_member_is_rejected(apply, project):
    completed = apply({"project": project, "providers": {"google.com": {"client_ids": ["a"]}}, "app": {}})
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "providers.google.com.client_ids: unknown member; expected one of clientIds" in completed.stderr
    assert "app: unknown member; expected one of apps" in completed.stderr


def test_the_creation_of_a_project_is_reported_as_a_change(apply):
    file = {"project": f"p{secrets.token_hex(6)}"}
    created = f"+ project {file['project']}\n"
    assert apply(file, "--create", "--dry-run").stdout == created + "1 change, not applied (dry run)\n"
    assert apply(file, "--create").stdout == created + "1 change applied\n"


def test_a_project_is_created_only_with_the_create_option(apply, fresh_installation, apple):
    file = {"project": "created-by-file", "profile": "firebase", "providers": {"apple.com": apple}}
    completed = apply(file)
    assert completed.returncode == 1
    assert "`sekisho projects create created-by-file`" in completed.stderr
    dry_run = apply(file, "--create", "--dry-run")
    assert dry_run.stdout.startswith("+ project created-by-file\n+ providers.apple.com.acceptsUnhashedNonces")
    assert "created-by-file" not in fresh_installation.run_ok("projects list")
    rejected = apply(file | {"providers": {"google.com": GOOGLE}}, "--create")
    assert rejected.returncode == 1 and "created-by-file" not in fresh_installation.run_ok("projects list")
    assert apply(file, "--create").returncode == 0
    assert "firebase" in fresh_installation.run_ok("projects list")
    assert apply(file, "--create").stdout == "no changes\n"


def test_settings_that_a_file_omits_are_kept_unless_the_prune_option_is_given(
        apply, project, fresh_installation, apple):
    apply({"project": project, "providers": {"apple.com": apple, "google.com": GOOGLE}, "apps": {"web": {}}})
    assert apply({"project": project}).stdout == "no changes\n"
    pruned = apply({"project": project, "apps": {"web": {}}}, "--prune")
    assert "- providers.google.com.clientIds: google-client\n" in pruned.stdout
    assert "- apps.default.name: default\n" in pruned.stdout
    assert fresh_installation.run_ok(f"apps list --project {project}").splitlines()[1].split()[0] == "web"


def test_secrets_can_be_read_from_separate_files(apply, fresh_installation, project, apple, tmp_path):
    (tmp_path / "key.p8").write_text(apple.pop("privateKey"))
    completed = apply({"project": project, "providers": {"apple.com": apple | {"privateKeyFile": "key.p8"}}})
    assert "+ providers.apple.com.privateKey: set" in completed.stdout


@pytest.mark.parametrize("content, problem", [
    (None, "cannot read {}: No such file or directory"),
    (b"", "secret is empty"),
    (b"\n", "secret is empty"),
    (b"\xff", "cannot read secret: not UTF-8"),
    (b"x" * (1024 * 1024 + 1), "cannot read {}: larger than 1048576 bytes"),
])
def test_an_unusable_secret_file_is_rejected_and_the_stored_secret_is_kept(
        apply, project, apple, tmp_path, content, problem):
    secret = tmp_path / "secret"
    google = {"clientIds": ["google-client"], "clientSecretFile": "secret"}
    file = {"project": project, "providers": {"apple.com": apple, "google.com": google}}
    secret.write_text("google-secret\n")
    assert "+ providers.google.com.clientSecret: set" in apply(file).stdout
    secret.unlink()
    if content is not None:
        secret.write_bytes(content)
    completed = apply(file)
    assert (completed.returncode, completed.stdout) == (2, "")
    assert problem.format(secret) in completed.stderr
    secret.write_bytes(b"google-secret\r\n")
    assert apply(file).stdout == "no changes\n"


def test_the_file_can_be_standard_input(fresh_installation, project):
    completed = subprocess.run(
        [gateway.binary(), "projects", "apply", "-"], env=gateway.clean_environment(**fresh_installation.environment),
        input=json.dumps({"project": project, "name": "Piped"}), capture_output=True, text=True, timeout=60)
    assert completed.stdout == f"~ name: {project} → Piped\n1 change applied\n", completed.stderr


def test_apps_are_listed_with_their_sign_in_methods(apply, fresh_installation, project, apple):
    apply({"project": project, "policy": {"allowsAnonymous": False},
           "providers": {"apple.com": apple}, "apps": {"ios": {"platform": "ios", "signInMethods": ["password"]}}})
    listed = [line.split("  ") for line in fresh_installation.run_ok(f"apps list --project {project}").splitlines()]
    assert [[cell.strip() for cell in line if cell] for line in listed] == [
        ["ID", "NAME", "PLATFORM", "SIGN-IN METHODS"],
        ["default", "default", "other", "apple.com, password"],
        ["ios", "ios", "ios", "password"],
    ]


def test_an_app_that_violates_guideline_4_8_is_not_created(apply, fresh_installation, project):
    exemption = {"kind": "thirdPartyClient", "reason": "it reads that service's mail"}
    apps = {"default": {"exemption": exemption, "signInMethods": ["google.com"]}}
    applied = apply({"project": project, "providers": {"google.com": GOOGLE}, "apps": apps})
    assert applied.returncode == 0, applied.stderr
    completed = fresh_installation.run(f"apps create web --project {project}")
    assert completed.returncode == 1
    assert "LOGIN_SERVICES_4_8 : app web: it shows google.com while apple.com is not" in completed.stderr


def test_an_exemption_from_guideline_4_8_is_audited(apply, fresh_installation, project):
    exemption = {"kind": "thirdPartyClient", "reason": "staff only"}
    apply({"project": project, "apps": {"default": {"exemption": exemption, "signInMethods": ["google.com"]}}})
    events = sql(fresh_installation.database_url, f"SELECT actor, action, subject, detail->>'reason' FROM audit_event "
                                  f"WHERE realm_id = '{project}' AND action LIKE 'exemption%'")
    assert events == "cli|exemption.declared|default|staff only\n"


def test_check_reports_an_app_that_violates_guideline_4_8(apply, fresh_installation, project, apple):
    apply({"project": project, "providers": {"apple.com": apple, "google.com": GOOGLE}})
    checked = fresh_installation.run_ok("check")
    assert f"ok    project {project}, app default: complies with guideline 4.8" in checked
    assert "note  apple: register " in checked and "/v1/apple/notifications at Apple" in checked
    # Without its private key, Apple cannot work, and so does not count as the alternative to Google.
    sql(fresh_installation.database_url, f"UPDATE identity_provider SET secret = NULL WHERE realm_id = '{project}'")
    checked = fresh_installation.run("check")
    assert checked.returncode == 1
    assert f"wrong project {project}, app default: LOGIN_SERVICES_4_8 : it shows google.com" in checked.stdout
    # `check` reports all projects, so the violation must not remain for other tests.
    apply({"project": project}, "--prune")
    fresh_installation.run_ok("check")


def test_a_broken_configuration_is_repaired_step_by_step(apply, fresh_installation, project, apple):
    apply({"project": project, "providers": {"apple.com": apple, "google.com": GOOGLE}})
    sql(fresh_installation.database_url, f"UPDATE identity_provider SET secret = NULL WHERE realm_id = '{project}'")
    renamed = apply({"project": project, "name": "Other"})
    assert (renamed.returncode, renamed.stdout) == (0, f"~ name: {project} → Other\n1 change applied\n")
    problem = "LOGIN_SERVICES_4_8 : app default: it shows google.com while apple.com lacks"
    warning = f"sekisho: warning: existing problem: {problem}"
    assert renamed.stderr.startswith(warning)
    corp = {"clientIds": ["c"], "issuer": "https://id.example.com"}
    added = apply({"project": project, "providers": {"oidc.corp": corp}})
    assert added.returncode == 1 and "it shows oidc.corp while" in added.stderr
    assert "google.com" not in added.stderr, "only the new violation is reported"
    repaired = apply({"project": project, "providers": {"apple.com": apple}})
    assert (repaired.returncode, repaired.stderr) == (0, "")


def test_an_operator_limits_the_rule_about_apple_to_apps_for_apple_platforms(apply, fresh_installation, project):
    web = {"platform": "web", "distribution": "web"}
    file = {"project": project, "providers": {"google.com": GOOGLE}, "apps": {"default": web}}
    rejected = apply(file)
    assert rejected.returncode == 1
    assert "to apply this rule only to apps for Apple's platforms, set the policy requiresAppleOnEveryPlatform" \
        in rejected.stderr
    shown = fresh_installation.run_ok(f"projects policy {project} --set requiresAppleOnEveryPlatform=false")
    assert re.search("^requiresAppleOnEveryPlatform +false ", shown, re.MULTILINE)
    assert apply(file).returncode == 0
    assert apply({"project": project, "apps": {"ios": {"platform": "ios"}}}).returncode == 1
    checked = fresh_installation.run("check").stdout
    assert f"note  project {project}: guideline 4.8 applies only to apps for Apple's platforms" in checked
    assert f"ok    project {project}, app default: guideline 4.8 does not apply" in checked
    report = fresh_installation.run_ok(f"check --app-review --project {project}")
    assert "it shows google.com, but no equivalent login is required: the policy requiresAppleOnEveryPlatform" in report
    refused = fresh_installation.run(f"projects policy {project} --set requiresAppleOnEveryPlatform=true")
    assert refused.returncode == 1 and "LOGIN_SERVICES_4_8 : app default" in refused.stderr
    events = sql(fresh_installation.database_url, f"SELECT actor, action FROM audit_event "
                                  f"WHERE realm_id = '{project}' AND action LIKE 'loginServices.%'")
    assert events == "cli|loginServices.applePlatforms\n"
    # The report of `check` covers all projects, so this one must not remain for other tests.
    apply({"project": project}, "--prune")


def test_the_app_review_report_names_a_provider_of_own_accounts(apply, fresh_installation, project):
    corp = {"clientIds": ["c"], "issuer": "https://id.example.com", "relation": "own"}
    refused = apply({"project": project, "providers": {"oidc.corp": corp}})
    assert refused.returncode == 1 and "oidc.corp's relationReason, which the relation own requires" in refused.stderr
    facebook = corp | {"issuer": "https://www.facebook.com", "relationReason": "our own accounts"}
    refused = apply({"project": project, "providers": {"oidc.corp": facebook}})
    assert refused.returncode == 1 and "because its issuer is Facebook" in refused.stderr
    assert apply({"project": project, "providers": {"oidc.corp": corp | {"relationReason": "our shop"}}}).returncode == 0
    report = fresh_installation.run_ok(f"check --app-review --project {project}")
    assert "oidc.corp (https://id.example.com) is declared as your company's own account system, because: our shop" \
        in report


def test_check_reports_the_grace_period_of_an_app_that_violates_guideline_4_8(
        apply, fresh_installation, project, apple):
    """A start of `serve` begins a grace period for each app that violates the guideline and has no such period yet.

    `projects apply` rejects a violation, so the test makes one in the database before the second start.
    """
    with fresh_installation.serving():
        apply({"project": project, "providers": {"apple.com": apple, "google.com": GOOGLE}})
    sql(fresh_installation.database_url, f"UPDATE identity_provider SET secret = NULL WHERE realm_id = '{project}'")
    with fresh_installation.serving():
        checked = fresh_installation.run("check")
    assert checked.returncode == 1
    line = next(line for line in checked.stdout.splitlines() if f"project {project}, app default" in line)
    assert "LOGIN_SERVICES_4_8" in line and "; it is tolerated until " in line
    apply({"project": project}, "--prune")


def test_check_reports_an_openid_provider_with_the_issuer_of_google(apply, fresh_installation, project):
    corp = {"clientIds": ["c"], "issuer": "https://id.example.com", "relation": "own",
            "relationReason": "our own accounts"}
    assert apply({"project": project, "providers": {"oidc.corp": corp}}).returncode == 0
    sql(fresh_installation.database_url, f"""
        UPDATE identity_provider SET settings = jsonb_set(settings, '{{openId,issuer}}', '"https://accounts.google.com"')
        WHERE realm_id = '{project}'""")
    checked = fresh_installation.run("check")
    assert checked.returncode == 1
    problem = "INVALID_CONFIG : oidc.corp's issuer is that of google.com: configure that provider"
    assert f"wrong project {project}: {problem}" in checked.stdout
    apply({"project": project}, "--prune")


def test_a_running_gateway_uses_a_new_configuration(apply, fresh_installation, apple):
    with fresh_installation.serving() as serve:
        def methods():
            response = requests.get(f"{serve.url}/v1/loginMethods", params={"key": serve.api_key}, timeout=30).json()
            return [method["providerId"] for method in response["methods"]]

        before = methods()
        apply({"project": serve.project, "providers": {"apple.com": apple, "google.com": GOOGLE}})
        assert before == ["password"]
        assert gateway.eventually(lambda: methods() == ["apple.com", "google.com", "password"])


def test_provider_secrets_are_rewrapped(apply, fresh_installation, project, apple):
    apply({"project": project, "providers": {"apple.com": apple}})
    old = fresh_installation.environment["SEKISHO_MASTER_KEY"]
    try:
        fresh_installation.environment |= {"SEKISHO_MASTER_KEY": new_master_key(), "SEKISHO_MASTER_KEY_PREVIOUS": old}
        fresh_installation.run_ok("keys rewrap")
        del fresh_installation.environment["SEKISHO_MASTER_KEY_PREVIOUS"]
        again = apply({"project": project, "providers": {"apple.com": apple}})
        assert again.stdout == "no changes\n", "the provider secret can be decrypted with the new master key"
    finally:
        fresh_installation.environment.pop("SEKISHO_MASTER_KEY_PREVIOUS", None)


def test_the_issuer_of_a_provider_cannot_change_while_accounts_have_its_identities(
        apply, fresh_installation, project, apple):
    def file(issuer):
        corp = {"clientIds": ["c"], "issuer": issuer}
        return {"project": project, "providers": {"apple.com": apple, "oidc.corp": corp}}

    first, second = file("https://first.example.com"), file("https://second.example.com")
    assert apply(first).returncode == 0
    sql(fresh_installation.database_url, f"""
        INSERT INTO account (realm_id, id, created_at, valid_since) VALUES ('{project}', 'ada', now(), now());
        INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
        VALUES ('{project}', 'oidc.corp', '1', 'ada', now())""")
    for options in [], ["--dry-run"]:
        rejected = apply(second, *options)
        assert (rejected.returncode, rejected.stdout) == (1, "")
        assert "PROVIDER_ISSUER_IN_USE : oidc.corp has 1 identity of another issuer" in rejected.stderr
        assert "--discard-identities" in rejected.stderr
    dry_run = apply(second, "--dry-run", "--discard-identities")
    assert "- identities of oidc.corp: 1\n" in dry_run.stdout and "not applied" in dry_run.stdout
    count = f"SELECT count(*) FROM linked_identity WHERE realm_id = '{project}'"
    assert sql(fresh_installation.database_url, count) == "1\n"
    # A provider that is removed and added again keeps its identities.
    assert apply({"project": project, "providers": {"apple.com": apple}}, "--prune").returncode == 0
    assert apply(second).returncode == 1
    assert apply(first).returncode == 0
    done = apply(second, "--discard-identities")
    assert done.returncode == 0, done.stderr
    assert "- identities of oidc.corp: 1\n" in done.stdout
    assert sql(fresh_installation.database_url, count) == "0\n"
    events = f"SELECT action FROM audit_event WHERE realm_id = '{project}' AND action LIKE 'identity.%'"
    assert sql(fresh_installation.database_url, events) == "identity.unlinked\n"
