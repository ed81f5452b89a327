"""Real exchanges with `sekisho dev`, every answer held against openapi.yaml."""

import secrets
from dataclasses import dataclass, field
from functools import cache

import pytest
import requests

from exchange import PASSWORD, Client, fresh_email
from simulated import Simulated, by, fresh_person

# Stand-ins in a row's request, filled in with a new account's own values.
EMAIL, ID_TOKEN, REFRESH_TOKEN, NEW_EMAIL, ANONYMOUS_ID_TOKEN, LOCAL_ID, NEW_LOCAL_ID, NEW_PROVIDER, PROVIDER, APP = (
    object() for _ in range(10))
# What providers say of a stranger, in a form and as a token, and of somebody who has an account already.
APPLE, APPLE_TOKEN, GOOGLE_TOKEN, KNOWN_TOKEN = (object() for _ in range(4))
# Of an account that has Apple and Google and nothing else; and what a dry run gave the account of ID_TOKEN.
FEDERATED_ID_TOKEN, MERGE_TOKEN = (object() for _ in range(2))
# Of a backend's dry run; an account that went up in another; and one that has Apple and Google, by its id.
ADMIN_MERGE_TOKEN, MERGED_LOCAL_ID, FEDERATED_LOCAL_ID = (object() for _ in range(3))
# Codes that were made for the account of EMAIL, and one for an address that nobody has, NEW_LINK_EMAIL.
VERIFY_CODE, RESET_CODE, CHANGE_CODE, LINK_CODE, NEW_LINK_CODE, NEW_LINK_EMAIL = (object() for _ in range(6))
# Of the session of ID_TOKEN.
SESSION_ID = object()
# A tenant that allows everything, with Google and another provider switched off; somebody in it.
TENANT, TENANT_LOCAL_ID, TENANT_ID_TOKEN, TENANT_PROVIDER = (object() for _ in range(4))


@dataclass
class Row:
    says: str
    operation: str
    json: dict | None = None
    code: str | None = None
    status: int = 200
    options: dict = field(default_factory=dict)

    def __post_init__(self):
        if self.code and self.status == 200:
            self.status = 400


def token(refresh_token, grant_type="refresh_token"):
    return {"grant_type": grant_type, "refresh_token": refresh_token}


def sign_in(email, password):
    return {"email": email, "password": password, "returnSecureToken": True}


def upgrade(email, password, id_token=ANONYMOUS_ID_TOKEN):
    return {"idToken": id_token, "email": email, "password": password}


def identifier(email, continue_uri="http://localhost"):
    return {"identifier": email, "continueUri": continue_uri}


def owner(says, operation, json=None, code=None, status=200, **options):
    """A row of the admin API."""
    authorization = {"headers": {"Authorization": "Bearer owner"}}
    return Row(says, operation, json, code, status, options={"key": None} | authorization | options)


def page(says, operation, status=200, **fields):
    """A row of a form."""
    return Row(says, operation, status=status, options={"data": fields})


def of(local_id, provider_id=None):
    return {"path": {"localId": local_id} | ({"providerId": provider_id} if provider_id else {})}


def idp(provider_id):
    return {"idpId": provider_id}


def tenant(says, operation, json=None, code=None, status=200, *, path={}, **options):
    """A row of the admin API, about a tenant."""
    return owner(says, operation, json, code, status, path={"tenant": TENANT} | path, **options)


def form(post_body, **more):
    return {"postBody": post_body, "requestUri": "http://localhost", "returnSecureToken": True} | more


def credential(provider_id, id_token=None, **more):
    return {"credential": {"providerId": provider_id, "idToken": id_token} | more}


CORP = {"clientId": "c", "issuer": "https://id.example.com", "displayName": "Corp"}

