"""The pages of `sekisho dev` for browsers, over HTTP."""

import html
import json
import re
import secrets
from urllib.parse import unquote_plus

import pytest
import requests

import gateway
from client import ADMIN_HEADERS, PASSWORD, fresh_email, ok_body, unverified_claims
from dev_pages import BROWSER_HEADERS, FORM_HEADERS, open_page
from installation import new_database

PAGES = [
    "/", "/console/demo/overview", "/console/demo/accounts", "/console/demo/newAccount", "/console/demo/settings",
    "/console/demo/audit", "/console/demo/events", "/console/demo/queues", "/console/demo/health", "/dev/emails", "/dev/codes",
    "/dev/events", "/dev/people", "/dev/clock", "/dev/requests", "/dev/data", "/nothing",
]
POST_PAGES = ["/console/demo/accounts", "/console/demo/newAccount", "/dev/clock", "/dev/people", "/dev/data"]
RIGHT_TO_LEFT = "\u202eevil\u202c"


@pytest.fixture(scope="module")
def other_dev(dev, folder):
    """A `dev` with a database of its own, whose projects and clock the tests may change."""
    path = folder / "start-page"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        yield running


def sign_up(dev, **members):
    body = {"email": fresh_email(), "password": PASSWORD, **members}
    return requests.post(f"{dev.url}/v1/accounts:signUp?key=any", json=body, timeout=30).json()


def look_up(dev, account_id, project="demo"):
    response = requests.post(
        f"{dev.url}/v1/projects/{project}/accounts:lookup", json={"localId": [account_id]}, headers=ADMIN_HEADERS,
        timeout=30)
    return response.json().get("users", [None])[0]


# Requests that every page must treat alike.

@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_small_and_safe(dev, path):
    page = open_page(dev, path)
    assert page.status == (404 if path == "/nothing" else 200)
    headers = page.response.headers
    assert len(page.response.content) <= 40 * 1024
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'; ")
    assert "'unsafe" not in headers["Content-Security-Policy"]
    assert (headers["Cache-Control"], headers["X-Frame-Options"]) == ("no-store", "DENY")
    assert headers["Cross-Origin-Resource-Policy"] == headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Referrer-Policy"] == "same-origin" and "Accept" in headers["Vary"]
    assert re.findall(r'(?:src|href|action)="(?:https?:)?//', page.html) == []
    assert (page.html.count("<script"), "script-src" in headers["Content-Security-Policy"]) == (
        (1, True) if path == "/dev/requests" else (0, False))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_never_readable_by_another_origin(dev, path):
    for origin in ("http://localhost:3000", "https://evil.example"):
        response = requests.get(dev.url + path, headers={**BROWSER_HEADERS, "Origin": origin}, timeout=30)
        assert not any(name.lower().startswith("access-control-") for name in response.headers)


@pytest.mark.parametrize("path", PAGES)
def test_another_host_name_gets_no_page(dev, path):
    assert open_page(dev, path, Host="evil.example").status == 421


def test_the_stylesheet_is_cached(dev):
    [path] = re.findall(r'<link rel="stylesheet" href="([^"]+)">', open_page(dev, "/").html)
    response = requests.get(dev.url + path, timeout=30)
    assert response.status_code == 200 and "immutable" in response.headers["Cache-Control"]
    assert response.headers["Content-Type"] == "text/css; charset=utf-8"


def test_other_clients_get_json_as_before(dev):
    for headers in ({}, {"Accept": "application/json"}, {"Accept": "*/*"}):
        state = requests.get(dev.url + "/", headers=headers, timeout=30)
        assert state.json()["authEmulator"]["ready"] is True and "Accept" in state.headers["Vary"]
        missing = requests.get(dev.url + "/nothing", headers=headers, timeout=30)
        assert missing.status_code == 404 and missing.json()["error"]["errorCode"] == "NOT_FOUND"
        assert "Accept" in missing.headers["Vary"]


@pytest.mark.parametrize("path", PAGES[:-1])
def test_opening_a_page_creates_no_project_and_no_tenant(other_dev, path):
    project = f"never-{secrets.token_hex(4)}"
    other = path.replace("/console/demo", f"/console/{project}")
    assert open_page(other_dev, other + ("" if other != path else f"?project={project}")).status == 404
    assert open_page(other_dev, path + "?tenant=never").status == 404
    projects = open_page(other_dev, "/").text
    assert project not in projects and "never" not in projects


SIGN_IN = "signIn?app=default&continueUri=http://localhost/done&state=s&code_challenge_method=S256&code_challenge=" + "A" * 43


def get(dev, path, **headers):
    return requests.get(dev.url + path, headers={**BROWSER_HEADERS, **headers}, timeout=30, allow_redirects=False)


