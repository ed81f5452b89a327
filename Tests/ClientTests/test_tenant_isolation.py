"""Whoever is of one tenant is nobody in another, and nobody in the project itself."""

import pytest
from firebase_admin import auth, tenant_mgt
from firebase_admin.auth import UserNotFoundError

from people import query_of, settle, signed_in

WELCOME = auth.ActionCodeSettings("http://localhost/welcome", handle_code_in_app=True)


@pytest.fixture(scope="module")
def acme(admin):
    return admin.tenant()


@pytest.fixture(params=["another tenant", "the project"])
def elsewhere(request, admin):
    return admin.tenant("Zen-2") if request.param == "another tenant" else admin


@pytest.fixture
def ada(acme):
    return settle(acme)


def asked(library, ada):
    return library.get_users(ada.identifiers)


ASKED = {
    "get_user": lambda there, ada: there.get_user(ada.uid),
    "get_user_by_email": lambda there, ada: there.get_user_by_email(ada.email),
    "get_user_by_phone_number": lambda there, ada: there.get_user_by_phone_number(ada.phone_number),
    "update_user": lambda there, ada: there.update_user(ada.uid, display_name="Grace"),
    "set_custom_user_claims": lambda there, ada: there.set_custom_user_claims(ada.uid, {"role": "admin"}),
    "revoke_refresh_tokens": lambda there, ada: there.revoke_refresh_tokens(ada.uid),
    "delete_user": lambda there, ada: there.delete_user(ada.uid),
    "generate_email_verification_link": lambda there, ada: there.generate_email_verification_link(ada.email),
    "generate_password_reset_link": lambda there, ada: there.generate_password_reset_link(ada.email),
}


@pytest.mark.parametrize("function", ASKED)
def test_nobody_is_found_and_nothing_happens(acme, elsewhere, ada, function):
    before = acme.get_user(ada.uid)
    with pytest.raises((UserNotFoundError, auth.EmailNotFoundError)):
        ASKED[function](elsewhere, ada)
    assert acme.get_user(ada.uid)._data == before._data


def test_nobody_is_found_by_any_identifier(acme, elsewhere, ada):
    assert [user.uid for user in asked(acme, ada).users] == [ada.uid]
    answer = asked(elsewhere, ada)
    assert (answer.users, len(answer.not_found)) == ([], len(ada.identifiers))
    assert ada.uid not in {user.uid for user in elsewhere.list_users().iterate_all()}


def test_nobody_is_deleted_from_elsewhere(acme, elsewhere, ada):
    elsewhere.delete_users([ada.uid])
    assert acme.get_user(ada.uid).email == ada.email


def test_nobody_of_the_project_is_found_in_a_tenant(admin, acme):
    grace = settle(admin)
    assert asked(acme, grace).users == []
    with pytest.raises(UserNotFoundError):
        acme.delete_user(grace.uid)
    assert admin.get_user(grace.uid).tenant_id is None


@pytest.fixture
def place(admin, elsewhere):
    """How an app names the place, and a wrong one."""
    if elsewhere is admin:
        return {}, {"tenantId": admin.tenant().tenant_id}
    return {"tenantId": elsewhere.tenant_id}, {}


def test_a_link_that_signs_in_makes_somebody_new_there(admin, acme, elsewhere, place, ada):
    code = query_of(elsewhere.generate_sign_in_with_email_link(ada.email, WELCOME))["oobCode"]
    right, wrong = place
    wish = {"email": ada.email, "oobCode": code}
    for other in (wrong, {"tenantId": acme.tenant_id}):
        assert admin.client.call("signInWithEmailLink", wish | other).code == "INVALID_OOB_CODE"
    answer = admin.client.call("signInWithEmailLink", wish | right)
    assert answer.body["isNewUser"] and answer.body["localId"] != ada.uid


def test_a_reset_of_one_changes_nothing_of_the_other(admin, acme, elsewhere, place, ada):
    settle(elsewhere, ada)
    code = query_of(elsewhere.generate_password_reset_link(ada.email))["oobCode"]
    right, wrong = place
    wish = {"oobCode": code, "newPassword": "staple battery horse"}
    for other in (wrong, {"tenantId": acme.tenant_id}):
        assert admin.client.call("resetPassword", wish | other).code == "INVALID_OOB_CODE"
    assert admin.client.call("resetPassword", wish | right).status == 200
    assert signed_in(admin.client, ada, tenantId=acme.tenant_id)["localId"] == ada.uid
    assert signed_in(admin.client, ada, "staple battery horse", **right)["localId"] == ada.uid


def test_a_token_of_elsewhere_is_worth_nothing(admin, acme, elsewhere, place, ada):
    settle(elsewhere, ada)
    token = signed_in(admin.client, ada, **place[0])["idToken"]
    tenant = {"tenantId": acme.tenant_id}
    assert admin.client.call("lookup", {"idToken": token} | tenant).code == "TENANT_ID_MISMATCH"
    assert admin.client.call("update", {"idToken": token, "displayName": "Eve"} | tenant).code == "TENANT_ID_MISMATCH"
    assert admin.client.call("delete", {"idToken": token} | tenant).code == "TENANT_ID_MISMATCH"
    with pytest.raises(tenant_mgt.TenantIdMismatchError):
        acme.verify_id_token(token)
