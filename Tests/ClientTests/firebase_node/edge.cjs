// The login of next-firebase-auth-edge: ID token, custom token with the claims of the ID token, tokens of its own.
// Arguments: the path of the library's file and the path of a service account's private key (PEM).
const { assert, call, run } = require("./steps.cjs");
const fs = require("node:fs");
const edge = require(process.argv[2]);

const serviceAccount = {
  projectId: "demo", clientEmail: "firebase-adminsdk-edge@demo.iam.gserviceaccount.com",
  privateKey: fs.readFileSync(process.argv[3], "utf8"),
};
const login = edge.getFirebaseAuth({ serviceAccount, apiKey: "any", enableCustomToken: true });
const password = "correct horse battery";
const email = `edge-${Date.now()}-${process.pid}@example.com`;
const claimsOf = (token) => JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
let ada, tokens;

run({
  async createUser() {
    await login.createUser({ email, password });
    ada = await call("signInWithPassword", { email, password });
    assert.ok(ada.idToken);
  },
  async verifyIdToken() {
    const claims = await login.verifyIdToken(ada.idToken, { checkRevoked: true });
    assert.equal(claims.sub, ada.localId);
  },
  async getCustomIdAndRefreshTokens() {
    tokens = await login.getCustomIdAndRefreshTokens(ada.idToken, { appCheckToken: undefined });
    const [before, after] = [ada.idToken, tokens.idToken].map(claimsOf);
    assert.equal(after.sub, before.sub);
    assert.notEqual(after.sid, before.sid);
    assert.ok(tokens.refreshToken);
  },
  async handleTokenRefresh() {
    const refreshed = await login.handleTokenRefresh(tokens.refreshToken);
    assert.equal(refreshed.decodedIdToken.sub, ada.localId);
  },
  async verifyAndRefreshExpiredIdToken() {
    const verified = await login.verifyAndRefreshExpiredIdToken(
      { idToken: tokens.idToken, refreshToken: tokens.refreshToken, customToken: tokens.customToken }, {});
    assert.equal(verified.decodedIdToken.sub, ada.localId);
  },
  async createCustomToken() {
    const token = await login.createCustomToken(ada.localId, { plan: "gold" });
    assert.equal(claimsOf((await call("signInWithCustomToken", { token })).idToken).plan, "gold");
  },
  async createSessionCookie() {
    const cookie = await login.createSessionCookie(tokens.idToken, { expiresIn: 600_000 });
    assert.equal(claimsOf(cookie).sub, ada.localId);
  },
  async getUser() {
    assert.equal((await login.getUser(ada.localId)).email, email);
  },
  async getUserByEmail() {
    assert.equal((await login.getUserByEmail(email)).uid, ada.localId);
  },
  async updateUser() {
    assert.equal((await login.updateUser(ada.localId, { displayName: "Ada" })).displayName, "Ada");
  },
  async setCustomUserClaims() {
    await login.setCustomUserClaims(ada.localId, { role: "editor" });
    const refreshed = await login.handleTokenRefresh(tokens.refreshToken);
    assert.equal(refreshed.decodedIdToken.role, "editor");
  },
  async listUsers() {
    assert.ok((await login.listUsers(undefined, 1000)).users.length > 0);
  },
  async deleteUser() {
    await login.deleteUser(ada.localId);
    assert.equal(await login.getUser(ada.localId), null);
  },
}).then(() => console.log(JSON.stringify({ methods: Object.keys(login) })));
