// Every function of Firebase's JavaScript SDK that makes sense in Node. Argument: the path of the SDK's file.
const { createHmac } = require("node:crypto");
const { assert, call, codes, fails, post, run } = require("./steps.cjs");
const { app, auth: sdk } = require(process.argv[2]);

const url = `http://${process.env.FIREBASE_AUTH_EMULATOR_HOST}`;
const firebase = app.initializeApp({ apiKey: "any", projectId: "demo" });
const auth = sdk.initializeAuth(firebase, { persistence: sdk.inMemoryPersistence, errorMap: sdk.debugErrorMap });
sdk.connectAuthEmulator(auth, url, { disableWarnings: true });
const password = "correct horse battery";
const unique = `${Date.now()}-${process.pid}`;
const email = `client-${unique}@example.com`;
const factorEmail = `factor-${unique}@example.com`;
let secret;
const settings = { url: "http://localhost/done", handleCodeInApp: true };
const google = (name) => sdk.GoogleAuthProvider.credential(
  JSON.stringify({ sub: `${name}-${unique}`, email: `${name}-${unique}@gmail.com`, email_verified: true }));

// Returns the code of the latest email to an address.
const latestCode = async (address, type) => (await codes(address, type)).at(-1).oobCode;

// Returns the code of an authenticator app (RFC 6238) whose clock is some steps of 30 seconds ahead.
const totp = (base32, steps = 0) => {
  const bits = [...base32].map((digit) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(digit).toString(2).padStart(5, "0"));
  const key = Buffer.from(bits.join("").match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000) + steps));
  const digest = createHmac("sha1", key).update(message).digest();
  const code = (digest.readUInt32BE(digest[19] & 15) & 0x7fffffff) % 1000000;
  return String(code).padStart(6, "0");
};

// Returns an Apple credential as the simulated Apple issues it, with an authorization code.
const apple = async () => {
  const simulated = await post("/emulator/v1/projects/demo/simulatedSignIns", {
    providerId: "apple.com", rawNonce: `nonce-${unique}-${Math.random()}`,
    person: { givenName: "Ada", email: `apple-${unique}@icloud.com` },
  });
  const members = new URLSearchParams(simulated.postBody);
  const provider = new sdk.OAuthProvider("apple.com");
  return provider.credential({ idToken: members.get("id_token"), rawNonce: members.get("nonce") });
};

