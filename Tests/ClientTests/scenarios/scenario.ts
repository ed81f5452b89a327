// The life cycle of an account, through the generated TypeScript client.
//
// The clients in Python, TypeScript, Swift, Java and Go run the same scenario. The program prints the name of each step
// that succeeded; after a step that ends with an error, also the error code.

import * as sekisho from './client';

declare const process: { env: Record<string, string>; exit(status: number): never };

const { SEKISHO_URL: url, SEKISHO_PROJECT: project } = process.env;
const { SEKISHO_API_KEY: apiKey, SEKISHO_SERVICE_KEY: serviceKey } = process.env;
const password = 'correct horse battery';
const email = `${Date.now()}-${Math.random()}@example.com`;

const done = (...words: string[]) => console.log(...words);

function check(condition: unknown) {
    if (!condition) throw new Error('unexpected response');
}

/** Returns what Sign in with Apple gives to an app: an ID token. */
async function simulatedAppleSignIn(nonceSha256: string): Promise<string> {
    const response = await fetch(`${url}/emulator/v1/projects/${project}/simulatedSignIns`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ providerId: 'apple.com', person: { email }, nonce: nonceSha256 }),
    });
    return (await response.json()).idToken;
}

/** Returns the code of the error with which the request fails. */
async function errorCode(request: Promise<unknown>): Promise<string> {
    try {
        await request;
    } catch (error) {
        if (!(error instanceof sekisho.ResponseError)) throw error;
        return sekisho.ErrorEnvelopeFromJSON(await error.response.json()).error.errorCode;
    }
    throw new Error('no error');
}

