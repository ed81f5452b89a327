// The life cycle of an account, through the generated TypeScript client.
//
// The Python, TypeScript and Swift clients run the same scenario. The program prints the name of each step that
// succeeded.

import * as sekisho from './client';

declare const process: { env: Record<string, string>; exit(status: number): never };

const { SEKISHO_URL: url, SEKISHO_PROJECT: project } = process.env;
const { SEKISHO_API_KEY: apiKey, SEKISHO_SERVICE_KEY: serviceKey } = process.env;
const password = 'correct horse battery';
const email = `${Date.now()}-${Math.random()}@example.com`;

const done = (step: string) => console.log(step);

function check(condition: boolean) {
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

    const guest = await signIn.signUp({ signUpRequest: {} });
    const localId = guest.localId;
    done('signUpAnonymously');

    const user = await signIn.signUp({ signUpRequest: { idToken: guest.idToken, email, password } });
    check(user.localId === localId);
    done('upgradeWithPassword');

    const issued = await signIn.issueNonce({ issueNonceRequest: {} });
    const idToken = await simulatedAppleSignIn(issued.nonceSha256);
    const credential = { providerId: 'apple.com', idToken, rawNonce: issued.nonce };
    const linked = await signIn.signInWithIdp({ signInWithIdpRequest: { idToken: user.idToken, credential } });
    check(linked.localId === localId);
    done('linkApple');

    const grantType = sekisho.TokenRequestGrantTypeEnum.RefreshToken;
    const tokenRequest = { grantType, refreshToken: linked.refreshToken! };
    const refreshed = await sessions.token({ tokenRequest });
    check(refreshed.userId === localId);
    done('refresh');

    const reauthenticated = await signIn.signInWithPassword({ signInWithPasswordRequest: { email, password } });
    check(reauthenticated.localId === localId);
    done('reauthenticate');

    const listSessionsRequest = { idToken: reauthenticated.idToken };
    const listed = (await sessions.listSessions({ listSessionsRequest })).sessions;
    const otherSession = listed.find((session) => !session.current)!;
    done('listSessions');

    const revokeSessionRequest = { idToken: reauthenticated.idToken, sessionId: otherSession.sessionId };
    await sessions.revokeSession({ revokeSessionRequest });
    const remaining = (await sessions.listSessions({ listSessionsRequest })).sessions;
    check(remaining.length === listed.length - 1);
    done('revokeSession');

    const found = await administration.lookupAccounts({ project, lookupAccountsRequest: { localId: [localId] } });
    check(found.users?.[0].email === email);
    done('backendLookup');

    const linkIdentityRequest = { providerId: 'google.com', rawId: email };
    const identity = await identities.linkIdentity({ project, localId, linkIdentityRequest });
    check(identity.localId === localId);
    done('backendLinkIdentity');

    await identities.unlinkIdentity({ project, localId, providerId: 'google.com' });
    done('backendUnlinkIdentity');

    const sourceLocalId = (await signIn.signUp({ signUpRequest: {} })).localId;
    const preview = await administration.mergeAccounts({
        project,
        mergeAccountsRequest: { sourceLocalId, localId, dryRun: true },
    });
    if (!('mergeToken' in preview)) throw new Error('not a preview');
    done('backendMergeDryRun');

    const merged = await administration.mergeAccounts({
        project,
        mergeAccountsRequest: { mergeToken: preview.mergeToken },
    });
    check('undoableUntil' in merged);
    done('backendMerge');

    const undone = await administration.undoMerge({ project, undoMergeRequest: { sourceLocalId } });
    check(undone.localId === localId);
    done('backendUndoMerge');

    const last = await signIn.signInWithPassword({ signInWithPasswordRequest: { email, password } });
    await accounts._delete({ deleteRequest: { idToken: last.idToken } });
    done('delete');

    try {
        await accounts.lookup({ lookupRequest: { idToken: last.idToken } });
    } catch (error) {
        if (!(error instanceof sekisho.ResponseError)) throw error;
        const envelope = sekisho.ErrorEnvelopeFromJSON(await error.response.json());
        check(envelope.error.errorCode === sekisho.ErrorCode.UserNotFound);
        done('typedError');
    }
}

run().catch((error) => {
    console.error(error);
    process.exit(1);
});