@pytest.mark.parametrize("page", [SIGN_IN, "signOut", "account", "account/methods", "forgotPassword"])
def test_the_url_of_a_page_for_users_creates_no_project(other_dev, page):
    project = f"never-{secrets.token_hex(4)}"
    assert get(other_dev, f"/{project}/__/auth/{page}").status_code == 404
    assert project not in open_page(other_dev, "/").text


@pytest.mark.parametrize("url", [
    "/demo/__/auth/" + SIGN_IN + "&tenantId=",
    "/__/auth/handler?apiKey=any&appName=app&providerId=google.com&authType=signInViaRedirect"
    "&redirectUrl=http://localhost/&eventId=1&tid=",
], ids=["sign-in", "handler"])
def test_the_url_of_a_page_for_users_creates_no_tenant(other_dev, url):
    tenant = f"never-{secrets.token_hex(4)}"
    page = get(other_dev, url + tenant)
    assert page.status_code == 400 and page.headers["Content-Type"].startswith("text/html")
    assert open_page(other_dev, f"/console/demo/accounts?tenant={tenant}").status == 404


def test_a_cookie_creates_no_tenant(other_dev):
    tenant = f"never-{secrets.token_hex(4)}"
    cookie = f"sekisho-browser-demo={secrets.token_urlsafe(32)}.{tenant}"
    assert get(other_dev, "/demo/__/auth/account", Cookie=cookie).status_code == 303
    assert open_page(other_dev, f"/console/demo/accounts?tenant={tenant}").status == 404


