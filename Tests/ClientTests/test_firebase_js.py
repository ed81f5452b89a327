"""Firebase's JavaScript SDK, unchanged, in Chromium, with `sekisho dev` as its emulator.

`test_stock_messages.py` sends the same messages without the SDK. `test_firebase_js_pages.py` opens popups.
"""

import json
import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from browser import browser
from client import PASSWORD, fresh_email
from documents import GUIDES, code_block
from firebase_js import IMPORT_MAP, firebase_modules, requires_firebase_js
from one_time_password import totp
from simulators import fresh_person
from web_site import site

NEW_PASSWORD = "staple battery horse"
CONTINUE_URL = "https://app.example.com/done?from=mail"
# An option of Chromium with which it reaches only servers on loopback.
ONLY_LOOPBACK = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"

pytestmark = [pytest.mark.slow, requires_firebase_js]

PAGE = f"<!doctype html>\n{IMPORT_MAP}" + """
<script type="module">
import { initializeApp } from "/firebase-app.js";
import * as sdk from "/firebase-auth.js";
const auth = sdk.getAuth(initializeApp({ apiKey: "any", authDomain: "localhost", projectId: "demo" }));
sdk.connectAuthEmulator(auth, "%s", { disableWarnings: true });
Object.assign(window, { sdk, auth });
</script>
"""

# Selenium calls this script with a script to run, its values, and a callback for the outcome.
RUN_SCRIPT = """
const [script, values, done] = arguments;
const call = new Function("sdk", "auth", "v", `return (async () => { ${script} })()`);
call(sdk, auth, values).then(
    value => done({ value: value ?? null }),
    error => done({ error: error.code ?? String(error), email: error.customData?.email ?? null }));
"""


@pytest.fixture(scope="module")
def app_url(dev):
    """The URL of an app that uses the SDK."""
    with site(firebase_modules() | {"/": ("text/html", (PAGE % dev.url).encode())}) as running:
        yield running.url + "/"


@pytest.fixture(scope="module")
def window(app_url):
    with browser(arguments=[ONLY_LOOPBACK]) as window:
        yield window


class SDK:
    """The SDK in a page of the browser. No user is signed in at first.

    A script of a test uses `sdk` (the module `firebase-auth.js`), `auth` (an instance of `Auth`) and `v` (its values).
    """

    def __init__(self, window, app_url):
        self.window, self.app_url = window, app_url
        self.open()
        self.run("await sdk.signOut(auth)")

    def open(self):
        self.window.open(self.app_url)
        self.window.driver.set_script_timeout(60)
        self.run("await auth.authStateReady()")

    def outcome(self, script, **values):
        """Runs JavaScript with `values` as the object `v`.

        Returns a dictionary with `value` if the script succeeds, otherwise with `error` (the code) and `email`.
        """
        return self.window.driver.execute_async_script(RUN_SCRIPT, script, values)

    def run(self, script, **values):
        """Runs JavaScript that must succeed, and returns its value."""
        outcome = self.outcome(script, **values)
        assert "value" in outcome, outcome
        return outcome["value"]

    def error(self, script, **values):
        """Runs JavaScript that must fail, and returns the error code."""
        outcome = self.outcome(script, **values)
        assert "error" in outcome, outcome
        return outcome["error"]

    def sign_up(self, email=None):
        """Creates an account with ``PASSWORD``, and returns its email address (default: a new one) and its ID."""
        email = email or fresh_email()
        script = "return (await sdk.createUserWithEmailAndPassword(auth, v.email, v.password)).user.uid"
        return email, self.run(script, email=email, password=PASSWORD)

    def sign_in(self, proof):
        """Signs in with a credential of a provider; returns the ID of the account and whether it is new."""
        return self.run(MAKE_CREDENTIAL + """
            const result = await sdk.signInWithCredential(auth, credential);
            return [result.user.uid, sdk.getAdditionalUserInfo(result).isNewUser]""", proof=proof)


