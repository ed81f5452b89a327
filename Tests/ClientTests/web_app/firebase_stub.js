// The functions of Firebase's JavaScript SDK that the page in Deploy/guides/web.md imports, with the SDK's requests.
import { Client } from "./sign_in.js";

export const getAuth = settings => ({ settings, config: {}, listeners: [] });

export const connectAuthEmulator = (auth, url) => { auth.emulator = url; };

export class OAuthProvider {
    constructor(providerId) { this.providerId = providerId; }
}

export const onAuthStateChanged = (auth, listener) => {
    auth.listeners.push(listener);
    listener(null);
};

export const signInWithPopup = async (auth, { providerId }) => {
    const { apiKey, authDomain } = auth.settings;
    auth.client ??= new Client(auth.emulator
        ? { apiKey, pages: `${auth.emulator}/emulator/auth`, api: `${auth.emulator}/identitytoolkit.googleapis.com` }
        : { apiKey, pages: `https://${authDomain}/__/auth`, api: `https://${auth.config.apiHost}` });
    const { localId, email } = await auth.client.popup(providerId);
    auth.listeners.forEach(listener => listener({ uid: localId, email }));
};
