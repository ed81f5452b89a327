"""Sign-in by telephone number with Firebase's JavaScript SDK in Node, and the codes that `sekisho dev` lists."""

import json
import os
import secrets
import subprocess

import pytest
import requests

from client import ok_body
from firebase_node import SDK_FOLDER, requires_node_sdk

pytestmark = pytest.mark.slow

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

    def listed():
        url = f"{client.gateway.url}/emulator/v1/projects/demo/verificationCodes"
        codes = requests.get(url, timeout=30).json()["verificationCodes"]
        return [code for code in codes if code["phoneNumber"] == number]

    [code] = listed()
    assert code["sessionInfo"] == sent["sessionInfo"]
    signed_in = ok_body(client.call("signInWithPhoneNumber", sent | {"code": code["code"]}))
    assert signed_in["isNewUser"] is True
    assert listed() == []
