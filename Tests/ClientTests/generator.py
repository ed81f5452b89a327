"""Generates clients from openapi.yaml with openapi-generator."""

import re
import subprocess
from importlib.resources import files

from contract import PATH

# The generator logs the first for any document with an object schema, and the second for a form with the field `error`,
# which OAuth prescribes (RFC 6749, section 4.1.2.1).
KNOWN_WARNINGS = ["Failed to get the schema name: null", "Renamed to ModelError"]
# Options by language. With `enumUnknownDefaultCase`, a client accepts an error code that a later release adds.
OPTIONS = {
    "swift6": ["projectName=SekishoClient", "enumUnknownDefaultCase=true"],
    "typescript-fetch": [],
    "python": ["packageName=sekisho_client"],
    "kotlin": ["enumUnknownDefaultCase=true"],
}


def generate(language, folder):
    """Generates a client and returns the generator's log."""
    jar = files("openapi_generator_cli") / "openapi-generator.jar"
    options = [word for option in OPTIONS[language] for word in ("--additional-properties", option)]
    # The generator runs for a few seconds: compiling optimized machine code would take longer than it saves.
    java = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", jar]
    return run(*java, "generate", "-g", language, "-i", PATH, "-o", folder, *options)


def warnings(log):
    """The lines of a log with warnings or errors, except the known warnings."""
    lines = [line for line in log.splitlines() if re.search(r" (WARN|ERROR) ", line)]
    return [line for line in lines if not any(known in line for known in KNOWN_WARNINGS)]


def run(*words, folder=None, **environment):
    """Runs a command and returns its output; fails with the output if the command does.

    `environment` replaces the environment of the tests, unless it is empty.
    """
    completed = subprocess.run(
        [str(word) for word in words], cwd=folder, env=environment or None, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400)
    assert completed.returncode == 0, completed.stdout
    return completed.stdout