run({
  async getAuth() {
    assert.equal(sdk.getAuth(firebase), auth);
  },
  async createUserWithEmailAndPassword() {
    const { user } = await sdk.createUserWithEmailAndPassword(auth, email, password);
    assert.equal(user.email, email);
    await fails(sdk.createUserWithEmailAndPassword(auth, email, password), "auth/email-already-in-use");
  },
  async getIdToken() {
    assert.notEqual(await sdk.getIdToken(auth.currentUser, true), "");
  },
  async getIdTokenResult() {
    const { claims, signInProvider } = await sdk.getIdTokenResult(auth.currentUser);
    assert.deepEqual([claims.sub, signInProvider], [auth.currentUser.uid, "password"]);
  },
  async updateProfile() {
    await sdk.updateProfile(auth.currentUser, { displayName: "Ada", photoURL: "https://example.com/a.png" });
    assert.equal(auth.currentUser.displayName, "Ada");
  },
  async reload() {
    await sdk.reload(auth.currentUser);
    assert.equal(auth.currentUser.photoURL, "https://example.com/a.png");
  },
  async onAuthStateChanged() {
    const user = await new Promise((resolve) => sdk.onAuthStateChanged(auth, resolve));
    assert.equal(user.email, email);
  },
  async onIdTokenChanged() {
    const user = await new Promise((resolve) => sdk.onIdTokenChanged(auth, resolve));
    assert.equal(user.email, email);
  },
  async beforeAuthStateChanged() {
    const stop = sdk.beforeAuthStateChanged(auth, () => { throw new Error("blocked"); });
    await fails(sdk.signInAnonymously(auth), "auth/login-blocked");
    stop();
  },
  async sendEmailVerification() {
    await sdk.sendEmailVerification(auth.currentUser, settings);
  },
  async checkActionCode() {
    const info = await sdk.checkActionCode(auth, await latestCode(email, "VERIFY_EMAIL"));
    assert.deepEqual([info.operation, info.data.email], [sdk.ActionCodeOperation.VERIFY_EMAIL, email]);
  },
  async applyActionCode() {
    await sdk.applyActionCode(auth, await latestCode(email, "VERIFY_EMAIL"));
    await sdk.reload(auth.currentUser);
    assert.equal(auth.currentUser.emailVerified, true);
  },
  async parseActionCodeURL() {
    await call("sendOobCode", { requestType: "PASSWORD_RESET", email });
    const { oobLink, oobCode } = (await codes(email, "PASSWORD_RESET")).at(-1);
    assert.equal(sdk.parseActionCodeURL(oobLink).code, oobCode);
  },
  async sendPasswordResetEmail() {
    await sdk.sendPasswordResetEmail(auth, email, settings);
  },
  async verifyPasswordResetCode() {
    assert.equal(await sdk.verifyPasswordResetCode(auth, await latestCode(email, "PASSWORD_RESET")), email);
  },
  async confirmPasswordReset() {
    await sdk.confirmPasswordReset(auth, await latestCode(email, "PASSWORD_RESET"), `${password} 2`);
  },
  async signInWithEmailAndPassword() {
    const { user } = await sdk.signInWithEmailAndPassword(auth, email, `${password} 2`);
    assert.equal(user.displayName, "Ada");
    await fails(sdk.signInWithEmailAndPassword(auth, email, "wrong password"), "auth/wrong-password");
  },
  async reauthenticateWithCredential() {
    const credential = sdk.EmailAuthProvider.credential(email, `${password} 2`);
    const result = await sdk.reauthenticateWithCredential(auth.currentUser, credential);
    assert.equal(result.operationType, sdk.OperationType.REAUTHENTICATE);
  },
  async updatePassword() {
    await sdk.updatePassword(auth.currentUser, password);
    await sdk.signInWithEmailAndPassword(auth, email, password);
  },
  async updateEmail() {
    await sdk.updateEmail(auth.currentUser, `new-${email}`);
    await sdk.updateEmail(auth.currentUser, email);
  },
  async verifyBeforeUpdateEmail() {
    await sdk.verifyBeforeUpdateEmail(auth.currentUser, `next-${email}`, settings);
    const sent = await Promise.all([email, `next-${email}`].map((to) => codes(to, "VERIFY_AND_CHANGE_EMAIL")));
    assert.equal(sent.flat().length, 1);
  },
  async fetchSignInMethodsForEmail() {
    assert.deepEqual(await sdk.fetchSignInMethodsForEmail(auth, email), ["password"]);
  },
  async linkWithCredential() {
    const { user } = await sdk.linkWithCredential(auth.currentUser, google("linked"));
    assert.ok(user.providerData.some((entry) => entry.providerId === "google.com"));
  },
  async unlink() {
    const user = await sdk.unlink(auth.currentUser, "google.com");
    assert.deepEqual(user.providerData.map((entry) => entry.providerId), ["password"]);
  },
  async updateCurrentUser() {
    await sdk.updateCurrentUser(auth, auth.currentUser);
    assert.equal(auth.currentUser.email, email);
  },
  async sendSignInLinkToEmail() {
    await sdk.sendSignInLinkToEmail(auth, email, settings);
  },
  async isSignInWithEmailLink() {
    const { oobLink } = (await codes(email, "EMAIL_SIGNIN")).at(-1);
    assert.equal(sdk.isSignInWithEmailLink(auth, oobLink), true);
  },
  async signInWithEmailLink() {
    const { oobLink } = (await codes(email, "EMAIL_SIGNIN")).at(-1);
    assert.equal((await sdk.signInWithEmailLink(auth, email, oobLink)).user.email, email);
  },
  async signInWithCustomToken() {
    const token = JSON.stringify({ uid: `custom-${unique}`, claims: { plan: "gold" } });
    const { user } = await sdk.signInWithCustomToken(auth, token);
    assert.equal((await user.getIdTokenResult()).claims.plan, "gold");
  },
  async signInWithCredential() {
    const result = await sdk.signInWithCredential(auth, google("grace"));
    assert.equal(result.user.email, `grace-${unique}@gmail.com`);
    const again = await sdk.signInWithCredential(auth, await apple());
    assert.equal(again.user.providerData[0].providerId, "apple.com");
  },
  async revokeAccessToken() {
    await sdk.revokeAccessToken(auth, "token");
  },
  async getAdditionalUserInfo() {
    const result = await sdk.signInWithCredential(auth, google("info"));
    assert.equal(sdk.getAdditionalUserInfo(result).isNewUser, true);
  },
  async validatePassword() {
    assert.equal((await sdk.validatePassword(auth, "abc")).isValid, false);
    assert.equal((await sdk.validatePassword(auth, password)).isValid, true);
  },
  async signInAnonymously() {
    await sdk.signOut(auth);
    const { user } = await sdk.signInAnonymously(auth);
    assert.equal(user.isAnonymous, true);
    const linked = await sdk.linkWithCredential(user, sdk.EmailAuthProvider.credential(`anonymous-${email}`, password));
    assert.equal(linked.user.isAnonymous, false);
  },
  async multiFactor() {
    await sdk.createUserWithEmailAndPassword(auth, factorEmail, password);
    await sdk.sendEmailVerification(auth.currentUser);
    await sdk.applyActionCode(auth, await latestCode(factorEmail, "VERIFY_EMAIL"));
    await sdk.reload(auth.currentUser);
    const user = sdk.multiFactor(auth.currentUser);
    assert.deepEqual(user.enrolledFactors, []);
    secret = await sdk.TotpMultiFactorGenerator.generateSecret(await user.getSession());
    assert.match(secret.generateQrCodeUrl(factorEmail, "Demo"), /^otpauth:\/\/totp\/Demo:.*algorithm=SHA1&digits=6/);
    const wrong = sdk.TotpMultiFactorGenerator.assertionForEnrollment(secret, totp(secret.secretKey, 9));
    await fails(user.enroll(wrong, "Phone"), "auth/invalid-verification-code");
    await user.enroll(sdk.TotpMultiFactorGenerator.assertionForEnrollment(secret, totp(secret.secretKey)), "Phone");
    assert.deepEqual(user.enrolledFactors.map((factor) => [factor.factorId, factor.displayName]), [["totp", "Phone"]]);
  },
  async getMultiFactorResolver() {
    const error = await sdk.signInWithEmailAndPassword(auth, factorEmail, password).catch((thrown) => thrown);
    assert.equal(error.code, "auth/multi-factor-auth-required");
    const resolver = sdk.getMultiFactorResolver(auth, error);
    assert.deepEqual(resolver.hints.map((hint) => [hint.factorId, hint.displayName]), [["totp", "Phone"]]);
    const assertion = (steps) =>
      sdk.TotpMultiFactorGenerator.assertionForSignIn(resolver.hints[0].uid, totp(secret.secretKey, steps));
    await fails(resolver.resolveSignIn(assertion(9)), "auth/invalid-verification-code");
    // The code of the present step was used by the enrollment.
    const { user } = await resolver.resolveSignIn(assertion(1));
    const { claims, signInSecondFactor } = await sdk.getIdTokenResult(user);
    assert.deepEqual([signInSecondFactor, claims.firebase.second_factor_identifier], ["totp", resolver.hints[0].uid]);
    await sdk.multiFactor(user).unenroll(resolver.hints[0]);
    assert.deepEqual(sdk.multiFactor(auth.currentUser).enrolledFactors, []);
    await sdk.signInWithEmailAndPassword(auth, factorEmail, password);
  },
  async setPersistence() {
    await sdk.setPersistence(auth, sdk.inMemoryPersistence);
  },
  async deleteUser() {
    await sdk.deleteUser(auth.currentUser);
    assert.equal(auth.currentUser, null);
  },
  async signOut() {
    await sdk.signInAnonymously(auth);
    await sdk.signOut(auth);
    assert.equal(auth.currentUser, null);
  },
}).then(() => {
  const isFunction = ([name, value]) => typeof value === "function" && /^[a-z]/.test(name);
  console.log(JSON.stringify({ methods: Object.entries(sdk).filter(isFunction).map(([name]) => name) }));
  process.exit(0);
});
