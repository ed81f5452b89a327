"""Firebase's JavaScript SDK, unchanged. Its browser modules are not part of this repository.

`SEKISHO_FIREBASE_JS` names their folder (default: `shared/firebase-js` beside the repository).
"""

import os
from pathlib import Path

import pytest

MODULES_FOLDER = Path(os.environ.get("SEKISHO_FIREBASE_JS") or Path(__file__).parents[3] / "shared" / "firebase-js")
MODULE_NAMES = ("firebase-app.js", "firebase-auth.js")
# `firebase-auth.js` imports the other module by its absolute URL.
IMPORT_MAP = """<script type="importmap">
{"imports": {"https://www.gstatic.com/firebasejs/12.14.0/firebase-app.js": "/firebase-app.js"}}
</script>"""

requires_firebase_js = pytest.mark.skipif(
    not all((MODULES_FOLDER / name).is_file() for name in MODULE_NAMES),
    reason=f"the Firebase SDK is not in {MODULES_FOLDER}; set SEKISHO_FIREBASE_JS")


def firebase_modules():
    """The modules of the SDK by path, for `web_site.site`."""
    return {f"/{name}": ("text/javascript", (MODULES_FOLDER / name).read_bytes()) for name in MODULE_NAMES}
