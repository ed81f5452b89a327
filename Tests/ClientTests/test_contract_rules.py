"""openapi.yaml obeys the rules of CONTRIBUTING.md that let every generator write a client that works and keeps working.

Each rule is a function that yields its violations.
"""

import copy
import re

import pytest
import yaml

from contract import CONTRACT_FILE, Contract, extensible_values, with_closed_lists

CONTRACT = Contract.load()
DOCUMENT = CONTRACT.document
COMPONENTS = DOCUMENT["components"]
OPERATIONS = CONTRACT.operations
# Generators derive these names from an operationId.
DERIVED_ENDINGS = ("request", "response", "req", "res", "params", "body", "data", "result", "error", "ok")
# The operations of Sekisho's own, and those of Firebase. Apple and Google define how they send notifications.
OWN_OPERATIONS = {
    "issueNonce", "unlinkOwnProvider", "getOwnCredentialState", "getCredentialState", "mergeOwnAccounts",
    "listSessions", "revokeSession", "lookUpSession", "getLoginMethods", "getErrorTexts", "listApps", "createApp",
    "getApp", "updateApp", "deleteApp", "createBrandImage", "previewTexts", "listAuditEvents", "listCounts", "listIdentities", "linkIdentity", "unlinkIdentity", "moveIdentity", "mergeAccounts",
    "undoMerge", "searchAccounts", "generateRecoveryCodes", "listEvents", "listEventEndpoints", "createEventEndpoint",
    "getEventEndpoint", "updateEventEndpoint", "deleteEventEndpoint", "rotateEventEndpointSecret",
    "setAppTransaction", "exportAccount", "createSignInUri",
    "enableEventEndpoint", "testEventEndpoint", "replayEvents", "listEventDeliveries", "listAdministrators", "getProjectHealth", "getAppReview", "listQueueItems", "retryQueueItem",
    "cancelQueueItem",
    "listAccountSessions", "listSignInObstacles", "impersonateAccount",
    "inviteAdministrator", "updateAdministrator", "removeAdministrator",
}
FIREBASE_OPERATIONS = {
    "signUp", "signInWithPassword", "signInWithIdp", "sendOobCode", "resetPassword", "signInWithEmailLink",
    "revokeToken", "receiveAppleNotification", "receiveProjectAppleNotification", "lookUpOwnAccount",
    "receiveGoogleSecurityEvent", "receiveAppStoreNotification",
    "updateOwnAccount", "deleteOwnAccount", "createAuthUri", "getProject", "getPasswordPolicy", "refreshTokens",
    "getRecaptchaConfig", "initializeAuth",
    "startMfaEnrollment", "finalizeMfaEnrollment", "withdrawMfaEnrollment", "startMfaSignIn", "finalizeMfaSignIn",
    "startPasskeyEnrollment", "finalizePasskeyEnrollment", "startPasskeySignIn", "finalizePasskeySignIn",
    "startPasskeySignUp", "finalizePasskeySignUp", "sendVerificationCode", "signInWithPhoneNumber",
    "signInWithCustomToken", "createSessionCookie", "getProjectConfig", "updateProjectConfig",
    "listDefaultSupportedIdpConfigs", "createDefaultSupportedIdpConfig", "getDefaultSupportedIdpConfig",
    "updateDefaultSupportedIdpConfig", "deleteDefaultSupportedIdpConfig", "listOauthIdpConfigs", "createOauthIdpConfig",
    "getOauthIdpConfig", "updateOauthIdpConfig", "deleteOauthIdpConfig", "createAccount", "sendProjectOobCode",
    "lookUpAccounts", "updateAccount", "deleteAccount", "batchCreateAccounts", "batchDeleteAccounts",
    "batchGetAccounts", "queryAccounts", "queryProjectAccounts", "listTenants", "createTenant", "getTenant",
    "updateTenant", "deleteTenant",
}
# Schemas of Firebase that operations of Sekisho's own return too. Their members keep Firebase's forms.
FIREBASE_RESOURCES = {"User", "ProviderUserInfo"}
INSTANT = re.compile(r"(At|Until|Since)$")
DURATION = re.compile(r"((?<!Sign)In|Duration|Lifetime|MaxAge)$")
# The numbers of YAML 1.2 (section 10.3.2). YAML 1.1 reads some of them as strings, such as 0123456789.
NUMBER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def nodes(node, path=""):
    """Yields (path, mapping) for each mapping of the document, except those inside examples."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            if key not in ("example", "examples") or path.endswith("/properties"):
                yield from nodes(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from nodes(value, f"{path}/{index}")


def reached(node, seen):
    """Adds to `seen` the names of all schemas that a node reaches, and yields (path, mapping) for each of its mappings.

    The path of a mapping in a named schema begins with the schema's name.
    """
    for path, mapping in nodes(node):
        yield path, mapping
        reference = mapping.get("$ref")
        if isinstance(reference, str):
            name = reference.rsplit("/", 1)[1]
            if (reference, name) not in seen:
                seen.add((reference, name))
                for inner, target in reached(CONTRACT.resolved(mapping), seen):
                    yield f"{name}{inner}" if inner.startswith("/") or not inner else inner, target


def response_nodes():
    seen = set()
    for operation in OPERATIONS.values():
        yield from reached(operation.body["responses"], seen)


def body_schemas(operation):
    for media in operation.body.get("requestBody", {}).get("content", {}).values():
        yield media["schema"]


def answer_schemas(operation):
    for status, response in operation.body["responses"].items():
        if status.startswith("2"):
            for media in CONTRACT.resolved(response).get("content", {}).values():
                yield media["schema"]


def schema_name(schema):
    return schema["$ref"].rsplit("/", 1)[1] if "$ref" in schema else None


# The rules.

def alternatives():
    """A `oneOf` or `anyOf`. Several generators read or write the wrong alternative."""
    for path, node in nodes(DOCUMENT):
        yield from (f"{path}: {key}" for key in ("oneOf", "anyOf") if isinstance(node.get(key), list))


def empty_lists_of_required_members():
    """JSON Schema draft 4 does not allow an empty `required`."""
    return (path for path, node in nodes(DOCUMENT) if node.get("required") == [])


def closed_lists_in_responses():
    """A value that a later release adds to a closed list breaks clients."""
    return (path for path, node in response_nodes() if isinstance(node.get("enum"), list))


def lists_with_values_that_kotlin_reserves():
    for path, node in nodes(DOCUMENT):
        if isinstance(node.get("enum"), list) and {"name", "ordinal"} & set(node["enum"]):
            yield path


def lists_of_numbers():
    for path, node in nodes(DOCUMENT):
        values = [*(node.get("enum") or []), *(extensible_values(node) or [])]
        if any(not isinstance(value, str) for value in values):
            yield path


def open_lists_without_described_values():
    """Generators ignore `x-extensible-enum`, so the description has the values too."""
    for path, node in nodes(DOCUMENT):
        for value in extensible_values(node) or []:
            if node.get("type") != "string" or f"`{value}`" not in node.get("description", ""):
                yield f"{path}: {value}"


def operation_ids_of_one_word():
    """Such a name can be a reserved word of a language, and does not say what the operation acts on."""
    return (name for name in OPERATIONS if not re.fullmatch(r"[a-z]+[A-Z][A-Za-z]*", name))


def bodies_and_answers_with_other_names():
    users, resources = {}, set()
    for operation in OPERATIONS.values():
        resources |= set(map(schema_name, answer_schemas(operation)))
        for ending, schemas in (("Input", body_schemas(operation)), ("Output", answer_schemas(operation))):
            for name in map(schema_name, schemas):
                if name and name.endswith(("Input", "Output")):
                    users.setdefault(name, []).append((operation, ending))
    for name, pairs in users.items():
        expected = {operation.body["operationId"].lower() + ending.lower() for operation, ending in pairs}
        # Operations that create and update a resource may share a body that lacks the resource's own members.
        expected |= {
            f"{resource}{ending}".lower() for operation, ending in pairs if ending == "Input"
            for resource in map(schema_name, answer_schemas(operation)) if resource}
        if name.lower() not in expected:
            yield name
    for name in COMPONENTS["schemas"]:
        if name.endswith(("Input", "Output")) and name not in users:
            yield f"{name} is neither a body nor an answer"
    for operation in OPERATIONS.values():
        for name in map(schema_name, body_schemas(operation)):
            if not name or not (name.endswith("Input") or name in resources):
                yield f"{name} is neither an input nor a resource"


def schemas_with_names_that_generators_derive():
    derived = {operation.lower() + ending for operation in OPERATIONS for ending in DERIVED_ENDINGS}
    return (name for name in COMPONENTS["schemas"] if name.lower() in derived or name.endswith(("Request", "Response")))


def members_whose_names_generators_derive():
    """A generator for Go makes the method `HasSecret` for the member `secret`."""
    for path, node in nodes(DOCUMENT):
        names = {name.lower() for name in node.get("properties", {}) if isinstance(node["properties"], dict)}
        for name in names:
            if name.startswith("has") and name.removeprefix("has") in names:
                yield f"{path}: {name}"


def names_of_several_components():
    seen = {}
    for kind, components in COMPONENTS.items():
        for name in components:
            if name.lower() in seen:
                yield f"{kind}/{name} and {seen[name.lower()]}"
            seen[name.lower()] = f"{kind}/{name}"


def bodies_with_several_media_types():
    for name, operation in OPERATIONS.items():
        if len(operation.body.get("requestBody", {}).get("content", {"": ""})) != 1:
            yield name


def objects_with_any_additional_members():
    """Generators for Kotlin fail for them. `x-open-object` marks an object with members that have no schema."""
    for path, node in nodes(DOCUMENT):
        if isinstance(node.get("additionalProperties"), bool) or node.get("additionalProperties") == {}:
            yield path


def maps_that_are_always_empty():
    return (path for path, node in nodes(DOCUMENT) if node.get("maxProperties") == 0)


def own_operations_with_an_empty_answer():
    for name in OWN_OPERATIONS:
        schemas = list(answer_schemas(OPERATIONS[name]))
        if "200" in OPERATIONS[name].body["responses"] and all(
                not CONTRACT.resolved(schema).get("properties") for schema in schemas):
            yield name


def members_of_own_operations_in_another_form():
    """Instants are RFC 3339 texts, and durations are integers in seconds."""
    for name in OWN_OPERATIONS:
        seen = {(f"#/components/schemas/{resource}", resource) for resource in FIREBASE_RESOURCES}
        parts = [*body_schemas(OPERATIONS[name]), *answer_schemas(OPERATIONS[name])]
        for path, node in reached(parts, seen):
            for member, schema in node.get("properties", {}).items():
                is_instant = schema.get("type") == "string" and schema.get("format") == "date-time"
                if INSTANT.search(member) and not is_instant:
                    yield f"{name}: {path} {member}"
                if DURATION.search(member) and schema.get("type") != "integer":
                    yield f"{name}: {path} {member}"


def operations_and_schemas_without_a_description():
    yield from (name for name, operation in OPERATIONS.items() if not operation.body.get("description"))
    yield from (name for name, schema in COMPONENTS["schemas"].items() if not schema.get("description"))


def operations_without_a_success_or_an_error():
    for name, operation in OPERATIONS.items():
        statuses = {status[0] for status in operation.body["responses"]}
        if not statuses & {"2", "3"}:
            yield f"{name}: no success"
        if "4" not in statuses and any(operation.body.get(key) for key in ("parameters", "security", "requestBody")):
            yield f"{name}: no error"


def plain_scalars_that_parsers_read_differently():
    """A number of YAML 1.2 that YAML 1.1 reads as a string, and a date, Boolean or number of YAML 1.1 alone."""
    for node in scalars(yaml.compose(CONTRACT_FILE.read_text(), Loader=yaml.CSafeLoader)):
        if not node.style:
            kind = node.tag.removeprefix("tag:yaml.org,2002:")
            is_number = bool(NUMBER.fullmatch(node.value))
            is_known = kind in ("int", "float") if is_number else kind in ("str", "bool", "null")
            if not is_known or (kind == "bool" and node.value not in ("true", "false")):
                yield f"line {node.start_mark.line + 1}: {node.value}"


def scalars(node):
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from scalars(item)
    else:
        for pair in node.value:
            for item in pair:
                yield from scalars(item)


def parameters_and_headers_with_an_invalid_example():
    """`test_contract.py` checks the examples of bodies and responses."""
    for path, node in nodes(DOCUMENT):
        if "schema" in node and "example" in node and "/content/" not in path:
            if CONTRACT.schema_errors(node["schema"], node["example"]):
                yield path


def header_parameters():
    """An optional header parameter makes every caller of some generated clients pass a null."""
    for name, operation in OPERATIONS.items():
        for parameter in operation.body.get("parameters", []):
            if CONTRACT.resolved(parameter)["in"] == "header":
                yield name


def missing_information():
    return (key for key in ("license", "contact") if not DOCUMENT["info"].get(key, {}).get("name"))


RULES = [
    alternatives, empty_lists_of_required_members, closed_lists_in_responses, lists_with_values_that_kotlin_reserves,
    lists_of_numbers, open_lists_without_described_values, operation_ids_of_one_word,
    bodies_and_answers_with_other_names, schemas_with_names_that_generators_derive,
    members_whose_names_generators_derive, names_of_several_components,
    bodies_with_several_media_types, objects_with_any_additional_members, maps_that_are_always_empty,
    own_operations_with_an_empty_answer, members_of_own_operations_in_another_form,
    operations_and_schemas_without_a_description, operations_without_a_success_or_an_error,
    plain_scalars_that_parsers_read_differently, parameters_and_headers_with_an_invalid_example, header_parameters,
    missing_information,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_contract_has_no(rule):
    assert list(rule()) == []


def test_every_operation_is_sekishos_own_or_firebases_unless_it_serves_documents_or_pages():
    """A new operation belongs in one of the two lists, because their rules differ."""
    listed = {
        name for name, operation in OPERATIONS.items()
        if not {"WellKnown", "Pages", "Operations"} & set(operation.body["tags"]) and not name.endswith("InTenant")}
    assert listed == OWN_OPERATIONS | FIREBASE_OPERATIONS
    assert not OWN_OPERATIONS & FIREBASE_OPERATIONS


# The test suite knows only the values of this release, so that it finds every other value.

MUTATIONS = [
    ("ErrorEnvelope", {"error": {"code": 400, "errorCode": "EMAIL_EXISTS", "message": "EMAIL_EXISTS"}},
        ["error", "errorCode"]),
    ("LookUpOwnAccountOutput", {"kind": "identitytoolkit#GetAccountInfoResponse", "users": []}, ["kind"]),
    ("IdentityCredentialState", {"providerId": "apple.com", "credentialState": "REVOKED"}, ["credentialState"]),
    ("User", {"localId": "ada", "passwordHash": "UkVEQUNURUQ="}, ["passwordHash"]),
]


@pytest.mark.parametrize("schema, value, path", MUTATIONS, ids=[row[0] for row in MUTATIONS])
def test_the_validator_of_the_tests_rejects_unknown_values_of_open_lists_and_unknown_members(schema, value, path):
    reference = {"$ref": f"#/components/schemas/{schema}"}
    assert CONTRACT.schema_errors(reference, value) == []
    changed = copy.deepcopy(value)
    *parents, member = path
    target = changed
    for name in parents:
        target = target[name]
    target[member] = "UNKNOWN_VALUE"
    assert len(CONTRACT.schema_errors(reference, changed)) == 1
    assert len(CONTRACT.schema_errors(reference, value | {"unknownMember": 1})) == 1


def test_closing_the_lists_changes_nothing_else():
    closed = with_closed_lists(DOCUMENT)
    assert not any("x-extensible-enum" in node for _, node in nodes(closed))
    expected = {path: extensible_values(node) for path, node in nodes(DOCUMENT) if extensible_values(node)}
    added = {path: node["enum"] for path, node in nodes(closed) if path in expected}
    assert added == expected


def test_the_reference_shows_the_values_of_open_lists():
    page = (CONTRACT_FILE.parent / "Sources/CReference/reference.html").read_text()
    values = {value for _, node in nodes(DOCUMENT) for value in extensible_values(node) or []}
    assert [value for value in values if f"<code>{value}</code>" not in page] == []
