// Signs in with Firebase's JavaScript SDK. `client` has the functions `popup`, `redirect` and `redirectResult` of
// `sign_in.js`, and functions for the current user.
import { initializeApp } from "/firebase-app.js";
import * as sdk from "/firebase-auth.js";

const settings = Object.fromEntries(new URLSearchParams(location.search));
const auth = sdk.getAuth(initializeApp({
    apiKey: settings.apiKey, authDomain: settings.authDomain ?? location.host, projectId: "demo",
}));
if (settings.emulator) {
    sdk.connectAuthEmulator(auth, settings.emulator, { disableWarnings: true });
} else {
    // The gateway behind the app's own web server, under the paths of Firebase's SDKs.
    auth.config.apiHost = `${location.host}/identitytoolkit.googleapis.com`;
    auth.config.tokenApiHost = `${location.host}/securetoken.googleapis.com`;
}

const provider = id => id === "google.com" ? new sdk.GoogleAuthProvider() : new sdk.OAuthProvider(id);
const summary = result => result && {
    localId: result.user.uid, operation: result.operationType, providerId: result.providerId,
    isNewUser: sdk.getAdditionalUserInfo(result).isNewUser,
    providers: result.user.providerData.map(info => info.providerId),
    hasCredential: Boolean(sdk.OAuthProvider.credentialFromResult(result)?.idToken),
};

window.client = {
    popup: async (id, { operation = "signIn" } = {}) => summary(await {
        signIn: () => sdk.signInWithPopup(auth, provider(id)),
        link: () => sdk.linkWithPopup(auth.currentUser, provider(id)),
        reauth: () => sdk.reauthenticateWithPopup(auth.currentUser, provider(id)),
    }[operation]()),
    redirect: (id, { operation = "signIn" } = {}) => ({
        signIn: () => sdk.signInWithRedirect(auth, provider(id)),
        link: () => sdk.linkWithRedirect(auth.currentUser, provider(id)),
        reauth: () => sdk.reauthenticateWithRedirect(auth.currentUser, provider(id)),
    })[operation](),
    redirectResult: async () => summary(await sdk.getRedirectResult(auth)),
    signInAnonymously: async () => (await sdk.signInAnonymously(auth)).user.uid,
    signOut: () => sdk.signOut(auth),
    currentUserId: async () => {
        await auth.authStateReady();
        return auth.currentUser?.uid ?? null;
    },
};
window.loaded = true;