ROWS = [
    Row("e-mail and password make an account", "signUp", {"email": NEW_EMAIL, "password": PASSWORD}),
    Row("nothing makes an anonymous account", "signUp", {"returnSecureToken": True}),
    Row("an anonymous account gets an e-mail", "signUp", upgrade(NEW_EMAIL, PASSWORD)),
    Row("keys may be in snake_case", "signUp", {"email": NEW_EMAIL, "password": PASSWORD, "display_name": "Ada"}),
    Row("a taken address", "signUp", {"email": EMAIL, "password": PASSWORD}, "EMAIL_EXISTS"),
    Row("a taken address for an upgrade", "signUp", upgrade(EMAIL, PASSWORD), "EMAIL_EXISTS"),
    Row("not an address", "signUp", {"email": "ada", "password": PASSWORD}, "INVALID_EMAIL"),
    Row("a password alone", "signUp", {"password": PASSWORD}, "MISSING_EMAIL"),
    Row("an address alone", "signUp", {"email": NEW_EMAIL}, "MISSING_PASSWORD"),
    Row("a short password", "signUp", {"email": NEW_EMAIL, "password": "short"}, "WEAK_PASSWORD"),
    Row("an id of one's own", "signUp", {"localId": "ada"}, "UNEXPECTED_PARAMETER"),
    Row("an upgrade of nobody", "signUp", upgrade(NEW_EMAIL, PASSWORD, "nonsense"), "INVALID_ID_TOKEN"),
    Row("a field of the wrong type", "signUp", {"email": {"at": "example.com"}}, "INVALID_ARGUMENT"),
    Row("not JSON", "signUp", code="INVALID_ARGUMENT", options={
        "data": "{", "headers": {"Content-Type": "application/json"}}),
    Row("no key", "signUp", {}, "PERMISSION_DENIED", 403, {"key": None}),
    Row("an unknown bearer", "signUp", {}, "UNAUTHENTICATED", 401, {
        "key": None, "headers": {"Authorization": "Bearer nonsense"}}),
    Row("a project of one's own choice", "signUp", {"targetProjectId": "other"}, "INSUFFICIENT_PERMISSION"),

    Row("the right password", "signInWithPassword", sign_in(EMAIL, PASSWORD)),
    Row("the wrong password", "signInWithPassword", sign_in(EMAIL, "wrong horse"), "INVALID_PASSWORD"),
    Row("an unknown address", "signInWithPassword", sign_in(NEW_EMAIL, PASSWORD), "EMAIL_NOT_FOUND"),
    Row("no address", "signInWithPassword", {"password": PASSWORD}, "MISSING_EMAIL"),
    Row("an empty address", "signInWithPassword", sign_in("", PASSWORD), "INVALID_EMAIL"),
    Row("no password", "signInWithPassword", {"email": EMAIL}, "MISSING_PASSWORD"),
    Row("a pending credential", "signInWithPassword", sign_in(EMAIL, PASSWORD) | {"pendingIdToken": "x"},
        "NOT_IMPLEMENTED", 501),

    Row("one's own account", "lookup", {"idToken": ID_TOKEN}),
    Row("an anonymous account", "lookup", {"idToken": ANONYMOUS_ID_TOKEN}),
    Row("nobody's account", "lookup", {}, "MISSING_ID_TOKEN"),
    Row("not a token of ours", "lookup", {"idToken": "a.b.c"}, "INVALID_ID_TOKEN"),

    Row("a new name and picture", "update", {
        "idToken": ID_TOKEN, "displayName": "Ada Lovelace", "photoUrl": "https://example.com/ada.png"}),
    Row("a name taken away", "update", {"idToken": ID_TOKEN, "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]}),
    Row("a new password", "update", {"idToken": ID_TOKEN, "password": "staple battery horse"}),
    Row("a new address", "update", {"idToken": ID_TOKEN, "email": NEW_EMAIL}),
    Row("sessions ended", "update", {"idToken": ID_TOKEN, "validSince": "0"}),
    Row("a short new password", "update", {"idToken": ID_TOKEN, "password": "short"}, "WEAK_PASSWORD"),
    Row("a taken new address", "update", {"idToken": ANONYMOUS_ID_TOKEN, "email": EMAIL}, "EMAIL_EXISTS"),
    Row("not an address for a change", "update", {"idToken": ID_TOKEN, "email": "ada"}, "INVALID_EMAIL"),
    Row("nobody to change", "update", {"displayName": "Ada"}, "INVALID_REQ_TYPE"),
    Row("claims for oneself", "update", {"idToken": ID_TOKEN, "customAttributes": "{}"}, "INSUFFICIENT_PERMISSION"),
    Row("disabling oneself", "update", {"idToken": ID_TOKEN, "disableUser": True}, "OPERATION_NOT_ALLOWED"),
    Row("an unknown attribute", "update", {"idToken": ID_TOKEN, "deleteAttribute": ["AGE"]}, "INVALID_ARGUMENT"),
    Row("an attribute not built yet", "update", {"idToken": ID_TOKEN, "deleteAttribute": ["PROVIDER"]},
        "NOT_IMPLEMENTED", 501),

    Row("a refresh in JSON", "token", token(REFRESH_TOKEN)),
    Row("a refresh in camelCase", "token", {"grantType": "refresh_token", "refreshToken": REFRESH_TOKEN}),
    Row("a refresh in a form", "token", options={"data": token(REFRESH_TOKEN)}),
    Row("no grant type", "token", {"refresh_token": REFRESH_TOKEN}, "MISSING_GRANT_TYPE"),
    Row("another grant type", "token", token(REFRESH_TOKEN, "password"), "INVALID_GRANT_TYPE"),
    Row("no refresh token", "token", {"grant_type": "refresh_token"}, "MISSING_REFRESH_TOKEN"),
    Row("not a refresh token of ours", "token", token("nonsense"), "INVALID_REFRESH_TOKEN"),
    Row("no key for a refresh", "token", token(REFRESH_TOKEN), "PERMISSION_DENIED", 403, {"key": None}),

    Row("one's own deletion", "delete", {"idToken": ID_TOKEN}),
    Row("nobody's deletion", "delete", {}, "MISSING_ID_TOKEN"),
    Row("a deletion without right", "delete", {"idToken": "a.b.c"}, "INVALID_ID_TOKEN"),

    Row("the methods of an address", "createAuthUri", identifier(EMAIL)),
    Row("the methods of an unknown address", "createAuthUri", identifier(NEW_EMAIL)),
    Row("no identifier", "createAuthUri", {"continueUri": "http://localhost"}, "MISSING_IDENTIFIER"),
    Row("no way back", "createAuthUri", {"identifier": EMAIL}, "MISSING_CONTINUE_URI"),
    Row("not an address to ask for", "createAuthUri", identifier("ada"), "INVALID_IDENTIFIER"),
    Row("not a way back", "createAuthUri", identifier(EMAIL, "nowhere"), "INVALID_CONTINUE_URI"),
    Row("a provider to start with", "createAuthUri", identifier(EMAIL) | {"providerId": "google.com"},
        "NOT_IMPLEMENTED", 501),
    Row("a provider that is not configured", "createAuthUri", {"providerId": "facebook.com"}, "OPERATION_NOT_ALLOWED"),

    Row("the ways to sign in", "getLoginMethods"),
    Row("those of another app", "getLoginMethods", options={"params": {"appId": APP}}),
    Row("those of no app", "getLoginMethods", None, "NOT_FOUND", 404, {"params": {"appId": "nobody"}}),
    Row("those of nobody", "getLoginMethods", None, "PERMISSION_DENIED", 403, {"key": None}),

    Row("the project", "getProject"),
    Row("the project, key in a header", "getProject", options={"key": None, "headers": {"x-goog-api-key": "any"}}),
    Row("the project without a key", "getProject", None, "PERMISSION_DENIED", 403, {"key": None}),

    Row("what a password has to be", "getPasswordPolicy"),
    Row("what one of a tenant has to be", "getPasswordPolicy", None, "INVALID_TENANT_ID", 400,
        {"params": {"tenantId": "a b"}}),
    Row("what one has to be without a key", "getPasswordPolicy", None, "PERMISSION_DENIED", 403, {"key": None}),
    Row("Apple's word in a form", "signInWithIdp", form(APPLE)),
    Row("Google's word, typed", "signInWithIdp", credential("google.com", GOOGLE_TOKEN)),
    Row("a name beside it", "signInWithIdp", credential(
        "apple.com", APPLE_TOKEN, fullName={"givenName": "Ada", "familyName": "Lovelace"})),
    Row("one more way in", "signInWithIdp", credential("apple.com", APPLE_TOKEN) | {"idToken": ID_TOKEN}),
    Row("somebody else's way in", "signInWithIdp", credential("apple.com", KNOWN_TOKEN) | {"idToken": ID_TOKEN},
        "FEDERATED_USER_ID_ALREADY_LINKED"),
    Row("the same as an answer", "signInWithIdp", credential("apple.com", KNOWN_TOKEN) | {
        "idToken": ID_TOKEN, "returnIdpCredential": True}),
    Row("a stranger who proves again", "signInWithIdp", credential("apple.com", APPLE_TOKEN) | {"autoCreate": False},
        "USER_NOT_FOUND"),
    Row("a nonce that the token has not", "signInWithIdp", credential("apple.com", APPLE_TOKEN, rawNonce="n"),
        "MISSING_OR_INVALID_NONCE"),
    Row("Google's word for Apple's", "signInWithIdp", credential("apple.com", GOOGLE_TOKEN), "INVALID_IDP_RESPONSE"),
    Row("no word", "signInWithIdp", credential("apple.com"), "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
    Row("nobody's word", "signInWithIdp", {"credential": {}}, "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
    Row("a form from nowhere", "signInWithIdp", {"postBody": "providerId=apple.com"}, "MISSING_REQUEST_URI"),
    Row("a form from no URI", "signInWithIdp", form("a=b") | {"requestUri": "x"}, "INVALID_REQUEST_URI"),
    Row("a provider that nobody configured", "signInWithIdp", credential("oidc.nobody", "x"), "OPERATION_NOT_ALLOWED"),
    Row("an access token alone", "signInWithIdp", credential("google.com", accessToken="x"), "NOT_IMPLEMENTED", 501),
    Row("not a pending token of ours", "signInWithIdp", {"pendingToken": "x"}, "INVALID_PENDING_TOKEN"),
    Row("two words at once", "signInWithIdp", credential("apple.com", APPLE_TOKEN) | {"pendingToken": "x"},
        "INVALID_ARGUMENT"),
    Row("a link to nobody", "signInWithIdp", credential("apple.com", APPLE_TOKEN) | {"idToken": "x"},
        "INVALID_ID_TOKEN"),
    Row("a nonce", "issueNonce", {}),
    Row("a nonce for nobody", "issueNonce", {}, "PERMISSION_DENIED", 403, {"key": None}),
    Row("a nonce for another project", "issueNonce", {"targetProjectId": "other"}, "INSUFFICIENT_PERMISSION"),
    Row("a reset by mail", "sendOobCode", {"requestType": "PASSWORD_RESET", "email": EMAIL}),
    Row("a reset by its number", "sendOobCode", {"requestType": 1, "email": EMAIL}),
    Row("a sign-in link to a stranger", "sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": NEW_EMAIL, "continueUrl": "http://localhost/welcome"}),
    Row("one's own address to verify", "sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": ID_TOKEN}),
    Row("another address", "sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": ID_TOKEN, "newEmail": NEW_EMAIL}),
    Row("a code for nothing", "sendOobCode", {}, "MISSING_REQ_TYPE"),
    Row("a reset of an unknown address", "sendOobCode", {"requestType": "PASSWORD_RESET", "email": NEW_EMAIL},
        "EMAIL_NOT_FOUND"),
    Row("nobody's address to verify", "sendOobCode", {"requestType": "VERIFY_EMAIL"}, "INVALID_ID_TOKEN"),
    Row("another address of nobody", "sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": NEW_EMAIL}, "MISSING_ID_TOKEN"),
    Row("another address, untold", "sendOobCode", {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": ID_TOKEN},
        "MISSING_NEW_EMAIL"),
    Row("another address that is none", "sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": ID_TOKEN, "newEmail": "ada"}, "INVALID_NEW_EMAIL"),
    Row("a way to somebody else's site", "sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": EMAIL, "continueUrl": "https://evil.example"}, "UNAUTHORIZED_DOMAIN"),
    Row("a way to nowhere", "sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": EMAIL, "continueUrl": "nowhere"}, "INVALID_CONTINUE_URI"),
    Row("a link for oneself", "sendOobCode", {
        "requestType": "PASSWORD_RESET", "email": EMAIL, "returnOobLink": True}, "INSUFFICIENT_PERMISSION"),
    Row("a code of days past", "sendOobCode", {"requestType": "OLD_EMAIL_AGREE"}, "NOT_IMPLEMENTED", 501),
    owner("a link for a backend", "sendProjectOobCode", {
        "requestType": "PASSWORD_RESET", "email": EMAIL, "returnOobLink": True}),
    owner("a mail for a backend", "sendProjectOobCode", {"requestType": "VERIFY_EMAIL", "email": EMAIL}),
    owner("a link to an address that nobody has", "sendProjectOobCode", {
        "requestType": "VERIFY_EMAIL", "email": NEW_EMAIL, "returnOobLink": True}, "USER_NOT_FOUND"),
    owner("a reset of an address that nobody has", "sendProjectOobCode", {
        "requestType": "PASSWORD_RESET", "email": NEW_EMAIL, "returnOobLink": True}, "EMAIL_NOT_FOUND"),
    owner("a way back by wish", "sendProjectOobCode", {
        "requestType": "RECOVER_EMAIL", "email": EMAIL, "returnOobLink": True}, "INVALID_REQ_TYPE"),

    Row("what a code is good for", "resetPassword", {"oobCode": VERIFY_CODE}),
    Row("what a sign-in link is good for", "resetPassword", {"oobCode": LINK_CODE}),
    Row("a new password by mail", "resetPassword", {"oobCode": RESET_CODE, "newPassword": "staple battery horse"}),
    Row("a short password by mail", "resetPassword", {"oobCode": RESET_CODE, "newPassword": "short"}, "WEAK_PASSWORD"),
    Row("a new password by another's code", "resetPassword", {
        "oobCode": VERIFY_CODE, "newPassword": "staple battery horse"}, "INVALID_OOB_CODE"),
    Row("no code", "resetPassword", {}, "MISSING_OOB_CODE"),
    Row("not a code", "resetPassword", {"oobCode": "nonsense"}, "INVALID_OOB_CODE"),
    Row("a password for a password", "resetPassword", {"oldPassword": PASSWORD}, "NOT_IMPLEMENTED", 501),
    Row("an address verified", "update", {"oobCode": VERIFY_CODE}),
    Row("an address changed", "update", {"oobCode": CHANGE_CODE}),
    Row("an address verified by nonsense", "update", {"oobCode": "nonsense"}, "INVALID_OOB_CODE"),
    Row("a link opened", "signInWithEmailLink", {"email": EMAIL, "oobCode": LINK_CODE}),
    Row("a link opened by a stranger", "signInWithEmailLink", {"email": NEW_LINK_EMAIL, "oobCode": NEW_LINK_CODE}),
    Row("a link for an account", "signInWithEmailLink", {
        "email": NEW_LINK_EMAIL, "oobCode": NEW_LINK_CODE, "idToken": ANONYMOUS_ID_TOKEN}),
    Row("somebody else's link for an account", "signInWithEmailLink", {
        "email": EMAIL, "oobCode": LINK_CODE, "idToken": ANONYMOUS_ID_TOKEN}, "EMAIL_EXISTS"),
    Row("a link opened by another", "signInWithEmailLink", {"email": NEW_EMAIL, "oobCode": LINK_CODE},
        "INVALID_EMAIL"),
    Row("a link opened by nobody", "signInWithEmailLink", {"oobCode": LINK_CODE}, "MISSING_EMAIL"),
    Row("a link without a code", "signInWithEmailLink", {"email": EMAIL}, "MISSING_OOB_CODE"),
    Row("a link of nonsense", "signInWithEmailLink", {"email": EMAIL, "oobCode": "nonsense"}, "INVALID_OOB_CODE"),

    Row("Google no more", "unlink", {"idToken": FEDERATED_ID_TOKEN, "deleteProvider": ["google.com"]}),
    Row("no way in any more, and that is meant", "unlink", {
        "idToken": FEDERATED_ID_TOKEN, "deleteProvider": ["google.com", "apple.com"], "allowNoSignInMethod": True}),
    Row("nobody's way in", "unlink", {"deleteProvider": ["google.com"]}, "MISSING_ID_TOKEN"),
    Row("no way in to take", "unlink", {"idToken": FEDERATED_ID_TOKEN}, "MISSING_PROVIDER_ID"),
    Row("where one is signed in", "listSessions", {"idToken": ID_TOKEN}),
    Row("where nobody is signed in", "listSessions", {}, "MISSING_ID_TOKEN"),
    Row("where a stranger is signed in", "listSessions", {"idToken": "a.b.c"}, "INVALID_ID_TOKEN"),
    Row("a sign-out", "revokeSession", {"idToken": ID_TOKEN, "sessionId": SESSION_ID}),
    Row("a sign-out everywhere", "revokeSession", {"idToken": ID_TOKEN, "everywhere": True}),
    Row("a sign-out nowhere", "revokeSession", {"idToken": ID_TOKEN}, "MISSING_SESSION_ID"),
    Row("a sign-out of somebody else", "revokeSession", {"idToken": ANONYMOUS_ID_TOKEN, "sessionId": SESSION_ID},
        "SESSION_NOT_FOUND"),
    Row("a sign-out here and everywhere", "revokeSession", {
        "idToken": ID_TOKEN, "sessionId": SESSION_ID, "everywhere": True}, "INVALID_ARGUMENT"),
    Row("nobody's sign-out", "revokeSession", {"everywhere": True}, "MISSING_ID_TOKEN"),
    Row("what a merge would do", "merge", credential("apple.com", KNOWN_TOKEN) | {
        "idToken": ANONYMOUS_ID_TOKEN, "dryRun": True}),
    Row("a merge", "merge", {"idToken": ID_TOKEN, "mergeToken": MERGE_TOKEN}),
    Row("a merge not seen beforehand", "merge", credential("apple.com", KNOWN_TOKEN) | {"idToken": ID_TOKEN},
        "MISSING_MERGE_TOKEN"),
    Row("a merge of nobody", "merge", {"dryRun": True}, "MISSING_ID_TOKEN"),
    Row("a merge into nobody", "merge", credential("apple.com", APPLE_TOKEN) | {"idToken": ID_TOKEN, "dryRun": True},
        "USER_NOT_FOUND"),
    Row("a merge by nothing of ours", "merge", {"idToken": ID_TOKEN, "mergeToken": "x"}, "INVALID_PENDING_TOKEN"),
    Row("a custom token", "signInWithCustomToken", {"token": '{"uid":"custom-ada"}', "returnSecureToken": True}),
    Row("no custom token", "signInWithCustomToken", {}, "MISSING_CUSTOM_TOKEN"),
    Row("a custom token of nobody", "signInWithCustomToken", {"token": "{}"}, "MISSING_IDENTIFIER"),
    owner("a session cookie", "createSessionCookie", {"idToken": ID_TOKEN, "validDuration": "3600"}),
    owner("a cookie for a second", "createSessionCookie", {"idToken": ID_TOKEN, "validDuration": 1}, "INVALID_DURATION"),
    Row("keys of cookies", "getSessionCookiePublicKeys"),
    owner("configuration", "getProjectConfig"),
    owner("a policy is set", "updateProjectConfig", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}},
          params={"updateMask": "emailPrivacyConfig.enableImprovedEmailPrivacy"}),
    owner("a subject of mail is set", "updateProjectConfig",
          {"notification": {"sendEmail": {"resetPasswordTemplate": {"subject": "Reset"}}}},
          params={"updateMask": "notification.sendEmail.resetPasswordTemplate.subject"}),
    owner("links to anybody's page", "updateProjectConfig",
          {"notification": {"sendEmail": {"callbackUri": "https://evil.example/"}}}, "INVALID_CONFIG",
          params={"updateMask": "notification.sendEmail.callbackUri"}),
    owner("Apple and Google", "listDefaultSupportedIdpConfigs", params={"pageSize": "1"}),
    owner("no page", "listDefaultSupportedIdpConfigs", None, "INVALID_PAGE_SELECTION", params={"pageToken": "a b"}),
    owner("Google again", "createDefaultSupportedIdpConfig", {}, "CONFIGURATION_EXISTS", 409, params={"idpId": "google.com"}),
    owner("another's provider", "createDefaultSupportedIdpConfig", {}, "INVALID_PROVIDER_ID", params={"idpId": "a.com"}),
    owner("Apple", "getDefaultSupportedIdpConfig", path=idp("apple.com")),
    owner("a provider of nobody", "getDefaultSupportedIdpConfig", None, "CONFIGURATION_NOT_FOUND", 404, path=idp("a.com")),
    owner("Google is on", "updateDefaultSupportedIdpConfig", {"enabled": True, "clientSecret": "secret"}, path=idp("google.com"),
          params={"updateMask": "enabled,clientSecret"}),
    owner("Google without audience", "updateDefaultSupportedIdpConfig", {"clientIds": []}, "INVALID_CONFIG",
          path=idp("google.com"), params={"updateMask": "clientIds"}),
    owner("Apple goes alone", "deleteDefaultSupportedIdpConfig", None, "LOGIN_SERVICES_4_8", 409, path=idp("apple.com")),
    owner("OpenID Connect providers", "listOauthIdpConfigs"),
    owner("an OpenID Connect provider", "createOauthIdpConfig", CORP, params={"oauthIdpConfigId": NEW_PROVIDER}),
    owner("one of an odd name", "createOauthIdpConfig", CORP, "INVALID_PROVIDER_ID", params={"oauthIdpConfigId": "oidc.A"}),
    owner("one without a name", "createOauthIdpConfig", CORP, "MISSING_PROVIDER_ID"),
    owner("it is shown", "getOauthIdpConfig", path=idp(PROVIDER)),
    owner("it is changed", "updateOauthIdpConfig", {"enabled": True}, path=idp(PROVIDER), params={"updateMask": "enabled"}),
    owner("its issuer is none", "updateOauthIdpConfig", {"issuer": "nowhere"}, "INVALID_CONFIG", path=idp(PROVIDER),
          params={"updateMask": "issuer"}),
    owner("it goes", "deleteOauthIdpConfig", path=idp(PROVIDER)),
    owner("apps", "listApps"),
    owner("an app", "createApp", {"appId": NEW_LOCAL_ID, "platform": "ios", "bundleId": "com.example.app"}),
    owner("an app of an odd name", "createApp", {"appId": "A"}, "INVALID_ARGUMENT"),
    owner("an app again", "createApp", {"appId": "default"}, "CONFIGURATION_EXISTS", 409),
    owner("it is looked at", "getApp", path={"appId": APP}),
    owner("it is exempted", "updateApp", {"exemption": {"kind": "thirdPartyClient", "reason": "because"}},
          path={"appId": APP}),
    owner("Google alone", "updateApp", {"signInMethods": ["google.com"]}, "LOGIN_SERVICES_4_8", 409, path={"appId": APP}),
    owner("an app goes", "deleteApp", path={"appId": APP}),
    owner("no app goes", "deleteApp", None, "CONFIGURATION_NOT_FOUND", 404, path={"appId": "nobody"}),
    owner("tenants", "listTenants", params={"pageSize": "2"}),
    owner("tenants of no page", "listTenants", None, "INVALID_PAGE_SELECTION", params={"pageToken": "a b"}),
    owner("a tenant is made", "createTenant", {"displayName": "Acme", "allowPasswordSignup": True}),
    owner("a tenant with second factors", "createTenant", {"mfaConfig": {"state": "ENABLED"}}, "NOT_IMPLEMENTED", 501),
    owner("an app makes no tenant", "createTenant", {}, "INSUFFICIENT_PERMISSION", key="any", headers={}),
    tenant("a tenant", "getTenant"),
    tenant("a tenant of nobody", "getTenant", None, "TENANT_NOT_FOUND", 404, path={"tenant": "a b"}),
    tenant("a tenant is renamed", "updateTenant", {"displayName": "Zen"}, params={"updateMask": "displayName"}),
    tenant("a tenant of nobody is renamed", "updateTenant", {}, "TENANT_NOT_FOUND", 404, path={"tenant": "a b"}),
    tenant("a tenant goes", "deleteTenant"),
    tenant("a tenant of nobody goes", "deleteTenant", None, "TENANT_NOT_FOUND", 404, path={"tenant": "a b"}),
    tenant("an account by a backend", "createAccountInTenant", {"email": NEW_EMAIL}),
    tenant("an account in no tenant", "createAccountInTenant", {}, "TENANT_NOT_FOUND", 404, path={"tenant": "a b"}),
    tenant("an account in two tenants", "createAccountInTenant", {"tenantId": "other"}, "TENANT_ID_MISMATCH"),
    tenant("a link by a backend", "sendProjectOobCodeInTenant", {
        "requestType": "EMAIL_SIGNIN", "email": NEW_EMAIL, "returnOobLink": True}),
    tenant("somebody by id", "lookupAccountsInTenant", {"localId": [TENANT_LOCAL_ID]}),
    tenant("nobody of the project", "lookupAccountsInTenant", {"localId": [LOCAL_ID]}),
    tenant("claims", "updateAccountInTenant", {"localId": TENANT_LOCAL_ID, "customAttributes": '{"role":"editor"}'}),
    tenant("somebody goes", "deleteAccountInTenant", {"localId": TENANT_LOCAL_ID}),
    tenant("nobody of the project goes", "deleteAccountInTenant", {"localId": LOCAL_ID}, "USER_NOT_FOUND"),
    tenant("accounts in bulk", "batchCreateAccountsInTenant", {"users": [{"localId": NEW_LOCAL_ID}]}),
    tenant("accounts go in bulk", "batchDeleteAccountsInTenant", {"localIds": [TENANT_LOCAL_ID], "force": True}),
    tenant("all accounts", "batchGetAccountsInTenant", params={"maxResults": "1"}),
    tenant("accounts by name", "queryAccountsInTenant", {"sortBy": "NAME"}),
    tenant("a cookie", "createSessionCookieInTenant", {"idToken": TENANT_ID_TOKEN, "validDuration": "3600"}),
    tenant("a cookie of somebody else", "createSessionCookieInTenant", {"idToken": ID_TOKEN}, "TENANT_ID_MISMATCH"),
    tenant("its Google", "listDefaultSupportedIdpConfigsInTenant"),
    tenant("an Apple of its own", "createDefaultSupportedIdpConfigInTenant", {"clientId": "com.example"},
           params={"idpId": "apple.com"}),
    tenant("its Google alone", "getDefaultSupportedIdpConfigInTenant", path=idp("google.com")),
    tenant("Google without Apple", "updateDefaultSupportedIdpConfigInTenant", {"enabled": True}, "LOGIN_SERVICES_4_8", 409,
           path=idp("google.com"), params={"updateMask": "enabled"}),
    tenant("another audience", "updateDefaultSupportedIdpConfigInTenant", {"clientId": "d"}, path=idp("google.com")),
    tenant("no Google", "deleteDefaultSupportedIdpConfigInTenant", path=idp("google.com")),
    tenant("its OpenID Connect", "listOauthIdpConfigsInTenant"),
    tenant("one more", "createOauthIdpConfigInTenant", CORP, params={"oauthIdpConfigId": NEW_PROVIDER}),
    tenant("it is shown", "getOauthIdpConfigInTenant", path=idp(TENANT_PROVIDER)),
    tenant("it is named", "updateOauthIdpConfigInTenant", {"displayName": "Corp"}, path=idp(TENANT_PROVIDER),
           params={"updateMask": "displayName"}),
    tenant("it goes", "deleteOauthIdpConfigInTenant", path=idp(TENANT_PROVIDER)),
    Row("an account in a tenant", "signUp", {"email": NEW_EMAIL, "password": PASSWORD, "tenantId": TENANT}),
    Row("an account in no tenant", "signUp", {"email": NEW_EMAIL, "password": PASSWORD, "tenantId": "a b"}, "INVALID_TENANT_ID"),
    Row("one's own account in a tenant", "lookup", {"idToken": TENANT_ID_TOKEN}),
    Row("one's own account elsewhere", "lookup", {"idToken": ID_TOKEN, "tenantId": TENANT}, "TENANT_ID_MISMATCH"),
    Row("the rules of a tenant", "getPasswordPolicy", options={"params": {"tenantId": TENANT}}),
    Row("a tenant as a project", "getProject", None, "UNSUPPORTED_TENANT_OPERATION", options={"params": {"tenantId": TENANT}}),
    owner("who did what", "listAuditEvents", params={"pageSize": "2", "actor": "key:owner"}),
    owner("of no page", "listAuditEvents", None, "INVALID_PAGE_SELECTION", params={"pageToken": "a b"}),
    owner("since when?", "listAuditEvents", None, "INVALID_ARGUMENT", params={"since": "yesterday"}),
    owner("an account by a backend", "createAccount", {"email": NEW_EMAIL, "password": PASSWORD, "emailVerified": True}),
    owner("a taken address by a backend", "createAccount", {"email": EMAIL}, "EMAIL_EXISTS"),
    owner("accounts by address and id", "lookupAccounts", {"email": [EMAIL], "localId": [LOCAL_ID, "nobody"]}),
    owner("claims", "updateAccount", {"localId": LOCAL_ID, "customAttributes": '{"role":"editor"}'}),
    owner("reserved claims", "updateAccount", {"localId": LOCAL_ID, "customAttributes": '{"sub":"x"}'}, "FORBIDDEN_CLAIM"),
    owner("a change of nobody", "updateAccount", {"localId": "nobody"}, "USER_NOT_FOUND"),
    owner("an account goes", "deleteAccount", {"localId": LOCAL_ID}),
    owner("nobody goes", "deleteAccount", {"localId": "nobody"}, "USER_NOT_FOUND"),
    owner("accounts in bulk", "batchCreateAccounts", {"users": [{"localId": NEW_LOCAL_ID, "email": NEW_EMAIL}]}),
    owner("accounts of Firebase in bulk", "batchCreateAccounts", {
        "hashAlgorithm": "SCRYPT", "signerKey": "A" * 86 + "==", "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14,
        "users": [{"localId": NEW_LOCAL_ID, "passwordHash": "A" * 86 + "==", "salt": "AAAA"}]}),
    owner("accounts of Firebase without its key", "batchCreateAccounts", {
        "hashAlgorithm": "SCRYPT", "rounds": 8, "memoryCost": 14, "users": [{"localId": NEW_LOCAL_ID}]}, "EMPTY_HASH_KEY"),
    owner("accounts of Firebase with too many rounds", "batchCreateAccounts", {
        "hashAlgorithm": "SCRYPT", "signerKey": "A" * 86 + "==", "rounds": 9, "memoryCost": 14,
        "users": [{"localId": NEW_LOCAL_ID}]}, "INVALID_HASH_ROUNDS"),
    owner("accounts of Argon2d", "batchCreateAccounts", {
        "hashAlgorithm": "ARGON2", "argon2Parameters": {"hashType": "ARGON2_D"}, "users": [{"localId": NEW_LOCAL_ID}]},
        "NOT_IMPLEMENTED", 501),
    owner("no accounts in bulk", "batchCreateAccounts", {"users": []}, "MISSING_USER_ACCOUNT"),
    owner("accounts go in bulk", "batchDeleteAccounts", {"localIds": ["nobody"], "force": True}),
    owner("none go in bulk", "batchDeleteAccounts", {"localIds": []}, "LOCAL_ID_LIST_EXCEEDS_LIMIT"),
    owner("a page of accounts", "batchGetAccounts", params={"maxResults": "2"}),
    owner("how many accounts", "queryAccounts", {"returnUserInfo": False}),
    owner("some accounts", "queryProjectAccounts", {"limit": "2"}),
    owner("an account by its address", "queryAccounts", {"expression": [{"email": EMAIL}]}),
    owner("the newest accounts", "queryProjectAccounts", {"sortBy": "CREATED_AT", "order": "DESC", "limit": "2"}),
    owner("accounts by an odd order", "queryAccounts", {"sortBy": "AGE"}, "INVALID_ARGUMENT"),
    owner("accounts by what they begin with", "searchAccounts", params={"q": "a", "maxResults": "2"}),
    owner("an account by what it is called", "searchAccounts", params={"q": EMAIL}),
    owner("accounts by nothing", "searchAccounts", None, "INVALID_ARGUMENT"),
    owner("accounts after nobody", "searchAccounts", None, "INVALID_PAGE_SELECTION",
          params={"q": "a", "nextPageToken": "a" * 129}),
    owner("what an account is linked to", "listIdentities", **of(FEDERATED_LOCAL_ID)),
    owner("what nobody is linked to", "listIdentities", None, "USER_NOT_FOUND", **of("nobody")),
    owner("a link", "linkIdentity", {"providerId": "oidc.corp", "rawId": NEW_LOCAL_ID, "email": NEW_EMAIL,
                                     "emailVerified": True}, **of(LOCAL_ID)),
    owner("a second Google", "linkIdentity", {"providerId": "google.com", "rawId": NEW_LOCAL_ID},
          "PROVIDER_ALREADY_LINKED", **of(FEDERATED_LOCAL_ID)),
    owner("a link to nothing", "linkIdentity", {"rawId": "x"}, "MISSING_PROVIDER_ID", **of(LOCAL_ID)),
    owner("an unlink", "unlinkIdentity", **of(FEDERATED_LOCAL_ID, "google.com")),
    owner("an unlink of what is not linked", "unlinkIdentity", None, "IDENTITY_NOT_FOUND", **of(LOCAL_ID, "google.com")),
    owner("a move", "moveIdentity", {"targetLocalId": LOCAL_ID}, **of(FEDERATED_LOCAL_ID, "google.com")),
    owner("a move to nobody", "moveIdentity", {"targetLocalId": "nobody"}, "USER_NOT_FOUND",
          **of(FEDERATED_LOCAL_ID, "google.com")),
    owner("what a backend's merge would do", "mergeAccounts", {
        "sourceLocalId": FEDERATED_LOCAL_ID, "localId": LOCAL_ID, "dryRun": True}),
    owner("a backend's merge", "mergeAccounts", {"mergeToken": ADMIN_MERGE_TOKEN}),
    owner("a backend's merge of one", "mergeAccounts", {"sourceLocalId": LOCAL_ID, "localId": LOCAL_ID, "dryRun": True},
          "MERGE_SAME_ACCOUNT"),
    owner("a merge undone", "undoMerge", {"sourceLocalId": MERGED_LOCAL_ID}),
    owner("no merge undone", "undoMerge", {"sourceLocalId": "nobody"}, "MERGE_NOT_FOUND"),
    Row("an API key is no backend", "batchGetAccounts", None, "INSUFFICIENT_PERMISSION"),
    Row("nothing is no backend", "batchGetAccounts", None, "PERMISSION_DENIED", 403, {"key": None}),
    Row("a link in a mail", "getActionPage", options={"params": {"oobCode": VERIFY_CODE, "mode": "verifyEmail"}}),
    Row("a link of nonsense in a mail", "getActionPage", status=400, options={"params": {"oobCode": "nonsense"}}),
    page("an address verified on a page", "postActionPage", oobCode=VERIFY_CODE),
    page("an address that somebody else typed", "postActionPage", oobCode=VERIFY_CODE, step="disavow"),
    page("a new password on a page", "postActionPage", oobCode=RESET_CODE, newPassword="staple battery horse"),
    page("a short password on a page", "postActionPage", 400, oobCode=RESET_CODE, newPassword="short"),
    page("nonsense on a page", "postActionPage", 400, oobCode="nonsense"),
    Row("a forgotten password", "getForgotPasswordPage"),
    Row("a forgotten password of a project", "getProjectForgotPasswordPage"),
    page("a reset on a page", "postForgotPasswordPage", email=EMAIL),
    page("a reset on a project's page", "postProjectForgotPasswordPage", email=EMAIL),
    page("a reset on a page of nobody", "postProjectForgotPasswordPage", email=NEW_EMAIL),
    page("a reset of no address on a page", "postForgotPasswordPage", 400, email="ada"),
    Row("where passwords are changed", "getChangePassword", status=303, options={"allow_redirects": False}),
    Row("where a project's passwords are changed", "getProjectChangePassword", status=303,
        options={"allow_redirects": False}),
    Row("root discovery", "getOpenIdConfiguration"),
    Row("root keys", "getJwks"),
    Row("a project's discovery", "getProjectOpenIdConfiguration"),
    Row("a project's keys", "getProjectJwks"),
    Row("certificates", "getSigningCertificates"),
    Row("health", "getHealth"),
    Row("readiness", "getReadiness"),
    Row("metrics", "getMetrics"),
]


