"""Parses openapi.yaml for the tests."""

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import yaml
from openapi_schema_validator import OAS30Validator

CONTRACT_FILE = Path(__file__).resolve().parents[2] / "openapi.yaml"
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


class Contract:
    def __init__(self, document):
        self.document = document
        self.operations = {
            body["operationId"]: Operation(self, method.upper(), path, body)
            for path, item in document["paths"].items()
            for method, body in item.items()
            if method in METHODS
        }

    @classmethod
    @cache
    def load(cls):
        return cls(yaml.load(CONTRACT_FILE.read_text(), Loader=yaml.CSafeLoader))

    @property
    def error_codes(self):
        return extensible_values(self.document["components"]["schemas"]["ErrorCode"])

    def with_service_key(self, operation):
        """The operation that a request for `operation` performs if it has a service key."""
        return self.operations[operation.body.get("x-with-service-key", operation.body["operationId"])]

    def resolved(self, node):
        """Returns the object to which `$ref` leads, or `node` if it has no `$ref`."""
        while "$ref" in node:
            target = self.document
            for key in node["$ref"].removeprefix("#/").split("/"):
                target = target[key]
            node = target
        return node

    def schema_errors(self, schema, value):
        """Returns the errors of `value` against `schema`; a field that the schema does not name is an error."""
        components = {"schemas": self._closed_schemas}
        validator = OAS30Validator({"allOf": [schema], "components": components})
        return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]

    @cached_property
    def _closed_schemas(self):
        schemas = with_closed_lists(self.document["components"]["schemas"])
        for schema in schemas.values():
            if schema.get("type") == "object" and not schema.get("x-open-object"):
                schema.setdefault("additionalProperties", False)
        return schemas


@dataclass
class Operation:
    contract: Contract
    method: str
    path: str
    # The operation object of the document.
    body: dict

    @property
    def error_codes(self):
        return self.body.get("x-error-codes", [])

    @property
    def takes_form(self):
        """Whether the body is a form."""
        return "application/x-www-form-urlencoded" in self.body.get("requestBody", {}).get("content", {})

    def response(self, status):
        """The response object for `status`, otherwise that for its range, such as 4XX; `None` if both are missing."""
        responses = self.body["responses"]
        found = responses.get(str(status)) or responses.get(f"{status // 100}XX")
        return found and self.contract.resolved(found)

    def media_types(self):
        """Yields (location, media type object) for the request and every response."""
        if "requestBody" in self.body:
            for name, media in self.body["requestBody"]["content"].items():
                yield f"request {name}", media
        for status, response in self.body["responses"].items():
            for name, media in self.contract.resolved(response).get("content", {}).items():
                yield f"{status} {name}", media


def extensible_values(schema):
    """The values of this release for a text that can have further values in a later release; otherwise `None`."""
    return schema.get("x-extensible-enum")


def with_closed_lists(node):
    """Returns a copy of a part of the document in which `x-extensible-enum` is `enum`.

    Clients must accept values that a later release adds. The tests must not.
    """
    if isinstance(node, dict):
        return {
            "enum" if key == "x-extensible-enum" else key: with_closed_lists(value) for key, value in node.items()
        }
    return [with_closed_lists(value) for value in node] if isinstance(node, list) else node


def error_code(envelope):
    """Returns the error code in the body of an error response.

    The code is in `errorCode`. Without this member, it is the code in `message`, otherwise the reason in `details`, or
    `status` if there are no details.
    """
    error = envelope["error"]
    if "errorCode" in error:
        return error["errorCode"]
    if code := code_in_message(error):
        return code
    return error["details"][0]["reason"] if "details" in error else error.get("status")


def code_in_message(error):
    """Returns the part of `message` before ` : ` if that part is in capitals, otherwise `None`."""
    code = error["message"].split(" : ")[0]
    return code if re.fullmatch(r"[A-Z][A-Z0-9_]+", code) else None
