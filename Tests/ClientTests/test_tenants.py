"""firebase-admin makes tenants and minds their accounts, in `dev` and, by a service key, in `serve`."""

import secrets

import pytest
from firebase_admin import auth, tenant_mgt
from firebase_admin.exceptions import FirebaseError

from exchange import PASSWORD, fresh_email
from gateway import eventually
from hashes import ADMIN_HASHES, SALT
from people import fresh_phone, fresh_uid, settle, signed_in, stranger

# Each loop of the gateway may know a tenant for five.
DELETION_SECONDS = 6


@pytest.fixture
def acme(admin):
    return admin.tenant()


@pytest.fixture
def zen(admin):
    return admin.tenant("Zen-2")


@pytest.mark.parametrize("settings", [
    {}, {"allow_password_sign_up": True}, {"enable_email_link_sign_in": True},
    {"allow_password_sign_up": True, "enable_email_link_sign_in": True},
    {"allow_password_sign_up": False, "enable_email_link_sign_in": False},
])
def test_a_tenant_is_made_with_what_was_asked_for_and_no_more(admin, settings):
    made = admin.create_tenant("Acme-1", **settings)
    for tenant in (made, admin.get_tenant(made.tenant_id)):
        assert (tenant.tenant_id, tenant.display_name) == (made.tenant_id, "Acme-1")
        assert tenant.allow_password_sign_up == settings.get("allow_password_sign_up", False)
        assert tenant.enable_email_link_sign_in == settings.get("enable_email_link_sign_in", False)


def test_two_tenants_of_one_name_are_two(admin):
    assert admin.create_tenant("Acme").tenant_id != admin.create_tenant("Acme").tenant_id


@pytest.mark.parametrize("change", [
    {"display_name": "Renamed"}, {"allow_password_sign_up": False}, {"enable_email_link_sign_in": False},
    {"display_name": "Renamed", "allow_password_sign_up": False, "enable_email_link_sign_in": False},
])
def test_a_tenant_is_changed_in_nothing_but_what_is_named(admin, change):
    before = {"display_name": "Acme", "allow_password_sign_up": True, "enable_email_link_sign_in": True}
    identifier = admin.create_tenant(**before).tenant_id
    for tenant in (admin.update_tenant(identifier, **change), admin.get_tenant(identifier)):
        assert {name: getattr(tenant, name) for name in before} == before | change


def test_tenants_are_listed_page_by_page(admin):
    made = {admin.create_tenant(f"Tenant-{number}").tenant_id for number in range(5)}
    page = admin.list_tenants(max_results=2)
    pages = []
    while page:
        pages.append([tenant.tenant_id for tenant in page.tenants])
        assert page.has_next_page == bool(page.next_page_token)
        page = page.get_next_page()
    listed = sum(pages, [])
    assert len(listed) == len(set(listed)) and made <= set(listed)
    assert all(len(page) == 2 for page in pages[:-1])
    assert [tenant.tenant_id for tenant in admin.list_tenants(max_results=2).iterate_all()] == listed
    second = admin.list_tenants(page_token=admin.list_tenants(max_results=1).next_page_token, max_results=1)
    assert [tenant.tenant_id for tenant in second.tenants] == listed[1:2]


def test_a_deleted_tenant_is_listed_no_more(admin, acme, zen):
    admin.delete_tenant(acme.tenant_id)
    listed = {tenant.tenant_id for tenant in admin.list_tenants().iterate_all()}
    assert zen.tenant_id in listed and acme.tenant_id not in listed


@pytest.mark.parametrize("ask", [
    lambda admin, tenant: admin.get_tenant(tenant),
    lambda admin, tenant: admin.update_tenant(tenant, display_name="Nobody"),
    lambda admin, tenant: admin.delete_tenant(tenant),
], ids=["get", "update", "delete"])
def test_a_tenant_that_is_not_there_is_not_found(admin, acme, ask):
    admin.delete_tenant(acme.tenant_id)
    for name in (acme.tenant_id, f"Nobody-{secrets.token_hex(4)}"):
        with pytest.raises(tenant_mgt.TenantNotFoundError):
            ask(admin, name)


@pytest.mark.parametrize("ask", [
    lambda tenant: tenant.get_user("ada"), lambda tenant: tenant.create_user(email=fresh_email()),
    lambda tenant: tenant.update_user("ada", display_name="Ada"), lambda tenant: tenant.delete_user("ada"),
    lambda tenant: tenant.list_users(), lambda tenant: tenant.delete_users(["ada"]),
    lambda tenant: tenant.import_users([auth.ImportUserRecord(uid="ada")]),
    lambda tenant: tenant.get_users([auth.UidIdentifier("ada")]),
    lambda tenant: tenant.generate_password_reset_link("ada@example.com"),
    lambda tenant: tenant.list_oidc_provider_configs(),
], ids=[
    "get", "create", "update", "delete", "list", "delete many", "import", "get many", "link", "providers"])
def test_nothing_is_done_in_a_tenant_that_was_deleted(admin, acme, ask):
    admin.delete_tenant(acme.tenant_id)

    def is_refused():
        try:
            ask(acme)
        except tenant_mgt.TenantNotFoundError:
            return True
        except FirebaseError:
            return False

    assert eventually(is_refused, within=DELETION_SECONDS)


def test_a_user_of_a_tenant_is_made_with_everything(acme):
    wanted = {
        "uid": fresh_uid(), "email": fresh_email(), "email_verified": True, "phone_number": fresh_phone(),
        "display_name": "Ada Lovelace", "photo_url": "https://example.com/ada.png", "disabled": True,
    }
    for user in (acme.create_user(**wanted, password=PASSWORD), acme.get_user(wanted["uid"])):
        assert {name: getattr(user, name) for name in wanted} == wanted
        assert user.tenant_id == acme.tenant_id


