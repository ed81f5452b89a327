"""A proxy that makes the answers of `dev` those of a later release of the gateway."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

from contract import extensible_values

# A member and a value that no release has.
LATER_MEMBER = {"laterMember": {"later": ["value"]}}
LATER_VALUE = "LATER_VALUE"
# The proxy answers these operations with the example of the contract, which has more members than the answer of `dev`.
ANSWERED_WITH_EXAMPLE = {"getLoginMethods", "getProjectConfig", "listTenants", "getAssetLinks"}
# The proxy's answers to operations whose example lacks an open list.
ANSWERS = {
    "listApps": {"apps": [{
        "appId": "ios", "platform": "ios", "distribution": "appStore", "requestedScopes": ["email"],
        "exemption": {"kind": "thirdPartyClient", "reason": "Shows the messages of one service."},
        "loginServices": {
            "compliant": False, "violations": ["APPLE_NOT_SHOWN"],
            "problems": [{"violation": "APPLE_NOT_SHOWN", "providerId": "google.com", "description": "no Apple"}],
        },
    }]},
    "listDefaultSupportedIdpConfigs": {"defaultSupportedIdpConfigs": [{"clientId": "c", "relation": "social"}]},
}


class LaterGateway:
    """Forwards requests to `dev`. Adds an unknown member to each object of a JSON answer, and replaces each value of an
    open list with an unknown value. `replaced` has the names of these lists, as in `open_lists`."""

    def __init__(self, dev, contract):
        self.dev, self.contract, self.replaced = dev, contract, set()
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, media_type, content = gateway.answer(self.command, self.path, self.headers, body)
                self.send_response(status)
                if status != 204:
                    self.send_header("Content-Type", media_type)
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, path, headers, body):
        """Returns the status, the media type and the content of the answer to a request."""
        operation = self._operation(method, path.split("?")[0])
        fixed = operation and self._fixed_answer(operation)
        if fixed:
            return 200, "application/json", json.dumps(fixed).encode()
        own = ("host", "connection", "content-length")
        forwarded = {name: value for name, value in headers.items() if name.lower() not in own}
        response = requests.request(
            method, self.dev.url + path, headers=forwarded | {"Accept-Encoding": "identity"}, data=body, timeout=30)
        media_type, content = response.headers.get("Content-Type", ""), response.content
        if operation and media_type.startswith("application/json"):
            if "Authorization" in headers:
                operation = self.contract.with_service_key(operation)
            schema = operation.response(response.status_code)["content"]["application/json"]["schema"]
            content = json.dumps(self._later(schema, response.json(), "")).encode()
        return response.status_code, media_type, content

    def _fixed_answer(self, operation):
        """The answer that does not depend on `dev`; `None` if the operation has none."""
        name = operation.body["operationId"]
        if name not in ANSWERS.keys() | ANSWERED_WITH_EXAMPLE:
            return None
        media = operation.response(200)["content"]["application/json"]
        value = ANSWERS[name] if name in ANSWERS else media["example"]
        assert self.contract.schema_errors(media["schema"], value) == []
        return self._later(media["schema"], value, "")

    def _operation(self, method, path):
        """The operation of a request; `None` if the contract has none. A path without parameters takes precedence."""
        matching = [
            operation for operation in self.contract.operations.values()
            if operation.method == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", operation.path), path)]
        return min(matching, key=lambda operation: operation.path.count("{"), default=None)

    def _later(self, schema, value, name):
        """The value as a later release could send it."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            schema = self.contract.resolved(schema)
        if extensible_values(schema):
            self.replaced.add(name)
            return LATER_VALUE
        if isinstance(value, list):
            return [self._later(schema["items"], item, name) for item in value]
        if "properties" in schema:
            known = schema["properties"]
            members = {key: self._later(known[key], item, f"{name}.{key}") for key, item in value.items()}
            return members | LATER_MEMBER
        return value


def open_lists(contract):
    """The names of all open lists: a schema, or a schema and its member."""
    for name, schema in contract.document["components"]["schemas"].items():
        if extensible_values(schema):
            yield name
        for member, property_schema in schema.get("properties", {}).items():
            if extensible_values(property_schema):
                yield f"{name}.{member}"
