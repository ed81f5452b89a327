"""Firebase's SDKs for Node, unchanged. They are not part of this repository.

`SEKISHO_FIREBASE_NODE` names their folder (default: `shared/firebase-node` beside the repository).
"""

import os
import shutil
from pathlib import Path

import pytest

SDK_FOLDER = Path(os.environ.get("SEKISHO_FIREBASE_NODE") or Path(__file__).parents[3] / "shared" / "firebase-node")


def requires_node_sdk(*names):
    """Skips a test if `node` or a file of an SDK is missing."""
    missing = [name for name in names if not (SDK_FOLDER / name).is_file()]
    reason = (
        "node is not installed" if not shutil.which("node")
        else f"{', '.join(missing)} not in {SDK_FOLDER}; set SEKISHO_FIREBASE_NODE" if missing else "")
    return pytest.mark.skipif(bool(reason), reason=reason)
