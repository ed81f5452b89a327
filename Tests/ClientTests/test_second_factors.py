"""Second factors as Deploy/guides/second-factors.md describes them. The codes are computed without the gateway's code."""

import json
import os
import subprocess

import pytest
import requests

import gateway
from client import PASSWORD, fresh_email, ok_body, unverified_claims
from documents import GUIDES, code_block
from firebase_node import SDK_FOLDER, requires_node_sdk
from one_time_password import totp

pytestmark = pytest.mark.slow

GUIDE = GUIDES / "second-factors.md"
NODE = """
const { createHmac } = require("node:crypto");
const { app, auth: sdk } = require(process.argv[2]);
const { multiFactor, getMultiFactorResolver, signInWithEmailAndPassword, TotpMultiFactorGenerator } = sdk;
const auth = sdk.initializeAuth(
  app.initializeApp({ apiKey: "any", projectId: "demo" }), { persistence: sdk.inMemoryPersistence });
sdk.connectAuthEmulator(auth, process.env.SEKISHO_URL, { disableWarnings: true });
const [email, password] = [process.env.EMAIL, process.env.PASSWORD];
let key, ahead = 0;
const showQRCode = (url) => {
  const bits = [...new URL(url).searchParams.get("secret")].map(
    (digit) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(digit).toString(2).padStart(5, "0"));
  key = Buffer.from(bits.join("").match(/.{8}/g).map((byte) => parseInt(byte, 2)));
};
// Each code works once, so the second one is that of the next step.
const askForCode = async () => {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000) + ahead++));
  const digest = createHmac("sha1", key).update(message).digest();
  return String((digest.readUInt32BE(digest[19] & 15) & 0x7fffffff) % 1000000).padStart(6, "0");
};
(async () => {
  await signInWithEmailAndPassword(auth, email, password);
  ENROLL
  await sdk.signOut(auth);
  SIGN_IN
  console.log((await sdk.getIdTokenResult(auth.currentUser)).signInSecondFactor);
  process.exit(0);
})();
"""


@pytest.fixture
def user(client):
    """A user with a verified address."""
    email = fresh_email()
    signed_up = ok_body(client.call("signUp", {"email": email, "password": PASSWORD}))
    ok_body(client.call("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": signed_up["idToken"]}))
    code = gateway.eventually(lambda: client.gateway.action_codes(email, "VERIFY_EMAIL"))[-1]["oobCode"]
    ok_body(client.call("updateOwnAccount", {"oobCode": code}))
    return signed_up | {"email": email}


