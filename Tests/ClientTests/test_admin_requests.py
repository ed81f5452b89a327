"""Requests as Firebase's Admin SDKs for Java and Go send them, byte for byte, to `sekisho dev` as their emulator.

These SDKs are not part of the tests' environment. The texts below were written from the SDKs' sources and from recorded
requests; only the placeholders in braces differ from run to run.
"""

import base64
import http.client
import json
import secrets
import socket
from urllib.parse import urlsplit

import pytest

from client import PASSWORD, fresh_email, unverified_claims

# Java's default transport has no PATCH: it sends POST with a header field that names the method.
JAVA = """\
{method} {target} HTTP/1.1\r
Accept-Encoding: gzip\r
Authorization: Bearer owner\r
User-Agent: Google-HTTP-Java-Client/1.45.1 (gzip)\r
x-client-version: Java/Admin/9.4.3\r
{override}\
Content-Type: application/json; charset=UTF-8\r
Host: {host}\r
Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2\r
Connection: keep-alive\r
{framing}\r
\r
"""
GO = """\
{method} {target} HTTP/1.1\r
Host: {host}\r
User-Agent: Go-http-client/1.1\r
{framing}\r
Authorization: Bearer owner\r
Content-Type: application/json\r
X-Client-Version: Go/Admin/4.15.2\r
X-Goog-Api-Client: gl-go/1.22.5 fire-admin/4.15.2\r
Accept-Encoding: gzip\r
\r
"""

pytestmark = pytest.mark.parametrize("chunked", [False, True], ids=["content-length", "chunked"])


class SDK:
    """Sends the requests of one SDK."""

    def __init__(self, gateway, head, chunked):
        self.host = urlsplit(gateway.url).netloc
        self.head, self.chunked = head, chunked
        self.overrides_patch = head is JAVA

    def send(self, method, path, body=None):
        """Sends a request below `/identitytoolkit.googleapis.com`, and returns the status and the JSON of the response.

        Without a body, Java sends an empty one, and Go none.
        """
        content = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
        override = ""
        if method == "PATCH" and self.overrides_patch:
            method, override = "POST", "x-http-method-override: PATCH\r\n"
        framing = "Transfer-Encoding: chunked" if self.chunked else f"Content-Length: {len(content)}"
        head = self.head.format(
            method=method, target=f"/identitytoolkit.googleapis.com{path}", host=self.host, override=override,
            framing=framing)
        if self.chunked:
            content = (b"%x\r\n%s\r\n" % (len(content), content) if content else b"") + b"0\r\n\r\n"
        with socket.create_connection(self.host.split(":"), timeout=30) as connection:
            connection.sendall(head.encode() + content)
            response = http.client.HTTPResponse(connection, method=method)
            response.begin()
            return response.status, json.loads(response.read())

    def ok(self, *arguments):
        status, body = self.send(*arguments)
        assert status == 200, body
        return body


@pytest.fixture(params=[JAVA, GO], ids=["java", "go"])
def sdk(fresh_dev, request, chunked):
    return SDK(fresh_dev, request.param, chunked)


@pytest.fixture
def ada(sdk):
    """A new user, with `localId` and `email`."""
    user = {"email": fresh_email(), "password": PASSWORD, "displayName": "Ada", "emailVerified": True}
    return user | sdk.ok("POST", "/v1/projects/demo/accounts", user)


