"""One operation of openapi.yaml. Some of its parts are generated, because its other parts determine them."""

import re

from blocks import Blocks

# The statuses of an operation's responses, in the order in which the contract lists them.
STATUS_ORDER = ["200", "204", "303", "304", "400", "401", "403", "404", "409", "429", "4XX", "500", "501", "503"]
# The names of the responses that `Deploy/contract` adds to operations.
COMMON_RESPONSES = {
    "Unauthenticated", "PermissionDenied", "ServiceKeyRequired", "NotFound", "TenantNotFound", "ConfigurationNotFound",
    "RequestRejected", "NotImplemented", "Unavailable",
}
# The error codes of every operation that accepts an API key, a service key, or a JSON body.
CODES_WITH_API_KEY = {
    "API_KEY_INVALID", "INVALID_TENANT_ID", "PERMISSION_DENIED", "PROJECT_DISABLED", "TENANT_ID_MISMATCH",
}
CODES_WITH_SERVICE_KEY = {"INSUFFICIENT_PERMISSION", "PERMISSION_DENIED", "UNAUTHENTICATED"}
CODES_WITH_JSON = {"INVALID_ARGUMENT"}


class Operation:
    def __init__(self, lines):
        self.blocks = Blocks(lines, indentation=6)

    def __str__(self):
        return str(self.blocks)

    @property
    def is_for_tenants(self):
        return "x-tenants" in self.blocks

    @property
    def codes(self):
        return self.blocks.words("x-error-codes")

    def add_implied_codes_and_responses(self, path):
        """Adds the error codes and responses that the path and the other parts of the operation determine."""
        key_kinds = set(re.findall(r"- (\w+): \[\]", self.blocks.text("security")))
        if key_kinds:
            self.blocks.set_words("x-error-codes", sorted(self.codes | self._implied_codes(key_kinds, path)))
        if "x-error-codes" in self.blocks:
            self._add_common_responses(key_kinds)

    def _implied_codes(self, key_kinds, path):
        """The error codes that the security, the request body and the path imply."""
        codes = set()
        if "apiKey" in key_kinds:
            codes |= CODES_WITH_API_KEY
        if "serviceKey" in key_kinds:
            codes |= CODES_WITH_SERVICE_KEY
        if "application/json" in self.blocks.text("requestBody"):
            codes |= CODES_WITH_JSON
        if "{" in path:
            codes.add("NOT_FOUND")
        return codes

    def _add_common_responses(self, key_kinds):
        responses = Blocks(self.blocks.lines("responses"), indentation=8)
        # Removes what an earlier run added.
        for status in list(responses):
            found = re.search(r"#/components/responses/(\w+)", responses.text(status))
            if found and found[1] in COMMON_RESPONSES and len(responses.lines(status)) == 1:
                del responses[status]
        for status, name in self._common_responses(key_kinds):
            if status not in responses:
                responses[status] = [f"          $ref: '#/components/responses/{name}'"]
        self.blocks["responses"] = str(responses.ordered(STATUS_ORDER)).splitlines()

    def _common_responses(self, key_kinds):
        """Pairs of a status and the name of its response. Of several pairs with one status, the first applies."""
        codes = self.codes
        if key_kinds:
            if "UNAUTHENTICATED" in codes:
                yield "401", "Unauthenticated"
            yield "403", "PermissionDenied" if "apiKey" in key_kinds else "ServiceKeyRequired"
        if key_kinds or "requestBody" in self.blocks:
            yield "4XX", "RequestRejected"
        for code, name in (
            ("CONFIGURATION_NOT_FOUND", "ConfigurationNotFound"), ("TENANT_NOT_FOUND", "TenantNotFound"),
            ("NOT_FOUND", "NotFound"),
        ):
            if code in codes:
                yield "404", name
        yield "500", "Unavailable"
        if "NOT_IMPLEMENTED" in codes:
            yield "501", "NotImplemented"
        yield "503", "Unavailable"

    def in_tenant(self, path):
        """The same operation below the path of a tenant. The tenant in the path replaces the parameter `tenantId`."""
        copy = Operation([])
        copy.blocks = self.blocks.copy()
        del copy.blocks["x-tenants"]
        name = copy.blocks.value("operationId")
        copy.blocks.set_value("operationId", f"{name}InTenant")
        summary = copy.blocks.value("summary")
        copy.blocks.set_value("summary", f"{summary}, in a tenant" if "," in summary else f"{summary} in a tenant")
        parameters = [part for part in copy.blocks.members("parameters") if part[0] != "        - name: tenantId"]
        # The project is the first parameter, and the tenant follows it.
        parameters.insert(1, ["        - $ref: '#/components/parameters/TenantId'"])
        copy.blocks["parameters"] = [line for part in parameters for line in part]
        # The tenant of the contract's examples.
        tenant = "projects/demo-app/tenants/Qm4xVb7Lk2ZpHd9sNcRt3WfGyJ8a/"
        copy.blocks["responses"] = [
            re.sub(r"name: projects/demo-app/(?!tenants/)", f"name: {tenant}", line)
            for line in copy.blocks.lines("responses")
        ]
        codes = (copy.codes | {"TENANT_NOT_FOUND"}) - {"UNSUPPORTED_TENANT_OPERATION"}
        copy.blocks.set_words("x-error-codes", sorted(codes))
        copy.add_implied_codes_and_responses(path)
        return copy
