"""Second factors in a backend with firebase-admin for Python.

The library has no members for second factors. What it cannot send, the tests send with its credential.
"""

import pytest
import requests
from firebase_admin.exceptions import InvalidArgumentError

from accounts import fresh_phone, fresh_uid
from admin_sdk import identity_toolkit_url
from client import PASSWORD, fresh_email, ok_body
from one_time_password import totp

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


class Backend:
    """A tenant whose sign-ins ask for second factors. `library` is firebase-admin for the tenant."""

    def __init__(self, admin):
        self.admin = admin
        self.library = admin.tenant_with_sign_in("Factors")
        config = {"state": "ENABLED", "providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {}}]}
        self.send("PATCH", "v2", "?updateMask=mfaConfig", {"mfaConfig": config})

    def send(self, method, version, path, body):
        """Sends what the library cannot, and returns the response, which must be a success."""
        gateway = self.admin.gateway
        url = f"{identity_toolkit_url(gateway, version)}/projects/{gateway.project}/tenants/{self.library.tenant_id}"
        response = requests.request(method, url + path, json=body, headers=self.admin.authorization, timeout=30)
        assert response.status_code == 200, response.text
        return response.json()

    def factors(self, uid):
        """The second factors of an account, as a backend sees them."""
        [user] = self.send("POST", "v1", "/accounts:lookup", {"localId": [uid]})["users"]
        return user.get("mfaInfo", [])

    def call(self, operation, body):
        return ok_body(self.admin.client.call(operation, body | {"tenantId": self.library.tenant_id}))

    def sign_in(self, email):
        return self.call("signInWithPassword", {"email": email, "password": PASSWORD})


@pytest.fixture(scope="module")
def backend(admin):
    return Backend(admin)


@pytest.fixture
def imported(backend):
    """A user who was imported with a one-time password and a telephone number."""
    uid, email = fresh_uid(), fresh_email()
    factors = [
        {"totpInfo": {"sharedSecretKey": SECRET}, "mfaEnrollmentId": "app", "displayName": "App"},
        {"phoneInfo": "+15555550100", "mfaEnrollmentId": "work"}]
    answer = backend.send("POST", "v1", "/accounts:batchCreate", {
        "users": [{"localId": uid, "email": email, "emailVerified": True, "mfaInfo": factors}]})
    assert "error" not in answer
    return backend.library.update_user(uid, password=PASSWORD)


def test_the_library_verifies_the_tokens_of_a_sign_in_with_an_imported_factor(backend, imported):
    first = backend.sign_in(imported.email)
    assert "idToken" not in first
    assert {factor["mfaEnrollmentId"] for factor in first["mfaInfo"]} == {"app", "work"}
    signed_in = backend.call("finalizeMfaSignIn", {
        "mfaPendingCredential": first["mfaPendingCredential"], "mfaEnrollmentId": "app",
        "totpVerificationInfo": {"verificationCode": totp(SECRET)}})
    claims = backend.library.verify_id_token(signed_in["idToken"], check_revoked=True)
    assert claims["uid"] == imported.uid
    assert claims["firebase"]["sign_in_second_factor"] == "totp"
    assert claims["firebase"]["second_factor_identifier"] == "app"


def test_what_the_library_updates_and_lists_keeps_the_factors(backend, imported):
    updated = backend.library.update_user(imported.uid, display_name="Ada", email=fresh_email(), email_verified=True)
    assert updated.display_name == "Ada"
    backend.library.set_custom_user_claims(imported.uid, {"role": "editor"})
    backend.library.revoke_refresh_tokens(imported.uid)
    assert imported.uid in {user.uid for user in backend.library.list_users().iterate_all()}
    assert {factor["mfaEnrollmentId"] for factor in backend.factors(imported.uid)} == {"app", "work"}


def test_factors_are_set_replaced_and_removed_with_the_credential_of_the_library(backend):
    user = backend.library.create_user(email=fresh_email(), email_verified=True, password=PASSWORD)
    for numbers in (["+15555550100"], ["+15555550101", "+15555550102"]):
        enrolments = [{"mfaEnrollmentId": f"id{number}", "phoneInfo": number} for number in numbers]
        backend.send("POST", "v1", "/accounts:update", {"localId": user.uid, "mfa": {"enrollments": enrolments}})
        assert sorted(factor["phoneInfo"] for factor in backend.factors(user.uid)) == numbers
        assert "idToken" not in backend.sign_in(user.email)
    backend.send("POST", "v1", "/accounts:update", {"localId": user.uid, "mfa": {}})
    assert backend.factors(user.uid) == []
    assert "idToken" in backend.sign_in(user.email)


def test_a_user_with_factors_gets_no_telephone_number(backend, imported):
    with pytest.raises(InvalidArgumentError, match="UNSUPPORTED_FIRST_FACTOR"):
        backend.library.update_user(imported.uid, phone_number=fresh_phone())