# The beginning of a script. It makes `credential` from the value `proof`: the result of a simulated sign-in, or an
# object whose `idToken` is JSON with claims, which Firebase's emulator accepts too.
MAKE_CREDENTIAL = """
const credentialOf = proof => proof.providerId === "google.com" ? sdk.GoogleAuthProvider.credential(proof.idToken)
    : new sdk.OAuthProvider(proof.providerId).credential({
        idToken: proof.idToken, rawNonce: proof.rawNonce ?? undefined });
const credential = credentialOf(v.proof);
"""


@pytest.fixture
def sdk(window, app_url):
    return SDK(window, app_url)


def code_and_link(dev, email, request_type):
    """The newest email action code of a type that `dev` lists for `email`, and its link."""
    newest = dev.action_codes(email, request_type)[-1]
    return newest["oobCode"], newest["oobLink"]


def test_a_user_signs_up_stays_signed_in_after_a_reload_and_signs_in_again(sdk):
    email, uid = sdk.sign_up()
    sdk.open()
    assert sdk.run("return auth.currentUser.uid") == uid
    assert sdk.error("await sdk.createUserWithEmailAndPassword(auth, v.email, 'another one')", email=email) == (
        "auth/email-already-in-use")
    sdk.run("await sdk.signOut(auth)")
    assert sdk.error("await sdk.signInWithEmailAndPassword(auth, v.email, 'wrong')", email=email) == (
        "auth/wrong-password")
    sign_in = "return (await sdk.signInWithEmailAndPassword(auth, v.email, v.password)).user.uid"
    assert sdk.run(sign_in, email=email, password=PASSWORD) == uid
    assert sdk.run("return sdk.fetchSignInMethodsForEmail(auth, v.email)", email=email) == ["password"]


def test_a_profile_is_changed_and_an_account_deleted(sdk):
    email, _ = sdk.sign_up()
    sdk.run("await sdk.updateProfile(auth.currentUser, { displayName: 'Ada', photoURL: 'https://x.example/a' })")
    sdk.run("await auth.currentUser.reload()")
    assert sdk.run("return auth.currentUser.displayName") == "Ada"
    sdk.run("await sdk.updatePassword(auth.currentUser, v.password)", password=NEW_PASSWORD)
    sdk.run("await auth.currentUser.getIdToken(true)")
    sdk.run("await sdk.deleteUser(auth.currentUser)")
    assert sdk.run("return auth.currentUser") is None
    assert sdk.error("await sdk.signInWithEmailAndPassword(auth, v.email, v.password)", email=email,
                     password=NEW_PASSWORD) == "auth/user-not-found"


def test_an_email_address_is_verified(sdk, dev):
    email, _ = sdk.sign_up()
    sdk.run("await sdk.sendEmailVerification(auth.currentUser, { url: v.url })", url=CONTINUE_URL)
    oob_code, link = code_and_link(dev, email, "VERIFY_EMAIL")
    assert parse_qs(urlsplit(link).query)["continueUrl"] == [CONTINUE_URL]
    info = sdk.run("return sdk.checkActionCode(auth, v.code)", code=oob_code)
    assert (info["operation"], info["data"]["email"]) == ("VERIFY_EMAIL", email)
    sdk.run("await sdk.applyActionCode(auth, v.code); await auth.currentUser.reload()", code=oob_code)
    assert sdk.run("return auth.currentUser.emailVerified") is True


def test_a_password_is_reset(sdk, dev):
    email, uid = sdk.sign_up()
    sdk.run("await sdk.sendPasswordResetEmail(auth, v.email)", email=email)
    oob_code, _ = code_and_link(dev, email, "PASSWORD_RESET")
    assert sdk.run("return sdk.verifyPasswordResetCode(auth, v.code)", code=oob_code) == email
    assert sdk.error("await sdk.confirmPasswordReset(auth, v.code, 'x')", code=oob_code) == "auth/weak-password"
    sdk.run("await sdk.confirmPasswordReset(auth, v.code, v.password)", code=oob_code, password=NEW_PASSWORD)
    sign_in = "return (await sdk.signInWithEmailAndPassword(auth, v.email, v.password)).user.uid"
    assert sdk.run(sign_in, email=email, password=NEW_PASSWORD) == uid


