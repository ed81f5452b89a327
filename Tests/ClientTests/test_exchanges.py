"""Requests to `sekisho dev` for every operation; every response is checked against openapi.yaml."""

import base64
import secrets
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
import requests

from client import ADMIN_HEADERS, PASSWORD, fresh_email, ok_body
from simulators import Simulators, fresh_person, idp_sign_in_body

# Placeholders in the request of a row. The test replaces each by its value from `placeholder_values`.
# EMAIL, ID_TOKEN, REFRESH_TOKEN and LOCAL_ID are those of one new account, and ANONYMOUS_ID_TOKEN is the ID token of a
# new anonymous account. NEW_EMAIL, NEW_LOCAL_ID and NEW_PROVIDER are values that nothing has yet. PROVIDER and APP are
# the IDs of a new provider and a new app.
EMAIL, ID_TOKEN, REFRESH_TOKEN, NEW_EMAIL, ANONYMOUS_ID_TOKEN, LOCAL_ID, NEW_LOCAL_ID, NEW_PROVIDER, PROVIDER, APP = (
    object() for _ in range(10))
# Credentials from providers. Apple's `postBody`, Apple's ID token and Google's ID token are each for a new person. The
# last one is Apple's ID token for a person who has an account.
APPLE, APPLE_TOKEN, GOOGLE_TOKEN, KNOWN_PERSON_TOKEN = (object() for _ in range(4))
# The ID token of a new account with only Apple and Google identities, and the merge token of a client's dry run. The
# dry run is for a merge of the account of ID_TOKEN into another.
FEDERATED_ID_TOKEN, MERGE_TOKEN = (object() for _ in range(2))
# The merge token of a backend's dry run, the ID of an account that was merged into another, and the ID of a new account
# with Apple and Google identities.
ADMIN_MERGE_TOKEN, MERGED_LOCAL_ID, FEDERATED_LOCAL_ID = (object() for _ in range(3))
# Action codes for the account of EMAIL. NEW_LINK_CODE is for an unused email address, NEW_LINK_EMAIL.
VERIFY_CODE, RESET_CODE, CHANGE_CODE, LINK_CODE, NEW_LINK_CODE, NEW_LINK_EMAIL = (object() for _ in range(6))
# The session of ID_TOKEN, and the ID token of a new account with a verified address.
SESSION_ID, VERIFIED_ID_TOKEN = (object() for _ in range(2))
# A notification that Apple signed.
NOTIFICATION = object()
# The ID of an image that the brand of an app names, and the bytes of a PNG in base64.
BRAND_IMAGE = object()
PNG = base64.b64encode((Path(__file__).parents[1] / "Fuzzing/Seeds/image/png").read_bytes()).decode()
# A tenant that allows passwords, email links and anonymous accounts, an account in it, and one of its two disabled
# providers.
TENANT, TENANT_LOCAL_ID, TENANT_ID_TOKEN, TENANT_PROVIDER = (object() for _ in range(4))


@dataclass
class Row:
    """A request and the response that it must get."""

    # What distinguishes the request from others of its operation.
    description: str
    operation: str
    json: dict | None = None
    # The error code of the response; `None` for a success or a page.
    code: str | None = None
    # The status of the response: by default 200, or 400 if there is an error code.
    status: int = 200
    # Further arguments of `Client.call`.
    options: dict = field(default_factory=dict)

    def __post_init__(self):
        if self.code and self.status == 200:
            self.status = 400


def token_request(refresh_token, grant_type="refresh_token"):
    """The body of `refreshTokens`."""
    return {"grant_type": grant_type, "refresh_token": refresh_token}


def password_sign_in_request(email, password):
    return {"email": email, "password": password, "returnSecureToken": True}


def upgrade_request(email, password, id_token=ANONYMOUS_ID_TOKEN):
    """The body of `signUp` that adds an email address and a password to an anonymous account."""
    return {"idToken": id_token, "email": email, "password": password}


def revocation_request(kind, id_token):
    """The body of `revokeToken`. `kind` is the type of the token, "ACCESS_TOKEN" or "CODE"."""
    return {"providerId": "apple.com", "tokenType": kind, "token": "token", "idToken": id_token}


# The query that Firebase's JavaScript SDK sends to the handler page.
HANDLER_QUERY = {
    "apiKey": "any", "appName": "[DEFAULT]", "authType": "signInViaPopup", "eventId": "1234567890",
    "redirectUrl": "http://localhost/", "providerId": "google.com"}


def auth_uri_request(email, continue_uri="http://localhost"):
    """The body of `createAuthUri` for an email address."""
    return {"identifier": email, "continueUri": continue_uri}


def admin_row(description, operation, json=None, code=None, status=200, **options):
    """A row of the admin API, with the credential of an administrator."""
    authorization = {"headers": ADMIN_HEADERS}
    return Row(description, operation, json, code, status, options={"api_key": None} | authorization | options)