async function run() {
    // Sends the API key with every request of the app.
    const app = new sekisho.Configuration({ basePath: url, apiKey });
    // Sends the service key with every request of the backend.
    const backend = new sekisho.Configuration({ basePath: url, accessToken: serviceKey });

    const signIn = new sekisho.SignInApi(app);
    const accounts = new sekisho.AccountsApi(app);
    const sessions = new sekisho.SessionsApi(app);
    const administration = new sekisho.AccountsApi(backend);
    const identities = new sekisho.IdentitiesApi(backend);
    const wellKnown = new sekisho.WellKnownApi(app);

    const guest = await signIn.signUp({ signUpInput: {} });
    const localId = guest.localId;
    done('signUpAnonymously');

    const other = await signIn.signUp({ signUpInput: { email: `other-${email}`, password } });
    done('signUpWithEmail');

    const user = await signIn.signUp({ signUpInput: { idToken: guest.idToken, email, password } });
    check(user.localId === localId);
    done('upgradeWithPassword');

    const issued = await signIn.issueNonce({ issueNonceInput: {} });
    const appleToken = await simulatedAppleSignIn(issued.nonceSha256);
    const credential = { providerId: 'apple.com', idToken: appleToken, rawNonce: issued.nonce };
    const linked = await signIn.signInWithIdp({ signInWithIdpInput: { idToken: user.idToken, credential } });
    check(linked.localId === localId);
    done('linkApple');

    const grantType = sekisho.RefreshTokensGrantTypeEnum.RefreshToken;
    const refreshed = await sessions.refreshTokens({ grantType, refreshToken: linked.refreshToken! });
    check(refreshed.userId === localId);
    done('refresh');

    const reauthenticated = await signIn.signInWithPassword({ signInWithPasswordInput: { email, password } });
    check(reauthenticated.localId === localId);
    const idToken = reauthenticated.idToken!;
    done('reauthenticate');

    const wrong = { email, password: 'a wrong password' };
    done('wrongPassword', await errorCode(signIn.signInWithPassword({ signInWithPasswordInput: wrong })));

    const own = await accounts.lookUpOwnAccount({ lookUpOwnAccountInput: { idToken } });
    check(own.users[0].email === email);
    done('lookUp');

    const updated = await accounts.updateOwnAccount({ updateOwnAccountInput: { idToken, displayName: 'Ada' } });
    check(updated.displayName === 'Ada');
    done('update');

    const listed = (await sessions.listSessions({ listSessionsInput: { idToken } })).sessions;
    const otherSession = listed.find((session) => !session.current)!;
    done('listSessions');

    await sessions.revokeSession({ revokeSessionInput: { idToken, sessionId: otherSession.sessionId } });
    const remaining = (await sessions.listSessions({ listSessionsInput: { idToken } })).sessions;
    check(remaining.length === listed.length - 1);
    done('revokeSession');

    const lookUpSessionInput = { sessionId: otherSession.sessionId };
    const ended = await new sekisho.SessionsApi(backend).lookUpSession({ project, lookUpSessionInput });
    check(!ended.active && ended.endReason);
    done('backendLookUpSession');

    const source = await signIn.signUp({ signUpInput: {} });
    const preview = await accounts.mergeOwnAccounts({
        mergeOwnAccountsInput: { idToken: source.idToken!, dryRun: true, targetIdToken: other.idToken },
    });
    check(preview.localId === other.localId && preview.undoableUntil === undefined);
    done('mergeDryRun');

    const merged = await accounts.mergeOwnAccounts({
        mergeOwnAccountsInput: { idToken: source.idToken!, mergeToken: preview.mergeToken },
    });
    check(merged.idToken && merged.undoableUntil);
    done('merge');

    check((await wellKnown.getProjectJwks({ project })).keys.length > 0);
    done('jwks');

    check((await signIn.getLoginMethods()).methods.length > 0);
    check((await signIn.getPasswordPolicy()).enforcementState);
    check((await new sekisho.ConfigurationApi(backend).getProjectConfig({ project })).name);
    const providers = await new sekisho.ProvidersApi(backend).listDefaultSupportedIdpConfigs({ project });
    check(providers.defaultSupportedIdpConfigs.length > 0);
    await new sekisho.AppsApi(backend).listApps({ project });
    await new sekisho.TenantsApi(backend).listTenants({ project });
    await wellKnown.getAssetLinks();
    done('readConfiguration');

    const code = await new sekisho.EmailActionsApi(backend).sendProjectOobCode({
        project,
        sendProjectOobCodeInput: { requestType: 'PASSWORD_RESET', email, returnOobLink: true },
    });
    const resetPasswordInput = { oobCode: code.oobCode! };
    check((await new sekisho.EmailActionsApi(app).resetPassword({ resetPasswordInput })).email === email);
    done('checkCode');

    const found = await administration.lookUpAccounts({ project, lookUpAccountsInput: { localId: [localId] } });
    check(found.users?.[0].email === email);
    done('backendLookUp');

    check((await administration.batchGetAccounts({ project, maxResults: 10 })).users.length > 0);
    done('backendList');

    const linkIdentityInput = { providerId: 'google.com', rawId: email };
    const identity = await identities.linkIdentity({ project, localId, linkIdentityInput });
    check(identity.localId === localId);
    done('backendLinkIdentity');

    check((await identities.listIdentities({ project, localId })).identities.length === 2);
    done('backendListIdentities');

    await identities.unlinkIdentity({ project, localId, providerId: 'google.com' });
    done('backendUnlinkIdentity');

    const sourceLocalId = (await signIn.signUp({ signUpInput: {} })).localId;
    const plan = await administration.mergeAccounts({
        project,
        mergeAccountsInput: { sourceLocalId, localId, dryRun: true },
    });
    check(plan.mergeToken);
    done('backendMergeDryRun');

    const joined = await administration.mergeAccounts({
        project,
        mergeAccountsInput: { mergeToken: plan.mergeToken },
    });
    check(joined.undoableUntil);
    done('backendMerge');

    const undone = await administration.undoMerge({ project, undoMergeInput: { sourceLocalId } });
    check(undone.localId === localId);
    done('backendUndoMerge');

    const last = await signIn.signInWithPassword({ signInWithPasswordInput: { email, password } });
    await accounts.deleteOwnAccount({ deleteOwnAccountInput: { idToken: last.idToken! } });
    done('delete');

    const deleted = accounts.lookUpOwnAccount({ lookUpOwnAccountInput: { idToken: last.idToken! } });
    done('deletedAccount', await errorCode(deleted));
}

run().catch((error) => {
    console.error(error);
    process.exit(1);
});
