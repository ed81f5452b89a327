"""The life cycle of an account, through the generated Python client.

The Python, TypeScript and Swift clients run the same scenario. The program prints the name of each step that succeeded.
"""

import json
import os
import secrets
import urllib.request

import sekisho_client as sekisho

url, project = os.environ["SEKISHO_URL"], os.environ["SEKISHO_PROJECT"]
api_key, service_key = os.environ["SEKISHO_API_KEY"], os.environ["SEKISHO_SERVICE_KEY"]
password = "correct horse battery"
email = f"{secrets.token_hex(8)}@example.com"


def done(step):
    print(step, flush=True)


def simulated_apple_sign_in(nonce_sha256):
    """Returns what Sign in with Apple gives to an app: an ID token."""
    body = {"providerId": "apple.com", "person": {"email": email}, "nonce": nonce_sha256}
    request = urllib.request.Request(
        f"{url}/emulator/v1/projects/{project}/simulatedSignIns", json.dumps(body).encode(),
        {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["idToken"]


# Sends the API key with every request of the app.
app = sekisho.ApiClient(sekisho.Configuration(host=url, api_key={"apiKey": api_key}))
# Sends the service key with every request of the backend.
backend = sekisho.ApiClient(sekisho.Configuration(host=url, access_token=service_key))

sign_in, accounts, sessions = sekisho.SignInApi(app), sekisho.AccountsApi(app), sekisho.SessionsApi(app)
administration, identities = sekisho.AccountsApi(backend), sekisho.IdentitiesApi(backend)

guest = sign_in.sign_up(sekisho.SignUpRequest())
done("signUpAnonymously")

user = sign_in.sign_up(sekisho.SignUpRequest(id_token=guest.id_token, email=email, password=password))
assert user.local_id == guest.local_id
done("upgradeWithPassword")

issued = sign_in.issue_nonce(sekisho.IssueNonceRequest())
credential = sekisho.IdpCredential(
    provider_id="apple.com", id_token=simulated_apple_sign_in(issued.nonce_sha256), raw_nonce=issued.nonce)
linked = sign_in.sign_in_with_idp(sekisho.SignInWithIdpRequest(id_token=user.id_token, credential=credential))
assert linked.local_id == guest.local_id
done("linkApple")

token_request = sekisho.TokenRequest(grant_type="refresh_token", refresh_token=linked.refresh_token)
refreshed = sessions.token(token_request)
assert refreshed.user_id == guest.local_id
done("refresh")

reauthenticated = sign_in.sign_in_with_password(sekisho.SignInWithPasswordRequest(email=email, password=password))
assert reauthenticated.local_id == guest.local_id
done("reauthenticate")

listed = sessions.list_sessions(sekisho.ListSessionsRequest(id_token=reauthenticated.id_token)).sessions
other_session = next(session for session in listed if not session.current)
done("listSessions")

revocation = sekisho.RevokeOneSessionRequest(id_token=reauthenticated.id_token, session_id=other_session.session_id)
sessions.revoke_session(sekisho.RevokeSessionRequest(revocation))
remaining = sessions.list_sessions(sekisho.ListSessionsRequest(id_token=reauthenticated.id_token)).sessions
assert len(remaining) == len(listed) - 1
done("revokeSession")

found = administration.lookup_accounts(project, sekisho.LookupAccountsRequest(local_id=[guest.local_id]))
assert [account.email for account in found.users] == [email]
done("backendLookup")

identity = identities.link_identity(
    project, guest.local_id, sekisho.LinkIdentityRequest(provider_id="google.com", raw_id=secrets.token_hex(8)))
assert identity.local_id == guest.local_id
done("backendLinkIdentity")

identities.unlink_identity(project, guest.local_id, "google.com")
done("backendUnlinkIdentity")

source = sign_in.sign_up(sekisho.SignUpRequest()).local_id
dry_run = sekisho.MergeAccountsDryRunRequest(source_local_id=source, local_id=guest.local_id, dry_run=True)
preview = administration.merge_accounts(project, sekisho.MergeAccountsRequest(dry_run)).actual_instance
assert isinstance(preview, sekisho.MergePreview)
done("backendMergeDryRun")

commit = sekisho.MergeAccountsCommitRequest(merge_token=preview.merge_token)
merged = administration.merge_accounts(project, sekisho.MergeAccountsRequest(commit)).actual_instance
assert isinstance(merged, sekisho.MergeAccountsResult)
done("backendMerge")

undone = administration.undo_merge(project, sekisho.UndoMergeRequest(source_local_id=source))
assert undone.local_id == guest.local_id
done("backendUndoMerge")

last = sign_in.sign_in_with_password(sekisho.SignInWithPasswordRequest(email=email, password=password))
accounts.delete(sekisho.DeleteRequest(id_token=last.id_token))
done("delete")

try:
    accounts.lookup(sekisho.LookupRequest(id_token=last.id_token))
except sekisho.ApiException as error:
    assert error.data.error.error_code is sekisho.ErrorCode.USER_NOT_FOUND
    done("typedError")