SIGN_IN_URI = {
    "continueUri": "http://localhost/done", "state": "state", "codeChallengeMethod": "S256",
    "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}
# The query of the sign-in page. The default app accepts every URL in `dev`.
SIGN_IN_PAGE = {
    "app": "default", "continueUri": "http://localhost/done", "state": "state", "code_challenge_method": "S256",
    "code_challenge": SIGN_IN_URI["codeChallenge"]}


def page_row(description, operation, status=200, **fields):
    """A row that posts a form to a page."""
    return Row(description, operation, status=status, options={"data": fields})


def account_path(local_id, provider_id=None):
    """The path parameters of an account, or of one of its identities."""
    return {"path": {"localId": local_id} | ({"providerId": provider_id} if provider_id else {})}


def idp_path(provider_id):
    """The path parameter of a provider's configuration."""
    return {"idpId": provider_id}


def tenant_row(description, operation, json=None, code=None, status=200, *, path={}, **options):
    """A row of the admin API for a tenant."""
    return admin_row(description, operation, json, code, status, path={"tenant": TENANT} | path, **options)


def form_credential_request(post_body, **more):
    """The body of `signInWithIdp` with a credential as a form."""
    return {"postBody": post_body, "requestUri": "http://localhost", "returnSecureToken": True} | more


def credential_request(provider_id, id_token=None, **more):
    """The body of `signInWithIdp` or `mergeOwnAccounts` with a credential as an object."""
    return {"credential": {"providerId": provider_id, "idToken": id_token} | more}


# The configuration of an OpenID provider.
CORP_PROVIDER = {"clientId": "c", "issuer": "https://id.example.com", "displayName": "Corp"}

ROWS = [
    Row("email and password create an account", "signUp", {"email": NEW_EMAIL, "password": PASSWORD}),
    Row("an empty request creates an anonymous account", "signUp", {"returnSecureToken": True}),
    Row("an anonymous account is upgraded with an email address", "signUp", upgrade_request(NEW_EMAIL, PASSWORD)),
    Row("members in snake_case", "signUp", {"email": NEW_EMAIL, "password": PASSWORD, "display_name": "Ada"}),
    Row("email address in use", "signUp", {"email": EMAIL, "password": PASSWORD}, "EMAIL_EXISTS"),
    Row("email address in use for an upgrade", "signUp", upgrade_request(EMAIL, PASSWORD), "EMAIL_EXISTS"),
    Row("invalid email address", "signUp", {"email": "ada", "password": PASSWORD}, "INVALID_EMAIL"),
    Row("password without an email address", "signUp", {"password": PASSWORD}, "MISSING_EMAIL"),
    Row("email address without a password", "signUp", {"email": NEW_EMAIL}, "MISSING_PASSWORD"),
    Row("short password", "signUp", {"email": NEW_EMAIL, "password": "short"}, "WEAK_PASSWORD"),
    Row("client sends a local ID", "signUp", {"localId": "ada"}, "UNEXPECTED_PARAMETER"),
    Row("upgrade with an invalid ID token", "signUp",
        upgrade_request(NEW_EMAIL, PASSWORD, "nonsense"), "INVALID_ID_TOKEN"),
    Row("member of the wrong type", "signUp", {"email": {"at": "example.com"}}, "INVALID_ARGUMENT"),
    Row("body is not JSON", "signUp", code="INVALID_ARGUMENT", options={
        "data": "{", "headers": {"Content-Type": "application/json"}}),
    Row("no API key", "signUp", {}, "PERMISSION_DENIED", 403, {"api_key": None}),
    Row("invalid bearer token", "signUp", {}, "UNAUTHENTICATED", 401, {
        "api_key": None, "headers": {"Authorization": "Bearer nonsense"}}),
    Row("client names another project", "signUp", {"targetProjectId": "other"}, "INSUFFICIENT_PERMISSION"),

    Row("right password", "signInWithPassword", password_sign_in_request(EMAIL, PASSWORD)),
    Row("wrong password", "signInWithPassword", password_sign_in_request(EMAIL, "wrong horse"), "INVALID_PASSWORD"),
    Row("unknown email address", "signInWithPassword",
        password_sign_in_request(NEW_EMAIL, PASSWORD), "EMAIL_NOT_FOUND"),
    Row("missing email address", "signInWithPassword", {"password": PASSWORD}, "MISSING_EMAIL"),
    Row("empty email address", "signInWithPassword", password_sign_in_request("", PASSWORD), "INVALID_EMAIL"),
    Row("missing password", "signInWithPassword", {"email": EMAIL}, "MISSING_PASSWORD"),
    Row("pending ID token", "signInWithPassword", password_sign_in_request(EMAIL, PASSWORD) | {"pendingIdToken": "x"},
        "NOT_IMPLEMENTED", 501),

    Row("one-time password", "startMfaEnrollment", {"idToken": VERIFIED_ID_TOKEN, "totpEnrollmentInfo": {}}),
    Row("unverified address", "startMfaEnrollment", {"idToken": ID_TOKEN, "totpEnrollmentInfo": {}}, "UNVERIFIED_EMAIL"),
    Row("anonymous account", "startMfaEnrollment",
        {"idToken": ANONYMOUS_ID_TOKEN, "totpEnrollmentInfo": {}}, "UNSUPPORTED_FIRST_FACTOR"),
    Row("telephone number", "startMfaEnrollment",
        {"idToken": VERIFIED_ID_TOKEN, "phoneEnrollmentInfo": {"phoneNumber": "+15555550100"}}),
    Row("no telephone number", "startMfaEnrollment",
        {"idToken": VERIFIED_ID_TOKEN, "phoneEnrollmentInfo": {}}, "INVALID_PHONE_NUMBER"),
    Row("unknown session of a number", "finalizeMfaEnrollment", {
        "idToken": VERIFIED_ID_TOKEN, "phoneVerificationInfo": {"sessionInfo": "x", "code": "123456"}},
        "INVALID_SESSION_INFO"),
    Row("unknown credential", "startMfaSignIn",
        {"mfaPendingCredential": "x", "mfaEnrollmentId": "x"}, "INVALID_MFA_PENDING_CREDENTIAL"),
    Row("missing credential", "startMfaSignIn", {}, "MISSING_MFA_PENDING_CREDENTIAL"),
    Row("unknown session", "finalizeMfaEnrollment", {
        "idToken": VERIFIED_ID_TOKEN, "totpVerificationInfo": {"sessionInfo": "x", "verificationCode": "123456"}},
        "INVALID_SESSION_INFO"),
    Row("unknown factor", "withdrawMfaEnrollment",
        {"idToken": ID_TOKEN, "mfaEnrollmentId": "x"}, "MFA_ENROLLMENT_NOT_FOUND"),
    Row("unknown credential", "finalizeMfaSignIn", {
        "mfaPendingCredential": "x", "mfaEnrollmentId": "x", "totpVerificationInfo": {"verificationCode": "123456"}},
        "INVALID_MFA_PENDING_CREDENTIAL"),
    Row("missing credential", "finalizeMfaSignIn", {}, "MISSING_CREDENTIAL"),
    Row("without second factor", "generateRecoveryCodes", {"idToken": ID_TOKEN}, "MFA_ENROLLMENT_NOT_FOUND"),

    Row("own account", "startPasskeyEnrollment", {"idToken": ID_TOKEN}),
    Row("no ID token", "startPasskeyEnrollment", {}, "MISSING_ID_TOKEN"),
    Row("no response", "finalizePasskeyEnrollment", {"idToken": ID_TOKEN}, "MISSING_AUTHENTICATOR_RESPONSE"),
    Row("sign-in", "startPasskeySignIn", {}),
    Row("no credential ID", "finalizePasskeySignIn",
        {"authenticatorAuthenticationResponse": {"id": "%", "response": {"clientDataJSON": "e30"}}},
        "INVALID_CREDENTIAL_ID"),
    Row("sign-up", "startPasskeySignUp", {"email": NEW_EMAIL, "displayName": "Ada"}),
    Row("invalid client data", "finalizePasskeySignUp",
        {"authenticatorRegistrationResponse": {"id": "abcd", "response": {
            "clientDataJSON": "e30", "attestationObject": "oA"}}}, "INVALID_AUTHENTICATOR_RESPONSE"),

    Row("own account", "lookUpOwnAccount", {"idToken": ID_TOKEN}),
    Row("anonymous account", "lookUpOwnAccount", {"idToken": ANONYMOUS_ID_TOKEN}),
    Row("missing ID token", "lookUpOwnAccount", {}, "MISSING_ID_TOKEN"),
    Row("invalid ID token", "lookUpOwnAccount", {"idToken": "a.b.c"}, "INVALID_ID_TOKEN"),

    Row("new name and photo", "updateOwnAccount", {
        "idToken": ID_TOKEN, "displayName": "Ada Lovelace", "photoUrl": "https://example.com/ada.png"}),
    Row("name and photo deleted", "updateOwnAccount",
        {"idToken": ID_TOKEN, "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]}),
    Row("new password", "updateOwnAccount", {"idToken": ID_TOKEN, "password": "staple battery horse"}),
    Row("new email address", "updateOwnAccount", {"idToken": ID_TOKEN, "email": NEW_EMAIL}),
    Row("sessions revoked", "updateOwnAccount", {"idToken": ID_TOKEN, "validSince": "0"}),
    Row("short new password", "updateOwnAccount", {"idToken": ID_TOKEN, "password": "short"}, "WEAK_PASSWORD"),
    Row("new email address in use", "updateOwnAccount",
        {"idToken": ANONYMOUS_ID_TOKEN, "email": EMAIL}, "EMAIL_EXISTS"),
    Row("invalid new email address", "updateOwnAccount", {"idToken": ID_TOKEN, "email": "ada"}, "INVALID_EMAIL"),
    Row("missing ID token", "updateOwnAccount", {"displayName": "Ada"}, "INVALID_REQ_TYPE"),
    Row("custom claims by a client", "updateOwnAccount", {"idToken": ID_TOKEN, "customAttributes": "{}"},
        "INSUFFICIENT_PERMISSION"),
    Row("disabling by a client", "updateOwnAccount",
        {"idToken": ID_TOKEN, "disableUser": True}, "OPERATION_NOT_ALLOWED"),
    Row("unknown attribute to delete", "updateOwnAccount",
        {"idToken": ID_TOKEN, "deleteAttribute": ["AGE"]}, "INVALID_ARGUMENT"),
    Row("attribute whose deletion is not implemented", "updateOwnAccount",
        {"idToken": ID_TOKEN, "deleteAttribute": ["PROVIDER"]}, "NOT_IMPLEMENTED", 501),

    Row("refresh", "refreshTokens", token_request(REFRESH_TOKEN)),
    Row("refresh in camelCase", "refreshTokens", {"grantType": "refresh_token", "refreshToken": REFRESH_TOKEN}),
    Row("missing grant type", "refreshTokens", {"refresh_token": REFRESH_TOKEN}, "MISSING_GRANT_TYPE"),
    Row("unknown grant type", "refreshTokens", token_request(REFRESH_TOKEN, "password"), "INVALID_GRANT_TYPE"),
    Row("missing refresh token", "refreshTokens", {"grant_type": "refresh_token"}, "MISSING_REFRESH_TOKEN"),
    Row("invalid refresh token", "refreshTokens", token_request("nonsense"), "INVALID_REFRESH_TOKEN"),
    Row("missing code", "refreshTokens", {"grant_type": "authorization_code"}, "MISSING_CODE"),
    Row("missing code verifier", "refreshTokens", {"grant_type": "authorization_code", "code": "c"},
        "INVALID_ARGUMENT"),
    Row("unknown code", "refreshTokens", {"grant_type": "authorization_code", "code": "c", "code_verifier": "v" * 43},
        "INVALID_CODE"),
    Row("no API key", "refreshTokens", token_request(REFRESH_TOKEN), "PERMISSION_DENIED", 403, {"api_key": None}),

    Row("own account", "deleteOwnAccount", {"idToken": ID_TOKEN}),
    Row("missing ID token", "deleteOwnAccount", {}, "MISSING_ID_TOKEN"),
    Row("invalid ID token", "deleteOwnAccount", {"idToken": "a.b.c"}, "INVALID_ID_TOKEN"),

    Row("known email address", "createAuthUri", auth_uri_request(EMAIL)),
    Row("unknown email address", "createAuthUri", auth_uri_request(NEW_EMAIL)),
    Row("missing identifier", "createAuthUri", {"continueUri": "http://localhost"}, "MISSING_IDENTIFIER"),
    Row("missing continue URI", "createAuthUri", {"identifier": EMAIL}, "MISSING_CONTINUE_URI"),
    Row("invalid identifier", "createAuthUri", auth_uri_request("ada"), "INVALID_IDENTIFIER"),
    Row("invalid continue URI", "createAuthUri", auth_uri_request(EMAIL, "invalid"), "INVALID_CONTINUE_URI"),
    Row("sign-in in the browser", "createAuthUri", {"providerId": "apple.com", "continueUri": "http://localhost/"}),
    Row("sign-in in the browser with scopes and parameters", "createAuthUri", {
        "providerId": "google.com", "continueUri": "http://localhost/", "operation": "LINK", "sessionId": "s" * 20,
        "oauthScope": "profile", "customParameter": {"login_hint": "ada@example.com"}}),
    Row("unknown `grant` in the request URI", "signInWithIdp", {
        "requestUri": "http://localhost/?grant=unknown", "sessionId": "s" * 20}, "INVALID_IDP_RESPONSE"),
    Row("`grant` without its session ID", "signInWithIdp", {"requestUri": "http://localhost/?grant=unknown"},
        "MISSING_SESSION_ID"),
    Row("sign-in cancelled in the browser", "signInWithIdp", {
        "requestUri": "http://localhost/?error=user_cancelled", "sessionId": "s" * 20}, "USER_CANCELLED"),
    Row("provider that is not configured", "createAuthUri", {"providerId": "facebook.com"}, "OPERATION_NOT_ALLOWED"),

    Row("default app", "getLoginMethods"),
    Row("another app", "getLoginMethods", options={"params": {"appId": APP}}),
    Row("unknown app", "getLoginMethods", None, "NOT_FOUND", 404, {"params": {"appId": "unknown"}}),
    Row("no API key", "getLoginMethods", None, "PERMISSION_DENIED", 403, {"api_key": None}),

    Row("API key in the query", "getProject"),
    Row("API key in a header", "getProject", options={"api_key": None, "headers": {"x-goog-api-key": "any"}}),
    Row("no API key", "getProject", None, "PERMISSION_DENIED", 403, {"api_key": None}),

    Row("policy of the project", "getPasswordPolicy"),
    Row("invalid tenant ID", "getPasswordPolicy", None, "INVALID_TENANT_ID", 400,
        {"params": {"tenantId": "a b"}}),
    Row("no API key", "getPasswordPolicy", None, "PERMISSION_DENIED", 403, {"api_key": None}),
    Row("configuration of the project", "getRecaptchaConfig"),
    Row("invalid tenant ID", "getRecaptchaConfig", None, "INVALID_TENANT_ID", 400, {"params": {"tenantId": "a b"}}),
    Row("no API key", "getRecaptchaConfig", None, "PERMISSION_DENIED", 403, {"api_key": None}),
    Row("Apple credential as a form", "signInWithIdp", form_credential_request(APPLE)),
    Row("Google credential as an object", "signInWithIdp", credential_request("google.com", GOOGLE_TOKEN)),
    Row("Apple credential with a name", "signInWithIdp", credential_request(
        "apple.com", APPLE_TOKEN, fullName={"givenName": "Ada", "familyName": "Lovelace"})),
    Row("identity linked to the account of an ID token", "signInWithIdp",
        credential_request("apple.com", APPLE_TOKEN) | {"idToken": ID_TOKEN}),
    Row("identity of another account", "signInWithIdp",
        credential_request("apple.com", KNOWN_PERSON_TOKEN) | {"idToken": ID_TOKEN},
        "FEDERATED_USER_ID_ALREADY_LINKED"),
    Row("identity of another account with returnIdpCredential, reported with status 200", "signInWithIdp",
        credential_request("apple.com", KNOWN_PERSON_TOKEN) | {
        "idToken": ID_TOKEN, "returnIdpCredential": True}),
    Row("new identity without autoCreate", "signInWithIdp",
        credential_request("apple.com", APPLE_TOKEN) | {"autoCreate": False},
        "EMAIL_NOT_FOUND"),
    Row("nonce that is not in the token", "signInWithIdp", credential_request("apple.com", APPLE_TOKEN, rawNonce="n"),
        "MISSING_OR_INVALID_NONCE"),
    Row("Google token for Apple", "signInWithIdp",
        credential_request("apple.com", GOOGLE_TOKEN), "INVALID_IDP_RESPONSE"),
    Row("credential without a token", "signInWithIdp",
        credential_request("apple.com"), "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
    Row("empty credential", "signInWithIdp", {"credential": {}}, "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
    Row("credential as a form without a request URI", "signInWithIdp",
        {"postBody": "providerId=apple.com"}, "MISSING_REQUEST_URI"),
    Row("invalid request URI", "signInWithIdp",
        form_credential_request("a=b") | {"requestUri": "x"}, "INVALID_REQUEST_URI"),
    Row("provider that is not configured", "signInWithIdp",
        credential_request("oidc.unknown", "x"), "OPERATION_NOT_ALLOWED"),
    Row("access token alone", "signInWithIdp",
        credential_request("google.com", accessToken="x"), "NOT_IMPLEMENTED", 501),
    Row("invalid pending token", "signInWithIdp", {"pendingToken": "x"}, "INVALID_PENDING_TOKEN"),
    Row("credential and pending token", "signInWithIdp",
        credential_request("apple.com", APPLE_TOKEN) | {"pendingToken": "x"},
        "INVALID_ARGUMENT"),
    Row("invalid ID token", "signInWithIdp", credential_request("apple.com", APPLE_TOKEN) | {"idToken": "x"},
        "INVALID_ID_TOKEN"),
    Row("nonce for the project of the API key", "issueNonce", {}),
    Row("no API key", "issueNonce", {}, "PERMISSION_DENIED", 403, {"api_key": None}),
    Row("nonce for another project", "issueNonce", {"targetProjectId": "other"}, "INSUFFICIENT_PERMISSION"),
    Row("a number with separators", "sendVerificationCode", {"phoneNumber": "+1 555-555-0100"}),
    Row("a number without its calling code", "sendVerificationCode", {"phoneNumber": "5555550100"},
        "INVALID_PHONE_NUMBER"),
    Row("an unknown session", "signInWithPhoneNumber", {"sessionInfo": "unknown", "code": "123456"},
        "INVALID_SESSION_INFO"),
    Row("no code", "signInWithPhoneNumber", {"sessionInfo": "unknown"}, "MISSING_CODE"),
    Row("an invalid proof", "signInWithPhoneNumber", {
        "temporaryProof": "invalid", "phoneNumber": "+15555550100"}, "INVALID_TEMPORARY_PROOF"),
    Row("password reset", "sendOobCode", {"requestType": "PASSWORD_RESET", "email": EMAIL}),
    Row("request type as a number", "sendOobCode", {"requestType": 1, "email": EMAIL}),
    Row("sign-in link for an unknown email address", "sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": NEW_EMAIL, "continueUrl": "http://localhost/welcome"}),
    Row("verification of the own email address", "sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": ID_TOKEN}),
    Row("change of the own email address", "sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": ID_TOKEN, "newEmail": NEW_EMAIL}),
    Row("missing request type", "sendOobCode", {}, "MISSING_REQ_TYPE"),
    Row("password reset for an unknown email address", "sendOobCode",
        {"requestType": "PASSWORD_RESET", "email": NEW_EMAIL},
        "EMAIL_NOT_FOUND"),
    Row("verification without an ID token", "sendOobCode", {"requestType": "VERIFY_EMAIL"}, "INVALID_ID_TOKEN"),
    Row("change of email address without an ID token", "sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": NEW_EMAIL}, "MISSING_ID_TOKEN"),
    Row("missing new email address", "sendOobCode", {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": ID_TOKEN},
        "MISSING_NEW_EMAIL"),
    Row("invalid new email address", "sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": ID_TOKEN, "newEmail": "ada"}, "INVALID_NEW_EMAIL"),
    Row("invalid continue URL", "sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": EMAIL, "continueUrl": "invalid"}, "INVALID_CONTINUE_URI"),
    Row("link in the response for a client", "sendOobCode", {
        "requestType": "PASSWORD_RESET", "email": EMAIL, "returnOobLink": True}, "INSUFFICIENT_PERMISSION"),
    Row("obsolete request type", "sendOobCode", {"requestType": "OLD_EMAIL_AGREE"}, "NOT_IMPLEMENTED", 501),
    admin_row("of the project", "getProjectHealth"),
    admin_row("emails", "listQueueItems", path={"queue": "emails"}),
    admin_row("text messages", "listQueueItems", path={"queue": "textMessages"}),
    admin_row("revocations", "listQueueItems", path={"queue": "appleRevocations"}),
    admin_row("deliveries", "listQueueItems", path={"queue": "eventDeliveries"}),
    admin_row("unknown queue", "listQueueItems", None, "NOT_FOUND", 404, path={"queue": "letters"}),
    admin_row("unknown email", "retryQueueItem", None, "NOT_FOUND", 404, path={"queue": "emails", "itemId": "x"}),
    admin_row("unknown delivery", "cancelQueueItem", None, "NOT_FOUND", 404,
        path={"queue": "eventDeliveries", "itemId": "hook:1"}),
    admin_row("unknown account", "impersonateAccount", {
        "localId": "unknown", "reason": "Ticket 4711", "appId": "default", "continueUri": "http://localhost/done"},
        "USER_NOT_FOUND"),
    admin_row("of an unknown account", "listAccountSessions", **account_path("missing")),
    admin_row("of an account", "listSignInObstacles", **account_path(LOCAL_ID)),
    admin_row("of an unknown account", "listSignInObstacles", None, "USER_NOT_FOUND", **account_path("missing")),
    admin_row("without a console", "listAdministrators", None, "OPERATION_NOT_ALLOWED"),
    admin_row("without a console", "inviteAdministrator", {"email": EMAIL, "role": "viewer"}, "OPERATION_NOT_ALLOWED"),
    admin_row("without a console", "updateAdministrator", {"role": "viewer"}, "OPERATION_NOT_ALLOWED",
        path={"localId": "missing"}),
    admin_row("without a console", "removeAdministrator", None, "OPERATION_NOT_ALLOWED", path={"localId": "missing"}),
    admin_row("of the project", "listEventEndpoints"),
    admin_row("without an ID", "createEventEndpoint", {"url": "https://backend.example.com/"}, "INVALID_ARGUMENT"),
    admin_row("unknown", "getEventEndpoint", None, "CONFIGURATION_NOT_FOUND", 404,
        path={"eventEndpointId": "missing"}),
    admin_row("unknown", "updateEventEndpoint", {}, "CONFIGURATION_NOT_FOUND", 404,
        path={"eventEndpointId": "missing"}),
    admin_row("unknown", "deleteEventEndpoint", None, "CONFIGURATION_NOT_FOUND", 404,
        path={"eventEndpointId": "missing"}),
    admin_row("unknown", "rotateEventEndpointSecret", {}, "CONFIGURATION_NOT_FOUND", 404,
        path={"eventEndpointId": "missing"}),
    admin_row("unknown", "enableEventEndpoint", {}, "CONFIGURATION_NOT_FOUND", 404,
        path={"eventEndpointId": "missing"}),
    admin_row("unknown", "testEventEndpoint", {}, "CONFIGURATION_NOT_FOUND", 404,
        path={"eventEndpointId": "missing"}),
    admin_row("unknown", "replayEvents", {}, "CONFIGURATION_NOT_FOUND", 404,
        path={"eventEndpointId": "missing"}),
    admin_row("unknown", "listEventDeliveries", None, "CONFIGURATION_NOT_FOUND", 404,
        path={"eventEndpointId": "missing"}),
    admin_row("from the beginning", "listEvents", params={"after": 0}),
    admin_row("link in the response for a backend", "sendProjectOobCode", {
        "requestType": "PASSWORD_RESET", "email": EMAIL, "returnOobLink": True}),
    admin_row("email sent for a backend", "sendProjectOobCode", {"requestType": "VERIFY_EMAIL", "email": EMAIL}),
    admin_row("verification link for an unknown email address", "sendProjectOobCode", {
        "requestType": "VERIFY_EMAIL", "email": NEW_EMAIL, "returnOobLink": True}, "USER_NOT_FOUND"),
    admin_row("reset link for an unknown email address", "sendProjectOobCode", {
        "requestType": "PASSWORD_RESET", "email": NEW_EMAIL, "returnOobLink": True}, "EMAIL_NOT_FOUND"),
    admin_row("recovery link for a backend", "sendProjectOobCode", {
        "requestType": "RECOVER_EMAIL", "email": EMAIL, "returnOobLink": True}, "INVALID_REQ_TYPE"),

    Row("purpose of a verification code", "resetPassword", {"oobCode": VERIFY_CODE}),
    Row("purpose of a sign-in code", "resetPassword", {"oobCode": LINK_CODE}),
    Row("new password", "resetPassword", {"oobCode": RESET_CODE, "newPassword": "staple battery horse"}),
    Row("short password", "resetPassword", {"oobCode": RESET_CODE, "newPassword": "short"}, "WEAK_PASSWORD"),
    Row("code of another purpose", "resetPassword", {
        "oobCode": VERIFY_CODE, "newPassword": "staple battery horse"}, "INVALID_OOB_CODE"),
    Row("missing code", "resetPassword", {}, "MISSING_OOB_CODE"),
    Row("invalid code", "resetPassword", {"oobCode": "nonsense"}, "INVALID_OOB_CODE"),
    Row("old password instead of a code", "resetPassword", {"oldPassword": PASSWORD}, "NOT_IMPLEMENTED", 501),
    Row("email address verified by a code", "updateOwnAccount", {"oobCode": VERIFY_CODE}),
    Row("email address changed by a code", "updateOwnAccount", {"oobCode": CHANGE_CODE}),
    Row("invalid code", "updateOwnAccount", {"oobCode": "nonsense"}, "INVALID_OOB_CODE"),
    Row("sign-in to an existing account", "signInWithEmailLink", {"email": EMAIL, "oobCode": LINK_CODE}),
    Row("sign-in to a new account", "signInWithEmailLink", {"email": NEW_LINK_EMAIL, "oobCode": NEW_LINK_CODE}),
    Row("link adds the email address to an account", "signInWithEmailLink", {
        "email": NEW_LINK_EMAIL, "oobCode": NEW_LINK_CODE, "idToken": ANONYMOUS_ID_TOKEN}),
    Row("link with the email address of another account", "signInWithEmailLink", {
        "email": EMAIL, "oobCode": LINK_CODE, "idToken": ANONYMOUS_ID_TOKEN}, "EMAIL_EXISTS"),
    Row("email address that the code does not belong to", "signInWithEmailLink",
        {"email": NEW_EMAIL, "oobCode": LINK_CODE},
        "INVALID_EMAIL"),
    Row("missing email address", "signInWithEmailLink", {"oobCode": LINK_CODE}, "MISSING_EMAIL"),
    Row("missing code", "signInWithEmailLink", {"email": EMAIL}, "MISSING_OOB_CODE"),
    Row("invalid code", "signInWithEmailLink", {"email": EMAIL, "oobCode": "nonsense"}, "INVALID_OOB_CODE"),

    Row("one of two identities", "unlinkOwnProvider",
        {"idToken": FEDERATED_ID_TOKEN, "deleteProvider": ["google.com"]}),
    Row("the last identities with confirmation", "unlinkOwnProvider", {
        "idToken": FEDERATED_ID_TOKEN, "deleteProvider": ["google.com", "apple.com"], "allowNoSignInMethod": True}),
    Row("URL of the sign-in page", "createSignInUri", SIGN_IN_URI),
    Row("URL for a link", "createSignInUri", SIGN_IN_URI | {"operation": "LINK", "idToken": FEDERATED_ID_TOKEN}),
    Row("link without ID token", "createSignInUri", SIGN_IN_URI | {"operation": "LINK"}, "MISSING_ID_TOKEN"),
    Row("missing continueUri", "createSignInUri", SIGN_IN_URI | {"continueUri": ""}, "MISSING_CONTINUE_URI"),
    Row("missing state", "createSignInUri", SIGN_IN_URI | {"state": ""}, "INVALID_ARGUMENT"),
    Row("missing ID token", "unlinkOwnProvider", {"deleteProvider": ["google.com"]}, "MISSING_ID_TOKEN"),
    Row("missing provider", "unlinkOwnProvider", {"idToken": FEDERATED_ID_TOKEN}, "MISSING_PROVIDER_ID"),
    Row("own Apple identity", "getOwnCredentialState", {"idToken": FEDERATED_ID_TOKEN}),
    Row("no Apple identity", "getOwnCredentialState", {"idToken": ID_TOKEN}),
    Row("missing ID token", "getOwnCredentialState", {}, "MISSING_ID_TOKEN"),
    Row("access token", "revokeToken", revocation_request("ACCESS_TOKEN", FEDERATED_ID_TOKEN)),
    Row("unknown code", "revokeToken", revocation_request("CODE", FEDERATED_ID_TOKEN), "INVALID_IDP_RESPONSE"),
    Row("account without Apple", "revokeToken", revocation_request("CODE", ID_TOKEN), "INVALID_PROVIDER_ID"),
    Row("missing ID token", "revokeToken", revocation_request("CODE", None), "MISSING_ID_TOKEN"),
    Row("genuine notification", "receiveAppleNotification", {"payload": NOTIFICATION}),
    Row("forged notification", "receiveAppleNotification", {"payload": "e30.e30.e30"}, "INVALID_IDP_RESPONSE"),
    Row("missing payload", "receiveAppleNotification", {}, "INVALID_ARGUMENT"),
    Row("forged token", "receiveGoogleSecurityEvent", status=400, options={
        "data": "e30.e30.e30", "headers": {"Content-Type": "application/secevent+jwt"}}),
    Row("forged notification", "receiveAppStoreNotification", {"signedPayload": "e30.e30.e30"}, "INVALID_IDP_RESPONSE"),
    Row("missing payload", "receiveAppStoreNotification", {}, "INVALID_ARGUMENT"),
    Row("forged transaction", "setAppTransaction", {"idToken": ID_TOKEN, "signedAppTransaction": "e30.e30.e30"},
        "INVALID_IDP_RESPONSE"),
    Row("missing transaction", "setAppTransaction", {"idToken": ID_TOKEN}, "INVALID_ARGUMENT"),
    Row("missing ID token", "setAppTransaction", {"signedAppTransaction": "e30.e30.e30"}, "MISSING_ID_TOKEN"),
    Row("genuine notification", "receiveProjectAppleNotification", {"payload": NOTIFICATION}),
    Row("forged notification", "receiveProjectAppleNotification", {"payload": "e30.e30.e30"}, "INVALID_IDP_RESPONSE"),
    Row("own sessions", "listSessions", {"idToken": ID_TOKEN}),
    Row("first page of own sessions", "listSessions", {"idToken": ID_TOKEN, "pageSize": 1}),
    Row("invalid page token", "listSessions", {"idToken": ID_TOKEN, "pageToken": "x"}, "INVALID_PAGE_SELECTION"),
    Row("missing ID token", "listSessions", {}, "MISSING_ID_TOKEN"),
    Row("invalid ID token", "listSessions", {"idToken": "a.b.c"}, "INVALID_ID_TOKEN"),
    Row("own account", "exportAccount", {"idToken": ID_TOKEN}),
    Row("account with Apple and Google", "exportAccount", {"idToken": FEDERATED_ID_TOKEN}),
    Row("missing ID token", "exportAccount", {}, "MISSING_ID_TOKEN"),
    Row("invalid ID token", "exportAccount", {"idToken": "a.b.c"}, "INVALID_ID_TOKEN"),
    Row("session by its ID", "revokeSession", {"idToken": ID_TOKEN, "sessionId": SESSION_ID}, status=204),
    Row("session of the ID token", "revokeSession", {"idToken": ID_TOKEN, "sessionId": "current"}, status=204),
    Row("all sessions", "revokeSession", {"idToken": ID_TOKEN, "everywhere": True}, status=204),
    Row("missing session ID", "revokeSession", {"idToken": ID_TOKEN}, "MISSING_SESSION_ID"),
    Row("session of another account", "revokeSession", {"idToken": ANONYMOUS_ID_TOKEN, "sessionId": SESSION_ID},
        "SESSION_NOT_FOUND"),
    Row("one session and all sessions", "revokeSession", {
        "idToken": ID_TOKEN, "sessionId": SESSION_ID, "everywhere": True}, "INVALID_ARGUMENT"),
    Row("missing ID token", "revokeSession", {"everywhere": True}, "MISSING_ID_TOKEN"),
    Row("dry run", "mergeOwnAccounts", credential_request("apple.com", KNOWN_PERSON_TOKEN) | {
        "idToken": ANONYMOUS_ID_TOKEN, "dryRun": True}),
    Row("dry run with an ID token of the target", "mergeOwnAccounts", {
        "idToken": ANONYMOUS_ID_TOKEN, "targetIdToken": ID_TOKEN, "dryRun": True}),
    Row("merge with a merge token", "mergeOwnAccounts", {"idToken": ID_TOKEN, "mergeToken": MERGE_TOKEN}),
    Row("missing merge token", "mergeOwnAccounts",
        credential_request("apple.com", KNOWN_PERSON_TOKEN) | {"idToken": ID_TOKEN}, "MISSING_MERGE_TOKEN"),
    Row("missing ID token", "mergeOwnAccounts", {"dryRun": True}, "MISSING_ID_TOKEN"),
    Row("dry run with an identity without an account", "mergeOwnAccounts",
        credential_request("apple.com", APPLE_TOKEN) | {"idToken": ID_TOKEN, "dryRun": True},
        "USER_NOT_FOUND"),
    Row("invalid merge token", "mergeOwnAccounts", {"idToken": ID_TOKEN, "mergeToken": "x"}, "INVALID_PENDING_TOKEN"),
    Row("unsigned custom token, which dev accepts", "signInWithCustomToken",
        {"token": '{"uid":"custom-ada"}', "returnSecureToken": True}),
    Row("missing custom token", "signInWithCustomToken", {}, "MISSING_CUSTOM_TOKEN"),
    Row("custom token without a user ID", "signInWithCustomToken", {"token": "{}"}, "MISSING_IDENTIFIER"),
    admin_row("session cookie", "createSessionCookie", {"idToken": ID_TOKEN, "validDuration": "3600"}),
    admin_row("too short lifetime", "createSessionCookie",
        {"idToken": ID_TOKEN, "validDuration": 1}, "INVALID_DURATION"),
    admin_row("active session", "lookUpSession", {"sessionId": SESSION_ID}),
    admin_row("unknown session", "lookUpSession", {"sessionId": "unknown"}),
    admin_row("missing session ID", "lookUpSession", {}, "MISSING_SESSION_ID"),
    Row("public keys of session cookies", "getSessionCookiePublicKeys"),
    admin_row("project", "initializeAuth"),
    admin_row("configuration of the project", "getProjectConfig"),
    admin_row("email enumeration protection disabled", "updateProjectConfig",
        {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}},
          params={"updateMask": "emailPrivacyConfig.enableImprovedEmailPrivacy"}),
    admin_row("subject of an email template changed", "updateProjectConfig",
          {"notification": {"sendEmail": {"resetPasswordTemplate": {"subject": "Reset"}}}},
          params={"updateMask": "notification.sendEmail.resetPasswordTemplate.subject"}),
    admin_row("colour of the brand changed", "updateProjectConfig", {"brand": {"color": "#1d4ea8"}},
          params={"updateMask": "brand"}),
    admin_row("brand with an invalid link", "updateProjectConfig", {"brand": {"termsUrl": "terms"}},
          "INVALID_ARGUMENT", params={"updateMask": "brand"}),
    admin_row("heading of the sign-in page replaced", "updateProjectConfig",
          {"texts": [{"key": "signInTitle", "language": "de", "text": "Willkommen bei {app}"}]},
          params={"updateMask": "texts"}),
    admin_row("text with a link", "updateProjectConfig",
          {"texts": [{"key": "signInHelp", "language": "en", "text": "Go to example.com"}]}, "INVALID_ARGUMENT",
          params={"updateMask": "texts"}),
    admin_row("action URL on an unauthorized domain", "updateProjectConfig",
          {"notification": {"sendEmail": {"callbackUri": "https://evil.example/"}}}, "INVALID_CONFIG",
          params={"updateMask": "notification.sendEmail.callbackUri"}),
    admin_row("first page of providers", "listDefaultSupportedIdpConfigs", params={"pageSize": "1"}),
    admin_row("invalid page token", "listDefaultSupportedIdpConfigs", None, "INVALID_PAGE_SELECTION",
        params={"pageToken": "a b"}),
    admin_row("provider that exists", "createDefaultSupportedIdpConfig", {}, "CONFIGURATION_EXISTS", 409,
        params={"idpId": "google.com"}),
    admin_row("unknown provider", "createDefaultSupportedIdpConfig",
        {}, "INVALID_PROVIDER_ID", params={"idpId": "a.com"}),
    admin_row("configuration of Apple", "getDefaultSupportedIdpConfig", path=idp_path("apple.com")),
    admin_row("unknown provider", "getDefaultSupportedIdpConfig",
        None, "CONFIGURATION_NOT_FOUND", 404, path=idp_path("a.com")),
    admin_row("Google enabled with a client secret", "updateDefaultSupportedIdpConfig",
        {"enabled": True, "clientSecret": "secret"}, path=idp_path("google.com"),
          params={"updateMask": "enabled,clientSecret"}),
    admin_row("Google without client IDs", "updateDefaultSupportedIdpConfig", {"clientIds": []}, "INVALID_CONFIG",
          path=idp_path("google.com"), params={"updateMask": "clientIds"}),
    admin_row("Apple while Google is enabled", "deleteDefaultSupportedIdpConfig", None, "LOGIN_SERVICES_4_8", 409,
        path=idp_path("apple.com")),
    admin_row("all providers", "listOauthIdpConfigs"),
    admin_row("new provider", "createOauthIdpConfig", CORP_PROVIDER, params={"oauthIdpConfigId": NEW_PROVIDER}),
    admin_row("invalid provider ID", "createOauthIdpConfig", CORP_PROVIDER, "INVALID_PROVIDER_ID",
        params={"oauthIdpConfigId": "oidc.A"}),
    admin_row("missing provider ID", "createOauthIdpConfig", CORP_PROVIDER, "MISSING_PROVIDER_ID"),
    admin_row("existing provider", "getOauthIdpConfig", path=idp_path(PROVIDER)),
    admin_row("provider enabled", "updateOauthIdpConfig", {"enabled": True}, path=idp_path(PROVIDER),
        params={"updateMask": "enabled"}),
    admin_row("invalid issuer", "updateOauthIdpConfig",
        {"issuer": "invalid"}, "INVALID_CONFIG", path=idp_path(PROVIDER),
          params={"updateMask": "issuer"}),
    admin_row("existing provider", "deleteOauthIdpConfig", path=idp_path(PROVIDER)),
    admin_row("all apps", "listApps"),
    admin_row("new app", "createApp", {"appId": NEW_LOCAL_ID, "platform": "ios", "bundleIds": ["com.example.app"]}),
    admin_row("invalid app ID", "createApp", {"appId": "A"}, "INVALID_ARGUMENT"),
    admin_row("existing app ID", "createApp", {"appId": "default"}, "CONFIGURATION_EXISTS", 409),
    admin_row("existing app", "getApp", path={"appId": APP}),
    admin_row("existing app", "getAppReview", path={"appId": APP}),
    admin_row("unknown app", "getAppReview", None, "CONFIGURATION_NOT_FOUND", 404, path={"appId": "missing"}),
    admin_row("exemption declared", "updateApp",
          {"signInMethods": ["google.com"], "exemption": {"kind": "thirdPartyClient", "reason": "because"}},
          path={"appId": APP}),
    admin_row("brand of an app changed", "updateApp",
          {"brand": {"name": "Acme", "privacyUrl": "https://acme.example/privacy",
                     "termsUrl": "https://acme.example/terms", "supportUrl": "mailto:help@acme.example"}},
          path={"appId": APP}, params={"updateMask": "brand"}),
    admin_row("Google without Apple", "updateApp", {"signInMethods": ["google.com"]}, "LOGIN_SERVICES_4_8", 409,
        path={"appId": APP}),
    admin_row("image for a brand", "createBrandImage", {"content": PNG}),
    admin_row("email with a text that is not stored", "previewTexts",
          {"subject": "signInEmail", "language": "de",
           "texts": [{"key": "signInEmailButton", "language": "de", "text": "Los"}]}),
    admin_row("page in an unknown language", "previewTexts", {"subject": "signInPage", "language": "tlh"},
              "INVALID_ARGUMENT"),
    admin_row("no image", "createBrandImage", {"content": "PHN2Zy8+"}, "INVALID_ARGUMENT"),
    Row("image that no brand names", "getBrandImage", None, "NOT_FOUND", 404, {"path": {"image": "0" * 64}}),
    Row("image of a brand", "getBrandImage", options={"path": {"image": BRAND_IMAGE}}),
    admin_row("existing app", "deleteApp", status=204, path={"appId": APP}),
    admin_row("unknown app", "deleteApp", None, "CONFIGURATION_NOT_FOUND", 404, path={"appId": "unknown"}),
    admin_row("first page of tenants", "listTenants", params={"pageSize": "2"}),
    admin_row("invalid page token", "listTenants", None, "INVALID_PAGE_SELECTION", params={"pageToken": "a b"}),
    admin_row("new tenant", "createTenant", {"displayName": "Acme", "allowPasswordSignup": True}),
    admin_row("second factors disabled", "createTenant", {"mfaConfig": {"state": "DISABLED"}}),
    admin_row("tenant with rules of its own", "createTenant", {
        "client": {"permissions": {"disabledUserSignup": True}}, "autodeleteAnonymousUsers": True,
        "emailPrivacyConfig": {"enableImprovedEmailPrivacy": True},
        "passwordPolicyConfig": {"passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": True}}),
    admin_row("API key instead of a service key", "createTenant",
        {}, "INSUFFICIENT_PERMISSION", api_key="any", headers={}),
    tenant_row("existing tenant", "getTenant"),
    tenant_row("unknown tenant", "getTenant", None, "TENANT_NOT_FOUND", 404, path={"tenant": "a b"}),
    tenant_row("tenant renamed", "updateTenant", {"displayName": "Zen"}, params={"updateMask": "displayName"}),
    tenant_row("unknown tenant", "updateTenant", {}, "TENANT_NOT_FOUND", 404, path={"tenant": "a b"}),
    tenant_row("existing tenant", "deleteTenant"),
    tenant_row("unknown tenant", "deleteTenant", None, "TENANT_NOT_FOUND", 404, path={"tenant": "a b"}),
    tenant_row("new account", "createAccountInTenant", {"email": NEW_EMAIL}),
    tenant_row("unknown tenant", "createAccountInTenant", {}, "TENANT_NOT_FOUND", 404, path={"tenant": "a b"}),
    tenant_row("another tenant in the body", "createAccountInTenant", {"tenantId": "other"}, "TENANT_ID_MISMATCH"),
    tenant_row("sign-in link", "sendProjectOobCodeInTenant", {
        "requestType": "EMAIL_SIGNIN", "email": NEW_EMAIL, "returnOobLink": True}),
    tenant_row("account of the tenant", "lookUpAccountsInTenant", {"localId": [TENANT_LOCAL_ID]}),
    tenant_row("account of the project, not found and no error", "lookUpAccountsInTenant", {"localId": [LOCAL_ID]}),
    tenant_row("custom claims", "updateAccountInTenant",
        {"localId": TENANT_LOCAL_ID, "customAttributes": '{"role":"editor"}'}),
    tenant_row("account of the tenant", "deleteAccountInTenant", {"localId": TENANT_LOCAL_ID}),
    tenant_row("account of the project", "deleteAccountInTenant", {"localId": LOCAL_ID}, "USER_NOT_FOUND"),
    tenant_row("accounts imported", "batchCreateAccountsInTenant", {"users": [{"localId": NEW_LOCAL_ID}]}),
    tenant_row("accounts deleted", "batchDeleteAccountsInTenant", {"localIds": [TENANT_LOCAL_ID], "force": True}),
    tenant_row("first page of accounts", "batchGetAccountsInTenant", params={"maxResults": "1"}),
    tenant_row("accounts sorted by name", "queryAccountsInTenant", {"sortBy": "NAME"}),
    tenant_row("session cookie", "createSessionCookieInTenant", {"idToken": TENANT_ID_TOKEN, "validDuration": "3600"}),
    tenant_row("ID token of the project", "createSessionCookieInTenant", {"idToken": ID_TOKEN}, "TENANT_ID_MISMATCH"),
    tenant_row("all providers", "listDefaultSupportedIdpConfigsInTenant"),
    tenant_row("configuration of Apple", "createDefaultSupportedIdpConfigInTenant", {"clientId": "com.example"},
           params={"idpId": "apple.com"}),
    tenant_row("configuration of Google", "getDefaultSupportedIdpConfigInTenant", path=idp_path("google.com")),
    tenant_row("Google without Apple", "updateDefaultSupportedIdpConfigInTenant",
        {"enabled": True}, "LOGIN_SERVICES_4_8",
           409, path=idp_path("google.com"), params={"updateMask": "enabled"}),
    tenant_row("new client ID", "updateDefaultSupportedIdpConfigInTenant",
        {"clientId": "d"}, path=idp_path("google.com")),
    tenant_row("configuration of Google", "deleteDefaultSupportedIdpConfigInTenant", path=idp_path("google.com")),
    tenant_row("all providers", "listOauthIdpConfigsInTenant"),
    tenant_row("new provider", "createOauthIdpConfigInTenant",
        CORP_PROVIDER, params={"oauthIdpConfigId": NEW_PROVIDER}),
    tenant_row("existing provider", "getOauthIdpConfigInTenant", path=idp_path(TENANT_PROVIDER)),
    tenant_row("provider renamed", "updateOauthIdpConfigInTenant",
        {"displayName": "Corp"}, path=idp_path(TENANT_PROVIDER),
           params={"updateMask": "displayName"}),
    tenant_row("existing provider", "deleteOauthIdpConfigInTenant", path=idp_path(TENANT_PROVIDER)),
    Row("account of a tenant", "signUp", {"email": NEW_EMAIL, "password": PASSWORD, "tenantId": TENANT}),
    Row("invalid tenant ID", "signUp", {"email": NEW_EMAIL, "password": PASSWORD, "tenantId": "a b"},
        "INVALID_TENANT_ID"),
    Row("token of a tenant", "lookUpOwnAccount", {"idToken": TENANT_ID_TOKEN}),
    Row("token of the project with a tenant ID", "lookUpOwnAccount", {"idToken": ID_TOKEN, "tenantId": TENANT},
        "TENANT_ID_MISMATCH"),
    Row("policy of a tenant", "getPasswordPolicy", options={"params": {"tenantId": TENANT}}),
    Row("tenant ID in the query", "getProject",
        None, "UNSUPPORTED_TENANT_OPERATION", options={"params": {"tenantId": TENANT}}),
    admin_row("first page of events", "listAuditEvents", params={"pageSize": "2", "actor": "key:owner"}),
    admin_row("invalid page token", "listAuditEvents", None, "INVALID_PAGE_SELECTION", params={"pageToken": "a b"}),
    admin_row("invalid time", "listAuditEvents", None, "INVALID_ARGUMENT", params={"since": "yesterday"}),
    admin_row("last day", "listCounts", params={"kinds": "signUps,signIns"}),
    admin_row("unknown range", "listCounts", None, "INVALID_ARGUMENT", params={"timeRange": "LAST_WEEK"}),
    admin_row("new account", "createAccount", {"email": NEW_EMAIL, "password": PASSWORD, "emailVerified": True}),
    admin_row("email address in use", "createAccount", {"email": EMAIL}, "EMAIL_EXISTS"),
    admin_row("accounts by email address and ID", "lookUpAccounts",
        {"email": [EMAIL], "localId": [LOCAL_ID, "unknown"]}),
    admin_row("custom claims", "updateAccount", {"localId": LOCAL_ID, "customAttributes": '{"role":"editor"}'}),
    admin_row("reserved claim", "updateAccount", {"localId": LOCAL_ID, "customAttributes": '{"sub":"x"}'},
        "FORBIDDEN_CLAIM"),
    admin_row("unknown account", "updateAccount", {"localId": "unknown"}, "USER_NOT_FOUND"),
    admin_row("existing account", "deleteAccount", {"localId": LOCAL_ID}),
    admin_row("unknown account", "deleteAccount", {"localId": "unknown"}, "USER_NOT_FOUND"),
    admin_row("accounts imported", "batchCreateAccounts", {"users": [{"localId": NEW_LOCAL_ID, "email": NEW_EMAIL}]}),
    admin_row("accounts with Firebase password hashes", "batchCreateAccounts", {
        "hashAlgorithm": "SCRYPT", "signerKey": "A" * 86 + "==", "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14,
        "users": [{"localId": NEW_LOCAL_ID, "passwordHash": "A" * 86 + "==", "salt": "AAAA"}]}),
    admin_row("missing signer key", "batchCreateAccounts", {
        "hashAlgorithm": "SCRYPT", "rounds": 8, "memoryCost": 14, "users": [{"localId": NEW_LOCAL_ID}]},
        "EMPTY_HASH_KEY"),
    admin_row("too many rounds", "batchCreateAccounts", {
        "hashAlgorithm": "SCRYPT", "signerKey": "A" * 86 + "==", "rounds": 9, "memoryCost": 14,
        "users": [{"localId": NEW_LOCAL_ID}]}, "INVALID_HASH_ROUNDS"),
    admin_row("Argon2d hashes", "batchCreateAccounts", {
        "hashAlgorithm": "ARGON2", "argon2Parameters": {"hashType": "ARGON2_D"}, "users": [{"localId": NEW_LOCAL_ID}]},
        "NOT_IMPLEMENTED", 501),
    admin_row("no accounts", "batchCreateAccounts", {"users": []}, "MISSING_USER_ACCOUNT"),
    admin_row("unknown account with `force`", "batchDeleteAccounts", {"localIds": ["unknown"], "force": True}),
    admin_row("no accounts", "batchDeleteAccounts", {"localIds": []}, "LOCAL_ID_LIST_EXCEEDS_LIMIT"),
    admin_row("first page of accounts", "batchGetAccounts", params={"maxResults": "2"}),
    admin_row("number of accounts", "queryAccounts", {"returnUserInfo": False}),
    admin_row("first page of accounts", "queryProjectAccounts", {"limit": "2"}),
    admin_row("account by email address", "queryAccounts", {"expression": [{"email": EMAIL}]}),
    admin_row("newest accounts", "queryProjectAccounts", {"sortBy": "CREATED_AT", "order": "DESC", "limit": "2"}),
    admin_row("invalid sort order", "queryAccounts", {"sortBy": "AGE"}, "INVALID_ARGUMENT"),
    admin_row("accounts by prefix", "searchAccounts", params={"q": "a", "maxResults": "2"}),
    admin_row("account by email address", "searchAccounts", params={"q": EMAIL}),
    admin_row("accounts by real user status", "searchAccounts", params={"realUserStatus": "LIKELY_REAL"}),
    admin_row("newest guests", "searchAccounts", params={"filter": "GUEST", "sortBy": "CREATED_AT", "order": "DESC"}),
    admin_row("accounts by name", "searchAccounts", params={"sortBy": "NAME", "maxResults": "2"}),
    admin_row("order without an index", "searchAccounts", None, "INVALID_ARGUMENT",
              params={"filter": "RELAY_STOPPED", "sortBy": "NAME"}),
    admin_row("invalid page token", "searchAccounts", None, "INVALID_PAGE_SELECTION",
          params={"q": "a", "nextPageToken": "a" * 129}),
    admin_row("identities of an account", "listIdentities", **account_path(FEDERATED_LOCAL_ID)),
    admin_row("unknown account", "listIdentities", None, "USER_NOT_FOUND", **account_path("unknown")),
    admin_row("new identity", "linkIdentity", {"providerId": "oidc.corp", "rawId": NEW_LOCAL_ID, "email": NEW_EMAIL,
                                     "emailVerified": True}, **account_path(LOCAL_ID)),
    admin_row("second identity of a provider", "linkIdentity", {"providerId": "google.com", "rawId": NEW_LOCAL_ID},
          "PROVIDER_ALREADY_LINKED", **account_path(FEDERATED_LOCAL_ID)),
    admin_row("missing provider", "linkIdentity", {"rawId": "x"}, "MISSING_PROVIDER_ID", **account_path(LOCAL_ID)),
    admin_row("existing account", "getCredentialState", {"localId": FEDERATED_LOCAL_ID}),
    admin_row("unknown account", "getCredentialState", {"localId": "unknown"}, "USER_NOT_FOUND"),
    admin_row("existing identity", "unlinkIdentity", status=204, **account_path(FEDERATED_LOCAL_ID, "google.com")),
    admin_row("identity that is not linked", "unlinkIdentity", None, "IDENTITY_NOT_FOUND",
          **account_path(LOCAL_ID, "google.com")),
    admin_row("identity moved to another account", "moveIdentity", {"targetLocalId": LOCAL_ID},
        **account_path(FEDERATED_LOCAL_ID, "google.com")),
    admin_row("unknown target account", "moveIdentity", {"targetLocalId": "unknown"}, "USER_NOT_FOUND",
          **account_path(FEDERATED_LOCAL_ID, "google.com")),
    admin_row("dry run", "mergeAccounts", {
        "sourceLocalId": FEDERATED_LOCAL_ID, "localId": LOCAL_ID, "dryRun": True}),
    admin_row("merge with a merge token", "mergeAccounts", {"mergeToken": ADMIN_MERGE_TOKEN}),
    admin_row("source equals target", "mergeAccounts", {"sourceLocalId": LOCAL_ID, "localId": LOCAL_ID, "dryRun": True},
          "MERGE_SAME_ACCOUNT"),
    admin_row("account that was merged", "undoMerge", {"sourceLocalId": MERGED_LOCAL_ID}),
    admin_row("account that was not merged", "undoMerge", {"sourceLocalId": "unknown"}, "MERGE_NOT_FOUND"),
    Row("API key instead of a service key", "batchGetAccounts", None, "INSUFFICIENT_PERMISSION"),
    Row("no credential", "batchGetAccounts", None, "PERMISSION_DENIED", 403, {"api_key": None}),
    Row("start of a sign-in in a popup", "getAuthHandler",
        status=303, options={"params": HANDLER_QUERY, "allow_redirects": False}),
    Row("forged state", "getAuthHandler", status=400, options={"params": {"state": "nonsense", "code": "c"}}),
    Row("unknown provider", "getAuthHandler",
        status=400, options={"params": HANDLER_QUERY | {"providerId": "oidc.none"}}),
    Row("forged state", "getProviderAuthHandler", status=400,
        options={"path": {"providerId": "oidc.corp"}, "params": {"state": "nonsense", "code": "c"}}),
    Row("forged state", "getTenantProviderAuthHandler", status=400, options={
        "path": {"providerId": "oidc.corp", "tenant": "acme-x7f2"}, "params": {"state": "nonsense", "code": "c"}}),
    page_row("forged state", "postAuthHandler", 400, state="nonsense", code="c"),
    Row("start of a sign-in in a popup", "getEmulatorAuthHandler",
        status=303, options={"params": HANDLER_QUERY, "allow_redirects": False}),
    Row("no provider", "getEmulatorAuthHandler", status=400, options={"params": {"apiKey": "any"}}),
    Row("frame of the SDK", "getAuthFrame", options={"params": {"apiKey": "any", "appName": "[DEFAULT]"}}),
    Row("no API key", "getAuthFrame", status=400),
    Row("frame of the SDK", "getEmulatorAuthFrame", options={"params": {"apiKey": "any", "appName": "[DEFAULT]"}}),
    Row("valid code", "getActionPage", options={"params": {"oobCode": VERIFY_CODE, "mode": "verifyEmail"}}),
    Row("invalid code", "getActionPage", status=400, options={"params": {"oobCode": "nonsense"}}),
    page_row("email address verified", "postActionPage", oobCode=VERIFY_CODE),
    page_row("email address disavowed", "postActionPage", oobCode=VERIFY_CODE, step="disavow"),
    page_row("new password", "postActionPage", oobCode=RESET_CODE, newPassword="staple battery horse"),
    page_row("short password", "postActionPage", 400, oobCode=RESET_CODE, newPassword="short"),
    page_row("invalid code", "postActionPage", 400, oobCode="nonsense"),
    Row("default project", "getForgotPasswordPage"),
    Row("named project", "getProjectForgotPasswordPage"),
    page_row("known email address", "postForgotPasswordPage", email=EMAIL),
    page_row("known email address of a named project", "postProjectForgotPasswordPage", email=EMAIL),
    page_row("unknown email address", "postProjectForgotPasswordPage", email=NEW_EMAIL),
    page_row("invalid email address", "postForgotPasswordPage", 400, email="ada"),
    Row("page of an app", "getSignInPage", options={"params": SIGN_IN_PAGE}),
    Row("missing state", "getSignInPage", status=303, options={
        "allow_redirects": False, "params": SIGN_IN_PAGE | {"state": ""}}),
    Row("unknown app", "getSignInPage", status=400, options={"params": SIGN_IN_PAGE | {"app": "unknown"}}),
    page_row("no flow", "postSignInPage", 400, flow="nonsense", formToken="nonsense", step="signIn"),
    Row("no flow", "openSignInProvider", status=400, options={"params": {"providerId": "apple.com"}}),
    Row("no session of the browser", "getAccountPage", status=303, options={"allow_redirects": False}),
    Row("no session of the browser", "getAccountPart", status=303, options={
        "path": {"part": "methods"}, "allow_redirects": False}),
    Row("public page about deletion", "getAccountPart", options={"path": {"part": "delete"}}),
    Row("no session of the browser", "postAccountPart", status=303, options={
        "path": {"part": "delete"}, "allow_redirects": False, "data": {"formToken": "nonsense"}}),
    Row("default project", "redirectToAccountPage", status=303, options={"allow_redirects": False}),
    Row("no session of the browser", "getSignOutPage"),
    Row("no session of the browser", "postSignOutPage", status=303, options={
        "allow_redirects": False, "data": {"formToken": "nonsense"}}),
    Row("default project", "getChangePassword", status=303, options={"allow_redirects": False}),
    Row("named project", "getProjectChangePassword", status=303,
        options={"allow_redirects": False}),
    Row("discovery of the default project", "getOpenIdConfiguration"),
    Row("texts in Japanese", "getErrorTexts", options={"params": {"hl": "ja"}}),
    Row("repeated parameter", "getErrorTexts", None, "INVALID_ARGUMENT", 400, {"params": {"hl": ["ja", "en"]}}),
    Row("keys of the default project", "getJwks"),
    Row("no associated app", "getAppleAppSiteAssociation"),
    Row("no associated app", "getAssetLinks"),
    Row("no configured file", "getAppleDomainAssociation", None, "NOT_FOUND", 404),
    Row("no RP ID", "getRelatedOrigins", None, "NOT_FOUND", 404),
    Row("no RP ID", "getPasskeyEndpoints", None, "NOT_FOUND", 404),
    Row("link to an app, opened in a browser", "openAppLink", status=303, options={
        "allow_redirects": False, "params": {"mode": "signIn", "oobCode": "code"}}),
    Row("discovery of a named project", "getProjectOpenIdConfiguration"),
    Row("keys of a named project", "getProjectJwks"),
    Row("signing certificates", "getSigningCertificates"),
    Row("signing certificates of a named project", "getProjectSigningCertificates"),
    Row("signing keys", "getSigningKeys"),
    Row("reference page", "getReference"),
    Row("contract as YAML", "getOpenApiYaml"),
    Row("contract as JSON", "getOpenApiJson"),
    Row("liveness", "getHealth"),
    Row("readiness", "getReadiness"),
    Row("metrics", "getMetrics"),
]