def base64url(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_users_are_looked_up_changed_and_deleted(sdk, ada):
    uid = ada["localId"]
    assert sdk.ok("POST", "/v1/projects/demo/accounts:lookup", {"localId": [uid]})["users"][0]["email"] == ada["email"]
    change = {"localId": uid, "displayName": "New", "disableUser": True, "deleteAttribute": ["PHOTO_URL"]}
    assert sdk.ok("POST", "/v1/projects/demo/accounts:update", change)["localId"] == uid
    claims = {"localId": uid, "customAttributes": '{"role":"editor"}'}
    sdk.ok("POST", "/v1/projects/demo/accounts:update", claims)
    assert sdk.ok("GET", "/v1/projects/demo/accounts:batchGet?maxResults=1000")["users"]
    deleted = sdk.ok("POST", "/v1/projects/demo/accounts:batchDelete", {"localIds": [uid], "force": True})
    assert "errors" not in deleted or deleted["errors"] == []
    assert "users" not in sdk.ok("POST", "/v1/projects/demo/accounts:lookup", {"email": [ada["email"]]})


def test_a_provider_is_configured(sdk):
    identifier = f"oidc.{secrets.token_hex(4)}"
    issuer = f"https://{identifier}.example.com"
    config = {"displayName": "Acme", "clientId": "client", "issuer": issuer, "enabled": True}
    created = sdk.ok("POST", f"/v2/projects/demo/oauthIdpConfigs?oauthIdpConfigId={identifier}", config)
    assert created["name"].endswith(identifier)
    path = f"/v2/projects/demo/oauthIdpConfigs/{identifier}"
    changed = sdk.ok("PATCH", f"{path}?updateMask=clientId,displayName", {"clientId": "new", "displayName": "New"})
    assert (changed["clientId"], changed["displayName"]) == ("new", "New")
    assert sdk.ok("GET", path)["clientId"] == "new"
    assert sdk.ok("DELETE", path) == {}
    assert sdk.send("GET", path)[0] == 404


def test_a_tenant_is_created_changed_and_deleted(sdk):
    tenant = sdk.ok("POST", "/v2/projects/demo/tenants", {"displayName": "Acme", "allowPasswordSignup": True})
    path = f"/v2/projects/demo/tenants/{tenant['name'].split('/')[-1]}"
    changed = sdk.ok("PATCH", f"{path}?updateMask=displayName", {"displayName": "New"})
    assert changed["displayName"] == "New"
    assert sdk.ok("GET", "/v2/projects/demo/tenants?pageSize=100")["tenants"]
    assert sdk.ok("DELETE", path) == {}


def test_a_custom_token_signs_in_and_a_cookie_is_created(sdk, ada):
    # The token that Java's SDK creates for an emulator has an empty signature, although it names RS256.
    header = {"alg": "RS256", "typ": "JWT"} if sdk.head is JAVA else {"alg": "none", "typ": "JWT"}
    claims = {
        "iss": "firebase-auth-emulator@example.com", "sub": "firebase-auth-emulator@example.com", "uid": ada["localId"],
        "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
        "iat": 1_700_000_000, "exp": 1_700_003_600, "claims": {"plan": "gold"},
    }
    token = f"{base64url(header)}.{base64url(claims)}."
    session = sdk.ok(
        "POST", "/v1/accounts:signInWithCustomToken?key=any", {"token": token, "returnSecureToken": True})
    assert unverified_claims(session["idToken"])["plan"] == "gold"
    cookie = sdk.ok(
        "POST", "/v1/projects/demo:createSessionCookie", {"idToken": session["idToken"], "validDuration": 3600})
    assert unverified_claims(cookie["sessionCookie"])["sub"] == ada["localId"]


def test_a_password_is_reset_with_the_old_one_beside_the_code(sdk, ada):
    request = {"requestType": "PASSWORD_RESET", "email": ada["email"], "returnOobLink": True}
    code = sdk.ok("POST", "/v1/projects/demo/accounts:sendOobCode", request)["oobCode"]
    reset = {"email": ada["email"], "oldPassword": PASSWORD, "newPassword": "staple battery horse", "oobCode": code}
    assert sdk.ok("POST", "/v1/accounts:resetPassword?key=any", reset)["email"] == ada["email"]


def test_users_are_imported(sdk):
    uid = secrets.token_hex(8)
    users = [{"localId": uid, "email": fresh_email(), "passwordHash": "AQID", "salt": "c2FsdA", "emailVerified": True}]
    body = {"users": users, "hashAlgorithm": "BCRYPT"}
    status, answer = sdk.send("POST", "/v1/projects/demo/accounts:batchCreate", body)
    assert status == 200, answer
    body = {"users": [{"localId": uid, "email": fresh_email()}]}
    assert "error" not in sdk.ok("POST", "/v1/projects/demo/accounts:batchCreate", body)