@pytest.mark.parametrize("path", POST_PAGES)
@pytest.mark.parametrize("headers", [
    {}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"},
    {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
    {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, {"Sec-Fetch-Site": "same-origin"},
    {"Origin": "http://localhost:3000"}, {"Origin": "null"},
], ids=str)
def test_only_a_form_of_the_page_itself_is_accepted(dev, path, headers):
    page = open_page(dev, path)
    form = next(iter(page.forms))
    rejected = page.submit(form, headers=headers)
    assert rejected.status == 403


@pytest.mark.parametrize("token", ["", "x", "other form", "other page"])
def test_a_form_needs_its_own_token(dev, token):
    page = open_page(dev, "/dev/clock")
    other = {
        "other form": page.forms["freeze"].fields["formToken"],
        "other page": next(iter(open_page(dev, "/console/demo/newAccount").forms.values())).fields["formToken"],
    }.get(token, token)
    rejected = page.submit("advance", formToken=other)
    assert rejected.status == 403 and "Nothing was changed" in rejected.text


@pytest.mark.parametrize("query", [
    "done=delete", "done=freeze", "done=The+clock+is+frozen.", "done=The+clock+is+frozen.&proof=AAAA"])
def test_a_link_shows_no_notice_of_a_form(dev, query):
    assert 'role="status"' not in open_page(dev, f"/dev/clock?{query}").html


def test_a_browser_without_fetch_metadata_sends_the_origin(other_dev):
    page = open_page(other_dev, "/dev/clock")
    assert page.submit("reset", headers={"Origin": other_dev.url}).status == 200


# Accounts.

def test_the_language_and_the_time_zone_of_an_account_are_changed_and_removed(dev):
    page = open_page(dev, "/console/demo/newAccount").submit("create-account", email=fresh_email())
    account_id = re.search(r"[?&]id=([^&]+)", page.response.url)[1]
    page = page.submit("profile", language="pt-BR", timeZone="Europe/Berlin")
    user = look_up(dev, account_id)
    assert (user["language"], user["timeZone"]) == ("pt-BR", "Europe/Berlin")
    rejected = page.submit("profile", timeZone="Berlin/Europe")
    assert rejected.status == 400 and "time zone" in rejected.text
    page.submit("profile", language="", timeZone="")
    refused = page.submit("profile", timeZone="Europe/Paris")
    assert refused.status == 400 and "the stored value has changed meanwhile" in refused.text
    assert not {"language", "timeZone"} & set(look_up(dev, account_id))


def test_the_form_of_an_account_offers_every_language(dev):
    page = open_page(dev, "/console/demo/newAccount").submit("create-account", email=fresh_email())
    select = re.search(r'<select[^>]*name="language".*?</select>', page.html, re.DOTALL)[0]
    offered = set(re.findall(r'value="([^"]+)"', select))
    refused = page.submit("profile", language="tlh")
    assert offered == set(re.search(r"language must be one of ((?:[\w-]+, )+[\w-]+)", refused.html)[1].split(", "))


def test_an_account_is_created_changed_and_deleted(dev):
    email, new_email = fresh_email(), fresh_email()
    page = open_page(dev, "/console/demo/newAccount").submit(
        "create-account", email=email, password=PASSWORD, displayName="Ada Lovelace")
    assert page.status == 200 and "The account was created." in page.text
    account_id = re.search(r"[?&]id=([^&]+)", page.response.url)[1]
    page = page.submit("profile", displayName="Countess", email=new_email, emailVerified="true")
    assert page.status == 200 and "The profile was saved." in page.text
    page = page.submit("claims", customAttributes='{"role":"admin"}')
    page = page.submit("disable")
    user = look_up(dev, account_id)
    assert (user["displayName"], user["email"], user["emailVerified"]) == ("Countess", new_email, True)
    assert (user["customAttributes"], user["disabled"]) == ('{"role":"admin"}', True)
    page = page.submit("enable").submit("profile", displayName="")
    assert "displayName" not in look_up(dev, account_id)
    assert "account.updated" in page.text or "account." in page.text
    rejected = page.submit("delete", confirmed=None)
    assert rejected.status == 400 and look_up(dev, account_id)
    page = page.submit("delete", confirmed="true")
    assert page.status == 200 and "The account was deleted." in page.text
    assert look_up(dev, account_id) is None


def test_a_rejected_form_keeps_its_values_but_no_password(dev):
    taken = sign_up(dev)
    page = open_page(dev, "/console/demo/newAccount").submit(
        "create-account", email=taken["email"], password="a secret of mine", displayName="Ada")
    assert page.status == 400 and "EMAIL_EXISTS" in page.text and "Another account has this email address" in page.text
    assert "<title>Error: " in page.html and "a secret of mine" not in page.html
    fields = page.forms["create-account"].fields
    assert (fields["email"], fields["displayName"], fields["password"]) == (taken["email"], "Ada", "")


def found_accounts(running, text, project="demo"):
    """The page with the results of a search, whose URL does not contain the text."""
    page = open_page(running, f"/console/{project}/accounts").submit("search", q=text)
    assert "?search=" in page.response.url and text.strip() not in unquote_plus(page.response.url)
    return page


def test_accounts_are_found(dev):
    name, account = f"Name {secrets.token_hex(4)}", sign_up(dev)
    page = found_accounts(dev, account["email"])
    assert account["email"] in page.text and f"/console/demo/accounts/account?id={account['localId']}" in page.links
    assert account["email"] in found_accounts(dev, account["localId"][:12]).text
    assert "No account was found" in found_accounts(dev, name).text
    open_page(dev, f"/console/demo/accounts/account?id={account['localId']}").submit("disable")
    assert account["email"] in open_page(dev, "/console/demo/accounts?list=disabled").text
    assert account["email"] not in open_page(dev, "/console/demo/accounts?list=guest").text


def test_a_user_is_signed_out(dev):
    account = sign_up(dev)
    page = open_page(dev, f"/console/demo/accounts/account?id={account['localId']}").submit("sign-out")
    assert "Every session of the account has ended." in page.text
    refreshed = requests.post(
        f"{dev.url}/v1/token?key=any",
        data={"grant_type": "refresh_token", "refresh_token": account["refreshToken"]}, timeout=30)
    assert refreshed.status_code == 400


def test_a_developer_signs_in_as_a_user_and_sets_a_password(dev):
    account = sign_up(dev)
    page = open_page(dev, f"/console/demo/accounts/account?id={account['localId']}")
    tokens = page.submit("sign-in-as")
    assert tokens.status == 200
    token = re.search(r"eyJ[\w-]+\.[\w-]+\.[\w-]*", tokens.text)[0]
    assert unverified_claims(token)["sub"] == account["localId"]
    assert "The password was set." in page.submit("password", password="another secret").text
    signed_in = requests.post(
        f"{dev.url}/v1/accounts:signInWithPassword?key=any",
        json={"email": account["email"], "password": "another secret"}, timeout=30)
    assert signed_in.json()["localId"] == account["localId"]


def test_identities_are_linked_and_unlinked(dev):
    account, subject = sign_up(dev), secrets.token_hex(8)
    page = open_page(dev, f"/console/demo/accounts/account?id={account['localId']}").submit(
        "link", providerId="google.com", rawId=subject, email="ada@gmail.com")
    assert subject in page.text and "ada@gmail.com" in page.text
    page = page.submit("unlink-google.com")
    assert "The identity was unlinked." in page.text and subject not in page.text


def test_the_text_of_a_user_is_escaped_and_isolated(dev):
    name = f"<script>alert({secrets.randbelow(10**9)})</script>{RIGHT_TO_LEFT}"
    account = sign_up(dev, displayName=name)
    for path in ("/console/demo/accounts", f"/console/demo/accounts/account?id={account['localId']}"):
        page = open_page(dev, path)
        assert "<script" not in page.html and html.escape(name, quote=True).replace("&#x27;", "&#39;") in page.html
    nameless = requests.post(
        f"{dev.url}/v1/projects/demo/accounts", json={"displayName": name}, headers=ADMIN_HEADERS, timeout=30).json()
    page = open_page(dev, f"/console/demo/accounts/account?id={nameless['localId']}")
    assert f"<h1><bdi>{html.escape(name)}</bdi></h1>" in page.html
    assert f"<title>\u2068{html.escape(name)}\u2069 – Sekisho dev</title>" in page.html
    listed = found_accounts(dev, account["email"]).html
    assert f"<bdi>{html.escape(name)}</bdi>" in listed and f"<bdi>{account['email']}</bdi>" in listed


def test_each_form_shows_its_curl(dev):
    account = sign_up(dev)
    for path in ("/console/demo/newAccount", f"/console/demo/accounts/account?id={account['localId']}", "/dev/clock"):
        page = open_page(dev, path)
        assert page.html.count("curl &#39;http://127.0.0.1:") == len(page.forms)


def test_the_audit_trail_names_the_actor(dev):
    account = sign_up(dev)
    page = open_page(dev, f"/console/demo/accounts/account?id={account['localId']}").submit("disable")
    assert "emulator" in page.text


def test_a_tenant_has_pages_of_its_own(dev):
    account = sign_up(dev, tenantId="start-page")
    assert account["email"] not in open_page(dev, "/console/demo/accounts").text
    page = open_page(dev, "/console/demo/accounts?tenant=start-page")
    assert account["email"] in page.text
    page = open_page(dev, f"/console/demo/accounts/account?id={account['localId']}&tenant=start-page").submit("disable")
    assert page.status == 200 and "The account is disabled." in page.text
    assert "Tenant: start-page" in page.text


def test_the_switches_lead_to_projects_and_tenants(other_dev):
    sign_up(other_dev, tenantId="switched")
    page = open_page(other_dev, "/dev/emails")
    assert "/?project=demo" in page.links and "/?project=demo&tenant=switched" in page.links
    tenant = open_page(other_dev, "/?project=demo&tenant=switched")
    assert "Tenant: switched" in tenant.text
    assert "/console/demo/accounts?tenant=switched" in tenant.links


# Requests.

def newest_request(dev, path):
    listed = open_page(dev, f"/dev/requests?q={path}")
    [number] = re.findall(r"/dev/requests/(\d+)", listed.html)[:1]
    return open_page(dev, f"/dev/requests/{number}")


def test_a_refusal_is_listed_and_explained(dev):
    account = sign_up(dev)
    requests.post(
        f"{dev.url}/v1/accounts:signInWithPassword?key=any",
        json={"email": account["email"], "password": "not the password"}, timeout=30)
    listed = open_page(dev, "/dev/requests?q=signInWithPassword")
    assert "400 INVALID_PASSWORD" in listed.text and "The password is wrong" in listed.text
    page = newest_request(dev, "signInWithPassword")
    assert account["email"] in page.text and "curl 'http://127.0.0.1:" in page.text
    assert "not the password" not in page.html + listed.html


def test_secrets_are_masked_and_tokens_decoded(dev):
    account = sign_up(dev)
    refreshed = requests.post(
        f"{dev.url}/v1/token?key=any",
        data={"grant_type": "refresh_token", "refresh_token": account["refreshToken"]}, timeout=30).json()
    page = newest_request(dev, "v1/token")
    assert refreshed["refresh_token"] not in page.html and account["refreshToken"] not in page.html
    assert refreshed["id_token"] not in page.html
    assert '"claims"' in page.text and account["localId"] in page.text


@pytest.mark.parametrize("body, content_type", [
    (b'{"password":"LEAKED', "application/json"), (b'{"password":"a=LEAKED"', "application/json"),
    (b'{"password":{"a":"LEAKED"}}', "application/json"), (b'{"newPassword":["LEAKED"]}', "application/json"),
    (b'{"postBody":"id_token=LEAKED&providerId=google.com"}', "application/json"),
    (b'{"postBody":"%zz&id_token=LEAKED"}', "application/json"),
    (b'{"nested":[{"client_secret":"LEAKED"}]}', "application/json"), (b"LEAKED", "text/plain"),
    (b"password=LEAKED&x=1", "application/x-www-form-urlencoded"),
    (b"grant_type=refresh_token&refresh_token=LEAKED", "application/x-www-form-urlencoded"),
])
def test_no_secret_of_a_body_is_kept(dev, body, content_type):
    path = f"/v1/unknown/{secrets.token_hex(6)}"
    requests.post(dev.url + path, data=body, params={"oobCode": "LEAKED"}, headers={"Content-Type": content_type}, timeout=30)
    page = newest_request(dev, path)
    assert "LEAKED" not in page.html and path in page.text and "none has this path and method" in page.text


def test_new_rows_follow_the_last_one(dev):
    listed = open_page(dev, "/dev/requests")
    last = re.search(r'data-last="(\d+)"', listed.html)[1]
    path = f"/v1/unknown/{secrets.token_hex(6)}"
    requests.get(dev.url + path, timeout=30)
    rows = requests.get(dev.url + "/dev/requests/rows", params={"after": last}, headers=BROWSER_HEADERS, timeout=30)
    assert path in rows.text and int(rows.headers["X-Last-Row"]) > int(last)
    assert "Access-Control-Allow-Origin" not in rows.headers
    assert requests.get(dev.url + "/dev/requests/rows", params={"after": rows.headers["X-Last-Row"]}, timeout=30).text == ""


def test_pages_are_not_in_the_list_of_requests(dev):
    found_accounts(dev, "needle")
    assert "/console/" not in open_page(dev, "/dev/requests").text


# Emails, codes and the clock.

def test_an_email_is_shown_in_every_view(dev, client):
    account = sign_up(dev)
    ok_body(client.call("sendOobCode", {"requestType": "PASSWORD_RESET", "email": account["email"]}))
    listed = open_page(dev, "/dev/emails")
    path = html.unescape(re.search(rf'href="([^"]+)"><bdi>[^<]*</bdi></a><bdi>{re.escape(account["email"])}', listed.html)[1])
    for view, expected in [("html", "<iframe sandbox="), ("dark", 'class="dark"'), ("narrow", 'class="narrow"'),
                           ("text", "The email as text"), ("headers", "Message ID")]:
        page = open_page(dev, f"{path}&view={view}")
        assert page.status == 200 and expected in page.html
        assert any("/__/auth/action?mode=resetPassword" in (link or "") for link in page.links)
    codes = open_page(dev, "/dev/codes")
    assert account["email"] in codes.text and "valid" in codes.text


def test_the_clock_is_changed_and_every_page_says_so(other_dev):
    page = open_page(other_dev, "/dev/clock").submit("advance", advanceSeconds="86400")
    assert "The clock was advanced." in page.text
    for path in ("/", "/console/demo/accounts", "/dev/requests", "/nothing"):
        assert "The clock was changed" in open_page(other_dev, path).text
    page = open_page(other_dev, "/dev/clock").submit("freeze")
    assert "The clock is frozen at" in page.text
    page = page.submit("reset")
    assert "The clock was reset." in page.text and "Reset it" not in page.text


def test_the_start_page_shows_what_is_new_and_how_to_connect(dev, client):
    account = sign_up(dev)
    ok_body(client.call("sendOobCode", {"requestType": "PASSWORD_RESET", "email": account["email"]}))
    page = open_page(dev, "/")
    assert account["email"] in page.text and "signUp" in page.text and "sendOobCode" in page.text
    port = dev.url.rsplit(":", 1)[1]
    for line in (f'connectAuthEmulator(auth, "{dev.url}")', f"FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:{port}",
                 f'useEmulator(withHost: "127.0.0.1", port: {port})', f"curl '{dev.url}/v1/accounts:signUp?key=any'"):
        assert line in page.text


# Simulated people, settings and data.

def sign_in_with_apple(dev, person):
    simulated = requests.post(
        f"{dev.url}/emulator/v1/projects/demo/simulatedSignIns", json={"providerId": "apple.com", "person": person},
        timeout=30).json()
    body = {"requestUri": "http://localhost", "postBody": simulated["postBody"]}
    return requests.post(f"{dev.url}/v1/accounts:signInWithIdp?key=any", json=body, timeout=30).json()


def account_path(account):
    return f"/console/demo/accounts/account?id={account['localId']}"


def test_a_person_signs_in_at_each_provider(dev):
    email = fresh_email()
    open_page(dev, "/dev/people").submit("create-person", givenName="Grace", email=email)
    path = f"/dev/people/person?id={email}"
    page = open_page(dev, path)
    assert "None in this project or tenant." in page.text
    result = page.submit("sign-in-apple.com")
    claims = unverified_claims(re.search(r"eyJ[\w-]+\.[\w-]+\.[\w-]*", result.text)[0])
    assert claims["firebase"]["sign_in_provider"] == "apple.com"
    [account] = [link for link in result.links if "/accounts/account?" in (link or "")]
    assert claims["sub"] in account
    page = open_page(dev, path)
    assert account in page.links and "com.example.app" in page.text
    assert any("/dev/people/person?" in (link or "") for link in open_page(dev, account).links)
    result = page.submit("sign-in-google.com")
    assert result.status == 200
    open_page(dev, account).submit("disable")
    rejected = page.submit("sign-in-apple.com")
    assert rejected.status == 400 and "USER_DISABLED" in rejected.text


def test_only_a_submitted_form_signs_a_person_in(dev):
    email = fresh_email()
    open_page(dev, "/dev/people").submit("create-person", givenName="Grace", email=email)
    path = f"/dev/people/person?id={email}"
    open_page(dev, path)
    assert open_page(dev, path).submit("sign-in-apple.com", formToken="x").status == 403
    page = open_page(dev, path)
    assert "None in this project or tenant." in page.text and "has not signed in to an app" in page.text


@pytest.mark.parametrize("identifier", [".", "..", "a/b", "a?b&c=d", "%2E", " "])
def test_every_id_has_a_page(dev, identifier):
    created = open_page(dev, "/console/demo/newAccount").submit("create-account", localId=identifier, guest="true")
    assert created.status == 200 and "The account was created." in created.text
    created.submit("disable")
    assert look_up(dev, identifier)["disabled"]
    assert created.submit("delete", confirmed="true").status == 200 and look_up(dev, identifier) is None
    requests.patch(
        f"{dev.url}/emulator/v1/projects/demo/simulators",
        json={"people": [{"id": identifier, "givenName": "Ada"}]}, timeout=30)
    [path] = [link for link in open_page(dev, "/dev/people").links if "/dev/people/person?" in (link or "")][:1]
    assert "Ada Byron" in open_page(dev, path).submit("person", familyName="Byron").text


def test_a_guest_is_a_choice(dev):
    page = open_page(dev, "/console/demo/newAccount")
    rejected = page.submit("create-account", displayName="Ada")
    assert rejected.status == 400 and "choose a guest" in rejected.text
    assert page.submit("create-account", guest="true", email=fresh_email()).status == 400
    phone = f"+1555{secrets.randbelow(10**7):07}"
    assert "guest" not in page.submit("create-account", phoneNumber=phone).text.split("Audit trail")[0].lower()
    assert "Guest" in page.submit("create-account", guest="true").text


def test_an_error_has_its_code_its_message_and_its_explanation(dev):
    page = open_page(dev, "/console/demo/newAccount")
    rejected = page.submit("create-account", email=fresh_email(), password="short")
    assert "WEAK_PASSWORD" in rejected.text and "The password does not meet" in rejected.text and " : " not in rejected.text
    rejected = page.submit("create-account", email=fresh_email(), localId="x" * 129)
    assert rejected.status == 400 and "/localId" not in rejected.text


def test_a_form_that_is_too_large_gets_a_page(dev):
    page = open_page(dev, "/dev/data").submit("import", accounts="x" * 70_000)
    assert page.status == 413 and "The form is too large" in page.text and "/dev/data?project=demo" in page.links
    response = requests.post(
        dev.url + "/dev/data", data="x" * 70_000, headers={**BROWSER_HEADERS, "Host": "evil.example"}, timeout=30)
    assert response.status_code in (413, 421) and "/dev/data" not in response.text


def test_older_requests_are_listed(dev):
    for number in range(90):
        requests.get(f"{dev.url}/v1/older/{number:03}", timeout=30)
    page, seen = open_page(dev, "/dev/requests?q=v1/older/"), []
    while True:
        seen += re.findall(r"/v1/older/(\d+)", page.html)
        older = re.findall(r'<a href="([^"]+)">Older</a>', page.html)
        if not older or len(seen) > 1000:
            break
        page = open_page(dev, html.unescape(older[0]))
        assert "<script" not in page.html
    assert sorted(set(seen)) == [f"{number:03}" for number in range(90)]
    requests.get(f"{dev.url}/docs", headers=BROWSER_HEADERS, timeout=30)
    assert "getReference" not in open_page(dev, "/dev/requests").text


def test_accounts_are_paged(other_dev):
    project = f"paged-{secrets.token_hex(4)}"
    open_page(other_dev, f"/console/{project}/accounts").submit("create-realm")
    users = [{"localId": f"page-{number}", "createdAt": f"{1_700_000_000_000 + number}", "displayName": f"Name {number}",
              "email": f"user{number}@example.com"} for number in range(120)]
    requests.post(
        f"{other_dev.url}/v1/projects/{project}/accounts:batchCreate", json={"users": users}, headers=ADMIN_HEADERS,
        timeout=30)
    path, seen = f"/console/{project}/accounts", []
    while path:
        page = open_page(other_dev, path)
        seen += [int(number) for number in re.findall(r">(?:<bdi>)?user(\d+)@example.com", page.html)]
        following = re.findall(r'<a href="([^"]+)">Next page</a>', page.html)
        path = html.unescape(following[0]) if following else None
    assert seen == list(reversed(range(120)))
    assert f"/console/{project}/accounts?list=newest" in page.links
    for text in (" name 119 ", "USER119@example.com", "page-119"):
        found = found_accounts(other_dev, text, project).text
        assert "user119@example.com" in found and "user118" not in found


def test_a_disabled_account_says_why_it_cannot_sign_in(dev):
    account = sign_up(dev)
    path = f"/console/demo/accounts/account?id={account['localId']}"
    page = open_page(dev, path)
    assert "Nothing is known to stop a sign-in." in page.text
    disabled = page.submit("disable")
    assert "<p>The user cannot sign in:</p><ul><li>The account is disabled. Enable it.</li></ul>" in disabled.html


def test_the_audit_trail_is_a_file_of_json_lines(dev):
    account = sign_up(dev)
    path = f"/console/demo/accounts/account?id={account['localId']}"
    for form in ("disable", "enable"):
        open_page(dev, path).submit(form)
    page = open_page(dev, f"/console/demo/audit?subject={account['localId']}")
    link = next(link for link in page.links if "/audit/file?" in link)
    response = requests.get(dev.url + link, headers=BROWSER_HEADERS, timeout=30)
    events = [json.loads(line) for line in response.text.splitlines()]
    assert [event["action"] for event in events] == ["account.enabled", "account.disabled"]
    assert {event["subject"] for event in events} == {account["localId"]}
    assert response.headers["Content-Disposition"] == 'attachment; filename="audit.jsonl"'


def apple_identity(dev, account):
    [identity] = [
        one for one in look_up(dev, account["localId"])["providerUserInfo"] if one["providerId"] == "apple.com"]
    return identity


def test_a_person_is_created_and_changed(dev):
    email = fresh_email()
    page = open_page(dev, "/dev/people").submit("create-person", givenName="Mary", email=email, hidesEmail="true")
    assert "The person was saved." in page.text and email in page.text
    page = open_page(dev, f"/dev/people/person?id={email}").submit("person", familyName="Somerville")
    assert "Mary Somerville" in page.text and page.forms["person"].fields["hidesEmail"] == "true"


def test_what_a_person_does_at_apple_reaches_the_account(dev):
    person = {"id": secrets.token_hex(8), "givenName": "Grace", "email": fresh_email(), "hidesEmail": True}
    account = sign_in_with_apple(dev, person)
    page = open_page(dev, f"/dev/people/person?id={person['id']}")
    assert "Stop the relay" in page.text and "Resume the relay" not in page.text
    page = page.submit("relay-com.example.app")
    assert "The relay was changed." in page.text
    assert apple_identity(dev, account)["emailForwarding"] is False
    assert "relay stopped" in open_page(dev, f"/console/demo/accounts/account?id={account['localId']}").text
    assert "Resume the relay" in page.text and "Stop the relay" not in page.text
    page = page.submit("relay-com.example.app")
    assert apple_identity(dev, account)["emailForwarding"] is True
    page = page.submit("disconnect-com.example.app")
    assert "no longer uses Sign in with Apple" in page.text
    assert "has not signed in to an app" not in page.text and "com.example.app disconnected just now" in page.text
    assert "The user disconnected the app" in open_page(dev, account_path(account)).text
    assert apple_identity(dev, account)["credentialState"] == "REVOKED"
    assert "consent-revoked" in open_page(dev, "/dev/people").text


def test_faults_keys_and_teams_of_the_simulated_providers_are_changed(other_dev):
    page = open_page(other_dev, "/dev/people")
    assert "The fault of Apple was set." in page.submit("fault-apple", fault="outage").text
    assert "Google signs with a new key." in page.submit("rotate-google").text
    assert "The app belongs to another team." in page.submit("transfer").text
    rejected = page.submit("transfer", transferToTeam="short")
    assert rejected.status == 400 and "ten upper-case letters or digits" in rejected.text
    assert "The providers behave as at the start." in page.submit("reset-simulators").text


def test_the_signing_key_of_a_new_project_is_young(dev):
    assert re.search(r"The key has signed for \d{1,2} days\.", open_page(dev, "/console/demo/health").text)


def test_policies_are_changed(other_dev):
    page = open_page(other_dev, "/console/demo/settings").submit("policies", **{"signIn.anonymous.enabled": None})
    assert page.status == 200 and "The policies were saved." in page.text
    assert "signIn.anonymous.enabled" not in page.forms["policies"].fields
    signed_up = requests.post(f"{other_dev.url}/v1/accounts:signUp?key=any", json={}, timeout=30)
    assert signed_up.status_code == 400
    page = page.submit("policies", **{"signIn.anonymous.enabled": "true"})
    page = page.submit("domains", authorizedDomains="localhost\r\nexample.com\r\n")
    assert page.forms["domains"].fields["authorizedDomains"] == "localhost\nexample.com"


def test_providers_are_changed(other_dev):
    page = open_page(other_dev, "/console/demo/providers")
    page = page.submit("provider-google.com", clientIds="demo.apps.googleusercontent.com\r\nsecond.apps.example")
    assert page.status == 200 and "The provider was saved." in page.text and "second.apps.example" in page.html
    page = page.submit(
        "add-provider", id="oidc.acme", displayName="Acme", issuer="http://127.0.0.1:1", clientId="client")
    assert page.status in (200, 400)


def test_a_tenant_is_created_and_deleted(other_dev):
    page = open_page(other_dev, "/console/demo/tenants").submit("create-tenant", displayName="acme")
    assert page.status == 200 and "The tenant was created." in page.text
    tenant = re.search(r"tenant=([\w-]+)", page.html)[1]
    policies = open_page(other_dev, f"/console/demo/settings?tenant={tenant}").submit("policies", disableAuth="true")
    assert policies.forms["policies"].fields["disableAuth"] == "true"
    page = open_page(other_dev, f"/console/demo/tenants?tenant={tenant}").submit("delete-tenant", confirmed="true")
    assert "The tenant was deleted." in page.text


def test_pages_stay_small_with_much_data(other_dev):
    project = f"much-{secrets.token_hex(4)}"
    open_page(other_dev, f"/console/{project}/accounts").submit("create-realm")
    users = [{"localId": f"many-{number}", "displayName": "<" * 256} for number in range(60)]
    created = requests.post(
        f"{other_dev.url}/v1/projects/{project}/accounts:batchCreate", json={"users": users}, headers=ADMIN_HEADERS,
        timeout=30)
    assert created.json().get("error") is None
    for number in range(60):
        requests.get(f"{other_dev.url}/v1/{number}/{'%3C' * 600}", timeout=30)
        requests.patch(
            f"{other_dev.url}/emulator/v1/projects/{project}/simulators",
            json={"people": [{"id": f"{number}", "givenName": "<" * 100, "email": f"{number}{'x' * 50}@example.com"}]},
            timeout=30)
    for path in PAGES:
        path = path.replace("/demo/", f"/{project}/")
        page = open_page(other_dev, path + ("" if project in path else f"?project={project}"))
        assert len(page.response.content) <= 40 * 1024, path


def test_a_missing_project_is_created_only_by_its_form(other_dev):
    project = f"new-{secrets.token_hex(4)}"
    page = open_page(other_dev, f"/console/{project}/accounts")
    assert page.status == 404
    assert page.submit("create-realm").status == 200
    assert open_page(other_dev, f"/console/{project}/accounts").status == 200


def test_data_is_exported_cleared_and_imported(other_dev):
    project = f"data-{secrets.token_hex(4)}"
    open_page(other_dev, f"/console/{project}/accounts").submit("create-realm")
    page = open_page(other_dev, f"/dev/data?project={project}")
    assert "20 of 20 accounts were imported." in page.submit("samples").text
    exported = requests.get(f"{other_dev.url}/dev/data/export?project={project}", timeout=30)
    assert exported.headers["Content-Disposition"] == f'attachment; filename="{project}.json"'
    assert len(exported.json()["users"]) == 20 and "Access-Control-Allow-Origin" not in exported.headers
    rejected = page.submit("clear", confirmation="demo")
    assert rejected.status == 400 and look_up(other_dev, "sample-1", project)
    assert "All accounts were deleted." in page.submit("clear", confirmation=project).text
    assert look_up(other_dev, "sample-1", project) is None
    imported = requests.post(
        f"{other_dev.url}/v1/projects/{project}/accounts:batchCreate", data=exported.content,
        headers={**ADMIN_HEADERS, "Content-Type": "application/json"}, timeout=30)
    assert imported.json().get("error") is None and look_up(other_dev, "sample-1", project)
    assert f"accounts:batchCreate' \\ -H 'Authorization: Bearer owner'" in page.text and f"@{project}.json" in page.text
    page.submit("clear", confirmation=project)
    assert "20 of 20 accounts were imported." in page.submit("import", accounts=exported.text).text
    partly = page.submit("import", accounts='{"users":[{"localId":"good"},{"localId":"bad","email":"x"}]}').text
    assert "1 of 2 accounts were imported." in partly and "2 bad" in " ".join(re.sub("(?<=\\d)bad", " bad", partly).split())
    assert look_up(other_dev, "sample-1", project)["displayName"] == "Ada Lovelace"
    assert "This is not JSON" in page.submit("import", accounts="{").text