def filled_in(value, values):
    """A copy of `value` with the values of its placeholders."""
    match value:
        case dict():
            return {name: filled_in(inner, values) for name, inner in value.items()}
        case list():
            return [filled_in(inner, values) for inner in value]
        case object() if type(value) is object:
            return values[value]()
        case _:
            return value


def fresh_provider():
    return f"oidc.{secrets.token_hex(8)}"


def brand_image(client):
    """Stores an image, sets it as the icon of a new app, and returns its ID."""
    image = ok_body(client.call("createBrandImage", {"content": PNG}, api_key=None, headers=ADMIN_HEADERS))["imageId"]
    create(client, "createApp", {"appId": "a" + secrets.token_hex(4), "brand": {"favicon": image}})
    return image


def create(client, operation, json, **options):
    """Creates a resource and returns its ID."""
    created = ok_body(client.call(operation, json, api_key=None, headers=ADMIN_HEADERS, **options))
    return created.get("appId") or created["name"].split("/")[-1]


def token_of_known_person(simulators, client):
    """Apple's token for a person who has an account."""
    person = fresh_person()
    sign_in_with_idp(client, simulators.sign_in("apple.com", person))
    return simulators.sign_in("apple.com", person)["idToken"]


def federated_session(simulators, client):
    """A session of a new account with identities of Apple and Google."""
    person = fresh_person()
    session = sign_in_with_idp(client, simulators.sign_in("apple.com", person))
    return sign_in_with_idp(client, simulators.sign_in_with_google(person), idToken=session["idToken"])