def test_an_emailed_link_signs_in(sdk, dev):
    email = fresh_email()
    settings = {"url": CONTINUE_URL, "handleCodeInApp": True}
    sdk.run("await sdk.sendSignInLinkToEmail(auth, v.email, v.settings)", email=email, settings=settings)
    oob_code, link = code_and_link(dev, email, "EMAIL_SIGNIN")
    assert sdk.run("return sdk.isSignInWithEmailLink(auth, v.link)", link=link) is True
    info = sdk.run("return sdk.checkActionCode(auth, v.code)", code=oob_code)
    assert (info["operation"], info["data"]["email"]) == ("EMAIL_SIGNIN", email)
    sdk.run("await sdk.signInWithEmailLink(auth, v.email, v.link)", email=email, link=link)
    assert sdk.run("return auth.currentUser.emailVerified") is True
    assert sdk.run("return sdk.fetchSignInMethodsForEmail(auth, v.email)", email=email) == ["emailLink"]


def test_an_email_address_is_changed_once_the_new_address_is_verified(sdk, dev):
    email, uid = sdk.sign_up()
    new_email = fresh_email()
    sdk.run("await sdk.verifyBeforeUpdateEmail(auth.currentUser, v.email)", email=new_email)
    oob_code, _ = code_and_link(dev, email, "VERIFY_AND_CHANGE_EMAIL")
    info = sdk.run("return sdk.checkActionCode(auth, v.code)", code=oob_code)
    assert (info["data"]["email"], info["data"]["previousEmail"]) == (new_email, email)
    sdk.run("await sdk.applyActionCode(auth, v.code)", code=oob_code)
    sign_in = "return (await sdk.signInWithEmailAndPassword(auth, v.email, v.password)).user.uid"
    assert sdk.run(sign_in, email=new_email, password=PASSWORD) == uid


def test_an_account_without_an_email_address_gets_a_verified_one(sdk, dev):
    email, uid = fresh_email(), secrets.token_hex(8)
    sdk.run("await sdk.signInWithCustomToken(auth, v.token)", token=json.dumps({"uid": uid}))
    sdk.run("await sdk.verifyBeforeUpdateEmail(auth.currentUser, v.email)", email=email)
    oob_code, _ = code_and_link(dev, email, "VERIFY_AND_CHANGE_EMAIL")
    sdk.run("await sdk.applyActionCode(auth, v.code)", code=oob_code)
    sdk.run("await sdk.signInWithCustomToken(auth, v.token)", token=json.dumps({"uid": uid}))
    assert sdk.run("return [auth.currentUser.email, auth.currentUser.emailVerified]") == [email, True]


def test_claims_in_place_of_an_access_token_of_facebook_sign_in(sdk):
    sign_in = """
        const credential = sdk.FacebookAuthProvider.credential(v.claims);
        return (await sdk.signInWithCredential(auth, credential)).user.uid;
        """
    claims = json.dumps({"sub": secrets.token_hex(8), "email": fresh_email()})
    assert sdk.run(sign_in, claims=claims) == sdk.run(sign_in, claims=claims)


def test_a_changed_email_address_is_recovered(sdk, dev):
    email, _ = sdk.sign_up()
    sdk.run("await sdk.updateEmail(auth.currentUser, v.email)", email=fresh_email())
    oob_code, _ = code_and_link(dev, email, "RECOVER_EMAIL")
    info = sdk.run("return sdk.checkActionCode(auth, v.code)", code=oob_code)
    assert (info["operation"], info["data"]["email"]) == ("RECOVER_EMAIL", email)
    sdk.run("await sdk.applyActionCode(auth, v.code)", code=oob_code)
    sign_in = "return (await sdk.signInWithEmailAndPassword(auth, v.email, v.password)).user.emailVerified"
    assert sdk.run(sign_in, email=email, password=PASSWORD) is True


