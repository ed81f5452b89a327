"""The console of `sekisho serve`: the command that invites an owner, the email, the sign-in, and the screens."""

import json
import re

import pytest
import requests

from console_pages import OWNER, PASSWORD, Visitor, accept_invitation, received_by
from gateway import eventually
from one_time_password import totp

VIEWER, HELPER = "viewer@example.org", "helper@example.org"
SCREENS = ["overview", "accounts", "newAccount", "events", "queues", "health", "audit", "settings", "providers", "tenants", "apps", "brand", "texts",
           "administrators"]


@pytest.mark.parametrize("project", ["demo", "operators"])
@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_is_small_and_safe(owner, project, screen):
    page = owner[0].open(f"/console/{project}/{screen}")
    headers = page.response.headers
    assert page.status == 200 and len(page.response.content) <= 40 * 1024
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'; ")
    assert (headers["Cache-Control"], headers["X-Frame-Options"]) == ("no-store", "DENY")
    assert "Access-Control-Allow-Origin" not in headers
    assert page.html.count("<script") == 0 and not re.findall(r'(?:src|href|action)="(?:https?:)?//', page.html)


def test_the_last_owner_stays(owner, fresh_installation):
    listed = json.loads(fresh_installation.run_ok("administrators list --json"))
    [identifier] = [row["id"] for row in listed]
    for command in [
        f"administrators remove {identifier}", f"users disable {identifier} --project operators",
        f"users delete {identifier} --project operators --yes", f"users reset-factors {identifier} --project operators",
    ]:
        refused = fresh_installation.run(command)
        assert refused.returncode == 1 and "The last owner of all projects" in refused.stderr, command
    page = owner[0].open(f"/console/operators/accounts/account?id={identifier}")
    refused = owner[0].submit(page, "disable")
    assert refused.status == 400 and "The last owner of all projects" in refused.text


def test_an_account_is_created_edited_and_deleted(owner):
    visitor, _ = owner
    created = visitor.submit(visitor.open("/console/demo/newAccount"), "create-account", email="ada@example.org")
    assert "The account was created." in created.text
    edited = visitor.submit(created, "profile", displayName="Ada Lovelace")
    assert "The profile was saved." in edited.text and "administrator:" in edited.text
    deleted = visitor.submit(edited, "delete", confirmed="true")
    assert "The account was deleted." in deleted.text


def test_a_viewer_of_one_project_reads_it_and_changes_nothing(owner, console, mail_server):
    administrator, _ = owner
    created = administrator.submit(
        administrator.open("/console/demo/newAccount"), "create-account", email="bob@example.org")
    path = created.response.url.removeprefix(console.url).split("&done")[0]
    invited = administrator.submit(
        administrator.open("/console/demo/administrators"), "invite", email=VIEWER, role="viewer")
    viewer = Visitor(console.url)
    link = re.search(r"/console/invitation\?code=[\w-]{43}", invited.text).group()
    accept_invitation(viewer, link, VIEWER, mail_server)
    account = viewer.open(path)
    assert not {"disable", "profile", "sign-out", "send-reset", "delete", "claims"} & set(account.forms)
    assert "Your role in this project (viewer)" in account.text and "bob@example.org" in account.text
    foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert administrator.submit(administrator.open(path), "disable", headers=foreign).status == 403
    assert viewer.submit(administrator.open(path), "disable").status == 403, "the form of another session"
    assert viewer.open("/console/operators/accounts").status == 404
    assert [viewer.open(f"/console/demo/{screen}").status for screen in SCREENS] == [200] * len(SCREENS)
    assert administrator.submit(administrator.open(path), "disable").status == 200


def test_owners_are_told_of_a_new_administrator_who_loses_the_role_with_the_second_factor(
        owner, fresh_installation, console, mail_server):
    link = json.loads(fresh_installation.run_ok(f"administrators invite {HELPER} --role support"))["invitationUri"]
    helper = Visitor(console.url)
    accept_invitation(helper, link.removeprefix(console.url), HELPER, mail_server)
    assert eventually(lambda: any(
        "has a role in" in email.part("plain") for email in received_by(OWNER, mail_server)))
    [identifier] = [
        row["id"] for row in json.loads(fresh_installation.run_ok("administrators list --json"))
        if row["email"] == HELPER]
    fresh_installation.run_ok(f"users reset-factors {identifier} --project operators")
    assert "Sign in to the console" in helper.open("/console/demo/overview").text
    enrolment = helper.submit(helper.open("/console/signIn"), "password", email=HELPER, password=PASSWORD)
    refused = helper.submit(enrolment, "enrolment", code=totp(enrolment.forms["enrolment"].fields["secret"]))
    assert refused.status == 400 and "The account has no role in the console" in refused.text


def test_without_a_session_every_screen_leads_to_the_sign_in(console):
    for screen in SCREENS:
        response = requests.get(f"{console.url}/console/demo/{screen}", allow_redirects=False, timeout=30)
        assert response.status_code == 303 and response.headers["Location"].startswith("/console/signIn")


def test_another_host_gets_421(console):
    response = requests.get(f"{console.url}/console/signIn", headers={"Host": "evil.example"}, timeout=30)
    assert response.status_code == 421


def test_without_a_console_project_there_is_no_console(serve):
    assert requests.get(f"{serve.url}/console/signIn", timeout=30).status_code == 404


def test_the_invitation_command_needs_the_settings(fresh_installation):
    failed = fresh_installation.run(f"administrators invite {OWNER} --role owner", SEKISHO_CONSOLE_PROJECT="")
    assert failed.returncode == 1 and (
        "SEKISHO_CONSOLE_PROJECT is not set: set it to the ID of a project for the operators alone, such as operators"
        in failed.stderr)
    unknown = fresh_installation.run(f"administrators invite {OWNER} --role root")
    assert unknown.returncode == 2 and "--role" in unknown.stderr


def test_signing_out_ends_the_session_and_a_new_sign_in_needs_both_factors(owner, console):
    visitor, secret = owner
    page = visitor.open("/console/demo/overview")
    cookies = visitor.session.cookies.copy()
    assert "Sign in to the console" in visitor.submit(page, "signOut").text
    response = requests.get(
        f"{console.url}/console/demo/overview", cookies=cookies, allow_redirects=False, timeout=30)
    assert response.status_code == 303
    assert "Sign out" in visitor.sign_in(secret, ahead=1).text
