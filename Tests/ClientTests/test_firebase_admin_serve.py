"""firebase-admin as backends run it: with a service key and its own checks in `serve`, and alike in `dev`."""

import secrets

import pytest
from firebase_admin import auth
from firebase_admin.exceptions import ConflictError, FirebaseError

from exchange import PASSWORD, fresh_email
from people import fresh_phone, fresh_uid, refreshed, settle, signed_in, stranger


@pytest.fixture
def ada(admin):
    return settle(admin)


@pytest.fixture
def session(admin, ada):
    return signed_in(admin.client, ada)


def test_a_user_is_made_with_everything(admin):
    wanted = {
        "uid": fresh_uid(), "email": fresh_email(), "email_verified": True, "phone_number": fresh_phone(),
        "display_name": "Ada Lovelace", "photo_url": "https://example.com/ada.png", "disabled": True,
    }
    for user in (admin.create_user(**wanted, password=PASSWORD), admin.get_user(wanted["uid"])):
        assert {name: getattr(user, name) for name in wanted} == wanted
        assert {one.provider_id for one in user.provider_data} == {"password", "phone"}
        assert (user.tenant_id, user.custom_claims) == (None, None)
        assert user.user_metadata.creation_timestamp and user.user_metadata.last_sign_in_timestamp is None


def test_when_somebody_was_there_last_is_told(admin, ada, session):
    before = admin.get_user(ada.uid)
    refreshed(admin.client, session)
    user = admin.get_user(ada.uid)
    stamps = user.user_metadata
    assert stamps.creation_timestamp <= stamps.last_sign_in_timestamp <= stamps.last_refresh_timestamp
    assert before.user_metadata.last_sign_in_timestamp == stamps.last_sign_in_timestamp
    assert user.tokens_valid_after_timestamp <= stamps.last_sign_in_timestamp


def test_many_are_found_by_whatever_is_known_of_each(admin):
    people = [settle(admin) for _ in range(4)]
    known = [person.identifiers[number] for number, person in enumerate(people)]
    missing = stranger().identifiers
    answer = admin.get_users([*known, *missing])
    assert {user.uid for user in answer.users} == {person.uid for person in people}
    assert len(answer.users) == 4 and answer.not_found == missing


def test_one_who_is_named_in_four_ways_is_found_once(admin, ada):
    answer = admin.get_users([*ada.identifiers, *ada.identifiers])
    assert ([user.uid for user in answer.users], answer.not_found) == ([ada.uid], [])


def test_as_many_are_found_as_the_library_asks_for_at_once(admin, ada):
    nobody = [auth.UidIdentifier(f"nobody-{number}") for number in range(99)]
    answer = admin.get_users([*nobody, auth.UidIdentifier(ada.uid)])
    assert ([user.uid for user in answer.users], len(answer.not_found)) == ([ada.uid], 99)
    assert admin.get_users([]).users == []


def test_users_are_listed_from_where_a_page_ended(admin):
    made = {admin.create_user().uid for _ in range(5)}
    first = admin.list_users(max_results=2)
    assert len(first.users) == 2 and first.has_next_page
    rest = admin.list_users(page_token=first.next_page_token)
    listed = [user.uid for user in first.users] + [user.uid for user in rest.iterate_all()]
    assert len(listed) == len(set(listed)) and made <= set(listed)
    last = rest
    while last.has_next_page:
        last = last.get_next_page()
    assert (last.get_next_page(), last.next_page_token) == (None, "")


@pytest.mark.parametrize("force, deleted", [(False, ["disabled"]), (True, ["disabled", "enabled"])])
def test_whoever_is_not_disabled_is_deleted_only_by_force(admin, force, deleted):
    """The library always forces; those for other languages send this, too."""
    people = {name: admin.create_user(disabled=name == "disabled").uid for name in ("enabled", "disabled")}
    answer = admin.client.call(
        "batchDeleteAccounts", {"localIds": [*people.values(), "nobody"], "force": force}, key=None,
        headers=admin.authorization)
    spared = [(error["index"], error["localId"]) for error in answer.body.get("errors", [])]
    assert spared == ([] if force else [(0, people["enabled"])])
    left = {user.uid for user in admin.get_users([auth.UidIdentifier(uid) for uid in people.values()]).users}
    assert left == {uid for name, uid in people.items() if name not in deleted}


def test_many_are_deleted_by_the_library(admin):
    uids = [admin.create_user().uid for _ in range(3)]
    result = admin.delete_users([*uids, "nobody"])
    assert (result.success_count, result.failure_count, result.errors) == (4, 0, [])


def oidc(admin, name, **more):
    return admin.create_oidc_provider_config(name, client_id="c", issuer="https://id.example.com", **more)


def test_openid_connect_is_configured_listed_and_taken_away(admin):
    names = [f"oidc.{secrets.token_hex(4)}" for _ in range(3)]
    for name in names:
        assert oidc(admin, name, enabled=False, client_secret="secret", code_response_type=True).client_secret is None
    page = admin.list_oidc_provider_configs(max_results=2)
    rest = admin.list_oidc_provider_configs(page_token=page.next_page_token, max_results=2)
    listed = [one.provider_id for one in [*page.provider_configs, *rest.iterate_all()]]
    assert len(listed) == len(set(listed)) and set(names) <= set(listed)
    assert admin.update_oidc_provider_config(names[0], client_id="d", display_name="Corp").display_name == "Corp"
    with pytest.raises(ConflictError) as refused:
        oidc(admin, names[0])
    assert "CONFIGURATION_EXISTS" in str(refused.value)
    for name in names:
        admin.delete_oidc_provider_config(name)
        with pytest.raises(auth.ConfigurationNotFoundError):
            admin.get_oidc_provider_config(name)


SAML = {
    "idp_entity_id": "idp", "sso_url": "https://id.example.com/sso", "x509_certificates": ["certificate"],
    "rp_entity_id": "rp", "callback_url": "https://app.example.com/callback"}


@pytest.mark.parametrize("of", ["the project", "a tenant"])
@pytest.mark.parametrize("ask", [
    lambda library: library.get_saml_provider_config("saml.corp"),
    lambda library: library.create_saml_provider_config("saml.corp", **SAML),
    lambda library: library.update_saml_provider_config("saml.corp", display_name="Corp"),
    lambda library: library.delete_saml_provider_config("saml.corp"),
    lambda library: library.list_saml_provider_configs(),
], ids=["get", "create", "update", "delete", "list"])
def test_of_saml_the_library_is_told_that_there_is_none(admin, ask, of):
    with pytest.raises(FirebaseError) as refused:
        ask(admin if of == "the project" else admin.tenant())
    assert refused.value.http_response.status_code == 501
    assert "not implemented" in str(refused.value)
