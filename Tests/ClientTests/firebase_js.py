"""Firebase's JavaScript SDK, unchanged. Its browser modules are not part of this repository.

`SEKISHO_FIREBASE_JS` names their folder (default: `shared/firebase-js` beside the repository).
"""

import os
from pathlib import Path

import pytest

MODULES = Path(os.environ.get("SEKISHO_FIREBASE_JS") or Path(__file__).parents[3] / "shared" / "firebase-js")
NAMES = ("firebase-app.js", "firebase-auth.js")
# `firebase-auth.js` imports the other module by its absolute URL.
IMPORT_MAP = """<script type="importmap">
{"imports": {"https://www.gstatic.com/firebasejs/12.14.0/firebase-app.js": "/firebase-app.js"}}
</script>"""

requires_sdk = pytest.mark.skipif(
    not all((MODULES / name).is_file() for name in NAMES),
    reason=f"the Firebase SDK is not in {MODULES}; set SEKISHO_FIREBASE_JS")


def modules():
    """The modules by path, for `web_site.site`."""
    return {f"/{name}": ("text/javascript", (MODULES / name).read_bytes()) for name in NAMES}