@pytest.fixture(scope="session")
def client(dev, contract):
    return Client(dev, contract)


def filled(value, known):
    match value:
        case dict():
            return {name: filled(inner, known) for name, inner in value.items()}
        case list():
            return [filled(inner, known) for inner in value]
        case object() if type(value) is object:
            return known[value]()
        case _:
            return value


def fresh_provider():
    return f"oidc.{secrets.token_hex(8)}"


def made(client, operation, json, **options):
    """The id of a new resource."""
    answer = client.call(operation, json, key=None, headers={"Authorization": "Bearer owner"}, **options)
    assert answer.status == 200, answer.body
    return answer.body.get("appId") or answer.body["name"].split("/")[-1]


def known_token(simulated, client):
    """Of somebody who has signed in before."""
    person = fresh_person()
    signed_in(client, simulated.sign_in("apple.com", person))
    return simulated.sign_in("apple.com", person)["idToken"]


def federated(simulated, client):
    person = fresh_person()
    session = signed_in(client, simulated.sign_in("apple.com", person))
    return signed_in(client, simulated.google(person), idToken=session["idToken"])


def signed_in(client, proof, **more):
    answer = client.call("signInWithIdp", by(proof, **more))
    assert "idToken" in answer.body, answer.body
    return answer.body


def previewed(client, id_token, apple_token):
    wish = {"idToken": id_token, "dryRun": True} | credential("apple.com", apple_token)
    return client.call("merge", wish).body["mergeToken"]


