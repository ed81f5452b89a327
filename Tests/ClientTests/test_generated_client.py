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
    """The log and the folder of each generated client, by language."""
    return {
        language: (generator.generate(language, folder), folder)
        for language in generator.OPTIONS_BY_LANGUAGE for folder in [tmp_path_factory.mktemp("generated") / "client"]
    }


@pytest.mark.parametrize("language", generator.OPTIONS_BY_LANGUAGE)
def test_a_client_is_generated_without_unknown_warnings_and_keeps_the_schema_names(language, generated):
    log, _ = generated[language]
    assert generator.unexpected_warnings(log) == []
    assert "SignUpRequest" in log or "sign_up_request" in log
    # The log names the written files. The generator invents these names for schemas that the contract does not name.
    assert not re.search(r"Inline|inline_|[a-z]_?[0-9]+\.(py|ts|kt|swift)$", log, re.MULTILINE)


@pytest.fixture
def scenario_environment(dev):
    return dict(os.environ) | {
        "SEKISHO_URL": dev.url, "SEKISHO_PROJECT": dev.project, "SEKISHO_API_KEY": dev.api_key,
        "SEKISHO_SERVICE_KEY": "owner",
    }


def test_the_python_client_runs_the_scenario(generated, scenario_environment):
    _, client = generated["python"]
    environment = scenario_environment | {"PYTHONPATH": str(client)}
    output = run_program(sys.executable, SCENARIOS / "scenario.py", **environment)
    assert output.split() == STEPS


def test_the_typescript_client_compiles_and_runs_the_scenario(generated, scenario_environment):
    _, client = generated["typescript-fetch"]
    folder = client.parent
    for name in ("scenario.ts", "tsconfig.json"):
        shutil.copy(SCENARIOS / name, folder)
    assert run_program("tsc", "--project", folder) == ""
    assert run_program("node", folder / "out/scenario.js", **scenario_environment).split() == STEPS


def test_the_swift_client_compiles_without_warnings_and_runs_the_scenario(generated, scenario_environment):
    _, client = generated["swift6"]
    folder = client.parent / "swift"
    shutil.copytree(SCENARIOS / "swift", folder)
    products = build_unoptimized(folder, folder / ".build")
    assert run_program(products / "Scenario", **scenario_environment).split() == STEPS
