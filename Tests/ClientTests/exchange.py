"""One request to a running gateway, its answer held against the contract."""

import secrets
from dataclasses import dataclass

import requests

from contract import error_code

PASSWORD = "correct horse battery"
API_KEY = object()


def fresh_email():
    return f"{secrets.token_hex(8)}@example.com"


@dataclass
class Answer:
    status: int
    body: object

    @property
    def code(self):
        """The error code; `None` if nothing was refused."""
        refused = isinstance(self.body, dict) and isinstance(self.body.get("error"), dict)
        return error_code(self.body) if refused else None


class Client:
    def __init__(self, gateway, contract):
        self.gateway = gateway
        self.contract = contract

    def call(self, operation_id, json=None, *, key=API_KEY, path=None, **options):
        """`path` fills in what is not the project; `options` are those of `requests`; every answer must be one the
        contract knows."""
        operation = self.contract.operations[operation_id]
        path = operation.path.format(project=self.gateway.project, **(path or {}))
        if operation.body["security"] and key:
            options["params"] = options.get("params", {}) | {"key": self.gateway.api_key if key is API_KEY else key}
        response = requests.request(operation.method, self.gateway.url + path, json=json, timeout=30, **options)
        return self._checked(operation, response)

    def _checked(self, operation, response):
        where = f"{response.request.method} {response.request.path_url}: {response.status_code} {response.text[:500]}"
        described = operation.response(response.status_code)
        assert described, f"no such answer in the contract: {where}"
        if response.status_code == 503 and operation.body["tags"] != ["Operations"]:
            assert "Retry-After" in response.headers, where
        if "content" not in described:
            assert not response.content, where
            return Answer(response.status_code, response.text)
        media_type = response.headers["Content-Type"].split(";")[0].strip()
        assert media_type in described["content"], f"{media_type} is not in the contract: {where}"
        if media_type != "application/json":
            return Answer(response.status_code, response.text)
        answer = Answer(response.status_code, response.json())
        assert self.contract.faults(described["content"][media_type]["schema"], answer.body) == [], where
        if answer.code:
            assert answer.code in operation.error_codes, f"{answer.code} is not in the contract: {where}"
            assert answer.body["error"]["code"] == response.status_code, where
        if answer.code == "TOO_MANY_ATTEMPTS_TRY_LATER":
            assert int(response.headers["Retry-After"]) > 0, where
        return answer

    def signed_up(self, **fields):
        answer = self.call("signUp", fields)
        assert answer.status == 200, answer.body
        return answer.body

    def ada(self):
        """A new account with e-mail and ``PASSWORD``."""
        return self.signed_up(email=fresh_email(), password=PASSWORD, displayName="Ada")