def sign_in_with_idp(client, proof, **more):
    response = client.call("signInWithIdp", idp_sign_in_body(proof, **more))
    assert "idToken" in response.body, response.body
    return response.body


def client_merge_token(client, id_token, apple_token):
    """The merge token of a client's dry run."""
    body = {"idToken": id_token, "dryRun": True} | credential_request("apple.com", apple_token)
    return client.call("mergeOwnAccounts", body).body["mergeToken"]


def backend_merge_token(client, source, target):
    """The merge token of a backend's dry run."""
    body = {"sourceLocalId": source, "localId": target, "dryRun": True}
    return as_admin(client, "mergeAccounts", body)["mergeToken"]


def merge_accounts(client, source, target):
    """Merges the account `source` into `target`, and returns the ID of `source`."""
    body = {"mergeToken": backend_merge_token(client, source, target)}
    return as_admin(client, "mergeAccounts", body)["sourceLocalId"]


def as_admin(client, operation, json):
    """Sends a request of an administrator, and returns the body of the response, which must be a success."""
    return ok_body(client.call(operation, json, api_key=None, headers=ADMIN_HEADERS))


def create_code(client, request_type, email, **more):
    """Creates an action code for `email`, and returns it."""
    return client.create_action_code(request_type, email, **more)["oobCode"]


