// Every method of `getAuth()` of Firebase's Admin SDK for Node. Argument: the path of the SDK's file.
const { assert, call, fails, methodsOf, run, unsigned } = require("./steps.cjs");
const { app, auth } = require(process.argv[2]);

const admin = auth.getAuth(app.initializeApp({ projectId: "demo" }));
const tenants = admin.tenantManager();
const project = admin.projectConfigManager();
const password = "correct horse battery";
const unique = `${Date.now()}-${process.pid}`;
const email = `node-${unique}@example.com`;
const oidc = `oidc.node-${unique}`;
const settings = { url: "http://localhost/done", handleCodeInApp: true };
let ada, session, cookie, tenant;

const signIn = async () => {
  session = await call("signInWithPassword", { email, password });
  assert.ok(session.idToken, JSON.stringify(session));
  return session;
};

run({
  async createUser() {
    ada = await admin.createUser({
      email, password, displayName: "Ada", phoneNumber: `+1555${String(Date.now()).slice(-7)}`,
      photoURL: "https://example.com/ada.png", emailVerified: true, disabled: false,
    });
    assert.equal(ada.email, email);
    assert.equal(ada.emailVerified, true);
    await fails(admin.createUser({ email, password }), "auth/email-already-exists");
  },
  async createUserWithFactor() {
    const factors = [{ phoneNumber: "+15555550100", displayName: "Work", factorId: "phone" }];
    const user = await admin.createUser({
      email: `factor-${email}`, password, emailVerified: true, multiFactor: { enrolledFactors: factors },
    });
    const [factor] = user.multiFactor.enrolledFactors;
    assert.deepEqual([factor.factorId, factor.phoneNumber, factor.displayName], ["phone", "+15555550100", "Work"]);
    assert.ok(!Number.isNaN(Date.parse(factor.enrollmentTime)));
    const first = await call("signInWithPassword", { email: `factor-${email}`, password });
    assert.deepEqual([first.idToken, first.mfaInfo[0].phoneInfo], [undefined, "+*******0100"]);
    const updated = await admin.updateUser(user.uid, {
      multiFactor: { enrolledFactors: [factor, { uid: "second", phoneNumber: "+15555550101", factorId: "phone" }] },
    });
    assert.deepEqual(updated.multiFactor.enrolledFactors.map((each) => each.phoneNumber), ["+15555550100", "+15555550101"]);
    assert.equal(updated.multiFactor.enrolledFactors[0].uid, factor.uid);
    const listed = (await admin.listUsers()).users.find((each) => each.uid === user.uid);
    assert.equal(listed.multiFactor.enrolledFactors.length, 2);
    const removed = await admin.updateUser(user.uid, { multiFactor: { enrolledFactors: null } });
    assert.equal(removed.multiFactor, undefined);
    const signedIn = await call("signInWithPassword", { email: `factor-${email}`, password });
    assert.ok(signedIn.idToken);
    const imported = await admin.importUsers([{
      uid: `factor-${unique}`, email: `imported-${email}`, emailVerified: true,
      multiFactor: { enrolledFactors: [{ uid: "one", phoneNumber: "+15555550100", factorId: "phone" }] },
    }]);
    assert.deepEqual(imported.errors, []);
    const found = await admin.getUser(`factor-${unique}`);
    assert.deepEqual(found.multiFactor.enrolledFactors.map((each) => [each.uid, each.phoneNumber]), [["one", "+15555550100"]]);
  },
  async getUser() {
    assert.equal((await admin.getUser(ada.uid)).displayName, "Ada");
    await fails(admin.getUser("unknown"), "auth/user-not-found");
  },
  async getUserByEmail() {
    assert.equal((await admin.getUserByEmail(email)).uid, ada.uid);
  },
  async getUserByPhoneNumber() {
    assert.equal((await admin.getUserByPhoneNumber(ada.phoneNumber)).uid, ada.uid);
  },
  async getUsers() {
    const found = await admin.getUsers([{ uid: ada.uid }, { email: "unknown@example.com" }]);
    assert.deepEqual([found.users.length, found.notFound.length], [1, 1]);
  },
  async listUsers() {
    const page = await admin.listUsers(1);
    assert.equal(page.users.length, 1);
    assert.ok((await admin.listUsers()).users.some((user) => user.uid === ada.uid));
  },
  async updateUser() {
    const updated = await admin.updateUser(ada.uid, { displayName: "Ada L.", phoneNumber: null, photoURL: null });
    assert.deepEqual([updated.displayName, updated.phoneNumber, updated.photoURL], ["Ada L.", undefined, undefined]);
  },
  async setCustomUserClaims() {
    await admin.setCustomUserClaims(ada.uid, { role: "editor" });
    assert.deepEqual((await admin.getUser(ada.uid)).customClaims, { role: "editor" });
    for (const name of ["sid", "act"]) {
      await fails(admin.setCustomUserClaims(ada.uid, { [name]: "x" }), "auth/reserved-claim");
    }
  },
  async verifyIdToken() {
    await signIn();
    const claims = await admin.verifyIdToken(session.idToken, true);
    assert.deepEqual([claims.uid, claims.role, claims.email], [ada.uid, "editor", email]);
    const refreshed = await (await fetch(
      `http://${process.env.FIREBASE_AUTH_EMULATOR_HOST}/v1/token?key=any`,
      {
        method: "POST",
        body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: session.refreshToken }),
      },
    )).json();
    assert.equal((await admin.verifyIdToken(refreshed.id_token, true)).uid, ada.uid);
    await fails(admin.verifyIdToken("a.b.c"), "auth/argument-error");
  },
  async createSessionCookie() {
    cookie = await admin.createSessionCookie(session.idToken, { expiresIn: 600_000 });
    await fails(admin.createSessionCookie(cookie, { expiresIn: 600_000 }), "auth/invalid-id-token");
  },
  async verifySessionCookie() {
    assert.equal((await admin.verifySessionCookie(cookie, true)).uid, ada.uid);
    await fails(admin.verifySessionCookie(session.idToken), "auth/argument-error");
    await fails(admin.verifyIdToken(cookie), "auth/argument-error");
  },
  async createCustomToken() {
    const token = await admin.createCustomToken(ada.uid, { plan: "gold" });
    const signedIn = await call("signInWithCustomToken", { token, returnSecureToken: true });
    assert.equal((await admin.verifyIdToken(signedIn.idToken, true)).plan, "gold");
    const created = await call("signInWithCustomToken", { token: await admin.createCustomToken(`new-${unique}`) });
    assert.equal(created.isNewUser, true);
  },
  async revokeRefreshTokens() {
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await admin.revokeRefreshTokens(ada.uid);
    await fails(admin.verifyIdToken(session.idToken, true), "auth/id-token-revoked");
    await fails(admin.verifySessionCookie(cookie, true), "auth/session-cookie-revoked");
    assert.ok(await admin.verifyIdToken((await signIn()).idToken, true));
  },
  async importUsers() {
    const users = [1, 2].map((number) => ({
      uid: `import-${number}-${unique}`, email: `import-${number}-${unique}@example.com`,
      passwordHash: Buffer.alloc(32, 1), passwordSalt: Buffer.from("salt"),
      providerData: [{ uid: `google-${number}-${unique}`, providerId: "google.com", email: "x@gmail.com" }],
    }));
    const hash = { algorithm: "HMAC_SHA256", key: Buffer.from("key") };
    const result = await admin.importUsers(users, { hash });
    assert.deepEqual([result.successCount, result.failureCount, result.errors], [2, 0, []]);
  },
  async getUserByProviderUid() {
    const found = await admin.getUserByProviderUid("google.com", `google-1-${unique}`);
    assert.equal(found.uid, `import-1-${unique}`);
  },
  async generatePasswordResetLink() {
    const code = new URL(await admin.generatePasswordResetLink(email, settings)).searchParams.get("oobCode");
    const reset = await call("resetPassword", { oobCode: code, newPassword: password });
    assert.equal(reset.email, email);
    await fails(admin.generatePasswordResetLink("unknown@example.com"), "auth/email-not-found");
  },
  async generateEmailVerificationLink() {
    const code = new URL(await admin.generateEmailVerificationLink(email)).searchParams.get("oobCode");
    assert.equal((await call("update", { oobCode: code })).emailVerified, true);
  },
  async generateVerifyAndChangeEmailLink() {
    const link = await admin.generateVerifyAndChangeEmailLink(email, `changed-${email}`, settings);
    assert.equal(new URL(link).searchParams.get("mode"), "verifyAndChangeEmail");
  },
  async generateSignInWithEmailLink() {
    const code = new URL(await admin.generateSignInWithEmailLink(email, settings)).searchParams.get("oobCode");
    assert.ok((await call("signInWithEmailLink", { email, oobCode: code })).idToken);
  },
  async createProviderConfig() {
    const config = {
      providerId: oidc, displayName: "Node", enabled: true, clientId: "client",
      issuer: `https://node-${unique}.example.com`,
    };
    const created = await admin.createProviderConfig(config);
    assert.deepEqual([created.providerId, created.clientId], [oidc, "client"]);
  },
  async getProviderConfig() {
    assert.equal((await admin.getProviderConfig(oidc)).displayName, "Node");
  },
  async listProviderConfigs() {
    const list = await admin.listProviderConfigs({ type: "oidc" });
    assert.ok(list.providerConfigs.some((config) => config.providerId === oidc));
  },
  async updateProviderConfig() {
    assert.equal((await admin.updateProviderConfig(oidc, { displayName: "New" })).displayName, "New");
  },
  async deleteProviderConfig() {
    await admin.deleteProviderConfig(oidc);
    await fails(admin.getProviderConfig(oidc), "auth/configuration-not-found");
  },
  async createTenant() {
    const emailSignInConfig = { enabled: true, passwordRequired: false };
    tenant = await tenants.createTenant({ displayName: "Node", emailSignInConfig });
    assert.equal(tenant.displayName, "Node");
  },
  async getTenant() {
    assert.equal((await tenants.getTenant(tenant.tenantId)).displayName, "Node");
  },
  async listTenants() {
    assert.ok((await tenants.listTenants()).tenants.some((found) => found.tenantId === tenant.tenantId));
  },
  async updateTenant() {
    assert.equal((await tenants.updateTenant(tenant.tenantId, { displayName: "New" })).displayName, "New");
  },
  async authForTenant() {
    const inTenant = tenants.authForTenant(tenant.tenantId);
    const user = await inTenant.createUser({ email, password });
    const signedIn = await call("signInWithPassword", { email, password, tenantId: tenant.tenantId });
    assert.equal((await inTenant.verifyIdToken(signedIn.idToken, true)).firebase.tenant, tenant.tenantId);
    const itsCookie = await inTenant.createSessionCookie(signedIn.idToken, { expiresIn: 600_000 });
    assert.equal((await inTenant.verifySessionCookie(itsCookie, true)).uid, user.uid);
    const token = await inTenant.createCustomToken(user.uid);
    assert.ok((await call("signInWithCustomToken", { token, tenantId: tenant.tenantId })).idToken);
    // In emulator mode, the SDK looks up the account first.
    await fails(inTenant.verifyIdToken(session.idToken), "auth/user-not-found");
  },
  async deleteTenant() {
    await tenants.deleteTenant(tenant.tenantId);
    await fails(tenants.getTenant(tenant.tenantId), "auth/tenant-not-found");
  },
  async getProjectConfig() {
    assert.ok((await project.getProjectConfig()).emailPrivacyConfig !== null);
  },
  async updateProjectConfig() {
    const config = await project.updateProjectConfig({ emailPrivacyConfig: { enableImprovedEmailPrivacy: false } });
    assert.ok(config);
  },
  async forgedTokens() {
    const claims = JSON.parse(Buffer.from(session.idToken.split(".")[1], "base64url"));
    const forged = unsigned({ ...claims, sid: "00000000-0000-4000-8000-000000000000" });
    assert.equal((await call("lookup", { idToken: forged })).error.message, "TOKEN_EXPIRED");
  },
  async deleteUser() {
    await admin.deleteUser(ada.uid);
    await fails(admin.getUser(ada.uid), "auth/user-not-found");
  },
  async deleteUsers() {
    const result = await admin.deleteUsers([1, 2].map((number) => `import-${number}-${unique}`));
    assert.deepEqual([result.successCount, result.failureCount], [2, 0]);
  },
}).then(() => {
  const managers = [admin, tenants, project].flatMap(methodsOf);
  console.log(JSON.stringify({ methods: managers.filter((name) => !name.endsWith("Manager")) }));
});
