"""A client that checks each response of a running gateway against openapi.yaml."""

import secrets
from dataclasses import dataclass

import jwt
import requests

from contract import code_in_message, error_code

PASSWORD = "correct horse battery"
# Default of the argument `api_key` of `Client.call`; stands for the API key of the gateway.
API_KEY = object()
# The HTTP header with which a request authenticates as an administrator of `dev`.
ADMIN_HEADERS = {"Authorization": "Bearer owner"}


def fresh_email():
    return f"{secrets.token_hex(8)}@example.com"


def unverified_claims(token):
    """The claims of a JWT. The signature of the token is not verified."""
    return jwt.decode(token, options={"verify_signature": False})


def ok_body(response):
    """The body of a response with status 200."""
    assert response.status == 200, response.body
    return response.body


@dataclass
class Response:
    status: int
    body: object

    @property
    def code(self):
        """The error code; `None` if the body is not an error in JSON."""
        is_error = isinstance(self.body, dict) and isinstance(self.body.get("error"), dict)
        return error_code(self.body) if is_error else None


class Client:
    def __init__(self, gateway, contract):
        self.gateway = gateway
        self.contract = contract

    def call(self, operation_id, json=None, *, api_key=API_KEY, path=None, **options):
        """Sends a request and fails if openapi.yaml does not describe the response.

        `json` is the body, which is sent as a form if the operation takes one. `api_key` is the key to send (default:
        the gateway's); `None` sends none. `path` holds the path parameters except the project; `options` are passed to
        `requests`.
        """
        operation = self.contract.operations[operation_id]
        path = operation.path.format(project=self.gateway.project, **(path or {}))
        if operation.body["security"] and api_key:
            key = self.gateway.api_key if api_key is API_KEY else api_key
            options["params"] = options.get("params", {}) | {"key": key}
        body = {"data" if operation.takes_form else "json": json} if json is not None else {}
        response = requests.request(operation.method, self.gateway.url + path, timeout=30, **body, **options)
        return self._checked(operation, response)

    def _checked(self, operation, response):
        if "Authorization" in response.request.headers:
            operation = self.contract.with_service_key(operation)
        where = f"{response.request.method} {response.request.path_url}: {response.status_code} {response.text[:500]}"
        described = operation.response(response.status_code)
        assert described, f"response not in the contract: {where}"
        if response.status_code == 503 and operation.body["tags"] != ["Operations"]:
            assert "Retry-After" in response.headers, where
        if "content" not in described:
            assert not response.content, where
            return Response(response.status_code, response.text)
        media_type = response.headers["Content-Type"].split(";")[0].strip()
        assert media_type in described["content"], f"{media_type} is not in the contract: {where}"
        if media_type != "application/json":
            return Response(response.status_code, response.text)
        result = Response(response.status_code, response.json())
        assert self.contract.schema_errors(described["content"][media_type]["schema"], result.body) == [], where
        if result.code:
            assert result.code in operation.error_codes, f"{result.code} is not in the contract: {where}"
            assert result.body["error"]["code"] == result.status, where
            # Firebase's clients read the code in the message, and do not know that of status 501.
            known = "OPERATION_NOT_ALLOWED" if result.code == "NOT_IMPLEMENTED" else result.code
            assert code_in_message(result.body["error"]) in (known, None), where
        if result.code == "TOO_MANY_ATTEMPTS_TRY_LATER":
            assert int(response.headers["Retry-After"]) > 0, where
        return result

    def sign_up(self, **fields):
        """Signs up and returns the session: the response, which must be a success."""
        return ok_body(self.call("signUp", fields))

    def new_account(self):
        """Signs up with a new email address and ``PASSWORD``, and returns the session."""
        return self.sign_up(email=fresh_email(), password=PASSWORD, displayName="Ada")

    def refresh(self, session, **more):
        """Refreshes the ID token of a session, and returns the `Response`, which may be an error."""
        body = {"grant_type": "refresh_token", "refresh_token": session["refreshToken"]} | more
        return self.call("refreshTokens", body)

    def create_action_code(self, request_type, email, **more):
        """Creates an email action code as a backend, and returns the response, with `oobCode` and `oobLink`.

        The gateway must be `dev`. `more` are further members of the request.
        """
        body = {"requestType": request_type, "email": email, "returnOobLink": True} | more
        return ok_body(self.call("sendProjectOobCode", body, api_key=None, headers=ADMIN_HEADERS))

    def lookup(self, session):
        """Returns the account of a session."""
        [user] = self.call("lookUpOwnAccount", {"idToken": session["idToken"]}).body["users"]
        return user
