"""Sign-in by telephone number as Deploy/guides/telephone.md describes it, and the codes that `sekisho dev` lists.

`test_firebase_js.py` signs in with Firebase's JavaScript SDK.
"""

import base64
import json
import os
import re
import secrets
import subprocess

import pytest
import requests

from client import ok_body
from documents import GUIDES, code_block
from installation import sql

pytestmark = pytest.mark.slow

GUIDE = GUIDES / "telephone.md"
def fresh_number():
    return f"+1555{secrets.randbelow(10**7):07}"


def test_listed_codes(client):
    """A listed code signs in once, and is not listed afterwards."""
    number = fresh_number()
    sent = ok_body(client.call("sendVerificationCode", {"phoneNumber": number}))

    [code] = verification_codes(client, number)
    assert code["sessionInfo"] == sent["sessionInfo"]
    signed_in = ok_body(client.call("signInWithPhoneNumber", sent | {"code": code["code"]}))
    assert signed_in["isNewUser"] is True
    assert verification_codes(client, number) == []


def verification_codes(client, number):
    """The codes that were sent to a number and not used yet, the latest one last."""
    url = f"{client.gateway.url}/emulator/v1/projects/demo/verificationCodes"
    codes = requests.get(url, timeout=30).json()["verificationCodes"]
    return [code for code in codes if code["phoneNumber"] == number]


@pytest.mark.parametrize(("heading", "index", "secret"), [
    ("Turn it on", 0, "whsec_" + base64.b64encode(bytes(32)).decode()),
    ("The sender", 1, "password"),
])
def test_the_project_files_of_the_guide_can_be_applied(heading, index, secret, new_installation, tmp_path):
    text = code_block(GUIDE, heading, index)
    [secret_file] = re.findall(r"/etc/sekisho/[a-z-]+", text)
    (tmp_path / "secret").write_text(secret)
    (tmp_path / "project.json").write_text(text.replace(secret_file, str(tmp_path / "secret")))
    installation = new_installation()
    installation.run_ok(f"projects apply {tmp_path / 'project.json'} --create")
    stored = sql(installation.database_url, "SELECT sms_secret IS NOT NULL FROM realm WHERE id = 'my-app'")
    assert stored.strip() == "t"


def test_the_commands_of_the_guide_sign_in(client):
    environment = os.environ | {"SEKISHO_URL": client.gateway.url, "API_KEY": client.gateway.api_key}

    def run(index, **variables):
        command = ["bash", "-euc", code_block(GUIDE, "Sign in", index)]
        finished = subprocess.run(
            command, env=environment | variables, capture_output=True, text=True, timeout=60, check=False)
        assert finished.returncode == 0, finished.stderr
        return json.loads(finished.stdout)

    session_info = run(0)["sessionInfo"]
    code = verification_codes(client, "+15555550100")[-1]["code"]
    assert run(1, SESSION_INFO=session_info, CODE=code)["phoneNumber"] == "+15555550100"
