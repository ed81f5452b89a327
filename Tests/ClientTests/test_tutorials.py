"""Code as in tutorials for FirebaseAuth compiles without warnings in Swift 5 and 6 mode; its output is as expected."""

from pathlib import Path

import pytest

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
