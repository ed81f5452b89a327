"""Code from tutorials for FirebaseAuth compiles without warnings in both language modes, and works with Sekisho."""

from pathlib import Path

import pytest

import generator
from client import fresh_email
from sample_app import ROOT

pytestmark = pytest.mark.slow

PACKAGE = Path(__file__).parent / "scenarios/tutorials"
EXPECTED = """\
listener: no user
listener: EMAIL, true
signed up EMAIL, new: true
taken: Another account uses the email address.
signed out: true
sign-in failed: true, true
signed in, anonymous: false
reset sent: true
renamed: Jane Q. User, jane.jpg, true
verification sent: true
reloaded: ["password"], true
token: 3 parts
no administrator: password, true
new password: true, done
deleted: true
Apple: apple.com, new: true
Apple: apple.com, new: false
linked: EMAIL, token: true, error: wrong password
sequence: ["EMAIL", "no user"]
"""


@pytest.fixture(scope="module")
def products():
    scratch = ROOT / ".build/tutorials"
    output = generator.run("swift", "build", "--package-path", PACKAGE, "--scratch-path", scratch)
    assert "warning:" not in output, output
    return scratch / "debug"


@pytest.mark.parametrize("mode", ["Swift5", "Swift6"])
def test_the_tutorials_work(mode, products, dev):
    email = fresh_email()
    output = generator.run(products / f"{mode}Tutorials", SEKISHO_URL=dev.url, SEKISHO_EMAIL=email)
    assert output == EXPECTED