def backend_preview(client, source, target):
    wish = {"sourceLocalId": source, "localId": target, "dryRun": True}
    return as_owner(client, "mergeAccounts", wish)["mergeToken"]


def merged(client, source, target):
    return as_owner(client, "mergeAccounts", {"mergeToken": backend_preview(client, source, target)})["sourceLocalId"]


def as_owner(client, operation, json):
    answer = client.call(operation, json, key=None, headers={"Authorization": "Bearer owner"})
    assert answer.status == 200, answer.body
    return answer.body


def code(client, request_type, email, **more):
    """As a mail would have it."""
    wish = {"requestType": request_type, "email": email, "returnOobLink": True} | more
    answer = client.call("sendProjectOobCode", wish, key=None, headers={"Authorization": "Bearer owner"})
    return answer.body["oobCode"]


def own_session(client, id_token):
    [session] = client.call("listSessions", {"idToken": id_token}).body["sessions"]
    return session


def tenant_of_everything(client):
    made_tenant = as_owner(client, "createTenant", {
        "displayName": "Acme", "allowPasswordSignup": True, "enableEmailLinkSignin": True, "enableAnonymousUser": True})
    path = {"tenant": made_tenant["tenantId"]}
    made(client, "createDefaultSupportedIdpConfigInTenant", {"clientId": "c"}, path=path, params={"idpId": "google.com"})
    made(client, "createOauthIdpConfigInTenant", CORP, path=path, params={"oauthIdpConfigId": "oidc.corp"})
    return path["tenant"]


