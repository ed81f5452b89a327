"""Clients are generated from openapi.yaml. All but the one in Kotlin run the same scenario twice.

The first run is with `dev`, the second with a later release of the gateway, whose answers have unknown members and
values.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import generator
from contract import Contract
from later_gateway import LATER_VALUE, LaterGateway, open_lists
from processes import run_program
from sample_app import build_unoptimized

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parent / "scenarios"
# The names of the steps, which the scenario prints in this order. After a step that ends with an error comes its code.
STEPS = [
    "signUpAnonymously", "signUpWithEmail", "upgradeWithPassword", "linkApple", "refresh", "reauthenticate",
    "wrongPassword INVALID_PASSWORD", "lookUp", "update", "listSessions", "revokeSession",
    "backendLookUpSession", "mergeDryRun", "merge", "jwks", "readConfiguration", "checkCode", "backendLookUp",
    "backendList", "backendLinkIdentity",
    "backendListIdentities", "backendUnlinkIdentity", "backendMergeDryRun", "backendMerge", "backendUndoMerge",
    "delete", "deletedAccount USER_NOT_FOUND",
]
STEPS_WITH_LATER_GATEWAY = [re.sub(" .*", f" {LATER_VALUE}", step) for step in STEPS]
# The scenario does not call every operation. Besides these lists, it reads neither every member `kind` nor the states of
# reCAPTCHA.
UNREAD_LISTS = {
    "Administrator.role", "BrandImage.mediaType", "CustomText.key",
    "AppleAuthorization.state", "AuditEvent.action", "ExportedActivity.actor", "ExportedIdentity.credentialState",
    "ExportedIdentity.realUserStatus", "ExportedSession.secondFactor",
    "ErrorText.action", "EventDelivery.failure", "EventDelivery.state",
    "EventData.factor", "EventEndpoint.disabledReason", "EventEndpoint.state", "ListCountsOutput.timeRange",
    "MfaProviderConfig.state", "AppReviewPoint.status", "HealthCheck.name", "HealthCheck.state", "QueueItem.state", "SignInObstacle.code",
    "SecurityEventError.err", "SmsConfig.format", "TestEventEndpointOutput.failure",
}
# Debian's libraries that the Java client needs.
JAVA_LIBRARIES = [
    Path("/usr/share/java") / name
    for name in ("httpclient5.jar", "httpcore5.jar", "httpcore5-h2.jar", "geronimo-annotation-1.3-spec.jar")
]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The folder with the generated clients, LANGUAGE/client, and the generator's log."""
    folder = tmp_path_factory.mktemp("generated")
    generator.generate(folder)
    return folder


def test_clients_are_generated_without_unknown_warnings_and_keep_the_schema_names(generated):
    log = (generated / "generator.log").read_text()
    assert generator.unexpected_warnings(log) == []
    # The log names the written files. The generator invents these names for schemas that the contract does not name.
    assert not re.search(r"Inline|inline_|[a-z]_?[0-9]+\.(py|ts|kt|swift)$", log, re.MULTILINE)
    for language in generator.OPTIONS_BY_LANGUAGE:
        assert re.search(f"writing file {generated}/{language}/client/.*(SignUpInput|sign_up_input)", log)


@pytest.fixture
def run_scenario(dev):
    """A function that runs the program of a client with `dev` and with a later release of the gateway."""
    def run(*words, **environment):
        environment |= dict(os.environ) | {
            "SEKISHO_PROJECT": dev.project, "SEKISHO_API_KEY": dev.api_key, "SEKISHO_SERVICE_KEY": "owner"}
        assert run_program(*words, **environment, SEKISHO_URL=dev.url).splitlines() == STEPS
        contract = Contract.load()
        with LaterGateway(dev, contract) as later:
            printed = run_program(*words, **environment, SEKISHO_URL=later.url).splitlines()
        assert printed == STEPS_WITH_LATER_GATEWAY
        unread = set(open_lists(contract)) - later.replaced - UNREAD_LISTS
        assert {name for name in unread if not name.endswith(".kind") and not name.startswith("Recaptcha")} == set()
    return run


def test_the_python_client_runs_the_scenario(generated, run_scenario):
    run_scenario(sys.executable, SCENARIOS / "scenario.py", PYTHONPATH=str(generated / "python/client"))


def test_the_typescript_client_compiles_and_runs_the_scenario(generated, run_scenario):
    package = generated / "typescript-fetch"
    for name in ("scenario.ts", "tsconfig.json"):
        shutil.copy(SCENARIOS / name, package)
    assert run_program("tsc", "--project", package) == ""
    run_scenario("node", package / "out/scenario.js")


def test_the_java_client_compiles_and_runs_the_scenario(generated, run_scenario):
    sources = [*(generated / "java/client/src/main/java").rglob("*.java"), SCENARIOS / "java/Scenario.java"]
    classes = generated / "java/classes"
    libraries = ":".join(map(str, [classes, generator.GENERATOR, *JAVA_LIBRARIES]))
    run_program("javac", "-proc:none", "-J-XX:TieredStopAtLevel=1", "-cp", libraries, "-d", classes, *sources)
    log = f"-Dlogback.configurationFile={generator.LOG_CONFIGURATION}"
    run_scenario("java", "-XX:TieredStopAtLevel=1", log, "-cp", libraries, "Scenario")


def test_the_go_client_compiles_and_runs_the_scenario(generated, run_scenario):
    package = generated / "go"
    shutil.copytree(SCENARIOS / "go", package, dirs_exist_ok=True)
    run_program("go", "build", "-o", "scenario", ".", folder=package)
    run_scenario(package / "scenario")


def test_the_swift_client_compiles_without_warnings_and_runs_the_scenario(generated, run_scenario):
    package = generated / "swift6/scenario"
    shutil.copytree(SCENARIOS / "swift", package)
    products = build_unoptimized(package, package / ".build")
    run_scenario(products / "Scenario")