@pytest.mark.parametrize("provider", ["apple", "google"])
def test_a_credential_signs_in_and_authenticates_again(sdk, simulators, provider):
    person = fresh_person()
    uid, is_new = sdk.sign_in(getattr(simulators, f"sign_in_with_{provider}")(person))
    assert is_new is True
    reauthenticate = MAKE_CREDENTIAL + """
        return (await sdk.reauthenticateWithCredential(auth.currentUser, credential)).user.uid"""
    assert sdk.run(reauthenticate, proof=getattr(simulators, f"sign_in_with_{provider}")(person)) == uid
    assert sdk.error(reauthenticate, proof=getattr(simulators, f"sign_in_with_{provider}")()) == "auth/user-mismatch"
    assert sdk.run("return auth.currentUser.uid") == uid
    assert sdk.sign_in(getattr(simulators, f"sign_in_with_{provider}")(person)) == [uid, False]


def test_an_apple_user_signs_in_although_the_sdk_does_not_send_the_name(sdk, simulators):
    proof = simulators.sign_in_with_apple()
    assert proof["user"]
    uid, is_new = sdk.sign_in(proof)
    assert uid and is_new is True


@pytest.mark.parametrize("provider", ["apple", "google"])
def test_an_anonymous_account_is_upgraded(sdk, simulators, provider):
    uid = sdk.run("return (await sdk.signInAnonymously(auth)).user.uid")
    link = MAKE_CREDENTIAL + "return (await sdk.linkWithCredential(auth.currentUser, credential)).user.uid"
    assert sdk.run(link, proof=getattr(simulators, f"sign_in_with_{provider}")()) == uid
    assert sdk.run("return auth.currentUser.isAnonymous") is False
    second = getattr(simulators, f"sign_in_with_{provider}")()
    assert sdk.error(link, proof=second) == "auth/provider-already-linked"


def test_a_password_is_linked_and_then_the_apple_identity_is_unlinked(sdk, simulators):
    uid, _ = sdk.sign_in(simulators.sign_in_with_apple())
    sdk.run("""const credential = sdk.EmailAuthProvider.credential(v.email, v.password);
        await sdk.linkWithCredential(auth.currentUser, credential)""", email=fresh_email(), password=PASSWORD)
    sdk.run("await sdk.unlink(auth.currentUser, 'apple.com')")
    assert sdk.run("return [auth.currentUser.uid, auth.currentUser.providerData.map(p => p.providerId)]") == [
        uid, ["password"]]


@pytest.mark.parametrize("provider", ["apple", "google"])
def test_a_taken_identity_is_a_conflict_whose_credential_signs_in(sdk, simulators, client, provider):
    person = fresh_person()
    uid, _ = sdk.sign_in(getattr(simulators, f"sign_in_with_{provider}")(person))
    sdk.run("await sdk.signInAnonymously(auth)")
    # The token contains a nonce that the gateway issued. For Google, both calls of the SDK send it without the nonce.
    nonce = client.call("issueNonce", {}).body["nonce"]
    found = sdk.run(MAKE_CREDENTIAL + """
        try { await sdk.linkWithCredential(auth.currentUser, credential); } catch (error) {
            return [error.code, (await sdk.signInWithCredential(auth, credential)).user.uid];
        }""", proof=simulators.sign_in(f"{provider}.com", person, rawNonce=nonce))
    assert found == ["auth/credential-already-in-use", uid]


