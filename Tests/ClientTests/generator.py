"""Generates clients from openapi.yaml with openapi-generator."""

import re
from importlib.resources import files

from contract import CONTRACT_FILE
from processes import run_program

KNOWN_WARNINGS = [
    # Logged for any document with an object schema.
    "Failed to get the schema name: null",
    # Logged for a form with the field `error`, which OAuth prescribes (RFC 6749, section 4.1.2.1).
    "Renamed to ModelError",
]
# With `enumUnknownDefaultCase`, a client accepts an error code that a later release adds.
OPTIONS_BY_LANGUAGE = {
    "swift6": ["projectName=SekishoClient", "enumUnknownDefaultCase=true"],
    "typescript-fetch": [],
    "python": ["packageName=sekisho_client"],
    "kotlin": ["enumUnknownDefaultCase=true"],
}


def generate(language, folder):
    """Generates a client and returns the generator's log."""
    jar = files("openapi_generator_cli") / "openapi-generator.jar"
    options = [word for option in OPTIONS_BY_LANGUAGE[language] for word in ("--additional-properties", option)]
    # The generator runs for a few seconds: compiling optimized machine code would take longer than it saves.
    java = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", jar]
    return run_program(*java, "generate", "-g", language, "-i", CONTRACT_FILE, "-o", folder, *options)


def unexpected_warnings(log):
    """The lines of a log with warnings or errors, except the known warnings."""
    lines = [line for line in log.splitlines() if re.search(r" (WARN|ERROR) ", line)]
    return [line for line in lines if not any(known in line for known in KNOWN_WARNINGS)]