def run(heading, index, **variables):
    """Runs a command of the guide, and returns the JSON that it prints."""
    finished = subprocess.run(
        ["bash", "-euc", code_block(GUIDE, heading, index)], env=os.environ | variables, capture_output=True, text=True,
        timeout=60, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")
    return json.loads(finished.stdout)


def test_the_command_of_the_guide_turns_second_factors_on(new_installation):
    installation = new_installation()
    words = code_block(GUIDE, "Turn second factors on").replace("my-app", gateway.DEMO_PROJECT).split()
    assert words[0] == "sekisho"
    lines = installation.run_ok(" ".join(words[1:])).splitlines()
    values = dict(line.split(maxsplit=2)[:2] for line in lines if line.startswith(("secondFactors ", "allowsTotp ")))
    assert values == {"secondFactors": "enabled", "allowsTotp": "true"}


def test_the_commands_of_the_guide_enroll_and_sign_in(client, user):
    common = {"SEKISHO_URL": client.gateway.url, "API_KEY": client.gateway.api_key, "PROJECT": client.gateway.project,
              "SERVICE_KEY": "owner"}
    configured = run("Turn second factors on", 1, **common)
    assert configured["mfa"]["state"] == "ENABLED"
    started = run("Enrol", 0, ID_TOKEN=user["idToken"], **common)["totpSessionInfo"]
    enrolled = run(
        "Enrol", 1, ID_TOKEN=user["idToken"], SESSION_INFO=started["sessionInfo"],
        CODE=totp(started["sharedSecretKey"]), **common)
    codes = run("Recovery codes", 0, ID_TOKEN=enrolled["idToken"], **common)["recoveryCodes"]
    first = run("Sign in", 0, EMAIL=user["email"], PASSWORD=PASSWORD, **common)
    assert "idToken" not in first and first["recoveryCodesAvailable"]
    [factor] = first["mfaInfo"]
    # Each code works once, so this one is that of the next step.
    signed_in = run(
        "Sign in", 1, PENDING=first["mfaPendingCredential"], FACTOR=factor["mfaEnrollmentId"],
        CODE=totp(started["sharedSecretKey"], 1), **common)
    assert unverified_claims(signed_in["idToken"])["firebase"]["sign_in_second_factor"] == "totp"
    first = ok_body(client.call("signInWithPassword", {"email": user["email"], "password": PASSWORD}))
    recovered = ok_body(client.call("finalizeMfaSignIn", {
        "mfaPendingCredential": first["mfaPendingCredential"], "recoveryCodeInfo": {"code": codes[0]}}))
    assert unverified_claims(recovered["idToken"])["firebase"]["sign_in_second_factor"] == "recovery_code"
    [looked_up] = ok_body(client.call("lookUpOwnAccount", {"idToken": recovered["idToken"]}))["users"]
    assert looked_up["mfaInfo"] == [factor]
    assert looked_up["recoveryCodeInfo"]["remaining"] == 9


def verification_code(client, number):
    """The latest code that was sent to a number, and not used yet."""
    url = f"{client.gateway.url}/emulator/v1/projects/{client.gateway.project}/verificationCodes"
    codes = requests.get(url, timeout=30).json()["verificationCodes"]
    return [code["code"] for code in codes if code["phoneNumber"] == number][-1]


def test_the_commands_of_the_guide_enroll_a_number_and_sign_in(client, user):
    number, heading = "+15555550100", "Telephone numbers"
    common = {"SEKISHO_URL": client.gateway.url, "API_KEY": client.gateway.api_key, "PROJECT": client.gateway.project,
              "SERVICE_KEY": "owner"}
    configured = run(heading, 0, **common)
    assert configured["mfa"]["enabledProviders"] == ["PHONE_SMS"]
    started = run(heading, 1, ID_TOKEN=user["idToken"], **common)["phoneSessionInfo"]
    enrolled = run(
        heading, 2, ID_TOKEN=user["idToken"], SESSION_INFO=started["sessionInfo"],
        CODE=verification_code(client, number), **common)
    assert unverified_claims(enrolled["idToken"])["firebase"]["sign_in_second_factor"] == "phone"
    first = ok_body(client.call("signInWithPassword", {"email": user["email"], "password": PASSWORD}))
    [factor] = first["mfaInfo"]
    assert (factor["phoneInfo"], factor["displayName"]) == ("+*******0100", "Work")
    # The commands have the user agent of curl, so that the first factor has to come from curl too.
    first = run("Sign in", 0, EMAIL=user["email"], PASSWORD=PASSWORD, **common)
    requested = run(
        heading, 3, PENDING=first["mfaPendingCredential"], FACTOR=factor["mfaEnrollmentId"], **common)
    signed_in = run(
        heading, 4, PENDING=first["mfaPendingCredential"],
        SESSION_INFO=requested["phoneResponseInfo"]["sessionInfo"], CODE=verification_code(client, number), **common)
    assert unverified_claims(signed_in["idToken"])["firebase"]["sign_in_second_factor"] == "phone"
    [looked_up] = ok_body(client.call("lookUpOwnAccount", {"idToken": signed_in["idToken"]}))["users"]
    assert looked_up["mfaInfo"][0]["phoneInfo"] == number


@requires_node_sdk("firebase-client.cjs")
def test_the_javascript_of_the_guide_enrolls_and_signs_in(client, user, tmp_path):
    script = tmp_path / "main.cjs"
    script.write_text(NODE.replace("ENROLL", code_block(GUIDE, "Enrol", 2)).replace(
        "SIGN_IN", code_block(GUIDE, "Sign in", 2)))
    finished = subprocess.run(
        ["node", script, SDK_FOLDER / "firebase-client.cjs"], capture_output=True, text=True, timeout=60, check=False,
        env=os.environ | {"SEKISHO_URL": client.gateway.url, "EMAIL": user["email"], "PASSWORD": PASSWORD})
    assert finished.stdout == "totp\n", finished.stderr[-2000:]