def own_session(client, id_token):
    """The only session of an account."""
    [session] = client.call("listSessions", {"idToken": id_token}).body["sessions"]
    return session


def tenant_with_providers(client):
    """Creates a tenant with two disabled providers, and returns its ID."""
    tenant = as_admin(client, "createTenant", {
        "displayName": "Acme", "allowPasswordSignup": True, "enableEmailLinkSignin": True, "enableAnonymousUser": True})
    path = {"tenant": tenant["tenantId"]}
    google = {"idpId": "google.com"}
    create(client, "createDefaultSupportedIdpConfigInTenant", {"clientId": "c"}, path=path, params=google)
    create(client, "createOauthIdpConfigInTenant", CORP_PROVIDER, path=path, params={"oauthIdpConfigId": "oidc.corp"})
    return path["tenant"]


def verified_session(client):
    account = client.new_account()
    ok_body(client.call("updateOwnAccount", {"oobCode": create_code(client, "VERIFY_EMAIL", account["email"])}))
    return account


def placeholder_values(client):
    """Maps each placeholder to a function that returns its value. Cached functions let placeholders share accounts."""
    account = cache(client.new_account)
    tenant_id = cache(lambda: tenant_with_providers(client))
    tenant_account = cache(lambda: client.call("signUp", {
        "email": fresh_email(), "password": PASSWORD, "tenantId": tenant_id()}).body)
    unused_email = cache(fresh_email)
    simulators = Simulators(client.gateway)
    return {
        APPLE: lambda: simulators.sign_in_with_apple()["postBody"],
        NOTIFICATION: lambda: simulators.apple_notification_payload(),
        APPLE_TOKEN: lambda: simulators.sign_in("apple.com")["idToken"],
        GOOGLE_TOKEN: lambda: simulators.sign_in_with_google()["idToken"],
        KNOWN_PERSON_TOKEN: lambda: token_of_known_person(simulators, client),
        FEDERATED_ID_TOKEN: lambda: federated_session(simulators, client)["idToken"],
        MERGE_TOKEN: lambda: client_merge_token(
            client, account()["idToken"], token_of_known_person(simulators, client)),
        ADMIN_MERGE_TOKEN: lambda: backend_merge_token(
            client, federated_session(simulators, client)["localId"], account()["localId"]),
        MERGED_LOCAL_ID: lambda: merge_accounts(
            client, federated_session(simulators, client)["localId"], account()["localId"]),
        FEDERATED_LOCAL_ID: lambda: federated_session(simulators, client)["localId"],
        TENANT: tenant_id,
        TENANT_LOCAL_ID: lambda: tenant_account()["localId"],
        TENANT_ID_TOKEN: lambda: tenant_account()["idToken"],
        TENANT_PROVIDER: lambda: tenant_id() and "oidc.corp",
        EMAIL: lambda: account()["email"],
        ID_TOKEN: lambda: account()["idToken"],
        REFRESH_TOKEN: lambda: account()["refreshToken"],
        SESSION_ID: lambda: own_session(client, account()["idToken"])["sessionId"],
        VERIFIED_ID_TOKEN: lambda: verified_session(client)["idToken"],
        NEW_EMAIL: fresh_email,
        VERIFY_CODE: lambda: create_code(client, "VERIFY_EMAIL", account()["email"]),
        RESET_CODE: lambda: create_code(client, "PASSWORD_RESET", account()["email"]),
        CHANGE_CODE: lambda: create_code(client, "VERIFY_AND_CHANGE_EMAIL", account()["email"], newEmail=fresh_email()),
        LINK_CODE: lambda: create_code(client, "EMAIL_SIGNIN", account()["email"]),
        NEW_LINK_CODE: lambda: create_code(client, "EMAIL_SIGNIN", unused_email()),
        NEW_LINK_EMAIL: unused_email,
        LOCAL_ID: lambda: account()["localId"],
        NEW_LOCAL_ID: lambda: fresh_email().split("@")[0],
        ANONYMOUS_ID_TOKEN: lambda: client.sign_up()["idToken"],
        NEW_PROVIDER: fresh_provider,
        PROVIDER: lambda: create(
            client, "createOauthIdpConfig", CORP_PROVIDER, params={"oauthIdpConfigId": fresh_provider()}),
        APP: lambda: create(client, "createApp", {"appId": "a" + secrets.token_hex(4)}),
        BRAND_IMAGE: lambda: brand_image(client),
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.operation}: {row.description}")
def test_the_response_has_the_status_and_code_of_the_row(client, row):
    values = placeholder_values(client)
    response = client.call(row.operation, filled_in(row.json, values), **filled_in(row.options, values))
    assert (response.status, response.code) == (row.status, row.code), response.body


def test_the_token_endpoint_accepts_json_too(client):
    """The contract documents only the form, because several generators cannot use a second media type."""
    query, body = {"key": client.gateway.api_key}, token_request(client.new_account()["refreshToken"])
    response = requests.post(f"{client.gateway.url}/v1/token", params=query, json=body, timeout=30)
    assert response.status_code == 200 and response.json()["token_type"] == "Bearer"


def test_every_operation_of_the_contract_has_a_row(contract):
    assert {row.operation for row in ROWS} == contract.operations.keys()


@pytest.mark.parametrize(("method", "path", "status", "code"), [
    ("GET", "/nowhere", 404, "NOT_FOUND"),
    ("GET", "/v1/accounts:signUp", 405, "METHOD_NOT_ALLOWED"),
])
def test_an_unknown_path_or_a_wrong_method_gets_an_error_envelope(client, contract, method, path, status, code):
    response = requests.request(method, client.gateway.url + path, params={"key": "any"}, timeout=30)
    assert contract.schema_errors({"$ref": "#/components/schemas/ErrorEnvelope"}, response.json()) == []
    assert (response.status_code, response.json()["error"]["status"]) == (status, code)
