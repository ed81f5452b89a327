"""firebase-admin manages the users of a project.

The fixture `admin` is firebase-admin: for `dev`, which it takes for Firebase's emulator, and for `serve`.
`ada` is a new account with a password, a phone number and an identity of Google; `session` is a sign-in of `ada`.
"""

import time
from dataclasses import replace

import pytest
import requests
from firebase_admin import auth

from accounts import fresh_phone, fresh_uid, import_account, unsaved_account
from admin_sdk import emulator_admin
from client import PASSWORD, fresh_email

NEW_PASSWORD = "staple battery horse"
in_dev = pytest.mark.parametrize("admin", ["dev"], indirect=True)


def test_a_user_is_created_with_every_field(admin):
    fields = {
        "uid": fresh_uid(), "email": fresh_email(), "email_verified": True, "phone_number": fresh_phone(),
        "display_name": "Ada Lovelace", "photo_url": "https://example.com/ada.png", "disabled": True,
    }
    for user in (admin.create_user(**fields, password=PASSWORD), admin.get_user(fields["uid"])):
        assert {name: getattr(user, name) for name in fields} == fields
        assert {provider.provider_id for provider in user.provider_data} == {"password", "phone"}
        assert (user.tenant_id, user.custom_claims) == (None, None)
        # The account was created less than a minute ago.
        assert abs(user.user_metadata.creation_timestamp / 1000 - time.time()) < 60
        assert user.user_metadata.last_sign_in_timestamp is None


def test_a_user_is_created_without_fields(admin):
    user = admin.create_user()
    assert (user.email, user.phone_number, user.disabled) == (None, None, False)
    assert user.provider_data == []


@pytest.mark.parametrize("field, error", [
    ("uid", auth.UidAlreadyExistsError), ("email", auth.EmailAlreadyExistsError),
    ("phone_number", auth.PhoneNumberAlreadyExistsError),
])
def test_an_identifier_in_use_is_rejected(admin, ada, field, error):
    with pytest.raises(error):
        admin.create_user(**{field: getattr(ada, field)})


def test_the_times_of_sign_in_and_refresh_are_reported(admin, ada, session):
    before = admin.get_user(ada.uid)
    admin.client.refresh(session)
    user = admin.get_user(ada.uid)
    metadata = user.user_metadata
    assert metadata.creation_timestamp <= metadata.last_sign_in_timestamp <= metadata.last_refresh_timestamp
    assert before.user_metadata.last_sign_in_timestamp == metadata.last_sign_in_timestamp
    assert user.tokens_valid_after_timestamp <= metadata.last_sign_in_timestamp


def test_a_user_is_found_by_id_email_address_and_phone_number(admin, ada):
    assert admin.get_user(ada.uid).email == ada.email
    assert admin.get_user_by_email(ada.email.upper()).uid == ada.uid
    assert admin.get_user_by_phone_number(ada.phone_number).uid == ada.uid


@pytest.mark.parametrize("find, identifier", [
    ("get_user", "unknown"), ("get_user_by_email", "unknown@example.com"), ("get_user_by_phone_number", "+15555550190"),
])
def test_an_unknown_user_is_not_found(admin, find, identifier):
    with pytest.raises(auth.UserNotFoundError):
        getattr(admin, find)(identifier)


def test_many_users_are_found_by_different_identifiers(admin):
    accounts = [import_account(admin) for _ in range(4)]
    # Each account is named by an identifier of another kind.
    known = [account.identifiers[number] for number, account in enumerate(accounts)]
    missing = unsaved_account().identifiers
    result = admin.get_users([*known, *missing])
    assert {user.uid for user in result.users} == {account.uid for account in accounts}
    assert len(result.users) == 4 and result.not_found == missing


def test_a_user_named_by_several_identifiers_is_returned_once(admin, ada):
    result = admin.get_users([*ada.identifiers, *ada.identifiers])
    assert ([user.uid for user in result.users], result.not_found) == ([ada.uid], [])


def test_a_hundred_identifiers_are_looked_up_at_once(admin, ada):
    unknown = [auth.UidIdentifier(f"unknown-{number}") for number in range(99)]
    result = admin.get_users([*unknown, auth.UidIdentifier(ada.uid)])
    assert ([user.uid for user in result.users], len(result.not_found)) == ([ada.uid], 99)
    assert admin.get_users([]).users == []


def test_users_are_listed_page_by_page(admin, ada):
    created = {admin.create_user().uid for _ in range(5)}
    first = admin.list_users(max_results=2)
    assert len(first.users) == 2 and first.has_next_page
    second = admin.list_users(page_token=first.next_page_token)
    listed = [*first.users, *second.iterate_all()]
    uids = [user.uid for user in listed]
    assert len(uids) == len(set(uids)) and created <= set(uids)
    assert [(user.email, user.display_name) for user in listed if user.uid == ada.uid] == [(ada.email, "Ada")]
    last = second
    while last.has_next_page:
        last = last.get_next_page()
    assert (last.get_next_page(), last.next_page_token) == (None, "")