def test_a_credential_with_the_address_of_an_account_is_linked_after_a_sign_in_with_the_password(sdk):
    email, uid = sdk.sign_up()
    sdk.run("await sdk.signOut(auth)")
    claims = json.dumps({"sub": email, "email": email, "email_verified": False})
    found = sdk.run(MAKE_CREDENTIAL + """
        try { await sdk.signInWithCredential(auth, credential); } catch (error) {
            const pending = sdk.OAuthProvider.credentialFromError(error);
            await sdk.signInWithEmailAndPassword(auth, error.customData.email, v.password);
            return [error.code, (await sdk.linkWithCredential(auth.currentUser, pending)).user.uid];
        }""", proof={"providerId": "facebook.com", "idToken": claims}, password=PASSWORD)
    assert found == ["auth/account-exists-with-different-credential", uid]


def test_authenticating_again_as_another_user_is_a_mismatch(sdk):
    other, _ = sdk.sign_up()
    sdk.sign_up()
    script = """const credential = sdk.EmailAuthProvider.credential(v.email, v.password);
        await sdk.reauthenticateWithCredential(auth.currentUser, credential)"""
    assert sdk.error(script, email=other, password=PASSWORD) == "auth/user-mismatch"


# The beginning of a script. The gateway has no reCAPTCHA.
MAKE_VERIFIER = 'const verifier = { type: "recaptcha", verify: async () => "none", _reset() {} };'


def fresh_number():
    return f"+1555{secrets.randbelow(10**7):07}"


def verification_code(dev, number):
    """The latest code that was sent to a number, and not used yet."""
    codes = requests.get(f"{dev.url}/emulator/v1/projects/demo/verificationCodes", timeout=30).json()
    return [code["code"] for code in codes["verificationCodes"] if code["phoneNumber"] == number][-1]


def sign_in_by_number(sdk, dev, number):
    sdk.run(
        MAKE_VERIFIER + "window.confirmation = await sdk.signInWithPhoneNumber(auth, v.number, verifier)",
        number=number)
    return sdk.run("""
        const result = await window.confirmation.confirm(v.code);
        return [result.user.uid, result.user.phoneNumber, sdk.getAdditionalUserInfo(result).isNewUser]""",
                   code=verification_code(dev, number))


def test_a_user_signs_in_by_telephone_number(sdk, dev):
    number = fresh_number()
    uid, signed_in_number, is_new = sign_in_by_number(sdk, dev, number)
    assert (signed_in_number, is_new) == (number, True)
    claims = sdk.run("return (await sdk.getIdTokenResult(auth.currentUser)).claims")
    assert (claims["phone_number"], claims["firebase"]["sign_in_provider"]) == (number, "phone")
    sdk.run("await sdk.signOut(auth)")
    assert sign_in_by_number(sdk, dev, number) == [uid, number, False]


def test_a_number_in_use_signs_in_to_its_account_with_the_credential_of_the_conflict(sdk, dev):
    number = fresh_number()
    uid, *_ = sign_in_by_number(sdk, dev, number)
    sdk.run("await sdk.signInAnonymously(auth)")
    verification = sdk.run(
        MAKE_VERIFIER + "return new sdk.PhoneAuthProvider(auth).verifyPhoneNumber(v.number, verifier)", number=number)
    found = sdk.run("""
        try {
            await sdk.linkWithCredential(auth.currentUser, sdk.PhoneAuthProvider.credential(v.id, v.code));
        } catch (error) {
            const other = await sdk.signInWithCredential(auth, sdk.PhoneAuthProvider.credentialFromError(error));
            return [error.code, other.user.uid];
        }""", id=verification, code=verification_code(dev, number))
    assert found == ["auth/account-exists-with-different-credential", uid]


