"""Code as in tutorials for FirebaseAuth compiles without warnings in all language modes; its output is as expected."""

from pathlib import Path

import pytest

from apple_frameworks import LIBRARY, LIBRARY_OPTIONS, emit_module, emit_stubs, type_check
from client import fresh_email
from processes import run_program
from sample_app import ROOT, build_unoptimized

pytestmark = pytest.mark.slow

PACKAGE = Path(__file__).parent / "scenarios/tutorials"
EXPECTED = """\
listener: no user
listener: EMAIL, current user: true
signed up EMAIL, new: true
taken: Another account uses the email address.
signed out: true
wrong password: true, domain of Auth: true
signed in, anonymous: false
reset sent: true
renamed: Jane Q. User, photo: jane.jpg, no error: true
verification sent: true
reloaded: ["password"], no error: true
token: 2 parts
claim admin: none, provider: password, no error: true
new password: same user: true, no error
deleted, signed out: true
Apple: apple.com, new: true
Apple: apple.com, new: false
linked: EMAIL, token: true, error: wrong password
sequence: ["EMAIL", "no user"]
"""


@pytest.fixture(scope="module")
def products():
    return build_unoptimized(PACKAGE, ROOT / ".build/tutorials")


@pytest.mark.parametrize("mode", ["Swift5", "Swift6"])
def test_the_tutorials_print_the_expected_output(mode, products, dev):
    # The program does not repeat a request that an overloaded gateway has rejected, so the test runs it again.
    for _ in range(3):
        output = run_program(products / f"{mode}Tutorials", SEKISHO_URL=dev.url, SEKISHO_EMAIL=fresh_email())
        if "HTTP status 503" not in output:
            break
    # Lines, because pytest then names the first line that differs.
    assert output.splitlines() == EXPECTED.splitlines()


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    emit_stubs(folder)
    emit_module("SekishoAuth", LIBRARY, folder, *LIBRARY_OPTIONS)
    return folder


@pytest.mark.parametrize("mode", [
    "-swift-version 5", "-swift-version 5 -strict-concurrency=complete", "-swift-version 6",
    "-swift-version 6 -default-isolation MainActor",
])
def test_the_tutorials_and_a_view_controller_compile_without_warnings(mode, modules):
    type_check("Tutorials", sorted((PACKAGE / "Sources/Swift6Tutorials").glob("*.swift")), *mode.split(), "-I", modules)