def test_a_user_of_a_tenant_is_found_in_every_way(acme):
    ada = settle(acme)
    found = [
        acme.get_user(ada.uid), acme.get_user_by_email(ada.email), acme.get_user_by_phone_number(ada.phone_number)]
    for identifier in ada.identifiers:
        answer = acme.get_users([identifier, auth.UidIdentifier("nobody")])
        assert [missing.uid for missing in answer.not_found] == ["nobody"]
        found += answer.users
    assert {(user.uid, user.tenant_id) for user in found} == {(ada.uid, acme.tenant_id)}


def test_a_user_of_a_tenant_is_changed_and_deleted(admin, acme):
    ada = settle(acme)
    changed = acme.update_user(
        ada.uid, display_name="Countess", phone_number=auth.DELETE_ATTRIBUTE, email_verified=True,
        password="staple battery horse")
    assert (changed.display_name, changed.phone_number, changed.email_verified) == ("Countess", None, True)
    acme.set_custom_user_claims(ada.uid, {"role": "editor"})
    session = signed_in(admin.client, ada, "staple battery horse", tenantId=acme.tenant_id)
    assert acme.verify_id_token(session["idToken"])["role"] == "editor"
    acme.delete_user(ada.uid)
    with pytest.raises(auth.UserNotFoundError):
        acme.get_user(ada.uid)
    assert admin.client.call("lookup", {"idToken": session["idToken"]}).code == "USER_NOT_FOUND"


def test_users_of_a_tenant_are_listed_page_by_page_and_nobody_else(admin, acme, zen):
    made = sorted(acme.create_user(uid=fresh_uid()).uid for _ in range(5))
    zen.create_user()
    admin.create_user()
    page = acme.list_users(max_results=2)
    assert len(page.users) == 2 and page.has_next_page
    assert {user.tenant_id for user in page.users} == {acme.tenant_id}
    assert sorted(user.uid for user in page.iterate_all()) == made


def test_many_users_of_a_tenant_are_deleted_and_nobody_else(admin, acme, zen):
    uids = [acme.create_user().uid for _ in range(2)]
    for other in (zen, admin):
        other.create_user(uid=uids[0])
    assert acme.delete_users([*uids, "nobody"]).success_count == 3
    assert list(acme.list_users().iterate_all()) == []
    assert zen.get_user(uids[0]).uid == admin.get_user(uids[0]).uid == uids[0]


@pytest.mark.parametrize("fields, error", [
    (["uid"], auth.UidAlreadyExistsError), (["email"], auth.EmailAlreadyExistsError),
    (["phone_number"], auth.PhoneNumberAlreadyExistsError),
])
def test_what_is_taken_in_one_tenant_is_free_elsewhere(admin, acme, zen, fields, error):
    taken = {name: getattr(settle(acme), name) for name in fields}
    with pytest.raises(error):
        acme.create_user(**taken)
    for other in (zen, admin):
        user = other.create_user(**taken)
        assert {name: getattr(user, name) for name in fields} == taken


@pytest.mark.parametrize("name", ["scrypt", "bcrypt", "pbkdf2_sha256", "hmac_sha512", "standard_scrypt"])
def test_imported_users_of_a_tenant_sign_in_there_and_nowhere_else(admin, acme, zen, name):
    scheme, hashed = ADMIN_HASHES[name]
    person = stranger()
    record = auth.ImportUserRecord(
        uid=person.uid, email=person.email, password_hash=hashed(PASSWORD), password_salt=SALT)
    assert acme.import_users([record], hash_alg=scheme).errors == []
    for place in ({}, {"tenantId": zen.tenant_id}):
        refused = admin.client.call("signInWithPassword", {"email": person.email, "password": PASSWORD, **place})
        assert refused.code in ("EMAIL_NOT_FOUND", "INVALID_LOGIN_CREDENTIALS")
    wrong = {"email": person.email, "password": PASSWORD + "x", "tenantId": acme.tenant_id}
    assert admin.client.call("signInWithPassword", wrong).code in ("INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")
    for _ in range(2):
        assert signed_in(admin.client, person, tenantId=acme.tenant_id)["localId"] == person.uid


def test_an_import_into_a_tenant_tells_which_failed(acme, zen):
    ada = settle(acme)
    records = [
        auth.ImportUserRecord(uid=fresh_uid(), email=fresh_email()),
        auth.ImportUserRecord(uid=fresh_uid(), email=ada.email),
    ]
    result = acme.import_users(records)
    assert (result.success_count, [error.index for error in result.errors]) == (1, [1])
    assert zen.import_users(records).errors == []


def test_somebody_disabled_in_one_tenant_is_at_home_in_another(admin, acme, zen):
    ada = settle(acme)
    settle(zen, ada)
    sessions = [signed_in(admin.client, ada, tenantId=tenant.tenant_id) for tenant in (acme, zen)]
    acme.update_user(ada.uid, disabled=True)
    with pytest.raises(auth.UserDisabledError):
        acme.verify_id_token(sessions[0]["idToken"], check_revoked=True)
    assert zen.verify_id_token(sessions[1]["idToken"], check_revoked=True)["uid"] == ada.uid
    password = {"email": ada.email, "password": PASSWORD, "tenantId": acme.tenant_id}
    assert admin.client.call("signInWithPassword", password).code == "USER_DISABLED"
    assert signed_in(admin.client, ada, tenantId=zen.tenant_id)
