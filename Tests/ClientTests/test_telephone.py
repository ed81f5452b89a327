"""Sign-in by telephone number with Firebase's JavaScript SDK in Node, and the codes that `sekisho dev` lists."""

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
from firebase_node import SDK_FOLDER, requires_node_sdk
from installation import sql

pytestmark = pytest.mark.slow

GUIDE = GUIDES / "telephone.md"
NODE = """
const { app, auth: sdk } = require(process.argv[2]);
const auth = sdk.initializeAuth(
  app.initializeApp({ apiKey: "any", projectId: "demo" }), { persistence: sdk.inMemoryPersistence });
sdk.connectAuthEmulator(auth, process.env.SEKISHO_URL, { disableWarnings: true });
const verifier = { type: "recaptcha", verify: async () => "none", _reset() {} };
const askForCode = async (number) => {
  const path = "/emulator/v1/projects/demo/verificationCodes";
  const { verificationCodes } = await (await fetch(process.env.SEKISHO_URL + path)).json();
  return verificationCodes.filter((code) => code.phoneNumber === number).at(-1).code;
};
const number = process.env.NUMBER;
(async () => {
  const first = await (await sdk.signInWithPhoneNumber(auth, number, verifier)).confirm(await askForCode(number));
  const claims = (await sdk.getIdTokenResult(first.user)).claims;
  await sdk.signOut(auth);
  await sdk.signInAnonymously(auth);
  const id = await new sdk.PhoneAuthProvider(auth).verifyPhoneNumber(number, verifier);
  const credential = sdk.PhoneAuthProvider.credential(id, await askForCode(number));
  const conflict = await sdk.linkWithCredential(auth.currentUser, credential).catch((error) => error);
  const other = await sdk.signInWithCredential(auth, sdk.PhoneAuthProvider.credentialFromError(conflict));
  console.log(JSON.stringify({
    number: first.user.phoneNumber, provider: claims.firebase.sign_in_provider,
    isNewUser: sdk.getAdditionalUserInfo(first).isNewUser, code: conflict.code, same: other.user.uid === first.user.uid,
  }));
  process.exit(0);
})();
"""


def fresh_number():
    return f"+1555{secrets.randbelow(10**7):07}"


@requires_node_sdk("firebase-client.cjs")
def test_firebase_sdk(dev, tmp_path):
    """A user signs in by a number; a guest who links the number gets the credential of the conflict."""
    script = tmp_path / "sign_in.cjs"
    script.write_text(NODE)
    number = fresh_number()
    finished = subprocess.run(
        ["node", script, SDK_FOLDER / "firebase-client.cjs"],
        env=os.environ | {"SEKISHO_URL": dev.url, "NUMBER": number}, capture_output=True, text=True, timeout=60,
        check=False)
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout) == {
        "number": number, "provider": "phone", "isNewUser": True,
        "code": "auth/account-exists-with-different-credential", "same": True}


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


@requires_node_sdk("firebase-client.cjs")
def test_the_javascript_of_the_guide_signs_in(dev, tmp_path):
    script = tmp_path / "guide.cjs"
    number = fresh_number()
    [before, _] = NODE.split("const verifier")
    code = code_block(GUIDE, "Sign in", 2).replace("+15555550100", number)
    ask = """
const askForCode = async () => {
  const response = await fetch(process.env.SEKISHO_URL + "/emulator/v1/projects/demo/verificationCodes");
  return (await response.json()).verificationCodes.filter((code) => code.phoneNumber === NUMBER).at(-1).code;
};
""".replace("NUMBER", json.dumps(number))
    script.write_text(
        f"{before}const {{ signInWithPhoneNumber }} = sdk;{ask}(async () => {{ {code}\n"
        "console.log(auth.currentUser.phoneNumber); process.exit(0); })();")
    finished = subprocess.run(
        ["node", script, SDK_FOLDER / "firebase-client.cjs"], env=os.environ | {"SEKISHO_URL": dev.url},
        capture_output=True, text=True, timeout=60, check=False)
    assert (finished.returncode, finished.stdout) == (0, f"{number}\n"), finished.stderr