def stand_ins(client):
    ada = cache(client.ada)
    home = cache(lambda: tenant_of_everything(client))
    bob = cache(lambda: client.call("signUp", {
        "email": fresh_email(), "password": PASSWORD, "tenantId": home()}).body)
    stranger = cache(fresh_email)
    simulated = Simulated(client.gateway)
    return {
        APPLE: lambda: simulated.apple()["postBody"],
        APPLE_TOKEN: lambda: simulated.sign_in("apple.com")["idToken"],
        GOOGLE_TOKEN: lambda: simulated.google()["idToken"],
        KNOWN_TOKEN: lambda: known_token(simulated, client),
        FEDERATED_ID_TOKEN: lambda: federated(simulated, client)["idToken"],
        MERGE_TOKEN: lambda: previewed(client, ada()["idToken"], known_token(simulated, client)),
        ADMIN_MERGE_TOKEN: lambda: backend_preview(
            client, federated(simulated, client)["localId"], ada()["localId"]),
        MERGED_LOCAL_ID: lambda: merged(client, federated(simulated, client)["localId"], ada()["localId"]),
        FEDERATED_LOCAL_ID: lambda: federated(simulated, client)["localId"],
        TENANT: home,
        TENANT_LOCAL_ID: lambda: bob()["localId"],
        TENANT_ID_TOKEN: lambda: bob()["idToken"],
        TENANT_PROVIDER: lambda: home() and "oidc.corp",
        EMAIL: lambda: ada()["email"],
        ID_TOKEN: lambda: ada()["idToken"],
        REFRESH_TOKEN: lambda: ada()["refreshToken"],
        SESSION_ID: lambda: own_session(client, ada()["idToken"])["sessionId"],
        NEW_EMAIL: fresh_email,
        VERIFY_CODE: lambda: code(client, "VERIFY_EMAIL", ada()["email"]),
        RESET_CODE: lambda: code(client, "PASSWORD_RESET", ada()["email"]),
        CHANGE_CODE: lambda: code(client, "VERIFY_AND_CHANGE_EMAIL", ada()["email"], newEmail=fresh_email()),
        LINK_CODE: lambda: code(client, "EMAIL_SIGNIN", ada()["email"]),
        NEW_LINK_CODE: lambda: code(client, "EMAIL_SIGNIN", stranger()),
        NEW_LINK_EMAIL: stranger,
        LOCAL_ID: lambda: ada()["localId"],
        NEW_LOCAL_ID: lambda: fresh_email().split("@")[0],
        ANONYMOUS_ID_TOKEN: lambda: client.signed_up()["idToken"],
        NEW_PROVIDER: fresh_provider,
        PROVIDER: lambda: made(client, "createOauthIdpConfig", CORP, params={"oauthIdpConfigId": fresh_provider()}),
        APP: lambda: made(client, "createApp", {"appId": "a" + secrets.token_hex(4)}),
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.operation}: {row.says}")
def test_the_answer_is_the_one_in_the_contract(client, row):
    known = stand_ins(client)
    answer = client.call(row.operation, filled(row.json, known), **filled(row.options, known))
    assert (answer.status, answer.code) == (row.status, row.code), answer.body


