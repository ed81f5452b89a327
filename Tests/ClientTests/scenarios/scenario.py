"""The life cycle of an account, through the generated Python client.

The clients in Python, TypeScript, Swift, Java and Go run the same scenario. The program prints the name of each step
that succeeded; after a step that ends with an error, also the error code.
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


def done(*words):
    print(*words, flush=True)


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

guest = sign_in.sign_up(sekisho.SignUpInput())
done("signUpAnonymously")

other = sign_in.sign_up(sekisho.SignUpInput(email=f"other-{email}", password=password))
done("signUpWithEmail")

user = sign_in.sign_up(sekisho.SignUpInput(id_token=guest.id_token, email=email, password=password))
assert user.local_id == guest.local_id
done("upgradeWithPassword")

issued = sign_in.issue_nonce(sekisho.IssueNonceInput())
credential = sekisho.IdpCredential(
    provider_id="apple.com", id_token=simulated_apple_sign_in(issued.nonce_sha256), raw_nonce=issued.nonce)
linked = sign_in.sign_in_with_idp(sekisho.SignInWithIdpInput(id_token=user.id_token, credential=credential))
assert linked.local_id == guest.local_id
done("linkApple")

refreshed = sessions.refresh_tokens(grant_type="refresh_token", refresh_token=linked.refresh_token)
assert refreshed.user_id == guest.local_id
done("refresh")

reauthenticated = sign_in.sign_in_with_password(sekisho.SignInWithPasswordInput(email=email, password=password))
assert reauthenticated.local_id == guest.local_id
done("reauthenticate")

try:
    sign_in.sign_in_with_password(sekisho.SignInWithPasswordInput(email=email, password="a wrong password"))
except sekisho.ApiException as error:
    done("wrongPassword", error.data.error.error_code)

[own] = accounts.look_up_own_account(sekisho.LookUpOwnAccountInput(id_token=reauthenticated.id_token)).users
assert own.email == email
done("lookUp")

changes = sekisho.UpdateOwnAccountInput(id_token=reauthenticated.id_token, display_name="Ada")
assert accounts.update_own_account(changes).display_name == "Ada"
done("update")

listed = sessions.list_sessions(sekisho.ListSessionsInput(id_token=reauthenticated.id_token)).sessions
other_session = next(session for session in listed if not session.current)
done("listSessions")

sessions.revoke_session(
    sekisho.RevokeSessionInput(id_token=reauthenticated.id_token, session_id=other_session.session_id))
remaining = sessions.list_sessions(sekisho.ListSessionsInput(id_token=reauthenticated.id_token)).sessions
assert len(remaining) == len(listed) - 1
done("revokeSession")

ended = sekisho.SessionsApi(backend).look_up_session(
    project, sekisho.LookUpSessionInput(session_id=other_session.session_id))
assert not ended.active and ended.end_reason
done("backendLookUpSession")

source = sign_in.sign_up(sekisho.SignUpInput())
preview = accounts.merge_own_accounts(
    sekisho.MergeOwnAccountsInput(id_token=source.id_token, dry_run=True, target_id_token=other.id_token))
assert preview.local_id == other.local_id and preview.undoable_until is None
done("mergeDryRun")

merged = accounts.merge_own_accounts(
    sekisho.MergeOwnAccountsInput(id_token=source.id_token, merge_token=preview.merge_token))
assert merged.id_token and merged.undoable_until
done("merge")

assert sekisho.WellKnownApi(app).get_project_jwks(project).keys
done("jwks")

assert sign_in.get_login_methods().methods
assert sign_in.get_password_policy().enforcement_state
assert sekisho.ConfigurationApi(backend).get_project_config(project).name
assert sekisho.ProvidersApi(backend).list_default_supported_idp_configs(project).default_supported_idp_configs
sekisho.AppsApi(backend).list_apps(project)
sekisho.TenantsApi(backend).list_tenants(project)
sekisho.WellKnownApi(app).get_asset_links()
done("readConfiguration")

code = sekisho.EmailActionsApi(backend).send_project_oob_code(
    project, sekisho.SendProjectOobCodeInput(request_type="PASSWORD_RESET", email=email, return_oob_link=True))
checked = sekisho.EmailActionsApi(app).reset_password(sekisho.ResetPasswordInput(oob_code=code.oob_code))
assert checked.email == email
done("checkCode")

found = administration.look_up_accounts(project, sekisho.LookUpAccountsInput(local_id=[guest.local_id]))
assert [account.email for account in found.users] == [email]
done("backendLookUp")

assert administration.batch_get_accounts(project, max_results=10).users
done("backendList")

identity = identities.link_identity(
    project, guest.local_id, sekisho.LinkIdentityInput(provider_id="google.com", raw_id=secrets.token_hex(8)))
assert identity.local_id == guest.local_id
done("backendLinkIdentity")

assert len(identities.list_identities(project, guest.local_id).identities) == 2
done("backendListIdentities")

identities.unlink_identity(project, guest.local_id, "google.com")
done("backendUnlinkIdentity")

source_id = sign_in.sign_up(sekisho.SignUpInput()).local_id
plan = administration.merge_accounts(
    project, sekisho.MergeAccountsInput(source_local_id=source_id, local_id=guest.local_id, dry_run=True))
assert plan.merge_token
done("backendMergeDryRun")

joined = administration.merge_accounts(project, sekisho.MergeAccountsInput(merge_token=plan.merge_token))
assert joined.undoable_until
done("backendMerge")

undone = administration.undo_merge(project, sekisho.UndoMergeInput(source_local_id=source_id))
assert undone.local_id == guest.local_id
done("backendUndoMerge")

last = sign_in.sign_in_with_password(sekisho.SignInWithPasswordInput(email=email, password=password))
accounts.delete_own_account(sekisho.DeleteOwnAccountInput(id_token=last.id_token))
done("delete")

try:
    accounts.look_up_own_account(sekisho.LookUpOwnAccountInput(id_token=last.id_token))
except sekisho.ApiException as error:
    done("deletedAccount", error.data.error.error_code)
