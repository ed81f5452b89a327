"""Requests that schemathesis generates from openapi.yaml get only documented responses."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance, response_schema_conformance, status_code_conformance,
)

from contract import Contract

pytestmark = pytest.mark.slow

REQUESTS_PER_OPERATION = 10

CONTRACT = Contract.load()
GENERATED = schemathesis.openapi.from_dict(CONTRACT.document)


@pytest.mark.parametrize("operation", CONTRACT.operations.values(), ids=CONTRACT.operations.keys())
def test_every_response_is_documented(operation, fresh_dev):
    security = [name for choice in operation.body["security"] for name in choice]

    @given(case=GENERATED[operation.path][operation.method].as_strategy())
    @settings(
        max_examples=REQUESTS_PER_OPERATION, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck))
    def check(case):
        if "apiKey" in security:
            case.query = dict(case.query or {}) | {"key": fresh_dev.api_key}
            case.headers.pop("x-goog-api-key", None)
        elif "serviceKey" in security:
            case.headers["Authorization"] = "Bearer owner"
        response = case.call(base_url=fresh_dev.url, timeout=30)
        assert response.status_code < 500 or response.status_code == 501, response.text
        case.validate_response(
            response, checks=[status_code_conformance, content_type_conformance, response_schema_conformance])

    check()
