"""openapi.yaml is valid and complete."""

import re
import subprocess
import sys

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator

from contract import CONTRACT_FILE, Contract, error_code, extensible_values

CONTRACT = Contract.load()
OPERATIONS = CONTRACT.operations.values()
# The gateway rejects these requests before it performs an operation.
CODES_BEFORE_ANY_OPERATION = {"METHOD_NOT_ALLOWED", "REQUEST_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "URI_TOO_LONG"}
each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=CONTRACT.operations.keys())


def examples(media):
    if "example" in media:
        yield "example", media["example"]
    for name, example in media.get("examples", {}).items():
        yield name, CONTRACT.resolved(example)["value"]


def test_the_document_is_valid():
    assert [str(error) for error in OpenAPIV30SpecValidator(CONTRACT.document).iter_errors()] == []


def test_generated_files_are_up_to_date():
    script = CONTRACT_FILE.parent / "Deploy/contract"
    checked = subprocess.run([sys.executable, "-B", script, "--check"], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_operation_ids_are_unique():
    ids = re.findall(r"^      operationId: (\w+)$", CONTRACT_FILE.read_text(), re.MULTILINE)
    assert sorted(ids) == sorted(CONTRACT.operations)


def test_every_component_is_used():
    text = CONTRACT_FILE.read_text()
    unused = {
        f"{kind}/{name}"
        for kind in CONTRACT.document["components"].keys() - {"securitySchemes"}
        for name in CONTRACT.document["components"][kind]
        if f"'#/components/{kind}/{name}'" not in text
    }
    assert unused == set()


@each_operation
def test_every_operation_has_a_summary_security_and_one_tag(operation):
    assert operation.body["summary"]
    assert "security" in operation.body
    assert len(operation.body["tags"]) == 1
    assert operation.body["tags"][0] in [tag["name"] for tag in CONTRACT.document["tags"]]


@each_operation
def test_every_operation_with_an_error_response_lists_its_codes(operation):
    # The responses of 4XX do not depend on the operation.
    has_errors = any(
        re.match("4[0-9]", where) and media["schema"].get("$ref") == "#/components/schemas/ErrorEnvelope"
        for where, media in operation.media_types())
    assert has_errors == bool(operation.error_codes)
    assert operation.error_codes == sorted(set(operation.error_codes))
    assert set(operation.error_codes) <= set(CONTRACT.error_codes)


def test_every_error_code_belongs_to_an_operation():
    codes = {code for operation in OPERATIONS for code in operation.error_codes}
    assert codes | CODES_BEFORE_ANY_OPERATION == set(CONTRACT.error_codes)


@each_operation
def test_every_response_and_json_request_has_a_valid_example(operation):
    for where, media in operation.media_types():
        found = list(examples(media))
        assert found or where == "request application/x-www-form-urlencoded", where
        for name, value in found:
            assert CONTRACT.schema_errors(media["schema"], value) == [], f"{where} {name}"


@each_operation
def test_the_codes_of_examples_are_listed_by_the_operation(operation):
    for where, media in operation.media_types():
        if media["schema"].get("$ref") == "#/components/schemas/ErrorEnvelope":
            for name, value in examples(media):
                assert error_code(value) in {*operation.error_codes, *CODES_BEFORE_ANY_OPERATION}, f"{where} {name}"


@each_operation
def test_server_errors_can_be_plain_text_and_have_retry_after(operation):
    assert not operation.body["security"] or operation.response(503)
    for status in (500, 503):
        response = operation.response(status)
        if response:
            # Operations that return pages describe a page too, for a provider that is unavailable.
            assert list(response["content"]) in (["text/plain"], ["text/html", "text/plain"])
            assert "Retry-After" in response["headers"]


def property_names(schema, seen, excluded=None):
    """Yields the names of the properties of `schema` at any depth, without the property whose schema is `excluded`.

    `seen` holds the identities of the schemas that were visited.
    """
    schema = CONTRACT.resolved(schema)
    if id(schema) in seen:
        return
    seen.add(id(schema))
    for name, member in schema.get("properties", {}).items():
        if member is not excluded:
            yield name
            yield from property_names(member, seen, excluded)
    for part in (*schema.get("allOf", []), schema.get("items")):
        if part:
            yield from property_names(part, seen, excluded)


def test_every_property_has_a_description():
    schemas = CONTRACT.document["components"]["schemas"]
    missing = [
        f"{name}.{key}" for name, schema in schemas.items() for key, value in schema.get("properties", {}).items()
        if not CONTRACT.resolved(value).get("description")
    ]
    assert missing == []


@each_operation
def test_every_parameter_has_a_description(operation):
    parameters = [CONTRACT.resolved(node) for node in operation.body.get("parameters", [])]
    assert [parameter["name"] for parameter in parameters if not parameter.get("description")] == []


def test_no_response_schema_has_a_password_hash_or_a_salt():
    """The exception is `passwordHash` of an account: Firebase's SDKs need this member, which has one fixed value."""
    user = CONTRACT.document["components"]["schemas"]["User"]["properties"]
    assert extensible_values(user["passwordHash"]) == ["UkVEQUNURUQ="]
    for operation in OPERATIONS:
        for where, media in operation.media_types():
            if not where.startswith("request"):
                names = set(property_names(media["schema"], set(), excluded=user["passwordHash"]))
                assert not {"passwordHash", "salt"} & names, operation.body["operationId"]
