"""openapi.yaml is a valid document and says all that it should."""

import re

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator

from contract import PATH, Contract, error_code

CONTRACT = Contract.load()
OPERATIONS = CONTRACT.operations.values()
each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=CONTRACT.operations.keys())


def examples(media):
    if "example" in media:
        yield "example", media["example"]
    for name, example in media.get("examples", {}).items():
        yield name, CONTRACT.resolved(example)["value"]


def test_the_document_is_valid():
    assert [str(fault) for fault in OpenAPIV30SpecValidator(CONTRACT.document).iter_errors()] == []


def test_no_operation_id_is_used_twice():
    ids = re.findall(r"^      operationId: (\w+)$", PATH.read_text(), re.MULTILINE)
    assert sorted(ids) == sorted(CONTRACT.operations)


def test_nothing_in_components_is_unused_but_the_list_of_codes():
    text = PATH.read_text()
    unused = {
        f"{kind}/{name}"
        for kind in CONTRACT.document["components"].keys() - {"securitySchemes"}
        for name in CONTRACT.document["components"][kind]
        if f"'#/components/{kind}/{name}'" not in text
    }
    assert unused == {"schemas/ErrorCode"}


@each_operation
def test_an_operation_says_what_it_is_and_who_may_call_it(operation):
    assert operation.body["summary"]
    assert "security" in operation.body
    assert len(operation.body["tags"]) == 1


@each_operation
def test_an_operation_that_can_refuse_says_with_which_codes(operation):
    refuses = any(
        where.startswith("4") and media["schema"].get("$ref") == "#/components/schemas/ErrorEnvelope"
        for where, media in operation.media_types())
    assert refuses == bool(operation.error_codes)
    assert operation.error_codes == sorted(set(operation.error_codes))
    assert set(operation.error_codes) <= set(CONTRACT.error_codes)


def test_every_code_is_answered_by_some_operation():
    answered = {code for operation in OPERATIONS for code in operation.error_codes}
    before_any_operation = {"METHOD_NOT_ALLOWED"}
    assert answered | before_any_operation == set(CONTRACT.error_codes)


@each_operation
def test_every_answer_and_every_json_request_has_an_example_of_its_schema(operation):
    for where, media in operation.media_types():
        found = list(examples(media))
        assert found or where == "request application/x-www-form-urlencoded", where
        for name, value in found:
            assert CONTRACT.faults(media["schema"], value) == [], f"{where} {name}"


@each_operation
def test_an_operation_lists_the_codes_of_its_examples(operation):
    for where, media in operation.media_types():
        if media["schema"].get("$ref") == "#/components/schemas/ErrorEnvelope":
            for name, value in examples(media):
                assert error_code(value) in operation.error_codes, f"{where} {name}"


@each_operation
def test_a_failure_of_the_gateway_is_plain_text_with_retry_after(operation):
    assert operation.body["tags"] != ["Client"] or operation.response(503)
    for status in (500, 503):
        response = operation.response(status)
        if response:
            assert list(response["content"]) == ["text/plain"]
            assert "Retry-After" in response["headers"]


def members(schema, seen):
    """The names of what a value of `schema` may hold, at any depth."""
    schema = CONTRACT.resolved(schema)
    if id(schema) in seen:
        return
    seen.add(id(schema))
    for name, member in schema.get("properties", {}).items():
        yield name
        yield from members(member, seen)
    for part in (*schema.get("allOf", []), *schema.get("oneOf", []), *schema.get("anyOf", []), schema.get("items")):
        if part:
            yield from members(part, seen)


def test_no_answer_can_hold_a_password_hash():
    for operation in OPERATIONS:
        for where, media in operation.media_types():
            if not where.startswith("request"):
                assert not {"passwordHash", "salt"} & set(members(media["schema"], set())), operation.body["operationId"]