def test_every_operation_of_the_contract_is_exercised(contract):
    assert {row.operation for row in ROWS} == contract.operations.keys()


def test_an_upgrade_keeps_the_account(client):
    anonymous = client.signed_up()
    upgraded = client.signed_up(idToken=anonymous["idToken"], email=fresh_email(), password=PASSWORD)
    assert upgraded["localId"] == anonymous["localId"]
    again = client.call("signInWithPassword", sign_in(upgraded["email"], PASSWORD)).body
    assert again["localId"] == anonymous["localId"]


def test_a_changed_name_is_read_back(client):
    ada = client.ada()
    client.call("update", {"idToken": ada["idToken"], "displayName": "Ada Lovelace"})
    [user] = client.call("lookup", {"idToken": ada["idToken"]}).body["users"]
    assert (user["localId"], user["displayName"]) == (ada["localId"], "Ada Lovelace")


def test_a_new_password_ends_the_old_sessions_and_starts_one(client):
    ada = client.ada()
    changed = client.call("update", {"idToken": ada["idToken"], "password": "staple battery horse"}).body
    assert client.call("lookup", {"idToken": ada["idToken"]}).code == "TOKEN_EXPIRED"
    assert client.call("token", token(ada["refreshToken"])).status == 400
    assert client.call("signInWithPassword", sign_in(ada["email"], PASSWORD)).code == "INVALID_PASSWORD"
    assert client.call("lookup", {"idToken": changed["idToken"]}).status == 200
    assert client.call("token", token(changed["refreshToken"])).status == 200


