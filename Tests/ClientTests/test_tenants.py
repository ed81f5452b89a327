"""firebase-admin manages tenants and their users.

The fixture `admin` is firebase-admin for the project, in `dev` and in `serve`.
"""

import secrets

import pytest
from firebase_admin import auth, tenant_mgt
from firebase_admin.exceptions import FirebaseError

from accounts import fresh_phone, fresh_uid, import_account, sign_in_with_password, unsaved_account
from client import PASSWORD, fresh_email
from gateway import once_configuration_applies
from hashes import ADMIN_HASHES, SALT


@pytest.fixture
def acme(admin):
    """firebase-admin for a new tenant."""
    return admin.tenant_with_sign_in()


@pytest.fixture
def zen(admin):
    """firebase-admin for another new tenant."""
    return admin.tenant_with_sign_in("Zen-2")


@pytest.mark.parametrize("settings", [
    {}, {"allow_password_sign_up": True}, {"enable_email_link_sign_in": True},
    {"allow_password_sign_up": True, "enable_email_link_sign_in": True},
    {"allow_password_sign_up": False, "enable_email_link_sign_in": False},
])
def test_a_tenant_is_created_with_the_requested_settings(admin, settings):
    created = admin.create_tenant("Acme-1", **settings)
    for tenant in (created, admin.get_tenant(created.tenant_id)):
        assert (tenant.tenant_id, tenant.display_name) == (created.tenant_id, "Acme-1")
        assert tenant.allow_password_sign_up == settings.get("allow_password_sign_up", False)
        assert tenant.enable_email_link_sign_in == settings.get("enable_email_link_sign_in", False)


def test_two_tenants_can_have_the_same_name(admin):
    assert admin.create_tenant("Acme").tenant_id != admin.create_tenant("Acme").tenant_id


@pytest.mark.parametrize("change", [
    {"display_name": "Renamed"}, {"allow_password_sign_up": False}, {"enable_email_link_sign_in": False},
    {"display_name": "Renamed", "allow_password_sign_up": False, "enable_email_link_sign_in": False},
])
def test_a_change_of_a_tenant_keeps_other_settings(admin, change):
    before = {"display_name": "Acme", "allow_password_sign_up": True, "enable_email_link_sign_in": True}
    identifier = admin.create_tenant(**before).tenant_id
    for tenant in (admin.update_tenant(identifier, **change), admin.get_tenant(identifier)):
        assert {name: getattr(tenant, name) for name in before} == before | change


def test_tenants_are_listed_page_by_page(admin):
    created = {admin.create_tenant(f"Tenant-{number}").tenant_id for number in range(5)}
    page = admin.list_tenants(max_results=2)
    pages = []
    while page:
        pages.append([tenant.tenant_id for tenant in page.tenants])
        assert page.has_next_page == bool(page.next_page_token)
        page = page.get_next_page()
    listed = sum(pages, [])
    assert len(listed) == len(set(listed)) and created <= set(listed)
    assert all(len(page) == 2 for page in pages[:-1])
    assert [tenant.tenant_id for tenant in admin.list_tenants(max_results=2).iterate_all()] == listed
    second = admin.list_tenants(page_token=admin.list_tenants(max_results=1).next_page_token, max_results=1)
    assert [tenant.tenant_id for tenant in second.tenants] == listed[1:2]


def test_a_deleted_tenant_is_not_listed(admin, acme, zen):
    admin.delete_tenant(acme.tenant_id)
    listed = {tenant.tenant_id for tenant in admin.list_tenants().iterate_all()}
    assert zen.tenant_id in listed and acme.tenant_id not in listed


TENANT_CALLS = pytest.mark.parametrize("call", [
    lambda admin, tenant: admin.get_tenant(tenant),
    lambda admin, tenant: admin.update_tenant(tenant, display_name="Unknown"),
    lambda admin, tenant: admin.delete_tenant(tenant),
], ids=["get", "update", "delete"])


