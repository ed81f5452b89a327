"""Firebase's SDKs for Node, unchanged. They are not part of this repository.

`SEKISHO_FIREBASE_NODE` names their folder (default: `shared/firebase-node` beside the repository).
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SDK_FOLDER = Path(os.environ.get("SEKISHO_FIREBASE_NODE") or Path(__file__).parents[3] / "shared" / "firebase-node")
SCRIPTS = Path(__file__).parent / "firebase_node"


def requires_node_sdk(*names):
    """Skips a test if `node` or a file of an SDK is missing."""
    missing = [name for name in names if not (SDK_FOLDER / name).is_file()]
    reason = (
        "node is not installed" if not shutil.which("node")
        else f"{', '.join(missing)} not in {SDK_FOLDER}; set SEKISHO_FIREBASE_NODE" if missing else "")
    return pytest.mark.skipif(bool(reason), reason=reason)


def steps(script):
    """The names of the steps of a script, in their order. Each is a function of the SDK, or another subject."""
    return re.findall(r"^  async (\w+)\(\) \{$", (SCRIPTS / script).read_text(), re.MULTILINE)


def run_steps(gateway, script, sdk, *arguments):
    """Runs a script with `sekisho dev` as Firebase's emulator.

    Returns the error of each step (`None` if it succeeded), and the names of the functions that the SDK has.
    """
    finished = subprocess.run(
        ["node", SCRIPTS / script, SDK_FOLDER / sdk, *arguments], capture_output=True, text=True, timeout=120,
        env=os.environ | {"FIREBASE_AUTH_EMULATOR_HOST": gateway.url.removeprefix("http://")}, check=False)
    lines = [json.loads(line) for line in finished.stdout.splitlines() if line.startswith("{")]
    assert lines and "methods" in lines[-1], finished.stdout[-2000:] + finished.stderr[-2000:]
    return {line["step"]: line["error"] for line in lines[:-1]}, set(lines[-1]["methods"])
