"""Clients are generated from openapi.yaml; those in Python, TypeScript and Swift run the same scenario."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import generator
from processes import run_program
from sample_app import build_unoptimized

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parent / "scenarios"
# The names of the steps, which the scenario prints in this order.
STEPS = [
    "signUpAnonymously", "upgradeWithPassword", "linkApple", "refresh", "reauthenticate", "listSessions",
    "revokeSession", "backendLookup", "backendLinkIdentity", "backendUnlinkIdentity", "backendMergeDryRun",
    "backendMerge", "backendUndoMerge", "delete", "typedError",
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
        assert re.search(f"writing file {generated}/{language}/client/.*(SignUpRequest|sign_up_request)", log)


@pytest.fixture
def scenario_environment(dev):
    return dict(os.environ) | {
        "SEKISHO_URL": dev.url, "SEKISHO_PROJECT": dev.project, "SEKISHO_API_KEY": dev.api_key,
        "SEKISHO_SERVICE_KEY": "owner",
    }


def test_the_python_client_runs_the_scenario(generated, scenario_environment):
    environment = scenario_environment | {"PYTHONPATH": str(generated / "python/client")}
    output = run_program(sys.executable, SCENARIOS / "scenario.py", **environment)
    assert output.split() == STEPS


def test_the_typescript_client_compiles_and_runs_the_scenario(generated, scenario_environment):
    package = generated / "typescript-fetch"
    for name in ("scenario.ts", "tsconfig.json"):
        shutil.copy(SCENARIOS / name, package)
    assert run_program("tsc", "--project", package) == ""
    assert run_program("node", package / "out/scenario.js", **scenario_environment).split() == STEPS


def test_the_swift_client_compiles_without_warnings_and_runs_the_scenario(generated, scenario_environment):
    package = generated / "swift6/scenario"
    shutil.copytree(SCENARIOS / "swift", package)
    products = build_unoptimized(package, package / ".build")
    assert run_program(products / "Scenario", **scenario_environment).split() == STEPS
