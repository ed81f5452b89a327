"""The API reference: one HTML page without scripts, generated from the parsed openapi.yaml."""

import base64
import hashlib
from pathlib import Path

import schemas
from operation import COMMON_RESPONSES
from text import anchor_link, escaped, inline_html, paragraphs, table, tag

STYLE = (Path(__file__).parent / "reference.css").read_text()
METHODS = ("get", "post", "put", "patch", "delete")


def style_hash():
    """SHA-256 of the page's style in base64, for its Content-Security-Policy (CSP3 §2.3.1)."""
    return base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


class Reference:
    def __init__(self, document):
        self.document = document
        self.operations = [
            (method, path, operation)
            for path, item in document["paths"].items() for method, operation in item.items() if method in METHODS
        ]

    def page(self):
        info, tags = self.document["info"], self.document["tags"]
        title = escaped(f"{info['title']} API")
        main = [tag("h1", title), tag("p", links_to_documents()), paragraphs(info["description"])]
        main += [self._section_of_tag(entry) for entry in tags]
        main.append(tag("h2", "Schemas", id="schemas"))
        main += [schemas.section(name, schema) for name, schema in self._schemas.items()]
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{STYLE}</style></head>\n<body>"
            + tag("nav", self._table_of_contents(tags)) + "\n" + tag("main", "\n".join(main)) + "</body></html>\n"
        )

    @property
    def _schemas(self):
        return self.document["components"]["schemas"]

    def _operations_of_tag(self, name):
        """The operations with a tag of the contract, without those below the path of a tenant."""
        return [
            (method, path, operation) for method, path, operation in self.operations
            if operation["tags"] == [name] and not operation["operationId"].endswith("InTenant")
        ]

    def _table_of_contents(self, tags):
        parts = []
        for entry in tags:
            items = "".join(
                f"<li>{anchor_link(operation['operationId'], operation['operationId'])}</li>"
                for _, _, operation in self._operations_of_tag(entry["name"]))
            parts.append(tag("p", anchor_link(entry["name"], entry["name"])) + tag("ul", items))
        return "".join(parts) + tag("p", anchor_link("schemas", "Schemas"))

    def _section_of_tag(self, entry):
        heading = tag("h2", escaped(entry["name"]), id=entry["name"])
        operations = [self._operation(*operation) for operation in self._operations_of_tag(entry["name"])]
        return "\n".join([heading, paragraphs(entry["description"]), *operations])

    def _operation(self, method, path, operation):
        name = operation["operationId"]
        parts = [
            tag("h3", anchor_link(name, name)), tag("p", inline_html(operation["summary"]), class_="summary"),
            tag("p", f"<b>{method.upper()}</b> <code>{escaped(path)}</code>", class_=f"path {method}"),
            self._tenant_path(path, operation), paragraphs(operation.get("description")), self._security(operation),
            table([self._parameter(part) for part in operation.get("parameters", [])], "Parameters"),
            *self._request(operation), table(list(self._responses(operation)), "Responses"), self._codes(operation),
        ]
        return tag("section", "".join(parts), id=name)

    @staticmethod
    def _tenant_path(path, operation):
        if "x-tenants" not in operation:
            return ""
        tenant_path = path.replace("/projects/{project}", "/projects/{project}/tenants/{tenant}", 1)
        name = operation["operationId"] + "InTenant"
        return tag("p", f"In a tenant: <code>{escaped(tenant_path)}</code> (<code>{name}</code>)", class_="tenant")

    @staticmethod
    def _security(operation):
        keys = {key for choice in operation["security"] for key in choice}
        words = [word for key, word in (("apiKey", "an API key"), ("serviceKey", "a service key")) if key in keys]
        return tag("p", "Authentication: " + (" or ".join(words) or "none") + ".", class_="security")

    def _resolved(self, node, kind):
        """The component of this kind that the node refers to, or the node itself if it is not a reference."""
        return self.document["components"][kind][schemas.reference_name(node)] if "$ref" in node else node

    def _parameter(self, node):
        parameter = self._resolved(node, "parameters")
        optional = "" if parameter.get("required") else " <i>optional</i>"
        description = inline_html(" ".join(parameter.get("description", "").split()))
        return (
            f"<code>{escaped(parameter['name'])}</code>{optional}", f"{parameter['in']}, " + schemas.type_of(
                parameter["schema"]), description + schemas.values_of(parameter["schema"]))

    def _request(self, operation):
        """A table of the members of the request, below its type and media types; nothing if the request has no body."""
        content = operation.get("requestBody", {}).get("content", {})
        for media in list(content.values())[:1]:
            schema = self._resolved(media["schema"], "schemas")
            label = f"Request: {schemas.type_of(media['schema'])} ({escaped(', '.join(content))})"
            yield table(schemas.members_of(schema), label) or tag("h4", f"{label}: {schemas.type_of(schema)}")

    def _responses(self, operation):
        """One row for each response that few operations have, and one row for all the common responses together."""
        common = []
        for status, node in operation["responses"].items():
            response = self._resolved(node, "responses")
            if "$ref" in node and schemas.reference_name(node) in COMMON_RESPONSES:
                common.append(status)
                continue
            content = response.get("content", {}).values()
            types = ", ".join(schemas.type_of(media["schema"]) for media in content)
            yield escaped(status), types, inline_html(" ".join(response["description"].split()))
        if common:
            statuses = ", ".join(common)
            yield f'<span class="more">{statuses}</span>', "", '<span class="more">As for most operations.</span>'

    @staticmethod
    def _codes(operation):
        codes = operation.get("x-error-codes", [])
        listed = " ".join(f"<code>{escaped(code)}</code>" for code in codes)
        return f'<h4>Error codes</h4><p class="codes">{listed}</p>' if codes else ""


def links_to_documents():
    return '<a href="openapi.yaml">openapi.yaml</a> · <a href="openapi.json">openapi.json</a>'
