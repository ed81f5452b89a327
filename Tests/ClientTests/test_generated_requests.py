"""Requests that schemathesis generates from openapi.yaml get only documented responses.

Each operation gets ten requests with each kind of key. The environment variable SEKISHO_GENERATED_REQUESTS sets another
number; CONTRIBUTING.md has the command for a thorough run.
"""

import os

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance, response_schema_conformance, status_code_conformance,
)

from client import ADMIN_HEADERS
from contract import Contract, with_closed_lists

pytestmark = pytest.mark.slow

REQUESTS_PER_OPERATION = int(os.environ.get("SEKISHO_GENERATED_REQUESTS", "10"))

CONTRACT = Contract.load()
# schemathesis has no serializer for security event tokens (RFC 8417), which are texts.
schemathesis.serializer.alias("application/secevent+jwt", "text/plain")
GENERATED = schemathesis.openapi.from_dict(with_closed_lists(CONTRACT.document))


def rows():
    """Yields the ID of the operation whose schema determines the requests and the responses, the path, and the kind of
    key. With a service key, a path of the client API is that of the operation that `x-with-service-key` names."""
    for name, operation in CONTRACT.operations.items():
        keys = {key for choice in operation.body["security"] for key in choice}
        yield name, operation.path, "apiKey" if "apiKey" in keys else "serviceKey" if "serviceKey" in keys else None
        if "x-with-service-key" in operation.body:
            yield operation.body["x-with-service-key"], operation.path, "serviceKey"


@pytest.mark.parametrize("operation_id, path, key", list(rows()), ids=lambda value: str(value))
def test_every_response_is_documented(operation_id, path, key, fresh_dev):
    operation = CONTRACT.operations[operation_id]

    @given(case=GENERATED[operation.path][operation.method].as_strategy())
    @settings(
        max_examples=REQUESTS_PER_OPERATION, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck))
    def check(case):
        case.headers.pop("x-goog-api-key", None)
        arguments = case.as_transport_kwargs(base_url=fresh_dev.url) | {"timeout": 30, "allow_redirects": False}
        if path != operation.path:
            arguments["url"] = fresh_dev.url + path
        if key == "apiKey":
            arguments["params"] = dict(arguments.get("params") or {}) | {"key": fresh_dev.api_key}
        elif key == "serviceKey":
            arguments["headers"] = dict(arguments["headers"]) | ADMIN_HEADERS
        response = requests.request(**arguments)
        assert response.status_code < 500 or response.status_code == 501, response.text
        checks = [status_code_conformance, content_type_conformance]
        # schemathesis parses YAML, but its schema is a text.
        if not response.headers.get("Content-Type", "").startswith("application/yaml"):
            checks.append(response_schema_conformance)
        case.validate_response(response, checks=checks)

    check()
