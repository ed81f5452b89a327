"""Generates clients from openapi.yaml with openapi-generator."""

import json
import re
from importlib.resources import files
from pathlib import Path

from contract import CONTRACT_FILE
from processes import run_program

# The program. It contains the libraries of Jackson too.
GENERATOR = files("openapi_generator_cli") / "openapi-generator.jar"
LOG_CONFIGURATION = Path(__file__).parent / "generator_logback.xml"
KNOWN_WARNINGS = [
    # Logged for any document with an object schema.
    "Failed to get the schema name: null",
    # Logged for a form with the field `error`, which OAuth prescribes (RFC 6749, section 4.1.2.1).
    "Renamed to ModelError", "Renamed to model_error", "Renamed to error_",
    # Logged for objects whose members have no schema. They are values of any type.
    "Codegen property is null (e.g. map/dict of undefined type). Default to typing.Any.",
    # Logged for a body with several examples.
    "Ignoring complex example on request body",
]
OPTIONS_BY_LANGUAGE = {
    "swift6": ["projectName=SekishoClient"],
    "typescript-fetch": [],
    "python": ["packageName=sekisho_client"],
    "kotlin": [],
    # Without `openApiNullable=false`, the client needs a library that Debian lacks.
    "java": [
        "library=apache-httpclient", "openApiNullable=false", "invokerPackage=sekisho.client",
        "apiPackage=sekisho.client.api", "modelPackage=sekisho.client.model"],
    # With `disallowAdditionalPropertiesIfNotPresent=false`, the client accepts members that a later release adds.
    "go": ["packageName=sekisho", "withGoMod=false", "disallowAdditionalPropertiesIfNotPresent=false"],
}


def generate(folder):
    """Generates, in `folder`, the client LANGUAGE/client for each language, and the generator's log, generator.log.

    One process generates all clients: a process for each language would need twice the CPU time in total.
    """
    configurations = []
    for language, options in OPTIONS_BY_LANGUAGE.items():
        configuration = folder / f"{language}.json"
        configuration.write_text(json.dumps({
            "generatorName": language, "inputSpec": str(CONTRACT_FILE), "outputDir": str(folder / language / "client"),
            "additionalProperties": dict(option.split("=") for option in options)}))
        configurations.append(configuration)
    # The generator runs for a few seconds: compiling optimized machine code would take longer than it saves.
    java = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-Dlogback.configurationFile={LOG_CONFIGURATION}"]
    (folder / "generator.log").write_text(run_program(*java, "-jar", GENERATOR, "batch", *configurations))


def unexpected_warnings(log):
    """The lines of a log with warnings or errors, except the known warnings."""
    lines = [line for line in log.splitlines() if re.search(r" (WARN|ERROR) ", line)]
    return [line for line in lines if not any(known in line for known in KNOWN_WARNINGS)]