def test_a_user_adds_a_telephone_number_and_removes_it(sdk, dev):
    sdk.sign_up()
    number = fresh_number()
    verification = sdk.run(
        MAKE_VERIFIER + "return new sdk.PhoneAuthProvider(auth).verifyPhoneNumber(v.number, verifier)", number=number)
    script = """
        await sdk.linkWithCredential(auth.currentUser, sdk.PhoneAuthProvider.credential(v.id, v.code));
        return auth.currentUser.providerData.map(provider => provider.providerId)"""
    added = sdk.run(script, id=verification, code=verification_code(dev, number))
    assert sorted(added) == ["password", "phone"]
    removed = sdk.run("""
        await sdk.unlink(auth.currentUser, "phone");
        return auth.currentUser.providerData.map(provider => provider.providerId)""")
    assert removed == ["password"]


# The end of a script that begins with `MAKE_VERIFIER`, and proves a number to the session `session`.
VERIFY_NUMBER = "return await new sdk.PhoneAuthProvider(auth).verifyPhoneNumber({ phoneNumber: v.number, session }, verifier)"


def sign_up_verified(sdk, dev):
    """Creates an account with a verified address, and returns the address."""
    email, _ = sdk.sign_up()
    sdk.run("await sdk.sendEmailVerification(auth.currentUser)")
    code, _ = code_and_link(dev, email, "VERIFY_EMAIL")
    sdk.run("await sdk.applyActionCode(auth, v.code); await sdk.reload(auth.currentUser)", code=code)
    return email


def enroll_number(sdk, dev, number, name=None):
    verification = sdk.run(
        MAKE_VERIFIER + "const session = await sdk.multiFactor(auth.currentUser).getSession();" + VERIFY_NUMBER,
        number=number)
    sdk.run("""
        const credential = sdk.PhoneAuthProvider.credential(v.id, v.code);
        await sdk.multiFactor(auth.currentUser).enroll(sdk.PhoneMultiFactorGenerator.assertion(credential), v.name)""",
            id=verification, code=verification_code(dev, number), name=name)


def prove_first_factor(sdk, email):
    """Signs in with the password, and returns the second factors that the sign-in asks for."""
    return sdk.run("""
        try {
            await sdk.signInWithEmailAndPassword(auth, v.email, v.password);
        } catch (error) {
            window.resolver = sdk.getMultiFactorResolver(auth, error);
            return window.resolver.hints.map(hint => [hint.factorId, hint.displayName ?? null, hint.phoneNumber ?? null]);
        }""", email=email, password=PASSWORD)


def request_factor_code(sdk, number, index=0):
    return sdk.run(MAKE_VERIFIER + """
        const { hints, session } = window.resolver;
        return await new sdk.PhoneAuthProvider(auth).verifyPhoneNumber(
            { multiFactorHint: hints[v.index], session }, verifier)""", number=number, index=index)


RESOLVE = """
    const credential = sdk.PhoneAuthProvider.credential(v.id, v.code);
    const { user } = await window.resolver.resolveSignIn(sdk.PhoneMultiFactorGenerator.assertion(credential));
    return await sdk.getIdTokenResult(user)"""


def test_a_user_enrolls_a_number_signs_in_with_it_and_removes_it(sdk, dev):
    email, number = sign_up_verified(sdk, dev), fresh_number()
    enroll_number(sdk, dev, number, "Work")
    factors = "return sdk.multiFactor(auth.currentUser).enrolledFactors.map(f => [f.factorId, f.displayName, f.phoneNumber])"
    assert sdk.run(factors) == [["phone", "Work", number]]
    sdk.run("await sdk.signOut(auth)")
    masked = "+" + "*" * (len(number) - 5) + number[-4:]
    assert prove_first_factor(sdk, email) == [["phone", "Work", masked]]
    verification = request_factor_code(sdk, number)
    assert sdk.error(RESOLVE, id=verification, code="000000x") == "auth/invalid-verification-code"
    result = sdk.run(RESOLVE, id=verification, code=verification_code(dev, number))
    assert (result["signInProvider"], result["signInSecondFactor"]) == ("password", "phone")
    assert len(result["claims"]["firebase"]["second_factor_identifier"]) == 28
    sdk.run("await sdk.multiFactor(auth.currentUser).unenroll(sdk.multiFactor(auth.currentUser).enrolledFactors[0])")
    assert sdk.run(factors) == []
    sdk.run("await sdk.signInWithEmailAndPassword(auth, v.email, v.password)", email=email, password=PASSWORD)