def test_a_deleted_account_is_gone(client):
    ada = client.ada()
    client.call("delete", {"idToken": ada["idToken"]})
    assert client.call("lookup", {"idToken": ada["idToken"]}).code == "USER_NOT_FOUND"
    assert client.call("signInWithPassword", sign_in(ada["email"], PASSWORD)).code == "EMAIL_NOT_FOUND"
    assert client.call("token", token(ada["refreshToken"])).status == 400


def test_a_refreshed_id_token_is_accepted(client):
    ada = client.ada()
    refreshed = client.call("token", token(ada["refreshToken"])).body
    assert refreshed["user_id"] == ada["localId"]
    assert client.call("lookup", {"idToken": refreshed["id_token"]}).status == 200


def test_errors_of_token_have_a_status_and_no_list(client):
    error = client.call("token", token("nonsense")).body["error"]
    assert "status" in error and "errors" not in error


@pytest.mark.parametrize(("method", "path", "status", "code"), [
    ("GET", "/nowhere", 404, "NOT_FOUND"),
    ("GET", "/v1/accounts:signUp", 405, "METHOD_NOT_ALLOWED"),
])
def test_what_no_operation_answers_is_refused_in_the_same_envelope(client, contract, method, path, status, code):
    response = requests.request(method, client.gateway.url + path, params={"key": "any"}, timeout=30)
    assert contract.faults({"$ref": "#/components/schemas/ErrorEnvelope"}, response.json()) == []
    assert (response.status_code, response.json()["error"]["status"]) == (status, code)