@TENANT_CALLS
def test_a_deleted_tenant_is_not_found(admin, acme, call):
    admin.delete_tenant(acme.tenant_id)
    with pytest.raises(tenant_mgt.TenantNotFoundError):
        call(admin, acme.tenant_id)


@pytest.mark.parametrize("admin", ["serve"], indirect=True)
@TENANT_CALLS
def test_an_unknown_tenant_is_not_found(admin, call):
    with pytest.raises(tenant_mgt.TenantNotFoundError):
        call(admin, f"Unknown-{secrets.token_hex(4)}")


@pytest.mark.parametrize("call", [
    lambda tenant: tenant.get_user("ada"), lambda tenant: tenant.create_user(email=fresh_email()),
    lambda tenant: tenant.update_user("ada", display_name="Ada"), lambda tenant: tenant.delete_user("ada"),
    lambda tenant: tenant.list_users(), lambda tenant: tenant.delete_users(["ada"]),
    lambda tenant: tenant.import_users([auth.ImportUserRecord(uid="ada")]),
    lambda tenant: tenant.get_users([auth.UidIdentifier("ada")]),
    lambda tenant: tenant.generate_password_reset_link("ada@example.com"),
    lambda tenant: tenant.list_oidc_provider_configs(),
], ids=[
    "get", "create", "update", "delete", "list", "delete many", "import", "get many", "link", "providers"])
def test_a_deleted_tenant_rejects_operations_on_its_users_and_providers(admin, acme, call):
    admin.delete_tenant(acme.tenant_id)

    def is_rejected():
        try:
            call(acme)
        except tenant_mgt.TenantNotFoundError:
            return True
        except FirebaseError:
            return False

    assert once_configuration_applies(is_rejected)


def test_a_user_of_a_tenant_is_created_with_every_field(acme):
    fields = {
        "uid": fresh_uid(), "email": fresh_email(), "email_verified": True, "phone_number": fresh_phone(),
        "display_name": "Ada Lovelace", "photo_url": "https://example.com/ada.png", "disabled": True,
    }
    for user in (acme.create_user(**fields, password=PASSWORD), acme.get_user(fields["uid"])):
        assert {name: getattr(user, name) for name in fields} == fields
        assert user.tenant_id == acme.tenant_id


def test_a_user_of_a_tenant_is_found_by_each_identifier(acme):
    ada = import_account(acme)
    found = [
        acme.get_user(ada.uid), acme.get_user_by_email(ada.email), acme.get_user_by_phone_number(ada.phone_number)]
    for identifier in ada.identifiers:
        response = acme.get_users([identifier, auth.UidIdentifier("unknown")])
        assert [missing.uid for missing in response.not_found] == ["unknown"]
        found += response.users
    assert {(user.uid, user.tenant_id) for user in found} == {(ada.uid, acme.tenant_id)}


def test_a_user_of_a_tenant_is_changed_and_deleted(admin, acme):
    ada = import_account(acme)
    changed = acme.update_user(
        ada.uid, display_name="Countess", phone_number=auth.DELETE_ATTRIBUTE, email_verified=True,
        password="staple battery horse")
    assert (changed.display_name, changed.phone_number, changed.email_verified) == ("Countess", None, True)
    acme.set_custom_user_claims(ada.uid, {"role": "editor"})
    session = sign_in_with_password(admin.client, ada, "staple battery horse", tenantId=acme.tenant_id)
    assert acme.verify_id_token(session["idToken"])["role"] == "editor"
    acme.delete_user(ada.uid)
    with pytest.raises(auth.UserNotFoundError):
        acme.get_user(ada.uid)
    assert admin.client.call("lookUpOwnAccount", {"idToken": session["idToken"]}).code == "USER_NOT_FOUND"