def test_a_number_is_enrolled_once_and_not_by_an_account_that_a_number_signs_in_to(sdk, dev):
    sign_up_verified(sdk, dev)
    number = fresh_number()
    enroll_number(sdk, dev, number)
    script = MAKE_VERIFIER + "const session = await sdk.multiFactor(auth.currentUser).getSession();" + VERIFY_NUMBER
    assert sdk.error(script, number=number) == "auth/second-factor-already-in-use"
    sign_in_by_number(sdk, dev, fresh_number())
    assert sdk.error(script, number=number) == "auth/unsupported-first-factor"


def test_a_user_with_an_authenticator_app_and_a_number_signs_in_with_either(sdk, dev):
    email, number = sign_up_verified(sdk, dev), fresh_number()
    enroll_number(sdk, dev, number, "Number")
    secret = sdk.run("""
        const user = sdk.multiFactor(auth.currentUser);
        window.secret = await sdk.TotpMultiFactorGenerator.generateSecret(await user.getSession());
        return window.secret.secretKey""")
    sdk.run("""
        const assertion = sdk.TotpMultiFactorGenerator.assertionForEnrollment(window.secret, v.code);
        await sdk.multiFactor(auth.currentUser).enroll(assertion, "App")""", code=totp(secret))
    sdk.run("await sdk.signOut(auth)")
    hints = prove_first_factor(sdk, email)
    assert [hint[:2] for hint in hints] == [["phone", "Number"], ["totp", "App"]]
    verification = request_factor_code(sdk, number)
    result = sdk.run(RESOLVE, id=verification, code=verification_code(dev, number))
    assert result["signInSecondFactor"] == "phone"
    sdk.run("await sdk.signOut(auth)")
    prove_first_factor(sdk, email)
    result = sdk.run("""
        const assertion = sdk.TotpMultiFactorGenerator.assertionForSignIn(window.resolver.hints[1].uid, v.code);
        const { user } = await window.resolver.resolveSignIn(assertion);
        return await sdk.getIdTokenResult(user)""", code=totp(secret, ahead=1))
    assert result["signInSecondFactor"] == "totp"


def test_a_user_with_a_second_factor_authenticates_again_with_it(sdk, dev):
    email, number = sign_up_verified(sdk, dev), fresh_number()
    enroll_number(sdk, dev, number)
    sdk.run("""
        try {
            const credential = sdk.EmailAuthProvider.credential(v.email, v.password);
            await sdk.reauthenticateWithCredential(auth.currentUser, credential);
        } catch (error) {
            window.resolver = sdk.getMultiFactorResolver(auth, error);
        }""", email=email, password=PASSWORD)
    verification = request_factor_code(sdk, number)
    result = sdk.run(RESOLVE, id=verification, code=verification_code(dev, number))
    assert result["signInSecondFactor"] == "phone"


def test_the_javascript_of_the_guide_to_telephone_numbers_signs_in(sdk, dev):
    number = fresh_number()
    guide = code_block(GUIDES / "telephone.md", "Sign in", 2).replace("+15555550100", number)
    sdk.run("""
        const { signInWithPhoneNumber } = sdk;
        window.asked = new Promise(wasAsked => {
            const askForCode = () => new Promise(answer => { window.answer = answer; wasAsked(); });
            window.finished = (async () => { %s })();
        });
        await window.asked""" % guide)
    assert sdk.run("""
        window.answer(v.code);
        await window.finished;
        return auth.currentUser.phoneNumber""", code=verification_code(dev, number)) == number