def test_a_user_is_changed(admin, ada):
    phone, email = fresh_phone(), fresh_email()
    changed = admin.update_user(
        ada.uid, email=email, email_verified=True, phone_number=phone, display_name="Ada Lovelace",
        photo_url="https://example.com/ada.png", password=NEW_PASSWORD)
    assert (changed.email, changed.email_verified, changed.phone_number) == (email, True, phone)
    assert (changed.display_name, changed.photo_url) == ("Ada Lovelace", "https://example.com/ada.png")
    session = admin.client.call("signInWithPassword", {"email": email, "password": NEW_PASSWORD})
    assert session.body["localId"] == ada.uid


def test_fields_of_a_user_are_removed(admin, ada):
    admin.update_user(ada.uid, photo_url="https://example.com/ada.png")
    changed = admin.update_user(
        ada.uid, phone_number=auth.DELETE_ATTRIBUTE, photo_url=auth.DELETE_ATTRIBUTE,
        display_name=auth.DELETE_ATTRIBUTE)
    assert (changed.phone_number, changed.photo_url, changed.display_name) == (None, None, None)
    assert {provider.provider_id for provider in changed.provider_data} == {"password", "google.com"}


def test_an_unknown_user_is_not_changed(admin):
    with pytest.raises(auth.UserNotFoundError):
        admin.update_user("unknown", display_name="Ada")


@pytest.mark.parametrize("force, deleted", [(False, ["disabled"]), (True, ["disabled", "enabled"])])
def test_enabled_users_are_deleted_only_by_force(admin, force, deleted):
    """The Python library always sets `force`; libraries for other languages send this request."""
    users = {name: admin.create_user(disabled=name == "disabled").uid for name in ("enabled", "disabled")}
    response = admin.client.call(
        "batchDeleteAccounts", {"localIds": [*users.values(), "unknown"], "force": force}, api_key=None,
        headers=admin.authorization)
    errors = [(error["index"], error["localId"]) for error in response.body.get("errors", [])]
    assert errors == ([] if force else [(0, users["enabled"])])
    remaining = {user.uid for user in admin.get_users([auth.UidIdentifier(uid) for uid in users.values()]).users}
    assert remaining == {uid for name, uid in users.items() if name not in deleted}


def test_many_users_are_deleted(admin):
    uids = [admin.create_user().uid for _ in range(3)]
    result = admin.delete_users([*uids, "unknown"])
    # An unknown user counts as deleted.
    assert (result.success_count, result.failure_count, result.errors) == (4, 0, [])
    assert admin.get_users([auth.UidIdentifier(uid) for uid in uids]).users == []


def test_users_are_imported(admin):
    claims = {"role": "editor"}
    records = [
        auth.ImportUserRecord(
            uid=fresh_uid(), email=fresh_email(), email_verified=True, display_name=f"User {number}",
            custom_claims=claims, user_metadata=auth.UserMetadata(creation_timestamp=1_600_000_000_000))
        for number in range(3)
    ]
    assert admin.import_users(records).success_count == 3
    for record in records:
        user = admin.get_user(record.uid)
        assert (user.email, user.display_name, user.custom_claims) == (record.email, record.display_name, claims)
        assert user.user_metadata.creation_timestamp == 1_600_000_000_000


def test_an_import_reports_the_failed_rows(admin, ada):
    records = [
        auth.ImportUserRecord(uid=fresh_uid(), email=ada.email),
        auth.ImportUserRecord(uid=fresh_uid(), email=fresh_email()),
    ]
    result = admin.import_users(records)
    assert (result.success_count, result.failure_count) == (1, 1)
    assert [error.index for error in result.errors] == [0]


@in_dev
def test_the_uid_of_a_deleted_user_can_be_used_again_after_all_accounts_are_cleared(admin, dev):
    uid = fresh_uid()
    admin.create_user(uid=uid)
    admin.delete_user(uid)
    requests.delete(f"{dev.url}/emulator/v1/projects/{dev.project}/accounts", timeout=30).raise_for_status()
    assert admin.create_user(uid=uid).uid == uid


@in_dev
def test_another_project_has_its_own_users(admin, ada, dev, contract):
    with emulator_admin(replace(dev, project=f"demo-{fresh_uid()}"), contract) as other:
        assert [user.uid for user in other.list_users().iterate_all()] == []
        assert other.create_user(uid=ada.uid, email=ada.email).uid == ada.uid