def test_only_users_of_the_tenant_are_listed(admin, acme, zen):
    created = sorted(acme.create_user(uid=fresh_uid()).uid for _ in range(5))
    zen.create_user()
    admin.create_user()
    page = acme.list_users(max_results=2)
    assert len(page.users) == 2 and page.has_next_page
    assert {user.tenant_id for user in page.users} == {acme.tenant_id}
    assert sorted(user.uid for user in page.iterate_all()) == created


def test_only_users_of_the_tenant_are_deleted(admin, acme, zen):
    uids = [acme.create_user().uid for _ in range(2)]
    for other in (zen, admin):
        other.create_user(uid=uids[0])
    # An unknown user counts as deleted.
    assert acme.delete_users([*uids, "unknown"]).success_count == 3
    assert list(acme.list_users().iterate_all()) == []
    assert zen.get_user(uids[0]).uid == admin.get_user(uids[0]).uid == uids[0]


@pytest.mark.parametrize("fields, error", [
    (["uid"], auth.UidAlreadyExistsError), (["email"], auth.EmailAlreadyExistsError),
    (["phone_number"], auth.PhoneNumberAlreadyExistsError),
])
def test_an_identifier_in_use_in_one_tenant_is_free_in_others(admin, acme, zen, fields, error):
    taken = {name: getattr(import_account(acme), name) for name in fields}
    with pytest.raises(error):
        acme.create_user(**taken)
    for other in (zen, admin):
        user = other.create_user(**taken)
        assert {name: getattr(user, name) for name in fields} == taken


@pytest.mark.parametrize("name", ["scrypt", "bcrypt", "pbkdf2_sha256", "hmac_sha512", "standard_scrypt"])
def test_imported_users_sign_in_only_to_their_tenant(admin, acme, zen, name):
    scheme, hash_password = ADMIN_HASHES[name]
    account = unsaved_account()
    record = auth.ImportUserRecord(
        uid=account.uid, email=account.email, password_hash=hash_password(PASSWORD), password_salt=SALT)
    assert acme.import_users([record], hash_alg=scheme).errors == []
    for elsewhere in ({}, {"tenantId": zen.tenant_id}):
        rejected = admin.client.call("signInWithPassword", {"email": account.email, "password": PASSWORD, **elsewhere})
        assert rejected.code in ("EMAIL_NOT_FOUND", "INVALID_LOGIN_CREDENTIALS")
    wrong = {"email": account.email, "password": PASSWORD + "x", "tenantId": acme.tenant_id}
    assert admin.client.call("signInWithPassword", wrong).code in ("INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")
    for _ in range(2):
        assert sign_in_with_password(admin.client, account, tenantId=acme.tenant_id)["localId"] == account.uid


def test_an_import_into_a_tenant_reports_the_failed_rows(acme, zen):
    ada = import_account(acme)
    records = [
        auth.ImportUserRecord(uid=fresh_uid(), email=fresh_email()),
        auth.ImportUserRecord(uid=fresh_uid(), email=ada.email),
    ]
    result = acme.import_users(records)
    assert (result.success_count, [error.index for error in result.errors]) == (1, [1])
    assert zen.import_users(records).errors == []


def test_a_user_disabled_in_one_tenant_stays_enabled_in_another(admin, acme, zen):
    ada = import_account(acme)
    import_account(zen, ada)
    sessions = [sign_in_with_password(admin.client, ada, tenantId=tenant.tenant_id) for tenant in (acme, zen)]
    acme.update_user(ada.uid, disabled=True)
    with pytest.raises(auth.UserDisabledError):
        acme.verify_id_token(sessions[0]["idToken"], check_revoked=True)
    assert zen.verify_id_token(sessions[1]["idToken"], check_revoked=True)["uid"] == ada.uid
    password = {"email": ada.email, "password": PASSWORD, "tenantId": acme.tenant_id}
    assert admin.client.call("signInWithPassword", password).code == "USER_DISABLED"
    assert sign_in_with_password(admin.client, ada, tenantId=zen.tenant_id)
