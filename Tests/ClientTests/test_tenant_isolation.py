"""An account of one realm (a tenant, or the project itself) does not exist in other realms.

The fixture `admin` is firebase-admin for the project, in `dev` and in `serve`; `acme` is firebase-admin for a tenant.
"""

import pytest
from firebase_admin import auth, tenant_mgt
from firebase_admin.auth import UserNotFoundError

from accounts import import_account, query_parameters, sign_in_with_password

WELCOME = auth.ActionCodeSettings("http://localhost/welcome", handle_code_in_app=True)


@pytest.fixture(params=["another tenant", "the project"])
def elsewhere(request, admin):
    """firebase-admin for a realm that does not have the account `ada`."""
    return admin.tenant_with_sign_in("Zen-2") if request.param == "another tenant" else admin


@pytest.fixture
def ada(acme):
    """A new account of the tenant `acme`."""
    return import_account(acme)


def get_users(library, ada):
    return library.get_users(ada.identifiers)


# Operations on an account of `acme`, called with firebase-admin for another realm.
OPERATIONS = {
    "get_user": lambda library, ada: library.get_user(ada.uid),
    "get_user_by_email": lambda library, ada: library.get_user_by_email(ada.email),
    "get_user_by_phone_number": lambda library, ada: library.get_user_by_phone_number(ada.phone_number),
    "update_user": lambda library, ada: library.update_user(ada.uid, display_name="Grace"),
    "set_custom_user_claims": lambda library, ada: library.set_custom_user_claims(ada.uid, {"role": "admin"}),
    "revoke_refresh_tokens": lambda library, ada: library.revoke_refresh_tokens(ada.uid),
    "delete_user": lambda library, ada: library.delete_user(ada.uid),
    "generate_email_verification_link": lambda library, ada: library.generate_email_verification_link(ada.email),
    "generate_password_reset_link": lambda library, ada: library.generate_password_reset_link(ada.email),
}


@pytest.mark.parametrize("function", OPERATIONS)
def test_an_operation_in_another_realm_does_not_find_or_change_an_account(acme, elsewhere, ada, function):
    before = acme.get_user(ada.uid)
    with pytest.raises((UserNotFoundError, auth.EmailNotFoundError)):
        OPERATIONS[function](elsewhere, ada)
    assert acme.get_user(ada.uid)._data == before._data


def test_no_identifier_finds_an_account_of_another_realm(acme, elsewhere, ada):
    assert [user.uid for user in get_users(acme, ada).users] == [ada.uid]
    response = get_users(elsewhere, ada)
    assert (response.users, len(response.not_found)) == ([], len(ada.identifiers))
    assert ada.uid not in {user.uid for user in elsewhere.list_users().iterate_all()}


def test_a_batch_in_another_realm_deletes_no_account(acme, elsewhere, ada):
    elsewhere.delete_users([ada.uid])
    assert acme.get_user(ada.uid).email == ada.email


def test_accounts_of_the_project_are_not_found_in_a_tenant(admin, acme):
    grace = import_account(admin)
    assert get_users(acme, grace).users == []
    with pytest.raises(UserNotFoundError):
        acme.delete_user(grace.uid)
    assert admin.get_user(grace.uid).tenant_id is None


@pytest.fixture
def realm_fields(admin, elsewhere):
    """The fields with which a client names the realm of `elsewhere`, and those with which it names a third realm."""
    if elsewhere is admin:
        return {}, {"tenantId": admin.tenant_with_sign_in().tenant_id}
    return {"tenantId": elsewhere.tenant_id}, {}


def test_a_sign_in_link_of_another_realm_creates_a_separate_account(admin, acme, elsewhere, realm_fields, ada):
    code = query_parameters(elsewhere.generate_sign_in_with_email_link(ada.email, WELCOME))["oobCode"]
    right, wrong = realm_fields
    body = {"email": ada.email, "oobCode": code}
    for other in (wrong, {"tenantId": acme.tenant_id}):
        assert admin.client.call("signInWithEmailLink", body | other).code == "INVALID_OOB_CODE"
    response = admin.client.call("signInWithEmailLink", body | right)
    assert response.body["isNewUser"] and response.body["localId"] != ada.uid


def test_a_password_reset_changes_only_the_account_of_its_realm(admin, acme, elsewhere, realm_fields, ada):
    import_account(elsewhere, ada)
    code = query_parameters(elsewhere.generate_password_reset_link(ada.email))["oobCode"]
    right, wrong = realm_fields
    body = {"oobCode": code, "newPassword": "staple battery horse"}
    for other in (wrong, {"tenantId": acme.tenant_id}):
        assert admin.client.call("resetPassword", body | other).code == "INVALID_OOB_CODE"
    assert admin.client.call("resetPassword", body | right).status == 200
    assert sign_in_with_password(admin.client, ada, tenantId=acme.tenant_id)["localId"] == ada.uid
    assert sign_in_with_password(admin.client, ada, "staple battery horse", **right)["localId"] == ada.uid


def test_a_token_of_another_realm_is_rejected(admin, acme, elsewhere, realm_fields, ada):
    import_account(elsewhere, ada)
    token = sign_in_with_password(admin.client, ada, **realm_fields[0])["idToken"]
    tenant = {"tenantId": acme.tenant_id}
    assert admin.client.call("lookUpOwnAccount", {"idToken": token} | tenant).code == "TENANT_ID_MISMATCH"
    updated = admin.client.call("updateOwnAccount", {"idToken": token, "displayName": "Eve"} | tenant)
    assert updated.code == "TENANT_ID_MISMATCH"
    assert admin.client.call("deleteOwnAccount", {"idToken": token} | tenant).code == "TENANT_ID_MISMATCH"
    with pytest.raises(tenant_mgt.TenantIdMismatchError):
        acme.verify_id_token(token)
